// Draws a frame's surface: a camera that sees the soft bodies and what is near them, a depth
// buffer, light, mesh lines. What reaches beyond the viewport fades.
#ifndef PAL_OUTPUT_RASTER_H
#define PAL_OUTPUT_RASTER_H

#include "output/raster_scene.h"

// Draws over what the image holds. Triangles with a corner that is not finite are left out.
PalStatus pal_raster_draw(const PalRasterDef *def, PalImage *image, PalError *error);

// How many samples of a picture of that size show each body. `shown` is not needed.
PalStatus pal_raster_count(const PalRasterDef *def, int32_t width, int32_t height, int64_t *seen,
                           PalError *error);

#endif
