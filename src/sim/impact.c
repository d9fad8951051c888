// The first impact: the simulation runs without contact, which only looks on, and where a step
// meets something it is taken back and made to end there, until what is left of it is nothing.
#include <palpate/impact.h>

#include "base/array.h"
#include "base/memory.h"
#include "contact/response/witness.h"
#include "geometry/closest.h"
#include "model/state.h"
#include "sim/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE 1e-12  // of the end of the simulation
#define ROUNDS    200    // steps shortened one after the other
#define SHRINK    0.25   // of a step in which something turns too far
#define GROW      4      // times as long is the next one
#define SAME_TIME 100    // tolerances: a vertex that meets a facet so much later than edges meet
#define SAME      1e-9   // of a time: predictions as near as this are one
#define AHEAD     64     // steps for which a motion is gone on with
#define SHORT     0.01   // of a step: its half and itself tell velocities

typedef struct Finder {
    const PalSimDef *def;
    const PalImpactOptions *options;
    PalSim *sim;
    PAL_ARRAY(PalImpact) impacts;
    PAL_ARRAY(double) predictions;
    PAL_ARRAY(double) pending;                // foreseen, and their time has not come
    PalNamedArray arrays[PAL_SIM_ARRAY_MAX];  // of the simulation
    void *kept[PAL_SIM_ARRAY_MAX];            // as they were before a step
    int32_t array_count;
    double tolerance;
    double step;  // the longest so far
    bool no_memory;
} Finder;

static PalStatus no_memory(PalError *error)
{
    return pal_error_set(error, PAL_NO_MEMORY, "no memory to look for an impact");
}

// ---- checking ---------------------------------------------------------------------------

static PalStatus check(const PalSimDef *def, PalError *error)
{
    const PalMethodRow *method = pal_method_row(def->solver.method);
    if (!pal_contact_def_touches(&def->contact))
        return pal_error_set(error, PAL_BAD_INPUT,
                             "nothing can touch: there is no contact between any two objects; "
                             "expected one, such as contact: [{between: all}]");
    if (method != NULL && (!method->in_time || method->replan == NULL))
        return pal_error_set(error, PAL_BAD_INPUT,
                             "impacts are looked for with explicit and newmark; expected one of "
                             "them for method, got %s",
                             method->choice.name);
    if (!isfinite(def->solver.time))
        return pal_error_set(error, PAL_BAD_INPUT,
                             "solver time is infinite, expected an end to look for impacts until");
    return PAL_OK;
}

// What overlaps has met already.
static PalStatus check_overlaps(const Finder *finder, PalError *error)
{
    PalOverlaps overlaps = {0};
    const PalModel *model = finder->sim->model;
    PalStatus status = pal_overlaps_find(&finder->def->contact, model, &overlaps, error);
    for (int32_t i = 0; status == PAL_OK && i < overlaps.count; ++i) {
        const PalOverlap *item = &overlaps.items[i];
        if (item->crossing_count == 0 && item->inside_count == 0)
            continue;
        status = pal_error_set(
            error, PAL_BAD_INPUT,
            "\"%s\" and \"%s\" overlap at the start, around (%.6g, %.6g, %.6g): there is no first "
            "touch to find; move them apart",
            pal_contact_object_name(model, item->objects[0]),
            pal_contact_object_name(model, item->objects[1]), item->place.x, item->place.y,
            item->place.z);
    }
    pal_overlaps_clear(&overlaps);
    return status;
}

// ---- what was before a step -------------------------------------------------------------

static PalStatus list_arrays(Finder *finder, PalError *error)
{
    finder->array_count = pal_sim_arrays(finder->sim, finder->arrays);
    if (finder->array_count == PAL_NONE)
        return no_memory(error);
    for (int32_t i = 0; i < finder->array_count; ++i) {
        const PalNamedArray *array = &finder->arrays[i];
        if (array->resize != NULL) {
            finder->array_count = i;  // what contact keeps: it has pushed nothing
            break;
        }
        finder->kept[i] = pal_alloc((size_t)array->count, sizeof(double));
        if (finder->kept[i] == NULL)
            return no_memory(error);
    }
    return PAL_OK;
}

