// laws: the material laws and what they want.
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

static void print_parameter(const PalLawParameter *parameter)
{
    enum { INDENT = 17 };
    char text[256];
    int used = snprintf(text, sizeof text, "%s", parameter->meaning);
    if (isfinite(parameter->lowest) && used >= 0 && (size_t)used < sizeof text)
        used += snprintf(text + used, sizeof text - (size_t)used, "; %s %g",
                         parameter->above_lowest ? "above" : "at least", parameter->lowest);
    if (parameter->optional && used >= 0 && (size_t)used < sizeof text)
        snprintf(text + used, sizeof text - (size_t)used, "; default %g", parameter->standard);
    int column = printf("    %-12s ", parameter->name);
    pal_cli_wrap(text, column, INDENT);
}

static void print_law(const PalMaterialLaw *law)
{
    bool color = pal_cli_has_color(STDOUT_FILENO);
    printf("%s%s%s\n  ", color ? "\033[1m" : "", pal_law_name(law), color ? "\033[0m" : "");
    pal_cli_wrap(pal_law_summary(law), 2, 2);
    for (int32_t i = 0; i < pal_law_parameter_count(law); i++)
        print_parameter(pal_law_parameter(law, i));
}

int pal_cli_laws(const PalCliArguments *arguments)
{
    if (arguments->operand_count == 0) {
        for (int32_t i = 0; i < pal_law_count(); i++)
            print_law(pal_law_at(i));
        return PAL_EXIT_DONE;
    }
    const char *name = arguments->operands[0];
    const PalMaterialLaw *law = pal_law_find(name);
    if (law != NULL) {
        print_law(law);
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
