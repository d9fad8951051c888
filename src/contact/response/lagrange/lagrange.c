// Every step starts and ends free of intersections. Predicted motion is corrected by impulses that
// keep all gaps at the resting separation; continuous detection then looks at the corrected
// motion, what it finds becomes a row as well, and what cannot be solved is stopped.
// docs/theory/contact.md
#include "contact/response/lagrange/lagrange.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/timer.h"
#include "math/range.h"
#include "math/vec3.h"

#include <math.h>

#define ROUNDS        12  // solves with more and more rows before motion is cut
#define RESCUE_ROUNDS 64  // of cutting more and more
#define RENEWED       50  // lists with more and more candidates
#define POINTS        64  // that a thread fills at a time

static void destroy(PalContact *contact)
{
    PalLagrange *lagrange = contact->own;
    pal_candidates_clear(&lagrange->now);
    pal_candidates_clear(&lagrange->spare);
    pal_rows_clear(&lagrange->rows);
    pal_array_clear(&lagrange->gaps);
    pal_array_clear(&lagrange->needs);
    pal_patches_clear(&lagrange->patches);
    pal_groups_clear(&lagrange->groups);
    pal_lister_clear(&lagrange->lister);
    pal_free(lagrange->order);
    pal_motions_clear(&lagrange->motions);
    pal_couples_clear(&lagrange->couples);
    pal_free(lagrange->awake);
    pal_free(lagrange->hits);
    pal_free(lagrange->carrying);
    pal_free(lagrange->predicted);
    pal_free(lagrange->touched);
    pal_free(lagrange->vertex_stamp);
    pal_free(lagrange->orphans);
    pal_free(lagrange->less);
    pal_free(lagrange->skin_row);
    pal_array_clear(&lagrange->skin_next);
    pal_free(lagrange->cluster);
    pal_free(lagrange->cluster_sums);
    pal_free(lagrange->edge_stamp);
    pal_free(lagrange->sharp);
    pal_free(lagrange->owned);
    pal_free(lagrange->carrier_vertex);
    pal_free(lagrange);
    contact->own = NULL;
}

// A row has room for the carriers of all vertices of a gap.
static PalStatus check_holds(const PalContactSurface *surface, PalError *error)
{
    int32_t most = PAL_ROW_CARRIERS / PAL_GAP_VERTICES;
    for (int32_t v = 0; v < surface->vertex_count; ++v) {
        int32_t bearing = 0;
        for (int32_t i = surface->hold_start[v]; i < surface->hold_start[v + 1]; ++i)
            bearing += surface->holds[i].weight != 0;
        if (bearing > most)
            return pal_error_set(error, PAL_BAD_INPUT,
                                 "vertex %d of the contact surfaces hangs on %d nodes; expected at "
                                 "most %d",
                                 v, bearing, most);
    }
    return PAL_OK;
}

