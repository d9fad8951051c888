// Shallow overlaps are removed from the shape at rest: each vertex inside another object, or nearer
// to it than the separation, and the facet nearest to it are moved apart until no such vertex and
// no crossing facets are left. Nodes within the bodies follow; free rigid bodies move as a whole.
// docs/theory/overlaps.md
#include "contact/start/overlap.h"

#include "base/memory.h"
#include "contact/start/apart.h"
#include "contact/start/deep.h"
#include "contact/start/follow.h"
#include "contact/surface/sweep.h"
#include "math/vec3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NOTABLE 0.02  // of the mean edge: deeper overlaps are removed smoothly
#define TARGET  1.02  // of the separation: moved apart so far, so that it is reached soon
#define TOUCH   1e-3  // of the separation: facets that reach through each other by less only touch
#define NEARLY  (1 - 1e-9)  // of the separation: what is so far apart is not told from it
#define ROUNDS  200
#define SWEEPS  100  // in a round, where free rigid bodies push each other

static bool facets_cross(const PalApart *apart, PalFacetPair pair)
{
    return pal_facets_cross(apart->surface, apart->surface->start, pair.a, pair.b);
}

// Does a facet reach through the plane of another, and not only up to it? One without area has no
// plane.
static bool reaches_through(const PalApart *apart, int32_t facet, int32_t other)
{
    const PalVec3 *x = apart->surface->start;
    PalVec3 normal = pal_apart_facet_normal(apart, other);
    if (!(pal_vec3_dot(normal, normal) > 0))
        return true;
    PalVec3 origin = x[apart->surface->facets[other][0]];
    double low = INFINITY, high = -INFINITY;
    for (int k = 0; k < 3; ++k) {
        PalVec3 corner = x[apart->surface->facets[facet][k]];
        double height = pal_vec3_dot(normal, pal_vec3_sub(corner, origin));
        low = fmin(low, height);
        high = fmax(high, height);
    }
    double touch = TOUCH * apart->separation;
    return low < -touch && high > touch;
}

static bool facets_pierce(const PalApart *apart, PalFacetPair pair)
{
    return facets_cross(apart, pair) && reaches_through(apart, pair.a, pair.b) &&
           reaches_through(apart, pair.b, pair.a);
}

// ---- telling ----------------------------------------------------------------------------

typedef struct Table {
    const PalApart *apart;
    PalOverlap *items;  // ascending by objects
    int32_t count, capacity;
    PalOverlap lost;  // stands for those without memory
    bool no_memory;
} Table;

static PalOverlap *entry(Table *table, int32_t a, int32_t b)
{
    int32_t low = a < b ? a : b, high = a < b ? b : a, first = 0, end = table->count;
    while (first < end) {
        int32_t middle = first + (end - first) / 2;
        const int32_t *objects = table->items[middle].objects;
        bool before = objects[0] < low || (objects[0] == low && objects[1] < high);
        first = before ? middle + 1 : first;
        end = before ? end : middle;
    }
    if (first < table->count && table->items[first].objects[0] == low &&
        table->items[first].objects[1] == high)
        return &table->items[first];
    if (!pal_array_grow((void **)&table->items, &table->capacity, table->count, 1,
                        sizeof *table->items)) {
        table->no_memory = true;
        return &table->lost;
    }
    PalOverlap *overlap = &table->items[first];
    memmove(overlap + 1, overlap, (size_t)(table->count++ - first) * sizeof *overlap);
    *overlap = (PalOverlap){.objects = {low, high}};
    return overlap;
}

// How deep a vertex is that has no way out nearby, by asking all facets.
static double brute_depth(const PalApart *apart, int32_t vertex)
{
    const PalContactSurface *surface = apart->surface;
    int32_t object = apart->inside[vertex], end = surface->object_first_facet[object + 1];
    double least = INFINITY;
    for (int32_t f = surface->object_first_facet[object]; f < end; ++f)
        least = fmin(least, pal_apart_distance(apart, vertex, f));
    return least;
}

