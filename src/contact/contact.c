#include "contact/arrays.h"
#include "contact/lagrange.h"
#include "contact/tell.h"

#include "base/counted.h"
#include "base/memory.h"
#include "base/timer.h"
#include "math/vec3.h"

#include <string.h>

#define SEPARATION    0.002   // automatic resting distance, of the mean edge
#define RATE_DISTANCE 0.0005  // approach is slowed down this much earlier, of the mean edge

static const PalResponse *const responses[] = {
    &pal_response_lagrange,
    &pal_response_johnsen2015,
    &pal_response_johnsen2012,
};

const char *pal_contact_object_name(const PalModel *model, int32_t object)
{
    return object < model->body_count ? model->bodies[object].name
                                      : model->rigids[object - model->body_count].name;
}

const PalResponse *pal_contact_response(const PalContact *contact)
{
    return responses[contact->def.response];
}

// ---- creating ---------------------------------------------------------------------------

static PalStatus check_pair(const PalContactPairDef *pair, const PalModel *model, PalError *error)
{
    int32_t object_count = model->body_count + model->rigid_count;
    for (int i = 0; i < 2; ++i)
        if (pair->objects[i] < 0 || pair->objects[i] >= object_count)
            return pal_error_set(error, PAL_BAD_INPUT,
                                 "contact names object %d, expected 0 to %d: bodies, then rigid "
                                 "instruments",
                                 pair->objects[i], object_count - 1);
    if (pair->objects[0] >= model->body_count && pair->objects[1] >= model->body_count)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "contact between rigid '%s' and rigid '%s': expected at least one "
                             "soft body",
                             model->rigids[pair->objects[0] - model->body_count].name,
                             model->rigids[pair->objects[1] - model->body_count].name);
    if (!(pair->friction >= 0) || !isfinite(pair->friction))
        return pal_error_set(error, PAL_BAD_INPUT, "contact friction is %g, expected a number >= 0",
                             pair->friction);
    return PAL_OK;
}

PalStatus pal_contact_frictions(const PalContactDef *def, const PalModel *model, double **friction,
                                PalError *error)
{
    int64_t n = model->body_count + model->rigid_count;
    PAL_TRY(pal_check_counted("contact pairs", def->pair_count, def->pairs, error));
    for (int32_t p = 0; p < def->pair_count; ++p)
        PAL_TRY(check_pair(&def->pairs[p], model, error));
    if (!(def->separation >= 0) || !isfinite(def->separation))
        return pal_error_set(error, PAL_BAD_INPUT,
                             "contact separation is %g, expected 0 (automatic) or a distance",
                             def->separation);
    *friction = pal_alloc((size_t)(n * n), sizeof **friction);
    if (*friction == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for contact");
    for (int64_t i = 0; i < n * n; ++i)
        (*friction)[i] = -1;
    for (int32_t p = 0; p < def->pair_count; ++p) {
        int64_t a = def->pairs[p].objects[0], b = def->pairs[p].objects[1];
        if ((*friction)[a * n + b] >= 0) {
            pal_free(*friction);
            *friction = NULL;
            return pal_error_set(error, PAL_BAD_INPUT,
                                 "contact names objects %d and %d twice, expected each pair once",
                                 (int)a, (int)b);
        }
        (*friction)[a * n + b] = (*friction)[b * n + a] = def->pairs[p].friction;
    }
    return PAL_OK;
}

static PalStatus copy_pairs(const PalModel *model, PalContact *contact, PalError *error)
{
    PAL_TRY(pal_contact_frictions(&contact->def, model, &contact->friction, error));
    contact->def.pairs =
        pal_copy(contact->def.pairs, (size_t)contact->def.pair_count, sizeof *contact->def.pairs);
    return contact->def.pairs != NULL
               ? PAL_OK
               : pal_error_set(error, PAL_NO_MEMORY, "no memory for contact");
}

static bool touches_anything(const PalContactSurface *surface, const double *friction,
                             int32_t object)
{
    for (int32_t other = 0; other < surface->object_count; ++other)
        if (friction[(int64_t)object * surface->object_count + other] >= 0)
            return true;
    return false;
}

double pal_contact_shortest_edge(const PalContactSurface *surface, const double *friction)
{
    double shortest = INFINITY;
    int32_t object = PAL_NONE;
    bool counts = false;
    for (int32_t e = 0; e < surface->edge_count; ++e) {
        const int32_t *ends = surface->edges[e];
        if (surface->vertex_object[ends[0]] != object) {
            object = surface->vertex_object[ends[0]];
            counts = object < surface->body_count && touches_anything(surface, friction, object);
        }
        if (counts)
            shortest =
                fmin(shortest, pal_vec3_distance(surface->start[ends[0]], surface->start[ends[1]]));
    }
    return shortest;
}

// The smallest mean edge of the soft bodies that touch anything.
double pal_contact_mean_edge(const PalContactSurface *surface, const double *friction)
{
    double least = INFINITY;
    int32_t edge = 0;
    for (int32_t object = 0; object < surface->body_count; ++object) {
        double sum = 0;
        int32_t first = edge;
        for (; edge < surface->edge_count; ++edge) {
            const int32_t *ends = surface->edges[edge];
            if (surface->vertex_object[ends[0]] != object)
                break;
            sum += pal_vec3_distance(surface->start[ends[0]], surface->start[ends[1]]);
        }
        if (edge > first && touches_anything(surface, friction, object))
            least = fmin(least, sum / (edge - first));
    }
    return isfinite(least) ? least : surface->longest;
}

PalStatus pal_contact_separation(const PalContactDef *def, const PalContactSurface *surface,
                                 const double *friction, double *separation, PalError *error)
{
    double edge = pal_contact_mean_edge(surface, friction);
    *separation = def->separation > 0 ? def->separation : SEPARATION * edge;
    if (*separation > edge)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "contact separation is %g, expected less than the mean edge of the "
                             "finest body in contact, %.3g; auto is %g of that",
                             *separation, edge, SEPARATION);
    return PAL_OK;
}

