// Vademecums of a beam and a bunny: how long they take, how far off they are, and how soon contact
// is answered. Times are of this machine; those of contact are CPU time of one thread.
#include "gonzalez2015.h"

#include <math.h>
#include <palpate/vademecum.h>
#include <palpate/vademecum_io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STEPS = 400, PASSES = 5 };

static bool goes_on(void *context, const PalVademecumProgress *progress)
{
    return pal_lab_goes_on(context, progress->stage,
                           progress->total > 0 ? (double)progress->done / progress->total : 0);
}

// Builds the vademecum of a scene, or reads the one that is there.
static PalStatus make_book(PalLab *lab, const char *name, PalVademecumMethod method,
                           PalVademecum **book, PalError *error)
{
    char scene_path[PAL_LAB_PATH_MAX], path[PAL_LAB_PATH_MAX];
    bool quick = pal_lab_quick(lab);
    int length = snprintf(path, sizeof path, "%s/%s-%s%s.h5", pal_lab_folder(lab), name,
                          pal_vademecum_method_name(method), quick ? "-quick" : "");
    if (length < 0 || (size_t)length >= sizeof path)
        return pal_error_set(error, PAL_BAD_INPUT, "the folder's name is too long");
    if (pal_vademecum_read(path, book, NULL) == PAL_OK)
        return PAL_OK;
    PalScene *scene = NULL;
    PAL_TRY(pal_lab_scene(lab, name, 0, scene_path, error));
    PAL_TRY(pal_scene_read(scene_path, NULL, &scene, error));
    PalVademecumDef def = *pal_scene_vademecum(scene);
    def.method = method;
    def.progress = goes_on;
    def.context = lab;
    if (quick) {
        def.mode_limit = 12;
        def.heldout_count = 4;
        def.solution_limit = 16;
    }
    PalStatus status = pal_vademecum_build(&def, book, error);
    if (status == PAL_OK)
        status = pal_vademecum_write(path, *book, error);
    pal_scene_destroy(scene);
    return status;
}

// ---- rows -------------------------------------------------------------------------------

static void tell(PalLab *lab, PalRow row, double goal, const char *reason)
{
    row.goal = goal;
    row.reason = reason;
    pal_lab_row(lab, &row);
}

static void tell_errors(PalLab *lab, const char *place, const char *line, PalVademecum *book,
                        bool goal)
{
    const PalVademecumFacts *f = pal_vademecum_facts(book);
    const char *reason = "At loads held out: random places, sizes and, where there are several, "
                         "directions; the paper gives no figure for single loads.";
    PalRow rows[] = {
        pal_row(place, line, "error in energy, mean, %", NAN, 100 * f->energy.mean),
        pal_row(place, line, "error in energy, worst, %", NAN, 100 * f->energy.worst),
        pal_row(place, line, "error at load point, mean, %", NAN, 100 * f->point.mean),
        pal_row(place, line, "error at load point, worst, %", NAN, 100 * f->point.worst),
        pal_row(place, line, "error in force, mean, %", NAN, 100 * f->force.mean)};
    const double goals[] = {2, NAN, 3, NAN, NAN};  // of beams
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
        tell(lab, rows[i], goal ? goals[i] : NAN, reason);
}

// What is published of building.
typedef struct Published {
    const char *place;
    double seconds, modes, goal_seconds;
} Published;

static const Published beam = {"4.1", 1800, 81, 180}, bunny = {"4.3", 10800, 143, 900};

