// Files of vademecums: both forms are read back as they were, and damage is refused.
#include "small_book.h"
#include <palpate/vademecum_io.h>

#include <unistd.h>

static PalVademecum *book;
static SmallBook small;

static int prepare(void **state)
{
    (void)state;
    book = small_book_build(&small, 2, PAL_VADEMECUM_AUTO, 6, 2);
    return 0;
}

static int clean_up(void **state)
{
    (void)state;
    pal_vademecum_destroy(book);
    small_book_clear(&small);
    return 0;
}

static void check_same(PalVademecum *one, PalVademecum *two)
{
    PalVademecumArray a[PAL_VADEMECUM_ARRAY_MAX], b[PAL_VADEMECUM_ARRAY_MAX];
    int32_t count = pal_vademecum_arrays(one, a);
    assert_int_equal(pal_vademecum_arrays(two, b), count);
    for (int32_t i = 0; i < count; ++i) {
        size_t bytes = (size_t)a[i].count * (a[i].kind == PAL_VADEMECUM_DOUBLE ? 8 : 4);
        assert_int_equal(a[i].count, b[i].count);
        assert_memory_equal(a[i].data, b[i].data, bytes);
    }
    assert_memory_equal(&one->size, &two->size, sizeof one->size);
    assert_string_equal(one->name, two->name);
    check_near(two->facts.point.worst, one->facts.point.worst, 0);
    check_near(two->facts.largest, one->facts.largest, 0);
    assert_int_equal(two->facts.solution_count, one->facts.solution_count);
}

// The bytes of a file that is written and removed.
static unsigned char *written(bool web, size_t *size)
{
    char path[] = "/tmp/palpate-book-XXXXXX";
    PalError error = {0};
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    check_ok(web ? pal_vademecum_write_web(path, book, &error)
                 : pal_vademecum_write(path, book, &error),
             &error);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    unsigned char *bytes = malloc(1 << 22);
    *size = fread(bytes, 1, 1 << 22, file);
    fclose(file);
    unlink(path);
    return bytes;
}

static void files_are_read_back(void **state)
{
    (void)state;
    PalError error = {0};
    PalVademecum *again = NULL, *small_one = NULL;
    size_t size;
    unsigned char *bytes = written(false, &size);
    check_ok(pal_vademecum_read_memory(bytes, size, &again, &error), &error);
    check_same(book, again);
    pal_vademecum_destroy(again);
    free(bytes);
    bytes = written(true, &size);
    check_ok(pal_vademecum_read_memory(bytes, size, &again, &error), &error);
    check_ok(pal_vademecum_compact(book, &small_one, &error), &error);
    check_same(small_one, again);
    pal_vademecum_destroy(small_one);
    pal_vademecum_destroy(again);
    free(bytes);
}

// The compact form gives the same answers.
static void compact_answers_are_the_same(void **state)
{
    (void)state;
    PalError error = {0};
    PalVademecum *compact;
    PalVademecumWork *work[2];
    PalVademecumAnswer answers[2];
    const PalVademecumLoad load = {{1, 0.2, 0.5}, {0, 0, -7}};
    check_ok(pal_vademecum_compact(book, &compact, &error), &error);
    PalVademecum *books[2] = {book, compact};
    for (int i = 0; i < 2; ++i) {
        check_ok(pal_vademecum_work_create(books[i], &work[i], &error), &error);
        pal_vademecum_evaluate(books[i], work[i], &load, &answers[i], NULL);
        pal_vademecum_work_destroy(work[i]);
    }
    check_near(answers[1].displacement.z, answers[0].displacement.z, 1e-9);
    assert_true(answers[0].displacement.z < -0.01);
    pal_vademecum_destroy(compact);
}

static void damage_is_refused(void **state)
{
    (void)state;
    for (int web = 0; web < 2; ++web) {
        size_t size;
        unsigned char *bytes = written(web == 1, &size);
        for (size_t i = 0; i < 400; ++i) {
            PalError error = {0};
            PalVademecum *again = NULL;
            size_t at = i * size / 400;
            bytes[at] ^= 0x40;
            assert_int_equal(pal_vademecum_read_memory(bytes, size, &again, &error), PAL_BAD_INPUT);
            assert_true(error.text[0] != '\0' && again == NULL);
            bytes[at] ^= 0x40;
            assert_int_equal(pal_vademecum_read_memory(bytes, at, &again, NULL), PAL_BAD_INPUT);
        }
        free(bytes);
    }
}

// Files of number 3 are read; other numbers, and older compact forms, are told apart from damage.
static void versions_are_told(void **state)
{
    (void)state;
    const size_t place[2] = {strlen("palpate vademecum "), strlen("PALVADE")};
    for (int web = 0; web < 2; ++web)
        for (int number = 2; number < 6; ++number) {
            PalError error = {0};
            PalVademecum *again = NULL;
            size_t size;
            unsigned char *bytes = written(web == 1, &size);
            bytes[place[web]] = (unsigned char)('0' + number);
            PalStatus status = pal_vademecum_read_memory(bytes, size, &again, &error);
            bool known = number == 3 || (number == 4 && web == 0);
            assert_int_equal(status, known ? PAL_OK : PAL_BAD_INPUT);
            assert_true(known || strstr(error.text, "another version") != NULL);
            pal_vademecum_destroy(again);
            free(bytes);
        }
}

