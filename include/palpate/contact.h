// Contact between soft bodies, rigid bodies and instruments, and bodies with themselves.
#ifndef PALPATE_CONTACT_H
#define PALPATE_CONTACT_H

#include <palpate/math.h>
#include <palpate/model.h>

#ifdef __cplusplus
extern "C" {
#endif
PAL_API_BEGIN

// ---- definitions ------------------------------------------------------------------------

// When contact is searched for.
typedef enum PalScheduleKind {
    PAL_SCHEDULE_EVERY_STEP,
    PAL_SCHEDULE_TRAJECTORY,  // objects sleep until predicted paths bring them near each other
} PalScheduleKind;

// The tree of volumes that the search builds around the surface.
typedef enum PalHierarchyKind {
    PAL_HIERARCHY_AABB2,   // boxes along the axes, two children
    PAL_HIERARCHY_AABB4,   // boxes along the axes, four children
    PAL_HIERARCHY_OBB2,    // boxes in any orientation, two children
    PAL_HIERARCHY_SPHERE,  // spheres, paired from below; all are refitted where they are looked at
    PAL_HIERARCHY_INTERVAL,  // of cells, by intervals along one axis each: contact by depths only
} PalHierarchyKind;

// What two leaves of spheres are compared by, once their spheres overlap.
typedef enum PalLeafKind {
    PAL_LEAF_SPHERE,
    PAL_LEAF_AABB,   // boxes along the axes
    PAL_LEAF_OBB,    // boxes along the axes of inertia
    PAL_LEAF_DOP14,  // slabs in 7, 9 and 13 directions
    PAL_LEAF_DOP18,
    PAL_LEAF_DOP26,
} PalLeafKind;

// How the hierarchy follows the moving surface.
typedef enum PalUpdateKind {
    PAL_UPDATE_FRONT,  // pairs of facets are kept, searched again only where motion requires it
    PAL_UPDATE_UPDATE_NODES,  // johnsen2015, algorithm 1
    PAL_UPDATE_LARSSON,       // refits the upper half each step, the rest where visited
    PAL_UPDATE_EXHAUSTIVE,    // refits every box each step
} PalUpdateKind;

// How two cones of normals are merged into one.
typedef enum PalConeKind {
    PAL_CONE_NARROWEST,  // johnsen2015, equation 4
    PAL_CONE_PROVOT,     // axis halfway between
} PalConeKind;

// When the search may skip a connected patch because it cannot touch itself.
typedef enum PalSelfTest {
    PAL_SELF_TEST_SOUND,  // narrow cone during the whole step, and a rim that cannot cross itself
    PAL_SELF_TEST_CONE,   // narrow cone: the papers' criterion, which ignores the rim
    PAL_SELF_TEST_EXHAUSTIVE,  // never: everything is searched
} PalSelfTest;

// How bodies are kept apart.
typedef enum PalResponseKind {
    PAL_RESPONSE_LAGRANGE,     // all contacts together; conserves momentum, nothing passes
    PAL_RESPONSE_JOHNSEN2015,  // as published
    PAL_RESPONSE_JOHNSEN2012,  // as published: surfaces take turns as master until none overlap
    PAL_RESPONSE_BARRIER,      // implicit methods: a force that grows without bound as gaps close
    PAL_RESPONSE_MATERIAL_DEPTH,  // depth inside tetrahedra, integrated over areas: hirota2003
    PAL_RESPONSE_COLLOCATION,     // the same at vertices alone
} PalResponseKind;

// What a scene can choose, by the enumeration's value; NULL after the last one.
const PalChoice *pal_schedule_choice(int32_t index);
const PalChoice *pal_hierarchy_choice(int32_t index);
const PalChoice *pal_leaf_choice(int32_t index);
const PalChoice *pal_update_choice(int32_t index);
const PalChoice *pal_cone_choice(int32_t index);
const PalChoice *pal_self_test_choice(int32_t index);
const PalChoice *pal_response_choice(int32_t index);

// Names as in scenes: "every-step", "aabb2", "front", "narrowest", "sound", "lagrange", ...
const char *pal_schedule_name(PalScheduleKind kind);
const char *pal_hierarchy_name(PalHierarchyKind kind);
const char *pal_leaf_name(PalLeafKind kind);
const char *pal_update_name(PalUpdateKind kind);
const char *pal_cone_name(PalConeKind kind);
const char *pal_self_test_name(PalSelfTest kind);
const char *pal_response_name(PalResponseKind kind);
bool pal_schedule_find(const char *name, PalScheduleKind *kind);
bool pal_hierarchy_find(const char *name, PalHierarchyKind *kind);
bool pal_leaf_find(const char *name, PalLeafKind *kind);
bool pal_update_find(const char *name, PalUpdateKind *kind);
bool pal_cone_find(const char *name, PalConeKind *kind);
bool pal_self_test_find(const char *name, PalSelfTest *kind);
bool pal_response_find(const char *name, PalResponseKind *kind);

// What a response guarantees: bodies come to rest on each other, so that relaxation can end;
// nothing passes through anything.
bool pal_response_rests(PalResponseKind kind);
bool pal_response_prevents_crossing(PalResponseKind kind);
// Surfaces may overlap from the start on; otherwise they are moved apart before it.
bool pal_response_overlaps(PalResponseKind kind);
// Whether implicit methods, or explicit ones, can use it.
bool pal_response_serves(PalResponseKind kind, bool implicit);

// Two objects that can touch, or one that can touch itself (the same number twice). Objects are the
// model's bodies, then its rigid instruments: object body_count + r is rigid r.
typedef struct PalContactPairDef {
    int32_t objects[2];
    double friction;  // Coulomb's coefficient, >= 0; beside every_pair or every_self also < 0:
                      // these two pass through each other
} PalContactPairDef;

typedef struct PalContactDef {
    int32_t pair_count;
    const PalContactPairDef *pairs;
    // Every two objects, and every body with itself, as far as `pairs` does not list them; two
    // instruments whose motion is prescribed never touch. For many objects: what this costs depends
    // on how many are near each other.
    bool every_pair, every_self;
    double every_pair_friction, every_self_friction;
    PalScheduleKind schedule;
    PalHierarchyKind hierarchy;
    PalLeafKind leaf;  // of a hierarchy of spheres
    PalUpdateKind update;
    PalConeKind cone;
    PalSelfTest self_test;
    PalResponseKind response;
    double separation;   // distance that surfaces keep at rest on each other, at most the mean edge
                         // of the finest body in contact; 0: automatic
    double stiffness;    // of implicit methods' contact, times what the program chooses; > 0
    double penetration;  // contact by depths: the penetration allowed, of the edges around; > 0
} PalContactDef;

PalContactDef pal_contact_def_default(void);
bool pal_contact_def_touches(const PalContactDef *def);  // anything at all

// ---- before the start -------------------------------------------------------------------

// How two objects, or one with itself, overlap or touch before anything is moved.
typedef struct PalOverlap {
    int32_t objects[2];
    int32_t crossing_count;  // pairs of facets that cross each other
    int32_t inside_count;    // vertices of one inside the other
    int32_t near_count;      // vertices outside, but nearer to the other than the separation
    double depth;            // of the deepest vertex, 0: none is inside
    bool too_deep;           // some vertex is inside by more than half the mean edge around it and
                             // 0.15 of the radius of what is soft there (three times volume over
                             // surface), or has no facet that faces it so near; between rigid
                             // bodies by more than a tenth of the free one's radius
    double limit;            // the smallest depth allowed at the vertices that are too deep
    int32_t limit_object;    // whose edge or radius that is
    bool limit_by_size;      // it is the radius
    bool held;               // one lies inside the other as a whole, an instrument taken as hollow
    double gap;              // the least distance among `near_count`
    PalVec3 place;           // of the deepest; else of the nearest, or where facets cross
} PalOverlap;

typedef struct PalOverlaps {
    double separation;
    double shortest_edge, mean_edge;  // of the soft bodies that touch anything; of the free rigid
                                      // ones where nothing is soft
    int32_t count;
    PalOverlap *items;  // sorted by objects; only pairs that overlap or nearly touch
} PalOverlaps;

// What overlaps or nearly touches, as segmented anatomy does. Clear the result in any case.
PalStatus pal_overlaps_find(const PalContactDef *def, const PalModel *model, PalOverlaps *overlaps,
                            PalError *error);
void pal_overlaps_clear(PalOverlaps *overlaps);

// ---- what happens -----------------------------------------------------------------------

typedef enum PalContactKind {
    PAL_CONTACT_NODE_FACET,
    PAL_CONTACT_EDGE_EDGE,
} PalContactKind;

// One contact that carries force in the last step.
typedef struct PalContactPoint {
    PalContactKind kind;
    int32_t objects[2];   // the lower first; the force acts on it and, reversed, on the second
    PalVec3 position[2];  // touching points of the two
    PalVec3 normal;       // unit vector from the second to the first
    PalVec3 force;        // on the first: normal part and friction
    double normal_force;  // its part along the normal, >= 0
    double gap;           // distance between the two, negative where they overlap
    bool slips;           // friction is used up
} PalContactPoint;

// Contact of a run so far; lengths in the user's units.
typedef struct PalContactReport {
    int32_t contact_count;     // contacts that carry force
    int32_t most_contacts;     // since the start
    double penetration;        // deepest overlap now, >= 0
    double worst_penetration;  // since the start
    double worst_of_edge;      // the same, each by the edges around its place; contact by depths
    double separation;         // resting distance in use
    double shortest_edge;      // of the soft bodies that touch anything, or else of free rigid ones
    double mean_edge;          // the smallest of their mean edges
    double margin;             // distance within which pairs are watched
    double range;              // implicit methods: forces act below this distance; 0: at overlaps
    double stride;             // and instruments with friction go no farther in a step; 0: any way
    double stiffness;          // and their stiffness, force per length, of the softest body
    double least_gap;          // the smallest distance of contacts that carry force; 0: none do
    int64_t rescues;           // node motions cut short, since the start: 0 in a healthy run
    int64_t queries;           // continuous detections asked for, since the start
    int64_t hits;              // of these, collisions the first solve had not prevented
    int32_t moved_count;       // nodes moved before the start, because bodies overlapped or touched
    double largest_move;       // the farthest of these
    int32_t moved_rigid_count;  // free rigid bodies moved then, for the same reason, as a whole
    double largest_rigid_move;  // the farthest of these
    double mass_change;         // relative; of the body whose mass this changed most
    int32_t mass_change_body;   // that body
} PalContactReport;

// Totals of one pair.
typedef struct PalContactPairReport {
    int32_t objects[2];           // the lower first
    double friction;              // as in the definition, unless a program has changed it
    int32_t contact_count;        // contacts that carry force
    double normal_force;          // sum over these
    int64_t touch_steps;          // steps with such contacts, since the start
    double largest_normal_force;  // of all steps
    double largest_time;          // at which it was
} PalContactPairReport;

// A volume around points, of the kinds that the leaves of a hierarchy of spheres can have.
typedef struct PalEnclosure {
    PalLeafKind kind;
    double data[16];  // its own
} PalEnclosure;

// False: the kind is none. Where a number is missing or infinite, the volume is apart from nothing.
bool pal_enclosure_fit(PalLeafKind kind, const PalVec3 *points, int32_t count,
                       PalEnclosure *enclosure);
// Do two volumes of one kind tell that no point is in both? Boxes of inertia are compared by their
// six axes.
bool pal_enclosures_apart(const PalEnclosure *a, const PalEnclosure *b);

// How many volumes there are from the root of a tree to its leaves.
typedef struct PalTreeDepths {
    double mean;
    int32_t least, most;
} PalTreeDepths;

// Builds the tree of spheres of `hierarchy: sphere` around the triangles of a surface, from below.
PalStatus pal_sphere_tree_measure(const PalMesh *surface, PalTreeDepths *depths, PalError *error);

PAL_API_END
#ifdef __cplusplus
}
#endif

#endif
