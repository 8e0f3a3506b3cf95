/* Patterns: each wildcard, what a pattern is for in a URL, and that none takes for ever. */
#include "check.h"
#include "glob.h"
#include <stdlib.h>
#include <time.h>

static bool matches(const char *pattern, const char *text)
{
    return glob_matches(weft_text_of(pattern), weft_text_of(text));
}

TEST(a_text_without_wildcards_matches_only_itself)
{
    assert_true(matches("abc", "abc"));
    assert_true(matches("", ""));
    assert_false(matches("abc", "abcd"));
    assert_false(matches("abc", "xabc"));
    assert_false(matches("abc", "ab"));
    assert_false(matches("abc", "ABC"));
    assert_false(matches("", "a"));
    assert_false(matches("a", ""));
}

TEST(a_star_is_any_run_also_of_folders)
{
    assert_true(matches("*", ""));
    assert_true(matches("*", "/a/b/c"));
    assert_true(matches("a*c", "ac"));
    assert_true(matches("a*c", "a/b/c"));
    assert_true(matches("a*b*c", "aXbYbZc"));
    assert_true(matches("*ab", "aab"));
    assert_true(matches("*aab*", "aaab"));
    assert_true(matches("***a***", "a"));
    assert_true(matches("a*", "a"));
    assert_false(matches("a*c", "a/b/cd"));
    assert_false(matches("*a*b", "ba"));
    assert_false(matches("*ab", "abc"));
}

TEST(a_question_mark_is_exactly_one_character)
{
    assert_true(matches("a?c", "abc"));
    assert_true(matches("a?c", "a/c"));
    assert_true(matches("??", "ab"));
    assert_true(matches("*?", "a"));
    assert_false(matches("a?c", "ac"));
    assert_false(matches("?", ""));
    assert_false(matches("*??", "a"));
}

TEST(a_set_is_one_of_its_characters)
{
    assert_true(matches("[a-c]", "b"));
    assert_true(matches("[a-c]", "c"));
    assert_true(matches("[xa-cz]", "z"));
    assert_true(matches("[0-9][0-9]", "42"));
    assert_false(matches("[a-c]", "d"));
    assert_false(matches("[a-c]", ""));
    assert_false(matches("[a-c]", "ab"));
    assert_true(matches("*[0-9].html", "page7.html"));
    assert_false(matches("*[0-9].html", "page.html"));
    assert_false(matches("[c-a]", "b"));
    assert_true(matches("[\x80-\xff]", "\xe4"));
}

TEST(a_set_can_say_what_it_is_not)
{
    assert_true(matches("[!a-c]", "d"));
    assert_true(matches("[^a-c]", "d"));
    assert_true(matches("[!a-c]", "/"));
    assert_false(matches("[!a-c]", "b"));
    assert_false(matches("[!a-c]", ""));
    assert_true(matches("[a!]", "!"));
}

TEST(brackets_and_hyphens_can_be_in_a_set)
{
    assert_true(matches("[]a]", "]"));
    assert_true(matches("[]a]", "a"));
    assert_true(matches("[!]a]", "b"));
    assert_false(matches("[!]a]", "]"));
    assert_true(matches("[a-]", "-"));
    assert_true(matches("[-a]", "-"));
    assert_true(matches("[\\]]", "]"));
    assert_true(matches("[a\\-c]", "-"));
    assert_false(matches("[a\\-c]", "b"));
    assert_true(matches("[+-\\]]", "A"));
}

TEST(a_bracket_that_nothing_closes_is_itself)
{
    assert_true(matches("a[b", "a[b"));
    assert_true(matches("[", "["));
    assert_true(matches("[]", "[]"));
    assert_true(matches("[!]", "[!]"));
    assert_true(matches("[\\]", "[]"));
    assert_false(matches("[ab", "a"));
}

TEST(a_backslash_takes_the_meaning_away)
{
    assert_true(matches("\\*", "*"));
    assert_false(matches("\\*", "a"));
    assert_true(matches("a\\?b", "a?b"));
    assert_false(matches("a\\?b", "axb"));
    assert_true(matches("\\[a]", "[a]"));
    assert_true(matches("\\a", "a"));
    assert_true(matches("\\\\", "\\"));
    assert_true(matches("a\\", "a\\"));
    assert_true(matches("*\\", "a\\"));
}

