/* ctest: labels=valgrind shuffle=no */
/* URLs, results, lines, names and things: what goes in comes out, before a commit, after one, and
 * after the state was closed and opened again. */
#include "kit.h"
#include <fcntl.h>

static char folder[SCRATCH_PATH];
static struct weft_crawl crawl;

static void up(void)
{
    crawl = (struct weft_crawl){0};
    kit_open(&crawl, kit_folder(folder));
}

static void down(void)
{
    assert_int_equal(weft_crawl_close(&crawl), 0);
    scratch_empty();
}

static void require_url(weft_crawl_id id, const char *expected)
{
    char url[200];
    size_t length;
    assert_int_equal(weft_crawl_url(&crawl, id, url, sizeof url, &length, NULL), 0);
    assert_string_equal(url, expected);
    assert_int_equal(length, strlen(expected));
}

TEST(a_state_that_was_not_there_is_fresh)
{
    up();
    assert_true(crawl.fresh);
    assert_int_equal(crawl.known, 0);
    kit_reopen(&crawl, folder);
    assert_false(crawl.fresh);
    down();
}

TEST(a_program_that_is_started_meanwhile_inherits_nothing)
{
    bool before[64];
    for (int fd = 0; fd < 64; fd++)
        before[fd] = fcntl(fd, F_GETFD) >= 0;
    up();
    for (int fd = 0; fd < 64; fd++) {
        int flags = fcntl(fd, F_GETFD);
        assert_true(before[fd] || flags < 0 || (flags & FD_CLOEXEC) != 0);
    }
    down();
}

TEST(a_url_is_new_once_and_known_from_then_on)
{
    weft_crawl_id id = 0, again = 0;
    up();
    assert_int_equal(weft_crawl_see(&crawl, T("http://a/"), 0, 0, &id), WEFT_CRAWL_NEW);
    assert_int_equal(id, 1);
    assert_int_equal(weft_crawl_see(&crawl, T("http://a/"), 3, 0, &again), WEFT_CRAWL_KNOWN);
    assert_int_equal(again, 1);
    assert_int_equal(weft_crawl_see(&crawl, T("http://b/"), 1, 1, NULL), WEFT_CRAWL_NEW);
    assert_int_equal(crawl.known, 2);
    assert_int_equal(crawl.counts[WEFT_CRAWL_WAITING], 2);
    assert_int_equal(weft_crawl_find(&crawl, T("http://b/")), 2);
    assert_int_equal(weft_crawl_find(&crawl, T("http://c/")), 0);
    down();
}

TEST(a_url_that_is_reached_on_a_shorter_way_is_nearer)
{
    up();
    weft_crawl_id id = kit_see(&crawl, "http://a/", 5);
    assert_int_equal(weft_crawl_see(&crawl, T("http://a/"), 3, 0, &id), WEFT_CRAWL_NEARER);
    assert_int_equal(weft_crawl_depth(&crawl, id), 3);
    assert_int_equal(weft_crawl_see(&crawl, T("http://a/"), 3, 0, NULL), WEFT_CRAWL_KNOWN);
    kit_reopen(&crawl, folder);
    assert_int_equal(weft_crawl_depth(&crawl, id), 3);
    down();
}

TEST(a_depth_beyond_the_greatest_counts_as_that)
{
    up();
    weft_crawl_id id = kit_see(&crawl, "http://a/", UINT32_MAX);
    assert_int_equal(weft_crawl_depth(&crawl, id), WEFT_CRAWL_DEPTH_MAX);
    assert_int_equal(weft_crawl_see(&crawl, T("http://a/"), 65536, 0, NULL), WEFT_CRAWL_KNOWN);
    assert_int_equal(weft_crawl_see(&crawl, T("http://a/"), 65534, 0, NULL), WEFT_CRAWL_NEARER);
    down();
}

TEST(a_text_is_there_before_and_after_a_commit_and_a_restart)
{
    up();
    weft_crawl_id id = kit_see(&crawl, "http://a/one", 0);
    require_url(id, "http://a/one");
    kit_commit(&crawl);
    require_url(id, "http://a/one");
    weft_crawl_id next = kit_see(&crawl, "http://a/two", 0);
    require_url(next, "http://a/two");
    kit_reopen(&crawl, folder);
    require_url(id, "http://a/one");
    require_url(next, "http://a/two");
    down();
}