static void keep(Finder *finder)
{
    PalNamedArray arrays[PAL_SIM_ARRAY_MAX];
    pal_sim_arrays(finder->sim, arrays);  // gathers what is no array
    for (int32_t i = 0; i < finder->array_count; ++i)
        memcpy(finder->kept[i], finder->arrays[i].data,
               (size_t)finder->arrays[i].count * sizeof(double));
}

static PalStatus go_back(Finder *finder, PalError *error)
{
    for (int32_t i = 0; i < finder->array_count; ++i)
        memcpy(finder->arrays[i].data, finder->kept[i],
               (size_t)finder->arrays[i].count * sizeof(double));
    return pal_sim_restored(finder->sim, error);
}

// ---- an impact --------------------------------------------------------------------------

static PalVec3 between(PalVec3 a, PalVec3 b, double t)
{
    return pal_vec3_add_scaled(a, t, pal_vec3_sub(b, a));
}

// Where the four points are at a moment of the step, and the two that meet, as weights of them.
typedef struct Meeting {
    PalVec3 points[4];
    double weights[4];  // of the first and, negative, of the second
    bool inside;        // of the facet, or of both edges
} Meeting;

static Meeting meeting_of(const PalWitness *witness, double fraction)
{
    Meeting meeting = {.inside = false};
    PalVec3 *x = meeting.points;
    for (int k = 0; k < 4; ++k)
        x[k] = between(witness->start[k], witness->end[k], fraction);
    if (witness->kind == PAL_CONTACT_NODE_FACET) {
        double weights[3];
        PalFeature feature;
        pal_closest_on_triangle(x[0], x + 1, weights, &feature);
        meeting.inside = feature == PAL_FEATURE_FACE;
        meeting.weights[0] = 1;
        for (int k = 0; k < 3; ++k)
            meeting.weights[1 + k] = -weights[k];
    } else {
        double weights[2];
        bool interior[2];
        pal_closest_on_edges(x[0], x[1], x[2], x[3], weights, interior);
        meeting.inside = interior[0] && interior[1];
        meeting.weights[0] = 1 - weights[0];
        meeting.weights[1] = weights[0];
        meeting.weights[2] = weights[1] - 1;
        meeting.weights[3] = -weights[1];
    }
    return meeting;
}

static PalVec3 weighted(const double weights[4], const PalVec3 points[4])
{
    PalVec3 sum = {0, 0, 0};
    for (int k = 0; k < 4; ++k)
        sum = pal_vec3_add_scaled(sum, weights[k], points[k]);
    return sum;
}

static PalVec3 of_first(const double weights[4], const PalVec3 points[4])
{
    PalVec3 sum = {0, 0, 0};
    for (int k = 0; k < 4; ++k)
        sum = pal_vec3_add_scaled(sum, weights[k] > 0 ? weights[k] : 0, points[k]);
    return sum;
}

// At a right angle to the facet, or to both edges; where two corners meet, along the line between
// them before they did. From the second of the four points' owners to the first.
static PalVec3 normal_of(const PalWitness *witness, const Meeting *meeting, PalVec3 velocity)
{
    const PalVec3 *x = meeting->points;
    bool facet = witness->kind == PAL_CONTACT_NODE_FACET;
    PalVec3 first = pal_vec3_sub(facet ? x[2] : x[1], facet ? x[1] : x[0]);
    PalVec3 second = pal_vec3_sub(x[3], facet ? x[1] : x[2]);
    PalVec3 normal = pal_vec3_normalise(pal_vec3_cross(first, second));
    PalVec3 before = weighted(meeting->weights, witness->start);
    double size = pal_vec3_length(first) + pal_vec3_length(second);
    bool known = pal_vec3_length(before) > 1e-9 * size;
    bool moves = pal_vec3_dot(velocity, velocity) > 0;
    if (pal_vec3_dot(normal, normal) < 0.5 || (!meeting->inside && (known || moves)))
        normal = pal_vec3_normalise(known ? before : pal_vec3_scale(-1, velocity));
    double along = known ? pal_vec3_dot(normal, before) : -pal_vec3_dot(normal, velocity);
    return along < 0 ? pal_vec3_scale(-1, normal) : normal;
}

