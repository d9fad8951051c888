// History, probes and summary of a run, read back from their files: they say what the simulation
// says, or what is worked out here by plain loops.
#include "everything.h"

#include "math/quaternion.h"

static const double *row_of(const Run *r, int32_t row)
{
    return r->history.values + (int64_t)row * r->history.column_count;
}

static double column_of(const Run *r, int32_t row, const char *name)
{
    for (int32_t c = 0; c < pal_history_column_count(); ++c)
        if (strcmp(pal_history_column_name(c), name) == 0)
            return row_of(r, row)[c];
    fail_msg("no column %s", name);
    return 0;
}

static void the_last_row_is_the_last_state(void **state)
{
    const Run *r = *state;
    PalSim *sim = r->touch.run;
    PalEnergy energy = pal_sim_energy(sim);
    PalVec3 momentum = pal_sim_momentum(sim), turning = pal_sim_angular_momentum(sim);
    PalContactReport contact = pal_sim_contact_report(sim);
    int32_t last = FRAMES + 1;
    assert_int_equal(r->history.row_count, FRAMES + 2);
    const struct {
        const char *name;
        double value;
    } columns[] = {{"time", FRAMES * EVERY},
                   {"steps", (double)pal_sim_state(sim)->step_count},
                   {"step", pal_sim_state(sim)->step},
                   {"kinetic", energy.kinetic},
                   {"strain", energy.strain},
                   {"external_work", energy.external_work},
                   {"contact_work", energy.contact_work},
                   {"dissipated", energy.dissipated},
                   {"total", energy.kinetic + energy.strain},
                   {"drift", pal_energy_drift(&energy)},
                   {"momentum.x", momentum.x},
                   {"momentum.y", momentum.y},
                   {"momentum.z", momentum.z},
                   {"angular_momentum.x", turning.x},
                   {"angular_momentum.y", turning.y},
                   {"angular_momentum.z", turning.z},
                   {"load", FRAMES * EVERY},
                   {"penetration", contact.penetration},
                   {"contacts", contact.contact_count},
                   {"frame", FRAMES}};
    for (size_t c = 0; c < sizeof columns / sizeof columns[0]; ++c)
        check_near(column_of(r, last, columns[c].name), columns[c].value,
                   1e-14 * fabs(columns[c].value));
    check_near(column_of(r, 0, "time"), 0, 0);
    check_near(column_of(r, last - 1, "frame"), PAL_NONE, 0);
    check_near(column_of(r, last - 1, "time"), (FRAMES - 0.5) * EVERY, 0.1 * EVERY);
}

static PalVec3 probe_at(const Run *r, int32_t row, int probe)
{
    const double *values = row_of(r, row) + pal_history_column_count() + 3 * probe;
    return pal_vec3(values[0], values[1], values[2]);
}

// By loops over the points and the contacts of the last frame.
static void probes_tell_what_is_there(void **state)
{
    const Run *r = *state;
    PalSim *sim = r->touch.run;
    VtuArray moved = vtu_read(&r->frame, "displacement"), speed = vtu_read(&r->frame, "velocity");
    const PalMesh *ball = mesh_of(r, BALL), *slab = mesh_of(r, SLAB), *plate = mesh_of(r, PLATE);
    PalVec3 sums[PROBES] = {{0, 0, 0}};
    int32_t count = 0;
    double top = -INFINITY;
    for (int32_t n = 0; n < ball->node_count; ++n)
        top = fmax(top, ball->nodes[n].z);
    for (int32_t n = 0; n < ball->node_count; ++n) {
        if (ball->nodes[n].z < top - 1e-9)
            continue;
        sums[TIP] = pal_vec3_add(sums[TIP], vector_of(&moved, slab->node_count + n));
        sums[TIP_SPEED] = pal_vec3_add(sums[TIP_SPEED], vector_of(&speed, slab->node_count + n));
        sums[TIP_PLACE] =
            pal_vec3_add(sums[TIP_PLACE], vector_of(&r->points, slab->node_count + n));
        ++count;
    }
    for (int p = TIP; p <= TIP_PLACE; ++p)
        sums[p] = pal_vec3_scale(1.0 / count, sums[p]);
    int32_t first = pal_sim_model(sim)->node_count;
    for (int32_t n = 0; n < plate->node_count; ++n)
        sums[PLATE_PLACE] = pal_vec3_add_scaled(sums[PLATE_PLACE], 1.0 / plate->node_count,
                                                vector_of(&r->points, first + n));
    int32_t contact_count;
    const PalContactPoint *contacts = pal_sim_contacts(sim, &contact_count);
    for (int32_t i = 0; i < contact_count; ++i) {
        const PalContactPoint *c = &contacts[i];
        if (c->objects[0] == SLAB && c->objects[1] == BALL)
            sums[PUSH] = pal_vec3_sub(sums[PUSH], c->force);
        if (c->objects[1] == PLATE)
            sums[PLATE_FORCE] = pal_vec3_sub(sums[PLATE_FORCE], c->force);
    }
    for (int32_t n = 0; n < slab->node_count; ++n)  // held and at rest
        if (slab->nodes[n].z < -0.499)
            sums[BASE_FORCE] = pal_vec3_sub(sums[BASE_FORCE], pal_sim_state(sim)->force[n]);
    PalPose pose;
    pal_sim_rigid_motion(sim, TOOL - SOFT, &pose, (PalTwist[1]){{{0, 0, 0}, {0, 0, 0}}});
    for (int p = 0; p < BALL_VOLUME; ++p) {
        check_vector(probe_at(r, FRAMES + 1, p), sums[p], 1e-9 * (1e-3 + pal_vec3_length(sums[p])));
        check_vector(pal_output_probe_value(r->output, p), sums[p],
                     1e-9 * (1e-3 + pal_vec3_length(sums[p])));
    }
    assert_true(sums[PUSH].z > 0 && pal_vec3_length(sums[BASE_FORCE]) > 0);
    check_vector(probe_at(r, FRAMES + 1, STILL), pal_vec3(0, 0, 0), 0);
    free(moved.values);
    free(speed.values);
}

