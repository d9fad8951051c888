#include "contact/response/depth/depth.h"

#include "base/memory.h"
#include "mesh/cells.h"
#include "model/rigid_state.h"

#include <math.h>
#include <string.h>

enum { TASK_FACETS = 128 };

// ---- sizes and stiffness ----------------------------------------------------------------

static PalVec3 at_rest(const PalDepth *depth, int32_t vertex)
{
    const PalContactSurface *surface = depth->setup.surface;
    const PalModel *model = depth->setup.model;
    int32_t node = surface->vertex_node[vertex];
    if (vertex < surface->soft_vertex_count)
        return model->nodes[node];
    return model->rigids[surface->objects[surface->vertex_object[vertex]].index].mesh->nodes[node];
}

static void measure_facets(PalDepth *depth)
{
    const PalContactSurface *surface = depth->setup.surface;
    for (int32_t f = 0; f < surface->facet_count; ++f) {
        const int32_t *corners = surface->facets[f];
        PalVec3 x[3] = {at_rest(depth, corners[0]), at_rest(depth, corners[1]),
                        at_rest(depth, corners[2])};
        PalVec3 across = pal_vec3_cross(pal_vec3_sub(x[1], x[0]), pal_vec3_sub(x[2], x[0]));
        depth->facet_area[f] = pal_vec3_length(across) / 2;
        for (int a = 0; a < 3; ++a)
            depth->vertex_area[corners[a]] += depth->facet_area[f] / 3;
    }
    for (int32_t v = 0; v < surface->vertex_count; ++v) {
        int32_t first = surface->vertex_edges.start[v], last = surface->vertex_edges.start[v + 1];
        for (int32_t i = first; i < last; ++i) {
            const int32_t *edge = surface->edges[surface->vertex_edges.items[i]];
            depth->vertex_edge[v] +=
                pal_vec3_distance(at_rest(depth, edge[0]), at_rest(depth, edge[1]));
        }
        depth->vertex_edge[v] /= last > first ? last - first : 1;
    }
    for (int32_t o = 0; o < surface->object_count; ++o) {
        int32_t first = surface->object_first_vertex[o], last = surface->object_first_vertex[o + 1];
        for (int32_t v = first; v < last; ++v)
            depth->object_edge[o] += depth->vertex_edge[v] / (last - first);
    }
}

// Means of the cells around each vertex. An instrument is as stiff as whatever it meets.
static PalStatus measure_stiffness(PalDepth *depth)
{
    const PalContactSurface *surface = depth->setup.surface;
    const PalModel *model = depth->setup.model;
    size_t nodes = (size_t)model->node_count;
    double *sum = pal_alloc(nodes, sizeof *sum), *count = pal_alloc(nodes, sizeof *count);
    for (int32_t o = 0; o < surface->object_count; ++o)
        depth->object_young[o] = INFINITY;
    for (int32_t b = 0; sum != NULL && count != NULL && b < model->body_count; ++b) {
        const PalBody *body = &model->bodies[b];
        int32_t corners = pal_cell_node_count(body->mesh->cell_kind);
        for (int32_t c = 0; c < body->mesh->cell_count; ++c) {
            double young = model->cell_young[body->first_cell + c];
            depth->object_young[b] = fmin(depth->object_young[b], young);
            for (int32_t a = 0; a < corners; ++a) {
                int32_t n = body->first_node + body->mesh->cells[(int64_t)c * corners + a];
                sum[n] += young;
                count[n] += 1;
            }
        }
    }
    bool good = sum != NULL && count != NULL;
    for (int32_t v = 0; good && v < surface->soft_vertex_count; ++v) {
        int32_t n = surface->vertex_node[v];
        depth->vertex_young[v] = count[n] > 0 ? sum[n] / count[n] : 0;
    }
    pal_free(sum);
    pal_free(count);
    return good ? PAL_OK : PAL_NO_MEMORY;
}

// ---- creating ---------------------------------------------------------------------------

