// Small scenes with extreme numbers in them, made of bytes, and ten steps of each: through placing,
// masses, hierarchies and contact. Whatever the numbers, the answer is a status with one line, or a
// state without missing numbers.
#ifndef PAL_TESTS_EXTREMES_H
#define PAL_TESTS_EXTREMES_H

#include "base/timer.h"
#include "output/history.h"
#include "scene/reader.h"
#include <palpate/steer.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXTREME_CHANGE_MAX = 4, EXTREME_STEPS = 10, EXTREME_PATHS = 256, EXTREME_LEFT_OFF = 1000 };

#define EXTREME_SOFT                                                                               \
    "shape: {box: [1, 1, 1], cells: [2, 2, 2]}, "                                                  \
    "material: {law: neo-hookean, young: 1000, poisson: 0.4, density: 10}"
#define EXTREME_SOLVER                                                                             \
    "solver: {method: explicit, time: 1, damping: 0.1, safety: 0.9, mass-scaling: 0}\n"            \
    "output: {every: 0.1}\n"

// Each stands for something that others do not have.
static const char *const extreme_scenes[] = {
    // a soft block falls on a plate that moves and turns
    "bodies:\n  - {name: a, " EXTREME_SOFT ", place: {translate: [0, 0, 1.001], scale: 1, "
    "rotate: {axis: [0, 0, 1], degrees: 10}}, velocity: [0, 0, -1]}\n"
    "rigid:\n  - {name: p, shape: {box: [3, 3, 1]}, motion: {translate: [0, 0, 0.1], ramp: smooth, "
    "from: 0, until: 1, rotate: {axis: [0, 1, 0], degrees: 5, about: [0, 0, 0]}}}\n"
    "conditions:\n  - {gravity: [0, 0, -10]}\n"
    "  - {body: a, where: {plane: z-max}, pressure: 1, ramp: linear}\n"
    "contact:\n  - {between: [a, p], friction: 0.3}\n  - {self: a}\n  - {separation: 0.001}\n"
    "probes:\n  - {name: top, body: a, where: {point: [0, 0, 2]}, record: velocity}\n"
    "  - {name: turn, rigid: p, record: torque, about: [0, 0, 0]}\n" EXTREME_SOLVER,
    // free bodies, springs and loads
    "rigid:\n  - {name: b, shape: {box: [1, 1, 1]}, density: 3, velocity: [0, 0, -1], spin: [1, 2, "
    "3]}\n"
    "  - {name: c, shape: {sphere: 0.5, cells: 4}, mass: 2, place: {translate: [0, 0.2, 1.01]}, "
    "force: [0, 0, -3], torque: [0, 1, 0]}\n"
    "  - {name: d, shape: {cylinder: [0.3, 1], cells: [4, 2]}, mass: 1, place: {translate: [2, 0, "
    "0]}, motion: {translate: [0, 0, 1]}, spring: {stiffness: 10, damping: 1, turning-stiffness: "
    "2, turning-damping: 1}}\n"
    "  - {name: f, shape: {box: [4, 4, 1]}, place: {translate: [0, 0, -1.0005]}}\n"
    "conditions:\n  - {gravity: [0, 0, -10]}\n"
    "contact:\n  - {between: all, friction: 0.5}\n" EXTREME_SOLVER,
    // two soft blocks, near-incompressible and viscoelastic, with the published responses
    "bodies:\n  - {name: a, shape: {box: [1, 1, 1], cells: [2, 2, 2]}, element: t4-anp, material: "
    "{law: neo-hookean, shear: 100, bulk: 5000, density: 10, relaxation: {isochoric: [{weight: "
    "0.3, time: 0.1}]}}}\n"
    "  - {name: b, shape: {box: [1, 1, 1], cells: [2, 2, 2]}, element: h8, hourglass: 0.1, "
    "material: {law: neo-hookean, shear: 100, bulk: 500, density: 10}, place: {translate: [0.1, 0, "
    "1.002]}, velocity: [0, 0, -2]}\n"
    "conditions:\n  - {body: a, where: {plane: z-min}, fix: xyz}\n"
    "  - {body: b, where: {box: [[-1, -1, 1.4], [1, 1, 2]]}, traction: [1, 0, 0]}\n"
    "contact:\n  - {between: [a, b], friction: 0.2}\n  - {response: johnsen2015, hierarchy: obb2, "
    "update: update-nodes}\n" EXTREME_SOLVER,
    // towards equilibrium, with contact
    "bodies:\n  - {name: a, " EXTREME_SOFT ", place: {translate: [0, 0, 1.001]}}\n"
    "rigid:\n  - {name: p, shape: {ellipsoid: [2, 2, 0.5], cells: 6}}\n"
    "conditions:\n  - {body: a, where: {sphere: {centre: [0, 0, 1.5], radius: 0.4}}, displace: [0, "
    "0, -0.1], ramp: linear}\n"
    "contact:\n  - {between: [a, p]}\n  - {hierarchy: aabb4, update: larsson, cone: provot, "
    "self-test: cone}\n"
    "solver: {method: relaxation, tolerance: 0.001, damping: 0, safety: 0.9, steps-limit: 1000}\n",
    // given steps, another method, fibres, forces and tables of time
    "bodies:\n  - {name: a, shape: {sphere: 0.5, cells: 4}, material: {law: "
    "transversely-isotropic, shear: 100, bulk: 1000, fibre-modulus: 50, direction: [0, 0, 1], "
    "density: 10}}\n"
    "conditions:\n  - {body: a, where: {group: surface}, force: [1, 2, 3], each: true, ramp: [[0, "
    "0], [0.5, 1], [1, 0.5]]}\n"
    "  - {body: a, where: {point: [0, 0, 0]}, fix: xyz}\n"
    "contact:\n  - {self: a, friction: 0.1}\n  - {update: exhaustive, self-test: exhaustive}\n"
    "solver: {method: newmark, time: 0.5, step: 0.0005, damping: 2}\n",
    // a membrane, attached to a soft block and pressed by a ball
    "bodies:\n  - {name: a, " EXTREME_SOFT "}\n"
    "  - {name: skin, shape: {sheet: [1, 1], cells: [3, 3]}, element: ebst, thickness: 0.02, "
    "place: {translate: [0, 0, 0.52]}, material: {law: neo-hookean, young: 2000, poisson: 0.3, "
    "density: 10, bending: {young: 500, poisson: 0.2}}}\n"
    "  - {name: tube, shape: {tube: [0.3, 1], cells: [6, 3]}, element: membrane, thickness: 0.01, "
    "place: {translate: [0, 0, 3]}, material: {law: mooney-rivlin, c10: 50, c01: 20, bulk: 5000, "
    "density: 10}}\n"
    "rigid:\n  - {name: p, shape: {sphere: 0.3, cells: 4}, place: {translate: [0, 0, 0.85]}, "
    "motion: "
    "{translate: [0, 0, -0.2]}}\n"
    "conditions:\n  - {body: a, where: {plane: z-min}, fix: xyz}\n"
    "  - {body: skin, where: {plane: x-min}, attach: a}\n"
    "  - {body: tube, where: {surface: true}, pressure: 1}\n"
    "contact:\n  - {between: [skin, p], friction: 0.2}\n  - {between: [skin, a]}\n"
    "  - {self: tube}\n" EXTREME_SOLVER,
    // steps solved by Newton's method
    "bodies:\n  - {name: a, " EXTREME_SOFT ", element: t4, velocity: [0.1, 0, 0]}\n"
    "  - {name: b, shape: {box: [1, 1, 1], cells: [1, 1, 2]}, element: t4-anp, place: {translate: "
    "[3, 0, 0]}, material: {law: mooney-rivlin, c10: 50, c01: 20, bulk: 5000, density: 10, "
    "relaxation: {isochoric: [{weight: 0.3, time: 0.1}]}}}\n"
    "conditions:\n  - {body: a, where: {plane: z-min}, fix: xyz}\n"
    "  - {body: b, where: {plane: z-min}, fix: xyz}\n  - {gravity: [0, 0, -10]}\n"
    "  - {body: a, where: {plane: z-max}, pressure: 3, ramp: smooth}\n"
    "  - {body: b, where: {plane: z-max}, traction: [2, 0, 0], ramp: linear}\n"
    "solver: {method: implicit, time: 1, step: 0.05, scheme: hht, numerical-damping: 0.1, damping: "
    "0.5, tolerance: 0.0001}\n",
    // load steps
    "bodies:\n  - {name: a, shape: {box: [1, 1, 2], cells: [1, 1, 2]}, element: h8, hourglass: "
    "0.1, "
    "material: {law: ogden, shear-1: 60, alpha-1: 3, bulk: 1000, density: 10}}\n"
    "conditions:\n  - {body: a, where: {plane: z-min}, fix: xyz}\n"
    "  - {body: a, where: {plane: z-max}, rotate: {axis: [0, 0, 1], about: [0, 0, 1], degrees: "
    "30}}\n  - {body: a, where: {plane: x-max}, force: [1, 0, 0.5]}\n"
    "solver: {method: implicit-static, time: 1, step: 0.05, tolerance: 0.0001, steps-limit: 60}\n",
    // bodies that fly towards each other, and contact that sleeps until they arrive
    "bodies:\n  - {name: a, " EXTREME_SOFT ", velocity: [0, 0, 5]}\n"
    "rigid:\n  - {name: b, shape: {sphere: 0.4, cells: 4}, mass: 2, velocity: [0, 0, -3], spin: "
    "[0, "
    "5, 0], place: {translate: [0, 0, 1.2]}}\n"
    "  - {name: p, shape: {box: [3, 3, 0.2]}, place: {translate: [0, 0, -2]}, motion: {translate: "
    "[0, 0, 1], from: 0.1, until: 0.6}}\n"
    "conditions:\n  - {gravity: [0, 0, -10]}\n"
    "contact:\n  - {between: all, friction: 0.3}\n"
    "  - {schedule: trajectory, hierarchy: sphere}\n" EXTREME_SOLVER,
};
enum { EXTREME_SCENES = sizeof extreme_scenes / sizeof *extreme_scenes };

