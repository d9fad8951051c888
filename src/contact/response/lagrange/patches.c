#include "contact/response/lagrange/patches.h"

#include "base/array.h"
#include "base/memory.h"
#include "element/order.h"
#include "math/range.h"
#include "math/vec3.h"

#include <float.h>

#define SIZE 16  // vertices in a patch, at most

typedef PAL_ARRAY(int32_t) Numbers;

// ---- making -----------------------------------------------------------------------------

static bool create_motions(PalPatchMotions *motions, int32_t count)
{
    size_t room = (size_t)count + 1;
    motions->items = pal_alloc(room, sizeof *motions->items);
    motions->stamps = pal_alloc(room, sizeof *motions->stamps);
    motions->around_stamps = pal_alloc(room, sizeof *motions->around_stamps);
    motions->pushed_stamps = pal_alloc(room, sizeof *motions->pushed_stamps);
    return motions->items != NULL && motions->stamps != NULL && motions->around_stamps != NULL &&
           motions->pushed_stamps != NULL;
}

static void clear_motions(PalPatchMotions *motions)
{
    pal_free(motions->items);
    pal_free(motions->stamps);
    pal_free(motions->around_stamps);
    pal_free(motions->pushed_stamps);
}

// Cuts the vertices of each object, along a curve, into patches.
static bool cut(PalPatches *patches, const PalContactSurface *surface)
{
    size_t vertices = (size_t)surface->vertex_count + 1;
    int32_t *start = patches->vertices.start = pal_alloc(vertices + 1, sizeof *start);
    int32_t *items = patches->vertices.items = pal_alloc(vertices, sizeof *items);
    patches->of = pal_alloc(vertices, sizeof *patches->of);
    if (start == NULL || items == NULL || patches->of == NULL)
        return false;
    for (int32_t object = 0; object < surface->object_count; ++object) {
        int32_t first = surface->object_first_vertex[object];
        int32_t count = surface->object_first_vertex[object + 1] - first;
        if (!pal_order_along_curve(surface->start + first, count, items + first))
            return false;
        for (int32_t i = 0; i < count; ++i) {
            items[first + i] += first;
            if (i % SIZE == 0)
                start[patches->count++] = first + i;
            patches->of[items[first + i]] = patches->count - 1;
        }
    }
    start[patches->count] = surface->vertex_count;
    patches->vertices.count = patches->count;
    return true;
}

// Where patches of rigid objects are on them, and how large. Soft ones have a radius below 0.
static bool describe(PalPatches *patches, const PalContactSurface *surface)
{
    size_t room = (size_t)patches->count + 1;
    const PalLists *vertices = &patches->vertices;
    patches->object = pal_alloc(room, sizeof *patches->object);
    patches->middle = pal_alloc(room, sizeof *patches->middle);
    patches->radius = pal_alloc(room, sizeof *patches->radius);
    if (patches->object == NULL || patches->middle == NULL || patches->radius == NULL)
        return false;
    for (int32_t p = 0; p < patches->count; ++p) {
        int32_t first = vertices->start[p], count = vertices->start[p + 1] - first;
        int32_t object = patches->object[p] = surface->vertex_object[vertices->items[first]];
        patches->radius[p] = -1;
        if (surface->objects[object].source != &pal_source_rigid)
            continue;
        const PalModel *model = surface->motion.model;
        const PalVec3 *nodes = model->rigids[surface->objects[object].index].mesh->nodes;
        PalVec3 sum = {0, 0, 0};
        for (int32_t k = first; k < first + count; ++k)
            sum = pal_vec3_add(sum, nodes[surface->vertex_node[vertices->items[k]]]);
        patches->middle[p] = pal_vec3_scale(1.0 / count, sum);
        double radius = 0;
        for (int32_t k = first; k < first + count; ++k)
            radius =
                pal_max(radius, pal_vec3_distance(nodes[surface->vertex_node[vertices->items[k]]],
                                                  patches->middle[p]));
        patches->radius[p] = (1 + 1e-9) * radius;
    }
    return true;
}

