// Constraints as conditions of the scene's bodies.
#include "scene/niftysim/build.h"

#include "base/memory.h"
#include "mesh/cells.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 48, TRACTION_MAX = 4096 };

static const char *const group_words[PAL_NIFTY_KIND_COUNT] = {"fix",     "disp",     "force",
                                                              "gravity", "pressure", "traction"};

// ---- how it grows in time ---------------------------------------------------------------------

// Loads start from 0 even where they jump: the first step of NiftySim knows none.
static bool put_jump(PalNiftyBuild *build, PalTreeNode *map)
{
    const double rows[2][2] = {{0, 0}, {build->system->step, 1}};
    PalTreeNode *table = pal_nifty_list(build, map->line);
    bool done = pal_nifty_put(build, map, "ramp", table);
    for (int i = 0; i < 2 && done; ++i) {
        PalTreeNode *row = pal_nifty_list(build, map->line);
        done = pal_nifty_put(build, table, NULL, row) &&
               pal_nifty_put_number(build, row, NULL, rows[i][0]) &&
               pal_nifty_put_number(build, row, NULL, rows[i][1]);
    }
    return done;
}

static bool put_ramp(PalNiftyBuild *build, PalTreeNode *map, PalNiftyShape shape)
{
    static const char *const words[PAL_NIFTY_SHAPE_COUNT] = {"smooth", "linear", "", "hilly",
                                                             "linear"};
    double total = build->system->total;
    if (shape == PAL_NIFTY_STEP)
        return put_jump(build, map);
    bool done = pal_nifty_put_text(build, map, "ramp", words[shape]);
    if (shape == PAL_NIFTY_RAMPHOLD)
        return done && pal_nifty_put_number(build, map, "until", total / 10);
    return done && pal_nifty_put_number(build, map, "until", total) &&
           pal_nifty_put_text(build, map, "hold", "false");
}

// ---- nodes ------------------------------------------------------------------------------------

typedef struct Entry {
    int32_t body, node;
    double magnitude;
} Entry;

