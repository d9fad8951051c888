// Materials of Abaqus in terms of our laws. docs/formats-abaqus.md says which are exact.
#include "scene/foreign/abaqus.h"

#include <string.h>

static PalForeignMaterial *current(PalAbaqus *abaqus)
{
    return &abaqus->model->materials.items[abaqus->material];
}

static PalStatus start_material(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword)
{
    PalForeign *model = abaqus->model;
    PalToken name = pal_abaqus_parameter(keyword, "NAME");
    if (name.size == 0)
        return pal_foreign_fail(model, keyword->line, "*MATERIAL without a name, expected NAME=");
    PalForeignMaterial material = {.line = keyword->line, .name = pal_abaqus_name(abaqus, name)};
    if (material.name == NULL)
        return pal_foreign_no_memory(model);
    abaqus->long_term = true;
    abaqus->prony_sum[0] = abaqus->prony_sum[1] = 0;
    for (int32_t i = 0; i < model->materials.count; ++i)
        if (pal_token_is_like((PalToken){material.name, strlen(material.name)},
                              model->materials.items[i].name)) {
            if (model->materials.items[i].law != NULL)
                return pal_foreign_fail(model, keyword->line, "a second material %s, expected one",
                                        pal_quoted(material.name).text);
            model->materials.items[i].line = keyword->line;
            abaqus->material = i;
            return PAL_OK;
        }
    abaqus->material = model->materials.count;
    return pal_array_push(&model->materials, material) ? PAL_OK : pal_foreign_no_memory(model);
}

static PalStatus read_elastic(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword)
{
    PalForeign *model = abaqus->model;
    PalToken type = pal_abaqus_parameter(keyword, "TYPE");
    double values[3];
    int32_t count;
    if (type.size > 0 && !pal_token_is_like(type, "ISOTROPIC") && !pal_token_is_like(type, "ISO"))
        return pal_foreign_fail(model, keyword->line, "*ELASTIC of type %s, expected ISOTROPIC",
                                pal_token_quote(type).text);
    abaqus->long_term =
        !pal_token_is_like(pal_abaqus_parameter(keyword, "MODULI"), "INSTANTANEOUS");
    PAL_TRY(pal_abaqus_numbers(abaqus, values, 3, &count));
    if (count < 2)
        return pal_foreign_fail(model, keyword->line,
                                "*ELASTIC with %d numbers, expected Young's modulus and Poisson's "
                                "ratio",
                                (int)count);
    PalForeignMaterial *material = current(abaqus);
    material->law = "st-venant-kirchhoff";
    pal_foreign_set(material, "young", values[0]);
    pal_foreign_set(material, "poisson", values[1]);
    pal_foreign_warn(model, keyword->line,
                     "the linear elasticity of %s is taken as linear in Green's strain (St "
                     "Venant-Kirchhoff): the same for small strains and any rotation",
                     pal_quoted(material->name).text);
    return PAL_OK;
}

// The volumetric term (J - 1)^2 / D.
static PalStatus set_bulk(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword, const char *key,
                          double d)
{
    if (!(d > 0))
        return pal_foreign_fail(
            abaqus->model, keyword->line,
            "D1 of %s is %g, which is incompressible; expected more than 0, "
            "such as 2 over a bulk modulus of a hundred times the shear modulus",
            pal_quoted(current(abaqus)->name).text, d);
    pal_foreign_set(current(abaqus), key, 2 / d);
    return PAL_OK;
}

// A temperature may stand behind the parameters, but there is only one of it.
static PalStatus need_count(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword, int32_t count,
                            int32_t least, int32_t most)
{
    if (count < least)
        return pal_foreign_fail(abaqus->model, keyword->line,
                                "*HYPERELASTIC with %d numbers, expected %d", (int)count,
                                (int)least);
    if (count > most + 1)
        return pal_foreign_lose(abaqus->model, keyword->line,
                                "*HYPERELASTIC with %d numbers, expected at most %d, of one "
                                "temperature",
                                (int)count, (int)most);
    return PAL_OK;
}

static PalStatus refuse_more_volume(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword,
                                    const double *d, int32_t count)
{
    for (int32_t i = 1; i < count; ++i)
        if (d[i] != 0)
            return pal_foreign_fail(abaqus->model, keyword->line,
                                    "D%d of %s is %g, expected 0: only the first volumetric term "
                                    "is read",
                                    (int)i + 1, pal_quoted(current(abaqus)->name).text, d[i]);
    return PAL_OK;
}

// c10 c01 [c20 c11 c02] d1 [d2], or without the second invariant c10 [c20] d1 [d2]
static PalStatus read_polynomial(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword,
                                 const double *v, int32_t degree, bool reduced)
{
    static const char *const full[] = {"c10", "c01", "c20", "c11", "c02"};
    static const char *const single[] = {"c10", "c20"};
    PalForeignMaterial *material = current(abaqus);
    if (degree > 2)
        return pal_foreign_fail(abaqus->model, keyword->line,
                                "a polynomial of degree %d, expected 1 or 2", (int)degree);
    int32_t used = reduced ? degree : degree == 1 ? 2 : 5;
    material->law = "polynomial";
    for (int32_t i = 0; i < used; ++i)
        pal_foreign_set(material, reduced ? single[i] : full[i], v[i]);
    if (reduced)
        pal_foreign_set(material, "c01", 0);
    PAL_TRY(refuse_more_volume(abaqus, keyword, v + used, degree));
    return set_bulk(abaqus, keyword, "bulk", v[used]);
}

