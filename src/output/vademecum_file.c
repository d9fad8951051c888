// A vademecum as HDF5 behind a block that holds a check sum, as a checkpoint is.
#include "base/hash.h"
#include "output/file.h"
#include "output/h5.h"

#include <palpate/vademecum_io.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    BLOCK_SIZE = 512,
    FORMAT = 4,
    OLDEST = 3,  // that is read: one without distances of deformed shapes
    HEAD_MAX = 1 << 20,
    NUMBER_MAX = 48,
    BIGGEST = 1 << 30,  // bytes of a file that is read
};

// ---- numbers as a table -----------------------------------------------------------------

typedef struct Number {
    const char *name;
    PalH5Kind kind;
    int64_t integer;
    double real;
    int32_t *to_integer;
    double *to_real;
    bool is_new;  // older files have none: 0
} Number;

typedef struct Numbers {
    int32_t count;
    Number list[NUMBER_MAX];
    int32_t method, directions, name_bytes;
} Numbers;

static void add_integer(Numbers *numbers, const char *name, int32_t *value)
{
    numbers->list[numbers->count++] =
        (Number){.name = name, .kind = PAL_H5_INTEGER, .integer = *value, .to_integer = value};
}

static void add_real(Numbers *numbers, const char *name, double *value)
{
    numbers->list[numbers->count++] =
        (Number){.name = name, .kind = PAL_H5_REAL, .real = *value, .to_real = value};
}

static void add_new_real(Numbers *numbers, const char *name, double *value)
{
    add_real(numbers, name, value);
    numbers->list[numbers->count - 1].is_new = true;
}

static void add_error(Numbers *numbers, const char *const names[3], PalVademecumError *error)
{
    add_real(numbers, names[0], &error->mean);
    add_real(numbers, names[1], &error->most);
    add_real(numbers, names[2], &error->worst);
}

static void list_sizes(PalVademecumSize *s, Numbers *numbers)
{
    add_integer(numbers, "node_count", &s->node_count);
    add_integer(numbers, "surface_count", &s->surface_count);
    add_integer(numbers, "triangle_count", &s->triangle_count);
    add_integer(numbers, "cell_count", &s->cell_count);
    add_integer(numbers, "material_count", &s->material_count);
    add_integer(numbers, "site_count", &s->site_count);
    add_integer(numbers, "direction_count", &s->direction_count);
    add_integer(numbers, "level_count", &s->level_count);
    add_integer(numbers, "mode_count", &s->mode_count);
    add_integer(numbers, "stride", &s->stride);
    add_integer(numbers, "sample_count", &s->sample_count);
    add_integer(numbers, "local_count", &s->local_count);
    add_integer(numbers, "grid_x", &s->grid_counts[0]);
    add_integer(numbers, "grid_y", &s->grid_counts[1]);
    add_integer(numbers, "grid_z", &s->grid_counts[2]);
    add_integer(numbers, "field_rank", &s->field_rank);
    add_integer(numbers, "heldout_count", &s->heldout_count);
}

// The same for writing and reading.
static void list_numbers(PalVademecumSize *s, PalVademecumFacts *f, Numbers *numbers)
{
    static const char *const energy[3] = {"energy_mean", "energy_95", "energy_worst"};
    static const char *const point[3] = {"point_mean", "point_95", "point_worst"};
    static const char *const force[3] = {"force_mean", "force_95", "force_worst"};
    list_sizes(s, numbers);
    add_integer(numbers, "method_number", &numbers->method);
    add_integer(numbers, "directions_number", &numbers->directions);
    add_integer(numbers, "name_bytes", &numbers->name_bytes);
    add_integer(numbers, "solution_count", &f->solution_count);
    add_real(numbers, "patch", &f->patch);
    add_real(numbers, "largest", &f->largest);
    add_real(numbers, "tolerance", &f->tolerance);
    add_real(numbers, "reach", &f->reach);
    add_new_real(numbers, "residual", &f->residual);
    add_new_real(numbers, "field_error", &f->field_error);
    add_real(numbers, "seconds", &f->seconds);
    add_real(numbers, "processor_seconds", &f->processor_seconds);
    add_error(numbers, energy, &f->energy);
    add_error(numbers, point, &f->point);
    add_error(numbers, force, &f->force);
}

