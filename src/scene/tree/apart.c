// libfyaml in a child process, whose events come through a pipe. The child ends with the last
// event; if it dies before, its events end early, and that is all that happens.
#include "base/memory.h"
#include "scene/tree/yaml.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

// What goes through the pipe before the texts of an event.
typedef struct Head {
    PalYamlKind kind;
    PalYamlStyle style;
    int32_t line, column;
    size_t text_size, anchor_size;
    bool anchored;
} Head;

enum { BUFFER_SIZE = 1 << 14 };

#ifdef PAL_ONE_PROCESS
#define APART false
#else
#define APART true
#endif

// ---- the child ----------------------------------------------------------------------------

typedef struct Sender {
    int pipe;
    size_t used;
    char bytes[BUFFER_SIZE];
} Sender;

static bool send_all(int pipe, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t sent = write(pipe, bytes, size);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        bytes += sent;
        size -= (size_t)sent;
    }
    return true;
}

static bool put(Sender *sender, const void *data, size_t size)
{
    const char *bytes = data;
    while (size > 0) {
        size_t room = sizeof sender->bytes - sender->used, part = size < room ? size : room;
        memcpy(sender->bytes + sender->used, bytes, part);
        sender->used += part;
        bytes += part;
        size -= part;
        if (sender->used < sizeof sender->bytes)
            continue;
        if (!send_all(sender->pipe, sender->bytes, sender->used))
            return false;
        sender->used = 0;
    }
    return true;
}

static PalStatus send_event(void *context, const PalYamlEvent *event)
{
    Sender *sender = context;
    Head head;
    memset(&head, 0, sizeof head);
    head.kind = event->kind;
    head.style = event->style;
    head.line = event->line;
    head.column = event->column;
    head.text_size = event->text_size;
    head.anchor_size = event->anchor_size;
    head.anchored = event->anchor != NULL;
    bool good = put(sender, &head, sizeof head) && put(sender, event->text, head.text_size) &&
                put(sender, event->anchor, head.anchor_size);
    if (good && event->kind >= PAL_YAML_TROUBLE)  // the last one
        good = send_all(sender->pipe, sender->bytes, sender->used);
    return good ? PAL_OK : PAL_IO_FAILED;
}

// A death here is no news to anybody: no core, no report of a sanitizer.
static void prepare_to_die(void)
{
    static const int deadly[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGPIPE};
    struct sigaction plain = {.sa_handler = SIG_DFL};
    sigemptyset(&plain.sa_mask);
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; ++i)
        sigaction(deadly[i], &plain, NULL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
}

// ---- the parent ---------------------------------------------------------------------------

typedef struct Receiver {
    int pipe;
    size_t at, filled;
    char bytes[BUFFER_SIZE];
    char *texts;  // of the event at hand
    size_t capacity;
} Receiver;

// False: the child came to no end, or cannot be read from.
static bool receive(Receiver *receiver, void *data, size_t size)
{
    char *out = data;
    while (size > 0) {
        size_t ready = receiver->filled - receiver->at, part = size < ready ? size : ready;
        if (part > 0) {
            memcpy(out, receiver->bytes + receiver->at, part);
            receiver->at += part;
            out += part;
            size -= part;
            continue;
        }
        ssize_t got = read(receiver->pipe, receiver->bytes, sizeof receiver->bytes);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        receiver->at = 0;
        receiver->filled = (size_t)got;
    }
    return true;
}

static bool receive_texts(Receiver *receiver, const Head *head)
{
    size_t size = head->text_size + head->anchor_size;
    if (size > receiver->capacity) {
        char *more = pal_grow(receiver->texts, 2 * size);
        if (more == NULL)
            return false;
        receiver->texts = more;
        receiver->capacity = 2 * size;
    }
    return receive(receiver, receiver->texts, size);
}

static PalStatus receive_events(Receiver *receiver, PalYamlTake *take, void *context)
{
    for (;;) {
        Head head;
        if (!receive(receiver, &head, sizeof head) || !receive_texts(receiver, &head))
            return PAL_NO_MEMORY;
        const char *texts = receiver->texts != NULL ? receiver->texts : "";
        PalYamlEvent event = {
            .kind = head.kind,
            .style = head.style,
            .line = head.line,
            .column = head.column,
            .text = texts,
            .text_size = head.text_size,
            .anchor = head.anchored ? texts + head.text_size : NULL,
            .anchor_size = head.anchor_size,
        };
        PalStatus status = take(context, &event);
        if (status != PAL_OK || head.kind >= PAL_YAML_TROUBLE)
            return head.kind == PAL_YAML_NO_MEMORY && status == PAL_OK ? PAL_NO_MEMORY : status;
    }
}

static void await(pid_t child)
{
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
}

PalStatus pal_yaml_read(const PalYamlText *yaml, PalYamlTake *take, void *context)
{
    int ends[2];
    if (!APART || pipe(ends) != 0)
        return pal_yaml_read_here(yaml, take, context);
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    pid_t child = fork();
    if (child == 0) {
        prepare_to_die();
        close(ends[0]);
        Sender sender = {.pipe = ends[1]};
        pal_yaml_read_here(yaml, send_event, &sender);
        _exit(0);
    }
    int cause = errno;
    close(ends[1]);
    PalStatus status = PAL_NO_MEMORY;
    if (child > 0) {
        Receiver receiver = {.pipe = ends[0]};
        status = receive_events(&receiver, take, context);
        pal_free(receiver.texts);
    }
    close(ends[0]);  // a child that still sends ends here
    if (child > 0)
        await(child);
    else if (cause != ENOMEM)  // where processes are not allowed or used up
        status = pal_yaml_read_here(yaml, take, context);
    return status;
}
