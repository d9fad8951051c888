// The two sides of a list: what two patches have that may be near each other. Boxes are compared
// eight at a time, and what their middles tell.   docs/theory/contact.md, pairs of patches
#include "base/memory.h"
#include "contact/response/lagrange/lists.h"
#include "math/float4.h"
#include "math/lanes.h"
#include "math/vec3.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define ROW      8      // boxes that are compared at once
#define ROUNDING 1e-5f  // far above what floats round, of distances and of coordinates
#define PARALLEL 1e-4f  // square of the sine of an angle: floats do not tell where edges cross

// Vectors are handed over by code of the same instruction set only.
#define INLINE inline __attribute__((always_inline))

enum { VERTICES, FACETS, EDGES, KINDS };

enum { AXES = 3, CORNERS = 3 };

// Numbers of what is compared, along each axis: bounds of its box; twice the way from the middle of
// the box to each corner of a facet, or from one end of an edge to the other.
enum { LOWER = 0, UPPER = AXES, ARMS = 2 * AXES, NUMBERS = ARMS + CORNERS * AXES };

PalStatus pal_lister_create(PalLister *lister, const PalCut *cut, PalError *error)
{
    const PalLists *lists[KINDS] = {&cut->vertices, &cut->facets, &cut->edges};
    lister->most = KINDS * ROW;
    lister->most_around = 1;
    for (int32_t p = 0; p < cut->count; ++p) {
        size_t count = KINDS * ROW;
        for (int kind = 0; kind < KINDS; ++kind)
            count += (size_t)(lists[kind]->start[p + 1] - lists[kind]->start[p]);
        lister->most = count > lister->most ? count : lister->most;
        size_t around = (size_t)(cut->around.start[p + 1] - cut->around.start[p]);
        lister->most_around = around > lister->most_around ? around : lister->most_around;
    }
    bool good = lister->most <= UINT16_MAX && pal_lister_finders(lister, 1) == 1;
    return good ? PAL_OK : pal_error_set(error, PAL_NO_MEMORY, "no memory for contact");
}

static void clear_finder(PalFinder *finder)
{
    for (int s = 0; s < 2; ++s) {
        pal_free(finder->sides[s].places);
        pal_free(finder->sides[s].around);
        pal_free(finder->sides[s].boxes);
        pal_free(finder->sides[s].beyond);
        pal_free(finder->sides[s].numbers);
        pal_free(finder->sides[s].ids);
    }
    pal_array_clear(&finder->hits);
    pal_array_clear(&finder->ways);
    *finder = (PalFinder){0};
}

static bool create_finder(const PalLister *lister, PalFinder *finder)
{
    bool good = true;
    for (int s = 0; s < 2; ++s) {
        PalSide *side = &finder->sides[s];
        side->places = pal_alloc(lister->most, sizeof *side->places);
        side->around = pal_alloc(lister->most_around, sizeof *side->around);
        side->boxes = pal_alloc(lister->most_around, sizeof *side->boxes);
        side->beyond = pal_alloc(lister->most_around, sizeof *side->beyond);
        side->numbers = pal_alloc(lister->most, NUMBERS * sizeof *side->numbers);
        side->ids = pal_alloc(lister->most, CORNERS * sizeof *side->ids);
        good = good && side->places != NULL && side->around != NULL && side->boxes != NULL &&
               side->beyond != NULL && side->numbers != NULL && side->ids != NULL;
    }
    if (!good)
        clear_finder(finder);
    return good;
}

int32_t pal_lister_finders(PalLister *lister, int32_t thread_count)
{
    int32_t count = 0, most = thread_count < PAL_FINDERS ? thread_count : PAL_FINDERS;
    while (count < most && (lister->finders[count].sides[0].places != NULL ||
                            create_finder(lister, &lister->finders[count])))
        ++count;
    return count;
}

void pal_lister_clear(PalLister *lister)
{
    for (int f = 0; f < PAL_FINDERS; ++f)
        clear_finder(&lister->finders[f]);
    for (int i = 0; i < PAL_FOUND_LISTS; ++i) {
        pal_array_clear(&lister->found[i].plain);
        pal_array_clear(&lister->found[i].flat);
        pal_array_clear(&lister->found[i].all);
    }
    pal_array_clear(&lister->kept);
    *lister = (PalLister){0};
}

// ---- sides ------------------------------------------------------------------------------

static PalBox grown(PalBox box, PalFloat4 room)
{
    return (PalBox){pal_float4_lower(pal_float4_lower(box.lower) - room),
                    pal_float4_upper(pal_float4_upper(box.upper) + room)};
}

