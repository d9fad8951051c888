#include "contact/response/depth/lattice.h"
#include "math/components.h"

#include "base/memory.h"
#include "geometry/closest.h"
#include "mesh/box_tree.h"
#include "mesh/cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST = 6, MOST = 40 };  // boxes along an axis

#define ROUNDING 1e-9  // of a box: depths of less are those of the surface

// Where depths are measured: the points of a lattice, or the middles of its boxes.
typedef struct Grid {
    const PalDepthLattice *lattice;
    double first;  // 0 or 0.5: of a box, from the lattice's corner to the first place
    int32_t counts[3];
    double *depth;
} Grid;

static int64_t point_at(const PalDepthLattice *lattice, int32_t i, int32_t j, int32_t k)
{
    return i + (lattice->counts[0] + 1) * (j + (int64_t)(lattice->counts[1] + 1) * k);
}

static int64_t box_at(const PalDepthLattice *lattice, int32_t i, int32_t j, int32_t k)
{
    return i + lattice->counts[0] * (j + (int64_t)lattice->counts[1] * k);
}

static PalVec3 place_of(const PalDepthLattice *lattice, double i, double j, double k)
{
    return pal_vec3(lattice->low.x + i * lattice->size.x, lattice->low.y + j * lattice->size.y,
                    lattice->low.z + k * lattice->size.z);
}

static double slight(const PalDepthLattice *lattice)
{
    return ROUNDING * fmin(lattice->size.x, fmin(lattice->size.y, lattice->size.z));
}

static PalVec3 grid_place(const Grid *grid, int32_t i, int32_t j, int32_t k)
{
    return place_of(grid->lattice, i + grid->first, j + grid->first, k + grid->first);
}

static int64_t grid_at(const Grid *grid, int32_t i, int32_t j, int32_t k)
{
    return i + grid->counts[0] * (j + (int64_t)grid->counts[1] * k);
}

// ---- inside or outside ------------------------------------------------------------------

// How often a line along z through the columns' places, moved aside a little lest it meet edges,
// goes through the surface above each place: up less down.
static void count_facet(const Grid *grid, const PalVec3 x[3], int32_t *turns)
{
    double across = (x[1].x - x[0].x) * (x[2].y - x[0].y) - (x[1].y - x[0].y) * (x[2].x - x[0].x);
    if (across == 0)
        return;
    PalVec3 size = grid->lattice->size;
    double aside_x = 1.2345678e-7 * size.x, aside_y = 2.3456789e-7 * size.y;
    for (int32_t j = 0; j < grid->counts[1]; ++j)
        for (int32_t i = 0; i < grid->counts[0]; ++i) {
            PalVec3 p = grid_place(grid, i, j, 0);
            double weights[3];
            bool over = true;
            for (int a = 0; a < 3; ++a) {
                PalVec3 from = x[(a + 1) % 3], to = x[(a + 2) % 3];
                weights[a] = ((to.x - from.x) * (p.y + aside_y - from.y) -
                              (to.y - from.y) * (p.x + aside_x - from.x)) /
                             across;
                over = over && weights[a] >= 0;
            }
            if (!over)
                continue;
            double z = weights[0] * x[0].z + weights[1] * x[1].z + weights[2] * x[2].z;
            for (int32_t k = 0; k < grid->counts[2]; ++k)
                if (grid_place(grid, i, j, k).z <= z)
                    turns[grid_at(grid, i, j, k)] += across > 0 ? 1 : -1;
        }
}

