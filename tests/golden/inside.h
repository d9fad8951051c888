// Adds to a book what contact keeps in mind after a step: what is looked at when, and how near it
// is thought to be. A change of it need not change a result, but what a run costs, and how sure it
// is that nothing is missed.
#ifndef PAL_TESTS_GOLDEN_INSIDE_H
#define PAL_TESTS_GOLDEN_INSIDE_H

#include "book.h"

#include "contact/contact.h"
#include "contact/gap/skin.h"
#include "contact/response/barrier/barrier.h"
#include "contact/response/depth/row.h"
#include "contact/response/johnsen/johnsen.h"
#include "contact/response/lagrange/lagrange.h"
#include "contact/schedule/watch.h"
#include "contact/search/method.h"
#include "sim/sim.h"

static void add_vector(Entry *entry, PalVec3 v)
{
    entry_add(entry, v.x);
    entry_add(entry, v.y);
    entry_add(entry, v.z);
}

static void add_surface(Entry *entry, const PalContact *contact)
{
    const PalContactSurface *surface = contact->surface;
    const double lengths[] = {contact->edge,          contact->separation, contact->exactness,
                              contact->rate_distance, contact->extent,     surface->farthest,
                              surface->felt_most,     surface->shortest,   surface->longest};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; ++i)
        entry_add(entry, lengths[i]);
    for (int32_t i = 0; i < surface->awake.block_count; ++i)
        entry_add(entry, surface->stride[surface->awake.blocks[i]]);
    for (int32_t c = 0; c < surface->carrier_count; ++c)
        for (int k = 0; k < 4; ++k)
            entry_add(entry, contact->carriers.inverse_mass[c][k]);
    const PalSkin *skin = contact->skin;
    for (int32_t v = 0; skin != NULL && v < surface->vertex_count; ++v) {
        entry_add(entry, skin->curvature[v]);
        entry_add(entry, skin->thickness[v]);
        entry_add(entry, skin->length[v]);
    }
}

static void add_search(Entry *entry, const PalSearch *search)
{
    entry_add(entry, (double)search->generation);
    entry_add(entry, search->margin);
    entry_add(entry, search->tolerance);
    entry_add(entry, search->approach);
    for (int32_t i = 0; i < search->pair_count; ++i)
        entry_add(entry, search->pairs[i].a + 1e-3 * search->pairs[i].b);
    for (int32_t i = 0; i < search->patch_pair_count; ++i)
        entry_add(entry, search->patch_pairs[i].a + 1e-3 * search->patch_pairs[i].b);
    const PalPlaces *places = pal_search_places(search);
    for (int32_t v = 0; places != NULL && v < places->count; ++v) {
        add_vector(entry, places->items[v].centre);
        entry_add(entry, places->items[v].radius);
    }
}

// ---- when -------------------------------------------------------------------------------

static void add_schedule(Entry *entry, const PalOutlook *watch)
{
    const double numbers[] = {watch->reach,
                              watch->allowance,
                              watch->farthest,
                              watch->farthest_due,
                              watch->time_due,
                              watch->clock,
                              (double)watch->awake_count,
                              (double)watch->self_awake_count,
                              (double)watch->tracked_count,
                              (double)watch->questions,
                              (double)watch->renewals,
                              (double)watch->measures};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
        entry_add(entry, numbers[i]);
    for (int32_t o = 0; o < watch->object_count; ++o) {
        const PalWatched *object = &watch->objects[o];
        const double own[] = {object->spare,         object->out,
                              object->seen,          object->path,
                              object->travel,        object->odometer,
                              object->flight.radius, object->pushed,
                              object->wish,          (double)object->tightened,
                              object->self.apart,    object->self.path_due};
        for (size_t i = 0; i < sizeof own / sizeof *own; ++i)
            entry_add(entry, own[i]);
        add_vector(entry, object->velocity);
        add_vector(entry, object->flight.acceleration);
    }
    for (int32_t p = 0; p < watch->pair_count; ++p) {
        const PalWatchedPair *pair = &watch->pairs[p];
        entry_add(entry, pair->sleep);
        entry_add(entry, pair->due);
        entry_add(entry, pair->worth);
        entry_add(entry, pair->path_due);
        entry_add(entry, (double)pair->review);
    }
}

// ---- how hard ---------------------------------------------------------------------------

