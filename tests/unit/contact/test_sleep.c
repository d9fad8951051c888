// Candidates sleep while they are far apart, lists of pairs are kept, and vertices are placed when
// someone asks for them. None of that may change what contact does, however harsh the motion.
#include "alone.h"
#include "contact/response/lagrange/lagrange.h"
#include "model/conditions.h"
#include "random_material.h"

enum { STEPS = 400, OBJECTS = 3 };

static const double STEP = 1e-3, SEPARATION = 2e-3;

// One contact that may sleep, one that is told to look at everything in each step, and one that
// makes all pairs anew and places all vertices.
enum { ASLEEP, AWAKE, ANEW, KINDS };

typedef struct Scene {
    Alone alone;
    PalContact *contacts[KINDS];
    double *speeds;
    PalRigidState blade;
    PalVec3 going[OBJECTS];  // the velocity of each object
    double unit;             // how far it is from a row to none, a step: a speed
    uint64_t seed;
} Scene;

static double random_sign(uint64_t *seed)
{
    return random_between(0, 1, seed) < 0.5 ? -1 : 1;
}

static PalVec3 random_vector(double size, uint64_t *seed)
{
    return pal_vec3(random_between(-size, size, seed), random_between(-size, size, seed),
                    random_between(-size, size, seed));
}

static PalContact *contact_of(Scene *s, int kind)
{
    const PalContactPairDef pairs[] = {{{0, 1}, 0.3}, {{0, 2}, 0.3}, {{1, 2}, 0}, {{1, 1}, 0.3}};
    PalContactDef def = pal_contact_def_default();
    def.pair_count = sizeof pairs / sizeof *pairs;
    def.pairs = pairs;
    def.separation = SEPARATION;
    def.update = kind == ANEW ? PAL_UPDATE_EXHAUSTIVE : PAL_UPDATE_FRONT;
    alone_touch(&s->alone, &(PalContactSetup){.def = &def});
    return s->alone.contact;
}

// Takes over the bodies.
static void start(Scene *s, const Touch *bodies, uint64_t seed)
{
    *s = (Scene){.seed = seed};
    alone_start(&s->alone, bodies);
    s->speeds = calloc((size_t)s->alone.model->node_count / PAL_NODE_CHUNK + 1, sizeof *s->speeds);
    s->blade = pal_sim_state(s->alone.bodies.run)->rigids[0];
    for (int kind = 0; kind < KINDS; ++kind)
        s->contacts[kind] = contact_of(s, kind);
    s->unit = pal_lagrange_near(s->contacts[0]) / STEP;
}

// A block of hexahedra, a ball above it, and a blade between.
static void begin(Scene *s, uint64_t seed)
{
    Touch bodies = touch_nothing(1);
    touch_add_mesh(&bodies,
                   touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 0.5), (int32_t[]){3, 3, 1},
                               PAL_CELL_HEXAHEDRON, pal_vec3(0, 0, -0.25)),
                   100, 0.3, 1);
    bodies.bodies[0].element = PAL_ELEMENT_H8;
    touch_add_mesh(&bodies,
                   touch_shape(PAL_SHAPE_SPHERE, pal_vec3(0.4, 0.4, 0.4), (int32_t[]){4, 0, 0},
                               PAL_CELL_TETRAHEDRON, pal_vec3(0.1, 0.05, 0.45)),
                   100, 0.3, 1);
    PalMesh *blade = touch_shape(PAL_SHAPE_BOX, pal_vec3(0.5, 0.05, 0.6), (int32_t[]){2, 1, 2},
                                 PAL_CELL_TRIANGLE, pal_vec3(0, 0, 0));
    touch_turn(blade, pal_vec3(0.6, 0.8, 0), 0.7);
    for (int32_t n = 0; n < blade->node_count; ++n)
        blade->nodes[n] = pal_vec3_add(blade->nodes[n], pal_vec3(-0.55, 0.1, 0.42));
    touch_add_rigid(&bodies, blade);
    start(s, &bodies, seed);
}

static void end(Scene *s)
{
    for (int kind = 1; kind < KINDS; ++kind)
        pal_contact_destroy(s->contacts[kind]);
    s->alone.contact = s->contacts[0];
    free(s->speeds);
    alone_end(&s->alone);
}

static PalVec3 mean_displacement(const Scene *s, const PalBody *body)
{
    PalVec3 sum = {0, 0, 0};
    int32_t count = body->mesh->node_count;
    for (int32_t n = body->first_node; n < body->first_node + count; ++n)
        sum = pal_vec3_add_scaled(sum, 1.0 / count, s->alone.displacement[n]);
    return sum;
}

