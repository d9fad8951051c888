// Abaqus models (.inp) of solids. docs/formats-abaqus.md
#include "scene/foreign/abaqus.h"

#include <math.h>
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
    return pal_token_is_like(keyword->word, name);
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

// ---- keywords ---------------------------------------------------------------------------------

// Those of the mesh, which is read by the reader of meshes, and those that say what to print.
static bool is_passed(const PalAbaqusKeyword *keyword)
{
    static const char *const names[] = {
        "HEADING",        "PREPRINT",      "PART",           "END PART",     "ASSEMBLY",
        "END ASSEMBLY",   "INSTANCE",      "END INSTANCE",   "NODE",         "ELEMENT",
        "NSET",           "ELSET",         "SURFACE",        "OUTPUT",       "NODE OUTPUT",
        "ELEMENT OUTPUT", "ENERGY OUTPUT", "CONTACT OUTPUT", "RESTART",      "NODE PRINT",
        "EL PRINT",       "NODE FILE",     "EL FILE",        "ENERGY PRINT", "FILE FORMAT",
        "MONITOR",        "END STEP",      "FILE OUTPUT",    "PRINT"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (pal_abaqus_is(keyword, names[i]))
            return true;
    return false;
}

static PalStatus skip_data(PalAbaqus *abaqus)
{
    PalToken line;
    while (pal_abaqus_data(abaqus, &line)) {
    }
    return PAL_OK;
}

static PalStatus read_step(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword)
{
    PalForeign *model = abaqus->model;
    if (++abaqus->step_count > 1)
        return pal_foreign_fail(model, keyword->line,
                                "a second *STEP, expected one; make a model of each");
    PalToken nonlinear = pal_abaqus_parameter(keyword, "NLGEOM");
    bool no = pal_token_is_like(nonlinear, "NO");
    if (nonlinear.text == NULL || no)
        pal_foreign_warn(model, keyword->line,
                         "a step without NLGEOM is linear in Abaqus; large deformation is computed "
                         "here");
    model->step_line = keyword->line;
    model->time = 1;
    return skip_data(abaqus);
}

// First increment, duration, ...
static PalStatus read_procedure(PalAbaqus *abaqus, bool dynamic)
{
    double values[8] = {0};
    int32_t count;
    abaqus->model->dynamic = dynamic;
    PAL_TRY(pal_abaqus_numbers(abaqus, values, 8, &count));
    if (count > 1 && values[1] > 0)
        abaqus->model->time = values[1];
    else if (dynamic)
        return pal_foreign_fail(abaqus->model, abaqus->data_line,
                                "a dynamic step without its duration, expected one");
    return PAL_OK;
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
        if (pal_token_is_like(material, model->materials.items[i].name))
            section.material = i;
    if (section.material == PAL_NONE) {
        PalForeignMaterial later = {.name = name, .line = keyword->line};
        if (!pal_array_push(&model->materials, later))
            return pal_foreign_no_memory(model);
        section.material = model->materials.count - 1;
    }
    if (!pal_array_push(&model->sections, section))
        return pal_foreign_no_memory(model);
    return skip_data(abaqus);
}

// What stands outside of materials.
static PalStatus read_outer(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword, bool *known)
{
    *known = true;
    if (pal_abaqus_is(keyword, "SOLID SECTION"))
        return read_section(abaqus, keyword);
    if (pal_abaqus_is(keyword, "STEP"))
        return read_step(abaqus, keyword);
    if (pal_abaqus_is(keyword, "STATIC"))
        return read_procedure(abaqus, false);
    if (pal_abaqus_is(keyword, "DYNAMIC"))
        return read_procedure(abaqus, true);
    return pal_abaqus_condition(abaqus, keyword, known);
}

static PalStatus read_keyword(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword)
{
    bool known = false;
    if (is_passed(keyword))
        return skip_data(abaqus);
    PAL_TRY(pal_abaqus_material(abaqus, keyword, &known));
    if (known)
        return PAL_OK;
    PAL_TRY(read_outer(abaqus, keyword, &known));
    if (known)
        return pal_abaqus_end_material(abaqus);
    // it may be of a material, which then goes on
    pal_foreign_warn(abaqus->model, keyword->line, "*%s is not carried over",
                     pal_token_quote(keyword->word).text);
    return skip_data(abaqus);
}

// A keyword ends at the first comma; one at the end of a line continues it in the next.
static PalStatus read_keywords(PalAbaqus *abaqus)
{
    PalToken line;
    while (next_line(abaqus, true, &line)) {
        if (line.text[0] != '*')
            continue;
        PalAbaqusKeyword keyword = {.line = abaqus->data_line};
        while (line.text[line.size - 1] == ',') {
            PalToken more;
            if (!pal_abaqus_data(abaqus, &more))
                break;
            line.size = (size_t)(more.text + more.size - line.text);
        }
        keyword.rest = (PalToken){line.text + 1, line.size - 1};
        if (!pal_abaqus_field(&keyword.rest, &keyword.word))
            continue;
        PAL_TRY(read_keyword(abaqus, &keyword));
    }
    return pal_abaqus_end_material(abaqus);
}

// ---- groups by their names --------------------------------------------------------------------

// Elements of a set whose name a set of nodes has too are called apart by the reader.
static PalStatus find_elements(PalForeign *model, const PalForeignSection *section,
                               const char **group)
{
    size_t size = strlen(section->group) + sizeof " elements";
    char *name = pal_tree_alloc(model->tree, size, 1);
    if (name == NULL)
        return pal_foreign_no_memory(model);
    strcpy(name, section->group);
    strcat(name, " elements");
    PalToken apart = {name, strlen(name)};
    for (int32_t g = 0; g < model->mesh->group_count; ++g)
        if (pal_token_is_like(apart, model->mesh->groups[g].name))
            return pal_foreign_group(model, section->line, name, true, group);
    return pal_foreign_group(model, section->line, section->group, true, group);
}

static PalStatus finish_sections(PalForeign *model)
{
    for (int32_t i = 0; i < model->sections.count; ++i) {
        PalForeignSection *section = &model->sections.items[i];
        PAL_TRY(find_elements(model, section, &section->group));
        if (model->materials.items[section->material].law == NULL)
            return pal_foreign_fail(
                model, section->line,
                "the material %s has no elasticity, expected *MATERIAL with "
                "*ELASTIC or *HYPERELASTIC",
                pal_quoted(model->materials.items[section->material].name).text);
    }
    return PAL_OK;
}

static PalStatus read_model(PalForeign *model, const char *text, size_t size)
{
    PalCursor cursor = {.path = model->notes.path,
                        .begin = text,
                        .at = text,
                        .end = text + size,
                        .first_line = 1,
                        .error = model->notes.error};
    PalAbaqus abaqus = {
        .model = model, .at = text, .end = text + size, .line = 1, .material = PAL_NONE};
    PalRawMesh raw = {.sets_apart = true, .node_ids = &abaqus.node_ids};
    PalStatus status = pal_read_inp(&cursor, &raw);
    if (status == PAL_OK)
        status = pal_raw_finish(&raw, &cursor, PAL_WANT_SOLID, &model->mesh);
    pal_raw_clear(&raw);
    model->mesh_line = 1;
    if (status == PAL_OK)
        status = read_keywords(&abaqus);
    if (status == PAL_OK)
        status = finish_sections(model);
    pal_id_map_clear(&abaqus.node_ids);
    pal_array_clear(&abaqus.pending_nodes);
    return status;
}

static PalStatus read_file(PalToken text, const char *stem, PalTree *tree, PalSceneImport *import,
                           PalError *error)
{
    PalForeign model = {.tree = tree,
                        .program = pal_importer_abaqus.program,
                        .notes = {tree->path, &import->warnings, error}};
    PalStatus status = read_model(&model, text.text, text.size);
    return pal_foreign_finish(&model, status, stem, import);
}

const PalImporter pal_importer_abaqus = {
    .program = "Abaqus", .extension = ".inp", .read = read_file};
