// Detection is complete: whatever a search without any shortcut finds to collide in a step is among
// the pairs of facets listed for it. Surfaces are moved at random and pass freely through each
// other and themselves, so that there is much to find.
#include "surfaces.h"

#include <palpate/geometry.h>

#define PI 3.14159265358979323846

static Surfaces parts;
static uint64_t random_state;

static double random_number(void)  // in [-1, 1)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(random_state >> 11) / (double)(UINT64_C(1) << 52) - 1;
}

// ---- without shortcuts ------------------------------------------------------------------

// Boxes around the facets' paths.
static double boxes[SURFACES_FACETS][2][3];

static void find_boxes(const PalContactSurface *surface)
{
    for (int32_t f = 0; f < surface->facet_count; ++f) {
        for (int i = 0; i < 3; ++i) {
            double lower = INFINITY, upper = -INFINITY;
            for (int a = 0; a < 3; ++a) {
                int32_t v = surface->facets[f][a];
                double from = pal_vec3_at(surface->start[v], i),
                       to = pal_vec3_at(surface->end[v], i);
                lower = fmin(lower, fmin(from, to));
                upper = fmax(upper, fmax(from, to));
            }
            boxes[f][0][i] = lower;
            boxes[f][1][i] = upper;
        }
    }
}

static bool boxes_overlap(int32_t f, int32_t g)
{
    for (int i = 0; i < 3; ++i)
        if (boxes[f][0][i] > boxes[g][1][i] || boxes[g][0][i] > boxes[f][1][i])
            return false;
    return true;
}

static bool four_collide(const PalContactSurface *surface, const int32_t vertices[4], bool edges)
{
    PalVec3 start[4], end[4];
    for (int a = 0; a < 4; ++a) {
        for (int b = edges ? 2 : 1; a < b && b < 4; ++b)
            if (vertices[a] == vertices[b])
                return false;
        start[a] = surface->start[vertices[a]];
        end[a] = surface->end[vertices[a]];
    }
    double time;
    return edges ? pal_ccd_edge_edge(start, end, 0, &time)
                 : pal_ccd_vertex_face(start, end, 0, &time);
}

static bool share_vertex(const int32_t *p, const int32_t *q)
{
    for (int k = 0; k < 9; ++k)
        if (p[k / 3] == q[k % 3])
            return true;
    return false;
}

static bool intersect_now(const PalContactSurface *surface, const int32_t *p, const int32_t *q)
{
    PalVec3 a[3], b[3];
    for (int k = 0; k < 3; ++k) {
        a[k] = surface->end[p[k]];
        b[k] = surface->end[q[k]];
    }
    return pal_triangles_intersect(a, b);
}

static bool collide(const PalContactSurface *surface, int32_t f, int32_t g)
{
    if (!boxes_overlap(f, g))
        return false;
    const int32_t *p = surface->facets[f], *q = surface->facets[g];
    for (int k = 0; k < 3; ++k)
        if (four_collide(surface, (int32_t[]){p[k], q[0], q[1], q[2]}, false) ||
            four_collide(surface, (int32_t[]){q[k], p[0], p[1], p[2]}, false))
            return true;
    for (int k = 0; k < 9; ++k)
        if (four_collide(surface,
                         (int32_t[]){p[k / 3], p[(k / 3 + 1) % 3], q[k % 3], q[(k % 3 + 1) % 3]},
                         true))
            return true;
    return !share_vertex(p, q) && intersect_now(surface, p, q);
}

// ---- comparing --------------------------------------------------------------------------

typedef struct Tally {
    int64_t missed;
    int64_t collisions, sampled;  // how many there are is looked at in some steps only
    int64_t listed, steps;
} Tally;

static bool find(const PalSearch *search, int32_t *next, int32_t f, int32_t g)
{
    while (
        *next < search->pair_count &&
        (search->pairs[*next].a < f || (search->pairs[*next].a == f && search->pairs[*next].b < g)))
        ++*next;
    return *next < search->pair_count && search->pairs[*next].a == f && search->pairs[*next].b == g;
}

