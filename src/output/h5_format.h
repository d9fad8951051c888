// What writing and reading HDF5 share: the parts of the format by name.
#ifndef PAL_OUTPUT_H5_FORMAT_H
#define PAL_OUTPUT_H5_FORMAT_H

#include "output/h5.h"

#define H5_NOWHERE UINT64_MAX  // the address of what is not there

// Types of messages in an object's header.
typedef enum H5Message {
    H5_SPACE = 0x01,
    H5_LINKS = 0x02,
    H5_TYPE = 0x03,
    H5_FILL = 0x05,
    H5_LINK = 0x06,
    H5_LAYOUT = 0x08,
    H5_GROUP = 0x0a,
    H5_ATTRIBUTE = 0x0c,
} H5Message;

enum {
    H5_SUPERBLOCK_SIZE = 48,
    H5_OBJECT_HEAD = 10,  // bytes before the messages
    H5_MESSAGE_HEAD = 4,
    H5_ATTRIBUTE_HEAD = 9,
    H5_SCALAR_SIZE = 4,
    H5_TYPE_MAX = 20,
    H5_GROUPS_MAX = 4,
};

extern const unsigned char pal_h5_signature[8];

// The message that says what numbers or texts of `size` bytes are, in this machine's byte order.
// Returns its length.
size_t pal_h5_type(PalH5Kind kind, size_t size, unsigned char bytes[H5_TYPE_MAX]);

size_t pal_h5_number_size(PalH5Kind kind);  // bytes of a number in a set

#endif
