// What is worth a remark at the end of a run that went well.
#ifndef PAL_SCENE_CLOSING_H
#define PAL_SCENE_CLOSING_H

#include "scene/reader.h"

// Triangles that cross, objects that were to touch and never did, probes that only ever read 0.
// Fills in the remarks of the result. After pal_output_finish.
PalStatus pal_scene_closing(const PalScene *scene, PalSim *sim, const PalOutput *output,
                            PalRunResult *result, PalError *error);

#endif
