// Overlaps at the start: found, told, removed where shallow, refused where deep.
#include "overlap_fixture.h"

#include "base/memory.h"
#include "contact/start/apart.h"
#include "contact/start/overlap.h"
#include "contact/surface/sweep.h"

typedef struct Two {
    PalMesh *meshes[2];
    PalMaterialDef material;
    PalBodyDef bodies[2];
    PalRigidDef rigid;
    PalContactPairDef pair;
    PalSimDef def;
} Two;

// Two bodies, or one body and an instrument when the second mesh is of triangles.
static void two_init(Two *two, PalMesh *first, PalMesh *second)
{
    *two = (Two){.meshes = {first, second},
                 .material = pal_material_def_default(),
                 .rigid = pal_rigid_def_default(),
                 .pair = {.objects = {0, 1}},
                 .def = pal_sim_def_default()};
    static const char *const names[] = {"one", "two"};
    two->material.parameters[0] = 100;
    two->material.parameters[1] = 300;
    two->material.density = 1;
    for (int i = 0; i < 2; ++i) {
        two->bodies[i] = pal_body_def_default();
        two->bodies[i].name = names[i];
        two->bodies[i].mesh = two->meshes[i];
        two->bodies[i].materials = &two->material;
        two->bodies[i].material_count = 1;
        two->bodies[i].element =
            two->meshes[i]->cell_kind == PAL_CELL_HEXAHEDRON ? PAL_ELEMENT_H8 : PAL_ELEMENT_T4;
    }
    bool rigid = second->cell_kind == PAL_CELL_TRIANGLE;
    two->rigid.name = "tool";
    two->rigid.mesh = second;
    two->def.model.bodies = two->bodies;
    two->def.model.body_count = rigid ? 1 : 2;
    two->def.model.rigids = &two->rigid;
    two->def.model.rigid_count = rigid ? 1 : 0;
    two->def.contact.pairs = &two->pair;
    two->def.contact.pair_count = 1;
    two->def.solver.time = 1;
}

static void two_clear(Two *two)
{
    for (int i = 0; i < 2; ++i)
        pal_mesh_destroy(two->meshes[i]);
}

// A simulation can be made, in which nothing crosses and everything is a separation apart.
static PalContactReport check_parted(Two *two)
{
    PalError error = {0};
    PalSim *sim = NULL;
    PalContactSurface *surface = NULL;
    check_ok(pal_sim_create(&two->def, &sim, &error), &error);
    assert_int_equal(pal_sim_intersections(sim), 0);
    PalContactReport report = pal_sim_contact_report(sim);
    const PalModel *model = pal_sim_model(sim);
    check_ok(pal_contact_surface_create(model, &surface, &error), &error);
    assert_true(least_gap(surface) >= 0.99 * report.separation);
    int32_t moved = 0;
    double change = 0;  // of a body's volume, and so of its mass
    for (int32_t b = 0; b < model->body_count; ++b) {
        const PalBody *body = &model->bodies[b];
        PalMesh mesh = *body->mesh;
        mesh.nodes = model->nodes + body->first_node;
        assert_true(pal_mesh_quality(&mesh).worst >= 0.05);
        double now = pal_mesh_quality(&mesh).volume / pal_mesh_quality(body->mesh).volume - 1;
        change = fabs(now) > fabs(change) ? now : change;
        for (int32_t n = 0; n < mesh.node_count; ++n)
            moved += pal_vec3_distance(mesh.nodes[n], body->mesh->nodes[n]) > 0;
    }
    assert_int_equal(moved, report.moved_count);
    check_near(report.mass_change, change, 1e-12);
    // The first step finds nothing to mend, and nothing flies apart.
    check_ok(pal_sim_step(sim, &error), &error);
    assert_true(pal_sim_energy(sim).kinetic <= 1e-12);
    pal_contact_surface_destroy(surface);
    pal_sim_destroy(sim);
    return report;
}

