// What is simulated: bodies, rigid instruments, conditions. Constant once built (PalModel),
// apart from what changes in time (PalState).
#ifndef PALPATE_MODEL_H
#define PALPATE_MODEL_H

#include <palpate/material.h>
#include <palpate/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif
PAL_API_BEGIN

// ---- definitions ------------------------------------------------------------------------

typedef enum PalElementKind {
    PAL_ELEMENT_T4,        // linear tetrahedron
    PAL_ELEMENT_T4_ANP,    // the same with averaged nodal pressure, for near-incompressible tissue
    PAL_ELEMENT_H8,        // hexahedron, one integration point, hourglass control
    PAL_ELEMENT_EBST,      // shell of triangles that stretches and bends, without rotations
    PAL_ELEMENT_MEMBRANE,  // the same without stiffness against bending
    PAL_ELEMENT_T10,       // quadratic tetrahedron with linear pressures
    PAL_ELEMENT_MIXED,     // linear tetrahedron with smoothed nodal pressures
} PalElementKind;

const PalChoice *pal_element_choice(int32_t index);  // NULL after the last one
const char *pal_element_name(PalElementKind kind);   // "t4", "t4-anp", "h8", "ebst", "t10", ...
bool pal_element_find(const char *name, PalElementKind *kind);

// What is to be known of a kind of element to choose it, and to build with it.
typedef struct PalElementTraits {
    PalCellKind cell;        // that its meshes are made of
    bool averages_pressure;  // takes only laws with a volumetric part of their own (pal_law_splits)
    bool has_hourglass;      // takes `hourglass`
    bool locks;              // too stiff where tissue is near-incompressible
    bool is_thin;            // a surface with a thickness: takes `thickness`
    bool bends;              // resists bending: takes `bending` of a material, and clamped edges
} PalElementTraits;

const PalElementTraits *pal_element_traits(PalElementKind kind);  // NULL: there is no such kind
PalCellKind pal_element_cell(PalElementKind kind);                // PAL_NONE: likewise
// The one that is usual for a cell; false where there is none.
bool pal_element_for_cell(PalCellKind cell, PalElementKind *kind);

// How hexahedra resist the hourglass patterns that one integration point does not see.
typedef enum PalHourglassControl {
    PAL_HOURGLASS_BENDING,  // so that one layer bends and twists as a beam does
    PAL_HOURGLASS_PLAIN,    // all patterns alike, by a number: as NiftySim does
    PAL_HOURGLASS_NONE,     // by eight integration points, with the mean of their volume ratios
} PalHourglassControl;

const PalChoice *pal_hourglass_control_choice(int32_t index);  // NULL after the last one
const char *pal_hourglass_control_name(PalHourglassControl control);
bool pal_hourglass_control_find(const char *name, PalHourglassControl *control);

// A soft body. The mesh is copied; it must be placed already.
typedef struct PalBodyDef {
    const char *name;
    const PalMesh *mesh;
    PalElementKind element;
    int32_t material_count;
    const PalMaterialDef *materials;
    const int32_t *cell_material;           // index into materials per cell; NULL: 0 everywhere
    PalVec3 velocity;                       // at the start, of every node
    PalHourglassControl hourglass_control;  // h8
    // h8: stiffness against hourglass modes, as a fraction of Young's modulus; of all of them with
    // the plain control, otherwise of the one that neither bends nor twists
    double hourglass;
    const double *material_hourglass;  // the same for each material; NULL: `hourglass` for all
    double thickness;                  // of what is thin, at rest, > 0
    const double *material_thickness;  // the same for each material; NULL: `thickness` for all
} PalBodyDef;

PalBodyDef pal_body_def_default(void);

typedef enum PalRampKind {
    PAL_RAMP_STEP,    // 1 from the start
    PAL_RAMP_LINEAR,  // 0 up to `from`, then s = (t - from) / (until - from), then 1
    PAL_RAMP_SMOOTH,  // the same with 10 s^3 - 15 s^4 + 6 s^5
    PAL_RAMP_HILLY,   // the same with s exp(cos(4 pi s) - 1): up, back and up again
    PAL_RAMP_TABLE,   // straight lines between points, constant outside
} PalRampKind;

