#include "make.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static const PalMaker *const makers[] = {
    &pal_maker_mat,        &pal_maker_chain,         &pal_maker_rods,     &pal_maker_cards,
    &pal_maker_sheets,     &pal_maker_bowl,          &pal_maker_pile,     &pal_maker_flat,
    &pal_maker_swarm,      &pal_maker_u_block,       &pal_maker_prostate, &pal_maker_zipper,
    &pal_maker_liver_bars, &pal_maker_liver_forceps, &pal_maker_breast,   &pal_maker_knee,
    &pal_maker_wedge,      &pal_maker_leaning_rods,  &pal_maker_snake,
};

const PalMaker *pal_maker(int32_t index)
{
    int32_t count = sizeof makers / sizeof makers[0];
    return index >= 0 && index < count ? makers[index] : NULL;
}

const PalMaker *pal_maker_find(const char *name)
{
    const PalMaker *maker;
    for (int32_t i = 0; (maker = pal_maker(i)) != NULL; ++i)
        if (strcmp(maker->name, name) == 0)
            return maker;
    return NULL;
}

// The scene is renamed to its final name when it and its meshes are whole.
static PalStatus make(const PalMaker *maker, PalMaking *making, const char *path, PalError *error)
{
    char draft[PAL_SCENE_PATH_MAX + 8];
    snprintf(draft, sizeof draft, "%s.part", path);
    making->scene = fopen(draft, "w");
    if (making->scene == NULL)
        return pal_error_set(error, PAL_IO_FAILED, "%s: cannot be written: %s", draft,
                             strerror(errno));
    fprintf(making->scene, "# %s\nname: %s\n", maker->help, making->stem);
    PalStatus status = maker->make(making, error);
    bool written = !ferror(making->scene);
    written = fclose(making->scene) == 0 && written;
    if (status == PAL_OK && (!written || rename(draft, path) != 0))
        status =
            pal_error_set(error, PAL_IO_FAILED, "%s: cannot be written: %s", path, strerror(errno));
    if (status != PAL_OK)
        unlink(draft);
    return status;
}

PalStatus pal_make_scene(const PalMaker *maker, int32_t size, const char *folder, char *path,
                         PalError *error)
{
    char stem[128];
    PalMaking making = {folder, stem, size > 0 ? size : maker->size, NULL};
    if (maker->size > 0)
        snprintf(stem, sizeof stem, "%s-%d", maker->name, (int)making.size);
    else
        snprintf(stem, sizeof stem, "%s", maker->name);
    int length = snprintf(path, PAL_SCENE_PATH_MAX, "%s/%s.yaml", folder, stem);
    if (length >= PAL_SCENE_PATH_MAX)
        return pal_error_set(error, PAL_BAD_INPUT, "%.100s...: the path is too long", folder);
    return access(path, R_OK) == 0 ? PAL_OK : make(maker, &making, path, error);
}

PalStatus pal_making_mesh(const PalMaking *making, const char *what, const char *ending,
                          PalMesh *mesh, PalError *error)
{
    char path[PAL_SCENE_PATH_MAX];
    snprintf(path, sizeof path, "%s/%s-%s.%s", making->folder, making->stem, what, ending);
    PalStatus status = pal_mesh_write(path, mesh, NULL, error);
    pal_mesh_destroy(mesh);
    return status;
}
