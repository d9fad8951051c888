// Taking a mesh apart before it is written.
#ifndef PAL_MESH_WRITERS_PLAN_H
#define PAL_MESH_WRITERS_PLAN_H

#include "mesh/writers/write.h"

// Fills groups and facets of `write`. To be cleared in any case.
PalStatus pal_plan_make(PalWrite *write);
void pal_plan_clear(PalWrite *write);

#endif
