/* Static files: what is answered, in each of the ways in which a file can be read.
 * ctest: labels=valgrind-long timeout=120 */
#include "files_site.h"

#define DATE "Sun, 06 Nov 1994 08:49:37 GMT" /* of make_file */

static void fresh(void)
{
    scratch_empty();
    make_file("plain.txt", "hello, world\n");
    make_file("empty", "");
    make_folder("folder");
    make_file("folder/index.html", "<p>index");
    make_folder("bare");
    make_file("bare/a file", "x");
}

TEST(a_file_is_sent_with_its_type_and_validators)
{
    fresh();
    for (enum way way = 0; way < WAYS; way++) {
        struct site site = {0};
        site_up(&site, scratch_dir(), way);
        struct reply reply = ask(&site, "/plain.txt");
        assert_int_equal(reply.status, 200);
        assert_true(reply.whole);
        assert_string_equal(reply.body, "hello, world\n");
        assert_string_equal(field(&reply, "Content-Type"), "text/plain; charset=utf-8");
        assert_string_equal(field(&reply, "Last-Modified"), DATE);
        assert_string_equal(field(&reply, "Accept-Ranges"), "bytes");
        assert_string_equal(field(&reply, "X-Content-Type-Options"), "nosniff");
        assert_string_equal(field(&reply, "Cache-Control"), "");
        assert_string_equal(field(&reply, "Vary"), "");
        assert_int_equal(field(&reply, "ETag")[0], '"');
        reply_free(&reply);
        site_down(&site);
    }
}

TEST(a_file_that_changed_just_now_has_a_weak_tag)
{
    char path[SCRATCH_PATH];
    struct site site = {0};
    fresh();
    site_up(&site, scratch_dir(), CACHED);
    scratch_file(path, "new", "new");
    struct reply reply = ask(&site, "/new");
    assert_memory_equal(field(&reply, "ETag"), "W/\"", 3);
    reply_free(&reply);
    site_down(&site);
}

TEST(a_file_from_the_future_has_a_date_of_today)
{
    char path[SCRATCH_PATH];
    struct site site = {0};
    struct timespec times[2] = {{.tv_sec = 0}, {.tv_sec = 9999999999}};
    fresh();
    site_up(&site, scratch_dir(), CACHED);
    assert_int_equal(utimensat(AT_FDCWD, scratch_path(path, "plain.txt"), times, 0), 0);
    struct reply reply = ask(&site, "/plain.txt");
    char date[64];
    strcpy(date, field(&reply, "Date"));
    assert_string_equal(field(&reply, "Last-Modified"), date);
    reply_free(&reply);
    site_down(&site);
}

TEST(head_is_answered_like_get_without_the_body)
{
    fresh();
    make_large("large", 300000);
    for (enum way way = 0; way < WAYS; way++) {
        struct site site = {.files = {.listing = true}};
        site_up(&site, scratch_dir(), way);
        static const char *const targets[] = {"/plain.txt", "/empty", "/large", "/folder/",
                                              "/nope",      "/bare/", "/bare"};
        for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
            struct reply get = ask(&site, targets[i]);
            struct reply head = ask_for(&site, "HEAD", targets[i], "");
            char length[32];
            assert_int_equal(head.status, get.status);
            assert_true(head.whole);
            assert_int_equal(head.size, 0);
            strcpy(length, field(&get, "Content-Length"));
            assert_string_equal(field(&head, "Content-Length"), length);
            reply_free(&get);
            reply_free(&head);
        }
        site_down(&site);
    }
}

TEST(nothing_is_in_an_empty_file)
{
    fresh();
    for (enum way way = 0; way < WAYS; way++) {
        struct site site = {0};
        site_up(&site, scratch_dir(), way);
        expect_body(&site, "/empty", "", 200, "");
        struct reply reply = ask_for(&site, "GET", "/empty", "Range: bytes=0-0\r\n");
        assert_int_equal(reply.status, 416);
        assert_string_equal(field(&reply, "Content-Range"), "bytes */0");
        reply_free(&reply);
        site_down(&site);
    }
}

