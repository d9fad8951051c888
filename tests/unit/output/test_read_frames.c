// Frames and contacts of a run, read back from their files: they say what the simulation says, or
// what is worked out here by plain loops.
#include "everything.h"

// Bodies stand one after the other, instruments behind, each where it is now.
static void points_move(void **state)
{
    const Run *r = *state;
    PalSim *sim = r->touch.run;
    VtuArray moved = vtu_read(&r->frame, "displacement"), speed = vtu_read(&r->frame, "velocity");
    PalVec3 *velocity = calloc((size_t)pal_sim_model(sim)->node_count, sizeof *velocity);
    pal_sim_velocity(sim, velocity);
    int64_t n = 0;
    for (int b = 0; b < OBJECTS; ++b)
        for (int32_t k = 0; k < mesh_of(r, b)->node_count; ++k, ++n) {
            PalVec3 X = mesh_of(r, b)->nodes[k], x = vector_of(&r->points, n);
            check_vector(x, pal_vec3_add(X, vector_of(&moved, n)), 1e-12);
            if (b < SOFT) {
                check_vector(vector_of(&moved, n), pal_sim_state(sim)->displacement[n], 1e-15);
                check_vector(vector_of(&speed, n), velocity[n], 1e-12);
                continue;
            }
            PalPose pose;
            PalTwist twist;
            pal_sim_rigid_motion(sim, b - SOFT, &pose, &twist);
            PalVec3 arm = pal_vec3_sub(x, pose.centre);
            check_vector(vector_of(&speed, n),
                         pal_vec3_add(twist.velocity, pal_vec3_cross(twist.spin, arm)), 1e-12);
            double t = FRAMES * EVERY, ramp = t * t * t * (10 - 15 * t + 6 * t * t);
            if (b == PLATE)
                check_vector(vector_of(&moved, n), pal_vec3(-0.3 * ramp, 0, 0), 1e-12);
        }
    assert_int_equal(3 * n, r->points.count);
    VtuArray time = vtu_read(&r->frame, "TimeValue"), step = vtu_read(&r->frame, "step");
    check_near(time.values[0], FRAMES * EVERY, 1e-15);
    check_near(step.values[0], (double)pal_sim_state(sim)->step_count, 0);
    free(time.values);
    free(step.values);
    free(moved.values);
    free(speed.values);
    free(velocity);
}

static void cells_are_those_of_the_meshes(void **state)
{
    const Run *r = *state;
    VtuArray corners = vtu_read(&r->frame, "connectivity"), ends = vtu_read(&r->frame, "offsets");
    VtuArray types = vtu_read(&r->frame, "types"), bodies = vtu_read(&r->frame, "body");
    static const int types_of[OBJECTS] = {12, 10, 5, 5, 5};  // as VTK has them
    int64_t cell = 0, corner = 0, first = 0;
    for (int b = 0; b < OBJECTS; ++b) {
        const PalMesh *mesh = mesh_of(r, b);
        int32_t size = pal_cell_node_count(mesh->cell_kind);
        for (int32_t e = 0; e < mesh->cell_count; ++e, ++cell) {
            for (int32_t a = 0; a < size; ++a, ++corner)
                check_near(corners.values[corner], (double)(first + mesh->cells[size * e + a]), 0);
            check_near(ends.values[cell], (double)corner, 0);
            check_near(types.values[cell], types_of[b], 0);
            check_near(bodies.values[cell], b, 0);
        }
        first += mesh->node_count;
    }
    assert_int_equal(cell, ends.count);
    assert_int_equal(corner, corners.count);
    free(corners.values);
    free(ends.values);
    free(types.values);
    free(bodies.values);
}

