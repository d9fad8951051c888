#include "output/raster_scene.h"

#include "base/memory.h"
#include "math/lanes.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define SAMPLES    PAL_RASTER_SAMPLES
#define BAND_ROWS  PAL_RASTER_BAND
#define FLAT       0.99999  // cosine of the angle up to which corners count as being in one plane
#define SMOOTH     0.97f    // the same, up to which a surface goes on smoothly
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
    double wide[3];                    // how many samples a row goes on from where one is 1, signed
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
        shares->wide[a] = shares->across[a] != 0 ? -SAMPLES / shares->across[a] : 0;
    }
    return true;
}

// Where all shares are positive in a row of samples: from `*first` up to `*end`.
static inline bool find_span(const Shares *shares, int32_t row, int32_t *first, int32_t *end)
{
    const double slack = 1e-6;  // of a sample: neighbours must not leave a gap
    double y = (row + 0.5) / SAMPLES, low = *first, high = *end - 1;
    for (int a = 0; a < 3; ++a) {
        // share at the middle of sample c: here + c * slope
        double slope = shares->across[a] / SAMPLES;
        double here = shares->at[a] + shares->down[a] * y + 0.5 * slope;
        if (slope > 0)
            low = most(low, here * shares->wide[a] - slack);
        else if (slope < 0)
            high = least(high, here * shares->wide[a] + slack);
        else if (here < 0)
            return false;
    }
    if (!(low <= high))
        return false;
    *first = (int32_t)ceil(low);
    *end = (int32_t)floor(high) + 1;
    return *first < *end;
}

