// impact: when and where objects first touch.
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SHOWN 4  // of the first and of the last predictions, where they are many

static const char *kind_name(PalContactKind kind)
{
    return kind == PAL_CONTACT_NODE_FACET ? "node-facet" : "edge-edge";
}

static const char *object_name(const PalScene *scene, int32_t object)
{
    const PalModelDef *model = &pal_scene_sim(scene)->model;
    return object < model->body_count ? model->bodies[object].name
                                      : model->rigids[object - model->body_count].name;
}

// ---- JSON -------------------------------------------------------------------------------

static void print_number(double number)
{
    if (isfinite(number))
        printf("%.17g", number + 0.0);  // no -0
    else
        printf("null");
}

static void print_vector(const char *name, const PalVec3 *vector)
{
    printf("\"%s\": ", name);
    if (vector == NULL) {
        printf("null");
        return;
    }
    const double parts[3] = {vector->x, vector->y, vector->z};
    for (int i = 0; i < 3; ++i) {
        printf(i == 0 ? "[" : ", ");
        print_number(parts[i]);
    }
    printf("]");
}

static void print_text(const char *text)
{
    putchar('"');
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; ++c) {
        if (*c < 0x20)
            printf("\\u%04x", *c);
        else if (*c == '"' || *c == '\\')
            printf("\\%c", *c);
        else
            putchar(*c);
    }
    putchar('"');
}

// Without an impact, everything is null.
static void print_json_impact(const PalScene *scene, const PalImpact *impact, const char *indent)
{
    printf("%s\"time\": ", indent);
    print_number(impact != NULL ? impact->time : NAN);
    printf(",\n%s", indent);
    print_vector("place", impact != NULL ? &impact->place : NULL);
    printf(",\n%s\"objects\": ", indent);
    if (impact != NULL) {
        printf("[");
        print_text(object_name(scene, impact->objects[0]));
        printf(", ");
        print_text(object_name(scene, impact->objects[1]));
        printf("]");
    } else {
        printf("null");
    }
    printf(",\n%s\"kind\": ", indent);
    printf(impact != NULL ? "\"%s\"" : "null", impact != NULL ? kind_name(impact->kind) : "");
    printf(",\n%s", indent);
    print_vector("normal", impact != NULL ? &impact->normal : NULL);
    printf(",\n%s", indent);
    print_vector("relative_velocity", impact != NULL ? &impact->relative_velocity : NULL);
}

static void print_json(const PalScene *scene, const PalImpacts *impacts, bool all)
{
    printf("{\n");
    print_json_impact(scene, impacts->count > 0 ? &impacts->items[0] : NULL, "  ");
    printf(",\n  \"predictions\": [");
    for (int32_t i = 0; i < impacts->prediction_count; ++i) {
        printf(i > 0 ? ", " : "");
        print_number(impacts->predictions[i]);
    }
    printf("],\n  \"wakes\": %lld,\n  \"steps\": %lld", (long long)impacts->wakes,
           (long long)impacts->steps);
    if (all)
        printf(",\n  \"all\": [");
    for (int32_t i = 0; all && i < impacts->count; ++i) {
        printf(i > 0 ? ",\n    {\n" : "\n    {\n");
        print_json_impact(scene, &impacts->items[i], "      ");
        printf("\n    }");
    }
    printf(all ? "%s]\n}\n" : "\n}\n", all && impacts->count > 0 ? "\n  " : "");
}

// ---- words ------------------------------------------------------------------------------

static void print_line(const char *name, const PalVec3 *vector)
{
    printf("  %-18s (%.9g, %.9g, %.9g)\n", name, vector->x + 0.0, vector->y + 0.0, vector->z + 0.0);
}

static void print_impact(const PalScene *scene, const PalImpact *impact)
{
    bool same = impact->objects[0] == impact->objects[1];
    pal_cli_print_shown(stdout, object_name(scene, impact->objects[0]));
    printf(same ? "%s" : " and %s", same ? " meets itself" : "");
    if (!same) {
        pal_cli_print_shown(stdout, object_name(scene, impact->objects[1]));
        printf(" meet");
    }
    printf(" at time %.12g\n", impact->time);
    print_line("place", &impact->place);
    printf("  %-18s %s\n", "kind", kind_name(impact->kind));
    print_line("normal", &impact->normal);
    print_line("relative velocity", &impact->relative_velocity);
}

static void print_words(const PalScene *scene, const PalImpacts *impacts)
{
    for (int32_t i = 0; i < impacts->count; ++i)
        print_impact(scene, &impacts->items[i]);
    if (impacts->count == 0)
        printf("nothing meets until the end at time %g\n", impacts->end_time);
    printf("detection worked in %lld of %lld steps and slept in %lld\n", (long long)impacts->wakes,
           (long long)impacts->steps, (long long)(impacts->steps - impacts->wakes));
    int32_t count = impacts->prediction_count;
    for (int32_t i = 0; i < count; ++i) {
        if (i == SHOWN && count > 2 * SHOWN) {
            i = count - SHOWN;
            printf(", ...");
        }
        printf(i == 0 ? "nothing was predicted to meet before %.9g" : ", %.9g",
               impacts->predictions[i]);
    }
    if (count > 0)
        printf("\n");
}

// ---- asking -----------------------------------------------------------------------------

static bool go_on(void *context, double time, double end_time)
{
    (void)context, (void)time, (void)end_time;
    return !pal_cli_interrupted();
}

// Runs the scene until the impact, or to its end where there is none.
static int run_until(const char *path, const PalCliArguments *arguments, const PalImpacts *impacts)
{
    PalCliArguments run = *arguments;
    run.quiet = true;
    run.stop_time = impacts->count > 0 ? impacts->items[0].time : 0;
    return pal_cli_run_scene(path, &run);
}

static int status_of(PalStatus status)
{
    return status == PAL_OK            ? PAL_EXIT_DONE
           : status == PAL_BAD_INPUT   ? PAL_EXIT_USAGE
           : status == PAL_INTERRUPTED ? PAL_EXIT_INTERRUPTED
                                       : PAL_EXIT_FAILED;
}

int pal_cli_impact(const PalCliArguments *arguments)
{
    const char *path = arguments->operands[0];
    PalSceneOptions options = {.change_count = arguments->change_count,
                               .changes = arguments->changes};
    PalError error = {0};
    PalScene *scene = NULL;
    PalImpacts impacts = {0};
    if (arguments->directory != NULL && !arguments->stop)
        return pal_cli_refuse("impact: --output has no effect without --stop");
    PalStatus status = pal_scene_read(path, &options, &scene, &error);
    if (status != PAL_OK) {
        pal_cli_print_error(path, &error);
        return status == PAL_NO_MEMORY ? PAL_EXIT_FAILED : PAL_EXIT_USAGE;
    }
    PalSimDef def = *pal_scene_sim(scene);
    if (arguments->thread_count > 0)
        def.solver.thread_count = arguments->thread_count;
    PalImpactOptions wish = {.all = arguments->all, .progress = go_on};
    pal_cli_signals_catch();
    status = pal_impacts_find(&def, &wish, &impacts, &error);
    int code = status_of(status);
    if (status == PAL_OK && arguments->json)
        print_json(scene, &impacts, arguments->all);
    else if (status == PAL_OK && !arguments->quiet)
        print_words(scene, &impacts);
    else if (status != PAL_OK)
        pal_cli_print_error(path, &error);
    fflush(stdout);
    if (status == PAL_OK && arguments->stop)
        code = run_until(path, arguments, &impacts);
    pal_impacts_clear(&impacts);
    pal_scene_destroy(scene);
    return code;
}
