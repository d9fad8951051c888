// Contact by itself, one step at a time, without a solver.
#ifndef PAL_TESTS_UNIT_CONTACT_ALONE_H
#define PAL_TESTS_UNIT_CONTACT_ALONE_H

#include "contact/contact.h"
#include "touch.h"

typedef struct Alone {
    Touch bodies;
    const PalModel *model;
    PalContact *contact;
    PalVec3 *displacement, *velocity;  // per model node
    PalMeter meter;
} Alone;

// Takes over the bodies; contact is still to be made.
static inline void alone_start(Alone *s, const Touch *bodies)
{
    *s = (Alone){.bodies = *bodies};
    touch_start(&s->bodies);
    s->model = pal_sim_model(s->bodies.run);
    s->displacement = calloc((size_t)s->model->node_count, sizeof *s->displacement);
    s->velocity = calloc((size_t)s->model->node_count, sizeof *s->velocity);
}

static inline void alone_touch(Alone *s, const PalContactSetup *setup)
{
    size_t components = 3 * (size_t)s->model->node_count;
    double *inverse = calloc(components, sizeof *inverse);
    PalError error = {0};
    for (size_t i = 0; i < components; ++i)
        inverse[i] = 1 / s->model->mass[i / 3];
    const PalState *state = pal_sim_state(s->bodies.run);
    check_ok(pal_contact_create(setup, s->model, state, &s->contact, &error), &error);
    pal_contact_set_mass(s->contact, s->model, inverse);
    free(inverse);
}

// The first two objects touch, by the methods that `choices` names.
static inline void alone_touch_pair(Alone *s, const PalContactDef *choices, double friction)
{
    PalContactPairDef pair = {{0, 1}, friction};
    PalContactDef def = *choices;
    def.pair_count = 1;
    def.pairs = &pair;
    alone_touch(s, &(PalContactSetup){.def = &def});
}

static inline PalContactStep alone_step_of(const Alone *s, double step)
{
    return (PalContactStep){
        .end_time = step,
        .step = step,
        .gain = step,
        .displacement = s->displacement,
        .velocity = s->velocity,
        .rigids = pal_sim_state(s->bodies.run)->rigids,
        .thread_count = 1,
    };
}

// Velocities are those without contact, and stay.
static inline void alone_step(Alone *s, double step)
{
    PalContactStep given = alone_step_of(s, step);
    PalError error = {0};
    check_ok(pal_contact_step(s->model, s->contact, &given, &s->meter, &error), &error);
}

static inline void alone_end(Alone *s)
{
    pal_contact_destroy(s->contact);
    free(s->displacement);
    free(s->velocity);
    touch_end(&s->bodies);
}

#endif
