// A small web server for this machine alone: a few pages from memory, on the loopback address.
#ifndef PAL_CLI_HTTP_H
#define PAL_CLI_HTTP_H

#include <stdbool.h>
#include <stddef.h>

typedef struct PalHttpPage {
    const char *path;  // "index.html"; the empty path is the first page
    const char *type;  // "text/html"
    const void *bytes;
    size_t size;
} PalHttpPage;

// A socket that listens on 127.0.0.1, at *port or, if that is 0, at one that is free, which *port
// becomes. Returns -1, with errno, where it cannot.
int pal_http_listen(int *port);

// Answers until `stop` says so; it is asked several times a second. Closes the socket.
void pal_http_serve(int listener, int port, const PalHttpPage *pages, int page_count,
                    bool (*stop)(void));

#endif
