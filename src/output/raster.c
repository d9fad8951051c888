#include "output/raster.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define SAMPLES     3        // per pixel and direction
#define BAND_ROWS   40       // pixel rows drawn at a time
#define CREASE      0.8      // cosine of the angle at which an edge looks sharp
#define FLAT        0.99999  // cosine of the angle up to which corners count as being in one plane
#define CAMERA_AWAY 4.2      // distance of the eye in half diagonals
#define NEAR        0.3   // of the soft bodies' diagonal: instruments within this are looked at too
#define FADE_AFTER  2.0   // pixels outside the viewport, where the rest begins to fade
#define FADE        36.0  // and in how many it is gone

typedef struct Camera {
    PalVec3 right, up, forward, eye;
    double zoom, shift_x, shift_y;
} Camera;

// A point in the picture: pixels, and 1 / depth, which is linear across a triangle.
typedef struct Screen {
    double x, y, inverse_depth;
} Screen;

typedef struct Scene {
    const PalRasterDef *def;
    PalImage *image;
    Camera camera;
    Screen *points;
    float (*normals)[3][3];  // of each triangle's corners
    float **depths;          // per worker, one band of samples
    int32_t **owners;        // triangle seen at each sample
} Scene;

// ---- camera -----------------------------------------------------------------------------

static Screen project(const Camera *camera, PalVec3 x)
{
    PalVec3 d = pal_vec3_sub(x, camera->eye);
    double inverse = 1 / pal_vec3_dot(d, camera->forward);
    return (Screen){.x = camera->shift_x + camera->zoom * pal_vec3_dot(d, camera->right) * inverse,
                    .y = camera->shift_y - camera->zoom * pal_vec3_dot(d, camera->up) * inverse,
                    .inverse_depth = inverse};
}

static bool triangle_is_finite(const PalFrame *frame, int32_t t)
{
    const int32_t *n = frame->triangles[t];
    return pal_vec3_is_finite(frame->position[n[0]]) && pal_vec3_is_finite(frame->position[n[1]]) &&
           pal_vec3_is_finite(frame->position[n[2]]);
}

// What the picture is about: corners of soft bodies, and others within a box around these.
typedef struct Subject {
    const PalFrame *frame;
    PalBounds box;
} Subject;

static bool shows(const Subject *subject, int32_t t, int corner)
{
    if (subject->frame->triangle_body[t] < subject->frame->soft_body_count)
        return true;
    const PalBounds *box = &subject->box;
    PalVec3 x = subject->frame->position[subject->frame->triangles[t][corner]];
    return x.x >= box->lower.x && x.x <= box->upper.x && x.y >= box->lower.y &&
           x.y <= box->upper.y && x.z >= box->lower.z && x.z <= box->upper.z;
}

static PalBounds subject_bounds(const Subject *subject)
{
    const PalFrame *frame = subject->frame;
    PalBounds b = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int32_t t = 0; t < frame->triangle_count; ++t) {
        for (int a = 0; a < 3 && triangle_is_finite(frame, t); ++a) {
            if (!shows(subject, t, a))
                continue;
            PalVec3 x = frame->position[frame->triangles[t][a]];
            b.lower = pal_vec3(fmin(b.lower.x, x.x), fmin(b.lower.y, x.y), fmin(b.lower.z, x.z));
            b.upper = pal_vec3(fmax(b.upper.x, x.x), fmax(b.upper.y, x.y), fmax(b.upper.z, x.z));
        }
    }
    return b;
}

// A wide table would leave little of what lies on it: only what is near the soft bodies counts.
static Subject find_subject(const PalFrame *frame)
{
    Subject subject = {frame, {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}};
    PalBounds soft = subject_bounds(&subject);
    double reach = INFINITY;
    if (soft.lower.x <= soft.upper.x)
        reach = NEAR * pal_vec3_distance(soft.lower, soft.upper);
    else
        soft = (PalBounds){{0, 0, 0}, {0, 0, 0}};
    subject.box = (PalBounds){pal_vec3_sub(soft.lower, pal_vec3(reach, reach, reach)),
                              pal_vec3_add(soft.upper, pal_vec3(reach, reach, reach))};
    return subject;
}

