// Lists of what two patches have near each other: nothing is missing from them and nothing comes
// into them from afar, by trying all vertices, facets and edges, while bodies pass, turn and
// tremble, and while most lists rest.
#include "alone.h"
#include "contact/response/lagrange/lagrange.h"
#include "geometry/closest.h"
#include "random_material.h"

static const double STEP = 1e-3;
static const PalVec3 AT = {0.1, 0.07, 0.83};  // the second ball

enum { STEPS = 160 };

enum { IS_LISTED = 1, WAS_LISTED = 2 };

// What is listed, and was in the step before, by numbers; which patches have a group.
typedef struct Listed {
    uint8_t *vertex_facet, *edges;
    int32_t *groups;
    double edge;      // the longest one
    double farthest;  // that any vertex may be thought to go in this step
    int near;         // pairs that had to be listed
} Listed;

// How bodies go.
typedef struct Course {
    PalVec3 along, turn;
    double back, tremble;
} Course;

static PalVec3 random_vector(double size, uint64_t *seed)
{
    return pal_vec3(random_between(-size, size, seed), random_between(-size, size, seed),
                    random_between(-size, size, seed));
}

// Two balls that may touch each other, and the second one itself; it is farther away by so much.
static void begin(Alone *s, int32_t cells, double farther)
{
    PalVec3 at = pal_vec3_scale(1 + farther, AT);
    Touch balls = touch_nothing(1);
    for (int b = 0; b < 2; ++b)
        touch_add_mesh(&balls,
                       touch_shape(PAL_SHAPE_SPHERE, pal_vec3(0.4, 0.4, 0.4),
                                   (int32_t[]){cells, 0, 0}, PAL_CELL_TETRAHEDRON,
                                   pal_vec3_scale(b, at)),
                       100, 0.3, 1);
    const PalContactPairDef pairs[] = {{{0, 1}, 0.3}, {{1, 1}, 0}};
    PalContactDef def = pal_contact_def_default();
    def.pair_count = 2;
    def.pairs = pairs;
    alone_start(s, &balls);
    alone_touch(s, &(PalContactSetup){.def = &def});
}

static Listed make_room(const Alone *s)
{
    const PalContactSurface *surface = s->contact->surface;
    size_t vertices = (size_t)surface->vertex_count, facets = (size_t)surface->facet_count;
    size_t edges = (size_t)surface->edge_count;
    size_t patches = (size_t)((const PalLagrange *)s->contact->own)->patches.cut.count;
    return (Listed){.vertex_facet = calloc(vertices, facets),
                    .edges = calloc(edges, edges),
                    .groups = calloc(patches * patches, sizeof(int32_t))};
}

static void end(Alone *s, Listed *listed)
{
    free(listed->vertex_facet);
    free(listed->edges);
    free(listed->groups);
    alone_end(s);
}

static void grow_older(uint8_t *listed, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        listed[i] = (listed[i] & IS_LISTED) != 0 ? WAS_LISTED : 0;
}

static void collect(const Alone *s, Listed *listed)
{
    const PalContactSurface *surface = s->contact->surface;
    const PalLagrange *lagrange = s->contact->own;
    size_t facets = (size_t)surface->facet_count, edges = (size_t)surface->edge_count;
    size_t patches = (size_t)lagrange->patches.cut.count;
    grow_older(listed->vertex_facet, (size_t)surface->vertex_count * facets);
    grow_older(listed->edges, edges * edges);
    for (size_t i = 0; i < patches * patches; ++i)
        listed->groups[i] = PAL_NONE;
    listed->edge = 0;
    for (int32_t e = 0; e < surface->edge_count; ++e) {
        const int32_t *v = surface->edges[e];
        double lengths[] = {pal_vec3_distance(surface->start[v[0]], surface->start[v[1]]),
                            pal_vec3_distance(surface->end[v[0]], surface->end[v[1]])};
        listed->edge = fmax(listed->edge, fmax(lengths[0], lengths[1]));
    }
    for (int32_t g = 0; g < lagrange->groups.list.count; ++g) {
        const PalCandidateGroup *group = &lagrange->groups.list.items[g];
        if (group->patches[0] == PAL_NONE)
            continue;
        listed->groups[(size_t)group->patches[0] * patches + (size_t)group->patches[1]] = g;
        for (int32_t c = group->first; c < group->first + group->count; ++c) {
            const PalFeatures *features = &lagrange->now.items[c].features;
            size_t a = (size_t)features->items[0], b = (size_t)features->items[1];
            if (features->kind == PAL_CONTACT_NODE_FACET)
                listed->vertex_facet[a * facets + b] |= IS_LISTED;
            else
                listed->edges[(a < b ? a : b) * edges + (a < b ? b : a)] |= IS_LISTED;
        }
    }
}