static void tell_book(PalLab *lab, const char *line, PalVademecum *book, const Published *p,
                      bool ours)
{
    const PalVademecumFacts *f = pal_vademecum_facts(book);
    PalRow seconds = pal_row(p->place, line, "off-line, s", p->seconds, f->seconds);
    PalRow modes = pal_row(p->place, line, "modes", p->modes, pal_vademecum_size(book)->mode_count);
    PalRow bytes =
        pal_row(p->place, line, "memory, MB", NAN, (double)pal_vademecum_bytes(book) / 1e6);
    PalRow processor = pal_row(p->place, line, "off-line, processor s", NAN, f->processor_seconds);
    seconds.sense = PAL_SENSE_TOLD;
    tell(lab, seconds, ours ? p->goal_seconds : NAN,
         "Published on laptops of 2014, in Matlab; the paper says about half an hour or more than "
         "three hours.");
    tell(lab, processor, NAN, "Of all threads: what it takes on a machine that is busy otherwise.");
    tell(lab, modes, NAN, "As many as the tolerance needs, up to the most that are allowed.");
    tell(lab, bytes, ours ? 200 : NAN, "All that is read into memory.");
    tell_errors(lab, p->place, line, book, ours && p != &bunny);
    if (f->method == PAL_VADEMECUM_PGD)
        tell(lab, pal_row(p->place, line, "residual", 1e-5, f->residual), NAN,
             "Forces that are left out of balance, of the loads. Where products are fewer than the "
             "sites that bear loads, some of them have to be left; 1e-5 can be the size of the "
             "last displacements.");
}

// ---- contact ----------------------------------------------------------------------------

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct Meeting {
    const char *line;
    PalVec3 from, to;  // of the second body
    double published, goal;
    PalQuaternion rotation;
} Meeting;

// A tool that comes to a place and stays, several times over. A step does the same each time, while
// what interrupts it on a busy machine comes at another: its time is the least of all passes.
typedef struct Times {
    double step, ahead;  // median where it stays, microseconds
    double longest;      // on the whole way
    double interrupted;  // the longest of all passes, with all that came in between
    double force;        // where it stays
    int32_t contacts;    // points that carry force there
    bool beyond;         // it went beyond what was learnt
} Times;

typedef struct Pass {
    double step[2 * STEPS], ahead[2 * STEPS];  // microseconds
} Pass;

static void pass_once(PalHaptic *haptic, const Meeting *meeting, Pass *least, Times *times)
{
    PalVec3 from = meeting->from, to = meeting->to;
    PalHapticPose pose = {.position = from, .rotation = meeting->rotation};
    pal_haptic_reset(haptic);
    pal_haptic_set_pose(haptic, 1, &pose);
    pal_haptic_prepare(haptic);  // where it begins
    for (int i = 0; i < 2 * STEPS; ++i) {
        double part = i < STEPS ? i / (double)STEPS : 1 + 1e-6 * (i % 7);
        pose.position = (PalVec3){from.x + part * (to.x - from.x), from.y + part * (to.y - from.y),
                                  from.z + part * (to.z - from.z)};
        pal_haptic_set_pose(haptic, 1, &pose);
        double begin = seconds_now();
        PalHapticQuality quality = pal_haptic_step(haptic, 0);
        double between = seconds_now();
        pal_haptic_prepare(haptic);
        double step = 1e6 * (between - begin), ahead = 1e6 * (seconds_now() - between);
        times->interrupted = fmax(times->interrupted, step);
        times->beyond = times->beyond || quality == PAL_HAPTIC_BEYOND;
        least->step[i] = fmin(least->step[i], step);
        least->ahead[i] = fmin(least->ahead[i], ahead);
    }
}

static Times time_contact(PalHaptic *haptic, const Meeting *meeting)
{
    static Pass least;
    Times result = {0};
    for (int i = 0; i < 2 * STEPS; ++i)
        least.step[i] = least.ahead[i] = INFINITY;
    for (int pass = 0; pass < PASSES; ++pass)
        pass_once(haptic, meeting, &least, &result);
    for (int i = 0; i < 2 * STEPS; ++i)
        result.longest = fmax(result.longest, least.step[i]);
    qsort(least.step + STEPS, STEPS, sizeof least.step[0], compare);
    qsort(least.ahead + STEPS, STEPS, sizeof least.ahead[0], compare);
    result.step = least.step[STEPS + STEPS / 2];
    result.ahead = least.ahead[STEPS + STEPS / 2];
    PalHapticForce answer = pal_haptic_force(haptic);
    PalVec3 f = answer.contact_force;
    result.force = sqrt(f.x * f.x + f.y * f.y + f.z * f.z);
    result.contacts = answer.contacts;
    return result;
}

