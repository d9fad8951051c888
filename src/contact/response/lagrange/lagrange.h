// The inside of the lagrange response: candidates, rows, and what is kept from step to step.
#ifndef PAL_CONTACT_LAGRANGE_H
#define PAL_CONTACT_LAGRANGE_H

#include "base/array.h"
#include "contact/gap/closest.h"
#include "contact/gap/skin.h"
#include "contact/response/lagrange/patches.h"
#include "contact/response/response.h"
#include "contact/response/rows/rows.h"
#include "geometry/hierarchy.h"
#include "math/float4.h"
#include "math/range.h"
#include "math/vec3.h"

// Two sides that may touch. Candidates are ordered by the pair of facets that answer for them, then
// by place.
typedef struct PalCandidate {
    int32_t pair[2];
    int32_t place;
    PalFeatures features;
    double friction;
    double impulse;  // along the normal, in the last step
    bool found;      // by the guard, when no row would have been: it keeps one while it carries
    PalVec3 drag;    // of friction, in the last step
} PalCandidate;

// What it did in the last step no longer matters.
static inline void pal_candidate_forget(PalCandidate *candidate)
{
    candidate->impulse = 0;
    candidate->drag = (PalVec3){0, 0, 0};
    candidate->found = false;
}

// What a quick look at a candidate takes, in one line of the cache and no more.
typedef struct PalLook {
    _Alignas(64) int32_t vertices[4];
    PalVec3 direction;  // separated the two, last time it was found
    int32_t group;      // once groups are made
    int32_t row;        // in this step; PAL_NONE: awake without one; PAL_ASLEEP
    int16_t split;      // vertices of the first side
    bool flat;          // edges that have a row only once they are nearer than what they keep
    bool carried;       // it has an impulse of the last step, or may have: nobody has forgotten it
    uint8_t stale;      // quick looks that gave it little room since the direction was found
    uint8_t owned;      // of a facet: pal_facet_owned
    bool beside;        // its distance had no minimum, by pal_gap_is_beside
    bool hollow;        // or one of two edges was hollow
    float skin;         // how thick the skins of a vertex and a facet are together, at most
} PalLook;

// Candidates of a group are side by side, in slots; some slots are nobody's.
typedef struct PalCandidates {
    int32_t count, capacity;  // of slots
    PalCandidate *items;
    uint64_t *keys;   // ascending in the order of candidates
    uint64_t *turns;  // ascending in a group
    PalLook *looks;
    double *wakes;  // asleep until the odometer of its group shows more
} PalCandidates;

#define PAL_ASLEEP            (-2)
#define PAL_CLUSTER_SUMS      20
#define PAL_LAGRANGE_PARALLEL 1e-6  // square of the sine of an angle: lines tell nothing below it

// The candidates of two patches, of which the first has the lower number. What every step asks of
// all that are followed is in one line of the cache, and comes first.
typedef struct PalCandidateGroup {
    _Alignas(64) int32_t patches[2];  // PAL_NONE: there is no such group
    int32_t count;                    // of candidates
    bool due;                         // its list is made anew in this step
    bool fresh;                       // nobody has marked what is expected since it was made
    bool pushed;         // all of it was looked at as corrected: not all goes as expected
    bool rests : 1;      // its odometer stands still
    bool close : 1;      // its nearest candidate was near when they were listed last
    bool adjoins : 1;    // the two patches have vertices around them in common
    double odometer;     // bounds how much nearer any two of its points have come
    double nearer;       // and in this step, as expected
    double wake;         // none of its candidates wakes before, but for those that carry
    double soonest;      // nor these, in this step
    double limit;        // what is not listed is out of reach as long as the odometer shows less
    float less;          // how much nearer they may come besides where contact pushes less
    float shift;         // and as they do, corrected
    int32_t first;       // where its candidates are
    int32_t room;        // and how many there may be
    int32_t flat_count;  // edges that lie flat on each other: the last ones
    int32_t next[2];     // while they are listed
    float in_vain;       // for this approach there was nothing to be listed last
    double since;        // how far all had come when it began to rest
    PalVec3 direction;   // that separated the patches last
    int64_t stamp;       // when the search listed it last
} PalCandidateGroup;

typedef PAL_ARRAY(PalCandidateGroup) PalCandidateGroups;

// A candidate that wakes, to be put in order.
typedef struct PalWoken {
    uint64_t key;
    int32_t slot;
} PalWoken;