static bool is_free(const PalApart *apart, int32_t object)
{
    return apart->surface->object_free[object] != PAL_NONE;
}

static void note_inside(Table *table, int32_t vertex, int32_t *asked)
{
    enum { MOST = 2000 };  // vertices whose depth is found by asking all facets
    const PalApart *apart = table->apart;
    PalOverlap *overlap =
        entry(table, apart->surface->vertex_object[vertex], apart->inside[vertex]);
    int32_t whose;
    bool by_size;
    double limit = pal_apart_limit(apart, vertex, &whose, &by_size), depth = 0;
    bool has_way_out = apart->facet[vertex] != PAL_NONE;
    bool follows = apart->wide && isfinite(apart->nearest[vertex]);  // others on their way out
    if (has_way_out)
        depth = -pal_apart_vertex(apart, vertex).along;
    else if (follows)
        depth = apart->nearest[vertex];
    else if ((*asked)++ < MOST)
        depth = brute_depth(apart, vertex);
    bool too_deep = (!has_way_out && !follows) || depth > limit;
    if (too_deep && (!overlap->too_deep || limit < overlap->limit)) {
        overlap->limit = limit;
        overlap->limit_object = whose;
        overlap->limit_by_size = by_size;
    }
    overlap->too_deep = overlap->too_deep || too_deep;
    if (overlap->inside_count++ == 0 || depth > overlap->depth) {
        overlap->depth = fmax(depth, 0);
        overlap->place = apart->surface->start[vertex];
    }
}

static void note_near(Table *table, int32_t vertex)
{
    const PalApart *apart = table->apart;
    const PalContactSurface *surface = apart->surface;
    int32_t other = surface->facet_object[apart->facet[vertex]];
    PalOverlap *overlap = entry(table, surface->vertex_object[vertex], other);
    double gap = fmax(pal_apart_vertex(apart, vertex).along, 0);
    if (overlap->near_count++ == 0 || gap < overlap->gap) {
        overlap->gap = gap;
        if (overlap->inside_count == 0)
            overlap->place = surface->start[vertex];
    }
}

static void note_crossings(Table *table)
{
    const PalContactSurface *surface = table->apart->surface;
    for (int32_t p = 0; p < table->apart->pairs.count; ++p) {
        PalFacetPair pair = table->apart->pairs.items[p];
        if (!facets_pierce(table->apart, pair))
            continue;
        PalOverlap *overlap =
            entry(table, surface->facet_object[pair.a], surface->facet_object[pair.b]);
        if (overlap->crossing_count++ == 0 && overlap->inside_count + overlap->near_count == 0)
            overlap->place = surface->start[surface->facets[pair.a][0]];
    }
}

static void note_held(Table *table, int32_t object)
{
    const PalContactSurface *surface = table->apart->surface;
    PalOverlap *overlap = entry(table, object, table->apart->holder[object]);
    overlap->held = true;
    if (overlap->inside_count + overlap->near_count + overlap->crossing_count == 0)
        overlap->place = surface->start[surface->object_first_vertex[object]];
}

static void fill_table(Table *table)
{
    const PalApart *apart = table->apart;
    int32_t asked = 0;
    for (int32_t v = 0; v < apart->surface->vertex_count; ++v) {
        if (apart->inside[v] != PAL_NONE)
            note_inside(table, v, &asked);
    }
    for (int32_t v = 0; v < apart->surface->vertex_count; ++v)
        if (apart->inside[v] == PAL_NONE && apart->facet[v] != PAL_NONE)
            note_near(table, v);
    note_crossings(table);
    for (int32_t object = 0; object < apart->surface->object_count; ++object)
        if (apart->holder[object] != PAL_NONE)
            note_held(table, object);
}

// Is there anything to be moved apart?
static bool is_moved(const PalOverlap *overlap)
{
    return overlap->inside_count + overlap->near_count + overlap->crossing_count > 0;
}