static PalH5Kind kind_of(PalVademecumKind kind)
{
    static const PalH5Kind kinds[] = {[PAL_VADEMECUM_DOUBLE] = PAL_H5_REAL,
                                      [PAL_VADEMECUM_FLOAT] = PAL_H5_REAL32,
                                      [PAL_VADEMECUM_INT32] = PAL_H5_INTEGER32};
    return kinds[kind];
}

static size_t plain_bytes(const PalVademecumArray *array)
{
    return (size_t)array->count * (array->kind == PAL_VADEMECUM_DOUBLE ? 8 : 4);
}

// ---- places -----------------------------------------------------------------------------

// The folder and the name of a path.
typedef struct Place {
    PalDirectory directory;
    const char *name;
} Place;

static PalStatus open_place(const char *path, Place *place, PalError *error)
{
    struct stat about;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return pal_error_set(error, PAL_BAD_INPUT, "%s: not a regular file, expected a file name",
                             path);
    const char *slash = strrchr(path, '/');
    size_t length = slash != NULL ? (size_t)(slash - path) : 0;
    char *folder = malloc(length + 3);
    if (folder == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory");
    memcpy(folder, path, length);
    strcpy(folder + length, slash == NULL ? "." : length == 0 ? "/" : "");
    place->name = slash != NULL ? slash + 1 : path;
    PalStatus status = pal_directory_open(folder, &place->directory, error);
    free(folder);
    return status;
}

PalStatus pal_vademecum_make_folder(const char *path, PalError *error)
{
    Place place;
    PAL_TRY(open_place(path, &place, error));
    pal_directory_close(&place.directory);
    return PAL_OK;
}

static PalStatus put_file(const char *path, const PalPiece *pieces, int32_t count, PalError *error)
{
    Place place;
    PAL_TRY(open_place(path, &place, error));
    PalStatus status =
        pal_file_replace_pieces(&place.directory, place.name, count, pieces, PAL_FILE_PLAIN, error);
    pal_directory_close(&place.directory);
    return status;
}

// ---- writing ----------------------------------------------------------------------------

static void put_head(PalVademecum *book, const PalVademecumArray *arrays, int32_t count,
                     PalText *head)
{
    PalVademecumSize size = *pal_vademecum_size(book);
    PalVademecumFacts facts = *pal_vademecum_facts(book);
    int64_t format = FORMAT;
    const char *name = pal_vademecum_name(book);
    PalH5Attribute root[] = {
        {"format", PAL_H5_INTEGER, &format},
        {"palpate", PAL_H5_TEXT, pal_version()},
        {"method", PAL_H5_TEXT, pal_vademecum_method_name(facts.method)},
        {"directions", PAL_H5_TEXT, pal_vademecum_directions_name(facts.directions)},
        {"body", PAL_H5_TEXT, name}};
    Numbers numbers = {.method = (int32_t)facts.method,
                       .directions = (int32_t)facts.directions,
                       .name_bytes = (int32_t)strlen(name)};
    list_numbers(&size, &facts, &numbers);
    PalH5Attribute list[NUMBER_MAX];
    for (int32_t i = 0; i < numbers.count; ++i) {
        const Number *n = &numbers.list[i];
        list[i] = (PalH5Attribute){n->name, n->kind,
                                   n->kind == PAL_H5_INTEGER ? (const void *)&n->integer
                                                             : (const void *)&n->real};
    }
    PalH5Set sets[PAL_VADEMECUM_ARRAY_MAX];
    for (int32_t i = 0; i < count; ++i)
        sets[i] = (PalH5Set){arrays[i].name, kind_of(arrays[i].kind), arrays[i].count};
    PalH5Group top = {.attribute_count = 5, .attributes = root};
    PalH5Group groups[] = {{.name = "facts", .attribute_count = numbers.count, .attributes = list},
                           {.name = "arrays", .set_count = count, .sets = sets}};
    pal_h5_put_head(head, BLOCK_SIZE, &top, 2, groups);
}

static void print_block(int format, uint64_t size, uint64_t sum, uint64_t head_size,
                        char block[BLOCK_SIZE])
{
    memset(block, 0, BLOCK_SIZE);
    snprintf(block, BLOCK_SIZE, "palpate vademecum %d %" PRIu64 " %016" PRIx64 " %" PRIu64 "\n",
             format, size, sum, head_size);
}

PalStatus pal_vademecum_write(const char *path, PalVademecum *book, PalError *error)
{
    static const char zeros[8] = {0};
    PalVademecumArray arrays[PAL_VADEMECUM_ARRAY_MAX];
    int32_t count = pal_vademecum_arrays(book, arrays), piece_count = 2;
    PalText head = {0};
    char block[BLOCK_SIZE];
    PalPiece pieces[2 + 2 * PAL_VADEMECUM_ARRAY_MAX];
    put_head(book, arrays, count, &head);
    if (head.no_memory) {
        pal_text_clear(&head);
        return pal_error_set(error, PAL_NO_MEMORY, "%s: no memory to write it", path);
    }
    uint64_t size = head.length, sum = pal_hash_words(PAL_HASH_START, head.data, head.length);
    pieces[0] = (PalPiece){block, sizeof block};
    pieces[1] = (PalPiece){head.data, head.length};
    for (int32_t i = 0; i < count; ++i) {
        size_t plain = plain_bytes(&arrays[i]);
        size_t whole = (size_t)pal_h5_set_bytes(kind_of(arrays[i].kind), arrays[i].count);
        pieces[piece_count++] = (PalPiece){arrays[i].data, plain};
        pieces[piece_count++] = (PalPiece){zeros, whole - plain};
        // by whole words, with the zeros in the last
        char last[8] = {0};
        size_t even = plain / 8 * 8;
        sum = pal_hash_words(sum, arrays[i].data, even);
        if (plain > even)
            memcpy(last, (const char *)arrays[i].data + even, plain - even);
        sum = pal_hash_words(sum, last, whole - even);
        size += whole;
    }
    print_block(FORMAT, size, sum, head.length, block);
    PalStatus status = put_file(path, pieces, piece_count, error);
    pal_text_clear(&head);
    return status;
}

PalStatus pal_vademecum_write_web(const char *path, PalVademecum *book, PalError *error)
{
    PalVademecum *small = NULL;
    unsigned char *bytes = NULL;
    size_t size = 0;
    PalStatus status = pal_vademecum_compact(book, &small, error);
    if (status == PAL_OK)
        status = pal_vademecum_to_web(small, &bytes, &size, error);
    if (status == PAL_OK)
        status = put_file(path, &(PalPiece){bytes, size}, 1, error);
    pal_vademecum_free_bytes(bytes);
    pal_vademecum_destroy(small);
    return status;
}

// ---- reading ----------------------------------------------------------------------------

static PalStatus damaged(PalError *error)
{
    return pal_error_set(error, PAL_BAD_INPUT, "the vademecum is damaged or incomplete");
}

static PalStatus check_block(const char *bytes, size_t size, uint64_t *head_size, PalError *error)
{
    char block[BLOCK_SIZE];
    uint64_t promised = 0, sum = 0;
    int format = 0;
    if (size <= BLOCK_SIZE || memcmp(bytes, "palpate vademecum ", 18) != 0)
        return pal_error_set(error, PAL_BAD_INPUT, "this is not a vademecum of palpate");
    if (bytes[BLOCK_SIZE - 1] != '\0')
        return damaged(error);
    if (sscanf(bytes, "palpate vademecum %9d", &format) != 1 || format < OLDEST || format > FORMAT)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "the vademecum was written by another version of palpate");
    int got = sscanf(bytes, "palpate vademecum %*d %20" SCNu64 " %16" SCNx64 " %20" SCNu64,
                     &promised, &sum, head_size);
    print_block(format, promised, sum, *head_size, block);
    if (got != 3 || memcmp(block, bytes, sizeof block) != 0 || promised != size - BLOCK_SIZE ||
        *head_size > HEAD_MAX || *head_size > promised ||
        pal_hash_words(PAL_HASH_START, bytes + BLOCK_SIZE, size - BLOCK_SIZE) != sum)
        return damaged(error);
    return PAL_OK;
}

