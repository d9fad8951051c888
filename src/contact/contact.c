#include "contact/contact.h"

#include "contact/arrays.h"
#include "contact/gap/account.h"
#include "contact/response/trial.h"
#include "contact/start/fit_skin.h"
#include "contact/tell.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/choice.h"
#include "base/memory.h"
#include "base/timer.h"
#include "math/range.h"
#include "math/vec3.h"
#include "model/conditions.h"
#include <palpate/solver.h>

#include <math.h>
#include <string.h>

#define RATE_DISTANCE 0.0005  // approach is slowed down this much earlier, of the mean edge

// ---- creating ---------------------------------------------------------------------------

static PalStatus copy_pairs(const PalModel *model, PalContact *contact, PalError *error)
{
    PAL_ASSERT(contact->surface->object_count == model->body_count + model->rigid_count);
    PAL_TRY(pal_pairs_create(&contact->def, model, &contact->objects, error));
    contact->surface->pairs = contact->objects;
    contact->def.pairs =
        pal_copy(contact->def.pairs, (size_t)contact->def.pair_count, sizeof *contact->def.pairs);
    return contact->def.pairs != NULL
               ? PAL_OK
               : pal_error_set(error, PAL_NO_MEMORY, "no memory for contact");
}

static PalStatus allocate(PalContact *contact, PalError *error)
{
    size_t carriers = (size_t)contact->surface->carrier_count + 1;
    contact->impulse = pal_alloc(carriers, sizeof *contact->impulse);
    contact->changed = pal_alloc(carriers, sizeof *contact->changed);
    contact->bodies = pal_alloc((size_t)contact->surface->free_count, sizeof *contact->bodies);
    if (contact->impulse == NULL || contact->changed == NULL || contact->bodies == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for contact");
    for (int32_t f = 0; f < contact->surface->free_count; ++f)
        contact->bodies[f].rigid =
            contact->surface->objects[contact->surface->free_object[f]].index;
    return pal_carriers_init(&contact->carriers, contact->surface->carrier_count, error);
}

static PalStatus create_search(PalContact *contact, PalError *error)
{
    PalContactDef def = contact->def;
    if (def.hierarchy == PAL_HIERARCHY_INTERVAL)
        def.hierarchy = PAL_HIERARCHY_AABB2;  // of cells, not of what is searched for here
    double reach = contact->response->reach(contact);
    return contact->response->by_patches
               ? pal_search_create_by_patches(&def, contact->surface, reach, &contact->search,
                                              error)
               : pal_search_create(&def, contact->surface, NULL, reach, &contact->search, error);
}

static PalStatus create_schedule(const PalContactSetup *wish, const PalModel *model,
                                 PalContact *contact, PalError *error)
{
    const PalResponse *response = contact->response;
    PalSight sight = response->sight != NULL ? response->sight(contact) : (PalSight){0, 0};
    PalScheduleSetup setup = {.def = &contact->def,
                              .model = model,
                              .surface = contact->surface,
                              .pairs = contact->objects,
                              .tells = wish->tells,
                              .reach = fmax(response->reach(contact), sight.steady),
                              .reach_per_travel = sight.moving};
    return contact->schedule->create != NULL
               ? contact->schedule->create(&setup, &contact->schedule_own, error)
               : PAL_OK;
}

static PalStatus find_rows(const PalContactSetup *setup, PalContact *contact, PalError *error)
{
    contact->response =
        setup->response != NULL ? setup->response : pal_response_row(contact->def.response);
    contact->schedule =
        setup->schedule != NULL ? setup->schedule : pal_schedule_row(contact->def.schedule);
    if (contact->response == NULL)
        return pal_error_set(error, PAL_BAD_INPUT, "there is no response %d",
                             (int)contact->def.response);
    if (contact->schedule == NULL)
        return pal_error_set(error, PAL_BAD_INPUT, "there is no schedule %d",
                             (int)contact->def.schedule);
    return PAL_OK;
}

static bool moves_rigids(int32_t response, int32_t what)
{
    (void)what;
    return pal_response_row((PalResponseKind)response)->moves_rigids;
}

static bool is_not_implicit(int32_t method, int32_t what)
{
    (void)what;
    return !pal_method_is_implicit((PalMethod)method);
}

// An object whose vertices are not nodes, each on its own.
static int32_t hung_object(const PalContactSurface *surface)
{
    for (int32_t v = 0; v < surface->soft_vertex_count; ++v) {
        bool alone = surface->hold_start[v + 1] - surface->hold_start[v] == 1;
        if (!alone || (v > 0 && surface->vertex_node[v] == surface->vertex_node[v - 1]))
            return surface->vertex_object[v];
    }
    return surface->vertex_object[0];
}

static PalStatus refuse_hung(const PalModel *model, const PalContact *contact, PalError *error)
{
    int32_t object = hung_object(contact->surface);
    PalStatus status = pal_error_set(
        error, PAL_BAD_INPUT,
        "response %s does not push membranes, shells or attached bodies such as \"%s\", expected "
        "response: lagrange, and method %s",
        contact->response->choice.name, pal_contact_object_name(model, object),
        pal_choices_that(pal_method_choice, is_not_implicit, 0).text);
    return pal_contact_error_about(object, status, error);
}

static PalStatus build(const PalContactSetup *setup, const PalModel *model, PalContact *contact,
                       PalError *error)
{
    PAL_TRY(find_rows(setup, contact, error));
    if (contact->def.hierarchy == PAL_HIERARCHY_INTERVAL && !contact->response->by_intervals)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "response %s knows no hierarchy of intervals, expected another "
                             "hierarchy, or response: material-depth",
                             contact->response->choice.name);
    if (contact->surface == NULL)
        PAL_TRY((contact->response->pushes_inside
                     ? pal_contact_surface_create_deep
                     : pal_contact_surface_create)(model, &contact->surface, error));
    if (!contact->surface->plain && !contact->response->moves_by_weights)
        return refuse_hung(model, contact, error);
    if (contact->surface->free_count > 0 && !contact->response->moves_rigids)
        return pal_error_set(
            error, PAL_BAD_INPUT,
            "response %s does not move free rigid bodies such as \"%s\", expected %s",
            contact->response->choice.name,
            model->rigids[contact->surface->objects[contact->surface->free_object[0]].index].name,
            pal_choices_that(pal_response_choice, moves_rigids, 0).text);
    PAL_TRY(copy_pairs(model, contact, error));
    contact->edge = pal_contact_mean_edge(contact->surface, contact->objects);
    PAL_TRY(pal_contact_separation(&contact->def, contact->surface, contact->objects,
                                   &contact->separation, error));
    contact->rate_distance = RATE_DISTANCE * contact->edge;
    contact->exactness = INFINITY;
    contact->surface->felt = NULL;
    contact->surface->felt_most = 0;
    // forces along other ways than the shortest have no potential, and may never come to rest
    contact->shortest = setup->to_rest;
    if (contact->response->smooths && !contact->shortest)
        PAL_TRY(pal_skin_create(model, contact->surface, contact->objects, &contact->skin, error));
    contact->report.separation = contact->separation;
    contact->report.shortest_edge = pal_contact_shortest_edge(contact->surface, contact->objects);
    contact->report.mean_edge = contact->edge;
    PAL_TRY(allocate(contact, error));
    PAL_TRY(create_search(contact, error));
    contact->report.margin = contact->search->margin;
    PAL_TRY(pal_contact_tell_create(contact, error));
    PAL_TRY(contact->response->create(contact, error));
    PAL_TRY(pal_fit_skin(contact, error));
    return create_schedule(setup, model, contact, error);
}

