// Scenes that are right: what they come to, written back, changed, and in other spellings.
#include "check.h"
#include "scene/reader.h"

#include <dirent.h>

static const char ball_on_slab[] =
    "name: ball on slab\n"
    "bodies:\n"
    "  - name: slab\n"
    "    shape: {box: [3, 3, 1.2], cells: [3, 3, 2]}\n"
    "    material: {law: neo-hookean, shear: 100, bulk: 400, density: 20}\n"
    "  - name: ball\n"
    "    shape: {box: [1, 1, 1], size: 0.5}\n"
    "    element: h8\n"
    "    place: {translate: [0, 0, 2], rotate: {axis: [0, 0, 2], degrees: 90}, scale: 2}\n"
    "    velocity: [0, 0, -0.1]\n"
    "    material: {law: neo-hookean, young: 3000, poisson: 0.25, density: 20}\n"
    "rigid:\n"
    "  - name: probe\n"
    "    shape: {box: [1, 1, 1]}\n"
    "    motion: {translate: [0, -11.5, 5], rotate: {axis: [1, 0, 0], degrees: 180, about: [0, 1, "
    "0]},\n"
    "             ramp: linear, until: 1.0}\n"
    "conditions:\n"
    "  - {body: slab, where: {plane: z-min}, fix: xz}\n"
    "  - {body: ball, where: {plane: z-max}, displace: [0.5, null, -0.4]}\n"
    "  - {body: ball, where: {plane: z-max}, pressure: 0.2, ramp: [[0, 0], [0.5, 1], [1, 0.5]]}\n"
    "  - {body: ball, where: all, force: [1, 2, 3], each: true, until: 0.7}\n"
    "  - {gravity: [0, 0, -9.81]}\n"
    "contact:\n"
    "  - {between: [ball, slab], friction: 0.1}\n"
    "  - {self: ball, update: larsson}\n"
    "  - {between: [probe, ball], cone: provot}\n"
    "solver: {method: newmark, time: 2, step: 0.001, damping: 3}\n"
    "probes:\n"
    "  - {name: tip, body: ball, where: {point: [0, 0, 3.6]}, record: velocity}\n"
    "  - {name: push, between: [slab, ball]}\n"
    "  - {name: twist, rigid: probe, record: torque}\n"
    "output: {every: 0.02, fields: [stress]}\n";

static PalScene *read_text(const char *text, const char *path, const PalSceneOptions *options)
{
    PalScene *scene = NULL;
    PalError error = {0};
    check_ok(pal_scene_read_memory(text, strlen(text), path, options, &scene, &error), &error);
    return scene;
}

static void bodies_and_rigids(void **state)
{
    (void)state;
    PalScene *scene = read_text(ball_on_slab, "ball.yaml", NULL);
    const PalModelDef *model = &pal_scene_sim(scene)->model;
    assert_string_equal(pal_scene_name(scene), "ball on slab");
    assert_int_equal(model->body_count, 2);
    const PalBodyDef *slab = &model->bodies[0], *ball = &model->bodies[1];
    assert_string_equal(slab->name, "slab");
    assert_int_equal(slab->element, PAL_ELEMENT_T4);
    assert_int_equal(slab->mesh->cell_kind, PAL_CELL_TETRAHEDRON);
    assert_int_equal(slab->mesh->node_count, 4 * 4 * 3);
    check_near(slab->materials[0].parameters[0], 100, 0);
    check_near(slab->materials[0].parameters[1], 400, 0);
    assert_int_equal(ball->mesh->cell_count, 8);
    assert_int_equal(ball->mesh->cell_kind, PAL_CELL_HEXAHEDRON);
    check_near(ball->velocity.z, -0.1, 0);
    check_near(ball->materials[0].parameters[0], 1200, 1e-9);  // E / 2 (1 + nu)
    check_near(ball->materials[0].parameters[1], 2000, 1e-9);  // E / 3 (1 - 2 nu)
    check_near(ball->materials[0].density, 20, 0);
    PalBounds bounds = pal_mesh_bounds(ball->mesh);
    check_near(bounds.lower.z, 1, 1e-12);
    check_near(bounds.upper.x, 1, 1e-12);
    assert_int_equal(model->rigid_count, 1);
    const PalMotionDef *motion = &model->rigids[0].motion;
    assert_int_equal(model->rigids[0].mesh->cell_kind, PAL_CELL_TRIANGLE);
    assert_int_equal(model->rigids[0].mesh->cell_count, 12);
    check_near(motion->translation.y, -11.5, 0);
    check_near(motion->radians, acos(-1.0), 1e-15);
    check_near(motion->centre.y, 1, 0);
    assert_int_equal(motion->ramp.kind, PAL_RAMP_LINEAR);
    check_near(motion->ramp.until, 1, 0);
    pal_scene_destroy(scene);
}

