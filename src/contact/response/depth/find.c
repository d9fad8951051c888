// Who is in which cell.
#include "base/parallel.h"
#include "base/timer.h"
#include "contact/response/depth/depth.h"
#include "math/mat3.h"

#include <math.h>

enum { TASK_FACETS = 128 };

#define STIFF   20.0  // pressure at a depth of one edge, in Young's moduli
#define STIFFER 2.5   // at the depth allowed, in multipliers

// ---- stiffness --------------------------------------------------------------------------

static double edge_of(const PalDepth *depth, int32_t vertex, int32_t object)
{
    const PalContactSurface *surface = depth->setup.surface;
    if (vertex < surface->soft_vertex_count)
        return depth->vertex_edge[vertex];
    return object < surface->body_count ? depth->object_edge[object] : depth->vertex_edge[vertex];
}

// The penetration allowed there.
static double allowed(const PalDepth *depth, int32_t vertex, int32_t object)
{
    return depth->setup.penetration * edge_of(depth, vertex, object);
}

// s = s_0 + 2.5 p / allowed: a multiplier p that equals the largest s d leaves depths below 0.4 of
// what is allowed. Were it stiffer, corrections would run into it all the more.
static double stiffness_of(const PalDepth *depth, int32_t vertex, int32_t object)
{
    const PalContactSurface *surface = depth->setup.surface;
    double young = depth->object_young[object];
    if (vertex < surface->soft_vertex_count)
        young = fmin(young, depth->vertex_young[vertex]);
    double first = depth->setup.penalty * STIFF * young / edge_of(depth, vertex, object);
    double more = STIFFER * depth->pressure[vertex] / allowed(depth, vertex, object);
    return fmin(first + more, depth->stiffest);
}

// ---- one facet --------------------------------------------------------------------------

typedef struct Seeker {
    const PalDepth *depth;
    PalDepthTask *task;
    int32_t who, own;  // facet or vertex, and its object
    PalBounds box;
    int32_t corners[3];
    int32_t corner_count;
} Seeker;

// Where nothing can give way, nothing is gained by pushing.
static bool can_move(const PalDepth *depth, const PalDepthItem *item)
{
    int32_t nodes[PAL_DIP_NODES];
    pal_depth_nodes(depth, item, nodes);
    for (int k = 0; k < PAL_DIP_NODES; ++k)
        if (nodes[k] != PAL_NONE && depth->setup.model->held[nodes[k]] != 7)
            return true;
    return false;
}

static void add_item(Seeker *seeker, int32_t object, int32_t cell)
{
    const PalDepth *depth = seeker->depth;
    PalDepthItem item = {.who = seeker->who, .object = object, .cell = cell};
    if (!can_move(depth, &item))
        return;
    double clips[5][4];
    PalDipTriangle triangle;
    PalDipCell dip;
    for (int32_t a = 0; a < seeker->corner_count; ++a)
        item.stiffness[a] = stiffness_of(depth, seeker->corners[a], object);
    pal_depth_parts(depth, &item, clips, &triangle, &dip);
    bool found = depth->setup.at_vertices ? pal_dip_find_point(&triangle, &dip, &item.dip)
                                          : pal_dip_find(&triangle, &dip, &item.dip);
    if (found && !pal_array_push(&seeker->task->items, item))
        seeker->task->no_memory = true;
}

// A facet never dips into cells that it has a node of.
static bool is_own(const Seeker *seeker, const PalDepthField *field, int32_t cell)
{
    const PalContactSurface *surface = seeker->depth->setup.surface;
    for (int32_t a = 0; a < seeker->corner_count; ++a)
        for (int e = 0; e < 4; ++e)
            if (surface->vertex_node[seeker->corners[a]] ==
                field->first_node + field->cells[cell].nodes[e])
                return true;
    return false;
}

static void look_in_body(Seeker *seeker, int32_t body)
{
    const PalDepth *depth = seeker->depth;
    PalDepthTask *task = seeker->task;
    if (depth->trees[body].node_count == 0)
        return;
    task->found.count = 0;
    if (!pal_cell_tree_find(&depth->trees[body], &seeker->box, &task->found, &task->tests))
        task->no_memory = true;
    for (int32_t i = 0; i < task->found.count; ++i)
        if (body != seeker->own || !is_own(seeker, &depth->fields[body], task->found.items[i]))
            add_item(seeker, body, task->found.items[i]);
}

