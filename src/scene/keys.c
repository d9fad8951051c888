#include "scene/keys.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) ((int32_t)(sizeof(array) / sizeof *(array)))

static const char *const element_words[] = {"t4", "t4-anp", "h8", NULL};
static const char *const later_elements[] = {"ebst", NULL};
static const char *const ramp_words[] = {"step", "linear", "smooth", "hilly", NULL};
static const char *const all_words[] = {"all", NULL};
static const char *const auto_words[] = {"auto", NULL};
static const char *const method_words[] = {"explicit", "newmark", "relaxation", NULL};
static const char *const later_methods[] = {"implicit", "implicit-static", NULL};
static const char *const record_words[] = {"displacement", "velocity", "position",
                                           "force",        "torque",   NULL};
static const char *const field_words[] = {"displacement", "velocity", "stress",
                                          "energy",       "contact",  NULL};
static const char *const response_words[] = {"lagrange", "johnsen2015", "johnsen2012", NULL};
static const char *const later_responses[] = {"material-depth", "collocation", NULL};
static const char *const hierarchy_words[] = {"aabb2", "aabb4", "obb2", NULL};
static const char *const later_hierarchies[] = {"sphere", NULL};
static const char *const update_words[] = {"front", "update-nodes", "larsson", "exhaustive", NULL};
static const char *const cone_words[] = {"narrowest", "provot", NULL};
static const char *const self_test_words[] = {"sound", "cone", "exhaustive", NULL};
static const char *const schedule_words[] = {"every-step", NULL};
static const char *const later_schedules[] = {"trajectory", NULL};
static const char *const side_words[] = {"x-min", "x-max", "y-min", "y-max",
                                         "z-min", "z-max", NULL};

#define VECTOR(key) .name = (key), .values = PAL_VALUE_NUMBERS, .length = 3

static const PalKey rotate_keys[] = {
    {VECTOR("axis"), .required = true},
    {.name = "degrees", .values = PAL_VALUE_NUMBER, .required = true},
};
static const PalKeyTable rotate_table = {
    .what = "a rotation", .key_count = COUNT(rotate_keys), .keys = rotate_keys};

static const PalKey place_keys[] = {
    {VECTOR("translate")},
    {.name = "rotate", .values = PAL_VALUE_MAP, .table = &rotate_table},
    {.name = "scale", .values = PAL_VALUE_NUMBER, .range = PAL_RANGE_POSITIVE},
};
static const PalKeyTable place_table = {
    .what = "a place", .key_count = COUNT(place_keys), .keys = place_keys};

static const PalKey shape_keys[] = {
    {VECTOR("box"), .range = PAL_RANGE_POSITIVE},
    {.name = "sphere", .values = PAL_VALUE_NUMBER, .range = PAL_RANGE_POSITIVE},
    {VECTOR("ellipsoid"), .range = PAL_RANGE_POSITIVE},
    {.name = "cylinder", .values = PAL_VALUE_NUMBERS, .length = 2, .range = PAL_RANGE_POSITIVE},
    {.name = "cells", .values = PAL_VALUE_WHOLE | PAL_VALUE_NUMBERS, .range = PAL_RANGE_POSITIVE},
    {.name = "size", .values = PAL_VALUE_NUMBER, .range = PAL_RANGE_POSITIVE},
};
static const PalKeyTable shape_table = {.what = "a shape",
                                        .key_count = COUNT(shape_keys),
                                        .keys = shape_keys,
                                        .one_of = {{"box", "sphere", "ellipsoid", "cylinder"}},
                                        .not_both = {"cells", "size"}};

static const PalKey term_keys[] = {
    {.name = "weight", .values = PAL_VALUE_NUMBER, .required = true, .range = PAL_RANGE_BELOW_ONE},
    {.name = "time", .values = PAL_VALUE_NUMBER, .required = true, .range = PAL_RANGE_POSITIVE},
};
static const PalKeyTable term_table = {
    .what = "a relaxation term", .key_count = COUNT(term_keys), .keys = term_keys};

static const PalKey relaxation_keys[] = {
    {.name = "isochoric", .values = PAL_VALUE_MAPS, .table = &term_table},
    {.name = "volumetric", .values = PAL_VALUE_MAPS, .table = &term_table},
};
static const PalKeyTable relaxation_table = {
    .what = "relaxation", .key_count = COUNT(relaxation_keys), .keys = relaxation_keys};

