// What contact knows in a step, and the ways to answer it: rows of a table.
#ifndef PAL_CONTACT_RESPONSE_RESPONSE_H
#define PAL_CONTACT_RESPONSE_RESPONSE_H

#include "contact/gap/gap.h"
#include "contact/response/free.h"
#include "contact/schedule/schedule.h"
#include "contact/search/search.h"
#include "contact/surface/carriers.h"
#include "contact/surface/pairs.h"
#include "element/couplings.h"

// What a solver tells of the step it has just predicted without contact.
typedef struct PalContactStep {
    double start_time, end_time;
    double step;                  // displacement = displacement at the start + step * velocity
    double gain;                  // a force f changes the velocity by gain * f / m
    const PalVec3 *displacement;  // at the start of the step, per model node
    const PalVec3 *velocity;      // predicted: displacements grow by step * velocity
    const double *speeds;         // largest in each chunk of PAL_NODE_CHUNK nodes
    const PalRigidState *rigids;  // where they are, and as predicted at the end
    int32_t thread_count;
} PalContactStep;

// What is asked of a tangent.
typedef struct PalTangentWish {
    double weight;
    bool exact;  // consistent; otherwise made positive semidefinite
} PalTangentWish;

typedef struct PalContactArrays PalContactArrays;  // private to arrays.c
typedef struct PalSkin PalSkin;                    // contact/gap/skin.h
typedef struct PalResponse PalResponse;
typedef struct PalContact PalContact;

// Where the report of two objects is.
typedef struct PalPairPlace {
    int32_t low, high, report;
} PalPairPlace;

struct PalContact {
    const PalModel *model;  // borrowed
    PalContactDef def;      // its pairs are copied
    PalPairs *objects;      // which of them touch
    PalContactSurface *surface;
    PalSearch *search;
    double edge;            // mean length of the edges that matter
    double separation;      // resting distance
    double exactness;       // change of a gap in a step that matters, if usual ones do not
    PalSkin *skin;          // of smooth surfaces, for responses that have use for it; or NULL
    bool shortest;          // ways only, as in PalClosestRule
    double rate_distance;   // below separation + this, approach is slowed down
    PalCarriers carriers;   // pal_contact_set_mass
    PalVec3 *impulse;       // of the step: what the response gives each carrier, but spins
    PalFreeBody *bodies;    // free rigid bodies, as the surface numbers them
    int32_t changed_count;  // carriers with an impulse; PAL_NONE: look for yourself
    int32_t *changed;
    // What carried force in the last step
    int32_t point_count, point_capacity;
    PalContactPoint *points;
    PalContactReport report;
    int32_t pair_count, pair_capacity;
    PalContactPairReport *pairs;  // as in the definition, and then others that have touched
    PalPairPlace *places;         // where each is, ascending by objects; as many
    int32_t place_capacity;
    double extent;             // largest coordinate at the start
    PalContactArrays *arrays;  // what a checkpoint is made of
    const PalSchedule *schedule;
    void *schedule_own;  // what it keeps from step to step
    bool asleep;         // contact was not looked for in the last step
    const PalResponse *response;
    void *own;               // what the response keeps from step to step
    struct PalTrial *trial;  // trial.h: shapes that an implicit method tries; NULL: it is none
    // Called when a step was looked at and answered. NULL: nobody looks on
    void (*onlooker)(void *context, PalContact *contact, const PalContactStep *step);
    void *onlooker_context;
};

// ---- responses --------------------------------------------------------------------------

// What a response knows of one pair: a key and numbers.
typedef struct PalKept {
    int64_t key[3];
    double numbers[8];
} PalKept;

// How far apart two surfaces may be for a response to push them where they end in a step: `steady`,
// and `moving` times the longest way of a vertex in the step.
typedef struct PalSight {
    double steady, moving;
} PalSight;