static inline void cover_span(float *depths, int32_t *owners, int32_t count, const float depth[2],
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

// Whether a triangle of a soft body is on the side that cannot be seen: bodies are closed unless
// some are thin.
static bool faces_away(const PalRasterScene *scene, const PalDrawn *drawn)
{
    const PalScreen *a = &scene->points[drawn->corners[0]], *b = &scene->points[drawn->corners[1]],
                    *c = &scene->points[drawn->corners[2]];
    return drawn->body < scene->def->frame->soft_body_count && !scene->def->frame->has_thin &&
           (b->x - a->x) * (c->y - a->y) - (c->x - a->x) * (b->y - a->y) >= 0;
}

// Writes a triangle into the band's depth buffer. Rows and columns count samples.
PAL_CLONES static void cover_triangle(const PalRasterScene *scene, int32_t t, const PalSpan *span,
                                      int32_t first_row, int32_t worker)
{
    int32_t row_count = BAND_ROWS * SAMPLES;
    const PalDrawn *drawn = &scene->drawn[t];
    Shares shares;
    int32_t top = clamped((double)drawn->top * SAMPLES, first_row, first_row + row_count);
    int32_t bottom = clamped((double)drawn->bottom * SAMPLES + 1, first_row, first_row + row_count);
    if (top >= bottom || faces_away(scene, drawn) || !find_shares(scene, drawn, &shares))
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

enum { COLOURS = 1024, PAINTS = 1024 };

// A number that is linear in the picture.
typedef struct Plane {
    float at, across, down;
} Plane;

// How a triangle is shaded. All but lines is times 1 / depth.
typedef struct Paint {
    int32_t triangle;
    bool soft;
    Plane weight, value;  // 1, and the place in the list of colours
    Plane normal[3];
    Plane eye, light, half;  // the normal's parts in these directions
    Plane lines[3];          // pixels from within each side that has one
    float dark;              // of lines
    float base[3];           // colour of what is not soft
} Paint;

struct PalShader {
    const PalRasterScene *scene;
    PalVec3 light, half;
    float colours[3][COLOURS + 1];  // of values from 0 to the top, 0 to 1 each
    Paint paints[PAINTS];           // of the triangles shaded last
};

PalShader *pal_shader_create(const PalRasterScene *scene)
{
    PalShader *shader = pal_alloc(1, sizeof *shader);
    if (shader == NULL)
        return NULL;
    shader->scene = scene;
    for (int i = 0; i < PAINTS; ++i)
        shader->paints[i].triangle = PAL_NONE;
    for (int i = 0; i <= COLOURS; ++i) {
        PalColour c = pal_colour_map(i / (double)COLOURS);
        const uint8_t parts[3] = {c.r, c.g, c.b};
        for (int k = 0; k < 3; ++k)
            shader->colours[k][i] = (float)parts[k] / 255;
    }
    return shader;
}

void pal_shader_aim(PalShader *shader)
{
    const PalCamera *camera = &shader->scene->camera;
    PalVec3 towards = pal_vec3_scale(-1, camera->forward);
    PalVec3 light = pal_vec3_add_scaled(towards, -0.55, camera->right);
    shader->light = pal_vec3_normalise(pal_vec3_add_scaled(light, 0.9, camera->up));
    shader->half = pal_vec3_normalise(pal_vec3_add(shader->light, towards));
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

// Lines are drawn at sides of the mesh; they fade where it is as fine as pixels.
static void paint_lines(const PalDrawn *drawn, const Shares *s, Paint *paint)
{
    double shortest = INFINITY;
    for (int a = 0; a < 3; ++a) {
        double height = 1 / sqrt(s->across[a] * s->across[a] + s->down[a] * s->down[a]);
        shortest = least(shortest, height);
        // the side from corner a + 1 to the next lies opposite to corner a
        bool line = drawn->edges >> (a + 1) % 3 & 1;
        paint->lines[a] =
            line ? (Plane){(float)(0.75 - height * s->at[a]), (float)(-height * s->across[a]),
                           (float)(-height * s->down[a])}
                 : (Plane){0, 0, 0};
    }
    double dark = paint->soft ? 0.42 : is_flat(drawn) ? 0 : 0.18;
    paint->dark = (float)(dark * least(most((shortest - 2.5) / 8, 0), 1));
}

// `values` of the corners, times 1 / depth.
static Plane plane_of(const Shares *shares, const double depths[3], const double values[3])
{
    double at = 0, across = 0, down = 0;
    for (int a = 0; a < 3; ++a) {
        double w = values[a] * depths[a];
        at += w * shares->at[a];
        across += w * shares->across[a];
        down += w * shares->down[a];
    }
    return (Plane){(float)at, (float)across, (float)down};
}

static Plane part_of(const Plane normal[3], PalVec3 to)
{
    float x = (float)to.x, y = (float)to.y, z = (float)to.z;
    return (Plane){x * normal[0].at + y * normal[1].at + z * normal[2].at,
                   x * normal[0].across + y * normal[1].across + z * normal[2].across,
                   x * normal[0].down + y * normal[1].down + z * normal[2].down};
}

static const Paint *paint_of(PalShader *shader, int32_t t)
{
    static const double ones[3] = {1, 1, 1};
    const PalRasterScene *scene = shader->scene;
    const PalDrawn *drawn = &scene->drawn[t];
    const PalFrame *frame = scene->def->frame;
    Paint *paint = &shader->paints[t % PAINTS];
    if (paint->triangle == t)
        return paint;
    Shares shares;
    double depths[3], values[3], normals[3][3], top = scene->def->shown->top;
    find_shares(scene, drawn, &shares);
    paint->triangle = t;
    paint->soft = drawn->body < frame->soft_body_count;
    for (int a = 0; a < 3; ++a) {
        int32_t n = drawn->corners[a];
        depths[a] = scene->points[n].inverse_depth;
        values[a] = paint->soft && top > 0 ? scene->def->shown->values[n] / top * COLOURS : 0;
        for (int i = 0; i < 3; ++i)
            normals[i][a] = (double)drawn->normals[a][i];
    }
    paint->weight = plane_of(&shares, depths, ones);
    paint->value = plane_of(&shares, depths, values);
    for (int i = 0; i < 3; ++i)
        paint->normal[i] = plane_of(&shares, depths, normals[i]);
    paint->eye = part_of(paint->normal, scene->camera.forward);
    paint->light = part_of(paint->normal, shader->light);
    paint->half = part_of(paint->normal, shader->half);
    paint_lines(drawn, &shares, paint);
    PalColour base = rigid_colour(frame, drawn->body);
    paint->base[0] = (float)base.r / 255;
    paint->base[1] = (float)base.g / 255;
    paint->base[2] = (float)base.b / 255;
    return paint;
}

// Pixels of a row that are shaded at a time, a few more than asked for where that saves a rest, and
// what there is to know of each.
enum { RUN = 32, TOGETHER = 8 };

typedef struct Shades {
    float light[RUN], gloss[RUN], bright[RUN];
    int32_t place[RUN];     // in the list of colours
    float colours[3][RUN];  // red, green and blue, 0 to 255
    uint8_t bytes[3][RUN];  // the same, rounded
} Shades;

static inline float at_start(const Plane *plane, float x, float y)
{
    return plane->at + plane->across * x + plane->down * y;
}

// How a surface is lit and how it shines, in single precision: nobody sees more.
static inline void light_run(const Paint *paint, float x, float y, int count, Shades *shades)
{
    const Plane *n = paint->normal;
    float x0 = at_start(&n[0], x, y), y0 = at_start(&n[1], x, y), z0 = at_start(&n[2], x, y);
    float eye0 = at_start(&paint->eye, x, y), light0 = at_start(&paint->light, x, y);
    float half0 = at_start(&paint->half, x, y), value0 = at_start(&paint->value, x, y);
    float weight0 = at_start(&paint->weight, x, y);
    for (int c = 0; c < count; ++c) {
        float k = (float)c, nx = x0 + k * n[0].across, ny = y0 + k * n[1].across,
              nz = z0 + k * n[2].across;
        float scale = 1 / sqrtf(nx * nx + ny * ny + nz * nz + 1e-30f);
        scale = eye0 + k * paint->eye.across > 0 ? -scale : scale;  // as seen from the eye
        float towards = (light0 + k * paint->light.across) * scale;
        float shine = (half0 + k * paint->half.across) * scale;
        towards = towards > 0 ? towards : 0;
        shine = shine > 0 ? shine : 0;
        float square = shine * shine, fourth = square * square, eighth = fourth * fourth,
              sixteenth = eighth * eighth;
        shades->gloss[c] = 0.16f * sixteenth * sixteenth * sixteenth * square;  // power of 50
        shades->light[c] = 0.57f + 0.07f * nz * scale + 0.44f * towards;
        float place = (value0 + k * paint->value.across) / (weight0 + k * paint->weight.across);
        place = place > 0 ? place : 0;
        shades->place[c] = (int32_t)((place < COLOURS ? place : COLOURS) + 0.5f);
    }
}

// How much lines of the mesh leave of the light.
static inline void line_run(const Paint *paint, float x, float y, int count, Shades *shades)
{
    float at[3], dark = paint->dark;
    for (int a = 0; a < 3; ++a)
        at[a] = at_start(&paint->lines[a], x, y);
    for (int c = 0; c < count; ++c) {
        float line = 0, k = (float)c;
        for (int a = 0; a < 3; ++a) {
            float here = at[a] + k * paint->lines[a].across;
            line = here > line ? here : line;
        }
        shades->bright[c] = 255 * (1 - dark * (line < 0.5f ? 2 * line : 1));
    }
}

// The colours of `count` places of a triangle, a pixel apart, from x on.
PAL_CLONES static void shade(const PalShader *shader, const Paint *paint, const float place[2],
                             int count, Shades *shades)
{
    int all = (count + TOGETHER - 1) / TOGETHER * TOGETHER;
    light_run(paint, place[0], place[1], all, shades);
    line_run(paint, place[0], place[1], all, shades);
    for (int i = 0; i < 3; ++i) {
        float *out = shades->colours[i];
        for (int c = 0; c < all; ++c)
            out[c] = paint->soft ? shader->colours[i][shades->place[c]] : paint->base[i];
        for (int c = 0; c < all; ++c) {
            float full = out[c] * shades->light[c] + shades->gloss[c];
            out[c] = (full < 1 ? full : 1) * shades->bright[c];
        }
        for (int c = 0; c < all; ++c)
            shades->bytes[i][c] = (uint8_t)(int32_t)(out[c] + 0.5f);
    }
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

static uint8_t mixed(uint8_t old, float new, float share)
{
    return (uint8_t)((float)old + share * (new - (float)old) + 0.5f);
}

static void put_pixel(PalColour *pixel, const float sum[3], float share)
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
static int shade_pixel(PalShader *shader, const int32_t owners[SAMPLES * SAMPLES], int32_t x,
                       int32_t y, float sum[3])
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
    Shades shades;
    for (int k = 0; k < triangle_count; ++k) {
        float share = (float)seen[k].count / (float)sample_count;
        const float place[2] = {(float)(seen[k].x / seen[k].count),
                                (float)(seen[k].y / seen[k].count)};
        shade(shader, paint_of(shader, seen[k].triangle), place, 1, &shades);
        for (int i = 0; i < 3; ++i)
            sum[i] += share * shades.colours[i][0];
    }
    return sample_count;
}

// Of each pixel of a chunk: the triangle that all its samples show, or PAL_NONE, or MIXED.
enum { CHUNK = 128, MIXED = -2 };

PAL_CLONES static void find_whole(const int32_t *at, size_t columns, int32_t count, int32_t *whole)
{
    for (int32_t x = 0; x < count; ++x) {
        const int32_t *first = at + (size_t)x * SAMPLES;
        int32_t others = 0;
        for (int i = 0; i < SAMPLES; ++i)
            for (int k = 0; k < SAMPLES; ++k)
                others |= first[(size_t)i * columns + (size_t)k] ^ first[0];
        whole[x] = others == 0 ? first[0] : MIXED;
    }
}

// Pixels from x on that one triangle fills.
static void resolve_run(const PalRasterScene *scene, PalShader *shader, int32_t triangle,
                        const int32_t place[2], int32_t count)
{
    Shades shades;
    int32_t x = place[0], y = place[1];
    const PalViewport *viewport = &scene->def->viewport;
    const float middle[2] = {(float)x + 0.5f, (float)y + 0.5f};
    shade(shader, paint_of(shader, triangle), middle, count, &shades);
    PalColour *pixels = &scene->image->pixels[(size_t)y * (size_t)scene->image->width + (size_t)x];
    bool inside = visibility(viewport, x, y) >= 1 && visibility(viewport, x + count - 1, y) >= 1;
    for (int32_t c = 0; inside && c < count; ++c)
        pixels[c] = (PalColour){shades.bytes[0][c], shades.bytes[1][c], shades.bytes[2][c]};
    for (int32_t c = 0; !inside && c < count; ++c) {
        const float colour[3] = {shades.colours[0][c], shades.colours[1][c], shades.colours[2][c]};
        put_pixel(&pixels[c], colour, (float)visibility(viewport, x + c, y));
    }
}

// One that several triangles share, or that is not filled.
static void resolve_mixed(const PalRasterScene *scene, PalShader *shader, const int32_t *at,
                          int32_t x, int32_t y)
{
    size_t columns = (size_t)scene->image->width * SAMPLES;
    int32_t own[SAMPLES * SAMPLES];
    for (int i = 0; i < SAMPLES * SAMPLES; ++i)
        own[i] = at[(size_t)(i / SAMPLES) * columns + (size_t)(i % SAMPLES)];
    float sum[3] = {0, 0, 0}, share = (float)visibility(&scene->def->viewport, x, y);
    share *= (float)shade_pixel(shader, own, x, y, sum) / (SAMPLES * SAMPLES);
    put_pixel(&scene->image->pixels[(size_t)y * (size_t)scene->image->width + (size_t)x], sum,
              share);
}

// Whether a surface goes on smoothly from one triangle to the other: they have a corner in common
// and look nearly the same way.
static bool are_smooth(const PalDrawn *a, const PalDrawn *b)
{
    bool common = false;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            common = common || a->corners[i] == b->corners[k];
    const float *m = a->normals[0], *n = b->normals[0];
    return common && a->body == b->body && m[0] * n[0] + m[1] * n[1] + m[2] * n[2] > SMOOTH;
}

// The triangle by which a pixel can be shaded that several share: one that has half of it or more,
// if the others go on from it. Lines between them fade by themselves. MIXED: there is none.
static int32_t find_main(const PalRasterScene *scene, const int32_t *at)
{
    size_t columns = (size_t)scene->image->width * SAMPLES;
    int32_t main = at[0] == at[1] || at[0] == at[columns] ? at[0] : at[columns + 1];
    int same = 0;
    for (int i = 0; i < SAMPLES * SAMPLES; ++i) {
        int32_t own = at[(size_t)(i / SAMPLES) * columns + (size_t)(i % SAMPLES)];
        same += own == main;
        if (own != main && (own == PAL_NONE || main == PAL_NONE ||
                            !are_smooth(&scene->drawn[main], &scene->drawn[own])))
            return MIXED;
    }
    return 2 * same >= SAMPLES * SAMPLES ? main : MIXED;
}

// A pixel is the mean of its samples; where nothing is seen, what the image held already.
static void resolve_chunk(const PalRasterScene *scene, PalShader *shader, const int32_t *at,
                          const int32_t place[2], int32_t count)
{
    int32_t whole[CHUNK];
    find_whole(at, (size_t)scene->image->width * SAMPLES, count, whole);
    for (int32_t x = 0; x < count; ++x)
        if (whole[x] == MIXED)
            whole[x] = find_main(scene, at + (size_t)x * SAMPLES);
    for (int32_t x = 0; x < count;) {
        int32_t run = 1;
        if (whole[x] == MIXED) {
            resolve_mixed(scene, shader, at + (size_t)x * SAMPLES, place[0] + x, place[1]);
        } else {
            while (x + run < count && run < RUN && whole[x + run] == whole[x])
                ++run;
            if (whole[x] != PAL_NONE)
                resolve_run(scene, shader, whole[x], (int32_t[]){place[0] + x, place[1]}, run);
        }
        x += run;
    }
}

static void resolve_row(const PalRasterScene *scene, PalShader *shader, const PalSpan *span,
                        const int32_t *owners, int32_t y)
{
    for (int32_t x = span->first; x < span->end; x += CHUNK) {
        int32_t count = span->end - x < CHUNK ? span->end - x : CHUNK;
        resolve_chunk(scene, shader, owners + (size_t)x * SAMPLES, (int32_t[]){x, y}, count);
    }
}

void pal_raster_draw_band(void *context, int32_t band, int32_t worker)
{
    const PalRasterScene *scene = context;
    PalSpan span = pal_raster_cover(scene, band, worker);
    int32_t top = band * BAND_ROWS, rest = scene->image->height - top;
    int32_t bottom = top + (rest < BAND_ROWS ? rest : BAND_ROWS);
    size_t row = (size_t)scene->image->width * SAMPLES * SAMPLES;
    for (int32_t y = top; y < bottom && span.first < span.end; ++y)
        resolve_row(scene, scene->shaders[worker], &span,
                    scene->owners[worker] + (size_t)(y - top) * row, y);
}
