// A vertex of one smooth surface over a corner or an edge of another: the way between the two turns
// by as much as the surface bends there, over the width of the separation, and what is pressed
// together throws itself sideways. Here the normal turns from that of the facet to that of the
// vertex over many separations. The foot lies along it, so that impulses keep momentum and its
// moment. docs/theory/contact.md
#include "contact/gap/smooth.h"

#include "contact/gap/account.h"
#include "math/range.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define SMOOTH  0.85        // cosine: facets around a vertex that turn less from its normal
#define ALONG   (1 - 5e-7)  // cosine: ways that turn by less than 0.001 are along the normal
#define OUTSIDE 0.1         // weight: how far beside a facet or an edge a foot may lie
#define WIDTH   20          // separations from a corner: normals turn within
#define FADE    4           // separations: skins so much thicker than one have all of their normal
#define BENT    0.3         // so much may be pressed flat until facets tell as well
#define FLAT    0.7         // and from here on they alone do

#define MOST_AREAS 12  // of facets around a vertex, that are kept while its normal is found

static PalVec3 start_of(PalContactSurface *surface, int32_t vertex)
{
    pal_contact_surface_need(surface, vertex);
    return surface->start[vertex];
}

static PalVec3 area_of(PalContactSurface *surface, int32_t facet)
{
    const int32_t *v = surface->facets[facet];
    PalVec3 origin = start_of(surface, v[0]);
    return pal_vec3_cross(pal_vec3_sub(start_of(surface, v[1]), origin),
                          pal_vec3_sub(start_of(surface, v[2]), origin));
}

// Max 1999: cross products over the squares of both edges, which is exact on a sphere.
static PalVec3 make_normal(PalContactSurface *surface, int32_t vertex)
{
    const PalLists *around = &surface->vertex_facets;
    const int32_t *facets = around->items + around->start[vertex];
    int32_t count = around->start[vertex + 1] - around->start[vertex];
    PalVec3 sum = {0, 0, 0}, origin = start_of(surface, vertex), areas[MOST_AREAS];
    for (int32_t i = 0; i < count; ++i) {
        const int32_t *v = surface->facets[facets[i]];
        int k = v[0] == vertex ? 0 : v[1] == vertex ? 1 : 2;
        PalVec3 a = pal_vec3_sub(start_of(surface, v[(k + 1) % 3]), origin);
        PalVec3 b = pal_vec3_sub(start_of(surface, v[(k + 2) % 3]), origin);
        double squares = pal_vec3_dot(a, a) * pal_vec3_dot(b, b);
        PalVec3 area = pal_vec3_cross(a, b);
        if (squares > 0)
            sum = pal_vec3_add_scaled(sum, 1 / squares, area);
        if (i < MOST_AREAS)
            areas[i] = area;
    }
    PalVec3 normal = pal_vec3_normalise(sum);
    double flattest = 1;
    for (int32_t i = 0; i < count; ++i) {
        PalVec3 area = i < MOST_AREAS ? areas[i] : area_of(surface, facets[i]);
        double along = pal_vec3_dot(normal, area), square = pal_vec3_dot(area, area);
        if (along < 0 || along * along < flattest * flattest * square)
            flattest = pal_min(flattest, along / sqrt(square));
    }
    surface->bend[vertex] = 1 - flattest;
    return flattest < SMOOTH ? (PalVec3){0, 0, 0} : normal;
}

static void find_normal(PalContactSurface *surface, int32_t vertex)
{
    int64_t *made = &surface->normal_stamp[vertex];
    if (surface->shared && !pal_claim_to_make(made, surface->stamp))
        return;
    surface->normal[vertex] = make_normal(surface, vertex);
    pal_say_made(made, surface->stamp);
}

// Zero where the surface is sharp.
static inline __attribute__((always_inline)) PalVec3 normal_at(PalContactSurface *surface,
                                                               int32_t vertex)
{
    if (!pal_is_made(&surface->normal_stamp[vertex], surface->stamp))
        find_normal(surface, vertex);
    return surface->normal[vertex];
}

static bool is_zero(PalVec3 a)
{
    return a.x == 0 && a.y == 0 && a.z == 0;
}

// The gap is along the normal now, but the surface stays inclined: its height above that, along n,
// is m . (p - q) with m = across / (across . n).
static void incline(PalGap *gap, PalVec3 across, PalVec3 normal, double height)
{
    gap->normal = normal;
    gap->along = height;
    gap->sloped = true;
    gap->slope = pal_vec3_sub(pal_vec3_scale(1 / pal_vec3_dot(across, normal), across), normal);
}

