// A binary tree of boxes around the triangles of a mesh. Private to the mesh layer.
#ifndef PAL_MESH_BOX_TREE_H
#define PAL_MESH_BOX_TREE_H

#include <palpate/mesh.h>

typedef struct PalBoxNode {
    PalBounds box;
    int32_t first, count;  // of a leaf: its place in `items`
    int32_t right;         // of others: the second child; the first is the next node. 0: a leaf
} PalBoxNode;

typedef struct PalBoxTree {
    const PalMesh *mesh;
    int32_t node_count;
    PalBoxNode *nodes;
    int32_t *items;  // triangles
} PalBoxTree;

// False: no memory.
bool pal_box_tree_init(PalBoxTree *tree, const PalMesh *mesh);
void pal_box_tree_clear(PalBoxTree *tree);

PalBounds pal_triangle_box(const PalMesh *mesh, int32_t cell);
bool pal_boxes_meet(const PalBounds *a, const PalBounds *b);

// Calls for each pair of triangles with boxes that meet; the first has the lower index.
typedef void (*PalBoxPair)(void *context, int32_t a, int32_t b);
void pal_box_tree_self_pairs(const PalBoxTree *tree, PalBoxPair pair, void *context);

// Whether some triangle is no farther from a point than that.
bool pal_box_tree_within(const PalBoxTree *tree, PalVec3 point, double distance);

// The triangle nearest to a point. The tree holds at least one.
int32_t pal_box_tree_nearest(const PalBoxTree *tree, PalVec3 point);

#endif
