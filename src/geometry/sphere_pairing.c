// Pairs the two spheres whose common sphere is smallest, again and again until one is left. Each
// waits in a queue with its best partner. A partner that was taken is looked for anew when its turn
// comes; what is paired never becomes a better partner than its parts were, so that all others
// still have their best. An online tree answers who the best partner is: spheres are its leaves, a
// pair takes the place of one of the two, and the other is taken out.   docs/theory/levels.md, 4
#include "geometry/sphere_pairing.h"

#include "base/memory.h"

#include <stdlib.h>

// A volume of the online tree: bounds of the centres in it, and the least radius.
typedef struct Node {
    PalVec3 lower, upper;
    double least;
    int32_t parent, children[2];  // a leaf has its sphere in children[0], and PAL_NONE behind it
} Node;

typedef struct Wait {
    double radius;  // of the common sphere
    int32_t sphere, partner;
} Wait;

typedef struct Pairing {
    PalSphere *spheres;
    int32_t (*children)[2];
    int32_t given, count;  // spheres given, and there now
    Node *nodes;
    int32_t node_count, root;
    int32_t *leaf_of;  // per sphere: its leaf in the online tree; PAL_NONE: it is paired
    Wait *queue;       // a heap, the smallest first
    int32_t queue_count;
} Pairing;

// ---- the queue --------------------------------------------------------------------------

static bool comes_before(const Wait *a, const Wait *b)
{
    return a->radius < b->radius || (a->radius == b->radius && a->sphere < b->sphere);
}

static void push(Pairing *pairing, Wait wait)
{
    int32_t k = pairing->queue_count++;
    for (; k > 0 && comes_before(&wait, &pairing->queue[(k - 1) / 2]); k = (k - 1) / 2)
        pairing->queue[k] = pairing->queue[(k - 1) / 2];
    pairing->queue[k] = wait;
}

static Wait pop(Pairing *pairing)
{
    Wait top = pairing->queue[0], last = pairing->queue[--pairing->queue_count];
    int32_t k = 0, count = pairing->queue_count;
    for (;;) {
        int32_t child = 2 * k + 1;
        if (child >= count)
            break;
        if (child + 1 < count && comes_before(&pairing->queue[child + 1], &pairing->queue[child]))
            ++child;
        if (!comes_before(&pairing->queue[child], &last))
            break;
        pairing->queue[k] = pairing->queue[child];
        k = child;
    }
    pairing->queue[k] = last;
    return top;
}

// ---- the online tree --------------------------------------------------------------------

static bool is_leaf(const Node *node)
{
    return node->children[1] == PAL_NONE;
}

static void fit(Pairing *pairing, int32_t n)
{
    Node *node = &pairing->nodes[n];
    if (is_leaf(node)) {
        const PalSphere *sphere = &pairing->spheres[node->children[0]];
        node->lower = node->upper = sphere->centre;
        node->least = sphere->radius;
        return;
    }
    const Node *a = &pairing->nodes[node->children[0]], *b = &pairing->nodes[node->children[1]];
    node->lower = (PalVec3){fmin(a->lower.x, b->lower.x), fmin(a->lower.y, b->lower.y),
                            fmin(a->lower.z, b->lower.z)};
    node->upper = (PalVec3){fmax(a->upper.x, b->upper.x), fmax(a->upper.y, b->upper.y),
                            fmax(a->upper.z, b->upper.z)};
    node->least = fmin(a->least, b->least);
}

static bool same_node(const Node *a, const Node *b)
{
    return a->lower.x == b->lower.x && a->lower.y == b->lower.y && a->lower.z == b->lower.z &&
           a->upper.x == b->upper.x && a->upper.y == b->upper.y && a->upper.z == b->upper.z &&
           a->least == b->least;
}

// What is above a node follows it.
static void fit_above(Pairing *pairing, int32_t n)
{
    for (; n != PAL_NONE; n = pairing->nodes[n].parent) {
        Node before = pairing->nodes[n];
        fit(pairing, n);
        if (same_node(&before, &pairing->nodes[n]))
            return;
    }
}

static double coordinate(const Pairing *pairing, int32_t sphere, int axis)
{
    return pal_vec3_at(pairing->spheres[sphere].centre, axis);
}