// Now and then each object turns back, slow or fast; on the whole they close in on where they met.
static void choose_velocities(Scene *s)
{
    for (int object = 0; object < OBJECTS; ++object) {
        if (random_between(0, 1, &s->seed) > 0.15)
            continue;
        PalVec3 away = object < 2 ? mean_displacement(s, &s->alone.model->bodies[object])
                                  : pal_vec3_sub(s->blade.next.centre, s->blade.next.pivot);
        PalVec3 home = object == 0   ? pal_vec3(0, 0, 0)
                       : object == 1 ? pal_vec3(0, 0, -0.05)
                                     : pal_vec3(0.15, 0, -0.1);
        double speed = s->unit * pow(10, random_between(-1.5, 1.5, &s->seed));
        PalVec3 way = pal_vec3_sub(home, away);
        way = pal_vec3_add(pal_vec3_normalise(way), random_vector(0.7, &s->seed));
        double back = pal_vec3_length(way) > 0 && random_between(0, 1, &s->seed) < 0.3 ? -1 : 1;
        s->going[object] = pal_vec3_scale(back * speed, way);
    }
}

static void find_speeds(Scene *s)
{
    memset(s->speeds, 0,
           ((size_t)s->alone.model->node_count / PAL_NODE_CHUNK + 1) * sizeof(double));
    for (int32_t n = 0; n < s->alone.model->node_count; ++n) {
        double *most = &s->speeds[n / PAL_NODE_CHUNK];
        *most = fmax(*most, pal_vec3_length(s->alone.velocity[n]));
    }
}

static void move_blade(Scene *s, double radians)
{
    s->blade.pose = s->blade.next;
    s->blade.next.centre = pal_vec3_add_scaled(s->blade.pose.centre, STEP, s->going[2]);
    if (radians == 0)
        return;
    PalMat3 turn = pal_rotation_about(pal_vec3(0, 0.6, 0.8), radians);
    s->blade.next.rotation = pal_mat3_multiply(&turn, &s->blade.pose.rotation);
}

// Nodes go with their body and swing about it, some of them far.
static void set_velocities(Scene *s)
{
    choose_velocities(s);
    for (int32_t b = 0; b < 2; ++b) {
        const PalBody *body = &s->alone.model->bodies[b];
        PalVec3 mean = mean_displacement(s, body);
        for (int32_t n = body->first_node; n < body->first_node + body->mesh->node_count; ++n) {
            PalVec3 back = pal_vec3_sub(mean, s->alone.displacement[n]);
            double wild = random_between(0, 1, &s->seed) < 0.05 ? 5 * s->unit : 0;
            PalVec3 swing = random_vector(0.1 * pal_vec3_length(s->going[b]) + wild, &s->seed);
            swing = pal_vec3_add_scaled(swing, 0.1 / STEP, back);
            s->alone.velocity[n] = pal_vec3_add(s->going[b], swing);
        }
    }
    find_speeds(s);
    move_blade(s, STEP * random_sign(&s->seed) * pal_vec3_length(s->going[2]));
}

// False: contact cannot be resolved.
static bool step(Scene *s, int kind)
{
    PalContact *contact = s->contacts[kind];
    PalContactStep step = {
        .end_time = STEP,
        .step = STEP,
        .gain = STEP,
        .displacement = s->alone.displacement,
        .velocity = s->alone.velocity,
        .speeds = kind == ANEW ? NULL : s->speeds,
        .rigids = &s->blade,
        .thread_count = 1,
    };
    PalError error = {0};
    if (kind == AWAKE)
        for (int32_t p = 0; p < contact->def.pair_count; ++p)
            assert_true(pal_contact_set_friction(contact, contact->def.pairs[p].objects[0],
                                                 contact->def.pairs[p].objects[1],
                                                 contact->def.pairs[p].friction));
    return pal_contact_step(s->alone.model, contact, &step, &s->alone.meter, &error) == PAL_OK;
}

static void end_step(Scene *s)
{
    const PalContact *contact = s->contacts[ASLEEP];
    for (int32_t c = 0; c < contact->surface->node_carrier_count; ++c) {
        int32_t n = contact->surface->carrier_node[c];
        s->alone.velocity[n] = pal_vec3_add_scaled(
            s->alone.velocity[n], 1 / s->alone.model->mass[n], contact->impulse[c]);
    }
    for (int32_t n = 0; n < s->alone.model->node_count; ++n)
        s->alone.displacement[n] =
            pal_vec3_add_scaled(s->alone.displacement[n], STEP, s->alone.velocity[n]);
}

