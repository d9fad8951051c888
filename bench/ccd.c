// Continuous detection as a step of contact asks for it: two wavy sheets of triangles that face
// each other at a hundredth of a cell and approach by half of that, each vertex a little astray.
// Asked are all pairs of the two sheets whose swept boxes overlap.
#include "bench.h"

#include <math.h>
#include <stdlib.h>

enum { CELLS = 48, SIDE = CELLS + 1, NODES = SIDE * SIDE, REPETITION_MAX = 99, BLOCK = 512 };
enum { FACES = 2 * CELLS * CELLS, EDGES = 3 * CELLS * CELLS + 2 * CELLS };

static const double gap = 0.01, approach = 0.005, astray = 0.0025, separation = 0.001;

typedef bool (*Detect)(const PalVec3 *, const PalVec3 *, double, double *);

typedef struct Query {
    PalVec3 start[4], end[4];
} Query;

typedef struct Sheet {
    PalVec3 start[NODES], end[NODES];
    int faces[FACES][3], edges[EDGES][2];
} Sheet;

typedef struct Queries {
    Query *list;
    int64_t count, capacity;
} Queries;

static double random_between(double low, double high, uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return low + (high - low) * (double)(*seed >> 11) * 0x1p-53;
}

// Cells of size 1; the upper sheet stands off and comes down, its vertices over the lower one's
// cells.
static void fill_sheet(Sheet *sheet, bool upper, uint64_t *seed)
{
    for (int n = 0; n < NODES; ++n) {
        double x = n % SIDE + random_between(-0.2, 0.2, seed) + (upper ? 0.37 : 0);
        double y = n / SIDE + random_between(-0.2, 0.2, seed) + (upper ? 0.41 : 0);
        double z = sin(0.1 * x) * cos(0.08 * y) + (upper ? gap : 0);
        sheet->start[n] = (PalVec3){x, y, z + random_between(-astray, astray, seed)};
        sheet->end[n] = sheet->start[n];
        sheet->end[n].x += random_between(-approach, approach, seed);
        sheet->end[n].y += random_between(-approach, approach, seed);
        sheet->end[n].z += random_between(-astray, astray, seed) - (upper ? approach : 0);
    }
    int f = 0, e = 0;
    for (int j = 0; j <= CELLS; ++j)
        for (int i = 0; i <= CELLS; ++i) {
            int n = j * SIDE + i, corner[4] = {n, n + 1, n + SIDE + 1, n + SIDE};
            for (int k = 0; k < 3; ++k) {
                if ((k < 2 && i == CELLS) || (k > 0 && j == CELLS))
                    continue;
                sheet->edges[e][0] = n;
                sheet->edges[e++][1] = corner[k + 1];
            }
            for (int k = 1; k < 3 && i < CELLS && j < CELLS; ++k, ++f)
                for (int a = 0; a < 3; ++a)
                    sheet->faces[f][a] = corner[a == 0 ? 0 : a + k - 1];
        }
}

static void grow(PalBounds *box, PalVec3 p)
{
    box->lower.x = fmin(box->lower.x, p.x);
    box->lower.y = fmin(box->lower.y, p.y);
    box->lower.z = fmin(box->lower.z, p.z);
    box->upper.x = fmax(box->upper.x, p.x);
    box->upper.y = fmax(box->upper.y, p.y);
    box->upper.z = fmax(box->upper.z, p.z);
}

static PalBounds swept_box(const Query *query, int first, int last)
{
    PalBounds box = {query->start[first], query->start[first]};
    for (int k = first; k <= last; ++k) {
        grow(&box, query->start[k]);
        grow(&box, query->end[k]);
    }
    return box;
}

static bool boxes_overlap(const Query *query, int split)
{
    PalBounds a = swept_box(query, 0, split - 1), b = swept_box(query, split, 3);
    return a.lower.x <= b.upper.x + separation && b.lower.x <= a.upper.x + separation &&
           a.lower.y <= b.upper.y + separation && b.lower.y <= a.upper.y + separation &&
           a.lower.z <= b.upper.z + separation && b.lower.z <= a.upper.z + separation;
}

