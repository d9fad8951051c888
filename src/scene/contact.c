// Which objects touch, and how contact is found and answered.
#include "scene/reader.h"

#include <stdlib.h>
#include <string.h>

#define FEW 64  // objects of which each pair is listed, also where all may touch

// An entry that names its objects, a <= b.
typedef struct Named {
    int32_t a, b;
    int32_t order;  // in the scene
    const PalTreeNode *entry;
} Named;

typedef struct Entries {
    const PalTreeNode *every_pair, *every_self;  // between: all, self: all; NULL: not given
    int32_t named_count;
    Named *named;
} Entries;

// ---- names --------------------------------------------------------------------------------

const char *pal_scene_object_name(const PalModelDef *model, int32_t object)
{
    return object < model->body_count ? model->bodies[object].name
                                      : model->rigids[object - model->body_count].name;
}

PalStatus pal_scene_find_object(PalSceneReader *reader, const PalTreeNode *name, int32_t *object)
{
    enum { MOST = 64 };
    const PalModelDef *model = &reader->scene->sim.model;
    const char *known[MOST];
    int32_t count = 0;
    for (int32_t i = 0; i < model->body_count + model->rigid_count; ++i) {
        const char *here = pal_scene_object_name(model, i);
        if (count < MOST)
            known[count++] = here;
        if (strcmp(here, name->text) == 0) {
            *object = i;
            return PAL_OK;
        }
    }
    return PAL_SCENE_FAIL(reader, name, "no body or rigid instrument is called %s, %s",
                          pal_quoted(name->text).text, pal_advise(name->text, known, count).text);
}

bool pal_scene_both_prescribed(const PalModelDef *model, int32_t a, int32_t b)
{
    int32_t bodies = model->body_count;
    return a >= bodies && b >= bodies && !pal_rigid_def_is_free(&model->rigids[a - bodies]) &&
           !pal_rigid_def_is_free(&model->rigids[b - bodies]);
}

static PalStatus read_between(PalSceneReader *reader, const PalTreeNode *list, Named *named)
{
    const PalModelDef *model = &reader->scene->sim.model;
    const PalTreeNode *first = list->items[0].value, *second = list->items[1].value;
    int32_t a = 0, b = 0;
    PAL_TRY(pal_scene_find_object(reader, first, &a));
    PAL_TRY(pal_scene_find_object(reader, second, &b));
    if (a == b && a >= model->body_count)
        return PAL_SCENE_FAIL(reader, second,
                              "between %s and itself, which is a rigid instrument, expected the "
                              "instrument and a body",
                              pal_quoted(first->text).text);
    if (a == b)
        return PAL_SCENE_FAIL(reader, second,
                              "between %s and itself, expected two different names, or self: %s",
                              pal_quoted(first->text).text, first->text);
    if (pal_scene_both_prescribed(model, a, b))
        return PAL_SCENE_FAIL(reader, second,
                              "%s and %s are both rigid instruments, whose motion is prescribed; "
                              "expected at least one body, or a mass for one of them",
                              pal_quoted(first->text).text, pal_quoted(second->text).text);
    named->a = a < b ? a : b;
    named->b = a < b ? b : a;
    return PAL_OK;
}

static PalStatus read_self(PalSceneReader *reader, const PalTreeNode *name, Named *named)
{
    const PalModelDef *model = &reader->scene->sim.model;
    PAL_TRY(pal_scene_find_object(reader, name, &named->a));
    if (named->a >= model->body_count)
        return PAL_SCENE_FAIL(reader, name,
                              "%s is a rigid instrument and cannot touch itself, expected a body",
                              pal_quoted(name->text).text);
    named->b = named->a;
    return PAL_OK;
}

// ---- entries ------------------------------------------------------------------------------

static const char *const pair_words[] = {"friction", "active"};

