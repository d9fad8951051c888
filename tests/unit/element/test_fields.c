// Stresses, energies and relaxation against one point of the material, where the deformation is
// the same everywhere.
#include "body.h"

static PalElementKind kinds[] = {PAL_ELEMENT_T4, PAL_ELEMENT_T4_ANP, PAL_ELEMENT_H8,
                                 PAL_ELEMENT_T10, PAL_ELEMENT_MIXED};
static int kind_count = 5;

typedef struct Fields {
    double *energy_density, *von_mises, (*stress)[6], *volume_ratio;
    double (*strain)[6];
} Fields;

static Fields fields_create(int32_t count)
{
    size_t n = (size_t)count;
    return (Fields){calloc(n, sizeof(double)), calloc(n, sizeof(double)),
                    calloc(n, 6 * sizeof(double)), calloc(n, sizeof(double)),
                    calloc(n, 6 * sizeof(double))};
}

static void fields_fill(Fields *fields, PalElements *elements, const Body *body,
                        const double *history)
{
    PalElementFields wanted = {.energy_density = fields->energy_density,
                               .von_mises = fields->von_mises,
                               .stress = fields->stress,
                               .volume_ratio = fields->volume_ratio,
                               .strain = fields->strain};
    fields_of(elements, body->displacement, history, 2, &wanted);
}

static void fields_destroy(Fields *fields)
{
    free(fields->energy_density);
    free(fields->von_mises);
    free(fields->stress);
    free(fields->volume_ratio);
    free(fields->strain);
}

static void check_homogeneous(Body *body, PalElements *elements, const PalMat3 *F)
{
    static const int row[6] = {0, 1, 2, 0, 1, 2}, column[6] = {0, 1, 2, 1, 2, 0};
    int32_t count = pal_elements_count(elements);
    Fields fields = fields_create(count);
    PalMat3 P, transpose = pal_mat3_transpose(F);
    double W, J = pal_mat3_determinant(F), s[6];
    pal_material_evaluate(&body->materials[0], F, &W, &P, NULL);
    PalMat3 PFt = pal_mat3_multiply(&P, &transpose), FtF = pal_mat3_multiply(&transpose, F);
    double size = sqrt(pal_mat3_inner(&PFt, &PFt)) / J, trace = 0, square = 0;
    for (int c = 0; c < 6; ++c)
        s[c] = PFt.m[row[c]][column[c]] / J;
    for (int c = 0; c < 3; ++c) {
        trace += s[c];
        square += s[c] * s[c] + 2 * s[c + 3] * s[c + 3];
    }
    double von_mises = sqrt(1.5 * (square - trace * trace / 3));
    fields_fill(&fields, elements, body, NULL);
    for (int32_t e = 0; e < count; ++e) {
        for (int c = 0; c < 6; ++c)
            check_near(fields.stress[e][c], s[c], 1e-11 * size);
        check_near(fields.von_mises[e], von_mises, 1e-11 * size);
        check_near(fields.energy_density[e], W, 1e-12 * (1 + fabs(W)));
        check_near(fields.volume_ratio[e], J, 1e-12);
        for (int c = 0; c < 6; ++c)
            check_near(fields.strain[e][c], (FtF.m[row[c]][column[c]] - (row[c] == column[c])) / 2,
                       1e-12);
    }
    fields_destroy(&fields);
}

static void fields_are_those_of_the_material(void **state)
{
    (void)state;
    for (int k = 0; k < kind_count; ++k)
        for (int32_t l = 0; l < pal_law_count(); ++l) {
            const PalMaterialLaw *law = pal_law_at(l);
            if (pal_element_traits(kinds[k])->averages_pressure && !pal_law_splits(law))
                continue;
            uint64_t seed = (uint64_t)(11 * l + k + 1);
            Body body = body_create(kinds[k], law, (int32_t[]){3, 3, 2}, 1, &seed);
            PalElements *elements = body_elements(&body);
            PalMat3 F = random_gradient(0.25, &seed);
            body_deform(&body, &F, 0, &seed);
            check_homogeneous(&body, elements, &F);
            pal_elements_destroy(elements);
            body_destroy(&body);
        }
}

// Densities times volumes (from the mesh) add up to the energy, whatever the deformation.
static void densities_add_up(void **state)
{
    (void)state;
    for (int k = 0; k < kind_count; ++k) {
        uint64_t seed = (uint64_t)k + 1;
        Body body =
            body_create(kinds[k], pal_law_find("mooney-rivlin"), (int32_t[]){4, 3, 3}, 2, &seed);
        PalElements *elements = body_elements(&body);
        Fields fields = fields_create(pal_elements_count(elements));
        PalMat3 F = random_gradient(0.2, &seed);
        body_deform(&body, &F, 0.05, &seed);
        fields_fill(&fields, elements, &body, NULL);
        double sum = 0, energy = energy_of(elements, body.displacement, 1);
        for (int32_t e = 0; e < body.mesh->cell_count; ++e)
            sum += fields.energy_density[e] * pal_cell_volume(body.mesh, e);
        check_near(sum, energy, 1e-12 * fabs(energy));
        fields_destroy(&fields);
        pal_elements_destroy(elements);
        body_destroy(&body);
    }
}

