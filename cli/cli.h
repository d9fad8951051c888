// The command-line program: verbs, their options, and what they share.
#ifndef PAL_CLI_H
#define PAL_CLI_H

#include <palpate/palpate.h>
#include <stdio.h>

// Exit statuses.
enum {
    PAL_EXIT_DONE = 0,
    PAL_EXIT_FAILED = 1,         // the simulation, or writing its results, failed
    PAL_EXIT_USAGE = 2,          // bad input or usage
    PAL_EXIT_INTERRUPTED = 130,  // stopped on request, a checkpoint written
};

#define PAL_CLI_OPERAND_MAX 8
#define PAL_CLI_DEGREES     57.29577951308232  // of a radian

// Which options a verb takes, as bits.
enum {
    PAL_CLI_OUTPUT = 1 << 0,
    PAL_CLI_THREADS = 1 << 1,
    PAL_CLI_RESUME = 1 << 2,
    PAL_CLI_SET = 1 << 3,
    PAL_CLI_QUIET = 1 << 4,
    PAL_CLI_LIST = 1 << 5,
    PAL_CLI_HELP = 1 << 6,  // every verb
    PAL_CLI_FORMAT = 1 << 7,
    PAL_CLI_ASCII = 1 << 8,
    PAL_CLI_STRICT = 1 << 9,
    PAL_CLI_SIZE = 1 << 10,
    PAL_CLI_QUALITY = 1 << 11,
    PAL_CLI_FORCE = 1 << 12,
    PAL_CLI_SCHEMA = 1 << 13,
    PAL_CLI_REFERENCE = 1 << 14,
    PAL_CLI_LENIENT = 1 << 15,
    PAL_CLI_JSON = 1 << 16,
    PAL_CLI_ALL = 1 << 17,
    PAL_CLI_STOP = 1 << 18,
    PAL_CLI_QUICK = 1 << 19,
    PAL_CLI_QUADRATIC = 1 << 20,
    PAL_CLI_AT = 1 << 21,
    PAL_CLI_PUSH = 1 << 22,
    PAL_CLI_WEB = 1 << 23,
    PAL_CLI_FILE = 1 << 24,
    PAL_CLI_AGAINST = 1 << 25,
    PAL_CLI_PATH = 1 << 26,
    PAL_CLI_STEPS = 1 << 27,
    PAL_CLI_ANSWER = 1 << 28,
    PAL_CLI_PORT = 1 << 29,
    PAL_CLI_LET_GO = 1 << 30,
};

typedef struct PalCliOption {
    unsigned bit;
    char letter;  // 0: none
    const char *name;
    const char *value;  // what follows it; NULL: nothing
    const char *help;
    const char *(*word)(int32_t index);  // what the value may be, NULL behind the last; may be NULL
} PalCliOption;

// A command line, taken apart.
typedef struct PalCliArguments {
    int32_t operand_count;
    const char *operands[PAL_CLI_OPERAND_MAX];
    const char *directory;  // --output; NULL: not given
    int32_t thread_count;   // --threads; 0: not given
    const char *format;     // --format; NULL: not given
    double size, quality;   // --size, --quality; 0: not given
    bool resume, quiet, list, help, ascii, strict, lenient, force, schema, reference, quadratic;
    bool quick, json, all, stop, web;
    const char *at, *push;                // --at, --force of vademecum; NULL: not given
    const char *against, *path, *answer;  // of vademecum bench; NULL: not given
    int port;                             // --port; -1: not given
    int64_t step_count;                   // --steps; 0: not given
    double let_go;                        // --let-go; 0: not given
    double stop_time;                     // of `impact --stop`; 0: runs go to their end
    int32_t change_count;
    PalSceneChange *changes;  // --set, in order
} PalCliArguments;

typedef struct PalCliVerb {
    const char *name;
    const char *operands;  // "SCENE", "[NAME]", ""
    const char *summary;   // one line, for the list of verbs
    const char *detail;    // paragraphs, for help VERB
    unsigned options;
    int32_t operand_min, operand_max;
    int (*run)(const PalCliArguments *arguments);
    int (*run_raw)(int count, char **values);  // instead of `run`: the words as they stand
} PalCliVerb;

