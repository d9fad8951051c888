// The pieces of a closed surface, and how they lie in each other.
#include "base/memory.h"
#include "math/vec3.h"
#include "mesh/cells.h"

void pal_shells_clear(PalShells *shells)
{
    pal_free(shells->of_cell);
    pal_free(shells->around);
    pal_free(shells->depth);
    *shells = (PalShells){0};
}

static double signed_volume(PalVec3 a, PalVec3 b, PalVec3 c, PalVec3 d)
{
    return pal_vec3_dot(pal_vec3_cross(pal_vec3_sub(b, a), pal_vec3_sub(c, a)), pal_vec3_sub(d, a));
}

// Whether the segment passes through the triangle; both ends lie off its plane in general.
static bool passes(PalVec3 from, PalVec3 to, const PalVec3 x[3])
{
    if ((signed_volume(x[0], x[1], x[2], from) > 0) == (signed_volume(x[0], x[1], x[2], to) > 0))
        return false;
    bool side = signed_volume(from, to, x[0], x[1]) > 0;
    return (signed_volume(from, to, x[1], x[2]) > 0) == side &&
           (signed_volume(from, to, x[2], x[0]) > 0) == side;
}

// Counts how often a way out of everything passes each shell: odd is inside.
static void count_passes(const PalMesh *mesh, const PalShells *shells, PalVec3 from, int32_t *count)
{
    PalBounds bounds = pal_mesh_bounds(mesh);
    double size = pal_vec3_distance(bounds.lower, bounds.upper);
    // a direction that meshes hardly ever have
    PalVec3 to = pal_vec3_add_scaled(from, 2 * size, pal_vec3(0.5772156649, 0.6180339887, 0.5331));
    for (int32_t s = 0; s < shells->count; ++s)
        count[s] = 0;
    for (int32_t c = 0; c < mesh->cell_count; ++c) {
        const int32_t *corner = pal_mesh_cell(mesh, c);
        const PalVec3 x[3] = {mesh->nodes[corner[0]], mesh->nodes[corner[1]],
                              mesh->nodes[corner[2]]};
        count[shells->of_cell[c]] += passes(from, to, x);
    }
}

// inside[s * count + t]: shell s lies in shell t.
static bool find_inside(const PalMesh *mesh, PalShells *shells, uint8_t *inside)
{
    size_t count = (size_t)shells->count;
    int32_t *passed = pal_alloc(count, sizeof *passed);
    uint8_t *seen = pal_alloc(count, 1);
    bool good = passed != NULL && seen != NULL;
    for (int32_t c = 0; c < mesh->cell_count && good && count > 1; ++c) {
        int32_t s = shells->of_cell[c];
        if (seen[s])
            continue;
        seen[s] = 1;
        count_passes(mesh, shells, mesh->nodes[pal_mesh_cell(mesh, c)[0]], passed);
        for (int32_t t = 0; t < shells->count; ++t)
            inside[(size_t)s * count + (size_t)t] = t != s && passed[t] % 2 == 1;
    }
    pal_free(passed);
    pal_free(seen);
    return good;
}

// Of those around a shell, the one that lies deepest is the next.
static void nest(PalShells *shells, const uint8_t *inside)
{
    size_t count = (size_t)shells->count;
    for (size_t s = 0; s < count; ++s)
        for (size_t t = 0; t < count; ++t)
            shells->depth[s] += inside[s * count + t];
    for (size_t s = 0; s < count; ++s) {
        shells->around[s] = PAL_NONE;
        for (size_t t = 0; t < count; ++t) {
            int32_t best = shells->around[s];
            if (inside[s * count + t] &&
                (best == PAL_NONE || shells->depth[t] > shells->depth[best]))
                shells->around[s] = (int32_t)t;
        }
    }
}

PalStatus pal_mesh_shells(const PalMesh *mesh, PalShells *shells, PalError *error)
{
    enum { MOST = 1000 };
    *shells = (PalShells){0};
    PAL_TRY(pal_mesh_check_triangles(mesh, error));
    shells->of_cell = pal_alloc((size_t)mesh->cell_count, sizeof *shells->of_cell);
    if (shells->of_cell == NULL)
        return pal_mesh_no_memory(error);
    PalStatus status = pal_mesh_parts(mesh, shells->of_cell, &shells->count, error);
    if (status == PAL_OK && shells->count > MOST)
        status = pal_error_set(error, PAL_BAD_INPUT,
                               "the surface has %d separate pieces, expected at most %d",
                               shells->count, MOST);
    size_t count = status == PAL_OK ? (size_t)shells->count : 0;
    shells->around = pal_alloc(count, sizeof *shells->around);
    shells->depth = pal_alloc(count, sizeof *shells->depth);
    uint8_t *inside = pal_alloc(count, count > 0 ? count : 1);
    bool good = shells->around != NULL && shells->depth != NULL && inside != NULL &&
                (status != PAL_OK || find_inside(mesh, shells, inside));
    if (status == PAL_OK && good)
        nest(shells, inside);
    else if (status == PAL_OK)
        status = pal_mesh_no_memory(error);
    pal_free(inside);
    if (status != PAL_OK)
        pal_shells_clear(shells);
    return status;
}
