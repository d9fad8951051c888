// vademecum serve: a folder with a web page in which bodies are touched, and a server for it on
// this machine alone.
#include "cli.h"
#include "http.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FILES = PAL_CLI_OPERAND_MAX - 1, PAGES = FILES + 3, PORT = 8217 };

typedef struct Site {
    PalHttpPage pages[PAGES];
    int page_count;
    char *own[2];                 // of the page's files
    unsigned char *books[FILES];  // of vademecums
    char names[FILES][32];        // of their files
    char labels[FILES][PAL_VADEMECUM_NAME + 8];
    size_t book_sizes[FILES];
    int book_count;
    char *list;  // JSON
} Site;

static char *read_whole(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    long length = -1;
    if (file != NULL && fseek(file, 0, SEEK_END) == 0 && (length = ftell(file)) >= 0 &&
        fseek(file, 0, SEEK_SET) == 0 && (bytes = malloc((size_t)length + 1)) != NULL &&
        fread(bytes, 1, (size_t)length, file) != (size_t)length) {
        free(bytes);
        bytes = NULL;
    }
    if (file != NULL)
        fclose(file);
    *size = length > 0 ? (size_t)length : 0;
    return bytes;
}

static void add_page(Site *site, const char *path, const char *type, const void *bytes, size_t size)
{
    site->pages[site->page_count++] = (PalHttpPage){path, type, bytes, size};
}

static bool add_own(Site *site)
{
    static const char *const names[] = {"index.html", "touch-worker.js"};
    static const char *const types[] = {"text/html; charset=utf-8",
                                        "text/javascript; charset=utf-8"};
    char *folder = pal_cli_find_upwards("share/palpate/touch");
    bool found = folder != NULL;
    for (int i = 0; i < 2 && found; ++i) {
        size_t size = 0;
        char *path = pal_cli_join(folder, names[i]);
        site->own[i] = path != NULL ? read_whole(path, &size) : NULL;
        free(path);
        found = site->own[i] != NULL;
        if (found)
            add_page(site, names[i], types[i], site->own[i], size);
    }
    free(folder);
    if (!found)
        fprintf(stderr, "palpate: the page is not there: palpate was built without emscripten "
                        "(Debian: emscripten)\n");
    return found;
}

// A name of its own for each: a second beam is "beam 2".
static void label(Site *site, int index, const char *name)
{
    int same = 1;
    for (int i = 0; i < index; ++i)
        same += strncmp(site->labels[i], name, strlen(name)) == 0 &&
                strspn(site->labels[i] + strlen(name), " 0123456789") ==
                    strlen(site->labels[i] + strlen(name));
    if (same > 1)
        snprintf(site->labels[index], sizeof site->labels[index], "%s %d", name, same);
    else
        snprintf(site->labels[index], sizeof site->labels[index], "%s", name);
}

static PalStatus add_book(Site *site, const char *path, PalError *error)
{
    PalVademecum *book = NULL;
    int index = site->book_count;
    PAL_TRY(pal_vademecum_read(path, &book, error));
    label(site, index, pal_vademecum_name(book));
    PalStatus status =
        pal_vademecum_to_web(book, &site->books[index], &site->book_sizes[index], error);
    pal_vademecum_destroy(book);
    if (status != PAL_OK)
        return status;
    ++site->book_count;
    snprintf(site->names[index], sizeof site->names[index], "%d.vademecum", index + 1);
    add_page(site, site->names[index], "application/octet-stream", site->books[index],
             site->book_sizes[index]);
    return PAL_OK;
}

// vademecums.json: what the page can choose from.
static bool add_list(Site *site)
{
    size_t size = 0;
    FILE *file = open_memstream(&site->list, &size);
    if (file == NULL)
        return false;
    fprintf(file, "{\"vademecums\": [");
    for (int i = 0; i < site->book_count; ++i) {
        fprintf(file, "%s\n  {\"name\": \"", i > 0 ? "," : "");
        for (const unsigned char *c = (const unsigned char *)site->labels[i]; *c != '\0'; ++c) {
            if (*c < 0x20 || *c == '"' || *c == '\\' || *c == 0x7f)
                fprintf(file, "\\u%04x", *c);
            else
                fputc(*c, file);
        }
        fprintf(file, "\", \"file\": \"%s\", \"bytes\": %zu}", site->names[i], site->book_sizes[i]);
    }
    fprintf(file, "\n]}\n");
    bool good = ferror(file) == 0;
    good = fclose(file) == 0 && good;
    if (good)
        add_page(site, "vademecums.json", "application/json", site->list, size);
    return good;
}

