// Cones around normals.
#include "geometry/cone_lanes.h"
#include "trees.h"

static const double pi = 3.14159265358979323846;

static PalVec3 random_unit(uint64_t *state)
{
    for (;;) {
        PalVec3 v = random_vector(state);
        double length = pal_vec3_length(v);
        if (length > 0.1 && length < 1)
            return pal_vec3_scale(1 / length, v);
    }
}

static double angle_between(PalVec3 a, PalVec3 b)
{
    return atan2(pal_vec3_length(pal_vec3_cross(a, b)), pal_vec3_dot(a, b));
}

static bool cone_contains(const PalCone *outer, const PalCone *inner, double tolerance)
{
    return outer->angle >= 2 * pi || angle_between(outer->axis, inner->axis) + inner->angle / 2 <=
                                         outer->angle / 2 + tolerance;
}

// Directions that are alike, opposite, or anything.
static PalCone random_cone(uint64_t *state, PalVec3 near)
{
    double what = random_number(state), size = pow(10, -9 + 8 * random_number(state));
    PalVec3 axis = random_unit(state);
    if (what < -0.4)
        axis = pal_vec3_normalise(pal_vec3_add_scaled(near, size, axis));
    else if (what < -0.2)
        axis = pal_vec3_normalise(pal_vec3_add_scaled(pal_vec3_scale(-1, near), size, axis));
    double angle = random_number(state) < 0 ? 0 : pi * (1 + random_number(state));
    return (PalCone){axis, angle};
}

static void merged_cones_contain_both(void **unused)
{
    (void)unused;
    uint64_t state = 1;
    for (int i = 0; i < 100000; ++i) {
        PalCone a = random_cone(&state, pal_vec3(0, 0, 1)), b = random_cone(&state, a.axis);
        PalCone narrow = pal_cone_merge(PAL_CONE_NARROWEST, &a, &b);
        PalCone wide = pal_cone_merge(PAL_CONE_PROVOT, &a, &b);
        check_near(pal_vec3_length(narrow.axis), 1, 1e-14);
        check_near(pal_vec3_length(wide.axis), 1, 1e-14);
        assert_true(cone_contains(&narrow, &a, 1e-14) && cone_contains(&narrow, &b, 1e-14));
        assert_true(cone_contains(&wide, &a, 1e-14) && cone_contains(&wide, &b, 1e-14));
        assert_true(narrow.angle <= wide.angle * (1 + 1e-15));
        assert_true(wide.angle <= 2 * pi);
    }
}

// The axis of the narrowest cone lies on the arc between both axes: all places there are tried.
static void merged_cone_is_the_narrowest(void **unused)
{
    (void)unused;
    uint64_t state = 2;
    enum { PLACES = 2000 };
    for (int i = 0; i < 1000; ++i) {
        PalCone a = {random_unit(&state), 0.4 * pi * (1 + random_number(&state))};
        PalCone b = {random_unit(&state), 0.4 * pi * (1 + random_number(&state))};
        PalCone merged = pal_cone_merge(PAL_CONE_NARROWEST, &a, &b);
        double beta = angle_between(a.axis, b.axis), best = 2 * pi;
        for (int p = 0; p <= PLACES; ++p) {
            double first = beta * p / PLACES;
            double half = fmax(first + a.angle / 2, beta - first + b.angle / 2);
            best = fmin(best, 2 * half);
        }
        check_near(merged.angle, best, 2 * beta / PLACES + 1e-12);
        assert_true(merged.angle <= best + 1e-12);
    }
}

// johnsen2015, equation 4, as printed, where it is well-behaved.
static void merged_axis_is_that_of_the_paper(void **unused)
{
    (void)unused;
    uint64_t state = 3;
    for (int i = 0; i < 1000; ++i) {
        PalCone a = {random_unit(&state), 0.5 * (1 + random_number(&state))};
        PalCone b = {random_unit(&state), 0.5 * (1 + random_number(&state))};
        double e = pal_vec3_dot(a.axis, b.axis), beta = acos(e);
        if (fabs(e) > 0.99 || beta + fmin(a.angle, b.angle) / 2 <= fmax(a.angle, b.angle) / 2)
            continue;
        double beta1 = (2 * beta - (a.angle - b.angle)) / 4, beta2 = beta - beta1;
        double w2 = (cos(beta2) - e * cos(beta1)) / (1 - e * e), w1 = cos(beta1) - e * w2;
        PalVec3 axis = pal_vec3_normalise(
            pal_vec3_add(pal_vec3_scale(w1, a.axis), pal_vec3_scale(w2, b.axis)));
        PalCone merged = pal_cone_merge(PAL_CONE_NARROWEST, &a, &b);
        check_near(pal_vec3_distance(merged.axis, axis), 0, 1e-12);
        check_near(merged.angle, beta + (a.angle + b.angle) / 2, 1e-14);
    }
}

