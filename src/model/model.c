#include "base/assert.h"
#include "base/counted.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "element/patch.h"
#include "element/type.h"
#include "math/vec3.h"
#include "mesh/cells.h"
#include "model/conditions.h"
#include "model/thin.h"
#include "model/ties.h"
#include "model/validate.h"

#include <string.h>

static PalStatus no_memory(PalError *error)
{
    return pal_error_set(error, PAL_NO_MEMORY, "no memory for the model");
}

// Puts "body 'x': " before the message of a failure.
static PalStatus about_body(PalStatus status, const PalModelDef *def, int32_t b,
                            const PalError *cause, PalError *error)
{
    if (status == PAL_OK)
        return PAL_OK;
    if (error != NULL && error->status == PAL_OK)
        error->body = 1 + b;
    return pal_error_set(error, status, "body \"%s\": %s", def->bodies[b].name, cause->text);
}

static PalStatus copy_mesh(const PalMesh *given, PalMesh **copy, PalError *error)
{
    PalMeshDef def = {given->cell_kind, given->node_count, given->nodes, given->cell_count,
                      given->cells};
    PAL_TRY(pal_mesh_create(&def, copy, error));
    for (int32_t g = 0; g < given->group_count; ++g)
        PAL_TRY(pal_mesh_add_group(*copy, &given->groups[g], error));
    return PAL_OK;
}

// What is thin has a thickness; only that can keep its volume exactly, and bend.
static PalStatus check_thin(const PalBodyDef *def, PalError *error)
{
    const PalElementTraits *traits = pal_element_traits(def->element);
    for (int32_t m = 0; m < def->material_count; ++m) {
        double thickness =
            def->material_thickness != NULL ? def->material_thickness[m] : def->thickness;
        if (traits->is_thin && !(thickness > 0 && isfinite(thickness)))
            return pal_error_set(error, PAL_BAD_INPUT,
                                 "thickness is %g, expected one above 0 for element %s", thickness,
                                 pal_element_name(def->element));
        if (!traits->is_thin && def->materials[m].incompressible)
            return pal_error_set(error, PAL_BAD_INPUT,
                                 "element %s cannot keep its volume exactly, expected a bulk "
                                 "modulus instead of an incompressible material",
                                 pal_element_name(def->element));
    }
    return traits->is_thin ? pal_mesh_check_thin(def->mesh, error) : PAL_OK;
}

static PalStatus check_body(const PalBodyDef *def, PalError *error)
{
    if (pal_element_choice((int32_t)def->element) == NULL)
        return pal_error_set(error, PAL_BAD_INPUT, "unknown kind of element %d", (int)def->element);
    PalCellKind expected = pal_element_cell(def->element);
    if (def->mesh == NULL || def->mesh->cell_count == 0)
        return pal_error_set(error, PAL_BAD_INPUT, "has no elements");
    if (def->mesh->cell_kind != expected)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "element %s needs a mesh of %s cells, this one has %s cells",
                             pal_element_name(def->element), pal_cell_name(expected),
                             pal_cell_name(def->mesh->cell_kind));
    if (def->material_count < 1)
        return pal_error_set(error, PAL_BAD_INPUT, "has no material");
    PAL_TRY(pal_check_counted("materials", def->material_count, def->materials, error));
    for (int32_t m = 0; m < def->material_count; ++m)
        PAL_TRY(pal_material_validate(&def->materials[m], error));
    for (int32_t c = 0; def->cell_material != NULL && c < def->mesh->cell_count; ++c)
        if (def->cell_material[c] < 0 || def->cell_material[c] >= def->material_count)
            return pal_error_set(error, PAL_BAD_INPUT, "cell %d has no material", c);
    if (!pal_vec3_is_finite(def->velocity))
        return pal_error_set(error, PAL_BAD_INPUT, "velocity is not finite");
    for (int32_t m = 0; def->material_hourglass != NULL && m < def->material_count; ++m)
        if (!(def->material_hourglass[m] >= 0) || !isfinite(def->material_hourglass[m]))
            return pal_error_set(error, PAL_BAD_INPUT, "hourglass is %g, expected a number >= 0",
                                 def->material_hourglass[m]);
    if (pal_hourglass_control_name(def->hourglass_control) == NULL)
        return pal_error_set(error, PAL_BAD_INPUT, "hourglass control %d, expected one of the list",
                             (int)def->hourglass_control);
    if (!(def->hourglass >= 0) || !isfinite(def->hourglass))
        return pal_error_set(error, PAL_BAD_INPUT, "hourglass is %g, expected a number >= 0",
                             def->hourglass);
    PAL_TRY(pal_mesh_check(def->mesh, error));
    PAL_TRY(pal_mesh_check_reach(def->mesh, error));
    PAL_TRY(pal_mesh_validate(def->mesh, error));
    return check_thin(def, error);
}

