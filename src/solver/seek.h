// The parts of a search for equilibrium: forces, what is out of balance, and corrections.
#ifndef PAL_SOLVER_SEEK_H
#define PAL_SOLVER_SEEK_H

#include "solver/newton.h"

// Forces of the present shape, from the memory before the step, or their means along the step.
// False: a cell is inside out, or contact cannot be as it would be.
bool pal_seek_forces(const PalSeek *seek);
// After a search by mean forces: those of the shape found.
bool pal_seek_end_forces(const PalSeek *seek);
// A node of the first cell that is inside out.
int32_t pal_seek_inverted_node(const PalSeek *seek);

double pal_seek_residual(const PalSeek *seek, int32_t component);
// Sum of forces left over of those that act, and where most of them are: into the outcome.
void pal_seek_measure(PalSeek *seek);

// newton->right = the residual of all unknowns.
void pal_seek_set_right(const PalSeek *seek);
PalStatus pal_seek_assemble(PalSeek *seek, PalError *error);
// Factors what was assembled. A matrix that has no inverse: the outcome says so.
PalStatus pal_seek_factor(PalSeek *seek, PalError *error);
PalStatus pal_seek_solve(PalSeek *seek, double *right, PalError *error);
// Goes downhill by products with what was assembled and by factors of a positive matrix near it.
// No component is longer than `longest`, unless the first product says so. `falls`: there was no
// minimum.
PalStatus pal_seek_descend(PalSeek *seek, double *right, double longest, bool *falls,
                           PalError *error);
// By the factors of an earlier matrix, where the problem allows for it and a few products are
// enough; otherwise nothing is changed.
PalStatus pal_seek_solve_by_old(PalSeek *seek, double *right, bool *solved, PalError *error);
// Components of unknowns, and of held ones unless NULL, as motions of nodes.
void pal_seek_spread(const PalSeek *seek, const double *unknowns, const double *held,
                     PalVec3 *motion);

// Where held components have to go from where they are; false: nowhere.
bool pal_seek_held_motion(const PalSeek *seek, double *motion);
// Held components exactly where they are to be.
void pal_seek_place_held(const PalSeek *seek);

// Displacements of newton->tried and a part of the correction.
void pal_seek_place(const PalSeek *seek, double part);
void pal_seek_copy_nodes(const PalSeek *seek, PalVec3 *to, const PalVec3 *from);
double pal_seek_largest_motion(const PalSeek *seek);
// Forces left over are below the tolerance of those that act, and so is the last correction of
// displacements.
bool pal_seek_converged(const PalSeek *seek);

#endif
