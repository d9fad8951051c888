// A run goes on only with the scene and the meshes it began with.
#include "fake.h"
#include "output/fingerprint.h"

static uint64_t print_of(const Fake *fake)
{
    return pal_scene_fingerprint("solver: {time: 1}", &fake->model);
}

static void whatever_changes_is_noticed(void **state)
{
    (void)state;
    Fake fake;
    PalError error = {0};
    int32_t nodes[] = {3, 5};
    fake_init(&fake);
    PalGroup group = {.name = "some", .node_count = 2, .nodes = nodes};
    check_ok(pal_mesh_add_group(fake.bodies[1].mesh, &group, &error), &error);
    uint64_t first = print_of(&fake);
    assert_true(print_of(&fake) == first);
    assert_true(pal_scene_fingerprint("solver: {time: 2}", &fake.model) != first);

    PalMesh *const meshes[] = {fake.bodies[0].mesh, fake.bodies[1].mesh, fake.rigid.mesh};
    for (int i = 0; i < 3; ++i) {
        double x = meshes[i]->nodes[2].x;
        meshes[i]->nodes[2].x = nextafter(x, 10);
        assert_true(print_of(&fake) != first);
        meshes[i]->nodes[2].x = x;
        int32_t corner = meshes[i]->cells[1];
        meshes[i]->cells[1] = meshes[i]->cells[2];
        assert_true(print_of(&fake) != first);
        meshes[i]->cells[1] = corner;
    }
    PalGroup *kept = &fake.bodies[1].mesh->groups[fake.bodies[1].mesh->group_count - 1];
    assert_string_equal(kept->name, "some");
    kept->nodes[1] = 6;
    assert_true(print_of(&fake) != first);
    kept->nodes[1] = 5;
    kept->name[0] = 'S';
    assert_true(print_of(&fake) != first);
    kept->name[0] = 's';
    assert_true(print_of(&fake) == first);
    fake_clear(&fake);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(whatever_changes_is_noticed),
};
CHECK_GROUP(tests, NULL, NULL)
