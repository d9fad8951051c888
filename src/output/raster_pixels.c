#include "output/raster_scene.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define SAMPLES    PAL_RASTER_SAMPLES
#define BAND_ROWS  PAL_RASTER_BAND
#define FLAT       0.99999  // cosine of the angle up to which corners count as being in one plane
#define FADE_AFTER 2.0      // pixels outside the viewport, where the rest begins to fade
#define FADE       36.0     // and in how many it is gone

// Of two numbers; the first if one is none. What fmin and fmax do takes longer.
static inline double least(double a, double b)
{
    return b < a ? b : a;
}

static inline double most(double a, double b)
{
    return b > a ? b : a;
}

// ---- what is seen -----------------------------------------------------------------------

// The shares of a triangle's three corners at a place: linear, negative outside.
typedef struct Shares {
    double at[3], across[3], down[3];  // at the picture's corner, and their change per pixel
} Shares;

// False: seen edge-on.
static bool find_shares(const PalRasterScene *scene, const PalDrawn *drawn, Shares *shares)
{
    const PalScreen *s[3];
    for (int a = 0; a < 3; ++a)
        s[a] = &scene->points[drawn->corners[a]];
    double twice =
        (s[1]->x - s[0]->x) * (s[2]->y - s[0]->y) - (s[2]->x - s[0]->x) * (s[1]->y - s[0]->y);
    if (!(fabs(twice) > 1e-12))
        return false;
    for (int a = 0; a < 3; ++a) {
        const PalScreen *p = s[(a + 1) % 3], *q = s[(a + 2) % 3];
        shares->across[a] = (p->y - q->y) / twice;
        shares->down[a] = (q->x - p->x) / twice;
        shares->at[a] = -(shares->across[a] * p->x + shares->down[a] * p->y);
    }
    return true;
}

// Where all shares are positive in a row of samples: from `*first` up to `*end`.
static bool find_span(const Shares *shares, int32_t row, int32_t *first, int32_t *end)
{
    const double slack = 1e-6;  // of a sample: neighbours must not leave a gap
    double y = (row + 0.5) / SAMPLES, low = *first, high = *end - 1;
    for (int a = 0; a < 3; ++a) {
        // share at the middle of sample c: here + c * slope
        double slope = shares->across[a] / SAMPLES;
        double here = shares->at[a] + shares->down[a] * y + 0.5 * slope;
        if (slope > 0)
            low = most(low, -here / slope - slack);
        else if (slope < 0)
            high = least(high, -here / slope + slack);
        else if (here < 0)
            return false;
    }
    if (!(low <= high))
        return false;
    *first = (int32_t)ceil(low);
    *end = (int32_t)floor(high) + 1;
    return *first < *end;
}

static void cover_span(float *depths, int32_t *owners, int32_t count, const float depth[2],
                       int32_t triangle)
{
    float start = depth[0], slope = depth[1];
    for (int32_t c = 0; c < count; ++c) {
        float here = start + slope * (float)c;
        bool nearer = here > depths[c];
        depths[c] = nearer ? here : depths[c];
        owners[c] = nearer ? triangle : owners[c];
    }
}

static int32_t clamped(double value, int32_t low, int32_t high)
{
    return value < low ? low : value > high ? high : (int32_t)value;
}

// Writes a triangle into the band's depth buffer. Rows and columns count samples.
static void cover_triangle(const PalRasterScene *scene, int32_t t, const PalSpan *span,
                           int32_t first_row, int32_t worker)
{
    int32_t row_count = BAND_ROWS * SAMPLES;
    const PalDrawn *drawn = &scene->drawn[t];
    Shares shares;
    int32_t top = clamped((double)drawn->top * SAMPLES, first_row, first_row + row_count);
    int32_t bottom = clamped((double)drawn->bottom * SAMPLES + 1, first_row, first_row + row_count);
    if (top >= bottom || !find_shares(scene, drawn, &shares))
        return;
    double at = 0, across = 0, down = 0;  // 1 / depth, which is linear as well
    for (int a = 0; a < 3; ++a) {
        double z = scene->points[drawn->corners[a]].inverse_depth;
        at += z * shares.at[a];
        across += z * shares.across[a];
        down += z * shares.down[a];
    }
    int32_t columns = scene->image->width * SAMPLES;
    for (int32_t row = top; row < bottom; ++row) {
        int32_t first = span->first * SAMPLES, end = span->end * SAMPLES;
        if (!find_span(&shares, row, &first, &end))
            continue;
        size_t start = (size_t)(row - first_row) * (size_t)columns + (size_t)first;
        const float depth[2] = {
            (float)(at + across * (first + 0.5) / SAMPLES + down * (row + 0.5) / SAMPLES),
            (float)(across / SAMPLES)};
        cover_span(scene->depths[worker] + start, scene->owners[worker] + start, end - first, depth,
                   t);
    }
}

