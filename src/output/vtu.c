#include "output/vtu.h"

#include "base/memory.h"

#include <inttypes.h>
#include <string.h>

// Bytes of an array that stand in one block: whole tuples of any type, and what deflate can store
// in one piece.
#define BLOCK_SIZE 65520

#define STORED_MORE 11  // bytes that a stored block takes besides its content
#define PAD_SIZE    5   // of an empty piece of deflate, which may stand anywhere between others

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define BYTE_ORDER_NAME "BigEndian"
#else
#define BYTE_ORDER_NAME "LittleEndian"
#endif

const char pal_vtu_tail[] = "\n</AppendedData>\n</VTKFile>\n";

static const unsigned char zlib_head[2] = {0x78, 0x01}, pad[PAD_SIZE] = {0, 0, 0, 0xff, 0xff};

static const char *const section_names[] = {"FieldData", "PointData", "CellData", "Points",
                                            "Cells"};
static const struct {
    const char *name;
    size_t size;
} types[] = {{"Float64", 8}, {"Float32", 4}, {"Int64", 8},
             {"Int32", 4},   {"UInt16", 2},  {"UInt8", 1}};

static size_t tuple_bytes(const PalVtuArray *array)
{
    return (size_t)array->components * types[array->type].size;
}

static size_t array_bytes(const PalVtuArray *array)
{
    return (size_t)array->count * tuple_bytes(array);
}

static size_t block_count(const PalVtuArray *array)
{
    return (array_bytes(array) + BLOCK_SIZE - 1) / BLOCK_SIZE;
}

static size_t block_bytes(const PalVtuArray *array, size_t block)
{
    size_t left = array_bytes(array) - block * BLOCK_SIZE;
    return left < BLOCK_SIZE ? left : BLOCK_SIZE;
}

// The content of a block; returns its size.
static size_t fill_block(const PalVtuArray *array, size_t block, void *out)
{
    size_t size = block_bytes(array, block), tuple = tuple_bytes(array);
    if (array->fill != NULL)
        array->fill(array, (int64_t)(block * (BLOCK_SIZE / tuple)), (int64_t)(size / tuple), out);
    else
        memcpy(out, (const char *)array->source + block * BLOCK_SIZE, size);
    return size;
}

// Number of blocks, block size, size of a last shorter block or 0; then each compressed size.
static size_t header_bytes(const PalVtuArray *array)
{
    return (3 + block_count(array)) * sizeof(uint64_t);
}

static void set_header(const PalVtuArray *array, uint64_t *header)
{
    header[0] = block_count(array);
    header[1] = BLOCK_SIZE;
    header[2] = array_bytes(array) % BLOCK_SIZE;
}

// meshio looks arrays up by their offsets, among which there are some that it has replaced by
// multiples of four already. So all offsets but the first are one more than such a multiple: the
// first array is as long as that, and the others are multiples of four, by pieces of no content.
static size_t pads_for(size_t size, bool first)
{
    return ((size_t)first + 4 - size % 4) % 4;
}

// ---- stored arrays ----------------------------------------------------------------------

static unsigned char *put_bytes(unsigned char *out, const void *bytes, size_t size)
{
    memcpy(out, bytes, size);
    return out + size;
}

// One block as a stream of zlib that is not compressed; `pads` pieces of no content come first.
static unsigned char *put_stored(unsigned char *out, const void *data, size_t size, size_t pads)
{
    uint32_t sum = pal_adler(data, size);
    const unsigned char piece[5] = {1, (unsigned char)size, (unsigned char)(size >> 8),
                                    (unsigned char)~size, (unsigned char)(~size >> 8)};
    const unsigned char end[4] = {(unsigned char)(sum >> 24), (unsigned char)(sum >> 16),
                                  (unsigned char)(sum >> 8), (unsigned char)sum};
    out = put_bytes(out, zlib_head, sizeof zlib_head);
    for (size_t i = 0; i < pads; ++i)
        out = put_bytes(out, pad, sizeof pad);
    out = put_bytes(out, piece, sizeof piece);
    out = put_bytes(out, data, size);
    return put_bytes(out, end, sizeof end);
}

static size_t stored_bytes(const PalVtuArray *array, bool first)
{
    size_t size = header_bytes(array) + array_bytes(array) + STORED_MORE * block_count(array);
    return size + PAD_SIZE * pads_for(size, first);
}

static void store_array(const PalVtuArray *array, bool first, PalText *text)
{
    size_t size = header_bytes(array) + array_bytes(array) + STORED_MORE * block_count(array);
    size_t pads = pads_for(size, first);
    unsigned char *out = (unsigned char *)pal_text_extend(text, size + PAD_SIZE * pads);
    if (out == NULL)
        return;
    uint64_t header[3], content[BLOCK_SIZE / sizeof(uint64_t)];
    set_header(array, header);
    out = put_bytes(out, header, sizeof header);
    for (size_t b = 0; b < block_count(array); ++b) {
        uint64_t packed = block_bytes(array, b) + STORED_MORE + (b == 0 ? PAD_SIZE * pads : 0);
        out = put_bytes(out, &packed, sizeof packed);
    }
    for (size_t b = 0; b < block_count(array); ++b) {
        bool plain = array->fill == NULL;
        const char *place = (const char *)array->source + (plain ? b * BLOCK_SIZE : 0);
        size_t count = plain ? block_bytes(array, b) : fill_block(array, b, content);
        out = put_stored(out, plain ? place : (const char *)content, count, b == 0 ? pads : 0);
    }
}

