// From time to time there is a trial: two blocks of steps with the threads kept so far around two
// with half or twice as many, so that what grows steadily favours neither. The longer the same
// number wins, the rarer the trials; steps that have come to take longer bring one forward.
#include "base/pace.h"

#include <palpate/base.h>

enum {
    BLOCK = 16,  // steps at least
    WARM = 3,    // first of a block, not counted: helpers may have to be woken
    BLOCKS = 4,  // kept, rival, rival, kept
    ENOUGH = 4,  // steps that show that the rival is far slower
    START = 64,  // steps before the first trial, and after a rival has won
    SHORT_REST = 512,
    LONG_REST = 16384,
    WINDOW = 64,  // steps at rest looked at together
};

#define LONG_BLOCK 0.002  // seconds at least: a busy machine stops threads for milliseconds
#define FAR_SLOWER 1.25   // not worth trying to the end
#define WORTH      0.95   // of the time with fewer threads, or less: more threads are used
#define TOO_LONG   1.5    // times what was usual

void pal_pace_init(PalPace *pace, int32_t most)
{
    *pace = (PalPace){.most = most, .kept = most, .block = PAL_NONE, .rest = START};
}

static int32_t min_of(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static bool rival_is_on(const PalPace *pace)
{
    return pace->block == 1 || pace->block == 2;
}

int32_t pal_pace_threads(const PalPace *pace)
{
    return rival_is_on(pace) ? pace->rival : pace->kept;
}

static void begin_trial(PalPace *pace)
{
    pace->upwards = pace->kept == 1 || (pace->kept < pace->most && !pace->upwards);
    pace->rival = pace->upwards ? min_of(2 * pace->kept, pace->most) : (pace->kept + 1) / 2;
    pace->block = pace->taken = 0;
    pace->elapsed = 0;
    pace->spent[0] = pace->spent[1] = 0;
    pace->counted[0] = pace->counted[1] = 0;
}

static double mean(const PalPace *pace, int which)
{
    return pace->counted[which] > 0 ? pace->spent[which] / pace->counted[which] : 0;
}

static void end_trial(PalPace *pace)
{
    double kept = mean(pace, 0), rival = mean(pace, 1);
    bool won = pace->upwards ? rival < WORTH * kept : !(kept < WORTH * rival);
    if (won) {
        pace->kept = pace->rival;
        pace->rest = START;
    } else {
        pace->rest = pace->rest == START ? SHORT_REST : min_of(2 * pace->rest, LONG_REST);
    }
    pace->usual = won ? rival : kept;
    pace->block = PAL_NONE;
    pace->taken = 0;
    pace->recent = 0;
}

static void try_on(PalPace *pace, double seconds)
{
    bool rival = rival_is_on(pace);
    if (pace->taken >= WARM) {
        pace->spent[rival] += seconds;
        ++pace->counted[rival];
    }
    pace->elapsed += seconds;
    bool lost = pace->block == 1 && pace->counted[1] >= ENOUGH &&
                mean(pace, 1) > FAR_SLOWER * mean(pace, 0);
    if (lost) {
        end_trial(pace);
    } else if (++pace->taken >= BLOCK && pace->elapsed >= LONG_BLOCK) {
        pace->taken = 0;
        pace->elapsed = 0;
        if (++pace->block == BLOCKS)
            end_trial(pace);
    }
}

void pal_pace_took(PalPace *pace, double seconds)
{
    if (pace->most <= 1)
        return;
    if (pace->block != PAL_NONE) {
        try_on(pace, seconds);
        return;
    }
    pace->recent += seconds;
    bool slow = false;
    if (++pace->taken % WINDOW == 0) {
        slow = pace->usual > 0 && pace->recent > TOO_LONG * WINDOW * pace->usual;
        pace->recent = 0;
    }
    if (slow || pace->taken >= pace->rest)
        begin_trial(pace);
}