static PalStatus add_body(const PalBodyDef *def, PalModel *model, PalError *error)
{
    PAL_TRY(check_body(def, error));
    PalBody *body = &model->bodies[model->body_count++];
    body->name = pal_copy_text(def->name);
    body->element = def->element;
    body->velocity = def->velocity;
    body->first_node = model->node_count;
    body->first_cell = model->cell_count;
    if (body->name == NULL)
        return no_memory(error);
    PAL_TRY(copy_mesh(def->mesh, &body->mesh, error));
    if (model->node_count > INT32_MAX - def->mesh->node_count ||
        model->cell_count > INT32_MAX - def->mesh->cell_count)
        return pal_error_set(error, PAL_BAD_INPUT, "too many nodes or cells for 32-bit indices");
    model->node_count += def->mesh->node_count;
    model->cell_count += def->mesh->cell_count;
    if (!pal_element_traits(def->element)->is_thin)
        return PAL_OK;
    return pal_thin_describe(def, body, error);
}

static bool is_near(PalVec3 x)
{
    return fabs(x.x) <= PAL_FARTHEST && fabs(x.y) <= PAL_FARTHEST && fabs(x.z) <= PAL_FARTHEST;
}

static PalStatus add_bodies(const PalModelDef *def, PalModel *model, PalError *error)
{
    model->bodies = pal_alloc((size_t)def->body_count, sizeof *model->bodies);
    if (model->bodies == NULL)
        return no_memory(error);
    for (int32_t b = 0; b < def->body_count; ++b) {
        PalError cause = {0};
        PalStatus status = add_body(&def->bodies[b], model, &cause);
        PAL_TRY(about_body(status, def, b, &cause, error));
    }
    model->nodes = pal_alloc((size_t)model->node_count + 1, sizeof *model->nodes);
    model->mass = pal_alloc((size_t)model->node_count, sizeof *model->mass);
    model->held = pal_alloc((size_t)model->node_count, sizeof *model->held);
    model->cell_element = pal_alloc((size_t)model->cell_count, sizeof *model->cell_element);
    model->cell_material = pal_alloc((size_t)model->cell_count, sizeof *model->cell_material);
    model->cell_young = pal_alloc((size_t)model->cell_count, sizeof *model->cell_young);
    if (model->nodes == NULL || model->mass == NULL || model->held == NULL ||
        model->cell_element == NULL || model->cell_material == NULL || model->cell_young == NULL)
        return no_memory(error);
    for (int32_t n = 0; def->nodes != NULL && n < model->node_count; ++n)
        if (!is_near(def->nodes[n]))
            return pal_error_set(error, PAL_BAD_INPUT,
                                 "node %d is at rest at (%g, %g, %g), expected coordinates of at "
                                 "most %g",
                                 n, def->nodes[n].x, def->nodes[n].y, def->nodes[n].z,
                                 PAL_FARTHEST);
    for (int32_t b = 0; b < model->body_count; ++b) {
        const PalMesh *mesh = model->bodies[b].mesh;
        int32_t first = model->bodies[b].first_node;
        memcpy(model->nodes + first, def->nodes != NULL ? def->nodes + first : mesh->nodes,
               (size_t)mesh->node_count * sizeof *mesh->nodes);
        if (model->bodies[b].ring != NULL)
            pal_thin_measure(&def->bodies[b], model->nodes, &model->bodies[b]);
    }
    return PAL_OK;
}

