// Contact by depths, without a solver: fields, search, forces and their derivatives.
#include "alone.h"
#include "base/memory.h"
#include "contact/response/depth/depth.h"
#include "contact/response/depth/row.h"
#include "contact/response/trial.h"
#include "sim/sim.h"

enum { BODIES = 3 };

typedef struct Deep {
    Alone alone;
    PalContactSurface *surface;
    PalPairs *pairs;
    PalDepth *depth;
    PalVec3 *force;
} Deep;

static PalMesh *block(PalVec3 size, int32_t cells, PalVec3 at)
{
    return touch_shape(PAL_SHAPE_BOX, size, (int32_t[]){cells, cells, cells}, PAL_CELL_TETRAHEDRON,
                       at);
}

static void deep_start(Deep *d, Touch *bodies, const PalContactDef *def, PalDepthSetup setup)
{
    PalError error = {0};
    *d = (Deep){.depth = NULL};
    alone_start(&d->alone, bodies);
    const PalModel *model = d->alone.model;
    check_ok(pal_contact_surface_create(model, &d->surface, &error), &error);
    check_ok(pal_pairs_create(def, model, &d->pairs, &error), &error);
    setup.model = model;
    setup.surface = d->surface;
    setup.pairs = d->pairs;
    setup.penalty = 1;
    setup.penetration = 0.01;
    check_ok(pal_depth_create(&setup, &d->depth, &error), &error);
    d->force = calloc((size_t)model->node_count, sizeof *d->force);
}

static void deep_end(Deep *d)
{
    free(d->force);
    pal_depth_destroy(d->depth);
    pal_pairs_destroy(d->pairs);
    pal_contact_surface_destroy(d->surface);
    alone_end(&d->alone);
}

static PalContactDef everything(void)
{
    PalContactDef def = pal_contact_def_default();
    def.every_pair = def.every_self = true;
    def.every_pair_friction = 0.3;
    return def;
}

static void add_force(void *context, int32_t node, PalVec3 force)
{
    PalVec3 *forces = context;
    forces[node] = pal_vec3_add(forces[node], force);
}

static void find_forces(Deep *d)
{
    PalError error = {0};
    const PalState *state = pal_sim_state(d->alone.bodies.run);
    memset(d->force, 0, (size_t)d->alone.model->node_count * sizeof *d->force);
    pal_depth_place(d->depth, d->alone.displacement, state->rigids, 0);
    check_ok(pal_depth_find(d->depth, 1, &error), &error);
    pal_depth_forces(d->depth, add_force, d->force);
}

// ---- fields -----------------------------------------------------------------------------

static double volume_of(const PalDepthField *field, int32_t cell, const PalVec3 *nodes)
{
    PalVec3 x[4];
    for (int k = 0; k < 4; ++k)
        x[k] = pal_depth_point_place(&field->points[field->cells[cell].points[k]], nodes);
    return fabs(pal_vec3_dot(pal_vec3_sub(x[1], x[0]),
                             pal_vec3_cross(pal_vec3_sub(x[2], x[0]), pal_vec3_sub(x[3], x[0])))) /
           6;
}

// Every cell has a depth, parts fill the body, and depths are those of a box.
static void depths_are_distances(void **state)
{
    (void)state;
    const PalVec3 sizes[2] = {{1, 1.5, 2}, {1, 1, 0.1}};
    for (int plate = 0; plate < 2; ++plate) {
        Touch t = touch_nothing(1);
        PalVec3 size = sizes[plate];
        int32_t across = plate ? 1 : 3;
        touch_add_mesh(&t,
                       touch_shape(PAL_SHAPE_BOX, size, (int32_t[]){4, 3, across},
                                   PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, 0)),
                       1000, 0.3, 10);
        Deep d;
        PalContactDef def = everything();
        deep_start(&d, &t, &def, (PalDepthSetup){.at_vertices = false});
        const PalDepthField *field = &d.depth->fields[0];
        const PalVec3 *nodes = d.alone.model->nodes;
        double volume = 0;
        for (int32_t p = 0; p < field->point_count; ++p) {
            PalVec3 x = pal_depth_point_place(&field->points[p], nodes);
            double inside =
                fmin(fmin(size.x / 2 - fabs(x.x), size.y / 2 - fabs(x.y)), size.z / 2 - fabs(x.z));
            check_near(field->points[p].depth, inside, 1e-14);
        }
        for (int32_t c = 0; c < field->cell_count; ++c) {
            double most = 0;
            for (int k = 0; k < 4; ++k)
                most = fmax(most, field->points[field->cells[c].points[k]].depth);
            assert_true(most > 0);
            assert_true(volume_of(field, c, nodes) > 0);
            volume += volume_of(field, c, nodes);
        }
        check_near(volume, size.x * size.y * size.z, 1e-12);
        deep_end(&d);
    }
}

