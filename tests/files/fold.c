/* The folding beside ICU's, for every code point; and UTF-8 beside all that can be written in it. */
#include "check.h"
#include "files/search/fold.h"
#include "files/search/unit.h"
#include <dlfcn.h>
#include <string.h>
#include <unicode/uchar.h>

TEST(letters_fold_as_unicode_says)
{
    assert_int_equal(weft__fold('K'), 'k');
    assert_int_equal(weft__fold('['), '[');
    assert_int_equal(weft__fold(0x212A), 'k');
    assert_int_equal(weft__fold(0x017F), 's');
    assert_int_equal(weft__fold(0x03A3), 0x03C3);
    assert_int_equal(weft__fold(0x03C2), 0x03C3);
    assert_int_equal(weft__fold(0x1E9E), 0x00DF);
    assert_int_equal(weft__fold(0x0130), 0x0130);
    assert_int_equal(weft__fold(0x10FFFF), 0x10FFFF);
    assert_int_equal(weft__fold(UINT32_MAX), UINT32_MAX);
}

TEST(a_class_has_all_that_fold_to_the_same_and_no_other)
{
    static unsigned folding_to[0x110000];
    for (uint32_t code = 0; code < 0x110000; code++)
        folding_to[weft__fold(code)]++;
    for (uint32_t code = 0; code < 0x110000; code++) {
        uint32_t same[FOLD_CLASS_MAX];
        unsigned count = weft__fold_class(code, same), own = 0;
        assert_int_equal(weft__fold(weft__fold(code)), weft__fold(code));
        assert_int_equal(count, folding_to[weft__fold(code)]);
        for (unsigned i = 0; i < count; i++) {
            assert_int_equal(weft__fold(same[i]), weft__fold(code));
            own += same[i] == code;
        }
        assert_int_equal(own, 1);
    }
}

/* Names in ICU end in its version: the macros of its headers know. */
#define TEXT_OF(name) #name
#define NAME_OF(name) TEXT_OF(name)

TEST(the_table_is_the_one_that_icu_has)
{
    void *library = dlopen("libicuuc.so." U_ICU_VERSION_SHORT, RTLD_NOW | RTLD_LOCAL);
    void *symbol = library != NULL ? dlsym(library, NAME_OF(u_foldCase)) : NULL;
    __typeof__(u_foldCase) *fold;
    if (symbol == NULL || strcmp(weft__fold_unicode, U_UNICODE_VERSION) != 0) {
        fprintf(stderr, "skipped: there is no ICU with Unicode %s\n", weft__fold_unicode);
        skip();
    }
    memcpy(&fold, &symbol, sizeof symbol);
    for (UChar32 code = 0; code <= UCHAR_MAX_VALUE; code++)
        assert_int_equal(weft__fold((uint32_t)code), fold(code, U_FOLD_CASE_DEFAULT));
    dlclose(library);
}

/* ---- UTF-8 ----------------------------------------------------------------------------------- */

TEST(every_character_is_read_as_it_is_written)
{
    for (uint32_t code = 0; code < 0x110000; code++) {
        char bytes[UNIT_SIZE_MAX];
        unsigned size = weft__unit_write(code, bytes);
        struct unit unit = weft__unit_read(bytes, size);
        if (code >= 0xD800 && code < 0xE000) {
            assert_int_equal(unit.code, UNIT_STRAY + 0xED);
            continue;
        }
        assert_int_equal(unit.code, code);
        assert_int_equal(unit.size, size);
        if (size == 1)
            continue;
        unit = weft__unit_read(bytes, size - 1);
        assert_int_equal(unit.code, UNIT_STRAY + (unsigned char)bytes[0]);
        assert_int_equal(unit.size, 1);
    }
}

TEST(what_is_no_character_is_stray_bytes)
{
    static const char *const strays[] = {"\x80",
                                         "\xC0\x80",
                                         "\xC1\xBF",
                                         "\xE0\x9F\xBF",
                                         "\xF0\x8F\xBF\xBF",
                                         "\xF4\x90\x80\x80",
                                         "\xF5\x80\x80",
                                         "\xFF",
                                         "\xE2\x84z"};
    for (size_t i = 0; i < sizeof strays / sizeof strays[0]; i++) {
        struct unit unit = weft__unit_read(strays[i], strlen(strays[i]));
        assert_int_equal(unit.code, UNIT_STRAY + (unsigned char)strays[i][0]);
        assert_int_equal(unit.size, 1);
    }
}

TEST(units_begin_where_no_character_goes_on)
{
    static const char text[] = "a\u00E9\u212A\U00010400\x80\xE2\x84z";
    static const char begins[] = "11010010001111" /* and what ends the text */ "1";
    for (size_t at = 0; at < sizeof text; at++)
        assert_int_equal(weft__unit_begins(text, sizeof text, at), begins[at] == '1');
}
