// What a kind of element is: one row, in one file of its own. Everything else works with any row.
#ifndef PAL_ELEMENT_TYPE_H
#define PAL_ELEMENT_TYPE_H

#include "element/elements.h"
#include "element/plane_fit.h"
#include "material/law.h"
#include "material/prony.h"

#define PAL_CORNER_MAX   12
#define PAL_PRESSURE_MAX 4  // corners of an element with a pressure

// Numbers of a tangent.
#define PAL_TANGENT_MAX                                                                            \
    ((3 * PAL_CORNER_MAX + PAL_PRESSURE_MAX) * (3 * PAL_CORNER_MAX + PAL_PRESSURE_MAX))

// A block's nodes fit the first-level cache together with their forces: 32 + 32 bytes each.
#define PAL_BLOCK_NODES 384

// Of shear and bulk modulus: what keeps elements with rings from turning inside out. A weaker one
// lets single cells of a crushed block become so thin that steps come to nothing.
#define PAL_GUARD 100

// Stiffnesses per volume against hourglass patterns.
typedef struct PalHourglassModuli {
    double bend, poisson;  // sigma_1 = bend (epsilon_1 + poisson epsilon_2), no stress across
    double shear;
    double last;  // of the pattern that changes its sign along every edge
} PalHourglassModuli;

// Elements of one row and one material.
typedef struct PalPart {
    const PalElementType *type;
    PalMaterialDef material;
    int32_t first_element, element_count;
    double hourglass;
    PalHourglassControl hourglass_control;
    PalHourglassModuli bending;  // of the control that bends as beams do
    int32_t history_batch;       // numbers of history per batch; 0: its stress does not relax
    double thickness;            // of what is thin
    PalPlaneFit plane;
    int32_t pressure_corners;  // of an element: the first ones have a pressure each; 0: none
    double smoothing;          // of pressures, see smooth.h: volume per square of pressure
    bool rings;                // feel the distortion instead of elements, see rings.h
    double guard;              // modulus that keeps elements with rings from turning inside out
    int32_t first_ring, ring_count;
    int32_t ring_history;  // numbers of history per batch of PAL_LANES rings
    int64_t first_ring_history;
    int32_t first_pressure, pressure_count;  // nodes with an averaged pressure
    int32_t pressure_history;                // numbers of history per such node
    int64_t first_pressure_history;
} PalPart;

// A block at work, in memory that stays in the first-level cache.
typedef struct PalBlockWork {
    const PalPart *part;
    const PalProny *prony;  // of the step being taken
    const void *batches;    // in the row's own layout
    int32_t batch_count;
    const PalLanes *displacement;  // x, y, z, and the node's pressure where those are averaged
    const PalLanes *position;      // volumes: where the nodes are, and their pressures
    PalLanes *force;               // added to; the fourth number means nothing
    double *volume;                // volumes: added to, at four times the node
    double *history;               // of the block; advances as `prony` says
    double *energy;                // strain energy of the block, not NULL where a kernel that can
                                   // tell it on the way is asked to
} PalBlockWork;

// Returns whether every element has a positive volume ratio.
typedef bool (*PalBlockKernel)(const PalBlockWork *work);

// Strain energy of a block.
typedef double (*PalBlockEnergy)(const PalBlockWork *work);

// What rings feel of the distortion.
typedef struct PalRings {
    double (*stress)[9];  // P by rows, a sixth of it
    double *energy;       // per volume
    double *stiffest;     // bound of the eigenvalues of dP/dF
} PalRings;

// One batch of a block, for what is not worth a kernel of its own.
typedef struct PalBatch {
    const PalPart *part;
    const void *data;              // in the row's own layout
    const PalLanes *displacement;  // of the block's nodes, as in PalBlockWork
    const PalProny *prony;         // of the step just taken
    const double *history;         // of the batch; NULL: none, or not wanted
    const int32_t *pressure_of;    // per node of the block: its number among those with a pressure
    const double *ratios;          // volume ratio at each of those
    const PalRings *rings;         // what rings feel of the distortion, see rings.h
    const int32_t (*ring_of)[PAL_LANES];  // six of each lane; NULL: none
} PalBatch;

// Volume ratio at a node of the block; 1 where there is no pressure.
static inline double pal_batch_ratio(const PalBatch *batch, int32_t node)
{
    int32_t pressure = batch->pressure_of[node];
    return pressure != PAL_NONE ? batch->ratios[pressure] : 1;
}

// What output tells of a batch.
typedef struct PalBatchFields {
    PalLanes V;          // in the reference shape
    PalLanes J;          // current over reference volume
    PalLanes energy;     // strain energy of each element (long-term part if viscoelastic)
    PalLanes stress[6];  // Cauchy: xx yy zz xy yz zx; of what is thin, in the middle
    PalLanes strain[6];  // Green-Lagrange, in the same order
    // Of what is thin; others leave them alone.
    PalLanes thickness;          // now
    PalLanes top[6], bottom[6];  // Cauchy stress on the side normals point to, and on the other
    PalLanes tension[6];         // force per current length: stress times thickness
    PalLanes moment[6];          // per length at rest
} PalBatchFields;

