// Writes JSON into a text; commas and indentation come by themselves.
#ifndef PAL_OUTPUT_JSON_H
#define PAL_OUTPUT_JSON_H

#include "output/text.h"

#include <palpate/math.h>

#define PAL_JSON_DEPTH 16

typedef struct PalJson {
    PalText *text;
    int depth;
    bool filled[PAL_JSON_DEPTH];  // the object or array at this depth has an item already
    bool flat[PAL_JSON_DEPTH];    // written on one line
} PalJson;

PalJson pal_json_begin(PalText *text);

// `key` is NULL inside an array. Each begin needs its end.
void pal_json_object(PalJson *json, const char *key);
void pal_json_array(PalJson *json, const char *key);  // on one line
void pal_json_end(PalJson *json, char bracket);       // '}' or ']'

void pal_json_string(PalJson *json, const char *key, const char *value);
void pal_json_number(PalJson *json, const char *key, double value);  // not finite: null
void pal_json_integer(PalJson *json, const char *key, int64_t value);
void pal_json_bool(PalJson *json, const char *key, bool value);
void pal_json_vector(PalJson *json, const char *key, PalVec3 value);
void pal_json_base64(PalJson *json, const char *key, const void *data, size_t size);

// Text that is JSON already.
void pal_json_raw(PalJson *json, const char *key, const PalText *value);

#endif
