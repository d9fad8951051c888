#include "output/hidden.h"

#include "base/memory.h"
#include "output/raster.h"

#include <string.h>

#define WIDTH          240
#define HEIGHT         150
#define LITTLE         0.25  // of a body, seen alone: less is hidden
#define ENOUGH         0.9   // and this is not, once something is out of the way
#define MORE           0.05  // is worth another body out of the way
#define BODY_LIMIT     16    // more bodies, or triangles, are not looked into
#define TRIANGLE_LIMIT 200000

typedef struct Looks {
    const PalFrame *frame;
    bool *left_out, *see_through;
    int64_t *whole;    // per body: samples seen without what one sees through
    int64_t *without;  // the same with one body more left out
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

// The body without which most more would be seen of this one than `seen`, beside those that one
// sees through already.
static PalStatus best_cover(const Looks *looks, int32_t body, int64_t seen, int32_t *cover,
                            int64_t *gain, PalError *error)
{
    const bool *see_through = looks->see_through;
    int32_t count_of = looks->frame->body_count;
    *gain = 0;
    *cover = PAL_NONE;
    for (int32_t b = 0; b < count_of; ++b) {
        if (b == body || see_through[b])
            continue;
        memcpy(looks->left_out, see_through, (size_t)count_of * sizeof *looks->left_out);
        looks->left_out[b] = true;
        PAL_TRY(count(looks, looks->without, error));
        int64_t more = looks->without[body] - seen;
        if (more > *gain) {
            *gain = more;
            *cover = b;
        }
    }
    return PAL_OK;
}

// What is hidden gets one body after the other out of its way, if each is a good part of that.
static PalStatus find_covers(const Looks *looks, int32_t body, PalError *error)
{
    size_t size = (size_t)looks->frame->body_count * sizeof *looks->left_out;
    int64_t alone = 0, gain;
    int32_t cover;
    PAL_TRY(count_alone(looks, body, &alone, error));
    for (bool first = true;; first = false) {
        memcpy(looks->left_out, looks->see_through, size);
        PAL_TRY(count(looks, looks->whole, error));
        int64_t seen = looks->whole[body];
        if ((double)seen >= (first ? LITTLE : ENOUGH) * (double)alone)
            return PAL_OK;
        PAL_TRY(best_cover(looks, body, seen, &cover, &gain, error));
        if (cover == PAL_NONE || !((double)gain >= (first ? LITTLE : MORE) * (double)alone))
            return PAL_OK;
        looks->see_through[cover] = true;
    }
}

PalStatus pal_hidden_find(const PalFrame *frame, bool *see_through, PalError *error)
{
    size_t bodies = (size_t)frame->body_count;
    memset(see_through, 0, bodies * sizeof *see_through);
    if (bodies < 2 || bodies > BODY_LIMIT || frame->triangle_count > TRIANGLE_LIMIT)
        return PAL_OK;
    Looks looks = {.frame = frame,
                   .left_out = pal_alloc(bodies, sizeof *looks.left_out),
                   .see_through = see_through,
                   .whole = pal_alloc(bodies, sizeof *looks.whole),
                   .without = pal_alloc(bodies, sizeof *looks.without)};
    PalStatus status = PAL_OK;
    if (looks.left_out == NULL || looks.whole == NULL || looks.without == NULL)
        status = pal_error_set(error, PAL_NO_MEMORY, "no memory for a picture");
    for (int32_t b = 0; b < frame->soft_body_count && status == PAL_OK; ++b)
        status = find_covers(&looks, b, error);
    pal_free(looks.left_out);
    pal_free(looks.whole);
    pal_free(looks.without);
    return status;
}
