// VTK legacy and XML files.
#include "read_samples.h"

#define LEGACY  "# vtk DataFile Version 3.0\ntitle\nASCII\nDATASET UNSTRUCTURED_GRID\n"
#define POINTS4 "POINTS 4 double\n0 0 0 1 0 0 0 1 0 0 0 1\n"
#define TET     "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n"
#define XML(points, cells, rest)                                                                   \
    "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\">\n<UnstructuredGrid>\n"           \
    "<Piece NumberOfPoints=\"4\" NumberOfCells=\"1\">\n"                                           \
    "<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">\n" points      \
    "</DataArray></Points>\n<Cells>\n" cells "</Cells>\n" rest                                     \
    "</Piece></UnstructuredGrid></VTKFile>\n"
#define ARRAY(name, values)                                                                        \
    "<DataArray type=\"Int32\" Name=\"" name "\" format=\"ascii\">" values "</DataArray>\n"
#define XML_TET    ARRAY("connectivity", "0 1 2 3") ARRAY("offsets", "4") ARRAY("types", "10")
#define XML_POINTS "0 0 0 1 0 0 0 1 0\n0 0 1\n"

static void voxels_pixels_and_strips_are_unpacked(void **state)
{
    (void)state;
    PalMesh *mesh =
        read_text("a.vtk",
                  LEGACY "POINTS 8 int\n0 0 0 1 0 0 0 1 0 1 1 0 0 0 1 1 0 1 0 1 1 1 1 1\n"
                         "CELLS 1 9\n8 0 1 2 3 4 5 6 7\nCELL_TYPES 1\n11\n",
                  PAL_WANT_SOLID);
    const int32_t hexahedron[] = {0, 1, 3, 2, 4, 5, 7, 6};
    check_ints(mesh->cells, 8, hexahedron, 8);
    pal_mesh_destroy(mesh);
    mesh = read_text("a.vtk",
                     LEGACY POINTS4 "CELLS 3 15\n4 0 1 2 3 4 0 1 2 3 4 0 1 2 3\n"
                                    "CELL_TYPES 3\n6\n7\n8\n",
                     PAL_WANT_SURFACE);
    const int32_t triangles[] = {0, 1, 2, 1, 3, 2, 0, 1, 2, 0, 2, 3, 0, 1, 3, 0, 3, 2};
    check_ints(mesh->cells, 3 * mesh->cell_count, triangles, 18);
    pal_mesh_destroy(mesh);
}

static void attributes_are_passed_over_or_become_groups(void **state)
{
    (void)state;
    PalMesh *mesh =
        read_text("a.vtk",
                  LEGACY "FIELD FieldData 1\nTIME 1 1 double\n0.5\n" POINTS4 TET
                         "POINT_DATA 4\nSCALARS on%20edge unsigned_char\nLOOKUP_TABLE default\n"
                         "0 1 1 0\nVECTORS u float\n1 2 3 4 5 6 7 8 9 1 2 3\n"
                         "LOOKUP_TABLE map 1\n0 0 0 1\nTEXTURE_COORDINATES t 2 float\n"
                         "1 2 3 4 5 6 7 8\nCELL_DATA 1\nCOLOR_SCALARS c 3\n0.5 0.5 0.5\n"
                         "FIELD data 2\nmatter 1 1 int\n12\nbig 2 1 int\n1 2\n",
                  PAL_WANT_SOLID);
    CHECK_LIST(find_group(mesh, "on edge-1"), node, 1, 2);
    CHECK_LIST(find_group(mesh, "on edge-0"), node, 0, 3);
    CHECK_LIST(find_group(mesh, "matter-12"), cell, 0);
    assert_int_equal(mesh->group_count, 3);
    pal_mesh_destroy(mesh);
}

