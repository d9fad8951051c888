// What becomes of the tags of a NiftySim model.
#include "check.h"
#include "math/vec3.h"
#include "mesh/cells.h"
#include "scene/importers.h"
#include "scene/reader.h"

#define TETS                                                                                       \
    "<Nodes DOF=\"3\" NumNodes=\"5\">0 0 0 1 0 0 0 1 0 0 0 1 1 1 1</Nodes>"                        \
    "<Elements NumEls=\"2\" Type=\"T4\">0 1 2 3 1 2 3 4</Elements>"
#define CUBES                                                                                      \
    "<Nodes DOF=\"3\" NumNodes=\"12\">0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1 "            \
    "0 0 2 1 0 2 1 1 2 0 1 2</Nodes>"                                                              \
    "<Elements NumEls=\"2\" Type=\"H8\">0 1 2 3 4 5 6 7 4 5 6 7 8 9 10 11</Elements>"
#define LAW(type, count, numbers)                                                                  \
    "<Material Type=\"" type "\"><ElasticParams NumParams=\"" count "\">" numbers                  \
    "</ElasticParams></Material>"
#define WHOLE(law) "<ElementSet Size=\"all\">" law "</ElementSet>"
#define SOFT       WHOLE(LAW("NH", "2", "1000 5000"))
#define SYSTEM(more)                                                                               \
    "<SystemParams><TimeStep>0.01</TimeStep><TotalTime>0.1</TotalTime>"                            \
    "<DampingCoeff>3</DampingCoeff><Density>1000</Density>" more "</SystemParams>"

static PalScene *read_model(const char *text)
{
    PalError error = {0};
    PalScene *scene = NULL;
    check_ok(pal_scene_read_memory(text, strlen(text), "m.xml", NULL, &scene, &error), &error);
    return scene;
}

static const PalMaterialDef *material(const PalScene *scene)
{
    return pal_scene_sim(scene)->model.bodies[0].materials;
}

static const PalConditionDef *condition(const PalScene *scene, int32_t index)
{
    assert_true(index < pal_scene_sim(scene)->model.condition_count);
    return &pal_scene_sim(scene)->model.conditions[index];
}

// Steps n = 0 .. N, ending one step past the total time; names in any case; lists behind tags.
static void time_goes_as_there(void **state)
{
    (void)state;
    PalScene *scene = read_model("<model>" TETS "<elementset SIZE=\"2\">" LAW(
        "NH", "2", "1000 5000") "0</elementset>" SYSTEM("") "<Output freq=\"4\"/></model>");
    const PalSolverDef *solver = &pal_scene_sim(scene)->solver;
    assert_int_equal(solver->method, PAL_METHOD_EXPLICIT);
    check_near(solver->step, 0.01, 0);
    check_near(solver->time, 11 * 0.01, 0);
    check_near(solver->damping, 3, 0);
    check_near(pal_scene_output(scene)->every, 4 * 0.01, 0);
    assert_int_equal(scene->import_warning_count, 0);
    pal_scene_destroy(scene);
}