// Adds the patches of a vertex and its neighbours that are not in the list yet.
static bool look_around(const PalPatches *patches, const PalContactSurface *surface, int32_t vertex,
                        int32_t mark, int32_t *marks, Numbers *found)
{
    const PalLists *edges = &surface->vertex_edges;
    for (int32_t i = edges->start[vertex]; i < edges->start[vertex + 1]; ++i) {
        const int32_t *ends = surface->edges[edges->items[i]];
        int32_t patch = patches->of[ends[0] == vertex ? ends[1] : ends[0]];
        if (marks[patch] == mark)
            continue;
        marks[patch] = mark;
        if (!pal_array_push(found, patch))
            return false;
    }
    return true;
}

static bool find_neighbours(PalPatches *patches, const PalContactSurface *surface, int32_t *marks,
                            Numbers *found)
{
    const PalLists *vertices = &patches->vertices, *edges = &surface->vertex_edges;
    for (int32_t p = 0; p < patches->count; ++p) {
        patches->neighbours.start[p] = found->count;
        marks[p] = p + 1;
        if (!pal_array_push(found, p))
            return false;
        for (int32_t k = vertices->start[p]; k < vertices->start[p + 1]; ++k) {
            int32_t vertex = vertices->items[k];
            if (!look_around(patches, surface, vertex, p + 1, marks, found))
                return false;
            for (int32_t i = edges->start[vertex]; i < edges->start[vertex + 1]; ++i) {
                const int32_t *ends = surface->edges[edges->items[i]];
                int32_t other = ends[0] == vertex ? ends[1] : ends[0];
                if (!look_around(patches, surface, other, p + 1, marks, found))
                    return false;
            }
        }
    }
    patches->neighbours.start[patches->count] = found->count;
    return true;
}

static bool join(PalPatches *patches, const PalContactSurface *surface)
{
    size_t room = (size_t)patches->count + 1;
    int32_t *marks = pal_alloc(room, sizeof *marks);
    Numbers found = {0};
    patches->neighbours.start = pal_alloc(room, sizeof *patches->neighbours.start);
    bool good = marks != NULL && patches->neighbours.start != NULL &&
                find_neighbours(patches, surface, marks, &found);
    if (good) {
        patches->neighbours.count = patches->count;
        patches->neighbours.items =
            pal_copy(found.items, (size_t)found.count, sizeof *patches->neighbours.items);
        good = found.count == 0 || patches->neighbours.items != NULL;
    }
    pal_array_clear(&found);
    pal_free(marks);
    return good;
}

// Positions are sums, differences of which are off by some roundings of the largest.
static double rounding_of(const PalContactSurface *surface)
{
    double largest = 0;
    for (int32_t v = 0; v < surface->vertex_count; ++v)
        largest = pal_max(largest, pal_vec3_length(surface->start[v]));
    return 64 * DBL_EPSILON * largest;
}

PalStatus pal_patches_create(PalPatches *patches, const PalContactSurface *surface,
                             double less_push, PalError *error)
{
    *patches = (PalPatches){.less_push = less_push, .rounding = rounding_of(surface)};
    bool good = cut(patches, surface) && describe(patches, surface) && join(patches, surface) &&
                create_motions(&patches->expected, patches->count) &&
                create_motions(&patches->corrected, patches->count);
    patches->pushed = pal_alloc((size_t)patches->count + 1, sizeof *patches->pushed);
    if (good && patches->pushed != NULL)
        return PAL_OK;
    pal_patches_clear(patches);
    return pal_error_set(error, PAL_NO_MEMORY, "no memory for contact");
}

void pal_patches_clear(PalPatches *patches)
{
    pal_free(patches->of);
    pal_free(patches->object);
    pal_free(patches->middle);
    pal_free(patches->radius);
    pal_lists_clear(&patches->vertices);
    pal_lists_clear(&patches->neighbours);
    pal_free(patches->pushed);
    clear_motions(&patches->expected);
    clear_motions(&patches->corrected);
    *patches = (PalPatches){0};
}

// ---- moving -----------------------------------------------------------------------------

