// What a constraint with SpecType NORMAL acts on.
#include "scene/niftysim/model.h"

#include "base/memory.h"
#include "math/vec3.h"
#include "mesh/readers/cursor.h"

#include <math.h>
#include <string.h>

#define DEGREE (3.14159265358979323846 / 180)

PalStatus pal_nifty_find_surface(PalNifty *nifty, PalNiftyScope *scope)
{
    PalError inner = {0};
    if (scope->surface != NULL)
        return PAL_OK;
    PalStatus status = pal_mesh_boundary(scope->mesh, &scope->surface, &inner);
    if (status == PAL_NO_MEMORY)
        return pal_nifty_no_memory(nifty);
    return status == PAL_OK ? PAL_OK : pal_nifty_fail(nifty, scope->mesh_line, "%s", inner.text);
}

static PalVec3 facet_normal(const PalNiftyScope *scope, int32_t facet)
{
    int32_t width = scope->surface->corner_count;
    const int32_t *corners = scope->surface->facets + (int64_t)facet * width;
    const PalVec3 *x = scope->mesh->nodes;
    PalVec3 a = x[corners[0]], b = x[corners[1]], c = x[corners[2]];
    if (width == 3)
        return pal_vec3_normalise(pal_vec3_cross(pal_vec3_sub(b, a), pal_vec3_sub(c, a)));
    PalVec3 d = x[corners[3]];
    return pal_vec3_normalise(pal_vec3_cross(pal_vec3_sub(c, a), pal_vec3_sub(d, b)));
}

static PalStatus mark_facets(PalNifty *nifty, const PalNiftyScope *scope, const PalXmlNode *node,
                             uint8_t *marks)
{
    PalXmlNode *normal;
    const char *text;
    PalVec3 direction;
    double tolerance;
    PAL_TRY(pal_nifty_need(nifty, node, "Normal", &normal));
    PAL_TRY(pal_nifty_vector(nifty, normal, &direction));
    PAL_TRY(pal_nifty_need_attribute(nifty, normal, "ToleranceAngle", &text));
    PalToken word = pal_token_trim((PalToken){text, strlen(text)});
    const char *end = word.text + word.size;
    if (word.size == 0 || pal_parse_double(word.text, end, &tolerance) != end ||
        !(tolerance >= 0 && tolerance <= 180))
        return pal_nifty_fail(nifty, normal->line,
                              "ToleranceAngle of <Normal> is %s, expected 0 to 180 degrees",
                              pal_quoted(text).text);
    direction = pal_vec3_normalise(direction);
    if (pal_vec3_dot(direction, direction) == 0)
        return pal_nifty_fail(nifty, normal->line, "<Normal> is zero, expected a direction");
    for (int32_t f = 0; f < scope->surface->facet_count; ++f) {
        double cosine = pal_vec3_dot(direction, facet_normal(scope, f));
        marks[f] = acos(fmin(fmax(cosine, -1), 1)) < tolerance * DEGREE;
    }
    return PAL_OK;
}

// Takes the marks of nodes outside one box or ball away.
static PalStatus restrict_nodes(PalNifty *nifty, const PalNiftyScope *scope, const PalXmlNode *node,
                                uint8_t *marks)
{
    const char *type;
    double p[6];
    PAL_TRY(pal_nifty_need_attribute(nifty, node, "Type", &type));
    bool box = strcmp(type, "Box") == 0;
    if (!box && strcmp(type, "Sphere") != 0)
        return pal_nifty_fail(nifty, node->line,
                              "Type of <RestrictTo> is %s, expected Box or Sphere",
                              pal_quoted(type).text);
    PAL_TRY(pal_nifty_exactly(nifty, node, box ? 6 : 4, p));
    for (int32_t n = 0; n < scope->mesh->node_count; ++n) {
        PalVec3 x = scope->mesh->nodes[n];
        bool inside = box ? x.x >= p[0] && x.x <= p[1] && x.y >= p[2] && x.y <= p[3] &&
                                x.z >= p[4] && x.z <= p[5]
                          : pal_vec3_distance(x, pal_vec3(p[1], p[2], p[3])) < p[0];
        marks[n] = marks[n] && inside;
    }
    return PAL_OK;
}

