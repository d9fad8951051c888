// A leg like that of hirota2003, 6: bones, the muscle that stretches the knee with its tendon,
// kneecap and ligament, and a sleeve of skin and fat around them. Along z the leg, along y forward,
// across x; the knee turns about the x axis. Centimetres and newtons.
#include "grid.h"
#include "make.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

// Cells of the four meshes: across, deep (or around and deep), along.
typedef struct Counts {
    int32_t femur[3], tibia[3], strip[3], skin[3];
} Counts;

static int32_t scaled(int32_t count, int32_t size)
{
    int32_t half = (count * size + 36) / 72;
    return 2 * (half > 1 ? half : 1);
}

// `size`: cells around the skin.
static Counts count_cells(int32_t size)
{
    int32_t bone = scaled(6, size), strip = scaled(8, size);
    return (Counts){.femur = {bone, bone, scaled(26, size)},
                    .tibia = {bone, bone, scaled(22, size)},
                    .strip = {strip, scaled(4, size), 11 * strip / 2},
                    .skin = {scaled(36, size), 2, scaled(60, size)}};
}

static const double TOP = 17, BOTTOM = -17, CONDYLE = 2.3, SHAFT_AHEAD = 1.4;

// 0 at `from`, 1 at `to`, smooth in between.
static double blend(double z, double from, double to)
{
    double s = fmin(fmax((z - from) / (to - from), 0), 1);
    return s * s * (3 - 2 * s);
}

// A point of a square from -1 to 1, in the disk of radius 1.
static void round_off(double u, double v, double *x, double *y)
{
    *x = u * sqrt(1 - v * v / 2);
    *y = v * sqrt(1 - u * u / 2);
}

// ---- bones ------------------------------------------------------------------------------

// Half the depth of the thigh bone, and how far ahead of the axis its middle is. Its end is a roll.
static double femur_depth(double z, double *ahead)
{
    double shaft = blend(z, 0.3, 5);
    double roll = z < 0 ? sqrt(fmax(CONDYLE * CONDYLE - z * z, 0)) : CONDYLE;
    *ahead = shaft * SHAFT_AHEAD;
    return (1 - shaft) * roll + shaft * 1.15;
}

// In front of the roll there is a groove in which the kneecap slides.
static PalVec3 place_femur(const void *context, const int32_t node[3])
{
    const int32_t *cells = context;
    double t = (double)node[2] / cells[2], low = -0.93 * CONDYLE, x, y, ahead;
    double z = low + (TOP - low) * pow(t, 1.35), deep = femur_depth(z, &ahead);
    round_off(2.0 * node[0] / cells[0] - 1, 2.0 * node[1] / cells[1] - 1, &x, &y);
    double shaft = blend(z, 0.3, 5);
    double wide = (1 - shaft) * (3.4 - 0.9 * fmax(-z / CONDYLE, 0)) + shaft * 1.25;
    double groove = (1 - shaft) * 0.1 * exp(-2.5 * x * x) * fmax(y, 0);
    return (PalVec3){wide * x, deep * y * (1 - groove) + ahead, z};
}

// The same of the shin bone, whose flat top the roll stands on, without the bump for the ligament.
static double tibia_depth(double z, double *ahead)
{
    double shaft = blend(-z, CONDYLE, 3 * CONDYLE);
    *ahead = (1 - shaft) * 0.2 + shaft * SHAFT_AHEAD;
    return (1 - shaft) * 1.9 + shaft * 1.1;
}

static double tibia_bump(double z)
{
    return 0.3 * exp(-pow((z + 5.2) / 1.3, 2));
}

static PalVec3 place_tibia(const void *context, const int32_t node[3])
{
    const int32_t *cells = context;
    double t = (double)node[2] / cells[2], high = -CONDYLE - 0.15, x, y, ahead;
    double z = high + (BOTTOM - high) * pow(t, 1.2), deep = tibia_depth(z, &ahead);
    round_off(2.0 * node[0] / cells[0] - 1, 2.0 * node[1] / cells[1] - 1, &x, &y);
    double shaft = blend(-z, CONDYLE, 3 * CONDYLE), wide = (1 - shaft) * 3.2 + shaft * 1.2;
    return (PalVec3){wide * x, deep * y + tibia_bump(z) * fmax(y, 0) + ahead, z};
}

