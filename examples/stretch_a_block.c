// Builds a block of tissue in code, pulls its top up by a fifth, and reads displacements back.
#include <palpate/palpate.h>
#include <stdio.h>
#include <stdlib.h>

static int fail(const PalError *error)
{
    fprintf(stderr, "%s\n", error->text);
    return 1;
}

// The waist: how far the middle of a side moved inwards; and the force at the top.
static bool report(const PalSim *sim, const PalMesh *mesh, PalError *error)
{
    PalWhere middle = {.kind = PAL_WHERE_POINT, .point = {5, 0, 0}};
    int32_t *nodes = NULL, count = 0;
    if (pal_mesh_select_nodes(mesh, &middle, &nodes, &count, error) != PAL_OK)
        return false;
    const PalState *state = pal_sim_state(sim);
    PalVec3 waist = state->displacement[nodes[0]];
    double pull = 0;
    for (int32_t n = 0; n < mesh->node_count; ++n)
        if (mesh->nodes[n].z > 9.999)
            pull += state->reaction[n].z;
    printf("%d nodes in equilibrium after %lld steps\n", (int)mesh->node_count,
           (long long)state->step_count);
    printf("the waist moved by (%.3f, %.3f, %.3f) mm; the pull is %.4g N\n", waist.x, waist.y,
           waist.z, 1e-6 * pull);
    free(nodes);
    return waist.x < 0 && pull > 0;
}

int main(void)
{
    PalError error = {0};

    // a block of 10 x 10 x 20 mm, in tetrahedra of about 2 mm
    PalShapeDef shape = pal_shape_def_default();
    shape.extent = (PalVec3){10, 10, 20};
    shape.size = 2;
    PalMesh *mesh = NULL;
    if (pal_mesh_create_shape(&shape, &mesh, &error) != PAL_OK)
        return fail(&error);

    // tissue: 3 kPa, nearly incompressible; in mm, g, s a pressure is in Pa
    PalMaterialDef tissue = pal_material_def_default();
    pal_moduli_from_young(3000, 0.45, &tissue.parameters[0], &tissue.parameters[1], &error);
    tissue.density = 1e-3;
    PalBodyDef body = pal_body_def_default();
    body.name = "block";
    body.mesh = mesh;
    body.materials = &tissue;
    body.material_count = 1;

    // the bottom is held, the top is pulled up
    PalConditionDef conditions[2] = {pal_condition_def_default(), pal_condition_def_default()};
    conditions[0].where = (PalWhere){.kind = PAL_WHERE_SIDE, .axis = 2, .highest = false};
    conditions[1].where = (PalWhere){.kind = PAL_WHERE_SIDE, .axis = 2, .highest = true};
    conditions[1].kind = PAL_CONDITION_DISPLACE;
    conditions[1].value = (PalVec3){0, 0, 4};

    PalSimDef def = pal_sim_def_default();
    def.model.bodies = &body;
    def.model.body_count = 1;
    def.model.conditions = conditions;
    def.model.condition_count = 2;
    def.solver.method = PAL_METHOD_RELAXATION;  // only the equilibrium is wanted
    PalSim *sim = NULL;
    if (pal_sim_create(&def, &sim, &error) != PAL_OK)
        return fail(&error);
    while (!pal_sim_finished(sim))
        if (pal_sim_step(sim, &error) != PAL_OK)
            return fail(&error);

    bool plausible = report(sim, mesh, &error);
    pal_sim_destroy(sim);
    pal_mesh_destroy(mesh);
    return plausible ? 0 : 1;
}
