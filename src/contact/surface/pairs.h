// Which objects touch, and how near they come.
#ifndef PAL_CONTACT_SURFACE_PAIRS_H
#define PAL_CONTACT_SURFACE_PAIRS_H

#include "contact/surface/surface.h"

// Of a body or an instrument.
const char *pal_contact_object_name(const PalModel *model, int32_t object);

// Friction of each two objects, < 0 where they pass through each other: object_count squared, to be
// freed with pal_free. Refuses pairs and separations that make no sense.
PalStatus pal_contact_frictions(const PalContactDef *def, const PalModel *model, double **friction,
                                PalError *error);
// Of the soft bodies that touch anything, or else of the free rigid ones: the shortest edge, and
// the smallest of their mean edges.
double pal_contact_shortest_edge(const PalContactSurface *surface, const double *friction);
double pal_contact_mean_edge(const PalContactSurface *surface, const double *friction);
// The distance at which surfaces rest on each other. Refuses one that is longer than edges are.
PalStatus pal_contact_separation(const PalContactDef *def, const PalContactSurface *surface,
                                 const double *friction, double *separation, PalError *error);

#endif
