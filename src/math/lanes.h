// Batches: PAL_LANES numbers side by side in one variable, an arithmetic operator on each.
// Passed by pointer between functions that are not inlined, so that every instruction set calls
// alike; inlined ones may take them by value, hence -Wno-psabi in the build.
#ifndef PAL_MATH_LANES_H
#define PAL_MATH_LANES_H

#include <stdint.h>

#define PAL_LANES 4

typedef double PalLanes __attribute__((vector_size(PAL_LANES * sizeof(double))));

// What comparisons of lanes give: all bits of a lane, or none.
typedef int64_t PalLanesMask __attribute__((vector_size(PAL_LANES * sizeof(int64_t))));

typedef struct PalLanesMat3 {
    PalLanes m[3][3];
} PalLanesMat3;

// One binary for every x86 CPU: the loader picks the clone by the features it finds (naming one
// CPU, as arch=haswell does, would match that model only). Sanitizers and clang take the plain
// one.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12 &&           \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(PAL_NO_CLONES)
#define PAL_CLONES __attribute__((target_clones("default", "arch=x86-64-v3")))
#else
#define PAL_CLONES
#endif

#endif