TEST(a_url_keeps_who_linked_to_it_first)
{
    char url[20];
    size_t length;
    weft_crawl_id referrer = 99;
    up();
    kit_see(&crawl, "http://a/", 0);
    assert_int_equal(weft_crawl_see(&crawl, T("http://b/"), 1, 1, NULL), WEFT_CRAWL_NEW);
    assert_int_equal(weft_crawl_see(&crawl, T("http://b/"), 1, 2, NULL), WEFT_CRAWL_KNOWN);
    kit_commit(&crawl);
    assert_int_equal(weft_crawl_url(&crawl, 2, url, sizeof url, &length, &referrer), 0);
    assert_int_equal(referrer, 1);
    down();
}

TEST(a_buffer_that_is_too_small_is_told_how_much_is_needed)
{
    char url[10];
    size_t length = 0;
    up();
    kit_see(&crawl, "http://a/b", 0);
    assert_int_equal(weft_crawl_url(&crawl, 1, url, sizeof url, &length, NULL), UV_ENOBUFS);
    assert_int_equal(length, 10);
    assert_int_equal(weft_crawl_url(&crawl, 1, NULL, 0, NULL, NULL), UV_ENOBUFS);
    down();
}

TEST(the_longest_url_fits_and_a_longer_one_does_not)
{
    char *url = malloc(WEFT_CRAWL_URL_MAX + 2), *back = malloc(WEFT_CRAWL_URL_MAX + 2);
    size_t length;
    assert_true(url != NULL && back != NULL);
    memset(url, 'a', WEFT_CRAWL_URL_MAX + 1);
    up();
    assert_int_equal(weft_crawl_see(&crawl, weft_text(url, WEFT_CRAWL_URL_MAX + 1), 0, 0, NULL),
                     UV_E2BIG);
    assert_int_equal(weft_crawl_see(&crawl, weft_text(url, 0), 0, 0, NULL), UV_EINVAL);
    assert_int_equal(weft_crawl_see(&crawl, weft_text(url, WEFT_CRAWL_URL_MAX), 0, 0, NULL),
                     WEFT_CRAWL_NEW);
    kit_commit(&crawl);
    assert_int_equal(weft_crawl_url(&crawl, 1, back, WEFT_CRAWL_URL_MAX + 1, &length, NULL), 0);
    assert_int_equal(length, WEFT_CRAWL_URL_MAX);
    assert_memory_equal(back, url, length);
    down();
    free(url);
    free(back);
}

TEST(a_url_may_hold_any_bytes)
{
    static const char bytes[] = "http://a/\0\xff\n";
    char url[20];
    size_t length;
    up();
    assert_int_equal(weft_crawl_see(&crawl, weft_text(bytes, sizeof bytes), 0, 0, NULL), 0);
    assert_int_equal(weft_crawl_see(&crawl, T("http://a/"), 0, 0, NULL), WEFT_CRAWL_NEW);
    assert_int_equal(weft_crawl_url(&crawl, 1, url, sizeof url, &length, NULL), 0);
    assert_int_equal(length, sizeof bytes);
    assert_memory_equal(url, bytes, sizeof bytes);
    down();
}

TEST(a_number_that_does_not_exist_is_refused)
{
    struct weft_crawl_result result = {.what = WEFT_CRAWL_DONE};
    struct weft_crawl_line line = {0};
    up();
    kit_see(&crawl, "http://a/", 0);
    for (weft_crawl_id id = 0; id <= 2; id += 2) {
        assert_int_equal(weft_crawl_what(&crawl, id), 0);
        assert_int_equal(weft_crawl_depth(&crawl, id), 0);
        assert_int_equal(weft_crawl_settle(&crawl, id, &result), UV_EINVAL);
        assert_int_equal(weft_crawl_set(&crawl, id, WEFT_CRAWL_DONE), UV_EINVAL);
        assert_int_equal(weft_crawl_url(&crawl, id, NULL, 0, NULL, NULL), UV_EINVAL);
        assert_false(weft_crawl_line_push(&crawl, &line, id));
        assert_false(weft_crawl_claim(&crawl, T("index.html"), id));
    }
    struct weft_crawl_result none;
    assert_int_equal(weft_crawl_result(&crawl, 2, &none), UV_EINVAL);
    down();
}

