#include "output/checkpoint.h"

#include "base/hash.h"
#include "base/memory.h"
#include "output/h5.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    BLOCK_SIZE = 512,
    HEAD_MAX = 1 << 20,  // bytes; ours have some thousand
    SCENE_SIZE = 17,     // digits and end mark of a fingerprint
};

// ---- the record as a table --------------------------------------------------------------

typedef struct RecordField {
    const char *name;
    size_t place;
    bool integer;
} RecordField;

#define INTEGER(field)                                                                             \
    {                                                                                              \
#field, offsetof(PalRunRecord, field), true                                                \
    }
#define REAL(field)                                                                                \
    {                                                                                              \
#field, offsetof(PalRunRecord, field), false                                               \
    }

static const RecordField record_fields[] = {
    INTEGER(frame_count),
    INTEGER(history_bytes),
    INTEGER(frame_step),
    INTEGER(row_step),
    INTEGER(steps),
    REAL(time),
    REAL(wall_seconds),
    REAL(energy_scale),
    REAL(worst_drift),
    REAL(worst_penetration),
    REAL(momentum.x),
    REAL(momentum.y),
    REAL(momentum.z),
    REAL(angular_momentum.x),
    REAL(angular_momentum.y),
    REAL(angular_momentum.z),
    REAL(profile.elements),
    REAL(profile.integrate),
    REAL(profile.assemble),
    REAL(profile.solve),
    REAL(profile.contact_update),
    REAL(profile.contact_search),
    REAL(profile.contact_response),
    REAL(profile.output),
    INTEGER(counters.step_estimates),
    INTEGER(counters.step_changes),
    INTEGER(counters.iterations),
    INTEGER(counters.retries),
    INTEGER(counters.unstable),
    INTEGER(counters.volumes),
    INTEGER(counters.refits),
    INTEGER(counters.self_subtrees),
    INTEGER(counters.volume_tests),
    INTEGER(counters.node_facet),
    INTEGER(counters.edge_edge),
    INTEGER(counters.wakes),
};

#define RECORD_FIELD_COUNT (sizeof record_fields / sizeof record_fields[0])

static PalH5Kind record_kind(size_t field)
{
    return record_fields[field].integer ? PAL_H5_INTEGER : PAL_H5_REAL;
}

static PalH5Kind array_kind(const PalNamedArray *array)
{
    return array->kind == PAL_ARRAY_INT64 ? PAL_H5_INTEGER : PAL_H5_REAL;
}

static void print_scene(uint64_t scene, char text[SCENE_SIZE])
{
    snprintf(text, SCENE_SIZE, "%016" PRIx64, scene);
}

// What the block says of the bytes behind it.
typedef struct Promise {
    uint64_t size, sum, head_size;
} Promise;

// "palpate checkpoint <format> <bytes after the block> <their check sum> <bytes of the head>",
// then zeros.
static void print_block(const Promise *promise, char block[BLOCK_SIZE])
{
    memset(block, 0, BLOCK_SIZE);
    snprintf(block, BLOCK_SIZE, "palpate checkpoint %d %" PRIu64 " %016" PRIx64 " %" PRIu64 "\n",
             PAL_CHECKPOINT_FORMAT, promise->size, promise->sum, promise->head_size);
}

// ---- writing ----------------------------------------------------------------------------

