// How far vertices go in the step as corrected: the search wants to know.
#include "base/memory.h"
#include "contact/response/lagrange/lagrange.h"
#include "math/range.h"
#include "math/vec3.h"
#include "model/conditions.h"

#include <math.h>

PalStatus pal_motions_create(PalMotions *motions, const PalContactSurface *surface, PalError *error)
{
    size_t chunks = 1;
    for (int32_t b = 0; b < surface->block_count; ++b)
        chunks = chunks > (size_t)surface->block_nodes[b][1] ? chunks
                                                             : (size_t)surface->block_nodes[b][1];
    motions->chunk_stamp = pal_alloc(chunks, sizeof *motions->chunk_stamp);
    return motions->chunk_stamp != NULL
               ? PAL_OK
               : pal_error_set(error, PAL_NO_MEMORY, "no memory for contact");
}

void pal_motions_clear(PalMotions *motions)
{
    pal_free(motions->chunk_stamp);
    *motions = (PalMotions){0};
}

// The farthest any vertex of a block goes: soft ones that have no row as predicted, all others as
// far as their object.
static double block_stride(PalContactSurface *surface, const PalLagrange *lagrange, int32_t block)
{
    int32_t first = block * PAL_VERTEX_BLOCK, last = first + PAL_VERTEX_BLOCK;
    int32_t soft = last < surface->soft_vertex_count ? last : surface->soft_vertex_count;
    const double *strides2 = pal_contact_surface_soft_strides2(surface, block);
    double stride = 0, largest2 = 0;
    for (int32_t v = first; v < soft; ++v)
        if (strides2[v] > largest2 && lagrange->vertex_stamp[v] != lagrange->rows.stamp)
            largest2 = strides2[v];
    for (int32_t v = soft; v < last && v < surface->vertex_count; ++v)
        stride = pal_max(stride, surface->object_stride[surface->vertex_object[v]]);
    return pal_max(stride, sqrt(largest2));
}

// Where vertices are no nodes, speeds are known of chunks of nodes, all of which go with the
// fastest: blocks in a chunk that has a row are measured, all others stay as predicted. Where
// nothing goes far, all do.
double pal_lagrange_fit_strides(PalContactSurface *surface, PalLagrange *lagrange)
{
    PalMotions *motions = &lagrange->motions;
    int64_t stamp = ++motions->stamp;
    double farthest = 0;
    for (int32_t i = 0; i < lagrange->touched_count && motions->far; ++i)
        if (lagrange->touched[i] < surface->soft_vertex_count)
            motions->chunk_stamp[surface->vertex_node[lagrange->touched[i]] / PAL_NODE_CHUNK] =
                stamp;
    for (int32_t i = 0; i < surface->awake.block_count; ++i) {
        int32_t b = surface->awake.blocks[i];
        bool fits = true;
        for (int32_t c = surface->block_nodes[b][0]; c < surface->block_nodes[b][1] && fits; ++c)
            fits = motions->chunk_stamp[c] != stamp;
        if (!fits)
            surface->stride[b] = block_stride(surface, lagrange, b);
        farthest = pal_max(farthest, surface->stride[b]);
    }
    for (int32_t i = 0; i < lagrange->touched_count; ++i) {
        int32_t v = lagrange->touched[i];
        double *stride = &surface->stride[v / PAL_VERTEX_BLOCK];
        double motion = (1 + 1e-9) * pal_contact_surface_travel(surface, v);
        *stride = pal_max(*stride, motion);
        farthest = pal_max(farthest, motion);
    }
    return farthest;
}
