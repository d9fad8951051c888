// The seeds of the fuzz targets, whole, cut short and with bytes changed: the reader returns.
#include "read_samples.h"

#include <dirent.h>

enum { SIZE_MOST = 65536 };

static void read_bytes(const uint8_t *data, size_t size, const char *path)
{
    // a copy of exactly this size, so that the sanitizer sees a read past its end
    uint8_t *copy = malloc(size + (size == 0));
    assert_non_null(copy);
    memcpy(copy, data, size);
    for (int want = PAL_WANT_SOLID; want <= PAL_WANT_SURFACE; ++want) {
        PalMesh *mesh = NULL;
        PalError error = {0};
        PalStatus status = pal_mesh_read_memory(copy, size, path, (PalMeshWant)want, &mesh, &error);
        if (status == PAL_OK) {
            assert_true(mesh->cell_count > 0);
            pal_mesh_destroy(mesh);
            continue;
        }
        assert_int_equal(status, PAL_BAD_INPUT);
        assert_ptr_equal(strstr(error.text, path), error.text);
        assert_null(strchr(error.text, '\n'));
    }
    free(copy);
}

static void try_file(const char *path, const char *name)
{
    static uint8_t data[SIZE_MOST];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    assert_true(size > 0 && size < sizeof data);
    read_bytes(data, size, name);
    size_t stride = size / 200 + 1;
    for (size_t cut = 0; cut < size; cut += stride)
        read_bytes(data, cut, name);
    static const uint8_t values[] = {0, 1, 0x7F, 0x80, 0xFF, ' ', '\n', '-', '9', '*'};
    for (size_t i = 0; i < size; i += stride) {
        uint8_t kept = data[i];
        data[i] = values[(i / stride) % sizeof values];
        read_bytes(data, size, name);
        data[i] = kept;
    }
}

static int32_t try_folder(const char *folder)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/../fuzz/corpus/%s", PAL_TEST_DATA, folder);
    DIR *list = opendir(path);
    if (list == NULL)
        fail_msg("no folder %s", path);
    int32_t count = 0;
    for (struct dirent *entry = readdir(list); entry != NULL; entry = readdir(list)) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/../fuzz/corpus/%s/%s", PAL_TEST_DATA, folder,
                 entry->d_name);
        try_file(path, entry->d_name);
        ++count;
    }
    closedir(list);
    return count;
}

static void damaged_files_are_survived(void **state)
{
    (void)state;
    static const char *const folders[] = {"msh2", "msh4", "vtk_legacy", "vtu",
                                          "inp",  "stl",  "obj",        "ply"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; ++i)
        assert_true(try_folder(folders[i]) >= 2);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(damaged_files_are_survived)};
CHECK_GROUP(tests, NULL, NULL)
