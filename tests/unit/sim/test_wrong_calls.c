// Numbers out of range and meshes with wrong corners through the public headers: a status and a
// reason, or an answer that says there is none; never a step outside an array.
#include "touch.h"

#include <palpate/geometry.h>
#include <palpate/steer.h>

static const int wrong[] = {-1, -2147483647 - 1, 99, 2147483647};
enum { WRONG_COUNT = sizeof wrong / sizeof *wrong };

// An enumeration of any value, as a caller's memory may hold it.
#define SET(place, number)                                                                         \
    do {                                                                                           \
        int set_number = (number);                                                                 \
        memcpy(&(place), &set_number, sizeof set_number);                                          \
    } while (0)

static void names_of_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < WRONG_COUNT; ++i) {
        PalStatus status;
        PalCellKind cell;
        PalElementKind element;
        PalMethod method;
        PalResponseKind response;
        SET(status, wrong[i]);
        SET(cell, wrong[i]);
        SET(element, wrong[i]);
        SET(method, wrong[i]);
        SET(response, wrong[i]);
        assert_string_equal(pal_status_name(status), "unknown");
        assert_string_equal(pal_cell_name(cell), "unknown");
        assert_int_equal(pal_cell_node_count(cell), 0);
        assert_false(pal_element_for_cell(cell, &(PalElementKind){PAL_ELEMENT_T4}));
        assert_null(pal_element_traits(element));
        assert_int_equal((int)pal_element_cell(element), PAL_NONE);
        assert_null(pal_element_name(element));
        assert_null(pal_method_name(method));
        assert_false(pal_method_in_time(method));
        assert_null(pal_response_name(response));
        assert_false(pal_response_rests(response) || pal_response_prevents_crossing(response));
        assert_null(pal_law_at(wrong[i]));
        const PalMaterialLaw *law = pal_law_find("fibre-reinforced");
        assert_null(pal_law_parameter(law, wrong[i]));
        assert_int_equal(pal_law_vector_stem(law, wrong[i]), 0);
        assert_null(pal_schedule_choice(wrong[i]));
        assert_null(pal_hierarchy_choice(wrong[i]));
        assert_null(pal_update_choice(wrong[i]));
        assert_null(pal_cone_choice(wrong[i]));
        assert_null(pal_self_test_choice(wrong[i]));
        assert_null(pal_ramp_choice(wrong[i]));
    }
}

// ---- definitions --------------------------------------------------------------------------

static Touch one_on_a_plate(void)
{
    Touch t = touch_nothing(1);
    PalVec3 side = pal_vec3(1, 1, 1);
    touch_add_mesh(&t,
                   touch_shape(PAL_SHAPE_BOX, side, (int32_t[3]){1, 1, 1}, PAL_CELL_TETRAHEDRON,
                               pal_vec3(0, 0, 2)),
                   100, 0.3, 1);
    touch_add_rigid(&t, touch_shape(PAL_SHAPE_BOX, side, (int32_t[3]){1, 1, 1}, PAL_CELL_TRIANGLE,
                                    pal_vec3(0, 0, 0)));
    touch_gravity(&t, pal_vec3(0, 0, -1));
    touch_condition(&t, 0, PAL_CONDITION_PRESSURE);
    touch_pair(&t, 0, 1, 0.1);
    t.bodies[0].mesh = t.meshes[0];
    t.bodies[0].material_count = 1;
    t.rigids[0].mesh = t.rigid_meshes[0];
    return t;
}

static void check_refused(Touch *t, const char *part)
{
    PalError error = {0};
    t->sim.model.bodies = t->bodies;
    t->bodies[0].materials = t->materials;
    t->sim.model.rigids = t->rigids;
    t->sim.model.conditions = t->conditions;
    t->sim.contact.pairs = t->pairs;
    assert_int_equal(pal_sim_create(&t->sim, &t->run, &error), PAL_BAD_INPUT);
    assert_null(t->run);
    if (strstr(error.text, part) == NULL)
        fail_msg("said \"%s\", expected \"%s\" in it", error.text, part);
    t->sim.model.body_count = 1;  // which may have been what was wrong
    touch_end(t);
}

#define REFUSED(change, part)                                                                      \
    do {                                                                                           \
        Touch t = one_on_a_plate();                                                                \
        change;                                                                                    \
        check_refused(&t, part);                                                                   \
    } while (0)

