// The table of options, and the parser that follows it.
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *format_word(int32_t index)
{
    return pal_mesh_format_name((PalMeshFormat)(PAL_FORMAT_BY_NAME + 1 + index));
}

static const char *answer_word(int32_t index)
{
    return pal_haptic_answer_name((PalHapticAnswer)index);
}

const PalCliOption pal_cli_options[] = {
    {PAL_CLI_OUTPUT, 'o', "output", "DIR",
     "the directory of results (default: runs/ and the scene's name; for reproduce: the directory "
     "reproduce)",
     NULL},
    {PAL_CLI_THREADS, 't', "threads", "N",
     "largest number of threads (default: the scene's, or all cores)", NULL},
    {PAL_CLI_RESUME, 'r', "resume", NULL,
     "continue from the checkpoint in the run directory, if there is one; a run that has ended "
     "goes "
     "on with --set solver.time=LATER",
     NULL},
    {PAL_CLI_SET, 's', "set", "PATH=VALUE",
     "change the scene before it is checked, as in bodies.0.material.young=3000; may be repeated",
     NULL},
    {PAL_CLI_QUIET, 'q', "quiet", NULL, "print nothing but errors", NULL},
    {PAL_CLI_LIST, 'l', "list", NULL, "list the scenes or experiments, one line each", NULL},
    {PAL_CLI_FORMAT, 'f', "format", "FORMAT",
     "format of the mesh (default: by the extension; .msh is 4.1)", format_word},
    {PAL_CLI_ASCII, 'a', "ascii", NULL, "write text rather than binary, where a format has both",
     NULL},
    {PAL_CLI_QUADRATIC, '2', "quadratic", NULL,
     "meshes of tetrahedra: put a node in the middle of each edge, for the element t10", NULL},
    {PAL_CLI_STRICT, 'S', "strict", NULL, "treat warnings as errors", NULL},
    {PAL_CLI_LENIENT, 'L', "lenient", NULL,
     "models: leave out what decides the answer but has no counterpart here, with a warning", NULL},
    {PAL_CLI_FORCE, 'F', "force", NULL, "replace mesh files that exist already", NULL},
    {PAL_CLI_SIZE, 'z', "size", "LENGTH",
     "target length of edges; the surface gets new triangles (default: it keeps its own)", NULL},
    {PAL_CLI_QUALITY, 'Q', "quality", "Q",
     "least quality of a tetrahedron (mean ratio, 0 to 1); the command fails if it is not reached",
     NULL},
    {PAL_CLI_QUICK, 'k', "quick", NULL, "shortened runs, to see that everything works", NULL},
    {PAL_CLI_SCHEMA, 'j', "schema", NULL, "print the JSON Schema of scenes, for editors", NULL},
    {PAL_CLI_REFERENCE, 'm', "reference", NULL, "print every key of a scene, as Markdown", NULL},
    {PAL_CLI_JSON, 'J', "json", NULL, "print JSON, for programs", NULL},
    {PAL_CLI_ALL, 'A', "all", NULL, "go on, and list the first meeting of every pair of objects",
     NULL},
    {PAL_CLI_STOP, 'x', "stop", NULL,
     "run the scene until there, into the run directory, for `run --resume` to continue", NULL},
    {PAL_CLI_FILE, 'o', "output", "FILE",
     "build: the vademecum to write; bench: a page with plots; serve: the folder of the page",
     NULL},
    {PAL_CLI_AT, 'p', "at", "x,y,z", "probe: where the load acts", NULL},
    {PAL_CLI_PUSH, 'f', "force", "fx,fy,fz", "probe: the force", NULL},
    {PAL_CLI_WEB, 'w', "web", NULL,
     "build: write the compact form for web pages; serve: write the folder, and end", NULL},
    {PAL_CLI_AGAINST, 'g', "against", "FILE",
     "bench: vademecum of the tool (default: a rigid ball of the patch's radius)", NULL},
    {PAL_CLI_PATH, 'P', "path", "FILE", "bench: poses of the tool, one a step", NULL},
    {PAL_CLI_STEPS, 'n', "steps", "N",
     "bench: number of steps, forth and back along the path (default: once forth)", NULL},
    {PAL_CLI_ANSWER, 'm', "answer", "NAME", "bench: how contact is answered (default: ours)",
     answer_word},
    {PAL_CLI_PORT, 'N', "port", "N", "serve: port of 127.0.0.1, 0 for any (default: 8217)", NULL},
    {PAL_CLI_HELP, 'h', "help", NULL, "explain this verb", NULL},
};
const int32_t pal_cli_option_count = sizeof pal_cli_options / sizeof pal_cli_options[0];

static bool takes(const PalCliVerb *verb, const PalCliOption *option)
{
    return ((verb->options | PAL_CLI_HELP) & option->bit) != 0;
}

static const PalCliOption *find_letter(const PalCliVerb *verb, char letter)
{
    for (int32_t i = 0; i < pal_cli_option_count; i++)
        if (takes(verb, &pal_cli_options[i]) && pal_cli_options[i].letter == letter)
            return &pal_cli_options[i];
    return NULL;
}

