// The scenes of johnsen2012: a liver on two bars, and one that forceps grip inside a cage.
#include "liver.h"

#include "grid.h"
#include "make.h"
#include "shell.h"

#include <math.h>

#define PI 3.14159265358979323846

PalVec3 pal_liver_place(PalVec3 u)
{
    double left = (u.x + 1) / 2;
    double notch = exp(-(u.x - 0.25) * (u.x - 0.25) / 0.03);
    double deep = 7 - 2 * left, high = 4.8 - 2.4 * left;
    deep *= u.y < 0 ? 1 - 0.3 * notch * fmin(-u.y, 1) : 1;
    high *= u.z < 0 ? 0.6 : 1;
    return (PalVec3){10 * u.x, deep * u.y, high * u.z + 1.2 * u.x * u.x};
}

PalStatus pal_liver_mesh(PalCellKind kind, int32_t cells, PalMesh **mesh, PalError *error)
{
    PalShapeDef def = pal_shape_def_default();
    def.kind = PAL_SHAPE_SPHERE;
    def.extent = (PalVec3){1, 1, 1};
    def.cell_kind = kind;
    def.cells[0] = cells;
    PAL_TRY(pal_mesh_create_shape(&def, mesh, error));
    for (int32_t n = 0; n < (*mesh)->node_count; ++n)
        (*mesh)->nodes[n] = pal_liver_place((*mesh)->nodes[n]);
    return PAL_OK;
}

// ---- on two bars ------------------------------------------------------------------------

// A cavity inside, of the same form.
static PalVec3 place_hollow(PalVec3 node, double outward)
{
    double r = 0.5 + 0.5 * outward;
    return pal_liver_place((PalVec3){r * node.x, r * node.y, r * node.z});
}

static PalStatus make_bars(const PalMaking *making, PalError *error)
{
    PalShapeDef def = pal_shape_def_default();
    def.kind = PAL_SHAPE_SPHERE;
    def.extent = (PalVec3){1, 1, 1};
    def.cell_kind = PAL_CELL_TRIANGLE;
    def.cells[0] = 14;
    PalMesh *skin = NULL, *shell = NULL;
    PAL_TRY(pal_mesh_create_shape(&def, &skin, error));
    PalStatus status = pal_shell_mesh(skin, 3, place_hollow, &shell, error);
    pal_mesh_destroy(skin);
    PAL_TRY(status);
    PAL_TRY(pal_making_mesh(making, "mesh", "msh", shell, error));
    fprintf(
        making->scene,
        "bodies:\n  - name: liver\n    mesh: %s-mesh.msh\n"
        "    place: {translate: [0, 0, 4.2]}\n"
        "    material: {law: mooney-rivlin, c10: 0.6, c01: 0.2, bulk: 8, density: 1}\n"
        "rigid:\n"
        "  - {name: left-bar, shape: &bar {cylinder: [0.8, 24], cells: [12, 24]}, place: "
        "{translate: "
        "[-3.8, 0, 0], rotate: &across {axis: [1, 0, 0], degrees: 90}}}\n"
        "  - {name: right-bar, shape: *bar, place: {translate: [3.2, 0, 0.4], rotate: *across}}\n"
        "conditions:\n  - {gravity: [0, 0, -0.4], ramp: smooth, until: 15}\n"
        "contact:\n  - {between: all, friction: 0.6}\n  - {self: liver}\n"
        "solver: {time: 40, damping: 0.3}\noutput: {every: 3}\n",
        making->stem);
    return PAL_OK;
}

const PalMaker pal_maker_liver_bars = {
    .name = "liver-bars",
    .help =
        "A liver with a cavity inside sinks on two bars under a large weight and folds on itself. "
        "Centimetres; any consistent units.",
    .make = make_bars,
};

// ---- forceps in a cage ------------------------------------------------------------------

enum { RIB_COUNT = 5, AROUND = 32, ACROSS = 4 };

// A rib: a ring around the liver in a plane of constant x.
static PalVec3 place_rib(const void *context, const int32_t node[3])
{
    const double *x = context;
    double left = (*x / 10 + 1) / 2, angle = 2 * PI * node[0] / AROUND;
    double deep = 8.2 - 1.8 * left, high = 5.2 - 1.4 * left;
    double u = (2.0 * node[1] - ACROSS) / ACROSS, v = (2.0 * node[2] - ACROSS) / ACROSS;
    double widest = fmax(fabs(u), fabs(v)), length = hypot(u, v);
    double wire = length > 0 ? 0.35 * widest / length : 0;
    return (PalVec3){*x + wire * v, (deep + wire * u) * cos(angle),
                     0.4 + 0.012 * *x * *x + (high + wire * u) * sin(angle)};
}

static PalStatus make_rib(const PalMaking *making, int32_t rib, double x, PalError *error)
{
    PalGrid grid = {
        .cells = {AROUND, ACROSS, ACROSS}, .ring = true, .place = place_rib, .context = &x};
    PalMesh *solid = NULL, *skin = NULL;
    char name[16];
    PAL_TRY(pal_grid_mesh(&grid, &solid, error));
    PalStatus status = pal_grid_skin(solid, &skin, error);
    pal_mesh_destroy(solid);
    PAL_TRY(status);
    snprintf(name, sizeof name, "rib-%d", (int)rib);
    return pal_making_mesh(making, name, "stl", skin, error);
}

static PalStatus make_forceps(const PalMaking *making, PalError *error)
{
    FILE *scene = making->scene;
    PalMesh *liver = NULL;
    PAL_TRY(pal_liver_mesh(PAL_CELL_TETRAHEDRON, 13, &liver, error));
    PAL_TRY(pal_making_mesh(making, "mesh", "msh", liver, error));
    fprintf(
        scene,
        "bodies:\n  - name: liver\n    mesh: %s-mesh.msh\n"
        "    material: {law: neo-hookean, shear: 1, bulk: 5, density: 1}\n"
        "  - name: upper-jaw\n    shape: &jaw {box: [3.6, 1.6, 0.5], cells: [9, 4, 2]}\n"
        "    place: {translate: [7.6, 0, 3.2]}\n"
        "    material: &steel {law: neo-hookean, shear: 60, bulk: 150, density: 60}\n"
        "  - {name: lower-jaw, shape: *jaw, place: {translate: [7.6, 0, -1.6]}, material: *steel}\n"
        "rigid:\n",
        making->stem);
    for (int32_t r = 0; r < RIB_COUNT; ++r) {
        PAL_TRY(make_rib(making, r, -8.0 + 2.9 * r, error));
        fprintf(scene, "  - {name: rib-%d, surface: %s-rib-%d.stl}\n", (int)r, making->stem,
                (int)r);
    }
    fprintf(scene, "conditions:\n"
                   "  - {body: liver, where: {box: [[-11, -9, -9], [-7, 9, 9]]}, fix: xyz}\n"
                   "  - {body: upper-jaw, where: {plane: z-max}, displace: [-0.3, 0, -1.2]}\n"
                   "  - {body: lower-jaw, where: {plane: z-min}, displace: [-0.3, 0, 1.2]}\n"
                   "contact:\n  - {between: all, friction: 0.4}\n"
                   "solver: {time: 30, damping: 0.5}\noutput: {every: 1.5}\n");
    return PAL_OK;
}

const PalMaker pal_maker_liver_forceps = {
    .name = "liver-forceps",
    .help = "Two stiff but soft jaws squeeze the left lobe of a liver that lies in a cage of rigid "
            "ribs.",
    .make = make_forceps,
};
