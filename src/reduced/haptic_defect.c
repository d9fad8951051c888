// The law near contact: what stress there differs by from what the reduced equations and the local
// part take it for becomes forces on nodes, which both answer (the method of initial stress).
// Forces of a cell are in balance with each other, and fade out where strains are small, so that
// nothing is felt of where the region ends. Some of the work is done in each step.
#include "reduced/haptic_defect.h"

#include "base/memory.h"
#include "material/law.h"
#include "reduced/haptic_lanes.h"
#include <math.h>
#include <string.h>

#define REGION     1.25  // radii of the patch around nodes that contact pulls
#define LITTLE     1e-5  // of the largest force on a node: need not be corrected
#define RATE_LEAST 0.05  // of what is missing
#define RATE_GROWS 1.2
#define GROWN      1.5
// of the local part: a softer answer than twice the linear one is not trusted
#define BIAS_MOST    1.0
#define VOLUME_LEAST 0.1  // of a cell: less is next to inside out
#define TRUST_FALLS  0.8  // at most, in a round
#define TRUST_POWER  0.05
#define TRUST_GROWS  1.05
#define CELL_WORK    400  // multiplications, about
#define GLIDE_MOST   8    // steps in which changes are taken

enum { PHASE_START, PHASE_CELLS, PHASE_SPREAD, PHASE_GLIDE };

