// Things that fall, swing and roll.
#include "grid.h"
#include "make.h"

#include <math.h>

#define PI 3.14159265358979323846

// ---- a chain ----------------------------------------------------------------------------

enum { AROUND = 26, ACROSS = 2 };
#define RING 1.0   // radius of a link, to the middle of its wire
#define WIRE 0.22  // radius of the wire

// A link in the plane of x and y; its wire is round.
static PalVec3 place_link(const void *context, const int32_t node[3])
{
    (void)context;
    double angle = 2 * PI * node[0] / AROUND;
    PalVec3 u = {(2.0 * node[1] - ACROSS) / ACROSS, (2.0 * node[2] - ACROSS) / ACROSS, 0};
    double widest = fmax(fabs(u.x), fabs(u.y)), length = hypot(u.x, u.y);
    double stretch = length > 0 ? WIRE * widest / length : 0;
    double out = RING + stretch * u.x;
    return (PalVec3){out * cos(angle), out * sin(angle), stretch * u.y};
}

static PalStatus make_chain(const PalMaking *making, PalError *error)
{
    PalGrid grid = {.cells = {AROUND, ACROSS, ACROSS}, .ring = true, .place = place_link};
    PalMesh *link = NULL;
    PAL_TRY(pal_grid_mesh(&grid, &link, error));
    PAL_TRY(pal_making_mesh(making, "link", "msh", link, error));
    FILE *scene = making->scene;
    double pitch = 2 * (RING - WIRE) - 0.12;
    fprintf(scene, "bodies:\n");
    for (int32_t i = 0; i < making->size; ++i)
        fprintf(scene,
                "  - name: link-%d\n    mesh: %s-link.msh\n"
                "    place: {translate: [%.9g, 0, 0], rotate: {axis: [1, 0, 0], degrees: %d}}\n"
                "    material: {law: neo-hookean, young: 2000, poisson: 0.3, density: 1}\n",
                (int)i, making->stem, i * pitch, i % 2 == 0 ? 45 : 135);
    fprintf(scene,
            "conditions:\n  - {gravity: [0, 0, -10]}\n"
            "  - {body: link-0, where: {box: [[-2, -2, -2], [-0.7, 2, 2]]}, fix: xyz}\n"
            "contact:\n  - {between: all, friction: 0.1}\nsolver: {time: 1.8, step: 0.0005}\n");
    return PAL_OK;
}

const PalMaker pal_maker_chain = {
    .name = "chain",
    .help = "A chain of soft links, held at one end, falls and swings.",
    .size = 10,
    .make = make_chain,
};

// ---- a house of cards -------------------------------------------------------------------

#define LONG   0.09
#define WIDE   0.06
#define THIN   0.003
#define LEAN   25.0  // degrees from upright
#define CLOSE  2e-5  // between cards at the start
#define CARDED "{law: neo-hookean, young: 1e6, poisson: 0.3, density: 500}"

static void write_card(FILE *scene, const char *name, PalVec3 at, double degrees)
{
    fprintf(scene,
            "  - name: %s\n    shape: {box: [%g, %g, %g], cells: [1, 4, 6]}\n"
            "    place: {translate: [%.9g, 0, %.9g], rotate: {axis: [0, 1, 0], degrees: %g}}\n"
            "    material: " CARDED "\n",
            name, THIN, WIDE, LONG, at.x, at.z, degrees);
}

// Two cards that lean on each other; returns the height of their top.
static double write_pair(FILE *scene, const char *name, double x, double floor)
{
    double s = sin(LEAN * PI / 180), c = cos(LEAN * PI / 180);
    double aside = (THIN * c + LONG * s + CLOSE) / 2, half = (THIN * s + LONG * c) / 2;
    for (int side = 0; side < 2; ++side) {
        char card[32];
        snprintf(card, sizeof card, "%s-%s", name, side == 0 ? "left" : "right");
        write_card(scene, card,
                   (PalVec3){side == 0 ? x - aside : x + aside, 0, floor + CLOSE + half},
                   side == 0 ? LEAN : -LEAN);
    }
    return floor + CLOSE + 2 * half;
}

static PalStatus make_cards(const PalMaking *making, PalError *error)
{
    (void)error;
    FILE *scene = making->scene;
    double apart = 0.085;
    fprintf(scene, "bodies:\n");
    double roof = write_pair(scene, "first", -apart / 2, 0);
    write_pair(scene, "second", apart / 2, 0);
    write_card(scene, "roof", (PalVec3){0, 0, roof + CLOSE + THIN / 2}, 90);
    write_card(scene, "eaves", (PalVec3){0, 0, roof + 2 * CLOSE + 1.5 * THIN}, 90);
    write_pair(scene, "top", 0, roof + 2 * CLOSE + 2 * THIN);
    fprintf(scene, "rigid:\n  - {name: table, shape: {box: [0.4, 0.2, 0.02]}, place: {translate: "
                   "[0, 0, -0.01]}}\n"
                   "conditions:\n  - {gravity: [0, 0, -9.81]}\n"
                   "contact:\n  - {between: all, friction: 0.8}\nsolver: {time: 0.04, step: 3e-5, "
                   "damping: 5}\n");
    return PAL_OK;
}

