// Which objects touch, and how near they come.
#include "contact/surface/pairs.h"

#include "base/array.h"
#include "base/counted.h"
#include "base/memory.h"
#include "math/vec3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SEPARATION 0.002  // automatic resting distance, of the mean edge
#define FINEST     0.05   // of the shortest edge: where meshes are so strongly graded, no more
#define DENSE      256    // objects, at most, for a table of each two

const char *pal_contact_object_name(const PalModel *model, int32_t object)
{
    return object < model->body_count ? model->bodies[object].name
                                      : model->rigids[object - model->body_count].name;
}

PalStatus pal_contact_error_about(int32_t object, PalStatus status, PalError *error)
{
    if (status != PAL_OK && error != NULL)
        error->object = 1 + object;
    return status;
}

// Nothing moves it but its motion.
static bool is_prescribed(const PalModel *model, int32_t object)
{
    return object >= model->body_count && !model->rigids[object - model->body_count].free;
}

static PalStatus check_friction(double friction, PalError *error)
{
    if (friction >= 0 && isfinite(friction))
        return PAL_OK;
    return pal_error_set(error, PAL_BAD_INPUT, "contact friction is %g, expected a number >= 0",
                         friction);
}

static PalStatus check_pair(const PalContactDef *def, const PalContactPairDef *pair,
                            const PalModel *model, PalError *error)
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
                             "contact between rigid \"%s\" and rigid \"%s\": expected at least one "
                             "soft body, or a rigid one with a mass",
                             model->rigids[pair->objects[0] - model->body_count].name,
                             model->rigids[pair->objects[1] - model->body_count].name);
    bool passes = (def->every_pair || def->every_self) && pair->friction < 0;
    return passes ? PAL_OK : check_friction(pair->friction, error);
}

static int compare_items(const void *left, const void *right)
{
    const PalPairItem *a = left, *b = right;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    return (a->high > b->high) - (a->high < b->high);
}

// Where two objects stand in the list, or would.
static int32_t place_of(const PalPairs *pairs, int32_t low, int32_t high)
{
    int32_t first = 0, end = pairs->item_count;
    while (first < end) {
        int32_t middle = first + (end - first) / 2;
        const PalPairItem *item = &pairs->items[middle];
        bool before = item->low < low || (item->low == low && item->high < high);
        first = before ? middle + 1 : first;
        end = before ? end : middle;
    }
    return first;
}

double pal_pairs_look_up(const PalPairs *pairs, int32_t a, int32_t b)
{
    int32_t low = a < b ? a : b, high = a < b ? b : a, place = place_of(pairs, low, high);
    if (place < pairs->item_count && pairs->items[place].low == low &&
        pairs->items[place].high == high)
        return pairs->items[place].friction;
    if (low == high)
        return low < pairs->body_count ? pairs->every_self : -1;
    return pairs->prescribed[low] && pairs->prescribed[high] ? -1 : pairs->every_pair;
}

bool pal_pairs_set(PalPairs *pairs, int32_t a, int32_t b, double friction)
{
    int32_t low = a < b ? a : b, high = a < b ? b : a, place = place_of(pairs, low, high);
    bool listed = place < pairs->item_count && pairs->items[place].low == low &&
                  pairs->items[place].high == high;
    if (!listed) {
        if (!pal_array_grow((void **)&pairs->items, &pairs->item_capacity, pairs->item_count, 1,
                            sizeof *pairs->items))
            return false;
        memmove(&pairs->items[place + 1], &pairs->items[place],
                (size_t)(pairs->item_count++ - place) * sizeof *pairs->items);
    }
    pairs->items[place] = (PalPairItem){low, high, friction};
    if (pairs->dense != NULL) {
        pairs->dense[(int64_t)a * pairs->object_count + b] = friction;
        pairs->dense[(int64_t)b * pairs->object_count + a] = friction;
    }
    return true;
}

bool pal_pairs_touching(const PalPairs *pairs, int32_t object)
{
    if (pairs->touching != NULL)
        return pairs->touching[object];
    for (int32_t other = 0; other < pairs->object_count; ++other)
        if (pal_pairs_friction(pairs, object, other) >= 0)
            return true;
    return false;
}

static PalStatus check_def(const PalContactDef *def, const PalModel *model, PalError *error)
{
    PAL_TRY(pal_check_counted("contact pairs", def->pair_count, def->pairs, error));
    for (int32_t p = 0; p < def->pair_count; ++p)
        PAL_TRY(check_pair(def, &def->pairs[p], model, error));
    PAL_TRY(check_friction(def->every_pair ? def->every_pair_friction : 0, error));
    PAL_TRY(check_friction(def->every_self ? def->every_self_friction : 0, error));
    if (!(def->separation >= 0) || !isfinite(def->separation))
        return pal_error_set(error, PAL_BAD_INPUT,
                             "contact separation is %g, expected 0 (automatic) or a distance",
                             def->separation);
    return PAL_OK;
}

static PalStatus list_items(const PalContactDef *def, PalPairs *pairs, PalError *error)
{
    for (int32_t p = 0; p < def->pair_count; ++p) {
        int32_t a = def->pairs[p].objects[0], b = def->pairs[p].objects[1];
        pairs->items[p] = (PalPairItem){a < b ? a : b, a < b ? b : a, def->pairs[p].friction};
    }
    pairs->item_count = def->pair_count;
    qsort(pairs->items, (size_t)pairs->item_count, sizeof *pairs->items, compare_items);
    for (int32_t i = 1; i < pairs->item_count; ++i)
        if (compare_items(&pairs->items[i - 1], &pairs->items[i]) == 0)
            return pal_error_set(error, PAL_BAD_INPUT,
                                 "contact names objects %d and %d twice, expected each pair once",
                                 (int)pairs->items[i].low, (int)pairs->items[i].high);
    return PAL_OK;
}

