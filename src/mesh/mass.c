// Volume, centre of mass and inertia of what a surface of triangles encloses.
//
// A triangle a b c and the origin span a tetrahedron of the signed volume V = a . (b x c) / 6. With
// s = a + b + c, its integral of x is V s / 4, and that of x x' is V (s s' + a a' + b b' + c c')
// / 20. Over a closed surface they add up to those of the inside.   docs/theory/rigid.md, 1
#include "base/memory.h"
#include "math/mat3.h"
#include "mesh/cells.h"

// Integrals over the inside of 1, x and x x'.
typedef struct Sums {
    double volume;
    PalVec3 first;
    PalMat3 second;
} Sums;

static PalVec3 edge_middle(const PalMesh *mesh, const int32_t edge[2])
{
    return pal_vec3_scale(0.5, pal_vec3_add(mesh->nodes[edge[0]], mesh->nodes[edge[1]]));
}

static PalStatus refuse_edge(const PalMesh *mesh, const int32_t edge[2], int32_t triangle_count,
                             PalError *error)
{
    PalVec3 x = edge_middle(mesh, edge);
    if (triangle_count == 2)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "the two triangles at (%.4g, %.4g, %.4g) disagree on which side is "
                             "outside",
                             x.x, x.y, x.z);
    return pal_error_set(error, PAL_BAD_INPUT,
                         "the surface is not closed: %d triangle%s at the edge around "
                         "(%.4g, %.4g, %.4g), expected two",
                         (int)triangle_count, triangle_count == 1 ? "" : "s", x.x, x.y, x.z);
}

// A closed surface runs along each edge as often one way as the other.
static PalStatus check_closed(const PalMesh *mesh, int32_t (*edges)[2], int32_t *order,
                              PalError *error)
{
    int32_t side_count = 3 * mesh->cell_count;
    for (int32_t s = 0; s < side_count; ++s) {
        const int32_t *corner = pal_mesh_cell(mesh, s / 3);
        edges[s][0] = corner[s % 3];
        edges[s][1] = corner[(s + 1) % 3];
        pal_row_sort(edges[s], 2);
    }
    if (!pal_rows_order(&edges[0][0], side_count, 2, order))
        return pal_mesh_no_memory(error);
    for (int32_t i = 0, end; i < side_count; i = end) {
        const int32_t *edge = edges[order[i]];
        int32_t balance = 0;
        for (end = i; end < side_count && pal_rows_equal(edges[order[end]], edge, 2); ++end) {
            int32_t s = order[end];
            balance += pal_mesh_cell(mesh, s / 3)[s % 3] == edge[0] ? 1 : -1;
        }
        if (balance != 0 && edge[0] != edge[1])
            return refuse_edge(mesh, edge, end - i, error);
    }
    return PAL_OK;
}

static PalStatus check_surface(const PalMesh *mesh, PalError *error)
{
    PAL_TRY(pal_mesh_check_triangles(mesh, error));
    if (mesh->cell_count > INT32_MAX / 3)
        return pal_mesh_no_memory(error);
    int32_t(*edges)[2] = pal_alloc(3 * (size_t)mesh->cell_count, sizeof *edges);
    int32_t *order = pal_alloc(3 * (size_t)mesh->cell_count, sizeof *order);
    PalStatus status = edges != NULL && order != NULL ? check_closed(mesh, edges, order, error)
                                                      : pal_mesh_no_memory(error);
    pal_free(edges);
    pal_free(order);
    return status;
}

static void add_outer(PalMat3 *sum, double scale, PalVec3 v)
{
    const double x[3] = {v.x, v.y, v.z};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            sum->m[i][j] += scale * (x[i] * x[j]);
}

static void add_triangle(Sums *sums, const PalVec3 x[3])
{
    double volume = pal_vec3_dot(x[0], pal_vec3_cross(x[1], x[2])) / 6;
    PalVec3 sum = pal_vec3_add(pal_vec3_add(x[0], x[1]), x[2]);
    sums->volume += volume;
    sums->first = pal_vec3_add_scaled(sums->first, volume / 4, sum);
    add_outer(&sums->second, volume / 20, sum);
    for (int a = 0; a < 3; ++a)
        add_outer(&sums->second, volume / 20, x[a]);
}

// Each shell by itself, from the middle of the mesh; then solid ones count once, holes minus once.
static void add_shells(const PalMesh *mesh, const PalShells *shells, PalVec3 middle, Sums *each,
                       Sums *total)
{
    for (int32_t c = 0; c < mesh->cell_count; ++c) {
        const int32_t *corner = pal_mesh_cell(mesh, c);
        PalVec3 x[3];
        for (int a = 0; a < 3; ++a)
            x[a] = pal_vec3_sub(mesh->nodes[corner[a]], middle);
        add_triangle(&each[shells->of_cell[c]], x);
    }
    for (int32_t s = 0; s < shells->count; ++s) {
        double sign = (shells->depth[s] % 2 == 0) == (each[s].volume > 0) ? 1 : -1;
        total->volume += sign * each[s].volume;
        total->first = pal_vec3_add_scaled(total->first, sign, each[s].first);
        for (int i = 0; i < 9; ++i)
            total->second.m[i / 3][i % 3] += sign * each[s].second.m[i / 3][i % 3];
    }
}

// About the centre: (trace of S) 1 - S with S the second moments there.
static PalMat3 inertia_of(const Sums *sums, PalVec3 centre, double density)
{
    PalMat3 second = sums->second, inertia;
    add_outer(&second, -sums->volume, centre);
    double trace = second.m[0][0] + second.m[1][1] + second.m[2][2];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            inertia.m[i][j] = density * ((i == j ? trace : 0) - second.m[i][j]);
    return inertia;
}

PalStatus pal_mesh_mass_properties(const PalMesh *mesh, double density,
                                   PalMassProperties *properties, PalError *error)
{
    PAL_TRY(check_surface(mesh, error));
    PalShells shells;
    PAL_TRY(pal_mesh_shells(mesh, &shells, error));
    PalBounds bounds = pal_mesh_bounds(mesh);
    PalVec3 size = pal_vec3_sub(bounds.upper, bounds.lower);
    PalVec3 middle = pal_vec3_scale(0.5, pal_vec3_add(bounds.lower, bounds.upper));
    Sums *each = pal_alloc((size_t)shells.count, sizeof *each), total = {0};
    if (each != NULL)
        add_shells(mesh, &shells, middle, each, &total);
    bool complete = each != NULL;
    pal_free(each);
    pal_shells_clear(&shells);
    if (!complete)
        return pal_mesh_no_memory(error);
    double box = size.x * size.y * size.z;
    if (!(total.volume > 1e-12 * box))
        return pal_error_set(error, PAL_BAD_INPUT, "the surface encloses no volume");
    PalVec3 centre = pal_vec3_scale(1 / total.volume, total.first);
    *properties = (PalMassProperties){
        .volume = total.volume,
        .mass = density * total.volume,
        .centre = pal_vec3_add(middle, centre),
        .inertia = inertia_of(&total, centre, density),
    };
    return PAL_OK;
}
