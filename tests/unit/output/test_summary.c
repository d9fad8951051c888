// What the end of a run says of the whole: drift, means, peaks, and what earlier processes have
// seen.
#include "place.h"
#include "simulate.h"

#include "output/history.h"
#include "output/output.h"
#include "output/summary.h"
#include "sim/sim.h"

enum { FRAMES = 20 };

typedef struct Run {
    char path[64];
    PalDirectory directory;
    Simulation simulation;
    PalProbeDef probe;
    PalOutput *output;
} Run;

// A block that is held at one end, swings, and is braked.
static void run(Run *r)
{
    PalError error = {0};
    *r = (Run){.simulation = simulate_box(pal_vec3(2, 1, 1), 4, 2, 2)};
    r->directory = place_open(r->path);
    Simulation *s = &r->simulation;
    simulate_neo_hookean(s, 1000, 0.3, 1);
    s->sim.solver.time = 1;
    s->sim.solver.damping = 8;
    s->sim.align = 1.0 / FRAMES;
    simulate_on_side(s, PAL_CONDITION_FIX, 0, false);
    PalConditionDef *gravity = simulate_everywhere(s, PAL_CONDITION_GRAVITY);
    gravity->value = pal_vec3(0, 0, -20);
    gravity->ramp.kind = PAL_RAMP_STEP;
    simulate_start(s);
    r->probe = (PalProbeDef){.name = "tip",
                             .where = {.kind = PAL_WHERE_SIDE, .axis = 0, .highest = true},
                             .record = PAL_RECORD_VELOCITY};
    PalOutputDef def = pal_output_def_default();
    def.directory = r->path;
    def.every = s->sim.align;
    def.report = false;
    def.probe_count = 1;
    def.probes = &r->probe;
    PalOutputEnd end = {.status = PAL_OK, .reason = ""};
    check_ok(pal_output_open(&def, s->run, false, &r->output, &error), &error);
    for (int i = 0; i <= FRAMES; ++i) {
        simulate_to(s, i * s->sim.align);
        check_ok(pal_output_write(r->output, s->run, &error), &error);
    }
    check_ok(pal_output_finish(r->output, s->run, &end, &error), &error);
}

static void end(Run *r)
{
    pal_output_destroy(r->output);
    simulate_end(&r->simulation);
    pal_directory_close(&r->directory);
    place_remove(r->path);
}

// The number after a key of the summary.
static double told(const Run *r, const char *key)
{
    PalText text = place_get(&r->directory, "summary.json");
    const char *at = strstr(text.data, key);
    assert_non_null(at);
    double number = strtod(strchr(at, ':') + 1, NULL);
    pal_text_clear(&text);
    return number;
}

static void drift_and_means_are_told(void **state)
{
    (void)state;
    Run r;
    run(&r);
    double drift = pal_output_worst_drift(r.output);
    assert_true(drift > 0);
    check_near(told(&r, "\"worst_drift\""), drift, 1e-12 * drift);
    double steps = (double)pal_sim_state(r.simulation.run)->step_count;
    double looks = (double)pal_sim_counters(r.simulation.run)->step_estimates;
    assert_true(steps > 10 && looks > 1);
    check_near(told(&r, "\"step_estimates\""), looks / steps, 1e-12);
    end(&r);
}

static void peaks_are_the_largest_of_all_rows(void **state)
{
    (void)state;
    Run r;
    run(&r);
    PalError error = {0};
    PalText csv = place_get(&r.directory, "history.csv");
    PalHistoryTable table;
    check_ok(pal_history_parse(&csv, 1000, &table, &error), &error);
    int32_t best = 0;
    double most = 0;
    for (int32_t i = 0; i < table.row_count; ++i) {
        const double *v =
            table.values + (int64_t)i * table.column_count + pal_history_column_count();
        double speed = pal_vec3_length(pal_vec3(v[0], v[1], v[2]));
        best = speed > most ? i : best;
        most = fmax(most, speed);
    }
    assert_true(best > 0 && best < table.row_count - 1);
    PalProbePeak peak = pal_output_probe_peak(r.output, 0);
    check_near(pal_vec3_length(peak.value), most, 1e-12 * most);
    check_near(peak.time, table.values[(int64_t)best * table.column_count], 1e-12);
    free(table.values);
    pal_text_clear(&csv);
    end(&r);
}

// A resumed run has only seen the last part itself.
static void what_earlier_processes_saw_counts(void **state)
{
    (void)state;
    Run r;
    run(&r);
    check_near(pal_output_total(r.output, r.simulation.run, 1).worst_penetration, 0, 0);
    r.output->record.worst_penetration = 0.25;
    r.output->record.wall_seconds = 3;
    PalRunRecord total = pal_output_total(r.output, r.simulation.run, 1);
    check_near(total.worst_penetration, 0.25, 0);
    check_near(total.wall_seconds, 4, 0);
    end(&r);
}

