// Nothing passes: continuous detection over the corrected motion, and what to do when it still
// finds something.   docs/theory/contact.md
#include "contact/response/lagrange/lagrange.h"
#include "math/mat3.h"
#include "math/range.h"
#include "math/vec3.h"

#include <palpate/geometry.h>

// Would this candidate collide between start and end?
//
// Along a fixed direction the distance between two sets of points that move on straight lines is a
// concave function of time: apart by more than `least` at both ends, they are so all along.
static bool collides(PalContact *contact, PalLagrange *lagrange, int32_t index)
{
    const PalVec3 *from = contact->surface->start, *to = contact->surface->end;
    PalLook *look = pal_lagrange_look(lagrange, index);
    const int32_t *v = look->vertices;
    double least = pal_lagrange_least(contact);
    if (pal_apart_along(from, look) > least && pal_apart_along(to, look) > least)
        return false;
    PalVec3 start[4] = {from[v[0]], from[v[1]], from[v[2]], from[v[3]]};
    PalVec3 end[4] = {to[v[0]], to[v[1]], to[v[2]], to[v[3]]};
    PalVec3 between = pal_shortest_way(lagrange->now.items[index].features.kind, start);
    look->direction = pal_vec3_normalise(between);
    least = pal_min(least, pal_vec3_length(between) / 2);
    if (pal_apart_along(from, look) > least && pal_apart_along(to, look) > least)
        return false;
    double time;
    bool hit = look->split == 1 ? pal_ccd_vertex_face(start, end, least, &time)
                                : pal_ccd_edge_edge(start, end, least, &time);
    ++contact->report.queries;
    contact->report.hits += hit;
    return hit;
}

// The candidates that are awake, in their order, with those that collide.
static void list_awake(PalLagrange *lagrange)
{
    pal_groups_mark_nothing(lagrange);
    uint64_t *bits = lagrange->groups.bits;
    for (int32_t i = 0; i < lagrange->awake_count; ++i)
        bits[lagrange->awake[i] / 64] |= UINT64_C(1) << lagrange->awake[i] % 64;
    for (int32_t h = 0; h < lagrange->hit_count; ++h)
        bits[lagrange->hits[h] / 64] |= UINT64_C(1) << lagrange->hits[h] % 64;
    lagrange->awake_count = pal_groups_list(lagrange, lagrange->awake);
}

void pal_lagrange_guard(PalContact *contact, PalLagrange *lagrange)
{
    bool woken = false;
    pal_groups_mark_corrected(contact, lagrange);
    int32_t marked_count = pal_groups_list(lagrange, lagrange->hits);
    lagrange->hit_count = 0;
    for (int32_t i = 0; i < marked_count; ++i) {
        int32_t c = lagrange->hits[i];
        PalLook *look = pal_lagrange_look(lagrange, c);
        pal_contact_surface_need_four(contact->surface, look->vertices);
        if (!collides(contact, lagrange, c))
            continue;
        lagrange->hits[lagrange->hit_count++] = c;
        woken = woken || look->row == PAL_ASLEEP;
        if (look->row == PAL_ASLEEP)
            look->row = PAL_NONE;
    }
    if (woken)
        list_awake(lagrange);
}

// ---- rescue -----------------------------------------------------------------------------

static int32_t root_of(PalLagrange *lagrange, int32_t v)
{
    while (lagrange->cluster[v] != v)
        v = lagrange->cluster[v] = lagrange->cluster[lagrange->cluster[v]];
    return v;
}

// What is summed up for a cluster.
enum { MOMENTUM, MASS = 3, HELD = 6, MEMBERS, CENTRE, TURN = 11, INERTIA = 14 };

enum { STAYS = 8 };  // among the bits of axes that are held: it is no node

static PalVec3 vector_at(const double *numbers)
{
    return pal_vec3(numbers[0], numbers[1], numbers[2]);
}

static void add_to(double *numbers, double factor, PalVec3 v)
{
    numbers[0] += factor * v.x;
    numbers[1] += factor * v.y;
    numbers[2] += factor * v.z;
}

static PalVec3 start_of(const PalContactSurface *surface, int32_t carrier)
{
    int32_t node = surface->carrier_node[carrier];
    return pal_vec3_add(surface->motion.model->nodes[node], surface->motion.displacement[node]);
}

// Momentum and mass of clusters, or the velocity of what cannot give way.
static void sum_up(const PalContactSurface *surface, PalLagrange *lagrange)
{
    const PalRows *rows = &lagrange->rows;
    for (int32_t i = 0; i < rows->touched_count; ++i) {
        int32_t c = rows->touched[i];
        double *sum = lagrange->cluster_sums[root_of(lagrange, c)];
        ++sum[MEMBERS];
        for (int j = 0; j < 3; ++j) {
            double inverse = rows->carriers->inverse_mass[c][j], u = rows->velocity[c][j];
            int bit = 1 << j, held = (int)sum[HELD];
            if (inverse > 0 && !(held & bit)) {
                sum[MOMENTUM + j] += u / inverse;
                sum[MASS + j] += 1 / inverse;
            } else if (inverse == 0) {
                sum[MOMENTUM + j] = u + (held & bit ? sum[MOMENTUM + j] : 0);
                sum[MASS + j] = 1 + (held & bit ? sum[MASS + j] : 0);
                sum[HELD] = held | bit;
            }
        }
        if (!pal_carrier_is_node(surface, c))
            sum[HELD] = (int)sum[HELD] | STAYS;
        else if (rows->carriers->inverse_mass[c][0] > 0)
            add_to(sum + CENTRE, 1 / rows->carriers->inverse_mass[c][0], start_of(surface, c));
    }
}

