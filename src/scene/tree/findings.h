// What there is to say of a scene, collected.
#ifndef PAL_SCENE_TREE_FINDINGS_H
#define PAL_SCENE_TREE_FINDINGS_H

#include "base/array.h"
#include <palpate/scene.h>

typedef struct PalFindings {
    PAL_ARRAY(PalFinding) list;
    bool failed;  // no memory
} PalFindings;

void pal_findings_add(PalFindings *findings, PalFindingKind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