// Where the vertices around a patch are, and their box.
static PalBox find_around(const PalListing *listing, int32_t patch, PalSide *side)
{
    const PalLists *list = &listing->cut->around;
    int32_t first = list->start[patch], count = list->start[patch + 1] - first;
    for (int32_t k = 0; k < count; ++k)
        side->around[k] = pal_float4(
            pal_vec3_sub(listing->surface->start[list->items[first + k]], listing->origin));
    PalBox box = {side->around[0], side->around[0]};
    for (int32_t k = 1; k < count; ++k) {
        box.lower = pal_float4_min(box.lower, side->around[k]);
        box.upper = pal_float4_max(box.upper, side->around[k]);
    }
    return box;
}

// Boxes around vertices with so much room. What has all its vertices beyond one side of the other
// patch's box does not meet it.
static void find_beyond(const PalListing *listing, int32_t patch, const PalBox *box, PalFloat4 room,
                        PalSide *side)
{
    const PalLists *list = &listing->cut->around;
    for (int32_t k = 0; k < list->start[patch + 1] - list->start[patch]; ++k) {
        PalFloat4 at = side->around[k];
        PalInt4 bits = ((PalInt4)(at < box->lower) & (PalInt4){1, 2, 4, 0}) |
                       ((PalInt4)(at > box->upper) & (PalInt4){8, 16, 32, 0});
        side->beyond[k] = (uint8_t)(bits[0] | bits[1] | bits[2]);
        side->boxes[k] = grown((PalBox){at, at}, room);
    }
}

// Where the numbers of what is compared are, and its vertices, in steps of a row.
static INLINE float *numbers_of(const PalSide *side, int32_t place)
{
    uint32_t in_row = (uint32_t)place % ROW;
    return side->numbers + ((uint32_t)place - in_row) * NUMBERS + in_row;
}

static INLINE int32_t *ids_of(const PalSide *side, int32_t place)
{
    uint32_t in_row = (uint32_t)place % ROW;
    return side->ids + ((uint32_t)place - in_row) * CORNERS + in_row;
}

static INLINE void put_vector(float *numbers, int number, PalFloat4 vector)
{
    for (int axis = 0; axis < AXES; ++axis)
        numbers[(number + axis) * ROW] = vector[axis];
}

static INLINE float *add_to_side(PalSide *side, int32_t *count, int32_t place, PalBox box)
{
    float *numbers = numbers_of(side, *count);
    put_vector(numbers, LOWER, box.lower);
    put_vector(numbers, UPPER, box.upper);
    side->places[(*count)++] = place;
    return numbers;
}

static INLINE void fill_row(PalSide *side, int32_t *count)
{
    const PalFloat4 endless = {INFINITY, INFINITY, INFINITY, INFINITY};
    while (*count % ROW != 0)
        add_to_side(side, count, PAL_NONE, (PalBox){endless, -endless});
}

static INLINE PalBox join(PalBox a, PalBox b)
{
    return (PalBox){pal_float4_min(a.lower, b.lower), pal_float4_max(a.upper, b.upper)};
}

// What was added last has these vertices, by their places around the patch.
static INLINE void add_ids(PalSide *side, int32_t place, const int32_t *ids,
                           const int32_t *vertices, int count)
{
    int32_t *into = ids_of(side, place);
    for (int k = 0; k < count; ++k)
        into[k * ROW] = ids[vertices[k]];
}

static INLINE void add_facet(PalSide *side, int32_t *count, int32_t place, const int32_t c[3])
{
    const PalBox *boxes = side->boxes;
    PalBox box = join(boxes[c[0]], join(boxes[c[1]], boxes[c[2]]));
    PalFloat4 twice = box.lower + box.upper;
    float *numbers = add_to_side(side, count, place, box);
    for (int k = 0; k < CORNERS; ++k)
        put_vector(numbers, ARMS + k * AXES, 2 * side->around[c[k]] - twice);
}

static INLINE void add_edge(PalSide *side, int32_t *count, int32_t place, const int32_t e[2])
{
    PalBox box = join(side->boxes[e[0]], side->boxes[e[1]]);
    float *numbers = add_to_side(side, count, place, box);
    put_vector(numbers, ARMS, side->around[e[1]] - side->around[e[0]]);
}

