// Trials: scenes that are run once, several at a time, and whose results are kept.
#include "inside.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SLICES = 100, WORKER_MAX = 16 };

void pal_trial_change(PalTrial *trial, const char *path, const char *value)
{
    assert(trial->change_count < PAL_TRIAL_CHANGES);
    if (trial->change_count < PAL_TRIAL_CHANGES)
        trial->changes[trial->change_count++] = (PalSceneChange){path, value};
}

void pal_trial_head(const PalLab *lab, const PalTrial *trial, char *head, size_t size)
{
    uint64_t hash = 14695981039346656037u;
    for (int32_t i = 0; i < trial->change_count; ++i) {
        hash = pal_lab_hash(hash, trial->changes[i].path, strlen(trial->changes[i].path) + 1);
        hash = pal_lab_hash(hash, trial->changes[i].value, strlen(trial->changes[i].value) + 1);
    }
    double numbers[2] = {trial->part, trial->samples};
    hash = pal_lab_hash(hash, numbers, sizeof numbers);
    snprintf(head, size, "%s, trial %016llx%s", lab->program, (unsigned long long)hash,
             lab->def.quick ? ", quick" : "");
}

// One trial that has to be run.
typedef struct Job {
    const PalTrial *trial;
    PalResult *result;
    PalScene *scene;
    PalSim *sim;
    double began;  // by the clock, before the scene was read
    PalStatus status;
    PalError error;
} Job;

typedef struct Work {
    PalLab *lab;
    int32_t job_count;
    Job *jobs;
    pthread_mutex_t lock;
    int32_t next, slices_done;
    bool stopped;
} Work;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static PalStatus set_up(Job *job)
{
    char threads[16];
    PalTrial trial = *job->trial;
    job->began = seconds();
    snprintf(threads, sizeof threads, "%d", trial.threads > 0 ? (int)trial.threads : 1);
    PalSceneChange changes[PAL_TRIAL_CHANGES + 1];
    memcpy(changes, trial.changes, sizeof trial.changes);
    changes[trial.change_count] = (PalSceneChange){"solver.threads", threads};
    PalSceneOptions options = {.change_count = trial.change_count + 1, .changes = changes};
    PAL_TRY(pal_scene_read(trial.scene, &options, &job->scene, &job->error));
    return pal_sim_create(pal_scene_sim(job->scene), &job->sim, &job->error);
}

// Tells that another slice is done; false: stop.
static bool go_on(Work *work, const Job *job)
{
    pthread_mutex_lock(&work->lock);
    double part = (double)++work->slices_done / (SLICES * work->job_count);
    const PalLabDef *def = &work->lab->def;
    if (!work->stopped && def->proceed != NULL) {
        char text[200];
        snprintf(text, sizeof text, "%s: %s", work->lab->experiment->name, job->trial->name);
        work->stopped = !def->proceed(def->context, text, fmin(part, 1));
    }
    bool stopped = work->stopped;
    pthread_mutex_unlock(&work->lock);
    return !stopped;
}

static PalStatus advance(Work *work, Job *job)
{
    const PalTrial *trial = job->trial;
    double end = pal_sim_solver(job->sim)->time * (trial->part > 0 ? trial->part : 1);
    int32_t samples = trial->sample != NULL && trial->samples > 0 ? trial->samples : 0;
    if (trial->sample != NULL)
        trial->sample(job->sim, job->result);
    int32_t sampled = 0;
    for (int32_t s = 1; s <= SLICES; ++s) {
        // The samples that fall into this slice, and then its end.
        for (; sampled < samples && (sampled + 1.0) / samples <= (double)s / SLICES + 1e-12;
             ++sampled) {
            PAL_TRY(pal_sim_advance(job->sim, end * (sampled + 1) / samples, &job->error));
            trial->sample(job->sim, job->result);
        }
        PAL_TRY(pal_sim_advance(job->sim, end * s / SLICES, &job->error));
        if (!go_on(work, job))
            return pal_error_set(&job->error, PAL_INTERRUPTED, "interrupted");
    }
    return PAL_OK;
}

static void tell_costs(PalSim *sim, PalResult *result)
{
    const PalProfile *profile = pal_sim_profile(sim);
    const PalCounters *counters = pal_sim_counters(sim);
    double steps = (double)pal_sim_state(sim)->step_count;
    pal_result_add(result, "steps", steps);
    pal_result_add(result, "elements", profile->elements);
    pal_result_add(result, "integrate", profile->integrate);
    pal_result_add(result, "update", profile->contact_update);
    pal_result_add(result, "search", profile->contact_search);
    pal_result_add(result, "response", profile->contact_response);
    pal_result_add(result, "volumes", (double)counters->volumes / steps);
    pal_result_add(result, "refits", (double)counters->refits / steps);
    pal_result_add(result, "subtrees", (double)counters->self_subtrees / steps);
    pal_result_add(result, "volume-tests", (double)counters->volume_tests / steps);
    pal_result_add(result, "contacts",
                   (double)(counters->node_facet + counters->edge_edge) / steps);
}

