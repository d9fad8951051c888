// Gmsh's MSH, versions 2.2 and 4.1. https://gmsh.info/doc/texinfo/gmsh.html, "Legacy formats" and
// "MSH file format"
//
// A group is a physical group of its name and of one tag in each dimension it has a share in:
// cells, facets, and single nodes as elements of one point.
#include "base/memory.h"
#include "mesh/cells.h"
#include "mesh/writers/write.h"

typedef struct Msh {
    PalWrite *write;
    PalSink *sink;
    bool binary;
    int32_t number;  // of the last element
} Msh;

// What is written of each part: points, facets, cells.
static const PalWrittenPart parts[] = {PAL_PART_NODES, PAL_PART_FACETS, PAL_PART_CELLS};

static int32_t dimension_of(const PalMesh *mesh, PalWrittenPart part)
{
    if (part == PAL_PART_NODES)
        return 0;
    return part == PAL_PART_CELLS && mesh->cell_kind != PAL_CELL_TRIANGLE ? 3 : 2;
}

// Gmsh's number of the element, its nodes and how many they are.
static int32_t element(const PalWrite *write, PalWrittenPart part, int32_t *item,
                       const int32_t **nodes, int32_t *count)
{
    static const int32_t cell_types[] = {2, 4, 5, 11};
    if (part == PAL_PART_NODES) {
        *nodes = item;
        *count = 1;
        return 15;
    }
    if (part == PAL_PART_CELLS) {
        *nodes = pal_mesh_cell(write->mesh, *item);
        *count = pal_cell_node_count(write->mesh->cell_kind);
        return cell_types[write->mesh->cell_kind];
    }
    *nodes = write->facets[*item];
    *count = (*nodes)[3] == PAL_NONE ? 3 : 4;
    return *count == 3 ? 2 : 3;
}

// Place of the a-th node in the file: Gmsh changes the last two edges of a quadratic tetrahedron.
static int32_t gmsh_order(int32_t type, int32_t a)
{
    return type == 11 && a >= 8 ? 17 - a : a;
}

static void put_int(Msh *msh, int32_t value)
{
    if (msh->binary) {
        pal_sink_put(msh->sink, &value, sizeof value);
    } else {
        pal_sink_int(msh->sink, value);
        pal_sink_text(msh->sink, " ");
    }
}

static void put_size(Msh *msh, int64_t value)
{
    if (msh->binary) {
        pal_sink_put(msh->sink, &value, sizeof value);
    } else {
        pal_sink_int(msh->sink, value);
        pal_sink_text(msh->sink, " ");
    }
}

static void put_double(Msh *msh, double value)
{
    if (msh->binary) {
        pal_sink_put(msh->sink, &value, sizeof value);
    } else {
        pal_sink_number(msh->sink, value);
        pal_sink_text(msh->sink, " ");
    }
}

static void end_line(Msh *msh)
{
    if (!msh->binary)
        pal_sink_text(msh->sink, "\n");
}

static void put_head(Msh *msh, const char *version)
{
    const int32_t one = 1;
    pal_sink_print(msh->sink, "$MeshFormat\n%s %d 8\n", version, msh->binary);
    if (msh->binary) {
        pal_sink_put(msh->sink, &one, sizeof one);
        pal_sink_text(msh->sink, "\n");
    }
    pal_sink_text(msh->sink, "$EndMeshFormat\n");
}

static void put_names(Msh *msh)
{
    const PalWrite *write = msh->write;
    int32_t count = 0;
    for (int pass = 0; pass < 2; ++pass) {
        if (pass == 1 && count > 0)
            pal_sink_print(msh->sink, "$PhysicalNames\n%d\n", count);
        for (int p = 0; p < 3; ++p)
            for (int32_t g = 0; g < write->group_count; ++g) {
                if (pal_write_part(&write->groups[g], parts[p])->count == 0)
                    continue;
                ++count;
                if (pass == 1)
                    pal_sink_print(msh->sink, "%d %d \"%s\"\n", dimension_of(write->mesh, parts[p]),
                                   g + 1, write->groups[g].name);
            }
        if (pass == 0 && count == 0)
            return;
    }
    pal_sink_text(msh->sink, "$EndPhysicalNames\n");
}

