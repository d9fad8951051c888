// The bodies of a scene: meshes, shapes, places.
#include "base/choice.h"
#include "scene/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

PalStatus pal_scene_pass_on(PalSceneReader *reader, const PalTreeNode *node, const char *owner,
                            PalStatus status, const PalError *inner)
{
    char place[512];
    if (reader->scene->given_count > 0 && status == PAL_BAD_INPUT)  // the place is all there is
        return PAL_SCENE_FAIL(reader, node, "%s (%s)", inner->text, owner);
    pal_tree_place(reader->tree, node, place, sizeof place);
    return pal_error_set(reader->error, status, "%s (%s, %s)", inner->text, owner, place);
}

// A mesh of that name that came with a model.
static bool take_given(PalScene *scene, const char *file, PalMesh **mesh)
{
    for (int32_t i = 0; i < scene->given_count; ++i) {
        PalGivenMesh *given = &scene->given[i];
        if (given->mesh == NULL || strcmp(given->file, file) != 0)
            continue;
        *mesh = given->mesh;
        given->mesh = NULL;
        return true;
    }
    return false;
}

PalStatus pal_scene_read_mesh(PalSceneReader *reader, PalTreeNode *file, PalMeshWant want,
                              const char *owner, PalMesh **mesh)
{
    if (take_given(reader->scene, file->text, mesh))
        return PAL_OK;
    if (pal_has_control(file->text))
        return PAL_SCENE_FAIL(reader, file, "%s holds a control character, expected a file",
                              pal_quoted(file->text).text);
    const char *path = pal_scene_beside(reader, file->text);
    if (path == NULL)
        return pal_tree_no_memory(reader->error);
    int probe = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);  // a pipe is not to be waited for
    if (probe < 0)
        return PAL_SCENE_FAIL(reader, file, "cannot open %s (%s): %s, expected a mesh file", path,
                              owner, strerror(errno));
    close(probe);
    PalError inner = {0};
    PalStatus status = pal_mesh_read(path, want, mesh, &inner);
    if (status != PAL_OK)
        return pal_scene_pass_on(reader, file, owner,
                                 status == PAL_IO_FAILED ? PAL_BAD_INPUT : status, &inner);
    file->text = pal_scene_absolute(reader, path);
    file->quoted = true;
    return file->text != NULL ? PAL_OK : pal_tree_no_memory(reader->error);
}

static PalStatus read_cells(PalSceneReader *reader, PalTreeNode *map, PalShapeDef *def)
{
    static const int32_t wanted[] = {3, 1, 1, 2, 2, 2, 1};
    static const char *const expected[] = {"three, along x, y and z, or a number for all",
                                           "one: across the diameter",
                                           "one: across the diameter",
                                           "two: across and along z",
                                           "two, along x and y, or a number for both",
                                           "two: around and along z",
                                           "one: across the diameter"};
    enum { MOST = 10000 };
    const PalTreeNode *cells = pal_tree_get(map, "cells");
    if (cells == NULL) {
        // flat sides gain nothing from more triangles, and contact gets slower
        if (def->kind == PAL_SHAPE_BOX && def->cell_kind == PAL_CELL_TRIANGLE &&
            pal_tree_get(map, "size") == NULL)
            def->cells[0] = def->cells[1] = def->cells[2] = 1;
        return PAL_OK;
    }
    int32_t count = cells->kind == PAL_TREE_LIST ? cells->count : 1;
    if (cells->kind != PAL_TREE_LIST &&
        (def->kind == PAL_SHAPE_BOX || def->kind == PAL_SHAPE_SHEET))
        count = wanted[def->kind];  // the same for all
    if (count != wanted[def->kind])
        return PAL_SCENE_FAIL(reader, cells, "cells is a list of %d, expected %s", (int)count,
                              expected[def->kind]);
    for (int32_t i = 0; i < count; ++i) {
        const PalTreeNode *node = cells->kind == PAL_TREE_LIST ? cells->items[i].value : cells;
        if (node->number > MOST)
            return PAL_SCENE_FAIL(reader, node, "cells is %g, expected at most %d", node->number,
                                  MOST);
        def->cells[i] = (int32_t)node->number;
    }
    return PAL_OK;
}

