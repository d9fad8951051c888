// Small vectors and matrices, as they appear in the other headers.
#ifndef PALPATE_MATH_H
#define PALPATE_MATH_H

typedef struct PalVec3 {
    double x, y, z;
} PalVec3;

typedef struct PalMat3 {
    double m[3][3];  // m[row][column]
} PalMat3;

// A rotation, if its length is 1: by 2 acos(w) about (x, y, z).
typedef struct PalQuaternion {
    double w, x, y, z;
} PalQuaternion;

// A box with faces along the axes; empty when a lower bound exceeds its upper one.
typedef struct PalBounds {
    PalVec3 lower, upper;
} PalBounds;

#endif
