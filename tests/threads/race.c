// A race on purpose: the thread sanitizer must report it, or its silence elsewhere means nothing.
#include "base/parallel.h"

#include <stdio.h>

enum { THREADS = 4 };

typedef struct Race {
    int64_t sum;              // every task writes it
    bool took_part[THREADS];  // one per worker
} Race;

static void add(void *context, int32_t index, int32_t worker)
{
    Race *race = context;
    race->sum += index;
    race->took_part[worker] = true;
}

static int worker_count(const Race *race)
{
    int count = 0;
    for (int i = 0; i < THREADS; ++i)
        count += race->took_part[i] ? 1 : 0;
    return count;
}

int main(void)
{
    // On a busy machine one worker may do all tasks of a loop before another wakes: try again then.
    Race race = {0};
    for (int round = 0; round < 1000 && worker_count(&race) < 2; ++round) {
        race = (Race){0};
        pal_parallel_for(THREADS, 100000, add, &race);
    }
    printf("%d workers, sum %lld\n", worker_count(&race), (long long)race.sum);
    return 0;
}