static void close_site(Site *site)
{
    for (int i = 0; i < 2; ++i)
        free(site->own[i]);
    for (int i = 0; i < site->book_count; ++i)
        pal_vademecum_free_bytes(site->books[i]);
    free(site->list);
}

static bool write_page(const char *folder, const PalHttpPage *page)
{
    char *path = pal_cli_join(folder, page->path);
    FILE *file = path != NULL ? fopen(path, "wb") : NULL;
    bool good = file != NULL && fwrite(page->bytes, 1, page->size, file) == page->size;
    if (file != NULL)
        good = fclose(file) == 0 && good;
    if (!good)
        pal_cli_refuse("%s: cannot be written: %s", path != NULL ? path : folder, strerror(errno));
    free(path);
    return good;
}

// Whether a folder has a page that somebody else made.
static bool has_other_page(const char *folder)
{
    size_t size = 0;
    char *path = pal_cli_join(folder, "index.html");
    char *text = path != NULL ? read_whole(path, &size) : NULL;
    if (text != NULL)
        text[size] = '\0';
    bool other = text != NULL && strstr(text, "name=\"generator\" content=\"palpate\"") == NULL;
    free(text);
    free(path);
    return other;
}

static bool write_folder(const Site *site, const char *folder)
{
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        pal_cli_refuse("%s: cannot be made: %s", folder, strerror(errno));
        return false;
    }
    for (int i = 0; i < site->page_count; ++i)
        if (!write_page(folder, &site->pages[i]))
            return false;
    return true;
}

static int serve(const Site *site, const PalCliArguments *arguments)
{
    int port = arguments->port >= 0 ? arguments->port : PORT;
    int listener = pal_http_listen(&port);
    if (listener < 0 && arguments->port < 0) {  // taken: any other will do
        port = 0;
        listener = pal_http_listen(&port);
    }
    if (listener < 0) {
        fprintf(stderr, "palpate: port %d of 127.0.0.1: %s\n", port, strerror(errno));
        return PAL_EXIT_FAILED;
    }
    if (arguments->json)
        printf("{\"address\": \"http://127.0.0.1:%d/\", \"port\": %d}\n", port, port);
    else
        printf("http://127.0.0.1:%d/\n", port);
    if (!arguments->json && !arguments->quiet)
        printf("has the page, until Ctrl-C\n");
    fflush(stdout);
    pal_http_serve(listener, port, site->pages, site->page_count, pal_cli_interrupted);
    return PAL_EXIT_DONE;
}

int pal_cli_vademecum_serve(const PalCliArguments *arguments)
{
    Site site = {0};
    PalError error = {0};
    int code = PAL_EXIT_DONE;
    if (!add_own(&site))
        code = PAL_EXIT_FAILED;
    for (int i = 1; i < arguments->operand_count && code == PAL_EXIT_DONE; ++i) {
        PalStatus status = add_book(&site, arguments->operands[i], &error);
        if (status != PAL_OK) {
            pal_cli_print_error(arguments->operands[i], &error);
            code = status == PAL_BAD_INPUT ? PAL_EXIT_USAGE : PAL_EXIT_FAILED;
        }
    }
    if (code == PAL_EXIT_DONE && !add_list(&site))
        code = PAL_EXIT_FAILED;
    const char *folder = arguments->directory != NULL ? arguments->directory : "touch";
    if (code == PAL_EXIT_DONE && has_other_page(folder))
        code = pal_cli_refuse("%s has an index.html that palpate did not make, expected another "
                              "folder after -o",
                              folder);
    if (code == PAL_EXIT_DONE && !write_folder(&site, folder))
        code = PAL_EXIT_FAILED;
    if (code == PAL_EXIT_DONE && arguments->web && !arguments->quiet) {
        pal_cli_print_shown(stdout, folder);
        printf(" has the page, for any web server\n");
    }
    if (code == PAL_EXIT_DONE && !arguments->web) {
        pal_cli_signals_catch();
        code = serve(&site, arguments);
    }
    close_site(&site);
    return code;
}