typedef struct PalGroups {
    PalCandidateGroups list;
    int32_t spare;           // a group there is not, and so on by next[0]; PAL_NONE
    int64_t stamp;           // counts how often they followed the search
    uint64_t *bits;          // per slot: it is to be looked at
    PalWoken *woken[2];      // while they are put in order
    int32_t capacity;        // of bits and woken
    int32_t *table;          // of places of groups, by their patches; a power of two
    int32_t table_size;      // of it
    PAL_ARRAY(int32_t) due;  // groups whose lists are to be made anew
    // Groups with nothing listed and far more room than a step takes rest: nobody follows them.
    PAL_ARRAY(int32_t) followed;
    PAL_ARRAY(int32_t) resting;
    PAL_ARRAY(int32_t) waking;  // in which candidates are to be looked at
    double come;                // bounds how much nearer any two points have come in all steps
    double comes;               // and in this one, as far as is known now
    double until;               // none has to be followed again before
} PalGroups;

// A candidate of two patches while their list is made.
typedef struct PalListed {
    PalCandidate item;
    uint64_t key, turn;
    PalLook look;
    double wake;
} PalListed;

typedef PAL_ARRAY(PalListed) PalListedOnes;

// Vertices, facets and edges of a patch that are near another one, in rows of eight; what is left
// over in a row has a box that overlaps with none.
typedef struct PalSide {
    int32_t start[4];   // where those of each kind are
    int32_t *places;    // in the lists of the patch
    float *numbers;     // of eight at a time: bounds of their boxes and shapes
    int32_t *ids;       // of eight at a time: their vertices
    PalFloat4 *around;  // where the vertices around the patch are
    PalBox *boxes;      // around each of them
    uint8_t *beyond;    // bits: on which sides of the other patch's box each is
} PalSide;

// From the second of two edges to the first, between points that are closest or nearly so. How far
// apart the two are along it, times its length.
typedef struct PalWay {
    float way[3];
    float along;
} PalWay;

// What a thread finds near ones with.
typedef struct PalFinder {
    PalSide sides[2];
    PAL_ARRAY(uint32_t) hits;  // two of them that may be near, in 16 bits each
    PAL_ARRAY(PalWay) ways;    // where they are edges: of each two
    int64_t most_hits;         // for which room was asked so far
} PalFinder;

// A list that was found and is not in its slots yet.
typedef struct PalFoundList {
    PalListedOnes plain, flat;
    PalListedOnes all;  // where those of before stay: they, too
    bool no_memory;
} PalFoundList;

enum { PAL_FINDERS = 16, PAL_FOUND_LISTS = 64 };

// What lists of groups are made with: so many at a time, by several threads.
typedef struct PalLister {
    PalFinder finders[PAL_FINDERS];  // one a thread
    PalFoundList found[PAL_FOUND_LISTS];
    size_t most, most_around;   // what a patch has, and has around it
    int32_t longest;            // of the lists found
    PAL_ARRAY(PalListed) kept;  // what a checkpoint knows of candidates, in their order
    int32_t listed_count;       // in all groups
    int32_t listed_before;      // when those that are made now were begun with
    bool moved;                 // some that are awake have come to other slots
    bool shuffled;              // all have
    bool crowded;               // there are too many
} PalLister;

// Soft vertices of blocks are known by the chunks of nodes they are in.
typedef struct PalMotions {
    bool far;              // blocks are worth a look of their own: some vertex goes far
    int64_t stamp;         // counts how often strides were fitted
    int64_t *chunk_stamp;  // per chunk of nodes: the last time one had a row then
} PalMotions;

// What rows turn besides: see couples.c. Arrays are per carrier.
typedef struct PalCouples {
    int32_t turned_count;
    int32_t *turned;  // nodes of membranes that rows turn
    PalVec3 *turn;    // by how much
    int32_t *vertex;  // one of their sides; PAL_NONE: nothing turns it
    int32_t pushed_count;
    int32_t *pushed;  // they and those around them
    bool *is_pushed;
    PalVec3 *impulse;
} PalCouples;

// Which of some candidates that are awake, one after the other, need a row: found by one thread.
enum { PAL_NEEDS_AWAKE = 32 };

