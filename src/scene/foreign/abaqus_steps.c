// *STEP and its procedure, and what becomes of loads through several steps.
#include "scene/foreign/abaqus.h"

#include <float.h>
#include <math.h>
#include <string.h>

static int32_t step_of(const PalAbaqus *abaqus)
{
    return abaqus->steps.count;
}

// ---- steps ------------------------------------------------------------------------------------

static PalStatus read_step(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword)
{
    PalForeign *model = abaqus->model;
    static const char *const known[] = {"NLGEOM",      "INC",           "NAME",
                                        "AMPLITUDE",   "EXTRAPOLATION", "UNSYMM",
                                        "CONVERT SDI", "SOLVER",        NULL};
    PAL_TRY(pal_abaqus_know(abaqus, keyword, known));
    PalToken nonlinear = pal_abaqus_parameter(keyword, "NLGEOM");
    PalToken amplitude = pal_abaqus_parameter(keyword, "AMPLITUDE");
    if (amplitude.size > 0)
        PAL_TRY(pal_foreign_lose(model, keyword->line,
                                 "AMPLITUDE=%s of *STEP is not read, expected an amplitude of each "
                                 "load",
                                 pal_token_quote(amplitude).text));
    abaqus->nonlinear =
        abaqus->nonlinear || (nonlinear.text != NULL && !pal_token_is_like(nonlinear, "NO"));
    if (!abaqus->nonlinear)
        pal_foreign_warn(model, keyword->line,
                         "a step without NLGEOM is linear in Abaqus; large deformation is computed "
                         "here");
    double start = step_of(abaqus) > 0 ? abaqus->steps.items[step_of(abaqus) - 1].end : 0;
    PalAbaqusStep step = {.line = keyword->line, .start = start, .end = start + 1};
    if (!pal_array_push(&abaqus->steps, step))
        return pal_foreign_no_memory(model);
    return pal_abaqus_skip(abaqus);
}

// First increment, duration, ...
static PalStatus read_procedure(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword, bool dynamic)
{
    PalForeign *model = abaqus->model;
    static const char *const known[] = {
        "DIRECT",  "SOLVER", "STABILIZE", "FACTOR",      "ALLSDTOL", "ALPHA",         "HAFTOL",
        "INITIAL", "NOHAF",  "EXPLICIT",  "APPLICATION", "CONTINUE", "FULLY PLASTIC", NULL};
    double values[8] = {0};
    int32_t count;
    PAL_TRY(pal_abaqus_know(abaqus, keyword, known));
    if (step_of(abaqus) == 0)
        return pal_foreign_fail(model, keyword->line, "a procedure outside of a *STEP");
    PAL_TRY(pal_abaqus_numbers(abaqus, values, 8, &count));
    PalAbaqusStep *step = &abaqus->steps.items[step_of(abaqus) - 1];
    step->dynamic = dynamic;
    if (count > 1 && values[1] > 0)
        step->end = step->start + values[1];
    else if (dynamic)
        return pal_foreign_fail(model, abaqus->data_line,
                                "a dynamic step without its duration, expected one");
    if (step_of(abaqus) > 1 && dynamic != abaqus->steps.items[0].dynamic)
        return pal_foreign_fail(model, keyword->line,
                                "a %s step after a %s one, expected steps of one kind",
                                dynamic ? "dynamic" : "static", dynamic ? "static" : "dynamic");
    return PAL_OK;
}

PalStatus pal_abaqus_step(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword, bool *known)
{
    *known = true;
    if (pal_abaqus_is(keyword, "STEP"))
        return read_step(abaqus, keyword);
    if (pal_abaqus_is(keyword, "STATIC"))
        return read_procedure(abaqus, keyword, false);
    if (pal_abaqus_is(keyword, "DYNAMIC"))
        return read_procedure(abaqus, keyword, true);
    *known = false;
    return PAL_OK;
}

// ---- loads from step to step ------------------------------------------------------------------

static bool holds(PalForeignKind kind)
{
    return kind == PAL_FOREIGN_DISPLACE;
}

static PalAbaqusChange *last_change(PalAbaqusLoad *load)
{
    return &load->changes.items[load->changes.count - 1];
}

// What a load acts on: 0: nothing together, 1: some, 2: the same.
static int compare_lists(const int32_t *a, int32_t a_count, const int32_t *b, int32_t b_count)
{
    int32_t i = 0, j = 0, met = 0;
    while (i < a_count && j < b_count) {
        met += a[i] == b[j];
        int32_t left = a[i], right = b[j];
        i += left <= right;
        j += right <= left;
    }
    return met == 0 ? 0 : met == a_count && met == b_count ? 2 : 1;
}

