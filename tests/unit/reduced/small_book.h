// A small vademecum for tests: a soft beam of a few cells that bends far.
#ifndef PAL_TESTS_SMALL_BOOK_H
#define PAL_TESTS_SMALL_BOOK_H

#include "check.h"
#include "reduced/vademecum.h"

typedef struct SmallBook {
    PalMesh *mesh;
    PalMaterialDef material;
    PalBodyDef body;
    PalConditionDef hold;
    PalModelDef model;
    PalVademecumDef def;
} SmallBook;

// Fills the definition; the struct must stay where it is.
static inline void small_book_init(SmallBook *s, int32_t cells, PalVademecumMethod method)
{
    PalError error = {0};
    PalShapeDef shape = pal_shape_def_default();
    shape.kind = PAL_SHAPE_BOX;
    shape.extent = (PalVec3){cells, 1, 1};
    shape.cells[0] = cells;
    shape.cells[1] = shape.cells[2] = 1;
    *s = (SmallBook){.material = pal_material_def_default()};
    check_ok(pal_mesh_create_shape(&shape, &s->mesh, &error), &error);
    s->material.law = pal_law_find("st-venant-kirchhoff");
    s->material.parameters[0] = 400;
    s->material.parameters[1] = 800;
    s->body = pal_body_def_default();
    s->body.name = "beam";
    s->body.mesh = s->mesh;
    s->body.material_count = 1;
    s->body.materials = &s->material;
    s->hold = pal_condition_def_default();
    s->hold.kind = PAL_CONDITION_FIX;
    s->hold.axes[0] = s->hold.axes[1] = s->hold.axes[2] = true;
    s->hold.where.kind = PAL_WHERE_SIDE;
    s->model = pal_model_def_default();
    s->model.body_count = 1;
    s->model.bodies = &s->body;
    s->model.condition_count = 1;
    s->model.conditions = &s->hold;
    s->def = pal_vademecum_def_default();
    s->def.model = &s->model;
    s->def.patch = 1.2;
    s->def.largest = 8;
    s->def.directions = PAL_DIRECTIONS_ONE;
    s->def.direction = (PalVec3){0, 0, -1};
    s->def.method = method;
    s->def.mode_limit = 24;
    s->def.heldout_count = 6;
    s->def.thread_count = 1;
}

static inline void small_book_clear(SmallBook *s)
{
    pal_mesh_destroy(s->mesh);
}

// The definition, and a vademecum of it.
static inline PalVademecum *small_book_build(SmallBook *s, int32_t cells, PalVademecumMethod method,
                                             int32_t modes, int32_t heldout)
{
    PalError error = {0};
    PalVademecum *book = NULL;
    small_book_init(s, cells, method);
    s->def.mode_limit = modes;
    s->def.heldout_count = heldout;
    check_ok(pal_vademecum_build(&s->def, &book, &error), &error);
    return book;
}

#endif
