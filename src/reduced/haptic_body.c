// The surface of a body, its rings of facets, its normals and creases.
#include "reduced/haptic_body.h"

#include "base/memory.h"
#include <math.h>

#define CREASE      0.9998  // cosine of 1 degree: facets that meet at more have normals of their own
#define SHARP       0.77    // cosine of 40 degrees: at more, normals turn within a wider band
#define FIELD_CELLS 48      // along the longest side

static PalVec3 rest_normal(const PalHapticBody *body, int32_t facet)
{
    const int32_t *v = body->facets[facet];
    PalVec3 a = body->rest[v[0]];
    return pal_vec3_normalise(
        pal_vec3_cross(pal_vec3_sub(body->rest[v[1]], a), pal_vec3_sub(body->rest[v[2]], a)));
}

static bool make_rings(PalHapticBody *body)
{
    size_t nodes = (size_t)body->node_count, facets = (size_t)body->facet_count;
    body->ring_start = pal_alloc(nodes + 1, sizeof(int32_t));
    body->ring_facets = pal_alloc(3 * facets, sizeof(int32_t));
    int32_t *filled = pal_alloc(nodes, sizeof(int32_t));
    bool enough = body->ring_start != NULL && body->ring_facets != NULL && filled != NULL;
    if (enough) {
        for (int32_t f = 0; f < body->facet_count; ++f)
            for (int a = 0; a < 3; ++a)
                ++body->ring_start[body->facets[f][a] + 1];
        for (int32_t n = 0; n < body->node_count; ++n)
            body->ring_start[n + 1] += body->ring_start[n];
        for (int32_t f = 0; f < body->facet_count; ++f)
            for (int a = 0; a < 3; ++a) {
                int32_t n = body->facets[f][a];
                body->ring_facets[body->ring_start[n] + filled[n]++] = f;
            }
    }
    pal_free(filled);
    return enough;
}

static bool share_edge(const int32_t *a, const int32_t *b)
{
    int same = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            same += a[i] == b[j];
    return same >= 2;
}

// Groups the facets around a node: two are of one group where they share an edge that is no crease.
// `group` gets a number for each place of the ring; returns how many groups.
static int32_t group_ring(const PalHapticBody *body, int32_t node, int32_t *group)
{
    int32_t start = body->ring_start[node], count = body->ring_start[node + 1] - start, groups = 0;
    for (int32_t i = 0; i < count; ++i)
        group[i] = PAL_NONE;
    for (int32_t i = 0; i < count; ++i) {
        if (group[i] != PAL_NONE)
            continue;
        group[i] = groups;
        for (bool grown = true; grown;) {
            grown = false;
            for (int32_t j = 0; j < count; ++j)
                for (int32_t k = 0; k < count && group[j] == PAL_NONE; ++k) {
                    int32_t f = body->ring_facets[start + j], g = body->ring_facets[start + k];
                    if (group[k] == groups && share_edge(body->facets[f], body->facets[g]) &&
                        pal_vec3_dot(rest_normal(body, f), rest_normal(body, g)) > CREASE) {
                        group[j] = groups;
                        grown = true;
                    }
                }
        }
        ++groups;
    }
    return groups;
}

// One more normal, for nodes at a crease: that of all facets around.
static int32_t add_whole(PalHapticBody *body, int32_t node, int32_t next)
{
    body->whole[node] = body->corner_count++;
    body->corner_start[body->whole[node]] = next;
    for (int32_t i = body->ring_start[node]; i < body->ring_start[node + 1]; ++i)
        body->corner_facets[next++] = body->ring_facets[i];
    return next;
}

static void number_corners(PalHapticBody *body, int32_t *group)
{
    int32_t next = 0;
    body->corner_count = 0;
    for (int32_t n = 0; n < body->node_count; ++n) {
        int32_t start = body->ring_start[n], count = body->ring_start[n + 1] - start;
        int32_t groups = group_ring(body, n, group);
        for (int32_t g = 0; g < groups; ++g) {
            int32_t corner = body->corner_count++;
            body->corner_start[corner] = next;
            for (int32_t i = 0; i < count; ++i) {
                int32_t f = body->ring_facets[start + i];
                if (group[i] != g)
                    continue;
                body->corner_facets[next++] = f;
                for (int a = 0; a < 3; ++a)
                    if (body->facets[f][a] == n)
                        body->corners[f][a] = corner;
            }
        }
        body->whole[n] = body->corner_count - 1;
        if (groups > 1)
            next = add_whole(body, n, next);
    }
    body->corner_start[body->corner_count] = next;
}

