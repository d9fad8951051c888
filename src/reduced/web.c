// The compact form of a vademecum: one block of memory, read without a file system.
// docs/formats-vademecum.md
//
//   "PALVADE3"  sum  bytes of all behind them  sizes  facts  name  arrays
//
// Numbers stand as they do in memory, low byte first, each array on a multiple of 8 bytes. Loads
// held out are left out, and where there is no local part to correct, nodes and cells that nobody
// needs while a vademecum is used: inner ones away from the sampled cells. Blocks of the local part
// that are transposes of others are left out as well.
#include "base/hash.h"
#include "base/memory.h"
#include "reduced/vademecum.h"

#include <string.h>

static const char magic[8] = {'P', 'A', 'L', 'V', 'A', 'D', 'E', '3'};

typedef struct Head {
    char magic[8];
    uint64_t sum;   // of all bytes behind the head
    uint64_t size;  // how many these are
} Head;

// Sizes and facts by number, so that the form does not depend on how a compiler lays out a struct.
enum { SIZES = 20, FACTS = 20, HALVED = 17 };  // HALVED: a fact, 1 where transposes are left out

typedef struct Numbers {
    int32_t sizes[SIZES];
    double facts[FACTS];
    char name[PAL_VADEMECUM_NAME];
} Numbers;

static Numbers numbers_of(const PalVademecum *book)
{
    const PalVademecumSize *s = &book->size;
    const PalVademecumFacts *f = &book->facts;
    Numbers n = {
        .sizes = {s->node_count,     s->surface_count,   s->triangle_count,      s->cell_count,
                  s->material_count, s->site_count,      s->direction_count,     s->level_count,
                  s->mode_count,     s->stride,          s->sample_count,        s->local_count,
                  s->grid_counts[0], s->grid_counts[1],  s->grid_counts[2],      s->field_rank,
                  s->heldout_count,  (int32_t)f->method, (int32_t)f->directions, f->solution_count},
        .facts = {f->patch, f->largest, f->tolerance, f->seconds, f->processor_seconds,
                  f->energy.mean, f->energy.most, f->energy.worst, f->point.mean, f->point.most,
                  f->point.worst, f->force.mean, f->force.most, f->force.worst, f->reach,
                  f->residual, f->field_error},
    };
    memcpy(n.name, book->name, sizeof n.name);
    return n;
}

static void take_numbers(const Numbers *n, PalVademecumSize *size, PalVademecumFacts *facts)
{
    const int32_t *s = n->sizes;
    const double *f = n->facts;
    *size = (PalVademecumSize){s[0],
                               s[1],
                               s[2],
                               s[3],
                               s[4],
                               s[5],
                               s[6],
                               s[7],
                               s[8],
                               s[9],
                               s[10],
                               s[11],
                               {s[12], s[13], s[14]},
                               s[15],
                               s[16]};
    *facts = (PalVademecumFacts){.patch = f[0],
                                 .largest = f[1],
                                 .tolerance = f[2],
                                 .seconds = f[3],
                                 .processor_seconds = f[4],
                                 .solution_count = s[19],
                                 .energy = {f[5], f[6], f[7]},
                                 .point = {f[8], f[9], f[10]},
                                 .force = {f[11], f[12], f[13]},
                                 .reach = f[14],
                                 .residual = f[15],
                                 .field_error = f[16]};
}

// ---- leaving out ------------------------------------------------------------------------

// New numbers of the nodes that stay, PAL_NONE of others; surface nodes keep theirs.
static int32_t choose_nodes(const PalVademecum *book, int32_t *number)
{
    int32_t count = book->size.surface_count;
    for (int32_t n = 0; n < book->size.node_count; ++n)
        number[n] = n < count ? n : PAL_NONE;
    for (int32_t i = 0; i < book->size.sample_count; ++i)
        for (int a = 0; a < 4; ++a)
            number[book->cells[4 * (int64_t)book->sample_cell[i] + a]] = 0;
    for (int32_t n = book->size.surface_count; n < book->size.node_count; ++n)
        number[n] = number[n] != PAL_NONE ? count++ : PAL_NONE;
    for (int32_t n = 0; n < book->size.surface_count; ++n)
        number[n] = n;
    return count;
}

