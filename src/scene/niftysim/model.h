// A NiftySim model on its way to a scene: what the tags say, checked, in numbers.
// docs/formats-niftysim.md
#ifndef PAL_SCENE_NIFTYSIM_MODEL_H
#define PAL_SCENE_NIFTYSIM_MODEL_H

#include "scene/tree/notes.h"
#include "scene/tree/xml.h"
#include <palpate/model.h>

typedef struct PalNifty {
    PalTree *memory;  // holds everything that has no destroy function of its own
    PalTree *tree;    // of the scene; materials are made in it as they are read
    PalNotes notes;
    const char *folder;  // of the model, with a slash at its end; "" for the working directory
    double density;      // SystemParams; 0: none
    double hourglass;    // HGKappa; PAL_NIFTY_NO_HOURGLASS: none
    int64_t named;       // nodes, elements and faces that a word or a range has named so far
} PalNifty;

#define PAL_NIFTY_NO_HOURGLASS (-1)

// ---- words and numbers (values.c) -----------------------------------------------------------

// As in scene/notes.h: a line, then a format and its values.
#define pal_nifty_fail(nifty, ...) pal_notes_fail(&(nifty)->notes, __VA_ARGS__)
#define pal_nifty_warn(nifty, ...) pal_notes_warn(&(nifty)->notes, __VA_ARGS__)
#define pal_nifty_lose(nifty, ...) pal_notes_lose(&(nifty)->notes, __VA_ARGS__)
#define pal_nifty_can_warn(nifty)  pal_notes_can_warn(&(nifty)->notes)
#define pal_nifty_no_memory(nifty) pal_notes_no_memory(&(nifty)->notes)

// Needs the tag or the attribute to be there.
PalStatus pal_nifty_need(PalNifty *nifty, const PalXmlNode *parent, const char *name,
                         PalXmlNode **child);
PalStatus pal_nifty_need_attribute(PalNifty *nifty, const PalXmlNode *node, const char *name,
                                   const char **value);

typedef struct PalNiftyNumbers {
    int32_t count;
    double *items;
} PalNiftyNumbers;

// All numbers of an element's text. Anything else in it is refused.
PalStatus pal_nifty_numbers(PalNifty *nifty, const PalXmlNode *node, PalNiftyNumbers *numbers);
// The same, and there must be `count` of them.
PalStatus pal_nifty_exactly(PalNifty *nifty, const PalXmlNode *node, int32_t count, double *values);
PalStatus pal_nifty_vector(PalNifty *nifty, const PalXmlNode *node, PalVec3 *value);
// A number of a child; an absent one leaves *value.
PalStatus pal_nifty_scalar(PalNifty *nifty, const PalXmlNode *parent, const char *name,
                           double *value);
PalStatus pal_nifty_flag(PalNifty *nifty, const PalXmlNode *parent, const char *name, bool *value);

typedef struct PalNiftyIndices {
    int32_t count;
    int32_t *items;
    bool all;
} PalNiftyIndices;

// What an index list may hold.
typedef struct PalNiftyRange {
    const char *attribute;  // "NumNodes", "Size"
    const char *what;       // "node"
    int32_t total;
    bool all;  // the word `all` is allowed
} PalNiftyRange;

// The list whose count is an attribute of `owner` and whose indices are the text of `list`
// (NULL: absent): as many indices, or the first of as many in a row, or all.
PalStatus pal_nifty_indices(PalNifty *nifty, const PalXmlNode *owner, const PalXmlNode *list,
                            const PalNiftyRange *range, PalNiftyIndices *indices);
// Counts what a few letters of the file name: a small file must not take all memory.
PalStatus pal_nifty_name_more(PalNifty *nifty, int32_t line, int32_t count);
// Indices of nodes in rows of `width`, all of them below `total`.
PalStatus pal_nifty_rows(PalNifty *nifty, const PalXmlNode *node, int32_t width, int32_t total,
                         PalNiftyIndices *rows);
// A count in an attribute.
PalStatus pal_nifty_count(PalNifty *nifty, const PalXmlNode *node, const char *name,
                          int32_t *count);

// ---- the model ------------------------------------------------------------------------------

typedef struct PalNiftySet {
    int32_t line;
    PalTreeNode *material;  // in the scene's tree
    double hourglass;       // as a fraction of Young's modulus
    const char *name;
} PalNiftySet;

typedef enum PalNiftyKind {
    PAL_NIFTY_FIX,
    PAL_NIFTY_DISP,
    PAL_NIFTY_FORCE,
    PAL_NIFTY_GRAVITY,
    PAL_NIFTY_PRESSURE,
    PAL_NIFTY_TRACTION,
    PAL_NIFTY_KIND_COUNT,
} PalNiftyKind;