static PalStatus start(Msh *msh, PalWrite *write)
{
    *msh = (Msh){.write = write, .sink = &write->sink, .binary = !write->options->text};
    return pal_write_name_groups(write, "\"", false);
}

// ---- version 2.2 ----------------------------------------------------------------------------

// Elements are written once for each of their groups, as Gmsh does; cells in none once as well.
static int32_t copies(const PalSignatures *signatures, int32_t item, bool cells)
{
    int32_t count = 0;
    for (int32_t s = signatures->of_item[item]; s > 0; s = signatures->parent.items[s])
        ++count;
    return count == 0 && cells ? 1 : count;
}

static void put_element2(Msh *msh, PalWrittenPart part, int32_t item, int32_t physical)
{
    const int32_t *nodes;
    int32_t count, type = element(msh->write, part, &item, &nodes, &count);
    put_int(msh, ++msh->number);
    if (!msh->binary) {
        put_int(msh, type);
        put_int(msh, 2);
    }
    put_int(msh, physical);
    put_int(msh, physical > 0 ? physical : 1);
    for (int32_t a = 0; a < count; ++a)
        put_int(msh, nodes[gmsh_order(type, a)] + 1);
    end_line(msh);
}

// All elements of one part; in binary files each run of one type has a header.
static void put_part2(Msh *msh, PalWrittenPart part, const PalSignatures *signatures)
{
    int32_t total = pal_write_part_count(msh->write, part), run_type = 0, run_end = 0;
    bool cells = part == PAL_PART_CELLS;
    for (int32_t i = 0; i < total; ++i) {
        const int32_t *nodes;
        int32_t width, item = i, type = element(msh->write, part, &item, &nodes, &width);
        int32_t count = copies(signatures, i, cells);
        if (count == 0)
            continue;
        if (msh->binary && (type != run_type || i >= run_end)) {
            int32_t length = 0;
            for (run_end = i; run_end < total; ++run_end) {
                int32_t next = run_end;
                if (element(msh->write, part, &next, &nodes, &width) != type)
                    break;
                length += copies(signatures, run_end, cells);
            }
            run_type = type;
            put_int(msh, type);
            put_int(msh, length);
            put_int(msh, 2);
        }
        // the last group of the chain comes first in the file
        for (int32_t k = count - 1; k >= 0; --k) {
            int32_t s = signatures->of_item[i];
            for (int32_t step = 0; step < k; ++step)
                s = signatures->parent.items[s];
            put_element2(msh, part, i, s > 0 ? signatures->group.items[s] + 1 : 0);
        }
    }
}

static void put_nodes2(Msh *msh)
{
    const PalMesh *mesh = msh->write->mesh;
    pal_sink_print(msh->sink, "$Nodes\n%d\n", mesh->node_count);
    for (int32_t n = 0; n < mesh->node_count; ++n) {
        put_int(msh, n + 1);
        put_double(msh, mesh->nodes[n].x);
        put_double(msh, mesh->nodes[n].y);
        put_double(msh, mesh->nodes[n].z);
        end_line(msh);
    }
    pal_sink_print(msh->sink, "%s$EndNodes\n", msh->binary ? "\n" : "");
}

PalStatus pal_write_msh2(PalWrite *write)
{
    Msh msh;
    PAL_TRY(start(&msh, write));
    PalSignatures signatures[3] = {0};
    PalStatus status = PAL_OK;
    int64_t total = 0;
    for (int p = 0; p < 3 && status == PAL_OK; ++p) {
        status = pal_signatures_make(write, parts[p], &signatures[p]);
        for (int32_t i = 0; i < pal_write_part_count(write, parts[p]) && status == PAL_OK; ++i)
            total += copies(&signatures[p], i, parts[p] == PAL_PART_CELLS);
    }
    if (status == PAL_OK && total > INT32_MAX)
        status = pal_error_set(write->error, PAL_BAD_INPUT,
                               "%s: more elements than MSH 2.2 can count; write 4.1", write->path);
    if (status == PAL_OK) {
        put_head(&msh, "2.2");
        put_names(&msh);
        put_nodes2(&msh);
        pal_sink_print(msh.sink, "$Elements\n%lld\n", (long long)total);
        for (int p = 0; p < 3; ++p)
            put_part2(&msh, parts[p], &signatures[p]);
        pal_sink_print(msh.sink, "%s$EndElements\n", msh.binary ? "\n" : "");
    }
    for (int p = 0; p < 3; ++p)
        pal_signatures_clear(&signatures[p]);
    return status;
}

