// Bodies with their materials, and rigid instruments.
#include "scene/vocabulary_words.h"
#include <palpate/model.h>

static const PalKey term_keys[] = {
    {"weight",
     "Share of the stress that fades. The weights of one list must add up to less than 1.", NUMBER,
     BELOW_1, REQUIRED},
    {"time", "Relaxation time.", NUMBER, POSITIVE, REQUIRED, .unit = "time"},
};
static const PalKeyTable term_table = {
    .name = "term",
    .what = "a relaxation term",
    .help = "One term of a relaxation function g(t) = 1 - sum of weights + sum of weight "
            "exp(-t / time).",
    KEYS(term_keys)};

static const PalKey relaxation_keys[] = {
    {"isochoric", "Relaxes the stress that changes shape.", PARTS(term_table),
     .most = PAL_PRONY_MAX},
    {"volumetric", "Relaxes the pressure.", PARTS(term_table), .most = PAL_PRONY_MAX},
};
static const PalKeyTable relaxation_table = {.name = "relaxation",
                                             .what = "relaxation",
                                             .help =
                                                 "Relaxation functions, of at most 8 terms each.",
                                             KEYS(relaxation_keys)};

static const PalKey bending_keys[] = {
    {"young", "Young's modulus against bending.", NUMBER, POSITIVE, REQUIRED, .unit = "pressure"},
    {"poisson", "Poisson's ratio against bending, above -1 and at most 0.5.", NUMBER, REQUIRED},
};
static const PalKeyTable bending_table = {
    .name = "bending",
    .what = "moduli against bending",
    .help = "How a shell resists bending, where that is not as it resists stretching.",
    KEYS(bending_keys)};

// Which laws there are, and what they take, is known when the program runs: see pal_material_keys.
#define MATERIAL_KEYS                                                                              \
    {"law", "The law of elasticity.", .values = PAL_VALUE_WORD, REQUIRED},                         \
        {"young",                                                                                  \
         "Young's modulus. Laws that take both shear and bulk accept young and poisson instead.",  \
         NUMBER, POSITIVE, .unit = "pressure"},                                                    \
        {"poisson",                                                                                \
         "Poisson's ratio, above -1 and below 0.5. Near 0.5, give shear and bulk instead and use " \
         "the element mixed or t10.",                                                              \
         NUMBER},                                                                                  \
        {"density", "Mass per volume of the undeformed body.",                                     \
         NUMBER,    POSITIVE,                                                                      \
         REQUIRED,  .unit = "mass / volume"},                                                      \
        {"incompressible",                                                                         \
         "Keeps the volume exactly; bulk, or poisson, is then not given. For ebst and "            \
         "membrane only.",                                                                         \
         FLAG},                                                                                    \
        {"bending", "Moduli against bending, instead of those of the law. For ebst only.",         \
         PART(bending_table)},                                                                     \
    {                                                                                              \
        "relaxation",                                                                              \
            "Viscoelasticity: how stress fades while the strain is held. The law's own "           \
            "parameters are then the instantaneous ones; statics take what is left in the end.",   \
            PART(relaxation_table)                                                                 \
    }

static const PalKey material_keys[] = {MATERIAL_KEYS};
static const PalKeyTable material_table = {
    .name = "material",
    .what = "a material",
    .help = "What a body is made of. The law decides which parameters are needed.",
    .material = true,
    KEYS(material_keys)};

static const PalKey group_material_keys[] = {
    {"group",
     "The group of cells that has this material. The last entry may leave it out; it is then for "
     "all remaining cells.",
     TEXT},
    MATERIAL_KEYS,
    {"hourglass",
     "Stiffness of these cells against hourglass modes, as a fraction of their Young's modulus; by "
     "default that of the body. For h8 only.",
     NUMBER, NOT_BELOW_0},
    {"thickness",
     "Thickness of these cells; by default that of the body. For ebst and membrane "
     "only.",
     NUMBER, POSITIVE, .unit = "length"},
};
static const PalKeyTable group_material_table = {.name = "group-material",
                                                 .what = "an entry of materials",
                                                 .help =
                                                     "What a group of a body's cells is made of.",
                                                 .base = &material_table,
                                                 .material = true,
                                                 KEYS(group_material_keys)};

static const PalChoice every_facet[] = {{"all", "Every facet."}};

