#include "output/frame.h"

#include "base/choice.h"
#include "base/memory.h"
#include "math/vec3.h"
#include "output/vtu.h"

#include <stdio.h>
#include <string.h>

// Which sides of the halves of a quadrilateral are the mesh's, see PalFrame.triangle_edges.
enum { FIRST_HALF = 3, SECOND_HALF = 6 };

#define FACING 0.3  // least cosine between a force and the normal of a facet it presses on

static const PalChoice fields_of_frames[] = {
    [PAL_FIELD_DISPLACEMENT] = {"displacement", "Displacement of the nodes."},
    [PAL_FIELD_VELOCITY] = {"velocity", "Velocity of the nodes."},
    [PAL_FIELD_STRESS] = {"stress", "Cauchy stress of the cells, and von Mises stress."},
    [PAL_FIELD_ENERGY] = {"energy", "Strain energy density of the cells."},
    [PAL_FIELD_CONTACT] = {"contact", "Force and pressure of contact at the nodes."},
};

PAL_CHOICE_ARRAY(field, PalField, fields_of_frames)

static uint8_t vtk_type(PalCellKind kind)
{
    return kind == PAL_CELL_TRIANGLE ? 5 : kind == PAL_CELL_TETRAHEDRON ? 10 : 12;
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
    size_t points = (size_t)frame->point_count, cells = (size_t)frame->cell_count;
    size_t triangles = (size_t)frame->triangle_count;
    bool good = true;
#define TAKE(field, count) good = (frame->field = pal_alloc(count, sizeof *frame->field)) && good
    TAKE(names, (size_t)frame->body_count);
    TAKE(labels, (size_t)frame->body_count);
    TAKE(numbers, (size_t)frame->body_count);
    TAKE(free, (size_t)frame->body_count);
    TAKE(reference, points);
    TAKE(displacement, points);
    TAKE(velocity, points);
    TAKE(position, points);
    TAKE(contact, points);
    TAKE(pressure, points);
    TAKE(area, points);
    TAKE(corners, (size_t)frame->corner_count);
    TAKE(offsets, cells);
    TAKE(types, cells);
    TAKE(body, cells);
    TAKE(material, cells);
    TAKE(von_mises, cells);
    TAKE(energy_density, cells);
    TAKE(stress, cells);
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

static void fill_cells(PalFrame *frame, int32_t b, const PalMesh *mesh, int32_t first_point,
                       int32_t first_cell)
{
    int32_t corners = pal_cell_node_count(mesh->cell_kind);
    int64_t place = first_cell > 0 ? frame->offsets[first_cell - 1] : 0;
    for (int32_t e = 0; e < mesh->cell_count; ++e) {
        for (int32_t a = 0; a < corners; ++a)
            frame->corners[place++] = first_point + mesh->cells[e * corners + a];
        int32_t cell = first_cell + e;
        frame->offsets[cell] = place;
        frame->types[cell] = vtk_type(mesh->cell_kind);
        frame->body[cell] = b;
        frame->material[cell] = PAL_NONE;
    }
}

static void fill(PalFrame *frame, const PalModel *model)
{
    int32_t first_point = 0, first_cell = 0, triangle = 0;
    for (int32_t b = 0; b < frame->body_count; ++b) {
        const PalMesh *mesh = mesh_of(model, b);
        bool soft = b < model->body_count;
        frame->names[b] = soft ? model->bodies[b].name : model->rigids[b - model->body_count].name;
        frame->numbers[b] = b;
        frame->free[b] = !soft && model->rigids[b - model->body_count].free;
        memcpy(frame->reference + first_point, soft ? model->nodes + first_point : mesh->nodes,
               (size_t)mesh->node_count * sizeof *mesh->nodes);
        fill_cells(frame, b, mesh, first_point, first_cell);
        int32_t first_triangle = triangle;
        if (soft)
            add_facets(frame, &triangle, model->bodies[b].surface, first_point);
        for (int32_t e = 0; !soft && e < mesh->cell_count; ++e)
            add_triangle(frame, &triangle, &frame->corners[frame->offsets[first_cell + e] - 3], 7);
        for (int32_t t = first_triangle; t < triangle; ++t)
            frame->triangle_body[t] = b;
        first_point += mesh->node_count;
        first_cell += mesh->cell_count;
    }
    memcpy(frame->material, model->cell_material,
           (size_t)frame->soft_cell_count * sizeof *frame->material);
}

static bool label_bodies(PalFrame *frame)
{
    for (int32_t b = 0; b < frame->body_count; ++b) {
        size_t size = strlen(frame->names[b]) + sizeof "body.";
        frame->labels[b] = pal_alloc(size, 1);
        if (frame->labels[b] == NULL)
            return false;
        snprintf(frame->labels[b], size, "body.%s", frame->names[b]);
    }
    return true;
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
    fill(made, model);
    pal_frame_place(made);
    if (!label_bodies(made)) {
        pal_frame_destroy(made);
        *frame = NULL;
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for a frame");
    }
    return PAL_OK;
}

void pal_frame_destroy(PalFrame *frame)
{
    if (frame == NULL)
        return;
    for (int32_t b = 0; frame->labels != NULL && b < frame->body_count; ++b)
        pal_free(frame->labels[b]);
    void *const owned[] = {
        frame->names,     frame->labels,         frame->numbers,        frame->free,
        frame->reference, frame->displacement,   frame->velocity,       frame->position,
        frame->corners,   frame->offsets,        frame->types,          frame->body,
        frame->material,  frame->von_mises,      frame->energy_density, frame->stress,
        frame->triangles, frame->triangle_edges, frame->triangle_body,  frame->contact,
        frame->pressure,  frame->area,
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
    if (inward > FACING * area * pal_vec3_length(frame->contact[n])) {
        frame->pressure[n] += inward;
        frame->area[n] += area;
    }
}

// A node's force, along the normals of the facets around it, over its share of their areas. Facets
// that face away from the force are none of its business: around the edge of a block, say.
void pal_frame_find_pressures(PalFrame *frame)
{
    memset(frame->pressure, 0, (size_t)frame->point_count * sizeof *frame->pressure);
    memset(frame->area, 0, (size_t)frame->point_count * sizeof *frame->area);
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
    for (int32_t n = 0; n < frame->soft_point_count; ++n)
        if (frame->area[n] > 0)
            frame->pressure[n] /= frame->area[n] * frame->area[n];
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

void pal_frame_follow(PalFrame *frame, const PalSim *sim)
{
    const PalModel *model = pal_sim_model(sim);
    const PalState *state = pal_sim_state(sim);
    frame->time = pal_time_shown(state->time);
    frame->step_count = state->step_count;
    memcpy(frame->displacement, state->displacement,
           (size_t)frame->soft_point_count * sizeof *frame->displacement);
    memcpy(frame->contact, state->contact,
           (size_t)frame->soft_point_count * sizeof *frame->contact);
    pal_sim_velocity(sim, frame->velocity);
    for (int32_t r = 0, n = frame->soft_point_count; r < model->rigid_count; ++r) {
        PalPose pose;
        PalTwist twist;
        pal_sim_rigid_motion(sim, r, &pose, &twist);
        n = pal_frame_move_rigid(frame, n, &model->rigids[r], &pose, &twist);
    }
    pal_frame_place(frame);
}

PalStatus pal_frame_update(PalFrame *frame, PalSim *sim, PalError *error)
{
    pal_frame_follow(frame, sim);
    pal_frame_find_pressures(frame);
    PalCellFields fields = {
        .von_mises = frame->von_mises,
        .energy_density = frame->energy_density,
        .stress = frame->stress,
    };
    if (pal_sim_cell_fields(sim, PAL_NONE, &fields) != PAL_OK)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the fields of a frame");
    return PAL_OK;
}

PalStatus pal_frame_encode(const PalFrame *frame, const bool fields[PAL_FIELD_COUNT],
                           int32_t thread_count, PalText *text, PalError *error)
{
    int64_t points = frame->point_count, cells = frame->cell_count;
    const struct {
        bool wanted;
        PalVtuArray array;
    } all[] = {
        {true, {PAL_VTU_FIELD, PAL_VTU_FLOAT64, "TimeValue", 1, 1, &frame->time}},
        {true, {PAL_VTU_FIELD, PAL_VTU_INT64, "step", 1, 1, &frame->step_count}},
        {fields[PAL_FIELD_DISPLACEMENT],
         {PAL_VTU_POINT_DATA, PAL_VTU_FLOAT64, "displacement", 3, points, frame->displacement}},
        {fields[PAL_FIELD_VELOCITY],
         {PAL_VTU_POINT_DATA, PAL_VTU_FLOAT64, "velocity", 3, points, frame->velocity}},
        {fields[PAL_FIELD_CONTACT],
         {PAL_VTU_POINT_DATA, PAL_VTU_FLOAT64, "contact_force", 3, points, frame->contact}},
        {fields[PAL_FIELD_CONTACT],
         {PAL_VTU_POINT_DATA, PAL_VTU_FLOAT64, "contact_pressure", 1, points, frame->pressure}},
        {true, {PAL_VTU_CELL_DATA, PAL_VTU_INT32, "body", 1, cells, frame->body}},
        {true, {PAL_VTU_CELL_DATA, PAL_VTU_INT32, "material", 1, cells, frame->material}},
        {fields[PAL_FIELD_STRESS],
         {PAL_VTU_CELL_DATA, PAL_VTU_FLOAT64, "von_mises", 1, cells, frame->von_mises}},
        {fields[PAL_FIELD_STRESS],
         {PAL_VTU_CELL_DATA, PAL_VTU_FLOAT64, "stress", 6, cells, frame->stress}},
        {fields[PAL_FIELD_ENERGY],
         {PAL_VTU_CELL_DATA, PAL_VTU_FLOAT64, "energy_density", 1, cells, frame->energy_density}},
        {true, {PAL_VTU_POINTS, PAL_VTU_FLOAT64, "Points", 3, points, frame->position}},
        {true,
         {PAL_VTU_CELLS, PAL_VTU_INT32, "connectivity", 1, frame->corner_count, frame->corners}},
        {true, {PAL_VTU_CELLS, PAL_VTU_INT64, "offsets", 1, cells, frame->offsets}},
        {true, {PAL_VTU_CELLS, PAL_VTU_UINT8, "types", 1, cells, frame->types}},
    };
    enum { FIXED = sizeof all / sizeof all[0] };
    PalVtuArray *arrays = pal_alloc(FIXED + (size_t)frame->body_count, sizeof *arrays);
    if (arrays == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for a frame");
    PalVtuDef def = {
        .point_count = points, .cell_count = cells, .arrays = arrays, .thread_count = thread_count};
    for (int32_t b = 0; b < frame->body_count; ++b)
        arrays[def.array_count++] =
            (PalVtuArray){PAL_VTU_FIELD, PAL_VTU_INT32, frame->labels[b], 1, 1, &frame->numbers[b]};
    for (int i = 0; i < FIXED; ++i)
        if (all[i].wanted)
            arrays[def.array_count++] = all[i].array;
    PalStatus status = pal_vtu_encode(&def, text, error);
    pal_free(arrays);
    return status;
}

void pal_frame_point_stress(const PalFrame *frame, double *values, int32_t *counts)
{
    memset(values, 0, (size_t)frame->point_count * sizeof *values);
    memset(counts, 0, (size_t)frame->point_count * sizeof *counts);
    int64_t place = 0;
    for (int32_t e = 0; e < frame->soft_cell_count; ++e)
        for (; place < frame->offsets[e]; ++place) {
            values[frame->corners[place]] += frame->von_mises[e];
            ++counts[frame->corners[place]];
        }
    for (int32_t n = 0; n < frame->point_count; ++n)
        if (counts[n] > 0)
            values[n] /= counts[n];
}
