// Abaqus and CalculiX input: nodes, elements and sets of one part. All other keywords are passed
// over.
#include "mesh/readers/inp.h"

#include <math.h>
#include <string.h>

bool pal_inp_line(PalInp *inp, bool keyword, PalToken *line)
{
    PalCursor *cursor = inp->cursor;
    for (;;) {
        pal_cursor_skip_blanks(cursor);
        if (cursor->at == cursor->end)
            return false;
        bool comment = *cursor->at == '*' && cursor->at + 1 < cursor->end && cursor->at[1] == '*';
        if (*cursor->at == '*' && !comment && !keyword)
            return false;
        *line = pal_token_trim(pal_cursor_line(cursor));
        if (!comment)
            return true;
    }
}

// The value of a parameter of a keyword line: empty if it has none, no text if it is not there.
static PalToken parameter(PalToken line, const char *name)
{
    PalToken field;
    pal_inp_field(&line, &field);
    while (pal_inp_field(&line, &field)) {
        size_t size = 0;
        while (size < field.size && field.text[size] != '=')
            ++size;
        if (!pal_token_is_like(pal_token_trim((PalToken){field.text, size}), name))
            continue;
        size_t used = size < field.size ? size + 1 : size;
        return pal_token_trim((PalToken){field.text + used, field.size - used});
    }
    return (PalToken){NULL, 0};
}

// Whether the keyword is these words, whatever the spaces between them.
static bool is_keyword(PalToken word, const char *text)
{
    size_t i = 0;
    for (; *text != '\0'; ++text) {
        if (*text == ' ') {
            if (i == word.size || !pal_is_blank(word.text[i]))
                return false;
            while (i < word.size && pal_is_blank(word.text[i]))
                ++i;
            continue;
        }
        if (i == word.size || !pal_token_is_like((PalToken){word.text + i, 1}, (char[]){*text, 0}))
            return false;
        ++i;
    }
    return i == word.size;
}

// Data of nodes and elements that belong to the assembly, not to the part: reference points.
static bool is_outside(const PalInp *inp)
{
    return inp->in_assembly && !inp->in_instance;
}

static PalStatus read_node(PalInp *inp, PalToken line)
{
    PalCursor cursor = *inp->cursor;
    cursor.at = line.text;
    cursor.end = line.text + line.size;
    double x[3] = {0, 0, 0};
    int64_t id;
    PAL_TRY(pal_cursor_int(&cursor, &id, "the number of a node"));
    for (int32_t i = 0; i < 3; ++i) {
        pal_cursor_skip_spaces(&cursor);
        if (cursor.at < cursor.end && *cursor.at == ',')
            ++cursor.at;
        pal_cursor_skip_spaces(&cursor);
        if (cursor.at == cursor.end)
            break;
        if (*cursor.at != ',')
            PAL_TRY(pal_cursor_double(&cursor, &x[i], "a coordinate"));
    }
    PAL_TRY(pal_id_map_add(&inp->node_ids, inp->cursor, id, line.text));
    return pal_raw_add_node(inp->raw, inp->cursor, line.text, (PalVec3){x[0], x[1], x[2]});
}

static PalStatus read_nodes(PalInp *inp, PalToken keyword)
{
    if (is_outside(inp))
        return PAL_OK;
    PalToken system = parameter(keyword, "SYSTEM");
    if (system.size > 0 && !pal_token_is_like(system, "R"))
        return pal_cursor_fail(inp->cursor, system.text,
                               "SYSTEM=%s, expected rectangular coordinates",
                               pal_token_quote(system).text);
    PalInpEntry entry = {.nested = PAL_NONE, .indices = true, .first = inp->raw->nodes.count};
    PalToken line;
    while (pal_inp_line(inp, false, &line))
        PAL_TRY(read_node(inp, line));
    PalToken set = parameter(keyword, "NSET");
    if (set.size == 0)
        return PAL_OK;
    entry.last = (int64_t)inp->raw->nodes.count - 1;
    PAL_TRY(pal_inp_set(inp, &inp->node_sets, set, &entry.set));
    return pal_inp_add_entry(inp, &inp->node_sets, entry);
}

