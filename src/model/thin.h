// Membranes and shells: the triangles around each, and the edges that keep their direction.
#ifndef PAL_MODEL_THIN_H
#define PAL_MODEL_THIN_H

#include <palpate/model.h>

typedef struct PalThin {
    int32_t (*beside)[3];   // per triangle and side, see pal_mesh_beside
    PalVec3 (*mirrors)[3];  // per triangle and side: 0 where there is none
} PalThin;

// Of the body of this index, with the conditions on it.
PalStatus pal_thin_init(const PalModelDef *def, int32_t body_index, PalThin *thin, PalError *error);
void pal_thin_clear(PalThin *thin);

// Refuses a body thicker than it is round.
PalStatus pal_thin_check_radius(const PalMesh *mesh, const PalThin *thin, const double *thickness,
                                PalError *error);

// Thickness, and the cells around each node; how it shrinks, once all nodes of the model are known.
PalStatus pal_thin_describe(const PalBodyDef *def, PalBody *body, PalError *error);
void pal_thin_measure(const PalBodyDef *def, const PalVec3 *nodes, PalBody *body);

#endif
