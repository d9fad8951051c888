// Runs small scenes that use every kind of thing once and compares all they write with what was
// written before. This tells that something changed, not whether it is right: other tests do that.
// Where a change is meant, `tools/golden` stores the new numbers; read their list of differences
// first.
//
// Scenes are golden/*.yaml; a vademecum and models of other programs come last. A line `# variant
// NAME PATH=VALUE ...` of a scene is one more run of it, with these keys changed; stop=TIME is no
// key: the run is interrupted then, and taken up again.
#include "inside.h"
#include "models.h"
#include "vademecums.h"

#include "base/timer.h"
#include <palpate/scene.h>

#include <dirent.h>

#define TOLERANCE   1e-9   // of a sum at least, and so relative of each number in it
#define DISTURBANCE 1e-13  // of each coordinate of a node
#define TIMES       100    // the spread
#define ANY         (-1)  // instead of a spread: even how many numbers there are depends on rounding
#define SLIGHT      1e-3  // relative: so little may differ at a FEW places, where roundings tip a choice
#define FEW         4
#define SHOWN       40  // differences that are listed

enum { MOST_CHANGES = 24 };

typedef struct Variant {
    char line[2000];
    const char *name;
    double stop;  // 0: it is not interrupted
    int32_t change_count;
    PalSceneChange changes[MOST_CHANGES];
} Variant;

static void split_variant(Variant *variant)
{
    char *rest = NULL;
    variant->change_count = 0;
    variant->stop = 0;
    strtok_r(variant->line, " ", &rest);
    strtok_r(NULL, " ", &rest);  // "# variant"
    variant->name = strtok_r(NULL, " \n", &rest);
    for (char *word; (word = strtok_r(NULL, " \n", &rest)) != NULL;) {
        char *equal = strchr(word, '=');
        assert_true(equal != NULL && variant->change_count < MOST_CHANGES);
        *equal = '\0';
        if (strcmp(word, "stop") == 0)
            variant->stop = strtod(equal + 1, NULL);
        else
            variant->changes[variant->change_count++] = (PalSceneChange){word, equal + 1};
    }
}

// ---- one run ----------------------------------------------------------------------------

// What would go into a checkpoint, and what the cost would be.
static void add_state(Book *book, const char *name, int step, PalSim *sim)
{
    PalNamedArray arrays[PAL_SIM_ARRAY_MAX];
    int32_t array_count = pal_sim_arrays(sim, arrays);
    Entry *entry = book_entry(book, "%s/state/%d", name, step);
    for (int32_t a = 0; a < array_count; ++a)
        for (int64_t i = 0; i < arrays[a].count; ++i)
            entry_add(entry, arrays[a].kind == PAL_ARRAY_DOUBLE
                                 ? ((const double *)arrays[a].data)[i]
                                 : (double)((const int64_t *)arrays[a].data)[i]);
    PalContactReport report = pal_sim_contact_report(sim);
    const PalCounters *counters = pal_sim_counters(sim);
    PalEnergy energies = pal_sim_energy(sim);
    const double numbers[] = {(double)report.contact_count,
                              (double)report.rescues,
                              (double)report.queries,
                              (double)report.hits,
                              report.separation,
                              report.margin,
                              report.range,
                              (double)counters->volumes,
                              (double)counters->refits,
                              (double)counters->volume_tests,
                              (double)counters->node_facet,
                              (double)counters->edge_edge,
                              energies.kinetic,
                              energies.strain,
                              energies.external_work,
                              energies.contact_work,
                              pal_sim_next_step(sim)};
    entry = book_entry(book, "%s/told/%d", name, step);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
        entry_add(entry, numbers[i]);
}

// Takes a step, in which no stage takes less than no time, or more than the step does.
static PalStatus take_step(PalSim *sim, PalError *error)
{
    enum { STAGES = sizeof(PalProfile) / sizeof(double) };
    double before[STAGES], after[STAGES];
    memcpy(before, pal_sim_profile(sim), sizeof before);
    double start = pal_timer_seconds();
    PalStatus status = pal_sim_step(sim, error);
    double whole = pal_timer_seconds() - start;
    memcpy(after, pal_sim_profile(sim), sizeof after);
    for (int i = 0; i < STAGES; ++i)
        assert_true(after[i] >= before[i] && after[i] - before[i] <= whole + 1e-9 * start);
    return status;
}

