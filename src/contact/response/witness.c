#include "contact/response/witness.h"

#include "base/memory.h"
#include <palpate/geometry.h>

#include <math.h>
#include <string.h>

#define REACH 0.01   // of the mean edge: pairs nearer than that are looked at
#define SAME  1e-12  // of a step: a vertex that meets a facet this much later still comes first

static double reach(const PalContact *contact)
{
    return REACH * contact->edge;
}

static PalStatus create(PalContact *contact, PalError *error)
{
    contact->own = pal_alloc(1, sizeof(PalWitness));
    return contact->own != NULL ? PAL_OK
                                : pal_error_set(error, PAL_NO_MEMORY, "no memory for contact");
}

static void destroy(PalContact *contact)
{
    pal_free(contact->own);
}

const PalWitness *pal_witness_of(const PalContact *contact)
{
    return contact->own;
}

// A point at the end of an arm that turns by an angle leaves the straight way by at most
// arm (1 - cos(angle / 2)).
static double bulge(const PalContactSurface *surface, int32_t object)
{
    if (surface->objects[object].source->soft)
        return 0;
    int32_t r = surface->objects[object].index;
    double square = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            double turn =
                surface->poses[r][1].rotation.m[i][j] - surface->poses[r][0].rotation.m[i][j];
            square += turn * turn;
        }
    return surface->arms[r] * (1 - sqrt(fmax(1 - square / 8, 0)));
}

typedef struct Look {
    PalContact *contact;
    PalWitness *witness;
    double pad;  // of the two objects at hand
} Look;

// Keeps what meets first; of what meets at the same time, a vertex and a facet.
static void try_four(const Look *look, const int32_t vertices[4], PalContactKind kind)
{
    const PalContactSurface *surface = look->contact->surface;
    PalWitness *witness = look->witness;
    PalVec3 start[4], end[4];
    double fraction;
    for (int k = 0; k < 4; ++k) {  // as predicted, whatever a response has made of it
        int32_t object = surface->vertex_object[vertices[k]];
        surface->objects[object].source->place(surface, object, vertices[k], &start[k], &end[k]);
    }
    bool met = kind == PAL_CONTACT_NODE_FACET
                   ? pal_ccd_vertex_face(start, end, look->pad, &fraction)
                   : pal_ccd_edge_edge(start, end, look->pad, &fraction);
    if (met && kind == PAL_CONTACT_NODE_FACET && fraction < witness->facet_fraction) {
        witness->facet_fraction = fraction;
        memcpy(witness->facet_vertices, vertices, sizeof witness->facet_vertices);
        memcpy(witness->facet_start, start, sizeof start);
        memcpy(witness->facet_end, end, sizeof end);
    }
    double later = kind == PAL_CONTACT_EDGE_EDGE ? SAME : 0;
    if (!met || (witness->met && !(fraction + later < witness->fraction)))
        return;
    witness->met = true;
    witness->fraction = fraction;
    witness->pad = look->pad;
    witness->kind = kind;
    for (int k = 0; k < 4; ++k) {
        witness->vertices[k] = vertices[k];
        witness->start[k] = start[k];
        witness->end[k] = end[k];
    }
    witness->objects[0] = surface->vertex_object[vertices[0]];
    witness->objects[1] = surface->vertex_object[vertices[3]];
}

static bool has(const int32_t facet[3], int32_t vertex)
{
    return facet[0] == vertex || facet[1] == vertex || facet[2] == vertex;
}

static void try_vertices(const Look *look, int32_t f, int32_t g)
{
    const PalContactSurface *surface = look->contact->surface;
    const int32_t *facet = surface->facets[g];
    for (int k = 0; k < 3; ++k) {
        int32_t v = surface->facets[f][k];
        if (surface->vertex_owner[v] == f && !has(facet, v))
            try_four(look, (int32_t[4]){v, facet[0], facet[1], facet[2]}, PAL_CONTACT_NODE_FACET);
    }
}

static void try_edges(const Look *look, int32_t f, int32_t g)
{
    const PalContactSurface *surface = look->contact->surface;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            int32_t a = surface->facet_edges[f][i], b = surface->facet_edges[g][j];
            if (surface->edge_owner[a] != f || surface->edge_owner[b] != g)
                continue;
            const int32_t *p = surface->edges[a], *q = surface->edges[b];
            if (p[0] != q[0] && p[0] != q[1] && p[1] != q[0] && p[1] != q[1])
                try_four(look, (int32_t[4]){p[0], p[1], q[0], q[1]}, PAL_CONTACT_EDGE_EDGE);
        }
}

void pal_witness_look(PalContact *contact, const PalWitnessWish *wish, PalWitness *witness)
{
    const PalContactSurface *surface = contact->surface;
    Look look = {contact, witness, 0};
    *witness = (PalWitness){.facet_fraction = INFINITY};
    witness->no_memory = pal_search_list_facets(contact->search, surface, NULL) != PAL_OK;
    for (int32_t p = 0; p < contact->search->pair_count; ++p) {
        int32_t f = contact->search->pairs[p].a, g = contact->search->pairs[p].b;
        int32_t a = surface->facet_object[f], b = surface->facet_object[g];
        if (pal_contact_friction(contact, a, b) < 0 ||
            (wish->skips != NULL && wish->skips(wish->context, a, b)))
            continue;
        look.pad = wish->separation + bulge(surface, a) + bulge(surface, b);
        try_vertices(&look, f, g);
        try_vertices(&look, g, f);
        try_edges(&look, f, g);
    }
}

void pal_witness_prefer_facet(const PalContactSurface *surface, PalWitness *witness)
{
    witness->kind = PAL_CONTACT_NODE_FACET;
    memcpy(witness->vertices, witness->facet_vertices, sizeof witness->vertices);
    memcpy(witness->start, witness->facet_start, sizeof witness->start);
    memcpy(witness->end, witness->facet_end, sizeof witness->end);
    witness->objects[0] = surface->vertex_object[witness->vertices[0]];
    witness->objects[1] = surface->vertex_object[witness->vertices[3]];
}

static PalStatus step_once(PalContact *contact, const PalContactStep *step, PalMeter *meter,
                           PalError *error)
{
    PalWitnessWish wish = {0};
    PalWitness *witness = contact->own;
    contact->changed_count = 0;
    PAL_TRY(pal_search_update(contact->search, contact->surface, step->thread_count, meter, error));
    pal_witness_look(contact, &wish, witness);
    const PalAwake *awake = &contact->surface->awake;
    for (int32_t i = 0; i < awake->count; ++i)
        witness->too_long |= bulge(contact->surface, awake->objects[i]) > reach(contact) / 4;
    return PAL_OK;
}

const PalResponse pal_response_witness = {
    .choice = {"witness", "Pushes nothing."},
    .reach = reach,
    .lazy = true,
    .rests = true,
    .moves_rigids = true,
    .moves_by_weights = true,
    .create = create,
    .destroy = destroy,
    .step = step_once,
};
