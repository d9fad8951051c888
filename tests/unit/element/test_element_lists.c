// Every list that evaluations rely on is looked at: with one number of it changed, elements are
// said to be broken.
#include "body.h"
#include "element/data.h"

static void expect_broken(PalElements *elements, int32_t *number, int32_t value, const char *words)
{
    PalError error = {0};
    int32_t kept = *number;
    assert_int_not_equal(kept, value);
    *number = value;
    assert_int_equal(pal_elements_validate(elements, &error), PAL_BAD_INPUT);
    if (strstr(error.text, words) == NULL)
        fail_msg("'%s' does not say '%s'", error.text, words);
    *number = kept;
    check_ok(pal_elements_validate(elements, &error), &error);
}

// Two parts that average pressures, of several blocks each.
static PalElements *averaging(Body *body)
{
    uint64_t seed = 4;
    *body = body_create(PAL_ELEMENT_T4_ANP, pal_law_find("neo-hookean"), (int32_t[]){7, 6, 5}, 2,
                        &seed);
    body->materials[0].isochoric_count = body->materials[0].volumetric_count = 1;
    body->materials[0].isochoric[0] = body->materials[0].volumetric[0] = (PalPronyTerm){0.3, 1};
    PalElements *elements = body_elements(body);
    assert_true(elements->block_count > 4 && elements->shared_count > 0);
    return elements;
}

static void broken_blocks_are_found(void **state)
{
    (void)state;
    Body body;
    PalElements *e = averaging(&body);
    PalBlock *block = &e->blocks[1];
    expect_broken(e, &block->part, 2, "a block's part");
    expect_broken(e, &block->part, 1, "a block's place");
    expect_broken(e, &block->batch_count, 0, "no batches");
    expect_broken(e, &block->node_count, PAL_BLOCK_NODES + 1, "a block's nodes");
    expect_broken(e, &block->own_count, block->node_count + 1, "own nodes");
    expect_broken(e, &block->first_node, block->first_node + 1, "a block's place");
    expect_broken(e, &block->first_number, block->first_number - 1, "a block's place");
    expect_broken(e, &block->first_slot, block->first_slot + 1, "a block's place");
    expect_broken(e, &e->block_nodes[0], e->node_count, "no such node");
    expect_broken(e, &e->block_nodes[1], e->block_nodes[0], "order of nodes");
    expect_broken(e, &e->numbers[0], e->numbers[1], "an element is there twice");
    expect_broken(e, &e->numbers[0], e->parts[1].first_element, "not of its block's part");
    expect_broken(e, &e->numbers[0], PAL_NONE, "an element is in no block");
    expect_broken(e, &e->parts[1].pressure_history, 1, "history ends");
    size_t byte = block->first_byte;
    block->first_byte -= PAL_LANES;
    assert_int_equal(pal_elements_validate(e, NULL), PAL_BAD_INPUT);
    block->first_byte = byte;
    uint16_t *corner = (uint16_t *)(e->batches + byte + e->parts[0].type->corner_offset);
    uint16_t kept = *corner;
    *corner = (uint16_t)(4 * block->node_count);
    assert_int_equal(pal_elements_validate(e, NULL), PAL_BAD_INPUT);
    *corner = (uint16_t)(kept + 1);
    assert_int_equal(pal_elements_validate(e, NULL), PAL_BAD_INPUT);
    pal_elements_destroy(e);
    body_destroy(&body);
}

static void broken_lists_of_shared_nodes_are_found(void **state)
{
    (void)state;
    Body body;
    PalElements *e = averaging(&body);
    PalBlock *block = &e->blocks[0];
    // The last own node and the first shared one in each other's place.
    int32_t *nodes = e->block_nodes + block->first_node;
    int32_t own = nodes[block->own_count - 1], shared = nodes[block->own_count];
    nodes[block->own_count - 1] = shared;
    nodes[block->own_count] = own;
    assert_int_equal(pal_elements_validate(e, NULL), PAL_BAD_INPUT);
    nodes[block->own_count - 1] = own;
    nodes[block->own_count] = shared;
    expect_broken(e, &e->shared_nodes[0], e->shared_nodes[1], "a shared node");
    expect_broken(e, &e->shared_start[1], e->shared_start[1] + 1, "slots of a shared node");
    expect_broken(e, &e->shared_start[0], 1, "slots of a shared node");
    expect_broken(e, &e->shared_count, e->shared_count - 1, "a shared node");
    expect_broken(e, &e->shared_slots[0], e->slot_count, "no such slot");
    expect_broken(e, &e->shared_slots[0], e->shared_slots[e->slot_count - 1], "of another node");
    pal_elements_destroy(e);
    body_destroy(&body);
}

static void broken_lists_of_pressures_are_found(void **state)
{
    (void)state;
    Body body;
    PalElements *e = averaging(&body);
    int32_t *of = e->pressure_of;
    expect_broken(e, &of[0], PAL_NONE, "a corner has no pressure");
    expect_broken(e, &of[0], e->parts[1].first_pressure, "a pressure is not of its part");
    expect_broken(e, &of[0], of[1], "a pressure does not list its node");
    expect_broken(e, &e->pressure_entries[0], e->pressure_entries[0] + 1, "does not list its node");
    expect_broken(e, &e->pressure_start[1], 0, "does not list its node");
    expect_broken(e, &e->pressure_chunks[1].first, 0, "a chunk of pressures");
    expect_broken(e, &e->pressure_chunks[1].count, 1, "chunks of pressures end");
    double kept = e->volumes[0];
    e->volumes[0] = 0;
    assert_int_equal(pal_elements_validate(e, NULL), PAL_BAD_INPUT);
    e->volumes[0] = kept;
    pal_elements_destroy(e);
    body_destroy(&body);
}

static void whole_elements_are_valid(void **state)
{
    (void)state;
    for (int kind = PAL_ELEMENT_T4; kind <= PAL_ELEMENT_H8; ++kind)
        for (int32_t size = 1; size <= 9; size += 4) {
            uint64_t seed = (uint64_t)(kind + size);
            Body body = body_create((PalElementKind)kind, pal_law_find("neo-hookean"),
                                    (int32_t[]){size, size, size}, size > 1 ? 3 : 1, &seed);
            PalElements *elements = body_elements(&body);
            PalError error = {0};
            check_ok(pal_elements_validate(elements, &error), &error);
            pal_elements_destroy(elements);
            body_destroy(&body);
        }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(whole_elements_are_valid),
    cmocka_unit_test(broken_blocks_are_found),
    cmocka_unit_test(broken_lists_of_shared_nodes_are_found),
    cmocka_unit_test(broken_lists_of_pressures_are_found),
};
CHECK_GROUP(tests, NULL, NULL)
