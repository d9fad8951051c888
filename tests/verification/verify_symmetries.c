// What must not matter does not: the units of a scene, how it is turned in space, and in which
// order its bodies are listed.
#include "check.h"

#include "math/vec3.h"

#include <palpate/scene.h>

// How a scene is written down. Factors are powers of 4, so that all numbers scale without rounding.
typedef struct View {
    double length, mass, time;
    bool turned;    // x to y, y to z, z to x
    bool reversed;  // bodies in the other order
    const char *response, *method;
    int steps;
} View;

enum { SLAB, BALL, BODIES };

static PalVec3 turn(const View *view, PalVec3 v)
{
    return view->turned ? pal_vec3(v.z, v.x, v.y) : v;
}

static void put_vector(FILE *file, const View *view, double unit, PalVec3 v)
{
    PalVec3 u = turn(view, v);
    fprintf(file, "[%.17g, %.17g, %.17g]", unit * u.x, unit * u.y, unit * u.z);
}

static void put_place(FILE *file, const View *view, PalVec3 at)
{
    fprintf(file, "    place: {scale: %.17g, translate: ", view->length);
    put_vector(file, view, view->length, at);
    if (view->turned)
        fprintf(file, ", rotate: {axis: [1, 1, 1], degrees: 120}");
    fprintf(file, "}\n");
}

static void put_body(FILE *file, const View *view, int body)
{
    double speed = view->length / view->time;
    double density = view->mass / (view->length * view->length * view->length);
    double pressure = view->mass / (view->length * view->time * view->time);
    fprintf(file, "  - name: %s\n    shape: %s\n", body == SLAB ? "slab" : "ball",
            body == SLAB ? "{box: [2, 1.75, 0.75], cells: [4, 3, 2]}"
                         : "{ellipsoid: [0.625, 0.5, 0.5], cells: 5}");
    put_place(file, view, body == SLAB ? pal_vec3(0, 0, 0) : pal_vec3(0.125, -0.0625, 0.890625));
    fprintf(file, "    velocity: ");
    put_vector(file, view, speed, body == SLAB ? pal_vec3(0, 0, 0) : pal_vec3(1, 0.25, -2));
    fprintf(file, "\n    material: {law: neo-hookean, shear: %.17g, bulk: %.17g, density: %.17g}\n",
            300 * pressure, 900 * pressure, 20 * density);
}

static void put_scene(FILE *file, const View *view)
{
    double force = view->mass * view->length / (view->time * view->time);
    fprintf(file, "name: symmetries\nbodies:\n");
    for (int b = 0; b < BODIES; ++b)
        put_body(file, view, view->reversed ? BODIES - 1 - b : b);
    fprintf(file, "rigid:\n  - name: plate\n    shape: {box: [0.25, 1, 1.25]}\n");
    put_place(file, view, pal_vec3(-0.90625, 0.0625, 1.125));
    fprintf(file, "    motion: {ramp: linear, translate: ");
    put_vector(file, view, view->length, pal_vec3(0.5, 0.0625, 0));
    fprintf(file, "}\nconditions:\n  - {gravity: ");
    put_vector(file, view, view->length / (view->time * view->time), pal_vec3(0, 0.5, -9));
    fprintf(file, "}\n  - {body: slab, where: {plane: %s}, fix: xyz}\n",
            view->turned ? "x-min" : "z-min");
    fprintf(file, "  - {body: ball, where: all, ramp: step, force: ");
    put_vector(file, view, force, pal_vec3(1, 2, -3));
    fprintf(file, "}\ncontact:\n  - {between: all, friction: 0.25, response: %s}\n",
            view->response);
    fprintf(file, "solver: {method: %s, damping: %.17g, time: %.17g}\n", view->method,
            0.5 / view->time, 0.25 * view->time);
}

static PalSim *run(const View *view, PalScene **scene)
{
    char folder[] = "symmetries-XXXXXX", path[64];
    PalError error = {0};
    PalSim *sim = NULL;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/scene.yaml", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    put_scene(file, view);
    fclose(file);
    check_ok(pal_scene_read(path, NULL, scene, &error), &error);
    remove(path);
    remove(folder);
    check_ok(pal_sim_create(pal_scene_sim(*scene), &sim, &error), &error);
    for (int step = 0; step < view->steps; ++step)
        check_ok(pal_sim_step(sim, &error), &error);
    return sim;
}

