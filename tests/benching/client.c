/* A client of a bench, and whom it may meet.
 * ctest: labels=valgrind */
#include "benching/benching.h"
#include "loop.h"
#include <stdio.h>
#include <string.h>

/* ---- a server that says what it is told to --------------------------------------------------- */

/* For each request the next answer; one with "close" in it, and the last one, closes the connection.
 * An answer of "" closes it without a word. */
struct fake {
    struct weft_listen listen;
    struct weft_accept accept;
    struct weft_stream stream;
    struct weft_read read;
    struct weft_write write;
    struct weft_op pause;
    const char *const *answers;
    size_t piece, at; /* so many bytes at a time */
    unsigned connections;
    char bytes[4096];
};
static struct fake fake;

static void fake_accept(struct weft_op *root);
static void fake_read(struct weft_op *root);

static void fake_closed(struct weft_op *root, struct weft_op *op)
{
    (void)op;
    if (*fake.answers != NULL && weft_cancelled(root) == 0)
        fake_accept(root);
    else
        weft_listen_close(&fake.listen);
}

static void fake_said(struct weft_op *root, struct weft_op *op);

static void fake_say(struct weft_op *root, struct weft_op *op)
{
    (void)op;
    const char *answer = *fake.answers + fake.at;
    size_t left = strlen(answer), size = left < fake.piece ? left : fake.piece;
    fake.at += size;
    weft_write(root, &fake.write, &fake.stream, answer, size, fake_said);
}

static void fake_said(struct weft_op *root, struct weft_op *op)
{
    const char *answer = *fake.answers;
    if (op->status == 0 && answer[fake.at] != '\0') {
        weft_immediate(root, &fake.pause, fake_say);
        return;
    }
    fake.at = 0;
    fake.answers++;
    if (op->status != 0 || *answer == '\0' || strstr(answer, "close") != NULL)
        weft_stream_close(&fake.stream);
    else
        fake_read(root);
}

static void fake_asked(struct weft_op *root, struct weft_op *op)
{
    static const char *const no_more[] = {NULL};
    if (op->status == 0 && *fake.answers != NULL) {
        fake_say(root, op);
        return;
    }
    fake.answers = no_more;
    weft_stream_close(&fake.stream);
}

static void fake_read(struct weft_op *root)
{
    weft_read(root, &fake.read, &fake.stream, fake.bytes, sizeof fake.bytes, fake_asked);
}

static void fake_accepted(struct weft_op *root, struct weft_op *op)
{
    assert_int_equal(op->status, 0);
    fake.connections++;
    fake_read(root);
}

static void fake_accept(struct weft_op *root)
{
    weft_stream_open(root, &fake.stream, fake_closed);
    weft_accept(root, &fake.accept, &fake.listen, &fake.stream, fake_accepted);
}

static void fake_up(struct world *w, const char *const *answers)
{
    struct weft_address address;
    world_up(w);
    fake = (struct fake){.answers = answers, .piece = SIZE_MAX};
    weft_address_parse(&address, "127.0.0.1:0");
    weft_listen(weft_root(&w->loop), &fake.listen, &address, NULL);
    fake_accept(weft_root(&w->loop));
}

/* ---- a client -------------------------------------------------------------------------------- */

#define OK_LENGTH "HTTP/1.1 200 OK\r\nContent-Length: "
#define OK_CHUNKED "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
#define SIXTY "012345678901234567890123456789012345678901234567890123456789"
#define LONG SIXTY SIXTY SIXTY SIXTY

struct asker {
    struct bench_client client;
    unsigned left, answers;
    char last[64];
    char buffer[256];
};

static bool take(struct bench_client *client)
{
    struct asker *asker = weft_owner(client, struct asker, client);
    asker->answers++;
    snprintf(asker->last, sizeof asker->last, "%d %.*s", client->status,
             WEFT_TEXT_ARGS(client->body));
    return --asker->left > 0;
}

