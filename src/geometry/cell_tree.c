#include "geometry/cell_tree.h"

#include "base/memory.h"
#include "math/bounds.h"

enum { LEAF_SIZE = 4, DEPTH_MAX = 64 };

static double middle_of(const void *context, int32_t item, int axis)
{
    const PalCellTree *tree = context;
    const PalBounds *box = &tree->bounded[item];
    return pal_vec3_at(box->lower, axis) + pal_vec3_at(box->upper, axis);
}

static int widest_axis(const PalCellTree *tree, int32_t first, int32_t count)
{
    PalBounds box = tree->bounded[tree->items[first]];
    for (int32_t i = 1; i < count; ++i)
        box = pal_bounds_join(&box, &tree->bounded[tree->items[first + i]]);
    PalVec3 extent = pal_vec3_sub(box.upper, box.lower);
    return extent.x >= extent.y && extent.x >= extent.z ? 0 : extent.y >= extent.z ? 1 : 2;
}

// `axis`: along which it was halved from its sibling.
static void build(PalCellTree *tree, int32_t first, int32_t count, int axis)
{
    int32_t own = tree->node_count++;
    tree->nodes[own] = (PalCellNode){.first = first, .count = count, .axis = axis};
    if (count <= LEAF_SIZE)
        return;
    int along = widest_axis(tree, first, count);
    pal_halve_along(tree->items + first, count, along, middle_of, tree);
    build(tree, first, count / 2, along);
    tree->nodes[own].right = tree->node_count;
    build(tree, first + count / 2, count - count / 2, along);
}

bool pal_cell_tree_init(PalCellTree *tree, PalCellTreeKind kind, const PalBounds *boxes,
                        int32_t count)
{
    *tree = (PalCellTree){.kind = kind, .item_count = count, .bounded = boxes};
    size_t nodes = (size_t)count + 1;
    tree->items = pal_alloc((size_t)count, sizeof *tree->items);
    tree->nodes = pal_alloc(nodes, sizeof *tree->nodes);
    tree->boxes = pal_alloc(kind == PAL_CELL_TREE_BOX ? nodes : 0, sizeof *tree->boxes);
    tree->intervals =
        pal_alloc(kind == PAL_CELL_TREE_INTERVAL ? nodes : 0, sizeof *tree->intervals);
    if (tree->items == NULL || tree->nodes == NULL || tree->boxes == NULL ||
        tree->intervals == NULL) {
        pal_cell_tree_clear(tree);
        return false;
    }
    for (int32_t i = 0; i < count; ++i)
        tree->items[i] = i;
    if (count > 0)
        build(tree, 0, count, widest_axis(tree, 0, count));
    pal_cell_tree_refit(tree, boxes);
    return true;
}

void pal_cell_tree_clear(PalCellTree *tree)
{
    pal_free(tree->items);
    pal_free(tree->nodes);
    pal_free(tree->boxes);
    pal_free(tree->intervals);
    *tree = (PalCellTree){.kind = PAL_CELL_TREE_BOX};
}

static void refit_boxes(PalCellTree *tree)
{
    for (int32_t n = tree->node_count - 1; n >= 0; --n) {
        const PalCellNode *node = &tree->nodes[n];
        if (node->right != 0) {
            tree->boxes[n] = pal_bounds_join(&tree->boxes[n + 1], &tree->boxes[node->right]);
            continue;
        }
        tree->boxes[n] = tree->bounded[tree->items[node->first]];
        for (int32_t i = 1; i < node->count; ++i)
            tree->boxes[n] =
                pal_bounds_join(&tree->boxes[n], &tree->bounded[tree->items[node->first + i]]);
    }
}

// A node that has another axis than its children looks at all its items: that happens once in two
// or three levels.
static void refit_intervals(PalCellTree *tree)
{
    for (int32_t n = tree->node_count - 1; n >= 0; --n) {
        const PalCellNode *node = &tree->nodes[n];
        double low = INFINITY, high = -INFINITY;
        if (node->right != 0 && tree->nodes[n + 1].axis == node->axis) {
            low = fmin(tree->intervals[n + 1][0], tree->intervals[node->right][0]);
            high = fmax(tree->intervals[n + 1][1], tree->intervals[node->right][1]);
        } else {
            for (int32_t i = 0; i < node->count; ++i) {
                const PalBounds *box = &tree->bounded[tree->items[node->first + i]];
                low = fmin(low, pal_vec3_at(box->lower, node->axis));
                high = fmax(high, pal_vec3_at(box->upper, node->axis));
            }
        }
        tree->intervals[n][0] = low;
        tree->intervals[n][1] = high;
    }
}

void pal_cell_tree_refit(PalCellTree *tree, const PalBounds *boxes)
{
    tree->bounded = boxes;
    if (tree->kind == PAL_CELL_TREE_BOX)
        refit_boxes(tree);
    else
        refit_intervals(tree);
}

static bool meet(const PalBounds *a, const PalBounds *b)
{
    return a->lower.x <= b->upper.x && b->lower.x <= a->upper.x && a->lower.y <= b->upper.y &&
           b->lower.y <= a->upper.y && a->lower.z <= b->upper.z && b->lower.z <= a->upper.z;
}

static bool node_meets(const PalCellTree *tree, int32_t n, const PalBounds *box)
{
    if (tree->kind == PAL_CELL_TREE_BOX)
        return meet(&tree->boxes[n], box);
    int axis = tree->nodes[n].axis;
    return tree->intervals[n][0] <= pal_vec3_at(box->upper, axis) &&
           tree->intervals[n][1] >= pal_vec3_at(box->lower, axis);
}

bool pal_cell_tree_find(const PalCellTree *tree, const PalBounds *box, PalCellList *found,
                        int64_t *tests)
{
    int32_t stack[DEPTH_MAX], used = 0;
    if (tree->node_count > 0)
        stack[used++] = 0;
    while (used > 0) {
        int32_t n = stack[--used];
        const PalCellNode *node = &tree->nodes[n];
        ++*tests;
        if (!node_meets(tree, n, box))
            continue;
        if (node->right != 0) {
            stack[used++] = node->right;
            stack[used++] = n + 1;
            continue;
        }
        *tests += node->count;
        for (int32_t i = 0; i < node->count; ++i) {
            int32_t item = tree->items[node->first + i];
            if (meet(&tree->bounded[item], box) && !pal_array_push(found, item))
                return false;
        }
    }
    return true;
}
