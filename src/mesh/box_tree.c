#include "mesh/box_tree.h"

#include "base/memory.h"
#include "math/bounds.h"
#include "mesh/cells.h"

enum { LEAF_SIZE = 4, DEPTH_MAX = 64 };

PalBounds pal_triangle_box(const PalMesh *mesh, int32_t cell)
{
    const int32_t *corner = pal_mesh_cell(mesh, cell);
    PalBounds box = {mesh->nodes[corner[0]], mesh->nodes[corner[0]]};
    for (int a = 1; a < 3; ++a) {
        PalVec3 x = mesh->nodes[corner[a]];
        box.lower =
            pal_vec3(fmin(box.lower.x, x.x), fmin(box.lower.y, x.y), fmin(box.lower.z, x.z));
        box.upper =
            pal_vec3(fmax(box.upper.x, x.x), fmax(box.upper.y, x.y), fmax(box.upper.z, x.z));
    }
    return box;
}

bool pal_boxes_meet(const PalBounds *a, const PalBounds *b)
{
    return a->lower.x <= b->upper.x && b->lower.x <= a->upper.x && a->lower.y <= b->upper.y &&
           b->lower.y <= a->upper.y && a->lower.z <= b->upper.z && b->lower.z <= a->upper.z;
}

static double centre(const void *context, int32_t cell, int axis)
{
    const PalMesh *mesh = context;
    const int32_t *corner = pal_mesh_cell(mesh, cell);
    return pal_vec3_at(mesh->nodes[corner[0]], axis) + pal_vec3_at(mesh->nodes[corner[1]], axis) +
           pal_vec3_at(mesh->nodes[corner[2]], axis);
}

static void build(PalBoxTree *tree, int32_t first, int32_t count)
{
    int32_t own = tree->node_count++;
    PalBoxNode *node = &tree->nodes[own];
    node->box = pal_triangle_box(tree->mesh, tree->items[first]);
    for (int32_t i = 1; i < count; ++i) {
        PalBounds box = pal_triangle_box(tree->mesh, tree->items[first + i]);
        node->box = pal_bounds_join(&node->box, &box);
    }
    node->first = first;
    node->count = count;
    if (count <= LEAF_SIZE)
        return;
    PalVec3 extent = pal_vec3_sub(node->box.upper, node->box.lower);
    int axis = extent.x >= extent.y && extent.x >= extent.z ? 0 : extent.y >= extent.z ? 1 : 2;
    pal_halve_along(tree->items + first, count, axis, centre, tree->mesh);
    build(tree, first, count / 2);
    tree->nodes[own].right = tree->node_count;
    build(tree, first + count / 2, count - count / 2);
}

bool pal_box_tree_init(PalBoxTree *tree, const PalMesh *mesh)
{
    *tree = (PalBoxTree){.mesh = mesh};
    tree->items = pal_alloc((size_t)mesh->cell_count, sizeof *tree->items);
    tree->nodes = pal_alloc(2 * (size_t)mesh->cell_count, sizeof *tree->nodes);
    if (tree->items == NULL || tree->nodes == NULL) {
        pal_box_tree_clear(tree);
        return false;
    }
    for (int32_t c = 0; c < mesh->cell_count; ++c)
        tree->items[c] = c;
    if (mesh->cell_count > 0)
        build(tree, 0, mesh->cell_count);
    return true;
}

void pal_box_tree_clear(PalBoxTree *tree)
{
    pal_free(tree->nodes);
    pal_free(tree->items);
    *tree = (PalBoxTree){0};
}

// Triangles of the tree behind `from` in the order of `items`, so that a pair comes once.
static void pairs_of(const PalBoxTree *tree, int32_t from, PalBoxPair pair, void *context)
{
    int32_t stack[DEPTH_MAX], used = 0, a = tree->items[from];
    PalBounds box = pal_triangle_box(tree->mesh, a);
    stack[used++] = 0;
    while (used > 0) {
        int32_t index = stack[--used];
        const PalBoxNode *node = &tree->nodes[index];
        if (node->first + node->count <= from + 1 || !pal_boxes_meet(&node->box, &box))
            continue;
        if (node->right != 0) {
            stack[used++] = node->right;
            stack[used++] = index + 1;
            continue;
        }
        for (int32_t i = node->first; i < node->first + node->count; ++i) {
            int32_t b = tree->items[i];
            PalBounds other = pal_triangle_box(tree->mesh, b);
            if (i > from && pal_boxes_meet(&other, &box))
                pair(context, a < b ? a : b, a < b ? b : a);
        }
    }
}

