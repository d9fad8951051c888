#include "contact/arrays.h"

#include "base/memory.h"
#include "contact/tell.h"

#include <math.h>

enum {
    REPORT_SIZE = 8,
    PAIR_SIZE = 6,
    OTHER_SIZE = 8,
    POINT_SIZE = 18,
    KEY_SIZE = 3,
    NUMBERS_SIZE = 8
};

typedef struct Room {
    int64_t count, capacity;
    void *data;  // of 8 bytes each
} Room;

struct PalContactArrays {
    double report[REPORT_SIZE];
    Room pairs, others, points, keys, numbers;
};

static void *resize(void *owner, int64_t count)
{
    Room *room = owner;
    if (count > room->capacity || room->data == NULL) {
        pal_free(room->data);
        *room = (Room){.capacity = count + 1};
        room->data = pal_alloc((size_t)room->capacity, sizeof(double));
        if (room->data == NULL)
            room->capacity = 0;
    }
    room->count = room->data != NULL ? count : 0;
    return room->data;
}

void pal_contact_arrays_destroy(PalContactArrays *arrays)
{
    if (arrays == NULL)
        return;
    pal_free(arrays->pairs.data);
    pal_free(arrays->others.data);
    pal_free(arrays->points.data);
    pal_free(arrays->keys.data);
    pal_free(arrays->numbers.data);
    pal_free(arrays);
}

// ---- reports and points as numbers --------------------------------------------------------

// A file may hold any number.
static int32_t small(double number)
{
    return number >= 0 && number <= INT32_MAX ? (int32_t)number : 0;
}

static int64_t large(double number)
{
    return number >= 0 && number <= 1e15 ? (int64_t)number : 0;
}

static void report_out(const PalContactReport *report, double numbers[REPORT_SIZE])
{
    numbers[0] = report->contact_count;
    numbers[1] = report->penetration;
    numbers[2] = report->worst_penetration;
    numbers[3] = (double)report->rescues;
    numbers[4] = (double)report->queries;
    numbers[5] = (double)report->hits;
    numbers[6] = report->most_contacts;
    numbers[7] = report->worst_of_edge;
}

static void report_in(const double numbers[REPORT_SIZE], PalContactReport *report)
{
    report->contact_count = small(numbers[0]);
    report->penetration = numbers[1];
    report->worst_penetration = numbers[2];
    report->rescues = large(numbers[3]);
    report->queries = large(numbers[4]);
    report->hits = large(numbers[5]);
    report->most_contacts = small(numbers[6]);
    report->worst_of_edge = numbers[7];
}

static void pair_out(const PalContactPairReport *pair, double numbers[PAIR_SIZE])
{
    numbers[0] = pair->contact_count;
    numbers[1] = pair->normal_force;
    numbers[2] = (double)pair->touch_steps;
    numbers[3] = pair->largest_normal_force;
    numbers[4] = pair->largest_time;
    numbers[5] = pair->friction;
}

static void pair_in(const double numbers[PAIR_SIZE], PalContactPairReport *pair)
{
    pair->contact_count = small(numbers[0]);
    pair->normal_force = numbers[1];
    pair->touch_steps = large(numbers[2]);
    pair->largest_normal_force = numbers[3];
    pair->largest_time = numbers[4];
}

static void vector_out(PalVec3 vector, double numbers[3])
{
    numbers[0] = vector.x;
    numbers[1] = vector.y;
    numbers[2] = vector.z;
}

static PalVec3 vector_in(const double numbers[3])
{
    return (PalVec3){numbers[0], numbers[1], numbers[2]};
}

static void point_out(const PalContactPoint *point, double numbers[POINT_SIZE])
{
    numbers[0] = point->kind;
    numbers[1] = point->objects[0];
    numbers[2] = point->objects[1];
    numbers[3] = point->slips;
    numbers[4] = point->normal_force;
    numbers[5] = point->gap;
    vector_out(point->position[0], numbers + 6);
    vector_out(point->position[1], numbers + 9);
    vector_out(point->normal, numbers + 12);
    vector_out(point->force, numbers + 15);
}

static PalContactPoint point_in(const double numbers[POINT_SIZE])
{
    return (PalContactPoint){
        .kind = small(numbers[0]) == 0 ? PAL_CONTACT_NODE_FACET : PAL_CONTACT_EDGE_EDGE,
        .objects = {small(numbers[1]), small(numbers[2])},
        .slips = numbers[3] != 0,
        .normal_force = numbers[4],
        .gap = numbers[5],
        .position = {vector_in(numbers + 6), vector_in(numbers + 9)},
        .normal = vector_in(numbers + 12),
        .force = vector_in(numbers + 15),
    };
}

// ---- what the response keeps ----------------------------------------------------------------

