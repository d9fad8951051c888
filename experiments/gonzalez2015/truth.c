// Contact from vademecums beside the full nonlinear solution of the implicit solver: the force, and
// how the first body is displaced under the contact. That is a norm over all places where there is
// force, each with the weight of its force: e^2 = sum f |u - v|^2 / sum f |u|^2, of the node next
// to each. The node next to the middle of all forces is told as well: where bodies touch in two
// places, it is under neither.
#include "gonzalez2015.h"

#include <math.h>
#include <stdio.h>

enum { APPROACH = 1500, APPROACH_PRINTED = 500, SAMPLES = 5, REST = 64, PENALTIES = 24 };

// A force that changes by less than this part of itself while the tool is held is at rest.
static const double still = 0.02;

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

// The node of the first body that is next to a place in space.
static int32_t next_to(PalSim *sim, PalVec3 place)
{
    const PalModel *model = pal_sim_model(sim);
    const PalBody *body = &model->bodies[0];
    const PalVec3 *u = pal_sim_state(sim)->displacement;
    int32_t best = body->first_node;
    double least = INFINITY;
    for (int32_t n = body->first_node; n < body->first_node + body->mesh->node_count; ++n) {
        PalVec3 x = model->nodes[n];
        PalVec3 now = {x.x + u[n].x, x.y + u[n].y, x.z + u[n].z};
        double distance = length(minus(now, place));
        if (distance < least) {
            least = distance;
            best = n;
        }
    }
    return best;
}

