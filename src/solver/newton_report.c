// Why there is no equilibrium, and what to do about it.
#include "contact/response/response.h"
#include "math/vec3.h"
#include "solver/method.h"
#include "solver/newton.h"

#include <stdio.h>

// The body of a node, and its place before deformation, in words.
typedef struct Place {
    char text[200];
} Place;

static Place place_of(const PalModel *model, int32_t node)
{
    Place place = {"some body"};
    if (node == PAL_NONE)
        return place;
    int32_t b = 0;
    while (b + 1 < model->body_count && model->bodies[b + 1].first_node <= node)
        ++b;
    PalVec3 at = model->nodes[node];
    snprintf(place.text, sizeof place.text,
             "body \"%.80s\" around (%.4g, %.4g, %.4g), before deformation,", model->bodies[b].name,
             at.x, at.y, at.z);
    return place;
}

static const char *advice_on_instability(bool in_time)
{
    return in_time ? "use a shorter step"
                   : "it buckles or snaps there: use path: arc-length, prescribe a displacement "
                     "instead of a load, or follow it in time by method: implicit or explicit";
}

// Where contact is the trouble. `trouble`: what does not end, in words; `contact`: surfaces that
// are in each other's way, empty where none are near.
static PalStatus report_contact(const PalModel *model, const PalSolver *solver, const char *trouble,
                                const char *contact, PalError *error)
{
    const char *other = solver->method->in_time ? "use method: explicit"
                                                : "follow the motion in time by method: implicit";
    if (contact[0] == '\0')
        return pal_error_set(error, PAL_SIM_FAILED,
                             "%s, however short the step; let %s go more slowly, or %s", trouble,
                             model->rigid_count > 0 ? "instruments" : "what is held", other);
    return pal_error_set(error, PAL_SIM_FAILED,
                         "%s, however short the step; %s; lower the load, %srefine, or %s", trouble,
                         contact, model->rigid_count > 0 ? "move instruments less, " : "", other);
}

PalStatus pal_newton_report(const PalModel *model, const PalState *state, const PalSolver *solver,
                            const PalNewtonOutcome *outcome, PalError *error)
{
    Place place = place_of(model, outcome->node);
    double end = solver->def.time;
    char head[160], trouble[600], contact[400] = "";
    snprintf(head, sizeof head, "no equilibrium after time %.6g (of %.6g), step %lld", state->time,
             end, (long long)state->step_count);
    if (solver->contact != NULL)
        solver->contact->response->implicit->explain(solver->contact, contact, sizeof contact);
    if (outcome->why[0] != '\0')
        snprintf(trouble, sizeof trouble, "%s: contact finds no end, as %s", head, outcome->why);
    else if (contact[0] != '\0' && outcome->end == PAL_NEWTON_INVERTED)
        snprintf(trouble, sizeof trouble, "%s: a cell of %s would turn inside out", head,
                 place.text);
    else if (contact[0] != '\0')
        snprintf(trouble, sizeof trouble,
                 "%s: forces at %s stay out of balance by %.2g of those that act", head, place.text,
                 outcome->imbalance);
    if (contact[0] != '\0' || outcome->why[0] != '\0')
        return report_contact(model, solver, trouble, contact, error);
    if (outcome->end == PAL_NEWTON_INVERTED)
        return pal_error_set(
            error, PAL_SIM_FAILED,
            "%s: a cell of %s would turn inside out, however short the step; lower "
            "the load, refine, or use a law that resists collapse, as "
            "mooney-rivlin does",
            head, place.text);
    if (outcome->end == PAL_NEWTON_SINGULAR)
        return pal_error_set(error, PAL_SIM_FAILED,
                             "%s: the stiffness of %s has no inverse; a part of it is not held, or "
                             "%s",
                             head, place.text, advice_on_instability(solver->method->in_time));
    if (outcome->negative_count > 0)
        return pal_error_set(error, PAL_SIM_FAILED,
                             "%s: %s is unstable, with forces out of balance by %.2g of those that "
                             "act; %s",
                             head, place.text, outcome->imbalance,
                             advice_on_instability(solver->method->in_time));
    return pal_error_set(error, PAL_SIM_FAILED,
                         "%s: forces at %s stay out of balance by %.2g of those that act, expected "
                         "%.2g%s; lower the load, refine, or raise the tolerance",
                         head, place.text, outcome->imbalance, solver->def.tolerance,
                         outcome->rounding ? ", and corrections are lost in the rounding of "
                                             "displacements, as where stiffnesses are too far apart"
                                           : "");
}
