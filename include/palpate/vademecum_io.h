// Vademecums in files: one HDF5 file (docs/formats-vademecum.md), or the compact form for web
// pages. Part of libpalpate-io.
#ifndef PALPATE_VADEMECUM_IO_H
#define PALPATE_VADEMECUM_IO_H

#include <palpate/vademecum_build.h>

#ifdef __cplusplus
extern "C" {
#endif
PAL_API_BEGIN

// Either form, told by its first bytes. PAL_BAD_INPUT for what is damaged, foreign or hostile.
PalStatus pal_vademecum_read(const char *path, PalVademecum **book, PalError *error);
PalStatus pal_vademecum_read_memory(const void *bytes, size_t size, PalVademecum **book,
                                    PalError *error);

// Whole or not at all.
PalStatus pal_vademecum_write(const char *path, PalVademecum *book, PalError *error);
PalStatus pal_vademecum_write_web(const char *path, PalVademecum *book, PalError *error);

PalStatus pal_vademecum_make_folder(const char *path, PalError *error);  // that a file will be in

// A page with errors, sizes and pictures of the first modes.
PalStatus pal_vademecum_write_report(const char *path, PalVademecum *book, int32_t thread_count,
                                     PalError *error);

// Equilibria found so far, in a file beside the one that is made: a build that was stopped goes on
// from there. `identity` names what they belong to; others are thrown away.
typedef struct PalVademecumPart PalVademecumPart;
PalStatus pal_vademecum_part_open(const char *path, uint64_t identity, PalVademecumPart **part,
                                  PalError *error);
PalVademecumMemory pal_vademecum_part_memory(PalVademecumPart *part);
int32_t pal_vademecum_part_count(const PalVademecumPart *part);  // equilibria that were there
// One without equilibria is removed in any case.
void pal_vademecum_part_close(PalVademecumPart *part, bool remove);

PAL_API_END
#ifdef __cplusplus
}
#endif

#endif