// Equal terms for distortion and pressure relax the whole stress: after a sudden strain and time
// t, 1 - w + w e^(-t / tau) of the force is left. A step of 0 changes nothing.
static void check_relaxation(Body *body, double weight, double tau)
{
    body->materials[0].isochoric_count = body->materials[0].volumetric_count = 1;
    body->materials[0].isochoric[0] = body->materials[0].volumetric[0] =
        (PalPronyTerm){weight, tau};
    PalElements *elements = body_elements(body);
    int32_t count = body->mesh->node_count;
    size_t history_count = (size_t)pal_elements_history_count(elements);
    assert_true(history_count > 0);
    double *history = calloc(history_count, sizeof *history);
    double *kept = calloc(history_count, sizeof *history);
    PalVec3 *sudden = calloc((size_t)count, sizeof *sudden);
    PalVec3 *later = calloc((size_t)count, sizeof *later);
    force_of(elements, body->displacement, 1e-12 * tau, history, 1, sudden);
    double time = 0, size = largest(sudden, count);
    for (int step = 0; step < 20; ++step) {
        double dt = 0.05 * (1 + step % 3) * tau;
        time += dt;
        force_of(elements, body->displacement, dt, history, 2, later);
        double left = 1 - weight + weight * exp(-time / tau);
        for (int32_t n = 0; n < count; ++n)
            check_near(pal_vec3_distance(later[n], pal_vec3_scale(left, sudden[n])), 0,
                       1e-10 * size);
    }
    memcpy(kept, history, history_count * sizeof *history);
    force_of(elements, body->displacement, 0, history, 1, sudden);
    assert_memory_equal(kept, history, history_count * sizeof *history);
    check_near(largest_difference(sudden, later, count), 0, 1e-13 * size);
    free(history);
    free(kept);
    free(sudden);
    free(later);
    pal_elements_destroy(elements);
}

static void stress_relaxes(void **state)
{
    (void)state;
    for (int k = 0; k < kind_count; ++k) {
        uint64_t seed = (uint64_t)k + 5;
        Body body = body_create(kinds[k], &pal_law_neo_hookean, (int32_t[]){4, 3, 3}, 1, &seed);
        PalMat3 F = random_gradient(0.2, &seed);
        // Hourglass stiffness does not relax: hexahedra deform evenly here.
        body_deform(&body, &F, kinds[k] == PAL_ELEMENT_H8 ? 0 : 0.03, &seed);
        check_relaxation(&body, 0.4, 0.7);
        body_destroy(&body);
    }
}

// Relaxed fields: stress as the force sees it, energy as it will be in the end.
static void fields_relax(void **state)
{
    (void)state;
    for (int k = 0; k < kind_count; ++k) {
        uint64_t seed = (uint64_t)k + 9;
        Body body = body_create(kinds[k], &pal_law_neo_hookean, (int32_t[]){3, 2, 2}, 1, &seed);
        PalMat3 F = random_gradient(0.2, &seed);
        body_deform(&body, &F, 0, &seed);
        PalElements *elastic = body_elements(&body);
        body.materials[0].isochoric_count = body.materials[0].volumetric_count = 1;
        body.materials[0].isochoric[0] = body.materials[0].volumetric[0] = (PalPronyTerm){0.25, 2};
        PalElements *elements = body_elements(&body);
        double *history = calloc((size_t)pal_elements_history_count(elements), sizeof *history);
        PalVec3 *force = calloc((size_t)body.mesh->node_count, sizeof *force);
        Fields before = fields_create(body.mesh->cell_count);
        Fields after = fields_create(body.mesh->cell_count);
        force_of(elements, body.displacement, 1e-12, history, 1, force);
        force_of(elements, body.displacement, 1e3, history, 1, force);
        fields_fill(&before, elastic, &body, NULL);
        fields_fill(&after, elements, &body, history);
        for (int32_t e = 0; e < body.mesh->cell_count; ++e) {
            for (int c = 0; c < 6; ++c)
                check_near(after.stress[e][c], 0.75 * before.stress[e][c], 1e-9);
            check_near(after.energy_density[e], 0.75 * before.energy_density[e], 1e-12);
        }
        fields_destroy(&before);
        fields_destroy(&after);
        free(history);
        free(force);
        pal_elements_destroy(elastic);
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
    fields_are_those_of_the_material(state);
    densities_add_up(state);
    stress_relaxes(state);
    fields_relax(state);
    body_control = PAL_HOURGLASS_BENDING;
    kind_count = count;
    kinds[0] = first;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(fields_are_those_of_the_material),
    cmocka_unit_test(densities_add_up),
    cmocka_unit_test(stress_relaxes),
    cmocka_unit_test(fields_relax),
    cmocka_unit_test(full_hexahedra),
};
CHECK_GROUP(tests, NULL, NULL)