// ---- version 4.1 ----------------------------------------------------------------------------

// Items in the same groups form an entity; its tag is the signature + 1.
typedef struct Entities {
    PalSignatures signatures;
    int32_t *order;  // of the items: cells keep theirs, the rest is sorted into few blocks
    bool *used;      // by signature
    int32_t count;
    int32_t block_count;
    int64_t element_count;
    PalBounds bounds;
} Entities;

static bool is_written(PalWrittenPart part, int32_t signature)
{
    return part == PAL_PART_CELLS || signature > 0;
}

static int32_t type_of(const PalWrite *write, PalWrittenPart part, int32_t item)
{
    const int32_t *nodes;
    int32_t count;
    return element(write, part, &item, &nodes, &count);
}

// The end of the run of places in the order, from `first` on, that share entity and type.
static int32_t run_end(const PalWrite *write, PalWrittenPart part, const Entities *entities,
                       int32_t first)
{
    const int32_t *of_item = entities->signatures.of_item, *order = entities->order;
    int32_t total = pal_write_part_count(write, part), i = first;
    int32_t type = type_of(write, part, order[first]);
    while (i < total && of_item[order[i]] == of_item[order[first]] &&
           type_of(write, part, order[i]) == type)
        ++i;
    return i;
}

static bool order_items(const PalWrite *write, PalWrittenPart part, Entities *entities)
{
    int32_t total = pal_write_part_count(write, part);
    entities->order = pal_alloc((size_t)total, sizeof *entities->order);
    int32_t *keys = pal_alloc((size_t)total, 2 * sizeof *keys);
    bool good = entities->order != NULL && keys != NULL;
    for (int32_t i = 0; i < total && good; ++i) {
        entities->order[i] = i;
        keys[2 * (size_t)i] = entities->signatures.of_item[i];
        keys[2 * (size_t)i + 1] = type_of(write, part, i);
    }
    if (good && part != PAL_PART_CELLS)
        good = pal_rows_order(keys, total, 2, entities->order);
    pal_free(keys);
    return good;
}

static PalStatus make_entities(const PalWrite *write, PalWrittenPart part, Entities *entities)
{
    PAL_TRY(pal_signatures_make(write, part, &entities->signatures));
    const PalSignatures *signatures = &entities->signatures;
    entities->used = pal_alloc((size_t)signatures->count, sizeof *entities->used);
    if (entities->used == NULL || !order_items(write, part, entities))
        return pal_write_no_memory(write);
    int32_t total = pal_write_part_count(write, part);
    for (int32_t i = 0, end; i < total; i = end) {
        int32_t s = signatures->of_item[entities->order[i]];
        end = run_end(write, part, entities, i);
        if (!is_written(part, s))
            continue;
        entities->count += !entities->used[s];
        entities->used[s] = true;
        ++entities->block_count;
        entities->element_count += end - i;
    }
    entities->bounds = pal_mesh_bounds(write->mesh);
    return PAL_OK;
}

static void put_entity(Msh *msh, const Entities *entities, int32_t dimension, int32_t s)
{
    const PalBounds *b = &entities->bounds;
    put_int(msh, s + 1);
    put_double(msh, b->lower.x);
    put_double(msh, b->lower.y);
    put_double(msh, b->lower.z);
    if (dimension > 0) {
        put_double(msh, b->upper.x);
        put_double(msh, b->upper.y);
        put_double(msh, b->upper.z);
    }
    int32_t count = 0;
    const PalSignatures *signatures = &entities->signatures;
    for (int32_t t = s; t > 0; t = signatures->parent.items[t])
        ++count;
    // tag 0, which names nothing, where other entities have a tag: some readers want all or none
    bool zero = count == 0 && msh->write->group_count > 0;
    put_size(msh, zero ? 1 : count);
    if (zero)
        put_int(msh, 0);
    for (int32_t t = s; t > 0; t = signatures->parent.items[t])
        put_int(msh, signatures->group.items[t] + 1);
    if (dimension > 0)
        put_size(msh, 0);
    end_line(msh);
}

