#include "contact/response/lagrange/patches.h"

#include "base/memory.h"
#include "math/lanes.h"
#include "math/mat3.h"
#include "math/range.h"
#include "math/spin.h"
#include "math/vec3.h"

#include <float.h>
#include <math.h>

#define FIT   32   // steps after which the spin of a patch is found anew
#define RETRY 128  // and after which it is found out again whether it turns, if it did not
#define WORTH 0.5  // of what goes otherwise without a spin: there may be no more left with one

// Vectors are handed over by code of the same instruction set only.
#define INLINE inline __attribute__((always_inline))

// ---- making -----------------------------------------------------------------------------

static bool create_most(PalPatchMost *most, int32_t count)
{
    size_t room = (size_t)count + 1;
    *most = (PalPatchMost){0};
    most->items = pal_alloc(room, sizeof *most->items);
    most->told = pal_alloc(room, sizeof *most->told);
    return most->items != NULL && most->told != NULL;
}

static void clear_most(PalPatchMost *most)
{
    pal_free(most->items);
    pal_free(most->told);
}

// Where patches of rigid objects are on them, and how large. Soft ones have a radius below 0.
static bool describe(PalPatches *patches, const PalContactSurface *surface)
{
    size_t room = (size_t)patches->cut.count + 1;
    const PalLists *vertices = &patches->cut.vertices;
    patches->middle = pal_alloc(room, sizeof *patches->middle);
    patches->radius = pal_alloc(room, sizeof *patches->radius);
    if (patches->middle == NULL || patches->radius == NULL)
        return false;
    for (int32_t p = 0; p < patches->cut.count; ++p) {
        int32_t first = vertices->start[p], count = vertices->start[p + 1] - first;
        int32_t object = patches->cut.object[p];
        patches->radius[p] = -1;
        if (surface->objects[object].source != &pal_source_rigid)
            continue;
        const PalModel *model = surface->motion.model;
        const PalVec3 *nodes = model->rigids[surface->objects[object].index].mesh->nodes;
        PalVec3 sum = {0, 0, 0};
        for (int32_t k = first; k < first + count; ++k)
            sum = pal_vec3_add(sum, nodes[surface->vertex_node[vertices->items[k]]]);
        patches->middle[p] = pal_vec3_scale(1.0 / count, sum);
        double radius = 0;
        const PalLists *around = &patches->cut.around;
        for (int32_t k = around->start[p]; k < around->start[p + 1]; ++k)
            radius =
                pal_max(radius, pal_vec3_distance(nodes[surface->vertex_node[around->items[k]]],
                                                  patches->middle[p]));
        patches->radius[p] = (1 + 1e-9) * radius;
    }
    return true;
}

// Those of soft patches; others are not asked for.
static bool find_nodes(PalPatches *patches, const PalContactSurface *surface)
{
    const PalLists *around = &patches->cut.around;
    int32_t total = around->start[patches->cut.count];
    patches->around_nodes = pal_alloc((size_t)total + 1, sizeof *patches->around_nodes);
    for (int32_t i = 0; i < total && patches->around_nodes != NULL; ++i)
        patches->around_nodes[i] = surface->vertex_node[around->items[i]];
    return patches->around_nodes != NULL;
}

// Short ones count as much as long ones: the mean is geometric. A patch without edges of its own,
// of a single vertex, has none.
static bool find_edges(PalPatches *patches, const PalContactSurface *surface)
{
    const PalLists *edges = &patches->cut.edges;
    patches->edge = pal_alloc((size_t)patches->cut.count + 1, sizeof *patches->edge);
    for (int32_t p = 0; p < patches->cut.count && patches->edge != NULL; ++p) {
        double sum = 0;
        int32_t count = edges->start[p + 1] - edges->start[p];
        for (int32_t k = edges->start[p]; k < edges->start[p + 1]; ++k) {
            const int32_t *ends = surface->edges[edges->items[k]];
            sum += log(pal_vec3_distance(surface->start[ends[0]], surface->start[ends[1]]));
        }
        patches->edge[p] = count > 0 ? exp(sum / count) : INFINITY;
    }
    return patches->edge != NULL;
}

