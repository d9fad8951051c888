#include "output/frame.h"

#include "base/choice.h"
#include "base/memory.h"
#include "math/vec3.h"
#include "output/text.h"

#include <math.h>
#include <string.h>

// Which sides of the halves of a quadrilateral are the mesh's, see PalFrame.triangle_edges.
enum { FIRST_HALF = 3, SECOND_HALF = 6 };

// Cosines between a force and the normal of a facet: it presses on the facet from the first one on,
// and on all of it from the second one on.
#define FACING 0.3
#define FACES  0.5

static const PalChoice fields_of_frames[] = {
    [PAL_FIELD_DISPLACEMENT] = {"displacement", "Displacement of the nodes."},
    [PAL_FIELD_VELOCITY] = {"velocity", "Velocity of the nodes."},
    [PAL_FIELD_STRESS] = {"stress", "Cauchy stress of the cells, and von Mises stress."},
    [PAL_FIELD_ENERGY] = {"energy", "Strain energy density of the cells."},
    [PAL_FIELD_CONTACT] = {"contact", "Force and pressure of contact at the nodes."},
    [PAL_FIELD_STRAIN] = {"strain", "Green-Lagrange strain of the cells."},
    [PAL_FIELD_VOLUME] = {"volume", "Volume of the cells over their volume at rest."},
};

PAL_CHOICE_ARRAY(field, PalField, fields_of_frames)

static uint8_t vtk_type(PalCellKind kind)
{
    static const uint8_t types[] = {[PAL_CELL_TRIANGLE] = 5,
                                    [PAL_CELL_TETRAHEDRON] = 10,
                                    [PAL_CELL_HEXAHEDRON] = 12,
                                    [PAL_CELL_QUADRATIC_TETRAHEDRON] = 24};
    return types[kind];
}

static const PalMesh *mesh_of(const PalModel *model, int32_t b)
{
    return b < model->body_count ? model->bodies[b].mesh
                                 : model->rigids[b - model->body_count].mesh;
}

static void count_everything(PalFrame *frame, const PalModel *model)
{
    frame->soft_body_count = model->body_count;
    frame->body_count = model->body_count + model->rigid_count;
    for (int32_t b = 0; b < frame->body_count; ++b) {
        const PalMesh *mesh = mesh_of(model, b);
        frame->point_count += mesh->node_count;
        frame->cell_count += mesh->cell_count;
        frame->corner_count += (int64_t)mesh->cell_count * pal_cell_node_count(mesh->cell_kind);
        if (b < model->body_count) {
            const PalSurface *surface = model->bodies[b].surface;
            frame->soft_point_count += mesh->node_count;
            frame->soft_cell_count += mesh->cell_count;
            frame->triangle_count += surface->facet_count * (surface->corner_count - 2);
        } else {
            frame->triangle_count += mesh->cell_count;
        }
    }
}

static bool allocate(PalFrame *frame)
{
    size_t points = (size_t)frame->point_count, triangles = (size_t)frame->triangle_count;
    bool good = true;
#define TAKE(field, count) good = (frame->field = pal_alloc(count, sizeof *frame->field)) && good
    TAKE(bodies, (size_t)frame->body_count);
    TAKE(reference, points);
    TAKE(displacement, points);
    TAKE(velocity, points);
    TAKE(position, points);
    TAKE(contact, points);
    TAKE(pressure, points);
    TAKE(area, points);
    TAKE(area_squares, points);
    TAKE(triangles, triangles);
    TAKE(triangle_edges, triangles);
    TAKE(triangle_body, triangles);
#undef TAKE
    return good;
}

static void add_triangle(PalFrame *frame, int32_t *count, const int32_t corners[3], uint8_t edges)
{
    memcpy(frame->triangles[*count], corners, sizeof frame->triangles[0]);
    frame->triangle_edges[*count] = edges;
    ++*count;
}

static void add_facets(PalFrame *frame, int32_t *count, const PalSurface *surface, int32_t first)
{
    for (int32_t f = 0; f < surface->facet_count; ++f) {
        int32_t n[4];
        for (int a = 0; a < surface->corner_count; ++a)
            n[a] = first + surface->facets[f * surface->corner_count + a];
        if (surface->corner_count == 3) {
            add_triangle(frame, count, n, 7);
        } else {
            add_triangle(frame, count, n, FIRST_HALF);
            add_triangle(frame, count, (int32_t[]){n[0], n[2], n[3]}, SECOND_HALF);
        }
    }
}

