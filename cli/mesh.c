// mesh: tetrahedra inside a closed surface, made by Gmsh.
#include "gmsh.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct Job {
    const char *path;
    const PalCliArguments *arguments;
    PalCliGmsh gmsh;
    PalMesh *surface;  // as read
    double asked;      // of Gmsh, so that edges get the size that is wanted
    PalMesh *shell;    // what is filled: the same, or with triangles of the size asked for
    PalShells shells;
    PalMesh *solid;
    double gmsh_seconds;
    PalError error;
} Job;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// What Gmsh could not do is a failure, what it was given is not.
static int fail(const Job *job, PalStatus status)
{
    int code = pal_cli_mesh_status(job->path, status, &job->error);
    return status == PAL_INTERRUPTED                             ? PAL_EXIT_INTERRUPTED
           : status == PAL_IO_FAILED && job->gmsh.folder[0] != 0 ? PAL_EXIT_FAILED
                                                                 : code;
}

// ---- is it the surface of a solid? ------------------------------------------------------------

static void print_fault(const char *path, const PalSurfaceFault *fault)
{
    char what[160], line[600];
    int32_t a = fault->cells[0], b = fault->cells[1];
    switch (fault->kind) {
    case PAL_FAULT_FLAT:
        snprintf(what, sizeof what, "triangle %d has no area", a);
        break;
    case PAL_FAULT_OPEN:
        snprintf(what, sizeof what, "an edge of triangle %d is open", a);
        break;
    case PAL_FAULT_CROWDED:
        snprintf(what, sizeof what,
                 "an edge of triangles %d and %d belongs to more than two triangles", a, b);
        break;
    default:
        snprintf(what, sizeof what, "triangles %d and %d cross", a, b);
        break;
    }
    snprintf(line, sizeof line, "%.300s: %s, near (%g, %g, %g)", path, what, fault->point.x,
             fault->point.y, fault->point.z);
    pal_cli_print_line(line);
}

static int check_surface(Job *job, const PalMesh *mesh, const char *whose)
{
    static const char *const words[][2] = {
        {"triangle without area", "triangles without area"},
        {"open edge", "open edges"},
        {"edge of more than two triangles", "edges of more than two triangles"},
        {"pair of triangles that cross", "pairs of triangles that cross"}};
    PalSurfaceFaults faults;
    PalStatus status = pal_mesh_find_faults(mesh, &faults, &job->error);
    if (status != PAL_OK)
        return fail(job, status);
    char list[300] = "";
    for (int k = 0; k < PAL_FAULT_KIND_COUNT; k++) {
        size_t used = strlen(list);
        if (faults.counts[k] > 0)
            snprintf(list + used, sizeof list - used, "%s%d %s", used > 0 ? ", " : "",
                     faults.counts[k], words[k][faults.counts[k] > 1]);
    }
    if (list[0] == '\0')
        return PAL_EXIT_DONE;
    char line[800];
    snprintf(line, sizeof line, "%.300s: %s cannot be filled with tetrahedra: %s", job->path, whose,
             list);
    pal_cli_print_line(line);
    for (int32_t i = 0; i < faults.fault_count; i++)
        print_fault(job->path, &faults.faults[i]);
    return PAL_EXIT_USAGE;
}

static int read_surface(Job *job)
{
    int32_t turned, removed;
    PalStatus status = pal_mesh_read(job->path, PAL_WANT_SURFACE, &job->surface, &job->error);
    if (status == PAL_OK)
        status = pal_mesh_drop_unused_nodes(job->surface, &removed, &job->error);
    if (status != PAL_OK)
        return fail(job, status);
    int code = check_surface(job, job->surface, "the surface");
    if (code != PAL_EXIT_DONE)
        return code;
    status = pal_mesh_orient(job->surface, &turned, &job->error);
    if (status == PAL_OK)
        status = pal_mesh_shells(job->surface, &job->shells, &job->error);
    return status == PAL_OK ? PAL_EXIT_DONE : fail(job, status);
}

// ---- triangles of another size ------------------------------------------------------------------