// Less where smooth normals have given energy to the two objects.
static double trust_in(const PalClosestRule *rule, const PalGap *gap)
{
    const int32_t *object = rule->surface->vertex_object, *v = gap->vertices;
    return rule->skin != NULL ? pal_account_trust(rule->skin, object[v[0]], object[v[3]]) : 1;
}

// ---- skin -------------------------------------------------------------------------------

// A thick skin has its normal everywhere, unless one of the two sides is pressed so flat that
// facets tell better.
static double share_of_skin(const PalClosestRule *rule, double thickness, const PalGap *gap)
{
    int split = pal_kind_split(gap->kind);
    double weights[4];
    for (int k = 0; k < 4; ++k)
        weights[k] = pal_gap_share(gap, k);
    double share = pal_max(0, pal_min(1, (thickness / rule->separation - 1) / FADE));
    if (share == 0)
        return 0;
    double above = pal_skin_flattened(rule->skin, split, gap->vertices, weights);
    double below =
        pal_skin_flattened(rule->skin, 4 - split, gap->vertices + split, weights + split);
    return share * pal_max(0, pal_min(1, (FLAT - pal_max(above, below)) / (FLAT - BENT)));
}

// Are skins thicker than the separation anywhere on the two sides? Most are not, or have none.
static bool may_have_skin(const PalClosestRule *rule, const PalGap *gap)
{
    const double *t = rule->skin->thickness;
    const int32_t *v = gap->vertices;
    bool facet = gap->kind == PAL_CONTACT_NODE_FACET;
    double above = facet ? t[v[0]] : pal_max(t[v[0]], t[v[1]]), below = pal_max(t[v[2]], t[v[3]]);
    below = facet ? pal_max(t[v[1]], below) : below;
    return (1 + 1e-9) * pal_skin_together(above, below) > rule->separation;
}

// Of two points that touch, `above` on the first side: the mean of the normals at which neither of
// two surfaces of these curvatures is nearer beside.
static PalVec3 between_skins(PalVec3 above, double above_curvature, PalVec3 below,
                             double below_curvature)
{
    double sum = above_curvature + below_curvature;
    double share = sum > 0 ? pal_max(0, pal_min(1, above_curvature / sum)) : 0.5;
    return pal_vec3_normalise(pal_vec3_sub(pal_vec3_scale(share, pal_vec3_normalise(below)),
                                           pal_vec3_scale(1 - share, pal_vec3_normalise(above))));
}

void pal_gap_add_skin(const PalClosestRule *rule, PalGap *gap)
{
    const PalSkin *skin = rule->skin;
    if (!may_have_skin(rule, gap))
        return;
    double weights[3] = {-gap->weights[1], -gap->weights[2], -gap->weights[3]};
    PalSkinPoint above = pal_skin_at(skin, 1, gap->vertices, (double[]){1});
    PalSkinPoint below = pal_skin_at(skin, 3, gap->vertices + 1, weights);
    double thickness = pal_skin_together(above.thickness, below.thickness);
    if (!above.smooth || !below.smooth || above.object == below.object ||
        !(thickness > rule->separation))
        return;
    gap->strength = pal_skin_strength(skin, above.object, below.object, thickness);
    gap->skin = gap->strength > 0 ? thickness : 0;
}

// ---- vertex and facet ---------------------------------------------------------------------

// How much of the normal is that of the vertices: all at a corner.
static double share_near(const PalClosestRule *rule, const PalGap *gap)
{
    const PalVec3 *x = rule->surface->start;
    const int32_t *v = gap->vertices + 1;
    PalVec3 foot = pal_vec3_sub(x[gap->vertices[0]], gap->apart);
    double nearest = INFINITY, width = WIDTH * rule->separation;
    for (int k = 0; k < 3; ++k) {
        PalVec3 arm = pal_vec3_sub(foot, x[v[k]]);
        nearest = pal_min(nearest, pal_vec3_dot(arm, arm));
    }
    return nearest < width * width ? 1 - sqrt(nearest) / width : 0;
}

// Of two surfaces that touch, the one that bends less says more about where the normal points.
static PalVec3 between(PalVec3 below, double bend_below, PalVec3 above, double bend_above)
{
    double sum = bend_below + bend_above, share = sum > 0 ? bend_above / sum : 0.5;
    return pal_vec3_normalise(
        pal_vec3_sub(pal_vec3_scale(share, below), pal_vec3_scale(1 - share, above)));
}

