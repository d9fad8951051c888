// Two bodies that touch: what the loop has room for, and where bodies are.
#include "reduced/haptic.h"

#include "base/choice.h"
#include "base/memory.h"
#include <math.h>
#include <string.h>

#define PAIRS_MOST 65536  // of edges that are remembered

static const PalChoice answers[] = {
    {"ours", "complementarity on the compliance of both surfaces, with friction and correction"},
    {"printed", "a penalty on the depth of points in a distance field, and superposition"},
};

PAL_CHOICE_ARRAY(haptic_answer, PalHapticAnswer, answers)

const char *pal_haptic_quality_name(PalHapticQuality quality)
{
    static const char *const names[] = {"full", "predicted", "coarse", "held", "beyond"};
    return names[quality];
}

PalHapticDef pal_haptic_def_default(void)
{
    return (PalHapticDef){
        .correct = true,
        .both_shells = true,
        .step = 0.001,
        .observe = true,
        .contact_max = 1024,
    };
}

static PalStatus check(const PalHapticDef *def, PalError *error)
{
    for (int s = 0; s < 2; ++s)
        if ((def->books[s] == NULL) == (def->rigids[s] == NULL))
            return pal_error_set(error, PAL_BAD_INPUT,
                                 "each of two bodies is a vademecum or a rigid surface");
    if (!(def->friction >= 0 && def->friction < 1e6) || !(def->coupling >= 0) ||
        !(def->coupling_turn >= 0) || !(def->penalty >= 0) || !(def->step > 0) ||
        !isfinite(def->coupling + def->coupling_turn + def->penalty + def->step))
        return pal_error_set(error, PAL_BAD_INPUT,
                             "friction, penalty and coupling are 0 or more, a step is above 0");
    for (int s = 0; s < 2; ++s)
        if (def->books[s] != NULL && def->books[s]->facts.method == PAL_VADEMECUM_PGD &&
            def->answer != PAL_HAPTIC_PRINTED)
            return pal_error_set(error, PAL_BAD_INPUT,
                                 "a vademecum of the method pgd can be answered as printed only");
    if (def->contact_max < 1 || def->contact_max > 1 << 20)
        return pal_error_set(error, PAL_BAD_INPUT, "there is room for 1 to %d contacts", 1 << 20);
    return PAL_OK;
}

static bool make_room(PalHaptic *haptic)
{
    PalHapticFinder *finder = &haptic->finder;
    size_t contacts = (size_t)haptic->def.contact_max, wide = 8;
    bool enough = true;
    for (int s = 0; s < 2; ++s) {
        const PalHapticBody *body = &haptic->bodies[s];
        size_t nodes = (size_t)body->node_count;
        wide = (size_t)body->stride > wide ? (size_t)body->stride : wide;
        finder->shapes[s] = &haptic->shapes[s];
        finder->frames[s] = &haptic->frames[s];
        finder->last_facet[s] = pal_alloc(nodes, sizeof(int32_t));
        finder->node_key[s] = pal_alloc(nodes, sizeof(double));
        finder->listed[s] = pal_alloc(nodes, sizeof(uint32_t));
        finder->cluster_key[s] = pal_alloc((size_t)body->cluster_count, sizeof(double));
        haptic->groups[s] = pal_alloc((size_t)body->cluster_count, sizeof(PalHapticGroup));
        haptic->last_q[s] = pal_alloc((size_t)body->stride + 8, sizeof(float));
        haptic->memory[s] = pal_alloc(nodes, sizeof(PalHapticMemory));
        haptic->pull[s] = pal_alloc(nodes, sizeof(PalVec3));
        haptic->pulled[s] = pal_alloc(nodes, sizeof(int32_t));
        size_t all = (size_t)body->all_count;
        haptic->local_nodes[s] = pal_alloc(all, sizeof(int32_t));
        haptic->pull_step[s] = pal_alloc(nodes, sizeof(uint32_t));
        haptic->local_step[s] = pal_alloc(all, sizeof(uint32_t));
        haptic->local_before[s] = pal_alloc(all, sizeof(PalVec3));
        PalHapticLocal *local = &haptic->local[s];
        local->force = pal_alloc(nodes, sizeof(PalVec3));
        local->listed = pal_alloc(nodes, sizeof(bool));
        local->nodes = pal_alloc(nodes, sizeof(int32_t));
        enough = enough && local->force != NULL && local->listed != NULL && local->nodes != NULL;
        enough = enough && finder->listed[s] != NULL && finder->node_key[s] != NULL &&
                 finder->cluster_key[s] != NULL && haptic->last_q[s] != NULL &&
                 finder->last_facet[s] != NULL && haptic->memory[s] != NULL &&
                 haptic->pull[s] != NULL && haptic->pulled[s] != NULL &&
                 haptic->local_nodes[s] != NULL && haptic->pull_step[s] != NULL &&
                 haptic->local_step[s] != NULL && haptic->local_before[s] != NULL &&
                 haptic->groups[s] != NULL;
    }
    for (int i = 0; i < 4; ++i) {
        haptic->work[i] = pal_alloc(wide, sizeof(float));
        enough = enough && haptic->work[i] != NULL;
    }
    finder->near = pal_alloc(contacts, sizeof(PalHapticNear));
    finder->near_max = haptic->def.contact_max;
    finder->context = haptic;
    haptic->links = pal_alloc(contacts, sizeof(PalHapticLink));
    haptic->carriers = pal_alloc(contacts, sizeof(int32_t));
    haptic->pair_carriers = pal_alloc(contacts, sizeof(int32_t));
    return enough && finder->near != NULL && haptic->links != NULL && haptic->carriers != NULL &&
           haptic->pair_carriers != NULL;
}

