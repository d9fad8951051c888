// A run with a bit of everything, whose files are read back.
#ifndef PAL_TESTS_OUTPUT_EVERYTHING_H
#define PAL_TESTS_OUTPUT_EVERYTHING_H

#include "place.h"
#include "touch.h"
#include "vtu_arrays.h"

#include "output/history.h"

#include <palpate/output.h>

enum { SLAB, BALL, SHEET, SOFT, PLATE = SOFT, TOOL, OBJECTS };
enum { FRAMES = 4 };

#define EVERY 0.02

static const char *const names[OBJECTS] = {"slab", "ball", "sheet", "plate", "tool"};

// What each probe records, in this order.
enum {
    TIP,
    TIP_SPEED,
    TIP_PLACE,
    BASE_FORCE,
    PLATE_PLACE,
    PLATE_FORCE,
    PUSH,
    BALL_VOLUME,
    TOOL_SPIN,
    TOUCHED_AREA,
    STILL,
    PROBES
};

typedef struct Run {
    Touch touch;
    char path[64];
    PalDirectory directory;
    PalOutput *output;
    PalText frame, contacts, summary;
    PalHistoryTable history;
    PalVec3 first_momentum;
    double worst_penetration;
    VtuArray points;
} Run;

static void set_probes(PalProbeDef probes[PROBES])
{
    const PalWhere top = {.kind = PAL_WHERE_SIDE, .axis = 2, .highest = true};
    const PalWhere bottom = {.kind = PAL_WHERE_SIDE, .axis = 2};
    static const char *const probe_names[PROBES] = {
        "tip",  "tip_speed", "tip_place", "base", "plate_place", "plate_force",
        "push", "volume",    "turning",   "area", "still"};
    static const PalRecord records[PROBES] = {
        PAL_RECORD_DISPLACEMENT, PAL_RECORD_VELOCITY, PAL_RECORD_POSITION, PAL_RECORD_FORCE,
        PAL_RECORD_POSITION,     PAL_RECORD_FORCE,    PAL_RECORD_FORCE,    PAL_RECORD_VOLUME,
        PAL_RECORD_SPIN,         PAL_RECORD_AREA,     PAL_RECORD_FORCE};
    for (int p = 0; p < PROBES; ++p)
        probes[p] = (PalProbeDef){
            .name = probe_names[p], .record = records[p], .body_index = BALL, .where = top};
    probes[BASE_FORCE].body_index = probes[TOUCHED_AREA].body_index = SLAB;
    probes[BASE_FORCE].where = bottom;
    probes[BALL_VOLUME].where = pal_where_all();
    probes[PLATE_PLACE].kind = probes[PLATE_FORCE].kind = probes[TOOL_SPIN].kind = PAL_PROBE_RIGID;
    probes[TOOL_SPIN].rigid_index = TOOL - SOFT;
    probes[PUSH].kind = probes[STILL].kind = PAL_PROBE_CONTACT;
    probes[PUSH].objects[0] = BALL, probes[PUSH].objects[1] = SLAB;
    probes[STILL].objects[0] = SHEET, probes[STILL].objects[1] = SLAB;
}

// The ball is thrown on the slab, and the plate comes from aside; a sheet that is stretched and a
// tool that turns fly by themselves.
static void set_scene(Touch *t)
{
    *t = touch_crowd(PAL_CELL_HEXAHEDRON);
    PalMesh *sheet = touch_shape(PAL_SHAPE_SHEET, pal_vec3(1, 0.5, 0), (int32_t[]){4, 2, 0},
                                 PAL_CELL_TRIANGLE, pal_vec3(0, 0, 3));
    PalMesh *tool = touch_shape(PAL_SHAPE_BOX, pal_vec3(0.2, 0.3, 0.4), (int32_t[]){1, 1, 1},
                                PAL_CELL_TRIANGLE, pal_vec3(3, 1, 2));
    t->bodies[SLAB].element = PAL_ELEMENT_H8;
    touch_add_mesh(t, sheet, 500, 0.3, 20);
    t->bodies[SHEET].element = PAL_ELEMENT_EBST;
    t->bodies[SHEET].thickness = 0.05;
    touch_add_free(t, tool, 5);
    t->rigids[1].velocity = pal_vec3(0.5, -0.25, 1);
    t->rigids[1].spin = pal_vec3(0.3, 2, -1);
    PalConditionDef *pull = touch_side(t, SHEET, PAL_CONDITION_FORCE, 0, true);
    pull->value = pal_vec3(3, 0, 1);
    pull->ramp.kind = PAL_RAMP_STEP;
    for (int b = 0; b < SOFT; ++b)
        t->bodies[b].name = names[b];
    for (int r = 0; r < OBJECTS - SOFT; ++r)
        t->rigids[r].name = names[SOFT + r];
    t->pairs[1].objects[1] = PLATE;  // there is one more body than in the crowd
    t->sim.solver.damping = 0.5;
    t->sim.align = EVERY;
}

