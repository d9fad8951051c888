#include "output/checkpoint.h"

#include "base/hash.h"

#include <hdf5.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_SIZE 512

// ---- HDF5 that stays silent -------------------------------------------------------------

typedef struct Silence {
    H5E_auto2_t function;
    void *data;
} Silence;

static Silence silence_begin(void)
{
    Silence silence = {0};
    H5Eget_auto2(H5E_DEFAULT, &silence.function, &silence.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return silence;
}

static void silence_end(Silence silence)
{
    H5Eset_auto2(H5E_DEFAULT, silence.function, silence.data);
}

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
    REAL(profile.contact_update),
    REAL(profile.contact_search),
    REAL(profile.contact_response),
    REAL(profile.output),
    INTEGER(counters.step_estimates),
    INTEGER(counters.step_changes),
    INTEGER(counters.volumes),
    INTEGER(counters.refits),
    INTEGER(counters.self_subtrees),
    INTEGER(counters.volume_tests),
    INTEGER(counters.node_facet),
    INTEGER(counters.edge_edge),
    INTEGER(counters.wakes),
};

#define RECORD_FIELD_COUNT (sizeof record_fields / sizeof record_fields[0])

static hid_t memory_type(bool integer)
{
    return integer ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE;
}

static bool write_scalar(hid_t place, const char *name, bool integer, const void *value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(place, name, integer ? H5T_STD_I64LE : H5T_IEEE_F64LE, space,
                                 H5P_DEFAULT, H5P_DEFAULT);
    bool good = attribute >= 0 && H5Awrite(attribute, memory_type(integer), value) >= 0;
    if (attribute >= 0)
        H5Aclose(attribute);
    H5Sclose(space);
    return good;
}

static bool read_scalar(hid_t place, const char *name, bool integer, void *value)
{
    hid_t attribute = H5Aopen(place, name, H5P_DEFAULT);
    if (attribute < 0)
        return false;
    hid_t space = H5Aget_space(attribute);
    bool good = H5Sget_simple_extent_npoints(space) == 1 &&
                H5Aread(attribute, memory_type(integer), value) >= 0;
    H5Sclose(space);
    H5Aclose(attribute);
    return good;
}

static bool write_string(hid_t place, const char *name, const char *value)
{
    hid_t space = H5Screate(H5S_SCALAR), type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, strlen(value) + 1);
    hid_t attribute = H5Acreate2(place, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool good = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
    if (attribute >= 0)
        H5Aclose(attribute);
    H5Tclose(type);
    H5Sclose(space);
    return good;
}

// ---- writing ----------------------------------------------------------------------------