// Each field is that of the simulation, cell by cell, and nothing on instruments.
static void fields_are_those_of_the_cells(void **state)
{
    const Run *r = *state;
    static const struct {
        const char *name;
        int components;
    } fields[] = {{"energy_density", 1}, {"von_mises", 1}, {"stress", 6},     {"strain", 6},
                  {"volume_ratio", 1},   {"thickness", 1}, {"stress_top", 6}, {"stress_bottom", 6},
                  {"tension", 6},        {"moment", 6}};
    enum { FIELDS = sizeof fields / sizeof fields[0] };
    int64_t first = 0;
    for (int b = 0; b < OBJECTS; ++b) {
        int32_t cells = mesh_of(r, b)->cell_count;
        double *own[FIELDS];
        for (int f = 0; f < FIELDS; ++f)
            own[f] = calloc((size_t)(cells * fields[f].components), sizeof *own[f]);
        PalCellFields wanted = {own[0],         own[1],        (void *)own[2], (void *)own[3],
                                own[4],         own[5],        (void *)own[6], (void *)own[7],
                                (void *)own[8], (void *)own[9]};
        if (b < SOFT)
            assert_int_equal(pal_sim_cell_fields(r->touch.run, b, &wanted), PAL_OK);
        for (int f = 0; f < FIELDS; ++f) {
            VtuArray all = vtu_read(&r->frame, fields[f].name);
            double most = 0;
            for (int64_t i = 0; i < cells * fields[f].components; ++i) {
                check_near(all.values[first * fields[f].components + i], own[f][i], 0);
                most = fmax(most, fabs(own[f][i]));
            }
            assert_true((most > 0) == (b == SHEET || (b < SHEET && f < 5)));
            free(all.values);
            free(own[f]);
        }
        first += cells;
    }
}

// The volume of a tetrahedron now, over that at rest.
static void volumes_are_those_of_the_points(void **state)
{
    const Run *r = *state;
    VtuArray ratio = vtu_read(&r->frame, "volume_ratio");
    const PalMesh *ball = mesh_of(r, BALL);
    int32_t first_cell = mesh_of(r, SLAB)->cell_count, first_node = mesh_of(r, SLAB)->node_count;
    for (int32_t e = 0; e < ball->cell_count; ++e) {
        PalVec3 X[4], x[4];
        for (int a = 0; a < 4; ++a) {
            X[a] = ball->nodes[ball->cells[4 * e + a]];
            x[a] = vector_of(&r->points, first_node + ball->cells[4 * e + a]);
        }
        double rest =
            pal_vec3_dot(pal_vec3_cross(pal_vec3_sub(X[1], X[0]), pal_vec3_sub(X[2], X[0])),
                         pal_vec3_sub(X[3], X[0]));
        double now =
            pal_vec3_dot(pal_vec3_cross(pal_vec3_sub(x[1], x[0]), pal_vec3_sub(x[2], x[0])),
                         pal_vec3_sub(x[3], x[0]));
        check_near(ratio.values[first_cell + e], now / rest, 1e-10);
    }
    free(ratio.values);
}

// What a facet adds to the force that its corners feel along its normal, to their areas, and to the
// squares of the parts these count with.
static void add_facet(const Run *r, const int64_t *corners, int count, const VtuArray *force,
                      double (*sums)[3])
{
    PalVec3 area = {0, 0, 0}, origin = vector_of(&r->points, corners[0]);
    for (int a = 1; a + 1 < count; ++a)
        area = pal_vec3_add_scaled(
            area, 0.5,
            pal_vec3_cross(pal_vec3_sub(vector_of(&r->points, corners[a]), origin),
                           pal_vec3_sub(vector_of(&r->points, corners[a + 1]), origin)));
    for (int a = 0; a < count; ++a) {
        PalVec3 f = vector_of(force, corners[a]);
        double inward = -pal_vec3_dot(f, area) / count, share = pal_vec3_length(area) / count;
        double part = (inward / (pal_vec3_length(f) * share) - 0.3) / 0.2;
        if (part > 0) {
            part = fmin(part, 1);
            sums[corners[a]][0] += part * inward;
            sums[corners[a]][1] += part * share;
            sums[corners[a]][2] += part * part * share;
        }
    }
}