// The number or the first of the numbers after keys, each looked for behind the one before.
static const char *find_key(const Run *r, const char *const *keys)
{
    const char *at = r->summary.data;
    for (int k = 0; k < 3 && keys[k] != NULL; ++k) {
        char key[64];
        bool whole = strchr(keys[k], '{') != NULL;
        snprintf(key, sizeof key, whole ? "\"%s" : "\"%s\":", keys[k]);
        at = strstr(at, key);
        if (at == NULL)
            fail_msg("no %s in the summary", keys[k]);
        at += strlen(key);
    }
    return at + strspn(at, " [\n");
}

static double told(const Run *r, const char *key, const char *then)
{
    return strtod(find_key(r, (const char *[]){key, then, NULL}), NULL);
}

static PalVec3 told_vector(const Run *r, const char *key, const char *then, const char *last)
{
    char *next;
    double x = strtod(find_key(r, (const char *[]){key, then, last}), &next);
    double y = strtod(next + 1, &next);
    return pal_vec3(x, y, strtod(next + 1, NULL));
}

static void the_summary_tells_of_the_bodies(void **state)
{
    const Run *r = *state;
    PalSim *sim = r->touch.run;
    const PalModel *model = pal_sim_model(sim);
    VtuArray speed = vtu_read(&r->frame, "velocity");
    int64_t n = 0;
    for (int b = 0; b < OBJECTS; ++b) {
        PalVec3 centre = {0, 0, 0}, velocity = {0, 0, 0};
        const PalMesh *mesh = mesh_of(r, b);
        double mass = 0;
        for (int32_t k = 0; k < mesh->node_count; ++k, ++n) {
            double weight = b < SOFT ? model->mass[n] : 1;
            mass += weight;
            centre = pal_vec3_add_scaled(centre, weight, vector_of(&r->points, n));
            velocity = pal_vec3_add_scaled(velocity, weight, vector_of(&speed, n));
        }
        // the middle of the tool is its centre of mass
        check_vector(told_vector(r, "bodies\": {", names[b], "centroid"),
                     pal_vec3_scale(1 / mass, centre), 1e-9);
        check_vector(told_vector(r, "bodies\": {", names[b], "velocity"),
                     pal_vec3_scale(1 / mass, velocity), 1e-9);
        check_near(told_vector(r, "bodies\": {", names[b], "nodes").x, mesh->node_count, 0);
        check_near(told_vector(r, "bodies\": {", names[b], "elements").x, mesh->cell_count, 0);
        if (b < SOFT)
            check_near(told_vector(r, "bodies\": {", names[b], "mass").x, mass, 1e-9 * mass);
    }
    PalPose pose;
    PalTwist twist;
    pal_sim_rigid_motion(sim, TOOL - SOFT, &pose, &twist);
    check_near(told_vector(r, "bodies\": {", "tool", "mass").x, 5 * 0.2 * 0.3 * 0.4, 1e-9);
    check_vector(told_vector(r, "bodies\": {", "tool", "spin"), twist.spin, 1e-12);
    check_vector(
        told_vector(r, "bodies\": {", "tool", "moments"),
        pal_vec3(0.12 / 12 * (0.04 + 0.09), 0.12 / 12 * (0.04 + 0.16), 0.12 / 12 * (0.09 + 0.16)),
        1e-9);
    PalQuaternion turned = pal_quaternion_from_matrix(&pose.rotation);
    check_vector(told_vector(r, "bodies\": {", "tool", "rotation"),
                 pal_quaternion_rotation_vector(turned), 1e-12);
    free(speed.values);
}