// The largest difference of displacements, as a part of the largest displacement.
static double difference(const View *one, const View *other)
{
    PalScene *scenes[2];
    PalSim *sims[2] = {run(one, &scenes[0]), run(other, &scenes[1])};
    const PalModel *models[2] = {pal_sim_model(sims[0]), pal_sim_model(sims[1])};
    double scale = other->length / one->length, largest = 0, off = 0;
    for (int b = 0; b < BODIES; ++b) {
        int c = one->reversed != other->reversed ? BODIES - 1 - b : b;
        const PalVec3 *u = pal_sim_state(sims[0])->displacement + models[0]->bodies[b].first_node;
        const PalVec3 *w = pal_sim_state(sims[1])->displacement + models[1]->bodies[c].first_node;
        assert_string_equal(models[0]->bodies[b].name, models[1]->bodies[c].name);
        for (int32_t n = 0; n < models[0]->bodies[b].mesh->node_count; ++n) {
            PalVec3 same = one->turned == other->turned ? u[n] : turn(other, u[n]);
            PalVec3 d = pal_vec3_sub(pal_vec3_scale(scale, same), w[n]);
            largest = fmax(largest, scale * pal_vec3_length(u[n]));
            off = fmax(off, pal_vec3_length(d));
        }
    }
    assert_true(pal_sim_contact_report(sims[0]).contact_count > 4);
    assert_int_equal(pal_sim_contact_report(sims[0]).contact_count,
                     pal_sim_contact_report(sims[1]).contact_count);
    double energy = other->mass / one->mass * pow(scale * one->time / other->time, 2);
    PalEnergy a = pal_sim_energy(sims[0]), z = pal_sim_energy(sims[1]);
    const double pairs[][2] = {{a.kinetic, z.kinetic},
                               {a.strain, z.strain},
                               {a.external_work, z.external_work},
                               {a.contact_work, z.contact_work}};
    for (int i = 0; i < 4; ++i)
        off = fmax(off, 0.1 * largest * fabs(energy * pairs[i][0] / pairs[i][1] - 1));
    for (int i = 0; i < 2; ++i) {
        pal_sim_destroy(sims[i]);
        pal_scene_destroy(scenes[i]);
    }
    return off / largest;
}

static const View plain = {
    .length = 1, .mass = 1, .time = 1, .response = "lagrange", .method = "explicit", .steps = 25};

// Every length, mass and time is relative to others; what is left are powers of two.
static void units_do_not_matter(void **state)
{
    (void)state;
    static const char *const responses[] = {"lagrange", "johnsen2015", "material-depth"};
    static const char *const methods[] = {"explicit", "newmark", "explicit"};
    for (int i = 0; i < 3; ++i) {
        View one = plain;
        one.response = responses[i];
        one.method = methods[i];
        View small = one, large = one;
        small.length = 0x1p-10, small.mass = 0x1p-16, small.time = 0x1p-6;
        large.length = 0x1p10, large.mass = 0x1p14, large.time = 0x1p4;
        check_near(difference(&one, &small), 0, 1e-12);
        check_near(difference(&one, &large), 0, 1e-12);
    }
}

static void direction_does_not_matter(void **state)
{
    (void)state;
    View turned = plain;
    turned.turned = true;
    check_near(difference(&plain, &turned), 0, 1e-6);
    View one = plain, other = turned;
    one.response = other.response = "johnsen2012";
    check_near(difference(&one, &other), 0, 1e-6);
}

static void order_does_not_matter(void **state)
{
    (void)state;
    View reversed = plain;
    reversed.reversed = true;
    check_near(difference(&plain, &reversed), 0, 1e-4);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(units_do_not_matter),
    cmocka_unit_test(direction_does_not_matter),
    cmocka_unit_test(order_does_not_matter),
};
CHECK_GROUP(tests, NULL, NULL)