static bool write_array(hid_t group, const PalNamedArray *array)
{
    bool integer = array->kind == PAL_ARRAY_INT64;
    hsize_t count = (hsize_t)array->count;
    hid_t space = H5Screate_simple(1, &count, NULL);
    hid_t set = H5Dcreate2(group, array->name, integer ? H5T_STD_I64LE : H5T_IEEE_F64LE, space,
                           H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = set >= 0 && (count == 0 || H5Dwrite(set, memory_type(integer), H5S_ALL, H5S_ALL,
                                                    H5P_DEFAULT, array->data) >= 0);
    if (set >= 0)
        H5Dclose(set);
    H5Sclose(space);
    return good;
}

static bool write_content(hid_t file, const PalCheckpoint *checkpoint)
{
    int64_t format = PAL_CHECKPOINT_FORMAT;
    char scene[17];
    snprintf(scene, sizeof scene, "%016" PRIx64, checkpoint->scene);
    bool good = write_scalar(file, "format", true, &format) &&
                write_string(file, "palpate", pal_version()) && write_string(file, "scene", scene);
    hid_t run = H5Gcreate2(file, "run", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    for (size_t i = 0; good && i < RECORD_FIELD_COUNT; ++i)
        good = write_scalar(run, record_fields[i].name, record_fields[i].integer,
                            (const char *)&checkpoint->record + record_fields[i].place);
    hid_t state = H5Gcreate2(file, "state", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    for (int32_t i = 0; good && i < checkpoint->array_count; ++i)
        good = write_array(state, &checkpoint->arrays[i]);
    if (state >= 0)
        H5Gclose(state);
    if (run >= 0)
        H5Gclose(run);
    return good;
}

// The file is made in memory, so that a full disk is met by our own writing alone.
static hid_t memory_file_access(void)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(access, (size_t)1 << 20, false);
    return access;
}

static bool make_image(const PalCheckpoint *checkpoint, PalText *image)
{
    hid_t access = memory_file_access(), creation = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_userblock(creation, BLOCK_SIZE);
    hid_t file = H5Fcreate(PAL_CHECKPOINT_NAME, H5F_ACC_TRUNC, creation, access);
    bool good =
        file >= 0 && write_content(file, checkpoint) && H5Fflush(file, H5F_SCOPE_LOCAL) >= 0;
    ssize_t size = good ? H5Fget_file_image(file, NULL, 0) : -1;
    // HDF5 leaves its user's block out of the image.
    char *room = size > 0 ? pal_text_extend(image, BLOCK_SIZE + (size_t)size) : NULL;
    good = room != NULL && H5Fget_file_image(file, room + BLOCK_SIZE, (size_t)size) == size;
    if (file >= 0)
        H5Fclose(file);
    H5Pclose(creation);
    H5Pclose(access);
    return good;
}

// "palpate checkpoint <format> <bytes after the block> <their check sum>", then zeros.
static void print_block(const PalText *image, char block[BLOCK_SIZE])
{
    memset(block, 0, BLOCK_SIZE);
    size_t size = image->length - BLOCK_SIZE;
    snprintf(block, BLOCK_SIZE, "palpate checkpoint %d %zu %016" PRIx64 "\n", PAL_CHECKPOINT_FORMAT,
             size, pal_hash(PAL_HASH_START, image->data + BLOCK_SIZE, size));
}

PalStatus pal_checkpoint_write(const PalDirectory *directory, const PalCheckpoint *checkpoint,
                               PalError *error)
{
    Silence silence = silence_begin();
    PalText image = {0};
    bool good = make_image(checkpoint, &image);
    silence_end(silence);
    PalStatus status;
    if (good) {
        print_block(&image, image.data);
        status =
            pal_file_replace_text(directory, PAL_CHECKPOINT_NAME, &image, PAL_FILE_SYNCED, error);
    } else {
        status = pal_error_set(error, PAL_NO_MEMORY, "%s/%s: no memory for a checkpoint",
                               directory->path, PAL_CHECKPOINT_NAME);
    }
    pal_text_clear(&image);
    return status;
}

// ---- reading ----------------------------------------------------------------------------

// Why a file cannot be used, for the message; NULL: it can.
static const char *check_block(const PalText *image)
{
    char block[BLOCK_SIZE];
    int format = 0;
    if (image->length <= BLOCK_SIZE || memcmp(image->data, "palpate checkpoint ", 19) != 0)
        return "this is not a checkpoint of palpate";
    memcpy(block, image->data, BLOCK_SIZE);
    block[BLOCK_SIZE - 1] = '\0';
    if (sscanf(block, "palpate checkpoint %9d", &format) != 1 || format != PAL_CHECKPOINT_FORMAT)
        return "the checkpoint was written by another version of palpate";
    print_block(image, block);
    if (memcmp(block, image->data, BLOCK_SIZE) != 0)
        return "the checkpoint is damaged or incomplete";
    return NULL;
}

// Of `*count` entries, whatever their number, where the array can be resized.
static bool array_fits(hid_t state, const PalNamedArray *array, int64_t *count)
{
    hid_t set = H5Dopen2(state, array->name, H5P_DEFAULT);
    if (set < 0)
        return false;
    hid_t space = H5Dget_space(set), type = H5Dget_type(set);
    bool integer = array->kind == PAL_ARRAY_INT64;
    *count = H5Sget_simple_extent_npoints(space);
    bool good = *count >= 0 && (*count == array->count || array->resize != NULL) &&
                H5Tget_class(type) == (integer ? H5T_INTEGER : H5T_FLOAT) && H5Tget_size(type) == 8;
    H5Tclose(type);
    H5Sclose(space);
    H5Dclose(set);
    return good;
}

static bool read_array(hid_t state, const PalNamedArray *array, void *data, int64_t count)
{
    hid_t set = H5Dopen2(state, array->name, H5P_DEFAULT);
    bool good = count == 0 || H5Dread(set, memory_type(array->kind == PAL_ARRAY_INT64), H5S_ALL,
                                      H5S_ALL, H5P_DEFAULT, data) >= 0;
    H5Dclose(set);
    return good;
}

static const char *read_groups(hid_t run, hid_t state, PalCheckpoint *checkpoint)
{
    PalRunRecord record = {0};
    bool good = run >= 0 && state >= 0;
    for (size_t i = 0; good && i < RECORD_FIELD_COUNT; ++i)
        good = read_scalar(run, record_fields[i].name, record_fields[i].integer,
                           (char *)&record + record_fields[i].place);
    if (!good || record.frame_count < 0 || record.history_bytes < 0)
        return "the checkpoint is damaged or incomplete";
    // Everything is looked at before anything is filled in.
    int64_t counts[PAL_SIM_ARRAY_MAX];
    void *places[PAL_SIM_ARRAY_MAX];
    for (int32_t i = 0; good && i < checkpoint->array_count; ++i)
        good = array_fits(state, &checkpoint->arrays[i], &counts[i]);
    if (!good)
        return "the checkpoint does not fit this scene";
    for (int32_t i = 0; good && i < checkpoint->array_count; ++i) {
        const PalNamedArray *array = &checkpoint->arrays[i];
        places[i] = array->resize != NULL ? array->resize(array->owner, counts[i]) : array->data;
        good = places[i] != NULL || counts[i] == 0;
    }
    if (!good)
        return "no memory for what the checkpoint holds";
    for (int32_t i = 0; good && i < checkpoint->array_count; ++i)
        good = read_array(state, &checkpoint->arrays[i], places[i], counts[i]);
    checkpoint->record = record;
    return good ? NULL : "the checkpoint is damaged or incomplete";
}

static const char *read_content(hid_t file, PalCheckpoint *checkpoint)
{
    char scene[17] = {0}, expected[17];
    snprintf(expected, sizeof expected, "%016" PRIx64, checkpoint->scene);
    hid_t attribute = H5Aopen(file, "scene", H5P_DEFAULT);
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, sizeof scene);
    bool good = attribute >= 0 && H5Aread(attribute, type, scene) >= 0;
    if (attribute >= 0)
        H5Aclose(attribute);
    H5Tclose(type);
    if (!good)
        return "the checkpoint is damaged or incomplete";
    if (memcmp(scene, expected, sizeof scene) != 0)
        return "the checkpoint belongs to another scene or mesh; resume with the scene and meshes "
               "it was made from, or start again without resuming";
    hid_t run = H5Gopen2(file, "run", H5P_DEFAULT), state = H5Gopen2(file, "state", H5P_DEFAULT);
    const char *trouble = read_groups(run, state, checkpoint);
    if (state >= 0)
        H5Gclose(state);
    if (run >= 0)
        H5Gclose(run);
    return trouble;
}

static const char *read_image(PalText *image, PalCheckpoint *checkpoint)
{
    const char *trouble = check_block(image);
    if (trouble != NULL)
        return trouble;
    Silence silence = silence_begin();
    hid_t access = memory_file_access();
    H5Pset_file_image(access, image->data, image->length);
    hid_t file = H5Fopen(PAL_CHECKPOINT_NAME, H5F_ACC_RDONLY, access);
    trouble = file < 0 ? "the checkpoint is damaged or incomplete" : read_content(file, checkpoint);
    if (file >= 0)
        H5Fclose(file);
    H5Pclose(access);
    silence_end(silence);
    return trouble;
}

PalStatus pal_checkpoint_read(const PalDirectory *directory, PalCheckpoint *checkpoint, bool *found,
                              PalError *error)
{
    PalText image = {0};
    PalStatus status = pal_file_read(directory, PAL_CHECKPOINT_NAME, &image, found, error);
    if (status == PAL_OK && *found) {
        const char *trouble = read_image(&image, checkpoint);
        if (trouble != NULL)
            status = pal_error_set(error, PAL_BAD_INPUT, "%s/%s: %s", directory->path,
                                   PAL_CHECKPOINT_NAME, trouble);
    }
    pal_text_clear(&image);
    return status;
}
