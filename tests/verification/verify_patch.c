// Patch test: a distorted mesh whose boundary is deformed affinely is in equilibrium exactly
// when its inside is deformed by the same map. Also: a rigid rotation causes no stress.
#include "element/elements.h"
#include "math/mat3.h"
#include "random_material.h"
#include "simulate.h"

static const PalMat3 stretch_and_shear = {
    {{0.25, 0.1, -0.05}, {0.02, -0.15, 0.08}, {-0.1, 0.05, 0.1}}};

static bool on_boundary(PalVec3 x, double half)
{
    return fabs(fabs(x.x) - half) < 1e-9 || fabs(fabs(x.y) - half) < 1e-9 ||
           fabs(fabs(x.z) - half) < 1e-9;
}

// A cube whose inner nodes are pushed about.
static PalMesh *distorted_cube(PalCellKind kind)
{
    PalError error = {0};
    PalShapeDef shape = pal_shape_def_default();
    shape.cell_kind = kind;
    shape.cells[0] = shape.cells[1] = shape.cells[2] = 4;
    PalMesh *mesh = NULL;
    check_ok(pal_mesh_create_shape(&shape, &mesh, &error), &error);
    uint32_t seed = 7;
    for (int32_t n = 0; n < mesh->node_count; ++n) {
        double *x = &mesh->nodes[n].x;
        bool fixed = on_boundary(mesh->nodes[n], 0.5);
        for (int i = 0; i < 3; ++i) {
            seed = seed * 1664525u + 1013904223u;
            if (!fixed)
                x[i] += 0.08 * ((double)(seed >> 8) / (1 << 24) - 0.5);
        }
    }
    check_ok(pal_mesh_validate(mesh, &error), &error);
    return mesh;
}

static Simulation patch(PalElementKind element, const PalMaterialLaw *law, bool boundary_moves)
{
    Simulation s = simulate_box(pal_vec3(1, 1, 1), 4, 4, 4);
    s.mesh = distorted_cube(pal_element_cell(element));
    s.body.element = element;
    uint64_t seed = 3;
    if (law != NULL)
        s.material = random_material(law, &seed);
    for (int32_t n = 0; boundary_moves && n < s.mesh->node_count; ++n) {
        if (!on_boundary(s.mesh->nodes[n], 0.5))
            continue;
        PalConditionDef *move = simulate_everywhere(&s, PAL_CONDITION_DISPLACE);
        move->where.kind = PAL_WHERE_POINT;
        move->where.point = s.mesh->nodes[n];
        move->value = pal_mat3_apply(&stretch_and_shear, s.mesh->nodes[n]);
    }
    return s;
}

// Forces of a shape given by u = gradient X.
static void affine_forces(Simulation *s, const PalMat3 *gradient, PalVec3 *force)
{
    const PalModel *model = pal_sim_model(s->run);
    PalVec3 *u = calloc((size_t)model->node_count + 1, sizeof *u);
    double *history = calloc((size_t)pal_sim_state(s->run)->history_count + 1, sizeof *history);
    for (int32_t n = 0; n < model->node_count; ++n)
        u[n] = pal_mat3_apply(gradient, model->nodes[n]);
    PalElementScratch *scratch = NULL;
    PalError error = {0};
    check_ok(pal_element_scratch_create(model->elements, &scratch, &error), &error);
    PalElementTrouble trouble = pal_elements_force(model->elements, scratch, u, 0, history, force);
    pal_element_scratch_destroy(scratch);
    assert_int_equal(trouble.inverted_count, 0);
    free(u);
    free(history);
}

// Inner nodes of an affinely deformed patch are free of force, for every law and element.
static void inner_forces_vanish(void **state)
{
    (void)state;
    for (int element = PAL_ELEMENT_T4; element <= PAL_ELEMENT_H8; ++element)
        for (int32_t l = 0; l < pal_law_count(); ++l) {
            const PalMaterialLaw *law = pal_law_at(l);
            if (element == PAL_ELEMENT_T4_ANP && !pal_law_splits(law))
                continue;
            Simulation s = patch((PalElementKind)element, law, false);
            simulate_start(&s);
            PalVec3 *force = calloc((size_t)s.mesh->node_count + 1, sizeof *force);
            affine_forces(&s, &stretch_and_shear, force);
            double inner = 0, outer = 0;
            for (int32_t n = 0; n < s.mesh->node_count; ++n) {
                double *worst = on_boundary(s.mesh->nodes[n], 0.5) ? &outer : &inner;
                *worst = fmax(*worst, pal_vec3_length(force[n]));
            }
            print_message("%-7s %-24s inner force %.2g of the boundary's\n",
                          pal_element_name((PalElementKind)element), pal_law_name(law),
                          inner / outer);
            assert_true(outer > 0);
            assert_true(inner <= 1e-12 * outer);
            free(force);
            simulate_end(&s);
        }
}

// Solved from the outside: relaxation finds the affine map on its own.
static void inner_nodes_find_their_place(void **state)
{
    (void)state;
    for (int element = PAL_ELEMENT_T4; element <= PAL_ELEMENT_H8; ++element) {
        Simulation s = patch((PalElementKind)element, NULL, true);
        s.sim.solver.method = PAL_METHOD_RELAXATION;
        s.sim.solver.tolerance = 1e-13;
        simulate_start(&s);
        simulate_all(&s);
        double worst = 0;
        for (int32_t n = 0; n < s.mesh->node_count; ++n) {
            PalVec3 expected = pal_mat3_apply(&stretch_and_shear, s.mesh->nodes[n]);
            worst = fmax(worst, pal_vec3_distance(pal_sim_state(s.run)->displacement[n], expected));
        }
        print_message("%s: affine map found to %.2g in %lld steps\n",
                      pal_element_name((PalElementKind)element), worst,
                      (long long)pal_sim_state(s.run)->step_count);
        assert_true(worst <= 1e-12);
        simulate_end(&s);
    }
}

static void rotation_causes_no_stress(void **state)
{
    (void)state;
    PalMat3 turn = pal_rotation_about(pal_vec3(1, 2, -0.5), 2 * atan(1));  // 90 degrees
    for (int i = 0; i < 3; ++i)
        turn.m[i][i] -= 1;
    for (int element = PAL_ELEMENT_T4; element <= PAL_ELEMENT_H8; ++element)
        for (int32_t l = 0; l < pal_law_count(); ++l) {
            const PalMaterialLaw *law = pal_law_at(l);
            if (element == PAL_ELEMENT_T4_ANP && !pal_law_splits(law))
                continue;
            Simulation s = patch((PalElementKind)element, law, false);
            simulate_start(&s);
            PalVec3 *force = calloc((size_t)s.mesh->node_count + 1, sizeof *force);
            affine_forces(&s, &turn, force);
            double worst = 0, shear, bulk;
            pal_material_moduli(&s.material, &shear, &bulk);
            for (int32_t n = 0; n < s.mesh->node_count; ++n)
                worst = fmax(worst, pal_vec3_length(force[n]));
            // force over modulus times the area of a facet: a stress, relative
            double relative = worst / ((shear + bulk) * 0.25 * 0.25);
            print_message("%-7s %-24s stress under rotation %.2g of the moduli\n",
                          pal_element_name((PalElementKind)element), pal_law_name(law), relative);
            assert_true(relative <= 1e-13);
            free(force);
            simulate_end(&s);
        }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(inner_forces_vanish),
    cmocka_unit_test(inner_nodes_find_their_place),
    cmocka_unit_test(rotation_causes_no_stress),
};
CHECK_GROUP(tests, NULL, NULL)
