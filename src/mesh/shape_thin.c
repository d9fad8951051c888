// Surfaces that membranes are made of: a sheet, a tube, a sphere without inside.
#include "base/memory.h"
#include "math/vec3.h"
#include "mesh/blocks.h"
#include "mesh/cells.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

// ---- sheet and tube: quadrilaterals, all cut the same way
// ----------------------------------------

// Neighbours then make parallelograms, which shells like best.
static void fill_quads(int32_t nx, int32_t ny, bool closed, PalBlocks *blocks)
{
    int32_t across = closed ? nx : nx + 1;
    for (int32_t f = 0; f < nx * ny; ++f) {
        int32_t i = f % nx, j = f / nx, next = closed ? (i + 1) % nx : i + 1;
        blocks->quads[f][0] = i + across * j;
        blocks->quads[f][1] = next + across * j;
        blocks->quads[f][2] = next + across * (j + 1);
        blocks->quads[f][3] = i + across * (j + 1);
    }
}

// Mirrored nodes get mirrored coordinates to the last bit.
static double coordinate(double extent, int32_t at, int32_t count)
{
    return extent * ((2.0 * at - count) / (2.0 * count));
}

PalBlockCounts pal_sheet_counts(const PalShapeCells *cells, bool hollow)
{
    (void)hollow;
    double nx = cells->count[0], ny = cells->count[1];
    return (PalBlockCounts){.nodes = (nx + 1) * (ny + 1), .quads = nx * ny};
}

void pal_sheet_fill(PalVec3 extent, const PalShapeCells *cells, bool hollow, PalBlocks *blocks)
{
    (void)hollow;
    int32_t nx = cells->count[0], ny = cells->count[1];
    for (int32_t n = 0; n < blocks->node_count; ++n)
        blocks->nodes[n] = pal_vec3(coordinate(extent.x, n % (nx + 1), nx),
                                    coordinate(extent.y, n / (nx + 1), ny), 0);
    fill_quads(nx, ny, false, blocks);
}

PalBlockCounts pal_tube_counts(const PalShapeCells *cells, bool hollow)
{
    (void)hollow;
    double around = cells->count[0], along = cells->count[1];
    return (PalBlockCounts){.nodes = around * (along + 1), .quads = around * along};
}

void pal_tube_fill(PalVec3 extent, const PalShapeCells *cells, bool hollow, PalBlocks *blocks)
{
    (void)hollow;
    int32_t around = cells->count[0], along = cells->count[1];
    for (int32_t n = 0; n < blocks->node_count; ++n) {
        double angle = 2 * PI * (n % around) / around;
        blocks->nodes[n] = pal_vec3(extent.x * cos(angle), extent.x * sin(angle),
                                    coordinate(extent.y, n / around, along));
    }
    fill_quads(around, along, true, blocks);
}

static PalStatus add_rim(PalMesh *mesh, const char *name, const int32_t *nodes, int32_t count,
                         PalError *error)
{
    char text[8];
    strcpy(text, name);
    int32_t *copy = pal_copy(nodes, (size_t)count, sizeof *nodes);
    if (copy == NULL)
        return pal_mesh_no_memory(error);
    PalGroup group = {.name = text, .node_count = count, .nodes = copy};
    PalStatus status = pal_mesh_add_group(mesh, &group, error);
    pal_free(copy);
    return status;
}

PalStatus pal_thin_add_rims(PalMesh *mesh, PalShapeKind kind, PalError *error)
{
    static const char *const names[] = {"x-min", "x-max", "y-min", "y-max", "z-min", "z-max"};
    PalBounds box = pal_mesh_bounds(mesh);
    int32_t *nodes = pal_alloc((size_t)mesh->node_count, sizeof *nodes);
    PalStatus status = nodes != NULL ? PAL_OK : pal_mesh_no_memory(error);
    int first = kind == PAL_SHAPE_SHEET ? 0 : 4, last = kind == PAL_SHAPE_SHEET ? 4 : 6;
    for (int side = first; side < last; ++side) {
        double at = pal_vec3_at(side % 2 == 0 ? box.lower : box.upper, side / 2);
        int32_t count = 0;
        for (int32_t n = 0; status == PAL_OK && n < mesh->node_count; ++n)
            if (pal_vec3_at(mesh->nodes[n], side / 2) == at)
                nodes[count++] = n;
        if (status == PAL_OK)
            status = add_rim(mesh, names[side], nodes, count, error);
        if (status == PAL_OK)
            status = add_rim(mesh, "rim", nodes, count, error);
    }
    pal_free(nodes);
    return status;
}

// ---- sphere: an icosahedron, its faces cut into smaller triangles
// ---------------------------------

