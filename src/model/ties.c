// Where a selection holds whole facets, values are projected by dual shape functions, integrated
// over the parts of triangles that lie over each other: patches of constant stress pass. Single
// nodes are tied to the place nearest to them.
#include "model/ties.h"

#include "base/array.h"
#include "base/memory.h"
#include "math/vec3.h"
#include "mesh/cells.h"

#include <math.h>
#include <stdlib.h>

#define COVERED 1e-6  // part of a facet that may lie beside the other body
#define NOTHING 1e-12
#define NEARLY  1e-9  // of a facet's size: as good as on it

typedef struct Term {
    int32_t to, next;  // of the same node, or PAL_NONE
    double weight;
} Term;

typedef struct Builder {
    const PalModel *model;
    PAL_ARRAY(Term) terms;  // of the condition at hand
    int32_t *first;         // per node of the body: its first term, or PAL_NONE
    int32_t *counts;        // and how many there are
    PalTies *ties;
    PalError *error;
} Builder;

// ---- one condition ----------------------------------------------------------------------

// Surfaces of both bodies as triangles of model nodes.
typedef struct Side {
    PalMesh *mesh;
    int32_t first_node;
} Side;

static PalStatus make_side(const PalModel *model, int32_t body_index, Side *side, PalError *error)
{
    const PalBody *body = &model->bodies[body_index];
    const PalSurface *surface = body->surface;
    int32_t per = surface->corner_count - 2, count = surface->facet_count * per;
    int32_t *cells = pal_alloc((size_t)count, 3 * sizeof *cells);
    if (cells == NULL)
        return pal_mesh_no_memory(error);
    for (int32_t t = 0; t < count; ++t) {
        const int32_t *n = surface->facets + (int64_t)(t / per) * surface->corner_count;
        cells[3 * t] = n[0];
        cells[3 * t + 1] = n[1 + t % per];
        cells[3 * t + 2] = n[2 + t % per];
    }
    PalMeshDef def = {PAL_CELL_TRIANGLE, body->mesh->node_count, model->nodes + body->first_node,
                      count, cells};
    side->first_node = body->first_node;
    PalStatus status = pal_mesh_create(&def, &side->mesh, error);
    pal_free(cells);
    return status;
}

// A polygon in the plane of a facet; clipping a triangle by another leaves at most six corners.
typedef struct Polygon {
    int count;
    double x[9][2];
} Polygon;

// What lies to the left of the line from a to b.
static void clip(Polygon *polygon, const double a[2], const double b[2])
{
    Polygon cut = {0};
    for (int k = 0; k < polygon->count; ++k) {
        const double *p = polygon->x[k], *q = polygon->x[(k + 1) % polygon->count];
        double at_p = (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
        double at_q = (b[0] - a[0]) * (q[1] - a[1]) - (b[1] - a[1]) * (q[0] - a[0]);
        if (at_p >= 0) {
            cut.x[cut.count][0] = p[0];
            cut.x[cut.count++][1] = p[1];
        }
        if ((at_p >= 0) != (at_q >= 0)) {
            double t = at_p / (at_p - at_q);
            cut.x[cut.count][0] = p[0] + t * (q[0] - p[0]);
            cut.x[cut.count++][1] = p[1] + t * (q[1] - p[1]);
        }
    }
    *polygon = cut;
}

static double area_of(const double a[2], const double b[2], const double c[2])
{
    return ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])) / 2;
}

static void shape_at(double corners[3][2], const double p[2], double N[3])
{
    double whole = area_of(corners[0], corners[1], corners[2]);
    for (int k = 0; k < 3; ++k)
        N[k] = area_of(corners[(k + 1) % 3], corners[(k + 2) % 3], p) / whole;
}

// Integrals of (4 N_i - 1) N_j over what two triangles have in common; returns its area.
static double integrate(double a[3][2], double b[3][2], double M[3][3])
{
    Polygon common = {.count = 3};
    double all = 0;
    bool turned = area_of(b[0], b[1], b[2]) < 0;
    for (int k = 0; k < 6; ++k)
        common.x[k / 2][k % 2] = a[k / 2][k % 2];
    for (int k = 0; k < 3 && common.count > 2; ++k)
        clip(&common, turned ? b[(k + 1) % 3] : b[k], turned ? b[k] : b[(k + 1) % 3]);
    for (int t = 1; t + 1 < common.count; ++t) {
        const double *x[3] = {common.x[0], common.x[t], common.x[t + 1]};
        double area = area_of(x[0], x[1], x[2]);
        all += area;
        for (int m = 0; m < 3; ++m) {  // middles of sides: exact for squares
            double p[2], Na[3], Nb[3];
            for (int i = 0; i < 2; ++i)
                p[i] = (x[m][i] + x[(m + 1) % 3][i]) / 2;
            shape_at(a, p, Na);
            shape_at(b, p, Nb);
            for (int k = 0; k < 9; ++k)
                M[k / 3][k % 3] += area / 3 * (4 * Na[k / 3] - 1) * Nb[k % 3];
        }
    }
    return all;
}

