// vademecum bench: a recorded path through the haptic loop, timed step by step.
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DEADLINE   1e-3    // seconds in which a device wants an answer
#define NOT_SMALL  0.1     // of the largest force: changes are told relative to the force
#define SLIGHT     1e-3    // of the contact forces, and of no account
#define FREE_STEPS 100000  // of a tool that rests, and of one that is let go
#define BALL_FACETS                                                                                \
    0.125  // edges of the ball, of its radius: its facets lie inside by 0.2 % of that

typedef struct Bench {
    PalVademecum *books[2];
    PalMesh *ball;  // the tool where there is no second vademecum
    PalHaptic *haptic;
    PalPoses poses;
    int64_t step_count;
    double *microseconds;  // from a pose to its force
    double *processor;     // the same, of processor time
    double *ahead;         // what follows, for the next step, of processor time
    double *whole;         // both together, by the clock
    double prepare;        // what follows by the clock, all steps together
    double mass;           // of a free tool; 0: none
    double coupling;       // that it hangs on
    PalCliFreeResult rests, let_go;
    int64_t missed, slow, quality[PAL_HAPTIC_BEYOND + 1];
    int32_t most_contacts;
    double contact_sum, most_force;
    PalVec3 *forces;  // per pose
    int32_t *contacts;
    int64_t touching;                    // steps with contact
    double unlearnt_sum, unlearnt_most;  // parts of forces in directions that were not learnt
    double deepest;                      // point that was left inside
    double jump;                         // largest change of force between steps
    double relative_jump;                // relative to the force, where that is not small
    double energy, most_energy;          // that the device received
} Bench;

