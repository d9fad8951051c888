// Bounds that hold in any pose, however deep bodies are in each other. Where a pose asks for more
// than was learnt there is no equilibrium that is known, and points on two sides of a thin part ask
// for opposite ways: forces that would part them have no end. docs/theory/haptics.md, 3
#include "reduced/haptic.h"
#include "reduced/haptic_lanes.h"

#include <math.h>
#include <string.h>

#define MODES_BACK    0.8   // of the bound: large displacements are corrected again
#define LINEAR_BACK   0.98  // the same where the stiffness at rest had taken the law's place before
#define NEARLY_LINEAR 0.9
#define FORCE_MOST    100   // of the largest load that was learnt, all points together
#define FOLLOWS       0.02  // of its change, in a step in which a bound acts
#define FOLLOWS_MORE  1.1   // times that in each step after
#define SHRINKS       0.95  // without contact, at most so much of q is left in the next step
#define WIDEST        2.5   // patches that were learnt, of the radius: build_shots.c
#define PATCH_SQUARE  0.34  // of its radius squared: mean square distance of a load from its middle

static double length_of(const double *q, int32_t count)
{
    double sum = 0;
    for (int32_t k = 0; k < count; ++k)
        sum += q[k] * q[k];
    return sqrt(sum);
}

static double way_of(const PalHapticBody *body, int32_t node, const float *q)
{
    float u[3];
    pal_rows_dot(body->rows + (int64_t)3 * node * body->stride, 3, body->stride, q, u);
    return sqrt((double)(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]));
}

// Under loads that are stored, the longest coefficients and how far a load's own site went.
static void find_learnt(const PalHapticBody *body, double *longest, double *farthest)
{
    const PalVademecum *book = body->book;
    int32_t each = book->size.direction_count * book->size.level_count;
    *longest = *farthest = 0;
    for (int32_t site = 0; site < book->size.site_count && book->coefficient != NULL; ++site)
        for (int32_t i = 0; i < each; ++i) {
            const float *q = book->coefficient + ((int64_t)site * each + i) * book->size.stride;
            double sum = 0;
            for (int32_t k = 0; k < book->size.mode_count; ++k)
                sum += (double)q[k] * (double)q[k];
            *longest = fmax(*longest, sqrt(sum));
            *farthest = fmax(*farthest, way_of(body, book->site[site], q));
        }
}

void pal_haptic_limit_init(PalHaptic *haptic, int32_t body)
{
    const PalHapticBody *about = &haptic->bodies[body];
    PalHapticLimit *limit = &haptic->limits[body];
    double longest, farthest;
    haptic->shapes[body].near_most = INFINITY;
    *limit = (PalHapticLimit){.modes = INFINITY, .way = INFINITY, .force = INFINITY};
    if (about->book == NULL || about->separate)
        return;
    const PalVademecumFacts *facts = &about->book->facts;
    find_learnt(about, &longest, &farthest);
    double reach = fmax(facts->reach, longest);
    if (reach > 0)
        limit->modes = PAL_HAPTIC_MODES_MOST * reach;
    if (farthest > 0)
        limit->way = PAL_HAPTIC_MODES_MOST * farthest;
    if (facts->largest > 0)
        limit->force = FORCE_MOST * facts->largest;
    if (facts->patch > 0)
        haptic->shapes[body].near_most = facts->patch;
}

// How much of q is within bounds; 1: all of it.
static double part_within(const PalHapticBody *body, PalHapticLimit *limit, PalHapticShape *s)
{
    double length = length_of(s->q, body->mode_count), way = 0;
    if (length * body->widest > limit->way && limit->way_left <= 0) {
        for (int32_t k = 0; k < body->mode_count; ++k)
            s->q_short[k] = (float)s->q[k];
        for (int32_t p = 0; p < body->patch_count; ++p)
            way = fmax(way, way_of(body, body->clusters[body->patches[p]].point, s->q_short));
        limit->way_left = limit->way - way;
    }
    return fmin(limit->modes / fmax(length, limit->modes), limit->way / fmax(way, limit->way));
}

// Never much farther than what was learnt. A body that is pushed beyond stays there, by its
// stiffness at rest, until it comes back. A number that is none brings it back to rest.
void pal_haptic_limit_modes(PalHaptic *haptic, int32_t body)
{
    PalHapticShape *shape = &haptic->shapes[body];
    PalHapticBalance *balance = &haptic->balances[body];
    PalHapticLimit *limit = &haptic->limits[body];
    int32_t count = haptic->bodies[body].mode_count;
    double length = length_of(shape->q, count);
    if (!isfinite(length)) {
        memset(shape->q, 0, (size_t)count * sizeof *shape->q);
        pal_haptic_balance_rest(balance);
        limit->way_left = 0;
        return;
    }
    double part = isfinite(limit->modes) ? part_within(&haptic->bodies[body], limit, shape) : 1;
    // nothing holds it: it goes back, whatever its equations say so far away
    if (haptic->rows.row_count == 0 && part * length > SHRINKS * shape->q_length)
        part = length > 0 ? SHRINKS * shape->q_length / length : 1;
    else if (part < 1) {
        limit->was_linear = limit->passed ? limit->was_linear : balance->linear > NEARLY_LINEAR;
        limit->passed = balance->beyond = true;
    }
    for (int32_t k = 0; k < count && part < 1; ++k)
        shape->q[k] *= part;
    if (part < 1 && limit->passed)
        pal_haptic_balance_rest(balance);
    double back = limit->was_linear ? LINEAR_BACK : MODES_BACK;
    if (length < back * limit->modes && part >= 1)
        limit->passed = balance->beyond = false;
}