// Positions are sums, differences of which are off by some roundings of the largest.
static double rounding_of(const PalContactSurface *surface)
{
    double largest = 0;
    for (int32_t v = 0; v < surface->vertex_count; ++v)
        largest = pal_max(largest, pal_vec3_length(surface->start[v]));
    return 64 * DBL_EPSILON * largest;
}

PalStatus pal_patches_create(PalPatches *patches, const PalContactSurface *surface, PalError *error)
{
    *patches = (PalPatches){.rounding = rounding_of(surface)};
    bool good = pal_cut_create(&patches->cut, surface) && describe(patches, surface) &&
                find_nodes(patches, surface) && find_edges(patches, surface) &&
                create_most(&patches->less, patches->cut.count) &&
                create_most(&patches->shift, patches->cut.count);
    size_t room = (size_t)patches->cut.count + 1;
    patches->motions = pal_alloc(room, sizeof *patches->motions);
    patches->placed = pal_alloc(room, sizeof *patches->placed);
    for (int32_t p = 0; p < patches->cut.count && patches->motions != NULL; ++p)
        patches->motions[p].fitted = FIT - RETRY - p % FIT;  // soon, but not all in one step
    if (good && patches->motions != NULL && patches->placed != NULL)
        return PAL_OK;
    pal_patches_clear(patches);
    return pal_error_set(error, PAL_NO_MEMORY, "no memory for contact");
}

void pal_patches_clear(PalPatches *patches)
{
    pal_cut_clear(&patches->cut);
    pal_free(patches->middle);
    pal_free(patches->radius);
    pal_free(patches->edge);
    pal_free(patches->motions);
    pal_free(patches->placed);
    pal_free(patches->around_nodes);
    clear_most(&patches->less);
    clear_most(&patches->shift);
    *patches = (PalPatches){0};
}

// ---- moving -----------------------------------------------------------------------------

static void forget_most(PalPatchMost *most)
{
    for (int32_t i = 0; i < most->told_count; ++i)
        most->items[most->told[i]] = 0;
    most->told_count = 0;
}

void pal_patches_place(PalPatches *patches, PalContactSurface *surface, int32_t patch)
{
    const PalLists *around = &patches->cut.around;
    if (pal_is_made(&patches->placed[patch], surface->stamp))
        return;
    for (int32_t k = around->start[patch]; k < around->start[patch + 1]; ++k)
        pal_contact_surface_need(surface, around->items[k]);
    pal_say_made(&patches->placed[patch], surface->stamp);
}

void pal_patches_begin(PalPatches *patches)
{
    ++patches->stamp;
    forget_most(&patches->less);
    forget_most(&patches->shift);
}

void pal_patches_correct(PalPatches *patches)
{
    forget_most(&patches->shift);
}

// Written so that what is no number has no bound.
static void measure(const PalPatches *patches, PalContactSurface *surface, int32_t patch,
                    PalPatchMotion *motion)
{
    const int32_t *vertices = patches->cut.around.items + patches->cut.around.start[patch];
    int32_t own = patches->cut.vertices.start[patch + 1] - patches->cut.vertices.start[patch];
    int32_t count = patches->cut.around.start[patch + 1] - patches->cut.around.start[patch];
    const PalVec3 *start = surface->start, *end = surface->end;
    PalVec3 sum = {0, 0, 0};
    for (int32_t k = 0; k < count; ++k)
        pal_contact_surface_need(surface, vertices[k]);
    for (int32_t k = 0; k < own; ++k)
        sum = pal_vec3_add(sum, pal_vec3_sub(end[vertices[k]], start[vertices[k]]));
    PalVec3 mean = motion->mean = pal_vec3_scale(1.0 / own, sum);
    double most = 0;
    bool good = true;
    for (int32_t k = 0; k < count; ++k) {
        PalVec3 path = pal_vec3_sub(end[vertices[k]], start[vertices[k]]);
        PalVec3 other = pal_vec3_sub(path, mean);
        double square = pal_vec3_dot(other, other);
        most = square > most ? square : most;
        good = good && square < INFINITY;
    }
    motion->around = good ? sqrt(most) : INFINITY;
}