static void conditions_solver_and_output(void **state)
{
    (void)state;
    PalScene *scene = read_text(ball_on_slab, "ball.yaml", NULL);
    const PalSimDef *sim = pal_scene_sim(scene);
    const PalOutputDef *output = pal_scene_output(scene);
    const PalConditionDef *conditions = sim->model.conditions;
    assert_int_equal(sim->model.condition_count, 5);
    assert_int_equal(conditions[0].kind, PAL_CONDITION_FIX);
    assert_true(conditions[0].axes[0] && !conditions[0].axes[1] && conditions[0].axes[2]);
    assert_int_equal(conditions[0].where.kind, PAL_WHERE_SIDE);
    assert_int_equal(conditions[0].where.axis, 2);
    assert_false(conditions[0].where.highest);
    assert_int_equal(conditions[1].body_index, 1);
    assert_true(conditions[1].axes[0] && !conditions[1].axes[1] && conditions[1].axes[2]);
    check_near(conditions[1].value.z, -0.4, 0);
    assert_int_equal(conditions[1].ramp.kind, PAL_RAMP_SMOOTH);
    check_near(conditions[1].ramp.until, 2, 0);
    check_near(conditions[2].pressure, 0.2, 0);
    assert_int_equal(conditions[2].ramp.point_count, 3);
    check_near(conditions[2].ramp.points[2][1], 0.5, 0);
    assert_true(conditions[3].each);
    check_near(conditions[3].ramp.until, 0.7, 0);
    assert_int_equal(conditions[4].body_index, PAL_NONE);
    assert_int_equal(conditions[4].ramp.kind, PAL_RAMP_STEP);
    assert_string_equal(pal_scene_condition_place(scene, 1), "ball.yaml:19:5");
    assert_int_equal(sim->solver.method, PAL_METHOD_NEWMARK);
    check_near(sim->solver.step, 0.001, 0);
    check_near(sim->solver.damping, 3, 0);
    check_near(sim->align, 0.02, 0);
    assert_true(output->fields[PAL_FIELD_STRESS] && !output->fields[PAL_FIELD_ENERGY] &&
                !output->fields[PAL_FIELD_VELOCITY] && !output->fields[PAL_FIELD_DISPLACEMENT]);
    assert_int_equal(output->probe_count, 3);
    assert_int_equal(output->probes[0].kind, PAL_PROBE_NODES);
    assert_int_equal(output->probes[0].record, PAL_RECORD_VELOCITY);
    assert_int_equal(output->probes[1].kind, PAL_PROBE_CONTACT);
    assert_int_equal(output->probes[1].record, PAL_RECORD_FORCE);
    assert_int_equal(output->probes[1].objects[0], 0);
    assert_int_equal(output->probes[1].objects[1], 1);
    assert_int_equal(output->probes[2].kind, PAL_PROBE_RIGID);
    assert_int_equal(output->probes[2].record, PAL_RECORD_TORQUE);
    assert_int_equal(output->probes[2].rigid_index, 0);
    assert_string_equal(output->scene_text, pal_scene_resolved(scene));
    pal_scene_destroy(scene);
}

// ---- written back -----------------------------------------------------------------------------

static void same_mesh(const PalMesh *a, const PalMesh *b)
{
    size_t corners = (size_t)pal_cell_node_count(a->cell_kind);
    assert_int_equal(a->cell_kind, b->cell_kind);
    assert_int_equal(a->node_count, b->node_count);
    assert_int_equal(a->cell_count, b->cell_count);
    assert_memory_equal(a->nodes, b->nodes, (size_t)a->node_count * sizeof *a->nodes);
    assert_memory_equal(a->cells, b->cells, (size_t)a->cell_count * corners * sizeof *a->cells);
}

