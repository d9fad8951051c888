// Models of other programs on their way to a scene: one body of one mesh, materials by groups of
// cells, conditions by groups, one step.
#ifndef PAL_SCENE_FOREIGN_MODEL_H
#define PAL_SCENE_FOREIGN_MODEL_H

#include "base/array.h"
#include "scene/tree/import.h"
#include "scene/tree/notes.h"

#define PAL_FOREIGN_PARAMETER_MAX 12

// A material in our own terms.
typedef struct PalForeignMaterial {
    const char *name;
    int64_t number;  // by which a file may call it
    int32_t line;
    const char *law;  // NULL: not read yet
    int32_t parameter_count;
    const char *keys[PAL_FOREIGN_PARAMETER_MAX];
    double values[PAL_FOREIGN_PARAMETER_MAX];
    double density;        // 0: none was given
    int32_t family_count;  // of fibres
    PalVec3 families[2];
    int32_t prony_count;
    PalPronyTerm isochoric[PAL_PRONY_MAX], volumetric[PAL_PRONY_MAX];  // weight 0: none
} PalForeignMaterial;

// What the cells of a group are made of.
typedef struct PalForeignSection {
    int32_t line;
    const char *group;
    int32_t material;
} PalForeignSection;

// A factor in time: straight between points.
typedef struct PalForeignCurve {
    const char *name;
    int32_t line;
    PAL_ARRAY(double) points;  // time, value, time, value, ...
} PalForeignCurve;

typedef enum PalForeignKind {
    PAL_FOREIGN_FIX,
    PAL_FOREIGN_DISPLACE,
    PAL_FOREIGN_FORCE,  // on each node
    PAL_FOREIGN_PRESSURE,
    PAL_FOREIGN_GRAVITY,
} PalForeignKind;

typedef struct PalForeignCondition {
    PalForeignKind kind;
    int32_t line;
    const char *group;
    bool axes[3];     // of fix and displace
    double value[3];  // pressure: the first
    int32_t curve;    // PAL_NONE: as the analysis has it
} PalForeignCondition;

typedef struct PalForeign {
    PalTree *tree;        // of the scene; holds all that has no destroy function of its own
    const char *program;  // "FEBio", "Abaqus"
    PalNotes notes;
    PalMesh *mesh;
    int32_t mesh_line;
    PAL_ARRAY(PalForeignMaterial) materials;
    PAL_ARRAY(PalForeignSection) sections;
    PAL_ARRAY(PalForeignCurve) curves;
    PAL_ARRAY(PalForeignCondition) conditions;
    int32_t step_line;  // 0: no step was found
    bool dynamic;
    double time;
    int32_t frame_count;  // 0: not said
} PalForeign;

void pal_foreign_clear(PalForeign *model);

// As in scene/notes.h: a line, then a format and its values.
#define pal_foreign_fail(model, ...) pal_notes_fail(&(model)->notes, __VA_ARGS__)
#define pal_foreign_warn(model, ...) pal_notes_warn(&(model)->notes, __VA_ARGS__)
#define pal_foreign_no_memory(model) pal_notes_no_memory(&(model)->notes)

const char *pal_foreign_text(PalForeign *model, const char *text, size_t size);  // NULL: no memory
void pal_foreign_set(PalForeignMaterial *material, const char *key, double value);

// A group of the mesh, or PAL_BAD_INPUT; `any_case`: whatever the case of its name.
PalStatus pal_foreign_group(PalForeign *model, int32_t line, const char *name, bool any_case,
                            const char **group);

// ---- what a file becomes ----------------------------------------------------------------------

// Makes the tree of the scene; its mesh is called `file`.
PalStatus pal_foreign_build(PalForeign *model, const char *file);

// After reading into the model, with its status: makes the tree of the scene and hands over the
// mesh. Clears the model.
PalStatus pal_foreign_finish(PalForeign *model, PalStatus status, const char *stem,
                             PalSceneImport *import);

extern const PalImporter pal_importer_febio, pal_importer_abaqus;

#endif