void pal_patches_begin(PalPatches *patches, int64_t stamp)
{
    patches->step = stamp;
    ++patches->expected.stamp;
    ++patches->corrected.stamp;
}

void pal_patches_correct(PalPatches *patches)
{
    ++patches->corrected.stamp;
}

// How a vertex goes: by where it starts and ends, or by the velocity of its node.
static PalVec3 path_of(PalContactSurface *surface, int32_t vertex, bool placed)
{
    const PalSurfaceMotion *motion = &surface->motion;
    if (!placed && surface->plain && vertex < surface->soft_vertex_count)
        return pal_vec3_scale(motion->step, motion->velocity[surface->vertex_node[vertex]]);
    pal_contact_surface_need(surface, vertex);
    return pal_vec3_sub(pal_contact_surface_end(surface, vertex),
                        pal_contact_surface_start(surface, vertex));
}

// What a vertex may go beside that because contact pushes less than is expected.
static double go_with_less(const PalPatches *patches, const PalContactSurface *surface,
                           int32_t vertex)
{
    double most = 0;
    for (int32_t i = surface->hold_start[vertex];
         i < surface->hold_start[vertex + 1] && vertex < surface->soft_vertex_count; ++i)
        most = pal_max(
            most, pal_vec3_length(pal_contact_surface_push(surface, surface->holds[i].carrier)));
    return patches->less_push * surface->motion.step * most;
}

static void measure(const PalPatches *patches, PalContactSurface *surface, int32_t patch,
                    bool placed, PalPatchMotion *motion)
{
    const PalLists *vertices = &patches->vertices;
    int32_t first = vertices->start[patch], count = vertices->start[patch + 1] - first;
    PalVec3 paths[SIZE], sum = {0, 0, 0};
    for (int32_t k = 0; k < count; ++k) {
        paths[k] = path_of(surface, vertices->items[first + k], placed);
        sum = pal_vec3_add(sum, paths[k]);
    }
    motion->mean = pal_vec3_scale(1.0 / count, sum);
    double most = 0, less = 0;
    bool good = true;
    for (int32_t k = 0; k < count; ++k) {
        PalVec3 other = pal_vec3_sub(paths[k], motion->mean);
        double square = pal_vec3_dot(other, other);
        most = square > most ? square : most;
        good = good && square < INFINITY;
    }
    for (int32_t k = 0; k < count && !placed && patches->pushed[patch] == patches->step; ++k)
        less = pal_max(less, go_with_less(patches, surface, vertices->items[first + k]));
    motion->own = good ? sqrt(most) + less : INFINITY;
}

// The same for a patch of a rigid object, as its pose goes: x = R X + t, so that points go
// otherwise than the middle by no more than |R' - R| times their distance from it.
static void measure_rigid(const PalPatches *patches, const PalContactSurface *surface,
                          int32_t patch, PalPatchMotion *motion)
{
    int32_t object = patches->object[patch];
    const PalPose *poses = surface->poses[surface->objects[object].index];
    PalVec3 middle = patches->middle[patch];
    double square = 0;
    for (int i = 0; i < 9; ++i) {
        double change = poses[1].rotation.m[i / 3][i % 3] - poses[0].rotation.m[i / 3][i % 3];
        square += change * change;
    }
    motion->mean =
        pal_vec3_sub(pal_pose_apply(&poses[1], middle), pal_pose_apply(&poses[0], middle));
    motion->own = sqrt(square) * patches->radius[patch] + patches->rounding;
}

static bool is_rigid(const PalPatches *patches, int32_t patch)
{
    return patches->radius[patch] >= 0;
}

static const PalPatchMotion *expected(PalPatches *patches, PalContactSurface *surface,
                                      int32_t patch)
{
    PalPatchMotions *motions = &patches->expected;
    if (motions->stamps[patch] != motions->stamp) {
        motions->stamps[patch] = motions->stamp;
        if (is_rigid(patches, patch))
            measure_rigid(patches, surface, patch, &motions->items[patch]);
        else
            measure(patches, surface, patch, false, &motions->items[patch]);
    }
    return &motions->items[patch];
}