TEST(a_folder_is_answered_by_its_index)
{
    fresh();
    for (enum way way = 0; way < WAYS; way++) {
        struct site site = {0};
        site_up(&site, scratch_dir(), way);
        struct reply reply = ask(&site, "/folder/");
        assert_int_equal(reply.status, 200);
        assert_string_equal(reply.body, "<p>index");
        assert_string_equal(field(&reply, "Content-Type"), "text/html; charset=utf-8");
        reply_free(&reply);
        assert_int_equal(status_of(&site, "/bare/"), 403);
        assert_int_equal(status_of(&site, "/"), 403);
        assert_int_equal(status_of(&site, "/none/"), 404);
        assert_int_equal(status_of(&site, "/plain.txt/"), 404);
        site_down(&site);
    }
}

TEST(an_index_has_the_names_that_were_given)
{
    static const char *const names[] = {"main.htm", "a file", "index.html", NULL};
    fresh();
    make_folder("bare/main.htm"); /* a folder is no index */
    for (enum way way = 0; way < WAYS; way++) {
        struct site site = {.files = {.index = names}};
        site_up(&site, scratch_dir(), way);
        expect_body(&site, "/folder/", "", 200, "<p>index");
        expect_body(&site, "/bare/", "", 200, "x");
        site_down(&site);
    }
}

TEST(a_folder_without_its_slash_is_redirected)
{
    fresh();
    make_folder("folder/a b:c");
    for (enum way way = 0; way < WAYS; way++) {
        struct site site = {0};
        site_up(&site, scratch_dir(), way);
        struct reply reply = ask(&site, "/folder?q=1&r");
        assert_int_equal(reply.status, 301);
        assert_string_equal(field(&reply, "Location"), "./folder/?q=1&r");
        reply_free(&reply);
        reply = ask(&site, "/folder/a%20b:c");
        assert_int_equal(reply.status, 301);
        assert_string_equal(field(&reply, "Location"), "./a%20b%3Ac/");
        reply_free(&reply);
        /* Not to another host, whatever stands in front. */
        reply = ask(&site, "//example.org/../folder");
        assert_int_equal(reply.status, 301);
        assert_string_equal(field(&reply, "Location"), "./folder/");
        reply_free(&reply);
        site_down(&site);
    }
}

TEST(a_redirect_that_would_be_too_long_is_the_clients_fault)
{
    static const struct {
        size_t answer_head_max, query;
        int status;
    } tries[] = {{0, 4000, 301}, {0, 4200, 414}, {1024, 500, 301}, {1024, 2000, 414}};
    char target[8192];
    fresh();
    for (size_t i = 0; i < sizeof tries / sizeof tries[0]; i++) {
        struct site site = {.server = {.answer_head_max = tries[i].answer_head_max}};
        site_up(&site, scratch_dir(), i % WAYS);
        int size = snprintf(target, sizeof target, "/folder?");
        memset(target + size, 'a', tries[i].query);
        target[(size_t)size + tries[i].query] = '\0';
        struct reply reply = ask(&site, target);
        assert_int_equal(reply.status, tries[i].status);
        assert_true(reply.whole);
        assert_int_equal(field(&reply, "Location")[0] != '\0', tries[i].status == 301);
        assert_string_equal(field(&reply, "Retry-After"), "");
        reply_free(&reply);
        site_down(&site);
    }
}

TEST(only_get_and_head_are_allowed)
{
    struct site site = {0};
    fresh();
    site_up(&site, scratch_dir(), CACHED);
    static const char *const methods[] = {"POST", "PUT", "DELETE", "OPTIONS", "PATCH", "FROB"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        struct reply reply = ask_for(&site, methods[i], "/plain.txt", "");
        assert_int_equal(reply.status, 405);
        assert_string_equal(field(&reply, "Allow"), "GET, HEAD");
        reply_free(&reply);
    }
    site_down(&site);
}

