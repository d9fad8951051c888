// The haptic loop for a web page: what its worker calls. Numbers go through one block of memory
// that the worker looks into (touch_numbers); the surfaces of both bodies are blocks of floats.
#include <math.h>
#include <palpate/mesh.h>
#include <palpate/vademecum.h>
#include <stdlib.h>
#include <string.h>

#define CONTACT_MAX 256

typedef struct Touch {
    PalVademecum *books[2];
    PalMesh *ball;  // the tool where there is no second vademecum
    PalHaptic *haptic;
    PalVec3 *nodes[2];
    float *surface[2];
    PalHapticContact contacts[CONTACT_MAX];
    PalError error;
    double limit;          // force that nobody goes beyond by hand
    PalHapticPose wanted;  // where the hand is
} Touch;

static Touch touch;

// Places in `numbers`: the same as in viewer/src/touch-worker.js.
enum {
    FORCE = 0,        // 3, of contact on the tool
    TORQUE = 3,       // 3
    POSITION = 6,     // 3, of the tool
    ROTATION = 9,     // w x y z
    CONTACTS = 13,    // how many carry force
    CANDIDATES = 14,  // how many were near
    DEEPEST = 15,
    QUALITY = 16,
    SHOWN = 17,      // contacts listed
    HELD_BACK = 18,  // 1: the tool is not where the hand is, since it would push too hard
    LISTED = 20,     // 6 each: place, force
    NUMBERS = LISTED + 6 * CONTACT_MAX,
};
static double numbers[NUMBERS];

double *touch_numbers(void);
const char *touch_error(void);
PalStatus touch_read(int body, const void *bytes, int size);
PalStatus touch_open(double friction, double largest);
void touch_close(void);
void touch_rest(void);
void touch_move(double x, double y, double z, double w, double i, double j, double k, int at_once);
int touch_step(double most, double deadline);
void touch_replay(const double *poses, int count, double *forces);
void touch_look(void);
int touch_count(int body, int of_facets);
const int32_t *touch_facets(int body);
const float *touch_surface(int body);
const int32_t *touch_held(int body);
double touch_limit(void);

double *touch_numbers(void)
{
    return numbers;
}

const char *touch_error(void)
{
    return touch.error.text;
}

void touch_close(void)
{
    pal_haptic_destroy(touch.haptic);
    for (int s = 0; s < 2; ++s) {
        pal_vademecum_destroy(touch.books[s]);
        free(touch.nodes[s]);
        free(touch.surface[s]);
    }
    pal_mesh_destroy(touch.ball);
    touch = (Touch){0};
}

PalStatus touch_read(int body, const void *bytes, int size)
{
    pal_vademecum_destroy(touch.books[body]);
    return pal_vademecum_read_web(bytes, (size_t)size, &touch.books[body], &touch.error);
}

// The same ball that `palpate vademecum bench` touches with.
static PalStatus make_ball(void)
{
    PalShapeDef shape = pal_shape_def_default();
    shape.kind = PAL_SHAPE_SHELL_SPHERE;
    shape.cell_kind = PAL_CELL_TRIANGLE;
    shape.extent.x = pal_vademecum_facts(touch.books[0])->patch;
    shape.size = 0.125 * shape.extent.x;  // as `palpate vademecum bench` has it
    return pal_mesh_create_shape(&shape, &touch.ball, &touch.error);
}

static PalStatus make_pictures(void)
{
    for (int s = 0; s < 2; ++s) {
        size_t count = (size_t)pal_haptic_node_count(touch.haptic, s);
        touch.nodes[s] = calloc(count, sizeof(PalVec3));
        touch.surface[s] = calloc(3 * count, sizeof(float));
        if (touch.nodes[s] == NULL || touch.surface[s] == NULL)
            return pal_error_set(&touch.error, PAL_NO_MEMORY, "no memory for surfaces");
    }
    return PAL_OK;
}

// With the vademecums that were read: one and a ball, or two.
PalStatus touch_open(double friction, double largest)
{
    PalHapticDef def = pal_haptic_def_default();
    PalHapticRigid rigid;
    if (touch.books[0] == NULL)
        return pal_error_set(&touch.error, PAL_BAD_INPUT, "there is no vademecum");
    if (touch.books[1] == NULL) {
        PAL_TRY(make_ball());
        rigid = (PalHapticRigid){touch.ball->node_count, touch.ball->cell_count, touch.ball->nodes,
                                 (const int32_t(*)[3])touch.ball->cells};
        def.rigids[1] = &rigid;
    }
    touch.limit = INFINITY;
    for (int s = 0; s < 2; ++s) {
        def.books[s] = touch.books[s];
        if (def.books[s] != NULL) {
            const PalVademecumFacts *facts = pal_vademecum_facts(touch.books[s]);
            touch.limit = fmin(touch.limit, largest * facts->largest);
            if (facts->method == PAL_VADEMECUM_PGD)
                def.answer = PAL_HAPTIC_PRINTED;
        }
    }
    def.friction = friction;
    PAL_TRY(pal_haptic_create(&def, &touch.haptic, &touch.error));
    touch.wanted = pal_haptic_pose(touch.haptic, 1);
    return make_pictures();
}

void touch_rest(void)
{
    pal_haptic_reset(touch.haptic);
}

// The hand, or what holds it, is here now. At once: the tool goes there in one step.
void touch_move(double x, double y, double z, double w, double i, double j, double k, int at_once)
{
    touch.wanted = (PalHapticPose){{x, y, z}, {w, i, j, k}};
    if (at_once)
        pal_haptic_set_pose(touch.haptic, 1, &touch.wanted);
}