PalStatus pal_contact_create(const PalContactSetup *setup, const PalModel *model,
                             const PalState *state, PalContact **result, PalError *error)
{
    *result = NULL;
    PalContact *contact = pal_alloc(1, sizeof *contact);
    if (contact == NULL) {
        pal_contact_surface_destroy(setup->surface);
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for contact");
    }
    contact->def = *setup->def;
    contact->model = model;
    contact->surface = setup->surface;
    PalStatus status = build(setup, model, contact, error);
    if (status != PAL_OK) {
        if (contact->objects == NULL)
            contact->def.pairs = NULL;  // still the caller's
        pal_contact_destroy(contact);
        return status;
    }
    pal_contact_restored(model, contact, state);
    *result = contact;
    return PAL_OK;
}

void pal_contact_destroy(PalContact *contact)
{
    if (contact == NULL)
        return;
    if (contact->own != NULL)
        contact->response->destroy(contact);
    pal_trial_destroy(contact);
    if (contact->schedule_own != NULL)
        contact->schedule->destroy(contact->schedule_own);
    pal_contact_arrays_destroy(contact->arrays);
    pal_search_destroy(contact->search);
    pal_skin_destroy(contact->skin);
    pal_contact_surface_destroy(contact->surface);
    pal_free((void *)contact->def.pairs);
    pal_pairs_destroy(contact->objects);
    pal_carriers_clear(&contact->carriers);
    pal_free(contact->impulse);
    pal_free(contact->bodies);
    pal_free(contact->changed);
    pal_free(contact->points);
    pal_array_release((void **)&contact->pairs);
    pal_array_release((void **)&contact->places);
    pal_free(contact);
}

