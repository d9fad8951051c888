// palpate-bench: nanoseconds per element and step, and how far that is from what one core can do;
// nanoseconds per pair of continuous detection.
#include "bench.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "usage: palpate-bench [--quick] [--contact [WORD]...] [--output] [--implicit]\n"
    "                     [--repetitions N] [--json FILE]\n"
    "Cubes of neo-Hookean elements on one and two threads, explicit central differences;\n"
    "vertices with faces and edges with edges of approaching sheets; bodies in contact;\n"
    "what part of the processor time the files of a run take.\n"
    "  --quick          the two smaller cubes, three repetitions\n"
    "  --contact        contact alone; with words, only the rows whose names contain one of them,\n"
    "                   such as prostate or pile; 'prostate, all' is the whole run\n"
    "  --output         files alone\n"
    "  --implicit       implicit statics alone, which nothing else measures\n"
    "  --repetitions N  how often each cube is measured, 9 unless told; medians are shown\n"
    "  --json FILE      write the numbers to a file as well\n";

// Operations per element and step, and bytes moved from beyond the second-level cache: counted in
// docs/theory/elements.md, 7, and for t10 and mixed estimated in the same way. Those of integration
// are a few per cent and left out.
typedef struct Work {
    PalElementKind kind;
    double flops, bytes;
} Work;

static const Work works[] = {
    {PAL_ELEMENT_T4, 262, 100},   {PAL_ELEMENT_T4_ANP, 305, 140}, {PAL_ELEMENT_H8, 1057, 510},
    {PAL_ELEMENT_T10, 2010, 640}, {PAL_ELEMENT_MIXED, 620, 450},
};
enum { T4, T4_ANP };  // the first ones

typedef struct Options {
    bool quick, contact, output, implicit;
    int32_t repetitions;  // 0: as each table likes
    const char *json;
    int32_t word_count;
    const char *const *words;  // those of the command line
} Options;

typedef struct Size {
    int32_t tetrahedra, hexahedra;  // cells along an edge, for about the same number of elements
    const char *name;
} Size;

// The built-in box cuts each cell into five or six tetrahedra.
static const Size sizes[] = {{10, 17, "5 k"}, {20, 34, "40 k"}, {34, 58, "200 k"}};
enum { SIZE_COUNT = 3, THREADS_MAX = 2, KIND_COUNT = 5 };

typedef struct Table {
    PalBenchMachine machine;
    PalBenchResult results[KIND_COUNT][SIZE_COUNT][THREADS_MAX];
    int32_t size_count;
    PalBenchCcd ccd[2];
} Table;

// Says what is wrong with the command line.
static bool refuse(const char *what, const char *word)
{
    fprintf(stderr, "palpate-bench: %s: %s\n", what, word);
    return false;
}

static bool read_repetitions(const char *word, Options *options)
{
    char *end;
    long number = strtol(word, &end, 10);
    if (*end != '\0' || number < 1 || number > 99)
        return refuse("--repetitions takes a number from 1 to 99", word);
    options->repetitions = (int32_t)number;
    return true;
}

// Moves words to the front of the values.
static bool read_options(int count, char **values, Options *options)
{
    *options = (Options){.words = (const char *const *)values + 1};
    for (int i = 1; i < count; ++i) {
        const char *value = values[i];
        if (strcmp(value, "--quick") == 0) {
            options->quick = true;
            options->repetitions = 3;
        } else if (strcmp(value, "--contact") == 0) {
            options->contact = true;
        } else if (strcmp(value, "--output") == 0) {
            options->output = true;
        } else if (strcmp(value, "--implicit") == 0) {
            options->implicit = true;
        } else if (strcmp(value, "--repetitions") == 0 && i + 1 < count) {
            if (!read_repetitions(values[++i], options))
                return false;
        } else if (strcmp(value, "--json") == 0 && i + 1 < count) {
            options->json = values[++i];
        } else if (value[0] != '-') {
            values[1 + options->word_count++] = values[i];
        } else {
            bool last = strcmp(value, "--repetitions") == 0 || strcmp(value, "--json") == 0;
            return refuse(last ? "nothing follows" : "no such option", value);
        }
    }
    return options->contact || options->word_count == 0 ||
           refuse("a word without --contact", options->words[0]);
}

