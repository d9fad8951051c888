// Equilibria of a build that is not done: records behind each other, each with a check sum, so that
// one that was not written to its end is known.
//
//   "palpate vademecum part 1\n", zeros up to 64 bytes, with the identity in the last 8;
//   records: 8 numbers of the request, how many follow, the numbers, sum of all these
#include "base/hash.h"
#include "output/file.h"

#include <palpate/vademecum_io.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEAD = 64, REQUEST = 8 };

typedef struct Record {
    double request[REQUEST];
    int64_t count;
    uint64_t place;  // of its numbers
} Record;

struct PalVademecumPart {
    int descriptor;
    char *path;
    uint64_t end;  // of the last sound record
    int32_t count, room, found;
    Record *records;
};

static bool add_record(PalVademecumPart *part, const Record *record)
{
    if (part->count == part->room) {
        int32_t room = 2 * part->room + 64;
        Record *more = realloc(part->records, (size_t)room * sizeof *more);
        if (more == NULL)
            return false;
        part->records = more;
        part->room = room;
    }
    part->records[part->count++] = *record;
    return true;
}

static uint64_t sum_of(const Record *record, const double *numbers)
{
    uint64_t sum = pal_hash_words(PAL_HASH_START, record->request, sizeof record->request);
    sum = pal_hash_words(sum, &record->count, sizeof record->count);
    return pal_hash_words(sum, numbers, (size_t)record->count * sizeof *numbers);
}

// One record at part->end. False: there is none that is sound.
static bool scan_record(PalVademecumPart *part, uint64_t size)
{
    Record record;
    uint64_t left = size - part->end, head = sizeof record.request + sizeof record.count;
    if (left < head + 8 ||
        !pal_file_read_at(part->descriptor, record.request, sizeof record.request, part->end) ||
        !pal_file_read_at(part->descriptor, &record.count, sizeof record.count,
                          part->end + sizeof record.request) ||
        record.count < 0 || (uint64_t)record.count > (left - head - 8) / 8)
        return false;
    uint64_t bytes = (uint64_t)record.count * 8, sum = 0;
    double *numbers = malloc((size_t)bytes + 1);
    record.place = part->end + head;
    bool sound = numbers != NULL &&
                 pal_file_read_at(part->descriptor, numbers, (size_t)bytes, record.place) &&
                 pal_file_read_at(part->descriptor, &sum, sizeof sum, record.place + bytes) &&
                 sum == sum_of(&record, numbers) && add_record(part, &record);
    free(numbers);
    if (sound)
        part->end = record.place + bytes + 8;
    return sound;
}

static void make_head(uint64_t identity, char head[HEAD])
{
    memset(head, 0, HEAD);
    strcpy(head, "palpate vademecum part 1\n");
    memcpy(head + HEAD - 8, &identity, 8);
}

static bool take_over(PalVademecumPart *part, uint64_t identity)
{
    char head[HEAD], found[HEAD];
    struct stat info;
    make_head(identity, head);
    if (fstat(part->descriptor, &info) != 0 || !S_ISREG(info.st_mode))
        return errno = EINVAL, false;
    part->end = HEAD;
    if (info.st_size >= HEAD && pal_file_read_at(part->descriptor, found, HEAD, 0) &&
        memcmp(head, found, HEAD) == 0) {
        while (scan_record(part, (uint64_t)info.st_size))
            continue;
        part->found = part->count;
        return ftruncate(part->descriptor, (off_t)part->end) == 0;
    }
    return ftruncate(part->descriptor, 0) == 0 && lseek(part->descriptor, 0, SEEK_SET) == 0 &&
           pal_file_write_all(part->descriptor, head, HEAD);
}

static void release(PalVademecumPart *part)
{
    if (part->descriptor >= 0)
        close(part->descriptor);
    free(part->path);
    free(part->records);
    free(part);
}

PalStatus pal_vademecum_part_open(const char *path, uint64_t identity, PalVademecumPart **result,
                                  PalError *error)
{
    PalVademecumPart *part = calloc(1, sizeof *part);
    *result = part;
    if (part == NULL || (part->path = strdup(path)) == NULL) {
        free(part);
        *result = NULL;
        return pal_error_set(error, PAL_NO_MEMORY, "no memory");
    }
    part->descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0666);
    if (part->descriptor >= 0 && take_over(part, identity))
        return PAL_OK;
    int why = errno;
    release(part);
    *result = NULL;
    return pal_error_set(error, PAL_IO_FAILED, "%s: cannot keep what is found: %s", path,
                         strerror(why));
}

static bool recall(void *own, const double request[REQUEST], int64_t count, double *answer)
{
    PalVademecumPart *part = own;
    for (int32_t i = 0; i < part->count; ++i) {
        const Record *record = &part->records[i];
        if (record->count == count && memcmp(record->request, request, sizeof record->request) == 0)
            return pal_file_read_at(part->descriptor, answer, (size_t)count * sizeof *answer,
                                    record->place);
    }
    return false;
}

// What cannot be kept is found again.
static void keep(void *own, const double request[REQUEST], int64_t count, const double *answer)
{
    PalVademecumPart *part = own;
    Record record = {.count = count};
    memcpy(record.request, request, sizeof record.request);
    record.place = part->end + sizeof record.request + sizeof record.count;
    uint64_t sum = sum_of(&record, answer);
    if (lseek(part->descriptor, (off_t)part->end, SEEK_SET) < 0 ||
        !pal_file_write_all(part->descriptor, record.request, sizeof record.request) ||
        !pal_file_write_all(part->descriptor, &record.count, sizeof record.count) ||
        !pal_file_write_all(part->descriptor, answer, (size_t)count * sizeof *answer) ||
        !pal_file_write_all(part->descriptor, &sum, sizeof sum))
        return;
    if (add_record(part, &record))
        part->end = record.place + (uint64_t)count * 8 + 8;
}

PalVademecumMemory pal_vademecum_part_memory(PalVademecumPart *part)
{
    return (PalVademecumMemory){part, recall, keep};
}

int32_t pal_vademecum_part_count(const PalVademecumPart *part)
{
    return part->found;
}

void pal_vademecum_part_close(PalVademecumPart *part, bool remove)
{
    if (part == NULL)
        return;
    if (remove || part->count == 0)
        unlink(part->path);
    release(part);
}
