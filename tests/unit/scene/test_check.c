// What `check` finds, and what it says of a scene with nothing wrong.
#include "findings.h"

static int32_t count_kind(const Findings *findings, PalFindingKind kind)
{
    int32_t count = 0;
    for (int32_t i = 0; i < findings->count; ++i)
        count += findings->list[i].kind == kind;
    return count;
}

// The scene has exactly one finding that is no note, of this kind and with these words.
static void expect_only(const char *text, PalFindingKind kind, const char *words)
{
    Findings findings = check_text(text);
    const PalFinding *finding = find(&findings, words);
    if (finding == NULL)
        fail_msg("nothing says: %s", words);
    assert_int_equal(finding->kind, kind);
    for (int32_t i = 0; i < findings.count; ++i)
        if (findings.list[i].kind != PAL_FINDING_NOTE && &findings.list[i] != finding)
            fail_msg("also said: %s", findings.list[i].text);
    free(findings.list);
}

static void nothing_wrong(void **state)
{
    (void)state;
    Findings findings = check_text(BODY SOFT HELD "probes: [{name: p, body: a}]\n" SOLVE);
    assert_int_equal(count_kind(&findings, PAL_FINDING_WARNING), 0);
    assert_int_equal(count_kind(&findings, PAL_FINDING_ERROR), 0);
    static const char *const words[] = {
        "body \"a\": 27 nodes, 40 elements t4, volume 1, mass 10",
        "mesh quality",
        "conditions.0 (fix): 9 nodes of body \"a\"",
        "probe \"p\": 27 nodes of body \"a\"",
        "stable step ",
        " until time 1",
        "51 frames",
        " of computing on ",
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
        if (find(&findings, words[i]) == NULL)
            fail_msg("nothing says: %s", words[i]);
    free(findings.list);
}

// The step and its number are those the simulation takes.
static void steps_are_counted(void **state)
{
    (void)state;
    static const char text[] = BODY SOFT HELD "solver: {time: 1, step: 0.01}\n";
    Findings findings = check_text(text);
    assert_non_null(find(&findings, "100 steps of 0.01 until time 1"));
    free(findings.list);
    findings = check_text(BODY SOFT HELD "solver: {time: 12345.67, step: 0.01}\n");
    assert_non_null(find(&findings, "1,234,567 steps of 0.01 until time 12345.7"));
    free(findings.list);
}

static void trouble_is_found(void **state)
{
    (void)state;
    expect_only(BODY "{law: neo-hookean, shear: 1, bulk: 200, density: 10}\n" HELD SOLVE,
                PAL_FINDING_WARNING, "element t4 locks");
    // Slightly too long a step may do.
    expect_only(BODY SOFT HELD "solver: {time: 1, step: 0.05}\n", PAL_FINDING_WARNING,
                "may become unstable: the stable bound is ");
    expect_only(BODY SOFT HELD "solver: {time: 1e12}\noutput: {every: 1e10}\n", PAL_FINDING_WARNING,
                "are the units consistent?");
    expect_only(BODY SOFT "conditions: [{gravity: [0, 0, -1]}]\n" SOLVE, PAL_FINDING_WARNING,
                "its loads may carry it away");
    expect_only(BODY SOFT "solver: {method: relaxation}\n", PAL_FINDING_WARNING,
                "relaxation may find no equilibrium");
    expect_only(BODY SOFT HELD
                "  - {body: a, where: {plane: x-min}, displace: [0.1, 0, 0]}\n" SOLVE,
                PAL_FINDING_WARNING, "both prescribe 3 nodes of body \"a\"");
    expect_only(BODY SOFT HELD
                "  - {body: a, where: {plane: z-max}, pressure: 1, until: 2}\n" SOLVE,
                PAL_FINDING_WARNING, "its ramp lasts until 2, but the simulation ends at 1");
    expect_only(BODY SOFT HELD "rigid: [{name: r, shape: {box: [1, 1, 1]}}]\n" SOLVE,
                PAL_FINDING_WARNING, "pass through each other");
    expect_only(BODY SOFT HELD
                "rigid:\n  - name: r\n    shape: {box: [1, 1, 1]}\n"
                "    place: {translate: [0, 0, 1.2]}\n"
                "    motion: [{translate: [0, 0, 1]}, {translate: [0, 1, 0], until: 3}]\n"
                "contact: [{between: all}]\n" SOLVE,
                PAL_FINDING_WARNING, "the ramp of motion 2 lasts until 3, but the simulation ends");
}

// Not told where it is slow, goes on, comes to rest by itself, or time means nothing.
static void sudden_stops_are_told(void **state)
{
    (void)state;
    static const char said[] = "stops suddenly at time ";
    static const struct {
        const char *ramp;
        PalFindingKind kind;
        bool told;
    } cases[] = {
        {"displace: [0, 0, 0.5], ramp: linear", PAL_FINDING_WARNING, true},
        {"displace: [0, 0, 0.5], ramp: linear, until: 0.5", PAL_FINDING_WARNING, true},
        {"displace: [0, 0, 0.5], ramp: [[0, 0], [0.5, 1]]", PAL_FINDING_WARNING, true},
        {"displace: [0, 0, 0.01], ramp: linear", PAL_FINDING_NOTE, true},
        {"displace: [0, 0, 0.5], ramp: smooth", PAL_FINDING_NOTE, false},
        {"displace: [0, 0, 0.5], ramp: linear, until: 0.5, hold: false", PAL_FINDING_NOTE, false},
        {"force: [0, 0, 0.5], ramp: linear", PAL_FINDING_NOTE, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[1000];
        snprintf(text, sizeof text,
                 BODY SOFT HELD "  - {body: a, where: {plane: z-max}, %s}\n" SOLVE, cases[i].ramp);
        Findings findings = check_text(text);
        const PalFinding *finding = find(&findings, said);
        if ((finding != NULL) != cases[i].told)
            fail_msg("%s: %s", cases[i].ramp, cases[i].told ? "nothing is told" : "it is told");
        if (finding != NULL)
            assert_int_equal(finding->kind, cases[i].kind);
        free(findings.list);
    }
}

// A landmark is where it is, not at the nearest node.
static void points_of_probes_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *probe, *said;
        PalFindingKind kind;
    } cases[] = {
        {"{point: [0.1, 0.2, 0.3]}", "the point (0.1, 0.2, 0.3) in cell ", PAL_FINDING_NOTE},
        {"{point: [0.1, 0.2, 0.6]}", "is 0.1 outside of body \"a\"", PAL_FINDING_NOTE},
        {"{point: [0.1, 0.2, 3]}", "point of it, (0.1, 0.2, 0.5) on cell ", PAL_FINDING_WARNING},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[1000];
        snprintf(text, sizeof text,
                 BODY SOFT HELD "probes: [{name: p, body: a, where: %s}]\n" SOLVE, cases[i].probe);
        Findings findings = check_text(text);
        const PalFinding *finding = find(&findings, cases[i].said);
        if (finding == NULL)
            fail_msg("nothing says: %s", cases[i].said);
        assert_int_equal(finding->kind, cases[i].kind);
        free(findings.list);
    }
}

