#include "math/vec3.h"
#include "mesh/blocks.h"

// Found by trying: more bulge makes the edges of the middle flat, less makes its corners sharp;
// stretched balls want thinner layers.
PalRound pal_round_divide(int32_t least, int32_t most)
{
    double stretch = 1 - (double)least / most;
    PalRound round = {.layer_count = least < 9 ? 1 : (least + 3) / 6,
                      .bulge = 0.38 + 0.33 * stretch};
    round.reach = fmin(0.55 + 0.22 * stretch, 1 - (2 - 0.6 * stretch) * round.layer_count / least);
    return round;
}

PalVec3 pal_round_place(const PalRound *round, PalVec3 u, int32_t layer)
{
    double largest = fmax(fabs(u.x), fmax(fabs(u.y), fabs(u.z)));
    if (largest == 0)
        return u;
    // Equal angles seen from the centre make cells of similar size on the surface
    double angle = acos(-1) / 4 / largest;
    PalVec3 direction =
        pal_vec3_normalise(pal_vec3(tan(angle * u.x), tan(angle * u.y), tan(angle * u.z)));
    if (round->layer_count == 0)
        return pal_vec3_scale(largest, direction);
    double part = round->bulge * largest * largest, outward = (double)layer / round->layer_count;
    PalVec3 inner = pal_vec3_add_scaled(pal_vec3_scale(1 - part, u), part * largest, direction);
    return pal_vec3_add_scaled(pal_vec3_scale((1 - outward) * round->reach, inner), outward,
                               direction);
}
