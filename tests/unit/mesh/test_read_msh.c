#include "mesh/readers/msh.h"
#include "read_samples.h"

#define HEAD2  "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define HEAD4  "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define NODES2 "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
#define TET2   "$Elements\n1\n1 4 2 7 1 1 2 3 4\n$EndElements\n"

static void types_have_the_nodes_gmsh_gives_them(void **state)
{
    (void)state;
    static const struct {
        int64_t number;
        int32_t nodes, dimension;
    } known[] = {
        {1, 2, 1},    {2, 3, 2},     {3, 4, 2},    {4, 4, 3},     {5, 8, 3},     {6, 6, 3},
        {7, 5, 3},    {11, 10, 3},   {12, 27, 3},  {15, 1, 0},    {17, 20, 3},   {29, 20, 3},
        {33, 28, 3},  {36, 16, 2},   {46, 66, 2},  {51, 121, 2},  {66, 11, 1},   {75, 286, 3},
        {79, 34, 3},  {83, 58, 3},   {90, 40, 3},  {98, 1000, 3}, {105, 104, 3}, {110, 550, 3},
        {117, 78, 3}, {124, 385, 3}, {131, 69, 3}, {137, 16, 3},  {140, 4, 3},
    };
    PalMshType type;
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        assert_true(pal_msh_type(known[i].number, &type));
        assert_int_equal(type.node_count, known[i].nodes);
        assert_int_equal(type.dimension, known[i].dimension);
    }
    static const int64_t unknown[] = {-1, 0, 76, 77, 78, 141, INT64_MAX};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; ++i)
        assert_false(pal_msh_type(unknown[i], &type));
    assert_true(pal_msh_type(4, &type) && type.kind == PAL_RAW_TETRAHEDRON && !type.high_order);
    assert_true(pal_msh_type(11, &type) && type.kind == PAL_RAW_QUADRATIC_TETRAHEDRON);
    assert_true(pal_msh_type(9, &type) && type.kind == PAL_RAW_TRIANGLE && type.piece_count == 4);
    assert_true(pal_msh_type(12, &type) && type.kind == PAL_RAW_OTHER && type.high_order);
}

static void unknown_sections_and_types_are_passed_over(void **state)
{
    (void)state;
    PalMesh *mesh = read_text("a.msh",
                              "$Comments\nanything $EndNothing\n$EndComments\n" HEAD2 NODES2
                              "$Periodic\n1 2 3\n$EndPeriodic\n$Elements\n3\n1 999 2 0 0 1 2 3\n"
                              "2 4 2 7 1 1 2 3 4\n3 8 2 0 1 1 2 3\n$EndElements\n",
                              PAL_WANT_SOLID);
    assert_int_equal(mesh->cell_count, 1);
    CHECK_LIST(find_group(mesh, "physical-7"), cell, 0);
    pal_mesh_destroy(mesh);
}

static void elements_repeated_for_their_groups_are_one_cell(void **state)
{
    (void)state;
    PalMesh *mesh = read_text("a.msh",
                              HEAD2 NODES2 "$Elements\n2\n1 4 2 7 1 1 2 3 4\n2 4 2 8 1 1 2 3 4\n"
                                           "$EndElements\n",
                              PAL_WANT_SOLID);
    assert_int_equal(mesh->cell_count, 1);
    CHECK_LIST(find_group(mesh, "physical-7"), cell, 0);
    CHECK_LIST(find_group(mesh, "physical-8"), cell, 0);
    pal_mesh_destroy(mesh);
}

static void numbers_far_apart_are_found(void **state)
{
    (void)state;
    PalMesh *mesh = read_text("a.msh",
                              HEAD2 "$Nodes\n4\n9000000000 0 0 0\n-5 1 0 0\n17 0 1 0\n"
                                    "123456789012 0 0 1\n$EndNodes\n$Elements\n1\n"
                                    "1 4 0 9000000000 -5 17 123456789012\n$EndElements\n",
                              PAL_WANT_SOLID);
    const int32_t cell[] = {0, 1, 2, 3};
    check_ints(mesh->cells, 4, cell, 4);
    pal_mesh_destroy(mesh);
}

