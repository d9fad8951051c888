// What a scene says of contact: pairs, their friction, the method.
#include "check.h"
#include "scene/reader.h"

static const char scene_text[] =
    "bodies:\n"
    "  - name: slab\n"
    "    shape: {box: [3, 3, 1.2], cells: [3, 3, 2]}\n"
    "    material: {law: neo-hookean, shear: 100, bulk: 400, density: 20}\n"
    "  - name: ball\n"
    "    shape: {box: [1, 1, 1], size: 0.5}\n"
    "    place: {translate: [0, 0, 2]}\n"
    "    material: {law: neo-hookean, young: 3000, poisson: 0.25, density: 20}\n"
    "rigid:\n"
    "  - {name: probe, shape: {box: [1, 1, 1]}, place: {translate: [0, 0, 5]}}\n"
    "solver: {time: 2}\n";

static PalScene *read_changed(int32_t count, const PalSceneChange *changes)
{
    PalScene *scene = NULL;
    PalError error = {0};
    PalSceneOptions options = {.change_count = count, .changes = changes};
    check_ok(pal_scene_read_memory(scene_text, strlen(scene_text), "scene.yaml", &options, &scene,
                                   &error),
             &error);
    return scene;
}

static PalScene *read_with_contact(const char *contact)
{
    return read_changed(1, &(PalSceneChange){"contact", contact});
}

static void check_pair(const PalContactDef *def, int32_t index, int32_t a, int32_t b,
                       double friction)
{
    assert_true(index < def->pair_count);
    assert_int_equal(def->pairs[index].objects[0], a);
    assert_int_equal(def->pairs[index].objects[1], b);
    check_near(def->pairs[index].friction, friction, 0);
}

static void contact_pairs_and_method(void **state)
{
    (void)state;
    PalScene *scene = read_with_contact("[{between: [ball, slab], friction: 0.1},"
                                        " {self: ball, update: larsson},"
                                        " {between: [probe, ball], cone: provot}]");
    const PalContactDef *contact = &pal_scene_sim(scene)->contact;
    assert_int_equal(contact->pair_count, 3);
    check_pair(contact, 0, 0, 1, 0.1);
    check_pair(contact, 1, 1, 1, 0);
    check_pair(contact, 2, 1, 2, 0);
    assert_int_equal(contact->update, PAL_UPDATE_LARSSON);
    assert_int_equal(contact->cone, PAL_CONE_PROVOT);
    assert_int_equal(contact->response, PAL_RESPONSE_LAGRANGE);
    check_near(contact->separation, 0, 0);
    pal_scene_destroy(scene);
}

static void named_contacts_go_before_all(void **state)
{
    (void)state;
    static const char *const orders[] = {
        "[{between: all, friction: 0.5}, {self: all}, {between: [ball, slab], friction: 2},"
        " {self: slab, active: false}]",
        "[{self: slab, on: false}, {between: [slab, ball], friction: 2}, {self: all},"  // as once
        " {between: all, friction: 0.5}]"};
    for (int i = 0; i < 2; ++i) {
        PalScene *scene = read_with_contact(orders[i]);
        const PalContactDef *contact = &pal_scene_sim(scene)->contact;
        assert_int_equal(contact->pair_count, 4);
        check_pair(contact, 0, 0, 1, 2);
        check_pair(contact, 1, 0, 2, 0.5);
        check_pair(contact, 2, 1, 1, 0);
        check_pair(contact, 3, 1, 2, 0.5);
        pal_scene_destroy(scene);
    }
}

