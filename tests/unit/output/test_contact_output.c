// What a run tells of contact: probes, frames, points, all from one block under a falling plate.
#include "place.h"

#include "math/vec3.h"
#include "output/contacts.h"
#include "output/probe.h"
#include "output/rundir.h"

typedef struct Press {
    PalMesh *block, *plate;
    PalMaterialDef material;
    PalBodyDef body;
    PalRigidDef rigid;
    PalConditionDef fix;
    PalContactPairDef pair;
    PalSimDef def;
    PalSim *sim;
} Press;

static PalMesh *make_box(PalVec3 extent, int32_t cells, PalCellKind kind, double height)
{
    PalError error = {0};
    PalShapeDef shape = pal_shape_def_default();
    PalPlacement placement = pal_placement_identity();
    PalMesh *mesh = NULL;
    shape.extent = extent;
    shape.cell_kind = kind;
    shape.cells[0] = shape.cells[1] = shape.cells[2] = cells;
    placement.translation.z = height;
    check_ok(pal_mesh_create_shape(&shape, &mesh, &error), &error);
    pal_mesh_place(mesh, &placement);
    return mesh;
}

// A block of height 1 on the ground, and a plate that comes down on it aslant and turning.
static void press_init(Press *press)
{
    PalError error = {0};
    *press = (Press){.block = make_box((PalVec3){1, 1, 1}, 3, PAL_CELL_TETRAHEDRON, 0),
                     .plate = make_box((PalVec3){2, 2, 0.2}, 1, PAL_CELL_TRIANGLE, 0.65),
                     .material = pal_material_def_default(),
                     .body = pal_body_def_default(),
                     .rigid = pal_rigid_def_default(),
                     .fix = pal_condition_def_default(),
                     .pair = {.objects = {0, 1}, .friction = 0.3},
                     .def = pal_sim_def_default()};
    press->material.parameters[0] = 100;
    press->material.parameters[1] = 300;
    press->material.density = 1;
    press->body.name = "block";
    press->body.mesh = press->block;
    press->body.material_count = 1;
    press->body.materials = &press->material;
    press->rigid.name = "plate";
    press->rigid.mesh = press->plate;
    press->rigid.motion = (PalMotionDef){.translation = {0.05, 0, -0.15},
                                         .axis = {0, 0, 1},
                                         .radians = 0.1,
                                         .centre = {0.2, 0, 0.65},
                                         .ramp = {.kind = PAL_RAMP_LINEAR}};
    press->fix.kind = PAL_CONDITION_FIX;
    press->fix.where.kind = PAL_WHERE_SIDE;
    press->fix.where.axis = 2;
    for (int i = 0; i < 3; ++i)
        press->fix.axes[i] = true;
    press->def.model.body_count = press->def.model.rigid_count = 1;
    press->def.model.condition_count = press->def.contact.pair_count = 1;
    press->def.model.bodies = &press->body;
    press->def.model.rigids = &press->rigid;
    press->def.model.conditions = &press->fix;
    press->def.contact.pairs = &press->pair;
    press->def.solver.time = 1;
    press->def.solver.damping = 5;
    check_ok(pal_sim_create(&press->def, &press->sim, &error), &error);
    check_ok(pal_sim_advance(press->sim, 0.9, &error), &error);
}

static void press_clear(Press *press)
{
    pal_sim_destroy(press->sim);
    pal_mesh_destroy(press->block);
    pal_mesh_destroy(press->plate);
}

static void check_vectors(PalVec3 a, PalVec3 b, double tolerance)
{
    check_near(a.x, b.x, tolerance);
    check_near(a.y, b.y, tolerance);
    check_near(a.z, b.z, tolerance);
}

static PalVec3 read_probe(const Press *press, const PalFrame *frame, const PalProbeDef *def)
{
    PalError error = {0};
    PalProbe *probe = NULL;
    PalProbeSource source = {.reference = frame->reference,
                             .displacement = frame->displacement,
                             .velocity = frame->velocity,
                             .sim = press->sim};
    check_ok(pal_probes_create(pal_sim_model(press->sim), 1, def, &probe, &error), &error);
    PalVec3 value = pal_probe_value(probe, &source);
    pal_probes_destroy(probe, 1);
    return value;
}

