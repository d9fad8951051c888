#include "base/claim.h"

#include "base/assert.h"

#include <sched.h>

// What is being made has the complement of the stamp.
bool pal_claim_to_make(int64_t *made, int64_t stamp)
{
    PAL_ASSERT(stamp > 0);
    for (;;) {
        int64_t old = __atomic_load_n(made, __ATOMIC_ACQUIRE);
        if (old == stamp)
            return false;
        if (old == ~stamp)
            sched_yield();
        else if (__atomic_compare_exchange_n(made, &old, ~stamp, false, __ATOMIC_ACQUIRE,
                                             __ATOMIC_RELAXED))
            return true;
    }
}
