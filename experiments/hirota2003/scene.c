#include "hirota2003.h"

#include <math.h>

enum { SAMPLES = 50 };

double pal_hirota_most(const PalResult *r, const char *name)
{
    const PalSeries *s = pal_result_find(r, name);
    double largest = -INFINITY;
    for (int32_t i = 0; s != NULL && i < s->count; ++i)
        largest = fmax(largest, s->values[i]);
    return largest;
}

PalStatus pal_hirota_run(PalLab *lab, const PalHirotaScene *scene, PalError *error)
{
    char path[PAL_LAB_PATH_MAX];
    PAL_TRY(pal_lab_scene(lab, scene->name, 0, path, error));
    PalTrial trial = {.name = "run",
                      .scene = path,
                      .part = pal_lab_quick(lab) ? 0.04 : 0,
                      .samples = SAMPLES,
                      .sample = scene->sample,
                      .threads = 2,
                      .pictured = true};
    if (scene->change.path != NULL)
        pal_trial_change(&trial, scene->change.path, scene->change.value);
    PalResult result;
    PalStatus status = pal_lab_try(lab, 1, &trial, &result, error);
    if (status == PAL_OK)
        scene->tell(lab, &result);
    pal_result_clear(&result);
    PAL_TRY(status);
    PAL_TRY(pal_lab_picture(lab, &trial, true, "At the start.", error));
    return pal_lab_picture(lab, &trial, false, "At the end.", error);
}
