// Any bytes as a NiftySim model: a scene with sound meshes, or one clear line.
#include "fuzz_mesh.h"
#include "scene/reader.h"

static void check_scene(const PalScene *scene)
{
    const PalModelDef *model = &pal_scene_sim(scene)->model;
    demand(model->body_count > 0, "a scene has bodies");
    for (int32_t b = 0; b < model->body_count; ++b)
        check_mesh(model->bodies[b].mesh);
    for (int32_t r = 0; r < model->rigid_count; ++r)
        check_mesh(model->rigids[r].mesh);
    for (int32_t i = 0; i < scene->import_warning_count; ++i)
        demand(strchr(scene->import_warnings[i].text, '\n') == NULL, "a warning is one line");
    demand(strlen(pal_scene_resolved(scene)) > 0, "a scene can be written");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char path[] = "fuzz.xml";
    PalScene *scene = NULL;
    PalError error = {0};
    PalStatus status = pal_scene_read_memory((const char *)data, size, path, NULL, &scene, &error);
    if (status == PAL_OK) {
        check_scene(scene);
        pal_scene_destroy(scene);
        return 0;
    }
    demand(status == PAL_BAD_INPUT && error.status == status, "bad bytes are bad input");
    demand(strstr(error.text, path) != NULL, "a message names the file");
    demand(strchr(error.text, '\n') == NULL, "a message is one line");
    return 0;
}
