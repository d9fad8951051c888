// Tells formats apart and hands the file to its reader.
#include "base/memory.h"
#include "mesh/readers/inp_include.h"
#include "mesh/readers/raw.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LARGE ((size_t)1 << 20)  // bytes; below, reading all costs nothing

typedef PalStatus (*Reader)(PalCursor *cursor, PalRawMesh *raw);

static bool begins_with(PalToken content, const char *text)
{
    size_t size = strlen(text);
    return content.size >= size && pal_token_is_like((PalToken){content.text, size}, text);
}

// What the first bytes leave no doubt about.
static Reader reader_by_magic(PalToken content)
{
    static const struct {
        const char *magic;
        Reader reader;
    } magics[] = {
        {"$MeshFormat", pal_read_msh}, {"# vtk DataFile", pal_read_vtk_legacy},
        {"<?xml", pal_read_vtu},       {"<VTKFile", pal_read_vtu},
        {"ply\n", pal_read_ply},       {"ply\r", pal_read_ply},
    };
    for (size_t i = 0; i < sizeof magics / sizeof *magics; ++i)
        if (begins_with(content, magics[i].magic))
            return magics[i].reader;
    return NULL;
}

static Reader reader_by_extension(const char *path)
{
    static const struct {
        const char *extension;
        Reader reader;
    } extensions[] = {
        {"msh", pal_read_msh}, {"vtk", pal_read_vtk_legacy}, {"vtu", pal_read_vtu},
        {"vtp", pal_read_vtu}, {"inp", pal_read_inp},        {"stl", pal_read_stl},
        {"obj", pal_read_obj}, {"ply", pal_read_ply},
    };
    const char *dot = strrchr(path, '.');
    if (dot == NULL)
        return NULL;
    PalToken extension = {dot + 1, strlen(dot + 1)};
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; ++i)
        if (pal_token_is_like(extension, extensions[i].extension))
            return extensions[i].reader;
    return NULL;
}

// Without magic or a known extension: what the content looks like.
static Reader reader_by_look(const PalCursor *cursor, PalToken content)
{
    if (pal_stl_is_binary(cursor) || begins_with(content, "solid"))
        return pal_read_stl;
    if (begins_with(content, "*"))
        return pal_read_inp;
    if (begins_with(content, "$"))
        return pal_read_msh;
    if (begins_with(content, "v "))
        return pal_read_obj;
    return NULL;
}

// Cells that become nothing: of a lower dimension than the mesh, and in no group.
static int64_t count_loose(const PalRawMesh *raw, const PalMesh *mesh)
{
    int last = mesh->cell_kind == PAL_CELL_TRIANGLE ? PAL_RAW_LINE : PAL_RAW_QUAD;
    int64_t loose = 0;
    for (int k = PAL_RAW_POINT; k <= last; ++k) {
        int32_t count = pal_raw_cell_count(raw, (PalRawKind)k), grouped = 0;
        uint8_t *seen = pal_alloc((size_t)count, 1);
        for (int32_t i = 0; i < raw->members[k].count && seen != NULL; ++i) {
            int32_t item = raw->members[k].items[i].item;
            grouped += !seen[item];
            seen[item] = 1;
        }
        loose += seen != NULL ? count - grouped : 0;
        pal_free(seen);
    }
    return loose;
}

static void tell_skipped(const PalCursor *cursor, const PalRawMesh *raw, const PalMesh *mesh,
                         const PalMeshReadOptions *options)
{
    enum { SHOWN = 6 };
    char line[1024];
    int64_t loose = count_loose(raw, mesh);
    int used = snprintf(line, sizeof line, "%.250s: not read: ", cursor->path);
    for (int32_t i = 0; i < raw->skipped.list.count && i < SHOWN; ++i)
        used += snprintf(line + used, sizeof line - (size_t)used, "%s%s", i > 0 ? ", " : "",
                         raw->skipped.list.items[i]);
    if (raw->skipped.list.count > SHOWN)
        snprintf(line + used, sizeof line - (size_t)used, " and %d more",
                 raw->skipped.list.count - SHOWN);
    if (raw->skipped.list.count > 0)
        options->warn(options->context, line);
    if (loose == 0)
        return;
    snprintf(line, sizeof line,
             "%.250s: not read: %lld cells of a lower dimension than the mesh that are in no group",
             cursor->path, (long long)loose);
    options->warn(options->context, line);
}

