// Turning cells around: solids one by one, triangles by walking over shared edges.
#include "base/memory.h"
#include "math/vec3.h"
#include "mesh/box_tree.h"
#include "mesh/cells.h"

#include <palpate/geometry.h>

static void swap(int32_t *a, int32_t *b)
{
    int32_t kept = *a;
    *a = *b;
    *b = kept;
}

static void turn_cell(PalMesh *mesh, int32_t cell_index)
{
    int32_t width = pal_cell_node_count(mesh->cell_kind);
    int32_t *nodes = mesh->cells + (size_t)cell_index * (size_t)width;
    if (mesh->cell_kind == PAL_CELL_HEXAHEDRON)
        for (int32_t a = 0; a < 4; ++a)
            swap(&nodes[a], &nodes[a + 4]);
    else
        swap(&nodes[1], &nodes[2]);
    if (mesh->cell_kind == PAL_CELL_QUADRATIC_TETRAHEDRON) {  // edges follow their ends
        swap(&nodes[4], &nodes[6]);
        swap(&nodes[8], &nodes[9]);
    }
}

static int32_t orient_solids(PalMesh *mesh)
{
    int32_t turned = 0;
    for (int32_t c = 0; c < mesh->cell_count; ++c)
        if (pal_cell_volume(mesh, c) < 0) {
            turn_cell(mesh, c);
            ++turned;
        }
    return turned;
}

// Work on a triangle mesh. Side h is the edge from corner h % 3 of triangle h / 3 to the next.
typedef struct Walk {
    int32_t side_count;
    int32_t (*edges)[2];  // nodes of each side, ascending
    int32_t *order;       // sides, those of one edge together
    int32_t *across;      // the one other side of the same edge, or PAL_NONE
    int32_t *sheet;       // per triangle: which connected piece
    int32_t *queue;
    uint8_t *turned;
    int32_t sheet_count;
    int32_t *balance;  // per sheet: scratch
    uint8_t *open;
    double *volume;
} Walk;

static void clear_walk(Walk *walk)
{
    pal_free(walk->edges);
    pal_free(walk->order);
    pal_free(walk->across);
    pal_free(walk->sheet);
    pal_free(walk->queue);
    pal_free(walk->turned);
    pal_free(walk->balance);
    pal_free(walk->open);
    pal_free(walk->volume);
}

static bool init_walk(Walk *walk, int32_t cell_count)
{
    size_t cells = (size_t)cell_count, sides = 3 * cells;
    *walk = (Walk){.side_count = (int32_t)sides};
    walk->edges = pal_alloc(sides, sizeof *walk->edges);
    walk->order = pal_alloc(sides, sizeof *walk->order);
    walk->across = pal_alloc(sides, sizeof *walk->across);
    walk->sheet = pal_alloc(cells, sizeof *walk->sheet);
    walk->queue = pal_alloc(cells, sizeof *walk->queue);
    walk->turned = pal_alloc(cells, sizeof *walk->turned);
    return walk->edges != NULL && walk->order != NULL && walk->across != NULL &&
           walk->sheet != NULL && walk->queue != NULL && walk->turned != NULL;
}

static int32_t side_end(const PalMesh *mesh, int32_t side)
{
    return mesh->cells[side % 3 == 2 ? side - 2 : side + 1];
}

// Whether the side runs from its lower to its higher node, after turning.
static bool runs_up(const Walk *walk, const PalMesh *mesh, int32_t side)
{
    return (mesh->cells[side] < side_end(mesh, side)) != (walk->turned[side / 3] != 0);
}

// The end of the run of sides of one edge that starts at `first` in the order.
static int32_t run_end(const Walk *walk, int32_t first)
{
    int32_t end = first + 1;
    while (end < walk->side_count &&
           pal_rows_equal(walk->edges[walk->order[first]], walk->edges[walk->order[end]], 2))
        ++end;
    return end;
}

// Joins triangles where exactly two meet; more than two do not say which side is which.
static bool join_sides(Walk *walk, const PalMesh *mesh)
{
    for (int32_t h = 0; h < walk->side_count; ++h) {
        walk->edges[h][0] = mesh->cells[h];
        walk->edges[h][1] = side_end(mesh, h);
        pal_row_sort(walk->edges[h], 2);
        walk->across[h] = PAL_NONE;
    }
    if (!pal_rows_order(&walk->edges[0][0], walk->side_count, 2, walk->order))
        return false;
    for (int32_t i = 0, end; i < walk->side_count; i = end) {
        end = run_end(walk, i);
        int32_t p = walk->order[i], q = walk->order[end - 1];
        if (end - i == 2 && p / 3 != q / 3) {
            walk->across[p] = q;
            walk->across[q] = p;
        }
    }
    return true;
}

