// vademecum: build, info, probe; vademecum_bench.c and vademecum_serve.c have the others.
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int status_of(PalStatus status)
{
    return status == PAL_OK            ? PAL_EXIT_DONE
           : status == PAL_BAD_INPUT   ? PAL_EXIT_USAGE
           : status == PAL_INTERRUPTED ? PAL_EXIT_INTERRUPTED
                                       : PAL_EXIT_FAILED;
}

static int fail(const char *path, PalStatus status, const PalError *error)
{
    pal_cli_print_error(path, error);
    return status_of(status);
}

// ---- words and JSON ---------------------------------------------------------------------

static void print_number(double number)
{
    if (isfinite(number))
        printf("%.9g", number);
    else
        printf("null");
}

static void print_vector(const char *name, PalVec3 v, const char *end)
{
    printf("  \"%s\": [", name);
    print_number(v.x);
    printf(", ");
    print_number(v.y);
    printf(", ");
    print_number(v.z);
    printf("]%s\n", end);
}

static void print_text(const char *text)
{
    putchar('"');
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; ++c) {
        if (*c < 0x20 || *c == 0x7f)
            printf("\\u%04x", *c);
        else if (*c == '"' || *c == '\\')
            printf("\\%c", *c);
        else
            putchar(*c);
    }
    putchar('"');
}

static void print_json_error(const char *name, const PalVademecumError *e, const char *end)
{
    printf("    \"%s\": {\"mean\": ", name);
    print_number(e->mean);
    printf(", \"p95\": ");
    print_number(e->most);
    printf(", \"worst\": ");
    print_number(e->worst);
    printf("}%s\n", end);
}

static void print_json_info(PalVademecum *book)
{
    const PalVademecumSize *s = pal_vademecum_size(book);
    const PalVademecumFacts *f = pal_vademecum_facts(book);
    printf("{\n  \"body\": ");
    print_text(pal_vademecum_name(book));
    printf(",\n  \"method\": \"%s\",\n  \"directions\": \"%s\",\n",
           pal_vademecum_method_name(f->method), pal_vademecum_directions_name(f->directions));
    printf("  \"nodes\": %d,\n  \"surface_nodes\": %d,\n  \"cells\": %d,\n", (int)s->node_count,
           (int)s->surface_count, (int)s->cell_count);
    printf("  \"sites\": %d,\n  \"stored_loads\": %d,\n  \"modes\": %d,\n", (int)s->site_count,
           (int)(s->site_count * s->direction_count * s->level_count), (int)s->mode_count);
    printf("  \"sampled_cells\": %d,\n  \"patch\": %.9g,\n  \"largest\": %.9g,\n",
           (int)s->sample_count, f->patch, f->largest);
    if (f->residual > 0)
        printf("  \"residual\": %.9g,\n", f->residual);
    if (s->grid_counts[0] > 0)
        printf("  \"distances\": {\"grid\": [%d, %d, %d], \"products\": %d, \"error\": %.9g},\n",
               (int)s->grid_counts[0], (int)s->grid_counts[1], (int)s->grid_counts[2],
               (int)s->field_rank, f->field_error);
    printf("  \"tolerance_held\": %s,\n", pal_vademecum_holds_tolerance(f) ? "true" : "false");
    printf("  \"tolerance\": %.9g,\n  \"solutions\": %d,\n  \"seconds\": %.9g,\n", f->tolerance,
           (int)f->solution_count, f->seconds);
    printf("  \"processor_seconds\": %.9g,\n  \"bytes\": %zu,\n  \"held_out\": %d,\n",
           f->processor_seconds, pal_vademecum_bytes(book), (int)s->heldout_count);
    printf("  \"errors\": {\n");
    print_json_error("energy", &f->energy, ",");
    print_json_error("load_point", &f->point, ",");
    print_json_error("force", &f->force, "");
    printf("  }\n}\n");
}

static void print_error_row(const char *name, const PalVademecumError *e)
{
    if (!isfinite(e->mean)) {  // nothing was measured
        printf("  %-24s %10s %10s %10s\n", name, "-", "-", "-");
        return;
    }
    printf("  %-24s %8.3f %% %8.3f %% %8.3f %%\n", name, 100 * e->mean, 100 * e->most,
           100 * e->worst);
}

