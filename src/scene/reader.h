// The second pass over a scene: from a checked tree to definitions, filling defaults into the tree.
#ifndef PAL_SCENE_READER_H
#define PAL_SCENE_READER_H

#include "scene/keys.h"
#include "scene/tree/import.h"
#include <palpate/mesh_io.h>
#include <palpate/scene.h>
#include <palpate/vademecum_build.h>

#define PAL_DEGREE (3.14159265358979323846 / 180)

// What a body brought along, apart from its definition.
typedef struct PalSceneBody {
    const PalTreeNode *node;
    PalMesh *mesh;
    PalSurface *surface;    // made when a condition asks for facets
    PalMesh *triangles;     // of the surface, made when a selection asks what is near
    int32_t turned_count;   // cells that were inside out in the file
    int32_t dropped_count;  // nodes no cell used
} PalSceneBody;

struct PalScene {
    PalTree tree;  // holds all that has no destroy function of its own
    char *path;
    const char *name;
    char *resolved;
    char *identity;               // the same without what may change when a run goes on
    const PalImporter *importer;  // of a foreign model; NULL: a scene of our own
    char *source;  // of a foreign model: the scene it became, before defaults; NULL: not kept
    int32_t given_count;
    PalGivenMesh *given;
    int32_t import_warning_count;
    PalFinding *import_warnings;  // of a foreign model
    int32_t loss_count;
    const char **losses;  // of these: what decides the answer and was left out
    PalSimDef sim;
    PalOutputDef output;
    PalSceneBody *bodies;
    PalBodyDef *body_defs;
    PalMesh **rigid_meshes;
    PalRigidDef *rigid_defs;
    PalContactPairDef *contact_pairs;  // ascending, as the next
    bool *pair_named;                  // of these: by an entry that names its objects
    PalContactPairDef *off_pairs;      // switched off on purpose
    int32_t off_pair_count;
    PalConditionDef *condition_defs;
    int32_t *condition_node_counts;  // selected nodes
    const char **condition_places;
    PalProbeDef *probe_defs;
    int32_t *probe_node_counts;
    bool has_vademecum;
    PalVademecumDef vademecum;
};

typedef struct PalSceneReader {
    PalScene *scene;
    PalTree *tree;
    PalError *error;
    const char *stem;  // of the names of a foreign model's meshes; NULL: that of its file
    bool keep_source;
    int32_t depth;  // of selections in selections
    double span;    // the time that defaults follow: the solver's, or that of the run to go on
    bool lenient;   // what an imported model loses is told, and not refused
} PalSceneReader;

// The same as pal_scene_read with the file's text in memory; `path` says what it is beside.
PalStatus pal_scene_read_memory(const char *text, size_t size, const char *path,
                                const PalSceneOptions *options, PalScene **scene, PalError *error);

// The bytes of a file, in a heap array. `what` completes "cannot open ...".
PalStatus pal_scene_load(const char *path, const char *what, char **text, size_t *size,
                         PalError *error);

// Reads into a new scene as `reader` says, whose scene and tree are set here.
PalStatus pal_scene_make(PalSceneReader *reader, const char *text, size_t size, const char *path,
                         const PalSceneOptions *options, PalScene **scene);

// ---- values: an absent key leaves *value and enters it into the map -------------------------

PalStatus pal_scene_number(PalSceneReader *reader, PalTreeNode *map, const char *key,
                           double *value);
PalStatus pal_scene_vector(PalSceneReader *reader, PalTreeNode *map, const char *key,
                           PalVec3 *value);
PalStatus pal_scene_flag(PalSceneReader *reader, PalTreeNode *map, const char *key, bool *value);
PalStatus pal_scene_word(PalSceneReader *reader, PalTreeNode *map, const char *key,
                         const char **value);
PalVec3 pal_scene_as_vector(const PalTreeNode *list);

// A map's value that is a map; an empty one is entered when absent. NULL: no memory.
PalTreeNode *pal_scene_child(PalSceneReader *reader, PalTreeNode *map, const char *key);

// Fails where `node` stands.
#define PAL_SCENE_FAIL(reader, node, ...)                                                          \
    pal_tree_fail((reader)->tree, (node), (reader)->error, __VA_ARGS__)

// An error met below, with what it was about and where the scene says so.
PalStatus pal_scene_pass_on(PalSceneReader *reader, const PalTreeNode *node, const char *owner,
                            PalStatus status, const PalError *inner);

// Whether all nodes of a mesh are on its surface.
PalStatus pal_scene_find_one_layer(const PalMesh *mesh, bool *one_layer, PalError *error);

// A name that no body before it has, nor any of the first rigid instruments.
PalStatus pal_scene_check_unique(PalSceneReader *reader, const PalTreeNode *name,
                                 int32_t rigid_count);
// Names are shown in tables and become columns: no control characters, commas, quotes, slashes.
PalStatus pal_scene_check_name(PalSceneReader *reader, const PalTreeNode *node);