// The continuous normal at the foot, of skins.
static PalVec3 blend_skins(const PalClosestRule *rule, const PalGap *gap)
{
    PalSkin *skin = rule->skin;
    double weights[3] = {-gap->weights[1], -gap->weights[2], -gap->weights[3]};
    return between_skins(pal_skin_normal(skin, gap->vertices[0]), skin->curvature[gap->vertices[0]],
                         pal_skin_normal_at(skin, 3, gap->vertices + 1, weights),
                         pal_skin_at(skin, 3, gap->vertices + 1, weights).curvature);
}

// The continuous normal at the foot. Sharp corners have that of the facet. Corners without weight
// add nothing, and a normal takes long to find.
static PalVec3 blend(PalContactSurface *surface, const PalGap *gap)
{
    PalVec3 sum = {0, 0, 0};
    double bend = 0;
    for (int k = 1; k < 4; ++k) {
        if (gap->weights[k] == 0)
            continue;
        PalVec3 corner = normal_at(surface, gap->vertices[k]);
        bool sharp = is_zero(corner);
        sum = pal_vec3_add_scaled(sum, -gap->weights[k], sharp ? gap->normal : corner);
        bend -= sharp ? 0 : gap->weights[k] * surface->bend[gap->vertices[k]];
    }
    PalVec3 own = normal_at(surface, gap->vertices[0]), smooth = pal_vec3_normalise(sum);
    if (!is_zero(own))
        smooth = between(smooth, bend, own, surface->bend[gap->vertices[0]]);
    return smooth;
}

// The foot of a point on a facet's plane, along a direction: its height above that, and the
// weights. The least weight.
static double foot_on(PalContactSurface *surface, int32_t facet, PalVec3 point, PalVec3 along,
                      double *height, double weights[3])
{
    const int32_t *v = surface->facets[facet];
    PalVec3 area = area_of(surface, facet), origin = surface->start[v[0]];
    double square = pal_vec3_dot(area, area);
    *height = pal_vec3_dot(area, pal_vec3_sub(point, origin)) / pal_vec3_dot(area, along);
    PalVec3 foot = pal_vec3_sub(pal_vec3_add_scaled(point, -*height, along), origin);
    PalVec3 a = pal_vec3_sub(surface->start[v[1]], origin);
    PalVec3 b = pal_vec3_sub(surface->start[v[2]], origin);
    weights[1] = pal_vec3_dot(area, pal_vec3_cross(foot, b)) / square;
    weights[2] = pal_vec3_dot(area, pal_vec3_cross(a, foot)) / square;
    weights[0] = 1 - weights[1] - weights[2];
    return pal_min(weights[0], pal_min(weights[1], weights[2]));
}

void pal_gap_smoothen_facet(const PalClosestRule *rule, const int32_t *around, int32_t count,
                            PalGap *gap)
{
    PalContactSurface *surface = rule->surface;
    double of_skin = gap->skin > 0 ? share_of_skin(rule, gap->skin, gap) : 0;
    double share = pal_max(share_near(rule, gap), of_skin);
    share *= share > 0 ? trust_in(rule, gap) : 0;
    if (share == 0)
        return;
    PalVec3 smooth = of_skin > 0 ? blend_skins(rule, gap) : blend(surface, gap);
    PalVec3 normal = pal_vec3_normalise(
        pal_vec3_add_scaled(gap->normal, share, pal_vec3_sub(smooth, gap->normal)));
    double turn = pal_vec3_dot(normal, gap->normal);
    if (!(turn < ALONG) || turn < SMOOTH)
        return;
    double best = -INFINITY, height = 0, weights[3] = {0, 0, 0};
    int32_t chosen = PAL_NONE;
    for (int32_t i = 0; i < count; ++i) {
        double h, w[3];
        if (around[i] == PAL_NONE)
            continue;
        double least = foot_on(surface, around[i], surface->start[gap->vertices[0]], normal, &h, w);
        if (least > best) {
            best = least;
            chosen = around[i];
            height = h;
            memcpy(weights, w, sizeof weights);
        }
    }
    if (!(best > -OUTSIDE) || !(height >= PAL_GAP_BESIDE * gap->distance))
        return;
    for (int k = 0; k < 3; ++k) {
        gap->vertices[k + 1] = surface->facets[chosen][k];
        gap->weights[k + 1] = -weights[k];
    }
    incline(gap, area_of(surface, chosen), normal, height);
}

// ---- two edges ------------------------------------------------------------------------------