static void tell_times(PalLab *lab, const char *place, const Meeting *meeting, const Times *ours,
                       const Times *printed)
{
    char line[160], as_printed[160];
    snprintf(line, sizeof line, "%s (%d points carry force%s)", meeting->line, (int)ours->contacts,
             ours->beyond ? ", beyond what was learnt" : "");
    snprintf(as_printed, sizeof as_printed, "%s, as printed (%d points are inside)", meeting->line,
             (int)printed->contacts);
    tell(lab, pal_row(place, line, "contact, us", meeting->published, ours->step), meeting->goal,
         "From a pose to its force: the paper detects contact in this time, ours solves it.");
    tell(lab, pal_row(place, line, "longest on the way there, us", NAN, ours->longest),
         meeting->goal,
         "Of 800 steps, half of them held there; of each the least of five passes, as others "
         "interrupt a busy machine.");
    tell(lab, pal_row(place, line, "longest of all passes, us", NAN, ours->interrupted), NAN,
         "With whatever came in between on this machine.");
    tell(lab, pal_row(place, line, "ahead of the next pose, us", NAN, ours->ahead), NAN,
         "Work that is done after the force has been handed over.");
    tell(lab, pal_row(place, line, "force", NAN, ours->force), NAN, NULL);
    tell(lab, pal_row(place, as_printed, "contact, us", meeting->published, printed->step), NAN,
         "F = -k_c d n with d(x, s), trilinear in x and nearest in s, and superposition.");
    tell(lab, pal_row(place, as_printed, "force", NAN, printed->force), NAN,
         "The penalty k_c is a twentieth of the body's own stiffness, or it would not be stable: "
         "points sink in.");
}

// `defs`: ours, and one whose vademecums have distances d(x, s) to be answered as printed.
static PalStatus tell_contact(PalLab *lab, const char *place, const PalHapticDef *defs,
                              const Meeting *meetings, int32_t count, PalError *error)
{
    PalHaptic *haptic = NULL, *printed = NULL;
    PalHapticDef as_printed = defs[1];
    as_printed.answer = PAL_HAPTIC_PRINTED;
    PAL_TRY(pal_haptic_create(&defs[0], &haptic, error));
    PalStatus status = pal_haptic_create(&as_printed, &printed, error);
    for (int32_t i = 0; i < count && status == PAL_OK; ++i) {
        Times ours = time_contact(haptic, &meetings[i]);
        Times theirs = time_contact(printed, &meetings[i]);
        tell_times(lab, place, &meetings[i], &ours, &theirs);
    }
    pal_haptic_destroy(haptic);
    pal_haptic_destroy(printed);
    return status;
}

// How large distances d(x, s) are, and how small they are kept.
static void tell_distances(PalLab *lab, const char *place, PalVademecum *book, double published)
{
    const PalVademecumSize *s = pal_vademecum_size(book);
    const char *line = "as printed, distances d(x, s)";
    double points = (double)s->grid_counts[0] * s->grid_counts[1] * s->grid_counts[2];
    double loads = (double)s->site_count * s->direction_count, all = points * loads;
    double stored = points + (512 + loads) * s->field_rank;
    PalRow numbers = pal_row(place, line, "numbers, millions", published, all / 1e6);
    numbers.sense = PAL_SENSE_TOLD;
    tell(lab, numbers, NAN, "Grid points times loads.");
    tell(lab, pal_row(place, line, "of these stored, %", NAN, 100 * stored / all), NAN,
         "Separated by itself in each block of 8 x 8 x 8 grid points.");
    tell(lab, pal_row(place, line, "off by at most", NAN, pal_vademecum_facts(book)->field_error),
         NAN, "By separating them: a length, a hundredth of the grid's spacing.");
}