// Where a file named in the scene is: beside the scene unless absolute. NULL: no memory.
const char *pal_scene_beside(PalSceneReader *reader, const char *file);
// The one way of writing the path to a file, from the root.
const char *pal_scene_absolute(PalSceneReader *reader, const char *path);

// ---- parts ------------------------------------------------------------------------------------

PalStatus pal_scene_read_solver(PalSceneReader *reader, PalTreeNode *map);
PalStatus pal_scene_read_bodies(PalSceneReader *reader, PalTreeNode *list);
PalStatus pal_scene_read_rigids(PalSceneReader *reader, PalTreeNode *list);
PalStatus pal_scene_read_conditions(PalSceneReader *reader, PalTreeNode *list);
PalStatus pal_scene_read_contact(PalSceneReader *reader, PalTreeNode *list);
PalStatus pal_scene_read_probes(PalSceneReader *reader, PalTreeNode *list);
PalStatus pal_scene_read_output(PalSceneReader *reader, PalTreeNode *map);
PalStatus pal_scene_read_vademecum(PalSceneReader *reader, PalTreeNode *map);

// The nodes and weights of a force that is shared by a patch of the surface.
PalStatus pal_scene_read_patch(PalSceneReader *reader, const PalTreeNode *map, PalConditionDef *def,
                               int32_t *node_count);

PalStatus pal_scene_read_materials(PalSceneReader *reader, PalTreeNode *body, PalBodyDef *def);
PalStatus pal_scene_read_shape(PalSceneReader *reader, PalTreeNode *map, PalCellKind cell_kind,
                               const char *owner, PalMesh **mesh);
PalStatus pal_scene_read_mesh(PalSceneReader *reader, PalTreeNode *file, PalMeshWant want,
                              const char *owner, PalMesh **mesh);
PalStatus pal_scene_read_place(PalSceneReader *reader, PalTreeNode *object, const char *owner,
                               PalMesh *mesh);

// The skin of another body, which has its mesh already; and keys that only skins have.
PalStatus pal_scene_read_skin(PalSceneReader *reader, PalTreeNode *map, const PalBodyDef *def,
                              PalMesh **mesh);
PalStatus pal_scene_check_skin_keys(PalSceneReader *reader, PalTreeNode *map);

// Direction of a rotation, not zero.
PalStatus pal_scene_read_axis(PalSceneReader *reader, PalTreeNode *map, PalVec3 *axis);

// Ramp and until of a condition or a motion.
PalStatus pal_scene_read_ramp(PalSceneReader *reader, PalTreeNode *map, PalRampKind standard,
                              PalRamp *ramp);
// A selection at `map`; and one that is by the surface, by other objects or by others.
PalStatus pal_scene_read_part(PalSceneReader *reader, PalTreeNode *map, PalWhere *where);
PalStatus pal_scene_read_further(PalSceneReader *reader, PalTreeNode *map, PalWhere *where);
// One of the selections that the one at `map` is made of.
const PalTreeNode *pal_scene_part_at(const PalTreeNode *map, int32_t index);
void pal_scene_describe_further(const PalWhere *where, char *text, size_t size);

PalStatus pal_scene_read_where(PalSceneReader *reader, PalTreeNode *owner, PalWhere *where);

// Index of the body that `body` names.
PalStatus pal_scene_find_body(PalSceneReader *reader, const PalTreeNode *name, int32_t *index);
// Index of a body, or body_count + index of a rigid instrument.
PalStatus pal_scene_find_object(PalSceneReader *reader, const PalTreeNode *name, int32_t *object);
const char *pal_scene_object_name(const PalModelDef *model, int32_t object);
// Two instruments that nothing moves but their motions: they have nothing to do with each other.
bool pal_scene_both_prescribed(const PalModelDef *model, int32_t a, int32_t b);
// Whether two objects are to be kept apart (or one from itself).
bool pal_scene_touches(const PalScene *scene, int32_t a, int32_t b);
bool pal_scene_passes(const PalScene *scene, int32_t a, int32_t b);  // switched off on purpose
// A condition's or a probe's selection.
typedef struct PalSceneSelection {
    const PalTreeNode *owner;
    const PalWhere *where;
    int32_t body_index;
    bool facets;       // facets of the surface are wanted too
    const char *what;  // "condition 2 (fix)"
} PalSceneSelection;

// Fails when it matches no node or, where wanted, no facet.
PalStatus pal_scene_check_selection(PalSceneReader *reader, const PalSceneSelection *selection,
                                    int32_t *node_count);

// ---- changes and text -------------------------------------------------------------------------

PalStatus pal_scene_change(PalTree *tree, const PalSceneChange *change, PalError *error);

// The tree as YAML, keys in the order of the tables; free with free(). NULL: no memory.
char *pal_scene_write(PalTree *tree, const PalTreeNode *root);

// The shortest decimal that reads back as the same number.
void pal_scene_format_number(double number, char text[32]);

#endif