typedef struct PalNeeds {
    int32_t count;                    // of gaps
    int32_t gap_of[PAL_NEEDS_AWAKE];  // PAL_NONE: it needs none
    int32_t row_of[PAL_NEEDS_AWAKE];  // of the gaps, once they have numbers; PAL_NONE: no row
    PalGap gaps[PAL_NEEDS_AWAKE];
} PalNeeds;

typedef struct PalLagrange {
    PalCandidates now, spare;
    int32_t *order;      // slots in the order of candidates, where lists hold for one step
    int64_t generation;  // of the search's list the candidates were made of
    PalPatches patches;
    PalGroups groups;
    PalLister lister;
    PalMotions motions;
    int32_t awake_count;
    int32_t *awake;  // candidates looked at in this step
    int32_t carrying_count;
    int32_t
        *carrying;  // candidates that carried force in the last step; others are known by groups
    int32_t hit_count;
    int32_t *hits;  // candidates that would collide
    PalRows rows;
    PalCouples couples;
    PAL_ARRAY(PalGap) gaps;  // of the rows
    PAL_ARRAY(PalNeeds) needs;
    PalVec3 *predicted;  // ends of touched vertices before contact
    int32_t touched_count;
    int32_t *touched;       // vertices that rows of this step speak of
    int64_t *vertex_stamp;  // per vertex: the step it was touched in
    double *less;           // per vertex: how far it may go because contact pushes less
    int32_t *orphans;       // per vertex: candidate that carried it and no longer does, plus 1
    int32_t *skin_row;      // per vertex: a row whose skin it is in, while what pushes is found out
    PAL_ARRAY(int32_t) skin_next;  // per row: another of the same vertex
    int32_t *cluster;              // rescue: union-find over carriers
    int64_t *edge_stamp;           // twice the stamp, plus 1 where the edge is hollow
    bool *sharp;                   // per edge: the surface bends outward along it at rest
    uint8_t *owned;                // per facet: pal_facet_owned
    bool turns;                    // what moves together may turn
    double (*cluster_sums)[PAL_CLUSTER_SUMS];
    int32_t *carrier_vertex;  // where soft vertices are nodes: the vertex of each
    int32_t too_fast;         // a free rigid body that turns too fast to be followed, or PAL_NONE
    int32_t thread_count;     // in this step
} PalLagrange;

// What there are too many candidates of.
PalStatus pal_candidates_report_crowd(const PalContact *contact, const PalLagrange *lagrange,
                                      PalError *error);
// Makes the candidates of the search's present list; keeps what is known of those that stay.
PalStatus pal_candidates_update(PalContact *contact, PalLagrange *lagrange, PalError *error);
// The same in the middle of a step: all stay, with their rows, and more may come.
PalStatus pal_candidates_add(PalContact *contact, PalLagrange *lagrange, PalError *error);

// Does nothing but stop where candidates contradict themselves.
void pal_candidates_validate(const PalContact *contact, const PalLagrange *lagrange);
// The same where two have come nearer than the guard or their group's odometer says.
void pal_lagrange_validate(const PalContact *contact, const PalLagrange *lagrange);

void pal_candidates_clear(PalCandidates *candidates);

bool pal_candidates_reserve(PalCandidates *candidates, int32_t capacity);  // false: no memory
// Where a candidate is in their order.
static inline uint64_t pal_candidate_key(const PalContactSurface *surface,
                                         const PalCandidate *candidate)
{
    uint64_t pair = (uint64_t)candidate->pair[0] * (uint64_t)surface->facet_count +
                    (uint64_t)candidate->pair[1];
    return 16 * pair + (uint64_t)candidate->place;
}

static inline PalLook *pal_lagrange_look(const PalLagrange *lagrange, int32_t candidate)
{
    return &lagrange->now.looks[candidate];
}

// Those awake are scattered over the list: what is needed of one that comes soon is fetched. Of
// most flat edges that carry nothing a look is enough. Another thread may look at that one already.
static inline void pal_lagrange_fetch(const PalLagrange *lagrange, int32_t place)
{
    if (place + 16 < lagrange->awake_count) {
        int32_t soon = lagrange->awake[place + 16];
        __builtin_prefetch(&lagrange->now.looks[soon]);
        __builtin_prefetch(&lagrange->now.wakes[soon]);
    }
    if (place + 8 < lagrange->awake_count) {
        int32_t soon = lagrange->awake[place + 8];
        const PalLook *look = &lagrange->now.looks[soon];
        if (look->flat && !__atomic_load_n(&look->carried, __ATOMIC_RELAXED))
            return;
        __builtin_prefetch(&lagrange->now.items[soon]);
        __builtin_prefetch((const char *)&lagrange->now.items[soon] + 64);
    }
}