static void flatten(const PalVec3 corners[3], PalVec3 origin, const PalVec3 axes[2],
                    double flat[3][2])
{
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 2; ++i)
            flat[k][i] = pal_vec3_dot(pal_vec3_sub(corners[k], origin), axes[i]);
}

static bool add_term(Builder *builder, int32_t node, int32_t to, double weight)
{
    for (int32_t t = builder->first[node]; t != PAL_NONE; t = builder->terms.items[t].next)
        if (builder->terms.items[t].to == to) {
            builder->terms.items[t].weight += weight;
            return true;
        }
    Term term = {to, builder->first[node], weight};
    builder->first[node] = builder->terms.count;
    ++builder->counts[node];
    return pal_array_push(&builder->terms, term);
}

// Adds one facet, over all facets of the other side that are near and face it or away from it.
static bool project_facet(Builder *builder, const Side *own, const Side *other, int32_t cell,
                          double *covered)
{
    const int32_t *n = pal_mesh_cell(own->mesh, cell);
    PalVec3 x[3] = {own->mesh->nodes[n[0]], own->mesh->nodes[n[1]], own->mesh->nodes[n[2]]};
    PalVec3 first = pal_vec3_sub(x[1], x[0]);
    PalVec3 normal = pal_vec3_normalise(pal_vec3_cross(first, pal_vec3_sub(x[2], x[0])));
    PalVec3 axes[2] = {pal_vec3_normalise(first)};
    axes[1] = pal_vec3_cross(normal, axes[0]);
    double a[3][2], size = pal_cell_volume(own->mesh, cell), reach = sqrt(size), sum = 0;
    flatten(x, x[0], axes, a);
    for (int32_t c = 0; c < other->mesh->cell_count; ++c) {
        const int32_t *m = pal_mesh_cell(other->mesh, c);
        PalVec3 y[3] = {other->mesh->nodes[m[0]], other->mesh->nodes[m[1]],
                        other->mesh->nodes[m[2]]};
        PalVec3 away = pal_vec3_sub(y[0], x[0]);
        double b[3][2], M[3][3] = {{0}}, height = pal_vec3_dot(away, normal);
        PalVec3 facing = pal_vec3_cross(pal_vec3_sub(y[1], y[0]), pal_vec3_sub(y[2], y[0]));
        bool across = fabs(pal_vec3_dot(facing, normal)) < 0.5 * pal_vec3_length(facing);
        if (across || fabs(height) > reach)
            continue;
        flatten(y, x[0], axes, b);
        double part = integrate(a, b, M);
        sum += part;
        for (int k = 0; part > NOTHING * size && k < 9; ++k)
            if (!add_term(builder, n[k / 3], m[k % 3], M[k / 3][k % 3]))
                return false;
    }
    *covered = sum / size;
    return true;
}

// Nodes of facets of the selection that lie over the other body entirely get projected values.
static bool project(Builder *builder, const Side *own, const Side *other, const uint8_t *selected,
                    double *shares)
{
    for (int32_t c = 0; c < own->mesh->cell_count; ++c) {
        const int32_t *n = pal_mesh_cell(own->mesh, c);
        double covered = 0;
        if (!selected[n[0]] || !selected[n[1]] || !selected[n[2]])
            continue;
        if (!project_facet(builder, own, other, c, &covered))
            return false;
        for (int k = 0; k < 3; ++k) {
            bool whole = fabs(covered - 1) < COVERED && shares[n[k]] >= 0;
            shares[n[k]] = whole ? shares[n[k]] + pal_cell_volume(own->mesh, c) / 3 : -1;
        }
    }
    return true;
}

// ---- putting together -------------------------------------------------------------------

static PalStatus no_memory(PalError *error)
{
    return pal_error_set(error, PAL_NO_MEMORY, "no memory for what is attached");
}