// The entries with something to tell; `apart` has been looked at.
static PalStatus tell(const PalApart *apart, PalOverlaps *overlaps, PalError *error)
{
    Table table = {.apart = apart};
    fill_table(&table);
    if (table.no_memory) {
        pal_array_release((void **)&table.items);
        return pal_error_set(error, PAL_NO_MEMORY, "no memory to look for overlaps");
    }
    *overlaps = (PalOverlaps){
        .separation = apart->separation,
        .shortest_edge = pal_contact_shortest_edge(apart->surface, apart->objects),
        .mean_edge = pal_contact_mean_edge(apart->surface, apart->objects),
        .items = table.items,
    };
    for (int32_t i = 0; i < table.count; ++i) {
        const PalOverlap *overlap = &table.items[i];
        if (is_moved(overlap) || overlap->held)
            overlaps->items[overlaps->count++] = *overlap;
    }
    return PAL_OK;
}

// Is there more than surfaces that touch, but for rounding?
static bool any_deep(const PalApart *apart, const PalOverlaps *overlaps)
{
    for (int32_t i = 0; i < overlaps->count; ++i) {
        const PalOverlap *overlap = &overlaps->items[i];
        bool soft = overlap->objects[0] < apart->surface->body_count;
        bool self = overlap->objects[0] == overlap->objects[1];
        if (overlap->too_deep || (soft && !self && overlap->depth > NOTABLE * overlaps->mean_edge))
            return true;
    }
    return false;
}

// What is deep for the mesh may be shallow for the bodies: `apart` is wide then.
static PalStatus look_and_tell(PalApart *apart, PalOverlaps *overlaps, PalError *error)
{
    PAL_TRY(pal_apart_look(apart, error));
    PAL_TRY(tell(apart, overlaps, error));
    if (!any_deep(apart, overlaps))
        return PAL_OK;
    pal_overlaps_clear(overlaps);
    apart->wide = true;
    PAL_TRY(pal_apart_look(apart, error));
    return tell(apart, overlaps, error);
}

PalStatus pal_overlaps_find(const PalContactDef *def, const PalModel *model, PalOverlaps *overlaps,
                            PalError *error)
{
    PalApart *apart = NULL;
    *overlaps = (PalOverlaps){0};
    PAL_TRY(pal_apart_create(def, model, &apart, error));
    PalStatus status = look_and_tell(apart, overlaps, error);
    pal_apart_destroy(apart);
    return status;
}

void pal_overlaps_clear(PalOverlaps *overlaps)
{
    pal_free(overlaps->items);
    *overlaps = (PalOverlaps){0};
}

// ---- refusing ---------------------------------------------------------------------------

// What to do about two that are too deep in each other.
static const char *advice(const PalApart *apart, const int32_t objects[2])
{
    const PalModel *model = apart->model;
    for (int side = 0; side < 2; ++side) {
        int32_t r = objects[side] - model->body_count;
        if (r < 0)
            continue;
        const PalRigid *rigid = &model->rigids[r];
        if (rigid->free)
            continue;
        for (int32_t n = 0; n < rigid->mesh->node_count; ++n) {
            PalVec3 x = rigid->mesh->nodes[n];
            if (pal_vec3_distance(x, pal_rigid_position(rigid, 0, x)) > 0)
                return "the instrument's motion puts it there at once: let its ramp start at 0, as "
                       "smooth and linear do";
        }
    }
    return "move them apart with place, or repair the meshes";
}

