// Shapes: how many cells, then blocks of hexahedra, then cells of the kind asked for.
#include "base/memory.h"
#include "math/vec3.h"
#include "mesh/blocks.h"
#include "mesh/cells.h"

#include <stdio.h>
#include <string.h>

#define LENGTH_LIMIT 1e100  // its third power is a volume
#define TURN         6.28318530717958647692

enum { CELLS_ACROSS = 12, CELL_LIMIT = 200000000 };

// What tells one kind of shape from another.
typedef struct ShapeKind {
    const char *name;
    int32_t extent_count;
    double reach[3];      // length to divide into cells, per extent
    int32_t given_count;  // numbers of cells that may be given
    int32_t least[3];     // cells along each of the lengths
    PalBlockCounts (*counts)(const PalShapeCells *cells, bool hollow);
    void (*fill)(PalVec3 extent, const PalShapeCells *cells, bool hollow, PalBlocks *blocks);
} ShapeKind;

static const ShapeKind kinds[] = {
    [PAL_SHAPE_BOX] = {"box", 3, {1, 1, 1}, 3, {1, 1, 1}, pal_box_counts, pal_box_fill},
    [PAL_SHAPE_SPHERE] = {"sphere", 1, {2, 2, 2}, 1, {2, 2, 2}, pal_ball_counts, pal_ball_fill},
    [PAL_SHAPE_ELLIPSOID] =
        {"ellipsoid", 3, {2, 2, 2}, 1, {2, 2, 2}, pal_ball_counts, pal_ball_fill},
    [PAL_SHAPE_CYLINDER] =
        {"cylinder", 2, {2, 1, 0}, 2, {2, 1, 0}, pal_cylinder_counts, pal_cylinder_fill},
    [PAL_SHAPE_SHEET] = {"sheet", 2, {1, 1, 0}, 2, {1, 1, 0}, pal_sheet_counts, pal_sheet_fill},
    [PAL_SHAPE_TUBE] = {"tube", 2, {TURN, 1, 0}, 2, {3, 1, 0}, pal_tube_counts, pal_tube_fill},
    [PAL_SHAPE_SHELL_SPHERE] = {"shell-sphere", 1, {2, 2, 2}, 1, {1, 1, 1}, NULL, NULL},
};

PalShapeDef pal_shape_def_default(void)
{
    return (PalShapeDef){
        .kind = PAL_SHAPE_BOX, .extent = {1, 1, 1}, .cell_kind = PAL_CELL_TETRAHEDRON};
}

bool pal_blocks_init(PalBlocks *blocks, const PalBlockCounts *counts)
{
    *blocks = (PalBlocks){.node_count = (int32_t)counts->nodes,
                          .hex_count = (int32_t)counts->hexes,
                          .quad_count = (int32_t)counts->quads};
    blocks->nodes = pal_alloc((size_t)counts->nodes, sizeof *blocks->nodes);
    blocks->colours = pal_alloc((size_t)counts->nodes, sizeof *blocks->colours);
    blocks->hexes = pal_alloc((size_t)counts->hexes, sizeof *blocks->hexes);
    blocks->quads = pal_alloc((size_t)counts->quads, sizeof *blocks->quads);
    blocks->sides = pal_alloc((size_t)counts->quads, sizeof *blocks->sides);
    return blocks->nodes != NULL && blocks->colours != NULL && blocks->hexes != NULL &&
           blocks->quads != NULL && blocks->sides != NULL;
}

void pal_blocks_clear(PalBlocks *blocks)
{
    pal_free(blocks->nodes);
    pal_free(blocks->colours);
    pal_free(blocks->hexes);
    pal_free(blocks->quads);
    pal_free(blocks->sides);
    *blocks = (PalBlocks){0};
}

