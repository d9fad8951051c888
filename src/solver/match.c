// What a solver and contact cannot do together, in the same words for scenes and for programs.
#include "base/choice.h"
#include <palpate/sim.h>

#include <stddef.h>

static bool serves(int32_t response, int32_t implicit)
{
    return pal_response_serves((PalResponseKind)response, implicit != 0);
}

static bool rests(int32_t response, int32_t implicit)
{
    return serves(response, implicit) && pal_response_rests((PalResponseKind)response);
}

// The published forces depend on the motion of the last step: they push, let go and push again.
// Depths are pushed out softly by explicit steps, and their friction creeps for ever.
static PalStatus match_response(PalMethod method, PalResponseKind response, PalError *error)
{
    bool implicit = pal_method_is_implicit(method);
    if (!pal_response_serves(response, implicit))
        return pal_error_set(error, PAL_BAD_INPUT,
                             "response %s does not serve method %s, expected %s",
                             pal_response_name(response), pal_method_name(method),
                             pal_choices_that(pal_response_choice, serves, implicit).text);
    if (implicit || pal_response_rests(response) || pal_method_in_time(method))
        return PAL_OK;
    bool other = pal_response_serves(response, true);
    return pal_error_set(
        error, PAL_BAD_INPUT,
        "response %s never comes to rest in method %s, expected %s, or solver: {method: %s}",
        pal_response_name(response), pal_method_name(method),
        pal_choices_that(pal_response_choice, rests, implicit).text,
        pal_method_name(other ? PAL_METHOD_IMPLICIT_STATIC : PAL_METHOD_EXPLICIT));
}

PalStatus pal_solver_def_match(const PalSolverDef *solver, const PalContactDef *contact,
                               const char **key, PalError *error)
{
    *key = "response";
    PAL_TRY(match_response(solver->method, contact->response, error));
    *key = "path";
    if (solver->method == PAL_METHOD_IMPLICIT_STATIC && solver->path == PAL_PATH_ARC_LENGTH)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "path arc-length knows no contact, expected path: load");
    *key = "scheme";
    if (solver->method == PAL_METHOD_IMPLICIT && solver->scheme == PAL_SCHEME_NEWMARK)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "scheme newmark takes means along straight ways, which contact is in "
                             "the way of, expected scheme hht or backward-euler");
    *key = NULL;
    return PAL_OK;
}
