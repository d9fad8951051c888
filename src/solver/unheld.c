// A connected part of a body has six rigid motions: three along axes and three about axes through
// its middle. Each held component forbids a combination of them. What the sum of the squares of
// these combinations does not see is free: the eigenvectors of a 6 x 6 matrix to eigenvalues of 0.
#include "solver/unheld.h"

#include "base/memory.h"
#include "math/vec3.h"

#include <math.h>

enum { MODES = 6, SWEEPS = 30 };

#define FREE 1e-10  // of the largest eigenvalue

// Jacobi's rotations; vectors in columns.
static void find_eigen(double A[MODES][MODES], double V[MODES][MODES])
{
    for (int i = 0; i < MODES * MODES; ++i)
        V[i / MODES][i % MODES] = i / MODES == i % MODES;
    for (int k = 0; k < SWEEPS * MODES * MODES; ++k) {
        int p = k / MODES % MODES, q = k % MODES;
        if (p >= q || fabs(A[p][q]) <= 1e-300)
            continue;
        double theta = (A[q][q] - A[p][p]) / (2 * A[p][q]);
        double t = copysign(1, theta) / (fabs(theta) + hypot(theta, 1)), c = 1 / hypot(t, 1);
        double s = t * c;
        for (int i = 0; i < MODES; ++i) {
            double ip = A[i][p], iq = A[i][q];
            A[i][p] = c * ip - s * iq;
            A[i][q] = s * ip + c * iq;
        }
        for (int i = 0; i < MODES; ++i) {
            double pi = A[p][i], qi = A[q][i], vp = V[i][p], vq = V[i][q];
            A[p][i] = c * pi - s * qi;
            A[q][i] = s * pi + c * qi;
            V[i][p] = c * vp - s * vq;
            V[i][q] = s * vp + c * vq;
        }
    }
}

static int32_t root_of(int32_t *parent, int32_t node)
{
    while (parent[node] != node)
        node = parent[node] = parent[parent[node]];
    return node;
}

// Which nodes hang together: each gets a root.
static void join(const PalBody *body, int32_t *parent)
{
    const PalMesh *mesh = body->mesh;
    int32_t corners = pal_cell_node_count(mesh->cell_kind);
    for (int32_t n = 0; n < mesh->node_count; ++n)
        parent[n] = n;
    for (int64_t k = 0; k < (int64_t)mesh->cell_count * corners; ++k) {
        int32_t a = root_of(parent, mesh->cells[k]);
        int32_t b = root_of(parent, mesh->cells[k - k % corners]);
        parent[a > b ? a : b] = a > b ? b : a;
    }
}

typedef struct Piece {
    const PalModel *model;
    const PalBody *body;
    int32_t *parent;
    int32_t root, count;
    PalVec3 middle;
    double size;
} Piece;

static bool is_in(const Piece *piece, int32_t n)
{
    return root_of(piece->parent, n) == piece->root;
}

static void find_middle(Piece *piece)
{
    const PalVec3 *nodes = piece->model->nodes + piece->body->first_node;
    PalVec3 sum = {0, 0, 0};
    for (int32_t n = 0; n < piece->body->mesh->node_count; ++n)
        if (is_in(piece, n)) {
            sum = pal_vec3_add(sum, nodes[n]);
            ++piece->count;
        }
    piece->middle = pal_vec3_scale(1.0 / piece->count, sum);
    for (int32_t n = 0; n < piece->body->mesh->node_count; ++n)
        if (is_in(piece, n))
            piece->size = fmax(piece->size, pal_vec3_distance(nodes[n], piece->middle));
}