// Of crossing edges, for our own answer.
static bool make_crossings(PalHaptic *haptic)
{
    PalHapticCrossings *crossings = &haptic->finder.crossings;
    const PalHapticBody *own = &haptic->bodies[1], *other = &haptic->bodies[0];
    size_t nodes = (size_t)own->node_count, pairs = 64;
    if (haptic->def.answer == PAL_HAPTIC_PRINTED)
        return true;
    while (pairs < PAIRS_MOST && pairs < 4 * (size_t)haptic->def.contact_max)
        pairs *= 2;
    *crossings = (PalHapticCrossings){
        .used = true,
        .reach = 0.5 * own->longest_edge * other->bulge_most,
        .node_reach = pal_alloc(nodes, sizeof(float)),
        .close = pal_alloc(nodes, sizeof(int32_t)),
        .close_search = pal_alloc(nodes, sizeof(uint32_t)),
        .edge_done = pal_alloc((size_t)own->edge_count + 1, sizeof(uint32_t)),
        .met = pal_alloc((size_t)other->edge_count + 1, sizeof(uint32_t)),
        .pair_max = (int32_t)pairs,
        .pairs = pal_alloc(pairs, sizeof(PalHapticPair)),
    };
    haptic->pair_memory = pal_alloc(pairs, sizeof *haptic->pair_memory);
    return crossings->node_reach != NULL && crossings->close != NULL &&
           crossings->close_search != NULL && crossings->edge_done != NULL &&
           crossings->met != NULL && crossings->pairs != NULL && haptic->pair_memory != NULL;
}

static void clear_crossings(PalHaptic *haptic)
{
    PalHapticCrossings *crossings = &haptic->finder.crossings;
    pal_free(crossings->node_reach);
    pal_free(crossings->close);
    pal_free(crossings->close_search);
    pal_free(crossings->edge_done);
    pal_free(crossings->met);
    pal_free(crossings->pairs);
    pal_free(haptic->pair_memory);
}

static PalStatus fill(PalHaptic *haptic, PalError *error)
{
    const PalHapticDef *def = &haptic->def;
    for (int s = 0; s < 2; ++s) {
        PalHapticSurface rigid = {0};
        if (def->rigids[s] != NULL)
            rigid = (PalHapticSurface){def->rigids[s]->node_count, def->rigids[s]->facet_count,
                                       def->rigids[s]->nodes, def->rigids[s]->facets};
        PAL_TRY(pal_haptic_body_init(&haptic->bodies[s], def->books[s], &rigid, error));
        PAL_TRY(pal_haptic_shape_init(&haptic->shapes[s], &haptic->bodies[s], error));
        PAL_TRY(pal_haptic_balance_init(&haptic->balances[s], def->books[s], error));
        PAL_TRY(pal_haptic_defect_init(&haptic->defects[s], &haptic->bodies[s], error));
        pal_haptic_limit_init(haptic, s);
        haptic->def.rigids[s] = NULL;  // was copied
        haptic->poses[s].rotation = pal_quaternion_identity();
    }
    const PalHapticBody *const bodies[2] = {&haptic->bodies[0], &haptic->bodies[1]};
    PAL_TRY(pal_haptic_rows_init(&haptic->rows, def->contact_max * (def->friction > 0 ? 3 : 1),
                                 bodies, error));
    if (def->answer == PAL_HAPTIC_PRINTED)
        PAL_TRY(pal_distances_init(&haptic->distances, def->books[0], error));
    if (!make_room(haptic) || !make_crossings(haptic))
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for a haptic loop");
    pal_haptic_reset(haptic);
    return PAL_OK;
}