static void put_head(const PalCheckpoint *checkpoint, PalText *head)
{
    int64_t format = PAL_CHECKPOINT_FORMAT;
    char scene[SCENE_SIZE];
    print_scene(checkpoint->scene, scene);
    PalH5Attribute root[] = {{"format", PAL_H5_INTEGER, &format},
                             {"palpate", PAL_H5_TEXT, pal_version()},
                             {"scene", PAL_H5_TEXT, scene}};
    PalH5Attribute run[RECORD_FIELD_COUNT];
    for (size_t i = 0; i < RECORD_FIELD_COUNT; ++i)
        run[i] = (PalH5Attribute){record_fields[i].name, record_kind(i),
                                  (const char *)&checkpoint->record + record_fields[i].place};
    PalH5Set sets[PAL_SIM_ARRAY_MAX];
    for (int32_t i = 0; i < checkpoint->array_count; ++i)
        sets[i] = (PalH5Set){checkpoint->arrays[i].name, array_kind(&checkpoint->arrays[i]),
                             checkpoint->arrays[i].count};
    PalH5Group top = {.attribute_count = 3, .attributes = root};
    PalH5Group groups[] = {
        {.name = "run", .attribute_count = RECORD_FIELD_COUNT, .attributes = run},
        {.name = "state", .set_count = checkpoint->array_count, .sets = sets},
    };
    pal_h5_put_head(head, BLOCK_SIZE, &top, 2, groups);
}

typedef struct Writing {
    const PalCheckpoint *checkpoint;
    const PalText *head;
} Writing;

static size_t array_bytes(const PalNamedArray *array)
{
    return (size_t)array->count * 8;
}

static Promise promise(const Writing *writing)
{
    const PalCheckpoint *checkpoint = writing->checkpoint;
    const PalText *head = writing->head;
    Promise made = {head->length, pal_hash_words(PAL_HASH_START, head->data, head->length),
                    head->length};
    for (int32_t i = 0; i < checkpoint->array_count; ++i) {
        size_t size = array_bytes(&checkpoint->arrays[i]);
        made.sum = pal_hash_words(made.sum, checkpoint->arrays[i].data, size);
        made.size += size;
    }
    return made;
}

// Gathers small pieces, so that the system is called for large ones only.
typedef struct Gatherer {
    int descriptor;
    size_t used;
    char bytes[1 << 15];
} Gatherer;

static bool flush(Gatherer *gatherer)
{
    size_t size = gatherer->used;
    gatherer->used = 0;
    return pal_file_write_all(gatherer->descriptor, gatherer->bytes, size);
}

static bool put(Gatherer *gatherer, const void *data, size_t size)
{
    if (size > sizeof gatherer->bytes - gatherer->used && !flush(gatherer))
        return false;
    if (size > sizeof gatherer->bytes)
        return pal_file_write_all(gatherer->descriptor, data, size);
    if (size > 0)
        memcpy(gatherer->bytes + gatherer->used, data, size);
    gatherer->used += size;
    return true;
}

// The arrays go from where they are to the file: a checkpoint takes no memory but for its head.
static bool fill_file(void *context, int descriptor)
{
    const Writing *writing = context;
    const PalCheckpoint *checkpoint = writing->checkpoint;
    Gatherer gatherer = {.descriptor = descriptor};
    Promise made = promise(writing);
    char block[BLOCK_SIZE];
    print_block(&made, block);
    bool good = put(&gatherer, block, sizeof block) &&
                put(&gatherer, writing->head->data, writing->head->length);
    for (int32_t i = 0; good && i < checkpoint->array_count; ++i)
        good = put(&gatherer, checkpoint->arrays[i].data, array_bytes(&checkpoint->arrays[i]));
    return good && flush(&gatherer);
}

PalStatus pal_checkpoint_write(const PalDirectory *directory, const PalCheckpoint *checkpoint,
                               PalError *error)
{
    PalText head = {0};
    put_head(checkpoint, &head);
    Writing writing = {checkpoint, &head};
    PalStatus status =
        head.no_memory ? pal_error_set(error, PAL_NO_MEMORY, "%s/%s: no memory for a checkpoint",
                                       directory->path, PAL_CHECKPOINT_NAME)
                       : pal_file_replace_with(directory, PAL_CHECKPOINT_NAME, PAL_FILE_SYNCED,
                                               fill_file, &writing, error);
    pal_text_clear(&head);
    return status;
}

// ---- reading ----------------------------------------------------------------------------

// A file that is being read.
typedef struct Reading {
    const PalDirectory *directory;
    int descriptor;
    PalH5 h5;
    int64_t counts[PAL_SIM_ARRAY_MAX];
    uint64_t data[PAL_SIM_ARRAY_MAX];  // where the arrays' numbers are
} Reading;