static void widen(PalBounds *box, PalVec3 x)
{
    box->lower =
        pal_vec3(fmin(box->lower.x, x.x), fmin(box->lower.y, x.y), fmin(box->lower.z, x.z));
    box->upper =
        pal_vec3(fmax(box->upper.x, x.x), fmax(box->upper.y, x.y), fmax(box->upper.z, x.z));
}

// Back to the instrument's own frame: x = A (x0 - pivot) + c on its straight way.
PalVec3 pal_depth_rigid_start(const PalDepth *depth, int32_t object, PalVec3 x)
{
    if (depth->rigids == NULL)
        return x;
    const PalRigidState *state = &depth->rigids[depth->setup.surface->objects[object].index];
    double part = depth->part;
    PalMat3 way;
    PalVec3 go = pal_vec3_sub(state->next.centre, state->pose.centre);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            way.m[i][j] =
                (1 - part) * state->pose.rotation.m[i][j] + part * state->next.rotation.m[i][j];
    PalMat3 back = pal_mat3_inverse(&way);
    PalVec3 centre = pal_vec3_add_scaled(state->pose.centre, part, go);
    return pal_vec3_add(state->pose.pivot, pal_mat3_apply(&back, pal_vec3_sub(x, centre)));
}

static void look_in_lattice(Seeker *seeker, int32_t object)
{
    const PalDepth *depth = seeker->depth;
    const PalContactSurface *surface = depth->setup.surface;
    const PalDepthLattice *lattice = &depth->lattices[object - surface->body_count];
    PalBounds box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int32_t a = 0; a < seeker->corner_count; ++a)
        widen(&box, pal_depth_rigid_start(depth, object, depth->vertices[seeker->corners[a]]));
    int32_t range[3][2];
    if (!pal_depth_lattice_range(lattice, &box, range))
        return;
    for (int32_t k = range[2][0]; k <= range[2][1]; ++k)
        for (int32_t j = range[1][0]; j <= range[1][1]; ++j)
            for (int32_t i = range[0][0]; i <= range[0][1]; ++i)
                for (int which = 0; which < PAL_LATTICE_CELLS; ++which) {
                    PalVec3 corners[4];
                    double depths[4];
                    ++seeker->task->tests;
                    if (!pal_depth_lattice_cell(lattice, (int32_t[]){i, j, k}, which, corners,
                                                depths))
                        continue;
                    int32_t number = i + lattice->counts[0] * (j + lattice->counts[1] * k);
                    add_item(seeker, object, PAL_LATTICE_CELLS * number + which);
                }
}

// A vertex on a side that cells share counts once, whatever rounding says of the side: in the cell
// that it is in the most.
static void count_once(PalDepthTask *task, int32_t first)
{
    PalDepthItem *items = task->items.items;
    int32_t best = first, kept = first;
    for (int32_t i = first + 1; i < task->items.count; ++i)
        if (items[i].dip.margin > items[best].dip.margin)
            best = i;
    for (int32_t i = first; i < task->items.count; ++i)
        if (i == best || items[i].dip.margin > PAL_DIP_ROUNDING)
            items[kept++] = items[i];
    task->items.count = kept;
}

static bool meet(const PalBounds *a, const PalBounds *b)
{
    return a->lower.x <= b->upper.x && b->lower.x <= a->upper.x && a->lower.y <= b->upper.y &&
           b->lower.y <= a->upper.y && a->lower.z <= b->upper.z && b->lower.z <= a->upper.z;
}

