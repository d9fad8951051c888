// What is written in one loop is read by other workers in the next, and by the caller after it,
// without any race: the sanitizer must stay silent.
#include "base/parallel.h"

#include <stdio.h>

enum { COUNT = 4096, LOOPS = 50 };

typedef struct Numbers {
    int64_t from[COUNT], to[COUNT];
} Numbers;

static void add_neighbour(void *context, int32_t index, int32_t worker)
{
    (void)worker;
    Numbers *numbers = context;
    numbers->to[index] = numbers->from[index] + numbers->from[(index + 1) % COUNT] % 7;
}

static void copy_back(void *context, int32_t index, int32_t worker)
{
    (void)worker;
    Numbers *numbers = context;
    numbers->from[COUNT - 1 - index] = numbers->to[COUNT - 1 - index];
}

static int64_t total(int32_t thread_count)
{
    Numbers numbers = {{0}, {0}};
    for (int32_t i = 0; i < COUNT; ++i)
        numbers.from[i] = i;
    for (int32_t loop = 0; loop < LOOPS; ++loop) {
        numbers.from[loop] += loop;  // the caller writes between the loops
        pal_parallel_for(thread_count, COUNT, add_neighbour, &numbers);
        pal_parallel_for(thread_count, COUNT, copy_back, &numbers);
    }
    int64_t sum = 0;
    for (int32_t i = 0; i < COUNT; ++i)
        sum += numbers.from[i];
    return sum;
}

int main(void)
{
    int64_t alone = total(1), together = total(4);
    if (alone != together) {
        printf("4 threads give %lld, one gives %lld\n", (long long)together, (long long)alone);
        return 1;
    }
    return 0;
}
