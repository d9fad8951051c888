// Tangents of thin bodies: the forces of shell_body.h, differentiated line by line along each
// component of its corners.   docs/theory/membranes.md
#include "element/patch.h"
#include "element/shell.h"
#include "element/shell_vectors.h"

#include <string.h>

enum { CORNERS = PAL_PATCH_NODES, SIZE = 3 * CORNERS };

// A shape, and what stays the same for all directions.
typedef struct Shape {
    const PalShellBatch *batch;
    PalShellNow now;
    PalLanes D[3][3];  // dS/de
    PalLanes length;   // twice the area
    double poisson;
    double left;  // of moments, where they relax
    bool bends;
} Shape;

// What changes along a direction.
typedef struct Change {
    PalLanes edge[CORNERS - 1][3];  // from corner 0 to the others
    PalLanes p[3][3], q[3][3];
    PalLanes phi[3][2][3];
    PalLanes S[3], moment[3];
    PalLanes normal[3], length;
    PalLanes h[3][3];
} Change;

// One component of a corner moves by 1.
static void move_sides(const Shape *shape, int component, Change *d)
{
    const PalShellBatch *batch = shape->batch;
    const int corner = component / 3, axis = component % 3;
    memset(d, 0, sizeof *d);
    for (int k = 0; k < CORNERS - 1; ++k)
        if (corner == 0 || corner == k + 1)
            d->edge[k][axis] = pal_lanes_all(corner == 0 ? -1.0 : 1.0);
    for (int i = 0; i < 3; ++i) {
        d->p[0][i] = d->edge[1][i] - d->edge[0][i];
        d->p[1][i] = -d->edge[1][i];
        d->p[2][i] = d->edge[0][i];
        d->q[0][i] = d->edge[2][i];
        d->q[1][i] = d->edge[3][i] - d->edge[0][i];
        d->q[2][i] = d->edge[4][i] - d->edge[1][i];
    }
    for (int s = 0; s < 3 && batch->mirrored[0] != 0; ++s)
        pal_shell_reflect(batch->mirror[s], d->q[s]);
}

// Strains and stresses.
static void change_stretch(const Shape *shape, Change *d)
{
    const PalShellBatch *batch = shape->batch;
    const PalShellNow *now = &shape->now;
    PalLanes e[3] = {{0}};
    for (int s = 0; s < 3; ++s) {
        for (int a = 0; a < 2; ++a)
            for (int i = 0; i < 3; ++i)
                d->phi[s][a][i] = batch->c[s][0][a] * d->p[s][i] + batch->c[s][1][a] * d->q[s][i];
        e[0] += 2.0 / 3.0 * pal_shell_dot(now->phi[s][0], d->phi[s][0]);
        e[1] += 2.0 / 3.0 * pal_shell_dot(now->phi[s][1], d->phi[s][1]);
        e[2] += 1.0 / 3.0 *
                (pal_shell_dot(now->phi[s][0], d->phi[s][1]) +
                 pal_shell_dot(d->phi[s][0], now->phi[s][1]));
    }
    for (int k = 0; k < 3; ++k)
        d->S[k] = shape->D[k][0] * e[0] + shape->D[k][1] * e[1] + shape->D[k][2] * e[2];
}

// Normal, second derivatives and moments.
static void change_bend(const Shape *shape, Change *d)
{
    const PalShellBatch *batch = shape->batch;
    const PalShellNow *now = &shape->now;
    PalLanes first[3], second[3], moved[3], bend[3];
    pal_shell_cross(d->edge[0], now->edge[1], first);
    pal_shell_cross(now->edge[0], d->edge[1], second);
    for (int i = 0; i < 3; ++i)
        moved[i] = first[i] + second[i];
    d->length = pal_shell_dot(now->normal, moved);
    for (int i = 0; i < 3; ++i)
        d->normal[i] = (moved[i] - d->length * now->normal[i]) / shape->length;
    for (int i = 0; i < 3; ++i)
        for (int s = 0; s < 3; ++s) {
            d->h[0][i] -= 2.0 * batch->g[s][0] * d->phi[s][0][i];
            d->h[1][i] -= 2.0 * batch->g[s][1] * d->phi[s][1][i];
            d->h[2][i] -= batch->g[s][0] * d->phi[s][1][i] + batch->g[s][1] * d->phi[s][0][i];
        }
    for (int k = 0; k < 3 && batch->is_wide[0] != 0; ++k)
        for (int a = 0; a < CORNERS - 1; ++a)
            for (int i = 0; i < 3; ++i)
                d->h[k][i] += batch->wide[k][a] * d->edge[a][i];
    for (int k = 0; k < 3; ++k)
        bend[k] = pal_shell_dot(d->normal, now->h[k]) + pal_shell_dot(now->normal, d->h[k]);
    PalLanes stiff = shape->left * batch->bend;
    d->moment[0] = stiff * (bend[0] + shape->poisson * bend[1]);
    d->moment[1] = stiff * (bend[1] + shape->poisson * bend[0]);
    d->moment[2] = stiff * ((1.0 - shape->poisson) * bend[2]);
}

