// Corrections of implicit statics: cubes between rough plates, on one thread.
#include "bench.h"

#include <time.h>

#ifdef PAL_HAS_DIRECT
#include <palpate/direct.h>
#endif

typedef struct Cube {
    const char *name;
    PalElementKind element;
    PalLinearKind linear;
    int32_t cells;
    double press;  // of the height
    double step;   // 0: automatic
} Cube;

static const Cube cubes[] = {
    {"t4, one step", PAL_ELEMENT_T4, PAL_LINEAR_DIRECT, 10, 0.05, 1},
    {"t4, one step", PAL_ELEMENT_T4, PAL_LINEAR_DIRECT, 20, 0.05, 1},
    {"t4-anp, one step", PAL_ELEMENT_T4_ANP, PAL_LINEAR_DIRECT, 14, 0.05, 1},
    {"h8, one step", PAL_ELEMENT_H8, PAL_LINEAR_DIRECT, 20, 0.05, 1},
    {"t4, pressed 40 %", PAL_ELEMENT_T4, PAL_LINEAR_DIRECT, 15, 0.4, 0},
    {"the same, iterative", PAL_ELEMENT_T4, PAL_LINEAR_ITERATIVE, 15, 0.4, 0},
};

static PalStatus press(const Cube *cube, const PalMesh *mesh, PalSim **sim, PalError *error)
{
    PalMaterialDef material = pal_material_def_default();
    PalBodyDef body = pal_body_def_default();
    PalConditionDef conditions[2] = {pal_condition_def_default(), pal_condition_def_default()};
    PalSimDef def = pal_sim_def_default();
    body.mesh = mesh;
    body.element = cube->element;
    body.material_count = 1;
    body.materials = &material;
    for (int i = 0; i < 2; ++i)
        conditions[i].where = (PalWhere){.kind = PAL_WHERE_SIDE, .axis = 2, .highest = i == 1};
    conditions[1].kind = PAL_CONDITION_DISPLACE;
    conditions[1].value = (PalVec3){0, 0, -cube->press};
    conditions[1].ramp = (PalRamp){.kind = PAL_RAMP_LINEAR};
    def.model.body_count = 1;
    def.model.bodies = &body;
    def.model.condition_count = 2;
    def.model.conditions = conditions;
    def.solver.method = PAL_METHOD_IMPLICIT_STATIC;
    def.solver.linear = cube->linear;
    def.solver.step = cube->step;
    def.solver.thread_count = 1;
    PAL_TRY(pal_sim_create(&def, sim, error));
    return pal_sim_advance(*sim, 1, error);
}

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static PalStatus measure(const Cube *cube, PalError *error)
{
    PalShapeDef shape = pal_shape_def_default();
    PalMesh *mesh = NULL;
    PalSim *sim = NULL;
    shape.cell_kind = pal_element_cell(cube->element);
    shape.extent = (PalVec3){1, 1, 1};
    for (int i = 0; i < 3; ++i)
        shape.cells[i] = cube->cells;
    PAL_TRY(pal_mesh_create_shape(&shape, &mesh, error));
    double start = processor_seconds();
    PalStatus status = press(cube, mesh, &sim, error);
    double taken = processor_seconds() - start;
    if (status == PAL_OK) {
        const PalProfile *profile = pal_sim_profile(sim);
        double corrections = (double)pal_sim_counters(sim)->iterations;
        double whole = profile->assemble + profile->solve + profile->elements + profile->integrate;
        printf("%-20s %7d %8d %6.0f %9.2f %10.0f %8.0f%% %7.0f%% %7.0f MB\n", cube->name,
               (int)mesh->cell_count, (int)(3 * mesh->node_count), corrections, taken,
               1e3 * taken / corrections, 100 * profile->assemble / whole,
               100 * profile->solve / whole, 1e-6 * (double)pal_sim_method_bytes(sim));
    }
    pal_sim_destroy(sim);
    pal_mesh_destroy(mesh);
    return status;
}

int pal_bench_implicit(void)
{
#ifdef PAL_HAS_DIRECT
    pal_linear_use(pal_direct_solver());
#endif
    printf("implicit statics of a cube, one thread; seconds and milliseconds of the processor's "
           "time:\n");
    printf("%-20s %7s %8s %6s %9s %10s %9s %8s %10s\n", "", "cells", "unknowns", "corr.", "seconds",
           "ms each", "tangents", "linear", "memory");
    for (size_t k = 0; k < sizeof cubes / sizeof cubes[0]; ++k) {
        PalError error = {0};
        if (measure(&cubes[k], &error) != PAL_OK) {
            fprintf(stderr, "palpate-bench: %s\n", error.text);
            return 1;
        }
    }
    return 0;
}