// The triangles of one shell.
static PalStatus cut_out(Job *job, int32_t shell, PalMesh **mesh)
{
    const PalMesh *surface = job->surface;
    int32_t *cells = malloc(3 * (size_t)surface->cell_count * sizeof *cells), count = 0, removed;
    if (cells == NULL)
        return pal_error_set(&job->error, PAL_NO_MEMORY, "not enough memory for the mesh");
    for (int32_t c = 0; c < surface->cell_count; c++)
        if (job->shells.of_cell[c] == shell)
            memcpy(cells + 3 * count++, surface->cells + 3 * (size_t)c, 3 * sizeof *cells);
    PalMeshDef def = {PAL_CELL_TRIANGLE, surface->node_count, surface->nodes, count, cells};
    PalStatus status = pal_mesh_create(&def, mesh, &job->error);
    free(cells);
    if (status == PAL_OK)
        status = pal_mesh_drop_unused_nodes(*mesh, &removed, &job->error);
    return status;
}

static PalStatus append(Job *job, const PalMesh *extra)
{
    PalMesh *old = job->shell;
    int32_t old_nodes = old != NULL ? old->node_count : 0;
    int32_t old_cells = old != NULL ? old->cell_count : 0;
    size_t node_count = (size_t)old_nodes + (size_t)extra->node_count;
    size_t cell_count = (size_t)old_cells + (size_t)extra->cell_count;
    PalVec3 *nodes = malloc(node_count * sizeof *nodes);
    int32_t *cells = malloc(3 * cell_count * sizeof *cells);
    PalStatus status = PAL_OK;
    if (nodes == NULL || cells == NULL) {
        status = pal_error_set(&job->error, PAL_NO_MEMORY, "not enough memory for the mesh");
    } else {
        if (old != NULL) {
            memcpy(nodes, old->nodes, (size_t)old_nodes * sizeof *nodes);
            memcpy(cells, old->cells, 3 * (size_t)old_cells * sizeof *cells);
        }
        memcpy(nodes + old_nodes, extra->nodes, (size_t)extra->node_count * sizeof *nodes);
        for (size_t i = 0; i < 3 * (size_t)extra->cell_count; i++)
            cells[3 * (size_t)old_cells + i] = extra->cells[i] + old_nodes;
        PalMeshDef def = {PAL_CELL_TRIANGLE, (int32_t)node_count, nodes, (int32_t)cell_count,
                          cells};
        status = pal_mesh_create(&def, &job->shell, &job->error);
        if (status == PAL_OK)
            pal_mesh_destroy(old);
        else
            job->shell = old;
    }
    free(nodes);
    free(cells);
    return status;
}

static FILE *start_model(Job *job)
{
    FILE *file = fopen(pal_cli_gmsh_path(&job->gmsh, "model.geo").text, "w");
    if (file == NULL)
        pal_cli_refuse("cannot write to %s", job->gmsh.folder);
    else
        fprintf(file, "Mesh.SaveAll = 1;\nMerge \"surface.msh\";\n");
    return file;
}

static int end_model(Job *job, FILE *file)
{
    bool bad = ferror(file) != 0;
    if (fclose(file) == 0 && !bad)
        return PAL_EXIT_DONE;
    pal_cli_refuse("cannot write to %s", job->gmsh.folder);
    return PAL_EXIT_FAILED;
}

static PalStatus run_gmsh(Job *job, const char *const *options, const char *output)
{
    double start = seconds();
    PalStatus status = pal_cli_gmsh_run(&job->gmsh, options, output, &job->error);
    job->gmsh_seconds += seconds() - start;
    return status;
}

static int resize_shell(Job *job, int32_t shell)
{
    static const char *const options[] = {"-2", "-nt", "1", NULL};
    PalMesh *mesh = NULL, *finer = NULL;
    PalStatus status = cut_out(job, shell, &mesh);
    if (status == PAL_OK)
        status = pal_mesh_write(pal_cli_gmsh_path(&job->gmsh, "surface.msh").text, mesh, NULL,
                                &job->error);
    pal_mesh_destroy(mesh);
    if (status != PAL_OK)
        return fail(job, status);
    FILE *file = start_model(job);
    if (file == NULL)
        return PAL_EXIT_FAILED;
    // edges sharper than 40 degrees stay; patches that a plane can picture are made of the rest
    fprintf(file,
            "ClassifySurfaces{40*Pi/180, 1, 1, Pi};\nCreateGeometry;\nMesh.MeshSizeMin = %.17g;\n"
            "Mesh.MeshSizeMax = %.17g;\nMesh.MeshSizeExtendFromBoundary = 0;\n",
            job->asked, job->asked);
    int code = end_model(job, file);
    if (code != PAL_EXIT_DONE)
        return code;
    int32_t removed;
    status = run_gmsh(job, options, "resized.msh");
    if (status == PAL_OK)
        status = pal_mesh_read(pal_cli_gmsh_path(&job->gmsh, "resized.msh").text, PAL_WANT_SURFACE,
                               &finer, &job->error);
    if (status == PAL_OK)
        status = pal_mesh_drop_unused_nodes(finer, &removed, &job->error);
    if (status == PAL_OK)
        status = append(job, finer);
    pal_mesh_destroy(finer);
    return status == PAL_OK ? PAL_EXIT_DONE : fail(job, status);
}

