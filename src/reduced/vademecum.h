// A vademecum: what a body does under loads on its surface, computed before and kept as arrays.
// docs/theory/vademecum.md
//
// Nodes are numbered anew: those of the surface come first, so that surface node i is node i.
// A displacement is  u = modes q + local part.  Modes are orthonormal in the stiffness at rest,
// Phi' K Phi = I, so that under small loads q = Phi' f, and the local part is
// u_i = sum over near j of L_ij f_j with L = K^-1 - Phi Phi' between surface nodes: together the
// linear answer itself. Under large loads q is in balance by the sampled cells
// (reduced/subspace.h), and L turns with the patch.
//
// As printed (method pgd) there are products instead, component by component:
// u_j = sum_k X_j^k(x) Y_j^k(site) A_j^k(direction) B_j^k(level), with no local part and no cells.
#ifndef PAL_REDUCED_VADEMECUM_H
#define PAL_REDUCED_VADEMECUM_H

#include <palpate/material.h>
#include <palpate/vademecum_build.h>

#define PAL_LAW_WORDS 12  // 48 letters

struct PalVademecum {
    PalVademecumSize size;
    PalVademecumFacts facts;
    char name[PAL_VADEMECUM_NAME];  // of the body

    // ---- the body at rest
    double *nodes;              // 3 per node
    int32_t *node_number;       // per node: its number in the body's mesh
    int32_t *held;              // per node: bits 1, 2, 4 where x, y, z stay
    int32_t *cells;             // 4 nodes each
    int32_t *cell_material;     // per cell
    int32_t *triangles;         // 3 surface nodes each, seen from outside counter-clockwise
    int32_t *law;               // per material: the law's name in PAL_LAW_WORDS, zeros behind
    double *parameters;         // per material PAL_LAW_PARAMETER_MAX
    PalMaterialDef *materials;  // made from these two; not a list of a file

    // ---- loads that were given
    int32_t *site;      // surface nodes
    double *direction;  // 3 per direction, or with normals 3 per site (into the body)
    double *level;      // ascending parts of facts.largest, the last is 1

    // ---- the global part. Rows of `stride` floats, zero behind the modes
    float *modes;             // 3 rows per node: x, y, z
    float *coefficient;       // auto: a row q per site, direction and level, in this order
    float *reached;           // auto: per site and direction, the part of the largest load held
    float *site_factor;       // pgd: Y, 3 rows per site
    float *direction_factor;  // pgd: A, 3 rows per direction
    float *level_factor;      // pgd: B, 3 rows per level

    // ---- cells that stand for all of them in reduced forces
    int32_t *sample_cell;
    float *sample_weight;  // > 0

    // ---- the local part
    int32_t *local_start;  // node_count + 1; inner nodes away from the surface have no row
    int32_t *local_node;   // near nodes, ascending, the node itself among them; inner ones are last
    float *local_block;    // 9 per near node: u_near = block' f_i, f_i on node i. So u_i = block
                           // f_near

    // ---- distance fields; either may be empty
    double *grid;          // origin and spacing: 6 numbers
    float *distance;       // at rest, x fastest; negative inside
    int32_t *field_start;  // as printed, d(x, s): per block of the grid and one more, its products
    float *field_space;    // of each product 8^3 numbers, x fastest; reduced/distances.h
    float *field_site;     // and one per site and direction

    // ---- loads held out, and how far off the vademecum was
    double *heldout;  // PAL_HELDOUT_NUMBERS per load
};

// Blocks of the grid of distances d(x, s): reduced/distances.h
#define PAL_DISTANCES_SIDE   8  // grid points along a block
#define PAL_DISTANCES_POINTS (PAL_DISTANCES_SIDE * PAL_DISTANCES_SIDE * PAL_DISTANCES_SIDE)

static inline int32_t pal_distances_blocks(int32_t count)
{
    return (count + PAL_DISTANCES_SIDE - 1) / PAL_DISTANCES_SIDE;
}

static inline int64_t pal_distances_block_count(const PalVademecumSize *size)
{
    return (int64_t)pal_distances_blocks(size->grid_counts[0]) *
           pal_distances_blocks(size->grid_counts[1]) * pal_distances_blocks(size->grid_counts[2]);
}

// Whether numbers and lists are what evaluations take them for; says what is wrong. Whoever reads a
// vademecum calls it before anything else.
PalStatus pal_vademecum_validate(const PalVademecum *book, PalError *error);

// Of these, the lists of near nodes alone.
PalStatus pal_vademecum_check_local(const PalVademecum *book, PalError *error);

// Where node `near` has `node` in its own list of near nodes; PAL_NONE: nowhere. Lists must be
// sound.
int32_t pal_vademecum_mirrored(const PalVademecum *book, int32_t node, int32_t near);

// The nearest point of the surface at rest.
typedef struct PalVademecumPlace {
    int32_t triangle;
    double weight[3];  // of its corners
    PalVec3 point;
    double distance;
} PalVademecumPlace;

PalVademecumPlace pal_vademecum_nearest(const PalVademecum *book, PalVec3 at);

// Cosine between a force and the nearest direction that loads had there: into any of the triangles
// around it, or all of them together. 1 where they had any, and without a force.
double pal_vademecum_along(const PalVademecum *book, const int32_t *triangles, int32_t count,
                           PalVec3 force);

// Nodes and weights (sum 1) of a load at a point: all surface nodes within the patch's radius at
// rest, by exp(-2 r^2 / R^2); the nearest one where there is none. Room for surface_count each.
// Returns how many.
int32_t pal_vademecum_patch(const PalVademecum *book, PalVec3 at, int32_t *nodes, double *weights);

static inline const float *pal_vademecum_row(const PalVademecum *book, int32_t node, int axis)
{
    return book->modes + ((int64_t)3 * node + axis) * book->size.stride;
}

static inline const float *pal_vademecum_coefficients(const PalVademecum *book, int32_t site,
                                                      int32_t direction, int32_t level)
{
    int64_t row = ((int64_t)site * book->size.direction_count + direction) * book->size.level_count;
    return book->coefficient + (row + level) * book->size.stride;
}

// What mode k is multiplied with under a stored load, along an axis.
static inline double pal_vademecum_factor(const PalVademecum *book, int32_t site, int32_t direction,
                                          int32_t level, int axis, int32_t k)
{
    int64_t stride = book->size.stride;
    if (book->facts.method != PAL_VADEMECUM_PGD)
        return (double)pal_vademecum_coefficients(book, site, direction, level)[k];
    return (double)book->site_factor[(3 * (int64_t)site + axis) * stride + k] *
           (double)book->direction_factor[(3 * (int64_t)direction + axis) * stride + k] *
           (double)book->level_factor[(3 * (int64_t)level + axis) * stride + k];
}

static inline PalVec3 pal_vademecum_node(const PalVademecum *book, int32_t node)
{
    const double *at = book->nodes + (int64_t)3 * node;
    return (PalVec3){at[0], at[1], at[2]};
}

// Where loads at a site point.
PalVec3 pal_vademecum_direction(const PalVademecum *book, int32_t site, int32_t direction);

#endif