// How near two sides have to be at the start or at the end of the step that they are listed for
// certain: as far as the list of their patches still reaches, and if they have none, as far as any
// list does. Returns how far away they may be when they come into a list: it looks ahead by an edge
// at most, or by four steps. In one, no two patches are thought to come nearer than by how far both
// go on average and by how much farther or less far vertices of each go.
static double find_reaches(const Alone *s, const Listed *listed, const PalFeatures *features,
                           double reaches[2])
{
    const PalLagrange *lagrange = s->contact->own;
    int32_t a = pal_patches_of(&lagrange->patches, features, 0);
    int32_t b = pal_patches_of(&lagrange->patches, features, 1);
    int32_t g = listed->groups[(a < b ? a : b) * lagrange->patches.cut.count + (a < b ? b : a)];
    double least = reaches[0] = reaches[1] = pal_lagrange_listed(s->contact, 0);
    if (g == PAL_NONE)
        return least;
    const PalGroups *groups = &lagrange->groups;
    const PalCandidateGroup *group = &groups->list.items[g];
    double after = group->odometer + (group->rests ? groups->come - group->since : 0);
    double before = after - (group->rests ? groups->comes : group->nearer + group->shift);
    assert_true(group->limit > after);
    reaches[0] += group->limit - before;
    reaches[1] += group->limit - after;
    double edge = fmin(lagrange->patches.edge[a], lagrange->patches.edge[b]);
    return least + fmax(edge, 4 * 6 * listed->farthest);
}

static double distance(const PalVec3 *at, PalContactKind kind, const int32_t v[4])
{
    PalVec3 x[4];
    for (int k = 0; k < 4; ++k)
        x[k] = at[v[k]];
    return pal_vec3_length(pal_shortest_way(kind, x));
}

// What a list still reaches is in it, and what has come into it was in reach.
static void check(const Alone *s, Listed *listed, const PalFeatures *features, uint8_t how)
{
    const PalContactSurface *surface = s->contact->surface;
    PalContactKind kind = features->kind;
    const int32_t *v = features->vertices;
    int split = pal_kind_split(kind);
    bool is_listed = (how & IS_LISTED) != 0, is_new = how == IS_LISTED;
    double reaches[2];
    for (int i = 0; i < split; ++i)
        for (int j = split; j < 4; ++j)
            if (v[i] == v[j])
                return;
    double widest = find_reaches(s, listed, features, reaches);
    double far = fmin(pal_vec3_distance(surface->start[v[0]], surface->start[v[split]]),
                      pal_vec3_distance(surface->end[v[0]], surface->end[v[split]]));
    if (!is_new && far > 2 * listed->edge + fmax(reaches[0], reaches[1]))
        return;
    double starts = distance(surface->start, kind, v), ends = distance(surface->end, kind, v);
    bool near = starts < 0.999 * reaches[0] || ends < 0.999 * reaches[1];
    listed->near += near;
    if (near && !is_listed)
        fail_msg("kind %d: %d %d %d %d are near each other and nobody looks at them", (int)kind,
                 (int)v[0], (int)v[1], (int)v[2], (int)v[3]);
    if (is_new && starts > widest)
        fail_msg("kind %d: %d %d %d %d are listed from %g away, beyond %g", (int)kind, (int)v[0],
                 (int)v[1], (int)v[2], (int)v[3], starts, widest);
}

