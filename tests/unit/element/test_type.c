// A row of another shape: a spring of two nodes, beside tetrahedra. It comes out right through the
// code that knows no row, or that code has taken something for granted.
#include "body.h"
#include "element/reference.h"
#include "element/type.h"

#include <stddef.h>

// ---- the row ------------------------------------------------------------------------------------

// W = k/2 (l - L)^2 with k = E / L, Young's modulus E and a cross-section of 1.
typedef struct SpringBatch {
    uint16_t corner[2][PAL_LANES];
    PalLanes edge[3], L, k;
} SpringBatch;

// How a spring is now.
typedef struct Pull {
    PalVec3 along;  // unit vector from the first to the second node
    double length, tension;
} Pull;

static double young_of(const PalMaterialDef *material)
{
    double shear, bulk;
    pal_material_moduli(material, &shear, &bulk);
    return 9 * bulk * shear / (3 * bulk + shear);
}

static Pull pull_of(const SpringBatch *batch, int32_t l, const PalLanes *displacement)
{
    PalLanes u = displacement[batch->corner[1][l] / 4] - displacement[batch->corner[0][l] / 4];
    PalVec3 edge =
        pal_vec3(batch->edge[0][l] + u[0], batch->edge[1][l] + u[1], batch->edge[2][l] + u[2]);
    double length = pal_vec3_length(edge);
    return (Pull){pal_vec3_scale(1 / length, edge), length, batch->k[l] * (length - batch->L[l])};
}

static PalStatus spring_check(const PalElementPartDef *part, PalError *error)
{
    if (part->material->law == &pal_law_neo_hookean)
        return PAL_OK;
    return pal_error_set(error, PAL_BAD_INPUT, "springs have no law");
}

static double spring_fill(const PalPart *part, const PalVec3 *corners, int32_t lane, void *data)
{
    SpringBatch *batch = data;
    PalVec3 edge = pal_vec3_sub(corners[1], corners[0]);
    for (int i = 0; i < 3; ++i)
        batch->edge[i][lane] = pal_vec3_at(edge, i);
    batch->L[lane] = pal_vec3_length(edge);
    batch->k[lane] = young_of(&part->material) / batch->L[lane];
    return batch->L[lane];
}

// Two thirds at the first node: shares need not be equal.
static void spring_mass(const PalPart *part, const void *data, const PalLanes *factor,
                        PalLanes shares[PAL_CORNER_MAX])
{
    const SpringBatch *batch = data;
    shares[0] = *factor * part->material.density * batch->L * (2.0 / 3);
    shares[1] = *factor * part->material.density * batch->L * (1.0 / 3);
}

static bool spring_kernel(const PalBlockWork *work)
{
    const SpringBatch *batches = work->batches;
    bool good = true;
    for (int32_t k = 0; k < work->batch_count * PAL_LANES; ++k) {
        const SpringBatch *batch = &batches[k / PAL_LANES];
        int32_t l = k % PAL_LANES;
        if (batch->L[l] == 0)
            continue;
        Pull pull = pull_of(batch, l, work->displacement);
        good &= pull.length > 0;
        PalVec3 f = pal_vec3_scale(pull.tension, pull.along);
        work->force[batch->corner[0][l] / 4] += (PalLanes){f.x, f.y, f.z, 0};
        work->force[batch->corner[1][l] / 4] -= (PalLanes){f.x, f.y, f.z, 0};
    }
    return good;
}

static PalBlockKernel spring_force(const PalPart *part)
{
    (void)part;
    return spring_kernel;
}

static void spring_fields(const PalBatch *batch, PalBatchFields *fields)
{
    const SpringBatch *springs = batch->data;
    *fields = (PalBatchFields){.V = springs->L};
    for (int32_t l = 0; l < PAL_LANES; ++l) {
        Pull pull = pull_of(springs, l, batch->displacement);
        double stretch = pull.length - springs->L[l];
        fields->J[l] = pull.length / springs->L[l];
        fields->energy[l] = springs->k[l] * stretch * stretch / 2;
        fields->stress[0][l] = pull.tension;
    }
}

static void spring_ratio(const PalBatch *batch, PalLanes *J)
{
    PalBatchFields fields;
    spring_fields(batch, &fields);
    *J = fields.J;
}

static void spring_energy(const PalBatch *batch, PalLanes *energy)
{
    PalBatchFields fields;
    spring_fields(batch, &fields);
    *energy = fields.energy;
}

// omega^2 = K (1 / m_0 + 1 / m_1) = 4.5 K / (density L), where K is the stiffness along the spring
// or across it; half the density of it is asked for.
static void spring_bound(const PalBatch *batch, PalLanes *bound)
{
    const SpringBatch *springs = batch->data;
    for (int32_t l = 0; l < PAL_LANES; ++l) {
        Pull pull = pull_of(springs, l, batch->displacement);
        double stiffness = fmax(springs->k[l], fabs(pull.tension) / pull.length);
        (*bound)[l] = 2.25 * stiffness / springs->L[l];
    }
}

