// What vertices hang on, by weights, and how heavy it is: model nodes; vertices of prescribed
// instruments, which nothing moves; and the velocity and the spin of each free rigid body. The
// surface numbers them in this order (surface.h).
#ifndef PAL_CONTACT_SURFACE_CARRIERS_H
#define PAL_CONTACT_SURFACE_CARRIERS_H

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