static PalStatus refuse_one_sided(const PalMesh *mesh, int32_t side, int32_t other, PalError *error)
{
    return pal_error_set(
        error, PAL_BAD_INPUT,
        "the surface has only one side, like a Moebius strip: triangles %d and %d, at the edge of "
        "nodes %d and %d, cannot be turned to face the same side",
        (int)(side / 3), (int)(other / 3), (int)mesh->cells[side], (int)side_end(mesh, side));
}

// Turns triangles so that each agrees with the one it was reached from, sheet by sheet.
static PalStatus walk_sheets(Walk *walk, const PalMesh *mesh, PalError *error)
{
    for (int32_t c = 0; c < mesh->cell_count; ++c)
        walk->sheet[c] = PAL_NONE;
    for (int32_t seed = 0; seed < mesh->cell_count; ++seed) {
        if (walk->sheet[seed] != PAL_NONE)
            continue;
        int32_t head = 0, tail = 0;
        walk->sheet[seed] = walk->sheet_count++;
        walk->queue[tail++] = seed;
        while (head < tail) {
            int32_t c = walk->queue[head++];
            for (int32_t h = 3 * c; h < 3 * c + 3; ++h) {
                int32_t other = walk->across[h];
                if (other == PAL_NONE)
                    continue;
                bool agree = runs_up(walk, mesh, h) != runs_up(walk, mesh, other);
                if (walk->sheet[other / 3] == PAL_NONE) {
                    walk->turned[other / 3] = !agree;
                    walk->sheet[other / 3] = walk->sheet[c];
                    walk->queue[tail++] = other / 3;
                } else if (!agree) {
                    return refuse_one_sided(mesh, h, other, error);
                }
            }
        }
    }
    return PAL_OK;
}

// A sheet is closed when each of its edges is run along as often up as down.
static void find_open_sheets(Walk *walk, const PalMesh *mesh)
{
    for (int32_t i = 0, end; i < walk->side_count; i = end) {
        end = run_end(walk, i);
        for (int32_t j = i; j < end; ++j)
            walk->balance[walk->sheet[walk->order[j] / 3]] +=
                runs_up(walk, mesh, walk->order[j]) ? 1 : -1;
        for (int32_t j = i; j < end; ++j)
            if (walk->balance[walk->sheet[walk->order[j] / 3]] != 0)
                walk->open[walk->sheet[walk->order[j] / 3]] = 1;
        for (int32_t j = i; j < end; ++j)
            walk->balance[walk->sheet[walk->order[j] / 3]] = 0;
    }
}

// Closed sheets: outward. Open ones: as most of their triangles were. balance[s] becomes 1 for a
// sheet to turn as a whole.
static void choose_sides(Walk *walk, const PalMesh *mesh)
{
    PalBounds bounds = pal_mesh_bounds(mesh);
    PalVec3 middle = pal_vec3_scale(0.5, pal_vec3_add(bounds.lower, bounds.upper));
    for (int32_t c = 0; c < mesh->cell_count; ++c) {
        const int32_t *nodes = pal_mesh_cell(mesh, c);
        PalVec3 p[3];
        for (int a = 0; a < 3; ++a)
            p[a] = pal_vec3_sub(mesh->nodes[nodes[a]], middle);
        double volume = pal_vec3_dot(p[0], pal_vec3_cross(p[1], p[2]));
        walk->volume[walk->sheet[c]] += walk->turned[c] != 0 ? -volume : volume;
        walk->balance[walk->sheet[c]] += walk->turned[c] != 0 ? -1 : 1;
    }
    for (int32_t s = 0; s < walk->sheet_count; ++s) {
        bool closed = walk->open[s] == 0 && walk->volume[s] != 0;
        walk->balance[s] = closed ? walk->volume[s] < 0 : walk->balance[s] < 0;
    }
}

static PalStatus turn_triangles(Walk *walk, PalMesh *mesh, PalError *error)
{
    if (!join_sides(walk, mesh))
        return pal_mesh_no_memory(error);
    PAL_TRY(walk_sheets(walk, mesh, error));
    walk->balance = pal_alloc((size_t)walk->sheet_count, sizeof *walk->balance);
    walk->open = pal_alloc((size_t)walk->sheet_count, sizeof *walk->open);
    walk->volume = pal_alloc((size_t)walk->sheet_count, sizeof *walk->volume);
    if (walk->balance == NULL || walk->open == NULL || walk->volume == NULL)
        return pal_mesh_no_memory(error);
    find_open_sheets(walk, mesh);
    choose_sides(walk, mesh);
    for (int32_t c = 0; c < mesh->cell_count; ++c)
        if ((walk->turned[c] != 0) != (walk->balance[walk->sheet[c]] != 0))
            turn_cell(mesh, c);
    return PAL_OK;
}

