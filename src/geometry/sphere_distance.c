#include "geometry/sphere_distance.h"

#include "geometry/closest.h"
#include "math/range.h"
#include <palpate/geometry.h>

static void nearer(double distance, PalVec3 p, PalVec3 q, double *least, PalVec3 places[2])
{
    *least = distance;
    places[0] = p;
    places[1] = q;
}

// A vertex of one triangle, the inside of the other.
static bool try_vertices(const PalVec3 a[3], const PalVec3 b[3], bool swapped, double *least,
                         PalVec3 places[2])
{
    bool found = false;
    for (int k = 0; k < 3; ++k) {
        double weights[3];
        PalFeature feature;
        double distance = pal_closest_on_triangle(a[k], b, weights, &feature);
        if (!(distance < *least))
            continue;
        PalVec3 q = pal_vec3_scale(weights[0], b[0]);
        q = pal_vec3_add_scaled(q, weights[1], b[1]);
        q = pal_vec3_add_scaled(q, weights[2], b[2]);
        nearer(distance, swapped ? q : a[k], swapped ? a[k] : q, least, places);
        found = true;
    }
    return found;
}

double pal_triangle_distance(const PalVec3 a[3], const PalVec3 b[3], PalVec3 places[2], bool *edges)
{
    double least = INFINITY;
    *edges = false;
    try_vertices(a, b, false, &least, places);
    try_vertices(b, a, true, &least, places);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            double weights[2];
            bool interior[2];
            PalVec3 p = a[i], q = b[j], u = a[(i + 1) % 3], v = b[(j + 1) % 3];
            double distance = pal_closest_on_edges(p, u, q, v, weights, interior);
            // a vertex found before is a vertex still
            if (!(distance < least) || !interior[0] || !interior[1])
                continue;
            nearer(distance, pal_vec3_add_scaled(p, weights[0], pal_vec3_sub(u, p)),
                   pal_vec3_add_scaled(q, weights[1], pal_vec3_sub(v, q)), &least, places);
            *edges = true;
        }
    return least;
}

static double gap_of(const PalSphereTree *a, int32_t i, const PalSphereTree *b, int32_t j)
{
    const PalSphere *p = &a->spheres[i], *q = &b->spheres[j];
    return pal_vec3_distance(p->centre, q->centre) - p->radius - q->radius;
}

static void corners_of(const PalTriangles *triangles, int32_t facet, PalVec3 corners[3])
{
    for (int k = 0; k < 3; ++k)
        corners[k] = triangles->end[triangles->facets[facet][k]];
}

// Of the boxes around two triangles: no more than their distance.
static double box_gap(const PalVec3 a[3], const PalVec3 b[3])
{
    double sum = 0;
    for (int i = 0; i < 3; ++i) {
        double p[3], q[3];
        for (int k = 0; k < 3; ++k) {
            p[k] = pal_vec3_at(a[k], i);
            q[k] = pal_vec3_at(b[k], i);
        }
        double lower =
            pal_max(pal_min(pal_min(p[0], p[1]), p[2]), pal_min(pal_min(q[0], q[1]), q[2]));
        double upper =
            pal_min(pal_max(pal_max(p[0], p[1]), p[2]), pal_max(pal_max(q[0], q[1]), q[2]));
        double gap = lower - upper;
        sum += gap > 0 ? gap * gap : 0;
    }
    return sqrt(sum);
}

double pal_facet_distance(const PalTriangles *first, int32_t f, const PalTriangles *second,
                          int32_t g, double least)
{
    PalVec3 a[3], b[3], places[2];
    bool edges;
    corners_of(first, f, a);
    corners_of(second, g, b);
    double gap = box_gap(a, b);
    if (gap >= least)
        return gap;
    return gap == 0 && pal_triangles_intersect(a, b) ? 0
                                                     : pal_triangle_distance(a, b, places, &edges);
}

