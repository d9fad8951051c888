// What a frame shows: soft bodies and rigid instruments in one set of points and cells, with
// fields, and the surface as triangles. The topology is set once, the values at every frame.
#ifndef PAL_OUTPUT_FRAME_H
#define PAL_OUTPUT_FRAME_H

#include <palpate/output.h>

// A body's part of the points and cells.
typedef struct PalFrameBody {
    const char *name;  // borrowed from the model, as the cells are
    const int32_t *cells;
    int32_t cell_count, corner_count;  // corner_count: of one cell
    int32_t first_point, first_cell;
    int64_t first_corner;
    uint8_t type;  // VTK's number
    bool free;     // a rigid body that moves by itself
} PalFrameBody;

// Points and cells of soft bodies come first, in the model's numbering, then those of rigids.
typedef struct PalFrame {
    int32_t body_count;  // soft and rigid
    int32_t soft_body_count;
    PalFrameBody *bodies;

    int32_t point_count, soft_point_count;
    PalVec3 *reference, *displacement, *velocity, *position;
    PalVec3 *contact;      // force of contact, on soft bodies
    double *pressure;      // of contact, there
    double *area;          // around each point that feels it
    double *area_squares;  // the same, of facets that count in part by the square of that part

    int32_t cell_count, soft_cell_count;
    int64_t corner_count;
    const int32_t *material;  // of soft cells; borrowed from the model
    // Of all cells, 0 on rigids; NULL until they are asked for.
    double *von_mises, *energy_density, *volume_ratio;
    double (*stress)[6], (*strain)[6];
    bool still;     // nobody asks for velocities of soft bodies: they are not found
    bool has_thin;  // some body is thin: these are told with the stress
    double *thickness;
    double (*top)[6], (*bottom)[6], (*tension)[6], (*moment)[6];

    int32_t triangle_count;
    int32_t (*triangles)[3];
    uint8_t *triangle_edges;  // bit i: the side from corner i to the next is one of the mesh
    int32_t *triangle_body;

    double time;
    int64_t step_count;
    PalMeasures measures;
} PalFrame;

PalStatus pal_frame_create(const PalModel *model, PalFrame **frame, PalError *error);
void pal_frame_destroy(PalFrame *frame);

// Where everything is, and how it moves.
void pal_frame_follow(PalFrame *frame, PalSim *sim);

// What else a frame with these fields tells, of the state that it follows.
PalStatus pal_frame_find(PalFrame *frame, PalSim *sim, const bool fields[PAL_FIELD_COUNT],
                         PalError *error);

// What pictures and the report show of it: von Mises stress and pressures.
PalStatus pal_frame_find_shown(PalFrame *frame, PalSim *sim, PalError *error);

// Places the points of a rigid instrument, from `first` on. Returns the point after them.
int32_t pal_frame_move_rigid(PalFrame *frame, int32_t first, const PalRigid *rigid,
                             const PalPose *pose, const PalTwist *twist);

// position = reference + displacement
void pal_frame_place(PalFrame *frame);

// Forces and pressures of contact.
void pal_frame_find_contact(PalFrame *frame, const PalSim *sim);

// pressure and area out of contact and position
void pal_frame_find_pressures(PalFrame *frame);

// Mean von Mises stress of the cells around each point, by volume-blind average; 0 where nobody has
// asked for it.
void pal_frame_point_stress(const PalFrame *frame, double *values, int32_t *counts);

#endif
