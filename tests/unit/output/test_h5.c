// Our own HDF5: what is written comes back, and a head of any bytes is refused or read within its
// bounds. tests/python/test_run_directory.py reads a checkpoint with h5py.
#include "check.h"

#include "output/h5.h"

typedef struct Sample {
    PalText head;
    uint64_t size;
} Sample;

static Sample make_behind(const char *before, uint64_t base)
{
    static const double mass = 2.5;
    static const int64_t steps = -7;
    static const PalH5Attribute top[] = {{"steps", PAL_H5_INTEGER, &steps},
                                         {"name", PAL_H5_TEXT, "beam"}};
    static const PalH5Attribute inner[] = {{"mass", PAL_H5_REAL, &mass}};
    static const PalH5Set sets[] = {
        {"reals", PAL_H5_REAL, 3}, {"nothing", PAL_H5_REAL, 0}, {"integers", PAL_H5_INTEGER, 5}};
    PalH5Group root = {.attribute_count = 2, .attributes = top};
    PalH5Group groups[] = {{"values", 1, 0, inner, NULL}, {"arrays", 0, 3, NULL, sets}};
    Sample sample = {0};
    pal_text_add(&sample.head, before);
    pal_h5_put_head(&sample.head, base, &root, 2, groups);
    assert_false(sample.head.no_memory);
    sample.size = sample.head.length + 8 * 8;
    return sample;
}

static Sample make(uint64_t base)
{
    return make_behind("", base);
}

static PalH5 as_file(const Sample *sample)
{
    return (PalH5){(const unsigned char *)sample->head.data, sample->head.length, sample->size};
}

// Of Bob Jenkins' own test driver, and of no bytes.
static void sum_is_lookup3(void **state)
{
    (void)state;
    assert_int_equal(pal_h5_sum("Four score and seven years ago", 30), 0x17770551);
    assert_int_equal(pal_h5_sum("", 0), 0xdeadbeef);
}

// Addresses count from the head, whatever the text holds before it.
static void head_may_stand_behind_other_text(void **state)
{
    (void)state;
    Sample alone = make(512), behind = make_behind("something", 512);
    assert_int_equal(behind.head.length, alone.head.length + 9);
    assert_memory_equal(behind.head.data + 9, alone.head.data, alone.head.length);
    pal_text_clear(&alone.head);
    pal_text_clear(&behind.head);
}

static void comes_back(void **state)
{
    (void)state;
    Sample sample = make(512);
    PalH5 h5 = as_file(&sample);
    PalH5Place root = pal_h5_root(&h5);
    int64_t steps = 0, count = -1;
    double mass = 0;
    char name[5];
    assert_true(pal_h5_get(&h5, root, "steps", PAL_H5_INTEGER, &steps, 8));
    assert_int_equal(steps, -7);
    assert_true(pal_h5_get(&h5, root, "name", PAL_H5_TEXT, name, sizeof name));
    assert_string_equal(name, "beam");
    PalH5Place values = pal_h5_find(&h5, root, "values");
    assert_true(pal_h5_get(&h5, values, "mass", PAL_H5_REAL, &mass, 8));
    assert_true(mass == 2.5);
    PalH5Place arrays = pal_h5_find(&h5, root, "arrays");
    uint64_t data = 0, first = sample.head.length;
    assert_int_equal(first % 8, 0);
    assert_true(pal_h5_set(&h5, pal_h5_find(&h5, arrays, "reals"), PAL_H5_REAL, &count, &data));
    assert_true(count == 3 && data == first);
    assert_true(pal_h5_set(&h5, pal_h5_find(&h5, arrays, "nothing"), PAL_H5_REAL, &count, &data));
    assert_true(count == 0);
    assert_true(
        pal_h5_set(&h5, pal_h5_find(&h5, arrays, "integers"), PAL_H5_INTEGER, &count, &data));
    assert_true(count == 5 && data == first + 24);
    pal_text_clear(&sample.head);
}

