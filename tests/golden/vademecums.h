// Adds the report of a vademecum to a book: its words, and the pictures of its modes.
#ifndef PAL_TESTS_GOLDEN_VADEMECUMS_H
#define PAL_TESTS_GOLDEN_VADEMECUMS_H

#include "files.h"
#include "unit/reduced/small_book.h"

#include <palpate/vademecum_io.h>

// Modes and errors that are made up: those that are found depend on rounding more than pictures
// may.
static void make_up(PalVademecum *vademecum)
{
    PalVademecumArray list[PAL_VADEMECUM_ARRAY_MAX];
    int32_t count = pal_vademecum_arrays(vademecum, list);
    for (int32_t a = 0; a < count; ++a)
        for (int64_t i = 0; i < list[a].count; ++i)
            if (strcmp(list[a].name, "modes") == 0)
                ((float *)list[a].data)[i] = (float)sin(0.37 * (double)i);
            else if (strcmp(list[a].name, "heldout") == 0)
                ((double *)list[a].data)[i] = 0.1 + 0.03 * (double)i;
    PalVademecumFacts *facts = pal_vademecum_facts(vademecum);
    facts->seconds = 12.5;
    facts->processor_seconds = 13.25;
    facts->energy = (PalVademecumError){0.01, 0.02, 0.03};
    facts->point = (PalVademecumError){0.04, 0.05, 0.06};
    facts->force = (PalVademecumError){0.07, 0.08, 0.09};
}

static void add_page(Book *book, char *page)
{
    static const char begin[] = "base64,";
    for (char *at = page; (at = strstr(at, begin)) != NULL;) {
        char *data = at + strlen(begin), *end = strchr(data, '"');
        size_t size;
        unsigned char *png = from_base64(data, (size_t)(end - data), &size);
        add_pixels(book_entry(book, "vademecum/modes"), png);
        free(png);
        memmove(at, end, strlen(end) + 1);
    }
    entry_add_text(book_entry(book, "vademecum/report"), page);
}

static void add_vademecum(Book *book)
{
    SmallBook small;
    PalVademecum *vademecum = NULL;
    PalError error = {0};
    char folder[64], path[128];
    small_book_init(&small, 2, PAL_VADEMECUM_AUTO);
    small.def.mode_limit = 6;
    small.def.heldout_count = 2;
    check_ok(pal_vademecum_build(&small.def, &vademecum, &error), &error);
    make_up(vademecum);
    PalDirectory directory = place_open(folder);
    snprintf(path, sizeof path, "%s/report.html", folder);
    check_ok(pal_vademecum_write_report(path, vademecum, 1, &error), &error);
    PalText page = place_get(&directory, "report.html");
    add_page(book, page.data);
    pal_text_clear(&page);
    pal_directory_close(&directory);
    place_remove(folder);
    pal_vademecum_destroy(vademecum);
    small_book_clear(&small);
}

#endif
