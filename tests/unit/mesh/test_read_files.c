// One mesh in every flavour of every format: two tetrahedra, five nodes, two facets.
#include "read_samples.h"

static const PalVec3 places[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};

static PalMesh *read_file(const char *name, PalMeshWant want)
{
    char path[512];
    snprintf(path, sizeof path, "%s/meshes/%s", PAL_TEST_DATA, name);
    PalMesh *mesh = NULL;
    PalError error = {0};
    check_ok(pal_mesh_read(path, want, &mesh, &error), &error);
    return mesh;
}

static PalMesh *read_solid(const char *name)
{
    PalMesh *mesh = read_file(name, PAL_WANT_SOLID);
    const int32_t cells[] = {0, 1, 2, 3, 1, 2, 3, 4};
    assert_int_equal(mesh->cell_kind, PAL_CELL_TETRAHEDRON);
    assert_int_equal(mesh->node_count, 5);
    assert_memory_equal(mesh->nodes, places, sizeof places);
    check_ints(mesh->cells, 4 * mesh->cell_count, cells, 8);
    return mesh;
}

static void check_face(const PalGroup *group, int32_t a, int32_t b, int32_t c)
{
    assert_int_equal(group->face_count, 1);
    assert_int_equal(group->faces[0][0], a);
    assert_int_equal(group->faces[0][1], b);
    assert_int_equal(group->faces[0][2], c);
    assert_int_equal(group->faces[0][3], PAL_NONE);
}

static void msh_files_agree(void **state)
{
    (void)state;
    static const char *const names[] = {
        "two-tets-msh2-text.msh", "two-tets-msh2-little.msh", "two-tets-msh2-big.msh",
        "two-tets-msh4-text.msh", "two-tets-msh4-little.msh", "two-tets-msh4-big.msh",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        PalMesh *mesh = read_solid(names[i]);
        CHECK_LIST(find_group(mesh, "left"), cell, 0);
        CHECK_LIST(find_group(mesh, "right part"), cell, 1);
        CHECK_LIST(find_group(mesh, "right part"), node, 1, 2, 3, 4);
        check_face(find_group(mesh, "fixed"), 0, 2, 1);
        check_face(find_group(mesh, "physical-9"), 0, 1, 3);
        assert_int_equal(mesh->group_count, 4);
        pal_mesh_destroy(mesh);
    }
}

static void vtk_files_agree(void **state)
{
    (void)state;
    static const char *const names[] = {
        "two-tets-vtk42-text.vtk",
        "two-tets-vtk42-binary.vtk",
        "two-tets-vtk51-text.vtk",
        "two-tets-vtk51-binary.vtk",
        "two-tets-meshio.vtu",
        "two-tets-ascii-none-uint32-little.vtu",
        "two-tets-binary-zlib-uint32-little.vtu",
        "two-tets-binary-none-uint64-big.vtu",
        "two-tets-appendedbase64-zlib-uint64-little.vtu",
        "two-tets-appendedraw-none-uint32-big.vtu",
        "two-tets-appendedraw-zlib-uint32-little.vtu",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        PalMesh *mesh = read_solid(names[i]);
        CHECK_LIST(find_group(mesh, "part-1"), cell, 0);
        CHECK_LIST(find_group(mesh, "part-2"), cell, 1);
        check_face(find_group(mesh, "part-5"), 0, 2, 1);
        check_face(find_group(mesh, "part-6"), 0, 1, 3);
        assert_int_equal(mesh->group_count, 4);
        pal_mesh_destroy(mesh);
    }
}

static void inp_file_agrees(void **state)
{
    (void)state;
    PalMesh *mesh = read_solid("two-tets.inp");
    CHECK_LIST(find_group(mesh, "left"), cell, 0);
    CHECK_LIST(find_group(mesh, "right part"), cell, 1);
    CHECK_LIST(find_group(mesh, "Both"), cell, 0, 1);
    CHECK_LIST(find_group(mesh, "solids"), cell, 0, 1);
    CHECK_LIST(find_group(mesh, "some"), node, 0, 1);
    CHECK_LIST(find_group(mesh, "tip"), node, 4);
    CHECK_LIST(find_group(mesh, "all nodes"), node, 0, 1, 2, 3, 4);
    check_face(find_group(mesh, "fixed"), 0, 2, 1);
    pal_mesh_destroy(mesh);
}

static void surfaces_agree(void **state)
{
    (void)state;
    static const char *const names[] = {
        "two-triangles-text.stl",
        "two-triangles-binary.stl",
        "two-triangles.obj",
        "two-triangles-ascii.ply",
        "two-triangles-binary-little-endian.ply",
        "two-triangles-binary-big-endian.ply",
        "two-tets-msh2-text.msh",
        "two-tets-ascii-none-uint32-little.vtu",
    };
    static const int32_t triangles[] = {0, 2, 1, 0, 1, 3};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        PalMesh *mesh = read_file(names[i], PAL_WANT_SURFACE);
        assert_int_equal(mesh->cell_kind, PAL_CELL_TRIANGLE);
        assert_int_equal(mesh->cell_count, 2);
        for (int32_t c = 0; c < 6; ++c)
            assert_memory_equal(&mesh->nodes[mesh->cells[c]], &places[triangles[c]],
                                sizeof *places);
        pal_mesh_destroy(mesh);
    }
}

static void what_cannot_be_read_is_said(void **state)
{
    (void)state;
    PalMesh *mesh = NULL;
    PalError error = {0};
    assert_int_equal(pal_mesh_read("no/such/file.msh", PAL_WANT_SOLID, &mesh, &error),
                     PAL_IO_FAILED);
    assert_string_equal(error.text,
                        "no/such/file.msh: cannot be opened: No such file or directory");
    error = (PalError){0};
    assert_int_equal(pal_mesh_read(PAL_TEST_DATA, PAL_WANT_SOLID, &mesh, &error), PAL_BAD_INPUT);
    assert_non_null(strstr(error.text, ": a directory, expected a mesh file"));
    error = (PalError){0};
    assert_int_equal(pal_mesh_read("/dev/null", PAL_WANT_SOLID, &mesh, &error), PAL_BAD_INPUT);
    assert_string_equal(error.text, "/dev/null: not a regular file, expected a mesh file");
    assert_null(mesh);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(msh_files_agree),
    cmocka_unit_test(vtk_files_agree),
    cmocka_unit_test(inp_file_agrees),
    cmocka_unit_test(surfaces_agree),
    cmocka_unit_test(what_cannot_be_read_is_said),
};
CHECK_GROUP(tests, NULL, NULL)