// Mean velocities of the four points in the step.
static void mean_velocities(const PalWitness *witness, double step, PalVec3 velocities[4])
{
    for (int k = 0; k < 4; ++k)
        velocities[k] = pal_vec3_scale(1 / step, pal_vec3_sub(witness->end[k], witness->start[k]));
}

// `before` has seen the two a little earlier, when they were clearly apart.
static PalImpact impact_of(const PalWitness *before, const PalWitness *witness, double time,
                           const PalVec3 velocities[4])
{
    Meeting meeting = meeting_of(witness, witness->fraction);
    PalVec3 velocity = weighted(meeting.weights, velocities);
    PalVec3 normal = normal_of(before, &meeting, velocity);
    bool swapped = witness->objects[0] > witness->objects[1];
    return (PalImpact){
        .objects = {witness->objects[swapped], witness->objects[!swapped]},
        .time = time,
        .place = of_first(meeting.weights, meeting.points),
        .kind = witness->kind,
        .normal = swapped ? pal_vec3_scale(-1, normal) : normal,
        .relative_velocity = swapped ? pal_vec3_scale(-1, velocity) : velocity,
    };
}

static bool same_features(const PalWitness *a, const PalWitness *b)
{
    return a->met && b->met && a->kind == b->kind &&
           memcmp(a->vertices, b->vertices, sizeof a->vertices) == 0;
}

// ---- the first --------------------------------------------------------------------------

static PalStatus create_free(Finder *finder, PalError *error)
{
    PalSimDef def = *finder->def;
    def.contact = pal_contact_def_default();  // nothing is moved apart
    PAL_TRY(pal_sim_create(&def, &finder->sim, error));
    PAL_TRY(check_overlaps(finder, error));
    PalContactDef contact = finder->def->contact;
    contact.schedule = PAL_SCHEDULE_TRAJECTORY;
    PalContactSetup setup = {.def = &contact, .response = &pal_response_witness, .tells = true};
    PalSim *sim = finder->sim;
    return pal_solver_touch_create(&setup, sim->model, sim->state, sim->solver, error);
}

static bool same_time(double a, double b)
{
    return fabs(a - b) <= SAME * fabs(a);
}

// Predictions whose time has come without a meeting are told; those that were renewed before are
// not.
static void tell_predictions(Finder *finder, double now)
{
    int32_t count = 0;
    for (int32_t i = 0; i < finder->pending.count; ++i) {
        double time = finder->pending.items[i];
        int32_t told = finder->predictions.count;
        double last = told > 0 ? finder->predictions.items[told - 1] : -INFINITY;
        if (same_time(time, now))
            time = fmin(time, now);
        if (time > now)
            finder->pending.items[count++] = time;
        else if (time > last && !same_time(time, last))
            finder->no_memory |= !pal_array_push(&finder->predictions, time);
    }
    finder->pending.count = count;
}