// What one patch has near the box of the other. `named`: by which vertices.
PAL_CLONES static void find_side(const PalCut *cut, int32_t patch, bool named, PalSide *side)
{
    const uint8_t *beyond = side->beyond;
    const int32_t *ids = cut->around.items + cut->around.start[patch];
    int32_t count = 0, first = cut->vertices.start[patch];
    side->start[VERTICES] = count;
    for (int32_t k = 0; k < cut->vertices.start[patch + 1] - first; ++k) {
        if (beyond[k] != 0)
            continue;
        add_to_side(side, &count, first + k, side->boxes[k]);
        if (named)
            add_ids(side, count - 1, ids, &k, 1);
    }
    fill_row(side, &count);
    side->start[FACETS] = count;
    for (int32_t k = cut->facets.start[patch]; k < cut->facets.start[patch + 1]; ++k) {
        const int32_t *c = cut->corners[k];
        if ((beyond[c[0]] & beyond[c[1]] & beyond[c[2]]) != 0)
            continue;
        add_facet(side, &count, k, c);
        if (named)
            add_ids(side, count - 1, ids, c, 3);
    }
    fill_row(side, &count);
    side->start[EDGES] = count;
    for (int32_t k = cut->edges.start[patch]; k < cut->edges.start[patch + 1]; ++k) {
        const int32_t *e = cut->ends[k];
        if ((beyond[e[0]] & beyond[e[1]]) != 0)
            continue;
        add_edge(side, &count, k, e);
        if (named)
            add_ids(side, count - 1, ids, e, 2);
    }
    fill_row(side, &count);
    side->start[KINDS] = count;
}

// ---- comparing --------------------------------------------------------------------------

typedef float Row __attribute__((vector_size(sizeof(float) * ROW)));
typedef int32_t RowMask __attribute__((vector_size(sizeof(float) * ROW)));
typedef int32_t HalfMask __attribute__((vector_size(sizeof(float) * ROW / 2)));

static INLINE Row load(const float *from)
{
    Row row;
    memcpy(&row, from, sizeof row);
    return row;
}

// One bit for each number that is not 0.
static INLINE uint64_t bits_of(RowMask mask)
{
    mask &= (RowMask){1, 2, 4, 8, 16, 32, 64, 128};
    HalfMask half = __builtin_shufflevector(mask, mask, 0, 1, 2, 3) |
                    __builtin_shufflevector(mask, mask, 4, 5, 6, 7);
    uint64_t two[2];
    memcpy(two, &half, sizeof two);
    uint64_t all = two[0] | two[1];
    return (all | all >> 32) & 255;
}

// What is compared with eight at a time.
typedef struct One {
    float lower[AXES], upper[AXES];
    float twice[AXES];  // where its middle is, times two
    float arm[AXES];
    int32_t ids[2];
} One;

static INLINE One one_of(const PalSide *side, int32_t place)
{
    const float *numbers = numbers_of(side, place);
    const int32_t *ids = ids_of(side, place);
    One one = {.ids = {ids[0], ids[ROW]}};
    for (int axis = 0; axis < AXES; ++axis) {
        one.lower[axis] = numbers[(LOWER + axis) * ROW];
        one.upper[axis] = numbers[(UPPER + axis) * ROW];
        one.twice[axis] = one.lower[axis] + one.upper[axis];
        one.arm[axis] = numbers[(ARMS + axis) * ROW];
    }
    return one;
}

static INLINE RowMask boxes_meet(const One *one, const float *eight)
{
    return (load(eight + LOWER * ROW) <= one->upper[0]) &
           (load(eight + UPPER * ROW) >= one->lower[0]) &
           (load(eight + (LOWER + 1) * ROW) <= one->upper[1]) &
           (load(eight + (UPPER + 1) * ROW) >= one->lower[1]) &
           (load(eight + (LOWER + 2) * ROW) <= one->upper[2]) &
           (load(eight + (UPPER + 2) * ROW) >= one->lower[2]);
}

static INLINE Row larger(Row a, Row b)
{
    RowMask more = a > b;
    return (Row)((more & (RowMask)a) | (~more & (RowMask)b));
}

static INLINE Row arm_along(const Row s[AXES], const float *eight, int corner)
{
    const float *arm = eight + (ARMS + corner * AXES) * ROW;
    return s[0] * load(arm) + s[1] * load(arm + ROW) + s[2] * load(arm + 2 * ROW);
}

// Along the line of their middles, of which s is twice the length, a vertex and a facet are (s . s
// less how far its arms reach along s) / 2 |s| apart. Is that farther than what this is the square
// of? False for what is no number.
static INLINE RowMask are_far(const One *one, const float *eight, float far2)
{
    Row s[AXES];
    for (int axis = 0; axis < AXES; ++axis)
        s[axis] = one->twice[axis] -
                  (load(eight + (LOWER + axis) * ROW) + load(eight + (UPPER + axis) * ROW));
    Row square = s[0] * s[0] + s[1] * s[1] + s[2] * s[2];
    Row reach =
        larger(arm_along(s, eight, 0), larger(arm_along(s, eight, 1), arm_along(s, eight, 2)));
    Row apart = square - reach;
    return (apart > 0) & (apart * apart > 4 * far2 * square);
}

