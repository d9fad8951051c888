#include "output/fingerprint.h"

#include "base/hash.h"

#include <stdio.h>
#include <string.h>

static uint64_t add_indices(uint64_t hash, const int32_t *indices, int32_t count)
{
    return pal_hash(hash, indices, (size_t)count * sizeof *indices);
}

static uint64_t add_mesh(uint64_t hash, const PalMesh *mesh)
{
    const int32_t counts[] = {mesh->node_count, mesh->cell_count, mesh->group_count};
    hash = add_indices(hash, counts, 3);
    hash = pal_hash_words(hash, mesh->nodes, (size_t)mesh->node_count * sizeof *mesh->nodes);
    size_t corners = (size_t)mesh->cell_count * (size_t)pal_cell_node_count(mesh->cell_kind);
    hash = pal_hash_words(hash, mesh->cells, corners * sizeof *mesh->cells);
    for (int32_t g = 0; g < mesh->group_count; ++g) {
        const PalGroup *group = &mesh->groups[g];
        hash = pal_hash(hash, group->name, strlen(group->name) + 1);
        hash = add_indices(hash, group->nodes, group->node_count);
        hash = add_indices(hash, group->cells, group->cell_count);
        hash = pal_hash_words(hash, group->faces, (size_t)group->face_count * sizeof *group->faces);
    }
    return hash;
}

uint64_t pal_scene_fingerprint(const char *scene_text, const PalModel *model)
{
    uint64_t hash = pal_hash(PAL_HASH_START, scene_text, strlen(scene_text));
    for (int32_t b = 0; b < model->body_count; ++b)
        hash = add_mesh(hash, model->bodies[b].mesh);
    for (int32_t r = 0; r < model->rigid_count; ++r)
        hash = add_mesh(hash, model->rigids[r].mesh);
    return hash;
}

// ---- what differs -----------------------------------------------------------------------

// A piece of a text.
typedef struct Piece {
    const char *at;
    int length;
} Piece;

static Piece line_at(const char *at)
{
    return (Piece){at, (int)strcspn(at, "\n")};
}

static const char *line_after(Piece line)
{
    return line.at[line.length] == '\n' ? line.at + line.length + 1 : line.at + line.length;
}

static bool same(Piece a, Piece b)
{
    return a.length == b.length && memcmp(a.at, b.at, (size_t)a.length) == 0;
}

// Is the word, such as "damping: 2", one of those in {} in this line?
static bool has_word(Piece line, Piece word)
{
    for (int i = 1; i + word.length < line.length; ++i)
        if (memcmp(line.at + i, word.at, (size_t)word.length) == 0 &&
            strchr(" {", line.at[i - 1]) != NULL && strchr(",}", line.at[i + word.length]) != NULL)
            return true;
    return false;
}

// As a line of its own, or in the one line of a part that is short enough.
static bool has_line(const char *text, Piece wanted)
{
    int indent = (int)strspn(wanted.at, " ");
    Piece word = {wanted.at + indent, wanted.length - indent};
    for (; *text != '\0'; text = line_after(line_at(text))) {
        Piece line = line_at(text);
        bool short_part = line.length > 0 && strchr(" -", line.at[0]) == NULL;
        if (same(line, wanted) || (short_part && indent > 0 && has_word(line, word)))
            return true;
    }
    return false;
}

// The name before the last colon that stands before this place.
static Piece key_before(Piece line, int place)
{
    int end = place;
    while (end > 0 && (end >= line.length || line.at[end] != ':'))
        --end;
    int begin = end;
    while (begin > 0 && strchr(" {,", line.at[begin - 1]) == NULL)
        --begin;
    return (Piece){line.at + begin, end - begin};
}

static Piece key_in(Piece line)
{
    return key_before(line, (int)strcspn(line.at, ":\n"));
}

// What stands after a key: a list, a group or a word.
static Piece value_of(Piece line, Piece key)
{
    const char *end = line.at + line.length, *at = key.at + key.length;
    int depth = 0;
    while (at < end && (*at == ':' || *at == ' '))
        ++at;
    const char *last = at;
    for (; last < end && (depth > 0 || strchr(",}]", *last) == NULL); ++last)
        depth += (*last == '[' || *last == '{') - (*last == ']' || *last == '}');
    return (Piece){at, (int)(last - at)};
}

// The key that follows a value in the same group; of no length where there is none.
static Piece key_after(Piece line, Piece value)
{
    const char *at = value.at + value.length, *end = line.at + line.length;
    if (at == end || *at != ',')
        return (Piece){at, 0};
    ++at;
    at += strspn(at, " ");
    return (Piece){at, (int)strcspn(at, ":\n")};
}

static bool has_key(Piece line, Piece key)
{
    for (int i = 1; i + key.length < line.length; ++i)
        if (memcmp(line.at + i, key.at, (size_t)key.length) == 0 &&
            strchr(" {", line.at[i - 1]) != NULL && line.at[i + key.length] == ':')
            return true;
    return false;
}

// A key that only one of two lines has, behind a value that is the same in both.
static bool tell_missing(Piece there, Piece here, const Piece same_value[2], Piece part, char *text,
                         size_t size)
{
    Piece old = key_after(there, same_value[0]), fresh = key_after(here, same_value[1]);
    bool added = fresh.length > 0 && !has_key(there, fresh);
    bool taken = old.length > 0 && !has_key(here, old);
    Piece key = added ? fresh : old, value = value_of(added ? here : there, key);
    if ((!added && !taken) || value.length >= 60)
        return false;
    snprintf(text, size, "%.*s of %.*s is %.*s %s and not told %s", key.length, key.at, part.length,
             part.at, value.length, value.at, added ? "here" : "there", added ? "there" : "here");
    return true;
}

// The first key in two lines that has other values.
static void tell_lines(Piece there, Piece here, Piece part, char *text, size_t size)
{
    int place = 0;
    while (place < there.length && place < here.length && there.at[place] == here.at[place])
        ++place;
    Piece key = key_before(there, place), other = key_before(here, place);
    Piece values[2] = {value_of(there, key), value_of(here, other)};
    bool named = key.length > 0 && same(key, other);
    bool shown = values[0].length < 60 && values[1].length < 60;
    if (named && same(values[0], values[1]) && tell_missing(there, here, values, part, text, size))
        return;
    if (named && shown && !same(values[0], values[1]))
        snprintf(text, size, "%.*s of %.*s is %.*s there and %.*s here", key.length, key.at,
                 part.length, part.at, values[0].length, values[0].at, values[1].length,
                 values[1].at);
    else
        snprintf(text, size, "%.*s differs", part.length, part.at);
}

bool pal_scene_difference(const char *there, const char *here, const char *identity, char *text,
                          size_t size)
{
    Piece part = {"", 0};
    while (*there != '\0' || *here != '\0') {
        Piece was = line_at(there), is = line_at(here);
        if (is.length > 0 && strchr(" -", is.at[0]) == NULL)
            part = key_in(is);
        bool differs = !same(was, is), keys = same(key_in(was), key_in(is));
        bool free = is.length > 0 && !has_line(identity, is);
        bool gone = differs && !keys && !free && same(part, (Piece){"solver", 6});
        if (differs && !free && !gone) {
            tell_lines(was, is, part, text, size);
            return true;
        }
        if (!differs || keys || gone)
            there = line_after(was);
        if (!gone)
            here = line_after(is);
    }
    return false;
}