static void print_missed(FILE *stream, const PalVademecumFacts *f)
{
    if (!isfinite(f->point.mean)) {
        fprintf(stream,
                "MISSED: the tolerance is %g %%, and no equilibrium was found under any load held "
                "out; is the largest load too small or too large for the body?\n",
                100 * f->tolerance);
        return;
    }
    fprintf(stream,
            "MISSED: the tolerance is %g %%, the error at the load point is %.3g %% on the "
            "average%s\n",
            100 * f->tolerance, 100 * f->point.mean,
            f->method == PAL_VADEMECUM_AUTO ? "; more modes may help" : "");
}

static void print_info(PalVademecum *book)
{
    const PalVademecumSize *s = pal_vademecum_size(book);
    const PalVademecumFacts *f = pal_vademecum_facts(book);
    char time[32], cpu[32];
    printf("vademecum of ");
    pal_cli_print_shown(stdout, pal_vademecum_name(book));
    printf(", method %s\n", pal_vademecum_method_name(f->method));
    printf("  body           %d nodes, %d of them on the surface, %d tetrahedra\n",
           (int)s->node_count, (int)s->surface_count, (int)s->cell_count);
    printf("  loads          %d sites, directions %s, up to %g, patches of radius %g\n",
           (int)s->site_count, pal_vademecum_directions_name(f->directions), f->largest, f->patch);
    printf("  modes          %d, and %d sampled cells\n", (int)s->mode_count, (int)s->sample_count);
    if (f->residual > 0)
        printf("  residual       forces left out of balance are %.3g times the loads\n",
               f->residual);
    if (s->grid_counts[0] > 0)
        printf("  distances      %d x %d x %d points and %d loads, %d products, off by %.3g at "
               "most\n",
               (int)s->grid_counts[0], (int)s->grid_counts[1], (int)s->grid_counts[2],
               (int)(s->site_count * s->direction_count), (int)s->field_rank, f->field_error);
    printf("  made           from %d equilibria in %s (%s of processor time)\n",
           (int)f->solution_count, pal_cli_duration(f->seconds, time, sizeof time),
           pal_cli_duration(f->processor_seconds, cpu, sizeof cpu));
    printf("  memory         %.1f MB\n", (double)pal_vademecum_bytes(book) / 1e6);
    if (s->heldout_count > 0)
        printf("errors at %d loads held out         mean       95th      worst\n",
               (int)s->heldout_count);
    else  // the compact form has no list of them
        printf("errors at loads held out            mean       95th      worst\n");
    print_error_row("energy norm", &f->energy);
    print_error_row("at the load point", &f->point);
    print_error_row("force", &f->force);
    if (pal_vademecum_holds_tolerance(f))
        printf("the tolerance of %g %% is held at the load point, on the average\n",
               100 * f->tolerance);
    else
        print_missed(stdout, f);
    printf("these are loads on single patches; facets of what touches it come on top of that\n");
}

// ---- build ------------------------------------------------------------------------------

typedef struct Telling {
    bool shown;
    double last;  // seconds
} Telling;

static bool tell(void *context, const PalVademecumProgress *p)
{
    Telling *telling = context;
    if (telling->shown && (p->seconds > telling->last + 0.2 || p->done == 0)) {
        char left[32] = "", error[48] = "", modes[32] = "";
        telling->last = p->seconds;
        if (p->seconds_left >= 0)
            snprintf(left, sizeof left, ", %.0f s left of it", p->seconds_left);
        if (p->error >= 0)
            snprintf(error, sizeof error, ", error %.2g %%", 100 * p->error);
        if (p->mode_count > 0)
            snprintf(modes, sizeof modes, ", %d modes", (int)p->mode_count);
        fprintf(stderr, "\r\033[K%s: %d of %d%s%s, %.0f s%s", p->stage, (int)p->done, (int)p->total,
                modes, error, p->seconds, left);
        fflush(stderr);
    }
    return !pal_cli_interrupted();
}

// The first `length` letters of a path, and an ending. To be freed.
static char *cut_and_end(const char *path, size_t length, const char *ending)
{
    char *text = malloc(length + strlen(ending) + 1);
    if (text != NULL) {
        memcpy(text, path, length);
        strcpy(text + length, ending);
    }
    return text;
}