static bool allocate(PalDepth *depth)
{
    const PalContactSurface *surface = depth->setup.surface;
    size_t vertices = (size_t)surface->vertex_count, objects = (size_t)surface->object_count;
    size_t bodies = (size_t)surface->body_count, who = (size_t)surface->facet_count;
    if (depth->setup.at_vertices)
        who = vertices;
    double **numbers[] = {&depth->vertex_area, &depth->vertex_edge, &depth->vertex_young,
                          &depth->pressure, &depth->acting};
    bool good = true;
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; ++k) {
        *numbers[k] = pal_alloc(vertices, sizeof(double));
        good = good && *numbers[k] != NULL;
    }
    depth->task_count = (int32_t)((who + TASK_FACETS - 1) / TASK_FACETS);
    depth->facet_area = pal_alloc((size_t)surface->facet_count, sizeof *depth->facet_area);
    depth->object_young = pal_alloc(objects, sizeof *depth->object_young);
    depth->object_edge = pal_alloc(objects, sizeof *depth->object_edge);
    depth->object_stretch = pal_alloc(objects, sizeof *depth->object_stretch);
    depth->object_boxes = pal_alloc(objects, sizeof *depth->object_boxes);
    depth->fields = pal_alloc(bodies, sizeof *depth->fields);
    depth->trees = pal_alloc(bodies, sizeof *depth->trees);
    // NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers
    depth->boxes = pal_alloc(bodies, sizeof *depth->boxes);
    depth->lattices = pal_alloc(objects - bodies, sizeof *depth->lattices);
    depth->places = pal_alloc((size_t)depth->setup.model->node_count, sizeof *depth->places);
    depth->vertices = pal_alloc(vertices, sizeof *depth->vertices);
    depth->tasks = pal_alloc((size_t)depth->task_count, sizeof *depth->tasks);
    return good && depth->facet_area != NULL && depth->object_young != NULL &&
           depth->object_edge != NULL && depth->object_stretch != NULL &&
           depth->object_boxes != NULL && depth->fields != NULL && depth->trees != NULL &&
           depth->boxes != NULL && depth->lattices != NULL && depth->places != NULL &&
           depth->vertices != NULL && depth->tasks != NULL;
}

static void bound_cells(PalDepth *depth, int32_t body);