const PalChoice *pal_ramp_choice(int32_t index);  // NULL after the last one; not the table
const char *pal_ramp_name(PalRampKind kind);      // of any but the table
bool pal_ramp_find(const char *name, PalRampKind *kind);

typedef struct PalRamp {
    PalRampKind kind;
    double from;   // linear, smooth, hilly; >= 0
    double until;  // the same; above `from`, or 0: the end of the simulation
    bool onward;   // they follow their formula beyond `until` instead of staying at 1
    int32_t point_count;
    const double (*points)[2];  // time, value; times ascending
} PalRamp;

// Factor at a time. `until` must be set (> from) for linear, smooth and hilly.
double pal_ramp_value(const PalRamp *ramp, double time);
PalStatus pal_ramp_validate(const PalRamp *ramp, PalError *error);

typedef enum PalConditionKind {
    PAL_CONDITION_FIX,       // axes
    PAL_CONDITION_DISPLACE,  // axes, value: displacement
    PAL_CONDITION_FORCE,     // value: total force, shared equally by the nodes (or given to each)
    PAL_CONDITION_PRESSURE,  // pressure: on the current facets, against their normals
    PAL_CONDITION_TRACTION,  // value: force per current area, of fixed direction
    PAL_CONDITION_GRAVITY,   // value: acceleration; `where` counts if a body is named
    PAL_CONDITION_ROTATE,    // value: axis times angle in radians, about `centre`
    PAL_CONDITION_ATTACH,    // to the surface of other_body
} PalConditionKind;

typedef struct PalConditionDef {
    PalConditionKind kind;
    int32_t body_index;  // PAL_NONE: every body (gravity only)
    int32_t other_body;  // attach: what it is attached to
    PalWhere where;
    bool axes[3];
    PalVec3 value;
    PalVec3 centre;  // rotate: a point on the axis
    double pressure;
    // Fix, of thin bodies that bend: edges of the rim, both of whose nodes are selected, keep their
    // direction. The surface goes on behind them as in a mirror: across the body as it is at rest
    // where all axes are fixed, else across the axis fixed.
    bool clamps;
    bool each;              // force: every node receives `value`
    int32_t weight_count;   // displace, force with `each`: 0, or as many as nodes selected
    const double *weights;  // factor on `value` for each of them, by ascending index
    PalRamp ramp;
} PalConditionDef;

PalConditionDef pal_condition_def_default(void);

// Ways and arms of a motion may be this many times as long as the instrument is large; as many
// turns may it take.
#define PAL_MOTION_FARTHEST 1e9

// Prescribed motion: x -> R (x - centre) + centre + translation, with the ramp's factor on
// both the angle and the translation.
typedef struct PalMotionDef {
    PalVec3 translation;
    PalVec3 axis;    // of rotation; need not be a unit vector
    double radians;  // 0: no rotation
    PalVec3 centre;
    PalRamp ramp;
} PalMotionDef;

// Pulls a free body toward where its motion would put it: its centre of mass to that place, and its
// orientation to that orientation, the short way round.
typedef struct PalSpringDef {
    double stiffness, damping;                  // force per distance and per speed, >= 0
    double turning_stiffness, turning_damping;  // torque per radian and per angular speed, >= 0
} PalSpringDef;

typedef struct PalRigidDef {
    const char *name;
    const PalMesh *mesh;  // triangles, placed already; copied
    PalMotionDef motion;
    int32_t further_count;        // motions that come on top of it, one after the other: each maps
    const PalMotionDef *further;  // where those before it have put the instrument, about its own
                                  // centre, which they have taken along
    // With one of the first two it is free: it moves by itself, and its motion only tells where
    // its spring pulls.
    double mass, density;          // at most one > 0
    bool has_centre, has_inertia;  // otherwise found from the surface, which must be closed then
    PalVec3 centre;                // of mass, at the start
    double inertia[6];             // about it, at the start: xx yy zz xy yz zx
    PalVec3 velocity, spin;        // at the start
    PalVec3 force, torque;         // on and about the centre of mass, in directions that stay
    PalRamp ramp;                  // of these two
    PalSpringDef spring;
} PalRigidDef;

PalRigidDef pal_rigid_def_default(void);
bool pal_rigid_def_is_free(const PalRigidDef *def);  // it has a mass or a density

