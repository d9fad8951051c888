// The comparison of hirota2003, 5: a pointed body inside the concave edge of another.
#include "grid.h"
#include "make.h"

#include <math.h>

enum { ACROSS = 4, HIGH = 10, DEEP = 6, TIP_HIGH = 6, TIP_DEEP = 6 };

// A block with a notch along x; its edge is at y = z = 0, its back at y = -1.5.
static PalVec3 place_notch(const void *context, const int32_t node[3])
{
    (void)context;
    double z = 2.0 * node[1] / HIGH - 1, front = 0.7 * fabs(z), back = -1.5;
    double s = (double)node[2] / DEEP;
    return (PalVec3){1.2 * node[0] / ACROSS - 0.6, back + s * (front - back), z};
}

// A wedge whose tip is 0.1 inside that edge, and a little above it.
static PalVec3 place_tip(const void *context, const int32_t node[3])
{
    (void)context;
    double z = 2.0 * node[1] / TIP_HIGH - 1, s = (double)node[2] / TIP_DEEP;
    double front = -0.1 + 0.8 * fabs(z), back = 1.5;
    return (PalVec3){1.0 * node[0] / ACROSS - 0.5, front + s * (back - front), 0.5 * z + 0.004};
}

static PalStatus make(const PalMaking *making, PalError *error)
{
    PalGrid grids[2] = {{.cells = {ACROSS, HIGH, DEEP}, .place = place_notch},
                        {.cells = {ACROSS, TIP_HIGH, TIP_DEEP}, .place = place_tip}};
    static const char *const names[2] = {"notch", "tip"};
    for (int b = 0; b < 2; ++b) {
        PalMesh *mesh = NULL;
        PAL_TRY(pal_grid_mesh(&grids[b], &mesh, error));
        PAL_TRY(pal_making_mesh(making, names[b], "msh", mesh, error));
    }
    const char *stem = making->stem;
    fprintf(making->scene,
            "bodies:\n"
            "  - {name: notch, mesh: %s-notch.msh, material: &tissue {law: mooney-rivlin, c10: 8, "
            "c01: 3, bulk: 50, density: 1}}\n"
            "  - {name: tip, mesh: %s-tip.msh, material: *tissue}\n"
            "conditions:\n"
            "  - {body: notch, where: {plane: y-min}, fix: xyz}\n"
            "  - {body: tip, where: {plane: y-max}, fix: xyz}\n"
            "contact:\n"
            "  - {between: [notch, tip], response: material-depth, penetration: 10}\n"
            "solver: {method: implicit-static, time: 1, step: 1, tolerance: 1e-10}\n"
            "output: {every: 1}\n",
            stem, stem);
    return PAL_OK;
}

const PalMaker pal_maker_wedge = {
    .name = "wedge-chatter",
    .help =
        "A pointed body starts inside the concave edge of another, where pushing it up and "
        "pushing it down lie next to each other. After Hirota and others (2003). Any consistent "
        "units.",
    .make = make,
};
