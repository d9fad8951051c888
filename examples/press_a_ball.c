// Presses a soft ball between a slab and a rigid plate, and reads the forces of contact.
#include <palpate/palpate.h>
#include <stdio.h>

enum { SLAB, BALL, PLATE };  // objects of contact: bodies first, then rigid instruments

static PalMesh *shape_at(PalShapeDef shape, double height, PalError *error)
{
    PalMesh *mesh = NULL;
    if (pal_mesh_create_shape(&shape, &mesh, error) != PAL_OK)
        return NULL;
    PalPlacement placement = pal_placement_identity();
    placement.translation.z = height;
    pal_mesh_place(mesh, &placement);
    return mesh;
}

static bool report(const PalSim *sim)
{
    PalContactReport contact = pal_sim_contact_report(sim);
    PalVec3 below = pal_sim_contact_force(sim, BALL, SLAB);
    PalVec3 above = pal_sim_contact_force(sim, BALL, PLATE);
    printf("%d places carry force, nothing overlaps by more than %g\n", (int)contact.contact_count,
           contact.worst_penetration);
    printf("the slab pushes the ball with %.3f N, the plate with %.3f N\n", below.z, above.z);
    return below.z > 0;
}

int main(void)
{
    PalError error = {0};
    PalShapeDef box = pal_shape_def_default(), sphere = box, flat = box;
    box.extent = (PalVec3){0.12, 0.12, 0.03};
    box.size = 0.015;
    sphere.kind = PAL_SHAPE_SPHERE;
    sphere.extent.x = 0.03;
    sphere.cells[0] = 8;
    flat.extent = (PalVec3){0.08, 0.08, 0.01};
    flat.cell_kind = PAL_CELL_TRIANGLE;
    PalMesh *meshes[3] = {shape_at(box, -0.015, &error), shape_at(sphere, 0.031, &error),
                          shape_at(flat, 0.067, &error)};

    PalMaterialDef tissue = pal_material_def_default();
    tissue.density = 1000;  // all in SI units: kg/m^3, Pa
    pal_moduli_from_young(20000, 0.4, &tissue.parameters[0], &tissue.parameters[1], &error);
    PalBodyDef bodies[2] = {pal_body_def_default(), pal_body_def_default()};
    for (int b = 0; b < 2; ++b) {
        bodies[b].name = b == SLAB ? "slab" : "ball";
        bodies[b].mesh = meshes[b];
        bodies[b].materials = &tissue;
        bodies[b].material_count = 1;
    }
    PalRigidDef plate = pal_rigid_def_default();
    plate.name = "plate";
    plate.mesh = meshes[PLATE];
    plate.motion.translation = (PalVec3){0, 0, -0.01};
    plate.motion.ramp = (PalRamp){.kind = PAL_RAMP_SMOOTH, .until = 0.3};
    PalConditionDef held = pal_condition_def_default();  // fixed, in all axes
    held.where = (PalWhere){.kind = PAL_WHERE_SIDE, .axis = 2, .highest = false};
    held.body_index = SLAB;

    // what touches what, and how rough it is; nothing else is to be set
    const PalContactPairDef pairs[] = {{{BALL, SLAB}, 0.2}, {{BALL, PLATE}, 0.2}};
    PalSimDef def = pal_sim_def_default();
    def.model.body_count = 2;
    def.model.bodies = bodies;
    def.model.rigid_count = 1;
    def.model.rigids = &plate;
    def.model.condition_count = 1;
    def.model.conditions = &held;
    def.contact.pair_count = 2;
    def.contact.pairs = pairs;
    def.solver.time = 0.4;
    def.solver.damping = 20;

    PalSim *sim = NULL;
    PalStatus status = error.status == PAL_OK ? pal_sim_create(&def, &sim, &error) : error.status;
    if (status == PAL_OK)
        status = pal_sim_advance(sim, def.solver.time, &error);
    bool pressed = status == PAL_OK && report(sim);
    if (status != PAL_OK)
        fprintf(stderr, "%s\n", error.text);
    pal_sim_destroy(sim);
    for (int m = 0; m < 3; ++m)
        pal_mesh_destroy(meshes[m]);
    return pressed ? 0 : 1;
}
