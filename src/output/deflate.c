#include "output/deflate.h"

#include "base/assert.h"
#include "base/memory.h"
#include "math/lanes.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
    END = 256,           // the symbol that ends a block
    FIRST_LENGTH = 257,  // of 29 symbols for lengths
    SYMBOLS = 286,
    DISTANCES = 30,  // symbols for distances
    LONGEST_CODE = 15,
    LONGEST_RUN = 257,  // one more has a symbol of its own
    BLOCK_BYTES = 1 << 16,
    TOKEN_BITS_MAX = 24,  // half of a length's and a distance's codes with their extra bits
};

// Bytes as tokens: literals, or RUN + the length of a run and then its distance.
enum { RUN = 512 };

// Where a key of four bytes was seen last.
enum { KEY_BITS = 12, FARTHEST = 32768 };

// Huffman's codes of an alphabet, the bits in the order in which they are written.
typedef struct Codes {
    int symbol_count;
    uint32_t counts[SYMBOLS];
    uint8_t lengths[SYMBOLS];
    uint16_t codes[SYMBOLS];
} Codes;

typedef struct Block {
    uint16_t tokens[BLOCK_BYTES + 1];
    int32_t token_count;
    Codes literals, distances;
    uint32_t run_bits[LONGEST_RUN + 1];  // codes of lengths with their extra bits
    uint8_t run_bit_counts[LONGEST_RUN + 1];
    int32_t seen[1 << KEY_BITS];
} Block;

// ---- lengths and distances of runs ------------------------------------------------------

typedef struct Length {
    int symbol, extra_bits, extra;
} Length;

// Four symbols for each power of two, behind eight for the lengths from 3 to 10.
static Length length_of(int run)
{
    int rest = run - 3, bits = 0;
    while (rest >> bits >= 8)
        ++bits;
    int group = rest >> bits;  // below 8; from 4 on where there are extra bits
    return (Length){FIRST_LENGTH + 4 * bits + group, bits, rest - (group << bits)};
}

// Two symbols for each power of two, behind four for the distances from 1 to 4.
static Length distance_of(int distance)
{
    int rest = distance - 1, bits = 0;
    while (rest >> bits >= 4)
        ++bits;
    int group = rest >> bits;
    return (Length){2 * bits + group, bits, rest - (group << bits)};
}

// ---- what is in a block -----------------------------------------------------------------

// How many bytes repeat those `distance` before them.
static inline size_t run_length(const unsigned char *data, size_t most, size_t distance)
{
    size_t run = 0;
    for (uint64_t here, before; run + sizeof here <= most; run += sizeof here) {
        memcpy(&here, data + run, sizeof here);
        memcpy(&before, data + run - distance, sizeof before);
        if (here != before)
            break;
    }
    while (run < most && data[run] == data[run - distance])
        ++run;
    return run;
}

static inline void add_literal(Block *block, unsigned char byte)
{
    block->tokens[block->token_count++] = byte;
    ++block->literals.counts[byte];
}

static inline void add_run(Block *block, size_t run, size_t distance)
{
    block->tokens[block->token_count++] = (uint16_t)(RUN + run);
    block->tokens[block->token_count++] = (uint16_t)distance;
    ++block->literals.counts[length_of((int)run).symbol];
    ++block->distances.counts[distance_of((int)distance).symbol];
}

// What is looked for from `at` on, up to `end`: the length of a run, and its distance.
typedef size_t Look(Block *block, const unsigned char *data, size_t at, size_t end, size_t stride,
                    size_t *distance);

static inline size_t look_before(Block *block, const unsigned char *data, size_t at, size_t end,
                                 size_t stride, size_t *distance)
{
    (void)block;
    size_t most = end - at < LONGEST_RUN ? end - at : LONGEST_RUN;
    *distance = stride;
    return at >= stride ? run_length(data + at, most, stride) : 0;
}

static inline uint32_t key_of(uint32_t bytes)
{
    return bytes * 2654435761u >> (32 - KEY_BITS);
}