static double seconds_of(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double now(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

static double now_processor(void)
{
    return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double at_part(const Bench *bench, const double *sorted, double part)
{
    int64_t index = (int64_t)ceil(part * (double)bench->step_count) - 1;
    return sorted[index < 0 ? 0 : index];
}

// A ball as wide as a patch that the first body was loaded on.
static PalStatus make_ball(Bench *bench, PalError *error)
{
    PalShapeDef shape = pal_shape_def_default();
    shape.kind = PAL_SHAPE_SHELL_SPHERE;
    shape.cell_kind = PAL_CELL_TRIANGLE;
    shape.extent.x = pal_vademecum_facts(bench->books[0])->patch;
    shape.size = BALL_FACETS * shape.extent.x;
    return pal_mesh_create_shape(&shape, &bench->ball, error);
}

static PalStatus open_bench(Bench *bench, const PalCliArguments *arguments, PalError *error)
{
    PAL_TRY(pal_vademecum_read(arguments->operands[1], &bench->books[0], error));
    PalHapticDef def = pal_haptic_def_default();
    PalHapticRigid rigid;
    if (arguments->against != NULL) {
        PAL_TRY(pal_vademecum_read(arguments->against, &bench->books[1], error));
    } else {
        PAL_TRY(make_ball(bench, error));
        rigid = (PalHapticRigid){bench->ball->node_count, bench->ball->cell_count,
                                 bench->ball->nodes, (const int32_t(*)[3])bench->ball->cells};
        def.rigids[1] = &rigid;
    }
    def.books[0] = bench->books[0];
    def.books[1] = bench->books[1];
    def.mass = arguments->let_go;
    // the stiffest that a free tool can hang on without ever shaking itself loose
    bench->coupling = def.coupling = def.mass / (def.step * def.step);
    if (arguments->answer != NULL)
        pal_haptic_answer_find(arguments->answer, &def.answer);
    PAL_TRY(pal_haptic_create(&def, &bench->haptic, error));
    PAL_TRY(pal_poses_read(arguments->path, &bench->poses, error));
    bench->step_count =
        arguments->step_count > 0 ? arguments->step_count : (int64_t)bench->poses.count;
    bench->mass = arguments->let_go;
    bench->microseconds = calloc((size_t)bench->step_count, sizeof(double));
    bench->processor = calloc((size_t)bench->step_count, sizeof(double));
    bench->ahead = calloc((size_t)bench->step_count, sizeof(double));
    bench->whole = calloc((size_t)bench->step_count, sizeof(double));
    bench->forces = calloc((size_t)bench->poses.count, sizeof *bench->forces);
    bench->contacts = calloc((size_t)bench->poses.count, sizeof *bench->contacts);
    return bench->microseconds != NULL && bench->processor != NULL && bench->ahead != NULL &&
                   bench->whole != NULL && bench->forces != NULL && bench->contacts != NULL
               ? PAL_OK
               : pal_error_set(error, PAL_NO_MEMORY, "no memory for %lld steps",
                               (long long)bench->step_count);
}

static void close_bench(Bench *bench)
{
    pal_haptic_destroy(bench->haptic);
    pal_vademecum_destroy(bench->books[0]);
    pal_vademecum_destroy(bench->books[1]);
    pal_mesh_destroy(bench->ball);
    pal_poses_clear(&bench->poses);
    free(bench->microseconds);
    free(bench->processor);
    free(bench->ahead);
    free(bench->whole);
    free(bench->forces);
    free(bench->contacts);
}

// The path there and back, again and again.
static int32_t pose_of(const Bench *bench, int64_t step)
{
    int64_t count = bench->poses.count;
    if (count == 1)
        return 0;
    int64_t place = step % (2 * count - 2);
    return (int32_t)(place < count ? place : 2 * count - 2 - place);
}

static double length(PalVec3 a)
{
    return sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
}

static void time_step(Bench *bench, int64_t step, const PalHapticPose *pose)
{
    pal_haptic_set_pose(bench->haptic, 1, pose);
    double processor = now_processor(), start = now();
    PalHapticQuality quality = pal_haptic_step(bench->haptic, 0);
    double seconds = now() - start, between = now_processor();
    pal_haptic_prepare(bench->haptic);
    bench->ahead[step] = 1e6 * (now_processor() - between);
    bench->processor[step] = 1e6 * (between - processor);
    bench->microseconds[step] = 1e6 * seconds;
    bench->whole[step] = 1e6 * (now() - start);
    bench->prepare += bench->whole[step] - bench->microseconds[step];
    bench->missed += seconds > DEADLINE;
    bench->slow += bench->whole[step] > 1e6 * DEADLINE;
    ++bench->quality[quality];
}

static void note_force(Bench *bench, int32_t pose, PalVec3 last)
{
    PalHapticForce answer = pal_haptic_force(bench->haptic);
    PalVec3 force = answer.contact_force;
    PalVec3 step = {force.x - last.x, force.y - last.y, force.z - last.z};
    double size = length(force), change = length(step);
    bench->most_force = fmax(bench->most_force, size);
    bench->jump = fmax(bench->jump, change);
    bench->energy = answer.energy;
    bench->most_energy = fmax(bench->most_energy, answer.energy);
    bench->contact_sum += answer.contacts;
    bench->touching += answer.contacts > 0;
    bench->deepest = fmax(bench->deepest, answer.deepest);
    double unlearnt = pal_haptic_unlearnt(bench->haptic);
    bench->unlearnt_sum += unlearnt;
    bench->unlearnt_most = fmax(bench->unlearnt_most, unlearnt);
    if (answer.contacts > bench->most_contacts)
        bench->most_contacts = answer.contacts;
    bench->forces[pose] = force;
    bench->contacts[pose] = answer.contacts;
}

// From pose to pose, relative to the force.
static void compare_forces(Bench *bench)
{
    for (int32_t i = 1; i < bench->poses.count && i < bench->step_count; ++i) {
        PalVec3 a = bench->forces[i - 1], b = bench->forces[i];
        double change = length((PalVec3){b.x - a.x, b.y - a.y, b.z - a.z});
        double size = fmin(length(a), length(b));
        if (size > NOT_SMALL * bench->most_force)
            bench->relative_jump = fmax(bench->relative_jump, change / size);
    }
}

// All steps, or as many as there are when it is interrupted: false then.
static bool run_steps(Bench *bench)
{
    PalVec3 last = {0, 0, 0};
    pal_haptic_set_pose(bench->haptic, 1, &bench->poses.poses[0]);
    pal_haptic_prepare(bench->haptic);  // where the path begins, as for any other step
    for (int64_t step = 0; step < bench->step_count; ++step) {
        int32_t pose = pose_of(bench, step);
        time_step(bench, step, &bench->poses.poses[pose]);
        note_force(bench, pose, step > 0 ? last : pal_haptic_force(bench->haptic).contact_force);
        last = bench->forces[pose];
        if ((step & 127) == 127 && pal_cli_interrupted())
            bench->step_count = step + 1;
    }
    compare_forces(bench);
    qsort(bench->microseconds, (size_t)bench->step_count, sizeof(double), compare);
    qsort(bench->processor, (size_t)bench->step_count, sizeof(double), compare);
    qsort(bench->ahead, (size_t)bench->step_count, sizeof(double), compare);
    qsort(bench->whole, (size_t)bench->step_count, sizeof(double), compare);
    return !pal_cli_interrupted();
}

// At the end of the path, under a weight that balances contact, and then without it.
static bool run_free(Bench *bench)
{
    PalVec3 force = pal_haptic_force(bench->haptic).contact_force;
    double size = length(force);
    if (!(bench->mass > 0 && size > 0))
        return true;
    PalCliFreeTool tool = {.start = pal_haptic_pose(bench->haptic, 1),
                           .line = {force.x / size, force.y / size, force.z / size},
                           .mass = bench->mass,
                           .weight = size,
                           .steps = FREE_STEPS};
    if (!pal_cli_bench_free(bench->haptic, &tool, &bench->rests))
        return false;
    tool.start = pal_haptic_pose(bench->haptic, 1);
    tool.weight = 0;
    bool done = pal_cli_bench_free(bench->haptic, &tool, &bench->let_go);
    bench->energy = pal_haptic_force(bench->haptic).energy;
    return done;
}

static void print_histogram_json(const Bench *bench)
{
    int64_t from = 0;
    printf("  \"histogram\": [");
    for (double limit = 1; from < bench->step_count; limit *= 1.2589254117941673) {
        int64_t to = from;
        while (to < bench->step_count && bench->microseconds[to] <= limit)
            ++to;
        if (to > from)
            printf("%s{\"up_to\": %.4g, \"steps\": %lld}", from > 0 ? ", " : "", limit,
                   (long long)(to - from));
        from = to;
    }
    printf("],\n");
}

static void print_times_json(const Bench *bench, const char *name, const double *sorted)
{
    double total = 0;
    for (int64_t i = 0; i < bench->step_count; ++i)
        total += sorted[i];
    printf("  \"%s\": {\"p50\": %.3f, \"p99\": %.3f, \"p999\": %.3f, \"max\": %.3f, "
           "\"mean\": %.3f},\n",
           name, at_part(bench, sorted, 0.5), at_part(bench, sorted, 0.99),
           at_part(bench, sorted, 0.999), at_part(bench, sorted, 1),
           total / (double)bench->step_count);
}

static void print_free_json(const char *name, const PalCliFreeResult *free)
{
    printf("  \"%s\": {\"steps\": %lld, \"energy\": %.9g, \"most\": %.9g, \"kinetic\": %.9g, "
           "\"farthest\": %.9g},\n",
           name, (long long)free->steps, free->energy, free->most, free->kinetic, free->farthest);
}

static double mean_unlearnt(const Bench *bench)
{
    return bench->touching > 0 ? bench->unlearnt_sum / (double)bench->touching : 0;
}

static void print_forces_json(const Bench *bench)
{
    printf("  \"contacts\": {\"mean\": %.6g, \"max\": %d},\n",
           bench->contact_sum / (double)bench->step_count, (int)bench->most_contacts);
    printf("  \"touching_steps\": %lld,\n", (long long)bench->touching);
    printf("  \"unlearnt_directions\": {\"mean\": %.6g, \"max\": %.6g},\n", mean_unlearnt(bench),
           bench->unlearnt_most);
    printf("  \"deepest\": %.9g,\n", bench->deepest);
    if (pal_haptic_penalty(bench->haptic) > 0)
        printf("  \"penalty\": %.9g,\n", pal_haptic_penalty(bench->haptic));
    printf("  \"force\": {\"max\": %.9g, \"largest_change\": %.9g, "
           "\"largest_relative_change\": %.9g},\n",
           bench->most_force, bench->jump, bench->relative_jump);
    printf("  \"energy\": {\"net\": %.9g, \"most\": %.9g},\n", bench->energy, bench->most_energy);
    if (bench->mass > 0) {
        printf("  \"coupling\": %.9g,\n", bench->coupling);
        print_free_json("rests", &bench->rests);
        print_free_json("let_go", &bench->let_go);
    }
}

static void print_json(const Bench *bench)
{
    printf("{\n  \"steps\": %lld,\n", (long long)bench->step_count);
    print_times_json(bench, "microseconds", bench->microseconds);
    print_times_json(bench, "processor_microseconds", bench->processor);
    printf("  \"prepare_microseconds\": %.3f,\n", bench->prepare / (double)bench->step_count);
    print_times_json(bench, "prepare_processor_microseconds", bench->ahead);
    print_times_json(bench, "whole_microseconds", bench->whole);
    print_histogram_json(bench);
    print_forces_json(bench);
    printf("  \"deadline_microseconds\": %.0f,\n  \"missed_deadlines\": %lld,\n"
           "  \"slower_than_deadline\": %lld,\n",
           1e6 * DEADLINE, (long long)bench->missed, (long long)bench->slow);
    printf("  \"quality\": {");
    for (int q = 0; q <= PAL_HAPTIC_BEYOND; ++q)
        printf("%s\"%s\": %lld", q > 0 ? ", " : "", pal_haptic_quality_name((PalHapticQuality)q),
               (long long)bench->quality[q]);
    printf("},\n  \"bytes\": %zu,\n  \"forces\": [", pal_haptic_bytes(bench->haptic));
    for (int32_t i = 0; i < bench->poses.count; ++i)
        printf("%s[%.9g, %.9g, %.9g]", i > 0 ? ", " : "", bench->forces[i].x, bench->forces[i].y,
               bench->forces[i].z);
    printf("],\n  \"contacts_of_poses\": [");
    for (int32_t i = 0; i < bench->poses.count; ++i)
        printf("%s%d", i > 0 ? ", " : "", (int)bench->contacts[i]);
    printf("]\n}\n");
}

// Plots of times, forces and contacts. False: it cannot be written.
static bool write_page(const Bench *bench, const char *path)
{
    size_t poses = (size_t)bench->poses.count;
    double *forces = calloc(2 * poses, sizeof *forces);
    if (forces == NULL)
        return false;
    for (size_t i = 0; i < poses; ++i) {
        PalVec3 f = bench->forces[i];
        forces[i] = sqrt(f.x * f.x + f.y * f.y + f.z * f.z);
        forces[poses + i] = bench->contacts[i];
    }
    PalCliBenchPage page = {bench->microseconds, bench->step_count, forces, forces + poses,
                            bench->poses.count};
    bool written = pal_cli_bench_page(path, &page);
    free(forces);
    return written;
}

static void print_times(const Bench *bench, const char *name, const double *sorted)
{
    printf("  %-14s half within %.1f, 99 %% within %.1f, 99.9 %% within %.1f, longest %.1f\n", name,
           at_part(bench, sorted, 0.5), at_part(bench, sorted, 0.99), at_part(bench, sorted, 0.999),
           at_part(bench, sorted, 1));
}

static void print_free(const char *name, const PalCliFreeResult *free)
{
    printf("  %-14s %lld steps, received %.3g, at most %.3g in between; went %.3g far\n", name,
           (long long)free->steps, free->energy, free->most, free->farthest);
}

static void print_bounds(const char *name, PalVec3 low, PalVec3 high)
{
    printf("  %-14s from %.6g, %.6g, %.6g to %.6g, %.6g, %.6g\n", name, low.x, low.y, low.z, high.x,
           high.y, high.z);
}

static void widen(PalVec3 *low, PalVec3 *high, PalVec3 at)
{
    *low = (PalVec3){fmin(low->x, at.x), fmin(low->y, at.y), fmin(low->z, at.z)};
    *high = (PalVec3){fmax(high->x, at.x), fmax(high->y, at.y), fmax(high->z, at.z)};
}

// Where everything is, for whoever led the tool past the body.
static void print_missed(const Bench *bench)
{
    PalVec3 low = bench->poses.poses[0].position, high = low;
    for (int32_t i = 1; i < bench->poses.count; ++i)
        widen(&low, &high, bench->poses.poses[i].position);
    printf("the tool touches nothing in any step: no force was computed, and times are of steps "
           "without contact\n");
    print_bounds("poses, all", low, high);
    for (int32_t body = 0; body < 2; ++body) {
        const char *const names[2] = {"body", "tool, at last"};
        int32_t count = pal_haptic_node_count(bench->haptic, body);
        PalVec3 *nodes = calloc((size_t)count, sizeof *nodes);
        if (nodes == NULL)
            return;
        pal_haptic_surface(bench->haptic, body, nodes);
        low = high = nodes[0];
        for (int32_t n = 1; n < count; ++n)
            widen(&low, &high, nodes[n]);
        free(nodes);
        print_bounds(names[body], low, high);
    }
}

// What the force is not, where it is not what it seems.
static void print_doubts(const Bench *bench)
{
    double penalty = pal_haptic_penalty(bench->haptic);
    if (bench->unlearnt_most > SLIGHT)
        printf("  %-14s in the mean of steps with contact %.3g %% of the contact forces, and in "
               "one step up to %.3g %%, are more than %.0f degrees off the directions that a "
               "vademecum was made for\n",
               "directions", 100 * mean_unlearnt(bench), 100 * bench->unlearnt_most,
               PAL_CLI_DEGREES * PAL_VADEMECUM_UNLEARNT);
    if (penalty > 0)
        printf("  %-14s %.4g per point and depth, points stay inside by up to %.4g: the force is "
               "that of this penalty and of so many points, not of contact\n",
               "penalty", penalty, bench->deepest);
}

// How many steps there were of each quality, and what that says.
static void print_qualities(const Bench *bench)
{
    static const char *const words[] = {
        [PAL_HAPTIC_FULL] = "",
        [PAL_HAPTIC_PREDICTED] = ", in which the tool is ahead of corrections",
        [PAL_HAPTIC_COARSE] = ", of fewer points",
        [PAL_HAPTIC_HELD] = ", with the last force",
        [PAL_HAPTIC_BEYOND] = ", more than what was computed before: forces may be off",
    };
    for (int q = 0; q <= PAL_HAPTIC_BEYOND; ++q)
        if (bench->quality[q] > 0)
            printf("  %-14s %lld steps%s\n", pal_haptic_quality_name((PalHapticQuality)q),
                   (long long)bench->quality[q], words[q]);
}

static void print_words(const Bench *bench)
{
    printf("%lld steps, times in microseconds\n", (long long)bench->step_count);
    printf("from a pose to its force, without the work ahead of it:\n");
    print_times(bench, "by the clock", bench->microseconds);
    print_times(bench, "processor", bench->processor);
    printf("work ahead of the next pose, after the force is handed over:\n");
    print_times(bench, "processor", bench->ahead);
    printf("both together:\n");
    print_times(bench, "by the clock", bench->whole);
    printf("  deadline       %.0f: missed by %lld forces; with the work ahead %lld steps take "
           "longer\n",
           1e6 * DEADLINE, (long long)bench->missed, (long long)bench->slow);
    printf("  contacts       %.4g on the average, at most %d, in %lld of the steps\n",
           bench->contact_sum / (double)bench->step_count, (int)bench->most_contacts,
           (long long)bench->touching);
    printf("  force          up to %.6g, changes by %.3g at most from step to step, by %.3g of "
           "itself where it is not small\n",
           bench->most_force, bench->jump, bench->relative_jump);
    print_doubts(bench);
    printf("  energy         the device received %.3g, at most %.3g in between\n", bench->energy,
           bench->most_energy);
    if (bench->mass > 0) {
        printf("  coupling       %.6g between device and tool, mass over step squared\n",
               bench->coupling);
        print_free("rests", &bench->rests);
        print_free("let go", &bench->let_go);
    }
    print_qualities(bench);
    if (bench->touching == 0 && bench->step_count >= bench->poses.count)  // all of the path
        print_missed(bench);
}

int pal_cli_vademecum_bench(const PalCliArguments *arguments)
{
    Bench bench = {0};
    PalError error = {0};
    if (arguments->path == NULL)
        return pal_cli_refuse("vademecum bench: --path is missing: --path POSES.csv");
    PalHapticAnswer answer;
    if (arguments->answer != NULL && !pal_haptic_answer_find(arguments->answer, &answer))
        return pal_cli_refuse("--answer is '%s', expected ours or printed", arguments->answer);
    const char *page = arguments->directory;
    if (pal_cli_is_directory(page))
        return pal_cli_refuse("%s is a directory, expected the name of a file after -o", page);
    if (pal_cli_is_same_file(page, arguments->operands[1]) ||
        pal_cli_is_same_file(page, arguments->against) ||
        pal_cli_is_same_file(page, arguments->path))
        return pal_cli_refuse("%s: the page would be written over what is read, expected another "
                              "name after -o",
                              page);
    pal_cli_signals_catch();
    PalStatus status = open_bench(&bench, arguments, &error);
    int code = PAL_EXIT_DONE;
    if (status != PAL_OK) {
        pal_cli_print_error(arguments->operands[1], &error);
        code = status == PAL_BAD_INPUT ? PAL_EXIT_USAGE : PAL_EXIT_FAILED;
    } else {
        if (!run_steps(&bench) || !run_free(&bench))
            code = PAL_EXIT_INTERRUPTED;  // what there is by then is told
        if (arguments->json)
            print_json(&bench);
        else if (!arguments->quiet)
            print_words(&bench);
    }
    if (code == PAL_EXIT_DONE && page != NULL && !write_page(&bench, page)) {
        fprintf(stderr, "palpate: %s: cannot be written\n", page);
        code = PAL_EXIT_FAILED;
    }
    close_bench(&bench);
    return code;
}
