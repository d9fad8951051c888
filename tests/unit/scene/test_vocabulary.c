// What a scene may say is told whole: every part, key and choice has its sentences, names what
// there is, and stands in the schema.
#include "check.h"
#include "scene/keys.h"
#include <palpate/scene.h>

static PalVocabulary *make(void)
{
    PalVocabulary *vocabulary = NULL;
    PalError error = {0};
    check_ok(pal_vocabulary_create(&vocabulary, &error), &error);
    return vocabulary;
}

static void is_sentence(const char *owner, const char *text)
{
    if (text == NULL || strlen(text) < 5 || text[strlen(text) - 1] != '.')
        fail_msg("%s is explained by \"%s\", which is no sentence", owner,
                 text != NULL ? text : "nothing");
}

static void check_choices(const PalSceneKey *key)
{
    bool standard = key->choice_count == 0 || key->standard[0] == '\0';
    for (int32_t i = 0; i < key->choice_count; ++i) {
        is_sentence(key->choices[i].name, key->choices[i].help);
        standard = standard || strcmp(key->choices[i].name, key->standard) == 0;
        for (int32_t j = 0; j < i; ++j)
            assert_string_not_equal(key->choices[i].name, key->choices[j].name);
    }
    if (!standard)
        fail_msg("%s is %s by default, which is none of its choices", key->name, key->standard);
}

static void everything_is_explained(void **state)
{
    (void)state;
    PalVocabulary *vocabulary = make();
    assert_true(pal_vocabulary_part_count(vocabulary) > 15);
    assert_string_equal(pal_vocabulary_part(vocabulary, 0)->name, "scene");
    assert_null(pal_vocabulary_part(vocabulary, pal_vocabulary_part_count(vocabulary)));
    for (int32_t i = 0; i < pal_vocabulary_part_count(vocabulary); ++i) {
        const PalScenePart *part = pal_vocabulary_part(vocabulary, i);
        assert_ptr_equal(pal_vocabulary_find(vocabulary, part->name), part);
        is_sentence(part->name, part->help);
        assert_true(part->base == NULL || pal_vocabulary_find(vocabulary, part->base) != NULL);
        for (int32_t k = 0; k < part->key_count; ++k) {
            const PalSceneKey *key = &part->keys[k];
            is_sentence(key->name, key->help);
            assert_true(strlen(key->value) > 3);
            assert_true(key->part == NULL || pal_vocabulary_find(vocabulary, key->part) != NULL);
            check_choices(key);
            for (int32_t j = 0; j < k; ++j)
                assert_string_not_equal(key->name, part->keys[j].name);
        }
    }
    pal_vocabulary_destroy(vocabulary);
}

static void values_are_told_in_words(void **state)
{
    (void)state;
    PalVocabulary *vocabulary = make();
    static const char *const expected[][3] = {
        {"body", "name", "text"},
        {"body", "velocity", "3 numbers, as a list (length / time)"},
        {"body", "materials", "list of group material"},
        {"shape", "cells", "whole number above 0 or 1 to 3 whole numbers above 0, as a list"},
        {"condition", "displace", "3 numbers or null, as a list (length)"},
        {"condition", "ramp", "step or linear or smooth or hilly or list of lists of 2 numbers"},
        {"where", "box", "box or list of 2 lists of 3 numbers (length)"},
        {"contact", "between", "all or 2 names, as a list"},
        {"contact", "separation", "auto or number above 0 (length)"},
        {"solver", "safety", "number above 0 and at most 1"},
        {"output", "fields",
         "list of displacement, velocity, stress, energy, contact, strain, "
         "volume"},
        {"material", "direction", "3 numbers, as a list"},
        {"material", "shear", "number above 0"},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i) {
        const PalScenePart *part = pal_vocabulary_find(vocabulary, expected[i][0]);
        bool found = false;
        for (int32_t k = 0; k < part->key_count; ++k)
            if (strcmp(part->keys[k].name, expected[i][1]) == 0) {
                assert_string_equal(part->keys[k].value, expected[i][2]);
                found = true;
            }
        assert_true(found);
    }
    assert_string_equal(pal_vocabulary_find(vocabulary, "body")->rule,
                        "Exactly one of mesh, shape, skin-of. Exactly one of material, materials.");
    assert_string_equal(pal_vocabulary_find(vocabulary, "shape")->rule,
                        "Exactly one of box, sphere, ellipsoid, cylinder, sheet, tube, "
                        "shell-sphere. Not both of cells and size.");
    pal_vocabulary_destroy(vocabulary);
}

