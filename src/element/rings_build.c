// Finding the rings around edges, and laying them out: first ring by ring, in the order in which
// elements meet their edges, then in chunks whose nodes fit the first-level cache, rings of one
// size side by side.   docs/theory/elements.md, 9
#include "element/rings.h"

#include "base/memory.h"
#include "element/build.h"
#include "element/work.h"

#include <string.h>

// A chunk has a 32nd of all rings, but not fewer or more than these.
enum { CHUNK_LEAST = 128, CHUNK_MOST = 2048, CHUNKS = 32 };

static const int ends[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

// Rings as they are found. Rows have room for each element's nodes; those that are not taken yet
// are PAL_NONE.
typedef struct Rows {
    PalElements *elements;
    int32_t count;
    int32_t *start, *size, *own, *node;
    PalLanes *gradient;
    double *volume;
    // Edges of a part by their lower node; rows likewise.
    int32_t *edge_start, *edge_other, *edge_ring;
} Rows;

// An element at work: which batch and lane, and its nodes in the model.
typedef struct Lane {
    int32_t batch, lane;
    const PalT4Batch *data;
    int32_t node[4];
} Lane;

typedef void (*LaneVisitor)(Rows *rows, const Lane *lane);

// All elements of a part that has rings, in their order.
static void visit_lanes(Rows *rows, int32_t part, LaneVisitor visit)
{
    const PalElements *elements = rows->elements;
    for (int32_t b = 0; b < elements->block_count; ++b) {
        const PalBlock *block = &elements->blocks[b];
        const int32_t *nodes = elements->block_nodes + block->first_node;
        for (int32_t k = 0; block->part == part && k < block->batch_count * PAL_LANES; ++k) {
            if (elements->numbers[block->first_number + k] == PAL_NONE)
                continue;
            Lane lane = {.batch = block->first_number / PAL_LANES + k / PAL_LANES,
                         .lane = k % PAL_LANES,
                         .data = pal_block_data(elements, block, k / PAL_LANES)};
            for (int a = 0; a < 4; ++a)
                lane.node[a] = nodes[lane.data->corner[a][lane.lane] / 4];
            visit(rows, &lane);
        }
    }
}

static void find_ends(const Lane *lane, int k, int32_t *low, int32_t *high)
{
    int32_t a = lane->node[ends[k][0]], b = lane->node[ends[k][1]];
    *low = a < b ? a : b;
    *high = a < b ? b : a;
}

// ---- edges ------------------------------------------------------------------------------

static void count_edges(Rows *rows, const Lane *lane)
{
    for (int k = 0; k < 6; ++k) {
        int32_t low, high;
        find_ends(lane, k, &low, &high);
        ++rows->edge_start[low + 1];
    }
}

static void number_edges(Rows *rows, const Lane *lane)
{
    for (int k = 0; k < 6; ++k) {
        int32_t low, high;
        find_ends(lane, k, &low, &high);
        int32_t at = rows->edge_start[low];
        while (rows->edge_other[at] != high && rows->edge_other[at] != PAL_NONE)
            ++at;
        if (rows->edge_other[at] == PAL_NONE) {
            rows->edge_other[at] = high;
            rows->edge_ring[at] = rows->count++;
        }
        rows->elements->ring_of[lane->batch][k][lane->lane] = rows->edge_ring[at];
    }
}

static PalStatus find_edges(Rows *rows, int32_t part)
{
    const int32_t node_count = rows->elements->node_count;
    PalStatus status = PAL_NO_MEMORY;
    rows->edge_start = pal_alloc((size_t)node_count + 1, sizeof *rows->edge_start);
    if (rows->edge_start != NULL) {
        visit_lanes(rows, part, count_edges);
        for (int32_t n = 0; n < node_count; ++n)
            rows->edge_start[n + 1] += rows->edge_start[n];
        size_t room = (size_t)rows->edge_start[node_count];
        rows->edge_other = pal_alloc(room, sizeof *rows->edge_other);
        rows->edge_ring = pal_alloc(room, sizeof *rows->edge_ring);
        if (rows->edge_other != NULL && rows->edge_ring != NULL) {
            for (size_t k = 0; k < room; ++k)
                rows->edge_other[k] = PAL_NONE;
            visit_lanes(rows, part, number_edges);
            status = PAL_OK;
        }
    }
    pal_free(rows->edge_start);
    pal_free(rows->edge_other);
    pal_free(rows->edge_ring);
    rows->edge_start = rows->edge_other = rows->edge_ring = NULL;
    return status;
}

// ---- their nodes ------------------------------------------------------------------------

static void count_nodes(Rows *rows, const Lane *lane)
{
    for (int k = 0; k < 6; ++k) {
        int32_t low, high, ring = rows->elements->ring_of[lane->batch][k][lane->lane];
        find_ends(lane, k, &low, &high);
        rows->own[ring] = low;
        rows->start[ring + 1] += 3;
    }
}

static void add_gradients(Rows *rows, const Lane *lane)
{
    const double V = lane->data->V[lane->lane];
    PalLanes g[4] = {{0}};
    for (int a = 1; a < 4; ++a) {
        const PalLanes *from = lane->data->g[a - 1];
        g[a] = (PalLanes){from[0][lane->lane], from[1][lane->lane], from[2][lane->lane], 0};
        g[0] -= g[a];
    }
    for (int k = 0; k < 6; ++k) {
        int32_t ring = rows->elements->ring_of[lane->batch][k][lane->lane];
        rows->volume[ring] += V / 6;
        for (int a = 0; a < 4; ++a) {
            int32_t at = rows->start[ring];
            if (lane->node[a] == rows->own[ring])
                continue;
            while (rows->node[at] != lane->node[a] && rows->node[at] != PAL_NONE)
                ++at;
            rows->size[ring] += rows->node[at] == PAL_NONE;
            rows->node[at] = lane->node[a];
            rows->gradient[at] += V / 6 * g[a];
        }
    }
}

static void visit_parts(Rows *rows, LaneVisitor visit)
{
    for (int32_t p = 0; p < rows->elements->part_count; ++p)
        if (rows->elements->parts[p].rings)
            visit_lanes(rows, p, visit);
}

static PalStatus gather_rows(Rows *rows)
{
    const size_t count = (size_t)rows->count;
    rows->start = pal_alloc(count + 1, sizeof *rows->start);
    rows->size = pal_alloc(count, sizeof *rows->size);
    rows->own = pal_alloc(count, sizeof *rows->own);
    rows->volume = pal_alloc(count, sizeof *rows->volume);
    if (rows->start == NULL || rows->size == NULL || rows->own == NULL || rows->volume == NULL)
        return PAL_NO_MEMORY;
    visit_parts(rows, count_nodes);
    for (int32_t r = 0; r < rows->count; ++r)
        rows->start[r + 1] += rows->start[r];
    const size_t room = (size_t)rows->start[rows->count];
    rows->node = pal_alloc(room, sizeof *rows->node);
    rows->gradient = pal_alloc(room, sizeof *rows->gradient);
    if (rows->node == NULL || rows->gradient == NULL)
        return PAL_NO_MEMORY;
    for (size_t k = 0; k < room; ++k)
        rows->node[k] = PAL_NONE;
    visit_parts(rows, add_gradients);
    for (int32_t r = 0; r < rows->count; ++r)
        for (int32_t k = 0; k < rows->size[r]; ++k)
            rows->gradient[rows->start[r] + k] /= rows->volume[r];
    return PAL_OK;
}

// ---- chunks -----------------------------------------------------------------------------

// Cutting rows into chunks. `first_row` and `row_count` are those of each part.
typedef struct Cut {
    Rows *rows;
    PalElements *elements;
    int32_t *first_row, *row_count;
    int32_t *chunk_of, *place;  // per node: the last chunk that has it, and where
    int32_t *order;             // rows of a chunk by their size
    int32_t *ring;              // per row: which ring it becomes
    int32_t *row;               // per ring, likewise; PAL_NONE: none
} Cut;

// Gives a node a place among those of a chunk; true if it is new there.
static bool meet_node(Cut *cut, int32_t chunk, int32_t node, int32_t *count)
{
    if (cut->chunk_of[node] == chunk)
        return false;
    cut->chunk_of[node] = chunk;
    cut->place[node] = (*count)++;
    return true;
}

// Places that the nodes of a row would add to a chunk at most.
static int32_t new_nodes(const Cut *cut, int32_t chunk, int32_t row)
{
    const Rows *rows = cut->rows;
    int32_t count = cut->chunk_of[rows->own[row]] != chunk;
    for (int32_t k = 0; k < rows->size[row]; ++k)
        count += cut->chunk_of[rows->node[rows->start[row] + k]] != chunk;
    return count;
}

// Rows from `first` on that fit a chunk with nodes of its own; lists these where there is room.
static int32_t fill_chunk(Cut *cut, int32_t chunk, int32_t first, int32_t most, int32_t *nodes,
                          int32_t *node_count)
{
    const Rows *rows = cut->rows;
    int32_t taken = 0;
    *node_count = 0;
    for (; taken < most; ++taken) {
        const int32_t row = first + taken;
        if (*node_count + new_nodes(cut, chunk, row) > PAL_BLOCK_NODES)
            break;
        for (int32_t k = -1; k < rows->size[row]; ++k) {
            int32_t node = k < 0 ? rows->own[row] : rows->node[rows->start[row] + k];
            if (meet_node(cut, chunk, node, node_count) && nodes != NULL)
                nodes[*node_count - 1] = node;
        }
    }
    return taken;
}

// Sorts a chunk's rows by size, and deals out those of one size so that neighbours in a batch come
// from distant places: they rarely add to one node in a row.
static void deal(Cut *cut, const PalRingChunk *chunk, int32_t first_row)
{
    const Rows *rows = cut->rows;
    int32_t batch = 0, left_count = 0, left[PAL_LANES];
    for (int32_t size = 0; size < PAL_BLOCK_NODES; ++size) {
        int32_t count = left_count;
        for (int32_t k = 0; k < left_count; ++k)
            cut->order[k] = left[k];
        for (int32_t k = 0; k < chunk->count; ++k)
            if (rows->size[first_row + k] == size)
                cut->order[count++] = first_row + k;
        const int32_t batches = count / PAL_LANES;
        for (int32_t k = 0; k < batches * PAL_LANES; ++k)
            cut->ring[cut->order[k % PAL_LANES * batches + k / PAL_LANES]] =
                chunk->first + batch * PAL_LANES + k;
        batch += batches;
        left_count = count - batches * PAL_LANES;
        for (int32_t k = 0; k < left_count; ++k)
            left[k] = cut->order[batches * PAL_LANES + k];
    }
    for (int32_t k = 0; k < left_count; ++k)
        cut->ring[left[k]] = chunk->first + batch * PAL_LANES + k;
}

// All chunks, counted where there is no room for them yet; their nodes are listed one chunk after
// the other. False: a ring has more nodes than a chunk can hold.
static bool cut_chunks(Cut *cut, bool lists)
{
    PalElements *elements = cut->elements;
    int32_t chunk = 0, ring = 0, node = 0;
    for (int32_t n = 0; n < elements->node_count; ++n)
        cut->chunk_of[n] = PAL_NONE;
    for (int32_t p = 0; p < elements->part_count; ++p) {
        const int32_t all = cut->row_count[p], share = all / CHUNKS;
        const int32_t most = share < CHUNK_LEAST  ? CHUNK_LEAST
                             : share < CHUNK_MOST ? share
                                                  : CHUNK_MOST;
        elements->parts[p].first_ring = ring;
        for (int32_t row = 0; row < all; ++chunk) {
            PalRingChunk found = {.part = p, .first = ring, .first_node = node};
            const int32_t rest = all - row, first_row = cut->first_row[p] + row;
            found.count =
                fill_chunk(cut, chunk, first_row, rest < most ? rest : most,
                           lists ? elements->ring_chunk_nodes + node : NULL, &found.node_count);
            if (found.count == 0)
                return false;
            if (lists) {
                elements->ring_chunks[chunk] = found;
                deal(cut, &found, first_row);
            }
            row += found.count;
            node += found.node_count;
            ring += (found.count + PAL_LANES - 1) / PAL_LANES * PAL_LANES;
        }
        elements->parts[p].ring_count = ring - elements->parts[p].first_ring;
    }
    elements->ring_chunk_count = chunk;
    elements->ring_count = ring;
    elements->ring_chunk_node_count = node;
    return true;
}

// ---- laying out -------------------------------------------------------------------------

static int32_t longest(const Cut *cut, int32_t batch)
{
    int32_t most = 0;
    for (int l = 0; l < PAL_LANES; ++l) {
        int32_t row = cut->row[batch * PAL_LANES + l];
        if (row != PAL_NONE && cut->rows->size[row] > most)
            most = cut->rows->size[row];
    }
    return most;
}

static PalStatus take_arrays(const Cut *cut)
{
    PalElements *elements = cut->elements;
    const int64_t rings = elements->ring_count, batches = rings / PAL_LANES;
    elements->ring_size = pal_elements_take(elements, rings, sizeof(int32_t));
    elements->ring_own = pal_elements_take(elements, rings, sizeof(int32_t));
    elements->ring_volume = pal_elements_take(elements, rings, sizeof(double));
    elements->ring_start = pal_elements_take(elements, batches + 1, sizeof(int32_t));
    elements->ring_base = pal_elements_take(elements, batches, sizeof *elements->ring_base);
    if (elements->ring_size == NULL || elements->ring_own == NULL ||
        elements->ring_volume == NULL || elements->ring_start == NULL ||
        elements->ring_base == NULL)
        return PAL_NO_MEMORY;
    for (int32_t b = 0; b < batches; ++b)
        elements->ring_start[b + 1] = elements->ring_start[b] + longest(cut, b);
    const int64_t members = elements->ring_start[batches];
    elements->ring_node = pal_elements_take(elements, members, sizeof *elements->ring_node);
    elements->ring_gradient = pal_elements_take(elements, members, sizeof *elements->ring_gradient);
    elements->ring_corner = pal_elements_take(elements, members, sizeof *elements->ring_corner);
    return elements->ring_node != NULL && elements->ring_gradient != NULL &&
                   elements->ring_corner != NULL
               ? PAL_OK
               : PAL_NO_MEMORY;
}

// One ring into its lane; `place` has the places of the chunk's nodes. A lane without one gets the
// first node of the chunk and no gradients.
static void lay_out_ring(const Cut *cut, const PalRingChunk *chunk, int32_t ring)
{
    PalElements *elements = cut->elements;
    const Rows *rows = cut->rows;
    const int32_t batch = ring / PAL_LANES, l = ring % PAL_LANES, row = cut->row[ring];
    const int32_t size = row != PAL_NONE ? rows->size[row] : 0;
    const int32_t own =
        row != PAL_NONE ? rows->own[row] : elements->ring_chunk_nodes[chunk->first_node];
    elements->ring_own[ring] = own;
    elements->ring_size[ring] = row != PAL_NONE ? size + 1 : 0;
    elements->ring_volume[ring] = row != PAL_NONE ? rows->volume[row] : 0;
    elements->ring_base[batch][l] = (uint16_t)(4 * cut->place[own]);
    for (int32_t m = elements->ring_start[batch]; m < elements->ring_start[batch + 1]; ++m) {
        const int32_t k = m - elements->ring_start[batch];
        const int32_t node = k < size ? rows->node[rows->start[row] + k] : PAL_NONE;
        elements->ring_node[m][l] = node;
        elements->ring_corner[m][l] = (uint16_t)(4 * cut->place[node != PAL_NONE ? node : own]);
        for (int j = 0; j < 3; ++j)
            elements->ring_gradient[m][j][l] =
                k < size ? rows->gradient[rows->start[row] + k][j] : 0;
    }
}

static void lay_out(const Cut *cut)
{
    PalElements *elements = cut->elements;
    for (int32_t c = 0; c < elements->ring_chunk_count; ++c) {
        const PalRingChunk *chunk = &elements->ring_chunks[c];
        for (int32_t n = 0; n < chunk->node_count; ++n)
            cut->place[elements->ring_chunk_nodes[chunk->first_node + n]] = n;
        const int32_t lanes = (chunk->count + PAL_LANES - 1) / PAL_LANES * PAL_LANES;
        for (int32_t k = 0; k < lanes; ++k)
            lay_out_ring(cut, chunk, chunk->first + k);
    }
}

// Elements learn the numbers that rows have become; lanes without an element get the first ring of
// the part.
static void renumber(const Cut *cut)
{
    PalElements *elements = cut->elements;
    for (int32_t b = 0; b < elements->block_count; ++b) {
        const PalBlock *block = &elements->blocks[b];
        const PalPart *part = &elements->parts[block->part];
        for (int32_t k = 0; part->rings && k < block->batch_count * PAL_LANES; ++k)
            for (int e = 0; e < 6; ++e) {
                int32_t *ring = &elements->ring_of[block->first_number / PAL_LANES + k / PAL_LANES]
                                                  [e][k % PAL_LANES];
                *ring = elements->numbers[block->first_number + k] != PAL_NONE ? cut->ring[*ring]
                                                                               : part->first_ring;
            }
    }
}

static PalStatus list_slots(PalElements *elements)
{
    const int32_t count = elements->ring_chunk_node_count;
    int32_t *start = pal_elements_take(elements, (int64_t)elements->node_count + 1, sizeof *start);
    elements->ring_slot_start = start;
    elements->ring_slots =
        pal_elements_take(elements, count + PAL_RING_SLOTS_AHEAD + 1, sizeof(int32_t));
    if (start == NULL || elements->ring_slots == NULL)
        return PAL_NO_MEMORY;
    for (int32_t k = 0; k < count; ++k)
        ++start[elements->ring_chunk_nodes[k] + 1];
    for (int32_t n = 0; n < elements->node_count; ++n)
        start[n + 1] += start[n];
    for (int32_t k = 0; k < count; ++k)
        elements->ring_slots[start[elements->ring_chunk_nodes[k]]++] = k;
    for (int32_t n = elements->node_count; n > 0; --n)
        start[n] = start[n - 1];
    start[0] = 0;
    return PAL_OK;
}

static PalStatus arrange(Cut *cut, PalError *error)
{
    PalElements *elements = cut->elements;
    if (!cut_chunks(cut, false))
        return pal_error_set(error, PAL_BAD_INPUT,
                             "more than %d cells share an edge, which element mixed cannot have; "
                             "mesh the body more evenly, or use t4-anp",
                             PAL_BLOCK_NODES - 2);
    elements->ring_chunks =
        pal_elements_take(elements, elements->ring_chunk_count, sizeof *elements->ring_chunks);
    elements->ring_chunk_nodes =
        pal_elements_take(elements, elements->ring_chunk_node_count, sizeof(int32_t));
    cut->row = pal_alloc((size_t)elements->ring_count, sizeof *cut->row);
    if (elements->ring_chunks == NULL || elements->ring_chunk_nodes == NULL || cut->row == NULL)
        return PAL_NO_MEMORY;
    cut_chunks(cut, true);
    for (int32_t r = 0; r < elements->ring_count; ++r)
        cut->row[r] = PAL_NONE;
    for (int32_t k = 0; k < cut->rows->count; ++k)
        cut->row[cut->ring[k]] = k;
    PAL_TRY(take_arrays(cut));
    lay_out(cut);
    renumber(cut);
    return list_slots(elements);
}

static PalStatus find_rings(Cut *cut, PalError *error)
{
    const PalElements *elements = cut->elements;
    Rows *rows = cut->rows;
    for (int32_t p = 0; p < elements->part_count; ++p) {
        cut->first_row[p] = rows->count;
        if (elements->parts[p].rings)
            PAL_TRY(find_edges(rows, p));
        cut->row_count[p] = rows->count - cut->first_row[p];
    }
    PAL_TRY(gather_rows(rows));
    cut->ring = pal_alloc((size_t)rows->count, sizeof *cut->ring);
    return cut->ring != NULL ? arrange(cut, error) : PAL_NO_MEMORY;
}

static PalStatus build(PalElements *elements, PalError *error)
{
    Rows rows = {.elements = elements};
    Cut cut = {.rows = &rows, .elements = elements};
    const size_t nodes = (size_t)elements->node_count, parts = (size_t)elements->part_count;
    cut.first_row = pal_alloc(parts, sizeof(int32_t));
    cut.row_count = pal_alloc(parts, sizeof(int32_t));
    cut.chunk_of = pal_alloc(nodes, sizeof(int32_t));
    cut.place = pal_alloc(nodes, sizeof(int32_t));
    cut.order = pal_alloc(CHUNK_MOST + PAL_LANES, sizeof(int32_t));
    bool room = cut.first_row != NULL && cut.row_count != NULL && cut.chunk_of != NULL &&
                cut.place != NULL && cut.order != NULL;
    PalStatus status = room ? find_rings(&cut, error) : PAL_NO_MEMORY;
    void *const owned[] = {rows.start,  rows.size,     rows.own,      rows.node,    rows.gradient,
                           rows.volume, cut.first_row, cut.row_count, cut.chunk_of, cut.place,
                           cut.order,   cut.ring,      cut.row};
    for (size_t k = 0; k < sizeof owned / sizeof owned[0]; ++k)
        pal_free(owned[k]);
    return status;
}

PalStatus pal_elements_build_rings(PalElements *elements, PalError *error)
{
    bool wanted = false;
    for (int32_t p = 0; p < elements->part_count; ++p)
        wanted |= elements->parts[p].rings && elements->parts[p].element_count > 0;
    if (!wanted)
        return PAL_OK;
    elements->ring_of =
        pal_elements_take(elements, elements->lane_count / PAL_LANES, sizeof *elements->ring_of);
    return elements->ring_of != NULL ? build(elements, error) : PAL_NO_MEMORY;
}
