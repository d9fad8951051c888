// One complementarity problem a step: for each row, rate >= bias, impulse >= 0, and one of the two
// an equality; friction keeps the sliding rate at zero as far as Coulomb's cone lets it.
// Projected Gauss-Seidel in a fixed order, from the impulses of the last step, sped up by conjugate
// directions (Silcowitz, Niebe and Erleben 2010). The matrix J M^-1 J^T is never formed: M is
// diagonal.   docs/theory/contact.md
//
// Rows go four at a time. Those that are solved at once have no carrier in common that could move,
// and otherwise come in their order: the result is that of one row after the other.
//
// Velocities are scaled by the roots of their masses, y = M^(1/2) v. A row then reads and
// writes by the same vectors, its weights times M^(-1/2). What cannot move is scaled to
// nothing, and its velocity is kept apart.
#include "contact/response/rows/groups.h"
#include "math/range.h"

#include <math.h>
#include <string.h>

// Vectors are handed over by code of the same instruction set only.
#define INLINE inline __attribute__((always_inline))

#define TURNS     200  // sweeps at most
#define MANY      40   // after so many
#define ENOUGH    100  // tolerances will do, unless rigid bodies turn: they rock on what is left
#define EVEN_PACE 1.2  // growth of what sweeps do that is no reason to begin anew
#define STREAMS   12   // parts of the list gone through side by side

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

static INLINE double sum(PalLanes a)
{
    return (a[0] + a[2]) + (a[1] + a[3]);
}

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

