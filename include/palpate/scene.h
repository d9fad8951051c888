// Scenes: YAML or JSON text to definitions to a simulation. Part of libpalpate-io.
#ifndef PALPATE_SCENE_H
#define PALPATE_SCENE_H

#include <palpate/output.h>
#include <palpate/sim.h>
#include <palpate/vademecum_build.h>

#ifdef __cplusplus
extern "C" {
#endif
PAL_API_BEGIN

typedef struct PalScene PalScene;

// One --set: a dotted path (solver.step, bodies.0.material.young, bodies.ball.velocity)
// and a YAML value; null removes the key.
typedef struct PalSceneChange {
    const char *path, *value;
} PalSceneChange;

typedef struct PalSceneOptions {
    int32_t change_count;
    const PalSceneChange *changes;
    // The directory of a run that is to go on, maybe to another end: defaults that depend on the
    // solver's time (`until`, `every`) stay as that run had them. NULL: none.
    const char *resumed;
    bool lenient;  // what a foreign model would lose is left out with a warning, and not refused
} PalSceneOptions;

// Reads the scene and every mesh it names, and checks all that needs no simulation.
// Errors read file:line:column: what, what was expected. options may be NULL.
PalStatus pal_scene_read(const char *path, const PalSceneOptions *options, PalScene **scene,
                         PalError *error);
void pal_scene_destroy(PalScene *scene);

const char *pal_scene_name(const PalScene *scene);
const char *pal_scene_resolved(const PalScene *scene);  // as YAML text, defaults filled in
const PalSimDef *pal_scene_sim(const PalScene *scene);
const PalOutputDef *pal_scene_output(const PalScene *scene);  // without a directory
// What `vademecum` says; NULL: nothing. Progress, memory and threads are the caller's to set.
const PalVademecumDef *pal_scene_vademecum(const PalScene *scene);
// A number for all that decides the equilibria of that vademecum.
uint64_t pal_scene_vademecum_identity(const PalScene *scene);

// Where a condition is in the file, for messages: "file:line:column". NULL: there is none.
const char *pal_scene_condition_place(const PalScene *scene, int32_t condition_index);
// Puts "file:line:column: " before what could not be simulated, where the error knows the body or
// condition that it is about.
void pal_scene_place_error(const PalScene *scene, PalError *error);

// Extensions of files that can be read: ".yaml", ".json", ".xml", ... NULL after the last one.
const char *pal_scene_extension(int32_t index);

// ---- foreign models ---------------------------------------------------------------------

// pal_scene_read takes models of NiftySim (.xml), FEBio (.feb) and Abaqus (.inp) as well, and warns
// where the scene differs from the model; what would change the answer is refused. Read leniently,
// it is left out with a warning, and pal_scene_loss tells it. pal_scene_convert writes a model as a
// scene.

// What a model lost: "file:line: what". NULL after the last.
const char *pal_scene_loss(const PalScene *scene, int32_t index);

typedef struct PalConvertResult {
    int32_t warning_count;
    char (*warnings)[512];  // file:line: what; to be freed with free()
    int32_t mesh_count;     // written beside the scene
} PalConvertResult;

typedef struct PalConvertOptions {
    bool strict;   // the first warning is an error, and nothing is written
    bool replace;  // mesh files that exist already; they are refused otherwise
    bool lenient;  // as in PalSceneOptions
} PalConvertOptions;

// Writes the model `from` as the scene `to` (.yaml), and its meshes beside it. Running the scene
// gives the same results, bit for bit, as running the model. `result` is filled in whatever the
// status; options may be NULL: none of them.
PalStatus pal_scene_convert(const char *from, const char *to, const PalConvertOptions *options,
                            PalConvertResult *result, PalError *error);

// ---- vocabulary -------------------------------------------------------------------------

// One key that a part of a scene may have.
typedef struct PalSceneKey {
    const char *name;
    const char *value;     // what it takes, in words: "number above 0 (length)"
    const char *standard;  // its default; "": none, or the help says
    const char *help;
    bool required;
    int32_t choice_count;
    const PalChoice *choices;  // the words it takes
    const char *part;          // the part of the scene below it; NULL: none
    bool list;                 // a list of such parts
} PalSceneKey;

typedef struct PalScenePart {
    const char *name;  // "scene", "body", "solver", ...
    const char *help;
    const char *rule;  // which keys need or exclude each other; "": no rule
    const char *base;  // another part all of whose keys this one has as well; NULL: none
    int32_t key_count;
    const PalSceneKey *keys;
} PalScenePart;

// Every key of a scene, from the tables that the reader uses.
typedef struct PalVocabulary PalVocabulary;

PalStatus pal_vocabulary_create(PalVocabulary **vocabulary, PalError *error);
void pal_vocabulary_destroy(PalVocabulary *vocabulary);
int32_t pal_vocabulary_part_count(const PalVocabulary *vocabulary);
const PalScenePart *pal_vocabulary_part(const PalVocabulary *vocabulary, int32_t index);
const PalScenePart *pal_vocabulary_find(const PalVocabulary *vocabulary, const char *name);

// The same as a JSON Schema and as a page of Markdown; free with free(). NULL: no memory.
char *pal_vocabulary_schema(const PalVocabulary *vocabulary);
char *pal_vocabulary_reference(const PalVocabulary *vocabulary);

// ---- check ------------------------------------------------------------------------------

typedef enum PalFindingKind {
    PAL_FINDING_NOTE,
    PAL_FINDING_WARNING,
    PAL_FINDING_ERROR
} PalFindingKind;

typedef struct PalFinding {
    PalFindingKind kind;
    char text[512];
} PalFinding;

// Everything that can be known without running: mesh quality, stable step, cost. The caller
// frees the array with free().
PalStatus pal_scene_check(const PalScene *scene, PalFinding **findings, int32_t *count,
                          PalError *error);

// The warnings among them that cost no trial steps, of a simulation just made of the scene.
PalStatus pal_scene_warnings(const PalScene *scene, PalSim *sim, PalFinding **findings,
                             int32_t *count, PalError *error);

// ---- run --------------------------------------------------------------------------------

typedef struct PalProgress {
    double time, end_time, fraction;
    int64_t steps;
    double steps_per_second, elements_per_second;
    double seconds_left, seconds_used;
    double residual;    // relaxation
    const char *stage;  // "running", "writing the report", ...
} PalProgress;

// The results of a run.
typedef struct PalRunResult {
    bool opened;      // the run directory was opened; a failure before that leaves no files
    bool checkpoint;  // the directory holds a checkpoint to resume from
    bool resumed;
    int64_t steps, resumed_steps;  // in all; already taken when resumed
    double time;
    double wall_seconds, step_seconds;  // of this process: in all; in steps, without output
    int32_t thread_count;
    int32_t node_count, cell_count;
    double drift;     // worst of the energy balance
    double residual;  // relaxation: see pal_sim_residual
    double largest;   // displacement
    int32_t largest_node;
    char largest_body[64];
    PalContactReport contact;                // all 0 where nothing can touch
    double contact_seconds;                  // of step_seconds
    double assemble_seconds, solve_seconds;  // implicit: of step_seconds
    int64_t iterations;                      // implicit: corrections by Newton's method
    int32_t probe_count;
    PalVec3 *probes;      // final values, in the order of the scene
    PalProbePeak *peaks;  // the largest values, and when they occurred
    // After a run without failure: objects that never touched, probes that were always 0.
    int32_t remark_count;
    PalFinding *remarks;
} PalRunResult;

void pal_run_result_clear(PalRunResult *result);

typedef struct PalRunOptions {
    const char *directory;
    int32_t thread_count;  // 0: the scene's, or all cores
    bool resume;
    bool strict;       // the first warning is an error, and nothing is run
    double stop_time;  // > 0: returns PAL_INTERRUPTED there; the last step is made to end there
    // Called a few times a second; returning false interrupts the run with a checkpoint.
    bool (*progress)(void *context, const PalProgress *progress);
    // Called for each warning, once the run directory is open and before the first step; may be
    // NULL. The warnings are in the log as well.
    void (*warn)(void *context, const char *text);
    void *context;
    PalRunResult *result;  // filled in, to be cleared by the caller; may be NULL
} PalRunOptions;

// Runs a scene into a directory. Whatever the status, what was computed is on disk.
PalStatus pal_scene_run(const PalScene *scene, const PalRunOptions *options, PalError *error);

PAL_API_END
#ifdef __cplusplus
}
#endif

#endif