typedef struct Type {
    PalRawKind kind;
    int32_t node_count;  // 0: not known
    int32_t dimension;   // 0: neither faces nor solids
    bool high_order;
} Type;

// C3D4, C3D8R, S3, CPS4R, ...: a family, the number of nodes, variants.
static Type find_type(PalToken name)
{
    static const struct {
        const char *family;
        int32_t dimension;
    } families[] = {
        {"C3D", 3}, {"DC3D", 3}, {"DCC3D", 3}, {"AC3D", 3}, {"EMC3D", 3}, {"F3D", 3},   {"SC", 3},
        {"CSS", 3}, {"S", 2},    {"STRI", 2},  {"DS", 2},   {"M3D", 2},   {"SFM3D", 2}, {"R3D", 2},
        {"CPS", 2}, {"CPE", 2},  {"CPEG", 2},  {"CAX", 2},  {"DC2D", 2},  {"AC2D", 2},  {"DCAX", 2},
    };
    Type type = {.kind = PAL_RAW_OTHER};
    for (size_t i = 0; i < sizeof families / sizeof *families; ++i) {
        size_t size = strlen(families[i].family);
        const char *end = name.text + name.size;
        int64_t count;
        if (name.size <= size ||
            !pal_token_is_like((PalToken){name.text, size}, families[i].family))
            continue;
        const char *digits = name.text + size;
        if (*digits < '0' || *digits > '9' || pal_parse_int(digits, end, &count) == NULL)
            continue;
        if (count == 65)  // STRI65: six nodes of five freedoms
            count = 6;
        type.dimension = families[i].dimension;
        type.node_count = count > 0 && count <= 32 ? (int32_t)count : 0;
    }
    if (type.dimension == 3 && type.node_count == 4)
        type.kind = PAL_RAW_TETRAHEDRON;
    else if (type.dimension == 3 && type.node_count == 8)
        type.kind = PAL_RAW_HEXAHEDRON;
    else if (type.dimension == 3 && type.node_count == 10)
        type.kind = PAL_RAW_QUADRATIC_TETRAHEDRON;
    else if (type.dimension == 2 && type.node_count == 3)
        type.kind = PAL_RAW_TRIANGLE;
    else if (type.dimension == 2 && type.node_count == 4)
        type.kind = PAL_RAW_QUAD;
    type.high_order = type.dimension == 3 ? type.node_count > 8 : type.node_count > 4;
    return type;
}

// Moves on to the next number of a block; false at a keyword or the end of the file.
static bool find_number(PalCursor *cursor)
{
    for (;;) {
        while (cursor->at < cursor->end && (pal_is_blank(*cursor->at) || *cursor->at == ','))
            ++cursor->at;
        if (cursor->at == cursor->end)
            return false;
        if (*cursor->at != '*')
            return true;
        if (cursor->at + 1 == cursor->end || cursor->at[1] != '*')
            return false;
        pal_cursor_line(cursor);
    }
}

// Elements may go on in the next line.
static PalStatus read_known_elements(PalInp *inp, Type type)
{
    PalCursor *cursor = inp->cursor;
    while (find_number(cursor)) {
        PalInpElement element = {
            .kind = type.kind, .first = inp->corner_ids.count, .where = cursor->at};
        int64_t id;
        PAL_TRY(pal_cursor_int(cursor, &id, "the number of an element"));
        if (!pal_array_reserve(&inp->corner_ids, type.node_count))
            return pal_cursor_no_memory(cursor);
        for (int32_t a = 0; a < type.node_count; ++a) {
            if (!find_number(cursor))
                return pal_cursor_fail(cursor, element.where,
                                       "element %lld has %d nodes, expected %d", (long long)id, a,
                                       type.node_count);
            int64_t *corner = &inp->corner_ids.items[element.first + a];
            PAL_TRY(pal_cursor_int(cursor, corner, "a node of an element"));
        }
        if (type.kind != PAL_RAW_OTHER)
            inp->corner_ids.count += type.node_count;
        pal_cursor_skip_spaces(cursor);
        if (cursor->at < cursor->end && *cursor->at == ',')
            ++cursor->at;
        if (!pal_cursor_at_line_end(cursor))
            return pal_cursor_fail(cursor, cursor->at,
                                   "element %lld goes on after its %d nodes, expected the end of "
                                   "the line",
                                   (long long)id, type.node_count);
        PAL_TRY(pal_id_map_add(&inp->element_ids, cursor, id, element.where));
        if (!pal_array_push(&inp->elements, element))
            return pal_cursor_no_memory(cursor);
    }
    return PAL_OK;
}

