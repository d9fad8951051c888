// Forces of every kind of element and every law: against the plain twin, against the energy's
// differences, against what must not matter (threads, rigid motion).
#include "base/memory.h"
#include "body.h"
#include "element/reference.h"

static PalElementKind kinds[] = {PAL_ELEMENT_T4, PAL_ELEMENT_T4_ANP, PAL_ELEMENT_H8,
                                 PAL_ELEMENT_T10, PAL_ELEMENT_MIXED};
static int kind_count = 5;

typedef void (*Trial)(Body *body, PalElements *elements, uint64_t *seed);

static void for_each_kind_and_law(const int32_t cells[3], int32_t part_count, Trial trial)
{
    for (int k = 0; k < kind_count; ++k)
        for (int32_t l = 0; l < pal_law_count(); ++l) {
            const PalMaterialLaw *law = pal_law_at(l);
            if (pal_element_traits(kinds[k])->averages_pressure && !pal_law_splits(law))
                continue;
            // no fibre of a t10 is about to turn slack with these, where tangents jump
            uint64_t seed = (uint64_t)(31 * k + l + (k == 3 ? 501 : 1));
            Body body = body_create(kinds[k], law, cells, part_count, &seed);
            PalElements *elements = body_elements(&body);
            trial(&body, elements, &seed);
            pal_elements_destroy(elements);
            body_destroy(&body);
        }
}

static PalVec3 *vectors(const Body *body)
{
    return calloc((size_t)body->mesh->node_count, sizeof(PalVec3));
}

// The energy that forces tell on the way, if they do; for the next ones only.
static void compare_told(Body *body, PalElements *elements, double energy)
{
    PalVec3 *force = vectors(body);
    PalElementScratch *scratch = scratch_for(elements, 1);
    double told = 0;
    pal_elements_want_energy(scratch);
    pal_elements_force(elements, scratch, body->displacement, 0, NULL, force);
    if (pal_elements_told_energy(scratch, &told))
        check_near(told, energy, 1e-12 * fabs(energy));
    else
        assert_false(body->parts[0].type == pal_element_type(PAL_ELEMENT_T4) &&
                     strcmp(body->materials[0].law->name, "neo-hookean") == 0);
    pal_elements_force(elements, scratch, body->displacement, 0, NULL, force);
    assert_false(pal_elements_told_energy(scratch, &told));
    pal_element_scratch_destroy(scratch);
    free(force);
}

static void compare_with_twin(Body *body, PalElements *elements, uint64_t *seed)
{
    int32_t count = body->mesh->node_count;
    PalVec3 *force = vectors(body), *plain = vectors(body);
    for (int trial = 0; trial < 4; ++trial) {
        PalElementTrouble trouble = {0};
        double energy;
        PalMat3 F = random_gradient(trial < 3 ? 0.2 : 0.05, seed);
        for (int k = 0; k < 9 && trial == 3; ++k)  // crushed to an eighth
            F.m[k / 3][k % 3] *= 0.5;
        body_deform(body, &F, 0.02, seed);
        trouble = force_of(elements, body->displacement, 0, NULL, 1, force);
        assert_true(pal_elements_force_ref(body_def(body), body->displacement, plain, &energy));
        assert_int_equal(trouble.inverted_count, 0);
        assert_int_equal(trouble.first_inverted, PAL_NONE);
        double size = largest(plain, count);
        assert_true(size > 0.01);
        check_near(largest_difference(force, plain, count), 0, 1e-12 * size);
        double fast = energy_of(elements, body->displacement, 1);
        check_near(fast, energy, 1e-12 * fabs(energy));
        compare_told(body, elements, fast);
    }
    free(force);
    free(plain);
}

static void forces_agree_with_their_twin(void **state)
{
    (void)state;
    for_each_kind_and_law((int32_t[]){5, 4, 3}, 1, compare_with_twin);
    for_each_kind_and_law((int32_t[]){7, 3, 2}, 3, compare_with_twin);
    for_each_kind_and_law((int32_t[]){1, 1, 1}, 1, compare_with_twin);
}

