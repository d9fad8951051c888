// Friction over the same areas (hirota2003, 8.4): each item holds on, at the middle of its
// pressure, up to the coefficient of friction times that pressure. Pressures, places and normals
// are those of the last look; looks are repeated until nothing changes.
// docs/theory/material-depth.md, 7
#include "base/memory.h"
#include "contact/response/depth/depth.h"
#include "model/rigid_state.h"

#include <math.h>

#define HOLDS 1e-4  // motion in a step, of an edge, within which a grip does not slip

// ---- taking hold ------------------------------------------------------------------------

// How far a place of an instrument has gone in the step.
static PalVec3 rigid_motion(const PalDepth *depth, int32_t object, PalVec3 place)
{
    if (depth->rigids == NULL || depth->part == 0)
        return (PalVec3){0, 0, 0};
    const PalRigidState *state = &depth->rigids[depth->setup.surface->objects[object].index];
    PalVec3 at_start = pal_depth_rigid_start(depth, object, place);
    return pal_vec3_sub(place, pal_pose_apply(&state->pose, at_start));
}

static bool make_grip(const PalDepth *depth, const PalDepthItem *item, PalDepthGrip *grip)
{
    const PalContactSurface *surface = depth->setup.surface;
    int32_t own = pal_depth_object_of(depth, item);
    double friction = pal_pairs_friction(depth->setup.pairs, own, item->object);
    double sum = item->dip.load[0] + item->dip.load[1] + item->dip.load[2];
    double slope = pal_vec3_length(item->dip.normal);
    *grip = (PalDepthGrip){.who = item->who, .object = item->object, .cell = item->cell};
    grip->limit = friction * sum * slope;
    if (!(grip->limit > 0))
        return false;
    grip->normal = pal_vec3_scale(1 / slope, item->dip.normal);
    pal_depth_nodes(depth, item, grip->nodes);
    for (int a = 0; a < 3; ++a) {
        grip->weights[a] = item->dip.load[a] / sum;
        for (int e = 0; e < 4; ++e)
            grip->weights[3 + e] -= grip->weights[a] * item->dip.place[a][e];
    }
    PalVec3 place, force;
    pal_depth_resultant(depth, item, &place, &force);
    if (own >= surface->body_count)
        grip->drag = rigid_motion(depth, own, place);
    if (item->object >= surface->body_count)
        grip->drag = pal_vec3_sub(grip->drag, rigid_motion(depth, item->object, place));
    int32_t vertex = depth->setup.at_vertices ? item->who : surface->facets[item->who][0];
    grip->reach = HOLDS * (vertex < surface->soft_vertex_count ? depth->vertex_edge[vertex]
                                                               : depth->object_edge[item->object]);
    return true;
}

static bool same_place(const PalDepthGrip *a, const PalDepthGrip *b)
{
    return a->who == b->who && a->object == b->object && a->cell == b->cell;
}

// Items come in the order of their facets; those of one facet in the order of the search.
PalStatus pal_depth_take_grip(PalDepth *depth, double *change, PalError *error)
{
    double differs = 0, sum = 0, old_sum = 0;
    PalDepthGrips *grips = &depth->grips, *old = &depth->old_grips;
    PalDepthGrips kept = *grips;
    *grips = *old;
    *old = kept;
    grips->count = 0;
    int32_t next = 0;
    for (int32_t i = 0; i < old->count; ++i)
        old_sum += old->items[i].limit;
    for (int32_t t = 0; t < depth->task_count; ++t)
        for (int32_t i = 0; i < depth->tasks[t].items.count; ++i) {
            PalDepthGrip grip;
            if (!make_grip(depth, &depth->tasks[t].items.items[i], &grip))
                continue;
            if (!pal_array_push(grips, grip))
                return pal_error_set(error, PAL_NO_MEMORY, "no memory for contact");
            sum += grip.limit;
            int32_t at = next;
            while (at < old->count && old->items[at].who <= grip.who &&
                   !same_place(&old->items[at], &grip))
                ++at;
            bool found = at < old->count && same_place(&old->items[at], &grip);
            differs += fabs(grip.limit - (found ? old->items[at].limit : 0));
            old_sum -= found ? old->items[at].limit : 0;
            while (next < old->count && old->items[next].who < grip.who)
                ++next;
        }
    *change = sum > 0 ? (differs + fmax(old_sum, 0)) / sum : 0;
    return PAL_OK;
}

