// Closest point on a face: the least |x(xi) - y|^2 over a triangle or a square of natural
// coordinates, with x a polynomial of the eight monomials below. Aragon and Molinari (2014),
// equations 16 and 17. Flat triangles have a closed form; others are looked at on a grid, and from
// each of its lowest points Newton's method goes down, along the rim where that is in the way.
// docs/theory/levels.md, 5
#include "geometry/closest.h"
#include <palpate/geometry.h>

#include <string.h>

enum { TERMS = 8, COARSE = 3, FINE = 8, STARTS = 12, ITERATIONS = 100, HALVINGS = 40 };

static const double largest = 1e100;
static const double arrived = 1e-9;   // so short a step is the last: the next would be its square
static const double on_side = 1e-14;  // nearer to a side of the domain is on it

// x(xi, eta) - y = sum of terms: 1, xi, eta, xi^2, xi eta, eta^2, xi^2 eta, xi eta^2.
typedef struct Patch {
    PalVec3 terms[TERMS];
    bool triangle;
} Patch;

// Half the square of the distance, and its derivatives.
typedef struct Slope {
    double value;
    double gradient[2];
    double hessian[3];  // xi xi, xi eta, eta eta
    double metric[3];   // the part of it that is never negative
} Slope;

// A side of the domain: the coordinates inside have normal . xi <= bound.
typedef struct Side {
    double normal[2], bound;
} Side;

static const Side square_sides[] = {{{-1, 0}, 1}, {{1, 0}, 1}, {{0, -1}, 1}, {{0, 1}, 1}};
static const Side triangle_sides[] = {{{-1, 0}, 0}, {{0, -1}, 0}, {{1, 1}, 1}};

int32_t pal_face_node_count(PalFaceKind kind)
{
    static const int32_t counts[] = {3, 6, 4, 8};
    return (int)kind >= 0 && (int)kind <= PAL_FACE_QUAD8 ? counts[kind] : 0;
}

// ---- shape functions --------------------------------------------------------------------

