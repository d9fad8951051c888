// Preloaded into a program (LD_PRELOAD), makes one of its calls fail: the one with the number
// FAIL_AT, from 1, of those that ask for memory (FAIL_WHAT=memory) or of those that ask the system
// for files (FAIL_WHAT=files). With FAIL_ON set, all later ones fail as well. What fails sets errno
// to FAIL_ERROR, or to ENOMEM and EIO. FAIL_TELL names a file that gets the number of calls and
// the call that failed.
#define _GNU_SOURCE  // for RTLD_NEXT
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

typedef enum What { MEMORY, FILES } What;

static bool watching[2];
static atomic_long calls;
static long fails_at;
static bool fails_on;
static int cause;
static const char *told_to, *failed = "none";

static bool fails(What what, const char *call)
{
    if (!watching[what])
        return false;
    long number = atomic_fetch_add(&calls, 1) + 1;
    if (number != fails_at && !(fails_on && number > fails_at))
        return false;
    if (number == fails_at)
        failed = call;
    errno = cause;
    return true;
}

// By plain system calls: nothing here may be counted or fail.
static void tell(void)
{
    char line[80];
    int length = snprintf(line, sizeof line, "%ld %s\n", atomic_load(&calls), failed);
    int file = (int)syscall(SYS_openat, AT_FDCWD, told_to, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file >= 0) {
        syscall(SYS_write, file, line, (size_t)length);
        syscall(SYS_close, file);
    }
}

__attribute__((constructor)) static void read_environment(void)
{
    const char *what = getenv("FAIL_WHAT"), *at = getenv("FAIL_AT"), *error = getenv("FAIL_ERROR");
    told_to = getenv("FAIL_TELL");
    fails_on = getenv("FAIL_ON") != NULL;
    fails_at = at != NULL ? strtol(at, NULL, 10) : 0;
    bool memory = what != NULL && strcmp(what, "memory") == 0;
    cause = error != NULL ? (int)strtol(error, NULL, 10) : memory ? ENOMEM : EIO;
    watching[MEMORY] = memory;
    watching[FILES] = what != NULL && strcmp(what, "files") == 0;
}

__attribute__((destructor)) static void write_count(void)
{
    watching[MEMORY] = watching[FILES] = false;
    if (told_to != NULL)
        tell();
}

// ---- memory -----------------------------------------------------------------------------

// dlsym itself may ask for memory: what it gets then comes from here and is never freed.
static _Alignas(64) char early[1 << 16];
static size_t early_used;
static _Thread_local bool looking;

static void *early_alloc(size_t size)
{
    size_t wanted = (size + 63) / 64 * 64;
    if (wanted > sizeof early - early_used)
        return NULL;
    void *memory = early + early_used;
    early_used += wanted;
    return memory;
}

static bool is_early(const void *memory)
{
    return (const char *)memory >= early && (const char *)memory < early + sizeof early;
}

// The function of that name that the program would have called.
static void *find(const char *name)
{
    looking = true;
    void *found = dlsym(RTLD_NEXT, name);
    looking = false;
    return found;
}