// Objects have sums of their own: a byte that has changed is never read as another value.
static void changed_bytes_are_refused(void **state)
{
    (void)state;
    Sample sample = make(0);
    int refused = 0;
    for (size_t i = 0; i < sample.head.length; ++i) {
        sample.head.data[i] ^= 0x20;
        PalH5 h5 = as_file(&sample);
        PalH5Place root = pal_h5_root(&h5), values = pal_h5_find(&h5, root, "values");
        int64_t steps = -7;
        double mass = 2.5;
        char name[5] = "beam";
        refused += !pal_h5_get(&h5, root, "steps", PAL_H5_INTEGER, &steps, 8);
        pal_h5_get(&h5, root, "name", PAL_H5_TEXT, name, sizeof name);
        pal_h5_get(&h5, values, "mass", PAL_H5_REAL, &mass, 8);
        assert_true(steps == -7 && mass == 2.5);
        assert_string_equal(name, "beam");
        sample.head.data[i] ^= 0x20;
    }
    assert_true(refused > 100);
    pal_text_clear(&sample.head);
}

static void other_kinds_and_names_are_refused(void **state)
{
    (void)state;
    Sample sample = make(0);
    PalH5 h5 = as_file(&sample);
    PalH5Place root = pal_h5_root(&h5), arrays = pal_h5_find(&h5, root, "arrays");
    char value[8];
    int64_t count;
    uint64_t data;
    assert_false(pal_h5_get(&h5, root, "steps", PAL_H5_REAL, value, 8));
    assert_false(pal_h5_get(&h5, root, "step", PAL_H5_INTEGER, value, 8));
    assert_false(pal_h5_get(&h5, root, "name", PAL_H5_TEXT, value, 4));
    assert_false(pal_h5_get(&h5, 0, "steps", PAL_H5_INTEGER, value, 8));
    assert_int_equal(pal_h5_find(&h5, root, "array"), 0);
    assert_int_equal(pal_h5_find(&h5, 0, "reals"), 0);
    PalH5Place reals = pal_h5_find(&h5, arrays, "reals");
    assert_false(pal_h5_set(&h5, reals, PAL_H5_INTEGER, &count, &data));
    assert_false(pal_h5_set(&h5, arrays, PAL_H5_REAL, &count, &data));
    // numbers that would lie behind the end of the file
    h5.size = sample.head.length + 23;
    assert_false(pal_h5_set(&h5, reals, PAL_H5_REAL, &count, &data));
    h5.size += 1;
    assert_true(pal_h5_set(&h5, reals, PAL_H5_REAL, &count, &data));
    pal_text_clear(&sample.head);
}

static void look_at_everything(const PalH5 *h5)
{
    static const char *const names[] = {"values", "arrays", "reals", "integers"};
    char value[8];
    int64_t count;
    uint64_t data;
    PalH5Place places[5] = {pal_h5_root(h5)};
    for (int i = 0; i < 4; ++i)
        places[i + 1] = pal_h5_find(h5, places[i < 2 ? 0 : 2], names[i]);
    for (int i = 0; i < 5; ++i) {
        pal_h5_get(h5, places[i], "name", PAL_H5_TEXT, value, 5);
        pal_h5_get(h5, places[i], "mass", PAL_H5_REAL, value, 8);
        if (pal_h5_set(h5, places[i], PAL_H5_REAL, &count, &data))
            assert_true(data + 8 * (uint64_t)count <= h5->size);
    }
}

// Each byte changed in turn, and each length: the sanitizers watch.
static void damage_stays_inside(void **state)
{
    (void)state;
    Sample sample = make(512);
    for (size_t i = 0; i < sample.head.length; ++i) {
        char kept = sample.head.data[i];
        sample.head.data[i] = (char)(kept ^ 0x80);
        PalH5 changed = as_file(&sample);
        look_at_everything(&changed);
        sample.head.data[i] = kept;
        PalH5 cut = changed;
        cut.head = memcpy(malloc(i + 1), sample.head.data, i);
        cut.head_size = i;
        look_at_everything(&cut);
        free((void *)cut.head);
    }
    pal_text_clear(&sample.head);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(sum_is_lookup3),
    cmocka_unit_test(head_may_stand_behind_other_text),
    cmocka_unit_test(comes_back),
    cmocka_unit_test(changed_bytes_are_refused),
    cmocka_unit_test(other_kinds_and_names_are_refused),
    cmocka_unit_test(damage_stays_inside),
};
CHECK_GROUP(tests, NULL, NULL)