// Puts the middle of a list in its place, the smaller before it, the larger behind.
static void select_middle(const Pairing *pairing, int32_t *list, int32_t count, int axis)
{
    int32_t low = 0, high = count - 1, middle = count / 2;
    while (low < high) {
        double pivot = coordinate(pairing, list[low + (high - low) / 2], axis);
        int32_t i = low, j = high;
        while (i <= j) {
            while (coordinate(pairing, list[i], axis) < pivot)
                ++i;
            while (coordinate(pairing, list[j], axis) > pivot)
                --j;
            if (i <= j) {
                int32_t swap = list[i];
                list[i++] = list[j];
                list[j--] = swap;
            }
        }
        if (middle <= j)
            high = j;
        else if (middle >= i)
            low = i;
        else
            return;
    }
}

static int longest_side(const Pairing *pairing, const int32_t *list, int32_t count)
{
    double side[3];
    for (int axis = 0; axis < 3; ++axis) {
        double least = INFINITY, most = -INFINITY;
        for (int32_t i = 0; i < count; ++i) {
            least = fmin(least, coordinate(pairing, list[i], axis));
            most = fmax(most, coordinate(pairing, list[i], axis));
        }
        side[axis] = most - least;
    }
    return side[0] >= side[1] && side[0] >= side[2] ? 0 : side[1] >= side[2] ? 1 : 2;
}

// Over a list of spheres, half and half. As deep as the logarithm of their number.
static int32_t build(Pairing *pairing, int32_t *list, int32_t count, int32_t parent)
{
    int32_t n = pairing->node_count++;
    Node *node = &pairing->nodes[n];
    node->parent = parent;
    if (count == 1) {
        node->children[0] = list[0];
        node->children[1] = PAL_NONE;
        pairing->leaf_of[list[0]] = n;
    } else {
        int32_t half = count / 2;
        select_middle(pairing, list, count, longest_side(pairing, list, count));
        int32_t first = build(pairing, list, half, n);
        int32_t second = build(pairing, list + half, count - half, n);
        node->children[0] = first;
        node->children[1] = second;
    }
    fit(pairing, n);
    return n;
}

// The sibling takes the place of the parent.
static void take_out(Pairing *pairing, int32_t n)
{
    int32_t parent = pairing->nodes[n].parent;
    const Node *above = &pairing->nodes[parent];
    int32_t sibling = above->children[above->children[0] == n], grandparent = above->parent;
    pairing->nodes[sibling].parent = grandparent;
    if (grandparent == PAL_NONE) {
        pairing->root = sibling;
        return;
    }
    int32_t *children = pairing->nodes[grandparent].children;
    children[children[1] == parent] = sibling;
    fit_above(pairing, grandparent);
}

// ---- the best partner -------------------------------------------------------------------

typedef struct Hunt {
    const PalSphere *sphere;
    int32_t self, best;
    double radius;  // of the best common sphere so far
} Hunt;

static double outside(double x, double lower, double upper)
{
    return x < lower ? lower - x : x > upper ? x - upper : 0;
}

// No common sphere with anything in the node is smaller.
static double bound(const Hunt *hunt, const Node *node)
{
    double x = outside(hunt->sphere->centre.x, node->lower.x, node->upper.x);
    double y = outside(hunt->sphere->centre.y, node->lower.y, node->upper.y);
    double z = outside(hunt->sphere->centre.z, node->lower.z, node->upper.z);
    double r = hunt->sphere->radius;
    return fmax(fmax(r, node->least), (sqrt(x * x + y * y + z * z) + r + node->least) / 2);
}

static double common_radius(const PalSphere *a, const PalSphere *b)
{
    double distance = pal_vec3_distance(a->centre, b->centre);
    return fmax(fmax(a->radius, b->radius), (distance + a->radius + b->radius) / 2);
}

static void consider(const Pairing *pairing, Hunt *hunt, int32_t sphere)
{
    if (sphere == hunt->self)
        return;
    double radius = common_radius(hunt->sphere, &pairing->spheres[sphere]);
    if (radius < hunt->radius || hunt->best == PAL_NONE) {
        hunt->radius = radius;
        hunt->best = sphere;
    }
}

