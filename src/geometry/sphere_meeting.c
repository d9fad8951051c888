#include "geometry/sphere_meeting.h"

#include "base/memory.h"
#include "geometry/flight.h"
#include "geometry/sphere_distance.h"
#include "math/range.h"

#define VISITS   100000  // at most: what was found until then holds
#define ADVANCES 16      // of two facets, until others may be earlier
#define ROUNDING 1e-14   // of where they are: facets so near each other meet
#define SHORTER  (1 - 1e-12)

// ---- flyers -----------------------------------------------------------------------------

static PalVec3 velocity_of(const PalFlyer *flyer, int32_t vertex, double step)
{
    const PalTriangles *triangles = &flyer->triangles;
    return pal_vec3_scale(1 / step, pal_vec3_sub(triangles->end[vertex], triangles->start[vertex]));
}

static PalSphere pace_of_facet(const PalFlyer *flyer, int32_t facet, double step)
{
    PalSphere pace = {.centre = {0, 0, 0}};
    PalVec3 velocity[3];
    for (int k = 0; k < 3; ++k) {
        velocity[k] = velocity_of(flyer, flyer->triangles.facets[facet][k], step);
        pace.centre = pal_vec3_add_scaled(pace.centre, 1.0 / 3, velocity[k]);
    }
    for (int k = 0; k < 3; ++k)
        pace.radius = fmax(pace.radius, pal_vec3_distance(velocity[k], pace.centre));
    return pace;
}

static PalSphere join_paces(const PalSphere *p, const PalSphere *q)
{
    PalSphere pace = {.centre = pal_vec3_scale(0.5, pal_vec3_add(p->centre, q->centre))};
    pace.radius = fmax(pal_vec3_distance(pace.centre, p->centre) + p->radius,
                       pal_vec3_distance(pace.centre, q->centre) + q->radius);
    return pace;
}

