// bench: hands over to palpate-bench, which lies beside the program.
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int pal_cli_bench(int count, char **values)
{
    char *path = pal_cli_find_upwards("palpate-bench");
    if (path == NULL)
        return pal_cli_refuse("palpate-bench was not found beside palpate; install both together");
    char **words = calloc((size_t)count + 2, sizeof *words);
    if (words == NULL) {
        free(path);
        pal_cli_refuse("out of memory");
        return PAL_EXIT_FAILED;
    }
    words[0] = path;
    for (int i = 0; i < count; i++)
        words[i + 1] = values[i];
    execv(path, words);
    pal_cli_refuse("cannot start %s: %s", path, strerror(errno));
    free(words);
    free(path);
    return PAL_EXIT_FAILED;
}
