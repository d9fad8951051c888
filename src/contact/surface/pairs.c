// Which objects touch, and how near they come.
#include "contact/surface/pairs.h"

#include "base/counted.h"
#include "base/memory.h"
#include "math/vec3.h"

#include <math.h>

#define SEPARATION 0.002  // automatic resting distance, of the mean edge
#define FINEST     0.05   // of the shortest edge: where meshes are so strongly graded, no more

const char *pal_contact_object_name(const PalModel *model, int32_t object)
{
    return object < model->body_count ? model->bodies[object].name
                                      : model->rigids[object - model->body_count].name;
}

// Nothing moves it but its motion.
static bool is_prescribed(const PalModel *model, int32_t object)
{
    return object >= model->body_count && !model->rigids[object - model->body_count].free;
}

static PalStatus check_pair(const PalContactPairDef *pair, const PalModel *model, PalError *error)
{
    int32_t object_count = model->body_count + model->rigid_count;
    for (int i = 0; i < 2; ++i)
        if (pair->objects[i] < 0 || pair->objects[i] >= object_count)
            return pal_error_set(error, PAL_BAD_INPUT,
                                 "contact names object %d, expected 0 to %d: bodies, then rigid "
                                 "instruments",
                                 pair->objects[i], object_count - 1);
    if (is_prescribed(model, pair->objects[0]) && is_prescribed(model, pair->objects[1]))
        return pal_error_set(error, PAL_BAD_INPUT,
                             "contact between rigid '%s' and rigid '%s': expected at least one "
                             "soft body, or a rigid one with a mass",
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

static bool touches_anything(const PalContactSurface *surface, const double *friction,
                             int32_t object)
{
    for (int32_t other = 0; other < surface->object_count; ++other)
        if (friction[(int64_t)object * surface->object_count + other] >= 0)
            return true;
    return false;
}

static bool is_kind(const PalContactSurface *surface, int32_t object, bool soft)
{
    return soft ? object < surface->body_count : surface->object_free[object] != PAL_NONE;
}

static double shortest_edge(const PalContactSurface *surface, const double *friction, bool soft)
{
    double shortest = INFINITY;
    int32_t object = PAL_NONE;
    bool counts = false;
    for (int32_t e = 0; e < surface->edge_count; ++e) {
        const int32_t *ends = surface->edges[e];
        if (surface->vertex_object[ends[0]] != object) {
            object = surface->vertex_object[ends[0]];
            counts = is_kind(surface, object, soft) && touches_anything(surface, friction, object);
        }
        if (counts)
            shortest =
                fmin(shortest, pal_vec3_distance(surface->start[ends[0]], surface->start[ends[1]]));
    }
    return shortest;
}

double pal_contact_shortest_edge(const PalContactSurface *surface, const double *friction)
{
    double soft = shortest_edge(surface, friction, true);
    return isfinite(soft) ? soft : shortest_edge(surface, friction, false);
}

// The smallest mean edge of the objects that touch anything, either soft or free and rigid.
static double smallest_mean_edge(const PalContactSurface *surface, const double *friction,
                                 bool soft)
{
    double least = INFINITY;
    int32_t edge = 0;
    for (int32_t object = 0; object < surface->object_count; ++object) {
        double sum = 0;
        int32_t first = edge;
        for (; edge < surface->edge_count; ++edge) {
            const int32_t *ends = surface->edges[edge];
            if (surface->vertex_object[ends[0]] != object)
                break;
            sum += pal_vec3_distance(surface->start[ends[0]], surface->start[ends[1]]);
        }
        if (edge > first && is_kind(surface, object, soft) &&
            touches_anything(surface, friction, object))
            least = fmin(least, sum / (edge - first));
    }
    return least;
}

// Soft surfaces have the details that matter.
double pal_contact_mean_edge(const PalContactSurface *surface, const double *friction)
{
    double soft = smallest_mean_edge(surface, friction, true);
    double free = isfinite(soft) ? soft : smallest_mean_edge(surface, friction, false);
    return isfinite(free) ? free : surface->longest;
}

PalStatus pal_contact_separation(const PalContactDef *def, const PalContactSurface *surface,
                                 const double *friction, double *separation, PalError *error)
{
    double edge = pal_contact_mean_edge(surface, friction);
    double shortest = pal_contact_shortest_edge(surface, friction);
    *separation =
        def->separation > 0 ? def->separation : fmin(SEPARATION * edge, FINEST * shortest);
    if (*separation > edge)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "contact separation is %g, expected less than the mean edge of the "
                             "finest body in contact, %.3g; auto is %g of that",
                             *separation, edge, SEPARATION);
    return PAL_OK;
}
