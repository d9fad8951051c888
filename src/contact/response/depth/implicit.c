// Contact by depths in implicit methods: forces and tangents of the shapes that are tried, and
// rounds in which multipliers and friction are renewed.   docs/theory/material-depth.md, 6 and 7
#include "base/timer.h"
#include "contact/response/depth/row.h"
#include "contact/response/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ROUNDS 30    // at most in a step
#define EXACT  3e-4  // of all frictions: a renewal that changes less is the last

static PalStatus begin(PalContact *contact, PalError *error)
{
    (void)error;
    PalDepthOwn *own = pal_depth_own(contact);
    const PalTrial *trial = contact->trial;
    size_t bytes = (size_t)trial->model->node_count * sizeof *own->first;
    memcpy(own->first, trial->state->displacement, bytes);
    // what a search without success has made of them is forgotten
    memcpy(own->depth->pressure, own->settled,
           (size_t)contact->surface->vertex_count * sizeof *own->settled);
    own->rounds = PAL_NONE;
    return PAL_OK;
}

static PalStatus look(PalContact *contact, PalError *error)
{
    (void)contact, (void)error;
    return PAL_OK;
}

static double filter(PalContact *contact)
{
    return pal_depth_guard(contact);
}

// Items of the shape that is placed.
static PalStatus find_items(const PalDepthOwn *own, const PalTrial *trial, PalError *error)
{
    PalProfile *profile = &trial->meter->profile;
    double start = pal_timer_seconds();
    PAL_TRY(pal_depth_find(own->depth, trial->thread_count, error));
    double taken = pal_timer_seconds() - start;
    profile->contact_search += taken;
    profile->contact_response -= taken;  // the caller counts all of it there
    return PAL_OK;
}

// A step begins with friction as the last one has left it, and with soft multipliers.
static PalStatus begin_rounds(PalDepthOwn *own, const PalTrial *trial, PalError *error)
{
    double change;
    own->rounds = 0;
    PAL_TRY(pal_depth_take_grip(own->depth, &change, error));
    own->soft = pal_depth_soften_pressures(own->depth);
    return own->soft ? find_items(own, trial, error) : PAL_OK;
}

// Items of the shape that is tried, and how far nodes have come in the step.
static PalStatus find(PalContact *contact, PalError *error)
{
    PalDepthOwn *own = pal_depth_own(contact);
    const PalTrial *trial = contact->trial;
    PalProfile *profile = &trial->meter->profile;
    double start = pal_timer_seconds();
    pal_depth_place(own->depth, trial->state->displacement, trial->state->rigids, trial->goes);
    double taken = pal_timer_seconds() - start;
    profile->contact_update += taken;
    profile->contact_response -= taken;
    PAL_TRY(find_items(own, trial, error));
    for (int32_t n = 0; n < trial->model->node_count; ++n)
        own->motion[n] = pal_vec3_sub(trial->state->displacement[n], own->first[n]);
    return own->rounds == PAL_NONE ? begin_rounds(own, trial, error) : PAL_OK;
}

static void add_force(void *context, int32_t node, PalVec3 force)
{
    PalVec3 *sum = (PalVec3 *)context + node;
    *sum = pal_vec3_add(*sum, force);
}

static PalStatus forces(PalContact *contact, PalVec3 *force, PalError *error)
{
    PalDepthOwn *own = pal_depth_own(contact);
    PAL_TRY(find(contact, error));
    pal_depth_forces(own->depth, add_force, force);
    pal_depth_grip_forces(own->depth, own->motion, add_force, force);
    return PAL_OK;
}

// ---- tangents ---------------------------------------------------------------------------

typedef struct Tangent {
    PalStiffness *stiffness;
    PalVec3 *lead;
    double weight;
} Tangent;

static bool add_block(void *context, int32_t count, const int32_t *nodes, const double *matrix)
{
    const Tangent *tangent = context;
    double weighted[9 * PAL_DIP_NODES * PAL_DIP_NODES];
    for (int32_t i = 0; i < 9 * count * count; ++i)
        weighted[i] = tangent->weight * matrix[i];
    return pal_couplings_add(tangent->stiffness, count, nodes, weighted);
}

static void add_lead(void *context, int32_t node, PalVec3 force)
{
    const Tangent *tangent = context;
    tangent->lead[node] = pal_vec3_add(tangent->lead[node], force);
}

static PalStatus tangent(PalContact *contact, const PalTangentWish *wish, PalStiffness *stiffness,
                         PalVec3 *lead, PalError *error)
{
    const PalDepthOwn *own = pal_depth_own(contact);
    Tangent to = {stiffness, lead, wish->weight};
    PalDepthSums sums = {.exact = wish->exact, .add = add_block, .lead = add_lead, .context = &to};
    bool good = pal_depth_tangent(own->depth, &sums) &&
                pal_depth_grip_tangent(own->depth, own->motion, &sums);
    return good ? PAL_OK : pal_error_set(error, PAL_NO_MEMORY, "no memory for contact");
}

// ---- ends -------------------------------------------------------------------------------

static PalStatus settle(PalContact *contact, bool *again, PalError *error)
{
    PalDepthOwn *own = pal_depth_own(contact);
    PalDepth *depth = own->depth;
    double change = 0;
    PAL_TRY(pal_depth_take_grip(depth, &change, error));
    bool deep = depth->penetration > 1;
    if (deep)
        pal_depth_hold_pressures(depth);
    if (own->soft)
        pal_depth_restore_pressures(depth, own->settled);
    *again = deep || own->soft || change > EXACT;
    own->soft = false;
    if (*again && ++own->rounds > ROUNDS)
        return pal_error_set(error, PAL_SIM_FAILED,
                             deep
                                 ? "penetration stays %.4g times as deep as allowed after %d rounds"
                                 : "friction does not settle: it still changes by %.2g after %d "
                                   "rounds",
                             deep ? depth->penetration : change, ROUNDS);
    return PAL_OK;
}

static PalStatus accept(PalContact *contact, PalError *error)
{
    PalDepthOwn *own = pal_depth_own(contact);
    int32_t renewed;
    PAL_TRY(pal_depth_row_tell(contact, own->motion, error));
    pal_depth_release_pressures(own->depth);
    memcpy(own->settled, own->depth->pressure,
           (size_t)contact->surface->vertex_count * sizeof *own->settled);
    PAL_TRY(pal_depth_renew(own->depth, &renewed, error));
    own->renewals += renewed;
    return PAL_OK;
}

static void explain(const PalContact *contact, char *text, size_t size)
{
    const PalDepth *depth = pal_depth_own(contact)->depth;
    const PalContactSurface *surface = contact->surface;
    text[0] = '\0';
    if (depth->deepest_who == PAL_NONE)
        return;
    bool alone = depth->setup.at_vertices;
    int32_t vertex = alone ? depth->deepest_who : surface->facets[depth->deepest_who][0];
    PalVec3 at = depth->vertices[vertex];
    snprintf(text, size,
             "the deepest contact is of \"%.60s\" in \"%.60s\", at (%.4g, %.4g, %.4g), %.3g deep",
             pal_contact_object_name(contact->model, surface->vertex_object[vertex]),
             pal_contact_object_name(contact->model, depth->deepest_object), at.x, at.y, at.z,
             depth->deepest);
}

const PalImplicitRow pal_depth_implicit = {
    .tame = true,
    .begin = begin,
    .look = look,
    .filter = filter,
    .forces = forces,
    .tangent = tangent,
    .settle = settle,
    .accept = accept,
    .explain = explain,
};
