// In which order refitting goes through the tree.
//
// Blocks are the largest volumes with few enough facets that their boxes and cones stay in the
// first caches. Inside one, cones are merged four at a time: a merge can be done as soon as both
// cones are known, so merges are sorted by how many must come before, and each such level is filled
// up to a multiple of four by repeating its last.
#include "base/array.h"
#include "base/memory.h"
#include "geometry/build.h"
#include "math/lanes.h"

enum { BLOCK_FACETS = 256 };

typedef struct Schedule {
    PalHierarchy *hierarchy;
    int32_t *level;  // per volume: merges that must come before its cone is known
    int32_t *count;  // per level
    PAL_ARRAY(PalConeMerge) pending;
    PAL_ARRAY(int32_t) pending_level;
    PAL_ARRAY(PalConeMerge) merges;
    PAL_ARRAY(PalRefitBlock) blocks;
} Schedule;

static bool is_block(const PalHierarchy *hierarchy, int32_t v)
{
    int32_t parent = hierarchy->volumes[v].parent;
    return hierarchy->volumes[v].facet_count <= BLOCK_FACETS &&
           (parent == PAL_NONE || hierarchy->volumes[parent].facet_count > BLOCK_FACETS);
}

// Lists a volume with children; those inside it are listed already.
static bool add_inner(Schedule *schedule, int32_t v)
{
    PalHierarchy *hierarchy = schedule->hierarchy;
    const PalVolume *volume = &hierarchy->volumes[v];
    int32_t first = volume->first_child, level = schedule->level[first];
    hierarchy->inner[hierarchy->inner_count++] = (PalInner){v, first, volume->child_count};
    for (int32_t k = 1; k < volume->child_count; ++k) {
        int32_t other = schedule->level[first + k];
        level = (level > other ? level : other) + 1;
        PalConeMerge merge = {v, k == 1 ? first : v, first + k};
        if (!pal_array_push(&schedule->pending, merge) ||
            !pal_array_push(&schedule->pending_level, level))
            return false;
    }
    schedule->level[v] = level;
    return true;
}

// Sorts what is pending by level and appends it, each level in whole batches.
static bool flush(Schedule *schedule, PalRefitBlock *block)
{
    int32_t pending = schedule->pending.count, highest = 0, total = 0;
    for (int32_t i = 0; i < pending; ++i)
        if (schedule->pending_level.items[i] > highest)
            highest = schedule->pending_level.items[i];
    for (int32_t l = 0; l <= highest; ++l)
        schedule->count[l] = 0;
    for (int32_t i = 0; i < pending; ++i)
        ++schedule->count[schedule->pending_level.items[i]];
    block->first_merge = schedule->merges.count;
    for (int32_t l = 0; l <= highest; ++l) {  // counts become places
        int32_t padded = (schedule->count[l] + PAL_LANES - 1) / PAL_LANES * PAL_LANES;
        schedule->count[l] = block->first_merge + total;
        total += padded;
    }
    block->merge_count = total;
    if (!pal_array_reserve(&schedule->merges, total))
        return false;
    PalConeMerge *merges = schedule->merges.items;
    for (int32_t i = 0; i < total; ++i)
        merges[block->first_merge + i].to = PAL_NONE;
    for (int32_t i = 0; i < pending; ++i)
        merges[schedule->count[schedule->pending_level.items[i]]++] = schedule->pending.items[i];
    for (int32_t i = 1; i < total; ++i)
        if (merges[block->first_merge + i].to == PAL_NONE)
            merges[block->first_merge + i] = merges[block->first_merge + i - 1];
    schedule->merges.count += total;
    schedule->pending.count = schedule->pending_level.count = 0;
    return true;
}

static bool add_block(Schedule *schedule, int32_t v)
{
    PalHierarchy *hierarchy = schedule->hierarchy;
    const PalVolume *volume = &hierarchy->volumes[v];
    PalRefitBlock block = {.first_facet = volume->first_facet,
                           .facet_count = volume->facet_count,
                           .first_inner = hierarchy->inner_count};
    for (int32_t w = volume->end - 1; w >= volume->first_child; --w)
        if (hierarchy->volumes[w].child_count > 0 && !add_inner(schedule, w))
            return false;
    if (volume->child_count > 0 && !add_inner(schedule, v))
        return false;
    block.inner_count = hierarchy->inner_count - block.first_inner;
    return flush(schedule, &block) && pal_array_push(&schedule->blocks, block);
}

static bool add_top(Schedule *schedule)
{
    PalHierarchy *hierarchy = schedule->hierarchy;
    PalRefitBlock block = {.first_inner = hierarchy->inner_count};
    for (int32_t v = hierarchy->volume_count - 1; v >= 0; --v)
        if (hierarchy->volumes[v].facet_count > BLOCK_FACETS && !add_inner(schedule, v))
            return false;
    block.inner_count = hierarchy->inner_count - block.first_inner;
    return flush(schedule, &block) && pal_array_push(&schedule->blocks, block);
}

bool pal_build_schedule(PalHierarchy *hierarchy)
{
    size_t volumes = (size_t)hierarchy->volume_count;
    Schedule schedule = {.hierarchy = hierarchy};
    schedule.level = pal_alloc(volumes, sizeof *schedule.level);
    schedule.count = pal_alloc(volumes + 1, sizeof *schedule.count);
    bool enough = schedule.level != NULL && schedule.count != NULL;
    for (int32_t v = 0; enough && v < hierarchy->volume_count; ++v)
        if (is_block(hierarchy, v))
            enough = add_block(&schedule, v);
    enough = enough && add_top(&schedule);
    if (enough) {
        hierarchy->block_count = schedule.blocks.count;
        hierarchy->blocks = pal_copy(schedule.blocks.items, (size_t)schedule.blocks.count,
                                     sizeof *hierarchy->blocks);
        hierarchy->merge_count = schedule.merges.count;
        hierarchy->merges = pal_copy(schedule.merges.items, (size_t)schedule.merges.count,
                                     sizeof *hierarchy->merges);
        enough = hierarchy->blocks != NULL && hierarchy->merges != NULL;
    }
    pal_free(schedule.level);
    pal_free(schedule.count);
    pal_array_clear(&schedule.pending);
    pal_array_clear(&schedule.pending_level);
    pal_array_clear(&schedule.merges);
    pal_array_clear(&schedule.blocks);
    return enough;
}