// ---- muscle, tendon, kneecap and ligament -----------------------------------------------

enum { MUSCLE, TENDON, KNEECAP, LIGAMENT, PART_COUNT };

static const char *const part_names[PART_COUNT] = {"quadriceps", "tendon", "patella", "ligament"};

// Where layers along the strip are, from the ligament's lower end up.
static double height_of(double t)
{
    static const double at[5] = {-5.2, -1.3, 1.9, 4.4, 17};  // ends of the parts
    static const double share[5] = {0, 10.0 / 44, 20.0 / 44, 26.0 / 44, 1};
    int k = 0;
    while (k < 3 && t > share[k + 1])
        ++k;
    double s = (t - share[k]) / (share[k + 1] - share[k]);
    return at[k] + s * (at[k + 1] - at[k]);
}

static int part_of(double z)
{
    return z < -1.3 ? LIGAMENT : z < 1.9 ? KNEECAP : z < 4.4 ? TENDON : MUSCLE;
}

// The back of the strip keeps clear of the bones; half its width; its thickness.
static void section(double z, double *back, double *half, double *thick)
{
    double cap = exp(-pow((z - 0.3) / 1.5, 4)), muscle = blend(z, 4, 9), ahead;
    double bone = z > 0 ? femur_depth(z, &ahead) : CONDYLE;
    bone = z > 0 ? bone + ahead : bone;
    if (z < -CONDYLE)
        bone = fmax(CONDYLE, tibia_depth(z, &ahead) + ahead + tibia_bump(z));
    *back = bone + 0.12 + 0.3 * muscle;
    *half = 1.25 + 0.75 * cap + 1.35 * muscle;
    *thick = 0.55 + 1.1 * cap + 1.1 * muscle;
}

static PalVec3 place_strip(const void *context, const int32_t node[3])
{
    const int32_t *cells = context;
    double z = height_of((double)node[2] / cells[2]), back, half, thick;
    double u = 2.0 * node[0] / cells[0] - 1, v = (double)node[1] / cells[1];
    section(z, &back, &half, &thick);
    double bulge = 1 - 0.45 * u * u;  // thinner at its sides
    double wrap = blend(z, 4, 9) * 0.9 * u * u;
    return (PalVec3){half * u, back - wrap + thick * v * bulge, z};
}

// ---- skin and fat -----------------------------------------------------------------------

static PalVec3 place_skin(const void *context, const int32_t node[3])
{
    const int32_t *cells = context;
    double angle = 2 * PI * node[0] / cells[0], out = (double)node[1] / cells[1];
    double s = 2.0 * node[2] / cells[2] - 1;  // finer around the knee
    double z = TOP * (0.55 * s + 0.45 * s * s * s);
    double thigh = blend(z, 2, 15), calf = blend(-z, 3, 12);
    double front = 4.5 + 0.35 * thigh - 0.9 * calf, rear = -3.5 - 0.9 * thigh - 0.5 * calf;
    double side = 4.1 + 0.4 * thigh - 0.5 * calf, wall = 0.8;
    double c = cos(angle), n = sin(angle), middle = (front + rear) / 2;
    return (PalVec3){(side + wall * out) * c, middle + ((front - rear) / 2 + wall * out) * n, z};
}

// ---- the scene --------------------------------------------------------------------------

typedef PalVec3 (*Place)(const void *context, const int32_t node[3]);

static PalStatus make_grid(const PalMaking *making, const char *what, const int32_t cells[3],
                           bool ring, Place place, PalError *error)
{
    PalGrid grid = {
        .cells = {cells[0], cells[1], cells[2]}, .ring = ring, .place = place, .context = cells};
    PalMesh *mesh = NULL;
    PAL_TRY(pal_grid_mesh(&grid, &mesh, error));
    return pal_making_mesh(making, what, "msh", mesh, error);
}