// Refuses, before any memory is asked for, what no machine could hold.
static PalStatus check_cell_count(PalSceneReader *reader, const PalTreeNode *map,
                                  const PalShapeDef *def)
{
    const double most = 1e8, extent[3] = {def->extent.x, def->extent.y, def->extent.z};
    double count = 1;
    if (def->kind >= PAL_SHAPE_SHEET)
        return PAL_OK;  // its area alone is filled: the shape itself counts
    for (int i = 0; i < 3; ++i) {
        double length = def->kind == PAL_SHAPE_SPHERE ? extent[0] : extent[i];
        if (def->kind == PAL_SHAPE_CYLINDER)
            length = i < 2 ? extent[0] : extent[1] / 2;
        length *= def->kind == PAL_SHAPE_BOX ? 1 : 2;
        int32_t given = def->cells[i] > 0 ? def->cells[i] : def->cells[0];
        if (def->size > 0 || given > 0)
            count *= def->size > 0 ? fmax(length / def->size, 1) : given;
    }
    count *= def->cell_kind == PAL_CELL_HEXAHEDRON ? 1 : 6;
    if (count > most)
        return PAL_SCENE_FAIL(reader, map,
                              "the shape would have about %.1g cells, "
                              "expected at most %.1g: use larger or fewer cells",
                              count, most);
    return PAL_OK;
}

PalStatus pal_scene_read_shape(PalSceneReader *reader, PalTreeNode *map, PalCellKind cell_kind,
                               const char *owner, PalMesh **mesh)
{
    PalShapeDef def = pal_shape_def_default();
    def.cell_kind = cell_kind;
    memset(def.cells, 0, sizeof def.cells);
    def.size = 0;
    def.kind = (PalShapeKind)pal_key_given(map, &pal_shape_keys, 1);
    const PalTreeNode *extent =
        pal_tree_get(map, pal_key_one_of(&pal_shape_keys, 1, (int32_t)def.kind)->name);
    double numbers[3] = {0};
    for (int32_t i = 0; i < (extent->kind == PAL_TREE_LIST ? extent->count : 1); ++i)
        numbers[i] =
            extent->kind == PAL_TREE_LIST ? extent->items[i].value->number : extent->number;
    def.extent = (PalVec3){numbers[0], numbers[1], numbers[2]};
    const char *word = pal_key_one_of(&pal_shape_keys, 1, (int32_t)def.kind)->name;
    if (def.kind >= PAL_SHAPE_SHEET && cell_kind != PAL_CELL_TRIANGLE)
        return PAL_SCENE_FAIL(reader, map,
                              "%s has the shape %s, which has no inside, expected element: ebst or "
                              "membrane",
                              owner, word);
    PAL_TRY(read_cells(reader, map, &def));
    const PalTreeNode *size = pal_tree_get(map, "size");
    if (size != NULL)
        def.size = size->number;
    PAL_TRY(check_cell_count(reader, map, &def));
    PalError inner = {0};
    PalStatus status = pal_mesh_create_shape(&def, mesh, &inner);
    if (status == PAL_NO_MEMORY)
        return pal_scene_pass_on(reader, map, owner, status, &inner);
    if (status != PAL_OK)
        return PAL_SCENE_FAIL(reader, map, "the shape of %s: %s", owner, inner.text);
    return PAL_OK;
}

PalStatus pal_scene_read_axis(PalSceneReader *reader, PalTreeNode *map, PalVec3 *axis)
{
    const PalTreeNode *node = pal_tree_get(map, "axis");
    *axis = pal_scene_as_vector(node);
    if (axis->x == 0 && axis->y == 0 && axis->z == 0)
        return PAL_SCENE_FAIL(reader, node, "axis is zero, expected a direction");
    return PAL_OK;
}

PalStatus pal_scene_read_place(PalSceneReader *reader, PalTreeNode *object, const char *owner,
                               PalMesh *mesh)
{
    const PalTreeNode *given = pal_tree_get(object, "place");
    PalTreeNode *map = pal_scene_child(reader, object, "place");
    if (map == NULL)
        return pal_tree_no_memory(reader->error);
    PalPlacement placement = pal_placement_identity();
    PalTreeNode *rotate = pal_tree_get(map, "rotate");
    PAL_TRY(pal_scene_vector(reader, map, "translate", &placement.translation));
    PAL_TRY(pal_scene_number(reader, map, "scale", &placement.scale));
    if (rotate != NULL) {
        PalVec3 axis;
        PAL_TRY(pal_scene_read_axis(reader, rotate, &axis));
        placement.rotation =
            pal_rotation_about(axis, pal_tree_get(rotate, "degrees")->number * PAL_DEGREE);
    }
    pal_mesh_place(mesh, &placement);
    PalError inner = {0};
    if (pal_mesh_check_reach(mesh, &inner) == PAL_OK)
        return PAL_OK;
    const PalTreeNode *at = given;
    static const char *const sources[] = {"mesh", "surface", "shape", "skin-of"};
    for (int i = 0; i < 4 && at == NULL; ++i)
        at = pal_tree_get(object, sources[i]);
    return PAL_SCENE_FAIL(reader, at, "%s: %s", owner, inner.text);
}

