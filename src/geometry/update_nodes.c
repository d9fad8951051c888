// johnsen2015, algorithm 1: update nodes are the roots of subtrees whose motion is looked at as a
// whole. A subtree that hardly moves stays as it is, one that moves as a rigid body is moved with
// it, the others are refitted. What is above update nodes is refitted each step in the paper; here
// only where something below it has changed. What is below them is refitted in the paper at once;
// here, where a volume can be fitted by itself, when a traversal comes to it, as it would have been
// then. Of a large subtree only those patches are refitted then that have moved in themselves.
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

enum { PATCH_FACETS = 16 };  // at most; smaller update nodes have no patches

typedef struct Node {
    int32_t volume;
    int32_t first, count;   // its vertices, in the lists below
    double least_diameter;  // of its facets when it was refitted
    PalVec3 reference;      // centroid of the ends when it was refitted
    PalRigidMove motion;    // since then, as the volumes have followed it
    int64_t fits;           // how often it was refitted
    int64_t moves;          // which move of all it has made last since then; 0: none
    // Of a patch
    int32_t node;       // the update node it is a part of; PAL_NONE: it is one itself
    int64_t node_fits;  // of that when the patch was refitted, with the node's positions
    int64_t looked;     // in which step
} Node;

typedef struct UpdateNodes {
    int32_t node_count, patch_count, top_count;
    Node *nodes;           // and the patches
    int32_t *top;          // volumes above update nodes, each after those inside it
    bool *changed;         // per volume above and at update nodes, in this step
    int32_t *vertices;     // of all nodes, one after the other
    PalVec3 *start, *end;  // positions of these vertices when their node was refitted
    int64_t step_count, move_count;
    // For volumes that wait for a traversal; NULL: all of a node's are done at once
    int32_t (*corners)[3];        // per place in the order: where its vertices are in the lists
    int32_t (*patch_corners)[3];  // the same in those of patches
    int32_t *from;                // of a patch's vertices: their places in the list of its node
    int32_t *node_of;             // per volume, node or patch; PAL_NONE: above all nodes
    int64_t *fits, *moves;        // per volume: its node's, when the volume was last brought there
    int64_t *opened;              // per volume, in which step
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
            nodes->nodes[nodes->node_count++] = (Node){.volume = v, .node = PAL_NONE};
    }
    for (int32_t v = hierarchy->volume_count - 1; v >= 0; --v)
        if (!is_narrow(hierarchy, v))
            nodes->top[nodes->top_count++] = v;
}

static void place_patches(const PalHierarchy *hierarchy, UpdateNodes *nodes)
{
    for (int32_t k = 0; k < nodes->node_count; ++k) {
        const PalVolume *volumes = hierarchy->volumes, *whole = &volumes[nodes->nodes[k].volume];
        for (int32_t v = whole->first_child; v < whole->end; ++v)
            if (volumes[v].facet_count <= PATCH_FACETS &&
                volumes[volumes[v].parent].facet_count > PATCH_FACETS)
                nodes->nodes[nodes->node_count + nodes->patch_count++] =
                    (Node){.volume = v, .node = k};
    }
}

static int32_t list_end(const UpdateNodes *nodes)
{
    return nodes->node_count + nodes->patch_count;
}

