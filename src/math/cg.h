// A way down to the least value of  x A x / 2 - b x  by the products of A with vectors, where A may
// have directions in which that falls without end. M is a positive definite matrix near it.
#ifndef PAL_MATH_CG_H
#define PAL_MATH_CG_H

#include "math/gmres.h"

#define PAL_CG_MOST 25  // products at most

typedef struct PalCg {
    int32_t size;
    double *memory;  // four vectors
} PalCg;

typedef struct PalCgWish {
    double exact;    // part of the right side that may be left over
    double longest;  // component of a solution: nobody wants to know of longer ones
} PalCgWish;

typedef struct PalCgFacts {
    int32_t products;
    double left;  // the part of the right side that is left
    bool falls;   // A falls in some direction, and the way was ended there
} PalCgFacts;

PalStatus pal_cg_create(int32_t size, PalCg *cg, PalError *error);
void pal_cg_clear(PalCg *cg);

// x holds the right side b and receives the way, along which the value falls from its start on.
PalStatus pal_cg_descend(const PalCg *cg, const PalGmresPair *pair, const PalCgWish *wish,
                         double *x, PalCgFacts *facts, PalError *error);

#endif