// k n x n + T/l (I - n x n), and its opposite between the two nodes.
static void spring_tangent(const PalBatch *batch, PalLanes *K)
{
    const SpringBatch *springs = batch->data;
    for (int32_t l = 0; l < PAL_LANES; ++l) {
        Pull pull = pull_of(springs, l, batch->displacement);
        double across = pull.tension / pull.length, along = springs->k[l] - across;
        for (int r = 0; r < 6; ++r)
            for (int c = 0; c < 6; ++c) {
                double n = pal_vec3_at(pull.along, r % 3) * pal_vec3_at(pull.along, c % 3);
                double entry = along * n + (r % 3 == c % 3 ? across : 0);
                K[r * 6 + c][l] = r / 3 == c / 3 ? entry : -entry;
            }
    }
}

static const PalElementType spring = {
    .choice = {"spring", "Two nodes that pull at each other."},
    .traits = {.cell = PAL_CELL_TRIANGLE},
    .corner_count = 2,
    .batch_size = sizeof(SpringBatch),
    .corner_offset = offsetof(SpringBatch, corner),
    .measure = "length",
    .check = spring_check,
    .fill = spring_fill,
    .mass = spring_mass,
    .force = spring_force,
    .ratio = spring_ratio,
    .energy = spring_energy,
    .fields = spring_fields,
    .bound = spring_bound,
    .tangent = spring_tangent,
};

// ---- a body with springs ------------------------------------------------------------------------

// Springs between random nodes of a box of tetrahedra, in a part of their own before those of the
// box: several blocks, whose batches are of two sizes.
typedef struct Sprung {
    Body body;
    int32_t count, *ends;
    PalElementPartDef parts[2];
    PalMaterialDef material;
    PalElementsDef def;
    PalElements *elements;
} Sprung;

static void sprung_init(Sprung *s, int32_t count, uint64_t *seed)
{
    PalError error = {0};
    s->body =
        body_create(PAL_ELEMENT_T4, pal_law_find("neo-hookean"), (int32_t[]){6, 5, 4}, 1, seed);
    s->count = count;
    s->ends = calloc(2 * (size_t)count, sizeof *s->ends);
    int32_t nodes = s->body.mesh->node_count;
    for (int32_t e = 0; e < count; ++e) {
        s->ends[2 * e] = (int32_t)random_between(0, nodes - 1, seed);
        s->ends[2 * e + 1] =
            (s->ends[2 * e] + 1 + (int32_t)random_between(0, nodes - 2, seed)) % nodes;
    }
    s->material = pal_material_def_default();
    s->material.density = 3;
    s->parts[0] = (PalElementPartDef){
        .type = &spring, .material = &s->material, .element_count = count, .connectivity = s->ends};
    s->parts[1] = body_def(&s->body)->parts[0];
    s->def = *body_def(&s->body);
    s->def.part_count = 2;
    s->def.parts = s->parts;
    check_ok(pal_elements_create(&s->def, &s->elements, &error), &error);
    PalMat3 F = random_gradient(0.2, seed);
    body_deform(&s->body, &F, 0.05, seed);
}

static void sprung_clear(Sprung *s)
{
    pal_elements_destroy(s->elements);
    body_destroy(&s->body);
    free(s->ends);
}

// What spring e is, by its definition.
typedef struct Plain {
    Pull pull;
    double L, k;
} Plain;

static Plain plain_spring(const Sprung *s, int32_t e)
{
    int32_t a = s->ends[2 * e], b = s->ends[2 * e + 1];
    const PalVec3 *X = s->body.mesh->nodes, *u = s->body.displacement;
    PalVec3 edge = pal_vec3_sub(pal_vec3_add(X[b], u[b]), pal_vec3_add(X[a], u[a]));
    double L = pal_vec3_distance(X[a], X[b]), length = pal_vec3_length(edge);
    double k = young_of(&s->material) / L;
    return (Plain){{pal_vec3_scale(1 / length, edge), length, k * (length - L)}, L, k};
}