static void put_entities(Msh *msh, const Entities entities[3])
{
    const PalMesh *mesh = msh->write->mesh;
    int64_t counts[4] = {0};
    for (int p = 0; p < 3; ++p)
        counts[dimension_of(mesh, parts[p])] += entities[p].count;
    pal_sink_text(msh->sink, "$Entities\n");
    for (int d = 0; d < 4; ++d)
        put_size(msh, counts[d]);
    end_line(msh);
    for (int p = 0; p < 3; ++p)
        for (int32_t s = 0; s < entities[p].signatures.count; ++s)
            if (entities[p].used[s])
                put_entity(msh, &entities[p], dimension_of(mesh, parts[p]), s);
    pal_sink_print(msh->sink, "%s$EndEntities\n", msh->binary ? "\n" : "");
}

// One block, of the entity of the first cell.
static void put_nodes4(Msh *msh, int32_t entity)
{
    const PalMesh *mesh = msh->write->mesh;
    pal_sink_text(msh->sink, "$Nodes\n");
    put_size(msh, 1);
    put_size(msh, mesh->node_count);
    put_size(msh, 1);
    put_size(msh, mesh->node_count);
    end_line(msh);
    put_int(msh, dimension_of(mesh, PAL_PART_CELLS));
    put_int(msh, entity);
    put_int(msh, 0);
    put_size(msh, mesh->node_count);
    end_line(msh);
    for (int32_t n = 0; n < mesh->node_count; ++n) {
        put_size(msh, n + 1);
        end_line(msh);
    }
    for (int32_t n = 0; n < mesh->node_count; ++n) {
        put_double(msh, mesh->nodes[n].x);
        put_double(msh, mesh->nodes[n].y);
        put_double(msh, mesh->nodes[n].z);
        end_line(msh);
    }
    pal_sink_print(msh->sink, "%s$EndNodes\n", msh->binary ? "\n" : "");
}

static void put_blocks(Msh *msh, PalWrittenPart part, const Entities *entities, int64_t *number)
{
    const PalWrite *write = msh->write;
    int32_t total = pal_write_part_count(write, part);
    for (int32_t i = 0, end; i < total; i = end) {
        int32_t s = entities->signatures.of_item[entities->order[i]];
        end = run_end(write, part, entities, i);
        if (!is_written(part, s))
            continue;
        put_int(msh, dimension_of(write->mesh, part));
        put_int(msh, s + 1);
        put_int(msh, type_of(write, part, entities->order[i]));
        put_size(msh, end - i);
        end_line(msh);
        for (int32_t e = i; e < end; ++e) {
            const int32_t *nodes;
            int32_t item = entities->order[e], count;
            int32_t type = element(write, part, &item, &nodes, &count);
            put_size(msh, ++*number);
            for (int32_t a = 0; a < count; ++a)
                put_size(msh, nodes[gmsh_order(type, a)] + 1);
            end_line(msh);
        }
    }
}

static void put_elements4(Msh *msh, const Entities entities[3])
{
    int64_t blocks = 0, elements = 0, number = 0;
    for (int p = 0; p < 3; ++p) {
        blocks += entities[p].block_count;
        elements += entities[p].element_count;
    }
    pal_sink_text(msh->sink, "$Elements\n");
    put_size(msh, blocks);
    put_size(msh, elements);
    put_size(msh, elements > 0);
    put_size(msh, elements);
    end_line(msh);
    for (int p = 0; p < 3; ++p)
        put_blocks(msh, parts[p], &entities[p], &number);
    pal_sink_print(msh->sink, "%s$EndElements\n", msh->binary ? "\n" : "");
}

PalStatus pal_write_msh4(PalWrite *write)
{
    Msh msh;
    PAL_TRY(start(&msh, write));
    Entities entities[3] = {0};
    PalStatus status = PAL_OK;
    for (int p = 0; p < 3 && status == PAL_OK; ++p)
        status = make_entities(write, parts[p], &entities[p]);
    if (status == PAL_OK) {
        int32_t first = write->mesh->cell_count > 0 ? entities[2].signatures.of_item[0] + 1 : 1;
        put_head(&msh, "4.1");
        put_names(&msh);
        put_entities(&msh, entities);
        put_nodes4(&msh, first);
        put_elements4(&msh, entities);
    }
    for (int p = 0; p < 3; ++p) {
        pal_signatures_clear(&entities[p].signatures);
        pal_free(entities[p].used);
        pal_free(entities[p].order);
    }
    return status;
}
