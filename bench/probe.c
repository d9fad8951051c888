// What contact costs where a simulator steers an instrument: a probe pressed into a block of some
// thousand tetrahedra slides slowly on it, one thread.
#include "bench.h"

#include <stdlib.h>

#define PRESSED  0.4  // measured from here, when the tissue has come to rest under the probe
#define MEASURED 400  // steps

typedef struct Scene {
    PalMesh *tissue, *probe;
    PalMaterialDef material;
    PalBodyDef body;
    PalRigidDef rigid;
    PalMotionDef slide;
    PalConditionDef ground;
    PalContactPairDef pair;
    PalSimDef sim;
} Scene;

static PalStatus make_meshes(Scene *scene, PalError *error)
{
    PalShapeDef box = pal_shape_def_default(), ball = pal_shape_def_default();
    box.extent = (PalVec3){0.1, 0.1, 0.03};
    box.cells[0] = box.cells[1] = 10;
    box.cells[2] = 2;
    ball.kind = PAL_SHAPE_SPHERE;
    ball.cell_kind = PAL_CELL_TRIANGLE;
    ball.extent.x = 0.07;
    ball.cells[0] = 12;
    PAL_TRY(pal_mesh_create_shape(&box, &scene->tissue, error));
    PAL_TRY(pal_mesh_create_shape(&ball, &scene->probe, error));
    for (int32_t n = 0; n < scene->probe->node_count; ++n)
        scene->probe->nodes[n].z += 0.0852;
    return PAL_OK;
}

static PalStatus build(Scene *scene, PalError *error)
{
    *scene = (Scene){.sim = pal_sim_def_default(), .material = pal_material_def_default()};
    PAL_TRY(make_meshes(scene, error));
    scene->material.parameters[0] = 1000;
    scene->material.parameters[1] = 10000;
    scene->material.density = 1000;
    scene->body = pal_body_def_default();
    scene->body.name = "tissue";
    scene->body.mesh = scene->tissue;
    scene->body.material_count = 1;
    scene->body.materials = &scene->material;
    scene->rigid = pal_rigid_def_default();
    scene->rigid.name = "probe";
    scene->rigid.mesh = scene->probe;
    scene->rigid.motion.translation = (PalVec3){0, 0, -0.008};
    scene->rigid.motion.ramp = (PalRamp){.kind = PAL_RAMP_SMOOTH, .until = 0.3};
    scene->slide = scene->rigid.motion;
    scene->slide.translation = (PalVec3){0.01, 0.005, 0};
    scene->slide.ramp = (PalRamp){.kind = PAL_RAMP_LINEAR, .until = 1};
    scene->rigid.further_count = 1;
    scene->rigid.further = &scene->slide;
    scene->ground = pal_condition_def_default();
    scene->ground.where = (PalWhere){.kind = PAL_WHERE_SIDE, .axis = 2};
    for (int i = 0; i < 3; ++i)
        scene->ground.axes[i] = true;
    scene->pair = (PalContactPairDef){{0, 1}, 0};
    scene->sim.model.body_count = scene->sim.model.rigid_count = 1;
    scene->sim.model.condition_count = scene->sim.contact.pair_count = 1;
    scene->sim.model.bodies = &scene->body;
    scene->sim.model.rigids = &scene->rigid;
    scene->sim.model.conditions = &scene->ground;
    scene->sim.contact.pairs = &scene->pair;
    scene->sim.solver.time = 1;
    scene->sim.solver.step = 0.00025;
    scene->sim.solver.damping = 20;
    scene->sim.solver.thread_count = 1;
    return PAL_OK;
}

enum { ELEMENTS, INTEGRATE, CONTACT, STAGES };

static void read_stages(const PalSim *sim, double stages[STAGES])
{
    const PalProfile *profile = pal_sim_profile(sim);
    stages[ELEMENTS] = profile->elements;
    stages[INTEGRATE] = profile->integrate;
    stages[CONTACT] = profile->contact_update + profile->contact_search + profile->contact_response;
}

// Every run is the same: of each step, the least time of all runs counts.
static PalStatus run(const Scene *scene, bool first, double (*least)[STAGES], double *contacts,
                     PalError *error)
{
    PalSim *sim = NULL;
    PAL_TRY(pal_sim_create(&scene->sim, &sim, error));
    PalStatus status = pal_sim_advance(sim, PRESSED, error);
    for (int32_t i = 0; i < MEASURED && status == PAL_OK; ++i) {
        double before[STAGES], after[STAGES];
        read_stages(sim, before);
        status = pal_sim_step(sim, error);
        read_stages(sim, after);
        for (int k = 0; k < STAGES; ++k) {
            double seconds = after[k] - before[k];
            least[i][k] = first || seconds < least[i][k] ? seconds : least[i][k];
        }
        *contacts += first ? (double)pal_sim_contact_report(sim).contact_count / MEASURED : 0;
    }
    pal_sim_destroy(sim);
    return status;
}

void pal_bench_probe_table(int32_t repetitions)
{
    Scene scene;
    PalError error = {0};
    double(*least)[STAGES] = malloc(MEASURED * sizeof *least), sums[STAGES] = {0}, contacts = 0;
    PalStatus status = least != NULL ? build(&scene, &error) : PAL_NO_MEMORY;
    for (int32_t r = 0; r < repetitions && status == PAL_OK; ++r)
        status = run(&scene, r == 0, least, &contacts, &error);
    for (int32_t i = 0; i < MEASURED && status == PAL_OK; ++i)
        for (int k = 0; k < STAGES; ++k)
            sums[k] += 1e6 * least[i][k] / MEASURED;
    double whole = sums[ELEMENTS] + sums[INTEGRATE] + sums[CONTACT];
    if (status == PAL_OK)
        printf("\nprobe on tissue, %d tetrahedra, %d triangles, %.0f contacts, us per step: "
               "elements %.1f, integration %.1f, contact %.1f, %.0f%% of the step\n",
               (int)scene.tissue->cell_count, (int)scene.probe->cell_count, contacts,
               sums[ELEMENTS], sums[INTEGRATE], sums[CONTACT], 100 * sums[CONTACT] / whole);
    else
        printf("probe on tissue: %s\n", error.text);
    if (least != NULL) {
        pal_mesh_destroy(scene.tissue);
        pal_mesh_destroy(scene.probe);
    }
    free(least);
}