static void fill_body(PalFrame *frame, const PalModel *model, int32_t b, PalFrameBody *next)
{
    const PalMesh *mesh = mesh_of(model, b);
    bool soft = b < model->body_count;
    const PalRigid *rigid = soft ? NULL : &model->rigids[b - model->body_count];
    PalFrameBody *body = &frame->bodies[b];
    *body = *next;
    body->name = soft ? model->bodies[b].name : rigid->name;
    body->cells = mesh->cells;
    body->cell_count = mesh->cell_count;
    body->corner_count = pal_cell_node_count(mesh->cell_kind);
    body->type = vtk_type(mesh->cell_kind);
    body->free = !soft && rigid->free;
    memcpy(frame->reference + body->first_point,
           soft ? model->nodes + body->first_point : mesh->nodes,
           (size_t)mesh->node_count * sizeof *mesh->nodes);
    next->first_point += mesh->node_count;
    next->first_cell += mesh->cell_count;
    next->first_corner += (int64_t)mesh->cell_count * body->corner_count;
}

static void fill_triangles(PalFrame *frame, const PalModel *model, int32_t b, int32_t *count)
{
    const PalFrameBody *body = &frame->bodies[b];
    int32_t first = *count;
    if (b < model->body_count)
        add_facets(frame, count, model->bodies[b].surface, body->first_point);
    for (int32_t e = 0; b >= model->body_count && e < body->cell_count; ++e) {
        int32_t corners[3];
        for (int a = 0; a < 3; ++a)
            corners[a] = body->first_point + body->cells[3 * e + a];
        add_triangle(frame, count, corners, 7);
    }
    for (int32_t t = first; t < *count; ++t)
        frame->triangle_body[t] = b;
}

PalStatus pal_frame_create(const PalModel *model, PalFrame **frame, PalError *error)
{
    PalFrame *made = pal_alloc(1, sizeof *made);
    *frame = made;
    if (made != NULL)
        count_everything(made, model);
    if (made == NULL || !allocate(made)) {
        pal_frame_destroy(made);
        *frame = NULL;
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for a frame");
    }
    PalFrameBody next = {0};
    int32_t triangle_count = 0;
    for (int32_t b = 0; b < made->body_count; ++b) {
        fill_body(made, model, b, &next);
        fill_triangles(made, model, b, &triangle_count);
    }
    made->material = model->cell_material;
    for (int32_t b = 0; b < model->body_count; ++b)
        made->has_thin = made->has_thin || model->bodies[b].thickness != NULL;
    pal_frame_place(made);
    return PAL_OK;
}

void pal_frame_destroy(PalFrame *frame)
{
    if (frame == NULL)
        return;
    void *const owned[] = {
        frame->bodies,         frame->reference,    frame->displacement,
        frame->velocity,       frame->position,     frame->contact,
        frame->pressure,       frame->area,         frame->von_mises,
        frame->energy_density, frame->volume_ratio, frame->stress,
        frame->strain,         frame->triangles,    frame->triangle_edges,
        frame->triangle_body,  frame->thickness,    frame->top,
        frame->bottom,         frame->tension,      frame->moment,
        frame->area_squares,
    };
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; ++i)
        pal_free(owned[i]);
    pal_free(frame);
}

void pal_frame_place(PalFrame *frame)
{
    for (int32_t n = 0; n < frame->point_count; ++n)
        frame->position[n] = pal_vec3_add(frame->reference[n], frame->displacement[n]);
}

static PalVec3 area_of(const PalFrame *frame, int32_t triangle)
{
    const int32_t *n = frame->triangles[triangle];
    PalVec3 a = frame->position[n[0]];
    return pal_vec3_scale(0.5, pal_vec3_cross(pal_vec3_sub(frame->position[n[1]], a),
                                              pal_vec3_sub(frame->position[n[2]], a)));
}