PalStatus pal_flyer_create(PalFlyer *flyer, double step, PalError *error)
{
    const PalSphereTree *tree = flyer->tree;
    flyer->paces = pal_alloc((size_t)tree->volume_count, sizeof *flyer->paces);
    if (flyer->paces == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory to foresee contact");
    for (int32_t v = 0; v < tree->volume_count; ++v) {
        const int32_t *children =
            pal_sphere_tree_is_leaf(tree, v) ? NULL : pal_sphere_tree_children(tree, v);
        flyer->paces[v] = children == NULL
                              ? pace_of_facet(flyer, v, step)
                              : join_paces(&flyer->paces[children[0]], &flyer->paces[children[1]]);
    }
    return PAL_OK;
}

void pal_flyer_clear(PalFlyer *flyer)
{
    pal_free(flyer->paces);
    flyer->paces = NULL;
}

// ---- the queue --------------------------------------------------------------------------

// Of equals the deeper one: it is nearer to an answer.
static bool comes_before(const PalMeetingVisit *p, const PalMeetingVisit *q)
{
    if (p->time != q->time)
        return p->time < q->time;
    return p->depth > q->depth;
}

static bool push(PalMeeting *meeting, PalMeetingVisit visit)
{
    if (!pal_array_push(&meeting->queue, visit))
        return false;
    PalMeetingVisit *items = meeting->queue.items;
    int32_t place = meeting->queue.count - 1;
    for (; place > 0 && comes_before(&visit, &items[(place - 1) / 2]); place = (place - 1) / 2)
        items[place] = items[(place - 1) / 2];
    items[place] = visit;
    return true;
}

static PalMeetingVisit pop(PalMeeting *meeting)
{
    PalMeetingVisit *items = meeting->queue.items, first = items[0];
    int32_t count = --meeting->queue.count, place = 0;
    PalMeetingVisit moving = items[count];
    for (int32_t child = 1; child < count; child = 2 * place + 1) {
        if (child + 1 < count && comes_before(&items[child + 1], &items[child]))
            ++child;
        if (!comes_before(&items[child], &moving))
            break;
        items[place] = items[child];
        place = child;
    }
    items[place] = moving;
    return first;
}

// ---- times ------------------------------------------------------------------------------

// The velocity of a step is that of its middle. What turns leaves its straight way by t^2 / 2 times
// `turning`, which until the end is no more than a radius that grows evenly.
static PalFlight flight_of(const PalMeeting *meeting, const PalFlyer *flyer, int32_t volume)
{
    const PalSphere *sphere = &flyer->tree->spheres[volume], *pace = &flyer->paces[volume];
    return (PalFlight){
        .time = meeting->start,
        .centre = sphere->centre,
        .velocity = pal_vec3_add_scaled(pace->centre, -meeting->step / 2, flyer->acceleration),
        .acceleration = flyer->acceleration,
        .radius = sphere->radius,
        .growth = pace->radius +
                  (flyer->turning > 0 ? flyer->turning * (meeting->end - meeting->start) / 2 : 0),
    };
}

// Not before the two that were opened for them.
static bool push_volumes(PalMeeting *meeting, const PalFlyerPair *pair, PalMeetingVisit visit)
{
    PalFlight a = flight_of(meeting, pair->a, visit.a), b = flight_of(meeting, pair->b, visit.b);
    visit.time = pal_flights_meet(&a, &b, 0, visit.time, meeting->end);
    return visit.time > meeting->end || push(meeting, visit);
}

// The larger is replaced by its children.
static bool open(PalMeeting *meeting, const PalFlyerPair *pair, PalMeetingVisit visit)
{
    const PalSphereTree *a = pair->a->tree, *b = pair->b->tree;
    bool first = pal_sphere_tree_is_leaf(b, visit.b) ||
                 (!pal_sphere_tree_is_leaf(a, visit.a) &&
                  a->spheres[visit.a].radius >= b->spheres[visit.b].radius);
    const int32_t *children =
        first ? pal_sphere_tree_children(a, visit.a) : pal_sphere_tree_children(b, visit.b);
    ++visit.depth;
    for (int k = 0; k < 2; ++k) {
        if (first)
            visit.a = children[k];
        else
            visit.b = children[k];
        if (!push_volumes(meeting, pair, visit))
            return false;
    }
    return true;
}

// Corners of a facet after a time, and their velocities then.
static void move_facet(const PalMeeting *meeting, const PalFlyer *flyer, int32_t facet, double t,
                       PalVec3 places[3], PalVec3 velocities[3])
{
    for (int k = 0; k < 3; ++k) {
        int32_t v = flyer->triangles.facets[facet][k];
        PalVec3 middle = velocity_of(flyer, v, meeting->step);
        double since = t - meeting->step / 2;
        velocities[k] = pal_vec3_add_scaled(middle, since, flyer->acceleration);
        places[k] = pal_vec3_add_scaled(flyer->triangles.start[v], t, middle);
        places[k] =
            pal_vec3_add_scaled(places[k], t * (t - meeting->step) / 2, flyer->acceleration);
    }
}

// How fast two facets come nearer to each other, at most.
static double closing_speed(const PalVec3 v[3], const PalVec3 w[3])
{
    double most = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            most = fmax(most, pal_vec3_distance(v[i], w[j]));
    return most;
}

// Moves two facets on by the time in which they certainly cannot meet, again and again. True: they
// meet now.
static bool advance(const PalMeeting *meeting, const PalFlyerPair *pair, PalMeetingVisit *visit)
{
    double turning = pair->a->turning + pair->b->turning;
    double bend = pal_vec3_distance(pair->a->acceleration, pair->b->acceleration) + turning;
    for (int k = 0; k < ADVANCES && visit->time <= meeting->end; ++k) {
        PalVec3 p[3], q[3], v[3], w[3], places[2];
        bool edges;
        double t = visit->time - meeting->start;
        move_facet(meeting, pair->a, visit->a, t, p, v);
        move_facet(meeting, pair->b, visit->b, t, q, w);
        double gap = pal_triangle_distance(p, q, places, &edges) - turning * t * t / 2;
        double far = pal_vec3_length(p[0]) + pal_vec3_length(q[0]);
        if (!(gap > ROUNDING * far))
            return true;
        double speed = closing_speed(v, w) + turning * t;
        double after = 2 * gap / (speed + sqrt(speed * speed + 2 * bend * gap));
        if (!(visit->time + SHORTER * after > visit->time))
            return true;
        visit->time += SHORTER * after;
    }
    return false;
}

// ---- descending -------------------------------------------------------------------------

static bool note(PalMeeting *meeting, double time)
{
    int32_t count = meeting->times.count;
    bool later = count == 0 || time > meeting->times.items[count - 1];
    return !later || pal_array_push(&meeting->times, time);
}

// What was first in the queue is replaced by what is deeper, unless it is two facets that meet.
// False: no memory.
static bool go_deeper(PalMeeting *meeting, const PalFlyerPair *pair, PalMeetingVisit visit,
                      bool *meet)
{
    *meet = false;
    if (!pal_sphere_tree_is_leaf(pair->a->tree, visit.a) ||
        !pal_sphere_tree_is_leaf(pair->b->tree, visit.b))
        return open(meeting, pair, visit);
    double time = visit.time;
    *meet = advance(meeting, pair, &visit) && visit.time == time;
    ++visit.depth;
    return *meet || visit.time > meeting->end || push(meeting, visit);
}

static bool push_roots(PalMeeting *meeting, const PalFlyerPair *pairs, int32_t count)
{
    for (int32_t p = 0; p < count; ++p) {
        const PalSphereTree *a = pairs[p].a->tree, *b = pairs[p].b->tree;
        PalMeetingVisit roots = {.time = fmax(pairs[p].not_before, meeting->start),
                                 .pair = p,
                                 .a = pal_sphere_tree_root(a),
                                 .b = pal_sphere_tree_root(b)};
        if (a->volume_count > 0 && b->volume_count > 0 && !push_volumes(meeting, &pairs[p], roots))
            return false;
    }
    return true;
}

PalStatus pal_meeting_find(PalMeeting *meeting, const PalFlyerPair *pairs, int32_t count,
                           PalError *error)
{
    meeting->queue.count = meeting->times.count = 0;
    bool good = push_roots(meeting, pairs, count), meet = false;
    int32_t deepest = -1, visits = 0;
    while (good && !meet && meeting->queue.count > 0 && visits++ < VISITS) {
        PalMeetingVisit visit = pop(meeting);
        meeting->time = visit.time;
        good = go_deeper(meeting, &pairs[visit.pair], visit, &meet);
        if (good && (meet || visit.depth > deepest))
            good = note(meeting, visit.time);
        deepest = visit.depth > deepest ? visit.depth : deepest;
    }
    if (!meet && meeting->queue.count == 0)
        meeting->time = meeting->end;
    return good ? PAL_OK : pal_error_set(error, PAL_NO_MEMORY, "no memory to foresee contact");
}

void pal_meeting_clear(PalMeeting *meeting)
{
    pal_array_clear(&meeting->queue);
    pal_array_clear(&meeting->times);
}