// Looks down on the longer horizontal side at an angle, z upward, with everything before the eye.
static void aim(Camera *camera, const PalFrame *frame, const PalBounds *bounds)
{
    PalVec3 extent = pal_vec3_sub(bounds->upper, bounds->lower);
    PalVec3 centre = pal_vec3_scale(0.5, pal_vec3_add(bounds->upper, bounds->lower));
    PalVec3 away = extent.x >= extent.y ? pal_vec3(0.55, -1, 0.5) : pal_vec3(1, -0.55, 0.5);
    away = pal_vec3_normalise(away);
    double reach = fmax(0.5 * pal_vec3_length(extent), 1e-300) * CAMERA_AWAY;
    for (int32_t t = 0; t < frame->triangle_count; ++t)
        for (int a = 0; a < 3 && triangle_is_finite(frame, t); ++a) {
            PalVec3 arm = pal_vec3_sub(frame->position[frame->triangles[t][a]], centre);
            reach = fmax(reach, 1.2 * pal_vec3_dot(arm, away));
        }
    camera->eye = pal_vec3_add_scaled(centre, reach, away);
    camera->forward = pal_vec3_scale(-1, away);
    camera->right = pal_vec3_normalise(pal_vec3_cross(camera->forward, pal_vec3(0, 0, 1)));
    camera->up = pal_vec3_cross(camera->right, camera->forward);
}

// Zooms and shifts until the subject just fills the viewport.
static void fit(Camera *camera, const Subject *subject, const PalViewport *viewport)
{
    const PalFrame *frame = subject->frame;
    *camera = (Camera){.right = camera->right,
                       .up = camera->up,
                       .forward = camera->forward,
                       .eye = camera->eye,
                       .zoom = 1};
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int32_t t = 0; t < frame->triangle_count; ++t)
        for (int a = 0; a < 3 && triangle_is_finite(frame, t); ++a) {
            if (!shows(subject, t, a))
                continue;
            Screen s = project(camera, frame->position[frame->triangles[t][a]]);
            low[0] = fmin(low[0], s.x), low[1] = fmin(low[1], s.y);
            high[0] = fmax(high[0], s.x), high[1] = fmax(high[1], s.y);
        }
    double wide = fmax(high[0] - low[0], 1e-12), tall = fmax(high[1] - low[1], 1e-12);
    camera->zoom = fmin(viewport->width / wide, viewport->height / tall);
    camera->shift_x =
        viewport->left + 0.5 * viewport->width - camera->zoom * 0.5 * (low[0] + high[0]);
    camera->shift_y =
        viewport->top + 0.5 * viewport->height - camera->zoom * 0.5 * (low[1] + high[1]);
}

// ---- normals ----------------------------------------------------------------------------

static PalVec3 area_normal(const PalFrame *frame, int32_t t)
{
    const int32_t *n = frame->triangles[t];
    PalVec3 a = frame->position[n[0]];
    return pal_vec3_cross(pal_vec3_sub(frame->position[n[1]], a),
                          pal_vec3_sub(frame->position[n[2]], a));
}

// Triangles around each point: items of point n are items[start[n]] .. items[start[n + 1] - 1].
static void list_around(const PalFrame *frame, int32_t *start, int32_t *items)
{
    for (int32_t t = 0; t < frame->triangle_count; ++t)
        for (int a = 0; a < 3; ++a)
            ++start[frame->triangles[t][a] + 1];
    for (int32_t n = 0; n < frame->point_count; ++n)
        start[n + 1] += start[n];
    for (int32_t t = 0; t < frame->triangle_count; ++t)
        for (int a = 0; a < 3; ++a)
            items[start[frame->triangles[t][a]]++] = t;
    memmove(start + 1, start, (size_t)frame->point_count * sizeof *start);
    start[0] = 0;
}

// The mean normal of those neighbours that do not meet the triangle at a sharp edge.
static PalVec3 corner_normal(const PalFrame *frame, int32_t t, const int32_t *around, int32_t count)
{
    PalVec3 own = pal_vec3_normalise(area_normal(frame, t)), sum = {0, 0, 0};
    for (int32_t i = 0; i < count; ++i) {
        PalVec3 other = area_normal(frame, around[i]);
        if (pal_vec3_dot(own, pal_vec3_normalise(other)) > CREASE)
            sum = pal_vec3_add(sum, other);
    }
    return pal_vec3_normalise(sum);
}

