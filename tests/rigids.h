// Simulations of rigid boxes alone, put together in a few lines for tests.
#ifndef PAL_TESTS_RIGIDS_H
#define PAL_TESTS_RIGIDS_H

#include "check.h"
#include "math/mat3.h"
#include <palpate/steer.h>

enum { RIGIDS_MAX = 4 };

typedef struct Rigids {
    PalRigidDef rigids[RIGIDS_MAX];
    PalMesh *meshes[RIGIDS_MAX];
    PalConditionDef gravity;
    PalSimDef sim;
    PalSim *run;
} Rigids;

static inline void rigids_init(Rigids *r)
{
    *r = (Rigids){.gravity = pal_condition_def_default(), .sim = pal_sim_def_default()};
    r->gravity.kind = PAL_CONDITION_GRAVITY;
    r->gravity.body_index = PAL_NONE;
    r->gravity.ramp.kind = PAL_RAMP_STEP;
}

// A free box of the given edges, in the middle of `centre`, to be filled in further.
static inline PalRigidDef *rigids_add_box(Rigids *r, const char *name, PalVec3 extent,
                                          PalVec3 centre)
{
    PalShapeDef shape = pal_shape_def_default();
    PalPlacement placement = pal_placement_identity();
    PalError error = {0};
    int32_t index = r->sim.model.rigid_count++;
    assert_true(index < RIGIDS_MAX);
    shape.extent = extent;
    shape.cell_kind = PAL_CELL_TRIANGLE;
    shape.cells[0] = shape.cells[1] = shape.cells[2] = 1;
    placement.translation = centre;
    check_ok(pal_mesh_create_shape(&shape, &r->meshes[index], &error), &error);
    pal_mesh_place(r->meshes[index], &placement);
    r->rigids[index] = pal_rigid_def_default();
    r->rigids[index].name = name;
    r->rigids[index].mesh = r->meshes[index];
    r->rigids[index].density = 1;
    return &r->rigids[index];
}

static inline void rigids_pull_down(Rigids *r, PalVec3 gravity)
{
    r->gravity.value = gravity;
    r->sim.model.condition_count = 1;
}

static inline void rigids_start(Rigids *r)
{
    PalError error = {0};
    r->sim.model.rigids = r->rigids;
    r->sim.model.conditions = &r->gravity;
    r->sim.solver.thread_count = 1;
    check_ok(pal_sim_create(&r->sim, &r->run, &error), &error);
}

static inline void rigids_to(Rigids *r, double time)
{
    PalError error = {0};
    check_ok(pal_sim_advance(r->run, time, &error), &error);
}

static inline void rigids_end(Rigids *r)
{
    pal_sim_destroy(r->run);
    r->run = NULL;
    for (int32_t i = 0; i < RIGIDS_MAX; ++i)
        pal_mesh_destroy(r->meshes[i]);
}

static inline const PalRigidState *rigids_state(const Rigids *r, int32_t index)
{
    return &pal_sim_state(r->run)->rigids[index];
}

#endif
