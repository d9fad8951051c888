// Tells formats apart and hands the file to its reader.
#include "base/memory.h"
#include "mesh/readers/raw.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static PalStatus read_cursor(PalCursor *cursor, PalMeshWant want, PalMesh **mesh)
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
    PalStatus status = reader(cursor, &raw);
    if (status == PAL_OK)
        status = pal_raw_finish(&raw, cursor, want, mesh);
    pal_raw_clear(&raw);
    return status;
}

PalStatus pal_mesh_read_memory(const void *data, size_t size, const char *path, PalMeshWant want,
                               PalMesh **mesh, PalError *error)
{
    static const char mark[] = "\xEF\xBB\xBF";  // some editors put it before UTF-8
    const char *text = size > 0 ? data : "";
    PalCursor cursor = {.path = path, .begin = text, .at = text, .first_line = 1, .error = error};
    cursor.end = text + size;
    if (size >= 3 && memcmp(text, mark, 3) == 0)
        cursor.begin = cursor.at = text + 3;
    return read_cursor(&cursor, want, mesh);
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

PalStatus pal_mesh_read(const char *path, PalMeshWant want, PalMesh **mesh, PalError *error)
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
    size_t size = status == PAL_OK ? (size_t)about.st_size : 0;
    if (status == PAL_OK && (bytes = pal_alloc(size, 1)) == NULL)
        status = pal_error_set(error, PAL_NO_MEMORY, "%s: not enough memory to read it", path);
    if (status == PAL_OK)
        status = read_bytes(file, path, bytes, size, error);
    close(file);
    if (status == PAL_OK)
        status = pal_mesh_read_memory(bytes, size, path, want, mesh, error);
    pal_free(bytes);
    return status;
}
