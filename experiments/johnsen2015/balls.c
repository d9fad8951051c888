// Fig. 9 and 10: Newton's cradle and a billiard rack; what contact does to momentum and energy.
#include "johnsen2015.h"

#include <math.h>
#include <string.h>

enum { BALLS = 4, SAMPLES = 400, VARIANT_MAX = 6 };

static const char *const bodies[2][BALLS] = {{"first", "second", "third", "fourth"},
                                             {"cue", "apex", "left", "right"}};

// A mesh of the balls, turned or not, and a response.
typedef struct Variant {
    const char *name, *line;
    const char *mesh;    // NULL: as in the scene; "": the built-in sphere
    const char *rotate;  // NULL: not turned
    const char *response, *step;
    const char *reason;
} Variant;

#define TURN_1 "{axis: [1, 2, 3], degrees: 40}"
#define TURN_2 "{axis: [2, -1, 1], degrees: 110}"

static const Variant cradle_variants[] = {
    {"uniform", "uniform mesh", NULL, NULL, NULL, "0.0001",
     "Facets of a uniform mesh are larger than the touching spot; what they cannot resolve is left "
     "to the skin of smooth bodies."},
    {"turned", "uniform mesh, turned by 40 degrees", NULL, TURN_1, NULL, NULL,
     "As above, with other facets in touch."},
    {"turned-more", "uniform mesh, turned by 110 degrees", NULL, TURN_2, NULL, NULL,
     "As above, with other facets in touch."},
    {"sphere", "built-in sphere", "", NULL, NULL, NULL,
     "Its mesh is symmetric about the line of the balls, so that nothing goes aside."},
    {"poles", "mesh that is finer where balls meet", "meshes/ball-poles.msh", NULL, NULL, NULL,
     "As many tetrahedra, but facets that are small against the touching spot."},
    {"printed", "response johnsen2015, as printed", NULL, NULL, "johnsen2015", NULL,
     "The printed split of forces over a facet does not add up to the force on the other side, so "
     "that momentum and energy grow; the authors' program must have split them otherwise."},
};

static const Variant billiard_variants[] = {
    {"uniform", "uniform mesh", NULL, NULL, NULL, NULL,
     "All contacts are solved together, and facets are nearly alike in every direction."},
    {"turned", "uniform mesh, turned by 40 degrees", NULL, TURN_1, NULL, NULL,
     "As above, with other facets in touch."},
    {"turned-more", "uniform mesh, turned by 110 degrees", NULL, TURN_2, NULL, NULL,
     "As above, with other facets in touch."},
    {"printed", "response johnsen2015, as printed", NULL, NULL, "johnsen2015", NULL,
     "The printed split of forces over a facet does not add up to the force on the other side."},
};

static void sample(PalSim *sim, PalResult *result)
{
    PalEnergy energy = pal_sim_energy(sim);
    pal_result_add(result, "time", pal_sim_state(sim)->time);
    pal_result_add(result, "kinetic", energy.kinetic);
    pal_result_add(result, "strain", energy.strain);
    pal_result_add(result, "mass", pal_sim_model(sim)->bodies[0].mass);
    for (int32_t b = 0; b < BALLS; ++b) {
        PalVec3 at, velocity;
        pal_sim_body_motion(sim, b, &at, &velocity);
        const double values[6] = {at.x, at.y, at.z, velocity.x, velocity.y, velocity.z};
        for (int k = 0; k < 6; ++k) {
            char name[8] = {"xyzuvw"[k], (char)('0' + b), '\0'};
            pal_result_add(result, name, values[k]);
        }
    }
}

// The paths of the changes, which must outlive the trial.
typedef struct Paths {
    char mesh[BALLS][32], shape[BALLS][32], rotate[BALLS][40];
} Paths;

