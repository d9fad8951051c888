// A heap of pairs by the time they are due; of equals, the lower number first.
#include "contact/schedule/watch.h"

static bool comes_before(const PalOutlook *watch, int32_t p, int32_t q)
{
    double a = watch->pairs[p].due, b = watch->pairs[q].due;
    return a < b || (a == b && p < q);
}

static void put(PalOutlook *watch, int32_t place, int32_t pair)
{
    watch->queue[place] = pair;
    watch->pairs[pair].place = place;
}

static void rise(PalOutlook *watch, int32_t place)
{
    int32_t pair = watch->queue[place];
    for (; place > 0 && comes_before(watch, pair, watch->queue[(place - 1) / 2]);
         place = (place - 1) / 2)
        put(watch, place, watch->queue[(place - 1) / 2]);
    put(watch, place, pair);
}

static void sink(PalOutlook *watch, int32_t place)
{
    int32_t pair = watch->queue[place];
    for (;;) {
        int32_t child = 2 * place + 1;
        if (child >= watch->queue_count)
            break;
        if (child + 1 < watch->queue_count &&
            comes_before(watch, watch->queue[child + 1], watch->queue[child]))
            ++child;
        if (!comes_before(watch, watch->queue[child], pair))
            break;
        put(watch, place, watch->queue[child]);
        place = child;
    }
    put(watch, place, pair);
}

void pal_watch_requeue(PalOutlook *watch, int32_t pair)
{
    rise(watch, watch->pairs[pair].place);
    sink(watch, watch->pairs[pair].place);
}

void pal_watch_enqueue(PalOutlook *watch, int32_t pair)
{
    put(watch, watch->queue_count++, pair);
    rise(watch, watch->pairs[pair].place);
}

void pal_watch_dequeue(PalOutlook *watch, int32_t pair)
{
    int32_t place = watch->pairs[pair].place, last = watch->queue[--watch->queue_count];
    if (last == pair)
        return;
    put(watch, place, last);
    pal_watch_requeue(watch, last);
}

void pal_watch_sort_queue(PalOutlook *watch)
{
    for (int32_t place = watch->queue_count / 2; place >= 0; --place)
        if (place < watch->queue_count)
            sink(watch, place);
}
