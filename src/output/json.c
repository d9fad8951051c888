#include "output/json.h"

#include "base/assert.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

// '<' is written as an escape too, so that JSON inside a page cannot end its script.
static void put_string(PalText *text, const char *string)
{
    pal_text_add(text, "\"");
    const char *c = string;
    while (*c != '\0') {
        int length = pal_utf8_length(c, PAL_UTF8_MAX);
        if (length == 0) {
            pal_text_add(text, "\\ufffd");
            ++c;
            continue;
        }
        if (*c == '"' || *c == '\\')
            pal_text_print(text, "\\%c", *c);
        else if (*c == '\n')
            pal_text_add(text, "\\n");
        else if ((unsigned char)*c < 32 || *c == 127 || *c == '<')
            pal_text_print(text, "\\u%04x", (unsigned)*c);
        else
            pal_text_put(text, c, (size_t)length);
        c += length;
    }
    pal_text_add(text, "\"");
}

static void new_line(PalJson *json)
{
    pal_text_print(json->text, "\n%*s", 2 * json->depth, "");
}

static void start_item(PalJson *json, const char *key)
{
    if (json->filled[json->depth])
        pal_text_add(json->text, json->flat[json->depth] ? ", " : ",");
    json->filled[json->depth] = true;
    if (!json->flat[json->depth] && json->depth > 0)
        new_line(json);
    if (key != NULL) {
        put_string(json->text, key);
        pal_text_add(json->text, ": ");
    }
}

static void start_nested(PalJson *json, const char *key, const char *bracket, bool flat)
{
    start_item(json, key);
    pal_text_add(json->text, bracket);
    PAL_ASSERT(json->depth + 1 < PAL_JSON_DEPTH);
    ++json->depth;
    json->filled[json->depth] = false;
    json->flat[json->depth] = flat;
}

PalJson pal_json_begin(PalText *text)
{
    return (PalJson){.text = text};
}

void pal_json_object(PalJson *json, const char *key)
{
    start_nested(json, key, "{", false);
}

void pal_json_array(PalJson *json, const char *key)
{
    start_nested(json, key, "[", true);
}

void pal_json_end(PalJson *json, char bracket)
{
    PAL_ASSERT(json->depth > 0);
    bool was_flat = json->flat[json->depth], was_filled = json->filled[json->depth];
    --json->depth;
    if (!was_flat && was_filled)
        new_line(json);
    pal_text_put(json->text, &bracket, 1);
    if (json->depth == 0)
        pal_text_add(json->text, "\n");
}

void pal_json_string(PalJson *json, const char *key, const char *value)
{
    start_item(json, key);
    put_string(json->text, value);
}

void pal_json_number(PalJson *json, const char *key, double value)
{
    start_item(json, key);
    if (isfinite(value))
        pal_text_number(json->text, value);
    else
        pal_text_add(json->text, "null");
}

void pal_json_integer(PalJson *json, const char *key, int64_t value)
{
    start_item(json, key);
    pal_text_print(json->text, "%" PRId64, value);
}

void pal_json_bool(PalJson *json, const char *key, bool value)
{
    start_item(json, key);
    pal_text_add(json->text, value ? "true" : "false");
}

void pal_json_vector(PalJson *json, const char *key, PalVec3 value)
{
    pal_json_array(json, key);
    pal_json_number(json, NULL, value.x);
    pal_json_number(json, NULL, value.y);
    pal_json_number(json, NULL, value.z);
    pal_json_end(json, ']');
}

void pal_json_base64(PalJson *json, const char *key, const void *data, size_t size)
{
    start_item(json, key);
    pal_text_add(json->text, "\"");
    pal_text_base64(json->text, data, size);
    pal_text_add(json->text, "\"");
}

void pal_json_raw(PalJson *json, const char *key, const PalText *value)
{
    start_item(json, key);
    pal_text_put(json->text, value->data, value->length);
}