/* ---- results -------------------------------------------------------------------------------- */

static const struct weft_crawl_result full = {
    .what = WEFT_CRAWL_MOVED,
    .status = UV_ECONNRESET,
    .http_status = 301,
    .attempts = 3,
    .redirect = 77,
    .size = UINT64_C(5000000000),
    .hash = {UINT64_C(0x0123456789abcdef), UINT64_C(0xfedcba9876543210)},
    .fetched = -INT64_C(5000000000),
    .etag = {"\"tag\"", 5},
    .last_modified = {"Sun, 06 Nov 1994 08:49:37 GMT", 29},
    .media_type = {"text/html", 9},
    .file = {"a/index.html", 12},
    .note = {"a\0note", 6}};

static void require_full(weft_crawl_id id, enum weft_crawl_what what)
{
    struct weft_crawl_result result;
    assert_int_equal(weft_crawl_result(&crawl, id, &result), 0);
    assert_int_equal(result.what, what);
    assert_int_equal(result.status, full.status);
    assert_int_equal(result.http_status, full.http_status);
    assert_int_equal(result.attempts, full.attempts);
    assert_int_equal(result.redirect, full.redirect);
    assert_int_equal(result.size, full.size);
    assert_int_equal(result.hash[0], full.hash[0]);
    assert_int_equal(result.hash[1], full.hash[1]);
    assert_int_equal(result.fetched, full.fetched);
    assert_true(weft_text_equal(result.etag, full.etag));
    assert_true(weft_text_equal(result.last_modified, full.last_modified));
    assert_true(weft_text_equal(result.media_type, full.media_type));
    assert_true(weft_text_equal(result.file, full.file));
    assert_true(weft_text_equal(result.note, full.note));
}

TEST(every_field_of_a_result_lasts)
{
    up();
    weft_crawl_id id = kit_see(&crawl, "http://a/", 0);
    assert_int_equal(weft_crawl_settle(&crawl, id, &full), 0);
    require_full(id, WEFT_CRAWL_MOVED);
    kit_commit(&crawl);
    require_full(id, WEFT_CRAWL_MOVED);
    kit_reopen(&crawl, folder);
    require_full(id, WEFT_CRAWL_MOVED);
    assert_int_equal(crawl.counts[WEFT_CRAWL_MOVED], 1);
    assert_int_equal(crawl.counts[WEFT_CRAWL_WAITING], 0);
    down();
}

TEST(nothing_settled_is_a_result_of_zeros)
{
    struct weft_crawl_result result;
    up();
    weft_crawl_id id = kit_see(&crawl, "http://a/", 0);
    for (int i = 0; i < 2; i++) {
        memset(&result, 0xff, sizeof result);
        assert_int_equal(weft_crawl_result(&crawl, id, &result), 0);
        assert_int_equal(result.what, WEFT_CRAWL_WAITING);
        assert_int_equal(result.http_status, 0);
        assert_int_equal(result.file.size, 0);
        kit_commit(&crawl);
    }
    down();
}

TEST(to_set_what_it_is_leaves_the_rest_of_its_result)
{
    up();
    weft_crawl_id id = kit_see(&crawl, "http://a/", 0);
    assert_int_equal(weft_crawl_settle(&crawl, id, &full), 0);
    assert_int_equal(weft_crawl_set(&crawl, id, WEFT_CRAWL_WAITING), 0);
    require_full(id, WEFT_CRAWL_WAITING);
    kit_reopen(&crawl, folder);
    require_full(id, WEFT_CRAWL_WAITING);
    assert_int_equal(weft_crawl_settle(&crawl, id, &full), 0);
    kit_reopen(&crawl, folder);
    require_full(id, WEFT_CRAWL_MOVED);
    down();
}

