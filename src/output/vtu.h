// VTK unstructured grids (VTU) and points (VTP): XML with the arrays behind it, as they are in
// memory. To VTK every array is compressed by zlib; those that change from file to file are only
// stored in that form, since compressing them costs more than writing them.
#ifndef PAL_OUTPUT_VTU_H
#define PAL_OUTPUT_VTU_H

#include "output/deflate.h"

typedef enum PalVtuSection {
    PAL_VTU_FIELD,  // of the whole file
    PAL_VTU_POINT_DATA,
    PAL_VTU_CELL_DATA,
    PAL_VTU_POINTS,
    PAL_VTU_CELLS,  // "connectivity", "offsets", "types"
} PalVtuSection;

typedef enum PalVtuType {
    PAL_VTU_FLOAT64,
    PAL_VTU_FLOAT32,
    PAL_VTU_INT64,
    PAL_VTU_INT32,
    PAL_VTU_UINT16,
    PAL_VTU_UINT8,
} PalVtuType;

typedef struct PalVtuArray PalVtuArray;

// Writes `count` tuples, from number `first` on, to `out`, which is aligned for any type.
typedef void (*PalVtuFill)(const PalVtuArray *array, int64_t first, int64_t count, void *out);

struct PalVtuArray {
    PalVtuSection section;
    PalVtuType type;
    const char *name;
    int32_t components;  // 1, 2, 3 or 6
    int64_t count;       // tuples
    const void *source;
    PalVtuFill fill;    // NULL: the source is the array itself
    PalDeflateHow how;  // it is packed
};

// Arrays that are the same in every file of a series, compressed once. Zeroed: none.
typedef struct PalVtuPacked {
    int32_t count;
    size_t *ends;  // of each array in `bytes`
    PalText bytes;
} PalVtuPacked;

PalStatus pal_vtu_pack(int32_t count, const PalVtuArray *arrays, PalVtuPacked *packed,
                       PalError *error);
void pal_vtu_packed_clear(PalVtuPacked *packed);

// The constant arrays stand behind the others, in the order in which they were packed.
typedef struct PalVtuDef {
    int64_t point_count, cell_count;
    int32_t array_count;  // at least one
    const PalVtuArray *arrays;
    const PalVtuArray *constants;
    const PalVtuPacked *packed;  // what came of them; NULL: there are none
    bool only_points;            // VTP: one cell, a vertex, per point; no "types"
} PalVtuDef;

// Adds the beginning of a file to the text; the packed arrays and pal_vtu_tail complete it.
PalStatus pal_vtu_encode(const PalVtuDef *def, PalText *text, PalError *error);

extern const char pal_vtu_tail[];

#endif
