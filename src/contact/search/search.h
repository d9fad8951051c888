// Which facets may touch: pairs of facets near each other, by any hierarchy and update.
#ifndef PAL_CONTACT_SEARCH_SEARCH_H
#define PAL_CONTACT_SEARCH_SEARCH_H

#include "base/meter.h"
#include "contact/search/list.h"

// `allowed[a * object_count + b]`: objects a and b (or a with itself) may touch. Copied. NULL: the
// surface's pairs tell. Pairs of facets within `reach` of each other are wanted.
PalStatus pal_search_create(const PalContactDef *def, PalContactSurface *surface,
                            const bool *allowed, double reach, PalSearch **search, PalError *error);
// The same by patches, unless the definition asks for a published way.
PalStatus pal_search_create_by_patches(const PalContactDef *def, PalContactSurface *surface,
                                       double reach, PalSearch **search, PalError *error);
void pal_search_destroy(PalSearch *search);

// Brings pairs up to date with the surface's start and end. Adds to the meter.
PalStatus pal_search_update(PalSearch *search, PalContactSurface *surface, int32_t thread_count,
                            PalMeter *meter, PalError *error);

// Pairs of facets of a search by patches, as others list them, but more; after an update.
PalStatus pal_search_list_facets(PalSearch *search, const PalContactSurface *surface,
                                 PalError *error);

// It asks for the vertices it looks at: none need be placed before.
bool pal_search_is_lazy(const PalSearch *search);
// Where vertices may be while the list holds; NULL: it holds for this step only.
const struct PalPlaces *pal_search_places(const PalSearch *search);

// Margin of the papers: a hundredth of the largest and the smallest diameter of a facet together,
// of soft bodies if there are any.
double pal_search_published_margin(const PalContactSurface *surface);

// Whether the pairs still hold though the ends of these vertices were moved; NULL: the first ones.
// Objects that this brings near others wake up.
bool pal_search_covers(const PalSearch *search, const PalContactSurface *surface,
                       const int32_t *vertices, int32_t count);

// The step is over: no vertex has gone farther than the strides of the surface.
void pal_search_pass(PalSearch *search, const PalContactSurface *surface);
// Vertices may have gone anywhere since the last step.
void pal_search_forget(PalSearch *search);

#endif