static void definitions_with_wrong_numbers(void **state)
{
    (void)state;
    for (int i = 0; i < WRONG_COUNT; ++i) {
        REFUSED(SET(t.bodies[0].element, wrong[i]), "unknown kind of element");
        REFUSED(SET(t.sim.solver.method, wrong[i]), "there is no method");
        REFUSED(SET(t.sim.contact.hierarchy, wrong[i]), "there is no hierarchy");
        REFUSED(SET(t.sim.contact.update, wrong[i]), "there is no way");
        REFUSED(SET(t.sim.contact.cone, wrong[i]), "to merge cones");
        REFUSED(SET(t.sim.contact.self_test, wrong[i]), "there is no self-test");
        REFUSED(SET(t.sim.contact.response, wrong[i]), "response");
        REFUSED(SET(t.sim.contact.schedule, wrong[i]), "schedule");
        REFUSED(SET(t.conditions[1].kind, wrong[i]), "unknown kind of condition");
        REFUSED(SET(t.conditions[1].ramp.kind, wrong[i]), "unknown kind of ramp");
        REFUSED(SET(t.conditions[1].where.kind, wrong[i]), "unknown kind of selection");
        REFUSED(SET(t.rigids[0].motion.ramp.kind, wrong[i]), "unknown kind of ramp");
        REFUSED(SET(t.meshes[0]->cell_kind, wrong[i]), "cells");
        REFUSED(SET(t.rigid_meshes[0]->cell_kind, wrong[i]), "expected a surface of triangles");
        REFUSED(t.pairs[0].objects[1] = wrong[i], "contact names object");
        REFUSED(t.meshes[0]->cells[5] = wrong[i], "body \"body\": cell 1 names node");
        REFUSED(t.rigid_meshes[0]->cells[5] = wrong[i], "rigid \"rigid\": cell 1 names node");
        if (wrong[i] != PAL_NONE)
            REFUSED(t.conditions[0].body_index = wrong[i], "condition names body");
        if (wrong[i] < 0) {
            REFUSED(t.sim.model.body_count = wrong[i], "the number of bodies");
            REFUSED(t.bodies[0].material_count = wrong[i], "has no material");
        }
    }
    REFUSED(t.materials[0].law = NULL, "no law");
    REFUSED(t.meshes[0]->nodes[3].y = NAN, "body \"body\": node 3");
    REFUSED(t.meshes[0]->nodes[3].y = 1e31, "body \"body\": node 3 is at");
    REFUSED(t.rigid_meshes[0]->nodes[2].x = -1e39, "rigid \"rigid\": node 2 is at (-1e+39,");
    REFUSED(t.rigid_meshes[0]->nodes[2].x = INFINITY, "rigid \"rigid\": node 2 is at");
}

static void places_beyond_reach(void **state)
{
    (void)state;
    PalVec3 nodes[8] = {{0, 0, 0}}, shift = {1e31, 0, 0};
    for (int n = 0; n < 8; ++n)
        nodes[n] = pal_vec3(n & 1, n >> 1 & 1, n >> 2);
    nodes[7].z = NAN;
    REFUSED(t.sim.model.nodes = nodes, "node 7 is at rest at");
    REFUSED(t.sim.model.rigid_shifts = &shift, "rigid \"rigid\" starts too far from its mesh");
    PalError error = {0};
    Touch t = one_on_a_plate();
    PalPlacement placement = pal_placement_identity();
    placement.scale = 1e-31;
    pal_mesh_place(t.meshes[0], &placement);
    assert_int_equal(pal_mesh_check_reach(t.meshes[0], &error), PAL_BAD_INPUT);
    assert_non_null(strstr(error.text, "too small to compute with"));
    touch_end(&t);
}

// ---- meshes -------------------------------------------------------------------------------

typedef PalStatus (*Use)(PalMesh *mesh, PalError *error);

static PalStatus use_boundary(PalMesh *mesh, PalError *error)
{
    PalSurface *surface = NULL;
    PalStatus status = pal_mesh_boundary(mesh, &surface, error);
    pal_surface_destroy(surface);
    return status;
}

static PalStatus use_node_cells(PalMesh *mesh, PalError *error)
{
    PalLists lists;
    PalStatus status = pal_mesh_node_cells(mesh, &lists, error);
    pal_lists_clear(&lists);
    return status;
}

static PalStatus use_parts(PalMesh *mesh, PalError *error)
{
    int32_t part[64], count;
    return pal_mesh_parts(mesh, part, &count, error);
}

