// Contact surfaces as rigid instruments, collisions as contact, and constraints that meet.
#include "scene/niftysim/build.h"

#include "math/vec3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DEGREE (3.14159265358979323846 / 180)

enum { NAME_SIZE = 32 };

static const char *surface_name(PalNiftyBuild *build, int32_t index)
{
    char *name = pal_tree_alloc(build->nifty->tree, NAME_SIZE, 1);
    if (name != NULL)
        snprintf(name, NAME_SIZE, "surface-%d", (int)index + 1);
    return name;
}

// When a motion is complete: NiftySim's last step but one, or but two.
static double motion_end(const PalNiftySystem *system)
{
    double ratio = system->total / system->step, whole = floor(ratio + 0.5);
    bool near = fabs(ratio - whole) <= 1e-6 * ratio;
    return fmax(near ? whole : ceil(ratio), 1) * system->step;
}

static bool put_motion(PalNiftyBuild *build, PalTreeNode *rigid, const PalNiftySurface *surface)
{
    const PalVec3 t = surface->translation;
    bool moves = t.x != 0 || t.y != 0 || t.z != 0, turns = surface->radians != 0, done = true;
    if (!moves && !turns)
        return true;
    PalTreeNode *motion = pal_nifty_map(build, surface->line);
    done = pal_nifty_put(build, rigid, "motion", motion);
    if (moves)
        done = done && pal_nifty_put_vector(build, motion, "translate", t);
    if (turns) {
        PalTreeNode *rotate = pal_nifty_map(build, surface->line);
        done = done && pal_nifty_put(build, motion, "rotate", rotate) &&
               pal_nifty_put_vector(build, rotate, "axis", surface->axis) &&
               pal_nifty_put_number(build, rotate, "degrees", surface->radians / DEGREE) &&
               pal_nifty_put_vector(build, rotate, "about", surface->centre);
    }
    if (surface->smooth)
        return done && pal_nifty_put_text(build, motion, "ramp", "smooth") &&
               pal_nifty_put_number(build, motion, "until", build->system->total);
    return done && pal_nifty_put_text(build, motion, "ramp", "linear") &&
           pal_nifty_put_number(build, motion, "until", motion_end(build->system)) &&
           pal_nifty_put_text(build, motion, "hold", "false");
}

PalStatus pal_nifty_build_rigids(PalNiftyBuild *build, PalTreeNode *list)
{
    for (int32_t i = 0; i < build->surface_count; ++i) {
        const char *name = surface_name(build, i);
        const char *file = name != NULL ? pal_nifty_mesh_name(build, name) : NULL;
        PalTreeNode *rigid = pal_nifty_map(build, build->surfaces[i].line);
        bool done = file != NULL && pal_nifty_put(build, list, NULL, rigid) &&
                    pal_nifty_put_text(build, rigid, "name", name) &&
                    pal_nifty_put_text(build, rigid, "surface", file) &&
                    put_motion(build, rigid, &build->surfaces[i]);
        if (!done)
            return pal_nifty_no_memory(build->nifty);
    }
    return PAL_OK;
}

// ---- contact ----------------------------------------------------------------------------------

// An entry for two objects or, without a second, for a body and itself.
static bool put_entry(PalNiftyBuild *build, PalTreeNode *list, const char *const names[2],
                      double friction, int32_t line)
{
    PalTreeNode *entry = pal_nifty_map(build, line), *pair = pal_nifty_list(build, line);
    bool done = pal_nifty_put(build, list, NULL, entry);
    if (names[1] == NULL)
        done = done && pal_nifty_put_text(build, entry, "self", names[0]);
    else if (strcmp(names[0], "all") == 0)
        done = done && pal_nifty_put_text(build, entry, "between", names[0]);
    else
        done = done && pal_nifty_put(build, entry, "between", pair) &&
               pal_nifty_put_text(build, pair, NULL, names[0]) &&
               pal_nifty_put_text(build, pair, NULL, names[1]);
    return done && pal_nifty_put_number(build, entry, "friction", friction);
}

