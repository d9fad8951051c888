// Vademecums in their compact form.
#include "base/hash.h"
#include "fuzz_vademecum.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD_SIZE = 24, SUM_AT = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char file[FILE_MAX];
    if (whole_size == 0) {
        prepare(true);
        demand_good(whole);
    }
    if (size < 1 || size > FILE_MAX / 2)
        return 0;
    if (data[0] % 4 == 0) {
        memcpy(file, data + 1, size - 1);
        read_and_ask(file, size - 1);
        return 0;
    }
    change(data + 1, size - 1, HEAD_SIZE, file);
    uint64_t sum = pal_hash_words(PAL_HASH_START, file + HEAD_SIZE, whole_size - HEAD_SIZE);
    memcpy(file + SUM_AT, &sum, sizeof sum);
    read_and_ask(file, whole_size);
    return 0;
}
