// Input nobody meant: bombs, torn files, long lines, random bytes. Each ends in one line of error.
#include "check.h"
#include "scene/reader.h"

#include <unistd.h>

static const char good[] =
    "name: &n box\n"
    "bodies:\n"
    "  - name: a\n"
    "    shape: {box: [1, 1, 1], cells: [1, 1, 1]}\n"
    "    place: {translate: [0, 0, 2], rotate: {axis: [0, 0, 2], degrees: 90}, scale: 2}\n"
    "    material: &m {law: neo-hookean, young: 30, poisson: 0.25, density: 2,\n"
    "                  relaxation: {isochoric: [{weight: 0.5, time: 1}]}}\n"
    "conditions:\n"
    "  - {body: a, where: {plane: z-min}, fix: xz}\n"
    "  - {body: a, where: {box: [[0, 0, 0], [9, 9, 9]]}, displace: [0.5, null, -0.4]}\n"
    "  - {body: a, where: {plane: z-max}, pressure: 0.2, ramp: [[0, 0], [0.5, 1], [1, 0.5]]}\n"
    "solver: {method: newmark, time: 2, step: 0.001, damping: 3}\n"
    "probes:\n"
    "  - {name: \"tip\", body: 'a', where: {point: [0, 0, 3.6]}, record: velocity}\n"
    "output: {every: 0.02, fields: [stress]}\n";