// What the schedule foresees after a step.
static void note_predictions(Finder *finder, double now)
{
    const PalContact *contact = finder->sim->solver->contact;
    int32_t count;
    const double *times = pal_contact_foreseen(contact, &count);
    while (count > 0 && finder->pending.count > 0 &&
           finder->pending.items[finder->pending.count - 1] >= times[0])
        --finder->pending.count;
    for (int32_t i = 0; i < count; ++i)
        finder->no_memory |= !pal_array_push(&finder->pending, times[i]);
    double next = contact->asleep ? pal_contact_next_look(contact, now) : INFINITY;
    count = finder->pending.count;
    if (!isfinite(next) || (count > 0 && same_time(finder->pending.items[count - 1], next)))
        return;
    finder->pending.count = 0;
    finder->no_memory |= !pal_array_push(&finder->pending, next);
}

static bool goes_on(const Finder *finder)
{
    const PalImpactOptions *options = finder->options;
    return options->progress == NULL ||
           options->progress(options->context, finder->sim->state->time, finder->def->solver.time);
}

// How a step went on, from where it was kept.
typedef struct Attempt {
    PalWitness seen;
    double start, length;
    bool whole;  // the step was not cut
} Attempt;

static PalStatus attempt(Finder *finder, double length, Attempt *result, PalError *error)
{
    PalSim *sim = finder->sim;
    keep(finder);
    result->start = sim->state->time;
    result->whole = !(length > 0);
    if (length > 0)
        pal_solver_cut_step(sim->model, sim->state, sim->solver, length);
    PAL_TRY(pal_sim_step(sim, error));
    result->length = sim->state->step;
    if (result->whole)
        finder->step = fmax(finder->step, result->length);
    PalContact *contact = sim->solver->contact;
    result->seen = contact->asleep ? (PalWitness){0} : *pal_witness_of(contact);
    double later = (result->seen.facet_fraction - result->seen.fraction) * result->length;
    if (result->seen.met && result->seen.kind == PAL_CONTACT_EDGE_EDGE &&
        later <= SAME_TIME * finder->tolerance)
        pal_witness_prefer_facet(contact->surface, &result->seen);
    return PAL_OK;
}

// How long what a turning object may leave its straight way by takes, as the two move.
static double doubt_of(const Attempt *attempt)
{
    const PalWitness *seen = &attempt->seen;
    Meeting meeting = meeting_of(seen, seen->fraction);
    PalVec3 moves[4];
    for (int k = 0; k < 4; ++k)
        moves[k] = pal_vec3_sub(seen->end[k], seen->start[k]);
    double way = pal_vec3_length(weighted(meeting.weights, moves));
    return seen->pad > 0 && way > 0 ? seen->pad / way * attempt->length : 0;
}

// Looks ahead from where the last attempt has led: as far as it is to be, or a whole step.
static PalStatus look_ahead(Finder *finder, double length, Attempt *now, PalError *error)
{
    return attempt(finder, length < pal_sim_next_step(finder->sim) ? length : 0, now, error);
}

// Velocities of what meets, where the simulation is: the mean one of a step is that in its middle,
// and two short steps tell what it is at their start. False: there is no time for them before the
// end.
static PalStatus velocities_now(Finder *finder, const PalWitness *seen, PalVec3 velocities[4],
                                bool *known, PalError *error)
{
    const PalContactSurface *surface = finder->sim->solver->contact->surface;
    double whole = SHORT * finder->step;
    *known = whole < pal_sim_next_step(finder->sim);
    for (int i = 0; i < 2 && *known; ++i) {
        Attempt brief;
        PAL_TRY(attempt(finder, i == 0 ? whole : whole / 2, &brief, error));
        *known = !finder->sim->solver->contact->asleep;
        for (int k = 0; k < 4 && *known; ++k) {
            PalVec3 start, end;
            int32_t v = seen->vertices[k], object = surface->vertex_object[v];
            surface->objects[object].source->place(surface, object, v, &start, &end);
            PalVec3 mean = pal_vec3_scale(1 / brief.length, pal_vec3_sub(end, start));
            velocities[k] = i == 0 ? mean : between(velocities[k], mean, 2);
        }
        PAL_TRY(go_back(finder, error));
    }
    return PAL_OK;
}

