// The bound of the step against true eigenvalues: of single elements in many shapes and states,
// and of whole bodies. Stiffness by differences of the forces, so nothing is shared with the bound.
#include "body.h"

enum { DOF_MAX = 81 };

typedef struct Dense {
    int n;
    double a[DOF_MAX][DOF_MAX];
} Dense;

// Jacobi's method: the largest eigenvalue of a symmetric matrix, which is destroyed.
static double largest_eigenvalue(Dense *m)
{
    int n = m->n;
    for (int sweep = 0; sweep < 40; ++sweep) {
        double off = 0, all = 0;
        for (int p = 0; p < n; ++p)
            for (int q = 0; q < n; ++q) {
                all += m->a[p][q] * m->a[p][q];
                off += p != q ? m->a[p][q] * m->a[p][q] : 0;
            }
        if (off <= 1e-24 * all)
            break;
        for (int p = 0; p < n; ++p)
            for (int q = p + 1; q < n; ++q) {
                if (m->a[p][q] == 0)
                    continue;
                double theta = (m->a[q][q] - m->a[p][p]) / (2 * m->a[p][q]);
                double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
                double c = 1 / sqrt(t * t + 1), s = t * c;
                for (int k = 0; k < n; ++k) {
                    double x = m->a[k][p], y = m->a[k][q];
                    m->a[k][p] = c * x - s * y;
                    m->a[k][q] = s * x + c * y;
                }
                for (int k = 0; k < n; ++k) {
                    double x = m->a[p][k], y = m->a[q][k];
                    m->a[p][k] = c * x - s * y;
                    m->a[q][k] = s * x + c * y;
                }
            }
    }
    double largest_one = m->a[0][0];
    for (int p = 1; p < n; ++p)
        largest_one = fmax(largest_one, m->a[p][p]);
    return largest_one;
}

// 2 / omega of the body, from M^-1/2 K M^-1/2.
static double critical_step(Body *body, PalElements *elements, const double *factors)
{
    static Dense m;
    int32_t count = body->mesh->node_count;
    double mass[DOF_MAX / 3] = {0};
    PalVec3 ahead[DOF_MAX / 3], behind[DOF_MAX / 3];
    assert_true(3 * count <= DOF_MAX);
    m.n = 3 * count;
    pal_elements_add_mass(elements, factors, mass);
    for (int32_t k = 0; k < 3 * count; ++k) {
        double *u = &body->displacement[k / 3].x + k % 3, kept = *u, h = 1e-5;
        *u = kept + h;
        force_of(elements, body->displacement, 0, NULL, 1, ahead);
        *u = kept - h;
        force_of(elements, body->displacement, 0, NULL, 1, behind);
        *u = kept;
        for (int32_t l = 0; l < 3 * count; ++l)
            m.a[l][k] = (pal_vec3_at(behind[l / 3], l % 3) - pal_vec3_at(ahead[l / 3], l % 3)) /
                        (2 * h) / sqrt(mass[k / 3] * mass[l / 3]);
    }
    for (int k = 0; k < m.n; ++k)
        for (int l = 0; l < k; ++l)
            m.a[k][l] = m.a[l][k] = (m.a[k][l] + m.a[l][k]) / 2;
    return 2 / sqrt(largest_eigenvalue(&m));
}

// One element of random shape: a corner of the unit cell or the cell itself, shaken and stretched.
static Body single_element(PalElementKind kind, const PalMaterialLaw *law, uint64_t *seed)
{
    Body body = body_create(kind, law, (int32_t[]){1, 1, 1}, 1, seed);
    PalVec3 stretch = pal_vec3(random_between(0.2, 3, seed), random_between(0.2, 3, seed), 1);
    for (int32_t n = 0; n < body.mesh->node_count; ++n) {
        body.mesh->nodes[n].x *= stretch.x;
        body.mesh->nodes[n].y *= stretch.y;
    }
    if (kind == PAL_ELEMENT_T4) {
        for (int a = 0; a < 4; ++a)
            body.mesh->nodes[a] = body.mesh->nodes[body.mesh->cells[a]];
        for (int a = 0; a < 4; ++a)
            body.mesh->cells[a] = a;
        body.mesh->node_count = body.def.node_count = 4;
        body.mesh->cell_count = body.parts[0].element_count = 1;
    }
    if (random_between(0, 1, seed) < 0.3 && pal_law_parameter_index(law, "bulk") != PAL_NONE)
        body.materials[0].parameters[pal_law_parameter_index(law, "bulk")] =
            exp(random_between(-0.5, 8, seed));
    return body;
}