static void find_touching(PalPairs *pairs)
{
    for (int32_t object = 0; object < pairs->object_count; ++object)
        pairs->touching[object] = (pairs->every_pair >= 0 && pairs->object_count > 1) ||
                                  (pairs->every_self >= 0 && object < pairs->body_count);
    for (int32_t i = 0; i < pairs->item_count; ++i)
        if (pairs->items[i].friction >= 0)
            pairs->touching[pairs->items[i].low] = pairs->touching[pairs->items[i].high] = true;
}

static PalStatus fill_pairs(const PalContactDef *def, const PalModel *model, PalPairs *pairs,
                            PalError *error)
{
    size_t n = (size_t)model->body_count + (size_t)model->rigid_count;
    pairs->object_count = (int32_t)n;
    pairs->body_count = model->body_count;
    pairs->every_pair = def->every_pair ? def->every_pair_friction : -1;
    pairs->every_self = def->every_self ? def->every_self_friction : -1;
    pairs->prescribed = pal_alloc(n, sizeof *pairs->prescribed);
    pairs->touching = pal_alloc(n, sizeof *pairs->touching);
    bool listed = pal_array_grow((void **)&pairs->items, &pairs->item_capacity, 0,
                                 (int64_t)def->pair_count + 1, sizeof *pairs->items);
    double *dense = n <= DENSE ? pal_alloc(n * n, sizeof *dense) : NULL;
    if (pairs->prescribed == NULL || pairs->touching == NULL || !listed ||
        (n <= DENSE && dense == NULL)) {
        pal_free(dense);
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for contact");
    }
    for (int32_t object = 0; object < pairs->object_count; ++object)
        pairs->prescribed[object] = is_prescribed(model, object);
    PalStatus status = list_items(def, pairs, error);
    for (size_t i = 0; dense != NULL && status == PAL_OK && i < n * n; ++i)
        dense[i] = pal_pairs_look_up(pairs, (int32_t)(i / n), (int32_t)(i % n));
    pairs->dense = dense;
    find_touching(pairs);
    return status;
}

PalStatus pal_pairs_create(const PalContactDef *def, const PalModel *model, PalPairs **result,
                           PalError *error)
{
    *result = NULL;
    PAL_TRY(check_def(def, model, error));
    PalPairs *pairs = pal_alloc(1, sizeof *pairs);
    if (pairs == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for contact");
    PalStatus status = fill_pairs(def, model, pairs, error);
    if (status == PAL_OK)
        *result = pairs;
    else
        pal_pairs_destroy(pairs);
    return status;
}

void pal_pairs_destroy(PalPairs *pairs)
{
    if (pairs == NULL)
        return;
    pal_free(pairs->dense);
    pal_free(pairs->prescribed);
    pal_free(pairs->touching);
    pal_array_release((void **)&pairs->items);
    pal_free(pairs);
}

static bool is_kind(const PalContactSurface *surface, int32_t object, bool soft)
{
    return soft ? object < surface->body_count : surface->object_free[object] != PAL_NONE;
}

static double shortest_edge(const PalContactSurface *surface, const PalPairs *pairs, bool soft)
{
    double shortest = INFINITY;
    int32_t object = PAL_NONE;
    bool counts = false;
    for (int32_t e = 0; e < surface->edge_count; ++e) {
        const int32_t *ends = surface->edges[e];
        if (surface->vertex_object[ends[0]] != object) {
            object = surface->vertex_object[ends[0]];
            counts = is_kind(surface, object, soft) && pal_pairs_touching(pairs, object);
        }
        if (counts)
            shortest =
                fmin(shortest, pal_vec3_distance(surface->start[ends[0]], surface->start[ends[1]]));
    }
    return shortest;
}

double pal_contact_shortest_edge(const PalContactSurface *surface, const PalPairs *pairs)
{
    double soft = shortest_edge(surface, pairs, true);
    return isfinite(soft) ? soft : shortest_edge(surface, pairs, false);
}

// The smallest mean edge of the objects that touch anything, either soft or free and rigid.
static double smallest_mean_edge(const PalContactSurface *surface, const PalPairs *pairs, bool soft)
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
        if (edge > first && is_kind(surface, object, soft) && pal_pairs_touching(pairs, object))
            least = fmin(least, sum / (edge - first));
    }
    return least;
}

// Soft surfaces have the details that matter.
double pal_contact_mean_edge(const PalContactSurface *surface, const PalPairs *pairs)
{
    double soft = smallest_mean_edge(surface, pairs, true);
    double free = isfinite(soft) ? soft : smallest_mean_edge(surface, pairs, false);
    return isfinite(free) ? free : surface->longest;
}

PalStatus pal_contact_separation(const PalContactDef *def, const PalContactSurface *surface,
                                 const PalPairs *pairs, double *separation, PalError *error)
{
    double edge = pal_contact_mean_edge(surface, pairs);
    double shortest = pal_contact_shortest_edge(surface, pairs);
    *separation =
        def->separation > 0 ? def->separation : fmin(SEPARATION * edge, FINEST * shortest);
    if (*separation > edge)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "contact separation is %g, expected less than the mean edge of the "
                             "finest body in contact, %.3g; auto is %g of that",
                             *separation, edge, SEPARATION);
    return PAL_OK;
}
