#include "output/picture.h"

#include "output/image.h"
#include "output/raster.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH        960
#define HEIGHT       600
#define MARGIN       36
#define LEGEND_WIDTH 124
#define HEAD         54
#define FAINT        0.25  // how much is seen of what one sees through

static const PalColour ink = {36, 42, 54}, faint = {98, 106, 120};

static void paint_background(PalImage *image)
{
    const PalColour above = {252, 252, 253}, below = {228, 232, 238};
    for (int32_t y = 0; y < image->height; ++y) {
        PalColour *row = image->pixels + (size_t)y * (size_t)image->width;
        PalColour colour = pal_colour_mix(above, below, y / (double)(image->height - 1));
        PalColour before = y > 0 ? *(row - image->width) : ink;
        if (memcmp(&colour, &before, sizeof colour) == 0) {
            memcpy(row, row - image->width, (size_t)image->width * sizeof *row);
            continue;
        }
        for (int32_t x = 0; x < image->width; ++x)
            row[x] = colour;
    }
}

static void letter_right(PalImage *image, double right, double y, double size, const char *text)
{
    PalLettering at = {right - pal_lettering_width(size, text), y, size, faint};
    pal_image_letter(image, &at, text);
}

static void draw_title(PalImage *image, const PalFrame *frame, const char *title)
{
    // Long titles become smaller, and then run out of the picture.
    char time[64];
    snprintf(time, sizeof time, "t = %.6g", frame->time);
    double size = 14, room = WIDTH - 3 * MARGIN - pal_lettering_width(11, time);
    while (size > 8 && pal_lettering_width(size, title) > room)
        size -= 1;
    PalLettering at = {MARGIN, 40, size, ink};
    pal_image_letter(image, &at, title);
    letter_right(image, WIDTH - MARGIN, 40, 11, time);
}

// Three digits, without an exponent where it is easy to read.
static char *print_value(double value, char out[32])
{
    char digits[32];
    snprintf(digits, sizeof digits, "%.2e", value);
    snprintf(out, 32, fabs(value) < 1e6 ? "%.6g" : "%.3g", strtod(digits, NULL));
    return out;
}

static void draw_legend(PalImage *image, const PalShown *shown, PalShownField field)
{
    int32_t right = WIDTH - MARGIN, left = right - 17, top = 172, bottom = 450;
    for (int32_t y = top; y <= bottom; ++y)
        for (int32_t x = left; x < right; ++x) {
            double value = (bottom - y) / (double)(bottom - top);
            image->pixels[(size_t)y * WIDTH + (size_t)x] = pal_colour_map(value);
        }
    int32_t steps = shown->steps > 0 ? shown->steps : 1;
    for (int32_t i = 0; i <= steps; ++i) {
        double share = i / (double)steps, y = bottom - share * (bottom - top);
        char number[32], label[48];
        bool more = i == steps && shown->top < shown->highest;
        snprintf(label, sizeof label, "%s%s", more ? "> " : "",
                 print_value(share * shown->top, number));
        letter_right(image, left - 9, y + 4.5, 9, label);
        for (int32_t x = left - 5; x < left; ++x)
            image->pixels[(size_t)lround(y) * WIDTH + (size_t)x] = faint;
    }
    letter_right(image, right, top - 18, 9, pal_shown_name(field));
    if (shown->top < shown->highest) {
        char number[32], label[48];
        snprintf(label, sizeof label, "highest %s", print_value(shown->highest, number));
        letter_right(image, right, bottom + 24, 8, label);
    }
}

// Bodies that hide others are drawn faintly over a picture without them.
static PalStatus draw_through(PalRasterDef *raster, const bool *see_through, PalImage *image,
                              PalError *error)
{
    PalImage faint_parts;
    if (!pal_image_init(&faint_parts, WIDTH, HEIGHT))
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for a picture");
    size_t pixels = (size_t)WIDTH * HEIGHT;
    memcpy(faint_parts.pixels, image->pixels, pixels * sizeof *image->pixels);
    PalStatus status = pal_raster_draw(raster, &faint_parts, error);
    raster->left_out = see_through;
    if (status == PAL_OK)
        status = pal_raster_draw(raster, image, error);
    for (size_t i = 0; i < pixels && status == PAL_OK; ++i)
        image->pixels[i] = pal_colour_mix(image->pixels[i], faint_parts.pixels[i], FAINT);
    pal_image_clear(&faint_parts);
    return status;
}

static PalStatus draw_bodies(PalRasterDef *raster, const bool *see_through, PalImage *image,
                             PalError *error)
{
    for (int32_t b = 0; see_through != NULL && b < raster->frame->body_count; ++b)
        if (see_through[b])
            return draw_through(raster, see_through, image, error);
    return pal_raster_draw(raster, image, error);
}

static PalStatus draw(const PalFrame *frame, const PalPictureDef *def, PalImage *image,
                      PalError *error)
{
    PalShown shown;
    PalShownField field = PAL_SHOWN_VON_MISES;
    PAL_TRY(pal_shown_init(frame, field, def->failed, &shown, error));
    if (!(shown.highest > 0)) {
        pal_shown_clear(&shown);
        field = PAL_SHOWN_DISPLACEMENT;
        PAL_TRY(pal_shown_init(frame, field, def->failed, &shown, error));
    }
    paint_background(image);
    PalRasterDef raster = {
        .frame = frame,
        .shown = &shown,
        .viewport = {MARGIN, HEAD + 12, WIDTH - 3 * MARGIN - LEGEND_WIDTH,
                     HEIGHT - HEAD - 12 - MARGIN},
        .thread_count = def->thread_count,
    };
    PalStatus status = draw_bodies(&raster, def->see_through, image, error);
    draw_title(image, frame, def->title);
    if (frame->soft_body_count > 0)
        draw_legend(image, &shown, field);
    pal_shown_clear(&shown);
    return status;
}

PalStatus pal_picture_encode(const PalFrame *frame, const PalPictureDef *def, PalText *png,
                             PalError *error)
{
    PalImage image;
    if (!pal_image_init(&image, WIDTH, HEIGHT))
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for a picture");
    PalStatus status = draw(frame, def, &image, error);
    if (status == PAL_OK)
        status = pal_image_encode(&image, png, error);
    pal_image_clear(&image);
    return status;
}
