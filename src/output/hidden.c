#include "output/hidden.h"

#include "base/memory.h"
#include "output/raster.h"

#include <string.h>

#define WIDTH          240
#define HEIGHT         150
#define LITTLE         0.25  // of a body, seen alone: less is hidden
#define BODY_LIMIT     16    // more bodies, or triangles, are not looked into
#define TRIANGLE_LIMIT 200000

typedef struct Looks {
    const PalFrame *frame;
    bool *left_out;
    int64_t *whole;    // per body: samples seen with everything there
    int64_t *without;  // the same with one body left out
} Looks;

static PalStatus count(const Looks *looks, int64_t *seen, PalError *error)
{
    PalRasterDef def = {
        .frame = looks->frame, .viewport = {0, 0, WIDTH, HEIGHT}, .left_out = looks->left_out};
    return pal_raster_count(&def, WIDTH, HEIGHT, seen, error);
}

static PalStatus count_alone(const Looks *looks, int32_t body, int64_t *alone, PalError *error)
{
    for (int32_t b = 0; b < looks->frame->body_count; ++b)
        looks->left_out[b] = b != body;
    PAL_TRY(count(looks, looks->without, error));
    *alone = looks->without[body];
    return PAL_OK;
}

// The body without which most more would be seen of this one, if that is a good part of it.
static PalStatus find_cover(const Looks *looks, int32_t body, bool *see_through, PalError *error)
{
    int64_t alone = 0, best = 0;
    int32_t cover = PAL_NONE, count_of = looks->frame->body_count;
    PAL_TRY(count_alone(looks, body, &alone, error));
    if ((double)looks->whole[body] >= LITTLE * (double)alone)
        return PAL_OK;
    for (int32_t b = 0; b < count_of; ++b) {
        memset(looks->left_out, 0, (size_t)count_of * sizeof *looks->left_out);
        looks->left_out[b] = true;
        if (b == body)
            continue;
        PAL_TRY(count(looks, looks->without, error));
        int64_t more = looks->without[body] - looks->whole[body];
        if (more > best) {
            best = more;
            cover = b;
        }
    }
    if ((double)best >= LITTLE * (double)alone && cover != PAL_NONE)
        see_through[cover] = true;
    return PAL_OK;
}

PalStatus pal_hidden_find(const PalFrame *frame, bool *see_through, PalError *error)
{
    size_t bodies = (size_t)frame->body_count;
    memset(see_through, 0, bodies * sizeof *see_through);
    if (bodies < 2 || bodies > BODY_LIMIT || frame->triangle_count > TRIANGLE_LIMIT)
        return PAL_OK;
    Looks looks = {.frame = frame,
                   .left_out = pal_alloc(bodies, sizeof *looks.left_out),
                   .whole = pal_alloc(bodies, sizeof *looks.whole),
                   .without = pal_alloc(bodies, sizeof *looks.without)};
    PalStatus status = PAL_OK;
    if (looks.left_out == NULL || looks.whole == NULL || looks.without == NULL)
        status = pal_error_set(error, PAL_NO_MEMORY, "no memory for a picture");
    if (status == PAL_OK)
        status = count(&looks, looks.whole, error);
    for (int32_t b = 0; b < frame->soft_body_count && status == PAL_OK; ++b)
        status = find_cover(&looks, b, see_through, error);
    pal_free(looks.left_out);
    pal_free(looks.whole);
    pal_free(looks.without);
    return status;
}
