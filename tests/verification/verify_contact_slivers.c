// Instruments as STL files have them: slivers, triangles without area, lines that stick out. An
// independent check measures all pairs of triangles in long double: none touch or cross.
#include "crossing.h"
#include "touch.h"

enum { NODE_MAX = 3000, CELL_MAX = 4000 };

typedef struct Instrument {
    int32_t node_count, cell_count;
    PalVec3 nodes[NODE_MAX];
    int32_t cells[CELL_MAX][3];
    uint64_t seed;
} Instrument;

static double random_number(Instrument *it)
{
    it->seed = it->seed * 6364136223846793005U + 1442695040888963407U;
    return (double)(it->seed >> 11) / 9007199254740992.0;
}

static int32_t add_node(Instrument *it, PalVec3 x)
{
    assert_true(it->node_count < NODE_MAX);
    it->nodes[it->node_count] = x;
    return it->node_count++;
}

static void add_cell(Instrument *it, int32_t a, int32_t b, int32_t c)
{
    assert_true(it->cell_count < CELL_MAX);
    int32_t *cell = it->cells[it->cell_count++];
    cell[0] = a;
    cell[1] = b;
    cell[2] = c;
}

static PalVec3 between(PalVec3 a, PalVec3 b, double share)
{
    return pal_vec3_add_scaled(a, share, pal_vec3_sub(b, a));
}

// Cuts a triangle in two at a point of one side; the triangle across stays, and one without area,
// or a sliver, fills the crack.
static void cut_side(Instrument *it, int32_t c, double share, double off)
{
    int32_t k = (int32_t)(3 * random_number(it)), *cell = it->cells[c];
    int32_t from = cell[k], to = cell[(k + 1) % 3], top = cell[(k + 2) % 3];
    PalVec3 side = between(it->nodes[from], it->nodes[to], share);
    int32_t middle = add_node(it, between(side, it->nodes[top], off));
    cell[0] = from;
    cell[1] = middle;
    cell[2] = top;
    add_cell(it, middle, to, top);
    add_cell(it, from, to, middle);
}

// A line from the surface outward: three corners in a row, or one of them twice.
static void add_line(Instrument *it, int32_t c, double length)
{
    const int32_t *cell = it->cells[c];
    PalVec3 foot = between(between(it->nodes[cell[0]], it->nodes[cell[1]], 0.3), it->nodes[cell[2]],
                           random_number(it));
    PalVec3 tip = pal_vec3_scale(1 + length / pal_vec3_length(foot), foot);
    int32_t a = add_node(it, foot), b = add_node(it, tip);
    add_cell(it, a, b, c % 2 == 0 ? b : add_node(it, between(foot, tip, 0.5)));
}

typedef enum Spoil { CRACKS, NEEDLES, CAPS, LINES, ALL } Spoil;

static PalMesh *make_instrument(Spoil spoil, uint64_t seed)
{
    static Instrument it;
    PalMesh *ball = touch_shape(PAL_SHAPE_SPHERE, pal_vec3(0.3, 0.3, 0.3), (int32_t[]){6, 0, 0},
                                PAL_CELL_TRIANGLE, pal_vec3(0, 0, 0));
    it = (Instrument){.seed = seed};
    for (int32_t n = 0; n < ball->node_count; ++n)
        add_node(&it, ball->nodes[n]);
    for (int32_t c = 0; c < ball->cell_count; ++c)
        add_cell(&it, ball->cells[3 * c], ball->cells[3 * c + 1], ball->cells[3 * c + 2]);
    for (int32_t c = 0; c < ball->cell_count; ++c) {
        if (random_number(&it) < 0.5)
            continue;
        Spoil how = spoil == ALL ? (Spoil)(int)(4 * random_number(&it)) : spoil;
        if (how == LINES)
            add_line(&it, c, 0.03);
        else
            cut_side(&it, c, how == NEEDLES ? 1e-9 : random_number(&it), how == CAPS ? 1e-7 : 0);
    }
    pal_mesh_destroy(ball);
    for (int32_t n = 0; n < it.node_count; ++n)
        it.nodes[n].z += 0.25 + 0.3 + 0.035;
    PalMeshDef def = {PAL_CELL_TRIANGLE, it.node_count, it.nodes, it.cell_count, it.cells[0]};
    PalError error = {0};
    PalMesh *mesh = NULL;
    check_ok(pal_mesh_create(&def, &mesh, &error), &error);
    return mesh;
}

// ---- distances, in long double ------------------------------------------------------------

typedef struct Place {
    long double x[3];
} Place;

static Place less(Place a, Place b)
{
    return (Place){{a.x[0] - b.x[0], a.x[1] - b.x[1], a.x[2] - b.x[2]}};
}

static long double dot(Place a, Place b)
{
    return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2];
}

static Place cross(Place a, Place b)
{
    return (Place){{a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2],
                    a.x[0] * b.x[1] - a.x[1] * b.x[0]}};
}