// The same where vertices are nodes: all of their velocities are in a box, of which the middle will
// do for the mean. Sums of what is no number are none either.
static void measure_nodes(const PalPatches *patches, const PalContactSurface *surface,
                          int32_t patch, PalPatchMotion *motion)
{
    const PalVec3 *velocity = surface->motion.velocity;
    const PalLists *around = &patches->cut.around;
    const int32_t *nodes = patches->around_nodes + around->start[patch];
    int32_t count = around->start[patch + 1] - around->start[patch];
    PalVec3 lower = velocity[nodes[0]], upper = lower, sum = {0, 0, 0};
    for (int32_t k = 0; k < count; ++k) {
        const PalVec3 *u = &velocity[nodes[k]];
        lower = pal_vec3(pal_min(lower.x, u->x), pal_min(lower.y, u->y), pal_min(lower.z, u->z));
        upper = pal_vec3(pal_max(upper.x, u->x), pal_max(upper.y, u->y), pal_max(upper.z, u->z));
        sum = pal_vec3_add(sum, *u);
    }
    double half = surface->motion.step / 2;
    motion->mean = pal_vec3_scale(half, pal_vec3_add(lower, upper));
    bool good = pal_vec3_is_finite(sum);
    motion->around = good ? half * pal_vec3_distance(lower, upper) : INFINITY;
}

static PalVec3 way_of(const PalContactSurface *surface, int32_t vertex)
{
    return pal_vec3_sub(surface->end[vertex], surface->start[vertex]);
}

// Where the middle of the vertices is and how they go on average.
static void measure_middle(const PalPatches *patches, PalContactSurface *surface, int32_t patch,
                           PalPatchMotion *motion)
{
    const int32_t *vertices = patches->cut.vertices.items + patches->cut.vertices.start[patch];
    int32_t count = patches->cut.vertices.start[patch + 1] - patches->cut.vertices.start[patch];
    PalVec3 sum = {0, 0, 0}, ways = {0, 0, 0};
    for (int32_t k = 0; k < count; ++k) {
        pal_contact_surface_need(surface, vertices[k]);
        sum = pal_vec3_add(sum, surface->start[vertices[k]]);
        ways = pal_vec3_add(ways, way_of(surface, vertices[k]));
    }
    motion->centre = pal_vec3_scale(1.0 / count, sum);
    motion->mean = pal_vec3_scale(1.0 / count, ways);
}

static PalVec3 fit_spin(const PalPatches *patches, PalContactSurface *surface, int32_t patch,
                        const PalPatchMotion *motion)
{
    PalSpinFit fit = {0};
    for (int32_t k = patches->cut.around.start[patch]; k < patches->cut.around.start[patch + 1];
         ++k) {
        int32_t v = patches->cut.around.items[k];
        pal_contact_surface_need(surface, v);
        pal_spin_fit_add(&fit, pal_vec3_sub(surface->start[v], motion->centre),
                         pal_vec3_sub(way_of(surface, v), motion->mean));
    }
    return pal_spin_fit_solve(&fit);
}

// Four vectors, side by side.
typedef struct Four {
    PalLanes x, y, z;
} Four;

