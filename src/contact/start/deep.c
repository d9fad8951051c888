// Each vertex inside another object wants to leave it by its depth, or half of that where both
// sides can give way. Nodes around follow by a screened Laplace equation, u - l^2 lap u = 0 with
// these moves given, so that a body is pressed in over a good part of its size; then it is scaled
// back to the volume it had.   docs/theory/overlaps.md
#include "contact/start/deep.h"

#include "base/memory.h"
#include "contact/surface/pairs.h"
#include "math/vec3.h"

#include <math.h>

#define PASSES   40
#define SWEEPS   200
#define WIDTH    0.5   // of the radius: l
#define LEFT     2     // separations: overlaps that may be left
#define FARTHEST 1.5   // of the depth overlaps may have: surfaces may move so far
#define SETTLED  1e-3  // of the largest move: sweeps that change less are the last
#define KEPT     1e-5  // relative change of a volume that is not made good

typedef struct Deep {
    PalApart *apart;
    PalVec3 *move;   // per model node, of one pass
    double *weight;  // per model node: > 0 where the move is given
    PalLists *around;
} Deep;

static const PalMesh *mesh_of(const Deep *deep, int32_t b)
{
    return deep->apart->model->bodies[b].mesh;
}

static int32_t first_of(const Deep *deep, int32_t b)
{
    return deep->apart->model->bodies[b].first_node;
}

static PalVec3 place_of(const Deep *deep, int32_t b, int32_t n)
{
    return pal_vec3_add(mesh_of(deep, b)->nodes[n], deep->apart->smooth[first_of(deep, b) + n]);
}

// ---- what is asked for ----------------------------------------------------------------------

static bool is_soft(const PalApart *apart, int32_t vertex)
{
    return vertex < apart->surface->soft_vertex_count;
}

static void ask(const Deep *deep, int32_t vertex, double weight, PalVec3 move)
{
    if (!is_soft(deep->apart, vertex))
        return;
    int32_t node = deep->apart->surface->vertex_node[vertex];
    deep->move[node] = pal_vec3_add_scaled(deep->move[node], weight, move);
    deep->weight[node] += weight;
}

// Collects the moves vertices want. The largest of them.
static double collect(const Deep *deep)
{
    PalApart *apart = deep->apart;
    double deepest = 0;
    for (int32_t n = 0; n < apart->model->node_count; ++n) {
        deep->move[n] = pal_vec3(0, 0, 0);
        deep->weight[n] = 0;
    }
    for (int32_t v = 0; v < apart->surface->vertex_count; ++v) {
        if (apart->inside[v] == PAL_NONE || apart->facet[v] == PAL_NONE)
            continue;
        PalGap gap = pal_apart_vertex(apart, v);
        double lack = apart->separation - gap.along;
        deepest = fmax(deepest, lack);
        bool both = is_soft(apart, v) && is_soft(apart, gap.vertices[1]);
        PalVec3 move = pal_vec3_scale(both ? lack / 2 : lack, gap.normal);
        ask(deep, v, 1, move);
        for (int32_t k = 1; k < gap.count; ++k)
            ask(deep, gap.vertices[k], -gap.weights[k], pal_vec3_scale(-1, move));
    }
    for (int32_t n = 0; n < apart->model->node_count; ++n)
        if (deep->weight[n] > 0)
            deep->move[n] = pal_vec3_scale(1 / deep->weight[n], deep->move[n]);
    return deepest;
}

// ---- what follows -----------------------------------------------------------------------------

// With weights 1 / h^2 the sum of w (u_j - u) over n neighbours is n / 6 lap u = n u / 6 l^2.
static PalVec3 mean_around(const Deep *deep, int32_t b, int32_t n)
{
    const PalMesh *mesh = mesh_of(deep, b);
    const PalLists *around = &deep->around[b];
    const PalVec3 *move = deep->move + first_of(deep, b);
    int32_t corners = pal_cell_node_count(mesh->cell_kind);
    double width = WIDTH * deep->apart->radius[b], weights = 0;
    PalVec3 sum = {0, 0, 0};
    for (int32_t i = around->start[n]; i < around->start[n + 1]; ++i)
        for (int32_t a = 0; a < corners; ++a) {
            int32_t other = mesh->cells[(int64_t)around->items[i] * corners + a];
            PalVec3 arm = pal_vec3_sub(mesh->nodes[other], mesh->nodes[n]);
            if (other == n)
                continue;
            double weight = 1 / pal_vec3_dot(arm, arm);
            sum = pal_vec3_add_scaled(sum, weight, move[other]);
            weights += weight + 1 / (6 * width * width);
        }
    return pal_vec3_scale(1 / weights, sum);
}

static double sweep(const Deep *deep, int32_t b, bool back)
{
    int32_t count = mesh_of(deep, b)->node_count;
    double change = 0;
    for (int32_t i = 0; i < count; ++i) {
        int32_t n = back ? count - 1 - i : i, node = first_of(deep, b) + n;
        if (deep->weight[node] > 0 || deep->around[b].start[n] == deep->around[b].start[n + 1])
            continue;
        PalVec3 now = mean_around(deep, b, n);
        change = fmax(change, pal_vec3_distance(now, deep->move[node]));
        deep->move[node] = now;
    }
    return change;
}

