// Masses of free bodies from their definitions, and definitions that are refused.
#include "check.h"
#include "math/mat3.h"
#include <palpate/sim.h>

static PalMesh *box(void)
{
    PalError error = {0};
    PalMesh *mesh = NULL;
    PalShapeDef shape = pal_shape_def_default();
    shape.extent = (PalVec3){1, 2, 3};
    shape.cell_kind = PAL_CELL_TRIANGLE;
    check_ok(pal_mesh_create_shape(&shape, &mesh, &error), &error);
    return mesh;
}

static PalModel *model_of(const PalRigidDef *def, PalError *error)
{
    PalModel *model = NULL;
    PalModelDef all = pal_model_def_default();
    all.rigid_count = 1;
    all.rigids = def;
    pal_model_create(&all, &model, error);
    return model;
}

static void masses_come_from_the_surface(void **state)
{
    (void)state;
    PalError error = {0};
    PalRigidDef def = pal_rigid_def_default();
    PalMesh *mesh = box();
    PalPlacement placement = pal_placement_identity();
    placement.rotation = pal_rotation_about((PalVec3){1, -1, 2}, 1);
    placement.translation = (PalVec3){5, 6, 7};
    pal_mesh_place(mesh, &placement);
    def.mesh = mesh;
    for (int by_mass = 0; by_mass < 2; ++by_mass) {
        def.mass = by_mass ? 12 : 0;
        def.density = by_mass ? 0 : 2;
        PalModel *model = model_of(&def, &error);
        assert_non_null(model);
        const PalRigid *rigid = &model->rigids[0];
        assert_true(rigid->free);
        assert_int_equal(model->free_rigid_count, 1);
        check_near(rigid->mass, 12, 1e-12);
        check_near(rigid->moments[0], 5, 1e-12);
        check_near(rigid->moments[1], 10, 1e-12);
        check_near(rigid->moments[2], 13, 1e-12);
        check_near(rigid->radius, sqrt(14) / 2, 1e-12);
        check_near(pal_vec3_distance(rigid->centre, placement.translation), 0, 1e-13);
        check_near(pal_mat3_determinant(&rigid->axes), 1, 1e-12);
        // the axis of the least moment is the longest edge, z before it was turned
        PalVec3 z = {placement.rotation.m[0][2], placement.rotation.m[1][2],
                     placement.rotation.m[2][2]};
        PalVec3 axis = {rigid->axes.m[0][0], rigid->axes.m[1][0], rigid->axes.m[2][0]};
        check_near(fabs(pal_vec3_dot(axis, z)), 1, 1e-12);
        pal_model_destroy(model);
    }
    pal_mesh_destroy(mesh);
}

static void given_inertia_goes_before(void **state)
{
    (void)state;
    PalError error = {0};
    PalRigidDef def = pal_rigid_def_default();
    PalMesh *closed = box(), *mesh = NULL;
    PalMeshDef open = {PAL_CELL_TRIANGLE, closed->node_count, closed->nodes, closed->cell_count - 1,
                       closed->cells};
    check_ok(pal_mesh_create(&open, &mesh, &error), &error);
    pal_mesh_destroy(closed);
    def.mesh = mesh;
    def.mass = 2;
    assert_null(model_of(&def, &error));
    assert_non_null(strstr(error.text, "not closed"));
    assert_non_null(strstr(error.text, "give its centre and inertia, or close it"));
    def.has_centre = def.has_inertia = true;
    def.centre = (PalVec3){0.1, 0, 0};
    const double inertia[6] = {3, 3, 4, 1, 0, 0};
    memcpy(def.inertia, inertia, sizeof inertia);
    PalModel *model = model_of(&def, &error);
    assert_non_null(model);
    check_near(model->rigids[0].moments[0], 2, 1e-14);
    check_near(model->rigids[0].moments[1], 4, 1e-14);
    check_near(model->rigids[0].centre.x, 0.1, 0);
    pal_model_destroy(model);
    pal_mesh_destroy(mesh);
}

static void check_refused(PalRigidDef def, const char *message)
{
    PalError error = {0};
    PalMesh *mesh = box();
    def.mesh = mesh;
    assert_null(model_of(&def, &error));
    if (strstr(error.text, message) == NULL)
        fail_msg("said \"%s\", expected \"%s\"", error.text, message);
    pal_mesh_destroy(mesh);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    const PalRigidDef good = pal_rigid_def_default();
    PalRigidDef def = good;
    check_refused(def, "there is nothing to simulate");
    def.mass = -1;
    check_refused(def, "mass or density");
    def = good;
    def.density = NAN;
    check_refused(def, "mass or density");
    def.mass = def.density = 1;
    check_refused(def, "expected one of them");
    def = good;
    def.spin.x = 1;
    check_refused(def, "are for free bodies");
    def = good;
    def.mass = 1;
    def.motion.translation.x = 1;
    check_refused(def, "expected a spring");
    def.spring.turning_damping = -1;
    check_refused(def, "below 0");
    def = good;
    def.mass = 1;
    def.force.y = INFINITY;
    check_refused(def, "not finite");
    def = good;
    def.mass = 1;
    def.has_inertia = true;
    check_refused(def, "principal moments");
    def.inertia[0] = def.inertia[1] = 1;
    def.inertia[2] = 2.1;
    check_refused(def, "principal moments");
}

static void relaxation_has_no_place_for_them(void **state)
{
    (void)state;
    PalError error = {0};
    PalMesh *mesh = box();
    PalRigidDef def = pal_rigid_def_default();
    def.name = "ball";
    def.mesh = mesh;
    def.mass = 1;
    PalSimDef all = pal_sim_def_default();
    all.model.rigid_count = 1;
    all.model.rigids = &def;
    all.solver.method = PAL_METHOD_RELAXATION;
    PalSim *sim = NULL;
    assert_int_equal(pal_sim_create(&all, &sim, &error), PAL_BAD_INPUT);
    assert_non_null(strstr(error.text, "rigid \"ball\" is free, and method relaxation"));
    pal_mesh_destroy(mesh);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(masses_come_from_the_surface),
    cmocka_unit_test(given_inertia_goes_before),
    cmocka_unit_test(nonsense_is_refused),
    cmocka_unit_test(relaxation_has_no_place_for_them),
};
CHECK_GROUP(tests, NULL, NULL)