PalStatus pal_haptic_create(const PalHapticDef *def, PalHaptic **haptic, PalError *error)
{
    *haptic = NULL;
    PAL_TRY(check(def, error));
    PalHaptic *made = pal_alloc(1, sizeof *made);
    if (made == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for a haptic loop");
    made->def = *def;
    PalStatus status = fill(made, error);
    if (status == PAL_OK)
        *haptic = made;
    else
        pal_haptic_destroy(made);
    return status;
}

void pal_haptic_destroy(PalHaptic *haptic)
{
    if (haptic == NULL)
        return;
    for (int s = 0; s < 2; ++s) {
        pal_haptic_shape_clear(&haptic->shapes[s]);
        pal_haptic_balance_clear(&haptic->balances[s]);
        pal_haptic_defect_clear(&haptic->defects[s]);
        pal_haptic_body_clear(&haptic->bodies[s]);
        pal_free(haptic->finder.last_facet[s]);
        pal_free(haptic->finder.node_key[s]);
        pal_free(haptic->finder.listed[s]);
        pal_free(haptic->finder.cluster_key[s]);
        pal_free(haptic->last_q[s]);
        pal_free(haptic->memory[s]);
        pal_free(haptic->pull[s]);
        pal_free(haptic->pulled[s]);
        pal_free(haptic->local_nodes[s]);
        pal_free(haptic->pull_step[s]);
        pal_free(haptic->local_step[s]);
        pal_free(haptic->local_before[s]);
        pal_free(haptic->local[s].force);
        pal_free(haptic->local[s].listed);
        pal_free(haptic->local[s].nodes);
        pal_free(haptic->groups[s]);
    }
    for (int i = 0; i < 4; ++i)
        pal_free(haptic->work[i]);
    clear_crossings(haptic);
    pal_haptic_rows_clear(&haptic->rows);
    pal_distances_clear(&haptic->distances);
    pal_free(haptic->finder.near);
    pal_free(haptic->links);
    pal_free(haptic->carriers);
    pal_free(haptic->pair_carriers);
    pal_free(haptic);
}

void pal_haptic_forget(PalHaptic *haptic)
{
    for (int s = 0; s < 2; ++s)
        for (int32_t n = 0; n < haptic->bodies[s].node_count; ++n)
            haptic->finder.last_facet[s][n] = PAL_NONE;
    haptic->touched = false;
}

static void forget_gaps(PalHaptic *haptic, int s)
{
    const PalHapticBody *body = &haptic->bodies[s];
    haptic->finder.way = 0;
    for (int32_t n = 0; n < body->node_count; ++n) {
        haptic->finder.node_key[s][n] = -INFINITY;
        haptic->radius[s] = fmax(haptic->radius[s], pal_vec3_length(body->rest[n]));
    }
    for (int32_t c = 0; c < body->cluster_count; ++c)
        haptic->finder.cluster_key[s][c] = -INFINITY;
}

void pal_haptic_reset(PalHaptic *haptic)
{
    for (int s = 0; s < 2; ++s) {
        PalHapticShape *shape = &haptic->shapes[s];
        size_t nodes = (size_t)haptic->bodies[s].node_count;
        size_t all = (size_t)haptic->bodies[s].all_count;
        memset(shape->q, 0, (size_t)haptic->bodies[s].stride * sizeof(double));
        memset(shape->q_short, 0, 3 * (size_t)haptic->bodies[s].stride * sizeof(float));
        memset(shape->local, 0, all * sizeof *shape->local);
        memset(haptic->memory[s], 0, nodes * sizeof *haptic->memory[s]);
        memset(haptic->pull_step[s], 0, nodes * sizeof(uint32_t));
        memset(haptic->local_step[s], 0, all * sizeof(uint32_t));
        memset(haptic->local[s].force, 0, nodes * sizeof(PalVec3));
        memset(haptic->local[s].listed, 0, nodes * sizeof(bool));
        haptic->local[s].count = 0;
        forget_gaps(haptic, s);
        for (size_t n = 0; n < all; ++n)
            shape->turn[n] = pal_mat3_identity();
        pal_haptic_defect_rest(&haptic->defects[s], shape, &haptic->balances[s]);
        shape->local_most = shape->local_change = shape->turn_change = shape->reach = 0;
        memset(haptic->last_q[s], 0, (size_t)haptic->bodies[s].stride * sizeof(float));
        haptic->local_count[s] = 0;
        haptic->pulled_count[s] = 0;
        pal_haptic_balance_reset(&haptic->balances[s]);
        haptic->limits[s].way_left = 0;
        haptic->limits[s].passed = haptic->limits[s].near_passed = false;
        haptic->last_frames[s] = (PalHapticFrame){0};
        pal_haptic_shape_moved(shape);
    }
    pal_haptic_forget(haptic);
    pal_distances_start(&haptic->distances);
    memset(haptic->moved, 0, sizeof haptic->moved);
    memset(haptic->last_moved, 0, sizeof haptic->last_moved);
    haptic->group_level = 0;
    haptic->force_passed = false;
    haptic->follows = 1;
    haptic->answer = (PalHapticForce){0};
    haptic->finder.near_count = haptic->carrier_count = haptic->pair_carrier_count = 0;
    haptic->finder.crossings.weight = haptic->finder.crossings.used ? 1 : 0;
    for (int32_t p = 0; p < haptic->finder.crossings.pair_max; ++p) {
        haptic->finder.crossings.pairs[p] = (PalHapticPair){0};
        haptic->pair_memory[p] = (PalHapticMemory){0};
    }
    haptic->watch.known = haptic->watch.told = false;
    haptic->watch.held = haptic->watch.held_square = 0;
    haptic->margin = haptic->deepest = haptic->last_way = 0;
    haptic->settled = true;
    haptic->ready = haptic->prepared = false;
    haptic->step = 1;
    pal_haptic_set_frames(haptic);
}

bool pal_haptic_set_pose(PalHaptic *haptic, int32_t body, const PalHapticPose *pose)
{
    PalQuaternion q = pose->rotation;
    double square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    if (body < 0 || body > 1 || !pal_vec3_is_finite(pose->position) ||
        !(square > 0.25 && square < 4) || pal_vec3_length(pose->position) > 1e12)
        return false;
    haptic->poses[body].position = pose->position;
    haptic->poses[body].rotation = pal_quaternion_normalise(q);
    return true;
}

PalHapticPose pal_haptic_pose(const PalHaptic *haptic, int32_t body)
{
    return haptic->poses[body];
}

void pal_haptic_set_velocity(PalHaptic *haptic, PalVec3 velocity, PalVec3 spin)
{
    if (!pal_vec3_is_finite(velocity) || !pal_vec3_is_finite(spin))
        return;
    haptic->watch.velocity = velocity;
    haptic->watch.spin = spin;
    haptic->watch.told = true;
}

// The tool is where the device is, moved by the coupling.
void pal_haptic_set_frames(PalHaptic *haptic)
{
    for (int s = 0; s < 2; ++s) {
        haptic->frames[s].turn = pal_quaternion_matrix(haptic->poses[s].rotation);
        haptic->frames[s].at = haptic->poses[s].position;
    }
    const double *m = haptic->moved;
    PalVec3 way = pal_vec3(m[0], m[1], m[2]), half = pal_vec3(m[3] / 2, m[4] / 2, m[5] / 2);
    PalQuaternion turn = pal_quaternion_normalise((PalQuaternion){1, half.x, half.y, half.z});
    haptic->frames[1].turn =
        pal_quaternion_matrix(pal_quaternion_multiply(turn, haptic->poses[1].rotation));
    haptic->frames[1].at = pal_vec3_add(haptic->poses[1].position, way);
}
