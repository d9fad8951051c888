// Rigid bodies of FEBio: elements of a rigid material, what holds, moves and pushes them.
#include "base/memory.h"
#include "mesh/cells.h"
#include "scene/foreign/febio.h"

#include <stdio.h>
#include <string.h>

// ---- shapes -----------------------------------------------------------------------------------

// Facets that occur once are on the surface.
static PalStatus take_surface(PalFebio *febio, const PalFebioShape *shape, PalInts *facets)
{
    int32_t count = shape->facets.count / 4;
    int32_t(*keys)[4] = pal_alloc((size_t)count, sizeof *keys);
    int32_t *order = pal_alloc((size_t)count, sizeof *order);
    bool done = keys != NULL && order != NULL;
    for (int32_t i = 0; i < count && done; ++i) {
        memcpy(keys[i], shape->facets.items + 4 * (size_t)i, sizeof keys[i]);
        pal_row_sort(keys[i], 4);
    }
    done = done && pal_rows_order(&keys[0][0], count, 4, order);
    for (int32_t i = 0; i < count && done; ++i) {
        bool twin = (i > 0 && pal_rows_equal(keys[order[i]], keys[order[i - 1]], 4)) ||
                    (i + 1 < count && pal_rows_equal(keys[order[i]], keys[order[i + 1]], 4));
        for (int a = 0; a < 4 && !twin && done; ++a)
            done = pal_array_push(facets, shape->facets.items[4 * (size_t)order[i] + (size_t)a]);
    }
    pal_free(keys);
    pal_free(order);
    return done ? PAL_OK : pal_foreign_no_memory(febio->model);
}

// Soft elements that have nodes of the rigid body go along with it there.
static PalStatus take_shared(PalFebio *febio, const PalFebioShape *shape)
{
    PalForeign *model = febio->model;
    const PalMesh *mesh = model->mesh;
    const PalForeignRigid *rigid = &model->rigids.items[shape->rigid];
    int64_t corner_count = (int64_t)mesh->cell_count * pal_cell_node_count(mesh->cell_kind);
    bool *soft = pal_alloc((size_t)mesh->node_count, sizeof *soft);
    PalInts shared = {0};
    PalStatus status = soft != NULL ? PAL_OK : pal_foreign_no_memory(model);
    for (int64_t k = 0; k < corner_count && status == PAL_OK; ++k)
        soft[mesh->cells[k]] = true;
    for (int32_t i = 0; i < shape->nodes.count && status == PAL_OK; ++i)
        if (soft[shape->nodes.items[i]] && !pal_array_push(&shared, shape->nodes.items[i]))
            status = pal_foreign_no_memory(model);
    pal_free(soft);
    if (status == PAL_OK && shared.count > 0) {
        char name[96];
        snprintf(name, sizeof name, "nodes on %.60s", rigid->name);
        PalGroup group = {.name = name, .node_count = shared.count, .nodes = shared.items};
        PalForeignAttachment attachment = {rigid->line, shape->rigid,
                                           pal_foreign_text(model, name, strlen(name))};
        status = pal_mesh_add_group(model->mesh, &group, model->notes.error);
        if (status == PAL_OK &&
            (attachment.group == NULL || !pal_array_push(&model->attachments, attachment)))
            status = pal_foreign_no_memory(model);
    }
    pal_array_clear(&shared);
    return status;
}

PalStatus pal_febio_make_rigids(PalFebio *febio)
{
    PalForeign *model = febio->model;
    for (int32_t i = 0; i < febio->shapes.count; ++i) {
        PalFebioShape *shape = &febio->shapes.items[i];
        const PalForeignMaterial *material = &model->materials.items[shape->material];
        PalForeignRigid made = {.line = material->line,
                                .name = material->name,
                                .density = material->density,
                                .push_curve = PAL_NONE,
                                .has_centre = material->has_centre,
                                .centre = material->centre};
        shape->rigid = model->rigids.count;
        if (!pal_array_push(&model->rigids, made))
            return pal_foreign_no_memory(model);
        PAL_TRY(take_surface(febio, shape, &model->rigids.items[shape->rigid].facets));
        PAL_TRY(take_shared(febio, shape));
    }
    return PAL_OK;
}

PalStatus pal_febio_find_rigid(PalFebio *febio, const PalXmlNode *node, const char *word,
                               int32_t *rigid)
{
    char text[128];
    PalToken token = pal_token_trim((PalToken){word, strlen(word)});
    snprintf(text, sizeof text, "%.*s", (int)(token.size < 127 ? token.size : 127), token.text);
    int32_t material = pal_febio_find_material(febio->model, text);
    for (int32_t i = 0; i < febio->shapes.count; ++i)
        if (febio->shapes.items[i].material == material) {
            *rigid = febio->shapes.items[i].rigid;
            return PAL_OK;
        }
    return pal_foreign_fail(
        febio->model, node->line,
        "there is no rigid body %s, expected a material of type rigid body that "
        "elements have",
        pal_quoted(text).text);
}

// ---- what holds, moves and pushes them --------------------------------------------------------

