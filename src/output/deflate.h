// Deflate for what output has much of: pixels, numbers of nodes, and numbers that count. Several
// times faster than zlib, for files that are hardly longer.   RFC 1950, RFC 1951
#ifndef PAL_OUTPUT_DEFLATE_H
#define PAL_OUTPUT_DEFLATE_H

#include "output/text.h"

// What is looked for besides bytes that are more frequent than others.
typedef enum PalDeflateHow {
    // A tuple that stands there again and again. A row of pixels is either like the row above,
    // which the filter has turned into zeros, or it is not.
    PAL_DEFLATE_TUPLES,
    PAL_DEFLATE_BYTES,    // bytes as in the tuple before, though others of it differ
    PAL_DEFLATE_MATCHES,  // tuples that were there before, anywhere; four bytes or more
} PalDeflateHow;

// Adds a stream of zlib to the text, of one byte or more. `stride`: bytes of a tuple, 1 to 8.
void pal_deflate(const unsigned char *data, size_t size, PalDeflateHow how, size_t stride,
                 PalText *text);

// The sum at the end of a stream of zlib.
uint32_t pal_adler(const void *bytes, size_t size);

#endif
