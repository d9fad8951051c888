// Letters as strokes on a grid: x from 0 to 4, y from 0 (descender) over 2 (baseline) and
// 6 (small letters) to 8 (capitals). Two digits are a point; a space lifts the pen. Letters of
// European languages are one of the alphabet and a mark.
#include "output/image.h"

#include "base/utf8.h"

#include <math.h>
#include <stdint.h>
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
        {'.', "0202"},
        {',', "1201"},
        {'-', "0535"},
        {'+', "0545 2327"},
        {'=', "0444 0646"},
        {'(', "18060412"},
        {')', "08161402"},
        {'/', "0248"},
        {':', "0303 0606"},
        {'_', "0141"},
        {'>', "074503"},
        {'<', "470543"},
        {'%', "0248 0718 4232"},
        {'\'', "0806"},
        {'|', "0108"},
        {'!', "0804 0202"},
        {'"', "0806 2826"},
        {'[', "18080212"},
        {']', "08181202"},
        {';', "1201 1515"},
        {'*', "0446 0644 2327"},
        {'#', "0444 0646 1228 3248"},
        {'&', "42161728370403122244"},
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

// ---- letters with marks -------------------------------------------------------------------

#define FIRST_MARKED 0xc0
#define END_MARKED   0x180

// From U+00C0 on: the letter, and its mark as in `marks`. A question mark: see `others`.
static const char bases[] =
    "AAAAAA?CEEEEIIIIDNOOOOOxOUUUUY??aaaaaa?ceeeeiiiidnooooo-ouuuuy?y"
    "AaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGgGgGgHhHhIiIiIiIiIi??JjKk?LlLlLl??LlNnNnNn???OoOoOo??RrRrRr"
    "SsSsSsSsTtTtTtUuUuUuUuUuUuWwYyYZzZzZz?";
static const char marks_of[] =
    "`'^~\"o ,`'^\"`'^\"-~`'^~\" /`'^\"'  `'^~\"o ,`'^\"`'^\"-~`'^~\" /`'^\"' \""
    "__uu;;''^^..vvvv--__uu..;;vv^^uu..,,^^--~~__uu;;.!  ^^,, '',,vv  //'',,vv   __uu==  "
    "'',,vv''^^,,vv,,vv--~~__uuoo==;;^^^^\"''..vv ";
_Static_assert(sizeof bases == END_MARKED - FIRST_MARKED + 1, "a letter for each");
_Static_assert(sizeof marks_of == END_MARKED - FIRST_MARKED + 1, "a mark for each");

// Over small letters; two higher over capitals. The last ones are below or across.
static const struct {
    char mark;
    uint16_t combining;  // the character that adds it to the letter before
    const char *strokes;
} marks[] = {
    {'`', 0x300, "1837"},     {'\'', 0x301, "1738"},     {'^', 0x302, "172837"},
    {'~', 0x303, "07183748"}, {'"', 0x308, "1717 3737"}, {'o', 0x30a, "2718293827"},
    {'v', 0x30c, "182738"},   {'_', 0x304, "0747"},      {'u', 0x306, "18173738"},
    {'.', 0x307, "2727"},     {'=', 0x30b, "0718 2738"}, {',', 0x327, "222110"},
    {';', 0x328, "322130"},   {'/', 0, "0246"},          {'-', 0, "1545"},
};
enum { ABOVE = 11 };  // of the marks

// Characters that are written as others.
static const struct {
    uint16_t character;
    const char *letters;
} others[] = {
    {0xa0, " "},    {0xb0, "o"},    {0xb2, "2"},     {0xb3, "3"},   {0xb5, "u"},   {0xb7, "."},
    {0xc6, "AE"},   {0xde, "Th"},   {0xdf, "ss"},    {0xe6, "ae"},  {0xfe, "th"},  {0x132, "IJ"},
    {0x133, "ij"},  {0x138, "k"},   {0x13f, "L"},    {0x140, "l"},  {0x149, "n"},  {0x14a, "N"},
    {0x14b, "n"},   {0x152, "OE"},  {0x153, "oe"},   {0x17f, "s"},  {0x2010, "-"}, {0x2011, "-"},
    {0x2012, "-"},  {0x2013, "-"},  {0x2014, "-"},   {0x2018, "'"}, {0x2019, "'"}, {0x201c, "\""},
    {0x201d, "\""}, {0x201e, "\""}, {0x2026, "..."}, {0x2212, "-"},
};

// A character as it is drawn: up to three letters, or one with a mark.
typedef struct Drawn {
    char letters[4];
    char mark;  // 0: none; without letters, over the one before
} Drawn;

static uint32_t code_of(const char *text, int length)
{
    static const unsigned char heads[PAL_UTF8_MAX + 1] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t code = (unsigned char)text[0] & heads[length];
    for (int i = 1; i < length; ++i)
        code = code << 6 | ((unsigned char)text[i] & 0x3f);
    return code;
}

