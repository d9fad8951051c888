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

#define TOO_STIFF 0.25  // of these: more is warned of wherever a body may be confined

#define SLENDER 5  // lengths over thickness

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
            "body \"%s\": Poisson's ratio is %.4g (bulk is %s times shear), and "
            "element %s locks above 0.45: a block held on two sides is about %s %% "
            "too stiff; use element: mixed, or t10 (palpate convert --quadratic makes its "
            "mesh), or h8",
            def->name, poisson, pal_amount_digits(ratio, 3).text, pal_element_name(def->element),
            pal_amount_digits(100 * T4_EXCESS * ratio, 2).text);
    if (def->element == PAL_ELEMENT_T4_ANP)
        pal_findings_add(
            findings,
            is_confined(scene, body_index) || T4_ANP_EXCESS * sqrt(ratio) > TOO_STIFF ? WARNING
                                                                                      : NOTE,
            "body \"%s\": bulk is %s times shear: where its volume has nowhere to "
            "go, element t4-anp is about %s %% too stiff, and pressures of single "
            "cells vary by 20 to 130 %% of their mean; use mixed or t10, which are within "
            "5 %% there",
            def->name, pal_amount_digits(ratio, 3).text,
            pal_amount_digits(100 * T4_ANP_EXCESS * sqrt(ratio), 2).text);
}

// It may well be bent: so many times as long as it is thick, along the axes.
static bool is_slender(const PalMesh *mesh)
{
    PalBounds box = pal_mesh_bounds(mesh);
    double wide = box.upper.x - box.lower.x, deep = box.upper.y - box.lower.y;
    double tall = box.upper.z - box.lower.z;
    return fmax(wide, fmax(deep, tall)) >= SLENDER * fmin(wide, fmin(deep, tall));
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
    double part = 1 / (9 * def->hourglass);  // of what theory says
    pal_findings_add(findings, WARNING,
                     "body \"%s\" is one layer of %s thick: with hourglass-control plain and "
                     "hourglass %.3g it bends about %s times too %s if its cells are cubes; use "
                     "hourglass-control: bending",
                     def->name, pal_element_name(def->element), def->hourglass,
                     pal_amount_digits(fmax(part, 1 / part), 2).text, part < 1 ? "little" : "much");
}

PalStatus pal_check_element(const PalScene *scene, int32_t body_index, PalFindings *findings,
                            PalError *error)
{
    const PalBodyDef *def = &scene->body_defs[body_index];
    bool one_layer = false;
    check_locking(scene, body_index, findings);
    bool hexahedra = pal_element_traits(def->element)->has_hourglass &&
                     def->hourglass_control != PAL_HOURGLASS_BENDING;
    bool tetrahedra = (def->element == PAL_ELEMENT_T4 || def->element == PAL_ELEMENT_T4_ANP) &&
                      is_slender(def->mesh);
    if (hexahedra || tetrahedra)
        PAL_TRY(pal_scene_find_one_layer(def->mesh, &one_layer, error));
    if (one_layer && hexahedra)
        check_layer(def, findings);
    if (one_layer && tetrahedra)  // whatever their pressures
        pal_findings_add(
            findings, WARNING,
            "body \"%s\" is one layer of %s thick, which bends too little: a plate ten "
            "times as long as thick by 10 to 35 %%; use element: mixed, or t10",
            def->name, pal_element_name(def->element));
    return PAL_OK;
}
