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

#define INLINE inline __attribute__((always_inline))

#define TURNS     100   // sweeps there and back
#define TOLERANCE 2e-5  // of the separation: change of a gap that is too small to matter
#define MANY      25    // with friction, whose cones slow everything down, after so many turns
#define ENOUGH    1e-2  // this will do: the next step goes on from there
#define STREAMS   4     // rows apart from each other that are worked on at a time

static INLINE double sum3(PalLanes a)
{
    return a[0] + a[1] + a[2];
}

static INLINE PalLanes relative(const PalRow *row, double (*velocity)[4])
{
    const PalLanes *v[4];
    for (int k = 0; k < 4; ++k)
        v[k] = (const PalLanes *)velocity[row->vertices[k]];
    return row->weights[0] * *v[0] + row->weights[1] * *v[1] + row->weights[2] * *v[2] +
           row->weights[3] * *v[3];
}

static INLINE void push(const PalRow *row, double (*velocity)[4], double (*inverse_mass)[4],
                        PalLanes impulse)
{
    for (int k = 0; k < 4; ++k) {
        int32_t n = row->vertices[k];
        PalLanes *v = (PalLanes *)velocity[n];
        *v += row->weights[k] * (impulse * *(const PalLanes *)inverse_mass[n]);
    }
}

// Returns how much the row's rate was changed.
static INLINE double relax(PalRow *row, double (*velocity)[4], double (*inverse_mass)[4])
{
    double rate = sum3(row->normal * relative(row, velocity));
    double impulse = pal_max(0, row->impulse - (rate - row->bias) * row->inverse);
    double change = impulse - row->impulse;
    row->impulse = impulse;
    if (change != 0)
        push(row, velocity, inverse_mass, change * row->normal);
    double changed = fabs(change) * row->response;
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

static INLINE PalLanes whole(const PalRow *row)
{
    return row->impulse * row->normal + row->drag;
}

// What a turn has done.
typedef struct Turn {
    double worst;  // largest change of a rate
    double size;   // of all changes together
} Turn;

// All rows, there and back. Neighbours in the list share vertices and would wait for each other, so
// that several parts of it are gone through side by side.
static INLINE Turn sweep(PalRow *rows, int32_t count, double (*velocity)[4],
                         double (*inverse_mass)[4])
{
    int32_t part = (count + STREAMS - 1) / STREAMS;
    Turn turn = {0, 0};
    for (int32_t i = 0; i < part; ++i)
        for (int32_t r = i; r < count; r += part)
            turn.worst = pal_max(turn.worst, relax(&rows[r], velocity, inverse_mass));
    for (int32_t i = part - 1; i >= 0; --i)
        for (int32_t r = i; r < count; r += part) {
            turn.worst = pal_max(turn.worst, relax(&rows[r], velocity, inverse_mass));
            PalLanes change = whole(&rows[r]) - rows[r].before;
            turn.size += sum3(change * change) * rows[r].response;
        }
    return turn;
}

// Goes on in the direction of the sweeps before, like conjugate gradients: what alternates cancels,
// what creeps adds up. Impulses may leave their cones here; the next sweep brings them back.
static INLINE void go_on(PalRow *rows, int32_t count, double (*velocity)[4],
                         double (*inverse_mass)[4], double keep)
{
    for (int32_t r = 0; r < count; ++r) {
        PalRow *row = &rows[r];
        PalLanes now = whole(row), more = keep * row->ahead;
        row->ahead = now - row->before + more;
        row->before = now + more;
        if (keep > 0) {
            double along = sum3(more * row->normal);
            row->impulse += along;
            row->drag += more - along * row->normal;
            push(row, velocity, inverse_mass, more);
        }
    }
}

PAL_CLONES static void take_turns(PalContact *contact, PalLagrange *lagrange, double scale)
{
    double(*velocity)[4] = lagrange->velocity, (*inverse_mass)[4] = contact->inverse_mass;
    PalRow *rows = lagrange->rows;
    int32_t count = lagrange->row_count;
    double last = INFINITY;
    bool rough = false;
    for (int32_t r = 0; r < count; ++r) {
        rough = rough || rows[r].friction > 0;
        rows[r].before = whole(&rows[r]);
        rows[r].ahead = (PalLanes){0, 0, 0, 0};
    }
    for (int32_t i = 1;; ++i) {
        Turn turn = sweep(rows, count, velocity, inverse_mass);
        if (turn.worst <= TOLERANCE * scale ||
            (rough && i >= MANY && turn.worst <= ENOUGH * scale) || i >= TURNS)
            break;
        go_on(rows, count, velocity, inverse_mass, turn.size < last ? turn.size / last : 0);
        last = turn.size;
    }
}

// How much of the last step's impulses p to start with: with rates J v, W = J M^-1 J^T and least
// rates c, the multiple s for which p . (J v + s W p - c) = 0. The dual function p . (c - J v) s -
// s^2 p . W p / 2 is then at least 0, and sweeps only raise it: contact adds no energy (but where
// it wins back a lost separation), however early the sweeps end.
static double share_of_old(PalContact *contact, PalLagrange *lagrange)
{
    double slope = 0, bend = 0;
    for (int32_t i = 0; i < lagrange->touched_count; ++i)
        memset(lagrange->trial[lagrange->touched[i]], 0, sizeof *lagrange->trial);
    for (int32_t r = 0; r < lagrange->row_count; ++r) {
        const PalRow *row = &lagrange->rows[r];
        if (row->impulse == 0)
            continue;
        slope += sum3(whole(row) * relative(row, lagrange->velocity)) - row->impulse * row->bias;
        push(row, lagrange->trial, contact->inverse_mass, whole(row));
    }
    for (int32_t r = 0; r < lagrange->row_count; ++r) {
        const PalRow *row = &lagrange->rows[r];
        if (row->impulse != 0)
            bend += sum3(whole(row) * relative(row, lagrange->trial));
    }
    return bend > 0 ? pal_max(0, -slope / bend) : 0;
}

// Velocities as predicted, plus the impulses the rows start with.
static void warm_up(PalContact *contact, PalLagrange *lagrange)
{
    double share = share_of_old(contact, lagrange);
    for (int32_t r = 0; r < lagrange->row_count; ++r) {
        PalRow *row = &lagrange->rows[r];
        row->impulse *= share;
        if (row->impulse == 0)
            row->drag = (PalLanes){0, 0, 0, 0};
        else
            row->drag *= share;
        push(row, lagrange->velocity, contact->inverse_mass, whole(row));
    }
}

static void reset_velocities(const PalContact *contact, PalLagrange *lagrange)
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

double pal_lagrange_solve(PalContact *contact, PalLagrange *lagrange, const PalContactStep *step)
{
    reset_velocities(contact, lagrange);
    warm_up(contact, lagrange);
    take_turns(contact, lagrange, contact->separation / step->step);
    pal_lagrange_move(contact, lagrange, step);
    double farthest = 0;
    for (int32_t i = 0; i < lagrange->touched_count; ++i) {
        int32_t v = lagrange->touched[i];
        PalVec3 motion = pal_vec3_sub(contact->surface->end[v], contact->surface->start[v]);
        farthest = pal_max(farthest, pal_vec3_dot(motion, motion));
    }
    return sqrt(farthest);
}
