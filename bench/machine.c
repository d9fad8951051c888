#include "bench.h"

#include <stdlib.h>
#include <time.h>

typedef double Lanes __attribute__((vector_size(32)));

enum { CHAINS = 10, ROUNDS = 400000, REPETITIONS = 7, TRIAD = 1 << 23 };

double pal_bench_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double pal_bench_busy_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Ten independent chains keep two units of latency four busy.
#define CHAIN_LOOP                                                                                 \
    Lanes x0 = *sum, x1 = x0, x2 = x0, x3 = x0, x4 = x0, x5 = x0, x6 = x0, x7 = x0, x8 = x0,       \
          x9 = x0;                                                                                 \
    const Lanes a = {0.5, 0.5, 0.5, 0.5}, b = {0.25, 0.25, 0.25, 0.25};                            \
    for (int32_t k = 0; k < ROUNDS; ++k) {                                                         \
        x0 = x0 * a + b, x1 = x1 * a + b, x2 = x2 * a + b, x3 = x3 * a + b, x4 = x4 * a + b;       \
        x5 = x5 * a + b, x6 = x6 * a + b, x7 = x7 * a + b, x8 = x8 * a + b, x9 = x9 * a + b;       \
    }                                                                                              \
    *sum = ((x0 + x1) + (x2 + x3)) + ((x4 + x5) + (x6 + x7)) + (x8 + x9);

static void chains_plain(Lanes *sum)
{
    CHAIN_LOOP
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) static void chains_avx2(Lanes *sum)
{
    CHAIN_LOOP
}
#endif

static double measure_arithmetic(void)
{
    void (*chains)(Lanes *) = chains_plain;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        chains = chains_avx2;
#endif
    volatile double keep = 0;
    double best = 0;
    for (int r = 0; r < REPETITIONS; ++r) {
        Lanes sum = {1, 2, 3, 4};
        double start = pal_bench_seconds();
        chains(&sum);
        double seconds = pal_bench_seconds() - start, flops = 2.0 * 4 * CHAINS * ROUNDS;
        keep = keep + sum[0];
        best = flops / seconds > best ? flops / seconds : best;
    }
    return 1e-9 * best;
}

static double measure_memory(void)
{
    double *a = malloc(TRIAD * sizeof *a), *b = malloc(TRIAD * sizeof *b);
    double *c = malloc(TRIAD * sizeof *c), best = 0;
    if (a != NULL && b != NULL && c != NULL) {
        for (int32_t i = 0; i < TRIAD; ++i) {
            a[i] = 0;
            b[i] = i;
            c[i] = 1;
        }
        for (int r = 0; r < REPETITIONS; ++r) {
            double start = pal_bench_seconds(), scale = 1.0 + r;
            for (int32_t i = 0; i < TRIAD; ++i)
                a[i] = b[i] + scale * c[i];
            double rate = 24.0 * TRIAD / (pal_bench_seconds() - start);
            best = rate > best && a[TRIAD / 2] > 0 ? rate : best;
        }
    }
    free(a);
    free(b);
    free(c);
    return 1e-9 * best;
}

// Reads an array over and over, in as many sums as hide the latency of adding.
#define READ_LOOP                                                                                  \
    for (size_t i = 0; i + 8 <= count; i += 8)                                                     \
        for (int k = 0; k < 8; ++k)                                                                \
            sums[k] += data[i + (size_t)k];

static void read_plain(const Lanes *data, size_t count, Lanes sums[8])
{
    READ_LOOP
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) static void read_avx2(const Lanes *data, size_t count,
                                                          Lanes sums[8])
{
    READ_LOOP
}
#endif

double pal_bench_read_rate(double bytes)
{
    void (*read)(const Lanes *, size_t, Lanes *) = read_plain;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        read = read_avx2;
#endif
    size_t count = (size_t)(bytes / sizeof(Lanes)) + 8;
    Lanes *data = aligned_alloc(sizeof(Lanes), count * sizeof *data);
    if (data == NULL)
        return 0;
    for (size_t i = 0; i < count; ++i)
        data[i] = (Lanes){1, 2, 3, 4};
    volatile double keep = 0;
    double best = 0;
    int passes = 1 + (int)(2e7 / bytes);
    for (int r = 0; r < REPETITIONS; ++r) {
        Lanes sums[8] = {{0}};
        double start = pal_bench_seconds();
        for (int p = 0; p < passes; ++p)
            read(data, count, sums);
        double rate = (double)passes * (double)count * sizeof *data / (pal_bench_seconds() - start);
        for (int k = 0; k < 8; ++k)
            keep = keep + sums[k][0];
        best = rate > best ? rate : best;
    }
    free(data);
    return 1e-9 * best;
}

PalBenchMachine pal_bench_machine(void)
{
    return (PalBenchMachine){measure_arithmetic(), measure_memory()};
}
