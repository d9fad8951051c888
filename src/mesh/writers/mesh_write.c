// Chooses the format, takes the mesh apart and hands it to the writer.
#include "base/memory.h"
#include "mesh/cells.h"
#include "mesh/writers/plan.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    const char *extension;
    bool surface;  // holds triangles only
    PalStatus (*write)(PalWrite *write);
} formats[] = {
    [PAL_FORMAT_MSH41] = {"msh41", "msh", false, pal_write_msh4},
    [PAL_FORMAT_MSH22] = {"msh22", "msh22", false, pal_write_msh2},
    [PAL_FORMAT_VTK] = {"vtk", "vtk", false, pal_write_vtk_legacy},
    [PAL_FORMAT_VTU] = {"vtu", "vtu", false, pal_write_vtu},
    [PAL_FORMAT_INP] = {"inp", "inp", false, pal_write_inp},
    [PAL_FORMAT_STL] = {"stl", "stl", true, pal_write_stl},
    [PAL_FORMAT_OBJ] = {"obj", "obj", true, pal_write_obj},
    [PAL_FORMAT_PLY] = {"ply", "ply", true, pal_write_ply},
};
enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

const char *pal_mesh_format_name(PalMeshFormat format)
{
    bool known = format > PAL_FORMAT_BY_NAME && (int)format < FORMAT_COUNT;
    return known ? formats[format].name : NULL;
}

bool pal_mesh_format_find(const char *name, PalMeshFormat *format)
{
    PalToken word = {name, strlen(name)};
    for (int f = PAL_FORMAT_BY_NAME + 1; f < FORMAT_COUNT; ++f) {
        if (!pal_token_is_like(word, formats[f].name) &&
            !pal_token_is_like(word, formats[f].extension))
            continue;
        *format = (PalMeshFormat)f;
        return true;
    }
    return false;
}

PalMeshWriteOptions pal_mesh_write_options_default(void)
{
    return (PalMeshWriteOptions){.format = PAL_FORMAT_BY_NAME};
}

static PalStatus choose_format(const char *path, PalMeshFormat *format, PalError *error)
{
    if (*format > PAL_FORMAT_BY_NAME && (int)*format < FORMAT_COUNT)
        return PAL_OK;
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    if (dot != NULL && dot[1] != '\0' && (slash == NULL || dot > slash) &&
        pal_mesh_format_find(dot + 1, format))
        return PAL_OK;
    return pal_error_set(error, PAL_BAD_INPUT,
                         "%s: which format? Expected a name that ends in .msh, .vtk, .vtu, .inp, "
                         ".stl, .obj or .ply",
                         path);
}

static void tell(const PalWrite *write, const char *format, va_list arguments)
{
    if (write->options->warn == NULL)
        return;
    char what[700], line[1000];
    vsnprintf(what, sizeof what, format, arguments);
    snprintf(line, sizeof line, "%.250s: %s", write->path, what);
    write->options->warn(write->options->context, line);
}

void pal_write_note(const PalWrite *write, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell(write, format, arguments);
    va_end(arguments);
}

PalStatus pal_write_loss(PalWrite *write, const char *format, ...)
{
    PalStatus status = PAL_OK;
    va_list arguments;
    va_start(arguments, format);
    if (write->options->strict) {
        char what[700];
        vsnprintf(what, sizeof what, format, arguments);
        status = pal_error_set(write->error, PAL_BAD_INPUT, "%s: %s", write->path, what);
    } else {
        tell(write, format, arguments);
    }
    va_end(arguments);
    return status;
}

PalStatus pal_write_no_memory(const PalWrite *write)
{
    return pal_error_set(write->error, PAL_NO_MEMORY, "%s: not enough memory to write it",
                         write->path);
}