// How much room a candidate has until it is to be looked at again; less than none: look at it.
static inline double pal_lagrange_room(const PalLagrange *lagrange, int32_t candidate)
{
    return lagrange->now.wakes[candidate] -
           lagrange->groups.list.items[lagrange->now.looks[candidate].group].odometer;
}

// A candidate that carries nothing counts in its group again.
static inline void pal_lagrange_rest(PalLagrange *lagrange, int32_t candidate)
{
    PalCandidateGroup *group = &lagrange->groups.list.items[lagrange->now.looks[candidate].group];
    group->wake = pal_min(group->wake, lagrange->now.wakes[candidate]);
}
// One that does is looked at in the next step, whatever its group does.
static inline void pal_lagrange_carry(PalLagrange *lagrange, int32_t candidate)
{
    lagrange->now.wakes[candidate] = -INFINITY;
    lagrange->carrying[lagrange->carrying_count++] = candidate;
}

// Puts candidates that are in their order into groups, and those into slots. Their rooms count from
// here on. False: no memory.
bool pal_groups_make(const PalContact *contact, PalLagrange *lagrange);
// Candidates may be added, in any order: what they have of room no longer counts by groups.
void pal_groups_dissolve(PalLagrange *lagrange);
void pal_groups_clear(PalGroups *groups);
// There are none.
void pal_groups_empty(PalGroups *groups);
// One that rests is followed again, where there is room for it. What it knows of motion is of the
// step when it began to rest: in the middle of a step it has to be marked like a new one.
static inline void pal_groups_follow(PalGroups *groups, int32_t index)
{
    PalCandidateGroup *group = &groups->list.items[index];
    group->odometer += groups->come - group->since;
    group->rests = false;
    group->fresh = true;
    groups->followed.items[groups->followed.count++] = index;
}
// All are followed.
void pal_groups_follow_all(PalGroups *groups);
// In the middle of a step candidates have come to other slots: lists those awake again.
void pal_groups_find_awake(PalLagrange *lagrange);
// The same where only those of groups whose lists are new have.
void pal_groups_find_moved(PalLagrange *lagrange);
// The group of two patches; PAL_NONE: no memory. A new one has nothing.
int32_t pal_groups_find(PalGroups *groups, int32_t a, int32_t b);
// Drops those that the search lists no longer.
void pal_groups_sweep(PalLagrange *lagrange);
// As much room as there are slots. False: no memory.
bool pal_groups_match(PalLagrange *lagrange);
void pal_groups_mark_nothing(PalLagrange *lagrange);
// Finds out how much nearer the patches of groups come, as expected and as corrected. Lists that
// will not do are made anew; those as corrected in the middle of a step, and none is dropped.
void pal_groups_expect(PalContact *contact, PalLagrange *lagrange);
void pal_groups_correct(PalContact *contact, PalLagrange *lagrange);
// Marks the candidates that may come so near that they need a row, as expected, and that a quick
// look does not settle.
void pal_groups_mark_expected(PalContact *contact, PalLagrange *lagrange);
// No vertex goes farther in this step, as it is now.
void pal_groups_bound(PalLagrange *lagrange, double farthest);
// Marks those that may collide, as corrected.
void pal_groups_mark_corrected(PalContact *contact, PalLagrange *lagrange);
// The step is done.
void pal_groups_pass(PalLagrange *lagrange);
// The candidates that are marked, in their order; how many. Most of them are among those awake.
int32_t pal_groups_list(const PalLagrange *lagrange, int32_t *candidates);

// Groups follow the pairs of patches of the search. `adds`: none is dropped. False: no memory.
bool pal_lister_follow(PalContact *contact, PalLagrange *lagrange, bool adds);
// Lists what the two patches of each group that is due have near each other, by where vertices
// start, so that it will do for this step at least. `adds`: none is dropped.
void pal_lister_renew(PalContact *contact, PalLagrange *lagrange, bool adds);
// As many finders as threads, but for those there is no memory for: how many.
int32_t pal_lister_finders(PalLister *lister, int32_t thread_count);
PalStatus pal_lister_create(PalLister *lister, const PalCut *cut, PalError *error);
void pal_lister_clear(PalLister *lister);
// Many times as many candidates as there are where surfaces of so many facets touch.
int32_t pal_lister_most(const PalContactSurface *surface);