static bool grow_terms(PalTies *ties, int32_t more)
{
    int32_t count = ties->start[ties->count];
    int32_t *to = realloc(ties->to, (size_t)(count + more + 1) * sizeof *to);
    if (to != NULL)
        ties->to = to;
    double *weight = realloc(ties->weight, (size_t)(count + more + 1) * sizeof *weight);
    if (weight != NULL)
        ties->weight = weight;
    return to != NULL && weight != NULL;
}

static PalStatus check_node(const Builder *builder, const PalConditionDef *def, const Side *own,
                            const Side *other, int32_t n, const PalMeshPlace *found)
{
    const PalModel *model = builder->model;
    PalMeshPlace place = *found;
    PalVec3 at = own->mesh->nodes[n];
    double longest = 0;
    for (int k = 0; k < 3; ++k)
        longest = fmax(longest, pal_vec3_distance(other->mesh->nodes[place.nodes[k]],
                                                  other->mesh->nodes[place.nodes[(k + 1) % 3]]));
    int32_t node = own->first_node + n;
    if (place.distance > longest)
        return pal_error_set(
            builder->error, PAL_BAD_INPUT,
            "node %d of body \"%s\", at (%g, %g, %g), is to be attached to \"%s\", "
            "which is %.4g away there, expected at most an edge of it, %.4g",
            (int)n, model->bodies[def->body_index].name, at.x, at.y, at.z,
            model->bodies[def->other_body].name, place.distance, longest);
    if (model->held[node] != 0 || pal_ties_find(builder->ties, node) != PAL_NONE)
        return pal_error_set(
            builder->error, PAL_BAD_INPUT,
            "node %d of body \"%s\", at (%g, %g, %g), is to be attached, but it is "
            "%s already, expected a node that is free",
            (int)n, model->bodies[def->body_index].name, at.x, at.y, at.z,
            model->held[node] != 0 ? "held" : "attached");
    return PAL_OK;
}

// Whether a point is straight above a facet, or below it, no farther than the place that is known.
static bool is_above(const PalMesh *mesh, const int32_t *n, PalVec3 point, PalMeshPlace *place)
{
    PalVec3 a = mesh->nodes[n[0]], arm = pal_vec3_sub(point, a);
    PalVec3 edges[2] = {pal_vec3_sub(mesh->nodes[n[1]], a), pal_vec3_sub(mesh->nodes[n[2]], a)};
    PalVec3 twice = pal_vec3_cross(edges[0], edges[1]);
    double square = pal_vec3_dot(twice, twice);
    double second = pal_vec3_dot(pal_vec3_cross(arm, edges[1]), twice) / square;
    double third = pal_vec3_dot(pal_vec3_cross(edges[0], arm), twice) / square;
    double weights[3] = {1 - second - third, second, third};
    double height = fabs(pal_vec3_dot(arm, twice)) / sqrt(square);
    if (!(weights[0] >= -NEARLY && weights[1] >= -NEARLY && weights[2] >= -NEARLY &&
          height <= (1 + NEARLY) * place->distance))
        return false;  // nor is it above a facet without a direction
    double sum = fmax(weights[0], 0) + fmax(weights[1], 0) + fmax(weights[2], 0);
    for (int k = 0; k < 3; ++k) {
        place->nodes[k] = n[k];
        place->weights[k] = fmax(weights[k], 0) / sum;
    }
    return true;
}

// The nearest place may be on an edge, where several facets are as near: the one that the point is
// straight above can take it along.
static void choose_facet(const PalMesh *mesh, PalVec3 point, PalMeshPlace *place)
{
    int32_t nodes[3] = {place->nodes[0], place->nodes[1], place->nodes[2]};
    for (int32_t c = 0; c < mesh->cell_count; ++c) {
        const int32_t *n = pal_mesh_cell(mesh, c);
        bool near = false;
        for (int k = 0; k < 9; ++k)
            near = near || n[k / 3] == nodes[k % 3];
        if (near && is_above(mesh, n, point, place))
            return;
    }
}

static void add_weight(PalTies *ties, int32_t to, double weight)
{
    int32_t *end = &ties->start[ties->count + 1];
    for (int32_t i = ties->start[ties->count]; i < *end; ++i)
        if (ties->to[i] == to) {
            ties->weight[i] += weight;
            return;
        }
    ties->to[*end] = to;
    ties->weight[(*end)++] = weight;
}

