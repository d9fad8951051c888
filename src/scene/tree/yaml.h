// The events of a YAML or JSON text, found by libfyaml in a process of its own: where libfyaml gets
// no memory it may crash or leave values out, and neither may happen to the program.
#ifndef PAL_SCENE_TREE_YAML_H
#define PAL_SCENE_TREE_YAML_H

#include <palpate/base.h>

typedef enum PalYamlKind {
    PAL_YAML_DOCUMENT,
    PAL_YAML_SCALAR,
    PAL_YAML_ALIAS,
    PAL_YAML_MAP,
    PAL_YAML_LIST,
    PAL_YAML_CLOSE,      // of a map or list
    PAL_YAML_TROUBLE,    // `text` says what is wrong; empty: nobody knows
    PAL_YAML_NO_MEMORY,  // nothing follows it, nor PAL_YAML_TROUBLE, nor PAL_YAML_FINISH
    PAL_YAML_FINISH,
} PalYamlKind;

typedef enum PalYamlStyle { PAL_YAML_PLAIN, PAL_YAML_QUOTED, PAL_YAML_BLOCK } PalYamlStyle;

// Texts are not terminated.
typedef struct PalYamlEvent {
    PalYamlKind kind;
    PalYamlStyle style;    // of a scalar
    int32_t line, column;  // from 1; 0: nothing stands there
    size_t text_size, anchor_size;
    const char *text;    // of a scalar; the name of an alias
    const char *anchor;  // NULL: none
} PalYamlEvent;

typedef PalStatus PalYamlTake(void *context, const PalYamlEvent *event);

typedef struct PalYamlText {
    const char *text;
    size_t size;
    bool json;
} PalYamlText;

// Hands the events to `take` until one returns a failure, which is returned. PAL_NO_MEMORY also
// when libfyaml came to no end.
PalStatus pal_yaml_read(const PalYamlText *yaml, PalYamlTake *take, void *context);

// The same in the calling process, for where that is no harm.
PalStatus pal_yaml_read_here(const PalYamlText *yaml, PalYamlTake *take, void *context);

#endif