// No two vertices come nearer than their groups have noted.
static void check_approach(const Alone *s, const Listed *listed)
{
    const PalContactSurface *surface = s->contact->surface;
    const PalLagrange *lagrange = s->contact->own;
    const PalGroups *groups = &lagrange->groups;
    for (int32_t v = 0; v < surface->vertex_count; ++v)
        for (int32_t w = 0; w < surface->vertex_count; ++w) {
            int32_t a = lagrange->patches.cut.of[v], b = lagrange->patches.cut.of[w];
            int32_t g = listed->groups[a * lagrange->patches.cut.count + b];
            if (g == PAL_NONE)
                continue;
            const PalCandidateGroup *group = &groups->list.items[g];
            double noted = group->rests ? groups->comes : group->nearer + group->shift;
            double nearer = pal_vec3_distance(surface->start[v], surface->start[w]) -
                            pal_vec3_distance(surface->end[v], surface->end[w]);
            assert_true(nearer <= noted + 1e-12);
        }
}

static void check_all(const Alone *s, Listed *listed)
{
    const PalContactSurface *surface = s->contact->surface;
    for (int32_t v = 0; v < surface->vertex_count; ++v)
        for (int32_t f = 0; f < surface->facet_count; ++f) {
            const int32_t *c = surface->facets[f];
            PalFeatures features = {
                .kind = PAL_CONTACT_NODE_FACET, .items = {v, f}, .vertices = {v, c[0], c[1], c[2]}};
            if (surface->vertex_object[v] + surface->facet_object[f] > 0)
                check(s, listed, &features, listed->vertex_facet[v * surface->facet_count + f]);
        }
    for (int32_t a = 0; a < surface->edge_count; ++a)
        for (int32_t b = a + 1; b < surface->edge_count; ++b) {
            const int32_t *p = surface->edges[a], *q = surface->edges[b];
            PalFeatures features = {.kind = PAL_CONTACT_EDGE_EDGE,
                                    .items = {a, b},
                                    .vertices = {p[0], p[1], q[0], q[1]}};
            if (surface->vertex_object[p[0]] + surface->vertex_object[q[0]] > 0)
                check(s, listed, &features, listed->edges[a * surface->edge_count + b]);
        }
}

// The second ball goes its way, turns and trembles; the first one goes back by `back` of it, and
// trembles.
static void set_velocities(Alone *s, const Course *course, double pace, uint64_t *seed)
{
    for (int32_t n = 0; n < s->model->node_count; ++n) {
        bool second = n >= s->model->bodies[1].first_node;
        PalVec3 arm = pal_vec3_sub(s->model->nodes[n], AT);
        PalVec3 way = pal_vec3_add(course->along, pal_vec3_cross(course->turn, arm));
        way = second ? way : pal_vec3_scale(-course->back, course->along);
        s->velocity[n] =
            pal_vec3_add_scaled(random_vector(course->tremble * pace, seed), pace, way);
    }
}

static void advance(Alone *s)
{
    const PalContactSurface *surface = s->contact->surface;
    for (int32_t c = 0; c < surface->node_carrier_count; ++c) {
        int32_t node = surface->carrier_node[c];
        s->velocity[node] = pal_vec3_add_scaled(s->velocity[node], 1 / s->model->mass[node],
                                                s->contact->impulse[c]);
    }
    for (int32_t n = 0; n < s->model->node_count; ++n)
        s->displacement[n] = pal_vec3_add_scaled(s->displacement[n], STEP, s->velocity[n]);
}

// Some vertices may be thought to go farther by so much.
static void look(Alone *s, Listed *listed, double farther)
{
    listed->farthest = 0;
    for (int32_t n = 0; n < s->model->node_count; ++n)
        listed->farthest = fmax(listed->farthest, STEP * pal_vec3_length(s->velocity[n]));
    listed->farthest += farther;
    alone_step(s, STEP);
    pal_contact_surface_place_all(s->contact->surface);
    collect(s, listed);
    check_all(s, listed);
    check_approach(s, listed);
}