// What is inside a run may be met again, too.
static inline void remember(Block *block, const unsigned char *data, const size_t run[2],
                            size_t end, size_t stride)
{
    uint32_t here;
    for (size_t at = run[0] + stride; at < run[1] && at + sizeof here <= end; at += stride) {
        memcpy(&here, data + at, sizeof here);
        block->seen[key_of(here)] = (int32_t)at;
    }
}

static inline size_t look_anywhere(Block *block, const unsigned char *data, size_t at, size_t end,
                                   size_t stride, size_t *distance)
{
    size_t most = end - at < LONGEST_RUN ? end - at : LONGEST_RUN;
    uint32_t here, there;
    if (most < sizeof here)
        return 0;
    memcpy(&here, data + at, sizeof here);
    int32_t *seen = &block->seen[key_of(here)], last = *seen;
    *seen = (int32_t)at;
    *distance = at - (size_t)last;
    if (last < 0 || *distance >= FARTHEST)
        return 0;
    memcpy(&there, data + last, sizeof there);
    size_t run = here == there ? run_length(data + at, most, *distance) : 0;
    run -= run % stride;
    remember(block, data, (size_t[]){at, at + run}, end, stride);
    return run;
}

// Takes bytes from `begin` to `end`; `step` literals stand together where there is no run.
static inline void find_tokens(Block *block, const unsigned char *data, const size_t part[2],
                               const size_t stride_and_step[2], Look *look)
{
    size_t end = part[1], step = stride_and_step[1], distance;
    for (size_t at = part[0]; at < end;) {
        size_t run = look(block, data, at, end, stride_and_step[0], &distance);
        if (run >= 3) {
            add_run(block, run, distance);
            at += run;
            continue;
        }
        for (size_t stop = at + step < end ? at + step : end; at < stop; ++at)
            add_literal(block, data[at]);
    }
}

static void find_block(Block *block, const unsigned char *data, const size_t part[2],
                       PalDeflateHow how, size_t stride)
{
    block->token_count = 0;
    memset(block->literals.counts, 0, sizeof block->literals.counts);
    memset(block->distances.counts, 0, sizeof block->distances.counts);
    block->literals.counts[END] = 1;
    if (how == PAL_DEFLATE_TUPLES)
        find_tokens(block, data, part, (size_t[]){stride, stride}, look_before);
    else if (how == PAL_DEFLATE_BYTES)
        find_tokens(block, data, part, (size_t[]){stride, 1}, look_before);
    else
        find_tokens(block, data, part, (size_t[]){stride, stride}, look_anywhere);
}

// ---- codes ------------------------------------------------------------------------------

typedef struct Leaf {
    uint32_t count;
    int symbol;
} Leaf;

static int compare(const void *left, const void *right)
{
    const Leaf *a = left, *b = right;
    return a->count != b->count ? (a->count > b->count) - (a->count < b->count)
                                : a->symbol - b->symbol;
}

// Lengths of Huffman's codes; returns the longest. Nodes behind the leaves are made in the order
// of their counts, so the two smallest are at the fronts of two queues.
static int find_lengths(const Leaf *leaves, int leaf_count, uint8_t *lengths)
{
    uint32_t counts[2 * SYMBOLS];
    int parents[2 * SYMBOLS], depths[2 * SYMBOLS], longest = 0;
    int node_count = leaf_count, leaf = 0, inner = leaf_count;
    for (int i = 0; i < leaf_count; ++i)
        counts[i] = leaves[i].count;
    while (node_count < 2 * leaf_count - 1) {
        uint32_t sum = 0;
        for (int k = 0; k < 2; ++k) {
            bool first =
                leaf < leaf_count && (inner == node_count || counts[leaf] <= counts[inner]);
            int taken = first ? leaf++ : inner++;
            parents[taken] = node_count;
            sum += counts[taken];
        }
        counts[node_count++] = sum;
    }
    depths[node_count - 1] = 0;
    for (int i = node_count - 2; i >= 0; --i) {
        depths[i] = depths[parents[i]] + 1;
        if (i < leaf_count) {
            lengths[leaves[i].symbol] = (uint8_t)depths[i];
            longest = depths[i] > longest ? depths[i] : longest;
        }
    }
    return longest;
}