static PalStatus read_cursor(PalCursor *cursor, const PalMeshReadOptions *options, PalMesh **mesh)
{
    PalToken content = pal_token_trim((PalToken){cursor->at, pal_cursor_left(cursor)});
    if (content.size == 0)
        return pal_cursor_fail(cursor, NULL, "the file is empty, expected a mesh");
    Reader reader = reader_by_magic(content);
    if (reader == NULL)
        reader = reader_by_extension(cursor->path);
    if (reader == NULL)
        reader = reader_by_look(cursor, content);
    if (reader == NULL)
        return pal_cursor_fail(cursor, NULL,
                               "unknown format, expected MSH, VTK, VTU, INP, STL, OBJ or PLY");
    PalRawMesh raw = {0};
    PalInpJoined joined = {0};
    PalStatus status = reader == pal_read_inp ? pal_inp_join(cursor, &joined) : PAL_OK;
    if (status == PAL_OK)
        status = reader(cursor, &raw);
    if (status == PAL_OK)
        status = pal_raw_finish(&raw, cursor, options->want, mesh);
    if (status == PAL_OK && options->warn != NULL)
        tell_skipped(cursor, &raw, *mesh, options);
    pal_raw_clear(&raw);
    pal_inp_joined_clear(&joined);
    return status;
}

typedef struct Bytes {
    const void *data;
    size_t size;
} Bytes;

static PalStatus read_memory(Bytes bytes, const char *path, const PalMeshReadOptions *options,
                             PalMesh **mesh, PalError *error)
{
    static const char mark[] = "\xEF\xBB\xBF";  // some editors put it before UTF-8
    size_t size = bytes.size;
    const char *text = size > 0 ? bytes.data : "";
    PalCursor cursor = {.path = path, .begin = text, .at = text, .first_line = 1, .error = error};
    cursor.end = text + size;
    if (size >= 3 && memcmp(text, mark, 3) == 0)
        cursor.begin = cursor.at = text + 3;
    return read_cursor(&cursor, options, mesh);
}

PalStatus pal_mesh_read_memory(const void *data, size_t size, const char *path, PalMeshWant want,
                               PalMesh **mesh, PalError *error)
{
    PalMeshReadOptions options = {.want = want};
    return read_memory((Bytes){data, size}, path, &options, mesh, error);
}

static PalStatus fail_io(PalError *error, const char *path, const char *what)
{
    return pal_error_set(error, PAL_IO_FAILED, "%s: %s: %s", path, what, strerror(errno));
}

static PalStatus read_bytes(int file, const char *path, char *bytes, size_t size, PalError *error)
{
    for (size_t done = 0; done < size;) {
        ssize_t part = read(file, bytes + done, size - done);
        if (part < 0 && errno == EINTR)
            continue;
        if (part < 0)
            return fail_io(error, path, "cannot be read");
        if (part == 0)
            return pal_error_set(error, PAL_IO_FAILED, "%s: became shorter while it was read",
                                 path);
        done += (size_t)part;
    }
    return PAL_OK;
}

// Files made to fill the memory are large and hold nothing: no format begins with zeros.
static PalStatus check_front(int file, const char *path, size_t size, PalError *error)
{
    char front[4096] = {1};
    ssize_t got = size > LARGE ? pread(file, front, sizeof front, 0) : 0;
    if (got < 0)
        return fail_io(error, path, "cannot be read");
    for (ssize_t i = 0; i < got; ++i)
        if (front[i] != 0)
            return PAL_OK;
    return got > 0 ? pal_error_set(error, PAL_BAD_INPUT,
                                   "%s: begins with zero bytes, expected a mesh file", path)
                   : PAL_OK;
}

PalStatus pal_mesh_read(const char *path, PalMeshWant want, PalMesh **mesh, PalError *error)
{
    PalMeshReadOptions options = {.want = want};
    return pal_mesh_read_with(path, &options, mesh, error);
}

PalStatus pal_mesh_read_with(const char *path, const PalMeshReadOptions *options, PalMesh **mesh,
                             PalError *error)
{
    // without O_NONBLOCK a named pipe would wait for its writer
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return fail_io(error, path, "cannot be opened");
    struct stat about;
    PalStatus status = PAL_OK;
    char *bytes = NULL;
    if (fstat(file, &about) != 0)
        status = fail_io(error, path, "cannot be examined");
    else if (S_ISDIR(about.st_mode))
        status = pal_error_set(error, PAL_BAD_INPUT, "%s: a directory, expected a mesh file", path);
    else if (!S_ISREG(about.st_mode))
        status = pal_error_set(error, PAL_BAD_INPUT, "%s: not a regular file, expected a mesh file",
                               path);
    else if (about.st_size > PAL_MESH_BYTES_MAX)
        status =
            pal_error_set(error, PAL_BAD_INPUT, "%s: more than %d GiB, expected a smaller mesh",
                          path, (int)(PAL_MESH_BYTES_MAX >> 30));
    else
        status = check_front(file, path, (size_t)about.st_size, error);
    size_t size = status == PAL_OK ? (size_t)about.st_size : 0;
    if (status == PAL_OK && (bytes = pal_alloc(size, 1)) == NULL)
        status = pal_error_set(error, PAL_NO_MEMORY, "%s: not enough memory to read it", path);
    if (status == PAL_OK)
        status = read_bytes(file, path, bytes, size, error);
    close(file);
    if (status == PAL_OK)
        status = read_memory((Bytes){bytes, size}, path, options, mesh, error);
    pal_free(bytes);
    return status;
}