// What is known of candidates that have carried force, for checkpoints.
int32_t pal_candidates_kept_count(const PalContact *contact);
void pal_candidates_keep(const PalContact *contact, PalKept *rows);
PalStatus pal_candidates_restore(PalContact *contact, const PalKept *rows, int32_t count);
// What a checkpoint knows of a candidate; false: nothing.
bool pal_candidate_recall(const PalLister *lister, uint64_t key, PalCandidate *candidate);

// Looks at candidates that may come near in this step, and makes rows of those that need one.
void pal_lagrange_evaluate(PalContact *contact, PalLagrange *lagrange, const PalContactStep *step,
                           PalMeter *meter);

// Looks closely at a candidate by its place among those awake. Does it need a row, for which gap?
// Groups do not know yet how long it sleeps.
bool pal_lagrange_look_closely(PalContact *contact, PalLagrange *lagrange, double step,
                               int32_t place, PalGap *gap);
// Is the surface hollow along an edge, in this step? Where it is, an edge that carries nothing has
// no row.
bool pal_lagrange_is_hollow(const PalContact *contact, PalLagrange *lagrange, int32_t edge);
// Where every vertex hangs on a carrier of its own, this is it.
static inline bool pal_lagrange_hangs_on_one(const PalContactSurface *surface)
{
    return surface->plain && surface->free_count == 0;
}
static inline int32_t pal_lagrange_carrier(const PalContactSurface *surface, int32_t vertex)
{
    return surface->holds[surface->hold_start[vertex]].carrier;
}
// At all of them by several threads: lagrange->needs. False: too few, or no memory; nobody has
// looked.
bool pal_lagrange_look_together(PalContact *contact, PalLagrange *lagrange, double step);

// The least that rows push with, where vertices are in the skin of smooth surfaces.
void pal_lagrange_push_skins(const PalContact *contact, PalLagrange *lagrange,
                             const PalContactStep *step);
// Puts what a row has done into the account of its two objects, if they have one.
void pal_lagrange_book_skin(const PalContact *contact, const PalLagrange *lagrange,
                            const PalRow *row, double step);

PalStatus pal_motions_create(PalMotions *motions, const PalContactSurface *surface,
                             PalError *error);
void pal_motions_clear(PalMotions *motions);

// Strides follow the ends as they are now. The farthest any vertex goes.
double pal_lagrange_fit_strides(PalContactSurface *surface, PalLagrange *lagrange);
// A row for a candidate the guard has found to collide in spite of the others.
void pal_lagrange_add_hit(PalContact *contact, PalLagrange *lagrange, const PalContactStep *step,
                          int32_t candidate);

// Rows know how sides of membranes turn, as ends are now.
void pal_lagrange_turn_sides(const PalContact *contact, PalLagrange *lagrange, double step);
// Solves the rows from the velocities as predicted; ends follow.
void pal_lagrange_solve(PalContact *contact, PalLagrange *lagrange, const PalContactStep *step);

PalStatus pal_couples_create(PalCouples *couples, const PalContactSurface *surface,
                             PalError *error);
void pal_couples_clear(PalCouples *couples);
// There are none.
void pal_couples_begin(PalCouples *couples);
// Of the rows as they are solved; false: there are none.
bool pal_couples_find(PalContact *contact, PalLagrange *lagrange);
// Adds them to velocities, times a sign.
void pal_couples_apply(const PalContact *contact, PalLagrange *lagrange, double sign);

// Candidates that would collide between start and end: lagrange->hits.
void pal_lagrange_guard(PalContact *contact, PalLagrange *lagrange);
// All vertices move by themselves.
void pal_lagrange_part_all(const PalContact *contact, PalLagrange *lagrange);
// Lets what still collides move together, with what moves together already. False: all of it did
// before, and it cannot be done, as between two instruments.
bool pal_lagrange_join(PalContact *contact, PalLagrange *lagrange, const PalContactStep *step);

// Velocity of a soft vertex, as its carriers have it now.
PalVec3 pal_lagrange_carried(const PalContactSurface *surface, const PalRows *rows, int32_t vertex);
// Ends of the touched vertices from their velocities.
void pal_lagrange_move(PalContact *contact, PalLagrange *lagrange, const PalContactStep *step);