static PalFrame *make_frame(Press *press)
{
    PalError error = {0};
    PalFrame *frame = NULL;
    check_ok(pal_frame_create(pal_sim_model(press->sim), &frame, &error), &error);
    pal_frame_follow(frame, press->sim);
    check_ok(pal_frame_find_shown(frame, press->sim, &error), &error);
    return frame;
}

static void probes_tell_forces_and_torques(void **state)
{
    (void)state;
    Press press;
    press_init(&press);
    PalFrame *frame = make_frame(&press);
    PalVec3 force = {0, 0, 0}, torque = {0, 0, 0};
    PalVec3 about_origin = {0, 0, 0};
    for (int32_t n = 0; n < frame->soft_point_count; ++n) {
        force = pal_vec3_add(force, frame->contact[n]);
        about_origin =
            pal_vec3_add(about_origin, pal_vec3_cross(frame->position[n], frame->contact[n]));
    }
    assert_true(force.z < -1);  // the plate does press
    double tolerance = 1e-9 * fabs(force.z);
    PalProbeDef between = {.name = "p", .kind = PAL_PROBE_CONTACT, .objects = {0, 1}};
    between.record = PAL_RECORD_FORCE;
    check_vectors(read_probe(&press, frame, &between), force, tolerance);
    PalProbeDef other_way = between;
    other_way.objects[0] = 1;
    other_way.objects[1] = 0;
    check_vectors(read_probe(&press, frame, &other_way), pal_vec3_scale(-1, force), tolerance);

    // The points lie a separation apart, which the arms of the two sides differ by.
    double apart = pal_sim_contact_report(press.sim).separation * fabs(force.z);
    between.record = PAL_RECORD_TORQUE;
    check_vectors(read_probe(&press, frame, &between), about_origin, 2 * apart);

    PalProbeDef load = {.name = "p", .kind = PAL_PROBE_RIGID, .record = PAL_RECORD_FORCE};
    check_vectors(read_probe(&press, frame, &load), pal_vec3_scale(-1, force), tolerance);
    // About the centre of the turn, which has moved along.
    double time = pal_sim_state(press.sim)->time;
    PalVec3 centre = {0.2 + time * 0.05, 0, 0.65 - time * 0.15};
    int32_t count;
    const PalContactPoint *points = pal_sim_contacts(press.sim, &count);
    for (int32_t i = 0; i < count; ++i) {
        int side = points[i].objects[0] == 1 ? 0 : 1;
        PalVec3 push = pal_vec3_scale(side == 0 ? 1 : -1, points[i].force);
        PalVec3 ends = pal_vec3_add(points[i].position[0], points[i].position[1]);
        PalVec3 arm = pal_vec3_sub(pal_vec3_scale(0.5, ends), centre);
        torque = pal_vec3_add(torque, pal_vec3_cross(arm, push));
    }
    load.record = PAL_RECORD_TORQUE;
    check_vectors(read_probe(&press, frame, &load), torque, tolerance);

    // About another point: the torque of the force at the distance of the two comes on top.
    const PalRigid *rigid = &pal_sim_model(press.sim)->rigids[0];
    load.has_about = between.has_about = true;
    load.about = between.about = (PalVec3){-0.4, 0.3, 0.9};
    PalVec3 grip = pal_rigid_position(rigid, time, load.about);
    assert_true(pal_vec3_distance(grip, load.about) > 0.01);
    PalVec3 extra = pal_vec3_cross(pal_vec3_sub(centre, grip), pal_vec3_scale(-1, force));
    check_vectors(read_probe(&press, frame, &load), pal_vec3_add(torque, extra), tolerance);
    extra = pal_vec3_cross(between.about, force);
    check_vectors(read_probe(&press, frame, &between), pal_vec3_sub(about_origin, extra),
                  2 * apart);
    pal_frame_destroy(frame);
    press_clear(&press);
}

// What one of two has to bear, the other has to bear the other way round.
static void torques_are_opposite(void **state)
{
    (void)state;
    Press press;
    press_init(&press);
    PalFrame *frame = make_frame(&press);
    PalProbeDef probe = {.name = "p",
                         .kind = PAL_PROBE_CONTACT,
                         .objects = {0, 1},
                         .record = PAL_RECORD_TORQUE,
                         .has_about = true,
                         .about = {0.5, 0.4, 0}};
    PalVec3 block = read_probe(&press, frame, &probe);
    probe.objects[0] = 1;
    probe.objects[1] = 0;
    PalVec3 plate = read_probe(&press, frame, &probe);
    assert_true(pal_vec3_length(block) > 1);
    check_vectors(plate, pal_vec3_scale(-1, block), 1e-12);
    pal_frame_destroy(frame);
    press_clear(&press);
}

