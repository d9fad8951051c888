// Hertz: a block whose face is a cap of a sphere, pressed on a rigid plane and on another cap.
// Force against approach, and the radius of contact.   docs/theory/contact-checks.md
//
// Hertz's approach is that of points far away in half-spaces. Here it is taken between the
// surface and a node at a depth of about three radii of contact; what lies beyond is added from his
// solution on the axis, so that neither size nor support of the block matters.
#include "touch.h"

static const double POISSON = 0.3, DENSITY = 100, HALF_WIDTH = 1.5, HEIGHT = 1.5, GRADE = 3.5,
                    GAP = 2e-5;

typedef struct Cap {
    double radius, young;
    int32_t across;  // cells
    PalElementKind element;
    int32_t node;  // on the axis, at some depth
    double depth;
    double facet;              // size of the facets in contact
    PalResponseKind response;  // if not that of explicit methods, by an implicit one
} Cap;

// Cells grow in proportion to the distance from the centre, but within a tenth of the block.
static double graded(double s)
{
    return sinh(GRADE * s) / sinh(GRADE);
}

// The cap's lowest point is at the origin; `down` turns the whole around.
static PalMesh *cap_mesh(Cap *cap, double contact_radius, bool down)
{
    int32_t cells[3] = {cap->across, cap->across, cap->across / 2};
    PalMesh *mesh = touch_shape(PAL_SHAPE_BOX, pal_vec3(2, 2, 1), cells,
                                pal_element_cell(cap->element), pal_vec3(0, 0, 0.5));
    double best = INFINITY;
    for (int32_t n = 0; n < mesh->node_count; ++n) {
        PalVec3 *x = &mesh->nodes[n];
        *x = pal_vec3(HALF_WIDTH * graded(x->x), HALF_WIDTH * graded(x->y), HEIGHT * graded(x->z));
        double square = x->x * x->x + x->y * x->y;
        double lift = cap->radius - sqrt(cap->radius * cap->radius - square);
        x->z += lift * (1 - x->z / HEIGHT);
        if (square < 1e-12 && fabs(x->z - 3 * contact_radius) < best) {
            best = fabs(x->z - 3 * contact_radius);
            cap->node = n;
            cap->depth = x->z;
        }
    }
    cap->facet = 2.0 / cap->across * HALF_WIDTH * GRADE / sinh(GRADE);
    if (down)
        touch_turn(mesh, pal_vec3(cos(0.3), sin(0.3), 0), 3.14159265358979323846);
    return mesh;
}

// Hertz's displacement on the axis of a half-space, at a depth, relative to points far away.
static double displacement_at(double depth, double force, double radius, double young)
{
    enum { PARTS = 2000 };
    double sum = 0, peak = 1.5 * force / (3.14159265358979323846 * radius * radius);
    for (int i = 0; i < PARTS; ++i) {
        double r = radius * (i + 0.5) / PARTS, q = r / radius;
        double distance = sqrt(r * r + depth * depth);
        double kernel = depth * depth / (distance * distance * distance);
        kernel += 2 * (1 - POISSON) / distance;
        sum += peak * sqrt(1 - q * q) * r * kernel * radius / PARTS;
    }
    return (1 + POISSON) / young * sum;
}

typedef struct Hertz {
    double force;   // relative error, for the approach measured
    double radius;  // error of the radius, for the force measured, in facets
} Hertz;

static double outermost(const Touch *t)
{
    int32_t count;
    const PalContactPoint *points = pal_sim_contacts(t->run, &count);
    double radius = 0;
    for (int32_t i = 0; i < count; ++i)
        radius = fmax(radius, hypot(points[i].position[0].x, points[i].position[0].y));
    return radius;
}

static void use_implicit(Touch *t, PalResponseKind response)
{
    t->sim.solver.damping = 0;
    t->sim.solver.method = PAL_METHOD_IMPLICIT_STATIC;
    t->sim.contact.response = response;
}

static void check_report(PalSim *run, PalResponseKind response)
{
    PalContactReport report = pal_sim_contact_report(run);
    if (response == PAL_RESPONSE_MATERIAL_DEPTH)
        assert_true(report.worst_penetration < 0.01 * report.mean_edge);
    else if (response == PAL_RESPONSE_BARRIER)
        assert_true(report.worst_penetration == 0 && pal_sim_intersections(run) == 0);
    else
        assert_true(report.worst_penetration == 0 && report.rescues == 0);
}

