// Bodies that are pressed: flat blocks, a U, an organ in its cavity under a probe.
#include "grid.h"
#include "make.h"

#include <math.h>
#include <stdlib.h>

// ---- flat blocks ------------------------------------------------------------------------

// The upper block is a little smaller, so that vertices never lie on vertices.
static PalStatus make_flat(const PalMaking *making, PalError *error)
{
    (void)error;
    int32_t n = making->size;
    double cell = 0.1, lower = cell * (n + 1), upper = cell * n * 0.97;
    fprintf(making->scene,
            "bodies:\n"
            "  - name: lower\n    shape: {box: [%g, %g, 0.3], cells: [%d, %d, 3]}\n"
            "    place: {translate: [0, 0, -0.15]}\n"
            "    material: &tissue {law: neo-hookean, shear: 100, bulk: 400, density: 20}\n"
            "  - name: upper\n    shape: {box: [%g, %g, 0.3], cells: [%d, %d, 3]}\n"
            "    place: {translate: [0, 0, 0.151]}\n    material: *tissue\n"
            "conditions:\n"
            "  - {body: lower, where: {plane: z-min}, fix: xyz}\n"
            "  - {body: upper, where: {plane: z-max}, displace: [0.03, 0, -0.03], ramp: linear}\n"
            "contact:\n  - {between: [lower, upper]}\n"
            "solver: {time: 0.5, step: 0.0025, damping: 1}\n",
            lower, lower, (int)n + 1, (int)n + 1, upper, upper, (int)n, (int)n);
    return PAL_OK;
}

const PalMaker pal_maker_flat = {
    .name = "flat-blocks",
    .help = "A flat block is pressed onto another, and a little aside.",
    .size = 10,
    .make = make_flat,
};

// ---- a U --------------------------------------------------------------------------------

static bool in_u(const void *context, const int32_t cell[3])
{
    (void)context;
    return cell[2] != 5 || cell[0] < 5;
}

// The slit between the arms is a fifth as high as the other layers.
static PalVec3 place_u(const void *context, const int32_t node[3])
{
    (void)context;
    double z = node[2] <= 5 ? node[2] : node[2] - 0.8;
    return (PalVec3){0.1 * node[0], 0.1 * (node[1] - 3), 0.1 * z};
}

static PalStatus make_u(const PalMaking *making, PalError *error)
{
    PalGrid grid = {.cells = {11, 6, 11}, .holds = in_u, .place = place_u};
    PalMesh *mesh = NULL;
    PAL_TRY(pal_grid_mesh(&grid, &mesh, error));
    PAL_TRY(pal_making_mesh(making, "mesh", "msh", mesh, error));
    fprintf(making->scene,
            "bodies:\n  - name: u\n    mesh: %s-mesh.msh\n"
            "    material: {law: neo-hookean, shear: 100, bulk: 400, density: 20}\n"
            "conditions:\n  - {body: u, where: {plane: z-min}, fix: xyz}\n"
            "  - {body: u, where: {plane: z-max}, displace: [0, 0, -0.15], ramp: linear}\n"
            "contact:\n  - {self: u}\nsolver: {time: 2, step: 0.002, damping: 1}\n",
            making->stem);
    return PAL_OK;
}

const PalMaker pal_maker_u_block = {
    .name = "u-block",
    .help = "A block with a slit is pressed until the slit closes.",
    .make = make_u,
};

// ---- prostate ---------------------------------------------------------------------------

// Millimetres. A block with a groove for the probe along z and a cavity for the organ.
enum { BLOCK = 26, CAVITY = 16 };
static const PalVec3 block_half = {45, 35, 35}, organ_half = {24, 17, 20}, organ_at = {0, 2, 0};
#define FIT    0.2  // between organ and cavity
#define GROOVE 6.0
#define PROBE  9.0  // radius

static double groove(double x)
{
    double turn = acos(-1) * x / 28;
    return fabs(x) < 14 ? GROOVE * cos(turn) * cos(turn) : 0;
}

static bool in_block(const void *context, const int32_t cell[3])
{
    (void)context;
    for (int i = 0; i < 3; ++i)
        if (cell[i] < (BLOCK - CAVITY) / 2 || cell[i] >= (BLOCK + CAVITY) / 2)
            return true;
    return false;
}

