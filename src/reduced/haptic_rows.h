// Contact as a small complementarity problem: rows, their compliance, and a solution.
//
//   0 <= f_i,  0 <= g_i + sum_j W_ij f_j,  one of them 0;   W = sum over bodies of J J' + local +
//   coupling
//
// J_i says what the modes of a body do to gap i, and the modes are orthonormal in the stiffness at
// rest. docs/theory/haptics.md, 3
#ifndef PAL_REDUCED_HAPTIC_ROWS_H
#define PAL_REDUCED_HAPTIC_ROWS_H

#include "reduced/haptic_body.h"

#define PAL_HAPTIC_DENSE  192    // up to so many rows W is a matrix
#define PAL_HAPTIC_FEW    48     // up to so many it can be factored while the force is due
#define PAL_HAPTIC_SOFTER 1e-3F  // of the diagonal: rows in one place would have no single solution

// A row pulls at nodes of a body along directions in its own coordinates, turned back to rest.
typedef struct PalHapticTouch {
    int32_t node, row;
    int32_t next;        // at the same node, or PAL_NONE
    float direction[3];  // times the node's weight
} PalHapticTouch;

typedef struct PalHapticRows {
    int32_t row_max, row_count;
    // A row of J: modes of body 0, of body 1, and force and moment on the tool times roots of the
    // coupling's compliance.
    int32_t width;     // numbers of a row: a multiple of 8
    int32_t first[3];  // where these parts begin
    int32_t body_width[2];
    float *modes;       // J, `width` each
    float (*push)[6];   // per row: force and moment on the tool
    float *gap_made;    // without any forces, when rows were made
    float *gap;         // and now
    float *low, *high;  // bounds of each force
    float *force;       // the solution; on entry where to start
    float *soft;        // per row: how much softer it is, relative to its own compliance
    float *diagonal;    // of W
    float *beyond;      // what it has beyond modes and coupling

    PalHapticTouch *touches[2];
    int32_t touch_count[2], touch_max;
    int32_t *touch_of_node[2];  // the first one, or PAL_NONE

    int32_t *near_start;  // local part of W off the diagonal, per row a list of rows before it
    int32_t *near_row;
    float *near_value;
    int32_t near_max;
    int32_t *full_start, *full_row;  // of many rows, a list of all others
    float *full_value;

    float *matrix;           // dense W
    double *factor, *right;  // scratch
    int32_t *active;         // rows between their bounds
    int32_t active_count;
    bool factored;                // `factor` is that of W for these
    int32_t *touched;             // scratch: rows that have a local part with another one
    int32_t *wrong;               // scratch: rows that are to change sides
    float *sum;                   // J' f, `width` numbers
    bool summed;                  // is that of the forces as they are
    float *direction, *residual;  // scratch
    int32_t sweeps;               // that the last solution took
    double change;                // of its last sweep, relative
    // Asked between sweeps; true: there is no time for more. May be NULL.
    bool (*late)(void *context);
    void *context;
} PalHapticRows;

static inline float *pal_haptic_row(const PalHapticRows *rows, int32_t row, int32_t body)
{
    return rows->modes + (int64_t)row * rows->width + rows->first[body];
}

// Lines of the matrix are filled up with zeros to a multiple of 8.
static inline int32_t pal_haptic_line(int32_t count)
{
    return (count + 7) & ~7;
}

PalStatus pal_haptic_rows_init(PalHapticRows *rows, int32_t row_max,
                               const PalHapticBody *const bodies[2], PalError *error);
void pal_haptic_rows_clear(PalHapticRows *rows);

// Forgets all rows and touches.
void pal_haptic_rows_reset(PalHapticRows *rows);
// A row's hold of a node: direction in the body's coordinates at rest, times the weight.
void pal_haptic_rows_touch(PalHapticRows *rows, int32_t body, int32_t row, int32_t node,
                           PalVec3 direction);
// After all touches: W, as a matrix where rows are few. Forces are those of the last step.
void pal_haptic_rows_couple(PalHapticRows *rows, const PalHapticBody *const bodies[2]);
// Gaps when the tool has moved against body 0, by a way and a rotation vector, since rows were
// made.
void pal_haptic_rows_shift(PalHapticRows *rows, const double moved[6]);

// Where rows are few, solves for gaps that are expected and keeps the factor of the rows that carry
// force, so that others are solved for soon.
void pal_haptic_rows_expect(PalHapticRows *rows, double tolerance);
// J' f of the forces as they are, unless it is known.
void pal_haptic_rows_sum(PalHapticRows *rows);
// Solves within `sweeps` sweeps, or until the change of a sweep is below `tolerance` of the largest
// force. `plain`: sweeps over many rows without conjugate
// directions, of which a few are worth more.
void pal_haptic_rows_solve(PalHapticRows *rows, int32_t sweeps, double tolerance, bool plain);

#endif