static int32_t corner_at(const PalHapticBody *body, int32_t facet, int32_t node)
{
    const int32_t *v = body->facets[facet];
    return v[0] == node   ? body->corners[facet][0]
           : v[1] == node ? body->corners[facet][1]
           : v[2] == node ? body->corners[facet][2]
                          : PAL_NONE;
}

// Whether facets meet there at a sharp angle.
static bool is_sharp(const PalHapticBody *body, int32_t facet, int32_t a, int32_t b)
{
    for (int32_t i = body->ring_start[a]; i < body->ring_start[a + 1]; ++i) {
        int32_t other = body->ring_facets[i];
        if (other != facet && corner_at(body, other, b) != PAL_NONE &&
            pal_vec3_dot(rest_normal(body, facet), rest_normal(body, other)) < SHARP)
            return true;
    }
    return false;
}

// Whether one of a node's edges is sharp.
static bool is_sharp_node(const PalHapticBody *body, int32_t node)
{
    for (int32_t i = body->ring_start[node]; i < body->ring_start[node + 1]; ++i)
        for (int a = 0; a < 3; ++a)
            if (body->facets[body->ring_facets[i]][a] != node &&
                (body->sharp[body->ring_facets[i]] & (1 << a)) != 0)
                return true;
    return false;
}

// Whether normals differ on both sides of an edge of a facet.
static bool is_creased(const PalHapticBody *body, int32_t facet, int32_t a, int32_t b)
{
    for (int32_t i = body->ring_start[a]; i < body->ring_start[a + 1]; ++i) {
        int32_t other = body->ring_facets[i];
        if (other != facet && corner_at(body, other, b) != PAL_NONE &&
            (corner_at(body, other, a) != corner_at(body, facet, a) ||
             corner_at(body, other, b) != corner_at(body, facet, b)))
            return true;
    }
    return false;
}

static void find_creases(PalHapticBody *body)
{
    for (int32_t f = 0; f < body->facet_count; ++f)
        for (int a = 0; a < 3; ++a) {
            int32_t b = body->facets[f][(a + 1) % 3], c = body->facets[f][(a + 2) % 3];
            if (is_creased(body, f, b, c))
                body->creased[f] |= (unsigned char)(1 << a);
            if (is_sharp(body, f, b, c))
                body->sharp[f] |= (unsigned char)(1 << a);
        }
    for (int32_t f = 0; f < body->facet_count; ++f)
        for (int a = 0; a < 3; ++a)
            if (is_sharp_node(body, body->facets[f][a]))
                body->sharp[f] |= (unsigned char)(8 << a);
}

static bool make_corners(PalHapticBody *body)
{
    size_t facets = (size_t)body->facet_count, nodes = (size_t)body->node_count;
    body->corners = pal_alloc(facets, sizeof *body->corners);
    body->corner_start = pal_alloc(3 * facets + nodes + 1, sizeof(int32_t));
    body->corner_facets = pal_alloc(6 * facets, sizeof(int32_t));
    body->whole = pal_alloc(nodes, sizeof(int32_t));
    body->creased = pal_alloc(facets, 1);
    body->sharp = pal_alloc(facets, 1);
    int32_t *group = pal_alloc(3 * facets, sizeof(int32_t));
    bool enough = body->corners != NULL && body->corner_start != NULL &&
                  body->corner_facets != NULL && body->whole != NULL && body->creased != NULL &&
                  body->sharp != NULL && group != NULL;
    if (enough) {
        number_corners(body, group);
        find_creases(body);
    }
    pal_free(group);
    return enough;
}

static void measure(PalHapticBody *body)
{
    double sum = 0;
    for (int32_t f = 0; f < body->facet_count; ++f)
        for (int a = 0; a < 3; ++a)
            sum += pal_vec3_distance(body->rest[body->facets[f][a]],
                                     body->rest[body->facets[f][(a + 1) % 3]]);
    body->edge = sum / (3.0 * body->facet_count);
    body->widest = 0;
    for (int32_t n = 0; n < body->node_count && body->mode_count > 0; ++n) {
        const float *row = body->rows + (int64_t)3 * n * body->stride;
        double norm = 0;
        for (int32_t k = 0; k < 3 * body->stride; ++k)
            norm += (double)row[k] * (double)row[k];
        body->widest = fmax(body->widest, sqrt(norm));
    }
}

