// A box with a vademecum that makes no error, and a rigid ball as a tool.
#ifndef PAL_TESTS_RIG_H
#define PAL_TESTS_RIG_H

#include "handmade.h"
#include <palpate/vademecum.h>

// A rigid ball, as a tool.
static inline PalMesh *ball_mesh(double radius, double size)
{
    PalShapeDef shape = pal_shape_def_default();
    PalMesh *mesh;
    PalError error = {0};
    shape.kind = PAL_SHAPE_SHELL_SPHERE;
    shape.extent = pal_vec3(radius, 0, 0);
    shape.cell_kind = PAL_CELL_TRIANGLE;
    shape.size = size;
    check_ok(pal_mesh_create_shape(&shape, &mesh, &error), &error);
    return mesh;
}

// A plate with many points.
static inline PalMesh *plate_mesh(void)
{
    PalShapeDef shape = pal_shape_def_default();
    PalMesh *mesh;
    PalError error = {0};
    shape.kind = PAL_SHAPE_BOX;
    shape.cell_kind = PAL_CELL_TRIANGLE;
    shape.extent = pal_vec3(0.6, 0.6, 0.2);
    shape.cells[0] = shape.cells[1] = 14;
    shape.cells[2] = 2;
    check_ok(pal_mesh_create_shape(&shape, &mesh, &error), &error);
    return mesh;
}

typedef struct Rig {
    bool plate;  // instead of the ball
    Handmade made;
    PalMesh *ball;
    PalHaptic *haptic;
} Rig;

static inline void rig_init(Rig *rig, int32_t left_out, const PalHapticDef *wish)
{
    PalError error = {0};
    handmade_box(&rig->made, pal_vec3(1, 1, 1), (const int32_t[3]){4, 4, 2}, left_out);
    rig->ball = rig->plate ? plate_mesh() : ball_mesh(0.3, 0.08);
    PalHapticRigid tool = {rig->ball->node_count, rig->ball->cell_count, rig->ball->nodes,
                           (const int32_t(*)[3])rig->ball->cells};
    PalHapticDef def = *wish;
    def.books[0] = rig->made.book;
    def.rigids[1] = &tool;
    check_ok(pal_haptic_create(&def, &rig->haptic, &error), &error);
}

static inline void rig_clear(Rig *rig)
{
    pal_haptic_destroy(rig->haptic);
    pal_mesh_destroy(rig->ball);
    handmade_clear(&rig->made);
}

static inline PalHapticForce hold(Rig *rig, PalVec3 at, int steps)
{
    PalHapticPose pose = {at, {1, 0, 0, 0}};
    assert_true(pal_haptic_set_pose(rig->haptic, 1, &pose));
    for (int i = 0; i < steps; ++i)
        pal_haptic_step(rig->haptic, 0);
    return pal_haptic_force(rig->haptic);
}

static const double top = 0.5 + 0.3;  // where the ball touches

#endif