static bool read_numbers(const PalH5 *h5, PalH5Place root, Numbers *numbers)
{
    PalH5Place group = pal_h5_find(h5, root, "facts");
    for (int32_t i = 0; i < numbers->count; ++i) {
        Number *n = &numbers->list[i];
        void *to = n->kind == PAL_H5_INTEGER ? (void *)&n->integer : (void *)&n->real;
        if (!pal_h5_get(h5, group, n->name, n->kind, to, 8)) {
            if (!n->is_new)
                return false;
            n->real = 0;
        }
        if (n->kind == PAL_H5_INTEGER && (n->integer < 0 || n->integer > INT32_MAX))
            return false;
        if (n->kind == PAL_H5_INTEGER)
            *n->to_integer = (int32_t)n->integer;
        else
            *n->to_real = n->real;
    }
    return true;
}

static PalStatus read_arrays(const PalH5 *h5, PalH5Place root, PalVademecum *book, PalError *error)
{
    PalVademecumArray arrays[PAL_VADEMECUM_ARRAY_MAX];
    int32_t count = pal_vademecum_arrays(book, arrays);
    PalH5Place group = pal_h5_find(h5, root, "arrays");
    for (int32_t i = 0; i < count; ++i) {
        PalH5Place set = pal_h5_find(h5, group, arrays[i].name);
        int64_t entries;
        uint64_t place;
        bool found = pal_h5_set(h5, set, kind_of(arrays[i].kind), &entries, &place);
        if (found ? entries != arrays[i].count : arrays[i].count > 0)
            return damaged(error);
        if (found && entries > 0)
            memcpy(arrays[i].data, h5->head + place, plain_bytes(&arrays[i]));
    }
    return pal_vademecum_finish(book, error);
}