// Reads; a failure must be bad input, told in one line that begins with the file.
static bool reads(const char *text, size_t size, PalError *error)
{
    PalScene *scene = NULL;
    *error = (PalError){0};
    PalStatus status = pal_scene_read_memory(text, size, "hostile.yaml", NULL, &scene, error);
    if (status == PAL_OK) {
        pal_scene_destroy(scene);
        return true;
    }
    assert_null(scene);
    assert_int_equal(status, PAL_BAD_INPUT);
    if (strchr(error->text, '\n') != NULL || strncmp(error->text, "hostile.yaml:", 13) != 0)
        fail_msg("said: %s", error->text);
    return false;
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static void every_cut_is_survived(void **state)
{
    (void)state;
    PalError error;
    assert_true(reads(good, strlen(good), &error));
    for (size_t size = 0; size < strlen(good); ++size)
        reads(good, size, &error);
}

static void mutations_are_survived(void **state)
{
    (void)state;
    static const char bits[] = "{}[]:,-&*!|>'\"%@`#?~<. \n\tae019\x01\xff";
    enum { ROUNDS = 4000 };
    uint32_t seed = 7;
    int accepted = 0;
    for (int round = 0; round < ROUNDS; ++round) {
        char text[sizeof good];
        PalError error;
        memcpy(text, good, sizeof good);
        for (uint32_t i = 0, count = 1 + next_random(&seed) % 4; i < count; ++i)
            text[next_random(&seed) % strlen(good)] = bits[next_random(&seed) % (sizeof bits - 1)];
        accepted += reads(text, strlen(good), &error);
    }
    assert_true(accepted > 0 && accepted < ROUNDS);
}

static void alias_bombs_are_refused(void **state)
{
    (void)state;
    char text[4096] = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    for (int level = 1; level < 12; ++level) {
        char line[256];
        snprintf(line, sizeof line,
                 "a%d: &a%d [*a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d]\n", level, level,
                 level - 1, level - 1, level - 1, level - 1, level - 1, level - 1, level - 1,
                 level - 1, level - 1);
        strcat(text, line);
    }
    PalError error;
    assert_false(reads(text, strlen(text), &error));
    assert_non_null(strstr(error.text, "the aliases repeat too much"));
}

// `count` times a piece, between a start and an end.
static char *repeat(const char *start, const char *piece, size_t count, const char *end)
{
    size_t length = strlen(piece);
    char *text = malloc(strlen(start) + count * length + strlen(end) + 1);
    assert_non_null(text);
    strcpy(text, start);
    char *at = text + strlen(start);
    for (size_t i = 0; i < count; ++i, at += length)
        memcpy(at, piece, length);
    strcpy(at, end);
    return text;
}

static void expect_refusal(char *text, const char *words)
{
    PalError error;
    assert_false(reads(text, strlen(text), &error));
    if (strstr(error.text, words) == NULL)
        fail_msg("said: %s", error.text);
    free(text);
}

static void sizes_are_bounded(void **state)
{
    (void)state;
    expect_refusal(repeat("", "[", 100000, ""), "nested too deeply");
    expect_refusal(repeat("a: ", "- ", 100000, ""), ":");
    expect_refusal(repeat("name: [", "1,", 1200000, "]"), "too many values");
    expect_refusal(repeat("name: ", "long ", 1000000, "\nb: 1\n"), "unknown key \"b\"");
    expect_refusal(repeat("", "k", 3000000, ": 1\n"), ":");
    expect_refusal(repeat("name: \"", "\\n", 1000, "\"\nb: 1\n"), "unknown key \"b\"");
    expect_refusal(repeat("", "#", 5000000, "\n"), "holds no keys");
    char *many = malloc(2000 * 16);
    assert_non_null(many);
    size_t used = 0;
    for (int i = 0; i < 2000; ++i)
        used += (size_t)snprintf(many + used, 16, "k%d: 1\n", i);
    expect_refusal(many, "too many keys");
}

static void zero_bytes_are_refused(void **state)
{
    (void)state;
    static const char text[] = "name: a\0b\nsolver: {time: 1}\n";
    PalError error;
    assert_false(reads(text, sizeof text - 1, &error));
    assert_string_equal(
        error.text, "hostile.yaml:1:8: the byte 0x00 is not text, expected a YAML or JSON file");
}

static void missing_and_odd_files(void **state)
{
    (void)state;
    PalScene *scene = NULL;
    PalError error = {0};
    assert_int_equal(pal_scene_read("no-such.yaml", NULL, &scene, &error), PAL_BAD_INPUT);
    assert_string_equal(error.text,
                        "no-such.yaml: cannot open the scene: No such file or directory");
    error = (PalError){0};
    assert_int_equal(pal_scene_read("/", NULL, &scene, &error), PAL_BAD_INPUT);
    assert_string_equal(error.text, "/: cannot read the scene: Is a directory");
    error = (PalError){0};
    assert_int_equal(pal_scene_read("/dev/null", NULL, &scene, &error), PAL_BAD_INPUT);
    assert_null(scene);
}

// The mesh reader's own words come through, with the body and the place in the scene.
static void mesh_errors_come_through(void **state)
{
    (void)state;
    char path[] = "hostile-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    static const char mesh[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\nmany\n";
    assert_int_equal(write(file, mesh, sizeof mesh - 1), sizeof mesh - 1);
    close(file);
    char text[512];
    snprintf(text, sizeof text,
             "bodies:\n  - name: a\n    mesh: %s\n    material: {law: neo-hookean, shear: 1, bulk: "
             "1, density: 1}\nsolver: {time: 1}\n",
             path);
    PalScene *scene = NULL;
    PalError error = {0};
    assert_int_equal(pal_scene_read_memory(text, strlen(text), "s.yaml", NULL, &scene, &error),
                     PAL_BAD_INPUT);
    unlink(path);
    char start[64];
    snprintf(start, sizeof start, "%s:5:", path);
    if (strncmp(error.text, start, strlen(start)) != 0 ||
        strstr(error.text, " (mesh of body \"a\", s.yaml:3:11)") == NULL)
        fail_msg("said: %s", error.text);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_cut_is_survived),    cmocka_unit_test(mutations_are_survived),
    cmocka_unit_test(alias_bombs_are_refused),  cmocka_unit_test(sizes_are_bounded),
    cmocka_unit_test(zero_bytes_are_refused),   cmocka_unit_test(missing_and_odd_files),
    cmocka_unit_test(mesh_errors_come_through),
};
CHECK_GROUP(tests, NULL, NULL)