static void prepare(const PalLab *lab, const Variant *variant, bool billiard, Paths *paths,
                    PalTrial *trial)
{
    *trial = (PalTrial){.scene = trial->scene, .samples = SAMPLES, .sample = sample};
    snprintf(trial->name, sizeof trial->name, "%s", variant->name);
    const char *mesh = variant->mesh, *sphere = "{sphere: 1, cells: 11}", *step = variant->step;
    if (pal_lab_quick(lab)) {  // coarse balls, but all of the time: otherwise they never meet
        mesh = "";
        sphere = "{sphere: 1, cells: 7}";
        step = "auto";
    }
    for (int b = 0; b < BALLS; ++b) {
        const char *name = bodies[billiard][b];
        snprintf(paths->mesh[b], sizeof paths->mesh[b], "bodies.%s.mesh", name);
        snprintf(paths->shape[b], sizeof paths->shape[b], "bodies.%s.shape", name);
        snprintf(paths->rotate[b], sizeof paths->rotate[b], "bodies.%s.place.rotate", name);
        if (mesh != NULL && mesh[0] != '\0')
            pal_trial_change(trial, paths->mesh[b], mesh);
        if (mesh != NULL && mesh[0] == '\0') {
            pal_trial_change(trial, paths->mesh[b], "null");
            pal_trial_change(trial, paths->shape[b], sphere);
        }
        if (variant->rotate != NULL)
            pal_trial_change(trial, paths->rotate[b], variant->rotate);
    }
    if (variant->response != NULL)
        pal_trial_change(trial, "contact.0.response", variant->response);
    if (step != NULL)
        pal_trial_change(trial, "solver.step", step);
}

// ---- numbers ----------------------------------------------------------------------------

static double deviation(const PalResult *r, const char *name)
{
    const PalSeries *s = pal_result_find(r, name);
    double mean = 0, square = 0;
    for (int32_t i = 0; i < s->count; ++i)
        mean += s->values[i] / s->count;
    for (int32_t i = 0; i < s->count; ++i)
        square += (s->values[i] - mean) * (s->values[i] - mean) / s->count;
    return sqrt(square);
}

// Of kinetic and strain energy together, against the start: at the end, and at its highest.
static void energy_share(const PalResult *r, double *end, double *peak)
{
    const PalSeries *kinetic = pal_result_find(r, "kinetic"),
                    *strain = pal_result_find(r, "strain");
    double first = kinetic->values[0] + strain->values[0];
    *end = *peak = 0;
    for (int32_t i = 0; i < kinetic->count; ++i) {
        *end = 100 * (kinetic->values[i] + strain->values[i]) / first;
        *peak = fmax(*peak, *end);
    }
}

static void tell_crossings(PalLab *lab, const char *place, const Variant *variant,
                           const PalResult *r)
{
    PalRow row =
        pal_row(place, variant->line, "crossing triangles", NAN, pal_result_number(r, "crossings"));
    row.goal = 0;
    row.reason = "At the end.";
    pal_lab_row(lab, &row);
}

static void tell_cradle(PalLab *lab, const Variant *variant, const PalResult *r)
{
    double end, peak, aside = 0;
    bool ours = variant->response == NULL;
    energy_share(r, &end, &peak);
    for (int b = 0; b < BALLS; ++b) {
        char y[8] = {'y', (char)('0' + b), '\0'}, z[8] = {'z', (char)('0' + b), '\0'};
        aside = fmax(aside, fmax(deviation(r, y), deviation(r, z)));
    }
    PalRow row =
        pal_row("Fig. 9", variant->line, "last ball's speed", 0.0996, pal_result_number(r, "u3"));
    row.sense = PAL_SENSE_NEAR;
    row.tolerance = 0.01;
    row.reason = variant->reason;
    pal_lab_row(lab, &row);
    row = pal_row("Fig. 9", variant->line, "off the first ball's speed, %", 0.4,
                  100 * fabs(pal_result_number(r, "u3") / 0.1 - 1));
    row.goal = ours ? 0.2 : NAN;
    row.reason = variant->reason;
    pal_lab_row(lab, &row);
    row = pal_row("Fig. 9", variant->line, "deviation aside", 1.7e-4, aside);
    row.goal = ours ? 1e-4 : NAN;
    row.reason = variant->reason;
    pal_lab_row(lab, &row);
    row = pal_row("Fig. 9", variant->line, "energy at the end, %", 99.7, end);
    row.sense = ours ? PAL_SENSE_MORE : PAL_SENSE_NEAR;
    row.tolerance = 1e-3;
    row.goal = ours ? 99.9 : NAN;
    row.reason = variant->reason;
    pal_lab_row(lab, &row);
    tell_crossings(lab, "Fig. 9", variant, r);
}