// One pair: `count` points of a, the others of b.
static bool add_pair(Queries *queries, const Sheet *a, const int *of_a, int count, const Sheet *b,
                     const int *of_b)
{
    Query query;
    for (int k = 0; k < 4; ++k) {
        const Sheet *sheet = k < count ? a : b;
        int n = k < count ? of_a[k] : of_b[k - count];
        query.start[k] = sheet->start[n];
        query.end[k] = sheet->end[n];
    }
    if (!boxes_overlap(&query, count))
        return true;
    if (queries->count == queries->capacity) {
        int64_t capacity = queries->capacity > 0 ? 2 * queries->capacity : 1 << 12;
        Query *list = realloc(queries->list, (size_t)capacity * sizeof *list);
        if (list == NULL)
            return false;
        queries->list = list;
        queries->capacity = capacity;
    }
    queries->list[queries->count++] = query;
    return true;
}

static bool collect(Queries *queries, const Sheet *a, const Sheet *b, bool edges)
{
    int count = edges ? EDGES : NODES, others = edges ? EDGES : FACES;
    for (int i = 0; i < count; ++i)
        for (int j = 0; j < others; ++j) {
            const int *of_a = edges ? a->edges[i] : &i, *of_b = edges ? b->edges[j] : b->faces[j];
            PalVec3 p = a->start[of_a[0]], q = b->start[of_b[0]];
            bool far = fabs(p.x - q.x) > 3 || fabs(p.y - q.y) > 3;
            if (!far && !add_pair(queries, a, of_a, edges ? 2 : 1, b, of_b))
                return false;
        }
    return true;
}

static int64_t count_contacts(const Query *list, int64_t count, Detect detect, double distance)
{
    int64_t contacts = 0;
    double time;
    for (int64_t q = 0; q < count; ++q)
        contacts += detect(list[q].start, list[q].end, distance, &time);
    return contacts;
}

static double sum_of(const Query *list, int64_t count)
{
    double sum = 0;
    for (int64_t q = 0; q < count; ++q)
        for (int k = 0; k < 4; ++k)
            sum += list[q].start[k].x + list[q].end[k].x;
    return sum;
}

// Block by block, each brought to the cache before: a caller has its points there.
static double seconds_for_all(const Queries *queries, Detect detect)
{
    volatile double keep = 0;
    double seconds = 0;
    for (int64_t first = 0; first < queries->count; first += BLOCK) {
        const Query *list = queries->list + first;
        int64_t count = queries->count - first < BLOCK ? queries->count - first : BLOCK;
        keep = keep + sum_of(list, count);
        double start = pal_bench_seconds();
        keep = keep + (double)count_contacts(list, count, detect, separation);
        seconds += pal_bench_seconds() - start;
    }
    return seconds;
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void measure(const Queries *queries, Detect detect, int32_t repetitions, PalBenchCcd *result)
{
    double times[REPETITION_MAX], count = (double)queries->count;
    int32_t runs = repetitions < REPETITION_MAX ? repetitions : REPETITION_MAX;
    for (int32_t r = 0; r < runs; ++r)
        times[r] = 1e9 * seconds_for_all(queries, detect) / count;
    qsort(times, (size_t)runs, sizeof *times, compare);
    // What is no contact any more when told apart by a billionth of a cell may be a false alarm.
    int64_t contacts = count_contacts(queries->list, queries->count, detect, separation);
    int64_t certain = count_contacts(queries->list, queries->count, detect, separation - 1e-9);
    *result = (PalBenchCcd){.pairs = queries->count,
                            .median = times[runs / 2],
                            .least = times[0],
                            .contacts = (double)contacts / count,
                            .doubtful = (double)(contacts - certain) / count};
}

PalStatus pal_bench_ccd(int32_t repetitions, PalBenchCcd results[2], PalError *error)
{
    static Sheet lower, upper;
    uint64_t seed = 1;
    fill_sheet(&lower, false, &seed);
    fill_sheet(&upper, true, &seed);
    for (int edges = 0; edges < 2; ++edges) {
        Queries queries = {0};
        bool good = collect(&queries, &upper, &lower, edges == 1) &&
                    (edges == 1 || collect(&queries, &lower, &upper, false));
        if (good)
            measure(&queries, edges == 1 ? pal_ccd_edge_edge : pal_ccd_vertex_face, repetitions,
                    &results[edges]);
        free(queries.list);
        if (!good)
            return pal_error_set(error, PAL_NO_MEMORY, "no memory for the pairs of contact");
    }
    return PAL_OK;
}
