// What keeps triangles from being the surface of a solid.
#include "base/memory.h"
#include "math/vec3.h"
#include "mesh/box_tree.h"
#include "mesh/cells.h"

#include <palpate/geometry.h>

#include <string.h>

enum { SHOWN_MAX = PAL_SURFACE_FAULT_MAX / PAL_FAULT_KIND_COUNT };

static void add_fault(PalSurfaceFaults *faults, PalSurfaceFault fault)
{
    if (faults->counts[fault.kind]++ < SHOWN_MAX)
        faults->faults[faults->fault_count++] = fault;
}

static void find_flat(const PalMesh *mesh, PalSurfaceFaults *faults)
{
    for (int32_t c = 0; c < mesh->cell_count; ++c)
        if (!(pal_cell_volume(mesh, c) > 0))
            add_fault(faults, (PalSurfaceFault){PAL_FAULT_FLAT,
                                                {c, PAL_NONE},
                                                mesh->nodes[pal_mesh_cell(mesh, c)[0]]});
}

static PalStatus find_edges(const PalMesh *mesh, PalSurfaceFaults *faults, PalError *error)
{
    if (mesh->cell_count > INT32_MAX / 3)
        return pal_mesh_no_memory(error);
    int32_t side_count = 3 * mesh->cell_count;
    int32_t(*edges)[2] = pal_alloc((size_t)side_count, sizeof *edges);
    int32_t *order = pal_alloc((size_t)side_count, sizeof *order);
    bool good = edges != NULL && order != NULL;
    for (int32_t s = 0; s < side_count && good; ++s) {
        const int32_t *corner = pal_mesh_cell(mesh, s / 3);
        edges[s][0] = corner[s % 3];
        edges[s][1] = corner[(s + 1) % 3];
        pal_row_sort(edges[s], 2);
    }
    good = good && pal_rows_order(&edges[0][0], side_count, 2, order);
    for (int32_t i = 0, end; i < side_count && good; i = end) {
        const int32_t *edge = edges[order[i]];
        for (end = i + 1; end < side_count && pal_rows_equal(edges[order[end]], edge, 2);)
            ++end;
        if (end - i == 2 || edge[0] == edge[1])
            continue;
        PalVec3 middle =
            pal_vec3_scale(0.5, pal_vec3_add(mesh->nodes[edge[0]], mesh->nodes[edge[1]]));
        add_fault(faults,
                  (PalSurfaceFault){end - i == 1 ? PAL_FAULT_OPEN : PAL_FAULT_CROWDED,
                                    {order[i] / 3, end - i == 1 ? PAL_NONE : order[i + 1] / 3},
                                    middle});
    }
    pal_free(edges);
    pal_free(order);
    return good ? PAL_OK : pal_mesh_no_memory(error);
}

// Two triangles, with the nodes they share first.
typedef struct Pair {
    int shared;
    PalVec3 a[3], b[3];
} Pair;

static Pair make_pair(const PalMesh *mesh, int32_t a, int32_t b)
{
    const int32_t *x = pal_mesh_cell(mesh, a), *y = pal_mesh_cell(mesh, b);
    Pair pair = {0};
    bool a_used[3] = {0}, b_used[3] = {0};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            if (x[i] == y[j] && !a_used[i] && !b_used[j]) {
                a_used[i] = b_used[j] = true;
                pair.a[pair.shared] = pair.b[pair.shared] = mesh->nodes[x[i]];
                ++pair.shared;
            }
    for (int i = 0, at = pair.shared, bt = pair.shared; i < 3; ++i) {
        if (!a_used[i])
            pair.a[at++] = mesh->nodes[x[i]];
        if (!b_used[i])
            pair.b[bt++] = mesh->nodes[y[i]];
    }
    return pair;
}

static bool meets(PalVec3 from, PalVec3 to, const PalVec3 triangle[3])
{
    return pal_triangles_intersect((const PalVec3[3]){from, to, to}, triangle);
}

// What triangles may share is their common nodes and edge. Beyond a common node they meet only if
// the side opposite to it meets the other triangle; beyond a common edge, only if one is folded
// onto the other in one plane: then one apex lies in the other triangle, or sides cross.
static bool pair_crosses(const Pair *p)
{
    const PalVec3 *a = p->a, *b = p->b;
    if (p->shared == 0)
        return pal_triangles_intersect(a, b);
    if (p->shared == 1)
        return meets(a[1], a[2], b) || meets(b[1], b[2], a);
    if (p->shared == 2)
        return meets(a[2], a[2], b) || meets(b[2], b[2], a) ||
               meets(a[0], a[2], (const PalVec3[3]){b[1], b[2], b[2]}) ||
               meets(a[1], a[2], (const PalVec3[3]){b[0], b[2], b[2]});
    return true;
}

typedef struct Crossings {
    const PalMesh *mesh;
    PalSurfaceFaults *faults;
} Crossings;

static void test_pair(void *context, int32_t a, int32_t b)
{
    Crossings *crossings = context;
    Pair pair = make_pair(crossings->mesh, a, b);
    if (!pair_crosses(&pair))
        return;
    PalBounds x = pal_triangle_box(crossings->mesh, a), y = pal_triangle_box(crossings->mesh, b);
    // the middle of what the two boxes have in common
    PalVec3 point = {
        0.5 * (fmax(x.lower.x, y.lower.x) + fmin(x.upper.x, y.upper.x)),
        0.5 * (fmax(x.lower.y, y.lower.y) + fmin(x.upper.y, y.upper.y)),
        0.5 * (fmax(x.lower.z, y.lower.z) + fmin(x.upper.z, y.upper.z)),
    };
    add_fault(crossings->faults, (PalSurfaceFault){PAL_FAULT_CROSSING, {a, b}, point});
}

PalStatus pal_mesh_find_faults(const PalMesh *mesh, PalSurfaceFaults *faults, PalError *error)
{
    *faults = (PalSurfaceFaults){0};
    PAL_TRY(pal_mesh_check_triangles(mesh, error));
    find_flat(mesh, faults);
    PAL_TRY(find_edges(mesh, faults, error));
    PalBoxTree tree;
    if (!pal_box_tree_init(&tree, mesh))
        return pal_mesh_no_memory(error);
    Crossings crossings = {mesh, faults};
    pal_box_tree_self_pairs(&tree, test_pair, &crossings);
    pal_box_tree_clear(&tree);
    return PAL_OK;
}
