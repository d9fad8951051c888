// Text as UTF-8.
#ifndef PAL_BASE_UTF8_H
#define PAL_BASE_UTF8_H

#include <stddef.h>

// Bytes of the well-formed character at a place with `left` bytes left; 0: there is none. In a
// string that ends with a zero, `left` may be PAL_UTF8_MAX anywhere.
#define PAL_UTF8_MAX 4
int pal_utf8_length(const char *text, size_t left);

#endif