static const int8_t corners[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                      {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                      {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                      {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};

static PalVec3 icosahedron_node(int corner)
{
    const double g = (1 + sqrt(5)) / 2;
    const PalVec3 nodes[12] = {{-1, g, 0}, {1, g, 0}, {-1, -g, 0}, {1, -g, 0},
                               {0, -1, g}, {0, 1, g}, {0, -1, -g}, {0, 1, -g},
                               {g, 0, -1}, {g, 0, 1}, {-g, 0, -1}, {-g, 0, 1}};
    return pal_vec3_normalise(nodes[corner]);
}

// Nodes on edges are shared: the number of an edge's first inner node, by its corners.
typedef struct Geodesic {
    int32_t parts;               // of an edge
    int32_t edge_first[12][12];  // from the lower corner to the higher
    int32_t next;                // free number
} Geodesic;

static int32_t edge_node(Geodesic *g, int a, int b, int32_t at)
{
    int low = a < b ? a : b, high = a < b ? b : a;
    if (g->edge_first[low][high] == 0) {
        g->edge_first[low][high] = g->next;
        g->next += g->parts - 1;
    }
    return g->edge_first[low][high] + (a < b ? at : g->parts - at) - 1;
}

// Number of the node with weights i / parts, j / parts of corners 1 and 2; inner ones from `first`.
static int32_t face_node(Geodesic *g, const int8_t corner[3], int32_t i, int32_t j, int32_t first)
{
    int32_t n = g->parts, k = n - i - j;
    if (i == n || j == n || k == n)
        return i == n ? corner[1] : j == n ? corner[2] : corner[0];
    if (j == 0)
        return edge_node(g, corner[0], corner[1], i);
    if (i == 0)
        return edge_node(g, corner[0], corner[2], j);
    if (k == 0)
        return edge_node(g, corner[1], corner[2], j);
    int32_t before = (j - 1) * (n - 1) - j * (j - 1) / 2;  // rows below have n - 1 - row
    return first + before + i - 1;
}

static void fill_face(Geodesic *g, int face, double radius, PalMesh *mesh)
{
    const int8_t *corner = corners[face];
    int32_t n = g->parts;
    for (int e = 0; e < 3 && n > 1; ++e)  // edges first, so that inner nodes follow each other
        edge_node(g, corner[e], corner[(e + 1) % 3], 1);
    int32_t first = g->next;
    g->next += (n - 1) * (n - 2) / 2;
    for (int32_t j = 0; j <= n; ++j)
        for (int32_t i = 0; i <= n - j; ++i) {
            PalVec3 sum = pal_vec3_scale(n - i - j, icosahedron_node(corner[0]));
            sum = pal_vec3_add_scaled(sum, i, icosahedron_node(corner[1]));
            sum = pal_vec3_add_scaled(sum, j, icosahedron_node(corner[2]));
            mesh->nodes[face_node(g, corner, i, j, first)] =
                pal_vec3_scale(radius, pal_vec3_normalise(sum));
        }
    for (int32_t j = 0; j < n; ++j)
        for (int32_t i = 0; i < n - j; ++i)
            for (int down = 0; down < (i + j + 1 < n ? 2 : 1); ++down) {
                int32_t *cell = mesh->cells + 3 * (int64_t)mesh->cell_count++;
                cell[0] = face_node(g, corner, i + 1, j, first);
                cell[1] = face_node(g, corner, i + down, j + 1, first);
                cell[2] = down ? face_node(g, corner, i, j + 1, first)
                               : face_node(g, corner, i, j, first);
            }
}

PalStatus pal_shell_sphere_create(double radius, double size, PalMesh *mesh, PalError *error)
{
    enum { MOST = 3000 };
    double parts = round(1.05146222423827 * radius / size);  // edges of the icosahedron
    if (!(parts <= MOST))
        return pal_error_set(error, PAL_BAD_INPUT,
                             "the shell-sphere would have %g triangles, expected at most %g",
                             20 * parts * parts, 20.0 * MOST * MOST);
    Geodesic g = {.parts = parts > 1 ? (int32_t)parts : 1, .next = 12};
    int32_t n = g.parts;
    mesh->node_count = 10 * n * n + 2;
    mesh->nodes = pal_alloc((size_t)mesh->node_count, sizeof *mesh->nodes);
    mesh->cells = pal_alloc((size_t)(20 * n * n), 3 * sizeof *mesh->cells);
    if (mesh->nodes == NULL || mesh->cells == NULL)
        return pal_mesh_no_memory(error);
    for (int face = 0; face < 20; ++face)
        fill_face(&g, face, radius, mesh);
    return PAL_OK;
}
