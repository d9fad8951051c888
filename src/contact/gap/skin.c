// Hertz's pressure under two smooth surfaces with curvatures k = 1 / R is E* / pi sqrt(s k) where
// they overlap by s. A mesh of edge h resolves spots of radius h / 2 and more, that is overlaps of
// h^2 k / 4 and more; what is below is the skin's: thickness t = 0.3 h^2 k, pressure 0.25 E* T / h
// with T the thickness of both.
#include "contact/gap/skin.h"

#include "base/memory.h"
#include "geometry/procrustes.h"
#include "math/range.h"

#include <math.h>

#define SMOOTH   0.85  // cosine: facets around a vertex that turn less from its normal
#define SLIVER   0.1   // height of a facet over its longest edge: less has no normal
#define WALK     3     // edges to what a vertex turns with
#define THICK    0.3   // thickness over area times curvature
#define THICKEST 0.08  // thickness over length
#define PRESSURE 0.25  // over modulus times thickness over length

void pal_skin_destroy(PalSkin *skin)
{
    if (skin == NULL)
        return;
    pal_free(skin->rest);
    pal_free(skin->rest_normal);
    pal_free(skin->curvature);
    pal_free(skin->thickness);
    pal_free(skin->length);
    pal_free(skin->anchors);
    pal_free(skin->flattened);
    pal_free(skin->normal);
    pal_free(skin->stamp);
    pal_free(skin->modulus);
    pal_free(skin->felt);
    pal_array_clear(&skin->accounts);
    pal_free(skin);
}

static bool is_zero(PalVec3 a)
{
    return a.x == 0 && a.y == 0 && a.z == 0;
}

static int32_t other_end(const PalContactSurface *surface, int32_t edge, int32_t vertex)
{
    const int32_t *ends = surface->edges[edge];
    return ends[0] == vertex ? ends[1] : ends[0];
}

// ---- at rest ----------------------------------------------------------------------------

// Max 1999: cross products over the squares of both edges, which is exact on a sphere.
static void make_normal(PalSkin *skin, int32_t vertex)
{
    const PalContactSurface *surface = skin->surface;
    const PalLists *around = &surface->vertex_facets;
    const PalVec3 *x = skin->rest;
    PalVec3 sum = {0, 0, 0};
    double area = 0;
    for (int32_t i = around->start[vertex]; i < around->start[vertex + 1]; ++i) {
        const int32_t *v = surface->facets[around->items[i]];
        int k = v[0] == vertex ? 0 : v[1] == vertex ? 1 : 2;
        PalVec3 a = pal_vec3_sub(x[v[(k + 1) % 3]], x[vertex]);
        PalVec3 b = pal_vec3_sub(x[v[(k + 2) % 3]], x[vertex]), cross = pal_vec3_cross(a, b);
        double squares = pal_vec3_dot(a, a) * pal_vec3_dot(b, b);
        if (squares > 0)
            sum = pal_vec3_add_scaled(sum, 1 / squares, cross);
        area += pal_vec3_length(cross) / 6;
    }
    PalVec3 normal = pal_vec3_normalise(sum);
    skin->length[vertex] = sqrt(area);
    skin->rest_normal[vertex] = normal;
    for (int32_t i = around->start[vertex]; i < around->start[vertex + 1]; ++i) {
        const int32_t *v = surface->facets[around->items[i]];
        PalVec3 cross =
            pal_vec3_cross(pal_vec3_sub(x[v[1]], x[v[0]]), pal_vec3_sub(x[v[2]], x[v[0]]));
        double longest = 0;
        for (int k = 0; k < 3; ++k)
            longest = pal_max(longest, pal_vec3_distance(x[v[k]], x[v[(k + 1) % 3]]));
        if (!(pal_vec3_dot(normal, cross) >= SMOOTH * pal_vec3_length(cross)) ||
            pal_vec3_length(cross) < SLIVER * longest * longest)
            skin->rest_normal[vertex] = (PalVec3){0, 0, 0};
    }
}

// How much normals turn along the edges around a vertex, per length: on a sphere 1 / R, exactly.
static void measure(PalSkin *skin, int32_t vertex)
{
    const PalContactSurface *surface = skin->surface;
    const PalLists *edges = &surface->vertex_edges;
    PalVec3 normal = skin->rest_normal[vertex];
    double sum = 0;
    int32_t count = 0;
    for (int32_t i = edges->start[vertex]; i < edges->start[vertex + 1]; ++i) {
        int32_t other = other_end(surface, edges->items[i], vertex);
        PalVec3 arm = pal_vec3_sub(skin->rest[other], skin->rest[vertex]);
        if (is_zero(skin->rest_normal[other]) || is_zero(arm))
            continue;
        PalVec3 turn = pal_vec3_sub(skin->rest_normal[other], normal);
        sum += pal_vec3_dot(turn, arm) / pal_vec3_dot(arm, arm);
        ++count;
    }
    if (is_zero(normal) || count == 0)
        return;
    double length = skin->length[vertex], most = THICKEST * length;
    skin->curvature[vertex] = sum / count;
    skin->thickness[vertex] =
        pal_max(-most, pal_min(most, THICK * length * length * skin->curvature[vertex]));
}

