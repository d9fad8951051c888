// Ends that turn: a displacement is y (cos a - 1) - z sin a along y, and y sin a + z (cos a - 1)
// along z, each term a condition of its own with y or z as the nodes' weights.
#include "make.h"

#include <math.h>
#include <stdlib.h>

typedef struct End {
    const PalTwistedBox *box;
    bool highest;
    int32_t node_count;
    int32_t *nodes;
    const PalMesh *mesh;
} End;

// cos - 1 and sin of an angle that grows to so many turns, as points every other degree.
static void write_ramp(FILE *scene, bool cosine, double turns, double time)
{
    int32_t count = 8 + (int32_t)(180 * fabs(turns));
    fprintf(scene, " [");
    for (int32_t i = 0; i <= count; ++i) {
        double angle = 2 * acos(-1) * turns * i / count;
        fprintf(scene, "%s[%.9g, %.9g]", i > 0 ? ", " : "", time * i / count,
                cosine ? cos(angle) - 1 : sin(angle));
    }
    fprintf(scene, "]");
}

static void write_weights(FILE *scene, const End *end, bool by_z)
{
    fprintf(scene, "weights: [");
    for (int32_t i = 0; i < end->node_count; ++i) {
        PalVec3 node = end->mesh->nodes[end->nodes[i]];
        fprintf(scene, "%s%.9g", i > 0 ? ", " : "",
                by_z ? end->box->centre.z + node.z : end->box->centre.y + node.y);
    }
    fprintf(scene, "]");
}

static void write_end(FILE *scene, const End *end)
{
    static const struct {
        bool along_z, by_z, cosine;
        double sign;
    } terms[4] = {{false, false, true, 1},
                  {false, true, false, -1},
                  {true, false, false, 1},
                  {true, true, true, 1}};
    const PalTwistedBox *box = end->box;
    const char *side = end->highest ? "x-max" : "x-min";
    double way = end->highest ? 1 : -1;
    fprintf(scene,
            "  - {body: %s, where: {plane: %s}, displace: [%.9g, null, null], ramp: linear}\n",
            box->name, side, -way * box->approach / 2);
    for (int t = 0; t < 4; ++t) {
        // Both ends share the ramps; the lower end turns the other way.
        bool written = box->again || end->highest || t >= 2;
        const char *ramp = terms[t].cosine ? "cosine" : "sine";
        double sign = terms[t].cosine ? terms[t].sign : way * terms[t].sign;
        fprintf(scene, "  - {body: %s, where: {plane: %s}, displace: ", box->name, side);
        fprintf(scene, terms[t].along_z ? "[null, null, %g]" : "[null, %g, null]", sign);
        fprintf(scene, ", ");
        write_weights(scene, end, terms[t].by_z);
        fprintf(scene, ", ramp: %c%s", written ? '*' : '&', ramp);
        if (!written)
            write_ramp(scene, terms[t].cosine, box->turns / 2, box->time);
        fprintf(scene, " }\n");
    }
}

PalStatus pal_making_twist(const PalMaking *making, const PalTwistedBox *box, PalError *error)
{
    PalShapeDef shape = pal_shape_def_default();
    shape.extent = box->extent;
    for (int i = 0; i < 3; ++i)
        shape.cells[i] = box->cells[i];
    PalMesh *mesh = NULL;
    PAL_TRY(pal_mesh_create_shape(&shape, &mesh, error));
    PalStatus status = PAL_OK;
    for (int e = 0; e < 2 && status == PAL_OK; ++e) {
        End end = {.box = box, .highest = e == 1, .mesh = mesh};
        PalWhere where = {.kind = PAL_WHERE_SIDE, .axis = 0, .highest = end.highest};
        status = pal_mesh_select_nodes(mesh, &where, &end.nodes, &end.node_count, error);
        if (status == PAL_OK)
            write_end(making->scene, &end);
        free(end.nodes);
    }
    pal_mesh_destroy(mesh);
    return status;
}

static void write_body(FILE *scene, const PalTwistedBox *box, const char *material)
{
    fprintf(scene,
            "  - name: %s\n    shape: {box: [%g, %g, %g], cells: [%d, %d, %d]}\n"
            "    place: {translate: [%.9g, %.9g, %.9g]}\n    material: %s\n",
            box->name, box->extent.x, box->extent.y, box->extent.z, (int)box->cells[0],
            (int)box->cells[1], (int)box->cells[2], box->centre.x, box->centre.y, box->centre.z,
            material);
}

static PalStatus make_mat(const PalMaking *making, PalError *error)
{
    PalTwistedBox mat = {.name = "mat",
                         .extent = {1, 0.25, 0.02},
                         .cells = {36, 12, 1},
                         .turns = 4,
                         .approach = 0.3,
                         .time = 20};
    FILE *scene = making->scene;
    fprintf(scene, "bodies:\n");
    write_body(scene, &mat, "{law: neo-hookean, young: 1000, poisson: 0.3, density: 1000}");
    fprintf(scene, "conditions:\n");
    PAL_TRY(pal_making_twist(making, &mat, error));
    fprintf(scene, "contact:\n  - {self: mat}\nsolver: {time: %g, step: 0.004, damping: 1}\n",
            mat.time);
    return PAL_OK;
}

const PalMaker pal_maker_mat = {
    .name = "twisted-mat",
    .help = "A thin mat is twisted by four turns, and folds and winds up on itself.",
    .make = make_mat,
};

static PalStatus make_rods(const PalMaking *making, PalError *error)
{
    FILE *scene = making->scene;
    int32_t n = making->size;
    double time = 6;
    PalStatus status = PAL_OK;
    for (int pass = 0; pass < 2 && status == PAL_OK; ++pass) {
        fprintf(scene, pass == 0 ? "bodies:\n" : "conditions:\n");
        for (int32_t r = 0; r < n * n && status == PAL_OK; ++r) {
            char name[32];
            snprintf(name, sizeof name, "rod-%d", (int)r);
            PalTwistedBox rod = {
                .name = name,
                .extent = {1, 0.05, 0.05},
                .centre = {0, 0.053 * (r % n - (n - 1) / 2.0), 0.053 * (r / n - (n - 1) / 2.0)},
                .cells = {20, 2, 2},
                .turns = 1,
                .approach = 0.1,
                .time = time,
                .again = r > 0};
            if (pass == 0)
                write_body(scene, &rod,
                           "{law: neo-hookean, young: 1000, poisson: 0.3, density: 1000}");
            else
                status = pal_making_twist(making, &rod, error);
        }
    }
    fprintf(scene, "contact:\n  - {between: all}\nsolver: {time: %g, step: 0.006, damping: 1}\n",
            time);
    return status;
}

const PalMaker pal_maker_rods = {
    .name = "twisted-rods",
    .help = "A bundle of square rods is twisted by one turn.",
    .size = 4,
    .make = make_rods,
};
