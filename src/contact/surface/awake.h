// Which objects take part in a step. All do, unless a schedule knows that the others come near
// nothing in it: those cost nothing.
#ifndef PAL_CONTACT_SURFACE_AWAKE_H
#define PAL_CONTACT_SURFACE_AWAKE_H

#include <palpate/base.h>

typedef struct PalAwake {
    bool all;             // nothing ever sleeps
    int32_t count;        // of objects that are awake
    int32_t *objects;     // which they are
    bool *asleep;         // per object
    int64_t *since;       // per object: the step since which it has been awake, if it is
    int64_t *last;        // per object: the last step in which it was
    int32_t block_count;  // of blocks of vertices that have one of theirs
    int32_t *blocks;      // which they are
    int64_t *block_last;  // per block: the last step in which it was among them
    int64_t step;         // counts them
    // Asked when contact lets these vertices end elsewhere than predicted: may all that is asleep
    // go on sleeping? It wakes what may not. NULL: nothing sleeps.
    bool (*holds)(void *context, const int32_t *vertices, int32_t count);
    void *context;
} PalAwake;

// All are awake. False: no memory.
bool pal_awake_create(PalAwake *awake, int32_t object_count, int32_t block_count);
void pal_awake_clear(PalAwake *awake);

// A step begins in which none is, so far.
void pal_awake_begin(PalAwake *awake);
// One more is; it has these blocks.
void pal_awake_add(PalAwake *awake, int32_t object, int32_t first_block, int32_t end_block);

#endif