TEST(a_character_may_have_several_bytes)
{
    assert_true(matches("?", "é"));
    assert_true(matches("a?c", "a\xe2\x82\xac"
                               "c"));
    assert_true(matches("??", "é🙂"));
    assert_true(matches("*?", "é"));
    assert_true(matches("\\é", "é"));
    assert_true(matches("[é]", "é"));
    assert_true(matches("[\\é]", "é"));
    assert_true(matches("[α-ω]", "λ"));
    assert_true(matches("[!a-z]", "é"));
    assert_false(matches("??", "é"));
    assert_false(matches("*??", "é"));
    assert_false(matches("[é]", "è"));
    assert_false(matches("[!é]", "é"));
    assert_false(matches("a*[!é]", "aé"));
    assert_false(matches("[é][é]", "é"));
    assert_false(matches("[α-ω]", "a"));
    assert_false(matches("*\xa9", "é"));
    assert_false(matches("\xc3*", "é"));
}

TEST(a_byte_that_is_in_no_character_is_one_of_its_own)
{
    assert_true(matches("?", "\xe4"));
    assert_true(matches("??", "\xc3\xff"));
    assert_true(matches("???", "\xe2\x82"
                               "c"));
    assert_true(matches("?", "\xc3"));
    assert_true(matches("\xe4*", "\xe4x"));
    assert_true(matches("[!\xe4]", "é"));
    assert_false(matches("[\x80-\xff]", "é"));
    assert_false(matches("\xe4", "ä"));
}

TEST(a_text_may_hold_any_byte)
{
    assert_true(glob_matches(weft_text_of("a?c"), weft_text("a\0c", 3)));
    assert_true(glob_matches(weft_text("a\0*", 3), weft_text("a\0c", 3)));
    assert_true(glob_matches(weft_text(NULL, 0), weft_text(NULL, 0)));
    assert_false(glob_matches(weft_text(NULL, 0), weft_text_of("a")));
}

/* What the walk does, said slowly: for short texts it has the same answer. */
static bool slowly(const char *pattern, const char *text)
{
    if (*pattern == '\0')
        return *text == '\0';
    if (*pattern == '*')
        return slowly(pattern + 1, text) || (*text != '\0' && slowly(pattern, text + 1));
    return *text != '\0' && (*pattern == '?' || *pattern == *text) && slowly(pattern + 1, text + 1);
}

static void any_word(unsigned *state, const char *letters, char *word, unsigned most)
{
    unsigned size = (*state = *state * 1664525u + 1013904223u) >> 16;
    size %= most + 1;
    for (unsigned i = 0; i < size; i++) {
        *state = *state * 1664525u + 1013904223u;
        word[i] = letters[(*state >> 16) % strlen(letters)];
    }
    word[size] = '\0';
}

