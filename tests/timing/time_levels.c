// What the three levels of detection cost, beside the figures of Aragon and Molinari (2014), table
// 1 and figure 3: exclusion tests, closest points on faces (and by SLSQP), building trees of
// spheres. Prints the least of several times. Run by `make bench`; never a test.
#include "geometry/closest.h"
#include "geometry/sphere_tree.h"
#include "geometry/tight.h"
#include "random_points.h"
#include "slsqp.h"
#include "surfaces.h"
#include <palpate/mesh_io.h>

#include <math.h>
#include <stdio.h>
#include <time.h>

enum { COUNT = 1000, REPETITIONS = 200, SLOW_REPETITIONS = 3 };

// Of this thread alone: other programs may be at work.
static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double keep_least(double least, double begin, double count)
{
    double now = 1e9 * (seconds() - begin) / count;
    return least == 0 || now < least ? now : least;
}

static PalVec3 points[2][COUNT][6];
static PalSphere spheres[2][COUNT];
static PalSlabs slabs[2][COUNT];
static PalTightBox boxes[2][COUNT];

// Pairs of which about half are apart.
static void make_points(double apart)
{
    uint64_t seed = 1;
    for (int i = 0; i < COUNT; ++i)
        for (int k = 0; k < 12; ++k) {
            PalVec3 p = random_point(&seed);
            p.x += k < 6 ? 0 : apart;
            points[k / 6][i][k % 6] = p;
        }
}

static void show(const char *name, double ns, double share, const char *published)
{
    printf("%-22s %7.2f ns   %3.0f %% apart   %s\n", name, ns, 100 * share, published);
}

static void time_spheres(void)
{
    double least = 0;
    int64_t apart = 0;
    for (int k = 0; k < 2; ++k)
        for (int i = 0; i < COUNT; ++i)
            spheres[k][i] = pal_sphere_extremal(points[k][i], 6);
    for (int r = 0; r < REPETITIONS; ++r) {
        double begin = seconds();
        for (int i = 0; i < COUNT; ++i)
            apart += pal_spheres_apart(&spheres[0][i], &spheres[1][(i + r) % COUNT]);
        least = keep_least(least, begin, COUNT);
    }
    show("sphere", least, (double)apart / COUNT / REPETITIONS, "published 39");
}

static void time_slabs(PalLeafKind kind, const char *name, const char *published)
{
    double least = 0;
    int64_t apart = 0;
    int count = pal_slab_count(kind);
    for (int k = 0; k < 2; ++k)
        for (int i = 0; i < COUNT; ++i)
            pal_slabs_fit(kind, points[k][i], 6, 0, &slabs[k][i]);
    for (int r = 0; r < REPETITIONS; ++r) {
        double begin = seconds();
        for (int i = 0; i < COUNT; ++i)
            apart += pal_slabs_apart(&slabs[0][i], &slabs[1][(i + r) % COUNT], count);
        least = keep_least(least, begin, COUNT);
    }
    show(name, least, (double)apart / COUNT / REPETITIONS, published);
}

static void time_boxes(void)
{
    double least = 0;
    int64_t apart = 0;
    for (int k = 0; k < 2; ++k)
        for (int i = 0; i < COUNT; ++i)
            pal_tight_box_fit(points[k][i], 6, 0, &boxes[k][i]);
    for (int r = 0; r < REPETITIONS; ++r) {
        double begin = seconds();
        for (int i = 0; i < COUNT; ++i)
            apart += pal_tight_boxes_apart(&boxes[0][i], &boxes[1][(i + r) % COUNT]);
        least = keep_least(least, begin, COUNT);
    }
    show("obb", least, (double)apart / COUNT / REPETITIONS, "");
}

// Faces curved as those of a mesh are, points within half their size.
static void make_face(PalFaceKind kind, PalVec3 nodes[8], PalVec3 *point, uint64_t *seed)
{
    static const double at[2][8][2] = {{{0, 0}, {1, 0}, {0, 1}, {0.5, 0}, {0.5, 0.5}, {0, 0.5}},
                                       {{-0.5, -0.5},
                                        {0.5, -0.5},
                                        {0.5, 0.5},
                                        {-0.5, 0.5},
                                        {0, -0.5},
                                        {0.5, 0},
                                        {0, 0.5},
                                        {-0.5, 0}}};
    bool square = kind >= PAL_FACE_QUAD4;
    double bend = 0.1 * random_signed(seed), twist = 0.1 * random_signed(seed);
    for (int a = 0; a < 8; ++a) {
        double x = at[square][a][0], y = at[square][a][1];
        nodes[a] = (PalVec3){x, y, bend * (x * x + y * y) + twist * x * y};
    }
    double middle = square ? 0 : 1.0 / 3;
    *point = (PalVec3){middle + 0.7 * random_signed(seed), middle + 0.7 * random_signed(seed),
                       0.3 * random_signed(seed)};
}

