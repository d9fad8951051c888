#include "mesh/readers/inp_include.h"

#include "base/memory.h"
#include "mesh/readers/inp.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// One file on the way down.
typedef struct Level {
    const struct Level *above;
    const char *path;
    dev_t device;
    ino_t number;
    int32_t depth;
    int64_t line;  // of the *INCLUDE being followed
} Level;

typedef struct Joiner {
    PalInpJoined *joined;
    PalError *error;
    int64_t line_count;  // of the joined text
} Joiner;

static PalStatus fail(const Joiner *joiner, const Level *level, const char *what, const char *file)
{
    PalQuote quote = pal_token_quote((PalToken){file, strlen(file)});
    return pal_error_set(joiner->error, PAL_BAD_INPUT, "%s:%lld: *INCLUDE of '%s': %s", level->path,
                         (long long)level->line, quote.text, what);
}

static PalStatus no_memory(const Joiner *joiner, const Level *level)
{
    return pal_error_set(joiner->error, PAL_NO_MEMORY, "%s:%lld: no memory for what is included",
                         level->path, (long long)level->line);
}

// ---- text -------------------------------------------------------------------------------------

// The line that begins at `at`, without its end; *after is where the next one begins.
static PalToken line_at(const char *at, const char *end, const char **after)
{
    const char *stop = at;
    while (stop < end && *stop != '\n' && *stop != '\r')
        ++stop;
    *after = stop;
    if (stop < end)
        *after = stop + (*stop == '\r' && stop + 1 < end && stop[1] == '\n' ? 2 : 1);
    return pal_token_trim((PalToken){at, (size_t)(stop - at)});
}

static bool is_include(PalToken line)
{
    static const char word[] = "*INCLUDE";
    size_t size = sizeof word - 1;
    return line.size >= size && pal_token_is_like((PalToken){line.text, size}, word) &&
           (line.size == size || line.text[size] == ',' || pal_is_blank(line.text[size]));
}

static PalToken input_of(PalToken line)
{
    PalToken field;
    while (pal_inp_field(&line, &field)) {
        const char *equals = field.size > 0 ? memchr(field.text, '=', field.size) : NULL;
        if (equals == NULL)
            continue;
        PalToken name = pal_token_trim((PalToken){field.text, (size_t)(equals - field.text)});
        if (!pal_token_is_like(name, "INPUT"))
            continue;
        PalToken file =
            pal_token_trim((PalToken){equals + 1, (size_t)(field.text + field.size - equals - 1)});
        if (file.size >= 2 && file.text[0] == '"' && file.text[file.size - 1] == '"')
            file = (PalToken){file.text + 1, file.size - 2};
        return file;
    }
    return (PalToken){"", 0};
}

static bool add_piece(Joiner *joiner, const char *path, int64_t line)
{
    PalSource piece = {joiner->line_count + 1, path, line};
    return pal_array_push(&joiner->joined->pieces, piece);
}

// Appends whole lines; the last one gets its end.
static PalStatus append(Joiner *joiner, const Level *level, const char *from, const char *to)
{
    PalInpJoined *joined = joiner->joined;
    size_t size = (size_t)(to - from);
    if (size == 0)
        return PAL_OK;
    if (size > PAL_INCLUDE_BYTES_MAX - joined->size - 1)
        return pal_error_set(joiner->error, PAL_BAD_INPUT,
                             "%s: more than %zu MB with all that is included, expected less",
                             level->path, PAL_INCLUDE_BYTES_MAX >> 20);
    if (joined->size + size + 1 > joined->capacity) {
        size_t capacity = 2 * (joined->size + size + 1);
        char *text = pal_alloc(capacity, 1);
        if (text == NULL)
            return no_memory(joiner, level);
        if (joined->size > 0)
            memcpy(text, joined->text, joined->size);
        pal_free(joined->text);
        joined->text = text;
        joined->capacity = capacity;
    }
    memcpy(joined->text + joined->size, from, size);
    joined->size += size;
    if (to[-1] != '\n' && to[-1] != '\r')
        joined->text[joined->size++] = '\n';
    return PAL_OK;
}

// ---- files ------------------------------------------------------------------------------------

// Beside the file that names it, unless absolute; kept with the result.
static const char *path_of(Joiner *joiner, const Level *level, PalToken file)
{
    const char *slash = strrchr(level->path, '/');
    bool absolute = file.size > 0 && file.text[0] == '/';
    size_t folder = slash != NULL && !absolute ? (size_t)(slash - level->path) + 1 : 0;
    char *path = pal_alloc(folder + file.size + 1, 1);
    if (path == NULL)
        return NULL;
    memcpy(path, level->path, folder);
    memcpy(path + folder, file.text, file.size);
    if (pal_array_push(&joiner->joined->paths, path))
        return path;
    pal_free(path);
    return NULL;
}

