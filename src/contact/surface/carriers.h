// What moves vertices, and how heavy it is. Carrier v below vertex_count is what vertex v hangs on
// if it hangs on one thing alone: a model node, or a prescribed instrument, which nothing moves.
// Vertices that hang on several have weights for each; free rigid bodies have two carriers behind
// all vertices: one for their velocity and one for their spin.
#ifndef PAL_CONTACT_SURFACE_CARRIERS_H
#define PAL_CONTACT_SURFACE_CARRIERS_H

#include "math/mat3.h"
#include <palpate/model.h>

typedef struct PalCarriers {
    int32_t count;
    double (*inverse_mass)[4];  // per axis; 0 where nothing moves it
    double (*root_inverse)[4];  // its root, 0 as well
    double (*root_mass)[4];     // 1 / root_inverse, and 0 where that is
    bool *moves;                // along some axis
    double largest_inverse;     // what a unit impulse does at most to the velocity of a vertex
} PalCarriers;

PalStatus pal_carriers_init(PalCarriers *carriers, int32_t count, PalError *error);
void pal_carriers_clear(PalCarriers *carriers);

// Its inverse mass along each axis.
void pal_carriers_set(PalCarriers *carriers, int32_t carrier, const double inverse_mass[3]);

#endif