// Which laws there are is known when the program runs: pal_material_keys makes a word of it.
#define MATERIAL_KEYS                                                                              \
    {.name = "law", .values = PAL_VALUE_TEXT, .required = true},                                   \
        {.name = "young", .values = PAL_VALUE_NUMBER, .range = PAL_RANGE_POSITIVE},                \
        {.name = "poisson", .values = PAL_VALUE_NUMBER},                                           \
        {.name = "density",                                                                        \
         .values = PAL_VALUE_NUMBER,                                                               \
         .required = true,                                                                         \
         .range = PAL_RANGE_POSITIVE},                                                             \
    {                                                                                              \
        .name = "relaxation", .values = PAL_VALUE_MAP, .table = &relaxation_table                  \
    }

static const PalKey material_keys[] = {MATERIAL_KEYS};
static const PalKeyTable material_table = {.what = "a material",
                                           .key_count = COUNT(material_keys),
                                           .keys = material_keys,
                                           .material = true};

static const PalKey group_material_keys[] = {
    {.name = "group", .values = PAL_VALUE_TEXT},
    MATERIAL_KEYS,
    {.name = "hourglass", .values = PAL_VALUE_NUMBER, .range = PAL_RANGE_NOT_NEGATIVE},
};
static const PalKeyTable group_material_table = {.what = "a material of several",
                                                 .key_count = COUNT(group_material_keys),
                                                 .keys = group_material_keys,
                                                 .material = true};

static const PalKey body_keys[] = {
    {.name = "name", .values = PAL_VALUE_TEXT, .required = true},
    {.name = "mesh", .values = PAL_VALUE_TEXT},
    {.name = "shape", .values = PAL_VALUE_MAP, .table = &shape_table},
    {.name = "element",
     .values = PAL_VALUE_WORD,
     .words = element_words,
     .later_words = later_elements},
    {.name = "place", .values = PAL_VALUE_MAP, .table = &place_table},
    {VECTOR("velocity")},
    {.name = "material", .values = PAL_VALUE_MAP, .table = &material_table},
    {.name = "materials", .values = PAL_VALUE_MAPS, .table = &group_material_table},
    {.name = "hourglass", .values = PAL_VALUE_NUMBER, .range = PAL_RANGE_NOT_NEGATIVE},
};
static const PalKeyTable body_table = {.what = "a body",
                                       .key_count = COUNT(body_keys),
                                       .keys = body_keys,
                                       .one_of = {{"mesh", "shape"}, {"material", "materials"}}};

static const PalKey turn_keys[] = {
    {VECTOR("axis"), .required = true},
    {.name = "degrees", .values = PAL_VALUE_NUMBER, .required = true},
    {VECTOR("about")},
};
static const PalKeyTable turn_table = {
    .what = "a rotation", .key_count = COUNT(turn_keys), .keys = turn_keys};

#define RAMP_KEYS                                                                                  \
    {.name = "ramp", .values = PAL_VALUE_WORD | PAL_VALUE_ROWS, .words = ramp_words, .length = 2}, \
        {.name = "from", .values = PAL_VALUE_NUMBER, .range = PAL_RANGE_NOT_NEGATIVE},             \
        {.name = "until", .values = PAL_VALUE_NUMBER, .range = PAL_RANGE_POSITIVE},                \
    {                                                                                              \
        .name = "hold", .values = PAL_VALUE_FLAG                                                   \
    }

static const PalKey motion_keys[] = {
    {VECTOR("translate")},
    {.name = "rotate", .values = PAL_VALUE_MAP, .table = &turn_table},
    RAMP_KEYS,
};
static const PalKeyTable motion_table = {
    .what = "a motion", .key_count = COUNT(motion_keys), .keys = motion_keys};

static const PalKey spring_keys[] = {
    {.name = "stiffness", .values = PAL_VALUE_NUMBER, .range = PAL_RANGE_NOT_NEGATIVE},
    {.name = "damping", .values = PAL_VALUE_NUMBER, .range = PAL_RANGE_NOT_NEGATIVE},
    {.name = "turning-stiffness", .values = PAL_VALUE_NUMBER, .range = PAL_RANGE_NOT_NEGATIVE},
    {.name = "turning-damping", .values = PAL_VALUE_NUMBER, .range = PAL_RANGE_NOT_NEGATIVE},
};
static const PalKeyTable spring_table = {
    .what = "a spring", .key_count = COUNT(spring_keys), .keys = spring_keys};