TEST(a_depth_that_became_less_stays_less_when_it_is_settled)
{
    up();
    weft_crawl_id id = kit_see(&crawl, "http://a/", 9);
    assert_int_equal(weft_crawl_see(&crawl, T("http://a/"), 4, 0, NULL), WEFT_CRAWL_NEARER);
    kit_commit(&crawl);
    kit_settle(&crawl, id, WEFT_CRAWL_DONE, "a");
    kit_reopen(&crawl, folder);
    assert_int_equal(weft_crawl_depth(&crawl, id), 4);
    assert_int_equal(weft_crawl_see(&crawl, T("http://a/"), 2, 0, NULL), WEFT_CRAWL_NEARER);
    kit_reopen(&crawl, folder);
    assert_int_equal(weft_crawl_depth(&crawl, id), 2);
    assert_int_equal(weft_crawl_what(&crawl, id), WEFT_CRAWL_DONE);
    down();
}

TEST(a_result_that_was_read_can_be_settled_again)
{
    struct weft_crawl_result result;
    up();
    weft_crawl_id id = kit_see(&crawl, "http://a/", 0);
    assert_int_equal(weft_crawl_settle(&crawl, id, &full), 0);
    assert_int_equal(weft_crawl_result(&crawl, id, &result), 0);
    assert_int_equal(weft_crawl_settle(&crawl, id, &result), 0);
    require_full(id, WEFT_CRAWL_MOVED);
    down();
}

TEST(a_result_of_nothing_and_texts_that_are_too_long_are_refused)
{
    static char text[65537];
    struct weft_crawl_result result = {0};
    up();
    weft_crawl_id id = kit_see(&crawl, "http://a/", 0);
    assert_int_equal(weft_crawl_settle(&crawl, id, &result), UV_EINVAL);
    assert_int_equal(weft_crawl_set(&crawl, id, (enum weft_crawl_what)0), UV_EINVAL);
    assert_int_equal(weft_crawl_set(&crawl, id, (enum weft_crawl_what)7), UV_EINVAL);
    result.what = WEFT_CRAWL_FAILED;
    result.note = weft_text(text, 65536);
    assert_int_equal(weft_crawl_settle(&crawl, id, &result), UV_E2BIG);
    assert_int_equal(weft_crawl_what(&crawl, id), WEFT_CRAWL_WAITING);
    result.note = result.etag = result.last_modified = result.media_type = weft_text(text, 65535);
    assert_int_equal(weft_crawl_settle(&crawl, id, &result), 0);
    kit_reopen(&crawl, folder);
    assert_int_equal(weft_crawl_result(&crawl, id, &result), 0);
    assert_int_equal(result.note.size, 65535);
    down();
}

/* ---- what is left --------------------------------------------------------------------------- */

enum { TOLD = 200 };
static struct weft_crawl_line again;

/* Takes up what is left, as a crawl does that goes on. */
static int take_up(struct weft_crawl *opened, weft_crawl_id id, struct weft_text url,
                   const struct weft_crawl_result *result, void *context)
{
    char *told = context;
    size_t end = strlen(told);
    if (result->what != WEFT_CRAWL_WAITING && result->what != WEFT_CRAWL_AGAIN &&
        result->what != WEFT_CRAWL_FAILED)
        return 0;
    snprintf(told + end, TOLD - end, "%u=%.*s ", id, WEFT_TEXT_ARGS(url));
    assert_true(weft_crawl_line_push(opened, &again, id));
    if (result->what == WEFT_CRAWL_FAILED)
        assert_int_equal(weft_crawl_set(opened, id, WEFT_CRAWL_WAITING), 0);
    return weft_crawl_put(opened, T("told"), T(told));
}

static void see_all_kinds(void)
{
    static const enum weft_crawl_what kinds[] = {WEFT_CRAWL_FAILED,  WEFT_CRAWL_DONE,
                                                 WEFT_CRAWL_WAITING, WEFT_CRAWL_AGAIN,
                                                 WEFT_CRAWL_SKIPPED, WEFT_CRAWL_MOVED};
    for (unsigned i = 0; i < 6; i++) {
        char url[] = {(char)('a' + i), '\0'};
        kit_settle(&crawl, kit_see(&crawl, url, 0), kinds[i], url);
    }
}

