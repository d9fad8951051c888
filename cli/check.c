// check: everything that can be known without running.
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// Errors are lines of their own, as those of other verbs.
static void print_finding(const char *path, const PalFinding *finding)
{
    static const char *const names[] = {"note", "warning"};
    static const char *const colors[] = {"\033[36m", "\033[33m"};
    if (finding->kind == PAL_FINDING_ERROR) {
        PalError error = {0};
        pal_error_set(&error, PAL_BAD_INPUT, "%s", finding->text);
        fflush(stdout);
        pal_cli_print_error(path, &error);
        return;
    }
    bool color = pal_cli_has_color(STDOUT_FILENO);
    int indent = (int)printf("%s%s%s: ", color ? colors[finding->kind] : "", names[finding->kind],
                             color ? "\033[0m" : "");
    if (color)
        indent -= 9;
    pal_cli_wrap(finding->text, indent, 2);
}

static int print_findings(const char *path, const PalFinding *findings, int32_t count, bool strict)
{
    int32_t counts[3] = {0};
    for (int32_t i = 0; i < count; i++) {
        print_finding(path, &findings[i]);
        counts[findings[i].kind]++;
    }
    int32_t warnings = counts[PAL_FINDING_WARNING], errors = counts[PAL_FINDING_ERROR];
    if (errors > 0)
        return PAL_EXIT_USAGE;
    if (warnings > 0 && strict) {
        fflush(stdout);
        return pal_cli_refuse("%s has %d warning%s, and --strict treats them as errors", path,
                              warnings, warnings == 1 ? "" : "s");
    }
    if (warnings > 0)
        printf("%s can run, with %d warning%s\n", path, warnings, warnings == 1 ? "" : "s");
    else
        printf("%s can run\n", path);
    return PAL_EXIT_DONE;
}

int pal_cli_check(const PalCliArguments *arguments)
{
    const char *path = arguments->operands[0];
    PalSceneOptions options = {.change_count = arguments->change_count,
                               .changes = arguments->changes,
                               .lenient = arguments->lenient};
    PalError error = {0};
    PalScene *scene = NULL;
    PalFinding *findings = NULL;
    int32_t count = 0;
    PalStatus status = pal_scene_read(path, &options, &scene, &error);
    if (status == PAL_OK)
        status = pal_scene_check(scene, &findings, &count, &error);
    int code;
    if (status == PAL_OK) {
        code = print_findings(path, findings, count, arguments->strict);
    } else {
        pal_cli_print_error(path, &error);
        code = status == PAL_NO_MEMORY ? PAL_EXIT_FAILED : PAL_EXIT_USAGE;
    }
    free(findings);
    pal_scene_destroy(scene);
    return code;
}