// What moments do along the sides.
static void pull_sides(const Shape *shape, const Change *d, PalLanes T[3][2][3])
{
    const PalLanes *m = shape->now.moment, *dm = d->moment;
    for (int s = 0; s < 3; ++s) {
        const PalLanes *g = shape->batch->g[s];
        const PalLanes along[2] = {-2.0 * (m[0] * g[0] + m[2] * g[1]),
                                   -2.0 * (m[2] * g[0] + m[1] * g[1])};
        const PalLanes more[2] = {-2.0 * (dm[0] * g[0] + dm[2] * g[1]),
                                  -2.0 * (dm[2] * g[0] + dm[1] * g[1])};
        for (int a = 0; a < 2; ++a)
            for (int i = 0; i < 3; ++i)
                T[s][a][i] += more[a] * shape->now.normal[i] + along[a] * d->normal[i];
    }
}

// What they do through the edges that turn the normal: f = - sum . dual / length along the normal.
static void pull_edges(const Shape *shape, const Change *d, PalLanes pull[2][3])
{
    const PalShellNow *now = &shape->now;
    const PalLanes *m = now->moment, *dm = d->moment;
    PalLanes sum[3], dsum[3], dual[2][3], ddual[2][3], part[3];
    for (int i = 0; i < 3; ++i) {
        sum[i] = m[0] * now->h[0][i] + m[1] * now->h[1][i] + 2.0 * m[2] * now->h[2][i];
        dsum[i] = dm[0] * now->h[0][i] + dm[1] * now->h[1][i] + 2.0 * dm[2] * now->h[2][i] +
                  m[0] * d->h[0][i] + m[1] * d->h[1][i] + 2.0 * m[2] * d->h[2][i];
    }
    pal_shell_cross(now->edge[1], now->normal, dual[0]);
    pal_shell_cross(now->normal, now->edge[0], dual[1]);
    pal_shell_cross(d->edge[1], now->normal, ddual[0]);
    pal_shell_cross(now->edge[1], d->normal, part);
    for (int i = 0; i < 3; ++i)
        ddual[0][i] += part[i];
    pal_shell_cross(d->normal, now->edge[0], ddual[1]);
    pal_shell_cross(now->normal, d->edge[0], part);
    for (int i = 0; i < 3; ++i)
        ddual[1][i] += part[i];
    for (int k = 0; k < 2; ++k) {
        PalLanes f = -pal_shell_dot(sum, dual[k]) / shape->length;
        PalLanes df =
            -(pal_shell_dot(dsum, dual[k]) + pal_shell_dot(sum, ddual[k]) + f * d->length) /
            shape->length;
        for (int i = 0; i < 3; ++i)
            pull[k][i] = df * now->normal[i] + f * d->normal[i];
    }
}

// Forces of what makes second derivatives exact: all along the normal.
static void pull_wide(const Shape *shape, const Change *d, PalLanes f[CORNERS][3])
{
    const PalLanes *m = shape->now.moment, *dm = d->moment;
    for (int a = 0; a < CORNERS - 1; ++a) {
        const PalLanes w[3] = {shape->batch->wide[0][a], shape->batch->wide[1][a],
                               shape->batch->wide[2][a]};
        PalLanes along = m[0] * w[0] + m[1] * w[1] + 2.0 * m[2] * w[2];
        PalLanes more = dm[0] * w[0] + dm[1] * w[1] + 2.0 * dm[2] * w[2];
        for (int i = 0; i < 3; ++i) {
            PalLanes change = more * shape->now.normal[i] + along * d->normal[i];
            f[a + 1][i] -= change;
            f[0][i] += change;
        }
    }
}