// Canonical codes, with their bits in reverse as deflate wants them.
static void set_codes(Codes *codes)
{
    int next = 0;
    for (int length = 1; length <= LONGEST_CODE; ++length, next <<= 1)
        for (int s = 0; s < codes->symbol_count; ++s) {
            if (codes->lengths[s] != length)
                continue;
            int reversed = 0;
            for (int bit = 0; bit < length; ++bit)
                reversed |= (next >> bit & 1) << (length - 1 - bit);
            codes->codes[s] = (uint16_t)reversed;
            ++next;
        }
}

// A single symbol has a code of one bit, and so has the first where there is none.
static void make_codes(Codes *codes, int symbol_count)
{
    Leaf leaves[SYMBOLS] = {{0, 0}};
    int leaf_count = 0, longest = 0;
    codes->symbol_count = symbol_count;
    memset(codes->lengths, 0, sizeof codes->lengths);
    for (int s = 0; s < symbol_count; ++s)
        if (codes->counts[s] > 0)
            leaves[leaf_count++] = (Leaf){codes->counts[s], s};
    if (leaf_count < 2)
        codes->lengths[leaves[0].symbol] = 1;
    else
        do {
            qsort(leaves, (size_t)leaf_count, sizeof *leaves, compare);
            longest = find_lengths(leaves, leaf_count, codes->lengths);
            for (int i = 0; i < leaf_count; ++i)  // flatter, if it has to be tried again
                leaves[i].count = (leaves[i].count + 1) / 2;
        } while (longest > LONGEST_CODE);
    set_codes(codes);
}

static void make_block_codes(Block *block)
{
    make_codes(&block->literals, SYMBOLS);
    make_codes(&block->distances, DISTANCES);
    for (int run = 3; run <= LONGEST_RUN; ++run) {
        Length length = length_of(run);
        int bits = block->literals.lengths[length.symbol];
        block->run_bits[run] =
            (uint32_t)block->literals.codes[length.symbol] | (uint32_t)length.extra << bits;
        block->run_bit_counts[run] = (uint8_t)(bits + length.extra_bits);
    }
}

// ---- bits -------------------------------------------------------------------------------

typedef struct Bits {
    unsigned char *out;
    uint64_t held;
    int held_count;
} Bits;

static inline void put_bits(Bits *bits, uint64_t value, int count)
{
    bits->held |= value << bits->held_count;
    bits->held_count += count;
}

// At most seven bits are left. Writes eight bytes, of which the last ones do not count.
static inline void flush(Bits *bits)
{
    for (int i = 0; i < 8; ++i)
        bits->out[i] = (unsigned char)(bits->held >> 8 * i);
    bits->out += bits->held_count >> 3;
    bits->held >>= bits->held_count & ~7;
    bits->held_count &= 7;
}

// The codes of a block: their lengths as they are, four bits each.
static void put_head(Bits *bits, const Block *block, bool last)
{
    enum { LENGTH_CODES = 19, SPECIAL = 3 };  // three special ones, 0, and the others mixed
    put_bits(bits, (uint64_t)last | 2 << 1, 3);
    put_bits(bits, SYMBOLS - 257, 5);
    put_bits(bits, DISTANCES - 1, 5);
    put_bits(bits, LENGTH_CODES - 4, 4);
    for (int i = 0; i < LENGTH_CODES; ++i) {
        put_bits(bits, i < SPECIAL ? 0 : 4, 3);
        flush(bits);
    }
    for (int s = 0; s < SYMBOLS + DISTANCES; ++s) {
        int length =
            s < SYMBOLS ? block->literals.lengths[s] : block->distances.lengths[s - SYMBOLS];
        for (int bit = 3; bit >= 0; --bit)  // codes start with their highest bit
            put_bits(bits, (uint64_t)(length >> bit & 1), 1);
        flush(bits);
    }
}