static int compare_groups(const PalForeign *model, const PalAbaqusLoad *a, const PalAbaqusLoad *b)
{
    if (a->group == NULL || b->group == NULL)
        return a->group == b->group ? 2 : 1;
    if (a->group_index == b->group_index)
        return 2;
    const PalGroup *first = &model->mesh->groups[a->group_index];
    const PalGroup *second = &model->mesh->groups[b->group_index];
    int nodes = compare_lists(first->nodes, first->node_count, second->nodes, second->node_count);
    if (a->kind != PAL_FOREIGN_PRESSURE || nodes == 0)
        return nodes;
    // faces are sorted
    if (first->face_count == second->face_count &&
        memcmp(first->faces, second->faces, (size_t)first->face_count * sizeof *first->faces) == 0)
        return 2;
    for (int32_t i = 0; i < first->face_count; ++i)
        for (int32_t j = 0; j < second->face_count; ++j)
            if (memcmp(first->faces[i], second->faces[j], sizeof *first->faces) == 0)
                return 1;
    return 0;
}

static bool has_direction(const PalAbaqusLoad *load, const double *direction)
{
    return memcmp(load->direction, direction, sizeof load->direction) == 0;
}

static PalStatus add_load(PalAbaqus *abaqus, const PalAbaqusLoad *load,
                          const PalAbaqusChange *change)
{
    PalAbaqusLoad made = {.kind = load->kind,
                          .line = change->line,
                          .group = load->group,
                          .group_index = load->group_index};
    memcpy(made.direction, load->direction, sizeof made.direction);
    if (!pal_array_push(&abaqus->loads, made) ||
        !pal_array_push(&abaqus->loads.items[abaqus->loads.count - 1].changes, *change))
        return pal_foreign_no_memory(abaqus->model);
    return PAL_OK;
}

// Whether a load of this kind comes from an earlier step. Loads are in the order of their steps.
static bool has_former(const PalAbaqus *abaqus, PalForeignKind kind, int32_t step)
{
    for (int32_t i = 0; i < abaqus->loads.count; ++i)
        if (abaqus->loads.items[i].kind == kind)
            return abaqus->loads.items[i].changes.items[0].step < step;
    return false;
}

// In one step loads on the same nodes add up; in a later one they replace those of before.
static PalStatus push_one(PalAbaqus *abaqus, const PalAbaqusLoad *load,
                          const PalAbaqusChange *change)
{
    PalForeign *model = abaqus->model;
    PalAbaqusLoad *same = NULL;
    // without one of an earlier step, a force has nothing to replace
    int32_t others =
        holds(load->kind) || has_former(abaqus, load->kind, change->step) ? abaqus->loads.count : 0;
    for (int32_t i = 0; i < others; ++i) {
        PalAbaqusLoad *other = &abaqus->loads.items[i];
        if (other->kind != load->kind || !has_direction(other, load->direction))
            continue;
        PalAbaqusChange *last = last_change(other);
        bool former = last->step < change->step;
        if (!former && !(holds(load->kind) && other->group_index == load->group_index))
            continue;
        int shared = compare_groups(model, other, load);
        if (shared == 2 && !(last->removed && last->step == change->step))
            same = other;
        else if (shared == 1 && former && !last->removed &&
                 (last->value != change->value || last->curve != change->curve))
            return pal_foreign_fail(model, change->line,
                                    "this changes a part of what line %d says in another step, "
                                    "expected the same nodes or faces in both",
                                    (int)other->line);
    }
    if (same == NULL)
        return add_load(abaqus, load, change);
    PalAbaqusChange *last = last_change(same);
    if (last->step < change->step)
        return pal_array_push(&same->changes, *change) ? PAL_OK : pal_foreign_no_memory(model);
    if (last->value == change->value && last->curve == change->curve)
        return PAL_OK;
    return pal_foreign_fail(model, change->line,
                            "a second value for the same nodes and freedom in one step, expected "
                            "one");
}

PalStatus pal_abaqus_push(PalAbaqus *abaqus, const PalAbaqusLoad *load,
                          const PalAbaqusChange *change)
{
    PalAbaqusLoad one = *load;
    const PalMesh *mesh = abaqus->model->mesh;
    // most often the group was made just now
    one.group_index = load->group != NULL ? mesh->group_count - 1 : PAL_NONE;
    while (one.group_index >= 0 && strcmp(mesh->groups[one.group_index].name, load->group) != 0)
        --one.group_index;
    if (!holds(load->kind))
        return push_one(abaqus, &one, change);
    for (int k = 0; k < 3; ++k) {
        if (load->direction[k] == 0)
            continue;
        memset(one.direction, 0, sizeof one.direction);
        one.direction[k] = 1;
        PAL_TRY(push_one(abaqus, &one, change));
    }
    return PAL_OK;
}

