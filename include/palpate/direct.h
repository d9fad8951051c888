// libpalpate-direct: factors by MUMPS in the order of METIS. A library of its own, so that a
// program without implicit methods needs neither.
#ifndef PALPATE_DIRECT_H
#define PALPATE_DIRECT_H

#include <palpate/linear.h>

#ifdef __cplusplus
extern "C" {
#endif
PAL_API_BEGIN

// For pal_linear_use. One call at a time works, whatever the number of threads that make calls.
// Long factorisations run in a thread of their own, so that a watch can end the wait for them; what
// is left of it then ends by itself.
const PalLinearSolver *pal_direct_solver(void);

PAL_API_END
#ifdef __cplusplus
}
#endif

#endif
