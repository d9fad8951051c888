// Locking and noise of elements, told in numbers: docs/theory/elements.md, "What elements cannot
// do".
#include "scene/check.h"

#include <math.h>

#define NOTE    PAL_FINDING_NOTE
#define WARNING PAL_FINDING_WARNING

// A block between two plates it sticks to, of 6 x 6 x 3 cells, pushes back too hard by about these
// parts, with r = bulk / shear.
#define T4_EXCESS     0.022  // times r
#define T4_ANP_EXCESS 0.046  // times the root of r

#define LOCKS 9.7  // bulk / shear just above that of Poisson's ratio 0.45

static double largest_ratio(const PalBodyDef *def)
{
    double largest = 0;
    for (int32_t m = 0; m < def->material_count; ++m) {
        double shear, bulk;
        pal_material_moduli(&def->materials[m], &shear, &bulk);
        largest = fmax(largest, bulk / shear);
    }
    return largest;
}

// Held in all directions at two places or more: its volume has nowhere to go.
static bool is_confined(const PalScene *scene, int32_t body_index)
{
    int32_t places = 0;
    for (int32_t i = 0; i < scene->sim.model.condition_count; ++i) {
        const PalConditionDef *def = &scene->condition_defs[i];
        bool holds = def->kind == PAL_CONDITION_FIX || def->kind == PAL_CONDITION_DISPLACE ||
                     def->kind == PAL_CONDITION_ROTATE;
        places +=
            holds && def->body_index == body_index && def->axes[0] && def->axes[1] && def->axes[2];
    }
    return places >= 2;
}

static void check_locking(const PalScene *scene, int32_t body_index, PalFindings *findings)
{
    const PalBodyDef *def = &scene->body_defs[body_index];
    double ratio = largest_ratio(def), poisson = (3 * ratio - 2) / (6 * ratio + 2);
    if (!(ratio > LOCKS))
        return;
    if (pal_element_traits(def->element)->locks)
        pal_findings_add(
            findings, WARNING,
            "body \"%s\": Poisson's ratio is %.4g (bulk is %.3g times shear), and "
            "element %s locks above 0.45: a block held on two sides is about %.2g %% "
            "too stiff; use element: mixed, or t10 (palpate convert --quadratic makes its "
            "mesh), or h8",
            def->name, poisson, ratio, pal_element_name(def->element), 100 * T4_EXCESS * ratio);
    if (def->element == PAL_ELEMENT_T4_ANP)
        pal_findings_add(
            findings, is_confined(scene, body_index) ? WARNING : NOTE,
            "body \"%s\": bulk is %.3g times shear: where its volume has nowhere to "
            "go, element t4-anp is about %.2g %% too stiff, and pressures of single "
            "cells vary by 20 to 130 %% of their mean; use mixed or t10, which are within "
            "5 %% there",
            def->name, ratio, 100 * T4_ANP_EXCESS * sqrt(ratio));
}

// One layer of hexahedra is bent by what its control says of bending.
static void check_layer(const PalBodyDef *def, PalFindings *findings)
{
    if (def->hourglass_control == PAL_HOURGLASS_NONE) {
        pal_findings_add(findings, WARNING,
                         "body \"%s\" is one layer of %s thick: with hourglass-control f-bar it "
                         "bends too much, by 20 %% (Poisson's ratio 0.3) to 40 %% (0.5) if its "
                         "cells are cubes; use hourglass-control: bending",
                         def->name, pal_element_name(def->element));
        return;
    }
    pal_findings_add(findings, WARNING,
                     "body \"%s\" is one layer of %s thick: with hourglass-control plain it bends "
                     "by its hourglass stiffness alone, with hourglass %.3g by about %.2g times as "
                     "much as theory says if its cells are cubes; use hourglass-control: bending",
                     def->name, pal_element_name(def->element), def->hourglass,
                     1 / (9 * def->hourglass));
}

PalStatus pal_check_element(const PalScene *scene, int32_t body_index, PalFindings *findings,
                            PalError *error)
{
    const PalBodyDef *def = &scene->body_defs[body_index];
    bool one_layer = false;
    check_locking(scene, body_index, findings);
    if (pal_element_traits(def->element)->has_hourglass &&
        def->hourglass_control != PAL_HOURGLASS_BENDING)
        PAL_TRY(pal_scene_find_one_layer(def->mesh, &one_layer, error));
    if (one_layer)
        check_layer(def, findings);
    return PAL_OK;
}
