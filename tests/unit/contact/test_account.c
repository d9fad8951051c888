// What smooth normals have given to two objects: accounts in order, how much they are trusted, what
// skins do without as they part, and that a run that is resumed goes on with what it owes.
#include "contact/gap/account.h"
#include "contact/response/response.h"
#include "saved.h"
#include "sim/sim.h"
#include "touch.h"

enum { OBJECTS = 5, ACCOUNT_KEY = 32, KEY_SIZE = 3, NUMBERS_SIZE = 8 };

static void accounts_are_in_order(void **state)
{
    (void)state;
    PalSkin skin = {0};
    assert_null(pal_account_find(&skin, 0, 1));
    assert_true(pal_account_trust(&skin, 0, 1) == 1);
    for (int32_t i = 0; i < OBJECTS * OBJECTS; ++i) {
        int32_t a = i * 7 % 25 / OBJECTS, b = i * 7 % 25 % OBJECTS;
        if (a == b)
            continue;
        PalAccount *account = pal_account_open(&skin, a, b);
        assert_non_null(account);
        assert_true(account->low == (a < b ? a : b) && account->high == (a < b ? b : a));
        account->given = 10 * account->low + account->high;
    }
    assert_int_equal(skin.accounts.count, OBJECTS * (OBJECTS - 1) / 2);
    for (int32_t a = 0; a < OBJECTS; ++a)
        for (int32_t b = a + 1; b < OBJECTS; ++b) {
            assert_true(pal_account_find(&skin, a, b)->given == 10 * a + b);
            assert_ptr_equal(pal_account_find(&skin, a, b), pal_account_find(&skin, b, a));
        }
    assert_null(pal_account_find(&skin, 0, OBJECTS));
    pal_array_clear(&skin.accounts);
}

// All of it up to nothing given, none from a tenth of what skins hold on.
static void who_has_been_given_is_trusted_less(void **state)
{
    (void)state;
    PalSkin skin = {0};
    PalAccount *account = pal_account_open(&skin, 0, 1);
    assert_true(pal_account_trust(&skin, 0, 1) == 1);
    account->held = 2;
    account->given = -0.5;
    assert_true(pal_account_trust(&skin, 1, 0) == 1);
    account->given = 0.05;
    assert_true(fabs(pal_account_trust(&skin, 1, 0) - 0.75) < 1e-15);
    account->given = 0.25;
    assert_true(pal_account_trust(&skin, 1, 0) == 0);
    account->held = 0;
    assert_true(pal_account_trust(&skin, 1, 0) == 0);
    pal_array_clear(&skin.accounts);
}

// Only as they part, and no more than half of their force.
static void skins_yield_as_they_part(void **state)
{
    (void)state;
    static const struct {
        double held, before, given, yield, left;
    } cases[] = {{1, 2, 0.01, 0.03, 0.01}, {2, 1, 0.01, 0, 0.01},
                 {1, 2, -0.01, 0, -0.01},  {1, 2, 5, 0.5, 5},
                 {0, 1, 5, 0, 5},          {1, 1, 0.01, 0, 0.01},
                 {1, 2, -3, 0, -1},        {0.85, 1, 0.01, 0.015 / 0.85, 0.01}};
    PalSkin skin = {0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        PalAccount *account = pal_account_open(&skin, 0, 1);
        account->held = cases[i].held;
        account->before = cases[i].before;
        account->given = cases[i].given;
        pal_accounts_begin(&skin);
        check_near(account->yield, cases[i].yield, 1e-15);
        check_near(account->given, cases[i].left, 1e-15);
        assert_true(account->held == 0 &&
                    account->before == cases[i].before - (cases[i].before - cases[i].held) / 64);
    }
    pal_array_clear(&skin.accounts);
}

