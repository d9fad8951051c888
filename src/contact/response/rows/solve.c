// One complementarity problem a step: for each row, rate >= bias, impulse >= 0, and one of the two
// an equality; friction keeps the sliding rate at zero as far as Coulomb's cone lets it.
// Projected Gauss-Seidel in a fixed order, from the impulses of the last step, sped up by conjugate
// directions (Silcowitz, Niebe and Erleben 2010). The matrix J M^-1 J^T is never formed: M is
// diagonal.   docs/theory/contact.md
//
// Velocities are scaled by the roots of their masses, y = M^(1/2) v. A row then reads and
// writes by the same vectors, its weights times M^(-1/2), and what cannot move is scaled to
// nothing. What is read and written is only what rows add to the velocities as predicted.
#include "base/parallel.h"
#include "contact/response/rows/groups.h"
#include "math/range.h"

#include <math.h>

#define INLINE inline __attribute__((always_inline))

#define TURNS     200  // sweeps at most
#define MANY      40   // after so many,
#define SOME      6    // or if so many leave more than
#define CREEPING  0.6  // of what was left before, of as many rows as
#define CROWD     24   // at least,
#define ENOUGH    100  // tolerances will do, unless rigid bodies turn: they rock on what is left
#define EVEN_PACE 1.2  // growth of what sweeps do that is no reason to begin anew
#define WORTH     96   // rows for which several threads are

// What a sweep has done.
typedef struct Turn {
    double worst;  // largest change of a rate
    double size;   // of all changes together
} Turn;

// Which numbers of two vectors make a third.
#define EVEN 0, 4, 2, 6
#define ODD  1, 5, 3, 7
#define LOW  0, 1, 4, 5
#define HIGH 2, 3, 6, 7

static const PalLanes none = {0, 0, 0, 0};

static INLINE double largest(PalLanes a)
{
    return pal_max(pal_max(a[0], a[1]), pal_max(a[2], a[3]));
}

static INLINE PalLanes larger(PalLanes a, PalLanes b)
{
    PalLanesMask take = a > b;
    return (PalLanes)((take & (PalLanesMask)a) | (~take & (PalLanesMask)b));
}

static INLINE PalLanes smaller(PalLanes a, PalLanes b)
{
    return -larger(-a, -b);
}

static INLINE PalLanes root(PalLanes a)
{
    return (PalLanes){sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3])};
}

static INLINE int32_t group_end(const PalRowPart *part)
{
    return part->first_group + part->group_count;
}

static INLINE int32_t moving_end(const PalRowPart *part)
{
    return part->first_moving + part->moving_count;
}

// Columns to rows: the first three numbers of four vectors.
static INLINE void transpose(const PalLanes in[4], PalLanes out[3])
{
    PalLanes ab = __builtin_shufflevector(in[0], in[1], EVEN),
             cd = __builtin_shufflevector(in[2], in[3], EVEN);
    out[0] = __builtin_shufflevector(ab, cd, LOW);
    out[2] = __builtin_shufflevector(ab, cd, HIGH);
    out[1] = __builtin_shufflevector(__builtin_shufflevector(in[0], in[1], ODD),
                                     __builtin_shufflevector(in[2], in[3], ODD), LOW);
}

// And back.
static INLINE void transpose_back(const PalLanes in[3], PalLanes out[4])
{
    PalLanes xy0 = __builtin_shufflevector(in[0], in[1], EVEN),
             xy1 = __builtin_shufflevector(in[0], in[1], ODD);
    PalLanes z0 = __builtin_shufflevector(in[2], none, EVEN),
             z1 = __builtin_shufflevector(in[2], none, ODD);
    out[0] = __builtin_shufflevector(xy0, z0, LOW);
    out[1] = __builtin_shufflevector(xy1, z1, LOW);
    out[2] = __builtin_shufflevector(xy0, z0, HIGH);
    out[3] = __builtin_shufflevector(xy1, z1, HIGH);
}

