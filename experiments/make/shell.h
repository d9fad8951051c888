// Thick shells: layers of prisms on a closed surface, cut into tetrahedra.
#ifndef PAL_EXPERIMENTS_SHELL_H
#define PAL_EXPERIMENTS_SHELL_H

#include <palpate/mesh.h>

// `place` tells where a node of the surface is in the shell: 0 on the inner side, 1 on the outer
// one.
PalStatus pal_shell_mesh(const PalMesh *skin, int32_t layer_count,
                         PalVec3 (*place)(PalVec3 node, double outward), PalMesh **mesh,
                         PalError *error);

#endif
