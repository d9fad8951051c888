// Plots as SVG, in the manner of the papers' figures.
#ifndef PAL_EXPERIMENTS_PLOT_H
#define PAL_EXPERIMENTS_PLOT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef enum PalCurveStyle { PAL_CURVE_LINE, PAL_CURVE_POINTS, PAL_CURVE_DASHED } PalCurveStyle;

typedef struct PalCurve {
    const char *label;  // NULL: not in the legend
    PalCurveStyle style;
    int32_t colour;  // 0 to 5
    int32_t count;
    const double *x, *y;
} PalCurve;

#define PAL_CURVE_MAX 16

typedef struct PalPlot {
    const char *title, *x_label, *y_label;
    bool from_zero;  // the y axis begins at 0
    int32_t curve_count;
    PalCurve curves[PAL_CURVE_MAX];
} PalPlot;

// Writes an <svg> element. Points that are no numbers are left out.
void pal_plot_write(const PalPlot *plot, FILE *file);

// A text in HTML, its special characters written as entities.
void pal_write_escaped(FILE *file, const char *text);

#endif
