// A breast that hangs in its skin.
#include "grid.h"
#include "make.h"

#include <math.h>

// Millimetres: a mound on a layer of tissue over the chest. So many cells across and outward.
enum { ACROSS = 45, OUTWARD = 4 };
#define HALF   80.0  // of the layer's width
#define LAYER  16.0
#define RADIUS 70.0
#define HEIGHT 40.0
#define SKIN   5.0

static PalVec3 place(const void *context, const int32_t node[3])
{
    (void)context;
    double x = (2.0 * node[0] - ACROSS) / ACROSS, y = (2.0 * node[1] - ACROSS) / ACROSS;
    double outward = (double)node[2] / OUTWARD;
    PalVec3 p = {HALF * x * (1 - y * y / 6), HALF * y * (1 - x * x / 6), 0};  // sides bulge
    double r = sqrt(p.x * p.x + p.y * p.y) / RADIUS, wave = r < 1 ? cos(acos(0) * r) : 0;
    p.z = outward * (LAYER + HEIGHT * wave * wave);
    return p;
}

static PalStatus make_breast(const PalMaking *making, PalError *error)
{
    PalGrid grid = {.cells = {ACROSS, ACROSS, OUTWARD}, .place = place};
    PalMesh *mesh = NULL;
    PAL_TRY(pal_grid_mesh(&grid, &mesh, error));
    PAL_TRY(pal_making_mesh(making, "tissue", "msh", mesh, error));
    fprintf(making->scene,
            "bodies:\n"
            "  - name: tissue\n    mesh: %s-tissue.msh\n"
            "    material: {law: transversely-isotropic, shear: 3.57, bulk: 16.67, fibre-modulus: "
            "37.71, "
            "direction: [0, 0, 1], density: 1e-6}\n"
            "  - name: skin\n    skin-of: tissue\n    where: {facing: {direction: [0, 0, 1], "
            "within: 60}}\n"
            "    thickness: %g\n"
            "    material: {law: neo-hookean, young: 25, poisson: 0.4, density: 1e-6, "
            "bending: {young: 5, poisson: 0.25}}\n"
            "conditions:\n"
            "  - {body: tissue, where: {plane: z-min}, fix: xyz}\n"
            "  - {body: skin, where: {group: rim}, fix: xyz}\n"
            "  - {gravity: [-9810, 0, 0], ramp: linear}\n"
            "contact:\n  - {between: [tissue, skin]}\n"
            "solver: {time: 0.25, step: 1e-4, damping: 20}\n"
            "output: {every: 0.025}\n",
            making->stem, SKIN);
    return PAL_OK;
}

const PalMaker pal_maker_breast = {
    .name = "breast",
    .help = "A breast hangs under its weight in a skin that slides on it. Millimetres, kilograms, "
            "seconds, kilopascals.",
    .make = make_breast,
};
