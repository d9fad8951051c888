// SystemParams, Output and contact surfaces.
#include "scene/niftysim/model.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define TURN (2 * 3.14159265358979323846)

static PalStatus read_positive(PalNifty *nifty, const PalXmlNode *params, const char *name,
                               double *value)
{
    PalXmlNode *node;
    PAL_TRY(pal_nifty_need(nifty, params, name, &node));
    PAL_TRY(pal_nifty_exactly(nifty, node, 1, value));
    if (*value > 0)
        return PAL_OK;
    return pal_nifty_fail(nifty, node->line, "<%s> is %g, expected a number above 0", name, *value);
}

// An optional number that must not be negative.
static PalStatus read_amount(PalNifty *nifty, const PalXmlNode *params, const char *name,
                             double *value)
{
    double number = *value;
    const PalXmlNode *node = pal_xml_child(params, name);
    PAL_TRY(pal_nifty_scalar(nifty, params, name, &number));
    if (node != NULL && number < 0)
        return pal_nifty_fail(nifty, node->line, "<%s> is %g, expected 0 or more", name, number);
    *value = number;
    return PAL_OK;
}

static PalStatus read_times(PalNifty *nifty, const PalXmlNode *params, PalNiftySystem *system)
{
    const double most = 1e12;
    PalXmlNode *damping;
    PAL_TRY(read_positive(nifty, params, "TimeStep", &system->step));
    PAL_TRY(read_positive(nifty, params, "TotalTime", &system->total));
    PAL_TRY(pal_nifty_need(nifty, params, "DampingCoeff", &damping));
    PAL_TRY(read_amount(nifty, params, "DampingCoeff", &system->damping));
    double count = floor(system->total / system->step + 0.5);
    if (!(count < most))
        return pal_nifty_fail(nifty, params->line,
                              "<TotalTime> is %.3g time steps, expected at most %.0g", count, most);
    system->steps = (int64_t)count + 1;
    return PAL_OK;
}

static PalStatus read_collisions(PalNifty *nifty, const PalXmlNode *params, PalNiftySystem *system)
{
    static const char *const names[] = {"DoDeformableCollision", "DoSelfCollision"};
    bool *const flags[] = {&system->collides, &system->collides_itself};
    bool passes = pal_xml_has(params, "DoMultiPassContacts");
    int32_t passes_line = params->line;
    if (passes)
        passes_line = pal_xml_child(params, "DoMultiPassContacts")->line;
    for (int i = 0; i < 2; ++i) {
        const PalXmlNode *node = pal_xml_child(params, names[i]);
        PAL_TRY(pal_nifty_flag(nifty, params, names[i], flags[i]));
        if (node == NULL)
            continue;
        const char *type = pal_xml_attribute(node, "Type");
        system->collide_line = node->line;
        bool several = type != NULL && strcmp(type, "MultiPass") == 0;
        passes = several || (passes && i > 0 && pal_xml_has(params, names[0]));
        passes_line = several ? node->line : passes_line;
    }
    system->collides = system->collides || system->collides_itself;
    if (passes)
        pal_nifty_warn(nifty, passes_line,
                       "several passes of contact in a step are not needed here; NiftySim moves "
                       "contact surfaces on in each of them, this scene once");
    PAL_TRY(read_amount(nifty, params, "DeformableFrictionCoefficient", &system->friction));
    PAL_TRY(read_amount(nifty, params, "ContactSafetyMargin", &system->margin));
    return read_amount(nifty, params, "RateConstraintDistance", &system->rate_distance);
}

PalStatus pal_nifty_read_system(PalNifty *nifty, const PalXmlNode *root, PalNiftySystem *system)
{
    PalXmlNode *params;
    PAL_TRY(pal_nifty_need(nifty, root, "SystemParams", &params));
    system->line = params->line;
    PAL_TRY(read_times(nifty, params, system));
    PAL_TRY(read_amount(nifty, params, "Density", &nifty->density));
    if (pal_xml_has(params, "HGKappa")) {
        nifty->hourglass = 0;
        PAL_TRY(read_amount(nifty, params, "HGKappa", &nifty->hourglass));
    }
    const PalXmlNode *volumes = pal_xml_child(params, "BVType");
    if (volumes != NULL)
        pal_nifty_warn(nifty, volumes->line, "<BVType> has no counterpart here and is ignored");
    const PalXmlNode *reduced = pal_xml_child(params, "ROM");
    if (reduced != NULL)
        PAL_TRY(
            pal_nifty_lose(nifty, reduced->line,
                           "<ROM>, a reduced model, has no counterpart, expected the whole one"));
    return read_collisions(nifty, params, system);
}

// ---- output -----------------------------------------------------------------------------------