static int resize(Job *job)
{
    for (int32_t s = 0; s < job->shells.count; s++) {
        int code = resize_shell(job, s);
        if (code != PAL_EXIT_DONE)
            return code;
    }
    int code = check_surface(job, job->shell, "with triangles of this size the surface");
    if (code != PAL_EXIT_DONE)
        return code;
    int32_t turned;
    pal_shells_clear(&job->shells);
    PalStatus status = pal_mesh_orient(job->shell, &turned, &job->error);
    if (status == PAL_OK)
        status = pal_mesh_shells(job->shell, &job->shells, &job->error);
    return status == PAL_OK ? PAL_EXIT_DONE : fail(job, status);
}

// ---- tetrahedra ---------------------------------------------------------------------------------

// Each shell a surface of its own: the groups of our files become entities 2, 3, ...
static PalStatus write_shells(Job *job)
{
    const PalMesh *from = job->shell != NULL ? job->shell : job->surface;
    PalMeshDef def = {PAL_CELL_TRIANGLE, from->node_count, from->nodes, from->cell_count,
                      from->cells};
    PalMesh *mesh = NULL;
    PalStatus status = pal_mesh_create(&def, &mesh, &job->error);
    int32_t *cells = malloc((size_t)from->cell_count * sizeof *cells + 1);
    for (int32_t s = 0; s < job->shells.count && status == PAL_OK && cells != NULL; s++) {
        char name[32];
        snprintf(name, sizeof name, "shell-%d", s);
        PalGroup group = {.name = name, .cells = cells};
        for (int32_t c = 0; c < from->cell_count; c++)
            if (job->shells.of_cell[c] == s)
                cells[group.cell_count++] = c;
        status = pal_mesh_add_group(mesh, &group, &job->error);
    }
    if (status == PAL_OK && cells == NULL)
        status = pal_error_set(&job->error, PAL_NO_MEMORY, "not enough memory for the mesh");
    if (status == PAL_OK)
        status = pal_mesh_write(pal_cli_gmsh_path(&job->gmsh, "surface.msh").text, mesh, NULL,
                                &job->error);
    free(cells);
    pal_mesh_destroy(mesh);
    return status;
}

// A volume in each shell with an even number around it, without the shells directly inside.
static int write_volumes(Job *job)
{
    const PalShells *shells = &job->shells;
    FILE *file = start_model(job);
    if (file == NULL)
        return PAL_EXIT_FAILED;
    for (int32_t s = 0; s < shells->count; s++)
        fprintf(file, "Surface Loop(%d) = {%d};\n", s + 1, s + 2);
    for (int32_t s = 0; s < shells->count; s++) {
        if (shells->depth[s] % 2 == 1)
            continue;
        fprintf(file, "Volume(%d) = {%d", s + 1, s + 1);
        for (int32_t t = 0; t < shells->count; t++)
            if (shells->around[t] == s)
                fprintf(file, ", %d", t + 1);
        fprintf(file, "};\n");
    }
    return end_model(job, file);
}

// What Gmsh made, without its groups.
static PalStatus read_solid(Job *job, PalMesh **solid)
{
    int32_t turned, removed;
    PalMesh *mesh = NULL;
    PAL_TRY(pal_mesh_read(pal_cli_gmsh_path(&job->gmsh, "solid.msh").text, PAL_WANT_SOLID, &mesh,
                          &job->error));
    PalMeshDef def = {mesh->cell_kind, mesh->node_count, mesh->nodes, mesh->cell_count,
                      mesh->cells};
    PalStatus status = pal_mesh_create(&def, solid, &job->error);
    pal_mesh_destroy(mesh);
    if (status == PAL_OK)
        status = pal_mesh_orient(*solid, &turned, &job->error);
    if (status == PAL_OK)
        status = pal_mesh_drop_unused_nodes(*solid, &removed, &job->error);
    return status;
}

