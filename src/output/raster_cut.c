// Planes and blocks, such as a table, are cut off near the soft bodies, for otherwise they would
// fill the picture, or what lies on them would be small. Where a convex block is cut it gets a new
// side.
#include "output/raster_scene.h"

#include "math/vec3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CONVEX_WORK 1000000  // faces times corners that are looked at to see whether it is convex
#define ROUNDING    1e-9     // of the body's size

// Keeps the part of a polygon where sign * x[axis] <= sign * limit; returns its corners' number.
static int cut_by_plane(PalVec3 *polygon, int count, int axis, double sign, double limit)
{
    PalVec3 kept[PAL_CUT_MOST];
    int kept_count = 0;
    for (int i = 0; i < count; ++i) {
        PalVec3 p = polygon[i], q = polygon[(i + 1) % count];
        double from = sign * (pal_vec3_at(p, axis) - limit);
        double to = sign * (pal_vec3_at(q, axis) - limit);
        if (from <= 0)
            kept[kept_count++] = p;
        if ((from <= 0) != (to <= 0)) {
            kept[kept_count] = pal_vec3_add_scaled(p, from / (from - to), pal_vec3_sub(q, p));
            PalVec3 *cut = &kept[kept_count++];
            *(axis == 0 ? &cut->x : axis == 1 ? &cut->y : &cut->z) = limit;
        }
    }
    memcpy(polygon, kept, (size_t)kept_count * sizeof *kept);
    return kept_count;
}

static int cut_by_box(PalVec3 *polygon, const PalBounds *box)
{
    int count = 3;
    for (int axis = 0; axis < 3 && count > 0; ++axis) {
        count = cut_by_plane(polygon, count, axis, 1, pal_vec3_at(box->upper, axis));
        if (count > 0)
            count = cut_by_plane(polygon, count, axis, -1, pal_vec3_at(box->lower, axis));
    }
    return count;
}

void pal_raster_add_cut(PalRasterScene *scene, const PalDrawn *whole, const PalBounds *box)
{
    PalVec3 polygon[PAL_CUT_MOST];
    for (int a = 0; a < 3; ++a)
        polygon[a] = scene->positions[whole->corners[a]];
    int count = cut_by_box(polygon, box);
    int32_t first = scene->point_count;
    for (int i = 0; i < count; ++i)
        scene->positions[scene->point_count++] = polygon[i];
    for (int i = 2; i < count; ++i) {
        PalDrawn *drawn = &scene->drawn[scene->drawn_count++];
        *drawn = *whole;
        drawn->edges = 0;
        drawn->corners[0] = first;
        drawn->corners[1] = first + i - 1;
        drawn->corners[2] = first + i;
    }
}

// ---- new sides --------------------------------------------------------------------------

// Faces of a body, first to end of the frame's triangles.
typedef struct Block {
    const PalFrame *frame;
    int32_t first, end;
    double size;
} Block;

// How far a point is outside of the plane of a face; 0 for a face without area.
static double outside(const Block *block, int32_t face, PalVec3 x)
{
    const int32_t *n = block->frame->triangles[face];
    PalVec3 a = block->frame->position[n[0]];
    PalVec3 normal = pal_vec3_cross(pal_vec3_sub(block->frame->position[n[1]], a),
                                    pal_vec3_sub(block->frame->position[n[2]], a));
    double length = pal_vec3_length(normal);
    return length > 0 ? pal_vec3_dot(normal, pal_vec3_sub(x, a)) / length : 0;
}

static bool holds(const Block *block, PalVec3 x)
{
    for (int32_t t = block->first; t < block->end; ++t)
        if (outside(block, t, x) > ROUNDING * block->size)
            return false;
    return true;
}

static bool is_convex(Block *block)
{
    int64_t faces = block->end - block->first;
    if (3 * faces * faces > CONVEX_WORK)
        return false;
    PalVec3 one = block->frame->position[block->frame->triangles[block->first][0]];
    for (int32_t t = block->first; t < block->end; ++t)
        for (int a = 0; a < 3; ++a)
            block->size =
                fmax(block->size,
                     pal_vec3_distance(one, block->frame->position[block->frame->triangles[t][a]]));
    for (int32_t t = block->first; t < block->end; ++t)
        for (int a = 0; a < 3; ++a)
            if (!holds(block, block->frame->position[block->frame->triangles[t][a]]))
                return false;
    return true;
}

// A corner of a new side, and where it is around the side's middle.
typedef struct Corner {
    int32_t point;
    double angle;
} Corner;

static int compare_corners(const void *a, const void *b)
{
    const Corner *left = a, *right = b;
    return left->angle != right->angle
               ? (left->angle > right->angle) - (left->angle < right->angle)
               : (left->point > right->point) - (left->point < right->point);
}

// The points in the plane x[axis] = limit, in the order in which they go around.
static int32_t list_corners(const PalRasterScene *scene, int32_t first_point, int axis,
                            double limit, Corner *corners)
{
    int32_t count = 0;
    PalVec3 middle = {0, 0, 0};
    for (int32_t n = first_point; n < scene->point_count; ++n)
        if (pal_vec3_at(scene->positions[n], axis) == limit) {
            corners[count++].point = n;
            middle = pal_vec3_add(middle, scene->positions[n]);
        }
    middle = pal_vec3_scale(count > 0 ? 1.0 / count : 0, middle);
    for (int32_t i = 0; i < count; ++i) {
        PalVec3 arm = pal_vec3_sub(scene->positions[corners[i].point], middle);
        corners[i].angle =
            atan2(pal_vec3_at(arm, (axis + 2) % 3), pal_vec3_at(arm, (axis + 1) % 3));
    }
    qsort(corners, (size_t)count, sizeof *corners, compare_corners);
    return count;
}

static void add_side(PalRasterScene *scene, const Corner *corners, int32_t count,
                     const PalDrawn *like)
{
    for (int32_t i = 2; i < count; ++i) {
        PalDrawn *drawn = &scene->drawn[scene->drawn_count++];
        *drawn = *like;
        drawn->corners[0] = corners[0].point;
        drawn->corners[1] = corners[i - 1].point;
        drawn->corners[2] = corners[i].point;
    }
}

bool pal_raster_close_cut(PalRasterScene *scene, int32_t first, int32_t end, int32_t first_point,
                          const PalBounds *box)
{
    Block block = {scene->def->frame, first, end, 0};
    if (scene->point_count == first_point || !is_convex(&block))
        return true;
    for (int i = 0; i < 8; ++i) {
        PalVec3 x =
            pal_vec3((i & 1 ? box->upper : box->lower).x, (i & 2 ? box->upper : box->lower).y,
                     (i & 4 ? box->upper : box->lower).z);
        if (holds(&block, x))
            scene->positions[scene->point_count++] = x;
    }
    Corner *corners = malloc((size_t)(scene->point_count - first_point) * sizeof *corners);
    if (corners == NULL)
        return false;
    for (int side = 0; side < 6; ++side) {
        int axis = side / 2;
        double sign = side % 2 == 0 ? -1 : 1;
        double limit = pal_vec3_at(side % 2 == 0 ? box->lower : box->upper, axis);
        PalDrawn like = {.body = scene->def->frame->triangle_body[first]};
        for (int a = 0; a < 3; ++a)
            for (int k = 0; k < 3; ++k)
                like.normals[a][k] = k == axis ? (float)sign : 0;
        add_side(scene, corners, list_corners(scene, first_point, axis, limit, corners), &like);
    }
    free(corners);
    return true;
}