static void add_pressure(PalFrame *frame, int32_t n, PalVec3 share)
{
    double inward = -pal_vec3_dot(frame->contact[n], share), area = pal_vec3_length(share);
    double most = area * pal_vec3_length(frame->contact[n]);
    if (!(inward > FACING * most))
        return;
    double part = fmin((inward / most - FACING) / (FACES - FACING), 1);
    frame->pressure[n] += part * inward;
    frame->area[n] += part * area;
    frame->area_squares[n] += part * part * area;
}

// A node's force, along the normals of the facets around it, over its share of their areas. Facets
// that face away from the force are none of its business: around the edge of a block, say. Those
// that face it a little count in part, so that nothing jumps when it turns, and no pressure is left
// when none faces it: the area is that of a facet alone, whatever its part, and the sum of those
// that count in full.
void pal_frame_find_pressures(PalFrame *frame)
{
    memset(frame->pressure, 0, (size_t)frame->point_count * sizeof *frame->pressure);
    memset(frame->area, 0, (size_t)frame->point_count * sizeof *frame->area);
    memset(frame->area_squares, 0, (size_t)frame->point_count * sizeof *frame->area_squares);
    for (int32_t t = 0; t < frame->triangle_count; ++t) {
        if (frame->triangle_body[t] >= frame->soft_body_count)
            continue;
        const int32_t *n = frame->triangles[t];
        PalVec3 area = area_of(frame, t);
        bool quad = frame->triangle_edges[t] == FIRST_HALF;
        if (quad)
            area = pal_vec3_add(area, area_of(frame, ++t));
        PalVec3 share = pal_vec3_scale(quad ? 1.0 / 4 : 1.0 / 3, area);
        for (int i = 0; i < 3; ++i)
            add_pressure(frame, n[i], share);
        if (quad)
            add_pressure(frame, frame->triangles[t][2], share);
    }
    for (int32_t n = 0; n < frame->soft_point_count; ++n) {
        double sum = frame->area[n];
        if (!(sum > 0))
            continue;
        frame->area[n] = sum * sum / frame->area_squares[n];
        frame->pressure[n] /= frame->area[n] * frame->area[n];
    }
}

int32_t pal_frame_move_rigid(PalFrame *frame, int32_t first, const PalRigid *rigid,
                             const PalPose *pose, const PalTwist *twist)
{
    int32_t end = first + rigid->mesh->node_count;
    for (int32_t n = first; n < end; ++n) {
        PalVec3 x = pal_pose_apply(pose, frame->reference[n]);
        PalVec3 swing = pal_vec3_cross(twist->spin, pal_vec3_sub(x, pose->centre));
        frame->displacement[n] = pal_vec3_sub(x, frame->reference[n]);
        frame->velocity[n] = pal_vec3_add(swing, twist->velocity);
    }
    return end;
}

void pal_frame_follow(PalFrame *frame, PalSim *sim)
{
    const PalModel *model = pal_sim_model(sim);
    const PalState *state = pal_sim_state(sim);
    frame->time = pal_time_shown(state->time);
    frame->step_count = state->step_count;
    // numbers that are read together, while they are at hand
    frame->measures = pal_sim_measure(sim, frame->still ? NULL : frame->velocity);
    for (int32_t n = 0; n < frame->soft_point_count; ++n) {
        frame->displacement[n] = state->displacement[n];
        frame->position[n] = pal_vec3_add(frame->reference[n], state->displacement[n]);
    }
    for (int32_t r = 0, n = frame->soft_point_count; r < model->rigid_count; ++r) {
        PalPose pose;
        PalTwist twist;
        pal_sim_rigid_motion(sim, r, &pose, &twist);
        int32_t end = pal_frame_move_rigid(frame, n, &model->rigids[r], &pose, &twist);
        for (; n < end; ++n)
            frame->position[n] = pal_vec3_add(frame->reference[n], frame->displacement[n]);
    }
}

// Room for a field of cells that is wanted and has none yet.
static bool take_room(const PalFrame *frame, bool wanted, size_t components, void **room)
{
    if (wanted && *room == NULL)
        *room = pal_alloc((size_t)frame->cell_count, components * sizeof(double));
    return !wanted || *room != NULL;
}

