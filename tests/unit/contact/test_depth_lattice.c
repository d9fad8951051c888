// The depth of instruments: lattices.   docs/theory/material-depth.md, 1
#include "contact/response/depth/lattice.h"
#include "touch.h"
#include "voxels.h"

// A ball as a lattice has it: depths within the square of its boxes, none outside.
static void lattices_know_inside_from_outside(void **state)
{
    (void)state;
    PalError error = {0};
    PalMesh *ball = touch_shape(PAL_SHAPE_SPHERE, pal_vec3(1, 0, 0), (int32_t[]){24, 0, 0},
                                PAL_CELL_TRIANGLE, pal_vec3(0, 0, 0));
    PalDepthLattice lattice;
    check_ok(pal_depth_lattice_create(ball, 0.1, &lattice, &error), &error);
    assert_int_equal(lattice.counts[0], 20);
    int64_t point = 0;
    for (int32_t k = 0; k <= lattice.counts[2]; ++k)
        for (int32_t j = 0; j <= lattice.counts[1]; ++j)
            for (int32_t i = 0; i <= lattice.counts[0]; ++i, ++point) {
                PalVec3 x = {lattice.low.x + i * lattice.size.x, lattice.low.y + j * lattice.size.y,
                             lattice.low.z + k * lattice.size.z};
                check_near(lattice.depth[point], 1 - pal_vec3_length(x), 0.02);
            }
    pal_depth_lattice_clear(&lattice);
    pal_mesh_destroy(ball);
}

// An open sheet has no inside.
static void open_instruments_have_no_depth(void **state)
{
    (void)state;
    PalError error = {0};
    PalMesh *sheet = touch_shape(PAL_SHAPE_SHEET, pal_vec3(1, 1, 0), (int32_t[]){2, 2, 0},
                                 PAL_CELL_TRIANGLE, pal_vec3(0, 0, 0));
    PalDepthLattice lattice;
    int32_t range[3][2];
    check_ok(pal_depth_lattice_create(sheet, 0.1, &lattice, &error), &error);
    assert_false(pal_depth_lattice_range(&lattice, &(PalBounds){{-1, -1, -1}, {1, 1, 1}}, range));
    pal_depth_lattice_clear(&lattice);
    pal_mesh_destroy(sheet);
}

// ---- instruments whose faces are planes of their lattice ---------------------------------

// The volume of all cells with depth, and their depths times that. None is without, and outside
// there are none.
static double filled(const PalDepthLattice *lattice, double least, double *depth)
{
    double volume = 0;
    *depth = 0;
    for (int32_t k = 0; k < lattice->counts[2]; ++k)
        for (int32_t j = 0; j < lattice->counts[1]; ++j)
            for (int32_t i = 0; i < lattice->counts[0]; ++i)
                for (int which = 0; which < PAL_LATTICE_CELLS; ++which) {
                    PalDipCell cell = {.clip_count = 0};
                    double mean = 0;
                    if (!pal_depth_lattice_cell(lattice, (int32_t[]){i, j, k}, which, cell.corners,
                                                cell.depth))
                        continue;
                    PalVec3 *x = cell.corners;
                    PalVec3 across =
                        pal_vec3_cross(pal_vec3_sub(x[1], x[0]), pal_vec3_sub(x[2], x[0]));
                    double part = fabs(pal_vec3_dot(across, pal_vec3_sub(x[3], x[0]))) / 6;
                    volume += part;
                    for (int e = 0; e < 4; ++e) {
                        assert_true(cell.depth[e] == 0 || cell.depth[e] > least);
                        mean += cell.depth[e] / 4;
                    }
                    assert_true(mean > least);
                    *depth += part * mean;
                }
    return volume;
}

// A cuboid at places that are not round: all of it is in cells, its edges as well.
static void cells_fill_a_cuboid(void **state)
{
    (void)state;
    PalError error = {0};
    const PalVec3 extent = {0.7, 0.5, 0.3};
    PalMesh *cuboid = touch_shape(PAL_SHAPE_BOX, extent, (int32_t[]){3, 2, 1}, PAL_CELL_TRIANGLE,
                                  pal_vec3(0.1, 0.2 / 3, -1.0 / 7));
    PalDepthLattice lattice;
    check_ok(pal_depth_lattice_create(cuboid, 0.1, &lattice, &error), &error);
    double depth;
    check_near(filled(&lattice, 0.005, &depth), extent.x * extent.y * extent.z, 1e-14);
    pal_depth_lattice_clear(&lattice);
    pal_mesh_destroy(cuboid);
    // in a cube depths are exact up to its ridges: what is deeper than t is a cube of side 1 - 2 t
    PalMesh *cube = touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 1), (int32_t[]){1, 1, 1},
                                PAL_CELL_TRIANGLE, pal_vec3(0, 0, 0));
    check_ok(pal_depth_lattice_create(cube, 0.125, &lattice, &error), &error);
    check_near(filled(&lattice, 0.005, &depth), 1, 1e-12);
    check_near(depth, 1.0 / 8, 1e-12);
    pal_depth_lattice_clear(&lattice);
    pal_mesh_destroy(cube);
}

