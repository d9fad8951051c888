// Slave s and master m, each a weighted sum of vertices with weights b:
//   gamma_i = b_i / sum b^2                                            (10)
//   overlap   f_s,i = -beta_s m_i gamma_i g n / dt^2,  f_m,i with +beta_m     (9), (14)
//   approach  f_s,i = (1 - g / eps) gamma_i L n, L = -n.dv / (dt sum b_i gamma_i / m_i)   (17)-(19)
//   friction  the same along the slip, at most mu times the normal force      (20), (21)
// dt^2 is the displacement per acceleration, dt the velocity per acceleration of the solver.
// johnsen2015, section 3.5; johnsen2012, section 2.3.  docs/theory/contact-johnsen.md
#include "contact/response/johnsen/johnsen.h"

#include "math/vec3.h"

#define LEAST_WEIGHT   0.5   // a side moves if vertices of this much weight can
#define LEAST_MOBILITY 0.25  // a vertex moves if it does along the direction by this much at least

// Slave or master, along one direction.
typedef struct Side {
    int count;
    double share[3];    // gamma
    double mass[3];     // along the direction
    double mean_mass;   // of the virtual node
    double compliance;  // sum of b gamma / m: velocity of the point per impulse
    bool moves;
} Side;

static double mobility(const double inverse_mass[3], PalVec3 d)
{
    double along =
        d.x * d.x * inverse_mass[0] + d.y * d.y * inverse_mass[1] + d.z * d.z * inverse_mass[2];
    double most = fmax(inverse_mass[0], fmax(inverse_mass[1], inverse_mass[2]));
    return along > LEAST_MOBILITY * most ? along : 0;
}

// Vertices that are held take no part; those of instruments never do.
static Side side_along(const PalContact *contact, const int32_t *vertices, const double *weights,
                       int count, PalVec3 direction)
{
    Side side = {.count = count};
    double weight = 0, squares = 0, inverse[3];
    for (int a = 0; a < count; ++a) {
        inverse[a] = mobility(contact->carriers.inverse_mass[vertices[a]], direction);
        if (inverse[a] > 0) {
            weight += weights[a];
            squares += weights[a] * weights[a];
        }
    }
    if (!(weight >= LEAST_WEIGHT))
        return side;
    side.moves = true;
    for (int a = 0; a < count; ++a) {
        if (!(inverse[a] > 0))
            continue;
        side.share[a] = weights[a] / squares;
        side.mass[a] = 1 / inverse[a];
        side.mean_mass += weights[a] / weight * side.mass[a];
        side.compliance += weights[a] * side.share[a] * inverse[a];
    }
    return side;
}

static void sides_along(const PalContact *contact, const PalGap *gap, PalVec3 direction,
                        Side sides[2])
{
    int slaves = pal_kind_split(gap->kind);
    double shares[4];
    for (int k = 0; k < 4; ++k)
        shares[k] = pal_gap_share(gap, k);
    sides[0] = side_along(contact, gap->vertices, shares, slaves, direction);
    sides[1] = side_along(contact, gap->vertices + slaves, shares + slaves, 4 - slaves, direction);
}

static PalVec3 relative_velocity(const PalContact *contact, const PalContactStep *step,
                                 const PalGap *gap)
{
    PalVec3 end = pal_gap_difference(gap, contact->surface->end);
    PalVec3 start = pal_gap_difference(gap, contact->surface->start);
    return pal_vec3_scale(1 / step->step, pal_vec3_sub(end, start));
}

// ---- along the normal -------------------------------------------------------------------

