// What the loop hands over to a thread that draws: three copies of the state. One is written by the
// loop, one read by the other thread, and the third changes hands by an atomic exchange; so neither
// ever waits. Surfaces are computed from modes by the thread that draws.
#include "base/memory.h"
#include "reduced/haptic.h"
#include "reduced/haptic_lanes.h"
#include <stdatomic.h>
#include <string.h>

#define FRESH 4  // set in `spare` when the loop has published it

typedef struct Copy {
    PalHapticForce force;
    PalHapticPose poses[2];
    PalHapticFrame frames[2];
    float *q[2];        // 3 rows, one per axis
    PalVec3 *local[2];  // in the body's coordinates
    int32_t contact_count;
    PalHapticContact *contacts;
} Copy;

struct PalHapticPicture {
    PalHaptic *haptic;
    Copy copies[3];
    int32_t written, taken;  // by the loop, by the other
    atomic_int spare;
    int32_t contact_max;
};

static bool copy_init(Copy *copy, const PalHaptic *haptic, int32_t contact_max)
{
    bool enough = true;
    for (int s = 0; s < 2; ++s) {
        const PalHapticBody *body = &haptic->bodies[s];
        copy->q[s] = pal_alloc(3 * (size_t)body->stride + 8, sizeof(float));
        copy->local[s] = pal_alloc((size_t)body->node_count, sizeof(PalVec3));
        enough = enough && copy->q[s] != NULL && copy->local[s] != NULL;
        copy->poses[s] = haptic->poses[s];
        copy->frames[s] = haptic->frames[s];
    }
    copy->contacts = pal_alloc((size_t)contact_max, sizeof *copy->contacts);
    return enough && copy->contacts != NULL;
}

PalStatus pal_haptic_picture_create(PalHaptic *haptic, PalHapticPicture **picture, PalError *error)
{
    *picture = NULL;
    if (haptic->picture != NULL)
        return pal_error_set(error, PAL_BAD_INPUT, "a haptic loop has one picture");
    PalHapticPicture *made = pal_alloc(1, sizeof *made);
    bool enough = made != NULL;
    if (enough) {
        made->haptic = haptic;
        made->contact_max = haptic->def.contact_max;
        made->taken = 1;
        atomic_init(&made->spare, 2);
    }
    for (int i = 0; i < 3 && enough; ++i)
        enough = copy_init(&made->copies[i], haptic, made->contact_max);
    if (!enough) {
        pal_haptic_picture_destroy(made);
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for a picture");
    }
    haptic->picture = made;
    *picture = made;
    return PAL_OK;
}

void pal_haptic_picture_destroy(PalHapticPicture *picture)
{
    if (picture == NULL)
        return;
    for (int i = 0; i < 3; ++i) {
        for (int s = 0; s < 2; ++s) {
            pal_free(picture->copies[i].q[s]);
            pal_free(picture->copies[i].local[s]);
        }
        pal_free(picture->copies[i].contacts);
    }
    if (picture->haptic != NULL)
        picture->haptic->picture = NULL;
    pal_free(picture);
}

static PalVec3 near_of(PalHapticShape *shape, int32_t node)
{
    return pal_mat3_apply(pal_haptic_patch(shape, node), pal_haptic_near_part(shape, node));
}

void pal_haptic_publish(PalHaptic *haptic)
{
    PalHapticPicture *picture = haptic->picture;
    if (picture == NULL)
        return;
    Copy *copy = &picture->copies[picture->written];
    pal_haptic_settle(haptic);
    copy->force = haptic->answer;
    for (int s = 0; s < 2; ++s) {
        PalHapticShape *shape = &haptic->shapes[s];
        copy->poses[s] = haptic->poses[s];
        copy->frames[s] = haptic->frames[s];
        memcpy(copy->q[s], shape->q_short, 3 * (size_t)haptic->bodies[s].stride * sizeof(float));
        memset(copy->local[s], 0, (size_t)haptic->bodies[s].node_count * sizeof(PalVec3));
        for (int32_t i = 0; i < haptic->local_count[s]; ++i) {
            int32_t node = haptic->local_nodes[s][i];
            if (node < haptic->bodies[s].node_count)
                copy->local[s][node] = near_of(shape, node);
        }
        const PalHapticDefect *defect = &haptic->defects[s];
        for (int32_t i = 0; i < defect->biased_count; ++i) {
            int32_t node = defect->biased[i];
            if (node < haptic->bodies[s].node_count)
                copy->local[s][node] = near_of(shape, node);
        }
    }
    int32_t count = pal_haptic_contacts(haptic, copy->contacts, picture->contact_max);
    copy->contact_count = count < picture->contact_max ? count : picture->contact_max;
    int old =
        atomic_exchange_explicit(&picture->spare, picture->written | FRESH, memory_order_acq_rel);
    picture->written = old & ~FRESH;
}

bool pal_haptic_picture_take(PalHapticPicture *picture)
{
    if ((atomic_load_explicit(&picture->spare, memory_order_relaxed) & FRESH) == 0)
        return false;
    int old = atomic_exchange_explicit(&picture->spare, picture->taken, memory_order_acq_rel);
    picture->taken = old & ~FRESH;
    return true;
}

PalHapticForce pal_haptic_picture_force(const PalHapticPicture *picture)
{
    return picture->copies[picture->taken].force;
}

PalHapticPose pal_haptic_picture_pose(const PalHapticPicture *picture, int32_t body)
{
    return picture->copies[picture->taken].poses[body];
}

int32_t pal_haptic_picture_contacts(const PalHapticPicture *picture, PalHapticContact *contacts,
                                    int32_t room)
{
    const Copy *copy = &picture->copies[picture->taken];
    for (int32_t i = 0; i < copy->contact_count && i < room; ++i)
        contacts[i] = copy->contacts[i];
    return copy->contact_count;
}

void pal_haptic_picture_surface(PalHapticPicture *picture, int32_t body, PalVec3 *nodes)
{
    const Copy *copy = &picture->copies[picture->taken];
    const PalHapticBody *about = &picture->haptic->bodies[body];
    for (int32_t n = 0; n < about->node_count; ++n) {
        PalVec3 at = pal_vec3_add(about->rest[n], copy->local[body][n]);
        if (about->mode_count > 0) {
            float u[3];
            for (int i = 0; i < 3; ++i)
                pal_rows_dot(about->rows + ((int64_t)3 * n + i) * about->stride, 1, about->stride,
                             copy->q[body] + (about->separate ? i * (int64_t)about->stride : 0),
                             &u[i]);
            at = pal_vec3_add(at, pal_vec3((double)u[0], (double)u[1], (double)u[2]));
        }
        nodes[n] =
            pal_vec3_add(pal_mat3_apply(&copy->frames[body].turn, at), copy->frames[body].at);
    }
}
