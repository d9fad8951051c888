// Contact by depths, over areas and at vertices.
#include "contact/response/depth/row.h"

static PalStatus create_areas(PalContact *contact, PalError *error)
{
    return pal_depth_row_create(contact, false, error);
}

static PalStatus create_vertices(PalContact *contact, PalError *error)
{
    return pal_depth_row_create(contact, true, error);
}

const PalResponse pal_response_material_depth = {
    .choice = {"material-depth",
               "As published by Hirota et al. in 2003: facets inside a body are pushed out along "
               "the gradient of the depth, by pressures that are integrated over the areas inside. "
               "Bodies are made of tetrahedra. A small penetration stays."},
    .reach = pal_depth_row_reach,
    .overlaps = true,
    .pushes_inside = true,
    .by_intervals = true,
    .implicit = &pal_depth_implicit,
    .create = create_areas,
    .destroy = pal_depth_row_destroy,
    .step = pal_depth_row_step,
    .kept_count = pal_depth_row_kept_count,
    .keep = pal_depth_row_keep,
    .restore = pal_depth_row_restore,
};

const PalResponse pal_response_collocation = {
    .choice = {"collocation",
               "What Hirota et al. compare with: the same depths, but pressures are taken at "
               "vertices alone. Forces jump, and implicit methods may not converge."},
    .reach = pal_depth_row_reach,
    .overlaps = true,
    .pushes_inside = true,
    .by_intervals = true,
    .implicit = &pal_depth_implicit,
    .create = create_vertices,
    .destroy = pal_depth_row_destroy,
    .step = pal_depth_row_step,
    .kept_count = pal_depth_row_kept_count,
    .keep = pal_depth_row_keep,
    .restore = pal_depth_row_restore,
};