static bool find_normals(Scene *scene)
{
    const PalFrame *frame = scene->def->frame;
    int32_t *start = pal_alloc((size_t)frame->point_count + 2, sizeof *start);
    int32_t *items = pal_alloc(3 * (size_t)frame->triangle_count, sizeof *items);
    bool good = start != NULL && items != NULL;
    if (good)
        list_around(frame, start, items);
    for (int32_t t = 0; good && t < frame->triangle_count; ++t)
        for (int a = 0; a < 3; ++a) {
            int32_t n = frame->triangles[t][a];
            PalVec3 normal = corner_normal(frame, t, items + start[n], start[n + 1] - start[n]);
            scene->normals[t][a][0] = (float)normal.x;
            scene->normals[t][a][1] = (float)normal.y;
            scene->normals[t][a][2] = (float)normal.z;
        }
    pal_free(start);
    pal_free(items);
    return good;
}

// ---- one band ---------------------------------------------------------------------------

// Shares of the three corners at a place of the picture, negative outside; false: seen edge-on.
static bool shares_at(const Screen *const s[3], double x, double y, double shares[3])
{
    double whole =
        (s[1]->x - s[0]->x) * (s[2]->y - s[0]->y) - (s[2]->x - s[0]->x) * (s[1]->y - s[0]->y);
    if (!(fabs(whole) > 1e-12))
        return false;
    shares[1] = ((x - s[0]->x) * (s[2]->y - s[0]->y) - (s[2]->x - s[0]->x) * (y - s[0]->y)) / whole;
    shares[2] = ((s[1]->x - s[0]->x) * (y - s[0]->y) - (x - s[0]->x) * (s[1]->y - s[0]->y)) / whole;
    shares[0] = 1 - shares[1] - shares[2];
    return true;
}

static void corners_of(const Scene *scene, int32_t t, const Screen *s[3])
{
    for (int a = 0; a < 3; ++a)
        s[a] = &scene->points[scene->def->frame->triangles[t][a]];
}

static int32_t clamped(double value, int32_t low, int32_t high)
{
    return value < low ? low : value > high ? high : (int32_t)value;
}

// Writes the triangle into the band's depth buffer. Rows and columns count samples.
static void cover(const Scene *scene, int32_t t, int32_t first_row, int32_t row_count,
                  int32_t worker)
{
    const Screen *s[3];
    corners_of(scene, t, s);
    int32_t columns = scene->image->width * SAMPLES;
    double low_y = fmin(s[0]->y, fmin(s[1]->y, s[2]->y)) * SAMPLES;
    double high_y = fmax(s[0]->y, fmax(s[1]->y, s[2]->y)) * SAMPLES;
    if (!(high_y >= first_row && low_y <= first_row + row_count))
        return;
    double low_x = fmin(s[0]->x, fmin(s[1]->x, s[2]->x)) * SAMPLES;
    double high_x = fmax(s[0]->x, fmax(s[1]->x, s[2]->x)) * SAMPLES;
    int32_t left = clamped(low_x, 0, columns), right = clamped(high_x + 1, 0, columns);
    int32_t top = clamped(low_y, first_row, first_row + row_count);
    int32_t bottom = clamped(high_y + 1, first_row, first_row + row_count);
    double at[3], next[3], below[3];
    double x = (left + 0.5) / SAMPLES, y = (top + 0.5) / SAMPLES, d = 1.0 / SAMPLES;
    if (!shares_at(s, x, y, at))
        return;
    shares_at(s, x + d, y, next);
    shares_at(s, x, y + d, below);
    const double z[3] = {s[0]->inverse_depth, s[1]->inverse_depth, s[2]->inverse_depth};
    for (int32_t row = top; row < bottom; ++row) {
        size_t start = (size_t)(row - first_row) * (size_t)columns;
        for (int32_t column = left; column < right; ++column) {
            double across = column - left, down = row - top, shares[3];
            for (int a = 0; a < 3; ++a)
                shares[a] = at[a] + across * (next[a] - at[a]) + down * (below[a] - at[a]);
            if (shares[0] < 0 || shares[1] < 0 || shares[2] < 0)
                continue;
            float depth = (float)(shares[0] * z[0] + shares[1] * z[1] + shares[2] * z[2]);
            if (depth > scene->depths[worker][start + (size_t)column]) {
                scene->depths[worker][start + (size_t)column] = depth;
                scene->owners[worker][start + (size_t)column] = t;
            }
        }
    }
}