static void add_findings(Book *book, const char *name, const PalScene *scene)
{
    PalSim *sim = NULL;
    PalError error = {0};
    PalFinding *findings = NULL;
    int32_t count = 0;
    check_ok(pal_sim_create(pal_scene_sim(scene), &sim, &error), &error);
    check_ok(pal_scene_warnings(scene, sim, &findings, &count, &error), &error);
    for (int32_t i = 0; i < count; ++i)
        entry_add_text(book_entry(book, "%s/warnings", name), findings[i].text);
    free(findings);
    for (int step = 0; step <= 20; ++step) {  // early, before roundings grow
        if (step > 0 && take_step(sim, &error) != PAL_OK)
            break;
        if (step == 1 || step == 3 || step == 8 || step == 20) {
            add_state(book, name, step, sim);
            add_inside(book, name, step, sim);
        }
        if (pal_sim_finished(sim))
            break;
    }
    pal_sim_destroy(sim);
}

static void add_result(Book *book, const char *name, const PalRunResult *result)
{
    Entry *entry = book_entry(book, "%s/result", name);
    entry_add(entry, result->drift);
    entry_add(entry, result->largest);
    entry_add(entry, result->largest_node);
    for (int32_t i = 0; i < result->probe_count; ++i) {
        entry_add(entry, result->peaks[i].time);
        entry_add(entry, result->peaks[i].value.x);
        entry_add(entry, result->peaks[i].value.y);
        entry_add(entry, result->peaks[i].value.z);
    }
    for (int32_t i = 0; i < result->remark_count; ++i)
        entry_add_text(entry, result->remarks[i].text);
}

// Which disturbance; 0 for none.
static int disturbed;

static void disturb_mesh(const PalMesh *mesh, uint64_t *seed)
{
    PalVec3 *nodes = (PalVec3 *)mesh->nodes;
    for (int32_t n = 0; n < mesh->node_count; ++n) {
        double *x[3] = {&nodes[n].x, &nodes[n].y, &nodes[n].z};
        for (int i = 0; i < 3; ++i) {
            *seed = *seed * 6364136223846793005u + 1442695040888963407u;
            *x[i] += ((double)(*seed >> 11) * 0x1p-52 - 1) * DISTURBANCE;
        }
    }
}

static void disturb(const PalScene *scene)
{
    const PalModelDef *model = &pal_scene_sim(scene)->model;
    uint64_t seed = (uint64_t)disturbed;
    for (int32_t b = 0; disturbed > 0 && b < model->body_count; ++b)
        disturb_mesh(model->bodies[b].mesh, &seed);
    for (int32_t r = 0; disturbed > 0 && r < model->rigid_count; ++r)
        disturb_mesh(model->rigids[r].mesh, &seed);
}

static void add_run(Book *book, const char *file, const Variant *variant)
{
    char path[300], name[100], folder[64];
    PalSceneOptions options = {.change_count = variant->change_count, .changes = variant->changes};
    PalScene *scene = NULL;
    PalError error = {0};
    PalRunResult result = {0};
    snprintf(path, sizeof path, "%s/../tests/golden/%s", PAL_SCENES, file);
    snprintf(name, sizeof name, "%.*s/%s", (int)strcspn(file, "."), file, variant->name);
    if (pal_scene_read(path, &options, &scene, &error) != PAL_OK)
        fail_msg("%s: %s", name, error.text);
    disturb(scene);
    PalDirectory directory = place_open(folder);
    PalRunOptions run = {.directory = folder, .thread_count = 1, .result = &result};
    if (variant->stop > 0) {
        run.stop_time = variant->stop;
        assert_int_equal(pal_scene_run(scene, &run, &error), PAL_INTERRUPTED);
        pal_run_result_clear(&result);
        run.stop_time = 0;
        run.resume = true;
    }
    if (pal_scene_run(scene, &run, &error) != PAL_OK)  // a failure is a result, too
        entry_add_text(book_entry(book, "%s/failure", name), error.text);
    if (!result.opened)
        fail_msg("%s: %s", name, error.text);
    add_directory(book, name, &directory);
    add_result(book, name, &result);
    if (variant->stop == 0)
        add_findings(book, name, scene);
    pal_run_result_clear(&result);
    pal_directory_close(&directory);
    place_remove(folder);
    pal_scene_destroy(scene);
}

static void add_scene(Book *book, const char *file)
{
    static Variant variant;
    char path[300];
    snprintf(path, sizeof path, "%s/../tests/golden/%s", PAL_SCENES, file);
    FILE *stream = fopen(path, "r");
    assert_non_null(stream);
    variant = (Variant){.name = "plain"};
    add_run(book, file, &variant);
    while (fgets(variant.line, sizeof variant.line, stream) != NULL)
        if (strncmp(variant.line, "# variant ", 10) == 0) {
            split_variant(&variant);
            add_run(book, file, &variant);
        }
    fclose(stream);
}

// ---- comparing --------------------------------------------------------------------------

// What was stored, and how far the comparison has come.
typedef struct Known {
    Book book;
    int32_t next, differences, slight;
} Known;