static PalStatus create(PalContact *contact, PalError *error)
{
    size_t vertices = (size_t)contact->surface->vertex_count;
    size_t carriers = (size_t)contact->surface->carrier_count;
    PAL_TRY(check_holds(contact->surface, error));
    PalLagrange *lagrange = pal_alloc(1, sizeof *lagrange);
    if (lagrange == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for contact");
    contact->own = lagrange;
    lagrange->generation = -1;
    lagrange->groups.spare = PAL_NONE;
    lagrange->groups.until = INFINITY;
    lagrange->predicted = pal_alloc(vertices, sizeof *lagrange->predicted);
    lagrange->touched = pal_alloc(vertices, sizeof *lagrange->touched);
    lagrange->orphans = pal_alloc(vertices, sizeof *lagrange->orphans);
    lagrange->less = pal_alloc(vertices, sizeof *lagrange->less);
    lagrange->vertex_stamp = pal_alloc(vertices, sizeof *lagrange->vertex_stamp);
    lagrange->skin_row = pal_alloc(vertices, sizeof *lagrange->skin_row);
    lagrange->cluster = pal_alloc(carriers, sizeof *lagrange->cluster);
    lagrange->cluster_sums = pal_alloc(carriers, sizeof *lagrange->cluster_sums);
    size_t edges = (size_t)contact->surface->edge_count;
    lagrange->edge_stamp = pal_alloc(edges, sizeof *lagrange->edge_stamp);
    lagrange->sharp = pal_alloc(edges, sizeof *lagrange->sharp);
    lagrange->owned = pal_alloc((size_t)contact->surface->facet_count, sizeof *lagrange->owned);
    lagrange->carrier_vertex = pal_alloc(carriers, sizeof *lagrange->carrier_vertex);
    if (lagrange->predicted == NULL || lagrange->orphans == NULL || lagrange->touched == NULL ||
        lagrange->less == NULL || lagrange->vertex_stamp == NULL || lagrange->cluster == NULL ||
        lagrange->cluster_sums == NULL || lagrange->edge_stamp == NULL ||
        lagrange->carrier_vertex == NULL || lagrange->sharp == NULL || lagrange->owned == NULL ||
        lagrange->skin_row == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for contact");
    const PalContactSurface *surface = contact->surface;
    for (int32_t v = 0; v < surface->vertex_count; ++v)
        lagrange->skin_row[v] = PAL_NONE;
    for (int32_t v = 0; v < surface->soft_vertex_count && surface->plain; ++v)
        lagrange->carrier_vertex[surface->holds[surface->hold_start[v]].carrier] = v;
    PalClosestRule rule = pal_contact_rule(contact);
    for (int32_t e = 0; e < surface->edge_count; ++e)
        lagrange->sharp[e] = pal_edge_bend(&rule, e) == PAL_EDGE_SHARP;
    for (int32_t f = 0; f < surface->facet_count; ++f)
        lagrange->owned[f] = pal_facet_owned(surface, f);
    PAL_TRY(pal_patches_create(&lagrange->patches, surface, error));
    PAL_TRY(pal_lister_create(&lagrange->lister, &lagrange->patches.cut, error));
    PAL_TRY(pal_motions_create(&lagrange->motions, contact->surface, error));
    PAL_TRY(pal_couples_create(&lagrange->couples, surface, error));
    return pal_rows_init(&lagrange->rows, &contact->carriers, error);
}

// The largest motion of a vertex that has a row.
static double farthest_touched(const PalContact *contact, const PalLagrange *lagrange)
{
    double farthest = 0;
    for (int32_t i = 0; i < lagrange->touched_count; ++i) {
        int32_t v = lagrange->touched[i];
        farthest = pal_max(farthest, pal_contact_surface_travel(contact->surface, v));
    }
    return farthest;
}

// The farthest any vertex moves from start to end, or more.
static double farthest_motion(PalContactSurface *surface)
{
    return isfinite(surface->farthest) ? surface->farthest : pal_contact_surface_farthest(surface);
}

static void back_to_predicted(PalContact *contact, const PalLagrange *lagrange)
{
    for (int32_t i = 0; i < lagrange->touched_count; ++i)
        contact->surface->end[lagrange->touched[i]] = lagrange->predicted[lagrange->touched[i]];
}

// Rows for what the guard has found; rows that were not enough ask for more room, those of
// membranes for more and more: how they turn is not known to the rows of the first round.
static void strengthen(PalContact *contact, PalLagrange *lagrange, const PalContactStep *step,
                       int round)
{
    double room = contact->separation / (2 * step->step);
    for (int k = 2; k < round && !contact->surface->plain; k += 2)
        room *= 2;
    int32_t hit_count = lagrange->hit_count;
    if (!contact->surface->plain)
        pal_lagrange_turn_sides(contact, lagrange, step->step);
    back_to_predicted(contact, lagrange);
    pal_rows_reset(&lagrange->rows);
    for (int32_t h = 0; h < hit_count; ++h) {
        int32_t c = lagrange->hits[h], r = pal_lagrange_look(lagrange, c)->row;
        if (r == PAL_NONE)
            pal_lagrange_add_hit(contact, lagrange, step, c);
        else
            lagrange->rows.items[r].bias += room;
    }
}

static void fill_point(const PalContact *contact, const PalLagrange *lagrange,
                       const PalContactStep *step, const PalRow *row, PalContactPoint *point)
{
    const PalContactSurface *surface = contact->surface;
    const PalFeatures *features = &lagrange->now.items[row->source].features;
    PalVec3 normal = pal_vec3(row->normal[0], row->normal[1], row->normal[2]);
    PalVec3 drag = pal_vec3(row->drag[0], row->drag[1], row->drag[2]);
    const PalGap *gap = &lagrange->gaps.items[row - lagrange->rows.items];
    PalVec3 sides[2] = {pal_gap_point(gap, surface->end, 0), pal_gap_point(gap, surface->end, 1)};
    double limit = row->friction * row->impulse;
    *point = (PalContactPoint){
        .kind = features->kind,
        .objects = {surface->vertex_object[features->vertices[0]],
                    surface->vertex_object[features->vertices[3]]},
        .position = {sides[0], sides[1]},
        .normal = normal,
        .force = pal_vec3_scale(1 / step->gain, pal_vec3_add_scaled(drag, row->impulse, normal)),
        .normal_force = row->impulse / step->gain,
        .gap = pal_vec3_dot(normal, pal_vec3_sub(sides[0], sides[1])) +
               pal_gap_sliding(gap, surface->start, surface->end),
        .slips = row->friction > 0 && pal_vec3_length(drag) >= limit * (1 - 1e-9),
    };
}

typedef struct Pointing {
    const PalContact *contact;
    const PalLagrange *lagrange;
    const PalContactStep *step;
} Pointing;

static const PalRow *row_carrying(const PalLagrange *lagrange, int32_t index)
{
    return &lagrange->rows.items[pal_lagrange_look(lagrange, lagrange->carrying[index])->row];
}

static void fill_some(void *context, int32_t index, int32_t worker)
{
    (void)worker;
    const Pointing *all = context;
    int32_t end = (index + 1) * POINTS;
    for (int32_t i = index * POINTS; i < end && i < all->lagrange->carrying_count; ++i)
        fill_point(all->contact, all->lagrange, all->step, row_carrying(all->lagrange, i),
                   &all->contact->points[i]);
}

// A point for each candidate that carries, in their order. False: no memory.
static bool add_points(PalContact *contact, const PalLagrange *lagrange, const PalContactStep *step)
{
    Pointing all = {contact, lagrange, step};
    int32_t tasks = (lagrange->carrying_count + POINTS - 1) / POINTS;
    contact->point_count = 0;
    for (int32_t i = 0; i < lagrange->carrying_count; ++i)
        if (pal_contact_add_point(contact) == NULL)
            return false;
    pal_parallel_for(tasks > 1 ? lagrange->thread_count : 1, tasks, fill_some, &all);
    for (int32_t i = 0; i < contact->point_count; ++i)
        if (!lagrange->gaps.items[row_carrying(lagrange, i) - lagrange->rows.items].soft)
            contact->report.penetration =
                pal_max(contact->report.penetration, -contact->points[i].gap);
    return true;
}

// What a row does to its carriers, and to spins unless motion was cut.
static void give(PalContact *contact, const PalRows *rows, const PalRow *row, PalVec3 impulse,
                 bool exact)
{
    const PalTurn *turns = pal_rows_turns(rows, row);
    for (int32_t k = 0; k < row->count; ++k) {
        PalVec3 *sum = &contact->impulse[row->carriers[k]];
        *sum = pal_vec3_add_scaled(*sum, row->weights[k], impulse);
    }
    for (int32_t t = 0; t < row->turn_count && exact; ++t) {
        int32_t number = (turns[t].carrier - contact->surface->first_free_carrier) / 2;
        PalVec3 *sum = &contact->bodies[number].turn_impulse;
        *sum = pal_vec3_add(*sum, pal_vec3_cross(turns[t].arm, impulse));
    }
}

// Free rigid bodies: exactly what the rows have given them, or, cut, by their velocities.
static void begin_to_give(PalContact *contact, bool exact)
{
    for (int32_t f = 0; f < contact->surface->free_count && exact; ++f)
        contact->bodies[f].turn_impulse = pal_vec3(0, 0, 0);
}

static void end_giving(PalContact *contact, bool exact)
{
    const PalContactSurface *surface = contact->surface;
    for (int32_t f = 0; f < surface->free_count; ++f)
        if (exact || !contact->bodies[f].touched)
            contact->bodies[f].impulse = contact->impulse[pal_free_carrier(surface, f)];
}

// Impulses on carriers; what the rows carry becomes points, and the start of the next solve. False:
// no memory.
static bool collect(PalContact *contact, PalLagrange *lagrange, const PalContactStep *step,
                    bool exact)
{
    begin_to_give(contact, exact);
    lagrange->carrying_count = 0;
    for (int32_t i = 0; i < lagrange->awake_count; ++i) {
        pal_lagrange_fetch(lagrange, i);
        PalCandidate *candidate = &lagrange->now.items[lagrange->awake[i]];
        PalLook *look = pal_lagrange_look(lagrange, lagrange->awake[i]);
        int32_t r = look->row;
        if (r == PAL_NONE || lagrange->rows.items[r].impulse == 0) {
            if (look->carried)
                pal_candidate_forget(candidate);
            look->carried = false;
            pal_lagrange_rest(lagrange, lagrange->awake[i]);
            continue;
        }
        const PalRow *row = &lagrange->rows.items[r];
        pal_lagrange_carry(lagrange, lagrange->awake[i]);
        candidate->impulse = row->impulse;
        candidate->drag = pal_vec3(row->drag[0], row->drag[1], row->drag[2]);
        PalLanes total = row->impulse * row->normal + row->drag;
        PalVec3 impulse = pal_vec3(total[0], total[1], total[2]);
        give(contact, &lagrange->rows, row, impulse, exact);
        if (contact->skin != NULL)
            pal_lagrange_book_skin(contact, lagrange, row, step->step);
    }
    const PalCouples *couples = &lagrange->couples;
    for (int32_t i = 0; i < couples->pushed_count; ++i) {
        PalVec3 *sum = &contact->impulse[couples->pushed[i]];
        *sum = pal_vec3_add(*sum, couples->impulse[couples->pushed[i]]);
    }
    const PalRows *rows = &lagrange->rows;
    contact->changed_count = rows->touched_count;
    for (int32_t i = 0; i < rows->touched_count; ++i)
        contact->changed[i] = rows->touched[i];
    for (int32_t i = 0; i < rows->touched_count && !exact; ++i) {  // cut: go by velocities
        int32_t c = rows->touched[i];
        for (int j = 0; j < 3; ++j) {
            double inverse = contact->carriers.inverse_mass[c][j];
            if (inverse > 0)
                (&contact->impulse[c].x)[j] =
                    (rows->velocity[c][j] - rows->predicted[c][j]) / inverse;
        }
    }
    end_giving(contact, exact);
    return add_points(contact, lagrange, step);
}

static PalStatus report_stuck(const PalContact *contact, const PalLagrange *lagrange,
                              const PalContactStep *step, PalError *error)
{
    const PalCandidate *stuck = &lagrange->now.items[lagrange->hits[0]];
    const PalModel *model = contact->surface->motion.model;
    const int32_t *object = contact->surface->vertex_object;
    const int32_t *vertices = stuck->features.vertices;
    PalVec3 place = pal_contact_surface_start(contact->surface, vertices[0]);
    return pal_error_set(
        error, PAL_SIM_FAILED,
        "contact of \"%s\" with \"%s\" at (%.4g, %.4g, %.4g) cannot be resolved at "
        "time %.6g: parts that cannot give way (instruments, prescribed nodes) "
        "are driven into each other; check their motion",
        pal_contact_object_name(model, object[vertices[0]]),
        pal_contact_object_name(model, object[vertices[3]]), place.x, place.y, place.z,
        step->start_time);
}

// All candidates are to be looked at, and all lists to be made anew.
static void forget(PalContact *contact)
{
    PalLagrange *lagrange = contact->own;
    PalCandidates *candidates = &lagrange->now;
    const int32_t *objects = contact->surface->facet_object;
    pal_groups_follow_all(&lagrange->groups);
    for (int32_t g = 0; g < lagrange->groups.list.count; ++g) {
        PalCandidateGroup *group = &lagrange->groups.list.items[g];
        for (int32_t c = group->first; c < group->first + group->count; ++c) {
            const int32_t *pair = candidates->items[c].pair;
            candidates->items[c].friction =
                pal_contact_friction(contact, objects[pair[0]], objects[pair[1]]);
            candidates->wakes[c] = -INFINITY;
        }
        if (group->patches[0] == PAL_NONE)
            continue;
        group->wake = -INFINITY;
        if (contact->search->cut != NULL)
            group->limit = -INFINITY;
    }
}

// Bodies that touch nothing may be far finer than those that do.
static double reach(const PalContact *contact)
{
    return pal_lagrange_listed(contact, 0) + contact->surface->felt_most;
}

// ---- a step -----------------------------------------------------------------------------

typedef struct Settling {
    PalContact *contact;
    PalLagrange *lagrange;
    const PalContactStep *step;
    PalMeter *meter;
    double predicted;  // the farthest any vertex goes
    double farthest;   // and as corrected
    int renewed;       // how often there were more candidates
} Settling;

// The search follows the ends as they are.
static PalStatus search(Settling *s, PalError *error)
{
    return pal_search_update(s->contact->search, s->contact->surface, s->step->thread_count,
                             s->meter, error);
}

// Sees to it that the guard knows all that the corrected motion may bring near.
static PalStatus look_around(Settling *s, PalError *error)
{
    PalLagrange *lagrange = s->lagrange;
    s->farthest = pal_lagrange_fit_strides(s->contact->surface, lagrange);
    if (!isfinite(s->farthest))
        s->farthest = pal_max(s->predicted, farthest_touched(s->contact, lagrange));
    pal_groups_bound(lagrange, s->farthest);
    if (pal_search_covers(s->contact->search, s->contact->surface, lagrange->touched,
                          lagrange->touched_count))
        return PAL_OK;
    if (++s->renewed > RENEWED)
        return pal_error_set(error, PAL_SIM_FAILED,
                             "contact at time %.6g does not converge: it moves surfaces "
                             "farther and farther; use a smaller step",
                             s->step->start_time);
    PAL_TRY(search(s, error));
    return pal_candidates_add(s->contact, lagrange, error);
}

static PalStatus check_crowd(const Settling *s, PalError *error)
{
    return s->lagrange->lister.crowded ? pal_candidates_report_crowd(s->contact, s->lagrange, error)
                                       : PAL_OK;
}

// Cuts the motion of what still collides.
static PalStatus rescue(Settling *s, PalError *error)
{
    PalLagrange *lagrange = s->lagrange;
    bool joined = true;
    pal_lagrange_part_all(s->contact, lagrange);
    lagrange->turns = true;
    for (int round = 0; round < RESCUE_ROUNDS && lagrange->hit_count > 0 && joined; ++round) {
        joined = pal_lagrange_join(s->contact, lagrange, s->step);
        PAL_TRY(look_around(s, error));
        pal_lagrange_guard(s->contact, lagrange);
        if (!joined && lagrange->hit_count > 0 && lagrange->turns) {
            lagrange->turns = false;  // sides of membranes come nearer by turning
            joined = true;
        }
    }
    return lagrange->hit_count == 0 ? PAL_OK : report_stuck(s->contact, lagrange, s->step, error);
}

// Solves, guards, adds rows, until the corrected motion is free of collisions, or cut.
static PalStatus settle(Settling *s, bool *exact, PalError *error)
{
    PalLagrange *lagrange = s->lagrange;
    s->predicted = farthest_motion(s->contact->surface);
    lagrange->motions.far =
        !s->contact->surface->plain && s->predicted > pal_lagrange_near(s->contact);
    pal_groups_bound(lagrange, s->predicted);
    pal_lagrange_evaluate(s->contact, lagrange, s->step, s->meter);
    PAL_TRY(check_crowd(s, error));
    for (int round = 0; round < ROUNDS; ++round) {
        if (round > 0)
            strengthen(s->contact, lagrange, s->step, round);
        pal_lagrange_solve(s->contact, lagrange, s->step);
        PAL_TRY(look_around(s, error));
        pal_lagrange_guard(s->contact, lagrange);
        if (lagrange->hit_count == 0)
            break;
    }
    *exact = lagrange->hit_count == 0;
    if (!*exact)
        PAL_TRY(rescue(s, error));
    if (lagrange->too_fast != PAL_NONE) {
        int32_t r = s->contact->bodies[lagrange->too_fast].rigid;
        return pal_free_report_turn(&s->contact->surface->motion.model->rigids[r],
                                    &s->step->rigids[r], s->step->start_time, error);
    }
    pal_groups_pass(lagrange);
    return check_crowd(s, error);
}

static PalStatus step_once(PalContact *contact, const PalContactStep *step, PalMeter *meter,
                           PalError *error)
{
    PalLagrange *lagrange = contact->own;
    lagrange->thread_count = step->thread_count;
    Settling settling = {contact, lagrange, step, meter, 0, 0, 0};
    PAL_TRY(search(&settling, error));
    double begin = pal_timer_seconds();
    PAL_TRY(pal_candidates_update(contact, lagrange, error));
    double middle = pal_timer_seconds();
    meter->profile.contact_search += middle - begin;
    bool exact = true;
    PAL_TRY(settle(&settling, &exact, error));
    if (lagrange->rows.no_memory)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for %d contacts",
                             lagrange->rows.count);
    pal_rows_validate(&lagrange->rows);
    pal_candidates_validate(contact, lagrange);
    pal_lagrange_validate(contact, lagrange);
    bool good = collect(contact, lagrange, step, exact);
    meter->profile.contact_response += pal_timer_seconds() - middle;
    return good ? PAL_OK : pal_error_set(error, PAL_NO_MEMORY, "no memory for contact points");
}

const PalResponse pal_response_lagrange = {
    .choice = {"lagrange", "Solves all contacts of a step together. It conserves momentum, and "
                           "nothing passes through anything."},
    .reach = reach,
    .lazy = true,
    .rests = true,
    .prevents_crossing = true,
    .moves_rigids = true,
    .expects = true,
    .smooths = true,
    .moves_by_weights = true,
    .by_patches = true,
    .create = create,
    .destroy = destroy,
    .step = step_once,
    .forget = forget,
    .kept_count = pal_candidates_kept_count,
    .keep = pal_candidates_keep,
    .restore = pal_candidates_restore,
};
