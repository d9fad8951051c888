// Simulations of several bodies in contact, put together in a few lines for tests.
#ifndef PAL_TESTS_TOUCH_H
#define PAL_TESTS_TOUCH_H

#include "check.h"
#include "math/vec3.h"
#include <palpate/sim.h>
#include <string.h>

enum { TOUCH_BODY_MAX = 64, TOUCH_RIGID_MAX = 64, TOUCH_CONDITION_MAX = 64, TOUCH_PAIR_MAX = 6000 };

typedef struct Touch {
    PalMesh *meshes[TOUCH_BODY_MAX];
    PalMaterialDef materials[TOUCH_BODY_MAX];
    PalBodyDef bodies[TOUCH_BODY_MAX];
    PalMesh *rigid_meshes[TOUCH_RIGID_MAX];
    PalRigidDef rigids[TOUCH_RIGID_MAX];
    PalConditionDef conditions[TOUCH_CONDITION_MAX];
    PalContactPairDef pairs[TOUCH_PAIR_MAX];
    PalSimDef sim;
    PalSim *run;
} Touch;

static inline Touch touch_nothing(double time)
{
    Touch t = {.sim = pal_sim_def_default()};
    t.sim.solver.time = time;
    t.sim.solver.thread_count = 1;
    return t;
}

// Neo-Hookean; returns the body's index. Owns the mesh.
static inline int32_t touch_add_mesh(Touch *t, PalMesh *mesh, double young, double poisson,
                                     double density)
{
    PalError error = {0};
    int32_t b = t->sim.model.body_count++;
    assert_true(b < TOUCH_BODY_MAX);
    double shear, bulk;
    check_ok(pal_moduli_from_young(young, poisson, &shear, &bulk, &error), &error);
    t->meshes[b] = mesh;
    t->materials[b] = pal_material_def_default();
    t->materials[b].parameters[0] = shear;
    t->materials[b].parameters[1] = bulk;
    t->materials[b].density = density;
    t->bodies[b] = pal_body_def_default();
    t->bodies[b].name = "body";
    return b;
}

static inline PalMesh *touch_shape(PalShapeKind kind, PalVec3 extent, const int32_t cells[3],
                                   PalCellKind cell_kind, PalVec3 at)
{
    PalError error = {0};
    PalShapeDef shape = pal_shape_def_default();
    PalMesh *mesh;
    shape.kind = kind;
    shape.extent = extent;
    shape.cell_kind = cell_kind;
    memcpy(shape.cells, cells, sizeof shape.cells);
    check_ok(pal_mesh_create_shape(&shape, &mesh, &error), &error);
    for (int32_t n = 0; n < mesh->node_count; ++n)
        mesh->nodes[n] = pal_vec3_add(mesh->nodes[n], at);
    return mesh;
}

static inline void touch_turn(PalMesh *mesh, PalVec3 axis, double radians)
{
    PalPlacement placement = pal_placement_identity();
    placement.rotation = pal_rotation_about(axis, radians);
    pal_mesh_place(mesh, &placement);
}

static inline int32_t touch_add_rigid(Touch *t, PalMesh *mesh)
{
    int32_t r = t->sim.model.rigid_count++;
    assert_true(r < TOUCH_RIGID_MAX);
    t->rigid_meshes[r] = mesh;
    t->rigids[r] = pal_rigid_def_default();
    t->rigids[r].name = "rigid";
    return r;
}

// One that moves by itself.
static inline int32_t touch_add_free(Touch *t, PalMesh *mesh, double density)
{
    int32_t r = touch_add_rigid(t, mesh);
    t->rigids[r].name = "free";
    t->rigids[r].density = density;
    return r;
}

static inline PalConditionDef *touch_condition(Touch *t, int32_t body, PalConditionKind kind)
{
    int32_t c = t->sim.model.condition_count++;
    assert_true(c < TOUCH_CONDITION_MAX);
    t->conditions[c] = pal_condition_def_default();
    t->conditions[c].kind = kind;
    t->conditions[c].body_index = body;
    t->conditions[c].where = pal_where_all();
    return &t->conditions[c];
}