// What implicit methods ask of a response. Shapes are those of contact->trial (trial.h).
typedef struct PalImplicitRow {
    bool tame;  // its consistent tangent is worth a try far from equilibrium, too
    // Chooses stiffness and range by the trial's stiffness, into the report. NULL: it has none.
    void (*choose)(PalContact *contact);
    // How far an instrument may go in a step; infinite: any way. NULL: the same.
    double (*stride)(const PalContact *contact, int32_t rigid);
    // A step is to be searched for, from the trial's first shape on. PAL_SIM_FAILED: it is too
    // long.
    PalStatus (*begin)(PalContact *contact, PalError *error);
    // A correction goes from surface->start to surface->end; the search has its pairs of facets.
    PalStatus (*look)(PalContact *contact, PalError *error);
    // The part of the way from start to end, up to 1, on which nothing passes through anything.
    double (*filter)(PalContact *contact);
    // Notes the contacts that this correction would run into, for `tangent` to count with. True:
    // the correction is to be found again. NULL: it expects none.
    bool (*expect)(PalContact *contact);
    // Notes what would slide in it, and what would not. True: much of that was not expected. NULL:
    // as above.
    bool (*slide)(PalContact *contact);
    // Before a correction: lists what acts; `all`: nothing else is expected. NULL: as above.
    void (*prepare)(PalContact *contact, bool all);
    // After it, when so much of it has been taken. NULL: as above.
    void (*went)(PalContact *contact, double part);
    // Adds forces in the present shape, per model node. PAL_SIM_FAILED: there is no such shape.
    PalStatus (*forces)(PalContact *contact, PalVec3 *force, PalError *error);
    // Lists weight times minus the derivative of these forces as blocks (couplings.h), and adds to
    // `lead`, per model node, how forces change as instruments go the rest of their way, and those
    // of contacts expected.
    PalStatus (*tangent)(PalContact *contact, const PalTangentWish *wish, PalStiffness *stiffness,
                         PalVec3 *lead, PalError *error);
    // Adds to `force`, per model node, what `tangent` leaves out of minus the derivative of forces
    // times a motion, as that is not symmetric: friction follows the normal force. NULL: nothing.
    void (*couple)(const PalContact *contact, const PalVec3 *motion, PalVec3 *force);
    // Before a correction: renews what `settle` renews. NULL: only there.
    PalStatus (*refresh)(PalContact *contact, PalError *error);
    // Equilibrium was found with numbers that the response keeps constant meanwhile: renews them.
    // `again`: they have changed so much that it has to be found again. NULL: it keeps none.
    PalStatus (*settle)(PalContact *contact, bool *again, PalError *error);
    // The shape is the end of the step: leaves points and the report's penetration.
    PalStatus (*accept)(PalContact *contact, PalError *error);
    // A sentence on the two sides that keep a step from being taken; empty: none do.
    void (*explain)(const PalContact *contact, char *text, size_t size);
} PalImplicitRow;

// A response reads surface->start, surface->end (predicted), the carriers' masses and the search's
// pairs (it calls pal_search_update itself), and leaves impulses, points and the corrected
// surface->end. Its row says what it needs and promises.
struct PalResponse {
    PalChoice choice;
    // Distance within which it has to know of pairs.
    double (*reach)(const PalContact *contact);
    // It pushes some that are farther apart, too. NULL: none. Asked after `create`.
    PalSight (*sight)(const PalContact *contact);
    bool lazy;               // it asks for the vertices it looks at: none need be placed before
    bool rests;              // bodies come to rest on each other, so that relaxation can end
    bool prevents_crossing;  // nothing passes through anything
    bool moves_rigids;       // that are free
    bool expects;            // it is shown motion as the last step's forces would have it
    bool overlaps;           // surfaces may overlap from the start on: nothing is moved before
    bool pushes_inside;      // nodes inside bodies get impulses, too
    bool by_intervals;       // its own search knows the hierarchy of intervals
    bool smooths;            // it has use for the skin of smooth surfaces
    bool by_patches;         // it takes pairs of patches where the search may list them
    bool moves_by_weights;   // vertices may hang on several nodes; otherwise they are nodes
    const PalImplicitRow *implicit;  // how it serves implicit methods; NULL: not at all
    PalStatus (*create)(PalContact *contact, PalError *error);
    void (*destroy)(PalContact *contact);
    PalStatus (*step)(PalContact *contact, const PalContactStep *step, PalMeter *meter,
                      PalError *error);
    // Surfaces may be anywhere, and pairs rougher or smoother: what it knows of where they were,
    // and of friction, is worth nothing. NULL: it knows nothing of that.
    void (*forget)(PalContact *contact);
    // Numbers for a checkpoint of what it keeps from step to step, and back; NULL: nothing. One
    // row of `PalKept` for each thing kept, after a call that tells how many there are.
    int32_t (*kept_count)(const PalContact *contact);
    void (*keep)(const PalContact *contact, PalKept *rows);
    // PAL_NO_MEMORY, or PAL_BAD_INPUT for rows that no run has kept.
    PalStatus (*restore)(PalContact *contact, const PalKept *rows, int32_t count);
};

extern const PalResponse pal_response_lagrange, pal_response_johnsen2015, pal_response_johnsen2012,
    pal_response_barrier, pal_response_material_depth, pal_response_collocation;

// Row of a response; NULL: there is none of this number.
const PalResponse *pal_response_row(PalResponseKind kind);

// Friction of two facets' objects; < 0: they pass through each other.
static inline double pal_contact_friction(const PalContact *contact, int32_t a, int32_t b)
{
    return pal_pairs_friction(contact->objects, a, b);
}

// How closest points are found.
static inline PalClosestRule pal_contact_rule(const PalContact *contact)
{
    return (PalClosestRule){contact->surface, contact->separation, contact->skin,
                            contact->shortest};
}

// Room for one more point; NULL when there is no memory. The caller fills it in.
PalContactPoint *pal_contact_add_point(PalContact *contact);

#endif
