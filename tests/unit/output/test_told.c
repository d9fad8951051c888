// Every number that is told stands where it belongs: summaries, rows of history, probes of cells
// and areas, letter by letter.
#include "check.h"
#include "output/history.h"
#include "output/probe.h"
#include "output/summary.h"

// Without what is there for the eye.
static void squeeze(PalText *text)
{
    size_t kept = 0;
    for (size_t i = 0; i < text->length; ++i)
        if (text->data[i] != ' ' && text->data[i] != '\n')
            text->data[kept++] = text->data[i];
    text->data[kept] = '\0';
}

static const PalSummaryBody bodies[] = {
    {.name = "liver",
     .element = PAL_ELEMENT_T4_ANP,
     .mass = 1.5,
     .nodes = 31,
     .elements = 32,
     .centroid = {33, 34, 35},
     .velocity = {36, 37, 38}},
    {.name = "probe", .rigid = true, .nodes = 41, .elements = 42, .centroid = {43, 44, 45}},
    {.name = "tool",
     .rigid = true,
     .mass = 2.5,
     .moments = {51, 52, 53},
     .rotation = {54, 55, 56},
     .spin = {57, 58, 59},
     .nodes = 61,
     .elements = 62,
     .centroid = {63, 64, 65},
     .velocity = {66, 67, 68}},
};

static const PalContactPairReport pairs[] = {
    {.objects = {0, 1}, .friction = 0.25, .normal_force = 99},  // never touched
    {.objects = {1, 2},
     .friction = 0.5,
     .contact_count = 71,
     .normal_force = 72,
     .touch_steps = 73,
     .largest_normal_force = 74,
     .largest_time = 75},
};

static const PalContactReport contact = {.contact_count = 81,
                                         .most_contacts = 82,
                                         .separation = 83,
                                         .range = 76,
                                         .stiffness = 77,
                                         .least_gap = 78,
                                         .worst_of_edge = 79,
                                         .margin = 84,
                                         .rescues = 85,
                                         .queries = 86,
                                         .hits = 87,
                                         .moved_count = 88,
                                         .largest_move = 89,
                                         .moved_rigid_count = 90,
                                         .largest_rigid_move = 91,
                                         .mass_change = 92,
                                         .mass_change_body = 2};

static PalSummary whole_summary(void)
{
    return (PalSummary){
        .status = PAL_SIM_FAILED,
        .reason = "out of breath",
        .method = PAL_METHOD_NEWMARK,
        .threads = 3,
        .step = 0.125,
        .added_mass = 4,
        .residual = 5,
        .state_hash = 0xab,
        .energy = {.kinetic = 1,
                   .strain = 2,
                   .external_work = 4,
                   .contact_work = 8,
                   .dissipated = 16,
                   .initial = 32},
        .momentum = {1, 2, 3},
        .angular_momentum = {4, 5, 6},
        .penetration = 0.5,
        .contact = contact,
        .pair_count = 2,
        .pairs = pairs,
        .intersections = 7,
        .record = {.frame_count = 9,
                   .steps = 8,
                   .time = 10,
                   .wall_seconds = 11,
                   .worst_drift = 0.0078125,
                   .worst_penetration = 0.75,
                   .momentum = {7, 8, 9},
                   .angular_momentum = {10, 11, 12},
                   .profile = {.elements = 1,
                               .integrate = 2,
                               .assemble = 3,
                               .solve = 4,
                               .contact_update = 5,
                               .contact_search = 6,
                               .contact_response = 7,
                               .output = 8},
                   .counters = {.step_estimates = 8,
                                .step_changes = 16,
                                .retries = 13,
                                .iterations = 14,
                                .volumes = 24,
                                .refits = 32,
                                .self_subtrees = 40,
                                .volume_tests = 48,
                                .node_facet = 56,
                                .edge_edge = 64,
                                .wakes = 72}},
        .body_count = 3,
        .bodies = bodies,
    };
}