// No more than they have is read: another thread may be placing the next vertex.
static INLINE Four gather(const PalVec3 *x, const int32_t v[PAL_LANES])
{
    const PalVec3 *a = &x[v[0]], *b = &x[v[1]], *c = &x[v[2]], *d = &x[v[3]];
    return (Four){{a->x, b->x, c->x, d->x}, {a->y, b->y, c->y, d->y}, {a->z, b->z, c->z, d->z}};
}

static INLINE PalLanes square_of(Four a)
{
    return a.x * a.x + a.y * a.y + a.z * a.z;
}

static INLINE PalLanes larger(PalLanes a, PalLanes b)
{
    PalLanesMask more = a > b;
    return (PalLanes)((more & (PalLanesMask)a) | (~more & (PalLanesMask)b));
}

static INLINE double largest_of(PalLanes a)
{
    return pal_max(pal_max(a[0], a[1]), pal_max(a[2], a[3]));
}

// What mean and spin leave over of the motion of vertices, the last of which stand in where there
// are no four.
PAL_CLONES static void measure_rest(const PalContactSurface *surface, const int32_t *vertices,
                                    int32_t count, PalPatchMotion *motion)
{
    const PalVec3 c = motion->centre, m = motion->mean, w = motion->spin;
    PalLanes most = {0, 0, 0, 0}, most_left = most, radius2 = most, sum = most;
    for (int32_t k = 0; k < count; k += PAL_LANES) {
        int32_t four[PAL_LANES];
        for (int i = 0; i < PAL_LANES; ++i)
            four[i] = vertices[k + i < count ? k + i : count - 1];
        Four start = gather(surface->start, four), end = gather(surface->end, four);
        Four arm = {start.x - c.x, start.y - c.y, start.z - c.z};
        Four other = {end.x - start.x - m.x, end.y - start.y - m.y, end.z - start.z - m.z};
        Four left = {other.x - (w.y * arm.z - w.z * arm.y), other.y - (w.z * arm.x - w.x * arm.z),
                     other.z - (w.x * arm.y - w.y * arm.x)};
        PalLanes square = square_of(other), left2 = square_of(left), arm2 = square_of(arm);
        most = larger(square, most);
        most_left = larger(left2, most_left);
        radius2 = larger(arm2, radius2);
        sum += square + left2 + arm2;
    }
    bool good = sum[0] + sum[1] + sum[2] + sum[3] < INFINITY;
    motion->around = good ? sqrt(largest_of(most)) : INFINITY;
    motion->left_over = good ? sqrt(largest_of(most_left)) : INFINITY;
    motion->radius = sqrt(largest_of(radius2));
}

static bool is_due(const PalPatches *patches, const PalPatchMotion *motion)
{
    return !(patches->stamp < motion->fitted + (motion->turns ? FIT : RETRY));
}

static void measure_turning(const PalPatches *patches, PalContactSurface *surface, int32_t patch,
                            PalPatchMotion *motion)
{
    bool fits = is_due(patches, motion);
    measure_middle(patches, surface, patch, motion);
    if (fits) {
        motion->spin = fit_spin(patches, surface, patch, motion);
        motion->fitted = patches->stamp;
    }
    const PalLists *around = &patches->cut.around;
    int32_t first = around->start[patch], count = around->start[patch + 1] - first;
    for (int32_t k = first; k < first + count; ++k)
        pal_contact_surface_need(surface, around->items[k]);
    measure_rest(surface, around->items + first, count, motion);
    if (fits)
        motion->turns = motion->left_over < WORTH * motion->around;
}

