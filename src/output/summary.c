#include "output/summary.h"

#include "output/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static void put_head(PalJson *json, const PalSummary *summary)
{
    const PalRunRecord *record = &summary->record;
    char hash[17];
    snprintf(hash, sizeof hash, "%016" PRIx64, summary->state_hash);
    pal_json_string(json, "status", summary->status == PAL_OK ? "ok" : "failed");
    pal_json_string(json, "reason", summary->reason);
    if (summary->lenient_count > 0) {
        pal_json_array(json, "lenient");
        for (int32_t i = 0; i < summary->lenient_count; ++i)
            pal_json_string(json, NULL, summary->lenient[i]);
        pal_json_end(json, ']');
    }
    pal_json_string(json, "version", pal_version());
    pal_json_string(json, "method", pal_method_name(summary->method));
    pal_json_integer(json, "steps", record->steps);
    pal_json_number(json, "time", pal_time_shown(record->time));
    pal_json_number(json, "step", summary->step);
    pal_json_integer(json, "threads", summary->threads);
    pal_json_number(json, "wall_seconds", record->wall_seconds);
    pal_json_integer(json, "frames", record->frame_count);
    pal_json_number(json, "added_mass", summary->added_mass);
    pal_json_number(json, "residual", summary->residual);
    if (summary->convergence_count > 0) {
        pal_json_array(json, "convergence");
        for (int32_t i = 0; i < summary->convergence_count; ++i)
            pal_json_number(json, NULL, summary->convergence[i]);
        pal_json_end(json, ']');
    }
    pal_json_integer(json, "retries", record->counters.retries);
    pal_json_integer(json, "iterations", record->counters.iterations);
    pal_json_string(json, "state_hash", hash);
}

static void put_stages(PalJson *json, const PalProfile *profile)
{
    pal_json_object(json, "stages");
    pal_json_number(json, "elements", profile->elements);
    pal_json_number(json, "integrate", profile->integrate);
    pal_json_number(json, "assemble", profile->assemble);
    pal_json_number(json, "solve", profile->solve);
    pal_json_number(json, "contact_update", profile->contact_update);
    pal_json_number(json, "contact_search", profile->contact_search);
    pal_json_number(json, "contact_response", profile->contact_response);
    pal_json_number(json, "output", profile->output);
    pal_json_end(json, '}');
}

static void put_counters(PalJson *json, const PalCounters *counters, int64_t steps)
{
    double per_step = steps > 0 ? 1.0 / (double)steps : 0;
    pal_json_object(json, "counters");
    pal_json_number(json, "volumes", (double)counters->volumes * per_step);
    pal_json_number(json, "refits", (double)counters->refits * per_step);
    pal_json_number(json, "self_subtrees", (double)counters->self_subtrees * per_step);
    pal_json_number(json, "volume_tests", (double)counters->volume_tests * per_step);
    pal_json_number(json, "node_facet", (double)counters->node_facet * per_step);
    pal_json_number(json, "edge_edge", (double)counters->edge_edge * per_step);
    pal_json_number(json, "wakes", (double)counters->wakes * per_step);
    pal_json_number(json, "step_estimates", (double)counters->step_estimates * per_step);
    pal_json_number(json, "step_changes", (double)counters->step_changes * per_step);
    pal_json_end(json, '}');
}

static void put_balances(PalJson *json, const PalSummary *summary)
{
    const PalEnergy *energy = &summary->energy;
    const PalRunRecord *record = &summary->record;
    pal_json_object(json, "energy");
    pal_json_number(json, "initial", energy->initial);
    pal_json_number(json, "final", energy->kinetic + energy->strain);
    pal_json_number(json, "kinetic", energy->kinetic);
    pal_json_number(json, "strain", energy->strain);
    pal_json_number(json, "external_work", energy->external_work);
    pal_json_number(json, "contact_work", energy->contact_work);
    pal_json_number(json, "dissipated", energy->dissipated);
    pal_json_number(json, "worst_drift", record->worst_drift);
    pal_json_bool(json, "balanced", record->worst_drift <= PAL_BALANCED);
    pal_json_end(json, '}');
    pal_json_object(json, "momentum");
    pal_json_vector(json, "initial", record->momentum);
    pal_json_vector(json, "final", summary->momentum);
    pal_json_end(json, '}');
    pal_json_object(json, "angular_momentum");
    pal_json_vector(json, "initial", record->angular_momentum);
    pal_json_vector(json, "final", summary->angular_momentum);
    pal_json_end(json, '}');
    pal_json_object(json, "penetration");
    pal_json_number(json, "worst", record->worst_penetration);
    pal_json_number(json, "final", summary->penetration);
    pal_json_end(json, '}');
    pal_json_integer(json, "intersections", summary->intersections);
}

