#include "base/utf8.h"

#include <stdbool.h>

int pal_utf8_length(const char *text, size_t left)
{
    const unsigned char *c = (const unsigned char *)text;
    if (left == 0)
        return 0;
    int length = c[0] < 0x80 ? 1 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : 4;
    if ((length > 1 && (c[0] < 0xc2 || c[0] > 0xf4)) || (size_t)length > left)
        return 0;
    for (int i = 1; i < length; ++i)
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xf0 && c[1] < 0x90);
    bool outside = (c[0] == 0xed && c[1] > 0x9f) || (c[0] == 0xf4 && c[1] > 0x8f);
    return overlong || outside ? 0 : length;
}
