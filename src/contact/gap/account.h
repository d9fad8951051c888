// What contact gives to two smooth objects. Along smooth normals, which are not those of the facets
// that are kept apart, sliding gives or takes energy. Each two objects have an account of it: the
// more was given, the more facets tell where to push, and skins give back less as they part.
// docs/theory/contact.md
#ifndef PAL_CONTACT_GAP_ACCOUNT_H
#define PAL_CONTACT_GAP_ACCOUNT_H

#include "contact/gap/skin.h"

// Of two objects, low < high.
struct PalAccount {
    int32_t low, high;
    double given;   // energy, beyond what skins take and give back; negative: it was taken
    double held;    // energy in the skins now
    double before;  // and of late
    double yield;   // share of their force that skins do without in this step
};

// NULL: these two have none yet.
PalAccount *pal_account_find(const PalSkin *skin, int32_t a, int32_t b);
// Opens one where there is none. NULL: no memory.
PalAccount *pal_account_open(PalSkin *skin, int32_t a, int32_t b);

// How much of smooth normals these two may have, from 0 to 1.
double pal_account_trust(const PalSkin *skin, int32_t a, int32_t b);

// A step begins, also one in which contact sleeps: how much skins yield, and nothing is held yet.
// Closes accounts of those who hold nothing and owe nothing.
void pal_accounts_begin(PalSkin *skin);

#endif
