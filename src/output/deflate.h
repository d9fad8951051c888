// Deflate for pictures: a row of pixels is either like the row above, which the filter has turned
// into zeros, or it is not, so runs of one pixel are all that is looked for. Several times faster
// than zlib, for files that are hardly longer.   RFC 1950, RFC 1951
#ifndef PAL_OUTPUT_DEFLATE_H
#define PAL_OUTPUT_DEFLATE_H

#include "output/text.h"

// Adds a stream of zlib to the text, of one byte or more. `stride`: bytes of a pixel, 1 to 4.
void pal_deflate(const unsigned char *data, size_t size, size_t stride, PalText *text);

// The sum at the end of a stream of zlib.
uint32_t pal_adler(const void *bytes, size_t size);

#endif