static void tell_billiard(PalLab *lab, const Variant *variant, const PalResult *r)
{
    double end, peak, v[BALLS][3], kinetic = 0;
    bool ours = variant->response == NULL;
    energy_share(r, &end, &peak);
    for (int b = 0; b < BALLS; ++b)
        for (int k = 0; k < 3; ++k) {
            char name[8] = {"uvw"[k], (char)('0' + b), '\0'};
            v[b][k] = pal_result_number(r, name);
            kinetic += b >= 2 ? v[b][k] * v[b][k] : 0;
        }
    double slopes[2] = {v[2][1] / v[2][0], v[3][1] / v[3][0]};
    double unlike = hypot(hypot(v[2][0] - v[3][0], v[2][1] + v[3][1]), v[2][2] - v[3][2]) / 0.15;
    PalRow row = pal_row("Fig. 10", variant->line, "slope of ball 3", 0.82, slopes[0]);
    row.sense = PAL_SENSE_NEAR;
    row.tolerance = 0.03;
    row.reason = variant->reason;
    pal_lab_row(lab, &row);
    row.quantity = "slope of ball 4";
    row.published = -0.82;
    row.ours = slopes[1];
    pal_lab_row(lab, &row);
    row = pal_row("Fig. 10", variant->line, "balls 3 and 4 differ by, of the speed", NAN, unlike);
    row.goal = ours ? 1e-3 : NAN;
    row.reason = "The velocity of one against the mirrored one of the other.";
    pal_lab_row(lab, &row);
    row = pal_row("Fig. 10", variant->line, "kinetic energy of balls 3 and 4, %", 96,
                  100 * kinetic / (0.15 * 0.15));
    row.sense = PAL_SENSE_NEAR;
    row.reason = "As of mass points.";
    pal_lab_row(lab, &row);
    row = pal_row("Fig. 10", variant->line, "highest energy, %", 105, peak);
    row.goal = ours ? 101 : NAN;
    row.reason = variant->reason;
    pal_lab_row(lab, &row);
    row = pal_row("Fig. 10", variant->line, "energy at the end, %", 100, end);
    row.sense = PAL_SENSE_NEAR;
    row.tolerance = 0.01;
    row.reason = variant->reason;
    pal_lab_row(lab, &row);
    tell_crossings(lab, "Fig. 10", variant, r);
}

// ---- plots ------------------------------------------------------------------------------

static void plot_paths(PalLab *lab, const PalResult *r, const char *title)
{
    static const char *const labels[] = {"ball 1", "ball 2", "ball 3", "ball 4"};
    PalPlot plot = {.title = title, .x_label = "x", .y_label = "y", .curve_count = BALLS};
    for (int b = 0; b < BALLS; ++b) {
        char x[8] = {'x', (char)('0' + b), '\0'}, y[8] = {'y', (char)('0' + b), '\0'};
        const PalSeries *xs = pal_result_find(r, x), *ys = pal_result_find(r, y);
        plot.curves[b] = (PalCurve){
            .label = labels[b], .colour = b, .count = xs->count, .x = xs->values, .y = ys->values};
    }
    pal_lab_plot(lab, &plot);
}

