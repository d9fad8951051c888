// Files of one directory. Replacing a file is whole or not at all. Inside the directory no symbolic
// link is followed, and no pipe or device is opened: a directory from elsewhere can neither lead
// out of itself nor make the program wait.
#ifndef PAL_OUTPUT_FILE_H
#define PAL_OUTPUT_FILE_H

#include "output/text.h"

typedef struct PalDirectory {
    int descriptor;
    char *path;  // for messages
    bool hasty;  // nothing is forced to the disk: what a power failure takes is soon made again
} PalDirectory;

// Creates the directory and its parents where absent.
PalStatus pal_directory_open(const char *path, PalDirectory *directory, PalError *error);
void pal_directory_close(PalDirectory *directory);

// A directory inside; an existing one is fine.
PalStatus pal_directory_make(const PalDirectory *directory, const char *name, PalError *error);

// A folder inside, to be listed; -1: errno says why.
int pal_directory_open_inside(const PalDirectory *directory, const char *name);

// A file inside or, to read it, a folder; flags as of open(2). -1: errno says why.
int pal_file_open(const PalDirectory *directory, const char *name, int flags);

// PAL_IO_FAILED: "path/name: <doing>: <words for errno>".
PalStatus pal_file_error(const PalDirectory *directory, const char *name, const char *doing,
                         PalError *error);

// Writes name.part and renames it to name. On failure name.part is removed and an older file of
// that name is untouched. `name` may lie in a directory made inside. With PAL_FILE_SYNCED it is on
// the disk, name and content, even if the power fails right after.
typedef enum PalFileCare { PAL_FILE_PLAIN, PAL_FILE_SYNCED } PalFileCare;

// What stands one after the other in a file.
typedef struct PalPiece {
    const void *data;
    size_t size;
} PalPiece;

PalStatus pal_file_replace_pieces(const PalDirectory *directory, const char *name,
                                  int32_t piece_count, const PalPiece *pieces, PalFileCare care,
                                  PalError *error);
PalStatus pal_file_replace(const PalDirectory *directory, const char *name, const void *data,
                           size_t size, PalFileCare care, PalError *error);
PalStatus pal_file_replace_text(const PalDirectory *directory, const char *name,
                                const PalText *text, PalFileCare care, PalError *error);

// The same with a function that writes the content. It returns false where errno says why.
typedef bool PalFileFill(void *context, int descriptor);
PalStatus pal_file_replace_with(const PalDirectory *directory, const char *name, PalFileCare care,
                                PalFileFill *fill, void *context, PalError *error);

// Brings a file written plainly to the disk.
PalStatus pal_file_sync(const PalDirectory *directory, const char *name, PalError *error);

// Reads a whole file into the text, which is emptied first. An absent file is `*found` false.
PalStatus pal_file_read(const PalDirectory *directory, const char *name, PalText *text, bool *found,
                        PalError *error);

// Of a file that somebody may have made long: at most so many bytes from its front or its back.
PalStatus pal_file_read_front(const PalDirectory *directory, const char *name, int64_t most,
                              PalText *text, bool *found, PalError *error);
PalStatus pal_file_read_back(const PalDirectory *directory, const char *name, int64_t most,
                             PalText *text, bool *found, PalError *error);

// No file of that name is left, nor its .part; an absent one is fine.
PalStatus pal_file_remove(const PalDirectory *directory, const char *name, PalError *error);

// Writes all bytes at the descriptor's place. False: errno says why.
bool pal_file_write_all(int descriptor, const void *data, size_t size);

// Reads so many bytes from that place of the file. False: errno says why.
bool pal_file_read_at(int descriptor, void *data, size_t size, uint64_t place);

#endif
