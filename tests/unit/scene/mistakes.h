// Scenes with a mistake, and what is to be said of it.
#ifndef PAL_TESTS_MISTAKES_H
#define PAL_TESTS_MISTAKES_H

#include "check.h"
#include "scene/reader.h"

typedef struct Mistake {
    const char *text;
    const char *expected;  // after the name of the file
} Mistake;

static inline void check_mistakes(const Mistake *mistakes, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        PalError error = {0};
        PalScene *scene = NULL;
        const char *text = mistakes[i].text;
        PalStatus status =
            pal_scene_read_memory(text, strlen(text), "s.yaml", NULL, &scene, &error);
        assert_int_equal(status, PAL_BAD_INPUT);
        assert_string_equal(error.text + strlen("s.yaml:"), mistakes[i].expected);
    }
}

#endif
