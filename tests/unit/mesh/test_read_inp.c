#include "read_samples.h"

#define NODES "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n"
#define TET   "*ELEMENT,TYPE=C3D4\n1,1,2,3,4\n"

static void variants_of_types_are_known(void **state)
{
    (void)state;
    static const char *const solids[] = {"C3D4", "c3d4h", "DC3D4", "AC3D4"};
    static const char *const faces[] = {"S3",   "S3R",  "CPS3",  "CPE3",
                                        "M3D3", "R3D3", "STRI3", "s3rs"};
    char text[512];
    for (size_t i = 0; i < sizeof solids / sizeof *solids; ++i) {
        snprintf(text, sizeof text, NODES "*ELEMENT,TYPE=%s\n1,1,2,3,4\n", solids[i]);
        pal_mesh_destroy(read_text("a.inp", text, PAL_WANT_SOLID));
    }
    for (size_t i = 0; i < sizeof faces / sizeof *faces; ++i) {
        snprintf(text, sizeof text, NODES "*Element, type=%s\n1,1,2,3\n", faces[i]);
        pal_mesh_destroy(read_text("a.inp", text, PAL_WANT_SURFACE));
    }
    snprintf(text, sizeof text, "%s", NODES "*ELEMENT,TYPE=C3D8R\n1,1,2,3,4,\n1,2,3,4\n");
    PalMesh *mesh = read_text("a.inp", text, PAL_WANT_SOLID);
    assert_int_equal(mesh->cell_kind, PAL_CELL_HEXAHEDRON);
    pal_mesh_destroy(mesh);
}

static void sets_nest_and_generate(void **state)
{
    (void)state;
    PalMesh *mesh = read_text("a.inp",
                              "*ELSET,ELSET=later\n1\n" NODES TET
                              "*NSET,NSET=Base,GENERATE\n1,3\n*nset, nset=\"odd ones\", generate\n"
                              "1, 99999999999, 2\n*NSET,NSET=all\nbase,\n** comment\n 4\n"
                              "*NSET,NSET=BASE\n4\n",
                              PAL_WANT_SOLID);
    CHECK_LIST(find_group(mesh, "Base"), node, 0, 1, 2, 3);
    CHECK_LIST(find_group(mesh, "odd ones"), node, 0, 2);
    CHECK_LIST(find_group(mesh, "all"), node, 0, 1, 2, 3);
    CHECK_LIST(find_group(mesh, "later"), cell, 0);
    pal_mesh_destroy(mesh);
}

static void sets_of_nodes_and_elements_of_one_name_are_one_group(void **state)
{
    (void)state;
    PalMesh *mesh =
        read_text("a.inp", NODES TET "*NSET,NSET=Top\n4\n*ELSET,ELSET=TOP\n1\n", PAL_WANT_SOLID);
    assert_int_equal(mesh->group_count, 1);
    CHECK_LIST(find_group(mesh, "Top"), cell, 0);
    pal_mesh_destroy(mesh);
}

static void the_instance_is_placed(void **state)
{
    (void)state;
    PalMesh *mesh = read_text("a.inp",
                              "*PART,NAME=P\n" NODES TET "*END PART\n*ASSEMBLY,NAME=A\n"
                              "*INSTANCE,NAME=I,PART=P\n1.,2.,3.\n0,0,0,0,0,5,90\n"
                              "*END INSTANCE\n*END ASSEMBLY\n",
                              PAL_WANT_SOLID);
    // node 2: (1,0,0) + (1,2,3) = (2,2,3), a quarter turn about z gives (-2,2,3)
    check_near(mesh->nodes[1].x, -2, 1e-14);
    check_near(mesh->nodes[1].y, 2, 1e-14);
    check_near(mesh->nodes[1].z, 3, 1e-14);
    pal_mesh_destroy(mesh);
}