static void ask_at(struct world *w, struct asker *asker, const struct weft_address *server,
                   unsigned times)
{
    *asker = (struct asker){.left = times};
    asker->client.server = server;
    asker->client.request = weft_text_of("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    asker->client.buffer = asker->buffer;
    asker->client.capacity = sizeof asker->buffer;
    asker->client.answered = take;
    bench_client(weft_root(&w->loop), &asker->client, noted);
}

/* So often, from the fake; how it ended. */
static int ask_fake(struct asker *asker, const char *const *answers, unsigned times, size_t piece)
{
    struct world w;
    fake_up(&w, answers);
    fake.piece = piece;
    ask_at(&w, asker, &fake.listen.address, times);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    return seen.status;
}

static const char *const three[] = {OK_LENGTH "3\r\n\r\none", OK_LENGTH "3\r\nA: b\r\n\r\ntwo",
                                    "HTTP/1.1 404 Not Found\r\ncontent-length:  5 \r\n\r\nthree",
                                    NULL};

TEST(a_client_asks_over_one_connection_until_it_is_told_to_stop)
{
    struct asker asker;
    assert_int_equal(ask_fake(&asker, three, 3, SIZE_MAX), 0);
    assert_int_equal(asker.answers, 3);
    assert_string_equal(asker.last, "404 three");
    assert_int_equal(fake.connections, 1);
}

TEST(an_answer_may_come_in_pieces)
{
    struct asker asker;
    for (size_t piece = 1; piece <= 40; piece += 13) {
        assert_int_equal(ask_fake(&asker, three, 2, piece), 0);
        assert_int_equal(asker.answers, 2);
        assert_string_equal(asker.last, "200 two");
    }
}

TEST(an_answer_may_come_in_chunks)
{
    static const char *const answers[] = {
        OK_CHUNKED "0\r\n\r\n", OK_CHUNKED "3\r\none\r\n1\r\n,\r\nA\r\nabcdefghij\r\n0\r\n\r\n",
        NULL};
    struct asker asker;
    for (size_t piece = 1; piece <= 14; piece++) {
        assert_int_equal(ask_fake(&asker, answers, 1, piece), 0);
        assert_string_equal(asker.last, "200 ");
        assert_int_equal(ask_fake(&asker, answers, 2, piece), 0);
        assert_string_equal(asker.last, "200 one,abcdefghij");
    }
}

/* Real time, since the answers come over a socket. */
TEST(a_client_pauses_before_it_asks_again)
{
    struct world w;
    struct asker asker;
    uint64_t begun_ns = uv_hrtime();
    fake_up(&w, three);
    ask_at(&w, &asker, &fake.listen.address, 3);
    asker.client.pause_ms = 4;
    world_down(&w);
    assert_int_equal(asker.answers, 3);
    assert_int_equal(asker.client.asked_ns, 0);
    assert_true(uv_hrtime() - begun_ns >= 6000000); /* 8, but for the clock's grain */
}

TEST(a_client_that_is_not_answered_says_when_it_has_asked)
{
    static const char *const half[] = {"HTTP/1.1 200 close\r\nContent-", NULL};
    struct asker asker;
    uint64_t begun_ns = uv_hrtime();
    assert_int_equal(ask_fake(&asker, half, 1, SIZE_MAX), UV_EOF);
    assert_in_range(asker.client.asked_ns, begun_ns, uv_hrtime());
}

TEST(a_client_dials_again_when_the_server_closes)
{
    static const char *const answers[] = {OK_LENGTH "1\r\nConnection: close\r\n\r\na",
                                          OK_LENGTH "1\r\nConnection: close\r\n\r\nb", NULL};
    struct asker asker;
    assert_int_equal(ask_fake(&asker, answers, 2, SIZE_MAX), 0);
    assert_string_equal(asker.last, "200 b");
    assert_int_equal(fake.connections, 2);
}

TEST(what_is_no_answer_is_refused)
{
    static const char *const wrong[] = {
        "hello\r\n\r\n",
        "HTTP/1.1 2x0 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
        OK_CHUNKED "\r\n\r\n",
        OK_CHUNKED "-1\r\n\r\n",
        OK_CHUNKED "0\n\n\r\n",
        OK_CHUNKED "g\r\n\r\n",
        OK_CHUNKED "000000001\r\na\r\n0\r\n\r\n",
        OK_CHUNKED "1\r\nab\r\n0\r\n\r\n",
        OK_CHUNKED "1\r\na\r\n0\r\n\r\n!",
        OK_CHUNKED "0\r\nA: b\r\n\r\n",
        OK_CHUNKED "ffffffff\r\n" LONG,
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n",
        OK_LENGTH "\r\n\r\n",
        OK_LENGTH "-1\r\n\r\n",
        OK_LENGTH "1x\r\n\r\na",
        OK_LENGTH "1\r\n\r\nab",
        OK_LENGTH "257\r\n\r\n",
        OK_LENGTH "250\r\n\r\n",
        OK_LENGTH "18446744073709551617\r\n\r\na",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const char *const answers[] = {wrong[i], "", NULL};
        struct asker asker;
        int status = ask_fake(&asker, answers, 1, SIZE_MAX);
        if (status != WEFT_EHTTP)
            fail_msg("%s: %s", wrong[i], weft_strerror(status));
        assert_int_equal(asker.answers, 0);
    }
}

TEST(a_head_that_does_not_fit_is_refused)
{
    char head[512];
    const char *const answers[] = {head, NULL};
    struct asker asker;
    memset(head, 'x', sizeof head - 1);
    head[sizeof head - 1] = '\0';
    assert_int_equal(ask_fake(&asker, answers, 1, SIZE_MAX), WEFT_EHTTP);
}

TEST(a_server_that_hangs_up_is_an_end_of_file)
{
    static const char *const nothing[] = {"", NULL};
    static const char *const half[] = {"HTTP/1.1 200 close\r\nContent-", NULL};
    struct asker asker;
    assert_int_equal(ask_fake(&asker, nothing, 1, SIZE_MAX), UV_EOF);
    assert_int_equal(ask_fake(&asker, half, 1, SIZE_MAX), UV_EOF);
    assert_int_equal(asker.answers, 0);
}

TEST(a_server_that_is_not_there_is_told)
{
    struct world w;
    struct asker asker;
    struct weft_listen listen = {0};
    struct weft_address address;
    world_up(&w);
    weft_address_parse(&address, "127.0.0.1:0");
    weft_listen(weft_root(&w.loop), &listen, &address, NULL);
    weft_listen_close(&listen); /* nobody gets this port so soon */
    ask_at(&w, &asker, &listen.address, 1);
    world_down(&w);
    assert_int_equal(seen.status, UV_ECONNREFUSED);
}

TEST(a_client_that_is_cancelled_before_its_turn_ends)
{
    struct world w;
    struct asker asker;
    struct weft_address nobody;
    world_up_sim(&w, 0);
    weft_address_parse(&nobody, "127.0.0.1:1");
    asker = (struct asker){.client = {.server = &nobody, .delay_ms = 3600000}};
    bench_client(weft_root(&w.loop), &asker.client, noted);
    weft_cancel(&asker.client.op, UV_ECANCELED);
    world_down(&w);
    assert_int_equal(seen.status, UV_ECANCELED);
}