// The nodes of marked facets; `marks`, all zero, serves to collect them.
static PalStatus take_nodes(PalNifty *nifty, const PalNiftyScope *scope, const PalXmlNode *node,
                            const uint8_t *facet_marks, uint8_t *marks,
                            PalNiftyConstraint *constraint)
{
    const PalSurface *surface = scope->surface;
    int32_t width = surface->corner_count, count = scope->mesh->node_count;
    for (int32_t f = 0; f < surface->facet_count; ++f)
        for (int32_t a = 0; a < width && facet_marks[f]; ++a)
            marks[surface->facets[(int64_t)f * width + a]] = 1;
    for (const PalXmlNode *part = pal_xml_child(node, "RestrictTo"); part != NULL;
         part = pal_xml_next(part))
        PAL_TRY(restrict_nodes(nifty, scope, part, marks));
    int32_t taken = 0;
    for (int32_t n = 0; n < count; ++n)
        taken += marks[n];
    PAL_TRY(pal_nifty_name_more(nifty, node->line, taken));
    constraint->nodes = pal_tree_alloc(nifty->memory, (size_t)taken, sizeof *constraint->nodes);
    if (constraint->nodes == NULL)
        return pal_nifty_no_memory(nifty);
    for (int32_t n = 0; n < count; ++n)
        if (marks[n])
            constraint->nodes[constraint->node_count++] = n;
    return PAL_OK;
}

PalStatus pal_nifty_take_facets(PalNifty *nifty, const PalNiftyScope *scope, const uint8_t *marks,
                                PalNiftyConstraint *constraint)
{
    const PalSurface *surface = scope->surface;
    int32_t width = surface->corner_count, taken = 0;
    for (int32_t f = 0; f < surface->facet_count; ++f)
        taken += marks == NULL || marks[f];
    PAL_TRY(pal_nifty_name_more(nifty, constraint->line, taken));
    constraint->faces = pal_tree_alloc(nifty->memory, (size_t)taken, sizeof *constraint->faces);
    if (constraint->faces == NULL)
        return pal_nifty_no_memory(nifty);
    for (int32_t f = 0; f < surface->facet_count; ++f) {
        if (marks != NULL && !marks[f])
            continue;
        int32_t *face = constraint->faces[constraint->face_count++];
        face[3] = PAL_NONE;
        memcpy(face, surface->facets + (int64_t)f * width, (size_t)width * sizeof *face);
    }
    return PAL_OK;
}

static PalStatus select_marked(PalNifty *nifty, const PalNiftyScope *scope, const PalXmlNode *node,
                               uint8_t *facet_marks, uint8_t *node_marks,
                               PalNiftyConstraint *constraint)
{
    PAL_TRY(mark_facets(nifty, scope, node, facet_marks));
    if (node_marks != NULL)
        return take_nodes(nifty, scope, node, facet_marks, node_marks, constraint);
    if (pal_xml_child(node, "RestrictTo") != NULL)
        pal_nifty_warn(nifty, node->line,
                       "<RestrictTo> has no effect on faces, here and in NiftySim");
    return pal_nifty_take_facets(nifty, scope, facet_marks, constraint);
}

PalStatus pal_nifty_select_normal(PalNifty *nifty, PalNiftyScope *scope, const PalXmlNode *node,
                                  bool faces, PalNiftyConstraint *constraint)
{
    PAL_TRY(pal_nifty_find_surface(nifty, scope));
    uint8_t *facet_marks = pal_alloc((size_t)scope->surface->facet_count, 1);
    uint8_t *node_marks = faces ? NULL : pal_alloc((size_t)scope->mesh->node_count, 1);
    PalStatus status;
    if (facet_marks == NULL || (node_marks == NULL && !faces))
        status = pal_nifty_no_memory(nifty);
    else
        status = select_marked(nifty, scope, node, facet_marks, node_marks, constraint);
    pal_free(facet_marks);
    pal_free(node_marks);
    return status;
}
