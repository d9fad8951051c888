// Arrays of a vademecum, and what must hold of them.
#include "reduced/vademecum.h"

#include "base/assert.h"
#include "base/choice.h"
#include "base/memory.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define MOST 100000000  // of anything

static const PalChoice methods[] = {
    [PAL_VADEMECUM_AUTO] = {"auto", "Modes of equilibria, corrected by a few cells, and a local "
                                    "part: the smallest error at the load point."},
    [PAL_VADEMECUM_PGD] = {"pgd", "Products found by alternating directions, as printed in "
                                  "gonzalez2015."},
};

static const PalChoice directions[] = {
    [PAL_DIRECTIONS_NORMAL] = {"normal", "Loads press along the surface's normal, into the body."},
    [PAL_DIRECTIONS_XYZ] = {"xyz", "Loads have any direction; those along and against the three "
                                   "axes are stored."},
    [PAL_DIRECTIONS_ONE] = {"one", "Loads have the direction given."},
};

PAL_CHOICE_ARRAY(vademecum_method, PalVademecumMethod, methods)
PAL_CHOICE_ARRAY(vademecum_directions, PalVademecumDirections, directions)

// ---- memory -----------------------------------------------------------------------------

static bool is_count(int32_t count)
{
    return count >= 0 && count <= MOST;
}

static bool sizes_can_be(const PalVademecumSize *s)
{
    const int32_t counts[] = {
        s->node_count,     s->surface_count,  s->triangle_count,  s->cell_count,
        s->material_count, s->site_count,     s->direction_count, s->level_count,
        s->mode_count,     s->sample_count,   s->local_count,     s->grid_counts[0],
        s->grid_counts[1], s->grid_counts[2], s->field_rank,      s->heldout_count};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i)
        if (!is_count(counts[i]))
            return false;
    double rows = (double)s->site_count * s->direction_count * s->level_count;
    double points = (double)s->grid_counts[0] * s->grid_counts[1] * s->grid_counts[2];
    bool grid = s->grid_counts[0] > 1 && s->grid_counts[1] > 1 && s->grid_counts[2] > 1;
    bool none = s->grid_counts[0] == 0 && s->grid_counts[1] == 0 && s->grid_counts[2] == 0;
    return s->node_count >= 4 && s->cell_count >= 1 && s->surface_count >= 4 &&
           s->surface_count <= s->node_count && s->triangle_count >= 4 && s->material_count >= 1 &&
           s->material_count <= 1000 && s->site_count >= 1 && s->site_count <= s->surface_count &&
           s->direction_count >= 1 && s->direction_count <= 64 && s->level_count >= 1 &&
           s->level_count <= 64 && s->mode_count >= 1 && s->mode_count <= 2000 &&
           s->stride == (s->mode_count + 7) / 8 * 8 && s->sample_count <= s->cell_count &&
           rows * s->stride < 1e9 && points < 1e9 && (grid || (none && s->field_rank == 0)) &&
           (double)PAL_DISTANCES_POINTS * s->field_rank < 1e9 &&
           (double)s->site_count * s->direction_count * s->field_rank < 1e9 &&
           3.0 * s->node_count * s->stride < 2e9;
}

static int64_t grid_points(const PalVademecumSize *s)
{
    return (int64_t)s->grid_counts[0] * s->grid_counts[1] * s->grid_counts[2];
}

// One array: where its pointer is, and how long it is.
typedef struct Slot {
    const char *name;
    PalVademecumKind kind;
    void *pointer;  // to a pointer
    int64_t count;
} Slot;

static int32_t list_body(PalVademecum *b, Slot *list)
{
    const PalVademecumSize *s = &b->size;
    const Slot slots[] = {
        {"nodes", PAL_VADEMECUM_DOUBLE, &b->nodes, 3 * (int64_t)s->node_count},
        {"node_number", PAL_VADEMECUM_INT32, &b->node_number, s->node_count},
        {"held", PAL_VADEMECUM_INT32, &b->held, s->node_count},
        {"cells", PAL_VADEMECUM_INT32, &b->cells, 4 * (int64_t)s->cell_count},
        {"cell_material", PAL_VADEMECUM_INT32, &b->cell_material, s->cell_count},
        {"triangles", PAL_VADEMECUM_INT32, &b->triangles, 3 * (int64_t)s->triangle_count},
        {"law", PAL_VADEMECUM_INT32, &b->law, PAL_LAW_WORDS * (int64_t)s->material_count},
        {"parameters", PAL_VADEMECUM_DOUBLE, &b->parameters,
         PAL_LAW_PARAMETER_MAX * (int64_t)s->material_count},
        {"heldout", PAL_VADEMECUM_DOUBLE, &b->heldout,
         PAL_HELDOUT_NUMBERS * (int64_t)s->heldout_count},
        {"grid", PAL_VADEMECUM_DOUBLE, &b->grid, 6},
        {"distance", PAL_VADEMECUM_FLOAT, &b->distance, grid_points(s)},
        {"field_start", PAL_VADEMECUM_INT32, &b->field_start,
         grid_points(s) > 0 ? pal_distances_block_count(s) + 1 : 0},
        {"field_space", PAL_VADEMECUM_FLOAT, &b->field_space,
         (int64_t)PAL_DISTANCES_POINTS * s->field_rank},
        {"field_site", PAL_VADEMECUM_FLOAT, &b->field_site,
         (int64_t)s->site_count * s->direction_count * s->field_rank},
    };
    memcpy(list, slots, sizeof slots);
    return (int32_t)(sizeof slots / sizeof *slots);
}