static void copy_nodes(const PalVademecum *book, const int32_t *number, PalVademecum *small)
{
    int64_t row = 3 * (int64_t)book->size.stride;
    for (int32_t n = 0; n < book->size.node_count; ++n) {
        int64_t to = number[n];
        if (to == PAL_NONE)
            continue;
        memcpy(small->nodes + 3 * to, book->nodes + 3 * (int64_t)n, 3 * sizeof(double));
        memcpy(small->modes + row * to, book->modes + row * n, (size_t)row * sizeof(float));
        small->node_number[to] = book->node_number[n];
        small->held[to] = book->held[n];
    }
    // cells: the sampled ones, or one, as there must be one
    for (int32_t i = 0; i < small->size.cell_count; ++i) {
        int32_t cell = book->size.sample_count > 0 ? book->sample_cell[i] : 0;
        small->cell_material[i] = book->cell_material[cell];
        for (int a = 0; a < 4; ++a) {
            int32_t node = number[book->cells[4 * (int64_t)cell + a]];
            small->cells[4 * (int64_t)i + a] = node != PAL_NONE ? node : 0;
        }
        if (book->size.sample_count > 0) {
            small->sample_cell[i] = i;
            small->sample_weight[i] = book->sample_weight[i];
        }
    }
}

// All arrays that have the same length in both.
static void copy_rest(PalVademecum *book, PalVademecum *small)
{
    PalVademecumArray from[PAL_VADEMECUM_ARRAY_MAX], to[PAL_VADEMECUM_ARRAY_MAX];
    int32_t count = pal_vademecum_arrays(book, from);
    pal_vademecum_arrays(small, to);
    for (int32_t i = 0; i < count; ++i)
        if (from[i].count == to[i].count)
            memcpy(to[i].data, from[i].data,
                   (size_t)from[i].count * (from[i].kind == PAL_VADEMECUM_DOUBLE ? 8 : 4));
}