static void push_apart(const Side sides[2], const PalPushRule *rule, const PalNear *near,
                       double per_displacement, PalNearForce *force)
{
    double gap = near->gap.along - rule->separation, part[2] = {sides[0].moves, sides[1].moves};
    if (sides[0].moves && sides[1].moves) {
        double total = sides[0].mean_mass + sides[1].mean_mass;
        part[0] = rule->even_split ? 0.5 : sides[1].mean_mass / total;
        part[1] = 1 - part[0];
    }
    double point[2] = {0, 0};
    for (int s = 0, k = 0; s < 2; ++s)
        for (int a = 0; a < sides[s].count; ++a, ++k) {
            double size = -gap * part[s] * sides[s].mass[a] * sides[s].share[a] * per_displacement;
            force->push[k] = pal_vec3_scale(s == 0 ? size : -size, near->gap.normal);
            point[s] += pal_gap_share(&near->gap, k) * size;
        }
    force->normal_force = sides[0].moves ? point[0] : point[1];
}

static void slow_down(const Side sides[2], const PalPushRule *rule, const PalNear *near,
                      double impulse, PalNearForce *force)
{
    double gap = near->gap.along - rule->separation;
    double size = impulse * (1 - gap / rule->rate_distance);
    for (int s = 0, k = 0; s < 2; ++s)
        for (int a = 0; a < sides[s].count; ++a, ++k) {
            double here = size * sides[s].share[a];
            force->push[k] = pal_vec3_scale(s == 0 ? here : -here, near->gap.normal);
        }
    force->normal_force = size;
}

void pal_johnsen_push(const PalContact *contact, const PalContactStep *step,
                      const PalPushRule *rule, const PalNear *near, PalNearForce *force)
{
    *force = (PalNearForce){.normal_force = 0};
    Side sides[2];
    sides_along(contact, &near->gap, near->gap.normal, sides);
    force->push_moves[0] = sides[0].moves;
    force->push_moves[1] = sides[1].moves;
    if (!sides[0].moves && !sides[1].moves)
        return;
    double gap = near->gap.along - rule->separation;
    if (gap < 0) {
        push_apart(sides, rule, near, 1 / (step->step * step->gain), force);
    } else if (gap < rule->rate_distance) {
        double rate = pal_vec3_dot(near->gap.normal, relative_velocity(contact, step, &near->gap));
        double compliance = step->gain * (sides[0].compliance + sides[1].compliance);
        if (rate < 0)
            slow_down(sides, rule, near, -rate / compliance, force);
    }
}

// ---- across it --------------------------------------------------------------------------

void pal_johnsen_rub(const PalContact *contact, const PalContactStep *step, const PalNear *near,
                     PalNearForce *force)
{
    double most = near->friction * force->normal_force;
    if (!(most > 0))
        return;
    PalVec3 slip = relative_velocity(contact, step, &near->gap);
    slip = pal_vec3_add_scaled(slip, -pal_vec3_dot(near->gap.normal, slip), near->gap.normal);
    double speed = pal_vec3_length(slip);
    if (!(speed > 0))
        return;
    PalVec3 direction = pal_vec3_scale(1 / speed, slip);
    Side sides[2];
    sides_along(contact, &near->gap, direction, sides);
    force->rub_moves[0] = sides[0].moves;
    force->rub_moves[1] = sides[1].moves;
    if (!sides[0].moves && !sides[1].moves)
        return;
    double size = speed / (step->gain * (sides[0].compliance + sides[1].compliance));
    force->slips = !(size < most);
    for (int s = 0, k = 0; s < 2; ++s)
        for (int a = 0; a < sides[s].count; ++a, ++k) {
            double limit = near->friction * pal_vec3_length(force->push[k]);
            double here = fmin(size * sides[s].share[a], limit);
            force->rub[k] = pal_vec3_scale(s == 0 ? -here : here, direction);
        }
}

// ---- several at one node ----------------------------------------------------------------

double pal_johnsen_consolidate(const PalVec3 *forces, int32_t count)
{
    PalVec3 sum = {0, 0, 0};
    for (int32_t i = 0; i < count; ++i)
        sum = pal_vec3_add(sum, forces[i]);
    double length = pal_vec3_length(sum), largest = 0;
    if (!(length > 0))
        return 0;
    for (int32_t i = 0; i < count; ++i)
        largest = fmax(largest, pal_vec3_dot(forces[i], sum) / length);
    return largest / length;
}
