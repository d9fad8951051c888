// What a checkpoint knows of candidates: those that carry force. After them, accounts of skins.
#include "contact/gap/account.h"
#include "contact/response/lagrange/lagrange.h"

#include <math.h>

#define PLACES  15  // of vertices and edges in a pair of facets
#define FOUND   16  // added to the place of a candidate the guard has found; places are fewer
#define ACCOUNT 32  // in the place of one, after two objects: no candidate but an account

static bool is_kept(const PalCandidate *candidate)
{
    PalVec3 drag = candidate->drag;
    return candidate->impulse != 0 || drag.x != 0 || drag.y != 0 || drag.z != 0;
}

int32_t pal_candidates_kept_count(const PalContact *contact)
{
    const PalLagrange *lagrange = contact->own;
    int32_t count = lagrange->lister.kept.count;
    for (int32_t i = 0; i < lagrange->awake_count; ++i)
        count += is_kept(&lagrange->now.items[lagrange->awake[i]]);
    return contact->skin != NULL ? count + contact->skin->accounts.count : count;
}

static PalKept row_of(const PalCandidate *candidate, PalVec3 direction)
{
    PalVec3 drag = candidate->drag;
    return (PalKept){
        .key = {candidate->pair[0], candidate->pair[1],
                candidate->place + (candidate->found ? FOUND : 0)},
        .numbers = {direction.x, direction.y, direction.z, candidate->impulse, drag.x, drag.y,
                    drag.z},
    };
}

// Those that carry force are awake. What was restored is not among them before the next step.
void pal_candidates_keep(const PalContact *contact, PalKept *rows)
{
    const PalLagrange *lagrange = contact->own;
    for (int32_t i = 0; i < lagrange->lister.kept.count; ++i)
        *rows++ = row_of(&lagrange->lister.kept.items[i].item,
                         lagrange->lister.kept.items[i].look.direction);
    for (int32_t i = 0; i < lagrange->awake_count; ++i) {
        int32_t c = lagrange->awake[i];
        if (is_kept(&lagrange->now.items[c]))
            *rows++ = row_of(&lagrange->now.items[c], lagrange->now.looks[c].direction);
    }
    for (int32_t i = 0; contact->skin != NULL && i < contact->skin->accounts.count; ++i) {
        const PalAccount *account = &contact->skin->accounts.items[i];
        *rows++ = (PalKept){.key = {account->low, account->high, ACCOUNT},
                            .numbers = {account->given, account->held, account->before}};
    }
}

bool pal_candidate_recall(const PalLister *lister, uint64_t key, PalCandidate *candidate)
{
    int32_t low = 0, high = lister->kept.count;
    while (low < high) {
        int32_t middle = (low + high) / 2;
        if (lister->kept.items[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == lister->kept.count || lister->kept.items[low].key != key)
        return false;
    candidate->impulse = lister->kept.items[low].item.impulse;
    candidate->drag = lister->kept.items[low].item.drag;
    candidate->found = lister->kept.items[low].item.found;
    return true;
}

#define DRAG_MOST 1e6     // times the impulse: more than any friction holds
#define NOTHING   1e-150  // squares of less are lost

static bool numbers_are_sound(const PalKept *rows, int32_t count)
{
    for (int32_t i = 0; i < count; ++i) {
        const double *n = rows[i].numbers;
        double square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
        bool unit = fabs(square - 1) < 1e-9;
        double drag = sqrt(n[4] * n[4] + n[5] * n[5] + n[6] * n[6]);
        if (!(n[3] >= 0) || !(unit || square == 0) || !(drag <= DRAG_MOST * n[3] + NOTHING))
            return false;
    }
    return true;
}

// Pairs of facets that there are, places that there are, each once and in order.
static bool keys_are_sound(const PalContactSurface *surface, const PalKept *rows, int32_t count)
{
    for (int32_t i = 0; i < count; ++i) {
        const int64_t *key = rows[i].key, *last = i > 0 ? rows[i - 1].key : NULL;
        int64_t place = key[2] % FOUND, last_place = last != NULL ? last[2] % FOUND : PAL_NONE;
        if (key[0] < 0 || key[0] >= key[1] || key[1] >= surface->facet_count || key[2] < 0 ||
            key[2] >= 2 * FOUND || place >= PLACES)
            return false;
        if (last != NULL && (key[0] < last[0] || (key[0] == last[0] && key[1] < last[1]) ||
                             (key[0] == last[0] && key[1] == last[1] && place <= last_place)))
            return false;
    }
    return true;
}

// Accounts of objects that there are, in order, with energies that skins can hold.
static bool accounts_are_sound(const PalContact *contact, const PalKept *rows, int32_t count)
{
    for (int32_t i = 0; i < count; ++i) {
        const int64_t *key = rows[i].key, *last = i > 0 ? rows[i - 1].key : NULL;
        if (contact->skin == NULL || key[2] != ACCOUNT || key[0] < 0 || key[0] >= key[1] ||
            key[1] >= contact->surface->object_count || rows[i].numbers[1] < 0 ||
            rows[i].numbers[2] < 0)
            return false;
        if (last != NULL && (key[0] < last[0] || (key[0] == last[0] && key[1] <= last[1])))
            return false;
    }
    return true;
}

static PalStatus restore_accounts(PalSkin *skin, const PalKept *rows, int32_t count)
{
    if (skin != NULL)
        skin->accounts.count = 0;
    for (int32_t i = 0; i < count; ++i) {
        PalAccount *account =
            pal_account_open(skin, (int32_t)rows[i].key[0], (int32_t)rows[i].key[1]);
        if (account == NULL)
            return PAL_NO_MEMORY;
        account->given = rows[i].numbers[0];
        account->held = rows[i].numbers[1];
        account->before = rows[i].numbers[2];
    }
    return PAL_OK;
}

// The rest of each candidate is found again when the list is made next.
PalStatus pal_candidates_restore(PalContact *contact, const PalKept *rows, int32_t row_count)
{
    int32_t count = 0;
    while (count < row_count && rows[count].key[2] != ACCOUNT)
        ++count;
    if (!accounts_are_sound(contact, rows + count, row_count - count))
        return PAL_BAD_INPUT;
    if (!keys_are_sound(contact->surface, rows, count) || !numbers_are_sound(rows, count))
        return PAL_BAD_INPUT;
    PalLagrange *lagrange = contact->own;
    PalLister *lister = &lagrange->lister;
    lister->kept.count = lister->listed_count = 0;
    lagrange->now.count = lagrange->awake_count = lagrange->carrying_count = 0;
    lagrange->generation = -1;
    pal_groups_empty(&lagrange->groups);
    for (int32_t i = 0; i < count; ++i) {
        const double *numbers = rows[i].numbers;
        PalListed one = {
            .look.direction = {numbers[0], numbers[1], numbers[2]},
            .item = {.pair = {(int32_t)rows[i].key[0], (int32_t)rows[i].key[1]},
                     .place = (int32_t)rows[i].key[2] % FOUND,
                     .found = rows[i].key[2] >= FOUND,
                     .impulse = numbers[3],
                     .drag = {numbers[4], numbers[5], numbers[6]}},
        };
        one.key = pal_candidate_key(contact->surface, &one.item);
        if (!pal_array_push(&lister->kept, one))
            return PAL_NO_MEMORY;
    }
    return restore_accounts(contact->skin, rows + count, row_count - count);
}