static PalStatus read_h5(const PalH5 *h5, PalVademecum **book, PalError *error)
{
    PalVademecumSize size = {0};
    PalVademecumFacts facts = {0};
    Numbers numbers = {0};
    char name[PAL_VADEMECUM_NAME] = {0};
    PalH5Place root = pal_h5_root(h5);
    list_numbers(&size, &facts, &numbers);
    if (!read_numbers(h5, root, &numbers) || pal_vademecum_method_choice(numbers.method) == NULL ||
        pal_vademecum_directions_choice(numbers.directions) == NULL ||
        numbers.name_bytes >= PAL_VADEMECUM_NAME ||
        !pal_h5_get(h5, root, "body", PAL_H5_TEXT, name, (size_t)numbers.name_bytes + 1))
        return damaged(error);
    facts.method = (PalVademecumMethod)numbers.method;
    facts.directions = (PalVademecumDirections)numbers.directions;
    if (!pal_vademecum_fits(&size, &facts, h5->size))
        return damaged(error);
    PAL_TRY(pal_vademecum_create(&size, &facts, book, error));
    memcpy(pal_vademecum_name(*book), name, sizeof name);
    PalStatus status = read_arrays(h5, root, *book, error);
    if (status != PAL_OK) {
        pal_vademecum_destroy(*book);
        *book = NULL;
    }
    return status;
}

PalStatus pal_vademecum_read_memory(const void *bytes, size_t size, PalVademecum **book,
                                    PalError *error)
{
    uint64_t head_size = 0;
    *book = NULL;
    if (pal_vademecum_is_web(bytes, size))
        return pal_vademecum_read_web(bytes, size, book, error);
    PAL_TRY(check_block(bytes, size, &head_size, error));
    PalH5 h5 = {(const unsigned char *)bytes + BLOCK_SIZE, head_size, size - BLOCK_SIZE};
    return read_h5(&h5, book, error);
}

static PalStatus load(int descriptor, const char *path, char **bytes, size_t *size, PalError *error)
{
    struct stat info;
    if (fstat(descriptor, &info) != 0)
        return pal_error_set(error, PAL_IO_FAILED, "%s: cannot read: %s", path, strerror(errno));
    if (!S_ISREG(info.st_mode))
        return pal_error_set(error, PAL_BAD_INPUT, "%s: this is not a vademecum of palpate", path);
    if (info.st_size > BIGGEST)
        return pal_error_set(error, PAL_BAD_INPUT, "%s: too large for a vademecum", path);
    *size = (size_t)info.st_size;
    *bytes = malloc(*size + 1);
    if (*bytes == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "%s: no memory to read it", path);
    errno = 0;
    return pal_file_read_at(descriptor, *bytes, *size, 0)
               ? PAL_OK
               : pal_error_set(error, PAL_IO_FAILED, "%s: cannot read: %s", path, strerror(errno));
}

PalStatus pal_vademecum_read(const char *path, PalVademecum **book, PalError *error)
{
    char *bytes = NULL;
    size_t size = 0;
    PalError inner = {0};
    *book = NULL;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return pal_error_set(error, errno == ENOENT ? PAL_BAD_INPUT : PAL_IO_FAILED,
                             "%s: cannot open the vademecum: %s", path, strerror(errno));
    PalStatus status = load(descriptor, path, &bytes, &size, error);
    close(descriptor);
    if (status == PAL_OK) {
        status = pal_vademecum_read_memory(bytes, size, book, &inner);
        if (status != PAL_OK)
            pal_error_set(error, status, "%s: %s", path, inner.text);
    }
    free(bytes);
    return status;
}