// A row or a rescue speaks of this vertex: its carriers start with the velocities predicted.
void pal_lagrange_touch(PalContact *contact, PalLagrange *lagrange, int32_t vertex);
// The same with nodes of weight 0, which turn it.
void pal_lagrange_touch_around(PalContact *contact, PalLagrange *lagrange, int32_t vertex);

// Distance kept at least between two points that were farther apart at the start of the step.
static inline double pal_lagrange_least(const PalContact *contact)
{
    return contact->separation / 4;
}

// Edges that lie flat on each other have a row only once they are nearer than what they keep, which
// is a little less than vertices keep from facets: rows of vertices hold most of them apart. Not so
// with free rigid bodies, which rock on what is left out, nor with membranes, which have both
// sides.
static inline bool pal_lagrange_spares_edges(const PalContact *contact)
{
    return contact->surface->free_count == 0 && contact->surface->plain;
}
static inline double pal_lagrange_kept_by_edges(const PalContact *contact)
{
    return pal_lagrange_spares_edges(contact) ? 0.998 * contact->separation : contact->separation;
}

// Two edges that have a row only once they are nearer than what they keep: neither is sharp.
static inline bool pal_lagrange_is_flat(const PalContact *contact, const PalLagrange *lagrange,
                                        const PalFeatures *features)
{
    return features->kind == PAL_CONTACT_EDGE_EDGE && !lagrange->sharp[features->items[0]] &&
           !lagrange->sharp[features->items[1]] && pal_lagrange_spares_edges(contact);
}

// How far apart two sets of points are along a direction: the first `split` of four, and the rest.
static inline double pal_apart_along(const PalVec3 *positions, const PalLook *look)
{
    const int32_t *v = look->vertices;
    PalVec3 n = look->direction;
    double p[4];
    for (int k = 0; k < 4; ++k)
        p[k] = n.x * positions[v[k]].x + n.y * positions[v[k]].y + n.z * positions[v[k]].z;
    double first = look->split == 1 ? p[0] : pal_min(p[0], p[1]);
    double second = pal_max(p[2], p[3]);
    return first - (look->split == 1 ? pal_max(p[1], second) : second);
}

// How much nearer the two sides may come because contact pushes less than is expected.
static inline double pal_lagrange_less(const PalLagrange *lagrange, const PalLook *look)
{
    const double *less = lagrange->less;
    const int32_t *v = look->vertices;
    double far = pal_max(less[v[2]], less[v[3]]);
    if (look->split == 1)
        return less[v[0]] + pal_max(less[v[1]], far);
    return pal_max(less[v[0]], less[v[1]]) + far;
}

// Of the mean edge: so near at the start of a step, pairs have rows as soon as they close in on
// each other's planes. Any search lists them.
#define PAL_LAGRANGE_EARLY 0.01

// Share of the last step's forces that may be gone in this one: rows are made for what comes near
// then, too.
#define PAL_LAGRANGE_LESS_PUSH 0.1

// Candidates farther apart along their normal than this need no row.
static inline double pal_lagrange_near(const PalContact *contact)
{
    return contact->separation + contact->rate_distance;
}

// The same by their distance: a vertex may be nearer along the normal of a facet beside, and is
// pushed where it is in the skin of a smooth surface, too.
static inline double pal_lagrange_margin(const PalContact *contact, PalContactKind kind,
                                         double skin)
{
    double near = pal_lagrange_near(contact);
    return kind == PAL_CONTACT_NODE_FACET ? (near + skin) / PAL_GAP_BESIDE : near;
}

// What a candidate has to be nearer than for a row, at the start or at the end of a step.
static inline double pal_look_margin(const PalContact *contact, const PalLook *look)
{
    if (look->flat)
        return pal_lagrange_kept_by_edges(contact);
    return pal_lagrange_margin(contact,
                               look->split == 1 ? PAL_CONTACT_NODE_FACET : PAL_CONTACT_EDGE_EDGE,
                               (double)look->skin);
}

// Pairs that are nearer are in every list. Those farther apart need no row, along whatever normal.
static inline double pal_lagrange_listed(const PalContact *contact, double skin)
{
    return pal_max(pal_lagrange_margin(contact, PAL_CONTACT_NODE_FACET, skin),
                   PAL_LAGRANGE_EARLY * contact->edge);
}

#endif
