// Contact goes on with the same bits from any step of a run, and with any number of threads.
#include "check.h"
#include "scene/reader.h"

enum { STEPS = 160, EVERY = 40 };

// Two blocks pressed onto each other by a plate that turns: contacts come, stick, slip and go.
static const char scene_text[] =
    "bodies:\n"
    "  - name: lower\n"
    "    shape: {box: [1, 1, 1], cells: [3, 3, 3]}\n"
    "    material: {law: neo-hookean, young: 1000, poisson: 0.3, density: 1}\n"
    "  - name: upper\n"
    "    shape: {sphere: 0.35, cells: [4]}\n"
    "    place: {translate: [0.1, 0.05, 0.87]}\n"
    "    material: {law: neo-hookean, young: 500, poisson: 0.3, density: 1}\n"
    "rigid:\n"
    "  - name: plate\n"
    "    shape: {box: [1.5, 1.5, 0.2]}\n"
    "    place: {translate: [0, 0, 1.34]}\n"
    "    motion: {translate: [0.1, 0, -0.3], rotate: {axis: [0, 0, 1], degrees: 30}}\n"
    "conditions:\n"
    "  - {body: lower, where: {plane: z-min}, fix: xyz}\n"
    "contact:\n"
    "  - {between: all, friction: 0.3}\n"
    "  - {self: all}\n"
    "solver: {method: explicit, time: 0.25, steps-limit: 1000000, tolerance: 1e-9}\n";

static PalSim *create(PalScene *scene, int32_t threads)
{
    PalSimDef def = *pal_scene_sim(scene);
    PalSim *sim = NULL;
    PalError error = {0};
    def.solver.thread_count = threads;
    check_ok(pal_sim_create(&def, &sim, &error), &error);
    return sim;
}

static void take_steps(PalSim *sim, int count)
{
    PalError error = {0};
    for (int i = 0; i < count && !pal_sim_finished(sim); ++i)
        check_ok(pal_sim_step(sim, &error), &error);
}

static void carry_over(PalSim *first, PalSim *second)
{
    PalError error = {0};
    PalNamedArray from[PAL_SIM_ARRAY_MAX], to[PAL_SIM_ARRAY_MAX];
    int32_t count = pal_sim_arrays(first, from);
    assert_int_equal(pal_sim_arrays(second, to), count);
    for (int32_t i = 0; i < count; ++i) {
        assert_string_equal(from[i].name, to[i].name);
        void *place = to[i].data;
        if (to[i].resize != NULL)
            place = to[i].resize(to[i].owner, from[i].count);
        else
            assert_int_equal(from[i].count, to[i].count);
        assert_non_null(place);
        if (from[i].count > 0)
            memcpy(place, from[i].data, (size_t)from[i].count * sizeof(double));
    }
    check_ok(pal_sim_restored(second, &error), &error);
}

static void same_contacts(const PalSim *a, const PalSim *b)
{
    int32_t count, other;
    const PalContactPoint *p = pal_sim_contacts(a, &count), *q = pal_sim_contacts(b, &other);
    assert_int_equal(count, other);
    for (int32_t i = 0; i < count; ++i) {
        assert_memory_equal(&p[i].position, &q[i].position, sizeof p[i].position);
        assert_memory_equal(&p[i].force, &q[i].force, sizeof p[i].force);
        assert_memory_equal(&p[i].normal, &q[i].normal, sizeof p[i].normal);
        assert_memory_equal(p[i].objects, q[i].objects, sizeof p[i].objects);
        assert_true(p[i].gap == q[i].gap && p[i].normal_force == q[i].normal_force);
        assert_true(p[i].kind == q[i].kind && p[i].slips == q[i].slips);
    }
    PalContactReport r = pal_sim_contact_report(a), s = pal_sim_contact_report(b);
    assert_int_equal(r.contact_count, s.contact_count);
    assert_int_equal(r.rescues, s.rescues);
    assert_true(r.penetration == s.penetration && r.worst_penetration == s.worst_penetration);
}

static PalScene *read_scene(const char *method, const char *contact)
{
    PalScene *scene = NULL;
    PalError error = {0};
    const PalSceneChange changes[] = {{"solver.method", method}, {"contact", contact}};
    PalSceneOptions options = {.change_count = contact != NULL ? 2 : 1, .changes = changes};
    check_ok(pal_scene_read_memory(scene_text, strlen(scene_text), "scene.yaml", &options, &scene,
                                   &error),
             &error);
    return scene;
}

// `contact`: instead of what the scene says; NULL: as it says.
static void check_method(const char *method, const char *contact, int steps)
{
    PalScene *scene = read_scene(method, contact);
    PalSim *whole = create(scene, 1);
    int32_t most = 0;
    for (int step = 0; step < steps; step += EVERY) {
        PalSim *other = create(scene, 2);
        carry_over(whole, other);
        same_contacts(whole, other);
        take_steps(whole, EVERY);
        take_steps(other, EVERY);
        same_contacts(whole, other);
        if (pal_sim_hash(whole) != pal_sim_hash(other))
            fail_msg("%s: other bits after %d steps", method, step + EVERY);
        pal_sim_destroy(other);
        int32_t count = pal_sim_contact_report(whole).contact_count;
        most = count > most ? count : most;
    }
    assert_true(most > 0);
    pal_sim_destroy(whole);
    pal_scene_destroy(scene);
}

static void explicit_goes_on(void **state)
{
    (void)state;
    check_method("explicit", NULL, STEPS);
}

static void newmark_goes_on(void **state)
{
    (void)state;
    check_method("newmark", NULL, STEPS);
}

static void relaxation_goes_on(void **state)
{
    (void)state;
    check_method("relaxation", NULL, STEPS);
}

static void every_search_and_response_goes_on(void **state)
{
    (void)state;
    static const char *const contacts[] = {
        "[{between: all, friction: 0.3, hierarchy: aabb4, update: larsson}, {self: all}]",
        "[{between: all, friction: 0.3, hierarchy: obb2, update: exhaustive}, {self: all}]",
        "[{between: all, friction: 0.3, update: update-nodes}, {self: all}]",
        "[{between: all, friction: 0.3, response: johnsen2015}]",
        "[{between: all, response: johnsen2012}]",
    };
    for (size_t i = 0; i < sizeof contacts / sizeof *contacts; ++i)
        check_method("explicit", contacts[i], STEPS / 2);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(explicit_goes_on),
    cmocka_unit_test(newmark_goes_on),
    cmocka_unit_test(relaxation_goes_on),
    cmocka_unit_test(every_search_and_response_goes_on),
};
CHECK_GROUP(tests, NULL, NULL)