// A batch is PAL_LANES elements side by side in a layout of the row's own. Lanes without an element
// are all zero.
struct PalElementType {
    PalChoice choice;  // name and help
    PalElementTraits traits;
    int32_t corner_count;        // at most PAL_CORNER_MAX
    int32_t bound_corners;       // that bounds of the step divide the mass among; 0: all
    int32_t pressure_corners;    // the first ones have a pressure where the law has a volumetric
                                 // part; 0: none, at most PAL_PRESSURE_MAX
    double pressures_above;      // of bulk over shear modulus; below, the law's own at each point
    size_t batch_size;           // bytes, a multiple of sizeof(PalLanes)
    size_t corner_offset;        // in a batch, of uint16_t corner[corner_count][PAL_LANES]: four
                                 // times the index among the block's nodes
    bool smooths;                // its pressures, see smooth.h
    bool rings;                  // feel the distortion instead of elements, see rings.h
    const char *measure;         // what must be greater than 0 in the reference shape: "volume"
    int32_t tetrahedron_count;   // corners whose volume tells how much a cell is squeezed; 0 for
    const int (*tetrahedra)[4];  // what has no volume. Each corner, and the three next to it

    // Refuses a law or an hourglass stiffness it cannot use. NULL: takes any.
    PalStatus (*check)(const PalElementPartDef *part, PalError *error);
    // Fills in what the part keeps for all its elements. NULL: nothing.
    void (*prepare)(PalPart *part);
    // Solids: signed volume, and the means of the gradients of the shape functions. NULL: no solid,
    // and pal_elements_force_ref does not know it.
    double (*geometry)(const PalVec3 *corners, PalVec3 *gradients);
    // Of solids with several points: V and gradients at point q, and how much of the pressures at
    // the corners it has; their number. NULL: one point, as `geometry` says.
    double (*point)(const PalVec3 *corners, int32_t q, PalVec3 *gradients, double *weights);
    int32_t point_count;
    // Fills one lane, all but the corners' indices, and returns its measure.
    double (*fill)(const PalPart *part, const PalVec3 *corners, int32_t lane, void *batch);
    // The same where corners do not tell everything: element e of the part. NULL: `fill` does.
    double (*fill_from)(const PalElementPartDef *part, int32_t e, const PalVec3 *corners,
                        int32_t lane, void *batch);
    // Numbers of history per lane. NULL: what the material needs for one stress.
    int32_t (*history)(const PalMaterialDef *material);
    // The plain twin: adds energy and forces of element e. NULL: solids have one in common.
    void (*reference)(const PalElementPartDef *part, int32_t e, const PalVec3 *corners,
                      const PalVec3 *displacements, PalVec3 *forces, double *energy);
    // Masses of the corners of each element, times a factor each.
    void (*mass)(const PalPart *part, const void *batch, const PalLanes *factor,
                 PalLanes shares[PAL_CORNER_MAX]);
    // Shares of the corners that bounds of the step count with: all above 0. NULL: those of `mass`.
    void (*bound_mass)(const PalPart *part, const void *batch, const PalLanes *factor,
                       PalLanes shares[PAL_CORNER_MAX]);
    // Adds the forces of a block; the best one for the part's law and the machine.
    PalBlockKernel (*force)(const PalPart *part);
    // Whether that kernel can tell the energy on the way; NULL: no.
    bool (*force_tells_energy)(const PalPart *part);
    // Adds each element's current volume, in any unit, at each corner with a pressure: what is
    // around it. NULL where there are no pressures.
    PalBlockKernel (*volumes)(void);
    void (*ratio)(const PalBatch *batch, PalLanes *J);
    void (*energy)(const PalBatch *batch, PalLanes *energy);
    // The same of a whole block, where there is a faster way; or NULL.
    PalBlockEnergy (*block_energy)(const PalPart *part);
    void (*fields)(const PalBatch *batch, PalBatchFields *fields);
    // A bound of each element's highest circular frequency, squared, if density /
    // bound_corners were one. Not a number where the element is inverted.
    void (*bound)(const PalBatch *batch, PalLanes *bound);
    // K = - df/du of each element, dense and symmetric: K[r * n + c] with n = 3 corner_count, row
    // and column 3 a + i for axis i of corner a. Where the part has pressures at corners, these
    // are unknowns too: n = 3 corner_count + pressure_corners, and row 3 corner_count + a is that
    // of corner a, so that eliminating them leaves - df/du. The history is that before the step of
    // `prony`. NULL: there is none, and implicit methods refuse it.
    void (*tangent)(const PalBatch *batch, PalLanes *K);
};

extern const PalElementType pal_element_t4, pal_element_t4_anp, pal_element_h8, pal_element_h8_full;
extern const PalElementType pal_element_t10;
extern const PalElementType pal_element_ebst, pal_element_membrane, pal_element_mixed;

#endif
