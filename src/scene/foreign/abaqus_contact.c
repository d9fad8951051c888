// *CONTACT PAIR, general contact, *TIE and *RIGID BODY.
#include "scene/foreign/abaqus.h"

#include <string.h>

// ---- interactions -----------------------------------------------------------------------------

static PalStatus read_interaction(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword)
{
    PalToken name = pal_abaqus_parameter(keyword, "NAME");
    PalAbaqusInteraction interaction = {.name = pal_abaqus_name(abaqus, name)};
    if (name.size == 0)
        return pal_foreign_fail(abaqus->model, keyword->line,
                                "*SURFACE INTERACTION without a name, expected NAME=");
    if (interaction.name == NULL || !pal_array_push(&abaqus->interactions, interaction))
        return pal_foreign_no_memory(abaqus->model);
    return pal_abaqus_skip(abaqus);
}

// Ours is hard; a straight line of pressure over overclosure is a penalty for the same.
static PalStatus read_behaviour(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword)
{
    static const char *const known[] = {"PRESSURE-OVERCLOSURE", "PENALTY", "DIRECT",
                                        "AUGMENTED LAGRANGE", NULL};
    PalToken law = pal_abaqus_parameter(keyword, "PRESSURE-OVERCLOSURE");
    PAL_TRY(pal_abaqus_know(abaqus, keyword, known));
    bool hard = law.size == 0 || pal_token_is_like(law, "HARD");
    if (pal_token_is_like(law, "LINEAR"))
        pal_foreign_warn(abaqus->model, keyword->line,
                         "contact is hard here, without a stiffness of its own");
    else if (!hard)
        PAL_TRY(pal_foreign_lose(abaqus->model, keyword->line,
                                 "contact with a pressure-overclosure of %s, expected HARD or "
                                 "LINEAR",
                                 pal_token_quote(law).text));
    return pal_abaqus_skip(abaqus);
}

static PalStatus read_friction(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword)
{
    static const char *const known[] = {"SLIP TOLERANCE", "ELASTIC SLIP", NULL};
    double values[8] = {0};
    int32_t count;
    PAL_TRY(pal_abaqus_know(abaqus, keyword, known));
    PAL_TRY(pal_abaqus_numbers(abaqus, values, 8, &count));
    if (abaqus->interactions.count == 0)
        return pal_foreign_fail(abaqus->model, keyword->line,
                                "*FRICTION outside of a *SURFACE INTERACTION");
    if (!(values[0] >= 0))
        return pal_foreign_fail(abaqus->model, keyword->line,
                                "a coefficient of friction of %g, expected at least 0", values[0]);
    abaqus->interactions.items[abaqus->interactions.count - 1].friction = values[0];
    return PAL_OK;
}

// ---- pairs ------------------------------------------------------------------------------------

static PalStatus read_pair(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword)
{
    static const char *const known[] = {
        "INTERACTION", "TYPE", "SMALL SLIDING", "NO THICKNESS", "MECHANICAL CONSTRAINT",
        "CPSET",       NULL};
    PalForeign *model = abaqus->model;
    PalToken interaction = pal_abaqus_parameter(keyword, "INTERACTION"), line, field;
    PAL_TRY(pal_abaqus_know(abaqus, keyword, known));
    while (pal_abaqus_data(abaqus, &line)) {
        PalAbaqusPair pair = {.line = abaqus->data_line,
                              .interaction = pal_abaqus_name(abaqus, interaction)};
        int32_t count = 0;
        if (pair.interaction == NULL)
            return pal_foreign_no_memory(model);
        for (; count < 2 && pal_abaqus_field(&line, &field); ++count)
            PAL_TRY(
                pal_abaqus_find(abaqus, abaqus->data_line, field, " surface", &pair.groups[count]));
        if (count == 1)
            pair.groups[1] = pair.groups[0];  // it touches itself
        if (count == 0 || !pal_array_push(&abaqus->pairs, pair))
            return pal_foreign_no_memory(model);
    }
    return PAL_OK;
}

// *CONTACT INCLUSIONS, ALL EXTERIOR
static PalStatus read_inclusions(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword)
{
    PalAbaqusPair pair = {.line = keyword->line, .interaction = ""};
    if (pal_abaqus_parameter(keyword, "ALL EXTERIOR").text == NULL)
        PAL_TRY(pal_foreign_lose(abaqus->model, keyword->line,
                                 "*CONTACT INCLUSIONS of surfaces, expected ALL EXTERIOR"));
    else if (!pal_array_push(&abaqus->pairs, pair))
        return pal_foreign_no_memory(abaqus->model);
    return pal_abaqus_skip(abaqus);
}

// surface, surface, interaction: of all, if no surfaces are named
static PalStatus read_assignment(PalAbaqus *abaqus)
{
    PalForeign *model = abaqus->model;
    PalToken line, field;
    while (pal_abaqus_data(abaqus, &line)) {
        PalToken fields[3] = {{"", 0}, {"", 0}, {"", 0}};
        for (int i = 0; i < 3 && pal_abaqus_field(&line, &field); ++i)
            fields[i] = field;
        if (fields[0].size > 0 || fields[1].size > 0) {
            PAL_TRY(
                pal_foreign_lose(model, abaqus->data_line,
                                 "a property of contact of some surfaces, expected one of all"));
            continue;
        }
        for (int32_t i = 0; i < abaqus->pairs.count; ++i)
            if (abaqus->pairs.items[i].groups[0] == NULL &&
                (abaqus->pairs.items[i].interaction = pal_abaqus_name(abaqus, fields[2])) == NULL)
                return pal_foreign_no_memory(model);
    }
    return PAL_OK;
}

