// As printed: each point of the tool's shell inside the other body is pushed out by k_c times its
// depth d(x, s), along its own normal, and the other body is pushed back; both deform by the sum of
// stored answers to single loads, of the nearest site each. Where the other body's vademecum has no
// distances, depth and normal are those of its deformed triangles.
#include "reduced/haptic.h"

#include <math.h>
#include <string.h>

// The penalty, if none is given: so much of the body's own stiffness where it yields most. As
// printed a force follows from a depth and the next depth from that force, which swings ever
// further where the penalty is stiffer than the body.
#define STIFF 0.05

// How far a load at a site moves it along itself, per force: at rest, or as printed, where modes
// are not orthonormal, under the smallest load that is stored.
static double give_of(const PalVademecum *book, int32_t site, int32_t direction)
{
    PalVec3 along = pal_vademecum_direction(book, site, direction);
    bool pgd = book->facts.method == PAL_VADEMECUM_PGD;
    double way = 0, force = book->level[0] * book->facts.largest;
    for (int32_t k = 0; k < book->size.mode_count; ++k) {
        double sum = 0;
        for (int i = 0; i < 3; ++i) {
            double u = (double)pal_vademecum_row(book, book->site[site], i)[k];
            double by = pgd ? pal_vademecum_factor(book, site, direction, 0, i, k) / force : 1;
            sum += u * by * pal_vec3_at(along, i);
        }
        way += pgd ? sum : sum * sum;
    }
    return way;
}

// Force per displacement at the site that yields most.
static double own_stiffness(const PalVademecum *book)
{
    double most = 0;
    for (int32_t s = 0; s < book->size.site_count; ++s)
        for (int32_t d = 0; d < book->size.direction_count; ++d)
            most = fmax(most, give_of(book, s, d));
    return most > 0 ? 1 / most : 0;
}

static double penalty_of(const PalHaptic *haptic)
{
    double stiffness = haptic->def.penalty;
    for (int s = 0; s < 2 && !(stiffness > 0); ++s)
        if (haptic->bodies[s].book != NULL)
            stiffness = STIFF * own_stiffness(haptic->bodies[s].book);
    return stiffness;
}

static int32_t nearest_site(const PalVademecum *book, int32_t node)
{
    PalVec3 at = pal_vademecum_node(book, node);
    int32_t best = 0;
    double least = INFINITY;
    for (int32_t s = 0; s < book->size.site_count; ++s) {
        PalVec3 way = pal_vec3_sub(pal_vademecum_node(book, book->site[s]), at);
        double square = pal_vec3_dot(way, way);
        if (square < least) {
            least = square;
            best = s;
        }
    }
    return best;
}

// Adds one stored answer: `part` of the largest force along a stored direction. Between levels, and
// below the first, it is linear. The sum is one row, or one of each axis.
static void add_answer(const PalVademecum *book, int32_t site, int32_t direction, double part,
                       float *q)
{
    int32_t stride = book->size.stride, high = 0;
    int rows = book->facts.method == PAL_VADEMECUM_PGD ? 3 : 1;
    while (high + 1 < book->size.level_count && book->level[high] < part)
        ++high;
    double upper = book->level[high], lower = high > 0 ? book->level[high - 1] : 0;
    double share = (part - lower) / (upper - lower);
    for (int i = 0; i < rows; ++i)
        for (int32_t k = 0; k < book->size.mode_count; ++k) {
            double above = pal_vademecum_factor(book, site, direction, high, i, k);
            double below =
                high > 0 ? pal_vademecum_factor(book, site, direction, high - 1, i, k) : 0;
            q[(int64_t)i * stride + k] += (float)(below + share * (above - below));
        }
}

