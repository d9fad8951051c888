// A binary tree over boxes that move, for those that a given box meets. It is built once, from the
// top by halves along the greatest extent, and refitted from below.
#ifndef PAL_GEOMETRY_CELL_TREE_H
#define PAL_GEOMETRY_CELL_TREE_H

#include "base/array.h"
#include <palpate/mesh.h>

typedef enum PalCellTreeKind {
    PAL_CELL_TREE_BOX,       // each node bounds its cells along all axes (ours)
    PAL_CELL_TREE_INTERVAL,  // along one axis only: that by which it differs from its sibling
                             // (hirota2003, 4.3.4)
} PalCellTreeKind;

typedef struct PalCellNode {
    int32_t first, count;  // of a leaf: its items
    int32_t right;         // of others: the second child; the first is the next node. 0: a leaf
    int32_t axis;
} PalCellNode;

typedef struct PalCellTree {
    PalCellTreeKind kind;
    int32_t item_count, node_count;
    int32_t *items;  // in the order of the leaves
    PalCellNode *nodes;
    PalBounds *boxes;          // per node
    double (*intervals)[2];    // per node, of the kind that has them
    const PalBounds *bounded;  // boxes of the items, as last fitted; borrowed
    int64_t tests;             // of a box against a node or an item, so far: the caller adds
} PalCellTree;

// Of items in these boxes, which stay the caller's. False: no memory.
bool pal_cell_tree_init(PalCellTree *tree, PalCellTreeKind kind, const PalBounds *boxes,
                        int32_t count);
void pal_cell_tree_clear(PalCellTree *tree);

// The boxes have changed.
void pal_cell_tree_refit(PalCellTree *tree, const PalBounds *boxes);

typedef PAL_ARRAY(int32_t) PalCellList;

// Adds the items whose boxes meet a box, in the order of the tree, and to `tests` how many
// comparisons that took. False: no memory.
bool pal_cell_tree_find(const PalCellTree *tree, const PalBounds *box, PalCellList *found,
                        int64_t *tests);

#endif