// Numbers that no check sum can tell: they are looked at one by one.
static void nonsense_is_refused(void **state)
{
    (void)state;
    PalError error = {0};
    struct {
        int32_t *number;
        int32_t wrong;
        const char *word;
    } cases[] = {
        {&book->cells[2], book->size.node_count, "cell"},
        {&book->triangles[1], book->size.surface_count, "triangle"},
        {&book->site[0], -1, "site"},
        {&book->sample_cell[0], book->size.cell_count, "sampled"},
        {&book->local_node[0], book->size.node_count, "near"},
        {&book->local_start[1], -5, "near"},
        {&book->cell_material[0], 1, "material"},
        {&book->law[0], 7, "law"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        int32_t right = *cases[i].number;
        *cases[i].number = cases[i].wrong;
        error = (PalError){0};
        assert_int_equal(pal_vademecum_finish(book, &error), PAL_BAD_INPUT);
        assert_non_null(strstr(error.text, cases[i].word));
        *cases[i].number = right;
    }
    book->modes[3] = NAN;
    assert_int_equal(pal_vademecum_finish(book, NULL), PAL_BAD_INPUT);
    book->modes[3] = 0;
    check_ok(pal_vademecum_finish(book, &error), &error);
}

typedef struct Count {
    int32_t recalled, kept;
    PalVademecumMemory memory;
} Count;

static bool recall(void *own, const double request[8], int64_t count, double *answer)
{
    Count *c = own;
    bool found = c->memory.recall(c->memory.own, request, count, answer);
    c->recalled += found;
    return found;
}

static void keep(void *own, const double request[8], int64_t count, const double *answer)
{
    Count *c = own;
    c->memory.keep(c->memory.own, request, count, answer);
    ++c->kept;
}

// A build that finds what an earlier one kept solves for nothing, and gives the same bits.
static void a_build_goes_on(void **state)
{
    (void)state;
    char path[] = "/tmp/palpate-part-XXXXXX";
    close(mkstemp(path));
    for (int round = 0; round < 3; ++round) {
        PalError error = {0};
        PalVademecumPart *part;
        PalVademecum *again;
        // the third belongs to something else
        check_ok(pal_vademecum_part_open(path, round == 2 ? 8 : 7, &part, &error), &error);
        Count count = {.memory = pal_vademecum_part_memory(part)};
        PalVademecumDef def = small.def;
        def.memory = (PalVademecumMemory){&count, recall, keep};
        check_ok(pal_vademecum_build(&def, &again, &error), &error);
        assert_true(round == 1 ? count.kept == 0 && count.recalled > 5
                               : count.kept > 5 && count.recalled == 0);
        again->facts.seconds = book->facts.seconds;
        check_same(book, again);
        pal_vademecum_destroy(again);
        pal_vademecum_part_close(part, round == 2);
        if (round == 0)
            assert_int_equal(truncate(path, 1000), 0);
        if (round == 0) {
            // a record that was cut off is found again
            check_ok(pal_vademecum_part_open(path, 7, &part, &error), &error);
            assert_true(pal_vademecum_part_count(part) < count.kept);
            def.memory = pal_vademecum_part_memory(part);
            check_ok(pal_vademecum_build(&def, &again, &error), &error);
            check_same(book, again);
            pal_vademecum_destroy(again);
            pal_vademecum_part_close(part, false);
        }
    }
    assert_int_equal(access(path, F_OK), -1);
}

// Nothing is left of a build that found nothing; what is found stays.
static void empty_parts_are_removed(void **state)
{
    (void)state;
    const double request[8] = {1, 2, 3}, answer[2] = {4, 5};
    char path[] = "/tmp/palpate-part-XXXXXX";
    close(mkstemp(path));
    for (int kept = 0; kept < 2; ++kept) {
        PalError error = {0};
        PalVademecumPart *part;
        check_ok(pal_vademecum_part_open(path, 7, &part, &error), &error);
        PalVademecumMemory memory = pal_vademecum_part_memory(part);
        if (kept)
            memory.keep(memory.own, request, 2, answer);
        pal_vademecum_part_close(part, false);
        assert_int_equal(access(path, F_OK), kept ? 0 : -1);
    }
    unlink(path);
}

// A mean that is no number holds no tolerance.
static void tolerances_are_held_by_numbers(void **state)
{
    (void)state;
    const double means[] = {0.01, 0.02, 0.03, NAN, INFINITY};
    for (int i = 0; i < 5; ++i) {
        PalVademecumFacts facts = {.tolerance = 0.02, .point = {.mean = means[i]}};
        assert_int_equal(pal_vademecum_holds_tolerance(&facts), i < 2);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(empty_parts_are_removed), cmocka_unit_test(tolerances_are_held_by_numbers),
    cmocka_unit_test(files_are_read_back),     cmocka_unit_test(compact_answers_are_the_same),
    cmocka_unit_test(damage_is_refused),       cmocka_unit_test(nonsense_is_refused),
    cmocka_unit_test(a_build_goes_on),         cmocka_unit_test(versions_are_told),
};

CHECK_GROUP(tests, prepare, clean_up)