static PalStatus check_empty(PalSceneReader *reader, const PalTreeNode *entry)
{
    for (size_t i = 0; i < 2; ++i) {
        const PalTreeItem *item = pal_tree_find(entry, pair_words[i]);
        if (item != NULL)
            return pal_tree_fail_at(reader->tree, item, reader->error,
                                    "%s is given without between or self, expected one of them",
                                    pair_words[i]);
    }
    return entry->count > 0 ? PAL_OK
                            : PAL_SCENE_FAIL(reader, entry,
                                             "an empty entry of contact, expected between, self or "
                                             "a choice such as response");
}

static PalStatus read_general(PalSceneReader *reader, const PalTreeNode *entry,
                              const PalTreeNode *word, const PalTreeNode **general)
{
    const PalModelDef *model = &reader->scene->sim.model;
    bool pairs = word == pal_tree_get(entry, "between");
    char place[512];
    if (*general != NULL) {
        pal_tree_place(reader->tree, *general, place, sizeof place);
        return PAL_SCENE_FAIL(reader, word, "a second %s: all, expected one; the first is at %s",
                              pairs ? "between" : "self", place);
    }
    if (pairs && model->body_count + model->rigid_count < 2)
        return PAL_SCENE_FAIL(reader, word,
                              "between: all in a scene of one body, expected a second body or an "
                              "instrument, or self: all");
    *general = entry;
    return PAL_OK;
}

static PalStatus read_entry(PalSceneReader *reader, PalTreeNode *entry, Entries *entries)
{
    const PalTreeNode *between = pal_tree_get(entry, "between");
    const PalTreeNode *self = pal_tree_get(entry, "self");
    if (between == NULL && self == NULL)
        return check_empty(reader, entry);
    bool on = true;
    PAL_TRY(pal_scene_flag(reader, entry, "active", &on));
    double friction = 0;
    const PalTreeItem *given = pal_tree_find(entry, "friction");
    if (!on && given != NULL)
        return pal_tree_fail_at(reader->tree, given, reader->error,
                                "friction has no effect with active: false, expected one of them");
    if (on)
        PAL_TRY(pal_scene_number(reader, entry, "friction", &friction));
    if (between != NULL && between->kind == PAL_TREE_SCALAR)
        return read_general(reader, entry, between, &entries->every_pair);
    if (self != NULL && strcmp(self->text, "all") == 0)
        return read_general(reader, entry, self, &entries->every_self);
    Named *named = &entries->named[entries->named_count];
    *named = (Named){.order = entries->named_count++, .entry = entry};
    return between != NULL ? read_between(reader, between, named) : read_self(reader, self, named);
}

