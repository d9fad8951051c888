// What contact costs: microseconds per step beside those of the elements.
#include "bench.h"

#include <stdlib.h>
#include <string.h>

typedef struct Scene {
    PalMesh *meshes[2];
    PalBodyDef bodies[2];
    PalMaterialDef material;
    PalConditionDef conditions[3];
    PalContactPairDef pairs[3];
    PalSimDef sim;
} Scene;

static PalStatus add_body(Scene *scene, PalShapeKind kind, PalVec3 extent, const int32_t cells[3],
                          double height, PalError *error)
{
    int32_t b = scene->sim.model.body_count++;
    PalShapeDef shape = pal_shape_def_default();
    shape.kind = kind;
    shape.extent = extent;
    memcpy(shape.cells, cells, sizeof shape.cells);
    PAL_TRY(pal_mesh_create_shape(&shape, &scene->meshes[b], error));
    for (int32_t n = 0; n < scene->meshes[b]->node_count; ++n)
        scene->meshes[b]->nodes[n].z += height;
    scene->bodies[b] = pal_body_def_default();
    scene->bodies[b].name = b == 0 ? "lower" : "upper";
    scene->bodies[b].mesh = scene->meshes[b];
    scene->bodies[b].material_count = 1;
    scene->bodies[b].materials = &scene->material;
    return PAL_OK;
}

// The lower body stands fast, the upper one is pushed down.
static void load(Scene *scene, double push)
{
    for (int c = 0; c < 2; ++c) {
        scene->conditions[c] = pal_condition_def_default();
        scene->conditions[c].body_index = c;
        scene->conditions[c].where =
            (PalWhere){.kind = PAL_WHERE_SIDE, .axis = 2, .highest = c == 1};
        for (int i = 0; i < 3; ++i)
            scene->conditions[c].axes[i] = true;
    }
    scene->conditions[1].kind = PAL_CONDITION_DISPLACE;
    scene->conditions[1].value = (PalVec3){0, 0, -push};
    scene->conditions[1].ramp.kind = PAL_RAMP_LINEAR;
    scene->sim.model.condition_count = 2;
}

static PalStatus build(PalBenchContact kind, int32_t size, Scene *scene, PalError *error)
{
    *scene = (Scene){.sim = pal_sim_def_default(), .material = pal_material_def_default()};
    scene->material.parameters[0] = 100;
    scene->material.parameters[1] = 400;
    scene->material.density = 20;
    scene->sim.solver.time = 2;
    if (kind == PAL_BENCH_BLOCKS && size == 1) {
        PAL_TRY(add_body(scene, PAL_SHAPE_BOX, (PalVec3){1.6, 1.6, 1}, (int32_t[]){8, 8, 5}, -0.5,
                         error));
        PAL_TRY(add_body(scene, PAL_SHAPE_BOX, (PalVec3){1.4, 1.4, 1.4}, (int32_t[]){7, 7, 7},
                         0.705, error));
        load(scene, 0.1);
        scene->sim.solver.step = 0.001;
    } else if (kind == PAL_BENCH_BLOCKS) {
        PAL_TRY(add_body(scene, PAL_SHAPE_BOX, (PalVec3){2, 2, 1}, (int32_t[]){10, 10, 4}, -0.5,
                         error));
        PAL_TRY(add_body(scene, PAL_SHAPE_BOX, (PalVec3){1.8, 1.8, 0.8}, (int32_t[]){9, 9, 3},
                         0.405, error));
        load(scene, 0.1);
        scene->sim.solver.step = 0.001;
    } else {
        double width = 3.15 * size;
        PAL_TRY(add_body(scene, PAL_SHAPE_BOX, (PalVec3){width, width, 1.2},
                         (int32_t[]){10 * size, 10 * size, 4}, -0.6, error));
        PAL_TRY(add_body(scene, PAL_SHAPE_SPHERE, (PalVec3){1.2, 1.2, 1.2}, (int32_t[]){7, 0, 0},
                         1.21, error));
        load(scene, 0.4);
        scene->conditions[1].where.tolerance = 0.1;
        scene->sim.solver.step = 0.001;
    }
    scene->pairs[scene->sim.contact.pair_count++] = (PalContactPairDef){{0, 1}, 0};
    for (int32_t b = 0; b < 2 && kind == PAL_BENCH_BALL_SELF; ++b)
        scene->pairs[scene->sim.contact.pair_count++] = (PalContactPairDef){{b, b}, 0};
    if (kind >= PAL_BENCH_DEPTH)
        scene->sim.contact.response = PAL_RESPONSE_MATERIAL_DEPTH;
    if (kind == PAL_BENCH_INTERVALS)
        scene->sim.contact.hierarchy = PAL_HIERARCHY_INTERVAL;
    scene->sim.model.bodies = scene->bodies;
    scene->sim.model.conditions = scene->conditions;
    scene->sim.contact.pairs = scene->pairs;
    return PAL_OK;
}