// What is left between a node and the mean of those it is tied to: along the facet it is one of its
// corners, across it a height.
static void add_rest(const PalModel *model, PalTies *ties, PalVec3 own)
{
    const int32_t *facet = ties->facet[ties->count];
    PalVec3 rest = own, a = model->nodes[facet[0]];
    PalVec3 edges[2] = {pal_vec3_sub(model->nodes[facet[1]], a),
                        pal_vec3_sub(model->nodes[facet[2]], a)};
    PalVec3 twice = pal_vec3_cross(edges[0], edges[1]), normal = pal_vec3_normalise(twice);
    double size = sqrt(pal_vec3_length(twice));
    for (int32_t i = ties->start[ties->count]; i < ties->start[ties->count + 1]; ++i)
        rest = pal_vec3_add_scaled(rest, -ties->weight[i], model->nodes[ties->to[i]]);
    double height = pal_vec3_dot(rest, normal), square = pal_vec3_dot(twice, twice);
    double second = pal_vec3_dot(pal_vec3_cross(rest, edges[1]), twice) / square;
    double third = pal_vec3_dot(pal_vec3_cross(edges[0], rest), twice) / square;
    if (fabs(second) + fabs(third) > NEARLY) {
        add_weight(ties, facet[0], -second - third);
        add_weight(ties, facet[1], second);
        add_weight(ties, facet[2], third);
    }
    ties->height[ties->count] = fabs(height) > NEARLY * size ? height : 0;
    ties->normal[ties->count] = normal;
}

static PalStatus tie_node(Builder *builder, const PalConditionDef *def, const Side *own,
                          const Side *other, int32_t n, double share)
{
    PalTies *ties = builder->ties;
    PalMeshPlace place;
    int32_t node = own->first_node + n;
    PAL_TRY(pal_mesh_locate(other->mesh, own->mesh->nodes[n], &place, builder->error));
    PAL_TRY(check_node(builder, def, own, other, n, &place));
    if (place.distance > 0)
        choose_facet(other->mesh, own->mesh->nodes[n], &place);
    if (!grow_terms(ties, builder->counts[n] + 6))
        return no_memory(builder->error);
    int32_t first = ties->start[ties->count], *end = &ties->start[ties->count + 1];
    *end = first;
    for (int32_t t = builder->first[n]; share > 0 && t != PAL_NONE;
         t = builder->terms.items[t].next)
        if (fabs(builder->terms.items[t].weight) > NOTHING * share)
            add_weight(ties, other->first_node + builder->terms.items[t].to,
                       builder->terms.items[t].weight / share);
    for (int k = 0; !(share > 0) && k < 3; ++k)
        if (place.weights[k] > 0)
            add_weight(ties, other->first_node + place.nodes[k], place.weights[k]);
    double sum = 0;
    for (int32_t i = first; i < *end; ++i)
        sum += ties->weight[i];
    for (int32_t i = first; i < *end; ++i)
        ties->weight[i] /= sum;
    for (int k = 0; k < 3; ++k) {
        ties->facet[ties->count][k] = other->first_node + place.nodes[k];
        ties->place[ties->count][k] = place.weights[k];
    }
    add_rest(builder->model, ties, own->mesh->nodes[n]);
    ties->body[ties->count] = def->other_body;
    ties->of_node[node] = ties->count;
    ties->node[ties->count++] = node;
    return PAL_OK;
}

static PalStatus tie_selected(Builder *builder, const PalConditionDef *def, const Side *own,
                              const Side *other, const int32_t *nodes, int32_t count)
{
    size_t all = (size_t)own->mesh->node_count;
    uint8_t *selected = pal_alloc(all, sizeof *selected);
    double *shares = pal_alloc(all, sizeof *shares);
    builder->first = pal_alloc(all, sizeof *builder->first);
    builder->counts = pal_alloc(all, sizeof *builder->counts);
    bool room =
        selected != NULL && shares != NULL && builder->first != NULL && builder->counts != NULL;
    PalStatus status = room ? PAL_OK : no_memory(builder->error);
    for (int32_t i = 0; status == PAL_OK && i < count; ++i)
        selected[nodes[i]] = 1;
    for (size_t n = 0; status == PAL_OK && n < all; ++n)
        builder->first[n] = PAL_NONE;
    builder->terms.count = 0;
    if (status == PAL_OK && !project(builder, own, other, selected, shares))
        status = no_memory(builder->error);
    for (int32_t i = 0; status == PAL_OK && i < count; ++i)
        status = tie_node(builder, def, own, other, nodes[i], shares[nodes[i]]);
    pal_free(selected);
    pal_free(shares);
    pal_free(builder->first);
    pal_free(builder->counts);
    return status;
}

