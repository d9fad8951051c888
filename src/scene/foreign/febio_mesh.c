// <Geometry> or <Mesh>: nodes, elements, sets, surfaces.
#include "scene/foreign/febio.h"

#include "base/assert.h"
#include "mesh/cells.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char node_suffix[] = " nodes";

static PalStatus read_id(PalFebio *febio, const PalXmlNode *node, int64_t *id)
{
    const char *text = pal_xml_attribute(node, "id");
    if (text != NULL && pal_parse_int(text, text + strlen(text), id) == text + strlen(text))
        return PAL_OK;
    return pal_foreign_fail(febio->model, node->line, "<%s> without a whole number as id",
                            node->name);
}

static PalCursor at_line(const PalFebio *febio, const PalXmlNode *node)
{
    PalCursor cursor = febio->cursor;
    cursor.first_line = node->line;
    return cursor;
}

static PalStatus read_nodes(PalFebio *febio, const PalXmlNode *mesh)
{
    for (PalXmlNode *list = pal_xml_child(mesh, "Nodes"); list != NULL; list = pal_xml_next(list))
        for (PalXmlNode *node = pal_febio_each(list, NULL); node != NULL;
             node = pal_febio_each(list, node)) {
            PalCursor cursor = at_line(febio, node);
            double x[3] = {0};
            int64_t id;
            int32_t count;
            PAL_TRY(read_id(febio, node, &id));
            PAL_TRY(pal_febio_numbers(febio, node, x, 3, &count));
            if (count != 3)
                return pal_foreign_fail(febio->model, node->line,
                                        "a node of %d coordinates, expected 3", (int)count);
            PAL_TRY(pal_id_map_add(&febio->node_ids, &cursor, id, cursor.at));
            PAL_TRY(pal_raw_add_node(&febio->raw, &cursor, cursor.at, (PalVec3){x[0], x[1], x[2]}));
        }
    return pal_id_map_build(&febio->node_ids, &febio->cursor, "node");
}

// Numbers of nodes to indices.
static PalStatus find_nodes(PalFebio *febio, const PalXmlNode *node, int32_t *nodes, int32_t most,
                            int32_t *count)
{
    enum { CELL_MOST = 10 };
    double values[CELL_MOST];
    PAL_ASSERT(most <= CELL_MOST);
    PAL_TRY(pal_febio_numbers(febio, node, values, most, count));
    for (int32_t i = 0; i < *count; ++i) {
        bool whole = fabs(values[i]) < 9e15 && values[i] == floor(values[i]);
        nodes[i] = whole ? pal_id_map_find(&febio->node_ids, (int64_t)values[i]) : PAL_NONE;
        if (nodes[i] == PAL_NONE)
            return pal_foreign_fail(febio->model, node->line, "there is no node %g, expected one",
                                    values[i]);
    }
    return PAL_OK;
}

static PalStatus join_group(PalFebio *febio, const char *name, PalMembers *members, int32_t item)
{
    int32_t group;
    PAL_TRY(pal_raw_group(&febio->raw, &febio->cursor, (PalToken){name, strlen(name)}, &group));
    return pal_raw_join(members, &febio->cursor, group, item);
}

// The name of a block: its own, or elements-1, elements-2, ...
static PalStatus block_name(PalFebio *febio, int32_t block, const char **name)
{
    const PalXmlNode *node = febio->blocks.items[block].node;
    *name = pal_xml_attribute(node, "name");
    if (*name != NULL && **name != '\0')
        return PAL_OK;
    char text[32];
    snprintf(text, sizeof text, "elements-%d", (int)block + 1);
    *name = pal_foreign_text(febio->model, text, strlen(text));
    return *name != NULL ? PAL_OK : pal_foreign_no_memory(febio->model);
}

// By its name, or by its number.
int32_t pal_febio_find_material(const PalForeign *model, const char *word)
{
    int64_t number;
    const char *end = word + strlen(word);
    bool whole = pal_parse_int(word, end, &number) == end;
    for (int32_t i = 0; i < model->materials.count; ++i)
        if (strcmp(model->materials.items[i].name, word) == 0)
            return i;
    for (int32_t i = 0; i < model->materials.count && whole; ++i)
        if (model->materials.items[i].number == number)
            return i;
    return PAL_NONE;
}

