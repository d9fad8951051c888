// Signed distance to a closed surface, on a grid that is fine near the surface only.
#ifndef PAL_GEOMETRY_FIELD_H
#define PAL_GEOMETRY_FIELD_H

#include <palpate/base.h>
#include <palpate/math.h>

#define PAL_FIELD_SIDE 8  // cells along a block

typedef struct PalFieldDef {
    int32_t vertex_count, facet_count;
    const PalVec3 *vertices;
    const int32_t (*facets)[3];  // counter-clockwise seen from outside
    double spacing;              // of the fine grid, > 0
    double band;                 // blocks that come this near to the surface are fine
} PalFieldDef;

typedef struct PalField {
    PalVec3 origin;
    double spacing;
    int32_t blocks[3];       // along x, y, z
    int32_t fine_count;      // blocks that are stored
    int32_t *fine_of_block;  // which stored one, or PAL_NONE
    float *coarse;           // distances at the corners of all blocks
    double quantum;          // of the fine values
    int16_t *fine;           // per stored block (SIDE + 1)^3, x fastest
    int32_t *facets;         // per stored block SIDE^3: a facet nearest to the cell's middle
} PalField;

typedef struct PalFieldPoint {
    double distance;   // negative inside; away from the fine blocks no more than the true one
    PalVec3 gradient;  // of the interpolated distance; zero away from the fine blocks
    int32_t facet;     // near the point, or PAL_NONE away from the fine blocks
} PalFieldPoint;

// PAL_BAD_INPUT: not closed, or a grid of more than 2^28 points. Threads help.
PalStatus pal_field_create(const PalFieldDef *def, PalField **field, PalError *error);
void pal_field_destroy(PalField *field);
size_t pal_field_bytes(const PalField *field);

// Trilinear, continuous within the fine blocks.
PalFieldPoint pal_field_at(const PalField *field, PalVec3 point);

#endif
