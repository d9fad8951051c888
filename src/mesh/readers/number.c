#include "mesh/readers/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t pal_number_size(PalNumberType type)
{
    static const size_t sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
    return sizes[type];
}

bool pal_number_is_real(PalNumberType type)
{
    return type == PAL_NUMBER_FLOAT32 || type == PAL_NUMBER_FLOAT64;
}

bool pal_host_is_little_endian(void)
{
    const uint16_t one = 1;
    uint8_t first;
    memcpy(&first, &one, 1);
    return first == 1;
}

// The bytes as one unsigned number in the order of the host.
static uint64_t gather(const void *bytes, size_t size, bool swap)
{
    const uint8_t *byte = bytes;
    uint64_t bits = 0;
    bool little = pal_host_is_little_endian() != swap;
    for (size_t i = 0; i < size; ++i)
        bits = bits << 8 | byte[little ? size - 1 - i : i];
    return bits;
}

static double real_of(uint64_t bits, PalNumberType type)
{
    if (type == PAL_NUMBER_FLOAT32) {
        uint32_t half = (uint32_t)bits;
        float value;
        memcpy(&value, &half, sizeof value);
        return (double)value;
    }
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static int64_t int_of(uint64_t bits, PalNumberType type)
{
    switch (type) {
    case PAL_NUMBER_INT8:
        return (int8_t)bits;
    case PAL_NUMBER_INT16:
        return (int16_t)bits;
    case PAL_NUMBER_INT32:
        return (int32_t)bits;
    case PAL_NUMBER_INT64:
        return (int64_t)bits;
    default:
        return bits > INT64_MAX ? INT64_MAX : (int64_t)bits;
    }
}

int64_t pal_number_get_int(const void *bytes, PalNumberType type, bool swap)
{
    uint64_t bits = gather(bytes, pal_number_size(type), swap);
    if (!pal_number_is_real(type))
        return int_of(bits, type);
    double value = real_of(bits, type);
    if (!(value > -9e18))
        return INT64_MIN;
    return value < 9e18 ? (int64_t)value : INT64_MAX;
}

double pal_number_get_double(const void *bytes, PalNumberType type, bool swap)
{
    uint64_t bits = gather(bytes, pal_number_size(type), swap);
    return pal_number_is_real(type) ? real_of(bits, type) : (double)int_of(bits, type);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *skip_sign(const char *at, const char *end, bool *negative)
{
    *negative = at < end && *at == '-';
    return at < end && (*at == '-' || *at == '+') ? at + 1 : at;
}

static bool starts_with(const char *at, const char *end, const char *word)
{
    for (; *word != '\0'; ++at, ++word)
        if (at == end || (*at | 0x20) != *word)
            return false;
    return true;
}

static const char *parse_special(const char *at, const char *end, bool negative, double *value)
{
    static const char *const words[] = {"infinity", "inf", "nan"};
    for (size_t i = 0; i < 3; ++i) {
        if (!starts_with(at, end, words[i]))
            continue;
        double special = i < 2 ? (double)INFINITY : (double)NAN;
        *value = negative ? -special : special;
        return at + strlen(words[i]);
    }
    return NULL;
}

// The exponent of ten after e, E, d or D. Without digits behind it the letter is no exponent.
static const char *parse_exponent(const char *at, const char *end, int32_t *exponent)
{
    *exponent = 0;
    if (at == end || ((*at | 0x20) != 'e' && (*at | 0x20) != 'd'))
        return at;
    bool negative;
    const char *digit = skip_sign(at + 1, end, &negative);
    if (digit == end || !is_digit(*digit))
        return at;
    for (; digit < end && is_digit(*digit); ++digit)
        if (*exponent < 1000000)
            *exponent = *exponent * 10 + (*digit - '0');
    if (negative)
        *exponent = -*exponent;
    return digit;
}

// Digits without the point and a shifted exponent: strtod rounds them correctly and the
// decimal point of the locale does not matter. 768 digits decide the rounding of any double;
// whether anything but zeros follows is all that counts beyond them.
static double round_exactly(const char *at, const char *end, int32_t exponent)
{
    enum { KEPT = 780 };
    char text[KEPT + 32];
    int32_t count = 0;
    int64_t scale = exponent;
    bool rest = false, fraction = false;
    for (; at < end; ++at) {
        if (*at == '.') {
            fraction = true;
            continue;
        }
        if (count == KEPT) {
            rest = rest || *at != '0';
            scale += !fraction;
            continue;
        }
        scale -= fraction;
        if (count > 0 || *at != '0')
            text[count++] = *at;
    }
    if (count == 0)
        return 0.0;
    if (rest) {
        text[count++] = '1';
        --scale;
    }
    if (scale > 1000000)
        scale = 1000000;
    if (scale < -1000000)
        scale = -1000000;
    snprintf(text + count, 32, "e%lld", (long long)scale);
    return strtod(text, NULL);
}

__extension__ typedef unsigned __int128 Wide;

// mantissa / 10^power, power <= 19, rounded correctly: the quotient has at least 63 bits, and the
// last of the 64 that are kept tells whether anything was left over.
static double divide_exactly(uint64_t mantissa, int32_t power)
{
    uint64_t divisor = 1;
    for (int32_t i = 0; i < power; ++i)
        divisor *= 10;
    int32_t shift = 64 + __builtin_clzll(mantissa);
    Wide whole = (Wide)mantissa << shift, quotient = whole / divisor;
    bool rest = quotient * divisor != whole;
    while (quotient >> 64 != 0) {
        rest = rest || (quotient & 1) != 0;
        quotient >>= 1;
        --shift;
    }
    return ldexp((double)((uint64_t)quotient | rest), -shift);
}

const char *pal_parse_double(const char *at, const char *end, double *value)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    bool negative;
    const char *digits = skip_sign(at, end, &negative);
    uint64_t mantissa = 0;
    int64_t count = 0, fraction = 0, significant = 0;
    bool point = false;
    for (at = digits; at < end; ++at) {
        if (is_digit(*at)) {
            significant += significant > 0 || *at != '0';
            if (significant <= 18)
                mantissa = mantissa * 10 + (uint64_t)(*at - '0');
            fraction += point;
            ++count;
        } else if (*at == '.' && !point) {
            point = true;
        } else {
            break;
        }
    }
    if (count == 0)
        return parse_special(digits, end, negative, value);
    int32_t exponent;
    const char *after = parse_exponent(at, end, &exponent);
    int64_t scale = exponent - fraction;
    double size;
    if (mantissa == 0 && significant == 0)
        size = 0.0;
    else if (significant <= 18 && mantissa <= (1ULL << 53) && scale >= -22 && scale <= 22)
        size = scale < 0 ? (double)mantissa / powers[-scale] : (double)mantissa * powers[scale];
    else if (significant <= 18 && scale < 0 && scale >= -19)
        size = divide_exactly(mantissa, (int32_t)-scale);
    else
        size = round_exactly(digits, at, exponent);
    *value = negative ? -size : size;
    return after;
}

const char *pal_parse_int(const char *at, const char *end, int64_t *value)
{
    bool negative;
    at = skip_sign(at, end, &negative);
    if (at == end || !is_digit(*at))
        return NULL;
    int64_t sum = 0;
    for (; at < end && is_digit(*at); ++at) {
        int64_t digit = *at - '0';
        if (sum > (INT64_MAX - digit) / 10)
            return NULL;
        sum = sum * 10 + digit;
    }
    *value = negative ? -sum : sum;
    return at;
}
