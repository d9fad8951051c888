// Two further scenes after hirota2003, 7: rods on a slope, and a snake that swallows a ball.
#include "grid.h"
#include "make.h"

#include <math.h>

#define PI 3.14159265358979323846

// ---- rods (Fig. 24) ---------------------------------------------------------------------

enum { ROWS = 7, COLUMNS = 5 };

// Seen along the foundation, gravity leans by 45 degrees.
static PalStatus make_rods(const PalMaking *making, PalError *error)
{
    (void)error;
    fprintf(making->scene, "bodies:\n");
    for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j < COLUMNS; ++j)
            fprintf(making->scene,
                    "  - {name: rod-%d-%d, shape: {box: [0.3, 0.3, 3], cells: [2, 2, 12]}, place: "
                    "{translate: [%g, %g, 1.5]}, material: {law: mooney-rivlin, c10: 40, c01: 10, "
                    "bulk: 250, density: 0.1}}\n",
                    i, j, 0.65 * i, 0.6 * j + 0.07 * (i % 2));
    fprintf(making->scene, "rigid:\n  - {name: foundation, shape: {box: [12, 6, 0.5], cells: [12, "
                           "6, 1]}, place: {translate: [0, 1.2, -0.25]}}\nconditions:\n");
    for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j < COLUMNS; ++j)
            fprintf(making->scene, "  - {body: rod-%d-%d, where: {plane: z-min}, fix: xyz}\n", i,
                    j);
    fprintf(making->scene, "  - {gravity: [-69.4, 0, -69.4]}\n"
                           "contact:\n  - {between: all}\n"
                           "solver: {method: implicit, scheme: backward-euler, time: 1}\n"
                           "output: {every: 0.02}\n");
    return PAL_OK;
}

const PalMaker pal_maker_leaning_rods = {
    .name = "leaning-rods",
    .help = "Seven rows of five rods stand on a slope of 45 degrees, and fall on each other under "
            "their weight. After Hirota and others (2003). Any consistent units.",
    .make = make_rods,
};

// ---- snake (Fig. 23) --------------------------------------------------------------------

enum { AROUND = 20, DEEP = 2, ALONG = 48 };

// A tube along x with a wide mouth, by which it is held: held by its tail it would be pushed
// together in front of the apple until it buckles.
static PalVec3 place_snake(const void *context, const int32_t node[3])
{
    (void)context;
    double angle = 2 * PI * node[0] / AROUND, out = (double)node[1] / DEEP;
    double x = 9.0 * node[2] / ALONG, mouth = exp(-x * x / 0.8);
    double taper = 1 - 0.35 * fmax(x - 5, 0) / 4;
    double r = (0.5 + 0.18 * out) * taper + 0.42 * mouth;
    return (PalVec3){x, r * cos(angle), r * sin(angle)};
}

static PalStatus make_snake(const PalMaking *making, PalError *error)
{
    PalGrid grid = {.cells = {AROUND, DEEP, ALONG}, .ring = true, .place = place_snake};
    PalMesh *mesh = NULL;
    PAL_TRY(pal_grid_mesh(&grid, &mesh, error));
    PAL_TRY(pal_making_mesh(making, "snake", "msh", mesh, error));
    fprintf(making->scene,
            "bodies:\n"
            "  - {name: snake, mesh: %s-snake.msh, material: {law: mooney-rivlin, c10: 8, c01: 3, "
            "bulk: 60, density: 1}}\n"
            "rigid:\n"
            "  - {name: apple, shape: {sphere: 0.78, cells: 12}, place: {translate: [-0.75, 0.02, "
            "0.01]}, motion: {translate: [7, 0, 0], ramp: linear}}\n"
            "conditions:\n"
            "  - {body: snake, where: {plane: x-min}, fix: xyz}\n"
            "contact:\n  - {between: [snake, apple], response: material-depth}\n"
            "solver: {method: implicit-static, time: 1, step: 0.02}\n"
            "output: {every: 0.02}\n",
            making->stem);
    return PAL_OK;
}

const PalMaker pal_maker_snake = {
    .name = "snake",
    .help = "A snake swallows an apple that is half as wide again as its throat. After Hirota and "
            "others (2003). Any consistent units.",
    .make = make_snake,
};
