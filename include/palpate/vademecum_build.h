// Vademecums, off-line: what a body does under loads on its surface, computed once and kept.
// Building one, its arrays for those who write and read files, and single answers of it.
#ifndef PALPATE_VADEMECUM_BUILD_H
#define PALPATE_VADEMECUM_BUILD_H

#include <palpate/linear.h>
#include <palpate/model.h>

#ifdef __cplusplus
extern "C" {
#endif
PAL_API_BEGIN

typedef struct PalVademecum PalVademecum;

#define PAL_VADEMECUM_NAME 64

typedef enum PalVademecumMethod {
    PAL_VADEMECUM_AUTO,  // modes of equilibria, sampled cells and a local part
    PAL_VADEMECUM_PGD,   // as printed: products found by alternating directions
} PalVademecumMethod;

const PalChoice *pal_vademecum_method_choice(int32_t index);  // NULL after the last one
const char *pal_vademecum_method_name(PalVademecumMethod method);
bool pal_vademecum_method_find(const char *name, PalVademecumMethod *method);

typedef enum PalVademecumDirections {
    PAL_DIRECTIONS_NORMAL,  // into the body, along the surface's normal at the site
    PAL_DIRECTIONS_XYZ,     // along and against the three axes
    PAL_DIRECTIONS_ONE,     // one that is given
} PalVademecumDirections;

const PalChoice *pal_vademecum_directions_choice(int32_t index);
const char *pal_vademecum_directions_name(PalVademecumDirections directions);
bool pal_vademecum_directions_find(const char *name, PalVademecumDirections *directions);

// How many there are of what.
typedef struct PalVademecumSize {
    int32_t node_count, surface_count, triangle_count, cell_count, material_count;
    int32_t site_count, direction_count, level_count;
    int32_t mode_count, stride;  // stride: modes and zeros up to a multiple of 8
    int32_t sample_count, local_count;
    int32_t grid_counts[3], field_rank;  // of distances d(x, s), and how many products they have
    int32_t heldout_count;
} PalVademecumSize;

// Mean, 95th of a hundred and worst of a relative error.
typedef struct PalVademecumError {
    double mean, most, worst;
} PalVademecumError;

typedef struct PalVademecumFacts {
    PalVademecumMethod method;
    PalVademecumDirections directions;
    double patch;        // radius of a load
    double largest;      // force
    double tolerance;    // asked for
    double reach;        // length of the longest coefficients that were learnt; 0: not told
    double residual;     // pgd: forces left out of balance, of the loads; 0: not told
    double field_error;  // how far products of distances d(x, s) are off at most, a length
    double seconds;      // it took, and processor seconds of these
    double processor_seconds;
    int32_t solution_count;  // equilibria it was made from, those before a stop as well
    PalVademecumError energy, point, force;  // of loads held out
} PalVademecumFacts;

// Whether the mean error at the load points held out is within the tolerance. False where it is no
// number: no equilibrium was found under any of these loads.
bool pal_vademecum_holds_tolerance(const PalVademecumFacts *facts);

#define PAL_VADEMECUM_UNLEARNT 0.5235987755982988  // radians: 30 degrees

#define PAL_HELDOUT_NUMBERS 9  // where 3, force 3, errors: energy, point, force

// Zeroed arrays for these sizes and this method and kind of directions. PAL_BAD_INPUT for sizes
// that cannot be.
PalStatus pal_vademecum_create(const PalVademecumSize *size, const PalVademecumFacts *facts,
                               PalVademecum **book, PalError *error);
void pal_vademecum_destroy(PalVademecum *book);

const PalVademecumSize *pal_vademecum_size(const PalVademecum *book);
PalVademecumFacts *pal_vademecum_facts(PalVademecum *book);
char *pal_vademecum_name(PalVademecum *book);  // room for PAL_VADEMECUM_NAME
size_t pal_vademecum_bytes(const PalVademecum *book);

typedef enum PalVademecumKind {
    PAL_VADEMECUM_DOUBLE,
    PAL_VADEMECUM_FLOAT,
    PAL_VADEMECUM_INT32,
} PalVademecumKind;

typedef struct PalVademecumArray {
    const char *name;
    PalVademecumKind kind;
    void *data;
    int64_t count;
} PalVademecumArray;

// All arrays, in the same order for the same sizes. Whoever has filled them calls
// pal_vademecum_finish, which refuses what cannot be.
#define PAL_VADEMECUM_ARRAY_MAX 32
int32_t pal_vademecum_arrays(PalVademecum *book, PalVademecumArray list[PAL_VADEMECUM_ARRAY_MAX]);
PalStatus pal_vademecum_finish(PalVademecum *book, PalError *error);

// Whether these sizes can be, and take no more than so many bytes.
bool pal_vademecum_fits(const PalVademecumSize *size, const PalVademecumFacts *facts,
                        uint64_t bytes);

// ---- the compact form: one block of memory, for web pages --------------------------------

// Without nodes and cells that nobody needs while it is used.
PalStatus pal_vademecum_compact(PalVademecum *book, PalVademecum **compact, PalError *error);
// Bytes in an array to be freed with pal_vademecum_free_bytes.
PalStatus pal_vademecum_to_web(PalVademecum *book, unsigned char **bytes, size_t *size,
                               PalError *error);
void pal_vademecum_free_bytes(unsigned char *bytes);
bool pal_vademecum_is_web(const void *bytes, size_t size);  // by its first bytes
PalStatus pal_vademecum_read_web(const void *bytes, size_t size, PalVademecum **book,
                                 PalError *error);

// ---- building ---------------------------------------------------------------------------

// What has been done of a build, and what is left.
typedef struct PalVademecumProgress {
    const char *stage;  // in words
    int32_t done, total;
    int32_t mode_count;
    double error;  // at load points, of the last solutions before they were learnt; < 0: not known
    double seconds, seconds_left;  // left: < 0 where it is not known
} PalVademecumProgress;

// Equilibria found before, so that a build that was stopped goes on. Both may be NULL.
typedef struct PalVademecumMemory {
    void *own;
    // Whether this request was answered before: the answer's numbers.
    bool (*recall)(void *own, const double request[8], int64_t count, double *answer);
    void (*keep)(void *own, const double request[8], int64_t count, const double *answer);
} PalVademecumMemory;

typedef struct PalVademecumDef {
    const PalModelDef *model;
    int32_t body_index;
    PalWhere where;  // sites: surface nodes among these
    double patch, largest, tolerance;
    PalVademecumDirections directions;
    PalVec3 direction;  // of PAL_DIRECTIONS_ONE
    PalVademecumMethod method;
    int32_t mode_limit;      // 0: 144
    int32_t heldout_count;   // 0: 40
    int32_t solution_limit;  // equilibria to learn from; 0: as many as it takes
    int32_t thread_count;    // 0: one per core
    // Called now and then; false: stop with PAL_INTERRUPTED. NULL: never.
    bool (*progress)(void *context, const PalVademecumProgress *progress);
    void *context;
    PalVademecumMemory memory;
} PalVademecumDef;

PalVademecumDef pal_vademecum_def_default(void);
PalStatus pal_vademecum_build(const PalVademecumDef *def, PalVademecum **book, PalError *error);

// As printed, distances d(x, s) around every stored deformed shape, for loops that answer as
// printed. The method pgd has them from the start. At most so many grid points; 0: 65000, fewer
// where there are many loads. Replaces *book, which stays where that fails.
PalStatus pal_vademecum_add_distances(PalVademecum **book, int32_t point_limit,
                                      int32_t thread_count, PalError *error);

// ---- answers ----------------------------------------------------------------------------

typedef struct PalVademecumLoad {
    PalVec3 at, force;
} PalVademecumLoad;

typedef struct PalVademecumAnswer {
    PalVec3 displacement;             // of the surface point next to `at`
    PalVec3 point;                    // that point at rest
    double distance;                  // of `at` from it
    PalVec3 stored_at, stored_force;  // the nearest load that is stored
    PalVec3 stored_displacement;      // and what is stored of it, at its own point
    int32_t iterations;               // of the correction
    bool converged;
    bool outside;  // the load is larger than any that was given, or off the sites or the body
    // Between the force and the nearest direction that loads had there when it was made, radians;
    // 0 with PAL_DIRECTIONS_XYZ. Errors are not known far from it.
    double angle;
} PalVademecumAnswer;

// What evaluations need besides the vademecum.
typedef struct PalVademecumWork PalVademecumWork;
PalStatus pal_vademecum_work_create(const PalVademecum *book, PalVademecumWork **work,
                                    PalError *error);
void pal_vademecum_work_destroy(PalVademecumWork *work);

// One load. `displacement`: per node of the vademecum; NULL: not wanted.
void pal_vademecum_evaluate(const PalVademecum *book, PalVademecumWork *work,
                            const PalVademecumLoad *load, PalVademecumAnswer *answer,
                            PalVec3 *displacement);

PAL_API_END
#ifdef __cplusplus
}
#endif

#endif