// How much of a mesh line lies here, 0 to 1; lines fade where the mesh is as fine as pixels.
static double line_share(const Screen *const s[3], uint8_t edges, const double shares[3])
{
    double twice_area =
        fabs((s[1]->x - s[0]->x) * (s[2]->y - s[0]->y) - (s[2]->x - s[0]->x) * (s[1]->y - s[0]->y));
    double share = 0, shortest = INFINITY;
    for (int a = 0; a < 3; ++a) {
        const Screen *p = s[a], *q = s[(a + 1) % 3];
        double length = hypot(q->x - p->x, q->y - p->y);
        shortest = fmin(shortest, twice_area / length);
        if (edges >> a & 1)
            share = fmax(share, 0.75 - shares[(a + 2) % 3] * twice_area / length);
    }
    double fade = fmin(fmax((shortest - 2.5) / 8, 0), 1);
    return fmin(fmax(share, 0) / 0.5, 1) * fade;
}

static double lit(PalVec3 normal, const Camera *camera, double *gloss)
{
    if (pal_vec3_dot(normal, camera->forward) > 0)
        normal = pal_vec3_scale(-1, normal);
    PalVec3 towards = pal_vec3_scale(-1, camera->forward);
    PalVec3 light = pal_vec3_add_scaled(towards, -0.55, camera->right);
    light = pal_vec3_normalise(pal_vec3_add_scaled(light, 0.9, camera->up));
    PalVec3 half = pal_vec3_normalise(pal_vec3_add(light, towards));
    double sky = 0.5 + 0.5 * normal.z;
    *gloss = 0.16 * pow(fmax(pal_vec3_dot(normal, half), 0), 50);
    return 0.5 + 0.14 * sky + 0.44 * fmax(pal_vec3_dot(normal, light), 0);
}

// The same everywhere: lines on a table would tell nothing.
static bool is_flat(float (*normals)[3])
{
    double same = 1;
    for (int i = 0; i < 3; ++i) {
        const float *a = normals[i], *b = normals[(i + 1) % 3];
        double cosine = 0;
        for (int k = 0; k < 3; ++k)
            cosine += (double)a[k] * (double)b[k];
        same = fmin(same, cosine);
    }
    return same > FLAT;
}

// Instruments are grey; free rigid bodies, of which there may be many, have a few muted colours.
static PalColour rigid_colour(const PalFrame *frame, int32_t body)
{
    static const PalColour colours[] = {
        {210, 172, 118}, {132, 164, 196}, {160, 184, 134}, {204, 148, 138}, {168, 152, 190}};
    const int32_t count = sizeof colours / sizeof *colours;
    return frame->free[body] ? colours[body % count] : (PalColour){176, 182, 192};
}

static void shade(const Scene *scene, int32_t t, double x, double y, double colour[3])
{
    const PalFrame *frame = scene->def->frame;
    const PalShown *shown = scene->def->shown;
    const Screen *s[3];
    double shares[3], value = 0, weight = 0, gloss = 0;
    PalVec3 normal = {0, 0, 0};
    corners_of(scene, t, s);
    shares_at(s, x, y, shares);
    for (int a = 0; a < 3; ++a) {
        const float *n = scene->normals[t][a];
        double w = shares[a] * s[a]->inverse_depth;
        value += w * shown->values[frame->triangles[t][a]];
        weight += w;
        normal = pal_vec3_add_scaled(normal, w, pal_vec3((double)n[0], (double)n[1], (double)n[2]));
    }
    bool soft = frame->triangle_body[t] < frame->soft_body_count;
    PalColour base = soft ? pal_colour_map(shown->top > 0 ? value / weight / shown->top : 0)
                          : rigid_colour(frame, frame->triangle_body[t]);
    double light = lit(pal_vec3_normalise(normal), &scene->camera, &gloss);
    double dark = soft ? 0.42 : is_flat(scene->normals[t]) ? 0 : 0.18;
    dark *= line_share(s, frame->triangle_edges[t], shares);
    const double parts[3] = {base.r / 255.0, base.g / 255.0, base.b / 255.0};
    for (int i = 0; i < 3; ++i)
        colour[i] = fmin(parts[i] * light + gloss, 1) * (1 - dark);
}