// ---- forces -----------------------------------------------------------------------------

// Three blocks in one place, turned and bent; no two nodes in one plane.
static Touch pile(void)
{
    Touch t = touch_nothing(1);
    touch_add_mesh(&t, block(pal_vec3(1, 1, 1), 3, pal_vec3(0, 0, 0)), 1000, 0.3, 10);
    touch_add_mesh(&t, block(pal_vec3(1, 1, 1), 2, pal_vec3(0.83, 0.21, 0.11)), 3000, 0.3, 10);
    touch_add_mesh(&t, block(pal_vec3(0.8, 0.7, 0.9), 3, pal_vec3(0.42, 0.37, 0.71)), 500, 0.3, 10);
    return t;
}

static void bend(Deep *d)
{
    for (int32_t n = 0; n < d->alone.model->node_count; ++n) {
        PalVec3 x = d->alone.model->nodes[n];
        d->alone.displacement[n] = pal_vec3(0.05 * sin(3 * x.y + n), 0.04 * sin(4 * x.z + x.x),
                                            0.06 * sin(2 * x.x + 5 * x.y));
    }
}

static void all_forces_balance(void **state)
{
    (void)state;
    for (int at_vertices = 0; at_vertices < 2; ++at_vertices) {
        Touch t = pile();
        Deep d;
        PalContactDef def = everything();
        deep_start(&d, &t, &def, (PalDepthSetup){.at_vertices = at_vertices});
        bend(&d);
        find_forces(&d);
        PalVec3 sum = {0, 0, 0}, moment = {0, 0, 0};
        double size = 0;
        for (int32_t n = 0; n < d.alone.model->node_count; ++n) {
            sum = pal_vec3_add(sum, d.force[n]);
            moment = pal_vec3_add(moment, pal_vec3_cross(d.depth->places[n], d.force[n]));
            size += pal_vec3_length(d.force[n]);
        }
        assert_true(size > 1);
        check_near(pal_vec3_length(sum) / size, 0, 1e-12);
        check_near(pal_vec3_length(moment) / size, 0, 1e-12);
        deep_end(&d);
    }
}

typedef struct Whole {
    int32_t size;
    double *matrix;
} Whole;

static bool add_block(void *context, int32_t count, const int32_t *nodes, const double *matrix)
{
    Whole *whole = context;
    for (int32_t r = 0; r < 3 * count; ++r)
        for (int32_t c = 0; c < 3 * count; ++c)
            whole->matrix[(3 * nodes[r / 3] + r % 3) * (int64_t)whole->size + 3 * nodes[c / 3] +
                          c % 3] += matrix[r * 3 * count + c];
    return true;
}

// Of all items together, the symmetric blocks are the whole derivative.
static void tangents_of_all_items_are_symmetric_derivatives(void **state)
{
    (void)state;
    Touch t = pile();
    Deep d;
    PalContactDef def = everything();
    deep_start(&d, &t, &def, (PalDepthSetup){.at_vertices = false});
    bend(&d);
    for (int32_t v = 0; v < d.surface->vertex_count; ++v)
        d.depth->pressure[v] = 100 + 50 * sin(v);
    find_forces(&d);
    int32_t size = 3 * d.alone.model->node_count;
    Whole whole = {size, calloc((size_t)size * (size_t)size, sizeof(double))};
    assert_true(pal_depth_tangent(
        d.depth, &(PalDepthSums){.exact = true, .add = add_block, .context = &whole}));
    double scale = 0, worst = 0;
    PalVec3 *before = calloc((size_t)d.alone.model->node_count, sizeof *before);
    const double step = 1e-6;
    for (int32_t j = 0; j < size; j += 7) {
        double *u = &(&d.alone.displacement[0].x)[j], old = *u;
        *u = old - step;
        find_forces(&d);
        memcpy(before, d.force, (size_t)d.alone.model->node_count * sizeof *before);
        *u = old + step;
        find_forces(&d);
        *u = old;
        for (int32_t i = 0; i < size; ++i) {
            double change = ((&before[0].x)[i] - (&d.force[0].x)[i]) / (2 * step);
            double expected = whole.matrix[i * (int64_t)size + j];
            scale = fmax(scale, fabs(expected));
            worst = fmax(worst, fabs(change - expected));
        }
    }
    check_near(worst / scale, 0, 1e-6);
    free(before);
    free(whole.matrix);
    deep_end(&d);
}

