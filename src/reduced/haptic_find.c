// Clusters of points are visited coarse to fine. The field at rest, less how far the other body can
// have moved, excludes most; the rest walk over the deformed surface, from facet to facet, to the
// place that is next to them.
#include "reduced/haptic_find.h"

#include "base/assert.h"
#include "geometry/closest.h"
#include <math.h>

#define LEAST_VISITED 64  // points of a search, however short time is
#define WALK_MAX      40
#define JUMP          0.05  // of an edge
#define ROUNDING      1e-3  // of an edge: gaps differ by less while nothing moves
#define CREASE_BAND   0.15  // of a facet's height
#define SHARP_BAND    0.3   // the same at sharp edges
#define EDGE_BAND     0.2   // of an edge, at its ends
#define COARSE        127   // clusters

typedef struct Foot {
    int32_t facet;
    double weights[3];
    PalFeature feature;
    PalVec3 offset;  // from the surface to the point
    double distance;
} Foot;

static void try_facet(PalHapticShape *shape, PalVec3 point, int32_t facet, Foot *best)
{
    const int32_t *v = shape->body->facets[facet];
    PalVec3 corners[3] = {pal_haptic_position(shape, v[0]), pal_haptic_position(shape, v[1]),
                          pal_haptic_position(shape, v[2])};
    Foot found = {.facet = facet};
    found.distance = pal_closest_on_triangle(point, corners, found.weights, &found.feature);
    if (!(found.distance < best->distance))
        return;
    for (int a = 0; a < 3; ++a)
        found.offset =
            pal_vec3_add_scaled(found.offset, found.weights[a], pal_vec3_sub(point, corners[a]));
    *best = found;
}

// From facet to facet around the corners that are nearest, as long as it gets nearer.
static Foot walk(PalHapticShape *shape, PalVec3 point, int32_t facet)
{
    const PalHapticBody *body = shape->body;
    Foot best = {.facet = PAL_NONE, .distance = INFINITY};
    try_facet(shape, point, facet, &best);
    if (best.facet == PAL_NONE)  // a number is missing
        return best;
    for (int step = 0; step < WALK_MAX && best.feature != PAL_FEATURE_FACE; ++step) {
        Foot here = best;
        for (int a = 0; a < 3; ++a) {
            if (!(here.weights[a] > 0))
                continue;
            int32_t node = body->facets[here.facet][a];
            for (int32_t i = body->ring_start[node]; i < body->ring_start[node + 1]; ++i)
                if (body->ring_facets[i] != here.facet)
                    try_facet(shape, point, body->ring_facets[i], &best);
        }
        if (best.facet == here.facet)
            break;
    }
    return best;
}

int32_t pal_haptic_next_place(PalHapticShape *shape, PalVec3 point, int32_t facet, PalVec3 *place)
{
    Foot foot = walk(shape, point, facet);
    *place = pal_vec3_sub(point, foot.offset);
    return foot.facet;
}

static double first_guess(PalHapticShape *shape, PalVec3 point, int32_t facet)
{
    PalVec3 corner = pal_haptic_position(shape, shape->body->facets[facet][0]);
    PalVec3 way = pal_vec3_sub(point, corner);
    return pal_vec3_dot(way, way);
}

// The facet next to the nearest of some points all over the surface.
static int32_t coarse_start(PalHapticShape *shape, PalVec3 point)
{
    const PalHapticBody *body = shape->body;
    int32_t best = 0, count = body->cluster_count < COARSE ? body->cluster_count : COARSE;
    double least = INFINITY;
    for (int32_t c = 0; c < count; ++c) {
        int32_t node = body->clusters[c].point;
        PalVec3 way = pal_vec3_sub(point, pal_haptic_position(shape, node));
        double square = pal_vec3_dot(way, way);
        if (square < least && body->ring_start[node] < body->ring_start[node + 1]) {
            least = square;
            best = body->ring_facets[body->ring_start[node]];
        }
    }
    return best;
}

// The best of what may be a start: where the point was last, where its cluster is, where it would
// be at rest.
static int32_t start_facet(PalHapticShape *shape, PalVec3 point, const int32_t candidates[3])
{
    int32_t best = PAL_NONE;
    double least = INFINITY;
    for (int i = 0; i < 3; ++i) {
        if (candidates[i] == PAL_NONE)
            continue;
        double distance = first_guess(shape, point, candidates[i]);
        if (distance < least) {
            least = distance;
            best = candidates[i];
        }
    }
    return best != PAL_NONE ? best : coarse_start(shape, point);
}