// Damping at twice the rate of the slowest vibration, and time for it, leave nothing to tell.
static void way_to_rest_is_told(void **state)
{
    (void)state;
    static const char left[] = "for a state of rest use ";
    Findings findings = check_text(BODY SOFT HELD "solver: {time: 1}\n");
    assert_non_null(find(&findings, "the slowest vibration is that of body \"a\""));
    assert_non_null(find(&findings, left));
    free(findings.list);
    findings = check_text(BODY SOFT HELD "solver: {time: 20, damping: 8}\n");
    assert_null(find(&findings, left));
    free(findings.list);
    findings = check_text(BODY SOFT HELD "solver: {method: relaxation}\n");
    assert_null(find(&findings, "the slowest vibration"));
    free(findings.list);
}

#define STIFF   "{law: neo-hookean, shear: 1, bulk: 100, density: 10}\n"
#define PRESSED "  - {body: a, where: {plane: z-max}, displace: [0, 0, -0.01]}\n"

static void locking_is_told_in_numbers(void **state)
{
    (void)state;
    static const char anp[] = "element t4-anp is about 46 % too stiff";
    expect_only(BODY STIFF HELD SOLVE, PAL_FINDING_WARNING, "is about 220 % too stiff");
    expect_only(BODY "{law: neo-hookean, young: 1, poisson: 0.46, density: 10}\n" HELD SOLVE,
                PAL_FINDING_WARNING, "element t4 locks above 0.45");
    Findings findings =
        check_text(BODY "{law: neo-hookean, young: 1, poisson: 0.45, density: 10}\n" HELD SOLVE);
    assert_null(find(&findings, "locks"));
    free(findings.list);
    expect_only(BODY STIFF "    element: t4-anp\n" HELD PRESSED SOLVE, PAL_FINDING_WARNING, anp);
    expect_only(BODY STIFF "    element: t4-anp\n" HELD SOLVE, PAL_FINDING_WARNING, anp);
    findings = check_text(BODY "{law: neo-hookean, shear: 1, bulk: 20, density: 10}\n"
                               "    element: t4-anp\n" HELD SOLVE);
    assert_int_equal(find(&findings, "element t4-anp is about 21 % too stiff")->kind,
                     PAL_FINDING_NOTE);
    free(findings.list);
#define LAYER                                                                                      \
    "bodies:\n  - name: a\n    shape: {box: [4, 1, 1], cells: [4, 1, 1]}\n    element: h8\n"
    expect_only(LAYER "    hourglass-control: plain\n    material: " SOFT HELD SOLVE,
                PAL_FINDING_WARNING, "it bends about 1.1 times too much");
    static const char *const solvers[] = {SOLVE, "solver: {method: implicit-static}\n",
                                          "solver: {method: relaxation}\n"};
    for (int i = 0; i < 3; ++i) {  // by default it bends as it should
        char text[600];
        snprintf(text, sizeof text, LAYER "    material: " SOFT HELD "%s", solvers[i]);
        findings = check_text(text);
        assert_null(find(&findings, "one layer"));
        free(findings.list);
    }
    expect_only(LAYER "    hourglass-control: f-bar\n    material: " SOFT HELD SOLVE,
                PAL_FINDING_WARNING, "it bends too much, by 20 %");
}

