// Any bytes as a vademecum: refused with one line, or read and asked for an answer. The first byte
// chooses: the rest is the whole file, or changes of a good one, each two bytes of place, one of
// length and the new bytes, with all sums made right.
#ifndef PAL_FUZZ_VADEMECUM_H
#define PAL_FUZZ_VADEMECUM_H

#include "scene/reader.h"
#include <palpate/vademecum_io.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILE_MAX = 1 << 20 };

static char whole[FILE_MAX];  // a good file
static size_t whole_size;

static void demand(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "not so: %s\n", what);
    abort();
}

static void prepare(bool web)
{
    static const char text[] =
        "bodies:\n"
        "  - name: block\n"
        "    shape: {box: [1, 1, 1], cells: [1, 1, 1]}\n"
        "    material: {law: neo-hookean, young: 1000, poisson: 0.3, density: 1}\n"
        "conditions:\n"
        "  - {body: block, where: {plane: z-min}, fix: xyz}\n"
        "solver: {method: implicit-static}\n"
        "vademecum: {body: block, patch: 0.8, largest: 20, modes: 4, held-out: 1}\n";
    char path[] = "/tmp/palpate-fuzz-XXXXXX";
    PalScene *scene = NULL;
    PalVademecum *book = NULL;
    PalError error = {0};
    demand(pal_scene_read_memory(text, sizeof text - 1, "fuzz.yaml", NULL, &scene, &error) ==
               PAL_OK,
           error.text);
    demand(pal_vademecum_build(pal_scene_vademecum(scene), &book, &error) == PAL_OK, error.text);
    int descriptor = mkstemp(path);
    demand(descriptor >= 0, path);
    close(descriptor);
    demand((web ? pal_vademecum_write_web(path, book, &error)
                : pal_vademecum_write(path, book, &error)) == PAL_OK,
           error.text);
    FILE *file = fopen(path, "rb");
    demand(file != NULL, path);
    whole_size = fread(whole, 1, sizeof whole, file);
    fclose(file);
    unlink(path);
    demand(whole_size > 0 && whole_size < sizeof whole / 2, "a small file");
    pal_vademecum_destroy(book);
    pal_scene_destroy(scene);
}

// The good file with changes behind `first` bytes.
static void change(const uint8_t *data, size_t size, size_t first, char *file)
{
    memcpy(file, whole, whole_size);
    while (size >= 4) {
        size_t place = first + (size_t)(data[0] | data[1] << 8) % (whole_size - first);
        size_t length = 1 + data[2] % 8;
        for (size_t i = 0; i < length && 3 + i < size && place + i < whole_size; ++i)
            file[place + i] = (char)data[3 + i];
        size_t used = 3 + length < size ? 3 + length : size;
        data += used;
        size -= used;
    }
}

// What is fuzzed has to be a file that is read, or nothing behind its head is ever reached.
static void demand_good(const char *file)
{
    PalVademecum *book = NULL;
    PalError error = {0};
    demand(pal_vademecum_read_memory(file, whole_size, &book, &error) == PAL_OK, error.text);
    pal_vademecum_destroy(book);
}

static void read_and_ask(const char *file, size_t size)
{
    PalVademecum *book = NULL;
    PalVademecumWork *work = NULL;
    PalVademecumAnswer answer;
    PalError error = {0};
    PalStatus status = pal_vademecum_read_memory(file, size, &book, &error);
    if (status == PAL_OK)
        status = pal_vademecum_work_create(book, &work, &error);
    if (status != PAL_OK)
        demand(status == PAL_BAD_INPUT && error.text[0] != '\0' && strchr(error.text, '\n') == NULL,
               "one line says why");
    else
        pal_vademecum_evaluate(book, work, &(PalVademecumLoad){{0, 0, 0.5}, {1, 2, -10}}, &answer,
                               NULL);
    pal_vademecum_work_destroy(work);
    pal_vademecum_destroy(book);
}

#endif