// `before` is the step in which the two were seen to come nearer.
static PalStatus add_impact(Finder *finder, const Attempt *before, const Attempt *now, double left,
                            PalError *error)
{
    const PalWitness *seen = &now->seen;
    bool same = same_features(&before->seen, seen), known;
    PalVec3 velocities[4];
    PAL_TRY(velocities_now(finder, seen, velocities, &known, error));
    if (!known)
        mean_velocities(same ? &before->seen : seen, same ? before->length : now->length,
                        velocities);
    PalImpact impact = impact_of(same ? &before->seen : seen, seen, now->start + left, velocities);
    finder->no_memory |= !pal_array_push(&finder->impacts, impact);
    return PAL_OK;
}

// Shortens the step again and again until it ends where they meet. `now` has met something, or
// turned too far. What turns is in doubt by the square of the length of the step.
static PalStatus close_in(Finder *finder, Attempt now, bool *found, PalError *error)
{
    Attempt before = now;
    double tolerance = finder->tolerance;
    *found = false;
    for (int round = 0; round < ROUNDS; ++round) {
        if (!now.seen.met && !now.seen.too_long) {
            if (now.whole)
                return PAL_OK;  // it was not to be
            PAL_TRY(look_ahead(finder, GROW * now.length, &now, error));
            continue;
        }
        PAL_TRY(go_back(finder, error));
        double doubt = now.seen.too_long ? INFINITY : doubt_of(&now);
        double left = now.seen.fraction * now.length;
        if (left <= tolerance && doubt <= tolerance) {
            *found = true;
            return add_impact(finder, &before, &now, left, error);
        }
        if (now.seen.met && !same_features(&before.seen, &now.seen))
            before = now;
        if (now.seen.too_long || left <= tolerance) {
            PAL_TRY(attempt(finder, SHRINK * now.length, &now, error));
            continue;
        }
        // a little less: at the end of the step they would meet already
        PAL_TRY(attempt(finder, left - fmax(1e-9 * left, tolerance / 4), &now, error));
        if (!now.seen.met && !now.seen.too_long)
            PAL_TRY(
                look_ahead(finder, doubt > 0 ? GROW * doubt + tolerance : INFINITY, &now, error));
    }
    return pal_error_set(error, PAL_SIM_FAILED,
                         "the time of impact near %.9g cannot be found: steps become too short",
                         now.start);
}

static PalStatus find_first(Finder *finder, PalImpacts *impacts, PalError *error)
{
    bool found = false;
    PalSim *sim = finder->sim;
    while (!found && !pal_sim_finished(sim)) {
        Attempt now;
        PAL_TRY(attempt(finder, 0, &now, error));
        impacts->steps = sim->state->step_count;
        impacts->wakes = sim->meter.counters.wakes;
        impacts->end_time = sim->state->time;
        if (!now.seen.met && !now.seen.too_long)
            tell_predictions(finder, sim->state->time);
        note_predictions(finder, sim->state->time);
        if (now.seen.met || now.seen.too_long)
            PAL_TRY(close_in(finder, now, &found, error));
        if (!goes_on(finder))
            return pal_error_set(error, PAL_INTERRUPTED, "interrupted at time %.6g",
                                 sim->state->time);
    }
    if (found)
        impacts->end_time = finder->impacts.items[0].time;
    tell_predictions(finder, impacts->end_time);
    return finder->no_memory ? no_memory(error) : PAL_OK;
}

// ---- all --------------------------------------------------------------------------------

static bool has_met(const void *context, int32_t a, int32_t b)
{
    const Finder *finder = context;
    for (int32_t i = 0; i < finder->impacts.count; ++i) {
        const int32_t *objects = finder->impacts.items[i].objects;
        if ((objects[0] == a && objects[1] == b) || (objects[0] == b && objects[1] == a))
            return true;
    }
    return false;
}

