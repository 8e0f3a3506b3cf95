/* The table of media types, from inside: a binary search finds only what is in order. */
/* ctest: shuffle=no */
#include "check.h"
#include "http/message/media.c"
#include <uv.h>

TEST(the_endings_are_in_order_and_each_is_found)
{
    size_t count = sizeof endings / sizeof *endings;
    assert_true(count > 100);
    for (size_t i = 0; i < count; i++) {
        char path[32] = "file.";
        if (i > 0 && strcmp(endings[i - 1].ending, endings[i].ending) >= 0)
            fail_msg("%s is not where it belongs", endings[i].ending);
        assert_true(strlen(endings[i].ending) <= 16);
        strcat(path, endings[i].ending);
        assert_ptr_equal(weft_http_media_type(weft_text_of(path)), endings[i].type);
    }
}

TEST(the_types_are_well_formed_and_only_text_has_a_charset)
{
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        struct weft_http_content_type type;
        assert_int_equal(weft_http_content_type_parse(weft_text_of(endings[i].type), &type), 0);
        bool text = weft_text_is(type.type, "text");
        assert_int_equal(weft_text_is(type.charset, "utf-8"), text);
        assert_int_equal(type.parameters.size > 0, text);
    }
}
