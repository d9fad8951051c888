#include "output/vtu.h"

#include "base/memory.h"
#include "base/parallel.h"

#include <inttypes.h>
#include <string.h>
#include <zlib.h>

#define BLOCK_SIZE  ((size_t)1 << 18)
#define SAMPLE_SIZE ((size_t)1 << 13)

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define BYTE_ORDER_NAME "BigEndian"
#else
#define BYTE_ORDER_NAME "LittleEndian"
#endif

static const char *const section_names[] = {"FieldData", "PointData", "CellData", "Points",
                                            "Cells"};
static const struct {
    const char *name;
    size_t size;
} types[] = {{"Float64", 8}, {"Int64", 8}, {"Int32", 4}, {"UInt8", 1}};

static size_t array_bytes(const PalVtuArray *array)
{
    return (size_t)array->count * (size_t)array->components * types[array->type].size;
}

// Blocks of one array, compressed side by side.
typedef struct Compressor {
    const unsigned char *data;
    size_t size;
    size_t room;  // for one compressed block
    unsigned char *out;
    uLongf *out_sizes;
    int *results;
} Compressor;

// Mantissas hardly compress, and a run waits for its frames: blocks whose beginning shrinks by less
// than an eighth are stored as they are, others by the fastest level.
static int level_for(const unsigned char *data, size_t size)
{
    unsigned char packed[SAMPLE_SIZE + 64];
    uLongf packed_size = sizeof packed;
    return size > 2 * SAMPLE_SIZE &&
                   compress2(packed, &packed_size, data, SAMPLE_SIZE, 1) == Z_OK &&
                   8 * packed_size > 7 * SAMPLE_SIZE
               ? 0
               : 1;
}

static void compress_block(void *context, int32_t index, int32_t worker)
{
    (void)worker;
    Compressor *c = context;
    size_t start = (size_t)index * BLOCK_SIZE;
    size_t size = c->size - start < BLOCK_SIZE ? c->size - start : BLOCK_SIZE;
    c->out_sizes[index] = (uLongf)c->room;
    c->results[index] = compress2(c->out + (size_t)index * c->room, &c->out_sizes[index],
                                  c->data + start, (uLong)size, level_for(c->data + start, size));
}

// Number of blocks, block size, size of a last shorter block or 0, then each compressed size.
static void put_blocks(const Compressor *c, int32_t block_count, uint64_t *header, PalText *text)
{
    header[0] = (uint64_t)block_count;
    header[1] = BLOCK_SIZE;
    header[2] = c->size % BLOCK_SIZE;
    size_t total = 0;
    for (int32_t i = 0; i < block_count; ++i) {
        header[3 + i] = c->out_sizes[i];
        memmove(c->out + total, c->out + (size_t)i * c->room, c->out_sizes[i]);
        total += c->out_sizes[i];
    }
    pal_text_base64(text, header, (3 + (size_t)block_count) * sizeof *header);
    pal_text_base64(text, c->out, total);
}

static PalStatus encode_array(const PalVtuArray *array, int32_t thread_count, PalText *text,
                              PalError *error)
{
    Compressor c = {.data = array->data, .size = array_bytes(array)};
    int32_t block_count = (int32_t)((c.size + BLOCK_SIZE - 1) / BLOCK_SIZE);
    c.room = compressBound(BLOCK_SIZE);
    c.out = pal_alloc((size_t)block_count, c.room);
    c.out_sizes = pal_alloc((size_t)block_count, sizeof *c.out_sizes);
    c.results = pal_alloc((size_t)block_count, sizeof *c.results);
    uint64_t *header = pal_alloc(3 + (size_t)block_count, sizeof *header);
    bool good = c.out != NULL && c.out_sizes != NULL && c.results != NULL && header != NULL;
    if (good)
        pal_parallel_for(thread_count, block_count, compress_block, &c);
    for (int32_t i = 0; good && i < block_count; ++i)
        good = c.results[i] == Z_OK;
    if (good)
        put_blocks(&c, block_count, header, text);
    pal_free(c.out);
    pal_free(c.out_sizes);
    pal_free(c.results);
    pal_free(header);
    return good ? PAL_OK : pal_error_set(error, PAL_NO_MEMORY, "no memory to compress a frame");
}

static void put_array_head(const PalVtuArray *array, size_t offset, PalText *text)
{
    pal_text_print(text, "<DataArray type=\"%s\" Name=\"", types[array->type].name);
    pal_text_escaped(text, array->name);
    pal_text_add(text, "\" ");
    if (array->components > 1)
        pal_text_print(text, "NumberOfComponents=\"%" PRId32 "\" ", array->components);
    if (array->section == PAL_VTU_FIELD)
        pal_text_print(text, "NumberOfTuples=\"%" PRId64 "\" ", array->count);
    pal_text_print(text, "format=\"appended\" offset=\"%zu\"/>\n", offset);
}

static void put_section(const PalVtuDef *def, PalVtuSection section, const size_t *offsets,
                        PalText *text)
{
    bool vertices = def->only_points && section == PAL_VTU_CELLS;
    const char *name = vertices ? "Verts" : section_names[section];
    pal_text_print(text, "<%s>\n", name);
    for (int32_t i = 0; i < def->array_count; ++i)
        if (def->arrays[i].section == section)
            put_array_head(&def->arrays[i], offsets[i], text);
    pal_text_print(text, "</%s>\n", name);
}

static void put_file(const PalVtuDef *def, const size_t *offsets, const PalText *appended,
                     PalText *text)
{
    const char *type = def->only_points ? "PolyData" : "UnstructuredGrid";
    pal_text_print(text,
                   "<?xml version=\"1.0\"?>\n<VTKFile type=\"%s\" version=\"1.0\" "
                   "byte_order=\"" BYTE_ORDER_NAME "\" header_type=\"UInt64\" "
                   "compressor=\"vtkZLibDataCompressor\">\n<%s>\n",
                   type, type);
    put_section(def, PAL_VTU_FIELD, offsets, text);
    pal_text_print(text, "<Piece NumberOfPoints=\"%" PRId64 "\" NumberOf%s=\"%" PRId64 "\">\n",
                   def->point_count, def->only_points ? "Verts" : "Cells", def->cell_count);
    for (PalVtuSection s = PAL_VTU_POINT_DATA; s <= PAL_VTU_CELLS; ++s)
        put_section(def, s, offsets, text);
    pal_text_print(text, "</Piece>\n</%s>\n<AppendedData encoding=\"base64\">\n_", type);
    pal_text_put(text, appended->data, appended->length);
    pal_text_add(text, "\n</AppendedData>\n</VTKFile>\n");
}

PalStatus pal_vtu_encode(const PalVtuDef *def, PalText *text, PalError *error)
{
    PalText appended = {0};
    PalStatus status = PAL_OK;
    size_t *offsets = pal_alloc((size_t)def->array_count, sizeof *offsets);
    if (offsets == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for a frame");
    for (int32_t i = 0; i < def->array_count && status == PAL_OK; ++i) {
        offsets[i] = appended.length;
        status = encode_array(&def->arrays[i], def->thread_count, &appended, error);
    }
    if (status == PAL_OK) {
        put_file(def, offsets, &appended, text);
        if (text->no_memory || appended.no_memory)
            status = pal_error_set(error, PAL_NO_MEMORY, "no memory for a frame");
    }
    pal_text_clear(&appended);
    pal_free(offsets);
    return status;
}
