// The probes of a scene: over nodes of a body, of a rigid instrument, of the contact of two.
#include "base/choice.h"
#include "output/history.h"
#include "output/probe.h"
#include "scene/reader.h"

#include <stdio.h>
#include <string.h>

static PalStatus read_name(PalSceneReader *reader, const PalTreeNode *name, int32_t index)
{
    PAL_TRY(pal_scene_check_name(reader, name));
    if (pal_history_has_name(name->text))
        return PAL_SCENE_FAIL(
            reader, name, "a probe is called %s, expected a name that no column of history.csv has",
            pal_quoted(name->text).text);
    for (int32_t i = 0; i < index; ++i)
        if (strcmp(reader->scene->probe_defs[i].name, name->text) == 0)
            return PAL_SCENE_FAIL(reader, name,
                                  "a second probe is called %s, expected a unique name",
                                  pal_quoted(name->text).text);
    reader->scene->probe_defs[index].name = name->text;
    return PAL_OK;
}

static bool can_record(int32_t record, int32_t kind)
{
    return pal_probe_records((PalProbeKind)kind, (PalRecord)record);
}

static PalStatus read_record(PalSceneReader *reader, PalTreeNode *map, PalProbeDef *def)
{
    static const char *const kinds[] = {
        [PAL_PROBE_NODES] = "body",
        [PAL_PROBE_RIGID] = "rigid",
        [PAL_PROBE_CONTACT] = "between",
    };
    const char *word =
        pal_record_name(def->kind == PAL_PROBE_NODES ? PAL_RECORD_DISPLACEMENT : PAL_RECORD_FORCE);
    PAL_TRY(pal_scene_word(reader, map, "record", &word));
    if (!pal_record_find(word, &def->record) || !pal_probe_records(def->kind, def->record))
        return PAL_SCENE_FAIL(
            reader, pal_tree_get(map, "record"), "record is %s with %s, expected %s", word,
            kinds[def->kind],
            pal_choices_that(pal_record_choice, can_record, (int32_t)def->kind).text);
    const PalTreeItem *about = pal_tree_find(map, "about");
    if (about == NULL)
        return PAL_OK;
    if (def->record != PAL_RECORD_TORQUE)
        return pal_tree_fail_at(reader->tree, about, reader->error,
                                "about has no effect with record: %s, expected record: torque",
                                word);
    def->has_about = true;
    def->about = pal_scene_as_vector(about->value);
    return PAL_OK;
}

static PalStatus refuse_where(PalSceneReader *reader, const PalTreeNode *map, const char *word)
{
    const PalTreeItem *where = pal_tree_find(map, "where");
    return where == NULL
               ? PAL_OK
               : pal_tree_fail_at(reader->tree, where, reader->error,
                                  "where has no effect with %s, expected a probe without it", word);
}

static PalStatus read_nodes(PalSceneReader *reader, PalTreeNode *map, int32_t index)
{
    PalProbeDef *def = &reader->scene->probe_defs[index];
    const PalTreeNode *name = pal_tree_get(map, "body");
    for (int32_t r = 0; r < reader->scene->sim.model.rigid_count; ++r)
        if (strcmp(reader->scene->rigid_defs[r].name, name->text) == 0)
            return PAL_SCENE_FAIL(reader, name, "%s is a rigid instrument, expected rigid: %s",
                                  pal_quoted(name->text).text, name->text);
    PAL_TRY(pal_scene_find_body(reader, name, &def->body_index));
    PAL_TRY(pal_scene_read_where(reader, map, &def->where));
    PAL_TRY(read_record(reader, map, def));
    char what[160];
    snprintf(what, sizeof what, "probe %s", pal_quoted(def->name).text);
    PalSceneSelection selection = {map, &def->where, def->body_index, false, what};
    return pal_scene_check_selection(reader, &selection, &reader->scene->probe_node_counts[index]);
}

static PalStatus read_rigid(PalSceneReader *reader, PalTreeNode *map, PalProbeDef *def)
{
    const PalModelDef *model = &reader->scene->sim.model;
    const PalTreeNode *name = pal_tree_get(map, "rigid");
    int32_t object = 0;
    def->kind = PAL_PROBE_RIGID;
    PAL_TRY(refuse_where(reader, map, "rigid"));
    PAL_TRY(pal_scene_find_object(reader, name, &object));
    if (object < model->body_count)
        return PAL_SCENE_FAIL(reader, name, "%s is a body, expected a rigid instrument",
                              pal_quoted(name->text).text);
    def->rigid_index = object - model->body_count;
    PAL_TRY(read_record(reader, map, def));
    bool touched = def->record != PAL_RECORD_FORCE && def->record != PAL_RECORD_TORQUE;
    for (int32_t i = 0; i < model->body_count && !touched; ++i)
        touched = pal_scene_touches(reader->scene, i, object);
    return touched ? PAL_OK
                   : PAL_SCENE_FAIL(reader, name,
                                    "nothing touches %s, expected an entry of contact with it",
                                    pal_quoted(name->text).text);
}

static PalStatus read_between(PalSceneReader *reader, PalTreeNode *map, PalProbeDef *def)
{
    const PalTreeNode *list = pal_tree_get(map, "between");
    def->kind = PAL_PROBE_CONTACT;
    PAL_TRY(refuse_where(reader, map, "between"));
    for (int i = 0; i < 2; ++i)
        PAL_TRY(pal_scene_find_object(reader, list->items[i].value, &def->objects[i]));
    if (def->objects[0] == def->objects[1])
        return PAL_SCENE_FAIL(reader, list->items[1].value,
                              "between %s and itself, expected two different names",
                              pal_quoted(list->items[0].value->text).text);
    if (!pal_scene_touches(reader->scene, def->objects[0], def->objects[1]))
        return PAL_SCENE_FAIL(reader, list,
                              "%s and %s do not touch, expected an entry of contact between them",
                              pal_quoted(list->items[0].value->text).text,
                              pal_quoted(list->items[1].value->text).text);
    return read_record(reader, map, def);
}

static PalStatus read_probe(PalSceneReader *reader, PalTreeNode *map, int32_t index)
{
    PalProbeDef *def = &reader->scene->probe_defs[index];
    PAL_TRY(read_name(reader, pal_tree_get(map, "name"), index));
    if (pal_tree_get(map, "rigid") != NULL)
        return read_rigid(reader, map, def);
    if (pal_tree_get(map, "between") != NULL)
        return read_between(reader, map, def);
    return read_nodes(reader, map, index);
}

PalStatus pal_scene_read_probes(PalSceneReader *reader, PalTreeNode *list)
{
    PalScene *scene = reader->scene;
    scene->probe_defs = pal_tree_alloc(reader->tree, (size_t)list->count, sizeof(PalProbeDef));
    scene->probe_node_counts = pal_tree_alloc(reader->tree, (size_t)list->count, sizeof(int32_t));
    if (scene->probe_defs == NULL || scene->probe_node_counts == NULL)
        return pal_tree_no_memory(reader->error);
    for (int32_t i = 0; i < list->count; ++i)
        PAL_TRY(read_probe(reader, list->items[i].value, i));
    scene->output.probe_count = list->count;
    scene->output.probes = scene->probe_defs;
    return PAL_OK;
}
