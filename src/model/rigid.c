// Rigid instruments and bodies of a model: their motions, and the masses of those that are free.
#include "base/counted.h"
#include "base/memory.h"
#include "math/mat3.h"
#include "mesh/cells.h"
#include "model/motion.h"
#include "model/rigid_state.h"

#include <string.h>

#define PI 3.14159265358979323846

#define NO_END                                                                                     \
    "one of its ramps has no `until`, and the simulation has no end: give the ramp an `until`"

static PalStatus no_memory(PalError *error)
{
    return pal_error_set(error, PAL_NO_MEMORY, "no memory for the model");
}

static PalStatus refuse(const PalRigidDef *def, const char *why, PalError *error)
{
    return pal_error_set(error, PAL_BAD_INPUT, "rigid \"%s\": %s", def->name, why);
}

// ---- motions ----------------------------------------------------------------------------

static PalStatus check_motion(const PalRigidDef *def, const PalMotionDef *motion, PalError *error)
{
    if (!pal_vec3_is_finite(motion->translation) || !pal_vec3_is_finite(motion->centre) ||
        !pal_vec3_is_finite(motion->axis) || !isfinite(motion->radians))
        return refuse(def, "its motion has a number that is not finite", error);
    if (motion->radians != 0 && !(pal_vec3_length(motion->axis) > 0))
        return refuse(def, "the axis of its rotation is zero, which is not a direction", error);
    return PAL_OK;
}

// The largest factor a ramp gives.
static double largest_factor(const PalRamp *ramp)
{
    double most = 1;
    for (int32_t i = 0; ramp->kind == PAL_RAMP_TABLE && i < ramp->point_count; ++i)
        most = fmax(most, fabs(ramp->points[i][1]));
    return most;
}

// Positions are sums with arms and ways: where those are too long, rounding moves the surface.
static PalStatus check_range(const PalRigidDef *def, const PalMotionDef *motion, PalError *error)
{
    const PalMesh *mesh = def->mesh;
    PalVec3 low = mesh->nodes[0], high = low;
    for (int32_t n = 1; n < mesh->node_count; ++n) {
        PalVec3 x = mesh->nodes[n];
        low = pal_vec3(fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z));
        high = pal_vec3(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z));
    }
    double size = pal_vec3_distance(low, high);
    double factor = largest_factor(&motion->ramp);
    double way = factor * pal_vec3_length(motion->translation);
    double arm = motion->radians != 0 ? pal_vec3_distance(motion->centre, low) : 0;
    double turns = factor * fabs(motion->radians) / (2 * PI);
    if (!(way <= PAL_MOTION_FARTHEST * size))
        return pal_error_set(error, PAL_BAD_INPUT,
                             "rigid \"%s\": its motion takes it %.4g far, %.3g times its size, "
                             "expected at most %g times: more is lost in rounding",
                             def->name, way, way / size, PAL_MOTION_FARTHEST);
    if (!(arm <= PAL_MOTION_FARTHEST * size))
        return pal_error_set(error, PAL_BAD_INPUT,
                             "rigid \"%s\": it turns about a point %.4g away, %.3g times its size, "
                             "expected at most %g times: more is lost in rounding",
                             def->name, arm, arm / size, PAL_MOTION_FARTHEST);
    if (!(turns <= PAL_MOTION_FARTHEST))
        return pal_error_set(
            error, PAL_BAD_INPUT,
            "rigid \"%s\": it turns %.3g times, expected at most %g times: more is "
            "lost in rounding",
            def->name, turns, PAL_MOTION_FARTHEST);
    return PAL_OK;
}

static bool moves(const PalMotionDef *motion)
{
    return pal_vec3_length(motion->translation) > 0 || motion->radians != 0;
}

