// Built with AVX2 and FMA switched on (CMakeLists.txt); empty on other machines.
#include "element/shell.h"

#if defined(__x86_64__)
#define PAL_SHELL_KERNELS pal_shell_kernels_avx2
#include "element/shell_body.h"
#endif