static bool keep(const PalContact *contact, PalContactArrays *arrays)
{
    const PalResponse *response = contact->response;
    int32_t count = response->kept_count != NULL ? response->kept_count(contact) : 0;
    int64_t *keys = resize(&arrays->keys, (int64_t)KEY_SIZE * count);
    double *numbers = resize(&arrays->numbers, (int64_t)NUMBERS_SIZE * count);
    PalKept *rows = pal_alloc((size_t)count, sizeof *rows);
    bool good = keys != NULL && numbers != NULL && rows != NULL;
    if (good && count > 0)
        response->keep(contact, rows);
    for (int32_t i = 0; good && i < count; ++i) {
        for (int k = 0; k < KEY_SIZE; ++k)
            keys[KEY_SIZE * i + k] = rows[i].key[k];
        for (int k = 0; k < NUMBERS_SIZE; ++k)
            numbers[NUMBERS_SIZE * i + k] = rows[i].numbers[k];
    }
    pal_free(rows);
    return good;
}

static PalStatus give_back(PalContact *contact, const PalContactArrays *arrays)
{
    const PalResponse *response = contact->response;
    int64_t count = arrays->keys.count / KEY_SIZE;
    const int64_t *keys = arrays->keys.data;
    const double *numbers = arrays->numbers.data;
    if (response->restore == NULL)
        return PAL_OK;
    PalKept *rows = pal_alloc((size_t)count, sizeof *rows);
    if (rows == NULL)
        return PAL_NO_MEMORY;
    for (int64_t i = 0; i < count; ++i) {
        for (int k = 0; k < KEY_SIZE; ++k)
            rows[i].key[k] = keys[KEY_SIZE * i + k];
        for (int k = 0; k < NUMBERS_SIZE; ++k)
            rows[i].numbers[k] = numbers[NUMBERS_SIZE * i + k];
    }
    PalStatus status = response->restore(contact, rows, (int32_t)count);
    pal_free(rows);
    return status;
}

// ---- checking -----------------------------------------------------------------------------------

// What a file holds may be anything: it is refused unless a run could have written it.

static bool all_finite(const double *numbers, int64_t count)
{
    for (int64_t i = 0; i < count; ++i)
        if (!isfinite(numbers[i]))
            return false;
    return true;
}

static bool is_index(double number, int32_t count)
{
    return number >= 0 && number < count && number == floor(number);
}

// As well as it can be far from the origin.
static bool is_unit(const double normal[3])
{
    PalVec3 n = vector_in(normal);
    return fabs(pal_vec3_dot(n, n) - 1) < 0.01;
}

static bool points_are_sound(const PalContact *contact, const Room *points)
{
    const double *numbers = points->data;
    int32_t objects = contact->surface->object_count;
    bool good = points->count % POINT_SIZE == 0 && points->count / POINT_SIZE <= INT32_MAX / 4 &&
                all_finite(numbers, points->count);
    for (int64_t i = 0; good && i < points->count; i += POINT_SIZE)
        good = is_index(numbers[i], 2) && is_index(numbers[i + 1], objects) &&
               is_index(numbers[i + 2], objects) && numbers[i + 1] <= numbers[i + 2] &&
               is_index(numbers[i + 3], 2) && numbers[i + 4] > 0 && is_unit(numbers + i + 12);
    return good;
}

static bool kept_is_sound(const PalContact *contact, const PalContactArrays *arrays)
{
    int64_t count = arrays->keys.count / KEY_SIZE;
    return arrays->keys.count % KEY_SIZE == 0 && count <= INT32_MAX / NUMBERS_SIZE &&
           arrays->numbers.count == NUMBERS_SIZE * count &&
           (count == 0 || contact->response->restore != NULL) &&
           all_finite(arrays->numbers.data, arrays->numbers.count);
}

// ---- all of it --------------------------------------------------------------------------------

// Makes the copies. False: no memory.
static bool copy_out(const PalContact *contact, PalContactArrays *arrays)
{
    double *pairs = resize(&arrays->pairs, (int64_t)PAIR_SIZE * contact->def.pair_count);
    double *points = resize(&arrays->points, (int64_t)POINT_SIZE * contact->point_count);
    int32_t listed = contact->def.pair_count, other_count = contact->pair_count - listed;
    double *others = resize(&arrays->others, (int64_t)OTHER_SIZE * other_count);
    if (pairs == NULL || points == NULL || others == NULL || !keep(contact, arrays))
        return false;
    for (int32_t i = 0; i < other_count; ++i) {
        double *numbers = others + (int64_t)OTHER_SIZE * i;
        numbers[0] = contact->pairs[listed + i].objects[0];
        numbers[1] = contact->pairs[listed + i].objects[1];
        pair_out(&contact->pairs[listed + i], numbers + 2);
    }
    report_out(&contact->report, arrays->report);
    for (int32_t p = 0; p < contact->def.pair_count; ++p)
        pair_out(&contact->pairs[p], pairs + (int64_t)PAIR_SIZE * p);
    for (int32_t i = 0; i < contact->point_count; ++i)
        point_out(&contact->points[i], points + (int64_t)POINT_SIZE * i);
    return true;
}

