#include "contact/response/depth/cut.h"

#include "base/array.h"
#include "base/memory.h"
#include "mesh/cells.h"

#include <stdlib.h>
#include <string.h>

// Two, three or four nodes, ascending, PAL_NONE behind them.
typedef struct Simplex {
    int32_t nodes[4];
} Simplex;

typedef PAL_ARRAY(Simplex) Simplices;

typedef struct Cutter {
    const PalBody *body;
    PalDepthField *field;
    bool *outside;      // per node: it is on the boundary
    Simplices tets;     // as they are, corners in any order
    Simplices skin;     // edges and facets of the boundary, sorted
    Simplices middles;  // edges, faces and cells that get a point, sorted; edges come before faces
    PAL_ARRAY(PalDepthCell) cells;
} Cutter;

static const int edges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
static const int faces[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};

// The eight parts of a quadratic tetrahedron: its corners, and the middle cut along one diagonal.
static const int parts[8][4] = {{0, 4, 6, 7}, {4, 1, 5, 8}, {6, 5, 2, 9}, {7, 8, 9, 3},
                                {4, 5, 6, 8}, {4, 8, 6, 7}, {9, 8, 5, 6}, {9, 7, 8, 6}};

// ---- sets of simplices ------------------------------------------------------------------

static Simplex simplex_of(const int32_t *nodes, const int *which, int count)
{
    Simplex simplex = {{PAL_NONE, PAL_NONE, PAL_NONE, PAL_NONE}};
    for (int k = 0; k < count; ++k)
        simplex.nodes[k] = nodes[which[k]];
    pal_row_sort(simplex.nodes, count);
    return simplex;
}

static int size_of(const Simplex *simplex)
{
    return simplex->nodes[3] != PAL_NONE ? 4 : simplex->nodes[2] != PAL_NONE ? 3 : 2;
}

static int compare(const void *left, const void *right)
{
    const Simplex *a = left, *b = right;
    int more = size_of(a) - size_of(b);
    for (int k = 0; k < 4 && more == 0; ++k)
        more = (a->nodes[k] > b->nodes[k]) - (a->nodes[k] < b->nodes[k]);
    return more;
}

static void sort(Simplices *set)
{
    int32_t kept = 0;
    if (set->count > 0)
        qsort(set->items, (size_t)set->count, sizeof *set->items, compare);
    for (int32_t i = 0; i < set->count; ++i)
        if (i == 0 || compare(&set->items[i], &set->items[kept - 1]) != 0)
            set->items[kept++] = set->items[i];
    set->count = kept;
}

// Its place in a sorted set, or PAL_NONE.
static int32_t find(const Simplices *set, const Simplex *simplex)
{
    if (set->count == 0)
        return PAL_NONE;
    const Simplex *found =
        bsearch(simplex, set->items, (size_t)set->count, sizeof *simplex, compare);
    return found != NULL ? (int32_t)(found - set->items) : PAL_NONE;
}

// ---- what gets a point ------------------------------------------------------------------

static bool all_outside(const Cutter *cutter, const Simplex *simplex)
{
    for (int k = 0; k < size_of(simplex); ++k)
        if (!cutter->outside[simplex->nodes[k]])
            return false;
    return true;
}

static bool list_tets(Cutter *cutter)
{
    const PalMesh *mesh = cutter->body->mesh;
    bool quadratic = mesh->cell_kind == PAL_CELL_QUADRATIC_TETRAHEDRON;
    for (int32_t c = 0; c < mesh->cell_count; ++c) {
        const int32_t *cell = pal_mesh_cell(mesh, c);
        for (int p = 0; p < (quadratic ? 8 : 1); ++p) {
            Simplex tet;
            for (int k = 0; k < 4; ++k)
                tet.nodes[k] = cell[quadratic ? parts[p][k] : k];
            if (!pal_array_push(&cutter->tets, tet))
                return false;
        }
    }
    return true;
}

static bool list_skin(Cutter *cutter)
{
    const PalSurface *surface = cutter->body->surface;
    static const int all[3] = {0, 1, 2};
    for (int32_t i = 0; i < surface->node_count; ++i)
        cutter->outside[surface->nodes[i]] = true;
    for (int32_t f = 0; f < surface->facet_count; ++f) {
        const int32_t *facet = surface->facets + 3 * (int64_t)f;
        if (!pal_array_push(&cutter->skin, simplex_of(facet, all, 3)))
            return false;
        for (int k = 0; k < 3; ++k)
            if (!pal_array_push(&cutter->skin, simplex_of(facet, (int[]){k, (k + 1) % 3}, 2)))
                return false;
    }
    sort(&cutter->skin);
    return true;
}

static bool wants_point(const Cutter *cutter, const Simplex *simplex)
{
    return all_outside(cutter, simplex) && find(&cutter->skin, simplex) == PAL_NONE;
}

// An edge of a face or a cell, or a face of a cell, has one already.
static bool has_point(const Cutter *cutter, const Simplex *simplex)
{
    int size = size_of(simplex);
    for (int k = 0; k < 6; ++k)
        if (edges[k][1] < size) {
            Simplex edge = simplex_of(simplex->nodes, edges[k], 2);
            if (wants_point(cutter, &edge))
                return true;
        }
    for (int k = 0; size == 4 && k < 4; ++k) {
        Simplex face = simplex_of(simplex->nodes, faces[k], 3);
        if (wants_point(cutter, &face))
            return true;
    }
    return false;
}

