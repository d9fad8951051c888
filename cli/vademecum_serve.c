// vademecum serve: a folder with the page and the vademecums in their compact form, and a small web
// server for it on this machine alone.
#include "cli.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#define PORT    8017
#define REQUEST 4096
#define TIMEOUT 5  // seconds for a request or an answer
#define FILES   (PAL_CLI_OPERAND_MAX + 8)

typedef struct Page {
    const char *folder;
    int32_t file_count;
    char names[FILES][80];
} Page;

static const char *const parts[] = {"index.html", "page.css", "page.js", "worker.js", "loop.js"};

// ---- the folder -------------------------------------------------------------------------

static bool copy_file(const char *from, const char *to)
{
    FILE *in = fopen(from, "rb"), *out = in != NULL ? fopen(to, "wb") : NULL;
    char block[65536];
    bool good = out != NULL;
    for (size_t count; good && (count = fread(block, 1, sizeof block, in)) > 0;)
        good = fwrite(block, 1, count, out) == count;
    good = good && ferror(in) == 0;
    if (in != NULL)
        fclose(in);
    if (out != NULL && fclose(out) != 0)
        good = false;
    return good;
}

static bool copy_page(Page *page, const char *source)
{
    bool good = true;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && good; ++i) {
        char *from = pal_cli_join(source, parts[i]), *to = pal_cli_join(page->folder, parts[i]);
        good = from != NULL && to != NULL && copy_file(from, to);
        if (!good)
            pal_cli_refuse("cannot write %s: %s", to != NULL ? to : parts[i], strerror(errno));
        free(from);
        free(to);
        snprintf(page->names[page->file_count++], sizeof page->names[0], "%s", parts[i]);
    }
    return good;
}

static void write_name(FILE *file, const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; ++c) {
        if (*c < 0x20 || *c == 0x7f)
            fprintf(file, "\\u%04x", *c);
        else if (*c == '"' || *c == '\\')
            fprintf(file, "\\%c", *c);
        else
            fputc(*c, file);
    }
}

// Two of each, and each with a fingertip.
static bool write_scenes(Page *page, char names[][PAL_VADEMECUM_NAME], const char (*files)[80],
                         int32_t count)
{
    char *path = pal_cli_join(page->folder, "scenes.json");
    FILE *file = path != NULL ? fopen(path, "w") : NULL;
    if (file == NULL) {
        pal_cli_refuse("cannot write %s: %s", path != NULL ? path : "scenes.json", strerror(errno));
        free(path);
        return false;
    }
    fprintf(file, "[\n");
    for (int32_t i = 0; i < count; ++i) {
        fprintf(file, "%s  {\"name\": \"two of ", i > 0 ? ",\n" : "");
        write_name(file, names[i]);
        fprintf(file, "\", \"files\": [\"%s\", \"%s\"], \"radius\": 0},\n  {\"name\": \"", files[i],
                files[i]);
        write_name(file, names[i]);
        fprintf(file, " and a fingertip\", \"files\": [\"%s\"], \"radius\": \"patch\"}", files[i]);
    }
    fprintf(file, "\n]\n");
    bool good = fclose(file) == 0;
    free(path);
    snprintf(page->names[page->file_count++], sizeof page->names[0], "scenes.json");
    return good;
}

static PalStatus write_books(Page *page, const PalCliArguments *arguments, const char **path,
                             PalError *error)
{
    char names[PAL_CLI_OPERAND_MAX][PAL_VADEMECUM_NAME], files[PAL_CLI_OPERAND_MAX][80];
    int32_t count = arguments->operand_count - 1;
    for (int32_t i = 0; i < count; ++i) {
        PalVademecum *book = NULL;
        *path = arguments->operands[i + 1];
        PalStatus status = pal_vademecum_read(*path, &book, error);
        snprintf(files[i], sizeof files[i], "body-%d.vademecum", (int)i + 1);
        char *to = pal_cli_join(page->folder, files[i]);
        if (status == PAL_OK)
            snprintf(names[i], sizeof names[i], "%s", pal_vademecum_name(book));
        if (status == PAL_OK)
            status = to != NULL ? pal_vademecum_write_web(to, book, error) : PAL_NO_MEMORY;
        free(to);
        pal_vademecum_destroy(book);
        PAL_TRY(status);
        memcpy(page->names[page->file_count++], files[i], sizeof page->names[0]);
    }
    return write_scenes(page, names, (const char(*)[80])files, count) ? PAL_OK : PAL_IO_FAILED;
}

// ---- the server -------------------------------------------------------------------------

static const char *type_of(const char *name)
{
    const char *ending = strrchr(name, '.');
    return strcmp(ending, ".html") == 0   ? "text/html; charset=utf-8"
           : strcmp(ending, ".js") == 0   ? "text/javascript; charset=utf-8"
           : strcmp(ending, ".css") == 0  ? "text/css; charset=utf-8"
           : strcmp(ending, ".json") == 0 ? "application/json"
                                          : "application/octet-stream";
}

static bool send_all(int client, const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t sent = send(client, bytes, count, MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
        bytes += sent;
        count -= (size_t)sent;
    }
    return true;
}

