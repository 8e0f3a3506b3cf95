/* Answers over connections of our own, split at every byte: heads, chunks and what is packed.
 * ctest: labels=valgrind timeout=120 */
#include "outside.h"
#include <zlib.h>

static struct scene scene;

/* ---- a server that sends in two halves ------------------------------------------------------ */

static char reply[4096];
static size_t reply_size, split_at;
static bool leaves;
static struct peer *split;
static struct weft_op later;

static void say_rest(struct weft_op *root, struct weft_op *op)
{
    (void)root;
    (void)op;
    say(split, reply + split_at, reply_size - split_at);
    if (leaves)
        hang_up(split);
}

static void say_in_two(struct peer *peer)
{
    split = peer;
    say(peer, reply, split_at);
    memset(&later, 0, sizeof later);
    weft_immediate(scene_root(&scene), &later, say_rest);
}

static void set_reply(const char *head, const void *body, size_t size)
{
    reply_size = strlen(head);
    assert_true(reply_size + size <= sizeof reply);
    memcpy(reply, head, reply_size);
    memcpy(reply + reply_size, body, size);
    reply_size += size;
}

static size_t pack(const char *text, int window, unsigned char *to, size_t room)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (z_const Bytef *)text;
    z.avail_in = (uInt)strlen(text);
    z.next_out = to;
    z.avail_out = (uInt)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return room - z.avail_out;
}

/* A consumer that never takes what it is offered at first. */
static char heard[256];
static size_t heard_size;
static bool offered;

static int take_the_second_time(struct weft_http_fetch *fetch, const char *data, size_t size)
{
    offered = !offered;
    if (offered) {
        weft_http_fetch_resume(fetch);
        return WEFT_FETCH_PAUSE;
    }
    assert_true(size < sizeof heard - heard_size);
    memcpy(heard + heard_size, data, size);
    heard_size += size;
    heard[heard_size] = '\0';
    return WEFT_FETCH_TAKEN;
}

/* However it comes, it is read the same, also by one who pauses. */
static void comes_whole_wherever_it_is_split(const char *body)
{
    scene_up(&scene, say_in_two);
    for (split_at = 0; split_at <= reply_size; split_at++) {
        struct weft_http_fetch fetch = {.accept_encoding = "gzip, deflate"};
        get_and_wait(&scene, &fetch, "/");
        assert_int_equal(fetch.op.status, 0);
        assert_string_equal(fetch.body, body);
        weft_http_fetch_free(&fetch);
        fetch = (struct weft_http_fetch){.accept_encoding = "gzip, deflate",
                                         .on_body = take_the_second_time};
        heard_size = 0;
        offered = false;
        get_and_wait(&scene, &fetch, "/");
        assert_int_equal(fetch.op.status, 0);
        assert_int_equal(fetch.received, strlen(body));
        assert_string_equal(heard, body);
        weft_http_fetch_free(&fetch);
    }
    if (!leaves)
        assert_int_equal(scene.server.connections, 1);
    scene_down(&scene);
}

TEST(a_body_of_known_length)
{
    set_reply("HTTP/1.1 200 OK\r\nX: y\r\nContent-Length: 5\r\n\r\n", "hello", 5);
    comes_whole_wherever_it_is_split("hello");
}

TEST(a_body_in_chunks_with_extensions_and_trailers)
{
    set_reply("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
              "2;x=y\r\nhe\r\n003\r\nllo\r\n0\r\nA: b\r\nno field at all\r\n\r\n",
              "", 0);
    comes_whole_wherever_it_is_split("hello");
}

TEST(informational_answers_before_it)
{
    set_reply("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nLink: </a>\r\n\r\n"
              "HTTP/1.1 200 OK\nContent-Length: 5\n\n",
              "hello", 5);
    comes_whole_wherever_it_is_split("hello");
}

TEST(a_body_that_ends_with_the_connection)
{
    leaves = true;
    set_reply("HTTP/1.1 200 OK\r\n\r\n", "hello", 5);
    comes_whole_wherever_it_is_split("hello");
    leaves = false;
}

static const char long_text[] = "a page about looms, and about looms, and about looms";

