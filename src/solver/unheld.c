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

// A connected part of a body.
typedef struct Piece {
    const PalBody *body;
    int32_t count, held_count;  // nodes, and components that are held
    PalVec3 middle;
    double size;
    double A[MODES][MODES];  // the sum of squares
} Piece;

// Replaces the root of each node by the number of its piece; returns how many there are.
static int32_t number_pieces(const PalBody *body, int32_t *piece_of)
{
    int32_t count = 0;
    for (int32_t n = 0; n < body->mesh->node_count; ++n)
        piece_of[n] = root_of(piece_of, n);
    for (int32_t n = 0; n < body->mesh->node_count; ++n)  // a root is the lowest of its nodes
        piece_of[n] = piece_of[n] == n ? -1 - count++ : piece_of[piece_of[n]];
    for (int32_t n = 0; n < body->mesh->node_count; ++n)
        piece_of[n] = -1 - piece_of[n];
    return count;
}

static void find_middles(const PalModel *model, const PalBody *body, const int32_t *piece_of,
                         Piece *pieces, int32_t piece_count)
{
    const PalVec3 *nodes = model->nodes + body->first_node;
    for (int32_t n = 0; n < body->mesh->node_count; ++n) {
        Piece *piece = &pieces[piece_of[n]];
        piece->body = body;
        piece->middle = pal_vec3_add(piece->middle, nodes[n]);
        ++piece->count;
    }
    for (int32_t k = 0; k < piece_count; ++k)
        pieces[k].middle = pal_vec3_scale(1.0 / pieces[k].count, pieces[k].middle);
    for (int32_t n = 0; n < body->mesh->node_count; ++n) {
        Piece *piece = &pieces[piece_of[n]];
        piece->size = fmax(piece->size, pal_vec3_distance(nodes[n], piece->middle));
    }
}

// What a node that is held forbids.
static void add_node(Piece *piece, PalVec3 at, uint8_t held)
{
    PalVec3 arm = pal_vec3_sub(at, piece->middle);
    for (int i = 0; i < 3; ++i) {
        double row[MODES] = {0};
        if (!(held >> i & 1) || piece->size == 0)
            continue;
        row[i] = 1;
        for (int k = 0; k < 3; ++k) {
            PalVec3 axis = {k == 0, k == 1, k == 2};
            row[3 + k] = pal_vec3_at(pal_vec3_cross(axis, arm), i) / piece->size;
        }
        for (int k = 0; k < MODES * MODES; ++k)
            piece->A[k / MODES][k % MODES] += row[k / MODES] * row[k % MODES];
        ++piece->held_count;
    }
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
    double V[MODES][MODES], most = 0;
    if (piece->count == 1)
        return PAL_OK;  // a node of no cell
    if (piece->held_count == 0)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "nothing holds body '%s', around (%.4g, %.4g, %.4g): fix some of its "
                             "nodes, or use a method that follows motion in time",
                             piece->body->name, piece->middle.x, piece->middle.y, piece->middle.z);
    find_eigen(piece->A, V);
    int free = PAL_NONE;
    for (int k = 0; k < MODES; ++k)
        most = fmax(most, piece->A[k][k]);
    for (int k = MODES - 1; k >= 0; --k)
        if (piece->A[k][k] <= FREE * most &&
            (free == PAL_NONE || piece->A[k][k] < piece->A[free][free]))
            free = k;
    if (free == PAL_NONE)
        return PAL_OK;
    double mode[MODES];
    for (int i = 0; i < MODES; ++i)
        mode[i] = fabs(V[i][free]) > 1e-9 ? V[i][free] : 0;
    return name_mode(piece, mode, error);
}

static PalStatus check_body(const PalModel *model, const PalBody *body, int32_t *piece_of,
                            PalError *error)
{
    join(body, piece_of);
    int32_t count = number_pieces(body, piece_of);
    Piece *pieces = pal_alloc((size_t)count, sizeof *pieces);
    if (pieces == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the solver");
    find_middles(model, body, piece_of, pieces, count);
    for (int32_t n = 0; n < body->mesh->node_count; ++n) {
        int32_t node = body->first_node + n;
        add_node(&pieces[piece_of[n]], model->nodes[node], model->held[node]);
    }
    PalStatus status = PAL_OK;
    for (int32_t k = 0; status == PAL_OK && k < count; ++k)
        status = check_piece(&pieces[k], error);
    pal_free(pieces);
    return status;
}

PalStatus pal_check_held(const PalModel *model, PalError *error)
{
    int32_t *piece_of = pal_alloc((size_t)model->node_count, sizeof *piece_of);
    PalStatus status = PAL_OK;
    if (piece_of == NULL)
        status = pal_error_set(error, PAL_NO_MEMORY, "no memory for the solver");
    for (int32_t b = 0; status == PAL_OK && b < model->body_count; ++b)
        status = check_body(model, &model->bodies[b], piece_of, error);
    pal_free(piece_of);
    return status;
}