static PalStatus check_shape(const PalShapeDef *def, PalError *error)
{
    if ((int)def->kind < 0 || (size_t)def->kind >= sizeof kinds / sizeof *kinds)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "unknown shape %d: expected box, sphere, ellipsoid, cylinder, sheet, "
                             "tube or shell-sphere",
                             (int)def->kind);
    if (pal_cell_node_count(def->cell_kind) == 0)
        return pal_error_set(
            error, PAL_BAD_INPUT,
            "unknown kind of cell %d: expected triangle, tetrahedron, hexahedron or quadratic "
            "tetrahedron",
            (int)def->cell_kind);
    const ShapeKind *kind = &kinds[def->kind];
    if (def->kind >= PAL_SHAPE_SHEET && def->cell_kind != PAL_CELL_TRIANGLE)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "the %s has no inside to be filled with %s cells, expected triangles",
                             kind->name, pal_cell_name(def->cell_kind));
    for (int i = 0; i < kind->extent_count; ++i) {
        double extent = pal_vec3_at(def->extent, i);
        if (!(extent > 0 && extent <= LENGTH_LIMIT))
            return pal_error_set(error, PAL_BAD_INPUT,
                                 "extent %d of the %s is %g, expected a length above 0, at most %g",
                                 i + 1, kind->name, extent, LENGTH_LIMIT);
    }
    if (!(def->size >= 0 && isfinite(def->size)))
        return pal_error_set(
            error, PAL_BAD_INPUT,
            "the cell size of the %s is %g, expected a length above 0, or 0 for an automatic size",
            kind->name, def->size);
    return PAL_OK;
}

static bool has_cells(const PalShapeDef *def)
{
    bool any = false;
    for (int i = 0; i < kinds[def->kind].given_count; ++i)
        any = any || def->cells[i] != 0;
    return any;
}

static PalStatus check_cells(const PalShapeDef *def, PalError *error)
{
    const ShapeKind *kind = &kinds[def->kind];
    for (int i = 0; i < kind->given_count; ++i)
        if (def->cells[i] < kind->least[i])
            return pal_error_set(error, PAL_BAD_INPUT,
                                 "number of cells %d of the %s is %d, expected at least %d", i + 1,
                                 kind->name, (int)def->cells[i], (int)kind->least[i]);
    return PAL_OK;
}

// A sphere is an ellipsoid of equal half axes; what a shape does not use is 0.
static PalVec3 full_extent(const PalShapeDef *def)
{
    if (def->kind == PAL_SHAPE_SPHERE || def->kind == PAL_SHAPE_SHELL_SPHERE)
        return pal_vec3(def->extent.x, def->extent.x, def->extent.x);
    if (kinds[def->kind].extent_count == 2)
        return pal_vec3(def->extent.x, def->extent.y, 0);
    return def->extent;
}

static bool is_ball(const PalShapeDef *def)
{
    return def->kind == PAL_SHAPE_SPHERE || def->kind == PAL_SHAPE_ELLIPSOID ||
           def->kind == PAL_SHAPE_SHELL_SPHERE;
}

// The size asked for, or what the number of cells across a ball amounts to.
static double target_size(const PalShapeDef *def, const double lengths[3])
{
    double longest = fmax(lengths[0], fmax(lengths[1], lengths[2]));
    if (is_ball(def) && has_cells(def))
        return longest / def->cells[0];
    if (def->size > 0)
        return def->size;
    return (def->kind == PAL_SHAPE_CYLINDER ? lengths[0] : longest) / CELLS_ACROSS;
}

static PalStatus choose_cells(const PalShapeDef *def, PalShapeCells *cells, PalError *error)
{
    const ShapeKind *kind = &kinds[def->kind];
    if (has_cells(def))
        PAL_TRY(check_cells(def, error));
    bool given = has_cells(def) && !is_ball(def);
    double lengths[3];
    for (int i = 0; i < 3; ++i)
        lengths[i] = kind->reach[i] * pal_vec3_at(full_extent(def), i);
    double size = target_size(def, lengths);
    for (int i = 0; i < 3; ++i) {
        double wanted = given && i < kind->given_count ? def->cells[i] : round(lengths[i] / size);
        if (!(wanted <= CELL_LIMIT))
            return pal_error_set(error, PAL_BAD_INPUT,
                                 "the %s would have %g cells in a row: at most %d in all",
                                 kind->name, wanted, CELL_LIMIT);
        cells->count[i] = (int32_t)fmax(wanted, kind->least[i]);
    }
    return PAL_OK;
}

