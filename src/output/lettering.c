// Letters as strokes on a grid: x from 0 to 4, y from 0 (descender) over 2 (baseline) and
// 6 (small letters) to 8 (capitals). Two digits are a point; a space lifts the pen.
#include "output/image.h"

#include <math.h>
#include <string.h>

#define CAPITAL 6.0  // baseline to top, on the grid
#define SPACING 1.6
#define PEN     0.42  // half the stroke's width, on the grid

static const char *const digits[10] = {
    "120307183847433212",          "1728 2822 1232", "07183847460242",
    "07183847463515 354443321203", "32380444",       "480805354443321203",
    "473818070312324344351504",    "084812",         "15060718384746351504031232434435",
    "031232434738180706153546",
};

static const char *const capitals[26] = {
    "022842 1434",
    "02083847463505 3544433202",
    "4738180703123243",
    "02082846442202",
    "42020848 0535",
    "020848 0535",
    "47381807031232434525",
    "0208 4248 0545",
    "0222 0828 1218",
    "3833221203",
    "0208 0448 1542",
    "080242",
    "0208254842",
    "02084248",
    "120307183847433212",
    "02083847463505",
    "120307183847433212 2442",
    "02083847463505 2542",
    "473818070615354443321203",
    "0848 2822",
    "080312324348",
    "082248",
    "0812263248",
    "0842 0248",
    "082548 2522",
    "08480242",
};

static const char *const small[26] = {
    "16364542 441403123243",
    "0802 0516364543321203",
    "4536160503123243",
    "4842 4536160503123243",
    "04444536160503123243",
    "38281712 0636",
    "4641301001 4536160504133344",
    "0208 0516364542",
    "0206 0808",
    "161100 1818",
    "0208 0436 1532",
    "080312",
    "0206 05162522 25364542",
    "0206 0516364542",
    "120305163645433212",
    "0006 0516364543321203",
    "4046 4536160503123243",
    "0206 041636",
    "45361605143443321203",
    "18132232 0636",
    "0603123243 4642",
    "062246",
    "0612253246",
    "0642 0246",
    "0622 4610",
    "06460242",
};

static const char *strokes_of(char c)
{
    static const struct {
        char character;
        const char *strokes;
    } others[] = {
        {'.', "0202"},           {',', "1201"},     {'-', "0535"},     {'+', "0545 2327"},
        {'=', "0444 0646"},      {'(', "18060412"}, {')', "08161402"}, {'/', "0248"},
        {':', "0303 0606"},      {'_', "0141"},     {'>', "074503"},   {'<', "470543"},
        {'%', "0248 0718 4232"}, {'\'', "0806"},    {'|', "0108"},     {'!', "0804 0202"},
    };
    if (c >= '0' && c <= '9')
        return digits[c - '0'];
    if (c >= 'A' && c <= 'Z')
        return capitals[c - 'A'];
    if (c >= 'a' && c <= 'z')
        return small[c - 'a'];
    for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i)
        if (others[i].character == c)
            return others[i].strokes;
    return "07183847462423 2222";  // a question mark for what has no letter
}

static double advance_of(char c)
{
    if (c == ' ')
        return 3 + SPACING;
    int widest = 0;
    const char *s = strokes_of(c);
    for (int i = 0; s[i] != '\0'; i += s[i] == ' ' ? 1 : 2)
        if (s[i] != ' ' && s[i] - '0' > widest)
            widest = s[i] - '0';
    return widest + SPACING;
}

double pal_lettering_width(double size, const char *string)
{
    double width = 0;
    for (const char *c = string; *c != '\0'; ++c)
        width += advance_of(*c);
    return fmax(width - SPACING, 0) * size / CAPITAL;
}

typedef struct Segment {
    double x0, y0, x1, y1, half_width;
} Segment;

static double distance_to(const Segment *s, double x, double y)
{
    double dx = s->x1 - s->x0, dy = s->y1 - s->y0, squared = dx * dx + dy * dy;
    double t = squared > 0 ? ((x - s->x0) * dx + (y - s->y0) * dy) / squared : 0;
    t = fmin(fmax(t, 0), 1);
    return hypot(x - s->x0 - t * dx, y - s->y0 - t * dy);
}

// The coverage of a glyph is the largest of its strokes', so that joints do not show.
static void add_segment(double *cover, int32_t side, const Segment *s)
{
    double reach = s->half_width + 0.5;
    int32_t left = (int32_t)fmax(fmin(s->x0, s->x1) - reach - 0.5, 0);
    int32_t right = (int32_t)fmin(fmax(s->x0, s->x1) + reach + 1, side);
    int32_t top = (int32_t)fmax(fmin(s->y0, s->y1) - reach - 0.5, 0);
    int32_t bottom = (int32_t)fmin(fmax(s->y0, s->y1) + reach + 1, side);
    for (int32_t y = top; y < bottom; ++y)
        for (int32_t x = left; x < right; ++x) {
            double share = s->half_width + 0.5 - distance_to(s, x + 0.5, y + 0.5);
            double *c = &cover[y * side + x];
            *c = fmax(*c, fmin(share, 1));
        }
}

#define GLYPH_SIDE 64

static void draw_glyph(PalImage *image, const PalLettering *at, const char *strokes)
{
    double cover[GLYPH_SIDE * GLYPH_SIDE] = {0};
    double scale = at->size / CAPITAL, margin = 3;
    int32_t left = (int32_t)floor(at->x - margin), top = (int32_t)floor(at->y - at->size - margin);
    for (const char *s = strokes; *s != '\0'; s += *s == ' ' ? 1 : 2) {
        if (*s == ' ' || s[2] == ' ' || s[2] == '\0')
            continue;
        Segment segment = {
            .x0 = at->x - left + (s[0] - '0') * scale,
            .y0 = at->y - top - (s[1] - '2') * scale,
            .x1 = at->x - left + (s[2] - '0') * scale,
            .y1 = at->y - top - (s[3] - '2') * scale,
            .half_width = fmax(PEN * scale, 0.5),
        };
        add_segment(cover, GLYPH_SIDE, &segment);
    }
    for (int32_t y = 0; y < GLYPH_SIDE; ++y)
        for (int32_t x = 0; x < GLYPH_SIDE; ++x) {
            int32_t px = left + x, py = top + y;
            if (cover[y * GLYPH_SIDE + x] <= 0 || px < 0 || py < 0 || px >= image->width ||
                py >= image->height)
                continue;
            PalColour *pixel = &image->pixels[(size_t)py * (size_t)image->width + (size_t)px];
            *pixel = pal_colour_mix(*pixel, at->colour, cover[y * GLYPH_SIDE + x]);
        }
}

void pal_image_letter(PalImage *image, const PalLettering *lettering, const char *string)
{
    PalLettering at = *lettering;
    for (const char *c = string; *c != '\0' && at.x < image->width; ++c) {
        if (((unsigned char)*c & 0xc0) == 0x80)  // the rest of a character outside ASCII
            continue;
        if (*c != ' ')
            draw_glyph(image, &at, strokes_of(*c));
        at.x += advance_of(*c) * at.size / CAPITAL;
    }
}