// What the elements of a block are made of, by the block or by its domain. NULL: not said.
static const char *material_of(PalFebio *febio, const PalXmlNode *list, const char *name)
{
    const PalXmlNode *domains = pal_xml_child(febio->root, "MeshDomains");
    for (PalXmlNode *node = domains != NULL ? domains->first : NULL; node != NULL;
         node = node->next) {
        const char *own = pal_xml_attribute(node, "name");
        if (own != NULL && strcmp(own, name) == 0)
            return pal_xml_attribute(node, "mat");
    }
    return domains == NULL ? pal_xml_attribute(list, "mat") : NULL;
}

typedef struct Type {
    const char *name;
    PalRawKind kind;
} Type;

static PalStatus find_type(PalFebio *febio, const PalXmlNode *list, bool rigid, Type *type)
{
    static const Type types[] = {{"tet4", PAL_RAW_TETRAHEDRON},
                                 {"hex8", PAL_RAW_HEXAHEDRON},
                                 {"tet10", PAL_RAW_QUADRATIC_TETRAHEDRON},
                                 {"tri3", PAL_RAW_TRIANGLE},
                                 {"quad4", PAL_RAW_QUAD}};
    const char *word = pal_xml_attribute(list, "type");
    for (int i = 0; i < (rigid ? 5 : 3) && word != NULL; ++i)
        if (pal_febio_text_is(word, types[i].name)) {
            *type = types[i];
            return PAL_OK;
        }
    return pal_foreign_fail(
        febio->model, list->line, "elements of type %s, expected tet4, tet10 or hex8%s",
        word != NULL ? pal_quoted(word).text : "unknown", rigid ? ", tri3 or quad4" : "");
}

// The shape of the rigid body of a material, new or not.
static PalStatus find_shape(PalFebio *febio, int32_t material, int32_t *shape)
{
    for (*shape = 0; *shape < febio->shapes.count; ++*shape)
        if (febio->shapes.items[*shape].material == material)
            return PAL_OK;
    PalFebioShape made = {.material = material};
    return pal_array_push(&febio->shapes, made) ? PAL_OK : pal_foreign_no_memory(febio->model);
}

static PalStatus add_to_shape(PalFebio *febio, int32_t index, PalRawKind kind,
                              const int32_t *corners)
{
    PalFebioShape *shape = &febio->shapes.items[index];
    bool solid = kind >= PAL_RAW_TETRAHEDRON, done = true;
    const PalCellTopology *topology = solid ? pal_cell_topology(pal_raw_solid(kind)) : NULL;
    int32_t width = pal_raw_corner_count(kind), facet_count = solid ? topology->facet_count : 1;
    for (int32_t f = 0; f < facet_count; ++f)
        for (int32_t a = 0; a < 4 && done; ++a) {
            int32_t count = solid ? topology->corner_count : width;
            int32_t corner = solid && a < count ? topology->facets[f][a] : a;
            done = pal_array_push(&shape->facets, a < count ? corners[corner] : PAL_NONE);
        }
    for (int32_t a = 0; a < width && done; ++a)
        done = pal_array_push(&shape->nodes, corners[a]);
    return done ? PAL_OK : pal_foreign_no_memory(febio->model);
}

static PalStatus read_element(PalFebio *febio, const PalXmlNode *node, Type type, const char *name)
{
    PalCursor cursor = at_line(febio, node);
    const PalFebioBlock *block = &febio->blocks.items[febio->blocks.count - 1];
    int32_t width = pal_raw_corner_count(type.kind), corners[10], count, cell = PAL_NONE;
    int64_t id;
    PAL_TRY(read_id(febio, node, &id));
    PAL_TRY(find_nodes(febio, node, corners, width, &count));
    if (count != width)
        return pal_foreign_fail(febio->model, node->line, "an element of %d nodes, expected %d",
                                (int)count, (int)width);
    PAL_TRY(pal_id_map_add(&febio->element_ids, &cursor, id, cursor.at));
    if (block->rigid != PAL_NONE) {
        PAL_TRY(add_to_shape(febio, block->rigid, type.kind, corners));
    } else {
        cell = pal_raw_cell_count(&febio->raw, type.kind);
        PAL_TRY(pal_raw_add_cell(&febio->raw, &cursor, type.kind, corners));
        PAL_TRY(join_group(febio, name, &febio->raw.members[type.kind], cell));
    }
    return pal_array_push(&febio->element_cells, cell) ? PAL_OK
                                                       : pal_foreign_no_memory(febio->model);
}