static PalStatus say_why(const PalApart *apart, const PalOverlap *overlap, PalError *error)
{
    const PalModel *model = apart->model;
    const int32_t *o = overlap->objects;
    PalVec3 p = overlap->place;
    bool enters = overlap->crossing_count + overlap->inside_count > 0;
    if (o[0] == o[1])
        return !enters ? PAL_OK
                       : pal_error_set(error, PAL_BAD_INPUT,
                                       "\"%s\" overlaps itself at the start, near (%.4g, %.4g, "
                                       "%.4g); repair its mesh, or remove its contact with itself",
                                       pal_contact_object_name(model, o[0]), p.x, p.y, p.z);
    if (overlap->too_deep && overlap->depth > overlap->limit)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "\"%s\" and \"%s\" overlap at the start by %.4g at (%.4g, %.4g, "
                             "%.4g), too deep to be removed: the limit is %s of \"%s\", "
                             "%.4g; %s",
                             pal_contact_object_name(model, o[0]),
                             pal_contact_object_name(model, o[1]), overlap->depth, p.x, p.y, p.z,
                             overlap->limit_by_size ? "0.15 of the radius"
                             : is_free(apart, overlap->limit_object)
                                 ? "half an edge or a tenth of the radius"
                                 : "half an edge",
                             pal_contact_object_name(model, overlap->limit_object), overlap->limit,
                             advice(apart, o));
    if (overlap->too_deep)
        return pal_error_set(
            error, PAL_BAD_INPUT,
            "\"%s\" and \"%s\" overlap at the start, at (%.4g, %.4g, %.4g) and elsewhere, too deep "
            "to be removed: nodes inside are too far from the surface they must leave through; %s",
            pal_contact_object_name(model, o[0]), pal_contact_object_name(model, o[1]), p.x, p.y,
            p.z, advice(apart, o));
    if (overlap->crossing_count > 0 && !(apart->closed[o[0]] && apart->closed[o[1]]))
        return pal_error_set(
            error, PAL_BAD_INPUT,
            "\"%s\" and \"%s\" cross at the start, near (%.4g, %.4g, %.4g), and the surface of "
            "\"%s\" is open, so it has no inside and no outside; move them apart with place",
            pal_contact_object_name(model, o[0]), pal_contact_object_name(model, o[1]), p.x, p.y,
            p.z, pal_contact_object_name(model, apart->closed[o[0]] ? o[1] : o[0]));
    return PAL_OK;
}

static PalStatus refuse(const PalApart *apart, const PalOverlap *overlap, PalError *error)
{
    return pal_contact_error_about(overlap->objects[1], say_why(apart, overlap, error), error);
}

// The worst first: depths differ, what to do about them does not.
static PalStatus refuse_any(const PalApart *apart, const PalOverlaps *overlaps, PalError *error)
{
    const PalOverlap *worst = NULL;
    for (int32_t i = 0; i < overlaps->count; ++i) {
        const PalOverlap *overlap = &overlaps->items[i];
        if (overlap->too_deep && (worst == NULL || overlap->depth > worst->depth))
            worst = overlap;
    }
    if (worst != NULL)
        return refuse(apart, worst, error);
    for (int32_t i = 0; i < overlaps->count; ++i)
        PAL_TRY(refuse(apart, &overlaps->items[i], error));
    return PAL_OK;
}

// ---- moving apart -----------------------------------------------------------------------

static double mobility(const PalApart *apart, int32_t vertex)
{
    return vertex < apart->surface->soft_vertex_count ? 1 : 0;
}

// The weight of all vertices of a free rigid body, at the first of them; 0 at the others.
static double body_weight(const PalApart *apart, const PalGap *gap, int32_t k)
{
    const int32_t *object = apart->surface->vertex_object, mine = object[gap->vertices[k]];
    double sum = 0;
    if (!is_free(apart, mine) || (k > 0 && object[gap->vertices[k - 1]] == mine))
        return 0;
    for (int32_t i = k; i < gap->count && object[gap->vertices[i]] == mine; ++i)
        sum += gap->weights[i];
    return sum;
}

