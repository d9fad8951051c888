// Contact plates, cylinders and ultrasound probes: rigid surfaces of triangles, moved as NiftySim
// moves them on a GPU.
#include "scene/niftysim/model.h"

#include "math/vec3.h"

#include <math.h>

enum { AROUND = 48, CAP = AROUND / 4, LONGEST = 200 };

#define PI 3.14159265358979323846

static PalStatus make_mesh(PalNifty *nifty, int32_t line, const PalMeshDef *def, PalMesh **mesh)
{
    PalError inner = {0};
    PalStatus status = pal_mesh_create(def, mesh, &inner);
    if (status == PAL_NO_MEMORY)
        return pal_nifty_no_memory(nifty);
    return status == PAL_OK ? PAL_OK : pal_nifty_fail(nifty, line, "%s", inner.text);
}

static PalStatus need_vector(PalNifty *nifty, const PalXmlNode *node, const char *name,
                             PalVec3 *value)
{
    PalXmlNode *child;
    PAL_TRY(pal_nifty_need(nifty, node, name, &child));
    return pal_nifty_vector(nifty, child, value);
}

// Bodies are on the side of (b - a) x (c - a).
static PalStatus read_plate(PalNifty *nifty, const PalXmlNode *node, PalNiftySurface *surface)
{
    PalVec3 corners[4];
    PAL_TRY(need_vector(nifty, node, "a", &corners[0]));
    PAL_TRY(need_vector(nifty, node, "b", &corners[1]));
    PAL_TRY(need_vector(nifty, node, "c", &corners[3]));
    PAL_TRY(need_vector(nifty, node, "Disp", &surface->translation));
    PalVec3 along = pal_vec3_sub(corners[1], corners[0]), up = pal_vec3_sub(corners[3], corners[0]);
    if (!(pal_vec3_length(pal_vec3_cross(along, up)) > 0))
        return pal_nifty_fail(nifty, node->line,
                              "a, b and c of <%s> lie on one line, expected the corners of a plate",
                              node->name);
    corners[2] = pal_vec3_add(corners[1], up);
    static const int32_t cells[6] = {0, 1, 2, 0, 2, 3};
    PalMeshDef def = {PAL_CELL_TRIANGLE, 4, corners, 2, cells};
    return make_mesh(nifty, node->line, &def, &surface->mesh);
}

// ---- cylinders --------------------------------------------------------------------------

typedef struct Round {
    PalVec3 origin, axis;
    double radius, length;
    bool probe;  // with half a ball at its end
} Round;

static PalStatus read_round(PalNifty *nifty, const PalXmlNode *node, Round *round,
                            PalNiftySurface *surface)
{
    double change = 0;
    PAL_TRY(need_vector(nifty, node, "Origin", &round->origin));
    PAL_TRY(need_vector(nifty, node, "Axis", &round->axis));
    PAL_TRY(need_vector(nifty, node, "OrigDisp", &surface->translation));
    PAL_TRY(pal_nifty_scalar(nifty, node, "Radius", &round->radius));
    PAL_TRY(pal_nifty_scalar(nifty, node, "Length", &round->length));
    PAL_TRY(pal_nifty_scalar(nifty, node, "RadChange", &change));
    if (!(round->radius > 0) || !(round->length > 0))
        return pal_nifty_fail(nifty, node->line,
                              "<%s> has the radius %g and the length %g, expected both above 0",
                              node->name, round->radius, round->length);
    if (fabs(pal_vec3_length(round->axis) - 1) > 1e-3)
        return pal_nifty_fail(nifty, node->line,
                              "<Axis> of <%s> has the length %g, expected a unit vector",
                              node->name, pal_vec3_length(round->axis));
    round->axis = pal_vec3_normalise(round->axis);
    if (change != 0)
        return pal_nifty_lose(nifty, node->line,
                              "<RadChange> of <%s>: a rigid surface keeps its radius", node->name);
    return PAL_OK;
}

