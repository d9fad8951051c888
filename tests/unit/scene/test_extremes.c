// Numbers that no simulation can hold are refused where they stand, by name.
#include "mistakes.h"

#define SHAPE    "bodies:\n  - name: a\n    shape: {box: [1, 1, 1], cells: [1, 1, 1]}\n"
#define MATERIAL "    material: {law: neo-hookean, shear: 1, bulk: 2, density: 1}\n"
#define BODY     SHAPE MATERIAL
#define SOLVER   "solver: {time: 1}\n"

static const Mistake places[] = {
    {BODY "    place: {translate: [0, 1e39, 0]}\n" SOLVER,
     "5:12: body \"a\": node 0 is at (-0.5, 1e+39, -0.5), too far out to compute with, expected "
     "coordinates of at most 1e+30"},
    {BODY "    place: {translate: [0, 1e308, 0], scale: 1e308}\n" SOLVER,
     "5:12: body \"a\": node 0 is at (-5e+307, 5e+307, -5e+307), too far out to compute with, "
     "expected coordinates of at most 1e+30"},
    {BODY "    place: {scale: 1e-33}\n" SOLVER,
     "5:12: body \"a\": all of it is 1e-33 across, too small to compute with, expected at least "
     "1e-30"},
    {BODY SOLVER "rigid:\n  - {name: r, shape: {sphere: 1e33}}\n",
     "7:22: rigid \"r\": node 0 is at (-5.7735e+32, -5.7735e+32, -5.7735e+32), too far out to "
     "compute with, expected coordinates of at most 1e+30"},
};

static void places_too_far_out(void **state)
{
    (void)state;
    check_mistakes(places, sizeof places / sizeof *places);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(places_too_far_out),
};

CHECK_GROUP(tests, NULL, NULL)
