// A place in a file held in memory. Nothing here reads past the end, and every failure is
// one line that says where: path:line:column in text, the byte in binary data.
#ifndef PAL_MESH_READERS_CURSOR_H
#define PAL_MESH_READERS_CURSOR_H

#include "mesh/readers/number.h"

// Where a piece of a text that was joined of several files comes from.
typedef struct PalSource {
    int64_t first;  // its first line in the joined text, from 1
    const char *path;
    int64_t line;  // what that line is called in the file
} PalSource;

typedef struct PalSources {
    int32_t count;
    const PalSource *items;  // ascending
} PalSources;

// The file that a line of a joined text comes from; *line becomes its number there. Without
// sources it is `path`.
const char *pal_source_of(const PalSources *sources, const char *path, int64_t *line);

typedef struct PalCursor {
    const char *path;
    const char *begin, *at, *end;
    int64_t first_line;  // the number of the line at `begin`
    bool binary;         // messages name the byte, not the line
    bool swap;           // binary numbers have the other byte order than the host
    PalError *error;
    const PalSources *sources;  // of a joined text; NULL: all of it is in `path`
} PalCursor;

// A piece of the file; not terminated.
typedef struct PalToken {
    const char *text;
    size_t size;
} PalToken;

// Records what is wrong at `where`, or with the whole file if that is NULL. PAL_BAD_INPUT.
PalStatus pal_cursor_fail(const PalCursor *cursor, const char *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
PalStatus pal_cursor_no_memory(const PalCursor *cursor);

size_t pal_cursor_left(const PalCursor *cursor);

// ---- text ---------------------------------------------------------------------------------

bool pal_is_blank(char c);                       // space, tab, end of line
void pal_cursor_skip_blanks(PalCursor *cursor);  // all of them
void pal_cursor_skip_spaces(PalCursor *cursor);  // up to the end of the line
PalToken pal_cursor_token(PalCursor *cursor);    // up to the next blank; empty at the end
PalToken pal_cursor_line(PalCursor *cursor);     // the rest of the line, its end consumed
bool pal_cursor_at_line_end(PalCursor *cursor);  // only spaces are left in the line

// `what` completes "expected ...": "the number of nodes", "a coordinate".
PalStatus pal_cursor_int(PalCursor *cursor, int64_t *value, const char *what);
PalStatus pal_cursor_double(PalCursor *cursor, double *value, const char *what);

// A count of things that take at least `size` bytes each: refused when negative, above the
// range of an index or beyond what the file can hold. `where` is the count's place.
PalStatus pal_cursor_check_count(const PalCursor *cursor, const char *where, int64_t count,
                                 size_t size, const char *what);

// The same for a count that is read from text first; each thing has at least `numbers` numbers.
PalStatus pal_cursor_count(PalCursor *cursor, int32_t *count, size_t numbers, const char *what);

bool pal_token_is(PalToken token, const char *text);       // letter for letter
bool pal_token_is_like(PalToken token, const char *text);  // whatever the case
PalToken pal_token_trim(PalToken token);

// At most 40 printable characters of a token, for messages.
typedef struct PalQuote {
    char text[48];
} PalQuote;
PalQuote pal_token_quote(PalToken token);

// ---- binary -------------------------------------------------------------------------------

// The next `size` bytes, consumed.
PalStatus pal_cursor_bytes(PalCursor *cursor, size_t size, const char **bytes, const char *what);
PalStatus pal_cursor_get_int(PalCursor *cursor, PalNumberType type, int64_t *value,
                             const char *what);

#endif
