// Scenes that the program makes: too large or too regular to be written by hand. Benchmarks, tests
// and experiments use them; `palpate run` runs the files.
#ifndef PAL_EXPERIMENTS_MAKE_H
#define PAL_EXPERIMENTS_MAKE_H

#include <palpate/palpate.h>
#include <stdio.h>

#define PAL_SCENE_PATH_MAX 4096

typedef struct PalMaking {
    const char *folder;  // meshes are written here as well
    const char *stem;    // of the files' names
    int32_t size;        // how many bodies, or cells along an edge
    FILE *scene;         // the YAML text
} PalMaking;

typedef struct PalMaker {
    const char *name;
    const char *help;
    int32_t size;  // where none is asked for; 0: it comes in one size
    PalStatus (*make)(const PalMaking *making, PalError *error);
} PalMaker;

const PalMaker *pal_maker(int32_t index);  // NULL after the last one
const PalMaker *pal_maker_find(const char *name);

// Makes NAME.yaml, or NAME-SIZE.yaml, in a folder, unless it is there already. size: 0 for the
// maker's own. `path`, of PAL_SCENE_PATH_MAX bytes, receives the scene's path.
PalStatus pal_make_scene(const PalMaker *maker, int32_t size, const char *folder, char *path,
                         PalError *error);

// ---- for makers -------------------------------------------------------------------------

// Writes FOLDER/STEM-WHAT.ENDING, and frees the mesh.
PalStatus pal_making_mesh(const PalMaking *making, const char *what, const char *ending,
                          PalMesh *mesh, PalError *error);

extern const PalMaker pal_maker_mat, pal_maker_chain, pal_maker_rods, pal_maker_cards,
    pal_maker_sheets, pal_maker_bowl, pal_maker_pile, pal_maker_flat, pal_maker_u_block,
    pal_maker_prostate, pal_maker_swarm, pal_maker_zipper, pal_maker_liver_bars,
    pal_maker_liver_forceps, pal_maker_breast, pal_maker_knee, pal_maker_wedge,
    pal_maker_leaning_rods, pal_maker_snake;

#endif