static bool is_closed(const PalMesh *mesh, int32_t *rows, int32_t *order)
{
    for (int64_t c = 0; c < mesh->cell_count; ++c)
        for (int a = 0; a < 3; ++a) {
            int32_t *row = rows + 2 * (3 * c + a);
            row[0] = mesh->cells[3 * c + a];
            row[1] = mesh->cells[3 * c + (a + 1) % 3];
            pal_row_sort(row, 2);
        }
    int32_t count = 3 * mesh->cell_count;
    if (!pal_rows_order(rows, count, 2, order))
        return false;
    for (int32_t first = 0, last; first < count; first = last) {
        for (last = first + 1; last < count && pal_rows_equal(rows + 2 * (int64_t)order[first],
                                                              rows + 2 * (int64_t)order[last], 2);)
            ++last;
        if ((last - first) % 2 != 0)
            return false;
    }
    return count > 0;
}

// ---- creating ---------------------------------------------------------------------------

static void lay_out(const PalMesh *mesh, double size, PalDepthLattice *lattice)
{
    PalBounds bounds = pal_mesh_bounds(mesh);
    PalVec3 extent = pal_vec3_sub(bounds.upper, bounds.lower);
    lattice->low = bounds.lower;
    for (int i = 0; i < 3; ++i) {
        double length = pal_vec3_at(extent, i);
        double wanted = size > 0 ? ceil(length / size) : LEAST;
        lattice->counts[i] = wanted < LEAST ? LEAST : wanted > MOST ? MOST : (int32_t)wanted;
        pal_vec3_put(&lattice->size, i, length / lattice->counts[i]);
    }
}

static double measure(const PalMesh *mesh, const PalBoxTree *tree, PalVec3 place, bool inside,
                      double slight)
{
    const int32_t *corners = pal_mesh_cell(mesh, pal_box_tree_nearest(tree, place));
    PalVec3 facet[3] = {mesh->nodes[corners[0]], mesh->nodes[corners[1]], mesh->nodes[corners[2]]};
    double weights[3];
    PalFeature feature;
    double distance = pal_closest_on_triangle(place, facet, weights, &feature);
    if (distance <= slight)
        return 0;
    return inside ? distance : -distance;
}

static bool fill(const PalMesh *mesh, const PalBoxTree *tree, Grid *grid, double *deepest)
{
    double least = slight(grid->lattice);
    size_t places = (size_t)grid_at(grid, 0, 0, grid->counts[2]);
    int32_t *turns = pal_alloc(places, sizeof *turns);
    grid->depth = pal_alloc(places, sizeof *grid->depth);
    bool good = turns != NULL && grid->depth != NULL;
    for (int32_t c = 0; good && c < mesh->cell_count; ++c) {
        const int32_t *corners = pal_mesh_cell(mesh, c);
        PalVec3 facet[3] = {mesh->nodes[corners[0]], mesh->nodes[corners[1]],
                            mesh->nodes[corners[2]]};
        count_facet(grid, facet, turns);
    }
    for (int32_t k = 0; good && k < grid->counts[2]; ++k)
        for (int32_t j = 0; j < grid->counts[1]; ++j)
            for (int32_t i = 0; i < grid->counts[0]; ++i) {
                int64_t at = grid_at(grid, i, j, k);
                grid->depth[at] =
                    measure(mesh, tree, grid_place(grid, i, j, k), turns[at] != 0, least);
                *deepest = fmax(*deepest, grid->depth[at]);
            }
    pal_free(turns);
    return good;
}

static bool fill_both(const PalMesh *mesh, PalDepthLattice *lattice)
{
    const int32_t *boxes = lattice->counts;
    Grid points = {.lattice = lattice, .counts = {boxes[0] + 1, boxes[1] + 1, boxes[2] + 1}};
    Grid middles = {.lattice = lattice, .first = 0.5, .counts = {boxes[0], boxes[1], boxes[2]}};
    PalBoxTree tree = {0};
    bool good = pal_box_tree_init(&tree, mesh) && fill(mesh, &tree, &points, &lattice->deepest) &&
                fill(mesh, &tree, &middles, &lattice->deepest);
    lattice->depth = points.depth;
    lattice->middle = middles.depth;
    pal_box_tree_clear(&tree);
    return good;
}

