// A cube of neo-Hookean tissue, held at its bottom and shaken at its top, step after step.
#include "bench.h"

#include <stdlib.h>

enum { REPETITION_MAX = 99 };
static const double repetition_seconds = 0.1;

static PalStatus create_sim(const PalBenchCase *bench_case, PalSim **sim, PalError *error)
{
    PalShapeDef shape = pal_shape_def_default();
    shape.cell_kind = pal_element_cell(bench_case->kind);
    for (int i = 0; i < 3; ++i)
        shape.cells[i] = bench_case->cells;
    PalMesh *mesh = NULL;
    PAL_TRY(pal_mesh_create_shape(&shape, &mesh, error));
    PalMaterialDef tissue = pal_material_def_default();
    PalBodyDef body = pal_body_def_default();
    body.name = "cube";
    body.mesh = mesh;
    body.element = bench_case->kind;
    body.material_count = 1;
    body.materials = &tissue;
    PalConditionDef conditions[2] = {pal_condition_def_default(), pal_condition_def_default()};
    for (int c = 0; c < 2; ++c)
        conditions[c].where = (PalWhere){.kind = PAL_WHERE_SIDE, .axis = 2, .highest = c == 1};
    conditions[1].kind = PAL_CONDITION_DISPLACE;
    conditions[1].value = (PalVec3){0.05, 0, 0};
    PalSimDef def = pal_sim_def_default();
    def.model.body_count = 1;
    def.model.bodies = &body;
    def.model.condition_count = 2;
    def.model.conditions = conditions;
    def.solver.time = 1e3;
    def.solver.thread_count = bench_case->thread_count;
    PalStatus status = pal_sim_create(&def, sim, error);
    pal_mesh_destroy(mesh);
    return status;
}

static PalStatus run_steps(PalSim *sim, int64_t count, double *seconds, PalError *error)
{
    double start = pal_bench_seconds();
    for (int64_t k = 0; k < count; ++k)
        PAL_TRY(pal_sim_step(sim, error));
    *seconds = pal_bench_seconds() - start;
    return PAL_OK;
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static PalStatus measure(PalSim *sim, int32_t repetitions, PalBenchResult *result, PalError *error)
{
    double seconds, times[REPETITION_MAX];
    const PalModel *model = pal_sim_model(sim);
    int32_t count = repetitions < REPETITION_MAX ? repetitions : REPETITION_MAX;
    PAL_TRY(run_steps(sim, 3, &seconds, error));
    int64_t steps = (int64_t)(repetition_seconds / (seconds / 3)) + 1;
    PalProfile before = *pal_sim_profile(sim);
    double all = 0;
    for (int32_t r = 0; r < count; ++r) {
        PAL_TRY(run_steps(sim, steps, &seconds, error));
        times[r] = 1e9 * seconds / (double)steps / model->cell_count;
        all += seconds;
    }
    qsort(times, (size_t)count, sizeof *times, compare);
    *result = (PalBenchResult){
        .element_count = model->cell_count,
        .node_count = model->node_count,
        .median = times[count / 2],
        .least = times[0],
        .elements = (pal_sim_profile(sim)->elements - before.elements) / all,
        .bytes = (double)pal_model_element_bytes(model) / model->cell_count,
        .read_rate = pal_bench_read_rate((double)pal_model_element_bytes(model)),
    };
    return PAL_OK;
}

PalStatus pal_bench_run(const PalBenchCase *bench_case, int32_t repetitions, PalBenchResult *result,
                        PalError *error)
{
    PalSim *sim = NULL;
    PAL_TRY(create_sim(bench_case, &sim, error));
    PalStatus status = measure(sim, repetitions, result, error);
    pal_sim_destroy(sim);
    return status;
}