// Forces at a place of a way on which nodes go apart. Returns how many corners the polygons have,
// all together.
static int64_t forces_on_way(Deep *d, double place)
{
    int64_t corners = 0;
    for (int32_t n = 0; n < d->alone.model->node_count; ++n)
        d->alone.displacement[n] =
            pal_vec3(place * sin(n + 1), place * 0.7 * cos(3 * n), -0.4 * place);
    find_forces(d);
    for (int32_t k = 0; k < d->depth->task_count; ++k)
        for (int32_t i = 0; i < d->depth->tasks[k].items.count; ++i)
            corners += d->depth->tasks[k].items.items[i].dip.corner_count;
    return corners;
}

// Where polygons gain and lose corners, forces do not jump, from cell to cell and from body to
// body: between neighbouring numbers they differ by rounding.
static void forces_have_no_jumps(void **state)
{
    (void)state;
    enum { STEPS = 12 };
    Touch t = pile();
    Deep d;
    PalContactDef def = everything();
    deep_start(&d, &t, &def, (PalDepthSetup){.at_vertices = false});
    int32_t count = d.alone.model->node_count;
    PalVec3 *before = calloc((size_t)count, sizeof *before);
    double worst = 0, most = 0;
    int changes = 0;
    for (int step = 0; step < STEPS; ++step) {
        double low = 0.5 * step / STEPS + 0.01, high = low + 0.5 / STEPS;
        int64_t corners = forces_on_way(&d, low);
        if (forces_on_way(&d, high) == corners)
            continue;
        ++changes;
        for (double middle = (low + high) / 2; middle > low && middle < high;
             middle = (low + high) / 2)
            *(forces_on_way(&d, middle) == corners ? &low : &high) = middle;
        forces_on_way(&d, low);
        memcpy(before, d.force, (size_t)count * sizeof *before);
        forces_on_way(&d, high);
        for (int32_t n = 0; n < count; ++n) {
            worst = fmax(worst, pal_vec3_distance(before[n], d.force[n]));
            most = fmax(most, pal_vec3_length(d.force[n]));
        }
    }
    print_message("%d changes, forces jump by %.1e at most\n", changes, worst / most);
    assert_true(most > 1 && changes > STEPS / 2);
    check_near(worst / most, 0, 1e-8);
    free(before);
    deep_end(&d);
}

static void search_by_intervals_finds_the_same(void **state)
{
    (void)state;
    PalVec3 *first = NULL;
    int64_t tests[2];
    for (int kind = 0; kind < 2; ++kind) {
        Touch t = pile();
        Deep d;
        PalContactDef def = everything();
        deep_start(&d, &t, &def, (PalDepthSetup){.tree = (PalCellTreeKind)kind});
        bend(&d);
        find_forces(&d);
        size_t count = (size_t)d.alone.model->node_count;
        tests[kind] = d.depth->tests;
        if (kind == 0) {
            first = calloc(count, sizeof *first);
            memcpy(first, d.force, count * sizeof *first);
        }
        assert_memory_equal(first, d.force, count * sizeof *first);
        deep_end(&d);
    }
    free(first);
    assert_true(tests[0] > 0 && tests[1] >= tests[0]);
}

// ---- renewal ----------------------------------------------------------------------------

