#include "mesh/readers/msh.h"

#include <stdio.h>

typedef struct Shape {
    const char *name;
    PalRawKind kind;  // of first order
    int32_t dimension;
    int32_t node_count;  // of first order
} Shape;

enum { P, L, T, Q, V, H, W, Y, G, F };  // F: polyhedra
static const Shape shapes[] = {
    [P] = {"point", PAL_RAW_POINT, 0, 1},
    [L] = {"line", PAL_RAW_LINE, 1, 2},
    [T] = {"triangle", PAL_RAW_TRIANGLE, 2, 3},
    [Q] = {"quadrilateral", PAL_RAW_QUAD, 2, 4},
    [V] = {"tetrahedron", PAL_RAW_TETRAHEDRON, 3, 4},
    [H] = {"hexahedron", PAL_RAW_HEXAHEDRON, 3, 8},
    [W] = {"prism", PAL_RAW_OTHER, 3, 6},
    [Y] = {"pyramid", PAL_RAW_OTHER, 3, 5},
    [G] = {"polygon", PAL_RAW_OTHER, 2, 0},
    [F] = {"polyhedron", PAL_RAW_OTHER, 3, 0},
};

// Shape and number of nodes by Gmsh's number; no nodes: the number is not in use.
static const struct {
    uint8_t shape;
    int16_t node_count;
} types[] = {
    [1] = {L, 2}, {T, 3},   {Q, 4},   {V, 4},         {H, 8},   {W, 6},   {Y, 5},    {L, 3},
    {T, 6},       {Q, 9},   {V, 10},  {H, 27},        {W, 18},  {Y, 14},  {P, 1},    {Q, 8},
    {H, 20},      {W, 15},  {Y, 13},  {T, 9},         {T, 10},  {T, 12},  {T, 15},   {T, 15},
    {T, 21},      {L, 4},   {L, 5},   {L, 6},         {V, 20},  {V, 35},  {V, 56},   {V, 22},
    {V, 28},      {G, -1},  {F, -1},  {Q, 16},        {Q, 25},  {Q, 36},  {Q, 12},   {Q, 16},
    {Q, 20},      {T, 28},  {T, 36},  {T, 45},        {T, 55},  {T, 66},  {Q, 49},   {Q, 64},
    {Q, 81},      {Q, 100}, {Q, 121}, {T, 18},        {T, 21},  {T, 24},  {T, 27},   {T, 30},
    {Q, 24},      {Q, 28},  {Q, 32},  {Q, 36},        {Q, 40},  {L, 7},   {L, 8},    {L, 9},
    {L, 10},      {L, 11},  {L, 2},   {G, -1},        {G, -1},  {L, 2},   {V, 84},   {V, 120},
    {V, 165},     {V, 220}, {V, 286}, [79] = {V, 34}, {V, 40},  {V, 46},  {V, 52},   {V, 58},
    {L, 1},       {T, 1},   {Q, 1},   {V, 1},         {H, 1},   {W, 1},   {W, 40},   {W, 75},
    {H, 64},      {H, 125}, {H, 216}, {H, 343},       {H, 512}, {H, 729}, {H, 1000}, {H, 32},
    {H, 44},      {H, 56},  {H, 68},  {H, 80},        {H, 92},  {H, 104}, {W, 126},  {W, 196},
    {W, 288},     {W, 405}, {W, 550}, {W, 24},        {W, 33},  {W, 42},  {W, 51},   {W, 60},
    {W, 69},      {W, 78},  {Y, 30},  {Y, 55},        {Y, 91},  {Y, 140}, {Y, 204},  {Y, 285},
    {Y, 385},     {Y, 21},  {Y, 29},  {Y, 37},        {Y, 45},  {Y, 53},  {Y, 61},   {Y, 69},
    {Y, 1},       {P, 1},   {L, 2},   {T, 3},         {V, 4},   {V, 16},  {T, 4},    {V, 5},
    {F, 4},
};

bool pal_msh_type(int64_t number, PalMshType *type)
{
    if (number < 1 || number >= (int64_t)(sizeof types / sizeof *types) ||
        types[number].node_count == 0)
        return false;
    const Shape *shape = &shapes[types[number].shape];
    int32_t count = types[number].node_count;
    // 67, 70: borders between cells; 133 to 136: parts cut by a level set
    bool plain = number <= 5 || number == 15;
    bool divided = number == 8 || number == 9;  // lines and triangles with a node on each edge
    type->kind = plain || divided ? shape->kind
                 : number == 11   ? PAL_RAW_QUADRATIC_TETRAHEDRON
                                  : PAL_RAW_OTHER;
    type->piece_count = divided ? PAL_RAW_PIECES(shape->kind) : 1;
    type->dimension = shape->dimension;
    type->node_count = count < 0 ? 0 : count;
    type->high_order = shape->node_count > 0 && count != shape->node_count;
    return true;
}

void pal_msh_note_unfit(const PalMsh *msh, const char *where, int64_t number)
{
    PalMshType type;
    if (!pal_msh_type(number, &type))
        return;
    char name[40];
    const char *shape = shapes[types[number].shape].name;
    int32_t count = types[number].node_count;
    if (count > 1)
        snprintf(name, sizeof name, "%d-node %s (Gmsh type %d)", count, shape, (int)number);
    else
        snprintf(name, sizeof name, "%s (Gmsh type %d)", shape, (int)number);
    pal_raw_note_unfit(msh->raw, msh->cursor, where, type.dimension, type.high_order, name);
}
