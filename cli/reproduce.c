// reproduce: the papers' experiments, published figures beside ours.
#include "cli.h"

#include <experiments/lab/lab.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_FOLDER "reproduce"

typedef struct Line {
    bool shown;
} Line;

static bool proceed(void *context, const char *text, double part)
{
    const Line *line = context;
    if (line->shown)
        fprintf(stderr, "\r\033[K%3.0f %%  %s", 100 * part, text);
    return !pal_cli_interrupted();
}

static void wipe(const Line *line)
{
    if (line->shown)
        fprintf(stderr, "\r\033[K");
}

void pal_cli_offer_experiments(void (*offer)(const char *word, const char *help))
{
    const PalExperiment *experiment;
    offer("all", "every experiment but those that take too long");
    for (int32_t i = 0; (experiment = pal_experiment(i)) != NULL; ++i)
        offer(experiment->name, experiment->title);
}

static void print_list(void)
{
    const PalExperiment *experiment;
    for (int32_t i = 0; (experiment = pal_experiment(i)) != NULL; ++i)
        printf("%-16s  %-12s  %s\n", experiment->name, experiment->paper, experiment->title);
}

static int refuse_name(const char *name)
{
    const char *names[64];
    int32_t count = 0;
    for (; count < 63 && pal_experiment(count) != NULL; ++count)
        names[count] = pal_experiment(count)->name;
    names[count++] = "all";
    const char *nearest = pal_cli_nearest(name, names, count);
    if (nearest != NULL)
        return pal_cli_refuse("there is no experiment '%s'; did you mean '%s'?", name, nearest);
    return pal_cli_refuse("there is no experiment '%s'; 'palpate reproduce --list' lists them",
                          name);
}

static void print_rows(const PalLab *lab, int32_t first)
{
    for (int32_t i = first; i < pal_lab_row_count(lab); ++i) {
        PalToldRow row = pal_lab_told(lab, i);
        char published[32] = "", goal[64] = "";
        if (!isnan(row.published))
            snprintf(published, sizeof published, "(%.4g)", row.published);
        if (!isnan(row.goal))
            snprintf(goal, sizeof goal, ", goal %.4g %s", row.goal, row.met ? "met" : "missed");
        printf("  %-12s %-34s %-44s %9.4g %-9s %s%s\n", row.place, row.line, row.quantity, row.ours,
               published, pal_verdict_name(row.verdict), goal);
    }
    fflush(stdout);
}

// What `all` leaves out is said, and how to have it.
static void tell_apart(const PalExperiment *experiment, const PalCliArguments *arguments)
{
    if (!arguments->quiet && !arguments->json)
        printf("%s: left out, as %s: palpate reproduce %s\n", experiment->name, experiment->apart,
               experiment->name);
}

// Runs one or all. If one fails, the others are run all the same; the page has what was found out.
static PalStatus run(PalLab *lab, const PalExperiment *only, const PalCliArguments *arguments,
                     const Line *line, PalError *error)
{
    PalStatus status = PAL_OK;
    const PalExperiment *experiment;
    for (int32_t e = 0; status != PAL_INTERRUPTED && (experiment = pal_experiment(e)) != NULL;
         ++e) {
        if (only != NULL && experiment != only)
            continue;
        if (only == NULL && experiment->apart != NULL && !arguments->quick) {
            tell_apart(experiment, arguments);
            continue;
        }
        int32_t first = pal_lab_row_count(lab);
        PalError trouble = {0};
        PalStatus one = pal_lab_run(lab, experiment, &trouble);
        wipe(line);
        if (one == PAL_INTERRUPTED || (one != PAL_OK && status == PAL_OK)) {
            *error = trouble;
            status = one;
        }
        if (!arguments->quiet && !arguments->json) {
            printf("%s: %s\n", experiment->name, one == PAL_OK ? experiment->title : "failed");
            print_rows(lab, first);
        }
    }
    PalError page_error = {0};
    PalStatus page = pal_lab_report(lab, &page_error);
    if (status == PAL_OK && page != PAL_OK)
        return pal_error_set(error, page, "%s", page_error.text);
    return status;
}

static int tell(const PalLab *lab, PalStatus status, const PalCliArguments *arguments,
                const PalError *error)
{
    if (arguments->json)
        pal_lab_write_json(lab, stdout);
    else if (!arguments->quiet)
        printf("report: %s/report.html\n", pal_lab_folder(lab));
    if (status == PAL_OK)
        return PAL_EXIT_DONE;
    fflush(stdout);
    pal_cli_refuse("%s", error->text);
    return status == PAL_INTERRUPTED ? PAL_EXIT_INTERRUPTED : PAL_EXIT_FAILED;
}

int pal_cli_reproduce(const PalCliArguments *arguments)
{
    const char *name = arguments->operand_count > 0 ? arguments->operands[0] : "all";
    const PalExperiment *only = pal_experiment_find(name);
    if (arguments->list) {
        print_list();
        return PAL_EXIT_DONE;
    }
    if (only == NULL && strcmp(name, "all") != 0)
        return refuse_name(name);
    char *scenes = pal_cli_scenes_folder();
    if (scenes == NULL)
        return pal_cli_refuse("cannot find the scenes that ship with palpate");
    Line line = {!arguments->quiet && pal_cli_is_terminal(STDERR_FILENO)};
    PalLabDef def = {
        .folder = arguments->directory != NULL ? arguments->directory : DEFAULT_FOLDER,
        .scenes = scenes,
        .quick = arguments->quick,
        .thread_count = arguments->thread_count,
        .proceed = proceed,
        .context = &line,
    };
    PalError error = {0};
    PalLab *lab = NULL;
    pal_cli_signals_catch();
    PalStatus status = pal_lab_create(&def, &lab, &error);
    free(scenes);
    if (status != PAL_OK) {
        pal_cli_refuse("%s", error.text);
        return PAL_EXIT_USAGE;
    }
    status = run(lab, only, arguments, &line, &error);
    int code = tell(lab, status, arguments, &error);
    pal_lab_destroy(lab);
    return code;
}
