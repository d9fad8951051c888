#define PAL_KERNELS pal_kernels_plain
#include "element/kernels_body.h"

bool pal_kernels_are_neo_hookean(const PalPart *part)
{
    return part->material.law == &pal_law_neo_hookean && part->history_batch == 0;
}

const PalKernels *pal_kernels(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &pal_kernels_avx2;
#endif
    return &pal_kernels_plain;
}