static void every_method_is_read(void **state)
{
    (void)state;
    PalScene *scene = read_with_contact(
        "[{response: johnsen2015}, {between: all, response: johnsen2015, hierarchy: obb2,"
        " update: update-nodes, cone: provot, self-test: exhaustive, separation: 0.01,"
        " schedule: every-step}]");
    const PalContactDef *contact = &pal_scene_sim(scene)->contact;
    assert_int_equal(contact->response, PAL_RESPONSE_JOHNSEN2015);
    assert_int_equal(contact->hierarchy, PAL_HIERARCHY_OBB2);
    assert_int_equal(contact->update, PAL_UPDATE_UPDATE_NODES);
    assert_int_equal(contact->cone, PAL_CONE_PROVOT);
    assert_int_equal(contact->self_test, PAL_SELF_TEST_EXHAUSTIVE);
    check_near(contact->separation, 0.01, 0);
    pal_scene_destroy(scene);
    // Without a pair there is nothing to find.
    scene = read_with_contact("[{response: johnsen2012, separation: auto}]");
    assert_int_equal(pal_scene_sim(scene)->contact.pair_count, 0);
    assert_int_equal(pal_scene_sim(scene)->contact.response, PAL_RESPONSE_JOHNSEN2012);
    pal_scene_destroy(scene);
}