static int which_of(PalForeignKind kind)
{
    return holds(kind) ? 0 : kind == PAL_FOREIGN_FORCE ? 1 : 2;
}

PalStatus pal_abaqus_clear_loads(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword, int which)
{
    PalForeign *model = abaqus->model;
    int32_t step = step_of(abaqus);
    if (!pal_token_is_like(pal_abaqus_parameter(keyword, "OP"), "NEW") ||
        abaqus->cleared_step[which] == step)
        return PAL_OK;
    abaqus->cleared_step[which] = step;
    for (int32_t i = 0; i < abaqus->loads.count; ++i) {
        PalAbaqusLoad *load = &abaqus->loads.items[i];
        if (which_of(load->kind) != which || last_change(load)->step >= step)
            continue;
        PalAbaqusChange gone = {step, keyword->line, 0, PAL_NONE, true};
        if (!pal_array_push(&load->changes, gone))
            return pal_foreign_no_memory(model);
    }
    return PAL_OK;
}

// ---- the value of a load in time --------------------------------------------------------------

typedef struct Course {
    PalForeign *model;
    PalForeignCurve curve;
    double now;  // value at the last point
    bool failed;
} Course;

static void add_point(Course *course, double time, double value)
{
    int32_t count = course->curve.points.count;
    if (count > 0 && time <= course->curve.points.items[count - 2]) {
        if (value == course->now)
            return;
        time = course->curve.points.items[count - 2] * (1 + 1e-9) + DBL_MIN;  // a jump
    }
    course->now = value;
    course->failed = course->failed || !pal_array_push(&course->curve.points, time) ||
                     !pal_array_push(&course->curve.points, value);
}

static double value_at(const PalForeignCurve *curve, double time)
{
    const double *p = curve->points.items;
    int32_t count = curve->points.count / 2;
    if (time <= p[0])
        return p[1];
    for (int32_t i = 1; i < count; ++i)
        if (time < p[2 * i]) {
            double share = (time - p[2 * i - 2]) / (p[2 * i] - p[2 * i - 2]);
            return p[2 * i - 1] + share * (p[2 * i + 1] - p[2 * i - 1]);
        }
    return p[2 * count - 1];
}

static void follow(Course *course, const PalAbaqusStep *step, const PalAbaqusChange *change)
{
    const PalForeignCurve *curve = &course->model->curves.items[change->curve];
    double shift = curve->total ? 0 : step->start;
    add_point(course, step->start, change->value * value_at(curve, step->start - shift));
    for (int32_t i = 0; i < curve->points.count; i += 2) {
        double time = curve->points.items[i] + shift;
        if (time > step->start && time < step->end)
            add_point(course, time, change->value * curve->points.items[i + 1]);
    }
    add_point(course, step->end, change->value * value_at(curve, step->end - shift));
}

// One step: what is said of the load in it, NULL if nothing is.
static void pass_step(Course *course, const PalAbaqusStep *step, const PalAbaqusChange *change)
{
    if (change == NULL || (change->removed && course->now == 0))
        return;
    if (change->curve != PAL_NONE) {
        follow(course, step, change);
        return;
    }
    add_point(course, step->start, step->dynamic ? change->value : course->now);
    add_point(course, step->end, change->value);
}

// The change that counts in a step: its own, or one whose curve goes on.
static const PalAbaqusChange *change_in(const PalAbaqus *abaqus, const PalAbaqusLoad *load,
                                        int32_t step)
{
    const PalAbaqusChange *found = NULL, *before = NULL;
    for (int32_t i = 0; i < load->changes.count; ++i) {
        const PalAbaqusChange *change = &load->changes.items[i];
        if (change->step == step || (step == 1 && change->step == 0))
            found = change;
        else if (change->step < step)
            before = change;
    }
    bool goes_on = before != NULL && before->curve != PAL_NONE &&
                   abaqus->model->curves.items[before->curve].total;
    return found != NULL ? found : goes_on ? before : NULL;
}

// ---- conditions -------------------------------------------------------------------------------

static bool same_changes(const PalAbaqusLoad *a, const PalAbaqusLoad *b)
{
    if (a->changes.count != b->changes.count)
        return false;
    for (int32_t i = 0; i < a->changes.count; ++i) {
        const PalAbaqusChange *x = &a->changes.items[i], *y = &b->changes.items[i];
        if (x->step != y->step || x->value != y->value || x->curve != y->curve ||
            x->removed != y->removed || x->line != y->line)
            return false;
    }
    return true;
}

