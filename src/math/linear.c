#include "math/linear.h"

#include "base/choice.h"

#include <stdatomic.h>
#include <string.h>

static const PalChoice kinds[] = {
    [PAL_LINEAR_DIRECT] = {"direct", "Factors of the matrix: fast and exact. Memory grows faster "
                                     "than the mesh; `palpate check` tells how much it takes."},
    [PAL_LINEAR_ITERATIVE] = {"iterative", "No factors: little memory, for meshes that do not fit "
                                           "otherwise. Slower, most of all where tissue hardly "
                                           "changes volume."},
};

static _Atomic(const PalLinearSolver *) used;

PAL_CHOICE_ARRAY(linear, PalLinearKind, kinds)

void pal_linear_use(const PalLinearSolver *solver)
{
    atomic_store(&used, solver);
}

const PalLinearSolver *pal_linear_solver(PalLinearKind kind)
{
    const PalLinearSolver *chosen = atomic_load(&used);
    if (kind == PAL_LINEAR_ITERATIVE)
        return &pal_linear_minres;
    return chosen != NULL ? chosen : &pal_linear_ldl;
}

void pal_symmetric_multiply(const PalSymmetric *matrix, const double *x, double *y)
{
    memset(y, 0, (size_t)matrix->size * sizeof *y);
    for (int32_t i = 0; i < matrix->size; ++i) {
        int64_t diagonal = matrix->start[i + 1] - 1;
        double sum = matrix->value[diagonal] * x[i];
        for (int64_t k = matrix->start[i]; k < diagonal; ++k) {
            sum += matrix->value[k] * x[matrix->column[k]];
            y[matrix->column[k]] += matrix->value[k] * x[i];
        }
        y[i] += sum;
    }
}
