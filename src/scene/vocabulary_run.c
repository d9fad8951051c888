// How time advances, what is recorded and written, and the scene as a whole.
#include "scene/vocabulary_words.h"
#include <palpate/output.h>
#include <palpate/vademecum_build.h>

static const PalChoice automatic[] = {
    {"auto", "A safe fraction of the stable step, updated as the shape changes."}};
static const PalChoice every_node[] = {{"all", "Every node."}};

static const PalKey solver_keys[] = {
    {"method", "The method.", CHOICE(pal_method_choice), .standard = "explicit"},
    {"time",
     "End of the simulation. Methods that follow a motion require it. For relaxation and "
     "implicit-static "
     "it "
     "is 1 by default, and only ramps use it.",
     NUMBER, POSITIVE, .unit = "time"},
    {"span",
     "The time that `until` of ramps and `every` of the output follow by default. By default "
     "`time`; a run that goes on to a later end keeps the earlier one.",
     NUMBER, POSITIVE, .unit = "time"},
    {"step",
     "Length of a time step. implicit-static takes it for the longest; auto is an eighth of the "
     "time at first and a quarter at most. implicit: auto is a hundredth of the time. Both take "
     "shorter ones where Newton's method needs them.",
     .values = PAL_VALUE_WORD | PAL_VALUE_NUMBER, LISTED(automatic), POSITIVE, .unit = "time",
     .standard = "auto"},
    {"steps",
     "implicit-static: the number of equal steps, instead of `step`. Steps get shorter where no "
     "equilibrium is found, and then grow to this length again.",
     WHOLE, POSITIVE},
    {"path", "implicit-static: what steps are measured by; load by default.",
     CHOICE(pal_path_choice)},
    {"scheme", "implicit: how the motion is followed; hht by default.", CHOICE(pal_scheme_choice)},
    {"numerical-damping",
     "implicit with the scheme hht: how fast vibrations fade that the step is too long for, 0 to "
     "1/3; 0.05 by default.",
     NUMBER, NOT_BELOW_0},
    {"linear", "Implicit methods: how linear equations are solved; direct by default.",
     CHOICE(pal_linear_choice)},
    {"damping",
     "Mass-proportional damping: a free velocity v fades as v exp(-damping t), that of a free "
     "rigid "
     "body and of a falling body as well.",
     NUMBER, NOT_BELOW_0, .unit = "1 / time", .standard = "0"},
    {"safety", "The automatic step as a fraction of the stable bound.", NUMBER,
     .range = PAL_RANGE_FRACTION, .standard = "0.9"},
    {"mass-scaling",
     "Raises the density of elements whose stable step is smaller than this. 0 means none.", NUMBER,
     NOT_BELOW_0, .unit = "time", .standard = "0"},
    {"tolerance",
     "Relaxation: equilibrium is reached when, of every body, the estimated error is below this "
     "part of its deformation, and the forces that are not in balance are below this part of those "
     "that act on it, in contact as well. Implicit methods: a step has converged when the forces "
     "that are not in balance are below this part of those that act, and the last correction is "
     "below this part of the displacements; its work is then below the square of it.",
     NUMBER, BELOW_1, .standard = "1e-05"},
    {"steps-limit",
     "Relaxation and implicit-static: the run fails if it has not come to its end after this many "
     "steps.",
     WHOLE, POSITIVE, .standard = "1000000"},
    {"threads",
     "Largest number of threads; 0 means one per core. Fewer are used where more would not be "
     "faster. The results are the same, bit for bit, for any number.",
     WHOLE, NOT_BELOW_0, .standard = "0"},
};
const PalKeyTable pal_solver_keys = {
    .name = "solver", .what = "the solver", .help = "How time advances.", KEYS(solver_keys)};

static const PalKey probe_keys[] = {
    {"name", "A unique name. The columns in history.csv are NAME.x, NAME.y and NAME.z.", TEXT,
     REQUIRED, .most = PAL_NAME_BYTES_MAX},
    {"body", "The body's name.", TEXT, .one_of = 1},
    {"rigid",
     "The name of a rigid instrument instead of a body. The probe records the total force or "
     "torque of contact on it, or its motion.",
     TEXT, .one_of = 1},
    {"between",
     "The names of two bodies or instruments that can touch. The probe records what the second "
     "does to the first.",
     .values = PAL_VALUE_NAMES, .length = 2, .one_of = 1},
    {"where", "Which nodes of the body.", .values = PAL_VALUE_WORD | PAL_VALUE_MAP,
     LISTED(every_node), .table = &pal_where_keys, .standard = "all"},
    {"record",
     "What is recorded. By default displacement with body, and force with rigid or between.",
     CHOICE(pal_record_choice)},
    {"about",
     "The point about which torque is taken. With rigid: its position at the start; it moves along "
     "with the instrument. The default is `about` of the first rotation in the motion, or the "
     "origin if nothing rotates; for a free body, the centre of mass. With between: a fixed point, "
     "by default the origin.",
     VECTOR, .unit = "length"},
};
const PalKeyTable pal_probe_keys = {
    .name = "probe",
    .what = "a probe",
    .help = "A quantity with components x, y and z that is written to the history and the summary.",
    KEYS(probe_keys)};