// Tetrahedra, triangles: cut as blocks.h says.
static void cut_hexahedron(const int32_t hex[8], const uint8_t *colours, int32_t tets[5][4])
{
    static const int8_t cuts[2][5][4] = {
        {{0, 2, 7, 5}, {1, 2, 0, 5}, {3, 0, 2, 7}, {4, 7, 5, 0}, {6, 5, 7, 2}},
        {{1, 3, 4, 6}, {0, 1, 3, 4}, {2, 3, 1, 6}, {5, 4, 6, 1}, {7, 6, 4, 3}}};
    for (int t = 0; t < 5; ++t)
        for (int a = 0; a < 4; ++a)
            tets[t][a] = hex[cuts[colours[hex[0]]][t][a]];
}

static void cut_quadrilateral(const int32_t quad[4], const uint8_t *colours, int32_t pieces[2][3])
{
    static const int8_t cuts[2][2][3] = {{{0, 1, 2}, {0, 2, 3}}, {{0, 1, 3}, {1, 2, 3}}};
    for (int t = 0; t < 2; ++t)
        for (int a = 0; a < 3; ++a)
            pieces[t][a] = quad[cuts[colours[quad[0]]][t][a]];
}

// Moves the nodes over and makes the cells.
static bool take_blocks(PalBlocks *blocks, PalMesh *mesh)
{
    mesh->nodes = blocks->nodes;
    mesh->node_count = blocks->node_count;
    blocks->nodes = NULL;
    if (mesh->cell_kind == PAL_CELL_HEXAHEDRON) {
        mesh->cells = &blocks->hexes[0][0];
        mesh->cell_count = blocks->hex_count;
        blocks->hexes = NULL;
        return true;
    }
    bool solid = mesh->cell_kind == PAL_CELL_TETRAHEDRON;
    mesh->cell_count = solid ? 5 * blocks->hex_count : 2 * blocks->quad_count;
    mesh->cells = pal_alloc((size_t)mesh->cell_count, (solid ? 4 : 3) * sizeof *mesh->cells);
    if (mesh->cells == NULL)
        return false;
    int32_t tets[5][4], pieces[2][3];
    for (int32_t c = 0; solid && c < blocks->hex_count; ++c) {
        cut_hexahedron(blocks->hexes[c], blocks->colours, tets);
        memcpy(mesh->cells + 20 * (size_t)c, tets, sizeof tets);
    }
    for (int32_t f = 0; !solid && f < blocks->quad_count; ++f) {
        cut_quadrilateral(blocks->quads[f], blocks->colours, pieces);
        memcpy(mesh->cells + 6 * (size_t)f, pieces, sizeof pieces);
    }
    return true;
}

// The facets of one side: quadrilaterals, or triangles, which may be cells of the mesh as well.
static void collect_side(const PalBlocks *blocks, int32_t side, PalCellKind cell_kind,
                         PalGroup *group)
{
    group->face_count = group->cell_count = 0;
    for (int32_t f = 0; f < blocks->quad_count; ++f) {
        if (blocks->sides[f] != side)
            continue;
        if (cell_kind == PAL_CELL_HEXAHEDRON) {
            memcpy(group->faces[group->face_count++], blocks->quads[f], sizeof *group->faces);
            continue;
        }
        int32_t pieces[2][3];
        cut_quadrilateral(blocks->quads[f], blocks->colours, pieces);
        for (int32_t t = 0; t < 2; ++t) {
            int32_t *face = group->faces[group->face_count++];
            memcpy(face, pieces[t], sizeof pieces[t]);
            face[3] = PAL_NONE;
            if (cell_kind == PAL_CELL_TRIANGLE)
                group->cells[group->cell_count++] = 2 * f + t;
        }
    }
}

