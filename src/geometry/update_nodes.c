// johnsen2015, algorithm 1: update nodes are the roots of subtrees whose motion is looked at as a
// whole. A subtree that hardly moves stays as it is, one that moves as a rigid body is moved with
// it, the others are refitted. What is above update nodes is refitted each step in the paper; here
// only where something below it has changed. What is below them is refitted in the paper at once;
// here, where a volume can be fitted by itself, when a traversal comes to it, as it would have been
// then.
// docs/theory/search.md, 4.
//
// Where the paper moves its reference positions along, here they stay and the motion since
// the last refit is kept: rounding does not build up over many small motions.
#include "base/memory.h"
#include "geometry/obb.h"
#include "geometry/procrustes.h"
#include "geometry/refit.h"
#include "geometry/update_kinds.h"

static const double half_turn = 3.14159265358979323846;

typedef struct Node {
    int32_t volume;
    int32_t first, count;   // its vertices, in the lists below
    double least_diameter;  // of its facets when it was refitted
    PalVec3 reference;      // centroid of the ends when it was refitted
    PalRigidMove motion;    // since then, as the volumes have followed it
    int64_t fits, moves;    // how often it was refitted, and moved since then
} Node;

typedef struct UpdateNodes {
    int32_t node_count, top_count;
    Node *nodes;
    int32_t *top;          // volumes above update nodes, each after those inside it
    bool *changed;         // per volume above and at update nodes, in this step
    int32_t *vertices;     // of all nodes, one after the other
    PalVec3 *start, *end;  // positions of these vertices when their node was refitted
    // For volumes that wait for a traversal; NULL: all of a node's are done at once
    int32_t (*corners)[3];  // per place in the order: where its vertices are in the lists
    int32_t *node_of;       // per volume; PAL_NONE: above all nodes
    int64_t *fits, *moves;  // per volume: its node's, when the volume was last brought there
    int64_t visit_refits;
    // Per volume, as refitted
    PalBox *boxes;
    PalVec3 *axes;
    PalMat3 *frames;  // obb only
    PalUpdateNodeCounts counts;
} UpdateNodes;

// ---- placement --------------------------------------------------------------------------

// Merging from the leaves the two with the narrowest common cone until none is at most half the
// threshold wide leaves the largest such volumes: a parent's cone is never narrower.
static bool is_narrow(const PalHierarchy *hierarchy, int32_t v)
{
    const PalVolume *volume = &hierarchy->volumes[v];
    return volume->child_count == 0 ||
           (volume->connected && hierarchy->cones[v].angle <= half_turn / 2);
}

static void place_nodes(const PalHierarchy *hierarchy, UpdateNodes *nodes)
{
    for (int32_t v = 0; v < hierarchy->volume_count; ++v) {
        int32_t parent = hierarchy->volumes[v].parent;
        if (is_narrow(hierarchy, v) && (parent == PAL_NONE || !is_narrow(hierarchy, parent)))
            nodes->nodes[nodes->node_count++].volume = v;
    }
    for (int32_t v = hierarchy->volume_count - 1; v >= 0; --v)
        if (!is_narrow(hierarchy, v))
            nodes->top[nodes->top_count++] = v;
}

// Lists each node's vertices once; NULL: only counts. `seen` is per vertex, PAL_NONE.
static int32_t list_vertices(const PalHierarchy *hierarchy, UpdateNodes *nodes, int32_t *seen,
                             int32_t *list)
{
    int32_t total = 0, base = list == NULL ? 0 : nodes->node_count;
    for (int32_t k = 0; k < nodes->node_count; ++k) {
        Node *node = &nodes->nodes[k];
        const PalVolume *volume = &hierarchy->volumes[node->volume];
        node->first = total;
        for (int32_t i = 0; i < 3 * volume->facet_count; ++i) {
            int32_t vertex = hierarchy->corners[volume->first_facet + i / 3][i % 3];
            if (seen[vertex] == base + k)
                continue;
            seen[vertex] = base + k;
            if (list != NULL)
                list[total] = vertex;
            ++total;
        }
        node->count = total - node->first;
    }
    return total;
}