#define SAME(a, b, field) assert_memory_equal(&(a)->field, &(b)->field, sizeof(a)->field)

static void same_body(const PalBodyDef *a, const PalBodyDef *b)
{
    assert_string_equal(a->name, b->name);
    same_mesh(a->mesh, b->mesh);
    SAME(a, b, element);
    SAME(a, b, velocity);
    SAME(a, b, hourglass);
    SAME(a, b, hourglass_control);
    assert_int_equal(a->material_count, b->material_count);
    for (int32_t i = 0; i < a->material_count; ++i) {
        const PalMaterialDef *m = &a->materials[i], *n = &b->materials[i];
        assert_ptr_equal(m->law, n->law);
        SAME(m, n, parameters);
        SAME(m, n, density);
        SAME(m, n, isochoric_count);
        SAME(m, n, volumetric_count);
        SAME(m, n, isochoric);
        SAME(m, n, volumetric);
    }
    assert_int_equal(a->cell_material == NULL, b->cell_material == NULL);
    if (a->cell_material != NULL)
        assert_memory_equal(a->cell_material, b->cell_material,
                            (size_t)a->mesh->cell_count * sizeof *a->cell_material);
}

static void same_ramp(const PalRamp *a, const PalRamp *b)
{
    SAME(a, b, kind);
    SAME(a, b, from);
    SAME(a, b, until);
    SAME(a, b, point_count);
    if (a->point_count > 0)
        assert_memory_equal(a->points, b->points, (size_t)a->point_count * sizeof *a->points);
}

static void same_where(const PalWhere *a, const PalWhere *b)
{
    SAME(a, b, kind);
    SAME(a, b, axis);
    SAME(a, b, highest);
    SAME(a, b, point);
    SAME(a, b, normal);
    SAME(a, b, radius);
    SAME(a, b, box);
    SAME(a, b, tolerance);
    if (a->kind == PAL_WHERE_GROUP)
        assert_string_equal(a->group, b->group);
}

static void same_model(const PalModelDef *a, const PalModelDef *b)
{
    SAME(a, b, body_count);
    SAME(a, b, rigid_count);
    SAME(a, b, condition_count);
    SAME(a, b, end_time);
    for (int32_t i = 0; i < a->body_count; ++i)
        same_body(&a->bodies[i], &b->bodies[i]);
    for (int32_t i = 0; i < a->rigid_count; ++i) {
        const PalMotionDef *m = &a->rigids[i].motion, *n = &b->rigids[i].motion;
        assert_string_equal(a->rigids[i].name, b->rigids[i].name);
        same_mesh(a->rigids[i].mesh, b->rigids[i].mesh);
        SAME(m, n, translation);
        SAME(m, n, axis);
        SAME(m, n, radians);
        SAME(m, n, centre);
        same_ramp(&m->ramp, &n->ramp);
    }
    for (int32_t i = 0; i < a->condition_count; ++i) {
        const PalConditionDef *c = &a->conditions[i], *d = &b->conditions[i];
        SAME(c, d, kind);
        SAME(c, d, body_index);
        SAME(c, d, axes);
        SAME(c, d, value);
        SAME(c, d, pressure);
        SAME(c, d, each);
        same_where(&c->where, &d->where);
        same_ramp(&c->ramp, &d->ramp);
    }
}

static void same_contact(const PalContactDef *a, const PalContactDef *b)
{
    SAME(a, b, pair_count);
    SAME(a, b, hierarchy);
    SAME(a, b, update);
    SAME(a, b, cone);
    SAME(a, b, self_test);
    SAME(a, b, response);
    SAME(a, b, separation);
    for (int32_t i = 0; i < a->pair_count; ++i)
        assert_memory_equal(&a->pairs[i], &b->pairs[i], sizeof a->pairs[i]);
}