// Squeezed to a third, a body has depths three times its distances; they are found anew, once.
static void depths_are_renewed_when_they_are_no_distances(void **state)
{
    (void)state;
    Touch t = pile();
    Deep d;
    PalContactDef def = everything();
    int32_t renewed;
    PalError error = {0};
    deep_start(&d, &t, &def, (PalDepthSetup){.at_vertices = false});
    bend(&d);
    find_forces(&d);
    check_ok(pal_depth_renew(d.depth, &renewed, &error), &error);
    assert_int_equal(renewed, 0);
    for (int32_t n = 0; n < d.alone.model->node_count; ++n)
        d.alone.displacement[n] = pal_vec3(0, 0, -2.0 / 3 * d.alone.model->nodes[n].z);
    find_forces(&d);
    assert_true(d.depth->stretch > 2.5 && d.depth->stretch < 3.5);
    check_ok(pal_depth_renew(d.depth, &renewed, &error), &error);
    assert_true(renewed > 0);
    find_forces(&d);
    check_near(d.depth->stretch, 1, 1e-9);
    const PalDepthField *field = &d.depth->fields[0];
    for (int32_t p = 0; p < field->point_count && field->renewed; ++p) {
        PalVec3 x = pal_depth_point_place(&field->points[p], d.depth->places);
        double inside = fmin(fmin(0.5 - fabs(x.x), 0.5 - fabs(x.y)), 0.5 / 3 - fabs(x.z));
        check_near(field->points[p].depth, inside, 1e-12);
    }
    deep_end(&d);
}

static void check_same_fields(const PalContact *one, const PalContact *other)
{
    for (int32_t b = 0; b < one->surface->body_count; ++b) {
        const PalDepthField *f = &pal_depth_own(one)->depth->fields[b];
        const PalDepthField *g = &pal_depth_own(other)->depth->fields[b];
        assert_true(f->renewed == g->renewed && f->deepest == g->deepest && f->deepest > 0);
        for (int32_t c = 0; c < f->cell_count; ++c) {
            assert_true(f->cells[c].slope == g->cells[c].slope);
            assert_memory_equal(f->cells[c].depth, g->cells[c].depth, sizeof f->cells[c].depth);
        }
    }
}

static void keep_and_restore(const PalContact *from, PalContact *to)
{
    int32_t count = pal_depth_row_kept_count(from);
    PalKept *rows = calloc((size_t)count + 1, sizeof *rows);
    pal_depth_row_keep(from, rows);
    assert_int_equal(pal_depth_row_restore(to, rows, count), PAL_OK);
    free(rows);
}

// Depths that were renewed are in checkpoints. And those that were not come back.
static void renewed_depths_are_kept(void **state)
{
    (void)state;
    Touch t = pile();
    Deep d;
    PalContactDef def = everything();
    PalError error = {0};
    int32_t renewed;
    deep_start(&d, &t, &def, (PalDepthSetup){.at_vertices = false});
    PalContact runs[3];
    for (int r = 0; r < 3; ++r) {
        runs[r] = (PalContact){
            .def = def, .model = d.alone.model, .surface = d.surface, .objects = d.pairs};
        check_ok(pal_depth_row_create(&runs[r], false, &error), &error);
    }
    for (int32_t n = 0; n < d.alone.model->node_count; ++n)
        d.alone.displacement[n] = pal_vec3(0, 0, -2.0 / 3 * d.alone.model->nodes[n].z);
    PalDepth *depth = pal_depth_own(&runs[0])->depth;
    const PalState *now = pal_sim_state(d.alone.bodies.run);
    pal_depth_place(depth, d.alone.displacement, now->rigids, 0);
    check_ok(pal_depth_find(depth, 1, &error), &error);
    check_ok(pal_depth_renew(depth, &renewed, &error), &error);
    assert_true(renewed > 0 && depth->fields[0].renewed);
    assert_true(depth->fields[0].deepest < pal_depth_own(&runs[1])->depth->fields[0].deepest);
    keep_and_restore(&runs[0], &runs[1]);
    check_same_fields(&runs[0], &runs[1]);
    keep_and_restore(&runs[2], &runs[0]);
    check_same_fields(&runs[2], &runs[0]);
    for (int r = 0; r < 3; ++r)
        pal_depth_row_destroy(&runs[r]);
    deep_end(&d);
}

// ---- multipliers ------------------------------------------------------------------------