const int32_t *pal_contact_nodes(const PalContact *contact, int32_t *count)
{
    *count = contact->surface->node_carrier_count;
    return contact->surface->carrier_node;
}

void pal_contact_set_mass(PalContact *contact, const PalModel *model, const double *inverse_mass)
{
    const PalContactSurface *surface = contact->surface;
    contact->carriers.largest_inverse = 0;
    for (int32_t c = 0; c < surface->node_carrier_count; ++c) {
        int64_t node = surface->carrier_node[c];
        double inverse[3];
        for (int i = 0; i < 3; ++i)
            inverse[i] = model->held[node] >> i & 1 ? 0 : inverse_mass[3 * node + i];
        pal_carriers_set(&contact->carriers, c, inverse);
    }
}

void pal_contact_set_exactness(PalContact *contact, double change)
{
    contact->exactness = change;
}

// ---- a step -----------------------------------------------------------------------------

static void find_changed(PalContact *contact)
{
    contact->changed_count = 0;
    for (int32_t v = 0; v < contact->carriers.count; ++v) {
        PalVec3 p = contact->impulse[v];
        if (p.x != 0 || p.y != 0 || p.z != 0)
            contact->changed[contact->changed_count++] = v;
    }
}

// Names the node whose motion has no end.
static PalStatus report_lost(const PalModel *model, const PalContact *contact, double time,
                             PalError *error)
{
    const PalContactSurface *surface = contact->surface;
    int32_t v = contact->search->lost;
    const PalSurfaceObject *object = &surface->objects[surface->vertex_object[v]];
    PalVertexOrigin origin = object->source->origin(model, object->index, surface->vertex_node[v]);
    if (error != NULL)
        *error = (PalError){0};  // more than the search could tell
    return pal_error_set(
        error, PAL_SIM_FAILED,
        "node %d of %s \"%s\", at (%.4g, %.4g, %.4g) before any motion, has no valid position at "
        "time %.6g: it is not a number, or too large; a load or a step is far too large",
        origin.node, object->source->name, origin.owner, origin.place.x, origin.place.y,
        origin.place.z, time);
}

// Nothing is left of the step before.
static void clear_step(PalContact *contact)
{
    for (int32_t i = 0; i < contact->changed_count; ++i)
        contact->impulse[contact->changed[i]] = (PalVec3){0, 0, 0};
    contact->changed_count = 0;
    contact->point_count = 0;
    contact->report.penetration = 0;
}