// Whoever holds nothing and owes next to nothing; others stay, in order.
static void settled_accounts_are_closed(void **state)
{
    (void)state;
    static const struct {
        double held, before, given;
        bool stays;
    } cases[] = {{0, 1, 0, false},   {0, 1, -3, false}, {0, 1, 1e-7, false},
                 {0, 1, 1e-5, true}, {1, 1, 0, true},   {1, 1, -3, true},
                 {0, 0, 1e-7, true}, {0, 0, 0, false},  {1e-9, 0, 1e-20, true}};
    enum { COUNT = sizeof cases / sizeof cases[0] };
    PalSkin skin = {0};
    int32_t stay = 0;
    for (int32_t i = 0; i < COUNT; ++i) {
        PalAccount *account = pal_account_open(&skin, i, COUNT);
        account->held = cases[i].held;
        account->before = cases[i].before;
        account->given = cases[i].given;
    }
    pal_accounts_begin(&skin);
    for (int32_t i = 0; i < COUNT; ++i) {
        const PalAccount *account = pal_account_find(&skin, i, COUNT);
        assert_true((account != NULL) == cases[i].stays);
        stay += cases[i].stays;
        assert_true(account == NULL || account->given == fmax(cases[i].given, -cases[i].held));
    }
    assert_int_equal(skin.accounts.count, stay);
    pal_array_clear(&skin.accounts);
}

// Objects that part too slowly to pay owe it when they meet again, however much later: until skins
// hold ten times as much facets tell, and as they part again it is paid.
static void a_debt_stays_until_it_is_paid(void **state)
{
    (void)state;
    PalSkin skin = {0};
    pal_account_open(&skin, 0, 1)->given = 1;
    for (int i = 0; i < 100000; ++i)
        pal_accounts_begin(&skin);
    PalAccount *account = pal_account_find(&skin, 0, 1);
    assert_non_null(account);
    assert_true(account->given == 1 && account->before == 0);
    account->held = 10;
    assert_true(pal_account_trust(&skin, 0, 1) == 0);
    account->held = 20;
    assert_true(pal_account_trust(&skin, 0, 1) > 0);
    for (int i = 0; i < 400; ++i) {  // they are pressed and part, the skins without a share of E
        double was = i == 0 ? 0 : fmax(0, i < 200 ? 20 : 20 - 0.11 * (i - 201));
        double held = fmax(0, i < 200 ? 20 : 20 - 0.11 * (i - 200));
        pal_accounts_begin(&skin);
        account = pal_account_find(&skin, 0, 1);
        if (account == NULL)
            break;
        account->given -= account->yield * fmax(0, was - held);
        account->held = held;
    }
    assert_null(pal_account_find(&skin, 0, 1));
    pal_array_clear(&skin.accounts);
}

// ---- resumed ------------------------------------------------------------------------------

// Two balls that meet aside.
static Touch place(void)
{
    Touch t = touch_nothing(1);
    for (int b = 0; b < 2; ++b) {
        PalMesh *ball = touch_shape(PAL_SHAPE_SPHERE, pal_vec3(0.5, 0.5, 0.5), (int32_t[]){6, 0, 0},
                                    PAL_CELL_TETRAHEDRON, pal_vec3(1.03 * b, 0.3 * b, 0));
        touch_add_mesh(&t, ball, 1000, 0.3, 1);
        t.bodies[b].velocity = pal_vec3(b == 0 ? 1 : -1, 0, 0);
    }
    touch_pair(&t, 0, 1, 0);
    return t;
}

static const PalAccount *account_of(const Touch *t)
{
    return pal_account_find(t->run->solver->contact->skin, 0, 1);
}

// Until facets tell more than before.
static Touch meet(void)
{
    Touch t = place();
    PalError error = {0};
    touch_start(&t);
    for (int i = 0; i < 300 && (account_of(&t) == NULL || !(account_of(&t)->given > 0)); ++i)
        check_ok(pal_sim_step(t.run, &error), &error);
    assert_non_null(account_of(&t));
    assert_true(account_of(&t)->given > 0);
    return t;
}

static void a_resumed_run_owes_as_much(void **state)
{
    (void)state;
    Touch t = meet(), u = place();
    PalError error = {0};
    touch_start(&u);
    Saved saved = saved_take(t.run);
    saved_put_back(u.run, &saved, "contact_keys", -1);
    check_ok(pal_sim_restored(u.run, &error), &error);
    assert_non_null(account_of(&u));
    assert_true(account_of(&u)->given == account_of(&t)->given);
    for (int i = 0; i < 200; ++i) {
        check_ok(pal_sim_step(t.run, &error), &error);
        check_ok(pal_sim_step(u.run, &error), &error);
        assert_true(pal_sim_hash(t.run) == pal_sim_hash(u.run));
        assert_true((account_of(&t) == NULL) == (account_of(&u) == NULL));
        assert_true(account_of(&t) == NULL || account_of(&u)->given == account_of(&t)->given);
    }
    assert_null(account_of(&t));  // they have parted, and have paid
    saved_drop(&saved);
    touch_end(&t);
    touch_end(&u);
}