// From a vertex along one of its edges and on, as far away as each further one leads.
static int32_t walk(const PalSkin *skin, int32_t vertex, int32_t edge)
{
    const PalContactSurface *surface = skin->surface;
    const PalLists *edges = &surface->vertex_edges;
    int32_t here = other_end(surface, edge, vertex);
    double farthest = pal_vec3_distance(skin->rest[here], skin->rest[vertex]);
    for (int step = 1; step < WALK; ++step) {
        int32_t from = here;
        for (int32_t i = edges->start[from]; i < edges->start[from + 1]; ++i) {
            int32_t next = other_end(surface, edges->items[i], from);
            double distance = pal_vec3_distance(skin->rest[next], skin->rest[vertex]);
            if (distance > farthest) {
                farthest = distance;
                here = next;
            }
        }
    }
    return here;
}

static void find_anchors(PalSkin *skin, int32_t vertex)
{
    const PalLists *edges = &skin->surface->vertex_edges;
    int32_t first = edges->start[vertex], count = edges->start[vertex + 1] - first;
    for (int32_t k = 0; k < PAL_SKIN_ANCHORS; ++k)
        skin->anchors[vertex][k] =
            k < count ? walk(skin, vertex, edges->items[first + k]) : PAL_NONE;
}

static bool allocate(PalSkin *skin)
{
    size_t vertices = (size_t)skin->surface->vertex_count;
    skin->rest = pal_copy(skin->surface->start, vertices, sizeof *skin->rest);
    skin->rest_normal = pal_alloc(vertices, sizeof *skin->rest_normal);
    skin->curvature = pal_alloc(vertices, sizeof *skin->curvature);
    skin->thickness = pal_alloc(vertices, sizeof *skin->thickness);
    skin->length = pal_alloc(vertices, sizeof *skin->length);
    skin->anchors = pal_alloc(vertices, sizeof *skin->anchors);
    skin->flattened = pal_alloc(vertices, sizeof *skin->flattened);
    skin->normal = pal_alloc(vertices, sizeof *skin->normal);
    skin->stamp = pal_alloc(vertices, sizeof *skin->stamp);
    skin->felt = pal_alloc(vertices, sizeof *skin->felt);
    skin->modulus = pal_alloc((size_t)skin->surface->object_count, sizeof *skin->modulus);
    return skin->rest != NULL && skin->rest_normal != NULL && skin->curvature != NULL &&
           skin->thickness != NULL && skin->length != NULL && skin->anchors != NULL &&
           skin->flattened != NULL && skin->normal != NULL && skin->stamp != NULL &&
           skin->felt != NULL && skin->modulus != NULL;
}

// Of objects that touch each other.
static double find_deepest(const PalSkin *skin, const PalPairs *pairs, const double *thickest)
{
    const PalContactSurface *surface = skin->surface;
    double deepest = 0, all = 0;
    for (int32_t a = 0; a < surface->object_count; ++a)
        all = pal_max(all, thickest[a]);
    if (pairs->dense == NULL)  // too many to look at each two
        return pal_skin_together(all, all);
    for (int32_t a = 0; a < surface->body_count; ++a)
        for (int32_t b = 0; b < surface->object_count; ++b)
            if (a != b && pal_pairs_friction(pairs, a, b) >= 0)
                deepest = pal_max(deepest, pal_skin_together(thickest[a], thickest[b]));
    return deepest;
}

static void measure_all(PalSkin *skin, const PalModel *model, double *thickest)
{
    const PalContactSurface *surface = skin->surface;
    for (int32_t v = 0; v < surface->vertex_count; ++v) {
        make_normal(skin, v);
        skin->stamp[v] = -1;
    }
    for (int32_t v = 0; v < surface->vertex_count; ++v) {
        double *most = &thickest[surface->vertex_object[v]];
        measure(skin, v);
        find_anchors(skin, v);
        skin->felt[v] = pal_max(0, skin->thickness[v]);
        *most = pal_max(*most, skin->felt[v]);
    }
    for (int32_t o = 0; o < surface->object_count; ++o)
        skin->modulus[o] = o < surface->body_count
                               ? model->bodies[surface->objects[o].index].plane_modulus
                               : INFINITY;
}