static double dot(PalVec3 a, PalVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// The tool follows the hand, at most so far in a step, and slower the nearer the force is to what
// the vademecum was made for; above that it gives way.
static void follow(double most)
{
    PalHapticPose pose = pal_haptic_pose(touch.haptic, 1);
    const PalVec3 force = pal_haptic_force(touch.haptic).contact_force;
    const PalVec3 want = touch.wanted.position;
    PalVec3 way = {want.x - pose.position.x, want.y - pose.position.y, want.z - pose.position.z};
    double size = sqrt(dot(force, force)), length = sqrt(dot(way, way));
    double part = length > 0 ? fmin(0.2, most / length) : 0, back = 0;
    if (size > 0) {
        double into = -part * dot(way, force) / size;  // against the force
        double left = fmin(1, fmax(0, 2 * (1 - size / touch.limit)));
        back = into > 0 ? (1 - left) * into : 0;
        if (size > touch.limit)
            back += 0.5 * most * fmin(1, 2 * (size / touch.limit - 1));
        back /= size;
    }
    numbers[HELD_BACK] = size > 0.9 * touch.limit && length > 5 * most;
    pose.position.x += part * way.x + back * force.x;
    pose.position.y += part * way.y + back * force.y;
    pose.position.z += part * way.z + back * force.z;
    PalQuaternion *q = &pose.rotation, to = touch.wanted.rotation;
    double side = q->w * to.w + q->x * to.x + q->y * to.y + q->z * to.z < 0 ? -0.1 : 0.1;
    *q = (PalQuaternion){0.9 * q->w + side * to.w, 0.9 * q->x + side * to.x,
                         0.9 * q->y + side * to.y, 0.9 * q->z + side * to.z};
    pal_haptic_set_pose(touch.haptic, 1, &pose);
}

// One step of the loop; the tool moves towards the hand by at most `most`. The work ahead of the
// next one may take twice the deadline.
int touch_step(double most, double deadline)
{
    follow(most);
    PalHapticQuality quality = pal_haptic_step(touch.haptic, deadline);
    pal_haptic_prepare_within(touch.haptic, 2 * deadline);
    numbers[QUALITY] = quality;
    return (int)quality;
}

// Forces along a path, each pose as it stands: x y z w i j k, and what `bench` prints.
void touch_replay(const double *poses, int count, double *forces)
{
    for (int p = 0; p < count; ++p, poses += 7, forces += 3) {
        touch_move(poses[0], poses[1], poses[2], poses[3], poses[4], poses[5], poses[6], 1);
        pal_haptic_step(touch.haptic, 0);
        pal_haptic_prepare(touch.haptic);
        PalVec3 force = pal_haptic_force(touch.haptic).contact_force;
        memcpy(forces, &force, sizeof force);
    }
}

// Force, contacts and surfaces as of the last step, for a picture.
void touch_look(void)
{
    PalHapticForce now = pal_haptic_force(touch.haptic);
    PalHapticPose pose = pal_haptic_pose(touch.haptic, 1);
    memcpy(numbers + FORCE, &now.contact_force, sizeof now.contact_force);
    memcpy(numbers + TORQUE, &now.contact_torque, sizeof now.contact_torque);
    memcpy(numbers + POSITION, &pose.position, sizeof pose.position);
    numbers[ROTATION] = pose.rotation.w;
    numbers[ROTATION + 1] = pose.rotation.x;
    numbers[ROTATION + 2] = pose.rotation.y;
    numbers[ROTATION + 3] = pose.rotation.z;
    numbers[CONTACTS] = now.contacts;
    numbers[CANDIDATES] = now.candidates;
    numbers[DEEPEST] = now.deepest;
    int32_t count = pal_haptic_contacts(touch.haptic, touch.contacts, CONTACT_MAX);
    count = count < CONTACT_MAX ? count : CONTACT_MAX;
    numbers[SHOWN] = count;
    for (int32_t c = 0; c < count; ++c) {
        memcpy(numbers + LISTED + 6 * c, &touch.contacts[c].place, sizeof(PalVec3));
        memcpy(numbers + LISTED + 6 * c + 3, &touch.contacts[c].force, sizeof(PalVec3));
    }
    for (int s = 0; s < 2; ++s) {
        pal_haptic_surface(touch.haptic, s, touch.nodes[s]);
        for (int32_t n = 0; n < pal_haptic_node_count(touch.haptic, s); ++n) {
            touch.surface[s][3 * n] = (float)touch.nodes[s][n].x;
            touch.surface[s][3 * n + 1] = (float)touch.nodes[s][n].y;
            touch.surface[s][3 * n + 2] = (float)touch.nodes[s][n].z;
        }
    }
}

int touch_count(int body, int of_facets)
{
    return of_facets ? pal_haptic_facet_count(touch.haptic, body)
                     : pal_haptic_node_count(touch.haptic, body);
}

const int32_t *touch_facets(int body)
{
    return &pal_haptic_facets(touch.haptic, body)[0][0];
}

const float *touch_surface(int body)
{
    return touch.surface[body];
}

// Which of the nodes of a vademecum's surface are held: bits; NULL for a ball.
const int32_t *touch_held(int body)
{
    PalVademecumArray list[PAL_VADEMECUM_ARRAY_MAX];
    if (touch.books[body] == NULL)
        return NULL;
    int32_t count = pal_vademecum_arrays(touch.books[body], list);
    for (int32_t i = 0; i < count; ++i)
        if (strcmp(list[i].name, "held") == 0)
            return list[i].data;
    return NULL;
}

double touch_limit(void)
{
    return touch.limit;
}
