// A connected part of a body has six rigid motions: three along axes and three about axes through
// its middle. Each held component forbids a combination of them. What the sum of the squares of
// these combinations does not see is free: the eigenvectors of a 6 x 6 matrix to eigenvalues of 0.
#include "solver/unheld.h"

#include "base/memory.h"
#include "element/elements.h"
#include "math/vec3.h"
#include "model/ties.h"

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

static void join_two(int32_t *parent, int32_t first, int32_t second)
{
    int32_t a = root_of(parent, first), b = root_of(parent, second);
    parent[a > b ? a : b] = a > b ? b : a;
}

// Which nodes hang together, by cells or by ties: each gets a root.
static void join(const PalModel *model, int32_t *parent)
{
    for (int32_t n = 0; n < model->node_count; ++n)
        parent[n] = n;
    for (int32_t b = 0; b < model->body_count; ++b) {
        const PalMesh *mesh = model->bodies[b].mesh;
        int32_t corners = pal_cell_node_count(mesh->cell_kind), first = model->bodies[b].first_node;
        for (int64_t k = 0; k < (int64_t)mesh->cell_count * corners; ++k)
            join_two(parent, first + mesh->cells[k], first + mesh->cells[k - k % corners]);
    }
    const PalTies *ties = model->ties;
    for (int32_t t = 0; ties != NULL && t < ties->count; ++t)
        for (int32_t i = ties->start[t]; i < ties->start[t + 1]; ++i)
            join_two(parent, ties->node[t], ties->to[i]);
}

// A connected part of a body, or of several that are tied to each other.
typedef struct Piece {
    const PalBody *body;
    int32_t count, held_count;  // nodes, and components that are held
    PalVec3 middle;
    double size;
    double A[MODES][MODES];  // the sum of squares
} Piece;

// Replaces the root of each node by the number of its piece; returns how many there are.
static int32_t number_pieces(const PalModel *model, int32_t *piece_of)
{
    int32_t count = 0;
    for (int32_t n = 0; n < model->node_count; ++n)
        piece_of[n] = root_of(piece_of, n);
    for (int32_t n = 0; n < model->node_count; ++n)  // a root is the lowest of its nodes
        piece_of[n] = piece_of[n] == n ? -1 - count++ : piece_of[piece_of[n]];
    for (int32_t n = 0; n < model->node_count; ++n)
        piece_of[n] = -1 - piece_of[n];
    return count;
}

static void find_middles(const PalModel *model, const int32_t *piece_of, Piece *pieces,
                         int32_t piece_count)
{
    const PalVec3 *nodes = model->nodes;
    for (int32_t b = model->body_count - 1; b >= 0; --b)  // the first of several gives its name
        for (int32_t n = 0; n < model->bodies[b].mesh->node_count; ++n) {
            Piece *piece = &pieces[piece_of[model->bodies[b].first_node + n]];
            piece->body = &model->bodies[b];
            piece->middle = pal_vec3_add(piece->middle, nodes[model->bodies[b].first_node + n]);
            ++piece->count;
        }
    for (int32_t k = 0; k < piece_count; ++k)
        pieces[k].middle = pal_vec3_scale(1.0 / pieces[k].count, pieces[k].middle);
    for (int32_t n = 0; n < model->node_count; ++n) {
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

// All nodes and their pieces, for what is called back.
typedef struct Pieces {
    const PalModel *model;
    const int32_t *piece_of;
    Piece *pieces;
} Pieces;

// Where the direction of a surface is held, it cannot turn about its edge.
static void add_edge(void *context, int32_t from, int32_t to)
{
    const Pieces *all = context;
    Piece *piece = &all->pieces[all->piece_of[from]];
    PalVec3 along =
        pal_vec3_normalise(pal_vec3_sub(all->model->nodes[to], all->model->nodes[from]));
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            piece->A[3 + i][3 + j] += pal_vec3_at(along, i) * pal_vec3_at(along, j);
}

// A mode is v + w x (x - middle) / size: a slide where w is small, otherwise a turn about the axis
// through middle + w x v size / w.w.
static PalStatus name_mode(const Piece *piece, const double mode[MODES], PalError *error)
{
    PalVec3 v = {mode[0], mode[1], mode[2]}, w = {mode[3], mode[4], mode[5]};
    double turn = pal_vec3_length(w);
    if (turn < 1e-6)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "nothing keeps body \"%s\", around (%.4g, %.4g, %.4g), from sliding "
                             "along (%.3g, %.3g, %.3g): fix a node of it in that direction, or use "
                             "a method that follows motion in time",
                             piece->body->name, piece->middle.x, piece->middle.y, piece->middle.z,
                             v.x, v.y, v.z);
    PalVec3 axis = pal_vec3_scale(1 / turn, w);
    PalVec3 through =
        pal_vec3_add_scaled(piece->middle, piece->size / (turn * turn), pal_vec3_cross(w, v));
    return pal_error_set(error, PAL_BAD_INPUT,
                         "nothing keeps body \"%s\" from turning about the axis (%.3g, %.3g, %.3g) "
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
        return pal_error_set(
            error, PAL_BAD_INPUT,
            "nothing holds body \"%s\", around (%.4g, %.4g, %.4g): fix some of its "
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

PalStatus pal_check_held(const PalModel *model, const bool *touches, int32_t *found,
                         PalError *error)
{
    *found = 0;
    int32_t *piece_of = pal_alloc((size_t)model->node_count, sizeof *piece_of);
    if (piece_of == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the solver");
    join(model, piece_of);
    int32_t count = number_pieces(model, piece_of);
    Piece *pieces = pal_alloc((size_t)count, sizeof *pieces);
    PalStatus status = PAL_OK;
    if (pieces == NULL) {
        status = pal_error_set(error, PAL_NO_MEMORY, "no memory for the solver");
    } else {
        find_middles(model, piece_of, pieces, count);
        for (int32_t n = 0; n < model->node_count; ++n)
            add_node(&pieces[piece_of[n]], model->nodes[n], model->held[n]);
        Pieces all = {model, piece_of, pieces};
        pal_elements_clamped_edges(model->elements, (PalEdgeVisitor){add_edge, &all});
    }
    for (int32_t k = 0; status == PAL_OK && k < count; ++k) {
        bool touched = touches != NULL && touches[pieces[k].body - model->bodies];
        status = check_piece(&pieces[k], touched ? NULL : error);
        *found += touched && status != PAL_OK;
        status = touched ? PAL_OK : status;
    }
    pal_free(pieces);
    pal_free(piece_of);
    return status;
}