static INLINE PalLanes load(const double *from)
{
    PalLanes lanes;
    memcpy(&lanes, from, sizeof lanes);
    return lanes;
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

// ---- grouping ---------------------------------------------------------------------------

static INLINE void scale_carriers(PalRows *rows)
{
    rows->moving_count = 0;
    for (int32_t i = 0; i < rows->touched_count; ++i) {
        int32_t c = rows->touched[i];
        if (!rows->carriers->moves[c])
            continue;
        rows->moving[rows->moving_count++] = c;
        rows->scaled[c] = load(rows->velocity[c]) * load(rows->carriers->root_mass[c]);
        rows->scaled_ahead[c] = none;
        rows->last_group[c] = PAL_NONE;
    }
}

// The first group with room after all those that move a carrier of the row.
static int32_t group_for(PalRows *rows, const PalRow *row, bool rough)
{
    int32_t group = 0;
    for (int32_t k = 0; k < row->count; ++k) {
        int32_t c = row->carriers[k],
                after = rows->carriers->moves[c] ? rows->last_group[c] + 1 : 0;
        group = after > group ? after : group;
    }
    while (group < rows->group_count && rows->groups[group].count == PAL_LANES)
        ++group;
    for (int32_t k = 0; k < row->count; ++k)
        rows->last_group[row->carriers[k]] = group;
    if (group < rows->group_count)
        return group;
    memset(&rows->groups[group], 0, sizeof rows->groups[group]);
    if (rough)
        memset(&rows->drags[group], 0, sizeof rows->drags[group]);
    // places that stay empty have carriers of their own, behind all others
    for (int32_t k = 0; k < 4 * PAL_LANES; ++k)
        rows->groups[group].carriers[k / PAL_LANES][k % PAL_LANES] = rows->carriers->count + k;
    return rows->group_count++;
}

// What is only needed with friction. `fixed` is the velocity of what cannot move.
static INLINE void fill_drag(PalDragGroup *drags, int32_t place, const PalRow *row, PalLanes give,
                             PalLanes fixed)
{
    for (int i = 0; i < 3; ++i) {
        drags->normal[i][place] = row->normal[i];
        drags->give[i][place] = give[i];
        drags->fixed[i][place] = fixed[i];
        drags->drag[i][place] = row->drag[i];
    }
    drags->tangent_inverse[place] = row->tangent_inverse;
    drags->friction[place] = row->friction;
}

// How the row reads and writes one of its carriers; `fixed` takes what cannot move.
static INLINE PalLanes along_row(const PalRows *rows, const PalRow *row, int32_t k, bool rough,
                                 PalLanes *fixed)
{
    int32_t c = row->carriers[k];
    PalLanes scale = load(rows->carriers->root_inverse[c]);
    PalLanes held = (PalLanes)((scale == 0) & (PalLanesMask)load(rows->velocity[c]));
    *fixed += row->weights[k] * held;
    return row->weights[k] * (rough ? scale : scale * row->normal);
}

// One more carrier of a row: place `e` among the rest.
static INLINE void add_rest(PalRows *rows, int32_t g, int32_t place, int32_t e, int32_t carrier,
                            PalLanes along)
{
    PalRestGroup *rest = &rows->rest[g];
    for (int32_t i = 0; i < PAL_LANES && e >= rows->groups[g].rest_count; ++i) {
        rest->along[e][i] = none;
        rest->carriers[e][i] = rows->carriers->count + i;
    }
    if (e >= rows->groups[g].rest_count)
        rows->groups[g].rest_count = e + 1;
    rest->along[e][place] = along;
    rest->carriers[e][place] = carrier;
}

// Spins of free rigid bodies. Without friction they are carriers like others, after those among
// the rest. Returns what an impulse along the normal does to the velocity by turning.
static INLINE PalLanes add_turns(PalRows *rows, int32_t g, int32_t place, const PalRow *row,
                                 int32_t rest_count, bool rough)
{
    PalLanes give = none;
    for (int32_t t = 0; t < row->turn_count; ++t) {
        const PalTurn *turn = &pal_rows_turns(rows, row)[t];
        PalTurnGroup *turns = &rows->turns[g];
        PalLanes along = none;
        for (int j = 0; j < 3; ++j) {
            along[j] = sum(turn->columns[j] * row->normal);
            give += along[j] * turn->columns[j];
        }
        if (!rough) {
            add_rest(rows, g, place, rest_count + t, turn->carrier, along);
            continue;
        }
        for (int32_t i = 0; i < PAL_LANES && t >= rows->groups[g].turn_count; ++i) {
            turns->carriers[t][i] = rows->carriers->count + i;
            for (int j = 0; j < 3; ++j)
                turns->columns[t][i][j] = none;
        }
        if (t >= rows->groups[g].turn_count)
            rows->groups[g].turn_count = t + 1;
        turns->carriers[t][place] = turn->carrier;
        memcpy(turns->columns[t][place], turn->columns, sizeof turn->columns);
    }
    return give;
}

static INLINE void add_to_group(PalRows *rows, int32_t r, bool rough)
{
    const PalRow *row = &rows->items[r];
    int32_t g = group_for(rows, row, rough);
    PalRowGroup *group = &rows->groups[g];
    int32_t place = group->count++, moving = 0;
    PalLanes fixed = none, give = none;
    for (int32_t k = 0; k < row->count; ++k) {
        int32_t c = row->carriers[k];
        if (!rows->carriers->moves[c]) {
            fixed += row->weights[k] * load(rows->velocity[c]);
            continue;
        }
        PalLanes along = along_row(rows, row, k, rough, &fixed);
        give += along * along;
        if (moving < 4) {
            group->along[moving][place] = along;
            group->carriers[moving][place] = c;
        } else {
            add_rest(rows, g, place, moving - 4, c, along);
        }
        ++moving;
    }
    int32_t width = moving < 4 ? moving : 4;
    group->width = group->width > width ? group->width : width;
    give *= row->normal;
    if (row->turn_count > 0)
        give += add_turns(rows, g, place, row, moving - width, rough);
    fixed += row->extra;
    group->rows[place] = r;
    group->bias[place] = rough ? row->bias : row->bias - sum(fixed * row->normal);
    group->inverse[place] = row->inverse;
    group->response[place] = row->response;
    group->floor[place] = row->floor;
    group->impulse[place] = row->impulse;
    if (rough)
        fill_drag(&rows->drags[g], place, row, give, fixed);
}

// Neighbours in the list share carriers, so that parts of it are gone through side by side.
static INLINE void group_rows(PalRows *rows, bool rough)
{
    int32_t part = (rows->count + STREAMS - 1) / STREAMS;
    rows->group_count = 0;
    for (int32_t i = 0; i < part; ++i)
        for (int32_t r = i; r < rows->count; r += part)
            add_to_group(rows, r, rough);
}

// Velocities and impulses are taken over; what is held keeps its velocity.
static INLINE void scale_back(PalRows *rows, bool rough)
{
    for (int32_t i = 0; i < rows->moving_count; ++i) {
        int32_t v = rows->moving[i];
        PalLanes scale = load(rows->carriers->root_inverse[v]), velocity = rows->scaled[v] * scale;
        PalLanes old = load(rows->velocity[v]);
        PalLanesMask held = scale == 0;
        velocity = (PalLanes)((held & (PalLanesMask)old) | (~held & (PalLanesMask)velocity));
        memcpy(rows->velocity[v], &velocity, sizeof velocity);
    }
    for (int32_t g = 0; g < rows->group_count; ++g)
        for (int32_t i = 0; i < rows->groups[g].count; ++i) {
            PalRow *row = &rows->items[rows->groups[g].rows[i]];
            const PalLanes *drag = rows->drags[g].drag;
            row->impulse = rows->groups[g].impulse[i];
            row->drag = rough ? (PalLanes){drag[0][i], drag[1][i], drag[2][i], 0} : none;
        }
}

// ---- reading and writing ----------------------------------------------------------------

// Each row's products with the velocities of what can move.
static INLINE void read(const PalRowGroup *group, const PalRestGroup *rest, const PalLanes *scaled,
                        PalLanes parts[PAL_LANES])
{
    for (int i = 0; i < PAL_LANES; ++i)
        parts[i] = group->along[0][i] * scaled[group->carriers[0][i]];
    for (int32_t k = 1; k < group->width; ++k)
        for (int i = 0; i < PAL_LANES; ++i)
            parts[i] += group->along[k][i] * scaled[group->carriers[k][i]];
    for (int32_t e = 0; e < group->rest_count; ++e)
        for (int i = 0; i < PAL_LANES; ++i)
            parts[i] += rest->along[e][i] * scaled[rest->carriers[e][i]];
}

static INLINE void write(const PalRowGroup *group, const PalRestGroup *rest, PalLanes *scaled,
                         const PalLanes parts[PAL_LANES])
{
    for (int32_t k = 0; k < group->width; ++k)
        for (int i = 0; i < PAL_LANES; ++i)
            scaled[group->carriers[k][i]] += parts[i] * group->along[k][i];
    for (int32_t e = 0; e < group->rest_count; ++e)
        for (int i = 0; i < PAL_LANES; ++i)
            scaled[rest->carriers[e][i]] += parts[i] * rest->along[e][i];
}

// Without friction: how fast the sides part, of what can move.
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
            PalLanes spin = scaled[rough->turns->carriers[t][i]];
            for (int j = 0; j < 3; ++j)
                parts[i] += spin[j] * rough->turns->columns[t][i][j];
        }
    transpose(parts, velocity);
    for (int i = 0; i < 3; ++i)
        velocity[i] += rough->drags->fixed[i];
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
                spin[j] = sum(parts[i] * rough->turns->columns[t][i][j]);
            scaled[rough->turns->carriers[t][i]] += spin;
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

