/* Answers of all kinds: in pieces, in chunks, cut short, too large, and none at all.
 * ctest: labels=valgrind-long timeout=120 also=WEFT_TEST_NO_DIRECT */
#include "outside.h"

static struct scene scene;
static const char *reply;
static bool then_close;

static void say_reply(struct peer *peer)
{
    say_text(peer, reply);
    if (then_close)
        hang_up(peer);
}

static void ask(struct weft_http_fetch *fetch, const char *text, bool closes)
{
    reply = text;
    then_close = closes;
    scene_up(&scene, say_reply);
    get_and_wait(&scene, fetch, "/");
}

static void end(struct weft_http_fetch *fetch)
{
    weft_http_fetch_free(fetch);
    scene_down(&scene);
}

TEST(chunks_are_put_together)
{
    struct weft_http_fetch fetch = {0};
    ask(&fetch,
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nTrailer: 1\r\n\r\n",
        false);
    assert_int_equal(fetch.op.status, 0);
    assert_string_equal(fetch.body, "abcde");
    assert_null(weft_http_fetch_get(&fetch, "Trailer").data);
    end(&fetch);
}

TEST(a_trailer_is_not_mistaken_for_an_answer)
{
    struct weft_http_fetch fetch = {0};
    ask(&fetch,
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX: y\r\n\r\n"
        "3\r\nabc\r\n0\r\nHTTP/1.1 500 X: z\r\n\r\n",
        false);
    assert_int_equal(fetch.op.status, 0);
    assert_int_equal(fetch.status, 200);
    text_is(weft_http_fetch_get(&fetch, "X"), "y");
    end(&fetch);
}

TEST(a_body_may_end_with_the_connection)
{
    struct weft_http_fetch fetch = {0};
    ask(&fetch, "HTTP/1.0 200 OK\r\n\r\nuntil the end", true);
    assert_int_equal(fetch.op.status, 0);
    assert_int_equal(fetch.http_version, 10);
    assert_string_equal(fetch.body, "until the end");
    end(&fetch);
}

TEST(informational_answers_are_not_the_answer)
{
    struct weft_http_fetch fetch = {0};
    ask(&fetch,
        "HTTP/1.1 100 Continue\r\n\r\n"
        "HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\nX: early\r\n\r\n"
        "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\nX: late\r\n\r\nno",
        false);
    assert_int_equal(fetch.op.status, 0);
    assert_int_equal(fetch.status, 404);
    assert_int_equal(fetch.answer_count, 2);
    text_is(weft_http_fetch_get(&fetch, "X"), "late");
    assert_null(weft_http_fetch_get(&fetch, "Link").data);
    end(&fetch);
}

TEST(fields_that_come_several_times_are_all_there)
{
    struct weft_http_fetch fetch = {0};
    size_t at = 0;
    ask(&fetch,
        "HTTP/1.1 204 No Content\r\nSet-Cookie: a=1\r\nX: y\r\nset-cookie:b=2 \r\nFolded: one\r\n"
        " two\r\nBad Name: 1\r\nEmpty:\r\n\r\n",
        false);
    assert_int_equal(fetch.status, 204);
    text_is(weft_http_fetch_next(&fetch, "Set-Cookie", &at)->value, "a=1");
    text_is(weft_http_fetch_next(&fetch, "Set-Cookie", &at)->value, "b=2");
    assert_null(weft_http_fetch_next(&fetch, "Set-Cookie", &at));
    text_is(weft_http_fetch_get(&fetch, "Folded"), "one  two");
    text_is(weft_http_fetch_get(&fetch, "Empty"), "");
    assert_null(weft_http_fetch_get(&fetch, "Bad Name").data);
    assert_int_equal(fetch.answer_count, 5);
    end(&fetch);
}

/* ---- byte by byte --------------------------------------------------------------------------- */

static struct weft_op drip;
static struct peer *dripping;
static size_t dripped;

static void drip_on(struct weft_op *root, struct weft_op *op)
{
    if (reply[dripped] == '\0')
        return;
    say(dripping, reply + dripped++, 1);
    weft_immediate(root, op, drip_on);
}

static void drip_reply(struct peer *peer)
{
    dripping = peer;
    dripped = 0;
    weft_immediate(scene_root(&scene), &drip, drip_on);
}

TEST(an_answer_may_come_byte_by_byte)
{
    struct weft_http_fetch fetch = {0};
    reply = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX: y\r\n\r\n3\r\nabc\r\n1\r\nd\r\n"
            "0\r\n\r\n";
    scene_up(&scene, drip_reply);
    get_and_wait(&scene, &fetch, "/");
    assert_int_equal(fetch.op.status, 0);
    assert_string_equal(fetch.body, "abcd");
    text_is(weft_http_fetch_get(&fetch, "X"), "y");
    end(&fetch);
}

