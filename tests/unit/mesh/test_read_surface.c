// STL, OBJ and PLY.
#include "read_samples.h"

#define LOOP(a, b, c)  "outer loop\nvertex " a "\nvertex " b "\nvertex " c "\nendloop\n"
#define FACET(a, b, c) "facet normal 0 0 1\n" LOOP(a, b, c) "endfacet\n"

static void stl_merges_equal_corners(void **state)
{
    (void)state;
    PalMesh *mesh =
        read_text("a.stl",
                  "solid one\n" FACET("0 0 0", "1 0 0",
                                      "0 1 0") "endsolid one\n"
                                               "SOLID two\n" FACET("-0.0 1 0", "1 0 0", "1 1 0")
                                                   FACET("0 0 0", "0 0 0", "1 1 1") "endsolid\n",
                  PAL_WANT_SURFACE);
    const int32_t cells[] = {0, 1, 2, 2, 1, 3, 0, 0, 4};
    assert_int_equal(mesh->node_count, 5);
    check_ints(mesh->cells, 3 * mesh->cell_count, cells, 9);
    CHECK_LIST(find_group(mesh, "one"), cell, 0);
    CHECK_LIST(find_group(mesh, "two"), cell, 1, 2);
    pal_mesh_destroy(mesh);
}

// What has a corner twice is a line. Contact must see it, unless an edge of a triangle is there.
static void stl_keeps_lines_apart_from_edges(void **state)
{
    (void)state;
    PalMesh *mesh =
        read_text("a.stl",
                  "solid\n" FACET("0 0 0", "1 0 0", "1 0 0") FACET("0 0 0", "1 0 0", "0 1 0")
                      FACET("1 0 0", "0 1 0", "1 0 0") FACET("2 0 0", "2 0 0", "1 0 0")
                          FACET("1 0 0", "2 0 0", "1 0 0") FACET("0 0 0", "0 0 0", "0 0 0")
                              FACET("3 0 0", "3 0 0", "3 0 0") "endsolid\n",
                  PAL_WANT_SURFACE);
    const int32_t cells[] = {0, 1, 2, 3, 3, 1, 4, 4, 4};
    check_ints(mesh->cells, 3 * mesh->cell_count, cells, 9);
    pal_mesh_destroy(mesh);
}

static void many_corners_are_merged(void **state)
{
    (void)state;
    enum { SIDE = 40 };
    Bytes *bytes = calloc(1, sizeof *bytes);
    char *file = calloc(1, 84 + 50 * 2 * SIDE * SIDE);
    assert_true(bytes != NULL && file != NULL);
    const uint32_t count = 2 * SIDE * SIDE;
    put_uint(bytes, count, 4, true);
    memcpy(file + 80, bytes->data, 4);
    size_t at = 84;
    for (int i = 0; i < SIDE; ++i) {
        for (int j = 0; j < SIDE; ++j) {
            const int corners[2][3][2] = {{{i, j}, {i + 1, j}, {i, j + 1}},
                                          {{i + 1, j}, {i + 1, j + 1}, {i, j + 1}}};
            for (int t = 0; t < 2; ++t, at += 50) {
                bytes->size = 0;
                for (int a = 0; a < 3; ++a) {
                    put_float(bytes, (float)corners[t][a][0] * 0.1F, true);
                    put_float(bytes, (float)corners[t][a][1] * 0.1F, true);
                    put_float(bytes, 0, true);
                }
                memcpy(file + at + 12, bytes->data, 36);
            }
        }
    }
    PalMesh *mesh = NULL;
    PalError error = {0};
    check_ok(pal_mesh_read_memory(file, at, "a.stl", PAL_WANT_SURFACE, &mesh, &error), &error);
    assert_int_equal(mesh->cell_count, count);
    assert_int_equal(mesh->node_count, (SIDE + 1) * (SIDE + 1));
    pal_mesh_destroy(mesh);
    check_refused_bytes("a.stl", file, at - 7, PAL_WANT_SURFACE,
                        "a.stl: neither text nor binary STL: 3200 triangles after the head need "
                        "160000 bytes, but 159993 are there");
    free(file);
    free(bytes);
}

static void obj_knows_its_forms(void **state)
{
    (void)state;
    PalMesh *mesh = read_text("a.OBJ",
                              "v 0 0 0\nv 1 0 0 1.0\nv 1 1 0\nv 0 1 0\ng quad\n"
                              "f 1/7 2//3 3/1/2 \\\n  4\ng\nf -4 -3 -2 # the same again\n",
                              PAL_WANT_SURFACE);
    const int32_t cells[] = {0, 1, 2, 0, 2, 3, 0, 1, 2};
    check_ints(mesh->cells, 3 * mesh->cell_count, cells, 9);
    CHECK_LIST(find_group(mesh, "quad"), cell, 0, 1);
    pal_mesh_destroy(mesh);
}