// Springs, masses and the like: only their numbers, for the sets. A comma at the end of a line
// continues it.
static PalStatus read_other_elements(PalInp *inp)
{
    PalToken line, field;
    bool continued = false;
    while (pal_inp_line(inp, false, &line)) {
        bool goes_on = line.text[line.size - 1] == ',';
        PalInpElement element = {.kind = PAL_RAW_OTHER, .where = line.text};
        if (!continued) {
            int64_t id;
            pal_inp_field(&line, &field);
            const char *end = field.text + field.size;
            if (pal_parse_int(field.text, end, &id) != end)
                return pal_cursor_fail(inp->cursor, field.text,
                                       "'%s' is not a whole number, expected the number of an "
                                       "element",
                                       pal_token_quote(field).text);
            PAL_TRY(pal_id_map_add(&inp->element_ids, inp->cursor, id, element.where));
            if (!pal_array_push(&inp->elements, element))
                return pal_cursor_no_memory(inp->cursor);
        }
        continued = goes_on;
    }
    return PAL_OK;
}

static PalStatus read_elements(PalInp *inp, PalToken keyword)
{
    if (is_outside(inp))
        return PAL_OK;
    PalToken name = parameter(keyword, "TYPE");
    if (name.size == 0)
        return pal_cursor_fail(inp->cursor, keyword.text,
                               "*ELEMENT without a type, expected TYPE=");
    PalInpEntry entry = {.nested = PAL_NONE, .indices = true, .first = inp->elements.count};
    Type type = find_type(name);
    if (type.kind == PAL_RAW_OTHER && type.dimension > 0)
        pal_raw_note_unfit(inp->raw, inp->cursor, name.text, type.dimension, type.high_order,
                           pal_token_quote(name).text);
    if (type.node_count > 0)
        PAL_TRY(read_known_elements(inp, type));
    else
        PAL_TRY(read_other_elements(inp));
    PalToken set = parameter(keyword, "ELSET");
    if (set.size == 0)
        return PAL_OK;
    entry.last = (int64_t)inp->elements.count - 1;
    PAL_TRY(pal_inp_set(inp, &inp->element_sets, set, &entry.set));
    return pal_inp_add_entry(inp, &inp->element_sets, entry);
}

static PalStatus read_set(PalInp *inp, PalToken keyword, PalInpSets *sets)
{
    if (is_outside(inp) && parameter(keyword, "INSTANCE").text == NULL)
        return PAL_OK;
    PalToken name = parameter(keyword, sets->of_elements ? "ELSET" : "NSET");
    if (name.size == 0)
        return pal_cursor_fail(inp->cursor, keyword.text, "a set without a name, expected %s=",
                               sets->of_elements ? "ELSET" : "NSET");
    int32_t set;
    PAL_TRY(pal_inp_set(inp, sets, name, &set));
    return pal_inp_read_set(inp, sets, set, parameter(keyword, "GENERATE").text != NULL);
}

static PalStatus read_surface(PalInp *inp, PalToken keyword)
{
    PalToken name = parameter(keyword, "NAME"), type = parameter(keyword, "TYPE");
    bool of_nodes = pal_token_is_like(type, "NODE");
    if (name.size == 0 || (type.size > 0 && !of_nodes && !pal_token_is_like(type, "ELEMENT")))
        return PAL_OK;
    return pal_inp_read_surface(inp, name, of_nodes);
}

