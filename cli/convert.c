// convert: a NiftySim model to a scene, or a mesh from one format to another.
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

void pal_cli_print_mesh(const char *path, const PalMesh *mesh)
{
    static const char *const plural[] = {"triangles", "tetrahedra", "hexahedra",
                                         "quadratic tetrahedra"};
    char nodes[32], cells[32];
    pal_cli_grouped(mesh->node_count, nodes, sizeof nodes);
    pal_cli_grouped(mesh->cell_count, cells, sizeof cells);
    printf("%s: %s nodes, %s %s", path, nodes, cells, plural[mesh->cell_kind]);
    if (mesh->group_count > 0)
        printf(", %d group%s", mesh->group_count, mesh->group_count == 1 ? "" : "s");
    printf("\n");
}

bool pal_cli_write_options(const PalCliArguments *arguments, PalCliProgress *line,
                           PalMeshWriteOptions *options)
{
    *line = (PalCliProgress){.color = pal_cli_has_color(STDERR_FILENO)};
    *options = pal_mesh_write_options_default();
    options->text = arguments->ascii;
    options->strict = arguments->strict;
    options->warn = arguments->quiet ? NULL : pal_cli_warn;
    options->context = line;
    if (arguments->format == NULL || pal_mesh_format_find(arguments->format, &options->format))
        return true;
    char names[128] = "";
    for (int f = PAL_FORMAT_BY_NAME + 1; pal_mesh_format_name((PalMeshFormat)f) != NULL; f++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", used > 0 ? ", " : "",
                 pal_mesh_format_name((PalMeshFormat)f));
    }
    pal_cli_refuse("--format is '%s', expected one of %s", arguments->format, names);
    return false;
}

int pal_cli_mesh_status(const char *path, PalStatus status, const PalError *error)
{
    if (status == PAL_OK)
        return PAL_EXIT_DONE;
    pal_cli_print_error(path, error);
    bool input = status == PAL_BAD_INPUT || status == PAL_IO_FAILED;
    return input ? PAL_EXIT_USAGE : PAL_EXIT_FAILED;
}

// Warnings of a conversion; the first is kept for --strict.
typedef struct Told {
    PalCliProgress *line;
    bool quiet;
    char first[1024];
} Told;

static void tell(void *context, const char *text)
{
    Told *told = context;
    if (told->first[0] == '\0')
        snprintf(told->first, sizeof told->first, "%s", text);
    if (!told->quiet)
        pal_cli_warn(told->line, text);
}

// Replaces the mesh.
static PalStatus make_quadratic(PalMesh **mesh, PalError *error)
{
    PalMesh *made;
    PAL_TRY(pal_mesh_create_quadratic(*mesh, &made, error));
    pal_mesh_destroy(*mesh);
    *mesh = made;
    return PAL_OK;
}

static int convert_mesh(const char *from, const char *to, const PalCliArguments *arguments)
{
    if (arguments->force)
        return pal_cli_refuse("--force is for models only; converting a mesh always replaces OUT");
    if (arguments->lenient)
        return pal_cli_refuse("--lenient is for models only; a mesh has nothing to leave out");
    PalMeshWriteOptions options;
    PalCliProgress line;
    if (!pal_cli_write_options(arguments, &line, &options))
        return PAL_EXIT_USAGE;
    PalError error = {0};
    PalMesh *mesh = NULL;
    pal_cli_signals_catch();  // a file is written to its end, once it is begun
    Told told = {.line = &line, .quiet = arguments->quiet || arguments->strict};
    PalMeshReadOptions reading = {.want = PAL_WANT_ANY, .warn = tell, .context = &told};
    PalStatus status = pal_mesh_read_with(from, &reading, &mesh, &error);
    if (status == PAL_OK && arguments->strict && told.first[0] != '\0')
        status = pal_error_set(&error, PAL_BAD_INPUT, "%s", told.first);
    if (status != PAL_OK) {
        pal_mesh_destroy(mesh);
        return pal_cli_mesh_status(from, status, &error);
    }
    if (pal_cli_interrupted()) {
        pal_mesh_destroy(mesh);
        pal_cli_refuse("interrupted; nothing was written");
        return PAL_EXIT_INTERRUPTED;
    }
    if (arguments->quadratic && (status = make_quadratic(&mesh, &error)) != PAL_OK) {
        pal_mesh_destroy(mesh);
        return pal_cli_mesh_status(from, status, &error);
    }
    status = pal_mesh_write(to, mesh, &options, &error);
    int code = pal_cli_mesh_status(to, status, &error);
    if (status == PAL_OK && !arguments->quiet) {
        printf(arguments->quadratic ? "made of " : "read ");
        pal_cli_print_mesh(from, mesh);
        printf("wrote %s\n", to);
    }
    pal_mesh_destroy(mesh);
    return code;
}

static int convert_model(const char *from, const char *to, const PalCliArguments *arguments)
{
    PalCliProgress line = {.color = pal_cli_has_color(STDERR_FILENO)};
    PalConvertResult result;
    PalError error = {0};
    if (arguments->format != NULL || arguments->ascii || arguments->quadratic)
        return pal_cli_refuse("--%s is for meshes only; here a model becomes a scene",
                              arguments->ascii       ? "ascii"
                              : arguments->quadratic ? "quadratic"
                                                     : "format");
    PalConvertOptions options = {
        .strict = arguments->strict, .replace = arguments->force, .lenient = arguments->lenient};
    PalStatus status = pal_scene_convert(from, to, &options, &result, &error);
    for (int32_t i = 0; i < result.warning_count && status == PAL_OK && !arguments->quiet; i++)
        pal_cli_warn(&line, result.warnings[i]);
    if (status == PAL_OK && !arguments->quiet)
        printf("wrote %s and %d mesh%s beside it\n", to, result.mesh_count,
               result.mesh_count == 1 ? "" : "es");
    free(result.warnings);
    return pal_cli_mesh_status(from, status, &error);
}

static bool is_model(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot != NULL && (strcasecmp(dot, ".xml") == 0 || strcasecmp(dot, ".feb") == 0);
}

// Abaqus input may be a mesh or a model: what is to be written decides.
static bool is_scene(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot != NULL && (strcasecmp(dot, ".yaml") == 0 || strcasecmp(dot, ".yml") == 0);
}

int pal_cli_convert(const PalCliArguments *arguments)
{
    if (is_model(arguments->operands[0]) || is_scene(arguments->operands[1]))
        return convert_model(arguments->operands[0], arguments->operands[1], arguments);
    return convert_mesh(arguments->operands[0], arguments->operands[1], arguments);
}
