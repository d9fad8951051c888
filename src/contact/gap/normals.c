// johnsen2015, section 3.4.4; johnsen2012, equations 6 and 8.  docs/theory/contact-johnsen.md
#include "contact/gap/normals.h"

#include "base/memory.h"
#include "math/vec3.h"

PalStatus pal_normals_init(PalNormals *normals, PalNormalKind kind,
                           const PalContactSurface *surface, PalError *error)
{
    size_t vertices = (size_t)surface->vertex_count, facets = (size_t)surface->facet_count;
    *normals = (PalNormals){
        .kind = kind,
        .surface = surface,
        .stamp = 1,
        .swept = pal_alloc(facets, sizeof *normals->swept),
        .frames = pal_alloc(facets, sizeof *normals->frames),
        .vertex = pal_alloc(vertices, sizeof *normals->vertex),
        .swept_stamp = pal_alloc(facets, sizeof *normals->swept_stamp),
        .frame_stamp = pal_alloc(facets, sizeof *normals->frame_stamp),
        .vertex_stamp = pal_alloc(vertices, sizeof *normals->vertex_stamp),
    };
    if (normals->swept != NULL && normals->swept_stamp != NULL && normals->frames != NULL &&
        normals->vertex != NULL && normals->frame_stamp != NULL && normals->vertex_stamp != NULL)
        return PAL_OK;
    pal_normals_clear(normals);
    return pal_error_set(error, PAL_NO_MEMORY, "no memory for the normals of the surfaces");
}

void pal_normals_clear(PalNormals *normals)
{
    pal_free(normals->swept);
    pal_free(normals->swept_stamp);
    pal_free(normals->frames);
    pal_free(normals->vertex);
    pal_free(normals->frame_stamp);
    pal_free(normals->vertex_stamp);
    *normals = (PalNormals){0};
}

// ---- facets -----------------------------------------------------------------------------

static void include(PalBounds *box, PalVec3 x)
{
    box->lower.x = x.x < box->lower.x ? x.x : box->lower.x;
    box->lower.y = x.y < box->lower.y ? x.y : box->lower.y;
    box->lower.z = x.z < box->lower.z ? x.z : box->lower.z;
    box->upper.x = x.x > box->upper.x ? x.x : box->upper.x;
    box->upper.y = x.y > box->upper.y ? x.y : box->upper.y;
    box->upper.z = x.z > box->upper.z ? x.z : box->upper.z;
}

PalBounds pal_swept_bounds(const PalContactSurface *surface, const int32_t *vertices, int count)
{
    PalBounds box = {surface->start[vertices[0]], surface->start[vertices[0]]};
    for (int a = 0; a < count; ++a) {
        include(&box, surface->start[vertices[a]]);
        include(&box, surface->end[vertices[a]]);
    }
    return box;
}

const PalBounds *pal_normals_swept(PalNormals *normals, int32_t facet)
{
    if (normals->swept_stamp[facet] != normals->stamp) {
        const PalContactSurface *surface = normals->surface;
        normals->swept[facet] = pal_swept_bounds(surface, surface->facets[facet], 3);
        normals->swept_stamp[facet] = normals->stamp;
    }
    return &normals->swept[facet];
}

// Moeller and Trumbore's solution of x = origin + xi e1 + eta e2 + gap n, with n of unit length.
static void make_frame(const PalContactSurface *surface, int32_t facet, PalFacetFrame *frame)
{
    const int32_t *corner = surface->facets[facet];
    PalVec3 origin = surface->end[corner[0]];
    PalVec3 e1 = pal_vec3_sub(surface->end[corner[1]], origin);
    PalVec3 e2 = pal_vec3_sub(surface->end[corner[2]], origin);
    PalVec3 cross = pal_vec3_cross(e1, e2);
    double area = pal_vec3_length(cross);
    *frame = (PalFacetFrame){.origin = origin, .area_twice = area};
    if (!(area > 0) || !isfinite(area))
        return;
    frame->normal = pal_vec3_scale(1 / area, cross);
    frame->xi = pal_vec3_scale(1 / area, pal_vec3_cross(e2, frame->normal));
    frame->eta = pal_vec3_scale(1 / area, pal_vec3_cross(frame->normal, e1));
}

const PalFacetFrame *pal_normals_frame(PalNormals *normals, int32_t facet)
{
    if (normals->frame_stamp[facet] != normals->stamp) {
        make_frame(normals->surface, facet, &normals->frames[facet]);
        normals->frame_stamp[facet] = normals->stamp;
    }
    return &normals->frames[facet];
}

// ---- vertices ---------------------------------------------------------------------------

static double angle_at(const PalContactSurface *surface, int32_t facet, int32_t vertex)
{
    const int32_t *corner = surface->facets[facet];
    int a = corner[0] == vertex ? 0 : corner[1] == vertex ? 1 : 2;
    PalVec3 at = surface->end[vertex];
    PalVec3 to = pal_vec3_sub(surface->end[corner[(a + 1) % 3]], at);
    PalVec3 back = pal_vec3_sub(surface->end[corner[(a + 2) % 3]], at);
    return atan2(pal_vec3_length(pal_vec3_cross(to, back)), pal_vec3_dot(to, back));
}

static PalVec3 make_vertex_normal(PalNormals *normals, int32_t vertex)
{
    const PalLists *around = &normals->surface->vertex_facets;
    PalVec3 sum = {0, 0, 0};
    for (int32_t i = around->start[vertex]; i < around->start[vertex + 1]; ++i) {
        int32_t facet = around->items[i];
        const PalFacetFrame *frame = pal_normals_frame(normals, facet);
        double weight = 1;
        if (normals->kind == PAL_NORMAL_ANGLE)
            weight = frame->area_twice * angle_at(normals->surface, facet, vertex);
        sum = pal_vec3_add_scaled(sum, weight, frame->normal);
    }
    return normals->kind == PAL_NORMAL_MEAN ? pal_vec3_normalise(sum) : sum;
}

PalVec3 pal_normals_vertex(PalNormals *normals, int32_t vertex)
{
    if (normals->vertex_stamp[vertex] != normals->stamp) {
        normals->vertex[vertex] = make_vertex_normal(normals, vertex);
        normals->vertex_stamp[vertex] = normals->stamp;
    }
    return normals->vertex[vertex];
}

PalVec3 pal_normals_blend(PalNormals *normals, const int32_t *vertices, const double *weights,
                          int count)
{
    PalVec3 sum = {0, 0, 0};
    for (int a = 0; a < count; ++a)
        sum = pal_vec3_add_scaled(sum, weights[a], pal_normals_vertex(normals, vertices[a]));
    return pal_vec3_normalise(sum);
}