// Within half the length of an edge from its middle.
static INLINE Row within(Row x)
{
    const Row half = {0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f};
    return -larger(-larger(x, -half), -half);
}

// An edge and eight others: ways between points that are closest, or nearly so. Along any way,
// edges are as far apart as their middles, less how far their arms reach along it. With m from
// middle to middle and arms a and b, m + s a - t b is shortest where s a2 = t ab - am and
// t b2 = s ab + bm.
static INLINE Row find_ways(const One *one, const float *eight, Row way[AXES])
{
    const float *a = one->arm;
    Row b[AXES], m[AXES];
    for (int axis = 0; axis < AXES; ++axis) {
        b[axis] = load(eight + (ARMS + axis) * ROW);
        m[axis] = 0.5f * (one->twice[axis] - (load(eight + (LOWER + axis) * ROW) +
                                              load(eight + (UPPER + axis) * ROW)));
    }
    float a2 = a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + FLT_MIN;
    Row b2 = b[0] * b[0] + b[1] * b[1] + b[2] * b[2] + FLT_MIN;
    Row ab = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    Row am = a[0] * m[0] + a[1] * m[1] + a[2] * m[2];
    Row bm = m[0] * b[0] + m[1] * b[1] + m[2] * b[2], sine = a2 * b2 - ab * ab;
    RowMask cross = sine > PARALLEL * a2 * b2;
    Row s = within((Row)(cross & (RowMask)((ab * bm - am * b2) / sine)));
    Row t = within((ab * s + bm) / b2);
    s = within((ab * t - am) / a2);
    for (int axis = 0; axis < AXES; ++axis)
        way[axis] = m[axis] + s * a[axis] - t * b[axis];
    Row along_a = way[0] * a[0] + way[1] * a[1] + way[2] * a[2];
    Row along_b = way[0] * b[0] + way[1] * b[1] + way[2] * b[2];
    Row reach = larger(along_a, -along_a) + larger(along_b, -along_b);
    return way[0] * m[0] + way[1] * m[1] + way[2] * m[2] - 0.5f * reach;
}

static INLINE RowMask load_ids(const int32_t *from)
{
    RowMask row;
    memcpy(&row, from, sizeof row);
    return row;
}

// Do a vertex and facets, or two edges, have a vertex in common?
static INLINE RowMask share(const One *one, const int32_t *eight, bool edges)
{
    RowMask first = load_ids(eight), second = load_ids(eight + ROW);
    RowMask same = (first == one->ids[0]) | (second == one->ids[0]);
    if (edges)
        return same | (first == one->ids[1]) | (second == one->ids[1]);
    return same | (load_ids(eight + 2 * ROW) == one->ids[0]);
}

// How two sides are compared.
typedef struct Comparison {
    const PalSide *a, *b;
    bool edges;   // with edges; otherwise vertices of the first with facets of the second
    bool same;    // the two are one: each two once
    bool shares;  // what has a vertex in common is left out
    float far2;   // square of how far apart they may be
} Comparison;

static INLINE void add_facets(PalFinder *finder, RowMask those, uint32_t hit)
{
    for (uint64_t left = bits_of(those); left != 0; left &= left - 1)
        finder->hits.items[finder->hits.count++] = hit + (uint32_t)__builtin_ctzll(left);
}

// Of these edges of a row of eight, those that are near one: their hits, and ways.
static INLINE void add_edges(PalFinder *finder, const Comparison *with, const One *one,
                             const float *eight, RowMask those, uint32_t hit)
{
    if (bits_of(those) == 0)
        return;
    Row way[AXES], along = find_ways(one, eight, way);
    Row square = way[0] * way[0] + way[1] * way[1] + way[2] * way[2];
    those &= ~((along > 0) & (along * along > with->far2 * square));
    uint32_t *hits = finder->hits.items + finder->hits.count;
    PalWay *ways = finder->ways.items + finder->hits.count;
    for (uint64_t left = bits_of(those); left != 0; left &= left - 1) {
        int k = __builtin_ctzll(left);
        *hits++ = hit + (uint32_t)k;
        *ways++ = (PalWay){{way[0][k], way[1][k], way[2][k]}, along[k]};
    }
    finder->hits.count = (int32_t)(hits - finder->hits.items);
}