static bool list_middles(Cutter *cutter)
{
    static const int all[4] = {0, 1, 2, 3};
    for (int32_t t = 0; t < cutter->tets.count; ++t) {
        const int32_t *tet = cutter->tets.items[t].nodes;
        for (int k = 0; k < 11; ++k) {
            Simplex simplex = k < 6    ? simplex_of(tet, edges[k], 2)
                              : k < 10 ? simplex_of(tet, faces[k - 6], 3)
                                       : simplex_of(tet, all, 4);
            if (wants_point(cutter, &simplex) && (k < 6 || !has_point(cutter, &simplex)) &&
                !pal_array_push(&cutter->middles, simplex))
                return false;
        }
    }
    sort(&cutter->middles);
    return true;
}

// ---- cutting ----------------------------------------------------------------------------

static bool has_corner(const PalDepthCell *cell, int32_t point, int *where)
{
    for (int k = 0; k < 4; ++k)
        if (cell->points[k] == point) {
            *where = k;
            return true;
        }
    return false;
}

// Each part of a tetrahedron that has all corners of a simplex becomes as many, with the new point
// in place of one of them. In this order, faces that two tetrahedra share are cut alike.
static bool cut_at(Cutter *cutter, int32_t first, const Simplex *simplex, int32_t point)
{
    int32_t end = cutter->cells.count;
    int size = size_of(simplex), where[4];
    for (int32_t c = first; c < end; ++c) {
        PalDepthCell cell = cutter->cells.items[c];
        bool whole = true;
        for (int k = 0; k < size; ++k)
            whole = whole && has_corner(&cell, simplex->nodes[k], &where[k]);
        if (!whole)
            continue;
        for (int k = 0; k < size; ++k) {
            PalDepthCell part = cell;
            part.points[where[k]] = point;
            if (k == 0)
                cutter->cells.items[c] = part;
            else if (!pal_array_push(&cutter->cells, part))
                return false;
        }
    }
    return true;
}

static int compare_numbers(const void *left, const void *right)
{
    int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return (a > b) - (a < b);
}

static bool cut_tet(Cutter *cutter, const int32_t tet[4])
{
    static const int all[4] = {0, 1, 2, 3};
    int32_t wanted[11], first = cutter->cells.count;
    int count = 0;
    PalDepthCell cell = {.clips = PAL_NONE};
    memcpy(cell.nodes, tet, sizeof cell.nodes);
    memcpy(cell.points, tet, sizeof cell.points);
    if (!pal_array_push(&cutter->cells, cell))
        return false;
    if (cutter->middles.count == 0)
        return true;
    for (int k = 0; k < 11; ++k) {
        Simplex simplex = k < 6    ? simplex_of(tet, edges[k], 2)
                          : k < 10 ? simplex_of(tet, faces[k - 6], 3)
                                   : simplex_of(tet, all, 4);
        int32_t found = find(&cutter->middles, &simplex);
        if (found != PAL_NONE)
            wanted[count++] = found;
    }
    qsort(wanted, (size_t)count, sizeof *wanted, compare_numbers);
    for (int k = 0; k < count; ++k)
        if (!cut_at(cutter, first, &cutter->middles.items[wanted[k]],
                    cutter->body->mesh->node_count + wanted[k]))
            return false;
    return true;
}

static bool make_points(Cutter *cutter)
{
    PalDepthField *field = cutter->field;
    int32_t nodes = cutter->body->mesh->node_count;
    field->point_count = nodes + cutter->middles.count;
    field->points = pal_alloc((size_t)field->point_count, sizeof *field->points);
    if (field->points == NULL)
        return false;
    for (int32_t p = 0; p < nodes; ++p)
        field->points[p] = (PalDepthPoint){.nodes = {p}, .count = 1, .inside = !cutter->outside[p]};
    for (int32_t m = 0; m < cutter->middles.count; ++m) {
        const Simplex *simplex = &cutter->middles.items[m];
        PalDepthPoint *point = &field->points[nodes + m];
        *point = (PalDepthPoint){.count = size_of(simplex), .inside = true};
        memcpy(point->nodes, simplex->nodes, sizeof point->nodes);
    }
    return true;
}

static bool cut(Cutter *cutter)
{
    cutter->outside = pal_alloc((size_t)cutter->body->mesh->node_count, sizeof *cutter->outside);
    if (cutter->outside == NULL || !list_tets(cutter) || !list_skin(cutter) ||
        !list_middles(cutter) || !make_points(cutter))
        return false;
    for (int32_t t = 0; t < cutter->tets.count; ++t)
        if (!cut_tet(cutter, cutter->tets.items[t].nodes))
            return false;
    PalDepthField *field = cutter->field;
    field->cell_count = cutter->cells.count;
    field->cells = pal_copy(cutter->cells.items, (size_t)cutter->cells.count, sizeof *field->cells);
    return field->cells != NULL;
}

PalStatus pal_depth_cut(const PalBody *body, PalDepthField *field)
{
    Cutter cutter = {.body = body, .field = field};
    bool good = cut(&cutter);
    pal_free(cutter.outside);
    pal_array_clear(&cutter.tets);
    pal_array_clear(&cutter.skin);
    pal_array_clear(&cutter.middles);
    pal_array_clear(&cutter.cells);
    return good ? PAL_OK : PAL_NO_MEMORY;
}