static void show(const char *element, const char *size, int threads)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r%-8s %-6s %d thread%s   ", element, size, threads,
                threads > 1 ? "s" : "");
}

static PalStatus fill(const Options *options, Table *table, PalError *error)
{
    for (int k = 0; k < KIND_COUNT; ++k)
        for (int32_t s = 0; s < table->size_count; ++s)
            for (int32_t t = 0; t < THREADS_MAX; ++t) {
                PalElementKind kind = works[k].kind;
                bool hexahedra = pal_element_cell(kind) == PAL_CELL_HEXAHEDRON;
                PalBenchCase one = {.kind = kind,
                                    .cells = hexahedra ? sizes[s].hexahedra : sizes[s].tetrahedra,
                                    .thread_count = t + 1};
                show(pal_element_name(works[k].kind), sizes[s].name, t + 1);
                PAL_TRY(pal_bench_run(&one, options->repetitions, &table->results[k][s][t], error));
            }
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r%40s\r", "");
    return PAL_OK;
}

// Time the machine needs at least: the longer one of arithmetic and of reading the data from
// the cache or memory that holds it.
static double least_time(const Table *table, int kind, const PalBenchResult *result,
                         const char **limit)
{
    double arithmetic = works[kind].flops / table->machine.gigaflops;
    double memory = works[kind].bytes / result->read_rate;
    *limit = arithmetic > memory ? "arithmetic" : "memory";
    return arithmetic > memory ? arithmetic : memory;
}

static void print_case(const Table *table, int k, int32_t s)
{
    const PalBenchResult *one = &table->results[k][s][0], *two = &table->results[k][s][1];
    const char *limit;
    double share = least_time(table, k, one, &limit) / one->least;
    printf("%-7s %8d %7.1f (%5.1f) %7.1f (%5.1f) %6.2fx %7.0f%% %5.0f%% of %-10s %4.0f B\n",
           pal_element_name(works[k].kind), (int)one->element_count, one->median, one->least,
           two->median, two->least, one->least / two->least, 100 * one->elements, 100 * share,
           limit, one->bytes);
}

static void print(const Table *table)
{
    printf(
        "one core: %.1f Gflop/s; memory %.1f GB/s, the largest t4 cube's data read at %.1f GB/s\n",
        table->machine.gigaflops, table->machine.gigabytes,
        table->results[T4][table->size_count - 1][0].read_rate);
    printf("ns per element and step, median (least):\n");
    printf("%-7s %8s %15s %15s %7s %8s %19s %6s\n", "element", "count", "1 thread", "2 threads",
           "ratio", "elements", "roofline", "memory");
    for (int k = 0; k < KIND_COUNT; ++k)
        for (int32_t s = 0; s < table->size_count; ++s)
            print_case(table, k, s);
    printf("t4-anp against t4:");
    for (int32_t s = 0; s < table->size_count; ++s)
        printf(" %.2fx at %s%s",
               table->results[T4_ANP][s][0].least / table->results[T4][s][0].least, sizes[s].name,
               s + 1 < table->size_count ? "," : "\n");
    printf("ratio: two threads against one; elements: their share of the step; roofline: share of "
           "the\n"
           "nearer limit, arithmetic or reading the elements' data; memory: per element\n");
}

static const char *const ccd_names[2] = {"vertex-face", "edge-edge"};

static void print_ccd(const Table *table)
{
    printf("continuous detection between two sheets, swept boxes overlapping:\n");
    for (int k = 0; k < 2; ++k) {
        const PalBenchCcd *r = &table->ccd[k];
        printf("%-11s %6.1f ns a pair (%5.1f at least), %d pairs, %.2f%% in contact, doubtful "
               "%.4f%%\n",
               ccd_names[k], r->median, r->least, (int)r->pairs, 100 * r->contacts,
               100 * r->doubtful);
    }
    printf("doubtful: no contact when asked a billionth of a cell closer\n");
}

