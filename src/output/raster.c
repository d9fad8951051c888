#include "output/raster.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define CREASE      0.8      // cosine of the angle at which an edge looks sharp
#define FLAT        0.99999  // the same, up to which neighbours are in one plane
#define CAMERA_AWAY 4.2      // distance of the eye in half diagonals
#define NEAR        0.3   // of the soft bodies' diagonal: instruments within this are looked at too
#define NEAR_PLANE  0.12  // the same for planes and blocks, which are cut off there

typedef PalRasterScene Scene;

static bool bounds_hold(const PalBounds *box, PalVec3 x)
{
    return x.x >= box->lower.x && x.x <= box->upper.x && x.y >= box->lower.y &&
           x.y <= box->upper.y && x.z >= box->lower.z && x.z <= box->upper.z;
}

static PalBounds widened(const PalBounds *box, double by)
{
    return (PalBounds){pal_vec3_sub(box->lower, pal_vec3(by, by, by)),
                       pal_vec3_add(box->upper, pal_vec3(by, by, by))};
}

static bool triangle_is_finite(const PalFrame *frame, int32_t t)
{
    const int32_t *n = frame->triangles[t];
    return pal_vec3_is_finite(frame->position[n[0]]) && pal_vec3_is_finite(frame->position[n[1]]) &&
           pal_vec3_is_finite(frame->position[n[2]]);
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

// Area normals, and the factors that make them unit vectors.
typedef struct Areas {
    PalVec3 *normals;
    double *inverses;
} Areas;

// The mean normal of those neighbours that do not meet the triangle at a sharp edge.
static PalVec3 corner_normal(const Areas *areas, int32_t t, const int32_t *around, int32_t count)
{
    PalVec3 own = pal_vec3_scale(areas->inverses[t], areas->normals[t]), sum = {0, 0, 0};
    for (int32_t i = 0; i < count; ++i) {
        PalVec3 other = areas->normals[around[i]];
        if (pal_vec3_dot(own, other) * areas->inverses[around[i]] > CREASE)
            sum = pal_vec3_add(sum, other);
    }
    return pal_vec3_normalise(sum);
}

static void set_normals(const PalFrame *frame, const Areas *areas, const int32_t *start,
                        const int32_t *items, PalDrawn *drawn)
{
    for (int32_t t = 0; t < frame->triangle_count; ++t) {
        areas->normals[t] = area_normal(frame, t);
        double length = pal_vec3_length(areas->normals[t]);
        areas->inverses[t] = length > 0 ? 1 / length : 0;
    }
    for (int32_t t = 0; t < frame->triangle_count; ++t)
        for (int a = 0; a < 3; ++a) {
            int32_t n = frame->triangles[t][a];
            PalVec3 normal = corner_normal(areas, t, items + start[n], start[n + 1] - start[n]);
            drawn[t].normals[a][0] = (float)normal.x;
            drawn[t].normals[a][1] = (float)normal.y;
            drawn[t].normals[a][2] = (float)normal.z;
        }
}

static bool find_normals(const PalFrame *frame, PalDrawn *drawn)
{
    size_t count = (size_t)frame->triangle_count;
    int32_t *start = pal_alloc((size_t)frame->point_count + 2, sizeof *start);
    int32_t *items = pal_alloc(3 * count, sizeof *items);
    Areas areas = {.normals = pal_alloc(count, sizeof *areas.normals),
                   .inverses = pal_alloc(count, sizeof *areas.inverses)};
    bool good = start != NULL && items != NULL && areas.normals != NULL && areas.inverses != NULL;
    if (good) {
        list_around(frame, start, items);
        set_normals(frame, &areas, start, items, drawn);
    }
    pal_free(start);
    pal_free(items);
    pal_free(areas.normals);
    pal_free(areas.inverses);
    return good;
}

// ---- what is there to see ---------------------------------------------------------------

static void include(PalBounds *box, PalVec3 x)
{
    box->lower =
        pal_vec3(fmin(box->lower.x, x.x), fmin(box->lower.y, x.y), fmin(box->lower.z, x.z));
    box->upper =
        pal_vec3(fmax(box->upper.x, x.x), fmax(box->upper.y, x.y), fmax(box->upper.z, x.z));
}

// Around the soft bodies; without any, around everything.
static PalBounds subject_bounds(const PalFrame *frame, double *diagonal)
{
    PalBounds box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int pass = 0; pass < 2 && !(box.lower.x <= box.upper.x); ++pass)
        for (int32_t t = 0; t < frame->triangle_count; ++t)
            if ((pass == 1 || frame->triangle_body[t] < frame->soft_body_count) &&
                triangle_is_finite(frame, t))
                for (int a = 0; a < 3; ++a)
                    include(&box, frame->position[frame->triangles[t][a]]);
    *diagonal = pal_vec3_distance(box.lower, box.upper);
    return box;
}