static void try_facets(PalSphereSearch *search, const PalTriangles *first,
                       const PalTriangles *second, PalSphereVisit visit, double *least)
{
    PalVec3 a[3], b[3], places[2];
    bool edges;
    corners_of(first, visit.a, a);
    corners_of(second, visit.b, b);
    double gap = box_gap(a, b);
    if (gap >= *least)
        return;
    ++search->facet_tests;
    double distance = pal_triangle_distance(a, b, places, &edges);
    if (gap == 0 && pal_triangles_intersect(a, b))
        distance = 0;
    if (!(distance < *least))
        return;
    *least = distance;
    search->facets[0] = visit.a;
    search->facets[1] = visit.b;
    search->edges = edges;
    search->places[0] = places[0];
    search->places[1] = places[1];
}

// Two spheres: the larger is replaced by its children, the nearer of which comes first.
static bool open(PalSphereSearch *search, const PalSphereTree *a, const PalSphereTree *b,
                 PalSphereVisit visit, double least)
{
    bool leaves[2] = {pal_sphere_tree_is_leaf(a, visit.a), pal_sphere_tree_is_leaf(b, visit.b)};
    bool first =
        leaves[1] || (!leaves[0] && a->spheres[visit.a].radius >= b->spheres[visit.b].radius);
    const int32_t *children =
        first ? pal_sphere_tree_children(a, visit.a) : pal_sphere_tree_children(b, visit.b);
    PalSphereVisit next[2];
    for (int k = 0; k < 2; ++k) {
        next[k] = first ? (PalSphereVisit){children[k], visit.b, 0}
                        : (PalSphereVisit){visit.a, children[k], 0};
        next[k].gap = gap_of(a, next[k].a, b, next[k].b);
    }
    search->tests += 2;
    int near = next[1].gap < next[0].gap;
    for (int k = 0; k < 2; ++k) {
        PalSphereVisit one = next[k == 0 ? !near : near];
        if (one.gap < least && !pal_array_push(&search->stack, one))
            return false;
    }
    return true;
}

void pal_sphere_search_begin(PalSphereSearch *search)
{
    search->stack.count = 0;
    search->tests = search->facet_tests = 0;
    search->facets[0] = search->facets[1] = PAL_NONE;
}

double pal_sphere_distance(PalSphereSearch *search, const PalSphereTree *a,
                           const PalTriangles *first, const PalSphereTree *b,
                           const PalTriangles *second, double enough)
{
    double least = INFINITY;
    pal_sphere_search_begin(search);
    if (a->volume_count == 0 || b->volume_count == 0)
        return least;
    int32_t i = pal_sphere_tree_root(a), j = pal_sphere_tree_root(b);
    PalSphereVisit root = {i, j, gap_of(a, i, b, j)};
    if (!isfinite(root.gap) || !pal_array_push(&search->stack, root))
        return -INFINITY;
    while (search->stack.count > 0 && least > enough) {
        PalSphereVisit visit = search->stack.items[--search->stack.count];
        if (visit.gap >= least)
            continue;
        if (pal_sphere_tree_is_leaf(a, visit.a) && pal_sphere_tree_is_leaf(b, visit.b))
            try_facets(search, first, second, visit, &least);
        else if (!open(search, a, b, visit, least))
            return -INFINITY;
    }
    return least;
}

bool pal_sphere_near(PalSphereSearch *search, const PalSphereTree *a, const PalTriangles *first,
                     const PalSphereTree *b, const PalTriangles *second, double enough)
{
    pal_sphere_search_begin(search);
    if (a->volume_count == 0 || b->volume_count == 0)
        return false;
    PalSphereVisit visit = {pal_sphere_tree_root(a), pal_sphere_tree_root(b), 0};
    while (visit.gap <= enough) {
        if (pal_sphere_tree_is_leaf(a, visit.a) && pal_sphere_tree_is_leaf(b, visit.b)) {
            double least = INFINITY;
            try_facets(search, first, second, visit, &least);
            return least <= enough;
        }
        search->stack.count = 0;
        if (!open(search, a, b, visit, INFINITY) || search->stack.count == 0)
            return false;
        visit = search->stack.items[search->stack.count - 1];
    }
    return false;
}

void pal_sphere_search_clear(PalSphereSearch *search)
{
    pal_array_clear(&search->stack);
}