static void contact_is_a_field_where_there_is_contact(void **state)
{
    (void)state;
    static const struct {
        const char *contact, *output;
        bool expected;
    } cases[] = {{"[{between: all}]", "{}", true},
                 {"[]", "{}", false},
                 {"[{between: all}]", "{fields: [stress]}", false},
                 {"[{between: all}]", "{fields: [contact]}", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const PalSceneChange changes[] = {{"contact", cases[i].contact},
                                          {"output", cases[i].output}};
        PalScene *scene = read_changed(2, changes);
        assert_int_equal(pal_scene_output(scene)->fields[PAL_FIELD_CONTACT], cases[i].expected);
        pal_scene_destroy(scene);
    }
}

static void changes_reach_contact(void **state)
{
    (void)state;
    const PalSceneChange changes[] = {{"contact", "[{between: all}]"},
                                      {"contact.0.friction", "0.75"},
                                      {"contact.0.separation", "0.002"}};
    PalScene *scene = read_changed(3, changes);
    const PalContactDef *contact = &pal_scene_sim(scene)->contact;
    assert_int_equal(contact->pair_count, 3);
    check_pair(contact, 2, 1, 2, 0.75);
    check_near(contact->separation, 0.002, 0);
    pal_scene_destroy(scene);
}

static void expect_refused(int32_t count, const PalSceneChange *changes, const char *words)
{
    PalScene *scene = NULL;
    PalError error = {0};
    PalSceneOptions options = {.change_count = count, .changes = changes};
    assert_int_equal(pal_scene_read_memory(scene_text, strlen(scene_text), "scene.yaml", &options,
                                           &scene, &error),
                     PAL_BAD_INPUT);
    if (strstr(error.text, words) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", error.text, words);
}

static void nothing_is_called_all(void **state)
{
    (void)state;
    expect_refused(1, &(PalSceneChange){"bodies.1.name", "all"}, "the name \"all\" means");
    expect_refused(1, &(PalSceneChange){"rigid.0.name", "all"}, "the name \"all\" means");
    PalScene *scene = read_changed(1, &(PalSceneChange){"bodies.1.name", "All of it"});
    pal_scene_destroy(scene);
}

// With the place in the file, as everything that a scene has wrong.
static void paths_that_know_no_contact(void **state)
{
    (void)state;
    PalSceneChange changes[] = {{"solver", "{method: implicit-static, path: arc-length}"},
                                {"contact", "[{between: all}]"}};
    expect_refused(2, changes, "solver: path arc-length knows no contact");
    changes[0].value = "{method: implicit, time: 1, scheme: newmark}";
    expect_refused(2, changes, "solver: scheme newmark takes means");
    changes[1].value = "[]";
    pal_scene_destroy(read_changed(2, changes));
}

static void published_responses_do_not_relax(void **state)
{
    (void)state;
    PalSceneChange changes[] = {{"solver", "{method: relaxation}"},
                                {"contact", "[{between: all, response: johnsen2015}]"}};
    expect_refused(2, changes, "response johnsen2015 never comes to rest in method relaxation");
    changes[1].value = "[{between: all}, {response: johnsen2012}]";
    expect_refused(2, changes, "response johnsen2012 never comes to rest in method relaxation");
    changes[1].value = "[{between: all, response: lagrange}]";
    pal_scene_destroy(read_changed(2, changes));
    changes[1].value = "[{between: all, response: material-depth}]";
    expect_refused(2, changes,
                   "response material-depth never comes to rest in method relaxation, expected "
                   "lagrange, or solver: {method: implicit-static}");
    changes[1].value = "[{between: all, response: collocation}]";
    expect_refused(2, changes, "response collocation never comes to rest in method relaxation");
    changes[0].value = "{method: newmark, time: 1}";
    changes[1].value = "[{between: all, response: johnsen2012}]";
    pal_scene_destroy(read_changed(2, changes));
}

// What is advised is what works.
static void instruments_are_not_taken_for_bodies(void **state)
{
    (void)state;
    static const struct {
        PalSceneChange change;
        const char *expected;
    } cases[] = {
        {{"contact", "[{between: [probe, probe]}]"},
         "between \"probe\" and itself, which is a rigid instrument, expected the instrument and a "
         "body"},
        {{"probes", "[{name: p, body: probe}]"},
         "\"probe\" is a rigid instrument, expected rigid: probe"},
        {{"contact", "[{between: all, active: true, on: true}]"},
         "both active and on, its name of earlier, expected active"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        PalScene *scene = NULL;
        PalError error = {0};
        PalSceneOptions options = {.change_count = 1, .changes = &cases[i].change};
        assert_int_equal(pal_scene_read_memory(scene_text, strlen(scene_text), "scene.yaml",
                                               &options, &scene, &error),
                         PAL_BAD_INPUT);
        if (strstr(error.text, cases[i].expected) == NULL)
            fail_msg("%s", error.text);
    }
}

// Of entries for the same two, the later one is refused, and the message tells where the first is.
static void repeated_pairs_are_refused(void **state)
{
    (void)state;
    static const char *const entries[] = {"between: [slab, ball]", "between: [ball, probe]",
                                          "between: [ball, slab]", "self: ball", "self: ball"};
    static const struct {
        int first, second;
        const char *words;
    } cases[] = {{0, 2, "a second contact between"}, {3, 4, "a second self: ball"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char text[2048], place[32];
        size_t used = (size_t)snprintf(text, sizeof text, "%scontact:\n", scene_text);
        for (int e = cases[i].first; e <= cases[i].second; ++e)
            used += (size_t)snprintf(text + used, sizeof text - used, "  - {%s}\n", entries[e]);
        PalScene *scene = NULL;
        PalError error = {0};
        PalStatus status = pal_scene_read_memory(text, strlen(text), "scene.yaml",
                                                 &(PalSceneOptions){0}, &scene, &error);
        assert_int_equal(status, PAL_BAD_INPUT);
        int line = 13;  // of the first entry
        snprintf(place, sizeof place, "scene.yaml:%d:", line + cases[i].second - cases[i].first);
        assert_memory_equal(error.text, place, strlen(place));
        assert_non_null(strstr(error.text, cases[i].words));
        assert_non_null(strstr(error.text, "the first is at scene.yaml:13:"));
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(repeated_pairs_are_refused),
    cmocka_unit_test(contact_pairs_and_method),
    cmocka_unit_test(named_contacts_go_before_all),
    cmocka_unit_test(every_method_is_read),
    cmocka_unit_test(contact_is_a_field_where_there_is_contact),
    cmocka_unit_test(changes_reach_contact),
    cmocka_unit_test(nothing_is_called_all),
    cmocka_unit_test(paths_that_know_no_contact),
    cmocka_unit_test(published_responses_do_not_relax),
    cmocka_unit_test(instruments_are_not_taken_for_bodies),
};
CHECK_GROUP(tests, NULL, NULL)
