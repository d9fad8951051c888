// HDF5, as much of its format as checkpoints and vademecums need: a root and groups in it, with
// attributes and one-dimensional data sets of numbers of 8 or 4 bytes. Its own tools and h5py read
// what is written here; what is read here was written here. Neither asks for memory but for the
// head's text, so that a checkpoint can be written when there is none left, and no file is touched.
#ifndef PAL_OUTPUT_H5_H
#define PAL_OUTPUT_H5_H

#include "output/text.h"

typedef enum PalH5Kind {
    PAL_H5_REAL,
    PAL_H5_INTEGER,
    PAL_H5_TEXT,
    PAL_H5_REAL32,     // sets only
    PAL_H5_INTEGER32,  // sets only
} PalH5Kind;

typedef struct PalH5Attribute {
    const char *name;
    PalH5Kind kind;
    const void *value;  // a double, an int64_t, or the text itself
} PalH5Attribute;

// Of `count` numbers.
typedef struct PalH5Set {
    const char *name;
    PalH5Kind kind;
    int64_t count;
} PalH5Set;

typedef struct PalH5Group {
    const char *name;  // of the root: not used
    int32_t attribute_count, set_count;
    const PalH5Attribute *attributes;
    const PalH5Set *sets;
} PalH5Group;

// ---- writing ----------------------------------------------------------------------------

// Bytes of a set's numbers in the file: a multiple of 8, what is behind shorter ones is zero.
uint64_t pal_h5_set_bytes(PalH5Kind kind, int64_t count);

// Adds everything that stands before the data: the caller writes the sets' numbers right behind
// it, group after group, each as many bytes as pal_h5_set_bytes says. The root has no sets; the
// groups lie in it. `base` is the number of bytes in the file before the head, 0 or a power of two
// from 512 on.
void pal_h5_put_head(PalText *text, uint64_t base, const PalH5Group *root, int32_t group_count,
                     const PalH5Group *groups);

// ---- reading ----------------------------------------------------------------------------

// The head and the bytes of head and data together. Addresses count from the head's first byte.
typedef struct PalH5 {
    const unsigned char *head;
    uint64_t head_size, size;
} PalH5;

// Where a thing begins. 0: there is none, or it is not sound.
typedef uint64_t PalH5Place;

PalH5Place pal_h5_root(const PalH5 *h5);
PalH5Place pal_h5_find(const PalH5 *h5, PalH5Place group, const char *name);

// A number of 8 bytes; or a text, whole, into `size` bytes with its end mark. False: not there, or
// of another kind or length.
bool pal_h5_get(const PalH5 *h5, PalH5Place object, const char *name, PalH5Kind kind, void *value,
                size_t size);

// The address of a set's numbers, all of which lie behind the head and within the size. False: no
// such set, or of another kind.
bool pal_h5_set(const PalH5 *h5, PalH5Place set, PalH5Kind kind, int64_t *count, uint64_t *data);

// Bob Jenkins' lookup3, by which HDF5 guards its heads.
uint32_t pal_h5_sum(const void *data, size_t size);

#endif