static PalStatus read_ogden(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword, const double *v,
                            int32_t degree)
{
    static const char *const shear[] = {"shear-1", "shear-2", "shear-3"};
    static const char *const alpha[] = {"alpha-1", "alpha-2", "alpha-3"};
    if (degree > 3)
        return pal_foreign_fail(abaqus->model, keyword->line,
                                "an Ogden material of %d terms, expected 1 to 3", (int)degree);
    current(abaqus)->law = "ogden";
    for (int32_t i = 0; i < degree; ++i) {
        pal_foreign_set(current(abaqus), shear[i], v[2 * i]);
        pal_foreign_set(current(abaqus), alpha[i], v[2 * i + 1]);
    }
    PAL_TRY(refuse_more_volume(abaqus, keyword, v + 2 * degree, degree));
    pal_foreign_set(current(abaqus), "bulk", 0);
    return set_bulk(abaqus, keyword, "bulk-quadratic", v[2 * degree]);
}

static PalStatus read_hyperelastic(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword)
{
    PalForeign *model = abaqus->model;
    double v[32] = {0}, degree_value = 1;
    int32_t count;
    PalToken degree_text = pal_abaqus_parameter(keyword, "N");
    PalToken moduli = pal_abaqus_parameter(keyword, "MODULI");
    abaqus->data_line = keyword->line;
    if (degree_text.size > 0)
        PAL_TRY(pal_abaqus_number(abaqus, degree_text, &degree_value));
    if (!(degree_value >= 1 && degree_value <= 6))
        return pal_foreign_fail(model, keyword->line, "N=%g, expected 1 to 6", degree_value);
    int32_t degree = (int32_t)degree_value;
    if (pal_abaqus_parameter(keyword, "TEST DATA INPUT").text != NULL)
        return pal_foreign_fail(model, keyword->line,
                                "test data are not fitted, expected the parameters of the law");
    abaqus->long_term = !pal_token_is_like(moduli, "INSTANTANEOUS");
    PAL_TRY(pal_abaqus_numbers(abaqus, v, 24, &count));
    PalForeignMaterial *material = current(abaqus);
    if (pal_abaqus_parameter(keyword, "NEO HOOKE").text != NULL) {
        PAL_TRY(need_count(abaqus, keyword, count, 2, 2));
        material->law = "neo-hookean";
        pal_foreign_set(material, "shear", 2 * v[0]);
        return set_bulk(abaqus, keyword, "bulk", v[1]);
    }
    if (pal_abaqus_parameter(keyword, "ARRUDA-BOYCE").text != NULL) {
        PAL_TRY(need_count(abaqus, keyword, count, 3, 3));
        material->law = "arruda-boyce";
        pal_foreign_set(material, "shear", v[0]);
        pal_foreign_set(material, "limit-stretch", v[1]);
        return set_bulk(abaqus, keyword, "bulk", v[2]);
    }
    if (pal_abaqus_parameter(keyword, "OGDEN").text != NULL) {
        PAL_TRY(need_count(abaqus, keyword, count, 2 * degree + 1, 3 * degree));
        return read_ogden(abaqus, keyword, v, degree);
    }
    bool mooney = pal_abaqus_parameter(keyword, "MOONEY-RIVLIN").text != NULL;
    bool reduced = pal_abaqus_parameter(keyword, "REDUCED POLYNOMIAL").text != NULL;
    if (!mooney && !reduced && pal_abaqus_parameter(keyword, "POLYNOMIAL").text == NULL)
        return pal_foreign_fail(model, keyword->line,
                                "*HYPERELASTIC, %s: no such kind is known here, expected NEO "
                                "HOOKE, MOONEY-RIVLIN, POLYNOMIAL, REDUCED POLYNOMIAL, OGDEN or "
                                "ARRUDA-BOYCE",
                                pal_token_quote(keyword->rest).text);
    degree = mooney ? 1 : degree;
    int32_t least = (reduced ? degree : degree == 1 ? 2 : 5) + 1;
    PAL_TRY(need_count(abaqus, keyword, count, least, degree <= 2 ? least - 1 + degree : count));
    return read_polynomial(abaqus, keyword, v, degree, reduced);
}