/* ---- broken ones ---------------------------------------------------------------------------- */

static void breaks(const char *text, int status, enum weft_http_fetch_failure failure,
                   enum weft_http_fetch_detail detail, const char *words)
{
    struct weft_http_fetch fetch = {0};
    ask(&fetch, text, true);
    failed_with(&fetch, status, failure, detail, words);
    end(&fetch);
}

TEST(an_answer_that_is_cut_short_is_not_complete)
{
    breaks("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort", WEFT_EHTTP,
           WEFT_FETCH_FAILED_PROTOCOL, WEFT_FETCH_CUT_SHORT, "was cut short");
    breaks("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", WEFT_EHTTP,
           WEFT_FETCH_FAILED_PROTOCOL, WEFT_FETCH_CUT_SHORT, "was cut short");
    breaks("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n", WEFT_EHTTP,
           WEFT_FETCH_FAILED_PROTOCOL, WEFT_FETCH_CUT_SHORT, "was cut short");
    breaks("", WEFT_EHTTP, WEFT_FETCH_FAILED_PROTOCOL, WEFT_FETCH_CUT_SHORT, "was cut short");
}

static const char *cut_text;
static size_t cut_at;
static bool cut_by_reset;

static void cut(struct peer *peer)
{
    struct linger reset = {.l_onoff = 1, .l_linger = 0};
    say(peer, cut_text, cut_at);
    if (cut_by_reset)
        setsockopt(weft_stream_fd(&peer->stream), SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    hang_up(peer);
}

/* However far it came: it is an error, unless all of it did. spare: how many bytes at its end say
 * nothing any more. */
static void is_cut_at_every_byte(const char *text, size_t spare)
{
    scene_up(&scene, cut);
    cut_text = text;
    for (int by_reset = 0; by_reset < 2; by_reset++) {
        cut_by_reset = by_reset;
        for (cut_at = 0; cut_at < strlen(text) - spare; cut_at++) {
            struct weft_http_fetch fetch = {0};
            get_and_wait(&scene, &fetch, "/");
            if (fetch.op.status == 0)
                fail_msg("complete after %zu bytes: %s", cut_at, text);
            assert_int_not_equal(fetch.failure, WEFT_FETCH_NO_FAILURE);
            weft_http_fetch_free(&fetch);
        }
    }
    struct weft_http_fetch whole = {0};
    cut_at = strlen(text);
    cut_by_reset = false;
    get_and_wait(&scene, &whole, "/");
    assert_int_equal(whole.op.status, 0);
    assert_string_equal(whole.body, "hello");
    end(&whole);
}

TEST(an_answer_that_breaks_off_at_any_byte_is_not_complete)
{
    is_cut_at_every_byte("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 0);
    is_cut_at_every_byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                         "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n",
                         1); /* curl does not wait for the last LF */
    is_cut_at_every_byte("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
                         "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
                         0);
}

TEST(what_is_not_http_is_told)
{
    breaks("SSH-2.0-OpenSSH_9.2\r\n", WEFT_EHTTP, WEFT_FETCH_FAILED_PROTOCOL, WEFT_FETCH_NO_DETAIL,
           "does not speak HTTP");
    breaks("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", WEFT_EHTTP,
           WEFT_FETCH_FAILED_PROTOCOL, WEFT_FETCH_NO_DETAIL, "does not speak HTTP");
    breaks("HTTP/1.1 200 OK\r\nno field\r\n\r\n", WEFT_EHTTP, WEFT_FETCH_FAILED_PROTOCOL,
           WEFT_FETCH_NO_DETAIL, "does not speak HTTP");
    breaks("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nxyz", WEFT_EHTTP,
           WEFT_FETCH_FAILED_PROTOCOL, WEFT_FETCH_NO_DETAIL, "does not speak HTTP");
}

static void speaks_badly(const char *text)
{
    breaks(text, WEFT_EHTTP, WEFT_FETCH_FAILED_PROTOCOL, WEFT_FETCH_NO_DETAIL,
           "does not speak HTTP");
}

TEST(a_length_is_one_number)
{
    static const char *const lengths[] = {"3\r\nContent-Length: 5",
                                          "5\r\ncontent-length: 3",
                                          "3\r\nX: y\r\nContent-Length: 3abc",
                                          "3\r\nTransfer-Encoding: identity\r\nContent-Length: 5",
                                          "3abc",
                                          "3, 3",
                                          "+3",
                                          "0x3",
                                          "3\x01",
                                          "9223372036854775808",
                                          "99999999999999999999999"};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        char text[200];
        snprintf(text, sizeof text, "HTTP/1.1 200 OK\r\nContent-Length: %s\r\n\r\nabcde",
                 lengths[i]);
        speaks_badly(text);
    }
}