TEST(it_agrees_with_the_obvious_way_to_do_it)
{
    unsigned state = (unsigned)check_seed();
    unsigned long yes = 0, times = check_scale(50000);
    char pattern[16], text[16];
    for (unsigned long i = 0; i < times; i++) {
        any_word(&state, "ab*?*", pattern, 8);
        any_word(&state, "aabb/", text, 10);
        bool expected = slowly(pattern, text);
        yes += expected;
        if (matches(pattern, text) != expected)
            fail_msg("'%s' and '%s' (seed %u)", pattern, text, (unsigned)check_seed());
    }
    assert_true(yes > times / 50 && yes < times - times / 50);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

TEST(many_stars_do_not_take_for_ever)
{
    enum { STARS = 30, SIZE = 20000 };
    char pattern[4 * STARS + 2] = "", *text = malloc(SIZE);
    assert_non_null(text);
    for (int i = 0; i < STARS; i++)
        memcpy(pattern + (size_t)i * 4, "a*a*", 5);
    memcpy(pattern + (size_t)STARS * 4, "b", 2);
    memset(text, 'a', SIZE);
    double began = seconds();
    assert_false(glob_matches(weft_text_of(pattern), weft_text(text, SIZE)));
    assert_true(seconds() - began < 1);
    free(text);
}

/* ---- URLs ----------------------------------------------------------------------------------- */

/* http and https without credentials are enough here: the path begins at the third slash. */
static bool matches_url(const char *pattern, const char *url)
{
    const char *path = strchr(strstr(url, "://") + 3, '/');
    size_t query = strcspn(url, "?");
    return glob_matches_url(weft_text_of(pattern), weft_text_of(url), (size_t)(path - url), query);
}

TEST(a_pattern_with_a_scheme_is_for_the_whole_url)
{
    assert_true(matches_url("http://a.org/*", "http://a.org/x/y"));
    assert_false(matches_url("http://a.org/*", "https://a.org/x/y"));
    assert_true(matches_url("http*://a.org/*", "https://a.org/x/y"));
    assert_false(matches_url("http://a.org/x", "http://a.org/x/y"));
}

TEST(a_pattern_with_a_leading_star_is_for_the_whole_url)
{
    assert_true(matches_url("*.jpg", "http://a.org/x/y.jpg"));
    assert_true(matches_url("*//a.org/x*", "http://a.org/x/y.jpg"));
    assert_true(matches_url("*.org*", "http://a.org/"));
    assert_false(matches_url("*.jpg", "http://a.org/x/y.jpgx"));
}

TEST(a_pattern_with_a_leading_slash_is_for_the_path)
{
    assert_true(matches_url("/private*", "http://a.org/private"));
    assert_true(matches_url("/private*", "http://a.org/private/x"));
    assert_true(matches_url("/*.gif", "http://a.org/b/c.gif"));
    assert_false(matches_url("/private*", "http://a.org/b/private"));
    assert_false(matches_url("/a.org*", "http://a.org/"));
}

TEST(any_other_pattern_is_for_the_end_of_the_path)
{
    assert_true(matches_url("logout", "http://a.org/logout"));
    assert_true(matches_url("logout", "http://a.org/user/logout"));
    assert_true(matches_url("user/logout", "http://a.org/x/user/logout"));
    assert_true(matches_url("thumb-?.png", "http://a.org/img/thumb-1.png"));
    assert_true(matches_url("print*", "http://a.org/a/print/1"));
    assert_true(matches_url("[0-9]*", "http://a.org/a/2024/b"));
    assert_false(matches_url("logout", "http://a.org/logout2"));
    assert_false(matches_url("logout", "http://a.org/xlogout"));
    assert_false(matches_url("logout", "http://a.org/logout/x"));
    assert_false(matches_url("?logout", "http://a.org/logout"));
    assert_false(matches_url("a.org", "http://a.org/"));
    assert_false(matches_url("a", "http://a.org/"));
}

TEST(a_pattern_matches_with_the_query_or_without_it)
{
    assert_true(matches_url("*.pdf", "http://a.org/a.pdf?download=1"));
    assert_true(matches_url("*session=*", "http://a.org/a?session=1"));
    assert_true(matches_url("/a.pdf", "http://a.org/a.pdf?x"));
    assert_true(matches_url("/a.pdf\\?x", "http://a.org/a.pdf?x"));
    assert_true(matches_url("a.pdf", "http://a.org/b/a.pdf?x"));
    assert_true(matches_url("a.pdf\\?[xy]", "http://a.org/b/a.pdf?x"));
    assert_true(matches_url("*\\?*", "http://a.org/?"));
    assert_false(matches_url("*\\?*", "http://a.org/"));
}

TEST(a_slash_in_the_query_begins_no_segment)
{
    assert_false(matches_url("logout", "http://a.org/login?next=/logout"));
    assert_true(matches_url("login*logout", "http://a.org/login?next=/logout"));
}

TEST(a_pattern_with_a_slash_at_its_end_is_for_all_that_is_below)
{
    assert_true(matches_url("/private/", "http://a.org/private/"));
    assert_true(matches_url("/private/", "http://a.org/private/x/y?z"));
    assert_true(matches_url("img/", "http://a.org/a/img/b/c"));
    assert_true(matches_url("https://a.org/x/", "https://a.org/x/y"));
    assert_true(matches_url("*/img/", "http://a.org/a/img/b"));
    assert_true(matches_url("/", "http://a.org/anything?at=all"));
    assert_false(matches_url("/private/", "http://a.org/private"));
    assert_false(matches_url("/private/", "http://a.org/a/private/x"));
    assert_false(matches_url("img/", "http://a.org/bigimg/x"));
}

TEST(a_url_of_slashes_does_not_take_for_ever)
{
    enum { SIZE = 64 * 1024 };
    char *url = malloc(SIZE);
    assert_non_null(url);
    memset(url, '/', SIZE);
    memcpy(url, "http://a", 8);
    double began = seconds();
    assert_false(glob_matches_url(weft_text_of("?*?*?*/x"), weft_text(url, SIZE), 8, SIZE));
    assert_false(glob_matches_url(weft_text_of("a/b*c"), weft_text(url, SIZE), 8, SIZE));
    assert_true(seconds() - began < 1);
    free(url);
}
