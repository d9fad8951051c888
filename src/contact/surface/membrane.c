// A thin body: two sides, each half of the present thickness away from the nodes along their
// normals, and walls along its rim. Both sides hang on the same nodes.   docs/theory/membranes.md,
// 6
#include "contact/surface/surface.h"
#include "math/vec3.h"
#include "mesh/cells.h"

#include <math.h>

// ---- filling ----------------------------------------------------------------------------

// Whether the edge from one node to the next of a triangle is the other way round in no other. The
// nodes' triangles are few: they are looked through.
static bool ends_at(const PalMesh *mesh, const PalLists *around, int32_t from, int32_t to)
{
    for (int32_t i = around->start[from]; i < around->start[from + 1]; ++i) {
        const int32_t *corners = pal_mesh_cell(mesh, around->items[i]);
        for (int k = 0; k < 3; ++k)
            if (corners[k] == to && corners[(k + 1) % 3] == from)
                return false;
    }
    return true;
}

static int32_t count_rim(const PalMesh *mesh, const PalLists *around)
{
    int32_t count = 0;
    for (int32_t c = 0; c < mesh->cell_count; ++c)
        for (int k = 0; k < 3; ++k) {
            const int32_t *corners = pal_mesh_cell(mesh, c);
            count += ends_at(mesh, around, corners[k], corners[(k + 1) % 3]);
        }
    return count;
}

static void count(const PalModel *model, int32_t index, int32_t *vertices, int32_t *facets)
{
    const PalBody *body = &model->bodies[index];
    *vertices = 2 * body->mesh->node_count;
    *facets = 2 * body->mesh->cell_count + 2 * count_rim(body->mesh, &body->around);
}

// The node itself counts; those around it turn its normal, but bear nothing.
static void hang(const PalBody *body, int32_t node, PalSurfaceFiller *filler)
{
    enum { MOST = 64 };
    int32_t nodes[MOST] = {body->first_node + node}, held = 1;
    double weights[MOST] = {1};
    for (int32_t i = body->around.start[node]; i < body->around.start[node + 1]; ++i) {
        const int32_t *corners = pal_mesh_cell(body->mesh, body->around.items[i]);
        for (int k = 0; k < 3; ++k) {
            int32_t other = body->first_node + corners[k], known = 0;
            while (known < held && nodes[known] != other)
                ++known;
            if (known == held && held < MOST)
                nodes[held++] = other;
        }
    }
    pal_filler_hang(filler, held, nodes, weights);
}

// Vertices: one side of all nodes, then the other. Facets likewise, then the rim.
static void fill(const PalModel *model, int32_t index, PalSurfaceFiller *filler)
{
    const PalBody *body = &model->bodies[index];
    const PalMesh *mesh = body->mesh;
    int32_t first = 0;
    for (int32_t n = 0; n < 2 * mesh->node_count; ++n) {
        int32_t node = n % mesh->node_count;
        int32_t vertex = pal_filler_add_vertex(filler, body->first_node + node);
        first = n == 0 ? vertex : first;
        hang(body, node, filler);
    }
    int32_t back = first + mesh->node_count;
    for (int32_t c = 0; c < mesh->cell_count; ++c) {
        const int32_t *n = pal_mesh_cell(mesh, c);
        pal_filler_add_facet(filler, (int32_t[]){first + n[0], first + n[1], first + n[2]});
    }
    for (int32_t c = 0; c < mesh->cell_count; ++c) {
        const int32_t *n = pal_mesh_cell(mesh, c);
        pal_filler_add_facet(filler, (int32_t[]){back + n[0], back + n[2], back + n[1]});
    }
    for (int32_t c = 0; c < mesh->cell_count; ++c)
        for (int k = 0; k < 3; ++k) {
            const int32_t *n = pal_mesh_cell(mesh, c);
            int32_t from = n[k], to = n[(k + 1) % 3];
            if (ends_at(mesh, &body->around, from, to))
                pal_filler_add_quad(filler,
                                    (int32_t[]){first + to, first + from, back + from, back + to});
        }
}

// ---- placing ----------------------------------------------------------------------------

// Where nodes are: in the step's motion, `after` it or before.
typedef struct Where {
    const PalSurfaceMotion *motion;
    PalNodeVelocity velocity;
    const void *context;
    bool after;
} Where;