static void compare(const PalSearch *search, const PalContactSurface *surface, Tally *tally)
{
    int32_t next = 0;
    find_boxes(surface);
    for (int32_t f = 0; f < surface->facet_count; ++f) {
        for (int32_t g = f + 1; g < surface->facet_count; ++g) {
            bool stiff = f >= surface->soft_facet_count &&
                         surface->facet_object[f] == surface->facet_object[g];
            if (stiff || find(search, &next, f, g) || !collide(surface, f, g))
                continue;
            ++tally->missed;
        }
    }
    bool sample = tally->steps % 5 == 4;
    for (int32_t p = 0; sample && p < search->pair_count; ++p)
        tally->collisions += collide(surface, search->pairs[p].a, search->pairs[p].b);
    tally->sampled += sample;
    tally->listed += search->pair_count;
    ++tally->steps;
}

// ---- surfaces ---------------------------------------------------------------------------

static PalVec3 folded(double u, double v, const void *context)
{
    (void)context;
    // a hairpin, the two halves 0.08 apart
    double s = 2.4 * (u - 0.5), bend = 0.04 * PI;
    if (fabs(s) < bend / 2)
        return pal_vec3(0.04 * cos(s / 0.04), v, 0.04 * sin(s / 0.04));
    return pal_vec3(bend / 2 - fabs(s), v, s < 0 ? -0.04 : 0.04);
}

static PalVec3 twisted(double u, double v, const void *context)
{
    (void)context;
    double angle = 3 * PI * u, r = 0.3 * (v - 0.5);
    return pal_vec3(1.2 * u, r * cos(angle), r * sin(angle));
}

static PalVec3 ramp(double u, double v, const void *context)
{
    double turns = *(const double *)context, angle = 2 * PI * turns * u;
    return pal_vec3((0.5 + 0.3 * v) * cos(angle), (0.5 + 0.3 * v) * sin(angle), 0.05 * u);
}

static PalVec3 flat(double u, double v, const void *context)
{
    return pal_vec3(u, v, *(const double *)context);
}

// A closed box-like ball: a cube of n x n squares a side, blown up.
static void add_ball(PalVec3 centre, double radius, int32_t n)
{
    static int32_t index[9][9][9];
    surfaces_begin_part(&parts);
    for (int32_t i = 0; i <= n; ++i)
        for (int32_t j = 0; j <= n; ++j)
            for (int32_t k = 0; k <= n; ++k) {
                bool inside = i > 0 && i < n && j > 0 && j < n && k > 0 && k < n;
                PalVec3 at = pal_vec3(2.0 * i / n - 1, 2.0 * j / n - 1, 2.0 * k / n - 1);
                PalVec3 out = pal_vec3_scale(radius, pal_vec3_normalise(at));
                index[i][j][k] =
                    inside ? PAL_NONE : surfaces_add_vertex(&parts, pal_vec3_add(centre, out));
            }
    for (int32_t axis = 0; axis < 3; ++axis)
        for (int32_t side = 0; side < 2; ++side)
            for (int32_t p = 0; p < n * n; ++p) {
                int32_t at[4];
                for (int32_t c = 0; c < 4; ++c) {
                    int32_t x[3];
                    x[axis] = side * n;
                    x[(axis + 1) % 3] = p / n + (c == 1 || c == 2);
                    x[(axis + 2) % 3] = p % n + (c == 2 || c == 3);
                    at[c] = index[x[0]][x[1]][x[2]];
                }
                int32_t b = at[side == 1 ? 1 : 3], d = at[side == 1 ? 3 : 1];
                surfaces_add_facet(&parts, at[0], b, at[2]);
                surfaces_add_facet(&parts, at[0], at[2], d);
            }
}

typedef enum Shape { FOLDED, TWISTED, RAMP, BALLS, PARTS, THROWN, SHAPE_COUNT } Shape;

static PalContactSurface *make(Shape shape)
{
    double height = 0.1, turns = 1.3;
    memset(&parts, 0, sizeof parts);
    switch (shape) {
    case FOLDED:
        surfaces_add_sheet(&parts, 24, 5, folded, NULL);
        return surfaces_build(&parts, 1);
    case TWISTED:
        surfaces_add_sheet(&parts, 24, 5, twisted, NULL);
        return surfaces_build(&parts, 1);
    case RAMP:
        surfaces_add_sheet(&parts, 30, 4, ramp, &turns);
        return surfaces_build(&parts, 1);
    case BALLS:
        add_ball(pal_vec3(0, 0, 0), 0.5, 4);
        add_ball(pal_vec3(1.05, 0, 0), 0.5, 4);
        return surfaces_build(&parts, 2);
    case THROWN:  // rigid bodies that move by themselves
        surfaces_add_sheet(&parts, 8, 5, flat, &height);
        add_ball(pal_vec3(0.35, 0.5, 0.45), 0.3, 4);
        add_ball(pal_vec3(0.85, 0.5, 0.5), 0.25, 3);
        return surfaces_build(&parts, 1);
    default:
        surfaces_add_sheet(&parts, 8, 5, flat, &height);
        add_ball(pal_vec3(0.5, 0.5, 0.45), 0.3, 3);
        height = 0;
        surfaces_add_sheet(&parts, 6, 6, flat, &height);  // rigid
        return surfaces_build(&parts, 2);
    }
}