static void forces_and_energy_are_those_of_springs_and_solids(void **state)
{
    (void)state;
    uint64_t seed = 1;
    Sprung s;
    sprung_init(&s, 900, &seed);
    int32_t nodes = s.body.mesh->node_count;
    PalVec3 *force = calloc((size_t)nodes, sizeof *force),
            *again = calloc((size_t)nodes, sizeof *again);
    PalVec3 *plain = calloc((size_t)nodes, sizeof *plain);
    double energy;
    assert_true(pal_elements_force_ref(body_def(&s.body), s.body.displacement, plain, &energy));
    for (int32_t e = 0; e < s.count; ++e) {
        Plain p = plain_spring(&s, e);
        PalVec3 f = pal_vec3_scale(p.pull.tension, p.pull.along);
        plain[s.ends[2 * e]] = pal_vec3_add(plain[s.ends[2 * e]], f);
        plain[s.ends[2 * e + 1]] = pal_vec3_sub(plain[s.ends[2 * e + 1]], f);
        energy += p.k * (p.pull.length - p.L) * (p.pull.length - p.L) / 2;
    }
    PalElementTrouble trouble = force_of(s.elements, s.body.displacement, 0, NULL, 1, force);
    assert_int_equal(trouble.inverted_count, 0);
    check_near(largest_difference(force, plain, nodes), 0, 1e-12 * largest(plain, nodes));
    check_near(energy_of(s.elements, s.body.displacement, 2), energy, 1e-12 * energy);
    force_of(s.elements, s.body.displacement, 0, NULL, 3, again);
    assert_memory_equal(force, again, (size_t)nodes * sizeof *force);
    free(force);
    free(again);
    free(plain);
    sprung_clear(&s);
}

static void masses_bounds_and_fields_are_the_row_s(void **state)
{
    (void)state;
    uint64_t seed = 2;
    Sprung s;
    sprung_init(&s, 300, &seed);
    int32_t nodes = s.body.mesh->node_count, count = pal_elements_count(s.elements), worst;
    double *mass = calloc((size_t)nodes, sizeof *mass),
           *plain = calloc((size_t)nodes, sizeof *plain);
    double *factors = calloc((size_t)count, sizeof *factors);
    double *bounds = calloc((size_t)count, sizeof *bounds),
           *ratio = calloc((size_t)count, sizeof *ratio);
    double *density = calloc((size_t)count, sizeof *density);
    double *tension = calloc((size_t)count, sizeof *tension);
    for (int32_t e = 0; e < s.count; ++e)
        factors[e] = random_between(0.5, 2, &seed);
    pal_elements_add_mass(s.elements, factors, mass);  // the solids have the factor 0
    for (int32_t e = s.count; e < count; ++e)
        factors[e] = 1e12;  // and now dictate no step
    double least = step_of(s.elements, s.body.displacement, factors, 2, bounds, &worst);
    fields_of(s.elements, s.body.displacement, NULL, 2,
              &(PalElementFields){
                  .energy_density = density, .von_mises = tension, .volume_ratio = ratio});
    double shortest = INFINITY;
    for (int32_t e = 0; e < s.count; ++e) {
        Plain p = plain_spring(&s, e);
        double m = factors[e] * 3 * p.L;
        plain[s.ends[2 * e]] += m * 2 / 3;
        plain[s.ends[2 * e + 1]] += m / 3;
        double stiffness = fmax(p.k, fabs(p.pull.tension) / p.pull.length);
        double step = 2 / sqrt(stiffness * 4.5 / m);
        shortest = fmin(shortest, step);
        check_near(bounds[e], step, 1e-12 * step);
        check_near(ratio[e], p.pull.length / p.L, 1e-12);
        check_near(tension[e], fabs(p.pull.tension), 1e-12 * p.k * p.L);
        double stretch = p.pull.length / p.L - 1;
        check_near(density[e], young_of(&s.material) * stretch * stretch / 2, 1e-12 * p.k);
    }
    for (int32_t n = 0; n < nodes; ++n)
        check_near(mass[n], plain[n], 1e-12 * (1 + plain[n]));
    assert_true(worst < s.count && least == bounds[worst]);
    check_near(least, shortest, 1e-12 * shortest);
    free(mass);
    free(plain);
    free(factors);
    free(bounds);
    free(ratio);
    free(density);
    free(tension);
    sprung_clear(&s);
}