// ---- forces -----------------------------------------------------------------------------

static PalVec3 slip_of(const PalDepthGrip *grip, const PalVec3 *motion)
{
    PalVec3 slip = grip->drag;
    for (int k = 0; k < PAL_DIP_NODES; ++k)
        if (grip->nodes[k] != PAL_NONE)
            slip = pal_vec3_add_scaled(slip, grip->weights[k], motion[grip->nodes[k]]);
    return pal_vec3_add_scaled(slip, -pal_vec3_dot(slip, grip->normal), grip->normal);
}

// Force over slip: the limit where it slips, and a parabola that gets there within its reach.
static double force_per_slip(const PalDepthGrip *grip, double slip, double *slope)
{
    double part = slip / grip->reach;
    bool holds = part < 1;
    *slope = holds ? grip->limit * (2 - 2 * part) / grip->reach : 0;
    return holds ? grip->limit * (2 - part) / grip->reach : grip->limit / slip;
}

PalVec3 pal_depth_grip_force(const PalDepthGrip *grip, const PalVec3 *motion)
{
    PalVec3 slip = slip_of(grip, motion);
    double slope;
    return pal_vec3_scale(-force_per_slip(grip, pal_vec3_length(slip), &slope), slip);
}

void pal_depth_grip_forces(const PalDepth *depth, const PalVec3 *motion, PalDepthForce add,
                           void *context)
{
    for (int32_t i = 0; i < depth->grips.count; ++i) {
        const PalDepthGrip *grip = &depth->grips.items[i];
        PalVec3 force = pal_depth_grip_force(grip, motion);
        for (int k = 0; k < PAL_DIP_NODES; ++k)
            if (grip->nodes[k] != PAL_NONE)
                add(context, grip->nodes[k], pal_vec3_scale(grip->weights[k], force));
    }
}

static PalMat3 grip_matrix(const PalDepthGrip *grip, const PalVec3 *motion)
{
    PalVec3 slip = slip_of(grip, motion);
    double length = pal_vec3_length(slip), slope;
    double ratio = force_per_slip(grip, length, &slope);
    PalVec3 along = length > 0 ? pal_vec3_scale(1 / length, slip) : slip;
    PalMat3 matrix;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            matrix.m[i][j] =
                ratio * ((i == j) - pal_vec3_at(grip->normal, i) * pal_vec3_at(grip->normal, j)) +
                (slope - ratio) * pal_vec3_at(along, i) * pal_vec3_at(along, j);
    return matrix;
}

bool pal_depth_grip_tangent(const PalDepth *depth, const PalVec3 *motion, const PalDepthSums *sums)
{
    for (int32_t g = 0; g < depth->grips.count; ++g) {
        const PalDepthGrip *grip = &depth->grips.items[g];
        PalMat3 of = grip_matrix(grip, motion);
        int32_t nodes[PAL_DIP_NODES];
        double weights[PAL_DIP_NODES], matrix[9 * PAL_DIP_NODES * PAL_DIP_NODES];
        int count = 0;
        for (int k = 0; k < PAL_DIP_NODES; ++k)
            if (grip->nodes[k] != PAL_NONE) {
                nodes[count] = grip->nodes[k];
                weights[count++] = grip->weights[k];
            }
        for (int r = 0; r < 3 * count; ++r)
            for (int c = 0; c < 3 * count; ++c)
                matrix[r * 3 * count + c] = weights[r / 3] * weights[c / 3] * of.m[r % 3][c % 3];
        if (count > 0 && !sums->add(sums->context, count, nodes, matrix))
            return false;
    }
    return true;
}
