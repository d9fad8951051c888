// Membranes and shells: the triangles around each, and the edges that keep their direction.
#ifndef PAL_MODEL_THIN_H
#define PAL_MODEL_THIN_H

#include <palpate/model.h>

typedef struct PalThin {
    int32_t (*across)[3];   // per triangle and side: PAL_NONE where it ends
    PalVec3 (*mirrors)[3];  // per triangle and side: 0 where there is none
} PalThin;

// Of the body of this index, with the conditions on it.
PalStatus pal_thin_init(const PalModelDef *def, int32_t body_index, PalThin *thin, PalError *error);
void pal_thin_clear(PalThin *thin);

// Refuses a body thicker than it is round.
PalStatus pal_thin_check_radius(const PalMesh *mesh, const PalThin *thin, const double *thickness,
                                PalError *error);

// Thickness, how it shrinks, and the cells around each node.
PalStatus pal_thin_describe(const PalBodyDef *def, PalBody *body, PalError *error);

#endif