static void plot_energies(PalLab *lab, const PalResult *r, const char *title)
{
    const PalSeries *time = pal_result_find(r, "time"), *kinetic = pal_result_find(r, "kinetic");
    const PalSeries *strain = pal_result_find(r, "strain");
    double total[SAMPLES + 1];
    for (int32_t i = 0; i < time->count && i <= SAMPLES; ++i)
        total[i] = kinetic->values[i] + strain->values[i];
    PalPlot plot = {
        .title = title,
        .x_label = "time",
        .y_label = "energy",
        .from_zero = true,
        .curve_count = 3,
        .curves = {
            {.label = "kinetic", .count = time->count, .x = time->values, .y = kinetic->values},
            {.label = "strain",
             .colour = 1,
             .count = time->count,
             .x = time->values,
             .y = strain->values},
            {.label = "total",
             .style = PAL_CURVE_DASHED,
             .colour = 5,
             .count = time->count,
             .x = time->values,
             .y = total}}};
    pal_lab_plot(lab, &plot);
}

// ---- experiments ------------------------------------------------------------------------

static PalStatus run(PalLab *lab, bool billiard, const Variant *variants, int32_t count,
                     PalError *error)
{
    char scene[PAL_LAB_PATH_MAX];
    Paths paths[VARIANT_MAX];
    PalTrial trials[VARIANT_MAX];
    PalResult results[VARIANT_MAX];
    PAL_TRY(pal_lab_scene(lab, billiard ? "papers/billiard" : "papers/cradle", 0, scene, error));
    for (int32_t i = 0; i < count; ++i) {
        trials[i].scene = scene;
        prepare(lab, &variants[i], billiard, &paths[i], &trials[i]);
    }
    trials[0].pictured = true;
    PalStatus status = pal_lab_try(lab, count, trials, results, error);
    for (int32_t i = 0; i < count && status == PAL_OK; ++i) {
        if (billiard)
            tell_billiard(lab, &variants[i], &results[i]);
        else
            tell_cradle(lab, &variants[i], &results[i]);
    }
    if (status == PAL_OK) {
        plot_paths(lab, &results[0], "paths of the balls' centres");
        plot_energies(lab, &results[0], "energies");
        plot_energies(lab, &results[count - 1], "energies, response johnsen2015 as printed");
    }
    for (int32_t i = 0; i < count; ++i)
        pal_result_clear(&results[i]);
    PAL_TRY(status);
    if (!pal_lab_quick(lab))
        trials[0].change_count = 0;  // the scene's own step, five times as long, shows the same
    PAL_TRY(pal_lab_picture(lab, &trials[0], true, "At the start.", error));
    return pal_lab_picture(lab, &trials[0], false, "At the end.", error);
}

static PalStatus run_cradle(PalLab *lab, PalError *error)
{
    return run(lab, false, cradle_variants, sizeof cradle_variants / sizeof cradle_variants[0],
               error);
}

const PalExperiment pal_experiment_cradle = {
    .name = "cradle",
    .paper = "johnsen2015",
    .title = "Newton's cradle of four elastic balls",
    .about =
        "Ball 1 hits three balls at rest; its velocity should be found in ball 4. Balls of about "
        "5000 tetrahedra, explicit Newmark without damping, 100,000 steps with the uniform mesh "
        "(20,000 with the others, which changes nothing that is shown). Velocities and places are "
        "those of the centres of mass. How far apart the balls stand is not published; ours have "
        "a tenth of a radius between them.",
    .run = run_cradle,
};

static PalStatus run_billiard(PalLab *lab, PalError *error)
{
    return run(lab, true, billiard_variants, sizeof billiard_variants / sizeof billiard_variants[0],
               error);
}

const PalExperiment pal_experiment_billiard = {
    .name = "billiard",
    .paper = "johnsen2015",
    .title = "a very soft ball breaks a rack of three",
    .about = "The balls give way by a fifth of their radius, so that all of them touch at the same "
             "time. 20,000 steps of explicit Newmark without damping.",
    .run = run_billiard,
};
