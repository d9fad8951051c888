// All elements of a model: forces, masses, energies, stable steps.
//
// Elements are sorted along a space-filling curve and cut into blocks. A block gathers the
// displacements of its own nodes, runs batches of PAL_LANES elements of one material, and
// keeps its own sum of forces; nodes shared by blocks are then added up in a fixed order.
// The bits of the result do not depend on the number of workers.
//
// Elements are constant once made. What an evaluation writes besides its results is in a scratch,
// so that several threads may evaluate the same elements, each with a scratch of its own.
#ifndef PAL_ELEMENT_ELEMENTS_H
#define PAL_ELEMENT_ELEMENTS_H

#include <palpate/model.h>

typedef struct PalElementType PalElementType;  // a row: what a kind of element is, see type.h

const PalElementType *pal_element_type(PalElementKind kind);
// The row that a body's elements have, which depends on the control where there is one.
const PalElementType *pal_element_row(PalElementKind kind, PalHourglassControl control);

// Whether elements of a row and a material have pressures at corners.
bool pal_element_has_pressures(const PalElementType *type, const PalMaterialDef *material);

// Elements of one row and one material.
typedef struct PalElementPartDef {
    const PalElementType *type;
    const PalMaterialDef *material;
    int32_t element_count;
    const int32_t *connectivity;  // model node indices
    double hourglass;             // where the row takes one
    PalHourglassControl hourglass_control;
    double thickness;  // of what is thin
    // Thin elements: nodes are those of pal_patch_nodes. Three vectors each: normal of the plane
    // that the surface goes on behind as in a mirror; 0: it does not. NULL: nowhere.
    const PalVec3 *mirrors;
} PalElementPartDef;

typedef struct PalElementsDef {
    int32_t node_count;
    const PalVec3 *nodes;  // reference positions
    int32_t part_count;
    const PalElementPartDef *parts;
} PalElementsDef;

// Elements are numbered through the parts in the order given. Copies everything it needs.
PalStatus pal_elements_create(const PalElementsDef *def, PalElements **elements, PalError *error);
void pal_elements_destroy(PalElements *elements);
// Whether the lists are what evaluations take them for; says what is broken. Creating elements
// asserts it.
PalStatus pal_elements_validate(const PalElements *elements, PalError *error);
int32_t pal_elements_count(const PalElements *elements);
size_t pal_elements_bytes(const PalElements *elements);           // memory held, with one scratch
int64_t pal_elements_history_count(const PalElements *elements);  // doubles of memory
bool pal_elements_relax(const PalElements *elements);  // a material does: work is lost in it

// Mass of each element's nodes, added to node_mass. `factors` scales each element; NULL: 1.
void pal_elements_add_mass(const PalElements *elements, const double *factors, double *node_mass);
// The same with the shares that bounds of the step count with.
void pal_elements_add_bound_mass(const PalElements *elements, const double *factors,
                                 double *node_mass);

// Calls back for the two nodes of each edge of a body that bends where its direction is held.
typedef struct PalEdgeVisitor {
    void (*call)(void *context, int32_t from, int32_t to);
    void *context;
} PalEdgeVisitor;

void pal_elements_clamped_edges(const PalElements *elements, PalEdgeVisitor visitor);

typedef struct PalElementScratch PalElementScratch;

// Fits these elements only, and uses one thread until told otherwise.
PalStatus pal_element_scratch_create(const PalElements *elements, PalElementScratch **scratch,
                                     PalError *error);
void pal_element_scratch_destroy(PalElementScratch *scratch);
void pal_element_scratch_set_threads(PalElementScratch *scratch, int32_t thread_count);  // at most
// Smoothed pressures are found to rounding, for methods that solve for equilibrium.
void pal_element_scratch_set_precise(PalElementScratch *scratch);

// Trouble met while evaluating.
typedef struct PalElementTrouble {
    int32_t inverted_count;
    int32_t first_inverted;  // lowest element number, or PAL_NONE if none
} PalElementTrouble;

// force = - internal force (overwritten, all nodes). `step` is the time since the last call and
// advances `history`; 0 leaves the history alone. Allocates nothing.
PalElementTrouble pal_elements_force(const PalElements *elements, PalElementScratch *scratch,
                                     const PalVec3 *displacement, double step, double *history,
                                     PalVec3 *force);

// ---- ahead: with several threads, helpers can find most forces while the caller still looks for
// ---- where some nodes go. The next call of pal_elements_force then does only what is left.

// Makes a scratch able to. Elements whose forces take several passes, or remember, are never done
// ahead.
PalStatus pal_element_scratch_allow_ahead(PalElementScratch *scratch, PalError *error);

typedef struct PalNodeList {
    int32_t count;
    const int32_t *nodes;
} PalNodeList;

// Helpers begin to find forces at these displacements, in blocks that have none of the nodes that
// are likely to go elsewhere. False: nothing is done ahead, and nothing is to be ended.
// Displacements and forces are theirs until the end.
bool pal_elements_begin_force(PalElementScratch *scratch, const PalVec3 *displacement, double step,
                              const PalNodeList *unsure, PalVec3 *force);
// Ends that: all other displacements are as they were given, but these nodes go elsewhere.
void pal_elements_end_force(PalElementScratch *scratch, const PalNodeList *moved);

// The next forces are to tell the strain energy as well, where they can do so on the way.
void pal_elements_want_energy(PalElementScratch *scratch);
// Whether the last forces did.
bool pal_elements_told_energy(const PalElementScratch *scratch, double *energy);

// Per element; any pointer may be NULL.
typedef struct PalElementFields {
    double *energy_density;  // strain energy per reference volume (long-term part if viscoelastic)
    double *von_mises;       // of the Cauchy stress
    double (*stress)[6];     // Cauchy: xx yy zz xy yz zx
    double (*strain)[6];     // Green-Lagrange, in the same order
    double *volume_ratio;    // J
    // Of what is thin; 0 elsewhere.
    double *thickness;                   // now
    double (*top)[6], (*bottom)[6];      // Cauchy stress on both sides
    double (*tension)[6], (*moment)[6];  // per current length, and per length at rest
    // By number of the element: where its values go, PAL_NONE: nowhere. NULL: by number.
    const int32_t *places;
} PalElementFields;

void pal_elements_fields(const PalElements *elements, PalElementScratch *scratch,
                         const PalVec3 *displacement, const double *history,
                         const PalElementFields *fields);

// Strain energy of all elements, summed in a fixed order (long-term part if viscoelastic).
double pal_elements_energy(const PalElements *elements, PalElementScratch *scratch,
                           const PalVec3 *displacement);

// A bound, per element, of the step at which central differences turn unstable in the current
// shape. `bounds` may be NULL. Returns the smallest and names its element.
double pal_elements_stable_step(const PalElements *elements, PalElementScratch *scratch,
                                const PalVec3 *displacement, const double *mass_factors,
                                double *bounds, int32_t *worst_element);

#endif
