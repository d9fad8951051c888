// The local part: Green's functions at rest of loads on surface nodes, and on inner ones close to
// the surface, at nodes near them. docs/theory/vademecum.md, 3
#include "reduced/build.h"

#include "base/memory.h"
#include "math/vec3.h"

#include <string.h>

#define FARTHEST 6.0  // reach in radii of the patch, where nodes are few
#define NEAREST  2.5  // and where they are many
#define SKIN     1.0  // radii of the patch below the surface: inner nodes that have a row as well
enum {
    ENOUGH = 160,  // near nodes of a surface node, in the mean
    CHUNK = 32,    // surface nodes whose answers are found at once
};

static bool are_near(const PalBuild *build, int32_t i, int32_t j, double reach)
{
    PalVec3 gap = pal_vec3_sub(pal_build_position(build, i), pal_build_position(build, j));
    return pal_vec3_length(gap) <= reach * build->def->patch;
}

static bool has_row(const PalBuild *build, int32_t i)
{
    for (int32_t j = 0; j < build->surface_count && i >= build->surface_count; ++j)
        if (are_near(build, i, j, SKIN))
            return true;
    return i < build->surface_count;
}

// Counts near nodes of nodes from `first` to `last` and, if there is room for them, lists them.
static int64_t list_near(PalBuild *build, double reach, int32_t first, int32_t last)
{
    int64_t count = first > 0 ? build->local_start[first] : 0;
    for (int32_t i = first; i < last; ++i) {
        build->local_start[i] = (int32_t)count;
        bool listed = has_row(build, i);
        for (int32_t j = 0; j < build->node_count && listed; ++j) {
            if (!are_near(build, i, j, reach))
                continue;
            if (build->local_node != NULL)
                build->local_node[count] = j;
            if (++count > INT32_MAX / 16)
                return count;
        }
    }
    build->local_start[last] = (int32_t)count;
    return count;
}

static PalStatus find_near(PalBuild *build, PalError *error)
{
    double reach = FARTHEST;
    build->local_start = pal_alloc((size_t)build->node_count + 1, sizeof *build->local_start);
    if (build->local_start == NULL)
        return pal_build_no_memory(error);
    int32_t surface = build->surface_count;
    int64_t count = list_near(build, reach, 0, surface);
    while (reach > NEAREST && count > (int64_t)ENOUGH * surface)
        count = list_near(build, reach -= 0.5, 0, surface);
    if (count < INT32_MAX / 16)
        count = list_near(build, reach, surface, build->node_count);
    if (count > 20000000)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "the patch of %g spans too many nodes, expected a smaller one or a "
                             "coarser mesh",
                             build->def->patch);
    build->local_node = pal_alloc((size_t)count, sizeof *build->local_node);
    build->local_block = pal_alloc(9 * (size_t)count, sizeof *build->local_block);
    if (build->local_node == NULL || build->local_block == NULL)
        return pal_build_no_memory(error);
    build->local_count = (int32_t)list_near(build, reach, 0, build->node_count);
    return PAL_OK;
}

// Columns of Green's functions for forces at node j along the axes, into the blocks (j, i) of near
// nodes i: they are those of (i, j), turned over.
static void take_columns(PalBuild *build, int32_t j, const double *columns)
{
    int64_t size = build->truth->size;
    for (int32_t k = build->local_start[j]; k < build->local_start[j + 1]; ++k)
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) {
                int32_t row = build->row[3 * build->local_node[k] + a];
                if (row != PAL_NONE)
                    build->local_block[9 * (int64_t)k + 3 * b + a] = columns[b * size + row];
            }
}

PalStatus pal_build_local(PalBuild *build, PalError *error)
{
    int64_t size = build->truth->size;
    double *columns = pal_alloc((size_t)(3 * CHUNK * size), sizeof *columns);
    PalStatus status = columns != NULL ? find_near(build, error) : pal_build_no_memory(error);
    for (int32_t first = 0; first < build->node_count && status == PAL_OK; first += CHUNK) {
        int32_t last = first + CHUNK < build->node_count ? first + CHUNK : build->node_count;
        status = pal_build_tell(build, "Green's functions near the surface", first,
                                build->node_count, error);
        if (status != PAL_OK)
            break;
        memset(columns, 0, (size_t)(3 * CHUNK * size) * sizeof *columns);
        for (int32_t c = 0; c < 3 * (last - first); ++c)
            if (build->row[3 * first + c] != PAL_NONE)
                columns[c * size + build->row[3 * first + c]] = 1;
        status = pal_truth_solve_rest(build->truth, columns, 3 * (last - first), error);
        for (int32_t j = first; j < last && status == PAL_OK; ++j)
            take_columns(build, j, columns + 3 * (j - first) * size);
    }
    pal_free(columns);
    return status;
}