// Whether the solver is created before, beside or never.
static void check_refused(Two *two, const char *first, const char *second)
{
    for (int32_t threads = 1; threads <= 4; ++threads) {
        PalError error = {0};
        PalSim *sim = NULL;
        PalSimDef def = two->def;
        def.solver.thread_count = threads;
        assert_int_equal(pal_sim_create(&def, &sim, &error), PAL_BAD_INPUT);
        assert_null(sim);
        if (strstr(error.text, first) == NULL || strstr(error.text, second) == NULL)
            fail_msg("expected \"%s\" and \"%s\" in \"%s\"", first, second, error.text);
    }
}

static PalOverlaps find(const Two *two)
{
    PalError error = {0};
    PalModel *model = NULL;
    PalModelDef def = two->def.model;
    PalOverlaps overlaps;
    def.end_time = 1;
    check_ok(pal_model_create(&def, &model, &error), &error);
    check_ok(pal_overlaps_find(&two->def.contact, model, &overlaps, &error), &error);
    pal_model_destroy(model);
    return overlaps;
}

// ---- what is far apart, and what touches ------------------------------------------------------

static void distant_bodies_stay(void **state)
{
    (void)state;
    Two two;
    two_init(&two, make_box(1, 3, PAL_CELL_TETRAHEDRON, (PalVec3){0, 0, 0}),
             make_box(1, 2, PAL_CELL_HEXAHEDRON, (PalVec3){0.2, 0, 1.01}));
    PalContactReport report = check_parted(&two);
    assert_int_equal(report.moved_count, 0);
    PalOverlaps overlaps = find(&two);
    assert_int_equal(overlaps.count, 0);
    pal_overlaps_clear(&overlaps);
    two_clear(&two);
}