static const PalCliOption *find_name(const PalCliVerb *verb, const char *name, size_t length)
{
    for (int32_t i = 0; i < pal_cli_option_count; i++) {
        const PalCliOption *option = &pal_cli_options[i];
        if (takes(verb, option) && strlen(option->name) == length &&
            strncmp(option->name, name, length) == 0)
            return option;
    }
    return NULL;
}

static bool refuse_option(const PalCliVerb *verb, const char *word)
{
    char name[64] = "";
    if (strncmp(word, "--", 2) == 0) {
        size_t length = strcspn(word + 2, "=");
        if (length < sizeof name)
            memcpy(name, word + 2, length);
    }
    const char *names[24];
    int32_t count = 0;
    for (int32_t i = 0; i < pal_cli_option_count; i++)
        if (takes(verb, &pal_cli_options[i]))
            names[count++] = pal_cli_options[i].name;
    if (strcmp(verb->name, "run") == 0 && strcmp(name, "live") == 0) {
        pal_cli_refuse("run: '--live' is not part of this version (%s)", pal_version());
        return false;
    }
    const char *nearest = name[0] != '\0' ? pal_cli_nearest(name, names, count) : NULL;
    if (nearest != NULL)
        pal_cli_refuse("%s: unknown option '%s'; did you mean '--%s'?", verb->name, word, nearest);
    else
        pal_cli_refuse("%s: unknown option '%s'; 'palpate help %s' lists the options", verb->name,
                       word, verb->name);
    return false;
}

static bool parse_threads(const char *value, PalCliArguments *arguments)
{
    char *end = NULL;
    errno = 0;
    long number = strtol(value, &end, 10);
    if (end == value || *end != '\0' || errno != 0 || number < 1 || number > PAL_THREAD_MAX) {
        pal_cli_refuse("--threads is '%s', expected a whole number from 1 to %d", value,
                       PAL_THREAD_MAX);
        return false;
    }
    arguments->thread_count = (int32_t)number;
    return true;
}

static bool parse_steps(const char *value, int64_t *count)
{
    char *end = NULL;
    errno = 0;
    *count = strtoll(value, &end, 10);
    if (end != value && *end == '\0' && errno == 0 && *count >= 1 && *count <= 1000000000)
        return true;
    pal_cli_refuse("--steps is '%s', expected a whole number from 1 to a billion", value);
    return false;
}

static bool parse_number(const PalCliOption *option, const char *value, double highest,
                         double *number)
{
    char *end = NULL;
    *number = strtod(value, &end);
    if (end != value && *end == '\0' && *number > 0 && *number < highest)
        return true;
    if (highest < INFINITY)
        pal_cli_refuse("--%s is '%s', expected a number between 0 and %g", option->name, value,
                       highest);
    else
        pal_cli_refuse("--%s is '%s', expected a number above 0", option->name, value);
    return false;
}

// Cuts "path=value" in two, in place.
static bool parse_change(char *text, PalCliArguments *arguments)
{
    char *equals = strchr(text, '=');
    if (equals == NULL || equals == text) {
        pal_cli_refuse("--set is '%s', expected PATH=VALUE, as in solver.time=2", text);
        return false;
    }
    *equals = '\0';
    arguments->changes[arguments->change_count++] =
        (PalSceneChange){.path = text, .value = equals + 1};
    return true;
}

static bool parse_port(const char *value, int *port)
{
    char *end = NULL;
    long number = strtol(value, &end, 10);
    if (end == value || *end != '\0' || number < 0 || number > 65535) {
        pal_cli_refuse("--port is '%s', expected a number from 0 to 65535", value);
        return false;
    }
    *port = (int)number;
    return true;
}

// Where an option without a value is kept.
static bool *flag_of(unsigned bit, PalCliArguments *arguments)
{
    const struct {
        unsigned bit;
        bool *flag;
    } flags[] = {
        {PAL_CLI_RESUME, &arguments->resume},
        {PAL_CLI_QUIET, &arguments->quiet},
        {PAL_CLI_LIST, &arguments->list},
        {PAL_CLI_ASCII, &arguments->ascii},
        {PAL_CLI_STRICT, &arguments->strict},
        {PAL_CLI_LENIENT, &arguments->lenient},
        {PAL_CLI_FORCE, &arguments->force},
        {PAL_CLI_QUICK, &arguments->quick},
        {PAL_CLI_JSON, &arguments->json},
        {PAL_CLI_SCHEMA, &arguments->schema},
        {PAL_CLI_REFERENCE, &arguments->reference},
        {PAL_CLI_ALL, &arguments->all},
        {PAL_CLI_STOP, &arguments->stop},
        {PAL_CLI_QUADRATIC, &arguments->quadratic},
        {PAL_CLI_WEB, &arguments->web},
    };
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        if (flags[i].bit == bit)
            return flags[i].flag;
    return &arguments->help;
}

