// Adds the files of a run directory to a book.
#ifndef PAL_TESTS_GOLDEN_FILES_H
#define PAL_TESTS_GOLDEN_FILES_H

#include "book.h"
#include "unit/output/place.h"
#include "unit/output/vtu_arrays.h"

#include "output/history.h"
#include "output/report_page.h"
#include "output/rundir.h"

// ---- JSON -------------------------------------------------------------------------------

// What differs from run to run or from machine to machine.
static bool json_varies(const char *path)
{
    static const char *const keys[] = {".version", ".threads",      ".wall_seconds", ".state_hash",
                                       ".stages",  ".thread_count", ".log",          ".picture",
                                       ".speed",   ".seconds",      ".date"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) {
        const char *at = strstr(path, keys[i]);
        if (at != NULL && (at[strlen(keys[i])] == '\0' || at[strlen(keys[i])] == '.'))
            return true;
    }
    return false;
}

typedef struct Json {
    const char *at;
    Book *book;
} Json;

static void json_space(Json *json)
{
    while (isspace((unsigned char)*json->at) || *json->at == ',' || *json->at == ':')
        ++json->at;
}

// Of a string that begins here; skips it.
static size_t json_string(Json *json, const char **text)
{
    assert_true(*json->at == '"');
    *text = ++json->at;
    while (*json->at != '"')
        json->at += *json->at == '\\' ? 2 : 1;
    return (size_t)(json->at++ - *text);
}

// The bytes that a text in base 64 stands for; the caller frees them.
static unsigned char *from_base64(const char *text, size_t length, size_t *size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char *bytes = malloc(length + 1);
    uint32_t word = 0;
    int bits = 0;
    *size = 0;
    for (size_t i = 0; i < length && text[i] != '='; ++i) {
        word = word << 6 | (uint32_t)(strchr(digits, text[i]) - digits);
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            bytes[(*size)++] = (unsigned char)(word >> bits);
        }
    }
    return bytes;
}

// Arrays of a report are texts: most hold 32-bit floats.
static void add_floats(Entry *entry, const char *text, size_t length)
{
    size_t size;
    unsigned char *bytes = from_base64(text, length, &size);
    for (size_t i = 0; i + 4 <= size; i += 4) {
        float value;
        memcpy(&value, bytes + i, sizeof value);
        entry_add(entry, (double)value);
    }
    free(bytes);
}

static void add_string(Entry *entry, const char *path, const char *text, size_t length)
{
    bool report = strstr(path, "/report") != NULL;
    if (report && (strstr(path, ".start") != NULL || strstr(path, ".displacement") != NULL ||
                   (strstr(path, ".fields") != NULL && length > 100)))
        add_floats(entry, text, length);
    else
        entry_add_bytes(entry, text, length);
}

// Bytes of a path that name the entry: the file, and the first key where that is an object.
static int first_key(const char *path, int depth)
{
    const char *dot = strchr(path, '.'), *second = dot == NULL ? NULL : strchr(dot + 1, '.');
    return (int)(depth < 2 || second == NULL ? strcspn(path, ".") : (size_t)(second - path));
}

static void json_value(Json *json, const char *path, int depth)
{
    char inner[400];
    json_space(json);
    if (*json->at == '{' || *json->at == '[') {
        bool object = *json->at++ == '{';
        for (json_space(json); *json->at != '}' && *json->at != ']'; json_space(json)) {
            const char *key = "";
            size_t length = object ? json_string(json, &key) : 0;
            snprintf(inner, sizeof inner, "%s%s%.*s", path, object ? "." : "", (int)length, key);
            json_value(json, inner, depth + object);
        }
        ++json->at;
        return;
    }
    Entry *entry = NULL;
    if (!json_varies(path)) {
        entry = book_entry(json->book, "%.*s", first_key(path, depth), path);
        entry_add_bytes(entry, path, strlen(path));
    }
    if (*json->at == '"') {
        const char *text;
        size_t length = json_string(json, &text);
        if (entry != NULL)
            add_string(entry, path, text, length);
    } else if (isdigit((unsigned char)*json->at) || *json->at == '-') {
        char *end;
        double value = strtod(json->at, &end);
        if (entry != NULL)
            entry_add(entry, value);
        json->at = end;
    } else {
        const char *word = json->at;
        while (isalpha((unsigned char)*json->at))
            ++json->at;
        assert_true(json->at > word);
        if (entry != NULL)
            entry_add_bytes(entry, word, (size_t)(json->at - word));
    }
}

// ---- files ------------------------------------------------------------------------------