static void tell_end(PalSim *sim, PalResult *result)
{
    const PalModel *model = pal_sim_model(sim);
    PalContactReport report = pal_sim_contact_report(sim);
    double facets = 0, surface_nodes = 0;
    for (int32_t b = 0; b < model->body_count; ++b) {
        facets += model->bodies[b].surface->facet_count;
        surface_nodes += model->bodies[b].surface->node_count;
    }
    tell_costs(sim, result);
    pal_result_add(result, "cells", model->cell_count);
    pal_result_add(result, "nodes", model->node_count);
    pal_result_add(result, "facets", facets);
    pal_result_add(result, "surface-nodes", surface_nodes);
    pal_result_add(result, "most-contacts", report.most_contacts);
    pal_result_add(result, "rescues", (double)report.rescues);
    pal_result_add(result, "worst-penetration", report.worst_penetration);
    pal_result_add(result, "mean-edge", report.mean_edge);
    pal_result_add(result, "crossings", pal_sim_intersections(sim));
    PalEnergy energy = pal_sim_energy(sim);
    pal_result_add(result, "drift", pal_energy_drift(&energy));
}

static void run_job(Work *work, Job *job)
{
    if (job->status == PAL_OK)
        job->status = advance(work, job);
    if (job->status == PAL_OK) {
        pal_result_add(job->result, "clock", seconds() - job->began);
        tell_end(job->sim, job->result);
        if (job->trial->pictured)
            job->status =
                pal_lab_keep_picture(work->lab, job->trial, job->scene, job->sim, &job->error);
    }
    if (job->status == PAL_OK && job->result->failed)
        job->status = pal_error_set(&job->error, PAL_NO_MEMORY, "no memory for the results");
    pal_sim_destroy(job->sim);
    pal_scene_destroy(job->scene);
    job->sim = NULL;
    job->scene = NULL;
}

static void result_path(const PalLab *lab, const PalTrial *trial, char *path, size_t size)
{
    snprintf(path, size, "%s/results/%s%s-%s.txt", lab->folder, lab->def.quick ? "quick-" : "",
             lab->experiment->name, trial->name);
}

static PalStatus keep(const PalLab *lab, Job *job)
{
    char path[PAL_LAB_PATH_MAX + 200], head[160];
    result_path(lab, job->trial, path, sizeof path);
    pal_trial_head(lab, job->trial, head, sizeof head);
    if (!pal_result_write(job->result, path, head))
        return pal_error_set(&job->error, PAL_IO_FAILED, "%s: cannot be written", path);
    return PAL_OK;
}

static void *worker(void *context)
{
    Work *work = context;
    for (;;) {
        pthread_mutex_lock(&work->lock);
        Job *job =
            !work->stopped && work->next < work->job_count ? &work->jobs[work->next++] : NULL;
        if (job != NULL)  // scenes are read by one thread at a time
            job->status = set_up(job);
        pthread_mutex_unlock(&work->lock);
        if (job == NULL)
            return NULL;
        run_job(work, job);
        if (job->status == PAL_OK)
            job->status = keep(work->lab, job);
    }
}

static void run_jobs(Work *work)
{
    pthread_t threads[WORKER_MAX];
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int32_t most = work->lab->def.thread_count, count = 0;
    most = most > 0 ? most : (int32_t)cores;
    most = most < work->job_count ? most : work->job_count;
    most = most < WORKER_MAX ? most : WORKER_MAX;
    for (int32_t j = 0; j < work->job_count; ++j)
        if (work->jobs[j].trial->threads > 0)  // it has the machine for itself
            most = 1;
    pthread_mutex_init(&work->lock, NULL);
    while (count < most - 1 && pthread_create(&threads[count], NULL, worker, work) == 0)
        ++count;
    worker(work);
    for (int32_t i = 0; i < count; ++i)
        pthread_join(threads[i], NULL);
    pthread_mutex_destroy(&work->lock);
}

// The first failure in the order of the trials; an interruption only if there is no other.
static PalStatus first_failure(const Work *work, PalError *error)
{
    const Job *worst = NULL;
    for (int32_t j = 0; j < work->job_count; ++j) {
        const Job *job = &work->jobs[j];
        if (job->status != PAL_OK && job->status != PAL_INTERRUPTED)
            return pal_error_set(error, job->status, "%s, %s: %s", work->lab->experiment->name,
                                 job->trial->name, job->error.text);
        if (job->status != PAL_OK && worst == NULL)
            worst = job;
    }
    if (worst != NULL || work->stopped)
        return pal_error_set(error, PAL_INTERRUPTED, "interrupted; what is done is kept");
    return PAL_OK;
}

PalStatus pal_lab_try(PalLab *lab, int32_t count, const PalTrial *trials, PalResult *results,
                      PalError *error)
{
    Work work = {.lab = lab, .jobs = calloc((size_t)count + 1, sizeof(Job))};
    if (work.jobs == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the trials");
    for (int32_t t = 0; t < count; ++t) {
        char path[PAL_LAB_PATH_MAX + 200], head[160];
        results[t] = (PalResult){0};
        result_path(lab, &trials[t], path, sizeof path);
        pal_trial_head(lab, &trials[t], head, sizeof head);
        if (!pal_result_read(&results[t], path, head))
            work.jobs[work.job_count++] = (Job){.trial = &trials[t], .result = &results[t]};
    }
    if (work.job_count > 0)
        run_jobs(&work);
    PalStatus status = first_failure(&work, error);
    free(work.jobs);
    return status;
}