static void write_ccd(const Table *table, FILE *file)
{
    for (int k = 0; k < 2; ++k) {
        const PalBenchCcd *r = &table->ccd[k];
        fprintf(file,
                "    {\"pair\": \"%s\", \"pairs\": %d, \"ns_median\": %.6g, \"ns_least\": %.6g, "
                "\"contacts\": %.6g, \"doubtful\": %.6g}%s\n",
                ccd_names[k], (int)r->pairs, r->median, r->least, r->contacts, r->doubtful,
                k == 0 ? "," : "");
    }
}

static bool write_json(const Table *table, const char *path)
{
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return false;
    fprintf(file, "{\n  \"version\": \"%s\",\n  \"gigaflops\": %.6g,\n  \"gigabytes\": %.6g,\n",
            pal_version(), table->machine.gigaflops, table->machine.gigabytes);
    fprintf(file, "  \"cases\": [\n");
    const char *comma = "";
    for (int k = 0; k < KIND_COUNT; ++k)
        for (int32_t s = 0; s < table->size_count; ++s)
            for (int32_t t = 0; t < THREADS_MAX; ++t) {
                const PalBenchResult *r = &table->results[k][s][t];
                const char *limit;
                double roofline = least_time(table, k, r, &limit);
                fprintf(file,
                        "%s    {\"element\": \"%s\", \"elements\": %d, \"nodes\": %d, "
                        "\"threads\": %d, \"ns_median\": %.6g, \"ns_least\": %.6g, "
                        "\"element_share\": %.6g, \"bytes\": %.6g, \"roofline_ns\": %.6g, "
                        "\"limit\": \"%s\"}",
                        comma, pal_element_name(works[k].kind), (int)r->element_count,
                        (int)r->node_count, (int)t + 1, r->median, r->least, r->elements, r->bytes,
                        roofline, limit);
                comma = ",\n";
            }
    fprintf(file, "\n  ],\n  \"ccd\": [\n");
    write_ccd(table, file);
    fprintf(file, "  ]\n}\n");
    return fclose(file) == 0;
}

static int contact_tables(const Options *options, const char *program)
{
    int32_t asked = options->repetitions, printed = 0;
    printed += pal_bench_contact_table(asked > 0 ? asked : 3, options->word_count, options->words);
    printed += pal_bench_scenes_table(asked > 0 ? asked : 1, options->word_count, options->words);
    if (pal_bench_asked("probe", options->word_count, options->words)) {
        pal_bench_probe_table(asked > 0 ? asked : 9);
        ++printed;
    }
    if (pal_bench_asked("refits", options->word_count, options->words)) {
        pal_bench_refits_table(program);
        ++printed;
    }
    if (printed > 0)
        return 0;
    fprintf(stderr, "palpate-bench: no row has that name; there are ball; block; ");
    pal_bench_scenes_list(stderr);
    fprintf(stderr, "; probe; refits\n");
    return 2;
}

int main(int count, char **values)
{
    Options options;
    if (count == 2 && strcmp(values[1], "--help") == 0) {
        fputs(usage, stdout);
        return 0;
    }
    if (!read_options(count, values, &options)) {
        fputs(usage, stderr);
        return 2;
    }
    if (options.output) {
        pal_bench_output();
        return 0;
    }
    if (options.implicit)
        return pal_bench_implicit();
    if (options.contact)
        return contact_tables(&options, values[0]);
    if (options.repetitions == 0)
        options.repetitions = 9;
    PalError error = {0};
    static Table table;
    table.size_count = options.quick ? 2 : SIZE_COUNT;
    table.machine = pal_bench_machine();
    if (fill(&options, &table, &error) != PAL_OK ||
        pal_bench_ccd(options.repetitions, table.ccd, &error) != PAL_OK) {
        fprintf(stderr, "palpate-bench: %s\n", error.text);
        return 1;
    }
    print(&table);
    print_ccd(&table);
    pal_bench_contact_table(options.quick ? 1 : 3, 0, NULL);
    if (!options.quick)
        pal_bench_scenes_table(1, 0, NULL);
    pal_bench_probe_table(options.quick ? 3 : 9);
    pal_bench_refits_table(values[0]);
    pal_bench_output();
    if (options.json != NULL && !write_json(&table, options.json)) {
        fprintf(stderr, "palpate-bench: cannot write %s\n", options.json);
        return 1;
    }
    return 0;
}
