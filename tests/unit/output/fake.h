// A model without a simulation: a hexahedral beam, a tetrahedral block and a rigid block.
#ifndef PAL_TESTS_OUTPUT_FAKE_H
#define PAL_TESTS_OUTPUT_FAKE_H

#include "check.h"

#include "base/memory.h"
#include "output/file.h"
#include "output/frame.h"

#include <palpate/mesh.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct Fake {
    PalModel model;
    PalBody bodies[2];
    PalRigid rigid;
    PalMotionDef motions[3];
    int32_t materials[1024];
    PalVec3 nodes[1024];
} Fake;

static PalMesh *fake_box(PalVec3 extent, const int32_t cells[3], PalCellKind kind, PalVec3 shift)
{
    PalError error = {0};
    PalShapeDef def = pal_shape_def_default();
    def.extent = extent;
    def.cell_kind = kind;
    memcpy(def.cells, cells, sizeof def.cells);
    PalMesh *mesh = NULL;
    check_ok(pal_mesh_create_shape(&def, &mesh, &error), &error);
    PalPlacement placement = pal_placement_identity();
    placement.translation = shift;
    pal_mesh_place(mesh, &placement);
    return mesh;
}

static void fake_init(Fake *fake)
{
    PalError error = {0};
    static char names[3][16] = {"beam <1>", "block, \"2\"", "tool"};
    *fake = (Fake){.rigid = {.name = names[2]}};
    fake->bodies[0].mesh = fake_box((PalVec3){6, 1, 1}, (int32_t[]){24, 4, 4}, PAL_CELL_HEXAHEDRON,
                                    (PalVec3){0, 0, 0});
    fake->bodies[1].mesh = fake_box((PalVec3){1, 1, 1}, (int32_t[]){3, 3, 3}, PAL_CELL_TETRAHEDRON,
                                    (PalVec3){0, -2, 0});
    fake->rigid.mesh = fake_box((PalVec3){0.5, 0.5, 1}, (int32_t[]){1, 1, 2}, PAL_CELL_TRIANGLE,
                                (PalVec3){1, 0, 1.5});
    fake->motions[0] = (PalMotionDef){.translation = {0, 0, -0.5},
                                      .axis = {0, 0, 2},
                                      .radians = 0.5,
                                      .centre = {1, 0, 0},
                                      .ramp = {.kind = PAL_RAMP_SMOOTH, .until = 2}};
    fake->motions[1] = (PalMotionDef){.translation = {0.3, 0, 0},
                                      .axis = {1, 2, 0},
                                      .radians = 1.5,
                                      .centre = {0, 0.5, 2},
                                      .ramp = {.kind = PAL_RAMP_LINEAR, .from = 0.4, .until = 1.6}};
    fake->motions[2] = (PalMotionDef){
        .axis = {0, 1, 0}, .radians = -1, .ramp = {.kind = PAL_RAMP_HILLY, .until = 2}};
    fake->rigid.motion_count = 1;
    fake->rigid.motions = fake->motions;
    PalModel *model = &fake->model;
    model->body_count = 2;
    model->bodies = fake->bodies;
    model->rigid_count = 1;
    model->rigids = &fake->rigid;
    model->end_time = 2;
    model->cell_material = fake->materials;
    model->nodes = fake->nodes;
    for (int32_t b = 0; b < 2; ++b) {
        PalBody *body = &fake->bodies[b];
        body->name = names[b];
        body->first_node = model->node_count;
        body->first_cell = model->cell_count;
        check_ok(pal_mesh_boundary(body->mesh, &body->surface, &error), &error);
        assert_true(model->node_count + body->mesh->node_count <= 1024);
        memcpy(fake->nodes + model->node_count, body->mesh->nodes,
               (size_t)body->mesh->node_count * sizeof *fake->nodes);
        model->node_count += body->mesh->node_count;
        model->cell_count += body->mesh->cell_count;
    }
    assert_true(model->cell_count <= 1024);
    for (int32_t e = 0; e < model->cell_count; ++e)
        fake->materials[e] = e % 3;
}

static void fake_clear(Fake *fake)
{
    for (int32_t b = 0; b < 2; ++b) {
        pal_mesh_destroy(fake->bodies[b].mesh);
        pal_surface_destroy(fake->bodies[b].surface);
    }
    pal_mesh_destroy(fake->rigid.mesh);
}

// Bends the beam and gives every field a value that depends on its place.
static inline void fake_deform(PalFrame *frame, double time)
{
    frame->time = time;
    frame->step_count = 1234;
    for (int32_t n = 0; n < frame->soft_point_count; ++n) {
        PalVec3 x = frame->reference[n];
        double s = (x.x + 3) / 6;
        frame->displacement[n] = (PalVec3){0.2 * s * x.z, 0, -0.9 * s * s * time};
        frame->velocity[n] = (PalVec3){x.x / 3, x.y / 7, x.z / 11};
    }
    size_t cells = (size_t)frame->cell_count;
    if (frame->stress == NULL) {
        frame->von_mises = pal_alloc(cells, sizeof *frame->von_mises);
        frame->energy_density = pal_alloc(cells, sizeof *frame->energy_density);
        frame->volume_ratio = pal_alloc(cells, sizeof *frame->volume_ratio);
        frame->strain = pal_alloc(cells, sizeof *frame->strain);
        frame->stress = pal_alloc(cells, sizeof *frame->stress);
    }
    for (int32_t e = 0; e < frame->soft_cell_count; ++e) {
        const PalFrameBody *body = &frame->bodies[e >= frame->bodies[1].first_cell];
        int32_t corner = (e - body->first_cell + 1) * body->corner_count - 1;
        PalVec3 x = frame->reference[body->first_point + body->cells[corner]];
        frame->von_mises[e] = fabs(x.z) * (3 - x.x) + 0.1;
        frame->energy_density[e] = x.z * x.z / 3;
        for (int i = 0; i < 6; ++i)
            frame->stress[e][i] = x.x + i / 7.0;
    }
    pal_frame_place(frame);
}

#endif