static void instruments_are_followed(void **state)
{
    (void)state;
    Press press;
    press_init(&press);
    PalFrame *frame = make_frame(&press);
    double time = pal_sim_state(press.sim)->time;
    const PalRigid *rigid = &pal_sim_model(press.sim)->rigids[0];
    PalVec3 mean = pal_rigid_position(rigid, time, (PalVec3){0, 0, 0.65});
    PalProbeDef probe = {.name = "p", .kind = PAL_PROBE_RIGID, .record = PAL_RECORD_POSITION};
    check_vectors(read_probe(&press, frame, &probe), mean, 1e-12);
    probe.record = PAL_RECORD_DISPLACEMENT;
    check_vectors(read_probe(&press, frame, &probe), pal_vec3_sub(mean, (PalVec3){0, 0, 0.65}),
                  1e-12);
    probe.record = PAL_RECORD_VELOCITY;
    double step = 1e-5;
    PalVec3 later = pal_rigid_position(rigid, time + step, (PalVec3){0, 0, 0.65});
    check_vectors(read_probe(&press, frame, &probe),
                  pal_vec3_scale(1 / step, pal_vec3_sub(later, mean)), 1e-6);
    pal_frame_destroy(frame);
    press_clear(&press);
}

static void wrong_probes_are_refused(void **state)
{
    (void)state;
    static const PalProbeDef defs[] = {
        {.name = "p", .kind = PAL_PROBE_NODES, .record = PAL_RECORD_TORQUE},
        {.name = "p", .kind = PAL_PROBE_CONTACT, .record = PAL_RECORD_VELOCITY},
        {.name = "p", .kind = PAL_PROBE_CONTACT, .objects = {0, 2}, .record = PAL_RECORD_FORCE},
        {.name = "p", .kind = PAL_PROBE_RIGID, .rigid_index = 1, .record = PAL_RECORD_FORCE},
        {.name = "p", .kind = PAL_PROBE_RIGID, .rigid_index = -1, .record = PAL_RECORD_FORCE},
        {.name = "p", .kind = PAL_PROBE_RIGID, .record = PAL_RECORD_FORCE, .has_about = true},
        {.name = "p",
         .kind = PAL_PROBE_RIGID,
         .record = PAL_RECORD_TORQUE,
         .has_about = true,
         .about = {NAN, 0, 0}},
    };
    Press press;
    press_init(&press);
    for (size_t i = 0; i < sizeof defs / sizeof *defs; ++i) {
        PalError error = {0};
        PalProbe *probe = NULL;
        assert_int_equal(pal_probes_create(pal_sim_model(press.sim), 1, &defs[i], &probe, &error),
                         PAL_BAD_INPUT);
        assert_non_null(strstr(error.text, "probe p"));
    }
    press_clear(&press);
}

// Runs into a directory; the caller looks at it.
static void run_into(Press *press, const char *path, bool resume, double until)
{
    PalError error = {0};
    PalOutputDef def = pal_output_def_default();
    PalOutput *output = NULL;
    def.directory = path;
    def.report = false;
    def.every = 0.25;
    check_ok(pal_output_open(&def, press->sim, resume, &output, &error), &error);
    for (int64_t i = pal_output_frame_count(output); (double)i * 0.25 <= until; ++i) {
        check_ok(pal_sim_advance(press->sim, (double)i * 0.25, &error), &error);
        check_ok(pal_output_write(output, press->sim, &error), &error);
    }
    check_ok(pal_output_checkpoint(output, press->sim, &error), &error);
    pal_output_destroy(output);
}

// Held sideways where the plate rubs: what holds the nodes there holds them against the plate, too.
static void held_nodes_are_held_against_contact(void **state)
{
    (void)state;
    Press press;
    press_init(&press);
    pal_sim_destroy(press.sim);
    PalError error = {0};
    PalConditionDef fixes[2] = {press.fix, press.fix};
    fixes[1].where.highest = true;
    fixes[1].axes[2] = false;
    press.def.model.conditions = fixes;
    press.def.model.condition_count = 2;
    press.def.solver.damping = 20;
    check_ok(pal_sim_create(&press.def, &press.sim, &error), &error);
    check_ok(pal_sim_advance(press.sim, 0.9, &error), &error);
    PalFrame *frame = make_frame(&press);
    PalProbeDef all = {.name = "all", .where = pal_where_all(), .record = PAL_RECORD_FORCE};
    PalVec3 held = read_probe(&press, frame, &all), rub = pal_sim_contact_force(press.sim, 0, 1);
    assert_true(fabs(rub.x) > 1);
    check_near(held.x, -rub.x, 0.02 * fabs(rub.x));
    pal_frame_destroy(frame);
    press_clear(&press);
}