// A face of so many corners takes no time to speak of; if its cost went with their square, this
// test would take minutes.
static void obj_faces_may_have_many_corners(void **state)
{
    (void)state;
    enum { CORNERS = 300000 };
    char *text = malloc(CORNERS * 40), *end = text;
    assert_non_null(text);
    for (int i = 0; i < CORNERS; ++i)
        end += sprintf(end, "v %.9f %.9f 0\n", cos(6.283 * i / CORNERS), sin(6.283 * i / CORNERS));
    *end++ = 'f';
    for (int i = 0; i < CORNERS; ++i)
        end += sprintf(end, " %d", i + 1);
    *end++ = '\n';
    PalMesh *mesh = NULL;
    PalError error = {0};
    size_t size = (size_t)(end - text);
    check_ok(pal_mesh_read_memory(text, size, "a.obj", PAL_WANT_SURFACE, &mesh, &error), &error);
    assert_int_equal(mesh->cell_count, CORNERS - 2);
    pal_mesh_destroy(mesh);
    free(text);
}

static void formats_are_told_by_content(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "solid\n" FACET("0 0 0", "1 0 0", "0 1 0") "endsolid\n",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
        "ply\r\nformat ascii 1.0\r\nelement vertex 3\r\nproperty float x\r\nproperty float y\r\n"
        "property float z\r\nelement face 1\r\nproperty list uchar int vertex_index\r\n"
        "end_header\r\n0 0 0\r\n1 0 0\r\n0 1 0\r\n3 0 1 2\r\n",
        "*NODE\r\n1,0\r\n2,1\r\n3,0,1\r\n*ELEMENT,TYPE=S3\r\n1,1,2,3\r\n",
        "\xEF\xBB\xBF$MeshFormat\n2 0 8\n$EndMeshFormat\n$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n"
        "$EndNodes\n$Elements\n1\n1 2 0 1 2 3\n$EndElements\n",
        "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 3 float\n0 0 0 1 0 0 0 1 "
        "0\n"
        "POLYGONS 1 4\n3 0 1 2\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        PalMesh *mesh = read_text("no-extension", texts[i], PAL_WANT_SURFACE);
        const int32_t cell[] = {0, 1, 2};
        check_ints(mesh->cells, 3 * mesh->cell_count, cell, 3);
        check_near(mesh->nodes[2].y, 1, 0);
        pal_mesh_destroy(mesh);
    }
}

static void mistakes_are_named_with_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *path, *text, *message;
    } cases[] = {
        {"a", "", "a: the file is empty, expected a mesh"},
        {"a.stl", " \n", "a.stl: the file is empty, expected a mesh"},
        {"a.bin", "\x01\x02",
         "a.bin: unknown format, expected MSH, VTK, VTU, INP, STL, OBJ or PLY"},
        {"a.stl", "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0\n",
         "a.stl:5:1: the file ends here, expected the z of a corner"},
        {"a.stl", "solid\nfacets\n", "a.stl:2:1: 'facets', expected 'facet' or 'endsolid'"},
        {"a.stl", "solid\n" FACET("0 0 1e999", "0 0 0", "0 0 0"),
         "a.stl:4:8: coordinates 0 0 inf of node 0, expected finite numbers"},
        {"a.stl", "solid\nendsolid\n",
         "a.stl: holds no cells and no triangles; expected a surface"},
        {"a.obj", "v 0 0\n", "a.obj:1:6: a vertex of 2 numbers, expected 3"},
        {"a.obj", "v 0 0 0\nf 1 2 3\n", "a.obj:2:5: vertex 2, expected 1 to 1 or -1 to -1"},
        {"a.obj", "v 0 0 0\nf 0 1 1\n", "a.obj:2:3: vertex 0, expected 1 to 1 or -1 to -1"},
        {"a.obj", "v 0 0 0\nf 1 1\n", "a.obj:2:2: a face of 2 corners, expected 3 or more"},
        {"a.obj", "v 0 0 0\nf a 1 1\n",
         "a.obj:2:3: 'a' is not a corner, expected v, v/vt or v/vt/vn"},
        {"a.ply", "ply\nformat ebcdic 1.0\n",
         "a.ply:2:8: format 'ebcdic', expected ascii, binary_little_endian or binary_big_endian"},
        {"a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n1\n",
         "a.ply:3:9: vertices without coordinates, expected the properties x, y and z"},
        {"a.ply",
         "ply\nformat ascii 1.0\nelement vertex 900\nproperty float x\nproperty float y\n"
         "property float z\nend_header\n0 0 0\n",
         "a.ply:3:9: the number of elements is 900, but the file has only 6 more bytes; it is cut "
         "short or damaged"},
        {"a.ply",
         "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
         "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
         "0 0 0\n3 0 0 1\n",
         "a.ply:11:1: face 0 has the corner 1, expected 0 to 0"},
        {"a.ply", "ply\nformat ascii 1.0\nproperty float x\n",
         "a.ply:3:1: a property, expected an element before it"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        check_refused(cases[i].path, cases[i].text, PAL_WANT_SURFACE, cases[i].message);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(stl_merges_equal_corners),
    cmocka_unit_test(stl_keeps_lines_apart_from_edges),
    cmocka_unit_test(many_corners_are_merged),
    cmocka_unit_test(obj_knows_its_forms),
    cmocka_unit_test(obj_faces_may_have_many_corners),
    cmocka_unit_test(formats_are_told_by_content),
    cmocka_unit_test(mistakes_are_named_with_their_place),
};
CHECK_GROUP(tests, NULL, NULL)