// Each law is told with all it takes, each parameter with the laws that take it.
static void laws_are_explained(void **state)
{
    (void)state;
    PalVocabulary *vocabulary = make();
    const PalScenePart *material = pal_vocabulary_find(vocabulary, "material");
    assert_string_equal(material->keys[0].name, "law");
    assert_int_equal(material->keys[0].choice_count, pal_law_count());
    for (int32_t l = 0; l < pal_law_count(); ++l) {
        const PalMaterialLaw *law = pal_law_at(l);
        const char *text = material->keys[0].choices[l].help;
        // the sentence begins with a capital
        assert_memory_equal(text + 1, pal_law_summary(law) + 1, strlen(pal_law_summary(law)) - 1);
        for (int32_t i = 0; i < pal_law_parameter_count(law); ++i) {
            char name[64];
            snprintf(name, sizeof name, "%s", pal_law_parameter(law, i)->name);
            if (pal_law_vector_first(law, i) != PAL_NONE)
                name[strlen(name) - 2] = '\0';
            if (strstr(text, name) == NULL)
                fail_msg("%s is not told to take %s", pal_law_name(law), name);
            const PalSceneKey *key = NULL;
            for (int32_t k = 0; k < material->key_count; ++k)
                if (strcmp(material->keys[k].name, name) == 0)
                    key = &material->keys[k];
            assert_non_null(key);
            if (strstr(key->help, pal_law_name(law)) == NULL &&
                strstr(key->help, "all laws") == NULL)
                fail_msg("%s is not told to be of %s", name, pal_law_name(law));
        }
    }
    pal_vocabulary_destroy(vocabulary);
}

static void schema_has_every_key(void **state)
{
    (void)state;
    PalVocabulary *vocabulary = make();
    char *text = pal_vocabulary_schema(vocabulary), *page = pal_vocabulary_reference(vocabulary);
    assert_non_null(text);
    assert_non_null(page);
    PalTree tree = {.path = "schema"};
    PalError error = {0};
    check_ok(pal_tree_parse(&tree, text, strlen(text), NULL, &tree.root, &error), &error);
    for (int32_t i = 0; i < pal_vocabulary_part_count(vocabulary); ++i) {
        const PalScenePart *part = pal_vocabulary_part(vocabulary, i);
        const PalTreeNode *schema =
            i == 0 ? tree.root : pal_tree_get(pal_tree_get(tree.root, "$defs"), part->name);
        const PalTreeNode *properties = pal_tree_get(schema, "properties");
        assert_int_equal(properties->count, part->key_count);
        for (int32_t k = 0; k < part->key_count; ++k) {
            const PalTreeNode *key = pal_tree_get(properties, part->keys[k].name);
            assert_non_null(key);
            assert_memory_equal(pal_tree_get(key, "description")->text, part->keys[k].help,
                                strlen(part->keys[k].help));
            char row[100];
            snprintf(row, sizeof row, "\n| `%s` | ", part->keys[k].name);
            assert_non_null(strstr(page, row));
        }
        assert_string_equal(pal_tree_get(schema, "additionalProperties")->text, "false");
    }
    pal_tree_clear(&tree);
    free(text);
    free(page);
    pal_vocabulary_destroy(vocabulary);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(everything_is_explained),
    cmocka_unit_test(values_are_told_in_words),
    cmocka_unit_test(laws_are_explained),
    cmocka_unit_test(schema_has_every_key),
};
CHECK_GROUP(tests, NULL, NULL)
