// The solver and the output of a scene.
#include "scene/reader.h"

#include <string.h>

static PalStatus read_whole(PalSceneReader *reader, PalTreeNode *map, const char *key,
                            int64_t highest, int64_t *value)
{
    double number = (double)*value;
    PAL_TRY(pal_scene_number(reader, map, key, &number));
    if (number > (double)highest)
        return PAL_SCENE_FAIL(reader, pal_tree_get(map, key), "%s is %.0f, expected at most %lld",
                              key, number, (long long)highest);
    *value = (int64_t)number;
    return PAL_OK;
}

static PalStatus read_step(PalSceneReader *reader, PalTreeNode *map, PalSolverDef *def)
{
    const char *word = "auto";
    const PalTreeNode *step = pal_tree_get(map, "step");
    def->step = 0;
    if (step == NULL || !step->is_number)
        return pal_scene_word(reader, map, "step", &word);
    def->step = step->number;
    return PAL_OK;
}

static PalStatus read_steps(PalSceneReader *reader, PalTreeNode *map, PalSolverDef *def)
{
    enum { MOST = 1000000 };
    int64_t steps = 0;
    const PalTreeNode *given = pal_tree_get(map, "steps");
    if (given == NULL)
        return PAL_OK;
    if (pal_method_in_time(def->method) || !pal_method_is_implicit(def->method))
        return PAL_SCENE_FAIL(reader, given, "steps has no effect with method %s, expected step",
                              pal_method_name(def->method));
    if (def->step > 0)
        return PAL_SCENE_FAIL(reader, given, "steps and step are both given, expected one of them");
    PAL_TRY(read_whole(reader, map, "steps", MOST, &steps));
    def->step = def->time / (double)steps;
    return PAL_OK;
}

static PalStatus read_scheme(PalSceneReader *reader, PalTreeNode *map, PalSolverDef *def)
{
    const char *word = pal_scheme_name(def->scheme);
    const char *const names[] = {"scheme", "numerical-damping"};
    bool implicit = pal_method_is_implicit(def->method) && pal_method_in_time(def->method);
    for (int i = 0; i < 2; ++i)
        if (pal_tree_get(map, names[i]) != NULL && !implicit)
            return PAL_SCENE_FAIL(reader, pal_tree_get(map, names[i]),
                                  "%s has no effect with method %s, expected method: implicit",
                                  names[i], pal_method_name(def->method));
    if (!implicit)
        return PAL_OK;
    PAL_TRY(pal_scene_word(reader, map, "scheme", &word));
    pal_scheme_find(word, &def->scheme);
    const PalTreeNode *damping = pal_tree_get(map, "numerical-damping");
    if (damping != NULL && def->scheme != PAL_SCHEME_HHT)
        return PAL_SCENE_FAIL(reader, damping,
                              "numerical-damping has no effect with scheme %s, expected hht", word);
    if (def->scheme != PAL_SCHEME_HHT)
        return PAL_OK;
    PAL_TRY(pal_scene_number(reader, map, "numerical-damping", &def->numerical_damping));
    if (def->numerical_damping > PAL_NUMERICAL_DAMPING_MAX)
        return PAL_SCENE_FAIL(reader, damping, "numerical-damping is %g, expected at most 1/3",
                              def->numerical_damping);
    return PAL_OK;
}

static PalStatus read_path(PalSceneReader *reader, PalTreeNode *map, PalSolverDef *def)
{
    const char *word = pal_path_name(def->path);
    const PalTreeNode *given = pal_tree_get(map, "path");
    if (pal_method_in_time(def->method) || !pal_method_is_implicit(def->method))
        return given == NULL ? PAL_OK
                             : PAL_SCENE_FAIL(reader, given,
                                              "path has no effect with method %s, expected method: "
                                              "implicit-static",
                                              pal_method_name(def->method));
    PAL_TRY(pal_scene_word(reader, map, "path", &word));
    pal_path_find(word, &def->path);
    return PAL_OK;
}

static PalStatus read_linear(PalSceneReader *reader, PalTreeNode *map, PalSolverDef *def)
{
    const char *word = pal_linear_name(def->linear);
    const PalTreeNode *given = pal_tree_get(map, "linear");
    if (!pal_method_is_implicit(def->method))
        return given == NULL ? PAL_OK
                             : PAL_SCENE_FAIL(reader, given,
                                              "linear has no effect with method %s, expected an "
                                              "implicit method",
                                              pal_method_name(def->method));
    PAL_TRY(pal_scene_word(reader, map, "linear", &word));
    pal_linear_find(word, &def->linear);
    return PAL_OK;
}