PalStatus pal_haptic_defect_init(PalHapticDefect *defect, const PalHapticBody *body,
                                 PalError *error)
{
    const PalVademecum *book = body->book;
    *defect = (PalHapticDefect){.rate = 1, .trust = 1};
    if (book == NULL || book->size.sample_count == 0 || book->size.local_count == 0)
        return PAL_OK;
    size_t nodes = (size_t)book->size.node_count, cells = (size_t)book->size.cell_count;
    defect->used = true;
    defect->force = pal_alloc(nodes, sizeof *defect->force);
    defect->target = pal_alloc(nodes, sizeof *defect->target);
    defect->node_round = pal_alloc(nodes, sizeof *defect->node_round);
    defect->cell_round = pal_alloc(cells, sizeof *defect->cell_round);
    defect->near_round = pal_alloc(nodes, sizeof *defect->near_round);
    defect->nodes = pal_alloc(nodes, sizeof *defect->nodes);
    defect->cell_list = pal_alloc(cells, sizeof *defect->cell_list);
    defect->push = pal_alloc((size_t)book->size.stride, sizeof *defect->push);
    defect->biased = pal_alloc(nodes, sizeof *defect->biased);
    defect->is_biased = pal_alloc(nodes, sizeof *defect->is_biased);
    defect->seen = pal_alloc(nodes, sizeof *defect->seen);
    defect->change = pal_alloc(nodes, sizeof *defect->change);
    if (defect->force == NULL || defect->target == NULL || defect->node_round == NULL ||
        defect->cell_round == NULL || defect->near_round == NULL || defect->nodes == NULL ||
        defect->cell_list == NULL || defect->push == NULL || defect->biased == NULL ||
        defect->is_biased == NULL || defect->seen == NULL || defect->change == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for corrections near contact");
    return pal_haptic_cells_init(&defect->cells, book, error);
}

void pal_haptic_defect_clear(PalHapticDefect *defect)
{
    if (defect->used)
        pal_haptic_cells_clear(&defect->cells);
    pal_free(defect->force);
    pal_free(defect->target);
    pal_free(defect->node_round);
    pal_free(defect->cell_round);
    pal_free(defect->near_round);
    pal_free(defect->nodes);
    pal_free(defect->cell_list);
    pal_free(defect->push);
    pal_free(defect->biased);
    pal_free(defect->is_biased);
    pal_free(defect->seen);
    pal_free(defect->change);
}

size_t pal_haptic_defect_bytes(const PalHapticDefect *defect, const PalVademecum *book)
{
    size_t nodes = defect->used ? (size_t)book->size.node_count : 0;
    size_t cells = defect->used ? (size_t)book->size.cell_count : 0;
    return nodes * (6 * sizeof(PalVec3) + 6 * sizeof(int32_t)) +
           cells * (4 * sizeof(PalVec3) + sizeof(double) + 6 * sizeof(int32_t));
}

void pal_haptic_defect_rest(PalHapticDefect *defect, PalHapticShape *shape,
                            PalHapticBalance *balance)
{
    if (!defect->used)
        return;
    for (int32_t i = 0; i < defect->biased_count; ++i) {
        int32_t node = defect->biased[i];
        shape->bias[node] = defect->seen[node] = defect->change[node] = pal_vec3(0, 0, 0);
        defect->is_biased[node] = false;
    }
    for (int32_t i = 0; i < defect->node_count; ++i)
        defect->force[defect->nodes[i]] = (PalHapticLack){0};
    pal_haptic_balance_push(balance, NULL);
    memset(defect->push, 0, (size_t)shape->body->stride * sizeof *defect->push);
    defect->biased_count = defect->node_count = 0;
    defect->phase = PHASE_START;
    defect->rate = defect->trust = 1;
    defect->last_left = 0;
    shape->local_change += shape->bias_most;
    shape->bias_most = 0;
}

// ---- the region -------------------------------------------------------------------------

static void add_node(PalHapticDefect *defect, int32_t node)
{
    if (defect->node_round[node] == defect->round)
        return;
    defect->node_round[node] = defect->round;
    defect->nodes[defect->node_count++] = node;
    defect->target[node] = (PalHapticLack){0};
}

static void add_cells(PalHapticDefect *defect, const PalVademecum *book, int32_t node)
{
    for (int32_t i = defect->cells.start[node]; i < defect->cells.start[node + 1]; ++i) {
        int32_t cell = defect->cells.list[i];
        if (defect->cell_round[cell] == defect->round)
            continue;
        defect->cell_round[cell] = defect->round;
        defect->cell_list[defect->cell_count++] = cell;
        for (int a = 0; a < 4; ++a)
            add_node(defect, book->cells[4 * (int64_t)cell + a]);
    }
}

// Cells within reach of nodes that are pulled. Returns what it took.
static int32_t find_cells(PalHapticDefect *defect, const PalHapticBody *body,
                          const PalHapticPulls *pulls)
{
    const PalVademecum *book = body->book;
    double reach = REGION * book->facts.patch, most = 0;
    int32_t done = 0;
    for (int32_t i = 0; i < pulls->count; ++i) {
        int32_t node = pulls->nodes[i];
        for (int32_t k = book->local_start[node]; k < book->local_start[node + 1]; ++k) {
            int32_t near = book->local_node[k];
            PalVec3 way = pal_vec3_sub(body->rest[near], body->rest[node]);
            if (defect->near_round[near] != defect->round &&
                pal_vec3_dot(way, way) <= reach * reach) {
                defect->near_round[near] = defect->round;
                add_cells(defect, book, near);
            }
        }
        done += 4 * (book->local_start[node + 1] - book->local_start[node]);
        most = fmax(most, pal_vec3_dot(pulls->forces[node], pulls->forces[node]));
    }
    defect->largest = sqrt(most);
    return done;
}

static int32_t begin(PalHapticDefect *defect, PalHapticShape *shape, const PalHapticPulls *pulls)
{
    int32_t old_count = defect->node_count;
    ++defect->round;
    defect->node_count = defect->cell_count = 0;
    for (int32_t i = 0; i < old_count; ++i) {  // in place: the list gets no longer by these
        const PalHapticLack *force = &defect->force[defect->nodes[i]];
        if (pal_vec3_length(force->local) > 0 || pal_vec3_length(force->modes) > 0)
            add_node(defect, defect->nodes[i]);
    }
    int32_t done = find_cells(defect, shape->body, pulls);
    defect->inverted = false;
    defect->least_volume = INFINITY;
    defect->phase = PHASE_CELLS;
    defect->next = 0;
    return done + 40 * defect->node_count;
}

// ---- what the law does beyond what the reduced equations know -----------------------------

static void add_gradient(PalMat3 *F, PalVec3 x, PalVec3 g)
{
    const double by[3] = {x.x, x.y, x.z};
    for (int i = 0; i < 3; ++i) {
        F->m[i][0] += by[i] * g.x;
        F->m[i][1] += by[i] * g.y;
        F->m[i][2] += by[i] * g.z;
    }
}

// The stress of a gradient by the law at rest, turned with the patch.
static PalMat3 linear_stress(const double *A, const PalMat3 *H, const PalMat3 *turn)
{
    PalMat3 stress;
    for (int a = 0; a < 9; ++a) {
        double sum = 0;
        for (int b = 0; b < 9; ++b)
            sum += A[9 * a + b] * H->m[b / 3][b % 3];
        stress.m[a / 3][a % 3] = sum;
    }
    return pal_mat3_multiply(turn, &stress);
}

// What a cell of the region is deformed by.
typedef struct Strain {
    PalMat3 whole;   // gradient by modes and local part
    PalMat3 smooth;  // by modes alone
    PalMat3 local;   // gradient of the local part, turned back to rest
    const PalMat3 *turn;
} Strain;

static Strain strain_of(const PalHapticDefect *defect, PalHapticShape *shape, int32_t cell)
{
    const int32_t *corners = shape->body->book->cells + 4 * (int64_t)cell;
    const PalVec3 *gradients = defect->cells.gradients[cell];
    Strain strain = {.turn = pal_haptic_patch(shape, corners[0])};
    for (int a = 0; a < 4; ++a) {
        int32_t node = corners[a];
        PalVec3 at = pal_haptic_position(shape, node);
        PalVec3 near = pal_haptic_near_part(shape, node);
        PalVec3 turned = pal_mat3_apply(pal_haptic_patch(shape, node), near);
        add_gradient(&strain.whole, at, gradients[a]);
        add_gradient(&strain.smooth, pal_vec3_sub(at, turned), gradients[a]);
        add_gradient(&strain.local, near, gradients[a]);
    }
    return strain;
}

// Stress that the equations of the modes lack, S = P(modes) + linear(local) - P(both), and that the
// local part lacks, S + linear(modes) - P(modes); their forces on the corners.
static void add_cell(PalHapticDefect *defect, PalHapticShape *shape, int32_t cell)
{
    const PalVademecum *book = shape->body->book;
    const int32_t *corners = book->cells + 4 * (int64_t)cell;
    const PalVec3 *gradients = defect->cells.gradients[cell];
    int32_t kind = book->cell_material[cell];
    const PalMaterialDef *material = &book->materials[kind];
    const double *A = &defect->cells.tangents[kind][0][0];
    Strain strain = strain_of(defect, shape, cell);
    PalMat3 whole, smooth, modes, local;
    double volume = pal_mat3_determinant(&strain.whole);
    defect->least_volume = fmin(defect->least_volume, volume);
    if (!(volume > 0) || !(pal_mat3_determinant(&strain.smooth) > 0)) {
        defect->inverted = true;
        defect->least_volume = fmin(0, defect->least_volume);
        return;
    }
    material->law->total_ref(material->parameters, &strain.whole, &whole);
    material->law->total_ref(material->parameters, &strain.smooth, &smooth);
    PalMat3 back = pal_mat3_transpose(strain.turn);
    PalMat3 gradient = pal_mat3_multiply(&back, &strain.smooth);
    for (int i = 0; i < 3; ++i)
        gradient.m[i][i] -= 1;
    PalMat3 linear_local = linear_stress(A, &strain.local, strain.turn);
    PalMat3 linear_modes = linear_stress(A, &gradient, strain.turn);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            double lacks = linear_local.m[i][j] - whole.m[i][j];
            modes.m[i][j] = smooth.m[i][j] + lacks;
            local.m[i][j] = linear_modes.m[i][j] + lacks;
        }
    for (int a = 0; a < 4; ++a) {
        PalHapticLack *target = &defect->target[corners[a]];
        double rest = defect->cells.volume[cell];
        target->modes =
            pal_vec3_add_scaled(target->modes, rest, pal_mat3_apply(&modes, gradients[a]));
        target->local =
            pal_vec3_add_scaled(target->local, rest, pal_mat3_apply(&local, gradients[a]));
    }
}

