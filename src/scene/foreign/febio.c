// FEBio models (.feb) of solids. docs/formats-febio.md
#include "scene/foreign/febio.h"

#include <math.h>
#include <string.h>

// ---- words and numbers ------------------------------------------------------------------------

PalStatus pal_febio_numbers(PalFebio *febio, const PalXmlNode *node, double *values, int32_t most,
                            int32_t *count)
{
    const char *at = node->text, *end = at + strlen(at);
    *count = 0;
    for (;;) {
        while (at < end && (pal_is_blank(*at) || *at == ','))
            ++at;
        if (at == end)
            return PAL_OK;
        double value;
        const char *after = pal_parse_double(at, end, &value);
        bool whole = after != NULL && (after == end || pal_is_blank(*after) || *after == ',');
        if (!whole || !isfinite(value))
            return pal_foreign_fail(febio->model, node->line, "%s in <%s>, expected numbers",
                                    pal_quoted(at).text, node->name);
        if (*count == most)
            return pal_foreign_fail(febio->model, node->line,
                                    "more than %d numbers in <%s>, expected no more", (int)most,
                                    node->name);
        values[(*count)++] = value;
        at = after;
    }
}

PalStatus pal_febio_number(PalFebio *febio, const PalXmlNode *node, double *value)
{
    int32_t count;
    PAL_TRY(pal_febio_numbers(febio, node, value, 1, &count));
    if (count == 1)
        return PAL_OK;
    return pal_foreign_fail(febio->model, node->line, "<%s> is empty, expected a number",
                            node->name);
}

PalStatus pal_febio_child_number(PalFebio *febio, const PalXmlNode *parent, const char *name,
                                 double *value)
{
    const PalXmlNode *child = pal_xml_child(parent, name);
    return child == NULL ? PAL_OK : pal_febio_number(febio, child, value);
}

bool pal_febio_text_is(const char *text, const char *word)
{
    return pal_token_is_like(pal_token_trim((PalToken){text, strlen(text)}), word);
}

PalXmlNode *pal_febio_each(const PalXmlNode *parent, const PalXmlNode *child)
{
    PalXmlNode *next = child == NULL ? parent->first : child->next;
    if (next != NULL)
        next->used = true;
    return next;
}

// ---- curves -----------------------------------------------------------------------------------

static PalStatus read_points(PalFebio *febio, const PalXmlNode *list, PalForeignCurve *curve)
{
    for (PalXmlNode *point = list->first; point != NULL; point = point->next) {
        double pair[2];
        int32_t count;
        if (!pal_xml_named(point, "point") && !pal_xml_named(point, "pt") &&
            !pal_xml_named(point, "loadpoint"))
            continue;
        point->used = true;
        PAL_TRY(pal_febio_numbers(febio, point, pair, 2, &count));
        if (count != 2)
            return pal_foreign_fail(febio->model, point->line,
                                    "<%s> holds %d numbers, expected a time and a value",
                                    point->name, (int)count);
        if (!pal_array_push(&curve->points, pair[0]) || !pal_array_push(&curve->points, pair[1]))
            return pal_foreign_no_memory(febio->model);
    }
    return PAL_OK;
}

static PalStatus read_curve(PalFebio *febio, const PalXmlNode *node)
{
    PalForeign *model = febio->model;
    const char *id = pal_xml_attribute(node, "id"), *type = pal_xml_attribute(node, "type");
    const PalXmlNode *word = pal_xml_child(node, "interpolate");
    const char *shape = word != NULL ? word->text : type != NULL ? type : "linear";
    if (word == NULL && pal_febio_text_is(shape, "loadcurve"))
        shape = "linear";
    PalForeignCurve curve = {.name = id != NULL ? id : "", .line = node->line};
    if (!pal_febio_text_is(shape, "linear"))
        pal_foreign_warn(model, node->line,
                         "the curve %s is %s; it is taken as straight between its points",
                         pal_quoted(curve.name).text, pal_quoted(shape).text);
    // the list is at the end of the model's, so that it is cleared whatever happens
    if (!pal_array_push(&model->curves, curve))
        return pal_foreign_no_memory(model);
    PalForeignCurve *kept = &model->curves.items[model->curves.count - 1];
    for (PalXmlNode *child = node->first; child != NULL; child = child->next)
        if (pal_xml_named(child, "extend") && pal_febio_text_is(child->text, "constant"))
            child->used = true;  // as ours: the last value stays
    const PalXmlNode *points = pal_xml_child(node, "points");
    PAL_TRY(read_points(febio, points != NULL ? points : node, kept));
    if (kept->points.count > 0)
        return PAL_OK;
    return pal_foreign_fail(model, node->line, "the curve %s has no points, expected some",
                            pal_quoted(curve.name).text);
}