// Beside a file: report.html, or NAME-report.html where a report.html is there that cannot be this
// file's, since the file was not made yet.
static char *report_beside(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    char *common = cut_and_end(path, (size_t)(name - path), "report.html");
    char *own = cut_and_end(path, dot > name ? (size_t)(dot - path) : strlen(path), "-report.html");
    if (common == NULL || own == NULL) {
        free(common);
        free(own);
        return NULL;
    }
    bool apart = access(own, F_OK) == 0 || (access(common, F_OK) == 0 && access(path, F_OK) != 0);
    free(apart ? common : own);
    return apart ? own : common;
}

static PalStatus write_all(const char *path, PalVademecum *book, const PalCliArguments *arguments,
                           PalError *error)
{
    char *report = report_beside(path);
    PalStatus status = report == NULL   ? pal_error_set(error, PAL_NO_MEMORY, "no memory")
                       : arguments->web ? pal_vademecum_write_web(path, book, error)
                                        : pal_vademecum_write(path, book, error);
    if (status == PAL_OK)
        status = pal_vademecum_write_report(report, book, arguments->thread_count, error);
    if (status == PAL_OK && !arguments->quiet && !arguments->json) {
        printf("wrote ");
        pal_cli_print_shown(stdout, path);
        printf(" and ");
        pal_cli_print_shown(stdout, report);
        putchar('\n');
    }
    free(report);
    return status;
}

