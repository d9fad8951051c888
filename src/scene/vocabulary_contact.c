// What touches what, and how that is found and answered.
#include "scene/vocabulary_words.h"
#include <palpate/contact.h>

static const PalChoice every_pair[] = {
    {"all", "Every two different objects, at least one of them soft."}};
static const PalChoice automatic[] = {
    {"auto", "A small fraction of the mean edge of the finest surface that touches."}};

static const char *const later_responses[] = {"material-depth", "collocation", NULL};
static const char *const later_hierarchies[] = {"sphere", NULL};
static const char *const later_schedules[] = {"trajectory", NULL};

static const PalKey contact_keys[] = {
    {"between", "The names of two that touch.", .values = PAL_VALUE_WORD | PAL_VALUE_NAMES,
     .length = 2, LISTED(every_pair)},
    {"self", "The name of a body that touches itself; `all` for every body.", TEXT},
    {"friction", "Coulomb's coefficient.", NUMBER, NOT_BELOW_0, .standard = "0"},
    {"on", "If false, these two ignore each other even where another entry says `all`.", FLAG,
     .standard = "true"},
    {"response", "How objects are kept apart.", CHOICE(pal_response_choice),
     .later_words = later_responses, .standard = "lagrange"},
    {"separation", "Distance at which surfaces rest on each other.",
     .values = PAL_VALUE_WORD | PAL_VALUE_NUMBER, LISTED(automatic), POSITIVE, .unit = "length",
     .standard = "auto"},
    {"hierarchy", "What bounds the surface in the search.", CHOICE(pal_hierarchy_choice),
     .later_words = later_hierarchies, .standard = "aabb2"},
    {"update", "How the hierarchy follows the surface.", CHOICE(pal_update_choice),
     .standard = "front"},
    {"cone", "How the cone around two cones of normals is found.", CHOICE(pal_cone_choice),
     .standard = "narrowest"},
    {"self-test", "When a connected patch need not be searched for contact with itself.",
     CHOICE(pal_self_test_choice), .standard = "sound"},
    {"schedule", "When contact is looked for.", CHOICE(pal_schedule_choice),
     .later_words = later_schedules, .standard = "every-step"},
};
const PalKeyTable pal_contact_keys = {
    .name = "contact",
    .what = "a contact",
    .help = "Two objects (bodies or rigid instruments) that touch, or a body that touches itself. "
            "Instruments do not touch each other: `palpate check` warns of those whose motions "
            "make them overlap. An entry that names its objects goes before one for all. The keys "
            "from `response` on hold for the whole scene: they may stand in any entry, or in one "
            "of their own.",
    .not_both = {"between", "self"},
    KEYS(contact_keys)};
