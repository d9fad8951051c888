// VTK unstructured grids (VTU) and points (VTP): XML with the arrays behind it, zlib-compressed, as
// base64.
#ifndef PAL_OUTPUT_VTU_H
#define PAL_OUTPUT_VTU_H

#include "output/text.h"

typedef enum PalVtuSection {
    PAL_VTU_FIELD,  // of the whole file
    PAL_VTU_POINT_DATA,
    PAL_VTU_CELL_DATA,
    PAL_VTU_POINTS,
    PAL_VTU_CELLS,  // "connectivity", "offsets", "types"
} PalVtuSection;

typedef enum PalVtuType {
    PAL_VTU_FLOAT64,
    PAL_VTU_INT64,
    PAL_VTU_INT32,
    PAL_VTU_UINT8,
} PalVtuType;

typedef struct PalVtuArray {
    PalVtuSection section;
    PalVtuType type;
    const char *name;
    int32_t components;
    int64_t count;  // tuples
    const void *data;
} PalVtuArray;

typedef struct PalVtuDef {
    int64_t point_count, cell_count;
    int32_t array_count;
    const PalVtuArray *arrays;
    int32_t thread_count;  // for compressing; the bytes do not depend on it
    bool only_points;      // VTP: one cell, a vertex, per point; no "types"
} PalVtuDef;

// The whole file, added to the text. Keeps nothing.
PalStatus pal_vtu_encode(const PalVtuDef *def, PalText *text, PalError *error);

#endif