static void numbers_that_are_no_labels_are_left_out(void **state)
{
    (void)state;
    enum { COUNT = 300 };
    char *text = malloc(1 << 16);
    assert_non_null(text);
    size_t size = (size_t)sprintf(text, LEGACY "POINTS %d float\n", COUNT);
    for (int i = 0; i < COUNT; ++i)
        size += (size_t)sprintf(text + size, "%d 0 0\n", i);
    size +=
        (size_t)sprintf(text + size, TET "POINT_DATA %d\nSCALARS id int\nLOOKUP_TABLE d\n", COUNT);
    for (int i = 0; i < COUNT; ++i)
        size += (size_t)sprintf(text + size, "%d ", i);
    PalMesh *mesh = read_text("a.vtk", text, PAL_WANT_SOLID);
    assert_int_equal(mesh->group_count, 0);
    pal_mesh_destroy(mesh);
    free(text);
}

static void legacy_mistakes_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"# vtk\n", "a.vtk:1:1: '# vtk', expected # vtk DataFile Version"},
        {"# vtk DataFile Version 3.0\nt\nEBCDIC\n",
         "a.vtk:3:1: 'EBCDIC', expected ASCII or BINARY"},
        {"# vtk DataFile Version 3.0\nt\nASCII\nDATASET STRUCTURED_POINTS\n",
         "a.vtk:4:1: 'DATASET STRUCTURED_POINTS', expected DATASET UNSTRUCTURED_GRID or POLYDATA"},
        {LEGACY "POINTS 4 double\n0 0 0 1 0 0 0 1 0 0 0 inf\n",
         "a.vtk:6:19: coordinates 0 0 inf of node 3, expected finite numbers"},
        {LEGACY "POINTS 99 double\n0 0 0\n", "a.vtk:5:8: the number of points is 99, but the file "
                                             "has only 7 more bytes; it is cut short or damaged"},
        {LEGACY "POINTS 1 doubel\n0 0 0\n",
         "a.vtk:5:10: 'doubel', expected a type such as float or int"},
        {LEGACY POINTS4 "CELLS 1 5\n4 0 1 2 4\nCELL_TYPES 1\n10\n",
         "a.vtk:7:7: cell 0 has the point 4, expected 0 to 3"},
        {LEGACY POINTS4 "CELLS 2 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n",
         "a.vtk:7:7: the 5 numbers end within cell 1 of 2"},
        {LEGACY POINTS4 "CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n10\n",
         "a.vtk:7:7: cell 0 is a tetrahedron of 3 points, expected 4"},
        {LEGACY POINTS4 "CELLS 1 5\n4 0 1 2 3\n",
         "a.vtk:7:7: 0 cell types for 1 cells, expected as many"},
        {LEGACY POINTS4 "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n99\n",
         "a.vtk:7:7: cell 0 has the unknown VTK type 99"},
        {LEGACY POINTS4 "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n24\n",
         "a.vtk:7:7: cell 0 is a quadratic tetrahedron of 4 points, expected 10"},
        {LEGACY POINTS4 "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n25\n",
         "a.vtk:7:7: element type quadratic hexahedron (VTK type 25) is not of first order, "
         "expected that or 10-node "
         "tetrahedra; export with order 1"},
        {LEGACY POINTS4 TET "CELL_DATA 2\n", "a.vtk:11:11: data for 2 cells, expected 1"},
        {LEGACY POINTS4 TET "NONSENSE\n",
         "a.vtk:11:1: 'NONSENSE', expected a keyword such as CELL_DATA"},
        {LEGACY POINTS4
         "CELLS 2 4\nOFFSETS vtktypeint64\n0 5\nCONNECTIVITY vtktypeint64\n0 1 2 3\n",
         "a.vtk:8:1: an offset of 5, expected 0 to 4"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        check_refused("a.vtk", cases[i].text, PAL_WANT_SOLID, cases[i].message);
}

static void xml_is_read(void **state)
{
    (void)state;
    PalMesh *mesh = read_text(
        "a.vtu", XML(XML_POINTS, XML_TET, "<CellData>" ARRAY("tag", "<!-- 5 -->7") "</CellData>"),
        PAL_WANT_SOLID);
    assert_int_equal(mesh->cell_count, 1);
    CHECK_LIST(find_group(mesh, "tag-7"), cell, 0);
    pal_mesh_destroy(mesh);
}