static void read_files(Run *r)
{
    PalError error = {0};
    char name[64];
    snprintf(name, sizeof name, "frames/%06d.vtu", FRAMES);
    r->frame = place_get(&r->directory, name);
    snprintf(name, sizeof name, "contacts/%06d.vtp", FRAMES);
    r->contacts = place_get(&r->directory, name);
    r->summary = place_get(&r->directory, "summary.json");
    PalText csv = place_get(&r->directory, "history.csv");
    check_ok(pal_history_parse(&csv, 1000, &r->history, &error), &error);
    pal_text_clear(&csv);
    r->points = vtu_read(&r->frame, "Points");
}

static int everything_begin(void **state)
{
    static Run run;
    Run *r = &run;
    PalError error = {0};
    PalProbeDef probes[PROBES];
    *r = (Run){.output = NULL};
    *state = r;
    set_scene(&r->touch);
    set_probes(probes);
    touch_start(&r->touch);
    PalSim *sim = r->touch.run;
    r->first_momentum = pal_sim_momentum(sim);
    r->directory = place_open(r->path);
    PalOutputDef def = pal_output_def_default();
    def.directory = r->path;
    def.every = EVERY;
    def.precision = PAL_PRECISION_DOUBLE;
    def.report = false;
    for (int f = 0; f < PAL_FIELD_COUNT; ++f)
        def.fields[f] = true;
    def.probe_count = PROBES;
    def.probes = probes;
    check_ok(pal_output_open(&def, sim, false, &r->output, &error), &error);
    for (int i = 0; i <= FRAMES; ++i) {
        if (i == FRAMES) {  // a row between two frames
            touch_advance(&r->touch, (i - 0.5) * EVERY);
            check_ok(pal_output_write_history(r->output, sim, &error), &error);
        }
        touch_advance(&r->touch, i * EVERY);
        check_ok(pal_output_write(r->output, sim, &error), &error);
    }
    PalOutputEnd end = {.status = PAL_OK, .reason = "", .wall_seconds = 100};
    check_ok(pal_output_finish(r->output, sim, &end, &error), &error);
    assert_true(pal_sim_contact_report(sim).contact_count > 3);
    read_files(r);
    return 0;
}

static int everything_end(void **state)
{
    Run *r = *state;
    pal_text_clear(&r->frame);
    pal_text_clear(&r->contacts);
    pal_text_clear(&r->summary);
    free(r->history.values);
    free(r->points.values);
    pal_output_destroy(r->output);
    touch_end(&r->touch);
    pal_directory_close(&r->directory);
    place_remove(r->path);
    return 0;
}

static const PalMesh *mesh_of(const Run *r, int object)
{
    return object < SOFT ? r->touch.meshes[object] : r->touch.rigid_meshes[object - SOFT];
}

static PalVec3 vector_of(const VtuArray *array, int64_t i)
{
    return pal_vec3(array->values[3 * i], array->values[3 * i + 1], array->values[3 * i + 2]);
}

static void check_vector(PalVec3 a, PalVec3 b, double tolerance)
{
    check_near(a.x, b.x, tolerance);
    check_near(a.y, b.y, tolerance);
    check_near(a.z, b.z, tolerance);
}

#endif