// Velocities and impulses are taken over; what is held keeps its velocity.
static INLINE void scale_back(PalRows *rows, const PalRowPart *part, bool rough)
{
    for (int32_t p = part->first_moving; p < moving_end(part); ++p) {
        int32_t c = rows->moving[p];
        PalLanes change = rows->scaled[p] * pal_lanes_load(rows->carriers->root_inverse[c]);
        PalLanes velocity = pal_lanes_load(rows->velocity[c]) + change;
        memcpy(rows->velocity[c], &velocity, sizeof velocity);
    }
    for (int32_t g = part->first_group; g < group_end(part); ++g)
        for (int32_t i = 0; i < rows->groups[g].count; ++i) {
            PalRow *row = &rows->items[rows->groups[g].rows[i]];
            const PalLanes *drag = rows->drags[g].drag;
            row->impulse = rows->groups[g].impulse[i];
            row->drag = rough ? (PalLanes){drag[0][i], drag[1][i], drag[2][i], 0} : none;
        }
}

// ---- reading and writing ----------------------------------------------------------------

static INLINE PalLanes at(const PalLanes *scaled, uint32_t bytes)
{
    return *pal_scaled_at((PalLanes *)scaled, bytes);
}

// Each row's products with what was added to the velocities of what can move.
static INLINE void read(const PalRowGroup *group, const PalRestGroup *rest, const PalLanes *scaled,
                        PalLanes parts[PAL_LANES])
{
    const PalLanes(*along)[PAL_LANES] = group->along;
    const uint32_t(*c)[PAL_LANES] = group->carriers;
    for (int i = 0; i < PAL_LANES; ++i)
        parts[i] = along[0][i] * at(scaled, c[0][i]) + along[1][i] * at(scaled, c[1][i]);
    for (int i = 0; i < PAL_LANES && group->width > 2; ++i)
        parts[i] += along[2][i] * at(scaled, c[2][i]) + along[3][i] * at(scaled, c[3][i]);
    for (int32_t e = 0; e < group->rest_count; ++e)
        for (int i = 0; i < PAL_LANES; ++i)
            parts[i] += rest->along[e][i] * at(scaled, rest->carriers[e][i]);
}

static INLINE void write(const PalRowGroup *group, const PalRestGroup *rest, PalLanes *scaled,
                         const PalLanes parts[PAL_LANES])
{
    for (int32_t k = 0; k < group->width; ++k)
        for (int i = 0; i < PAL_LANES; ++i)
            *pal_scaled_at(scaled, group->carriers[k][i]) += parts[i] * group->along[k][i];
    for (int32_t e = 0; e < group->rest_count; ++e)
        for (int i = 0; i < PAL_LANES; ++i)
            *pal_scaled_at(scaled, rest->carriers[e][i]) += parts[i] * rest->along[e][i];
}

// Without friction: how much faster the sides part.
static INLINE PalLanes rates(const PalRowGroup *group, const PalRestGroup *rest,
                             const PalLanes *scaled)
{
    PalLanes parts[4], columns[3];
    read(group, rest, scaled, parts);
    transpose(parts, columns);
    return columns[0] + columns[1] + columns[2];
}

static INLINE void push(const PalRowGroup *group, const PalRestGroup *rest, PalLanes *scaled,
                        PalLanes impulse)
{
    const PalLanes one = {1, 1, 1, 1};
    PalLanes parts[4];
    for (int i = 0; i < PAL_LANES; ++i)
        parts[i] = impulse[i] * one;
    write(group, rest, scaled, parts);
}

// With friction: velocities and impulses are vectors, and spins have matrices.
typedef struct Rough {
    const PalRowGroup *group;
    const PalRestGroup *rest;
    const PalTurnGroup *turns;
    PalDragGroup *drags;
} Rough;

static INLINE Rough rough_group(const PalRows *rows, int32_t g)
{
    return (Rough){&rows->groups[g], &rows->rest[g], &rows->turns[g], &rows->drags[g]};
}

