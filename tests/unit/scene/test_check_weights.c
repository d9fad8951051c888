// What `check` says of densities.
#include "findings.h"

#include <stdlib.h>

// Whether waves cross a hundredth of the body or not: E is 277, so that they go at 0.05 in a second
// where the density is 1e5. An equilibrium takes no time.
static void too_little_time_to_deform_is_told(void **state)
{
    (void)state;
    static const struct {
        const char *density, *solver;
        bool told;
    } cases[] = {{"1e5", "time: 0.1", true},
                 {"1e5", "time: 1", false},
                 {"1e3", "time: 0.1", false},
                 {"1e9", "time: 1", true},
                 {"1e9", "method: relaxation", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[512];
        snprintf(text, sizeof text,
                 BODY "{law: neo-hookean, shear: 100, bulk: 400, density: %s}\n" HELD
                      "solver: {%s}\n",
                 cases[i].density, cases[i].solver);
        Findings findings = check_text(text);
        const PalFinding *found = find(&findings, "body \"a\" has no time to deform");
        assert_true((found != NULL) == cases[i].told);
        assert_true(found == NULL || found->kind == PAL_FINDING_WARNING);
        free(findings.list);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(too_little_time_to_deform_is_told),
};
CHECK_GROUP(tests, NULL, NULL)
