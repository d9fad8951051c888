// A FEBio model being read: what its files share. Versions 2.5, 3.0 and 4.0 of the format differ in
// the names of tags more than in what they say.
#ifndef PAL_SCENE_FOREIGN_FEBIO_H
#define PAL_SCENE_FOREIGN_FEBIO_H

#include "mesh/readers/id_map.h"
#include "scene/foreign/model.h"
#include "scene/tree/xml.h"

// <Elements>
typedef struct PalFebioBlock {
    const PalXmlNode *node;
    int32_t rigid;  // the rigid body it belongs to; PAL_NONE: it is soft
} PalFebioBlock;

// What the elements of a rigid body have: faces of solids, or triangles and quadrilaterals.
typedef struct PalFebioShape {
    int32_t material;
    int32_t rigid;   // in the model
    PalInts facets;  // four corners each, the fourth PAL_NONE in a triangle; inner ones twice
    PalInts nodes;
} PalFebioShape;

typedef struct PalFebio {
    PalForeign *model;
    const PalXmlNode *root;
    PalCursor cursor;  // for what readers of meshes say
    PalRawMesh raw;
    PalIdMap node_ids, element_ids;
    PAL_ARRAY(int32_t) element_cells;  // cell of each element
    PAL_ARRAY(PalFebioBlock) blocks;
    PalNames block_names;
    PAL_ARRAY(PalFebioShape) shapes;
} PalFebio;

// All numbers in an element's text, at most `most`, with commas or blanks between them.
PalStatus pal_febio_numbers(PalFebio *febio, const PalXmlNode *node, double *values, int32_t most,
                            int32_t *count);
// One number.
PalStatus pal_febio_number(PalFebio *febio, const PalXmlNode *node, double *value);
// That of a child; an absent one leaves *value.
PalStatus pal_febio_child_number(PalFebio *febio, const PalXmlNode *parent, const char *name,
                                 double *value);
bool pal_febio_text_is(const char *text, const char *word);  // whatever the case and the blanks

// The next child to be looked at, marked as read; NULL behind the last. `child` NULL: the first.
PalXmlNode *pal_febio_each(const PalXmlNode *parent, const PalXmlNode *child);

// ---- parts ------------------------------------------------------------------------------------

// Nodes, elements and sets become model->mesh.
PalStatus pal_febio_read_mesh(PalFebio *febio);
PalStatus pal_febio_read_materials(PalFebio *febio);
// Which elements are made of what.
PalStatus pal_febio_read_domains(PalFebio *febio);
PalStatus pal_febio_read_curves(PalFebio *febio);
// <Control>, <Boundary>, <Loads>, <Rigid> and <Contact> of the root or of a step.
PalStatus pal_febio_read_control(PalFebio *febio, const PalXmlNode *owner);
PalStatus pal_febio_read_boundary(PalFebio *febio, const PalXmlNode *owner);
PalStatus pal_febio_read_loads(PalFebio *febio, const PalXmlNode *owner);
PalStatus pal_febio_read_rigid(PalFebio *febio, const PalXmlNode *owner);
PalStatus pal_febio_read_contact(PalFebio *febio, const PalXmlNode *owner);
// The curve that the attribute lc of a node names; PAL_NONE without one. The node may be NULL.
PalStatus pal_febio_find_curve(PalFebio *febio, const PalXmlNode *node, int32_t *curve);
// Index of a material by its name or its number; PAL_NONE: there is none.
int32_t pal_febio_find_material(const PalForeign *model, const char *word);
// The rigid body that a material makes, by name or number of the material; PAL_BAD_INPUT: none.
PalStatus pal_febio_find_rigid(PalFebio *febio, const PalXmlNode *node, const char *word,
                               int32_t *rigid);
// Rigid bodies of the elements read: their surfaces, and the soft nodes they share.
PalStatus pal_febio_make_rigids(PalFebio *febio);

// What a set or a surface is called among the groups of the mesh.
PalStatus pal_febio_find_set(PalFebio *febio, int32_t line, const char *name, const char **group);
PalStatus pal_febio_find_surface(PalFebio *febio, int32_t line, const char *name,
                                 const char **group);

#endif