static int32_t list_answers(PalVademecum *b, Slot *list)
{
    const PalVademecumSize *s = &b->size;
    bool pgd = b->facts.method == PAL_VADEMECUM_PGD;
    bool normal = b->facts.directions == PAL_DIRECTIONS_NORMAL;
    int64_t pairs = (int64_t)s->site_count * s->direction_count, stride = s->stride;
    const Slot slots[] = {
        {"site", PAL_VADEMECUM_INT32, &b->site, s->site_count},
        {"direction", PAL_VADEMECUM_DOUBLE, &b->direction,
         3 * (int64_t)(normal ? s->site_count : s->direction_count)},
        {"level", PAL_VADEMECUM_DOUBLE, &b->level, s->level_count},
        {"modes", PAL_VADEMECUM_FLOAT, &b->modes, 3 * s->node_count * stride},
        {"coefficient", PAL_VADEMECUM_FLOAT, &b->coefficient,
         pgd ? 0 : pairs * s->level_count * stride},
        {"reached", PAL_VADEMECUM_FLOAT, &b->reached, pairs},
        {"site_factor", PAL_VADEMECUM_FLOAT, &b->site_factor, pgd ? 3 * s->site_count * stride : 0},
        {"direction_factor", PAL_VADEMECUM_FLOAT, &b->direction_factor,
         pgd ? 3 * s->direction_count * stride : 0},
        {"level_factor", PAL_VADEMECUM_FLOAT, &b->level_factor,
         pgd ? 3 * s->level_count * stride : 0},
        {"sample_cell", PAL_VADEMECUM_INT32, &b->sample_cell, s->sample_count},
        {"sample_weight", PAL_VADEMECUM_FLOAT, &b->sample_weight, s->sample_count},
        {"local_start", PAL_VADEMECUM_INT32, &b->local_start, (int64_t)s->node_count + 1},
        {"local_node", PAL_VADEMECUM_INT32, &b->local_node, s->local_count},
        {"local_block", PAL_VADEMECUM_FLOAT, &b->local_block, 9 * (int64_t)s->local_count},
    };
    memcpy(list, slots, sizeof slots);
    return (int32_t)(sizeof slots / sizeof *slots);
}

static int32_t list_slots(PalVademecum *book, Slot list[PAL_VADEMECUM_ARRAY_MAX])
{
    int32_t count = list_body(book, list);
    return count + list_answers(book, list + count);
}

static size_t kind_size(PalVademecumKind kind)
{
    return kind == PAL_VADEMECUM_DOUBLE ? 8 : 4;
}

bool pal_vademecum_fits(const PalVademecumSize *size, const PalVademecumFacts *facts,
                        uint64_t bytes)
{
    Slot list[PAL_VADEMECUM_ARRAY_MAX];
    PalVademecum none = {.size = *size, .facts = *facts};
    uint64_t sum = 0;
    if (!sizes_can_be(size))
        return false;
    int32_t count = list_slots(&none, list);
    for (int32_t i = 0; i < count; ++i)
        sum += (uint64_t)list[i].count * kind_size(list[i].kind);
    return sum <= bytes;
}

PalStatus pal_vademecum_create(const PalVademecumSize *size, const PalVademecumFacts *facts,
                               PalVademecum **result, PalError *error)
{
    Slot list[PAL_VADEMECUM_ARRAY_MAX];
    *result = NULL;
    if (!sizes_can_be(size))
        return pal_error_set(error, PAL_BAD_INPUT, "the sizes of this vademecum cannot be");
    PalVademecum *book = pal_alloc(1, sizeof *book);
    bool whole = book != NULL;
    if (whole) {
        book->size = *size;
        book->facts = *facts;
        book->materials = pal_alloc((size_t)size->material_count, sizeof *book->materials);
        whole = book->materials != NULL;
    }
    int32_t count = whole ? list_slots(book, list) : 0;
    for (int32_t i = 0; i < count && whole; ++i) {
        void *memory = pal_alloc((size_t)list[i].count, kind_size(list[i].kind));
        memcpy(list[i].pointer, &memory, sizeof memory);
        whole = memory != NULL;
    }
    if (!whole) {
        pal_vademecum_destroy(book);
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for a vademecum of %d nodes",
                             size->node_count);
    }
    *result = book;
    return PAL_OK;
}

