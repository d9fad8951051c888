// Materials of FEBio in terms of our laws. docs/formats-febio.md says which are exact.
#include "scene/foreign/febio.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// How a law without a volumetric term of its own gets one.
typedef enum Volume { LOGARITHMIC, BARRIER, QUADRATIC } Volume;

typedef struct Law {
    const char *type;
    PalStatus (*read)(PalFebio *febio, const PalXmlNode *node, PalForeignMaterial *material);
} Law;

static PalStatus need(PalFebio *febio, const PalXmlNode *node, const char *name, double *value)
{
    const PalXmlNode *child = pal_xml_child(node, name);
    if (child == NULL)
        return pal_foreign_fail(febio->model, node->line, "a material without <%s>, expected it",
                                name);
    const char *type = pal_xml_attribute(child, "type");
    if (type != NULL && !pal_febio_text_is(type, "const"))
        return pal_foreign_fail(febio->model, child->line,
                                "<%s> of type %s, expected one number for all elements", name,
                                pal_quoted(type).text);
    if (pal_xml_attribute(child, "lc") != NULL)
        pal_foreign_warn(febio->model, child->line, "<%s> is taken as constant in time", name);
    return pal_febio_number(febio, child, value);
}

static PalStatus copy(PalFebio *febio, const PalXmlNode *node, const char *name, const char *key,
                      PalForeignMaterial *material)
{
    double value;
    PAL_TRY(need(febio, node, name, &value));
    pal_foreign_set(material, key, value);
    return PAL_OK;
}

static PalStatus read_volume(PalFebio *febio, const PalXmlNode *node, Volume *volume)
{
    static const struct {
        const char *word;
        Volume volume;
    } words[] = {
        {"default", LOGARITHMIC}, {"0", LOGARITHMIC}, {"NIKE3D", BARRIER},       {"1", BARRIER},
        {"Abaqus", QUADRATIC},    {"2", QUADRATIC},   {"Abaqus (GOH)", BARRIER}, {"3", BARRIER}};
    const PalXmlNode *child = pal_xml_child(node, "pressure_model");
    *volume = LOGARITHMIC;
    if (child == NULL)
        return PAL_OK;
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
        if (pal_febio_text_is(child->text, words[i].word)) {
            *volume = words[i].volume;
            return PAL_OK;
        }
    return pal_foreign_fail(febio->model, child->line,
                            "the pressure_model %s, expected one of "
                            "default, NIKE3D, Abaqus, Abaqus (GOH)",
                            pal_quoted(child->text).text);
}

// The laws that are made of distortion and k: ours has the volumetric term `own`.
static PalStatus read_bulk(PalFebio *febio, const PalXmlNode *node, Volume own,
                           PalForeignMaterial *material)
{
    static const char *const formulas[] = {"k/2 (ln J)^2", "k/4 (J^2 - 1 - 2 ln J)",
                                           "k/2 (J - 1)^2"};
    Volume volume;
    PAL_TRY(copy(febio, node, "k", "bulk", material));
    PAL_TRY(read_volume(febio, node, &volume));
    if (volume != own)
        pal_foreign_warn(febio->model, node->line,
                         "the volumetric term %s of %s is taken as %s: the same for small changes "
                         "of volume",
                         formulas[volume], pal_quoted(material->name).text, formulas[own]);
    return PAL_OK;
}

// S = lambda tr E I + 2 mu E: St Venant-Kirchhoff, exactly.
static PalStatus read_isotropic(PalFebio *febio, const PalXmlNode *node,
                                PalForeignMaterial *material)
{
    material->law = "st-venant-kirchhoff";
    PAL_TRY(copy(febio, node, "E", "young", material));
    return copy(febio, node, "v", "poisson", material);
}

// W = mu/2 (I1 - 3) - mu ln J + lambda/2 (ln J)^2; ours parts shape from volume.
static PalStatus read_neo_hookean(PalFebio *febio, const PalXmlNode *node,
                                  PalForeignMaterial *material)
{
    material->law = "neo-hookean";
    PAL_TRY(copy(febio, node, "E", "young", material));
    PAL_TRY(copy(febio, node, "v", "poisson", material));
    pal_foreign_warn(febio->model, node->line,
                     "neo-Hookean %s, mu/2 (I1 - 3) - mu ln J + lambda/2 (ln J)^2, is taken as "
                     "mu/2 (I1 J^(-2/3) - 3) + K/2 (J - 1)^2 with the same E and v: the same for "
                     "small strains, and for large ones without change of volume",
                     pal_quoted(material->name).text);
    return PAL_OK;
}

static PalStatus read_mooney_rivlin(PalFebio *febio, const PalXmlNode *node,
                                    PalForeignMaterial *material)
{
    Volume volume;
    PAL_TRY(read_volume(febio, node, &volume));
    bool quadratic = volume == QUADRATIC;
    material->law = quadratic ? "polynomial" : "mooney-rivlin";
    PAL_TRY(copy(febio, node, "c1", "c10", material));
    double c2 = 0;
    PAL_TRY(pal_febio_child_number(febio, node, "c2", &c2));
    pal_foreign_set(material, "c01", c2);
    return read_bulk(febio, node, quadratic ? QUADRATIC : BARRIER, material);
}