// How much is seen of what reaches beyond the viewport, 0 to 1.
static double visibility(const PalViewport *viewport, int32_t x, int32_t y)
{
    double right = viewport->left + viewport->width, bottom = viewport->top + viewport->height;
    double aside = fmax(viewport->left - x, x + 1 - right),
           above = fmax(viewport->top - y, y + 1 - bottom);
    return fmin(fmax(1 - (fmax(aside, above) - FADE_AFTER) / FADE, 0), 1);
}

// A pixel is the mean of its samples; where nothing is seen, what the image held already.
// Samples of one triangle are shaded once, in their middle.
static void resolve_pixel(const Scene *scene, int32_t x, int32_t y, int32_t first_row,
                          int32_t worker)
{
    enum { MOST = SAMPLES * SAMPLES };
    struct {
        int32_t triangle;
        int count;
        double x, y;
    } seen[MOST];
    int triangle_count = 0, sample_count = 0;
    double seen_share = visibility(&scene->def->viewport, x, y);
    size_t columns = (size_t)scene->image->width * SAMPLES;
    for (int i = 0; i < MOST; ++i) {
        int32_t row = i / SAMPLES, column = i % SAMPLES;
        size_t line = (size_t)(y * SAMPLES - first_row) + (size_t)row;
        size_t place = line * columns + (size_t)x * SAMPLES + (size_t)column;
        int32_t t = scene->owners[worker][place];
        if (t == PAL_NONE)
            continue;
        int k = 0;
        while (k < triangle_count && seen[k].triangle != t)
            ++k;
        if (k == triangle_count) {
            seen[triangle_count++].triangle = t;
            seen[k].count = 0, seen[k].x = 0, seen[k].y = 0;
        }
        ++seen[k].count;
        ++sample_count;
        seen[k].x += x + (column + 0.5) / SAMPLES;
        seen[k].y += y + (row + 0.5) / SAMPLES;
    }
    if (sample_count == 0 || seen_share == 0)
        return;
    double sum[3] = {0};
    for (int k = 0; k < triangle_count; ++k) {
        double colour[3], share = seen[k].count / (double)sample_count;
        shade(scene, seen[k].triangle, seen[k].x / seen[k].count, seen[k].y / seen[k].count,
              colour);
        for (int i = 0; i < 3; ++i)
            sum[i] += 255 * share * colour[i];
    }
    PalColour mean = {(uint8_t)lround(sum[0]), (uint8_t)lround(sum[1]), (uint8_t)lround(sum[2])};
    PalColour *pixel = &scene->image->pixels[(size_t)y * (size_t)scene->image->width + (size_t)x];
    *pixel = pal_colour_mix(*pixel, mean, seen_share * sample_count / MOST);
}

static size_t band_samples(const Scene *scene)
{
    return (size_t)(scene->image->width * SAMPLES) * BAND_ROWS * SAMPLES;
}

// Finds what is seen in a band; returns the row after its last.
static int32_t cover_band(const Scene *scene, int32_t index, int32_t worker)
{
    const PalFrame *frame = scene->def->frame;
    const bool *left_out = scene->def->left_out;
    int32_t top = index * BAND_ROWS, bottom = top + BAND_ROWS;
    if (bottom > scene->image->height)
        bottom = scene->image->height;
    memset(scene->depths[worker], 0, band_samples(scene) * sizeof **scene->depths);
    memset(scene->owners[worker], 0xff, band_samples(scene) * sizeof **scene->owners);
    for (int32_t t = 0; t < frame->triangle_count; ++t)
        if (triangle_is_finite(frame, t) &&
            (left_out == NULL || !left_out[frame->triangle_body[t]]))
            cover(scene, t, top * SAMPLES, (bottom - top) * SAMPLES, worker);
    return bottom;
}

