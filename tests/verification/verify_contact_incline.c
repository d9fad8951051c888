// A block on an incline that is tilted about an oblique axis stays below tan(angle) = mu and
// slides above, by the distance of Coulomb's law; where it slides, friction is mu times the
// pressure. The block is slightly viscoelastic: one that is not squeals.
// docs/theory/contact-checks.md
#include "touch.h"

static const double FRICTION = 0.5, GRAVITY = 10, RAMP = 0.4, TIME = 1.2, GAP = 1e-5;

typedef struct Slide {
    double distance;      // down the slope
    double aside;         // across it
    double creep;         // down the slope, in the second half of the time
    double acceleration;  // that Coulomb's law gives
    double drift;         // of energy
    // contacts, at the end
    int32_t slipping, sticking;
    double ratio;      // worst ||friction| / (mu pressure) - 1|
    double direction;  // worst angle between friction and the way back
    double balance;    // the ratio of total friction and total pressure
} Slide;

static void look_at_contacts(Touch *t, PalVec3 down, Slide *slide)
{
    int32_t count;
    const PalContactPoint *points = pal_sim_contacts(t->run, &count);
    double pressure = 0, friction = 0;
    for (int32_t i = 0; i < count; ++i) {
        double normal = points[i].normal_force;
        PalVec3 drag = pal_vec3_add_scaled(points[i].force, -normal, points[i].normal);
        double length = pal_vec3_length(drag);
        pressure += normal;
        friction -= pal_vec3_dot(drag, down);
        slide->slipping += points[i].slips;
        slide->sticking += !points[i].slips;
        slide->ratio = fmax(slide->ratio, fabs(length / (FRICTION * normal) - 1));
        slide->direction =
            fmax(slide->direction, acos(fmin(1, -pal_vec3_dot(drag, down) / length)));
    }
    slide->balance = friction / (FRICTION * pressure);
}

static Slide slide_at(double slope, PalElementKind element)
{
    PalVec3 axis = pal_vec3(cos(0.7), sin(0.7), 0);
    double angle = atan(slope);
    Touch t = touch_nothing(TIME);
    PalMesh *plane = touch_shape(PAL_SHAPE_BOX, pal_vec3(6, 6, 0.2), (int32_t[]){3, 3, 1},
                                 PAL_CELL_TRIANGLE, pal_vec3(0, 0, -0.1));
    PalMesh *block = touch_shape(PAL_SHAPE_BOX, pal_vec3(0.2, 0.15, 0.1), (int32_t[]){6, 5, 3},
                                 pal_element_cell(element), pal_vec3(0, 0, 0.05 + GAP));
    touch_turn(block, pal_vec3(0, 0, 1), 0.4);
    touch_turn(block, axis, angle);
    touch_turn(plane, axis, angle);
    int32_t b = touch_add_mesh(&t, block, 1e6, 0.3, 1000);
    t.bodies[b].element = element;
    t.materials[b].isochoric_count = 1;
    t.materials[b].isochoric[0] = (PalPronyTerm){0.5, 0.001};
    touch_add_rigid(&t, plane);
    PalConditionDef *gravity = touch_condition(&t, PAL_NONE, PAL_CONDITION_GRAVITY);
    gravity->value = pal_vec3(0, 0, -GRAVITY);
    gravity->ramp = (PalRamp){.kind = PAL_RAMP_SMOOTH, .until = RAMP};
    t.sim.contact.separation = GAP;
    touch_pair(&t, b, 1, FRICTION);
    touch_start(&t);
    PalVec3 from, halfway, to, velocity;
    PalVec3 normal = pal_vec3(sin(0.7) * sin(angle), -cos(0.7) * sin(angle), cos(angle));
    PalVec3 down = pal_vec3_normalise(pal_vec3_add_scaled(pal_vec3(0, 0, -1), normal.z, normal));
    pal_sim_body_motion(t.run, b, &from, &velocity);
    touch_advance(&t, TIME / 2);
    pal_sim_body_motion(t.run, b, &halfway, &velocity);
    touch_advance(&t, TIME);
    pal_sim_body_motion(t.run, b, &to, &velocity);
    PalVec3 moved = pal_vec3_sub(to, from);
    PalEnergy energy = pal_sim_energy(t.run);
    Slide slide = {.distance = pal_vec3_dot(moved, down),
                   .aside = pal_vec3_dot(moved, pal_vec3_cross(normal, down)),
                   .creep = pal_vec3_dot(pal_vec3_sub(to, halfway), down),
                   .acceleration = GRAVITY * (sin(angle) - FRICTION * cos(angle)),
                   .drift = fabs(pal_energy_drift(&energy))};
    look_at_contacts(&t, down, &slide);
    PalContactReport report = pal_sim_contact_report(t.run);
    print_message("%s, slope %.3f: slides %.6f, aside %.1e, %d contacts slip, %d stick; friction "
                  "off by %.1e each, %.6f of mu together, %.1e radians; energy drift %.1e\n",
                  pal_element_name(element), slope, slide.distance, slide.aside, slide.slipping,
                  slide.sticking, slide.ratio, slide.balance, slide.direction, slide.drift);
    assert_true(report.worst_penetration == 0 && report.rescues == 0);
    touch_end(&t);
    return slide;
}

// The distance that gravity, ramped smoothly, makes of an acceleration.
static double distance_of(double acceleration)
{
    double after = TIME - RAMP;
    return acceleration * (RAMP * RAMP / 7 + RAMP / 2 * after + after * after / 2);
}

static void check_slides(double slope, PalElementKind element, double tolerance)
{
    Slide slide = slide_at(slope, element);
    double expected = distance_of(slide.acceleration);
    print_message("  expected %.6f: off by %.3f %%\n", expected,
                  100 * (slide.distance / expected - 1));
    check_near(slide.distance / expected, 1, tolerance);
    assert_true(fabs(slide.aside) < 1e-3 * slide.distance);
    assert_true(slide.slipping > 10 && slide.sticking == 0);
    assert_true(slide.ratio < 1e-3);
    check_near(slide.balance, 1, 1e-3);
    assert_true(slide.drift < 1e-3);
}

static void check_stays(double slope, PalElementKind element)
{
    Slide slide = slide_at(slope, element);
    print_message("  creeps %.1e\n", slide.creep);
    assert_true(fabs(slide.creep) < 1e-7);
    check_near(slide.balance, slope / FRICTION, 1e-4);  // friction holds its weight
    assert_true(slide.drift < 1e-3);
}

// A tenth of the distance at 1.01 mu is a thousandth of mu.
static void test_threshold(void **state)
{
    (void)state;
    check_stays(0.99 * FRICTION, PAL_ELEMENT_T4);
    check_slides(1.01 * FRICTION, PAL_ELEMENT_T4, 0.1);
    check_stays(0.99 * FRICTION, PAL_ELEMENT_H8);
    check_slides(1.01 * FRICTION, PAL_ELEMENT_H8, 0.1);
}

static void test_distance(void **state)
{
    (void)state;
    check_slides(1.4 * FRICTION, PAL_ELEMENT_T4, 0.005);
    check_slides(1.4 * FRICTION, PAL_ELEMENT_H8, 0.005);
    check_slides(2.4 * FRICTION, PAL_ELEMENT_T4, 0.005);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(test_threshold),
                                          cmocka_unit_test(test_distance)};
CHECK_GROUP(tests, NULL, NULL)