// A force on a node, in the body's coordinates, as parts along the stored directions.
static void add_load(PalHaptic *haptic, int32_t body, int32_t node, PalVec3 force)
{
    const PalVademecum *book = haptic->bodies[body].book;
    int32_t site = nearest_site(book, node);
    for (int32_t d = 0; d < book->size.direction_count; ++d) {
        double part =
            pal_vec3_dot(force, pal_vademecum_direction(book, site, d)) / book->facts.largest;
        if (!(part > 0))
            continue;
        add_answer(book, site, d, part, haptic->shapes[body].q_short);
        if (body == 0 && haptic->distances.book != NULL)
            pal_distances_load(&haptic->distances, site, d, (float)part);
    }
}

static void push(PalHaptic *haptic, const PalHapticNear *near, PalVec3 force)
{
    for (int s = 0; s < 2; ++s) {
        if (haptic->bodies[s].book == NULL)
            continue;
        PalMat3 back = pal_mat3_transpose(&haptic->frames[s].turn);
        PalVec3 own = pal_mat3_apply(&back, pal_vec3_scale(s == 1 ? 1 : -1, force));
        int most = near->weights[1] > near->weights[0] ? 1 : 0;
        most = near->weights[2] > near->weights[most] ? 2 : most;
        int32_t node = s == near->side ? near->node : haptic->bodies[s].facets[near->facet][most];
        add_load(haptic, s, node, own);
    }
}

// ---- points in d(x, s) ------------------------------------------------------------------

// Where a point of the tool is in the coordinates of body 0.
static PalVec3 place_of(PalHaptic *haptic, int32_t node)
{
    PalVec3 at = pal_haptic_position(&haptic->shapes[1], node);
    PalMat3 back = pal_mat3_transpose(&haptic->frames[0].turn);
    at = pal_vec3_add(pal_mat3_apply(&haptic->frames[1].turn, at), haptic->frames[1].at);
    return pal_mat3_apply(&back, pal_vec3_sub(at, haptic->frames[0].at));
}

// The site of body 0 that is nearest to a place now.
static int32_t site_at(PalHaptic *haptic, PalVec3 place)
{
    const PalVademecum *book = haptic->bodies[0].book;
    int32_t best = 0;
    double least = INFINITY;
    for (int32_t s = 0; s < book->size.site_count; ++s) {
        PalVec3 way = pal_vec3_sub(pal_haptic_position(&haptic->shapes[0], book->site[s]), place);
        double square = pal_vec3_dot(way, way);
        if (square < least) {
            least = square;
            best = s;
        }
    }
    return best;
}

static void list_point(PalHaptic *haptic, int32_t node, double distance, PalVec3 place)
{
    PalHapticFinder *finder = &haptic->finder;
    const PalHapticBody *other = &haptic->bodies[0], *tool = &haptic->bodies[1];
    int32_t site = other->book->site[site_at(haptic, place)];
    if (finder->near_count == finder->near_max ||
        other->ring_start[site] == other->ring_start[site + 1]) {
        finder->full = finder->near_count == finder->near_max;
        return;
    }
    PalVec3 inward = pal_vec3_scale(-1, pal_haptic_normal(&haptic->shapes[1], tool->whole[node]));
    PalHapticNear *near = &finder->near[finder->near_count++];
    *near = (PalHapticNear){.side = 1,
                            .node = node,
                            .far_node = PAL_NONE,
                            .pair = PAL_NONE,
                            .weight = 1,
                            .facet = other->ring_facets[other->ring_start[site]],
                            .gap = distance,
                            .normal = pal_mat3_apply(&haptic->frames[1].turn, inward)};
    for (int a = 0; a < 3; ++a)
        near->weights[a] = other->facets[near->facet][a] == site;
}

static void look_at_points(PalHaptic *haptic, const PalHapticCluster *cluster)
{
    for (int32_t i = cluster->first; i < cluster->first + cluster->count; ++i) {
        int32_t node = haptic->bodies[1].order[i];
        PalVec3 place = place_of(haptic, node);
        PalDistancesAt at = pal_distances_at(&haptic->distances, place);
        if (at.known && at.distance < 0)
            list_point(haptic, node, at.distance, place);
    }
}