// All points together push no harder than some times what was learnt. False: forces are no
// numbers.
bool pal_haptic_limit_forces(PalHaptic *haptic)
{
    PalHapticRows *rows = &haptic->rows;
    double sum = 0, most = fmin(haptic->limits[0].force, haptic->limits[1].force);
    for (int32_t row = 0; row < rows->row_count; ++row)
        sum += fabs((double)rows->force[row]);
    haptic->force_passed = sum > most;
    if (!isfinite(sum))
        return false;
    if (!haptic->force_passed)
        return true;
    float part = (float)((1 - 1e-6) * most / sum);  // rounding makes it no more
    for (int32_t row = 0; row < rows->row_count; ++row)
        rows->force[row] *= part;
    for (int32_t k = 0; k < rows->width && rows->summed; ++k)
        rows->sum[k] *= part;
    return true;
}

// What a force changes by of its change in full: no more than the force that is felt, or the
// largest that was learnt. Forces that are cut go to and fro by many times that.
static double most_change(const PalHaptic *haptic, const PalHapticForce *last)
{
    double largest = fmin(haptic->limits[0].force, haptic->limits[1].force) / FORCE_MOST;
    return fmax(pal_vec3_length(last->contact_force), largest);
}

// Where a bound acts no shape is in balance with the forces, and points come and go, hundreds of
// them at once: the force that is felt follows slowly, until a while after.
void pal_haptic_limit_change(PalHaptic *haptic, const PalHapticForce *last, const double moved[6])
{
    PalHapticForce *now = &haptic->answer;
    bool passed = haptic->force_passed || haptic->limits[0].passed || haptic->limits[1].passed;
    haptic->follows = passed ? FOLLOWS : fmin(1, FOLLOWS_MORE * haptic->follows);
    if (haptic->rows.row_count == 0)
        haptic->follows = 1;
    if (!(haptic->follows < 1))
        return;
    PalVec3 change = pal_vec3_sub(now->contact_force, last->contact_force);
    double size = pal_vec3_length(change), most = most_change(haptic, last);
    double part = haptic->follows * (size > most ? most / size : 1);
    now->contact_force = pal_vec3_add_scaled(last->contact_force, part, change);
    change = pal_vec3_sub(now->contact_torque, last->contact_torque);
    now->contact_torque = pal_vec3_add_scaled(last->contact_torque, part, change);
    for (int k = 0; k < 6; ++k)
        haptic->moved[k] = moved[k] + part * (haptic->moved[k] - moved[k]);
}

// Whether a body bears more than was learnt: the largest load on a patch, and more in proportion to
// the area where contact is wider than a patch's weights are, up to the widest that were learnt.
static bool is_overloaded(const PalHaptic *haptic)
{
    double force = 0, square = 0;
    PalVec3 middle = {0, 0, 0};
    for (int32_t c = 0; c < haptic->finder.near_count; ++c) {
        double f = (double)pal_haptic_force_on(haptic, c);
        force += f;
        middle = pal_vec3_add_scaled(middle, f, haptic->links[c].place);
    }
    if (!(force > 0))
        return false;
    middle = pal_vec3_scale(1 / force, middle);
    for (int32_t c = 0; c < haptic->finder.near_count; ++c) {
        PalVec3 way = pal_vec3_sub(haptic->links[c].place, middle);
        square += (double)pal_haptic_force_on(haptic, c) / force * pal_vec3_dot(way, way);
    }
    for (int s = 0; s < 2; ++s) {
        const PalVademecum *book = haptic->bodies[s].book;
        if (book == NULL || haptic->bodies[s].separate)
            continue;
        double wider = square / (PATCH_SQUARE * book->facts.patch * book->facts.patch);
        wider = fmax(1, fmin(wider, WIDEST * WIDEST));
        if (force > wider * book->facts.largest)
            return true;
    }
    return false;
}

// As printed, where nothing is cut: more than the widest contact that was learnt bears.
bool pal_haptic_printed_is_beyond(const PalHaptic *haptic, double force)
{
    for (int s = 0; s < 2; ++s) {
        const PalVademecum *book = haptic->bodies[s].book;
        if (book != NULL && force > WIDEST * WIDEST * book->facts.largest)
            return true;
    }
    return false;
}

bool pal_haptic_is_beyond(const PalHaptic *haptic)
{
    bool passed = haptic->force_passed || is_overloaded(haptic);
    for (int s = 0; s < 2; ++s)
        passed = passed || haptic->limits[s].passed || haptic->limits[s].near_passed;
    return passed;
}