// ---- holes --------------------------------------------------------------------------------

typedef struct Holes {
    const PalMesh *mesh;
    const PalShells *shells;
    uint8_t *solid;  // per shell: it crosses another, and so is no hole
} Holes;

static void note_crossing(void *context, int32_t a, int32_t b)
{
    Holes *holes = context;
    int32_t s = holes->shells->of_cell[a], t = holes->shells->of_cell[b];
    PalVec3 x[3], y[3];
    if (s == t || (holes->solid[s] && holes->solid[t]))
        return;
    for (int k = 0; k < 3; ++k) {
        x[k] = holes->mesh->nodes[pal_mesh_cell(holes->mesh, a)[k]];
        y[k] = holes->mesh->nodes[pal_mesh_cell(holes->mesh, b)[k]];
    }
    if (pal_triangles_intersect(x, y))
        holes->solid[s] = holes->solid[t] = 1;
}

// Turns what bounds a hole around: it faces the hole, away from what is solid.
static bool turn_holes(PalMesh *mesh, const PalShells *shells)
{
    Holes holes = {mesh, shells, pal_alloc((size_t)shells->count, 1)};
    PalBoxTree tree;
    if (holes.solid == NULL || !pal_box_tree_init(&tree, mesh)) {
        pal_free(holes.solid);
        return false;
    }
    pal_box_tree_self_pairs(&tree, note_crossing, &holes);
    pal_box_tree_clear(&tree);
    for (int32_t c = 0; c < mesh->cell_count; ++c) {
        int32_t s = shells->of_cell[c];
        if (shells->depth[s] % 2 == 1 && !holes.solid[s])
            turn_cell(mesh, c);
    }
    pal_free(holes.solid);
    return true;
}

// Around what is open there is no inside. Lines and points do not count.
static bool is_open(const Walk *walk, const PalMesh *mesh)
{
    for (int32_t c = 0; c < mesh->cell_count; ++c)
        if (walk->open[walk->sheet[c]] && pal_cell_volume(mesh, c) > 0)
            return true;
    return false;
}

// Of a surface in too many pieces, none is taken for a hole.
static PalStatus find_holes(const Walk *walk, PalMesh *mesh, PalError *error)
{
    PalShells shells = {0};
    if (walk->sheet_count == 1 || is_open(walk, mesh))
        return PAL_OK;
    PalError inner = {0};
    PalStatus status = pal_mesh_shells(mesh, &shells, &inner);
    if (status != PAL_OK)
        return status == PAL_BAD_INPUT ? PAL_OK : pal_error_set(error, status, "%s", inner.text);
    bool nested = false, good = true;
    for (int32_t s = 0; s < shells.count; ++s)
        nested = nested || shells.depth[s] > 0;
    if (nested)
        good = turn_holes(mesh, &shells);
    pal_shells_clear(&shells);
    return good ? PAL_OK : pal_mesh_no_memory(error);
}

static PalStatus orient_triangles(PalMesh *mesh, int32_t *turned, PalError *error)
{
    Walk walk;
    int32_t *before = pal_copy(mesh->cells, 3 * (size_t)mesh->cell_count, sizeof *before);
    PalStatus status = init_walk(&walk, mesh->cell_count) && before != NULL
                           ? turn_triangles(&walk, mesh, error)
                           : pal_mesh_no_memory(error);
    if (status == PAL_OK)
        status = find_holes(&walk, mesh, error);
    for (int32_t c = 0; c < mesh->cell_count && status == PAL_OK; ++c)
        *turned += !pal_rows_equal(before + 3 * (size_t)c, pal_mesh_cell(mesh, c), 3);
    pal_free(before);
    clear_walk(&walk);
    return status;
}

PalStatus pal_mesh_orient(PalMesh *mesh, int32_t *turned, PalError *error)
{
    int32_t not_wanted;
    turned = turned != NULL ? turned : &not_wanted;
    *turned = 0;
    PAL_TRY(pal_mesh_check(mesh, error));
    if (mesh->cell_kind != PAL_CELL_TRIANGLE) {
        *turned = orient_solids(mesh);
        return PAL_OK;
    }
    if (mesh->cell_count > INT32_MAX / 3)
        return pal_error_set(error, PAL_BAD_INPUT, "%d triangles are too many: at most %d",
                             (int)mesh->cell_count, (int)(INT32_MAX / 3));
    return orient_triangles(mesh, turned, error);
}