// A vertex of several facets and cells that are too deep: no less than in any of them.
static void vertices_hold_the_largest_pressure(void **state)
{
    (void)state;
    Touch t = pile();
    Deep d;
    PalContactDef def = everything();
    deep_start(&d, &t, &def, (PalDepthSetup){0});
    bend(&d);
    find_forces(&d);
    for (int32_t v = 0; v < d.surface->vertex_count; ++v)
        d.depth->pressure[v] = 0;
    pal_depth_hold_pressures(d.depth);
    int several = 0;
    for (int32_t k = 0; k < d.depth->task_count; ++k)
        for (int32_t i = 0; i < d.depth->tasks[k].items.count; ++i) {
            const PalDepthItem *item = &d.depth->tasks[k].items.items[i];
            if (pal_depth_excess(d.depth, item) <= 1)
                continue;
            double deep = item->dip.deepest / pal_vec3_length(item->dip.normal);
            for (int a = 0; a < 3; ++a) {
                double held = d.depth->pressure[d.surface->facets[item->who][a]];
                assert_true(held >= item->stiffness[a] * deep);
                several += held > item->stiffness[a] * deep;
            }
        }
    assert_true(several > 10);
    deep_end(&d);
}

// Multipliers that nothing needs any more fall by half at a time; others to the pressure there is.
static void multipliers_fall_to_pressures(void **state)
{
    (void)state;
    Touch t = pile();
    Deep d;
    PalContactDef def = everything();
    deep_start(&d, &t, &def, (PalDepthSetup){0});
    bend(&d);
    find_forces(&d);
    int32_t count = d.surface->vertex_count, fallen = 0, kept = 0, low = 0;
    double *acts = pal_alloc((size_t)count, sizeof *acts);
    for (int32_t k = 0; k < d.depth->task_count; ++k)
        for (int32_t i = 0; i < d.depth->tasks[k].items.count; ++i) {
            const PalDepthItem *item = &d.depth->tasks[k].items.items[i];
            double deep = item->dip.deepest / pal_vec3_length(item->dip.normal);
            for (int a = 0; a < 3; ++a) {
                double *at = &acts[d.surface->facets[item->who][a]];
                *at = fmax(*at, item->stiffness[a] * deep);
            }
        }
    for (int32_t v = 0; v < count; ++v)  // far above, a little above, below
        d.depth->pressure[v] = acts[v] == 0 ? 8
                                            : acts[v] * (v % 3 == 0   ? 10
                                                         : v % 3 == 1 ? 1.2
                                                                      : 0.5);
    pal_depth_release_pressures(d.depth);
    for (int32_t v = 0; v < count; ++v) {
        double now = d.depth->pressure[v];
        if (acts[v] == 0)
            check_near(now, 4, 0);
        else
            check_near(now / acts[v], v % 3 == 0 ? 5 : v % 3 == 1 ? 1 : 0.5, 1e-12);
        *(acts[v] == 0 || v % 3 == 0 ? &fallen : v % 3 == 1 ? &kept : &low) += 1;
    }
    assert_true(fallen > 10 && kept > 10 && low > 10);
    pal_free(acts);
    deep_end(&d);
}

// All friction that grips bear, and what it would be with the pressures of the items.
static void sum_friction(const PalDepth *depth, double *held, double *pressed)
{
    *held = *pressed = 0;
    for (int32_t g = 0; g < depth->grips.count; ++g)
        *held += depth->grips.items[g].limit;
    for (int32_t k = 0; k < depth->task_count; ++k)
        for (int32_t i = 0; i < depth->tasks[k].items.count; ++i) {
            PalVec3 place, force;
            pal_depth_resultant(depth, &depth->tasks[k].items.items[i], &place, &force);
            *pressed += 0.3 * pal_vec3_length(force);
        }
}

