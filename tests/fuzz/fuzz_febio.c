// Any bytes as a FEBio model, up to the tree of its scene.
#include "fuzz_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_model(data, size, "fuzz.feb");
}
