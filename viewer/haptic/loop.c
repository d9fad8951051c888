// The haptic loop for a worker of a web page: the same C as everywhere, with arrays that JavaScript
// reads and writes.
#include <palpate/vademecum.h>

#include <emscripten.h>
#include <math.h>
#include <stdlib.h>

enum { CONTACTS = 1024, NUMBERS = 16 };

static PalVademecum *books[2];
static PalHaptic *haptic;
static PalError error;
static double
    numbers[NUMBERS];   // force 3, torque 3, contacts, candidates, deepest, energy, quality
static double pose[7];  // position, and rotation as w, x, y, z
static float *surface[2];
static float contacts[CONTACTS * 6];  // place and force

EMSCRIPTEN_KEEPALIVE const char *loop_error(void)
{
    return error.text;
}

// 0: read. The bytes are those of a compact file.
EMSCRIPTEN_KEEPALIVE int loop_read(int body, const void *bytes, int size)
{
    error = (PalError){0};
    pal_haptic_destroy(haptic);
    haptic = NULL;
    pal_vademecum_destroy(books[body]);
    books[body] = NULL;
    return pal_vademecum_read_web(bytes, (size_t)size, &books[body], &error);
}

// A ball: rings of points from pole to pole.
static int32_t make_ball(double radius, PalVec3 **nodes, int32_t (**facets)[3])
{
    enum { RINGS = 12, AROUND = 24 };
    int32_t count = 2 + (RINGS - 1) * AROUND, facet_count = 2 * AROUND * (RINGS - 1), f = 0;
    *nodes = calloc((size_t)count, sizeof **nodes);
    *facets = calloc((size_t)facet_count, sizeof **facets);
    if (*nodes == NULL || *facets == NULL)
        return 0;
    (*nodes)[0] = (PalVec3){0, 0, radius};
    (*nodes)[count - 1] = (PalVec3){0, 0, -radius};
    for (int32_t r = 1; r < RINGS; ++r)
        for (int32_t a = 0; a < AROUND; ++a) {
            double theta = 3.14159265358979 * r / RINGS, phi = 6.28318530717959 * a / AROUND;
            (*nodes)[1 + (r - 1) * AROUND + a] =
                (PalVec3){radius * sin(theta) * cos(phi), radius * sin(theta) * sin(phi),
                          radius * cos(theta)};
        }
    for (int32_t a = 0; a < AROUND; ++a) {
        int32_t b = (a + 1) % AROUND, last = 1 + (RINGS - 2) * AROUND;
        int32_t top[3] = {0, 1 + a, 1 + b}, bottom[3] = {count - 1, last + b, last + a};
        for (int i = 0; i < 3; ++i) {
            (*facets)[f][i] = top[i];
            (*facets)[f + 1][i] = bottom[i];
        }
        f += 2;
        for (int32_t r = 0; r + 2 < RINGS; ++r) {
            int32_t p = 1 + r * AROUND + a, q = 1 + r * AROUND + b, u = p + AROUND, v = q + AROUND;
            int32_t one[3] = {p, u, v}, two[3] = {p, v, q};
            for (int i = 0; i < 3; ++i) {
                (*facets)[f][i] = one[i];
                (*facets)[f + 1][i] = two[i];
            }
            f += 2;
        }
    }
    return count;
}

// With a rigid ball of this radius as the tool, or with the second vademecum where it is 0.
EMSCRIPTEN_KEEPALIVE int loop_create(double radius, double friction)
{
    PalHapticDef def = pal_haptic_def_default();
    PalVec3 *nodes = NULL;
    int32_t(*facets)[3] = NULL;
    PalHapticRigid ball = {0};
    error = (PalError){0};
    pal_haptic_destroy(haptic);
    haptic = NULL;
    def.books[0] = books[0];
    def.friction = friction;
    if (radius > 0) {
        ball.node_count = make_ball(radius, &nodes, &facets);
        ball.facet_count = 2 * (ball.node_count - 2);
        ball.nodes = nodes;
        ball.facets = (const int32_t(*)[3])facets;
        def.rigids[1] = &ball;
    } else {
        def.books[1] = books[1];
    }
    PalStatus status = pal_haptic_create(&def, &haptic, &error);
    free(nodes);
    free(facets);
    for (int s = 0; s < 2 && status == PAL_OK; ++s) {
        free(surface[s]);
        surface[s] = calloc(3 * (size_t)pal_haptic_node_count(haptic, s), sizeof(float));
    }
    return (int)status;
}

EMSCRIPTEN_KEEPALIVE int loop_node_count(int body)
{
    return pal_haptic_node_count(haptic, body);
}

EMSCRIPTEN_KEEPALIVE int loop_facet_count(int body)
{
    return pal_haptic_facet_count(haptic, body);
}

EMSCRIPTEN_KEEPALIVE const void *loop_facets(int body)
{
    return pal_haptic_facets(haptic, body);
}

EMSCRIPTEN_KEEPALIVE double loop_patch(int body)
{
    return books[body] != NULL ? pal_vademecum_facts(books[body])->patch : 0;
}

EMSCRIPTEN_KEEPALIVE double *loop_pose(void)
{
    return pose;
}

EMSCRIPTEN_KEEPALIVE double *loop_numbers(void)
{
    return numbers;
}

EMSCRIPTEN_KEEPALIVE void loop_step(int body)
{
    PalHapticPose where = {{pose[0], pose[1], pose[2]}, {pose[3], pose[4], pose[5], pose[6]}};
    pal_haptic_set_pose(haptic, body, &where);
    PalHapticQuality quality = pal_haptic_step(haptic, 0);
    PalHapticForce f = pal_haptic_force(haptic);
    const double told[] = {f.contact_force.x,
                           f.contact_force.y,
                           f.contact_force.z,
                           f.contact_torque.x,
                           f.contact_torque.y,
                           f.contact_torque.z,
                           f.contacts,
                           f.candidates,
                           f.deepest,
                           f.energy,
                           quality};
    for (size_t i = 0; i < sizeof told / sizeof *told; ++i)
        numbers[i] = told[i];
    pal_haptic_prepare(haptic);
}

EMSCRIPTEN_KEEPALIVE void loop_reset(void)
{
    pal_haptic_reset(haptic);
}

EMSCRIPTEN_KEEPALIVE float *loop_surface(int body)
{
    int32_t count = pal_haptic_node_count(haptic, body);
    PalVec3 *nodes = malloc((size_t)count * sizeof *nodes);
    if (nodes == NULL)
        return surface[body];
    pal_haptic_surface(haptic, body, nodes);
    for (int32_t n = 0; n < count; ++n) {
        surface[body][3 * n] = (float)nodes[n].x;
        surface[body][3 * n + 1] = (float)nodes[n].y;
        surface[body][3 * n + 2] = (float)nodes[n].z;
    }
    free(nodes);
    return surface[body];
}

static PalHapticContact found[CONTACTS];

EMSCRIPTEN_KEEPALIVE int loop_contacts(void)
{
    int32_t count = pal_haptic_contacts(haptic, found, CONTACTS);
    count = count < CONTACTS ? count : CONTACTS;
    for (int32_t i = 0; i < count; ++i) {
        const double n[6] = {found[i].place.x, found[i].place.y, found[i].place.z,
                             found[i].force.x, found[i].force.y, found[i].force.z};
        for (int k = 0; k < 6; ++k)
            contacts[6 * i + k] = (float)n[k];
    }
    return count;
}

EMSCRIPTEN_KEEPALIVE float *loop_contact_list(void)
{
    return contacts;
}
