/* Where a Location leads to: what is put together without curl, what is left to it, and that both
 * agree.
 * ctest: labels=valgrind-long shuffle=no */
#include "check.h"
#include "fault.h"
#include "http/client/client.h"
#include <string.h>
#include <weft/alloc.h>

/* The first one: what curl allocates for good is not counted. */
TEST(without_memory_there_is_no_answer)
{
    char *absolute = NULL;
    weft_fault_install();
    weft_fault_fail_at(1);
    assert_int_equal(weft__http_location("http://a.test/", "/b", &absolute), UV_ENOMEM);
    assert_null(absolute);
    fault_remove();
}

/* The same by curl. */
static char *by_curl(const char *base, const char *location)
{
    char *got = NULL;
    assert_int_equal(weft__http_curl_load(NULL), 0);
    CURLU *url = curl_url();
    assert_int_equal(curl_url_set(url, CURLUPART_URL, base, 0), CURLUE_OK);
    assert_int_equal(curl_url_set(url, CURLUPART_URL, location,
                                  CURLU_URLENCODE | CURLU_ALLOW_SPACE | CURLU_NON_SUPPORT_SCHEME),
                     CURLUE_OK);
    assert_int_equal(curl_url_get(url, CURLUPART_URL, &got, 0), CURLUE_OK);
    curl_url_cleanup(url);
    return got;
}

static void leads_to(const char *base, const char *location, const char *expected)
{
    char *absolute = NULL, *theirs = by_curl(base, location);
    assert_int_equal(weft__http_location(base, location, &absolute), 1);
    assert_string_equal(absolute, expected);
    assert_string_equal(theirs, expected);
    weft_free(absolute);
    curl_free(theirs);
}

static void is_left(const char *base, const char *location)
{
    char *absolute = NULL;
    if (weft__http_location(base, location, &absolute) != 0)
        fail_msg("%s from %s is not left to curl", location, base);
    assert_null(absolute);
}

TEST(a_whole_url_stays_as_it_is)
{
    leads_to("http://a.test/b", "http://c.test/d?e=f&g=/../h#i", "http://c.test/d?e=f&g=/../h#i");
    leads_to("http://a.test/b", "https://c.test:8443/", "https://c.test:8443/");
    leads_to("http://a.test:81/b", "http://127.0.0.1:82/%7Ex/a%c3%a4",
             "http://127.0.0.1:82/%7Ex/a%c3%a4");
    leads_to("http://a.test/b", "http://c.test:80/x", "http://c.test:80/x");
}

TEST(a_path_that_is_missing_is_the_root)
{
    leads_to("http://a.test/b", "https://c.test", "https://c.test/");
    leads_to("http://a.test/b", "//c.test:82", "http://c.test:82/");
}

TEST(another_host_has_the_same_scheme)
{
    leads_to("http://a.test/b", "//c.test/d", "http://c.test/d");
    leads_to("https://a.test/b", "//c.test/d", "https://c.test/d");
}

TEST(a_path_has_the_same_host)
{
    leads_to("http://a.test:81/b/c?d#e", "/f", "http://a.test:81/f");
    leads_to("http://a.test", "/f/g/?h", "http://a.test/f/g/?h");
    leads_to("http://a.test/", "/.well-known/b..", "http://a.test/.well-known/b..");
    leads_to("http://a.test/b", "/c:d@e/f.g", "http://a.test/c:d@e/f.g");
}

TEST(a_page_has_the_same_folder)
{
    leads_to("http://a.test:81/b/c", "d", "http://a.test:81/b/d");
    leads_to("http://a.test/b/c/", "d/e?f", "http://a.test/b/c/d/e?f");
    leads_to("http://a.test/b/c?d=/e", "f.html", "http://a.test/b/f.html");
    leads_to("http://a.test/", "b#c", "http://a.test/b#c");
    leads_to("http://a.test/", "b?c:d", "http://a.test/b?c:d");
}

TEST(a_page_may_be_in_a_folder_above)
{
    leads_to("http://a.test/b/c", "./d#e", "http://a.test/b/d#e");
    leads_to("http://a.test/b/c/d?e/f", "../g", "http://a.test/b/g");
    leads_to("http://a.test/b/c/d", ".././../g/h", "http://a.test/g/h");
    leads_to("http://a.test/b", "../../c", "http://a.test/c");
}

TEST(what_has_to_be_changed_is_left_to_curl)
{
    static const char *const odd[] = {".../c",
                                      "./",
                                      ".//b",
                                      "../?c",
                                      "./b:c",
                                      "../",
                                      "/b/../c",
                                      "/b/./c",
                                      "/.",
                                      "c/..",
                                      "/%2e/c",
                                      "/b/%2E%2e/c",
                                      "..",
                                      ".",
                                      "/ b",
                                      "/\xc3\xa4",
                                      "/b|c",
                                      "/b\"c",
                                      "/b\\c",
                                      "?b",
                                      "#b",
                                      "/b?",
                                      "/b#",
                                      "/b?#c",
                                      "b:c",
                                      "mailto:b",
                                      "http:/b",
                                      "///b",
                                      "http:///b",
                                      "HTTP://b.test/",
                                      "http://B.test/",
                                      "http://b.test./",
                                      "http://b.test:/",
                                      "http://b.test:080/",
                                      "http://b.test:0/",
                                      "http://b.test:99999/",
                                      "http://u@b.test/",
                                      "http://[::1]/",
                                      "http://1.2.3/",
                                      "http://0x7f.1/",
                                      "http://b.test?c",
                                      "http://b.test#c",
                                      "http://b%2ec.test/",
                                      "//u:p@b.test/",
                                      "ftp://b.test/",
                                      "\t/b",
                                      "",
                                      "https://"};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        is_left("http://a.test/x/y", odd[i]);
}

TEST(so_is_what_begins_at_a_url_that_is_not_plain)
{
    is_left("http://A.test/", "/b");
    is_left("http://u@a.test/", "/b");
    is_left("ftp://a.test/", "/b");
    is_left("http://a.test", "b");
    is_left("http://a.test/b#c/d", "e");
    is_left("http://a.test/b/../c", "e");
}

static void origins(const char *one, const char *other, bool expected)
{
    bool same = !expected;
    assert_true(weft__http_origins(one, other, &same));
    assert_int_equal(same, expected);
}

TEST(an_origin_is_scheme_host_and_port)
{
    origins("http://a.test/", "http://a.test:80/b", true);
    origins("https://a.test:443/", "https://a.test", true);
    origins("http://a.test/", "https://a.test/", false);
    origins("http://a.test:443/", "https://a.test/", false);
    origins("http://a.test/", "http://b.test/", false);
    origins("http://a.test/", "http://a.test:81/", false);
}

TEST(an_origin_that_is_not_plain_is_left_to_curl)
{
    bool same;
    assert_false(weft__http_origins("http://a.test/", "http://A.test/", &same));
    assert_false(weft__http_origins("http://u@a.test/", "http://a.test/", &same));
    assert_false(weft__http_origins("http://a.test/", "http://a.test@b.test/", &same));
    assert_false(weft__http_origins("http://a.test/", "http://a.test?@b.test/", &same));
}
