// What must hold of a vademecum, wherever it comes from: every number is looked at once, so that
// evaluations can trust them.
#include "math/vec3.h"
#include "reduced/vademecum.h"

#include <math.h>
#include <string.h>

static PalStatus wrong(PalError *error, const char *what)
{
    return pal_error_set(error, PAL_BAD_INPUT, "not a sound vademecum: %s", what);
}

static bool floats_are_finite(const float *list, int64_t count)
{
    for (int64_t i = 0; i < count; ++i)
        if (!isfinite(list[i]))
            return false;
    return true;
}

static bool doubles_are_finite(const double *list, int64_t count)
{
    for (int64_t i = 0; i < count; ++i)
        if (!isfinite(list[i]) || fabs(list[i]) > 1e100)
            return false;
    return true;
}

static bool are_below(const int32_t *list, int64_t count, int32_t limit)
{
    for (int64_t i = 0; i < count; ++i)
        if (list[i] < 0 || list[i] >= limit)
            return false;
    return true;
}

static bool are_finite(const PalVademecum *book)
{
    PalVademecum copy = *book;
    PalVademecumArray list[PAL_VADEMECUM_ARRAY_MAX];
    int32_t count = pal_vademecum_arrays(&copy, list);
    for (int32_t i = 0; i < count; ++i)
        if ((list[i].kind == PAL_VADEMECUM_FLOAT &&
             !floats_are_finite(list[i].data, list[i].count)) ||
            (list[i].kind == PAL_VADEMECUM_DOUBLE &&
             !doubles_are_finite(list[i].data, list[i].count)))
            return false;
    return true;
}

static PalStatus check_body(const PalVademecum *book, PalError *error)
{
    const PalVademecumSize *s = &book->size;
    if (!are_below(book->cells, 4 * (int64_t)s->cell_count, s->node_count))
        return wrong(error, "a cell has a node that does not exist");
    if (!are_below(book->cell_material, s->cell_count, s->material_count))
        return wrong(error, "a cell has a material that does not exist");
    if (!are_below(book->triangles, 3 * (int64_t)s->triangle_count, s->surface_count))
        return wrong(error, "a triangle has a node that is not on the surface");
    if (!are_below(book->held, s->node_count, 8))
        return wrong(error, "held axes are bits of x, y and z");
    for (int32_t t = 0; t < s->triangle_count; ++t) {
        const int32_t *c = book->triangles + 3 * (int64_t)t;
        if (c[0] == c[1] || c[1] == c[2] || c[2] == c[0])
            return wrong(error, "a triangle has a node twice");
    }
    return PAL_OK;
}

// Unit vectors, or zeros where the surface has no normal.
static bool are_directions(const PalVademecum *book)
{
    bool normal = book->facts.directions == PAL_DIRECTIONS_NORMAL;
    int32_t count = normal ? book->size.site_count : book->size.direction_count;
    for (int32_t i = 0; i < count; ++i) {
        const double *d = book->direction + 3 * (int64_t)i;
        double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        if (fabs(length - 1) > 1e-6)
            return false;
    }
    return !normal || book->size.direction_count == 1;
}

static PalStatus check_loads(const PalVademecum *book, PalError *error)
{
    const PalVademecumSize *s = &book->size;
    const PalVademecumFacts *facts = &book->facts;
    if (!(facts->patch > 0 && isfinite(facts->patch) && facts->largest > 0 &&
          isfinite(facts->largest) && facts->reach >= 0 && isfinite(facts->reach)))
        return wrong(error, "patch and largest force must be above 0");
    if (!are_below(book->site, s->site_count, s->surface_count))
        return wrong(error, "a site is not on the surface");
    if (!are_directions(book))
        return wrong(error, "directions are unit vectors");
    for (int32_t l = 0; l < s->level_count; ++l)
        if (!(book->level[l] > (l > 0 ? book->level[l - 1] : 0) && book->level[l] <= 1))
            return wrong(error, "levels ascend up to 1");
    return PAL_OK;
}

PalStatus pal_vademecum_check_local(const PalVademecum *book, PalError *error)
{
    const PalVademecumSize *s = &book->size;
    if (book->local_start[0] != 0 || book->local_start[s->node_count] != s->local_count)
        return wrong(error, "the lists of near nodes do not fit");
    for (int32_t i = 0; i < s->node_count; ++i) {
        if (book->local_start[i + 1] < book->local_start[i] ||
            book->local_start[i + 1] > s->local_count)
            return wrong(error, "the lists of near nodes do not fit");
        for (int32_t k = book->local_start[i]; k < book->local_start[i + 1]; ++k)
            if (book->local_node[k] < 0 || book->local_node[k] >= s->node_count ||
                (k > book->local_start[i] && book->local_node[k] <= book->local_node[k - 1]))
                return wrong(error, "near nodes ascend");
    }
    return PAL_OK;
}

static PalStatus check_distances(const PalVademecum *book, PalError *error)
{
    const PalVademecumSize *s = &book->size;
    if (s->grid_counts[0] == 0)
        return PAL_OK;
    for (int j = 0; j < 3; ++j)
        if (!(book->grid[3 + j] > 0))
            return wrong(error, "the grid of distances has no spacing");
    int64_t blocks = pal_distances_block_count(s);
    if (book->field_start[0] != 0 || book->field_start[blocks] != s->field_rank)
        return wrong(error, "the products of distances do not fit");
    for (int64_t b = 0; b < blocks; ++b)
        if (book->field_start[b + 1] < book->field_start[b] ||
            book->field_start[b + 1] > s->field_rank)
            return wrong(error, "the products of distances do not fit");
    return PAL_OK;
}

static PalStatus check_rest(const PalVademecum *book, PalError *error)
{
    const PalVademecumSize *s = &book->size;
    if (!are_below(book->sample_cell, s->sample_count, s->cell_count))
        return wrong(error, "a sampled cell does not exist");
    for (int32_t i = 0; i < s->sample_count; ++i)
        if (!(book->sample_weight[i] > 0))
            return wrong(error, "the weight of a sampled cell is not above 0");
    return check_distances(book, error);
}

PalStatus pal_vademecum_validate(const PalVademecum *book, PalError *error)
{
    if (!are_finite(book))
        return wrong(error, "a number is not finite");
    PAL_TRY(check_body(book, error));
    PAL_TRY(check_loads(book, error));
    PAL_TRY(pal_vademecum_check_local(book, error));
    return check_rest(book, error);
}

static PalStatus find_law(const int32_t *words, const PalMaterialLaw **law, PalError *error)
{
    char name[PAL_LAW_WORDS * sizeof *words + 1] = {0};
    memcpy(name, words, PAL_LAW_WORDS * sizeof *words);
    *law = pal_law_find(name);
    return *law != NULL ? PAL_OK : wrong(error, "its material has a law that is not known");
}

PalStatus pal_vademecum_finish(PalVademecum *book, PalError *error)
{
    PAL_TRY(pal_vademecum_validate(book, error));
    for (int32_t m = 0; m < book->size.material_count; ++m) {
        PalMaterialDef *material = &book->materials[m];
        *material = pal_material_def_default();
        PAL_TRY(find_law(book->law + PAL_LAW_WORDS * (int64_t)m, &material->law, error));
        memcpy(material->parameters, book->parameters + PAL_LAW_PARAMETER_MAX * (int64_t)m,
               sizeof material->parameters);
        PAL_TRY(pal_material_validate(material, error));
    }
    return PAL_OK;
}