static const PalKey rigid_keys[] = {
    {.name = "name", .values = PAL_VALUE_TEXT, .required = true},
    {.name = "surface", .values = PAL_VALUE_TEXT},
    {.name = "shape", .values = PAL_VALUE_MAP, .table = &shape_table},
    {.name = "place", .values = PAL_VALUE_MAP, .table = &place_table},
    {.name = "motion", .values = PAL_VALUE_MAP | PAL_VALUE_MAPS, .table = &motion_table},
    {.name = "mass", .values = PAL_VALUE_NUMBER, .range = PAL_RANGE_POSITIVE},
    {.name = "density", .values = PAL_VALUE_NUMBER, .range = PAL_RANGE_POSITIVE},
    {VECTOR("centre")},
    {.name = "inertia", .values = PAL_VALUE_NUMBERS, .length = PAL_NONE},
    {VECTOR("velocity")},
    {VECTOR("spin")},
    {VECTOR("force")},
    {VECTOR("torque")},
    RAMP_KEYS,
    {.name = "spring", .values = PAL_VALUE_MAP, .table = &spring_table},
};
static const PalKeyTable rigid_table = {.what = "a rigid instrument",
                                        .key_count = COUNT(rigid_keys),
                                        .keys = rigid_keys,
                                        .one_of = {{"surface", "shape"}},
                                        .not_both = {"mass", "density"}};

static const PalKey plane_keys[] = {{VECTOR("point"), .required = true},
                                    {VECTOR("normal"), .required = true}};
static const PalKeyTable plane_table = {
    .what = "a plane", .key_count = COUNT(plane_keys), .keys = plane_keys};

static const PalKey box_keys[] = {{VECTOR("min"), .required = true},
                                  {VECTOR("max"), .required = true}};
static const PalKeyTable box_table = {
    .what = "a box", .key_count = COUNT(box_keys), .keys = box_keys};

static const PalKey sphere_keys[] = {
    {VECTOR("centre"), .required = true},
    {.name = "radius", .values = PAL_VALUE_NUMBER, .required = true, .range = PAL_RANGE_POSITIVE},
};
static const PalKeyTable sphere_table = {
    .what = "a sphere", .key_count = COUNT(sphere_keys), .keys = sphere_keys};

static const PalKey where_keys[] = {
    {.name = "plane",
     .values = PAL_VALUE_WORD | PAL_VALUE_MAP,
     .words = side_words,
     .table = &plane_table},
    {.name = "box", .values = PAL_VALUE_MAP | PAL_VALUE_ROWS, .length = 3, .table = &box_table},
    {.name = "sphere", .values = PAL_VALUE_MAP, .table = &sphere_table},
    {VECTOR("point")},
    {.name = "group", .values = PAL_VALUE_TEXT},
    {.name = "tolerance", .values = PAL_VALUE_NUMBER, .range = PAL_RANGE_NOT_NEGATIVE},
};
static const PalKeyTable where_table = {.what = "a selection",
                                        .key_count = COUNT(where_keys),
                                        .keys = where_keys,
                                        .one_of = {{"plane", "box", "sphere", "point", "group"}}};

#define WHERE_KEY                                                                                  \
    {                                                                                              \
        .name = "where", .values = PAL_VALUE_WORD | PAL_VALUE_MAP, .words = all_words,             \
        .table = &where_table                                                                      \
    }

static const PalKey condition_keys[] = {
    {.name = "body", .values = PAL_VALUE_TEXT},
    WHERE_KEY,
    {.name = "fix", .values = PAL_VALUE_TEXT},
    {.name = "displace", .values = PAL_VALUE_NUMBERS | PAL_VALUE_NULLS, .length = 3},
    {VECTOR("force")},
    {.name = "pressure", .values = PAL_VALUE_NUMBER},
    {VECTOR("traction")},
    {VECTOR("gravity")},
    {.name = "each", .values = PAL_VALUE_FLAG},
    {.name = "weights", .values = PAL_VALUE_NUMBERS, .length = PAL_NONE},
    RAMP_KEYS,
};
static const PalKeyTable condition_table = {
    .what = "a condition",
    .key_count = COUNT(condition_keys),
    .keys = condition_keys,
    .one_of = {{"fix", "displace", "force", "pressure", "traction", "gravity"}}};