static INLINE void velocities(const Rough *rough, const PalLanes *scaled, PalLanes velocity[3])
{
    PalLanes parts[4];
    read(rough->group, rough->rest, scaled, parts);
    for (int32_t t = 0; t < rough->group->turn_count; ++t)
        for (int i = 0; i < PAL_LANES; ++i) {
            PalLanes spin = at(scaled, rough->turns->carriers[t][i]);
            for (int j = 0; j < 3; ++j)
                parts[i] += spin[j] * rough->turns->columns[t][i][j];
        }
    transpose(parts, velocity);
    for (int i = 0; i < 3; ++i)
        velocity[i] += rough->drags->predicted[i];
}

static INLINE void push_along(const Rough *rough, PalLanes *scaled, const PalLanes impulse[3])
{
    PalLanes parts[4];
    transpose_back(impulse, parts);
    write(rough->group, rough->rest, scaled, parts);
    for (int32_t t = 0; t < rough->group->turn_count; ++t)
        for (int i = 0; i < PAL_LANES; ++i) {
            PalLanes spin = none;
            for (int j = 0; j < 3; ++j)
                spin[j] = pal_lanes_sum(parts[i] * rough->turns->columns[t][i][j]);
            *pal_scaled_at(scaled, rough->turns->carriers[t][i]) += spin;
        }
}