// c/m^2 (sum of stretches^m - 3) is ours with 2 G = c.
static PalStatus read_ogden(PalFebio *febio, const PalXmlNode *node, PalForeignMaterial *material)
{
    static const char *const shear[] = {"shear-1", "shear-2", "shear-3"};
    static const char *const alpha[] = {"alpha-1", "alpha-2", "alpha-3"};
    int32_t used = 0;
    material->law = "ogden";
    for (int i = 1; i <= 6; ++i) {
        char c_name[16], m_name[16];
        double c = 0, m = 1;
        snprintf(c_name, sizeof c_name, "c%d", i);
        snprintf(m_name, sizeof m_name, "m%d", i);
        PAL_TRY(pal_febio_child_number(febio, node, c_name, &c));
        PAL_TRY(pal_febio_child_number(febio, node, m_name, &m));
        if (c == 0)
            continue;
        if (used == 3)
            return pal_foreign_fail(febio->model, node->line,
                                    "an Ogden material of more than 3 terms, expected 1 to 3");
        pal_foreign_set(material, shear[used], c / 2);
        pal_foreign_set(material, alpha[used++], m);
    }
    return read_bulk(febio, node, BARRIER, material);
}

// Ours has the invariants of C, which bring a share of the bulk modulus: 4 c1 c2 (c2 - 1/3).
static PalStatus read_veronda_westmann(PalFebio *febio, const PalXmlNode *node,
                                       PalForeignMaterial *material)
{
    double c1, c2, k;
    material->law = "veronda-westmann";
    PAL_TRY(need(febio, node, "c1", &c1));
    PAL_TRY(need(febio, node, "c2", &c2));
    PAL_TRY(need(febio, node, "k", &k));
    double bulk = k - 4 * c1 * c2 * (c2 - 1.0 / 3);
    pal_foreign_set(material, "c1", c1);
    pal_foreign_set(material, "c2", c2);
    pal_foreign_set(material, "bulk", bulk);
    pal_xml_child(node, "pressure_model");
    pal_foreign_warn(
        febio->model, node->line,
        "Veronda-Westmann %s has isochoric invariants in FEBio and those of C here, "
        "with bulk %.6g for the same modulus in all: the same while the volume changes "
        "little",
        pal_quoted(material->name).text, bulk);
    return PAL_OK;
}

static PalStatus read_arruda_boyce(PalFebio *febio, const PalXmlNode *node,
                                   PalForeignMaterial *material)
{
    double links;
    material->law = "arruda-boyce";
    PAL_TRY(copy(febio, node, "mu", "shear", material));
    PAL_TRY(need(febio, node, "N", &links));
    if (!(links > 0))
        return pal_foreign_fail(febio->model, node->line, "N is %g, expected more than 0", links);
    pal_foreign_set(material, "limit-stretch", sqrt(links));
    return read_bulk(febio, node, BARRIER, material);
}

// Fibres at +- gamma about the first axis, without dispersion: ours, exactly.
static PalStatus read_holzapfel(PalFebio *febio, const PalXmlNode *node,
                                PalForeignMaterial *material)
{
    double kappa = 0, gamma = 0;
    material->law = "fibre-reinforced";
    PAL_TRY(copy(febio, node, "c", "shear", material));
    // unlike the others it has our volumetric term unless another is asked for
    if (pal_xml_has(node, "pressure_model"))
        PAL_TRY(read_bulk(febio, node, BARRIER, material));
    else
        PAL_TRY(copy(febio, node, "k", "bulk", material));
    PAL_TRY(copy(febio, node, "k1", "k1", material));
    PAL_TRY(copy(febio, node, "k2", "k2", material));
    PAL_TRY(pal_febio_child_number(febio, node, "kappa", &kappa));
    PAL_TRY(pal_febio_child_number(febio, node, "gamma", &gamma));
    if (kappa != 0)
        return pal_foreign_fail(febio->model, node->line,
                                "kappa is %g, expected 0: fibres that are dispersed are not read",
                                kappa);
    if (pal_xml_has(node, "mat_axis") || pal_xml_has(node, "fiber"))
        return pal_foreign_fail(febio->model, node->line,
                                "axes of the material are not read, expected those of space");
    double angle = gamma * acos(-1) / 180;
    material->family_count = 2;
    material->families[0] = (PalVec3){cos(angle), sin(angle), 0};
    material->families[1] = (PalVec3){cos(angle), -sin(angle), 0};
    return PAL_OK;
}

