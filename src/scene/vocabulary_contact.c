// What touches what, and how that is found and answered.
#include "scene/vocabulary_words.h"
#include <palpate/contact.h>

static const PalChoice every_pair[] = {
    {"all", "Every two different objects, except two instruments."}};
static const PalChoice automatic[] = {
    {"auto", "A small fraction of the mean edge of the finest surface in contact."}};

static const PalKey contact_keys[] = {
    {"between", "The names of two objects that can touch.",
     .values = PAL_VALUE_WORD | PAL_VALUE_NAMES, .length = 2, LISTED(every_pair)},
    {"self", "The name of a body that can touch itself, or `all` for every body.", TEXT},
    {"friction", "Coulomb's coefficient of friction.", NUMBER, NOT_BELOW_0, .standard = "0"},
    {"active", "If false, these two ignore each other even where another entry says `all`.", FLAG,
     .older = "on", .standard = "true"},
    {"response", "How objects are kept apart. With an implicit method the default is barrier.",
     CHOICE(pal_response_choice), .standard = "lagrange"},
    {"separation", "Distance that surfaces keep when they rest on each other.",
     .values = PAL_VALUE_WORD | PAL_VALUE_NUMBER, LISTED(automatic), POSITIVE, .unit = "length",
     .standard = "auto"},
    {"stiffness",
     "Stiffness of contact with an implicit method, as a factor of what the program chooses. "
     "Results hardly depend on "
     "it.",
     NUMBER, POSITIVE, .standard = "1"},
    {"penetration",
     "Material-depth and collocation: how deep surfaces may be inside each other, as a fraction of "
     "the mean edge "
     "around. Implicit methods repeat a step with larger multipliers until no place is deeper.",
     NUMBER, POSITIVE, .standard = "0.01"},
    {"hierarchy", "The tree of volumes that the search builds around the surface.",
     CHOICE(pal_hierarchy_choice), .standard = "aabb2"},
    {"leaf",
     "What two facets of a hierarchy of spheres are compared by once their spheres overlap.",
     CHOICE(pal_leaf_choice), .standard = "dop14"},
    {"update", "How the hierarchy follows the moving surface.", CHOICE(pal_update_choice),
     .standard = "front"},
    {"cone", "How two cones of normals are merged into one.", CHOICE(pal_cone_choice),
     .standard = "narrowest"},
    {"self-test", "When the search may skip a connected patch because it cannot touch itself.",
     CHOICE(pal_self_test_choice), .standard = "sound"},
    {"schedule", "When contact is searched for.", CHOICE(pal_schedule_choice),
     .standard = "every-step"},
};
const PalKeyTable pal_contact_keys = {
    .name = "contact",
    .what = "a contact",
    .help = "Two objects (bodies or rigid instruments) that can touch, or a body that can touch "
            "itself. Two instruments never touch each other; `palpate check` warns if their "
            "motions make them overlap. An entry that names its objects overrides an entry for "
            "`all`. The keys from `response` on apply to the whole scene; give them in any entry, "
            "or in an entry of their own.",
    .not_both = {"between", "self"},
    KEYS(contact_keys)};
