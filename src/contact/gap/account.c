#include "contact/gap/account.h"

#include <string.h>

#define ALLOWED 0.1         // of what skins hold: where so much was given, facets alone tell
#define POWER   3           // of what skins hold, with which what was given vanishes as they part
#define WEAKEST 0.5         // skins do without no more of their force
#define PARTING 0.3         // of what they held of late: they do without all of it from here on
#define MEMORY  (1.0 / 64)  // of a step in what they held of late
#define TRIFLE  1e-6        // of that: who owes no more when objects have parted owes nothing

// Where the account of two objects is, or belongs.
static int32_t place_of(const PalSkin *skin, int32_t low, int32_t high)
{
    int32_t first = 0, last = skin->accounts.count;
    while (first < last) {
        int32_t middle = (first + last) / 2;
        const PalAccount *account = &skin->accounts.items[middle];
        if (account->low < low || (account->low == low && account->high < high))
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

static bool is_of(const PalSkin *skin, int32_t place, int32_t low, int32_t high)
{
    const PalAccount *items = skin->accounts.items;
    return place < skin->accounts.count && items[place].low == low && items[place].high == high;
}

PalAccount *pal_account_find(const PalSkin *skin, int32_t a, int32_t b)
{
    int32_t low = a < b ? a : b, high = a < b ? b : a, place = place_of(skin, low, high);
    return is_of(skin, place, low, high) ? &skin->accounts.items[place] : NULL;
}

PalAccount *pal_account_open(PalSkin *skin, int32_t a, int32_t b)
{
    int32_t low = a < b ? a : b, high = a < b ? b : a, place = place_of(skin, low, high);
    if (is_of(skin, place, low, high))
        return &skin->accounts.items[place];
    if (!pal_array_reserve(&skin->accounts, 1))
        return NULL;
    PalAccount *account = &skin->accounts.items[place];
    memmove(account + 1, account, (size_t)(skin->accounts.count++ - place) * sizeof *account);
    *account = (PalAccount){.low = low, .high = high};
    return account;
}

double pal_account_trust(const PalSkin *skin, int32_t a, int32_t b)
{
    const PalAccount *account = pal_account_find(skin, a, b);
    if (account == NULL || !(account->given > 0))
        return 1;
    return pal_max(0, 1 - account->given / (ALLOWED * account->held));
}

// With E held and G given, skins that part do without the share k G / E: dG = k G dE / E, so that G
// falls as E^k. They part if they hold less than of late: what trembles must not be let go and held
// in turns. What was taken counts as far as skins hold as much, and is forgotten once they have
// parted.
static void begin(PalAccount *account)
{
    double lost = account->before - account->held;
    bool parting = account->held > 0 && lost > 0 && account->given > 0;
    account->yield = parting ? pal_min(WEAKEST, POWER * account->given / account->held) *
                                   pal_min(1, lost / (PARTING * account->before))
                             : 0;
    account->given = pal_max(account->given, -account->held);
    account->before -= MEMORY * lost;
    account->held = 0;
}

// Objects that have parted and owe nothing need none. What they owe they keep owing until they meet
// again: forgiven, it would be given anew each time.
static bool is_settled(const PalAccount *account)
{
    return !(account->held > 0) && account->given <= TRIFLE * account->before;
}

void pal_accounts_begin(PalSkin *skin)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < skin->accounts.count; ++i) {
        PalAccount *account = &skin->accounts.items[i];
        if (is_settled(account))
            continue;
        begin(account);
        skin->accounts.items[kept++] = *account;
    }
    skin->accounts.count = kept;
}