// How much of the forces is taken, so that displacements by them come to their bounds and stay
// there: where they were taken back whenever they had passed one, they came again, and the force
// trembled.
static void find_trust(PalHapticDefect *defect, const PalHapticShape *shape)
{
    double least = defect->least_volume / VOLUME_LEAST;
    double part = fmin(least, BIAS_MOST * shape->local_most / fmax(shape->bias_most, 1e-300));
    double change = part > 0 ? pow(part, TRUST_POWER) : 0;
    defect->trust *= fmax(TRUST_FALLS, fmin(TRUST_GROWS, change));
    defect->trust = fmin(1, defect->trust);
}

// From forces to their changes, those of the local part turned back to rest. No more than `most` of
// them is taken.
static void find_changes(PalHapticDefect *defect, PalHapticShape *shape, double most)
{
    double square = 0, least = LITTLE * defect->largest;
    find_trust(defect, shape);
    for (int32_t i = 0; i < defect->node_count; ++i) {
        int32_t node = defect->nodes[i];
        PalHapticLack *target = &defect->target[node], *force = &defect->force[node];
        PalMat3 back = pal_mat3_transpose(pal_haptic_patch(shape, node));
        PalVec3 local = pal_vec3_scale(most * defect->trust, pal_mat3_apply(&back, target->local));
        PalVec3 modes = pal_vec3_scale(most * defect->trust, target->modes);
        target->local = pal_vec3_sub(local, force->local);
        target->modes = pal_vec3_sub(modes, force->modes);
        square += pal_vec3_dot(target->local, target->local);
    }
    // more is missing than before: corrections turn to and fro
    bool grows = defect->inverted || square > GROWN * defect->last_left;
    defect->rate = fmin(1, fmax(RATE_LEAST, (grows ? 0.5 : RATE_GROWS) * defect->rate));
    defect->last_left = square;
    for (int32_t i = 0; i < defect->node_count; ++i) {
        int32_t node = defect->nodes[i];
        PalHapticLack *target = &defect->target[node], force = defect->force[node];
        double part = defect->rate;
        if (defect->inverted || pal_vec3_length(force.local) < least) {
            // away from what cannot be, or at the end of what is hardly there
            part = defect->inverted ? -0.1 : pal_vec3_length(target->local) < least ? -1 : part;
            if (part < 0)
                *target = force;
        }
        target->local = pal_vec3_scale(part, target->local);
        target->modes = pal_vec3_scale(part, target->modes);
    }
    defect->phase = PHASE_SPREAD;
    defect->next = 0;
    defect->steps = 1;
}