static PalStatus tie_condition(Builder *builder, const PalConditionDef *def)
{
    const PalModel *model = builder->model;
    if (def->other_body < 0 || def->other_body >= model->body_count ||
        def->other_body == def->body_index)
        return pal_error_set(builder->error, PAL_BAD_INPUT,
                             "body \"%s\" is attached to no other body",
                             model->bodies[def->body_index].name);
    Side own = {0}, other = {0};
    int32_t *nodes = NULL, count = 0;
    PalStatus status = make_side(model, def->body_index, &own, builder->error);
    if (status == PAL_OK)
        status = make_side(model, def->other_body, &other, builder->error);
    if (status == PAL_OK)
        status = pal_mesh_select_nodes(model->bodies[def->body_index].mesh, &def->where, &nodes,
                                       &count, builder->error);
    if (status == PAL_OK)
        status = tie_selected(builder, def, &own, &other, nodes, count);
    free(nodes);
    pal_mesh_destroy(own.mesh);
    pal_mesh_destroy(other.mesh);
    return status;
}

// The mass of what is tied goes to what it is tied to. A node beside a facet has a weight below 0
// there; no mass is.
static void move_mass(const PalTies *ties, int32_t t, double *masses)
{
    double mass = masses[ties->node[t]], sum = 0;
    for (int32_t i = ties->start[t]; i < ties->start[t + 1]; ++i)
        sum += fmax(ties->weight[i], 0);
    for (int32_t i = ties->start[t]; i < ties->start[t + 1]; ++i)
        masses[ties->to[i]] += fmax(ties->weight[i], 0) / sum * mass;
    masses[ties->node[t]] = 1e-20 * mass;  // none, but something to divide by
}

// What is tied may not be tied to.
static PalStatus settle(PalModel *model, PalTies *ties, PalError *error)
{
    for (int32_t i = 0; i < ties->start[ties->count]; ++i)
        if (pal_ties_find(ties, ties->to[i]) != PAL_NONE)
            return pal_error_set(error, PAL_BAD_INPUT,
                                 "a node at (%g, %g, %g) is attached, and something is attached to "
                                 "it, expected one or the other",
                                 model->nodes[ties->to[i]].x, model->nodes[ties->to[i]].y,
                                 model->nodes[ties->to[i]].z);
    for (int32_t t = 0; t < ties->count; ++t)
        move_mass(ties, t, model->mass);
    return PAL_OK;
}

PalStatus pal_ties_create(const PalModelDef *def, PalModel *model, PalError *error)
{
    bool any = false;
    for (int32_t c = 0; c < def->condition_count; ++c)
        any = any || def->conditions[c].kind == PAL_CONDITION_ATTACH;
    if (!any)
        return PAL_OK;
    size_t most = (size_t)model->node_count;
    PalTies *ties = model->ties = pal_alloc(1, sizeof *ties);
    if (ties == NULL)
        return no_memory(error);
    ties->node = pal_alloc(most, sizeof *ties->node);
    ties->body = pal_alloc(most, sizeof *ties->body);
    ties->of_node = pal_alloc(most, sizeof *ties->of_node);
    ties->height = pal_alloc(most, sizeof *ties->height);
    ties->normal = pal_alloc(most, sizeof *ties->normal);
    ties->start = pal_alloc(most + 1, sizeof *ties->start);
    ties->facet = pal_alloc(most, sizeof *ties->facet);
    ties->place = pal_alloc(most, sizeof *ties->place);
    if (ties->node == NULL || ties->body == NULL || ties->of_node == NULL || ties->start == NULL ||
        ties->facet == NULL || ties->place == NULL || ties->height == NULL || ties->normal == NULL)
        return no_memory(error);
    for (size_t n = 0; n < most; ++n)
        ties->of_node[n] = PAL_NONE;
    Builder builder = {.model = model, .ties = ties, .error = error};
    PalStatus status = PAL_OK;
    for (int32_t c = 0; status == PAL_OK && c < def->condition_count; ++c)
        if (def->conditions[c].kind == PAL_CONDITION_ATTACH) {
            status = tie_condition(&builder, &def->conditions[c]);
            if (status != PAL_OK && error != NULL)
                error->condition = 1 + c;
        }
    pal_array_clear(&builder.terms);
    return status == PAL_OK ? settle(model, ties, error) : status;
}

void pal_ties_destroy(PalTies *ties)
{
    if (ties == NULL)
        return;
    pal_free(ties->node);
    pal_free(ties->start);
    free(ties->to);
    free(ties->weight);
    pal_free(ties->body);
    pal_free(ties->of_node);
    pal_free(ties->facet);
    pal_free(ties->place);
    pal_free(ties->height);
    pal_free(ties->normal);
    pal_free(ties);
}