// No vertex has gone farther than is said of its block, pushed or not.
static void check_strides(const Scene *s)
{
    const PalContactSurface *surface = s->contacts[ASLEEP]->surface;
    for (int32_t v = 0; v < surface->vertex_count; ++v)
        if (surface->placed[v] == surface->stamp)
            assert_true(pal_vec3_distance(surface->start[v], surface->end[v]) <=
                        surface->stride[v / PAL_VERTEX_BLOCK]);
}

static void check_same(const Scene *s, int kind, int number)
{
    const PalContact *one = s->contacts[ASLEEP], *other = s->contacts[kind];
    size_t carriers = (size_t)one->carriers.count;
    if (memcmp(one->impulse, other->impulse, carriers * sizeof *one->impulse) != 0 ||
        one->report.hits != other->report.hits || one->point_count != other->point_count)
        fail_msg("step %d: impulses depend on %s", number,
                 kind == AWAKE ? "what was asleep" : "the search");
}

// All three; false: none of them can be resolved.
static bool take_step(Scene *s, int number)
{
    bool good = step(s, ASLEEP);
    for (int kind = AWAKE; kind < KINDS; ++kind) {
        assert_int_equal(step(s, kind), good);
        if (good)
            check_same(s, kind, number);
    }
    if (good)
        check_strides(s);
    return good;
}

static void sleeping_changes_nothing(void **state)
{
    (void)state;
    int touching = 0;
    int64_t hits = 0;
    for (uint64_t seed = 1; seed <= 3; ++seed) {
        Scene s;
        begin(&s, seed);
        for (int i = 0; i < STEPS; ++i) {
            set_velocities(&s);
            if (!take_step(&s, i))
                break;
            end_step(&s);
            touching += s.contacts[ASLEEP]->point_count > 0;
        }
        hits += s.contacts[ASLEEP]->report.hits;
        end(&s);
    }
    print_message("%d steps touching, %lld hits\n", touching, (long long)hits);
    assert_true(touching > STEPS && hits > STEPS / 4);
}

// ---- one approach at a time -------------------------------------------------------------

enum { BOUTS = 150, BOUT_STEPS = 12 };

static void shift(PalMesh *mesh, PalVec3 by)
{
    for (int32_t n = 0; n < mesh->node_count; ++n)
        mesh->nodes[n] = pal_vec3_add(mesh->nodes[n], by);
}

static double lowest_of(const PalMesh *mesh, int32_t *node)
{
    *node = 0;
    for (int32_t n = 1; n < mesh->node_count; ++n)
        if (mesh->nodes[n].z < mesh->nodes[*node].z)
            *node = n;
    return mesh->nodes[*node].z;
}

// Two blocks apart above each other, edge upon edge, or the upper one turned by 3 about an axis
// with its lowest corner over a place. Far off, a plate that may go to and fro.
static void begin_blocks(Scene *s, const PalVec3 *axis, PalVec3 place, double apart)
{
    const double quarter = 0.78539816339744831;
    int32_t lowest;
    Touch bodies = touch_nothing(1);
    PalMesh *lower = touch_shape(PAL_SHAPE_BOX, pal_vec3(0.7, 0.7, 0.7), (int32_t[]){1, 1, 1},
                                 PAL_CELL_HEXAHEDRON, pal_vec3(0, 0, 0));
    PalMesh *upper = touch_shape(PAL_SHAPE_BOX, pal_vec3(0.6, 0.6, 0.6), (int32_t[]){1, 1, 1},
                                 PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, 0));
    touch_turn(upper, axis == NULL ? pal_vec3(0, 1, 0) : *axis, axis == NULL ? quarter : 3);
    if (axis == NULL)
        touch_turn(lower, pal_vec3(1, 0, 0), quarter);
    shift(lower, pal_vec3(0, 0, lowest_of(lower, &lowest)));
    double height = lowest_of(upper, &lowest);
    PalVec3 under = axis == NULL ? pal_vec3(0, 0, height) : upper->nodes[lowest];
    shift(upper, pal_vec3_sub(pal_vec3(place.x, place.y, apart), under));
    touch_add_mesh(&bodies, lower, 100, 0.3, 1);
    bodies.bodies[0].element = PAL_ELEMENT_H8;
    touch_add_mesh(&bodies, upper, 100, 0.3, 1);
    touch_add_rigid(&bodies, touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 1), (int32_t[]){1, 1, 1},
                                         PAL_CELL_TRIANGLE, pal_vec3(9, 0, 0)));
    start(s, &bodies, 0);
}