static int compare_named(const void *left, const void *right)
{
    const Named *a = left, *b = right;
    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    if (a->b != b->b)
        return a->b < b->b ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static PalStatus check_repeats(PalSceneReader *reader, const Entries *entries)
{
    for (int32_t i = 1; i < entries->named_count; ++i) {
        const Named *first = &entries->named[i - 1], *second = &entries->named[i];
        if (first->a != second->a || first->b != second->b)
            continue;
        const PalModelDef *model = &reader->scene->sim.model;
        char place[512];
        pal_tree_place(reader->tree, first->entry, place, sizeof place);
        if (first->a == first->b)
            return PAL_SCENE_FAIL(reader, second->entry,
                                  "a second self: %s, expected one; the first is at %s",
                                  pal_scene_object_name(model, first->a), place);
        return PAL_SCENE_FAIL(reader, second->entry,
                              "a second contact between %s and %s, expected one; the first is at "
                              "%s",
                              pal_quoted(pal_scene_object_name(model, first->a)).text,
                              pal_quoted(pal_scene_object_name(model, first->b)).text, place);
    }
    return PAL_OK;
}

// ---- pairs --------------------------------------------------------------------------------

static void add_pair(PalScene *scene, int32_t a, int32_t b, const PalTreeNode *entry, bool named)
{
    const PalTreeNode *friction = pal_tree_get(entry, "friction");
    if (friction == NULL) {
        scene->off_pairs[scene->off_pair_count++] = (PalContactPairDef){.objects = {a, b}};
        return;
    }
    scene->pair_named[scene->sim.contact.pair_count] = named;
    scene->contact_pairs[scene->sim.contact.pair_count++] =
        (PalContactPairDef){.objects = {a, b}, .friction = friction->number};
}

// Of many objects, pairs that no entry names are not listed.
static void add_general(PalScene *scene, const Entries *entries)
{
    PalContactDef *def = &scene->sim.contact;
    const PalTreeNode *pair = entries->every_pair, *self = entries->every_self;
    const PalTreeNode *pair_friction = pair != NULL ? pal_tree_get(pair, "friction") : NULL;
    const PalTreeNode *self_friction = self != NULL ? pal_tree_get(self, "friction") : NULL;
    def->every_pair = pair_friction != NULL;
    def->every_self = self_friction != NULL;
    def->every_pair_friction = def->every_pair ? pair_friction->number : 0;
    def->every_self_friction = def->every_self ? self_friction->number : 0;
    for (int32_t i = 0; i < entries->named_count; ++i) {
        const Named *named = &entries->named[i];
        add_pair(scene, named->a, named->b, named->entry, true);
        if (pal_tree_get(named->entry, "friction") != NULL)
            continue;
        scene->pair_named[def->pair_count] = false;
        scene->contact_pairs[def->pair_count++] =
            (PalContactPairDef){.objects = {named->a, named->b}, .friction = -1};
    }
}

// An entry that names its objects goes before one that says all.
static PalStatus make_pairs(PalSceneReader *reader, const Entries *entries)
{
    PalScene *scene = reader->scene;
    const PalModelDef *model = &scene->sim.model;
    int64_t objects = (int64_t)model->body_count + model->rigid_count;
    bool general = entries->every_pair != NULL || entries->every_self != NULL;
    bool many = general && objects > FEW;
    size_t most =
        general && !many ? (size_t)(objects * (objects + 1) / 2) : (size_t)entries->named_count;
    scene->contact_pairs = pal_tree_alloc(reader->tree, most, sizeof *scene->contact_pairs);
    scene->pair_named = pal_tree_alloc(reader->tree, most, sizeof *scene->pair_named);
    scene->off_pairs = pal_tree_alloc(reader->tree, most, sizeof *scene->off_pairs);
    if (scene->contact_pairs == NULL || scene->pair_named == NULL || scene->off_pairs == NULL ||
        most > INT32_MAX)
        return pal_tree_no_memory(reader->error);
    scene->sim.contact.pairs = scene->contact_pairs;
    if (many) {
        add_general(scene, entries);
        return PAL_OK;
    }
    if (!general) {
        for (int32_t i = 0; i < entries->named_count; ++i)
            add_pair(scene, entries->named[i].a, entries->named[i].b, entries->named[i].entry,
                     true);
        return PAL_OK;
    }
    const Named *next = entries->named, *last = next + entries->named_count;
    for (int32_t a = 0; a < objects; ++a)
        for (int32_t b = a; b < objects; ++b) {
            if (a == b ? a >= model->body_count : pal_scene_both_prescribed(model, a, b))
                continue;
            const PalTreeNode *entry = a == b ? entries->every_self : entries->every_pair;
            bool named = next < last && next->a == a && next->b == b;
            if (named)
                entry = (next++)->entry;
            if (entry != NULL)
                add_pair(scene, a, b, entry, named);
        }
    return PAL_OK;
}

// ---- the method, which is the whole scene's -------------------------------------------------

static bool same_value(const PalTreeNode *a, const PalTreeNode *b)
{
    if (a->is_number || b->is_number)
        return a->is_number && b->is_number && a->number == b->number;
    return strcmp(a->text, b->text) == 0;
}

// Where a word's value is given; NULL: nowhere.
static PalStatus find_method(PalSceneReader *reader, const PalTreeNode *list, const char *word,
                             PalTreeNode **entry)
{
    *entry = NULL;
    for (int32_t i = 0; i < list->count; ++i) {
        PalTreeNode *here = list->items[i].value;
        const PalTreeNode *value = pal_tree_get(here, word);
        if (value == NULL)
            continue;
        if (*entry == NULL) {
            *entry = here;
            continue;
        }
        const PalTreeNode *first = pal_tree_get(*entry, word);
        char place[512];
        pal_tree_place(reader->tree, first, place, sizeof place);
        if (!same_value(first, value))
            return PAL_SCENE_FAIL(reader, value,
                                  "%s is %s, expected %s as at %s: it applies to the whole scene",
                                  word, value->text, first->text, place);
    }
    return PAL_OK;
}

static PalStatus take_stiffness(PalSceneReader *reader, PalTreeNode *entry, const char *word,
                                PalContactDef *def)
{
    return pal_scene_number(reader, entry, word, &def->stiffness);
}

static PalStatus take_penetration(PalSceneReader *reader, PalTreeNode *entry, const char *word,
                                  PalContactDef *def)
{
    return pal_scene_number(reader, entry, word, &def->penetration);
}

static PalStatus take_separation(PalSceneReader *reader, PalTreeNode *entry, const char *word,
                                 PalContactDef *def)
{
    const char *automatic = "auto";
    const PalTreeNode *node = pal_tree_get(entry, word);
    if (node == NULL || !node->is_number)
        return pal_scene_word(reader, entry, word, &automatic);
    def->separation = node->number;
    return PAL_OK;
}

// Defines take_THING: reads the choice of that name, or enters the one that stands.
#define TAKE_CHOICE(thing)                                                                         \
    static PalStatus take_##thing(PalSceneReader *reader, PalTreeNode *entry, const char *word,    \
                                  PalContactDef *def)                                              \
    {                                                                                              \
        const char *name = pal_##thing##_name(def->thing);                                         \
        PAL_TRY(pal_scene_word(reader, entry, word, &name));                                       \
        return pal_##thing##_find(name, &def->thing)                                               \
                   ? PAL_OK                                                                        \
                   : PAL_SCENE_FAIL(reader, pal_tree_get(entry, word), "unknown %s %s", word,      \
                                    name);                                                         \
    }