typedef struct PalModelDef {
    int32_t body_count;
    const PalBodyDef *bodies;
    int32_t rigid_count;
    const PalRigidDef *rigids;
    int32_t condition_count;
    const PalConditionDef *conditions;
    const PalVec3 *nodes;  // where all bodies' nodes are at rest, body after body; NULL: as in
                           // the meshes, which conditions go by in any case
    const PalVec3 *rigid_shifts;  // per rigid: how far a free one starts from where its mesh has
                                  // it; NULL: there
    double end_time;           // what ramps without `until` refer to, > 0; infinite: there is none
    double mass_scaling_step;  // > 0: raise the density of elements whose stable step is smaller
    int32_t thread_count;      // that may build it; less than 2: the caller alone
} PalModelDef;

PalModelDef pal_model_def_default(void);

// ---- the model --------------------------------------------------------------------------

// A triangle at a node of a thin body, as that node sees it.
typedef struct PalRingSide {
    int32_t from, to;  // its other two nodes, in the model's numbering
    double inverse2;   // one over the square of twice its area at rest
    double thinning;   // how much thinner it gets where its area grows, 0 to 1
    double half;       // its part in half the thickness at the node, at rest
} PalRingSide;

// Nodes of all bodies are numbered one body after the other, and so are cells.
typedef struct PalBody {
    char *name;
    PalMesh *mesh;        // as given
    PalSurface *surface;  // its boundary
    PalElementKind element;
    int32_t first_node, first_cell;
    PalVec3 velocity;  // at the start
    double mass;
    double plane_modulus;  // Young's over 1 - nu^2 at small strain, of its softest material
    // ---- of thin ones ----
    double *thickness;  // per cell, at rest; NULL: it is solid
    PalLists around;    // cells around each node, in the order in which they lie around it
    PalRingSide *ring;  // of each of these
} PalBody;

typedef struct PalRigid {
    char *name;
    PalMesh *mesh;  // at the start
    int32_t motion_count;
    PalMotionDef *motions;  // applied in this order
    bool free;
    // ---- of free ones ----
    double mass;
    PalVec3 centre;     // of mass, at the start
    double moments[3];  // principal moments of inertia, ascending
    PalMat3 axes;       // columns: their axes at the start
    double radius;      // of the ball around the centre that holds all of it
    PalVec3 velocity, spin, force, torque;
    PalRamp ramp;
    PalSpringDef spring;
} PalRigid;

typedef struct PalElements PalElements;      // private: element kernels' data
typedef struct PalConditions PalConditions;  // private: conditions compiled to node lists
typedef struct PalTies PalTies;              // private: nodes attached to other bodies

typedef struct PalModel {
    int32_t body_count;
    PalBody *bodies;
    int32_t rigid_count;
    PalRigid *rigids;
    int32_t free_rigid_count;
    int32_t condition_count;
    int32_t node_count, cell_count;
    PalVec3 *nodes;  // reference positions; those of the meshes unless the definition gave others
    double *mass;    // per node, lumped
    uint8_t *held;   // per node: bit 0, 1, 2 set where x, y, z is prescribed
    double total_mass;
    double added_mass;  // by mass scaling
    double end_time;
    PalElements *elements;
    PalConditions *conditions;
    PalTies *ties;           // NULL: nothing is attached
    int32_t *cell_element;   // per cell: its number among the elements
    int32_t *cell_material;  // per cell: which of its body's materials
    double *cell_young;      // per cell: Young's modulus at small strain
    double *mass_factors;    // per element, by mass scaling; NULL: none
} PalModel;

// One rigid instrument or body without its name and mesh, for whoever wants to know its mass before
// there is a model. Refuses definitions that make no sense. Clear it in any case.
PalStatus pal_rigid_init(const PalRigidDef *def, double end_time, PalRigid *rigid, PalError *error);
void pal_rigid_clear(PalRigid *rigid);  // frees everything, name and mesh too

PalStatus pal_model_create(const PalModelDef *def, PalModel **model, PalError *error);
void pal_model_destroy(PalModel *model);
size_t pal_model_element_bytes(const PalModel *model);                  // memory its elements hold
int32_t pal_model_find_body(const PalModel *model, const char *name);   // or PAL_NONE
int32_t pal_model_find_rigid(const PalModel *model, const char *name);  // or PAL_NONE