static const PalKey body_keys[] = {
    {"name",
     "Conditions, contact, probes and results use this name. It must be unique, without commas, "
     "quotes or slashes.",
     TEXT, REQUIRED, .most = PAL_NAME_BYTES_MAX},
    {"mesh",
     "Mesh file of tetrahedra or hexahedra: MSH 2.2 or 4.1, VTK, VTU, INP; for ebst and membrane, "
     "of triangles: STL, OBJ and PLY as well. Relative to the scene's folder.",
     TEXT, .one_of = 1},
    {"shape", "A built-in shape instead of a mesh.", PART(pal_shape_keys), .one_of = 1},
    {"skin-of",
     "Name of another body, a solid, whose surface is the mesh: a membrane that lies on it. For "
     "ebst and membrane only.",
     TEXT, .one_of = 1},
    {"where",
     "With skin-of: the part of the surface that has this skin, by default all of it. Facets are "
     "taken whose corners are all selected.",
     .values = PAL_VALUE_WORD | PAL_VALUE_MAP, LISTED(every_facet), .table = &pal_where_keys},
    {"offset",
     "With skin-of: how far outward of the surface the middle of the skin lies. By default half "
     "its thickness, and a hundredth of its mean edge to spare.",
     NUMBER, NOT_BELOW_0, .unit = "length"},
    {"element",
     "Kind of element. By default t4, h8 for a mesh of hexahedra, ebst for one of triangles.",
     CHOICE(pal_element_choice)},
    {"thickness", "Thickness at rest of a membrane or shell. For ebst and membrane only.", NUMBER,
     POSITIVE, .unit = "length"},
    {"orient",
     "If true, triangles of the mesh that face the other way than those around them are turned. If "
     "false, such a mesh is refused. By default false. For ebst and membrane only.",
     FLAG},
    {"place", "Where the body is at the start; by default where its mesh is.",
     PART(pal_place_keys)},
    {"velocity", "Velocity at the start.", VECTOR, .unit = "length / time",
     .standard = "[0, 0, 0]"},
    {"material", "What it is made of.", PART(material_table), .one_of = 2},
    {"materials",
     "Several materials instead of one, each for a group of the mesh's cells. Every cell must get "
     "exactly one material.",
     PARTS(group_material_table), .least = 1, .one_of = 2},
    {"hourglass-control",
     "How hourglass modes are resisted. By default f-bar with implicit methods and relaxation "
     "(unless hourglass is given or the body is one layer of cells thick), and bending otherwise. "
     "For h8 only.",
     CHOICE(pal_hourglass_control_choice)},
    {"hourglass",
     "Stiffness against hourglass modes, as a fraction of Young's modulus: of all of them with the "
     "control plain, with bending only of those that neither bend nor twist. For h8 only.",
     NUMBER, NOT_BELOW_0, .standard = "0.1"},
};
const PalKeyTable pal_body_keys = {
    .name = "body", .what = "a body", .help = "A soft body.", KEYS(body_keys)};

static const PalKey spring_keys[] = {
    {"stiffness", "Force per distance.", NUMBER, NOT_BELOW_0, .standard = "0"},
    {"damping", "Force per difference of velocities.", NUMBER, NOT_BELOW_0, .standard = "0"},
    {"turning-stiffness", "Torque per radian.", NUMBER, NOT_BELOW_0, .standard = "0"},
    {"turning-damping", "Torque per difference of angular velocities.", NUMBER, NOT_BELOW_0,
     .standard = "0"},
};
static const PalKeyTable spring_table = {
    .name = "spring",
    .what = "a spring",
    .help = "Pulls a free rigid body toward where its motion would put it. stiffness and damping "
            "act on the centre of mass, turning-stiffness and turning-damping on the orientation, "
            "which turns back the short way round.",
    KEYS(spring_keys)};

static const PalKey rigid_keys[] = {
    {"name", "Contact, probes and results use this name. It must be unique.", TEXT, REQUIRED,
     .most = PAL_NAME_BYTES_MAX},
    {"surface", "Surface file of triangles: STL, OBJ, PLY, VTK. Relative to the scene's folder.",
     TEXT, .one_of = 1},
    {"shape", "A built-in shape instead of a surface.", PART(pal_shape_keys), .one_of = 1},
    {"place", "Where it is at the start.", PART(pal_place_keys)},
    {"motion",
     "How it moves; by default it stays where it is. A free body with a motion also needs a "
     "spring, which pulls it along. A list of motions is applied in order: they take a point x to "
     "T_n(... T_2(T_1(x))). So translations add up. A rotation turns about the point of the "
     "instrument that was at `about` at the start; the earlier motions take that point along. The "
     "axis keeps its direction in space.",
     .values = PAL_VALUE_MAP | PAL_VALUE_MAPS, .table = &pal_motion_keys, .least = 1},
    {"mass",
     "Mass. It makes the body free: it moves under forces and contact. The surface must be closed, "
     "unless centre and inertia are given.",
     NUMBER, POSITIVE, .unit = "mass"},
    {"density",
     "Mass per volume, instead of mass. It makes the body free as well. The surface must be "
     "closed; a closed surface inside another is a hole.",
     NUMBER, POSITIVE, .unit = "mass / length^3"},
    {"centre",
     "Centre of mass at the start; give inertia with it. By default it is computed from the space "
     "that the surface encloses.",
     VECTOR, .unit = "length"},
    {"inertia",
     "Moments of inertia about the centre of mass at the start: three about the axes x, y, z, or "
     "six: xx, yy, zz, xy, yz, zx. By default they are computed from the space that the surface "
     "encloses.",
     .values = PAL_VALUE_NUMBERS, .length = PAL_NONE, .unit = "mass length^2"},
    {"velocity", "Velocity of the centre of mass at the start. Free bodies only.", VECTOR,
     .unit = "length / time", .standard = "[0, 0, 0]"},
    {"spin", "Angular velocity at the start. Free bodies only.", VECTOR, .unit = "radian / time",
     .standard = "[0, 0, 0]"},
    {"force",
     "Force on the centre of mass, times the ramp. Its direction is fixed in space. Free bodies "
     "only.",
     VECTOR, .unit = "force", .standard = "[0, 0, 0]"},
    {"torque",
     "Torque on the body, times the ramp. Its direction is fixed in space. Free bodies only.",
     VECTOR, .unit = "force length", .standard = "[0, 0, 0]"},
    RAMP_KEYS("How force and torque grow in time; by default step."),
    {"spring", "Pulls a free body toward where its motion would put it.", PART(spring_table)},
};
const PalKeyTable pal_rigid_keys = {
    .name = "rigid",
    .what = "a rigid instrument",
    .help = "A rigid instrument, which moves as its motion says. With a mass or a density it is a "
            "free rigid body, which moves under forces and contact.",
    KEYS(rigid_keys),
    .not_both = {"mass", "density"}};
