// From a model that has been read to the tree and the meshes of a scene.
#ifndef PAL_SCENE_NIFTYSIM_BUILD_H
#define PAL_SCENE_NIFTYSIM_BUILD_H

#include "scene/niftysim/model.h"

// A part of the model that becomes a body of the scene.
typedef struct PalNiftyBody {
    const char *name;
    PalMesh *mesh;  // to be handed over or destroyed; of membranes, borrowed
} PalNiftyBody;

typedef struct PalNiftyBuild {
    PalNifty *nifty;
    PalNiftyScope *scope;
    const PalNiftySystem *system;
    int32_t surface_count;
    PalNiftySurface *surfaces;
    const char *stem;                 // of the meshes' names
    int32_t solid_count, body_count;  // after solids come membranes with nodes of their own
    PalNiftyBody *bodies;
    int32_t *node_body, *node_local;  // per node of the model; PAL_NONE where no element is
    int32_t *cell_body;               // per element of the model
} PalNiftyBuild;

// ---- growing a tree (grow.c) ----------------------------------------------------------------

PalTreeNode *pal_nifty_map(PalNiftyBuild *build, int32_t line);
PalTreeNode *pal_nifty_list(PalNiftyBuild *build, int32_t line);
// Each stands where its map does. False: no memory.
bool pal_nifty_put(PalNiftyBuild *build, PalTreeNode *map, const char *key, PalTreeNode *value);
bool pal_nifty_put_text(PalNiftyBuild *build, PalTreeNode *map, const char *key, const char *text);
bool pal_nifty_put_number(PalNiftyBuild *build, PalTreeNode *map, const char *key, double number);
bool pal_nifty_put_vector(PalNiftyBuild *build, PalTreeNode *map, const char *key, PalVec3 value);

// ---- parts ------------------------------------------------------------------------------------

// Shares nodes and elements among bodies and makes their meshes, with a group per element set.
PalStatus pal_nifty_build_bodies(PalNiftyBuild *build, PalTreeNode *list);
// A body for each set of membranes or shells, attached to the solid with all its nodes unless they
// are its own.
PalStatus pal_nifty_build_shells(PalNiftyBuild *build, PalTreeNode *bodies,
                                 PalTreeNode *conditions);
// The name of such a body. NULL: no memory.
const char *pal_nifty_shell_name(PalNiftyBuild *build, int32_t index);
// Conditions, with a group of the body's mesh for each selection.
PalStatus pal_nifty_build_conditions(PalNiftyBuild *build);
// Warns where constraints meet on one node.
PalStatus pal_nifty_warn_overlaps(PalNiftyBuild *build);
PalStatus pal_nifty_build_rigids(PalNiftyBuild *build, PalTreeNode *list);
PalStatus pal_nifty_build_contact(PalNiftyBuild *build, PalTreeNode *list);
// The name of a mesh's file. NULL: no memory.
const char *pal_nifty_mesh_name(PalNiftyBuild *build, const char *body);

#endif