static const char *const extreme_values[] = {
    "0",      "-0.0",    "1",       "-1",     "0.5",     "1e39",   "-1e39",   "3.4e38", "1e308",
    "-1e308", "5e-324",  "1e-308",  "1e-300", "1e300",   "1e-30",  "1e30",    "-1e30",  "1e19",
    "1e-19",  "1e154",   "1e-154",  "1e12",   "1e-12",   "1e6",    "1e-6",    "1e3",    "0.001",
    "1e200",  "1e-200",  "1e100",   "1e-100", "1e16",    "90",     "180",     "2",      "1e39",
    ".inf",   "-.inf",   ".nan",    "null",   "0.49999", "0.5001", "1e-3",    "100",    "-100",
    "1e20",   "2.5e-15", "7.3e+22", "1e9",    "1e-9",    "0.1",    "1.0e-45", "1e-38",
};
enum { EXTREME_VALUES = sizeof extreme_values / sizeof *extreme_values };

typedef struct ExtremePaths {
    int32_t count;
    char texts[EXTREME_PATHS][120];
} ExtremePaths;

// What makes a scene large rather than extreme.
static inline bool extreme_is_size(const char *key)
{
    return key != NULL && (strcmp(key, "cells") == 0 || strcmp(key, "size") == 0 ||
                           strcmp(key, "threads") == 0 || strcmp(key, "steps-limit") == 0);
}

