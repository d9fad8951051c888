// The zipper of johnsen2015 at several resolutions: two combs that grip into each other, joined at
// one end. It has the measures of scenes/meshes/zipper.geo.
#include "grid.h"
#include "make.h"

#include <math.h>

enum { TOOTH_COUNT = 5 };

#define WIDTH     7.0
#define HALF      17.5  // of the length
#define JOINT     5.0   // length of the part that joins the combs
#define TOOTH     5.7
#define SLOT      0.3  // between teeth
#define BAR       3.5  // height of a comb's back
#define HEIGHT    12.5
#define CLEARANCE 0.2  // between a tooth's end and the other comb

typedef struct Level {
    int32_t across;        // cells along y
    int32_t tooth, joint;  // along x, of a tooth and of the joint
    int32_t middle, bar;   // along z, between the combs' backs and of a back
} Level;

// From 712 facets to ten times as many.
static const Level levels[] = {
    {2, 2, 2, 2, 1}, {3, 3, 2, 3, 1}, {4, 3, 3, 3, 2},
    {5, 4, 4, 5, 3}, {6, 6, 5, 6, 3}, {7, 7, 6, 8, 4},
};

typedef enum Part { IN_JOINT, IN_SLOT, IN_LOWER_TOOTH, IN_UPPER_TOOTH } Part;

// Which part a column of cells belongs to, and which of its columns it is.
static Part part_of(const Level *level, int32_t column, int32_t *tooth, int32_t *within)
{
    if (column < level->joint) {
        *within = column;
        return IN_JOINT;
    }
    *tooth = (column - level->joint) / (level->tooth + 1);
    *within = (column - level->joint) % (level->tooth + 1) - 1;
    if (*within < 0)
        return IN_SLOT;
    return *tooth % 2 == 0 ? IN_LOWER_TOOTH : IN_UPPER_TOOTH;
}

// Between the backs there are middle + 2 layers: a tooth fills all but the last one at its end.
static bool holds(const void *context, const int32_t cell[3])
{
    const Level *level = context;
    int32_t tooth, within, layer = cell[2] - level->bar;
    if (layer < 0 || layer >= level->middle + 2)
        return true;
    switch (part_of(level, cell[0], &tooth, &within)) {
    case IN_SLOT:
        return false;
    case IN_LOWER_TOOTH:
        return layer <= level->middle;
    case IN_UPPER_TOOTH:
        return layer >= 1;
    case IN_JOINT:
        break;
    }
    return true;
}

// Where a line of nodes along z is between the backs.
static double middle_x(const Level *level, int32_t line)
{
    if (line <= level->joint)
        return -HALF + JOINT * line / level->joint;
    int32_t tooth = (line - level->joint - 1) / (level->tooth + 1);
    int32_t within = (line - level->joint - 1) % (level->tooth + 1);
    double first = -HALF + JOINT + SLOT + tooth * (TOOTH + SLOT);
    return first + TOOTH * within / level->tooth;
}

// Along a tooth: its layers are spread evenly over its own length.
static double middle_z(const Level *level, int32_t line, int32_t layer)
{
    double room = HEIGHT - 2 * BAR;
    if (line <= level->joint)
        return BAR + room * layer / (level->middle + 2);
    int32_t tooth = (line - level->joint - 1) / (level->tooth + 1);
    double cell = (room - CLEARANCE) / (level->middle + 1);
    if (tooth % 2 == 0)
        return layer <= level->middle + 1 ? BAR + cell * layer : HEIGHT - BAR;
    return layer >= 1 ? BAR + CLEARANCE + cell * (layer - 1) : BAR;
}

// In the backs, lines spread from where the teeth have them to equal distances outside.
static PalVec3 place(const void *context, const int32_t node[3])
{
    const Level *level = context;
    int32_t columns = level->joint + TOOTH_COUNT * (level->tooth + 1);
    double y = WIDTH * (node[1] / (double)level->across - 0.5), x = middle_x(level, node[0]);
    double even = -HALF + 2 * HALF * node[0] / columns;
    int32_t layer = node[2] - level->bar, top = level->middle + 2;
    if (layer >= 0 && layer <= top)
        return (PalVec3){x, y, middle_z(level, node[0], layer)};
    double out = (layer < 0 ? -layer : layer - top) / (double)level->bar;  // 0 to 1
    double z = layer < 0 ? BAR * (1 - out) : HEIGHT - BAR * (1 - out);
    return (PalVec3){(1 - out) * x + out * even, y, z};
}

static PalStatus make_zipper(const PalMaking *making, PalError *error)
{
    int32_t count = sizeof levels / sizeof levels[0];
    if (making->size > count)
        return pal_error_set(error, PAL_BAD_INPUT, "the zipper has %d levels", (int)count);
    const Level *level = &levels[making->size - 1];
    PalGrid grid = {.cells = {level->joint + TOOTH_COUNT * (level->tooth + 1), level->across,
                              2 * level->bar + level->middle + 2},
                    .holds = holds,
                    .place = place,
                    .context = level};
    PalMesh *mesh = NULL;
    PAL_TRY(pal_grid_mesh(&grid, &mesh, error));
    PAL_TRY(pal_making_mesh(making, "mesh", "msh", mesh, error));
    fprintf(making->scene,
            "bodies:\n  - name: zipper\n    mesh: %s-mesh.msh\n"
            "    material: {law: neo-hookean, shear: 10, bulk: 40, density: 100}\n"
            "conditions:\n"
            "  - {body: zipper, where: {plane: x-min}, force: [30, 5, 0], ramp: step}\n"
            "  - {body: zipper, where: {plane: x-max}, force: [-30, -5, 0], ramp: step}\n"
            "  - {body: zipper, where: {plane: z-max}, force: [0, 0, -10], ramp: step}\n"
            "  - {body: zipper, where: {plane: z-min}, fix: z}\n"
            "contact:\n  - {self: zipper}\nsolver: {time: 100, step: 0.075, damping: 0.1}\n",
            making->stem);
    return PAL_OK;
}

const PalMaker pal_maker_zipper = {
    .name = "zipper-level",
    .help = "Two combs that grip into each other, joined at one end, are twisted and pressed.",
    .size = 1,
    .make = make_zipper,
};
