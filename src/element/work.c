#include "element/work.h"

#include "element/build.h"
#include "math/mat3.h"

PalMat3 pal_block_gradient(const PalElements *elements, const PalBlock *block, int32_t k,
                           const PalLanes *displacement)
{
    PalElementKind kind = elements->parts[block->part].kind;
    int32_t batch = block->first_batch + k / PAL_LANES, l = k % PAL_LANES;
    bool hexahedra = kind == PAL_ELEMENT_H8;
    PalMat3 F = pal_mat3_identity();
    uint16_t base = hexahedra ? elements->h8[batch].corner[0][l] : elements->t4[batch].corner[0][l];
    for (int32_t a = 1; a < pal_element_corner_count(kind); ++a) {
        uint16_t at =
            hexahedra ? elements->h8[batch].corner[a][l] : elements->t4[batch].corner[a][l];
        const PalLanes *g = hexahedra ? elements->h8[batch].g[a - 1] : elements->t4[batch].g[a - 1];
        PalLanes edge = displacement[at / 4] - displacement[base / 4];
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                F.m[i][j] += edge[i] * g[j][l];
    }
    return F;
}
