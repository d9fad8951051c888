// Hierarchies that follow a moving surface, and what is found in them.
#include "trees.h"

#include "geometry/traverse.h"
#include "geometry/update.h"
#include "math/mat3.h"

#include <math.h>

static const PalHierarchyKind kinds[] = {PAL_HIERARCHY_AABB2, PAL_HIERARCHY_AABB4,
                                         PAL_HIERARCHY_OBB2};
static const PalUpdateKind updates[] = {PAL_UPDATE_EXHAUSTIVE, PAL_UPDATE_LARSSON,
                                        PAL_UPDATE_UPDATE_NODES};
enum { KINDS = 3, UPDATES = 3 };

static PalUpdate *update_of(PalUpdateKind kind, PalHierarchy *hierarchy, const Surface *surface)
{
    PalError error = {0};
    PalUpdate *update = NULL;
    check_ok(pal_update_create(kind, hierarchy, 0.05 * hierarchy->margin, &surface->triangles,
                               &update, &error),
             &error);
    return update;
}

static PalVec3 in_frame(const PalHierarchy *hierarchy, int32_t v, PalVec3 x)
{
    return hierarchy->frames == NULL ? x : pal_mat3_apply(&hierarchy->frames[v], x);
}

static void check_boxes(const PalHierarchy *hierarchy, const Surface *surface)
{
    for (int32_t v = 0; v < hierarchy->volume_count; ++v) {
        const PalVolume *volume = &hierarchy->volumes[v];
        const PalBox *box = &hierarchy->boxes[v];
        for (int32_t i = 0; i < 6 * volume->facet_count; ++i) {
            int32_t f = hierarchy->order[volume->first_facet + i / 6];
            const PalVec3 *x = i % 2 == 0 ? surface->start : surface->end;
            PalVec3 at = in_frame(hierarchy, v, x[surface->facets[f][i / 2 % 3]]);
            for (int k = 0; k < 3; ++k) {
                assert_true((double)box->lower[k] <= pal_vec3_at(at, k));
                assert_true((double)box->upper[k] >= pal_vec3_at(at, k));
            }
        }
    }
}

static void check_cones(const PalHierarchy *hierarchy, const Surface *surface, double tolerance)
{
    for (int32_t v = 0; v < hierarchy->volume_count; ++v) {
        const PalVolume *volume = &hierarchy->volumes[v];
        const PalCone *cone = &hierarchy->cones[v];
        for (int32_t i = 0; i < volume->facet_count; ++i) {
            const int32_t *corners = surface->facets[hierarchy->order[volume->first_facet + i]];
            PalVec3 x = surface->end[corners[0]];
            PalVec3 normal =
                pal_vec3_normalise(pal_vec3_cross(pal_vec3_sub(surface->end[corners[1]], x),
                                                  pal_vec3_sub(surface->end[corners[2]], x)));
            double angle = atan2(pal_vec3_length(pal_vec3_cross(normal, cone->axis)),
                                 pal_vec3_dot(normal, cone->axis));
            assert_true(angle <= cone->angle / 2 + tolerance);
        }
    }
}

// A rigid motion and a random one on top of it.
static void move(Surface *surface, PalVec3 shift, double turn, double shake, uint64_t *state)
{
    PalMat3 rotation = {{{cos(turn), -sin(turn), 0}, {sin(turn), cos(turn), 0}, {0, 0, 1}}};
    for (int32_t n = 0; n < surface->triangles.vertex_count; ++n) {
        surface->start[n] = surface->end[n];
        PalVec3 to = pal_vec3_add(pal_mat3_apply(&rotation, surface->start[n]), shift);
        surface->end[n] = pal_vec3_add_scaled(to, shake, random_vector(state));
    }
}

static void visit_all(PalUpdate *update, const PalHierarchy *hierarchy)
{
    void (*visit)(void *, int32_t) = pal_update_visit(update);
    for (int32_t v = 0; visit != NULL && v < hierarchy->volume_count; ++v)
        visit(update, v);
}

static void boxes_hold_the_moving_surface(void **unused)
{
    (void)unused;
    for (int k = 0; k < KINDS; ++k)
        for (int u = 0; u < UPDATES; ++u) {
            Surface surface = surface_sphere(8, 11);
            PalHierarchy *hierarchy = hierarchy_of(&surface, kinds[k], PAL_CONE_NARROWEST, 0.02);
            PalUpdate *update = update_of(updates[u], hierarchy, &surface);
            uint64_t state = 11;
            for (int step = 0; step < 60; ++step) {
                double size = 0.001 * pow(10, 2 * random_number(&state));
                PalVec3 shift = pal_vec3_scale(0.05, random_vector(&state));
                move(&surface, shift, 0.02 * random_number(&state), size, &state);
                pal_update_step(update);
                visit_all(update, hierarchy);
                check_boxes(hierarchy, &surface);
                if (updates[u] != PAL_UPDATE_UPDATE_NODES)
                    check_cones(hierarchy, &surface, 1e-14);
            }
            pal_update_destroy(update);
            pal_hierarchy_destroy(hierarchy);
            surface_free(&surface);
        }
}

