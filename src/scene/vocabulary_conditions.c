// What moves in time, which nodes are meant, and what holds, moves and loads bodies.
#include "scene/vocabulary_words.h"
#include <palpate/model.h>

static const PalKey turn_keys[] = {
    {"axis", "Direction of the axis, any length but 0.", VECTOR, REQUIRED},
    {"degrees", "Angle at the ramp's full value.", NUMBER, REQUIRED, .unit = "degree"},
    {"about", "A point on the axis.", VECTOR, .unit = "length", .standard = "[0, 0, 0]"},
};
static const PalKeyTable turn_table = {.name = "turn",
                                       .what = "a rotation",
                                       .help = "A rotation that follows the ramp.",
                                       KEYS(turn_keys)};

static const PalKey motion_keys[] = {
    {"translate", "Displacement at the ramp's full value.", VECTOR, .unit = "length",
     .standard = "[0, 0, 0]"},
    {"rotate", "Rotation at the ramp's full value.", PART(turn_table)},
    RAMP_KEYS("How the motion grows in time; by default smooth."),
};
const PalKeyTable pal_motion_keys = {
    .name = "motion",
    .what = "a motion",
    .help = "A prescribed motion: rotation and translation, both times the ramp's factor.",
    KEYS(motion_keys)};

// ---- which nodes ------------------------------------------------------------------------------

static const PalKey plane_keys[] = {
    {"point", "A point on it.", VECTOR, REQUIRED, .unit = "length"},
    {"normal", "Its normal, any length but 0.", VECTOR, REQUIRED},
};
static const PalKeyTable plane_table = {
    .name = "plane", .what = "a plane", .help = "A plane.", KEYS(plane_keys)};

static const PalKey box_keys[] = {
    {"min", "Lowest corner.", VECTOR, REQUIRED, .unit = "length"},
    {"max", "Highest corner.", VECTOR, REQUIRED, .unit = "length"},
};
static const PalKeyTable box_table = {.name = "box",
                                      .what = "a box",
                                      .help = "A box with faces along the axes, boundary included.",
                                      KEYS(box_keys)};

static const PalKey sphere_keys[] = {
    {"centre", "Its centre.", VECTOR, REQUIRED, .unit = "length"},
    {"radius", "Its radius.", NUMBER, POSITIVE, REQUIRED, .unit = "length"},
};
static const PalKeyTable sphere_table = {
    .name = "sphere", .what = "a sphere", .help = "A ball, boundary included.", KEYS(sphere_keys)};

static const PalChoice sides[] = {
    {"x-min", "The nodes lowest along x."}, {"x-max", "The nodes highest along x."},
    {"y-min", "The nodes lowest along y."}, {"y-max", "The nodes highest along y."},
    {"z-min", "The nodes lowest along z."}, {"z-max", "The nodes highest along z."},
};

static const PalKey facing_keys[] = {
    {"direction", "Direction, any length but 0.", VECTOR, REQUIRED},
    {"within", "Largest angle between it and the outward normal.", NUMBER, NOT_BELOW_0,
     .unit = "degree", .standard = "45"},
};
static const PalKeyTable facing_table = {.name = "facing",
                                         .what = "a direction to face",
                                         .help = "Facets of the surface by their outward normal.",
                                         KEYS(facing_keys)};

static const PalKey near_keys[] = {
    {"name", "Name of another body or a rigid instrument, as it is at the start.", TEXT, REQUIRED},
    {"distance", "How far a node may be from its surface.", NUMBER, NOT_BELOW_0, REQUIRED,
     .unit = "length"},
};
static const PalKeyTable near_table = {
    .name = "near", .what = "a nearness", .help = "Nearness to another object.", KEYS(near_keys)};

