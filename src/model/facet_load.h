// Pressure or traction on facets of the current shape.
#ifndef PAL_MODEL_FACET_LOAD_H
#define PAL_MODEL_FACET_LOAD_H

#include <palpate/model.h>

typedef struct PalFacetLoad {
    int32_t condition;
    bool follows;  // pressure: along the current normal; otherwise traction
    double pressure;
    PalVec3 traction;
    int32_t corner_count;  // 3, 4, or 6: corners, and nodes on the edges 01 12 20
    int32_t *facets;       // model node indices
    int32_t node_count;
    int32_t *nodes;    // loaded nodes, ascending
    int32_t *start;    // per loaded node: its first entry in corners
    int32_t *corners;  // facet * corner_count + corner
} PalFacetLoad;

// Where nodes are: reference + displacement.
typedef struct PalShape {
    const PalVec3 *reference, *displacement;
} PalShape;

PalStatus pal_facet_load_init(PalFacetLoad *load, const PalConditionDef *def, int32_t condition,
                              const PalBody *body, PalError *error);
void pal_facet_load_clear(PalFacetLoad *load);

// Adds factor times the load to the loaded nodes of [begin, end).
void pal_facet_load_add(const PalFacetLoad *load, const PalShape *shape, double factor,
                        int32_t begin, int32_t end, PalVec3 *external);

// Rule of six points for triangles, exact for polynomials of the fourth degree.
typedef struct PalTrianglePoint {
    double parts[3];  // of the corners
    double weight;    // they add up to 1/2
} PalTrianglePoint;
#define PAL_TRIANGLE_POINTS 6
extern const PalTrianglePoint pal_triangle_points[PAL_TRIANGLE_POINTS];

// Shape functions of a quadratic triangle and their derivatives by the parts of corners 1 and 2.
void pal_quadratic_triangle(const double parts[3], double N[6], double slopes[6][2]);

// Position of the first entry of an ascending list that is >= value; count if there is none.
int32_t pal_first_not_below(const int32_t *list, int32_t count, int32_t value);

#endif
