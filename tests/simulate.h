// Simulations of one box, put together in a few lines for tests.
#ifndef PAL_TESTS_SIMULATE_H
#define PAL_TESTS_SIMULATE_H

#include "check.h"
#include "math/vec3.h"
#include <palpate/sim.h>

#define SIMULATE_CONDITION_MAX 512

typedef struct Simulation {
    PalShapeDef shape;
    PalMaterialDef material;
    PalBodyDef body;
    PalSimDef sim;
    PalConditionDef conditions[SIMULATE_CONDITION_MAX];
    PalMesh *mesh;  // made from shape by simulate_start unless given
    PalSim *run;
} Simulation;

static inline Simulation simulate_box(PalVec3 extent, int32_t x, int32_t y, int32_t z)
{
    Simulation s = {
        .shape = pal_shape_def_default(),
        .material = pal_material_def_default(),
        .body = pal_body_def_default(),
        .sim = pal_sim_def_default(),
    };
    s.shape.extent = extent;
    s.shape.cells[0] = x;
    s.shape.cells[1] = y;
    s.shape.cells[2] = z;
    s.sim.solver.thread_count = 1;
    return s;
}

static inline void simulate_neo_hookean(Simulation *s, double young, double poisson, double density)
{
    double shear, bulk;
    PalError error = {0};
    check_ok(pal_moduli_from_young(young, poisson, &shear, &bulk, &error), &error);
    s->material = pal_material_def_default();
    s->material.parameters[0] = shear;
    s->material.parameters[1] = bulk;
    s->material.density = density;
}

// A condition on one side of the box, to be filled in further.
static inline PalConditionDef *simulate_on_side(Simulation *s, PalConditionKind kind, int axis,
                                                bool highest)
{
    assert_true(s->sim.model.condition_count < SIMULATE_CONDITION_MAX);
    PalConditionDef *condition = &s->conditions[s->sim.model.condition_count++];
    *condition = pal_condition_def_default();
    condition->kind = kind;
    condition->where.kind = PAL_WHERE_SIDE;
    condition->where.axis = axis;
    condition->where.highest = highest;
    return condition;
}

static inline PalConditionDef *simulate_everywhere(Simulation *s, PalConditionKind kind)
{
    PalConditionDef *condition = simulate_on_side(s, kind, 0, false);
    condition->where = pal_where_all();
    return condition;
}

static inline void simulate_start(Simulation *s)
{
    PalError error = {0};
    s->shape.cell_kind = pal_element_cell(s->body.element);
    if (s->mesh == NULL)
        check_ok(pal_mesh_create_shape(&s->shape, &s->mesh, &error), &error);
    s->body.mesh = s->mesh;
    s->body.material_count = 1;
    s->body.materials = &s->material;
    s->sim.model.body_count = 1;
    s->sim.model.bodies = &s->body;
    s->sim.model.conditions = s->conditions;
    check_ok(pal_sim_create(&s->sim, &s->run, &error), &error);
}

static inline void simulate_to(Simulation *s, double time)
{
    PalError error = {0};
    check_ok(pal_sim_advance(s->run, time, &error), &error);
}

// Steps until the end; for relaxation, until equilibrium.
static inline void simulate_all(Simulation *s)
{
    PalError error = {0};
    while (!pal_sim_finished(s->run))
        check_ok(pal_sim_step(s->run, &error), &error);
}

// Mean displacement of one side.
static inline PalVec3 simulate_side_motion(const Simulation *s, int axis, bool highest)
{
    PalError error = {0};
    PalWhere where = {.kind = PAL_WHERE_SIDE, .axis = axis, .highest = highest};
    int32_t *nodes = NULL, count = 0;
    check_ok(pal_mesh_select_nodes(s->mesh, &where, &nodes, &count, &error), &error);
    PalVec3 sum = {0, 0, 0};
    for (int32_t i = 0; i < count; ++i)
        sum = pal_vec3_add(sum, pal_sim_state(s->run)->displacement[nodes[i]]);
    free(nodes);
    return pal_vec3_scale(1.0 / count, sum);
}

static inline void simulate_end(Simulation *s)
{
    pal_sim_destroy(s->run);
    pal_mesh_destroy(s->mesh);
    s->run = NULL;
    s->mesh = NULL;
}

#endif