void pal_box_tree_self_pairs(const PalBoxTree *tree, PalBoxPair pair, void *context)
{
    for (int32_t i = 0; i < tree->mesh->cell_count; ++i)
        pairs_of(tree, i, pair, context);
}

static double box_distance2(const PalBounds *box, PalVec3 p)
{
    double x = fmax(fmax(box->lower.x - p.x, p.x - box->upper.x), 0);
    double y = fmax(fmax(box->lower.y - p.y, p.y - box->upper.y), 0);
    double z = fmax(fmax(box->lower.z - p.z, p.z - box->upper.z), 0);
    return x * x + y * y + z * z;
}

static double segment_distance2(PalVec3 p, PalVec3 a, PalVec3 b)
{
    PalVec3 along = pal_vec3_sub(b, a), to = pal_vec3_sub(p, a);
    double length2 = pal_vec3_dot(along, along);
    double t = length2 > 0 ? fmin(fmax(pal_vec3_dot(to, along) / length2, 0), 1) : 0;
    PalVec3 apart = pal_vec3_add_scaled(to, -t, along);
    return pal_vec3_dot(apart, apart);
}

// The plane counts where the point lies over the inside; the three sides elsewhere.
static double triangle_distance2(const PalMesh *mesh, int32_t cell, PalVec3 p)
{
    const int32_t *corner = pal_mesh_cell(mesh, cell);
    PalVec3 x[3] = {mesh->nodes[corner[0]], mesh->nodes[corner[1]], mesh->nodes[corner[2]]};
    PalVec3 normal = pal_vec3_cross(pal_vec3_sub(x[1], x[0]), pal_vec3_sub(x[2], x[0]));
    double area2 = pal_vec3_dot(normal, normal), least = INFINITY;
    bool inside = area2 > 0;
    for (int a = 0; a < 3; ++a) {
        PalVec3 side = pal_vec3_sub(x[(a + 1) % 3], x[a]), to = pal_vec3_sub(p, x[a]);
        inside = inside && pal_vec3_dot(pal_vec3_cross(side, to), normal) >= 0;
        least = fmin(least, segment_distance2(p, x[a], x[(a + 1) % 3]));
    }
    if (!inside)
        return least;
    double height = pal_vec3_dot(pal_vec3_sub(p, x[0]), normal);
    return fmin(least, height * height / area2);
}

bool pal_box_tree_within(const PalBoxTree *tree, PalVec3 point, double distance)
{
    int32_t stack[DEPTH_MAX], used = 0;
    double square = distance * distance;
    stack[used++] = 0;
    while (used > 0) {
        int32_t index = stack[--used];
        const PalBoxNode *node = &tree->nodes[index];
        if (box_distance2(&node->box, point) > square)
            continue;
        for (int32_t i = node->first; node->right == 0 && i < node->first + node->count; ++i)
            if (triangle_distance2(tree->mesh, tree->items[i], point) <= square)
                return true;
        if (node->right != 0) {
            stack[used++] = node->right;
            stack[used++] = index + 1;
        }
    }
    return false;
}

int32_t pal_box_tree_nearest(const PalBoxTree *tree, PalVec3 point)
{
    int32_t stack[DEPTH_MAX], used = 0, nearest = tree->items[0];
    double best = INFINITY;
    stack[used++] = 0;
    while (used > 0) {
        int32_t index = stack[--used];
        const PalBoxNode *node = &tree->nodes[index];
        if (box_distance2(&node->box, point) >= best)
            continue;
        if (node->right == 0) {
            for (int32_t i = node->first; i < node->first + node->count; ++i) {
                double distance = triangle_distance2(tree->mesh, tree->items[i], point);
                if (distance < best) {
                    best = distance;
                    nearest = tree->items[i];
                }
            }
            continue;
        }
        // the nearer child is looked at first
        int32_t left = index + 1, right = node->right;
        bool swapped = box_distance2(&tree->nodes[left].box, point) >
                       box_distance2(&tree->nodes[right].box, point);
        stack[used++] = swapped ? left : right;
        stack[used++] = swapped ? right : left;
    }
    return nearest;
}