static void exhaustive_refits_everything(void **unused)
{
    (void)unused;
    Surface surface = surface_sphere(8, 11);
    PalHierarchy *hierarchy = hierarchy_of(&surface, PAL_HIERARCHY_AABB2, PAL_CONE_NARROWEST, 0.02);
    PalUpdate *update = update_of(PAL_UPDATE_EXHAUSTIVE, hierarchy, &surface);
    assert_int_equal(pal_update_step(update), 2 * surface.triangles.facet_count - 1);
    assert_null(pal_update_visit(update));
    pal_update_destroy(update);
    pal_hierarchy_destroy(hierarchy);
    surface_free(&surface);
}

static void larsson_refits_the_upper_half_and_what_is_visited(void **unused)
{
    (void)unused;
    Surface surface = surface_sphere(16, 17);
    PalHierarchy *hierarchy = hierarchy_of(&surface, PAL_HIERARCHY_AABB2, PAL_CONE_NARROWEST, 0.02);
    PalUpdate *update = update_of(PAL_UPDATE_LARSSON, hierarchy, &surface);
    int64_t upper = pal_update_step(update);
    assert_true(upper > 1 && upper < hierarchy->volume_count / 4);
    assert_int_equal(pal_update_take_visit_refits(update), 0);
    visit_all(update, hierarchy);
    assert_int_equal(upper + pal_update_take_visit_refits(update), hierarchy->volume_count);
    visit_all(update, hierarchy);  // nothing is left to do
    assert_int_equal(pal_update_take_visit_refits(update), 0);
    assert_int_equal(pal_update_step(update), upper);
    pal_update_destroy(update);
    pal_hierarchy_destroy(hierarchy);
    surface_free(&surface);
}

// ---- update nodes -----------------------------------------------------------------------

typedef struct Case {
    Surface surface;
    PalHierarchy *hierarchy;
    PalUpdate *update;
    uint64_t state;
    int32_t nodes, top;
} Case;

static void case_init_rings(Case *one, PalHierarchyKind kind, int32_t rings)
{
    *one = (Case){.surface = surface_sphere(rings, rings + 1), .state = 12};
    one->hierarchy = hierarchy_of(&one->surface, kind, PAL_CONE_NARROWEST, 0.02);
    one->update = update_of(PAL_UPDATE_UPDATE_NODES, one->hierarchy, &one->surface);
    int64_t refits = pal_update_step(one->update);
    PalUpdateNodeCounts counts = pal_update_node_counts(one->update);
    one->nodes = counts.inactive;
    one->top = counts.top;
    assert_int_equal(refits, 0);
}

static void case_init(Case *one, PalHierarchyKind kind)
{
    case_init_rings(one, kind, 16);
}

static void case_free(Case *one)
{
    pal_update_destroy(one->update);
    pal_hierarchy_destroy(one->hierarchy);
    surface_free(&one->surface);
}

static void update_nodes_are_few_and_cover_everything(void **unused)
{
    (void)unused;
    Case one;
    case_init(&one, PAL_HIERARCHY_AABB2);
    assert_true(one.nodes > 4 && one.nodes < one.surface.triangles.facet_count / 8);
    assert_int_equal(one.top, one.nodes - 1);  // of a tree with two children
    case_free(&one);
}

static void small_motion_refits_nothing(void **unused)
{
    (void)unused;
    Case one;
    case_init(&one, PAL_HIERARCHY_AABB2);
    move(&one.surface, pal_vec3(0.008, 0, 0), 0, 0.002, &one.state);
    assert_int_equal(pal_update_step(one.update), 0);
    assert_int_equal(pal_update_node_counts(one.update).inactive, one.nodes);
    case_free(&one);
}

static void translation_moves_the_boxes(void **unused)
{
    (void)unused;
    for (int k = 0; k < KINDS; ++k) {
        Case one;
        case_init(&one, kinds[k]);
        for (int step = 0; step < 30; ++step) {
            for (int32_t n = 0; n < one.surface.triangles.vertex_count; ++n) {
                one.surface.start[n] = one.surface.end[n];
                one.surface.end[n].y += step == 0 ? 0.015 : 0.1;  // does not start with a jolt
            }
            int64_t refits = pal_update_step(one.update);
            visit_all(one.update, one.hierarchy);
            check_boxes(one.hierarchy, &one.surface);
            int64_t visit_refits = pal_update_take_visit_refits(one.update);
            if (step > 1) {
                assert_int_equal(refits, one.top);
                assert_int_equal(visit_refits, 0);
                assert_int_equal(pal_update_node_counts(one.update).translated, one.nodes);
            }
        }
        case_free(&one);
    }
}