static long double to_segment(Place p, Place a, Place b)
{
    Place along = less(b, a), arm = less(p, a);
    long double square = dot(along, along), t = square > 0 ? dot(along, arm) / square : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    for (int i = 0; i < 3; ++i)
        arm.x[i] -= t * along.x[i];
    return sqrtl(dot(arm, arm));
}

static long double to_triangle(Place p, const Place t[3])
{
    long double least = INFINITY;
    for (int k = 0; k < 3; ++k)
        least = fminl(least, to_segment(p, t[k], t[(k + 1) % 3]));
    Place normal = cross(less(t[1], t[0]), less(t[2], t[0]));
    for (int k = 0; k < 3; ++k)
        if (!(dot(normal, cross(less(t[(k + 1) % 3], t[k]), less(p, t[k]))) > 0))
            return least;
    return fminl(least, fabsl(dot(normal, less(p, t[0]))) / sqrtl(dot(normal, normal)));
}

static long double between_segments(Place a, Place b, Place c, Place d)
{
    long double least = fminl(fminl(to_segment(a, c, d), to_segment(b, c, d)),
                              fminl(to_segment(c, a, b), to_segment(d, a, b)));
    Place first = less(b, a), second = less(d, c), normal = cross(first, second), arm = less(c, a);
    long double square = dot(normal, normal);
    if (!(square > 0))
        return least;
    long double s = dot(cross(arm, second), normal) / square;
    long double t = dot(cross(arm, first), normal) / square;
    bool interior = s >= 0 && s <= 1 && t >= 0 && t <= 1;
    return interior ? fminl(least, fabsl(dot(normal, arm)) / sqrtl(square)) : least;
}

static long double between_triangles(const CrossingTriangle *a, const CrossingTriangle *b)
{
    Place p[3], q[3];
    long double least = INFINITY;
    for (int k = 0; k < 3; ++k) {
        p[k] = (Place){{a->x[k].x, a->x[k].y, a->x[k].z}};
        q[k] = (Place){{b->x[k].x, b->x[k].y, b->x[k].z}};
    }
    for (int k = 0; k < 3; ++k) {
        least = fminl(least, fminl(to_triangle(p[k], q), to_triangle(q[k], p)));
        for (int j = 0; j < 3; ++j)
            least = fminl(least, between_segments(p[k], p[(k + 1) % 3], q[j], q[(j + 1) % 3]));
    }
    return crossing_pair(a, b) ? 0 : least;
}

static bool are_near(const CrossingTriangle *a, const CrossingTriangle *b)
{
    const double margin = 0.005;
    for (int i = 0; i < 3; ++i)
        if ((&a->lower.x)[i] > (&b->upper.x)[i] + margin ||
            (&b->lower.x)[i] > (&a->upper.x)[i] + margin)
            return false;
    return a->object != b->object;
}

// The least distance between the body and the instrument.
static double nearest(const PalSim *sim)
{
    static CrossingTriangle list[2 * CELL_MAX];
    int32_t count = crossing_gather(sim, list);
    long double least = INFINITY;
    for (int32_t i = 0; i < count; ++i)
        for (int32_t j = i + 1; j < count; ++j)
            if (are_near(&list[i], &list[j]))
                least = fminl(least, between_triangles(&list[i], &list[j]));
    return (double)least;
}

// An instrument is pressed into a block and drawn along.
static void test_instruments(void **state)
{
    (void)state;
    static const char *const names[] = {"cracks", "needles", "caps", "lines", "all of them"};
    for (int spoil = CRACKS; spoil <= ALL; ++spoil) {
        Touch t = touch_nothing(0.6);
        PalMesh *block = touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 0.5), (int32_t[]){8, 8, 4},
                                     PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, 0));
        touch_add_mesh(&t, block, 1000, 0.3, 10);
        int32_t r = touch_add_rigid(&t, make_instrument((Spoil)spoil, 1 + (uint64_t)spoil));
        t.rigids[r].motion.translation = pal_vec3(0.1, 0.05, -0.2);
        t.rigids[r].motion.ramp.kind = PAL_RAMP_SMOOTH;
        PalConditionDef *fix = touch_side(&t, 0, PAL_CONDITION_FIX, 2, false);
        fix->axes[0] = fix->axes[1] = fix->axes[2] = true;
        t.sim.solver.damping = 2;
        touch_pair(&t, 0, 1, 0.3);
        touch_start(&t);
        double least = INFINITY;
        for (int i = 1; i <= 6; ++i) {
            touch_advance(&t, 0.1 * i);
            least = fmin(least, nearest(t.run));
        }
        PalContactReport report = pal_sim_contact_report(t.run);
        print_message("%s: %.3g apart at least, separation %.3g, %d contacts, rescues %lld\n",
                      names[spoil], least, report.separation, report.most_contacts,
                      (long long)report.rescues);
        assert_true(report.most_contacts > 0);
        assert_int_equal(report.rescues, 0);
        assert_int_equal(pal_sim_intersections(t.run), 0);
        assert_true(least > 0.2 * report.separation);
        touch_end(&t);
    }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(test_instruments)};
CHECK_GROUP(tests, NULL, NULL)
