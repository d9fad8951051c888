#include "plot.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 560, HEIGHT = 380, LEFT = 78, RIGHT = 18, TOP = 40, BOTTOM = 56 };

static const char *const colours[] = {"#1f5fa8", "#c4422b", "#2c8a4b",
                                      "#8a4fa3", "#b07a12", "#444444"};

typedef struct Axis {
    double low, high, step;  // of the ticks
} Axis;

void pal_write_escaped(FILE *file, const char *text)
{
    for (const char *c = text; *c != '\0'; ++c) {
        if (*c == '<')
            fputs("&lt;", file);
        else if (*c == '>')
            fputs("&gt;", file);
        else if (*c == '&')
            fputs("&amp;", file);
        else if (*c == '"')
            fputs("&quot;", file);
        else
            fputc(*c, file);
    }
}

// Ends on ticks of 1, 2 or 5 times a power of ten.
static Axis axis_for(double low, double high)
{
    if (!(high > low)) {
        double about = fabs(low) > 0 ? 0.1 * fabs(low) : 1;
        low -= about;
        high += about;
    }
    double rough = (high - low) / 5, power = pow(10, floor(log10(rough)));
    double step = rough / power <= 1 ? 1 : rough / power <= 2 ? 2 : rough / power <= 5 ? 5 : 10;
    step *= power;
    return (Axis){step * floor(low / step + 1e-9), step * ceil(high / step - 1e-9), step};
}

static void find_axes(const PalPlot *plot, Axis *x, Axis *y)
{
    double low[2] = {INFINITY, plot->from_zero ? 0 : INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int32_t c = 0; c < plot->curve_count; ++c)
        for (int32_t i = 0; i < plot->curves[c].count; ++i) {
            double at[2] = {plot->curves[c].x[i], plot->curves[c].y[i]};
            if (!isfinite(at[0]) || !isfinite(at[1]))
                continue;
            for (int k = 0; k < 2; ++k) {
                low[k] = fmin(low[k], at[k]);
                high[k] = fmax(high[k], at[k]);
            }
        }
    bool empty = !(high[0] >= low[0]);
    if (plot->from_zero && low[1] > -0.05 * high[1])  // rounding, and what is nearly at rest
        low[1] = 0;
    *x = empty ? axis_for(0, 1) : axis_for(low[0], high[0]);
    *y = empty ? axis_for(0, 1) : axis_for(low[1], high[1]);
}

static double across(const Axis *x, double value)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * (value - x->low) / (x->high - x->low);
}

static double down(const Axis *y, double value)
{
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (value - y->low) / (y->high - y->low);
}

// A tick's number, 0 where rounding has left a trace.
static double tick(const Axis *axis, int32_t i)
{
    double value = axis->low + i * axis->step;
    return fabs(value) < 1e-9 * axis->step ? 0 : value;
}

static void write_axes(const PalPlot *plot, const Axis *x, const Axis *y, FILE *file)
{
    fprintf(file, "<g class=\"axes\">");
    for (int32_t i = 0; tick(x, i) <= x->high + 0.5 * x->step; ++i) {
        double at = across(x, tick(x, i));
        fprintf(file,
                "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>"
                "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.6g</text>",
                at, at, TOP, HEIGHT - BOTTOM, at, HEIGHT - BOTTOM + 18, tick(x, i));
    }
    for (int32_t i = 0; tick(y, i) <= y->high + 0.5 * y->step; ++i) {
        double at = down(y, tick(y, i));
        fprintf(file,
                "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>"
                "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.6g</text>",
                LEFT, WIDTH - RIGHT, at, at, LEFT - 7, at + 4, tick(y, i));
    }
    fprintf(file, "</g><text class=\"label\" x=\"%d\" y=\"%d\" text-anchor=\"middle\">",
            (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 16);
    pal_write_escaped(file, plot->x_label);
    fprintf(file,
            "</text><text class=\"label\" transform=\"translate(16 %d) rotate(-90)\" "
            "text-anchor=\"middle\">",
            (TOP + HEIGHT - BOTTOM) / 2);
    pal_write_escaped(file, plot->y_label);
    fprintf(file, "</text><text class=\"title\" x=\"%d\" y=\"20\">", LEFT);
    pal_write_escaped(file, plot->title);
    fprintf(file, "</text>");
}

static void write_line(const PalCurve *curve, const Axis *x, const Axis *y, FILE *file)
{
    fprintf(file, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\"%s d=\"",
            colours[curve->colour % 6],
            curve->style == PAL_CURVE_DASHED ? " stroke-dasharray=\"6 4\"" : "");
    bool pen = false;
    for (int32_t i = 0; i < curve->count; ++i) {
        if (!isfinite(curve->x[i]) || !isfinite(curve->y[i])) {
            pen = false;
            continue;
        }
        fprintf(file, "%c%.1f %.1f", pen ? 'L' : 'M', across(x, curve->x[i]), down(y, curve->y[i]));
        pen = true;
    }
    fprintf(file, "\"/>");
}

static void write_points(const PalCurve *curve, const Axis *x, const Axis *y, FILE *file)
{
    for (int32_t i = 0; i < curve->count; ++i)
        if (isfinite(curve->x[i]) && isfinite(curve->y[i]))
            fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>",
                    across(x, curve->x[i]), down(y, curve->y[i]), colours[curve->colour % 6]);
}

static void write_legend(const PalPlot *plot, FILE *file)
{
    int32_t line = 0, count = 0;
    size_t longest = 0;
    for (int32_t c = 0; c < plot->curve_count; ++c)
        if (plot->curves[c].label != NULL) {
            size_t length = strlen(plot->curves[c].label);
            longest = length > longest ? length : longest;
            ++count;
        }
    if (count > 0)
        fprintf(file, "<rect class=\"paper\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>",
                LEFT + 4, TOP + 3, 44 + 7 * (int)longest, 17 * count + 6);
    for (int32_t c = 0; c < plot->curve_count; ++c) {
        const PalCurve *curve = &plot->curves[c];
        if (curve->label == NULL)
            continue;
        int32_t y = TOP + 14 + 17 * line++;
        if (curve->style == PAL_CURVE_POINTS)
            fprintf(file, "<circle cx=\"%d\" cy=\"%d\" r=\"3\" fill=\"%s\"/>", LEFT + 22, y,
                    colours[curve->colour % 6]);
        else
            fprintf(file,
                    "<line x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\" stroke=\"%s\" "
                    "stroke-width=\"1.8\"%s/>",
                    LEFT + 10, LEFT + 34, y, y, colours[curve->colour % 6],
                    curve->style == PAL_CURVE_DASHED ? " stroke-dasharray=\"6 4\"" : "");
        fprintf(file, "<text class=\"legend\" x=\"%d\" y=\"%d\">", LEFT + 41, y + 4);
        pal_write_escaped(file, curve->label);
        fprintf(file, "</text>");
    }
}

void pal_plot_write(const PalPlot *plot, FILE *file)
{
    Axis x, y;
    find_axes(plot, &x, &y);
    fprintf(file, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", WIDTH, HEIGHT);
    pal_write_escaped(file, plot->title);
    fprintf(file, "\">");
    write_axes(plot, &x, &y, file);
    for (int32_t c = 0; c < plot->curve_count; ++c) {
        if (plot->curves[c].style == PAL_CURVE_POINTS)
            write_points(&plot->curves[c], &x, &y, file);
        else
            write_line(&plot->curves[c], &x, &y, file);
    }
    write_legend(plot, file);
    fprintf(file, "</svg>\n");
}