static PalStatus make_field(PalHapticBody *body, PalError *error)
{
    PalVec3 low = body->rest[0], high = body->rest[0];
    for (int32_t n = 1; n < body->node_count; ++n) {
        PalVec3 p = body->rest[n];
        low = pal_vec3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = pal_vec3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    PalVec3 size = pal_vec3_sub(high, low);
    double spacing = fmax(size.x, fmax(size.y, size.z)) / FIELD_CELLS;
    PalFieldDef def = {
        .vertex_count = body->node_count,
        .facet_count = body->facet_count,
        .vertices = body->rest,
        .facets = (const int32_t(*)[3])body->facets,
        .spacing = spacing,
        .band = 2 * spacing,
    };
    return pal_field_create(&def, &body->field, error);
}

static bool copy_surface(PalHapticBody *body, const PalHapticSurface *rigid)
{
    const PalVademecum *book = body->book;
    body->node_count = book != NULL ? book->size.surface_count : rigid->node_count;
    body->facet_count = book != NULL ? book->size.triangle_count : rigid->facet_count;
    body->all_count = book != NULL ? book->size.node_count : rigid->node_count;
    body->rest = pal_alloc((size_t)body->all_count, sizeof *body->rest);
    body->facets = pal_alloc((size_t)body->facet_count, sizeof *body->facets);
    if (body->rest == NULL || body->facets == NULL)
        return false;
    for (int32_t n = 0; n < body->all_count; ++n)
        body->rest[n] = book != NULL ? pal_vademecum_node(book, n) : rigid->nodes[n];
    for (int32_t f = 0; f < body->facet_count; ++f)
        for (int a = 0; a < 3; ++a)
            body->facets[f][a] =
                book != NULL ? book->triangles[3 * (int64_t)f + a] : rigid->facets[f][a];
    return true;
}

PalStatus pal_haptic_body_init(PalHapticBody *body, const PalVademecum *book,
                               const PalHapticSurface *rigid, PalError *error)
{
    *body = (PalHapticBody){.book = book};
    if (book == NULL && (rigid->node_count < 4 || rigid->facet_count < 4))
        return pal_error_set(error, PAL_BAD_INPUT, "an instrument needs a closed surface");
    if (book != NULL) {
        body->mode_count = book->size.mode_count;
        body->stride = book->size.stride;
        body->rows = book->modes;
        body->separate = book->facts.method == PAL_VADEMECUM_PGD;
    }
    if (!copy_surface(body, rigid) || !make_rings(body) || !make_corners(body) ||
        !pal_haptic_edges_init(body))
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the surface of a body");
    measure(body);
    if (!pal_haptic_spins_init(body))
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the turning of a surface");
    if (!pal_haptic_shell_init(body))
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the points of a surface");
    return make_field(body, error);
}

void pal_haptic_body_clear(PalHapticBody *body)
{
    pal_free(body->rest);
    pal_free(body->facets);
    pal_free(body->spins);
    pal_free(body->ring_start);
    pal_free(body->ring_facets);
    pal_free(body->corners);
    pal_free(body->corner_start);
    pal_free(body->corner_facets);
    pal_free(body->whole);
    pal_free(body->creased);
    pal_free(body->sharp);
    pal_haptic_edges_clear(body);
    pal_free(body->clusters);
    pal_free(body->order);
    pal_free(body->patches);
    for (int level = 0; level < PAL_HAPTIC_LEVELS; ++level)
        pal_free(body->group[level]);
    pal_free(body->give);
    pal_field_destroy(body->field);
}

size_t pal_haptic_body_bytes(const PalHapticBody *body)
{
    size_t nodes = (size_t)body->node_count, facets = (size_t)body->facet_count;
    return sizeof *body + nodes * (sizeof(PalVec3) + 4 * sizeof(int32_t)) +
           (body->spins != NULL ? 3 * (size_t)body->all_count * (size_t)body->stride : 0) *
               sizeof(float) +
           facets * 29 * sizeof(int32_t) + (size_t)body->cluster_count * sizeof *body->clusters +
           (body->field != NULL ? pal_field_bytes(body->field) : 0);
}
