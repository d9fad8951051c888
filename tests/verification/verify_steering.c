// A hand leads a probe over tissue, a thousand times a second: nothing crosses, the book of
// energies balances, and where the hand holds still so does the force. PAL_STEERING_SECONDS and
// PAL_STEERING_CELLS (along the slab's longer edges) ask for a longer run on a finer slab.
#include "touch.h"
#include <palpate/steer.h>

#define PI     3.14159265358979323846
#define PERIOD 0.001
#define LAP    1.0   // seconds: the hand moves in the first part of a lap and holds in the rest
#define MOVING 0.55  // of a lap
#define CALM   0.85  // of a lap: from here on the force is compared with its mean
#define SINES  4

enum { SLAB, PROBE };

// ---- the hand ---------------------------------------------------------------------------

typedef struct Hand {
    double amplitude[3][SINES], rate[3][SINES], phase[3][SINES];
} Hand;

static double number(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*seed >> 11) / 9007199254740992.0;
}

// Up to 5 Hz, slow motions being larger: 6 mm up and down, 12 mm to the sides.
static Hand hand_of(uint64_t seed)
{
    Hand hand;
    for (int i = 0; i < 3; ++i) {
        double sum = 0;
        for (int k = 0; k < SINES; ++k) {
            hand.rate[i][k] = 2 * PI * (0.3 + 4.7 * (k + number(&seed)) / SINES);
            hand.phase[i][k] = 2 * PI * number(&seed);
            hand.amplitude[i][k] = 1 / (1 + hand.rate[i][k] / 8);
            sum += hand.amplitude[i][k];
        }
        for (int k = 0; k < SINES; ++k)
            hand.amplitude[i][k] *= (i == 2 ? 0.006 : 0.012) / sum;
    }
    return hand;
}

static double smooth(double s)
{
    return s < 1 ? s * s * s * (10 + s * (6 * s - 15)) : 1;
}

// It slows down, stands still, and speeds up again, and begins where the probe is.
static PalPose hand_pose(const Hand *hand, double time)
{
    double lap = floor(time / LAP), at[3] = {0, 0, -0.006}, share = smooth(time / 0.3);
    double t = (lap + smooth((time - lap * LAP) / (MOVING * LAP))) * MOVING * LAP;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < SINES; ++k)
            at[i] += hand->amplitude[i][k] * sin(hand->rate[i][k] * t + hand->phase[i][k]);
    return (PalPose){
        .rotation = pal_rotation_about(pal_vec3(1, 2, 0), share * 20 * at[0]),
        .pivot = {0, 0, 0.013},
        .centre = {share * at[0], share * at[1], 0.013 + share * at[2]},
    };
}

// ---- the run ----------------------------------------------------------------------------

// SI units: a slab of tissue, 7 by 7 by 3 cm, and a probe of 12 mm radius, 1 mm above it.
static void lay_out(Touch *t, int32_t cells)
{
    const int32_t slab[3] = {cells, cells, (4 * cells + 4) / 5}, ball[3] = {10, 0, 0};
    touch_add_mesh(t,
                   touch_shape(PAL_SHAPE_BOX, pal_vec3(0.07, 0.07, 0.03), slab,
                               PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, -0.015)),
                   10000, 0.4, 1000);
    touch_add_rigid(t, touch_shape(PAL_SHAPE_SPHERE, pal_vec3(0.012, 0, 0), ball, PAL_CELL_TRIANGLE,
                                   pal_vec3(0, 0, 0.013)));
    t->rigids[0].motion.centre = pal_vec3(0, 0, 0.013);  // what its pose and torque are about
    touch_side(t, SLAB, PAL_CONDITION_FIX, 2, false);
    touch_pair(t, SLAB, PROBE, 0.3);
    t->sim.solver.damping = 80;
    touch_start(t);
}

typedef struct Figures {
    double imbalance;  // of the book of energies, the worst
    double scale;      // the largest energy in it
    double variation;  // of the force, worst of all holds: largest less smallest, of the mean
    double force;      // the largest
    int32_t held, contact_count;
} Figures;