static PalStatus create_body(PalDepth *depth, int32_t body, PalError *error)
{
    if (!pal_pairs_touching(depth->setup.pairs, body) ||
        depth->setup.model->bodies[body].thickness != NULL)
        return PAL_OK;
    PAL_TRY(pal_depth_field_create(depth->setup.model, body, &depth->fields[body], error));
    depth->boxes[body] =
        pal_alloc((size_t)depth->fields[body].cell_count, sizeof *depth->boxes[body]);
    if (depth->boxes[body] == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for depths");
    bound_cells(depth, body);
    if (!pal_cell_tree_init(&depth->trees[body], depth->setup.tree, depth->boxes[body],
                            depth->fields[body].cell_count))
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for depths");
    return PAL_OK;
}

static PalStatus build(PalDepth *depth, PalError *error)
{
    const PalContactSurface *surface = depth->setup.surface;
    if (!allocate(depth) || measure_stiffness(depth) != PAL_OK)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for depths");
    depth->stiffest = INFINITY;
    measure_facets(depth);
    pal_depth_place(depth, NULL, NULL, 0);
    for (int32_t b = 0; b < surface->body_count; ++b)
        PAL_TRY(create_body(depth, b, error));
    double size = pal_contact_mean_edge(surface, depth->setup.pairs) / 2;
    for (int32_t o = surface->body_count; o < surface->object_count; ++o)
        if (pal_pairs_touching(depth->setup.pairs, o))
            PAL_TRY(
                pal_depth_lattice_create(depth->setup.model->rigids[surface->objects[o].index].mesh,
                                         size, &depth->lattices[o - surface->body_count], error));
    return PAL_OK;
}

PalStatus pal_depth_create(const PalDepthSetup *setup, PalDepth **result, PalError *error)
{
    *result = NULL;
    PalDepth *depth = pal_alloc(1, sizeof *depth);
    if (depth == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for depths");
    depth->setup = *setup;
    PalStatus status = build(depth, error);
    if (status != PAL_OK) {
        pal_depth_destroy(depth);
        return status;
    }
    *result = depth;
    return PAL_OK;
}

void pal_depth_destroy(PalDepth *depth)
{
    if (depth == NULL)
        return;
    const PalContactSurface *surface = depth->setup.surface;
    for (int32_t b = 0; depth->boxes != NULL && b < surface->body_count; ++b) {
        pal_depth_field_clear(&depth->fields[b]);
        pal_cell_tree_clear(&depth->trees[b]);
        pal_free(depth->boxes[b]);
    }
    int32_t rigids = surface->object_count - surface->body_count;
    for (int32_t r = 0; depth->lattices != NULL && r < rigids; ++r)
        pal_depth_lattice_clear(&depth->lattices[r]);
    for (int32_t t = 0; depth->tasks != NULL && t < depth->task_count; ++t) {
        pal_array_clear(&depth->tasks[t].items);
        pal_array_clear(&depth->tasks[t].found);
    }
    pal_array_clear(&depth->grips);
    pal_array_clear(&depth->old_grips);
    void *const all[] = {depth->vertex_area,  depth->vertex_edge,   depth->vertex_young,
                         depth->pressure,     depth->acting,        depth->facet_area,
                         depth->object_young, depth->object_boxes,  depth->fields,
                         depth->trees,        depth->boxes,         depth->lattices,
                         depth->places,       depth->vertices,      depth->tasks,
                         depth->object_edge,  depth->object_stretch};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k)
        pal_free(all[k]);
    pal_free(depth);
}

// ---- placing ----------------------------------------------------------------------------

static void widen(PalBounds *box, PalVec3 x)
{
    box->lower =
        pal_vec3(fmin(box->lower.x, x.x), fmin(box->lower.y, x.y), fmin(box->lower.z, x.z));
    box->upper =
        pal_vec3(fmax(box->upper.x, x.x), fmax(box->upper.y, x.y), fmax(box->upper.z, x.z));
}

static void bound_cells(PalDepth *depth, int32_t body)
{
    const PalDepthField *field = &depth->fields[body];
    const PalVec3 *nodes = depth->places + field->first_node;
    for (int32_t c = 0; c < field->cell_count; ++c) {
        const int32_t *points = field->cells[c].points;
        PalVec3 x = pal_depth_point_place(&field->points[points[0]], nodes);
        PalBounds box = {x, x};
        for (int k = 1; k < 4; ++k)
            widen(&box, pal_depth_point_place(&field->points[points[k]], nodes));
        depth->boxes[body][c] = box;
    }
}

PalVec3 pal_depth_rigid_place(const PalDepth *depth, int32_t object, PalVec3 at_start)
{
    if (depth->rigids == NULL)
        return at_start;
    const PalRigidState *state = &depth->rigids[depth->setup.surface->objects[object].index];
    PalVec3 from = pal_pose_apply(&state->pose, at_start);
    if (depth->part == 0)
        return from;
    PalVec3 to = pal_pose_apply(&state->next, at_start);
    return depth->part == 1 ? to : pal_vec3_add_scaled(from, depth->part, pal_vec3_sub(to, from));
}

PalVec3 pal_depth_rigid_rest(const PalDepth *depth, int32_t object, PalVec3 at_start)
{
    if (depth->rigids == NULL)
        return (PalVec3){0, 0, 0};
    const PalRigidState *state = &depth->rigids[depth->setup.surface->objects[object].index];
    return pal_vec3_sub(pal_pose_apply(&state->next, at_start),
                        pal_depth_rigid_place(depth, object, at_start));
}

void pal_depth_place(PalDepth *depth, const PalVec3 *displacement, const PalRigidState *rigids,
                     double part)
{
    const PalContactSurface *surface = depth->setup.surface;
    const PalModel *model = depth->setup.model;
    depth->rigids = rigids;
    depth->part = part;
    for (int32_t n = 0; n < model->node_count; ++n)
        depth->places[n] =
            displacement != NULL ? pal_vec3_add(model->nodes[n], displacement[n]) : model->nodes[n];
    for (int32_t v = 0; v < surface->vertex_count; ++v)
        depth->vertices[v] =
            v < surface->soft_vertex_count
                ? depth->places[surface->vertex_node[v]]
                : pal_depth_rigid_place(depth, surface->vertex_object[v], at_rest(depth, v));
    for (int32_t o = 0; o < surface->object_count; ++o) {
        int32_t first = surface->object_first_vertex[o], last = surface->object_first_vertex[o + 1];
        PalBounds box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
        for (int32_t v = first; v < last; ++v)
            widen(&box, depth->vertices[v]);
        depth->object_boxes[o] = box;
    }
    for (int32_t b = 0; b < surface->body_count; ++b) {
        if (depth->trees[b].node_count == 0)
            continue;
        bound_cells(depth, b);
        pal_cell_tree_refit(&depth->trees[b], depth->boxes[b]);
    }
}

PalStatus pal_depth_renew(PalDepth *depth, int32_t *renewed, PalError *error)
{
    *renewed = 0;
    for (int32_t b = 0; b < depth->setup.surface->body_count; ++b)
        if (depth->object_stretch[b] > PAL_DEPTH_STRETCH) {
            PAL_TRY(pal_depth_field_renew(depth->setup.model, b, depth->places, &depth->fields[b],
                                          error));
            ++*renewed;
        }
    return PAL_OK;
}

// ---- items ------------------------------------------------------------------------------

int32_t pal_depth_object_of(const PalDepth *depth, const PalDepthItem *item)
{
    const PalContactSurface *surface = depth->setup.surface;
    return depth->setup.at_vertices ? surface->vertex_object[item->who]
                                    : surface->facet_object[item->who];
}

void pal_depth_nodes(const PalDepth *depth, const PalDepthItem *item, int32_t nodes[PAL_DIP_NODES])
{
    const PalContactSurface *surface = depth->setup.surface;
    const int32_t *corners = depth->setup.at_vertices ? &item->who : surface->facets[item->who];
    for (int a = 0; a < 3; ++a) {
        bool there = a == 0 || !depth->setup.at_vertices;
        nodes[a] = there && corners[a] < surface->soft_vertex_count
                       ? surface->vertex_node[corners[a]]
                       : PAL_NONE;
    }
    for (int e = 0; e < 4; ++e)
        nodes[3 + e] = item->object < surface->body_count
                           ? depth->fields[item->object].first_node +
                                 depth->fields[item->object].cells[item->cell].nodes[e]
                           : PAL_NONE;
}

// A cell of a lattice by its number.
static void lattice_corners(const PalDepth *depth, int32_t object, int32_t number,
                            PalVec3 corners[4], double depths[4])
{
    const PalDepthLattice *lattice = &depth->lattices[object - depth->setup.surface->body_count];
    int32_t box = number / PAL_LATTICE_CELLS;
    int32_t at[3] = {box % lattice->counts[0], box / lattice->counts[0] % lattice->counts[1],
                     box / lattice->counts[0] / lattice->counts[1]};
    pal_depth_lattice_cell(lattice, at, number % PAL_LATTICE_CELLS, corners, depths);
}

PalVec3 pal_depth_corner_rest(const PalDepth *depth, const PalDepthItem *item, int corner)
{
    const PalContactSurface *surface = depth->setup.surface;
    if (corner < 3) {
        int32_t vertex = depth->setup.at_vertices ? item->who : surface->facets[item->who][corner];
        return pal_depth_rigid_rest(depth, surface->vertex_object[vertex], at_rest(depth, vertex));
    }
    PalVec3 corners[4];
    double depths[4];
    lattice_corners(depth, item->object, item->cell, corners, depths);
    return pal_depth_rigid_rest(depth, item->object, corners[corner - 3]);
}

static PalDipCell lattice_cell(const PalDepth *depth, int32_t object, int32_t number,
                               double clips[5][4])
{
    PalDipCell cell = {.clip_count = 5};
    lattice_corners(depth, object, number, cell.corners, cell.depth);
    pal_depth_lattice_clips(cell.depth, clips);
    cell.clips = (const double(*)[4])clips;
    for (int e = 0; e < 4; ++e)
        cell.corners[e] = pal_depth_rigid_place(depth, object, cell.corners[e]);
    return cell;
}

void pal_depth_parts(const PalDepth *depth, const PalDepthItem *item, double clips[5][4],
                     PalDipTriangle *triangle, PalDipCell *cell)
{
    const PalContactSurface *surface = depth->setup.surface;
    *triangle = (PalDipTriangle){.area = 0};
    memcpy(triangle->stiffness, item->stiffness, sizeof triangle->stiffness);
    if (depth->setup.at_vertices) {
        triangle->area = depth->vertex_area[item->who];
        triangle->corners[0] = depth->vertices[item->who];
    } else {
        triangle->area = depth->facet_area[item->who];
        for (int a = 0; a < 3; ++a)
            triangle->corners[a] = depth->vertices[surface->facets[item->who][a]];
    }
    if (item->object < surface->body_count) {
        const PalDepthField *field = &depth->fields[item->object];
        *cell = pal_depth_field_cell(field, item->cell, depth->places + field->first_node);
    } else {
        *cell = lattice_cell(depth, item->object, item->cell, clips);
    }
}

void pal_depth_resultant(const PalDepth *depth, const PalDepthItem *item, PalVec3 *place,
                         PalVec3 *force)
{
    const PalContactSurface *surface = depth->setup.surface;
    double sum = item->dip.load[0] + item->dip.load[1] + item->dip.load[2];
    *force = pal_vec3_scale(-sum, item->dip.normal);
    *place = (PalVec3){0, 0, 0};
    if (depth->setup.at_vertices)
        *place = depth->vertices[item->who];
    for (int a = 0; a < 3 && !depth->setup.at_vertices; ++a)
        *place = pal_vec3_add_scaled(*place, sum > 0 ? item->dip.load[a] / sum : 1.0 / 3,
                                     depth->vertices[surface->facets[item->who][a]]);
}