static void differentiate_energy(Body *body, PalElements *elements, uint64_t *seed)
{
    PalVec3 *force = vectors(body);
    PalMat3 F = random_gradient(0.15, seed);
    body_deform(body, &F, 0.03, seed);
    force_of(elements, body->displacement, 0, NULL, 1, force);
    double size = largest(force, body->mesh->node_count);
    for (int trial = 0; trial < 12; ++trial) {
        int32_t n = (int32_t)random_between(0, body->mesh->node_count, seed);
        double *u = &body->displacement[n].x + trial % 3, kept = *u, h = 1e-4, E[4];
        for (int k = 0; k < 4; ++k) {
            *u = kept + h * (double[]){-2, -1, 1, 2}[k];
            E[k] = energy_of(elements, body->displacement, 1);
        }
        *u = kept;
        double slope = (E[0] - 8 * E[1] + 8 * E[2] - E[3]) / (12 * h);
        check_near(pal_vec3_at(force[n], trial % 3), -slope, 1e-8 * size);
    }
    free(force);
}

static void forces_are_the_energy_s_slopes(void **state)
{
    (void)state;
    for_each_kind_and_law((int32_t[]){3, 2, 2}, 2, differentiate_energy);
}

static int32_t ahead_count;  // forces begun

// Some nodes are thought to go elsewhere than at first, some do, and some are both.
static void begin_ahead(Body *body, PalElements *elements, uint64_t *seed)
{
    int32_t count = body->mesh->node_count, unsure[20], moved[20], begun_count = 0;
    PalVec3 *force = vectors(body), *again = vectors(body), *first = vectors(body);
    PalElementScratch *scratch = NULL;
    PalError error = {0};
    PalMat3 F = random_gradient(0.1, seed);
    check_ok(pal_element_scratch_create(elements, &scratch, &error), &error);
    check_ok(pal_element_scratch_allow_ahead(scratch, &error), &error);
    for (int round = 0; round < 6; ++round) {
        PalNodeList guess = {round < 3 ? 5 * round : 20, unsure}, truth = {4 * round, moved};
        body_deform(body, &F, 0.02, seed);
        memcpy(first, body->displacement, (size_t)count * sizeof *first);
        for (int k = 0; k < 20; ++k) {
            unsure[k] = (int32_t)random_between(0, count / 8, seed);  // at one end
            moved[k] =
                k < 10 && round % 2 == 0 ? unsure[k] : (int32_t)random_between(0, count / 8, seed);
        }
        pal_element_scratch_set_threads(scratch, 1 + round % 4);
        memset(again, 0xff, (size_t)count * sizeof *again);
        bool begun = pal_elements_begin_force(scratch, first, 0, &guess, again);
        assert_true(!begun || round % 4 > 0);
        for (int32_t k = 0; k < truth.count; ++k)
            body->displacement[moved[k]] =
                pal_vec3_add(body->displacement[moved[k]], random_vector(0.02, seed));
        if (begun)
            pal_elements_end_force(scratch, &truth);
        double told, energy = energy_of(elements, body->displacement, 1);
        if (round == 5)
            pal_elements_want_energy(scratch);
        pal_elements_force(elements, scratch, body->displacement, 0, NULL, again);
        if (pal_elements_told_energy(scratch, &told))
            check_near(told, energy, 1e-12 * fabs(energy));
        force_of(elements, body->displacement, 0, NULL, 1, force);
        if (begun)  // others may smooth, from where they ended last
            assert_memory_equal(force, again, (size_t)count * sizeof *force);
        begun_count += begun;
    }
    ahead_count += begun_count;
    assert_true(begun_count == 0 || begun_count == 4);
    pal_element_scratch_destroy(scratch);
    free(force);
    free(again);
    free(first);
}

static void forces_may_be_begun(void **state)
{
    (void)state;
    for_each_kind_and_law((int32_t[]){4, 4, 40}, 1, begin_ahead);
    for_each_kind_and_law((int32_t[]){7, 3, 2}, 3, begin_ahead);
    assert_true(ahead_count > 100);
}