/* ---- conditions ----------------------------------------------------------------------------- */

TEST(who_has_it_already_is_told_so)
{
    fresh();
    for (enum way way = 0; way < WAYS; way++) {
        struct site site = {.files = {.cache_control = "max-age=60"}};
        char etag[64], fields[128];
        site_up(&site, scratch_dir(), way);
        struct reply reply = ask(&site, "/plain.txt");
        strcpy(etag, field(&reply, "ETag"));
        assert_string_equal(field(&reply, "Cache-Control"), "max-age=60");
        reply_free(&reply);
        snprintf(fields, sizeof fields, "If-None-Match: \"x\", %s\r\n", etag);
        reply = ask_for(&site, "GET", "/plain.txt", fields);
        assert_int_equal(reply.status, 304);
        assert_int_equal(reply.size, 0);
        assert_string_equal(field(&reply, "ETag"), etag);
        assert_string_equal(field(&reply, "Cache-Control"), "max-age=60");
        assert_string_equal(field(&reply, "Content-Length"), "");
        reply_free(&reply);
        snprintf(fields, sizeof fields, "If-Match: %s\r\n", etag);
        expect_body(&site, "/plain.txt", fields, 200, "hello, world\n");
        reply = ask_for(&site, "GET", "/plain.txt", "If-Match: \"other\"\r\n");
        assert_int_equal(reply.status, 412);
        assert_true(reply.whole);
        reply_free(&reply);
        reply = ask_for(&site, "GET", "/plain.txt", "If-Modified-Since: " DATE "\r\n");
        assert_int_equal(reply.status, 304);
        reply_free(&reply);
        expect_body(&site, "/plain.txt", "If-None-Match: \"x\"\r\n", 200, "hello, world\n");
        site_down(&site);
    }
}

/* ---- ranges --------------------------------------------------------------------------------- */

TEST(a_range_is_sent_alone)
{
    static const struct {
        const char *range, *body, *content_range;
    } cases[] = {
        {"bytes=0-4", "hello", "bytes 0-4/13"},
        {"bytes=7-", "world\n", "bytes 7-12/13"},
        {"bytes=-6", "world\n", "bytes 7-12/13"},
        {"bytes=-100", "hello, world\n", "bytes 0-12/13"},
        {"bytes=12-12", "\n", "bytes 12-12/13"},
        {"bytes=12-99", "\n", "bytes 12-12/13"},
        {"bytes=0-0, 50-60", "h", "bytes 0-0/13"},
    };
    fresh();
    for (enum way way = 0; way < WAYS; way++) {
        struct site site = {0};
        site_up(&site, scratch_dir(), way);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            char fields[64];
            snprintf(fields, sizeof fields, "Range: %s\r\n", cases[i].range);
            struct reply reply = ask_for(&site, "GET", "/plain.txt", fields);
            assert_int_equal(reply.status, 206);
            assert_true(reply.whole);
            assert_string_equal(reply.body, cases[i].body);
            assert_string_equal(field(&reply, "Content-Range"), cases[i].content_range);
            assert_string_equal(field(&reply, "Content-Type"), "text/plain; charset=utf-8");
            reply_free(&reply);
        }
        site_down(&site);
    }
}

TEST(a_range_outside_of_the_file_is_refused)
{
    struct site site = {0};
    fresh();
    site_up(&site, scratch_dir(), CACHED);
    struct reply reply = ask_for(&site, "GET", "/plain.txt", "Range: bytes=13-\r\n");
    assert_int_equal(reply.status, 416);
    assert_string_equal(field(&reply, "Content-Range"), "bytes */13");
    reply_free(&reply);
    expect_body(&site, "/plain.txt", "Range: bytes=5-4\r\n", 200, "hello, world\n");
    expect_body(&site, "/plain.txt", "Range: lines=1-2\r\n", 200, "hello, world\n");
    site_down(&site);
}