static void xml_mistakes_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"<?xml version=\"1.0\"?>\n<html/>\n", "a.vtu:2:1: element <html>, expected <VTKFile>"},
        {"<VTKFile type=\"ImageData\"/>",
         "a.vtu:1:1: VTKFile of type 'ImageData', expected UnstructuredGrid or PolyData"},
        {"<VTKFile type=\"PolyData\" compressor=\"vtkLZMADataCompressor\"/>",
         "a.vtu:1:1: compressed by vtkLZMADataCompressor, expected vtkZLibDataCompressor or none"},
        {"<!DOCTYPE x [<!ENTITY a \"aaaa\">]>\n<VTKFile/>",
         "a.vtu:1:1: a <!DOCTYPE, expected none in a VTK file"},
        {"<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><Piece/>",
         "a.vtu:1:1: a Piece without its counts, expected NumberOfPoints and NumberOfCells"},
        {XML("0 0 zero\n", XML_TET, ""),
         "a.vtu:6:5: 'zero' is not a number, expected a coordinate"},
        {XML("0 0\n", XML_TET, ""), "a.vtu:5:1: the coordinates end within a point"},
        {XML(XML_POINTS, ARRAY("connectivity", "0 1 2 3") ARRAY("types", "10"), ""),
         "a.vtu:12:1: 1 types and 0 offsets, expected 1 of each as NumberOfCells says"},
        {XML(XML_POINTS,
             ARRAY("connectivity", "0 1 2 9") ARRAY("offsets", "4") ARRAY("types", "10"), ""),
         "a.vtu:9:1: cell 0 has the point 9, expected 0 to 3"},
        {XML(XML_POINTS, ARRAY("connectivity", "0 1 2") ARRAY("offsets", "4") ARRAY("types", "10"),
             ""),
         "a.vtu:13:1: an offset of 4, expected 0 to 3"},
        {XML(XML_POINTS, XML_TET, "<CellData>" ARRAY("tag", "1 2") "</CellData>"),
         "a.vtu:9:1: array 'tag' has 2 values, expected 1"},
        {XML(XML_POINTS, XML_TET, "<Piece NumberOfPoints=\"1\" NumberOfCells=\"0\"/>"),
         "a.vtu:14:1: a second Piece, expected one: the pieces would not be connected; merge them "
         "first"},
        {XML("", "<DataArray type=\"Int32\" Name=\"types\" format=\"binary\">AAAA</DataArray>", ""),
         "a.vtu: the data of 'types' ends within its header"},
        {XML("", "<DataArray type=\"Int32\" Name=\"types\" format=\"binary\">AAAAgA==</DataArray>",
             ""),
         "a.vtu: the data of 'types' is shorter than its header says; the file is cut short or "
         "damaged"},
        {XML("", "<DataArray type=\"Int32\" Name=\"types\" format=\"appended\" offset=\"0\"/>", ""),
         "a.vtu:8:1: appended data, but no AppendedData is there"},
        {"<VTKFile type=\"UnstructuredGrid\"><AppendedData encoding=\"raw\">_abc",
         "a.vtu:1:34: AppendedData without an end, expected _, the data and </AppendedData>; the "
         "file is cut short"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        check_refused("a.vtu", cases[i].text, PAL_WANT_SOLID, cases[i].message);
}

static void xml_nested_without_end_is_refused(void **state)
{
    (void)state;
    enum { DEPTH = 200000 };
    char *text = malloc(64 + 3 * DEPTH);
    assert_non_null(text);
    size_t size = (size_t)sprintf(text, "<VTKFile type=\"PolyData\">");
    for (int i = 0; i < DEPTH; ++i, size += 3)
        memcpy(text + size, "<a>", 3);
    check_refused_bytes("a.vtu", text, size, PAL_WANT_SURFACE,
                        "a.vtu:1:1: elements nested deeper than 32");
    free(text);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(voxels_pixels_and_strips_are_unpacked),
    cmocka_unit_test(attributes_are_passed_over_or_become_groups),
    cmocka_unit_test(numbers_that_are_no_labels_are_left_out),
    cmocka_unit_test(legacy_mistakes_are_named),
    cmocka_unit_test(xml_is_read),
    cmocka_unit_test(xml_mistakes_are_named),
    cmocka_unit_test(xml_nested_without_end_is_refused),
};
CHECK_GROUP(tests, NULL, NULL)
