// One complementarity problem a step: for each row, rate >= bias, impulse >= 0, and one of the two
// an equality; friction keeps the sliding rate at zero as far as Coulomb's cone lets it.
// Projected Gauss-Seidel in the order of the rows, there and back, from the impulses of the
// last step, sped up by conjugate directions (Silcowitz, Niebe and Erleben 2010). The matrix J M^-1
// J^T is never formed: M is diagonal.   docs/theory/contact.md
#include "contact/lagrange.h"
#include "math/range.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define SWEEPS    200   // there and back counts as two
#define TOLERANCE 1e-5  // of the separation: change of a gap that is too small to matter

static inline __attribute__((always_inline)) double sum3(PalLanes a)
{
    return a[0] + a[1] + a[2];
}

static inline __attribute__((always_inline)) PalLanes relative(const PalRow *row,
                                                               double (*velocity)[4])
{
    const PalLanes *v[4];
    for (int k = 0; k < 4; ++k)
        v[k] = (const PalLanes *)velocity[row->vertices[k]];
    return row->weights[0] * *v[0] + row->weights[1] * *v[1] + row->weights[2] * *v[2] +
           row->weights[3] * *v[3];
}

static inline __attribute__((always_inline)) void push(const PalRow *row, double (*velocity)[4],
                                                       double (*inverse_mass)[4], PalLanes impulse)
{
    for (int k = 0; k < 4; ++k) {
        int32_t n = row->vertices[k];
        PalLanes *v = (PalLanes *)velocity[n];
        *v += row->weights[k] * (impulse * *(const PalLanes *)inverse_mass[n]);
    }
}

// Returns how much the row's rate was changed.
static inline __attribute__((always_inline)) double relax(PalRow *row, double (*velocity)[4],
                                                          double (*inverse_mass)[4])
{
    double rate = sum3(row->normal * relative(row, velocity));
    double impulse = pal_max(0, row->impulse - (rate - row->bias) * row->inverse);
    double change = impulse - row->impulse;
    row->impulse = impulse;
    if (change != 0)
        push(row, velocity, inverse_mass, change * row->normal);
    double changed = fabs(change) / row->inverse;
    if (!(row->friction > 0))
        return changed;
    PalLanes slide = relative(row, velocity);
    slide -= sum3(row->normal * slide) * row->normal;
    PalLanes drag = row->drag - row->tangent_inverse * slide;
    double limit = row->friction * impulse, length = sqrt(sum3(drag * drag));
    if (length > limit)
        drag *= limit / length;
    PalLanes more = drag - row->drag;
    row->drag = drag;
    push(row, velocity, inverse_mass, more);
    return pal_max(changed, sqrt(sum3(more * more)) / row->tangent_inverse);
}

// All rows, there and back. Returns the largest change of a rate.
PAL_CLONES static double sweep(PalContact *contact, PalLagrange *lagrange)
{
    double(*velocity)[4] = lagrange->velocity, (*inverse_mass)[4] = contact->inverse_mass;
    PalRow *rows = lagrange->rows;
    double worst = 0;
    for (int32_t r = 0; r < lagrange->row_count; ++r)
        worst = pal_max(worst, relax(&rows[r], velocity, inverse_mass));
    for (int32_t r = lagrange->row_count - 1; r >= 0; --r)
        worst = pal_max(worst, relax(&rows[r], velocity, inverse_mass));
    return worst;
}

// The size of what the last sweep has changed.
static double measure(const PalLagrange *lagrange)
{
    double sum = 0;
    for (int32_t r = 0; r < lagrange->row_count; ++r) {
        const PalRow *row = &lagrange->rows[r];
        PalLanes change = row->impulse * row->normal + row->drag - row->before;
        sum += sum3(change * change) / row->inverse;
    }
    return sum;
}

// Goes on in the direction of the sweeps before, like conjugate gradients: what alternates cancels,
// what creeps adds up. Impulses may leave their cones here; the next sweep brings them back.
static void go_on(PalContact *contact, PalLagrange *lagrange, double keep)
{
    for (int32_t r = 0; r < lagrange->row_count; ++r) {
        PalRow *row = &lagrange->rows[r];
        PalLanes now = row->impulse * row->normal + row->drag, more = keep * row->ahead;
        row->ahead = now - row->before + more;
        row->before = now + more;
        if (keep > 0) {
            double along = sum3(more * row->normal);
            row->impulse += along;
            row->drag += more - along * row->normal;
            push(row, lagrange->velocity, contact->inverse_mass, more);
        }
    }
}

static void sweep_all(PalContact *contact, PalLagrange *lagrange, double tolerance)
{
    double last = INFINITY;
    for (int32_t r = 0; r < lagrange->row_count; ++r) {
        PalRow *row = &lagrange->rows[r];
        row->before = row->impulse * row->normal + row->drag;
        row->ahead = (PalLanes){0, 0, 0, 0};
    }
    for (int32_t i = 0;; ++i) {
        double worst = sweep(contact, lagrange);
        if (worst <= tolerance || i >= SWEEPS / 2)
            break;
        double size = measure(lagrange);
        go_on(contact, lagrange, size < last ? size / last : 0);
        last = size;
    }
}

// Velocities as predicted, plus the impulses the rows start with.
static void warm_up(PalContact *contact, PalLagrange *lagrange)
{
    for (int32_t r = 0; r < lagrange->row_count; ++r) {
        PalRow *row = &lagrange->rows[r];
        if (row->impulse == 0)
            row->drag = (PalLanes){0, 0, 0, 0};
        else
            push(row, lagrange->velocity, contact->inverse_mass,
                 row->impulse * row->normal + row->drag);
    }
}

static void reset_velocities(PalContact *contact, PalLagrange *lagrange, const PalContactStep *step)
{
    for (int32_t i = 0; i < lagrange->touched_count; ++i) {
        int32_t v = lagrange->touched[i];
        PalVec3 motion = pal_vec3_sub(lagrange->predicted[v], contact->surface->start[v]);
        double *velocity = lagrange->velocity[v];
        velocity[0] = motion.x / step->step;
        velocity[1] = motion.y / step->step;
        velocity[2] = motion.z / step->step;
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

double pal_lagrange_solve(PalContact *contact, PalLagrange *lagrange, const PalContactStep *step)
{
    reset_velocities(contact, lagrange, step);
    warm_up(contact, lagrange);
    sweep_all(contact, lagrange, TOLERANCE * contact->separation / step->step);
    pal_lagrange_move(contact, lagrange, step);
    double farthest = 0;
    for (int32_t i = 0; i < lagrange->touched_count; ++i) {
        int32_t v = lagrange->touched[i];
        PalVec3 motion = pal_vec3_sub(contact->surface->end[v], contact->surface->start[v]);
        farthest = pal_max(farthest, pal_vec3_dot(motion, motion));
    }
    return sqrt(farthest);
}
