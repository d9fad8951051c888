// A picture in memory: 8-bit RGB, text drawn with strokes, PNG.
#ifndef PAL_OUTPUT_IMAGE_H
#define PAL_OUTPUT_IMAGE_H

#include "output/text.h"

typedef struct PalColour {
    uint8_t r, g, b;
} PalColour;

typedef struct PalImage {
    int32_t width, height;
    PalColour *pixels;  // rows from the top
} PalImage;

bool pal_image_init(PalImage *image, int32_t width, int32_t height);
void pal_image_clear(PalImage *image);

// PNG, added to the text.
PalStatus pal_image_encode(const PalImage *image, PalText *text, PalError *error);

// Text with its baseline's left end at x, y; `size` is the height of a capital in pixels.
typedef struct PalLettering {
    double x, y, size;
    PalColour colour;
} PalLettering;

void pal_image_letter(PalImage *image, const PalLettering *lettering, const char *string);
double pal_lettering_width(double size, const char *string);

// From dark blue (0) over green to yellow (1); outside it stays at the ends.
PalColour pal_colour_map(double value);
#define PAL_COLOUR_STOP_COUNT 16
extern const PalColour pal_colour_stops[PAL_COLOUR_STOP_COUNT];

// a towards b by `share` in [0, 1].
PalColour pal_colour_mix(PalColour a, PalColour b, double share);

#endif
