// Gmsh as a program.
#ifndef PAL_CLI_GMSH_H
#define PAL_CLI_GMSH_H

#include "cli.h"

enum { PAL_CLI_GMSH_NAME_MAX = 32 };

typedef struct PalCliGmsh {
    bool shown;         // on a terminal a line says how long it has been working
    char folder[1024];  // for its files, and nobody else's
} PalCliGmsh;

typedef struct PalCliGmshPath {
    char text[1400];
} PalCliGmshPath;

// False after saying why there is no folder.
bool pal_cli_gmsh_open(PalCliGmsh *gmsh);
void pal_cli_gmsh_close(PalCliGmsh *gmsh);  // removes the folder

PalCliGmshPath pal_cli_gmsh_path(const PalCliGmsh *gmsh, const char *name);

// Lets Gmsh read model.geo of the folder and write `output` there. PAL_INTERRUPTED after a signal,
// PAL_IO_FAILED with its own words if it failed. `options` ends with NULL.
PalStatus pal_cli_gmsh_run(const PalCliGmsh *gmsh, const char *const *options, const char *output,
                           PalError *error);

#endif