static void binary_types_without_use_are_passed_over(void **state)
{
    (void)state;
    for (int little = 0; little < 2; ++little) {
        Bytes bytes = {.size = 0};
        put_text(&bytes, "$MeshFormat\n2.2 1 8\n");
        put_uint(&bytes, 1, 4, little);
        put_text(&bytes, "\n$EndMeshFormat\n$Nodes\n4\n");
        for (uint32_t n = 0; n < 4; ++n) {
            put_uint(&bytes, n + 1, 4, little);
            for (uint32_t i = 0; i < 3; ++i)
                put_double(&bytes, n == i + 1, little);
        }
        put_text(&bytes, "\n$EndNodes\n$Elements\n3\n");
        const uint32_t line3[] = {8, 2, 1, 1, 5, 1, 2, 3, 2, 5, 2, 3, 4};  // two 3-node lines
        const uint32_t tet[] = {4, 1, 1, 3, 6, 1, 2, 3, 4};
        for (size_t i = 0; i < sizeof line3 / 4; ++i)
            put_uint(&bytes, line3[i], 4, little);
        for (size_t i = 0; i < sizeof tet / 4; ++i)
            put_uint(&bytes, tet[i], 4, little);
        put_text(&bytes, "\n$EndElements\n");
        PalMesh *mesh = NULL;
        PalError error = {0};
        check_ok(
            pal_mesh_read_memory(bytes.data, bytes.size, "b.msh", PAL_WANT_SOLID, &mesh, &error),
            &error);
        assert_int_equal(mesh->cell_count, 1);
        CHECK_LIST(find_group(mesh, "physical-6"), cell, 0);
        check_near(mesh->nodes[3].z, 1, 0);
        pal_mesh_destroy(mesh);
    }
}

static void mistakes_are_named_with_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"$NOD\n1\n", "a.msh:1:1: MSH version 1, expected 2.2 or 4.1"},
        {"$MeshFormat\n4 0 8\n$EndMeshFormat\n", "a.msh:2:1: MSH version 4, expected 2.2 or 4.1"},
        {"$MeshFormat\n2.2 7 8\n", "a.msh:2:1: file type 7, expected 0 (text) or 1 (binary)"},
        {"hello", "a.msh:1:1: 'hello', expected a section such as $MeshFormat"},
        {HEAD2 "$Nodes\n2\n1 0 0 0\n1 1 0 0\n$EndNodes\n",
         "a.msh:7:1: node 1 is defined a second time, expected each number once"},
        {HEAD2 "$Nodes\n2\n1 0 0 0\n2 1 nan 0\n$EndNodes\n",
         "a.msh:7:1: coordinates 1 nan 0 of node 1, expected finite numbers"},
        {HEAD2 "$Nodes\n2\n1 0 zero 0\n2 1 0 0\n$EndNodes\n",
         "a.msh:6:5: 'zero' is not a number, expected the y of a node"},
        {HEAD2 "$Nodes\n1000000000\n1 0 0 0\n",
         "a.msh:5:1: the number of nodes is 1000000000, but the file has only 9 more bytes; it is "
         "cut short or damaged"},
        {HEAD2 "$Nodes\n-3\n", "a.msh:5:1: the number of nodes is -3, expected 0 or more"},
        {HEAD2 "$Nodes\n3000000000\n",
         "a.msh:5:1: the number of nodes is 3000000000, expected at most 2147483647"},
        {HEAD2 "$Elements\n0\n$EndElements\n", "a.msh:4:2: $Elements, expected $Nodes before it"},
        {HEAD2 NODES2 "$Elements\n1\n1 4 2 7 1 1 2 3 5\n$EndElements\n",
         "a.msh:13:1: an element has the corner 5, expected the number of a node in $Nodes"},
        {HEAD2 NODES2 "$Elements\n1\n1 4 2 7 1 1 2 3",
         "a.msh:13:16: the file ends here, expected a corner of an element"},
        {HEAD2 "$Extra\n", "a.msh:4:2: the section $Extra has no end, expected $EndExtra"},
        {HEAD2 NODES2 "$Elements\n1\n1 19 2 7 1 1 2 3 4 1 2 3 4 1 2 3 4 1\n$EndElements\n",
         "a.msh:13:1: element type 13-node pyramid (Gmsh type 19) is not of first order, expected "
         "that or 10-node "
         "tetrahedra; export with order 1"},
        {HEAD2 NODES2 "$Elements\n1\n1 7 2 7 1 1 2 3 4 1\n$EndElements\n",
         "a.msh:13:1: element type 5-node pyramid (Gmsh type 7), expected only tetrahedra or "
         "hexahedra"},
        {HEAD2 NODES2, "a.msh: holds no cells and no tetrahedra; expected a solid mesh"},
        {HEAD2 NODES2 "$Elements\n2\n1 2 0 1 2 3\n2 2 0 1 2 4\n$EndElements\n",
         "a.msh: holds 2 triangles and no tetrahedra; fill the surface first, with palpate mesh, "
         "or use it "
         "as a rigid surface"},
        {HEAD4 "$Nodes\n1 1 1 1\n5 1 0 1\n1\n0 0 0\n$EndNodes\n",
         "a.msh:6:1: a block of nodes of dimension 5, parametric 0; expected 0 to 3 and 0 or 1"},
        {HEAD4 "$Nodes\n1 1 1 1\n3 1 0 99\n1\n0 0 0\n$EndNodes\n",
         "a.msh:6:7: the number of nodes of a block is 99, but the file has only 19 more bytes; it "
         "is cut short or damaged"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        check_refused("a.msh", cases[i].text, PAL_WANT_SOLID, cases[i].message);
    check_refused("a.msh", HEAD2 NODES2 TET2, PAL_WANT_SURFACE,
                  "a.msh: holds 1 tetrahedron and no triangles; expected a surface: export the "
                  "boundary");
}

