// The same tetrahedra, law, holds and loads as in CalculiX 2.20, whose displacements of some nodes
// stand here. tools/compare-calculix makes the decks and compares all nodes.
#include "simulate.h"

#define AGREES 1e-5  // of the largest displacement

typedef struct Place {
    PalVec3 at, displacement;
} Place;

typedef struct Deck {
    const char *name;
    PalVec3 box;
    int32_t cells[3];
    PalConditionKind kind;
    PalVec3 value;
    double largest;
    Place places[3];
} Deck;

static const Deck decks[] = {
    {"pressed by 40 %",
     {1, 1, 1},
     {6, 6, 6},
     PAL_CONDITION_DISPLACE,
     {0, 0, -0.4},
     0.4,
     {{{-0.166666667, -0.333333333, 0.333333333}, {-0.01824998, -0.03896476, -0.3484856}},
      {{-0.5, 0.166666667, 0.166666667}, {-0.10991, 0.03234337, -0.2584139}},
      {{-0.5, 0.166666667, -0.166666667}, {-0.10991, 0.03234337, -0.1415861}}}},
    {"twisted by 80 degrees",
     {1, 1, 2},
     {4, 4, 8},
     PAL_CONDITION_ROTATE,
     {0, 0, 1.3962634015954636},
     0.909039,
     {{{-0.5, -0.5, 0.75}, {0.8006348, -0.139824, -0.0004532017}},
      {{0.5, 0.25, 0}, {-0.2818823, 0.2651988, 0.01912344}},
      {{-0.25, -0.5, -0.5}, {0.179843, -0.05511924, -0.01653201}}}},
    {"stretched by 80 %",
     {1, 1, 2},
     {4, 4, 8},
     PAL_CONDITION_DISPLACE,
     {0, 0, 1.6},
     1.6,
     {{{0, -0.25, 0.75}, {0, 0.04101281, 1.49305}},
      {{-0.5, 0.25, 0.25}, {0.1065055, -0.05359255, 1.030154}},
      {{-0.25, -0.25, -0.25}, {0.05327526, 0.05327526, 0.568661}}}},
    {"bent",
     {0.4, 0.4, 4},
     {2, 2, 20},
     PAL_CONDITION_FORCE,
     {2, 0, 0},
     1.443854,
     {{{-0.2, 0, 2}, {1.429526, 0, -0.2029046}},
      {{0, 0, 0.8}, {0.7955858, 0, -0.1430084}},
      {{0.2, -0.2, -0.6}, {0.2206722, -0.002229821, -0.08423697}}}},
    {"hanging",
     {1, 1, 3},
     {3, 3, 9},
     PAL_CONDITION_GRAVITY,
     {0.3, 0, 1.2},
     1.248539,
     {{{-0.5, -0.166666667, 1.5}, {0.9059348, 0.000975221, 0.8591449}},
      {{-0.166666667, -0.166666667, 0.5}, {0.6479471, 0.01017087, 0.7304375}},
      {{-0.166666667, 0.166666667, -0.5}, {0.3552719, -0.02137701, 0.4685371}}}},
    {"toppled by its weight",
     {1, 1, 3},
     {3, 3, 9},
     PAL_CONDITION_GRAVITY,
     {0.02, 0, -0.4},
     4.734318,
     {{{-0.5, 0.5, 1.5}, {3.429097, -0.016221, -3.264169}},
      {{-0.5, 0.166666667, 0.5}, {2.604818, -0.01934066, -1.61156}},
      {{-0.5, 0.5, -0.5}, {1.415031, -0.05760823, -0.01575947}}}},
    {"under pressure",
     {1, 1, 2},
     {4, 4, 8},
     PAL_CONDITION_PRESSURE,
     {200, 0, 0},
     0.6640572,
     {{{0.5, 0, 1}, {-0.6589503, 0, 0.08219772}},
      {{-0.25, -0.25, 0.5}, {-0.4311216, -0.001670421, -0.1327135}},
      {{-0.5, -0.5, -0.25}, {-0.165257, -0.02023487, -0.1313484}}}},
};

static Simulation simulate_deck(const Deck *deck)
{
    Simulation s = simulate_box(deck->box, deck->cells[0], deck->cells[1], deck->cells[2]);
    s.material.parameters[0] = 3000;
    s.material.parameters[1] = 12000;
    s.material.density = 1000;
    s.sim.solver.method = PAL_METHOD_IMPLICIT_STATIC;
    s.sim.solver.tolerance = 1e-7;
    simulate_on_side(&s, PAL_CONDITION_FIX, 2, false);
    PalConditionDef *load = deck->kind == PAL_CONDITION_GRAVITY
                                ? simulate_everywhere(&s, deck->kind)
                                : simulate_on_side(&s, deck->kind, 2, true);
    if (deck->kind == PAL_CONDITION_PRESSURE) {
        load->where.axis = 0;
        load->pressure = deck->value.x;
    } else {
        load->value = deck->value;
    }
    load->ramp = (PalRamp){.kind = PAL_RAMP_LINEAR};
    return s;
}

static void decks_agree(void **state)
{
    (void)state;
    for (size_t d = 0; d < sizeof decks / sizeof decks[0]; ++d) {
        const Deck *deck = &decks[d];
        Simulation s = simulate_deck(deck);
        simulate_start(&s);
        simulate_all(&s);
        const PalVec3 *u = pal_sim_state(s.run)->displacement;
        double off = 0;
        for (int p = 0; p < 3; ++p) {
            int32_t n = 0;
            while (n < s.mesh->node_count &&
                   pal_vec3_distance(s.mesh->nodes[n], deck->places[p].at) > 1e-6)
                ++n;
            assert_true(n < s.mesh->node_count);
            off = fmax(off, pal_vec3_distance(u[n], deck->places[p].displacement));
        }
        print_message("%s: off by %.2g\n", deck->name, off / deck->largest);
        check_near(off / deck->largest, 0, AGREES);
        simulate_end(&s);
    }
}

// Three times the pressure, where CalculiX finds no equilibrium: with the rim in the tangent, a few
// steps are enough.
static void high_pressure_is_found(void **state)
{
    (void)state;
    Deck deck = decks[sizeof decks / sizeof decks[0] - 1];
    deck.value.x = 600;
    Simulation s = simulate_deck(&deck);
    s.sim.solver.step_limit = 30;
    simulate_start(&s);
    simulate_all(&s);
    assert_true(pal_sim_state(s.run)->step_count <= 12);
    assert_true(pal_sim_counters(s.run)->iterations <= 80);
    assert_int_equal(pal_sim_counters(s.run)->retries, 0);
    simulate_end(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(decks_agree),
    cmocka_unit_test(high_pressure_is_found),
};

CHECK_GROUP(tests, NULL, NULL)