// ---- motion -----------------------------------------------------------------------------

static PalVec3 centroid(const Node *node, const UpdateNodes *nodes, const PalVec3 *positions)
{
    PalVec3 sum = {0};
    for (int32_t i = node->first; i < node->first + node->count; ++i)
        sum = pal_vec3_add(sum, positions[nodes->vertices[i]]);
    return pal_vec3_scale(1.0 / node->count, sum);
}

// How far a vertex is at most from where the motion takes it, before or after the step.
static double greatest_rest(const PalUpdate *update, const Node *node, const PalRigidMove *motion)
{
    const UpdateNodes *nodes = update->own;
    const PalTriangles *triangles = update->triangles;
    double most = 0;
    for (int32_t i = node->first; i < node->first + node->count; ++i) {
        int32_t vertex = nodes->vertices[i];
        PalVec3 end = pal_rigid_apply(motion, nodes->end[i]);
        PalVec3 start = pal_rigid_apply(motion, nodes->start[i]);
        PalVec3 p = pal_vec3_sub(triangles->end[vertex], end);
        PalVec3 q = pal_vec3_sub(triangles->start[vertex], start);
        most = fmax(most, fmax(pal_vec3_dot(p, p), pal_vec3_dot(q, q)));
    }
    return sqrt(most);
}

static PalMat3 find_rotation(const PalUpdate *update, const Node *node, PalVec3 now)
{
    const UpdateNodes *nodes = update->own;
    PalMat3 products = {{{0}}};
    for (int32_t i = node->first; i < node->first + node->count; ++i) {
        PalVec3 to = pal_vec3_sub(update->triangles->end[nodes->vertices[i]], now);
        pal_procrustes_add(&products, to, pal_vec3_sub(nodes->end[i], node->reference));
    }
    return pal_procrustes_rotation(&products);
}

// ---- what is done with a subtree --------------------------------------------------------

static double least_diameter(const PalUpdate *update, int32_t v)
{
    const PalHierarchy *hierarchy = update->hierarchy;
    const PalVolume *volume = &hierarchy->volumes[v];
    const PalVec3 *x = update->triangles->end;
    double least = INFINITY;
    for (int32_t i = volume->first_facet; i < volume->first_facet + volume->facet_count; ++i) {
        const int32_t *corners = hierarchy->corners[i];
        double longest = 0;
        for (int k = 0; k < 3; ++k)
            longest = fmax(longest, pal_vec3_distance(x[corners[k]], x[corners[(k + 1) % 3]]));
        least = fmin(least, longest);
    }
    return least;
}

static void keep_volume(UpdateNodes *nodes, const PalHierarchy *hierarchy, int32_t v)
{
    nodes->boxes[v] = hierarchy->boxes[v];
    nodes->axes[v] = hierarchy->cones[v].axis;
    if (hierarchy->frames != NULL)
        nodes->frames[v] = hierarchy->frames[v];
}

// What the volumes are is kept, with the positions they fit.
static void keep(const PalUpdate *update, Node *node)
{
    UpdateNodes *nodes = update->own;
    const PalHierarchy *hierarchy = update->hierarchy;
    const PalVolume *volume = &hierarchy->volumes[node->volume];
    for (int32_t i = node->first; i < node->first + node->count; ++i) {
        nodes->start[i] = update->triangles->start[nodes->vertices[i]];
        nodes->end[i] = update->triangles->end[nodes->vertices[i]];
    }
    node->least_diameter = least_diameter(update, node->volume);
    node->reference = centroid(node, nodes, update->triangles->end);
    node->motion = (PalRigidMove){pal_mat3_identity(), node->reference, node->reference};
    ++node->fits;
    node->moves = 0;
    keep_volume(nodes, hierarchy, node->volume);
    for (int32_t v = volume->first_child; v < volume->end && nodes->corners == NULL; ++v)
        keep_volume(nodes, hierarchy, v);
}