static PalStatus run(Scene *scene, PalBenchContactResult *result, PalError *error)
{
    PalSim *sim = NULL;
    PAL_TRY(pal_sim_create(&scene->sim, &sim, error));
    double start = pal_bench_seconds(), busy = pal_bench_busy_seconds();
    PalStatus status = pal_sim_advance(sim, scene->sim.solver.time, error);
    busy = (pal_bench_busy_seconds() - busy) / (pal_bench_seconds() - start);
    const PalProfile *profile = pal_sim_profile(sim);
    double steps = (double)pal_sim_state(sim)->step_count;
    *result = (PalBenchContactResult){
        .element_count = pal_sim_model(sim)->cell_count,
        .elements = 1e6 * profile->elements / steps,
        .update = 1e6 * profile->contact_update / steps,
        .search = 1e6 * profile->contact_search / steps,
        .response = 1e6 * profile->contact_response / steps,
        .rows =
            (double)(pal_sim_counters(sim)->node_facet + pal_sim_counters(sim)->edge_edge) / steps,
        .rescues = pal_sim_contact_report(sim).rescues,
        .busy = busy,
    };
    result->contact = result->update + result->search + result->response;
    result->whole = result->elements + 1e6 * profile->integrate / steps + result->contact;
    pal_sim_destroy(sim);
    return status;
}

// In turns, so that a machine that grows slower favours neither.
PalStatus pal_bench_contact(PalBenchContact kind, int32_t size, int32_t repetitions,
                            PalBenchContactResult results[2], PalError *error)
{
    Scene scene;
    PalStatus status = build(kind, size, &scene, error);
    for (int32_t r = 0; r < 2 * repetitions && status == PAL_OK; ++r) {
        PalBenchContactResult one;
        scene.sim.solver.thread_count = 1 + r % 2;
        status = run(&scene, &one, error);
        if (r < 2 || one.whole < results[r % 2].whole)
            results[r % 2] = one;
    }
    for (int b = 0; b < 2; ++b)
        pal_mesh_destroy(scene.meshes[b]);
    return status;
}

int32_t pal_bench_contact_table(int32_t repetitions, int32_t word_count, const char *const *words)
{
    static const struct {
        PalBenchContact kind;
        int32_t size;
        const char *name;
    } cases[] = {
        {PAL_BENCH_BALL, 1, "ball on slab"},     {PAL_BENCH_BALL_SELF, 1, "ball, self-contact"},
        {PAL_BENCH_BALL, 2, "ball, slab of 2x"}, {PAL_BENCH_BALL, 4, "ball, slab of 4x"},
        {PAL_BENCH_BLOCKS, 1, "block on block"}, {PAL_BENCH_BLOCKS, 2, "block, wide and flat"},
        {PAL_BENCH_DEPTH, 1, "ball, by depth"},  {PAL_BENCH_INTERVALS, 1, "ball, by intervals"},
    };
    int32_t printed = 0;
    pal_bench_contact_head();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        if (!pal_bench_asked(cases[i].name, word_count, words))
            continue;
        ++printed;
        PalBenchContactResult results[2] = {0};
        PalError error = {0};
        if (pal_bench_contact(cases[i].kind, cases[i].size, repetitions, results, &error) !=
            PAL_OK) {
            printf("%s: %s\n", cases[i].name, error.text);
            continue;
        }
        pal_bench_contact_row(cases[i].name, results);
    }
    return printed;
}
