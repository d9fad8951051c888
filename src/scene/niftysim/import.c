#include "scene/niftysim/import.h"

#include "mesh/readers/cursor.h"
#include "scene/niftysim/build.h"

#include <string.h>

// Any XML.
static bool recognises(const char *text, size_t size)
{
    static const char mark[] = "\xEF\xBB\xBF";
    size_t at = size >= 3 && memcmp(text, mark, 3) == 0 ? 3 : 0;
    while (at < size && pal_is_blank(text[at]))
        ++at;
    if (size - at < 2 || text[at] != '<')
        return false;
    char second = text[at + 1];  // YAML may begin with <<
    return second == '?' || second == '!' || (second >= 'A' && second <= 'Z') ||
           (second >= 'a' && second <= 'z');
}

// ---- what nobody asked for --------------------------------------------------------------------

static bool has_used_twin(const PalXmlNode *parent, const PalXmlNode *node)
{
    for (const PalXmlNode *twin = parent->first; twin != NULL && twin != node; twin = twin->next)
        if (twin->used && pal_xml_named(twin, node->name))
            return true;
    return false;
}

static bool is_known(const char *name)
{
    static const char *const known[] = {"Nodes",          "Elements",     "MSHMesh",
                                        "VTKMesh",        "SystemParams", "Output",
                                        "ContactSurface", "ReducedBasis", "KinematicContact",
                                        "RestrictTo",     "Magnitudes",   "Magnitude",
                                        "Normal",         "Faces",        "LoadShape"};
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
        if (pal_token_is_like((PalToken){name, strlen(name)}, known[i]))
            return true;
    return false;
}

// What NiftySim would act on.
static bool decides(const PalXmlNode *node)
{
    return pal_xml_named(node, "KinematicContact") || pal_xml_named(node, "ReducedBasis");
}

static PalStatus tell_unused(PalNifty *nifty, const PalXmlNode *node)
{
    for (int32_t i = 0; i < node->attribute_count; ++i)
        if (!node->attributes[i].used)
            pal_nifty_warn(nifty, node->line, "attribute %s of <%s> is not read",
                           pal_quoted(node->attributes[i].name).text, node->name);
    for (const PalXmlNode *child = node->first; child != NULL && pal_nifty_can_warn(nifty);
         child = child->next) {
        if (child->used) {
            PAL_TRY(tell_unused(nifty, child));
            continue;
        }
        if (decides(child))
            PAL_TRY(pal_nifty_lose(nifty, child->line, "<%s> has no counterpart", child->name));
        else if (has_used_twin(node, child))
            pal_nifty_warn(nifty, child->line, "a second tag <%s> is not read: the first counts",
                           child->name);
        else
            pal_nifty_warn(nifty, child->line, "the %stag <%s> in <%s> is not read",
                           is_known(child->name) ? "" : "unknown ", child->name, node->name);
    }
    return PAL_OK;
}

// ---- the root ---------------------------------------------------------------------------------

// Rigid surfaces: triangles, and shapes that become triangles.
static const char *const surface_tags[] = {"ContactSurface", "ContactPlate", "ContactCylinder",
                                           "ContactUSProbe"};
enum { SURFACE_TAGS = sizeof surface_tags / sizeof *surface_tags };

static PalStatus read_surfaces(PalNiftyBuild *build, const PalXmlNode *root)
{
    PalNifty *nifty = build->nifty;
    int32_t count = 0;
    for (int tag = 0; tag < SURFACE_TAGS; ++tag)
        for (const PalXmlNode *node = pal_xml_child(root, surface_tags[tag]); node != NULL;
             node = pal_xml_next(node))
            ++count;
    build->surfaces = pal_tree_alloc(nifty->memory, (size_t)count, sizeof *build->surfaces);
    if (build->surfaces == NULL)
        return pal_nifty_no_memory(nifty);
    for (int tag = 0; tag < SURFACE_TAGS; ++tag)
        for (const PalXmlNode *node = pal_xml_child(root, surface_tags[tag]); node != NULL;
             node = pal_xml_next(node)) {
            PalNiftySurface *surface = &build->surfaces[build->surface_count++];
            PAL_TRY(tag == 0 ? pal_nifty_read_contact_surface(nifty, node, surface)
                             : pal_nifty_read_contact_shape(nifty, node, surface));
        }
    return PAL_OK;
}

