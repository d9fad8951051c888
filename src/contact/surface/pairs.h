// Which objects touch, and how near they come.
#ifndef PAL_CONTACT_SURFACE_PAIRS_H
#define PAL_CONTACT_SURFACE_PAIRS_H

#include "contact/surface/surface.h"

// Of a body or an instrument.
const char *pal_contact_object_name(const PalModel *model, int32_t object);
// Says that an error, if there is one, is about this object; returns the status.
PalStatus pal_contact_error_about(int32_t object, PalStatus status, PalError *error);

// Two objects and their friction.
typedef struct PalPairItem {
    int32_t low, high;
    double friction;  // < 0: they pass through each other
} PalPairItem;

// Which objects touch.
typedef struct PalPairs {
    int32_t object_count, body_count;
    double *dense;      // friction of each two, object_count squared; NULL: they are too many
    double every_pair;  // friction of two that are not listed; < 0: they pass through each other
    double every_self;  // the same of a body with itself
    bool *prescribed;   // per object
    bool *touching;     // per object: it touches something
    int32_t item_count, item_capacity;
    PalPairItem *items;  // those listed, ascending
} PalPairs;

// Refuses pairs and separations that make no sense.
PalStatus pal_pairs_create(const PalContactDef *def, const PalModel *model, PalPairs **pairs,
                           PalError *error);
void pal_pairs_destroy(PalPairs *pairs);
// Changes or lists two objects. False: no memory.
bool pal_pairs_set(PalPairs *pairs, int32_t a, int32_t b, double friction);
double pal_pairs_look_up(const PalPairs *pairs, int32_t a, int32_t b);
bool pal_pairs_touching(const PalPairs *pairs, int32_t object);

// Friction of two objects; < 0: they pass through each other.
static inline double pal_pairs_friction(const PalPairs *pairs, int32_t a, int32_t b)
{
    return pairs->dense != NULL ? pairs->dense[(int64_t)a * pairs->object_count + b]
                                : pal_pairs_look_up(pairs, a, b);
}

// Of the soft bodies that touch anything, or else of the free rigid ones: the shortest edge, and
// the smallest of their mean edges.
double pal_contact_shortest_edge(const PalContactSurface *surface, const PalPairs *pairs);
double pal_contact_mean_edge(const PalContactSurface *surface, const PalPairs *pairs);
// The distance at which surfaces rest on each other. Refuses one that is longer than edges are.
PalStatus pal_contact_separation(const PalContactDef *def, const PalContactSurface *surface,
                                 const PalPairs *pairs, double *separation, PalError *error);

#endif