// The nested shell, coarse to fine: a cluster is left out where its middle is farther away than any
// of its points can be from that, by as much as superposed distances change over such a way.
static void look_up(PalHaptic *haptic)
{
    enum { DEPTH = 128 };
    const PalHapticBody *tool = &haptic->bodies[1];
    double stretch = haptic->shapes[1].q_length;
    int32_t stack[DEPTH], depth = 0;
    haptic->finder.near_count = 0;
    haptic->finder.full = haptic->finder.coarse = false;
    stack[depth++] = 0;
    while (depth > 0) {
        const PalHapticCluster *cluster = &tool->clusters[stack[--depth]];
        double reach = (double)cluster->radius + (double)cluster->spread * stretch;
        PalVec3 place = place_of(haptic, cluster->point);
        if (pal_distances_at(&haptic->distances, place).distance >
            pal_distances_most_change(&haptic->distances, reach))
            continue;
        if (cluster->first_child == 0 || depth + 2 > DEPTH) {
            look_at_points(haptic, cluster);
            continue;
        }
        stack[depth++] = cluster->first_child + 1;
        stack[depth++] = cluster->first_child;
    }
}

// ---- forces -----------------------------------------------------------------------------

static void add_point(PalHaptic *haptic, const PalHapticNear *near, double stiffness)
{
    PalHapticForce *answer = &haptic->answer;
    PalHapticMemory *memory = &haptic->memory[1][near->node];
    memory->step = haptic->step;
    memory->force[0] = near->gap < 0 ? (float)(-stiffness * near->gap) : 0;
    answer->deepest = fmax(answer->deepest, -near->gap);
    if (!(near->gap < 0))
        return;
    PalVec3 force = pal_vec3_scale((double)memory->force[0], near->normal);
    PalVec3 at = pal_haptic_position(&haptic->shapes[1], near->node);
    PalVec3 arm = pal_mat3_apply(&haptic->frames[1].turn, at);
    ++answer->contacts;
    answer->contact_force = pal_vec3_add(answer->contact_force, force);
    answer->contact_torque = pal_vec3_add(answer->contact_torque, pal_vec3_cross(arm, force));
}

void pal_haptic_printed_step(PalHaptic *haptic)
{
    PalHapticForce *answer = &haptic->answer;
    if (!(haptic->def.penalty > 0))
        haptic->def.penalty = penalty_of(haptic);
    haptic->def.both_shells = false;
    if (haptic->distances.book != NULL)
        look_up(haptic);
    else
        pal_haptic_look(haptic);
    answer->contact_force = answer->contact_torque = pal_vec3(0, 0, 0);
    answer->contacts = 0;
    answer->deepest = answer->residual = 0;
    answer->candidates = haptic->finder.near_count;
    for (int32_t c = 0; c < haptic->finder.near_count; ++c)
        add_point(haptic, &haptic->finder.near[c], haptic->def.penalty);
    for (int s = 0; s < 2; ++s)
        memset(haptic->shapes[s].q_short, 0, 3 * (size_t)haptic->bodies[s].stride * sizeof(float));
    pal_distances_start(&haptic->distances);
    double sum = 0;
    for (int32_t c = 0; c < haptic->finder.near_count; ++c) {
        const PalHapticNear *near = &haptic->finder.near[c];
        double force = (double)haptic->memory[1][near->node].force[0];
        sum += force;
        if (force > 0)
            push(haptic, near, pal_vec3_scale(force, near->normal));
    }
    for (int s = 0; s < 2; ++s) {
        PalHapticShape *shape = &haptic->shapes[s];
        for (int32_t k = 0; k < haptic->bodies[s].mode_count; ++k)
            shape->q[k] = (double)shape->q_short[k];
        pal_haptic_shape_moved(shape);
    }
    haptic->quality = pal_haptic_printed_is_beyond(haptic, sum)      ? PAL_HAPTIC_BEYOND
                      : haptic->finder.coarse || haptic->finder.full ? PAL_HAPTIC_COARSE
                                                                     : PAL_HAPTIC_FULL;
}
