// Blocks with meshes that do not match, pressed on each other: pressure passes evenly, the state of
// rest is as calm as that of one solid block, and gaps are what they should be.
// docs/theory/contact-checks.md
#include "touch.h"

static const double YOUNG = 1e4, DENSITY = 100, EDGE = 0.2, GAP = 0.002 * 0.2;

typedef struct Stack {
    double pressure;
    int32_t cells[2][3];  // of the lower and the upper block
    PalElementKind element;
    double poisson;
    double damping;
    bool on_rigid;  // the lower block lies on a rigid plane
} Stack;

// The lowest side along an axis slides on a wall.
static void hold(Touch *t, int32_t body, int axis)
{
    PalConditionDef *fix = touch_side(t, body, PAL_CONDITION_FIX, axis, false);
    for (int i = 0; i < 3; ++i)
        fix->axes[i] = i == axis;
}

// On the highest side, grown by half of the time.
static void add_load(Touch *t, int32_t body, double pressure)
{
    PalConditionDef *load = touch_side(t, body, PAL_CONDITION_PRESSURE, 2, true);
    load->pressure = pressure;
    load->ramp = (PalRamp){.kind = PAL_RAMP_SMOOTH, .until = t->sim.solver.time / 2};
}

static Touch press(const Stack *stack, double time)
{
    Touch t = touch_nothing(time);
    double bottom = 0;
    t.sim.solver.damping = stack->damping;
    t.sim.contact.separation = GAP;
    for (int b = 0; b < 2; ++b) {
        PalMesh *mesh =
            touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 0.5), stack->cells[b],
                        pal_element_cell(stack->element), pal_vec3(0, 0, bottom + 0.25));
        touch_add_mesh(&t, mesh, YOUNG, stack->poisson, DENSITY);
        t.bodies[b].element = stack->element;
        bottom += 0.5 + GAP;
    }
    if (stack->on_rigid) {
        touch_add_rigid(&t, touch_shape(PAL_SHAPE_BOX, pal_vec3(3, 3, 0.2), (int32_t[]){3, 3, 1},
                                        PAL_CELL_TRIANGLE, pal_vec3(0.1, 0.2, -0.1 - GAP)));
        touch_pair(&t, 0, 2, 0);
    } else {
        hold(&t, 0, 2);
    }
    // what keeps the blocks from drifting sideways
    for (int b = 0; b < 2; ++b)
        for (int i = 0; i < 2; ++i)
            hold(&t, b, i);
    add_load(&t, 1, stack->pressure);
    touch_pair(&t, 0, 1, 0);
    touch_start(&t);
    return t;
}

// Areas the nodes of a body's lowest or highest side answer for, in the current shape.
static double *areas_of(const Touch *t, int32_t b, double height)
{
    const PalModel *model = pal_sim_model(t->run);
    const PalBody *body = &model->bodies[b];
    const PalSurface *surface = body->surface;
    double *areas = calloc((size_t)body->mesh->node_count, sizeof *areas);
    for (int32_t f = 0; f < surface->facet_count; ++f) {
        const int32_t *corners = &surface->facets[surface->corner_count * f];
        PalVec3 x[4];
        bool flat = true;
        for (int k = 0; k < surface->corner_count; ++k) {
            flat = flat && fabs(body->mesh->nodes[corners[k]].z - height) < 1e-9;
            x[k] = pal_vec3_add(body->mesh->nodes[corners[k]],
                                pal_sim_state(t->run)->displacement[body->first_node + corners[k]]);
        }
        PalVec3 a = pal_vec3_sub(x[1], x[0]), c = pal_vec3_sub(x[2], x[0]);
        if (surface->corner_count == 4) {
            a = pal_vec3_sub(x[2], x[0]);
            c = pal_vec3_sub(x[3], x[1]);
        }
        double area = pal_vec3_length(pal_vec3_cross(a, c)) / 2;
        for (int k = 0; flat && k < surface->corner_count; ++k)
            areas[corners[k]] += area / surface->corner_count;
    }
    return areas;
}

// The worst relative error of contact pressure at the nodes of a side.
static double pressure_error(const Touch *t, int32_t b, double height, double pressure)
{
    const PalBody *body = &pal_sim_model(t->run)->bodies[b];
    double *areas = areas_of(t, b, height), worst = 0;
    int32_t count = 0;
    for (int32_t n = 0; n < body->mesh->node_count; ++n) {
        if (areas[n] == 0)
            continue;
        double force = fabs(pal_sim_state(t->run)->contact[body->first_node + n].z);
        worst = fmax(worst, fabs(force / areas[n] / pressure - 1));
        ++count;
    }
    assert_true(count > 4);
    free(areas);
    return worst;
}

static double stress_error(Touch *t, double pressure)
{
    int32_t count = pal_sim_model(t->run)->cell_count;
    double(*stress)[6] = calloc((size_t)count, sizeof *stress), worst = 0;
    PalCellFields fields = {.stress = stress};
    assert_int_equal(pal_sim_cell_fields(t->run, PAL_NONE, &fields), PAL_OK);
    for (int32_t e = 0; e < count; ++e)
        for (int i = 0; i < 6; ++i)
            worst = fmax(worst, fabs(stress[e][i] - (i == 2 ? -pressure : 0)) / pressure);
    free(stress);
    return worst;
}