// Contact keeps surfaces apart by its separation: what comes as near in a step meets when its
// motion, gone on with, has covered that as well.
static void look_on(void *context, PalContact *contact, const PalContactStep *step)
{
    Finder *finder = context;
    PalWitnessWish wish = {contact->separation + contact->rate_distance, has_met, finder};
    for (;;) {
        PalWitness seen;
        pal_witness_look(contact, &wish, &seen);
        finder->no_memory = finder->no_memory || seen.no_memory;
        if (!seen.met)
            return;
        PalVec3 velocities[4];
        mean_velocities(&seen, step->step, velocities);
        PalImpact impact =
            impact_of(&seen, &seen, step->start_time + seen.fraction * step->step, velocities);
        Meeting meeting = meeting_of(&seen, seen.fraction);
        double gap = pal_vec3_length(weighted(meeting.weights, meeting.points));
        double closing = -pal_vec3_dot(impact.normal, impact.relative_velocity);
        if (gap < AHEAD * step->step * closing) {  // else they rest on each other
            impact.time += gap / closing;
            impact.place = pal_vec3_add_scaled(impact.place, gap / closing,
                                               of_first(meeting.weights, velocities));
        }
        if (!pal_array_push(&finder->impacts, impact)) {
            finder->no_memory = true;
            return;
        }
    }
}

static int compare(const void *left, const void *right)
{
    const PalImpact *a = left, *b = right;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    for (int k = 0; k < 2; ++k)
        if (a->objects[k] != b->objects[k])
            return a->objects[k] < b->objects[k] ? -1 : 1;
    return 0;
}

static PalStatus find_others(Finder *finder, PalError *error)
{
    pal_sim_destroy(finder->sim);
    finder->sim = NULL;
    PAL_TRY(pal_sim_create(finder->def, &finder->sim, error));
    PalContact *contact = finder->sim->solver->contact;
    contact->onlooker = look_on;
    contact->onlooker_context = finder;
    while (!pal_sim_finished(finder->sim) && !finder->no_memory) {
        PAL_TRY(pal_sim_step(finder->sim, error));
        if (!goes_on(finder))
            return pal_error_set(error, PAL_INTERRUPTED, "interrupted at time %.6g",
                                 finder->sim->state->time);
    }
    qsort(finder->impacts.items, (size_t)finder->impacts.count, sizeof *finder->impacts.items,
          compare);
    return finder->no_memory ? no_memory(error) : PAL_OK;
}

// ---- asking -----------------------------------------------------------------------------

PalStatus pal_impacts_find(const PalSimDef *def, const PalImpactOptions *options,
                           PalImpacts *impacts, PalError *error)
{
    static const PalImpactOptions plain = {0};
    *impacts = (PalImpacts){0};
    PAL_TRY(check(def, error));
    Finder finder = {.def = def, .options = options != NULL ? options : &plain};
    finder.tolerance =
        finder.options->tolerance > 0 ? finder.options->tolerance : TOLERANCE * def->solver.time;
    PalStatus status = create_free(&finder, error);
    if (status == PAL_OK)
        status = list_arrays(&finder, error);
    if (status == PAL_OK)
        status = find_first(&finder, impacts, error);
    if (status == PAL_OK && finder.options->all && finder.impacts.count > 0)
        status = find_others(&finder, error);
    for (int32_t i = 0; i < finder.array_count; ++i)
        pal_free(finder.kept[i]);
    pal_sim_destroy(finder.sim);
    pal_array_clear(&finder.pending);
    impacts->count = finder.impacts.count;
    impacts->items = finder.impacts.items;
    impacts->prediction_count = finder.predictions.count;
    impacts->predictions = finder.predictions.items;
    return status;
}

void pal_impacts_clear(PalImpacts *impacts)
{
    pal_array_release((void **)&impacts->items);
    pal_array_release((void **)&impacts->predictions);
    *impacts = (PalImpacts){0};
}
