// The full equations of one body under given nodal forces: what a vademecum is made from and
// measured against.
//
// Vectors have one number per free component of a node, in the order of the stiffness's rows.
#ifndef PAL_REDUCED_TRUTH_H
#define PAL_REDUCED_TRUTH_H

#include "element/stiffness.h"
#include <palpate/model.h>

typedef struct PalTruth {
    PalModel *model;
    PalElementScratch *scratch;
    PalStiffness *stiffness;
    const PalLinearSolver *linear;
    void *rest_factors, *factors;
    PalSymmetric rest;    // the matrix at rest
    double *rest_values;  // its numbers
    int32_t size;         // of vectors
    PalVec3 *displacement, *force;
    double *internal, *left, *start, *before, *now;  // vectors
    int64_t factor_count;
} PalTruth;

// One body of a definition, with the conditions that fix it; others are not taken. Refuses what has
// no place in a vademecum.
PalStatus pal_truth_create(const PalModelDef *def, int32_t body, int32_t threads, PalTruth **truth,
                           PalError *error);
void pal_truth_destroy(PalTruth *truth);

// x = K^-1 x at rest, for `count` right sides.
PalStatus pal_truth_solve_rest(PalTruth *truth, double *x, int32_t count, PalError *error);
// y = K x at rest.
void pal_truth_stiffness(const PalTruth *truth, const double *x, double *y);
double pal_truth_energy_norm(PalTruth *truth, const double *x);  // sqrt(x' K x)
double pal_truth_dot(const PalTruth *truth, const double *a, const double *b);

// Internal forces of a shape. False: a cell is inside out.
bool pal_truth_forces(PalTruth *truth, const double *u, double *internal);
// The stiffness of a shape, as many numbers as that at rest has.
void pal_truth_tangent(PalTruth *truth, const double *u, double *values);
// Strain energy of a shape.
double pal_truth_strain_energy(PalTruth *truth, const double *u);

// Nodes of the model, from and to vectors.
void pal_truth_spread(const PalTruth *truth, const double *u, PalVec3 *nodes);

// How far equilibria were followed.
typedef struct PalTruthWay {
    int32_t found;   // levels
    double reached;  // the part of the load up to which there was one
} PalTruthWay;

// Equilibria under parts `levels` (ascending) of a load: shapes behind each other in `u`.
PalStatus pal_truth_follow(PalTruth *truth, const double *load, int32_t level_count,
                           const double *levels, double *u, PalTruthWay *way, PalError *error);

#endif