static void shift(PalRigid *rigid, PalVec3 by)
{
    rigid->centre = pal_vec3_add(rigid->centre, by);
    for (int32_t n = 0; n < rigid->mesh->node_count; ++n)
        rigid->mesh->nodes[n] = pal_vec3_add(rigid->mesh->nodes[n], by);
}

static PalStatus add_rigids(const PalModelDef *def, PalModel *model, PalError *error)
{
    model->rigids = pal_alloc((size_t)def->rigid_count, sizeof *model->rigids);
    if (model->rigids == NULL)
        return no_memory(error);
    for (int32_t r = 0; r < def->rigid_count; ++r) {
        const PalRigidDef *given = &def->rigids[r];
        PalRigid *rigid = &model->rigids[model->rigid_count++];
        rigid->name = pal_copy_text(given->name);
        if (rigid->name == NULL)
            return no_memory(error);
        PAL_TRY(pal_rigid_init(given, def->end_time, rigid, error));
        PAL_TRY(copy_mesh(given->mesh, &rigid->mesh, error));
        if (def->rigid_shifts != NULL && !is_near(def->rigid_shifts[r]))
            return pal_error_set(error, PAL_BAD_INPUT,
                                 "rigid \"%s\" starts too far from its mesh, expected at most %g",
                                 given->name, PAL_FARTHEST);
        if (rigid->free && def->rigid_shifts != NULL)
            shift(rigid, def->rigid_shifts[r]);
        model->free_rigid_count += rigid->free;
    }
    return PAL_OK;
}

// Elements on their way: what parts point to.
typedef struct Gathering {
    PalElementsDef elements;
    PalElementPartDef *parts;
    int32_t *connectivity;
    PalVec3 *mirrors;  // three for each element, of thin ones
    int64_t corner_count;
    int32_t element_count;
} Gathering;

// Elements of one body and one material, in the order of the body's cells.
static void fill_part(const PalBodyDef *def, int32_t material, const PalThin *thin, PalModel *model,
                      int32_t body_index, Gathering *all)
{
    const PalBody *body = &model->bodies[body_index];
    int32_t corner_count = pal_cell_node_count(body->mesh->cell_kind), count = 0;
    int32_t *corner = all->connectivity + all->corner_count;
    PalElementPartDef part = {
        .type = pal_element_row(body->element, def->hourglass_control),
        .material = &def->materials[material],
        .connectivity = corner,
        .hourglass =
            def->material_hourglass != NULL ? def->material_hourglass[material] : def->hourglass,
        .hourglass_control = def->hourglass_control,
        .thickness =
            def->material_thickness != NULL ? def->material_thickness[material] : def->thickness,
        .mirrors = thin != NULL ? all->mirrors + 3 * (int64_t)all->element_count : NULL,
    };
    double shear, bulk;
    pal_material_moduli(part.material, &shear, &bulk);
    double young = 9 * bulk * shear / (3 * bulk + shear);
    for (int32_t c = 0; c < body->mesh->cell_count; ++c) {
        if (def->cell_material != NULL ? def->cell_material[c] != material : material != 0)
            continue;
        const int32_t *nodes = body->mesh->cells + (int64_t)c * corner_count;
        int32_t around[PAL_PATCH_NODES];
        if (thin != NULL) {
            pal_patch_nodes(body->mesh, (const int32_t(*)[3])thin->beside, c, around);
            for (int32_t s = 0; s < 3; ++s)
                all->mirrors[3 * (int64_t)(all->element_count + count) + s] = thin->mirrors[c][s];
            nodes = around;
        }
        for (int32_t a = 0; a < part.type->corner_count; ++a)
            *corner++ = body->first_node + nodes[a];
        model->cell_element[body->first_cell + c] = all->element_count + count;
        model->cell_material[body->first_cell + c] = material;
        model->cell_young[body->first_cell + c] = young;
        ++count;
    }
    if (count == 0)
        return;
    part.element_count = count;
    all->parts[all->elements.part_count++] = part;
    all->corner_count = corner - all->connectivity;
    all->element_count += count;
}

