// Polynomials on the interval from 0 to 1 with whole coefficients, their roots, and the signs of
// other polynomials there: no rounding anywhere. What outgrows 128 bits stops the test.
//
// p(t) = sum of c_i t^i (1 - t)^(degree - i), so that p(0) and p(1) are the outer coefficients, and
// x = t / (1 - t) makes it an ordinary polynomial of x > 0 with a sign of p's.
#ifndef PAL_TESTS_POLYNOMIAL_H
#define PAL_TESTS_POLYNOMIAL_H

#include "check.h"

#include <stdbool.h>

__extension__ typedef __int128 Wide;

enum { DEGREE_MAX = 3 };

typedef struct Polynomial {
    int degree;
    Wide c[DEGREE_MAX + 1];
} Polynomial;

// Either part / 2^bits exactly, or the only root of `of` strictly between that and
// (part + 1) / 2^bits; `of` has simple roots only.
typedef struct Moment {
    bool exact;
    int bits;
    Wide part;
    Polynomial of;
} Moment;

static inline Wide checked_times(Wide a, Wide b)
{
    Wide product;
    if (__builtin_mul_overflow(a, b, &product))
        fail_msg("a coefficient outgrew 128 bits");
    return product;
}

static inline Wide checked_plus(Wide a, Wide b)
{
    Wide sum;
    if (__builtin_add_overflow(a, b, &sum))
        fail_msg("a coefficient outgrew 128 bits");
    return sum;
}

static inline int wide_sign(Wide a)
{
    return (a > 0) - (a < 0);
}

static inline Polynomial polynomial_linear(int start, int end)
{
    return (Polynomial){1, {start, end}};
}

static inline Polynomial polynomial_times(Polynomial a, Polynomial b)
{
    Polynomial p = {a.degree + b.degree, {0}};
    for (int i = 0; i <= a.degree; ++i)
        for (int j = 0; j <= b.degree; ++j)
            p.c[i + j] = checked_plus(p.c[i + j], checked_times(a.c[i], b.c[j]));
    return p;
}

// a + factor b, of the same degree.
static inline Polynomial polynomial_plus(Polynomial a, int factor, Polynomial b)
{
    for (int i = 0; i <= a.degree; ++i)
        a.c[i] = checked_plus(a.c[i], checked_times(factor, b.c[i]));
    return a;
}

static inline bool polynomial_is_zero(const Polynomial *p)
{
    for (int i = 0; i <= p->degree; ++i)
        if (p->c[i] != 0)
            return false;
    return true;
}