static PalStatus put_solver(PalNiftyBuild *build, PalTreeNode *root)
{
    const PalNiftySystem *system = build->system;
    bool averaged = pal_element_traits(build->scope->element)->averages_pressure;
    PalTreeNode *solver = pal_nifty_map(build, system->line);
    PalTreeNode *output = pal_nifty_map(build, system->line);
    bool done = pal_nifty_put(build, root, "solver", solver) &&
                pal_nifty_put_text(build, solver, "method", averaged ? "newmark" : "explicit") &&
                pal_nifty_put_number(build, solver, "time", (double)system->steps * system->step) &&
                pal_nifty_put_number(build, solver, "step", system->step) &&
                pal_nifty_put_number(build, solver, "damping", system->damping);
    if (system->every > 0)
        done = done && pal_nifty_put(build, root, "output", output) &&
               pal_nifty_put_number(build, output, "every", system->every);
    return done ? PAL_OK : pal_nifty_no_memory(build->nifty);
}

static PalStatus build_tree(PalNiftyBuild *build)
{
    PalTreeNode *root = pal_nifty_map(build, 1);
    PalTreeNode *bodies = pal_nifty_list(build, build->scope->mesh_line);
    PalTreeNode *rigid = pal_nifty_list(build, 1), *contact = pal_nifty_list(build, 1);
    build->nifty->tree->root = root;
    if (root == NULL || !pal_nifty_put(build, root, "bodies", bodies) || contact == NULL ||
        !pal_nifty_put(build, root, "conditions", pal_nifty_list(build, 1)) ||
        (build->surface_count > 0 && !pal_nifty_put(build, root, "rigid", rigid)))
        return pal_nifty_no_memory(build->nifty);
    PAL_TRY(pal_nifty_build_bodies(build, bodies));
    PAL_TRY(pal_nifty_build_shells(build, bodies, pal_tree_get(root, "conditions")));
    PAL_TRY(pal_nifty_build_conditions(build));
    PAL_TRY(pal_nifty_build_rigids(build, rigid));
    PAL_TRY(pal_nifty_build_contact(build, contact));
    if (contact->count > 0) {
        contact->line = contact->items[0].value->line;
        if (!pal_nifty_put(build, root, "contact", contact))
            return pal_nifty_no_memory(build->nifty);
    }
    PAL_TRY(put_solver(build, root));
    if (build->nifty->tree->node_count > PAL_TREE_NODE_MAX)
        return pal_nifty_fail(build->nifty, 0,
                              "the scene of this model has more than a million values, expected "
                              "fewer: magnitudes that are equal count once");
    return PAL_OK;
}

static PalStatus read_model(PalNiftyBuild *build, const PalXmlNode *root, PalNiftySystem *system)
{
    PalNifty *nifty = build->nifty;
    if (!pal_xml_named(root, "Model"))
        return pal_nifty_fail(nifty, root->line, "<%s>, expected <Model>, a NiftySim model",
                              root->name);
    PAL_TRY(pal_nifty_read_system(nifty, root, system));
    PAL_TRY(pal_nifty_read_output(nifty, root, system));
    PAL_TRY(pal_nifty_read_scope(nifty, root, 0, build->scope));
    PAL_TRY(read_surfaces(build, root));
    return build_tree(build);
}

