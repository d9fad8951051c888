// What is drawn, and how it stands between being placed before the camera (raster.c) and colouring
// pixels (raster_pixels.c).
#ifndef PAL_OUTPUT_RASTER_SCENE_H
#define PAL_OUTPUT_RASTER_SCENE_H

#include "output/image.h"
#include "output/shown.h"

#define PAL_RASTER_SAMPLES 2   // per pixel and direction
#define PAL_RASTER_BAND    20  // pixel rows drawn at a time
#define PAL_CUT_MOST       9   // corners of a triangle cut by six planes

// The part of the image that the drawing fills, in pixels.
typedef struct PalViewport {
    double left, top, width, height;
} PalViewport;

typedef struct PalRasterDef {
    const PalFrame *frame;
    const PalShown *shown;
    PalViewport viewport;
    int32_t thread_count;  // the pixels do not depend on it
    const bool *left_out;  // per body: not drawn, but in view all the same; NULL: none
} PalRasterDef;

typedef struct PalCamera {
    PalVec3 right, up, forward, eye;
    double zoom, shift_x, shift_y;
} PalCamera;

// A point in the picture: pixels, and 1 / depth, which is linear across a triangle.
typedef struct PalScreen {
    double x, y, inverse_depth;
} PalScreen;

// A triangle to draw. Its corners are points of the scene.
typedef struct PalDrawn {
    int32_t corners[3];
    int32_t body;
    uint8_t edges;                   // as in PalFrame
    float normals[3][3];             // of the corners, of length 1
    float left, right, top, bottom;  // in pixels
} PalDrawn;

typedef struct PalShader PalShader;

typedef struct PalRasterScene {
    const PalRasterDef *def;
    PalImage *image;
    PalCamera camera;
    int32_t point_count;  // the frame's points, then those where something was cut
    PalVec3 *positions;
    PalScreen *points;
    int32_t drawn_count;
    PalDrawn *drawn;
    float **depths;    // per worker, one band of samples: 1 / depth, 0 where nothing is
    int32_t **owners;  // which triangle is seen at each sample
    PalShader **shaders;
} PalRasterScene;

// Adds what a box leaves of a triangle, as triangles with corners of their own.
void pal_raster_add_cut(PalRasterScene *scene, const PalDrawn *whole, const PalBounds *box);
// Adds the sides where the box has cut a convex body, the frame's triangles `first` to `end`, whose
// new points begin at `first_point`. False: no memory.
bool pal_raster_close_cut(PalRasterScene *scene, int32_t first, int32_t end, int32_t first_point,
                          const PalBounds *box);

// What a worker knows of colours and of the triangles it shaded last; NULL: no memory. It is aimed
// when the camera is.
PalShader *pal_shader_create(const PalRasterScene *scene);
void pal_shader_aim(PalShader *shader);

// Samples in one band.
size_t pal_raster_band_samples(const PalRasterScene *scene);

// Columns of pixels.
typedef struct PalSpan {
    int32_t first, end;
} PalSpan;

// Finds what is seen in a band, and returns the columns in which that is.
PalSpan pal_raster_cover(const PalRasterScene *scene, int32_t band, int32_t worker);

// Draws a band: a task for pal_parallel_for, whose context is the scene.
void pal_raster_draw_band(void *context, int32_t band, int32_t worker);

#endif