static PalVec3 place_block(const void *context, const int32_t node[3])
{
    (void)context;
    PalVec3 p = {node[0] - BLOCK / 2, node[1] - BLOCK / 2, node[2] - BLOCK / 2};
    double most = fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z)));
    PalVec3 u = {p.x / most, p.y / most, p.z / most}, round = pal_grid_round(u);
    PalVec3 outer = {block_half.x * u.x, block_half.y * u.y, block_half.z * u.z};
    outer.y -= groove(outer.x) * fmax(u.y, 0);  // on the side of the probe
    double t = (most - CAVITY / 2) / ((BLOCK - CAVITY) / 2.0);
    return (PalVec3){(1 - t) * (organ_at.x + (organ_half.x + FIT) * round.x) + t * outer.x,
                     (1 - t) * (organ_at.y + (organ_half.y + FIT) * round.y) + t * outer.y,
                     (1 - t) * (organ_at.z + (organ_half.z + FIT) * round.z) + t * outer.z};
}

enum { GIRTH = 14, LENGTH = 37 };  // of the probe, in quadrilaterals

// A rod along z with round ends.
static PalVec3 place_probe(const void *context, const int32_t node[3])
{
    (void)context;
    double straight = (LENGTH - GIRTH) * 0.5;
    double z = node[2] - LENGTH / 2.0, rest = fmax(fabs(z) - straight, 0);
    PalVec3 u = {(2.0 * node[0] - GIRTH) / GIRTH, (2.0 * node[1] - GIRTH) / GIRTH,
                 copysign(rest / (GIRTH / 2.0), z)};
    double most = fmax(fabs(u.x), fmax(fabs(u.y), fabs(u.z)));
    if (most == 0)
        return (PalVec3){0, 0, 0.1 * z};
    PalVec3 round = pal_grid_round((PalVec3){u.x / most, u.y / most, u.z / most});
    double along = copysign(fmin(fabs(z), straight), z) * 2 * PROBE / GIRTH * 1.6;
    return (PalVec3){PROBE * most * round.x, PROBE * most * round.y,
                     along + PROBE * most * round.z};
}

static PalStatus make_probe(const PalMaking *making, PalError *error)
{
    PalGrid grid = {.cells = {GIRTH, GIRTH, LENGTH}, .place = place_probe};
    PalMesh *solid = NULL, *skin = NULL;
    PAL_TRY(pal_grid_mesh(&grid, &solid, error));
    PalStatus status = pal_grid_skin(solid, &skin, error);
    pal_mesh_destroy(solid);
    PAL_TRY(status);
    return pal_making_mesh(making, "probe", "stl", skin, error);
}

static PalStatus make_prostate(const PalMaking *making, PalError *error)
{
    PalGrid grid = {.cells = {BLOCK, BLOCK, BLOCK}, .holds = in_block, .place = place_block};
    PalMesh *block = NULL;
    PAL_TRY(pal_grid_mesh(&grid, &block, error));
    PAL_TRY(pal_making_mesh(making, "block", "msh", block, error));
    PAL_TRY(make_probe(making, error));
    fprintf(making->scene,
            "bodies:\n"
            "  - name: prostate\n    shape: {ellipsoid: [%g, %g, %g], cells: 21}\n"
            "    place: {translate: [%g, %g, %g]}\n"
            "    material: &tissue {law: neo-hookean, shear: 1.8, bulk: 6.9, density: 1e-5}\n"
            "  - name: block\n    mesh: %s-block.msh\n    material: *tissue\n"
            "rigid:\n  - name: probe\n    surface: %s-probe.stl\n"
            "    place: {translate: [0, %g, -15]}\n"
            "    motion: {translate: [0, -11.5, 5], ramp: linear}\n"
            "conditions:\n"
            "  - {body: block, where: {plane: y-min}, fix: xyz}\n"
            "  - {body: block, where: {any-of: [{box: [[-50, 34.9, -50], [-20, 50, 50]]}, "
            "{box: [[20, 34.9, -50], [50, 50, 50]]}]}, fix: xyz}\n"
            "contact:\n  - {between: [prostate, block]}\n  - {between: [block, probe]}\n"
            "  - {between: [prostate, probe]}\n"
            "solver: {time: 1, step: 0.001, damping: 20, mass-scaling: 0.001}\n"
            "probes:\n  - {name: push, rigid: probe, record: force}\n"
            "output: {every: 0.1}\n",
            organ_half.x, organ_half.y, organ_half.z, organ_at.x, organ_at.y, organ_at.z,
            making->stem, making->stem, block_half.y - GROOVE + PROBE + 0.4);
    return PAL_OK;
}

const PalMaker pal_maker_prostate = {
    .name = "prostate",
    .help = "A probe presses on a block of tissue that holds a prostate in a fitting cavity. "
            "Millimetres, kilograms, seconds, kilopascals.",
    .make = make_prostate,
};
