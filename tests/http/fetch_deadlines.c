/* Deadlines, each one of them. On a virtual clock: nothing here takes time.
 * ctest: labels=valgrind-long timeout=120 also=WEFT_TEST_NO_DIRECT */
#include "outside.h"

static struct scene scene;

static void silence(struct peer *peer)
{
    (void)peer;
}

static void late(struct weft_http_fetch *fetch, enum weft_http_fetch_detail detail, uint64_t ms,
                 const char *words)
{
    uint64_t before = weft_now(&scene.w.loop);
    await(&scene.w, &fetch->op);
    failed_with(fetch, UV_ETIMEDOUT, WEFT_FETCH_FAILED_TIMEOUT, detail, words);
    assert_int_equal(weft_now(&scene.w.loop) - before, ms);
    weft_http_fetch_free(fetch);
    scene_down(&scene);
}

TEST(an_answer_has_to_begin_in_time)
{
    struct weft_http_fetch fetch = {.first_byte_ms = 700};
    scene_up_sim(&scene, silence);
    get(&scene, &fetch, "/");
    late(&fetch, WEFT_FETCH_LATE_FIRST_BYTE, 700, "no answer of 127.0.0.1");
}

TEST(the_client_has_a_deadline_for_the_first_byte)
{
    struct weft_http_fetch fetch = {0};
    scene_up_sim(&scene, silence);
    get(&scene, &fetch, "/");
    late(&fetch, WEFT_FETCH_LATE_FIRST_BYTE, WEFT_FETCH_FIRST_BYTE_MS, "gave up after");
    scene_up_sim(&scene, silence);
    scene.client.first_byte_ms = 5;
    get(&scene, &fetch, "/");
    late(&fetch, WEFT_FETCH_LATE_FIRST_BYTE, 5, "gave up after");
}

static void hint_only(struct peer *peer)
{
    say_text(peer, "HTTP/1.1 103 Early Hints\r\n\r\n");
}

TEST(a_hint_is_no_answer)
{
    struct weft_http_fetch fetch = {.first_byte_ms = 700};
    scene_up_sim(&scene, hint_only);
    get(&scene, &fetch, "/");
    late(&fetch, WEFT_FETCH_LATE_FIRST_BYTE, 700, "no answer of 127.0.0.1");
}

