// GET and HEAD of pages in memory. Headers isolate the page (COOP, COEP), so that its worker gets a
// good clock. A request that names another host is refused: no foreign page reaches this one by a
// name that it lets point here.
#include "http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { GUESTS = 32, REQUEST = 8192, PATIENCE = 20 };  // PATIENCE in seconds

typedef struct Guest {
    int socket;  // 0: nobody
    time_t since;
    size_t asked, told, head_size;
    const PalHttpPage *page;  // NULL: the head is all
    char request[REQUEST], head[512];
} Guest;

typedef struct Server {
    int port;
    const PalHttpPage *pages;
    int page_count;
    Guest guests[GUESTS];
} Server;

static time_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec;
}

static bool make_waitless(int socket)
{
    int flags = fcntl(socket, F_GETFL);
    return flags >= 0 && fcntl(socket, F_SETFL, flags | O_NONBLOCK) == 0 &&
           fcntl(socket, F_SETFD, FD_CLOEXEC) == 0;
}

int pal_http_listen(int *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)*port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int one = 1, listener = socket(AF_INET, SOCK_STREAM, 0);
    if (listener < 0)
        return -1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(listener, (struct sockaddr *)&address, size) == 0 && listen(listener, 16) == 0 &&
        make_waitless(listener) && getsockname(listener, (struct sockaddr *)&address, &size) == 0) {
        *port = ntohs(address.sin_port);
        return listener;
    }
    int cause = errno;
    close(listener);
    errno = cause;
    return -1;
}

static void leave(Guest *guest)
{
    close(guest->socket);
    guest->socket = 0;
}

// Whether the request's Host is this machine, by the name or number of its loopback.
static bool is_for_us(const Server *server, const char *request)
{
    char names[2][32];
    snprintf(names[0], sizeof names[0], "127.0.0.1:%d", server->port);
    snprintf(names[1], sizeof names[1], "localhost:%d", server->port);
    for (const char *line = strstr(request, "\r\n"); line != NULL; line = strstr(line + 2, "\r\n"))
        if (strncasecmp(line + 2, "host:", 5) == 0) {
            const char *host = line + 7 + strspn(line + 7, " \t");
            size_t length = strcspn(host, " \t\r\n");
            for (int i = 0; i < 2; ++i)
                if (length == strlen(names[i]) && strncasecmp(host, names[i], length) == 0)
                    return true;
            return false;
        }
    return false;
}

static const PalHttpPage *find_page(const Server *server, const char *path)
{
    size_t length = strcspn(path, " ?#\r\n");
    if (length == 0)
        return &server->pages[0];
    for (int i = 0; i < server->page_count; ++i)
        if (strlen(server->pages[i].path) == length &&
            memcmp(server->pages[i].path, path, length) == 0)
            return &server->pages[i];
    return NULL;
}

static void refuse(Guest *guest, const char *status)
{
    guest->page = NULL;
    guest->head_size = (size_t)snprintf(guest->head, sizeof guest->head,
                                        "HTTP/1.1 %s\r\nContent-Type: text/plain\r\n"
                                        "Content-Length: %zu\r\nConnection: close\r\n\r\n%s\n",
                                        status, strlen(status) + 1, status);
}

static void answer(const Server *server, Guest *guest)
{
    const char *request = guest->request;
    bool get = strncmp(request, "GET /", 5) == 0, head = strncmp(request, "HEAD /", 6) == 0;
    if (!is_for_us(server, request)) {
        refuse(guest, "403 Forbidden");
        return;
    }
    if (!get && !head) {
        refuse(guest, "405 Method Not Allowed");
        return;
    }
    const PalHttpPage *page = find_page(server, request + (get ? 5 : 6));
    if (page == NULL) {
        refuse(guest, "404 Not Found");
        return;
    }
    guest->page = get ? page : NULL;
    guest->head_size = (size_t)snprintf(
        guest->head, sizeof guest->head,
        "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
        "Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Embedder-Policy: require-corp\r\n"
        "Cross-Origin-Resource-Policy: same-origin\r\nX-Content-Type-Options: nosniff\r\n"
        "Cache-Control: no-store\r\nConnection: close\r\n\r\n",
        page->type, page->size);
}

static void hear(const Server *server, Guest *guest)
{
    size_t room = sizeof guest->request - 1 - guest->asked;
    ssize_t got = recv(guest->socket, guest->request + guest->asked, room, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0) {
        leave(guest);
        return;
    }
    guest->asked += (size_t)got;
    guest->request[guest->asked] = '\0';
    if (strstr(guest->request, "\r\n\r\n") != NULL)
        answer(server, guest);
    else if (guest->asked == sizeof guest->request - 1 ||
             strlen(guest->request) < guest->asked)  // a zero among the bytes
        refuse(guest, "400 Bad Request");
}

static void tell(Guest *guest)
{
    size_t body = guest->page != NULL ? guest->page->size : 0;
    bool in_head = guest->told < guest->head_size;
    size_t done = in_head ? guest->told : guest->told - guest->head_size;
    const char *bytes = in_head ? guest->head : guest->page->bytes;
    size_t left = (in_head ? guest->head_size : body) - done;
    ssize_t sent = send(guest->socket, bytes + done, left, MSG_NOSIGNAL);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (sent < 0) {
        leave(guest);
        return;
    }
    guest->told += (size_t)sent;
    guest->since = now();
    if (guest->told == guest->head_size + body)
        leave(guest);
}

static void welcome(Server *server, int listener)
{
    int socket = accept(listener, NULL, NULL);
    if (socket < 0)
        return;
    Guest *free_place = NULL;
    for (int i = 0; i < GUESTS && free_place == NULL; ++i)
        if (server->guests[i].socket == 0)
            free_place = &server->guests[i];
    if (free_place == NULL || !make_waitless(socket)) {
        close(socket);
        return;
    }
    *free_place = (Guest){.socket = socket, .since = now()};
}

void pal_http_serve(int listener, int port, const PalHttpPage *pages, int page_count,
                    bool (*stop)(void))
{
    static Server server;  // too large for a stack
    server = (Server){.port = port, .pages = pages, .page_count = page_count};
    while (!stop()) {
        struct pollfd list[GUESTS + 1] = {{.fd = listener, .events = POLLIN}};
        Guest *who[GUESTS + 1] = {NULL};
        nfds_t count = 1;
        for (int i = 0; i < GUESTS; ++i) {
            Guest *guest = &server.guests[i];
            if (guest->socket != 0 && now() - guest->since > PATIENCE)
                leave(guest);
            if (guest->socket == 0)
                continue;
            who[count] = guest;
            list[count++] = (struct pollfd){.fd = guest->socket,
                                            .events = guest->head_size > 0 ? POLLOUT : POLLIN};
        }
        if (poll(list, count, 200) <= 0)
            continue;
        for (nfds_t i = 1; i < count; ++i)
            if (list[i].revents != 0 && who[i]->head_size > 0)
                tell(who[i]);
            else if (list[i].revents != 0)
                hear(&server, who[i]);
        if (list[0].revents != 0)
            welcome(&server, listener);
    }
    for (int i = 0; i < GUESTS; ++i)
        if (server.guests[i].socket != 0)
            leave(&server.guests[i]);
    close(listener);
}