// The path of every number in a scene.
static inline void extreme_list(PalTreeNode *node, const char *path, ExtremePaths *paths)
{
    if (node->kind == PAL_TREE_SCALAR) {
        if (pal_tree_read_number(node) && paths->count < EXTREME_PATHS)
            snprintf(paths->texts[paths->count++], sizeof paths->texts[0], "%s", path);
        return;
    }
    for (int32_t i = 0; i < node->count; ++i) {
        if (extreme_is_size(node->items[i].key))
            continue;
        char longer[120], index[16];
        snprintf(index, sizeof index, "%d", (int)i);
        snprintf(longer, sizeof longer, "%.90s%s%.20s", path, path[0] != '\0' ? "." : "",
                 node->items[i].key != NULL ? node->items[i].key : index);
        extreme_list(node->items[i].value, longer, paths);
    }
}

static inline const ExtremePaths *extreme_paths(int32_t scene)
{
    static ExtremePaths all[EXTREME_SCENES];
    ExtremePaths *paths = &all[scene];
    if (paths->count == 0) {
        PalTree tree = {.path = "extremes.yaml"};
        const char *text = extreme_scenes[scene];
        if (pal_tree_parse(&tree, text, strlen(text), NULL, &tree.root, NULL) != PAL_OK)
            abort();
        extreme_list(tree.root, "", paths);
        pal_tree_clear(&tree);
    }
    return paths;
}

static inline void extreme_say(PalStatus status, const PalError *error)
{
    bool told = error->text[0] != '\0' && strchr(error->text, '\n') == NULL;
    if (status != PAL_OK && !told)
        abort();
}

