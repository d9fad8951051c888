// How near a surface comes to itself: the least distance of a vertex and a facet, or of two edges,
// that have no vertex in common.
#include "geometry/closest.h"
#include "geometry/sphere_distance.h"
#include "math/range.h"

// Of two facets that have vertices in common: of what they do not share.
static double hinged_distance(const PalTriangles *triangles, int32_t f, int32_t g)
{
    const int32_t *p = triangles->facets[f], *q = triangles->facets[g];
    const PalVec3 *x = triangles->end;
    PalVec3 a[3], b[3];
    double least = INFINITY, weights[3];
    bool interior[2], in_g[3], in_f[3];
    for (int k = 0; k < 3; ++k) {
        a[k] = x[p[k]];
        b[k] = x[q[k]];
        in_g[k] = p[k] == q[0] || p[k] == q[1] || p[k] == q[2];
        in_f[k] = q[k] == p[0] || q[k] == p[1] || q[k] == p[2];
    }
    PalFeature feature;
    for (int k = 0; k < 3; ++k) {
        if (!in_g[k])
            least = pal_min(least, pal_closest_on_triangle(a[k], b, weights, &feature));
        if (!in_f[k])
            least = pal_min(least, pal_closest_on_triangle(b[k], a, weights, &feature));
    }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            int m = (i + 1) % 3, n = (j + 1) % 3;
            if (p[i] != q[j] && p[i] != q[n] && p[m] != q[j] && p[m] != q[n])
                least =
                    pal_min(least, pal_closest_on_edges(a[i], a[m], b[j], b[n], weights, interior));
        }
    return least;
}

static bool hinged(const PalTriangles *triangles, int32_t f, int32_t g)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            if (triangles->facets[f][i] == triangles->facets[g][j])
                return true;
    return false;
}

double pal_hinged_distance(const PalTriangles *triangles, int32_t f, int32_t g, double least)
{
    return hinged(triangles, f, g) ? hinged_distance(triangles, f, g)
                                   : pal_facet_distance(triangles, f, triangles, g, least);
}

// A volume with itself is its children with themselves, and with each other; two different ones are
// told by the gap of their spheres.
static bool open(PalSphereSearch *search, const PalSphereTree *tree, PalSphereVisit visit,
                 double least)
{
    PalSphereVisit next[3];
    int count = 0;
    bool one = visit.a == visit.b;
    if (one && pal_sphere_tree_is_leaf(tree, visit.a))
        return true;
    bool first = one || pal_sphere_tree_is_leaf(tree, visit.b) ||
                 (!pal_sphere_tree_is_leaf(tree, visit.a) &&
                  tree->spheres[visit.a].radius >= tree->spheres[visit.b].radius);
    const int32_t *children = pal_sphere_tree_children(tree, first ? visit.a : visit.b);
    int32_t other = first ? visit.b : visit.a;
    for (int k = 0; k < 2; ++k)
        next[count++] = one ? (PalSphereVisit){children[k], children[k], -INFINITY}
                            : (PalSphereVisit){children[k], other, 0};
    if (one)
        next[count++] = (PalSphereVisit){children[0], children[1], 0};
    for (int k = 0; k < count; ++k) {
        if (next[k].a != next[k].b) {
            const PalSphere *p = &tree->spheres[next[k].a], *q = &tree->spheres[next[k].b];
            next[k].gap = pal_vec3_distance(p->centre, q->centre) - p->radius - q->radius;
            ++search->tests;
        }
        if (!(next[k].gap >= least) && !pal_array_push(&search->stack, next[k]))
            return false;
    }
    return true;
}

double pal_sphere_self_distance(PalSphereSearch *search, const PalSphereTree *tree,
                                const PalTriangles *triangles, double enough)
{
    double least = INFINITY;
    pal_sphere_search_begin(search);
    if (tree->volume_count == 0)
        return least;
    int32_t top = pal_sphere_tree_root(tree);
    PalSphereVisit root = {top, top, -INFINITY};
    if (!isfinite(tree->spheres[top].radius) || !pal_array_push(&search->stack, root))
        return -INFINITY;
    while (search->stack.count > 0 && least > enough) {
        PalSphereVisit visit = search->stack.items[--search->stack.count];
        if (visit.gap >= least)
            continue;
        if (visit.a == visit.b || !pal_sphere_tree_is_leaf(tree, visit.a) ||
            !pal_sphere_tree_is_leaf(tree, visit.b)) {
            if (!open(search, tree, visit, least))
                return -INFINITY;
            continue;
        }
        ++search->facet_tests;
        double distance = pal_hinged_distance(triangles, visit.a, visit.b, least);
        if (!(distance < least))
            continue;
        least = distance;
        search->facets[0] = visit.a;
        search->facets[1] = visit.b;
    }
    return least;
}