static bool faces_are_flat(const PalDrawn *drawn, int32_t count)
{
    for (int32_t t = 0; t < count; ++t)
        for (int i = 0; i < 3; ++i) {
            const float *a = drawn[t].normals[i], *b = drawn[t].normals[(i + 1) % 3];
            if ((double)(a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) < FLAT)
                return false;
        }
    return true;
}

// Planes and blocks are cut off near the soft bodies. False: no memory.
static bool add_body(Scene *scene, int32_t first, int32_t end, const PalDrawn *normals,
                     const PalBounds *box)
{
    const PalFrame *frame = scene->def->frame;
    int32_t body = frame->triangle_body[first];
    bool plane = body >= frame->soft_body_count && !frame->bodies[body].free && box != NULL &&
                 faces_are_flat(normals + first, end - first);
    int32_t first_point = scene->point_count;
    for (int32_t t = first; t < end; ++t) {
        PalDrawn drawn = normals[t];
        const int32_t *n = frame->triangles[t];
        memcpy(drawn.corners, n, sizeof drawn.corners);
        drawn.body = body;
        drawn.edges = frame->triangle_edges[t];
        if (!triangle_is_finite(frame, t))
            continue;
        bool inside = true;
        for (int a = 0; a < 3 && plane; ++a)
            inside = inside && bounds_hold(box, frame->position[n[a]]);
        if (inside)
            scene->drawn[scene->drawn_count++] = drawn;
        else
            pal_raster_add_cut(scene, &drawn, box);
    }
    return !plane || pal_raster_close_cut(scene, first, end, first_point, box);
}

static int32_t end_of_body(const PalFrame *frame, int32_t first)
{
    int32_t end = first;
    while (end < frame->triangle_count && frame->triangle_body[end] == frame->triangle_body[first])
        ++end;
    return end;
}

// Lists the triangles to draw. False: no memory.
static bool list_drawn(Scene *scene)
{
    const PalFrame *frame = scene->def->frame;
    size_t count = (size_t)frame->triangle_count, rigid = 0;
    for (int32_t t = 0; t < frame->triangle_count; ++t)
        rigid += frame->triangle_body[t] >= frame->soft_body_count;
    size_t corners =
        PAL_CUT_MOST * rigid + 8 * (size_t)frame->body_count;  // where something is cut
    size_t points = (size_t)frame->point_count + corners;
    scene->positions = pal_alloc_unset(points, sizeof *scene->positions);
    scene->points = pal_alloc_unset(points, sizeof *scene->points);
    scene->drawn =
        pal_alloc_unset(count + (PAL_CUT_MOST - 3) * rigid + 3 * corners, sizeof *scene->drawn);
    PalDrawn *normals = pal_alloc(count, sizeof *normals);
    bool good = scene->positions != NULL && scene->points != NULL && scene->drawn != NULL &&
                normals != NULL && find_normals(frame, normals);
    if (good) {
        double diagonal;
        PalBounds box = subject_bounds(frame, &diagonal);
        box = widened(&box, NEAR_PLANE * diagonal);
        memcpy(scene->positions, frame->position,
               (size_t)frame->point_count * sizeof *scene->positions);
        scene->point_count = frame->point_count;
        for (int32_t t = 0; good && t < frame->triangle_count; t = end_of_body(frame, t))
            good = add_body(scene, t, end_of_body(frame, t), normals,
                            frame->soft_body_count > 0 ? &box : NULL);
    }
    pal_free(normals);
    return good;
}