// The sum of squares; returns how many components are held.
static int32_t add_up(const Piece *piece, double A[MODES][MODES])
{
    int32_t held_count = 0;
    for (int32_t n = 0; n < piece->body->mesh->node_count; ++n) {
        int32_t node = piece->body->first_node + n;
        uint8_t held = piece->model->held[node];
        if (held == 0 || !is_in(piece, n))
            continue;
        PalVec3 arm = pal_vec3_sub(piece->model->nodes[node], piece->middle);
        for (int i = 0; i < 3; ++i) {
            double row[MODES] = {0};
            if (!(held >> i & 1))
                continue;
            row[i] = 1;
            for (int k = 0; k < 3; ++k) {
                PalVec3 axis = {k == 0, k == 1, k == 2};
                row[3 + k] = pal_vec3_at(pal_vec3_cross(axis, arm), i) / piece->size;
            }
            for (int k = 0; k < MODES * MODES; ++k)
                A[k / MODES][k % MODES] += row[k / MODES] * row[k % MODES];
            ++held_count;
        }
    }
    return held_count;
}

// A mode is v + w x (x - middle) / size: a slide where w is small, otherwise a turn about the axis
// through middle + w x v size / w.w.
static PalStatus name_mode(const Piece *piece, const double mode[MODES], PalError *error)
{
    PalVec3 v = {mode[0], mode[1], mode[2]}, w = {mode[3], mode[4], mode[5]};
    double turn = pal_vec3_length(w);
    if (turn < 1e-6)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "nothing keeps body '%s', around (%.4g, %.4g, %.4g), from sliding "
                             "along (%.3g, %.3g, %.3g): fix a node of it in that direction, or use "
                             "a method that follows motion in time",
                             piece->body->name, piece->middle.x, piece->middle.y, piece->middle.z,
                             v.x, v.y, v.z);
    PalVec3 axis = pal_vec3_scale(1 / turn, w);
    PalVec3 through =
        pal_vec3_add_scaled(piece->middle, piece->size / (turn * turn), pal_vec3_cross(w, v));
    return pal_error_set(error, PAL_BAD_INPUT,
                         "nothing keeps body '%s' from turning about the axis (%.3g, %.3g, %.3g) "
                         "through (%.4g, %.4g, %.4g): fix a node away from that axis, or use a "
                         "method that follows motion in time",
                         piece->body->name, axis.x, axis.y, axis.z, through.x, through.y,
                         through.z);
}

static PalStatus check_piece(Piece *piece, PalError *error)
{
    double A[MODES][MODES] = {{0}}, V[MODES][MODES], most = 0;
    find_middle(piece);
    if (piece->count == 1)
        return PAL_OK;  // a node of no cell
    if (add_up(piece, A) == 0)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "nothing holds body '%s', around (%.4g, %.4g, %.4g): fix some of its "
                             "nodes, or use a method that follows motion in time",
                             piece->body->name, piece->middle.x, piece->middle.y, piece->middle.z);
    find_eigen(A, V);
    int free = PAL_NONE;
    for (int k = 0; k < MODES; ++k)
        most = fmax(most, A[k][k]);
    for (int k = MODES - 1; k >= 0; --k)
        if (A[k][k] <= FREE * most && (free == PAL_NONE || A[k][k] < A[free][free]))
            free = k;
    if (free == PAL_NONE)
        return PAL_OK;
    double mode[MODES];
    for (int i = 0; i < MODES; ++i)
        mode[i] = fabs(V[i][free]) > 1e-9 ? V[i][free] : 0;
    return name_mode(piece, mode, error);
}

static PalStatus check_body(const PalModel *model, const PalBody *body, int32_t *parent,
                            PalError *error)
{
    join(body, parent);
    for (int32_t n = 0; n < body->mesh->node_count; ++n)
        if (root_of(parent, n) == n) {
            Piece piece = {.model = model, .body = body, .parent = parent, .root = n};
            PAL_TRY(check_piece(&piece, error));
        }
    return PAL_OK;
}

PalStatus pal_check_held(const PalModel *model, PalError *error)
{
    int32_t *parent = pal_alloc((size_t)model->node_count, sizeof *parent);
    PalStatus status = PAL_OK;
    if (parent == NULL)
        status = pal_error_set(error, PAL_NO_MEMORY, "no memory for the solver");
    for (int32_t b = 0; status == PAL_OK && b < model->body_count; ++b)
        status = check_body(model, &model->bodies[b], parent, error);
    pal_free(parent);
    return status;
}
