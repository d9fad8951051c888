// <Contact>: sliding surfaces become contact of the bodies they are on.
#include "scene/foreign/febio.h"

#include <string.h>

// The surfaces of a pair: <primary>, <secondary>; or <master surface="">, <slave surface="">.
static PalStatus find_pair(PalFebio *febio, const PalXmlNode *contact, const char *groups[2])
{
    static const char *const names[][2] = {{"primary", "secondary"}, {"master", "slave"}};
    const char *wanted = pal_xml_attribute(contact, "surface_pair");
    const PalXmlNode *mesh = pal_xml_child(febio->root, "Mesh");
    if (mesh == NULL)
        mesh = pal_xml_child(febio->root, "Geometry");
    PalXmlNode *pair = mesh != NULL && wanted != NULL ? pal_xml_child(mesh, "SurfacePair") : NULL;
    for (; pair != NULL; pair = pal_xml_next(pair)) {
        const char *name = pal_xml_attribute(pair, "name");
        if (name == NULL || strcmp(name, wanted) != 0)
            continue;
        for (int i = 0; i < 2; ++i) {
            const PalXmlNode *side = pal_xml_child(pair, names[0][i]);
            if (side == NULL)
                side = pal_xml_child(pair, names[1][i]);
            const char *surface = side != NULL ? pal_xml_attribute(side, "surface") : NULL;
            if (side == NULL)
                return pal_foreign_fail(febio->model, pair->line,
                                        "a <SurfacePair> without <%s>, expected it", names[0][i]);
            PAL_TRY(pal_febio_find_surface(febio, side->line,
                                           surface != NULL ? surface : side->text, &groups[i]));
        }
        return PAL_OK;
    }
    return pal_foreign_fail(febio->model, contact->line,
                            "there is no <SurfacePair> %s, expected one of <Mesh>",
                            wanted != NULL ? pal_quoted(wanted).text : "");
}

static bool slides(const char *type)
{
    static const char *const types[] = {"sliding-elastic",       "sliding-facet-on-facet",
                                        "sliding-node-on-facet", "facet-to-facet sliding",
                                        "sliding_with_gaps",     "sliding2"};
    for (size_t i = 0; i < sizeof types / sizeof *types; ++i)
        if (pal_febio_text_is(type, types[i]))
            return true;
    return false;
}

// How the other program keeps surfaces apart is its own affair.
static void pass_penalties(const PalXmlNode *contact)
{
    static const char *const passed[] = {"laugon",
                                         "tolerance",
                                         "gaptol",
                                         "penalty",
                                         "auto_penalty",
                                         "update_penalty",
                                         "two_pass",
                                         "knmult",
                                         "ktmult",
                                         "search_tol",
                                         "search_radius",
                                         "symmetric_stiffness",
                                         "seg_up",
                                         "minaug",
                                         "maxaug",
                                         "node_reloc",
                                         "smooth_aug",
                                         "fric_penalty",
                                         "flip_primary",
                                         "flip_secondary",
                                         "flip_master",
                                         "flip_slave",
                                         "smooth_fls",
                                         "shell_bottom_primary",
                                         "shell_bottom_secondary",
                                         "sym_stiff",
                                         "max_pressure"};
    for (PalXmlNode *child = contact->first; child != NULL; child = child->next)
        for (size_t i = 0; i < sizeof passed / sizeof *passed; ++i)
            if (pal_xml_named(child, passed[i]))
                child->used = true;
}

static PalStatus read_sliding(PalFebio *febio, const PalXmlNode *node)
{
    static const char *const refused[] = {"tension", "offset"};
    PalForeignContact contact = {.line = node->line};
    PAL_TRY(find_pair(febio, node, contact.groups));
    PAL_TRY(pal_febio_child_number(febio, node, "fric_coeff", &contact.friction));
    for (int i = 0; i < 2; ++i) {
        double value = 0;
        PAL_TRY(pal_febio_child_number(febio, node, refused[i], &value));
        if (value != 0)
            PAL_TRY(pal_foreign_lose(febio->model, node->line, "a contact with <%s> %g, expected 0",
                                     refused[i], value));
    }
    pass_penalties(node);
    return pal_array_push(&febio->model->contacts, contact) ? PAL_OK
                                                            : pal_foreign_no_memory(febio->model);
}

PalStatus pal_febio_read_contact(PalFebio *febio, const PalXmlNode *owner)
{
    if (!pal_xml_has(owner, "Contact"))
        return PAL_OK;
    const PalXmlNode *section = pal_xml_child(owner, "Contact");
    for (PalXmlNode *node = section->first; node != NULL; node = node->next) {
        const char *type = pal_xml_attribute(node, "type");
        if (!pal_xml_named(node, "contact") || type == NULL || !slides(type))
            continue;
        node->used = true;
        PAL_TRY(read_sliding(febio, node));
    }
    return PAL_OK;
}