// The force on the second body; the node of the first one that is next to the middle of contact,
// at rest, and its displacement; the same of the node next to each contact, with its force.
static void sample(PalSim *sim, PalResult *result)
{
    const PalVec3 *nodes = pal_sim_model(sim)->nodes, *u = pal_sim_state(sim)->displacement;
    const PalSeries *before = pal_result_find(result, "weight");
    const PalVec3 none = {0, 0, 0};
    PalVec3 place;
    int32_t count;
    const PalContactPoint *points = pal_sim_contacts(sim, &count);
    bool touches = middle(sim, &place);
    int32_t under = touches ? next_to(sim, place) : PAL_NONE;
    pal_result_add(result, "loaded", pal_sim_load_time(sim));
    pal_result_add(result, "first", before != NULL ? before->count : 0);
    add(result, "force", pal_sim_contact_force(sim, 1, 0));
    add(result, "at", touches ? nodes[under] : none);
    add(result, "under", touches ? u[under] : none);
    for (int32_t i = 0; i < count && touches; ++i) {
        int32_t node = next_to(sim, points[i].position[0]);
        pal_result_add(result, "weight", length(points[i].force));
        add(result, "touch", nodes[node]);
        add(result, "moved", u[node]);
    }
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

static PalStatus open_loop(const PalTruthPath *path, PalVademecum *book, double penalty,
                           PalHaptic **haptic, PalError *error)
{
    PalHapticDef def = pal_haptic_def_default();
    def.books[0] = def.books[1] = book;
    def.answer = path->answer;
    def.penalty = penalty;
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

static void go(PalHaptic *haptic, const PalTruthPath *path, double share)
{
    PalHapticPose pose = {.rotation = path->rotation};
    pose.position =
        (PalVec3){path->from.x + share * path->way.x, path->from.y + share * path->way.y,
                  path->from.z + share * path->way.z};
    pal_haptic_set_pose(haptic, 1, &pose);
    pal_haptic_step(haptic, 0);
    pal_haptic_prepare(haptic);
}

// Along a part of the path, and held there for as long. What is printed has no memory but its last
// forces, and many penalties are tried.
static void press(PalHaptic *haptic, const PalTruthPath *path, double part)
{
    int32_t approach = path->answer == PAL_HAPTIC_PRINTED ? APPROACH_PRINTED : APPROACH;
    pal_haptic_reset(haptic);
    for (int32_t i = 1; i <= 2 * approach; ++i)
        go(haptic, path, part * (i < approach ? i / (double)approach : 1));
}

// Whether the force stays as it is once the tool is held.
static bool comes_to_rest(PalHaptic *haptic, const PalTruthPath *path, double part)
{
    double least = INFINITY, most = 0;
    press(haptic, path, part);
    for (int i = 0; i < REST; ++i) {
        go(haptic, path, part);
        double force = length(pal_haptic_force(haptic).contact_force);
        least = fmin(least, force);
        most = fmax(most, force);
    }
    return most - least < still * most;
}

// How far displacements under contact are off, of their size.
static double patch_off(PalHaptic *haptic, PalVademecum *book, const PalResult *truth,
                        int32_t index)
{
    const PalSeries *first = pal_result_find(truth, "first");
    const PalSeries *weight = pal_result_find(truth, "weight");
    int32_t from = (int32_t)first->values[index];
    int32_t to = index + 1 < first->count ? (int32_t)first->values[index + 1] : weight->count;
    double off = 0, size = 0;
    for (int32_t i = from; i < to; ++i) {
        PalVec3 u = get(truth, "moved", i);
        PalVec3 v = pal_haptic_displacement(haptic, 0, node_at(book, get(truth, "touch", i)));
        double miss = length(minus(v, u));
        off += weight->values[i] * miss * miss;
        size += weight->values[i] * length(u) * length(u);
    }
    return sqrt(off / size);
}

typedef struct Told {
    const char *ours, *printed;
    double goal;
} Told;

static const Told of_force = {"force off, %", "as printed: force off, %", 5};
static const Told of_patch = {"displacement under contact off, %",
                              "as printed: displacement under contact off, %", 5};
static const Told of_node = {"displacement next to the middle of forces off, %",
                             "as printed: next to the middle of forces off, %", NAN};

static const Told of_penalty = {"", "as printed: penalty k_c, force per depth", NAN};

static void tell(PalLab *lab, const PalTruthPath *path, int32_t index, const Told *told,
                 double value)
{
    char line[96];
    bool printed = path->answer == PAL_HAPTIC_PRINTED;
    snprintf(line, sizeof line, "%s, pose %d of %d", path->line, (int)index, SAMPLES);
    PalRow row = pal_row(path->place, line, printed ? told->printed : told->ours, NAN, value);
    row.goal = printed ? NAN : told->goal;
    row.reason = printed ? "Sums of stored answers and the stiffest penalty that does not swing."
                         : "Against the implicit solver, of the force or the displacement there.";
    pal_lab_row(lab, &row);
}

// As printed a force follows from a depth and the next depth from that force, which swings where
// the penalty is stiffer than the bodies. Begins above their stiffness, and halves until a held
// tool comes to rest. Where it never does there is no loop left.
static PalStatus press_as_printed(PalLab *lab, const PalTruthPath *path, PalVademecum *book,
                                  const PalResult *truth, int32_t index, PalHaptic **haptic,
                                  PalError *error)
{
    double part = pal_result_find(truth, "loaded")->values[index];
    double stiffness = length(get(truth, "force", index)) / length(get(truth, "under", index));
    for (int halved = 0; halved < PENALTIES; ++halved) {
        double penalty = ldexp(4 * stiffness, -halved);
        PAL_TRY(open_loop(path, book, penalty, haptic, error));
        if (comes_to_rest(*haptic, path, part)) {
            tell(lab, path, index, &of_penalty, penalty);
            return PAL_OK;
        }
        pal_haptic_destroy(*haptic);
    }
    *haptic = NULL;
    tell(lab, path, index, &of_penalty, 0);
    return PAL_OK;
}

static PalStatus compare_at(PalLab *lab, const PalTruthPath *path, PalVademecum *book,
                            const PalResult *truth, int32_t index, PalError *error)
{
    PalHaptic *haptic;
    PalVec3 force = get(truth, "force", index), under = get(truth, "under", index);
    if (path->answer == PAL_HAPTIC_PRINTED) {
        PAL_TRY(press_as_printed(lab, path, book, truth, index, &haptic, error));
    } else {
        PAL_TRY(open_loop(path, book, 0, &haptic, error));
        // steps of the run end a little after the time that was asked for
        press(haptic, path, pal_result_find(truth, "loaded")->values[index]);
    }
    if (haptic == NULL)
        return PAL_OK;
    PalVec3 ours = pal_haptic_force(haptic).contact_force;
    PalVec3 moved = pal_haptic_displacement(haptic, 0, node_at(book, get(truth, "at", index)));
    tell(lab, path, index, &of_force, 100 * length(minus(ours, force)) / length(force));
    tell(lab, path, index, &of_patch, 100 * patch_off(haptic, book, truth, index));
    tell(lab, path, index, &of_node, 100 * length(minus(moved, under)) / length(under));
    pal_haptic_destroy(haptic);
    return PAL_OK;
}

static PalStatus compare(PalLab *lab, const PalTruthPath *path, PalVademecum *book,
                         const PalResult *truth, PalError *error)
{
    PalStatus status = PAL_OK;
    for (int32_t i = 1; i <= SAMPLES && status == PAL_OK; ++i) {
        if (!(length(get(truth, "force", i)) > 0))
            continue;
        if (!pal_lab_goes_on(lab, "contact from vademecums", i / (double)SAMPLES))
            return pal_error_set(error, PAL_INTERRUPTED, "interrupted");
        status = compare_at(lab, path, book, truth, i, error);
    }
    return status;
}

PalStatus pal_gonzalez_truth(PalLab *lab, const PalTruthPath *path, PalVademecum *book,
                             PalError *error)
{
    char scene[PAL_LAB_PATH_MAX];
    PalResult result;
    PalTruthPath ours = *path, printed = *path;
    printed.answer = PAL_HAPTIC_PRINTED;
    PAL_TRY(pal_lab_scene(lab, path->scene, 0, scene, error));
    PalTrial trial = {.scene = scene, .samples = SAMPLES, .sample = sample};
    snprintf(trial.name, sizeof trial.name, "%s in full", path->line);
    for (int i = 0; i < PAL_TRUTH_CHANGES && path->changes[i].path != NULL; ++i)
        pal_trial_change(&trial, path->changes[i].path, path->changes[i].value);
    PalStatus status = pal_lab_try(lab, 1, &trial, &result, error);
    if (status == PAL_OK)
        status = compare(lab, &ours, book, &result, error);
    if (status == PAL_OK)
        status = compare(lab, &printed, book, &result, error);
    pal_result_clear(&result);
    return status;
}