typedef enum PalNiftyShape {
    PAL_NIFTY_POLY345,
    PAL_NIFTY_RAMP,
    PAL_NIFTY_STEP,
    PAL_NIFTY_HILLY,
    PAL_NIFTY_RAMPHOLD,
    PAL_NIFTY_SHAPE_COUNT,
} PalNiftyShape;

typedef struct PalNiftyConstraint {
    PalNiftyKind kind;
    int32_t line;
    PalNiftyShape shape;
    bool axes[3];
    PalVec3 value;       // gravity: acceleration; traction, as NiftySim applies it
    double magnitude;    // displacement, force, pressure
    double *magnitudes;  // one per node; NULL: `magnitude` for all
    PalVec3 *tractions;  // one per face; NULL: `value` for all
    int32_t node_count;
    int32_t *nodes;
    int32_t face_count;
    int32_t (*faces)[4];  // corners in the order given; the fourth is PAL_NONE in a triangle
} PalNiftyConstraint;

// Triangles of one <ShellElementSet>.
typedef struct PalNiftyShell {
    int32_t line;
    PalTreeNode *material;  // in the scene's tree
    double thickness;
    bool bends;
    int32_t cell_count;
    int32_t *cells;  // three nodes of the model each
    PalMesh *mesh;   // to be destroyed
    int32_t body;    // of its own, in the scene; PAL_NONE: it is attached to a solid
} PalNiftyShell;

// A model or a submodel in numbering of its own.
typedef struct PalNiftyScope {
    const PalXmlNode *node;
    PalElementKind element;
    int32_t mesh_line;
    PalMesh *mesh;        // to be destroyed
    PalSurface *surface;  // made when a constraint asks for it; to be destroyed
    int32_t *cell_set;    // per cell; PAL_NONE: in none
    int32_t *node_stamp;  // per node: the last list that named it, for repeats
    int32_t stamp;
    PAL_ARRAY(PalNiftySet) sets;
    PAL_ARRAY(PalNiftyShell) shells;
    PAL_ARRAY(PalNiftyConstraint) constraints;
} PalNiftyScope;

void pal_nifty_scope_clear(PalNiftyScope *scope);

typedef struct PalNiftySurface {
    int32_t line;
    PalMesh *mesh;  // to be destroyed
    double friction;
    PalVec3 translation, axis, centre;
    double radians;
    bool smooth;  // it moves as POLY345 says, and then stays
} PalNiftySurface;

typedef struct PalNiftySystem {
    int32_t line;
    double step, total, damping;
    int64_t steps;  // taken in all
    bool collides, collides_itself;
    int32_t collide_line;
    double friction;
    double margin, rate_distance;  // 0: not given
    double every;                  // between frames; 0: not given
} PalNiftySystem;

// ---- parts (one file each) ------------------------------------------------------------------

// Nodes and elements, inline or from a file; not those of submodels.
PalStatus pal_nifty_read_mesh(PalNifty *nifty, PalNiftyScope *scope);
// Triangles, inline or from a file.
PalStatus pal_nifty_read_surface_mesh(PalNifty *nifty, const PalXmlNode *node, PalMesh **mesh);
// The whole scope: its mesh or its submodels', element sets, constraints.
PalStatus pal_nifty_read_scope(PalNifty *nifty, const PalXmlNode *node, int32_t depth,
                               PalNiftyScope *scope);
PalStatus pal_nifty_read_sets(PalNifty *nifty, PalNiftyScope *scope);
PalStatus pal_nifty_read_material(PalNifty *nifty, const PalXmlNode *node, PalNiftySet *set);
PalStatus pal_nifty_read_constraints(PalNifty *nifty, PalNiftyScope *scope);
PalStatus pal_nifty_find_surface(PalNifty *nifty, PalNiftyScope *scope);
// What <Normal> and <RestrictTo> of a constraint select: nodes, or with `faces` facets.
PalStatus pal_nifty_select_normal(PalNifty *nifty, PalNiftyScope *scope, const PalXmlNode *node,
                                  bool faces, PalNiftyConstraint *constraint);
PalStatus pal_nifty_take_facets(PalNifty *nifty, const PalNiftyScope *scope, const uint8_t *marks,
                                PalNiftyConstraint *constraint);
// Membranes and shells on the solid.
PalStatus pal_nifty_read_shells(PalNifty *nifty, PalNiftyScope *scope);
PalStatus pal_nifty_read_system(PalNifty *nifty, const PalXmlNode *root, PalNiftySystem *system);
PalStatus pal_nifty_read_output(PalNifty *nifty, const PalXmlNode *root, PalNiftySystem *system);
PalStatus pal_nifty_read_contact_surface(PalNifty *nifty, const PalXmlNode *node,
                                         PalNiftySurface *surface);
// <ContactPlate>, <ContactCylinder>, <ContactUSProbe>.
PalStatus pal_nifty_read_contact_shape(PalNifty *nifty, const PalXmlNode *node,
                                       PalNiftySurface *surface);

#endif
