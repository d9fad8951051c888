// *INCLUDE in Abaqus and CalculiX input: the text of all files in one.
#ifndef PAL_MESH_READERS_INP_INCLUDE_H
#define PAL_MESH_READERS_INP_INCLUDE_H

#include "base/array.h"
#include "mesh/readers/cursor.h"

#define PAL_INCLUDE_DEPTH_MAX 16
#define PAL_INCLUDE_BYTES_MAX ((size_t)1 << 30)

typedef struct PalInpJoined {
    char *text;  // NULL: nothing is included
    size_t size, capacity;
    PAL_ARRAY(PalSource) pieces;
    PAL_ARRAY(char *) paths;
    PalSources sources;
} PalInpJoined;

// Where the cursor's text includes files, makes one text of all and sets the cursor to it, so that
// messages name the file and the line they are about. Paths are relative to the file that names
// them. Files within files go down PAL_INCLUDE_DEPTH_MAX levels; one that includes itself is
// refused. Clear the result after the last use of the cursor, whatever the status.
PalStatus pal_inp_join(PalCursor *cursor, PalInpJoined *joined);
void pal_inp_joined_clear(PalInpJoined *joined);

#endif