static void the_summary_is_complete(void **state)
{
    (void)state;
    PalProbe probes[2] = {{.name = "tip"}, {.name = "base"}};
    const PalVec3 values[2] = {{1, 2, 3}, {4, 5, 6}};
    const char *const lost[] = {"friction"};
    PalSummary summary = whole_summary();
    summary.lenient_count = 1;
    summary.lenient = lost;
    summary.probe_count = 2;
    summary.probes = probes;
    summary.probe_values = values;
    PalText text = {0}, expected = {0};
    pal_summary_encode(&summary, &text);
    squeeze(&text);
    pal_text_print(
        &expected,
        "{\"status\":\"failed\",\"reason\":\"outofbreath\",\"lenient\":[\"friction\"],"
        "\"version\":\"%s\",\"method\":\"newmark\",\"steps\":8,\"time\":10,\"step\":0.125,"
        "\"threads\":3,\"wall_seconds\":11,\"frames\":9,\"added_mass\":4,\"residual\":5,"
        "\"retries\":13,\"iterations\":14,\"state_hash\":\"00000000000000ab\","
        "\"stages\":{\"elements\":1,\"integrate\":2,\"assemble\":3,\"solve\":4,"
        "\"contact_update\":5,\"contact_search\":6,\"contact_response\":7,\"output\":8},"
        "\"counters\":{\"volumes\":3,\"refits\":4,\"self_subtrees\":5,\"volume_tests\":6,"
        "\"node_facet\":7,\"edge_edge\":8,\"wakes\":9,\"step_estimates\":1,\"step_changes\":2},"
        "\"energy\":{\"initial\":32,\"final\":3,\"kinetic\":1,\"strain\":2,\"external_work\":4,"
        "\"contact_work\":8,\"dissipated\":16,\"worst_drift\":0.0078125,\"balanced\":true},"
        "\"momentum\":{\"initial\":[7,8,9],\"final\":[1,2,3]},"
        "\"angular_momentum\":{\"initial\":[10,11,12],\"final\":[4,5,6]},"
        "\"penetration\":{\"worst\":0.75,\"final\":0.5},\"intersections\":7,",
        pal_version());
    pal_text_add(
        &expected,
        "\"contact\":{\"on\":true,\"count\":81,\"separation\":83,\"margin\":84,\"range\":76,"
        "\"stiffness\":77,\"least_gap\":78,\"worst_of_edge\":79,\"rescues\":85,"
        "\"queries\":86,\"hits\":87,\"moved_nodes\":88,\"largest_move\":89,\"moved_rigids\":90,"
        "\"largest_rigid_move\":91,\"mass_change\":92,\"mass_change_body\":\"tool\",\"most\":82,"
        "\"pair_count\":2,\"pairs\":[{\"bodies\":[\"probe\",\"tool\"],\"friction\":0.5,"
        "\"count\":71,\"normal_force\":72,\"largest_normal_force\":74,\"largest_time\":75,"
        "\"touch_steps\":73}]},"
        "\"bodies\":{\"liver\":{\"rigid\":false,\"nodes\":31,\"elements\":32,"
        "\"element\":\"t4-anp\",\"mass\":1.5,\"centroid\":[33,34,35],\"velocity\":[36,37,38]},"
        "\"probe\":{\"rigid\":true,\"nodes\":41,\"elements\":42,\"centroid\":[43,44,45],"
        "\"velocity\":[0,0,0]},"
        "\"tool\":{\"rigid\":true,\"nodes\":61,\"elements\":62,\"mass\":2.5,"
        "\"moments\":[51,52,53],\"rotation\":[54,55,56],\"spin\":[57,58,59],"
        "\"centroid\":[63,64,65],\"velocity\":[66,67,68]}},"
        "\"probes\":{\"tip\":[1,2,3],\"base\":[4,5,6]}}");
    pal_text_put(&expected, "", 1);  // its end
    assert_string_equal(text.data, expected.data);
    pal_text_clear(&text);
    pal_text_clear(&expected);
}

// Above what counts as balanced the book is not; a run without contact or steps says so.
static void limits_are_told(void **state)
{
    (void)state;
    PalSummary summary = whole_summary();
    summary.status = PAL_OK;
    summary.record.worst_drift = 0.0100001;
    summary.record.steps = 0;
    summary.contact.margin = 0;
    summary.contact.moved_count = 0;
    PalText text = {0};
    pal_summary_encode(&summary, &text);
    squeeze(&text);
    assert_non_null(strstr(text.data, "{\"status\":\"ok\","));
    assert_non_null(strstr(text.data, "\"balanced\":false"));
    assert_non_null(strstr(text.data, "\"volumes\":0,\"refits\":0,"));
    assert_non_null(strstr(text.data, "\"contact\":{\"on\":false,"));
    assert_non_null(strstr(text.data, "\"mass_change_body\":\"\","));
    assert_null(strstr(text.data, "lenient"));
    pal_text_clear(&text);
}

