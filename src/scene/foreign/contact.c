// Which bodies touch: surfaces of the model to objects of the scene.
#include "base/memory.h"
#include "scene/foreign/model.h"

#include <string.h>

// Objects: parts first, then rigid bodies.
static int32_t object_count(const PalForeign *model)
{
    return model->parts.count + model->rigids.count;
}

static const char *object_name(const PalForeign *model, int32_t object)
{
    return object < model->parts.count ? model->parts.items[object].name
                                       : model->rigids.items[object - model->parts.count].name;
}

// Marks the objects that a surface or a set of nodes is on.
static void mark_objects(const PalForeign *model, const PalGroup *group, const int32_t *node_rigid,
                         bool *marks)
{
    for (int32_t i = 0; i < group->node_count; ++i) {
        int32_t node = group->nodes[i];
        if (model->node_part[node] != PAL_NONE)
            marks[model->node_part[node]] = true;
        else if (node_rigid[node] > 0)
            marks[model->parts.count + node_rigid[node] - 1] = true;
    }
}

typedef struct Pairs {
    bool *done;  // object_count squared
    PalTreeNode *list;
} Pairs;

static PalStatus put_pair(PalForeign *model, Pairs *pairs, const PalForeignContact *contact,
                          int32_t a, int32_t b)
{
    int32_t count = object_count(model), low = a < b ? a : b, high = a < b ? b : a;
    if (low >= model->parts.count && high >= model->parts.count) {
        pal_foreign_warn(
            model, contact->line, "the rigid bodies %s and %s do not touch each other here",
            pal_quoted(object_name(model, low)).text, pal_quoted(object_name(model, high)).text);
        return PAL_OK;
    }
    bool *done = &pairs->done[(size_t)low * (size_t)count + (size_t)high];
    if (*done)
        return PAL_OK;
    *done = true;
    PalTreeNode *entry = pal_foreign_new(model, PAL_TREE_MAP, contact->line);
    bool made = pal_foreign_put(model, pairs->list, NULL, entry);
    if (low == high) {
        made = made && pal_foreign_put_name(model, entry, "self", object_name(model, low));
    } else {
        PalTreeNode *names = pal_foreign_new(model, PAL_TREE_LIST, contact->line);
        made = made && pal_foreign_put(model, entry, "between", names) &&
               pal_foreign_put_name(model, names, NULL, object_name(model, low)) &&
               pal_foreign_put_name(model, names, NULL, object_name(model, high));
    }
    made = made && pal_foreign_put_number(model, entry, "friction", contact->friction);
    return made ? PAL_OK : pal_foreign_no_memory(model);
}

static PalStatus put_all(PalForeign *model, Pairs *pairs, const PalForeignContact *contact)
{
    static const char *const keys[] = {"between", "self"};
    bool done = true;
    for (int i = 0; i < 2 && done; ++i) {
        PalTreeNode *entry = pal_foreign_new(model, PAL_TREE_MAP, contact->line);
        done = pal_foreign_put(model, pairs->list, NULL, entry) &&
               pal_foreign_put_text(model, entry, keys[i], "all") &&
               pal_foreign_put_number(model, entry, "friction", contact->friction);
    }
    return done ? PAL_OK : pal_foreign_no_memory(model);
}

static PalStatus put_contact(PalForeign *model, Pairs *pairs, const PalForeignContact *contact,
                             const int32_t *node_rigid)
{
    if (contact->groups[0] == NULL)
        return put_all(model, pairs, contact);
    int32_t count = object_count(model);
    bool *marks = pal_alloc(2 * (size_t)count, sizeof *marks);
    if (marks == NULL)
        return pal_foreign_no_memory(model);
    PalStatus status = PAL_OK;
    for (int i = 0; i < 2; ++i) {
        const PalGroup *group = pal_mesh_find_group(model->mesh, contact->groups[i]);
        if (group != NULL)
            mark_objects(model, group, node_rigid, marks + (size_t)i * (size_t)count);
    }
    int32_t pair_count = 0;
    for (int32_t a = 0; a < count && status == PAL_OK; ++a)
        for (int32_t b = 0; b < count && status == PAL_OK; ++b)
            if (marks[a] && marks[count + b]) {
                status = put_pair(model, pairs, contact, a, b);
                ++pair_count;
            }
    pal_free(marks);
    if (status == PAL_OK && pair_count == 0)
        return pal_foreign_lose(model, contact->line,
                                "a contact of %s and %s, one of which is on no body; expected "
                                "surfaces of elements",
                                pal_quoted(contact->groups[0]).text,
                                pal_quoted(contact->groups[1]).text);
    return status;
}

PalStatus pal_foreign_build_contact(PalForeign *model, PalTreeNode *root)
{
    if (model->contacts.count == 0)
        return PAL_OK;
    size_t count = (size_t)object_count(model);
    Pairs pairs = {pal_tree_alloc(model->tree, count * count, sizeof(bool)),
                   pal_foreign_new(model, PAL_TREE_LIST, model->contacts.items[0].line)};
    int32_t *node_rigid =
        pal_tree_alloc(model->tree, (size_t)model->mesh->node_count, sizeof *node_rigid);
    if (pairs.done == NULL || node_rigid == NULL ||
        !pal_foreign_put(model, root, "contact", pairs.list))
        return pal_foreign_no_memory(model);
    for (int32_t r = 0; r < model->rigids.count; ++r)
        for (int32_t i = 0; i < model->rigids.items[r].facets.count; ++i)
            if (model->rigids.items[r].facets.items[i] != PAL_NONE)
                node_rigid[model->rigids.items[r].facets.items[i]] = r + 1;
    for (int32_t i = 0; i < model->contacts.count; ++i)
        PAL_TRY(put_contact(model, &pairs, &model->contacts.items[i], node_rigid));
    pal_foreign_warn(model, model->contacts.items[0].line,
                     "surfaces in contact are those of whole bodies, and nothing overlaps; the "
                     "other program lets the named surfaces overlap a little");
    return PAL_OK;
}