// x y z or Rx Ry Rz: translations. Ru Rv Rw or u v w: rotations. PAL_NONE: another word.
static int freedom_of(PalToken word)
{
    static const char *const names[][3] = {{"x", "Rx", ""}, {"y", "Ry", ""}, {"z", "Rz", ""},
                                           {"u", "Ru", ""}, {"v", "Rv", ""}, {"w", "Rw", ""}};
    for (int f = 0; f < PAL_FOREIGN_FREEDOMS; ++f)
        if (pal_token_is_like(word, names[f][0]) || pal_token_is_like(word, names[f][1]))
            return f;
    return PAL_NONE;
}

// In version 2.5, Rx Ry Rz of a rigid body are rotations.
static int old_freedom_of(PalToken word)
{
    int freedom = freedom_of(word);
    return word.size == 2 && freedom != PAL_NONE && freedom < 3 ? freedom + 3 : freedom;
}

typedef struct Words {
    const PalXmlNode *node;
    const char *text;
    bool old;
} Words;

// The freedoms that a text names, in a list.
static PalStatus read_freedoms(PalFebio *febio, Words words, bool given[PAL_FOREIGN_FREEDOMS])
{
    const char *at = words.text, *end = at + strlen(at);
    while (at < end) {
        const char *stop = at;
        while (stop < end && *stop != ',' && !pal_is_blank(*stop))
            ++stop;
        PalToken word = {at, (size_t)(stop - at)};
        int freedom = words.old ? old_freedom_of(word) : freedom_of(word);
        if (word.size > 0 && freedom == PAL_NONE)
            return pal_foreign_fail(febio->model, words.node->line,
                                    "the freedom %s of a rigid body, expected x, y, z, Ru, Rv, Rw",
                                    pal_token_quote(word).text);
        if (word.size > 0)
            given[freedom] = true;
        at = stop < end ? stop + 1 : end;
    }
    return PAL_OK;
}

static PalStatus give(PalFebio *febio, const PalXmlNode *node, PalForeignRigid *rigid, int freedom,
                      double value, int32_t curve)
{
    if (rigid->given[freedom])
        return pal_foreign_fail(febio->model, node->line,
                                "a freedom of the rigid body %s is given twice, expected once",
                                pal_quoted(rigid->name).text);
    rigid->given[freedom] = true;
    rigid->value[freedom] = value;
    rigid->curve[freedom] = curve;
    return PAL_OK;
}

// A number, a curve and the freedoms they are for.
typedef struct Said {
    bool freedoms[PAL_FOREIGN_FREEDOMS];
    double value;
    int32_t curve;
} Said;

static PalStatus move(PalFebio *febio, const PalXmlNode *node, int32_t index, const Said *said)
{
    PalForeignRigid *rigid = &febio->model->rigids.items[index];
    for (int f = 0; f < PAL_FOREIGN_FREEDOMS; ++f)
        if (said->freedoms[f])
            PAL_TRY(give(febio, node, rigid, f, said->value, said->curve));
    return PAL_OK;
}

static PalStatus push(PalFebio *febio, const PalXmlNode *node, int32_t index, const Said *said)
{
    PalForeignRigid *rigid = &febio->model->rigids.items[index];
    if (rigid->pushed && rigid->push_curve != said->curve)
        return pal_foreign_fail(febio->model, node->line,
                                "forces of several curves on the rigid body %s, expected one",
                                pal_quoted(rigid->name).text);
    rigid->pushed = true;
    rigid->push_curve = said->curve;
    for (int f = 0; f < PAL_FOREIGN_FREEDOMS; ++f)
        rigid->push[f] += said->freedoms[f] ? said->value : 0;
    return PAL_OK;
}

static PalStatus refuse_relative(PalFebio *febio, const PalXmlNode *node)
{
    double relative = 0;
    PAL_TRY(pal_febio_child_number(febio, node, "relative", &relative));
    if (relative == 0)
        return PAL_OK;
    return pal_foreign_fail(febio->model, node->line,
                            "a relative motion of a rigid body, expected one from the start");
}

// <value lc="1"> and the freedoms in <dof>, <dofs> or flags <Rx_dof>.
static PalStatus read_said(PalFebio *febio, const PalXmlNode *node, Said *said)
{
    static const char *const flags[] = {"Rx_dof", "Ry_dof", "Rz_dof", "Ru_dof", "Rv_dof", "Rw_dof"};
    static const char *const lists[] = {"dof", "dofs"};
    const PalXmlNode *value = pal_xml_child(node, "value");
    *said = (Said){.curve = PAL_NONE};
    if (value != NULL)
        PAL_TRY(pal_febio_number(febio, value, &said->value));
    PAL_TRY(pal_febio_find_curve(febio, value, &said->curve));
    for (int i = 0; i < 2; ++i) {
        const PalXmlNode *list = pal_xml_child(node, lists[i]);
        if (list != NULL)
            PAL_TRY(read_freedoms(febio, (Words){list, list->text, false}, said->freedoms));
    }
    for (int f = 0; f < PAL_FOREIGN_FREEDOMS; ++f) {
        double flag = 0;
        PAL_TRY(pal_febio_child_number(febio, node, flags[f], &flag));
        said->freedoms[f] = said->freedoms[f] || flag != 0;
    }
    return refuse_relative(febio, node);
}

