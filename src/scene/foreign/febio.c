// FEBio models (.feb) of solids. docs/formats-febio.md
#include "scene/foreign/febio.h"

#include <math.h>
#include <stdio.h>
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
    curve.bent = !pal_febio_text_is(shape, "linear");
    const PalXmlNode *extend = pal_xml_child(node, "extend");
    curve.open = extend != NULL && !pal_febio_text_is(extend->text, "constant");
    // the list is at the end of the model's, so that it is cleared whatever happens
    if (!pal_array_push(&model->curves, curve))
        return pal_foreign_no_memory(model);
    PalForeignCurve *kept = &model->curves.items[model->curves.count - 1];
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
    model->step_line = model->step_line > 0 ? model->step_line : control->line;
    if (!(steps * size > 0))
        return pal_foreign_fail(model, control->line, "a step of time %g, expected more than 0",
                                steps * size);
    model->time += steps * size;
    bool counted = steps >= 1 && steps + model->frame_count <= 100000;
    model->frame_count = counted ? model->frame_count + (int32_t)steps : 0;
    pass_solving(control);
    return PAL_OK;
}

// Nothing that moves or loads tissue is in these.
static void pass_over(PalFebio *febio)
{
    static const char *const names[] = {"Module", "Globals", "Output", "Import", "Code"};
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

// Sets that nobody uses, settings of the other program's solver, controllers of nothing.
static bool is_harmless(const PalXmlNode *parent)
{
    static const char *const names[] = {"Mesh", "Geometry", "Control", "LoadData", "SolidDomain"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (pal_xml_named(parent, names[i]))
            return true;
    return false;
}

static PalStatus tell_of(PalFebio *febio, const PalXmlNode *node, const PalXmlNode *child)
{
    const char *type = pal_xml_attribute(child, "type");
    char what[256];
    snprintf(what, sizeof what, "<%s>%s%s in <%s> is not carried over", shown(child->name).text,
             type != NULL ? " of type " : "", type != NULL ? pal_quoted(type).text : "",
             shown(node->name).text);
    if (!is_harmless(node))
        return pal_foreign_lose(febio->model, child->line, "%s", what);
    pal_foreign_warn(febio->model, child->line, "%s", what);
    return PAL_OK;
}

// An empty section says nothing.
static bool says_nothing(const PalXmlNode *node)
{
    return node->first == NULL && node->text[0] == '\0' && node->attribute_count == 0;
}

static PalStatus tell_unused(PalFebio *febio, const PalXmlNode *node)
{
    for (const PalXmlNode *child = node->first; child != NULL; child = child->next) {
        if (child->used)
            PAL_TRY(tell_unused(febio, child));
        else if (!says_nothing(child))
            PAL_TRY(tell_of(febio, node, child));
    }
    return PAL_OK;
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

static PalStatus read_owner(PalFebio *febio, const PalXmlNode *owner)
{
    PAL_TRY(pal_febio_read_rigid(febio, owner));
    PAL_TRY(pal_febio_read_boundary(febio, owner));
    PAL_TRY(pal_febio_read_loads(febio, owner));
    return pal_febio_read_contact(febio, owner);
}

// What a step adds besides its time.
static bool adds_something(const PalXmlNode *step)
{
    for (const PalXmlNode *child = step->first; child != NULL; child = child->next)
        if (!pal_xml_named(child, "Control") && !says_nothing(child))
            return true;
    return false;
}

// What a step adds ends with it. The equilibrium at the end of the last one knows of that alone.
static PalStatus read_steps(PalFebio *febio, const PalXmlNode *first)
{
    PalForeign *model = febio->model;
    const PalXmlNode *last = first;
    bool dynamic = false;
    int32_t count = 0;
    for (const PalXmlNode *step = first; step != NULL; step = pal_xml_next(step), ++count) {
        PAL_TRY(refuse_other_files(febio, step));
        PAL_TRY(pal_febio_read_control(febio, step));
        if (count > 0 && model->dynamic != dynamic)
            return pal_foreign_fail(model, step->line,
                                    "a dynamic step beside a static one, expected steps of one "
                                    "kind");
        dynamic = model->dynamic;
        last = step;
    }
    for (const PalXmlNode *step = first; step != last; step = pal_xml_next(step)) {
        if (dynamic && adds_something(step))
            return pal_foreign_fail(model, step->line,
                                    "a dynamic step whose conditions end with it, expected the "
                                    "same conditions in all steps");
        mark_all(step);
    }
    if (count > 1 && !dynamic)
        pal_foreign_warn(model, last->line,
                         "of %d static steps the equilibrium at the end of the last is computed",
                         (int)count);
    if (dynamic && count > 1 && adds_something(last))
        return pal_foreign_fail(
            model, last->line,
            "conditions that begin with a later dynamic step, expected the same "
            "in all steps");
    return read_owner(febio, last);
}

static PalStatus read_model(PalFebio *febio)
{
    PAL_TRY(check_root(febio));
    PAL_TRY(refuse_other_files(febio, febio->root));
    PAL_TRY(pal_febio_read_materials(febio));
    PAL_TRY(pal_febio_read_mesh(febio));
    PAL_TRY(pal_febio_read_domains(febio));
    PAL_TRY(pal_febio_make_rigids(febio));
    PAL_TRY(pal_febio_read_curves(febio));
    PAL_TRY(pal_febio_read_control(febio, febio->root));
    PAL_TRY(read_owner(febio, febio->root));
    const PalXmlNode *step = pal_xml_child(febio->root, "Step");
    const PalXmlNode *inner = step != NULL ? pal_xml_child(step, "step") : NULL;
    if (step != NULL)
        PAL_TRY(read_steps(febio, inner != NULL ? inner : step));
    pass_over(febio);
    return tell_unused(febio, febio->root);
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
        for (int32_t i = 0; i < febio.shapes.count; ++i) {
            pal_array_clear(&febio.shapes.items[i].facets);
            pal_array_clear(&febio.shapes.items[i].nodes);
        }
        pal_array_clear(&febio.shapes);
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
                        .notes = pal_import_notes(import, tree->path, error)};
    PalStatus status = read_document(&model, text.text, text.size);
    return pal_foreign_finish(&model, status, stem, import);
}

const PalImporter pal_importer_febio = {
    .program = "FEBio", .extension = ".feb", .recognises = recognises, .read = read_file};
