// Abaqus models (.inp) of solids. docs/formats-abaqus.md
#include "scene/foreign/abaqus.h"

#include "mesh/readers/inp_include.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- lines, fields, numbers -------------------------------------------------------------------

// A line without the blanks around it; comments and empty ones are passed over.
static bool next_line(PalAbaqus *abaqus, bool keyword, PalToken *line)
{
    while (abaqus->at < abaqus->end) {
        const char *stop = memchr(abaqus->at, '\n', (size_t)(abaqus->end - abaqus->at));
        const char *after = stop != NULL ? stop + 1 : abaqus->end;
        *line = pal_token_trim(
            (PalToken){abaqus->at, (size_t)((stop != NULL ? stop : abaqus->end) - abaqus->at)});
        bool comment = line->size >= 2 && line->text[0] == '*' && line->text[1] == '*';
        bool is_keyword = line->size > 0 && line->text[0] == '*' && !comment;
        if (is_keyword && !keyword)
            return false;
        abaqus->data_line = abaqus->line;
        abaqus->at = after;
        ++abaqus->line;
        if (line->size > 0 && !comment)
            return true;
    }
    return false;
}

bool pal_abaqus_data(PalAbaqus *abaqus, PalToken *line)
{
    return next_line(abaqus, false, line);
}

bool pal_abaqus_field(PalToken *line, PalToken *field)
{
    if (line->size == 0)
        return false;
    const char *comma = memchr(line->text, ',', line->size);
    size_t size = comma != NULL ? (size_t)(comma - line->text) : line->size;
    size_t used = comma != NULL ? size + 1 : size;
    *field = pal_token_trim((PalToken){line->text, size});
    line->text += used;
    line->size -= used;
    return true;
}

PalToken pal_abaqus_parameter(const PalAbaqusKeyword *keyword, const char *name)
{
    PalToken rest = keyword->rest, field;
    while (pal_abaqus_field(&rest, &field)) {
        const char *equals = field.size > 0 ? memchr(field.text, '=', field.size) : NULL;
        size_t size = equals != NULL ? (size_t)(equals - field.text) : field.size;
        if (!pal_token_is_like(pal_token_trim((PalToken){field.text, size}), name))
            continue;
        size_t used = equals != NULL ? size + 1 : size;
        return pal_token_trim((PalToken){field.text + used, field.size - used});
    }
    return (PalToken){NULL, 0};
}

bool pal_abaqus_is(const PalAbaqusKeyword *keyword, const char *name)
{
    // blanks between the words do not count
    const char *c = keyword->word.text, *end = c + keyword->word.size;
    for (;; ++c, ++name) {
        while (c < end && pal_is_blank(*c))
            ++c;
        while (*name == ' ')
            ++name;
        if (c == end || *name == '\0')
            return c == end && *name == '\0';
        if (!pal_token_is_like((PalToken){c, 1}, (char[]){*name, '\0'}))
            return false;
    }
}

PalStatus pal_abaqus_number(PalAbaqus *abaqus, PalToken field, double *value)
{
    const char *end = field.text + field.size;
    *value = 0;
    if (field.size == 0 || (pal_parse_double(field.text, end, value) == end && isfinite(*value)))
        return PAL_OK;
    return pal_foreign_fail(abaqus->model, abaqus->data_line, "'%s', expected a number",
                            pal_token_quote(field).text);
}

PalStatus pal_abaqus_numbers(PalAbaqus *abaqus, double *values, int32_t most, int32_t *count)
{
    PalToken line, field;
    *count = 0;
    while (pal_abaqus_data(abaqus, &line))
        while (pal_abaqus_field(&line, &field)) {
            double value;
            if (field.size == 0 && line.size == 0)
                continue;  // a comma at the end
            PAL_TRY(pal_abaqus_number(abaqus, field, &value));
            if (*count == most)
                return pal_foreign_fail(abaqus->model, abaqus->data_line,
                                        "more than %d numbers, expected no more", (int)most);
            values[(*count)++] = value;
        }
    return PAL_OK;
}

const char *pal_abaqus_name(PalAbaqus *abaqus, PalToken token)
{
    if (token.size >= 2 && token.text[0] == '"' && token.text[token.size - 1] == '"') {
        token.text += 1;
        token.size -= 2;
    }
    return pal_foreign_text(abaqus->model, token.text, token.size);
}

PalStatus pal_abaqus_know(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword,
                          const char *const *names)
{
    PalToken rest = keyword->rest, field;
    while (pal_abaqus_field(&rest, &field)) {
        const char *equals = field.size > 0 ? memchr(field.text, '=', field.size) : NULL;
        size_t size = equals != NULL ? (size_t)(equals - field.text) : field.size;
        PalToken name = pal_token_trim((PalToken){field.text, size});
        bool known = name.size == 0;
        for (const char *const *other = names; *other != NULL && !known; ++other)
            known = pal_token_is_like(name, *other);
        if (!known)
            PAL_TRY(pal_foreign_lose(
                abaqus->model, keyword->line, "the parameter %s of *%s is not read",
                pal_token_quote(name).text, pal_token_quote(keyword->word).text));
    }
    return PAL_OK;
}

