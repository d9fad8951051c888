// Writing meshes: what comes back, what is said, and what is left behind.
#include "read_samples.h"

#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "palpate-write-XXXXXX");
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static const char *in_folder(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static PalMesh *make_box(PalCellKind kind)
{
    PalShapeDef def = pal_shape_def_default();
    PalMesh *mesh = NULL;
    PalError error = {0};
    def.cell_kind = kind;
    def.extent = (PalVec3){1, 2, 3};
    def.cells[0] = def.cells[1] = def.cells[2] = 2;
    check_ok(pal_mesh_create_shape(&def, &mesh, &error), &error);
    int32_t pins[] = {7, 3}, cells[] = {1, 0, 4};
    PalGroup group = {.name = "pins", .node_count = 2, .nodes = pins};
    check_ok(pal_mesh_add_group(mesh, &group, &error), &error);
    group = (PalGroup){.name = "soft part", .cell_count = 3, .cells = cells};
    check_ok(pal_mesh_add_group(mesh, &group, &error), &error);
    return mesh;
}

typedef struct Warnings {
    int count;
    char last[1024];
} Warnings;

static void collect(void *context, const char *text)
{
    Warnings *warnings = context;
    ++warnings->count;
    snprintf(warnings->last, sizeof warnings->last, "%s", text);
}

static void check_same_group(const PalGroup *a, const PalGroup *b)
{
    assert_non_null(b);
    check_ints(b->nodes, b->node_count, a->nodes, a->node_count);
    check_ints(b->cells, b->cell_count, a->cells, a->cell_count);
    assert_int_equal(b->face_count, a->face_count);
    for (int32_t f = 0; f < a->face_count; ++f)
        for (int32_t i = 0; i < 4; ++i) {
            // the same corners, from whichever they start
            bool there = false;
            for (int32_t j = 0; j < 4; ++j)
                there |= b->faces[f][j] == a->faces[f][i];
            assert_true(there);
        }
}

static void check_same(const PalMesh *a, const PalMesh *b)
{
    size_t width = (size_t)pal_cell_node_count(a->cell_kind);
    assert_int_equal(a->cell_kind, b->cell_kind);
    assert_int_equal(a->node_count, b->node_count);
    assert_int_equal(a->cell_count, b->cell_count);
    assert_memory_equal(a->nodes, b->nodes, (size_t)a->node_count * sizeof *a->nodes);
    assert_memory_equal(a->cells, b->cells, width * (size_t)a->cell_count * sizeof *a->cells);
    assert_int_equal(a->group_count, b->group_count);
    for (int32_t g = 0; g < a->group_count; ++g)
        check_same_group(&a->groups[g], pal_mesh_find_group(b, a->groups[g].name));
}

static void solids_come_back(void **state)
{
    (void)state;
    static const PalMeshFormat formats[] = {PAL_FORMAT_MSH22, PAL_FORMAT_MSH41, PAL_FORMAT_VTK,
                                            PAL_FORMAT_VTU, PAL_FORMAT_INP};
    static const PalCellKind kinds[] = {PAL_CELL_TETRAHEDRON, PAL_CELL_HEXAHEDRON};
    for (size_t k = 0; k < 2; ++k)
        for (size_t f = 0; f < sizeof formats / sizeof *formats; ++f)
            for (int text = 0; text < 2; ++text) {
                Warnings warnings = {0};
                PalMeshWriteOptions options = {
                    .format = formats[f], .text = text, .warn = collect, .context = &warnings};
                PalMesh *mesh = make_box(kinds[k]), *back = NULL;
                PalError error = {0};
                // the content decides, whatever the name
                const char *path = in_folder(formats[f] == PAL_FORMAT_INP ? "x.inp" : "x.any");
                check_ok(pal_mesh_write(path, mesh, &options, &error), &error);
                check_ok(pal_mesh_read(path, PAL_WANT_ANY, &back, &error), &error);
                check_same(mesh, back);
                assert_int_equal(warnings.count, 0);
                pal_mesh_destroy(mesh);
                pal_mesh_destroy(back);
            }
}

static void the_boundary_comes_back(void **state)
{
    (void)state;
    static const char *const names[] = {"x.stl", "x.obj", "x.ply"};
    for (int k = 0; k < 2; ++k)
        for (int i = 0; i < 3; ++i)
            for (int text = 0; text < 2; ++text) {
                Warnings warnings = {0};
                PalMeshWriteOptions options = {.text = text, .warn = collect, .context = &warnings};
                PalMesh *mesh = make_box(k == 0 ? PAL_CELL_TETRAHEDRON : PAL_CELL_HEXAHEDRON);
                PalMesh *back = NULL;
                PalError error = {0};
                check_ok(pal_mesh_write(in_folder(names[i]), mesh, &options, &error), &error);
                check_ok(pal_mesh_read(in_folder(names[i]), PAL_WANT_ANY, &back, &error), &error);
                assert_int_equal(back->cell_kind, PAL_CELL_TRIANGLE);
                assert_int_equal(back->cell_count, 48);
                assert_true(warnings.count > 0);
                check_near(pal_mesh_quality(back).volume, 22, 1e-12);  // its area
                pal_mesh_destroy(mesh);
                pal_mesh_destroy(back);
            }
}

static void triangles_keep_groups_of_cells(void **state)
{
    (void)state;
    PalMesh *mesh = make_box(PAL_CELL_TRIANGLE), *back = NULL;
    PalError error = {0};
    PalMeshWriteOptions options = pal_mesh_write_options_default();
    options.text = true;
    check_ok(pal_mesh_write(in_folder("x.obj"), mesh, &options, &error), &error);
    check_ok(pal_mesh_read(in_folder("x.obj"), PAL_WANT_SURFACE, &back, &error), &error);
    const PalGroup *side = pal_mesh_find_group(back, "z-max");
    assert_non_null(side);
    assert_int_equal(side->cell_count, 8);
    for (int32_t i = 0; i < side->node_count; ++i)
        assert_true(back->nodes[side->nodes[i]].z == 1.5);
    pal_mesh_destroy(mesh);
    pal_mesh_destroy(back);
}

static void strict_refuses_losses(void **state)
{
    (void)state;
    PalMesh *mesh = make_box(PAL_CELL_TETRAHEDRON);
    PalMeshWriteOptions options = {.strict = true};
    PalError error = {0};
    assert_int_equal(pal_mesh_write(in_folder("strict.ply"), mesh, &options, &error),
                     PAL_BAD_INPUT);
    assert_non_null(strstr(error.text, "PLY keeps no groups"));
    assert_int_not_equal(access(in_folder("strict.ply"), F_OK), 0);
    assert_int_not_equal(access(in_folder("strict.ply.part"), F_OK), 0);
    pal_mesh_destroy(mesh);
}

static void failures_leave_the_older_file(void **state)
{
    (void)state;
    PalMesh *mesh = make_box(PAL_CELL_TETRAHEDRON);
    PalError error = {0};
    assert_int_equal(pal_mesh_write(in_folder("x.doc"), mesh, NULL, &error), PAL_BAD_INPUT);
    assert_non_null(strstr(error.text, "which format?"));
    error = (PalError){0};
    assert_int_equal(pal_mesh_write(in_folder("no/such/x.msh"), mesh, NULL, &error), PAL_IO_FAILED);
    assert_non_null(strstr(error.text, "No such file"));
    error = (PalError){0};
    assert_int_equal(mkdir(in_folder("folder.msh"), 0777), 0);
    assert_int_equal(pal_mesh_write(in_folder("folder.msh"), mesh, NULL, &error), PAL_BAD_INPUT);
    pal_mesh_destroy(mesh);
}

static void a_locale_changes_nothing(void **state)
{
    (void)state;
    PalMesh *mesh = make_box(PAL_CELL_TETRAHEDRON), *back = NULL;
    PalMeshWriteOptions options = {.text = true};
    PalError error = {0};
    mesh->nodes[0].x = -0.1;
    mesh->nodes[1].y = 1.0 / 3;
    // where it is not installed, the rest is still checked
    if (setlocale(LC_NUMERIC, "de_DE.UTF-8") == NULL)
        setlocale(LC_NUMERIC, "fr_FR.UTF-8");
    check_ok(pal_mesh_write(in_folder("x.msh"), mesh, &options, &error), &error);
    setlocale(LC_NUMERIC, "C");
    check_ok(pal_mesh_read(in_folder("x.msh"), PAL_WANT_SOLID, &back, &error), &error);
    check_same(mesh, back);
    pal_mesh_destroy(mesh);
    pal_mesh_destroy(back);
}

static void formats_have_names(void **state)
{
    (void)state;
    int count = 0;
    for (int f = PAL_FORMAT_BY_NAME + 1; pal_mesh_format_name((PalMeshFormat)f) != NULL; ++f) {
        PalMeshFormat found = PAL_FORMAT_BY_NAME;
        assert_true(pal_mesh_format_find(pal_mesh_format_name((PalMeshFormat)f), &found));
        assert_int_equal(found, f);
        ++count;
    }
    assert_int_equal(count, 8);
    PalMeshFormat found = PAL_FORMAT_BY_NAME;
    assert_true(pal_mesh_format_find("MSH", &found));
    assert_int_equal(found, PAL_FORMAT_MSH41);
    assert_false(pal_mesh_format_find("doc", &found));
    assert_false(pal_mesh_format_find("", &found));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(solids_come_back),
    cmocka_unit_test(the_boundary_comes_back),
    cmocka_unit_test(triangles_keep_groups_of_cells),
    cmocka_unit_test(strict_refuses_losses),
    cmocka_unit_test(failures_leave_the_older_file),
    cmocka_unit_test(a_locale_changes_nothing),
    cmocka_unit_test(formats_have_names),
};
CHECK_GROUP(tests, make_folder, remove_folder)