static const PalPatchMotion *corrected(PalPatches *patches, PalContactSurface *surface,
                                       int64_t stamp, int32_t patch)
{
    bool gives_way =
        !is_rigid(patches, patch) || surface->object_free[patches->object[patch]] != PAL_NONE;
    if (patches->pushed[patch] != stamp || !gives_way)
        return expected(patches, surface, patch);
    PalPatchMotions *motions = &patches->corrected;
    if (motions->stamps[patch] != motions->stamp) {
        motions->stamps[patch] = motions->stamp;
        measure(patches, surface, patch, true, &motions->items[patch]);
    }
    return &motions->items[patch];
}

bool pal_patches_pushed(PalPatches *patches, int64_t stamp, int32_t patch)
{
    PalPatchMotions *motions = &patches->corrected;
    const PalLists *neighbours = &patches->neighbours;
    if (motions->pushed_stamps[patch] >> 1 != motions->stamp) {
        bool pushed = false;
        for (int32_t i = neighbours->start[patch]; i < neighbours->start[patch + 1] && !pushed; ++i)
            pushed = patches->pushed[neighbours->items[i]] == stamp;
        motions->pushed_stamps[patch] = 2 * motions->stamp + pushed;
    }
    return motions->pushed_stamps[patch] & 1;
}

// Of a patch whose motion is known, by those of its neighbours.
static double around(const PalPatchMotion *motion, const PalPatchMotion *neighbour, double most)
{
    return pal_max(most, pal_vec3_distance(motion->mean, neighbour->mean) + neighbour->own);
}

static double nearer(const PalPatches *patches, const PalPatchMotion *a, double around_a,
                     const PalPatchMotion *b, double around_b)
{
    return (1 + 1e-9) * (pal_vec3_distance(a->mean, b->mean) + around_a + around_b) +
           patches->rounding;
}

static double expected_around(PalPatches *patches, PalContactSurface *surface, int32_t patch)
{
    PalPatchMotions *motions = &patches->expected;
    const PalLists *neighbours = &patches->neighbours;
    const PalPatchMotion *motion = expected(patches, surface, patch);
    if (motions->around_stamps[patch] != motions->stamp) {
        motions->around_stamps[patch] = motions->stamp;
        double most = motion->own;
        for (int32_t i = neighbours->start[patch]; i < neighbours->start[patch + 1]; ++i)
            most = around(motion, expected(patches, surface, neighbours->items[i]), most);
        motions->items[patch].around = most;
    }
    return motions->items[patch].around;
}

double pal_patches_expected(PalPatches *patches, PalContactSurface *surface, int32_t a, int32_t b)
{
    double around_a = expected_around(patches, surface, a);
    double around_b = expected_around(patches, surface, b);
    return nearer(patches, &patches->expected.items[a], around_a, &patches->expected.items[b],
                  around_b);
}

static double corrected_around(PalPatches *patches, PalContactSurface *surface, int64_t stamp,
                               int32_t patch)
{
    PalPatchMotions *motions = &patches->corrected;
    const PalLists *neighbours = &patches->neighbours;
    if (motions->around_stamps[patch] != motions->stamp) {
        motions->around_stamps[patch] = motions->stamp;
        const PalPatchMotion *motion = corrected(patches, surface, stamp, patch);
        double most = motion->own;
        for (int32_t i = neighbours->start[patch]; i < neighbours->start[patch + 1]; ++i)
            most = around(motion, corrected(patches, surface, stamp, neighbours->items[i]), most);
        motions->items[patch].around = most;
    }
    return motions->items[patch].around;
}

double pal_patches_corrected(PalPatches *patches, PalContactSurface *surface, int64_t stamp,
                             int32_t a, int32_t b)
{
    double around_a = corrected_around(patches, surface, stamp, a);
    double around_b = corrected_around(patches, surface, stamp, b);
    return nearer(patches, corrected(patches, surface, stamp, a), around_a,
                  corrected(patches, surface, stamp, b), around_b);
}
