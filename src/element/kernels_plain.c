#define PAL_KERNELS pal_kernels_plain
#include "element/kernels_body.h"

const PalKernels *pal_kernels(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &pal_kernels_avx2;
#endif
    return &pal_kernels_plain;
}