// The curve of a load whose steps one number and the habit of the analysis do not tell.
static PalStatus make_course(PalAbaqus *abaqus, const PalAbaqusLoad *load, double *scale,
                             int32_t *curve)
{
    PalForeign *model = abaqus->model;
    Course course = {.model = model, .curve = {.line = load->line, .name = ""}};
    add_point(&course, 0, 0);
    for (int32_t s = 1; s <= step_of(abaqus); ++s)
        pass_step(&course, &abaqus->steps.items[s - 1], change_in(abaqus, load, s));
    *scale = 0;
    double *p = course.curve.points.items;
    for (int32_t i = 1; i < course.curve.points.count; i += 2)
        if (fabs(p[i]) > fabs(*scale))
            *scale = p[i];
    for (int32_t i = 1; i < course.curve.points.count && *scale != 0; i += 2)
        p[i] /= *scale;
    *curve = model->curves.count;
    if (course.failed || !pal_array_push(&model->curves, course.curve)) {
        pal_array_clear(&course.curve.points);
        return pal_foreign_no_memory(model);
    }
    return PAL_OK;
}

static PalStatus refuse_release(PalAbaqus *abaqus, const PalAbaqusLoad *load)
{
    for (int32_t i = 0; i < load->changes.count; ++i)
        if (load->changes.items[i].removed)
            return pal_foreign_fail(abaqus->model, load->changes.items[i].line,
                                    "OP=NEW sets nodes free during a dynamic analysis, expected "
                                    "what is held to stay so");
    return PAL_OK;
}

// Loads of one line that differ in their axis only are one condition.
static PalStatus make_condition(PalAbaqus *abaqus, int32_t index, bool *merged)
{
    PalForeign *model = abaqus->model;
    PalAbaqusLoad *load = &abaqus->loads.items[index];
    bool dynamic = abaqus->steps.count > 0 && abaqus->steps.items[0].dynamic;
    const PalAbaqusChange *only = &load->changes.items[0], *last = last_change(load);
    if (last->removed && !dynamic)
        return PAL_OK;  // the equilibrium at the end does not know of it
    if (holds(load->kind) && dynamic)
        PAL_TRY(refuse_release(abaqus, load));
    PalForeignCondition condition = {
        .kind = load->kind, .line = last->line, .group = load->group, .curve = only->curve};
    double scale = only->value;
    bool plain = load->changes.count == 1 && step_of(abaqus) <= 1;
    if (!plain)
        PAL_TRY(make_course(abaqus, load, &scale, &condition.curve));
    double sum[3] = {load->direction[0], load->direction[1], load->direction[2]};
    for (int32_t i = index + 1; i < abaqus->loads.count && holds(load->kind); ++i) {
        const PalAbaqusLoad *other = &abaqus->loads.items[i];
        if (other->kind != load->kind || other->line != load->line || merged[i] ||
            other->group_index != load->group_index || !same_changes(load, other))
            continue;
        merged[i] = true;
        for (int k = 0; k < 3; ++k)
            sum[k] += other->direction[k];
    }
    for (int k = 0; k < 3; ++k) {
        condition.axes[k] = sum[k] != 0;
        condition.value[k] = scale * sum[k];
    }
    if (load->kind == PAL_FOREIGN_PRESSURE)
        condition.value[0] = scale;
    if (holds(load->kind) && scale == 0)
        condition.kind = PAL_FOREIGN_FIX;
    else if (scale == 0)
        return PAL_OK;
    return pal_array_push(&model->conditions, condition) ? PAL_OK : pal_foreign_no_memory(model);
}

PalStatus pal_abaqus_finish_loads(PalAbaqus *abaqus)
{
    PalForeign *model = abaqus->model;
    if (step_of(abaqus) > 0) {
        model->step_line = abaqus->steps.items[0].line;
        model->dynamic = abaqus->steps.items[0].dynamic;
        model->time = abaqus->steps.items[step_of(abaqus) - 1].end;
    }
    if (step_of(abaqus) > 1 && !model->dynamic)
        pal_foreign_warn(model, abaqus->steps.items[1].line,
                         "of %d static steps the equilibrium at the end of the last is computed",
                         (int)step_of(abaqus));
    bool *merged = pal_tree_alloc(model->tree, (size_t)abaqus->loads.count, sizeof *merged);
    if (merged == NULL)
        return pal_foreign_no_memory(model);
    for (int32_t i = 0; i < abaqus->loads.count; ++i)
        if (!merged[i])
            PAL_TRY(make_condition(abaqus, i, merged));
    return PAL_OK;
}