// Parameters in their own order, and the laws of the same energies.
static void laws_are_translated(void **state)
{
    (void)state;
    static const struct {
        const char *set, *law;
        double parameters[6];
    } cases[] = {
        {WHOLE(LAW("NH", "2", "1000 5000")), "neo-hookean", {1000, 5000}},
        {WHOLE(LAW("LE", "2", "3000 0.25")), "st-venant-kirchhoff", {1200, 2000}},
        {WHOLE(LAW("AB", "3", "1000 2 5000")), "arruda-boyce", {1000, 2, 5000}},
        {WHOLE(LAW("PY", "6", "1 2 3 4 5 600")), "polynomial", {1, 2, 3, 5, 4, 600}},
        {WHOLE(LAW("TI", "6", "10 50 20 0 3 4")), "transversely-isotropic", {10, 50, 20, 0, 3, 4}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[1024];
        snprintf(text, sizeof text, "<Model>" TETS "%s" SYSTEM("") "</Model>", cases[i].set);
        PalScene *scene = read_model(text);
        const PalMaterialDef *def = material(scene);
        assert_string_equal(pal_law_name(def->law), cases[i].law);
        for (int32_t p = 0; p < pal_law_parameter_count(def->law); ++p)
            check_near(def->parameters[p], cases[i].parameters[p], 1e-9);
        check_near(def->density, 1000, 0);
        pal_scene_destroy(scene);
    }
}

static void stress_relaxes(void **state)
{
    (void)state;
    PalScene *scene = read_model(
        "<Model>" TETS "<ElementSet Size=\"all\"><Material Type=\"NHV\">"
        "<ElasticParams NumParams=\"2\">1000 5000</ElasticParams><Density>900</Density>"
        "<ViscoParams NumIsoTerms=\"2\" NumVolTerms=\"1\">0.3 1 0.2 2 0.1 5</ViscoParams>"
        "</Material></ElementSet>" SYSTEM("") "</Model>");
    const PalMaterialDef *def = material(scene);
    assert_int_equal(def->isochoric_count, 2);
    assert_int_equal(def->volumetric_count, 1);
    check_near(def->isochoric[1].weight, 0.2, 0);
    check_near(def->isochoric[1].time, 2, 0);
    check_near(def->volumetric[0].weight, 0.1, 0);
    check_near(def->volumetric[0].time, 5, 0);
    check_near(def->density, 900, 0);
    pal_scene_destroy(scene);
}

// k = HGKappa (lambda + 2 mu) ... there, hourglass E ... here.
static void hourglass_stiffness_is_the_same(void **state)
{
    (void)state;
    PalScene *scene = read_model("<Model>" CUBES "<ElementSet Size=\"1\">" LAW(
        "NH", "2", "1000 5000") "0"
                                "</ElementSet><ElementSet Size=\"1\">" LAW(
                                    "LE", "2",
                                    "3000 0.25") "1"
                                                 "</ElementSet>" SYSTEM(
                                                     "<HGKappa>0.075</HGKappa>") "</Model>");
    const PalBodyDef *body = pal_scene_sim(scene)->model.bodies;
    assert_int_equal(body->element, PAL_ELEMENT_H8);
    assert_int_equal(body->material_count, 2);
    double young = 9.0 * 5000 * 1000 / (3 * 5000 + 1000);
    check_near(body->material_hourglass[0], 0.075 * (5000 + 4000 / 3.0) / young, 1e-15);
    check_near(body->material_hourglass[1], 0.075 * (2000 + 1600) / 3000, 1e-15);
    assert_int_equal(body->cell_material[0], 0);
    assert_int_equal(body->cell_material[1], 1);
    pal_scene_destroy(scene);
}

static void averaged_pressures_use_newmark(void **state)
{
    (void)state;
    PalScene *scene = read_model(
        "<Model><Nodes DOF=\"3\" NumNodes=\"4\">0 0 0 1 0 0 0 1 0 0 0 1</Nodes>"
        "<Elements NumEls=\"1\" Type=\"T4ANP\">0 2 1 3</Elements>" SOFT SYSTEM("") "</Model>");
    assert_int_equal(pal_scene_sim(scene)->solver.method, PAL_METHOD_NEWMARK);
    assert_int_equal(pal_scene_sim(scene)->model.bodies[0].element, PAL_ELEMENT_T4_ANP);
    // turned around: either hand is the same element to NiftySim
    assert_true(pal_cell_volume(pal_scene_sim(scene)->model.bodies[0].mesh, 0) > 0);
    pal_scene_destroy(scene);
}

#define LOAD(shape)                                                                                \
    "<Constraint Type=\"Force\" DOF=\"1\" NumNodes=\"1\" LoadShape=\"" shape "\"><Nodes>4</Nodes>" \
    "<Magnitudes Type=\"UNIFORM\">2</Magnitudes></Constraint>"

static double poly345(double t)
{
    return 10 * pow(t, 3) - 15 * pow(t, 4) + 6 * pow(t, 5);
}

// At the times of the steps, past the total time as well; 0 at the start whatever the shape.
static void loads_have_their_shapes(void **state)
{
    (void)state;
    PalScene *scene = read_model("<Model>" TETS SOFT LOAD("POLY345") LOAD("RAMP") LOAD("STEP")
                                     LOAD("HILLY") LOAD("RAMPHOLD") SYSTEM("") "</Model>");
    for (int n = 0; n <= 10; ++n) {
        double t = (n + 1) * 0.01 / 0.1, time = (n + 1) * 0.01;
        const double expected[] = {
            poly345(t), t, 1, t * exp(cos(4 * 3.14159265358979323846 * t) - 1), fmin(10 * t, 1)};
        for (int32_t i = 0; i < 5; ++i) {
            const PalConditionDef *def = condition(scene, i);
            check_near(pal_ramp_value(&def->ramp, time), expected[i], 1e-12);
            check_near(pal_ramp_value(&def->ramp, 0), 0, 0);
            check_near(def->value.y, 2, 0);
            check_near(def->value.x, 0, 0);
            assert_true(def->each);
        }
    }
    pal_scene_destroy(scene);
}

static void nodes_are_chosen_by_normals(void **state)
{
    (void)state;
    PalScene *scene = read_model(
        "<Model>" CUBES SOFT "<Constraint Type=\"Fix\" DOF=\"2\" SpecType=\"NORMAL\">"
        "<Normal ToleranceAngle=\"10\">0 0 5</Normal>"
        "<RestrictTo Type=\"Box\">0 1 0 0.5 0 9</RestrictTo></Constraint>"
        "<Constraint Type=\"Fix\" SpecType=\"NORMAL\"><Normal ToleranceAngle=\"10\">0 0 -1</Normal>"
        "<RestrictTo Type=\"Sphere\">1 0 0 0</RestrictTo></Constraint>" SYSTEM(
            "<HGKappa>0.1</HGKappa>") "</Model>");
    const PalMesh *mesh = pal_scene_sim(scene)->model.bodies[0].mesh;
    const PalGroup *top = pal_mesh_find_group(mesh, "fix-1");
    const PalGroup *corner = pal_mesh_find_group(mesh, "fix-2");
    assert_int_equal(top->node_count, 2);
    assert_int_equal(top->nodes[0], 8);
    assert_int_equal(top->nodes[1], 9);
    assert_true(condition(scene, 0)->axes[2] && !condition(scene, 0)->axes[0]);
    assert_int_equal(corner->node_count, 1);  // the ball's boundary is outside
    assert_int_equal(corner->nodes[0], 0);
    pal_scene_destroy(scene);
}

// Quadrilaterals listed both ways round, and tractions of their own for each face, negated.
static void faces_have_sides(void **state)
{
    (void)state;
    PalScene *scene = read_model(
        "<Model>" CUBES SOFT
        "<Constraint Type=\"Pressure\" NumFaces=\"2\" FaceType=\"Quad\" LoadShape=\"RAMP\">"
        "<Faces>8 9 10 11 0 1 2 3</Faces><Magnitude>7</Magnitude></Constraint>"
        "<Constraint Type=\"Traction\" NumFaces=\"2\" FaceType=\"Quad\" LoadShape=\"RAMP\">"
        "<Faces>8 9 10 11 0 1 2 3</Faces><Magnitudes Type=\"DIFFORM\">1 2 3 0 0 5</Magnitudes>"
        "</Constraint>" SYSTEM("<HGKappa>0.1</HGKappa>") "</Model>");
    assert_int_equal(pal_scene_sim(scene)->model.condition_count, 4);
    check_near(condition(scene, 0)->pressure, 7, 0);
    assert_string_equal(condition(scene, 0)->where.group, "pressure-1");
    check_near(condition(scene, 1)->pressure, -7, 0);
    const PalMesh *mesh = pal_scene_sim(scene)->model.bodies[0].mesh;
    const PalGroup *inward = pal_mesh_find_group(mesh, condition(scene, 1)->where.group);
    assert_int_equal(inward->face_count, 1);
    assert_int_equal(inward->nodes[3], 3);
    check_near(condition(scene, 2)->value.x, -1, 0);
    check_near(condition(scene, 2)->value.z, -3, 0);
    check_near(condition(scene, 3)->value.z, -5, 0);
    pal_scene_destroy(scene);
}

static void magnitudes_and_gravity_keep_to_their_nodes(void **state)
{
    (void)state;
    PalScene *scene = read_model(
        "<Model>" TETS SOFT
        "<Constraint Type=\"Disp\" NumNodes=\"3\" LoadShape=\"RAMP\"><Nodes>4 0 2</Nodes>"
        "<Magnitudes Type=\"DIFFORM\">0.4 0.1 0.2</Magnitudes></Constraint>"
        "<Constraint Type=\"Gravity\" NumNodes=\"2\" LoadShape=\"STEP\"><Nodes>1</Nodes>"
        "<AccelerationMagnitude>10</AccelerationMagnitude>"
        "<AccelerationDirection>0 3 4</AccelerationDirection></Constraint>" SYSTEM("") "</Model>");
    const PalConditionDef *moved = condition(scene, 0), *pulled = condition(scene, 1);
    assert_int_equal(moved->weight_count, 3);
    const double ascending[] = {0.1, 0.2, 0.4};  // nodes 0, 2, 4
    for (int i = 0; i < 3; ++i)
        check_near(moved->weights[i], ascending[i], 0);
    assert_true(moved->axes[0] && moved->axes[1] && moved->axes[2]);
    check_near(moved->value.y, 1, 0);
    check_near(pulled->value.y, 6, 1e-14);
    check_near(pulled->value.z, 8, 1e-14);
    const PalGroup *group =
        pal_mesh_find_group(pal_scene_sim(scene)->model.bodies[0].mesh, pulled->where.group);
    assert_int_equal(group->node_count, 2);
    assert_int_equal(group->nodes[0], 1);
    pal_scene_destroy(scene);
}

#define CUBE(z, more)                                                                              \
    "<SubModel><Nodes DOF=\"3\" NumNodes=\"8\">0 0 " z " 1 0 " z " 1 1 " z " 0 1 " z " 0 0 1" z    \
    " 1 0 1" z " 1 1 1" z " 0 1 1" z "</Nodes>"                                                    \
    "<Elements NumEls=\"1\" Type=\"H8\">0 1 2 3 4 5 6 7</Elements>" SOFT more "</SubModel>"
#define TOP "<Constraint Type=\"Fix\" NumNodes=\"4\"><Nodes>4</Nodes></Constraint>"

// Cubes from 0 to 10 and from 10.05 to 110.05: the second's lower side becomes the first's upper.
static void submodels_are_merged(void **state)
{
    (void)state;
    PalScene *scene = read_model("<Model>" CUBE("0", "") CUBE(
        "10.05",
        TOP) "<SubModelNodeMergerDistance>0.1</SubModelNodeMergerDistance>"
             "<Constraint Type=\"Fix\" NumNodes=\"1\"><Nodes>11</Nodes></Constraint>" SYSTEM(
                 "<HGKappa>0.1</HGKappa>") "</Model>");
    const PalModelDef *model = &pal_scene_sim(scene)->model;
    assert_int_equal(model->body_count, 1);
    const PalMesh *mesh = model->bodies[0].mesh;
    assert_int_equal(mesh->node_count, 12);
    assert_int_equal(mesh->cell_count, 2);
    check_near(mesh->nodes[4].z, 10, 0);
    assert_int_equal(mesh->cells[8], 4);
    assert_int_equal(mesh->cells[12], 8);
    assert_int_equal(pal_mesh_find_group(mesh, "fix-1")->nodes[0], 11);  // the root's comes first
    const PalGroup *top = pal_mesh_find_group(mesh, "fix-2");
    assert_int_equal(top->node_count, 4);
    assert_int_equal(top->nodes[0], 8);
    pal_scene_destroy(scene);
}

// Parts that are to collide are bodies of their own, with their own share of sets and constraints.
static void parts_that_collide_are_bodies(void **state)
{
    (void)state;
    PalScene *scene = read_model("<Model>" CUBE("0", TOP) CUBE(
        "20", TOP) "<Constraint Type=\"Fix\" DOF=\"0\" NumNodes=\"2\"><Nodes>7</Nodes></Constraint>"
                   "<ContactSurface><Nodes NumNodes=\"3\">0 0 500 1 0 500 0 1 500</Nodes>"
                   "<Elements NumEls=\"1\" Type=\"T3\">0 2 1</Elements>"
                   "<FrictionCoefficient>0.2</FrictionCoefficient>"
                   "<Motion Type=\"Translation\">0 0 -3</Motion>"
                   "<Motion Type=\"Rotation\">0 0.5 0 1 2 3</Motion></ContactSurface>" SYSTEM(
                       "<HGKappa>0.1</HGKappa><DoDeformableCollision>1</DoDeformableCollision>"
                       "<DeformableFrictionCoefficient>0.3</DeformableFrictionCoefficient>"
                       "<ContactSafetyMargin>0.01</ContactSafetyMargin>") "</Model>");
    const PalSimDef *sim = pal_scene_sim(scene);
    assert_int_equal(sim->model.body_count, 2);
    assert_string_equal(sim->model.bodies[1].name, "part-2");
    assert_int_equal(sim->model.bodies[1].mesh->node_count, 8);
    // node 7 of the first part, node 0 of the second
    assert_int_equal(condition(scene, 0)->body_index, 0);
    assert_int_equal(condition(scene, 1)->body_index, 1);
    const PalGroup *group = pal_mesh_find_group(sim->model.bodies[1].mesh, "fix-1");
    assert_int_equal(group->nodes[0], 0);
    assert_int_equal(sim->contact.pair_count, 3);
    check_near(sim->contact.pairs[0].friction, 0.3, 0);  // part-1, part-2
    check_near(sim->contact.pairs[1].friction, 0.2, 0);  // part-1, surface-1
    check_near(sim->contact.separation, 0.01, 0);
    const PalMotionDef *motion = &sim->model.rigids[0].motion;
    check_near(pal_ramp_value(&motion->ramp, 0.11), 1.1, 1e-14);
    check_near(motion->translation.z, -3, 0);
    check_near(motion->radians, 0.5, 1e-15);
    check_near(motion->axis.y, 1, 0);
    check_near(motion->centre.z, 3, 0);
    pal_scene_destroy(scene);
}

// A submodel of tetrahedra that all stand at one place, `count` of them, each with its own nodes.
static void put_heap(FILE *text, int32_t count, double z)
{
    fprintf(text, "<SubModel><Nodes DOF=\"3\" NumNodes=\"%d\">", (int)(4 * count));
    for (int32_t i = 0; i < count; ++i)
        fprintf(text, "0 0 %g 1 0 %g 0 1 %g 0 0 %g\n", z, z, z, z + 1);
    fprintf(text, "</Nodes><Elements NumEls=\"%d\" Type=\"T4\">", (int)count);
    for (int32_t n = 0; n < 4 * count; ++n)
        fprintf(text, "%d%c", (int)n, n % 4 == 3 ? '\n' : ' ');
    fprintf(text, "</Elements>" SOFT "</SubModel>");
}

// Nodes of the first submodel stay apart, however many are at one place; others merge with the
// first of them. Looking at each pair of coincident nodes would take hours here.
static void coincident_nodes_merge_quickly(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    char *bytes = NULL;
    size_t size = 0;
    FILE *text = open_memstream(&bytes, &size);
    assert_non_null(text);
    fprintf(text, "<Model>");
    put_heap(text, COUNT, 0);
    put_heap(text, COUNT, 1.5);  // beyond the distance, but in cubes beside those of the first
    put_heap(text, COUNT, 1);    // its origin is where the first has its top
    fprintf(text,
            "<SubModelNodeMergerDistance>0.4</SubModelNodeMergerDistance>" SYSTEM("") "</Model>");
    fclose(text);
    PalError error = {0};
    PalTree tree = {.path = "m.xml"};
    PalSceneImport import = {0};
    PalToken model = {bytes, size};
    const PalImporter *importer = pal_importer_find("", 0, tree.path);
    check_ok(importer->read(model, "m", &tree, &import, &error), &error);
    const PalMesh *mesh = import.meshes[0].mesh;
    assert_int_equal(mesh->cell_count, 3 * COUNT);
    // the second adds four, since its nodes merge among themselves, and the third three
    assert_int_equal(mesh->node_count, 4 * COUNT + 4 + 3);
    for (int32_t c = COUNT; c < 2 * COUNT; ++c)
        for (int a = 0; a < 4; ++a)
            assert_int_equal(pal_mesh_cell(mesh, c)[a], 4 * COUNT + a);
    static const int32_t third[] = {3, 4 * COUNT + 4, 4 * COUNT + 5, 4 * COUNT + 6};
    for (int32_t c = 2 * COUNT; c < 3 * COUNT; ++c)
        for (int a = 0; a < 4; ++a)
            assert_int_equal(pal_mesh_cell(mesh, c)[a], third[a]);
    pal_scene_import_clear(&import);
    pal_tree_clear(&tree);
    free(bytes);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(time_goes_as_there),
    cmocka_unit_test(laws_are_translated),
    cmocka_unit_test(stress_relaxes),
    cmocka_unit_test(hourglass_stiffness_is_the_same),
    cmocka_unit_test(averaged_pressures_use_newmark),
    cmocka_unit_test(loads_have_their_shapes),
    cmocka_unit_test(nodes_are_chosen_by_normals),
    cmocka_unit_test(faces_have_sides),
    cmocka_unit_test(magnitudes_and_gravity_keep_to_their_nodes),
    cmocka_unit_test(submodels_are_merged),
    cmocka_unit_test(coincident_nodes_merge_quickly),
    cmocka_unit_test(parts_that_collide_are_bodies),
};
CHECK_GROUP(tests, NULL, NULL)