static inline PalConditionDef *touch_side(Touch *t, int32_t body, PalConditionKind kind, int axis,
                                          bool highest)
{
    PalConditionDef *condition = touch_condition(t, body, kind);
    condition->where.kind = PAL_WHERE_SIDE;
    condition->where.axis = axis;
    condition->where.highest = highest;
    return condition;
}

// On everything, from the start.
static inline void touch_gravity(Touch *t, PalVec3 gravity)
{
    PalConditionDef *condition = touch_condition(t, PAL_NONE, PAL_CONDITION_GRAVITY);
    condition->value = gravity;
    condition->ramp.kind = PAL_RAMP_STEP;
}

// Objects are bodies, then rigid instruments.
static inline void touch_pair(Touch *t, int32_t object, int32_t other, double friction)
{
    int32_t p = t->sim.contact.pair_count++;
    assert_true(p < TOUCH_PAIR_MAX);
    t->pairs[p] = (PalContactPairDef){{object, other}, friction};
}

// A ball thrown on a slab, beside a plate that comes nearer.
static inline Touch touch_crowd(PalCellKind slab_cells)
{
    Touch t = touch_nothing(1);
    PalMesh *slab = touch_shape(PAL_SHAPE_BOX, pal_vec3(2, 2, 0.5), (int32_t[]){9, 9, 2},
                                slab_cells, pal_vec3(0, 0, -0.25));
    PalMesh *ball = touch_shape(PAL_SHAPE_SPHERE, pal_vec3(0.5, 0.5, 0.5), (int32_t[]){8, 0, 0},
                                PAL_CELL_TETRAHEDRON, pal_vec3(0.04, 0.03, 0.503));
    PalMesh *plate = touch_shape(PAL_SHAPE_BOX, pal_vec3(0.1, 1, 1), (int32_t[]){1, 4, 4},
                                 PAL_CELL_TRIANGLE, pal_vec3(0.6, 0, 0.6));
    touch_add_mesh(&t, slab, 3000, 0.4, 10);
    touch_add_mesh(&t, ball, 1000, 0.4, 10);
    touch_add_rigid(&t, plate);
    t.rigids[0].motion.translation = pal_vec3(-0.3, 0, 0);
    t.bodies[1].velocity = pal_vec3(0.3, 0, -0.5);
    touch_side(&t, 0, PAL_CONDITION_FIX, 2, false);
    touch_pair(&t, 0, 1, 0.2);
    touch_pair(&t, 1, 2, 0.1);
    return t;
}

// The definition is whole, where it is now: it must not be copied any more.
static inline void touch_connect(Touch *t)
{
    for (int32_t b = 0; b < t->sim.model.body_count; ++b) {
        t->bodies[b].mesh = t->meshes[b];
        t->bodies[b].material_count = 1;
        t->bodies[b].materials = &t->materials[b];
    }
    for (int32_t r = 0; r < t->sim.model.rigid_count; ++r)
        t->rigids[r].mesh = t->rigid_meshes[r];
    t->sim.model.bodies = t->bodies;
    t->sim.model.rigids = t->rigids;
    t->sim.model.conditions = t->conditions;
    t->sim.contact.pairs = t->pairs;
}

static inline void touch_start(Touch *t)
{
    PalError error = {0};
    touch_connect(t);
    check_ok(pal_sim_create(&t->sim, &t->run, &error), &error);
}

static inline void touch_advance(Touch *t, double time)
{
    PalError error = {0};
    check_ok(pal_sim_advance(t->run, time, &error), &error);
}

static inline void touch_end(Touch *t)
{
    pal_sim_destroy(t->run);
    for (int32_t b = 0; b < t->sim.model.body_count; ++b)
        pal_mesh_destroy(t->meshes[b]);
    for (int32_t r = 0; r < t->sim.model.rigid_count; ++r)
        pal_mesh_destroy(t->rigid_meshes[r]);
}

#endif