// The vademecum that there is by now once more, with distances for answers as printed.
static PalStatus make_printed(PalLab *lab, const char *name, PalVademecum **book, PalError *error)
{
    PAL_TRY(make_book(lab, name, PAL_VADEMECUM_AUTO, book, error));
    return pal_vademecum_add_distances(book, pal_lab_quick(lab) ? 2000 : 0, 0, error);
}

// A rigid block above the end of the beam, pressed down on it.
static PalStatus press_block(PalLab *lab, PalVademecum *book, PalVademecum *printed,
                             PalError *error)
{
    PalMesh *block = NULL;
    PalShapeDef shape = pal_shape_def_default();
    shape.kind = PAL_SHAPE_BOX;
    shape.cell_kind = PAL_CELL_TRIANGLE;
    shape.extent = (PalVec3){60, 60, 40};
    shape.cells[0] = shape.cells[1] = shape.cells[2] = 4;
    PAL_TRY(pal_mesh_create_shape(&shape, &block, error));
    PalHapticRigid rigid = {block->node_count, block->cell_count, block->nodes,
                            (const int32_t(*)[3])block->cells};
    PalHapticDef defs[2] = {pal_haptic_def_default(), pal_haptic_def_default()};
    defs[0].books[0] = book;
    defs[1].books[0] = printed;
    defs[0].rigids[1] = defs[1].rigids[1] = &rigid;
    const Meeting meetings[] = {
        {"block away from the beam", {150, 0, 60}, {150, 0, 50}, NAN, 20, {1, 0, 0, 0}},
        {"block pressed 20 mm down", {150, 0, 42}, {150, 0, 20}, 622.3, 20, {1, 0, 0, 0}}};
    PalStatus status = tell_contact(lab, "4.1", defs, meetings, 2, error);
    pal_mesh_destroy(block);
    return status;
}

static PalStatus run_beam_block(PalLab *lab, PalError *error)
{
    PalVademecum *ours = NULL, *printed = NULL;
    PalStatus status = make_book(lab, "beam-block", PAL_VADEMECUM_AUTO, &ours, error);
    if (status == PAL_OK)
        status = make_book(lab, "beam-block", PAL_VADEMECUM_PGD, &printed, error);
    if (status == PAL_OK) {
        tell_book(lab, "ours", ours, &beam, true);
        tell_book(lab, "as printed", printed, &beam, false);
        tell_distances(lab, "4.1", printed, 42 * 26 * 61 * 170 / 1e6);
        status = press_block(lab, ours, printed, error);
    }
    pal_vademecum_destroy(ours);
    pal_vademecum_destroy(printed);
    return status;
}

static PalStatus run_two_beams(PalLab *lab, PalError *error)
{
    PalVademecum *book = NULL, *printed = NULL;
    const Published none = {"4.2", NAN, NAN, 180};
    // the clamp of the second is above the free half of the first
    const Meeting meetings[] = {
        {"apart", {250, 0, 60}, {250, 0, 50}, NAN, 20, {1, 0, 0, 0}},
        {"10 mm into each other", {250, 0, 42}, {250, 0, 30}, 40000, 100, {1, 0, 0, 0}}};
    PalStatus status = make_book(lab, "two-beams", PAL_VADEMECUM_AUTO, &book, error);
    if (status == PAL_OK)
        status = make_printed(lab, "two-beams", &printed, error);
    if (status == PAL_OK) {
        PalHapticDef defs[2] = {pal_haptic_def_default(), pal_haptic_def_default()};
        defs[0].books[0] = defs[0].books[1] = book;
        defs[1].books[0] = defs[1].books[1] = printed;
        tell_book(lab, "loads of any direction", book, &none, true);
        tell_distances(lab, "4.2", printed, NAN);
        status = tell_contact(lab, "4.2", defs, meetings, 2, error);
    }
    pal_vademecum_destroy(printed);
    const PalTruthPath path = {.place = "4.2",
                               .scene = "beam-ball",
                               .line = "ball on the beam",
                               .changes = {{"solver.step", "0.1"}},
                               .from = {133, -6, 82},
                               .way = {0, 0, -42},
                               .rotation = {1, 0, 0, 0},
                               .ball = 60};
    if (status == PAL_OK)
        status = pal_gonzalez_truth(lab, &path, book, error);
    pal_vademecum_destroy(book);
    return status;
}

