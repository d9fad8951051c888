// Lists of what two patches have near each other: nothing is missing from them, by trying all
// vertices, facets and edges, while bodies pass, turn and tremble.
#include "alone.h"
#include "contact/response/lagrange/lagrange.h"
#include "geometry/closest.h"
#include "random_material.h"

static const double STEP = 1e-3;

enum { STEPS = 160 };

// What is listed, by numbers; which patches have a group.
typedef struct Listed {
    bool *vertex_facet, *edges;
    int32_t *groups;
    int near, far;  // pairs that had to be listed, and that need not be
} Listed;

static PalVec3 random_vector(double size, uint64_t *seed)
{
    return pal_vec3(random_between(-size, size, seed), random_between(-size, size, seed),
                    random_between(-size, size, seed));
}

// Two balls that may touch each other, and the second one itself.
static void begin(Alone *s)
{
    Touch balls = touch_nothing(1);
    for (int b = 0; b < 2; ++b)
        touch_add_mesh(&balls,
                       touch_shape(PAL_SHAPE_SPHERE, pal_vec3(0.4, 0.4, 0.4), (int32_t[]){4, 0, 0},
                                   PAL_CELL_TETRAHEDRON, pal_vec3(0.1 * b, 0.07 * b, 0.83 * b)),
                       100, 0.3, 1);
    const PalContactPairDef pairs[] = {{{0, 1}, 0.3}, {{1, 1}, 0}};
    PalContactDef def = pal_contact_def_default();
    def.pair_count = 2;
    def.pairs = pairs;
    alone_start(s, &balls);
    alone_touch(s, &(PalContactSetup){.def = &def});
}

static void collect(const Alone *s, Listed *listed)
{
    const PalContactSurface *surface = s->contact->surface;
    const PalLagrange *lagrange = s->contact->own;
    size_t facets = (size_t)surface->facet_count, edges = (size_t)surface->edge_count;
    size_t patches = (size_t)lagrange->patches.cut.count;
    memset(listed->vertex_facet, 0, (size_t)surface->vertex_count * facets);
    memset(listed->edges, 0, edges * edges);
    for (size_t i = 0; i < patches * patches; ++i)
        listed->groups[i] = PAL_NONE;
    for (int32_t g = 0; g < lagrange->groups.list.count; ++g) {
        const PalCandidateGroup *group = &lagrange->groups.list.items[g];
        if (group->patches[0] == PAL_NONE)
            continue;
        listed->groups[(size_t)group->patches[0] * patches + (size_t)group->patches[1]] = g;
        for (int32_t c = group->first; c < group->first + group->count; ++c) {
            const PalFeatures *features = &lagrange->now.items[c].features;
            size_t a = (size_t)features->items[0], b = (size_t)features->items[1];
            if (features->kind == PAL_CONTACT_NODE_FACET)
                listed->vertex_facet[a * facets + b] = true;
            else
                listed->edges[a * edges + b] = listed->edges[b * edges + a] = true;
        }
    }
}

// How near two sides have to be at the start of the step that they are listed for certain: as far
// as the list of their patches still reaches, and if they have none, as far as any list does.
static double reach_of(const Alone *s, const Listed *listed, int32_t v, int32_t w)
{
    const PalLagrange *lagrange = s->contact->own;
    double reach = pal_lagrange_listed(s->contact, 0);
    int32_t a = lagrange->patches.cut.of[v], b = lagrange->patches.cut.of[w];
    int32_t g = listed->groups[(a < b ? a : b) * lagrange->patches.cut.count + (a < b ? b : a)];
    if (g == PAL_NONE)
        return reach;
    const PalGroups *groups = &lagrange->groups;
    const PalCandidateGroup *group = &groups->list.items[g];
    double before = group->rests ? group->odometer + groups->come - groups->comes - group->since
                                 : group->odometer - group->nearer - group->shift;
    assert_true(group->limit > before);
    return reach + group->limit - before;
}