// What a verb with several tasks can be told to do: its first operand.
typedef struct PalCliTask {
    const char *name, *summary;
    int (*run)(const PalCliArguments *arguments);
} PalCliTask;

// ---- the table of verbs (main.c) --------------------------------------------------------

extern const PalCliVerb pal_cli_verbs[];
extern const int32_t pal_cli_verb_count;
const PalCliVerb *pal_cli_verb_find(const char *name);    // NULL: none
int pal_cli_unknown_verb(const char *name);               // says so; returns PAL_EXIT_USAGE
int pal_cli_run(const PalCliArguments *arguments);        // run.c
int pal_cli_check(const PalCliArguments *arguments);      // check.c
int pal_cli_impact(const PalCliArguments *arguments);     // impact.c
int pal_cli_demo(const PalCliArguments *arguments);       // demo.c
int pal_cli_laws(const PalCliArguments *arguments);       // laws.c
int pal_cli_convert(const PalCliArguments *arguments);    // convert.c
int pal_cli_mesh(const PalCliArguments *arguments);       // mesh.c
int pal_cli_bench(int count, char **values);              // bench.c
int pal_cli_reproduce(const PalCliArguments *arguments);  // reproduce.c
int pal_cli_vademecum(const PalCliArguments *arguments);  // vademecum.c, with its tasks
// Of vademecum bench: sorted times, and size of force and contacts per pose. False: not written.
typedef struct PalCliBenchPage {
    const double *microseconds;
    int64_t step_count;
    const double *forces, *contacts;
    int32_t pose_count;
} PalCliBenchPage;
bool pal_cli_bench_page(const char *path, const PalCliBenchPage *page);

// A tool that moves along a line, from a pose on, at rest at first.
typedef struct PalCliFreeTool {
    PalHapticPose start;
    PalVec3 line;  // that it moves along, a unit vector
    double mass;
    double weight;  // a constant force against the line
    int64_t steps;
} PalCliFreeTool;
typedef struct PalCliFreeResult {
    int64_t steps;
    double energy, most;  // that contact gave it: in the end, and at most in between
    double kinetic;       // in the end
    double farthest;      // it ever was from the start
} PalCliFreeResult;
// False: interrupted.
bool pal_cli_bench_free(PalHaptic *haptic, const PalCliFreeTool *tool, PalCliFreeResult *result);

int pal_cli_vademecum_bench(const PalCliArguments *arguments);  // vademecum_bench.c
int pal_cli_vademecum_serve(const PalCliArguments *arguments);  // vademecum_serve.c
extern const PalCliTask pal_cli_vademecum_tasks[];
extern const int32_t pal_cli_vademecum_task_count;
int pal_cli_help(const PalCliArguments *arguments);  // help.c
void pal_cli_help_program(void);                     // the short help
void pal_cli_help_verb(const PalCliVerb *verb);
// topics.c: a part of a scene, a key, or a choice; returns an exit status.
int pal_cli_help_topic(const char *word);
// complete.c: what may stand for the last of the words after the program's name, one a line, with
// its help behind a tab; ":files ENDING..." and ":folders" for files and folders.
int pal_cli_complete(int count, char **words);
// demo.c: tells the names of the scenes that ship with it, and what they are.
void pal_cli_offer_demos(void (*offer)(const char *word, const char *help));

// reproduce.c: tells the names of the experiments, and what they are.
void pal_cli_offer_experiments(void (*offer)(const char *word, const char *help));

// ---- options (options.c) ----------------------------------------------------------------

extern const PalCliOption pal_cli_options[];
extern const int32_t pal_cli_option_count;

// Takes the words after a verb apart. False after saying what is wrong on stderr.
// Free with pal_cli_arguments_clear in either case.
bool pal_cli_parse(const PalCliVerb *verb, int count, char **values, PalCliArguments *arguments);
void pal_cli_arguments_clear(PalCliArguments *arguments);