// How impulses move free rigid bodies in this step. What one does at most to a vertex comes from
// both carriers.
static void begin_bodies(PalContact *contact, const PalModel *model, const PalRigidState *rigids)
{
    const PalContactSurface *surface = contact->surface;
    double largest = contact->carriers.largest_inverse;
    for (int32_t f = 0; f < surface->free_count; ++f) {
        const PalRigidState *state = &rigids[contact->bodies[f].rigid];
        const PalRigid *rigid = &model->rigids[contact->bodies[f].rigid];
        double linear = state->inverse_mass;
        largest = pal_max(largest, linear + rigid->radius * rigid->radius / rigid->moments[0]);
        pal_free_begin(&contact->bodies[f], state);
        pal_carriers_set(&contact->carriers, pal_free_carrier(surface, f),
                         (double[]){linear, linear, linear});
        pal_carriers_set(&contact->carriers, pal_free_carrier(surface, f) + 1, (double[]){1, 1, 1});
    }
    contact->carriers.largest_inverse = largest;
}

static void forget(PalContact *contact)
{
    pal_search_forget(contact->search);
    if (contact->response->forget != NULL)
        contact->response->forget(contact);
}

// Candidates have the friction they were found with.
bool pal_contact_set_friction(PalContact *contact, int32_t a, int32_t b, double friction)
{
    int32_t pair = pal_contact_find_pair(contact, a, b);
    if (pair == PAL_NONE)
        pair = pal_contact_add_pair(contact, a, b, friction);
    bool good = pair != PAL_NONE && pal_contact_put_friction(contact, pair, friction);
    forget(contact);
    return good;
}

// Where, how far and how hard, in a step in which something may touch.
static PalStatus look(PalContact *contact, const PalContactStep *step, PalMeter *meter,
                      const PalSurfaceMotion *motion, PalError *error)
{
    double begin = pal_timer_seconds();
    ++meter->counters.wakes;
    if (contact->asleep)
        forget(contact);
    contact->asleep = false;
    pal_contact_surface_move(contact->surface, motion);
    begin_bodies(contact, motion->model, motion->rigids);
    contact->changed_count = PAL_NONE;
    meter->profile.contact_update += pal_timer_seconds() - begin;
    PalStatus status = contact->response->step(contact, step, meter, error);
    if (status != PAL_OK && contact->search->lost != PAL_NONE)
        return report_lost(motion->model, contact, step->end_time, error);
    PAL_TRY(status);
    if (contact->changed_count == PAL_NONE)
        find_changed(contact);
    if (contact->onlooker != NULL)
        contact->onlooker(contact->onlooker_context, contact, step);
    pal_search_pass(contact->search, contact->surface);
    PalPushes pushes = {contact->changed_count, contact->changed, contact->impulse,
                        (const double(*)[4])contact->carriers.inverse_mass, step->step};
    if (contact->schedule->looked != NULL)
        contact->schedule->looked(contact->schedule_own, &pushes);
    return PAL_OK;
}

// A step in which nothing can touch: skins hold nothing, and what they held of late fades.
static void sleep_on(PalContact *contact)
{
    contact->asleep = true;
    if (contact->skin != NULL)
        pal_accounts_begin(contact->skin);
}

double pal_contact_next_look(const PalContact *contact, double now)
{
    return contact->schedule->next != NULL ? contact->schedule->next(contact->schedule_own) : now;
}

const double *pal_contact_foreseen(const PalContact *contact, int32_t *count)
{
    *count = 0;
    return contact->schedule->foreseen != NULL
               ? contact->schedule->foreseen(contact->schedule_own, count)
               : NULL;
}

// Marks the nodes that were pushed. Ascending, they have the same order in a run that is resumed.
static void mark_expected(PalContact *contact, const PalVec3 *force)
{
    PalContactSurface *surface = contact->surface;
    for (int32_t i = 0; i < contact->changed_count; ++i) {
        int32_t c = contact->changed[i];
        if (!pal_carrier_is_node(surface, c))
            continue;
        PalVec3 f = force[surface->carrier_node[c]];
        if (f.x != 0 || f.y != 0 || f.z != 0)
            surface->is_expected[c / 64] |= UINT64_C(1) << c % 64;
    }
    for (int32_t word = 0; word <= surface->node_carrier_count / 64; ++word)
        for (uint64_t bits = surface->is_expected[word]; bits != 0; bits &= bits - 1)
            surface->expected[surface->expected_count++] = 64 * word + __builtin_ctzll(bits);
}