static void check(const Alone *s, Listed *listed, PalContactKind kind, const int32_t v[4],
                  bool is_listed)
{
    const PalContactSurface *surface = s->contact->surface;
    int split = pal_kind_split(kind);
    PalVec3 x[4];
    for (int k = 0; k < 4; ++k)
        x[k] = surface->start[v[k]];
    for (int i = 0; i < split; ++i)
        for (int j = split; j < 4; ++j)
            if (v[i] == v[j])
                return;
    bool near =
        pal_vec3_length(pal_shortest_way(kind, x)) < 0.999 * reach_of(s, listed, v[0], v[split]);
    *(near ? &listed->near : &listed->far) += 1;
    if (near && !is_listed)
        fail_msg("kind %d: %d %d %d %d are near each other and nobody looks at them", (int)kind,
                 (int)v[0], (int)v[1], (int)v[2], (int)v[3]);
}

static void check_all(const Alone *s, Listed *listed)
{
    const PalContactSurface *surface = s->contact->surface;
    for (int32_t v = 0; v < surface->vertex_count; ++v)
        for (int32_t f = 0; f < surface->facet_count; ++f) {
            const int32_t *c = surface->facets[f];
            if (surface->vertex_object[v] + surface->facet_object[f] > 0)
                check(s, listed, PAL_CONTACT_NODE_FACET, (int32_t[]){v, c[0], c[1], c[2]},
                      listed->vertex_facet[v * surface->facet_count + f]);
        }
    for (int32_t a = 0; a < surface->edge_count; ++a)
        for (int32_t b = a + 1; b < surface->edge_count; ++b) {
            const int32_t *p = surface->edges[a], *q = surface->edges[b];
            if (surface->vertex_object[p[0]] + surface->vertex_object[q[0]] > 0)
                check(s, listed, PAL_CONTACT_EDGE_EDGE, (int32_t[]){p[0], p[1], q[0], q[1]},
                      listed->edges[a * surface->edge_count + b]);
        }
}

// The second ball goes its way, turns and trembles; the first one trembles.
static void set_velocities(Alone *s, PalVec3 along, PalVec3 turn, double tremble, uint64_t *seed)
{
    for (int32_t n = 0; n < s->model->node_count; ++n) {
        bool second = n >= s->model->bodies[1].first_node;
        PalVec3 arm = pal_vec3_sub(s->model->nodes[n], pal_vec3(0.1, 0.07, 0.83));
        PalVec3 way = pal_vec3_add(along, pal_vec3_cross(turn, arm));
        s->velocity[n] = pal_vec3_add_scaled(random_vector(tremble, seed), second ? 1 : 0, way);
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

static void lists_lack_nothing_that_is_near(void **state)
{
    (void)state;
    Alone s;
    begin(&s);
    PalContactSurface *surface = s.contact->surface;
    const PalLagrange *lagrange = s.contact->own;
    size_t vertices = (size_t)surface->vertex_count, facets = (size_t)surface->facet_count;
    size_t edges = (size_t)surface->edge_count, patches = (size_t)lagrange->patches.cut.count;
    Listed listed = {calloc(vertices, facets), calloc(edges, edges),
                     calloc(patches * patches, sizeof(int32_t)), 0, 0};
    PalVec3 along = {0, 0, 0}, turn = {0, 0, 0};
    uint64_t seed = 7;
    int64_t rested = 0;
    for (int i = 0; i < STEPS; ++i) {
        double pace = i % 40 < 20 ? 1 : 0.01;  // so slow that empty lists rest for a while
        if (i % 20 == 0) {
            along = pal_vec3_add(random_vector(6 * pace, &seed), pal_vec3(0, 0, -3 * pace));
            turn = random_vector(15 * pace, &seed);
        }
        set_velocities(&s, along, turn, 0.1 * pace, &seed);
        rested += lagrange->groups.resting.count;
        alone_step(&s, STEP);
        pal_contact_surface_place_all(surface);
        collect(&s, &listed);
        check_all(&s, &listed);
        advance(&s);
    }
    assert_true(listed.near > 10000 && listed.far > 30 * listed.near);
    assert_true(rested > 10);
    free(listed.vertex_facet);
    free(listed.edges);
    free(listed.groups);
    alone_end(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(lists_lack_nothing_that_is_near),
};

CHECK_GROUP(tests, NULL, NULL)