// ---- motion -----------------------------------------------------------------------------

enum { WAVES = 5 };

// Waves through space, so that neighbours move alike, and a little noise.
typedef struct Motion {
    PalVec3 way[WAVES], number[WAVES];
    double phase[WAVES], rate[WAVES], size, noise;
    PalVec3 middle;
    double narrow;  // 0: everything moves; otherwise, what is near the middle
    bool throws;    // what is rigid moves, too
} Motion;

static PalVec3 random_vector(double size)
{
    double x = random_number(), y = random_number(), z = random_number();
    return pal_vec3(size * x, size * y, size * z);
}

static Motion random_motion(double size, double narrow)
{
    Motion motion = {.size = size, .noise = 0.05 * size};
    motion.middle = pal_vec3_add(pal_vec3(0.5, 0.3, 0), random_vector(0.3));
    motion.narrow = narrow;
    for (int k = 0; k < WAVES; ++k) {
        motion.way[k] = random_vector(1);
        motion.number[k] = random_vector(k == 0 ? 0 : 6);
        motion.phase[k] = PI * random_number();
        motion.rate[k] = 0.3 * random_number();
    }
    return motion;
}

// Each of the rigid bodies goes its own way, to and fro.
static PalVec3 thrown(const PalContactSurface *surface, const Motion *motion, int32_t vertex,
                      int32_t step)
{
    int k = surface->vertex_object[vertex] % WAVES;
    double wave = motion->throws ? cos(motion->phase[k] + motion->rate[k] * step) : 0;
    return pal_vec3_scale(3 * motion->size * wave, motion->way[k]);
}

static void move(PalContactSurface *surface, const Motion *motion, int32_t step)
{
    for (int32_t v = 0; v < surface->vertex_count; ++v) {
        PalVec3 at = surface->start[v] = surface->end[v];
        PalVec3 shift = random_vector(motion->noise);
        for (int k = 0; k < WAVES; ++k) {
            double wave = cos(pal_vec3_dot(motion->number[k], at) + motion->phase[k] +
                              motion->rate[k] * step);
            shift = pal_vec3_add_scaled(shift, motion->size * wave, motion->way[k]);
        }
        PalVec3 arm = pal_vec3_sub(at, motion->middle);
        double part = exp(-motion->narrow * pal_vec3_dot(arm, arm));
        part = part < 0.1 ? 0 : part;
        surface->end[v] = v < surface->soft_vertex_count
                              ? pal_vec3_add_scaled(at, part, shift)
                              : pal_vec3_add(at, thrown(surface, motion, v, step));
    }
}

// One of five motions, each larger than the one before. Compares at every so many steps.
static Tally run(const PalContactDef *def, Shape shape, int32_t trial, int32_t stride)
{
    bool allowed[9] = {true, true, true, true, true, true, true, true, true};
    PalContactSurface *surface = make(shape);
    PalSearch *search = NULL;
    PalError error = {0};
    PalMeter meter = {{0}, {0}};
    Tally tally = {0};
    check_ok(pal_search_create(def, surface, allowed, def->separation, &search, &error), &error);
    const double sizes[] = {0.002, 0.004, 0.008, 0.015, 0.05};
    random_state = (uint64_t)(1 + 10 * (int)shape + trial);
    Motion motion = random_motion(sizes[trial], trial % 2 == 1 ? 10 : 0);
    motion.throws = shape == THROWN;
    for (int32_t step = 0; step < 40; ++step) {
        move(surface, &motion, step);
        check_ok(pal_search_update(search, surface, 1, &meter, &error), &error);
        if (step % stride == stride - 1)
            compare(search, surface, &tally);
    }
    pal_search_destroy(search);
    pal_contact_surface_destroy(surface);
    return tally;
}

