// Which patches cannot touch themselves.
#include "contact/search/front.h"

#include <string.h>

#define PI 3.14159265358979323846

static bool is_sound(PalFront *front, const PalSearchState *state, int32_t v)
{
    const PalFrontVolume *volume = &front->volumes[v];
    PalPatch patch = {
        .facet_count = volume->facet_count,
        .facets = front->order + volume->first_facet,
        .leans = front->leans,
    };
    patch.rim = pal_hierarchy_rim(front->trees[0].hierarchy, v, &patch.rim_count);
    PalVec3 direction = front->normals[v];
    return patch.rim != NULL && pal_patch_faces(&patch, &direction, &front->witness[v]) &&
           pal_patch_rim_is_simple(&patch, &state->places, direction, front->flat);
}

static bool is_free(PalFront *front, const PalSearchState *state, int32_t v)
{
    const PalFrontVolume *volume = &front->volumes[v];
    if (volume->object == PAL_NONE)
        return false;
    if (!pal_search_allows(state, volume->object, volume->object))
        return true;
    switch (state->def.self_test) {
    case PAL_SELF_TEST_SOUND:
        return is_sound(front, state, v);
    case PAL_SELF_TEST_CONE:
        return front->trees[0].hierarchy->volumes[v].connected && front->cones[v].angle < PI;
    default:
        return false;
    }
}

static void give_patch(PalFront *front, int32_t v)
{
    const PalFrontVolume *volume = &front->volumes[v];
    for (int32_t i = 0; i < volume->facet_count; ++i) {
        int32_t facet = front->order[volume->first_facet + i];
        front->patch[facet] = v;
        pal_front_mark(front, facet);
    }
}

// Looks at one volume, and has its children visited where patches below it may be others than
// before: some facet has moved, or a patch around them is no longer one.
static void visit(PalFront *front, const PalSearchState *state, int32_t v)
{
    if (front->freedom[v] == PAL_FREEDOM_UNKNOWN)
        front->freedom[v] = is_free(front, state, v) ? PAL_FREEDOM_FREE : PAL_FREEDOM_NONE;
    const PalFrontVolume *volume = &front->volumes[v];
    bool was_patch = front->patch[front->order[volume->first_facet]] == v;
    if (front->freedom[v] == PAL_FREEDOM_FREE) {
        if (!was_patch)
            give_patch(front, v);
        return;
    }
    bool lost = was_patch || pal_bit(front->lost, v);
    for (int32_t c = volume->first_child; c < volume->first_child + volume->child_count; ++c) {
        if (lost)
            pal_bit_set(front->lost, c);
        if (lost || pal_bit(front->dirty_volumes, c))
            pal_bit_set(front->visited, c);
    }
}

void pal_front_divide(PalFront *front, const PalSearchState *state)
{
    size_t bytes = ((size_t)front->soft_volume_count / 64 + 1) * sizeof *front->visited;
    memset(front->visited, 0, bytes);
    memset(front->lost, 0, bytes);
    if (front->soft_volume_count > 0 && pal_bit(front->dirty_volumes, 0))
        pal_bit_set(front->visited, 0);
    // children come after their parents
    for (int32_t word = 0; word <= front->soft_volume_count / 64; ++word) {
        uint64_t rest = ~UINT64_C(0);
        while ((front->visited[word] & rest) != 0) {
            int32_t bit = __builtin_ctzll(front->visited[word] & rest);
            rest = bit == 63 ? 0 : ~UINT64_C(0) << (bit + 1);
            visit(front, state, 64 * word + bit);
        }
    }
}
