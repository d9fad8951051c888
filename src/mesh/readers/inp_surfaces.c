// *SURFACE: faces of elements, or nodes, by name.
#include "mesh/cells.h"
#include "mesh/readers/inp.h"

#include <string.h>

PalStatus pal_inp_read_surface(PalInp *inp, PalToken name, bool of_nodes)
{
    PalToken line, field;
    int32_t surface;
    PAL_TRY(pal_inp_set(inp, &inp->surfaces, name, &surface));
    while (pal_inp_line(inp, false, &line)) {
        PalInpFace entry = {.surface = surface, .of_nodes = of_nodes, .where = line.text};
        if (!pal_inp_field(&line, &entry.label))
            continue;
        if (pal_inp_field(&line, &field) && field.size == 2 && (field.text[0] | 0x20) == 's' &&
            field.text[1] >= '1' && field.text[1] <= '6')
            entry.face = field.text[1] - '0';
        if (!pal_array_push(&inp->faces, entry))
            return pal_cursor_no_memory(inp->cursor);
    }
    return PAL_OK;
}

static PalStatus add_face(PalInp *inp, int32_t group, const PalInpFace *entry, int32_t index)
{
    const PalInpElement *element = &inp->elements.items[index];
    PalRawMesh *raw = inp->raw;
    if (element->kind == PAL_RAW_TRIANGLE || element->kind == PAL_RAW_QUAD)
        return pal_raw_join(&raw->members[element->kind], inp->cursor, group, element->cell);
    if (entry->face == 0 || element->kind < PAL_RAW_TETRAHEDRON || element->kind == PAL_RAW_OTHER)
        return PAL_OK;
    // faces are numbered as ours are
    const PalCellTopology *topology = pal_cell_topology(pal_raw_solid(element->kind));
    const int32_t pieces = element->kind == PAL_RAW_QUADRATIC_TETRAHEDRON ? 4 : 1;
    if (entry->face > topology->facet_count / pieces)
        return pal_cursor_fail(inp->cursor, entry->where,
                               "the face S%d of a %s, expected S1 to S%d", entry->face,
                               topology->name, topology->facet_count / pieces);
    const int32_t *corners =
        raw->corners[element->kind].items + (size_t)element->cell * (size_t)topology->node_count;
    for (int32_t k = 0; k < pieces; ++k) {
        PalRawFacet facet = {{PAL_NONE, PAL_NONE, PAL_NONE, PAL_NONE}};
        for (int32_t a = 0; a < topology->corner_count; ++a)
            facet.corners[a] = corners[topology->facets[pieces * (entry->face - 1) + k][a]];
        PAL_TRY(pal_raw_join(&raw->facet_members, inp->cursor, group, raw->facets.count));
        if (!pal_array_push(&raw->facets, facet))
            return pal_cursor_no_memory(inp->cursor);
    }
    return PAL_OK;
}

static PalStatus add_member(PalInp *inp, int32_t group, const PalInpFace *entry, int32_t index)
{
    if (entry->of_nodes)
        return pal_raw_join(&inp->raw->node_members, inp->cursor, group, index);
    return add_face(inp, group, entry, index);
}

// What a label names may be absent: surfaces of parts that are not read.
static PalStatus resolve_face(PalInp *inp, int32_t group, const PalInpFace *entry, int64_t *budget)
{
    const PalInpSets *sets = entry->of_nodes ? &inp->node_sets : &inp->element_sets;
    const PalIdMap *ids = entry->of_nodes ? &inp->node_ids : &inp->element_ids;
    const char *end = entry->label.text + entry->label.size;
    int64_t number;
    if (pal_parse_int(entry->label.text, end, &number) == end) {
        int32_t index = pal_id_map_find(ids, number);
        return index == PAL_NONE ? PAL_OK : add_member(inp, group, entry, index);
    }
    int32_t set = pal_names_find(&sets->names, entry->label, true);
    int32_t count = set == PAL_NONE ? 0 : sets->items.items[set].count;
    if ((*budget -= count) < 0)
        return pal_cursor_fail(inp->cursor, entry->where,
                               "the surfaces have too many faces in all, expected at most 64 for "
                               "each element of the mesh");
    for (int32_t i = 0; i < count; ++i)
        PAL_TRY(add_member(inp, group, entry, sets->items.items[set].items[i]));
    return PAL_OK;
}

// A set and a surface may differ in case only.
static PalStatus find_group(PalInp *inp, int32_t surface, int32_t *group)
{
    const char *name = inp->surfaces.names.list.items[surface];
    PalToken token = {name, strlen(name)};
    const PalInpSets *const others[] = {&inp->node_sets, &inp->element_sets};
    bool apart = false;
    for (int i = 0; i < 2 && !apart; ++i) {
        int32_t twin = pal_names_find(&others[i]->names, token, true);
        apart = twin != PAL_NONE;
        if (apart)
            name = others[i]->names.list.items[twin];
    }
    return pal_inp_group(inp, name, apart ? " surface" : "", group);
}

PalStatus pal_inp_finish_surfaces(PalInp *inp)
{
    int64_t budget = 64 * ((int64_t)inp->raw->nodes.count + inp->elements.count) + 1000000;
    for (int32_t i = 0; i < inp->faces.count; ++i) {
        const PalInpFace *entry = &inp->faces.items[i];
        int32_t group;
        PAL_TRY(find_group(inp, entry->surface, &group));
        PAL_TRY(resolve_face(inp, group, entry, &budget));
    }
    return PAL_OK;
}