static void drop_meshes(PalNiftyBuild *build)
{
    for (int32_t i = 0; i < build->surface_count; ++i)
        pal_mesh_destroy(build->surfaces[i].mesh);
    for (int32_t i = 0; i < build->solid_count && build->bodies != NULL; ++i)
        pal_mesh_destroy(build->bodies[i].mesh);
    for (int32_t i = 0; i < build->scope->shells.count; ++i)
        pal_mesh_destroy(build->scope->shells.items[i].mesh);
}

// Gives the meshes to the import; those of a failed one are destroyed there as well.
static PalStatus hand_over(PalNiftyBuild *build, PalStatus status, PalSceneImport *import)
{
    int32_t shell_count = build->scope->shells.count;
    int32_t count = build->solid_count + build->surface_count + shell_count;
    import->meshes = pal_tree_alloc(build->nifty->tree, (size_t)count, sizeof *import->meshes);
    if (import->meshes == NULL) {
        drop_meshes(build);
        return pal_nifty_no_memory(build->nifty);
    }
    for (int32_t i = 0; i < build->solid_count && build->bodies != NULL; ++i) {
        PalGivenMesh *given = &import->meshes[import->mesh_count++];
        const PalNiftyBody *body = &build->bodies[i];
        given->mesh = body->mesh;
        given->file = body->name != NULL ? pal_nifty_mesh_name(build, body->name) : "";
        if (given->file == NULL)
            status = pal_nifty_no_memory(build->nifty);
    }
    for (int32_t i = 0; i < shell_count; ++i) {
        PalGivenMesh *given = &import->meshes[import->mesh_count++];
        const char *name = pal_nifty_shell_name(build, i);
        given->mesh = build->scope->shells.items[i].mesh;
        given->file = name != NULL ? pal_nifty_mesh_name(build, name) : NULL;
        if (given->file == NULL)
            status = pal_nifty_no_memory(build->nifty);
    }
    for (int32_t i = 0; i < build->surface_count; ++i) {
        PalGivenMesh *given = &import->meshes[import->mesh_count++];
        const PalTreeNode *root = build->nifty->tree->root;
        const PalTreeNode *rigid = status == PAL_OK ? pal_tree_get(root, "rigid") : NULL;
        given->mesh = build->surfaces[i].mesh;
        given->file = rigid != NULL ? pal_tree_get(rigid->items[i].value, "surface")->text : "";
    }
    return status;
}

static PalStatus read_file(PalToken text, const char *stem, PalTree *tree, PalSceneImport *import,
                           PalError *error)
{
    PalTree memory = {.path = tree->path};
    PalNifty nifty = {.memory = &memory,
                      .tree = tree,
                      .notes = pal_import_notes(import, tree->path, error),
                      .hourglass = PAL_NIFTY_NO_HOURGLASS};
    PalNiftyScope scope = {0};
    PalNiftySystem system = {0};
    PalNiftyBuild build = {.nifty = &nifty, .scope = &scope, .system = &system, .stem = stem};
    PalXmlNode *root;
    const char *slash = strrchr(tree->path, '/');
    size_t folder = slash != NULL ? (size_t)(slash - tree->path) + 1 : 0;
    nifty.folder = pal_tree_text(&memory, tree->path, folder);
    PalStatus status = nifty.folder != NULL ? PAL_OK : pal_nifty_no_memory(&nifty);
    if (status == PAL_OK)
        status = pal_xml_parse(&memory, text.text, text.size, &root, error);
    if (status == PAL_OK)
        status = read_model(&build, root, &system);
    status = hand_over(&build, status, import);
    if (status == PAL_OK)
        status = tell_unused(&nifty, root);
    if (status == PAL_OK && import->warnings.failed)
        status = pal_nifty_no_memory(&nifty);
    pal_nifty_scope_clear(&scope);
    pal_tree_clear(&memory);
    return status;
}

const PalImporter pal_importer_niftysim = {
    .program = "NiftySim", .extension = ".xml", .recognises = recognises, .read = read_file};