static void begin_bout(Scene *s, uint64_t seed)
{
    bool edges = random_between(0, 1, &seed) < 0.5;
    PalVec3 axis = pal_vec3_normalise(random_vector(1, &seed)), place = random_vector(0.2, &seed);
    begin_blocks(s, edges ? NULL : &axis, place, SEPARATION * random_between(1, 12, &seed));
    s->seed = seed;
}

// Head on, or one of them only, at a speed that changes from step to step; or one corner alone.
// Where both are slow, the plate is not.
static void approach(Scene *s, int number)
{
    double draw = random_between(0, 1, &s->seed), share = draw < 0.2 ? 0 : draw < 0.7 ? 0.5 : 1;
    double speed = s->unit * pow(10, random_between(-0.5, 0.7, &s->seed));
    int32_t corner = draw > 0.85 ? (int32_t)random_between(0, 8, &s->seed) : PAL_NONE;
    if (number == 0 || random_between(0, 1, &s->seed) < 0.2)
        speed = 0;
    for (int32_t n = 0; n < s->alone.model->node_count; ++n) {
        double part = n < 8 ? (corner == PAL_NONE || n == corner ? share : 0) : share - 1;
        s->alone.velocity[n] = pal_vec3(0, 0, part * speed);
    }
    bool hurries = speed < 2 * s->unit && random_between(0, 1, &s->seed) < 0.7;
    s->going[2] = pal_vec3(0, hurries ? 1.01 * s->unit : 0, 0);
    find_speeds(s);
    move_blade(s, 0);
}

static void a_sudden_approach_wakes_in_time(void **state)
{
    (void)state;
    int touching = 0;
    for (uint64_t seed = 1; seed <= BOUTS; ++seed) {
        Scene s;
        begin_bout(&s, seed);
        bool touched = false;
        for (int i = 0; i < BOUT_STEPS; ++i) {
            approach(&s, i);
            assert_true(take_step(&s, i));
            end_step(&s);
            touched = touched || s.contacts[ASLEEP]->point_count > 0;
        }
        touching += touched;
        end(&s);
    }
    print_message("%d of %d touched\n", touching, BOUTS);
    assert_true(touching > BOUTS / 4);
}

// A step of both blocks, in separations: how much they close in, and go aside together; and the
// plate.
typedef struct Beat {
    double closing, aside, plate;
} Beat;

static void take_beat(Scene *s, const Beat *beat, int number)
{
    const double unit = SEPARATION / STEP;
    for (int32_t n = 0; n < s->alone.model->node_count; ++n)
        s->alone.velocity[n] =
            pal_vec3(beat->aside * unit, 0, (n < 8 ? 0.5 : -0.5) * beat->closing * unit);
    s->going[2] = pal_vec3(0, beat->plate * unit, 0);
    find_speeds(s);
    move_blade(s, 0);
    assert_true(take_step(s, number));
    end_step(s);
}

// Candidates are measured while blocks close in and something else is a little faster, each at its
// turn. They must wake when the blocks go on more slowly.
static void what_was_measured_asleep_wakes_in_time(void **state)
{
    (void)state;
    for (int i = 0; i < 8 * 8; ++i) {
        Scene s;
        begin_blocks(&s, NULL, pal_vec3(0.05, 0.08, 0), 1);
        double near = pal_lagrange_near(s.contacts[ASLEEP]) / SEPARATION;
        end(&s);
        // so far apart that they may just sleep once more, and are just too near in the step after
        double slow = 1.6 + 0.04 * (i / 8), left = (2.5 * slow + 1) / 2;
        double apart = 3 * left - 2 * near, room = apart - near;
        Beat still = {0, 0, 0}, first = {2.4, 0, 0};
        Beat second = {0.997 * room / 1.5, 0, 1.005 * room / 3}, last = {slow, 0, second.plate};
        begin_blocks(&s, NULL, pal_vec3(0.05, 0.08, 0), SEPARATION * (apart + first.closing));
        for (int k = 0; k <= i % 8; ++k)
            take_beat(&s, &still, k);
        take_beat(&s, &first, 8);
        take_beat(&s, &second, 9);
        take_beat(&s, &last, 10);
        assert_true(s.contacts[ASLEEP]->point_count > 0);
        end(&s);
    }
}

// Edges that go along each other and then close in a little.
static void edges_side_by_side_wake_in_time(void **state)
{
    (void)state;
    for (int i = 0; i < 60; ++i) {
        double apart = 1.02 + 0.01 * (i % 10), aside = (apart - 0.25) / 2 + 0.01 * (i / 10);
        Beat still = {0, 0, 0}, along = {0, aside, 0}, last = {apart - 0.95, 0, 0};
        Scene s;
        begin_blocks(&s, NULL, pal_vec3(0.05, 0.08, 0), SEPARATION * apart);
        take_beat(&s, &still, 0);
        take_beat(&s, &along, 1);
        take_beat(&s, &last, 2);
        assert_true(s.contacts[ASLEEP]->point_count > 0);
        end(&s);
    }
}