static int32_t refit(const PalUpdate *update, Node *node)
{
    const UpdateNodes *nodes = update->own;
    int32_t count = 1;
    if (nodes->corners != NULL)
        pal_refit_direct(update->hierarchy, update->triangles, node->volume);
    else
        count = pal_refit_subtree(update->hierarchy, update->triangles, node->volume);
    keep(update, node);
    return count;
}

// The volume goes where the motion takes what it was when refitted.
static void move_volume(const PalUpdate *update, const PalRigidMove *motion, int32_t v)
{
    const UpdateNodes *nodes = update->own;
    PalHierarchy *hierarchy = update->hierarchy;
    PalVec3 shift = pal_vec3_sub(motion->to, motion->from);
    if (hierarchy->frames != NULL) {  // in its own frame a box is only shifted
        PalMat3 back = pal_mat3_transpose(&motion->rotation);
        hierarchy->frames[v] = pal_mat3_multiply(&nodes->frames[v], &back);
        shift = pal_vec3_sub(pal_mat3_apply(&hierarchy->frames[v], motion->to),
                             pal_mat3_apply(&nodes->frames[v], motion->from));
        hierarchy->cones[v].axis = pal_mat3_apply(&motion->rotation, nodes->axes[v]);
    }
    const PalBox *box = &nodes->boxes[v];
    PalVec3 lower = pal_vec3((double)box->lower[0], (double)box->lower[1], (double)box->lower[2]);
    PalVec3 upper = pal_vec3((double)box->upper[0], (double)box->upper[1], (double)box->upper[2]);
    hierarchy->boxes[v] = (PalBox){pal_float4_lower(pal_float4(pal_vec3_add(lower, shift))),
                                   pal_float4_upper(pal_float4(pal_vec3_add(upper, shift)))};
}

static void move(const PalUpdate *update, Node *node, const PalRigidMove *motion)
{
    const UpdateNodes *nodes = update->own;
    const PalVolume *volume = &update->hierarchy->volumes[node->volume];
    node->motion = *motion;
    ++node->moves;
    move_volume(update, motion, node->volume);
    for (int32_t v = volume->first_child; v < volume->end && nodes->corners == NULL; ++v)
        move_volume(update, motion, v);
}

// A volume below an update node is looked at: it becomes what it had been if it had been refitted
// with its node, and moved along since then.
static void bring(const PalUpdate *update, const Node *node, int32_t v)
{
    UpdateNodes *nodes = update->own;
    PalHierarchy *hierarchy = update->hierarchy;
    if (nodes->fits[v] != node->fits) {
        PalTriangles then = *update->triangles;
        then.start = nodes->start;
        then.end = nodes->end;
        pal_refit_direct_at(hierarchy, &then, (const int32_t(*)[3])nodes->corners, v);
        keep_volume(nodes, hierarchy, v);
        nodes->fits[v] = node->fits;
        nodes->moves[v] = 0;
        ++nodes->visit_refits;
    }
    if (nodes->moves[v] != node->moves) {
        move_volume(update, &node->motion, v);
        nodes->moves[v] = node->moves;
    }
}

static void visit(void *context, int32_t volume)
{
    const PalUpdate *update = context;
    const UpdateNodes *nodes = update->own;
    if (nodes->corners == NULL || nodes->node_of[volume] == PAL_NONE)
        return;
    const Node *node = &nodes->nodes[nodes->node_of[volume]];
    const PalVolume *parent = &update->hierarchy->volumes[volume];
    for (int32_t k = 0; k < parent->child_count; ++k)
        bring(update, node, parent->first_child + k);
}