static PalStatus check_variable(PalNifty *nifty, const PalXmlNode *node)
{
    static const char *const carried[] = {"U", "S", "EKin", "EStrain"};
    for (int i = 0; i < 4; ++i)
        if (strcmp(node->text, carried[i]) == 0)
            return PAL_OK;
    if (strcmp(node->text, "F") == 0)
        pal_nifty_warn(nifty, node->line,
                       "forces of all nodes are not written; ask for them where "
                       "they are wanted, with probes");
    else if (strcmp(node->text, "E") == 0)
        pal_nifty_warn(nifty, node->line,
                       "strains are not written; frames hold displacement and "
                       "stress");
    else
        return pal_nifty_fail(nifty, node->line,
                              "<Variable> is %s, expected U, F, S, E, EKin or EStrain",
                              pal_quoted(node->text).text);
    return PAL_OK;
}

PalStatus pal_nifty_read_output(PalNifty *nifty, const PalXmlNode *root, PalNiftySystem *system)
{
    const PalXmlNode *output = pal_xml_child(root, "Output");
    int32_t every;
    if (output == NULL)
        return PAL_OK;
    PAL_TRY(pal_nifty_count(nifty, output, "Freq", &every));
    if (every == 0)
        return pal_nifty_fail(nifty, output->line, "Freq of <Output> is 0, expected at least 1");
    for (const PalXmlNode *node = pal_xml_child(output, "Variable"); node != NULL;
         node = pal_xml_next(node))
        PAL_TRY(check_variable(nifty, node));
    system->every =
        every < system->steps ? every * system->step : (double)system->steps * system->step;
    return PAL_OK;
}

// ---- contact surfaces -------------------------------------------------------------------------

static PalStatus read_rotation(PalNifty *nifty, const PalXmlNode *node, PalNiftySurface *surface)
{
    double p[6];
    PAL_TRY(pal_nifty_exactly(nifty, node, 6, p));
    int turning = (p[0] != 0) + (p[1] != 0) + (p[2] != 0);
    if (turning > 1)
        return pal_nifty_fail(nifty, node->line,
                              "a <Motion> that turns about several axes at once, expected one of "
                              "its three angles to be other than 0");
    surface->axis = pal_vec3(p[0] != 0, p[1] != 0, p[2] != 0);
    surface->radians = p[0] + p[1] + p[2];
    surface->centre = pal_vec3(p[3], p[4], p[5]);
    if (turning == 0)
        return PAL_OK;
    if (fabs(surface->radians) > TURN)
        pal_nifty_warn(nifty, node->line,
                       "a rotation by %g radians is more than a turn; were degrees meant?",
                       surface->radians);
    pal_nifty_warn(nifty, node->line,
                   "NiftySim stops when something comes near a turning <ContactSurface>; this "
                   "scene goes on");
    return PAL_OK;
}

static PalStatus read_motion(PalNifty *nifty, const PalXmlNode *node, bool *moves, bool *turns,
                             PalNiftySurface *surface)
{
    const char *type;
    PAL_TRY(pal_nifty_need_attribute(nifty, node, "Type", &type));
    bool rotation = strcmp(type, "Rotation") == 0;
    if (!rotation && strcmp(type, "Translation") != 0)
        return pal_nifty_fail(nifty, node->line,
                              "Type of <Motion> is %s, expected Translation or Rotation",
                              pal_quoted(type).text);
    bool *seen = rotation ? turns : moves;
    if (*seen)
        return pal_nifty_fail(nifty, node->line, "a second <Motion> of Type %s, expected one",
                              type);
    *seen = true;
    return rotation ? read_rotation(nifty, node, surface)
                    : pal_nifty_vector(nifty, node, &surface->translation);
}

PalStatus pal_nifty_read_contact_surface(PalNifty *nifty, const PalXmlNode *node,
                                         PalNiftySurface *surface)
{
    bool moves = false, turns = false;
    surface->line = node->line;
    PAL_TRY(pal_nifty_read_surface_mesh(nifty, node, &surface->mesh));
    PAL_TRY(read_amount(nifty, node, "FrictionCoefficient", &surface->friction));
    for (const PalXmlNode *motion = pal_xml_child(node, "Motion"); motion != NULL;
         motion = pal_xml_next(motion))
        PAL_TRY(read_motion(nifty, motion, &moves, &turns, surface));
    const PalXmlNode *slaves = pal_xml_child(node, "SlaveNodes");
    if (slaves != NULL) {
        pal_xml_attribute(slaves, "NumNodes");
        pal_nifty_warn(nifty, slaves->line,
                       "<SlaveNodes> have no effect: every body meets the surface, as in NiftySim "
                       "on a CPU");
    }
    return PAL_OK;
}