// Moves vertices, and free rigid bodies as if they were one, along the normal, shared by their
// weights, until the gap is as wide as it should be.
static void widen(PalApart *apart, const PalGap *gap)
{
    double sum = 0, lack = TARGET * apart->separation - gap->along, whole[4];
    for (int32_t k = 0; k < gap->count; ++k) {
        whole[k] = body_weight(apart, gap, k);
        sum += mobility(apart, gap->vertices[k]) * gap->weights[k] * gap->weights[k] +
               whole[k] * whole[k];
    }
    for (int32_t k = 0; k < gap->count && sum > 0; ++k) {
        int32_t object = apart->surface->vertex_object[gap->vertices[k]];
        double share = lack * mobility(apart, gap->vertices[k]) * gap->weights[k] / sum;
        PalVec3 *x = &apart->surface->start[gap->vertices[k]];
        *x = pal_vec3_add_scaled(*x, share, gap->normal);
        if (whole[k] != 0)
            pal_apart_shift(apart, object, pal_vec3_scale(lack * whole[k] / sum, gap->normal));
    }
}

static bool push_vertices(PalApart *apart)
{
    bool pushed = false;
    for (int32_t v = 0; v < apart->surface->vertex_count; ++v) {
        if (apart->facet[v] == PAL_NONE)
            continue;
        PalGap gap = pal_apart_vertex(apart, v);
        if (gap.along >= NEARLY * apart->separation)
            continue;
        widen(apart, &gap);
        pushed = true;
    }
    return pushed;
}

// Goes through gaps again and again, along the normals they had at first.
static void push_gaps(PalApart *apart, PalGap *gaps, int32_t count)
{
    bool pushed = true;
    for (int i = 0; i < SWEEPS && pushed; ++i) {
        pushed = false;
        for (int32_t g = 0; g < count; ++g) {
            PalVec3 now = pal_gap_difference(&gaps[g], apart->surface->start);
            gaps[g].along = pal_vec3_dot(now, gaps[g].normal);
            if (gaps[g].along >= NEARLY * apart->separation)
                continue;
            widen(apart, &gaps[g]);
            pushed = true;
        }
    }
}

// With free rigid bodies: each of a stack pushes the next, and by more than it was apart from it.
static PalStatus push_together(PalApart *apart, bool *pushed, PalError *error)
{
    PAL_ARRAY(PalGap) gaps = {0};
    bool good = true;
    for (int32_t v = 0; v < apart->surface->vertex_count && good; ++v) {
        if (apart->facet[v] == PAL_NONE)
            continue;
        PalGap gap = pal_apart_vertex(apart, v);
        *pushed = *pushed || gap.along < NEARLY * apart->separation;
        good = pal_array_push(&gaps, gap);
    }
    if (good && *pushed)
        push_gaps(apart, gaps.items, gaps.count);
    pal_array_clear(&gaps);
    return good ? PAL_OK : pal_error_set(error, PAL_NO_MEMORY, "no memory to move bodies apart");
}

// Edges of two facets that pass too near, or through, each other.
static bool push_edges(PalApart *apart)
{
    bool pushed = false;
    for (int32_t p = 0; p < apart->pairs.count; ++p) {
        PalFacetPair pair = apart->pairs.items[p];
        if (pal_facets_beside(apart->surface, apart->surface->start, pair.a, pair.b,
                              apart->separation))
            continue;
        for (int k = 0; k < 9; ++k) {
            PalGap gap;
            if (!pal_apart_edges(apart, pair, k, &gap) || gap.along >= NEARLY * apart->separation ||
                (gap.along < 0 && !facets_cross(apart, pair)))
                continue;
            widen(apart, &gap);
            pushed = true;
        }
    }
    return pushed;
}

static bool any_crossing(const PalApart *apart)
{
    for (int32_t p = 0; p < apart->pairs.count; ++p)
        if (facets_cross(apart, apart->pairs.items[p]))
            return true;
    return false;
}