static void rotation_turns_boxes_with_frames(void **unused)
{
    (void)unused;
    for (int k = 0; k < KINDS; ++k) {
        Case one;
        case_init(&one, kinds[k]);
        bool turnable = kinds[k] == PAL_HIERARCHY_OBB2;
        for (int step = 0; step < 60; ++step) {
            move(&one.surface, pal_vec3(0, 0, 0), 0.013, 0, &one.state);
            int64_t refits = pal_update_step(one.update);
            visit_all(one.update, one.hierarchy);
            check_boxes(one.hierarchy, &one.surface);
            PalUpdateNodeCounts counts = pal_update_node_counts(one.update);
            assert_int_equal(counts.inactive + counts.translated + counts.rotated + counts.refitted,
                             one.nodes);
            if (turnable)
                assert_true(refits <= one.top);
            else
                assert_int_equal(counts.rotated, 0);
        }
        case_free(&one);
    }
}

// Cones of turned subtrees turn along: they still hold all normals.
static void cones_follow(void **unused)
{
    (void)unused;
    Case one;
    case_init(&one, PAL_HIERARCHY_OBB2);
    for (int step = 0; step < 20; ++step) {
        move(&one.surface, pal_vec3(0.05, 0, 0), 0.3, 0, &one.state);
        pal_update_step(one.update);
    }
    assert_int_equal(pal_update_node_counts(one.update).rotated, one.nodes);
    check_cones(one.hierarchy, &one.surface, 1e-9);
    case_free(&one);
}

static void deformation_refits(void **unused)
{
    (void)unused;
    Case one;
    case_init(&one, PAL_HIERARCHY_AABB2);
    move(&one.surface, pal_vec3(0, 0, 0), 0, 0.1, &one.state);
    int64_t refits = pal_update_step(one.update);
    assert_int_equal(pal_update_node_counts(one.update).refitted, one.nodes);
    assert_int_equal(refits, one.top + one.nodes);
    visit_all(one.update, one.hierarchy);
    assert_int_equal(refits + pal_update_take_visit_refits(one.update),
                     one.hierarchy->volume_count);
    visit_all(one.update, one.hierarchy);  // nothing is left to do
    assert_int_equal(pal_update_take_visit_refits(one.update), 0);
    case_free(&one);
}

// Patches have at most 16 facets.
static bool is_above_patches(const PalHierarchy *hierarchy, int32_t v)
{
    return hierarchy->volumes[v].facet_count > 16;
}

// How many of these are below update nodes, which are the largest volumes with a cone of a quarter
// turn at the start.
static int32_t between_nodes_and_patches(const PalHierarchy *hierarchy)
{
    int32_t count = 0;
    for (int32_t v = 0; v < hierarchy->volume_count; ++v) {
        int32_t parent = hierarchy->volumes[v].parent;
        count += parent != PAL_NONE && hierarchy->volumes[parent].connected &&
                 hierarchy->cones[parent].angle <= acos(0) && is_above_patches(hierarchy, v);
    }
    return count;
}

// Whether volumes are looked at in every step or now and then: they hold what is inside, and those
// above patches are the same.
static void volumes_that_waited_hold_what_is_inside(void **unused)
{
    (void)unused;
    Case early, late;
    case_init_rings(&early, PAL_HIERARCHY_AABB2, 32);
    case_init_rings(&late, PAL_HIERARCHY_AABB2, 32);
    assert_true(between_nodes_and_patches(early.hierarchy) > 50);
    int64_t early_refits = 0, late_refits = 0;
    for (int step = 0; step < 40; ++step) {
        double shake = step % 8 == 0 ? 0.03 : 0.0005;
        PalVec3 shift = pal_vec3(step % 3 == 0 ? 0.02 : 0, 0.004, 0);
        move(&early.surface, shift, 0, shake, &early.state);
        move(&late.surface, shift, 0, shake, &late.state);
        early_refits += pal_update_step(early.update);
        late_refits += pal_update_step(late.update);
        visit_all(early.update, early.hierarchy);
        check_boxes(early.hierarchy, &early.surface);
        if (step % 5 != 4)
            continue;
        visit_all(late.update, late.hierarchy);
        check_boxes(late.hierarchy, &late.surface);
        for (int32_t v = 0; v < early.hierarchy->volume_count; ++v)
            if (is_above_patches(early.hierarchy, v))
                assert_memory_equal(&early.hierarchy->boxes[v], &late.hierarchy->boxes[v],
                                    sizeof early.hierarchy->boxes[v]);
    }
    early_refits += pal_update_take_visit_refits(early.update);
    late_refits += pal_update_take_visit_refits(late.update);
    assert_true(late_refits < early_refits);
    case_free(&early);
    case_free(&late);
}