void pal_vademecum_destroy(PalVademecum *book)
{
    Slot list[PAL_VADEMECUM_ARRAY_MAX];
    if (book == NULL)
        return;
    int32_t count = list_slots(book, list);
    for (int32_t i = 0; i < count; ++i) {
        void *memory;
        memcpy(&memory, list[i].pointer, sizeof memory);
        pal_free(memory);
    }
    pal_free(book->materials);
    pal_free(book);
}

int32_t pal_vademecum_arrays(PalVademecum *book, PalVademecumArray arrays[PAL_VADEMECUM_ARRAY_MAX])
{
    Slot list[PAL_VADEMECUM_ARRAY_MAX];
    int32_t count = list_slots(book, list);
    for (int32_t i = 0; i < count; ++i) {
        arrays[i] = (PalVademecumArray){list[i].name, list[i].kind, NULL, list[i].count};
        memcpy(&arrays[i].data, list[i].pointer, sizeof arrays[i].data);
    }
    return count;
}

const PalVademecumSize *pal_vademecum_size(const PalVademecum *book)
{
    return &book->size;
}

PalVademecumFacts *pal_vademecum_facts(PalVademecum *book)
{
    return &book->facts;
}

bool pal_vademecum_holds_tolerance(const PalVademecumFacts *facts)
{
    return facts->point.mean <= facts->tolerance;  // no number holds nothing
}

char *pal_vademecum_name(PalVademecum *book)
{
    return book->name;
}

size_t pal_vademecum_bytes(const PalVademecum *book)
{
    PalVademecum copy = *book;
    Slot list[PAL_VADEMECUM_ARRAY_MAX];
    int32_t count = list_slots(&copy, list);
    size_t bytes = sizeof *book + (size_t)book->size.material_count * sizeof *book->materials;
    for (int32_t i = 0; i < count; ++i)
        bytes += (size_t)list[i].count * kind_size(list[i].kind);
    return bytes;
}

int32_t pal_vademecum_mirrored(const PalVademecum *book, int32_t node, int32_t near)
{
    int32_t low = book->local_start[near], end = book->local_start[near + 1], high = end;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (book->local_node[middle] < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && book->local_node[low] == node ? low : PAL_NONE;
}

PalVec3 pal_vademecum_direction(const PalVademecum *book, int32_t site, int32_t direction)
{
    bool normal = book->facts.directions == PAL_DIRECTIONS_NORMAL;
    const double *d = book->direction + 3 * (int64_t)(normal ? site : direction);
    return pal_vec3(d[0], d[1], d[2]);
}

// Twice, outward, at rest.
static PalVec3 area_of(const PalVademecum *book, int32_t triangle)
{
    const int32_t *corner = book->triangles + 3 * (int64_t)triangle;
    PalVec3 a = pal_vademecum_node(book, corner[0]);
    return pal_vec3_cross(pal_vec3_sub(pal_vademecum_node(book, corner[1]), a),
                          pal_vec3_sub(pal_vademecum_node(book, corner[2]), a));
}

// Where the surface has this normal.
static double along_normal(const PalVademecum *book, PalVec3 outward, PalVec3 force)
{
    double size = pal_vec3_length(force);
    if (book->facts.directions == PAL_DIRECTIONS_XYZ || !(size > 0))
        return 1;
    PalVec3 learnt = book->facts.directions == PAL_DIRECTIONS_ONE
                         ? pal_vademecum_direction(book, 0, 0)
                         : pal_vec3_scale(-1, pal_vec3_normalise(outward));
    return fmin(1, fmax(-1, pal_vec3_dot(force, learnt) / size));
}

double pal_vademecum_along(const PalVademecum *book, const int32_t *triangles, int32_t count,
                           PalVec3 force)
{
    double most = -1;
    PalVec3 sum = {0, 0, 0};
    for (int32_t i = 0; i < count; ++i) {
        PalVec3 area = area_of(book, triangles[i]);
        sum = pal_vec3_add(sum, area);
        most = fmax(most, along_normal(book, area, force));
    }
    return fmax(most, along_normal(book, sum, force));
}