static const PalKey contact_keys[] = {
    {.name = "between",
     .values = PAL_VALUE_WORD | PAL_VALUE_NAMES,
     .length = 2,
     .words = all_words},
    {.name = "self", .values = PAL_VALUE_TEXT},
    {.name = "friction", .values = PAL_VALUE_NUMBER, .range = PAL_RANGE_NOT_NEGATIVE},
    {.name = "on", .values = PAL_VALUE_FLAG},
    {.name = "response",
     .values = PAL_VALUE_WORD,
     .words = response_words,
     .later_words = later_responses},
    {.name = "separation",
     .values = PAL_VALUE_WORD | PAL_VALUE_NUMBER,
     .words = auto_words,
     .range = PAL_RANGE_POSITIVE},
    {.name = "hierarchy",
     .values = PAL_VALUE_WORD,
     .words = hierarchy_words,
     .later_words = later_hierarchies},
    {.name = "update", .values = PAL_VALUE_WORD, .words = update_words},
    {.name = "cone", .values = PAL_VALUE_WORD, .words = cone_words},
    {.name = "self-test", .values = PAL_VALUE_WORD, .words = self_test_words},
    {.name = "schedule",
     .values = PAL_VALUE_WORD,
     .words = schedule_words,
     .later_words = later_schedules},
};
static const PalKeyTable contact_table = {.what = "a contact",
                                          .key_count = COUNT(contact_keys),
                                          .keys = contact_keys,
                                          .not_both = {"between", "self"}};

static const PalKey solver_keys[] = {
    {.name = "method",
     .values = PAL_VALUE_WORD,
     .words = method_words,
     .later_words = later_methods},
    {.name = "time", .values = PAL_VALUE_NUMBER, .range = PAL_RANGE_POSITIVE},
    {.name = "step",
     .values = PAL_VALUE_WORD | PAL_VALUE_NUMBER,
     .words = auto_words,
     .range = PAL_RANGE_POSITIVE},
    {.name = "damping", .values = PAL_VALUE_NUMBER, .range = PAL_RANGE_NOT_NEGATIVE},
    {.name = "safety", .values = PAL_VALUE_NUMBER, .range = PAL_RANGE_FRACTION},
    {.name = "mass-scaling", .values = PAL_VALUE_NUMBER, .range = PAL_RANGE_NOT_NEGATIVE},
    {.name = "tolerance", .values = PAL_VALUE_NUMBER, .range = PAL_RANGE_BELOW_ONE},
    {.name = "steps-limit", .values = PAL_VALUE_WHOLE, .range = PAL_RANGE_POSITIVE},
    {.name = "threads", .values = PAL_VALUE_WHOLE, .range = PAL_RANGE_NOT_NEGATIVE},
};
static const PalKeyTable solver_table = {
    .what = "the solver", .key_count = COUNT(solver_keys), .keys = solver_keys};

static const PalKey probe_keys[] = {
    {.name = "name", .values = PAL_VALUE_TEXT, .required = true},
    {.name = "body", .values = PAL_VALUE_TEXT},
    {.name = "rigid", .values = PAL_VALUE_TEXT},
    {.name = "between", .values = PAL_VALUE_NAMES, .length = 2},
    WHERE_KEY,
    {.name = "record", .values = PAL_VALUE_WORD, .words = record_words},
    {VECTOR("about")},
};
static const PalKeyTable probe_table = {.what = "a probe",
                                        .key_count = COUNT(probe_keys),
                                        .keys = probe_keys,
                                        .one_of = {{"body", "rigid", "between"}}};

static const PalKey output_keys[] = {
    {.name = "every", .values = PAL_VALUE_NUMBER, .range = PAL_RANGE_POSITIVE},
    {.name = "history", .values = PAL_VALUE_NUMBER, .range = PAL_RANGE_POSITIVE},
    {.name = "fields", .values = PAL_VALUE_WORDS, .words = field_words},
    {.name = "checkpoint", .values = PAL_VALUE_NUMBER, .range = PAL_RANGE_NOT_NEGATIVE},
    {.name = "report", .values = PAL_VALUE_FLAG},
};
static const PalKeyTable output_table = {
    .what = "the output", .key_count = COUNT(output_keys), .keys = output_keys};