// Column of K: minus the change of the forces.
static void fill_column(const Shape *shape, int component, PalLanes *K)
{
    const PalShellBatch *batch = shape->batch;
    const PalShellNow *now = &shape->now;
    PalLanes T[3][2][3], P[3][3], Q[3][3], pull[2][3] = {{{0}}}, f[CORNERS][3] = {{{0}}};
    Change d;
    move_sides(shape, component, &d);
    change_stretch(shape, &d);
    for (int s = 0; s < 3; ++s)
        for (int i = 0; i < 3; ++i) {
            const PalLanes third = (1.0 / 3.0) * batch->V;
            T[s][0][i] = third * (d.S[0] * now->phi[s][0][i] + d.S[2] * now->phi[s][1][i] +
                                  now->S[0] * d.phi[s][0][i] + now->S[2] * d.phi[s][1][i]);
            T[s][1][i] = third * (d.S[2] * now->phi[s][0][i] + d.S[1] * now->phi[s][1][i] +
                                  now->S[2] * d.phi[s][0][i] + now->S[1] * d.phi[s][1][i]);
        }
    if (shape->bends) {
        change_bend(shape, &d);
        pull_sides(shape, &d, T);
        pull_edges(shape, &d, pull);
    }
    for (int s = 0; s < 3; ++s) {
        for (int i = 0; i < 3; ++i) {
            P[s][i] = batch->c[s][0][0] * T[s][0][i] + batch->c[s][0][1] * T[s][1][i];
            Q[s][i] = batch->c[s][1][0] * T[s][0][i] + batch->c[s][1][1] * T[s][1][i];
        }
        if (batch->mirrored[0] != 0)
            pal_shell_reflect(batch->mirror[s], Q[s]);
    }
    for (int i = 0; i < 3; ++i) {
        f[1][i] = P[0][i] + Q[1][i] - P[2][i] - pull[0][i];
        f[2][i] = P[1][i] + Q[2][i] - P[0][i] - pull[1][i];
        for (int s = 0; s < 3; ++s)
            f[3 + s][i] = -Q[s][i];
        f[0][i] = -(f[1][i] + f[2][i] + f[3][i] + f[4][i] + f[5][i]);
    }
    if (shape->bends && batch->is_wide[0] != 0)
        pull_wide(shape, &d, f);
    for (int r = 0; r < SIZE; ++r)
        K[r * SIZE + component] = -f[r / 3][r % 3];
}

// Adds lane l of row or column `from` to `to`.
static void fold(PalLanes *K, int from, int to, int32_t l)
{
    for (int k = 0; k < SIZE; ++k) {
        K[to * SIZE + k][l] += K[from * SIZE + k][l];
        K[from * SIZE + k][l] = 0;
    }
    for (int k = 0; k < SIZE; ++k) {
        K[k * SIZE + to][l] += K[k * SIZE + from][l];
        K[k * SIZE + from][l] = 0;
    }
}

// Where the surface ends, a corner is there twice; an element has each pair of nodes once.
static void fold_twins(const PalShellBatch *batch, PalLanes *K)
{
    for (int a = 3; a < CORNERS; ++a)
        for (int b = 0; b < a; ++b)
            for (int32_t l = 0; l < PAL_LANES; ++l)
                for (int i = 0; batch->corner[a][l] == batch->corner[b][l] && i < 3; ++i)
                    fold(K, 3 * a + i, 3 * b + i, l);
}

void pal_shell_tangent(const PalBatch *batch, PalLanes *K)
{
    const PalPart *part = batch->part;
    const bool relaxes = part->history_batch > 0 && batch->history != NULL;
    double after[PAL_SHELL_HISTORY_MAX];
    PalShellWork work = {.part = part,
                         .prony = batch->prony,
                         .displacement = batch->displacement,
                         .before = relaxes ? batch->history : NULL,
                         .after = relaxes ? after : NULL};
    Shape shape = {.batch = batch->data, .bends = part->type->traits.bends, .left = 1};
    pal_patch_bending(&part->material, part->thickness, &work.poisson);
    shape.poisson = work.poisson;
    pal_shell_kernels()->now(&work, batch->data, &shape.now);
    pal_shell_kernels()->slopes(&work, &shape.now, shape.D);
    for (int32_t k = 0; relaxes && batch->prony->moves && k < batch->prony->isochoric_count; ++k)
        shape.left -= batch->prony->isochoric[k].now;
    PalLanes length = pal_lanes_sqrt(shape.now.n2);
    shape.length = pal_lanes_select((PalLanesInt)(length > 0.0), length, pal_lanes_all(1.0));
    for (int c = 0; c < SIZE; ++c)
        fill_column(&shape, c, K);
    fold_twins(batch->data, K);
}
