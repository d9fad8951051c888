// What `check` says of bodies that only contact holds.
#include "findings.h"

#include <stdlib.h>

// An entry for two objects counts more than the one for all, whichever has the friction.
static void bodies_that_only_lie_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *contact;
        PalFindingKind kind;
        const char *method;
    } cases[] = {
        {"[{between: all, friction: 0.3, response: barrier}]", PAL_FINDING_NOTE, "implicit-static"},
        {"[{between: all, response: barrier}]", PAL_FINDING_WARNING, "implicit-static"},
        {"[{between: all, friction: 0.3, response: barrier}, {between: [a, r], friction: 0}]",
         PAL_FINDING_WARNING, "implicit-static"},
        {"[{between: all, response: barrier}, {between: [a, r], friction: 0.3}]", PAL_FINDING_NOTE,
         "implicit-static"},
        {"[{between: [a, r], friction: 0.3, response: barrier}, {self: a}]", PAL_FINDING_NOTE,
         "implicit-static"},
        {"[{between: [a, r], response: barrier}, {self: a, friction: 0.3}]", PAL_FINDING_WARNING,
         "implicit-static"},
        {"[{between: all, friction: 0.3}]", PAL_FINDING_NOTE, "relaxation"},
        {"[{between: all}]", PAL_FINDING_WARNING, "relaxation"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[1024];
        snprintf(text, sizeof text,
                 BODY SOFT
                 "conditions: [{gravity: [0, 0, -1]}]\n"
                 "rigid: [{name: r, shape: {box: [9, 9, 1]}, place: {translate: [0, 0, -1.1]}}]\n"
                 "contact: %s\nsolver: {method: %s}\n",
                 cases[i].contact, cases[i].method);
        Findings findings = check_text(text);
        const PalFinding *found = find(&findings, "body \"a\" is not held in every direction");
        assert_non_null(found);
        assert_int_equal(found->kind, cases[i].kind);
        bool anywhere = strstr(found->text, "it may come to rest anywhere") != NULL;
        assert_true(anywhere == (cases[i].kind == PAL_FINDING_WARNING));
        free(findings.list);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(bodies_that_only_lie_are_told),
};
CHECK_GROUP(tests, NULL, NULL)
