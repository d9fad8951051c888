// The first SIGINT, SIGTERM or SIGHUP asks the run to stop after its step, the second quits at
// once.
#include "cli.h"

#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t asked;

static void ask(int signal_number)
{
    (void)signal_number;
    if (asked)
        _exit(PAL_EXIT_INTERRUPTED);
    asked = 1;
}

void pal_cli_signals_catch(void)
{
    struct sigaction action = {.sa_handler = ask, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    struct sigaction before;
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN)  // nohup
        sigaction(SIGHUP, &action, NULL);
    // A file that may grow no further is a failed write with a message, not a killed program.
    signal(SIGXFSZ, SIG_IGN);
}

bool pal_cli_interrupted(void)
{
    return asked != 0;
}