static inline void put_symbol(Bits *bits, const Codes *codes, int symbol)
{
    put_bits(bits, codes->codes[symbol], codes->lengths[symbol]);
}

static void put_block(Bits *to, const Block *block, bool last)
{
    Bits bits = *to;
    put_head(&bits, block, last);
    for (int32_t i = 0; i < block->token_count; ++i) {
        int token = block->tokens[i];
        if (token < RUN) {
            put_symbol(&bits, &block->literals, token);
        } else {
            Length distance = distance_of(block->tokens[++i]);
            put_bits(&bits, block->run_bits[token - RUN], block->run_bit_counts[token - RUN]);
            put_symbol(&bits, &block->distances, distance.symbol);
            put_bits(&bits, (uint64_t)distance.extra, distance.extra_bits);
        }
        flush(&bits);
    }
    put_symbol(&bits, &block->literals, END);
    flush(&bits);
    *to = bits;
}

// Sums of up to 32 bytes at a time, which a compiler turns into a few instructions.
PAL_CLONES uint32_t pal_adler(const void *bytes, size_t size)
{
    static const int16_t weights[32] = {32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22,
                                        21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11,
                                        10, 9,  8,  7,  6,  5,  4,  3,  2,  1};
    const unsigned char *data = bytes;
    uint32_t a = 1, b = 0;
    for (size_t done = 0; done + 32 <= size;) {
        size_t stop =
            size - done < 5536 ? size - 31 : done + 5536;  // until the sums could overflow
        for (; done < stop; done += 32) {
            int32_t sum = 0, weighted = 0;
            for (int i = 0; i < 32; ++i) {
                sum += (int16_t)data[done + (size_t)i];
                weighted += (int16_t)data[done + (size_t)i] * weights[i];
            }
            b += 32 * a + (uint32_t)weighted;
            a += (uint32_t)sum;
        }
        a %= 65521;
        b %= 65521;
    }
    uint32_t start = b << 16 | a;
    return (uint32_t)adler32(start, data + size / 32 * 32, (uInt)(size % 32));
}

void pal_deflate(const unsigned char *data, size_t size, PalDeflateHow how, size_t stride,
                 PalText *text)
{
    static const unsigned char head[2] = {0x78, 0x01};
    PAL_ASSERT(size > 0 && size <= INT32_MAX && stride >= 1 && stride <= 8);
    Block *block = pal_alloc(1, sizeof *block);
    text->no_memory = text->no_memory || block == NULL;
    if (block != NULL)
        memset(block->seen, 0xff, sizeof block->seen);
    Bits bits = {0};
    pal_text_put(text, head, sizeof head);
    for (size_t done = 0; !text->no_memory && done < size;) {
        size_t end = size - done < BLOCK_BYTES ? size : done + BLOCK_BYTES;
        find_block(block, data, (size_t[]){done, end}, how, stride);
        make_block_codes(block);
        // the code lengths of a block take less than 256 bytes, those that do not count 8
        size_t room = ((size_t)block->token_count + 1) * TOKEN_BITS_MAX / 8 + 264;
        bits.out = (unsigned char *)pal_text_extend(text, room);
        if (bits.out == NULL)
            break;
        put_block(&bits, block, end == size);
        text->length = (size_t)(bits.out - (unsigned char *)text->data);
        done = end;
    }
    pal_free(block);
    uint32_t sum = pal_adler(data, size);
    const unsigned char tail[5] = {(unsigned char)bits.held, (unsigned char)(sum >> 24),
                                   (unsigned char)(sum >> 16), (unsigned char)(sum >> 8),
                                   (unsigned char)sum};
    bool rest = bits.held_count > 0;
    pal_text_put(text, tail + !rest, sizeof tail - !rest);
}