TEST(packed_bodies)
{
    static const struct {
        const char *name;
        int window;
    } kinds[] = {{"gzip", 31}, {"x-gzip", 31}, {"deflate", 15}, {"deflate", -15}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        unsigned char packed[256];
        char head[200];
        size_t size = pack(long_text, kinds[i].window, packed, sizeof packed);
        snprintf(head, sizeof head,
                 "HTTP/1.1 200 OK\r\nContent-Encoding: %s\r\nContent-Length: %zu\r\n\r\n",
                 kinds[i].name, size);
        set_reply(head, packed, size);
        comes_whole_wherever_it_is_split(long_text);
    }
}

/* ---- what is broken ------------------------------------------------------------------------- */

static void say_all(struct peer *peer)
{
    say(peer, reply, reply_size);
    if (leaves)
        hang_up(peer);
}

TEST(a_packed_body_that_ends_too_early_is_told)
{
    unsigned char packed[256];
    size_t size = pack(long_text, 31, packed, sizeof packed);
    scene_up(&scene, say_all);
    for (size_t cut = 1; cut < size; cut++) {
        struct weft_http_fetch fetch = {.accept_encoding = ""};
        char head[200];
        snprintf(head, sizeof head,
                 "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %zu\r\n\r\n", cut);
        set_reply(head, packed, cut);
        get_and_wait(&scene, &fetch, "/");
        failed_with(&fetch, WEFT_EHTTP, WEFT_FETCH_FAILED_PROTOCOL, WEFT_FETCH_BAD_ENCODING,
                    "cannot be unpacked");
        weft_http_fetch_free(&fetch);
    }
    scene_down(&scene);
}

TEST(a_packed_body_of_no_bytes_is_empty)
{
    struct weft_http_fetch fetch = {.accept_encoding = ""};
    scene_up(&scene, say_all);
    set_reply("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 0\r\n\r\n", "", 0);
    get_and_wait(&scene, &fetch, "/");
    assert_int_equal(fetch.op.status, 0);
    assert_string_equal(fetch.body, "");
    weft_http_fetch_free(&fetch);
    scene_down(&scene);
}

TEST(an_end_that_we_cannot_know_is_refused)
{
    static const char *const heads[] = {
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
        "HTTP/2 200\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nX\r\n\r\na",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r \r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding:\vchunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8000000000000000\r\n",
    };
    scene_up(&scene, say_all);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        struct weft_http_fetch fetch = {0};
        set_reply(heads[i], "", 0);
        get_and_wait(&scene, &fetch, "/");
        failed_with(&fetch, WEFT_EHTTP, WEFT_FETCH_FAILED_PROTOCOL, WEFT_FETCH_NO_DETAIL,
                    "does not speak HTTP");
        weft_http_fetch_free(&fetch);
    }
    scene_down(&scene);
}

/* ---- large heads ---------------------------------------------------------------------------- */

static struct weft_write writing;
static char long_head[40000];

static void say_long_head(struct peer *peer)
{
    weft_write(scene_root(&scene), &writing, &peer->stream, long_head, sizeof long_head, noted);
}

TEST(a_line_may_be_longer_than_the_buffer)
{
    static const char start[] = "HTTP/1.1 200 OK\r\nX: ", end[] = "\r\nContent-Length: 2\r\n\r\nok";
    struct weft_http_fetch fetch = {0};
    memset(long_head, 'x', sizeof long_head);
    memcpy(long_head, start, sizeof start - 1);
    memcpy(long_head + sizeof long_head - sizeof end + 1, end, sizeof end - 1);
    memset(&writing, 0, sizeof writing);
    scene_up(&scene, say_long_head);
    get_and_wait(&scene, &fetch, "/");
    assert_int_equal(fetch.op.status, 0);
    assert_string_equal(fetch.body, "ok");
    assert_int_equal(fetch.answer_count, 2);
    assert_int_equal(weft_http_fetch_get(&fetch, "X").size,
                     sizeof long_head - (sizeof start - 1) - (sizeof end - 1));
    assert_int_equal(fetch.wire_received, sizeof long_head);
    weft_http_fetch_free(&fetch);
    scene_down(&scene);
}