TEST(what_is_left_is_found_in_the_order_of_its_numbers)
{
    char told[TOLD] = "";
    up();
    see_all_kinds();
    kit_commit(&crawl);
    kit_reopen(&crawl, folder);
    assert_int_equal(crawl.known, 6);
    again = (struct weft_crawl_line){0};
    assert_int_equal(weft_crawl_each(&crawl, take_up, told), 0);
    assert_string_equal(told, "1=a 3=c 4=d ");
    assert_int_equal(weft_crawl_line_pop(&crawl, &again), 1);
    assert_int_equal(weft_crawl_what(&crawl, 1), WEFT_CRAWL_WAITING);
    kit_reopen(&crawl, folder);
    assert_int_equal(crawl.counts[WEFT_CRAWL_WAITING], 2);
    assert_int_equal(crawl.counts[WEFT_CRAWL_FAILED], 0);
    down();
}

static int count_each(struct weft_crawl *opened, weft_crawl_id id, struct weft_text url,
                      const struct weft_crawl_result *result, void *context)
{
    weft_crawl_id *count = context;
    assert_int_equal(id, ++*count);
    assert_int_equal(url.size, 1);
    assert_int_equal(url.data[0], 'a' + (char)(id - 1));
    assert_true(weft_text_equal(result->file, url));
    assert_int_equal(result->what, weft_crawl_what(opened, id));
    assert_int_equal(weft_crawl_set(opened, id, WEFT_CRAWL_SKIPPED), 0);
    return id == 5 ? 55 : 0;
}

TEST(each_url_is_shown_until_somebody_says_stop)
{
    weft_crawl_id count = 0;
    up();
    see_all_kinds();
    kit_commit(&crawl);
    assert_int_equal(weft_crawl_each(&crawl, count_each, &count), 55);
    assert_int_equal(count, 5);
    assert_int_equal(crawl.counts[WEFT_CRAWL_SKIPPED], 5);
    down();
}

/* ---- lines ---------------------------------------------------------------------------------- */

TEST(a_line_is_first_in_first_out)
{
    struct weft_crawl_line line = {0}, other = {0};
    up();
    for (char url[] = "a"; url[0] <= 'e'; url[0]++)
        assert_true(weft_crawl_line_push(&crawl, &line, kit_see(&crawl, url, 0)));
    assert_false(weft_crawl_line_push(&crawl, &other, 3));
    assert_int_equal(line.count, 5);
    assert_int_equal(weft_crawl_line_pop(&crawl, &line), 1);
    assert_true(weft_crawl_line_push(&crawl, &line, 1));
    assert_int_equal(weft_crawl_line_pop(&crawl, &line), 2);
    assert_true(weft_crawl_line_push(&crawl, &other, 2));
    for (weft_crawl_id id = 3; id <= 5; id++)
        assert_int_equal(weft_crawl_line_pop(&crawl, &line), id);
    assert_int_equal(weft_crawl_line_pop(&crawl, &line), 1);
    assert_int_equal(weft_crawl_line_pop(&crawl, &line), 0);
    assert_int_equal(line.count, 0);
    assert_int_equal(weft_crawl_line_pop(&crawl, &other), 2);
    down();
}

/* ---- names ---------------------------------------------------------------------------------- */

TEST(a_name_belongs_to_one_url_whatever_its_case)
{
    up();
    kit_see(&crawl, "http://a/", 0);
    kit_see(&crawl, "http://A/", 0);
    assert_true(weft_crawl_claim(&crawl, T("a/Index.html"), 1));
    assert_true(weft_crawl_claim(&crawl, T("a/index.HTML"), 1));
    assert_false(weft_crawl_claim(&crawl, T("A/index.html"), 2));
    assert_true(weft_crawl_claim(&crawl, T("a/index.htm"), 2));
    assert_false(weft_crawl_claim(&crawl, T(""), 2));
    down();
}

TEST(the_names_of_results_are_claimed_when_it_is_opened)
{
    up();
    kit_settle(&crawl, kit_see(&crawl, "http://a/", 0), WEFT_CRAWL_DONE, "a/Index.html");
    kit_see(&crawl, "http://b/", 0);
    kit_reopen(&crawl, folder);
    assert_false(weft_crawl_claim(&crawl, T("a/index.html"), 2));
    assert_true(weft_crawl_claim(&crawl, T("a/index.html"), 1));
    down();
}