static void shape(PalFaceKind kind, const double natural[2], double weights[PAL_FACE_NODE_MAX])
{
    double x = natural[0], y = natural[1], z = 1 - x - y;
    memset(weights, 0, PAL_FACE_NODE_MAX * sizeof *weights);
    if (kind == PAL_FACE_TRI3) {
        memcpy(weights, (double[]){z, x, y}, 3 * sizeof *weights);
    } else if (kind == PAL_FACE_TRI6) {
        memcpy(weights,
               (double[]){z * (2 * z - 1), x * (2 * x - 1), y * (2 * y - 1), 4 * z * x, 4 * x * y,
                          4 * y * z},
               6 * sizeof *weights);
    } else {
        static const double corners[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
        for (int a = 0; a < 4; ++a) {
            double u = x * corners[a][0], v = y * corners[a][1];
            weights[a] = (1 + u) * (1 + v) / 4 * (kind == PAL_FACE_QUAD8 ? u + v - 1 : 1);
        }
        if (kind == PAL_FACE_QUAD8) {
            weights[4] = (1 - x * x) * (1 - y) / 2;
            weights[5] = (1 + x) * (1 - y * y) / 2;
            weights[6] = (1 - x * x) * (1 + y) / 2;
            weights[7] = (1 - x) * (1 - y * y) / 2;
        }
    }
}

// ---- the polynomial ---------------------------------------------------------------------

// Terms of each kind: row k has the factors of the nodes.
static const double tri6_terms[TERMS][PAL_FACE_NODE_MAX] = {
    {1, 0, 0, 0, 0, 0},  {-3, -1, 0, 4, 0, 0}, {-3, 0, -1, 0, 0, 4},
    {2, 2, 0, -4, 0, 0}, {4, 0, 0, -4, 4, -4}, {2, 0, 2, 0, 0, -4},
};
static const double quad4_terms[TERMS][PAL_FACE_NODE_MAX] = {
    {0.25, 0.25, 0.25, 0.25},   {-0.25, 0.25, 0.25, -0.25}, {-0.25, -0.25, 0.25, 0.25}, {0},
    {0.25, -0.25, 0.25, -0.25},
};
static const double quad8_terms[TERMS][PAL_FACE_NODE_MAX] = {
    {-0.25, -0.25, -0.25, -0.25, 0.5, 0.5, 0.5, 0.5},
    {0, 0, 0, 0, 0, 0.5, 0, -0.5},
    {0, 0, 0, 0, -0.5, 0, 0.5, 0},
    {0.25, 0.25, 0.25, 0.25, -0.5, 0, -0.5, 0},
    {0.25, -0.25, 0.25, -0.25},
    {0.25, 0.25, 0.25, 0.25, 0, -0.5, 0, -0.5},
    {-0.25, -0.25, 0.25, 0.25, 0.5, 0, -0.5, 0},
    {-0.25, 0.25, 0.25, -0.25, 0, -0.5, 0, 0.5},
};

static Patch make_patch(PalFaceKind kind, const PalVec3 *nodes, PalVec3 point)
{
    const double(*factors)[PAL_FACE_NODE_MAX] = kind == PAL_FACE_TRI6    ? tri6_terms
                                                : kind == PAL_FACE_QUAD4 ? quad4_terms
                                                                         : quad8_terms;
    Patch patch = {.triangle = kind == PAL_FACE_TRI6};
    int32_t count = pal_face_node_count(kind);
    // by differences, lest a place far from the origin cost digits
    PalVec3 arms[PAL_FACE_NODE_MAX];
    for (int32_t a = 0; a < count; ++a)
        arms[a] = pal_vec3_sub(nodes[a], point);
    for (int k = 0; k < TERMS; ++k) {
        PalVec3 sum = {0, 0, 0};
        for (int32_t a = 0; a < count; ++a)
            sum = pal_vec3_add_scaled(sum, factors[k][a], arms[a]);
        patch.terms[k] = sum;
    }
    return patch;
}

// r = a + x b + x^2 c and its derivatives; a, b and c are polynomials of y.
static inline Slope slope_at(const Patch *patch, const double at[2])
{
    double x = at[0], y = at[1], xx = x * x;
    const PalVec3 *t = patch->terms;
    PalVec3 a = pal_vec3_add_scaled(pal_vec3_add_scaled(t[0], y, t[2]), y * y, t[5]);
    PalVec3 b = pal_vec3_add_scaled(pal_vec3_add_scaled(t[1], y, t[4]), y * y, t[7]);
    PalVec3 c = pal_vec3_add_scaled(t[3], y, t[6]);
    PalVec3 ay = pal_vec3_add_scaled(t[2], 2 * y, t[5]),
            by = pal_vec3_add_scaled(t[4], 2 * y, t[7]);
    PalVec3 r = pal_vec3_add_scaled(pal_vec3_add_scaled(a, x, b), xx, c);
    PalVec3 rx = pal_vec3_add_scaled(b, 2 * x, c);
    PalVec3 ry = pal_vec3_add_scaled(pal_vec3_add_scaled(ay, x, by), xx, t[6]);
    PalVec3 rxy = pal_vec3_add_scaled(by, 2 * x, t[6]),
            half_ryy = pal_vec3_add_scaled(t[5], x, t[7]);
    Slope slope = {
        .value = pal_vec3_dot(r, r) / 2,
        .gradient = {pal_vec3_dot(r, rx), pal_vec3_dot(r, ry)},
        .metric = {pal_vec3_dot(rx, rx), pal_vec3_dot(rx, ry), pal_vec3_dot(ry, ry)},
    };
    slope.hessian[0] = slope.metric[0] + 2 * pal_vec3_dot(r, c);
    slope.hessian[1] = slope.metric[1] + pal_vec3_dot(r, rxy);
    slope.hessian[2] = slope.metric[2] + 2 * pal_vec3_dot(r, half_ryy);
    return slope;
}

// ---- going down -------------------------------------------------------------------------

static inline double dot2(const double a[2], const double b[2])
{
    return a[0] * b[0] + a[1] * b[1];
}

// Newton's direction, of the Hessian where it has a least point, else of its part that always has,
// made a little stiffer.
static void newton_direction(const Slope *slope, double direction[2])
{
    const double *g = slope->gradient, *h = slope->hessian;
    double a = h[0], b = h[1], c = h[2];
    double det = a * c - b * b;
    if (!(a > 0 && det > 1e-12 * a * c)) {
        double more = 1e-3 * (slope->metric[0] + slope->metric[2]);
        a = slope->metric[0] + more;
        b = slope->metric[1];
        c = slope->metric[2] + more;
        det = a * c - b * b;
    }
    direction[0] = det > 0 ? (b * g[1] - c * g[0]) / det : -g[0];
    direction[1] = det > 0 ? (b * g[0] - a * g[1]) / det : -g[1];
}

// Along a side, in which the function of one variable has a least point, or else downhill.
static void direction_along(const Slope *slope, const Side *side, double direction[2])
{
    double along[2] = {-side->normal[1], side->normal[0]};
    const double *h = slope->hessian, *m = slope->metric;
    double g = dot2(slope->gradient, along);
    double curve =
        h[0] * along[0] * along[0] + 2 * h[1] * along[0] * along[1] + h[2] * along[1] * along[1];
    if (!(curve > 0))
        curve = 1.001 * (m[0] * along[0] * along[0] + 2 * m[1] * along[0] * along[1] +
                         m[2] * along[1] * along[1]);
    double length = curve > 0 ? -g / curve : -g;
    direction[0] = length * along[0];
    direction[1] = length * along[1];
}

typedef struct Start {
    double at[2], value;
} Start;

typedef struct Descent {
    const Patch *patch;
    const Side *sides;
    int side_count;
    double at[2];
    Slope slope;
} Descent;

static bool is_on(const Descent *descent, int side)
{
    return dot2(descent->sides[side].normal, descent->at) >= descent->sides[side].bound - on_side;
}

static bool leaves(const Descent *descent, const double direction[2], int except)
{
    for (int s = 0; s < descent->side_count; ++s)
        if (s != except && is_on(descent, s) && dot2(descent->sides[s].normal, direction) > 0)
            return true;
    return false;
}

// Where to go next: Newton's way if it stays inside, else along the side that is in its way and
// leads down most, else straight inward. False: there is nowhere to go.
static bool choose_direction(const Descent *descent, double direction[2])
{
    newton_direction(&descent->slope, direction);
    if (!leaves(descent, direction, PAL_NONE))
        return direction[0] != 0 || direction[1] != 0;
    double steepest = 0, trial[2];
    for (int s = 0; s < descent->side_count; ++s) {
        if (!is_on(descent, s))
            continue;
        direction_along(&descent->slope, &descent->sides[s], trial);
        double down = -dot2(descent->slope.gradient, trial);
        if (down > steepest && !leaves(descent, trial, s)) {
            steepest = down;
            direction[0] = trial[0];
            direction[1] = trial[1];
        }
    }
    trial[0] = -descent->slope.gradient[0];
    trial[1] = -descent->slope.gradient[1];
    if (!leaves(descent, trial, PAL_NONE) && steepest < 1e-3 * dot2(trial, trial)) {
        double m = descent->slope.metric[0] + descent->slope.metric[2];
        double length = m > 0 ? 1 / m : 1;
        direction[0] = length * trial[0];
        direction[1] = length * trial[1];
        return trial[0] != 0 || trial[1] != 0;
    }
    return steepest > 0;
}

// How far one can go, at most 1, and the side that ends the way.
static double room_along(const Descent *descent, const double direction[2], int *stop)
{
    double room = 1;
    *stop = PAL_NONE;
    for (int s = 0; s < descent->side_count; ++s) {
        const Side *side = &descent->sides[s];
        double speed = dot2(side->normal, direction);
        double left = side->bound - dot2(side->normal, descent->at);
        if (speed > 0 && !is_on(descent, s) && left < room * speed) {
            room = left / speed;
            *stop = s;
        }
    }
    return room;
}

// Puts a point that rounding has left a little outside back on the side.
static void come_back(const Descent *descent, double at[2])
{
    for (int s = 0; s < descent->side_count; ++s) {
        const Side *side = &descent->sides[s];
        double out = dot2(side->normal, at) - side->bound;
        if (out > -on_side) {
            double square = dot2(side->normal, side->normal);
            at[0] -= out / square * side->normal[0];
            at[1] -= out / square * side->normal[1];
        }
    }
}

// One step downhill. False: there is nothing lower.
static bool step_down(Descent *descent)
{
    double direction[2];
    int stop;
    if (!choose_direction(descent, direction))
        return false;
    double length = room_along(descent, direction, &stop);
    double slope = dot2(descent->slope.gradient, direction);
    for (int k = 0; k < HALVINGS; ++k, length /= 2) {
        double next[2] = {descent->at[0] + length * direction[0],
                          descent->at[1] + length * direction[1]};
        come_back(descent, next);
        if (next[0] == descent->at[0] && next[1] == descent->at[1])
            return false;
        Slope there = slope_at(descent->patch, next);
        if (there.value <= descent->slope.value + 1e-4 * length * fmin(slope, 0) &&
            there.value < descent->slope.value) {
            double moved = fmax(fabs(next[0] - descent->at[0]), fabs(next[1] - descent->at[1]));
            memcpy(descent->at, next, sizeof next);
            descent->slope = there;
            return moved > arrived || k > 0;
        }
    }
    return false;
}

static void go_down(const Patch *patch, const double start[2], double *least, double best[2])
{
    Descent descent = {
        .patch = patch,
        .sides = patch->triangle ? triangle_sides : square_sides,
        .side_count = patch->triangle ? 3 : 4,
        .at = {start[0], start[1]},
    };
    descent.slope = slope_at(patch, start);
    for (int k = 0; k < ITERATIONS && step_down(&descent); ++k) {
    }
    if (descent.slope.value < *least) {
        *least = descent.slope.value;
        memcpy(best, descent.at, sizeof descent.at);
    }
}

// ---- starts -----------------------------------------------------------------------------

// Values on a grid over the domain, row by row. A triangle's rows get shorter.
typedef struct Samples {
    int cells;  // along a side
    bool triangle;
    double first, step;
    double value[FINE + 1][FINE + 1];
} Samples;

static inline int row_length(const Samples *samples, int row)
{
    return samples->triangle ? samples->cells + 1 - row : samples->cells + 1;
}

static void sample(const Patch *patch, int cells, Samples *samples)
{
    const PalVec3 *t = patch->terms;
    samples->cells = cells;
    samples->triangle = patch->triangle;
    samples->first = patch->triangle ? 0 : -1;
    samples->step = (patch->triangle ? 1.0 : 2.0) / cells;
    for (int j = 0; j <= cells; ++j) {
        double y = samples->first + j * samples->step;
        PalVec3 a = pal_vec3_add_scaled(pal_vec3_add_scaled(t[0], y, t[2]), y * y, t[5]);
        PalVec3 b = pal_vec3_add_scaled(pal_vec3_add_scaled(t[1], y, t[4]), y * y, t[7]);
        PalVec3 c = pal_vec3_add_scaled(t[3], y, t[6]);
        for (int i = 0; i < row_length(samples, j); ++i) {
            double x = samples->first + i * samples->step;
            PalVec3 r = pal_vec3_add_scaled(pal_vec3_add_scaled(a, x, b), x * x, c);
            samples->value[j][i] = pal_vec3_dot(r, r) / 2;
        }
    }
}

// Sides of the domain that a point of the grid is on, a bit each.
static int sides_of(const Samples *samples, int row, int column)
{
    int last = samples->cells;
    if (samples->triangle)
        return (column == 0) | (row == 0) << 1 | (row + column == last) << 2;
    return (column == 0) | (row == 0) << 1 | (column == last) << 2 | (row == last) << 3;
}

// Lower than its neighbours on the same sides (0: than those inside); of equals, the first. Each
// side has least points that the inside and other sides may hide, and so has the inside.
static bool is_lowest_on(const Samples *samples, int row, int column, int sides)
{
    double value = samples->value[row][column];
    for (int j = row - 1; j <= row + 1; ++j)
        for (int i = column - 1; i <= column + 1; ++i) {
            if (j < 0 || i < 0 || j > samples->cells || i >= row_length(samples, j))
                continue;
            int there = sides_of(samples, j, i);
            if (sides == 0 ? there != 0 : (there & sides) == 0)
                continue;
            bool before = j < row || (j == row && i < column);
            if (before ? samples->value[j][i] <= value : samples->value[j][i] < value)
                return false;
        }
    return true;
}

static bool is_lowest(const Samples *samples, int row, int column)
{
    int sides = sides_of(samples, row, column);
    if (sides == 0)
        return is_lowest_on(samples, row, column, 0);
    for (int side = 1; side <= sides; side <<= 1)
        if ((sides & side) != 0 && is_lowest_on(samples, row, column, side))
            return true;
    return false;
}

static Start start_at(const Samples *samples, int row, int column)
{
    return (Start){{samples->first + column * samples->step, samples->first + row * samples->step},
                   samples->value[row][column]};
}

static Start lowest_of_all(const Samples *samples)
{
    Start lowest = start_at(samples, 0, 0);
    for (int j = 0; j <= samples->cells; ++j)
        for (int i = 0; i < row_length(samples, j); ++i)
            if (samples->value[j][i] < lowest.value)
                lowest = start_at(samples, j, i);
    return lowest;
}

// The lowest of the lowest points, in ascending order. How many.
static int find_starts(const Samples *samples, Start starts[STARTS])
{
    int count = 0;
    for (int j = 0; j <= samples->cells; ++j)
        for (int i = 0; i < row_length(samples, j); ++i) {
            if (!is_lowest(samples, j, i))
                continue;
            Start start = start_at(samples, j, i);
            int k = count < STARTS ? count++ : STARTS;
            for (; k > 0 && starts[k - 1].value > start.value; --k)
                if (k < STARTS)
                    starts[k] = starts[k - 1];
            if (k < STARTS)
                starts[k] = start;
        }
    return count;
}

// ---- how much the face bends ------------------------------------------------------------

// Over the whole domain: the longest tangents and second derivatives.
typedef struct Bend {
    double tangent, second;
} Bend;

static Bend bend_of(const Patch *patch)
{
    double length[TERMS] = {0};
    for (int k = 1; k < TERMS; ++k)
        length[k] = pal_vec3_length(patch->terms[k]);
    double x = length[1] + 2 * length[3] + length[4] + 2 * length[6] + length[7];
    double y = length[2] + length[4] + 2 * length[5] + length[6] + 2 * length[7];
    double xx = 2 * length[3] + 2 * length[6], yy = 2 * length[5] + 2 * length[7];
    return (Bend){x + y, fmax(xx, yy) + length[4] + 2 * length[6] + 2 * length[7]};
}

// Tangents in the middle have the least singular value s, and all others are within `turn` of
// them. So two points with |r| <= d are at most L = 2 d / (s - turn) apart, between them |r| is at
// most d + |r''| L^2 / 8, and the function is convex there if (s - turn)^2 exceeds that times
// |r''|. Then no point but the one found is a least point so near.
static bool is_the_only_one(const Patch *patch, const Bend *bend, double distance)
{
    const double middle[2] = {patch->triangle ? 1.0 / 3 : 0, patch->triangle ? 1.0 / 3 : 0};
    Slope slope = slope_at(patch, middle);
    const double *m = slope.metric;
    double half = (m[0] + m[2]) / 2, apart = (m[0] - m[2]) / 2;
    double least2 = half - sqrt(apart * apart + m[1] * m[1]);
    double left = sqrt(fmax(least2, 0)) - bend->second * (patch->triangle ? 0.75 : 1.42);
    if (!(left > 0))
        return false;
    double apart_most = fmin(2 * distance / left, patch->triangle ? 1.42 : 2.83);
    return left * left > bend->second * (distance + bend->second * apart_most * apart_most / 8);
}

static void find_least(const Patch *patch, double best[2])
{
    Samples samples;
    Start starts[STARTS];
    double least = INFINITY;
    Bend bend = bend_of(patch);
    sample(patch, COARSE, &samples);
    go_down(patch, lowest_of_all(&samples).at, &least, best);
    if (is_the_only_one(patch, &bend, sqrt(2 * least)))
        return;
    sample(patch, FINE, &samples);
    int count = find_starts(&samples, starts);
    for (int k = 0; k < count; ++k) {
        // within a cell of a start, nothing is nearer than this
        double near = sqrt(2 * starts[k].value) - bend.tangent * samples.step;
        if (near * fabs(near) < 2 * least)
            go_down(patch, starts[k].at, &least, best);
    }
}

// ---- asking -----------------------------------------------------------------------------

__attribute__((noinline)) static bool is_good(const PalVec3 *nodes, int32_t count, PalVec3 point)
{
    double x = fabs(point.x), y = fabs(point.y), z = fabs(point.z);  // apart: none has to wait
    for (int32_t a = 0; a < count; ++a) {
        x += fabs(nodes[a].x);
        y += fabs(nodes[a].y);
        z += fabs(nodes[a].z);
    }
    return x + y + z <= largest;
}

static void finish(PalFaceKind kind, const PalVec3 *nodes, PalVec3 point, PalFacePoint *closest)
{
    PalVec3 arm = {0, 0, 0};
    for (int32_t a = 0; a < pal_face_node_count(kind); ++a)
        arm = pal_vec3_add_scaled(arm, closest->weights[a], pal_vec3_sub(nodes[a], point));
    closest->position = pal_vec3_add(point, arm);
    closest->distance = pal_vec3_length(arm);
}

// Most are told good by numbers that the closed form needs anyway.
static inline bool is_surely_good(const PalVec3 *nodes, PalVec3 point)
{
    PalVec3 ab = pal_vec3_sub(nodes[1], nodes[0]), ac = pal_vec3_sub(nodes[2], nodes[0]);
    PalVec3 ap = pal_vec3_sub(point, nodes[0]);
    return pal_vec3_dot(point, point) + pal_vec3_dot(ap, ap) + pal_vec3_dot(ab, ab) +
               pal_vec3_dot(ac, ac) <=
           0.01 * largest * largest;
}

// Flat triangles, by the closed form.
static bool closest_on_triangle(const PalVec3 *nodes, PalVec3 point, PalFacePoint *closest)
{
    PalFeature feature;
    double weights[3];
    if (!is_surely_good(nodes, point) && !is_good(nodes, 3, point))
        return false;
    if (!pal_closest_weights(point, nodes, weights, &feature))
        pal_closest_on_sliver(point, nodes, weights, &feature);
    double a = weights[0], b = weights[1], c = weights[2];  // in registers: twice as fast
    closest->natural[0] = closest->weights[1] = b;
    closest->natural[1] = closest->weights[2] = c;
    closest->weights[0] = a;
    memset(closest->weights + 3, 0, (PAL_FACE_NODE_MAX - 3) * sizeof a);
    PalVec3 arm = pal_vec3_scale(a, pal_vec3_sub(nodes[0], point));
    arm = pal_vec3_add_scaled(arm, b, pal_vec3_sub(nodes[1], point));
    arm = pal_vec3_add_scaled(arm, c, pal_vec3_sub(nodes[2], point));
    closest->position = pal_vec3_add(point, arm);
    closest->distance = pal_vec3_length(arm);
    return true;
}

// Apart: what it needs room for is not to slow down triangles.
__attribute__((noinline)) static bool closest_on_patch(PalFaceKind kind, const PalVec3 *nodes,
                                                       PalVec3 point, PalFacePoint *closest)
{
    int32_t count = pal_face_node_count(kind);
    if (count == 0 || !is_good(nodes, count, point))
        return false;
    Patch patch = make_patch(kind, nodes, point);
    find_least(&patch, closest->natural);
    shape(kind, closest->natural, closest->weights);
    finish(kind, nodes, point, closest);
    return true;
}

bool pal_closest_on_face(PalFaceKind kind, const PalVec3 *nodes, PalVec3 point,
                         PalFacePoint *closest)
{
    return kind == PAL_FACE_TRI3 ? closest_on_triangle(nodes, point, closest)
                                 : closest_on_patch(kind, nodes, point, closest);
}

int32_t pal_closest_on_faces(PalFaceKind kind, const PalVec3 *nodes, int32_t face_count,
                             PalVec3 point, PalFacePoint *closest)
{
    int32_t best = PAL_NONE, node_count = pal_face_node_count(kind);
    for (int32_t f = 0; f < face_count; ++f) {
        PalFacePoint one;
        if (!pal_closest_on_face(kind, nodes + (int64_t)f * node_count, point, &one))
            return PAL_NONE;
        if (best != PAL_NONE && !(one.distance < closest->distance))
            continue;
        best = f;
        *closest = one;
    }
    return best;
}
