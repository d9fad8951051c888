// Equilibria to learn from, and those that are held out.
#include "reduced/build.h"

#include "base/memory.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

const double pal_build_levels[PAL_BUILD_LEVELS] = {0.5, 1};

PalStatus pal_build_shoot(PalBuild *build, PalShot *shot, PalError *error)
{
    const PalVademecumLoad *load = &shot->load;
    const PalVademecumMemory *memory = &build->def->memory;
    int64_t size = build->truth->size, count = PAL_BUILD_LEVELS * size + 2;
    const double request[8] = {load->at.x,    load->at.y,    load->at.z,   load->force.x,
                               load->force.y, load->force.z, shot->radius, 0};
    double *answer = pal_alloc((size_t)count, sizeof *answer);
    double *vector = pal_alloc((size_t)size, sizeof *vector);
    PalStatus status = PAL_OK;
    if (answer == NULL || vector == NULL)
        status = pal_build_no_memory(error);
    bool known = status == PAL_OK && memory->recall != NULL &&
                 memory->recall(memory->own, request, count, answer);
    if (status == PAL_OK && !known) {
        pal_build_load(build, load, shot->radius, vector);
        PalTruthWay way;
        status = pal_truth_follow(build->truth, vector, PAL_BUILD_LEVELS, pal_build_levels, answer,
                                  &way, error);
        answer[count - 2] = way.found;
        answer[count - 1] = way.reached;
        if (status == PAL_OK && memory->keep != NULL)
            memory->keep(memory->own, request, count, answer);
    }
    pal_free(vector);
    if (status != PAL_OK) {
        pal_free(answer);
        return status;
    }
    double found = answer[count - 2];
    shot->found = found >= 0 && found <= PAL_BUILD_LEVELS ? (int32_t)found : 0;
    shot->reached = answer[count - 1];
    build->solution_count += shot->found > 0;  // now, or before a stop
    shot->u = answer;
    return PAL_OK;
}

// A direction that loads may have at a surface node; of many, any.
PalVec3 pal_build_direction(const PalBuild *build, int32_t node, uint64_t *seed)
{
    switch (build->def->directions) {
    case PAL_DIRECTIONS_NORMAL:
        return pal_vec3_scale(-1, build->normals[node]);
    case PAL_DIRECTIONS_ONE:
        return pal_vec3_normalise(build->def->direction);
    case PAL_DIRECTIONS_XYZ:
        break;
    }
    double z = 2 * pal_build_random(seed) - 1, angle = 6.283185307179586 * pal_build_random(seed);
    double across = sqrt(1 - z * z);
    return pal_vec3(across * cos(angle), across * sin(angle), z);
}

static const double *last_of(const PalBuild *build, const PalShot *shot)
{
    return shot->u + (int64_t)(shot->found - 1) * build->truth->size;
}

static PalVec3 moved_to(const PalBuild *build, int32_t node, const double *u)
{
    double way[3];
    for (int j = 0; j < 3; ++j) {
        int32_t row = build->row[3 * node + j];
        way[j] = row != PAL_NONE ? u[row] : 0;
    }
    return pal_vec3(way[0], way[1], way[2]);
}

// The part of a shape that the modes do not have, at the load point, of what it is there.
static double missing(const PalBuild *build, const PalShot *shot, int32_t node)
{
    const PalTruth *truth = build->truth;
    const double *u = last_of(build, shot);
    double *stiff = truth->internal;  // free between equilibria
    PalVec3 whole = moved_to(build, node, u), rest = whole;
    pal_truth_stiffness(truth, u, stiff);
    for (int32_t k = 0; k < build->mode_count; ++k) {
        const double *mode = build->modes + (int64_t)k * truth->size;
        double part = pal_truth_dot(truth, mode, stiff);
        rest = pal_vec3_add_scaled(rest, -part, moved_to(build, node, mode));
    }
    double size = pal_vec3_length(whole);
    return size > 0 ? pal_vec3_length(rest) / size : 0;
}

// Solves for one more load. It is kept where there is an equilibrium.
static PalStatus learn(PalBuild *build, const PalShot *wanted, PalError *error)
{
    if (build->shot_count == build->shot_room) {
        int32_t room = 2 * build->shot_room + 32;
        PalShot *more = pal_grow(build->shots, (size_t)room * sizeof *more);
        if (more == NULL)
            return pal_build_no_memory(error);
        build->shots = more;
        build->shot_room = room;
    }
    PalShot *shot = &build->shots[build->shot_count];
    *shot = *wanted;
    PAL_TRY(pal_build_shoot(build, shot, error));
    if (shot->found > 0)
        ++build->shot_count;
    else
        pal_free(shot->u);
    return PAL_OK;
}