static PalStatus fill_parts(const PalModelDef *def, int32_t b, PalModel *model, Gathering *all,
                            PalError *error)
{
    const PalBodyDef *body = &def->bodies[b];
    PalThin thin = {0};
    bool is_thin = pal_element_traits(body->element)->is_thin;
    PalStatus status = is_thin ? pal_thin_init(def, b, &thin, error) : PAL_OK;
    if (is_thin && status == PAL_OK)
        status = pal_thin_check_radius(body->mesh, &thin, model->bodies[b].thickness, error);
    for (int32_t m = 0; status == PAL_OK && m < body->material_count; ++m)
        fill_part(body, m, is_thin ? &thin : NULL, model, b, all);
    pal_thin_clear(&thin);
    return status;
}

static double plane_modulus(const PalBodyDef *body)
{
    double softest = INFINITY;
    for (int32_t m = 0; m < body->material_count; ++m) {
        double shear, bulk;
        pal_material_moduli(&body->materials[m], &shear, &bulk);
        softest = fmin(softest, 4 * shear * (3 * bulk + shear) / (3 * bulk + 4 * shear));
    }
    return softest;
}

static PalStatus add_elements(const PalModelDef *def, PalModel *model, PalError *error)
{
    size_t most_parts = 0, most_corners = 0, cells = 0;
    for (int32_t b = 0; b < def->body_count; ++b) {
        const PalMesh *mesh = def->bodies[b].mesh;
        most_parts += (size_t)def->bodies[b].material_count;
        most_corners += (size_t)mesh->cell_count *
                        (size_t)pal_element_type(def->bodies[b].element)->corner_count;
        cells += (size_t)mesh->cell_count;
    }
    Gathering all = {.parts = pal_alloc(most_parts, sizeof *all.parts),
                     .connectivity = pal_alloc(most_corners, sizeof *all.connectivity),
                     .mirrors = pal_alloc(3 * cells, sizeof *all.mirrors)};
    PalStatus status = PAL_OK;
    if (all.parts == NULL || all.connectivity == NULL || all.mirrors == NULL)
        status = no_memory(error);
    all.elements = (PalElementsDef){model->node_count, model->nodes, 0, all.parts};
    for (int32_t b = 0; status == PAL_OK && b < def->body_count; ++b) {
        PalError cause = {0};
        status = fill_parts(def, b, model, &all, &cause);
        status = about_body(status, def, b, &cause, error);
    }
    if (status == PAL_OK)
        status = pal_elements_create(&all.elements, &model->elements, error);
    for (int32_t b = 0; status == PAL_OK && b < def->body_count; ++b)
        model->bodies[b].plane_modulus = plane_modulus(&def->bodies[b]);
    pal_free(all.parts);
    pal_free(all.connectivity);
    pal_free(all.mirrors);
    return status;
}

// Raises the mass of elements whose own stable step is below the wanted one.
static PalStatus scale_mass(double wanted_step, PalModel *model, PalError *error)
{
    size_t count = (size_t)model->cell_count;
    model->mass_factors = pal_alloc(count, sizeof *model->mass_factors);
    PalVec3 *rest = pal_alloc((size_t)model->node_count + 1, sizeof *rest);
    PalElementScratch *scratch = NULL;
    PalStatus status = model->mass_factors == NULL || rest == NULL
                           ? no_memory(error)
                           : pal_element_scratch_create(model->elements, &scratch, error);
    if (status != PAL_OK)
        goto done;
    pal_elements_stable_step(model->elements, scratch, rest, NULL, model->mass_factors, NULL);
    for (size_t e = 0; e < count; ++e) {
        double ratio = wanted_step / model->mass_factors[e];
        model->mass_factors[e] = ratio > 1 ? ratio * ratio : 1;
    }
done:
    pal_element_scratch_destroy(scratch);
    pal_free(rest);
    return status;
}