// x -> centre + rotation (x - pivot), with x where a point was at the start.
typedef struct PalPose {
    PalMat3 rotation;
    PalVec3 pivot, centre;
} PalPose;

PalVec3 pal_pose_apply(const PalPose *pose, PalVec3 at_start);

// Velocity of the point at a pose's centre, and angular velocity.
typedef struct PalTwist {
    PalVec3 velocity, spin;
} PalTwist;

// Where one motion takes a point until a time.
PalVec3 pal_motion_apply(const PalMotionDef *motion, double time, PalVec3 at_start);
// Where all motions of a rigid instrument take a point of it until a time.
PalVec3 pal_rigid_position(const PalRigid *rigid, double time, PalVec3 at_start);
PalPose pal_rigid_pose(const PalRigid *rigid, double time);
PalTwist pal_rigid_twist(const PalRigid *rigid, double time);

// ---- the state --------------------------------------------------------------------------

// What a program has made of a condition, or of a load on a rigid body. Numbers only: a checkpoint
// keeps them as they are.
typedef struct PalConditionState {
    double steered;      // 1: the value is no longer as defined, and its ramp does not count
    PalVec3 left;        // the value at `left_time`, when the program said so; a pressure is in x
    PalVec3 wanted;      // at `wanted_time`, and from then on
    double left_time;    // in between it goes linearly from one to the other
    double wanted_time;  // not after `left_time`: at once
} PalConditionState;

// What changes of one rigid instrument or body. Numbers only, likewise.
typedef struct PalRigidState {
    PalPose pose;  // at the state's time; that of a free body turns about its centre of mass
    PalPose next;  // within a step: at its end
    PalPose goal;  // at the state's time: where its motion or a program has it
    PalTwist goal_twist;
    double steered;         // 1: a program says where it goes, until it says otherwise
    PalPose wanted;         // where it is to be at `wanted_time`, and stays
    PalTwist wanted_twist;  // how it moves on the way there; when it has arrived, not at all
    PalPose left;           // where it was at `left_time`, when the program said so
    double left_time;
    double wanted_time;  // not after `left_time`: at the end of the step to come

    // ---- of free bodies ----
    PalQuaternion orientation, next_orientation;  // since the start
    PalVec3 velocity;                             // of the centre of mass, at time - step / 2
    PalVec3 momentum;                             // angular, about that centre, then
    PalVec3 old_velocity, old_momentum;           // a step before
    PalConditionState loads[2];                   // force and torque, where a program has set them
    PalVec3 force, torque;                        // loads and stiffness of the spring, at `time`
    PalVec3 spring_force, spring_torque;    // of the spring, with its damping, in the last step
    PalVec3 impulse, turn_impulse;          // of contact, in the last step
    PalVec3 contact_force, contact_torque;  // the same as force and torque about the centre
    double inverse_mass;      // how an impulse changes velocity in this step; 0: prescribed
    PalMat3 inverse_inertia;  // and one that turns the angular velocity, in space
} PalRigidState;

typedef struct PalState {
    double time;
    double step;            // the step just taken; 0 before the first
    int64_t step_count;     // steps taken
    PalVec3 *displacement;  // per node, at `time`
    PalVec3 *velocity;      // explicit, relaxation: at time - step / 2; newmark: at time
    PalVec3 *acceleration;  // newmark: at time; otherwise zero
    PalVec3 *force;         // internal + external, without contact, at `time`
    PalVec3 *external;      // loads alone, at `time`
    PalVec3 *reaction;      // what holds prescribed nodes, at `time`, less what it does to contact
    PalVec3 *contact;       // force of contact, in the step just taken
    int64_t history_count;  // viscoelastic memory of the elements
    double *history;
    PalRigidState *rigids;          // per rigid instrument or body
    PalConditionState *conditions;  // per condition
    double external_work;           // by loads and prescribed motion, since the start
    double damping_work;            // taken away by damping, since the start
    double internal_work;           // done on the elements; counted only where there is history
    double contact_work;            // by contact on the bodies, since the start
} PalState;

PAL_API_END
#ifdef __cplusplus
}
#endif

#endif