PalStatus pal_depth_lattice_create(const PalMesh *mesh, double size, PalDepthLattice *lattice,
                                   PalError *error)
{
    *lattice = (PalDepthLattice){.counts = {0}};
    size_t edges = 3 * (size_t)mesh->cell_count;
    int32_t *rows = pal_alloc(2 * edges, sizeof *rows), *order = pal_alloc(edges, sizeof *order);
    bool closed = rows != NULL && order != NULL && is_closed(mesh, rows, order);
    bool good = rows != NULL && order != NULL;
    pal_free(rows);
    pal_free(order);
    if (good && closed) {
        lay_out(mesh, size, lattice);
        if (lattice->size.x > 0 && lattice->size.y > 0 && lattice->size.z > 0)
            good = fill_both(mesh, lattice);
        else
            lattice->counts[0] = 0;
    }
    if (good)
        return PAL_OK;
    pal_depth_lattice_clear(lattice);
    return pal_error_set(error, PAL_NO_MEMORY, "no memory for depths");
}

void pal_depth_lattice_clear(PalDepthLattice *lattice)
{
    pal_free(lattice->depth);
    pal_free(lattice->middle);
    *lattice = (PalDepthLattice){.counts = {0}};
}

// ---- cells ------------------------------------------------------------------------------

bool pal_depth_lattice_range(const PalDepthLattice *lattice, const PalBounds *box,
                             int32_t range[3][2])
{
    for (int i = 0; i < 3; ++i) {
        double low = pal_vec3_at(lattice->low, i), size = pal_vec3_at(lattice->size, i);
        double first = floor((pal_vec3_at(box->lower, i) - low) / size);
        double last = floor((pal_vec3_at(box->upper, i) - low) / size);
        if (lattice->counts[i] == 0 || !(last >= 0) || !(first < lattice->counts[i]))
            return false;
        range[i][0] = first > 0 ? (int32_t)first : 0;
        range[i][1] = last < lattice->counts[i] - 1 ? (int32_t)last : lattice->counts[i] - 1;
    }
    return true;
}

// The middle of a box, and half of one of its faces: where the faces of an instrument are planes of
// the lattice, no cell inside has all of its corners on the surface, whatever edges are around it.
// Faces are halved where they are deeper: distance is the least of several, so the larger of two
// ways across a face is the nearer one. Where depth is that of a plane, both are equal but for
// rounding, which must not choose: forces are the same, but friction knows cells.
bool pal_depth_lattice_cell(const PalDepthLattice *lattice, const int32_t box[3], int which,
                            PalVec3 corners[4], double depth[4])
{
    int axis = which / 4, across[2] = {(axis + 1) % 3, (axis + 2) % 3};
    double most, of[4];
    int32_t at[4][3];
    for (int c = 0; c < 4; ++c) {
        at[c][axis] = box[axis] + (which >> 1 & 1);
        at[c][across[0]] = box[across[0]] + (c == 1 || c == 2);
        at[c][across[1]] = box[across[1]] + (c >= 2);
        of[c] = lattice->depth[point_at(lattice, at[c][0], at[c][1], at[c][2])];
    }
    int first = (of[0] + of[2] >= of[1] + of[3] - slight(lattice) ? 0 : 1) + 2 * (which & 1);
    corners[3] = place_of(lattice, box[0] + 0.5, box[1] + 0.5, box[2] + 0.5);
    depth[3] = most = lattice->middle[box_at(lattice, box[0], box[1], box[2])];
    for (int e = 0; e < 3; ++e) {
        int c = (first + e) % 4;
        corners[e] = place_of(lattice, at[c][0], at[c][1], at[c][2]);
        depth[e] = of[c];
        most = fmax(most, of[c]);
    }
    return most > 0;
}

void pal_depth_lattice_clips(const double depth[4], double clips[5][4])
{
    memset(clips, 0, sizeof(double[5][4]));
    for (int e = 0; e < 4; ++e) {
        clips[e][e] = 1;
        clips[4][e] = depth[e];
    }
}
