// Loads that fall on the way: Lee's frame, two legs of 120 by 2 by 3 with hinges at their ends,
// pressed 24 from the corner. A beam with shear and stretch (Reissner 1972) has its highest load at
// 1.8545 and its lowest, after it has snapped back, at -0.939. docs/theory/implicit.md, 8
#include "simulate.h"

enum { ALONG = 40, HIGH = 2, WIDE = 1, MOST = 3000 };

#define LENGTH 120.0
#define HEIGHT 2.0
#define WIDTH  3.0
#define AT     24.0

typedef struct Frame {
    PalVec3 nodes[MOST];
    int32_t cells[8 * MOST];
    int32_t node_count, cell_count;
} Frame;

static int32_t node_at(Frame *frame, double x, double y, double z)
{
    PalVec3 at = {x, y, z};
    for (int32_t n = 0; n < frame->node_count; ++n)
        if (pal_vec3_distance(frame->nodes[n], at) < 1e-6)
            return n;
    assert_true(frame->node_count < MOST);
    frame->nodes[frame->node_count] = at;
    return frame->node_count++;
}

static void add_box(Frame *frame, double low[2], double high[2], int nx, int ny)
{
    static const int corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                     {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    for (int k = 0; k < nx * ny * WIDE; ++k) {
        int at[3] = {k % nx, k / nx % ny, k / nx / ny};
        for (int c = 0; c < 8; ++c) {
            double x = low[0] + (high[0] - low[0]) * (at[0] + corner[c][0]) / nx;
            double y = low[1] + (high[1] - low[1]) * (at[1] + corner[c][1]) / ny;
            double z = WIDTH * (at[2] + corner[c][2]) / WIDE - WIDTH / 2;
            frame->cells[8 * frame->cell_count + c] = node_at(frame, x, y, z);
        }
        ++frame->cell_count;
    }
}

static PalMesh *make_frame(void)
{
    static Frame frame;
    const double half = HEIGHT / 2;
    const int before = 7;  // cells from the corner to the load
    frame = (Frame){.node_count = 0};
    add_box(&frame, (double[]){-half, 0}, (double[]){half, LENGTH - half}, HIGH, ALONG);
    add_box(&frame, (double[]){-half, LENGTH - half}, (double[]){half, LENGTH + half}, HIGH, HIGH);
    add_box(&frame, (double[]){half, LENGTH - half}, (double[]){AT, LENGTH + half}, before, HIGH);
    add_box(&frame, (double[]){AT, LENGTH - half}, (double[]){LENGTH, LENGTH + half},
            ALONG - before, HIGH);
    PalMesh *mesh = NULL;
    PalError error = {0};
    PalMeshDef def = {PAL_CELL_HEXAHEDRON, frame.node_count, frame.nodes, frame.cell_count,
                      frame.cells};
    check_ok(pal_mesh_create(&def, &mesh, &error), &error);
    return mesh;
}

static PalConditionDef *along_line(Simulation *s, PalConditionKind kind, double x, double y)
{
    PalConditionDef *condition = simulate_everywhere(s, kind);
    condition->where = (PalWhere){.kind = PAL_WHERE_BOX,
                                  .box = {{x - 0.01, y - 0.01, -2}, {x + 0.01, y + 0.01, 2}}};
    return condition;
}

static Simulation lee(double force)
{
    Simulation s = simulate_box(pal_vec3(1, 1, 1), 1, 1, 1);
    simulate_neo_hookean(&s, 720, 0.3, 1);
    s.mesh = make_frame();
    s.body.element = PAL_ELEMENT_H8;
    s.sim.solver.method = PAL_METHOD_IMPLICIT_STATIC;
    s.sim.solver.path = PAL_PATH_ARC_LENGTH;
    s.sim.solver.step = 0.1;
    along_line(&s, PAL_CONDITION_FIX, 0, 0)->axes[2] = false;
    along_line(&s, PAL_CONDITION_FIX, LENGTH, LENGTH)->axes[2] = false;
    PalConditionDef *aside = along_line(&s, PAL_CONDITION_FIX, 0, 0);
    aside->where.box.lower.z = 0;  // one side of both ends
    memcpy(aside->axes, (bool[3]){false, false, true}, sizeof aside->axes);
    PalConditionDef *other = along_line(&s, PAL_CONDITION_FIX, LENGTH, LENGTH);
    other->where.box.lower.z = 0;
    memcpy(other->axes, aside->axes, sizeof other->axes);
    PalConditionDef *press = along_line(&s, PAL_CONDITION_FORCE, AT, LENGTH);
    press->value = pal_vec3(0, -force, 0);
    press->ramp = (PalRamp){.kind = PAL_RAMP_LINEAR};
    return s;
}

// Of three values a step apart, where the parabola through them turns.
static double turn(const double f[3])
{
    double bend = f[0] - 2 * f[1] + f[2];
    return f[1] - (f[0] - f[2]) * (f[0] - f[2]) / (8 * bend);
}

static void lees_frame_snaps_back(void **state)
{
    (void)state;
    const double force = 3;
    Simulation s = lee(force);
    simulate_start(&s);
    PalError error = {0};
    double loads[3] = {0}, highest = 0, lowest = 0, time = 0;
    while (!pal_sim_finished(s.run)) {
        check_ok(pal_sim_step(s.run, &error), &error);
        assert_true(pal_sim_state(s.run)->time > time);  // it only adds up
        time = pal_sim_state(s.run)->time;
        memmove(loads, loads + 1, 2 * sizeof *loads);
        loads[2] = force * pal_sim_load_time(s.run);
        if (loads[1] > loads[0] && loads[1] > loads[2])
            highest = turn(loads);
        if (loads[1] < loads[0] && loads[1] < loads[2])
            lowest = turn(loads);
    }
    check_near(highest / 1.8545, 1, 0.01);
    check_near(lowest / -0.939, 1, 0.01);
    check_near(pal_sim_load_time(s.run), 1, 1e-12);
    assert_true(pal_sim_counters(s.run)->unstable > 10);
    simulate_end(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(lees_frame_snaps_back),
};

CHECK_GROUP(tests, NULL, NULL)