PalStatus pal_vademecum_compact(PalVademecum *book, PalVademecum **result, PalError *error)
{
    PalVademecumSize size = book->size;
    int32_t *number = pal_alloc((size_t)size.node_count, sizeof *number);
    *result = NULL;
    if (number == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory");
    bool whole = size.local_count > 0;
    size.heldout_count = 0;
    if (!whole) {
        size.node_count = choose_nodes(book, number);
        size.cell_count = size.sample_count > 0 ? size.sample_count : 1;
    }
    PalStatus status = pal_vademecum_create(&size, &book->facts, result, error);
    if (status == PAL_OK) {
        PalVademecum *small = *result;
        memcpy(small->name, book->name, sizeof small->name);
        copy_rest(book, small);
        if (!whole)
            copy_nodes(book, number, small);
        status = pal_vademecum_finish(small, error);
    }
    pal_free(number);
    return status;
}

// ---- bytes ------------------------------------------------------------------------------

static size_t kind_size(PalVademecumKind kind)
{
    return kind == PAL_VADEMECUM_DOUBLE ? 8 : 4;
}

static size_t padded(size_t bytes)
{
    return (bytes + 7) / 8 * 8;
}

// The entry that this one of the local part is the transpose of, before it; PAL_NONE: none.
static int32_t twin_of(const PalVademecum *book, int32_t node, int32_t entry)
{
    int32_t near = book->local_node[entry];
    return near < node ? pal_vademecum_mirrored(book, node, near) : PAL_NONE;
}

static bool is_transpose(const float *a, const float *b)
{
    for (int k = 0; k < 9; ++k)
        if (memcmp(&a[k], &b[3 * (k % 3) + k / 3], sizeof *a) != 0)
            return false;
    return true;
}

// Whether all entries that have a twin are its transpose.
static bool can_be_halved(const PalVademecum *book)
{
    for (int32_t n = 0; n < book->size.node_count; ++n)
        for (int32_t e = book->local_start[n]; e < book->local_start[n + 1]; ++e) {
            int32_t twin = twin_of(book, n, e);
            if (twin != PAL_NONE && !is_transpose(book->local_block + 9 * (int64_t)e,
                                                  book->local_block + 9 * (int64_t)twin))
                return false;
        }
    return true;
}

// Blocks of the local part but for twins, to bytes where these are given. Returns how many.
static size_t put_blocks(const PalVademecum *book, unsigned char *bytes)
{
    size_t used = 0, each = 9 * sizeof(float);
    for (int32_t n = 0; n < book->size.node_count; ++n)
        for (int32_t e = book->local_start[n]; e < book->local_start[n + 1]; ++e) {
            if (twin_of(book, n, e) != PAL_NONE)
                continue;
            if (bytes != NULL)
                memcpy(bytes + used, book->local_block + 9 * (int64_t)e, each);
            used += each;
        }
    return used;
}

// And back. A twin belongs to an earlier node.
static void take_blocks(PalVademecum *book, const unsigned char *bytes)
{
    size_t each = 9 * sizeof(float);
    for (int32_t n = 0; n < book->size.node_count; ++n)
        for (int32_t e = book->local_start[n]; e < book->local_start[n + 1]; ++e) {
            int32_t twin = twin_of(book, n, e);
            float *block = book->local_block + 9 * (int64_t)e;
            for (int k = 0; k < 9 && twin != PAL_NONE; ++k)
                block[k] = book->local_block[9 * (int64_t)twin + 3 * (k % 3) + k / 3];
            if (twin == PAL_NONE) {
                memcpy(block, bytes, each);
                bytes += each;
            }
        }
}

// All arrays but the blocks of the local part, which are the last.
static size_t plain_bytes(PalVademecum *book)
{
    PalVademecumArray list[PAL_VADEMECUM_ARRAY_MAX];
    int32_t count = pal_vademecum_arrays(book, list);
    size_t bytes = sizeof(Head) + sizeof(Numbers);
    for (int32_t i = 0; i + 1 < count; ++i)
        bytes += padded((size_t)list[i].count * kind_size(list[i].kind));
    return bytes;
}

static size_t block_bytes(PalVademecum *book, bool halved)
{
    return halved ? put_blocks(book, NULL) : 9 * (size_t)book->size.local_count * sizeof(float);
}

PalStatus pal_vademecum_to_web(PalVademecum *book, unsigned char **bytes, size_t *size,
                               PalError *error)
{
    PalVademecumArray list[PAL_VADEMECUM_ARRAY_MAX];
    int32_t count = pal_vademecum_arrays(book, list);
    Numbers numbers = numbers_of(book);
    bool halved = can_be_halved(book);
    numbers.facts[HALVED] = halved;
    *size = plain_bytes(book) + padded(block_bytes(book, halved));
    *bytes = pal_alloc(*size, 1);
    if (*bytes == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for %zu bytes", *size);
    unsigned char *at = *bytes + sizeof(Head);
    memcpy(at, &numbers, sizeof numbers);
    at += sizeof numbers;
    for (int32_t i = 0; i + 1 < count; ++i) {
        size_t plain = (size_t)list[i].count * kind_size(list[i].kind);
        if (plain > 0)
            memcpy(at, list[i].data, plain);
        at += padded(plain);
    }
    if (halved)
        put_blocks(book, at);
    else
        memcpy(at, book->local_block, block_bytes(book, false));
    Head head = {.size = *size - sizeof head};
    memcpy(head.magic, magic, sizeof magic);
    head.sum = pal_hash_words(PAL_HASH_START, *bytes + sizeof head, head.size);
    memcpy(*bytes, &head, sizeof head);
    return PAL_OK;
}

void pal_vademecum_free_bytes(unsigned char *bytes)
{
    pal_free(bytes);
}

bool pal_vademecum_is_web(const void *bytes, size_t size)
{
    return size >= sizeof magic && memcmp(bytes, magic, sizeof magic - 1) == 0;
}

static PalStatus check_head(const unsigned char *bytes, size_t size, PalError *error)
{
    Head head;
    if (!pal_vademecum_is_web(bytes, size))
        return pal_error_set(error, PAL_BAD_INPUT, "this is not a vademecum of palpate");
    if (memcmp(bytes, magic, sizeof magic) != 0)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "the vademecum was written by another version of palpate");
    if (size < sizeof head + sizeof(Numbers))
        return pal_error_set(error, PAL_BAD_INPUT, "the vademecum is damaged or incomplete");
    memcpy(&head, bytes, sizeof head);
    if (head.size != size - sizeof head ||
        head.sum != pal_hash_words(PAL_HASH_START, bytes + sizeof head, size - sizeof head))
        return pal_error_set(error, PAL_BAD_INPUT, "the vademecum is damaged or incomplete");
    return PAL_OK;
}

static PalStatus damaged(PalError *error)
{
    return pal_error_set(error, PAL_BAD_INPUT, "the vademecum is damaged or incomplete");
}

static PalStatus take_arrays(PalVademecum *book, const unsigned char *bytes, size_t size,
                             bool halved, PalError *error)
{
    PalVademecumArray list[PAL_VADEMECUM_ARRAY_MAX];
    int32_t count = pal_vademecum_arrays(book, list);
    const unsigned char *at = bytes + sizeof(Head) + sizeof(Numbers);
    size_t plain = plain_bytes(book);
    if (plain > size)
        return damaged(error);
    for (int32_t i = 0; i + 1 < count; ++i) {
        size_t own = (size_t)list[i].count * kind_size(list[i].kind);
        if (own > 0)
            memcpy(list[i].data, at, own);
        at += padded(own);
    }
    PAL_TRY(pal_vademecum_check_local(book, error));  // lists say how many blocks there are
    size_t blocks = block_bytes(book, halved);
    if (plain + padded(blocks) != size)
        return damaged(error);
    if (halved)
        take_blocks(book, at);
    else
        memcpy(book->local_block, at, blocks);
    return pal_vademecum_finish(book, error);
}

PalStatus pal_vademecum_read_web(const void *memory, size_t size, PalVademecum **result,
                                 PalError *error)
{
    const unsigned char *bytes = memory;
    PalVademecumSize sizes;
    PalVademecumFacts facts;
    Numbers numbers;
    *result = NULL;
    PAL_TRY(check_head(bytes, size, error));
    memcpy(&numbers, bytes + sizeof(Head), sizeof numbers);
    take_numbers(&numbers, &sizes, &facts);
    if (!pal_vademecum_method_choice(numbers.sizes[17]) ||
        !pal_vademecum_directions_choice(numbers.sizes[18]))
        return damaged(error);
    facts.method = (PalVademecumMethod)numbers.sizes[17];
    facts.directions = (PalVademecumDirections)numbers.sizes[18];
    // what is asked for must be there: sizes may be anything
    bool halved = numbers.facts[HALVED] == 1;
    if (!pal_vademecum_fits(&sizes, &facts, halved ? 2 * (uint64_t)size : size))
        return damaged(error);
    PAL_TRY(pal_vademecum_create(&sizes, &facts, result, error));
    memcpy((*result)->name, numbers.name, sizeof numbers.name - 1);
    PalStatus status = take_arrays(*result, bytes, size, halved, error);
    if (status != PAL_OK) {
        pal_vademecum_destroy(*result);
        *result = NULL;
    }
    return status;
}