static void add_history(Book *book, const char *name, const PalDirectory *directory)
{
    PalText csv = place_get(directory, "history.csv");
    PalHistoryTable table;
    PalError error = {0};
    const char *head = csv.data;
    check_ok(pal_history_parse(&csv, 100000, &table, &error), &error);
    for (int32_t column = 0; column < table.column_count; ++column) {
        size_t length = strcspn(head, ",\n"), vector = strcspn(head, ".,\n");
        Entry *entry = book_entry(book, "%s/history/%.*s", name, (int)vector, head);
        head += length + 1;
        for (int32_t row = 0; row < table.row_count; ++row)
            entry_add(entry, table.values[row * table.column_count + column]);
    }
    free(table.values);
    pal_text_clear(&csv);
}

// All arrays of a VTU or VTP file, each under its name.
static void add_arrays(Book *book, const char *name, const char *folder, const PalText *text)
{
    const char *end = strstr(text->data, "<AppendedData");
    assert_non_null(end);
    for (const char *at = text->data; (at = strstr(at, "Name=\"")) != NULL && at < end;) {
        char array[48];
        at += strlen("Name=\"");
        snprintf(array, sizeof array, "%.*s", (int)strcspn(at, "\""), at);
        VtuArray values = vtu_read(text, array);
        bool frames = strcmp(folder, pal_frame_series.folder) == 0;
        Entry *entry = book_entry(book, "%s/%s/%s", name, folder, frames ? array : "all");
        for (int64_t i = 0; i < values.count; ++i)
            entry_add(entry, values.values[i]);
        entry_add(entry, (double)values.count);
        free(values.values);
    }
}

static void add_series(Book *book, const char *name, const PalDirectory *directory,
                       const PalSeries *series)
{
    char file[PAL_FRAME_NAME_SIZE];
    for (int64_t i = 0; place_has(directory, pal_frame_name(series, i, file)); ++i) {
        PalText text = place_get(directory, file);
        add_arrays(book, name, series->folder, &text);
        pal_text_clear(&text);
    }
    if (!place_has(directory, series->collection))
        return;
    PalText list = place_get(directory, series->collection);
    entry_add_text(book_entry(book, "%s/%s", name, series->collection), list.data);
    pal_text_clear(&list);
}

static void add_json(Book *book, const char *name, const char *file, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", name, file);
    Json json = {.at = text, .book = book};
    json_value(&json, path, 0);
}

// The report's data without its page; what is drawn in it has tests of its own.
static void add_report(Book *book, const char *name, const PalDirectory *directory)
{
    if (!place_has(directory, "report.html"))
        return;
    PalText page = place_get(directory, "report.html");
    assert_true(page.length > pal_report_head.size);
    add_json(book, name, "report", page.data + pal_report_head.size);
    pal_text_clear(&page);
}

static uint32_t big_endian(const unsigned char *b)
{
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

// Pixels count little, as roundings may move a few: what is seen adds up to more.
static void add_pixels(Entry *entry, const unsigned char *png)
{
    const unsigned char *p = png + 8;
    size_t width = big_endian(p + 8), height = big_endian(p + 12), pitch = 3 * width + 1;
    while (memcmp(p + 4, "IDAT", 4) != 0)
        p += 12 + big_endian(p);
    uLongf size = (uLongf)(height * pitch);
    unsigned char *rows = malloc(size);
    assert_int_equal(uncompress(rows, &size, p + 8, big_endian(p)), Z_OK);
    entry->spread = 0.02;
    for (size_t y = 0; y < height; ++y)  // a row may be what it has more than the one above
        for (size_t i = 1; i < pitch; ++i) {
            unsigned char *pixel = rows + y * pitch + i;
            if (y > 0 && rows[y * pitch] == 2)
                *pixel = (unsigned char)(*pixel + pixel[-(ptrdiff_t)pitch]);
            entry_add(entry, 1e-6 * *pixel);
        }
    free(rows);
}

static void add_picture(Book *book, const char *name, const PalDirectory *directory)
{
    if (!place_has(directory, "picture.png"))
        return;
    PalText png = place_get(directory, "picture.png");
    add_pixels(book_entry(book, "%s/picture", name), (const unsigned char *)png.data);
    pal_text_clear(&png);
}

// Files are told by their place on this machine: their names are left.
static void forget_folders(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0';) {
        if (*from != '/') {
            *to++ = *from++;
            continue;
        }
        const char *end = from + strcspn(from, " \",}\n");
        while (from < end && memchr(from, '/', (size_t)(end - from)) != NULL)
            ++from;
    }
    *to = '\0';
}

static void add_directory(Book *book, const char *name, const PalDirectory *directory)
{
    add_history(book, name, directory);
    add_series(book, name, directory, &pal_frame_series);
    add_series(book, name, directory, &pal_contact_series);
    PalText summary = place_get(directory, "summary.json");
    add_json(book, name, "summary", summary.data);
    pal_text_clear(&summary);
    PalText scene = place_get(directory, "scene.yaml");
    forget_folders(scene.data);
    entry_add_text(book_entry(book, "%s/scene", name), scene.data);
    pal_text_clear(&scene);
    add_report(book, name, directory);
    add_picture(book, name, directory);
}

#endif
