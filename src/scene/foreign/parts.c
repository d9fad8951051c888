// The bodies of the scene: one, or one for each connected part where parts can touch.
#include "base/memory.h"
#include "mesh/readers/names.h"
#include "scene/foreign/model.h"

#include <stdio.h>
#include <string.h>

enum { PART_MAX = 1000, NAME_SIZE = 64 };

// Whether the names of the groups come back from an INP file, where case does not count and commas
// end a name; and quotes, stars, equal signs and blanks around it have a meaning.
static PalStatus names_fit_inp(PalForeign *model, const PalMesh *mesh, bool *fit)
{
    PalNames names = {0};
    PalStatus status = PAL_OK;
    *fit = true;
    for (int32_t g = 0; g < mesh->group_count && *fit; ++g) {
        PalToken name = {mesh->groups[g].name, strlen(mesh->groups[g].name)};
        *fit = strpbrk(name.text, ",\"=*") == NULL && pal_token_trim(name).size == name.size &&
               pal_names_find(&names, name, true) == PAL_NONE;
        if (*fit && pal_names_add(&names, name, true) == PAL_NONE) {
            status = pal_foreign_no_memory(model);
            break;
        }
    }
    pal_names_clear(&names);
    return status;
}

// STEM-NAME.inp, or .vtu where names of groups need it.
static PalStatus name_file(PalForeign *model, const char *stem, const char *name,
                           const PalMesh *mesh, const char **file)
{
    bool fit;
    PAL_TRY(names_fit_inp(model, mesh, &fit));
    size_t length = strlen(stem) + strlen(name) + sizeof "-.inp";
    char *text = pal_tree_alloc(model->tree, length, 1);
    if (text == NULL)
        return pal_foreign_no_memory(model);
    snprintf(text, length, "%s-%s.%s", stem, name, fit ? "inp" : "vtu");
    for (char *c = text + strlen(stem); *c != '\0'; ++c)
        if (*c == ' ')
            *c = '-';
    *file = text;
    return PAL_OK;
}

// ---- names ------------------------------------------------------------------------------------

static bool is_taken(const PalForeign *model, const char *name)
{
    PalToken word = {name, strlen(name)};
    for (int32_t i = 0; i < model->parts.count; ++i)
        if (model->parts.items[i].name != NULL &&
            pal_token_is_like(word, model->parts.items[i].name))
            return true;
    for (int32_t i = 0; i < model->rigids.count; ++i)
        if (model->rigids.items[i].name != NULL &&
            pal_token_is_like(word, model->rigids.items[i].name))
            return true;
    return false;
}

// The one section that has all cells of a part and no others; NULL: there is none.
static const char *section_of(const PalForeign *model, const int32_t *cell_part, int32_t part)
{
    int32_t count = 0;
    for (int32_t e = 0; e < model->mesh->cell_count; ++e)
        count += cell_part[e] == part;
    for (int32_t i = 0; i < model->sections.count; ++i) {
        const PalGroup *group = pal_mesh_find_group(model->mesh, model->sections.items[i].group);
        bool same = group != NULL && group->cell_count == count;
        for (int32_t k = 0; same && k < count; ++k)
            same = cell_part[group->cells[k]] == part;
        if (same)
            return group->name;
    }
    return NULL;
}

static bool is_fit_name(const PalForeign *model, const char *name)
{
    for (const char *c = name; *c != '\0'; ++c)
        if ((unsigned char)*c < 0x20 || (unsigned char)*c > 0x7e || strchr(",\"'/\\", *c) != NULL)
            return false;
    return name[0] != '\0' && strlen(name) < NAME_SIZE - 16 && strcmp(name, "all") != 0 &&
           !is_taken(model, name);
}

// The wish if it can be a name, else STEM-1, STEM-2, ...
static const char *choose_name(PalForeign *model, const char *wish, const char *stem, int32_t index)
{
    char text[NAME_SIZE];
    if (wish != NULL && is_fit_name(model, wish))
        return pal_foreign_text(model, wish, strlen(wish));
    do
        snprintf(text, sizeof text, "%s-%d", stem, (int)++index);
    while (is_taken(model, text));
    return pal_foreign_text(model, text, strlen(text));
}

// ---- meshes -----------------------------------------------------------------------------------

typedef struct Division {
    int32_t *cell_part, *node_local, *cell_local;
    int32_t part_count;
} Division;