// How much of the normal is that of the vertices, at a point of an edge: all at an end.
static double share_along(const PalClosestRule *rule, const int32_t ends[2], double along)
{
    const PalVec3 *x = rule->surface->start;
    double length = pal_vec3_distance(x[ends[0]], x[ends[1]]);
    double nearest = pal_min(along, 1 - along) * length / (WIDTH * rule->separation);
    return nearest < 1 ? 1 - nearest : 0;
}

// Of one edge, at a point of it; zero if an end is sharp.
static PalVec3 edge_normal(PalContactSurface *surface, const int32_t ends[2], double along,
                           double *bend)
{
    PalVec3 a = normal_at(surface, ends[0]);
    if (is_zero(a))
        return a;
    PalVec3 b = normal_at(surface, ends[1]);
    if (is_zero(b))
        return b;
    *bend = (1 - along) * surface->bend[ends[0]] + along * surface->bend[ends[1]];
    return pal_vec3_normalise(pal_vec3_add_scaled(a, along, pal_vec3_sub(b, a)));
}

// Of both, and how much of it to take.
static PalVec3 normal_of_edges(const PalClosestRule *rule, const PalGap *gap, double *share)
{
    const int32_t *v = gap->vertices;
    const double *w = gap->weights, below_weights[2] = {-w[2], -w[3]};
    *share = pal_max(share_along(rule, v, w[1]), share_along(rule, v + 2, -w[3]));
    if (rule->skin != NULL && may_have_skin(rule, gap)) {
        PalSkinPoint above = pal_skin_at(rule->skin, 2, v, w);
        PalSkinPoint below = pal_skin_at(rule->skin, 2, v + 2, below_weights);
        double of_skin =
            above.smooth && below.smooth && above.object != below.object
                ? share_of_skin(rule, pal_skin_together(above.thickness, below.thickness), gap)
                : 0;
        if (of_skin > 0) {
            *share = pal_max(*share, of_skin);
            return between_skins(pal_skin_normal_at(rule->skin, 2, v, w), above.curvature,
                                 pal_skin_normal_at(rule->skin, 2, v + 2, below_weights),
                                 below.curvature);
        }
    }
    if (*share == 0)
        return gap->normal;
    double bends[2] = {0, 0};
    PalVec3 above = edge_normal(rule->surface, v, w[1], &bends[0]), below = above;
    if (!is_zero(above))
        below = edge_normal(rule->surface, v + 2, -w[3], &bends[1]);
    if (is_zero(below))
        *share = 0;
    return *share > 0 ? between(below, bends[1], above, bends[0]) : gap->normal;
}

// p - q = height n, with p on the line of one edge and q on that of the other.
void pal_gap_smoothen_edges(const PalClosestRule *rule, PalGap *gap)
{
    PalContactSurface *surface = rule->surface;
    const int32_t *v = gap->vertices;
    double share;
    PalVec3 smooth = normal_of_edges(rule, gap, &share);
    share *= share > 0 ? trust_in(rule, gap) : 0;
    if (share == 0)
        return;
    PalVec3 normal = pal_vec3_normalise(
        pal_vec3_add_scaled(gap->normal, share, pal_vec3_sub(smooth, gap->normal)));
    double turn = pal_vec3_dot(normal, gap->normal);
    if (!(turn < ALONG) || turn < SMOOTH)
        return;
    const PalVec3 *x = surface->start;
    PalVec3 a = pal_vec3_sub(x[v[1]], x[v[0]]), b = pal_vec3_sub(x[v[3]], x[v[2]]);
    PalVec3 apart = pal_vec3_sub(x[v[0]], x[v[2]]), cross = pal_vec3_cross(a, b);
    double height = pal_vec3_dot(cross, apart) / pal_vec3_dot(cross, normal);
    double square = pal_vec3_dot(cross, cross);
    PalVec3 rest = pal_vec3_sub(pal_vec3_scale(height, normal), apart);
    double s = pal_vec3_dot(pal_vec3_cross(rest, b), cross) / square;
    double t = pal_vec3_dot(pal_vec3_cross(rest, a), cross) / square;
    if (!(fabs(s - 0.5) < 0.5 + OUTSIDE && fabs(t - 0.5) < 0.5 + OUTSIDE) ||
        !(height >= gap->distance))
        return;
    gap->weights[0] = 1 - s;
    gap->weights[1] = s;
    gap->weights[2] = t - 1;
    gap->weights[3] = -t;
    incline(gap, cross, normal, height);
}