// What the end of a run, after the load has come to its full size, looks like.
typedef struct Rest {
    double kinetic;               // mean of its absolute value
    double node_gap, edge_gap;    // largest separation - gap of contacts that carry force
    double stress, lower, upper;  // relative errors
} Rest;

static Rest wait(Touch *t, double pressure)
{
    Rest rest = {0};
    int32_t steps = 0;
    while (!pal_sim_finished(t->run)) {
        PalError error = {0};
        check_ok(pal_sim_step(t->run, &error), &error);
        if (pal_sim_state(t->run)->time < 0.75 * t->sim.solver.time)
            continue;
        ++steps;
        rest.kinetic += fabs(pal_sim_energy(t->run).kinetic);
        int32_t count;
        const PalContactPoint *points = pal_sim_contacts(t->run, &count);
        for (int32_t i = 0; i < count; ++i) {
            bool edges = points[i].kind == PAL_CONTACT_EDGE_EDGE;
            double *worst = edges ? &rest.edge_gap : &rest.node_gap;
            *worst = fmax(*worst, GAP - points[i].gap);
        }
    }
    rest.kinetic /= steps;
    rest.stress = stress_error(t, pressure);
    return rest;
}

static Rest rest_on(const Stack *stack)
{
    Touch t = press(stack, 10);
    Rest rest = wait(&t, stack->pressure);
    rest.lower = pressure_error(&t, 0, 0.5, stack->pressure);
    rest.upper = pressure_error(&t, 1, 0.5 + GAP, stack->pressure);
    PalContactReport report = pal_sim_contact_report(t.run);
    PalEnergy energy = pal_sim_energy(t.run);
    print_message("%s, %dx%d on %dx%d cells, poisson %.1f%s, pressure %.0f: stress off by %.4f, "
                  "contact pressure "
                  "by %.4f and %.4f; gaps by %.1e, of edges %.1e; kinetic energy %.1e of %.1e; "
                  "energy drift %.1e\n",
                  pal_element_name(stack->element), stack->cells[1][0], stack->cells[1][1],
                  stack->cells[0][0], stack->cells[0][1], stack->poisson,
                  stack->on_rigid ? ", on a plane" : "", stack->pressure, rest.stress, rest.lower,
                  rest.upper, rest.node_gap, rest.edge_gap, rest.kinetic, energy.strain,
                  pal_energy_drift(&energy));
    assert_true(report.worst_penetration == 0 && report.rescues == 0);
    assert_true(fabs(pal_energy_drift(&energy)) < 1e-6);
    touch_end(&t);
    return rest;
}

static double solid_kinetic(const Stack *stack)
{
    Touch t = touch_nothing(10);
    PalMesh *mesh = touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 1), (int32_t[]){5, 5, 6},
                                pal_element_cell(stack->element), pal_vec3(0, 0, 0.5));
    touch_add_mesh(&t, mesh, YOUNG, stack->poisson, DENSITY);
    t.bodies[0].element = stack->element;
    t.sim.solver.damping = stack->damping;
    for (int i = 0; i < 3; ++i)
        hold(&t, 0, i);
    add_load(&t, 0, stack->pressure);
    touch_start(&t);
    double kinetic = wait(&t, stack->pressure).kinetic;
    touch_end(&t);
    return kinetic;
}

static void check_patch(Stack stack)
{
    Rest rest = rest_on(&stack);
    assert_true(rest.stress < 0.02);
    assert_true(rest.lower < 0.02 && rest.upper < 0.02);
    assert_true(rest.node_gap < 1e-6 * EDGE);
}

// Compressed by 1 % and by 4 %.
static void test_patch(void **state)
{
    (void)state;
    static const int32_t across[][2] = {{4, 4}, {7, 4}, {3, 3}, {2, 8}, {10, 10}};
    for (int i = 0; i < 2; ++i) {
        Stack stack = {.pressure = i ? 400 : 100, .cells = {{5, 5, 3}, {4, 4, 2}}, .damping = 5};
        check_patch(stack);
        stack.poisson = 0.3;
        check_patch(stack);
        stack.on_rigid = true;
        for (int k = 0; k < 10; ++k) {
            stack.element = k % 2 ? PAL_ELEMENT_H8 : PAL_ELEMENT_T4;
            memcpy(stack.cells[1], across[k / 2], sizeof across[0]);
            check_patch(stack);
        }
    }
}

// Without damping: what the load has set in motion goes on, contact must add nothing to it.
static void test_rest(void **state)
{
    (void)state;
    Stack stack = {.pressure = 400, .cells = {{5, 5, 3}, {4, 4, 2}}};
    for (int i = 0; i < 2; ++i) {
        stack.poisson = 0.3 * i;
        double solid = solid_kinetic(&stack), blocks = rest_on(&stack).kinetic;
        print_message("  one block: kinetic energy %.1e, two: %.1f times that\n", solid,
                      blocks / solid);
        assert_true(blocks < 10 * solid);
    }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(test_patch),
                                          cmocka_unit_test(test_rest)};
CHECK_GROUP(tests, NULL, NULL)
