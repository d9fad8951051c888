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
        PAL_TRY(pal_foreign_lose(febio->model, child->line,
                                 "<%s> changes in time, expected a constant", name));
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

static const char *const formulas[] = {"k/2 (ln J)^2", "k/4 (J^2 - 1 - 2 ln J)", "k/2 (J - 1)^2"};

// The laws that are made of distortion and k: ours has the volumetric term `own`.
static PalStatus read_bulk(PalFebio *febio, const PalXmlNode *node, Volume own,
                           PalForeignMaterial *material)
{
    Volume volume;
    PAL_TRY(copy(febio, node, "k", "bulk", material));
    PAL_TRY(read_volume(febio, node, &volume));
    if (volume == own)
        return PAL_OK;
    return pal_foreign_lose(febio->model, node->line,
                            "the volumetric term %s of %s would be %s here, the same for small "
                            "changes of volume only",
                            formulas[volume], pal_quoted(material->name).text, formulas[own]);
}

// Those that have all of the volumetric terms. In a mixture a part may go without.
static PalStatus read_any_bulk(PalFebio *febio, const PalXmlNode *node,
                               PalForeignMaterial *material)
{
    static const char *const keys[] = {"bulk-log", "bulk", "bulk-quadratic"};
    Volume volume;
    double k = 0;
    PAL_TRY(read_volume(febio, node, &volume));
    if (pal_xml_has(node, "k") || !pal_xml_named(node, "solid"))
        PAL_TRY(need(febio, node, "k", &k));
    pal_foreign_set(material, "bulk", volume == BARRIER ? k : 0);
    if (volume != BARRIER)
        pal_foreign_set(material, keys[volume], k);
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

// W = mu/2 (I1 - 3) - mu ln J + lambda/2 (ln J)^2: ours, exactly.
static PalStatus read_neo_hookean(PalFebio *febio, const PalXmlNode *node,
                                  PalForeignMaterial *material)
{
    material->law = "compressible-neo-hookean";
    PAL_TRY(copy(febio, node, "E", "young", material));
    return copy(febio, node, "v", "poisson", material);
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
    return quadratic ? read_bulk(febio, node, QUADRATIC, material)
                     : read_any_bulk(febio, node, material);
}

// The direction of fibres: one for all elements.
static PalStatus read_fibre(PalFebio *febio, const PalXmlNode *node, PalForeignMaterial *material)
{
    const PalXmlNode *fibre = pal_xml_child(node, "fiber");
    const char *type = fibre != NULL ? pal_xml_attribute(fibre, "type") : NULL;
    const PalXmlNode *inner = fibre != NULL ? pal_xml_child(fibre, "vector") : NULL;
    double a[3] = {0};
    int32_t count = 0;
    if (fibre == NULL || type == NULL || !pal_febio_text_is(type, "vector"))
        return pal_foreign_fail(febio->model, node->line,
                                "fibres of %s, expected <fiber type=\"vector\">: one direction for "
                                "all elements",
                                type != NULL ? pal_quoted(type).text : "no direction");
    PAL_TRY(pal_febio_numbers(febio, inner != NULL ? inner : fibre, a, 3, &count));
    if (count != 3)
        return pal_foreign_fail(febio->model, fibre->line, "a direction of %d numbers, expected 3",
                                (int)count);
    material->family_count = 1;
    material->families[0] = (PalVec3){a[0], a[1], a[2]};
    return PAL_OK;
}

// The fibres of lb f'(lb) = c3 (e^(c4 (lb - 1)) - 1), then c5 lb + c6: ours, exactly.
static PalStatus read_fibre_mooney_rivlin(PalFebio *febio, const PalXmlNode *node,
                                          PalForeignMaterial *material)
{
    double c2 = 0;
    material->law = "fibre-mooney-rivlin";
    PAL_TRY(copy(febio, node, "c1", "c10", material));
    PAL_TRY(pal_febio_child_number(febio, node, "c2", &c2));
    pal_foreign_set(material, "c01", c2);
    PAL_TRY(copy(febio, node, "c3", "fibre-scale", material));
    PAL_TRY(copy(febio, node, "c4", "fibre-steepness", material));
    PAL_TRY(copy(febio, node, "c5", "fibre-slope", material));
    PAL_TRY(copy(febio, node, "lam_max", "straight-stretch", material));
    PAL_TRY(read_fibre(febio, node, material));
    return read_any_bulk(febio, node, material);
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
    return read_any_bulk(febio, node, material);
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
    return pal_foreign_lose(
        febio->model, node->line,
        "Veronda-Westmann %s has isochoric invariants in FEBio and those of C here, "
        "with bulk %.6g for the same modulus in all: the same while the volume changes "
        "little",
        pal_quoted(material->name).text, bulk);
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
    return read_any_bulk(febio, node, material);
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

// ---- mixtures: parts that add up to one law of ours
// ---------------------------------------------

static double *value_of(PalForeignMaterial *material, const char *key)
{
    for (int32_t i = 0; i < material->parameter_count; ++i)
        if (strcmp(material->keys[i], key) == 0)
            return &material->values[i];
    return NULL;
}

static bool is_law(const PalForeignMaterial *material, const char *law)
{
    return strcmp(material->law, law) == 0;
}

// Young's modulus and Poisson's ratio do not add up; shear and bulk do.
static PalStatus use_moduli(PalFebio *febio, const PalXmlNode *node, PalForeignMaterial *material)
{
    double shear, bulk;
    PalError inner = {0};
    if (material->parameter_count != 2 || strcmp(material->keys[0], "young") != 0)
        return PAL_OK;
    if (pal_moduli_from_young(material->values[0], material->values[1], &shear, &bulk, &inner) !=
        PAL_OK)
        return pal_foreign_fail(febio->model, node->line, "%s", inner.text);
    material->parameter_count = 0;
    pal_foreign_set(material, "shear", shear);
    pal_foreign_set(material, "bulk", bulk);
    return PAL_OK;
}

// Whether all parameters of the part are factors of terms that both have.
static bool adds_up(const PalForeignMaterial *sum, const PalForeignMaterial *part)
{
    static const char *const linear[] = {"mooney-rivlin", "polynomial", "st-venant-kirchhoff",
                                         "compressible-neo-hookean"};
    for (size_t i = 0; i < sizeof linear / sizeof *linear; ++i)
        if (is_law(sum, linear[i]) && is_law(part, linear[i]))
            return true;
    return is_law(sum, "fibre-mooney-rivlin") && is_law(part, "mooney-rivlin");
}

// Terms of Ogden are put side by side; what is of the volume is added.
static bool append_terms(PalForeignMaterial *sum, const PalForeignMaterial *part)
{
    static const char *const shear[] = {"shear-1", "shear-2", "shear-3"};
    static const char *const alpha[] = {"alpha-1", "alpha-2", "alpha-3"};
    int used = 0;
    while (used < 3 && value_of(sum, shear[used]) != NULL)
        ++used;
    for (int32_t i = 0; i < part->parameter_count; ++i) {
        if (strncmp(part->keys[i], "shear-", 6) != 0)
            continue;
        if (used == 3)
            return false;
        pal_foreign_set(sum, shear[used], part->values[i]);
        pal_foreign_set(sum, alpha[used++], part->values[i + 1]);
    }
    return true;
}

static PalStatus add_part(PalFebio *febio, const PalXmlNode *node, PalForeignMaterial *sum,
                          PalForeignMaterial *part)
{
    if (is_law(part, "fibre-mooney-rivlin") && is_law(sum, "mooney-rivlin")) {
        PalForeignMaterial other = *sum;
        sum->law = part->law;
        sum->parameter_count = part->parameter_count;
        memcpy(sum->keys, part->keys, sizeof sum->keys);
        memcpy(sum->values, part->values, sizeof sum->values);
        sum->family_count = part->family_count;
        sum->families[0] = part->families[0];
        *part = other;
    }
    bool terms = is_law(sum, "ogden") && is_law(part, "ogden");
    if (!terms && !adds_up(sum, part))
        return pal_foreign_fail(febio->model, node->line,
                                "a mixture of %s and %s, expected laws that add up to one",
                                sum->law, part->law);
    if (terms && !append_terms(sum, part))
        return pal_foreign_fail(febio->model, node->line,
                                "a mixture of more than 3 terms of Ogden, expected 1 to 3");
    for (int32_t i = 0; i < part->parameter_count; ++i) {
        if (terms && strncmp(part->keys[i], "bulk", 4) != 0)
            continue;
        double *value = value_of(sum, part->keys[i]);
        if (value != NULL)
            *value += part->values[i];
        else
            pal_foreign_set(sum, part->keys[i], part->values[i]);
    }
    return PAL_OK;
}

static PalStatus read_law(PalFebio *febio, const PalXmlNode *node, PalForeignMaterial *material);

// The parts of a mixture are <solid>; their bulk moduli add up.
static PalStatus read_mixture(PalFebio *febio, const PalXmlNode *node, PalForeignMaterial *material)
{
    double k = 0;
    PAL_TRY(pal_febio_child_number(febio, node, "k", &k));
    if (k != 0)
        PAL_TRY(pal_foreign_lose(febio->model, node->line,
                                 "k of a mixture is %g, expected the k of its parts alone", k));
    for (PalXmlNode *child = pal_xml_child(node, "solid"); child != NULL;
         child = pal_xml_next(child)) {
        const char *type = pal_xml_attribute(child, "type");
        PalForeignMaterial part = {.line = child->line, .name = material->name};
        if (type != NULL && strstr(type, "mixture") != NULL)
            return pal_foreign_fail(febio->model, child->line,
                                    "a mixture in a mixture, expected one list of parts");
        PAL_TRY(pal_febio_child_number(febio, child, "density", &part.density));
        PAL_TRY(read_law(febio, child, &part));
        PAL_TRY(use_moduli(febio, child, &part));
        if (material->law != NULL) {
            PAL_TRY(add_part(febio, child, material, &part));
            continue;
        }
        part.number = material->number;
        part.density = material->density;
        part.line = material->line;
        *material = part;
    }
    if (material->law != NULL)
        return PAL_OK;
    return pal_foreign_fail(febio->model, node->line, "a mixture of nothing, expected <solid>");
}

static const Law laws[] = {
    {"isotropic elastic", read_isotropic},
    {"neo-Hookean", read_neo_hookean},
    {"Mooney-Rivlin", read_mooney_rivlin},
    {"Ogden", read_ogden},
    {"Veronda-Westmann", read_veronda_westmann},
    {"Arruda-Boyce", read_arruda_boyce},
    {"Holzapfel-Gasser-Ogden", read_holzapfel},
    {"trans iso Mooney-Rivlin", read_fibre_mooney_rivlin},
    {"uncoupled solid mixture", read_mixture},
    {"solid mixture", read_mixture},
};

static PalStatus read_law(PalFebio *febio, const PalXmlNode *node, PalForeignMaterial *material)
{
    const char *type = pal_xml_attribute(node, "type");
    for (size_t i = 0; i < sizeof laws / sizeof *laws && type != NULL; ++i)
        if (pal_febio_text_is(type, laws[i].type))
            return laws[i].read(febio, node, material);
    return pal_foreign_fail(febio->model, node->line,
                            "a material of type %s, expected isotropic elastic, neo-Hookean, "
                            "Mooney-Rivlin, trans iso Mooney-Rivlin, Ogden, Veronda-Westmann, "
                            "Arruda-Boyce, Holzapfel-Gasser-Ogden or a mixture",
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
        static const char *const scaled[] = {"c10",         "c01",        "c1",      "shear",
                                             "shear-1",     "shear-2",    "shear-3", "k1",
                                             "fibre-scale", "fibre-slope"};
        for (size_t k = 0; k < sizeof scaled / sizeof *scaled; ++k)
            if (strcmp(material->keys[i], scaled[k]) == 0)
                material->values[i] *= sum;
    }
    return PAL_OK;
}

// Elements of this material are a rigid body.
static PalStatus read_rigid(PalFebio *febio, const PalXmlNode *node, PalForeignMaterial *material)
{
    static const char *const passed[] = {"E", "v", "override_com", "parent_id"};
    const PalXmlNode *centre = pal_xml_child(node, "center_of_mass");
    double x[3] = {0};
    int32_t count = 0;
    material->rigid = true;
    if (centre != NULL) {
        PAL_TRY(pal_febio_numbers(febio, centre, x, 3, &count));
        if (count != 3)
            return pal_foreign_fail(febio->model, centre->line,
                                    "a centre of mass of %d coordinates, expected 3", (int)count);
        material->has_centre = true;
        material->centre = (PalVec3){x[0], x[1], x[2]};
    }
    for (size_t i = 0; i < sizeof passed / sizeof *passed; ++i)
        pal_xml_child(node, passed[i]);
    return pal_array_push(&febio->model->materials, *material)
               ? PAL_OK
               : pal_foreign_no_memory(febio->model);
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
    if (type != NULL && pal_febio_text_is(type, "rigid body"))
        return read_rigid(febio, node, &material);
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
