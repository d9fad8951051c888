#include <palpate/contact.h>

#include <string.h>

static const char *const hierarchy_names[] = {"aabb2", "aabb4", "obb2"};
static const char *const update_names[] = {"front", "update-nodes", "larsson", "exhaustive"};
static const char *const cone_names[] = {"narrowest", "provot"};
static const char *const self_test_names[] = {"sound", "cone", "exhaustive"};
static const char *const response_names[] = {"lagrange", "johnsen2015", "johnsen2012"};

#define COUNT(names) ((int)(sizeof(names) / sizeof *(names)))

static int find(const char *const *names, int count, const char *name)
{
    for (int i = 0; i < count; ++i)
        if (strcmp(names[i], name) == 0)
            return i;
    return PAL_NONE;
}

const char *pal_hierarchy_name(PalHierarchyKind kind)
{
    return hierarchy_names[kind];
}

const char *pal_update_name(PalUpdateKind kind)
{
    return update_names[kind];
}

const char *pal_cone_name(PalConeKind kind)
{
    return cone_names[kind];
}

const char *pal_self_test_name(PalSelfTest kind)
{
    return self_test_names[kind];
}

const char *pal_response_name(PalResponseKind kind)
{
    return response_names[kind];
}

bool pal_hierarchy_find(const char *name, PalHierarchyKind *kind)
{
    int found = find(hierarchy_names, COUNT(hierarchy_names), name);
    if (found != PAL_NONE)
        *kind = (PalHierarchyKind)found;
    return found != PAL_NONE;
}

bool pal_update_find(const char *name, PalUpdateKind *kind)
{
    int found = find(update_names, COUNT(update_names), name);
    if (found != PAL_NONE)
        *kind = (PalUpdateKind)found;
    return found != PAL_NONE;
}

bool pal_cone_find(const char *name, PalConeKind *kind)
{
    int found = find(cone_names, COUNT(cone_names), name);
    if (found != PAL_NONE)
        *kind = (PalConeKind)found;
    return found != PAL_NONE;
}

bool pal_self_test_find(const char *name, PalSelfTest *kind)
{
    int found = find(self_test_names, COUNT(self_test_names), name);
    if (found != PAL_NONE)
        *kind = (PalSelfTest)found;
    return found != PAL_NONE;
}

bool pal_response_find(const char *name, PalResponseKind *kind)
{
    int found = find(response_names, COUNT(response_names), name);
    if (found != PAL_NONE)
        *kind = (PalResponseKind)found;
    return found != PAL_NONE;
}

PalContactDef pal_contact_def_default(void)
{
    return (PalContactDef){
        .hierarchy = PAL_HIERARCHY_AABB2,
        .update = PAL_UPDATE_FRONT,
        .cone = PAL_CONE_NARROWEST,
        .self_test = PAL_SELF_TEST_SOUND,
        .response = PAL_RESPONSE_LAGRANGE,
    };
}