PalStatus pal_skin_create(const PalModel *model, PalContactSurface *surface, const PalPairs *pairs,
                          PalSkin **result, PalError *error)
{
    *result = NULL;
    if (!surface->plain || surface->body_count == 0)
        return PAL_OK;
    PalSkin *skin = pal_alloc(1, sizeof *skin);
    double *thickest = pal_alloc((size_t)surface->object_count, sizeof *thickest);
    if (skin != NULL)
        skin->surface = surface;
    if (skin == NULL || thickest == NULL || !allocate(skin)) {
        pal_skin_destroy(skin);
        pal_free(thickest);
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the skin of smooth bodies");
    }
    measure_all(skin, model, thickest);
    skin->deepest = find_deepest(skin, pairs, thickest);
    pal_free(thickest);
    if (skin->deepest > 0) {
        *result = skin;
        for (int32_t v = 0; v < surface->vertex_count; ++v)
            skin->felt[v] /= PAL_GAP_BESIDE;  // by its distance, which may be longer than the gap
        surface->felt = skin->felt;
        surface->felt_most = skin->deepest / PAL_GAP_BESIDE;
    } else {
        pal_skin_destroy(skin);
    }
    return PAL_OK;
}

// ---- in a step --------------------------------------------------------------------------

static PalVec3 turn_normal(PalSkin *skin, int32_t vertex)
{
    PalContactSurface *surface = skin->surface;
    const int32_t *anchors = skin->anchors[vertex];
    PalMat3 products = {{{0}}};
    PalVec3 now = {0, 0, 0}, before = {0, 0, 0};
    int32_t count = 0;
    for (; count < PAL_SKIN_ANCHORS && anchors[count] != PAL_NONE; ++count) {
        pal_contact_surface_need(surface, anchors[count]);
        PalVec3 to = pal_vec3_sub(surface->start[anchors[count]], surface->start[anchors[0]]);
        PalVec3 from = pal_vec3_sub(skin->rest[anchors[count]], skin->rest[anchors[0]]);
        pal_procrustes_add(&products, to, from);
        now = pal_vec3_add(now, to);
        before = pal_vec3_add(before, from);
    }
    pal_procrustes_add(&products, pal_vec3_scale(-1.0 / count, now), before);
    PalMat3 rotation = pal_procrustes_rotation(&products);
    PalVec3 normal = pal_mat3_apply(&rotation, skin->rest_normal[vertex]);
    pal_contact_surface_need(surface, vertex);
    PalVec3 arm = pal_vec3_sub(surface->start[vertex], surface->start[anchors[0]]);
    PalVec3 rest_arm = pal_vec3_sub(skin->rest[vertex], skin->rest[anchors[0]]);
    double height = pal_vec3_dot(normal, pal_vec3_add_scaled(arm, -1.0 / count, now));
    double rest_height = pal_vec3_dot(skin->rest_normal[vertex],
                                      pal_vec3_add_scaled(rest_arm, -1.0 / count, before));
    skin->flattened[vertex] =
        rest_height > 0 ? pal_max(0, pal_min(1, 1 - height / rest_height)) : 1;
    return normal;
}

PalVec3 pal_skin_normal(PalSkin *skin, int32_t vertex)
{
    int64_t *made = &skin->stamp[vertex], stamp = skin->surface->stamp;
    if (!pal_is_made(made, stamp) && (!skin->surface->shared || pal_claim_to_make(made, stamp))) {
        skin->normal[vertex] = turn_normal(skin, vertex);
        pal_say_made(made, stamp);
    }
    return skin->normal[vertex];
}

PalSkinPoint pal_skin_at(const PalSkin *skin, int32_t count, const int32_t *vertices,
                         const double *weights)
{
    PalSkinPoint point = {.smooth = true, .object = skin->surface->vertex_object[vertices[0]]};
    for (int32_t k = 0; k < count; ++k) {
        point.smooth = point.smooth && !is_zero(skin->rest_normal[vertices[k]]);
        point.thickness += weights[k] * skin->thickness[vertices[k]];
        point.curvature += weights[k] * skin->curvature[vertices[k]];
    }
    return point;
}

double pal_skin_flattened(PalSkin *skin, int32_t count, const int32_t *vertices,
                          const double *weights)
{
    double sum = 0;
    for (int32_t k = 0; k < count; ++k) {
        pal_skin_normal(skin, vertices[k]);
        sum += weights[k] * skin->flattened[vertices[k]];
    }
    return sum;
}

PalVec3 pal_skin_normal_at(PalSkin *skin, int32_t count, const int32_t *vertices,
                           const double *weights)
{
    PalVec3 sum = {0, 0, 0};
    for (int32_t k = 0; k < count; ++k)
        sum = pal_vec3_add_scaled(sum, weights[k], pal_skin_normal(skin, vertices[k]));
    return sum;
}

double pal_skin_strength(const PalSkin *skin, int32_t a, int32_t b, double thickness)
{
    double compliance = 1 / skin->modulus[a] + 1 / skin->modulus[b];
    return compliance > 0 && isfinite(compliance) ? PRESSURE * thickness / compliance : 0;
}