static PalStatus read_all(const Joiner *joiner, const Level *level, int file, PalToken *text)
{
    char *bytes = (char *)text->text;
    for (size_t done = 0; done < text->size;) {
        ssize_t part = read(file, bytes + done, text->size - done);
        if (part < 0 && errno == EINTR)
            continue;
        if (part <= 0)
            return pal_error_set(joiner->error, PAL_IO_FAILED, "%s: cannot be read: %s",
                                 level->path, part < 0 ? strerror(errno) : "it became shorter");
        done += (size_t)part;
    }
    return PAL_OK;
}

static PalStatus check_file(const Joiner *joiner, const Level *level, const struct stat *about,
                            const char *path)
{
    if (!S_ISREG(about->st_mode))
        return fail(joiner, level, "not a regular file, expected one", path);
    if ((uint64_t)about->st_size >= PAL_INCLUDE_BYTES_MAX)
        return fail(joiner, level, "more than a gigabyte, expected less", path);
    if (level->depth == PAL_INCLUDE_DEPTH_MAX)
        return fail(joiner, level, "more than 16 files within files, expected fewer", path);
    for (const Level *other = level; other != NULL; other = other->above)
        if (other->device == about->st_dev && other->number == about->st_ino)
            return fail(joiner, level, "a file that includes itself, expected an end to it", path);
    return PAL_OK;
}

static PalStatus join_text(Joiner *joiner, Level *level, PalToken text);

static PalStatus join_file(Joiner *joiner, const Level *level, PalToken name)
{
    const char *path = path_of(joiner, level, name);
    if (path == NULL)
        return no_memory(joiner, level);
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat about;
    if (file < 0)
        return fail(joiner, level, strerror(errno), path);
    PalStatus status = PAL_OK;
    PalToken text = {NULL, 0};
    if (fstat(file, &about) != 0)
        status = fail(joiner, level, strerror(errno), path);
    else
        status = check_file(joiner, level, &about, path);
    if (status == PAL_OK) {
        text = (PalToken){pal_alloc((size_t)about.st_size + 1, 1), (size_t)about.st_size};
        status = text.text != NULL ? PAL_OK : no_memory(joiner, level);
    }
    if (status == PAL_OK)
        status = read_all(joiner, level, file, &text);
    close(file);
    if (status == PAL_OK) {
        Level below = {level, path, about.st_dev, about.st_ino, level->depth + 1, 1};
        status = join_text(joiner, &below, text);
    }
    pal_free((char *)text.text);
    return status;
}

// Copies what stands between the *INCLUDE lines, and follows those.
static PalStatus join_text(Joiner *joiner, Level *level, PalToken text)
{
    static const char mark[] = "\xEF\xBB\xBF";
    const char *at = text.text, *end = at + text.size, *after;
    if (text.size >= 3 && memcmp(at, mark, 3) == 0)
        at += 3;
    const char *copied = at;
    int64_t line = 1, first = 1;
    for (; at < end; at = after, ++line) {
        PalToken words = line_at(at, end, &after);
        if (!is_include(words))
            continue;
        level->line = line;
        if (!add_piece(joiner, level->path, first))
            return no_memory(joiner, level);
        PAL_TRY(append(joiner, level, copied, at));
        joiner->line_count += line - first;
        PalToken file = input_of(words);
        if (file.size == 0 && words.text[words.size - 1] == ',' && after < end) {
            file = input_of(line_at(after, end, &after));
            ++line;
        }
        if (file.size == 0)
            return fail(joiner, level, "no file is named, expected INPUT=", "");
        PAL_TRY(join_file(joiner, level, file));
        copied = after;
        first = line + 1;
    }
    if (!add_piece(joiner, level->path, first))
        return no_memory(joiner, level);
    joiner->line_count += line - first;
    return append(joiner, level, copied, end);
}

static bool includes(const char *at, const char *end)
{
    const char *after;
    for (; at < end; at = after)
        if (is_include(line_at(at, end, &after)))
            return true;
    return false;
}

PalStatus pal_inp_join(PalCursor *cursor, PalInpJoined *joined)
{
    *joined = (PalInpJoined){0};
    if (!includes(cursor->at, cursor->end))
        return PAL_OK;
    struct stat about = {0};
    Joiner joiner = {.joined = joined, .error = cursor->error};
    Level level = {.path = cursor->path, .line = 1};
    if (stat(cursor->path, &about) == 0) {
        level.device = about.st_dev;
        level.number = about.st_ino;
    }
    PalToken text = {cursor->at, (size_t)(cursor->end - cursor->at)};
    PAL_TRY(join_text(&joiner, &level, text));
    joined->sources = (PalSources){joined->pieces.count, joined->pieces.items};
    const char *start = joined->size > 0 ? joined->text : "";
    cursor->begin = cursor->at = start;
    cursor->end = start + joined->size;
    cursor->first_line = 1;
    cursor->sources = &joined->sources;
    return PAL_OK;
}

void pal_inp_joined_clear(PalInpJoined *joined)
{
    pal_free(joined->text);
    pal_array_clear(&joined->pieces);
    for (int32_t i = 0; i < joined->paths.count; ++i)
        pal_free(joined->paths.items[i]);
    pal_array_clear(&joined->paths);
    *joined = (PalInpJoined){0};
}
