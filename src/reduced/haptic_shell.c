// Nested points: clusters of surface nodes, halved along their longest side. Each is looked at by
// one of its points, and its parts only where that one comes near.
#include "reduced/haptic_body.h"

#include "base/memory.h"
#include <math.h>

#define LEAF_POINTS 6
#define PATCHES     96

static void bounds_of(const PalHapticBody *body, int32_t first, int32_t count, PalBounds *box)
{
    *box = (PalBounds){body->rest[body->order[first]], body->rest[body->order[first]]};
    for (int32_t i = first + 1; i < first + count; ++i) {
        PalVec3 p = body->rest[body->order[i]];
        box->lower =
            pal_vec3(fmin(box->lower.x, p.x), fmin(box->lower.y, p.y), fmin(box->lower.z, p.z));
        box->upper =
            pal_vec3(fmax(box->upper.x, p.x), fmax(box->upper.y, p.y), fmax(box->upper.z, p.z));
    }
}

// How much a displacement by |q| = 1 can differ between two nodes: no more than this norm.
static double spread_between(const PalHapticBody *body, int32_t a, int32_t b)
{
    if (body->mode_count == 0)
        return 0;
    const float *row_a = body->rows + (int64_t)3 * a * body->stride;
    const float *row_b = body->rows + (int64_t)3 * b * body->stride;
    double sum = 0;
    for (int32_t k = 0; k < 3 * body->stride; ++k) {
        double difference = (double)row_a[k] - (double)row_b[k];
        sum += difference * difference;
    }
    return sqrt(sum);
}

static void describe(PalHapticBody *body, PalHapticCluster *cluster, PalVec3 middle)
{
    double least = INFINITY, radius = 0, spread = 0;
    for (int32_t i = cluster->first; i < cluster->first + cluster->count; ++i) {
        double distance = pal_vec3_distance(body->rest[body->order[i]], middle);
        if (distance < least) {
            least = distance;
            cluster->point = body->order[i];
        }
    }
    for (int32_t i = cluster->first; i < cluster->first + cluster->count; ++i) {
        int32_t node = body->order[i];
        radius = fmax(radius, pal_vec3_distance(body->rest[node], body->rest[cluster->point]));
        spread = fmax(spread, spread_between(body, node, cluster->point));
    }
    cluster->radius = (float)(1.0001 * radius);
    cluster->spread = (float)(1.0001 * spread);
}

static int32_t part(PalHapticBody *body, const PalHapticCluster *cluster, int axis, double middle)
{
    int32_t below = 0, *items = body->order + cluster->first;
    for (int32_t i = 0; i < cluster->count; ++i)
        if (pal_vec3_at(body->rest[items[i]], axis) < middle) {
            int32_t other = items[below];
            items[below++] = items[i];
            items[i] = other;
        }
    return below > 0 && below < cluster->count ? below : cluster->count / 2;
}

// The largest clusters that have few enough points; children follow their parents.
static bool choose_patches(PalHapticBody *body)
{
    size_t count = (size_t)body->cluster_count;
    bool *covered = pal_alloc(count, sizeof *covered);
    body->patches = pal_alloc(count, sizeof *body->patches);
    if (covered == NULL || body->patches == NULL) {
        pal_free(covered);
        return false;
    }
    for (int32_t c = 0; c < body->cluster_count; ++c) {
        const PalHapticCluster *cluster = &body->clusters[c];
        bool small = cluster->count <= body->node_count / PATCHES || cluster->first_child == 0;
        if (small && !covered[c])
            body->patches[body->patch_count++] = c;
        for (int32_t child = 0; child < 2 && cluster->first_child > 0; ++child)
            covered[cluster->first_child + child] = small;
    }
    pal_free(covered);
    return true;
}

// Per node the largest cluster of at most so many points: parents come first, so the first small
// one is it.
static bool choose_groups(PalHapticBody *body)
{
    size_t nodes = (size_t)body->node_count;
    for (int level = 0; level < PAL_HAPTIC_LEVELS; ++level) {
        int32_t *group = body->group[level] = pal_alloc(nodes, sizeof *group);
        if (group == NULL)
            return false;
        for (size_t n = 0; n < nodes; ++n)
            group[n] = PAL_NONE;
        for (int32_t c = 0; c < body->cluster_count; ++c) {
            const PalHapticCluster *cluster = &body->clusters[c];
            for (int32_t i = 0; i < cluster->count && cluster->count <= LEAF_POINTS << level; ++i)
                if (group[body->order[cluster->first + i]] == PAL_NONE)
                    group[body->order[cluster->first + i]] = c;
        }
    }
    return true;
}

static float own_local(const PalVademecum *book, int32_t node)
{
    float sum = 0;
    for (int32_t i = book->local_start[node]; i < book->local_start[node + 1]; ++i)
        for (int k = 0; k < 9 && book->local_node[i] == node; k += 4)
            sum += book->local_block[9 * (int64_t)i + k];
    return sum;
}

static bool find_give(PalHapticBody *body)
{
    body->give = pal_alloc((size_t)body->node_count, sizeof *body->give);
    for (int32_t n = 0; n < body->node_count && body->give != NULL && body->mode_count > 0; ++n) {
        const float *row = body->rows + (int64_t)3 * n * body->stride;
        float sum = body->book->size.local_count > 0 ? own_local(body->book, n) : 0;
        for (int32_t k = 0; k < 3 * body->stride; ++k)
            sum += row[k] * row[k];
        body->give[n] = sum / 3;
    }
    return body->give != NULL;
}

bool pal_haptic_shell_init(PalHapticBody *body)
{
    size_t nodes = (size_t)body->node_count;
    body->order = pal_alloc(nodes, sizeof(int32_t));
    body->clusters = pal_alloc(2 * nodes + 1, sizeof *body->clusters);
    if (body->order == NULL || body->clusters == NULL)
        return false;
    for (int32_t n = 0; n < body->node_count; ++n)
        body->order[n] = n;
    body->clusters[0] = (PalHapticCluster){.first = 0, .count = body->node_count};
    body->cluster_count = 1;
    for (int32_t c = 0; c < body->cluster_count; ++c) {
        PalHapticCluster *cluster = &body->clusters[c];
        PalBounds box;
        bounds_of(body, cluster->first, cluster->count, &box);
        PalVec3 size = pal_vec3_sub(box.upper, box.lower);
        PalVec3 middle = pal_vec3_scale(0.5, pal_vec3_add(box.lower, box.upper));
        describe(body, cluster, middle);
        if (cluster->count <= LEAF_POINTS)
            continue;
        int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
        int32_t below = part(body, cluster, axis, pal_vec3_at(middle, axis));
        cluster->first_child = body->cluster_count;
        body->clusters[body->cluster_count++] =
            (PalHapticCluster){.first = cluster->first, .count = below};
        body->clusters[body->cluster_count++] =
            (PalHapticCluster){.first = cluster->first + below, .count = cluster->count - below};
    }
    return choose_patches(body) && choose_groups(body) && find_give(body);
}
