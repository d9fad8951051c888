// Mats and rods whose ends are turned.
#include "make.h"

#define TISSUE "{law: neo-hookean, young: 1000, poisson: 0.3, density: 1000}"

// The two ends of a body turn about the x axis in opposite directions, and come nearer to each
// other.
static void write_turns(FILE *scene, const char *body, double turns, double approach)
{
    for (int end = 0; end < 2; ++end) {
        const char *side = end == 0 ? "x-min" : "x-max";
        double way = end == 0 ? -1 : 1;
        fprintf(scene,
                "  - {body: %s, where: {plane: %s}, rotate: {axis: [1, 0, 0], degrees: %g}, ramp: "
                "linear}\n"
                "  - {body: %s, where: {plane: %s}, displace: [%g, null, null], ramp: linear}\n",
                body, side, way * 180 * turns, body, side, -way * approach / 2);
    }
}

static PalStatus make_mat(const PalMaking *making, PalError *error)
{
    (void)error;
    FILE *scene = making->scene;
    fprintf(scene, "bodies:\n  - name: mat\n    shape: {box: [1, 0.25, 0.02], cells: [36, 12, 1]}\n"
                   "    material: " TISSUE "\nconditions:\n");
    write_turns(scene, "mat", 4, 0.3);
    fprintf(scene, "contact:\n  - {self: mat}\nsolver: {time: 20, step: 0.004, damping: 1}\n");
    return PAL_OK;
}

const PalMaker pal_maker_mat = {
    .name = "twisted-mat",
    .help = "A thin mat is twisted by four turns, and folds and winds up on itself.",
    .make = make_mat,
};

static PalStatus make_rods(const PalMaking *making, PalError *error)
{
    (void)error;
    FILE *scene = making->scene;
    int32_t n = making->size;
    char name[32];
    fprintf(scene, "bodies:\n");
    for (int32_t r = 0; r < n * n; ++r)
        fprintf(scene,
                "  - name: rod-%d\n    shape: {box: [1, 0.05, 0.05], cells: [20, 2, 2]}\n"
                "    place: {translate: [0, %.9g, %.9g]}\n    material: " TISSUE "\n",
                (int)r, 0.053 * (r % n - (n - 1) / 2.0), 0.053 * (r / n - (n - 1) / 2.0));
    fprintf(scene, "conditions:\n");
    for (int32_t r = 0; r < n * n; ++r) {
        snprintf(name, sizeof name, "rod-%d", (int)r);
        write_turns(scene, name, 1, 0.1);
    }
    fprintf(scene, "contact:\n  - {between: all}\nsolver: {time: 6, step: 0.006, damping: 1}\n");
    return PAL_OK;
}

const PalMaker pal_maker_rods = {
    .name = "twisted-rods",
    .help = "A bundle of square rods is twisted by one turn.",
    .size = 4,
    .make = make_rods,
};
