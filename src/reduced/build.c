// Building a vademecum, step by step.
#include "reduced/build.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/timer.h"
#include "math/vec3.h"

#include <math.h>

#define MOST_SITES 256  // that are stored; larger surfaces have them as far apart as can be

PalStatus pal_build_no_memory(PalError *error)
{
    return pal_error_set(error, PAL_NO_MEMORY, "no memory to build a vademecum");
}

double pal_build_random(uint64_t *seed)
{
    uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

PalStatus pal_build_tell(PalBuild *build, const char *stage, int32_t done, int32_t total,
                         PalError *error)
{
    PalVademecumProgress *progress = &build->progress;
    double now = pal_timer_seconds();
    if (build->stage != stage) {
        build->stage = stage;
        build->stage_begin = now;
    }
    progress->stage = stage;
    progress->done = done;
    progress->total = total;
    progress->seconds = now - build->begin;
    progress->seconds_left = done > 0 ? (now - build->stage_begin) * (total - done) / done : -1;
    if (build->def->progress != NULL && !build->def->progress(build->def->context, progress))
        return pal_error_set(error, PAL_INTERRUPTED, "interrupted");
    return PAL_OK;
}

PalVademecumDef pal_vademecum_def_default(void)
{
    return (PalVademecumDef){.where = pal_where_all(), .tolerance = 0.02};
}

static PalStatus check(const PalVademecumDef *def, PalError *error)
{
    if (!(def->patch > 0 && isfinite(def->patch) && def->largest > 0 && isfinite(def->largest)))
        return pal_error_set(error, PAL_BAD_INPUT,
                             "patch and largest of a vademecum must be above 0");
    if (!(def->tolerance > 0 && def->tolerance < 1))
        return pal_error_set(error, PAL_BAD_INPUT,
                             "tolerance of a vademecum is %g, expected between 0 and 1",
                             def->tolerance);
    if (def->body_index < 0 || def->body_index >= def->model->body_count)
        return pal_error_set(error, PAL_BAD_INPUT, "a vademecum of a body that does not exist");
    if (def->mode_limit < 0 || def->mode_limit > 1000 || def->heldout_count < 0 ||
        def->heldout_count > 10000)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "a vademecum has at most 1000 modes and 10000 loads held out");
    if (def->directions == PAL_DIRECTIONS_ONE && !(pal_vec3_length(def->direction) > 0))
        return pal_error_set(error, PAL_BAD_INPUT, "the direction of loads is zero");
    return PAL_OK;
}

static void clear(PalBuild *build)
{
    for (int32_t i = 0; i < build->shot_count; ++i)
        pal_free(build->shots[i].u);
    for (int32_t i = 0; i < build->heldout_count; ++i)
        pal_free(build->heldout[i].u);
    void *lists[] = {build->model_node,    build->node,        build->triangles,
                     build->normals,       build->row,         build->site,
                     build->open,          build->weight,      build->shots,
                     build->linear,        build->modes,       build->local_start,
                     build->local_node,    build->local_block, build->sample_cell,
                     build->sample_weight, build->heldout};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i)
        pal_free(lists[i]);
    pal_truth_destroy(build->truth);
}

static PalStatus build_auto(PalBuild *build, PalVademecum **book, PalError *error)
{
    PAL_TRY(pal_build_learn(build, error));
    PAL_TRY(pal_build_local(build, error));
    PAL_TRY(pal_build_cells(build, error));
    return pal_build_fill(build, book, error);
}

static PalStatus build_all(PalBuild *build, PalVademecum **book, PalError *error)
{
    const PalVademecumDef *def = build->def;
    PAL_TRY(pal_truth_create(def->model, def->body_index, def->thread_count, &build->truth, error));
    PAL_TRY(pal_build_body(build, error));
    PAL_TRY(pal_build_order_sites(build, MOST_SITES, error));
    PAL_TRY(pal_build_hold_out(build, error));
    PAL_TRY(def->method == PAL_VADEMECUM_PGD ? pal_build_pgd(build, book, error)
                                             : build_auto(build, book, error));
    if (def->method == PAL_VADEMECUM_PGD) {
        PAL_TRY(pal_build_tell(build, "distances", 0, 1, error));
        PAL_TRY(pal_vademecum_add_distances(book, 0, def->thread_count, error));
    }
    PAL_TRY(pal_build_measure(build, *book, error));
    (*book)->facts.solution_count = build->solution_count;
    (*book)->facts.seconds = pal_timer_seconds() - build->begin;
    (*book)->facts.processor_seconds = pal_timer_process_seconds() - build->begin_cpu;
    return PAL_OK;
}

PalStatus pal_vademecum_build(const PalVademecumDef *given, PalVademecum **book, PalError *error)
{
    PalVademecumDef def = *given;
    *book = NULL;
    PAL_TRY(check(&def, error));
    if (def.thread_count <= 0)
        def.thread_count = pal_parallel_core_count();
    PalBuild build = {.def = &def,
                      .begin = pal_timer_seconds(),
                      .begin_cpu = pal_timer_process_seconds(),
                      .progress = {.error = -1}};
    PalStatus status = build_all(&build, book, error);
    clear(&build);
    if (status != PAL_OK) {
        pal_vademecum_destroy(*book);
        *book = NULL;
    }
    return status;
}