// ---- corrections ------------------------------------------------------------------------

// Adds what a change of a node's force does, to displacements near it and to the modes. Returns
// what it took.
static int32_t spread(PalHapticDefect *defect, PalHapticShape *shape, int32_t node)
{
    const PalVademecum *book = shape->body->book;
    PalHapticLack *force = &defect->force[node];
    PalVec3 f = defect->target[node].local, own = defect->target[node].modes;
    double size = pal_vec3_length(f);
    const float factors[3] = {(float)own.x, (float)own.y, (float)own.z};
    force->modes = pal_vec3_add(force->modes, own);
    pal_rows_add(shape->body->rows + (int64_t)3 * node * book->size.stride, factors, 3,
                 book->size.stride, defect->push);
    if (size == 0 || (size < LITTLE * defect->largest && size < pal_vec3_length(force->local)))
        return 3 * book->size.stride;
    force->local = pal_vec3_add(force->local, f);
    for (int32_t k = book->local_start[node]; k < book->local_start[node + 1]; ++k) {
        const float *b = book->local_block + (int64_t)9 * k;
        int32_t near = book->local_node[k];
        if (!defect->is_biased[near]) {
            defect->is_biased[near] = true;
            defect->biased[defect->biased_count++] = near;
        }
        PalVec3 step = {(double)b[0] * f.x + (double)b[3] * f.y + (double)b[6] * f.z,
                        (double)b[1] * f.x + (double)b[4] * f.y + (double)b[7] * f.z,
                        (double)b[2] * f.x + (double)b[5] * f.y + (double)b[8] * f.z};
        defect->change[near] = pal_vec3_add(defect->change[near], step);
    }
    return 9 * (book->local_start[node + 1] - book->local_start[node]) + 3 * book->size.stride;
}

