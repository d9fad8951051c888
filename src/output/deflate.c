#include "output/deflate.h"

#include "base/assert.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
    END = 256,           // the symbol that ends a block
    FIRST_LENGTH = 257,  // of 29 symbols for lengths
    SYMBOLS = 286,
    LONGEST_CODE = 15,
    LONGEST_RUN = 257,  // one more has a symbol of its own
    BLOCK_BYTES = 1 << 16,
    TOKEN_BITS_MAX = 24,  // a length's code, its extra bits and the distance
};

// Bytes as symbols: literals, or RUN + the length of a run.
enum { RUN = 512 };

typedef struct Block {
    uint16_t tokens[BLOCK_BYTES];
    int32_t token_count;
    uint32_t counts[SYMBOLS];
    uint8_t lengths[SYMBOLS];
    uint16_t codes[SYMBOLS];  // their bits in the order in which they are written
} Block;

// ---- lengths of runs --------------------------------------------------------------------

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

static int distance_code(size_t stride)
{
    return (int)stride - 1;  // distances up to 4 have a code each
}

// ---- what is in a block -----------------------------------------------------------------

// How many bytes repeat those `stride` before them.
static size_t run_length(const unsigned char *data, size_t most, size_t stride)
{
    size_t run = 0;
    for (uint64_t here, before; run + sizeof here <= most; run += sizeof here) {
        memcpy(&here, data + run, sizeof here);
        memcpy(&before, data + run - stride, sizeof before);
        if (here != before)
            break;
    }
    while (run < most && data[run] == data[run - stride])
        ++run;
    return run;
}

static void add_token(Block *block, int token, int symbol)
{
    block->tokens[block->token_count++] = (uint16_t)token;
    ++block->counts[symbol];
}

// Takes bytes from `begin` to `end`.
static void find_tokens(Block *block, const unsigned char *data, size_t begin, size_t end,
                        size_t stride)
{
    block->token_count = 0;
    memset(block->counts, 0, sizeof block->counts);
    block->counts[END] = 1;
    for (size_t at = begin; at < end;) {
        size_t most = end - at < LONGEST_RUN ? end - at : LONGEST_RUN;
        size_t run = at >= stride ? run_length(data + at, most, stride) : 0;
        if (run >= 3) {
            add_token(block, RUN + (int)run, length_of((int)run).symbol);
            at += run;
            continue;
        }
        for (size_t stop = at + stride < end ? at + stride : end; at < stop; ++at)
            add_token(block, data[at], data[at]);
    }
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
static void set_codes(Block *block)
{
    int next = 0;
    for (int length = 1; length <= LONGEST_CODE; ++length, next <<= 1)
        for (int s = 0; s < SYMBOLS; ++s) {
            if (block->lengths[s] != length)
                continue;
            int reversed = 0;
            for (int bit = 0; bit < length; ++bit)
                reversed |= (next >> bit & 1) << (length - 1 - bit);
            block->codes[s] = (uint16_t)reversed;
            ++next;
        }
}

// There are at least two symbols: a literal or a run, and the end.
static void make_codes(Block *block)
{
    Leaf leaves[SYMBOLS];
    int leaf_count = 0, longest;
    memset(block->lengths, 0, sizeof block->lengths);
    for (int s = 0; s < SYMBOLS; ++s)
        if (block->counts[s] > 0)
            leaves[leaf_count++] = (Leaf){block->counts[s], s};
    do {
        qsort(leaves, (size_t)leaf_count, sizeof *leaves, compare);
        longest = find_lengths(leaves, leaf_count, block->lengths);
        for (int i = 0; i < leaf_count; ++i)  // flatter, if it has to be tried again
            leaves[i].count = (leaves[i].count + 1) / 2;
    } while (longest > LONGEST_CODE);
    set_codes(block);
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

// The codes of a block: their lengths as they are, four bits each, and one distance.
static void put_head(Bits *bits, const Block *block, bool last, size_t stride)
{
    enum { LENGTH_CODES = 19, SPECIAL = 3 };  // three special ones, 0, and the others mixed
    int distances = distance_code(stride) + 1;
    put_bits(bits, (uint64_t)last | 2 << 1, 3);
    put_bits(bits, SYMBOLS - 257, 5);
    put_bits(bits, (uint64_t)distances - 1, 5);
    put_bits(bits, LENGTH_CODES - 4, 4);
    for (int i = 0; i < LENGTH_CODES; ++i) {
        put_bits(bits, i < SPECIAL ? 0 : 4, 3);
        flush(bits);
    }
    for (int s = 0; s < SYMBOLS + distances; ++s) {
        int length = s < SYMBOLS ? block->lengths[s] : s == SYMBOLS + distances - 1;
        for (int bit = 3; bit >= 0; --bit)  // codes start with their highest bit
            put_bits(bits, (uint64_t)(length >> bit & 1), 1);
        flush(bits);
    }
}

static void put_symbol(Bits *bits, const Block *block, int symbol)
{
    put_bits(bits, block->codes[symbol], block->lengths[symbol]);
}

static void put_block(Bits *bits, const Block *block, bool last, size_t stride)
{
    put_head(bits, block, last, stride);
    for (int32_t i = 0; i < block->token_count; ++i) {
        int token = block->tokens[i];
        if (token < RUN) {
            put_symbol(bits, block, token);
        } else {
            Length length = length_of(token - RUN);
            put_symbol(bits, block, length.symbol);
            put_bits(bits, (uint64_t)length.extra, length.extra_bits);
            put_bits(bits, 0, 1);  // the one distance there is
        }
        flush(bits);
    }
    put_symbol(bits, block, END);
    flush(bits);
}

// Sums of up to 32 bytes at a time, which a compiler turns into a few instructions.
uint32_t pal_adler(const void *bytes, size_t size)
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

void pal_deflate(const unsigned char *data, size_t size, size_t stride, PalText *text)
{
    static const unsigned char head[2] = {0x78, 0x01};
    PAL_ASSERT(size > 0 && stride >= 1 && stride <= 4);
    Block *block = pal_alloc(1, sizeof *block);
    text->no_memory = text->no_memory || block == NULL;
    Bits bits = {0};
    pal_text_put(text, head, sizeof head);
    for (size_t done = 0; !text->no_memory && done < size;) {
        size_t end = size - done < BLOCK_BYTES ? size : done + BLOCK_BYTES;
        find_tokens(block, data, done, end, stride);
        make_codes(block);
        // the code lengths of a block take less than 256 bytes, those that do not count 8
        size_t room = ((size_t)block->token_count + 1) * TOKEN_BITS_MAX / 8 + 264;
        bits.out = (unsigned char *)pal_text_extend(text, room);
        if (bits.out == NULL)
            break;
        put_block(&bits, block, end == size, stride);
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
