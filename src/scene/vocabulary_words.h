// Words to write the tables of keys with: a key is one row, {name, help, what its values are}.
#ifndef PAL_SCENE_VOCABULARY_WORDS_H
#define PAL_SCENE_VOCABULARY_WORDS_H

#include "scene/keys.h"
#include <palpate/model.h>

#define TEXT        .values = PAL_VALUE_TEXT
#define FLAG        .values = PAL_VALUE_FLAG
#define NUMBER      .values = PAL_VALUE_NUMBER
#define WHOLE       .values = PAL_VALUE_WHOLE
#define VECTOR      .values = PAL_VALUE_NUMBERS, .length = 3
#define CHOICE(of)  .values = PAL_VALUE_WORD, .choice = (of)
#define PART(of)    .values = PAL_VALUE_MAP, .table = &(of)
#define PARTS(of)   .values = PAL_VALUE_MAPS, .table = &(of)
#define LISTED(of)  .listed = (of), .listed_count = PAL_COUNT(of)
#define KEYS(of)    .keys = (of), .key_count = PAL_COUNT(of)
#define POSITIVE    .range = PAL_RANGE_POSITIVE
#define NOT_BELOW_0 .range = PAL_RANGE_NOT_NEGATIVE
#define BELOW_1     .range = PAL_RANGE_BELOW_ONE
#define REQUIRED    .required = true

// How something grows in time.
#define RAMP_KEYS(help)                                                                            \
    {"ramp",                                                                                       \
     help,                                                                                         \
     .values = PAL_VALUE_WORD | PAL_VALUE_ROWS,                                                    \
     .choice = pal_ramp_choice,                                                                    \
     .length = 2,                                                                                  \
     .rows_help = "Points [time, factor] in ascending time. The factor is linear between them "    \
                  "and constant outside."},                                                        \
        {"from",         "When a linear, smooth or hilly ramp begins; it is 0 until then.",        \
         NUMBER,         NOT_BELOW_0,                                                              \
         .unit = "time", .standard = "0"},                                                         \
        {"until",                                                                                  \
         "When a linear, smooth or hilly ramp is complete; by default the end of the simulation.", \
         NUMBER, POSITIVE, .unit = "time"},                                                        \
    {                                                                                              \
        "hold",                                                                                    \
            "If true, the ramp keeps its value after `until`. If false, it goes on by its "        \
            "formula.",                                                                            \
            FLAG, .standard = "true"                                                               \
    }

#define PAL_COUNT(array) ((int32_t)(sizeof(array) / sizeof *(array)))

#endif