static const Law laws[] = {
    {"isotropic elastic", read_isotropic},       {"neo-Hookean", read_neo_hookean},
    {"Mooney-Rivlin", read_mooney_rivlin},       {"Ogden", read_ogden},
    {"Veronda-Westmann", read_veronda_westmann}, {"Arruda-Boyce", read_arruda_boyce},
    {"Holzapfel-Gasser-Ogden", read_holzapfel},
};

static PalStatus read_law(PalFebio *febio, const PalXmlNode *node, PalForeignMaterial *material)
{
    const char *type = pal_xml_attribute(node, "type");
    for (size_t i = 0; i < sizeof laws / sizeof *laws && type != NULL; ++i)
        if (pal_febio_text_is(type, laws[i].type))
            return laws[i].read(febio, node, material);
    return pal_foreign_fail(febio->model, node->line,
                            "a material of type %s, expected isotropic elastic, neo-Hookean, "
                            "Mooney-Rivlin, Ogden, Veronda-Westmann, Arruda-Boyce or "
                            "Holzapfel-Gasser-Ogden",
                            type != NULL ? pal_quoted(type).text : "unknown");
}

// Prony series of the distortion, relative to what remains in the end: G(t) = 1 + sum g
// exp(-t/t_i). Ours is relative to the beginning.
static PalStatus read_relaxation(PalFebio *febio, const PalXmlNode *node,
                                 PalForeignMaterial *material)
{
    double sum = 1, g0 = 1;
    PAL_TRY(pal_febio_child_number(febio, node, "g0", &g0));
    if (g0 != 1)
        return pal_foreign_fail(febio->model, node->line, "g0 is %g, expected 1", g0);
    for (int i = 1; i <= 6; ++i) {
        char g_name[16], t_name[16];
        PalPronyTerm term = {0, 1};
        snprintf(g_name, sizeof g_name, "g%d", i);
        snprintf(t_name, sizeof t_name, "t%d", i);
        PAL_TRY(pal_febio_child_number(febio, node, g_name, &term.weight));
        PAL_TRY(pal_febio_child_number(febio, node, t_name, &term.time));
        if (term.weight == 0)
            continue;
        if (!(term.weight > 0) || !(term.time > 0))
            return pal_foreign_fail(febio->model, node->line, "%s and %s, expected both above 0",
                                    g_name, t_name);
        sum += term.weight;
        material->isochoric[material->prony_count++] = term;
    }
    for (int32_t i = 0; i < material->prony_count; ++i)
        material->isochoric[i].weight /= sum;
    for (int32_t i = 0; i < material->parameter_count; ++i) {
        static const char *const scaled[] = {"c10",     "c01",     "c1",      "shear",
                                             "shear-1", "shear-2", "shear-3", "k1"};
        for (size_t k = 0; k < sizeof scaled / sizeof *scaled; ++k)
            if (strcmp(material->keys[i], scaled[k]) == 0)
                material->values[i] *= sum;
    }
    return PAL_OK;
}

static PalStatus read_material(PalFebio *febio, const PalXmlNode *node)
{
    PalForeign *model = febio->model;
    PalForeignMaterial material = {.line = node->line};
    const char *name = pal_xml_attribute(node, "name"), *id = pal_xml_attribute(node, "id");
    const char *type = pal_xml_attribute(node, "type");
    name = name != NULL ? name : id != NULL ? id : "";
    material.name = pal_foreign_text(model, name, strlen(name));
    if (material.name == NULL)
        return pal_foreign_no_memory(model);
    if (id != NULL)
        pal_parse_int(id, id + strlen(id), &material.number);
    PAL_TRY(pal_febio_child_number(febio, node, "density", &material.density));
    const PalXmlNode *elastic = node;
    bool fades = type != NULL && pal_febio_text_is(type, "uncoupled viscoelastic");
    if (fades) {
        elastic = pal_xml_child(node, "elastic");
        if (elastic == NULL)
            return pal_foreign_fail(model, node->line, "no <elastic>, expected one");
        PAL_TRY(pal_febio_child_number(febio, elastic, "density", &material.density));
    }
    PAL_TRY(read_law(febio, elastic, &material));
    // how the other program enforces incompressibility is its own affair
    static const char *const passed[] = {"laugon", "atol", "minaug", "maxaug"};
    for (size_t i = 0; i < sizeof passed / sizeof *passed; ++i)
        pal_xml_child(elastic, passed[i]);
    if (fades)
        PAL_TRY(read_relaxation(febio, node, &material));
    return pal_array_push(&model->materials, material) ? PAL_OK : pal_foreign_no_memory(model);
}

PalStatus pal_febio_read_materials(PalFebio *febio)
{
    const PalXmlNode *list = pal_xml_child(febio->root, "Material");
    if (list == NULL)
        return pal_foreign_fail(febio->model, febio->root->line, "no <Material>, expected one");
    for (PalXmlNode *node = pal_xml_child(list, "material"); node != NULL;
         node = pal_xml_next(node))
        PAL_TRY(read_material(febio, node));
    return PAL_OK;
}