static PalStatus use_orient(PalMesh *mesh, PalError *error)
{
    int32_t turned;
    return pal_mesh_orient(mesh, &turned, error);
}

static PalStatus use_drop(PalMesh *mesh, PalError *error)
{
    int32_t removed;
    return pal_mesh_drop_unused_nodes(mesh, &removed, error);
}

static PalStatus use_validate(PalMesh *mesh, PalError *error)
{
    return pal_mesh_validate(mesh, error);
}

static PalStatus use_faults(PalMesh *mesh, PalError *error)
{
    PalSurfaceFaults faults;
    return pal_mesh_find_faults(mesh, &faults, error);
}

static PalStatus use_shells(PalMesh *mesh, PalError *error)
{
    PalShells shells;
    PalStatus status = pal_mesh_shells(mesh, &shells, error);
    pal_shells_clear(&shells);
    return status;
}

static PalStatus use_mass(PalMesh *mesh, PalError *error)
{
    PalMassProperties mass;
    return pal_mesh_mass_properties(mesh, 1, &mass, error);
}

static PalStatus use_carry(PalMesh *mesh, PalError *error)
{
    return pal_mesh_carry_groups(mesh, mesh, error);
}

static PalStatus use_nodes(PalMesh *mesh, PalError *error)
{
    PalWhere where = pal_where_all();
    int32_t *nodes, count;
    PalStatus status = pal_mesh_select_nodes(mesh, &where, &nodes, &count, error);
    free(nodes);
    return status;
}

static PalStatus use_group(PalMesh *mesh, PalError *error)
{
    int32_t cells[2] = {0, 1};
    PalGroup group = {.name = (char[]){"new"}, .cell_count = 2, .cells = cells};
    return pal_mesh_add_group(mesh, &group, error);
}

static const Use uses[] = {use_boundary, use_node_cells, use_parts,  use_orient,
                           use_drop,     use_validate,   use_faults, use_shells,
                           use_mass,     use_carry,      use_nodes,  use_group};

static void meshes_with_wrong_corners(void **state)
{
    (void)state;
    for (size_t u = 0; u < sizeof uses / sizeof *uses; ++u)
        for (int i = 0; i < WRONG_COUNT; ++i) {
            PalMesh *mesh = touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 1), (int32_t[3]){1, 1, 1},
                                        PAL_CELL_TRIANGLE, pal_vec3(0, 0, 0));
            PalError error = {0};
            mesh->cells[4] = wrong[i];
            assert_int_equal(uses[u](mesh, &error), PAL_BAD_INPUT);
            assert_non_null(strstr(error.text, "cell 1 names node"));
            assert_true(pal_mesh_quality(mesh).worst <= 1);
            assert_true(isfinite(pal_cell_quality(mesh, 1)));
            assert_true(pal_cell_volume(mesh, wrong[i]) == 0);
            pal_mesh_destroy(mesh);
        }
}

static void surfaces_and_groups_with_wrong_corners(void **state)
{
    (void)state;
    for (int i = 0; i < WRONG_COUNT; ++i) {
        PalMesh *mesh = touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 1), (int32_t[3]){1, 1, 1},
                                    PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, 0));
        PalError error = {0};
        PalSurface *surface;
        check_ok(pal_mesh_boundary(mesh, &surface, &error), &error);
        surface->facets[7] = wrong[i];
        PalWhere where = pal_where_all();
        int32_t *facets, count;
        assert_int_equal(pal_mesh_select_facets(mesh, surface, &where, &facets, &count, &error),
                         PAL_BAD_INPUT);
        assert_non_null(strstr(error.text, "facet 2 names node"));
        surface->facets[7] = 0;
        surface->corner_count = wrong[i];
        assert_int_equal(pal_mesh_select_facets(mesh, surface, &where, &facets, &count, NULL),
                         PAL_BAD_INPUT);
        mesh->groups[0].nodes[0] = wrong[i];
        int32_t removed;
        assert_int_equal(pal_mesh_drop_unused_nodes(mesh, &removed, NULL), PAL_BAD_INPUT);
        pal_surface_destroy(surface);
        pal_mesh_destroy(mesh);
    }
}

// ---- a simulation ---------------------------------------------------------------------------