static void draw_band(void *context, int32_t index, int32_t worker)
{
    const Scene *scene = context;
    int32_t top = index * BAND_ROWS, bottom = cover_band(scene, index, worker);
    for (int32_t y = top; y < bottom; ++y)
        for (int32_t x = 0; x < scene->image->width; ++x)
            resolve_pixel(scene, x, y, top * SAMPLES, worker);
}

// ---- the whole --------------------------------------------------------------------------

static bool allocate(Scene *scene, int32_t threads)
{
    const PalFrame *frame = scene->def->frame;
    size_t samples = band_samples(scene);
    scene->points = pal_alloc((size_t)frame->point_count, sizeof *scene->points);
    scene->normals = pal_alloc((size_t)frame->triangle_count, sizeof *scene->normals);
    scene->depths = pal_alloc((size_t)threads, sizeof *scene->depths);
    scene->owners = pal_alloc((size_t)threads, sizeof *scene->owners);
    bool good = scene->points && scene->normals && scene->depths && scene->owners;
    for (int32_t i = 0; good && i < threads; ++i) {
        scene->depths[i] = pal_alloc(samples, sizeof **scene->depths);
        scene->owners[i] = pal_alloc(samples, sizeof **scene->owners);
        good = scene->depths[i] != NULL && scene->owners[i] != NULL;
    }
    return good;
}

static void release(Scene *scene, int32_t threads)
{
    for (int32_t i = 0; i < threads && scene->depths != NULL && scene->owners != NULL; ++i) {
        pal_free(scene->depths[i]);
        pal_free(scene->owners[i]);
    }
    pal_free(scene->points);
    pal_free(scene->normals);
    pal_free(scene->depths);
    pal_free(scene->owners);
}

// Places the camera and all points. False: there is nothing to see.
static bool look(Scene *scene)
{
    const PalFrame *frame = scene->def->frame;
    Subject subject = find_subject(frame);
    PalBounds bounds = subject_bounds(&subject);
    if (!(bounds.lower.x <= bounds.upper.x))
        return false;
    aim(&scene->camera, frame, &bounds);
    fit(&scene->camera, &subject, &scene->def->viewport);
    for (int32_t n = 0; n < frame->point_count; ++n)
        scene->points[n] = project(&scene->camera, frame->position[n]);
    return true;
}

PalStatus pal_raster_draw(const PalRasterDef *def, PalImage *image, PalError *error)
{
    Scene scene = {.def = def, .image = image};
    int32_t bands = (image->height + BAND_ROWS - 1) / BAND_ROWS;
    int32_t threads = def->thread_count > 0 ? def->thread_count : 1;
    if (threads > bands)  // each thread has buffers of its own
        threads = bands;
    bool good = allocate(&scene, threads) && find_normals(&scene);
    if (good && look(&scene))
        pal_parallel_for(threads, bands, draw_band, &scene);
    release(&scene, threads);
    return good ? PAL_OK : pal_error_set(error, PAL_NO_MEMORY, "no memory for a picture");
}

PalStatus pal_raster_count(const PalRasterDef *def, int32_t width, int32_t height, int64_t *seen,
                           PalError *error)
{
    const PalFrame *frame = def->frame;
    PalImage size = {.width = width, .height = height};  // without pixels: nothing is drawn
    Scene scene = {.def = def, .image = &size};
    memset(seen, 0, (size_t)frame->body_count * sizeof *seen);
    bool good = allocate(&scene, 1);
    bool any = good && look(&scene);
    for (int32_t band = 0; any && band * BAND_ROWS < height; ++band) {
        cover_band(&scene, band, 0);
        for (size_t i = 0; i < band_samples(&scene); ++i)
            if (scene.owners[0][i] != PAL_NONE)
                ++seen[frame->triangle_body[scene.owners[0][i]]];
    }
    release(&scene, 1);
    return good ? PAL_OK : pal_error_set(error, PAL_NO_MEMORY, "no memory for a picture");
}