static const PalKey scene_keys[] = {
    {.name = "name", .values = PAL_VALUE_TEXT},
    {.name = "bodies", .values = PAL_VALUE_MAPS, .table = &body_table},
    {.name = "rigid", .values = PAL_VALUE_MAPS, .table = &rigid_table},
    {.name = "conditions", .values = PAL_VALUE_MAPS, .table = &condition_table},
    {.name = "contact", .values = PAL_VALUE_MAPS, .table = &contact_table},
    {.name = "solver", .values = PAL_VALUE_MAP, .required = true, .table = &solver_table},
    {.name = "probes", .values = PAL_VALUE_MAPS, .table = &probe_table},
    {.name = "output", .values = PAL_VALUE_MAP, .table = &output_table},
};
const PalKeyTable pal_scene_keys = {
    .what = "a scene", .key_count = COUNT(scene_keys), .keys = scene_keys};

const PalKey *pal_key_find(const PalKeyTable *table, const char *name)
{
    for (int32_t i = 0; i < table->key_count; ++i)
        if (strcmp(table->keys[i].name, name) == 0)
            return &table->keys[i];
    return NULL;
}

// Length of NAME when the parameter is called NAME-x and NAME-y, NAME-z follow it; else 0.
static size_t vector_stem(const PalMaterialLaw *law, int32_t index)
{
    if (index + 2 >= pal_law_parameter_count(law))
        return 0;
    const char *name = pal_law_parameter(law, index)->name;
    size_t length = strlen(name);
    if (length < 3)
        return 0;
    for (int i = 0; i < 3; ++i) {
        const char *other = pal_law_parameter(law, index + i)->name;
        if (strlen(other) != length || strncmp(other, name, length - 2) != 0 ||
            other[length - 2] != '-' || other[length - 1] != "xyz"[i])
            return 0;
    }
    return length - 2;
}

int32_t pal_law_vector_first(const PalMaterialLaw *law, int32_t index)
{
    for (int32_t first = index > 2 ? index - 2 : 0; first <= index; ++first)
        if (vector_stem(law, first) > 0)
            return first;
    return PAL_NONE;
}

static bool add_law_keys(PalTree *tree, PalKeyTable *table, PalKey *keys, const PalMaterialLaw *law)
{
    for (int32_t i = 0; i < pal_law_parameter_count(law); ++i) {
        const char *name = pal_law_parameter(law, i)->name;
        size_t stem = vector_stem(law, i);
        PalKey key = {.name = name, .values = PAL_VALUE_NUMBER};
        if (stem > 0) {
            key = (PalKey){.values = PAL_VALUE_NUMBERS, .length = 3};
            key.name = pal_tree_text(tree, name, stem);
            if (key.name == NULL)
                return false;
            i += 2;
        }
        if (pal_key_find(table, key.name) == NULL)
            keys[table->key_count++] = key;
    }
    return true;
}

static bool name_laws(PalTree *tree, PalKey *key)
{
    int32_t count = pal_law_count();
    const char **names = pal_tree_alloc(tree, (size_t)count + 1, sizeof *names);
    if (names == NULL)
        return false;
    for (int32_t i = 0; i < count; ++i)
        names[i] = pal_law_name(pal_law_at(i));
    key->values = PAL_VALUE_WORD;
    key->words = names;
    return true;
}

const PalKeyTable *pal_material_keys(PalTree *tree, const PalKeyTable *table,
                                     const PalMaterialLaw *law)
{
    int32_t law_count = law != NULL ? 1 : pal_law_count();
    size_t most = (size_t)table->key_count + (size_t)law_count * PAL_LAW_PARAMETER_MAX;
    PalKeyTable *all = pal_tree_alloc(tree, 1, sizeof *all);
    PalKey *keys = pal_tree_alloc(tree, most, sizeof *keys);
    if (all == NULL || keys == NULL)
        return NULL;
    *all = *table;
    all->keys = keys;
    all->material = false;
    memcpy(keys, table->keys, (size_t)table->key_count * sizeof *keys);
    for (int32_t i = 0; i < all->key_count; ++i)
        if (strcmp(keys[i].name, "law") == 0 && !name_laws(tree, &keys[i]))
            return NULL;
    for (int32_t i = 0; i < law_count; ++i)
        if (!add_law_keys(tree, all, keys, law != NULL ? law : pal_law_at(i)))
            return NULL;
    return all;
}