// ---- camera -----------------------------------------------------------------------------

static PalScreen project(const PalCamera *camera, PalVec3 x)
{
    PalVec3 d = pal_vec3_sub(x, camera->eye);
    double inverse = 1 / pal_vec3_dot(d, camera->forward);
    return (PalScreen){.x = camera->shift_x +
                            camera->zoom * pal_vec3_dot(d, camera->right) * inverse,
                       .y = camera->shift_y - camera->zoom * pal_vec3_dot(d, camera->up) * inverse,
                       .inverse_depth = inverse};
}

// Looks down on the longer horizontal side at an angle, z upward, with everything before the eye.
static void aim(Scene *scene, const PalBounds *bounds)
{
    PalCamera *camera = &scene->camera;
    PalVec3 extent = pal_vec3_sub(bounds->upper, bounds->lower);
    PalVec3 centre = pal_vec3_scale(0.5, pal_vec3_add(bounds->upper, bounds->lower));
    PalVec3 away = extent.x >= extent.y ? pal_vec3(0.55, -1, 0.5) : pal_vec3(1, -0.55, 0.5);
    away = pal_vec3_normalise(away);
    double reach = fmax(0.5 * pal_vec3_length(extent), 1e-300) * CAMERA_AWAY;
    for (int32_t t = 0; t < scene->drawn_count; ++t)
        for (int a = 0; a < 3; ++a) {
            PalVec3 arm = pal_vec3_sub(scene->positions[scene->drawn[t].corners[a]], centre);
            reach = fmax(reach, 1.2 * pal_vec3_dot(arm, away));
        }
    camera->eye = pal_vec3_add_scaled(centre, reach, away);
    camera->forward = pal_vec3_scale(-1, away);
    camera->right = pal_vec3_normalise(pal_vec3_cross(camera->forward, pal_vec3(0, 0, 1)));
    camera->up = pal_vec3_cross(camera->right, camera->forward);
}

// Whether a corner has to be in the picture: instruments may reach beyond it.
static bool counts(const Scene *scene, const PalBounds *near, const PalDrawn *drawn, int corner)
{
    return drawn->body < scene->def->frame->soft_body_count ||
           bounds_hold(near, scene->positions[drawn->corners[corner]]);
}

