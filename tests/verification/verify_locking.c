// Elements that are to follow tissue which can hardly change its volume: a cylinder between plates
// that it sticks to, and Cook's membrane. docs/theory/elements.md, 8 and 9
#include "simulate.h"

#define SQUEEZE 0.01

// ---- a cylinder of radius and height 1, pressed by 1 % --------------------------------------

static Simulation cylinder(PalElementKind element, double ratio, int32_t across)
{
    Simulation s = simulate_box(pal_vec3(1, 1, 0), across, across / 2, 0);
    s.shape.kind = PAL_SHAPE_CYLINDER;
    s.body.element = element;
    s.material.parameters[0] = 1;
    s.material.parameters[1] = ratio;
    s.material.density = 1;
    s.sim.solver.method = PAL_METHOD_IMPLICIT_STATIC;
    simulate_on_side(&s, PAL_CONDITION_FIX, 2, false);
    simulate_on_side(&s, PAL_CONDITION_DISPLACE, 2, true)->value = pal_vec3(0, 0, -SQUEEZE);
    return s;
}

// Force of the upper plate over strain.
static double stiffness(const Simulation *s)
{
    double sum = 0;
    for (int32_t n = 0; n < s->mesh->node_count; ++n)
        if (s->mesh->nodes[n].z > 0)
            sum -= pal_sim_state(s->run)->reaction[n].z;
    return sum / SQUEEZE;
}

typedef struct Cell {
    double radius, height;  // of the middle, from the axis and from half way up
    double volume, pressure;
} Cell;

static Cell *find_cells(Simulation *s)
{
    const int32_t count = s->mesh->cell_count, corners = pal_cell_node_count(s->mesh->cell_kind);
    double(*stress)[6] = calloc((size_t)count, sizeof *stress);
    Cell *cells = calloc((size_t)count, sizeof *cells);
    PalCellFields fields = {.stress = stress};
    assert_int_equal(pal_sim_cell_fields(s->run, 0, &fields), PAL_OK);
    for (int32_t c = 0; c < count; ++c) {
        PalVec3 x[4], middle = {0};
        for (int a = 0; a < 4; ++a) {
            x[a] = s->mesh->nodes[s->mesh->cells[(int64_t)c * corners + a]];
            middle = pal_vec3_add_scaled(middle, 0.25, x[a]);
        }
        for (int a = 1; a < 4; ++a)
            x[a] = pal_vec3_sub(x[a], x[0]);
        cells[c] = (Cell){hypot(middle.x, middle.y), fabs(middle.z),
                          pal_vec3_dot(x[1], pal_vec3_cross(x[2], x[3])) / 6,
                          -(stress[c][0] + stress[c][1] + stress[c][2]) / 3};
    }
    free(stress);
    return cells;
}
static void table(void **state)
{
    (void)state;
    int across=atoi(getenv("ACROSS")?getenv("ACROSS"):"16");
    double r=atof(getenv("RATIO")?getenv("RATIO"):"1000");
    Simulation s = cylinder(PAL_ELEMENT_T10, r, across);
    simulate_start(&s);
    simulate_all(&s);
    Cell*cells=find_cells(&s);
    printf("stiffness %.6f cells %d\n",stiffness(&s),s.mesh->cell_count);
    double sum[6][11]={{0}},vol[6][11]={{0}};
    for(int32_t c=0;c<s.mesh->cell_count;++c){ int i=(int)(cells[c].height/0.1),j=(int)(cells[c].radius/0.1); if(i>4)i=4;if(j>9)j=9; sum[i][j]+=cells[c].volume*cells[c].pressure; vol[i][j]+=cells[c].volume;}
    for(int i=0;i<5;++i){printf("{");for(int j=0;j<10;++j)printf("%.3f, ",100*sum[i][j]/vol[i][j]);printf("},\n");}
    simulate_end(&s);
}
static const struct CMUnitTest tests[] = {cmocka_unit_test(table)};
CHECK_GROUP(tests, NULL, NULL)