// <rigid_rotation_vector>: components of their own.
static PalStatus read_rotation_vector(PalFebio *febio, const PalXmlNode *node, int32_t index)
{
    static const char *const names[] = {"vx", "vy", "vz"};
    for (int i = 0; i < 3; ++i) {
        const PalXmlNode *child = pal_xml_child(node, names[i]);
        Said said = {.curve = PAL_NONE};
        said.freedoms[3 + i] = true;
        PAL_TRY(pal_febio_child_number(febio, node, names[i], &said.value));
        PAL_TRY(pal_febio_find_curve(febio, child, &said.curve));
        PAL_TRY(move(febio, node, index, &said));
    }
    return PAL_OK;
}

// <rigid_bc>, <rigid_load>, <rigid_constraint> of versions 3 and 4.
static PalStatus read_entry(PalFebio *febio, PalXmlNode *node)
{
    const char *type = pal_xml_attribute(node, "type");
    const PalXmlNode *body = pal_xml_child(node, "rb");
    int32_t index;
    Said said;
    bool fix = false, lead = false, force = false, vector = false;
    if (type != NULL) {
        fix = pal_febio_text_is(type, "rigid_fixed") || pal_febio_text_is(type, "fix");
        lead = pal_febio_text_is(type, "rigid_displacement") ||
               pal_febio_text_is(type, "rigid_rotation") || pal_febio_text_is(type, "prescribe");
        force = pal_febio_text_is(type, "rigid_force") || pal_febio_text_is(type, "rigid_moment") ||
                pal_febio_text_is(type, "force");
        vector = pal_febio_text_is(type, "rigid_rotation_vector");
    }
    if (body == NULL || (!fix && !lead && !force && !vector))
        return PAL_OK;
    node->used = true;
    PAL_TRY(pal_febio_find_rigid(febio, node, body->text, &index));
    if (vector)
        return read_rotation_vector(febio, node, index);
    PAL_TRY(read_said(febio, node, &said));
    if (!force)
        return move(febio, node, index, &said);
    double kind = 0;  // 0: a force of a fixed direction
    PAL_TRY(pal_febio_child_number(febio, node, "load_type", &kind));
    if (kind != 0)
        return pal_foreign_fail(febio->model, node->line,
                                "a rigid load of type %g, expected 0, of a fixed direction", kind);
    return push(febio, node, index, &said);
}

// <rigid_body mat="2"><fixed bc="x"/><prescribed bc="z" lc="1">0.5</prescribed> of version 2.5.
static PalStatus read_old(PalFebio *febio, PalXmlNode *node)
{
    const char *material = pal_xml_attribute(node, "mat");
    int32_t index;
    if (material == NULL)
        return PAL_OK;
    node->used = true;
    PAL_TRY(pal_febio_find_rigid(febio, node, material, &index));
    for (PalXmlNode *child = node->first; child != NULL; child = child->next) {
        bool fix = pal_xml_named(child, "fixed"), lead = pal_xml_named(child, "prescribed");
        bool force = pal_xml_named(child, "force");
        const char *axes = pal_xml_attribute(child, "bc"), *kind = pal_xml_attribute(child, "type");
        Said said = {.curve = PAL_NONE};
        if (axes == NULL || (!fix && !lead && !force))
            continue;
        if (kind != NULL && pal_febio_text_is(kind, "relative"))
            return pal_foreign_fail(febio->model, child->line,
                                    "a relative motion of a rigid body, expected one from the "
                                    "start");
        child->used = true;
        PAL_TRY(read_freedoms(febio, (Words){child, axes, true}, said.freedoms));
        if (!fix)
            PAL_TRY(pal_febio_number(febio, child, &said.value));
        PAL_TRY(pal_febio_find_curve(febio, child, &said.curve));
        PAL_TRY(force ? push(febio, child, index, &said) : move(febio, child, index, &said));
    }
    return PAL_OK;
}

PalStatus pal_febio_read_rigid(PalFebio *febio, const PalXmlNode *owner)
{
    static const char *const sections[] = {"Rigid", "Boundary", "Constraints", "Loads"};
    for (int s = 0; s < 4; ++s) {
        if (!pal_xml_has(owner, sections[s]))
            continue;
        const PalXmlNode *section = pal_xml_child(owner, sections[s]);
        for (PalXmlNode *node = section->first; node != NULL; node = node->next) {
            if (pal_xml_named(node, "rigid_body"))
                PAL_TRY(read_old(febio, node));
            else if (pal_xml_named(node, "rigid_bc") || pal_xml_named(node, "rigid_load") ||
                     pal_xml_named(node, "rigid_constraint"))
                PAL_TRY(read_entry(febio, node));
        }
    }
    return PAL_OK;
}
