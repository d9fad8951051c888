// How time advances, what is recorded and written, and the scene as a whole.
#include "scene/vocabulary_words.h"
#include <palpate/output.h>

static const PalChoice automatic[] = {
    {"auto", "A safe fraction of the stable step, looked at again as the shape changes."}};
static const PalChoice every_node[] = {{"all", "Every node."}};

static const char *const later_methods[] = {"implicit", "implicit-static", NULL};

static const PalKey solver_keys[] = {
    {"method", "The method.", CHOICE(pal_method_choice), .later_words = later_methods,
     .standard = "explicit"},
    {"time",
     "End of the simulation. Needed by explicit and newmark; 1 by default for relaxation, where it "
     "only places ramps.",
     NUMBER, POSITIVE, .unit = "time"},
    {"step", "Length of a time step.", .values = PAL_VALUE_WORD | PAL_VALUE_NUMBER,
     LISTED(automatic), POSITIVE, .unit = "time", .standard = "auto"},
    {"damping", "Mass-proportional damping: a free velocity v fades as v exp(-damping t).", NUMBER,
     NOT_BELOW_0, .unit = "1 / time", .standard = "0"},
    {"safety", "The automatic step as a fraction of the stable bound.", NUMBER,
     .range = PAL_RANGE_FRACTION, .standard = "0.9"},
    {"mass-scaling",
     "Raises the density of elements that would dictate a smaller step than this; 0 for none.",
     NUMBER, NOT_BELOW_0, .unit = "time", .standard = "0"},
    {"tolerance",
     "Relaxation: equilibrium is reached when the estimated error of the displacement, relative to "
     "the largest displacement, is below this; where bodies touch, a tenth of the separation they "
     "rest at is near enough.",
     NUMBER, BELOW_1, .standard = "1e-05"},
    {"steps-limit", "Relaxation: gives up after so many steps.", WHOLE, POSITIVE,
     .standard = "1000000"},
    {"threads",
     "Most threads to use; 0 for as many as there are cores. Fewer are used where more would not "
     "be faster. The results have the same bits for any number.",
     WHOLE, NOT_BELOW_0, .standard = "0"},
};
const PalKeyTable pal_solver_keys = {
    .name = "solver", .what = "the solver", .help = "How time advances.", KEYS(solver_keys)};

static const PalKey probe_keys[] = {
    {"name", "A name of its own, which becomes the columns NAME.x, NAME.y, NAME.z.", TEXT, REQUIRED,
     .most = PAL_NAME_BYTES_MAX},
    {"body", "The body's name.", TEXT, .one_of = 1},
    {"rigid",
     "The name of a rigid instrument instead: everything that contact does to it, or how its nodes "
     "move.",
     TEXT, .one_of = 1},
    {"between",
     "The names of two bodies or instruments that touch instead: what the second does to the "
     "first.",
     .values = PAL_VALUE_NAMES, .length = 2, .one_of = 1},
    {"where", "Which nodes of the body.", .values = PAL_VALUE_WORD | PAL_VALUE_MAP,
     LISTED(every_node), .table = &pal_where_keys, .standard = "all"},
    {"record", "What is recorded: by default the displacement of a body, the force of the others.",
     CHOICE(pal_record_choice)},
    {"about",
     "The point a torque is about. With rigid: where it is at the start, and it moves along with "
     "the instrument; by default the point `about` of the first rotation of its motion, the origin "
     "without one. With between: a point that stays, by default the origin.",
     VECTOR, .unit = "length"},
};
const PalKeyTable pal_probe_keys = {
    .name = "probe",
    .what = "a probe",
    .help = "A value written to the history and the summary: x, y and z of one quantity over some "
            "nodes.",
    KEYS(probe_keys)};

static const PalKey output_keys[] = {
    {"every", "Simulated time between frames; by default a fiftieth of the solver's time.", NUMBER,
     POSITIVE, .unit = "time"},
    {"history",
     "Simulated time between rows of history.csv (probes, energies), at most `every`, which is the "
     "default. A row is of the first step at or after each multiple, so that more rows change "
     "nothing in the simulation; every frame has a row of exactly its time. Relaxation has a row "
     "for each frame.",
     NUMBER, POSITIVE, .unit = "time"},
    {"fields",
     "Fields in the frames. By default all that there are; contact only where there is contact.",
     .values = PAL_VALUE_WORDS, .choice = pal_field_choice},
    {"checkpoint", "Wall time between checkpoints; 0 for one at every frame.", NUMBER, NOT_BELOW_0,
     .unit = "second", .standard = "30"},
    {"report", "Writes report.html at the end.", FLAG, .standard = "true"},
};
const PalKeyTable pal_output_keys = {
    .name = "output", .what = "the output", .help = "What is written.", KEYS(output_keys)};

static const PalKey scene_keys[] = {
    {"name", "Title of the scene; by default the file's name.", TEXT},
    {"bodies", "The soft bodies. There may be none where a rigid body is free.",
     PARTS(pal_body_keys), .standard = "[]"},
    {"rigid",
     "Rigid instruments, which go where they are told, and rigid bodies, which have a mass and "
     "move "
     "by themselves.",
     PARTS(pal_rigid_keys), .standard = "[]"},
    {"conditions", "What holds, moves and loads the bodies.", PARTS(pal_condition_keys),
     .standard = "[]"},
    {"contact", "What touches what. Objects that no entry names pass through each other.",
     PARTS(pal_contact_keys), .standard = "[]"},
    {"solver", "How time advances.", PART(pal_solver_keys), REQUIRED},
    {"probes", "Values to record.", PARTS(pal_probe_keys), .standard = "[]"},
    {"output", "What is written.", PART(pal_output_keys)},
};
const PalKeyTable pal_scene_keys = {
    .name = "scene",
    .what = "a scene",
    .help = "A scene of palpate, in YAML or JSON: soft bodies, what holds and moves them, and how "
            "the simulation runs. Units are the user's own, consistently.",
    KEYS(scene_keys)};
