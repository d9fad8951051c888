// A thin body: two sides, each half of the present thickness away from the nodes along their
// normals, and walls along its rim. Both sides hang on the same nodes.   docs/theory/membranes.md,
// 6
#include "contact/surface/surface.h"
#include "math/vec3.h"
#include "mesh/cells.h"
#include "model/ties.h"

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

// Nodes that a vertex hangs on, each once.
typedef struct Hanging {
    int32_t count;
    int32_t nodes[128];
    double weights[128];
} Hanging;

static void hang_on(Hanging *hanging, int32_t node, double weight)
{
    enum { MOST = sizeof hanging->nodes / sizeof hanging->nodes[0] };
    int32_t known = 0;
    while (known < hanging->count && hanging->nodes[known] != node)
        ++known;
    if (known == hanging->count && known < MOST) {
        hanging->nodes[hanging->count] = node;
        hanging->weights[hanging->count++] = 0;
    }
    if (known < MOST)
        hanging->weights[known] += weight;
}

// What moves a node that is attached.
static void hang_on_tie(Hanging *hanging, const PalModel *model, int32_t node)
{
    const PalTies *ties = model->ties;
    int32_t tie = pal_ties_find(ties, node);
    for (int32_t i = tie != PAL_NONE ? ties->start[tie] : 0;
         tie != PAL_NONE && i < ties->start[tie + 1]; ++i)
        hang_on(hanging, ties->to[i], 0);
    for (int k = 0; tie != PAL_NONE && k < 3; ++k)
        hang_on(hanging, ties->facet[tie][k], 0);
}

// The node itself counts, or what it is attached to; those around it turn its normal, but bear
// nothing.
static void hang(const PalModel *model, const PalBody *body, int32_t node, PalSurfaceFiller *filler)
{
    Hanging hanging = {0};
    int32_t own = body->first_node + node, tie = pal_ties_find(model->ties, own);
    hang_on(&hanging, own, tie == PAL_NONE ? 1 : 0);
    for (int k = 0; tie != PAL_NONE && k < 3; ++k)
        hang_on(&hanging, model->ties->facet[tie][k], model->ties->place[tie][k]);
    hang_on_tie(&hanging, model, own);
    for (int32_t i = body->around.start[node]; i < body->around.start[node + 1]; ++i) {
        const int32_t other[2] = {body->ring[i].from, body->ring[i].to};
        for (int k = 0; k < 2; ++k) {
            hang_on(&hanging, other[k], 0);
            hang_on_tie(&hanging, model, other[k]);
        }
    }
    pal_filler_hang(filler, hanging.count, hanging.nodes, hanging.weights);
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
        hang(model, body, node, filler);
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

typedef enum When { BEFORE, PREDICTED, GIVEN } When;

// How nodes move after the step, where it is neither before it nor as predicted.
typedef struct Given {
    const PalSurfaceMotion *motion;
    PalNodeVelocity velocity;
    const void *context;
} Given;

static PalVec3 displaced(const void *context, int32_t node)
{
    const Given *given = context;
    return pal_vec3_add_scaled(given->motion->displacement[node], given->motion->step,
                               given->velocity(given->context, node));
}

static inline PalVec3 position(const PalSurfaceMotion *motion, int32_t node, When when,
                               const Given *given)
{
    PalVec3 at = motion->model->nodes[node];
    if (motion->displacement == NULL)
        return at;
    PalVec3 u = motion->displacement[node];
    if (when == PREDICTED)
        u = pal_vec3_add_scaled(u, motion->step, motion->velocity[node]);
    if (when == GIVEN) {
        int32_t tie = pal_ties_find(motion->model->ties, node);
        u = tie == PAL_NONE ? displaced(given, node)
                            : pal_tie_displacement(motion->model, tie, displaced, given);
    }
    return pal_vec3_add(at, u);
}

// The two sides of a node.
typedef struct Sides {
    PalVec3 front, back;
} Sides;

// Half the thickness along the mean of the normals around, by area. Thickness shrinks as the area
// grows: right to first order, and exact for what keeps its volume. Triangles follow each other
// around the node, so that most begin where the last one ended.
static inline Sides place_both(const PalSurfaceMotion *motion, const PalBody *body, int32_t node,
                               When when, const Given *given)
{
    const int32_t *range = body->around.start + (node - body->first_node);
    PalVec3 own = position(motion, node, when, given), sum = {0, 0, 0}, from = {0, 0, 0};
    double half = 0;
    for (int32_t i = range[0], last = PAL_NONE; i < range[1]; ++i) {
        const PalRingSide *side = &body->ring[i];
        if (side->from != last)
            from = pal_vec3_sub(position(motion, side->from, when, given), own);
        PalVec3 to = pal_vec3_sub(position(motion, side->to, when, given), own);
        PalVec3 twice = pal_vec3_cross(from, to);
        double ratio2 = pal_vec3_dot(twice, twice) * side->inverse2;
        half += side->half / sqrt(1 + side->thinning * (ratio2 - 1));
        sum = pal_vec3_add(sum, twice);
        from = to;
        last = side->to;
    }
    PalVec3 out = pal_vec3_scale(half, pal_vec3_normalise(sum));
    return (Sides){pal_vec3_add(own, out), pal_vec3_sub(own, out)};
}

static const PalBody *body_of(const PalContactSurface *surface, int32_t object)
{
    return &surface->motion.model->bodies[surface->objects[object].index];
}

static bool is_front(const PalContactSurface *surface, int32_t object, int32_t vertex)
{
    const PalMesh *mesh = body_of(surface, object)->mesh;
    return vertex - surface->object_first_vertex[object] < mesh->node_count;
}

static void place(const PalContactSurface *surface, int32_t object, int32_t vertex, PalVec3 *start,
                  PalVec3 *end)
{
    const PalSurfaceMotion *motion = &surface->motion;
    const PalBody *body = body_of(surface, object);
    int32_t node = surface->vertex_node[vertex];
    bool front = is_front(surface, object, vertex);
    Sides sides = place_both(motion, body, node, BEFORE, NULL);
    *start = front ? sides.front : sides.back;
    if (motion->velocity == NULL)
        return;
    sides = place_both(motion, body, node, PREDICTED, NULL);
    *end = front ? sides.front : sides.back;
}

static void settle(PalContactSurface *surface, int32_t object, int32_t vertex)
{
    const PalSurfaceMotion *motion = &surface->motion;
    const PalBody *body = body_of(surface, object);
    int32_t node = surface->vertex_node[vertex], count = body->mesh->node_count;
    int32_t front = is_front(surface, object, vertex) ? vertex : vertex - count;
    int32_t back = front + count;
    Sides sides = place_both(motion, body, node, BEFORE, NULL);
    surface->start[front] = sides.front;
    surface->start[back] = sides.back;
    surface->placed[front] = surface->placed[back] = surface->stamp;
    if (motion->velocity == NULL)
        return;
    sides = place_both(motion, body, node, PREDICTED, NULL);
    surface->end[front] = sides.front;
    surface->end[back] = sides.back;
}

static PalVec3 end_of(const PalContactSurface *surface, int32_t vertex, PalNodeVelocity velocity,
                      const void *context)
{
    int32_t object = surface->vertex_object[vertex];
    Sides sides =
        place_both(&surface->motion, body_of(surface, object), surface->vertex_node[vertex], GIVEN,
                   &(Given){&surface->motion, velocity, context});
    return is_front(surface, object, vertex) ? sides.front : sides.back;
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
    .settle = settle,
    .end_of = end_of,
    .lever = lever,
    .origin = origin,
};