PalStatus pal_scene_check_unique(PalSceneReader *reader, const PalTreeNode *name,
                                 int32_t rigid_count)
{
    const PalScene *scene = reader->scene;
    PAL_TRY(pal_scene_check_name(reader, name));
    if (strcmp(name->text, "all") == 0)
        return PAL_SCENE_FAIL(
            reader, name, "the name \"all\" means every object in contact, expected another name");
    for (int32_t i = 0; i < scene->sim.model.body_count; ++i) {
        if (pal_tree_get(scene->bodies[i].node, "name") == name)
            break;  // the others come after it
        if (strcmp(scene->body_defs[i].name, name->text) == 0)
            return PAL_SCENE_FAIL(reader, name,
                                  "a second body is called %s, expected a unique name",
                                  pal_quoted(name->text).text);
    }
    for (int32_t i = 0; i < rigid_count; ++i)
        if (strcmp(scene->rigid_defs[i].name, name->text) == 0)
            return PAL_SCENE_FAIL(reader, name,
                                  "a second rigid instrument is called %s, expected a unique name",
                                  pal_quoted(name->text).text);
    return PAL_OK;
}

// ---- bodies -----------------------------------------------------------------------------------

static bool is_made_of(int32_t element, int32_t cell)
{
    return pal_element_cell((PalElementKind)element) == (PalCellKind)cell;
}

// Triangles of a thin body that do not all face one way, though they can be turned to.
static PalStatus check_facing(PalSceneReader *reader, PalTreeNode *map, const PalMesh *mesh,
                              PalError *error)
{
    bool turns = reader->scene->given_count > 0;  // other programs do not care
    PAL_TRY(pal_scene_flag(reader, map, "orient", &turns));
    PalError inner = {0};
    PalStatus status = turns ? PAL_OK : pal_mesh_check_facing(mesh, &inner);
    if (status == PAL_BAD_INPUT)
        return pal_error_set(error, status, "%s; `orient: true` turns them", inner.text);
    return status == PAL_OK ? PAL_OK : pal_error_set(error, status, "%s", inner.text);
}

// What no cell uses is left out, cells are turned around, and what is left is checked.
static PalStatus settle_mesh(PalSceneReader *reader, PalTreeNode *map, PalSceneBody *body,
                             bool thin, const char *owner)
{
    PalMesh *mesh = body->mesh;
    PalError inner = {0}, facing = {0};
    PalStatus status = pal_mesh_drop_unused_nodes(mesh, &body->dropped_count, &inner);
    PalStatus faces = status == PAL_OK && thin ? check_facing(reader, map, mesh, &facing) : PAL_OK;
    if (status == PAL_OK)
        status = pal_mesh_orient(mesh, &body->turned_count, &inner);
    if (status == PAL_OK)
        status = pal_mesh_validate(mesh, &inner);
    if (status == PAL_OK && thin)
        status = pal_mesh_check_thin(mesh, &inner);
    if (status == PAL_OK && faces != PAL_OK)
        status = pal_error_set(&inner, faces, "%s", facing.text);
    if (status == PAL_BAD_INPUT)
        return PAL_SCENE_FAIL(reader, pal_tree_get(map, "mesh"), "%s (%s)", inner.text, owner);
    return status == PAL_OK ? PAL_OK : pal_error_set(reader->error, status, "%s", inner.text);
}

