// Preloaded into a program (LD_PRELOAD), stops it at a point that does not depend on time: when it
// has changed files STOP_CALLS times, by write, writev, pwrite or renameat, it sends itself the
// signals STOP_SIGNALS, numbers with spaces between them, in the middle of the next change.
#define _GNU_SOURCE  // for syscall
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long calls_left = LONG_MAX;

__attribute__((constructor)) static void read_environment(void)
{
    const char *calls = getenv("STOP_CALLS");
    if (calls != NULL)
        calls_left = strtol(calls, NULL, 10);
}

static bool stops_now(void)
{
    return atomic_fetch_sub(&calls_left, 1) == 0;
}

static void stop(void)
{
    char *signals = getenv("STOP_SIGNALS");
    for (long number; signals != NULL && (number = strtol(signals, &signals, 10)) > 0;)
        kill(getpid(), (int)number);  // to the process: the thread may not care for signals
}

ssize_t write(int descriptor, const void *data, size_t size)
{
    if (!stops_now())
        return syscall(SYS_write, descriptor, data, size);
    ssize_t written = syscall(SYS_write, descriptor, data, size / 2);
    stop();
    return written;  // the caller writes the rest
}

// The first part alone, and half of it.
ssize_t writev(int descriptor, const struct iovec *parts, int count)
{
    if (!stops_now())
        return syscall(SYS_writev, descriptor, parts, count);
    ssize_t written = syscall(SYS_write, descriptor, parts[0].iov_base, parts[0].iov_len / 2);
    stop();
    return written;  // the caller writes the rest
}

ssize_t pwrite(int descriptor, const void *data, size_t size, off_t place)
{
    if (stops_now())
        stop();
    return syscall(SYS_pwrite64, descriptor, data, size, place);
}

int renameat(int old_folder, const char *old_name, int new_folder, const char *new_name)
{
    if (stops_now())
        stop();
    return (int)syscall(SYS_renameat, old_folder, old_name, new_folder, new_name);
}
