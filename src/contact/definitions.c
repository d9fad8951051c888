// What a scene can choose about contact, and what it gets without choosing.
#include "base/choice.h"
#include <palpate/contact.h>

static const PalChoice hierarchies[] = {
    [PAL_HIERARCHY_AABB2] = {"aabb2", "Boxes along the axes, two children each."},
    [PAL_HIERARCHY_AABB4] = {"aabb4", "Boxes along the axes, four children each."},
    [PAL_HIERARCHY_OBB2] = {"obb2", "Boxes in any orientation, two children each."},
    [PAL_HIERARCHY_SPHERE] = {"sphere", "Spheres, paired from below, as published by Aragon and "
                                        "Molinari in 2014. All are refitted in each step."},
    [PAL_HIERARCHY_INTERVAL] = {"interval",
                                "Contact by depths only: cells in intervals along one axis each, "
                                "as published by Hirota et al. in 2003."},
};

static const PalChoice leaves[] = {
    [PAL_LEAF_SPHERE] = {"sphere", "Spheres alone."},
    [PAL_LEAF_AABB] = {"aabb", "Boxes along the axes."},
    [PAL_LEAF_OBB] = {"obb", "Boxes along the axes of inertia."},
    [PAL_LEAF_DOP14] = {"dop14", "Slabs along the axes and the diagonals of a cube."},
    [PAL_LEAF_DOP18] = {"dop18", "Slabs along the axes and the diagonals of the faces of a cube."},
    [PAL_LEAF_DOP26] = {"dop26", "Slabs in all of these directions."},
};

static const PalChoice updates[] = {
    [PAL_UPDATE_FRONT] =
        {"front",
         "Keeps the list of pairs of facets, and searches again only where motion requires it."},
    [PAL_UPDATE_UPDATE_NODES] =
        {"update-nodes", "Refits only boxes that moved, as published by Johnsen et al. in 2015."},
    [PAL_UPDATE_LARSSON] =
        {"larsson",
         "Refits the upper half of the tree in each step, the rest where the search visits it."},
    [PAL_UPDATE_EXHAUSTIVE] = {"exhaustive", "Refits every box in each step."},
};

static const PalChoice cones[] = {
    [PAL_CONE_NARROWEST] = {"narrowest", "The narrowest cone that holds both."},
    [PAL_CONE_PROVOT] = {"provot",
                         "A cone whose axis is halfway between the two; it may be wider."},
};

static const PalChoice self_tests[] = {
    [PAL_SELF_TEST_SOUND] = {"sound", "When its normals stay in a narrow cone during the step, and "
                                      "its rim cannot cross itself."},
    [PAL_SELF_TEST_CONE] = {"cone", "When its normals are in a narrow cone. This ignores the rim, "
                                    "and may miss contacts there."},
    [PAL_SELF_TEST_EXHAUSTIVE] = {"exhaustive", "Never. Everything is searched."},
};

PAL_CHOICE_ARRAY(hierarchy, PalHierarchyKind, hierarchies)
PAL_CHOICE_ARRAY(leaf, PalLeafKind, leaves)
PAL_CHOICE_ARRAY(update, PalUpdateKind, updates)
PAL_CHOICE_ARRAY(cone, PalConeKind, cones)
PAL_CHOICE_ARRAY(self_test, PalSelfTest, self_tests)

bool pal_contact_def_touches(const PalContactDef *def)
{
    return def->pair_count != 0 || def->every_pair || def->every_self;
}

PalContactDef pal_contact_def_default(void)
{
    return (PalContactDef){
        .schedule = PAL_SCHEDULE_EVERY_STEP,
        .hierarchy = PAL_HIERARCHY_AABB2,
        .leaf = PAL_LEAF_DOP14,
        .update = PAL_UPDATE_FRONT,
        .cone = PAL_CONE_NARROWEST,
        .self_test = PAL_SELF_TEST_SOUND,
        .response = PAL_RESPONSE_LAGRANGE,
        .stiffness = 1,
        .penetration = 0.01,
    };
}