// Distance along the axis and radius of each ring.
static int32_t make_profile(const Round *round, double (*profile)[2])
{
    double side = 2 * PI * round->radius / AROUND, ratio = round->length / side;
    int32_t parts = ratio < LONGEST ? (int32_t)ceil(ratio) : LONGEST, count = 0;
    for (int32_t i = 0; i <= parts; ++i, ++count) {
        profile[count][0] = round->length * i / parts;
        profile[count][1] = round->radius;
    }
    for (int i = 1; round->probe && i < CAP; ++i, ++count) {
        profile[count][0] = round->length + round->radius * sin(PI / 2 * i / CAP);
        profile[count][1] = round->radius * cos(PI / 2 * i / CAP);
    }
    return count;
}

static PalVec3 round_node(const Round *round, const double at[2], double angle)
{
    PalVec3 n = round->axis, some = {0, 0, 0};
    if (fabs(n.x) <= fabs(n.y) && fabs(n.x) <= fabs(n.z))
        some.x = 1;
    else if (fabs(n.y) <= fabs(n.z))
        some.y = 1;
    else
        some.z = 1;
    PalVec3 e = pal_vec3_normalise(pal_vec3_cross(n, some)), f = pal_vec3_cross(n, e);
    PalVec3 x = pal_vec3_add_scaled(round->origin, at[0], n);
    x = pal_vec3_add_scaled(x, at[1] * cos(angle), e);
    return pal_vec3_add_scaled(x, at[1] * sin(angle), f);
}

// Rings from the origin on, and a pole at either end.
static PalStatus make_round(PalNifty *nifty, int32_t line, const Round *round, PalMesh **mesh)
{
    double profile[LONGEST + CAP + 2][2];
    int32_t rings = make_profile(round, profile), first = 0;
    int32_t node_count = rings * AROUND + 2, cell_count = 2 * rings * AROUND;
    PalVec3 *nodes = pal_tree_alloc(nifty->memory, (size_t)node_count, sizeof *nodes);
    int32_t(*cells)[3] = pal_tree_alloc(nifty->memory, (size_t)cell_count, sizeof *cells);
    if (nodes == NULL || cells == NULL)
        return pal_nifty_no_memory(nifty);
    for (int32_t n = 0; n < rings * AROUND; ++n)
        nodes[n] = round_node(round, profile[n / AROUND], 2 * PI * (n % AROUND) / AROUND);
    double top = round->length + (round->probe ? round->radius : 0);
    int32_t low = rings * AROUND, high = low + 1, last = (rings - 1) * AROUND;
    nodes[low] = round->origin;
    nodes[high] = pal_vec3_add_scaled(round->origin, top, round->axis);
    for (int32_t j = 0; j < AROUND; ++j) {
        int32_t next = (j + 1) % AROUND;
        const int32_t ends[2][3] = {{low, next, j}, {high, last + j, last + next}};
        for (int k = 0; k < 6; ++k)
            cells[first + k / 3][k % 3] = ends[k / 3][k % 3];
        first += 2;
        for (int32_t i = 0; i + 1 < rings; ++i, first += 2) {
            int32_t a = i * AROUND + j, b = i * AROUND + next, up = AROUND;
            const int32_t two[6] = {a, b, b + up, a, b + up, a + up};
            for (int k = 0; k < 6; ++k)
                cells[first + k / 3][k % 3] = two[k];
        }
    }
    PalMeshDef def = {PAL_CELL_TRIANGLE, node_count, nodes, first, &cells[0][0]};
    return make_mesh(nifty, line, &def, mesh);
}

PalStatus pal_nifty_read_contact_shape(PalNifty *nifty, const PalXmlNode *node,
                                       PalNiftySurface *surface)
{
    surface->line = node->line;
    surface->smooth = true;
    const PalXmlNode *slaves = pal_xml_child(node, "SlvNodes");
    if (slaves != NULL) {
        pal_xml_attribute(slaves, "NumNodes");
        pal_nifty_warn(
            nifty, slaves->line,
            "<SlvNodes> have no effect: every body meets the surface with all its nodes");
    }
    if (pal_xml_named(node, "ContactPlate"))
        return read_plate(nifty, node, surface);
    Round round = {.probe = pal_xml_named(node, "ContactUSProbe")};
    PAL_TRY(read_round(nifty, node, &round, surface));
    return make_round(nifty, node->line, &round, &surface->mesh);
}