static INLINE PalLanes dot(const PalLanes a[3], const PalLanes b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static INLINE void whole(const PalRowGroup *group, const PalDragGroup *drags, PalLanes impulse[3])
{
    for (int i = 0; i < 3; ++i)
        impulse[i] = group->impulse * drags->normal[i] + drags->drag[i];
}

// ---- turns ------------------------------------------------------------------------------

// Returns how much the rates were changed.
static INLINE PalLanes relax(PalRowGroup *group, const PalRestGroup *rest, PalLanes *scaled)
{
    PalLanes old = group->impulse;
    group->impulse =
        larger(old - (rates(group, rest, scaled) - group->bias) * group->inverse, group->floor);
    PalLanes change = group->impulse - old;
    push(group, rest, scaled, change);
    change *= group->response;
    return larger(change, -change);
}

// First along the normal, then across with what that has changed.
static INLINE PalLanes relax_rough(PalRowGroup *group, const Rough *rough, PalLanes *scaled)
{
    const PalLanes one = {1, 1, 1, 1}, tiny = {1e-300, 1e-300, 1e-300, 1e-300};
    PalDragGroup *drags = rough->drags;
    PalLanes velocity[3], change[3], drag[3], old = group->impulse;
    velocities(rough, scaled, velocity);
    PalLanes rate = dot(drags->normal, velocity);
    group->impulse = larger(old - (rate - group->bias) * group->inverse, group->floor);
    PalLanes more = group->impulse - old;
    for (int i = 0; i < 3; ++i)
        velocity[i] += drags->give[i] * more;
    rate = dot(drags->normal, velocity);
    for (int i = 0; i < 3; ++i)
        drag[i] = drags->drag[i] - drags->tangent_inverse * (velocity[i] - rate * drags->normal[i]);
    PalLanes limit = drags->friction * group->impulse;
    PalLanes share = smaller(one, limit / larger(root(dot(drag, drag)), tiny));
    for (int i = 0; i < 3; ++i) {
        drag[i] *= share;
        change[i] = drag[i] - drags->drag[i];
        drags->drag[i] = drag[i];
    }
    PalLanes slid = dot(change, change) * drags->tangent_response * drags->tangent_response;
    for (int i = 0; i < 3; ++i)
        change[i] += more * drags->normal[i];
    push_along(rough, scaled, change);
    more *= group->response;
    return larger(more * more, slid);  // squared
}

// Goes on in the direction of the sweeps before, like conjugate gradients: what alternates cancels,
// what creeps adds up. Impulses may leave their cones here; the sweep that follows brings them
// back. Velocities are linear in the impulses, so that each carrier goes on by itself.
static INLINE void go_on(PalRows *rows, const PalRowPart *part, double keep)
{
    for (int32_t p = part->first_moving; p < moving_end(part); ++p) {
        PalLanes now = rows->scaled[p], more = keep * rows->scaled_ahead[p];
        rows->scaled_ahead[p] = now - rows->scaled_before[p] + more;
        rows->scaled[p] = rows->scaled_before[p] = now + more;
    }
}

// Nobody needs the impulses of a group but its own turn in the next sweep: they go on there, so
// that groups come by once a sweep.
static INLINE void go_on_group(PalRowGroup *group, double keep)
{
    PalLanes more = keep * group->ahead;
    group->ahead = group->impulse - group->before + more;
    group->impulse = group->before = group->impulse + more;
}

static INLINE void go_on_rough(PalRowGroup *group, PalDragGroup *drags, double keep)
{
    PalLanes now[3], more[3];
    whole(group, drags, now);
    for (int i = 0; i < 3; ++i) {
        more[i] = keep * drags->ahead[i];
        drags->ahead[i] = now[i] - drags->before[i] + more[i];
        drags->before[i] = now[i] + more[i];
    }
    PalLanes along = dot(more, drags->normal);
    group->impulse += along;
    for (int i = 0; i < 3; ++i)
        drags->drag[i] += more[i] - along * drags->normal[i];
}

// `keep`: how much of where the sweep before went is to be gone on; less than 0: there was none.
static INLINE Turn sweep(PalRows *rows, const PalRowPart *part, double keep)
{
    PalLanes worst = none, size = none;
    for (int32_t g = part->first_group; g < group_end(part); ++g) {
        PalRowGroup *group = &rows->groups[g];
        if (keep >= 0)
            go_on_group(group, keep);
        worst = larger(worst, relax(group, &rows->rest[g], rows->scaled));
        PalLanes change = group->impulse - group->before;
        size += change * change * group->response;
    }
    return (Turn){largest(worst), pal_lanes_sum(size)};
}

static INLINE Turn sweep_rough(PalRows *rows, const PalRowPart *part, double keep)
{
    PalLanes worst = none, size = none;
    for (int32_t g = part->first_group; g < group_end(part); ++g) {
        PalRowGroup *group = &rows->groups[g];
        PalDragGroup *drags = &rows->drags[g];
        Rough rough = rough_group(rows, g);
        if (keep >= 0)
            go_on_rough(group, drags, keep);
        worst = larger(worst, relax_rough(group, &rough, rows->scaled));
        PalLanes change[3];
        whole(group, drags, change);
        for (int i = 0; i < 3; ++i)
            change[i] -= drags->before[i];
        size += dot(change, change) * group->response;
    }
    return (Turn){sqrt(largest(worst)), pal_lanes_sum(size)};
}

// ---- beginning --------------------------------------------------------------------------

// What the last step's impulses would do to velocities, and to the dual function.
static INLINE double push_old(PalRows *rows, const PalRowPart *part, bool rough)
{
    PalLanes slope = none;
    for (int32_t p = part->first_moving; p < moving_end(part); ++p)
        rows->scaled_ahead[p] = none;
    for (int32_t g = part->first_group; g < group_end(part); ++g) {
        const PalRowGroup *group = &rows->groups[g];
        if (!rough) {
            slope -= group->impulse * group->bias;
            push(group, &rows->rest[g], rows->scaled_ahead, group->impulse);
            continue;
        }
        PalLanes impulse[3];
        Rough group_with_friction = rough_group(rows, g);
        whole(group, &rows->drags[g], impulse);
        slope += dot(impulse, rows->drags[g].predicted) - group->impulse * group->bias;
        push_along(&group_with_friction, rows->scaled_ahead, impulse);
    }
    return pal_lanes_sum(slope);
}

// How much of the last step's impulses p to start with: with rates J v, W = J M^-1 J^T and least
// rates c, the multiple s for which p . (J v + s W p - c) = 0. The dual function p . (c - J v) s -
// s^2 p . W p / 2 is then at least 0, and sweeps only raise it: contact adds no energy (but where
// it wins back a lost separation), however early the sweeps end.
static INLINE void warm_up(PalRows *rows, const PalRowPart *part, bool rough)
{
    PalLanes *ahead = rows->scaled_ahead, bend = none;
    double slope = push_old(rows, part, rough);
    for (int32_t p = part->first_moving; p < moving_end(part); ++p)
        bend += ahead[p] * ahead[p];
    double size = pal_lanes_sum(bend), share = size > 0 ? pal_max(0, -slope / size) : 0;
    for (int32_t p = part->first_moving; p < moving_end(part); ++p) {
        rows->scaled_before[p] = rows->scaled[p] = share * ahead[p];
        ahead[p] = none;
    }
    for (int32_t g = part->first_group; g < group_end(part); ++g) {
        PalRowGroup *group = &rows->groups[g];
        PalDragGroup *drags = &rows->drags[g];
        group->before = group->impulse = share * group->impulse;
        for (int i = 0; i < 3 && rough; ++i) {
            drags->drag[i] *= share;
            drags->before[i] = group->impulse * drags->normal[i] + drags->drag[i];
        }
    }
}

// ---- all --------------------------------------------------------------------------------

// What creeps at an even pace is helped along: such steps neither grow nor shrink.
static double going_on(double ratio)
{
    return ratio < 1 ? ratio : ratio < EVEN_PACE ? 1 : 0;
}

// `late`: the tolerance after many sweeps, and where many rows that nearly depend on each other
// creep along: sweeps do little for them then, and the next step goes on.
static INLINE void solve(PalRows *rows, PalRowPart *part, double late, bool rough)
{
    double last = INFINITY, before = INFINITY, keep = -1;
    bool creeps = false, may_creep = part->row_count >= CROWD && rows->may_creep;
    warm_up(rows, part, rough);
    for (int32_t i = 1;; ++i) {
        Turn turn = rough ? sweep_rough(rows, part, keep) : sweep(rows, part, keep);
        if (i % SOME == 0) {
            creeps = may_creep && turn.worst > CREEPING * before;
            before = turn.worst;
        }
        double enough = creeps || i >= MANY ? late : rows->tolerance;
        part->sweep_count = i;
        if (turn.worst <= enough || i >= TURNS)
            break;
        keep = going_on(turn.size / last);
        go_on(rows, part, keep);
        last = turn.size;
    }
    scale_back(rows, part, rough);
}

PAL_CLONES static void solve_smooth(PalRows *rows, PalRowPart *part, double late)
{
    solve(rows, part, late, false);
}

PAL_CLONES static void solve_rough(PalRows *rows, PalRowPart *part, double late)
{
    solve(rows, part, late, true);
}

static void solve_part(void *context, int32_t index, int32_t worker)
{
    (void)worker;
    PalRows *rows = context;
    int32_t first = rows->largest_part;
    PalRowPart *part = &rows->parts[index == 0 ? first : index <= first ? index - 1 : index];
    bool strict = part->turning || (rows->patient && !part->rough);
    double late = strict ? rows->tolerance : ENOUGH * rows->tolerance;
    pal_rows_lay_out(rows, part);
    if (part->rough)
        solve_rough(rows, part, late);
    else
        solve_smooth(rows, part, late);
}

// The largest part takes about as long as all others: nobody is to wait for it in the end.
static int32_t largest_part(const PalRows *rows)
{
    int32_t largest = 0;
    for (int32_t p = 1; p < rows->part_count; ++p)
        if (rows->parts[p].row_count > rows->parts[largest].row_count)
            largest = p;
    return largest;
}

void pal_rows_solve(PalRows *rows, double tolerance)
{
    rows->tolerance = tolerance;
    pal_rows_part(rows);
    rows->largest_part = largest_part(rows);
    int32_t thread_count = rows->count >= WORTH ? rows->thread_count : 1;
    pal_parallel_for(thread_count, rows->part_count, solve_part, rows);
}
