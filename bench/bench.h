// Parts of the benchmark.
#ifndef PAL_BENCH_H
#define PAL_BENCH_H

#include <palpate/palpate.h>
#include <stdio.h>

double pal_bench_seconds(void);
double pal_bench_busy_seconds(void);  // in which this thread had a core

// What one core can do: arithmetic (fused multiply and add on registers) and memory (a = b + s c
// on arrays that fit no cache).
typedef struct PalBenchMachine {
    double gigaflops;
    double gigabytes;  // per second, counting 24 bytes an entry
} PalBenchMachine;

PalBenchMachine pal_bench_machine(void);

// Gigabytes per second at which one core reads so many bytes again and again: a cache's rate when
// they fit one.
double pal_bench_read_rate(double bytes);

typedef struct PalBenchCase {
    PalElementKind kind;
    int32_t cells;  // along each edge of the cube
    int32_t thread_count;
} PalBenchCase;

// Nanoseconds are per element and step; the rest of a step is integration and step control.
typedef struct PalBenchResult {
    int32_t element_count, node_count;
    double median, least;  // whole step
    double elements;       // share of the step spent in elements
    double bytes;          // memory the elements hold, each
    double read_rate;      // of as much memory as all of them hold
} PalBenchResult;

PalStatus pal_bench_run(const PalBenchCase *bench_case, int32_t repetitions, PalBenchResult *result,
                        PalError *error);

// Continuous detection: nanoseconds per pair, vertex with face and edge with edge.
typedef struct PalBenchCcd {
    int64_t pairs;
    double median, least;
    double contacts;  // share of pairs
    double doubtful;  // share of pairs in contact, but not when asked a billionth of a cell closer
} PalBenchCcd;

PalStatus pal_bench_ccd(int32_t repetitions, PalBenchCcd results[2], PalError *error);
typedef enum PalBenchContact {
    PAL_BENCH_BALL,       // a ball pushed into a slab
    PAL_BENCH_BALL_SELF,  // the same with contact of each with itself
    PAL_BENCH_BLOCKS,     // a flat block pushed onto another
    PAL_BENCH_DEPTH,      // the ball, by depths: cells are found through a tree of boxes
    PAL_BENCH_INTERVALS,  // and through one of intervals
} PalBenchContact;

// Microseconds per step.
typedef struct PalBenchContactResult {
    int32_t element_count;
    double whole, elements, contact, update, search, response;
    double rows;  // contacts solved for, per step
    int64_t rescues;
    int32_t crossings;  // pairs of triangles, at the end
    double busy;        // share of the time in which this thread had a core
} PalBenchContactResult;

// The least of some repetitions with one thread, and with two. `size`: how much wider the slab is;
// 2: wider blocks.
PalStatus pal_bench_contact(PalBenchContact kind, int32_t size, int32_t repetitions,
                            PalBenchContactResult results[2], PalError *error);
// Words choose rows whose name contains one of them; no words: the usual rows. The tables return
// how many rows they have printed.
bool pal_bench_asked(const char *name, int32_t word_count, const char *const *words);
void pal_bench_contact_head(void);
void pal_bench_contact_row(const char *name, const PalBenchContactResult results[2]);
int32_t pal_bench_contact_table(int32_t repetitions, int32_t word_count, const char *const *words);
// Scenes that are made: an organ under a probe, things that move, piles, flat blocks.
int32_t pal_bench_scenes_table(int32_t repetitions, int32_t word_count, const char *const *words);
void pal_bench_scenes_list(FILE *file);  // their names
// A probe that slides on a block of a thousand tetrahedra: contact's share of the step.
void pal_bench_probe_table(int32_t repetitions);
// What part of the processor time output takes.
void pal_bench_output(void);
// Corrections by Newton's method; returns the exit status.
int pal_bench_implicit(void);
void pal_bench_refits_table(const char *program);  // looks for scenes beside the program

#endif
