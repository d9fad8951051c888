// What a frame shows: soft bodies and rigid instruments in one set of points and cells, with
// fields, and the surface as triangles. The topology is set once, the values at every frame.
#ifndef PAL_OUTPUT_FRAME_H
#define PAL_OUTPUT_FRAME_H

#include "output/text.h"

#include <palpate/output.h>

// Points and cells of soft bodies come first, in the model's numbering, then those of rigids.
typedef struct PalFrame {
    int32_t body_count;  // soft and rigid
    int32_t soft_body_count;
    const char **names;  // borrowed from the model
    char **labels;       // "body.<name>": a VTU file tells each body's number by this
    int32_t *numbers;    // 0, 1, 2, ...
    bool *free;          // a rigid body that moves by itself

    int32_t point_count, soft_point_count;
    PalVec3 *reference, *displacement, *velocity, *position;
    PalVec3 *contact;  // force of contact, on soft bodies
    double *pressure;  // of contact, there
    double *area;      // scratch, per point

    int32_t cell_count, soft_cell_count;
    int64_t corner_count;
    int32_t *corners;
    int64_t *offsets;  // end of each cell's corners
    uint8_t *types;    // VTK's numbers
    int32_t *body, *material;
    double *von_mises, *energy_density;
    double (*stress)[6];

    int32_t triangle_count;
    int32_t (*triangles)[3];
    uint8_t *triangle_edges;  // bit i: the side from corner i to the next is one of the mesh
    int32_t *triangle_body;

    double time;
    int64_t step_count;
} PalFrame;

PalStatus pal_frame_create(const PalModel *model, PalFrame **frame, PalError *error);
void pal_frame_destroy(PalFrame *frame);

// Takes every value from the simulation.
PalStatus pal_frame_update(PalFrame *frame, PalSim *sim, PalError *error);

// The same without pressures and the fields of cells, which stay as they were.
void pal_frame_follow(PalFrame *frame, const PalSim *sim);

// Places the points of a rigid instrument, from `first` on. Returns the point after them.
int32_t pal_frame_move_rigid(PalFrame *frame, int32_t first, const PalRigid *rigid,
                             const PalPose *pose, const PalTwist *twist);

// position = reference + displacement
void pal_frame_place(PalFrame *frame);

// pressure out of contact and position
void pal_frame_find_pressures(PalFrame *frame);

// The frame as a VTU file, added to the text.
PalStatus pal_frame_encode(const PalFrame *frame, const bool fields[PAL_FIELD_COUNT],
                           int32_t thread_count, PalText *text, PalError *error);

// Mean von Mises stress of the cells around each point, by volume-blind average.
void pal_frame_point_stress(const PalFrame *frame, double *values, int32_t *counts);

#endif