// ---- packed arrays ----------------------------------------------------------------------

// Makes the first block longer by pieces of no content, behind its head of two bytes.
static void pad_array(const PalVtuArray *array, size_t header, PalText *bytes)
{
    size_t pads = pads_for(bytes->length - header, false);
    if (pads == 0 || pal_text_extend(bytes, PAD_SIZE * pads) == NULL)
        return;
    char *place = bytes->data + header + header_bytes(array) + sizeof zlib_head;
    char *end = bytes->data + bytes->length - PAD_SIZE * pads;
    memmove(place + PAD_SIZE * pads, place, (size_t)(end - place));
    for (size_t i = 0; i < pads; ++i)
        memcpy(place + PAD_SIZE * i, pad, PAD_SIZE);
    uint64_t size;
    memcpy(&size, bytes->data + header + 3 * sizeof size, sizeof size);
    size += PAD_SIZE * pads;
    memcpy(bytes->data + header + 3 * sizeof size, &size, sizeof size);
}

static bool pack_array(const PalVtuArray *array, uint64_t *content, PalText *bytes)
{
    size_t header = bytes->length, blocks = block_count(array);
    uint64_t start[3];
    set_header(array, start);
    pal_text_put(bytes, start, sizeof start);
    if (pal_text_extend(bytes, header_bytes(array) - sizeof start) == NULL)
        return false;
    for (size_t b = 0; b < blocks; ++b) {
        size_t size = fill_block(array, b, content), before = bytes->length;
        pal_deflate((const unsigned char *)content, size, array->how, tuple_bytes(array), bytes);
        uint64_t packed = bytes->length - before;
        if (bytes->no_memory)
            return false;
        memcpy(bytes->data + header + (3 + b) * sizeof packed, &packed, sizeof packed);
    }
    if (blocks > 0)
        pad_array(array, header, bytes);
    return !bytes->no_memory;
}

PalStatus pal_vtu_pack(int32_t count, const PalVtuArray *arrays, PalVtuPacked *packed,
                       PalError *error)
{
    *packed = (PalVtuPacked){.count = count, .ends = pal_alloc((size_t)count, sizeof(size_t))};
    uint64_t content[BLOCK_SIZE / sizeof(uint64_t)];
    bool good = packed->ends != NULL;
    for (int32_t i = 0; good && i < count; ++i) {
        good = pack_array(&arrays[i], content, &packed->bytes);
        packed->ends[i] = packed->bytes.length;
    }
    if (good)
        return PAL_OK;
    pal_vtu_packed_clear(packed);
    return pal_error_set(error, PAL_NO_MEMORY, "no memory to compress the mesh for the frames");
}

void pal_vtu_packed_clear(PalVtuPacked *packed)
{
    pal_free(packed->ends);
    pal_text_clear(&packed->bytes);
    *packed = (PalVtuPacked){0};
}

// ---- the file ---------------------------------------------------------------------------

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

static void put_section(const PalVtuDef *def, PalVtuSection section, PalText *text)
{
    bool vertices = def->only_points && section == PAL_VTU_CELLS;
    const char *name = vertices ? "Verts" : section_names[section];
    size_t offset = 0;
    pal_text_print(text, "<%s>\n", name);
    for (int32_t i = 0; i < def->array_count; ++i) {
        if (def->arrays[i].section == section)
            put_array_head(&def->arrays[i], offset, text);
        offset += stored_bytes(&def->arrays[i], i == 0);
    }
    for (int32_t i = 0; def->packed != NULL && i < def->packed->count; ++i)
        if (def->constants[i].section == section)
            put_array_head(&def->constants[i], offset + (i > 0 ? def->packed->ends[i - 1] : 0),
                           text);
    pal_text_print(text, "</%s>\n", name);
}

PalStatus pal_vtu_encode(const PalVtuDef *def, PalText *text, PalError *error)
{
    const char *type = def->only_points ? "PolyData" : "UnstructuredGrid";
    pal_text_print(text,
                   "<?xml version=\"1.0\"?>\n<VTKFile type=\"%s\" version=\"1.0\" "
                   "byte_order=\"" BYTE_ORDER_NAME "\" header_type=\"UInt64\" "
                   "compressor=\"vtkZLibDataCompressor\">\n<%s>\n",
                   type, type);
    put_section(def, PAL_VTU_FIELD, text);
    pal_text_print(text, "<Piece NumberOfPoints=\"%" PRId64 "\" NumberOf%s=\"%" PRId64 "\">\n",
                   def->point_count, def->only_points ? "Verts" : "Cells", def->cell_count);
    for (PalVtuSection s = PAL_VTU_POINT_DATA; s <= PAL_VTU_CELLS; ++s)
        put_section(def, s, text);
    pal_text_print(text, "</Piece>\n</%s>\n<AppendedData encoding=\"raw\">\n_", type);
    for (int32_t i = 0; i < def->array_count; ++i)
        store_array(&def->arrays[i], i == 0, text);
    return text->no_memory ? pal_error_set(error, PAL_NO_MEMORY, "no memory for a frame") : PAL_OK;
}