static void time_face(PalFaceKind kind, const char *name, const char *published)
{
    static PalVec3 nodes[COUNT][8], wanted[COUNT];
    uint64_t seed = 3;
    double least = 0, slow = 0, sum = 0;
    for (int i = 0; i < COUNT; ++i)
        make_face(kind, nodes[i], &wanted[i], &seed);
    for (int r = 0; r < REPETITIONS / 4; ++r) {
        double begin = seconds();
        for (int i = 0; i < COUNT; ++i) {
            PalFacePoint closest;
            pal_closest_on_face(kind, nodes[i], wanted[i], &closest);
            sum += closest.distance;
        }
        least = keep_least(least, begin, COUNT);
    }
    for (int r = 0; r < SLOW_REPETITIONS; ++r) {
        double begin = seconds(), at[2];
        for (int i = 0; i < COUNT; ++i) {
            SlsqpFace face = {kind, nodes[i], wanted[i], 1};
            sum -= slsqp_closest(&face, at);
        }
        slow = keep_least(slow, begin, COUNT);
    }
    printf("closest on %-11s %7.1f ns   SLSQP %.0f ns   %s%s\n", name, least, slow, published,
           sum == 1 ? " " : "");
}

static void time_triangle(void)
{
    static PalVec3 nodes[COUNT][8], wanted[COUNT];
    uint64_t seed = 3;
    double least = 0, sum = 0;
    for (int i = 0; i < COUNT; ++i)
        make_face(PAL_FACE_TRI3, nodes[i], &wanted[i], &seed);
    for (int r = 0; r < REPETITIONS; ++r) {
        double begin = seconds(), weights[3];
        for (int i = 0; i < COUNT; ++i) {
            PalFeature feature;
            sum += pal_closest_on_triangle(wanted[i], nodes[i], weights, &feature);
        }
        least = keep_least(least, begin, COUNT);
    }
    printf("closest on %-11s %7.1f ns   as contact asks%s\n", "triangle", least,
           sum == 1 ? " " : "");
}

static void time_tree(const char *name, const PalTriangles *triangles, const char *published)
{
    double least = 0;
    PalTreeDepths depths = {0};
    PalError error = {0};
    for (int r = 0; r < SLOW_REPETITIONS; ++r) {
        PalSphereTree *tree = NULL;
        double begin = seconds();
        if (pal_sphere_tree_create(triangles, &tree, &error) != PAL_OK)
            return;
        least = keep_least(least, begin, triangles->facet_count);
        if (pal_sphere_tree_depths(tree, &depths, &error) != PAL_OK)
            printf("%s\n", error.text);
        pal_sphere_tree_destroy(tree);
    }
    printf("%-11s %8d triangles %8.1f ms %6.0f ns each, %3.0f per log2 n   depth %.1f, %d to %d   "
           "%s\n",
           name, (int)triangles->facet_count, 1e-6 * least * triangles->facet_count, least,
           least / log2(triangles->facet_count), depths.mean, (int)depths.least, (int)depths.most,
           published);
}

static void time_mesh(const char *name, const char *published)
{
    char path[1000];
    PalMesh *mesh = NULL;
    PalError error = {0};
    snprintf(path, sizeof path, "%s/meshes/%s.ply", PAL_SCENES, name);
    if (pal_mesh_read(path, PAL_WANT_SURFACE, &mesh, &error) != PAL_OK) {
        printf("%s\n", error.text);
        return;
    }
    PalTriangles triangles = {
        .vertex_count = mesh->node_count,
        .facet_count = mesh->cell_count,
        .facets = (const int32_t(*)[3])mesh->cells,
        .start = mesh->nodes,
        .end = mesh->nodes,
    };
    time_tree(name, &triangles, published);
    pal_mesh_destroy(mesh);
}

int main(void)
{
    make_points(2.2);
    time_spheres();
    make_points(1.2);
    time_slabs(PAL_LEAF_AABB, "aabb", "published 37");
    time_boxes();
    time_slabs(PAL_LEAF_DOP14, "dop14", "published 42");
    time_slabs(PAL_LEAF_DOP18, "dop18", "");
    time_slabs(PAL_LEAF_DOP26, "dop26", "");
    time_triangle();
    time_face(PAL_FACE_TRI3, "tri3", "published 20457");
    time_face(PAL_FACE_TRI6, "tri6", "");
    time_face(PAL_FACE_QUAD4, "quad4", "");
    time_face(PAL_FACE_QUAD8, "quad8", "");
    time_mesh("motorcycle", "published 18, 8 to 38");
    time_mesh("jet", "published 18, 8 to 43");
    static const int sides[] = {22, 70, 222, 707};
    for (int i = 0; i < 4; ++i) {
        Surface ball = surface_sphere(sides[i], sides[i]);
        time_tree("ball", &ball.triangles, "");
        surface_free(&ball);
    }
    return 0;
}
