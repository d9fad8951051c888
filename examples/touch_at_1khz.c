// A haptic loop: a thousand times a second a device is read, contact with a soft block is answered
// by its vademecum, and the force goes back to the device. Without arguments the device is a
// script; `touch_at_1khz network 5017` listens to poses by UDP, `touch_at_1khz path POSES.csv`
// reads a file. Devices are in libpalpate-io: `pkg-config --cflags --libs palpate-io`.
#define _POSIX_C_SOURCE 200809L  // clock_nanosleep
#include <palpate/palpate.h>
#include <stdio.h>
#include <time.h>

enum { STEPS = 1000 };  // one second

// Computed once; a program would keep it with pal_vademecum_write.
static PalStatus build_block(PalVademecum **book, PalError *error)
{
    PalShapeDef shape = pal_shape_def_default();  // a unit cube
    shape.cells[0] = shape.cells[1] = 4;
    shape.cells[2] = 2;
    PalMesh *mesh = NULL;
    PAL_TRY(pal_mesh_create_shape(&shape, &mesh, error));
    PalMaterialDef tissue = pal_material_def_default();
    tissue.density = 1;
    pal_moduli_from_young(1000, 0.4, &tissue.parameters[0], &tissue.parameters[1], error);
    PalBodyDef body = pal_body_def_default();
    body.name = "block";
    body.mesh = mesh;
    body.materials = &tissue;
    body.material_count = 1;
    PalConditionDef held = pal_condition_def_default();  // fixed, in all axes
    held.where = (PalWhere){.kind = PAL_WHERE_SIDE, .axis = 2};
    PalModelDef model = {
        .body_count = 1, .bodies = &body, .condition_count = 1, .conditions = &held};
    PalVademecumDef def = pal_vademecum_def_default();
    def.model = &model;
    def.where = (PalWhere){.kind = PAL_WHERE_SIDE, .axis = 2, .highest = true};
    def.patch = 0.3;
    def.largest = 20;
    def.mode_limit = 16;
    def.heldout_count = 4;
    PalStatus status = pal_vademecum_build(&def, book, error);
    pal_mesh_destroy(mesh);
    return status;
}

static double loop(PalHaptic *haptic, PalDevice *device)
{
    struct timespec next;
    double most = 0;
    clock_gettime(CLOCK_MONOTONIC, &next);
    for (int i = 0; i < STEPS; ++i) {
        PalDeviceState hand = pal_device_read(device, i / 1000.0);
        pal_haptic_set_pose(haptic, 1, &hand.pose);
        pal_haptic_set_velocity(haptic, hand.velocity, hand.spin);
        pal_haptic_step(haptic, 0.0005);  // half of the period, at most
        PalHapticForce force = pal_haptic_force(haptic);
        pal_device_write(device, &force);
        pal_haptic_prepare_within(haptic, 0.0004);
        most = force.force.z > most ? force.force.z : most;
        next.tv_nsec += 1000000;
        next.tv_sec += next.tv_nsec / 1000000000;
        next.tv_nsec %= 1000000000;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
    }
    return most;
}

int main(int count, char **words)
{
    PalError error = {0};
    PalVademecum *book = NULL;
    PalHaptic *haptic = NULL;
    PalDevice *device = NULL;
    PalMesh *ball = NULL;
    PalDeviceKind kind = PAL_DEVICE_SCRIPT;
    if (count > 1 && !pal_device_find(words[1], &kind))
        return fprintf(stderr, "no device is called %s\n", words[1]), 2;
    PalStatus status = build_block(&book, &error);
    PalShapeDef shape = {.kind = PAL_SHAPE_SHELL_SPHERE, .extent = {0.2, 0, 0}, .size = 0.05};
    shape.cell_kind = PAL_CELL_TRIANGLE;
    if (status == PAL_OK)
        status = pal_mesh_create_shape(&shape, &ball, &error);
    if (status == PAL_OK) {
        PalHapticRigid tool = {ball->node_count, ball->cell_count, ball->nodes,
                               (const int32_t(*)[3])ball->cells};
        PalHapticDef def = pal_haptic_def_default();
        def.books[0] = book;
        def.rigids[1] = &tool;
        status = pal_haptic_create(&def, &haptic, &error);
    }
    if (status == PAL_OK)  // down by 0.1 from just above the block, and up again, in half a second
        status = pal_device_open(kind, count > 2 ? words[2] : "0.1,0,0.72 0,0,-0.1 0.5", &device,
                                 &error);
    double most = status == PAL_OK ? loop(haptic, device) : 0;
    printf(status == PAL_OK ? "the largest force was %.3f%s\n" : "failed at %.3f: %s\n", most,
           error.text);
    pal_device_close(device);
    pal_haptic_destroy(haptic);
    pal_vademecum_destroy(book);
    pal_mesh_destroy(ball);
    return status == PAL_OK && (most > 0 || count > 1) ? 0 : 1;
}