static const char *const shape_names[] = {"folded", "twisted", "ramp", "balls", "parts", "thrown"};

static Tally run_all(const PalContactDef *def, Shape shape, int32_t first_trial, int32_t stride)
{
    Tally total = {0};
    for (int32_t trial = first_trial; trial < 5; ++trial) {
        Tally tally = run(def, shape, trial, stride);
        total.collisions += tally.collisions;
        total.sampled += tally.sampled;
        total.missed += tally.missed;
        total.listed += tally.listed;
        total.steps += tally.steps;
    }
    return total;
}

static void check_all_found(const PalContactDef *def, int32_t first_trial, int32_t stride)
{
    for (Shape shape = 0; shape < SHAPE_COUNT; ++shape) {
        Tally total = run_all(def, shape, first_trial, stride);
        print_message("%s %s %s %-8s %lld steps, %.1f pairs listed, %.1f collide, %lld missed\n",
                      pal_update_name(def->update), pal_hierarchy_name(def->hierarchy),
                      pal_self_test_name(def->self_test), shape_names[shape],
                      (long long)total.steps, (double)total.listed / (double)total.steps,
                      (double)total.collisions / (double)total.sampled, (long long)total.missed);
        assert_int_equal(total.missed, 0);
        assert_true(total.collisions > 0);
    }
}

static void front_finds_everything(void **state)
{
    (void)state;
    PalContactDef def = pal_contact_def_default();
    check_all_found(&def, 0, 1);
}

static void other_updates_find_everything(void **state)
{
    (void)state;
    PalContactDef def = pal_contact_def_default();
    const PalUpdateKind updates[] = {PAL_UPDATE_EXHAUSTIVE, PAL_UPDATE_LARSSON,
                                     PAL_UPDATE_UPDATE_NODES};
    const PalHierarchyKind kinds[] = {PAL_HIERARCHY_AABB2, PAL_HIERARCHY_AABB4, PAL_HIERARCHY_OBB2};
    for (int k = 0; k < 9; ++k) {
        def.update = updates[k / 3];
        def.hierarchy = kinds[k % 3];
        check_all_found(&def, 3, 8);
    }
}

// A ramp of more than one turn sinks until its ends have passed through each other.
static Tally sink_ramp(const PalContactDef *def)
{
    const bool allowed = true;
    PalContactSurface *surface = make(RAMP);
    PalSearch *search = NULL;
    PalError error = {0};
    PalMeter meter = {{0}, {0}};
    Tally tally = {0};
    check_ok(pal_search_create(def, surface, &allowed, def->separation, &search, &error), &error);
    for (int32_t step = 0; step < 40; ++step) {
        for (int32_t v = 0; v < surface->vertex_count; ++v) {
            surface->start[v] = surface->end[v];
            surface->end[v].z -= 0.05 / 20 * (v % 31) / 30;
        }
        check_ok(pal_search_update(search, surface, 1, &meter, &error), &error);
        compare(search, surface, &tally);
    }
    pal_search_destroy(search);
    pal_contact_surface_destroy(surface);
    return tally;
}

// Normals within a few degrees of each other do not keep the ends from meeting.
static void cone_alone_misses_what_sound_finds(void **state)
{
    (void)state;
    const PalUpdateKind updates[] = {PAL_UPDATE_FRONT, PAL_UPDATE_EXHAUSTIVE};
    for (int k = 0; k < 2; ++k) {
        PalContactDef def = pal_contact_def_default();
        def.update = updates[k];
        def.self_test = PAL_SELF_TEST_CONE;
        Tally cone = sink_ramp(&def);
        def.self_test = PAL_SELF_TEST_SOUND;
        Tally sound = sink_ramp(&def);
        print_message("%s: cone alone misses %lld, sound %lld\n", pal_update_name(def.update),
                      (long long)cone.missed, (long long)sound.missed);
        assert_true(cone.missed > 0);
        assert_int_equal(sound.missed, 0);
        assert_true(sound.collisions > 0);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(front_finds_everything),
    cmocka_unit_test(other_updates_find_everything),
    cmocka_unit_test(cone_alone_misses_what_sound_finds),
};
CHECK_GROUP(tests, NULL, NULL)
