// summary.json.
#ifndef PAL_OUTPUT_SUMMARY_H
#define PAL_OUTPUT_SUMMARY_H

#include "output/checkpoint.h"
#include "output/probe.h"

#define PAL_BALANCED 0.01  // worst drift up to which the balance of energy counts as closed

typedef struct PalSummaryBody {
    const char *name;
    bool rigid;
    PalElementKind element;  // soft bodies
    double mass;             // 0: an instrument with prescribed motion
    double moments[3];       // free rigid bodies
    PalVec3 rotation, spin;  // free rigid bodies
    int32_t nodes, elements;
    PalVec3 centroid, velocity;
} PalSummaryBody;

// Everything a summary says, gathered.
typedef struct PalSummary {
    const char *title;
    PalStatus status;
    const char *reason;
    PalMethod method;
    int32_t threads;
    double step;        // the last one
    double added_mass;  // by mass scaling
    double residual;    // relaxation and implicit methods
    int32_t convergence_count;
    const double *convergence;  // of the last step of an implicit method
    uint64_t state_hash;
    PalEnergy energy;
    PalVec3 momentum, angular_momentum;  // now
    double penetration;                  // now
    PalContactReport contact;
    int32_t pair_count;
    const PalContactPairReport *pairs;
    int64_t intersections;
    PalRunRecord record;  // totals, and what was at the start
    int32_t body_count;
    const PalSummaryBody *bodies;
    int32_t lenient_count;
    const char *const *lenient;
    int32_t probe_count;
    const PalProbe *probes;
    const PalVec3 *probe_values;
} PalSummary;

void pal_summary_encode(const PalSummary *summary, PalText *text);

#endif
