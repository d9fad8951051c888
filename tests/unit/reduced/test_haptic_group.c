// Groups of near points by themselves.
#include "check.h"
#include "reduced/haptic.h"

enum { NEAR = 300 };

// Clusters of one size are too many, and those of the next too few: the first are made a second
// time in the same search, and each point is in its chain once.
static void groups_are_made_again(void **state)
{
    (void)state;
    PalHaptic *haptic = calloc(1, sizeof *haptic);
    PalHapticBody *body = &haptic->bodies[1];
    int32_t facet[1][3] = {{0, 0, 0}}, single[NEAR], all[NEAR] = {0};
    PalHapticNear near[NEAR];
    PalHapticLink links[NEAR];
    PalHapticMemory memory[NEAR] = {0};
    PalHapticGroup groups[NEAR] = {0};
    float give[NEAR] = {0};
    for (int32_t c = 0; c < NEAR; ++c) {
        single[c] = c;
        near[c] = (PalHapticNear){
            .side = 1, .node = c, .far_node = PAL_NONE, .weight = 1, .pair = PAL_NONE};
        memory[c] = (PalHapticMemory){.step = 1, .force = {1, 0, 0}};
        links[c] = (PalHapticLink){.place = {c, 0, 0}};
    }
    for (int level = 0; level < PAL_HAPTIC_LEVELS; ++level)
        body->group[level] = level == 0 ? single : all;
    body->edge = 1;
    body->give = haptic->bodies[0].give = give;
    haptic->bodies[0].facets = facet;
    haptic->finder.near = near;
    haptic->finder.near_count = NEAR;
    haptic->links = links;
    haptic->memory[1] = memory;
    haptic->groups[1] = groups;
    for (haptic->step = 2; haptic->step < 4; ++haptic->step) {  // no search between: no new number
        assert_true(pal_haptic_make_groups(haptic));
        assert_int_equal(haptic->group_level, 1);
        for (int32_t c = 0; c < NEAR; ++c) {
            assert_int_equal(groups[c].first, c);
            assert_int_equal(links[c].next, PAL_NONE);
            check_near((double)groups[c].sum, 1, 1e-6);
            memory[c].step = haptic->step;
        }
    }
    free(haptic);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(groups_are_made_again)};

CHECK_GROUP(tests, NULL, NULL)