// g, k, tau in rows.
static PalStatus read_viscoelastic(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword)
{
    double v[3 * PAL_PRONY_MAX];
    int32_t count;
    PalForeignMaterial *material = current(abaqus);
    if (!pal_token_is_like(pal_abaqus_parameter(keyword, "TIME"), "PRONY"))
        return pal_foreign_fail(abaqus->model, keyword->line,
                                "*VISCOELASTIC, %s: no such kind is known here, expected "
                                "TIME=PRONY",
                                pal_token_quote(keyword->rest).text);
    PAL_TRY(pal_abaqus_numbers(abaqus, v, 3 * PAL_PRONY_MAX, &count));
    if (count % 3 != 0)
        return pal_foreign_fail(abaqus->model, keyword->line,
                                "%d numbers, expected g, k and tau of each term", (int)count);
    material->prony_count = count / 3;
    for (int32_t i = 0; i < material->prony_count; ++i) {
        if (v[3 * i] < 0 || v[3 * i + 1] < 0)
            return pal_foreign_fail(abaqus->model, keyword->line,
                                    "a term of g %g and k %g, expected neither below 0", v[3 * i],
                                    v[3 * i + 1]);
        material->isochoric[i] = (PalPronyTerm){v[3 * i], v[3 * i + 2]};
        material->volumetric[i] = (PalPronyTerm){v[3 * i + 1], v[3 * i + 2]};
        abaqus->prony_sum[0] += v[3 * i];
        abaqus->prony_sum[1] += v[3 * i + 1];
    }
    return PAL_OK;
}

// Our law for *ELASTIC does not part shape from volume: the isochoric terms relax all its stress.
static PalStatus join_terms(PalAbaqus *abaqus, PalForeignMaterial *material)
{
    for (int32_t i = 0; i < material->prony_count; ++i) {
        if (material->isochoric[i].weight != material->volumetric[i].weight)
            return pal_foreign_fail(abaqus->model, material->line,
                                    "the relaxation of %s has a term of g %g and k %g, expected "
                                    "the same of both with *ELASTIC",
                                    pal_quoted(material->name).text, material->isochoric[i].weight,
                                    material->volumetric[i].weight);
        material->volumetric[i].weight = 0;
    }
    return PAL_OK;
}

// Moduli that remain in the end are turned into those of the beginning, which ours are.
PalStatus pal_abaqus_end_material(PalAbaqus *abaqus)
{
    if (abaqus->material == PAL_NONE)
        return PAL_OK;
    PalForeignMaterial *material = current(abaqus);
    abaqus->material = PAL_NONE;
    if (material->prony_count == 0)
        return PAL_OK;
    bool young = material->parameter_count > 0 && strcmp(material->keys[0], "young") == 0;
    if (young)
        PAL_TRY(join_terms(abaqus, material));
    if (!abaqus->long_term)
        return PAL_OK;
    double shear = 1 - abaqus->prony_sum[0], bulk = 1 - abaqus->prony_sum[1];
    if (!(shear > 0) || !(bulk > 0))
        return pal_foreign_fail(abaqus->model, material->line,
                                "the relaxation of %s takes %g of shear and %g of bulk away, "
                                "expected less than 1",
                                pal_quoted(material->name).text, abaqus->prony_sum[0],
                                abaqus->prony_sum[1]);
    for (int32_t i = 0; i < material->parameter_count; ++i) {
        const char *key = material->keys[i];
        bool number = strncmp(key, "alpha", 5) == 0 || strcmp(key, "limit-stretch") == 0 ||
                      strcmp(key, "poisson") == 0;
        if (!number)
            material->values[i] /= strncmp(key, "bulk", 4) == 0 ? bulk : shear;
    }
    return PAL_OK;
}

// One number, and perhaps the temperature it is of.
static PalStatus read_density(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword)
{
    double values[2] = {0};
    int32_t count;
    PAL_TRY(pal_abaqus_numbers(abaqus, values, 2, &count));
    if (!(values[0] > 0))
        return pal_foreign_fail(abaqus->model, keyword->line,
                                "a density of %g, expected more than 0", values[0]);
    current(abaqus)->density = values[0];
    return PAL_OK;
}

PalStatus pal_abaqus_material(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword, bool *known)
{
    static const char *const inner[] = {"ELASTIC", "HYPERELASTIC", "DENSITY", "VISCOELASTIC"};
    *known = true;
    if (pal_abaqus_is(keyword, "MATERIAL")) {
        PAL_TRY(pal_abaqus_end_material(abaqus));
        return start_material(abaqus, keyword);
    }
    int which = 0;
    while (which < 4 && !pal_abaqus_is(keyword, inner[which]))
        ++which;
    if (which == 4) {
        *known = false;
        return PAL_OK;
    }
    if (abaqus->material == PAL_NONE)
        return pal_foreign_fail(abaqus->model, keyword->line, "*%s outside of a *MATERIAL",
                                inner[which]);
    if (which < 2 && current(abaqus)->law != NULL)
        return pal_foreign_fail(abaqus->model, keyword->line,
                                "a second elasticity of %s, expected one",
                                pal_quoted(current(abaqus)->name).text);
    if (which == 0)
        return read_elastic(abaqus, keyword);
    if (which == 1)
        return read_hyperelastic(abaqus, keyword);
    if (which == 3)
        return read_viscoelastic(abaqus, keyword);
    return read_density(abaqus, keyword);
}