static bool at_crease(const PalHapticBody *body, const Foot *foot)
{
    for (int a = 0; a < 3; ++a) {
        int32_t node = body->facets[foot->facet][a], corner = body->corners[foot->facet][a];
        int32_t ring = body->ring_start[node + 1] - body->ring_start[node];
        if (foot->weights[a] > 0 &&
            body->corner_start[corner + 1] - body->corner_start[corner] < ring)
            return true;
    }
    return false;
}

// How much of a facet's own normal there is: none at its edges that are creases, nor at corners
// that lie on one. Two facets beside a smooth edge that ends there agree along it.
static double own_part(const PalHapticBody *body, const Foot *foot)
{
    double part = 1;
    int sharp = body->sharp[foot->facet];
    for (int a = 0; a < 3; ++a) {
        double weight = fmin(1, fmax(0, foot->weights[a]));
        if (body->creased[foot->facet] & (1 << a))
            part = fmin(part, weight / (sharp & (1 << a) ? SHARP_BAND : CREASE_BAND));
        if (body->corners[foot->facet][a] != body->whole[body->facets[foot->facet][a]])
            part = fmin(part, (1 - weight) / (sharp & (8 << a) ? SHARP_BAND : CREASE_BAND));
    }
    return part;
}

static PalVec3 facet_normal(PalHapticShape *shape, int32_t facet)
{
    const int32_t *v = shape->body->facets[facet];
    PalVec3 a = pal_haptic_position(shape, v[0]);
    return pal_vec3_normalise(pal_vec3_cross(pal_vec3_sub(pal_haptic_position(shape, v[1]), a),
                                             pal_vec3_sub(pal_haptic_position(shape, v[2]), a)));
}

// Adds what the edge opposite a corner makes of the normal: along its middle it is the mean of its
// two facets, at its ends that of all facets around them, `sum`.
static PalVec3 turn_at_edge(PalHapticShape *shape, const Foot *foot, int corner, PalVec3 sum)
{
    const PalHapticBody *body = shape->body;
    int from = (corner + 1) % 3, to = (corner + 2) % 3;
    int32_t edge = body->facet_edges[foot->facet][from];
    double band = body->sharp[foot->facet] & (1 << corner) ? SHARP_BAND : CREASE_BAND;
    double near = 1 - fmax(0, foot->weights[corner]) / band;
    double along = foot->weights[to] / (foot->weights[from] + foot->weights[to]);
    double end = fmin(1, fmin(along, 1 - along) / EDGE_BAND);
    if (edge == PAL_NONE || !(body->creased[foot->facet] & (1 << corner)) || !(near > 0) ||
        !(end > 0))
        return pal_vec3(0, 0, 0);
    const int32_t *sides = body->edges[edge].facets;
    PalVec3 mean = pal_vec3_normalise(
        pal_vec3_add(facet_normal(shape, sides[0]), facet_normal(shape, sides[1])));
    return pal_vec3_scale(near * end, pal_vec3_sub(mean, sum));
}

// Normals are smooth. At a crease those of its two sides meet in the mean of both, within a band
// along it: a point that slides across turns its force, but it does not jump.
static PalVec3 smooth_normal(PalHapticShape *shape, const Foot *foot)
{
    const PalHapticBody *body = shape->body;
    double part = own_part(body, foot);
    PalVec3 own = {0, 0, 0}, shared = {0, 0, 0}, turn = {0, 0, 0};
    for (int a = 0; a < 3; ++a) {
        double weight = foot->weights[a];
        int32_t whole = body->whole[body->facets[foot->facet][a]];
        own = pal_vec3_add_scaled(own, weight,
                                  pal_haptic_normal(shape, body->corners[foot->facet][a]));
        if (part < 1)
            shared = pal_vec3_add_scaled(shared, weight, pal_haptic_normal(shape, whole));
    }
    for (int a = 0; a < 3 && part < 1; ++a)
        turn = pal_vec3_add(turn, turn_at_edge(shape, foot, a, shared));
    shared = pal_vec3_scale(1 - part, pal_vec3_add(shared, turn));
    return pal_vec3_normalise(pal_vec3_add_scaled(shared, part, own));
}

PalVec3 pal_haptic_smooth_normal(PalHapticShape *shape, int32_t facet, const float weights[3])
{
    Foot foot = {.facet = facet};
    for (int a = 0; a < 3; ++a)
        foot.weights[a] = (double)weights[a];
    return smooth_normal(shape, &foot);
}