// A line for each of thousands of conditions would hide the rest.
static void many_conditions_are_counted(void **state)
{
    (void)state;
    enum { MANY = 120 };
    char text[16384] = BODY SOFT HELD;
    for (int i = 1; i < MANY; ++i) {
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length,
                 "  - {body: a, where: {group: z-max}, force: [0, 0, %d]}\n", i);
    }
    strcat(text, SOLVE);
    Findings findings = check_text(text);
    assert_non_null(find(&findings, "conditions.0 (fix)"));
    assert_non_null(find(&findings, "conditions.49 (force)"));
    assert_null(find(&findings, "conditions.50 (force)"));
    assert_non_null(find(&findings, "and 70 more conditions"));
    free(findings.list);
}

static void passing_through_is_told(void **state)
{
    (void)state;
    static const char four[] = BODY SOFT HELD
        "rigid:\n  - {name: r, shape: {box: [1, 1, 1]}, place: {translate: [0, 0, 9]}}\n"
        "  - {name: s, shape: {box: [1, 1, 1]}, place: {translate: [0, 9, 0]}}\n"
        "  - {name: t, shape: {box: [1, 1, 1]}, place: {translate: [9, 0, 0]}}\n"
        "contact: %s\n" SOLVE;
    static const struct {
        const char *contact, *expected;
    } cases[] = {
        {"[]", "contact: [{between: all}] keeps them apart"},
        {"[{self: all}]", "contact: [{between: all}] keeps them apart"},
        {"[{between: [a, r]}]",
         "\"a\" and \"s\" pass through each other, and so does one other pair: no entry"},
        {"[{between: [a, r]}, {between: [a, t]}]",
         "\"a\" and \"s\" pass through each other: no entry"},
        {"[{between: all}]", NULL},
        {"[{between: all}, {between: [a, s], active: false}]", NULL},
        {"[{between: [r, a]}, {between: [a, s], active: false}, {between: [a, t]}]", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[1024];
        snprintf(text, sizeof text, four, cases[i].contact);
        Findings findings = check_text(text);
        const char *expected = cases[i].expected;
        assert_int_equal(find(&findings, "pass through") != NULL, expected != NULL);
        if (expected != NULL)
            assert_non_null(find(&findings, expected));
        free(findings.list);
    }
}

static void overlaps_are_told(void **state)
{
    (void)state;
    static const char two[] =
        BODY SOFT "  - name: b\n    shape: {box: [1, 1, 1], cells: [2, 2, 2]}\n"
                  "    place: {translate: [0.1, 0, %s]}\n    material: " SOFT
                  "contact: [{between: all}, {self: all}]\n" SOLVE;
    static const struct {
        const char *height, *expected;
        PalFindingKind kind;
    } cases[] = {
        {"3", "surfaces in contact rest 0.00", PAL_FINDING_NOTE},
        {"3", "contact: a - itself friction 0; a - b friction 0; b - itself friction 0",
         PAL_FINDING_NOTE},
        {"1", "\"a\" and \"b\" touch at the start, at ", PAL_FINDING_NOTE},
        {"1", " and are moved apart before a run, by 0.00", PAL_FINDING_NOTE},
        {"1.0009", "\"a\" and \"b\" nearly touch at the start, at ", PAL_FINDING_NOTE},
        {"0.9", "nodes are moved at the start, by at most 0.0", PAL_FINDING_NOTE},
        {"0.9", "changes volumes and masses, most of all that of \"", PAL_FINDING_NOTE},
        {"0.75", "changes volumes and masses, most of all that of \"", PAL_FINDING_NOTE},
        {"0.9", "are inside, the deepest by 0.1, at (", PAL_FINDING_WARNING},
        {"0.9", "they are moved apart before a run", PAL_FINDING_WARNING},
        {"0.2", "\"a\" and \"b\" overlap at the start: ", PAL_FINDING_WARNING},
        {"0.2", "too deep to be removed", PAL_FINDING_ERROR},
    };
    char text[1024];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        snprintf(text, sizeof text, two, cases[i].height);
        Findings findings = check_text(text);
        const PalFinding *found = find(&findings, cases[i].expected);
        if (found == NULL)
            fail_msg("at height %s nothing says \"%s\"", cases[i].height, cases[i].expected);
        assert_int_equal(found->kind, cases[i].kind);
        if (strcmp(cases[i].height, "3") == 0) {
            assert_null(find(&findings, "overlap"));
            assert_null(find(&findings, "moved"));
        }
        free(findings.list);
    }
}

