// Numbers from text and from bytes: the same in every locale, and correctly rounded.
#ifndef PAL_MESH_READERS_NUMBER_H
#define PAL_MESH_READERS_NUMBER_H

#include <palpate/base.h>

// How a number is stored in a binary file.
typedef enum PalNumberType {
    PAL_NUMBER_INT8,
    PAL_NUMBER_UINT8,
    PAL_NUMBER_INT16,
    PAL_NUMBER_UINT16,
    PAL_NUMBER_INT32,
    PAL_NUMBER_UINT32,
    PAL_NUMBER_INT64,
    PAL_NUMBER_UINT64,
    PAL_NUMBER_FLOAT32,
    PAL_NUMBER_FLOAT64,
} PalNumberType;

size_t pal_number_size(PalNumberType type);
bool pal_number_is_real(PalNumberType type);

// The number at `bytes`, with its bytes reversed first if `swap`. Unsigned numbers beyond
// INT64_MAX become INT64_MAX; reals are truncated and kept within the range.
int64_t pal_number_get_int(const void *bytes, PalNumberType type, bool swap);
double pal_number_get_double(const void *bytes, PalNumberType type, bool swap);

bool pal_host_is_little_endian(void);

// Reads a number that starts at `at`; returns where it ends, or NULL if there is none. Exponents
// may be written with e, E, d or D; nan and inf are read as such.
const char *pal_parse_double(const char *at, const char *end, double *value);

// The same for whole numbers; NULL also when it does not fit.
const char *pal_parse_int(const char *at, const char *end, int64_t *value);

#endif