static PalStatus refuse(const Reading *reading, PalStatus status, const char *why, PalError *error)
{
    return pal_error_set(error, status, "%s/%s: %s", reading->directory->path, PAL_CHECKPOINT_NAME,
                         why);
}

static PalStatus damaged(const Reading *reading, PalError *error)
{
    return refuse(reading, PAL_BAD_INPUT, "the checkpoint is damaged or incomplete", error);
}

static PalStatus unreadable(const Reading *reading, PalError *error)
{
    return pal_file_error(reading->directory, PAL_CHECKPOINT_NAME, "cannot read", error);
}

static PalStatus read_block(const Reading *reading, Promise *promise, PalError *error)
{
    char block[BLOCK_SIZE], again[BLOCK_SIZE];
    struct stat info;
    int format = 0;
    if (fstat(reading->descriptor, &info) != 0)
        return unreadable(reading, error);
    if (S_ISDIR(info.st_mode) || info.st_size <= BLOCK_SIZE)
        return refuse(reading, PAL_BAD_INPUT, "this is not a checkpoint of palpate", error);
    if (!pal_file_read_at(reading->descriptor, block, sizeof block, 0))
        return unreadable(reading, error);
    if (memcmp(block, "palpate checkpoint ", 19) != 0)
        return refuse(reading, PAL_BAD_INPUT, "this is not a checkpoint of palpate", error);
    if (block[BLOCK_SIZE - 1] != '\0')
        return damaged(reading, error);
    if (sscanf(block, "palpate checkpoint %9d", &format) != 1 || format != PAL_CHECKPOINT_FORMAT)
        return refuse(reading, PAL_BAD_INPUT,
                      "the checkpoint was written by another version of palpate", error);
    int got = sscanf(block, "palpate checkpoint %*d %20" SCNu64 " %16" SCNx64 " %20" SCNu64,
                     &promise->size, &promise->sum, &promise->head_size);
    print_block(promise, again);
    if (got != 3 || memcmp(block, again, sizeof block) != 0 ||
        promise->size != (uint64_t)info.st_size - BLOCK_SIZE || promise->head_size > HEAD_MAX ||
        promise->head_size > promise->size)
        return damaged(reading, error);
    return PAL_OK;
}

static PalStatus check_sum(const Reading *reading, const Promise *promise, PalError *error)
{
    char piece[1 << 15];
    uint64_t sum = PAL_HASH_START;
    for (uint64_t done = 0; done < promise->size;) {
        uint64_t left = promise->size - done;
        size_t size = left < sizeof piece ? (size_t)left : sizeof piece;
        if (!pal_file_read_at(reading->descriptor, piece, size, BLOCK_SIZE + done))
            return unreadable(reading, error);
        sum = pal_hash_words(sum, piece, size);
        done += size;
    }
    return sum == promise->sum ? PAL_OK : damaged(reading, error);
}

static PalStatus check_scene(const Reading *reading, PalH5Place root,
                             const PalCheckpoint *checkpoint, PalError *error)
{
    const char *difference = checkpoint->difference != NULL ? checkpoint->difference : "";
    char scene[SCENE_SIZE], ours[SCENE_SIZE];
    if (!pal_h5_get(&reading->h5, root, "scene", PAL_H5_TEXT, scene, sizeof scene))
        return damaged(reading, error);
    print_scene(checkpoint->scene, ours);
    if (strcmp(scene, ours) == 0)
        return PAL_OK;
    char text[400];
    snprintf(
        text, sizeof text,
        "the checkpoint belongs to another scene or mesh%s%s; resume with the scene and meshes "
        "it was made from, or start again without resuming",
        difference[0] != '\0' ? ": " : "", difference);
    return refuse(reading, PAL_BAD_INPUT, text, error);
}