static PalStatus make_body_mesh(PalSceneReader *reader, PalTreeNode *map, PalSceneBody *body,
                                PalBodyDef *def)
{
    char owner[160];
    snprintf(owner, sizeof owner, "body %s", pal_quoted(def->name).text);
    PalTreeNode *file = pal_tree_get(map, "mesh");
    if (pal_tree_get(map, "skin-of") != NULL)
        return pal_scene_read_skin(reader, map, def, &body->mesh);
    if (file == NULL)
        return pal_scene_read_shape(reader, pal_tree_get(map, "shape"),
                                    pal_element_cell(def->element), owner, &body->mesh);
    char label[200];
    snprintf(label, sizeof label, "mesh of %s", owner);
    bool thin = pal_element_traits(def->element)->is_thin;
    PAL_TRY(pal_scene_read_mesh(reader, file, thin ? PAL_WANT_SURFACE : PAL_WANT_SOLID, label,
                                &body->mesh));
    if (pal_tree_get(map, "element") == NULL && !thin)
        pal_element_for_cell(body->mesh->cell_kind, &def->element);
    if (pal_element_cell(def->element) != body->mesh->cell_kind)
        return PAL_SCENE_FAIL(
            reader, pal_tree_get(map, "element"),
            "element is %s, but the mesh of %s is of %s cells, expected %s",
            pal_element_name(def->element), owner, pal_cell_name(body->mesh->cell_kind),
            pal_choices_that(pal_element_choice, is_made_of, (int32_t)body->mesh->cell_kind).text);
    return settle_mesh(reader, map, body, thin, label);
}

PalStatus pal_scene_find_one_layer(const PalMesh *mesh, bool *one_layer, PalError *error)
{
    PalSurface *surface = NULL;
    PAL_TRY(pal_mesh_boundary(mesh, &surface, error));
    *one_layer = surface->node_count == mesh->node_count;
    pal_surface_destroy(surface);
    return PAL_OK;
}

// Where time does not count steps, all eight points of a hexahedron are worth their cost, but one
// layer of it bends too much.
static PalStatus choose_control(PalSceneReader *reader, PalTreeNode *map, PalBodyDef *def)
{
    const PalMethod method = reader->scene->sim.solver.method;
    bool quick = !pal_method_is_implicit(method) && pal_method_in_time(method), one_layer = false;
    if (quick || pal_tree_get(map, "hourglass") != NULL ||
        pal_tree_get(map, "hourglass-control") != NULL)
        return PAL_OK;
    PAL_TRY(pal_scene_find_one_layer(def->mesh, &one_layer, reader->error));
    if (!one_layer)
        def->hourglass_control = PAL_HOURGLASS_NONE;
    return PAL_OK;
}

static PalStatus read_control(PalSceneReader *reader, PalTreeNode *map, PalBodyDef *def)
{
    const PalTreeNode *hourglass = pal_tree_get(map, "hourglass");
    PAL_TRY(choose_control(reader, map, def));
    const char *control = pal_hourglass_control_name(def->hourglass_control);
    PAL_TRY(pal_scene_word(reader, map, "hourglass-control", &control));
    pal_hourglass_control_find(control, &def->hourglass_control);
    if (def->hourglass_control != PAL_HOURGLASS_NONE)
        return pal_scene_number(reader, map, "hourglass", &def->hourglass);
    return hourglass == NULL
               ? PAL_OK
               : PAL_SCENE_FAIL(reader, hourglass,
                                "hourglass has no effect with hourglass-control %s, expected "
                                "bending or plain",
                                control);
}

static PalStatus read_hourglass(PalSceneReader *reader, PalTreeNode *map, PalBodyDef *def)
{
    static const char *const keys[] = {"hourglass", "hourglass-control"};
    if (pal_element_traits(def->element)->has_hourglass)
        return read_control(reader, map, def);
    for (int i = 0; i < 2; ++i)
        if (pal_tree_get(map, keys[i]) != NULL)
            return PAL_SCENE_FAIL(reader, pal_tree_get(map, keys[i]),
                                  "%s has no effect with element %s, expected h8", keys[i],
                                  pal_element_name(def->element));
    return PAL_OK;
}