static void contacts_are_a_series(void **state)
{
    (void)state;
    char path[64];
    PalError error = {0};
    PalDirectory directory = place_open(path);
    Press press;
    press_init(&press);
    pal_sim_destroy(press.sim);
    check_ok(pal_sim_create(&press.def, &press.sim, &error), &error);
    run_into(&press, path, false, 1);
    PalText list = place_get(&directory, "contacts.pvd"), file;
    assert_non_null(strstr(list.data, "timestep=\"0\" part=\"0\" file=\"contacts/000000.vtp\""));
    assert_non_null(strstr(list.data, "file=\"contacts/000004.vtp\""));
    file = place_get(&directory, "contacts/000004.vtp");
    assert_non_null(strstr(file.data, "<VTKFile type=\"PolyData\""));
    pal_text_clear(&file);
    file = place_get(&directory, "frames/000004.vtu");
    assert_non_null(strstr(file.data, "Name=\"contact_force\" NumberOfComponents=\"3\""));
    pal_text_clear(&file);
    pal_text_clear(&list);

    // Without contact in the same directory, nothing of it is left.
    pal_sim_destroy(press.sim);
    press.def.contact.pair_count = 0;
    check_ok(pal_sim_create(&press.def, &press.sim, &error), &error);
    run_into(&press, path, false, 0.5);
    assert_false(place_has(&directory, "contacts.pvd"));
    assert_false(place_has(&directory, "contacts"));
    file = place_get(&directory, "frames/000002.vtu");
    assert_null(strstr(file.data, "contact_force"));
    pal_text_clear(&file);
    pal_directory_close(&directory);
    place_remove(path);
    press_clear(&press);
}

static void a_missing_file_of_contacts_is_not_resumed(void **state)
{
    (void)state;
    char path[64];
    PalError error = {0};
    PalDirectory directory = place_open(path);
    Press press;
    press_init(&press);
    pal_sim_destroy(press.sim);
    check_ok(pal_sim_create(&press.def, &press.sim, &error), &error);
    run_into(&press, path, false, 0.5);
    check_ok(pal_file_remove(&directory, "contacts/000001.vtp", &error), &error);
    PalOutputDef def = pal_output_def_default();
    PalOutput *output = NULL;
    def.directory = path;
    def.every = 0.25;
    assert_int_equal(pal_output_open(&def, press.sim, true, &output, &error), PAL_BAD_INPUT);
    assert_non_null(strstr(error.text, "contacts/000001.vtp: this frame is missing"));
    pal_directory_close(&directory);
    place_remove(path);
    press_clear(&press);
}

// The two sides of a contact lie a separation apart; what is written lies in the middle.
static void contacts_lie_between_their_sides(void **state)
{
    (void)state;
    Press press;
    press_init(&press);
    PalFrame *frame = make_frame(&press);
    PalContactPoint apart = {.objects = {0, 1},
                             .position = {{1, 2, 3}, {1.5, 1, 3.25}},
                             .normal = {0, 0, 1},
                             .force = {0, 1, 2},
                             .normal_force = 2,
                             .gap = 0.25};
    PalContactPoint middle = apart;
    middle.position[0] = middle.position[1] = (PalVec3){1.25, 1.5, 3.125};
    PalError error = {0};
    PalText one = {0}, other = {0};
    PalFrameFile file;
    bool fields[PAL_FIELD_COUNT] = {false};
    check_ok(pal_frame_file_init(frame, fields, false, &file, &error), &error);
    check_ok(pal_contacts_encode(&file, &apart, 1, &one, &error), &error);
    check_ok(pal_contacts_encode(&file, &middle, 1, &other, &error), &error);
    pal_frame_file_clear(&file);
    assert_int_equal(one.length, other.length);
    assert_memory_equal(one.data, other.data, one.length);
    pal_text_clear(&one);
    pal_text_clear(&other);
    pal_frame_destroy(frame);
    press_clear(&press);
}