static void sum_masses(PalModel *model)
{
    model->total_mass = 0;
    for (int32_t b = 0; b < model->body_count; ++b) {
        PalBody *body = &model->bodies[b];
        body->mass = 0;
        for (int32_t n = 0; n < body->mesh->node_count; ++n)
            body->mass += model->mass[body->first_node + n];
        model->total_mass += body->mass;
    }
}

// Masses are divided by.
static PalStatus check_masses(const PalModel *model, PalError *error)
{
    for (int32_t b = 0; b < model->body_count; ++b) {
        const PalBody *body = &model->bodies[b];
        for (int32_t n = 0; n < body->mesh->node_count; ++n) {
            double mass = model->mass[body->first_node + n];
            if (!(mass > 0) || !isfinite(mass) || !isfinite(1 / mass) || !isfinite(body->mass))
                return pal_error_set(error, PAL_BAD_INPUT,
                                     "body \"%s\": node %d has the mass %g, and the whole %g, "
                                     "expected masses that can be divided by: check density and "
                                     "size",
                                     body->name, (int)n, mass, body->mass);
        }
    }
    return PAL_OK;
}

// Inertia grows, weight does not: gravity has taken the masses as they are before this.
static PalStatus add_scaled_mass(double wanted_step, PalModel *model, PalError *error)
{
    double unscaled = model->total_mass;
    PAL_TRY(scale_mass(wanted_step, model, error));
    memset(model->mass, 0, (size_t)model->node_count * sizeof *model->mass);
    pal_elements_add_mass(model->elements, model->mass_factors, model->mass);
    sum_masses(model);
    model->added_mass = model->total_mass - unscaled;
    return PAL_OK;
}

static PalStatus add_surfaces(const PalModelDef *def, PalModel *model, PalError *error)
{
    for (int32_t b = 0; b < model->body_count; ++b) {
        PalError cause = {0};
        PalStatus status =
            pal_mesh_boundary(model->bodies[b].mesh, &model->bodies[b].surface, &cause);
        PAL_TRY(about_body(status, def, b, &cause, error));
    }
    return PAL_OK;
}

// Surfaces and elements have nothing to do with each other.
enum { SURFACES, ELEMENTS, BUILT };

typedef struct Building {
    const PalModelDef *def;
    PalModel *model;
    PalStatus status[BUILT];
    PalError error[BUILT];
} Building;

static void build(void *context, int32_t index, int32_t worker)
{
    (void)worker;
    Building *all = context;
    all->status[index] = index == SURFACES ? add_surfaces(all->def, all->model, &all->error[index])
                                           : add_elements(all->def, all->model, &all->error[index]);
}

static PalStatus add_surfaces_and_elements(const PalModelDef *def, PalModel *model, PalError *error)
{
    Building all = {.def = def, .model = model};
    pal_parallel_for(def->thread_count, BUILT, build, &all);
    for (int k = 0; k < BUILT; ++k) {
        if (all.status[k] == PAL_OK)
            continue;
        if (error != NULL)
            *error = all.error[k];
        return all.status[k];
    }
    return PAL_OK;
}