// Takes a part of all changes, and the rest of them in the last of some steps.
static void glide(PalHapticDefect *defect, PalHapticShape *shape, PalHapticBalance *balance)
{
    double part = 1 / (double)defect->glides--;
    float *now = balance->product;
    for (int32_t i = 0; i < defect->biased_count; ++i) {
        int32_t node = defect->biased[i];
        PalVec3 step = pal_vec3_scale(part, defect->change[node]);
        shape->bias[node] = pal_vec3_add(shape->bias[node], step);
        defect->change[node] = pal_vec3_sub(defect->change[node], step);
    }
    for (int32_t k = 0; k < balance->stride; ++k) {
        now[k] = (float)part * defect->push[k];
        defect->push[k] -= now[k];
    }
    pal_haptic_balance_push(balance, now);
    if (defect->glides == 0)
        defect->phase = PHASE_START;
}

// How much displacements have changed, and the longest. A node leaves the list where nothing but
// rounding is left.
static void look_at_biases(PalHapticDefect *defect, PalHapticShape *shape)
{
    double most = 0, change = 0, least = 1e-24 * shape->bias_most * shape->bias_most;
    int32_t kept = 0;
    for (int32_t i = 0; i < defect->biased_count; ++i) {
        int32_t node = defect->biased[i];
        PalVec3 u = shape->bias[node], step = pal_vec3_sub(u, defect->seen[node]);
        double square = pal_vec3_dot(u, u);
        change = fmax(change, pal_vec3_dot(step, step));
        most = fmax(most, square);
        bool stays = defect->glides > 0 || square > least;
        if (!stays)
            shape->bias[node] = u = pal_vec3(0, 0, 0);
        defect->seen[node] = u;
        defect->is_biased[node] = stays;
        if (stays)
            defect->biased[kept++] = node;
    }
    defect->biased_count = kept;
    shape->bias_most = sqrt(most);
    shape->local_change += sqrt(change);
}

bool pal_haptic_defect_advance(PalHapticDefect *defect, PalHapticShape *shape,
                               PalHapticBalance *balance, const PalHapticPulls *pulls,
                               int32_t operations)
{
    defect->steps += defect->phase == PHASE_SPREAD;
    for (int32_t done = 0; done < operations;) {
        if (defect->phase == PHASE_START) {
            done += begin(defect, shape, pulls);
            if (defect->node_count == 0) {
                defect->phase = PHASE_START;
                return false;
            }
        } else if (defect->phase == PHASE_CELLS && defect->next < defect->cell_count) {
            add_cell(defect, shape, defect->cell_list[defect->next++]);
            done += CELL_WORK;
        } else if (defect->phase == PHASE_CELLS) {
            find_changes(defect, shape, 1 - balance->linear);
            done += 20 * defect->node_count;
        } else if (defect->phase == PHASE_SPREAD && defect->next < defect->node_count) {
            done += spread(defect, shape, defect->nodes[defect->next++]);
        } else if (defect->phase == PHASE_SPREAD) {
            defect->phase = PHASE_GLIDE;
            defect->glides = defect->steps < GLIDE_MOST ? defect->steps : GLIDE_MOST;
        } else {
            glide(defect, shape, balance);
            look_at_biases(defect, shape);
            return true;
        }
    }
    return false;
}