// Forces on a quadrilateral reach all its corners, so that any of them may bring it near.
static void a_quadrilateral_wakes_by_any_corner(void **state)
{
    (void)state;
    const PalVec3 axis = pal_vec3_normalise(pal_vec3(1, 0.4, 0.3));
    int pushed = 0;
    for (int i = 0; i < 8 * 16; ++i) {
        double apart = 1.5 + 0.1 * (i / 8);
        Beat still = {0, 0, 0};
        Scene s;
        begin_blocks(&s, &axis, pal_vec3(0.06, 0.02, 0), SEPARATION * apart);
        take_beat(&s, &still, 0);
        s.alone.velocity[i % 8] = pal_vec3(0, 0, 4 * (apart - 0.6) * SEPARATION / STEP);
        find_speeds(&s);
        assert_true(take_step(&s, 1));
        pushed += s.contacts[ASLEEP]->point_count > 0;
        end(&s);
    }
    assert_true(pushed >= 4 * 16 / 2);
}

// ---- flat upon flat ---------------------------------------------------------------------

enum { PRESSES = 4, PRESS_STEPS = 80 };

// Two blocks whose meshes do not match, the separation apart.
static void begin_flat(Scene *s, uint64_t seed)
{
    Touch bodies = touch_nothing(1);
    touch_add_mesh(&bodies,
                   touch_shape(PAL_SHAPE_BOX, pal_vec3(0.7, 0.7, 0.3), (int32_t[]){3, 3, 1},
                               PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, -0.15)),
                   100, 0.3, 1);
    touch_add_mesh(&bodies,
                   touch_shape(PAL_SHAPE_BOX, pal_vec3(0.6, 0.6, 0.3), (int32_t[]){4, 4, 1},
                               PAL_CELL_TETRAHEDRON, pal_vec3(0.02, 0.01, 0.15 + SEPARATION)),
                   100, 0.3, 1);
    touch_add_rigid(&bodies, touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 1), (int32_t[]){1, 1, 1},
                                         PAL_CELL_TRIANGLE, pal_vec3(9, 0, 0)));
    start(s, &bodies, seed);
}

// Every node trembles by some thousandths of the separation, so that facets bend and edges come
// nearer than they keep, while both blocks are pressed together and slide.
static void tremble(Scene *s)
{
    const double speed = 0.004 * SEPARATION / STEP;
    for (int32_t b = 0; b < 2; ++b) {
        const PalBody *body = &s->alone.model->bodies[b];
        for (int32_t n = body->first_node; n < body->first_node + body->mesh->node_count; ++n) {
            PalVec3 away = s->alone.displacement[n];
            PalVec3 swing = random_vector(speed, &s->seed);
            swing.z -= 0.1 / STEP * away.z - (b == 0 ? 0.1 : -0.1) * speed;
            s->alone.velocity[n] = swing;
        }
    }
    s->going[2] = pal_vec3(0, 0, 0);
    find_speeds(s);
    move_blade(s, 0);
}

static int edges_that_push(const PalContact *contact)
{
    int count = 0;
    for (int32_t i = 0; i < contact->point_count; ++i)
        count += contact->points[i].kind == PAL_CONTACT_EDGE_EDGE;
    return count;
}

// Edges that lie flat have rows only once they are nearer than others, and wake by a rule of their
// own.
static void flat_edges_wake_in_time(void **state)
{
    (void)state;
    int edges = 0;
    for (uint64_t seed = 1; seed <= PRESSES; ++seed) {
        Scene s;
        begin_flat(&s, seed);
        for (int i = 0; i < PRESS_STEPS; ++i) {
            tremble(&s);
            assert_true(take_step(&s, i));
            end_step(&s);
            edges += edges_that_push(s.contacts[ASLEEP]);
        }
        end(&s);
    }
    print_message("%d times edges pushed\n", edges);
    assert_true(edges > PRESSES * PRESS_STEPS);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(sleeping_changes_nothing),
    cmocka_unit_test(a_sudden_approach_wakes_in_time),
    cmocka_unit_test(flat_edges_wake_in_time),
    cmocka_unit_test(what_was_measured_asleep_wakes_in_time),
    cmocka_unit_test(edges_side_by_side_wake_in_time),
    cmocka_unit_test(a_quadrilateral_wakes_by_any_corner),
};
CHECK_GROUP(tests, NULL, NULL)