static void half(struct peer *peer)
{
    say_text(peer, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
}

TEST(the_whole_has_a_deadline)
{
    struct weft_http_fetch fetch = {.first_byte_ms = 10, .total_ms = 5000};
    scene_up_sim(&scene, half);
    get(&scene, &fetch, "/");
    late(&fetch, WEFT_FETCH_LATE_TOTAL, 5000, "was not done");
}

TEST(the_time_in_line_counts)
{
    struct weft_http_fetch first = {.first_byte_ms = WEFT_FETCH_NEVER}, fetch = {.total_ms = 100};
    scene_up_sim(&scene, silence);
    scene.client.max_handles = 1;
    get(&scene, &first, "/");
    get(&scene, &fetch, "/");
    late(&fetch, WEFT_FETCH_LATE_TOTAL, 100, "was not done");
    weft_http_fetch_free(&first);
}

/* ---- connecting ----------------------------------------------------------------------------- */

static void resolve_never(struct weft_op *op)
{
    wait_for_cancel(op);
}

TEST(a_lookup_has_to_end_in_time)
{
    struct weft_http_fetch fetch = {.connect_ms = 300};
    scene_up_sim(&scene, silence);
    scene.client.resolve = resolve_never;
    weft_http_fetch(scene_root(&scene), &fetch, &scene.client, url_at(scene.server.named, "/"),
                    noted);
    late(&fetch, WEFT_FETCH_LATE_CONNECT, 300, "no connection to server.test");
}

TEST(a_connection_has_to_be_made_in_time)
{
    struct weft_http_fetch fetch = {.connect_ms = 40};
    struct sockaddr_in name;
    int fill[4];
    char url[URL_MAX];
    int fd = full_listener(&name, fill);
    scene_up_sim(&scene, silence);
    snprintf(url, sizeof url, "http://127.0.0.1:%u/", ntohs(name.sin_port));
    weft_http_fetch(scene_root(&scene), &fetch, &scene.client, url, noted);
    late(&fetch, WEFT_FETCH_LATE_CONNECT, 40, "no connection to 127.0.0.1");
    close(fd);
    for (int i = 0; i < 4; i++)
        close(fill[i]);
}

/* ---- the rate ------------------------------------------------------------------------------- */

static struct weft_ticker dripper;
static struct peer *dripping;
static size_t each;

static void drip(struct weft_op *op)
{
    char bytes[1024] = {0};
    (void)op;
    say(dripping, bytes, each);
}

static void drip_on(struct peer *peer)
{
    say_text(peer, "HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n");
    dripping = peer;
    weft_ticker(&peer->server->op, &dripper, 100, drip, nothing);
}

TEST(a_rate_that_is_too_low_ends_it)
{
    struct weft_http_fetch fetch = {.rate_min = 200, .rate_s = 2};
    memset(&dripper, 0, sizeof dripper);
    each = 10; /* 100 a second */
    scene_up_sim(&scene, drip_on);
    get(&scene, &fetch, "/");
    late(&fetch, WEFT_FETCH_LATE_RATE, 2000, "too slow");
}

TEST(a_rate_that_is_enough_does_not)
{
    struct weft_http_fetch fetch = {.rate_min = 200, .rate_s = 2};
    memset(&dripper, 0, sizeof dripper);
    each = 100; /* 1000 a second */
    scene_up_sim(&scene, drip_on);
    get_and_wait(&scene, &fetch, "/");
    assert_int_equal(fetch.op.status, 0);
    assert_int_equal(fetch.body_size, 10000);
    assert_true(weft_now(&scene.w.loop) >= 9000);
    weft_http_fetch_free(&fetch);
    scene_down(&scene);
}

static int pause_it(struct weft_http_fetch *fetch, const char *data, size_t size)
{
    (void)fetch;
    (void)data;
    (void)size;
    return WEFT_FETCH_PAUSE;
}

TEST(a_pause_of_our_own_is_no_slowness)
{
    struct weft_http_fetch fetch = {
        .rate_min = 200, .rate_s = 2, .on_body = pause_it, .total_ms = 60000};
    scene_up_sim(&scene, half);
    get(&scene, &fetch, "/");
    late(&fetch, WEFT_FETCH_LATE_TOTAL, 60000, "was not done");
}

static struct weft_sleep thought;
static struct peer *thinking;

static void say_at_last(struct weft_op *op, struct weft_op *child)
{
    (void)op, (void)child;
    answer(thinking, "after all");
}

static void think(struct peer *peer)
{
    thinking = peer;
    weft_sleep(&peer->server->op, &thought, 9000, say_at_last);
}

TEST(a_server_that_thinks_is_not_slow)
{
    struct weft_http_fetch fetch = {.rate_min = 200, .rate_s = 2, .first_byte_ms = 10000};
    memset(&thought, 0, sizeof thought);
    scene_up_sim(&scene, think);
    get_and_wait(&scene, &fetch, "/");
    assert_int_equal(fetch.op.status, 0);
    assert_string_equal(fetch.body, "after all");
    weft_http_fetch_free(&fetch);
    scene_down(&scene);
}

static void drip_lines(struct weft_op *op)
{
    (void)op;
    say_text(dripping, "X-More: a\r\n");
}

static void drip_head(struct peer *peer)
{
    say_text(peer, "HTTP/1.1 200 OK\r\n");
    dripping = peer;
    weft_ticker(&peer->server->op, &dripper, 500, drip_lines, nothing);
}

TEST(a_head_that_comes_drop_by_drop_is)
{
    struct weft_http_fetch fetch = {.rate_min = 200, .rate_s = 2};
    memset(&dripper, 0, sizeof dripper);
    scene_up_sim(&scene, drip_head);
    get(&scene, &fetch, "/");
    late(&fetch, WEFT_FETCH_LATE_RATE, 2000, "too slow");
}

/* ---- uploads -------------------------------------------------------------------------------- */

static struct weft_sleep nap;
static unsigned given;

static void go_on(struct weft_op *root, struct weft_op *op)
{
    (void)root;
    (void)op;
    weft_http_fetch_resume((struct weft_http_fetch *)seen.op);
}

static ssize_t slowly(struct weft_http_fetch *fetch, char *buffer, size_t capacity)
{
    (void)capacity;
    seen.op = &fetch->op;
    if (over(&nap.op) && given++ % 2 == 0) {
        weft_sleep(scene_root(&scene), &nap, 500, go_on);
        return WEFT_FETCH_LATER;
    }
    buffer[0] = 'x';
    return 1;
}

TEST(an_upload_that_goes_on_is_waited_for)
{
    struct weft_http_fetch fetch = {
        .first_byte_ms = 800, .pull = slowly, .pull_size = 5, .method = "PUT"};
    memset(&nap, 0, sizeof nap);
    given = 0;
    scene_up_sim(&scene, silence);
    get(&scene, &fetch, "/");
    await(&scene.w, &fetch.op);
    failed_with(&fetch, UV_ETIMEDOUT, WEFT_FETCH_FAILED_TIMEOUT, WEFT_FETCH_LATE_FIRST_BYTE,
                "no answer of");
    assert_true(weft_now(&scene.w.loop) >= 2500);
    assert_int_equal(scene.server.requests, 1);
    weft_http_fetch_free(&fetch);
    scene_down(&scene);
}