static void check_single(PalElementKind kind, double size, double lowest)
{
    for (int32_t l = 0; l < pal_law_count(); ++l) {
        double least = 1, sum = 0;
        int trials = 0;
        uint64_t seed = (uint64_t)l + 1;
        for (int trial = 0; trial < 60; ++trial) {
            Body body = single_element(kind, pal_law_at(l), &seed);
            PalElements *elements = body_elements(&body);
            PalMat3 F = random_gradient(size, &seed);
            int32_t worst;
            double factor = trial % 2 == 0 ? 1 : 2.5;
            body_deform(&body, &F, 0, &seed);
            double bound = step_of(elements, body.displacement, &factor, 1, NULL, &worst);
            double truth = critical_step(&body, elements, &factor);
            assert_int_equal(worst, 0);
            if (bound > truth * (1 + 1e-6))
                fail_msg("%s: bound %.9g exceeds the true %.9g", pal_law_name(pal_law_at(l)), bound,
                         truth);
            least = fmin(least, bound / truth);
            sum += bound / truth;
            ++trials;
            pal_elements_destroy(elements);
            body_destroy(&body);
        }
        print_message("%-24s bound / truth: mean %.3f, least %.3f\n", pal_law_name(pal_law_at(l)),
                      sum / trials, least);
        // Fibres that are slack count as taut, so that the step does not have to shrink at once.
        assert_true(least >= (pal_law_at(l)->stiffest != NULL ? 0.75 : lowest));
    }
}

// The bound of a t4 is at most 16 % below, by construction, while no large negative eigenvalue
// is there.
static void single_tetrahedra_are_bounded(void **state)
{
    (void)state;
    check_single(PAL_ELEMENT_T4, 0.0, 0.84);
    check_single(PAL_ELEMENT_T4, 0.3, 0.84);
}

static void single_hexahedra_are_bounded(void **state)
{
    (void)state;
    check_single(PAL_ELEMENT_H8, 0.3, 0.84);
}

static void whole_bodies_are_bounded(void **state)
{
    (void)state;
    const PalElementKind kinds[] = {PAL_ELEMENT_T4,  PAL_ELEMENT_T4_ANP, PAL_ELEMENT_H8,
                                    PAL_ELEMENT_T10, PAL_ELEMENT_MIXED,  PAL_ELEMENT_H8};
    for (int k = 0; k < 6; ++k)
        for (int32_t l = 0; l < pal_law_count(); ++l) {
            const PalMaterialLaw *law = pal_law_at(l);
            if (pal_element_traits(kinds[k])->averages_pressure && !pal_law_splits(law))
                continue;
            uint64_t seed = (uint64_t)(7 * l + k);
            body_control = k == 5 ? PAL_HOURGLASS_NONE : PAL_HOURGLASS_BENDING;
            int32_t cells[3] = {2, 2, 2}, small[3] = {1, 1, 1};
            bool quadratic = kinds[k] == PAL_ELEMENT_T10;
            Body body =
                body_create(kinds[k], law, quadratic ? small : cells, quadratic ? 1 : 2, &seed);
            PalElements *elements = body_elements(&body);
            PalMat3 F = random_gradient(0.15, &seed);
            body_deform(&body, &F, 0.05, &seed);
            double bound = step_of(elements, body.displacement, NULL, 1, NULL, NULL);
            double truth = critical_step(&body, elements, NULL);
            print_message("%-24s kind %d: bound / truth %.3f\n", pal_law_name(law), kinds[k],
                          bound / truth);
            assert_true(bound <= truth * (1 + 1e-6));
            assert_true(bound >= 0.3 * truth);
            pal_elements_destroy(elements);
            body_destroy(&body);
        }
    body_control = PAL_HOURGLASS_BENDING;
}