static PalStatus read_record(const Reading *reading, PalH5Place root, PalRunRecord *record,
                             PalError *error)
{
    PalH5Place run = pal_h5_find(&reading->h5, root, "run");
    for (size_t i = 0; i < RECORD_FIELD_COUNT; ++i)
        if (!pal_h5_get(&reading->h5, run, record_fields[i].name, record_kind(i),
                        (char *)record + record_fields[i].place, 8))
            return damaged(reading, error);
    if (record->frame_count < 0 || record->history_bytes < 0)
        return damaged(reading, error);
    return PAL_OK;
}

// Of any length where the array can be resized.
static PalStatus find_arrays(Reading *reading, PalH5Place root, const PalCheckpoint *checkpoint,
                             PalError *error)
{
    PalH5Place state = pal_h5_find(&reading->h5, root, "state");
    for (int32_t i = 0; i < checkpoint->array_count; ++i) {
        const PalNamedArray *array = &checkpoint->arrays[i];
        PalH5Place set = pal_h5_find(&reading->h5, state, array->name);
        if (!pal_h5_set(&reading->h5, set, array_kind(array), &reading->counts[i],
                        &reading->data[i]) ||
            (reading->counts[i] != array->count && array->resize == NULL))
            return refuse(reading, PAL_BAD_INPUT, "the checkpoint does not fit this scene", error);
    }
    return PAL_OK;
}

static PalStatus fill_arrays(const Reading *reading, const PalCheckpoint *checkpoint,
                             PalError *error)
{
    void *places[PAL_SIM_ARRAY_MAX];
    for (int32_t i = 0; i < checkpoint->array_count; ++i) {
        const PalNamedArray *array = &checkpoint->arrays[i];
        int64_t count = reading->counts[i];
        places[i] = array->resize != NULL ? array->resize(array->owner, count) : array->data;
        if (places[i] == NULL && count > 0)
            return refuse(reading, PAL_NO_MEMORY, "no memory for what the checkpoint holds", error);
    }
    for (int32_t i = 0; i < checkpoint->array_count; ++i)
        if (!pal_file_read_at(reading->descriptor, places[i], (size_t)reading->counts[i] * 8,
                              BLOCK_SIZE + reading->data[i]))
            return unreadable(reading, error);
    return PAL_OK;
}

// Everything is looked at before anything is filled in.
static PalStatus read_content(Reading *reading, PalCheckpoint *checkpoint, PalError *error)
{
    PalRunRecord record = {0};
    PalH5Place root = pal_h5_root(&reading->h5);
    PAL_TRY(check_scene(reading, root, checkpoint, error));
    PAL_TRY(read_record(reading, root, &record, error));
    PAL_TRY(find_arrays(reading, root, checkpoint, error));
    PAL_TRY(fill_arrays(reading, checkpoint, error));
    checkpoint->record = record;
    return PAL_OK;
}

static PalStatus read_file(Reading *reading, PalCheckpoint *checkpoint, PalError *error)
{
    Promise promise = {0};
    PAL_TRY(read_block(reading, &promise, error));
    PAL_TRY(check_sum(reading, &promise, error));
    unsigned char *head = pal_alloc((size_t)promise.head_size, 1);
    if (head == NULL)
        return refuse(reading, PAL_NO_MEMORY, "no memory to read it", error);
    reading->h5 = (PalH5){head, promise.head_size, promise.size};
    PalStatus status =
        pal_file_read_at(reading->descriptor, head, (size_t)promise.head_size, BLOCK_SIZE)
            ? read_content(reading, checkpoint, error)
            : unreadable(reading, error);
    pal_free(head);
    return status;
}

PalStatus pal_checkpoint_read(const PalDirectory *directory, PalCheckpoint *checkpoint, bool *found,
                              PalError *error)
{
    Reading reading = {.directory = directory,
                       .descriptor = pal_file_open(directory, PAL_CHECKPOINT_NAME, O_RDONLY)};
    *found = reading.descriptor >= 0;
    if (!*found)
        return errno == ENOENT ? PAL_OK : unreadable(&reading, error);
    PalStatus status = read_file(&reading, checkpoint, error);
    close(reading.descriptor);
    return status;
}