static PalVec3 position(const Where *where, int32_t node)
{
    const PalSurfaceMotion *motion = where->motion;
    PalVec3 at = motion->model->nodes[node];
    if (motion->displacement == NULL)
        return at;
    PalVec3 u = motion->displacement[node];
    if (where->after)
        u = pal_vec3_add_scaled(u, motion->step, where->velocity(where->context, node));
    return pal_vec3_add(at, u);
}

static PalVec3 predicted(const void *context, int32_t node)
{
    const PalSurfaceMotion *motion = context;
    return motion->velocity[node];
}

// Half the thickness along the mean of the normals around, by area. Thickness shrinks as the area
// grows: right to first order, and exact for what keeps its volume.
static PalVec3 offset(const Where *where, const PalBody *body, int32_t node)
{
    const PalVec3 *rest = where->motion->model->nodes;
    PalVec3 sum = {0, 0, 0}, own = position(where, body->first_node + node);
    double area = 0, volume = 0;
    for (int32_t i = body->around.start[node]; i < body->around.start[node + 1]; ++i) {
        int32_t cell = body->around.items[i];
        const int32_t *corners = pal_mesh_cell(body->mesh, cell);
        int k = corners[0] == node ? 0 : corners[1] == node ? 1 : 2;
        int32_t b = body->first_node + corners[(k + 1) % 3];
        int32_t c = body->first_node + corners[(k + 2) % 3], a = body->first_node + node;
        PalVec3 now = pal_vec3_cross(pal_vec3_sub(position(where, b), own),
                                     pal_vec3_sub(position(where, c), own));
        PalVec3 then =
            pal_vec3_cross(pal_vec3_sub(rest[b], rest[a]), pal_vec3_sub(rest[c], rest[a]));
        double ratio2 = pal_vec3_dot(now, now) / pal_vec3_dot(then, then);
        double thinner = 1 / sqrt(1 + body->thinning[cell] * (ratio2 - 1)),
               weight = pal_vec3_length(then);
        sum = pal_vec3_add(sum, now);
        area += weight;
        volume += weight * body->thickness[cell] * thinner;
    }
    return pal_vec3_scale(volume / area / 2, pal_vec3_normalise(sum));
}

static PalVec3 place_one(const Where *where, const PalContactSurface *surface, int32_t object,
                         int32_t vertex)
{
    const PalBody *body = &where->motion->model->bodies[surface->objects[object].index];
    int32_t node = surface->vertex_node[vertex];
    bool front = vertex - surface->object_first_vertex[object] < body->mesh->node_count;
    PalVec3 out = offset(where, body, node - body->first_node);
    return pal_vec3_add_scaled(position(where, node), front ? 1 : -1, out);
}

static void place(const PalContactSurface *surface, int32_t object, int32_t vertex, PalVec3 *start,
                  PalVec3 *end)
{
    Where where = {&surface->motion, predicted, &surface->motion, false};
    *start = place_one(&where, surface, object, vertex);
    where.after = true;
    if (surface->motion.velocity != NULL)
        *end = place_one(&where, surface, object, vertex);
}

static PalVec3 end_of(const PalContactSurface *surface, int32_t vertex, PalNodeVelocity velocity,
                      const void *context)
{
    Where where = {&surface->motion, velocity, context, true};
    return place_one(&where, surface, surface->vertex_object[vertex], vertex);
}

// Normals turn when nodes around move against each other: by less than five times the fastest speed
// over the length of an edge.
static double lever(const PalModel *model, int32_t index)
{
    const PalBody *body = &model->bodies[index];
    double most = 0;
    for (int32_t c = 0; c < body->mesh->cell_count; ++c) {
        const int32_t *n = pal_mesh_cell(body->mesh, c);
        for (int k = 0; k < 3; ++k) {
            double edge =
                pal_vec3_distance(body->mesh->nodes[n[k]], body->mesh->nodes[n[(k + 1) % 3]]);
            most = fmax(most, body->thickness[c] / edge);
        }
    }
    return 1 + 2.5 * most;
}

static PalVertexOrigin origin(const PalModel *model, int32_t index, int32_t node)
{
    const PalBody *body = &model->bodies[index];
    return (PalVertexOrigin){body->name, node - body->first_node, model->nodes[node]};
}

const PalSurfaceSource pal_source_membrane = {
    .name = "membrane",
    .soft = true,
    .count = count,
    .fill = fill,
    .place = place,
    .end_of = end_of,
    .lever = lever,
    .origin = origin,
};