// Vertices may end up no farther from where they were than overlaps may be deep.
static PalStatus check_moves(const PalApart *apart, PalError *error)
{
    const PalContactSurface *surface = apart->surface;
    for (int32_t v = 0; v < surface->vertex_count; ++v) {
        bool free = is_free(apart, surface->vertex_object[v]);
        const PalVec3 *from = apart->base != NULL ? apart->base : surface->end;
        double move = pal_vec3_distance(surface->start[v], from[v]);
        int32_t below = free ? surface->free_count : 0;  // each of a stack lifts those above
        PalVec3 p = surface->end[v];
        if (!(move <= PAL_APART_DEEPEST * apart->edge[v] + 2 * (below + 1) * apart->separation))
            return pal_contact_error_about(
                surface->vertex_object[v],
                pal_error_set(error, PAL_BAD_INPUT,
                              "\"%s\" overlaps others at the start so that its surface near "
                              "(%.4g, %.4g, %.4g) would have to move by %.4g, more than %s; "
                              "move bodies apart with place, or repair the meshes",
                              pal_contact_object_name(apart->model, surface->vertex_object[v]), p.x,
                              p.y, p.z, move, free ? "a body can" : "half an edge"),
                error);
    }
    return PAL_OK;
}

static PalStatus move_apart(PalApart *apart, PalError *error)
{
    for (int round = 0; round < ROUNDS; ++round) {
        bool pushed = false;
        if (apart->surface->free_count > 0)
            PAL_TRY(push_together(apart, &pushed, error));
        else
            pushed = push_vertices(apart);
        PAL_TRY(pal_apart_look(apart, error));
        pushed = push_edges(apart) || pushed;
        PAL_TRY(check_moves(apart, error));
        if (!pushed && !any_crossing(apart))
            return PAL_OK;
        PAL_TRY(pal_apart_look(apart, error));
    }
    return pal_error_set(error, PAL_BAD_INPUT,
                         "bodies that overlap at the start cannot be moved apart by %.4g; move "
                         "them with place, or give contact a smaller separation",
                         apart->separation);
}

// Shifts of free rigid bodies; nodes of soft ones.
static PalStatus note_moves(const PalApart *apart, PalMoved *moved, PalError *error)
{
    const PalContactSurface *surface = apart->surface;
    moved->any = true;
    moved->rigid_shifts = pal_alloc((size_t)apart->model->rigid_count, sizeof *moved->rigid_shifts);
    if (moved->rigid_shifts == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory to move bodies apart");
    for (int32_t f = 0; f < surface->free_count; ++f) {
        int32_t object = surface->free_object[f];
        double distance = pal_vec3_length(apart->shift[object]);
        moved->rigid_shifts[surface->objects[object].index] = apart->shift[object];
        moved->rigid_count += distance > 0;
        moved->largest_rigid = fmax(moved->largest_rigid, distance);
    }
    return pal_follow(apart, moved, error);
}

void pal_moved_clear(PalMoved *moved)
{
    pal_free(moved->nodes);
    pal_free(moved->rigid_shifts);
    moved->nodes = moved->rigid_shifts = NULL;
}

static PalStatus remove_from(PalApart *apart, PalMoved *moved, PalError *error)
{
    PalOverlaps overlaps = {0};
    PalStatus status = look_and_tell(apart, &overlaps, error);
    if (status == PAL_OK)
        status = refuse_any(apart, &overlaps, error);
    bool any = false;
    for (int32_t i = 0; i < overlaps.count; ++i)
        any = any || is_moved(&overlaps.items[i]);
    pal_overlaps_clear(&overlaps);
    if (status != PAL_OK || (!any && !push_edges(apart) && !any_crossing(apart)))
        return status;
    if (apart->wide)
        PAL_TRY(pal_deep_part(apart, error));
    PAL_TRY(move_apart(apart, error));
    return note_moves(apart, moved, error);
}

PalStatus pal_overlaps_remove(const PalContactDef *def, const PalModel *model, PalMoved *moved,
                              PalError *error)
{
    PalApart *apart = NULL;
    *moved = (PalMoved){0};
    PAL_TRY(pal_apart_create(def, model, &apart, error));
    PalStatus status = remove_from(apart, moved, error);
    pal_apart_destroy(apart);
    return status;
}