// Cells come layer by layer.
static PalStatus make_strip(const PalMaking *making, const int32_t counts[3], PalError *error)
{
    PalGrid grid = {
        .cells = {counts[0], counts[1], counts[2]}, .place = place_strip, .context = counts};
    PalMesh *mesh = NULL;
    PAL_TRY(pal_grid_mesh(&grid, &mesh, error));
    int32_t layer_cells = 5 * counts[0] * counts[1];
    int32_t *cells = malloc((size_t)mesh->cell_count * sizeof *cells);
    PalStatus status = cells != NULL ? PAL_OK : pal_error_set(error, PAL_NO_MEMORY, "no memory");
    for (int part = 0; part < PART_COUNT && status == PAL_OK; ++part) {
        char name[32];
        snprintf(name, sizeof name, "%s", part_names[part]);
        PalGroup group = {.name = name, .cells = cells};
        for (int32_t c = 0; c < mesh->cell_count; ++c)
            if (part_of(height_of((c / layer_cells + 0.5) / counts[2])) == part)
                cells[group.cell_count++] = c;
        status = pal_mesh_add_group(mesh, &group, error);
    }
    free(cells);
    if (status != PAL_OK) {
        pal_mesh_destroy(mesh);
        return status;
    }
    return pal_making_mesh(making, "extensor", "msh", mesh, error);
}

static const char text[] =
    "bodies:\n"
    "  - {name: femur, mesh: %s-femur.msh, material: &bone {law: mooney-rivlin, c10: 300, "
    "c01: 100, bulk: 3000, density: 1.5e-5}}\n"
    "  - {name: tibia, mesh: %s-tibia.msh, material: *bone}\n"
    "  - name: extensor\n    mesh: %s-extensor.msh\n    materials:\n"
    "      - {group: quadriceps, law: mooney-rivlin, c10: 0.5, c01: 0.2, bulk: 4, density: 1e-5}\n"
    "      - {group: tendon, law: mooney-rivlin, c10: 30, c01: 10, bulk: 300, density: 1e-5}\n"
    "      - {group: patella, law: mooney-rivlin, c10: 300, c01: 100, bulk: 3000, density: "
    "1.5e-5}\n"
    "      - {group: ligament, law: mooney-rivlin, c10: 60, c01: 20, bulk: 600, density: 1e-5}\n"
    "  - name: skin\n    mesh: %s-skin.msh\n"
    "    material: {law: veronda-westmann, c1: 0.12, c2: 1.5, bulk: 0.7, density: 1e-5}\n"
    "conditions:\n"
    "  - {body: femur, where: &all {box: [[-9, -9, -20], [9, 9, 20]]}, fix: xyz}\n"
    "  - {body: tibia, where: *all, rotate: &bend {axis: [-1, 0, 0], about: [0, 0, 0], degrees: "
    "150}, ramp: "
    "linear}\n"
    "  - {body: extensor, where: {plane: z-min}, rotate: *bend, ramp: linear}\n"
    "  - {body: extensor, where: {plane: z-max}, fix: xyz}\n"
    "  - {body: skin, where: {plane: z-min}, rotate: *bend, ramp: linear}\n"
    "  - {body: skin, where: {plane: z-max}, fix: z}\n"
    "contact:\n"
    "  - {between: [extensor, femur]}\n  - {between: [extensor, tibia]}\n"
    "  - {between: [skin, femur]}\n  - {between: [skin, tibia]}\n"
    "  - {between: [skin, extensor]}\n  - {self: skin}\n  - {response: material-depth}\n"
    "solver: {method: implicit, scheme: backward-euler, time: 0.3, step: 0.006}\n"
    "probes:\n"
    "  - {name: patella, body: extensor, where: {point: [0, 3.2, 0.3]}, record: position}\n"
    "  - {name: pull, body: extensor, where: {plane: z-max}, record: force}\n"
    "  - {name: on-femur, between: [extensor, femur], record: force}\n"
    "output: {every: 0.006}\n";

static PalStatus make(const PalMaking *making, PalError *error)
{
    Counts counts = count_cells(making->size);
    PAL_TRY(make_grid(making, "femur", counts.femur, false, place_femur, error));
    PAL_TRY(make_grid(making, "tibia", counts.tibia, false, place_tibia, error));
    PAL_TRY(make_strip(making, counts.strip, error));
    PAL_TRY(make_grid(making, "skin", counts.skin, true, place_skin, error));
    const char *stem = making->stem;
    fprintf(making->scene, text, stem, stem, stem, stem);
    return PAL_OK;
}

const PalMaker pal_maker_knee = {
    .name = "knee",
    .help =
        "A leg is bent by 150 degrees: the kneecap slides over the thigh bone, pulled by its "
        "ligament, and skin folds behind the knee. After Hirota and others (2003). Centimetres, "
        "newtons, seconds.",
    .size = 36,
    .make = make,
};