static void tetrahedra_and_hexahedra_do_not_mix(void **state)
{
    (void)state;
    check_refused("a.msh",
                  HEAD2 NODES2 "$Elements\n2\n1 4 0 1 2 3 4\n2 5 0 1 2 3 4 1 2 3 4\n$EndElements\n",
                  PAL_WANT_SOLID,
                  "a.msh: holds 1 hexahedron and 1 tetrahedron; expected tetrahedra or hexahedra, "
                  "not both");
}

static void binary_mistakes_name_the_byte(void **state)
{
    (void)state;
    Bytes bytes = {.size = 0};
    put_text(&bytes, "$MeshFormat\n2.2 1 8\n");
    put_uint(&bytes, 77, 4, true);
    check_refused_bytes("b.msh", bytes.data, bytes.size, PAL_WANT_SOLID,
                        "b.msh: byte 20: no byte-order mark, expected the number 1");
    bytes.size -= 4;
    put_uint(&bytes, 1, 4, true);
    put_text(&bytes, "\n$EndMeshFormat\n$Nodes\n1000\n");
    check_refused_bytes("b.msh", bytes.data, bytes.size, PAL_WANT_SOLID,
                        "b.msh: byte 47: the number of nodes is 1000, but the file has only 0 more "
                        "bytes; it is cut short or damaged");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(types_have_the_nodes_gmsh_gives_them),
    cmocka_unit_test(unknown_sections_and_types_are_passed_over),
    cmocka_unit_test(elements_repeated_for_their_groups_are_one_cell),
    cmocka_unit_test(numbers_far_apart_are_found),
    cmocka_unit_test(binary_types_without_use_are_passed_over),
    cmocka_unit_test(mistakes_are_named_with_their_place),
    cmocka_unit_test(tetrahedra_and_hexahedra_do_not_mix),
    cmocka_unit_test(binary_mistakes_name_the_byte),
};
CHECK_GROUP(tests, NULL, NULL)