const PalMaker pal_maker_cards = {
    .name = "card-house",
    .help = "A house of cards stands by friction.",
    .make = make_cards,
};

// ---- sheets -----------------------------------------------------------------------------

static PalStatus make_sheets(const PalMaking *making, PalError *error)
{
    (void)error;
    FILE *scene = making->scene;
    fprintf(scene, "bodies:\n");
    for (int32_t i = 0; i < making->size; ++i)
        fprintf(scene,
                "  - name: sheet-%d\n    shape: {box: [1, 1, 0.02], cells: [8, 8, 1]}\n"
                "    place: {translate: [0, 0, %.9g], rotate: {axis: [0, 0, 1], degrees: %d}}\n"
                "    material: {law: neo-hookean, young: 20000, poisson: 0.3, density: 1000}\n",
                (int)i, 0.06 + 0.05 * i, (int)(17 * i));
    fprintf(scene,
            "rigid:\n"
            "  - {name: floor, shape: {box: [3, 3, 0.2]}, place: {translate: [0, 0, -0.1]}}\n"
            "  - {name: stone, shape: {box: [0.3, 0.3, 0.02]}, place: {translate: [0.2, 0.1, "
            "0.0105]}}\n"
            "conditions:\n  - {gravity: [0, 0, -9.81]}\n"
            "contact:\n  - {between: all, friction: 0.2}\nsolver: {time: 0.6, step: 0.0005}\n");
    return PAL_OK;
}

const PalMaker pal_maker_sheets = {
    .name = "sheets",
    .help = "Thin sheets fall on a floor with a flat stone, and on each other.",
    .size = 10,
    .make = make_sheets,
};

// ---- a ball in a bowl -------------------------------------------------------------------

enum { BOWL = 24 };

// A cap of a spherical shell, inner radius 1.
static PalVec3 place_bowl(const void *context, const int32_t node[3])
{
    (void)context;
    double u = (2.0 * node[0] - BOWL) / BOWL, v = (2.0 * node[1] - BOWL) / BOWL;
    double widest = fmax(fabs(u), fabs(v)), length = hypot(u, v);
    double angle = 1.3 * widest, radius = node[2] == 0 ? 1.1 : 1;
    double x = length > 0 ? u / length : 0, y = length > 0 ? v / length : 0;
    return (PalVec3){radius * sin(angle) * x, radius * sin(angle) * y, -radius * cos(angle)};
}

static PalStatus make_bowl(const PalMaking *making, PalError *error)
{
    PalGrid grid = {.cells = {BOWL, BOWL, 1}, .place = place_bowl};
    PalMesh *solid = NULL, *skin = NULL;
    PAL_TRY(pal_grid_mesh(&grid, &solid, error));
    PalStatus status = pal_grid_skin(solid, &skin, error);
    pal_mesh_destroy(solid);
    PAL_TRY(status);
    PAL_TRY(pal_making_mesh(making, "bowl", "stl", skin, error));
    fprintf(
        making->scene,
        "bodies:\n  - name: ball\n    shape: {sphere: 0.3, cells: 9}\n"
        "    place: {translate: [-0.56, 0, -0.38]}\n    velocity: [0, 0.6, 0]\n"
        "    material: {law: neo-hookean, young: 30000, poisson: 0.3, density: 1000}\n"
        "rigid:\n  - {name: bowl, surface: %s-bowl.stl}\n"
        "conditions:\n  - {gravity: [0, 0, -9.81]}\n"
        "contact:\n  - {between: [ball, bowl], friction: 0.5}\nsolver: {time: 2.5, step: 0.0015}\n",
        making->stem);
    return PAL_OK;
}

const PalMaker pal_maker_bowl = {
    .name = "bowl",
    .help = "A soft ball rolls to and fro in a bowl.",
    .make = make_bowl,
};

// ---- a pile -----------------------------------------------------------------------------

// The same numbers everywhere, from 0 to 1.
static double scatter(int32_t body, int32_t which)
{
    uint32_t x = (uint32_t)body * 2654435761u + (uint32_t)which * 40503u + 1;
    for (int i = 0; i < 3; ++i) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    return x / 4294967296.0;
}