// Each balance has its own numbers, from the start and from now.
static void balances_are_told_apart(void **state)
{
    (void)state;
    PalSummary summary = {.title = "",
                          .reason = "",
                          .momentum = {1, 2, 3},
                          .angular_momentum = {4, 5, 6},
                          .penetration = 0.5,
                          .record = {.momentum = {7, 8, 9},
                                     .angular_momentum = {10, 11, 12},
                                     .worst_penetration = 0.75}};
    PalText text = {0};
    pal_summary_encode(&summary, &text);
    static const char *const parts[][3] = {
        {"\"momentum\"", "\"initial\": [7, 8, 9]", "\"final\": [1, 2, 3]"},
        {"\"angular_momentum\"", "\"initial\": [10, 11, 12]", "\"final\": [4, 5, 6]"},
        {"\"penetration\"", "\"worst\": 0.75", "\"final\": 0.5"}};
    for (int i = 0; i < 3; ++i) {
        const char *at = strstr(text.data, parts[i][0]);
        assert_non_null(at);
        const char *end = strchr(at, '}');
        for (int k = 1; k < 3; ++k) {
            const char *found = strstr(at, parts[i][k]);
            if (found == NULL || found > end)
                fail_msg("no %s in %s", parts[i][k], at);
        }
    }
    pal_text_clear(&text);
}

// By the largest energy of the run, before or after.
static void drift_is_relative_to_the_largest_energy(void **state)
{
    (void)state;
    Run r;
    run(&r);
    PalError error = {0};
    PalText csv = place_get(&r.directory, "history.csv");
    PalHistoryTable table;
    check_ok(pal_history_parse(&csv, 1000, &table, &error), &error);
    enum { KINETIC = 3, STRAIN, EXTERNAL, CONTACT, DISSIPATED, TOTAL, DRIFT };
    assert_string_equal(pal_history_column_name(KINETIC), "kinetic");
    assert_string_equal(pal_history_column_name(DRIFT), "drift");
    double largest = 0, worst = 0, worst_now = 0;
    for (int32_t i = 0; i < table.row_count; ++i) {
        const double *row = table.values + (int64_t)i * table.column_count;
        PalEnergy energy = {.kinetic = row[KINETIC],
                            .strain = row[STRAIN],
                            .external_work = row[EXTERNAL],
                            .dissipated = row[DISSIPATED]};
        double scale = pal_energy_scale(&energy);
        largest = fmax(largest, scale);
        worst = fmax(worst, fabs(row[DRIFT]) * scale);
        worst_now = fmax(worst_now, fabs(row[DRIFT]));
    }
    assert_true(worst_now > 1.5 * worst / largest);
    check_near(pal_output_worst_drift(r.output), worst / largest, 1e-6 * worst / largest);
    free(table.values);
    pal_text_clear(&csv);
    end(&r);
}

// Each cost is added to its own sum.
static void costs_are_added_up(void **state)
{
    (void)state;
    Run r;
    run(&r);
    PalCounters *counters = &r.simulation.run->meter.counters;
    PalProfile *profile = &r.simulation.run->meter.profile;
    int64_t *counts = (int64_t *)counters;
    double *seconds = (double *)profile;
    for (size_t i = 0; i < sizeof *counters / sizeof *counts; ++i)
        counts[i] = (int64_t)(10 + i);
    for (size_t i = 0; i < sizeof *profile / sizeof *seconds; ++i)
        seconds[i] = 0.5 + (double)i;
    PalRunRecord record = {0};
    pal_run_record_add(&record, r.simulation.run, 1);
    assert_memory_equal(&record.counters, counters, sizeof *counters);
    assert_memory_equal(&record.profile, profile, sizeof *profile);
    end(&r);
}

// A run that is stopped can go on; one that has failed cannot.
static void stopped_runs_leave_a_checkpoint(void **state)
{
    (void)state;
    const PalStatus statuses[] = {PAL_INTERRUPTED, PAL_OK, PAL_SIM_FAILED};
    for (int i = 0; i < 3; ++i) {
        char path[64];
        PalDirectory directory = place_open(path);
        PalError error = {0};
        Simulation s = simulate_box(pal_vec3(1, 1, 1), 1, 1, 1);
        simulate_neo_hookean(&s, 1000, 0.3, 1);
        simulate_start(&s);
        PalOutputDef def = pal_output_def_default();
        PalOutput *output = NULL;
        PalOutputEnd how = {.status = statuses[i], .reason = "stopped"};
        def.directory = path;
        def.report = false;
        check_ok(pal_output_open(&def, s.run, false, &output, &error), &error);
        simulate_to(&s, 0.1);
        check_ok(pal_output_finish(output, s.run, &how, &error), &error);
        assert_int_equal(place_has(&directory, PAL_CHECKPOINT_NAME), i < 2);
        pal_output_destroy(output);
        simulate_end(&s);
        pal_directory_close(&directory);
        place_remove(path);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(drift_and_means_are_told),
    cmocka_unit_test(drift_is_relative_to_the_largest_energy),
    cmocka_unit_test(peaks_are_the_largest_of_all_rows),
    cmocka_unit_test(what_earlier_processes_saw_counts),
    cmocka_unit_test(costs_are_added_up),
    cmocka_unit_test(stopped_runs_leave_a_checkpoint),
    cmocka_unit_test(balances_are_told_apart),
};
CHECK_GROUP(tests, NULL, NULL)