static void look(const PalDepth *depth, PalDepthTask *task, int32_t who)
{
    const PalContactSurface *surface = depth->setup.surface;
    Seeker seeker = {.depth = depth, .task = task, .who = who};
    bool alone = depth->setup.at_vertices;
    seeker.own = alone ? surface->vertex_object[who] : surface->facet_object[who];
    seeker.corner_count = alone ? 1 : 3;
    if (!pal_pairs_touching(depth->setup.pairs, seeker.own))
        return;
    for (int32_t a = 0; a < seeker.corner_count; ++a)
        seeker.corners[a] = alone ? who : surface->facets[who][a];
    seeker.box.lower = seeker.box.upper = depth->vertices[seeker.corners[0]];
    for (int32_t a = 1; a < seeker.corner_count; ++a)
        widen(&seeker.box, depth->vertices[seeker.corners[a]]);
    for (int32_t o = 0; o < surface->object_count; ++o) {
        bool both_rigid = o >= surface->body_count && seeker.own >= surface->body_count;
        if (both_rigid || !meet(&seeker.box, &depth->object_boxes[o]) ||
            pal_pairs_friction(depth->setup.pairs, seeker.own, o) < 0)
            continue;
        int32_t first = task->items.count;
        if (o < surface->body_count)
            look_in_body(&seeker, o);
        else
            look_in_lattice(&seeker, o);
        if (alone)
            count_once(task, first);
    }
}

// ---- all of them ------------------------------------------------------------------------

static void look_task(void *context, int32_t index, int32_t worker)
{
    (void)worker;
    const PalDepth *depth = context;
    PalDepthTask *task = &depth->tasks[index];
    const PalContactSurface *surface = depth->setup.surface;
    int32_t count = depth->setup.at_vertices ? surface->vertex_count : surface->facet_count;
    int32_t end = (index + 1) * TASK_FACETS < count ? (index + 1) * TASK_FACETS : count;
    task->items.count = 0;
    task->tests = 0;
    for (int32_t who = index * TASK_FACETS; who < end; ++who)
        look(depth, task, who);
}

double pal_depth_excess(const PalDepth *depth, const PalDepthItem *item)
{
    const PalContactSurface *surface = depth->setup.surface;
    double slope = pal_vec3_length(item->dip.normal), least = INFINITY;
    if (!(slope > 0) || !(item->dip.deepest > 0))
        return 0;
    for (int a = 0; a < (depth->setup.at_vertices ? 1 : 3); ++a)
        least = fmin(least,
                     allowed(depth,
                             depth->setup.at_vertices ? item->who : surface->facets[item->who][a],
                             item->object));
    return item->dip.deepest / slope / least;
}

// The deepest place, and how far depth has come from distance.
static void measure(PalDepth *depth, const PalDepthItem *item)
{
    const PalContactSurface *surface = depth->setup.surface;
    double slope = pal_vec3_length(item->dip.normal), part = pal_depth_excess(depth, item);
    if (part == 0)
        return;
    double length = item->dip.deepest / slope;
    if (part > depth->penetration) {
        depth->penetration = part;
        depth->deepest_who = item->who;
        depth->deepest_object = item->object;
    }
    depth->deepest = fmax(depth->deepest, length);
    double rest = item->object < surface->body_count
                      ? depth->fields[item->object].cells[item->cell].slope
                      : slope;
    double ratio = rest > 0 ? fmax(slope / rest, rest / slope) : 1;
    depth->stretch = fmax(depth->stretch, ratio);
    depth->object_stretch[item->object] = fmax(depth->object_stretch[item->object], ratio);
}

PalStatus pal_depth_find(PalDepth *depth, int32_t thread_count, PalError *error)
{
    double start = pal_timer_seconds();
    bool good = true;
    pal_parallel_for(thread_count, depth->task_count, look_task, depth);
    depth->penetration = depth->deepest = 0;
    depth->stretch = 1;
    depth->deepest_who = depth->deepest_object = PAL_NONE;
    for (int32_t o = 0; o < depth->setup.surface->object_count; ++o)
        depth->object_stretch[o] = 1;
    for (int32_t t = 0; t < depth->task_count; ++t) {
        PalDepthTask *task = &depth->tasks[t];
        good = good && !task->no_memory;
        task->no_memory = false;
        depth->tests += task->tests;
        for (int32_t i = 0; i < task->items.count; ++i)
            measure(depth, &task->items.items[i]);
    }
    depth->seconds += pal_timer_seconds() - start;
    return good ? PAL_OK : pal_error_set(error, PAL_NO_MEMORY, "no memory for contact");
}