// What is attached all over leaves contact to the solid.
static bool put_shells(PalNiftyBuild *build, PalTreeNode *list)
{
    bool done = true;
    for (int32_t s = 0; list->count > 0 && s < build->scope->shells.count && done; ++s) {
        const PalNiftyShell *shell = &build->scope->shells.items[s];
        const char *name = pal_nifty_shell_name(build, s);
        for (int32_t b = 0; shell->body == PAL_NONE && b <= build->body_count && done; ++b) {
            bool itself = b == build->body_count;
            const char *const names[2] = {name, itself ? NULL : build->bodies[b].name};
            done = name != NULL && put_entry(build, list, names, 0, shell->line) &&
                   pal_nifty_put_text(build, list->items[list->count - 1].value, "active", "false");
        }
    }
    return done;
}

static bool put_collisions(PalNiftyBuild *build, PalTreeNode *list)
{
    const PalNiftySystem *system = build->system;
    const char *const every[2] = {"all", "all"}, *const itself[2] = {"all", NULL};
    bool done = true;
    if (system->collides && build->body_count > 1)
        done = put_entry(build, list, every, system->friction, system->collide_line);
    if (system->collides_itself)
        done = done && put_entry(build, list, itself, system->friction, system->collide_line);
    return done;
}

// Surfaces have a friction of their own, so their entries name them.
static bool put_surfaces(PalNiftyBuild *build, PalTreeNode *list)
{
    bool done = true;
    for (int32_t j = 0; j < build->surface_count; ++j)
        for (int32_t i = 0; i < build->body_count && done; ++i) {
            const PalNiftySurface *surface = &build->surfaces[j];
            const char *const names[2] = {build->bodies[i].name, surface_name(build, j)};
            done =
                names[1] != NULL && put_entry(build, list, names, surface->friction, surface->line);
        }
    return done;
}

typedef struct Diameters {
    double shortest, longest;
} Diameters;

// Longest edges of facets: the shortest and the longest of them.
static void measure(const PalVec3 *nodes, const int32_t *facets, int32_t count, int32_t width,
                    Diameters *of)
{
    for (int32_t f = 0; f < count; ++f) {
        const int32_t *corners = facets + (int64_t)f * width;
        double diameter = 0;
        for (int32_t a = 0; a < width; ++a)
            for (int32_t b = a + 1; b < width; ++b)
                diameter = fmax(diameter, pal_vec3_distance(nodes[corners[a]], nodes[corners[b]]));
        of->shortest = fmin(of->shortest, diameter);
        of->longest = fmax(of->longest, diameter);
    }
}

// Of the solid's surface, and of membranes that are no part of it.
static PalStatus measure_facets(PalNiftyBuild *build, double *shortest, double *longest)
{
    const PalNiftyScope *scope = build->scope;
    const PalVec3 *nodes = scope->mesh->nodes;
    Diameters of = {INFINITY, 0};
    if (build->solid_count > 0) {
        PAL_TRY(pal_nifty_find_surface(build->nifty, build->scope));
        const PalSurface *surface = scope->surface;
        measure(nodes, surface->facets, surface->facet_count, surface->corner_count, &of);
    }
    for (int32_t s = 0; s < scope->shells.count; ++s) {
        const PalNiftyShell *shell = &scope->shells.items[s];
        if (shell->body != PAL_NONE)
            measure(nodes, shell->cells, shell->cell_count, 3, &of);
    }
    *shortest = of.shortest;
    *longest = of.longest;
    return PAL_OK;
}

// Bodies rest on each other at NiftySim's safety margin, given or by its rule.
static PalStatus find_margin(PalNiftyBuild *build, double *margin)
{
    const PalNiftySystem *system = build->system;
    double shortest, longest;
    *margin = system->margin;
    if (*margin > 0)
        return PAL_OK;
    PAL_TRY(measure_facets(build, &shortest, &longest));
    *margin = 5e-5 * (shortest + longest);
    if (system->rate_distance > 0)
        *margin = fmin(0.1 * system->rate_distance, 1e-4 * (shortest + longest));
    return PAL_OK;
}