static const PalKey output_keys[] = {
    {"every", "Simulated time between frames; by default a fiftieth of the solver's time.", NUMBER,
     POSITIVE, .unit = "time"},
    {"history",
     "Simulated time between rows of history.csv (probes, energies); at most `every`, which is the "
     "default. A row shows the first step at or after each multiple of this time, so more rows do "
     "not change the simulation. Every frame also has a row at exactly its time. Relaxation has a "
     "row for each frame only.",
     NUMBER, POSITIVE, .unit = "time"},
    {"fields",
     "Fields in the frames. By default displacement and, if the scene has contact, "
     "contact; fields of the cells take more time and space.",
     .values = PAL_VALUE_WORDS, .choice = pal_field_choice},
    {"precision", "Digits of the numbers in the frames.", CHOICE(pal_precision_choice),
     .standard = "single"},
    {"checkpoint",
     "Wall time between checkpoints, which come sooner in the beginning; 0 for one at every frame.",
     NUMBER, NOT_BELOW_0, .unit = "second", .standard = "30"},
    {"report", "Writes report.html and picture.png at the end.", FLAG, .standard = "true"},
};
const PalKeyTable pal_output_keys = {
    .name = "output", .what = "the output", .help = "What is written.", KEYS(output_keys)};

static const PalChoice load_directions[] = {
    {"normal", "Loads press along the surface's normal, into the body."},
    {"xyz", "Loads of any direction; those along and against the axes are stored."},
};

static const PalKey vademecum_keys[] = {
    {"body",
     "The body's name. Its element must be t4, conditions must fix it, and nothing but forces may "
     "act on it besides.",
     TEXT, REQUIRED},
    {"where", "Where loads may act: nodes of the surface among these.",
     .values = PAL_VALUE_WORD | PAL_VALUE_MAP, LISTED(every_node), .table = &pal_where_keys,
     .standard = "all"},
    {"patch",
     "Radius of a load: nodes of the surface within it share the force, with weights "
     "exp(-2 r^2 / patch^2).",
     NUMBER, POSITIVE, REQUIRED, .unit = "length"},
    {"directions", "Directions of loads, or the one that all have.",
     .values = PAL_VALUE_WORD | PAL_VALUE_NUMBERS, LISTED(load_directions), .length = 3,
     .standard = "normal"},
    {"largest", "The largest force.", NUMBER, POSITIVE, REQUIRED, .unit = "force"},
    {"tolerance",
     "The relative error to aim at, at the load point, on the average of loads "
     "held out. What is made in the end tells whether it is held.",
     NUMBER, BELOW_1, .standard = "0.02"},
    {"method", "How it is computed.", CHOICE(pal_vademecum_method_choice), .standard = "auto"},
    {"modes", "The most modes; by default 144, or 81 with pgd.", WHOLE, POSITIVE},
    {"held-out", "Loads that the errors are measured at.", WHOLE, POSITIVE, .standard = "40"},
};
const PalKeyTable pal_vademecum_keys = {
    .name = "vademecum",
    .what = "a vademecum",
    .help = "What `palpate vademecum build` computes: the answers of one body to loads on its "
            "surface. Runs take no notice of it.",
    KEYS(vademecum_keys)};

static const PalKey scene_keys[] = {
    {"name", "Title of the scene; by default the file's name.", TEXT},
    {"bodies", "The soft bodies. The list may be empty if a rigid body is free.",
     PARTS(pal_body_keys), .standard = "[]"},
    {"rigid",
     "Rigid instruments, whose motion is prescribed, and free rigid bodies, which have a mass and "
     "move under forces.",
     PARTS(pal_rigid_keys), .standard = "[]"},
    {"conditions", "What holds, moves and loads the bodies.", PARTS(pal_condition_keys),
     .standard = "[]"},
    {"contact", "What can touch what. Objects that no entry names pass through each other.",
     PARTS(pal_contact_keys), .standard = "[]"},
    {"solver", "How time advances.", PART(pal_solver_keys), REQUIRED},
    {"probes", "Values to record.", PARTS(pal_probe_keys), .standard = "[]"},
    {"output", "What is written.", PART(pal_output_keys)},
    {"vademecum", "What `palpate vademecum build` computes of this scene.",
     PART(pal_vademecum_keys)},
};
const PalKeyTable pal_scene_keys = {
    .name = "scene",
    .what = "a scene",
    .help = "A scene of palpate, in YAML or JSON: soft bodies, what holds and moves them, and how "
            "the simulation runs. You choose the units; they must be consistent.",
    KEYS(scene_keys)};
