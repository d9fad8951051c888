#include "contact/surface/carriers.h"

#include "base/memory.h"

#include <math.h>

PalStatus pal_carriers_init(PalCarriers *carriers, int32_t count, PalError *error)
{
    size_t room = (size_t)count + 1;
    *carriers = (PalCarriers){
        .count = count,
        .inverse_mass = pal_alloc(room, sizeof *carriers->inverse_mass),
        .root_inverse = pal_alloc(room, sizeof *carriers->root_inverse),
        .root_mass = pal_alloc(room, sizeof *carriers->root_mass),
        .moves = pal_alloc(room, sizeof *carriers->moves),
    };
    if (carriers->inverse_mass != NULL && carriers->root_inverse != NULL &&
        carriers->root_mass != NULL && carriers->moves != NULL)
        return PAL_OK;
    pal_carriers_clear(carriers);
    return pal_error_set(error, PAL_NO_MEMORY, "no memory for contact");
}

void pal_carriers_clear(PalCarriers *carriers)
{
    pal_free(carriers->inverse_mass);
    pal_free(carriers->root_inverse);
    pal_free(carriers->root_mass);
    pal_free(carriers->moves);
    *carriers = (PalCarriers){0};
}

void pal_carriers_set(PalCarriers *carriers, int32_t carrier, const double inverse_mass[3])
{
    carriers->moves[carrier] = false;
    for (int i = 0; i < 3; ++i) {
        double inverse = inverse_mass[i];
        carriers->inverse_mass[carrier][i] = inverse;
        carriers->root_inverse[carrier][i] = sqrt(inverse);
        carriers->root_mass[carrier][i] = inverse > 0 ? 1 / sqrt(inverse) : 0;
        carriers->moves[carrier] = carriers->moves[carrier] || inverse > 0;
        carriers->largest_inverse = fmax(carriers->largest_inverse, inverse);
    }
}