static PalStatus refuse_tie(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword)
{
    bool cyclic = pal_abaqus_parameter(keyword, "CYCLIC SYMMETRY").text != NULL;
    PAL_TRY(pal_foreign_lose(abaqus->model, keyword->line,
                             cyclic ? "*TIE for cyclic symmetry is not carried over"
                                    : "*TIE is not carried over: surfaces cannot be tied; expected "
                                      "meshes that share their nodes"));
    return pal_abaqus_skip(abaqus);
}

PalStatus pal_abaqus_contact(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword, bool *known)
{
    *known = true;
    if (pal_abaqus_is(keyword, "SURFACE INTERACTION"))
        return read_interaction(abaqus, keyword);
    if (pal_abaqus_is(keyword, "SURFACE BEHAVIOR"))
        return read_behaviour(abaqus, keyword);
    if (pal_abaqus_is(keyword, "FRICTION"))
        return read_friction(abaqus, keyword);
    if (pal_abaqus_is(keyword, "CONTACT PAIR"))
        return read_pair(abaqus, keyword);
    if (pal_abaqus_is(keyword, "CONTACT"))
        return pal_abaqus_skip(abaqus);
    if (pal_abaqus_is(keyword, "CONTACT INCLUSIONS"))
        return read_inclusions(abaqus, keyword);
    if (pal_abaqus_is(keyword, "CONTACT PROPERTY ASSIGNMENT"))
        return read_assignment(abaqus);
    if (pal_abaqus_is(keyword, "TIE"))
        return refuse_tie(abaqus, keyword);
    *known = false;
    return PAL_OK;
}

static PalStatus find_friction(PalAbaqus *abaqus, const PalAbaqusPair *pair, double *friction)
{
    *friction = 0;
    if (pair->interaction[0] == '\0')
        return PAL_OK;
    PalToken word = {pair->interaction, strlen(pair->interaction)};
    for (int32_t i = 0; i < abaqus->interactions.count; ++i)
        if (pal_token_is_like(word, abaqus->interactions.items[i].name)) {
            *friction = abaqus->interactions.items[i].friction;
            return PAL_OK;
        }
    return pal_foreign_fail(
        abaqus->model, pair->line,
        "there is no interaction %s, expected *SURFACE INTERACTION of that name",
        pal_quoted(pair->interaction).text);
}

static PalStatus finish_rigids(PalAbaqus *abaqus)
{
    for (int32_t i = 0; i < abaqus->rigids.count; ++i) {
        const PalAbaqusRigid *rigid = &abaqus->rigids.items[i];
        bool led = !rigid->turns;
        for (int f = 0; f < 6; ++f)
            led = led && rigid->given[f];
        if (!led)
            PAL_TRY(pal_foreign_lose(abaqus->model, rigid->line,
                                     "a rigid body that %s, expected one whose reference has all "
                                     "translations given and all rotations held",
                                     rigid->turns ? "turns" : "is free to move"));
    }
    return PAL_OK;
}

PalStatus pal_abaqus_finish_contact(PalAbaqus *abaqus)
{
    PalForeign *model = abaqus->model;
    for (int32_t i = 0; i < abaqus->pairs.count; ++i) {
        const PalAbaqusPair *pair = &abaqus->pairs.items[i];
        PalForeignContact contact = {.line = pair->line,
                                     .groups = {pair->groups[0], pair->groups[1]}};
        PAL_TRY(find_friction(abaqus, pair, &contact.friction));
        if (!pal_array_push(&model->contacts, contact))
            return pal_foreign_no_memory(model);
    }
    return finish_rigids(abaqus);
}

// ---- rigid bodies -----------------------------------------------------------------------------

static PalStatus find_node(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword, const char *name,
                           int32_t *node)
{
    PalToken token = pal_abaqus_parameter(keyword, name);
    int64_t number;
    *node = PAL_NONE;
    if (token.size == 0)
        return PAL_OK;
    const char *end = token.text + token.size;
    if (pal_parse_int(token.text, end, &number) == end)
        *node = pal_id_map_find(&abaqus->node_ids, number);
    if (*node != PAL_NONE)
        return PAL_OK;
    return pal_foreign_fail(abaqus->model, keyword->line, "%s=%s, expected the number of a node",
                            name, pal_token_quote(token).text);
}

PalStatus pal_abaqus_rigid(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword)
{
    static const char *const known[] = {"NSET",     "ELSET",    "PIN NSET", "TIE NSET",
                                        "REF NODE", "ROT NODE", "POSITION", NULL};
    static const char *const sets[] = {"NSET", "PIN NSET", "TIE NSET", "ELSET"};
    PalForeign *model = abaqus->model;
    PalAbaqusRigid rigid = {.line = keyword->line};
    PalToken set = {NULL, 0};
    int which = 0;
    PAL_TRY(pal_abaqus_know(abaqus, keyword, known));
    for (; which < 4 && set.size == 0; ++which)
        set = pal_abaqus_parameter(keyword, sets[which]);
    if (set.size == 0)
        return pal_foreign_fail(model, keyword->line,
                                "*RIGID BODY without a set, expected NSET= or ELSET=");
    PAL_TRY(
        pal_abaqus_find(abaqus, keyword->line, set, which == 4 ? " elements" : "", &rigid.group));
    PAL_TRY(find_node(abaqus, keyword, "REF NODE", &rigid.nodes[0]));
    PAL_TRY(find_node(abaqus, keyword, "ROT NODE", &rigid.nodes[1]));
    return pal_array_push(&abaqus->rigids, rigid) ? PAL_OK : pal_foreign_no_memory(model);
}