// Of one spring: K in its own degrees of freedom, against differences of the forces.
static void the_tangent_is_the_slope_of_the_forces(void **state)
{
    (void)state;
    PalVec3 nodes[2] = {{0, 0, 0}, {1, 0.5, -0.2}}, u[3] = {{0.1, 0, 0.2}, {0.4, 0.3, 0}};
    int32_t ends[2] = {0, 1};
    PalMaterialDef material = pal_material_def_default();
    PalElementPartDef part = {
        .type = &spring, .material = &material, .element_count = 1, .connectivity = ends};
    PalElementsDef def = {.node_count = 2, .nodes = nodes, .part_count = 1, .parts = &part};
    PalError error = {0};
    PalElements *elements = NULL;
    check_ok(pal_elements_create(&def, &elements, &error), &error);
    SpringBatch springs = {.corner = {{0}, {4}}};
    PalPart described = {.type = &spring, .material = material};
    spring_fill(&described, nodes, 0, &springs);
    PalLanes gathered[2] = {{u[0].x, u[0].y, u[0].z, 0}, {u[1].x, u[1].y, u[1].z, 0}}, K[36];
    PalBatch batch = {.part = &described, .data = &springs, .displacement = gathered};
    described.type->tangent(&batch, K);
    const double h = 1e-6;
    for (int c = 0; c < 6; ++c) {
        PalVec3 ahead[2], behind[2];
        double *moved = &u[c / 3].x + c % 3;
        *moved += h;
        force_of(elements, u, 0, NULL, 1, ahead);
        *moved -= 2 * h;
        force_of(elements, u, 0, NULL, 1, behind);
        *moved += h;
        for (int r = 0; r < 6; ++r)
            check_near(K[r * 6 + c][0],
                       -(pal_vec3_at(ahead[r / 3], r % 3) - pal_vec3_at(behind[r / 3], r % 3)) /
                           (2 * h),
                       1e-7);
    }
    pal_elements_destroy(elements);
}

static void trouble_is_told_in_the_row_s_words(void **state)
{
    (void)state;
    uint64_t seed = 3;
    Sprung s;
    sprung_init(&s, 200, &seed);
    PalVec3 *u = s.body.displacement;
    PalVec3 *force = calloc((size_t)s.body.mesh->node_count, sizeof *force);
    for (int k = 0; k < 2; ++k) {  // both ends at the origin, to the last bit
        int32_t n = s.ends[2 * 77 + k];
        u[n] = pal_vec3_scale(-1, s.body.mesh->nodes[n]);
    }
    PalElementTrouble trouble = force_of(s.elements, u, 0, NULL, 1, force);
    assert_true(trouble.inverted_count > 0);
    assert_int_equal(trouble.first_inverted, 77);
    PalError error = {0};
    PalElements *none = NULL;
    s.ends[2 * 77 + 1] = s.ends[2 * 77];
    assert_int_equal(pal_elements_create(&s.def, &none, &error), PAL_BAD_INPUT);
    assert_non_null(strstr(error.text, "element 77 has the length 0"));
    s.material = random_material(pal_law_find("mooney-rivlin"), &seed);
    error = (PalError){0};
    assert_int_equal(pal_elements_create(&s.def, &none, &error), PAL_BAD_INPUT);
    assert_string_equal(error.text, "springs have no law");
    free(force);
    sprung_clear(&s);
}

// ---- the table ----------------------------------------------------------------------------------

static void names_and_traits_come_from_the_rows(void **state)
{
    (void)state;
    const int32_t count = PAL_ELEMENT_MIXED + 1;
    assert_null(pal_element_choice(count));
    assert_null(pal_element_choice(-1));
    for (int32_t i = 0; i < count; ++i) {
        PalElementKind kind = (PalElementKind)((i + 1) % count), usual;
        const PalElementType *type = pal_element_type((PalElementKind)i);
        const PalChoice *choice = pal_element_choice(i);
        assert_ptr_equal(choice, &type->choice);
        assert_true(choice->help[0] != 0);
        assert_string_equal(pal_element_name((PalElementKind)i), choice->name);
        assert_true(pal_element_find(choice->name, &kind));
        assert_int_equal(kind, i);
        assert_ptr_equal(pal_element_traits(kind), &type->traits);
        int32_t around = type->traits.is_thin ? 9 : 0;  // of a patch
        assert_int_equal(pal_cell_node_count(pal_element_cell(kind)) + around, type->corner_count);
        assert_true(pal_element_for_cell(type->traits.cell, &usual));
        assert_int_equal(pal_element_cell(usual), type->traits.cell);
        assert_false(pal_element_traits(usual)->averages_pressure);
        assert_int_equal(type->volumes != NULL, type->pressure_corners > 0);
        assert_true(type->pressure_corners > 0 || !type->traits.averages_pressure);
        assert_int_equal(type->batch_size % sizeof(PalLanes), 0);
    }
    PalElementKind kind = PAL_ELEMENT_H8;
    assert_false(pal_element_find("spring", &kind));
    assert_true(pal_element_for_cell(PAL_CELL_TRIANGLE, &kind));
    assert_int_equal(kind, PAL_ELEMENT_EBST);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(forces_and_energy_are_those_of_springs_and_solids),
    cmocka_unit_test(masses_bounds_and_fields_are_the_row_s),
    cmocka_unit_test(the_tangent_is_the_slope_of_the_forces),
    cmocka_unit_test(trouble_is_told_in_the_row_s_words),
    cmocka_unit_test(names_and_traits_come_from_the_rows),
};
CHECK_GROUP(tests, NULL, NULL)