static int64_t take_visit_refits(PalUpdate *update)
{
    UpdateNodes *nodes = update->own;
    int64_t refits = nodes->visit_refits;
    nodes->visit_refits = 0;
    return refits;
}

// One turn of the algorithm's loop; returns how many volumes were refitted.
static int32_t follow(const PalUpdate *update, Node *node)
{
    UpdateNodes *nodes = update->own;
    const PalHierarchy *hierarchy = update->hierarchy;
    PalUpdateNodeCounts *counts = &nodes->counts;
    nodes->changed[node->volume] = true;
    double angle = hierarchy->cones[node->volume].angle;
    if (!(angle < half_turn)) {
        ++counts->refitted;
        return refit(update, node);
    }
    double turned = node->least_diameter / 2 * tan((half_turn - angle) / 2);
    double room = update->room;
    PalRigidMove motion = node->motion;
    motion.to = centroid(node, nodes, update->triangles->end);
    double shift = pal_vec3_distance(motion.to, node->motion.to);
    double rest = greatest_rest(update, node, &motion);
    if (rest < turned && rest + shift < room) {
        ++counts->inactive;
        nodes->changed[node->volume] = false;
        return 0;
    }
    if (rest < turned && rest < room) {
        ++counts->translated;
        move(update, node, &motion);
        return 0;
    }
    if (hierarchy->frames != NULL) {
        motion.rotation = find_rotation(update, node, motion.to);
        rest = greatest_rest(update, node, &motion);
        if (rest < turned && rest < room) {
            ++counts->rotated;
            move(update, node, &motion);
            return 0;
        }
    }
    ++counts->refitted;
    return refit(update, node);
}

static int64_t step(PalUpdate *update)
{
    UpdateNodes *nodes = update->own;
    int64_t refits = 0;
    nodes->counts = (PalUpdateNodeCounts){.top = nodes->top_count};
    for (int32_t k = 0; k < nodes->node_count; ++k) {
        nodes->changed[nodes->nodes[k].volume] = false;
        if (!pal_update_rests(update, nodes->nodes[k].volume))
            refits += follow(update, &nodes->nodes[k]);
    }
    for (int32_t i = 0; i < nodes->top_count; ++i) {
        const PalVolume *volume = &update->hierarchy->volumes[nodes->top[i]];
        bool changed = false;
        for (int32_t k = 0; k < volume->child_count; ++k)
            changed = changed || nodes->changed[volume->first_child + k];
        nodes->changed[nodes->top[i]] = changed;
        if (changed)
            pal_refit_inner(update->hierarchy, nodes->top[i]);
        refits += changed;
    }
    return refits;
}

// ---- life -------------------------------------------------------------------------------

// `seen` is scratch, per vertex. False: no memory.
static bool prepare_visits(const PalHierarchy *hierarchy, UpdateNodes *nodes, int32_t *seen)
{
    size_t volumes = (size_t)hierarchy->volume_count, facets = (size_t)hierarchy->facet_count;
    nodes->corners = pal_alloc(facets, sizeof *nodes->corners);
    nodes->node_of = pal_alloc(volumes, sizeof *nodes->node_of);
    nodes->fits = pal_alloc(volumes, sizeof *nodes->fits);
    nodes->moves = pal_alloc(volumes, sizeof *nodes->moves);
    if (nodes->corners == NULL || nodes->node_of == NULL || nodes->fits == NULL ||
        nodes->moves == NULL)
        return false;
    for (int32_t v = 0; v < hierarchy->volume_count; ++v)
        nodes->node_of[v] = PAL_NONE;
    for (int32_t k = 0; k < nodes->node_count; ++k) {
        const Node *node = &nodes->nodes[k];
        const PalVolume *volume = &hierarchy->volumes[node->volume];
        nodes->node_of[node->volume] = k;
        for (int32_t v = volume->first_child; v < volume->end; ++v)
            nodes->node_of[v] = k;
        for (int32_t i = node->first; i < node->first + node->count; ++i)
            seen[nodes->vertices[i]] = i;
        for (int32_t i = 0; i < 3 * volume->facet_count; ++i) {
            int32_t place = volume->first_facet + i / 3;
            nodes->corners[place][i % 3] = seen[hierarchy->corners[place][i % 3]];
        }
    }
    return true;
}

