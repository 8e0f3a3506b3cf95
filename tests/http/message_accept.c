/* Accept: which of several media types a client likes best. */
/* ctest: labels=valgrind-long */
#include "check.h"
#include "message_heads.h"
#include <weft/http_message.h>

enum form { TEXT, JSON, HTML, NONE };
static const char *const types[] = {"text/plain", "application/json", "text/html"};

static size_t best_of(const char *value)
{
    struct weft_http_head head = HEAD(WEFT_HTTP_GET, "Host", "x", "accept", value);
    return weft_http_accept_best(&head, types, NONE);
}

static void require_best(const char *const *values, size_t count, enum form form)
{
    for (size_t i = 0; i < count; i++) {
        if (best_of(values[i]) != form)
            fail_msg("'%s' gets %zu", values[i], best_of(values[i]));
    }
}
#define REQUIRE_BEST(form, ...)                                                                    \
    do {                                                                                           \
        static const char *const values_[] = {__VA_ARGS__};                                        \
        require_best(values_, sizeof values_ / sizeof values_[0], form);                           \
    } while (0)

TEST(who_does_not_say_gets_the_first)
{
    REQUIRE_BEST(TEXT, "", " ", ",,", "*/*", "text/*", "text/plain", "*/*;q=0.001");
}

TEST(the_type_that_is_liked_best_is_taken)
{
    REQUIRE_BEST(JSON, "application/json", "APPLICATION/Json", "application/*",
                 "text/plain;q=0.5, application/json", "application/json;q=0.11,text/plain;q=0.1",
                 "text/html;q=0, text/plain;q=0, */*;q=0.1");
    REQUIRE_BEST(HTML, "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8",
                 "text/*;q=0.3, text/html;q=0.7, application/json;q=0.69",
                 "text/html;level=1;q=0.5, text/plain;q=0.4", "text/html;q=\"1\"");
    REQUIRE_BEST(TEXT, "text/html;q=0, */*;q=0.1", "text/html;q=0.5, text/plain;q=0.500",
                 "application/json;q=0.999, text/plain;q=1.0");
}

TEST(of_types_that_are_liked_as_much_the_one_that_is_named_is_taken)
{
    REQUIRE_BEST(JSON, "application/json, */*", "*/*, application/json", "*/*, application/*");
    REQUIRE_BEST(HTML, "text/*, text/html");
    REQUIRE_BEST(TEXT, "text/html, application/json, text/plain");
}

TEST(several_fields_are_one_list)
{
    struct weft_http_head head = HEAD(WEFT_HTTP_GET, "Accept", "text/html;q=0.1", "accept",
                                      "application/json;q=0.2", "Accept", "*/*;q=0");
    assert_int_equal(weft_http_accept_best(&head, types, NONE), JSON);
    head = HEAD(WEFT_HTTP_GET, "Accept", "*/*", "accept", "text/html");
    assert_int_equal(weft_http_accept_best(&head, types, NONE), HTML);
}

TEST(a_head_without_it_and_a_choice_of_none_have_an_answer)
{
    struct weft_http_head head = HEAD(WEFT_HTTP_GET, "Host", "x");
    assert_int_equal(weft_http_accept_best(&head, types, NONE), TEXT);
    assert_int_equal(weft_http_accept_best(&head, types, 0), 0);
    assert_int_equal(weft_http_accept_quality(&head, "image/png"), 1000);
    head = HEAD(WEFT_HTTP_GET, "Accept", "text/html");
    assert_int_equal(weft_http_accept_best(&head, types, 0), 0);
}

TEST(a_type_is_liked_as_much_as_the_range_says_that_names_it_most_exactly)
{
    static const struct {
        const char *value;
        unsigned html, plain, json;
    } table[] = {
        {"", 1000, 1000, 1000},
        {"*/*", 1000, 1000, 1000},
        {"text/html", 1000, 0, 0},
        {"*/*;q=0.1, text/*;q=0.25, TEXT/Html ; Q=0.5", 500, 250, 100},
        {"text/html;q=0, text/*, */*;q=0.001", 0, 1000, 1},
        {"text/html;level=1;q=0.3, text/html;q=0.4", 300, 0, 0},
        {"text/html;q=2, text/*;q=0.2", 200, 200, 0},
        {"text/html;q=1., text/plain;q=1.001, application/json;q=\"0.5\"", 1000, 0, 500},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct weft_http_head head = HEAD(WEFT_HTTP_GET, "Accept", table[i].value);
        unsigned html = weft_http_accept_quality(&head, "text/html");
        unsigned plain = weft_http_accept_quality(&head, "text/plain");
        unsigned json = weft_http_accept_quality(&head, "application/json");
        if (html != table[i].html || plain != table[i].plain || json != table[i].json)
            fail_msg("'%s': html %u, plain %u, json %u", table[i].value, html, plain, json);
    }
}

TEST(who_likes_none_of_them_is_told)
{
    REQUIRE_BEST(NONE, "image/png", "*/*;q=0", "text/plain;q=0.0", "text", "text/", "/plain",
                 "text/plain/x", "*/html", "application/json;q=0, image/*");
}

TEST(a_range_that_is_malformed_says_nothing)
{
    REQUIRE_BEST(
        TEXT, "application/json;q=2, text/plain;q=0.1",
        "application/json;q=1.001, text/plain;q=0.1", "application/json;q=0.1234, text/plain;q=0.1",
        "application/json;q=, text/plain;q=0.1", "application/json;q, text/plain;q=0.1",
        "application/json;q=.5, text/plain;q=0.1", "application/json;=, text/plain;q=0.1",
        "application/json;q=-1, text/plain;q=0.1", "application/json;q=0x1, text/plain;q=0.1");
}