TEST(a_range_of_another_version_gets_all_of_this_one)
{
    struct site site = {0};
    char etag[64], fields[160];
    fresh();
    site_up(&site, scratch_dir(), CACHED);
    struct reply reply = ask(&site, "/plain.txt");
    strcpy(etag, field(&reply, "ETag"));
    reply_free(&reply);
    snprintf(fields, sizeof fields, "Range: bytes=0-4\r\nIf-Range: %s\r\n", etag);
    expect_body(&site, "/plain.txt", fields, 206, "hello");
    expect_body(&site, "/plain.txt", "Range: bytes=0-4\r\nIf-Range: \"x\"\r\n", 200,
                "hello, world\n");
    expect_body(&site, "/plain.txt", "Range: bytes=0-4\r\nIf-Range: " DATE "\r\n", 206, "hello");
    site_down(&site);
}

/* The parts as RFC 2046 has them, put together anew from the boundary. */
static void expect_parts(struct site *site)
{
    char expected[2048];
    struct reply reply = ask_for(site, "GET", "/plain.txt", "Range: bytes=0-1, 7-8, -1\r\n");
    const char *type = field(&reply, "Content-Type");
    const char *boundary = strstr(type, "boundary=");
    assert_int_equal(reply.status, 206);
    assert_memory_equal(type, "multipart/byteranges; ", 22);
    assert_non_null(boundary);
    boundary += 9;
    snprintf(expected, sizeof expected,
             "--%s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Range: bytes 0-1/13\r\n"
             "\r\nhe\r\n"
             "--%s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Range: bytes 7-8/13\r\n"
             "\r\nwo\r\n"
             "--%s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Range: bytes 12-12/13\r\n"
             "\r\n\n\r\n"
             "--%s--\r\n",
             boundary, boundary, boundary, boundary);
    assert_string_equal(reply.body, expected);
    assert_true(reply.whole);
    assert_string_equal(field(&reply, "Content-Range"), "");
    reply_free(&reply);
}

TEST(several_ranges_come_in_parts)
{
    fresh();
    for (enum way way = 0; way < WAYS; way++) {
        struct site site = {0};
        site_up(&site, scratch_dir(), way);
        expect_parts(&site);
        site_down(&site);
    }
}

TEST(parts_are_larger_than_a_piece)
{
    enum { SIZE = 1000000, LAST = 300000 };
    fresh();
    make_large("large", SIZE);
    for (enum way way = 0; way < WAYS; way++) {
        struct site site = {0};
        site_up(&site, scratch_dir(), way);
        struct reply reply =
            ask_for(&site, "GET", "/large", "Range: bytes=1-131071,140000-540000,-300000\r\n");
        assert_int_equal(reply.status, 206);
        assert_true(reply.whole);
        const char *first = strstr(reply.body, "\r\n\r\n") + 4;
        require_pattern(first, 131071, 1);
        const char *second = strstr(first + 131071, "\r\n\r\n") + 4;
        require_pattern(second, 400001, 140000);
        const char *third = strstr(second + 400001, "\r\n\r\n") + 4;
        require_pattern(third, LAST, SIZE - LAST);
        reply_free(&reply);
        site_down(&site);
    }
}

/* Wherever the piece ends in the text between two parts. */
TEST(a_piece_may_end_between_two_parts)
{
    enum { FIRST = WEFT_HTTP_FILES_PIECE - 300, LAST = WEFT_HTTP_FILES_PIECE, STEP = 20 };
    struct site site = {0};
    fresh();
    make_large("large", 200000);
    site_up(&site, scratch_dir(), CACHED);
    for (size_t size = FIRST; size < LAST; size += STEP) {
        char fields[80];
        snprintf(fields, sizeof fields, "Range: bytes=0-%zu,150000-150099\r\n", size - 1);
        struct reply reply = ask_for(&site, "GET", "/large", fields);
        assert_true(reply.whole);
        const char *first = strstr(reply.body, "\r\n\r\n") + 4;
        require_pattern(first, size, 0);
        const char *second = first + size;
        assert_memory_equal(second, "\r\n--", 4);
        assert_non_null(strstr(second, "\r\nContent-Type: application/octet-stream\r\n"
                                       "Content-Range: bytes 150000-150099/200000\r\n\r\n"));
        require_pattern(strstr(second, "\r\n\r\n") + 4, 100, 150000);
        reply_free(&reply);
    }
    site_down(&site);
}

