// Meshes: nodes, cells of one kind, named groups; shapes, boundary, quality, selections.
#ifndef PALPATE_MESH_H
#define PALPATE_MESH_H

#include <palpate/base.h>
#include <palpate/math.h>

#ifdef __cplusplus
extern "C" {
#endif
PAL_API_BEGIN

typedef enum PalCellKind {
    PAL_CELL_TRIANGLE,
    PAL_CELL_TETRAHEDRON,  // node 3 on the side the normal of 0 1 2 points to
    PAL_CELL_HEXAHEDRON,   // 0-3 one face, 4-7 the opposite one, as in VTK and Gmsh
    // Corners as those of a tetrahedron; nodes 4 to 9 on the edges 01 12 20 03 13 23, as in VTK.
    // Edges may be curved. Each face is four triangles wherever facets are meant.
    PAL_CELL_QUADRATIC_TETRAHEDRON,
} PalCellKind;

int32_t pal_cell_node_count(PalCellKind kind);  // 0: there is no such kind
// "triangle", "tetrahedron", "hexahedron", "quadratic tetrahedron"
const char *pal_cell_name(PalCellKind kind);

// Nodes, cells and facets that share a name. Any of the three lists may be empty;
// `nodes` always holds every node of the cells and facets as well.
typedef struct PalGroup {
    char *name;
    int32_t node_count;
    int32_t *nodes;  // ascending, no repeats
    int32_t cell_count;
    int32_t *cells;  // ascending, no repeats
    int32_t face_count;
    int32_t (*faces)[4];  // corner nodes of surface facets; the fourth is PAL_NONE in a triangle
} PalGroup;

// Owns its heap arrays. Callers may read all fields and move nodes. Functions that return a status
// refuse meshes with indices out of range or places that are not finite.
typedef struct PalMesh {
    PalCellKind cell_kind;
    int32_t node_count;
    PalVec3 *nodes;
    int32_t cell_count;
    int32_t *cells;  // pal_cell_node_count(cell_kind) node indices per cell
    int32_t group_count;
    PalGroup *groups;
    int32_t *groups_by_name;  // their indices in the order of their names
} PalMesh;

typedef struct PalMeshDef {
    PalCellKind cell_kind;
    int32_t node_count;
    const PalVec3 *nodes;
    int32_t cell_count;
    const int32_t *cells;
} PalMeshDef;

// Copies the arrays. Refuses indices out of range and coordinates that are not finite.
PalStatus pal_mesh_create(const PalMeshDef *def, PalMesh **mesh, PalError *error);
void pal_mesh_destroy(PalMesh *mesh);

// Adds a named group; sorts, removes repeats and adds the nodes of its cells and faces. Copies.
// A second group of the same name is merged into the first.
PalStatus pal_mesh_add_group(PalMesh *mesh, const PalGroup *group, PalError *error);
const PalGroup *pal_mesh_find_group(const PalMesh *mesh, const char *name);  // NULL: none

// ---- shapes, centred at the origin ------------------------------------------------------

typedef enum PalShapeKind {
    PAL_SHAPE_BOX,           // extent: edge lengths
    PAL_SHAPE_SPHERE,        // extent.x: radius
    PAL_SHAPE_ELLIPSOID,     // extent: half axes
    PAL_SHAPE_CYLINDER,      // extent.x: radius, extent.y: length, along z
    PAL_SHAPE_SHEET,         // triangles only. extent.x, extent.y: edge lengths; faces z
    PAL_SHAPE_TUBE,          // triangles only. extent.x: radius, extent.y: length, along z; open
    PAL_SHAPE_SHELL_SPHERE,  // triangles only, of about one size. extent.x: radius
} PalShapeKind;

typedef struct PalShapeDef {
    PalShapeKind kind;
    PalVec3 extent;
    PalCellKind cell_kind;  // triangles give the closed surface only
    int32_t cells[3];       // box: along x, y, z; sphere, ellipsoid: [0] across the longest
                            // diameter; cylinder: [0] across the diameter, [1] along z; sheet:
                            // along x, y; tube: [0] around, [1] along z.
                            // All 0: use `size`
    double size;            // target edge length; 0 with no cells: about 12 cells across
} PalShapeDef;

PalShapeDef pal_shape_def_default(void);  // a unit cube of tetrahedra

// Groups with faces name the sides: x-min, x-max, y-min, y-max, z-min, z-max of a box; surface of
// a sphere or ellipsoid; side, z-min, z-max of a cylinder. Groups of nodes name the ends: x-min,
// x-max, y-min, y-max of a sheet, z-min, z-max of a tube, and all of them together: rim. At most
// 200 million cells.
PalStatus pal_mesh_create_shape(const PalShapeDef *def, PalMesh **mesh, PalError *error);

// ---- placing ----------------------------------------------------------------------------

// x -> rotation (scale x) + translation.
typedef struct PalPlacement {
    double scale;
    PalMat3 rotation;
    PalVec3 translation;
} PalPlacement;

PalPlacement pal_placement_identity(void);
PalMat3 pal_rotation_about(PalVec3 axis, double radians);  // axis need not be a unit vector
void pal_mesh_place(PalMesh *mesh, const PalPlacement *placement);
PalBounds pal_mesh_bounds(const PalMesh *mesh);

// A simulation holds coordinates up to this size, and objects no smaller than one over it. What
// searches for contact is made of floats.
#define PAL_FARTHEST 1e30

// Refuses a mesh that is not: the message names the first node too far out.
PalStatus pal_mesh_check_reach(const PalMesh *mesh, PalError *error);

// ---- topology ---------------------------------------------------------------------------

// A list of lists: items of row i are items[start[i]] .. items[start[i + 1] - 1].
typedef struct PalLists {
    int32_t count;
    int32_t *start;
    int32_t *items;
} PalLists;

void pal_lists_clear(PalLists *lists);

// The facets that belong to one cell only, normals outward. For a triangle mesh: the triangles.
typedef struct PalSurface {
    int32_t corner_count;  // 3 or 4; quadratic cells have four triangles a face, one after another
    int32_t facet_count;
    int32_t *facets;  // mesh node indices, corner_count per facet
    int32_t *owners;  // cell behind each facet
    int32_t node_count;
    int32_t *nodes;  // mesh nodes on the surface, ascending
} PalSurface;

PalStatus pal_mesh_boundary(const PalMesh *mesh, PalSurface **surface, PalError *error);
void pal_surface_destroy(PalSurface *surface);

// Cells around each node, ascending.
PalStatus pal_mesh_node_cells(const PalMesh *mesh, PalLists *lists, PalError *error);

// Cells that share a node belong to one part. `part` has cell_count entries.
PalStatus pal_mesh_parts(const PalMesh *mesh, int32_t *part, int32_t *part_count, PalError *error);

// Turns inverted solids around; makes a triangle mesh's normals agree, and point outward
// where it is closed: away from what is solid, so into a hole. A closed piece inside another, as
// pal_mesh_shells tells, is a hole unless the two cross. `turned` receives how many cells changed.
// Triangles that meet in threes or more along an edge may differ there; a surface with one side
// only is PAL_BAD_INPUT.
PalStatus pal_mesh_orient(PalMesh *mesh, int32_t *turned, PalError *error);

// Refuses meshes that no simulation can use: cells without volume, repeated cells, a corner twice
// in one cell, nodes in no cell, cells turned inside out. The message names the first one. Indices
// in messages count from 0.
PalStatus pal_mesh_validate(const PalMesh *mesh, PalError *error);

// Refuses meshes of triangles that no membrane can be: edges of three triangles or more, neighbours
// that face opposite ways, parts that touch at a node only, triangles that cross. The message names
// the first place.
PalStatus pal_mesh_check_thin(const PalMesh *mesh, PalError *error);
// Refuses triangles that face another way than one they share an edge with.
PalStatus pal_mesh_check_facing(const PalMesh *mesh, PalError *error);

// The same cells, quadratic: a node in the middle of every edge of a mesh of tetrahedra, which
// keeps its nodes, their numbers and its groups. Groups get the nodes on edges whose both ends they
// have.
PalStatus pal_mesh_create_quadratic(const PalMesh *mesh, PalMesh **quadratic, PalError *error);

// Where a quadratic tetrahedron is squeezed most: the least determinant of its map among its
// quadrature points, over six times its volume if edges were straight (1 where they are, < 0 inside
// out), and that point.
double pal_cell_least_jacobian(const PalMesh *mesh, int32_t cell_index, PalVec3 *place);

// Removes nodes no cell uses; `removed` receives how many.
PalStatus pal_mesh_drop_unused_nodes(PalMesh *mesh, int32_t *removed, PalError *error);

// ---- surfaces that are to be filled --------------------------------------------------------

typedef enum PalSurfaceFaultKind {
    PAL_FAULT_FLAT,      // a triangle without area
    PAL_FAULT_OPEN,      // an edge of one triangle only
    PAL_FAULT_CROWDED,   // an edge of three or more
    PAL_FAULT_CROSSING,  // two triangles that meet elsewhere than at nodes they share
    PAL_FAULT_KIND_COUNT,
} PalSurfaceFaultKind;

typedef struct PalSurfaceFault {
    PalSurfaceFaultKind kind;
    int32_t cells[2];  // the second may be PAL_NONE
    PalVec3 point;     // on the edge, or where the triangles cross
} PalSurfaceFault;

#define PAL_SURFACE_FAULT_MAX 16

typedef struct PalSurfaceFaults {
    int32_t counts[PAL_FAULT_KIND_COUNT];
    int32_t fault_count;  // faults listed, at most four of a kind
    PalSurfaceFault faults[PAL_SURFACE_FAULT_MAX];
} PalSurfaceFaults;

// What keeps a mesh of triangles from being the surface of a solid. Crossings are found exactly.
PalStatus pal_mesh_find_faults(const PalMesh *mesh, PalSurfaceFaults *faults, PalError *error);

// The pieces of a closed surface, and how they lie in each other.
typedef struct PalShells {
    int32_t count;
    int32_t *of_cell;  // which shell each triangle belongs to
    int32_t *around;   // of each shell: the next one around it, or PAL_NONE
    int32_t *depth;    // of each shell: how many are around it. An odd one is a hole
} PalShells;

PalStatus pal_mesh_shells(const PalMesh *mesh, PalShells *shells, PalError *error);
void pal_shells_clear(PalShells *shells);

// Gives a solid the groups of a surface. Each facet of its boundary gets the groups of the nearest
// triangle; for each single node of a group, the nearest node of the boundary is taken.
PalStatus pal_mesh_carry_groups(const PalMesh *surface, PalMesh *solid, PalError *error);

// ---- mass -------------------------------------------------------------------------------

// Of what a closed surface encloses.
typedef struct PalMassProperties {
    double volume, mass;
    PalVec3 centre;   // of mass
    PalMat3 inertia;  // about the centre
} PalMassProperties;

// Of a mesh of triangles, filled with one density; exact but for rounding. A shell inside another
// is a hole, the next one inside it is solid again, whichever way they face. PAL_BAD_INPUT: the
// surface is open, its triangles disagree on what is outside, or it encloses nothing.
PalStatus pal_mesh_mass_properties(const PalMesh *mesh, double density,
                                   PalMassProperties *properties, PalError *error);

// ---- quality ----------------------------------------------------------------------------

typedef struct PalMeshQuality {
    double worst, mean;  // 1 is regular, 0 has no volume (triangles: no area), < 0 is inverted
    int32_t worst_cell;
    int32_t poor_count;  // cells below 0.1
    double volume;       // of solids; area of a triangle mesh
    double edge_min, edge_max, edge_mean;
} PalMeshQuality;

// Mean ratio for triangles and tetrahedra, scaled Jacobian for hexahedra. Quadratic cells: that of
// the corners times how far their map varies, see pal_cell_least_jacobian.
PalMeshQuality pal_mesh_quality(const PalMesh *mesh);
double pal_cell_quality(const PalMesh *mesh, int32_t cell_index);
double pal_cell_volume(const PalMesh *mesh, int32_t cell_index);  // signed; area of a triangle

// ---- selections -------------------------------------------------------------------------

typedef enum PalWhereKind {
    PAL_WHERE_ALL,
    PAL_WHERE_SIDE,     // nodes on the lowest or highest plane along an axis
    PAL_WHERE_PLANE,    // nodes on the plane through `point` with `normal`
    PAL_WHERE_BOX,      // bounds, inclusive
    PAL_WHERE_SPHERE,   // point, radius, inclusive
    PAL_WHERE_POINT,    // the one node nearest to point
    PAL_WHERE_GROUP,    // a named group
    PAL_WHERE_NODES,    // a list of node indices
    PAL_WHERE_SURFACE,  // nodes of the surface
    PAL_WHERE_FACING,   // corners of facets whose outward normal is within `degrees` of `normal`
    PAL_WHERE_NEAR,     // nodes within `radius` of the triangles of `other`
    PAL_WHERE_ALL_OF,   // selected by all `parts`
    PAL_WHERE_ANY_OF,   // selected by one of them at least
    PAL_WHERE_NOT,      // not selected by the one part
} PalWhereKind;

#define PAL_WHERE_DEPTH 16  // of parts in parts, at most

typedef struct PalWhere {
    PalWhereKind kind;
    int32_t axis;  // side: 0 1 2
    bool highest;  // side: z-max rather than z-min
    PalVec3 point, normal;
    double radius;
    PalBounds box;
    const char *group;
    int32_t node_count;
    const int32_t *nodes;
    double tolerance;  // side, plane: distance still on it; 0: 1e-6 of the mesh's diagonal
    double degrees;    // facing: 0 to 180
    const PalMesh *other;
    int32_t part_count;
    const struct PalWhere *parts;
} PalWhere;

PalWhere pal_where_all(void);

// Indices of selected nodes, ascending, in a heap array the caller frees with free().
// Matching nothing is not a failure: *count is 0. An unknown group is PAL_BAD_INPUT.
PalStatus pal_mesh_select_nodes(const PalMesh *mesh, const PalWhere *where, int32_t **nodes,
                                int32_t *count, PalError *error);

// The point of a mesh's cells that is nearest to a given one, as a mean of nodes.
typedef struct PalMeshPlace {
    int32_t cell_index;
    int32_t node_count;  // of the cell
    int32_t nodes[10];
    double weights[10];  // their sum is 1; >= 0 but in quadratic cells
    double distance;     // from the point given; no more than rounding errors where it is inside
} PalMeshPlace;

// Of a mesh of any cells.
PalStatus pal_mesh_locate(const PalMesh *mesh, PalVec3 point, PalMeshPlace *place, PalError *error);

// Facets of the surface all of whose corners are selected; of a group with faces, those faces;
// of a group with cells in a triangle mesh, those cells; of a direction that facets face, those
// facets; of parts, what follows from the facets of each.
PalStatus pal_mesh_select_facets(const PalMesh *mesh, const PalSurface *surface,
                                 const PalWhere *where, int32_t **facets, int32_t *count,
                                 PalError *error);

// The triangles of a solid's surface whose corners are all selected, as a mesh of their own: each
// facet moved outward by `offset`, facets of four corners cut in two. It has the solid's groups as
// groups of nodes and, where it ends, the group rim. PAL_BAD_INPUT: nothing is selected, the
// surface is too sharp somewhere, or what is made is refused by pal_mesh_check_thin.
PalStatus pal_mesh_create_skin(const PalMesh *solid, const PalWhere *where, double offset,
                               PalMesh **skin, PalError *error);

PAL_API_END
#ifdef __cplusplus
}
#endif

#endif