// A step begins with a tenth of the multipliers that the last one has left, and whatever it makes
// of them, one that is begun again does so as well. Friction holds on to the pressures that were
// there.
static void steps_begin_soft(void **state)
{
    (void)state;
    Touch t = pile();
    Deep d;
    PalContactDef def = everything();
    PalError error = {0};
    deep_start(&d, &t, &def, (PalDepthSetup){0});
    bend(&d);
    PalState *now = d.alone.bodies.run->state;
    PalMeter meter = {0};
    PalTrial trial = {.model = d.alone.model, .state = now, .thread_count = 1, .meter = &meter};
    PalContact contact = {.def = def,
                          .model = d.alone.model,
                          .surface = d.surface,
                          .objects = d.pairs,
                          .trial = &trial};
    check_ok(pal_depth_row_create(&contact, false, &error), &error);
    PalDepthOwn *own = pal_depth_own(&contact);
    size_t nodes = (size_t)d.alone.model->node_count;
    memcpy(now->displacement, d.alone.displacement, nodes * sizeof *now->displacement);
    PalVec3 *force = pal_alloc(nodes, sizeof *force);
    for (int32_t v = 0; v < d.surface->vertex_count; ++v)
        own->settled[v] = 1e4 * (1 + v % 5);
    for (int attempt = 0; attempt < 2; ++attempt) {
        check_ok(pal_depth_implicit.begin(&contact, &error), &error);
        check_ok(pal_depth_implicit.forces(&contact, force, &error), &error);
        for (int32_t v = 0; v < d.surface->vertex_count; ++v) {
            check_near(own->depth->pressure[v], 1e3 * (1 + v % 5), 1e-9);
            check_near(own->settled[v], 1e4 * (1 + v % 5), 0);
        }
        double held, pressed;
        sum_friction(own->depth, &held, &pressed);
        assert_true(held > 8 * pressed && held < 10 * pressed);
        bool again;
        check_ok(pal_depth_implicit.settle(&contact, &again, &error), &error);
        assert_true(again);
        for (int32_t v = 0; v < d.surface->vertex_count; ++v)
            assert_true(own->depth->pressure[v] >= own->settled[v]);
    }
    pal_free(force);
    pal_depth_row_destroy(&contact);
    deep_end(&d);
}

// What goes along the normal does not rub; what slips far meets the limit, against its motion.
static void friction_knows_its_plane(void **state)
{
    (void)state;
    PalDepthGrip grip = {.normal = {0, 0, 1}, .limit = 3, .reach = 0.01};
    for (int k = 0; k < PAL_DIP_NODES; ++k)
        grip.nodes[k] = PAL_NONE;
    grip.nodes[0] = 0;
    grip.weights[0] = 1;
    const PalVec3 along[1] = {{0, 0, 5}}, both[1] = {{0.3, 0.4, 5}};
    PalVec3 none = pal_depth_grip_force(&grip, along);
    assert_true(none.x == 0 && none.y == 0 && none.z == 0);
    PalVec3 force = pal_depth_grip_force(&grip, both);
    check_near(force.x, -1.8, 1e-12);
    check_near(force.y, -2.4, 1e-12);
    check_near(force.z, 0, 1e-12);
}

// Forces at vertices that are exactly above those of another block, on sides that many cells share,
// are those a little beside them: each vertex counts once.
static void vertices_count_once(void **state)
{
    (void)state;
    static const double shifts[4] = {1e-6, 0, 1e-15, -1e-13};
    double first = 0;
    Touch t = touch_nothing(1);
    touch_add_mesh(&t, block(pal_vec3(1, 1, 1), 4, pal_vec3(0, 0, 0)), 1000, 0.3, 10);
    touch_add_mesh(&t, block(pal_vec3(1, 1, 1), 4, pal_vec3(0, 0, 0.99)), 1000, 0.3, 10);
    Deep d;
    PalContactDef def = everything();
    deep_start(&d, &t, &def, (PalDepthSetup){.at_vertices = true});
    for (int k = 0; k < 4; ++k) {
        PalVec3 sum = {0, 0, 0};
        int32_t upper = d.alone.model->bodies[1].first_node;
        for (int32_t n = upper; n < d.alone.model->node_count; ++n)
            d.alone.displacement[n] = pal_vec3(-shifts[k], shifts[k] / 2, 0);
        find_forces(&d);
        for (int32_t n = upper; n < d.alone.model->node_count; ++n)
            sum = pal_vec3_add(sum, d.force[n]);
        first = k == 0 ? sum.z : first;
        assert_true(first > 0);
        check_near(sum.z / first, 1, 1e-5);
    }
    deep_end(&d);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(vertices_hold_the_largest_pressure),
    cmocka_unit_test(multipliers_fall_to_pressures),
    cmocka_unit_test(steps_begin_soft),
    cmocka_unit_test(friction_knows_its_plane),
    cmocka_unit_test(depths_are_distances),
    cmocka_unit_test(all_forces_balance),
    cmocka_unit_test(tangents_of_all_items_are_symmetric_derivatives),
    cmocka_unit_test(forces_have_no_jumps),
    cmocka_unit_test(search_by_intervals_finds_the_same),
    cmocka_unit_test(depths_are_renewed_when_they_are_no_distances),
    cmocka_unit_test(renewed_depths_are_kept),
    cmocka_unit_test(vertices_count_once),
};

CHECK_GROUP(tests, NULL, NULL)