size_t pal_raster_band_samples(const PalRasterScene *scene)
{
    return (size_t)(scene->image->width * SAMPLES) * BAND_ROWS * SAMPLES;
}

static bool is_here(const PalRasterScene *scene, const PalDrawn *drawn, int32_t top)
{
    const bool *left_out = scene->def->left_out;
    return drawn->bottom >= (float)top && drawn->top <= (float)(top + BAND_ROWS) &&
           (left_out == NULL || !left_out[drawn->body]);
}

// The columns of pixels that a band's triangles can reach.
static PalSpan find_columns(const PalRasterScene *scene, int32_t top)
{
    float left = INFINITY, right = -INFINITY;
    for (int32_t t = 0; t < scene->drawn_count; ++t) {
        const PalDrawn *drawn = &scene->drawn[t];
        if (!is_here(scene, drawn, top))
            continue;
        left = drawn->left < left ? drawn->left : left;
        right = drawn->right > right ? drawn->right : right;
    }
    int32_t width = scene->image->width;
    return left <= right ? (PalSpan){clamped((double)left - 1, 0, width),
                                     clamped((double)right + 2, 0, width)}
                         : (PalSpan){0, 0};
}

PalSpan pal_raster_cover(const PalRasterScene *scene, int32_t band, int32_t worker)
{
    int32_t top = band * BAND_ROWS;
    size_t columns = (size_t)scene->image->width * SAMPLES;
    PalSpan span = find_columns(scene, top);
    size_t first = (size_t)span.first * SAMPLES, count = (size_t)(span.end - span.first) * SAMPLES;
    for (size_t row = 0; row < BAND_ROWS * SAMPLES; ++row) {
        memset(scene->depths[worker] + row * columns + first, 0, count * sizeof **scene->depths);
        memset(scene->owners[worker] + row * columns + first, 0xff, count * sizeof **scene->owners);
    }
    for (int32_t t = 0; t < scene->drawn_count; ++t)
        if (is_here(scene, &scene->drawn[t], top))
            cover_triangle(scene, t, &span, top * SAMPLES, worker);
    return span;
}

// ---- light and colour -------------------------------------------------------------------

enum { COLOURS = 1024 };

// What shading needs of the scene, and of the triangle it shaded last.
typedef struct Shader {
    const PalRasterScene *scene;
    PalVec3 light, half;
    float colours[COLOURS + 1][3];  // of values from 0 to the top, 0 to 1 each
    int32_t triangle;
    Shares shares;
    double depths[3];  // 1 / depth of the corners
    double values[3];
    double spans[3];  // pixels from each side with a line to its opposite corner, else 0
    double dark;      // of mesh lines
    bool soft;
    float base[3];  // colour of what is not soft
} Shader;

static void prepare_shader(const PalRasterScene *scene, Shader *shader)
{
    PalVec3 towards = pal_vec3_scale(-1, scene->camera.forward);
    PalVec3 light = pal_vec3_add_scaled(towards, -0.55, scene->camera.right);
    shader->scene = scene;
    shader->triangle = PAL_NONE;
    shader->light = pal_vec3_normalise(pal_vec3_add_scaled(light, 0.9, scene->camera.up));
    shader->half = pal_vec3_normalise(pal_vec3_add(shader->light, towards));
    for (int i = 0; i <= COLOURS; ++i) {
        PalColour c = pal_colour_map(i / (double)COLOURS);
        const uint8_t parts[3] = {c.r, c.g, c.b};
        for (int k = 0; k < 3; ++k)
            shader->colours[i][k] = (float)parts[k] / 255;
    }
}

// The same everywhere: lines on a table would tell nothing.
static bool is_flat(const PalDrawn *drawn)
{
    float same = 1;
    for (int i = 0; i < 3; ++i) {
        const float *a = drawn->normals[i], *b = drawn->normals[(i + 1) % 3];
        float cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        same = cosine < same ? cosine : same;
    }
    return (double)same > FLAT;
}

