// Elastic rods that strike. A rod of length L at speed v hits a rigid wall: a wave of stress
// rho c v runs to its far end and back, and after 2 L / c the rod leaves with its speed reversed.
// Two equal rods exchange their velocities in the same time.   docs/theory/contact-checks.md
#include "touch.h"

enum { CELLS = 100 };

static const double LENGTH = 1, WIDTH = 0.05, YOUNG = 1e4, DENSITY = 10, SPEED = 0.05;

typedef struct Impact {
    double begin, end;  // of contact
    double impulse, drift;
    PalContactReport report;
} Impact;

// Steps to the end; along x, on object 0.
static Impact strike(Touch *t, int32_t other)
{
    Impact impact = {.begin = INFINITY};
    while (!pal_sim_finished(t->run)) {
        PalError error = {0};
        double before = pal_sim_state(t->run)->time;
        check_ok(pal_sim_step(t->run, &error), &error);
        double after = pal_sim_state(t->run)->time;
        double force = pal_sim_contact_force(t->run, 0, other).x;
        impact.impulse += force * (after - before);
        if (force != 0) {
            impact.begin = fmin(impact.begin, before);
            impact.end = after;
        }
        PalEnergy energy = pal_sim_energy(t->run);
        impact.drift = fmax(impact.drift, fabs(pal_energy_drift(&energy)));
    }
    impact.report = pal_sim_contact_report(t->run);
    return impact;
}

static int32_t add_rod(Touch *t, double x, double speed, int32_t cells, PalElementKind element)
{
    PalMesh *mesh =
        touch_shape(PAL_SHAPE_BOX, pal_vec3(LENGTH, WIDTH, WIDTH), (int32_t[]){cells, 2, 2},
                    pal_element_cell(element), pal_vec3(x, 0, 0));
    int32_t b = touch_add_mesh(t, mesh, YOUNG, 0, DENSITY);
    t->bodies[b].element = element;
    t->bodies[b].velocity = pal_vec3(speed, 0, 0);
    return b;
}

typedef struct Errors {
    double time, force, speed;  // relative; of the speed, what is lost
} Errors;

static Errors bounce(int32_t cells, PalElementKind element)
{
    double wave = sqrt(YOUNG / DENSITY), duration = 2 * LENGTH / wave;
    double force = DENSITY * wave * SPEED * WIDTH * WIDTH;
    Touch t = touch_nothing(2 * duration);
    int32_t rod = add_rod(&t, 0.0001 - LENGTH / 2, SPEED, cells, element);
    int32_t wall = touch_add_rigid(&t, touch_shape(PAL_SHAPE_BOX, pal_vec3(0.1, 0.2, 0.2),
                                                   (int32_t[]){1, 1, 1}, PAL_CELL_TRIANGLE,
                                                   pal_vec3(0.051, 0, 0)));
    touch_pair(&t, rod, 1 + wall, 0);
    touch_start(&t);
    Impact impact = strike(&t, 1 + wall);
    PalVec3 centroid, velocity;
    pal_sim_body_motion(t.run, rod, &centroid, &velocity);
    double lasted = impact.end - impact.begin;
    Errors errors = {fabs(lasted / duration - 1), fabs(-impact.impulse / lasted / force - 1),
                     1 + velocity.x / SPEED};
    print_message("%d cells of %s on a wall: contact time off by %.2f %%, mean force by %.2f %%, "
                  "%.2f %% of the speed lost, energy drift %.1e\n",
                  cells, pal_element_name(element), 100 * errors.time, 100 * errors.force,
                  100 * errors.speed, impact.drift);
    assert_true(impact.drift < 1e-4);
    assert_true(impact.report.worst_penetration == 0 && impact.report.rescues == 0);
    touch_end(&t);
    return errors;
}

static void check_bounds(Errors errors)
{
    assert_true(errors.time < 0.02);
    assert_true(errors.force < 0.03);
    assert_true(errors.speed > 0 && errors.speed < 0.03);
}

static void test_bounce(void **state)
{
    (void)state;
    Errors coarse = bounce(CELLS / 4, PAL_ELEMENT_T4), middle = bounce(CELLS / 2, PAL_ELEMENT_T4);
    Errors fine = bounce(CELLS, PAL_ELEMENT_T4);
    check_bounds(middle);
    check_bounds(fine);
    check_bounds(bounce(CELLS, PAL_ELEMENT_H8));
    // what is lost belongs to the last layer of nodes
    assert_true(middle.speed < 0.75 * coarse.speed && fine.speed < 0.75 * middle.speed);
}

static void test_exchange(void **state)
{
    (void)state;
    double wave = sqrt(YOUNG / DENSITY), duration = 2 * LENGTH / wave;
    double force = DENSITY * wave * SPEED * WIDTH * WIDTH;
    Touch t = touch_nothing(2 * duration);
    int32_t a = add_rod(&t, -LENGTH / 2 - 0.0005, 2 * SPEED, CELLS, PAL_ELEMENT_T4);
    int32_t b = add_rod(&t, LENGTH / 2 + 0.0005, 0, CELLS, PAL_ELEMENT_T4);
    touch_pair(&t, a, b, 0);
    touch_start(&t);
    Impact impact = strike(&t, b);
    PalVec3 centroid, first, second;
    pal_sim_body_motion(t.run, a, &centroid, &first);
    pal_sim_body_motion(t.run, b, &centroid, &second);
    print_message("rods: %.4f and %.4f of the speed, expected 0 and 1\n", first.x / (2 * SPEED),
                  second.x / (2 * SPEED));
    double lasted = impact.end - impact.begin;
    print_message("contact time off by %.2f %%, mean force by %.2f %%, energy drift %.1e\n",
                  100 * (lasted / duration - 1), 100 * (-impact.impulse / lasted / force - 1),
                  impact.drift);
    check_near(lasted / duration, 1, 0.02);
    check_near(-impact.impulse / lasted / force, 1, 0.03);
    check_near(first.x / (2 * SPEED), 0, 0.03);
    check_near(second.x / (2 * SPEED), 1, 0.03);
    check_near((first.x + second.x) / (2 * SPEED), 1, 1e-12);
    assert_true(impact.drift < 1e-4);
    assert_true(impact.report.worst_penetration == 0 && impact.report.rescues == 0);
    touch_end(&t);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(test_bounce),
                                          cmocka_unit_test(test_exchange)};
CHECK_GROUP(tests, NULL, NULL)