static void questions_about_what_is_not_there(void **state)
{
    (void)state;
    Touch t = one_on_a_plate();
    touch_start(&t);
    for (int i = 0; i < WRONG_COUNT; ++i) {
        int32_t index = wrong[i];
        PalPose pose = {0};
        PalTwist twist;
        PalVec3 at, velocity, value;
        PalError error = {0};
        PalRigidReading reading;
        double energy[64];
        PalCellFields fields = {.energy_density = energy};
        pal_sim_rigid_motion(t.run, index, &pose, &twist);
        assert_true(pose.rotation.m[0][0] == 1 && twist.velocity.z == 0);
        pal_sim_body_motion(t.run, index, &at, &velocity);
        assert_true(at.x == 0 && velocity.x == 0);
        pal_sim_contact_load(t.run, index, at, &at, &velocity);
        assert_true(pal_sim_contact_force(t.run, index, 0).x == 0);
        if (index != PAL_NONE)
            assert_int_equal(pal_sim_cell_fields(t.run, index, &fields), PAL_BAD_INPUT);
        assert_int_equal(pal_sim_read_rigid(t.run, index, &reading, &error), PAL_BAD_INPUT);
        assert_int_equal(pal_sim_move_rigid(t.run, index, &pose, 1, &error), PAL_BAD_INPUT);
        assert_int_equal(pal_sim_set_rigid_load(t.run, index, at, at, 1, &error), PAL_BAD_INPUT);
        assert_int_equal(pal_sim_set_load(t.run, index, at, 1, &error), PAL_BAD_INPUT);
        assert_int_equal(pal_sim_set_pressure(t.run, index, 1, 1, &error), PAL_BAD_INPUT);
        assert_int_equal(pal_sim_condition_value(t.run, index, &value, &error), PAL_BAD_INPUT);
        assert_int_equal(pal_sim_set_friction(t.run, 0, index, 0, &error), PAL_BAD_INPUT);
        int32_t vertices, triangles;
        assert_int_equal(pal_sim_surface_size(t.run, index, &vertices, &triangles, &error),
                         PAL_BAD_INPUT);
    }
    touch_end(&t);
}

// What a function finds beside its answer need not be wanted.
static void answers_that_are_not_wanted(void **state)
{
    (void)state;
    Touch t = one_on_a_plate();
    touch_start(&t);
    PalError error = {0};
    int32_t body, cell, vertices, triangles;
    double bound = pal_sim_stable_step(t.run, &body, &cell);
    assert_true(bound > 0 && pal_sim_stable_step(t.run, NULL, NULL) == bound);
    pal_sim_rigid_motion(t.run, 0, NULL, NULL);
    pal_sim_rigid_motion(t.run, PAL_NONE, NULL, NULL);
    PalVec3 centroid, alone, velocity;
    pal_sim_body_motion(t.run, 0, &centroid, &velocity);
    pal_sim_body_motion(t.run, 0, &alone, NULL);
    pal_sim_body_motion(t.run, 0, NULL, &velocity);
    assert_memory_equal(&centroid, &alone, sizeof alone);
    pal_sim_contact_load(t.run, 0, centroid, NULL, NULL);
    check_ok(pal_sim_surface_size(t.run, 0, &vertices, NULL, &error), &error);
    check_ok(pal_sim_surface_size(t.run, 0, NULL, &triangles, &error), &error);
    assert_true(vertices > 0 && triangles > 0);
    PalMesh *mesh = touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 1), (int32_t[]){1, 1, 1},
                                PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, 0));
    int32_t *part = calloc((size_t)mesh->cell_count, sizeof *part);
    check_ok(pal_mesh_orient(mesh, NULL, &error), &error);
    check_ok(pal_mesh_parts(mesh, part, NULL, &error), &error);
    check_ok(pal_mesh_drop_unused_nodes(mesh, NULL, &error), &error);
    assert_true(pal_cell_least_jacobian(mesh, 0, NULL) == 1);
    free(part);
    pal_mesh_destroy(mesh);
    PalMaterialDef material = pal_material_def_default();
    double bulk;
    pal_material_moduli(&material, NULL, &bulk);
    assert_true(bulk == 10);
    touch_end(&t);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(answers_that_are_not_wanted),
    cmocka_unit_test(names_of_nothing),
    cmocka_unit_test(definitions_with_wrong_numbers),
    cmocka_unit_test(places_beyond_reach),
    cmocka_unit_test(meshes_with_wrong_corners),
    cmocka_unit_test(surfaces_and_groups_with_wrong_corners),
    cmocka_unit_test(questions_about_what_is_not_there),
};

CHECK_GROUP(tests, NULL, NULL)