// Reading what was written back gives the same definitions and the same text.
static void same_again(const PalScene *scene)
{
    PalScene *again = read_text(pal_scene_resolved(scene), "elsewhere/scene.yaml", NULL);
    assert_string_equal(pal_scene_resolved(again), pal_scene_resolved(scene));
    assert_string_equal(pal_scene_name(again), pal_scene_name(scene));
    const PalSimDef *a = pal_scene_sim(scene), *b = pal_scene_sim(again);
    same_model(&a->model, &b->model);
    SAME(&a->solver, &b->solver, method);
    SAME(&a->solver, &b->solver, time);
    SAME(&a->solver, &b->solver, step);
    SAME(&a->solver, &b->solver, damping);
    SAME(&a->solver, &b->solver, safety);
    SAME(&a->solver, &b->solver, mass_scaling_step);
    SAME(&a->solver, &b->solver, tolerance);
    SAME(&a->solver, &b->solver, step_limit);
    SAME(&a->solver, &b->solver, thread_count);
    SAME(a, b, align);
    same_contact(&a->contact, &b->contact);
    const PalOutputDef *o = pal_scene_output(scene), *p = pal_scene_output(again);
    SAME(o, p, every);
    SAME(o, p, fields);
    SAME(o, p, checkpoint_seconds);
    SAME(o, p, report);
    SAME(o, p, probe_count);
    for (int32_t i = 0; i < o->probe_count; ++i) {
        assert_string_equal(o->probes[i].name, p->probes[i].name);
        SAME(&o->probes[i], &p->probes[i], kind);
        SAME(&o->probes[i], &p->probes[i], body_index);
        SAME(&o->probes[i], &p->probes[i], rigid_index);
        SAME(&o->probes[i], &p->probes[i], objects);
        SAME(&o->probes[i], &p->probes[i], record);
        same_where(&o->probes[i].where, &p->probes[i].where);
    }
    pal_scene_destroy(again);
}

static void resolved_text_reads_the_same(void **state)
{
    (void)state;
    PalScene *scene = read_text(ball_on_slab, "ball.yaml", NULL);
    same_again(scene);
    pal_scene_destroy(scene);
}

static void every_scene_reads_and_resolves(void **state)
{
    (void)state;
    DIR *folder = opendir(PAL_SCENES);
    assert_non_null(folder);
    int count = 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        const char *end = strrchr(entry->d_name, '.');
        if (end == NULL || strcmp(end, ".yaml") != 0)
            continue;
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", PAL_SCENES, entry->d_name);
        PalScene *scene = NULL;
        PalError error = {0};
        check_ok(pal_scene_read(path, NULL, &scene, &error), &error);
        same_again(scene);
        pal_scene_destroy(scene);
        ++count;
    }
    closedir(folder);
    assert_true(count >= 10);
}

// So that a run can be resumed from another folder.
static void paths_of_meshes_have_one_form(void **state)
{
    (void)state;
    static const char *const paths[] = {PAL_SCENES "/layers.yaml",
                                        PAL_SCENES "/../scenes/./layers.yaml"};
    PalScene *scenes[2] = {NULL, NULL};
    for (int i = 0; i < 2; ++i) {
        PalError error = {0};
        check_ok(pal_scene_read(paths[i], NULL, &scenes[i], &error), &error);
    }
    assert_string_equal(pal_scene_resolved(scenes[0]), pal_scene_resolved(scenes[1]));
    for (int i = 0; i < 2; ++i)
        pal_scene_destroy(scenes[i]);
}