static bool has_group(const PalForeign *model, const char *name)
{
    PalToken word = {name, strlen(name)};
    for (int32_t g = 0; g < model->mesh->group_count; ++g)
        if (pal_token_is_like(word, model->mesh->groups[g].name))
            return true;
    return false;
}

// The name may stand after that of an instance and a point.
PalStatus pal_abaqus_find(PalAbaqus *abaqus, int32_t line, PalToken token, const char *suffix,
                          const char **group)
{
    PalForeign *model = abaqus->model;
    const char *name = pal_abaqus_name(abaqus, token);
    if (name == NULL)
        return pal_foreign_no_memory(model);
    const char *point = strrchr(name, '.');
    for (int i = 0; i < 2; ++i, name = point != NULL ? point + 1 : name) {
        size_t size = strlen(name) + strlen(suffix) + 1;
        char *apart = pal_tree_alloc(model->tree, size, 1);
        if (apart == NULL)
            return pal_foreign_no_memory(model);
        snprintf(apart, size, "%s%s", name, suffix);
        if (has_group(model, apart))
            return pal_foreign_group(model, line, apart, true, group);
        if (has_group(model, name))
            return pal_foreign_group(model, line, name, true, group);
    }
    return pal_foreign_group(model, line, pal_abaqus_name(abaqus, token), true, group);
}

// ---- keywords ---------------------------------------------------------------------------------

typedef struct Words {
    size_t count;
    const char *const *items;
} Words;

static bool is_among(const PalAbaqusKeyword *keyword, Words words)
{
    for (size_t i = 0; i < words.count; ++i)
        if (pal_abaqus_is(keyword, words.items[i]))
            return true;
    return false;
}
#define IS_AMONG(keyword, names)                                                                   \
    is_among((keyword), (Words){sizeof(names) / sizeof(names)[0], (names)})

// Those of the mesh, which is read by the reader of meshes, and those that end something.
static bool is_passed(const PalAbaqusKeyword *keyword)
{
    static const char *const names[] = {
        "HEADING",      "PREPRINT", "PART", "END PART", "ASSEMBLY", "END ASSEMBLY", "INSTANCE",
        "END INSTANCE", "NODE",     "NSET", "ELSET",    "SURFACE",  "END STEP",     "RIGID BODY"};
    return IS_AMONG(keyword, names);
}

// What to print and how to solve, and what has no effect without temperatures.
static bool is_decoration(const PalAbaqusKeyword *keyword)
{
    static const char *const names[] = {"OUTPUT",
                                        "NODE OUTPUT",
                                        "ELEMENT OUTPUT",
                                        "ENERGY OUTPUT",
                                        "CONTACT OUTPUT",
                                        "RESTART",
                                        "NODE PRINT",
                                        "EL PRINT",
                                        "NODE FILE",
                                        "EL FILE",
                                        "ELEMENT FILE",
                                        "ENERGY PRINT",
                                        "FILE FORMAT",
                                        "MONITOR",
                                        "FILE OUTPUT",
                                        "PRINT",
                                        "CONTACT PRINT",
                                        "CONTACT FILE",
                                        "SECTION PRINT",
                                        "SECTION FILE",
                                        "FACE PRINT",
                                        "TIME POINTS",
                                        "CONTROLS",
                                        "CONTACT CONTROLS",
                                        "INTEGRATED OUTPUT",
                                        "INCREMENTATION OUTPUT",
                                        "RADIATION OUTPUT",
                                        "SURFACE OUTPUT",
                                        "MODAL FILE",
                                        "MODAL OUTPUT",
                                        "MODAL PRINT",
                                        "DIAGNOSTICS",
                                        "SOLVER CONTROLS",
                                        "EXPANSION",
                                        "CONDUCTIVITY",
                                        "SPECIFIC HEAT",
                                        "PHYSICAL CONSTANTS",
                                        "ORIENTATION"};
    return IS_AMONG(keyword, names);
}

static void note_decoration(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword)
{
    char name[64];
    snprintf(name, sizeof name, "*%s", pal_token_quote(keyword->word).text);
    size_t used = strlen(abaqus->decoration);
    if (abaqus->decoration_line == 0)
        abaqus->decoration_line = keyword->line;
    if (strstr(abaqus->decoration, name) == NULL &&
        used + strlen(name) + 3 < sizeof abaqus->decoration)
        snprintf(abaqus->decoration + used, sizeof abaqus->decoration - used, "%s%s",
                 used > 0 ? ", " : "", name);
}

