// Vademecums in HDF5.
#include "fuzz_vademecum.h"
#include "base/hash.h"
#include "output/h5.h"

#include <inttypes.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BLOCK_SIZE = 512 };

static int format;
static size_t head_size;

static void mend(char *file)
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
    memset(file, 0, BLOCK_SIZE);
    snprintf(file, BLOCK_SIZE, "palpate vademecum %d %zu %016" PRIx64 " %zu\n", format,
             whole_size - BLOCK_SIZE,
             pal_hash_words(PAL_HASH_START, file + BLOCK_SIZE, whole_size - BLOCK_SIZE), head_size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char file[FILE_MAX];
    if (whole_size == 0) {
        prepare(false);
        demand(sscanf(whole, "palpate vademecum %d %*u %*x %zu", &format, &head_size) == 2,
               "a head");
        memcpy(file, whole, whole_size);
        mend(file);
        demand_good(file);
    }
    if (size < 1 || size > FILE_MAX / 2)
        return 0;
    if (data[0] % 4 == 0) {
        memcpy(file, data + 1, size - 1);
        read_and_ask(file, size - 1);
        return 0;
    }
    change(data + 1, size - 1, BLOCK_SIZE, file);
    mend(file);
    read_and_ask(file, whole_size);
    return 0;
}