static void read_known(Known *known)
{
    FILE *file = fopen(PAL_SCENES "/../tests/golden/numbers.txt", "r");
    assert_non_null(file);
    char line[300], name[NAME_SIZE];
    while (fgets(line, sizeof line, file) != NULL) {
        long long count;
        double sum, spread;
        assert_int_equal(sscanf(line, "%159s %lld %lf %lf", name, &count, &sum, &spread), 4);
        *book_append(&known->book, name) = (Entry){.count = count, .sum = sum, .spread = spread};
        memcpy(known->book.entries[known->book.count - 1].name, name, sizeof name);
    }
    fclose(file);
}

// What a scene gave, with what is known of it. Stops once there are many differences.
static void compare(Known *known, const Book *book)
{
    for (int32_t i = 0; i < book->count; ++i) {
        const Entry *entry = &book->entries[i], *was = NULL;
        if (known->next < known->book.count)
            was = &known->book.entries[known->next];
        if (was == NULL || strcmp(was->name, entry->name) != 0)
            fail_msg("there is %s, but %s was expected", entry->name,
                     was == NULL ? "nothing more" : was->name);
        ++known->next;
        double tolerance = TOLERANCE + 1e-14 * fabs(was->sum) + TIMES * was->spread;
        if (was->spread == ANY ||
            (entry->count == was->count && fabs(entry->sum - was->sum) <= tolerance))
            continue;
        print_error("%s: %lld numbers, sum %.12g; was %lld, %.12g\n", entry->name,
                    (long long)entry->count, entry->sum, (long long)was->count, was->sum);
        bool slight =
            entry->count == was->count && fabs(entry->sum - was->sum) <= SLIGHT * fabs(was->sum);
        known->slight += slight;
        if (++known->differences >= SHOWN)
            fail_msg("there may be more; if that is meant, tools/golden stores the new ones");
    }
}

// ---- storing ----------------------------------------------------------------------------

// How far the sums of a scene move when nodes are disturbed.
static void find_spread(Book *book, const char *file)
{
    for (disturbed = 1; disturbed <= 3; ++disturbed) {
        Book other = {0};
        add_scene(&other, file);
        for (int32_t i = 0; i < book->count; ++i) {
            Entry *entry = &book->entries[i];
            const Entry *moved = book_entry(&other, "%s", entry->name);
            if (moved->count != entry->count || entry->spread == ANY)
                entry->spread = ANY;
            else
                entry->spread = fmax(entry->spread, fabs(moved->sum - entry->sum));
        }
        free(other.entries);
    }
    disturbed = 0;
}

static void write_book(const Book *book, FILE *file)
{
    for (int32_t i = 0; i < book->count; ++i)
        fprintf(file, "%s %lld %.15g %.1e\n", book->entries[i].name,
                (long long)book->entries[i].count, book->entries[i].sum, book->entries[i].spread);
}

// ---- all scenes -------------------------------------------------------------------------

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

enum { MOST_FILES = 64 };

static int list_files(char *files[MOST_FILES])
{
    int count = 0;
    DIR *folder = opendir(PAL_SCENES "/../tests/golden");
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        if (strstr(entry->d_name, ".yaml") != NULL) {
            assert_true(count < MOST_FILES);
            files[count] = strdup(entry->d_name);
            assert_non_null(files[count++]);
        }
    closedir(folder);
    qsort(files, (size_t)count, sizeof *files, by_name);
    return count;
}

static void everything_is_as_it_was(void **state)
{
    (void)state;
    char *files[MOST_FILES];
    int count = list_files(files);
    const char *path = getenv("PAL_GOLDEN_WRITE");
    FILE *to = path == NULL ? NULL : fopen(path, "w");
    assert_true(path == NULL || to != NULL);
    Known known = {.next = 0};
    if (to == NULL)
        read_known(&known);
    const char *only = to != NULL ? getenv("PAL_GOLDEN_ONLY") : NULL;
    for (int i = 0; i < count; ++i) {
        Book book = {0};
        if (only == NULL || strcmp(files[i], only) == 0)
            add_scene(&book, files[i]);
        if (to != NULL) {
            if (book.count > 0)
                find_spread(&book, files[i]);
            write_book(&book, to);
        } else {
            compare(&known, &book);
        }
        free(book.entries);
        free(files[i]);
    }
    Book book = {0};
    if (only == NULL || strcmp(only, "others.yaml") == 0) {
        add_vademecum(&book);
        add_models(&book);
    }
    if (to != NULL)
        write_book(&book, to);
    else
        compare(&known, &book);
    free(book.entries);
    if (to != NULL)
        assert_int_equal(fclose(to), 0);
    assert_int_equal(known.next, known.book.count);
    free(known.book.entries);
    if (known.differences > known.slight || known.slight > FEW)
        fail_msg("%d sums differ; if that is meant, tools/golden stores the new ones",
                 (int)known.differences);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(everything_is_as_it_was)};
CHECK_GROUP(tests, NULL, NULL)