static bool fill(PalUpdate *update, UpdateNodes *nodes)
{
    const PalHierarchy *hierarchy = update->hierarchy;
    size_t volumes = (size_t)hierarchy->volume_count, facets = (size_t)hierarchy->facet_count;
    nodes->nodes = pal_alloc(facets, sizeof *nodes->nodes);
    nodes->top = pal_alloc(volumes, sizeof *nodes->top);
    nodes->changed = pal_alloc(volumes, sizeof *nodes->changed);
    nodes->boxes = pal_alloc(volumes, sizeof *nodes->boxes);
    nodes->axes = pal_alloc(volumes, sizeof *nodes->axes);
    nodes->frames = pal_alloc(hierarchy->frames != NULL ? volumes : 0, sizeof *nodes->frames);
    int32_t *seen = pal_alloc((size_t)hierarchy->vertex_count, sizeof *seen);
    bool enough = nodes->nodes != NULL && nodes->top != NULL && nodes->changed != NULL &&
                  nodes->boxes != NULL && nodes->axes != NULL && nodes->frames != NULL &&
                  seen != NULL;
    if (enough) {
        place_nodes(hierarchy, nodes);
        for (int32_t n = 0; n < hierarchy->vertex_count; ++n)
            seen[n] = PAL_NONE;
        size_t total = (size_t)list_vertices(hierarchy, nodes, seen, NULL);
        nodes->vertices = pal_alloc(total, sizeof *nodes->vertices);
        nodes->start = pal_alloc(total, sizeof *nodes->start);
        nodes->end = pal_alloc(total, sizeof *nodes->end);
        enough = nodes->vertices != NULL && nodes->start != NULL && nodes->end != NULL;
    }
    if (enough)
        list_vertices(hierarchy, nodes, seen, nodes->vertices);
    enough = enough && (hierarchy->frames != NULL || hierarchy->cone_kind != PAL_CONE_NARROWEST ||
                        prepare_visits(hierarchy, nodes, seen));
    pal_free(seen);
    return enough;
}

static bool create(PalUpdate *update)
{
    UpdateNodes *nodes = update->own = pal_alloc(1, sizeof *nodes);
    if (nodes == NULL || !fill(update, nodes))
        return false;
    for (int32_t k = 0; k < nodes->node_count; ++k)
        keep(update, &nodes->nodes[k]);
    for (int32_t v = 0; v < update->hierarchy->volume_count && nodes->corners != NULL; ++v) {
        keep_volume(nodes, update->hierarchy, v);
        nodes->fits[v] = 1;
    }
    return true;
}

static void destroy(void *own)
{
    UpdateNodes *nodes = own;
    pal_free(nodes->nodes);
    pal_free(nodes->top);
    pal_free(nodes->changed);
    pal_free(nodes->vertices);
    pal_free(nodes->start);
    pal_free(nodes->end);
    pal_free(nodes->boxes);
    pal_free(nodes->axes);
    pal_free(nodes->frames);
    pal_free(nodes->corners);
    pal_free(nodes->node_of);
    pal_free(nodes->fits);
    pal_free(nodes->moves);
    pal_free(nodes);
}

static PalUpdateNodeCounts node_counts(const PalUpdate *update)
{
    const UpdateNodes *nodes = update->own;
    return nodes->counts;
}

const PalUpdateRow pal_update_nodes = {
    .create = create,
    .destroy = destroy,
    .step = step,
    .visit = visit,
    .take_visit_refits = take_visit_refits,
    .node_counts = node_counts,
};