// Up to three numbers that move the instance, then up to seven that turn it.
static PalStatus read_instance(PalInp *inp, PalToken keyword)
{
    inp->in_instance = true;
    if (++inp->instance_count > 1)
        return pal_cursor_fail(inp->cursor, keyword.text,
                               "a second *INSTANCE, expected one; write each to a file of its own");
    double move[3] = {0};
    PalToken line, field;
    for (int32_t row = 0; row < 2 && pal_inp_line(inp, false, &line); ++row) {
        double *values = row == 0 ? move : inp->turn;
        int32_t most = row == 0 ? 3 : 7;
        for (int32_t i = 0; i < most && pal_inp_field(&line, &field); ++i) {
            const char *end = field.text + field.size;
            if (field.size > 0 &&
                (pal_parse_double(field.text, end, &values[i]) != end || !isfinite(values[i])))
                return pal_cursor_fail(
                    inp->cursor, field.text,
                    "'%s' is not a number, expected the translation or rotation of the instance",
                    pal_token_quote(field).text);
        }
    }
    inp->move = (PalVec3){move[0], move[1], move[2]};
    return PAL_OK;
}

static PalStatus read_part(PalInp *inp, PalToken keyword)
{
    if (++inp->part_count > 1)
        return pal_cursor_fail(inp->cursor, keyword.text,
                               "a second *PART, expected one; write each to a file of its own");
    return PAL_OK;
}

// Keywords that would change the mesh in ways that are not read.
static PalStatus refuse_generators(PalInp *inp, PalToken word)
{
    static const char *const names[] = {"*NGEN",  "*NFILL",  "*NCOPY", "*NMAP",
                                        "*ELGEN", "*ELCOPY", "*SYSTEM"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (is_keyword(word, names[i]))
            return pal_cursor_fail(inp->cursor, word.text,
                                   "%s is not read, expected all nodes and elements written out",
                                   names[i]);
    return PAL_OK;
}

// A model is more than its mesh.
static void note_skipped(PalInp *inp, PalToken word)
{
    static const char *const harmless[] = {"*HEADING",  "*PREPRINT",     "*ASSEMBLY",
                                           "*END PART", "*END ASSEMBLY", "*END INSTANCE"};
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; ++i)
        if (is_keyword(word, harmless[i]))
            return;
    pal_raw_skip(inp->raw, "the keyword", word);
}

static PalStatus read_keyword(PalInp *inp, PalToken line)
{
    // a comma at the end continues the keyword in the next line
    while (line.text[line.size - 1] == ',') {
        PalToken more;
        if (!pal_inp_line(inp, false, &more))
            break;
        line.size = (size_t)(more.text + more.size - line.text);
    }
    PalToken rest = line, word;
    pal_inp_field(&rest, &word);
    if (is_keyword(word, "*NODE"))
        return read_nodes(inp, line);
    if (is_keyword(word, "*ELEMENT"))
        return read_elements(inp, line);
    if (is_keyword(word, "*NSET"))
        return read_set(inp, line, &inp->node_sets);
    if (is_keyword(word, "*ELSET"))
        return read_set(inp, line, &inp->element_sets);
    if (is_keyword(word, "*SURFACE"))
        return read_surface(inp, line);
    if (is_keyword(word, "*PART"))
        return read_part(inp, line);
    if (is_keyword(word, "*INSTANCE"))
        return read_instance(inp, line);
    if (is_keyword(word, "*ASSEMBLY"))
        inp->in_assembly = true;
    if (is_keyword(word, "*END ASSEMBLY"))
        inp->in_assembly = false;
    if (is_keyword(word, "*END INSTANCE"))
        inp->in_instance = false;
    note_skipped(inp, word);
    return refuse_generators(inp, word);
}