static PalStatus fill(const PalModelDef *def, PalModel *model, PalError *error)
{
    model->end_time = def->end_time;
    PAL_TRY(add_bodies(def, model, error));
    PAL_TRY(add_rigids(def, model, error));
    if (model->body_count + model->free_rigid_count == 0)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "there is nothing to simulate: no body is soft or free");
    PAL_TRY(add_surfaces_and_elements(def, model, error));
    pal_elements_add_mass(model->elements, NULL, model->mass);
    sum_masses(model);
    PAL_TRY(pal_conditions_create(def, model, error));
    if (def->mass_scaling_step > 0)
        PAL_TRY(add_scaled_mass(def->mass_scaling_step, model, error));
    PAL_TRY(check_masses(model, error));
    return pal_ties_create(def, model, error);
}

static PalStatus check_lists(const PalModelDef *def, PalError *error)
{
    PAL_TRY(pal_check_counted("bodies", def->body_count, def->bodies, error));
    PAL_TRY(pal_check_counted("rigid instruments", def->rigid_count, def->rigids, error));
    for (int32_t b = 0; b < def->body_count; ++b)
        if (def->bodies[b].name == NULL)
            return pal_error_set(error, PAL_BAD_INPUT, "body %d has no name", b);
    for (int32_t r = 0; r < def->rigid_count; ++r)
        if (def->rigids[r].name == NULL)
            return pal_error_set(error, PAL_BAD_INPUT, "rigid instrument %d has no name", r);
    return pal_check_counted("conditions", def->condition_count, def->conditions, error);
}

PalStatus pal_model_create(const PalModelDef *def, PalModel **model, PalError *error)
{
    *model = NULL;
    if (!(def->end_time > 0))
        return pal_error_set(error, PAL_BAD_INPUT,
                             "end time is %g, expected a time > 0, or infinity", def->end_time);
    if (!(def->mass_scaling_step >= 0) || !isfinite(def->mass_scaling_step))
        return pal_error_set(error, PAL_BAD_INPUT,
                             "mass scaling asks for the step %g, expected 0 (none) or a time",
                             def->mass_scaling_step);
    PAL_TRY(check_lists(def, error));
    PalModel *built = pal_alloc(1, sizeof *built);
    if (built == NULL)
        return no_memory(error);
    PalStatus status = fill(def, built, error);
    if (status != PAL_OK) {
        pal_model_destroy(built);
        return status;
    }
    PAL_ASSERT(pal_model_validate(built, NULL) == PAL_OK);
    *model = built;
    return PAL_OK;
}

void pal_model_destroy(PalModel *model)
{
    if (model == NULL)
        return;
    for (int32_t b = 0; b < model->body_count; ++b) {
        pal_free(model->bodies[b].name);
        pal_mesh_destroy(model->bodies[b].mesh);
        pal_surface_destroy(model->bodies[b].surface);
        pal_free(model->bodies[b].thickness);
        pal_free(model->bodies[b].ring);
        pal_lists_clear(&model->bodies[b].around);
    }
    for (int32_t r = 0; r < model->rigid_count; ++r)
        pal_rigid_clear(&model->rigids[r]);
    pal_free(model->bodies);
    pal_free(model->rigids);
    pal_free(model->nodes);
    pal_free(model->mass);
    pal_free(model->held);
    pal_free(model->cell_element);
    pal_free(model->cell_material);
    pal_free(model->cell_young);
    pal_free(model->mass_factors);
    pal_elements_destroy(model->elements);
    pal_conditions_destroy(model->conditions);
    pal_ties_destroy(model->ties);
    pal_free(model);
}

size_t pal_model_element_bytes(const PalModel *model)
{
    return pal_elements_bytes(model->elements);
}

int32_t pal_model_find_body(const PalModel *model, const char *name)
{
    for (int32_t b = 0; b < model->body_count; ++b)
        if (strcmp(model->bodies[b].name, name) == 0)
            return b;
    return PAL_NONE;
}

int32_t pal_model_find_rigid(const PalModel *model, const char *name)
{
    for (int32_t r = 0; r < model->rigid_count; ++r)
        if (strcmp(model->rigids[r].name, name) == 0)
            return r;
    return PAL_NONE;
}
