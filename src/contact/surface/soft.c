// The boundary of a soft body: each vertex is a node.
#include "contact/surface/surface.h"
#include "math/range.h"
#include "math/vec3.h"
#include "model/ties.h"

static void count(const PalModel *model, int32_t index, int32_t *vertices, int32_t *facets)
{
    const PalSurface *skin = model->bodies[index].surface;
    *vertices = skin->node_count;
    *facets = skin->facet_count * (skin->corner_count - 2);
}

// Where the diagonal of a quadrilateral starts. A node where few facets meet, as at the corner of a
// block, should be part of one triangle rather than two: it can be pushed by a row of its own
// beside what is its share of those triangles, but not by less than that.
static int diagonal_of(const int32_t corners[4], const int32_t *facets_at)
{
    const int32_t count[4] = {facets_at[corners[0]], facets_at[corners[1]], facets_at[corners[2]],
                              facets_at[corners[3]]};
    return pal_min(count[0], count[2]) < pal_min(count[1], count[3]);
}

// A node that is attached moves what it is attached to.
static void hang_tied(const PalModel *model, int32_t node, PalSurfaceFiller *filler)
{
    int32_t tie = pal_ties_find(model->ties, node);
    if (tie == PAL_NONE)
        return;
    const int32_t *facet = model->ties->facet[tie];
    const double *place = model->ties->place[tie];
    pal_filler_hang(filler, 4, (int32_t[]){node, facet[0], facet[1], facet[2]},
                    (double[]){0, place[0], place[1], place[2]});
}

static void fill(const PalModel *model, int32_t index, PalSurfaceFiller *filler)
{
    const PalBody *body = &model->bodies[index];
    const PalSurface *skin = body->surface;
    int32_t *vertex_of = pal_filler_scratch(filler, 0), *facets_at = pal_filler_scratch(filler, 1);
    for (int32_t i = 0; i < skin->node_count; ++i) {
        vertex_of[skin->nodes[i]] =
            pal_filler_add_vertex(filler, body->first_node + skin->nodes[i]);
        facets_at[skin->nodes[i]] = 0;
        hang_tied(model, body->first_node + skin->nodes[i], filler);
    }
    for (int64_t i = 0; i < (int64_t)skin->facet_count * skin->corner_count; ++i)
        ++facets_at[skin->facets[i]];
    for (int32_t i = 0; i < skin->facet_count; ++i) {
        const int32_t *corners = skin->facets + (int64_t)i * skin->corner_count;
        int32_t facet[4] = {0, 0, 0, 0};
        int first = skin->corner_count == 4 ? diagonal_of(corners, facets_at) : 0;
        for (int32_t a = 0; a < skin->corner_count; ++a)
            facet[a] = vertex_of[corners[(a + first) % skin->corner_count]];
        if (skin->corner_count == 4)
            pal_filler_add_quad(filler, facet);
        else
            pal_filler_add_facet(filler, facet);
    }
}

static void place(const PalContactSurface *surface, int32_t object, int32_t vertex, PalVec3 *start,
                  PalVec3 *end)
{
    (void)object;
    const PalSurfaceMotion *motion = &surface->motion;
    int32_t node = surface->vertex_node[vertex];
    PalVec3 at = motion->model->nodes[node];
    *start = motion->displacement != NULL ? pal_vec3_add(at, motion->displacement[node]) : at;
    if (motion->velocity != NULL)
        *end = pal_vec3_add(at, pal_vec3_add_scaled(motion->displacement[node], motion->step,
                                                    motion->velocity[node]));
}

static PalVertexOrigin origin(const PalModel *model, int32_t index, int32_t node)
{
    const PalBody *body = &model->bodies[index];
    return (PalVertexOrigin){body->name, node - body->first_node, model->nodes[node]};
}

const PalSurfaceSource pal_source_soft = {
    .name = "body",
    .soft = true,
    .count = count,
    .fill = fill,
    .place = place,
    .origin = origin,
};
