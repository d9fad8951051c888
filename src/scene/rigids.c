// The rigid instruments of a scene, and the bodies among them that move by themselves.
#include "scene/reader.h"

#include <stdio.h>
#include <string.h>

static PalStatus read_motion(PalSceneReader *reader, PalTreeNode *map, PalMotionDef *motion)
{
    PAL_TRY(pal_scene_vector(reader, map, "translate", &motion->translation));
    PalTreeNode *rotate = pal_tree_get(map, "rotate");
    if (rotate != NULL) {
        PAL_TRY(pal_scene_read_axis(reader, rotate, &motion->axis));
        PAL_TRY(pal_scene_vector(reader, rotate, "about", &motion->centre));
        motion->radians = pal_tree_get(rotate, "degrees")->number * PAL_DEGREE;
    }
    return pal_scene_read_ramp(reader, map, PAL_RAMP_SMOOTH, &motion->ramp);
}

// One motion, or several that come on top of each other.
static PalStatus read_motions(PalSceneReader *reader, PalTreeNode *node, PalRigidDef *def)
{
    if (node->kind == PAL_TREE_MAP)
        return read_motion(reader, node, &def->motion);
    if (node->count == 0)
        return PAL_SCENE_FAIL(reader, node, "motion is empty, expected at least one motion");
    PalMotionDef *further = pal_tree_alloc(reader->tree, (size_t)node->count, sizeof *def->further);
    if (further == NULL)
        return pal_tree_no_memory(reader->error);
    PAL_TRY(read_motion(reader, node->items[0].value, &def->motion));
    for (int32_t i = 1; i < node->count; ++i) {
        further[i - 1] = pal_rigid_def_default().motion;
        PAL_TRY(read_motion(reader, node->items[i].value, &further[i - 1]));
    }
    def->further = further;
    def->further_count = node->count - 1;
    return PAL_OK;
}

// ---- free bodies ------------------------------------------------------------------------------

// Three principal moments along the axes, or xx yy zz xy yz zx.
static PalStatus read_inertia(PalSceneReader *reader, const PalTreeNode *node, PalRigidDef *def)
{
    if (node == NULL)
        return PAL_OK;
    if (node->count != 3 && node->count != 6)
        return PAL_SCENE_FAIL(reader, node,
                              "inertia has %d numbers, expected three moments along the axes, or "
                              "six: xx, yy, zz, xy, yz, zx",
                              (int)node->count);
    for (int32_t i = 0; i < node->count; ++i)
        def->inertia[i] = node->items[i].value->number;
    def->has_inertia = true;
    return PAL_OK;
}

static PalStatus read_loads(PalSceneReader *reader, PalTreeNode *map, PalRigidDef *def)
{
    bool loaded = pal_tree_get(map, "force") != NULL || pal_tree_get(map, "torque") != NULL;
    static const char *const ramp_keys[] = {"ramp", "from", "until", "hold"};
    for (int i = 0; i < 4 && !loaded; ++i)
        if (pal_tree_get(map, ramp_keys[i]) != NULL)
            return PAL_SCENE_FAIL(reader, pal_tree_get(map, ramp_keys[i]),
                                  "%s is given without a force or a torque, expected one of them, "
                                  "or a motion with this key",
                                  ramp_keys[i]);
    if (!loaded)
        return PAL_OK;
    PAL_TRY(pal_scene_vector(reader, map, "force", &def->force));
    PAL_TRY(pal_scene_vector(reader, map, "torque", &def->torque));
    return pal_scene_read_ramp(reader, map, PAL_RAMP_STEP, &def->ramp);
}

static PalStatus read_spring(PalSceneReader *reader, PalTreeNode *map, PalSpringDef *spring)
{
    PAL_TRY(pal_scene_number(reader, map, "stiffness", &spring->stiffness));
    PAL_TRY(pal_scene_number(reader, map, "damping", &spring->damping));
    PAL_TRY(pal_scene_number(reader, map, "turning-stiffness", &spring->turning_stiffness));
    return pal_scene_number(reader, map, "turning-damping", &spring->turning_damping);
}

// What only those with a mass can have.
static PalStatus refuse_free_keys(PalSceneReader *reader, PalTreeNode *map)
{
    static const char *const keys[] = {"centre", "inertia", "velocity", "spin", "force", "torque",
                                       "ramp",   "from",    "until",    "hold", "spring"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i)
        if (pal_tree_get(map, keys[i]) != NULL)
            return PAL_SCENE_FAIL(
                reader, pal_tree_get(map, keys[i]),
                "%s is given without a mass, expected mass or density: it is for free bodies only",
                keys[i]);
    return PAL_OK;
}

// What the model would refuse is refused here, where the file and the line are known.
static PalStatus try_rigid(PalSceneReader *reader, const PalTreeNode *node, const PalRigidDef *def)
{
    PalRigid rigid = {0};
    PalError inner = {0};
    PalStatus status = pal_rigid_init(def, reader->scene->sim.solver.time, &rigid, &inner);
    pal_rigid_clear(&rigid);
    if (status == PAL_NO_MEMORY)
        return pal_tree_no_memory(reader->error);
    return status == PAL_OK ? PAL_OK : PAL_SCENE_FAIL(reader, node, "%s", inner.text);
}