// The end of a lap: what the force did while the hand was still.
static void note_hold(Figures *figures, const double *forces, int32_t count)
{
    double sum = 0, least = INFINITY, most = 0;
    for (int32_t i = (int32_t)(CALM * count); i < count; ++i) {
        sum += forces[i];
        least = fmin(least, forces[i]);
        most = fmax(most, forces[i]);
    }
    double mean = sum / (count - (int32_t)(CALM * count));
    figures->force = fmax(figures->force, most);
    if (mean < 0.02)  // the probe is in the air, or nearly
        return;
    ++figures->held;
    figures->variation = fmax(figures->variation, (most - least) / mean);
    print_message("  hold: %.3f N, varies by %.2g\n", mean, (most - least) / mean);
}

static Figures follow(Touch *t, const Hand *hand, double seconds)
{
    enum { LAP_PERIODS = 1000 };
    static double forces[LAP_PERIODS];
    Figures figures = {0};
    PalError error = {0};
    for (int32_t p = 1; p <= lround(seconds / PERIOD); ++p) {
        PalPose pose = hand_pose(hand, p * PERIOD);
        PalRigidReading reading;
        check_ok(pal_sim_move_rigid(t->run, 0, &pose, p * PERIOD, &error), &error);
        touch_advance(t, p * PERIOD);
        assert_true(pal_sim_state(t->run)->time == p * PERIOD);
        check_ok(pal_sim_read_rigid(t->run, 0, &reading, &error), &error);
        check_near(pal_vec3_distance(reading.pose.centre, pose.centre), 0, 1e-15);
        assert_int_equal(pal_sim_intersections(t->run), 0);
        PalEnergy energy = pal_sim_energy(t->run);
        double scale = pal_energy_scale(&energy);
        figures.imbalance = fmax(figures.imbalance, fabs(pal_energy_drift(&energy)) * scale);
        figures.scale = fmax(figures.scale, scale);
        figures.contact_count =
            (int32_t)fmax(figures.contact_count, pal_sim_contact_report(t->run).contact_count);
        forces[(p - 1) % LAP_PERIODS] = pal_vec3_length(reading.contact_force);
        if (p % LAP_PERIODS == 0)
            note_hold(&figures, forces, LAP_PERIODS);
    }
    return figures;
}

static double asked(const char *name, double otherwise)
{
    const char *text = getenv(name);
    return text != NULL ? strtod(text, NULL) : otherwise;
}

static void tell_cost(const Touch *t)
{
    const PalProfile *profile = pal_sim_profile(t->run);
    const PalModel *model = pal_sim_model(t->run);
    double steps = (double)pal_sim_state(t->run)->step_count / 1e6;
    double contact = profile->contact_update + profile->contact_search + profile->contact_response;
    double all = contact + profile->elements + profile->integrate;
    print_message(
        "%d tetrahedra, %.0f steps; microseconds a step: elements %.1f, integration %.1f, "
        "contact %.1f (%.0f %% of %.1f)\n",
        (int)model->cell_count, steps * 1e6, profile->elements / steps, profile->integrate / steps,
        contact / steps, 100 * contact / all, all / steps);
}

static void a_hand_leads_a_probe(void **state)
{
    (void)state;
    Touch t = touch_nothing(INFINITY);
    lay_out(&t, (int32_t)asked("PAL_STEERING_CELLS", 6));
    Hand hand = hand_of(2);
    Figures figures = follow(&t, &hand, asked("PAL_STEERING_SECONDS", 1));
    PalContactReport report = pal_sim_contact_report(t.run);
    double drift = figures.imbalance / figures.scale;
    print_message(
        "worst drift %.2g, force up to %.3f N in holds, %d holds vary by up to %.2g, up to "
        "%d contacts, %d rescues\n",
        drift, figures.force, figures.held, figures.variation, figures.contact_count,
        (int)report.rescues);
    tell_cost(&t);
    assert_true(drift < 1e-3);
    assert_true(figures.held > 0);
    assert_true(figures.variation < 1e-3);
    assert_false(pal_sim_finished(t.run));
    touch_end(&t);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_hand_leads_a_probe),
};
CHECK_GROUP(tests, NULL, NULL)