static PalStatus read_block(PalFebio *febio, const PalXmlNode *list)
{
    PalForeign *model = febio->model;
    PalFebioBlock block = {list, PAL_NONE};
    const char *name;
    Type type = {0};
    if (!pal_array_push(&febio->blocks, block))
        return pal_foreign_no_memory(model);
    PAL_TRY(block_name(febio, febio->blocks.count - 1, &name));
    if (pal_names_add(&febio->block_names, (PalToken){name, strlen(name)}, false) == PAL_NONE)
        return pal_foreign_no_memory(model);
    const char *word = material_of(febio, list, name);
    int32_t material = word != NULL ? pal_febio_find_material(model, word) : PAL_NONE;
    bool rigid = material != PAL_NONE && model->materials.items[material].rigid;
    if (rigid)
        PAL_TRY(find_shape(febio, material, &febio->blocks.items[febio->blocks.count - 1].rigid));
    PAL_TRY(find_type(febio, list, rigid, &type));
    if (!rigid)
        model->mesh_line = model->mesh_line == 0 ? list->line : model->mesh_line;
    for (PalXmlNode *node = pal_febio_each(list, NULL); node != NULL;
         node = pal_febio_each(list, node))
        PAL_TRY(read_element(febio, node, type, name));
    return PAL_OK;
}

static PalStatus read_elements(PalFebio *febio, const PalXmlNode *mesh)
{
    for (PalXmlNode *list = pal_xml_child(mesh, "Elements"); list != NULL;
         list = pal_xml_next(list))
        PAL_TRY(read_block(febio, list));
    if (febio->model->mesh_line == 0)
        return pal_foreign_fail(febio->model, mesh->line,
                                "no elements, expected <Elements> of type tet4, tet10 or hex8");
    return pal_id_map_build(&febio->element_ids, &febio->cursor, "element");
}

// Sets, blocks and surfaces may have the same name: all but blocks say what they are, sets of nodes
// only where a block has their name.
static const char *set_name(PalFebio *febio, const PalXmlNode *node, const char *suffix)
{
    const char *name = pal_xml_attribute(node, "name");
    if (name == NULL || *name == '\0')
        return NULL;
    bool nodes = strcmp(suffix, node_suffix) == 0;
    if (nodes &&
        pal_names_find(&febio->block_names, (PalToken){name, strlen(name)}, false) == PAL_NONE)
        suffix = "";
    size_t size = strlen(name) + strlen(suffix) + 1;
    char *text = pal_tree_alloc(febio->model->tree, size, 1);
    if (text != NULL)
        snprintf(text, size, "%s%s", name, suffix);
    return text;
}

typedef struct Set {
    const char *tag, *suffix;
    const PalIdMap *ids;
    bool elements;
} Set;

static PalStatus add_to_set(PalFebio *febio, const Set *set, const char *name, int64_t id,
                            int32_t line)
{
    int32_t item = pal_id_map_find(set->ids, id);
    if (item == PAL_NONE)
        return pal_foreign_fail(febio->model, line,
                                "there is no %s %lld, expected one that is defined",
                                set->elements ? "element" : "node", (long long)id);
    PalRawKind kind = PAL_RAW_TETRAHEDRON;
    while (kind < PAL_RAW_QUADRATIC_TETRAHEDRON && pal_raw_cell_count(&febio->raw, kind) == 0)
        ++kind;
    PalMembers *members = set->elements ? &febio->raw.members[kind] : &febio->raw.node_members;
    if (set->elements && (item = febio->element_cells.items[item]) == PAL_NONE)
        return PAL_OK;  // of a rigid body
    return join_group(febio, name, members, item);
}