/* ---- options -------------------------------------------------------------------------------- */

TEST(a_packed_sibling_is_sent_to_who_takes_it)
{
    fresh();
    make_file("plain.txt.gz", "gz");
    make_file("plain.txt.br", "br");
    make_file("stale.txt", "newer than what is packed");
    make_file("stale.txt.gz", "old");
    make_file("small.txt", "s");
    make_file("small.txt.gz", "not smaller");
    make_file("folder/index.html.gz", "i");
    char path[SCRATCH_PATH];
    struct timespec older[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    assert_int_equal(utimensat(AT_FDCWD, scratch_path(path, "stale.txt.gz"), older, 0), 0);
    for (enum way way = 0; way < WAYS; way++) {
        struct site site = {.files = {.precompressed = true}};
        site_up(&site, scratch_dir(), way);
        struct reply reply = ask_for(&site, "GET", "/plain.txt", "Accept-Encoding: gzip\r\n");
        assert_string_equal(reply.body, "gz");
        assert_string_equal(field(&reply, "Content-Encoding"), "gzip");
        assert_string_equal(field(&reply, "Vary"), "Accept-Encoding");
        assert_string_equal(field(&reply, "Content-Type"), "text/plain; charset=utf-8");
        reply_free(&reply);
        reply = ask_for(&site, "GET", "/plain.txt", "Accept-Encoding: gzip, br\r\n");
        assert_string_equal(reply.body, "br");
        assert_string_equal(field(&reply, "Content-Encoding"), "br");
        reply_free(&reply);
        reply = ask_for(&site, "GET", "/plain.txt", "Accept-Encoding: gzip;q=0\r\n");
        assert_string_equal(reply.body, "hello, world\n");
        assert_string_equal(field(&reply, "Content-Encoding"), "");
        assert_string_equal(field(&reply, "Vary"), "Accept-Encoding");
        reply_free(&reply);
        const char *gzip = "Accept-Encoding: gzip\r\n";
        expect_body(&site, "/stale.txt", gzip, 200, "newer than what is packed");
        expect_body(&site, "/small.txt", gzip, 200, "s");
        expect_body(&site, "/folder/", gzip, 200, "i");
        expect_body(&site, "/empty", gzip, 200, "");
        site_down(&site);
        struct site plain_site = {0};
        site_up(&plain_site, scratch_dir(), way);
        expect_body(&plain_site, "/plain.txt", gzip, 200, "hello, world\n");
        site_down(&plain_site);
    }
}

TEST(a_packed_sibling_has_an_entity_tag_of_its_own)
{
    struct site site = {.files = {.precompressed = true}};
    char fields[160], etag[64];
    fresh();
    make_file("plain.txt.gz", "gz");
    site_up(&site, scratch_dir(), CACHED);
    struct reply reply = ask_for(&site, "GET", "/plain.txt", "Accept-Encoding: gzip\r\n");
    strcpy(etag, field(&reply, "ETag"));
    reply_free(&reply);
    snprintf(fields, sizeof fields, "If-None-Match: %s\r\n", etag);
    expect_body(&site, "/plain.txt", fields, 200, "hello, world\n");
    snprintf(fields, sizeof fields, "If-None-Match: %s\r\nAccept-Encoding: gzip\r\n", etag);
    reply = ask_for(&site, "GET", "/plain.txt", fields);
    assert_int_equal(reply.status, 304);
    assert_string_equal(field(&reply, "Vary"), "Accept-Encoding");
    assert_string_equal(field(&reply, "Content-Encoding"), "");
    reply_free(&reply);
    site_down(&site);
}

TEST(a_name_that_says_nothing_has_the_type_by_default)
{
    struct site site = {.files = {.type_by_default = "text/x-mine"}};
    fresh();
    site_up(&site, scratch_dir(), CACHED);
    struct reply reply = ask(&site, "/empty");
    assert_string_equal(field(&reply, "Content-Type"), "text/x-mine");
    reply_free(&reply);
    reply = ask(&site, "/plain.txt");
    assert_string_equal(field(&reply, "Content-Type"), "text/plain; charset=utf-8");
    reply_free(&reply);
    site_down(&site);
}

TEST(options_that_make_no_sense_are_refused)
{
    static const char *const slash[] = {"a/b", NULL}, *const none[] = {"", NULL};
    char path[SCRATCH_PATH];
    struct weft_http_files files = {0};
    fresh();
    assert_int_equal(weft_http_files_open(NULL, "/"), UV_EINVAL);
    assert_int_equal(weft_http_files_open(&files, NULL), UV_EINVAL);
    assert_int_equal(weft_http_files_open(&files, ""), UV_EINVAL);
    assert_int_equal(weft_http_files_open(&files, scratch_path(path, "no")), UV_ENOENT);
    assert_int_equal(weft_http_files_open(&files, scratch_path(path, "empty")), UV_ENOTDIR);
    files.index = slash;
    assert_int_equal(weft_http_files_open(&files, scratch_dir()), UV_EINVAL);
    files.index = none;
    assert_int_equal(weft_http_files_open(&files, scratch_dir()), UV_EINVAL);
    files.index = NULL;
    files.cache_control = "a\r\nb: c";
    assert_int_equal(weft_http_files_open(&files, scratch_dir()), UV_EINVAL);
    files.cache_control = NULL;
    files.type_by_default = "a\nb";
    assert_int_equal(weft_http_files_open(&files, scratch_dir()), UV_EINVAL);
    files.type_by_default = NULL;
    files.links = (enum weft_http_links)7;
    assert_int_equal(weft_http_files_open(&files, scratch_dir()), UV_EINVAL);
    files.links = WEFT_HTTP_LINKS_NONE;
    weft_http_files_close(&files);
    assert_int_equal(weft_http_files_open(&files, scratch_dir()), 0);
    assert_int_equal(weft_http_files_open(&files, scratch_dir()), UV_EALREADY);
    weft_http_files_close(&files);
    weft_http_files_close(&files);
    weft_http_files_close(NULL);
}

/* ---- as an op ------------------------------------------------------------------------------- */

static int told;

static void tell(struct weft_op *op, struct weft_op *file)
{
    (void)op;
    told = file->status;
    weft_end(op, 0);
}

/* What a prefix leaves, with and without its slash; and fields of the handler's own. */
static void below_a_prefix(struct weft_op *op)
{
    struct site_request *its = weft_owner(op, struct site_request, request.op);
    struct weft_text path = its->request.head.path;
    size_t prefix = path.data[1] == 'a' ? 2 : 3; /* "/a", "/b/" */
    weft_http_set(&its->request, "X-Mine", "yes");
    weft_http_file(op, &its->file, &the_site->files, &its->request,
                   weft_text(path.data + prefix, path.size - prefix), NULL);
}

TEST(a_prefix_may_take_the_slash_with_it)
{
    struct site site = {.server = {.handler = below_a_prefix}};
    fresh();
    site_up(&site, scratch_dir(), CACHED);
    expect_body(&site, "/a/plain.txt", "", 200, "hello, world\n");
    expect_body(&site, "/b/plain.txt", "", 200, "hello, world\n");
    assert_int_equal(status_of(&site, "/b/"), 403);
    assert_int_equal(status_of(&site, "/a"), 403);
    assert_int_equal(status_of(&site, "/b/../plain.txt"), 403);
    struct reply reply = ask(&site, "/b/folder");
    assert_string_equal(field(&reply, "Location"), "./folder/");
    assert_string_equal(field(&reply, "X-Mine"), "yes");
    reply_free(&reply);
    site_down(&site);
}

static void after_an_answer(struct weft_op *op)
{
    struct site_request *its = weft_owner(op, struct site_request, request.op);
    weft_http_start(&its->request, 200, NULL, 5);
    weft_http_file(op, &its->file, &the_site->files, &its->request, its->request.head.path, tell);
}

TEST(a_request_that_has_an_answer_keeps_it)
{
    struct site site = {.server = {.handler = after_an_answer}};
    fresh();
    site_up(&site, scratch_dir(), CACHED);
    struct reply reply = ask(&site, "/plain.txt");
    assert_int_equal(told, UV_EALREADY);
    reply_free(&reply);
    site_down(&site);
}

/* The program serves itself: from what is mostly a real disk, with real answers about its cache. */
TEST(a_file_on_a_disk_is_served)
{
    struct site site = {0};
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    assert_true(length > 0);
    path[length] = '\0';
    char *name = strrchr(path, '/');
    FILE *self = fopen(path, "r");
    assert_non_null(self);
    *name = '\0';
    site_up(&site, path, CACHED);
    *name = '/';
    struct reply reply = ask(&site, name);
    assert_int_equal(reply.status, 200);
    assert_true(reply.whole);
    for (size_t i = 0; i < reply.size; i++) {
        if (getc(self) != (unsigned char)reply.body[i])
            fail_msg("byte %zu is wrong", i);
    }
    assert_int_equal(getc(self), EOF);
    fclose(self);
    reply_free(&reply);
    site_down(&site);
}

TEST(no_answer_leaves_a_descriptor_open)
{
    static const char *const targets[] = {"/plain.txt", "/empty",         "/bare/a%20file",
                                          "/bare",      "/bare/",         "/folder/",
                                          "/nope",      "/folder/none/x", "/odd/"};
    static const char *const fields[] = {"", "Range: bytes=99-\r\n", "If-Match: \"x\"\r\n",
                                         "Accept-Encoding: gzip\r\n"};
    fresh();
    make_file("plain.txt.gz", "gz");
    make_file("folder/index.html.gz", "no smaller");
    make_folder("odd");
    make_folder("odd/index.html");
    for (enum way way = 0; way < WAYS; way++) {
        struct site site = {.files = {.listing = true, .precompressed = true}};
        site_up(&site, scratch_dir(), way);
        for (int i = 0; i < 2; i++) { /* what libuv opens for itself is open after the first time */
            size_t before = open_descriptors();
            for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
                for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
                    struct reply reply = ask_for(&site, "GET", targets[t], fields[f]);
                    assert_true(reply.status != 0);
                    reply_free(&reply);
                    while (site.server.connections > 0)
                        site_turn(&site, -1);
                }
            }
            if (i == 1)
                assert_int_equal(open_descriptors(), before);
        }
        site_down(&site);
    }
}

TEST(many_requests_share_a_connection)
{
    enum { MANY = 100 };
    struct site site = {0};
    fresh();
    site_up(&site, scratch_dir(), CACHED);
    int fd = site_connect(&site);
    for (int i = 0; i < MANY; i++)
        site_send(fd, "GET /plain.txt HTTP/1.1\r\nHost: a\r\n\r\n");
    site_send(fd, "GET /plain.txt HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    struct reply reply = site_receive(&site, fd, false);
    size_t count = 0;
    const char *at = reply.body;
    for (; (at = strstr(at, "hello, world\n")) != NULL; at++)
        count++;
    assert_int_equal(count, MANY + 1);
    reply_free(&reply);
    site_down(&site);
}
