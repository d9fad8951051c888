// Signed distances: against those of shapes known in closed form, and the sign against the
// solid angle of the surface.
#include "check.h"
#include "geometry/field.h"
#include "geometry/nearest.h"
#include "math/vec3.h"
#include <palpate/mesh.h>

typedef struct Shape {
    PalMesh *mesh;
    PalSurface *surface;
} Shape;

static Shape ball(void)
{
    Shape shape = {0};
    PalError error = {0};
    PalShapeDef def = pal_shape_def_default();
    def.kind = PAL_SHAPE_SPHERE;
    def.size[0] = 1;
    def.target_size = 0.2;
    check_ok(pal_mesh_create_shape(&def, &shape.mesh, &error), &error);
    check_ok(pal_mesh_boundary(shape.mesh, &shape.surface, &error), &error);
    return shape;
}
