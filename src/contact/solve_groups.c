// The problem of a step (solve.c), four rows at a time. Rows that are solved at once have no vertex
// in common that could move, and otherwise come in their order: the result is that of one
// row after the other.
//
// Velocities are scaled by the roots of their masses, y = M^(1/2) v. A row then reads and
// writes by the same four vectors, its weights times M^(-1/2). What cannot move is scaled to
// nothing, and its velocity is kept apart.   docs/theory/contact.md
#include "contact/lagrange.h"
#include "math/range.h"

#include <math.h>
#include <string.h>

#define INLINE inline __attribute__((always_inline))

#define TURNS   200  // sweeps at most
#define MANY    40   // with friction, whose cones slow everything down, after so many
#define ENOUGH  500  // tolerances will do: the next step goes on from there
#define STREAMS 12   // parts of the list gone through side by side

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

static INLINE void scale_vertices(const PalContact *contact, PalLagrange *lagrange)
{
    for (int32_t i = 0; i < lagrange->touched_count; ++i) {
        int32_t v = lagrange->touched[i];
        lagrange->scaled[v] = load(lagrange->velocity[v]) * load(contact->root_mass[v]);
        lagrange->scaled_ahead[v] = none;
        lagrange->last_group[v] = PAL_NONE;
    }
}

static INLINE void come_after(const PalContact *contact, const PalLagrange *lagrange, int32_t v,
                              int32_t *group)
{
    int32_t after = lagrange->last_group[v] + 1;
    if (contact->moves[v] && after > *group)
        *group = after;
}

