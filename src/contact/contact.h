// Contact in one step of a solver: search, gaps, response.
#ifndef PAL_CONTACT_CONTACT_H
#define PAL_CONTACT_CONTACT_H

#include "contact/search.h"
#include "contact/surface.h"

// What a solver tells of the step it has just predicted without contact.
typedef struct PalContactStep {
    double start_time, end_time;  // at which rigid instruments stand where they do
    double step;                  // displacement = displacement at the start + step * velocity
    double gain;                  // a force f changes the velocity by gain * f / m
    const PalVec3 *displacement;  // at the start of the step, per model node
    const PalVec3 *velocity;      // predicted: displacements grow by step * velocity
    const double *speeds;         // largest in each chunk of PAL_NODE_CHUNK nodes
    int32_t thread_count;
} PalContactStep;

typedef struct PalContactArrays PalContactArrays;  // private to arrays.c

typedef struct PalContact {
    PalContactDef def;  // its pairs are copied
    double *friction;   // object_count squared; < 0: the two pass through each other
    PalContactSurface *surface;
    PalSearch *search;
    double edge;           // mean length of the edges that matter
    double separation;     // resting distance
    double rate_distance;  // below separation + this, approach is slowed down
    // Of the step, per surface vertex
    double (*inverse_mass)[4];  // 0 where held, and for rigid instruments; pal_contact_set_mass
    double (*root_inverse)[4];  // its root, 0 as well
    double (*root_mass)[4];     // 1 / root_inverse, and 0 where that is
    bool *moves;                // some component is free
    PalVec3 *impulse;           // what the response gives each vertex, rigid ones too
    int32_t changed_count;      // vertices with an impulse; PAL_NONE: look for yourself
    int32_t *changed;
    // What carried force in the last step
    int32_t point_count, point_capacity;
    PalContactPoint *points;
    PalContactReport report;
    PalContactPairReport *pairs;  // as in the definition
    int32_t *pair_of;             // object_count squared, lower object first: index of a pair
    double extent;                // largest coordinate at the start
    double largest_inverse_mass;
    PalContactArrays *arrays;  // what a checkpoint is made of
    void *response;            // what the response keeps from step to step
} PalContact;

// Friction of each two objects, < 0 where they pass through each other: object_count squared, to be
// freed with pal_free. Refuses pairs and separations that make no sense.
PalStatus pal_contact_frictions(const PalContactDef *def, const PalModel *model, double **friction,
                                PalError *error);
// Of the soft bodies that touch anything: the shortest edge, and the smallest of their mean edges.
double pal_contact_shortest_edge(const PalContactSurface *surface, const double *friction);
double pal_contact_mean_edge(const PalContactSurface *surface, const double *friction);
// The distance at which surfaces rest on each other. Refuses one that is longer than edges are.
PalStatus pal_contact_separation(const PalContactDef *def, const PalContactSurface *surface,
                                 const double *friction, double *separation, PalError *error);

// Surfaces stand where displacement and time put them. Only where def->pair_count > 0.
PalStatus pal_contact_create(const PalContactDef *def, const PalModel *model,
                             const PalVec3 *displacement, double time, PalContact **contact,
                             PalError *error);
void pal_contact_destroy(PalContact *contact);

// Model nodes that contact may push, ascending.
const int32_t *pal_contact_nodes(const PalContact *contact, int32_t *count);

// Takes over inverse masses, per component of each model node; held components become immovable.
void pal_contact_set_mass(PalContact *contact, const PalModel *model, const double *inverse_mass);

// Finds the impulses that correct the predicted motion so that nothing passes through anything.
PalStatus pal_contact_step(const PalModel *model, PalContact *contact, const PalContactStep *step,
                           PalMeter *meter, PalError *error);

// Brings surfaces to a state restored from a checkpoint. `forces`: of contact, per model node;
// NULL: none.
void pal_contact_restored(const PalModel *model, PalContact *contact, const PalVec3 *displacement,
                          const PalVec3 *forces, double time);

// ---- responses --------------------------------------------------------------------------

// What a response knows of one pair: a key and numbers.
typedef struct PalKept {
    int64_t key[3];
    double numbers[8];
} PalKept;

// A response reads surface->start, surface->end (predicted), inverse_mass and the search's
// pairs (it calls pal_search_update itself), and leaves impulses, points and the corrected
// surface->end.
typedef struct PalResponse {
    const char *name;
    PalStatus (*create)(PalContact *contact, PalError *error);
    void (*destroy)(PalContact *contact);
    PalStatus (*step)(PalContact *contact, const PalContactStep *step, PalMeter *meter,
                      PalError *error);
    // Numbers for a checkpoint of what it keeps from step to step, and back; NULL: nothing. One
    // row of `PalKept` for each thing kept, after a call that tells how many there are.
    int32_t (*kept_count)(const PalContact *contact);
    void (*keep)(const PalContact *contact, PalKept *rows);
    // PAL_NO_MEMORY, or PAL_BAD_INPUT for rows that no run has kept.
    PalStatus (*restore)(PalContact *contact, const PalKept *rows, int32_t count);
} PalResponse;

extern const PalResponse pal_response_lagrange, pal_response_johnsen2015, pal_response_johnsen2012;

// Friction of two facets' objects; < 0: they pass through each other.
static inline double pal_contact_friction(const PalContact *contact, int32_t a, int32_t b)
{
    return contact->friction[(int64_t)a * contact->surface->object_count + b];
}

const PalResponse *pal_contact_response(const PalContact *contact);

// Of a body or an instrument.
const char *pal_contact_object_name(const PalModel *model, int32_t object);

// Room for one more point; NULL when there is no memory. The caller fills it in.
PalContactPoint *pal_contact_add_point(PalContact *contact);

#endif