static PalStatus fill_once(Job *job, const char *const *options)
{
    PalMesh *solid = NULL;
    PalStatus status = run_gmsh(job, options, "solid.msh");
    if (status == PAL_OK)
        status = read_solid(job, &solid);
    bool better =
        status == PAL_OK &&
        (job->solid == NULL || pal_mesh_quality(solid).worst > pal_mesh_quality(job->solid).worst);
    pal_mesh_destroy(better ? job->solid : solid);
    job->solid = better ? solid : job->solid;
    return status;
}

// The first pass must succeed; the others may only do better.
static int fill(Job *job)
{
    enum { PASS_COUNT = 3 };
    double wanted = job->arguments->quality;
    char threads[16];
    snprintf(threads, sizeof threads, "%d",
             job->arguments->thread_count > 0 ? job->arguments->thread_count : 1);
    const char *const passes[PASS_COUNT][9] = {
        {"-3", "-nt", threads, "-algo", "hxt", "-optimize_threshold", "0.5", NULL},
        {"-3", "-nt", threads, "-algo", "hxt", "-optimize_threshold", "0.6", NULL},
        {"-3", "-nt", threads, "-algo", "del3d", "-optimize_threshold", "0.6", "-optimize", NULL},
    };
    for (int p = 0; p < PASS_COUNT; p++) {
        PalStatus status = fill_once(job, passes[p]);
        if (status == PAL_INTERRUPTED || (status != PAL_OK && p == 0))
            return fail(job, status);
        job->error = (PalError){0};
        double worst = pal_mesh_quality(job->solid).worst;
        if (worst >= wanted && worst >= 0.1)
            return PAL_EXIT_DONE;
    }
    PalMeshQuality quality = pal_mesh_quality(job->solid);
    if (quality.worst >= wanted)
        return PAL_EXIT_DONE;
    PalVec3 x = job->solid->nodes[job->solid->cells[4 * (size_t)quality.worst_cell]];
    pal_cli_refuse("the worst quality is %.3g near (%g, %g, %g) after %d passes, wanted %g; smooth "
                   "the surface there, or give another --size",
                   quality.worst, x.x, x.y, x.z, PASS_COUNT, wanted);
    return PAL_EXIT_FAILED;
}

// ---- what came out -----------------------------------------------------------------------------

static void print_quality(const PalMesh *mesh)
{
    enum { BINS = 10, WIDTH = 40 };
    int32_t counts[BINS] = {0}, most = 1;
    for (int32_t c = 0; c < mesh->cell_count; c++) {
        double quality = pal_cell_quality(mesh, c);
        int bin = quality > 0 ? (int)(quality * BINS) : 0;
        bin = bin < BINS ? bin : BINS - 1;
        most = ++counts[bin] > most ? counts[bin] : most;
    }
    PalMeshQuality quality = pal_mesh_quality(mesh);
    printf("quality: worst %.3f, mean %.3f (mean ratio; 1 is a regular tetrahedron)\n",
           quality.worst, quality.mean);
    for (int b = 0; b < BINS; b++) {
        char number[32];
        int bar = (int)((double)WIDTH * counts[b] / most + (counts[b] > 0 ? 0.999 : 0));
        printf("  %.1f to %.1f %9s  %.*s\n", 0.1 * b, 0.1 * (b + 1),
               pal_cli_grouped(counts[b], number, sizeof number), bar < WIDTH ? bar : WIDTH,
               "########################################");
    }
    printf("volume %.6g, edges %.3g to %.3g, mean %.3g\n", quality.volume, quality.edge_min,
           quality.edge_max, quality.edge_mean);
}

static int fill_shells(Job *job)
{
    PalStatus status = write_shells(job);
    if (status != PAL_OK)
        return fail(job, status);
    int code = write_volumes(job);
    return code == PAL_EXIT_DONE ? fill(job) : code;
}