// Lists the vertices of each node and patch once; NULL: only counts. `seen` is per vertex,
// PAL_NONE.
static int32_t list_vertices(const PalHierarchy *hierarchy, UpdateNodes *nodes, int32_t *seen,
                             int32_t *list)
{
    int32_t total = 0, base = list == NULL ? 0 : list_end(nodes);
    for (int32_t k = 0; k < list_end(nodes); ++k) {
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

static double least_diameter(const PalVolume *volume, const int32_t (*corners)[3], const PalVec3 *x)
{
    double least = INFINITY;
    for (int32_t i = volume->first_facet; i < volume->first_facet + volume->facet_count; ++i) {
        double longest = 0;
        for (int k = 0; k < 3; ++k)
            longest =
                fmax(longest, pal_vec3_distance(x[corners[i][k]], x[corners[i][(k + 1) % 3]]));
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
    node->least_diameter =
        least_diameter(volume, (const int32_t(*)[3])hierarchy->corners, update->triangles->end);
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
    UpdateNodes *nodes = update->own;
    const PalVolume *volume = &update->hierarchy->volumes[node->volume];
    node->motion = *motion;
    node->moves = ++nodes->move_count;
    move_volume(update, motion, node->volume);
    for (int32_t v = volume->first_child; v < volume->end && nodes->corners == NULL; ++v)
        move_volume(update, motion, v);
}

// How far vertices may be from where a motion takes them, for the cones to hold.
static double turning_room(const PalUpdate *update, const Node *node)
{
    double angle = update->hierarchy->cones[node->volume].angle;
    return angle < half_turn ? node->least_diameter / 2 * tan((half_turn - angle) / 2) : 0;
}

// ---- what waits for a traversal -----------------------------------------------------------

// A volume below an update node is looked at: it becomes what it had been if it had been refitted
// with its node or patch, and moved along since then. Between a node and its patches that is the
// same to the last bit, whenever it is looked at; when a patch was refitted depends on that.
static void bring(const PalUpdate *update, int32_t v)
{
    UpdateNodes *nodes = update->own;
    const Node *own = &nodes->nodes[nodes->node_of[v]], *leader = own;
    bool patch = own->node != PAL_NONE;
    if (nodes->fits[v] != own->fits) {
        PalTriangles then = *update->triangles;
        int32_t(*corners)[3] = patch ? nodes->patch_corners : nodes->corners;
        then.start = nodes->start;
        then.end = nodes->end;
        pal_refit_direct_at(update->hierarchy, &then, (const int32_t(*)[3])corners, v);
        keep_volume(nodes, update->hierarchy, v);
        nodes->fits[v] = own->fits;
        nodes->moves[v] = 0;
        ++nodes->visit_refits;
    }
    if (patch && own->node_fits == nodes->nodes[own->node].fits)
        leader = &nodes->nodes[own->node];
    if (nodes->moves[v] != leader->moves) {
        move_volume(update, &leader->motion, v);
        nodes->moves[v] = leader->moves;
    }
}

// The patch is what it was when its node was refitted, and goes with it.
static void join_node(const PalHierarchy *hierarchy, UpdateNodes *nodes, Node *patch)
{
    PalVec3 sum = {0};
    for (int32_t i = patch->first; i < patch->first + patch->count; ++i) {
        nodes->start[i] = nodes->start[nodes->from[i]];
        nodes->end[i] = nodes->end[nodes->from[i]];
        sum = pal_vec3_add(sum, nodes->end[i]);
    }
    patch->least_diameter = least_diameter(&hierarchy->volumes[patch->volume],
                                           (const int32_t(*)[3])nodes->patch_corners, nodes->end);
    patch->reference = pal_vec3_scale(1.0 / patch->count, sum);
    patch->motion = (PalRigidMove){pal_mat3_identity(), patch->reference, patch->reference};
    patch->node_fits = nodes->nodes[patch->node].fits;
    ++patch->fits;
    patch->moves = 0;
}

// Its node has been refitted: a patch that has only moved since it was fitted itself stays as it
// is, and from then on goes by itself.
static void follow_patch(const PalUpdate *update, Node *patch)
{
    UpdateNodes *nodes = update->own;
    if (patch->node_fits == nodes->nodes[patch->node].fits || patch->looked == nodes->step_count)
        return;
    patch->looked = nodes->step_count;
    PalRigidMove motion = patch->motion;
    motion.to = centroid(patch, nodes, update->triangles->end);
    double shift = pal_vec3_distance(motion.to, patch->motion.to);
    double rest = greatest_rest(update, patch, &motion);
    if (!(rest < turning_room(update, patch) && rest < update->room)) {
        join_node(update->hierarchy, nodes, patch);
        bring(update, patch->volume);
    } else if (patch->moves == 0 || !(rest + shift < update->room)) {
        patch->motion = motion;
        patch->moves = ++nodes->move_count;
    }
}

static void visit(void *context, int32_t volume)
{
    const PalUpdate *update = context;
    UpdateNodes *nodes = update->own;
    if (nodes->corners == NULL || nodes->node_of[volume] == PAL_NONE ||
        nodes->opened[volume] == nodes->step_count)
        return;
    nodes->opened[volume] = nodes->step_count;
    const PalVolume *parent = &update->hierarchy->volumes[volume];
    for (int32_t v = parent->first_child; v < parent->first_child + parent->child_count; ++v) {
        Node *own = &nodes->nodes[nodes->node_of[v]];
        if (own->node != PAL_NONE)
            follow_patch(update, own);
        bring(update, v);
    }
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
    double turned = turning_room(update, node), room = update->room;
    if (!(turned > 0)) {
        ++counts->refitted;
        return refit(update, node);
    }
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
    ++nodes->step_count;
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

// Where the vertices of a node's or patch's facets are in its list. `seen` is scratch, per vertex.
static void find_corners(const PalHierarchy *hierarchy, const UpdateNodes *nodes, const Node *node,
                         int32_t *seen, int32_t (*corners)[3])
{
    const PalVolume *volume = &hierarchy->volumes[node->volume];
    for (int32_t i = node->first; i < node->first + node->count; ++i)
        seen[nodes->vertices[i]] = i;
    for (int32_t i = 0; i < 3 * volume->facet_count; ++i) {
        int32_t place = volume->first_facet + i / 3;
        corners[place][i % 3] = seen[hierarchy->corners[place][i % 3]];
    }
}

static void find_volumes(const PalHierarchy *hierarchy, UpdateNodes *nodes, int32_t k)
{
    const PalVolume *volume = &hierarchy->volumes[nodes->nodes[k].volume];
    nodes->node_of[nodes->nodes[k].volume] = k;
    for (int32_t v = volume->first_child; v < volume->end; ++v)
        nodes->node_of[v] = k;
}

// Patches come in the order of their nodes. False: no memory.
static bool prepare_visits(const PalHierarchy *hierarchy, UpdateNodes *nodes, int32_t *seen,
                           size_t total)
{
    size_t volumes = (size_t)hierarchy->volume_count, facets = (size_t)hierarchy->facet_count;
    nodes->corners = pal_alloc(facets, sizeof *nodes->corners);
    nodes->patch_corners = pal_alloc(facets, sizeof *nodes->patch_corners);
    nodes->from = pal_alloc(total, sizeof *nodes->from);
    nodes->node_of = pal_alloc(volumes, sizeof *nodes->node_of);
    nodes->fits = pal_alloc(volumes, sizeof *nodes->fits);
    nodes->moves = pal_alloc(volumes, sizeof *nodes->moves);
    nodes->opened = pal_alloc(volumes, sizeof *nodes->opened);
    if (nodes->corners == NULL || nodes->patch_corners == NULL || nodes->from == NULL ||
        nodes->node_of == NULL || nodes->fits == NULL || nodes->moves == NULL ||
        nodes->opened == NULL)
        return false;
    for (int32_t v = 0; v < hierarchy->volume_count; ++v)
        nodes->node_of[v] = PAL_NONE;
    for (int32_t k = 0, patch = nodes->node_count; k < nodes->node_count; ++k) {
        find_volumes(hierarchy, nodes, k);
        find_corners(hierarchy, nodes, &nodes->nodes[k], seen, nodes->corners);
        int32_t first = patch;
        for (; patch < list_end(nodes) && nodes->nodes[patch].node == k; ++patch) {
            const Node *own = &nodes->nodes[patch];
            for (int32_t i = own->first; i < own->first + own->count; ++i)
                nodes->from[i] = seen[nodes->vertices[i]];
        }
        for (int32_t q = first; q < patch; ++q) {
            find_volumes(hierarchy, nodes, q);
            find_corners(hierarchy, nodes, &nodes->nodes[q], seen, nodes->patch_corners);
        }
    }
    return true;
}

static bool fill(PalUpdate *update, UpdateNodes *nodes)
{
    const PalHierarchy *hierarchy = update->hierarchy;
    size_t volumes = (size_t)hierarchy->volume_count, facets = (size_t)hierarchy->facet_count;
    size_t total = 0;
    bool waits = hierarchy->frames == NULL && hierarchy->cone_kind == PAL_CONE_NARROWEST;
    nodes->nodes = pal_alloc(2 * facets, sizeof *nodes->nodes);
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
        if (waits)
            place_patches(hierarchy, nodes);
        for (int32_t n = 0; n < hierarchy->vertex_count; ++n)
            seen[n] = PAL_NONE;
        total = (size_t)list_vertices(hierarchy, nodes, seen, NULL);
        nodes->vertices = pal_alloc(total, sizeof *nodes->vertices);
        nodes->start = pal_alloc(total, sizeof *nodes->start);
        nodes->end = pal_alloc(total, sizeof *nodes->end);
        enough = nodes->vertices != NULL && nodes->start != NULL && nodes->end != NULL;
    }
    if (enough)
        list_vertices(hierarchy, nodes, seen, nodes->vertices);
    enough = enough && (!waits || prepare_visits(hierarchy, nodes, seen, total));
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
    for (int32_t k = nodes->node_count; k < list_end(nodes); ++k)
        join_node(update->hierarchy, nodes, &nodes->nodes[k]);
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
    pal_free(nodes->patch_corners);
    pal_free(nodes->from);
    pal_free(nodes->node_of);
    pal_free(nodes->fits);
    pal_free(nodes->moves);
    pal_free(nodes->opened);
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