PalStatus pal_abaqus_skip(PalAbaqus *abaqus)
{
    PalToken line;
    while (pal_abaqus_data(abaqus, &line)) {
    }
    return PAL_OK;
}

// Elements that are no solids have a stiffness or a mass that would be missing.
static PalStatus check_elements(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword)
{
    PalToken type = pal_abaqus_parameter(keyword, "TYPE");
    bool solid = type.size > 3 && pal_token_is_like((PalToken){type.text, 3}, "C3D");
    bool bare = type.size > 5 && pal_token_is_like((PalToken){type.text, 5}, "SFM3D");
    if (!solid && !bare)
        PAL_TRY(pal_foreign_lose(abaqus->model, keyword->line,
                                 "elements of type %s are not carried over, expected solids (C3D4, "
                                 "C3D8)",
                                 pal_token_quote(type).text));
    return pal_abaqus_skip(abaqus);
}

static PalStatus read_section(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword)
{
    PalForeign *model = abaqus->model;
    PalForeignSection section = {.line = keyword->line, .material = PAL_NONE};
    PalToken set = pal_abaqus_parameter(keyword, "ELSET");
    PalToken material = pal_abaqus_parameter(keyword, "MATERIAL");
    if (set.size == 0 || material.size == 0)
        return pal_foreign_fail(model, keyword->line, "*SOLID SECTION without ELSET= or MATERIAL=");
    // materials come later in the file: by name for now, below the number of any material
    section.group = pal_abaqus_name(abaqus, set);
    const char *name = pal_abaqus_name(abaqus, material);
    if (section.group == NULL || name == NULL)
        return pal_foreign_no_memory(model);
    for (int32_t i = 0; i < model->materials.count; ++i)
        if (pal_token_is_like((PalToken){name, strlen(name)}, model->materials.items[i].name))
            section.material = i;
    if (section.material == PAL_NONE) {
        PalForeignMaterial later = {.name = name, .line = keyword->line};
        if (!pal_array_push(&model->materials, later))
            return pal_foreign_no_memory(model);
        section.material = model->materials.count - 1;
    }
    if (!pal_array_push(&model->sections, section))
        return pal_foreign_no_memory(model);
    return pal_abaqus_skip(abaqus);
}

// A temperature has no effect where nothing heats.
static PalStatus read_initial(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword)
{
    PalToken type = pal_abaqus_parameter(keyword, "TYPE");
    if (pal_token_is_like(type, "TEMPERATURE"))
        note_decoration(abaqus, keyword);
    else
        PAL_TRY(pal_foreign_lose(abaqus->model, keyword->line,
                                 "*INITIAL CONDITIONS of type %s are not carried over, expected a "
                                 "start at rest",
                                 pal_token_quote(type).text));
    return pal_abaqus_skip(abaqus);
}

// What stands outside of materials.
static PalStatus read_outer(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword, bool *known)
{
    *known = true;
    if (pal_abaqus_is(keyword, "SOLID SECTION"))
        return read_section(abaqus, keyword);
    if (pal_abaqus_is(keyword, "ELEMENT"))
        return check_elements(abaqus, keyword);
    if (pal_abaqus_is(keyword, "INITIAL CONDITIONS"))
        return read_initial(abaqus, keyword);
    PAL_TRY(pal_abaqus_step(abaqus, keyword, known));
    if (!*known)
        PAL_TRY(pal_abaqus_contact(abaqus, keyword, known));
    return *known ? PAL_OK : pal_abaqus_condition(abaqus, keyword, known);
}

static PalStatus read_keyword(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword)
{
    bool known = false;
    if (is_passed(keyword))
        return pal_abaqus_skip(abaqus);
    if (is_decoration(keyword)) {
        note_decoration(abaqus, keyword);
        return pal_abaqus_skip(abaqus);
    }
    PAL_TRY(pal_abaqus_material(abaqus, keyword, &known));
    if (known)
        return PAL_OK;
    PAL_TRY(read_outer(abaqus, keyword, &known));
    if (known)
        return pal_abaqus_end_material(abaqus);
    // it may be of a material, which then goes on
    PAL_TRY(pal_foreign_lose(abaqus->model, keyword->line, "*%s is not carried over",
                             pal_token_quote(keyword->word).text));
    return pal_abaqus_skip(abaqus);
}

// The next keyword: it ends at the first comma; one at the end of a line continues it in the next.
static bool next_keyword(PalAbaqus *abaqus, PalAbaqusKeyword *keyword)
{
    PalToken line;
    while (next_line(abaqus, true, &line)) {
        if (line.text[0] != '*')
            continue;
        *keyword = (PalAbaqusKeyword){.line = abaqus->data_line};
        while (line.text[line.size - 1] == ',') {
            PalToken more;
            if (!pal_abaqus_data(abaqus, &more))
                break;
            line.size = (size_t)(more.text + more.size - line.text);
        }
        keyword->rest = (PalToken){line.text + 1, line.size - 1};
        if (pal_abaqus_field(&keyword->rest, &keyword->word))
            return true;
    }
    return false;
}

