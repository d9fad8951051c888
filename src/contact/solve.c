// One complementarity problem a step: for each row, rate >= bias, impulse >= 0, and one of the two
// an equality; friction keeps the sliding rate at zero as far as Coulomb's cone lets it.
// Projected Gauss-Seidel in a fixed order, from the impulses of the last step, sped up by conjugate
// directions (Silcowitz, Niebe and Erleben 2010). The matrix J M^-1 J^T is never formed: M is
// diagonal.   docs/theory/contact.md
#include "contact/lagrange.h"
#include "math/range.h"
#include "math/vec3.h"

#include <math.h>

#define TOLERANCE 2e-5  // of the separation: change of a gap that is too small to matter

void pal_lagrange_reset(const PalContact *contact, PalLagrange *lagrange)
{
    for (int32_t i = 0; i < lagrange->touched_count; ++i) {
        int32_t v = lagrange->touched[i];
        PalVec3 predicted = pal_contact_surface_velocity(contact->surface, v);
        double *velocity = lagrange->velocity[v];
        velocity[0] = predicted.x;
        velocity[1] = predicted.y;
        velocity[2] = predicted.z;
    }
}

void pal_lagrange_move(PalContact *contact, PalLagrange *lagrange, const PalContactStep *step)
{
    PalContactSurface *surface = contact->surface;
    for (int32_t i = 0; i < lagrange->touched_count; ++i) {
        int32_t v = lagrange->touched[i];
        const double *u = lagrange->velocity[v];
        if (v < surface->soft_vertex_count)
            surface->end[v] =
                pal_vec3_add_scaled(surface->start[v], step->step, pal_vec3(u[0], u[1], u[2]));
    }
}

void pal_lagrange_solve(PalContact *contact, PalLagrange *lagrange, const PalContactStep *step)
{
    pal_lagrange_take_turns(contact, lagrange, TOLERANCE * contact->separation / step->step);
    pal_lagrange_move(contact, lagrange, step);
}