static void write_walls(FILE *scene, double half, double height)
{
    fprintf(scene,
            "rigid:\n  - {name: floor, shape: {box: [%g, %g, 0.2]}, place: {translate: [0, 0, "
            "-0.1]}}\n",
            2 * half + 1, 2 * half + 1);
    for (int w = 0; w < 4; ++w) {
        double way = w % 2 == 0 ? half + 0.1 : -half - 0.1;
        fprintf(
            scene,
            "  - {name: wall-%d, shape: {box: [%g, %g, %g]}, place: {translate: [%g, %g, %g]}}\n",
            w, w < 2 ? 0.19 : 2 * half, w < 2 ? 2 * half : 0.19, height, w < 2 ? way : 0,
            w < 2 ? 0 : way, height / 2 + 0.005);
    }
}

static PalStatus make_pile(const PalMaking *making, PalError *error)
{
    (void)error;
    FILE *scene = making->scene;
    int32_t n = making->size, side = (int32_t)ceil(cbrt(n) - 1e-9);
    double pitch = 0.115, drop = 0.1005;
    fprintf(scene, "bodies:\n");
    for (int32_t b = 0; b < n; ++b) {
        int32_t i = b % side, j = b / side % side, k = b / side / side;
        double x = pitch * (i - (side - 1) / 2.0) + 0.006 * (scatter(b, 0) - 0.5);
        double y = pitch * (j - (side - 1) / 2.0) + 0.006 * (scatter(b, 1) - 0.5);
        bool ball = (i + j + k) % 2 == 1;
        fprintf(scene,
                "  - {name: body-%d, shape: {%s}, place: {translate: [%.6g, %.6g, %.6g], rotate: "
                "{axis: [0, 0, 1], degrees: %.1f}}, material: %s}\n",
                (int)b, ball ? "sphere: 0.05, cells: 3" : "box: [0.1, 0.1, 0.1], cells: 2", x, y,
                0.0505 + drop * k, 10 * scatter(b, 2),
                b == 0 ? "&soft {law: neo-hookean, young: 20000, poisson: 0.3, density: 1000}"
                       : "*soft");
    }
    write_walls(scene, pitch * side / 2 + 0.01, 0.15 * side + 0.1);
    fprintf(scene,
            "conditions:\n  - {gravity: [0, 0, -9.81]}\n"
            "contact:\n  - {between: all, friction: 0.3}\nsolver: {time: 1, step: 0.0005}\n");
    return PAL_OK;
}

const PalMaker pal_maker_pile = {
    .name = "pile",
    .help = "Soft boxes and balls settle in a bin.",
    .size = 10,
    .make = make_pile,
};

// ---- a swarm ----------------------------------------------------------------------------

enum { TOUCHING = 6 };  // of all bodies, in twos
#define APART 4.0       // between the middles of the others

// Balls of diameter 1 fly about, far from each other; a few are pushed together in pairs.
static PalStatus make_swarm(const PalMaking *making, PalError *error)
{
    (void)error;
    FILE *scene = making->scene;
    int32_t n = making->size, side = (int32_t)ceil(cbrt(n) - 1e-9);
    fprintf(scene, "bodies:\n");
    for (int32_t b = 0; b < n; ++b) {
        bool pushed = b < TOUCHING;
        PalVec3 at = {APART * (b % side), APART * (b / side % side), APART * (b / side / side)};
        PalVec3 v = {6 * scatter(b, 0) - 3, 6 * scatter(b, 1) - 3, 6 * scatter(b, 2) - 3};
        if (pushed) {
            at = (PalVec3){APART * (b / 2) + (b % 2 == 0 ? -0.502 : 0.502), -2 * APART, 0};
            v = (PalVec3){b % 2 == 0 ? 0.2 : -0.2, 0, 0};
        }
        fprintf(scene,
                "  - {name: ball-%d, shape: {sphere: 0.5, cells: 6}, place: {translate: [%.6g, "
                "%.6g, %.6g]}, velocity: [%.6g, %.6g, %.6g], material: %s}\n",
                (int)b, at.x, at.y, at.z, v.x, v.y, v.z,
                b == 0 ? "&soft {law: neo-hookean, young: 3000, poisson: 0.3, density: 20}"
                       : "*soft");
    }
    fprintf(scene, "conditions:\n");
    for (int32_t b = 0; b < TOUCHING && b < n; ++b)
        fprintf(scene, "  - {body: ball-%d, where: all, force: [%d, 0, 0], ramp: step}\n", (int)b,
                b % 2 == 0 ? 20 : -20);
    fprintf(scene, "contact:\n  - {between: all, friction: 0.3}\n"
                   "solver: {time: 1, step: 0.0005}\n");
    return PAL_OK;
}

const PalMaker pal_maker_swarm = {
    .name = "swarm",
    .help = "Soft balls fly about far from each other; six of them are pushed together in pairs.",
    .size = 200,
    .make = make_swarm,
};