static PalStatus add_sides(const PalBlocks *blocks, PalMesh *mesh, PalError *error)
{
    size_t room = 2 * (size_t)blocks->quad_count;
    PalGroup group = {.faces = pal_alloc(room, sizeof *group.faces),
                      .cells = pal_alloc(room, sizeof *group.cells)};
    PalStatus status =
        group.faces != NULL && group.cells != NULL ? PAL_OK : pal_mesh_no_memory(error);
    for (int32_t side = 0; status == PAL_OK && side < blocks->side_count; ++side) {
        char name[16];
        snprintf(name, sizeof name, "%s", blocks->side_names[side]);
        group.name = name;
        collect_side(blocks, side, mesh->cell_kind, &group);
        status = pal_mesh_add_group(mesh, &group, error);
    }
    pal_free(group.faces);
    pal_free(group.cells);
    return status;
}

static PalStatus check_total(const PalShapeDef *def, const PalBlockCounts *counts, PalError *error)
{
    double total = def->cell_kind == PAL_CELL_TRIANGLE     ? 2 * counts->quads
                   : def->cell_kind == PAL_CELL_HEXAHEDRON ? counts->hexes
                                                           : 5 * counts->hexes;
    if (total <= CELL_LIMIT)
        return PAL_OK;
    return pal_error_set(error, PAL_BAD_INPUT, "the %s would have %.3g cells, expected at most %d",
                         kinds[def->kind].name, total, CELL_LIMIT);
}

static PalStatus make_blocks(const PalShapeDef *def, PalMesh *made, PalError *error)
{
    PalShapeCells cells = {0};
    PAL_TRY(choose_cells(def, &cells, error));
    const ShapeKind *kind = &kinds[def->kind];
    bool hollow = def->cell_kind == PAL_CELL_TRIANGLE;
    if (def->kind == PAL_SHAPE_SHELL_SPHERE) {
        PalVec3 e = full_extent(def);
        return pal_shell_sphere_create(e.x, target_size(def, (double[]){2 * e.x, 0, 0}), made,
                                       error);
    }
    PalBlockCounts counts = kind->counts(&cells, hollow);
    PAL_TRY(check_total(def, &counts, error));
    PalBlocks blocks = {0};
    PalStatus status = PAL_OK;
    if (pal_blocks_init(&blocks, &counts)) {
        kind->fill(full_extent(def), &cells, hollow, &blocks);
        status = take_blocks(&blocks, made) ? add_sides(&blocks, made, error)
                                            : pal_mesh_no_memory(error);
    } else {
        status = pal_mesh_no_memory(error);
    }
    pal_blocks_clear(&blocks);
    if (status == PAL_OK && def->kind == PAL_SHAPE_ELLIPSOID && !hollow)
        status = pal_ball_improve(made, def->extent, error);
    if (status == PAL_OK && (def->kind == PAL_SHAPE_SHEET || def->kind == PAL_SHAPE_TUBE))
        status = pal_thin_add_rims(made, def->kind, error);
    return status;
}

// The same tetrahedra with a node on each edge.
static PalStatus create_quadratic(const PalShapeDef *def, PalMesh **mesh, PalError *error)
{
    PalShapeDef linear = *def;
    PalMesh *straight = NULL;
    linear.cell_kind = PAL_CELL_TETRAHEDRON;
    PAL_TRY(pal_mesh_create_shape(&linear, &straight, error));
    PalStatus status = pal_mesh_create_quadratic(straight, mesh, error);
    pal_mesh_destroy(straight);
    return status;
}

PalStatus pal_mesh_create_shape(const PalShapeDef *def, PalMesh **mesh, PalError *error)
{
    *mesh = NULL;
    PAL_TRY(check_shape(def, error));
    if (def->cell_kind == PAL_CELL_QUADRATIC_TETRAHEDRON)
        return create_quadratic(def, mesh, error);
    PalMesh *made = pal_alloc(1, sizeof *made);
    if (made == NULL)
        return pal_mesh_no_memory(error);
    made->cell_kind = def->cell_kind;
    PalStatus status = make_blocks(def, made, error);
    if (status == PAL_OK)
        *mesh = made;
    else
        pal_mesh_destroy(made);
    return status;
}