int32_t pal_contact_arrays(PalContact *contact, PalNamedArray list[PAL_CONTACT_ARRAY_MAX])
{
    if (contact->arrays == NULL)
        contact->arrays = pal_alloc(1, sizeof *contact->arrays);
    PalContactArrays *arrays = contact->arrays;
    if (arrays == NULL || !copy_out(contact, arrays))
        return PAL_NONE;
    list[0] =
        (PalNamedArray){.name = "contact_report", .data = arrays->report, .count = REPORT_SIZE};
    list[1] = (PalNamedArray){
        .name = "contact_pairs", .data = arrays->pairs.data, .count = arrays->pairs.count};
    const struct {
        const char *name;
        Room *room;
    } rooms[] = {{"contact_points", &arrays->points},
                 {"contact_keys", &arrays->keys},
                 {"contact_numbers", &arrays->numbers},
                 {"contact_others", &arrays->others}};
    int count = contact->def.every_pair || contact->def.every_self ? 4 : 3;
    for (int i = 0; i < count; ++i)
        list[2 + i] = (PalNamedArray){.name = rooms[i].name,
                                      .data = rooms[i].room->data,
                                      .count = rooms[i].room->count,
                                      .kind = i == 1 ? PAL_ARRAY_INT64 : PAL_ARRAY_DOUBLE,
                                      .resize = resize,
                                      .owner = rooms[i].room};
    return 2 + count;
}

// Pairs that the definition does not list.
static bool others_are_sound(const PalContact *contact, const Room *others)
{
    const double *numbers = others->data;
    int32_t objects = contact->surface->object_count;
    bool good = others->count % OTHER_SIZE == 0 && others->count / OTHER_SIZE <= INT32_MAX / 4 &&
                all_finite(numbers, others->count);
    for (int64_t i = 0; good && i < others->count; i += OTHER_SIZE)
        good = is_index(numbers[i], objects) && is_index(numbers[i + 1], objects) &&
               numbers[i] <= numbers[i + 1] && numbers[i + 7] >= 0 &&
               pal_contact_friction(contact, (int32_t)numbers[i], (int32_t)numbers[i + 1]) >= 0;
    return good;
}

static PalStatus restore_others(PalContact *contact, const Room *others)
{
    const double *numbers = others->data;
    pal_contact_forget_pairs(contact);
    for (int64_t i = 0; i < others->count; i += OTHER_SIZE) {
        int32_t a = (int32_t)numbers[i], b = (int32_t)numbers[i + 1];
        if (pal_contact_find_pair(contact, a, b) != PAL_NONE)
            return PAL_BAD_INPUT;
        int32_t p = pal_contact_add_pair(contact, a, b, numbers[i + 7]);
        bool changed = numbers[i + 7] != pal_contact_friction(contact, a, b);
        if (p == PAL_NONE || (changed && !pal_contact_put_friction(contact, p, numbers[i + 7])))
            return PAL_NO_MEMORY;
        pair_in(numbers + i + 2, &contact->pairs[p]);
    }
    return PAL_OK;
}

static PalStatus restore(PalContact *contact, const PalContactArrays *arrays)
{
    const double *points = arrays->points.data, *pairs = arrays->pairs.data;
    for (int32_t p = 0; p < contact->def.pair_count; ++p)
        if (!(pairs[(int64_t)PAIR_SIZE * p + 5] >= 0) && contact->def.pairs[p].friction >= 0)
            return PAL_BAD_INPUT;
    if (!all_finite(arrays->report, REPORT_SIZE) || !all_finite(pairs, arrays->pairs.count) ||
        !points_are_sound(contact, &arrays->points) || !kept_is_sound(contact, arrays) ||
        !others_are_sound(contact, &arrays->others))
        return PAL_BAD_INPUT;
    report_in(arrays->report, &contact->report);
    for (int32_t p = 0; p < contact->def.pair_count; ++p) {
        pair_in(pairs + (int64_t)PAIR_SIZE * p, &contact->pairs[p]);
        if (!pal_contact_put_friction(contact, p, pairs[(int64_t)PAIR_SIZE * p + 5]))
            return PAL_NO_MEMORY;
    }
    PAL_TRY(restore_others(contact, &arrays->others));
    contact->point_count = 0;
    for (int64_t i = 0; i < arrays->points.count; i += POINT_SIZE) {
        PalContactPoint *point = pal_contact_add_point(contact);
        if (point == NULL)
            return PAL_NO_MEMORY;
        *point = point_in(points + i);
    }
    return give_back(contact, arrays);
}

PalStatus pal_contact_arrays_restored(PalContact *contact, PalError *error)
{
    PalStatus status = restore(contact, contact->arrays);
    if (status == PAL_BAD_INPUT)
        return pal_error_set(
            error, status,
            "the contacts in the checkpoint are not valid; start again without resuming");
    return status == PAL_OK ? PAL_OK : pal_error_set(error, status, "no memory for contact");
}