PalStatus pal_febio_read_curves(PalFebio *febio)
{
    const PalXmlNode *data = pal_xml_child(febio->root, "LoadData");
    for (PalXmlNode *node = data != NULL ? data->first : NULL; node != NULL; node = node->next) {
        const char *type = NULL;
        bool curve = pal_xml_named(node, "loadcurve");
        if (pal_xml_named(node, "load_controller")) {
            type = pal_xml_attribute(node, "type");
            curve = type == NULL || pal_febio_text_is(type, "loadcurve");
        }
        if (!curve)
            continue;
        node->used = true;
        PAL_TRY(read_curve(febio, node));
    }
    return PAL_OK;
}

// ---- the step ---------------------------------------------------------------------------------

static void mark_all(const PalXmlNode *node)
{
    for (PalXmlNode *child = node->first; child != NULL; child = child->next) {
        child->used = true;
        mark_all(child);
    }
}

// How the other program solves is its own affair.
static void pass_solving(const PalXmlNode *control)
{
    static const char *const passed[] = {"time_stepper",
                                         "solver",
                                         "max_refs",
                                         "max_ups",
                                         "dtol",
                                         "etol",
                                         "rtol",
                                         "lstol",
                                         "plot_level",
                                         "plot_range",
                                         "plot_stride",
                                         "output_level",
                                         "qn_method",
                                         "symmetric_stiffness",
                                         "reform_each_time_step",
                                         "diverge_reform",
                                         "min_residual",
                                         "max_residual",
                                         "optimize_bw",
                                         "restart",
                                         "print_level",
                                         "adaptor_re_solve",
                                         "plot_zero_state",
                                         "alpha",
                                         "beta",
                                         "gamma",
                                         "rhoi",
                                         "reform_augment",
                                         "cmax"};
    for (PalXmlNode *child = control->first; child != NULL; child = child->next)
        for (size_t i = 0; i < sizeof passed / sizeof *passed; ++i)
            if (pal_xml_named(child, passed[i])) {
                child->used = true;
                mark_all(child);
            }
}

PalStatus pal_febio_read_control(PalFebio *febio, const PalXmlNode *owner)
{
    PalForeign *model = febio->model;
    const PalXmlNode *control = pal_xml_child(owner, "Control");
    if (control == NULL)
        return PAL_OK;
    double steps = 1, size = 1;
    PAL_TRY(pal_febio_child_number(febio, control, "time_steps", &steps));
    PAL_TRY(pal_febio_child_number(febio, control, "step_size", &size));
    const PalXmlNode *analysis = pal_xml_child(control, "analysis");
    if (analysis != NULL) {
        const char *type = pal_xml_attribute(analysis, "type");
        const char *word = type != NULL ? type : analysis->text;
        model->dynamic = pal_febio_text_is(word, "dynamic") || pal_febio_text_is(word, "1");
        bool known = model->dynamic || pal_febio_text_is(word, "static") ||
                     pal_febio_text_is(word, "quasi-static") || pal_febio_text_is(word, "0") ||
                     pal_febio_text_is(word, "steady-state");
        if (!known)
            return pal_foreign_fail(model, analysis->line,
                                    "an analysis called %s, expected STATIC or DYNAMIC",
                                    pal_quoted(word).text);
    }
    model->step_line = control->line;
    model->time = steps * size;
    model->frame_count = steps >= 1 && steps <= 100000 ? (int32_t)steps : 0;
    pass_solving(control);
    return PAL_OK;
}

// The one step, if the model has steps: NULL if it has none.
static PalStatus find_step(PalFebio *febio, const PalXmlNode **step)
{
    const PalXmlNode *outer = pal_xml_child(febio->root, "Step");
    *step = outer;
    if (outer == NULL)
        return PAL_OK;
    const PalXmlNode *inner = pal_xml_child(outer, "step");
    const PalXmlNode *second = pal_xml_next(inner != NULL ? inner : outer);
    if (second != NULL)
        return pal_foreign_fail(febio->model, second->line,
                                "a second step, expected one; make a model of each");
    *step = inner != NULL ? inner : outer;
    return PAL_OK;
}

// Nothing that moves or loads tissue is in these.
static void pass_over(PalFebio *febio)
{
    static const char *const names[] = {"Module", "Globals", "Output", "Import"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        const PalXmlNode *node = pal_xml_child(febio->root, names[i]);
        if (node != NULL)
            mark_all(node);
    }
}

static PalQuote shown(const char *name)
{
    return pal_token_quote((PalToken){name, strlen(name)});
}

static void warn_of(PalFebio *febio, const PalXmlNode *node, const PalXmlNode *child)
{
    const char *type = pal_xml_attribute(child, "type");
    if (type != NULL)
        pal_foreign_warn(febio->model, child->line, "<%s> of type %s in <%s> is not carried over",
                         shown(child->name).text, pal_quoted(type).text, shown(node->name).text);
    else
        pal_foreign_warn(febio->model, child->line, "<%s> in <%s> is not carried over",
                         shown(child->name).text, shown(node->name).text);
}