static void hunt_below(const Pairing *pairing, Hunt *hunt, int32_t n)
{
    int32_t stack[64], count = 1;  // no deeper than it was built
    stack[0] = n;
    while (count > 0) {
        const Node *node = &pairing->nodes[stack[--count]];
        if (is_leaf(node)) {
            consider(pairing, hunt, node->children[0]);
            continue;
        }
        double bounds[2];
        for (int k = 0; k < 2; ++k)
            bounds[k] = bound(hunt, &pairing->nodes[node->children[k]]);
        int near = bounds[1] < bounds[0];
        if (bounds[!near] < hunt->radius || hunt->best == PAL_NONE)
            stack[count++] = node->children[!near];
        if (bounds[near] < hunt->radius || hunt->best == PAL_NONE)
            stack[count++] = node->children[near];
    }
}

// From its own leaf upward: what is near is found first.
static Wait best_partner(const Pairing *pairing, int32_t sphere)
{
    Hunt hunt = {&pairing->spheres[sphere], sphere, PAL_NONE, INFINITY};
    int32_t n = pairing->leaf_of[sphere];
    for (int32_t parent = pairing->nodes[n].parent; parent != PAL_NONE;
         n = parent, parent = pairing->nodes[n].parent) {
        const int32_t *children = pairing->nodes[parent].children;
        int32_t sibling = children[children[0] == n];
        if (hunt.best == PAL_NONE || bound(&hunt, &pairing->nodes[sibling]) < hunt.radius)
            hunt_below(pairing, &hunt, sibling);
    }
    return (Wait){hunt.radius, sphere, hunt.best};
}

// ---- all of it --------------------------------------------------------------------------

static void pair(Pairing *pairing, int32_t a, int32_t b)
{
    int32_t sphere = pairing->count++, leaf = pairing->leaf_of[a];
    pairing->spheres[sphere] = pal_sphere_around(&pairing->spheres[a], &pairing->spheres[b]);
    pairing->children[sphere - pairing->given][0] = a;
    pairing->children[sphere - pairing->given][1] = b;
    take_out(pairing, pairing->leaf_of[b]);
    pairing->nodes[leaf].children[0] = sphere;
    fit_above(pairing, leaf);
    pairing->leaf_of[a] = pairing->leaf_of[b] = PAL_NONE;
    pairing->leaf_of[sphere] = leaf;
}

static void pair_all(Pairing *pairing)
{
    for (int32_t s = 0; s < pairing->given; ++s)
        push(pairing, best_partner(pairing, s));
    while (pairing->count < 2 * pairing->given - 1) {
        Wait wait = pop(pairing);
        if (pairing->leaf_of[wait.sphere] == PAL_NONE)
            continue;
        if (pairing->leaf_of[wait.partner] == PAL_NONE) {
            push(pairing, best_partner(pairing, wait.sphere));
            continue;
        }
        pair(pairing, wait.sphere, wait.partner);
        if (pairing->count < 2 * pairing->given - 1)
            push(pairing, best_partner(pairing, pairing->count - 1));
    }
}

bool pal_sphere_pairing(PalSphere *spheres, int32_t count, int32_t (*children)[2])
{
    if (count < 2)
        return true;
    size_t all = 2 * (size_t)count;
    Pairing pairing = {.spheres = spheres, .children = children, .given = count, .count = count};
    int32_t *list = pal_alloc((size_t)count, sizeof *list);
    pairing.nodes = pal_alloc(all, sizeof *pairing.nodes);
    pairing.leaf_of = pal_alloc(all, sizeof *pairing.leaf_of);
    pairing.queue = pal_alloc(all, sizeof *pairing.queue);
    bool enough =
        list != NULL && pairing.nodes != NULL && pairing.leaf_of != NULL && pairing.queue != NULL;
    if (enough) {
        for (int32_t s = 0; s < count; ++s)
            list[s] = s;
        for (int32_t s = count; s < 2 * count; ++s)
            pairing.leaf_of[s] = PAL_NONE;
        pairing.root = build(&pairing, list, count, PAL_NONE);
        pair_all(&pairing);
    }
    pal_free(list);
    pal_free(pairing.nodes);
    pal_free(pairing.leaf_of);
    pal_free(pairing.queue);
    return enough;
}
