// A response that pushes nothing and sees when surfaces first meet: for who wants to know the
// moment of an impact.
#ifndef PAL_CONTACT_RESPONSE_WITNESS_H
#define PAL_CONTACT_RESPONSE_WITNESS_H

#include "contact/response/response.h"

// What was seen in the last step.
typedef struct PalWitness {
    bool met;
    bool no_memory;         // for the pairs of facets
    bool too_long;          // a rigid object turned so far that its points left their straight ways
    double facet_fraction;  // of the first vertex that meets a facet, where an edge is earlier
    int32_t facet_vertices[4];
    PalVec3 facet_start[4], facet_end[4];
    double fraction;  // of the step after which two surfaces meet, or a little less
    double pad;       // they are then within this of each other
    PalContactKind kind;
    int32_t vertices[4];  // a vertex and a facet, or two edges
    int32_t objects[2];   // of the vertex and the facet, or of the edges
    PalVec3 start[4], end[4];
} PalWitness;

extern const PalResponse pal_response_witness;

// Which pairs of objects are left out, and how far apart surfaces count as meeting.
typedef struct PalWitnessWish {
    double separation;
    bool (*skips)(const void *context, int32_t a, int32_t b);  // NULL: none is left out
    const void *context;
} PalWitnessWish;

// What meets first in the step that contact is looking at, as predicted, among the pairs of facets
// that the search has listed.
void pal_witness_look(PalContact *contact, const PalWitnessWish *wish, PalWitness *witness);

// Of contact that has this response.
const PalWitness *pal_witness_of(const PalContact *contact);

// An edge meets an edge, but at the same time as a vertex meets a facet: tells of that.
void pal_witness_prefer_facet(const PalContactSurface *surface, PalWitness *witness);

#endif