TEST(a_length_may_be_said_twice_and_does_not_count_with_chunks)
{
    struct weft_http_fetch fetch = {0};
    ask(&fetch, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc", false);
    assert_int_equal(fetch.op.status, 0);
    assert_string_equal(fetch.body, "abc");
    end(&fetch);
    memset(&fetch, 0, sizeof fetch);
    ask(&fetch,
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: Chunked\r\n"
        "Content-Length: 2\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        false);
    assert_int_equal(fetch.op.status, 0);
    assert_string_equal(fetch.body, "abc");
    end(&fetch);
}

TEST(nobody_switches_protocols_unasked)
{
    static const char *const fields[] = {"Connection: upgrade", "Upgrade: x"};
    static const char text[] =
        "HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nabc";
    struct weft_http_fetch fetch = {.fields = fields, .fields_count = 2};
    speaks_badly(text);
    ask(&fetch, text, true);
    assert_int_equal(fetch.op.status, 0);
    assert_int_equal(fetch.status, 101);
    assert_string_equal(fetch.body, "abc");
    end(&fetch);
}

/* malloc, but new blocks are not empty. */
static void *dirty_resize(void *block, size_t size, void *context)
{
    (void)context;
    if (block != NULL)
        return realloc(block, size);
    block = malloc(size);
    return block != NULL ? memset(block, 'x', size) : NULL;
}

static void *dirty_alloc(size_t size, void *context)
{
    return dirty_resize(NULL, size, context);
}

static void dirty_release(void *block, void *context)
{
    (void)context;
    free(block);
}

TEST(what_came_of_a_body_that_broke_off_is_terminated)
{
    static const struct weft_allocator allocator = {dirty_alloc, dirty_resize, dirty_release, NULL};
    struct weft_http_fetch fetch = {0};
    assert_int_equal(weft_set_allocator(&allocator), 0);
    ask(&fetch, "HTTP/1.1 200 OK\r\nContent-Length: 4000\r\n\r\nabc", true);
    assert_int_equal(fetch.op.status, WEFT_EHTTP);
    assert_int_equal(fetch.body_size, 3);
    assert_non_null(fetch.body);
    assert_memory_equal(fetch.body, "abc", 4);
    end(&fetch);
    assert_int_equal(weft_set_allocator(NULL), 0);
}

TEST(a_status_line_has_a_status)
{
    static const char *const lines[] = {"HTTP/1.1 2000 OK", "HTTP/1.1 20 OK", "HTTP/1.1 099 OK",
                                        "HTTP/1.1 200OK",   "HTTP/1.1 OK",    "HTTP/1.1"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char text[100];
        snprintf(text, sizeof text, "%s\r\nContent-Length: 0\r\n\r\n", lines[i]);
        breaks(text, WEFT_EHTTP, WEFT_FETCH_FAILED_PROTOCOL, WEFT_FETCH_NO_DETAIL,
               "does not speak HTTP");
    }
    struct weft_http_fetch fetch = {0};
    ask(&fetch, "HTTP/1.1   201\r\nContent-Length: 0\r\n\r\n", false);
    assert_int_equal(fetch.op.status, 0);
    assert_int_equal(fetch.status, 201);
    end(&fetch);
}

TEST(a_field_is_not_mistaken_for_an_answer)
{
    struct weft_http_fetch fetch = {0};
    ask(&fetch,
        "HTTP/1.1 201 OK\r\nA: b\r\nHTTP/1.1 404 No: x\r\nHTTP/: y\r\n"
        "Content-Length: 2\r\n\r\nok",
        false);
    assert_int_equal(fetch.op.status, 0);
    assert_int_equal(fetch.status, 201);
    assert_string_equal(fetch.body, "ok");
    text_is(weft_http_fetch_get(&fetch, "A"), "b");
    assert_int_equal(fetch.answer_count, 2); /* no name has a slash in it */
    end(&fetch);
}

static void reset_it(struct peer *peer)
{
    struct linger now = {.l_onoff = 1, .l_linger = 0};
    say_text(peer, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort");
    setsockopt(weft_stream_fd(&peer->stream), SOL_SOCKET, SO_LINGER, &now, sizeof now);
    hang_up(peer);
}

/* Under a sanitizer or valgrind this finds a handle of curl that remembers too much. */
TEST(a_folded_line_at_the_beginning_does_not_belong_to_the_answer_before)
{
    struct weft_http_fetch fetch = {0};
    ask(&fetch, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nLast: of the fields\r\n\r\n", false);
    assert_int_equal(fetch.op.status, 0);
    weft_http_fetch_free(&fetch);
    reply = "HTTP/1.1 200 OK\r\n folded: x\r\nContent-Length: 0\r\n\r\n";
    get_and_wait(&scene, &fetch, "/");
    assert_null(weft_http_fetch_get(&fetch, "Last").data);
    end(&fetch);
}

TEST(a_reset_connection_is_lost)
{
    struct weft_http_fetch fetch = {0};
    scene_up(&scene, reset_it);
    get_and_wait(&scene, &fetch, "/");
    failed_with(&fetch, UV_ECONNRESET, WEFT_FETCH_FAILED_LOST, WEFT_FETCH_NO_DETAIL, "broke");
    end(&fetch);
}

TEST(nobody_there_is_told)
{
    struct weft_http_fetch fetch = {0};
    scene_up(&scene, say_reply);
    weft_listen_close(&scene.server.listen);
    await(&scene.w, &scene.server.listen.op);
    get_and_wait(&scene, &fetch, "/");
    failed_with(&fetch, UV_ECONNREFUSED, WEFT_FETCH_FAILED_CONNECT, WEFT_FETCH_NO_DETAIL,
                "cannot reach 127.0.0.1:");
    end(&fetch);
}

/* ---- too large ------------------------------------------------------------------------------ */

TEST(a_body_has_a_limit)
{
    struct weft_http_fetch fetch = {.body_max = 5};
    ask(&fetch, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabcde", false);
    assert_int_equal(fetch.op.status, 0);
    end(&fetch);
    fetch = (struct weft_http_fetch){.body_max = 4};
    ask(&fetch, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabcde", false);
    failed_with(&fetch, UV_EFBIG, WEFT_FETCH_FAILED_SIZE, WEFT_FETCH_LARGE_BODY, "too large");
    assert_int_equal(fetch.status, 200);
    end(&fetch);
    memset(&fetch, 0, sizeof fetch);
    scene_up(&scene, say_reply);
    scene.client.body_max = 3;
    get_and_wait(&scene, &fetch, "/");
    failed_with(&fetch, UV_EFBIG, WEFT_FETCH_FAILED_SIZE, WEFT_FETCH_LARGE_BODY, "too large");
    end(&fetch);
}

/* The server goes on with fields for ever. */
static struct weft_op flood;

static void flood_on(struct weft_op *root, struct weft_op *op)
{
    char line[1024];
    if (!weft_stream_connected(&dripping->stream) || dripping->gone)
        return;
    memset(line, 'x', sizeof line);
    memcpy(line, "X: ", 3);
    memcpy(line + sizeof line - 2, "\r\n", 2);
    say(dripping, line, sizeof line);
    weft_immediate(root, op, flood_on);
}

static void flood_fields(struct peer *peer)
{
    dripping = peer;
    say_text(peer, "HTTP/1.1 200 OK\r\n");
    weft_immediate(scene_root(&scene), &flood, flood_on);
}

TEST(a_head_has_a_limit)
{
    struct weft_http_fetch fetch = {0};
    scene_up(&scene, flood_fields);
    get_and_wait(&scene, &fetch, "/");
    failed_with(&fetch, UV_EFBIG, WEFT_FETCH_FAILED_SIZE, WEFT_FETCH_LARGE_HEAD, "head");
    await_that(&scene.w, dripping->gone || !weft_stream_connected(&dripping->stream));
    end(&fetch);
}

static void long_head(struct peer *peer)
{
    static char field[2000];
    memset(field, 'x', sizeof field - 1);
    say_text(peer, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX: ");
    say_text(peer, field);
    say_text(peer, "\r\n\r\nok");
}

TEST(the_limit_of_a_head_can_be_set)
{
    for (int small = 0; small < 2; small++) {
        struct weft_http_fetch fetch = {0};
        memset(&scene, 0, sizeof scene);
        world_up(&scene.w);
        outside_up(&scene.w.loop, &scene.server, long_head);
        scene.client.header_max = small ? 2000 : 2100;
        weft_http_client_open(scene_root(&scene), &scene.client, noted);
        get_and_wait(&scene, &fetch, "/");
        assert_int_equal(fetch.op.status, small ? UV_EFBIG : 0);
        end(&fetch);
    }
}

static void hint_on(struct weft_op *root, struct weft_op *op)
{
    if (!weft_stream_connected(&dripping->stream) || dripping->gone)
        return;
    say_text(dripping, "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n");
    weft_immediate(root, op, hint_on);
}

static void flood_hints(struct peer *peer)
{
    dripping = peer;
    weft_immediate(scene_root(&scene), &flood, hint_on);
}

TEST(informational_answers_without_end_have_a_limit_too)
{
    struct weft_http_fetch fetch = {0};
    scene_up(&scene, flood_hints);
    get_and_wait(&scene, &fetch, "/");
    failed_with(&fetch, UV_EFBIG, WEFT_FETCH_FAILED_SIZE, WEFT_FETCH_LARGE_HEAD, "head");
    end(&fetch);
}