PalStatus pal_scene_read_solver(PalSceneReader *reader, PalTreeNode *map)
{
    PalSolverDef *def = &reader->scene->sim.solver;
    *def = pal_solver_def_default();
    const char *method = pal_method_name(def->method);
    PAL_TRY(pal_scene_word(reader, map, "method", &method));
    if (!pal_method_find(method, &def->method))
        return PAL_SCENE_FAIL(reader, pal_tree_get(map, "method"), "unknown method %s", method);
    if (!pal_method_in_time(def->method))
        def->time = 1;
    else if (pal_tree_get(map, "time") == NULL)
        return PAL_SCENE_FAIL(
            reader, map,
            "the solver has no time, expected time: the end of the simulation, a number above 0");
    PAL_TRY(pal_scene_number(reader, map, "time", &def->time));
    PAL_TRY(read_step(reader, map, def));
    PAL_TRY(read_steps(reader, map, def));
    PAL_TRY(read_scheme(reader, map, def));
    PAL_TRY(read_path(reader, map, def));
    PAL_TRY(read_linear(reader, map, def));
    PAL_TRY(pal_scene_number(reader, map, "damping", &def->damping));
    PAL_TRY(pal_scene_number(reader, map, "safety", &def->safety));
    PAL_TRY(pal_scene_number(reader, map, "mass-scaling", &def->mass_scaling_step));
    PAL_TRY(pal_scene_number(reader, map, "tolerance", &def->tolerance));
    PAL_TRY(read_whole(reader, map, "steps-limit", INT64_C(1000000000000), &def->step_limit));
    int64_t threads = def->thread_count;
    PAL_TRY(read_whole(reader, map, "threads", PAL_THREAD_MAX, &threads));
    def->thread_count = (int32_t)threads;
    if (def->step > def->time)
        return PAL_SCENE_FAIL(reader, pal_tree_get(map, "step"),
                              "step is %g, expected at most the time, %g", def->step, def->time);
    if (def->step > 0 && pal_method_in_time(def->method) &&
        !(def->time / def->step <= PAL_STEPS_MAX))
        return PAL_SCENE_FAIL(reader, pal_tree_get(map, "step"),
                              "step is %g, which makes %.3g steps until time %g, expected at most "
                              "%g",
                              def->step, def->time / def->step, def->time, PAL_STEPS_MAX);
    if (reader->span == 0)
        reader->span = def->time;
    PAL_TRY(pal_scene_number(reader, map, "span", &reader->span));
    reader->scene->sim.model.end_time = def->time;
    reader->scene->sim.model.mass_scaling_step = def->mass_scaling_step;
    return PAL_OK;
}

static PalStatus read_fields(PalSceneReader *reader, PalTreeNode *map, PalOutputDef *def)
{
    def->fields[PAL_FIELD_CONTACT] = pal_contact_def_touches(&reader->scene->sim.contact);
    PalTreeNode *list = pal_tree_get(map, "fields");
    if (list == NULL) {
        list = pal_tree_new(reader->tree, PAL_TREE_LIST, map);
        bool done = list != NULL;
        for (int i = 0; i < PAL_FIELD_COUNT && done; ++i)
            if (def->fields[i])
                done =
                    pal_tree_put(reader->tree, list, NULL,
                                 pal_tree_new_text(reader->tree, map, pal_field_name((PalField)i)));
        if (!done || !pal_tree_put(reader->tree, map, "fields", list))
            return pal_tree_no_memory(reader->error);
        return PAL_OK;
    }
    memset(def->fields, 0, sizeof def->fields);
    for (int32_t i = 0; i < list->count; ++i) {
        PalField field;
        if (pal_field_find(list->items[i].value->text, &field))
            def->fields[field] = true;
    }
    return PAL_OK;
}

PalStatus pal_scene_read_output(PalSceneReader *reader, PalTreeNode *map)
{
    enum { FRAMES = 50, FRAMES_MAX = 1000000 };
    PalOutputDef *def = &reader->scene->output;
    double end = reader->scene->sim.solver.time;
    def->every = reader->span / FRAMES;
    PAL_TRY(pal_scene_number(reader, map, "every", &def->every));
    def->history = def->every;
    PAL_TRY(pal_scene_number(reader, map, "history", &def->history));
    PAL_TRY(read_fields(reader, map, def));
    const char *precision = pal_precision_name(def->precision);
    PAL_TRY(pal_scene_word(reader, map, "precision", &precision));
    pal_precision_find(precision, &def->precision);
    PAL_TRY(pal_scene_number(reader, map, "checkpoint", &def->checkpoint_seconds));
    PAL_TRY(pal_scene_flag(reader, map, "report", &def->report));
    const PalTreeNode *every = pal_tree_get(map, "every");
    if (def->every > end)
        return PAL_SCENE_FAIL(reader, every, "every is %g, expected at most the solver's time, %g",
                              def->every, end);
    if (end / def->every > FRAMES_MAX)
        return PAL_SCENE_FAIL(reader, every,
                              "every is %g, which makes %.3g frames, expected at most a million",
                              def->every, end / def->every);
    const PalTreeNode *history = pal_tree_get(map, "history");
    if (def->history > def->every)
        return PAL_SCENE_FAIL(reader, history,
                              "history is %g, expected at most every, %g: each frame has its row",
                              def->history, def->every);
    if (end / def->history > FRAMES_MAX)
        return PAL_SCENE_FAIL(reader, history,
                              "history is %g, which makes %.3g rows, expected at most a million",
                              def->history, end / def->history);
    return PAL_OK;
}