static void a_row_has_its_columns(void **state)
{
    (void)state;
    const PalVec3 probes[2] = {{31, 32, 33}, {34, 35, 36}};
    const char *const names[2] = {"tip", "base"};
    PalHistoryRow row = {.time = 1.5,
                         .steps = 2,
                         .step = 0.25,
                         .energy = {.kinetic = 4,
                                    .strain = 12,
                                    .external_work = 5,
                                    .contact_work = 1,
                                    .dissipated = 2,
                                    .initial = 8},
                         .momentum = {11, 12, 13},
                         .angular_momentum = {14, 15, 16},
                         .load = 0.75,
                         .penetration = 17,
                         .contacts = 18,
                         .frame = 19,
                         .probe_count = 2,
                         .probes = probes};
    PalText text = {0};
    pal_history_head(2, names, &text);
    pal_history_row(&row, &text);
    pal_text_put(&text, "", 1);
    // drift: (4 + 12 - 8 - 5 - 1 + 2) / 16
    assert_string_equal(text.data,
                        "time,steps,step,kinetic,strain,external_work,contact_work,dissipated,"
                        "total,drift,momentum.x,momentum.y,momentum.z,angular_momentum.x,"
                        "angular_momentum.y,angular_momentum.z,load,penetration,contacts,frame,"
                        "tip.x,tip.y,tip.z,base.x,base.y,base.z\n"
                        "1.5,2,0.25,4,12,5,1,2,16,0.25,11,12,13,14,15,16,0.75,17,18,19,"
                        "31,32,33,34,35,36\n");
    pal_text_clear(&text);
}

// Means are over volumes as they are now; cells that are not the probe's have no say.
static void probes_of_cells_weigh_by_volume(void **state)
{
    (void)state;
    double stress[3][6] = {{1, 2, 3, 0, 0, 0}, {900, 900, 900, 0, 0, 0}, {5, 10, 9, 0, 0, 0}};
    double strain[3][6] = {{0, 0, 0, 2, 0, 0}, {900, 900, 900, 0, 0, 0}, {0, 0, 0, 0, 0, 0}};
    double ratio[3] = {0.5, 7, 2};
    int32_t cells[2] = {0, 2};
    double volumes[2] = {6, 0.5};  // 3 and 1 now
    PalCellFields fields = {.stress = stress, .strain = strain, .volume_ratio = ratio};
    PalProbe probe = {.cell_count = 2, .cells = cells, .volumes = volumes};
    probe.record = PAL_RECORD_STRESS;
    PalVec3 value = pal_probe_cells(&probe, &fields);
    check_near(value.x, 4.5, 1e-12);  // zz: (3 * 3 + 9) / 4
    check_near(value.y, 4, 1e-12);    // yy: (3 * 2 + 10) / 4
    check_near(value.z, 2, 1e-12);    // xx: (3 * 1 + 5) / 4
    probe.record = PAL_RECORD_STRAIN;
    value = pal_probe_cells(&probe, &fields);
    check_near(value.x, 1.5, 1e-12);  // shear alone: both signs
    check_near(value.y, 0, 1e-12);
    check_near(value.z, -1.5, 1e-12);
    probe.record = PAL_RECORD_PRESSURE;
    value = pal_probe_cells(&probe, &fields);
    check_near(value.x, -3.5, 1e-12);  // -(3 * 2 + 8) / 4
    check_near(value.y, -8, 1e-12);
    check_near(value.z, -2, 1e-12);
    probe.record = PAL_RECORD_VOLUME;
    value = pal_probe_cells(&probe, &fields);
    check_near(value.x, 4, 1e-12);
    check_near(value.y, 6.5, 1e-12);
    check_near(value.z, 4 / 6.5, 1e-12);
}

static void pressed_areas_are_added_up(void **state)
{
    (void)state;
    double area[4] = {2, 3, 50, 0}, pressure[4] = {10, 5, 100, 0};
    int32_t nodes[3] = {0, 1, 3};
    PalFrame frame = {.area = area, .pressure = pressure};
    PalProbe probe = {.record = PAL_RECORD_AREA, .node_count = 3, .nodes = nodes};
    PalVec3 value = pal_probe_area(&probe, &frame);
    check_near(value.x, 5, 1e-12);
    check_near(value.y, 7, 1e-12);  // (2 * 10 + 3 * 5) / 5
    check_near(value.z, 10, 1e-12);
    // a node that barely touches has no say until it carries something
    for (double slight = 1e-12; slight < 1; slight *= 10) {
        pressure[1] = slight;
        value = pal_probe_area(&probe, &frame);
        double part = slight < 0.1 ? slight / 0.1 : 1;
        check_near(value.x, 2 + 3 * part, 1e-12);
        check_near(value.y * value.x, 20 + 3 * slight, 1e-12);
    }
    probe.nodes = nodes + 2;
    probe.node_count = 1;
    value = pal_probe_area(&probe, &frame);
    assert_true(value.x == 0 && value.y == 0 && value.z == 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_summary_is_complete),    cmocka_unit_test(limits_are_told),
    cmocka_unit_test(a_row_has_its_columns),      cmocka_unit_test(probes_of_cells_weigh_by_volume),
    cmocka_unit_test(pressed_areas_are_added_up),
};

CHECK_GROUP(tests, NULL, NULL)