/* ---- things --------------------------------------------------------------------------------- */

static void require_thing(const char *key, const char *expected)
{
    struct weft_text value;
    assert_int_equal(weft_crawl_get(&crawl, T(key), &value), 0);
    assert_int_equal(value.data != NULL, expected != NULL);
    assert_true(weft_text_is(value, expected));
}

TEST(things_last_and_can_be_changed_and_removed)
{
    up();
    require_thing("host/a", NULL);
    assert_int_equal(weft_crawl_put(&crawl, T("host/a"), T("one")), 0);
    assert_int_equal(weft_crawl_put(&crawl, T("host/b"), T("two")), 0);
    require_thing("host/a", "one");
    kit_commit(&crawl);
    require_thing("host/a", "one");
    assert_int_equal(weft_crawl_put(&crawl, T("host/a"), T("three")), 0);
    assert_int_equal(weft_crawl_put(&crawl, T("host/b"), T("")), 0);
    require_thing("host/a", "three");
    require_thing("host/b", NULL);
    kit_reopen(&crawl, folder);
    require_thing("host/a", "three");
    require_thing("host/b", NULL);
    assert_int_equal(weft_crawl_put(&crawl, T("host/b"), T("")), 0);
    kit_commit(&crawl);
    down();
}

TEST(keys_and_values_have_limits)
{
    static char key[401];
    struct weft_text value;
    memset(key, 'k', sizeof key);
    up();
    assert_int_equal(weft_crawl_put(&crawl, T(""), T("x")), UV_EINVAL);
    assert_int_equal(weft_crawl_get(&crawl, T(""), &value), UV_EINVAL);
    assert_int_equal(weft_crawl_put(&crawl, weft_text(key, 401), T("x")), UV_E2BIG);
    assert_int_equal(weft_crawl_get(&crawl, weft_text(key, 401), &value), UV_E2BIG);
    assert_int_equal(weft_crawl_put(&crawl, T("k"), weft_text(key, (16 << 20) + 1)), UV_E2BIG);
    assert_int_equal(weft_crawl_put(&crawl, weft_text(key, 400), T("x")), 0);
    kit_commit(&crawl);
    assert_int_equal(weft_crawl_get(&crawl, weft_text(key, 400), &value), 0);
    assert_true(weft_text_is(value, "x"));
    down();
}

/* ---- not open ------------------------------------------------------------------------------- */

TEST(a_state_that_is_not_open_refuses_everything)
{
    struct weft_crawl closed = {0};
    struct weft_crawl_line line = {0};
    struct weft_crawl_result result = {.what = WEFT_CRAWL_DONE};
    struct weft_text value;
    assert_int_equal(weft_crawl_close(&closed), 0);
    assert_int_equal(weft_crawl_see(&closed, T("a"), 0, 0, NULL), UV_EINVAL);
    assert_int_equal(weft_crawl_find(&closed, T("a")), 0);
    assert_int_equal(weft_crawl_what(&closed, 1), 0);
    assert_int_equal(weft_crawl_settle(&closed, 1, &result), UV_EINVAL);
    assert_int_equal(weft_crawl_set(&closed, 1, WEFT_CRAWL_DONE), UV_EINVAL);
    assert_int_equal(weft_crawl_result(&closed, 1, &result), UV_EINVAL);
    assert_int_equal(weft_crawl_url(&closed, 1, NULL, 0, NULL, NULL), UV_EINVAL);
    assert_int_equal(weft_crawl_each(&closed, NULL, NULL), UV_EINVAL);
    assert_int_equal(weft_crawl_put(&closed, T("a"), T("b")), UV_EINVAL);
    assert_int_equal(weft_crawl_get(&closed, T("a"), &value), UV_EINVAL);
    assert_false(weft_crawl_claim(&closed, T("a"), 1));
    assert_false(weft_crawl_line_push(&closed, &line, 1));
    assert_int_equal(weft_crawl_line_pop(&closed, &line), 0);
    assert_int_equal(kit_try_commit(&closed), UV_EINVAL);
}
