// What lies in a hollow does not overlap; instruments with lines and slivers are seen whole.
#include "overlap_fixture.h"

#include "contact/start/overlap.h"
#include "voxels.h"

enum { NODE_MAX = 4000, CELL_MAX = 8000 };

// Triangles of several shapes in one.
typedef struct Soup {
    int32_t node_count, cell_count;
    PalVec3 nodes[NODE_MAX];
    int32_t cells[CELL_MAX][3];
} Soup;

static void soup_add(Soup *soup, PalMesh *mesh)
{
    assert_true(soup->node_count + mesh->node_count <= NODE_MAX);
    assert_true(soup->cell_count + mesh->cell_count <= CELL_MAX);
    for (int32_t i = 0; i < 3 * mesh->cell_count; ++i)
        soup->cells[soup->cell_count + i / 3][i % 3] = soup->node_count + mesh->cells[i];
    memcpy(soup->nodes + soup->node_count, mesh->nodes,
           (size_t)mesh->node_count * sizeof *mesh->nodes);
    soup->node_count += mesh->node_count;
    soup->cell_count += mesh->cell_count;
    pal_mesh_destroy(mesh);
}

static void soup_line(Soup *soup, PalVec3 from, PalVec3 to)
{
    int32_t first = soup->node_count, *cell = soup->cells[soup->cell_count++];
    assert_true(soup->node_count + 2 <= NODE_MAX && soup->cell_count <= CELL_MAX);
    soup->nodes[soup->node_count++] = from;
    soup->nodes[soup->node_count++] = to;
    cell[0] = first;
    cell[1] = cell[2] = first + 1;
}

// As an instrument that was read from a file.
static PalMesh *soup_mesh(const Soup *soup)
{
    PalError error = {0};
    PalMesh *mesh = NULL;
    int32_t turned = 0;
    PalMeshDef def = {PAL_CELL_TRIANGLE, soup->node_count, soup->nodes, soup->cell_count,
                      soup->cells[0]};
    check_ok(pal_mesh_create(&def, &mesh, &error), &error);
    check_ok(pal_mesh_orient(mesh, &turned, &error), &error);
    return mesh;
}

static PalMesh *ball(double radius, int32_t cells, PalCellKind kind, PalVec3 place)
{
    return make(PAL_SHAPE_SPHERE, pal_vec3(radius, radius, radius), cells, kind, place);
}

static PalStatus try_start(Touch *t, PalError *error)
{
    for (int32_t b = 0; b < t->sim.model.body_count; ++b) {
        t->bodies[b].mesh = t->meshes[b];
        t->bodies[b].material_count = 1;
        t->bodies[b].materials = &t->materials[b];
    }
    for (int32_t r = 0; r < t->sim.model.rigid_count; ++r)
        t->rigids[r].mesh = t->rigid_meshes[r];
    t->sim.model.bodies = t->bodies;
    t->sim.model.rigids = t->rigids;
    t->sim.contact.pairs = t->pairs;
    return pal_sim_create(&t->sim, &t->run, error);
}

// A ball in a shell flies against its inside, and stays in.
static void check_kept_inside(Touch *t, double room)
{
    t->bodies[0].velocity = pal_vec3(3, 1, 2);
    touch_start(t);
    const PalState *state = pal_sim_state(t->run);
    const PalModel *model = pal_sim_model(t->run);
    assert_int_equal(pal_sim_contact_report(t->run).moved_count, 0);
    touch_advance(t, 0.5);
    assert_true(pal_sim_contact_report(t->run).most_contacts > 0);
    assert_int_equal(pal_sim_intersections(t->run), 0);
    for (int32_t n = 0; n < model->bodies[0].mesh->node_count; ++n)
        assert_true(pal_vec3_length(pal_vec3_add(model->nodes[n], state->displacement[n])) < room);
}

// A closed surface of one layer, and one with a wall: two shells, whichever way the inner one
// faces.
static void instruments_may_be_hollow(void **state)
{
    (void)state;
    for (int layers = 1; layers <= 2; ++layers) {
        Touch t = touch_nothing(1);
        Soup soup = {0};
        soup_add(&soup, ball(1, 8, PAL_CELL_TRIANGLE, pal_vec3(0, 0, 0)));
        if (layers == 2)
            soup_add(&soup, ball(1.2, 8, PAL_CELL_TRIANGLE, pal_vec3(0, 0, 0)));
        soup_line(&soup, pal_vec3(0, 0, 0.9), pal_vec3(0, 0, 0.95));
        touch_add_mesh(&t, ball(0.4, 4, PAL_CELL_TETRAHEDRON, pal_vec3(0.1, 0, 0)), 1000, 0.3, 10);
        touch_add_rigid(&t, soup_mesh(&soup));
        touch_pair(&t, 0, 1, 0.2);
        check_kept_inside(&t, 1);
        touch_end(&t);
    }
}

static bool keep_wall(int32_t i, int32_t j, int32_t k)
{
    return i == 0 || j == 0 || k == 0 || i == 9 || j == 9 || k == 9;
}

static void bodies_may_be_hollow(void **state)
{
    (void)state;
    Touch t = touch_nothing(1);
    touch_add_mesh(&t, ball(0.2, 4, PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, 0)), 1000, 0.3, 10);
    PalMesh *box = voxels_mesh(10, 10, 10, 0.1, keep_wall);
    PalBounds bounds = pal_mesh_bounds(box);
    PalVec3 middle = pal_vec3_scale(0.5, pal_vec3_add(bounds.lower, bounds.upper));
    for (int32_t n = 0; n < box->node_count; ++n)
        box->nodes[n] = pal_vec3_sub(box->nodes[n], middle);
    touch_add_mesh(&t, box, 1000, 0.3, 10);
    touch_pair(&t, 0, 1, 0);
    check_kept_inside(&t, 0.8);
    touch_end(&t);
}

// Of solids one cannot lie in the other: a body, or one that moves by itself and has a density.
static void solids_are_not_hollow(void **state)
{
    (void)state;
    for (int which = 0; which < 3; ++which) {
        Touch t = touch_nothing(1);
        PalError error = {0};
        bool soft = which == 0;
        touch_add_mesh(&t,
                       ball(which == 2 ? 2 : 0.3, 4, PAL_CELL_TETRAHEDRON, pal_vec3(0.05, 0, 0)),
                       1000, 0.3, 10);
        if (soft)
            touch_add_mesh(&t, ball(1, 4, PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, 0)), 1000, 0.3, 10);
        else if (which == 1)
            touch_add_free(&t, ball(1, 8, PAL_CELL_TRIANGLE, pal_vec3(0, 0, 0)), 10);
        else
            touch_add_rigid(&t, ball(1, 8, PAL_CELL_TRIANGLE, pal_vec3(0, 0, 0)));
        touch_pair(&t, 0, 1, 0);
        assert_int_equal(try_start(&t, &error), PAL_BAD_INPUT);
        assert_non_null(strstr(error.text, "too deep"));
        touch_end(&t);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(instruments_may_be_hollow),
    cmocka_unit_test(bodies_may_be_hollow),
    cmocka_unit_test(solids_are_not_hollow),
};
CHECK_GROUP(tests, NULL, NULL)