static void follow(const Deep *deep, int32_t b)
{
    int32_t count = mesh_of(deep, b)->node_count;
    double largest = 0;
    for (int32_t n = 0; n < count; ++n)
        largest = fmax(largest, pal_vec3_length(deep->move[first_of(deep, b) + n]));
    for (int i = 0; i < SWEEPS && largest > 0; ++i)
        if (sweep(deep, b, i % 2 == 1) < SETTLED * largest)
            break;
    for (int32_t n = first_of(deep, b); n < first_of(deep, b) + count; ++n)
        deep->apart->smooth[n] = pal_vec3_add(deep->apart->smooth[n], deep->move[n]);
}

// ---- volumes ------------------------------------------------------------------------------------

static double volume_of(const Deep *deep, int32_t b, bool moved, PalVec3 *scratch)
{
    PalMesh mesh = *mesh_of(deep, b);
    double volume = 0;
    for (int32_t n = 0; n < mesh.node_count && moved; ++n)
        scratch[n] = place_of(deep, b, n);
    mesh.nodes = moved ? scratch : mesh.nodes;
    for (int32_t c = 0; c < mesh.cell_count; ++c)
        volume += pal_cell_volume(&mesh, c);
    return volume;
}

// Scales a body about its middle. `move` serves as scratch.
static void restore_volume(const Deep *deep, int32_t b)
{
    double before = volume_of(deep, b, false, NULL);
    double after = volume_of(deep, b, true, deep->move + first_of(deep, b));
    if (!(after > 0) || fabs(after / before - 1) < KEPT)
        return;
    PalVec3 middle = {0, 0, 0};
    int32_t count = mesh_of(deep, b)->node_count;
    for (int32_t n = 0; n < count; ++n)
        middle = pal_vec3_add_scaled(middle, 1.0 / count, place_of(deep, b, n));
    for (int32_t n = 0; n < count; ++n) {
        PalVec3 *smooth = &deep->apart->smooth[first_of(deep, b) + n];
        *smooth = pal_vec3_add_scaled(*smooth, cbrt(before / after) - 1,
                                      pal_vec3_sub(place_of(deep, b, n), middle));
    }
}

// ---- all --------------------------------------------------------------------------------------

static void place_vertices(PalApart *apart)
{
    const PalContactSurface *surface = apart->surface;
    for (int32_t v = 0; v < surface->soft_vertex_count; ++v)
        surface->start[v] = apart->base[v] =
            pal_vec3_add(surface->end[v], apart->smooth[surface->vertex_node[v]]);
    for (int32_t v = surface->soft_vertex_count; v < surface->vertex_count; ++v)
        apart->base[v] = surface->start[v];
}

// Surfaces may end up little farther from where they were than overlaps may be deep.
static PalStatus check_moves(const PalApart *apart, PalError *error)
{
    const PalContactSurface *surface = apart->surface;
    for (int32_t v = 0; v < surface->soft_vertex_count; ++v) {
        int32_t object = surface->vertex_object[v];
        double limit =
            fmax(PAL_APART_SHALLOW * apart->radius[object], PAL_APART_DEEPEST * apart->edge[v]);
        double move = pal_vec3_distance(surface->start[v], surface->end[v]);
        PalVec3 p = surface->end[v];
        if (!(move <= FARTHEST * limit + 2 * apart->separation))
            return pal_contact_error_about(
                object,
                pal_error_set(error, PAL_BAD_INPUT,
                              "\"%s\" overlaps others at the start, too deep to be removed: its "
                              "surface near (%.4g, %.4g, %.4g) would have to move by %.4g or "
                              "more, and the limit is %.4g; move bodies apart with place, or "
                              "repair the meshes",
                              pal_contact_object_name(apart->model, object), p.x, p.y, p.z, move,
                              FARTHEST * limit),
                error);
    }
    return PAL_OK;
}

static PalStatus part(const Deep *deep, PalError *error)
{
    PalApart *apart = deep->apart;
    for (int32_t b = 0; b < apart->model->body_count; ++b)
        PAL_TRY(pal_mesh_node_cells(mesh_of(deep, b), &deep->around[b], error));
    place_vertices(apart);
    for (int pass = 0; pass < PASSES; ++pass) {
        if (collect(deep) < LEFT * apart->separation)
            break;
        for (int32_t b = 0; b < apart->model->body_count; ++b) {
            follow(deep, b);
            restore_volume(deep, b);
        }
        place_vertices(apart);
        PAL_TRY(check_moves(apart, error));
        PAL_TRY(pal_apart_look(apart, error));
    }
    return PAL_OK;
}

PalStatus pal_deep_part(PalApart *apart, PalError *error)
{
    size_t nodes = (size_t)apart->model->node_count, bodies = (size_t)apart->model->body_count;
    Deep deep = {.apart = apart,
                 .move = pal_alloc(nodes, sizeof *deep.move),
                 .weight = pal_alloc(nodes, sizeof *deep.weight),
                 .around = pal_alloc(bodies, sizeof *deep.around)};
    apart->smooth = pal_alloc(nodes, sizeof *apart->smooth);
    apart->base = pal_alloc((size_t)apart->surface->vertex_count, sizeof *apart->base);
    bool good = deep.move != NULL && deep.weight != NULL && deep.around != NULL &&
                apart->smooth != NULL && apart->base != NULL;
    PalStatus status = good ? part(&deep, error)
                            : pal_error_set(error, PAL_NO_MEMORY, "no memory to move bodies apart");
    for (size_t b = 0; b < bodies && deep.around != NULL; ++b)
        pal_lists_clear(&deep.around[b]);
    pal_free(deep.move);
    pal_free(deep.weight);
    pal_free(deep.around);
    return status;
}