// A sheet under one update node, of which only a corner is bent, and which then goes on as a whole:
// patches that have not moved in themselves are not refitted.
static void patches_that_only_move_stay(void **unused)
{
    (void)unused;
    Surface surface = surface_sheet(16, 16, false);
    PalHierarchy *hierarchy = hierarchy_of(&surface, PAL_HIERARCHY_AABB2, PAL_CONE_NARROWEST, 0.02);
    PalUpdate *update = update_of(PAL_UPDATE_UPDATE_NODES, hierarchy, &surface);
    int64_t refits = pal_update_step(update);
    assert_int_equal(pal_update_node_counts(update).inactive, 1);
    for (int step = 0; step < 20; ++step) {
        for (int32_t n = 0; n < surface.triangles.vertex_count; ++n) {
            double corner = fmax(0, 2 - surface.end[n].x - surface.end[n].y);
            surface.start[n] = surface.end[n];
            surface.end[n] = pal_vec3_add(surface.end[n], pal_vec3(0, 0, 0.015 * (corner + 0.5)));
        }
        refits += pal_update_step(update);
        visit_all(update, hierarchy);
        check_boxes(hierarchy, &surface);
    }
    refits += pal_update_take_visit_refits(update);
    assert_true(refits > hierarchy->volume_count / 2);
    assert_true(refits < 4 * hierarchy->volume_count);  // all of them: 20 times as many
    pal_update_destroy(update);
    pal_hierarchy_destroy(hierarchy);
    surface_free(&surface);
}

// Six pleats at right angles and a little more: no narrow cone holds two of them.
static int32_t nodes_of_pleats(int32_t cells)
{
    int32_t rows = 3 * cells, columns = 6 * cells;
    Surface surface = surface_sheet(rows, columns, false);
    for (int32_t n = 0; n < surface.triangles.vertex_count; ++n) {
        double at = (double)(n % (columns + 1)) / cells;
        double within = fabs(fmod(at, 2) - 1);  // 1 and 0 along every other fold
        PalVec3 x = pal_vec3(at, (double)(n / (columns + 1)) / cells, 1.2 * within);
        surface.start[n] = surface.end[n] = x;
    }
    PalHierarchy *hierarchy =
        hierarchy_by_edges_of(&surface, PAL_HIERARCHY_AABB2, PAL_CONE_NARROWEST, 0.01);
    PalUpdate *update = update_of(PAL_UPDATE_UPDATE_NODES, hierarchy, &surface);
    pal_update_step(update);
    int32_t nodes = pal_update_node_counts(update).inactive;
    pal_update_destroy(update);
    pal_hierarchy_destroy(hierarchy);
    surface_free(&surface);
    return nodes;
}

static void trees_split_along_sharp_edges(void **unused)
{
    (void)unused;
    int32_t coarse = nodes_of_pleats(2), fine = nodes_of_pleats(16);
    assert_true(coarse >= 6 && fine <= 2 * coarse);
}

static void updating_does_not_allocate(void **unused)
{
    (void)unused;
    for (int u = 0; u < UPDATES; ++u) {
        Surface surface = surface_sphere(8, 11);
        PalHierarchy *hierarchy =
            hierarchy_of(&surface, PAL_HIERARCHY_OBB2, PAL_CONE_NARROWEST, 0.02);
        PalUpdate *update = update_of(updates[u], hierarchy, &surface);
        uint64_t state = 13;
        int64_t before = pal_alloc_count();
        for (int step = 0; step < 5; ++step) {
            surface_shake(&surface, 0.03, &state);
            pal_update_step(update);
            visit_all(update, hierarchy);
        }
        assert_int_equal(pal_alloc_count(), before);
        pal_update_destroy(update);
        pal_hierarchy_destroy(hierarchy);
        surface_free(&surface);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(boxes_hold_the_moving_surface),
    cmocka_unit_test(exhaustive_refits_everything),
    cmocka_unit_test(larsson_refits_the_upper_half_and_what_is_visited),
    cmocka_unit_test(update_nodes_are_few_and_cover_everything),
    cmocka_unit_test(small_motion_refits_nothing),
    cmocka_unit_test(translation_moves_the_boxes),
    cmocka_unit_test(rotation_turns_boxes_with_frames),
    cmocka_unit_test(cones_follow),
    cmocka_unit_test(deformation_refits),
    cmocka_unit_test(volumes_that_waited_hold_what_is_inside),
    cmocka_unit_test(patches_that_only_move_stay),
    cmocka_unit_test(trees_split_along_sharp_edges),
    cmocka_unit_test(updating_does_not_allocate),
};
CHECK_GROUP(tests, NULL, NULL)
