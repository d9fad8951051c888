// What a checkpoint belongs to.
#ifndef PAL_OUTPUT_FINGERPRINT_H
#define PAL_OUTPUT_FINGERPRINT_H

#include <palpate/model.h>

// One number for a scene's text and the meshes it was read with: a file of the same name may have
// other nodes by the time a run is resumed.
uint64_t pal_scene_fingerprint(const char *scene_text, const PalModel *model);

#endif
