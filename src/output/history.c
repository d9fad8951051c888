#include "output/history.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const columns[] = {
    "time",
    "steps",
    "step",
    "kinetic",
    "strain",
    "external_work",
    "contact_work",
    "dissipated",
    "total",
    "drift",
    "momentum.x",
    "momentum.y",
    "momentum.z",
    "angular_momentum.x",
    "angular_momentum.y",
    "angular_momentum.z",
    "load",
    "penetration",
    "contacts",
    "frame",
};

int32_t pal_history_column_count(void)
{
    return (int32_t)(sizeof columns / sizeof columns[0]);
}

const char *pal_history_column_name(int32_t column_index)
{
    return columns[column_index];
}

bool pal_history_has_name(const char *probe_name)
{
    size_t length = strlen(probe_name);
    for (int32_t i = 0; i < pal_history_column_count(); ++i)
        if (strncmp(columns[i], probe_name, length) == 0 && columns[i][length] == '.')
            return true;
    return false;
}

// Quoted where CSV needs it: a comma, a quote or a line break in the name.
static void put_probe_column(PalText *text, const char *name, char axis)
{
    bool quote = strpbrk(name, ",\"\r\n") != NULL;
    pal_text_add(text, quote ? ",\"" : ",");
    for (const char *c = name; *c != '\0'; ++c) {
        if (*c == '"')
            pal_text_add(text, "\"");
        pal_text_put(text, *c == '\n' || *c == '\r' ? " " : c, 1);
    }
    pal_text_print(text, ".%c%s", axis, quote ? "\"" : "");
}

void pal_history_head(int32_t probe_count, const char *const *names, PalText *text)
{
    for (int32_t i = 0; i < pal_history_column_count(); ++i)
        pal_text_print(text, "%s%s", i > 0 ? "," : "", columns[i]);
    for (int32_t p = 0; p < probe_count; ++p)
        for (int i = 0; i < 3; ++i)
            put_probe_column(text, names[p], "xyz"[i]);
    pal_text_add(text, "\n");
}

static void put_number(PalText *text, double value)
{
    pal_text_add(text, ",");
    pal_text_number(text, value);
}

static void put_vector(PalText *text, PalVec3 value)
{
    put_number(text, value.x);
    put_number(text, value.y);
    put_number(text, value.z);
}

void pal_history_row(const PalHistoryRow *row, PalText *text)
{
    const PalEnergy *energy = &row->energy;
    pal_text_number(text, pal_time_shown(row->time));
    pal_text_print(text, ",%" PRId64, row->steps);
    put_number(text, row->step);
    put_number(text, energy->kinetic);
    put_number(text, energy->strain);
    put_number(text, energy->external_work);
    put_number(text, energy->contact_work);
    put_number(text, energy->dissipated);
    put_number(text, energy->kinetic + energy->strain);
    put_number(text, pal_energy_drift(energy));
    put_vector(text, row->momentum);
    put_vector(text, row->angular_momentum);
    put_number(text, pal_time_shown(row->load));
    put_number(text, row->penetration);
    pal_text_print(text, ",%" PRId64 ",%" PRId64, row->contacts, row->frame);
    for (int32_t p = 0; p < row->probe_count; ++p)
        put_vector(text, row->probes[p]);
    pal_text_add(text, "\n");
}

PalStatus pal_history_check(const PalHistoryRow *row, PalError *error)
{
    const PalEnergy *energy = &row->energy;
    const struct {
        const char *name;
        double value;
    } numbers[] = {
        {"the kinetic energy", energy->kinetic},
        {"the strain energy", energy->strain},
        {"the work of loads", energy->external_work},
        {"the work of contact", energy->contact_work},
        {"the dissipated energy", energy->dissipated},
        {"the drift of energy", pal_energy_drift(energy)},
        {"the momentum", row->momentum.x + row->momentum.y + row->momentum.z},
        {"the angular momentum",
         row->angular_momentum.x + row->angular_momentum.y + row->angular_momentum.z},
        {"the penetration", row->penetration},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
        if (!isfinite(numbers[i].value))
            return pal_error_set(error, PAL_SIM_FAILED,
                                 "%s is %g at time %.6g, step %lld: the numbers have become too "
                                 "large or too small to compute with; check units, loads and step",
                                 numbers[i].name, numbers[i].value, row->time,
                                 (long long)row->steps);
    for (int32_t p = 0; p < row->probe_count; ++p)
        if (!isfinite(row->probes[p].x + row->probes[p].y + row->probes[p].z))
            return pal_error_set(error, PAL_SIM_FAILED,
                                 "probe %d is (%g, %g, %g) at time %.6g, step %lld: the numbers "
                                 "have become too large or too small to compute with",
                                 (int)p + 1, row->probes[p].x, row->probes[p].y, row->probes[p].z,
                                 row->time, (long long)row->steps);
    return PAL_OK;
}

static const char *next_line(const char *c, const char *end)
{
    const char *stop = memchr(c, '\n', (size_t)(end - c));
    return stop == NULL ? end : stop + 1;
}

bool pal_history_next_frame(const PalText *text, size_t *place, size_t *start, size_t *length)
{
    const char *end = text->data + text->length, *row = text->data + *place;
    while (row < end) {
        const char *next = next_line(row, end), *c = row;
        for (int32_t column = 1; column < pal_history_column_count() && c < next; ++column) {
            const char *comma = memchr(c, ',', (size_t)(next - c));
            c = comma == NULL ? next : comma + 1;
        }
        if (c < next && *c >= '0' && *c <= '9') {
            *place = (size_t)(next - text->data);
            *start = (size_t)(row - text->data);
            *length = (size_t)((const char *)memchr(row, ',', (size_t)(next - row)) - row);
            return true;
        }
        row = next;
    }
    return false;
}

static int64_t count_rows(const char *c, const char *end)
{
    int64_t rows = 0;
    for (; c < end; ++c)
        rows += *c == '\n';
    return rows;
}

static void parse_row(const char *c, const char *end, int32_t column_count, double *values)
{
    for (int32_t i = 0; i < column_count; ++i) {
        char number[PAL_NUMBER_SIZE] = {0};
        size_t length = 0;
        for (; c < end && *c != ',' && *c != '\n'; ++c)
            if (length + 1 < sizeof number)  // strtod wants the locale's point
                number[length++] = *c == '.' ? *localeconv()->decimal_point : *c;
        values[i] = strtod(number, NULL);
        c += c < end && *c == ',';
    }
}

PalStatus pal_history_parse(const PalText *text, int32_t row_limit, PalHistoryTable *table,
                            PalError *error)
{
    *table = (PalHistoryTable){0};
    if (text->length == 0)
        return PAL_OK;
    const char *end = text->data + text->length;
    const char *line = next_line(text->data, end);
    int64_t rows = count_rows(line, end);
    // The head may hold commas inside quotes: columns are counted in the first row.
    table->column_count = 1;
    for (const char *c = line; c < end && *c != '\n'; ++c)
        table->column_count += *c == ',';
    int64_t kept = rows < row_limit ? rows : row_limit;
    table->values = malloc((size_t)(kept * table->column_count + 1) * sizeof *table->values);
    if (table->values == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the history");
    for (int64_t row = 0; row < rows && table->row_count < kept; ++row) {
        int64_t wanted = kept > 1 ? table->row_count * (rows - 1) / (kept - 1) : 0;
        if (row == wanted) {
            parse_row(line, end, table->column_count,
                      table->values + (size_t)table->row_count * (size_t)table->column_count);
            ++table->row_count;
        }
        line = next_line(line, end);
    }
    return PAL_OK;
}
