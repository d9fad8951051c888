#include "contact/response/depth/row.h"

#include "base/memory.h"
#include "base/timer.h"
#include "math/range.h"

#include <math.h>
#include <string.h>

#define REACH 0.1   // of the mean edge: how near surfaces are that continuous detection looks at
#define SHARE 0.15  // of what is stable in a step: the stiffness of contact at most
#define GRIPS 0.1   // the same for friction, of what would stop the slip at once

// ---- creating ---------------------------------------------------------------------------

double pal_depth_row_reach(const PalContact *contact)
{
    return REACH * contact->edge;
}

PalStatus pal_depth_row_create(PalContact *contact, bool at_vertices, PalError *error)
{
    PalDepthOwn *own = contact->own = pal_alloc(1, sizeof *own);
    size_t nodes = (size_t)contact->model->node_count;
    if (own != NULL) {
        own->first = pal_alloc(nodes, sizeof *own->first);
        own->motion = pal_alloc(nodes, sizeof *own->motion);
        own->settled = pal_alloc((size_t)contact->surface->vertex_count, sizeof *own->settled);
    }
    if (own == NULL || own->first == NULL || own->motion == NULL || own->settled == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the contact response");
    PalDepthSetup setup = {
        .model = contact->model,
        .surface = contact->surface,
        .pairs = contact->objects,
        .tree = contact->def.hierarchy == PAL_HIERARCHY_INTERVAL ? PAL_CELL_TREE_INTERVAL
                                                                 : PAL_CELL_TREE_BOX,
        .penalty = contact->def.stiffness,
        .penetration = contact->def.penetration,
        .at_vertices = at_vertices,
    };
    return pal_depth_create(&setup, &own->depth, error);
}

void pal_depth_row_destroy(PalContact *contact)
{
    PalDepthOwn *own = contact->own;
    pal_depth_destroy(own->depth);
    pal_free(own->first);
    pal_free(own->motion);
    pal_free(own->settled);
    pal_free(own);
    contact->own = NULL;
}

// ---- telling ----------------------------------------------------------------------------

// Friction of the item that a point is made of; grips are in the order of items.
static void add_grip(PalContactPoint *point, const PalDepth *depth, const PalDepthItem *item,
                     const PalVec3 *motion, int32_t *next)
{
    const PalDepthGrips *grips = &depth->grips;
    if (*next >= grips->count || grips->items[*next].who != item->who ||
        grips->items[*next].object != item->object || grips->items[*next].cell != item->cell)
        return;
    const PalDepthGrip *grip = &grips->items[(*next)++];
    PalVec3 force = motion != NULL ? pal_depth_grip_force(grip, motion) : grip->force;
    point->force = pal_vec3_add(point->force, force);
    point->slips = pal_vec3_length(force) >= grip->limit * (1 - 1e-9);
}

PalStatus pal_depth_row_tell(PalContact *contact, const PalVec3 *motion, PalError *error)
{
    const PalDepth *depth = pal_depth_own(contact)->depth;
    int32_t next = 0;
    for (int32_t t = 0; t < depth->task_count; ++t)
        for (int32_t i = 0; i < depth->tasks[t].items.count; ++i) {
            const PalDepthItem *item = &depth->tasks[t].items.items[i];
            PalVec3 place, force;
            pal_depth_resultant(depth, item, &place, &force);
            double size = pal_vec3_length(force), slope = pal_vec3_length(item->dip.normal);
            if (!(size > 0))
                continue;
            PalContactPoint *point = pal_contact_add_point(contact);
            if (point == NULL)
                return pal_error_set(error, PAL_NO_MEMORY, "no memory for contact");
            *point = (PalContactPoint){
                .kind = PAL_CONTACT_NODE_FACET,
                .objects = {pal_depth_object_of(depth, item), item->object},
                .position = {place, place},
                .normal = pal_vec3_scale(1 / size, force),
                .force = force,
                .normal_force = size,
                .gap = -item->dip.deepest / slope,
            };
            add_grip(point, depth, item, motion, &next);
        }
    PalContactReport *report = &contact->report;
    report->penetration = depth->deepest;
    report->worst_of_edge =
        pal_max(report->worst_of_edge, depth->penetration * depth->setup.penetration);
    return PAL_OK;
}

// ---- explicit methods -------------------------------------------------------------------

// How stiff contact may be so that steps stay stable: the least mass behind an area decides.
static double stiffest(const PalContact *contact, const PalDepth *depth, const PalContactStep *step)
{
    const PalContactSurface *surface = contact->surface;
    double least = INFINITY;
    for (int32_t v = 0; v < surface->soft_vertex_count; ++v) {
        const double *inverse =
            contact->carriers.inverse_mass[surface->node_carrier[surface->vertex_node[v]]];
        double most = pal_max(inverse[0], pal_max(inverse[1], inverse[2]));
        if (most > 0 && depth->vertex_area[v] > 0)
            least = pal_min(least, 1 / (most * depth->vertex_area[v]));
    }
    return SHARE * least / (step->step * step->gain);
}

typedef struct Impulses {
    PalContact *contact;
    double gain;
} Impulses;

static void add_impulse(void *context, int32_t node, PalVec3 force)
{
    const Impulses *to = context;
    int32_t carrier = to->contact->surface->node_carrier[node];
    PalVec3 *impulse = &to->contact->impulse[carrier];
    *impulse = pal_vec3_add_scaled(*impulse, to->gain, force);
}

// A grip in a step in time: it stops part of the slip at most.
static void add_friction(PalContact *contact, PalDepthGrip *grip, const PalContactStep *step)
{
    grip->force = (PalVec3){0, 0, 0};
    PalVec3 slip = pal_vec3_scale(1 / step->step, grip->drag);
    double response = 0;
    for (int k = 0; k < PAL_DIP_NODES; ++k) {
        if (grip->nodes[k] == PAL_NONE)
            continue;
        int32_t carrier = contact->surface->node_carrier[grip->nodes[k]];
        response +=
            grip->weights[k] * grip->weights[k] * contact->carriers.inverse_mass[carrier][0];
        slip = pal_vec3_add_scaled(slip, grip->weights[k], step->velocity[grip->nodes[k]]);
    }
    slip = pal_vec3_add_scaled(slip, -pal_vec3_dot(slip, grip->normal), grip->normal);
    double speed = pal_vec3_length(slip);
    if (!(speed > 0) || !(response > 0))
        return;
    double most = pal_min(grip->limit * step->gain, GRIPS * speed / response);
    grip->force = pal_vec3_scale(-most / (speed * step->gain), slip);
    Impulses to = {contact, step->gain};
    for (int k = 0; k < PAL_DIP_NODES; ++k)
        if (grip->nodes[k] != PAL_NONE)
            add_impulse(&to, grip->nodes[k], pal_vec3_scale(grip->weights[k], grip->force));
}

PalStatus pal_depth_row_step(PalContact *contact, const PalContactStep *step, PalMeter *meter,
                             PalError *error)
{
    PalDepthOwn *own = contact->own;
    PalDepth *depth = own->depth;
    double begin = pal_timer_seconds(), change;
    int32_t renewed;
    pal_depth_place(depth, step->displacement, step->rigids, 0);
    depth->stiffest = stiffest(contact, depth, step);
    double placed = pal_timer_seconds();
    PAL_TRY(pal_depth_find(depth, step->thread_count, error));
    double found = pal_timer_seconds();
    meter->profile.contact_update += placed - begin;
    meter->profile.contact_search += found - placed;
    Impulses to = {contact, step->gain};
    pal_depth_forces(depth, add_impulse, &to);
    PAL_TRY(pal_depth_take_grip(depth, &change, error));
    for (int32_t g = 0; g < depth->grips.count; ++g)
        add_friction(contact, &depth->grips.items[g], step);
    PAL_TRY(pal_depth_row_tell(contact, NULL, error));
    PAL_TRY(pal_depth_renew(depth, &renewed, error));
    own->renewals += renewed;
    meter->profile.contact_response += pal_timer_seconds() - found;
    return PAL_OK;
}

// ---- checkpoints ------------------------------------------------------------------------
// A row for each multiplier that is not zero, as the last step has left it: one may be under way.
// And one for each depth and slope of a field that was renewed.

enum { PRESSURE, DEPTH, SLOPE };

int32_t pal_depth_row_kept_count(const PalContact *contact)
{
    const PalDepth *depth = pal_depth_own(contact)->depth;
    int32_t count = 0;
    for (int32_t v = 0; v < contact->surface->vertex_count; ++v)
        count += pal_depth_own(contact)->settled[v] != 0;
    for (int32_t b = 0; b < contact->surface->body_count; ++b)
        count += depth->fields[b].renewed
                     ? depth->fields[b].point_count + depth->fields[b].cell_count
                     : 0;
    return count;
}

void pal_depth_row_keep(const PalContact *contact, PalKept *rows)
{
    const PalDepth *depth = pal_depth_own(contact)->depth;
    const double *settled = pal_depth_own(contact)->settled;
    int32_t count = 0;
    for (int32_t v = 0; v < contact->surface->vertex_count; ++v)
        if (settled[v] != 0)
            rows[count++] = (PalKept){.key = {PRESSURE, v}, .numbers = {settled[v]}};
    for (int32_t b = 0; b < contact->surface->body_count; ++b) {
        const PalDepthField *field = &depth->fields[b];
        for (int32_t p = 0; field->renewed && p < field->point_count; ++p)
            rows[count++] = (PalKept){.key = {DEPTH, b, p}, .numbers = {field->points[p].depth}};
        for (int32_t c = 0; field->renewed && c < field->cell_count; ++c)
            rows[count++] = (PalKept){.key = {SLOPE, b, c}, .numbers = {field->cells[c].slope}};
    }
}

// Where the number of a row goes; NULL: there is no such place.
static double *place_of(PalDepth *depth, const int64_t key[3])
{
    const PalContactSurface *surface = depth->setup.surface;
    if (key[0] == PRESSURE)
        return key[1] >= 0 && key[1] < surface->vertex_count ? &depth->pressure[key[1]] : NULL;
    if (key[1] < 0 || key[1] >= surface->body_count || key[2] < 0)
        return NULL;
    PalDepthField *field = &depth->fields[key[1]];
    field->renewed = true;
    if (key[0] == DEPTH)
        return key[2] < field->point_count ? &field->points[key[2]].depth : NULL;
    return key[0] == SLOPE && key[2] < field->cell_count ? &field->cells[key[2]].slope : NULL;
}

PalStatus pal_depth_row_restore(PalContact *contact, const PalKept *rows, int32_t count)
{
    PalDepth *depth = pal_depth_own(contact)->depth;
    const PalModel *model = contact->model;
    for (int32_t v = 0; v < contact->surface->vertex_count; ++v)
        depth->pressure[v] = 0;
    for (int32_t b = 0; b < contact->surface->body_count; ++b)
        if (depth->fields[b].renewed)
            PAL_TRY(pal_depth_field_renew(model, b, model->nodes, &depth->fields[b], NULL));
    for (int32_t i = 0; i < count; ++i) {
        double number = rows[i].numbers[0], *place = place_of(depth, rows[i].key);
        if (!(number >= 0 && isfinite(number)) || place == NULL)
            return PAL_BAD_INPUT;
        *place = number;
    }
    memcpy(pal_depth_own(contact)->settled, depth->pressure,
           (size_t)contact->surface->vertex_count * sizeof *depth->pressure);
    for (int32_t b = 0; b < contact->surface->body_count; ++b)
        pal_depth_field_restored(&depth->fields[b]);
    return PAL_OK;
}