// Instruments are grey; free rigid bodies, of which there may be many, have a few muted colours.
static PalColour rigid_colour(const PalFrame *frame, int32_t body)
{
    static const PalColour colours[] = {
        {210, 172, 118}, {132, 164, 196}, {160, 184, 134}, {204, 148, 138}, {168, 152, 190}};
    const int32_t count = sizeof colours / sizeof *colours;
    return frame->bodies[body].free ? colours[body % count] : (PalColour){176, 182, 192};
}

// Sides of which lines are drawn keep their distance; lines fade where the mesh is as fine as
// pixels.
static void take_lines(Shader *shader, const PalDrawn *drawn)
{
    double shortest = INFINITY;
    for (int a = 0; a < 3; ++a) {
        const Shares *s = &shader->shares;
        double height = 1 / sqrt(s->across[a] * s->across[a] + s->down[a] * s->down[a]);
        shortest = least(shortest, height);
        // the side from corner a + 1 to the next lies opposite to corner a
        shader->spans[a] = drawn->edges >> (a + 1) % 3 & 1 ? height : 0;
    }
    double dark = shader->soft ? 0.42 : is_flat(drawn) ? 0 : 0.18;
    shader->dark = dark * least(most((shortest - 2.5) / 8, 0), 1);
}

static void take_triangle(Shader *shader, int32_t t)
{
    const PalRasterScene *scene = shader->scene;
    const PalDrawn *drawn = &scene->drawn[t];
    const PalFrame *frame = scene->def->frame;
    shader->triangle = t;
    find_shares(scene, drawn, &shader->shares);
    shader->soft = drawn->body < frame->soft_body_count;
    double top = scene->def->shown->top;
    for (int a = 0; a < 3; ++a) {
        int32_t n = drawn->corners[a];
        shader->depths[a] = scene->points[n].inverse_depth;
        shader->values[a] = shader->soft && top > 0 ? scene->def->shown->values[n] / top : 0;
    }
    take_lines(shader, drawn);
    PalColour base = rigid_colour(frame, drawn->body);
    shader->base[0] = (float)base.r / 255;
    shader->base[1] = (float)base.g / 255;
    shader->base[2] = (float)base.b / 255;
}

// How bright a surface is, and how it shines.
static double lit(const Shader *shader, PalVec3 normal, double *gloss)
{
    if (pal_vec3_dot(normal, shader->scene->camera.forward) > 0)
        normal = pal_vec3_scale(-1, normal);
    double sky = 0.5 + 0.5 * normal.z;
    double shine = most(pal_vec3_dot(normal, shader->half), 0), square = shine * shine;
    double fourth = square * square, eighth = fourth * fourth, sixteenth = eighth * eighth;
    *gloss = 0.16 * sixteenth * sixteenth * sixteenth * square;  // to the power of 50
    return 0.5 + 0.14 * sky + 0.44 * most(pal_vec3_dot(normal, shader->light), 0);
}

static void shade(Shader *shader, int32_t t, double x, double y, float colour[3])
{
    if (t != shader->triangle)
        take_triangle(shader, t);
    const PalDrawn *drawn = &shader->scene->drawn[t];
    const Shares *s = &shader->shares;
    double value = 0, weight = 0, line = 0;
    PalVec3 normal = {0, 0, 0};
    for (int a = 0; a < 3; ++a) {
        double share = s->at[a] + s->across[a] * x + s->down[a] * y, w = share * shader->depths[a];
        const float *n = drawn->normals[a];
        value += w * shader->values[a];
        weight += w;
        normal = pal_vec3_add_scaled(normal, w, pal_vec3((double)n[0], (double)n[1], (double)n[2]));
        if (shader->spans[a] > 0)
            line = most(line, 0.75 - share * shader->spans[a]);
    }
    double place = least(most(0, value / weight), 1) * COLOURS, gloss;
    const float *base = shader->soft ? shader->colours[(int)(place + 0.5)] : shader->base;
    double light = lit(shader, pal_vec3_normalise(normal), &gloss);
    double bright = 1 - shader->dark * least(line / 0.5, 1);
    for (int i = 0; i < 3; ++i)
        colour[i] = (float)(least((double)base[i] * light + gloss, 1) * bright);
}

// ---- pixels -----------------------------------------------------------------------------