// Changes one thing of the last contact of a file.
static void change(PalContactPoint *point, int what)
{
    switch (what) {
    case 0:
        point->gap = 0.5;
        break;
    case 1:
        point->objects[1] = 0;
        break;
    case 2:
        point->slips = true;
        break;
    case 3:
        point->kind = PAL_CONTACT_EDGE_EDGE;
        break;
    case 4:
        point->normal.x = 0.5;
        break;
    case 5:
        point->force.z = 3;
        break;
    case 6:
        point->normal_force = 4;
        break;
    default:
        point->position[1].y = 7;
        break;
    }
}

static void everything_of_each_contact_is_written(void **state)
{
    (void)state;
    enum { THINGS = 8 };
    Press press;
    press_init(&press);
    PalFrame *frame = make_frame(&press);
    PalFrameFile file;
    PalError error = {0};
    bool fields[PAL_FIELD_COUNT] = {false};
    check_ok(pal_frame_file_init(frame, fields, false, &file, &error), &error);
    PalText texts[THINGS + 1] = {{0}};
    for (int what = 0; what <= THINGS; ++what) {
        PalContactPoint points[2] = {{.objects = {0, 1}, .normal = {0, 0, 1}, .gap = 0.25}};
        points[1] = points[0];
        if (what < THINGS)
            change(&points[1], what);
        check_ok(pal_contacts_encode(&file, points, 2, &texts[what], &error), &error);
    }
    for (int what = 0; what < THINGS; ++what) {
        const PalText *one = &texts[what], *plain = &texts[THINGS];
        if (one->length == plain->length && memcmp(one->data, plain->data, one->length) == 0)
            fail_msg("change %d is not in the file", what);
        pal_text_clear(&texts[what]);
    }
    pal_text_clear(&texts[THINGS]);
    pal_frame_file_clear(&file);
    pal_frame_destroy(frame);
    press_clear(&press);
}

static PalVec3 told_of_plate(const PalText *summary, const char *key)
{
    const char *at = strstr(summary->data, "\"plate\": {");
    PalVec3 value;
    assert_non_null(at);
    at = strstr(at, key);
    assert_non_null(at);
    char *next;
    value.x = strtod(strchr(at, '[') + 1, &next);
    value.y = strtod(next + 1, &next);
    value.z = strtod(next + 1, NULL);
    return value;
}

// Where an instrument is, and how it moves, in the mean of its nodes.
static void the_summary_tells_how_instruments_move(void **state)
{
    (void)state;
    char path[64];
    PalDirectory directory = place_open(path);
    PalError error = {0};
    Press press;
    press_init(&press);
    PalOutputDef def = pal_output_def_default();
    PalOutput *output = NULL;
    PalOutputEnd how = {.status = PAL_OK, .reason = ""};
    def.directory = path;
    def.report = false;
    check_ok(pal_output_open(&def, press.sim, false, &output, &error), &error);
    check_ok(pal_output_finish(output, press.sim, &how, &error), &error);
    pal_output_destroy(output);
    double time = pal_sim_state(press.sim)->time;
    const PalRigid *rigid = &pal_sim_model(press.sim)->rigids[0];
    PalVec3 middle = {0, 0, 0.65}, now = pal_rigid_position(rigid, time, middle);
    PalVec3 later = pal_rigid_position(rigid, time + 1e-5, middle);
    PalText text = place_get(&directory, "summary.json");
    check_vectors(told_of_plate(&text, "\"centroid\""), now, 1e-12);
    check_vectors(told_of_plate(&text, "\"velocity\""),
                  pal_vec3_scale(1e5, pal_vec3_sub(later, now)), 1e-6);
    pal_text_clear(&text);
    press_clear(&press);
    pal_directory_close(&directory);
    place_remove(path);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(probes_tell_forces_and_torques),
    cmocka_unit_test(torques_are_opposite),
    cmocka_unit_test(instruments_are_followed),
    cmocka_unit_test(wrong_probes_are_refused),
    cmocka_unit_test(contacts_lie_between_their_sides),
    cmocka_unit_test(everything_of_each_contact_is_written),
    cmocka_unit_test(the_summary_tells_how_instruments_move),
    cmocka_unit_test(held_nodes_are_held_against_contact),
    cmocka_unit_test(contacts_are_a_series),
    cmocka_unit_test(a_missing_file_of_contacts_is_not_resumed),
};
CHECK_GROUP(tests, NULL, NULL)