static PalStatus build(const PalScene *scene, const char *path, const PalCliArguments *arguments,
                       PalVademecum **book, PalError *error)
{
    PalVademecumDef def = *pal_scene_vademecum(scene);
    PalVademecumPart *part = NULL;
    Telling telling = {.shown = !arguments->quiet && pal_cli_is_terminal(2)};
    char *part_path = cut_and_end(path, strlen(path), ".part");
    if (part_path == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory");
    PalStatus status = pal_vademecum_make_folder(path, error);
    if (status == PAL_OK)
        status =
            pal_vademecum_part_open(part_path, pal_scene_vademecum_identity(scene), &part, error);
    free(part_path);
    if (status != PAL_OK)
        return status;
    if (!arguments->quiet && pal_vademecum_part_count(part) > 0)
        fprintf(stderr, "going on with %d equilibria found before\n",
                (int)pal_vademecum_part_count(part));
    def.memory = pal_vademecum_part_memory(part);
    def.thread_count = arguments->thread_count;
    def.progress = tell;
    def.context = &telling;
    status = pal_vademecum_build(&def, book, error);
    if (telling.shown)
        fprintf(stderr, "\r\033[K");
    if (status == PAL_OK)
        status = write_all(path, *book, arguments, error);
    pal_vademecum_part_close(part, status == PAL_OK);
    return status;
}

static int run_build(const PalCliArguments *arguments)
{
    const char *path = arguments->operands[1], *out = arguments->directory;
    PalSceneOptions options = {.change_count = arguments->change_count,
                               .changes = arguments->changes};
    PalError error = {0};
    PalScene *scene = NULL;
    PalVademecum *book = NULL;
    if (out == NULL)
        return pal_cli_refuse("vademecum build: --output is missing: -o FILE");
    if (pal_cli_is_directory(out))
        return pal_cli_refuse("%s is a directory, expected the name of a file after -o", out);
    if (pal_cli_is_same_file(out, path))
        return pal_cli_refuse("%s: the vademecum would be written over the scene itself, expected "
                              "another name after -o",
                              out);
    PalStatus status = pal_scene_read(path, &options, &scene, &error);
    if (status != PAL_OK)
        return fail(path, status, &error);
    int code;
    if (pal_scene_vademecum(scene) == NULL) {
        pal_error_set(&error, PAL_BAD_INPUT,
                      "%s: the scene has no vademecum, expected the key "
                      "vademecum with body, patch and largest",
                      path);
        code = fail(path, PAL_BAD_INPUT, &error);
    } else {
        pal_cli_signals_catch();
        status = build(scene, out, arguments, &book, &error);
        code = status == PAL_OK ? PAL_EXIT_DONE : fail(path, status, &error);
        if (status == PAL_INTERRUPTED && !arguments->quiet)
            fprintf(stderr, "the same command goes on from here\n");
        if (status == PAL_OK && (arguments->json || arguments->quiet) &&
            !pal_vademecum_holds_tolerance(pal_vademecum_facts(book))) {
            fprintf(stderr, "palpate: ");
            print_missed(stderr, pal_vademecum_facts(book));
        }
        if (status == PAL_OK && arguments->json)
            print_json_info(book);
        else if (status == PAL_OK && !arguments->quiet)
            print_info(book);
    }
    pal_vademecum_destroy(book);
    pal_scene_destroy(scene);
    return code;
}

// ---- info and probe ---------------------------------------------------------------------

static int run_info(const PalCliArguments *arguments)
{
    PalError error = {0};
    PalVademecum *book = NULL;
    PalStatus status = pal_vademecum_read(arguments->operands[1], &book, &error);
    if (status != PAL_OK)
        return fail(arguments->operands[1], status, &error);
    if (arguments->json)
        print_json_info(book);
    else
        print_info(book);
    pal_vademecum_destroy(book);
    return PAL_EXIT_DONE;
}

static bool parse_vector(const char *name, const char *text, PalVec3 *vector)
{
    double numbers[3];
    const char *at = text;
    bool good = text != NULL;
    for (int i = 0; i < 3 && good; ++i) {
        char *end = NULL;
        numbers[i] = strtod(at, &end);
        good = end != at && isfinite(numbers[i]) && *end == (i < 2 ? ',' : '\0');
        at = end + 1;
    }
    if (!good) {
        pal_cli_refuse(text == NULL ? "vademecum probe: --%s is missing: --%s x,y,z"
                                    : "--%s is '%s', expected three numbers: x,y,z",
                       name, text == NULL ? name : text);
        return false;
    }
    *vector = (PalVec3){numbers[0], numbers[1], numbers[2]};
    return true;
}

#define ROUNDING 1e-12  // of a size: less is none

// Without what rounding left of zeros, and their signs.
static double clean(double number, double size)
{
    return fabs(number) > ROUNDING * size ? number : 0;
}

static PalVec3 clean_vector(PalVec3 v, double size)
{
    return (PalVec3){clean(v.x, size), clean(v.y, size), clean(v.z, size)};
}

static double length(PalVec3 v)
{
    return sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

static PalVademecumAnswer clean_answer(const PalVademecumAnswer *answer, double patch)
{
    PalVademecumAnswer a = *answer;
    double moved = fmax(length(a.displacement), length(a.stored_displacement));
    double far = fmax(patch, fmax(length(a.point), length(a.stored_at)));
    a.displacement = clean_vector(a.displacement, moved);
    a.stored_displacement = clean_vector(a.stored_displacement, moved);
    a.stored_force = clean_vector(a.stored_force, length(a.stored_force));
    a.point = clean_vector(a.point, far);
    a.stored_at = clean_vector(a.stored_at, far);
    a.distance = clean(a.distance, far);
    a.angle = clean(a.angle, 1e6);  // a cosine of nearly 1 tells no more
    return a;
}

static void print_answer(const PalVademecumLoad *load, const PalVademecumAnswer *answer,
                         const PalVademecumFacts *facts, bool json)
{
    PalVademecumAnswer clear = clean_answer(answer, facts->patch), *a = &clear;
    double degrees = PAL_CLI_DEGREES * a->angle;
    if (json) {
        printf("{\n");
        print_vector("at", load->at, ",");
        print_vector("force", load->force, ",");
        print_vector("point", a->point, ",");
        printf("  \"distance\": %.9g,\n", a->distance);
        print_vector("displacement", a->displacement, ",");
        printf("  \"nearest\": {\n  ");
        print_vector("at", a->stored_at, ",");
        printf("  ");
        print_vector("force", a->stored_force, ",");
        printf("  ");
        print_vector("displacement", a->stored_displacement, "");
        printf("  },\n  \"degrees_off\": %.9g,\n  \"converged\": %s,\n  \"outside\": %s\n}\n",
               degrees, a->converged ? "true" : "false", a->outside ? "true" : "false");
        return;
    }
    printf("displacement   %.9g, %.9g, %.9g\n", a->displacement.x, a->displacement.y,
           a->displacement.z);
    printf("of the point   %.9g, %.9g, %.9g\n", a->point.x, a->point.y, a->point.z);
    printf("which is       %.3g away from where it was asked for\n", a->distance);
    printf("nearest load   %.9g, %.9g, %.9g at %.9g, %.9g, %.9g\n", a->stored_force.x,
           a->stored_force.y, a->stored_force.z, a->stored_at.x, a->stored_at.y, a->stored_at.z);
    printf("moves it by    %.9g, %.9g, %.9g\n", a->stored_displacement.x, a->stored_displacement.y,
           a->stored_displacement.z);
    if (a->outside)
        printf("the load is larger than any that was given, or acts elsewhere or in another "
               "direction\n");
    if (a->angle > PAL_VADEMECUM_UNLEARNT)
        printf("the force is %.0f degrees off the directions that the vademecum was made for (%s): "
               "its errors do not hold for it\n",
               degrees, pal_vademecum_directions_name(facts->directions));
    if (!a->converged)
        printf("no balance was found under this load\n");
}

static int run_probe(const PalCliArguments *arguments)
{
    const char *path = arguments->operands[1];
    PalVademecumLoad load;
    PalVademecumAnswer answer;
    PalError error = {0};
    PalVademecum *book = NULL;
    PalVademecumWork *work = NULL;
    if (!parse_vector("at", arguments->at, &load.at) ||
        !parse_vector("force", arguments->push, &load.force))
        return PAL_EXIT_USAGE;
    PalStatus status = pal_vademecum_read(path, &book, &error);
    if (status == PAL_OK)
        status = pal_vademecum_work_create(book, &work, &error);
    if (status == PAL_OK)
        pal_vademecum_evaluate(book, work, &load, &answer, NULL);
    double patch = book != NULL ? pal_vademecum_facts(book)->patch : 0;
    if (status == PAL_OK && answer.distance > patch)
        status = pal_error_set(&error, PAL_BAD_INPUT,
                               "%s: the place %.6g, %.6g, %.6g is %.6g away from the surface of "
                               "\"%s\", more than the radius of a patch, %.6g: such a load acts "
                               "on no node",
                               path, load.at.x, load.at.y, load.at.z, answer.distance,
                               pal_vademecum_name(book), patch);
    if (status == PAL_OK)
        print_answer(&load, &answer, pal_vademecum_facts(book), arguments->json);
    pal_vademecum_work_destroy(work);
    pal_vademecum_destroy(book);
    if (status != PAL_OK)
        return fail(path, status, &error);
    return answer.converged ? PAL_EXIT_DONE : PAL_EXIT_FAILED;
}

// ---- which ------------------------------------------------------------------------------

const PalCliTask pal_cli_vademecum_tasks[] = {
    {"build", "compute the vademecum of a scene: build SCENE -o FILE", run_build},
    {"info", "sizes and errors of a vademecum: info FILE", run_info},
    {"probe", "one answer: probe FILE --at x,y,z --force fx,fy,fz", run_probe},
    {"bench", "time a path of a tool: bench FILE [--against FILE] --path POSES.csv",
     pal_cli_vademecum_bench},
    {"serve", "a web page where bodies can be touched: serve FILE... [-o FOLDER]",
     pal_cli_vademecum_serve},
};
const int32_t pal_cli_vademecum_task_count =
    sizeof pal_cli_vademecum_tasks / sizeof pal_cli_vademecum_tasks[0];

int pal_cli_vademecum(const PalCliArguments *arguments)
{
    const char *names[8];
    for (int32_t i = 0; i < pal_cli_vademecum_task_count; ++i) {
        const PalCliTask *task = &pal_cli_vademecum_tasks[i];
        names[i] = task->name;
        if (strcmp(arguments->operands[0], task->name) != 0)
            continue;
        if (arguments->operand_count < 2)
            return pal_cli_refuse("vademecum %s: a file is missing", task->name);
        if (arguments->operand_count > 2 && task->run != pal_cli_vademecum_serve)
            return pal_cli_refuse("vademecum %s: unexpected '%s', expected one file", task->name,
                                  arguments->operands[2]);
        return task->run(arguments);
    }
    const char *nearest =
        pal_cli_nearest(arguments->operands[0], names, pal_cli_vademecum_task_count);
    if (nearest != NULL)
        return pal_cli_refuse("vademecum: unknown '%s'; did you mean '%s'?", arguments->operands[0],
                              nearest);
    return pal_cli_refuse("vademecum: unknown '%s'; 'palpate help vademecum' lists what there is",
                          arguments->operands[0]);
}