static void mistakes_are_named_with_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"hello\n", "a.inp:1:1: 'hello', expected a keyword such as *NODE"},
        {"*NODE\n1,0,x,0\n", "a.inp:2:5: 'x,0' is not a number, expected a coordinate"},
        {"*NODE\n1,0,0,inf\n", "a.inp:2:1: coordinates 0 0 inf of node 0, expected finite numbers"},
        {"*NODE\n1,0,0,0\n\n1,1,0,0\n",
         "a.inp:4:1: node 1 is defined a second time, expected each number once"},
        {NODES "*ELEMENT,TYPE=C3D4\n1,1,2,3,4\n1,1,2,3,4\n",
         "a.inp:8:1: element 1 is defined a second time, expected each number once"},
        {NODES "*ELEMENT,TYPE=C3D4\n1,1,2,3,9\n",
         "a.inp:7:1: an element has the node 9, expected one that *NODE defines"},
        {NODES "*ELEMENT,TYPE=C3D4\n1,1,2,3\n*STEP\n",
         "a.inp:7:1: element 1 has 3 nodes, expected 4"},
        {NODES "*ELEMENT,TYPE=C3D4\n1,1,2,3,4,1\n",
         "a.inp:7:11: element 1 goes on after its 4 nodes, expected the end of the line"},
        {NODES "*ELEMENT\n1,1,2,3,4\n", "a.inp:6:1: *ELEMENT without a type, expected TYPE="},
        {NODES "*ELEMENT,TYPE=C3D15\n1,1,2,3,4,1,2,3,4,1,2,1,2,3,4,1\n",
         "a.inp:6:15: element type C3D15 is not of first order, expected that or 10-node "
         "tetrahedra; export with order 1"},
        {NODES "*ELEMENT,TYPE=C3D6\n1,1,2,3,4,1,2\n",
         "a.inp:6:15: element type C3D6, expected only tetrahedra or hexahedra"},
        {NODES TET "*NSET,NSET=a\n1,77\n",
         "a.inp:9:3: there is no node 77, expected one that is defined"},
        {NODES TET "*NSET,NSET=a\nother\n",
         "a.inp:9:1: 'other', expected a number or the name of a set defined before"},
        {NODES TET "*NSET,NSET=a\na\n",
         "a.inp:9:1: 'a', expected a number or the name of a set defined before"},
        {NODES TET "*NSET,NSET=a,GENERATE\n3,1\n",
         "a.inp:9:1: the range 3 to 1 by 1, expected one that ascends"},
        {NODES TET "*NSET\n1\n", "a.inp:8:1: a set without a name, expected NSET="},
        {"*PART\n*PART\n",
         "a.inp:2:1: a second *PART, expected one; write each to a file of its own"},
        {"*INSTANCE\n*INSTANCE\n",
         "a.inp:2:1: a second *INSTANCE, expected one; write each to a file of its own"},
        {"*NGEN\n1,5\n",
         "a.inp:1:1: *NGEN is not read, expected all nodes and elements written out"},
        {"*INCLUDE,INPUT=none/b.inp\n",
         "a.inp:1: *INCLUDE of 'none/b.inp': No such file or directory"},
        {"**\n*INCLUDE\n", "a.inp:2: *INCLUDE of '': no file is named, expected INPUT="},
        {"*NODE,SYSTEM=C\n1,0,0,0\n", "a.inp:1:14: SYSTEM=C, expected rectangular coordinates"},
        {NODES "*NODE PRINT\n*ELEMENT OUTPUT\n",
         "a.inp: holds no cells and no tetrahedra; expected a solid mesh"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        check_refused("a.inp", cases[i].text, PAL_WANT_SOLID, cases[i].message);
}

// A few lines must not ask for memory without bounds.
static void sets_that_explode_are_refused(void **state)
{
    (void)state;
    size_t size = 0;
    char *text = malloc(1 << 16);
    assert_non_null(text);
    size += (size_t)sprintf(text + size, NODES TET "*NSET,NSET=s0\n1,2,3,4\n");
    for (int i = 1; i < 60; ++i)
        size += (size_t)sprintf(text + size, "*NSET,NSET=s%d\ns%d,s%d\n", i, i - 1, i - 1);
    check_refused("a.inp", text, PAL_WANT_SOLID,
                  "a.inp: the sets have too many members in all, expected at most 64 for each node "
                  "and element of the mesh");
    free(text);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(variants_of_types_are_known),
    cmocka_unit_test(sets_nest_and_generate),
    cmocka_unit_test(sets_of_nodes_and_elements_of_one_name_are_one_group),
    cmocka_unit_test(the_instance_is_placed),
    cmocka_unit_test(mistakes_are_named_with_their_place),
    cmocka_unit_test(sets_that_explode_are_refused),
};
CHECK_GROUP(tests, NULL, NULL)
