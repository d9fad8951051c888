// A thin rope of tissue around a rigid cylinder, pulled over it: tension grows as e^(mu angle).
// docs/theory/contact-checks.md
#include "touch.h"

static const double RADIUS = 1, THICKNESS = 0.02, STRAIGHT = 0.4, YOUNG = 1e4, DENSITY = 10;
static const double PULL = 0.1, ROOM = 3e-4;

// Along the rope: an arc, and straight pieces at both ends. Above the cylinder, in the plane of x
// and y.
static PalVec3 along_rope(double s, double height, double angle)
{
    double arc = RADIUS * angle, rest = fmax(0, fabs(s) - arc / 2);
    double turn = fmin(fabs(s), arc / 2) / RADIUS, side = s < 0 ? -1 : 1;
    double radius = RADIUS + ROOM + height;
    return pal_vec3(side * (radius * sin(turn) + rest * cos(turn)),
                    radius * cos(turn) - rest * sin(turn), 0);
}

static PalMesh *rope(double angle)
{
    double length = RADIUS * angle + 2 * STRAIGHT;
    int32_t cells = (int32_t)(length / (2 * THICKNESS));
    PalMesh *mesh =
        touch_shape(PAL_SHAPE_BOX, pal_vec3(length, THICKNESS, THICKNESS), (int32_t[]){cells, 2, 1},
                    PAL_CELL_TETRAHEDRON, pal_vec3(0, THICKNESS / 2, 0));
    for (int32_t n = 0; n < mesh->node_count; ++n) {
        PalVec3 x = mesh->nodes[n];
        mesh->nodes[n] = along_rope(x.x, x.y, angle);
        mesh->nodes[n].z = x.z;
    }
    return mesh;
}

// The side of a cylinder along z, as a polygon with many sides.
static PalMesh *cylinder(void)
{
    enum { SIDES = 480 };
    PalVec3 nodes[2 * SIDES];
    int32_t cells[6 * SIDES];
    for (int32_t i = 0; i < SIDES; ++i) {
        double angle = 2 * 3.14159265358979323846 * i / SIDES;
        int32_t a = 2 * i, b = 2 * ((i + 1) % SIDES);
        int32_t triangles[6] = {a, b, b + 1, a, b + 1, a + 1};
        memcpy(&cells[6 * i], triangles, sizeof triangles);
        for (int k = 0; k < 2; ++k)
            nodes[a + k] = pal_vec3(RADIUS * cos(angle), RADIUS * sin(angle), 0.2 * k - 0.1);
    }
    PalMeshDef def = {.cell_kind = PAL_CELL_TRIANGLE,
                      .node_count = 2 * SIDES,
                      .nodes = nodes,
                      .cell_count = 2 * SIDES,
                      .cells = cells};
    PalError error = {0};
    PalMesh *mesh;
    check_ok(pal_mesh_create(&def, &mesh, &error), &error);
    return mesh;
}

// Tension at the pulled end over that at the other. The rope slides at one speed from the start,
// while the load grows: slip that sets in under load makes the rope swing.
static double tension_ratio(double angle, double friction)
{
    double wave = sqrt(YOUNG / DENSITY), time = 60 / wave,
           load = 0.005 * YOUNG * THICKNESS * THICKNESS;
    PalVec3 end[2];
    Touch t = touch_nothing(time);
    touch_add_mesh(&t, rope(angle), YOUNG, 0.3, DENSITY);
    t.materials[0].isochoric_count = 1;
    t.materials[0].isochoric[0] = (PalPronyTerm){0.5, 1 / wave};
    touch_add_rigid(&t, cylinder());
    for (int i = 0; i < 2; ++i) {
        double half = RADIUS * angle / 2 + STRAIGHT;
        end[i] = pal_vec3((i ? 1 : -1) * cos(angle / 2), -sin(angle / 2), 0);
        PalConditionDef *hold =
            touch_condition(&t, 0, i ? PAL_CONDITION_DISPLACE : PAL_CONDITION_FORCE);
        hold->where.kind = PAL_WHERE_PLANE;
        hold->where.point = along_rope(i ? half : -half, 0, angle);
        hold->where.normal = end[i];
        hold->axes[2] = i == 0;
        hold->value = pal_vec3_scale(i ? PULL : load, end[i]);
        hold->ramp = i ? (PalRamp){.kind = PAL_RAMP_LINEAR, .until = time}
                       : (PalRamp){.kind = PAL_RAMP_SMOOTH, .until = 0.6 * time};
    }
    // in a groove: swaying, it would squeal, and friction point aside for part of the time
    PalConditionDef *groove = touch_condition(&t, 0, PAL_CONDITION_FIX);
    groove->axes[0] = groove->axes[1] = false;
    touch_pair(&t, 0, 1, friction);
    touch_start(&t);
    double sum = 0, slipping = 0, contacts = 0;
    int32_t steps = 0;
    while (!pal_sim_finished(t.run)) {
        PalError error = {0};
        check_ok(pal_sim_step(t.run, &error), &error);
        if (pal_sim_state(t.run)->time < 0.7 * time)
            continue;
        PalVec3 reaction = {0, 0, 0};
        for (int32_t n = 0; n < pal_sim_model(t.run)->node_count; ++n)
            reaction = pal_vec3_add(reaction, pal_sim_state(t.run)->reaction[n]);
        sum += pal_vec3_dot(reaction, end[1]);
        ++steps;
        int32_t count;
        const PalContactPoint *p = pal_sim_contacts(t.run, &count);
        for (int32_t i = 0; i < count; ++i)
            slipping += p[i].slips;
        contacts += count;
    }
    PalContactReport report = pal_sim_contact_report(t.run);
    PalEnergy energy = pal_sim_energy(t.run);
    double ratio = sum / steps / load, expected = exp(friction * angle);
    print_message("angle %.2f, friction %.2f: ratio of tensions %.4f, expected %.4f: off by "
                  "%.2f %%; %.0f contacts, %.1f %% slip, energy drift %.1e\n",
                  angle, friction, ratio, expected, 100 * (ratio / expected - 1), contacts / steps,
                  100 * slipping / contacts, pal_energy_drift(&energy));
    assert_true(report.worst_penetration == 0 && report.rescues == 0);
    touch_end(&t);
    return ratio / expected;
}

static void test_capstan(void **state)
{
    (void)state;
    check_near(tension_ratio(1.57, 0.3), 1, 0.03);
    check_near(tension_ratio(2.5, 0.2), 1, 0.03);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(test_capstan)};
CHECK_GROUP(tests, NULL, NULL)