static bool take_fields(PalFrame *frame, const bool fields[PAL_FIELD_COUNT])
{
    bool stress = fields[PAL_FIELD_STRESS], thin = stress && frame->has_thin;
    return take_room(frame, thin, 1, (void **)&frame->thickness) &&
           take_room(frame, thin, 6, (void **)&frame->top) &&
           take_room(frame, thin, 6, (void **)&frame->bottom) &&
           take_room(frame, thin, 6, (void **)&frame->tension) &&
           take_room(frame, thin, 6, (void **)&frame->moment) &&
           take_room(frame, stress, 1, (void **)&frame->von_mises) &&
           take_room(frame, stress, 6, (void **)&frame->stress) &&
           take_room(frame, fields[PAL_FIELD_ENERGY], 1, (void **)&frame->energy_density) &&
           take_room(frame, fields[PAL_FIELD_STRAIN], 6, (void **)&frame->strain) &&
           take_room(frame, fields[PAL_FIELD_VOLUME], 1, (void **)&frame->volume_ratio);
}

static PalStatus find_fields(PalSim *sim, const PalCellFields *fields, PalError *error)
{
    if (pal_sim_cell_fields(sim, PAL_NONE, fields) != PAL_OK)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the fields of a frame");
    return PAL_OK;
}

void pal_frame_find_contact(PalFrame *frame, const PalSim *sim)
{
    memcpy(frame->contact, pal_sim_state(sim)->contact,
           (size_t)frame->soft_point_count * sizeof *frame->contact);
    pal_frame_find_pressures(frame);
}

PalStatus pal_frame_find(PalFrame *frame, PalSim *sim, const bool fields[PAL_FIELD_COUNT],
                         PalError *error)
{
    if (fields[PAL_FIELD_CONTACT])
        pal_frame_find_contact(frame, sim);
    if (!take_fields(frame, fields))
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the fields of a frame");
    PalCellFields wanted = {
        .energy_density = fields[PAL_FIELD_ENERGY] ? frame->energy_density : NULL,
        .von_mises = fields[PAL_FIELD_STRESS] ? frame->von_mises : NULL,
        .stress = fields[PAL_FIELD_STRESS] ? frame->stress : NULL,
        .strain = fields[PAL_FIELD_STRAIN] ? frame->strain : NULL,
        .volume_ratio = fields[PAL_FIELD_VOLUME] ? frame->volume_ratio : NULL,
    };
    if (fields[PAL_FIELD_STRESS]) {
        wanted.thickness = frame->thickness;
        wanted.top = frame->top;
        wanted.bottom = frame->bottom;
        wanted.tension = frame->tension;
        wanted.moment = frame->moment;
    }
    bool any = fields[PAL_FIELD_ENERGY] || fields[PAL_FIELD_STRESS] || fields[PAL_FIELD_STRAIN] ||
               fields[PAL_FIELD_VOLUME];
    return any ? find_fields(sim, &wanted, error) : PAL_OK;
}

PalStatus pal_frame_find_shown(PalFrame *frame, PalSim *sim, PalError *error)
{
    pal_frame_find_contact(frame, sim);
    if (!take_room(frame, true, 1, (void **)&frame->von_mises))
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the fields of a frame");
    return find_fields(sim, &(PalCellFields){.von_mises = frame->von_mises}, error);
}

void pal_frame_point_stress(const PalFrame *frame, double *values, int32_t *counts)
{
    memset(values, 0, (size_t)frame->point_count * sizeof *values);
    memset(counts, 0, (size_t)frame->point_count * sizeof *counts);
    for (int32_t b = 0; frame->von_mises != NULL && b < frame->soft_body_count; ++b) {
        const PalFrameBody *body = &frame->bodies[b];
        const int32_t *corner = body->cells;
        for (int32_t e = body->first_cell; e < body->first_cell + body->cell_count; ++e)
            for (int32_t a = 0; a < body->corner_count; ++a, ++corner) {
                values[body->first_point + *corner] += frame->von_mises[e];
                ++counts[body->first_point + *corner];
            }
    }
    for (int32_t n = 0; n < frame->point_count; ++n)
        if (counts[n] > 0)
            values[n] /= counts[n];
}