static PalStatus share_out(PalForeign *model, Division *division)
{
    const PalMesh *mesh = model->mesh;
    int32_t width = pal_cell_node_count(mesh->cell_kind);
    size_t nodes = (size_t)mesh->node_count, cells = (size_t)mesh->cell_count;
    division->cell_part = pal_tree_alloc(model->tree, cells, sizeof(int32_t));
    division->cell_local = pal_tree_alloc(model->tree, cells, sizeof(int32_t));
    division->node_local = pal_tree_alloc(model->tree, nodes, sizeof(int32_t));
    model->node_part = pal_tree_alloc(model->tree, nodes, sizeof(int32_t));
    PalError inner = {0};
    if (division->cell_part == NULL || division->cell_local == NULL ||
        division->node_local == NULL || model->node_part == NULL)
        return pal_foreign_no_memory(model);
    division->part_count = 1;
    bool whole = model->contacts.count == 0 && model->rigids.count == 0;
    if (!whole &&
        pal_mesh_parts(mesh, division->cell_part, &division->part_count, &inner) != PAL_OK)
        return pal_foreign_no_memory(model);
    if (division->part_count > PART_MAX)
        return pal_foreign_fail(model, model->mesh_line,
                                "%d parts that are not connected, expected at most %d that touch",
                                (int)division->part_count, PART_MAX);
    for (int32_t n = 0; n < mesh->node_count; ++n)
        model->node_part[n] = PAL_NONE;
    for (int64_t k = 0; k < (int64_t)mesh->cell_count * width; ++k)
        model->node_part[mesh->cells[k]] = division->cell_part[k / width];
    return PAL_OK;
}

static PalStatus pass_on(PalForeign *model, PalStatus status, const PalError *inner)
{
    if (status == PAL_OK)
        return PAL_OK;
    return status == PAL_NO_MEMORY ? pal_foreign_no_memory(model)
                                   : pal_foreign_fail(model, model->mesh_line, "%s", inner->text);
}

// Copies what is in the part, in its own numbers.
static PalStatus copy_group(PalForeign *model, const Division *division, int32_t part,
                            const PalGroup *from)
{
    PalGroup copy = {.name = from->name};
    copy.nodes = pal_alloc((size_t)from->node_count + 1, sizeof *copy.nodes);
    copy.cells = pal_alloc((size_t)from->cell_count + 1, sizeof *copy.cells);
    copy.faces = pal_alloc((size_t)from->face_count + 1, sizeof *copy.faces);
    PalStatus status = PAL_OK;
    PalError inner = {0};
    if (copy.nodes == NULL || copy.cells == NULL || copy.faces == NULL)
        status = PAL_NO_MEMORY;
    for (int32_t i = 0; i < from->node_count && status == PAL_OK; ++i)
        if (model->node_part[from->nodes[i]] == part)
            copy.nodes[copy.node_count++] = division->node_local[from->nodes[i]];
    for (int32_t i = 0; i < from->cell_count && status == PAL_OK; ++i)
        if (division->cell_part[from->cells[i]] == part)
            copy.cells[copy.cell_count++] = division->cell_local[from->cells[i]];
    for (int32_t i = 0; i < from->face_count && status == PAL_OK; ++i) {
        int32_t *face = copy.faces[copy.face_count];
        bool inside = true;
        for (int a = 0; a < 4; ++a) {
            int32_t node = from->faces[i][a];
            inside = inside && (node == PAL_NONE || model->node_part[node] == part);
            face[a] = node == PAL_NONE ? PAL_NONE : division->node_local[node];
        }
        copy.face_count += inside;
    }
    if (status == PAL_OK && copy.node_count + copy.cell_count + copy.face_count > 0)
        status = pal_mesh_add_group(model->parts.items[part].mesh, &copy, &inner);
    pal_free(copy.nodes);
    pal_free(copy.cells);
    pal_free(copy.faces);
    return pass_on(model, status, &inner);
}

static PalStatus make_mesh(PalForeign *model, Division *division, int32_t part)
{
    const PalMesh *whole = model->mesh;
    int32_t width = pal_cell_node_count(whole->cell_kind);
    PalMeshDef def = {.cell_kind = whole->cell_kind};
    for (int32_t n = 0; n < whole->node_count; ++n)
        if (model->node_part[n] == part)
            division->node_local[n] = def.node_count++;
    for (int32_t e = 0; e < whole->cell_count; ++e)
        if (division->cell_part[e] == part)
            division->cell_local[e] = def.cell_count++;
    PalVec3 *nodes = pal_alloc((size_t)def.node_count, sizeof *nodes);
    int32_t *cells = pal_alloc((size_t)def.cell_count * (size_t)width, sizeof *cells);
    PalStatus status = nodes != NULL && cells != NULL ? PAL_OK : PAL_NO_MEMORY;
    for (int32_t n = 0; n < whole->node_count && status == PAL_OK; ++n)
        if (model->node_part[n] == part)
            nodes[division->node_local[n]] = whole->nodes[n];
    int32_t *cell = cells;
    for (int32_t e = 0; e < whole->cell_count && status == PAL_OK; ++e)
        for (int32_t a = 0; a < width && division->cell_part[e] == part; ++a)
            *cell++ = division->node_local[whole->cells[(int64_t)e * width + a]];
    def.nodes = nodes;
    def.cells = cells;
    PalError inner = {0};
    if (status == PAL_OK)
        status = pal_mesh_create(&def, &model->parts.items[part].mesh, &inner);
    pal_free(nodes);
    pal_free(cells);
    PAL_TRY(pass_on(model, status, &inner));
    for (int32_t g = 0; g < whole->group_count; ++g)
        PAL_TRY(copy_group(model, division, part, &whole->groups[g]));
    return PAL_OK;
}

