// Built with AVX2 and FMA switched on (CMakeLists.txt); empty on other machines.
#include "element/kernels.h"

#if defined(__x86_64__)
#define PAL_KERNELS pal_kernels_avx2
#include "element/kernels_body.h"
#endif