// The first group with room after all those that move a vertex of the row.
static int32_t group_for(const PalContact *contact, PalLagrange *lagrange, const PalRow *row,
                         bool rough)
{
    int32_t group = 0;
    for (int k = 0; k < 4; ++k)
        come_after(contact, lagrange, row->vertices[k], &group);
    if (row->wide)
        come_after(contact, lagrange, row->vertices[4], &group);
    while (group < lagrange->group_count && lagrange->groups[group].count == PAL_LANES)
        ++group;
    for (int k = 0; k < 4; ++k)
        lagrange->last_group[row->vertices[k]] = group;
    if (row->wide)
        lagrange->last_group[row->vertices[4]] = group;
    if (group < lagrange->group_count)
        return group;
    memset(&lagrange->groups[group], 0, sizeof lagrange->groups[group]);
    if (rough)
        memset(&lagrange->drags[group], 0, sizeof lagrange->drags[group]);
    // places that stay empty have vertices of their own, behind all others
    for (int32_t k = 0; k < 4 * PAL_LANES; ++k)
        lagrange->groups[group].vertices[k / 4][k % 4] = contact->surface->vertex_count + k;
    return lagrange->group_count++;
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

// How the row reads and writes one of its vertices; `fixed` takes what cannot move.
static INLINE PalLanes along_row(const PalContact *contact, const PalLagrange *lagrange,
                                 const PalRow *row, int k, bool rough, PalLanes *fixed)
{
    int32_t v = row->vertices[k];
    PalLanes scale = load(contact->root_inverse[v]);
    PalLanes held = (PalLanes)((scale == 0) & (PalLanesMask)load(lagrange->velocity[v]));
    *fixed += row->weights[k] * held;
    return row->weights[k] * (rough ? scale : scale * row->normal);
}

// Room for fifth vertices in a group.
static PalFifthGroup *widen(const PalContact *contact, PalLagrange *lagrange, int32_t g)
{
    PalFifthGroup *fifths = &lagrange->fifths[g];
    for (int32_t i = 0; i < PAL_LANES && !lagrange->groups[g].wide; ++i) {
        fifths->along[i] = none;
        fifths->vertices[i] = contact->surface->vertex_count + i;
    }
    lagrange->groups[g].wide = true;
    return fifths;
}

static INLINE void add_to_group(const PalContact *contact, PalLagrange *lagrange, int32_t r,
                                bool rough)
{
    const PalRow *row = &lagrange->rows[r];
    int32_t g = group_for(contact, lagrange, row, rough);
    PalRowGroup *group = &lagrange->groups[g];
    int32_t place = group->count++;
    PalLanes fixed = none, give = none;
    for (int k = 0; k < 4; ++k) {
        group->along[place][k] = along_row(contact, lagrange, row, k, rough, &fixed);
        give += group->along[place][k] * group->along[place][k];
        group->vertices[place][k] = row->vertices[k];
    }
    if (row->wide) {
        PalFifthGroup *fifths = widen(contact, lagrange, g);
        fifths->along[place] = along_row(contact, lagrange, row, 4, rough, &fixed);
        give += fifths->along[place] * fifths->along[place];
        fifths->vertices[place] = row->vertices[4];
    }
    group->rows[place] = r;
    group->bias[place] = rough ? row->bias : row->bias - sum(fixed * row->normal);
    group->inverse[place] = row->inverse;
    group->response[place] = row->response;
    group->impulse[place] = row->impulse;
    if (rough)
        fill_drag(&lagrange->drags[g], place, row, give, fixed);
}

// Neighbours in the list share vertices, so that parts of it are gone through side by side.
static INLINE void group_rows(const PalContact *contact, PalLagrange *lagrange, bool rough)
{
    int32_t part = (lagrange->row_count + STREAMS - 1) / STREAMS;
    lagrange->group_count = 0;
    for (int32_t i = 0; i < part; ++i)
        for (int32_t r = i; r < lagrange->row_count; r += part)
            add_to_group(contact, lagrange, r, rough);
}

// Velocities and impulses are taken over; what is held keeps its velocity.
static INLINE void scale_back(const PalContact *contact, PalLagrange *lagrange, bool rough)
{
    for (int32_t i = 0; i < lagrange->touched_count; ++i) {
        int32_t v = lagrange->touched[i];
        PalLanes scale = load(contact->root_inverse[v]), velocity = lagrange->scaled[v] * scale;
        PalLanes old = load(lagrange->velocity[v]);
        PalLanesMask held = scale == 0;
        velocity = (PalLanes)((held & (PalLanesMask)old) | (~held & (PalLanesMask)velocity));
        memcpy(lagrange->velocity[v], &velocity, sizeof velocity);
    }
    for (int32_t g = 0; g < lagrange->group_count; ++g)
        for (int32_t i = 0; i < lagrange->groups[g].count; ++i) {
            PalRow *row = &lagrange->rows[lagrange->groups[g].rows[i]];
            const PalLanes *drag = lagrange->drags[g].drag;
            row->impulse = lagrange->groups[g].impulse[i];
            row->drag = rough ? (PalLanes){drag[0][i], drag[1][i], drag[2][i], 0} : none;
        }
}

// ---- reading and writing ----------------------------------------------------------------

static INLINE PalLanes products(const PalRowGroup *group, int row, const PalLanes *scaled)
{
    const int32_t *v = group->vertices[row];
    const PalLanes *along = group->along[row];
    return (along[0] * scaled[v[0]] + along[1] * scaled[v[1]]) +
           (along[2] * scaled[v[2]] + along[3] * scaled[v[3]]);
}

// Without friction: how fast the sides part, of what can move.
static INLINE PalLanes rates(const PalRowGroup *group, const PalFifthGroup *fifths,
                             const PalLanes *scaled)
{
    PalLanes parts[4], columns[3];
    for (int i = 0; i < 4; ++i)
        parts[i] = products(group, i, scaled);
    for (int i = 0; i < 4 && group->wide; ++i)
        parts[i] += fifths->along[i] * scaled[fifths->vertices[i]];
    transpose(parts, columns);
    return columns[0] + columns[1] + columns[2];
}

static INLINE void push(const PalRowGroup *group, const PalFifthGroup *fifths, PalLanes *scaled,
                        PalLanes impulse)
{
    for (int i = 0; i < PAL_LANES; ++i)
        for (int k = 0; k < 4; ++k)
            scaled[group->vertices[i][k]] += impulse[i] * group->along[i][k];
    for (int i = 0; i < PAL_LANES && group->wide; ++i)
        scaled[fifths->vertices[i]] += impulse[i] * fifths->along[i];
}

// With friction: velocities and impulses are vectors.
static INLINE void velocities(const PalRowGroup *group, const PalFifthGroup *fifths,
                              const PalDragGroup *drags, const PalLanes *scaled,
                              PalLanes velocity[3])
{
    PalLanes parts[4];
    for (int i = 0; i < 4; ++i)
        parts[i] = products(group, i, scaled);
    for (int i = 0; i < 4 && group->wide; ++i)
        parts[i] += fifths->along[i] * scaled[fifths->vertices[i]];
    transpose(parts, velocity);
    for (int i = 0; i < 3; ++i)
        velocity[i] += drags->fixed[i];
}

static INLINE void push_along(const PalRowGroup *group, const PalFifthGroup *fifths,
                              PalLanes *scaled, const PalLanes impulse[3])
{
    PalLanes parts[4];
    transpose_back(impulse, parts);
    for (int i = 0; i < PAL_LANES; ++i)
        for (int k = 0; k < 4; ++k)
            scaled[group->vertices[i][k]] += parts[i] * group->along[i][k];
    for (int i = 0; i < PAL_LANES && group->wide; ++i)
        scaled[fifths->vertices[i]] += parts[i] * fifths->along[i];
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
static INLINE PalLanes relax(PalRowGroup *group, const PalFifthGroup *fifths, PalLanes *scaled)
{
    PalLanes old = group->impulse;
    group->impulse =
        larger(old - (rates(group, fifths, scaled) - group->bias) * group->inverse, none);
    PalLanes change = group->impulse - old;
    push(group, fifths, scaled, change);
    change *= group->response;
    return larger(change, -change);
}

// First along the normal, then across with what that has changed.
static INLINE PalLanes relax_rough(PalRowGroup *group, const PalFifthGroup *fifths,
                                   PalDragGroup *drags, PalLanes *scaled)
{
    const PalLanes one = {1, 1, 1, 1}, tiny = {1e-300, 1e-300, 1e-300, 1e-300};
    PalLanes velocity[3], change[3], drag[3], old = group->impulse;
    velocities(group, fifths, drags, scaled, velocity);
    PalLanes rate = dot(drags->normal, velocity);
    group->impulse = larger(old - (rate - group->bias) * group->inverse, none);
    PalLanes more = group->impulse - old;
    for (int i = 0; i < 3; ++i)
        velocity[i] += drags->give[i] * drags->normal[i] * more;
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
    push_along(group, fifths, scaled, change);
    more *= group->response;
    return larger(more * more, slid);  // squared
}

static INLINE Turn sweep(PalLagrange *lagrange)
{
    PalLanes worst = none, size = none;
    for (int32_t g = 0; g < lagrange->group_count; ++g) {
        PalRowGroup *group = &lagrange->groups[g];
        worst = larger(worst, relax(group, &lagrange->fifths[g], lagrange->scaled));
        PalLanes change = group->impulse - group->before;
        size += change * change * group->response;
    }
    return (Turn){largest(worst), sum(size)};
}

static INLINE Turn sweep_rough(PalLagrange *lagrange)
{
    PalLanes worst = none, size = none;
    for (int32_t g = 0; g < lagrange->group_count; ++g) {
        PalRowGroup *group = &lagrange->groups[g];
        PalDragGroup *drags = &lagrange->drags[g];
        worst = larger(worst, relax_rough(group, &lagrange->fifths[g], drags, lagrange->scaled));
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
// Velocities are linear in the impulses, so that each vertex goes on by itself.
static INLINE void go_on_rows(PalLagrange *lagrange, double keep, bool rough)
{
    for (int32_t g = 0; g < lagrange->group_count; ++g) {
        PalRowGroup *group = &lagrange->groups[g];
        PalDragGroup *drags = &lagrange->drags[g];
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

static INLINE void go_on(PalLagrange *lagrange, double keep, bool rough)
{
    go_on_rows(lagrange, keep, rough);
    for (int32_t i = 0; i < lagrange->touched_count; ++i) {
        int32_t v = lagrange->touched[i];
        PalLanes now = lagrange->scaled[v], more = keep * lagrange->scaled_ahead[v];
        lagrange->scaled_ahead[v] = now - lagrange->scaled_before[v] + more;
        lagrange->scaled[v] = lagrange->scaled_before[v] = now + more;
    }
}

// ---- beginning --------------------------------------------------------------------------

// What the last step's impulses would do to velocities, and to the dual function.
static INLINE double push_old(PalLagrange *lagrange, bool rough)
{
    PalLanes slope = none;
    for (int32_t g = 0; g < lagrange->group_count; ++g) {
        const PalRowGroup *group = &lagrange->groups[g];
        const PalFifthGroup *fifths = &lagrange->fifths[g];
        if (!rough) {
            slope += group->impulse * (rates(group, fifths, lagrange->scaled) - group->bias);
            push(group, fifths, lagrange->scaled_ahead, group->impulse);
            continue;
        }
        PalLanes velocity[3], impulse[3];
        velocities(group, fifths, &lagrange->drags[g], lagrange->scaled, velocity);
        whole(group, &lagrange->drags[g], impulse);
        slope += dot(impulse, velocity) - group->impulse * group->bias;
        push_along(group, fifths, lagrange->scaled_ahead, impulse);
    }
    return sum(slope);
}

// How much of the last step's impulses p to start with: with rates J v, W = J M^-1 J^T and least
// rates c, the multiple s for which p . (J v + s W p - c) = 0. The dual function p . (c - J v) s -
// s^2 p . W p / 2 is then at least 0, and sweeps only raise it: contact adds no energy (but where
// it wins back a lost separation), however early the sweeps end.
static INLINE void warm_up(PalLagrange *lagrange, bool rough)
{
    PalLanes *scaled = lagrange->scaled, *ahead = lagrange->scaled_ahead, bend = none;
    double slope = push_old(lagrange, rough);
    for (int32_t i = 0; i < lagrange->touched_count; ++i)
        bend += ahead[lagrange->touched[i]] * ahead[lagrange->touched[i]];
    double share = sum(bend) > 0 ? pal_max(0, -slope / sum(bend)) : 0;
    for (int32_t i = 0; i < lagrange->touched_count; ++i) {
        int32_t v = lagrange->touched[i];
        lagrange->scaled_before[v] = scaled[v] = scaled[v] + share * ahead[v];
        ahead[v] = none;
    }
    for (int32_t g = 0; g < lagrange->group_count; ++g) {
        PalRowGroup *group = &lagrange->groups[g];
        PalDragGroup *drags = &lagrange->drags[g];
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

PAL_CLONES static void solve_smooth(const PalContact *contact, PalLagrange *lagrange,
                                    double tolerance)
{
    scale_vertices(contact, lagrange);
    group_rows(contact, lagrange, false);
    warm_up(lagrange, false);
    double last = INFINITY;
    for (int32_t i = 1;; ++i) {
        Turn turn = sweep(lagrange);
        if (turn.worst <= tolerance || i >= TURNS)
            break;
        go_on(lagrange, turn.size < last ? turn.size / last : 0, false);
        last = turn.size;
    }
    scale_back(contact, lagrange, false);
}

PAL_CLONES static void solve_rough(const PalContact *contact, PalLagrange *lagrange,
                                   double tolerance)
{
    scale_vertices(contact, lagrange);
    group_rows(contact, lagrange, true);
    warm_up(lagrange, true);
    double last = INFINITY;
    for (int32_t i = 1;; ++i) {
        Turn turn = sweep_rough(lagrange);
        double enough = i >= MANY ? ENOUGH * tolerance : tolerance;
        if (turn.worst <= enough || i >= TURNS)
            break;
        go_on(lagrange, turn.size < last ? turn.size / last : 0, true);
        last = turn.size;
    }
    scale_back(contact, lagrange, true);
}

void pal_lagrange_take_turns(const PalContact *contact, PalLagrange *lagrange, double tolerance)
{
    bool rough = false;
    for (int32_t r = 0; r < lagrange->row_count; ++r)
        rough = rough || lagrange->rows[r].friction > 0;
    if (rough)
        solve_rough(contact, lagrange, tolerance);
    else
        solve_smooth(contact, lagrange, tolerance);
}