static INLINE void compare(PalFinder *finder, const Comparison *with, bool edges)
{
    const PalSide *a = with->a, *b = with->b;
    int kind_a = edges ? EDGES : VERTICES, kind_b = edges ? EDGES : FACETS;
    int32_t end = b->start[kind_b + 1];
    finder->hits.count = 0;
    for (int32_t i = a->start[kind_a]; i < a->start[kind_a + 1]; ++i) {
        One one = one_of(a, i);
        int32_t first = edges && with->same ? i - i % ROW : b->start[kind_b];
        const float *eight = numbers_of(b, first);
        for (int32_t j = first; j < end; j += ROW, eight += NUMBERS * ROW) {
            RowMask meet = boxes_meet(&one, eight);
            if (bits_of(meet) == 0)
                continue;
            if (with->shares)
                meet &= ~share(&one, ids_of(b, j), edges);
            uint32_t hit = (uint32_t)i << 16 | (uint32_t)j;
            if (edges)
                add_edges(finder, with, &one, eight, meet, hit);
            else
                add_facets(finder, meet & ~are_far(&one, eight, with->far2), hit);
        }
    }
}

// Two and two that may be near each other: finder->hits, which has room.
PAL_CLONES static void find_hits(PalFinder *finder, const Comparison *with)
{
    if (with->edges)
        compare(finder, with, true);
    else
        compare(finder, with, false);
}

// ---- both -------------------------------------------------------------------------------

// Where soft vertices are nodes, patches that do not adjoin have none in common, and those that do
// are compared by their numbers. Sides of membranes, and what is attached, are compared one by one.
static bool shares(const PalListing *listing)
{
    return listing->group->adjoins && listing->surface->plain;
}

// Room for all that may overlap. False: no memory.
static bool make_room(PalFinder *finder)
{
    const int32_t *a = finder->sides[0].start, *b = finder->sides[1].start;
    int64_t edges = (int64_t)(a[KINDS] - a[EDGES]) * (b[KINDS] - b[EDGES]);
    int64_t first = (int64_t)(a[FACETS] - a[VERTICES]) * (b[EDGES] - b[FACETS]);
    int64_t second = (int64_t)(b[FACETS] - b[VERTICES]) * (a[EDGES] - a[FACETS]);
    int64_t most = edges > first ? edges : first;
    most = (most > second ? most : second) + 1;
    finder->hits.count = finder->ways.count = 0;
    finder->most_hits = most > finder->most_hits ? most : finder->most_hits;
    return pal_array_reserve(&finder->hits, most) && pal_array_reserve(&finder->ways, most);
}

// So far that rounding to floats of what is in these boxes brings nothing nearer.
static void find_far_in_floats(PalListing *listing, const PalBox boxes[2])
{
    PalFloat4 most = {0, 0, 0, 0};
    for (int s = 0; s < 2; ++s)
        most = pal_float4_max(most, pal_float4_max(boxes[s].upper, -boxes[s].lower));
    listing->blur = (double)(ROUNDING * fmaxf(most[0], fmaxf(most[1], most[2])));
    float far = (float)((1 + ROUNDING) * (listing->far + listing->blur));
    listing->far2 = far * far;
}

void pal_listing_compare(const PalListing *listing, const PalSide *from, const PalSide *to,
                         bool edges)
{
    const int32_t *patches = listing->group->patches;
    Comparison with = {.a = from,
                       .b = to,
                       .edges = edges,
                       .same = patches[0] == patches[1],
                       .shares = shares(listing),
                       .far2 = listing->far2};
    find_hits(listing->finder, &with);
}

bool pal_listing_find_sides(PalListing *listing)
{
    PalSide *sides = listing->finder->sides;
    const int32_t *patches = listing->group->patches, *first = listing->cut->vertices.start;
    PalBox boxes[2];
    listing->origin = listing->surface->start[listing->cut->vertices.items[first[patches[0]]]];
    PalFloat4 none = {0, 0, 0, 0},
              room = pal_float4(pal_vec3(listing->far, listing->far, listing->far));
    room = pal_float4_upper(room);
    for (int s = 0; s < 2; ++s)
        boxes[s] = grown(find_around(listing, patches[s], &sides[s]), room);
    find_far_in_floats(listing, boxes);
    for (int s = 0; s < 2; ++s) {
        find_beyond(listing, patches[s], &boxes[1 - s], s == 0 ? room : none, &sides[s]);
        find_side(listing->cut, patches[s], shares(listing), &sides[s]);
    }
    return make_room(listing->finder);
}
