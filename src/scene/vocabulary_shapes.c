// Built-in shapes, and where a body stands.
#include "scene/vocabulary_words.h"

static const PalKey rotate_keys[] = {
    {"axis", "Direction of the axis, any length but 0.", VECTOR, REQUIRED},
    {"degrees", "Angle, by the right-hand rule.", NUMBER, REQUIRED, .unit = "degree"},
};
static const PalKeyTable rotate_table = {
    .name = "rotate", .what = "a rotation", .help = "A rotation.", KEYS(rotate_keys)};

static const PalKey place_keys[] = {
    {"translate", "Added to every position.", VECTOR, .unit = "length", .standard = "[0, 0, 0]"},
    {"rotate", "Turns the body about an axis through the origin.", PART(rotate_table)},
    {"scale",
     "Factor on every length; use it to change units, such as 0.001 from millimetres to metres.",
     NUMBER, POSITIVE, .standard = "1"},
};
const PalKeyTable pal_place_keys = {.name = "place",
                                    .what = "a place",
                                    .help = "Where a body is at the start: its mesh is scaled, "
                                            "then rotated about the origin, then translated.",
                                    KEYS(place_keys)};

// The first seven stand as in PalShapeKind.
static const PalKey shape_keys[] = {
    {"box", "Edge lengths along x, y, z.", VECTOR, POSITIVE, .unit = "length", .one_of = 1},
    {"sphere", "Radius.", NUMBER, POSITIVE, .unit = "length", .one_of = 1},
    {"ellipsoid", "Half axes along x, y, z.", VECTOR, POSITIVE, .unit = "length", .one_of = 1},
    {"cylinder", "Radius, and length along z.", .values = PAL_VALUE_NUMBERS, .length = 2, POSITIVE,
     .unit = "length", .one_of = 1},
    {"sheet", "Edge lengths along x and y of a flat membrane that faces z.",
     .values = PAL_VALUE_NUMBERS, .length = 2, POSITIVE, .unit = "length", .one_of = 1},
    {"tube", "Radius, and length along z, of a membrane that is open at both ends.",
     .values = PAL_VALUE_NUMBERS, .length = 2, POSITIVE, .unit = "length", .one_of = 1},
    {"shell-sphere", "Radius of a membrane of triangles of about one size.", NUMBER, POSITIVE,
     .unit = "length", .one_of = 1},
    {"cells",
     "Number of cells. Box: along x, y, z, or one number for all three. Sphere, ellipsoid and "
     "shell-sphere: across the diameter. Cylinder: across the diameter and along z. Sheet: along x "
     "and y, or one number for both. Tube: around and along z. At most 10000 each.",
     .values = PAL_VALUE_WHOLE | PAL_VALUE_NUMBERS, POSITIVE},
    {"size",
     "Target length of the cells' edges, instead of cells. Without cells and size, a shape has "
     "about 12 cells across; the box of a rigid instrument has one.",
     NUMBER, POSITIVE, .unit = "length"},
};
const PalKeyTable pal_shape_keys = {
    .name = "shape",
    .what = "a shape",
    .help = "A built-in shape, centred at the origin. A rigid instrument uses only the surface, "
            "and needs neither cells nor size.",
    .not_both = {"cells", "size"},
    KEYS(shape_keys)};