static bool apply(const PalCliOption *option, char *value, PalCliArguments *arguments)
{
    switch (option->bit) {
    case PAL_CLI_OUTPUT:
    case PAL_CLI_FILE:
        if (value[0] == '\0') {
            pal_cli_refuse("--output is empty, expected a %s",
                           option->bit == PAL_CLI_FILE ? "file" : "directory");
            return false;
        }
        arguments->directory = value;
        return true;
    case PAL_CLI_THREADS:
        return parse_threads(value, arguments);
    case PAL_CLI_SET:
        return parse_change(value, arguments);
    case PAL_CLI_FORMAT:
        arguments->format = value;
        return true;
    case PAL_CLI_AT:
        arguments->at = value;
        return true;
    case PAL_CLI_PUSH:
        arguments->push = value;
        return true;
    case PAL_CLI_AGAINST:
        arguments->against = value;
        return true;
    case PAL_CLI_PATH:
        arguments->path = value;
        return true;
    case PAL_CLI_ANSWER:
        arguments->answer = value;
        return true;
    case PAL_CLI_PORT:
        return parse_port(value, &arguments->port);
    case PAL_CLI_STEPS:
        return parse_steps(value, &arguments->step_count);
    case PAL_CLI_SIZE:
        return parse_number(option, value, INFINITY, &arguments->size);
    case PAL_CLI_QUALITY:
        return parse_number(option, value, 1, &arguments->quality);
    default:
        *flag_of(option->bit, arguments) = true;
        return true;
    }
}

// The words still to be read.
typedef struct Words {
    int count, next;
    char **values;
} Words;

// --name, --name=value, --name value.
static bool parse_long(const PalCliVerb *verb, Words *words, PalCliArguments *arguments)
{
    char *word = words->values[words->next++];
    size_t length = strcspn(word + 2, "=");
    const PalCliOption *option = find_name(verb, word + 2, length);
    if (option == NULL)
        return refuse_option(verb, word);
    char *value = word[2 + length] == '=' ? word + 3 + length : NULL;
    if (option->value == NULL && value != NULL) {
        pal_cli_refuse("%s: '--%s' takes no value", verb->name, option->name);
        return false;
    }
    if (option->value != NULL && value == NULL) {
        if (words->next >= words->count) {
            pal_cli_refuse("%s: '--%s' needs a value: --%s %s", verb->name, option->name,
                           option->name, option->value);
            return false;
        }
        value = words->values[words->next++];
    }
    return apply(option, value, arguments);
}

// -q, -qr, -o DIR, -oDIR.
static bool parse_short(const PalCliVerb *verb, Words *words, PalCliArguments *arguments)
{
    char *word = words->values[words->next++];
    for (char *letter = word + 1; *letter != '\0'; letter++) {
        const PalCliOption *option = find_letter(verb, *letter);
        if (option == NULL)
            return refuse_option(verb, word);
        if (option->value == NULL) {
            if (!apply(option, NULL, arguments))
                return false;
            continue;
        }
        if (letter[1] != '\0')
            return apply(option, letter + 1, arguments);
        if (words->next >= words->count) {
            pal_cli_refuse("%s: '-%c' needs a value: -%c %s", verb->name, *letter, *letter,
                           option->value);
            return false;
        }
        return apply(option, words->values[words->next++], arguments);
    }
    return true;
}

static bool check_operands(const PalCliVerb *verb, const PalCliArguments *arguments)
{
    if (arguments->help)
        return true;
    if (arguments->operand_count < verb->operand_min) {
        pal_cli_refuse("%s: %s is missing: palpate %s %s", verb->name, verb->operands, verb->name,
                       verb->operands);
        return false;
    }
    return true;
}

bool pal_cli_parse(const PalCliVerb *verb, int count, char **values, PalCliArguments *arguments)
{
    *arguments = (PalCliArguments){.port = -1};
    // No command line holds more changes than words.
    arguments->changes = malloc(((size_t)count + 1) * sizeof *arguments->changes);
    if (arguments->changes == NULL) {
        pal_cli_refuse("out of memory");
        return false;
    }
    Words words = {count, 0, values};
    bool options_over = false;
    while (words.next < count) {
        char *word = values[words.next];
        if (!options_over && strcmp(word, "--") == 0) {
            options_over = true;
            words.next++;
        } else if (!options_over && strncmp(word, "--", 2) == 0) {
            if (!parse_long(verb, &words, arguments))
                return false;
        } else if (!options_over && word[0] == '-' && word[1] != '\0') {
            if (!parse_short(verb, &words, arguments))
                return false;
        } else if (arguments->operand_count >= verb->operand_max) {
            pal_cli_refuse("%s: unexpected '%s'; usage: palpate %s%s%s", verb->name, word,
                           verb->name, verb->operands[0] != '\0' ? " " : "", verb->operands);
            return false;
        } else {
            arguments->operands[arguments->operand_count++] = word;
            words.next++;
        }
    }
    return check_operands(verb, arguments);
}

void pal_cli_arguments_clear(PalCliArguments *arguments)
{
    free(arguments->changes);
    *arguments = (PalCliArguments){0};
}