static void run_on_threads(Body *body, PalElements *elements, uint64_t *seed)
{
    int32_t count = body->mesh->node_count;
    PalVec3 *force = vectors(body), *again = vectors(body);
    PalMat3 F = random_gradient(0.2, seed);
    body_deform(body, &F, 0.02, seed);
    force_of(elements, body->displacement, 0, NULL, 1, force);
    double energy = energy_of(elements, body->displacement, 1);
    double step = step_of(elements, body->displacement, NULL, 1, NULL, NULL);
    int32_t threads[] = {2, 3, 8};
    for (int t = 0; t < 3; ++t) {
        memset(again, 0xff, (size_t)count * sizeof *again);
        force_of(elements, body->displacement, 0, NULL, threads[t], again);
        assert_memory_equal(force, again, (size_t)count * sizeof *force);
        assert_true(energy == energy_of(elements, body->displacement, threads[t]));
        assert_true(step == step_of(elements, body->displacement, NULL, threads[t], NULL, NULL));
    }
    free(force);
    free(again);
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    for_each_kind_and_law((int32_t[]){9, 8, 7}, 2, run_on_threads);
}

// Translation leaves no force at all, to the last bit where the law is exact at rest.
static void move_rigidly(Body *body, PalElements *elements, uint64_t *seed)
{
    int32_t count = body->mesh->node_count;
    PalVec3 *force = vectors(body), far = {3.7, -12.1, 8.9};
    double shear, bulk;
    pal_material_moduli(&body->materials[0], &shear, &bulk);
    bool exact = body->materials[0].law == &pal_law_neo_hookean;
    for (int32_t n = 0; n < count; ++n)
        body->displacement[n] = far;
    force_of(elements, body->displacement, 0, NULL, 1, force);
    for (int32_t n = 0; n < count; ++n)
        check_near(pal_vec3_length(force[n]), 0, exact ? 0 : 1e-15 * (shear + bulk));
    assert_true(fabs(energy_of(elements, body->displacement, 1)) < 1e-13);
    PalMat3 turn = pal_rotation_about(random_vector(1, seed), 2.5);
    body_deform(body, &turn, 0, seed);
    force_of(elements, body->displacement, 0, NULL, 1, force);
    check_near(largest(force, count), 0, 1e-13 * (shear + bulk));
    free(force);
}

static void rigid_motion_leaves_no_force(void **state)
{
    (void)state;
    for_each_kind_and_law((int32_t[]){4, 3, 3}, 1, move_rigidly);
}

static bool on_surface(const PalSurface *surface, int32_t node)
{
    for (int32_t k = 0; k < surface->node_count; ++k)
        if (surface->nodes[k] == node)
            return true;
    return false;
}

// The patch test: a linear field in a mesh of irregular elements is in balance.
static void stretch_evenly(Body *body, PalElements *elements, uint64_t *seed)
{
    PalError error = {0};
    PalSurface *surface = NULL;
    PalVec3 *force = vectors(body);
    PalMat3 F = random_gradient(0.3, seed);
    check_ok(pal_mesh_boundary(body->mesh, &surface, &error), &error);
    body_deform(body, &F, 0, seed);
    force_of(elements, body->displacement, 0, NULL, 1, force);
    double size = largest(force, body->mesh->node_count);
    int32_t inner = 0;
    for (int32_t n = 0; n < body->mesh->node_count; ++n)
        if (!on_surface(surface, n)) {
            check_near(pal_vec3_length(force[n]), 0, 1e-12 * size);
            ++inner;
        }
    assert_true(inner > 0);
    pal_surface_destroy(surface);
    free(force);
}

static void linear_fields_are_in_balance(void **state)
{
    (void)state;
    body_straight = true;  // four points do not integrate gradients exactly where edges are curved
    for_each_kind_and_law((int32_t[]){4, 3, 3}, 1, stretch_evenly);
    body_straight = false;
}

