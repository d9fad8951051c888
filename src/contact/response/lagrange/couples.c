// What touches a membrane acts half its thickness, and the gap, away from its nodes. Impulses on
// the nodes alone would leave out how that turns it: nodes around take it, as if they and the node
// were one rigid piece, so that angular momentum stays.   docs/theory/membranes.md, 6
#include "base/memory.h"
#include "contact/response/lagrange/lagrange.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "model/ties.h"

#include <math.h>

PalStatus pal_couples_create(PalCouples *couples, const PalContactSurface *surface, PalError *error)
{
    size_t carriers = surface->plain ? 1 : (size_t)surface->carrier_count;
    couples->turn = pal_alloc(carriers, sizeof *couples->turn);
    couples->vertex = pal_alloc(carriers, sizeof *couples->vertex);
    couples->impulse = pal_alloc(carriers, sizeof *couples->impulse);
    couples->turned = pal_alloc(carriers, sizeof *couples->turned);
    couples->pushed = pal_alloc(carriers, sizeof *couples->pushed);
    couples->is_pushed = pal_alloc(carriers, sizeof *couples->is_pushed);
    if (couples->turn == NULL || couples->vertex == NULL || couples->impulse == NULL ||
        couples->turned == NULL || couples->pushed == NULL || couples->is_pushed == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for contact");
    for (size_t c = 0; c < carriers; ++c)
        couples->vertex[c] = PAL_NONE;
    return PAL_OK;
}

void pal_couples_clear(PalCouples *couples)
{
    pal_free(couples->turn);
    pal_free(couples->vertex);
    pal_free(couples->impulse);
    pal_free(couples->turned);
    pal_free(couples->pushed);
    pal_free(couples->is_pushed);
    *couples = (PalCouples){0};
}

void pal_couples_begin(PalCouples *couples)
{
    for (int32_t i = 0; i < couples->pushed_count; ++i) {
        couples->impulse[couples->pushed[i]] = pal_vec3(0, 0, 0);
        couples->is_pushed[couples->pushed[i]] = false;
    }
    couples->pushed_count = 0;
}

// ---- how rows turn nodes --------------------------------------------------------------------

static bool is_tied(const PalContactSurface *surface, int32_t node)
{
    return pal_ties_find(surface->motion.model->ties, node) != PAL_NONE;
}

// The carrier of a node away from which the vertex is: one with sides, or one that is attached,
// whose impulses go to a facet below it. PAL_NONE: impulses act where the vertex is.
static int32_t node_of_sides(const PalContactSurface *surface, int32_t vertex)
{
    if (vertex >= surface->soft_vertex_count)
        return PAL_NONE;
    int32_t object = surface->vertex_object[vertex], node = surface->vertex_node[vertex];
    bool has_sides = surface->objects[object].source->end_of != NULL;
    return has_sides || is_tied(surface, node) ? surface->node_carrier[node] : PAL_NONE;
}

static PalVec3 start_of(const PalContactSurface *surface, int32_t node)
{
    const PalSurfaceMotion *motion = &surface->motion;
    return pal_vec3_add(motion->model->nodes[node], motion->displacement[node]);
}

// Where impulses on a vertex act: at what it hangs on.
static PalVec3 where_it_acts(const PalContactSurface *surface, int32_t vertex)
{
    PalVec3 at = {0, 0, 0};
    if (vertex >= surface->soft_vertex_count)
        return pal_contact_surface_start(surface, vertex);
    for (int32_t i = surface->hold_start[vertex]; i < surface->hold_start[vertex + 1]; ++i)
        if (surface->holds[i].weight != 0)
            at = pal_vec3_add_scaled(
                at, surface->holds[i].weight,
                start_of(surface, surface->carrier_node[surface->holds[i].carrier]));
    return at;
}

// Both sides of a row get the same impulse, not in one line: what is missing is shared by its nodes
// that have sides.
static void turn_by_row(PalContact *contact, PalLagrange *lagrange, const PalRow *row)
{
    const PalContactSurface *surface = contact->surface;
    const PalGap *gap = &lagrange->gaps.items[row - lagrange->rows.items];
    PalCouples *couples = &lagrange->couples;
    PalLanes total = row->impulse * row->normal + row->drag;
    PalVec3 impulse = pal_vec3(total[0], total[1], total[2]), arm = {0, 0, 0};
    double shares = 0;
    for (int32_t k = 0; k < gap->count; ++k)
        if (node_of_sides(surface, gap->vertices[k]) != PAL_NONE)
            shares += fabs(gap->weights[k]);
    if (!(shares > 0))
        return;
    for (int32_t k = 0; k < gap->count; ++k)
        arm = pal_vec3_add_scaled(arm, -gap->weights[k], where_it_acts(surface, gap->vertices[k]));
    PalVec3 turn = pal_vec3_cross(arm, impulse);
    for (int32_t k = 0; k < gap->count; ++k) {
        int32_t vertex = gap->vertices[k], carrier = node_of_sides(surface, vertex);
        if (carrier == PAL_NONE || gap->weights[k] == 0)
            continue;
        if (couples->vertex[carrier] == PAL_NONE) {
            couples->turned[couples->turned_count++] = carrier;
            couples->turn[carrier] = pal_vec3(0, 0, 0);
            couples->vertex[carrier] = vertex;
        }
        couples->turn[carrier] =
            pal_vec3_add_scaled(couples->turn[carrier], fabs(gap->weights[k]) / shares, turn);
    }
}

// ---- how nodes around take it ---------------------------------------------------------------

// A node and those around it, or the facet it is attached to, as a rigid piece.
typedef struct Piece {
    int32_t count;
    int32_t carriers[128];
    double mass[128];
    PalVec3 arms[128];  // from their centre
    PalMat3 inertia;
} Piece;

// A node of the membrane that is free, or a corner of the facet of a tie.
static bool takes_part(const PalContactSurface *surface, const PalBody *body, int32_t tie,
                       int32_t node)
{
    if (tie == PAL_NONE)
        return node >= body->first_node && node < body->first_node + body->mesh->node_count &&
               !is_tied(surface, node);
    const int32_t *facet = surface->motion.model->ties->facet[tie];
    return node == facet[0] || node == facet[1] || node == facet[2];
}

static void gather(const PalContact *contact, int32_t vertex, Piece *piece)
{
    enum { MOST = sizeof piece->carriers / sizeof piece->carriers[0] };
    const PalContactSurface *surface = contact->surface;
    const PalModel *model = surface->motion.model;
    const PalBody *body = &model->bodies[surface->objects[surface->vertex_object[vertex]].index];
    int32_t tie = pal_ties_find(model->ties, surface->vertex_node[vertex]);
    double all = 0, own = 0;
    PalVec3 centre = {0, 0, 0};
    piece->count = 0;
    for (int32_t i = surface->hold_start[vertex];
         i < surface->hold_start[vertex + 1] && piece->count < MOST; ++i) {
        int32_t carrier = surface->holds[i].carrier, node = surface->carrier_node[carrier];
        double inverse = contact->carriers.inverse_mass[carrier][0];
        if (!takes_part(surface, body, tie, node))
            continue;
        own = piece->count == 0 ? inverse : own;  // the node comes first
        double mass = inverse > 0 ? 1 / inverse : own > 0 ? 1 / own : 1;
        piece->carriers[piece->count] = carrier;
        piece->mass[piece->count] = mass;
        piece->arms[piece->count++] = start_of(surface, node);
        centre = pal_vec3_add_scaled(centre, mass, start_of(surface, node));
        all += mass;
    }
    piece->inertia = (PalMat3){0};
    for (int32_t k = 0; k < piece->count; ++k) {
        PalVec3 r = piece->arms[k] = pal_vec3_add_scaled(piece->arms[k], -1 / all, centre);
        const double x[3] = {r.x, r.y, r.z};
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                piece->inertia.m[i][j] +=
                    piece->mass[k] * ((i == j ? pal_vec3_dot(r, r) : 0) - x[i] * x[j]);
    }
}

static void push(PalCouples *couples, int32_t carrier, PalVec3 impulse)
{
    if (!couples->is_pushed[carrier])
        couples->pushed[couples->pushed_count++] = carrier;
    couples->is_pushed[carrier] = true;
    couples->impulse[carrier] = pal_vec3_add(couples->impulse[carrier], impulse);
}

// Impulses that add up to nothing and turn by as much as is missing. Nodes in one line cannot.
static void turn_piece(PalContact *contact, PalLagrange *lagrange, int32_t carrier)
{
    PalCouples *couples = &lagrange->couples;
    Piece piece;
    gather(contact, couples->vertex[carrier], &piece);
    double size = piece.inertia.m[0][0] + piece.inertia.m[1][1] + piece.inertia.m[2][2];
    if (!(pal_mat3_determinant(&piece.inertia) > 1e-9 * size * size * size))
        return;
    pal_lagrange_touch_around(contact, lagrange, couples->vertex[carrier]);
    PalMat3 inverse = pal_mat3_inverse(&piece.inertia);
    PalVec3 spin = pal_mat3_apply(&inverse, couples->turn[carrier]);
    for (int32_t k = 0; k < piece.count; ++k)
        push(couples, piece.carriers[k],
             pal_vec3_scale(piece.mass[k], pal_vec3_cross(spin, piece.arms[k])));
}

bool pal_couples_find(PalContact *contact, PalLagrange *lagrange)
{
    PalCouples *couples = &lagrange->couples;
    pal_couples_begin(couples);
    couples->turned_count = 0;
    for (int32_t r = 0; r < lagrange->rows.count; ++r)
        if (lagrange->rows.items[r].impulse > 0)
            turn_by_row(contact, lagrange, &lagrange->rows.items[r]);
    for (int32_t i = 0; i < couples->turned_count; ++i)
        turn_piece(contact, lagrange, couples->turned[i]);
    for (int32_t i = 0; i < couples->turned_count; ++i)
        couples->vertex[couples->turned[i]] = PAL_NONE;
    return couples->pushed_count > 0;
}

void pal_couples_apply(const PalContact *contact, PalLagrange *lagrange, double sign)
{
    const PalCouples *couples = &lagrange->couples;
    for (int32_t i = 0; i < couples->pushed_count; ++i) {
        int32_t c = couples->pushed[i];
        const double *inverse = contact->carriers.inverse_mass[c];
        double *u = lagrange->rows.velocity[c];
        u[0] += sign * inverse[0] * couples->impulse[c].x;
        u[1] += sign * inverse[1] * couples->impulse[c].y;
        u[2] += sign * inverse[2] * couples->impulse[c].z;
    }
}