static void numbers_are_short_and_exact(void **state)
{
    (void)state;
    static const struct {
        double number;
        const char *text;
    } cases[] = {{0.1, "0.1"},         {1e-6, "1.0e-06"},
                 {3000, "3000"},       {1.0 / 3, "0.3333333333333333"},
                 {-0.25, "-0.25"},     {0, "0"},
                 {1e300, "1.0e+300"},  {123456789, "123456789"},
                 {5e-324, "5.0e-324"}, {2.0 / 3 * 1e9, "666666666.6666666"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[32];
        pal_scene_format_number(cases[i].number, text);
        assert_string_equal(text, cases[i].text);
        assert_true(strtod(text, NULL) == cases[i].number);
    }
}

// ---- changes ----------------------------------------------------------------------------------

static void changes_apply(void **state)
{
    (void)state;
    const PalSceneChange changes[] = {
        {"bodies.slab.material.shear", "150"},
        {"bodies.1.velocity.2", "-7"},
        {"solver.step", "auto"},
        {"conditions.2.pressure", "2"},
        {"bodies.ball.hourglass", "0.05"},
        {"output.checkpoint", "5"},
        {"bodies.slab.place.scale", "3"},
        {"conditions.1.where", "{plane: x-max}"},
        {"bodies.ball.place", "null"},
        {"name", "\"changed: yes\""},
    };
    PalSceneOptions options = {.change_count = sizeof changes / sizeof *changes,
                               .changes = changes};
    PalScene *scene = read_text(ball_on_slab, "ball.yaml", &options);
    const PalSimDef *sim = pal_scene_sim(scene);
    check_near(sim->model.bodies[0].materials[0].parameters[0], 150, 0);
    check_near(sim->model.bodies[1].velocity.z, -7, 0);
    check_near(sim->solver.step, 0, 0);
    check_near(sim->model.conditions[2].pressure, 2, 0);
    check_near(sim->model.bodies[1].hourglass, 0.05, 0);
    check_near(pal_scene_output(scene)->checkpoint_seconds, 5, 0);
    check_near(pal_mesh_bounds(sim->model.bodies[0].mesh).upper.x, 4.5, 1e-12);
    assert_int_equal(sim->model.conditions[1].where.axis, 0);
    check_near(pal_mesh_bounds(sim->model.bodies[1].mesh).upper.z, 0.5, 1e-12);
    assert_string_equal(pal_scene_name(scene), "changed: yes");
    same_again(scene);
    pal_scene_destroy(scene);
}

static void null_takes_entries_away(void **state)
{
    (void)state;
    PalScene *scene = read_text(ball_on_slab, "ball.yaml", NULL);
    PalSimDef before = *pal_scene_sim(scene);
    pal_scene_destroy(scene);
    const PalSceneChange change = {"conditions.1", "null"};
    PalSceneOptions options = {.change_count = 1, .changes = &change};
    scene = read_text(ball_on_slab, "ball.yaml", &options);
    const PalModelDef *model = &pal_scene_sim(scene)->model;
    assert_int_equal(model->condition_count, before.model.condition_count - 1);
    assert_int_equal(model->conditions[1].kind, PAL_CONDITION_PRESSURE);
    same_again(scene);
    pal_scene_destroy(scene);
}

// ---- other spellings --------------------------------------------------------------------------

static void json_is_read(void **state)
{
    (void)state;
    static const char text[] =
        "{\"bodies\": [{\"name\": \"a\", \"shape\": {\"box\": [1, 1, 1], \"cells\": [1, 1, 1]},\n"
        "\t\"material\": {\"law\": \"neo-hookean\", \"shear\": 1e3, \"bulk\": 2.5E3, \"density\": "
        "1}}],\n"
        "\t\"solver\": {\"time\": 1}}\n";
    PalScene *scene = read_text(text, "folder/box.json", NULL);
    assert_string_equal(pal_scene_name(scene), "box");
    check_near(pal_scene_sim(scene)->model.bodies[0].materials[0].parameters[1], 2500, 0);
    same_again(scene);
    pal_scene_destroy(scene);
    PalError error = {0};
    static const char bad[] = "{\"bodies\": [1,],\n \"solver\": {}}";
    assert_int_equal(pal_scene_read_memory(bad, strlen(bad), "a.json", NULL, &scene, &error),
                     PAL_BAD_INPUT);
    assert_memory_equal(error.text, "a.json:1:", 9);
}

static void anchors_and_merges_are_read(void **state)
{
    (void)state;
    static const char text[] =
        "bodies:\n"
        "  - &one\n"
        "    name: a\n"
        "    shape: &shape {box: [1, 1, 1], cells: [1, 1, 1]}\n"
        "    material: &soft {law: neo-hookean, shear: 1, bulk: 2, density: 3}\n"
        "  - {<<: *one, name: b, material: {<<: *soft, shear: 7}}\n"
        "  - {name: c, shape: *shape, material: {<<: [{bulk: 9}, *soft]}}\n"
        "solver: {time: 1}\n";
    PalScene *scene = read_text(text, "merge.yaml", NULL);
    const PalBodyDef *bodies = pal_scene_sim(scene)->model.bodies;
    check_near(bodies[0].materials[0].parameters[0], 1, 0);
    check_near(bodies[1].materials[0].parameters[0], 7, 0);
    check_near(bodies[1].materials[0].parameters[1], 2, 0);
    check_near(bodies[2].materials[0].parameters[1], 9, 0);
    check_near(bodies[2].materials[0].density, 3, 0);
    same_again(scene);
    pal_scene_destroy(scene);
}

static void one_number_of_cells_is_for_all(void **state)
{
    (void)state;
    PalScene *scene =
        read_text("bodies: [{name: a, shape: {box: [1, 2, 3], cells: 4}, element: h8,\n"
                  "          material: {law: neo-hookean, shear: 1, bulk: 1, density: 1}}]\n"
                  "solver: {time: 1}\n",
                  "cells.yaml", NULL);
    assert_int_equal(pal_scene_sim(scene)->model.bodies[0].mesh->cell_count, 64);
    same_again(scene);
    pal_scene_destroy(scene);
}

// Two materials by groups of cells; the box's own groups hold facets, so a mesh file is needed.
static void several_materials(void **state)
{
    (void)state;
    PalScene *scene = NULL;
    PalError error = {0};
    check_ok(pal_scene_read(PAL_SCENES "/layers.yaml", NULL, &scene, &error), &error);
    const PalBodyDef *body = &pal_scene_sim(scene)->model.bodies[0];
    assert_int_equal(body->material_count, 2);
    const PalGroup *skin = pal_mesh_find_group(body->mesh, "skin");
    assert_non_null(skin);
    assert_true(skin->cell_count > 0 && skin->cell_count < body->mesh->cell_count);
    int32_t in_skin = 0;
    for (int32_t c = 0; c < body->mesh->cell_count; ++c)
        in_skin += body->cell_material[c] == 0;
    assert_int_equal(in_skin, skin->cell_count);
    for (int32_t i = 0; i < skin->cell_count; ++i)
        assert_int_equal(body->cell_material[skin->cells[i]], 0);
    pal_scene_destroy(scene);
}

// ---- defaults ---------------------------------------------------------------------------------

static void same_value(const char *path, PalTreeNode *standard, PalTreeNode *filled)
{
    assert_int_equal(standard->kind, filled->kind);
    assert_int_equal(standard->count, filled->count);
    for (int32_t i = 0; i < standard->count; ++i)
        same_value(path, standard->items[i].value, filled->items[i].value);
    if (standard->kind != PAL_TREE_SCALAR)
        return;
    if (pal_tree_read_number(standard) && pal_tree_read_number(filled))
        assert_true(standard->number == filled->number);
    else if (strcmp(standard->text, filled->text) != 0)
        fail_msg("%s: the schema says %s, the reader fills in %s", path, standard->text,
                 filled->text);
}

// Every default the schema gives for the keys of a map stands in the resolved map.
static int check_defaults(const PalTreeNode *schema, const char *name, const PalTreeNode *filled)
{
    const PalTreeNode *properties = pal_tree_get(
        *name != '\0' ? pal_tree_get(pal_tree_get(schema, "$defs"), name) : schema, "properties");
    assert_non_null(properties);
    assert_non_null(filled);
    int count = 0;
    for (int32_t i = 0; i < properties->count; ++i) {
        PalTreeNode *standard = pal_tree_get(properties->items[i].value, "default");
        if (standard == NULL)
            continue;
        PalTreeNode *value = pal_tree_get(filled, properties->items[i].key);
        if (value == NULL)
            fail_msg("%s of %s is not filled in", properties->items[i].key, name);
        same_value(properties->items[i].key, standard, value);
        ++count;
    }
    return count;
}

static int occurrences(const char *text, const char *word)
{
    const char *at = strstr(text, word);
    return at != NULL ? 1 + occurrences(at + 1, word) : 0;
}

static PalTreeNode *parse(PalTree *tree, const char *text, size_t size)
{
    PalError error = {0};
    *tree = (PalTree){.path = "text"};
    check_ok(pal_tree_parse(tree, text, size, NULL, &tree->root, &error), &error);
    return tree->root;
}

static void defaults_are_those_of_the_schema(void **state)
{
    (void)state;
    static char text[1 << 20];
    FILE *file = fopen(PAL_SCENES "/../docs/scene.schema.json", "rb");
    assert_non_null(file);
    size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    PalTree schema_tree, scene_tree;
    const PalTreeNode *schema = parse(&schema_tree, text, size);
    PalScene *scene =
        read_text("bodies: [{name: a, shape: {box: [1, 1, 1], cells: [1, 1, 1]}, element: h8,\n"
                  "          material: {law: neo-hookean, shear: 1, bulk: 1, density: 1}},\n"
                  "  {name: b, shape: {box: [1, 1, 1], cells: 1}, material: {law: neo-hookean,\n"
                  "          shear: 1, bulk: 1, density: 1}}]\n"
                  "rigid: [{name: r, shape: {box: [1, 1, 1]}, motion: {rotate: {axis: [1, 0, 0], "
                  "degrees: 1}}},\n"
                  "        {name: f, shape: {box: [1, 1, 1]}, mass: 1, torque: [0, 0, 0], ramp: "
                  "linear, spring: {}}]\n"
                  "conditions: [{body: a, where: {plane: x-min}, force: [1, 1, 1]},\n"
                  "  {body: a, where: {facing: {direction: [1, 0, 0]}}, force: [1, 1, 1]}]\n"
                  "contact: [{self: a}]\n"
                  "solver: {time: 3}\n"
                  "probes: [{name: p, body: a}]\n"
                  "vademecum: {body: b, patch: 1, largest: 1}\n",
                  "defaults.yaml", NULL);
    const char *resolved = pal_scene_resolved(scene);
    const PalTreeNode *root = parse(&scene_tree, resolved, strlen(resolved));
    const PalTreeNode *body = pal_tree_get(root, "bodies")->items[0].value;
    const PalTreeNode *rigid = pal_tree_get(root, "rigid")->items[0].value;
    const PalTreeNode *free_one = pal_tree_get(root, "rigid")->items[1].value;
    const PalTreeNode *condition = pal_tree_get(root, "conditions")->items[0].value;
    const PalTreeNode *motion = pal_tree_get(rigid, "motion");
    PalTreeNode *contact = pal_tree_get(root, "contact")->items[0].value;
    const PalTreeNode *method = pal_tree_get(root, "contact")->items[1].value;
    for (int32_t i = 0; i < method->count; ++i)
        pal_tree_put(&scene_tree, contact, method->items[i].key, method->items[i].value);
    int count = check_defaults(schema, "body", body);
    count += check_defaults(schema, "contact", contact);
    count += check_defaults(schema, "place", pal_tree_get(body, "place"));
    count += check_defaults(schema, "motion", motion);
    count += check_defaults(schema, "rigid", free_one);
    count += check_defaults(schema, "spring", pal_tree_get(free_one, "spring"));
    count += check_defaults(schema, "turn", pal_tree_get(motion, "rotate"));
    count += check_defaults(schema, "condition", condition);
    count += check_defaults(schema, "where", pal_tree_get(condition, "where"));
    const PalTreeNode *other = pal_tree_get(root, "conditions")->items[1].value;
    count += check_defaults(schema, "facing", pal_tree_get(pal_tree_get(other, "where"), "facing"));
    count += check_defaults(schema, "solver", pal_tree_get(root, "solver"));
    count += check_defaults(schema, "probe", pal_tree_get(root, "probes")->items[0].value);
    count += check_defaults(schema, "output", pal_tree_get(root, "output"));
    count += check_defaults(schema, "vademecum", pal_tree_get(root, "vademecum"));
    // all but the scene's five empty lists
    assert_int_equal(count, occurrences(text, "\"default\":") - 5);
    check_near(pal_scene_output(scene)->every, 3.0 / 50, 0);
    pal_scene_destroy(scene);
    pal_tree_clear(&schema_tree);
    pal_tree_clear(&scene_tree);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(bodies_and_rigids),
    cmocka_unit_test(conditions_solver_and_output),
    cmocka_unit_test(resolved_text_reads_the_same),
    cmocka_unit_test(paths_of_meshes_have_one_form),
    cmocka_unit_test(every_scene_reads_and_resolves),
    cmocka_unit_test(numbers_are_short_and_exact),
    cmocka_unit_test(changes_apply),
    cmocka_unit_test(null_takes_entries_away),
    cmocka_unit_test(json_is_read),
    cmocka_unit_test(anchors_and_merges_are_read),
    cmocka_unit_test(one_number_of_cells_is_for_all),
    cmocka_unit_test(several_materials),
    cmocka_unit_test(defaults_are_those_of_the_schema),
};
CHECK_GROUP(tests, NULL, NULL)