// Does its cluster turn as one piece?
static bool turns(const PalLagrange *lagrange, const double *sum)
{
    return lagrange->turns && sum[HELD] == 0 && sum[MEMBERS] > 1;
}

// Where a carrier is from the centre of its cluster.
static PalVec3 arm_of(const PalContactSurface *surface, const double *sum, int32_t carrier)
{
    return pal_vec3_add_scaled(start_of(surface, carrier), -1 / sum[MASS], vector_at(sum + CENTRE));
}

static void sum_up_turns(const PalContactSurface *surface, PalLagrange *lagrange)
{
    const PalRows *rows = &lagrange->rows;
    for (int32_t i = 0; i < rows->touched_count; ++i) {
        int32_t c = rows->touched[i];
        double *sum = lagrange->cluster_sums[root_of(lagrange, c)];
        if (!turns(lagrange, sum))
            continue;
        PalVec3 r = arm_of(surface, sum, c);
        double mass = 1 / rows->carriers->inverse_mass[c][0];
        add_to(sum + TURN, mass, pal_vec3_cross(r, vector_at(rows->velocity[c])));
        const double all[6] = {r.y * r.y + r.z * r.z,
                               r.x * r.x + r.z * r.z,
                               r.x * r.x + r.y * r.y,
                               -r.x * r.y,
                               -r.y * r.z,
                               -r.z * r.x};
        for (int k = 0; k < 6; ++k)
            sum[INERTIA + k] += mass * all[k];
    }
}

// From how much it turns to how fast, in place. What lies in one line does not turn about it.
static void find_spin(double *sum)
{
    const double *I = sum + INERTIA;
    PalMat3 inertia = {{{I[0], I[3], I[5]}, {I[3], I[1], I[4]}, {I[5], I[4], I[2]}}}, axes;
    double values[3];
    PalVec3 turn = vector_at(sum + TURN), spin = {0, 0, 0};
    pal_mat3_eigen_symmetric(&inertia, values, &axes);
    for (int k = 0; k < 3; ++k) {
        PalVec3 axis = pal_vec3(axes.m[0][k], axes.m[1][k], axes.m[2][k]);
        if (values[k] > 1e-9 * values[2])
            spin = pal_vec3_add_scaled(spin, pal_vec3_dot(axis, turn) / values[k], axis);
    }
    sum[TURN] = spin.x;
    sum[TURN + 1] = spin.y;
    sum[TURN + 2] = spin.z;
}

// Carriers that must not come nearer to each other move together: as one rigid piece, or all with
// the mean velocity of those that cannot give way. Velocities of a rigid piece, kept for a step,
// bring no two points nearer.
static void move_together(const PalContactSurface *surface, PalLagrange *lagrange)
{
    double(*sums)[PAL_CLUSTER_SUMS] = lagrange->cluster_sums;
    PalRows *rows = &lagrange->rows;
    for (int32_t i = 0; i < rows->touched_count; ++i)
        for (int j = 0; j < PAL_CLUSTER_SUMS; ++j)
            sums[rows->touched[i]][j] = 0;
    sum_up(surface, lagrange);
    sum_up_turns(surface, lagrange);
    for (int32_t i = 0; i < rows->touched_count; ++i)
        if (root_of(lagrange, rows->touched[i]) == rows->touched[i] &&
            turns(lagrange, sums[rows->touched[i]]))
            find_spin(sums[rows->touched[i]]);
    for (int32_t i = 0; i < rows->touched_count; ++i) {
        int32_t c = rows->touched[i];
        const double *sum = sums[root_of(lagrange, c)];
        PalVec3 along = {0, 0, 0};
        if (turns(lagrange, sum))
            along = pal_vec3_cross(vector_at(sum + TURN), arm_of(surface, sum, c));
        for (int j = 0; j < 3 && sum[MEMBERS] > 1; ++j)
            if (rows->carriers->inverse_mass[c][j] > 0)
                rows->velocity[c][j] = sum[MOMENTUM + j] / sum[MASS + j] + pal_vec3_at(along, j);
    }
}

void pal_lagrange_part_all(const PalContact *contact, PalLagrange *lagrange)
{
    for (int32_t c = 0; c < contact->surface->carrier_count; ++c)
        lagrange->cluster[c] = c;
}

// True: the two moved apart before.
static bool join(PalLagrange *lagrange, int32_t one, int32_t other)
{
    int32_t a = root_of(lagrange, one), b = root_of(lagrange, other);
    lagrange->cluster[a > b ? a : b] = a > b ? b : a;
    return a != b;
}

bool pal_lagrange_join(PalContact *contact, PalLagrange *lagrange, const PalContactStep *step)
{
    const PalContactSurface *surface = contact->surface;
    bool joined = false;
    for (int32_t h = 0; h < lagrange->hit_count; ++h) {
        const int32_t *v = lagrange->now.items[lagrange->hits[h]].features.vertices;
        int32_t first = surface->holds[surface->hold_start[v[0]]].carrier;
        for (int k = 0; k < 4; ++k) {
            pal_lagrange_touch_around(contact, lagrange, v[k]);
            for (int32_t i = surface->hold_start[v[k]]; i < surface->hold_start[v[k] + 1]; ++i)
                joined = join(lagrange, first, surface->holds[i].carrier) || joined;
        }
        ++contact->report.rescues;
    }
    move_together(surface, lagrange);
    for (int32_t f = 0; f < surface->free_count; ++f)  // what moves together does not turn
        contact->bodies[f].cut = contact->bodies[f].touched;
    pal_lagrange_move(contact, lagrange, step);
    return joined;
}
