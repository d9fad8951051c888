// Models of other programs on their way to a scene: a mesh, materials by groups of cells,
// conditions by groups, rigid bodies, contact by groups. Parts that touch become bodies of their
// own.
#ifndef PAL_SCENE_FOREIGN_MODEL_H
#define PAL_SCENE_FOREIGN_MODEL_H

#include "base/array.h"
#include "mesh/readers/raw.h"
#include "scene/tree/import.h"
#include "scene/tree/notes.h"

#define PAL_FOREIGN_PARAMETER_MAX 12

// A material in our own terms.
typedef struct PalForeignMaterial {
    const char *name;
    int64_t number;  // by which a file may call it
    int32_t line;
    const char *law;  // NULL: not read yet
    bool rigid;       // of a rigid body: it has no law
    bool has_centre;  // of mass, of a rigid body
    PalVec3 centre;
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
    bool bent;                 // not straight between its points in the other program
    bool open;                 // it goes on behind its last point in the other program
    bool total;                // its time is that of all steps together
} PalForeignCurve;

typedef enum PalForeignKind {
    PAL_FOREIGN_FIX,
    PAL_FOREIGN_DISPLACE,
    PAL_FOREIGN_FORCE,  // on each node
    PAL_FOREIGN_PRESSURE,
    PAL_FOREIGN_TRACTION,
    PAL_FOREIGN_GRAVITY,
} PalForeignKind;

typedef struct PalForeignCondition {
    PalForeignKind kind;
    int32_t line;
    const char *group;  // NULL: everything
    bool axes[3];       // of fix and displace
    double value[3];    // pressure: the first
    int32_t curve;      // PAL_NONE: as the analysis has it
} PalForeignCondition;

// Two surfaces, or sets of nodes on them, that are to be kept apart; no groups: whatever meets.
typedef struct PalForeignContact {
    int32_t line;
    const char *groups[2];
    double friction;
} PalForeignContact;

// Freedoms of a rigid body: translations along x, y, z, rotations about them.
enum { PAL_FOREIGN_FREEDOMS = 6 };

typedef struct PalForeignRigid {
    int32_t line;
    const char *name;
    PalInts facets;  // four corners each, the fourth PAL_NONE in a triangle
    double density;
    bool has_centre;
    PalVec3 centre;  // about which it turns
    bool given[PAL_FOREIGN_FREEDOMS];
    double value[PAL_FOREIGN_FREEDOMS];  // radians
    int32_t curve[PAL_FOREIGN_FREEDOMS];
    bool pushed;
    double push[PAL_FOREIGN_FREEDOMS];  // force and torque
    int32_t push_curve;
    // set when the scene is built
    const char *file;
    PalMesh *mesh;
} PalForeignRigid;

// Nodes of soft cells that go along with a rigid body.
typedef struct PalForeignAttachment {
    int32_t line, rigid;
    const char *group;
} PalForeignAttachment;

// A body of the scene.
typedef struct PalForeignPart {
    const char *name, *file;
    PalMesh *mesh;
} PalForeignPart;

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
    PAL_ARRAY(PalForeignContact) contacts;
    PAL_ARRAY(PalForeignRigid) rigids;
    PAL_ARRAY(PalForeignAttachment) attachments;
    PAL_ARRAY(PalForeignPart) parts;
    int32_t *node_part;   // part of each node, PAL_NONE: no cell has it
    PalSurface *surface;  // of the mesh, made when it is asked for
    int32_t step_line;    // 0: no step was found
    bool dynamic;
    double time;
    int32_t frame_count;  // 0: not said
} PalForeign;

void pal_foreign_clear(PalForeign *model);

// As in scene/notes.h: a line, then a format and its values.
#define pal_foreign_fail(model, ...) pal_notes_fail(&(model)->notes, __VA_ARGS__)
#define pal_foreign_warn(model, ...) pal_notes_warn(&(model)->notes, __VA_ARGS__)
#define pal_foreign_lose(model, ...) pal_notes_lose(&(model)->notes, __VA_ARGS__)
#define pal_foreign_no_memory(model) pal_notes_no_memory(&(model)->notes)

const char *pal_foreign_text(PalForeign *model, const char *text, size_t size);  // NULL: no memory
void pal_foreign_set(PalForeignMaterial *material, const char *key, double value);

// A group of the mesh, or PAL_BAD_INPUT; `any_case`: whatever the case of its name.
PalStatus pal_foreign_group(PalForeign *model, int32_t line, const char *name, bool any_case,
                            const char **group);

// Whether all faces of a group are on the surface of the mesh, where loads can act.
PalStatus pal_foreign_on_surface(PalForeign *model, const PalGroup *group, bool *on);

// ---- what a file becomes ----------------------------------------------------------------------

// Divides the mesh into the bodies of the scene, and makes the meshes of rigid bodies. All files
// are named after `stem`.
PalStatus pal_foreign_divide(PalForeign *model, const char *stem);

// What moves with a rigid body that is told where to go: attachments become conditions.
PalStatus pal_foreign_attach(PalForeign *model);

// Makes the tree of the scene.
PalStatus pal_foreign_build(PalForeign *model);
PalStatus pal_foreign_build_conditions(PalForeign *model, PalTreeNode *root);
PalStatus pal_foreign_build_rigids(PalForeign *model, PalTreeNode *root);
PalStatus pal_foreign_build_contact(PalForeign *model, PalTreeNode *root);

// ---- nodes of the tree: each put is false when there is no memory
// -------------------------------

PalTreeNode *pal_foreign_new(PalForeign *model, PalTreeKind kind, int32_t line);
bool pal_foreign_put(PalForeign *model, PalTreeNode *owner, const char *key, PalTreeNode *value);
bool pal_foreign_put_text(PalForeign *model, PalTreeNode *map, const char *key, const char *text);
// A name, which may look like a number.
bool pal_foreign_put_name(PalForeign *model, PalTreeNode *map, const char *key, const char *text);
bool pal_foreign_put_number(PalForeign *model, PalTreeNode *map, const char *key, double number);
bool pal_foreign_put_vector(PalForeign *model, PalTreeNode *map, const char *key,
                            const double *value);
// The ramp of a curve, or what the analysis has without one.
bool pal_foreign_put_ramp(PalForeign *model, PalTreeNode *map, int32_t curve);

// After reading into the model, with its status: makes the tree of the scene and hands over the
// meshes. Clears the model.
PalStatus pal_foreign_finish(PalForeign *model, PalStatus status, const char *stem,
                             PalSceneImport *import);

extern const PalImporter pal_importer_febio, pal_importer_abaqus;

#endif