// Edges are 0.5 at least; 0.002 of their mean is what is taken without a separation.
static void odd_separations_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *separation, *expected;
    } cases[] = {{"0.06", "is more than a tenth of the shortest edge in contact, 0.5"},
                 {"1e-8", "is less than a millionth of the mean edge"},
                 {"0.04", NULL},
                 {"1e-5", NULL},
                 {"auto", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[1024];
        snprintf(text, sizeof text,
                 BODY SOFT HELD
                 "rigid: [{name: r, shape: {box: [1, 1, 1]}, place: {translate: [0, 0, 9]}}]\n"
                 "contact: [{between: all, separation: %s}]\n" SOLVE,
                 cases[i].separation);
        Findings findings = check_text(text);
        const PalFinding *found = find(&findings, "the separation ");
        assert_int_equal(found != NULL, cases[i].expected != NULL);
        if (found != NULL) {
            assert_int_equal(found->kind, PAL_FINDING_WARNING);
            assert_non_null(strstr(found->text, cases[i].expected));
        }
        free(findings.list);
    }
}

static void odd_contacts_and_weights_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *contact, *place, *gravity, *expected;
    } cases[] = {
        {"friction: 6", "1", "-1", "the friction 6 between \"a\" and \"r\" lets nothing slip"},
        {"friction: 1", "1", "-1", NULL},
        {"friction: 1", "20", "-1",
         "rigid \"r\" stays 19 or more away from the bodies it may touch"},
        {"on: false", "20", "-1", "contact: a - r off"},
        {"friction: 1", "1", "-1e6", "body \"a\" weighs too much for its stiffness"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[1024];
        snprintf(text, sizeof text,
                 BODY SOFT
                 "conditions:\n  - {body: a, where: all, fix: xyz}\n"
                 "  - {gravity: [0, 0, %s]}\n"
                 "rigid: [{name: r, shape: {box: [1, 1, 1]}, place: {translate: [0, 0, %s]}}]\n"
                 "contact: [{between: all, %s}]\n" SOLVE,
                 cases[i].gravity, cases[i].place, cases[i].contact);
        Findings findings = check_text(text);
        if (cases[i].expected != NULL && find(&findings, cases[i].expected) == NULL)
            fail_msg("nothing says \"%s\"", cases[i].expected);
        if (cases[i].expected == NULL) {
            assert_null(find(&findings, "slip"));
            assert_null(find(&findings, "no nearer"));
            assert_null(find(&findings, "weighs"));
        }
        free(findings.list);
    }
}