static void send_text(int client, const char *status, const char *text)
{
    char answer[512];
    int length = snprintf(answer, sizeof answer,
                          "HTTP/1.1 %s\r\nContent-Type: text/plain\r\nContent-Length: %zu\r\n"
                          "Connection: close\r\n\r\n%s",
                          status, strlen(text), text);
    send_all(client, answer, (size_t)length);
}

static void send_file(int client, const Page *page, const char *name, bool body)
{
    char *path = pal_cli_join(page->folder, name), block[65536], head[512];
    FILE *file = path != NULL ? fopen(path, "rb") : NULL;
    struct stat about;
    free(path);
    if (file == NULL || fstat(fileno(file), &about) != 0) {
        if (file != NULL)
            fclose(file);
        send_text(client, "404 Not Found", "not there\n");
        return;
    }
    int length = snprintf(head, sizeof head,
                          "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %lld\r\n"
                          "Cross-Origin-Opener-Policy: same-origin\r\n"
                          "Cross-Origin-Embedder-Policy: require-corp\r\n"
                          "X-Content-Type-Options: nosniff\r\nCache-Control: no-cache\r\n"
                          "Connection: close\r\n\r\n",
                          type_of(name), (long long)about.st_size);
    bool good = send_all(client, head, (size_t)length);
    for (size_t count; good && body && (count = fread(block, 1, sizeof block, file)) > 0;)
        good = send_all(client, block, count);
    fclose(file);
}

// GET or HEAD of a file that is on the list, and nothing else.
static void answer(int client, const Page *page)
{
    char request[REQUEST + 1];
    size_t length = 0;
    while (length < REQUEST) {
        ssize_t count = recv(client, request + length, REQUEST - length, 0);
        if (count <= 0)
            return;
        length += (size_t)count;
        request[length] = '\0';
        if (strstr(request, "\r\n\r\n") != NULL)
            break;
    }
    bool get = strncmp(request, "GET /", 5) == 0, head = strncmp(request, "HEAD /", 6) == 0;
    if (!get && !head) {
        send_text(client, "405 Method Not Allowed", "only GET and HEAD\n");
        return;
    }
    char *name = request + (get ? 5 : 6);
    name[strcspn(name, " ?#\r\n")] = '\0';
    const char *wanted = name[0] != '\0' ? name : "index.html";
    for (int32_t i = 0; i < page->file_count; ++i)
        if (strcmp(wanted, page->names[i]) == 0) {
            send_file(client, page, page->names[i], get);
            return;
        }
    send_text(client, "404 Not Found", "not there\n");
}

// Loopback alone; the usual port, or any that is free.
static int listen_somewhere(int *port)
{
    for (int attempt = 0; attempt < 2; ++attempt) {
        struct sockaddr_in address = {.sin_family = AF_INET,
                                      .sin_port = htons(attempt == 0 ? PORT : 0),
                                      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        socklen_t size = sizeof address;
        int one = 1, server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (server < 0)
            return -1;
        setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
        if (bind(server, (struct sockaddr *)&address, sizeof address) == 0 &&
            listen(server, 16) == 0 &&
            getsockname(server, (struct sockaddr *)&address, &size) == 0) {
            *port = ntohs(address.sin_port);
            return server;
        }
        close(server);
    }
    return -1;
}

static int serve(const Page *page, bool quiet)
{
    int port, server = listen_somewhere(&port);
    if (server < 0) {
        pal_cli_refuse("cannot listen on this machine: %s", strerror(errno));
        return PAL_EXIT_FAILED;
    }
    printf("http://127.0.0.1:%d/\n", port);
    if (!quiet)
        printf("the folder %s works on any web server; Ctrl-C ends this one\n", page->folder);
    fflush(stdout);
    while (!pal_cli_interrupted()) {
        struct pollfd wait = {.fd = server, .events = POLLIN};
        if (poll(&wait, 1, 500) <= 0)
            continue;
        int client = accept(server, NULL, NULL);
        if (client < 0)
            continue;
        struct timeval limit = {.tv_sec = TIMEOUT};
        setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
        answer(client, page);
        close(client);
    }
    close(server);
    return PAL_EXIT_DONE;
}

int pal_cli_vademecum_serve(const PalCliArguments *arguments)
{
    Page page = {.folder = arguments->directory != NULL ? arguments->directory : "touch"};
    PalError error = {0};
    const char *path = page.folder;
    char *source = pal_cli_find_upwards("share/palpate/touch");
    if (source == NULL)
        return pal_cli_refuse("the web page was not found beside palpate: this build was made "
                              "without emscripten");
    if (mkdir(page.folder, 0777) != 0 && errno != EEXIST) {
        pal_cli_refuse("cannot make the folder %s: %s", page.folder, strerror(errno));
        free(source);
        return PAL_EXIT_FAILED;
    }
    bool copied = copy_page(&page, source);
    free(source);
    if (!copied)
        return PAL_EXIT_FAILED;
    PalStatus status = write_books(&page, arguments, &path, &error);
    if (status != PAL_OK) {
        pal_cli_print_error(path, &error);
        return status == PAL_BAD_INPUT ? PAL_EXIT_USAGE : PAL_EXIT_FAILED;
    }
    pal_cli_signals_catch();
    return serve(&page, arguments->quiet);
}