// Zooms and shifts until what counts just fills the viewport.
static void fit(Scene *scene, const PalBounds *near)
{
    PalCamera *camera = &scene->camera;
    const PalViewport *viewport = &scene->def->viewport;
    camera->zoom = 1;
    camera->shift_x = camera->shift_y = 0;
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int32_t t = 0; t < scene->drawn_count; ++t)
        for (int a = 0; a < 3; ++a) {
            if (!counts(scene, near, &scene->drawn[t], a))
                continue;
            PalScreen s = project(camera, scene->positions[scene->drawn[t].corners[a]]);
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

// Places the camera and all points. False: there is nothing to see.
static bool look(Scene *scene)
{
    const PalFrame *frame = scene->def->frame;
    double diagonal;
    PalBounds subject = subject_bounds(frame, &diagonal);
    PalBounds near = widened(&subject, frame->soft_body_count > 0 ? NEAR * diagonal : 0);
    if (scene->drawn_count == 0 || !(subject.lower.x <= subject.upper.x))
        return false;
    PalBounds bounds = subject;
    for (int32_t t = 0; t < scene->drawn_count; ++t)
        for (int a = 0; a < 3; ++a)
            if (counts(scene, &near, &scene->drawn[t], a))
                include(&bounds, scene->positions[scene->drawn[t].corners[a]]);
    aim(scene, &bounds);
    fit(scene, &near);
    for (int32_t n = 0; n < scene->point_count; ++n)
        scene->points[n] = project(&scene->camera, scene->positions[n]);
    for (int32_t t = 0; t < scene->drawn_count; ++t) {
        PalDrawn *drawn = &scene->drawn[t];
        const int32_t *n = drawn->corners;
        double x[3] = {scene->points[n[0]].x, scene->points[n[1]].x, scene->points[n[2]].x};
        double y[3] = {scene->points[n[0]].y, scene->points[n[1]].y, scene->points[n[2]].y};
        drawn->left = (float)fmin(x[0], fmin(x[1], x[2]));
        drawn->right = (float)fmax(x[0], fmax(x[1], x[2]));
        drawn->top = (float)fmin(y[0], fmin(y[1], y[2]));
        drawn->bottom = (float)fmax(y[0], fmax(y[1], y[2]));
    }
    return true;
}

// ---- the whole --------------------------------------------------------------------------

static bool take_bands(Scene *scene, int32_t threads)
{
    size_t samples = pal_raster_band_samples(scene);
    scene->depths = pal_alloc((size_t)threads, sizeof *scene->depths);
    scene->owners = pal_alloc((size_t)threads, sizeof *scene->owners);
    // NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers
    scene->shaders = pal_alloc((size_t)threads, sizeof *scene->shaders);
    bool good = scene->depths != NULL && scene->owners != NULL && scene->shaders != NULL;
    for (int32_t i = 0; good && i < threads; ++i) {
        scene->depths[i] = pal_alloc(samples, sizeof **scene->depths);
        scene->owners[i] = pal_alloc(samples, sizeof **scene->owners);
        scene->shaders[i] = scene->image->pixels != NULL ? pal_shader_create(scene) : NULL;
        good = scene->depths[i] != NULL && scene->owners[i] != NULL &&
               (scene->image->pixels == NULL || scene->shaders[i] != NULL);
    }
    return good;
}

static void release(Scene *scene, int32_t threads)
{
    bool whole = scene->depths != NULL && scene->owners != NULL && scene->shaders != NULL;
    for (int32_t i = 0; i < threads && whole; ++i) {
        pal_free(scene->depths[i]);
        pal_free(scene->owners[i]);
        pal_free(scene->shaders[i]);
    }
    pal_free(scene->positions);
    pal_free(scene->points);
    pal_free(scene->drawn);
    pal_free(scene->depths);
    pal_free(scene->owners);
    pal_free(scene->shaders);
}

PalStatus pal_raster_draw(const PalRasterDef *def, PalImage *image, PalError *error)
{
    Scene scene = {.def = def, .image = image};
    int32_t bands = (image->height + PAL_RASTER_BAND - 1) / PAL_RASTER_BAND;
    int32_t threads = def->thread_count > 0 ? def->thread_count : 1;
    if (threads > bands)  // each thread has buffers of its own
        threads = bands;
    bool good = take_bands(&scene, threads) && list_drawn(&scene);
    bool any = good && look(&scene);
    for (int32_t i = 0; any && i < threads; ++i)
        pal_shader_aim(scene.shaders[i]);
    if (any)
        pal_parallel_for(threads, bands, pal_raster_draw_band, &scene);
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
    bool good = take_bands(&scene, 1) && list_drawn(&scene);
    bool any = good && look(&scene);
    for (int32_t band = 0; any && band * PAL_RASTER_BAND < height; ++band) {
        PalSpan span = pal_raster_cover(&scene, band, 0);
        size_t columns = (size_t)width * PAL_RASTER_SAMPLES;
        for (size_t row = 0; row < PAL_RASTER_BAND * PAL_RASTER_SAMPLES; ++row)
            for (size_t i = (size_t)span.first * PAL_RASTER_SAMPLES;
                 i < (size_t)span.end * PAL_RASTER_SAMPLES; ++i)
                if (scene.owners[0][row * columns + i] != PAL_NONE)
                    ++seen[scene.drawn[scene.owners[0][row * columns + i]].body];
    }
    release(&scene, 1);
    return good ? PAL_OK : pal_error_set(error, PAL_NO_MEMORY, "no memory for a picture");
}