// How much is seen of what reaches beyond the viewport, 0 to 1.
static double visibility(const PalViewport *viewport, int32_t x, int32_t y)
{
    double right = viewport->left + viewport->width, bottom = viewport->top + viewport->height;
    double aside = most(viewport->left - x, x + 1 - right),
           above = most(viewport->top - y, y + 1 - bottom);
    return least(most(1 - (most(aside, above) - FADE_AFTER) / FADE, 0), 1);
}

static uint8_t mixed(uint8_t old, double new, double share)
{
    return (uint8_t)(old + share * (255 * new - old) + 0.5);
}

static void put_pixel(PalColour *pixel, const double sum[3], double share)
{
    *pixel = (PalColour){mixed(pixel->r, sum[0], share), mixed(pixel->g, sum[1], share),
                         mixed(pixel->b, sum[2], share)};
}

// What one triangle has of a pixel.
typedef struct Seen {
    int32_t triangle;
    int count;
    double x, y;  // sums over its samples
} Seen;

// Samples of one triangle are shaded once, in their middle. Returns how many of them show anything.
static int shade_pixel(Shader *shader, const int32_t owners[SAMPLES * SAMPLES], int32_t x,
                       int32_t y, double sum[3])
{
    Seen seen[SAMPLES * SAMPLES];
    int triangle_count = 0, sample_count = 0;
    for (int i = 0; i < SAMPLES * SAMPLES; ++i) {
        int k = 0;
        if (owners[i] == PAL_NONE)
            continue;
        while (k < triangle_count && seen[k].triangle != owners[i])
            ++k;
        if (k == triangle_count)
            seen[triangle_count++] = (Seen){.triangle = owners[i]};
        ++seen[k].count;
        ++sample_count;
        seen[k].x += x + (i % SAMPLES + 0.5) / SAMPLES;
        seen[k].y += y + (i / SAMPLES + 0.5) / SAMPLES;
    }
    for (int k = 0; k < triangle_count; ++k) {
        float colour[3];
        double share = seen[k].count / (double)sample_count;
        shade(shader, seen[k].triangle, seen[k].x / seen[k].count, seen[k].y / seen[k].count,
              colour);
        for (int i = 0; i < 3; ++i)
            sum[i] += share * (double)colour[i];
    }
    return sample_count;
}

// A pixel is the mean of its samples; where nothing is seen, what the image held already.
static void resolve_row(const PalRasterScene *scene, Shader *shader, const PalSpan *span,
                        const int32_t *owners, int32_t y)
{
    size_t columns = (size_t)scene->image->width * SAMPLES;
    for (int32_t x = span->first; x < span->end; ++x) {
        const int32_t *at = owners + (size_t)x * SAMPLES;
        int32_t own[SAMPLES * SAMPLES], others = 0;
        for (int i = 0; i < SAMPLES * SAMPLES; ++i) {
            own[i] = at[(size_t)(i / SAMPLES) * columns + (size_t)(i % SAMPLES)];
            others |= own[i] ^ own[0];
        }
        if (others == 0 && own[0] == PAL_NONE)
            continue;
        double share = visibility(&scene->def->viewport, x, y), sum[3] = {0, 0, 0};
        if (share == 0)
            continue;
        if (others == 0) {
            float colour[3];
            shade(shader, own[0], x + 0.5, y + 0.5, colour);
            for (int i = 0; i < 3; ++i)
                sum[i] = (double)colour[i];
        } else {
            share *= shade_pixel(shader, own, x, y, sum) / (double)(SAMPLES * SAMPLES);
        }
        put_pixel(&scene->image->pixels[(size_t)y * (size_t)scene->image->width + (size_t)x], sum,
                  share);
    }
}

void pal_raster_draw_band(void *context, int32_t band, int32_t worker)
{
    const PalRasterScene *scene = context;
    PalSpan span = pal_raster_cover(scene, band, worker);
    int32_t top = band * BAND_ROWS, rest = scene->image->height - top;
    int32_t bottom = top + (rest < BAND_ROWS ? rest : BAND_ROWS);
    size_t row = (size_t)scene->image->width * SAMPLES * SAMPLES;
    Shader shader;
    prepare_shader(scene, &shader);
    for (int32_t y = top; y < bottom && span.first < span.end; ++y)
        resolve_row(scene, &shader, &span, scene->owners[worker] + (size_t)(y - top) * row, y);
}