static void place_instance(PalInp *inp)
{
    const double *t = inp->turn;
    PalVec3 axis = {t[3] - t[0], t[4] - t[1], t[5] - t[2]};
    bool turned = t[6] != 0 && (axis.x != 0 || axis.y != 0 || axis.z != 0);
    PalMat3 rotation =
        pal_rotation_about(turned ? axis : (PalVec3){0, 0, 1}, turned ? t[6] * acos(-1) / 180 : 0);
    for (int32_t n = 0; n < inp->raw->nodes.count; ++n) {
        PalVec3 *x = &inp->raw->nodes.items[n];
        *x = (PalVec3){x->x + inp->move.x, x->y + inp->move.y, x->z + inp->move.z};
        if (!turned)
            continue;
        const double from[3] = {x->x - t[0], x->y - t[1], x->z - t[2]};
        double to[3];
        for (int32_t i = 0; i < 3; ++i)
            to[i] = t[i] + rotation.m[i][0] * from[0] + rotation.m[i][1] * from[1] +
                    rotation.m[i][2] * from[2];
        *x = (PalVec3){to[0], to[1], to[2]};
    }
}

static PalStatus resolve_elements(PalInp *inp)
{
    for (int32_t e = 0; e < inp->elements.count; ++e) {
        PalInpElement *element = &inp->elements.items[e];
        if (element->kind == PAL_RAW_OTHER)
            continue;
        int32_t corners[10];
        for (int32_t a = 0; a < pal_raw_corner_count(element->kind); ++a) {
            int64_t id = inp->corner_ids.items[element->first + a];
            corners[a] = pal_id_map_find(&inp->node_ids, id);
            if (corners[a] == PAL_NONE)
                return pal_cursor_fail(inp->cursor, element->where,
                                       "an element has the node %lld, expected one that *NODE "
                                       "defines",
                                       (long long)id);
        }
        element->cell = pal_raw_cell_count(inp->raw, element->kind);
        PAL_TRY(pal_raw_add_cell(inp->raw, inp->cursor, element->kind, corners));
    }
    return PAL_OK;
}

static PalStatus read_all(PalInp *inp)
{
    PalToken line;
    while (pal_inp_line(inp, true, &line)) {
        if (line.text[0] == '*')
            PAL_TRY(read_keyword(inp, line));
        else if (!inp->has_keyword)
            return pal_cursor_fail(inp->cursor, line.text, "'%s', expected a keyword such as *NODE",
                                   pal_token_quote(line).text);
        inp->has_keyword = true;
    }
    PAL_TRY(pal_id_map_build(&inp->node_ids, inp->cursor, "node"));
    PAL_TRY(pal_id_map_build(&inp->element_ids, inp->cursor, "element"));
    PAL_TRY(resolve_elements(inp));
    if (inp->instance_count > 0)
        place_instance(inp);
    PAL_TRY(pal_inp_finish_sets(inp));
    return pal_inp_finish_surfaces(inp);
}

static PalStatus hand_over_cells(const PalInp *inp, PalInts *cells)
{
    if (!pal_array_reserve(cells, inp->elements.count))
        return pal_cursor_no_memory(inp->cursor);
    for (int32_t e = 0; e < inp->elements.count; ++e) {
        const PalInpElement *element = &inp->elements.items[e];
        bool solid = element->kind >= PAL_RAW_TETRAHEDRON && element->kind < PAL_RAW_OTHER;
        cells->items[cells->count++] = solid ? element->cell : PAL_NONE;
    }
    return PAL_OK;
}

PalStatus pal_read_inp(PalCursor *cursor, PalRawMesh *raw)
{
    PalInp inp = {.cursor = cursor, .raw = raw, .element_sets = {.of_elements = true}};
    PalStatus status = read_all(&inp);
    if (raw->node_ids != NULL)
        *raw->node_ids = inp.node_ids;
    else
        pal_id_map_clear(&inp.node_ids);
    if (status == PAL_OK && raw->element_cells != NULL)
        status = hand_over_cells(&inp, raw->element_cells);
    if (raw->element_ids != NULL)
        *raw->element_ids = inp.element_ids;
    else
        pal_id_map_clear(&inp.element_ids);
    pal_array_clear(&inp.elements);
    pal_array_clear(&inp.corner_ids);
    pal_inp_clear_sets(&inp.node_sets);
    pal_inp_clear_sets(&inp.element_sets);
    pal_inp_clear_sets(&inp.surfaces);
    pal_array_clear(&inp.faces);
    return status;
}
