// The main of every test program: runs the tests of the files that are named, such as test_rows, or
// of all its files.
#include "check.h"

#include <stdbool.h>

static CheckGroup *groups;

void check_group_add(CheckGroup *group)
{
    group->next = groups;
    groups = group;
}

static bool has_name(const CheckGroup *group, const char *name)
{
    const char *slash = strrchr(group->file, '/');
    const char *file = slash == NULL ? group->file : slash + 1;
    size_t length = strlen(name);
    return strncmp(file, name, length) == 0 && strcmp(file + length, ".c") == 0;
}

// Returns how many tests failed; NULL names every group.
static int run(const char *name)
{
    int failures = 0, found = 0;
    for (const CheckGroup *group = groups; group != NULL; group = group->next)
        if (name == NULL || has_name(group, name)) {
            failures += group->run();
            ++found;
        }
    if (found == 0)
        fprintf(stderr, "there are no tests of the name %s\n", name == NULL ? "*" : name);
    return found == 0 ? 1 : failures;
}

int main(int argument_count, char **arguments)
{
    int failures = argument_count == 1 ? run(NULL) : 0;
    for (int i = 1; i < argument_count; ++i)
        failures += run(arguments[i]);
    return failures > 0;
}