static PalStatus read_free(PalSceneReader *reader, PalTreeNode *map, bool has_motion,
                           PalRigidDef *def)
{
    const PalTreeNode *mass = pal_tree_get(map, "mass"), *density = pal_tree_get(map, "density");
    if (mass == NULL && density == NULL)
        return refuse_free_keys(reader, map);
    def->mass = mass != NULL ? mass->number : 0;
    def->density = density != NULL ? density->number : 0;
    def->has_centre = pal_tree_get(map, "centre") != NULL;
    if (def->has_centre)
        def->centre = pal_scene_as_vector(pal_tree_get(map, "centre"));
    PAL_TRY(read_inertia(reader, pal_tree_get(map, "inertia"), def));
    PAL_TRY(pal_scene_vector(reader, map, "velocity", &def->velocity));
    PAL_TRY(pal_scene_vector(reader, map, "spin", &def->spin));
    PAL_TRY(read_loads(reader, map, def));
    PalTreeNode *spring = pal_tree_get(map, "spring");
    if (spring != NULL)
        PAL_TRY(read_spring(reader, spring, &def->spring));
    else if (has_motion)
        return PAL_SCENE_FAIL(reader, pal_tree_get(map, "motion"),
                              "a rigid has a motion and a mass, expected a spring as well, which "
                              "pulls it along, or no mass");
    return try_rigid(reader, mass != NULL ? mass : density, def);
}

// ---- all --------------------------------------------------------------------------------------

static PalStatus read_surface(PalSceneReader *reader, PalTreeNode *map, const PalRigidDef *def,
                              PalMesh **mesh)
{
    char owner[200];
    PalTreeNode *file = pal_tree_get(map, "surface"), *shape = pal_tree_get(map, "shape");
    snprintf(owner, sizeof owner, file != NULL ? "surface of rigid %s" : "rigid %s",
             pal_quoted(def->name).text);
    if (file == NULL) {
        if (pal_key_given(shape, &pal_shape_keys, 1) >= PAL_SHAPE_SHEET)
            return PAL_SCENE_FAIL(reader, shape,
                                  "%s has a shape without inside, expected box, sphere, ellipsoid "
                                  "or cylinder",
                                  owner);
        return pal_scene_read_shape(reader, shape, PAL_CELL_TRIANGLE, owner, mesh);
    }
    PAL_TRY(pal_scene_read_mesh(reader, file, PAL_WANT_SURFACE, owner, mesh));
    int32_t dropped = 0, turned = 0;
    PalError inner = {0};
    PalStatus status = pal_mesh_drop_unused_nodes(*mesh, &dropped, &inner);
    if (status == PAL_OK)
        status = pal_mesh_orient(*mesh, &turned, &inner);
    return status == PAL_OK ? PAL_OK : pal_scene_pass_on(reader, file, owner, status, &inner);
}

static PalStatus read_rigid(PalSceneReader *reader, PalTreeNode *map, int32_t index)
{
    PalRigidDef *def = &reader->scene->rigid_defs[index];
    PalMesh **mesh = &reader->scene->rigid_meshes[index];
    *def = pal_rigid_def_default();
    const PalTreeNode *name = pal_tree_get(map, "name");
    def->name = name->text;
    PAL_TRY(pal_scene_check_unique(reader, name, index));
    PAL_TRY(read_surface(reader, map, def, mesh));
    def->mesh = *mesh;
    bool has_motion = pal_tree_get(map, "motion") != NULL;
    char owner[160];
    snprintf(owner, sizeof owner, "rigid %s", pal_quoted(name->text).text);
    PAL_TRY(pal_scene_read_place(reader, map, owner, *mesh));
    PalTreeNode *motion = NULL;
    bool free = pal_tree_get(map, "mass") != NULL || pal_tree_get(map, "density") != NULL;
    if (has_motion || !free)
        motion = pal_scene_child(reader, map, "motion");
    if (motion == NULL && !free)
        return pal_tree_no_memory(reader->error);
    if (motion != NULL)
        PAL_TRY(read_motions(reader, motion, def));
    return read_free(reader, map, has_motion, def);
}

PalStatus pal_scene_read_rigids(PalSceneReader *reader, PalTreeNode *list)
{
    PalScene *scene = reader->scene;
    scene->rigid_defs = pal_tree_alloc(reader->tree, (size_t)list->count, sizeof(PalRigidDef));
    scene->rigid_meshes = pal_tree_alloc(reader->tree, (size_t)list->count, sizeof(PalMesh *));
    scene->rigid_nodes = pal_tree_alloc(reader->tree, (size_t)list->count, sizeof(PalTreeNode *));
    if (scene->rigid_defs == NULL || scene->rigid_meshes == NULL || scene->rigid_nodes == NULL)
        return pal_tree_no_memory(reader->error);
    scene->sim.model.rigids = scene->rigid_defs;
    scene->sim.model.rigid_count = list->count;
    for (int32_t i = 0; i < list->count; ++i)
        scene->rigid_nodes[i] = list->items[i].value;
    for (int32_t i = 0; i < list->count; ++i)
        PAL_TRY(read_rigid(reader, list->items[i].value, i));
    return PAL_OK;
}