static PalStatus allocate(PalContact *contact, PalError *error)
{
    size_t vertices = (size_t)contact->surface->vertex_count + 1;
    contact->inverse_mass = pal_alloc(vertices, sizeof *contact->inverse_mass);
    contact->root_inverse = pal_alloc(vertices, sizeof *contact->root_inverse);
    contact->root_mass = pal_alloc(vertices, sizeof *contact->root_mass);
    contact->moves = pal_alloc(vertices, sizeof *contact->moves);
    contact->impulse = pal_alloc(vertices, sizeof *contact->impulse);
    contact->changed = pal_alloc(vertices, sizeof *contact->changed);
    if (contact->inverse_mass == NULL || contact->root_inverse == NULL ||
        contact->root_mass == NULL || contact->moves == NULL || contact->impulse == NULL ||
        contact->changed == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for contact");
    return PAL_OK;
}

static PalStatus create_search(PalContact *contact, PalError *error)
{
    size_t n = (size_t)contact->surface->object_count;
    bool *allowed = pal_alloc(n * n, sizeof *allowed);
    if (allowed == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for contact");
    for (size_t i = 0; i < n * n; ++i)
        allowed[i] = contact->friction[i] >= 0;
    PalContactDef def = contact->def;
    if (def.response == PAL_RESPONSE_LAGRANGE)  // bodies that touch nothing may be far finer
        def.separation = pal_lagrange_listed(contact);
    PalStatus status = pal_search_create(&def, contact->surface, allowed, &contact->search, error);
    pal_free(allowed);
    return status;
}

static PalStatus build(const PalModel *model, PalContact *contact, PalError *error)
{
    PAL_TRY(pal_contact_surface_create(model, &contact->surface, error));
    PAL_TRY(copy_pairs(model, contact, error));
    contact->edge = pal_contact_mean_edge(contact->surface, contact->friction);
    PAL_TRY(pal_contact_separation(&contact->def, contact->surface, contact->friction,
                                   &contact->separation, error));
    contact->rate_distance = RATE_DISTANCE * contact->edge;
    contact->report.separation = contact->separation;
    PAL_TRY(allocate(contact, error));
    PAL_TRY(create_search(contact, error));
    contact->report.margin = contact->search->margin;
    PAL_TRY(pal_contact_tell_create(contact, error));
    return responses[contact->def.response]->create(contact, error);
}

PalStatus pal_contact_create(const PalContactDef *def, const PalModel *model,
                             const PalVec3 *displacement, double time, PalContact **result,
                             PalError *error)
{
    *result = NULL;
    PalContact *contact = pal_alloc(1, sizeof *contact);
    if (contact == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for contact");
    contact->def = *def;
    PalStatus status = build(model, contact, error);
    if (status != PAL_OK) {
        if (contact->friction == NULL)
            contact->def.pairs = NULL;  // still the caller's
        pal_contact_destroy(contact);
        return status;
    }
    pal_contact_restored(model, contact, displacement, NULL, time);
    *result = contact;
    return PAL_OK;
}

void pal_contact_destroy(PalContact *contact)
{
    if (contact == NULL)
        return;
    if (contact->response != NULL)
        responses[contact->def.response]->destroy(contact);
    pal_contact_arrays_destroy(contact->arrays);
    pal_search_destroy(contact->search);
    pal_contact_surface_destroy(contact->surface);
    pal_free((void *)contact->def.pairs);
    pal_free(contact->friction);
    pal_free(contact->inverse_mass);
    pal_free(contact->root_inverse);
    pal_free(contact->root_mass);
    pal_free(contact->moves);
    pal_free(contact->impulse);
    pal_free(contact->changed);
    pal_free(contact->points);
    pal_free(contact->pairs);
    pal_free(contact->pair_of);
    pal_free(contact);
}

const int32_t *pal_contact_nodes(const PalContact *contact, int32_t *count)
{
    *count = contact->surface->soft_vertex_count;
    return contact->surface->vertex_node;
}

void pal_contact_set_mass(PalContact *contact, const PalModel *model, const double *inverse_mass)
{
    const PalContactSurface *surface = contact->surface;
    contact->largest_inverse_mass = 0;
    for (int32_t v = 0; v < surface->soft_vertex_count; ++v) {
        int64_t node = surface->vertex_node[v];
        contact->moves[v] = (model->held[node] & 7) != 7;
        for (int i = 0; i < 3; ++i) {
            double inverse = model->held[node] >> i & 1 ? 0 : inverse_mass[3 * node + i];
            contact->inverse_mass[v][i] = inverse;
            contact->root_inverse[v][i] = sqrt(inverse);
            contact->root_mass[v][i] = inverse > 0 ? 1 / sqrt(inverse) : 0;
            contact->largest_inverse_mass = fmax(contact->largest_inverse_mass, inverse);
        }
    }
}

// ---- a step -----------------------------------------------------------------------------

static void find_changed(PalContact *contact)
{
    contact->changed_count = 0;
    for (int32_t v = 0; v < contact->surface->vertex_count; ++v) {
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
    int32_t v = contact->search->lost, node = surface->vertex_node[v];
    int32_t object = surface->vertex_object[v];
    bool soft = v < surface->soft_vertex_count;
    const PalBody *body = soft ? &model->bodies[object] : NULL;
    const PalRigid *rigid = soft ? NULL : &model->rigids[object - model->body_count];
    PalVec3 place = soft ? model->nodes[node] : rigid->mesh->nodes[node];
    if (error != NULL)
        *error = (PalError){0};  // more than the search could tell
    return pal_error_set(error, PAL_SIM_FAILED,
                         "node %d of %s '%s', at (%.4g, %.4g, %.4g) before any motion, is nowhere "
                         "at time %.6g: its position is no number, or too large to work with; a "
                         "load or a step is far too large",
                         soft ? node - body->first_node : node, soft ? "body" : "rigid",
                         soft ? body->name : rigid->name, place.x, place.y, place.z, time);
}

PalStatus pal_contact_step(const PalModel *model, PalContact *contact, const PalContactStep *step,
                           PalMeter *meter, PalError *error)
{
    double begin = pal_timer_seconds();
    bool as_needed =
        contact->def.response == PAL_RESPONSE_LAGRANGE && contact->def.update == PAL_UPDATE_FRONT;
    PalSurfaceMotion motion = {
        .model = model,
        .displacement = step->displacement,
        .velocity = step->velocity,
        .speeds = as_needed ? step->speeds : NULL,
        .start_time = step->start_time,
        .end_time = step->end_time,
        .step = step->step,
    };
    pal_contact_surface_move(contact->surface, &motion);
    for (int32_t i = 0; i < contact->changed_count; ++i)
        contact->impulse[contact->changed[i]] = (PalVec3){0, 0, 0};
    contact->changed_count = PAL_NONE;
    contact->point_count = 0;
    contact->report.penetration = 0;
    meter->profile.contact_update += pal_timer_seconds() - begin;
    PalStatus status = responses[contact->def.response]->step(contact, step, meter, error);
    if (status != PAL_OK && contact->search->lost != PAL_NONE)
        return report_lost(model, contact, step->end_time, error);
    PAL_TRY(status);
    if (contact->changed_count == PAL_NONE)
        find_changed(contact);
    pal_search_pass(contact->search, contact->surface);
    pal_contact_tell(contact, step);
    return PAL_OK;
}

// Which vertices had an impulse in the last step: their forces are taken back in the next one.
static void restore_changed(PalContact *contact, const PalVec3 *forces)
{
    const PalContactSurface *surface = contact->surface;
    memset(contact->impulse, 0, (size_t)surface->vertex_count * sizeof *contact->impulse);
    contact->changed_count = 0;
    for (int32_t v = 0; forces != NULL && v < surface->soft_vertex_count; ++v) {
        PalVec3 force = forces[surface->vertex_node[v]];
        if (force.x != 0 || force.y != 0 || force.z != 0)
            contact->changed[contact->changed_count++] = v;
    }
}

void pal_contact_restored(const PalModel *model, PalContact *contact, const PalVec3 *displacement,
                          const PalVec3 *forces, double time)
{
    restore_changed(contact, forces);
    pal_contact_surface_place(contact->surface, model, displacement, time);
    pal_search_forget(contact->search);
}

PalContactPoint *pal_contact_add_point(PalContact *contact)
{
    if (contact->point_count == contact->point_capacity) {
        int32_t capacity = 2 * contact->point_capacity + 64;
        PalContactPoint *points = pal_alloc((size_t)capacity, sizeof *points);
        if (points == NULL)
            return NULL;
        if (contact->point_count > 0)
            memcpy(points, contact->points, (size_t)contact->point_count * sizeof *points);
        pal_free(contact->points);
        contact->points = points;
        contact->point_capacity = capacity;
    }
    return &contact->points[contact->point_count++];
}