// Version 4 lists numbers in the text, the others have a tag for each.
static PalStatus read_set(PalFebio *febio, const Set *set, const PalXmlNode *node)
{
    const char *name = set_name(febio, node, set->suffix);
    if (name == NULL)
        return pal_foreign_fail(febio->model, node->line, "<%s> without a name, expected one",
                                node->name);
    for (PalXmlNode *child = pal_febio_each(node, NULL); child != NULL;
         child = pal_febio_each(node, child)) {
        int64_t id;
        PAL_TRY(read_id(febio, child, &id));
        PAL_TRY(add_to_set(febio, set, name, id, child->line));
    }
    const char *at = node->text, *end = at + strlen(at);
    while (node->first == NULL) {
        while (at < end && (pal_is_blank(*at) || *at == ','))
            ++at;
        if (at == end)
            break;
        int64_t id;
        const char *after = pal_parse_int(at, end, &id);
        if (after == NULL)
            return pal_foreign_fail(febio->model, node->line, "%s in <%s>, expected whole numbers",
                                    pal_quoted(at).text, node->name);
        PAL_TRY(add_to_set(febio, set, name, id, node->line));
        at = after;
    }
    return PAL_OK;
}

// One facet of a surface: tri3, quad4, or tri6 as four triangles.
static PalStatus read_facet(PalFebio *febio, const PalXmlNode *node, const char *name)
{
    static const int8_t four[4][3] = {{0, 3, 5}, {1, 4, 3}, {2, 5, 4}, {3, 4, 5}};
    bool quadratic = pal_xml_named(node, "tri6");
    int32_t nodes[6], count, width = pal_xml_named(node, "tri3") ? 3 : quadratic ? 6 : 4;
    if (width == 4 && !pal_xml_named(node, "quad4"))
        return pal_foreign_fail(febio->model, node->line,
                                "a facet of type %s, expected tri3, tri6 or quad4",
                                pal_quoted(node->name).text);
    PAL_TRY(find_nodes(febio, node, nodes, width, &count));
    if (count != width)
        return pal_foreign_fail(febio->model, node->line, "a facet of %d nodes, expected %d",
                                (int)count, (int)width);
    for (int32_t k = 0; k < (quadratic ? 4 : 1); ++k) {
        PalRawFacet facet = {{PAL_NONE, PAL_NONE, PAL_NONE, PAL_NONE}};
        for (int32_t a = 0; a < (quadratic ? 3 : width); ++a)
            facet.corners[a] = nodes[quadratic ? four[k][a] : a];
        PAL_TRY(join_group(febio, name, &febio->raw.facet_members, febio->raw.facets.count));
        if (!pal_array_push(&febio->raw.facets, facet))
            return pal_foreign_no_memory(febio->model);
    }
    return PAL_OK;
}

static PalStatus read_surface(PalFebio *febio, const PalXmlNode *node)
{
    const char *name = set_name(febio, node, " surface");
    if (name == NULL)
        return pal_foreign_fail(febio->model, node->line, "<%s> without a name, expected one",
                                node->name);
    for (PalXmlNode *child = pal_febio_each(node, NULL); child != NULL;
         child = pal_febio_each(node, child))
        PAL_TRY(read_facet(febio, child, name));
    return PAL_OK;
}

PalStatus pal_febio_read_mesh(PalFebio *febio)
{
    const PalXmlNode *mesh = pal_xml_child(febio->root, "Mesh");
    if (mesh == NULL)
        mesh = pal_xml_child(febio->root, "Geometry");
    if (mesh == NULL)
        return pal_foreign_fail(febio->model, febio->root->line,
                                "no <Mesh> or <Geometry>, expected one");
    PAL_TRY(read_nodes(febio, mesh));
    PAL_TRY(read_elements(febio, mesh));
    const Set sets[] = {{"NodeSet", node_suffix, &febio->node_ids, false},
                        {"ElementSet", " elements", &febio->element_ids, true}};
    for (int s = 0; s < 2; ++s)
        for (PalXmlNode *node = pal_xml_child(mesh, sets[s].tag); node != NULL;
             node = pal_xml_next(node))
            PAL_TRY(read_set(febio, &sets[s], node));
    for (PalXmlNode *node = pal_xml_child(mesh, "Surface"); node != NULL; node = pal_xml_next(node))
        PAL_TRY(read_surface(febio, node));
    return pal_raw_finish(&febio->raw, &febio->cursor, PAL_WANT_SOLID, &febio->model->mesh);
}