// Forgets what came of a size that was not met.
static int start_again(Job *job)
{
    pal_mesh_destroy(job->shell);
    pal_mesh_destroy(job->solid);
    job->shell = job->solid = NULL;
    pal_shells_clear(&job->shells);
    PalStatus status = pal_mesh_shells(job->surface, &job->shells, &job->error);
    return status == PAL_OK ? PAL_EXIT_DONE : fail(job, status);
}

// Edges come out longer than what Gmsh is asked for, by a third at times: it is asked again for as
// much less.
static int make_tetrahedra(Job *job)
{
    enum { TRIES = 4 };
    double size = job->arguments->size;
    if (!(size > 0))
        return fill_shells(job);
    job->asked = size;
    for (int i = 0; i < TRIES; i++) {
        int code = i > 0 ? start_again(job) : PAL_EXIT_DONE;
        code = code == PAL_EXIT_DONE ? resize(job) : code;
        code = code == PAL_EXIT_DONE ? fill_shells(job) : code;
        if (code != PAL_EXIT_DONE)
            return code;
        double ratio = size / pal_mesh_quality(job->solid).edge_mean;
        if (fabs(ratio - 1) < 0.05)
            break;
        job->asked *= ratio;
    }
    return PAL_EXIT_DONE;
}

static int write_solid(Job *job, const char *to, double start)
{
    PalMeshWriteOptions options;
    PalCliProgress line;
    if (!pal_cli_write_options(job->arguments, &line, &options))
        return PAL_EXIT_USAGE;
    PalStatus status = pal_mesh_carry_groups(job->surface, job->solid, &job->error);
    if (status == PAL_OK)
        status = pal_mesh_write(to, job->solid, &options, &job->error);
    if (status != PAL_OK)
        return pal_cli_mesh_status(to, status, &job->error);
    if (job->arguments->quiet)
        return PAL_EXIT_DONE;
    char total[32], gmsh[32];
    pal_cli_print_mesh(job->path, job->surface);
    pal_cli_print_mesh(to, job->solid);
    print_quality(job->solid);
    printf("%s, of which gmsh %s\n", pal_cli_duration(seconds() - start, total, sizeof total),
           pal_cli_duration(job->gmsh_seconds, gmsh, sizeof gmsh));
    return PAL_EXIT_DONE;
}

// Before anything is computed: can the result be written at all?
static bool accept_output(const PalCliArguments *arguments)
{
    static const char *const surfaces[] = {"stl", "obj", "ply"};
    PalMeshWriteOptions options;
    PalCliProgress line;
    if (!pal_cli_write_options(arguments, &line, &options))
        return false;
    const char *to = arguments->operands[1], *dot = strrchr(to, '.');
    if (options.format == PAL_FORMAT_BY_NAME &&
        (dot == NULL || !pal_mesh_format_find(dot + 1, &options.format))) {
        pal_cli_refuse("%s: which format? Expected a name that ends in .msh, .vtk, .vtu or .inp",
                       to);
        return false;
    }
    for (int i = 0; i < 3; i++)
        if (strcmp(pal_mesh_format_name(options.format), surfaces[i]) == 0) {
            pal_cli_refuse("%s: holds no tetrahedra, expected .msh, .vtk, .vtu or .inp", to);
            return false;
        }
    return true;
}

int pal_cli_mesh(const PalCliArguments *arguments)
{
    double start = seconds();
    Job job = {.path = arguments->operands[0], .arguments = arguments};
    if (!accept_output(arguments))
        return PAL_EXIT_USAGE;
    int code = read_surface(&job);
    pal_cli_signals_catch();
    job.gmsh.shown = !arguments->quiet && pal_cli_is_terminal(STDERR_FILENO);
    if (code == PAL_EXIT_DONE && !pal_cli_gmsh_open(&job.gmsh))
        code = PAL_EXIT_FAILED;
    if (code == PAL_EXIT_DONE) {
        code = make_tetrahedra(&job);
        pal_cli_gmsh_close(&job.gmsh);
        if (code == PAL_EXIT_DONE)
            code = write_solid(&job, arguments->operands[1], start);
    }
    pal_mesh_destroy(job.surface);
    pal_mesh_destroy(job.shell);
    pal_mesh_destroy(job.solid);
    pal_shells_clear(&job.shells);
    return code;
}