TAKE_CHOICE(response)
TAKE_CHOICE(hierarchy)
TAKE_CHOICE(leaf)
TAKE_CHOICE(update)
TAKE_CHOICE(cone)
TAKE_CHOICE(self_test)
TAKE_CHOICE(schedule)

// That of the solver's own keys is told once all contact is read.
static PalStatus check_response(PalSceneReader *reader, const PalTreeNode *entry)
{
    const PalSimDef *sim = &reader->scene->sim;
    PalError inner = {0};
    const char *key;
    if (pal_solver_def_match(&sim->solver, &sim->contact, &key, &inner) == PAL_OK ||
        strcmp(key, "response") != 0)
        return PAL_OK;
    return PAL_SCENE_FAIL(reader, pal_tree_get(entry, key), "%s", inner.text);
}

// The default may stand anywhere: a resolved scene has it.
static PalStatus check_leaf(PalSceneReader *reader, const PalTreeNode *entry)
{
    const PalContactDef *def = &reader->scene->sim.contact;
    if (def->hierarchy == PAL_HIERARCHY_SPHERE || def->leaf == pal_contact_def_default().leaf)
        return PAL_OK;
    return PAL_SCENE_FAIL(reader, pal_tree_get(entry, "leaf"),
                          "leaf %s belongs to hierarchy: sphere, but the hierarchy is %s",
                          pal_leaf_name(def->leaf), pal_hierarchy_name(def->hierarchy));
}

static PalStatus check_update(PalSceneReader *reader, const PalTreeNode *entry)
{
    const PalContactDef *def = &reader->scene->sim.contact;
    if (def->hierarchy != PAL_HIERARCHY_SPHERE || def->update == PAL_UPDATE_FRONT)
        return PAL_OK;
    return PAL_SCENE_FAIL(reader, pal_tree_get(entry, "update"),
                          "update %s does not go with hierarchy: sphere, all of which is refitted "
                          "in each step",
                          pal_update_name(def->update));
}