static PalStatus add_motions(const PalRigidDef *def, double end_time, PalRigid *rigid,
                             PalError *error)
{
    PAL_TRY(pal_check_counted("further motions", def->further_count, def->further, error));
    rigid->motions = pal_alloc((size_t)def->further_count + 1, sizeof *rigid->motions);
    if (rigid->motions == NULL)
        return no_memory(error);
    for (int32_t i = 0; i <= def->further_count; ++i) {
        const PalMotionDef *given = i == 0 ? &def->motion : &def->further[i - 1];
        PalMotionDef motion = *given;
        PAL_TRY(check_motion(def, given, error));
        PAL_TRY(check_range(def, given, error));
        if (moves(given) && pal_ramp_lacks_end(&given->ramp, end_time))
            return refuse(def, NO_END, error);
        PAL_TRY(pal_ramp_copy(&given->ramp, end_time, &motion.ramp, error));
        rigid->motions[rigid->motion_count++] = motion;
    }
    return PAL_OK;
}

static bool is_moved(const PalRigid *rigid)
{
    for (int32_t i = 0; i < rigid->motion_count; ++i)
        if (moves(&rigid->motions[i]))
            return true;
    return false;
}

// ---- mass -------------------------------------------------------------------------------

static bool good_number(double value)
{
    return value >= 0 && isfinite(value);
}

static PalStatus check_numbers(const PalRigidDef *def, PalError *error)
{
    const PalSpringDef *spring = &def->spring;
    if (!good_number(def->mass) || !good_number(def->density))
        return refuse(def, "its mass or density is not a number above 0", error);
    if (def->mass > 0 && def->density > 0)
        return refuse(def, "it has a mass and a density, expected one of them", error);
    if (!good_number(spring->stiffness) || !good_number(spring->damping) ||
        !good_number(spring->turning_stiffness) || !good_number(spring->turning_damping))
        return refuse(def, "its spring has a number below 0 or one that is not finite", error);
    const PalVec3 *all[] = {&def->velocity, &def->spin, &def->force, &def->torque, &def->centre};
    bool finite = true;
    for (int i = 0; i < 5; ++i)
        finite = finite && pal_vec3_is_finite(*all[i]);
    for (int i = 0; i < 6; ++i)
        finite = finite && isfinite(def->inertia[i]);
    return finite ? PAL_OK : refuse(def, "it has a number that is not finite", error);
}

// What only a free body can have.
static PalStatus check_prescribed(const PalRigidDef *def, PalError *error)
{
    double sum = pal_vec3_length(def->velocity) + pal_vec3_length(def->spin) +
                 pal_vec3_length(def->force) + pal_vec3_length(def->torque);
    if (sum > 0 || pal_spring_pulls(&def->spring) || def->has_centre || def->has_inertia)
        return refuse(def,
                      "velocity, spin, force, torque, spring, centre and inertia are for free "
                      "bodies only, expected a mass or a density as well",
                      error);
    return PAL_OK;
}

// Mass, centre and inertia, as given or from the surface.
static PalStatus find_mass(const PalRigidDef *def, PalRigid *rigid, PalMat3 *inertia,
                           PalError *error)
{
    PalMassProperties inside = {0};
    PalError cause = {0};
    if (def->has_centre && !def->has_inertia)
        return refuse(def, "a centre needs the inertia about it", error);
    bool complete = def->has_centre && def->mass > 0;
    PalStatus status = complete ? PAL_OK : pal_mesh_mass_properties(def->mesh, 1, &inside, &cause);
    if (status != PAL_OK)
        return pal_error_set(error, status, "rigid \"%s\": %s%s", def->name, cause.text,
                             def->mass > 0 ? "; give its centre and inertia, or close it"
                                           : "; give its mass, centre and inertia, or close it");
    rigid->mass = def->mass > 0 ? def->mass : def->density * inside.volume;
    rigid->centre = def->has_centre ? def->centre : inside.centre;
    double density = complete ? 0 : rigid->mass / inside.volume;
    for (int i = 0; i < 9; ++i)
        inertia->m[i / 3][i % 3] = density * inside.inertia.m[i / 3][i % 3];
    const double *given = def->inertia;  // xx yy zz xy yz zx
    if (def->has_inertia)
        *inertia = (PalMat3){{{given[0], given[3], given[5]},
                              {given[3], given[1], given[4]},
                              {given[5], given[4], given[2]}}};
    return PAL_OK;
}