// The same for a patch of a rigid object, as its pose goes: x = R X + t, so that points go
// otherwise than the middle by no more than |R' - R| times their distance from it. With Q = R' R^T,
// a turn by an angle, they go by (Q - 1) r: half of Q - Q^T is a spin, and the rest of it,
// (Q + Q^T)/2 - 1, shortens what is across the axis by 1 - cos of the angle.
static void measure_rigid(const PalPatches *patches, const PalContactSurface *surface,
                          int32_t patch, PalPatchMotion *motion)
{
    int32_t object = patches->cut.object[patch];
    const PalPose *poses = surface->poses[surface->objects[object].index];
    PalVec3 middle = patches->middle[patch];
    double square = 0;
    for (int i = 0; i < 9; ++i) {
        double change = poses[1].rotation.m[i / 3][i % 3] - poses[0].rotation.m[i / 3][i % 3];
        square += change * change;
    }
    motion->mean =
        pal_vec3_sub(pal_pose_apply(&poses[1], middle), pal_pose_apply(&poses[0], middle));
    motion->around = sqrt(square) * patches->radius[patch] + patches->rounding;
    PalMat3 back = pal_mat3_transpose(&poses[0].rotation);
    PalMat3 turn = pal_mat3_multiply(&poses[1].rotation, &back);
    motion->turns = true;
    motion->centre = pal_pose_apply(&poses[0], middle);
    motion->radius = patches->radius[patch];
    motion->spin = pal_vec3((turn.m[2][1] - turn.m[1][2]) / 2, (turn.m[0][2] - turn.m[2][0]) / 2,
                            (turn.m[1][0] - turn.m[0][1]) / 2);
    double shortening = (3 - turn.m[0][0] - turn.m[1][1] - turn.m[2][2]) / 2;
    motion->left_over = fabs(shortening) * patches->radius[patch] + patches->rounding;
}

static bool is_rigid(const PalPatches *patches, int32_t patch)
{
    return patches->radius[patch] >= 0;
}

static const PalPatchMotion *motion_of(PalPatches *patches, PalContactSurface *surface,
                                       int32_t patch)
{
    PalPatchMotion *motion = &patches->motions[patch];
    if (pal_is_made(&motion->stamp, patches->stamp) ||
        (surface->shared && !pal_claim_to_make(&motion->stamp, patches->stamp)))
        return motion;
    if (is_rigid(patches, patch))
        measure_rigid(patches, surface, patch, motion);
    else if (motion->turns || is_due(patches, motion))
        measure_turning(patches, surface, patch, motion);
    else if (surface->plain)
        measure_nodes(patches, surface, patch, motion);
    else
        measure(patches, surface, patch, motion);
    // in the middle of a step ends are corrected, and may be so otherwise in the next round
    double shift = pal_patches_most(&patches->shift, patch);
    motion->around += shift;
    motion->left_over += shift;
    pal_say_made(&motion->stamp, patches->stamp);
    return motion;
}

// Points p and q of two patches, with L = p - q, go by m_a + w_a x (p - c_a) and m_b + w_b x (q -
// c_b), and by what is left over. With w half of w_a + w_b and d half of w_a - w_b, L changes by
// w x L + m_a - m_b - w x (c_a - c_b) + d x (p - c_a + q - c_b): w x L is across L and brings
// nothing nearer.
static double nearer_turning(const PalPatchMotion *a, const PalPatchMotion *b)
{
    PalVec3 both = pal_vec3_scale(0.5, pal_vec3_add(a->spin, b->spin));
    PalVec3 between = pal_vec3_sub(a->centre, b->centre), means = pal_vec3_sub(a->mean, b->mean);
    double against = pal_vec3_distance(a->spin, b->spin) / 2;
    return pal_vec3_distance(means, pal_vec3_cross(both, between)) +
           against * (a->radius + b->radius) + a->left_over + b->left_over;
}

double pal_patches_nearer(PalPatches *patches, PalContactSurface *surface, int32_t a, int32_t b)
{
    const PalPatchMotion *one = motion_of(patches, surface, a);
    const PalPatchMotion *other = motion_of(patches, surface, b);
    double nearer = pal_vec3_distance(one->mean, other->mean) + one->around + other->around;
    if (one->turns && other->turns)
        nearer = pal_min(nearer, nearer_turning(one, other));
    return (1 + 1e-9) * nearer + patches->rounding;
}