static PalStatus learn_one(PalBuild *build, int32_t site, uint64_t *seed, double *error_there,
                           PalError *error)
{
    int32_t node = build->site[site], before = build->shot_count;
    PalVec3 direction = pal_build_direction(build, node, seed);
    PalShot wanted = {
        .load = {pal_build_position(build, node), pal_vec3_scale(build->def->largest, direction)},
        .radius = build->def->patch};
    *error_there = -1;
    if (!build->open[node])
        return PAL_OK;
    PAL_TRY(learn(build, &wanted, error));
    if (build->shot_count == before)
        return PAL_OK;
    const PalShot *shot = &build->shots[before];
    build->longest =
        fmax(build->longest, pal_vec3_length(moved_to(build, node, last_of(build, shot))));
    if (build->mode_count > 0)
        *error_there = missing(build, shot, node);
    return PAL_OK;
}

// Contact spreads over more than a patch: larger loads on wider patches. No larger than what would
// move the place by as much as a single load did anywhere, were it linear.
static PalStatus learn_wide(PalBuild *build, int32_t sites, uint64_t *seed, PalError *error)
{
    const double wide = 2.5;
    double *vector = pal_alloc((size_t)build->truth->size, sizeof *vector);
    PalStatus status = vector != NULL ? PAL_OK : pal_build_no_memory(error);
    for (int32_t s = 0; s < sites && status == PAL_OK; ++s) {
        int32_t node = build->site[s];
        PalVec3 direction = pal_build_direction(build, node, seed);
        PalShot wanted = {.load = {pal_build_position(build, node),
                                   pal_vec3_scale(build->def->largest, direction)},
                          .radius = wide * build->def->patch};
        status = pal_build_tell(build, "solving for wide loads", s, sites, error);
        if (status != PAL_OK || !build->open[node])
            continue;
        pal_build_load(build, &wanted.load, wanted.radius, vector);
        status = pal_truth_solve_rest(build->truth, vector, 1, error);
        double way = pal_vec3_length(moved_to(build, node, vector));
        double factor = fmin(wide * wide, way > 0 ? build->longest / way : 1);
        wanted.load.force = pal_vec3_scale(factor, wanted.load.force);
        if (status == PAL_OK)
            status = learn(build, &wanted, error);
    }
    pal_free(vector);
    return status;
}

// Answers at rest to loads along the axes, at the first sites.
static PalStatus learn_linear(PalBuild *build, int32_t sites, PalError *error)
{
    int64_t size = build->truth->size;
    sites = sites < build->site_count ? sites : build->site_count;
    build->linear = pal_alloc((size_t)(3 * sites * size), sizeof *build->linear);
    if (build->linear == NULL)
        return pal_build_no_memory(error);
    for (int32_t s = 0; s < sites; ++s)
        for (int j = 0; j < 3 && build->open[build->site[s]]; ++j) {
            PalVademecumLoad load = {pal_build_position(build, build->site[s]), {0, 0, 0}};
            (&load.force.x)[j] = 1;
            pal_build_load(build, &load, build->def->patch,
                           build->linear + build->linear_count++ * size);
        }
    return pal_truth_solve_rest(build->truth, build->linear, build->linear_count, error);
}

