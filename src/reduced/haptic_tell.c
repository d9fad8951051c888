// What a loop can be asked after a step.
#include "reduced/haptic.h"

#include <math.h>

PalHapticForce pal_haptic_force(const PalHaptic *haptic)
{
    return haptic->answer;
}

static PalHapticContact contact_of(PalHaptic *haptic, int32_t index)
{
    const PalHapticNear *near = &haptic->finder.near[index];
    const PalHapticBody *other = &haptic->bodies[1 - near->side];
    PalHapticShape *shape = &haptic->shapes[1 - near->side];
    const PalHapticFrame *frame = &haptic->frames[1 - near->side];
    double sign = near->side == 1 ? 1 : -1;
    PalVec3 at = {0, 0, 0};
    for (int a = 0; a < 3; ++a)
        at = pal_vec3_add_scaled(at, (double)near->weights[a],
                                 pal_haptic_position(shape, other->facets[near->facet][a]));
    const PalHapticMemory *memory = pal_haptic_memory_of(haptic, near);
    PalVec3 force = pal_vec3_scale((double)memory->force[0], near->normal);
    if (haptic->def.friction > 0)
        force = pal_vec3_add(force, memory->along);
    return (PalHapticContact){
        .place = pal_vec3_add(pal_mat3_apply(&frame->turn, at), frame->at),
        .force = pal_vec3_scale(sign, force),
        .normal = pal_vec3_scale(sign, near->normal),
        .gap = near->gap,
    };
}

int32_t pal_haptic_contacts(PalHaptic *haptic, PalHapticContact *contacts, int32_t room)
{
    int32_t count = 0;
    pal_haptic_settle(haptic);
    for (int32_t c = 0; c < haptic->finder.near_count; ++c) {
        const PalHapticNear *near = &haptic->finder.near[c];
        const PalHapticMemory *memory = pal_haptic_memory_of(haptic, near);
        if (memory->force[0] == 0 || memory->step + 1 != haptic->step)
            continue;
        if (count < room)
            contacts[count] = contact_of(haptic, c);
        ++count;
    }
    return count;
}

// Whether a force on a node of the surface has a direction that loads had there.
static bool is_learnt(const PalHaptic *haptic, int32_t body, int32_t node, PalVec3 force)
{
    const PalHapticBody *about = &haptic->bodies[body];
    if (about->book == NULL)
        return true;
    PalMat3 back = pal_mat3_transpose(&haptic->frames[body].turn);
    PalVec3 own = pal_mat3_apply(&back, force);
    int32_t first = about->ring_start[node], count = about->ring_start[node + 1] - first;
    return pal_vademecum_along(about->book, about->ring_facets + first, count, own) >=
           cos(PAL_VADEMECUM_UNLEARNT);
}

double pal_haptic_unlearnt(PalHaptic *haptic)
{
    double all = 0, unlearnt = 0;
    pal_haptic_settle(haptic);
    for (int32_t c = 0; c < haptic->finder.near_count; ++c) {
        const PalHapticNear *near = &haptic->finder.near[c];
        const PalHapticMemory *memory = pal_haptic_memory_of(haptic, near);
        if (memory->force[0] == 0 || memory->step + 1 != haptic->step)
            continue;
        const PalHapticBody *other = &haptic->bodies[1 - near->side];
        int heaviest = near->weights[1] > near->weights[0] ? 1 : 0;
        heaviest = near->weights[2] > near->weights[heaviest] ? 2 : heaviest;
        PalVec3 force = contact_of(haptic, c).force;  // on body 1
        PalVec3 on_own = pal_vec3_scale(near->side == 1 ? 1 : -1, force);
        double size = pal_vec3_length(force);
        all += size;
        if (!is_learnt(haptic, near->side, near->node, on_own) ||
            !is_learnt(haptic, 1 - near->side, other->facets[near->facet][heaviest],
                       pal_vec3_scale(-1, on_own)))
            unlearnt += size;
    }
    return all > 0 ? unlearnt / all : 0;
}

double pal_haptic_penalty(const PalHaptic *haptic)
{
    return haptic->def.answer == PAL_HAPTIC_PRINTED ? haptic->def.penalty : 0;
}

int32_t pal_haptic_node_count(const PalHaptic *haptic, int32_t body)
{
    return haptic->bodies[body].node_count;
}

int32_t pal_haptic_facet_count(const PalHaptic *haptic, int32_t body)
{
    return haptic->bodies[body].facet_count;
}

const int32_t (*pal_haptic_facets(const PalHaptic *haptic, int32_t body))[3]
{
    return (const int32_t(*)[3])haptic->bodies[body].facets;
}

void pal_haptic_surface(PalHaptic *haptic, int32_t body, PalVec3 *nodes)
{
    const PalHapticFrame *frame = &haptic->frames[body];
    pal_haptic_settle(haptic);
    for (int32_t n = 0; n < haptic->bodies[body].node_count; ++n)
        nodes[n] = pal_vec3_add(
            pal_mat3_apply(&frame->turn, pal_haptic_position(&haptic->shapes[body], n)), frame->at);
}

PalVec3 pal_haptic_displacement(PalHaptic *haptic, int32_t body, int32_t node)
{
    pal_haptic_settle(haptic);
    return pal_vec3_sub(pal_haptic_position(&haptic->shapes[body], node),
                        haptic->bodies[body].rest[node]);
}

size_t pal_haptic_bytes(const PalHaptic *haptic)
{
    size_t sum = sizeof *haptic;
    for (int s = 0; s < 2; ++s) {
        const PalHapticBody *body = &haptic->bodies[s];
        size_t nodes = (size_t)body->node_count, stride = (size_t)body->stride;
        size_t samples = body->book != NULL ? (size_t)body->book->size.sample_count : 0;
        sum += pal_haptic_body_bytes(body) +
               nodes * (4 * sizeof(PalVec3) + sizeof(PalMat3) + sizeof(PalHapticMemory) +
                        6 * sizeof(int32_t)) +
               (size_t)haptic->rows.row_max * stride * sizeof(float) +
               pal_haptic_defect_bytes(&haptic->defects[s], body->book) +
               3 * stride * stride * sizeof(float) + samples * 9 * stride * sizeof(float);
    }
    size_t rows = (size_t)haptic->rows.row_max;
    return sum + rows * (96 * 8 + 200 + sizeof(PalHapticNear) + sizeof(PalHapticLink));
}
