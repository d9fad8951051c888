// Any bytes as a checkpoint: refused with one line, or restored and carried on for ten steps. The
// first byte chooses: the rest is the whole file; or what follows a good block; or changes of a
// good checkpoint, each two bytes of place, one of length and the new bytes, with all sums made
// right.
#include "base/hash.h"
#include "output/checkpoint.h"
#include "output/h5.h"
#include "scene/reader.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BLOCK_SIZE = 512, STEPS = 10, FILE_MAX = 1 << 20 };

static const char scene_text[] =
    "bodies:\n"
    "  - name: lower\n"
    "    shape: {box: [1, 1, 1], cells: [1, 1, 1]}\n"
    "    material: {law: neo-hookean, young: 1000, poisson: 0.3, density: 1}\n"
    "  - name: upper\n"
    "    shape: {box: [0.5, 0.5, 0.5], cells: [1, 1, 1]}\n"
    "    place: {translate: [0.1, 0, 0.752]}\n"
    "    velocity: [0, 0, -3]\n"
    "    material: {law: neo-hookean, young: 500, poisson: 0.3, density: 1}\n"
    "rigid:\n"
    "  - {name: stone, shape: {box: [0.3, 0.3, 0.3]}, density: 2, place: {translate: [1, 0, 0]}}\n"
    "contact:\n"
    "  - {between: all, friction: 0.3}\n"
    "solver: {method: explicit, time: 1}\n";

static PalScene *scene;
static PalDirectory directory;
static char whole[FILE_MAX];  // a good checkpoint
static size_t whole_size, head_size;

static void demand(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "not so: %s\n", what);
    abort();
}

static PalSim *create(void)
{
    PalSim *sim = NULL;
    PalError error = {0};
    PalSimDef def = *pal_scene_sim(scene);
    def.solver.thread_count = 1;
    demand(pal_sim_create(&def, &sim, &error) == PAL_OK, error.text);
    return sim;
}

static PalCheckpoint arrays_of(PalSim *sim, PalNamedArray arrays[PAL_SIM_ARRAY_MAX])
{
    return (PalCheckpoint){
        .scene = 7, .array_count = pal_sim_arrays(sim, arrays), .arrays = arrays};
}

// In the middle of a collision.
static void prepare(void)
{
    static char path[] = "/tmp/palpate-fuzz-XXXXXX";
    PalError error = {0};
    PalNamedArray arrays[PAL_SIM_ARRAY_MAX];
    demand(pal_scene_read_memory(scene_text, sizeof scene_text - 1, "fuzz.yaml", NULL, &scene,
                                 &error) == PAL_OK,
           error.text);
    demand(mkdtemp(path) != NULL && pal_directory_open(path, &directory, &error) == PAL_OK, path);
    PalSim *sim = create();
    for (int i = 0; i < 3 * STEPS; ++i)
        demand(pal_sim_step(sim, &error) == PAL_OK, error.text);
    PalCheckpoint checkpoint = arrays_of(sim, arrays);
    demand(pal_checkpoint_write(&directory, &checkpoint, &error) == PAL_OK, error.text);
    pal_sim_destroy(sim);
    PalText text = {0};
    bool found = false;
    demand(pal_file_read(&directory, PAL_CHECKPOINT_NAME, &text, &found, &error) == PAL_OK && found,
           error.text);
    demand(text.length < sizeof whole, "a small checkpoint");
    memcpy(whole, text.data, text.length);
    whole_size = text.length;
    demand(sscanf(whole, "palpate checkpoint %*d %*u %*x %zu", &head_size) == 1, "a head");
    pal_text_clear(&text);
}

static void mend_heads(char *file)
{
    char *head = file + BLOCK_SIZE;
    for (size_t at = 0; at + 14 < head_size; ++at) {
        uint32_t size;
        if (memcmp(head + at, "OHDR", 4) != 0)
            continue;
        memcpy(&size, head + at + 6, sizeof size);
        if (size > head_size - at - 14)
            continue;
        uint32_t sum = pal_h5_sum(head + at, 10 + size);
        memcpy(head + at + 10 + size, &sum, sizeof sum);
    }
}

static void mend_block(char *file, size_t size, size_t head)
{
    memset(file, 0, BLOCK_SIZE);
    snprintf(file, BLOCK_SIZE, "palpate checkpoint %d %zu %016" PRIx64 " %zu\n",
             PAL_CHECKPOINT_FORMAT, size - BLOCK_SIZE,
             pal_hash_words(PAL_HASH_START, file + BLOCK_SIZE, size - BLOCK_SIZE), head);
}

static size_t make_file(const uint8_t *data, size_t size, char *file)
{
    int way = data[0] % 3;
    ++data;
    --size;
    if (way == 0) {
        memcpy(file, data, size);
        return size;
    }
    if (way == 1) {
        memcpy(file + BLOCK_SIZE, data, size);
        mend_block(file, size + BLOCK_SIZE, size);
        return size + BLOCK_SIZE;
    }
    memcpy(file, whole, whole_size);
    while (size >= 4) {
        size_t place = BLOCK_SIZE + (size_t)(data[0] | data[1] << 8) % (whole_size - BLOCK_SIZE);
        size_t length = 1 + data[2] % 8;
        for (size_t i = 0; i < length && 3 + i < size && place + i < whole_size; ++i)
            file[place + i] = (char)data[3 + i];
        size_t used = 3 + length < size ? 3 + length : size;
        data += used;
        size -= used;
    }
    mend_heads(file);
    mend_block(file, whole_size, head_size);
    return whole_size;
}

// Whether it went well.
static bool carry_on(PalSim *sim, PalError *error)
{
    PalStatus status = pal_sim_restored(sim, error);
    for (int i = 0; i < STEPS && status == PAL_OK && !pal_sim_finished(sim); ++i)
        status = pal_sim_step(sim, error);
    demand(status == PAL_OK || error->text[0] != '\0', "there is a message");
    return status == PAL_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char file[FILE_MAX];
    static PalSim *sim;  // made anew after a failure only, which is most of the time it takes
    if (scene == NULL)
        prepare();
    if (size < 1 || size > FILE_MAX / 2)
        return 0;
    size_t length = make_file(data, size, file);
    int descriptor = pal_file_open(&directory, PAL_CHECKPOINT_NAME, O_WRONLY | O_CREAT | O_TRUNC);
    demand(descriptor >= 0 && pal_file_write_all(descriptor, file, length), "the file is written");
    close(descriptor);
    if (sim == NULL)
        sim = create();
    PalNamedArray arrays[PAL_SIM_ARRAY_MAX];
    PalCheckpoint checkpoint = arrays_of(sim, arrays);
    PalError error = {0};
    bool found = false;
    PalStatus status = pal_checkpoint_read(&directory, &checkpoint, &found, &error);
    demand(found, "the file is found");
    if (status != PAL_OK) {
        demand(status == PAL_BAD_INPUT && strchr(error.text, '\n') == NULL, "one line says why");
    } else if (!carry_on(sim, &error)) {
        pal_sim_destroy(sim);
        sim = NULL;
    }
    return 0;
}