// Outside of a crease the normal is the way to the point.
static double gap_of(PalHapticShape *shape, const Foot *foot, PalVec3 *normal)
{
    const PalHapticBody *body = shape->body;
    *normal = smooth_normal(shape, foot);
    double along = pal_vec3_dot(*normal, foot->offset);
    if (foot->feature != PAL_FEATURE_FACE && along >= 0 && at_crease(body, foot)) {
        *normal = pal_vec3_normalise(pal_vec3_add_scaled(foot->offset, 0.02 * body->edge, *normal));
        return foot->distance;
    }
    return along;
}

typedef struct Search {
    PalHapticFinder *finder;
    int32_t side;
    PalHapticShape *own, *other;
    PalHapticFrame relative;  // from own coordinates to those of the other
    double slack;             // how far the other's surface can have moved
} Search;

static PalVec3 seen_by_other(const Search *search, int32_t node)
{
    PalVec3 at = pal_mat3_apply(&search->relative.turn, pal_haptic_position(search->own, node));
    return pal_vec3_add(at, search->relative.at);
}

// How far from the other body a node may be and one of its edges touch.
static double edge_reach(const Search *search)
{
    return search->side == 1 ? search->finder->crossings.reach : 0;
}

// A node that is near enough for its edges to touch: by half of the longest one, and by how much
// the other surface bulges there.
static void note_close(const Search *search, int32_t node, const Foot *foot, double gap)
{
    PalHapticCrossings *crossings = &search->finder->crossings;
    if (!crossings->used || search->side != 1)
        return;
    double reach = 0.5 * (double)search->own->body->longest[node] *
                   (double)search->other->body->bulge[foot->facet];
    crossings->node_reach[node] = (float)reach;
    if (gap > search->finder->margin + reach ||
        crossings->close_search[node] == search->finder->search)
        return;
    crossings->close_search[node] = search->finder->search;
    crossings->close[crossings->close_count++] = node;
}

// Looks at one point. False: it is farther than `reach`.
static bool look(Search *search, int32_t node, double reach, int32_t parent_facet, Foot *foot,
                 PalHapticNear *near)
{
    ++search->finder->visited;
    near->gap = INFINITY;
    PalVec3 point = seen_by_other(search, node);
    PalFieldPoint rest = pal_field_at(search->other->body->field, point);
    if (rest.distance - search->slack > reach) {
        near->gap = rest.distance - search->slack;
        if (search->finder->crossings.used && search->side == 1)
            search->finder->crossings.node_reach[node] = (float)edge_reach(search);
        return false;
    }
    int32_t *last = &search->finder->last_facet[search->side][node];
    int32_t candidates[3] = {*last, parent_facet, rest.facet};
    *foot = walk(search->other, point, start_facet(search->other, point, candidates));
    if (foot->facet == PAL_NONE)
        return false;
    near->gap = gap_of(search->other, foot, &near->normal);
    bool too_far = rest.facet != PAL_NONE && foot->distance > fabs(rest.distance) + search->slack;
    // It cannot have come deeper than bodies have moved since it was looked at.
    double known = search->finder->node_key[search->side][node] - search->finder->way -
                   ROUNDING * search->other->body->edge;
    bool jumped = near->gap < known && near->gap < -JUMP * search->other->body->edge;
    if (near->gap < rest.distance - search->slack || too_far || jumped) {  // walked to another side
        Foot again = walk(search->other, point, coarse_start(search->other, point));
        if (again.facet == PAL_NONE || (!too_far && again.distance > foot->distance)) {
            near->gap = jumped ? known : 0;
            return false;
        }
        *foot = again;
        near->gap = gap_of(search->other, foot, &near->normal);
        if (jumped && near->gap < known) {
            near->gap = known;
            return false;
        }
    }
    *last = foot->facet;
    note_close(search, node, foot, near->gap);
    return near->gap <= reach;
}

// The same, of a point that is listed where it is within the margin.
static bool look_closely(Search *search, int32_t node, int32_t facet, Foot *foot,
                         PalHapticNear *near)
{
    double margin = search->finder->margin;
    return look(search, node, margin + edge_reach(search), facet, foot, near) &&
           near->gap <= margin;
}

static void list_point(Search *search, int32_t node, const Foot *foot, PalHapticNear *near)
{
    PalHapticFinder *finder = search->finder;
    if (finder->listed[search->side][node] == finder->search)
        return;
    if (finder->near_count == finder->near_max) {
        finder->full = true;
        return;
    }
    finder->listed[search->side][node] = finder->search;
    near->side = search->side;
    near->node = node;
    near->far_node = near->pair = PAL_NONE;
    near->part = 0;
    near->weight = 1;
    near->facet = foot->facet;
    for (int a = 0; a < 3; ++a)
        near->weights[a] = (float)foot->weights[a];
    near->normal = pal_mat3_apply(&finder->frames[1 - search->side]->turn, near->normal);
    finder->near[finder->near_count++] = *near;
}