PalStatus pal_febio_find_surface(PalFebio *febio, int32_t line, const char *name,
                                 const char **group)
{
    char text[256];
    snprintf(text, sizeof text, "%s surface", name);
    return pal_foreign_group(febio->model, line, text, false, group);
}

// A node set, or the nodes of a surface: @surface:NAME.
PalStatus pal_febio_find_set(PalFebio *febio, int32_t line, const char *name, const char **group)
{
    static const char mark[] = "@surface:", elements[] = "@elem_set:";
    if (strncmp(name, mark, strlen(mark)) == 0)
        return pal_febio_find_surface(febio, line, name + strlen(mark), group);
    if (strncmp(name, elements, strlen(elements)) == 0) {
        char text[256];
        snprintf(text, sizeof text, "%s elements", name + strlen(elements));
        return pal_foreign_group(febio->model, line, text, false, group);
    }
    if (pal_names_find(&febio->block_names, (PalToken){name, strlen(name)}, false) == PAL_NONE)
        return pal_foreign_group(febio->model, line, name, false, group);
    char text[256];
    snprintf(text, sizeof text, "%s%s", name, node_suffix);
    return pal_foreign_group(febio->model, line, text, false, group);
}

// ---- what the blocks are made of --------------------------------------------------------------

static PalStatus add_section(PalFebio *febio, const PalXmlNode *node, const char *block,
                             const char *material)
{
    PalForeign *model = febio->model;
    PalForeignSection section = {.line = node->line};
    if (material == NULL ||
        (section.material = pal_febio_find_material(model, material)) == PAL_NONE)
        return pal_foreign_fail(model, node->line,
                                "the elements %s have the material %s, expected "
                                "one that <Material> defines",
                                pal_quoted(block).text,
                                material != NULL ? pal_quoted(material).text : "nothing");
    PAL_TRY(pal_foreign_group(model, node->line, block, false, &section.group));
    return pal_array_push(&model->sections, section) ? PAL_OK : pal_foreign_no_memory(model);
}

// Rigid blocks have no material of ours.
static bool is_rigid(PalFebio *febio, const char *material)
{
    int32_t index = material != NULL ? pal_febio_find_material(febio->model, material) : PAL_NONE;
    return index != PAL_NONE && febio->model->materials.items[index].rigid;
}

PalStatus pal_febio_read_domains(PalFebio *febio)
{
    const PalXmlNode *domains = pal_xml_child(febio->root, "MeshDomains");
    for (PalXmlNode *node = domains != NULL ? domains->first : NULL; node != NULL;
         node = node->next) {
        const char *name = pal_xml_attribute(node, "name");
        const char *material = pal_xml_attribute(node, "mat");
        bool rigid = is_rigid(febio, material), shell = pal_xml_named(node, "ShellDomain");
        if (!pal_xml_named(node, "SolidDomain") && !(rigid && shell))
            return pal_foreign_fail(febio->model, node->line,
                                    "a domain called %s, expected <SolidDomain>",
                                    pal_quoted(node->name).text);
        node->used = true;
        for (PalXmlNode *child = node->first; child != NULL && rigid; child = child->next)
            child->used = true;
        if (name == NULL)
            return pal_foreign_fail(febio->model, node->line, "<%s> without a name", node->name);
        if (!rigid)
            PAL_TRY(add_section(febio, node, name, material));
    }
    for (int32_t b = 0; b < febio->blocks.count && domains == NULL; ++b) {
        const PalXmlNode *node = febio->blocks.items[b].node;
        const char *name;
        PAL_TRY(block_name(febio, b, &name));
        if (febio->blocks.items[b].rigid == PAL_NONE)
            PAL_TRY(add_section(febio, node, name, pal_xml_attribute(node, "mat")));
    }
    return PAL_OK;
}