static Drawn drawn_as(uint32_t code)
{
    if (code < 0x80)
        return (Drawn){{(char)code}, 0};
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
        if (others[i].character == code) {
            Drawn drawn = {{0}, 0};
            strcpy(drawn.letters, others[i].letters);
            return drawn;
        }
    for (size_t i = 0; i < sizeof marks / sizeof *marks; ++i)
        if (marks[i].combining == code)
            return (Drawn){{0}, marks[i].mark};
    if (code >= FIRST_MARKED && code < END_MARKED) {
        char mark = marks_of[code - FIRST_MARKED];
        return (Drawn){{bases[code - FIRST_MARKED]}, mark == ' ' ? (char)0 : mark};
    }
    return (Drawn){{'?'}, 0};
}

// The next character; moves on behind it. What is no UTF-8 is taken byte by byte.
static Drawn next_drawn(const char **text)
{
    int length = pal_utf8_length(*text, PAL_UTF8_MAX);
    const char *here = *text;
    *text += length > 0 ? length : 1;
    return length > 0 ? drawn_as(code_of(here, length)) : (Drawn){{'?'}, 0};
}

// Letters whose dot gives way to a mark.
static const char *strokes_under(char letter, char mark)
{
    if (mark != 0 && mark != ';' && mark != ',' && (letter == 'i' || letter == 'j'))
        return letter == 'i' ? "0206" : "161100";
    return strokes_of(letter);
}

// ---- sizes --------------------------------------------------------------------------------

static double width_of(char c)
{
    if (c == ' ')
        return 3;
    int widest = 0;
    const char *s = strokes_of(c);
    for (int i = 0; s[i] != '\0'; i += s[i] == ' ' ? 1 : 2)
        if (s[i] != ' ' && s[i] - '0' > widest)
            widest = s[i] - '0';
    return widest;
}

double pal_lettering_width(double size, const char *string)
{
    double width = 0;
    while (*string != '\0') {
        Drawn drawn = next_drawn(&string);
        for (const char *c = drawn.letters; *c != '\0'; ++c)
            width += width_of(*c) + SPACING;
    }
    return fmax(width - SPACING, 0) * size / CAPITAL;
}

// ---- drawing ------------------------------------------------------------------------------

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

// Strokes, moved by some points of the grid.
typedef struct Glyph {
    const char *strokes;
    double right, up;
} Glyph;

static void draw_glyph(PalImage *image, const PalLettering *at, const Glyph *glyph)
{
    double cover[GLYPH_SIDE * GLYPH_SIDE] = {0};
    double scale = at->size / CAPITAL, margin = 3 + 2 * scale;
    double x = at->x + glyph->right * scale, y = at->y - glyph->up * scale;
    int32_t left = (int32_t)floor(x - margin), top = (int32_t)floor(y - at->size - margin);
    for (const char *s = glyph->strokes; *s != '\0'; s += *s == ' ' ? 1 : 2) {
        if (*s == ' ' || s[2] == ' ' || s[2] == '\0')
            continue;
        Segment segment = {
            .x0 = x - left + (s[0] - '0') * scale,
            .y0 = y - top - (s[1] - '2') * scale,
            .x1 = x - left + (s[2] - '0') * scale,
            .y1 = y - top - (s[3] - '2') * scale,
            .half_width = fmax(PEN * scale, 0.5),
        };
        add_segment(cover, GLYPH_SIDE, &segment);
    }
    for (int32_t v = 0; v < GLYPH_SIDE; ++v)
        for (int32_t u = 0; u < GLYPH_SIDE; ++u) {
            int32_t px = left + u, py = top + v;
            if (cover[v * GLYPH_SIDE + u] <= 0 || px < 0 || py < 0 || px >= image->width ||
                py >= image->height)
                continue;
            PalColour *pixel = &image->pixels[(size_t)py * (size_t)image->width + (size_t)px];
            *pixel = pal_colour_mix(*pixel, at->colour, cover[v * GLYPH_SIDE + u]);
        }
}

// In the middle of the letter, which is at the same place.
static void draw_mark(PalImage *image, const PalLettering *at, char mark, char letter)
{
    bool tall = (letter >= 'A' && letter <= 'Z') || strchr("bdfhklt", letter) != NULL;
    for (int i = 0; i < (int)(sizeof marks / sizeof *marks); ++i) {
        if (marks[i].mark != mark)
            continue;
        Glyph glyph = {marks[i].strokes, width_of(letter) / 2 - 2, i < ABOVE && tall ? 2 : 0};
        draw_glyph(image, at, &glyph);
    }
}

void pal_image_letter(PalImage *image, const PalLettering *lettering, const char *string)
{
    PalLettering at = *lettering, before = at;
    char last = ' ';
    while (*string != '\0' && at.x < image->width) {
        Drawn drawn = next_drawn(&string);
        if (drawn.letters[0] == '\0')
            draw_mark(image, &before, drawn.mark, last);
        for (const char *c = drawn.letters; *c != '\0'; ++c) {
            before = at;
            last = *c;
            Glyph glyph = {strokes_under(*c, drawn.mark), 0, 0};
            if (*c != ' ')
                draw_glyph(image, &at, &glyph);
            if (drawn.mark != 0)
                draw_mark(image, &at, drawn.mark, *c);
            at.x += (width_of(*c) + SPACING) * at.size / CAPITAL;
        }
    }
}