// Two cubes above the body, one at rest; lists of motions go with the other.
static void instruments_that_meet_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *place, *motion, *contact, *expected;  // NULL: nothing is said
        PalFindingKind kind;
    } cases[] = {
        // the same height and depth: all sides lie in common planes
        {"[3, 0, 2]", "[{translate: [-4, 0, 0]}]", "between: all",
         "rigid \"left\" and rigid \"right\" overlap at time 0.505", PAL_FINDING_WARNING},
        {"[3, 0.2, 2.1]", "[{translate: [-4, 0, 0]}]", "between: all", "overlap at time 0.505",
         PAL_FINDING_WARNING},
        {"[3, 0, 2]", "[{translate: [-4, 0, 0]}]", "between: [a, left]", NULL, 0},
        {"[3, 0, 2]", "[{translate: [-2, 0, 0]}]", "between: all", NULL, 0},  // touches in the end
        {"[3, 0, 2]", "[{translate: [-2.01, 0, 0]}]", "between: all",
         "overlap at time 0.92:", PAL_FINDING_WARNING},
        {"[1, 0, 2]", "{translate: [0, 0, 0]}", "between: all", NULL, 0},
        {"[1, 1, 2]", "[{translate: [0, 0, 9]}]", "between: all", NULL, 0},
        {"[0.9, 0, 2]", "[{translate: [9, 0, 0]}]", "between: all",
         "overlap at the start: ", PAL_FINDING_WARNING},
        {"[0.9, 0, 2]", "{translate: [0, 0, 0]}", "between: all", "overlap all the time",
         PAL_FINDING_NOTE},
        {"[1.2, 0, 2]", "[{rotate: {axis: [0, 0, 1], degrees: 45, about: [1.2, 0, 2]}}]",
         "between: all", "overlap at time 0.", PAL_FINDING_WARNING},
        {"[1.3, 0, 2]", "[{rotate: {axis: [0, 0, 1], degrees: 45, about: [1.3, 0, 2]}}]",
         "between: all", NULL, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[1024];
        snprintf(text, sizeof text,
                 BODY SOFT HELD
                 "rigid:\n"
                 "  - {name: left, shape: {box: [1, 1, 1]}, place: {translate: [0, 0, "
                 "2]}}\n"
                 "  - {name: right, shape: {box: [1, 1, 1]}, place: {translate: %s}, "
                 "motion: %s}\n"
                 "contact: [{%s}]\n" SOLVE,
                 cases[i].place, cases[i].motion, cases[i].contact);
        Findings findings = check_text(text);
        const PalFinding *found = find(&findings, "overlap");
        if ((found != NULL) != (cases[i].expected != NULL))
            fail_msg("case %zu: %s", i, found != NULL ? found->text : "nothing is said");
        if (found != NULL && strstr(found->text, cases[i].expected) == NULL)
            fail_msg("case %zu: %s", i, found->text);
        if (found != NULL)
            assert_int_equal(found->kind, cases[i].kind);
        free(findings.list);
    }
}