// ---- clusters -----------------------------------------------------------------------------
// A key is a gap plus the way when it was measured: until bodies have moved by as much as the key
// is above the way, less the margin, nothing there is near. That of a cluster is the least of all
// its points.

static bool sleeps(const Search *search, double key)
{
    return key - search->finder->way > search->finder->margin;
}

// That of a node, less how far from the other body it may be and its edges touch.
static double edge_key(const Search *search, int32_t node)
{
    double key = search->finder->node_key[search->side][node];
    bool crosses = search->finder->crossings.used && search->side == 1;
    return crosses ? key - (double)search->finder->crossings.node_reach[node] : key;
}

static double look_at_leaf(Search *search, const PalHapticCluster *cluster, int32_t facet)
{
    const int32_t *order = search->own->body->order;
    double least = INFINITY;
    for (int32_t i = cluster->first; i < cluster->first + cluster->count; ++i) {
        Foot foot;
        PalHapticNear near;
        double *key = &search->finder->node_key[search->side][order[i]];
        bool listed = search->finder->listed[search->side][order[i]] == search->finder->search;
        if (!listed && !sleeps(search, edge_key(search, order[i]))) {
            bool is_near = look_closely(search, order[i], facet, &foot, &near);
            *key = near.gap + search->finder->way;
            if (is_near)
                list_point(search, order[i], &foot, &near);
        }
        least = fmin(least, edge_key(search, order[i]));
    }
    return least;
}

// How much nearer than the point that stands for it another point of a cluster can be.
static double width_of(const Search *search, const PalHapticCluster *cluster)
{
    return (double)cluster->radius + (double)cluster->spread * search->own->q_length +
           2 * (search->own->local_most + search->own->bias_most);
}

static bool is_late(PalHapticFinder *finder)
{
    // some are always looked at, so that whatever comes near is found in the end
    if (!finder->coarse && finder->late != NULL && finder->visited >= LEAST_VISITED &&
        (finder->visited & 7) == 0)
        finder->coarse = finder->late(finder->context);
    return finder->coarse;
}

// Returns the cluster's new key.
static double visit(Search *search, int32_t index, int32_t facet)
{
    PalHapticFinder *finder = search->finder;
    const PalHapticCluster *cluster = &search->own->body->clusters[index];
    double *key = finder->cluster_key[search->side] + index;
    if (sleeps(search, *key) || is_late(finder))
        return *key;
    int32_t child = cluster->first_child;
    if (child == 0)
        return *key = look_at_leaf(search, cluster, facet);
    const double *keys = finder->cluster_key[search->side] + child;
    if (!sleeps(search, keys[0]) && !sleeps(search, keys[1])) {
        Foot foot;
        PalHapticNear near;
        double width = width_of(search, cluster) + edge_reach(search);
        bool is_near = look(search, cluster->point, width + finder->margin, facet, &foot, &near);
        if (!is_near)
            return *key = near.gap - width + finder->way;
        facet = foot.facet;
    }
    double first = visit(search, child, facet), second = visit(search, child + 1, facet);
    return *key = fmin(first, second);
}

static Search search_of(PalHapticFinder *finder, int32_t side)
{
    const PalHapticFrame *own = finder->frames[side], *other = finder->frames[1 - side];
    PalMat3 back = pal_mat3_transpose(&other->turn);
    Search search = {
        .finder = finder,
        .side = side,
        .own = finder->shapes[side],
        .other = finder->shapes[1 - side],
        .relative = {.turn = pal_mat3_multiply(&back, &own->turn),
                     .at = pal_mat3_apply(&back, pal_vec3_sub(own->at, other->at))},
    };
    search.slack = search.other->reach + search.other->body->field->spacing;
    return search;
}

void pal_haptic_find_point(PalHapticFinder *finder, int32_t side, int32_t node)
{
    Search search = search_of(finder, side);
    Foot foot;
    PalHapticNear near;
    bool is_near = look_closely(&search, node, PAL_NONE, &foot, &near);
    finder->node_key[side][node] = near.gap + finder->way;
    if (is_near)
        list_point(&search, node, &foot, &near);
}

void pal_haptic_find(PalHapticFinder *finder, int32_t side)
{
    Search search = search_of(finder, side);
    visit(&search, 0, PAL_NONE);
}