// ---- words (words.c) --------------------------------------------------------------------

// A text as it can be shown, whatever it holds: control characters of hostile names and files are
// written out, as \n or \x1b, and never reach the terminal.
void pal_cli_print_shown(FILE *file, const char *text);
void pal_cli_print_line(const char *text);  // the same on stderr, with a newline

// One line on stderr, "palpate: ..."; returns PAL_EXIT_USAGE.
int pal_cli_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Prints an error as one line on stderr; the path of a file stays in front.
void pal_cli_print_error(const char *path, const PalError *error);

// The candidate nearest to a mistyped word, or NULL when none is near.
const char *pal_cli_nearest(const char *word, const char *const *candidates, int32_t count);

// Numbers for people: "1,234,567", "12.3k", "3.2 s", "1:05:20".
const char *pal_cli_grouped(int64_t number, char *text, size_t size);
const char *pal_cli_short(double number, char *text, size_t size);
const char *pal_cli_duration(double seconds, char *text, size_t size);
const char *pal_cli_clock(double seconds, char *text, size_t size);

// ---- terminal (terminal.c) --------------------------------------------------------------

bool pal_cli_is_terminal(int descriptor);  // one that understands escape codes
bool pal_cli_has_color(int descriptor);    // and NO_COLOR is not set
bool pal_cli_has_utf8(void);
int pal_cli_width(int descriptor);  // columns; 80 when unknown
int pal_cli_text_width(void);       // columns to fill on stdout, 30 to 80

// Columns that the first `length` bytes of a text take on a terminal, and the most bytes, of whole
// characters, that fit into so many columns.
int pal_cli_columns(const char *text, size_t length);
int pal_cli_fitting(const char *text, int columns);

// Prints words and a newline, from `column` on, breaking lines at the width of the text;
// further lines are indented.
void pal_cli_wrap(const char *text, int column, int indent);

// ---- places (places.c) ------------------------------------------------------------------

// Do both name the same file that is there? NULL names none.
bool pal_cli_is_same_file(const char *path, const char *other);

// NULL is none.
bool pal_cli_is_directory(const char *path);

// Path of a file beside the program or, failing that, in a folder above it, in a heap string;
// NULL when there is none.
char *pal_cli_find_upwards(const char *relative);
char *pal_cli_scenes_folder(void);  // of the scenes that ship with it; NULL: none found
char *pal_cli_join(const char *folder, const char *name);  // in a heap string; NULL: no memory

// ---- running a scene (run.c, progress.c, result.c, signals.c) ----------------------------

// Reads and runs one scene; what `run` and `demo` share.
int pal_cli_run_scene(const char *path, const PalCliArguments *arguments);

// A line of progress on stderr, on a terminal only.
typedef struct PalCliProgress {
    const char *name;
    bool shown;  // there is a terminal, and nobody asked for quiet
    bool utf8, color;
} PalCliProgress;

// Draws the line; false after a signal. For PalRunOptions.
bool pal_cli_progress(void *context, const PalProgress *progress);
void pal_cli_progress_wipe(const PalCliProgress *line);
void pal_cli_warn(void *context, const char *text);  // a line on stderr; for PalRunOptions too

void pal_cli_signals_catch(void);  // SIGINT, SIGTERM, SIGHUP: the first asks, the second quits
bool pal_cli_interrupted(void);

// A block on stdout: what was done, how well, and where it is.
void pal_cli_print_result(const PalScene *scene, const PalRunOptions *options, PalStatus status);

// ---- meshes (convert.c) -----------------------------------------------------------------

// What the options of writing a mesh say. False after saying what is wrong. `line` is the
// context of the warnings and must outlive the options.
bool pal_cli_write_options(const PalCliArguments *arguments, PalCliProgress *line,
                           PalMeshWriteOptions *options);
void pal_cli_print_mesh(const char *path, const PalMesh *mesh);  // one line on stdout
// Prints the error of a mesh, if any; the exit status for it.
int pal_cli_mesh_status(const char *path, PalStatus status, const PalError *error);

#endif
