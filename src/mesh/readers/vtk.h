// Cells and labels as VTK holds them, shared by the legacy and the XML reader.
#ifndef PAL_MESH_READERS_VTK_H
#define PAL_MESH_READERS_VTK_H

#include "mesh/readers/raw.h"

enum {
    PAL_VTK_POLY_VERTEX = 2,
    PAL_VTK_POLY_LINE = 4,
    PAL_VTK_STRIP = 6,
    PAL_VTK_POLYGON = 7,
    PAL_VTK_QUADRATIC_EDGE = 21,
    PAL_VTK_QUADRATIC_TRIANGLE = 22,
};

// Whole numbers, one per cell or point: their values become groups called name-value.
typedef struct PalVtkLabels {
    char *name;
    bool on_points;
    PalLongs values;
} PalVtkLabels;

typedef struct PalVtkGrid {
    const char *where;  // the cells in the file, for messages
    PalLongs types;     // VTK's cell types
    PalLongs ends;      // where each cell ends in the connectivity
    PalLongs connectivity;
    PAL_ARRAY(PalVtkLabels) labels;
} PalVtkGrid;

// Takes the values over and leaves `values` empty.
PalStatus pal_vtk_add_labels(PalVtkGrid *grid, const PalCursor *cursor, PalToken name,
                             bool on_points, PalLongs *values);

// Adds the cells and groups of the grid, whose points are the nodes.
// Arrays of more than 256 different values are numbers rather than labels, and left out.
PalStatus pal_vtk_finish(const PalVtkGrid *grid, PalRawMesh *raw, const PalCursor *cursor);

void pal_vtk_clear(PalVtkGrid *grid);

#endif