// What has a thickness is thin, unless the element says otherwise.
static PalStatus read_thickness(PalSceneReader *reader, PalTreeNode *map, PalBodyDef *def)
{
    const PalTreeItem *item = pal_tree_find(map, "thickness");
    const PalTreeNode *list = pal_tree_get(map, "materials");
    bool given = item != NULL, is_thin = pal_element_traits(def->element)->is_thin;
    for (int32_t i = 0; list != NULL && i < list->count; ++i)
        given = given || pal_tree_get(list->items[i].value, "thickness") != NULL;
    if (given && pal_tree_get(map, "element") == NULL) {
        def->element = PAL_ELEMENT_EBST;
        is_thin = true;
    }
    if (item != NULL && !is_thin)
        return pal_tree_fail_at(reader->tree, item, reader->error,
                                "thickness has no effect with element %s, expected ebst or "
                                "membrane",
                                pal_element_name(def->element));
    const PalTreeItem *orient = pal_tree_find(map, "orient");
    if (orient != NULL && (!is_thin || pal_tree_get(map, "mesh") == NULL))
        return pal_tree_fail_at(reader->tree, orient, reader->error,
                                "orient has no effect here, expected it with a mesh of ebst or "
                                "membrane");
    if (!given && is_thin)
        return PAL_SCENE_FAIL(reader, map,
                              "body %s has no thickness, which element %s needs, expected one",
                              pal_quoted(def->name).text, pal_element_name(def->element));
    if (item != NULL)
        def->thickness = item->value->number;
    return PAL_OK;
}

static PalStatus read_body(PalSceneReader *reader, PalTreeNode *map, int32_t index)
{
    PalSceneBody *body = &reader->scene->bodies[index];
    PalBodyDef *def = &reader->scene->body_defs[index];
    PAL_TRY(pal_scene_check_unique(reader, pal_tree_get(map, "name"), 0));
    PAL_TRY(pal_scene_check_skin_keys(reader, map));
    PalTreeNode *element = pal_tree_get(map, "element");
    if (element != NULL && !pal_element_find(element->text, &def->element))
        return PAL_SCENE_FAIL(reader, element, "unknown element %s", element->text);
    PAL_TRY(read_thickness(reader, map, def));
    PAL_TRY(make_body_mesh(reader, map, body, def));
    const char *kind = pal_element_name(def->element);
    PAL_TRY(pal_scene_word(reader, map, "element", &kind));
    char owner[160];
    snprintf(owner, sizeof owner, "body %s", pal_quoted(def->name).text);
    PAL_TRY(pal_scene_read_place(reader, map, owner, body->mesh));
    def->mesh = body->mesh;
    PAL_TRY(pal_scene_vector(reader, map, "velocity", &def->velocity));
    PAL_TRY(read_hourglass(reader, map, def));
    return pal_scene_read_materials(reader, map, def);
}

PalStatus pal_scene_read_bodies(PalSceneReader *reader, PalTreeNode *list)
{
    PalScene *scene = reader->scene;
    scene->bodies = pal_tree_alloc(reader->tree, (size_t)list->count, sizeof(PalSceneBody));
    scene->body_defs = pal_tree_alloc(reader->tree, (size_t)list->count, sizeof(PalBodyDef));
    if (scene->bodies == NULL || scene->body_defs == NULL)
        return pal_tree_no_memory(reader->error);
    scene->sim.model.bodies = scene->body_defs;
    scene->sim.model.body_count = list->count;
    for (int32_t i = 0; i < list->count; ++i) {
        PalTreeNode *map = list->items[i].value;
        scene->body_defs[i] = pal_body_def_default();
        scene->body_defs[i].name = pal_tree_get(map, "name")->text;
        scene->bodies[i].node = map;
    }
    // skins come after what they lie on
    for (int skins = 0; skins < 2; ++skins)
        for (int32_t i = 0; i < list->count; ++i) {
            PalTreeNode *map = list->items[i].value;
            if ((pal_tree_get(map, "skin-of") != NULL) == (skins == 1))
                PAL_TRY(read_body(reader, map, i));
        }
    return PAL_OK;
}

PalStatus pal_scene_find_body(PalSceneReader *reader, const PalTreeNode *name, int32_t *index)
{
    enum { MOST = 64 };
    const PalModelDef *model = &reader->scene->sim.model;
    const char *known[MOST];
    for (int32_t i = 0; i < model->body_count; ++i) {
        if (i < MOST)
            known[i] = model->bodies[i].name;
        if (strcmp(model->bodies[i].name, name->text) == 0) {
            *index = i;
            return PAL_OK;
        }
    }
    for (int32_t i = 0; i < model->rigid_count; ++i)
        if (strcmp(model->rigids[i].name, name->text) == 0)
            return PAL_SCENE_FAIL(reader, name, "%s is a rigid instrument, expected a body",
                                  pal_quoted(name->text).text);
    int32_t count = model->body_count < MOST ? model->body_count : MOST;
    return PAL_SCENE_FAIL(reader, name, "no body is called %s, %s", pal_quoted(name->text).text,
                          pal_advise(name->text, known, count).text);
}
