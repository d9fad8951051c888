// What every other header builds on: statuses, errors, indices, version.
#ifndef PALPATE_BASE_H
#define PALPATE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What stands between these two is what a shared library shows.
#if defined(__GNUC__) && !defined(PAL_API_HIDDEN)
#define PAL_API_BEGIN _Pragma("GCC visibility push(default)")
#define PAL_API_END   _Pragma("GCC visibility pop")
#else
#define PAL_API_BEGIN
#define PAL_API_END
#endif

#ifdef __cplusplus
extern "C" {
#endif
PAL_API_BEGIN

// One of several things a scene can choose by name, with one line of help.
typedef struct PalChoice {
    const char *name, *help;
} PalChoice;

#define PAL_NONE (-1)  // an index that refers to nothing

typedef enum PalStatus {
    PAL_OK = 0,
    PAL_BAD_INPUT,    // what the caller gave is wrong; PalError says what and where
    PAL_NO_MEMORY,    // an allocation failed
    PAL_IO_FAILED,    // a file or directory could not be read or written
    PAL_SIM_FAILED,   // numerical trouble: unstable, inverted, not converged
    PAL_INTERRUPTED,  // stopped on request, state intact
} PalStatus;

// The first cause of a failure, in words. A function that fails fills it once;
// callers further up leave it alone.
typedef struct PalError {
    PalStatus status;
    char text[1024];  // one line, no newline at its end
    // 1 + index of the body or condition of a definition that it is about; 0: of none
    int32_t body, condition;
} PalError;

// Leaves the calling function with the status of `call` unless it is PAL_OK.
#define PAL_TRY(call)                                                                              \
    do {                                                                                           \
        PalStatus pal_try_status = (call);                                                         \
        if (pal_try_status != PAL_OK)                                                              \
            return pal_try_status;                                                                 \
    } while (0)

// Records status and message unless an earlier cause is recorded already. Control characters are
// written out. Words of more than 200 bytes, such as long paths, lose their middle, and so does a
// message of more than 800.
// Returns `status`, so that a failure reads `return pal_error_set(...)`. `error` may be NULL.
PalStatus pal_error_set(PalError *error, PalStatus status, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

// A word for a status: "ok", "bad input", ...
const char *pal_status_name(PalStatus status);

// Version of the library, as "major.minor.patch".
const char *pal_version(void);

PAL_API_END
#ifdef __cplusplus
}
#endif

#endif
