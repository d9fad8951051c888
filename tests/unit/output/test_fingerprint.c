// A run goes on only with the scene and the meshes it began with.
#include "fake.h"
#include "output/fingerprint.h"

static uint64_t print_of(const Fake *fake)
{
    return pal_scene_fingerprint("solver: {time: 1}", &fake->model);
}

static void whatever_changes_is_noticed(void **state)
{
    (void)state;
    Fake fake;
    PalError error = {0};
    int32_t nodes[] = {3, 5};
    fake_init(&fake);
    PalGroup group = {.name = "some", .node_count = 2, .nodes = nodes};
    check_ok(pal_mesh_add_group(fake.bodies[1].mesh, &group, &error), &error);
    uint64_t first = print_of(&fake);
    assert_true(print_of(&fake) == first);
    assert_true(pal_scene_fingerprint("solver: {time: 2}", &fake.model) != first);

    PalMesh *const meshes[] = {fake.bodies[0].mesh, fake.bodies[1].mesh, fake.rigid.mesh};
    for (int i = 0; i < 3; ++i) {
        double x = meshes[i]->nodes[2].x;
        meshes[i]->nodes[2].x = nextafter(x, 10);
        assert_true(print_of(&fake) != first);
        meshes[i]->nodes[2].x = x;
        int32_t corner = meshes[i]->cells[1];
        meshes[i]->cells[1] = meshes[i]->cells[2];
        assert_true(print_of(&fake) != first);
        meshes[i]->cells[1] = corner;
    }
    PalGroup *kept = &fake.bodies[1].mesh->groups[fake.bodies[1].mesh->group_count - 1];
    assert_string_equal(kept->name, "some");
    kept->nodes[1] = 6;
    assert_true(print_of(&fake) != first);
    kept->nodes[1] = 5;
    kept->name[0] = 'S';
    assert_true(print_of(&fake) != first);
    kept->name[0] = 's';
    assert_true(print_of(&fake) == first);
    fake_clear(&fake);
}

static void the_key_that_differs_is_told(void **state)
{
    (void)state;
    static const char here[] =
        "name: bar\nbodies:\n  - name: bar\n    velocity: [0, 0, -1]\n"
        "    material: {law: neo-hookean, young: 100, poisson: 0.3}\n"
        "solver:\n  method: explicit\n  time: 2\n  damping: 0.5\n  mass-scaling: 0\n"
        "output:\n  every: 0.1\n";
    static const char brief[] = "name: bar\nbodies:\n  - name: bar\n    velocity: [0, 0, -1]\n"
                                "    material: {law: neo-hookean, young: 100, poisson: 0.3}\n"
                                "solver: {method: explicit, damping: 0.5, mass-scaling: 0}\n"
                                "output: {every: 0.1}\n";
    static const char identity[] =
        "name: bar\nbodies:\n  - name: bar\n    velocity: [0, 0, -1]\n"
        "    material: {law: neo-hookean, young: 100, poisson: 0.3}\n"
        "solver:\n  method: explicit\n  damping: 0.5\n  mass-scaling: 0\n"
        "output:\n  every: 0.1\n";
    static const struct {
        const char *old, *new, *told;
    } cases[] = {
        {"damping: 0.5", "damping: 0.25", "damping of solver is 0.25 there and 0.5 here"},
        {"scaling: 0", "scaling: 1", "mass-scaling of solver is 1 there and 0 here"},
        {"young: 100", "young: 120", "young of bodies is 120 there and 100 here"},
        {"0, -1]", "0, -2]", "velocity of bodies is [0, 0, -2] there and [0, 0, -1] here"},
        {"every: 0.1", "every: 0.2", "every of output is 0.2 there and 0.1 here"},
        {"time: 2", "time: 3", NULL},
        {"time: 2", "time: 3\n  steps: 5", NULL},
        {"  time: 2\n", "", NULL},
        {"    velocity: [0, 0, -1]\n", "", "bodies differs"},
        {"damping: 0.5", "damping: 0.5", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char there[600], text[200] = "";
        const char *at = strstr(here, cases[i].old);
        snprintf(there, sizeof there, "%.*s%s%s", (int)(at - here), here, cases[i].new,
                 at + strlen(cases[i].old));
        bool differs = pal_scene_difference(there, here, identity, text, sizeof text);
        assert_true(differs == (cases[i].told != NULL));
        assert_string_equal(text, differs ? cases[i].told : "");
        differs = pal_scene_difference(there, here, brief, text, sizeof text);
        assert_true(differs == (cases[i].told != NULL));
        assert_string_equal(text, differs ? cases[i].told : "");
    }
}

// A key that only one of two lines has is told, and not the one before it.
static void a_key_that_is_missing_is_told(void **state)
{
    (void)state;
    static const struct {
        const char *there, *here, *told;
    } cases[] = {
        {"{self: all, active: true}", "{self: all, active: true, response: barrier}",
         "response of contact is barrier here and not told there"},
        {"{self: all, active: true, response: barrier}", "{self: all, active: true}",
         "response of contact is barrier there and not told here"},
        {"{self: all, margin: 2, response: barrier}", "{self: all, response: barrier}",
         "margin of contact is 2 there and not told here"},
        {"{self: all, margin: 2, cone: a}", "{self: all, response: b, cone: a, margin: 2}",
         "response of contact is b here and not told there"},
        {"{with: {a: 1}, active: true}", "{with: {a: 1, b: [2, 3]}, active: true}",
         "b of contact is [2, 3] here and not told there"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char there[200], here[200], text[200] = "";
        snprintf(there, sizeof there, "contact:\n  - %s\n", cases[i].there);
        snprintf(here, sizeof here, "contact:\n  - %s\n", cases[i].here);
        assert_true(pal_scene_difference(there, here, here, text, sizeof text));
        assert_string_equal(text, cases[i].told);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_key_that_is_missing_is_told),
    cmocka_unit_test(the_key_that_differs_is_told),
    cmocka_unit_test(whatever_changes_is_noticed),
};
CHECK_GROUP(tests, NULL, NULL)
