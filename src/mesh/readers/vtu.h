// The data of VTK's XML files: base64 or raw, compressed by zlib or not.
#ifndef PAL_MESH_READERS_VTU_H
#define PAL_MESH_READERS_VTU_H

#include "mesh/readers/raw.h"

// How all data of a file is stored.
typedef struct PalVtuFormat {
    bool swap;
    bool compressed;
    PalNumberType header;  // UInt32 or UInt64
} PalVtuFormat;

// A stretch of stored data, read from the front.
typedef struct PalVtuStream {
    const char *at, *end;
    bool base64;
    uint8_t ready[3];  // decoded bytes not yet taken
    int32_t ready_count;
    uint64_t most;  // bytes that its array may have, by the counts of its Piece
    uint64_t left;  // bytes that all arrays together may still decompress to
} PalVtuStream;

// A file that decompresses to more than this for each of its bytes, and to more than PAL_VTU_FREE
// in all, is made to fill the memory: the coordinates and corners of a regular grid shrink to an
// eighth. Numbers count as the 8 bytes that they become.
#define PAL_VTU_EXPANSION_MAX 50
#define PAL_VTU_FREE          ((uint64_t)64 << 20)

// The bytes of the one array that begins where the stream is; pal_free them. `name` and `where`
// serve the messages.
PalStatus pal_vtu_decode(const PalCursor *cursor, const char *name, const PalVtuFormat *format,
                         PalVtuStream stream, char **bytes, size_t *size);

#endif