static void warn_unused(PalFebio *febio, const PalXmlNode *node)
{
    for (const PalXmlNode *child = node->first; child != NULL; child = child->next) {
        if (child->used)
            warn_unused(febio, child);
        else
            warn_of(febio, node, child);
    }
}

static PalStatus check_root(PalFebio *febio)
{
    PalForeign *model = febio->model;
    if (!pal_xml_named(febio->root, "febio_spec"))
        return pal_foreign_fail(model, febio->root->line,
                                "<%s>, expected <febio_spec>, a FEBio model",
                                shown(febio->root->name).text);
    const char *version = pal_xml_attribute(febio->root, "version");
    double number = 0;
    if (version != NULL)
        pal_parse_double(version, version + strlen(version), &number);
    if (!(number >= 2.45 && number < 4.95))
        return pal_foreign_fail(model, febio->root->line,
                                "version %s of the format, expected 2.5, 3.0 or 4.0",
                                version != NULL ? pal_quoted(version).text : "unknown");
    const PalXmlNode *module = pal_xml_child(febio->root, "Module");
    const char *type = module != NULL ? pal_xml_attribute(module, "type") : NULL;
    if (type != NULL && !pal_febio_text_is(type, "solid"))
        return pal_foreign_fail(model, module->line, "a model of %s, expected solid",
                                pal_quoted(type).text);
    return PAL_OK;
}

// A section may stand in another file.
static PalStatus refuse_other_files(PalFebio *febio, const PalXmlNode *owner)
{
    for (const PalXmlNode *node = owner->first; node != NULL; node = node->next) {
        const char *file = pal_xml_attribute(node, "from");
        if (file != NULL)
            return pal_foreign_fail(febio->model, node->line,
                                    "<%s> from the file %s, expected it in the model itself",
                                    shown(node->name).text, pal_quoted(file).text);
    }
    return PAL_OK;
}

static PalStatus read_model(PalFebio *febio)
{
    const PalXmlNode *step;
    PAL_TRY(check_root(febio));
    PAL_TRY(refuse_other_files(febio, febio->root));
    PAL_TRY(find_step(febio, &step));
    if (step != NULL)
        PAL_TRY(refuse_other_files(febio, step));
    PAL_TRY(pal_febio_read_mesh(febio));
    PAL_TRY(pal_febio_read_materials(febio));
    PAL_TRY(pal_febio_read_domains(febio));
    PAL_TRY(pal_febio_read_curves(febio));
    const PalXmlNode *const owners[] = {febio->root, step};
    for (int i = 0; i < (step != NULL ? 2 : 1); ++i) {
        PAL_TRY(pal_febio_read_control(febio, owners[i]));
        PAL_TRY(pal_febio_read_boundary(febio, owners[i]));
        PAL_TRY(pal_febio_read_loads(febio, owners[i]));
    }
    pass_over(febio);
    warn_unused(febio, febio->root);
    return PAL_OK;
}

static PalStatus read_document(PalForeign *model, const char *text, size_t size)
{
    PalTree memory = {.path = model->notes.path};
    PalXmlNode *root = NULL;
    PalStatus status = pal_xml_parse(&memory, text, size, &root, model->notes.error);
    if (status == PAL_OK) {
        PalFebio febio = {.model = model, .root = root};
        febio.cursor = (PalCursor){.path = model->notes.path,
                                   .begin = "",
                                   .at = "",
                                   .end = "",
                                   .first_line = 1,
                                   .error = model->notes.error};
        status = read_model(&febio);
        pal_raw_clear(&febio.raw);
        pal_id_map_clear(&febio.node_ids);
        pal_id_map_clear(&febio.element_ids);
        pal_array_clear(&febio.element_cells);
        pal_array_clear(&febio.blocks);
        pal_names_clear(&febio.block_names);
    }
    // names of curves lie in the document
    for (int32_t i = 0; i < model->curves.count && status == PAL_OK; ++i) {
        const char *name = model->curves.items[i].name;
        if ((model->curves.items[i].name = pal_foreign_text(model, name, strlen(name))) == NULL)
            status = pal_foreign_no_memory(model);
    }
    pal_tree_clear(&memory);
    return status;
}

static bool recognises(const char *text, size_t size)
{
    static const char mark[] = "<febio_spec";
    enum { LOOK = 4096 };
    for (size_t i = 0; i + strlen(mark) <= size && i < LOOK && text[0] == '<'; ++i)
        if (memcmp(text + i, mark, strlen(mark)) == 0)
            return true;
    return false;
}

static PalStatus read_file(PalToken text, const char *stem, PalTree *tree, PalSceneImport *import,
                           PalError *error)
{
    PalForeign model = {.tree = tree,
                        .program = pal_importer_febio.program,
                        .notes = {tree->path, &import->warnings, error}};
    PalStatus status = read_document(&model, text.text, text.size);
    return pal_foreign_finish(&model, status, stem, import);
}

const PalImporter pal_importer_febio = {
    .program = "FEBio", .extension = ".feb", .recognises = recognises, .read = read_file};