// No body's moment is above the sum of the other two.
static PalStatus find_axes(const PalRigidDef *def, const PalMat3 *inertia, PalRigid *rigid,
                           PalError *error)
{
    double *j = rigid->moments;
    if (!(rigid->mass > 0) || !isfinite(rigid->mass) || !isfinite(1 / rigid->mass))
        return pal_error_set(error, PAL_BAD_INPUT,
                             "rigid \"%s\": its mass is %g, expected one that can be divided by: "
                             "check density and size",
                             def->name, rigid->mass);
    pal_mat3_eigen_symmetric(inertia, j, &rigid->axes);
    if (!(j[0] > 0) || !isfinite(1 / j[0]) || !isfinite(j[2]) || j[2] > (j[0] + j[1]) * (1 + 1e-9))
        return pal_error_set(
            error, PAL_BAD_INPUT,
            "rigid \"%s\": its principal moments of inertia are %.4g, %.4g and %.4g, expected "
            "numbers above 0, none of them above the sum of the other two",
            def->name, j[0], j[1], j[2]);
    if (pal_mat3_determinant(&rigid->axes) < 0)
        for (int i = 0; i < 3; ++i)
            rigid->axes.m[i][2] = -rigid->axes.m[i][2];
    return PAL_OK;
}

bool pal_rigid_def_is_free(const PalRigidDef *def)
{
    return def->mass > 0 || def->density > 0;
}

static PalStatus give_mass(const PalRigidDef *def, double end_time, PalRigid *rigid,
                           PalError *error)
{
    PalMat3 inertia;
    PAL_TRY(check_numbers(def, error));
    rigid->free = pal_rigid_def_is_free(def);
    if (!rigid->free)
        return check_prescribed(def, error);
    if (is_moved(rigid) && !pal_spring_pulls(&def->spring))
        return refuse(def,
                      "it has a mass and a motion, expected a spring that pulls it along, or no "
                      "mass",
                      error);
    PAL_TRY(find_mass(def, rigid, &inertia, error));
    PAL_TRY(find_axes(def, &inertia, rigid, error));
    bool loaded = pal_vec3_length(def->force) > 0 || pal_vec3_length(def->torque) > 0;
    if (loaded && pal_ramp_lacks_end(&def->ramp, end_time))
        return refuse(def, NO_END, error);
    rigid->velocity = def->velocity;
    rigid->spin = def->spin;
    rigid->force = def->force;
    rigid->torque = def->torque;
    rigid->spring = def->spring;
    for (int32_t n = 0; n < def->mesh->node_count; ++n)
        rigid->radius = fmax(rigid->radius, pal_vec3_distance(def->mesh->nodes[n], rigid->centre));
    return pal_ramp_copy(&def->ramp, end_time, &rigid->ramp, error);
}

PalStatus pal_rigid_init(const PalRigidDef *def, double end_time, PalRigid *rigid, PalError *error)
{
    if (def->mesh == NULL || def->mesh->cell_kind != PAL_CELL_TRIANGLE)
        return refuse(def, "expected a surface of triangles", error);
    PalError cause = {0};
    PalStatus status = pal_mesh_check(def->mesh, &cause);
    if (status == PAL_OK)
        status = pal_mesh_check_reach(def->mesh, &cause);
    if (status != PAL_OK)
        return refuse(def, cause.text, error);
    PAL_TRY(add_motions(def, end_time, rigid, error));
    return give_mass(def, end_time, rigid, error);
}

void pal_rigid_clear(PalRigid *rigid)
{
    for (int32_t i = 0; i < rigid->motion_count; ++i)
        pal_free((void *)rigid->motions[i].ramp.points);
    pal_free((void *)rigid->ramp.points);
    pal_free(rigid->motions);
    pal_free(rigid->name);
    pal_mesh_destroy(rigid->mesh);
    memset(rigid, 0, sizeof *rigid);
}