PalNameList pal_write_list_groups(const PalWrite *write, const bool *lost)
{
    enum { SHOWN = 4 };
    PalNameList list = {""};
    size_t used = 0;
    int32_t total = 0, shown = 0;
    for (int32_t g = 0; g < write->group_count; ++g)
        total += lost[g];
    for (int32_t g = 0; g < write->group_count && shown < SHOWN; ++g) {
        if (!lost[g])
            continue;
        const char *name = write->mesh->groups[g].name;
        used += (size_t)snprintf(list.text + used, sizeof list.text - used, "%s%.40s",
                                 shown > 0 ? ", " : "", name);
        ++shown;
    }
    if (total > shown)
        snprintf(list.text + used, sizeof list.text - used, " and %d more", total - shown);
    return list;
}

PalStatus pal_write_lose_nodes(PalWrite *write, const char *format_name)
{
    bool *lost = pal_alloc((size_t)write->group_count, sizeof *lost), any = false;
    if (lost == NULL)
        return pal_write_no_memory(write);
    for (int32_t g = 0; g < write->group_count; ++g)
        any |= lost[g] = write->groups[g].nodes.count > 0;
    PalStatus status = PAL_OK;
    if (any)
        status = pal_write_loss(write, "%s keeps no groups of nodes; left out: %s", format_name,
                                pal_write_list_groups(write, lost).text);
    pal_free(lost);
    return status;
}

PalStatus pal_write_lose_groups(PalWrite *write, const char *format_name)
{
    if (write->group_count == 0)
        return PAL_OK;
    bool *lost = pal_alloc((size_t)write->group_count, sizeof *lost);
    if (lost == NULL)
        return pal_write_no_memory(write);
    for (int32_t g = 0; g < write->group_count; ++g)
        lost[g] = true;
    PalStatus status = pal_write_loss(write, "%s keeps no groups; left out: %s", format_name,
                                      pal_write_list_groups(write, lost).text);
    pal_free(lost);
    return status;
}

static PalStatus write_planned(PalWrite *write, PalMeshFormat format)
{
    PalStatus status = pal_plan_make(write);
    if (status == PAL_OK)
        status = pal_sink_open(&write->sink, write->path, write->error);
    if (status == PAL_OK) {
        status = formats[format].write(write);
        PalStatus closed = pal_sink_close(&write->sink, status == PAL_OK, write->error);
        status = status == PAL_OK ? closed : status;
    }
    pal_plan_clear(write);
    return status;
}

static PalStatus lose_inner_groups(PalWrite *write, const PalMesh *boundary)
{
    write->group_count = write->mesh->group_count;
    bool *lost = pal_alloc((size_t)write->group_count, sizeof *lost), any = false;
    PalStatus status = lost != NULL ? PAL_OK : pal_write_no_memory(write);
    for (int32_t g = 0; g < write->group_count && lost != NULL; ++g)
        any |= lost[g] = pal_mesh_find_group(boundary, write->mesh->groups[g].name) == NULL;
    if (any)
        status = pal_write_loss(write, "groups that do not touch the boundary are left out: %s",
                                pal_write_list_groups(write, lost).text);
    pal_free(lost);
    write->group_count = 0;
    return status;
}

PalStatus pal_mesh_write(const char *path, const PalMesh *mesh, const PalMeshWriteOptions *options,
                         PalError *error)
{
    PalMeshWriteOptions standard = pal_mesh_write_options_default();
    options = options != NULL ? options : &standard;
    PalMeshFormat format = options->format;
    PAL_TRY(choose_format(path, &format, error));
    PalError cause = {0};
    PalStatus sound = pal_mesh_check_all(mesh, &cause);
    if (sound != PAL_OK)
        return pal_error_set(error, sound, "%s: %s", path, cause.text);
    PalWrite write = {.mesh = mesh, .path = path, .options = options, .error = error};
    if (!formats[format].surface || mesh->cell_kind == PAL_CELL_TRIANGLE)
        return write_planned(&write, format);
    PalMesh *boundary;
    PAL_TRY(pal_write_boundary(mesh, &boundary, error));
    pal_write_note(&write, "the format holds surfaces only; the boundary is written, %d triangles",
                   boundary->cell_count);
    PalStatus status = lose_inner_groups(&write, boundary);
    write.mesh = boundary;
    if (status == PAL_OK)
        status = write_planned(&write, format);
    pal_mesh_destroy(boundary);
    return status;
}