// Solves at sites far from each other until new solutions hold little that the modes lack.
PalStatus pal_build_learn(PalBuild *build, PalError *error)
{
    enum { BATCH = 16, LARGE = 2000, MOST = 256, MOST_OF_LARGE = 112, LINEAR_SITES = 120 };
    uint64_t seed = 1;
    int32_t most = build->node_count > LARGE ? MOST_OF_LARGE : MOST;
    int32_t limit = build->def->mode_limit > 0 ? build->def->mode_limit : 144;
    // solutions of small bodies cost little
    double enough = (build->node_count > LARGE ? 0.2 : 0.05) * build->def->tolerance;
    int32_t rounds = build->def->directions == PAL_DIRECTIONS_XYZ ? 3 : 1;
    PAL_TRY(learn_linear(build, LINEAR_SITES, error));
    int32_t total = rounds * build->site_count < most ? rounds * build->site_count : most;
    if (build->def->solution_limit > 0 && total > build->def->solution_limit)
        total = build->def->solution_limit;
    for (int32_t i = 0; i < total;) {
        double sum = 0;
        int32_t counted = 0;
        for (int32_t k = 0; k < BATCH && i < total; ++k, ++i) {
            double there = -1;
            PAL_TRY(pal_build_tell(build, "solving for equilibria", i, total, error));
            PAL_TRY(learn_one(build, i % build->site_count, &seed, &there, error));
            sum += there >= 0 ? there : 0;
            counted += there >= 0;
        }
        build->progress.error = counted > 0 ? sum / counted : -1;
        PAL_TRY(pal_build_modes(build, limit, error));
        if (counted > 0 && i >= 3 * BATCH && build->progress.error < enough)
            break;
    }
    int32_t wide = build->shot_count / 4;
    PAL_TRY(learn_wide(build, wide < build->site_count ? wide : build->site_count, &seed, error));
    PAL_TRY(pal_build_modes(build, limit, error));
    return build->shot_count > 0
               ? PAL_OK
               : pal_error_set(error, PAL_SIM_FAILED,
                               "no equilibrium was found under any load of %g: the largest force "
                               "is too large for this body",
                               build->def->largest);
}

// A point of the surface between sites, by area.
static int32_t pick_triangle(const PalBuild *build, uint64_t *seed)
{
    double total = 0;
    for (int pass = 0; pass < 2; ++pass) {
        double wanted = pass == 1 ? total * pal_build_random(seed) : 0, sum = 0;
        for (int32_t t = 0; t < build->triangle_count; ++t) {
            const int32_t *c = build->triangles + 3 * (int64_t)t;
            if (!build->open[c[0]] || !build->open[c[1]] || !build->open[c[2]])
                continue;
            PalVec3 a = pal_build_position(build, c[0]);
            sum +=
                pal_vec3_length(pal_vec3_cross(pal_vec3_sub(pal_build_position(build, c[1]), a),
                                               pal_vec3_sub(pal_build_position(build, c[2]), a)));
            if (pass == 1 && sum >= wanted)
                return t;
        }
        total = sum;
    }
    return PAL_NONE;
}

static PalVademecumLoad pick_load(const PalBuild *build, int32_t triangle, uint64_t *seed)
{
    const int32_t *c = build->triangles + 3 * (int64_t)triangle;
    double r = sqrt(pal_build_random(seed)), s = pal_build_random(seed);
    double weight[3] = {1 - r, r * (1 - s), r * s};
    PalVademecumLoad load = {{0, 0, 0}, {0, 0, 0}};
    PalVec3 normal = {0, 0, 0};
    for (int a = 0; a < 3; ++a) {
        load.at = pal_vec3_add_scaled(load.at, weight[a], pal_build_position(build, c[a]));
        normal = pal_vec3_add_scaled(normal, weight[a], build->normals[c[a]]);
    }
    PalVec3 direction = build->def->directions == PAL_DIRECTIONS_NORMAL
                            ? pal_vec3_scale(-1, pal_vec3_normalise(normal))
                            : pal_build_direction(build, c[0], seed);
    // one in four is the largest
    double part = 0.25 + pal_build_random(seed);
    part = part < 1 ? part : 1;
    load.force = pal_vec3_scale(part * build->def->largest, direction);
    return load;
}

PalStatus pal_build_hold_out(PalBuild *build, PalError *error)
{
    int32_t wanted = build->def->heldout_count > 0 ? build->def->heldout_count : 40;
    uint64_t seed = 77;
    build->heldout = pal_alloc((size_t)wanted, sizeof *build->heldout);
    PalStatus status = build->heldout != NULL ? PAL_OK : pal_build_no_memory(error);
    for (int32_t i = 0; i < wanted && status == PAL_OK; ++i) {
        int32_t triangle = pick_triangle(build, &seed);
        if (triangle == PAL_NONE)
            break;
        PalVademecumLoad load = pick_load(build, triangle, &seed);
        PalShot *shot = &build->heldout[build->heldout_count];
        *shot = (PalShot){.load = load, .radius = build->def->patch};
        status = pal_build_tell(build, "solving for loads held out", i, wanted, error);
        if (status == PAL_OK)
            status = pal_build_shoot(build, shot, error);
        if (status == PAL_OK && shot->found == PAL_BUILD_LEVELS)
            ++build->heldout_count;
        else if (status == PAL_OK)
            pal_free(shot->u);
    }
    return status;
}