static PalStatus run_bunnies(PalLab *lab, PalError *error)
{
    PalVademecum *book = NULL, *printed = NULL;
    // side against side, where the most points face each other
    const PalQuaternion turned = {0.009318, -0.313034, 0.433823, -0.844820};
    const PalVec3 away = {-67.625, -45.667, -1.123};
    const Meeting meetings[] = {
        {"apart", {-72.325, -53.797, -4.573}, {-69.975, -49.732, -2.848}, 714.8, 100, turned},
        {"a touch", away, {-60.41, -33.19, 4.17}, 1611, 100, turned},
        {"pressed", away, {-59.31, -31.28, 4.98}, 1611, 100, turned},
        {"pressed together", away, {-57.71, -28.51, 6.16}, 1281.1, 100, turned},
        {"pressed 10 mm deeper", away, {-51.18, -17.21, 10.95}, 1281.1, 100, turned}};
    const char *scene = pal_lab_quick(lab) ? "fingertip" : "bunnies";
    PalStatus status = make_book(lab, scene, PAL_VADEMECUM_AUTO, &book, error);
    if (status == PAL_OK)
        status = make_printed(lab, scene, &printed, error);
    if (status == PAL_OK) {
        PalHapticDef defs[2] = {pal_haptic_def_default(), pal_haptic_def_default()};
        defs[0].books[0] = defs[0].books[1] = book;
        defs[1].books[0] = defs[1].books[1] = printed;
        tell_book(lab, "ours", book, &bunny, true);
        tell_distances(lab, "4.3", printed, NAN);
        status = tell_contact(lab, "4.3", defs, meetings, 5, error);
    }
    pal_vademecum_destroy(printed);
    const PalTruthPath path = {.place = "4.3",
                               .scene = "papers/two-bunnies",
                               .line = "back to back",
                               .from = {45, 0, 127},
                               .way = {0, 0, -9},
                               .rotation = {0, 0, 1, 0}};
    if (status == PAL_OK && !pal_lab_quick(lab))
        status = pal_gonzalez_truth(lab, &path, book, error);
    pal_vademecum_destroy(book);
    return status;
}

const PalExperiment pal_experiment_beam_block = {
    .name = "beam-block",
    .paper = "gonzalez2015",
    .title = "A vademecum of a cantilever, and a rigid block on it",
    .about = "The cantilever of 189 nodes under a million newtons at any of 170 nodes of its "
             "surface. Loads are shared by patches of 30 mm. Ours has modes of equilibria, "
             "corrections and a local part; as printed, products are found by alternating "
             "directions.",
    .run = run_beam_block,
};

const PalExperiment pal_experiment_two_beams = {
    .name = "two-beams",
    .paper = "gonzalez2015",
    .title = "Two beams that meet",
    .about = "Both have one vademecum, of loads of any direction up to 400,000 newtons. The "
             "published time is that of a web page in 2014.",
    .run = run_two_beams,
};

const PalExperiment pal_experiment_bunnies = {
    .name = "bunnies",
    .paper = "gonzalez2015",
    .title = "Two Stanford bunnies that meet",
    .about = "4239 nodes (published: 4285), 3733 of them on the surface. The modulus is 0.02 MPa "
             "instead of 2e7; answers to forces scale with it. Positions of the paper are not "
             "given. It counts points of the shell that are inside the other bunny, which its "
             "penalty lets stay there; bodies that give way by their own stiffness have a quarter "
             "as many points that carry force in the same pose. Both counts are told, and both "
             "come to about 36 and 400.",
    .run = run_bunnies,
};
