// libfyaml's events as ours. Its answers count for nothing once an allocation has failed, which
// errno tells: it makes empty values of texts that it had no memory for.
#include "scene/tree/yaml.h"

#include <errno.h>
#include <libfyaml.h>
#include <string.h>

static PalYamlKind kind_of(const struct fy_event *event)
{
    switch (event->type) {
    case FYET_DOCUMENT_START:
        return PAL_YAML_DOCUMENT;
    case FYET_SCALAR:
        return PAL_YAML_SCALAR;
    case FYET_ALIAS:
        return PAL_YAML_ALIAS;
    case FYET_MAPPING_START:
        return PAL_YAML_MAP;
    case FYET_SEQUENCE_START:
        return PAL_YAML_LIST;
    case FYET_MAPPING_END:
    case FYET_SEQUENCE_END:
        return PAL_YAML_CLOSE;
    default:
        return PAL_YAML_FINISH;  // nothing to tell
    }
}

static PalYamlStyle style_of(struct fy_token *token)
{
    enum fy_scalar_style style = token != NULL ? fy_token_scalar_style(token) : FYSS_PLAIN;
    bool quoted = style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED;
    return style == FYSS_PLAIN ? PAL_YAML_PLAIN : quoted ? PAL_YAML_QUOTED : PAL_YAML_BLOCK;
}

static struct fy_token *anchor_of(const struct fy_event *event)
{
    return event->type == FYET_SCALAR           ? event->scalar.anchor
           : event->type == FYET_MAPPING_START  ? event->mapping_start.anchor
           : event->type == FYET_SEQUENCE_START ? event->sequence_start.anchor
                                                : NULL;
}

static PalYamlEvent translate(struct fy_event *event)
{
    PalYamlEvent ours = {.kind = kind_of(event), .text = ""};
    struct fy_token *value = event->type == FYET_SCALAR  ? event->scalar.value
                             : event->type == FYET_ALIAS ? event->alias.anchor
                                                         : NULL;
    struct fy_token *anchor = anchor_of(event);
    const struct fy_mark *mark = fy_event_start_mark(event);
    if (mark != NULL) {
        ours.line = mark->line + 1;
        ours.column = mark->column + 1;
    }
    if (value != NULL)
        ours.text = fy_token_get_text(value, &ours.text_size);
    if (anchor != NULL)
        ours.anchor = fy_token_get_text(anchor, &ours.anchor_size);
    if (event->type == FYET_SCALAR)
        ours.style = style_of(value);
    if (ours.text == NULL || (anchor != NULL && ours.anchor == NULL))
        ours.kind = PAL_YAML_NO_MEMORY;
    return ours;
}

static PalYamlEvent first_trouble(struct fy_diag *diag)
{
    void *iterator = NULL;
    const struct fy_diag_error *first;
    while ((first = fy_diag_errors_iterate(diag, &iterator)) != NULL)
        if (first->type == FYET_ERROR)
            break;
    PalYamlEvent trouble = {.kind = PAL_YAML_TROUBLE, .text = ""};
    if (first != NULL) {
        trouble.line = first->line;
        trouble.column = first->column;
        trouble.text = first->msg != NULL ? first->msg : "a mistake";
        trouble.text_size = strlen(trouble.text);
    }
    return trouble;
}

static PalStatus tell_no_memory(PalYamlTake *take, void *context)
{
    PalYamlEvent event = {.kind = PAL_YAML_NO_MEMORY};
    PalStatus status = take(context, &event);
    return status != PAL_OK ? status : PAL_NO_MEMORY;
}

static PalStatus run_events(struct fy_parser *parser, struct fy_diag *diag, PalYamlTake *take,
                            void *context)
{
    for (;;) {
        errno = 0;
        struct fy_event *event = fy_parser_parse(parser);
        PalYamlEvent ours = {.kind = PAL_YAML_FINISH, .text = ""};
        if (event != NULL)
            ours = translate(event);
        else if (fy_parser_get_stream_error(parser))
            ours = first_trouble(diag);
        if (errno == ENOMEM || ours.kind == PAL_YAML_NO_MEMORY)
            return tell_no_memory(take, context);
        PalStatus status =
            event != NULL && ours.kind == PAL_YAML_FINISH ? PAL_OK : take(context, &ours);
        if (event == NULL)
            return status;
        fy_parser_event_free(parser, event);
        if (status != PAL_OK)
            return status;
    }
}

PalStatus pal_yaml_read_here(const PalYamlText *yaml, PalYamlTake *take, void *context)
{
    struct fy_diag_cfg diag_setup;
    fy_diag_cfg_default(&diag_setup);
    diag_setup.fp = NULL;
    diag_setup.output_fn = NULL;
    errno = 0;
    struct fy_diag *diag = fy_diag_create(&diag_setup);
    struct fy_parse_cfg setup = {.diag = diag};
    setup.flags =
        FYPCF_QUIET | FYPCF_COLLECT_DIAG | (yaml->json ? FYPCF_JSON_FORCE : FYPCF_JSON_NONE);
    struct fy_parser *parser = diag != NULL ? fy_parser_create(&setup) : NULL;
    if (parser == NULL || errno == ENOMEM)
        return tell_no_memory(take, context);
    fy_diag_set_collect_errors(diag, true);
    PalStatus status = fy_parser_set_string(parser, yaml->text, yaml->size) == 0 && errno != ENOMEM
                           ? run_events(parser, diag, take, context)
                           : tell_no_memory(take, context);
    if (status == PAL_NO_MEMORY)
        return status;  // what is left of it is better left alone
    fy_parser_destroy(parser);
    fy_diag_destroy(diag);
    return status;
}