static void a_contained_cone_changes_nothing(void **unused)
{
    (void)unused;
    PalCone wide = {{0, 0, 1}, 2}, inside = {{sin(0.5), 0, cos(0.5)}, 0.9};
    PalCone merged = pal_cone_merge(PAL_CONE_NARROWEST, &wide, &inside);
    assert_memory_equal(&merged, &wide, sizeof merged);
    merged = pal_cone_merge(PAL_CONE_NARROWEST, &inside, &wide);
    assert_memory_equal(&merged, &wide, sizeof merged);
    PalCone all = pal_cone_of(pal_vec3(0, 0, 0));
    check_near(all.angle, 2 * pi, 0);
    merged = pal_cone_merge(PAL_CONE_NARROWEST, &wide, &all);
    check_near(merged.angle, 2 * pi, 0);
}

// The batched twin agrees with the plain one and is never too narrow.
static void batches_agree(void **unused)
{
    (void)unused;
    enum { COUNT = 40000 };
    PalCone *cones = pal_alloc(3 * (size_t)COUNT, sizeof *cones);
    PalConeMerge *merges = pal_alloc(COUNT, sizeof *merges);
    uint64_t state = 5;
    for (int kind = 0; kind < 2; ++kind) {
        for (int32_t i = 0; i < COUNT; ++i) {
            cones[3 * i] = random_cone(&state, pal_vec3(0, 0, 1));
            cones[3 * i + 1] = random_cone(&state, cones[3 * i].axis);
            merges[i] = (PalConeMerge){3 * i + 2, 3 * i, 3 * i + 1};
        }
        pal_cones_merge((PalConeKind)kind, merges, COUNT, cones);
        for (int32_t i = 0; i < COUNT; ++i) {
            const PalCone *a = &cones[3 * i], *b = &cones[3 * i + 1], *both = &cones[3 * i + 2];
            PalCone plain = pal_cone_merge((PalConeKind)kind, a, b);
            check_near(both->angle, plain.angle, 1e-10);
            check_near(pal_vec3_length(both->axis), 1, 1e-14);
            assert_true(cone_contains(both, a, 1e-14) && cone_contains(both, b, 1e-14));
        }
    }
    pal_free(cones);
    pal_free(merges);
}

static void cones_contain_all_normals(void **unused)
{
    (void)unused;
    Surface surface = surface_sphere(12, 17);
    uint64_t state = 4;
    surface_shake(&surface, 0.05, &state);
    for (int kind = 0; kind < 3; ++kind) {
        PalHierarchy *narrow =
            hierarchy_of(&surface, (PalHierarchyKind)kind, PAL_CONE_NARROWEST, 0);
        PalHierarchy *wide = hierarchy_of(&surface, (PalHierarchyKind)kind, PAL_CONE_PROVOT, 0);
        const PalHierarchy *both[] = {narrow, wide};
        for (int which = 0; which < 2; ++which)
            for (int32_t v = 0; v < both[which]->volume_count; ++v) {
                const PalVolume *volume = &both[which]->volumes[v];
                for (int32_t i = 0; i < volume->facet_count; ++i) {
                    const int32_t *corners =
                        surface.facets[both[which]->order[volume->first_facet + i]];
                    PalVec3 x = surface.end[corners[0]];
                    PalCone one =
                        pal_cone_of(pal_vec3_cross(pal_vec3_sub(surface.end[corners[1]], x),
                                                   pal_vec3_sub(surface.end[corners[2]], x)));
                    assert_true(cone_contains(&both[which]->cones[v], &one, 1e-14));
                }
            }
        pal_hierarchy_destroy(narrow);
        pal_hierarchy_destroy(wide);
    }
    surface_free(&surface);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(merged_cones_contain_both),
    cmocka_unit_test(merged_cone_is_the_narrowest),
    cmocka_unit_test(merged_axis_is_that_of_the_paper),
    cmocka_unit_test(a_contained_cone_changes_nothing),
    cmocka_unit_test(batches_agree),
    cmocka_unit_test(cones_contain_all_normals),
};
CHECK_GROUP(tests, NULL, NULL)
