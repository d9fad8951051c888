// laws: the material laws and what they want.
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Columns of the longest name in any law, so that their lists line up.
static int name_width(void)
{
    size_t width = 0;
    for (int32_t l = 0; l < pal_law_count(); l++)
        for (int32_t i = 0; i < pal_law_parameter_count(pal_law_at(l)); i++) {
            size_t length = strlen(pal_law_parameter(pal_law_at(l), i)->name);
            width = length > width ? length : width;
        }
    return (int)width;
}

// Prints a parameter, or a vector of three; returns how many that were.
static int32_t print_parameter(const PalMaterialLaw *law, int32_t index)
{
    const PalLawParameter *parameter = pal_law_parameter(law, index);
    int stem = (int)pal_law_vector_stem(law, index), width = name_width();
    char text[256];
    int used =
        snprintf(text, sizeof text, "%s%s", stem > 0 ? "[x, y, z] " : "", parameter->meaning);
    if (isfinite(parameter->lowest) && used >= 0 && (size_t)used < sizeof text)
        used += snprintf(text + used, sizeof text - (size_t)used, "; %s %g",
                         parameter->above_lowest ? "above" : "at least", parameter->lowest);
    if (parameter->optional && used >= 0 && (size_t)used < sizeof text)
        snprintf(text + used, sizeof text - (size_t)used, "; default %g", parameter->standard);
    int column = printf("    %-*.*s  ", width, stem > 0 ? stem : width, parameter->name);
    pal_cli_wrap(text, column, column);
    return stem > 0 ? 3 : 1;
}

static void print_law(const PalMaterialLaw *law)
{
    bool color = pal_cli_has_color(STDOUT_FILENO);
    printf("%s%s%s\n  ", color ? "\033[1m" : "", pal_law_name(law), color ? "\033[0m" : "");
    pal_cli_wrap(pal_law_summary(law), 2, 2);
    for (int32_t i = 0; i < pal_law_parameter_count(law);)
        i += print_parameter(law, i);
}

static bool takes_young(const PalMaterialLaw *law)
{
    return pal_law_parameter_index(law, "shear") != PAL_NONE &&
           pal_law_parameter_index(law, "bulk") != PAL_NONE;
}

// What a material wants besides the parameters; of any law when it is NULL.
static void print_rest(const PalMaterialLaw *law)
{
    putchar('\n');
    pal_cli_wrap("Every material also needs density, and may have relaxation (viscosity, as Prony "
                 "series).",
                 0, 0);
    if (law == NULL)
        pal_cli_wrap("Where a law takes both shear and bulk, young and poisson may replace them.",
                     0, 0);
    else if (takes_young(law))
        pal_cli_wrap("young and poisson may replace shear and bulk.", 0, 0);
}

int pal_cli_laws(const PalCliArguments *arguments)
{
    if (arguments->operand_count == 0) {
        for (int32_t i = 0; i < pal_law_count(); i++)
            print_law(pal_law_at(i));
        print_rest(NULL);
        return PAL_EXIT_DONE;
    }
    const char *name = arguments->operands[0];
    const PalMaterialLaw *law = pal_law_find(name);
    if (law != NULL) {
        print_law(law);
        print_rest(law);
        return PAL_EXIT_DONE;
    }
    const char *names[64];
    int32_t count = pal_law_count() < 64 ? pal_law_count() : 64;
    for (int32_t i = 0; i < count; i++)
        names[i] = pal_law_name(pal_law_at(i));
    const char *nearest = pal_cli_nearest(name, names, count);
    if (nearest != NULL)
        return pal_cli_refuse("unknown law '%s'; did you mean '%s'?", name, nearest);
    return pal_cli_refuse("unknown law '%s'; 'palpate laws' lists them", name);
}
