#include "contact/surface/awake.h"

#include "base/memory.h"

bool pal_awake_create(PalAwake *awake, int32_t object_count, int32_t block_count)
{
    size_t objects = (size_t)object_count, blocks = (size_t)block_count;
    *awake = (PalAwake){
        .all = true,
        .objects = pal_alloc(objects, sizeof *awake->objects),
        .asleep = pal_alloc(objects, sizeof *awake->asleep),
        .since = pal_alloc(objects, sizeof *awake->since),
        .last = pal_alloc(objects, sizeof *awake->last),
        .blocks = pal_alloc(blocks, sizeof *awake->blocks),
        .block_last = pal_alloc(blocks, sizeof *awake->block_last),
    };
    if (awake->objects == NULL || awake->asleep == NULL || awake->since == NULL ||
        awake->last == NULL || awake->blocks == NULL || awake->block_last == NULL)
        return false;
    awake->count = object_count;
    awake->block_count = block_count;
    for (int32_t o = 0; o < awake->count; ++o)
        awake->objects[o] = o;
    for (int32_t b = 0; b < awake->block_count; ++b)
        awake->blocks[b] = b;
    return true;
}

void pal_awake_clear(PalAwake *awake)
{
    pal_free(awake->objects);
    pal_free(awake->asleep);
    pal_free(awake->since);
    pal_free(awake->last);
    pal_free(awake->blocks);
    pal_free(awake->block_last);
    *awake = (PalAwake){0};
}

void pal_awake_begin(PalAwake *awake)
{
    for (int32_t i = 0; i < awake->count; ++i)
        awake->asleep[awake->objects[i]] = true;
    awake->all = false;
    awake->count = awake->block_count = 0;
    ++awake->step;
}

void pal_awake_add(PalAwake *awake, int32_t object, int32_t first_block, int32_t end_block)
{
    if (!awake->asleep[object])
        return;
    awake->asleep[object] = false;
    if (awake->last[object] != awake->step - 1)
        awake->since[object] = awake->step;
    awake->last[object] = awake->step;
    awake->objects[awake->count++] = object;
    for (int32_t b = first_block; b < end_block; ++b) {
        if (awake->block_last[b] == awake->step)
            continue;
        awake->block_last[b] = awake->step;
        awake->blocks[awake->block_count++] = b;
    }
}