#define REAL(result, name, ...)                                                                    \
    static result (*real)(__VA_ARGS__);                                                            \
    if (real == NULL) {                                                                            \
        void *found = find(#name);                                                                 \
        memcpy(&real, &found, sizeof real);                                                        \
    }

void *malloc(size_t size)
{
    if (looking)
        return early_alloc(size);
    REAL(void *, malloc, size_t)
    return fails(MEMORY, "malloc") ? NULL : real(size);
}

void *calloc(size_t count, size_t size)
{
    if (looking)
        return early_alloc(count * size);
    REAL(void *, calloc, size_t, size_t)
    return fails(MEMORY, "calloc") ? NULL : real(count, size);
}

void *realloc(void *memory, size_t size)
{
    REAL(void *, realloc, void *, size_t)
    if (fails(MEMORY, "realloc"))
        return NULL;
    if (!is_early(memory))
        return real(memory, size);
    void *moved = malloc(size);
    if (moved != NULL)
        memcpy(moved, memory, size < 4096 ? size : 4096);
    return moved;
}

void *aligned_alloc(size_t alignment, size_t size)
{
    REAL(void *, aligned_alloc, size_t, size_t)
    return fails(MEMORY, "aligned_alloc") ? NULL : real(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    REAL(int, posix_memalign, void **, size_t, size_t)
    return fails(MEMORY, "posix_memalign") ? ENOMEM : real(memory, alignment, size);
}

void free(void *memory)
{
    REAL(void, free, void *)
    if (!is_early(memory))
        real(memory);
}

// ---- files ------------------------------------------------------------------------------

#define OPEN_MODE                                                                                  \
    va_list rest;                                                                                  \
    va_start(rest, flags);                                                                         \
    int mode = (flags & O_CREAT) != 0 ? va_arg(rest, int) : 0;                                     \
    va_end(rest);

int open(const char *path, int flags, ...)
{
    OPEN_MODE
    return fails(FILES, "open") ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
    OPEN_MODE
    return fails(FILES, "openat") ? -1 : (int)syscall(SYS_openat, folder, path, flags, mode);
}

ssize_t read(int file, void *data, size_t size)
{
    return fails(FILES, "read") ? -1 : (ssize_t)syscall(SYS_read, file, data, size);
}

ssize_t write(int file, const void *data, size_t size)
{
    return fails(FILES, "write") ? -1 : (ssize_t)syscall(SYS_write, file, data, size);
}

#define CALL(result, name, parameters, arguments, ...)                                             \
    result name parameters                                                                         \
    {                                                                                              \
        REAL(result, name, __VA_ARGS__)                                                            \
        return fails(FILES, #name) ? (result)-1 : real arguments;                                  \
    }

#define POINTER_CALL(result, name, parameters, arguments, ...)                                     \
    result name parameters                                                                         \
    {                                                                                              \
        REAL(result, name, __VA_ARGS__)                                                            \
        return fails(FILES, #name) ? NULL : real arguments;                                        \
    }

// clang-format off
CALL(ssize_t, pread, (int file, void *data, size_t size, off_t at), (file, data, size, at), int, void *, size_t, off_t)
CALL(ssize_t, pwrite, (int file, const void *data, size_t size, off_t at), (file, data, size, at), int, const void *, size_t, off_t)
CALL(ssize_t, writev, (int file, const struct iovec *parts, int count), (file, parts, count), int, const struct iovec *, int)
CALL(off_t, lseek, (int file, off_t at, int from), (file, at, from), int, off_t, int)
CALL(int, fsync, (int file), (file), int)
CALL(int, ftruncate, (int file, off_t size), (file, size), int, off_t)
CALL(int, stat, (const char *path, struct stat *about), (path, about), const char *, struct stat *)
CALL(int, fstat, (int file, struct stat *about), (file, about), int, struct stat *)
CALL(int, fstatat, (int folder, const char *path, struct stat *about, int flags), (folder, path, about, flags), int, const char *, struct stat *, int)
CALL(int, access, (const char *path, int mode), (path, mode), const char *, int)
CALL(int, faccessat, (int folder, const char *path, int mode, int flags), (folder, path, mode, flags), int, const char *, int, int)
CALL(int, mkdir, (const char *path, mode_t mode), (path, mode), const char *, mode_t)
CALL(int, mkdirat, (int folder, const char *path, mode_t mode), (folder, path, mode), int, const char *, mode_t)
CALL(int, rename, (const char *from, const char *to), (from, to), const char *, const char *)
CALL(int, renameat, (int folder, const char *from, int other, const char *to), (folder, from, other, to), int, const char *, int, const char *)
CALL(int, unlink, (const char *path), (path), const char *)
CALL(int, unlinkat, (int folder, const char *path, int flags), (folder, path, flags), int, const char *, int)
POINTER_CALL(FILE *, fopen, (const char *path, const char *mode), (path, mode), const char *, const char *)
POINTER_CALL(DIR *, opendir, (const char *path), (path), const char *)
POINTER_CALL(DIR *, fdopendir, (int folder), (folder), int)
POINTER_CALL(struct dirent *, readdir, (DIR *listing), (listing), DIR *)
// clang-format on

void *mmap(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
    if (fails(FILES, "mmap"))
        return MAP_FAILED;
    return (void *)syscall(SYS_mmap, at, size, protection, flags, file, offset);
}

// What could not be written may come to light here only; the descriptor is gone all the same.
int close(int file)
{
    int answer = (int)syscall(SYS_close, file);
    return fails(FILES, "close") ? -1 : answer;
}

int fcntl(int file, int command, ...)
{
    va_list rest;
    va_start(rest, command);
    void *value = va_arg(rest, void *);
    va_end(rest);
    return fails(FILES, "fcntl") ? -1 : (int)syscall(SYS_fcntl, file, command, value);
}