static int compare_entries(const void *left, const void *right)
{
    const Entry *a = left, *b = right;
    if (a->body != b->body)
        return a->body < b->body ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

static bool put_where(PalNiftyBuild *build, PalTreeNode *map, const char *group)
{
    PalTreeNode *where = pal_nifty_map(build, map->line);
    if (group == NULL)
        return pal_nifty_put_text(build, map, "where", "all");
    return pal_nifty_put(build, map, "where", where) &&
           pal_nifty_put_text(build, where, "group", group);
}

static bool put_axes(PalNiftyBuild *build, PalTreeNode *map, const PalNiftyConstraint *constraint)
{
    char axes[4] = "";
    for (int i = 0, used = 0; i < 3; ++i)
        if (constraint->axes[i])
            axes[used++] = "xyz"[i];
    return pal_nifty_put_text(build, map, "fix", axes);
}

static bool put_value(PalNiftyBuild *build, PalTreeNode *map, const PalNiftyConstraint *constraint,
                      double magnitude)
{
    bool moves = constraint->kind == PAL_NIFTY_DISP;
    PalTreeNode *list = pal_nifty_list(build, map->line);
    bool done = pal_nifty_put(build, map, moves ? "displace" : "force", list);
    for (int i = 0; i < 3 && done; ++i)
        done = moves && !constraint->axes[i]
                   ? pal_nifty_put_text(build, list, NULL, "null")
                   : pal_nifty_put_number(build, list, NULL, constraint->axes[i] ? magnitude : 0);
    return done && (moves || pal_nifty_put_text(build, map, "each", "true"));
}

static bool put_weights(PalNiftyBuild *build, PalTreeNode *map, const Entry *entries, int32_t count)
{
    PalTreeNode *list = pal_nifty_list(build, map->line);
    bool done = pal_nifty_put(build, map, "weights", list);
    for (int32_t i = 0; i < count && done; ++i)
        done = pal_nifty_put_number(build, list, NULL, entries[i].magnitude);
    return done;
}

static bool put_content(PalNiftyBuild *build, PalTreeNode *map,
                        const PalNiftyConstraint *constraint, const Entry *entries, int32_t count)
{
    bool same = true;
    switch (constraint->kind) {
    case PAL_NIFTY_FIX:
        return put_axes(build, map, constraint);
    case PAL_NIFTY_GRAVITY:
        return pal_nifty_put_vector(build, map, "gravity", constraint->value) &&
               put_ramp(build, map, constraint->shape);
    default:
        break;
    }
    for (int32_t i = 1; i < count; ++i)
        same = same && entries[i].magnitude == entries[0].magnitude;
    return put_value(build, map, constraint, same ? entries[0].magnitude : 1) &&
           (same || put_weights(build, map, entries, count)) &&
           put_ramp(build, map, constraint->shape);
}

// The entries of one body.
static PalStatus add_to_body(PalNiftyBuild *build, const PalNiftyConstraint *constraint,
                             int32_t number, const Entry *entries, int32_t count)
{
    PalNifty *nifty = build->nifty;
    PalNiftyBody *body = &build->bodies[entries[0].body];
    PalTreeNode *map = pal_nifty_map(build, constraint->line);
    char name[NAME_SIZE];
    bool all = count == body->mesh->node_count;
    snprintf(name, sizeof name, "%s-%d", group_words[constraint->kind], (int)number);
    bool done =
        map != NULL && pal_nifty_put_text(build, map, "body", body->name) &&
        (all && constraint->kind == PAL_NIFTY_GRAVITY ? true
                                                      : put_where(build, map, all ? NULL : name)) &&
        put_content(build, map, constraint, entries, count);
    if (done && !all) {
        int32_t *nodes = pal_tree_alloc(nifty->memory, (size_t)count, sizeof *nodes);
        PalError inner = {0};
        for (int32_t i = 0; i < count && nodes != NULL; ++i)
            nodes[i] = entries[i].node;
        PalGroup group = {.name = name, .node_count = count, .nodes = nodes};
        done = nodes != NULL && pal_mesh_add_group(body->mesh, &group, &inner) == PAL_OK;
    }
    PalTreeNode *list = pal_tree_get(nifty->tree->root, "conditions");
    return done && pal_nifty_put(build, list, NULL, map) ? PAL_OK : pal_nifty_no_memory(nifty);
}

// `entries` has room for all nodes of the constraint.
static PalStatus add_entries(PalNiftyBuild *build, const PalNiftyConstraint *constraint,
                             int32_t number, Entry *entries)
{
    int32_t count = 0;
    for (int32_t i = 0; i < constraint->node_count; ++i) {
        int32_t n = constraint->nodes[i];
        double magnitude =
            constraint->magnitudes != NULL ? constraint->magnitudes[i] : constraint->magnitude;
        if (build->node_body[n] != PAL_NONE)
            entries[count++] = (Entry){build->node_body[n], build->node_local[n], magnitude};
    }
    qsort(entries, (size_t)count, sizeof *entries, compare_entries);
    int32_t kept = 0;  // a fixed node may be listed twice
    for (int32_t i = 0; i < count; ++i)
        if (kept == 0 || compare_entries(&entries[kept - 1], &entries[i]) != 0)
            entries[kept++] = entries[i];
    for (int32_t first = 0, i = 1; i <= kept; ++i)
        if (i == kept || entries[i].body != entries[first].body) {
            PAL_TRY(add_to_body(build, constraint, number, entries + first, i - first));
            first = i;
        }
    return PAL_OK;
}

static PalStatus add_on_nodes(PalNiftyBuild *build, const PalNiftyConstraint *constraint,
                              int32_t number)
{
    Entry *entries = pal_alloc((size_t)constraint->node_count, sizeof *entries);
    PalStatus status = entries != NULL ? add_entries(build, constraint, number, entries)
                                       : pal_nifty_no_memory(build->nifty);
    pal_free(entries);
    return status;
}

// ---- faces ------------------------------------------------------------------------------------

typedef struct Face {
    int32_t body;
    bool inward;  // the file lists its corners the other way round
    PalVec3 traction;
    int32_t corners[4];  // of the body
} Face;

static int compare_numbers(double a, double b)
{
    return (a > b) - (a < b);
}

// Faces that one condition can hold are equal.
static int compare_faces(const void *left, const void *right)
{
    const Face *a = left, *b = right;
    int order = (a->body > b->body) - (a->body < b->body);
    order = order != 0 ? order : a->inward - b->inward;
    order = order != 0 ? order : compare_numbers(a->traction.x, b->traction.x);
    order = order != 0 ? order : compare_numbers(a->traction.y, b->traction.y);
    return order != 0 ? order : compare_numbers(a->traction.z, b->traction.z);
}

// The facets of the surface by their sorted corners.
typedef struct Facets {
    const PalSurface *surface;
    int32_t (*keys)[4];
    int32_t *order;
} Facets;

static void sorted_corners(const int32_t *corners, int32_t width, int32_t key[4])
{
    key[3] = PAL_NONE;
    memcpy(key, corners, (size_t)width * sizeof *key);
    pal_row_sort(key, 4);
}

static PalStatus index_facets(PalNiftyBuild *build, Facets *facets)
{
    PalNifty *nifty = build->nifty;
    if (facets->surface != NULL)
        return PAL_OK;
    PAL_TRY(pal_nifty_find_surface(nifty, build->scope));
    const PalSurface *surface = build->scope->surface;
    size_t count = (size_t)surface->facet_count;
    facets->keys = pal_tree_alloc(nifty->memory, count, sizeof *facets->keys);
    facets->order = pal_tree_alloc(nifty->memory, count, sizeof *facets->order);
    if (facets->keys == NULL || facets->order == NULL)
        return pal_nifty_no_memory(nifty);
    for (size_t f = 0; f < count; ++f)
        sorted_corners(surface->facets + f * (size_t)surface->corner_count, surface->corner_count,
                       facets->keys[f]);
    if (!pal_rows_order(&facets->keys[0][0], surface->facet_count, 4, facets->order))
        return pal_nifty_no_memory(nifty);
    facets->surface = surface;
    return PAL_OK;
}

static int32_t find_facet(const Facets *facets, const int32_t key[4])
{
    int32_t low = 0, high = facets->surface->facet_count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        const int32_t *at = facets->keys[facets->order[middle]];
        int order = 0;
        for (int i = 0; i < 4 && order == 0; ++i)
            order = (at[i] > key[i]) - (at[i] < key[i]);
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < facets->surface->facet_count &&
                 pal_rows_equal(facets->keys[facets->order[low]], key, 4);
    return found ? facets->order[low] : PAL_NONE;
}

// 1 where the corners go round like the facet's, -1 the other way round, 0 across.
static int sense(const int32_t *corners, const int32_t *facet, int32_t width)
{
    int32_t start = 0;
    while (start < width && facet[start] != corners[0])
        ++start;
    bool along = true, against = true;
    for (int32_t a = 0; a < width; ++a) {
        along = along && corners[a] == facet[(start + a) % width];
        against = against && corners[a] == facet[(start + width - a) % width];
    }
    return along ? 1 : against ? -1 : 0;
}

static PalStatus take_face(PalNiftyBuild *build, const Facets *facets,
                           const PalNiftyConstraint *constraint, int32_t f, uint8_t *taken,
                           Face *face)
{
    int32_t width = facets->surface->corner_count, key[4];
    const int32_t *corners = constraint->faces[f];
    bool pressure = constraint->kind == PAL_NIFTY_PRESSURE;
    sorted_corners(corners, width, key);
    int32_t facet = find_facet(facets, key);
    int turn = facet == PAL_NONE
                   ? 0
                   : sense(corners, facets->surface->facets + (int64_t)facet * width, width);
    char shown[64];
    snprintf(shown, sizeof shown, width == 3 ? "%d %d %d" : "%d %d %d %d", (int)corners[0],
             (int)corners[1], (int)corners[2], (int)corners[3]);
    if (turn == 0)
        return pal_nifty_fail(build->nifty, constraint->line,
                              "face %s is not a facet of the surface, expected one with its "
                              "corners in order around it",
                              shown);
    if (taken[facet])
        return pal_nifty_fail(build->nifty, constraint->line,
                              "face %s is twice in the list, expected it once", shown);
    taken[facet] = 1;
    *face = (Face){.body = build->node_body[corners[0]], .inward = pressure && turn < 0};
    face->traction = constraint->tractions != NULL ? constraint->tractions[f] : constraint->value;
    face->corners[3] = PAL_NONE;
    for (int32_t a = 0; a < width; ++a)
        face->corners[a] = build->node_local[corners[a]];
    return PAL_OK;
}

static PalStatus add_faces(PalNiftyBuild *build, const PalNiftyConstraint *constraint,
                           const char *name, const Face *faces, int32_t count)
{
    PalNifty *nifty = build->nifty;
    PalNiftyBody *body = &build->bodies[faces[0].body];
    PalTreeNode *map = pal_nifty_map(build, constraint->line);
    int32_t(*corners)[4] = pal_tree_alloc(nifty->memory, (size_t)count, sizeof *corners);
    PalError inner = {0};
    if (map == NULL || corners == NULL)
        return pal_nifty_no_memory(nifty);
    for (int32_t f = 0; f < count; ++f)
        memcpy(corners[f], faces[f].corners, sizeof *corners);
    if (faces[0].inward)
        pal_nifty_warn(nifty, constraint->line,
                       "%d face%s of this Pressure turn%s inward, where the pressure pulls, as in "
                       "NiftySim",
                       (int)count, count == 1 ? "" : "s", count == 1 ? "s" : "");
    PalGroup group = {.name = (char *)name, .face_count = count, .faces = corners};
    double pressure = faces[0].inward ? -constraint->magnitude : constraint->magnitude;
    bool done = pal_nifty_put_text(build, map, "body", body->name) && put_where(build, map, name) &&
                (constraint->kind == PAL_NIFTY_PRESSURE
                     ? pal_nifty_put_number(build, map, "pressure", pressure)
                     : pal_nifty_put_vector(build, map, "traction", faces[0].traction)) &&
                put_ramp(build, map, constraint->shape) &&
                pal_nifty_put(build, pal_tree_get(nifty->tree->root, "conditions"), NULL, map) &&
                pal_mesh_add_group(body->mesh, &group, &inner) == PAL_OK;
    return done ? PAL_OK : pal_nifty_no_memory(nifty);
}

static PalStatus add_runs(PalNiftyBuild *build, const PalNiftyConstraint *constraint,
                          int32_t number, const Face *faces)
{
    int32_t run = 0;
    for (int32_t first = 0, i = 1; i <= constraint->face_count; ++i) {
        if (i < constraint->face_count && compare_faces(&faces[first], &faces[i]) == 0)
            continue;
        char name[NAME_SIZE];
        if (++run > TRACTION_MAX)
            return pal_nifty_fail(build->nifty, constraint->line,
                                  "more than %d different tractions, expected fewer", TRACTION_MAX);
        if (run == 1)
            snprintf(name, sizeof name, "%s-%d", group_words[constraint->kind], (int)number);
        else
            snprintf(name, sizeof name, "%s-%d-%d", group_words[constraint->kind], (int)number,
                     (int)run);
        PAL_TRY(add_faces(build, constraint, name, faces + first, i - first));
        first = i;
    }
    return PAL_OK;
}

static PalStatus add_on_faces(PalNiftyBuild *build, Facets *facets,
                              const PalNiftyConstraint *constraint, int32_t number)
{
    PalNifty *nifty = build->nifty;
    PAL_TRY(index_facets(build, facets));
    size_t count = (size_t)constraint->face_count;
    Face *faces = pal_alloc(count, sizeof *faces);
    uint8_t *taken = pal_alloc((size_t)facets->surface->facet_count, 1);
    PalStatus status = faces != NULL && taken != NULL ? PAL_OK : pal_nifty_no_memory(nifty);
    for (int32_t f = 0; f < constraint->face_count && status == PAL_OK; ++f)
        status = take_face(build, facets, constraint, f, taken, &faces[f]);
    if (status == PAL_OK) {
        qsort(faces, count, sizeof *faces, compare_faces);
        status = add_runs(build, constraint, number, faces);
    }
    pal_free(faces);
    pal_free(taken);
    return status;
}

PalStatus pal_nifty_build_conditions(PalNiftyBuild *build)
{
    Facets facets = {0};
    const PalNiftyScope *scope = build->scope;
    for (int32_t c = 0; c < scope->constraints.count; ++c) {
        const PalNiftyConstraint *constraint = &scope->constraints.items[c];
        if (constraint->face_count > 0)
            PAL_TRY(add_on_faces(build, &facets, constraint, c + 1));
        else
            PAL_TRY(add_on_nodes(build, constraint, c + 1));
    }
    return pal_nifty_warn_overlaps(build);
}
