// A bug stops the program here, in debug and checked builds.
#ifndef PAL_BASE_ASSERT_H
#define PAL_BASE_ASSERT_H

#include <assert.h>

#ifdef NDEBUG
#define PAL_ASSERT(condition) ((void)(0 && (condition)))  // compiled, and never asked
#else
#define PAL_ASSERT(condition) assert(condition)
#endif

#endif