// Where depth is that of a plane, faces may be halved either way: rounding must not choose.
static void cells_stay_when_nodes_move_by_rounding(void **state)
{
    (void)state;
    PalError error = {0};
    PalDepthLattice lattices[2];
    for (int l = 0; l < 2; ++l) {
        PalMesh *cuboid =
            touch_shape(PAL_SHAPE_BOX, pal_vec3(0.7, 0.5, 0.3), (int32_t[]){3, 2, 1},
                        PAL_CELL_TRIANGLE, pal_vec3(0.1 + l * 1e-13, 0.2 / 3, -1.0 / 7));
        check_ok(pal_depth_lattice_create(cuboid, 0.1, &lattices[l], &error), &error);
        pal_mesh_destroy(cuboid);
    }
    for (int32_t k = 0; k < lattices[0].counts[2]; ++k)
        for (int32_t j = 0; j < lattices[0].counts[1]; ++j)
            for (int32_t i = 0; i < lattices[0].counts[0]; ++i)
                for (int which = 0; which < PAL_LATTICE_CELLS; ++which) {
                    PalVec3 x[2][4];
                    double depth[2][4];
                    for (int l = 0; l < 2; ++l)
                        assert_true(pal_depth_lattice_cell(&lattices[l], (int32_t[]){i, j, k},
                                                           which, x[l], depth[l]));
                    for (int e = 0; e < 4; ++e) {
                        check_near(pal_vec3_length(pal_vec3_sub(x[0][e], x[1][e])), 0, 1e-12);
                        check_near(depth[0][e], depth[1][e], 1e-12);
                    }
                }
    for (int l = 0; l < 2; ++l)
        pal_depth_lattice_clear(&lattices[l]);
}

// Bars of 6 by 6 by 6 places whose section is drawn, with edges inside their own bounding box and
// arms of one and two places.
static const char *const *section;

static bool is_drawn(int32_t i, int32_t j, int32_t k)
{
    (void)k;
    return section[5 - j][i] == '#';
}

static PalMesh *drawn_surface(double size)
{
    PalError error = {0};
    PalMesh *solid = voxels_mesh(6, 6, 6, size, is_drawn), *mesh;
    PalSurface *surface;
    check_ok(pal_mesh_boundary(solid, &surface, &error), &error);
    PalMeshDef def = {PAL_CELL_TRIANGLE, solid->node_count, solid->nodes, surface->facet_count,
                      surface->facets};
    check_ok(pal_mesh_create(&def, &mesh, &error), &error);
    pal_surface_destroy(surface);
    pal_mesh_destroy(solid);
    return mesh;
}

static void cells_fill_letters(void **state)
{
    (void)state;
    static const char *const letters[][6] = {
        {"##....", "##....", "##....", "##....", "######", "######"},
        {"######", "######", "..##..", "..##..", "..##..", "..##.."},
        {"##..##", "##..##", "##..##", "##..##", "######", "######"},
        {"#....#", "#....#", "#.##.#", "#..#.#", "#..#.#", "######"},
        {"###...", "###...", ".####.", ".####.", "...###", "...###"},
    };
    for (size_t which = 0; which < sizeof letters / sizeof letters[0]; ++which) {
        PalError error = {0};
        int places = 0;
        section = letters[which];
        for (int row = 0; row < 6; ++row)
            for (int i = 0; i < 6; ++i)
                places += section[row][i] == '#';
        PalMesh *mesh = drawn_surface(0.07);
        PalDepthLattice lattice;
        check_ok(pal_depth_lattice_create(mesh, 0.07, &lattice, &error), &error);
        assert_int_equal(lattice.counts[0], 6);
        double depth;
        check_near(filled(&lattice, 0.005, &depth), 6 * places * 0.07 * 0.07 * 0.07, 1e-14);
        pal_depth_lattice_clear(&lattice);
        pal_mesh_destroy(mesh);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(lattices_know_inside_from_outside),
    cmocka_unit_test(open_instruments_have_no_depth),
    cmocka_unit_test(cells_fill_a_cuboid),
    cmocka_unit_test(cells_stay_when_nodes_move_by_rounding),
    cmocka_unit_test(cells_fill_letters),
};

CHECK_GROUP(tests, NULL, NULL)
