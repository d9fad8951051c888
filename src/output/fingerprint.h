// What a checkpoint belongs to.
#ifndef PAL_OUTPUT_FINGERPRINT_H
#define PAL_OUTPUT_FINGERPRINT_H

#include <palpate/model.h>

// One number for a scene's text and the meshes it was read with: a file of the same name may have
// other nodes by the time a run is resumed.
uint64_t pal_scene_fingerprint(const char *scene_text, const PalModel *model);

// Where the scene of a run that is to go on differs from the one it began with, both as resolved:
// "damping of solver is 0.5 there and 1 here". `identity` has what must be the same. False:
// nowhere.
bool pal_scene_difference(const char *there, const char *here, const char *identity, char *text,
                          size_t size);

#endif