// A law by two names, once with a kernel of its own: the bounds are the same, element by element,
// also where pressures are averaged and differ from the elements' own.
static void bounds_do_not_depend_on_the_name_of_the_law(void **state)
{
    (void)state;
    const PalElementKind kinds[] = {PAL_ELEMENT_T4, PAL_ELEMENT_T4_ANP, PAL_ELEMENT_H8,
                                    PAL_ELEMENT_T10, PAL_ELEMENT_MIXED};
    for (int k = 0; k < 5; ++k) {
        double *bounds[2];
        int32_t count = 0;
        for (int general = 0; general < 2; ++general) {
            const char *name = general ? "polynomial" : "neo-hookean";
            uint64_t seed = 5;
            PalMaterialDef material = random_material(pal_law_find(name), &seed);
            const double shear = 100, bulk = 3000;
            const double plain[] = {shear, bulk}, named[] = {shear / 2, 0, 0, 0, 0, bulk};
            memcpy(material.parameters, general ? named : plain,
                   general ? sizeof named : sizeof plain);
            material.density = 1;
            seed = 6;
            Body body =
                body_create(kinds[k], pal_law_find("neo-hookean"), (int32_t[]){3, 3, 3}, 1, &seed);
            PalMat3 F = random_gradient(0.15, &seed);
            body_deform(&body, &F, 0.1, &seed);
            body.materials[0] = material;
            PalElements *elements = body_elements(&body);
            count = pal_elements_count(elements);
            bounds[general] = calloc((size_t)count, sizeof **bounds);
            step_of(elements, body.displacement, NULL, 1, bounds[general], NULL);
            pal_elements_destroy(elements);
            body_destroy(&body);
        }
        for (int32_t e = 0; e < count; ++e)
            check_near(bounds[1][e], bounds[0][e], 1e-5 * bounds[0][e]);
        free(bounds[0]);
        free(bounds[1]);
    }
}

// The smallest bound is returned with its element, bounds follow the mass, and an element without
// volume has none.
static void the_worst_element_is_named(void **state)
{
    (void)state;
    uint64_t seed = 3;
    Body body =
        body_create(PAL_ELEMENT_T4, pal_law_find("neo-hookean"), (int32_t[]){5, 5, 5}, 2, &seed);
    PalElements *elements = body_elements(&body);
    int32_t count = pal_elements_count(elements), worst, expected = 0;
    double *bounds = calloc((size_t)count, sizeof *bounds);
    double *factors = calloc((size_t)count, sizeof *factors);
    double least = step_of(elements, body.displacement, NULL, 2, bounds, &worst);
    for (int32_t e = 0; e < count; ++e) {
        expected = bounds[e] < bounds[expected] ? e : expected;
        factors[e] = 4;
    }
    assert_int_equal(worst, expected);
    assert_true(least == bounds[expected]);
    check_near(step_of(elements, body.displacement, factors, 1, NULL, NULL), 2 * least,
               1e-14 * least);
    body.displacement[body.mesh->cells[0]] = pal_vec3(100, 50, 30);
    assert_true(step_of(elements, body.displacement, NULL, 1, NULL, NULL) == 0);
    for (int32_t n = 0; n < body.mesh->node_count; ++n)  // all of them: the first is named
        body.displacement[n] = pal_vec3_scale(-2, body.mesh->nodes[n]);
    assert_true(step_of(elements, body.displacement, NULL, 2, NULL, &worst) == 0);
    assert_int_equal(worst, 0);
    free(bounds);
    free(factors);
    pal_elements_destroy(elements);
    body_destroy(&body);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(single_tetrahedra_are_bounded),
    cmocka_unit_test(single_hexahedra_are_bounded),
    cmocka_unit_test(whole_bodies_are_bounded),
    cmocka_unit_test(bounds_do_not_depend_on_the_name_of_the_law),
    cmocka_unit_test(the_worst_element_is_named),
};
CHECK_GROUP(tests, NULL, NULL)