// Boxes that share a plane exactly: the same nodes, others, a smaller and a larger face.
static void touching_boxes_just_work(void **state)
{
    (void)state;
    static const struct {
        double size;
        int32_t cells;
        PalVec3 place;
    } cases[] = {{1, 3, {0, 0, 1}},      {1, 3, {1, 0, 0}},       {1, 2, {0.3, 0.1, 1}},
                 {0.5, 2, {0, 0, 0.75}}, {2, 1, {0.01, 0, -1.5}}, {1, 4, {0, 1, 0.5}},
                 {1, 3, {1, 1, 0}},      {1, 3, {1, 1, 1}},       {0.5, 3, {0.25, 0.25, 0.75}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        Two two;
        two_init(&two, make_box(1, 3, PAL_CELL_TETRAHEDRON, (PalVec3){0, 0, 0}),
                 make_box(cases[i].size, cases[i].cells,
                          i % 2 == 0 ? PAL_CELL_TETRAHEDRON : PAL_CELL_HEXAHEDRON, cases[i].place));
        PalOverlaps overlaps = find(&two);
        assert_int_equal(overlaps.count, 1);
        assert_int_equal(overlaps.items[0].inside_count, 0);
        assert_true(overlaps.items[0].near_count > 0 && overlaps.items[0].gap < 1e-12);
        PalContactReport report = check_parted(&two);
        assert_true(report.moved_count > 0);
        assert_true(report.largest_move < 1.5 * report.separation);
        pal_overlaps_clear(&overlaps);
        two_clear(&two);
    }
}

// A single node exactly on another body's surface, and a corner on a corner.
static void a_node_on_a_surface_is_lifted(void **state)
{
    (void)state;
    Two two;
    PalMesh *turned = make_box(1, 2, PAL_CELL_TETRAHEDRON, (PalVec3){0, 0, 0});
    PalPlacement placement = pal_placement_identity();
    // onto a corner, by the turn that takes the diagonal to the z axis
    placement.rotation = pal_rotation_about((PalVec3){1, -1, 0}, -acos(1 / sqrt(3)));
    pal_mesh_place(turned, &placement);
    double lowest = pal_mesh_bounds(turned).lower.z;
    placement = pal_placement_identity();
    placement.translation = (PalVec3){0.1, 0.05, 0.5 - lowest};
    pal_mesh_place(turned, &placement);
    two_init(&two, make_box(1, 3, PAL_CELL_TETRAHEDRON, (PalVec3){0, 0, 0}), turned);
    PalContactReport report = check_parted(&two);
    assert_in_range(report.moved_count, 2, 40);
    assert_true(report.largest_move < 1.5 * report.separation);
    two_clear(&two);
}

// ---- overlaps ---------------------------------------------------------------------------------

static void shallow_boxes_are_parted(void **state)
{
    (void)state;
    const double depth = 0.08;
    for (int shifted = 0; shifted < 2; ++shifted) {
        Two two;
        PalVec3 place = {shifted ? 0.23 : 0, shifted ? 0.12 : 0, 1 - depth};
        two_init(&two, make_box(1, 4, PAL_CELL_TETRAHEDRON, (PalVec3){0, 0, 0}),
                 make_box(1, 3, PAL_CELL_TETRAHEDRON, place));
        PalOverlaps overlaps = find(&two);
        assert_int_equal(overlaps.count, 1);
        check_near(overlaps.items[0].depth, depth, 1e-9);
        assert_true(overlaps.items[0].inside_count > 0);
        // sides that lie in one plane only touch
        assert_int_equal(overlaps.items[0].crossing_count > 0, shifted);
        assert_false(overlaps.items[0].too_deep);
        PalContactReport report = check_parted(&two);
        assert_true(report.largest_move >= depth / 2 && report.largest_move < 2 * depth);
        pal_overlaps_clear(&overlaps);
        two_clear(&two);
    }
}

static void shallow_ellipsoids_are_parted(void **state)
{
    (void)state;
    const double depth = 0.05;
    Two two;
    two_init(&two,
             make(PAL_SHAPE_ELLIPSOID, (PalVec3){1, 0.8, 0.6}, 8, PAL_CELL_TETRAHEDRON,
                  (PalVec3){0, 0, 0}),
             make(PAL_SHAPE_ELLIPSOID, (PalVec3){0.7, 0.7, 0.5}, 8, PAL_CELL_TETRAHEDRON,
                  (PalVec3){0.05, 0.02, 1.1 - depth}));
    PalOverlaps overlaps = find(&two);
    assert_int_equal(overlaps.count, 1);
    check_near(overlaps.items[0].depth, depth, 0.2 * depth);
    PalContactReport report = check_parted(&two);
    assert_true(report.largest_move < 1.5 * depth);
    pal_overlaps_clear(&overlaps);
    two_clear(&two);
}

// The soft side gives way to an instrument all the way.
static void bodies_give_way_to_instruments(void **state)
{
    (void)state;
    const double depth = 0.06;
    Two two;
    two_init(&two, make_box(1, 4, PAL_CELL_TETRAHEDRON, (PalVec3){0, 0, 0}),
             make_box(2, 1, PAL_CELL_TRIANGLE, (PalVec3){0, 0, 1.5 - depth}));
    PalContactReport report = check_parted(&two);
    check_near(report.largest_move, depth + report.separation, 0.1 * depth);
    two_clear(&two);
}

// A finely meshed tip may be as deep as the soft surface, which alone gives way, is coarse.
static void fine_instruments_may_be_as_deep_as_bodies_are_coarse(void **state)
{
    (void)state;
    static const struct {
        double depth;
        bool refused;
    } cases[] = {{0.08, false}, {0.25, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        Two two;
        two_init(&two, make_box(1, 4, PAL_CELL_TETRAHEDRON, (PalVec3){0, 0, 0}),
                 make(PAL_SHAPE_ELLIPSOID, (PalVec3){0.2, 0.2, 0.2}, 16, PAL_CELL_TRIANGLE,
                      (PalVec3){0.03, 0.02, 0.7 - cases[i].depth}));
        if (cases[i].refused) {
            check_refused(&two, "\"one\" and \"tool\" overlap at the start by 0.2",
                          "half an edge of \"one\", 0.1");
        } else {
            PalContactReport report = check_parted(&two);
            assert_true(report.largest_move < 2 * cases[i].depth);
        }
        two_clear(&two);
    }
}

// Lists that are said to hold something, and are not there.
static void missing_lists_are_refused(void **state)
{
    (void)state;
    for (int missing = 0; missing < 7; ++missing) {
        Two two;
        PalConditionDef condition = pal_condition_def_default();
        const char *expected[] = {
            "number of contact pairs is 1, but the list is NULL",
            "number of contact pairs is -1, expected 0 or more",
            "number of bodies is 1, but the list is NULL",
            "number of rigid instruments is 1, but",
            "number of conditions is 1, but the list is NULL",
            "body \"one\": the number of materials is 1, but the list is NULL",
            "number of weights of a condition is 3, but the list is NULL",
        };
        two_init(&two, make_box(1, 2, PAL_CELL_TETRAHEDRON, (PalVec3){0, 0, 0}),
                 make_box(1, 2, PAL_CELL_TRIANGLE, (PalVec3){0, 0, 2}));
        if (missing == 0)
            two.def.contact.pairs = NULL;
        if (missing == 1)
            two.def.contact.pair_count = -1;
        if (missing == 2)
            two.def.model.bodies = NULL;
        if (missing == 3)
            two.def.model.rigids = NULL;
        if (missing >= 4)
            two.def.model.condition_count = 1;
        if (missing >= 5)
            two.def.model.conditions = &condition;
        if (missing == 5)
            two.bodies[0].materials = NULL;
        condition.weight_count = missing == 6 ? 3 : 0;
        check_refused(&two, expected[missing], "");
        two_clear(&two);
    }
}

// Longer than edges are: nothing could rest on anything.
static void huge_separations_are_refused(void **state)
{
    (void)state;
    Two two;
    two_init(&two, make_box(1, 2, PAL_CELL_TETRAHEDRON, (PalVec3){0, 0, 0}),
             make_box(1, 4, PAL_CELL_TETRAHEDRON, (PalVec3){0, 0, 3}));
    two.def.contact.separation = 0.4;
    check_refused(&two,
                  "contact separation is 0.4, expected less than the mean edge of the finest "
                  "body in contact, 0.28",
                  "; auto is 0.002 of that");
    two.def.solver.safety = 2;  // which comes second
    check_refused(&two, "contact separation is 0.4", "");
    two.def.contact.separation = 0.2;
    check_refused(&two, "solver safety is 2", "");
    two.def.solver.safety = 0.9;
    assert_int_equal(check_parted(&two).moved_count, 0);
    two_clear(&two);
    // a flat body, which the separation itself would press flatter still
    two_init(&two,
             touch_shape(PAL_SHAPE_BOX, (PalVec3){1, 1, 0.1}, (int32_t[]){3, 3, 1},
                         PAL_CELL_TETRAHEDRON, (PalVec3){0, 0, 0.56}),
             make_box(1, 2, PAL_CELL_TRIANGLE, (PalVec3){0, 0, 0}));
    two.def.contact.separation = 0.2;
    check_refused(&two, "apart from others by the separation, 0.2, would distort", "smaller");
    two_clear(&two);
}

static void the_same_bits_again(void **state)
{
    (void)state;
    PalVec3 *first = NULL;
    for (int again = 0; again < 2; ++again) {
        Two two;
        PalError error = {0};
        PalSim *sim = NULL;
        two_init(&two, make_box(1, 4, PAL_CELL_TETRAHEDRON, (PalVec3){0, 0, 0}),
                 make_box(1, 3, PAL_CELL_TETRAHEDRON, (PalVec3){0.2, 0.1, 0.95}));
        two.def.solver.thread_count = 1 + 3 * again;
        check_ok(pal_sim_create(&two.def, &sim, &error), &error);
        assert_true(pal_sim_contact_report(sim).moved_count > 0);
        const PalModel *model = pal_sim_model(sim);
        size_t count = (size_t)model->node_count;
        if (again)
            assert_memory_equal(first, model->nodes, count * sizeof *first);
        else
            first = pal_copy(model->nodes, count, sizeof *first);
        pal_sim_destroy(sim);
        two_clear(&two);
    }
    pal_free(first);
}

// Conditions select by the mesh as it was given.
static void conditions_keep_their_nodes(void **state)
{
    (void)state;
    Two two;
    PalError error = {0};
    PalSim *sim = NULL;
    two_init(&two, make_box(1, 4, PAL_CELL_TETRAHEDRON, (PalVec3){0, 0, 0}),
             make_box(0.4, 2, PAL_CELL_TETRAHEDRON, (PalVec3){0, 0, 0.66}));
    PalConditionDef fix = pal_condition_def_default();
    fix.kind = PAL_CONDITION_FIX;
    fix.where.kind = PAL_WHERE_SIDE;
    fix.where.axis = 2;
    fix.where.highest = true;
    fix.axes[2] = true;
    two.def.model.conditions = &fix;
    two.def.model.condition_count = 1;
    check_ok(pal_sim_create(&two.def, &sim, &error), &error);
    assert_true(pal_sim_contact_report(sim).moved_count > 0);
    const PalModel *model = pal_sim_model(sim);
    int32_t held = 0;
    for (int32_t n = 0; n < model->node_count; ++n)
        held += model->held[n] != 0;
    assert_int_equal(held, 25);
    pal_sim_destroy(sim);
    two_clear(&two);
}

// ---- what is refused ----------------------------------------------------------------------

static void deep_overlaps_are_refused(void **state)
{
    (void)state;
    Two two;
    two_init(&two, make_box(1, 4, PAL_CELL_TETRAHEDRON, (PalVec3){0, 0, 0}),
             make_box(1, 4, PAL_CELL_TETRAHEDRON, (PalVec3){0, 0, 0.7}));
    check_refused(&two, "\"one\" and \"two\" overlap at the start by 0.3 at (",
                  "the limit is half an edge of \"one\", 0.125");
    PalOverlaps overlaps = find(&two);
    assert_int_equal(overlaps.count, 1);
    check_near(overlaps.items[0].depth, 0.3, 1e-9);
    pal_overlaps_clear(&overlaps);
    two_clear(&two);
    // The finer of both sets the limit, though both are as deep.
    two_init(&two, make_box(1, 2, PAL_CELL_TETRAHEDRON, (PalVec3){0, 0, 0}),
             make_box(1, 6, PAL_CELL_TETRAHEDRON, (PalVec3){0, 0, 0.7}));
    check_refused(&two, "\"one\" and \"two\" overlap at the start by 0.3 at (",
                  "the limit is half an edge of \"two\", 0.");
    two_clear(&two);
    // One within the other: no facets cross.
    two_init(&two, make_box(1, 3, PAL_CELL_TETRAHEDRON, (PalVec3){0, 0, 0}),
             make_box(0.2, 2, PAL_CELL_TETRAHEDRON, (PalVec3){0, 0, 0}));
    check_refused(&two, "\"one\" and \"two\" overlap at the start by 0.4 at", "too deep");
    overlaps = find(&two);
    assert_int_equal(overlaps.count, 1);
    assert_int_equal(overlaps.items[0].crossing_count, 0);
    assert_int_equal(overlaps.items[0].inside_count, 26);
    pal_overlaps_clear(&overlaps);
    two_clear(&two);
    // A needle through both sides, with no vertex inside.
    PalMesh *needle = make(PAL_SHAPE_BOX, (PalVec3){0.02, 0.02, 3}, 1, PAL_CELL_TRIANGLE,
                           (PalVec3){0.1, 0.13, 0});
    two_init(&two, make_box(1, 2, PAL_CELL_TETRAHEDRON, (PalVec3){0, 0, 0}), needle);
    check_refused(&two, "\"one\"", "with place");
    two_clear(&two);
}

// Not where it is placed, but where a ramp that starts at 1 takes it.
static void motion_at_once_is_named(void **state)
{
    (void)state;
    Two two;
    two_init(&two, make_box(1, 4, PAL_CELL_TETRAHEDRON, (PalVec3){0, 0, 0}),
             make_box(0.5, 4, PAL_CELL_TRIANGLE, (PalVec3){0, 0, 1}));
    two.rigid.motion.translation = (PalVec3){0, 0, -0.5};
    two.rigid.motion.ramp.kind = PAL_RAMP_STEP;
    check_refused(&two, "\"one\" and \"tool\" overlap at the start by 0.25",
                  "the instrument's motion puts it there at once");
    two_clear(&two);
}

static void crossing_itself_is_refused(void **state)
{
    (void)state;
    Two two;
    PalMesh *mesh = make_box(1, 2, PAL_CELL_TETRAHEDRON, (PalVec3){0, 0, 0});
    PalMesh *other = make_box(1, 2, PAL_CELL_TETRAHEDRON, (PalVec3){0, 0, 0.9});
    PalMesh *both = NULL;
    PalError error = {0};
    PalVec3 nodes[54];
    int32_t cells[2 * 4 * 48];
    assert_true(mesh->node_count == 27 && mesh->cell_count <= 48);
    for (int32_t n = 0; n < 27; ++n) {
        nodes[n] = mesh->nodes[n];
        nodes[27 + n] = other->nodes[n];
    }
    int32_t corners = 4 * mesh->cell_count;
    for (int32_t i = 0; i < corners; ++i) {
        cells[i] = mesh->cells[i];
        cells[corners + i] = 27 + mesh->cells[i];
    }
    PalMeshDef def = {PAL_CELL_TETRAHEDRON, 54, nodes, 2 * mesh->cell_count, cells};
    check_ok(pal_mesh_create(&def, &both, &error), &error);
    two_init(&two, both, other);
    two.def.model.body_count = 1;
    two.pair.objects[1] = 0;
    check_refused(&two, "\"one\" overlaps itself at the start", "repair its mesh");
    // Parts that only touch are parted.
    for (int32_t n = 27; n < 54; ++n)
        both->nodes[n].z += 0.1;
    PalContactReport report = check_parted(&two);
    assert_true(report.moved_count >= 18 && report.largest_move < 1.5 * report.separation);
    two_clear(&two);
    pal_mesh_destroy(mesh);
}

static void open_surfaces_have_no_inside(void **state)
{
    (void)state;
    Two two;
    PalError error = {0};
    PalMesh *sheet = NULL;
    PalVec3 nodes[4] = {{-2, -2, 0.4}, {2, -2, 0.4}, {2, 2, 0.4}, {-2, 2, 0.4}};
    const int32_t cells[6] = {0, 1, 2, 0, 2, 3};
    PalMeshDef def = {PAL_CELL_TRIANGLE, 4, nodes, 2, cells};
    check_ok(pal_mesh_create(&def, &sheet, &error), &error);
    two_init(&two, make_box(1, 3, PAL_CELL_TETRAHEDRON, (PalVec3){0, 0, 0}), sheet);
    check_refused(&two, "\"one\" and \"tool\" cross at the start",
                  "the surface of \"tool\" is open");
    two_clear(&two);
    // Above it, touching it: lifted from it.
    for (int n = 0; n < 4; ++n)
        nodes[n].z = 0.5;
    check_ok(pal_mesh_create(&def, &sheet, &error), &error);
    two_init(&two, make_box(1, 3, PAL_CELL_TETRAHEDRON, (PalVec3){0, 0, 1}), sheet);
    assert_true(check_parted(&two).moved_count >= 16);
    two_clear(&two);
}

// Files of surfaces often list points that no triangle has.
static void nodes_without_facets_overlap_nothing(void **state)
{
    (void)state;
    Two two;
    PalError error = {0};
    PalMesh *plate = NULL;
    const PalVec3 nodes[] = {{-1, -1, 0.6}, {1, -1, 0.6}, {0, 1, 0.6}, {0, 0, 0}};
    PalMeshDef def = {PAL_CELL_TRIANGLE, 4, nodes, 1, (const int32_t[]){0, 1, 2}};
    check_ok(pal_mesh_create(&def, &plate, &error), &error);
    two_init(&two, make_box(1, 3, PAL_CELL_TETRAHEDRON, (PalVec3){0, 0, 0}), plate);
    PalContactReport report = check_parted(&two);
    assert_int_equal(report.moved_count, 0);
    two_clear(&two);
}

static void bad_pairs_are_still_refused(void **state)
{
    (void)state;
    Two two;
    two_init(&two, make_box(1, 2, PAL_CELL_TETRAHEDRON, (PalVec3){0, 0, 0}),
             make_box(1, 2, PAL_CELL_TETRAHEDRON, (PalVec3){0, 0, 2}));
    two.pair.objects[1] = 2;
    check_refused(&two, "contact names object 2", "expected 0 to 1");
    two.pair.objects[1] = 1;
    two.def.contact.separation = -1;
    check_refused(&two, "separation is -1", "expected");
    two_clear(&two);
}

// Facets are looked at as far as the edges of their own two objects: a coarse pad does not make all
// small boxes on it neighbours of each other.
static void others_do_not_widen_what_is_looked_at(void **state)
{
    (void)state;
    Touch t = touch_nothing(1);
    PalModel *model = NULL;
    PalApart *apart = NULL;
    PalError error = {0};
    touch_add_mesh(&t, make_box(4, 1, PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, -2.2)), 1000, 0.3, 1);
    for (int k = -1; k <= 1; k += 2)
        touch_add_mesh(&t, make_box(0.1, 1, PAL_CELL_TETRAHEDRON, pal_vec3(0.3 * k, 0, 0)), 1000,
                       0.3, 1);
    touch_pair(&t, 0, 1, 0);
    touch_pair(&t, 0, 2, 0);
    touch_pair(&t, 1, 2, 0);
    touch_connect(&t);
    check_ok(pal_model_create(&t.sim.model, &model, &error), &error);
    check_ok(pal_apart_create(&t.sim.contact, model, &apart, &error), &error);
    check_ok(pal_apart_look(apart, &error), &error);
    int32_t on_pad = 0;
    for (int32_t p = 0; p < apart->pairs.count; ++p) {
        assert_true(apart->surface->facet_object[apart->pairs.items[p].a] == 0);
        ++on_pad;
    }
    assert_true(on_pad > 0);
    pal_apart_destroy(apart);
    pal_model_destroy(model);
    touch_end(&t);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(others_do_not_widen_what_is_looked_at),
    cmocka_unit_test(distant_bodies_stay),
    cmocka_unit_test(touching_boxes_just_work),
    cmocka_unit_test(a_node_on_a_surface_is_lifted),
    cmocka_unit_test(shallow_boxes_are_parted),
    cmocka_unit_test(shallow_ellipsoids_are_parted),
    cmocka_unit_test(bodies_give_way_to_instruments),
    cmocka_unit_test(fine_instruments_may_be_as_deep_as_bodies_are_coarse),
    cmocka_unit_test(missing_lists_are_refused),
    cmocka_unit_test(huge_separations_are_refused),
    cmocka_unit_test(the_same_bits_again),
    cmocka_unit_test(conditions_keep_their_nodes),
    cmocka_unit_test(deep_overlaps_are_refused),
    cmocka_unit_test(motion_at_once_is_named),
    cmocka_unit_test(crossing_itself_is_refused),
    cmocka_unit_test(open_surfaces_have_no_inside),
    cmocka_unit_test(nodes_without_facets_overlap_nothing),
    cmocka_unit_test(bad_pairs_are_still_refused),
};
CHECK_GROUP(tests, NULL, NULL)
