// Contact from vademecums beside the full nonlinear solution of the implicit solver: the force, and
// how the first body is displaced under the contact.
#include "gonzalez2015.h"

#include <math.h>
#include <stdio.h>

enum { APPROACH = 1500, HOLD = 1500, SAMPLES = 5 };

static PalVec3 minus(PalVec3 a, PalVec3 b)
{
    return (PalVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static double length(PalVec3 a)
{
    return sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
}

static void add(PalResult *result, const char *name, PalVec3 value)
{
    const double parts[3] = {value.x, value.y, value.z};
    for (int i = 0; i < 3; ++i) {
        char series[PAL_SERIES_NAME_MAX];
        snprintf(series, sizeof series, "%s.%c", name, "xyz"[i]);
        pal_result_add(result, series, parts[i]);
    }
}

static PalVec3 get(const PalResult *result, const char *name, int32_t index)
{
    double parts[3] = {NAN, NAN, NAN};
    for (int i = 0; i < 3; ++i) {
        char series[PAL_SERIES_NAME_MAX];
        snprintf(series, sizeof series, "%s.%c", name, "xyz"[i]);
        const PalSeries *found = pal_result_find(result, series);
        if (found != NULL && index < found->count)
            parts[i] = found->values[index];
    }
    return (PalVec3){parts[0], parts[1], parts[2]};
}

// The middle of contact, by forces.
static bool middle(PalSim *sim, PalVec3 *place)
{
    int32_t count;
    const PalContactPoint *points = pal_sim_contacts(sim, &count);
    double sum = 0;
    *place = (PalVec3){0, 0, 0};
    for (int32_t i = 0; i < count; ++i) {
        double force = length(points[i].force);
        sum += force;
        place->x += force * points[i].position[0].x;
        place->y += force * points[i].position[0].y;
        place->z += force * points[i].position[0].z;
    }
    *place = (PalVec3){place->x / sum, place->y / sum, place->z / sum};
    return sum > 0;
}

// The force on the second body; the node of the first one that is next to the middle of contact,
// at rest, and its displacement.
static void sample(PalSim *sim, PalResult *result)
{
    const PalModel *model = pal_sim_model(sim);
    const PalBody *body = &model->bodies[0];
    const PalVec3 *u = pal_sim_state(sim)->displacement;
    PalVec3 place, at = {0, 0, 0}, moved = {0, 0, 0};
    double least = INFINITY;
    bool touches = middle(sim, &place);
    for (int32_t n = body->first_node; touches && n < body->first_node + body->mesh->node_count;
         ++n) {
        PalVec3 x = model->nodes[n];
        PalVec3 now = {x.x + u[n].x, x.y + u[n].y, x.z + u[n].z};
        double distance = length(minus(now, place));
        if (distance < least) {
            least = distance;
            at = x;
            moved = u[n];
        }
    }
    pal_result_add(result, "loaded", pal_sim_load_time(sim));
    add(result, "force", pal_sim_contact_force(sim, 1, 0));
    add(result, "at", at);
    add(result, "under", moved);
}

// The surface node of the vademecum at a place at rest.
static int32_t node_at(PalVademecum *book, PalVec3 at)
{
    PalVademecumArray arrays[PAL_VADEMECUM_ARRAY_MAX];
    int32_t best = 0;
    double least = INFINITY;
    pal_vademecum_arrays(book, arrays);
    const double *nodes = arrays[0].data;
    for (int32_t n = 0; n < pal_vademecum_size(book)->surface_count; ++n) {
        PalVec3 x = {nodes[3 * n], nodes[3 * n + 1], nodes[3 * n + 2]};
        if (length(minus(x, at)) < least) {
            least = length(minus(x, at));
            best = n;
        }
    }
    return best;
}

static PalStatus open_loop(const PalTruthPath *path, PalVademecum *book, bool printed,
                           PalHaptic **haptic, PalError *error)
{
    PalHapticDef def = pal_haptic_def_default();
    def.books[0] = def.books[1] = book;
    def.answer = printed ? PAL_HAPTIC_PRINTED : PAL_HAPTIC_OURS;
    if (!(path->ball > 0))
        return pal_haptic_create(&def, haptic, error);
    PalShapeDef shape = pal_shape_def_default();
    PalMesh *ball;
    shape.kind = PAL_SHAPE_SHELL_SPHERE;
    shape.cell_kind = PAL_CELL_TRIANGLE;
    shape.extent.x = path->ball;
    shape.size = 0.05 * path->ball;
    PAL_TRY(pal_mesh_create_shape(&shape, &ball, error));
    PalHapticRigid rigid = {ball->node_count, ball->cell_count, ball->nodes,
                            (const int32_t(*)[3])ball->cells};
    def.books[1] = NULL;
    def.rigids[1] = &rigid;
    PalStatus status = pal_haptic_create(&def, haptic, error);
    pal_mesh_destroy(ball);
    return status;
}

// Along a part of the path, and held there.
static void press(PalHaptic *haptic, const PalTruthPath *path, double part)
{
    PalHapticPose pose = {.rotation = path->rotation};
    pal_haptic_reset(haptic);
    for (int32_t i = 1; i <= APPROACH + HOLD; ++i) {
        double share = part * (i < APPROACH ? i / (double)APPROACH : 1);
        pose.position =
            (PalVec3){path->from.x + share * path->way.x, path->from.y + share * path->way.y,
                      path->from.z + share * path->way.z};
        pal_haptic_set_pose(haptic, 1, &pose);
        pal_haptic_step(haptic, 0);
        pal_haptic_prepare(haptic);
    }
}

static void tell(PalLab *lab, const PalTruthPath *path, int32_t index, const char *what,
                 double percent)
{
    char line[96];
    snprintf(line, sizeof line, "%s, pose %d of %d", path->line, (int)index, SAMPLES);
    PalRow row = pal_row(path->place, line, what, NAN, percent);
    bool printed = what[0] == 'a';
    row.goal = printed ? NAN : 5;
    row.reason = printed ? "Sums of stored answers and a penalty soft enough to be stable."
                         : "Against the implicit solver, of the force or the displacement there.";
    pal_lab_row(lab, &row);
}

static PalStatus compare(PalLab *lab, const PalTruthPath *path, PalVademecum *book,
                         const PalResult *truth, bool printed, PalError *error)
{
    PalHaptic *haptic;
    PAL_TRY(open_loop(path, book, printed, &haptic, error));
    PalStatus status = PAL_OK;
    for (int32_t i = 1; i <= SAMPLES && status == PAL_OK; ++i) {
        PalVec3 force = get(truth, "force", i), under = get(truth, "under", i);
        if (!(length(force) > 0))
            continue;
        if (!pal_lab_goes_on(lab, "contact from vademecums", i / (double)SAMPLES))
            status = pal_error_set(error, PAL_INTERRUPTED, "interrupted");
        // steps of the run end a little after the time that was asked for
        press(haptic, path, pal_result_find(truth, "loaded")->values[i]);
        PalVec3 ours = pal_haptic_force(haptic).contact_force;
        PalVec3 moved = pal_haptic_displacement(haptic, 0, node_at(book, get(truth, "at", i)));
        tell(lab, path, i, printed ? "as printed: force off, %" : "force off, %",
             100 * length(minus(ours, force)) / length(force));
        tell(lab, path, i,
             printed ? "as printed: displacement off, %" : "displacement under contact off, %",
             100 * length(minus(moved, under)) / length(under));
    }
    pal_haptic_destroy(haptic);
    return status;
}

PalStatus pal_gonzalez_truth(PalLab *lab, const PalTruthPath *path, PalVademecum *book,
                             PalError *error)
{
    char scene[PAL_LAB_PATH_MAX];
    PalResult result;
    PAL_TRY(pal_lab_scene(lab, path->scene, 0, scene, error));
    PalTrial trial = {.name = "in full", .scene = scene, .samples = SAMPLES, .sample = sample};
    PalStatus status = pal_lab_try(lab, 1, &trial, &result, error);
    if (status == PAL_OK)
        status = compare(lab, path, book, &result, false, error);
    if (status == PAL_OK)
        status = compare(lab, path, book, &result, true, error);
    pal_result_clear(&result);
    return status;
}