// Triangles of the facets, on nodes of their own.
static PalStatus make_rigid_mesh(PalForeign *model, PalForeignRigid *rigid)
{
    const PalMesh *whole = model->mesh;
    int32_t facet_count = rigid->facets.count / 4;
    PalMeshDef def = {.cell_kind = PAL_CELL_TRIANGLE};
    int32_t *local = pal_alloc((size_t)whole->node_count, sizeof *local);
    PalVec3 *nodes = pal_alloc((size_t)whole->node_count, sizeof *nodes);
    int32_t *cells = pal_alloc((size_t)facet_count * 6, sizeof *cells);
    PalStatus status = local != NULL && nodes != NULL && cells != NULL ? PAL_OK : PAL_NO_MEMORY;
    for (int32_t i = 0; i < facet_count && status == PAL_OK; ++i) {
        const int32_t *corners = rigid->facets.items + 4 * (size_t)i;
        int32_t own[4] = {0};
        for (int a = 0; a < 4 && corners[a] != PAL_NONE; ++a) {
            if (local[corners[a]] == 0) {
                nodes[def.node_count] = whole->nodes[corners[a]];
                local[corners[a]] = ++def.node_count;
            }
            own[a] = local[corners[a]] - 1;
        }
        memcpy(cells + 3 * (size_t)def.cell_count++, own, 3 * sizeof *own);
        if (corners[3] != PAL_NONE)
            memcpy(cells + 3 * (size_t)def.cell_count++, (int32_t[]){own[0], own[2], own[3]},
                   3 * sizeof *own);
    }
    def.nodes = nodes;
    def.cells = cells;
    PalError inner = {0};
    if (status == PAL_OK)
        status = pal_mesh_create(&def, &rigid->mesh, &inner);
    pal_free(local);
    pal_free(nodes);
    pal_free(cells);
    return pass_on(model, status, &inner);
}

// A rigid body turns about its centre of mass.
static PalStatus find_centre(PalForeign *model, PalForeignRigid *rigid)
{
    bool turns = rigid->value[3] != 0 || rigid->value[4] != 0 || rigid->value[5] != 0;
    PalMassProperties mass;
    PalError inner = {0};
    if (!turns || rigid->has_centre)
        return PAL_OK;
    if (pal_mesh_mass_properties(rigid->mesh, 1, &mass, &inner) != PAL_OK)
        return pal_foreign_fail(model, rigid->line,
                                "the rigid body %s turns and its surface is open, expected "
                                "<center_of_mass>",
                                pal_quoted(rigid->name).text);
    rigid->centre = mass.centre;
    return PAL_OK;
}

static PalStatus divide_rigids(PalForeign *model, const char *stem)
{
    for (int32_t r = 0; r < model->rigids.count; ++r) {
        PalForeignRigid *rigid = &model->rigids.items[r];
        const char *wish = rigid->name;
        rigid->name = NULL;
        rigid->name = choose_name(model, wish, "rigid", r);
        if (rigid->name == NULL)
            return pal_foreign_no_memory(model);
        PAL_TRY(make_rigid_mesh(model, rigid));
        PAL_TRY(find_centre(model, rigid));
        PAL_TRY(name_file(model, stem, rigid->name, rigid->mesh, &rigid->file));
    }
    return PAL_OK;
}

PalStatus pal_foreign_divide(PalForeign *model, const char *stem)
{
    Division division = {0};
    PAL_TRY(share_out(model, &division));
    PAL_TRY(divide_rigids(model, stem));
    bool several = division.part_count > 1;
    bool whole = model->contacts.count == 0 && model->rigids.count == 0;
    for (int32_t p = 0; p < division.part_count; ++p) {
        PalForeignPart part = {0};
        const char *wish = several ? section_of(model, division.cell_part, p) : "body";
        part.name = choose_name(model, wish, "part", p);
        if (part.name == NULL || !pal_array_push(&model->parts, part))
            return pal_foreign_no_memory(model);
        if (!whole)
            PAL_TRY(make_mesh(model, &division, p));
    }
    if (whole) {
        model->parts.items[0].mesh = model->mesh;
        model->mesh = NULL;
    }
    for (int32_t p = 0; p < division.part_count; ++p) {
        PalForeignPart *part = &model->parts.items[p];
        PAL_TRY(name_file(model, stem, part->name, part->mesh, &part->file));
    }
    return PAL_OK;
}