// The keys that hold for the whole scene.
static const struct {
    const char *word;
    PalStatus (*take)(PalSceneReader *reader, PalTreeNode *entry, const char *word,
                      PalContactDef *def);
    PalStatus (*check)(PalSceneReader *reader, const PalTreeNode *entry);  // where it is given
} methods[] = {
    {"response", take_response, check_response}, {"separation", take_separation, NULL},
    {"stiffness", take_stiffness, NULL},         {"penetration", take_penetration, NULL},
    {"hierarchy", take_hierarchy, NULL},         {"leaf", take_leaf, check_leaf},
    {"update", take_update, check_update},       {"cone", take_cone, NULL},
    {"self-test", take_self_test, NULL},         {"schedule", take_schedule, NULL},
};
enum { METHOD_COUNT = sizeof methods / sizeof *methods };

// What is given nowhere is entered at the end.
static PalStatus read_method(PalSceneReader *reader, PalTreeNode *list)
{
    PalTreeNode *rest = pal_tree_new(reader->tree, PAL_TREE_MAP, list);
    if (rest == NULL)
        return pal_tree_no_memory(reader->error);
    for (int i = 0; i < METHOD_COUNT; ++i) {
        PalTreeNode *entry = NULL;
        PAL_TRY(find_method(reader, list, methods[i].word, &entry));
        PAL_TRY(methods[i].take(reader, entry != NULL ? entry : rest, methods[i].word,
                                &reader->scene->sim.contact));
        if (entry != NULL && methods[i].check != NULL)
            PAL_TRY(methods[i].check(reader, entry));
    }
    if (rest->count > 0 && !pal_tree_put(reader->tree, list, NULL, rest))
        return pal_tree_no_memory(reader->error);
    return PAL_OK;
}

PalStatus pal_scene_read_contact(PalSceneReader *reader, PalTreeNode *list)
{
    reader->scene->sim.contact = pal_contact_def_default();
    if (pal_method_is_implicit(reader->scene->sim.solver.method))
        reader->scene->sim.contact.response = PAL_RESPONSE_BARRIER;
    if (list->count == 0)
        return PAL_OK;
    Entries entries = {.named = pal_tree_alloc(reader->tree, (size_t)list->count, sizeof(Named))};
    if (entries.named == NULL)
        return pal_tree_no_memory(reader->error);
    for (int32_t i = 0; i < list->count; ++i)
        PAL_TRY(read_entry(reader, list->items[i].value, &entries));
    qsort(entries.named, (size_t)entries.named_count, sizeof *entries.named, compare_named);
    PAL_TRY(check_repeats(reader, &entries));
    PAL_TRY(make_pairs(reader, &entries));
    return read_method(reader, list);
}

static int compare_pairs(const void *left, const void *right)
{
    const PalContactPairDef *a = left, *b = right;
    for (int i = 0; i < 2; ++i)
        if (a->objects[i] != b->objects[i])
            return a->objects[i] < b->objects[i] ? -1 : 1;
    return 0;
}

static bool lists(const PalContactPairDef *pairs, int32_t count, int32_t a, int32_t b)
{
    PalContactPairDef pair = {.objects = {a < b ? a : b, a < b ? b : a}};
    return count > 0 && bsearch(&pair, pairs, (size_t)count, sizeof pair, compare_pairs) != NULL;
}

bool pal_scene_touches(const PalScene *scene, int32_t a, int32_t b)
{
    const PalContactDef *def = &scene->sim.contact;
    bool general = a == b ? def->every_self && a < scene->sim.model.body_count
                          : def->every_pair && !pal_scene_both_prescribed(&scene->sim.model, a, b);
    return (general || lists(scene->contact_pairs, def->pair_count, a, b)) &&
           !pal_scene_passes(scene, a, b);
}

bool pal_scene_passes(const PalScene *scene, int32_t a, int32_t b)
{
    return lists(scene->off_pairs, scene->off_pair_count, a, b);
}