static void lists_lack_nothing_that_is_near(void **state)
{
    (void)state;
    Alone s;
    begin(&s, 4, 0);
    Listed listed = make_room(&s);
    Course course = {.tremble = 0.1};
    uint64_t seed = 7;
    for (int i = 0; i < STEPS; ++i) {
        if (i % 20 == 0) {
            course.along = pal_vec3_add(random_vector(6, &seed), pal_vec3(0, 0, -3));
            course.turn = random_vector(15, &seed);
        }
        set_velocities(&s, &course, 1, &seed);
        look(&s, &listed, 0);
        advance(&s);
    }
    assert_true(listed.near > 0);
    end(&s, &listed);
}

// ---- lists that rest --------------------------------------------------------------------

enum { RAMPS = 9, RAMP = 36, BACK = 30 };

static const double GROWTH = 1.12;  // of velocities, from step to step

// What has happened to lists that rested.
typedef struct Rests {
    int steps, woken, pushed;
} Rests;

// Where contact pushed, vertices are expected to go like all others; nothing pushes them, and they
// go far.
static void push(Alone *s, Listed *listed, double far, uint64_t *seed)
{
    const PalContactSurface *surface = s->contact->surface;
    size_t nodes = (size_t)s->model->node_count;
    PalVec3 *force = calloc(nodes, sizeof *force);
    double *speeds = calloc(nodes, sizeof *speeds);
    for (int32_t i = 0; i < s->contact->changed_count; ++i) {
        int32_t node = surface->carrier_node[s->contact->changed[i]];
        PalVec3 more = random_vector(far / STEP, seed);
        s->velocity[node] = pal_vec3_add(s->velocity[node], more);
        force[node] = pal_vec3_scale(-s->model->mass[node] / STEP, more);
    }
    pal_contact_expect(s->contact, force, STEP, s->velocity, speeds);
    look(s, listed, sqrt(3) * far);
    pal_contact_predicted(s->contact, s->velocity);
    advance(s);
    free(force);
    free(speeds);
}

static void note(const Alone *s, Rests *rests, int before, int64_t stamp)
{
    const PalGroups *groups = &((const PalLagrange *)s->contact->own)->groups;
    rests->steps += groups->resting.count;
    if (groups->stamp == stamp && groups->resting.count < before)
        rests->woken += before - groups->resting.count;
}

// Both go against each other, slowly and then faster and faster, and later back.
static void try_ramp(Alone *s, Listed *listed, Rests *rests, const Course *course, uint64_t *seed)
{
    const PalGroups *groups = &((const PalLagrange *)s->contact->own)->groups;
    double edge = s->contact->edge;
    for (int i = 0; i < RAMP; ++i) {
        double pace = 0.0015 * edge / STEP * pow(GROWTH, i);
        int resting = groups->resting.count;
        int64_t stamp = groups->stamp;
        set_velocities(s, course, i < BACK ? pace : -pace, seed);
        bool far = i == 13 || i == 19;  // so that the search has to look again
        if ((far || (i >= 4 && i < 10)) && s->contact->changed_count > 0) {
            push(s, listed, (far ? 0.25 : 0.055) * edge, seed);
            for (int32_t g = 0; g < groups->list.count; ++g)
                rests->pushed += groups->list.items[g].fresh;
            continue;
        }
        look(s, listed, 0);
        note(s, rests, resting, stamp);
        advance(s);
    }
}

static void resting_lists_lack_nothing_that_is_near(void **state)
{
    (void)state;
    Rests rests = {0};
    uint64_t seed = 11;
    for (int i = 0; i < RAMPS; ++i) {
        Alone s;
        begin(&s, 6, i % 3 == 0 ? 0.1 : -0.04);
        Listed listed = make_room(&s);
        Course course = {.along = pal_vec3_scale(-2, AT), .back = 1};
        if (i % 3 == 2) {
            course.along = pal_vec3_add(course.along, random_vector(1, &seed));
            course.turn = random_vector(3, &seed);
            course.tremble = 0.1;
        }
        try_ramp(&s, &listed, &rests, &course, &seed);
        assert_true(listed.near > 0);
        end(&s, &listed);
    }
    assert_true(rests.steps > 2000 && rests.woken > 50 && rests.pushed > 100);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(lists_lack_nothing_that_is_near),
    cmocka_unit_test(resting_lists_lack_nothing_that_is_near),
};

CHECK_GROUP(tests, NULL, NULL)