static void add_lagrange(Entry *entry, const PalLagrange *lagrange)
{
    const PalGroups *groups = &lagrange->groups;
    const double numbers[] = {(double)lagrange->lister.listed_count,
                              (double)lagrange->awake_count,
                              (double)lagrange->carrying_count,
                              (double)lagrange->touched_count,
                              (double)lagrange->rows.count,
                              (double)groups->resting.count,
                              groups->come};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
        entry_add(entry, numbers[i]);
    for (int32_t g = 0; g < groups->list.count; ++g) {
        const PalCandidateGroup *group = &groups->list.items[g];
        if (group->patches[0] == PAL_NONE)
            continue;
        entry_add(entry, group->patches[0] + 1e-3 * group->patches[1]);
        entry_add(entry, group->odometer);
        entry_add(entry, group->limit);
        for (int32_t c = group->first; c < group->first + group->count; ++c) {
            const PalCandidate *candidate = &lagrange->now.items[c];
            entry_add(entry, lagrange->now.wakes[c]);
            entry_add(entry, candidate->impulse);
            add_vector(entry, candidate->drag);
            add_vector(entry, lagrange->now.looks[c].direction);
        }
    }
    for (int32_t r = 0; r < lagrange->rows.count; ++r) {
        const PalRow *row = &lagrange->rows.items[r];
        const double own[] = {row->bias, row->floor, row->impulse, row->rate, row->response};
        for (size_t i = 0; i < sizeof own / sizeof *own; ++i)
            entry_add(entry, own[i]);
    }
    for (int32_t p = 0; p < lagrange->patches.cut.count; ++p)
        if (lagrange->patches.motions[p].stamp == lagrange->patches.stamp) {
            add_vector(entry, lagrange->patches.motions[p].mean);
            entry_add(entry, lagrange->patches.motions[p].around);
        }
}

static void add_johnsen(Entry *entry, const PalJohnsen *johnsen)
{
    entry_add(entry, johnsen->margin);
    for (int32_t i = 0; i < johnsen->finder.found.count; ++i) {
        const PalNear *near = &johnsen->finder.found.items[i];
        entry_add(entry, near->gap.distance);
        add_vector(entry, near->gap.normal);
        entry_add(entry, near->friction);
    }
}

static void add_depth(Entry *entry, const PalContact *contact)
{
    const PalDepth *depth = pal_depth_own(contact)->depth;
    entry_add(entry, (double)pal_depth_own(contact)->renewals);
    entry_add(entry, (double)depth->tests);
    entry_add(entry, depth->penetration);
    entry_add(entry, depth->stretch);
    entry_add(entry, depth->stiffest);
    for (int32_t t = 0; t < depth->task_count; ++t)
        for (int32_t i = 0; i < depth->tasks[t].items.count; ++i) {
            const PalDepthItem *item = &depth->tasks[t].items.items[i];
            entry_add(entry, item->who + 1e-3 * item->cell);
            entry_add(entry, item->dip.deepest);
            for (int k = 0; k < 3; ++k) {
                entry_add(entry, item->stiffness[k]);
                entry_add(entry, item->dip.load[k]);
            }
        }
    for (int32_t i = 0; i < depth->grips.count; ++i) {
        const PalDepthGrip *grip = &depth->grips.items[i];
        add_vector(entry, grip->normal);
        add_vector(entry, grip->drag);
        entry_add(entry, grip->limit);
        entry_add(entry, grip->reach);
    }
    for (int32_t v = 0; v < contact->surface->vertex_count; ++v)
        entry_add(entry, depth->pressure[v]);
}

static void add_barrier(Entry *entry, const PalBarrier *barrier)
{
    const double numbers[] = {barrier->range, barrier->last_range, barrier->slip,
                              barrier->last_slip, (double)barrier->renewals};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
        entry_add(entry, numbers[i]);
    for (int32_t i = 0; i < barrier->items.count; ++i) {
        const PalBarrierItem *item = &barrier->items.items[i];
        const PalBarrierPush *push = &barrier->pushes.items[i];
        entry_add(entry, item->stiffness);
        entry_add(entry, item->parallel);
        if (push->acts) {
            entry_add(entry, push->near.distance);
            entry_add(entry, push->force);
            entry_add(entry, push->factor);
        }
    }
    for (int32_t i = 0; i < barrier->expected.count; ++i) {
        entry_add(entry, barrier->expected.items[i].force);
        entry_add(entry, barrier->expected.items[i].gap);
    }
    for (int32_t i = 0; i < barrier->drags.count; ++i) {
        entry_add(entry, barrier->drags.items[i].limit);
        add_vector(entry, barrier->drags.items[i].before);
    }
}

static void add_response(Entry *entry, const PalContact *contact)
{
    const char *name = contact->response->choice.name;
    if (strcmp(name, "lagrange") == 0)
        add_lagrange(entry, contact->own);
    else if (strncmp(name, "johnsen", 7) == 0)
        add_johnsen(entry, contact->own);
    else if (strcmp(name, "barrier") == 0)
        add_barrier(entry, contact->own);
    else if (strcmp(name, "material-depth") == 0 || strcmp(name, "collocation") == 0)
        add_depth(entry, contact);
    else
        fail_msg("nobody looks into response %s", name);
}

static void add_inside(Book *book, const char *name, int step, const PalSim *sim)
{
    const PalContact *contact = sim->solver->contact;
    if (contact == NULL)
        return;
    add_surface(book_entry(book, "%s/surface/%d", name, step), contact);
    add_search(book_entry(book, "%s/search/%d", name, step), contact->search);
    if (contact->schedule == &pal_schedule_trajectory)
        add_schedule(book_entry(book, "%s/schedule/%d", name, step), contact->schedule_own);
    add_response(book_entry(book, "%s/response/%d", name, step), contact);
}

#endif
