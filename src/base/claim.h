// Things that are made when they are first asked for in a step, by whoever asks. Where several
// threads ask, one of them makes it, and the others wait. Each thing has the stamp of the step it
// was made in; stamps of steps are positive and grow.
#ifndef PAL_BASE_CLAIM_H
#define PAL_BASE_CLAIM_H

#include <palpate/base.h>

// The stamp of the step it was made in. All that was written before it was said to be made is seen
// then.
static inline int64_t pal_made_at(const int64_t *made)
{
    return __atomic_load_n(made, __ATOMIC_ACQUIRE);
}

static inline bool pal_is_made(const int64_t *made, int64_t stamp)
{
    return pal_made_at(made) == stamp;
}

static inline void pal_say_made(int64_t *made, int64_t stamp)
{
    __atomic_store_n(made, stamp, __ATOMIC_RELEASE);
}

// For what is not made. True: the caller makes it, and then says so. False: another thread has made
// it meanwhile. What is made must not ask for itself.
bool pal_claim_to_make(int64_t *made, int64_t stamp);

#endif
