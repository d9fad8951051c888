// A list of named numbers, each of which stands for many: a change of any of them changes it.
#ifndef PAL_TESTS_GOLDEN_BOOK_H
#define PAL_TESTS_GOLDEN_BOOK_H

#include "check.h"

#include <ctype.h>
#include <stdbool.h>

// Numbers much smaller than SMALL count as they are, larger ones by their logarithm: a relative
// change of a large number moves a sum as much as that of any other.
#define SMALL 1e-3

enum { NAME_SIZE = 160 };

typedef struct Entry {
    char name[NAME_SIZE];
    double sum, spread;  // how much the sum moved when nodes were disturbed
    int64_t count;
} Entry;

typedef struct Book {
    int32_t count, capacity;
    Entry *entries;
} Book;

static Entry *book_append(Book *book, const char name[NAME_SIZE])
{
    if (book->count == book->capacity) {
        book->capacity = 2 * book->capacity + 64;
        book->entries = realloc(book->entries, (size_t)book->capacity * sizeof *book->entries);
        assert_non_null(book->entries);
    }
    Entry *entry = &book->entries[book->count++];
    *entry = (Entry){.count = 0};
    memcpy(entry->name, name, NAME_SIZE);
    return entry;
}

// The entry of this name, which may be new. Adding one moves the others.
__attribute__((format(printf, 2, 3))) static Entry *book_entry(Book *book, const char *format, ...)
{
    char name[NAME_SIZE];
    va_list list;
    va_start(list, format);
    vsnprintf(name, sizeof name, format, list);
    va_end(list);
    for (int32_t i = 0; i < book->count; ++i)
        if (strcmp(book->entries[i].name, name) == 0)
            return &book->entries[i];
    return book_append(book, name);
}

// Between 1/2 and 3/2, another one for each place in a sum, so that order matters.
static double entry_weight(int64_t place)
{
    uint64_t bits = ((uint64_t)place + 1) * 0x9e3779b97f4a7c15u;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
    return 0.5 + (double)(bits >> 11) * 0x1p-53;
}

static void entry_add(Entry *entry, double value)
{
    double size = isfinite(value / SMALL) ? asinh(value / SMALL) : 1000;
    entry->sum += entry_weight(entry->count++) * size;
}

static void entry_add_bytes(Entry *entry, const void *data, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; ++i)
        hash = (hash ^ ((const unsigned char *)data)[i]) * 0x100000001b3u;
    entry->sum += (double)(hash >> 40) * 0x1p-10;
    ++entry->count;
}

// Words and the numbers between them, which need not be the same to the last digit.
static void entry_add_text(Entry *entry, const char *text)
{
    const char *words = text;
    for (const char *c = text; *c != '\0';) {
        bool number = isdigit((unsigned char)*c) && (c == text || !isalnum((unsigned char)c[-1]));
        if (!number) {
            ++c;
            continue;
        }
        bool minus = c > text && c[-1] == '-';
        char *end;
        double value = strtod(c, &end);
        entry_add_bytes(entry, words, (size_t)(c - words));
        entry_add(entry, minus ? -value : value);
        words = c = end;
    }
    entry_add_bytes(entry, words, strlen(words));
}

#endif