// ---- asleep -------------------------------------------------------------------------------

// Balls that have met and parted, and owe more than they could pay: steps in which nothing is
// looked for count as all others.
static void what_was_held_fades_while_contact_sleeps(void **state)
{
    (void)state;
    PalAccount accounts[2];
    for (int i = 0; i < 2; ++i) {
        Touch t = place();
        t.sim.contact.schedule = i == 0 ? PAL_SCHEDULE_EVERY_STEP : PAL_SCHEDULE_TRAJECTORY;
        touch_start(&t);
        PalError error = {0};
        while (account_of(&t) == NULL)
            check_ok(pal_sim_step(t.run, &error), &error);
        pal_account_open(t.run->solver->contact->skin, 0, 1)->given = 1e6;
        touch_advance(&t, 1);
        assert_non_null(account_of(&t));
        accounts[i] = *account_of(&t);
        const PalCounters *counters = pal_sim_counters(t.run);
        assert_true((counters->wakes < pal_sim_state(t.run)->step_count / 2) == (i == 1));
        touch_end(&t);
    }
    assert_true(accounts[0].before > 0 && accounts[0].before == accounts[1].before);
    assert_true(accounts[0].given == accounts[1].given);
}

// The last row that is kept is the account.
static void wrong_accounts_are_refused(void **state)
{
    (void)state;
    static const int64_t wrong[][KEY_SIZE] = {{-1, 1, ACCOUNT_KEY},
                                              {1, 1, ACCOUNT_KEY},
                                              {0, 2, ACCOUNT_KEY},
                                              {1, 0, ACCOUNT_KEY},
                                              {0, 1, ACCOUNT_KEY + 1}};
    Touch t = meet();
    PalError error = {0};
    Saved saved = saved_take(t.run);
    int64_t last = saved_size(&saved, "contact_keys") / KEY_SIZE - 1;
    for (size_t w = 0; w < sizeof wrong / sizeof wrong[0]; ++w) {
        int64_t *keys = saved_put_back(t.run, &saved, "contact_keys", -1);
        assert_true(keys[KEY_SIZE * last + 2] == ACCOUNT_KEY);
        memcpy(keys + KEY_SIZE * last, wrong[w], sizeof wrong[w]);
        assert_true(pal_sim_restored(t.run, &error) == PAL_BAD_INPUT);
    }
    for (int k = 1; k < 3; ++k) {
        double *numbers = saved_put_back(t.run, &saved, "contact_numbers", -1);
        numbers[NUMBERS_SIZE * last + k] = -1;
        assert_true(pal_sim_restored(t.run, &error) == PAL_BAD_INPUT);
    }
    int64_t *keys = saved_put_back(t.run, &saved, "contact_keys", -1);
    memcpy(keys + KEY_SIZE * (last - 1), keys + KEY_SIZE * last, KEY_SIZE * sizeof *keys);
    assert_true(pal_sim_restored(t.run, &error) == PAL_BAD_INPUT);
    saved_put_back(t.run, &saved, "contact_keys", -1);
    error = (PalError){0};
    check_ok(pal_sim_restored(t.run, &error), &error);
    saved_drop(&saved);
    touch_end(&t);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(accounts_are_in_order),
    cmocka_unit_test(who_has_been_given_is_trusted_less),
    cmocka_unit_test(skins_yield_as_they_part),
    cmocka_unit_test(settled_accounts_are_closed),
    cmocka_unit_test(a_debt_stays_until_it_is_paid),
    cmocka_unit_test(a_resumed_run_owes_as_much),
    cmocka_unit_test(what_was_held_fades_while_contact_sleeps),
    cmocka_unit_test(wrong_accounts_are_refused),
};
CHECK_GROUP(tests, NULL, NULL)