bool pal_contact_expects(const PalContact *contact)
{
    return contact->response->expects && contact->surface->plain;
}

void pal_contact_expect(PalContact *contact, const PalVec3 *force, double gain, PalVec3 *velocity,
                        double *speeds)
{
    PalContactSurface *surface = contact->surface;
    surface->expected_count = 0;
    if (pal_contact_expects(contact))
        mark_expected(contact, force);
    for (int32_t i = 0; i < surface->expected_count; ++i) {
        int32_t c = surface->expected[i], node = surface->carrier_node[c];
        const double *inverse = contact->carriers.inverse_mass[c];
        PalVec3 old = surface->predicted[c] = velocity[node];
        velocity[node] = pal_vec3(old.x + gain * inverse[0] * force[node].x,
                                  old.y + gain * inverse[1] * force[node].y,
                                  old.z + gain * inverse[2] * force[node].z);
        double *speed = &speeds[node / PAL_NODE_CHUNK];
        *speed = pal_max(*speed, pal_vec3_length(velocity[node]));
    }
}

void pal_contact_predicted(PalContact *contact, PalVec3 *velocity)
{
    PalContactSurface *surface = contact->surface;
    for (int32_t i = 0; i < surface->expected_count; ++i) {
        int32_t c = surface->expected[i];
        velocity[surface->carrier_node[c]] = surface->predicted[c];
        surface->is_expected[c / 64] = 0;
    }
    surface->expected_count = 0;
}

PalStatus pal_contact_step(const PalModel *model, PalContact *contact, const PalContactStep *step,
                           PalMeter *meter, PalError *error)
{
    bool as_needed = contact->response->lazy && pal_search_is_lazy(contact->search);
    PalSurfaceMotion motion = {
        .model = model,
        .displacement = step->displacement,
        .velocity = step->velocity,
        .speeds = step->speeds,
        .rigids = step->rigids,
        .start_time = step->start_time,
        .step = step->step,
    };
    int64_t rescues = contact->report.rescues;
    clear_step(contact);
    bool timed = contact->schedule_own != NULL;
    double begin = timed ? pal_timer_seconds() : 0;
    bool wakes = contact->schedule->wakes(contact->schedule_own, &motion);
    if (timed)
        meter->profile.contact_update += pal_timer_seconds() - begin;
    if (!as_needed)
        motion.speeds = NULL;  // whoever looks wants every vertex
    if (wakes)
        PAL_TRY(look(contact, step, meter, &motion, error));
    else
        sleep_on(contact);
    PAL_TRY(pal_contact_tell(contact, step, error));
    pal_contact_validate(contact, rescues);
    return PAL_OK;
}

// Which nodes had an impulse in the last step: their forces are taken back in the next one.
static void restore_changed(PalContact *contact, const PalVec3 *forces)
{
    const PalContactSurface *surface = contact->surface;
    memset(contact->impulse, 0, (size_t)contact->carriers.count * sizeof *contact->impulse);
    contact->changed_count = 0;
    for (int32_t c = 0; c < surface->node_carrier_count; ++c) {
        PalVec3 force = forces[surface->carrier_node[c]];
        if (force.x != 0 || force.y != 0 || force.z != 0)
            contact->changed[contact->changed_count++] = c;
    }
}

void pal_contact_restored(const PalModel *model, PalContact *contact, const PalState *state)
{
    restore_changed(contact, state->contact);
    pal_contact_surface_place(contact->surface, model, state->displacement, state->rigids);
    pal_search_forget(contact->search);
    if (contact->schedule->forget != NULL)
        contact->schedule->forget(contact->schedule_own);
}

void pal_contact_step_back(const PalModel *model, PalContact *contact, const PalState *state)
{
    clear_step(contact);
    pal_contact_restored(model, contact, state);
    forget(contact);
}
