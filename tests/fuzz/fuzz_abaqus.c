// Any bytes as an Abaqus model, up to the tree of its scene.
#include "fuzz_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_model(data, size, "fuzz.inp");
}