static inline Wide common_divisor(Wide a, Wide b)
{
    while (b != 0) {
        Wide rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

// As a polynomial of x: its true degree, without a common factor.
static inline Polynomial reduced(Polynomial p)
{
    while (p.degree > 0 && p.c[p.degree] == 0)
        --p.degree;
    Wide common = 0;
    for (int i = 0; i <= p.degree; ++i)
        common = common_divisor(common, p.c[i]);
    for (int i = 0; i <= p.degree && common > 1; ++i)
        p.c[i] /= common;
    return p;
}

// What is left of a, times a power of b's highest coefficient, after division by b; with the
// quotient where it is wanted.
static inline Polynomial remainder_of(Polynomial a, Polynomial b, Polynomial *quotient)
{
    Polynomial q = {a.degree - b.degree, {0}};
    for (int top = a.degree; top >= b.degree; --top) {
        Wide lead = a.c[top], scale = b.c[b.degree];
        for (int i = 0; i <= a.degree; ++i)
            a.c[i] = checked_times(a.c[i], scale);
        for (int i = 0; i <= q.degree; ++i)
            q.c[i] = checked_times(q.c[i], scale);
        q.c[top - b.degree] = lead;
        for (int i = 0; i <= b.degree; ++i)
            a.c[top - b.degree + i] =
                checked_plus(a.c[top - b.degree + i], -checked_times(lead, b.c[i]));
    }
    if (quotient != NULL)
        *quotient = reduced(q);
    return reduced(a);
}

static inline Polynomial polynomial_divisor(Polynomial a, Polynomial b)
{
    a = reduced(a);
    b = reduced(b);
    while (!polynomial_is_zero(&b)) {
        if (a.degree < b.degree) {
            Polynomial swap = a;
            a = b;
            b = swap;
        }
        Polynomial rest = remainder_of(a, b, NULL);
        a = b;
        b = rest;
    }
    return a;
}

// The same roots, each once.
static inline Polynomial with_simple_roots(Polynomial p)
{
    p = reduced(p);
    if (p.degree < 2)
        return p;
    Polynomial slope = {p.degree - 1, {0}}, quotient;
    for (int i = 1; i <= p.degree; ++i)
        slope.c[i - 1] = i * p.c[i];
    Polynomial common = polynomial_divisor(p, slope);
    if (common.degree == 0)
        return p;
    Polynomial rest = remainder_of(p, common, &quotient);
    assert_true(polynomial_is_zero(&rest));
    return quotient;
}

// One half of the interval, by de Casteljau's scheme on Bernstein coefficients times 2^degree.
static inline void halve(Polynomial *b, bool right)
{
    Wide row[DEGREE_MAX + 1], half[DEGREE_MAX + 1];
    int n = b->degree;
    for (int i = 0; i <= n; ++i)
        row[i] = b->c[i];
    for (int level = 0; level <= n; ++level) {
        half[right ? n - level : level] =
            checked_times(row[right ? n - level : 0], (Wide)1 << (n - level));
        for (int i = 0; i < n - level; ++i)
            row[i] = checked_plus(row[i], row[i + 1]);
    }
    Wide every = 0;
    for (int i = 0; i <= n; ++i)
        every |= half[i];
    for (int i = 0; i <= n; ++i)
        b->c[i] = half[i];
    while (every != 0 && every % 2 == 0) {
        every /= 2;
        for (int i = 0; i <= n; ++i)
            b->c[i] /= 2;
    }
}

// Bernstein coefficients, times a positive number, on part / 2^bits to (part + 1) / 2^bits.
static inline Polynomial localised(Polynomial p, Wide part, int bits)
{
    static const int scale[DEGREE_MAX + 1][DEGREE_MAX + 1] = {{1}, {1, 1}, {2, 1, 2}, {3, 1, 1, 3}};
    p = reduced(p);
    for (int i = 0; i <= p.degree; ++i)
        p.c[i] *= scale[p.degree][i];
    for (int k = bits - 1; k >= 0; --k)
        halve(&p, ((part >> k) & 1) != 0);
    return p;
}

// Changes of sign: as many roots strictly inside, or more by an even number.
static inline int sign_changes(const Polynomial *b)
{
    int changes = 0, last = 0;
    for (int i = 0; i <= b->degree; ++i) {
        int sign = wide_sign(b->c[i]);
        changes += sign * last < 0;
        last = sign != 0 ? sign : last;
    }
    return changes;
}

static inline Moment moment_dyadic(Wide part, int bits)
{
    return (Moment){.exact = true, .bits = bits, .part = part};
}

static inline int sign_at_dyadic(const Polynomial *p, Wide part, int bits)
{
    if (part == (Wide)1 << bits)
        return wide_sign(p->c[p->degree]);
    Polynomial local = localised(*p, part, bits);
    return wide_sign(local.c[0]);
}

static inline void find_roots(const Polynomial *simple, Wide part, int bits, Moment *roots,
                              int *count)
{
    Polynomial local = localised(*simple, part, bits);
    int changes = sign_changes(&local);
    if (changes == 0)
        return;
    if (changes == 1) {
        roots[(*count)++] = (Moment){.bits = bits, .part = part, .of = *simple};
        return;
    }
    find_roots(simple, 2 * part, bits + 1, roots, count);
    if (sign_at_dyadic(simple, 2 * part + 1, bits + 1) == 0)
        roots[(*count)++] = moment_dyadic(2 * part + 1, bits + 1);
    find_roots(simple, 2 * part + 1, bits + 1, roots, count);
}

// Roots strictly between 0 and 1, in order; how many. Not of the zero polynomial.
static inline int polynomial_roots(const Polynomial *p, Moment roots[DEGREE_MAX])
{
    Polynomial simple = with_simple_roots(*p);
    int count = 0;
    find_roots(&simple, 0, 0, roots, &count);
    return count;
}

static inline void narrow(Moment *moment)
{
    Wide middle = 2 * moment->part + 1;
    ++moment->bits;
    moment->part *= 2;
    if (sign_at_dyadic(&moment->of, middle, moment->bits) == 0) {
        moment->exact = true;
        moment->part = middle;
        return;
    }
    Polynomial left = localised(moment->of, moment->part, moment->bits);
    if (sign_changes(&left) % 2 == 0)
        moment->part = middle;
}

// The sign at a moment; may narrow its interval.
static inline int polynomial_sign(const Polynomial *p, Moment *moment)
{
    if (polynomial_is_zero(p))
        return 0;
    bool coprime = false;
    while (!moment->exact) {
        Polynomial local = localised(*p, moment->part, moment->bits);
        int sign = wide_sign(local.c[0] != 0 ? local.c[0] : local.c[local.degree]);
        if (sign_changes(&local) == 0 && sign != 0)
            return sign;
        if (!coprime) {
            Polynomial common = polynomial_divisor(moment->of, *p);
            local = localised(common, moment->part, moment->bits);
            if (sign_changes(&local) % 2 == 1)
                return 0;
            coprime = true;
        }
        narrow(moment);
    }
    return sign_at_dyadic(p, moment->part, moment->bits);
}

// Bounds of a moment, equal for an exact one; narrowed to 2^-26 at least.
static inline void moment_bounds(Moment *moment, double *low, double *high)
{
    while (!moment->exact && moment->bits < 26)
        narrow(moment);
    *low = ldexp((double)moment->part, -moment->bits);
    *high = moment->exact ? *low : ldexp((double)(moment->part + 1), -moment->bits);
}

#endif
