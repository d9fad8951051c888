// help: the verbs, or one verb and its options.
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void pal_cli_help_program(void)
{
    bool color = pal_cli_has_color(STDOUT_FILENO);
    const char *bold = color ? "\033[1m" : "", *plain = color ? "\033[0m" : "";
    printf("%spalpate%s %s: simulation of soft tissue\n", bold, plain, pal_version());
    printf("\nTo begin:\n  palpate demo\n\nVerbs:\n");
    for (int32_t i = 0; i < pal_cli_verb_count; i++) {
        const PalCliVerb *verb = &pal_cli_verbs[i];
        printf("  %s%-9s%s ", bold, verb->name, plain);
        pal_cli_wrap(verb->summary, 12, 12);
    }
    printf("\n");
    pal_cli_wrap("'palpate help VERB' explains a verb, 'palpate help scene' lists what a scene can "
                 "contain, and 'palpate --version' prints the version.",
                 0, 0);
}

// What the option is for, and the words its value may be.
static void option_help(const PalCliOption *option, char *text, size_t size)
{
    size_t used = 0;
    const char *word;
    for (int32_t i = 0; option->word != NULL && (word = option->word(i)) != NULL; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? ", " : "", word);
    snprintf(text + used, size - used, "%s%s", used > 0 ? ": " : "", option->help);
}

// Prints a text that is to be freed.
static int print_whole(char *text)
{
    if (text == NULL) {
        pal_cli_refuse("out of memory");
        return PAL_EXIT_FAILED;
    }
    fputs(text, stdout);
    free(text);
    return PAL_EXIT_DONE;
}

static int print_vocabulary(const PalCliArguments *arguments)
{
    if (arguments->operand_count > 0 || (arguments->schema && arguments->reference))
        return pal_cli_refuse("help: --schema and --reference take nothing else");
    PalVocabulary *vocabulary = NULL;
    PalError error = {0};
    if (pal_vocabulary_create(&vocabulary, &error) != PAL_OK)
        return print_whole(NULL);
    int status = print_whole(arguments->schema ? pal_vocabulary_schema(vocabulary)
                                               : pal_vocabulary_reference(vocabulary));
    pal_vocabulary_destroy(vocabulary);
    return status;
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
        char help[400];
        option_help(option, help, sizeof help);
        pal_cli_wrap(help, indent, indent);
    }
    // the part of a scene that it reads
    if (verb->run == pal_cli_vademecum) {
        printf("\n");
        pal_cli_help_topic(verb->name);
    }
}

int pal_cli_help(const PalCliArguments *arguments)
{
    if (arguments->schema || arguments->reference)
        return print_vocabulary(arguments);
    if (arguments->operand_count == 0) {
        pal_cli_help_program();
        return PAL_EXIT_DONE;
    }
    const PalCliVerb *verb = pal_cli_verb_find(arguments->operands[0]);
    if (verb == NULL)
        return pal_cli_help_topic(arguments->operands[0]);
    pal_cli_help_verb(verb);
    return PAL_EXIT_DONE;
}
