// What is told of a free body between two steps is what it then does, also where the step changes.
#include "rigids.h"
#include "sim/sim.h"
#include "solver/rigids.h"

static void a_body_moves_as_foretold(PalMethod method)
{
    Rigids r;
    rigids_init(&r);
    rigids_add_box(&r, "box", pal_vec3(1, 1, 1), pal_vec3(0, 0, 0))->velocity = pal_vec3(1, 0, 0);
    rigids_pull_down(&r, pal_vec3(0, 0, -10));
    r.sim.solver.method = method;
    r.sim.solver.damping = 4;
    r.sim.solver.step = 0.01;
    rigids_start(&r);
    const PalRigidState *body = &r.run->state->rigids[0];
    PalError error = {0};
    for (int i = 0; i < 6; ++i) {
        double last = r.run->state->step, next = i % 2 == 0 ? 0.01 : 0.03;
        r.run->solver->next_step = next;
        PalVec3 told = pal_solver_rigid_motion(r.run->model, r.run->state, r.run->solver, 0, true)
                           .twist.velocity;
        check_ok(pal_sim_step(r.run, &error), &error);
        PalVec3 change = pal_vec3_sub(body->velocity, body->old_velocity);
        PalVec3 found = pal_vec3_add_scaled(body->old_velocity, last / (last + next), change);
        check_near(pal_vec3_distance(told, found), 0, 1e-14);
    }
    rigids_end(&r);
}

static void by_central_differences(void **state)
{
    (void)state;
    a_body_moves_as_foretold(PAL_METHOD_EXPLICIT);
}

static void by_newmark(void **state)
{
    (void)state;
    a_body_moves_as_foretold(PAL_METHOD_NEWMARK);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(by_central_differences),
    cmocka_unit_test(by_newmark),
};
CHECK_GROUP(tests, NULL, NULL)