PalStatus pal_nifty_build_contact(PalNiftyBuild *build, PalTreeNode *list)
{
    const PalNiftySystem *system = build->system;
    bool done = put_collisions(build, list) && put_surfaces(build, list) && put_shells(build, list);
    if (done && list->count > 0) {
        double margin = 0;
        PAL_TRY(find_margin(build, &margin));
        if (margin > 0)  // else a mesh without extent, which is refused
            done = pal_nifty_put_number(build, list->items[0].value, "separation", margin);
    }
    if (system->rate_distance > 0)
        pal_nifty_warn(build->nifty, system->line,
                       "<RateConstraintDistance> is not carried over: bodies are not slowed down "
                       "before they touch");
    return done ? PAL_OK : pal_nifty_no_memory(build->nifty);
}

// ---- constraints that meet --------------------------------------------------------------------

static uint8_t axes_of(const PalNiftyConstraint *constraint)
{
    return (uint8_t)(constraint->axes[0] | constraint->axes[1] << 1 | constraint->axes[2] << 2);
}

// How many nodes of a constraint have one of its axes marked already.
static int32_t count_marked(const PalNiftyConstraint *constraint, const uint8_t *marks,
                            int32_t *first)
{
    int32_t count = 0;
    for (int32_t i = 0; i < constraint->node_count; ++i)
        if (marks[constraint->nodes[i]] & axes_of(constraint) && ++count == 1)
            *first = constraint->nodes[i];
    return count;
}

static void mark(const PalNiftyConstraint *constraint, uint8_t *marks)
{
    for (int32_t i = 0; i < constraint->node_count; ++i)
        marks[constraint->nodes[i]] |= axes_of(constraint);
}

// Warns where constraints of one kind meet those of a kind before; `marks` is scratch.
static void warn_meeting(PalNiftyBuild *build, PalNiftyKind kind, uint8_t *marks, const char *what)
{
    const PalNiftyScope *scope = build->scope;
    for (int32_t c = 0; c < scope->constraints.count; ++c) {
        const PalNiftyConstraint *constraint = &scope->constraints.items[c];
        int32_t first = 0;
        if (constraint->kind != kind)
            continue;
        int32_t count = count_marked(constraint, marks, &first);
        if (count > 0)
            pal_nifty_warn(build->nifty, constraint->line, "%s on %d node%s, the first is %d", what,
                           (int)count, count == 1 ? "" : "s", (int)first);
        mark(constraint, marks);
    }
}

PalStatus pal_nifty_warn_overlaps(PalNiftyBuild *build)
{
    const PalNiftyScope *scope = build->scope;
    size_t count = (size_t)scope->mesh->node_count;
    uint8_t *fixed = pal_tree_alloc(build->nifty->memory, count, 1);
    uint8_t *moved = pal_tree_alloc(build->nifty->memory, count, 1);
    uint8_t *pulled = pal_tree_alloc(build->nifty->memory, count, 1);
    if (fixed == NULL || moved == NULL || pulled == NULL)
        return pal_nifty_no_memory(build->nifty);
    for (int32_t c = 0; c < scope->constraints.count; ++c)
        if (scope->constraints.items[c].kind == PAL_NIFTY_FIX)
            mark(&scope->constraints.items[c], fixed);
    for (int32_t c = 0; c < scope->constraints.count; ++c) {
        const PalNiftyConstraint *constraint = &scope->constraints.items[c];
        int32_t first = 0;
        int32_t met =
            constraint->kind == PAL_NIFTY_DISP ? count_marked(constraint, fixed, &first) : 0;
        if (met > 0)
            pal_nifty_warn(build->nifty, constraint->line,
                           "Disp counts, not Fix, on %d node%s, the first is %d", (int)met,
                           met == 1 ? "" : "s", (int)first);
    }
    warn_meeting(build, PAL_NIFTY_DISP, moved, "several Disp add up");
    warn_meeting(build, PAL_NIFTY_GRAVITY, pulled, "several Gravity add up");
    return PAL_OK;
}