// Everything a state is asked for has an answer.
static inline void extreme_ask(PalSim *sim)
{
    const PalModel *model = pal_sim_model(sim);
    PalEnergy energy = pal_sim_energy(sim);
    PalHistoryRow row = {.energy = energy, .momentum = pal_sim_momentum(sim)};
    PalError error = {0};
    extreme_say(pal_history_check(&row, &error), &error);
    pal_sim_intersections(sim);
    pal_sim_contact_report(sim);
    pal_sim_progress(sim);
    for (int32_t b = 0; b < model->body_count; ++b) {
        PalVec3 centroid, velocity;
        pal_sim_body_motion(sim, b, &centroid, &velocity);
    }
}

// A state after a step that succeeded has no missing numbers.
static inline void extreme_check_state(PalSim *sim)
{
    const PalModel *model = pal_sim_model(sim);
    const PalState *state = pal_sim_state(sim);
    for (int32_t n = 0; n < model->node_count; ++n)
        if (isnan(state->displacement[n].x + state->displacement[n].y + state->displacement[n].z))
            abort();
    for (int32_t r = 0; r < model->rigid_count; ++r)
        if (model->rigids[r].free && isnan(state->rigids[r].pose.centre.x))
            abort();
}

// Seconds of processor time after which no further step is begun; 0: no limit. What is thrown
// through itself a thousandfold takes seconds for each step, which shows as little as the first
// did.
static double extreme_patience;

// Ten steps. Returns how many went well.
static inline int extreme_run(const PalSimDef *def)
{
    double end = pal_timer_process_seconds() + extreme_patience;
    PalError error = {0};
    PalSim *sim = NULL;
    PalSimDef small = *def;
    small.solver.thread_count = 1;
    PalStatus status = pal_sim_create(&small, &sim, &error);
    int steps = 0;
    bool patient = true;
    while (status == PAL_OK && patient && steps < EXTREME_STEPS && !pal_sim_finished(sim)) {
        status = pal_sim_step(sim, &error);
        steps += status == PAL_OK;
        if (status == PAL_OK)
            extreme_check_state(sim);
        patient = extreme_patience == 0 || pal_timer_process_seconds() < end;
    }
    extreme_say(status, &error);
    if (sim != NULL)
        extreme_ask(sim);
    pal_sim_destroy(sim);
    return status == PAL_OK && !patient && steps < EXTREME_STEPS ? EXTREME_LEFT_OFF : steps;
}

typedef struct ExtremeCase {
    int32_t scene, change_count;
    PalSceneChange changes[EXTREME_CHANGE_MAX];
    char values[EXTREME_CHANGE_MAX][40];
} ExtremeCase;

// The first byte chooses a scene, each further three a number of it and what it becomes: from the
// table, or a number of any size.
static inline void extreme_choose(const uint8_t *data, size_t size, ExtremeCase *chosen)
{
    chosen->scene = size > 0 ? data[0] % EXTREME_SCENES : 0;
    chosen->change_count = 0;
    const ExtremePaths *paths = extreme_paths(chosen->scene);
    for (size_t i = 1; i + 3 <= size && chosen->change_count < EXTREME_CHANGE_MAX; i += 3) {
        int32_t k = chosen->change_count++;
        int which = data[i + 1];
        if (which < EXTREME_VALUES)
            snprintf(chosen->values[k], sizeof chosen->values[k], "%s", extreme_values[which]);
        else
            snprintf(chosen->values[k], sizeof chosen->values[k], "%d.%de%d",
                     data[i + 2] % 2 == 0 ? which % 10 : -(which % 10), data[i + 2],
                     which - EXTREME_VALUES - 100);
        chosen->changes[k] =
            (PalSceneChange){paths->texts[data[i] % paths->count], chosen->values[k]};
    }
}

// Reads the scene with its changes and takes ten steps. PAL_NONE: refused before the first.
// EXTREME_LEFT_OFF: it took long.
static inline int extreme_try(const ExtremeCase *chosen)
{
    PalSceneOptions options = {.change_count = chosen->change_count, .changes = chosen->changes};
    const char *text = extreme_scenes[chosen->scene];
    PalError error = {0};
    PalScene *scene = NULL;
    PalStatus status =
        pal_scene_read_memory(text, strlen(text), "extremes.yaml", &options, &scene, &error);
    extreme_say(status, &error);
    int steps = status == PAL_OK ? extreme_run(pal_scene_sim(scene)) : PAL_NONE;
    pal_scene_destroy(scene);
    return steps;
}

#endif