// A small one that is in a large one before anyone looks crosses nothing.
static void instruments_within_others_are_told(void **state)
{
    (void)state;
    Findings findings = check_text(
        BODY SOFT HELD "rigid:\n"
                       "  - {name: large, shape: {sphere: 1}, place: {translate: [0, 0, 3]}}\n"
                       "  - name: small\n    shape: {sphere: 0.1}\n"
                       "    place: {translate: [5, 0, 3]}\n"
                       "    motion: {translate: [-5, 0, 0], ramp: [[0, 0], [0.5, 0], [0.501, 1]]}\n"
                       "contact: [{between: all}]\n" SOLVE);
    const PalFinding *found = find(&findings, "\"large\" and rigid \"small\" overlap at time 0.5");
    assert_non_null(found);
    assert_int_equal(found->kind, PAL_FINDING_WARNING);
    free(findings.list);
}

static void overlapping_bodies_are_named(void **state)
{
    (void)state;
    static const char two[] =
        BODY SOFT "  - name: b\n    shape: {box: [1, 1, 1], cells: [1, 1, 1]}\n"
                  "    place: {translate: [0, 0, %s]}\n    material: " SOFT SOLVE;
    char text[1024];
    for (int far = 0; far < 2; ++far) {
        snprintf(text, sizeof text, two, far ? "3" : "0.5");
        Findings findings = check_text(text);
        assert_int_equal(find(&findings, "bodies \"a\" and \"b\" may overlap") != NULL, !far);
        assert_non_null(find(&findings, "pass through each other"));
        free(findings.list);
    }
}

// What is tied neither passes through what holds it nor overlaps it, and is held by it.
static void tied_bodies_are_held(void **state)
{
    (void)state;
    static const char tied[] =
        BODY SOFT "  - name: b\n    shape: {box: [1, 1, 1], cells: [1, 1, 1]}\n"
                  "    place: {translate: [0, 0, 1]}\n    material: " SOFT
                  "conditions:\n  - {body: a, where: {plane: z-min}, fix: xyz}\n"
                  "%ssolver: {method: implicit-static, time: 1}\n";
    char text[1024];
    for (int is_tied = 0; is_tied < 2; ++is_tied) {
        snprintf(text, sizeof text, tied,
                 is_tied ? "  - {body: b, where: {plane: z-min}, attach: a}\n" : "");
        Findings findings = check_text(text);
        assert_int_equal(find(&findings, "may overlap") != NULL, !is_tied);
        assert_int_equal(find(&findings, "pass through") != NULL, !is_tied);
        assert_int_equal(find(&findings, "\"b\" is not held") != NULL, !is_tied);
        free(findings.list);
    }
}

// Without friction, contact holds a body in one direction only: told as a warning.
static void bodies_that_only_lie_are_told(void **state)
{
    (void)state;
    static const char lies[] = BODY SOFT
        "rigid:\n  - {name: table, shape: {box: [4, 4, 1]}, place: {translate: [0, 0, -1.1]}}\n"
        "conditions: [{gravity: [0, 0, -0.01]}]\n"
        "contact: [{between: %s, friction: %g}]\n"
        "solver: {method: implicit-static, time: 1}\n";
    char text[1024];
    for (int i = 0; i < 4; ++i) {
        snprintf(text, sizeof text, lies, i < 2 ? "[a, table]" : "all", 0.3 * (i % 2));
        Findings findings = check_text(text);
        const PalFinding *finding = find(&findings, "\"a\" is not held in every direction");
        assert_non_null(finding);
        assert_int_equal(finding->kind, i % 2 == 0 ? PAL_FINDING_WARNING : PAL_FINDING_NOTE);
        assert_int_equal(strstr(finding->text, "without friction") != NULL, i % 2 == 0);
        free(findings.list);
    }
}