// Presses the first cap down on the plane, or on the second.
static Hertz press(Cap *caps, int32_t count, double radius)
{
    double curvature = 1 / caps[0].radius, compliance = (1 - POISSON * POISSON) / caps[0].young;
    if (count == 2) {
        curvature += 1 / caps[1].radius;
        compliance += (1 - POISSON * POISSON) / caps[1].young;
    }
    double expected = radius * radius * curvature, wave = sqrt(caps[0].young / DENSITY);
    Touch t = touch_nothing(16 * HEIGHT / wave);
    t.sim.contact.separation = GAP;
    t.sim.solver.damping = 3 * wave / HEIGHT;
    if (caps[0].response != PAL_RESPONSE_LAGRANGE)
        use_implicit(&t, caps[0].response);
    for (int32_t i = 0; i < count; ++i) {
        PalMesh *mesh = cap_mesh(&caps[i], radius, i == 1);
        for (int32_t n = 0; n < mesh->node_count && i == 0; ++n)
            mesh->nodes[n].z += GAP;
        touch_add_mesh(&t, mesh, caps[i].young, POISSON, DENSITY);
        t.bodies[i].element = caps[i].element;
    }
    PalConditionDef *move = touch_side(&t, 0, PAL_CONDITION_DISPLACE, 2, true);
    move->value = pal_vec3(0, 0, -1.05 * expected);
    move->ramp = (PalRamp){.kind = PAL_RAMP_SMOOTH, .until = 0.6 * t.sim.solver.time};
    if (count == 2)
        touch_side(&t, 1, PAL_CONDITION_FIX, 2, false);
    else
        touch_add_rigid(&t, touch_shape(PAL_SHAPE_BOX, pal_vec3(3, 3, 0.5), (int32_t[]){1, 1, 1},
                                        PAL_CELL_TRIANGLE, pal_vec3(0.1, 0.2, -0.25)));
    touch_pair(&t, 0, 1, 0);
    touch_start(&t);
    touch_advance(&t, t.sim.solver.time);

    const PalModel *model = pal_sim_model(t.run);
    const PalVec3 *u = pal_sim_state(t.run)->displacement;
    double force = pal_sim_contact_force(t.run, 0, 1).z;
    double exact = cbrt(0.75 * force * compliance / curvature);
    double approach =
        -u[caps[0].node].z + displacement_at(caps[0].depth, force, exact, caps[0].young);
    if (count == 2)
        approach += u[model->bodies[1].first_node + caps[1].node].z +
                    displacement_at(caps[1].depth, force, exact, caps[1].young);
    double measured = outermost(&t),
           facet = count == 2 ? fmax(caps[0].facet, caps[1].facet) : caps[0].facet;
    int32_t contacts = pal_sim_contact_report(t.run).contact_count;
    // the force that Hertz gives for the approach
    double hertz = 4.0 / 3 / compliance / sqrt(curvature) * approach * sqrt(approach);
    Hertz result = {force / hertz - 1, (measured - exact) / facet};
    print_message("%s on %s, %d cells across: approach %.5f, force off by %.2f %%, radius of "
                  "contact %.4f, expected %.4f, facets %.4f, %d contacts\n",
                  pal_element_name(caps[0].element), count == 2 ? "cap" : "plane", caps[0].across,
                  approach, 100 * result.force, measured, exact, facet, contacts);
    check_report(t.run, caps[0].response);
    touch_end(&t);
    return result;
}

static void check(Hertz hertz)
{
    assert_true(fabs(hertz.force) < 0.03);
    assert_true(fabs(hertz.radius) < 1);
}

// The curve of force against approach, point by point.
static void test_plane(void **state)
{
    (void)state;
    for (int i = 0; i < 6; ++i) {
        if (i == 3)
            continue;  // tetrahedra take long; the ends of the curve will do
        Cap cap = {.radius = 4, .young = 1e4, .across = 24, .element = PAL_ELEMENT_H8};
        if (i % 2) {
            cap.across = 28;
            cap.element = PAL_ELEMENT_T4;
        }
        check(press(&cap, 1, 0.14 + 0.03 * (i / 2)));
    }
}

// Tetrahedra are too stiff for the same number of nodes, and less so when they are smaller.
static void test_refined(void **state)
{
    (void)state;
    Cap cap = {.radius = 4, .young = 1e4, .element = PAL_ELEMENT_T4};
    double last = INFINITY;
    for (cap.across = 16; cap.across <= 24; cap.across += 8) {
        Hertz hertz = press(&cap, 1, 0.2);
        assert_true(hertz.force > 0 && hertz.force < 0.56 * last);
        assert_true(fabs(hertz.radius) < 1);
        last = hertz.force;
    }
}

static void test_implicit(void **state)
{
    (void)state;
    const PalResponseKind responses[2] = {PAL_RESPONSE_MATERIAL_DEPTH, PAL_RESPONSE_BARRIER};
    for (int i = 0; i < 2; ++i) {
        Cap cap = {.radius = 4, .young = 1e4, .across = 8, .element = PAL_ELEMENT_T10};
        cap.response = responses[i];
        check(press(&cap, 1, 0.2));
    }
}

static void test_cap(void **state)
{
    (void)state;
    Cap hexahedra[2] = {
        {.radius = 4, .young = 1e4, .across = 20, .element = PAL_ELEMENT_H8},
        {.radius = 6, .young = 2e4, .across = 18, .element = PAL_ELEMENT_H8},
    };
    check(press(hexahedra, 2, 0.2));
    Cap tetrahedra[2] = {
        {.radius = 4, .young = 1e4, .across = 24, .element = PAL_ELEMENT_T4},
        {.radius = 6, .young = 2e4, .across = 22, .element = PAL_ELEMENT_T4},
    };
    check(press(tetrahedra, 2, 0.2));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_plane), cmocka_unit_test(test_refined), cmocka_unit_test(test_cap),
    cmocka_unit_test(test_implicit)};
CHECK_GROUP(tests, NULL, NULL)
