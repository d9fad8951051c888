// As printed: each point of the tool's shell inside the other body is pushed out by k_c times its
// depth, along its own normal, and the other body is pushed back; both deform by the sum of stored
// answers to single loads, of the nearest site each.
#include "reduced/haptic.h"

#include <math.h>
#include <string.h>

// The penalty, if none is given: so much of the body's own stiffness where it yields most. As
// printed a force follows from a depth and the next depth from that force, which swings ever
// further where the penalty is stiffer than the body.
#define STIFF 0.05

// Force per displacement at the site that yields most.
static double own_stiffness(const PalVademecum *book)
{
    double most = 0;
    for (int32_t n = 0; n < book->size.surface_count; ++n)
        for (int i = 0; i < 3; ++i) {
            const float *row = pal_vademecum_row(book, n, i);
            double sum = 0;
            for (int32_t k = 0; k < book->size.mode_count; ++k)
                sum += (double)row[k] * (double)row[k];
            most = fmax(most, sum);
        }
    return most > 0 ? 1 / most : 0;
}

static double penalty_of(const PalHaptic *haptic)
{
    double stiffness = haptic->def.penalty;
    for (int s = 0; s < 2 && !(stiffness > 0); ++s) {
        const PalVademecum *book = haptic->bodies[s].book;
        if (book != NULL && book->facts.method != PAL_VADEMECUM_PGD)
            stiffness = STIFF * own_stiffness(book);
        else if (book != NULL)
            stiffness = book->facts.largest / (0.01 * book->facts.patch);
    }
    return stiffness;
}

static int32_t nearest_site(const PalVademecum *book, int32_t node)
{
    PalVec3 at = pal_vademecum_node(book, node);
    int32_t best = 0;
    double least = INFINITY;
    for (int32_t s = 0; s < book->size.site_count; ++s) {
        PalVec3 way = pal_vec3_sub(pal_vademecum_node(book, book->site[s]), at);
        double square = pal_vec3_dot(way, way);
        if (square < least) {
            least = square;
            best = s;
        }
    }
    return best;
}

// Adds one stored answer: `part` of the largest force along a stored direction. Between levels, and
// below the first, it is linear.
static void add_answer(const PalVademecum *book, int32_t site, int32_t direction, double part,
                       float *q)
{
    int32_t stride = book->size.stride, high = 0;
    while (high + 1 < book->size.level_count && book->level[high] < part)
        ++high;
    double upper = book->level[high], lower = high > 0 ? book->level[high - 1] : 0;
    double share = (part - lower) / (upper - lower);
    for (int i = 0; i < 3; ++i)
        for (int32_t k = 0; k < book->size.mode_count; ++k) {
            double value;
            if (book->facts.method == PAL_VADEMECUM_PGD) {
                int64_t at = ((int64_t)3 * site + i) * stride + k;
                double level = (double)book->level_factor[((int64_t)3 * high + i) * stride + k];
                double below =
                    high > 0
                        ? (double)book->level_factor[((int64_t)3 * (high - 1) + i) * stride + k]
                        : 0;
                value = (double)book->site_factor[at] *
                        (double)book->direction_factor[((int64_t)3 * direction + i) * stride + k] *
                        (below + share * (level - below));
                q[(int64_t)i * stride + k] += (float)value;
            } else if (i == 0) {
                double level = (double)pal_vademecum_coefficients(book, site, direction, high)[k];
                double below = high > 0 ? (double)pal_vademecum_coefficients(book, site, direction,
                                                                             high - 1)[k]
                                        : 0;
                q[k] += (float)(below + share * (level - below));
            }
        }
}

// A force on a node, in the body's coordinates, as parts along the stored directions.
static void add_load(const PalVademecum *book, int32_t node, PalVec3 force, float *q)
{
    int32_t site = nearest_site(book, node);
    for (int32_t d = 0; d < book->size.direction_count; ++d) {
        double along = pal_vec3_dot(force, pal_vademecum_direction(book, site, d));
        if (along > 0)
            add_answer(book, site, d, along / book->facts.largest, q);
    }
}

static void push(PalHaptic *haptic, const PalHapticNear *near, PalVec3 force)
{
    for (int s = 0; s < 2; ++s) {
        const PalVademecum *book = haptic->bodies[s].book;
        if (book == NULL)
            continue;
        PalMat3 back = pal_mat3_transpose(&haptic->frames[s].turn);
        PalVec3 own = pal_mat3_apply(&back, pal_vec3_scale(s == 1 ? 1 : -1, force));
        int most = near->weights[1] > near->weights[0] ? 1 : 0;
        most = near->weights[2] > near->weights[most] ? 2 : most;
        int32_t node = s == near->side ? near->node : haptic->bodies[s].facets[near->facet][most];
        add_load(book, node, own, haptic->shapes[s].q_short);
    }
}

static void add_point(PalHaptic *haptic, const PalHapticNear *near, double stiffness)
{
    PalHapticForce *answer = &haptic->answer;
    PalHapticMemory *memory = &haptic->memory[1][near->node];
    memory->step = haptic->step;
    memory->force[0] = near->gap < 0 ? (float)(-stiffness * near->gap) : 0;
    answer->deepest = fmax(answer->deepest, -near->gap);
    if (!(near->gap < 0))
        return;
    PalVec3 force = pal_vec3_scale((double)memory->force[0], near->normal);
    PalVec3 at = pal_haptic_position(&haptic->shapes[1], near->node);
    PalVec3 arm = pal_mat3_apply(&haptic->frames[1].turn, at);
    ++answer->contacts;
    answer->contact_force = pal_vec3_add(answer->contact_force, force);
    answer->contact_torque = pal_vec3_add(answer->contact_torque, pal_vec3_cross(arm, force));
}

void pal_haptic_printed_step(PalHaptic *haptic)
{
    PalHapticForce *answer = &haptic->answer;
    if (!(haptic->def.penalty > 0))
        haptic->def.penalty = penalty_of(haptic);
    haptic->def.both_shells = false;
    pal_haptic_look(haptic);
    answer->contact_force = answer->contact_torque = pal_vec3(0, 0, 0);
    answer->contacts = 0;
    answer->deepest = answer->residual = 0;
    answer->candidates = haptic->finder.near_count;
    for (int32_t c = 0; c < haptic->finder.near_count; ++c)
        add_point(haptic, &haptic->finder.near[c], haptic->def.penalty);
    for (int s = 0; s < 2; ++s)
        memset(haptic->shapes[s].q_short, 0, 3 * (size_t)haptic->bodies[s].stride * sizeof(float));
    for (int32_t c = 0; c < haptic->finder.near_count; ++c) {
        const PalHapticNear *near = &haptic->finder.near[c];
        double force = (double)haptic->memory[1][near->node].force[0];
        if (force > 0)
            push(haptic, near, pal_vec3_scale(force, near->normal));
    }
    for (int s = 0; s < 2; ++s) {
        PalHapticShape *shape = &haptic->shapes[s];
        for (int32_t k = 0; k < haptic->bodies[s].mode_count; ++k)
            shape->q[k] = (double)shape->q_short[k];
        pal_haptic_shape_moved(shape);
    }
    haptic->quality = haptic->finder.coarse ? PAL_HAPTIC_COARSE : PAL_HAPTIC_FULL;
}