static void inverted_elements_are_counted(void **state)
{
    (void)state;
    for (int k = 0; k < kind_count; ++k) {
        uint64_t seed = 5;
        Body body =
            body_create(kinds[k], pal_law_find("neo-hookean"), (int32_t[]){6, 6, 6}, 2, &seed);
        PalElements *elements = body_elements(&body);
        PalVec3 *force = vectors(&body);
        int32_t corner_count = pal_cell_node_count(body.mesh->cell_kind);
        int32_t chosen = body.mesh->cell_count / 3, node = body.mesh->cells[chosen * corner_count];
        // Far outside, the node turns some of the elements around it inside out.
        body.displacement[node] = pal_vec3(50, 40, 30);
        int32_t expected = 0, first = PAL_NONE;
        double *ratio = calloc((size_t)body.mesh->cell_count, sizeof *ratio);
        fields_of(elements, body.displacement, NULL, 1, &(PalElementFields){.volume_ratio = ratio});
        for (int32_t e = body.mesh->cell_count - 1; e >= 0; --e)
            if (!(ratio[e] > 0)) {
                ++expected;
                first = e;
            }
        assert_true(expected > 1);
        for (int32_t threads = 1; threads <= 3; ++threads) {
            PalElementTrouble trouble =
                force_of(elements, body.displacement, 0, NULL, threads, force);
            if (kinds[k] == PAL_ELEMENT_T10) {  // one of its points is enough
                assert_true(trouble.inverted_count > expected && trouble.first_inverted <= first);
                continue;
            }
            assert_int_equal(trouble.inverted_count, expected);
            assert_int_equal(trouble.first_inverted, first);
        }
        body.displacement[node].x = NAN;
        PalElementTrouble trouble = force_of(elements, body.displacement, 0, NULL, 2, force);
        assert_true(trouble.inverted_count > 0);
        free(ratio);
        free(force);
        pal_elements_destroy(elements);
        body_destroy(&body);
    }
}

static void a_step_allocates_nothing(void **state)
{
    (void)state;
    for (int k = 0; k < kind_count; ++k) {
        uint64_t seed = 9;
        Body body =
            body_create(kinds[k], pal_law_find("neo-hookean"), (int32_t[]){8, 8, 8}, 1, &seed);
        PalElements *elements = body_elements(&body);
        PalElementScratch *scratch = scratch_for(elements, 2);
        PalVec3 *force = vectors(&body);
        int64_t before = pal_alloc_count();
        pal_elements_force(elements, scratch, body.displacement, 0, NULL, force);
        pal_elements_stable_step(elements, scratch, body.displacement, NULL, NULL, NULL);
        assert_int_equal(pal_alloc_count(), before);
        double bytes = (double)pal_elements_bytes(elements) / pal_elements_count(elements);
        print_message("%s: %.0f bytes per element\n", pal_element_name(kinds[k]), bytes);
        bool large = kinds[k] == PAL_ELEMENT_H8 || kinds[k] == PAL_ELEMENT_T10 ||
                     kinds[k] == PAL_ELEMENT_MIXED;
        assert_true(bytes <= (large ? 800 : 400));
        free(force);
        pal_element_scratch_destroy(scratch);
        pal_elements_destroy(elements);
        body_destroy(&body);
    }
}

// Hexahedra with eight points, by all of these tests.
static void full_hexahedra(void **state)
{
    PalElementKind first = kinds[0];
    int count = kind_count;
    kinds[0] = PAL_ELEMENT_H8;
    kind_count = 1;
    body_control = PAL_HOURGLASS_NONE;
    forces_agree_with_their_twin(state);
    forces_are_the_energy_s_slopes(state);
    threads_do_not_change_a_bit(state);
    rigid_motion_leaves_no_force(state);
    linear_fields_are_in_balance(state);
    a_step_allocates_nothing(state);
    body_control = PAL_HOURGLASS_BENDING;
    kind_count = count;
    kinds[0] = first;
}

// Parallelepipeds, which have a way of their own.
static void even_hexahedra(void **state)
{
    PalElementKind first = kinds[0];
    int count = kind_count;
    kinds[0] = PAL_ELEMENT_H8;
    kind_count = 1;
    body_even = true;
    forces_agree_with_their_twin(state);
    forces_are_the_energy_s_slopes(state);
    rigid_motion_leaves_no_force(state);
    linear_fields_are_in_balance(state);
    body_even = false;
    kind_count = count;
    kinds[0] = first;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(forces_agree_with_their_twin),
    cmocka_unit_test(forces_may_be_begun),
    cmocka_unit_test(forces_are_the_energy_s_slopes),
    cmocka_unit_test(threads_do_not_change_a_bit),
    cmocka_unit_test(rigid_motion_leaves_no_force),
    cmocka_unit_test(linear_fields_are_in_balance),
    cmocka_unit_test(inverted_elements_are_counted),
    cmocka_unit_test(a_step_allocates_nothing),
    cmocka_unit_test(full_hexahedra),
    cmocka_unit_test(even_hexahedra),
};
CHECK_GROUP(tests, NULL, NULL)
