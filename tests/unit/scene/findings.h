// What `check` finds in a scene that a test writes.
#ifndef PAL_TESTS_FINDINGS_H
#define PAL_TESTS_FINDINGS_H

#include "check.h"
#include "scene/reader.h"

#include <string.h>

#define BODY  "bodies:\n  - name: a\n    shape: {box: [1, 1, 1], cells: [2, 2, 2]}\n    material: "
#define SOFT  "{law: neo-hookean, shear: 100, bulk: 400, density: 10}\n"
#define HELD  "conditions:\n  - {body: a, where: {plane: z-min}, fix: xyz}\n"
#define SOLVE "solver: {time: 1}\n"

typedef struct Findings {
    PalFinding *list;
    int32_t count;
} Findings;

static inline Findings check_text(const char *text)
{
    PalScene *scene = NULL;
    PalError error = {0};
    Findings findings = {0};
    check_ok(pal_scene_read_memory(text, strlen(text), "check.yaml", NULL, &scene, &error), &error);
    check_ok(pal_scene_check(scene, &findings.list, &findings.count, &error), &error);
    pal_scene_destroy(scene);
    return findings;
}

static inline const PalFinding *find(const Findings *findings, const char *text)
{
    for (int32_t i = 0; i < findings->count; ++i)
        if (strstr(findings->list[i].text, text) != NULL)
            return &findings->list[i];
    return NULL;
}

#endif
