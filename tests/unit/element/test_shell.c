// Membranes and shells: against the plain twin, against the energy's differences, against what must
// not matter; relaxation, fields, and the bound of the step.
#include "base/memory.h"
#include "element/reference.h"
#include "sheet.h"

static const PalElementKind kinds[] = {PAL_ELEMENT_EBST, PAL_ELEMENT_MEMBRANE};

typedef void (*Trial)(Sheet *sheet, PalElements *elements, uint64_t *seed);

static void for_each(const int32_t cells[2], Trial trial)
{
    PalMaterialDef material;
    for (int k = 0; k < 2; ++k)
        for (int32_t i = 0;; ++i) {
            uint64_t seed = (uint64_t)(31 * k + i + 1);
            if (!sheet_material(i, &seed, &material)) {
                assert_true(i >= 14);
                break;
            }
            Sheet sheet = sheet_create(kinds[k], &material, cells, 0.15, &seed);
            PalElements *elements = body_elements(&sheet.body);
            trial(&sheet, elements, &seed);
            pal_elements_destroy(elements);
            sheet_destroy(&sheet);
        }
}

static PalVec3 *vectors(const Sheet *sheet)
{
    return calloc((size_t)sheet->body.mesh->node_count, sizeof(PalVec3));
}

static void compare_with_twin(Sheet *sheet, PalElements *elements, uint64_t *seed)
{
    Body *body = &sheet->body;
    int32_t count = body->mesh->node_count;
    PalVec3 *force = vectors(sheet), *plain = vectors(sheet);
    for (int trial = 0; trial < 2; ++trial) {
        double energy;
        // starts of the thickness are fitted for small strains, and rough for large ones
        PalMat3 F = random_gradient(trial == 0 ? 0.2 : 0.02, seed);
        body_deform(body, &F, trial == 0 ? 0.05 : 0.01, seed);
        PalElementTrouble trouble = force_of(elements, body->displacement, 0, NULL, 1, force);
        assert_true(pal_elements_force_ref(body_def(body), body->displacement, plain, &energy));
        assert_int_equal(trouble.inverted_count, 0);
        double size = largest(plain, count);
        assert_true(size > 0.001);
        check_near(largest_difference(force, plain, count), 0, 1e-11 * size);
        check_near(energy_of(elements, body->displacement, 1), energy, 1e-12 * fabs(energy));
    }
    free(force);
    free(plain);
}

static void forces_agree_with_their_twin(void **state)
{
    (void)state;
    for_each((int32_t[]){6, 5}, compare_with_twin);
    for_each((int32_t[]){1, 1}, compare_with_twin);
}