static INLINE Turn sweep(PalRows *rows)
{
    PalLanes worst = none, size = none;
    for (int32_t g = 0; g < rows->group_count; ++g) {
        PalRowGroup *group = &rows->groups[g];
        worst = larger(worst, relax(group, &rows->rest[g], rows->scaled));
        PalLanes change = group->impulse - group->before;
        size += change * change * group->response;
    }
    return (Turn){largest(worst), sum(size)};
}

static INLINE Turn sweep_rough(PalRows *rows)
{
    PalLanes worst = none, size = none;
    for (int32_t g = 0; g < rows->group_count; ++g) {
        PalRowGroup *group = &rows->groups[g];
        PalDragGroup *drags = &rows->drags[g];
        Rough rough = rough_group(rows, g);
        worst = larger(worst, relax_rough(group, &rough, rows->scaled));
        PalLanes change[3];
        whole(group, drags, change);
        for (int i = 0; i < 3; ++i)
            change[i] -= drags->before[i];
        size += dot(change, change) * group->response;
    }
    return (Turn){sqrt(largest(worst)), sum(size)};
}

// Goes on in the direction of the sweeps before, like conjugate gradients: what alternates cancels,
// what creeps adds up. Impulses may leave their cones here; the next sweep brings them back.
// Velocities are linear in the impulses, so that each carrier goes on by itself.
static INLINE void go_on_rows(PalRows *rows, double keep, bool rough)
{
    for (int32_t g = 0; g < rows->group_count; ++g) {
        PalRowGroup *group = &rows->groups[g];
        PalDragGroup *drags = &rows->drags[g];
        if (!rough) {
            PalLanes more = keep * group->ahead;
            group->ahead = group->impulse - group->before + more;
            group->impulse = group->before = group->impulse + more;
            continue;
        }
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
}

static INLINE void go_on(PalRows *rows, double keep, bool rough)
{
    go_on_rows(rows, keep, rough);
    for (int32_t i = 0; i < rows->moving_count; ++i) {
        int32_t v = rows->moving[i];
        PalLanes now = rows->scaled[v], more = keep * rows->scaled_ahead[v];
        rows->scaled_ahead[v] = now - rows->scaled_before[v] + more;
        rows->scaled[v] = rows->scaled_before[v] = now + more;
    }
}

// ---- beginning --------------------------------------------------------------------------

// What the last step's impulses would do to velocities, and to the dual function.
static INLINE double push_old(PalRows *rows, bool rough)
{
    PalLanes slope = none;
    for (int32_t g = 0; g < rows->group_count; ++g) {
        const PalRowGroup *group = &rows->groups[g];
        const PalRestGroup *rest = &rows->rest[g];
        if (!rough) {
            slope += group->impulse * (rates(group, rest, rows->scaled) - group->bias);
            push(group, rest, rows->scaled_ahead, group->impulse);
            continue;
        }
        PalLanes velocity[3], impulse[3];
        Rough group_with_friction = rough_group(rows, g);
        velocities(&group_with_friction, rows->scaled, velocity);
        whole(group, &rows->drags[g], impulse);
        slope += dot(impulse, velocity) - group->impulse * group->bias;
        push_along(&group_with_friction, rows->scaled_ahead, impulse);
    }
    return sum(slope);
}

// How much of the last step's impulses p to start with: with rates J v, W = J M^-1 J^T and least
// rates c, the multiple s for which p . (J v + s W p - c) = 0. The dual function p . (c - J v) s -
// s^2 p . W p / 2 is then at least 0, and sweeps only raise it: contact adds no energy (but where
// it wins back a lost separation), however early the sweeps end.
static INLINE void warm_up(PalRows *rows, bool rough)
{
    PalLanes *scaled = rows->scaled, *ahead = rows->scaled_ahead, bend = none;
    double slope = push_old(rows, rough);
    for (int32_t i = 0; i < rows->moving_count; ++i)
        bend += ahead[rows->moving[i]] * ahead[rows->moving[i]];
    double share = sum(bend) > 0 ? pal_max(0, -slope / sum(bend)) : 0;
    for (int32_t i = 0; i < rows->moving_count; ++i) {
        int32_t v = rows->moving[i];
        rows->scaled_before[v] = scaled[v] = scaled[v] + share * ahead[v];
        ahead[v] = none;
    }
    for (int32_t g = 0; g < rows->group_count; ++g) {
        PalRowGroup *group = &rows->groups[g];
        PalDragGroup *drags = &rows->drags[g];
        group->before = group->impulse = share * group->impulse;
        for (int i = 0; i < 3 && rough; ++i) {
            drags->drag[i] *= share;
            drags->before[i] = group->impulse * drags->normal[i] + drags->drag[i];
        }
        for (int i = 0; i < PAL_LANES && rough; ++i)
            drags->tangent_response[i] =
                drags->tangent_inverse[i] > 0 ? 1 / drags->tangent_inverse[i] : 0;
    }
}

// ---- all --------------------------------------------------------------------------------

// What creeps at an even pace is helped along: such steps neither grow nor shrink.
static double going_on(double ratio)
{
    return ratio < 1 ? ratio : ratio < EVEN_PACE ? 1 : 0;
}

PAL_CLONES static void solve_smooth(PalRows *rows, double tolerance, double late)
{
    scale_carriers(rows);
    group_rows(rows, false);
    warm_up(rows, false);
    double last = INFINITY;
    for (int32_t i = 1;; ++i) {
        Turn turn = sweep(rows);
        double enough = i >= MANY ? late : tolerance;
        if (turn.worst <= enough || i >= TURNS)
            break;
        go_on(rows, going_on(turn.size / last), false);
        last = turn.size;
    }
    scale_back(rows, false);
}

PAL_CLONES static void solve_rough(PalRows *rows, double tolerance, double late)
{
    scale_carriers(rows);
    group_rows(rows, true);
    warm_up(rows, true);
    double last = INFINITY;
    for (int32_t i = 1;; ++i) {
        Turn turn = sweep_rough(rows);
        double enough = i >= MANY ? late : tolerance;
        if (turn.worst <= enough || i >= TURNS)
            break;
        go_on(rows, going_on(turn.size / last), true);
        last = turn.size;
    }
    scale_back(rows, true);
}

void pal_rows_solve(PalRows *rows, double tolerance)
{
    bool rough = false, turning = false;
    for (int32_t r = 0; r < rows->count; ++r) {
        rough = rough || rows->items[r].friction > 0;
        turning = turning || rows->items[r].turn_count > 0;
    }
    double late = turning ? tolerance : ENOUGH * tolerance;
    if (rough)
        solve_rough(rows, tolerance, late);
    else
        solve_smooth(rows, tolerance, rows->patient ? tolerance : late);
}
