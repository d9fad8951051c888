// Rows to velocities to ends.
#include "contact/response/lagrange/lagrange.h"
#include "math/vec3.h"

#define TOLERANCE 2e-5  // of the separation: change of a gap that is too small to matter

void pal_lagrange_move(PalContact *contact, PalLagrange *lagrange, const PalContactStep *step)
{
    PalContactSurface *surface = contact->surface;
    for (int32_t i = 0; i < lagrange->touched_count; ++i) {
        int32_t v = lagrange->touched[i];
        PalVec3 velocity = {0, 0, 0};
        if (v >= surface->soft_vertex_count)
            continue;
        for (int32_t k = surface->hold_start[v]; k < surface->hold_start[v + 1]; ++k) {
            const double *u = lagrange->rows.velocity[surface->holds[k].carrier];
            velocity =
                pal_vec3_add_scaled(velocity, surface->holds[k].weight, pal_vec3(u[0], u[1], u[2]));
        }
        surface->end[v] = pal_vec3_add_scaled(surface->start[v], step->step, velocity);
    }
}

void pal_lagrange_solve(PalContact *contact, PalLagrange *lagrange, const PalContactStep *step)
{
    pal_rows_solve(&lagrange->rows, TOLERANCE * contact->separation / step->step);
    pal_lagrange_move(contact, lagrange, step);
}