static void differentiate_energy(Sheet *sheet, PalElements *elements, uint64_t *seed)
{
    Body *body = &sheet->body;
    PalVec3 *force = vectors(sheet);
    PalMat3 F = random_gradient(0.15, seed);
    body_deform(body, &F, 0.05, seed);
    force_of(elements, body->displacement, 0, NULL, 1, force);
    double size = largest(force, body->mesh->node_count);
    for (int trial = 0; trial < 24; ++trial) {
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
    for_each((int32_t[]){3, 2}, differentiate_energy);
}

static void run_on_threads(Sheet *sheet, PalElements *elements, uint64_t *seed)
{
    Body *body = &sheet->body;
    size_t bytes = (size_t)body->mesh->node_count * sizeof(PalVec3);
    PalVec3 *force = vectors(sheet), *again = vectors(sheet);
    PalMat3 F = random_gradient(0.2, seed);
    body_deform(body, &F, 0.02, seed);
    force_of(elements, body->displacement, 0, NULL, 1, force);
    double energy = energy_of(elements, body->displacement, 1);
    double step = step_of(elements, body->displacement, NULL, 1, NULL, NULL);
    force_of(elements, body->displacement, 0, NULL, 3, again);
    assert_memory_equal(force, again, bytes);
    assert_true(energy == energy_of(elements, body->displacement, 3));
    assert_true(step == step_of(elements, body->displacement, NULL, 3, NULL, NULL));
    free(force);
    free(again);
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    for_each((int32_t[]){21, 20}, run_on_threads);
}

// A mirror does not move with the body, so that turning is tried without.
static void move_rigidly(Sheet *sheet, PalElements *with_mirrors, uint64_t *seed)
{
    Body *body = &sheet->body;
    (void)with_mirrors;
    int32_t count = body->mesh->node_count;
    PalVec3 *force = vectors(sheet), far = {3.7, -12.1, 8.9};
    double shear, bulk;
    pal_material_moduli(&body->materials[0], &shear, &bulk);
    bool exact = body->materials[0].law == &pal_law_neo_hookean;
    body->parts[0].mirrors = NULL;
    PalElements *elements = body_elements(body);
    for (int32_t n = 0; n < count; ++n)
        body->displacement[n] = far;
    force_of(elements, body->displacement, 0, NULL, 1, force);
    check_near(largest(force, count), 0, exact ? 0 : 1e-13 * (shear + bulk));
    for (int turn = 0; turn < 3; ++turn) {
        PalMat3 by = pal_rotation_about(random_vector(1, seed), 1.3 * (turn + 1));
        body_deform(body, &by, 0, seed);
        force_of(elements, body->displacement, 0, NULL, 1, force);
        check_near(largest(force, count), 0, 1e-12 * (shear + bulk));
    }
    pal_elements_destroy(elements);
    free(force);
}

static void rigid_motion_leaves_no_force(void **state)
{
    (void)state;
    for_each((int32_t[]){5, 4}, move_rigidly);
}

// Forces and their moments add up to nothing.
static void add_up(Sheet *sheet, PalElements *with_mirrors, uint64_t *seed)
{
    Body *body = &sheet->body;
    (void)with_mirrors;
    PalVec3 *force = vectors(sheet), sum = {0}, torque = {0};
    body->parts[0].mirrors = NULL;
    PalElements *elements = body_elements(body);
    PalMat3 F = random_gradient(0.2, seed);
    body_deform(body, &F, 0.1, seed);
    force_of(elements, body->displacement, 0, NULL, 1, force);
    for (int32_t n = 0; n < body->mesh->node_count; ++n) {
        PalVec3 at = pal_vec3_add(body->mesh->nodes[n], body->displacement[n]);
        sum = pal_vec3_add(sum, force[n]);
        torque = pal_vec3_add(torque, pal_vec3_cross(at, force[n]));
    }
    double size = largest(force, body->mesh->node_count);
    check_near(pal_vec3_length(sum), 0, 1e-12 * size);
    check_near(pal_vec3_length(torque), 0, 1e-11 * size);
    pal_elements_destroy(elements);
    free(force);
}

static void forces_and_torques_add_up_to_nothing(void **state)
{
    (void)state;
    for_each((int32_t[]){5, 4}, add_up);
}

// ---- the bound of the step --------------------------------------------------------------------

// 2 / omega of the body by iteration with M^-1 K, K from differences of forces.
static double critical_step(Body *body, PalElements *elements, uint64_t *seed)
{
    int32_t count = body->mesh->node_count;
    PalVec3 *x = calloc((size_t)count, sizeof *x), *kept = calloc((size_t)count, sizeof *kept);
    PalVec3 *ahead = calloc((size_t)count, sizeof *x), *behind = calloc((size_t)count, sizeof *x);
    double *mass = calloc((size_t)count, sizeof *mass), value = 0;
    pal_elements_add_mass(elements, NULL, mass);
    memcpy(kept, body->displacement, (size_t)count * sizeof *kept);
    for (int32_t n = 0; n < count; ++n)
        x[n] = random_vector(1, seed);
    for (int round = 0; round < 300; ++round) {
        double size = 0, h = 1e-5;
        for (int32_t n = 0; n < count; ++n)
            size += mass[n] * pal_vec3_dot(x[n], x[n]);
        for (int32_t n = 0; n < count; ++n)
            x[n] = pal_vec3_scale(1 / sqrt(size), x[n]);
        for (int side = -1; side <= 1; side += 2) {
            for (int32_t n = 0; n < count; ++n)
                body->displacement[n] = pal_vec3_add_scaled(kept[n], side * h, x[n]);
            force_of(elements, body->displacement, 0, NULL, 1, side < 0 ? behind : ahead);
        }
        value = 0;
        for (int32_t n = 0; n < count; ++n) {
            PalVec3 pull = pal_vec3_scale(0.5 / h, pal_vec3_sub(behind[n], ahead[n]));
            value += pal_vec3_dot(x[n], pull);
            x[n] = pal_vec3_scale(1 / mass[n], pull);
        }
    }
    memcpy(body->displacement, kept, (size_t)count * sizeof *kept);
    free(x);
    free(kept);
    free(ahead);
    free(behind);
    free(mass);
    return 2 / sqrt(value);
}

// As the solver counts: element by element, then node by node.
static double bound_of(Body *body, PalElements *elements)
{
    int32_t count = body->mesh->node_count, cells = body->mesh->cell_count;
    double *bounds = calloc((size_t)cells, sizeof *bounds), most = 0;
    double *sums = calloc((size_t)count, sizeof *sums), *mass = calloc((size_t)count, sizeof *mass);
    step_of(elements, body->displacement, NULL, 1, bounds, NULL);
    for (int32_t e = 0; e < cells; ++e)
        bounds[e] = 1 / (bounds[e] * bounds[e]);
    pal_elements_add_bound_mass(elements, bounds, sums);
    pal_elements_add_mass(elements, NULL, mass);
    for (int32_t n = 0; n < count; ++n)
        most = fmax(most, sums[n] / mass[n]);
    free(bounds);
    free(sums);
    free(mass);
    return 1 / sqrt(most);
}

static double least_part;

static void compare_steps(Sheet *sheet, PalElements *elements, uint64_t *seed)
{
    Body *body = &sheet->body;
    for (int trial = 0; trial < 4; ++trial) {
        PalMat3 F = random_gradient(0.2, seed);
        body_deform(body, &F, 0.05 * trial, seed);
        double bound = bound_of(body, elements), truth = critical_step(body, elements, seed);
        if (!(bound <= truth * (1 + 1e-6)))
            fail_msg("%s: bound %g exceeds the true %g", body->materials[0].law->name, bound,
                     truth);
        least_part = fmin(least_part, bound / truth);
    }
}

static void the_bound_of_the_step_holds_and_is_not_far(void **state)
{
    (void)state;
    least_part = 1;
    for_each((int32_t[]){5, 4}, compare_steps);
    assert_true(least_part > 0.3);
}

// ---- relaxation and fields --------------------------------------------------------------------

// Held for long, all but the weights' share of stress and moment fades; the energy tells of what
// is left.
static void held_sheets_relax(void **state)
{
    (void)state;
    for (int k = 0; k < 4; ++k) {
        uint64_t seed = 5;
        PalMaterialDef material = random_material(&pal_law_neo_hookean, &seed);
        material.incompressible = k >= 2;
        material.isochoric_count = 1;
        material.isochoric[0] = (PalPronyTerm){0.6, 0.5};
        material.volumetric_count = 1;
        material.volumetric[0] = (PalPronyTerm){0.6, 0.5};
        Sheet sheet = sheet_create(kinds[k % 2], &material, (int32_t[]){4, 4}, 0.1, &seed);
        PalElements *elements = body_elements(&sheet.body);
        double *history = calloc((size_t)pal_elements_history_count(elements), sizeof *history);
        PalVec3 *sudden = vectors(&sheet), *late = vectors(&sheet);
        PalMat3 F = random_gradient(0.1, &seed);
        body_deform(&sheet.body, &F, 0.02, &seed);
        force_of(elements, sheet.body.displacement, 1e-9, history, 1, sudden);
        for (int step = 0; step < 200; ++step)
            force_of(elements, sheet.body.displacement, 0.1, history, 1, late);
        double size = largest(sudden, sheet.body.mesh->node_count);
        for (int32_t n = 0; n < sheet.body.mesh->node_count; ++n) {
            PalVec3 left = pal_vec3_scale(0.4, sudden[n]);
            check_near(pal_vec3_distance(late[n], left), 0, 1e-8 * size);
        }
        free(history);
        free(sudden);
        free(late);
        pal_elements_destroy(elements);
        sheet_destroy(&sheet);
    }
}

// A flat sheet bent to a cylinder that rises towards its normal: pressed on top, pulled below.
static void fields_tell_sides_apart(void **state)
{
    (void)state;
    uint64_t seed = 3;
    PalMaterialDef material = random_material(&pal_law_st_venant_kirchhoff, &seed);
    Sheet sheet = sheet_create(PAL_ELEMENT_EBST, &material, (int32_t[]){6, 6}, 0, &seed);
    sheet.body.parts[0].mirrors = NULL;
    PalElements *elements = body_elements(&sheet.body);
    double radius = 1e4, thickness[72], top[72][6], bottom[72][6], moment[72][6], tension[72][6];
    for (int32_t n = 0; n < sheet.body.mesh->node_count; ++n) {
        double x = sheet.body.mesh->nodes[n].x - 3;
        sheet.body.displacement[n].z = x * x / (2 * radius);
    }
    fields_of(elements, sheet.body.displacement, NULL, 1,
              &(PalElementFields){.thickness = thickness,
                                  .top = top,
                                  .bottom = bottom,
                                  .moment = moment,
                                  .tension = tension});
    double poisson, D = pal_patch_bending(&material, 0.3, &poisson);
    int32_t inner = 2 * (6 * 3 + 3);  // has all its neighbours
    check_near(moment[inner][0], D / radius, 1e-5 * D / radius);
    check_near(moment[inner][1], poisson * D / radius, 1e-5 * D / radius);
    double bend = 6 * D / (radius * 0.09);
    check_near(top[inner][0] - bottom[inner][0], -2 * bend, 1e-5 * bend);
    check_near(thickness[inner], 0.3, 1e-6);
    check_near(tension[inner][0], 0.3 * (top[inner][0] + bottom[inner][0]) / 2, 1e-9 * bend);
    pal_elements_destroy(elements);
    sheet_destroy(&sheet);
}

// A thickness must be there, and fibres have no place.
static void parts_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    uint64_t seed = 4;
    PalError error = {0};
    PalElements *elements = NULL;
    PalMaterialDef material = random_material(&pal_law_neo_hookean, &seed);
    Sheet sheet = sheet_create(PAL_ELEMENT_EBST, &material, (int32_t[]){2, 2}, 0, &seed);
    sheet.body.parts[0].thickness = 0;
    assert_int_equal(pal_elements_create(body_def(&sheet.body), &elements, &error), PAL_BAD_INPUT);
    assert_non_null(strstr(error.text, "thickness"));
    sheet.body.parts[0].thickness = 1;
    sheet.body.materials[0] = random_material(&pal_law_fibre_reinforced, &seed);
    assert_int_equal(pal_elements_create(body_def(&sheet.body), &elements, &error), PAL_BAD_INPUT);
    sheet_destroy(&sheet);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(forces_agree_with_their_twin),
    cmocka_unit_test(forces_are_the_energy_s_slopes),
    cmocka_unit_test(threads_do_not_change_a_bit),
    cmocka_unit_test(rigid_motion_leaves_no_force),
    cmocka_unit_test(forces_and_torques_add_up_to_nothing),
    cmocka_unit_test(the_bound_of_the_step_holds_and_is_not_far),
    cmocka_unit_test(held_sheets_relax),
    cmocka_unit_test(fields_tell_sides_apart),
    cmocka_unit_test(parts_that_make_no_sense_are_refused),
};

CHECK_GROUP(tests, NULL, NULL)
