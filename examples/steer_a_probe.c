// A hand leads a probe over soft tissue, as with a haptic device: a thousand times a second it is
// read where the hand is, the probe is moved there, and the force on it is what the hand is to
// feel.
#include <math.h>
#include <palpate/palpate.h>
#include <stdio.h>

enum { TISSUE, PROBE };          // objects of contact: bodies first, then rigid instruments
enum { PERIODS = 1000 };         // one second
static const double start = 12;  // height of the probe's centre, mm: 2 mm above the tissue

// Made up: down into the tissue, and to and fro along it. A device would be read here.
static PalPose hand_at(double time)
{
    double dip = 6 * sin(3.14159265 * time) * sin(3.14159265 * time);
    PalPose pose = {.pivot = {0, 0, start}, .centre = {4 * sin(12 * time), 0, start - dip}};
    pose.rotation = pal_rotation_about((PalVec3){0, 1, 0}, 0.2 * sin(12 * time));
    return pose;
}

// One period: the probe goes evenly to where the hand is by then, and steps end exactly then.
static PalStatus follow(PalSim *sim, double time, PalRigidReading *reading, PalError *error)
{
    PalPose hand = hand_at(time);
    PalStatus status = pal_sim_move_rigid(sim, 0, &hand, time, error);
    if (status == PAL_OK)
        status = pal_sim_advance(sim, time, error);
    return status == PAL_OK ? pal_sim_read_rigid(sim, 0, reading, error) : status;
}

static PalStatus lead(PalSim *sim, double *most, PalError *error)
{
    for (int p = 1; p <= PERIODS; ++p) {
        PalRigidReading probe;
        PalStatus status = follow(sim, p / 1000.0, &probe, error);
        if (status != PAL_OK)
            return status;
        // an active device would now be sent this force and torque
        *most = fmax(*most, probe.contact_force.z);
        if (p % 100 == 0)
            printf("%.1f s: probe at (%6.2f, %6.2f) mm, pushed back with (%6.2f, %6.2f) mN, "
                   "turned with %6.2f mN mm\n",
                   p / 1000.0, probe.pose.centre.x, probe.pose.centre.z,
                   probe.contact_force.x / 1e-3, probe.contact_force.z / 1e-3,
                   probe.contact_torque.y / 1e-3);
    }
    return PAL_OK;
}

int main(void)
{
    PalError error = {0};
    PalShapeDef slab = pal_shape_def_default(), ball = slab;
    slab.extent = (PalVec3){60, 60, 20};  // mm, with tonnes, seconds, N and MPa
    slab.size = 6;
    ball.kind = PAL_SHAPE_SPHERE;
    ball.extent.x = 10;
    ball.cell_kind = PAL_CELL_TRIANGLE;
    PalMesh *tissue_mesh = NULL, *probe_mesh = NULL;
    PalPlacement below = pal_placement_identity(), above = below;
    below.translation.z = -10;
    above.translation.z = start;
    if (pal_mesh_create_shape(&slab, &tissue_mesh, &error) == PAL_OK)
        pal_mesh_place(tissue_mesh, &below);
    if (pal_mesh_create_shape(&ball, &probe_mesh, &error) == PAL_OK)
        pal_mesh_place(probe_mesh, &above);

    PalMaterialDef material = pal_material_def_default();
    material.density = 1e-9;
    pal_moduli_from_young(0.005, 0.4, &material.parameters[0], &material.parameters[1], &error);
    PalBodyDef tissue = pal_body_def_default();
    tissue.mesh = tissue_mesh;
    tissue.materials = &material;
    tissue.material_count = 1;
    PalRigidDef probe = pal_rigid_def_default();
    probe.mesh = probe_mesh;
    probe.motion.centre.z = start;  // what its pose, and torques on it, are about
    PalConditionDef held = pal_condition_def_default();
    held.where = (PalWhere){.kind = PAL_WHERE_SIDE, .axis = 2, .highest = false};
    const PalContactPairDef pair = {{TISSUE, PROBE}, 0.2};

    PalSimDef def = pal_sim_def_default();
    def.model.body_count = def.model.rigid_count = def.model.condition_count = 1;
    def.model.bodies = &tissue;
    def.model.rigids = &probe;
    def.model.conditions = &held;
    def.contact.pair_count = 1;
    def.contact.pairs = &pair;
    def.solver.time = INFINITY;  // until the program has had enough
    def.solver.damping = 50;
    PalSim *sim = NULL;
    double most = 0;
    PalStatus status = error.status == PAL_OK ? pal_sim_create(&def, &sim, &error) : error.status;
    if (status == PAL_OK)
        status = lead(sim, &most, &error);
    if (status != PAL_OK)
        fprintf(stderr, "%s\n", error.text);
    pal_sim_destroy(sim);
    pal_mesh_destroy(tissue_mesh);
    pal_mesh_destroy(probe_mesh);
    return status == PAL_OK && most > 0 ? 0 : 1;
}