// Two tetrahedra on one face, each inside out or not.
static void turned_cells_are_told(void **state)
{
    (void)state;
    static const char *const cells[] = {"4 0 1 2 3\n4 0 2 1 4\n", "4 0 1 2 3\n4 0 1 2 4\n",
                                        "4 1 0 2 3\n4 0 1 2 4\n"};
    static const char *const words[] = {
        NULL, "1 of 2 cells was inside out in the file and is turned",
        "all cells are inside out in the file; they are turned around"};
    for (int turned = 0; turned < 3; ++turned) {
        FILE *file = fopen("turned-cells.vtk", "w");
        assert_non_null(file);
        fprintf(file,
                "# vtk DataFile Version 3.0\ntwo\nASCII\nDATASET UNSTRUCTURED_GRID\n"
                "POINTS 5 double\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n0 0 -1\nCELLS 2 10\n%s"
                "CELL_TYPES 2\n10\n10\n",
                cells[turned]);
        fclose(file);
        Findings findings = check_text("bodies:\n  - name: a\n    mesh: turned-cells.vtk\n"
                                       "    material: " SOFT HELD SOLVE);
        const PalFinding *finding = find(&findings, "inside out");
        assert_int_equal(finding != NULL, turned > 0);
        if (finding != NULL) {
            assert_non_null(strstr(finding->text, words[turned]));
            assert_int_equal(finding->kind, turned == 1 ? PAL_FINDING_WARNING : PAL_FINDING_NOTE);
        }
        free(findings.list);
    }
    remove("turned-cells.vtk");
}

static void relaxation_promises_no_frames(void **state)
{
    (void)state;
    Findings findings = check_text(BODY SOFT HELD "solver: {method: relaxation}\n");
    assert_non_null(find(&findings, "on disk for each frame"));
    assert_null(find(&findings, "1 frame"));
    assert_non_null(find(&findings, "after at most 1,000,000 steps"));
    free(findings.list);
}

// A box squeezed to a thousandth of its height is made of slivers.
static void slivers_are_told(void **state)
{
    (void)state;
    Findings findings = check_text("bodies:\n  - name: a\n    shape: {box: [1, 1, 0.001], cells: "
                                   "[2, 2, 1]}\n    material: " SOFT HELD SOLVE);
    const PalFinding *poor = find(&findings, "cells have a quality below 0.1");
    const PalFinding *step = find(&findings, "the step is short because of a sliver");
    assert_non_null(poor);
    assert_non_null(step);
    assert_int_equal(poor->kind, PAL_FINDING_WARNING);
    assert_non_null(strstr(step->text, "mass-scaling"));
    free(findings.list);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(nothing_wrong),
    cmocka_unit_test(steps_are_counted),
    cmocka_unit_test(trouble_is_found),
    cmocka_unit_test(sudden_stops_are_told),
    cmocka_unit_test(points_of_probes_are_told),
    cmocka_unit_test(way_to_rest_is_told),
    cmocka_unit_test(locking_is_told_in_numbers),
    cmocka_unit_test(many_conditions_are_counted),
    cmocka_unit_test(passing_through_is_told),
    cmocka_unit_test(overlaps_are_told),
    cmocka_unit_test(odd_separations_are_told),
    cmocka_unit_test(odd_contacts_and_weights_are_told),
    cmocka_unit_test(instruments_that_meet_are_told),
    cmocka_unit_test(instruments_within_others_are_told),
    cmocka_unit_test(overlapping_bodies_are_named),
    cmocka_unit_test(tied_bodies_are_held),
    cmocka_unit_test(bodies_that_only_lie_are_told),
    cmocka_unit_test(slivers_are_told),
    cmocka_unit_test(turned_cells_are_told),
    cmocka_unit_test(relaxation_promises_no_frames),
};
CHECK_GROUP(tests, NULL, NULL)