static const PalKey where_keys[] = {
    {"plane",
     "The nodes on a plane: one of the body's sides, or the plane through a point with a normal.",
     .values = PAL_VALUE_WORD | PAL_VALUE_MAP, LISTED(sides), .table = &plane_table, .one_of = 1},
    {"box", "The nodes in a box: its min and max, or its lowest and highest corners as a list.",
     .values = PAL_VALUE_MAP | PAL_VALUE_ROWS, .length = 3, .most = 2, .table = &box_table,
     .unit = "length", .one_of = 1},
    {"sphere", "The nodes in a ball.", PART(sphere_table), .one_of = 1},
    {"point",
     "The one node nearest to this point. Probes of displacement, velocity and position: this "
     "point "
     "itself, inside its cell.",
     VECTOR, .unit = "length", .one_of = 1},
    {"group", "The nodes of a named group of the mesh.", TEXT, .one_of = 1},
    {"surface", "true: the nodes of the surface.", FLAG, .one_of = 1},
    {"facing", "The corners of facets of the surface that face a direction.", PART(facing_table),
     .one_of = 1},
    {"near", "The nodes near another body or an instrument.", PART(near_table), .one_of = 1},
    {"all-of", "The nodes that are in all of these selections.", PARTS(pal_where_keys), .least = 1,
     .one_of = 1},
    {"any-of", "The nodes that are in at least one of these selections.", PARTS(pal_where_keys),
     .least = 1, .one_of = 1},
    {"not", "The nodes that are not in this selection.", PART(pal_where_keys), .one_of = 1},
    {"tolerance",
     "How far a node may be from the plane and still count as on it. 0 means a millionth of the "
     "body's diagonal.",
     NUMBER, NOT_BELOW_0, .unit = "length", .standard = "0"},
};
const PalKeyTable pal_where_keys = {
    .name = "where",
    .what = "a selection",
    .help = "Which nodes of the body, as it is at the start. Pressure and traction act on those "
            "facets of the surface whose corners are all selected.",
    KEYS(where_keys)};

// ---- conditions -------------------------------------------------------------------------------

static const PalKey patch_keys[] = {
    {"at", "The middle of the patch.", VECTOR, REQUIRED, .unit = "length"},
    {"radius", "Nodes of the surface within this distance of the middle share the force.", NUMBER,
     POSITIVE, REQUIRED, .unit = "length"},
};
static const PalKeyTable patch_table = {
    .name = "patch",
    .what = "a patch",
    .help = "Nodes of the surface that share a force, with weights exp(-2 r^2 / radius^2) at the "
            "distance r from the middle, as the loads of a vademecum are shared.",
    KEYS(patch_keys)};

static const PalChoice every_node[] = {{"all", "Every node."}};

// Those of which one must be given stand as in PalConditionKind.
static const PalKey condition_keys[] = {
    {"body", "The body's name. Gravity without it acts on every body, free rigid bodies too.",
     TEXT},
    {"where", "Which nodes.", .values = PAL_VALUE_WORD | PAL_VALUE_MAP, LISTED(every_node),
     .table = &pal_where_keys},
    {"fix", "Holds the nodes along the axes named: any of the letters x, y, z.", TEXT,
     .pattern = "^[xyz]{1,3}$", .one_of = 1},
    {"displace", "Moves the nodes by this displacement times the ramp; null leaves an axis free.",
     .values = PAL_VALUE_NUMBERS | PAL_VALUE_NULLS, .length = 3, .unit = "length", .one_of = 1},
    {"force", "Total force on the nodes, shared equally, times the ramp.", VECTOR, .unit = "force",
     .one_of = 1},
    {"pressure", "Pressure on the deformed surface, against its outward normal, times the ramp.",
     NUMBER, .unit = "pressure", .one_of = 1},
    {"traction", "Force per area of the deformed surface, in a fixed direction, times the ramp.",
     VECTOR, .unit = "pressure", .one_of = 1},
    {"gravity", "Acceleration of the body or, with `where`, of some of its nodes, times the ramp.",
     VECTOR, .unit = "length / time^2", .one_of = 1},
    {"rotate", "Turns the nodes about an axis, and holds them; the angle times the ramp.",
     PART(turn_table), .one_of = 1},
    {"attach",
     "Ties the nodes to the surface of this body, wherever it goes. The nodes must be near it and "
     "free, and nothing else may be attached to them.",
     TEXT, .one_of = 1},
    {"clamp",
     "With fix, of shells (ebst): where the body ends, edges with both nodes selected keep their "
     "direction as well. With all axes fixed that is a clamped edge; with one axis, an edge in a "
     "plane of symmetry across that axis. By default false.",
     FLAG},
    {"patch",
     "With force, instead of where: shares the force among the nodes of the surface near a point.",
     PART(patch_table)},
    {"each", "Gives `force` to every node instead of sharing it.", FLAG, .standard = "false"},
    {"weights",
     "One factor for each selected node, in the order of node numbers. It multiplies `displace`, "
     "or `force` with `each`.",
     .values = PAL_VALUE_NUMBERS, .length = PAL_NONE},
    RAMP_KEYS("How the value grows in time; by default smooth, or step for gravity, and linear for "
              "all with the method implicit-static. The method relaxation takes the value at the "
              "end time."),
};
const PalKeyTable pal_condition_keys = {
    .name = "condition",
    .what = "a condition",
    .help =
        "Holds, moves or loads a body. Every condition but gravity needs body and where, or, for a "
        "force, patch.",
    KEYS(condition_keys)};