static void pressures_are_forces_over_areas(void **state)
{
    const Run *r = *state;
    PalSim *sim = r->touch.run;
    const PalModel *model = pal_sim_model(sim);
    VtuArray force = vtu_read(&r->frame, "contact_force");
    VtuArray pressure = vtu_read(&r->frame, "contact_pressure");
    double(*sums)[3] = calloc((size_t)pressure.count, sizeof *sums), area = 0, load = 0, most = 0;
    for (int b = 0; b < SOFT; ++b) {
        const PalSurface *surface = model->bodies[b].surface;
        for (int32_t f = 0; f < surface->facet_count; ++f) {
            int64_t corners[4];
            for (int a = 0; a < surface->corner_count; ++a)
                corners[a] =
                    model->bodies[b].first_node + surface->facets[f * surface->corner_count + a];
            add_facet(r, corners, surface->corner_count, &force, sums);
        }
    }
    const PalMesh *slab = mesh_of(r, SLAB);
    double *felt = calloc((size_t)slab->node_count, sizeof *felt);
    double *areas = calloc((size_t)slab->node_count, sizeof *areas);
    for (int64_t n = 0; n < pressure.count; ++n) {
        double around = sums[n][1] > 0 ? sums[n][1] * sums[n][1] / sums[n][2] : 0;
        double expected = around > 0 ? sums[n][0] / (around * around) : 0;
        PalVec3 contact = {0, 0, 0};
        if (n < model->node_count)
            contact = pal_sim_state(sim)->contact[n];
        check_vector(vector_of(&force, n), contact, 0);
        check_near(pressure.values[n], expected, 1e-12 * expected);
        if (n >= slab->node_count || slab->nodes[n].z < -1e-9)
            continue;
        felt[n] = expected;
        areas[n] = around;
        most = fmax(most, expected);
    }
    for (int32_t n = 0; n < slab->node_count; ++n) {
        area += areas[n] * fmin(felt[n] / (0.01 * most), 1);
        load += areas[n] * felt[n];
    }
    assert_true(most > 0);
    PalVec3 told = pal_output_probe_value(r->output, TOUCHED_AREA);
    check_vector(told, pal_vec3(area, load / area, most), 1e-9 * most);
    free(sums);
    free(felt);
    free(areas);
    free(force.values);
    free(pressure.values);
}

static void contacts_are_those_of_the_simulation(void **state)
{
    const Run *r = *state;
    int32_t count;
    const PalContactPoint *points = pal_sim_contacts(r->touch.run, &count);
    static const char *const columns[] = {"Points", "force", "normal", "gap",     "normal_force",
                                          "bodies", "kind",  "slips",  "offsets", "connectivity"};
    VtuArray a[10];
    for (int c = 0; c < 10; ++c)
        a[c] = vtu_read(&r->contacts, columns[c]);
    assert_int_equal(a[3].count, count);
    for (int32_t i = 0; i < count; ++i) {
        const PalContactPoint *p = &points[i];
        check_vector(vector_of(&a[0], i),
                     pal_vec3_scale(0.5, pal_vec3_add(p->position[0], p->position[1])), 1e-14);
        check_vector(vector_of(&a[1], i), p->force, 0);
        check_vector(vector_of(&a[2], i), p->normal, 0);
        check_near(a[3].values[i], p->gap, 0);
        check_near(a[4].values[i], p->normal_force, 0);
        check_near(a[5].values[2 * i], p->objects[0], 0);
        check_near(a[5].values[2 * i + 1], p->objects[1], 0);
        check_near(a[6].values[i], p->kind, 0);
        check_near(a[7].values[i], p->slips, 0);
        check_near(a[8].values[i], i + 1, 0);
        check_near(a[9].values[i], i, 0);
    }
    for (int c = 0; c < 10; ++c)
        free(a[c].values);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(points_move),
    cmocka_unit_test(cells_are_those_of_the_meshes),
    cmocka_unit_test(fields_are_those_of_the_cells),
    cmocka_unit_test(volumes_are_those_of_the_points),
    cmocka_unit_test(pressures_are_forces_over_areas),
    cmocka_unit_test(contacts_are_those_of_the_simulation),
};
CHECK_GROUP(tests, everything_begin, everything_end)