static void the_summary_tells_of_the_whole(void **state)
{
    const Run *r = *state;
    PalSim *sim = r->touch.run;
    PalEnergy energy = pal_sim_energy(sim);
    PalContactReport contact = pal_sim_contact_report(sim);
    double steps = (double)pal_sim_state(sim)->step_count, worst = 0, scale = 0;
    const PalCounters *counters = pal_sim_counters(sim);
    for (int32_t i = 0; i < r->history.row_count; ++i) {
        double total = fabs(column_of(r, i, "total")), first = column_of(r, 0, "total");
        double now = fmax(fmax(total, first), fmax(fabs(column_of(r, i, "external_work")),
                                                   fabs(column_of(r, i, "dissipated"))));
        worst = fmax(worst, fabs(column_of(r, i, "drift")) * now);
        scale = fmax(scale, now);
    }
    check_near(told(r, "worst_drift", NULL), worst / scale, 1e-9 * worst / scale);
    check_near(told(r, "steps", NULL), steps, 0);
    check_near(told(r, "time", NULL), FRAMES * EVERY, 1e-15);
    check_near(told(r, "step", NULL), pal_sim_state(sim)->step, 1e-15);
    check_near(told(r, "frames", NULL), FRAMES + 1, 0);
    assert_true(told(r, "wall_seconds", NULL) >= 100);
    assert_true(told(r, "wall_seconds", NULL) < 200);
    assert_true(told(r, "stages", "output") > 0);
    check_near(told(r, "counters", "node_facet"), (double)counters->node_facet / steps, 1e-9);
    check_near(told(r, "counters", "volume_tests"), (double)counters->volume_tests / steps, 1e-9);
    check_near(told(r, "energy", "initial"), column_of(r, 0, "total"), 1e-12);
    check_near(told(r, "energy", "kinetic"), energy.kinetic, 1e-12);
    check_near(told(r, "energy", "dissipated"), energy.dissipated, 1e-12);
    check_vector(told_vector(r, "momentum", "initial", NULL), r->first_momentum, 1e-12);
    check_vector(told_vector(r, "momentum", "final", NULL), pal_sim_momentum(sim), 1e-12);
    check_vector(told_vector(r, "angular_momentum", "final", NULL), pal_sim_angular_momentum(sim),
                 1e-12);
    check_near(told(r, "penetration\": {", "worst"), contact.worst_penetration, 0);
    check_near(told(r, "contact\": {", "count"), contact.contact_count, 0);
    check_near(told(r, "contact\": {", "most"), contact.most_contacts, 0);
    check_near(told(r, "contact\": {", "queries"), (double)contact.queries, 0);
    check_vector(told_vector(r, "probes\": {", "tip_place", NULL),
                 probe_at(r, FRAMES + 1, TIP_PLACE), 1e-14);
    char hash[48];
    snprintf(hash, sizeof hash, "\"state_hash\": \"%016llx\"",
             (unsigned long long)pal_sim_hash(sim));
    assert_non_null(strstr(r->summary.data, hash));
}

// The largest of the rows, and whether there was anything at all.
static void peaks_are_those_of_the_history(void **state)
{
    const Run *r = *state;
    for (int p = 0; p < PROBES; ++p) {
        double most = -1, time = 0;
        for (int32_t i = 0; i < r->history.row_count; ++i) {
            double size = pal_vec3_length(probe_at(r, i, p));
            time = size > most ? column_of(r, i, "time") : time;
            most = fmax(most, size);
        }
        PalProbePeak peak = pal_output_probe_peak(r->output, p);
        check_near(pal_vec3_length(peak.value), most, 1e-12 * most);
        check_near(peak.time, time, 0);
        assert_int_equal(pal_output_probe_silent(r->output, p), p == STILL);
    }
    assert_true(pal_output_probe_silent(r->output, -1));
    check_near(pal_output_probe_value(r->output, PROBES + 100).x, 0, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_last_row_is_the_last_state),
    cmocka_unit_test(probes_tell_what_is_there),
    cmocka_unit_test(the_summary_tells_of_the_bodies),
    cmocka_unit_test(the_summary_tells_of_the_whole),
    cmocka_unit_test(peaks_are_those_of_the_history),
};
CHECK_GROUP(tests, everything_begin, everything_end)
