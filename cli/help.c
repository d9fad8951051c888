// help: the verbs, or one verb and its options.
#include "cli.h"

#include <stdio.h>
#include <unistd.h>

void pal_cli_help_program(void)
{
    bool color = pal_cli_has_color(STDOUT_FILENO);
    const char *bold = color ? "\033[1m" : "", *plain = color ? "\033[0m" : "";
    printf("%spalpate%s %s: simulation of soft tissue\n", bold, plain, pal_version());
    printf("\nTo begin:\n  palpate demo\n\nVerbs:\n");
    for (int32_t i = 0; i < pal_cli_verb_count; i++) {
        const PalCliVerb *verb = &pal_cli_verbs[i];
        printf("  %s%-7s%s ", bold, verb->name, plain);
        pal_cli_wrap(verb->summary, 10, 10);
    }
    printf("\n");
    pal_cli_wrap("'palpate help VERB' explains a verb; 'palpate help scene' tells what a scene may "
                 "say; 'palpate --version' names the version.",
                 0, 0);
}

void pal_cli_help_verb(const PalCliVerb *verb)
{
    int width = pal_cli_text_width();
    printf("palpate %s%s%s%s\n\n", verb->name, verb->options != 0 ? " [OPTION]..." : "",
           verb->operands[0] != '\0' ? " " : "", verb->operands);
    pal_cli_wrap(verb->detail, 0, 0);
    printf("\nOptions:\n");
    for (int32_t i = 0; i < pal_cli_option_count; i++) {
        const PalCliOption *option = &pal_cli_options[i];
        if (((verb->options | PAL_CLI_HELP) & option->bit) == 0)
            continue;
        int column =
            printf("  -%c, --%s%s%s", option->letter, option->name,
                   option->value != NULL ? " " : "", option->value != NULL ? option->value : "");
        int indent = width >= 60 ? 25 : 6;
        if (column >= indent) {
            printf("\n");
            column = 0;
        }
        printf("%*s", indent - column, "");
        pal_cli_wrap(option->help, indent, indent);
    }
}

int pal_cli_help(const PalCliArguments *arguments)
{
    if (arguments->operand_count == 0) {
        pal_cli_help_program();
        return PAL_EXIT_DONE;
    }
    const char *word = arguments->operands[0];
    const PalCliVerb *verb = pal_cli_verb_find(word);
    if (verb != NULL) {
        pal_cli_help_verb(verb);
        return PAL_EXIT_DONE;
    }
    if (pal_cli_help_topic(word))
        return PAL_EXIT_DONE;
    const char *nearest = pal_cli_nearest_topic(word);
    return nearest != NULL
               ? pal_cli_refuse("no verb or part of a scene is called '%s'; did you mean '%s'?",
                                word, nearest)
               : pal_cli_unknown_verb(word);
}
