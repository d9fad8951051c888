#define PAL_SHELL_KERNELS pal_shell_kernels_plain
#include "element/shell_body.h"

bool pal_shell_is_quick(const PalPart *part)
{
    const PalMaterialLaw *law = part->material.law;
    return (law == &pal_law_neo_hookean || law->factors != NULL || law->plane != NULL) &&
           part->history_batch == 0;
}

const PalShellKernels *pal_shell_kernels(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &pal_shell_kernels_avx2;
#endif
    return &pal_shell_kernels_plain;
}
