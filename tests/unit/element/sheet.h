// Thin bodies to test elements with: a bumpy sheet of triangles, some of its edges mirrored.
#ifndef PAL_TESTS_ELEMENT_SHEET_H
#define PAL_TESTS_ELEMENT_SHEET_H

#include "body.h"
#include "element/patch.h"
#include "element/type.h"
#include "mesh/across.h"

typedef struct Sheet {
    Body body;
    int32_t *connectivity;
    PalVec3 *mirrors;
} Sheet;

// nx times ny cells of two triangles each, nodes moved by up to `shake`.
static inline PalMesh *shaken_sheet(const int32_t cells[2], double shake, uint64_t *seed)
{
    int32_t across = cells[0] + 1, count = across * (cells[1] + 1);
    PalVec3 *nodes = calloc((size_t)count, sizeof *nodes);
    int32_t *corners = calloc((size_t)(cells[0] * cells[1]), 6 * sizeof *corners), *next = corners;
    for (int32_t n = 0; n < count; ++n)
        nodes[n] = pal_vec3_add(pal_vec3(n % across, n / across, 0), random_vector(shake, seed));
    for (int32_t c = 0; c < cells[0] * cells[1]; ++c) {
        int32_t a = c % cells[0] + across * (c / cells[0]);
        int32_t four[4] = {a, a + 1, a + 1 + across, a + across}, turn = c % 2;
        for (int k = 0; k < 6; ++k)
            *next++ = four[((int[]){0, 1, 2, 0, 2, 3}[k] + turn) % 4];
    }
    PalMeshDef def = {PAL_CELL_TRIANGLE, count, nodes, 2 * cells[0] * cells[1], corners};
    PalMesh *mesh = NULL;
    PalError error = {0};
    check_ok(pal_mesh_create(&def, &mesh, &error), &error);
    free(nodes);
    free(corners);
    return mesh;
}

static inline Sheet sheet_create(PalElementKind kind, const PalMaterialDef *material,
                                 const int32_t cells[2], double shake, uint64_t *seed)
{
    Sheet sheet = {.body.mesh = shaken_sheet(cells, shake, seed)};
    PalMesh *mesh = sheet.body.mesh;
    int32_t(*beside)[3] = calloc((size_t)mesh->cell_count, sizeof *beside);
    PalError error = {0};
    check_ok(pal_mesh_beside(mesh, beside, &error), &error);
    sheet.connectivity = calloc((size_t)mesh->cell_count, PAL_PATCH_NODES * sizeof(int32_t));
    sheet.mirrors = calloc((size_t)mesh->cell_count, 3 * sizeof(PalVec3));
    for (int32_t s = 0; s < 3 * mesh->cell_count; ++s) {
        int32_t c = s / 3, i = s % 3;
        if (i == 0)
            pal_patch_nodes(mesh, (const int32_t(*)[3])beside, c,
                            sheet.connectivity + PAL_PATCH_NODES * (int64_t)c);
        PalVec3 from = mesh->nodes[mesh->cells[3 * c + (i + 1) % 3]];
        PalVec3 to = mesh->nodes[mesh->cells[3 * c + (i + 2) % 3]];
        if (beside[c][i] == PAL_NONE && from.y < 0.5 && to.y < 0.5)
            sheet.mirrors[s] = pal_vec3(0.1, 1, 0.2);
    }
    free(beside);
    sheet.body.materials[0] = *material;
    sheet.body.parts[0] = (PalElementPartDef){.type = pal_element_type(kind),
                                              .element_count = mesh->cell_count,
                                              .connectivity = sheet.connectivity,
                                              .thickness = 0.3,
                                              .mirrors = sheet.mirrors};
    sheet.body.displacement = calloc((size_t)mesh->node_count, sizeof(PalVec3));
    sheet.body.def =
        (PalElementsDef){.node_count = mesh->node_count, .nodes = mesh->nodes, .part_count = 1};
    return sheet;
}

static inline void sheet_destroy(Sheet *sheet)
{
    free(sheet->connectivity);
    free(sheet->mirrors);
    body_destroy(&sheet->body);
}

// Laws a thin body can have; the second half is incompressible. False: no more of them.
static inline bool sheet_material(int32_t index, uint64_t *seed, PalMaterialDef *material)
{
    int32_t count = 0;
    for (int32_t l = 0; l < 2 * pal_law_count(); ++l) {
        const PalMaterialLaw *law = pal_law_at(l % pal_law_count());
        bool fibres = false;
        for (int32_t k = 0; k < pal_law_parameter_count(law); ++k)
            fibres = fibres || pal_law_vector_stem(law, k) > 0;
        if (fibres || count++ != index)
            continue;
        *material = random_material(law, seed);
        material->incompressible = l >= pal_law_count();
        if (l % 2 == 1) {
            material->bending_young = 3;
            material->bending_poisson = 0.25;
        }
        return true;
    }
    return false;
}

#endif