static void put_pair(PalJson *json, const PalSummary *summary, const PalContactPairReport *pair)
{
    pal_json_object(json, NULL);
    pal_json_array(json, "bodies");
    for (int i = 0; i < 2; ++i)
        pal_json_string(json, NULL, summary->bodies[pair->objects[i]].name);
    pal_json_end(json, ']');
    pal_json_number(json, "friction", pair->friction);
    pal_json_integer(json, "count", pair->contact_count);
    pal_json_number(json, "normal_force", pair->normal_force);
    pal_json_number(json, "largest_normal_force", pair->largest_normal_force);
    pal_json_number(json, "largest_time", pair->largest_time);
    pal_json_integer(json, "touch_steps", pair->touch_steps);
    pal_json_end(json, '}');
}

// null where there is no such thing.
static void put_if_any(PalJson *json, const char *key, double value)
{
    pal_json_number(json, key, value > 0 ? value : NAN);
}

static void put_contact(PalJson *json, const PalSummary *summary)
{
    const PalContactReport *contact = &summary->contact;
    pal_json_object(json, "contact");
    pal_json_bool(json, "on", contact->margin > 0);
    pal_json_integer(json, "count", contact->contact_count);
    pal_json_number(json, "separation", contact->separation);
    pal_json_number(json, "margin", contact->margin);
    put_if_any(json, "range", contact->range);
    put_if_any(json, "stiffness", contact->stiffness);
    put_if_any(json, "least_gap", contact->least_gap);
    pal_json_number(json, "worst_of_edge", contact->worst_of_edge);
    pal_json_integer(json, "rescues", contact->rescues);
    pal_json_integer(json, "queries", contact->queries);
    pal_json_integer(json, "hits", contact->hits);
    pal_json_integer(json, "moved_nodes", contact->moved_count);
    pal_json_number(json, "largest_move", contact->largest_move);
    pal_json_integer(json, "moved_rigids", contact->moved_rigid_count);
    pal_json_number(json, "largest_rigid_move", contact->largest_rigid_move);
    pal_json_number(json, "mass_change", contact->mass_change);
    pal_json_string(json, "mass_change_body",
                    contact->moved_count > 0 ? summary->bodies[contact->mass_change_body].name
                                             : "");
    pal_json_integer(json, "most", contact->most_contacts);
    pal_json_integer(json, "pair_count", summary->pair_count);
    pal_json_array(json, "pairs");
    for (int32_t p = 0; p < summary->pair_count; ++p)
        if (summary->pairs[p].touch_steps > 0)
            put_pair(json, summary, &summary->pairs[p]);
    pal_json_end(json, ']');
    pal_json_end(json, '}');
}

static void put_bodies(PalJson *json, const PalSummary *summary)
{
    pal_json_object(json, "bodies");
    for (int32_t b = 0; b < summary->body_count; ++b) {
        const PalSummaryBody *body = &summary->bodies[b];
        pal_json_object(json, body->name);
        pal_json_bool(json, "rigid", body->rigid);
        pal_json_integer(json, "nodes", body->nodes);
        pal_json_integer(json, "elements", body->elements);
        if (!body->rigid)
            pal_json_string(json, "element", pal_element_name(body->element));
        if (body->mass > 0)
            pal_json_number(json, "mass", body->mass);
        if (body->rigid && body->mass > 0) {
            const double *moments = body->moments;
            pal_json_vector(json, "moments", (PalVec3){moments[0], moments[1], moments[2]});
            pal_json_vector(json, "rotation", body->rotation);
            pal_json_vector(json, "spin", body->spin);
        }
        pal_json_vector(json, "centroid", body->centroid);
        pal_json_vector(json, "velocity", body->velocity);
        pal_json_end(json, '}');
    }
    pal_json_end(json, '}');
}

void pal_summary_encode(const PalSummary *summary, PalText *text)
{
    PalJson json = pal_json_begin(text);
    pal_json_object(&json, NULL);
    put_head(&json, summary);
    put_stages(&json, &summary->record.profile);
    put_counters(&json, &summary->record.counters, summary->record.steps);
    put_balances(&json, summary);
    put_contact(&json, summary);
    put_bodies(&json, summary);
    pal_json_object(&json, "probes");
    for (int32_t p = 0; p < summary->probe_count; ++p)
        pal_json_vector(&json, summary->probes[p].name, summary->probe_values[p]);
    pal_json_end(&json, '}');
    pal_json_end(&json, '}');
}