static PalStatus read_keywords(PalAbaqus *abaqus)
{
    PalAbaqusKeyword keyword;
    while (next_keyword(abaqus, &keyword))
        if (pal_abaqus_is(&keyword, "RIGID BODY"))
            PAL_TRY(pal_abaqus_rigid(abaqus, &keyword));
    abaqus->at = abaqus->begin;
    abaqus->line = 1;
    while (next_keyword(abaqus, &keyword))
        PAL_TRY(read_keyword(abaqus, &keyword));
    PAL_TRY(pal_abaqus_end_material(abaqus));
    char what[sizeof abaqus->decoration + 64];
    snprintf(what, sizeof what, "what does not change the answer is left out: %s",
             abaqus->decoration);
    if (abaqus->decoration_line > 0)
        pal_notes_tell(&abaqus->model->notes, abaqus->decoration_line, what);
    return PAL_OK;
}

// ---- groups by their names --------------------------------------------------------------------

static PalStatus finish_sections(PalAbaqus *abaqus)
{
    PalForeign *model = abaqus->model;
    for (int32_t i = 0; i < model->sections.count; ++i) {
        PalForeignSection *section = &model->sections.items[i];
        PalToken name = {section->group, strlen(section->group)};
        PAL_TRY(pal_abaqus_find(abaqus, section->line, name, " elements", &section->group));
        if (model->materials.items[section->material].law == NULL)
            return pal_foreign_fail(
                model, section->line,
                "the material %s has no elasticity, expected *MATERIAL with "
                "*ELASTIC or *HYPERELASTIC",
                pal_quoted(model->materials.items[section->material].name).text);
    }
    return PAL_OK;
}

static void clear(PalAbaqus *abaqus)
{
    pal_id_map_clear(&abaqus->node_ids);
    pal_id_map_clear(&abaqus->element_ids);
    pal_array_clear(&abaqus->element_cells);
    pal_array_clear(&abaqus->steps);
    for (int32_t i = 0; i < abaqus->loads.count; ++i)
        pal_array_clear(&abaqus->loads.items[i].changes);
    pal_array_clear(&abaqus->loads);
    pal_array_clear(&abaqus->interactions);
    pal_array_clear(&abaqus->pairs);
    pal_array_clear(&abaqus->rigids);
    pal_array_clear(&abaqus->pending_nodes);
    pal_array_clear(&abaqus->pending_faces);
}

static PalStatus read_text(PalForeign *model, PalCursor *cursor)
{
    PalAbaqus abaqus = {.model = model,
                        .begin = cursor->at,
                        .at = cursor->at,
                        .end = cursor->end,
                        .line = 1,
                        .material = PAL_NONE};
    PalRawMesh raw = {.sets_apart = true,
                      .node_ids = &abaqus.node_ids,
                      .element_ids = &abaqus.element_ids,
                      .element_cells = &abaqus.element_cells};
    PalStatus status = pal_read_inp(cursor, &raw);
    if (status == PAL_OK)
        status = pal_raw_finish(&raw, cursor, PAL_WANT_SOLID, &model->mesh);
    pal_raw_clear(&raw);
    model->mesh_line = 1;
    if (status == PAL_OK)
        status = read_keywords(&abaqus);
    if (status == PAL_OK)
        status = finish_sections(&abaqus);
    if (status == PAL_OK)
        status = pal_abaqus_finish_loads(&abaqus);
    if (status == PAL_OK)
        status = pal_abaqus_finish_contact(&abaqus);
    clear(&abaqus);
    return status;
}

static PalStatus read_file(PalToken text, const char *stem, PalTree *tree, PalSceneImport *import,
                           PalError *error)
{
    PalForeign model = {.tree = tree,
                        .program = pal_importer_abaqus.program,
                        .notes = pal_import_notes(import, tree->path, error)};
    PalCursor cursor = {.path = tree->path,
                        .begin = text.text,
                        .at = text.text,
                        .end = text.text + text.size,
                        .first_line = 1,
                        .error = error};
    PalInpJoined joined;
    PalStatus status = pal_inp_join(&cursor, &joined);
    model.notes.sources = cursor.sources;
    if (status == PAL_OK)
        status = read_text(&model, &cursor);
    status = pal_foreign_finish(&model, status, stem, import);
    pal_inp_joined_clear(&joined);
    return status;
}

const PalImporter pal_importer_abaqus = {
    .program = "Abaqus", .extension = ".inp", .read = read_file};
