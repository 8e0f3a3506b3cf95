/* Bodies as streams: a consumer that pauses, a source that comes by and by.
 * ctest: labels=valgrind-long timeout=120 also=WEFT_TEST_NO_DIRECT */
#include "outside.h"

static struct scene scene;

enum { LARGE = 8 * 1024 * 1024 };

static struct weft_write writing;
static char *large;

static unsigned char pattern(size_t at)
{
    return (unsigned char)(at * 31 + (at >> 8) * 17 + (at >> 16));
}

static void say_large(struct peer *peer)
{
    char head[100];
    snprintf(head, sizeof head, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", LARGE);
    say_text(peer, head);
    weft_write(&peer->server->op, &writing, &peer->stream, large, LARGE, nothing);
}

static void large_up(void)
{
    large = malloc(LARGE);
    assert_non_null(large);
    for (size_t i = 0; i < LARGE; i++)
        large[i] = (char)pattern(i);
    memset(&writing, 0, sizeof writing);
    scene_up(&scene, say_large);
}

static void large_down(void)
{
    scene_down(&scene);
    free(large);
}

/* ---- a consumer that pauses ----------------------------------------------------------------- */

static size_t taken, most;
static unsigned pauses;
static bool open_gate;

static int take_in_bits(struct weft_http_fetch *fetch, const char *data, size_t size)
{
    (void)fetch;
    if (!open_gate) {
        pauses++;
        return WEFT_FETCH_PAUSE;
    }
    for (size_t i = 0; i < size; i++)
        assert_int_equal((unsigned char)data[i], pattern(taken + i));
    taken += size;
    most = size > most ? size : most;
    open_gate = false;
    return WEFT_FETCH_TAKEN;
}

TEST(a_paused_consumer_stops_the_server)
{
    struct weft_http_fetch fetch = {.on_body = take_in_bits};
    taken = most = pauses = 0;
    open_gate = false;
    large_up();
    get(&scene, &fetch, "/");
    await_that(&scene.w, pauses == 1);
    size_t before;
    do { /* the kernel's buffers fill up */
        before = writing.written;
        look_around(&scene.w);
    } while (writing.written != before);
    assert_false(over(&writing.op));
    assert_int_equal(pauses, 1);
    assert_true(writing.written < LARGE);
    while (!over(&fetch.op)) {
        open_gate = true;
        weft_http_fetch_resume(&fetch);
        weft_http_fetch_resume(&fetch);
        unsigned then = pauses;
        await_that(&scene.w, pauses > then || over(&fetch.op) || !open_gate);
        if (!over(&fetch.op) && pauses == then)
            await_that(&scene.w, pauses > then || over(&fetch.op));
    }
    assert_int_equal(fetch.op.status, 0);
    assert_int_equal(taken, LARGE);
    assert_int_equal(fetch.received, LARGE);
    assert_true(most <= 64 * 1024);
    assert_null(fetch.body);
    weft_http_fetch_free(&fetch);
    large_down();
}

static int take_all(struct weft_http_fetch *fetch, const char *data, size_t size)
{
    (void)fetch;
    (void)data;
    taken += size;
    return WEFT_FETCH_TAKEN;
}

TEST(a_stream_has_no_limit_unless_it_is_set)
{
    struct weft_http_fetch fetch = {.on_body = take_all};
    taken = 0;
    large_up();
    scene.client.body_max = 10;
    get_and_wait(&scene, &fetch, "/");
    assert_int_equal(fetch.op.status, 0);
    assert_int_equal(taken, LARGE);
    weft_http_fetch_free(&fetch);
    fetch.body_max = LARGE / 2;
    taken = 0;
    get_and_wait(&scene, &fetch, "/");
    failed_with(&fetch, UV_EFBIG, WEFT_FETCH_FAILED_SIZE, WEFT_FETCH_LARGE_BODY, "too large");
    assert_true(taken <= LARGE / 2);
    weft_http_fetch_free(&fetch);
    large_down();
}

TEST(a_paused_fetch_alone_does_not_keep_the_loop_alive)
{
    /* curl keeps its timer for connecting a while longer than it needs it. */
    struct weft_http_fetch fetch = {.on_body = take_in_bits, .connect_ms = 100};
    open_gate = false;
    pauses = 0;
    large_up();
    scene.w.loop.stuck_to = NULL;
    get(&scene, &fetch, "/");
    await_that(&scene.w, pauses == 1);
    while (!over(&writing.op) && writing.written == 0)
        look_around(&scene.w);
    weft_cancel(&scene.server.op, UV_ECANCELED);
    assert_int_equal(weft_loop_run(&scene.w.loop), WEFT_ESTUCK);
    assert_false(over(&fetch.op));
    weft_cancel(&fetch.op, UV_ECANCELED);
    await(&scene.w, &fetch.op);
    weft_http_fetch_free(&fetch);
    large_down();
}

static int resume_and_pause(struct weft_http_fetch *fetch, const char *data, size_t size)
{
    (void)data;
    (void)size;
    if (++pauses == 100)
        return WEFT_FETCH_TAKEN;
    weft_http_fetch_resume(fetch); /* before it is paused */
    return WEFT_FETCH_PAUSE;
}

static void hello(struct peer *peer)
{
    answer(peer, "hello");
}

TEST(a_resume_may_come_before_the_pause)
{
    struct weft_http_fetch fetch = {.on_body = resume_and_pause};
    pauses = 0;
    scene_up(&scene, hello);
    get_and_wait(&scene, &fetch, "/");
    assert_int_equal(fetch.op.status, 0);
    assert_int_equal(pauses, 100);
    weft_http_fetch_resume(&fetch); /* too late: no effect */
    weft_http_fetch_free(&fetch);
    scene_down(&scene);
}

TEST(a_resume_of_what_is_not_paused_has_no_effect)
{
    struct weft_http_fetch fetch = {0};
    weft_http_fetch_resume(&fetch);
    scene_up(&scene, hello);
    get(&scene, &fetch, "/");
    weft_http_fetch_resume(&fetch);
    await(&scene.w, &fetch.op);
    assert_string_equal(fetch.body, "hello");
    weft_http_fetch_free(&fetch);
    scene_down(&scene);
}

/* ---- the head ------------------------------------------------------------------------------- */

static int look_at_head(struct weft_http_fetch *fetch)
{
    assert_int_equal(fetch->status, 200);
    text_is(weft_http_fetch_get(fetch, "Content-Length"), "5");
    assert_int_equal(fetch->received, 0);
    seen.begun++;
    return 0;
}

TEST(the_head_is_told_before_the_body)
{
    struct weft_http_fetch fetch = {.on_head = look_at_head};
    scene_up(&scene, hello);
    get_and_wait(&scene, &fetch, "/");
    assert_int_equal(fetch.op.status, 0);
    assert_int_equal(seen.begun, 1);
    assert_string_equal(fetch.body, "hello");
    char *body = weft_http_fetch_take_body(&fetch);
    assert_null(fetch.body);
    weft_http_fetch_free(&fetch);
    assert_string_equal(body, "hello");
    weft_free(body);
    scene_down(&scene);
}

/* ---- uploads -------------------------------------------------------------------------------- */

static size_t given, to_give;
static unsigned laters;
static bool stutter;

static ssize_t give(struct weft_http_fetch *fetch, char *buffer, size_t capacity)
{
    size_t size = to_give - given;
    if (stutter && laters % 2 == 0) {
        laters++;
        weft_http_fetch_resume(fetch);
        return WEFT_FETCH_LATER;
    }
    laters++;
    if (size > capacity)
        size = capacity;
    if (stutter && size > 3)
        size = 3;
    for (size_t i = 0; i < size; i++)
        buffer[i] = (char)('a' + (given + i) % 26);
    given += size;
    return (ssize_t)size;
}

static void echo(struct peer *peer)
{
    answer(peer, "%s", peer->request);
}

static void upload(bool known, bool slowly, const char *part)
{
    struct weft_http_fetch fetch = {.pull = give, .pull_size = known ? 30 : 0, .method = "PUT"};
    given = laters = 0;
    to_give = 30;
    stutter = slowly;
    scene_up(&scene, echo);
    get_and_wait(&scene, &fetch, "/");
    assert_int_equal(fetch.op.status, 0);
    if (strstr(fetch.body, part) == NULL)
        fail_msg("no \"%s\" in %s", part, fetch.body);
    assert_true(known ? fetch.wire_sent == 30 : fetch.wire_sent > 30);
    weft_http_fetch_free(&fetch);
    scene_down(&scene);
}

TEST(a_body_of_known_size_is_pulled)
{
    upload(true, false, "Content-Length: 30\r\n\r\nabcdefghijklmnopqrstuvwxyzabcd");
    upload(true, true, "\r\n\r\nabcdefghijklmnopqrstuvwxyzabcd");
}

TEST(a_body_of_unknown_size_goes_in_chunks)
{
    upload(false, false, "1e\r\nabcdefghijklmnopqrstuvwxyzabcd\r\n0\r\n\r\n");
    upload(false, true, "3\r\nabc\r\n3\r\ndef\r\n");
}

static void deaf_ear(struct peer *peer)
{
    peer->server->deaf = true;
}

TEST(an_upload_waits_for_a_server_that_does_not_read)
{
    struct weft_http_fetch fetch = {.pull = give, .pull_size = 64 * 1024 * 1024, .method = "PUT"};
    given = laters = 0;
    to_give = 64 * 1024 * 1024;
    stutter = false;
    scene_up(&scene, deaf_ear);
    scene.server.heads = true;
    get(&scene, &fetch, "/");
    await_that(&scene.w, scene.server.requests == 1);
    size_t before;
    do {
        before = given;
        for (int i = 0; i < 20; i++)
            look_around(&scene.w);
    } while (given != before);
    assert_true(given < to_give);
    weft_cancel(&fetch.op, UV_ECANCELED);
    await(&scene.w, &fetch.op);
    weft_http_fetch_free(&fetch);
    scene_down(&scene);
}

static void refuse_and_retry(struct peer *peer)
{
    if (peer->requests == 2)
        hang_up(peer); /* a kept connection that breaks with the next request */
    else
        answer(peer, "%s", body_of(peer));
}

TEST(a_body_from_memory_survives_a_stale_connection)
{
    struct weft_http_fetch fetch = {.data = "body", .data_size = 4};
    scene_up(&scene, refuse_and_retry);
    for (int i = 0; i < 2; i++) {
        get_and_wait(&scene, &fetch, "/");
        assert_int_equal(fetch.op.status, 0);
        assert_string_equal(fetch.body, "body");
        weft_http_fetch_free(&fetch);
    }
    assert_int_equal(scene.server.connections, 2);
    scene_down(&scene);
}

/* ---- 100-continue --------------------------------------------------------------------------- */

static void go_ahead(struct peer *peer)
{
    if (strstr(peer->request, "Expect: 100-continue") != NULL) {
        peer->server->heads = false;
        say_text(peer, "HTTP/1.1 100 Continue\r\n\r\n");
        peer->server->raw = true;
        return;
    }
    if (strchr(peer->request, 'z') != NULL)
        answer(peer, "thanks");
}

TEST(the_server_may_be_asked_before_a_body_is_sent)
{
    static const char *const fields[] = {"Expect: 100-continue"};
    struct weft_http_fetch fetch = {
        .data = "body z", .data_size = 6, .fields = fields, .fields_count = 1};
    scene_up(&scene, go_ahead);
    scene.server.heads = true;
    get_and_wait(&scene, &fetch, "/");
    assert_int_equal(fetch.op.status, 0);
    assert_int_equal(fetch.status, 200);
    assert_string_equal(fetch.body, "thanks");
    weft_http_fetch_free(&fetch);
    scene_down(&scene);
}

static unsigned heads;

static int count_head(struct weft_http_fetch *fetch)
{
    heads++;
    assert_int_equal(fetch->status, 200);
    return 0;
}

static void ask_for_digest(struct peer *peer)
{
    if (strstr(peer->request, "Authorization: Digest username=\"me\"") != NULL)
        answer(peer, "welcome");
    else
        say_text(peer, "HTTP/1.1 401 Who\r\nWWW-Authenticate: Digest realm=\"r\", nonce=\"n\", "
                       "qop=\"auth\"\r\nContent-Length: 4\r\n\r\nwho?");
}

TEST(digest_answers_the_question_and_only_the_last_answer_counts)
{
    struct weft_http_fetch fetch = {
        .user = "me", .password = "secret", .auth = WEFT_FETCH_AUTH_DIGEST, .on_head = count_head};
    heads = 0;
    scene_up(&scene, ask_for_digest);
    get_and_wait(&scene, &fetch, "/");
    assert_int_equal(fetch.op.status, 0);
    assert_int_equal(fetch.status, 200);
    assert_string_equal(fetch.body, "welcome");
    assert_int_equal(heads, 1);
    weft_http_fetch_free(&fetch);
    scene_down(&scene);
}

static bool closes;

static void never_content(struct peer *peer)
{
    char text[300];
    snprintf(text, sizeof text,
             "HTTP/1.1 401 Who\r\nWWW-Authenticate: Digest realm=\"r\", nonce=\"n\", stale=true, "
             "qop=\"auth\"\r\nContent-Length: 4\r\n%s\r\nwho?",
             closes ? "Connection: close\r\n" : "");
    say_text(peer, text);
}

static ssize_t give_one(struct weft_http_fetch *fetch, char *buffer, size_t capacity)
{
    (void)fetch;
    assert_true(capacity >= 1);
    buffer[0] = 'x';
    return 1;
}

static bool start_again(struct weft_http_fetch *fetch)
{
    (void)fetch;
    return true;
}

static int count_refusal(struct weft_http_fetch *fetch)
{
    assert_int_equal(fetch->status, 401);
    heads++;
    return 0;
}

static void asks_in_vain(struct weft_http_fetch fetch)
{
    fetch.user = "me";
    fetch.password = "secret";
    fetch.auth = WEFT_FETCH_AUTH_DIGEST;
    fetch.on_head = count_refusal;
    heads = 0;
    scene_up(&scene, never_content);
    get_and_wait(&scene, &fetch, "/");
    assert_int_equal(fetch.op.status, 0);
    assert_int_equal(fetch.failure, WEFT_FETCH_NO_FAILURE);
    assert_int_equal(fetch.status, 401);
    assert_non_null(fetch.body);
    assert_int_equal(heads, 1);
    assert_int_equal(scene.server.requests, 3);
    assert_int_equal(scene.client.connections, closes ? 3 : 1);
    weft_http_fetch_free(&fetch);
    scene_down(&scene);
}

TEST(a_server_that_only_asks_again_is_answered_twice)
{
    closes = false;
    asks_in_vain((struct weft_http_fetch){0});
    asks_in_vain((struct weft_http_fetch){.data = "body", .data_size = 4});
    asks_in_vain((struct weft_http_fetch){.pull = give_one, .pull_size = 1, .rewind = start_again});
    closes = true;
    asks_in_vain((struct weft_http_fetch){0});
}

static void content_with_nobody(struct peer *peer)
{
    static const char *const stale[] = {"false", "true", "false"};
    char text[300];
    snprintf(text, sizeof text,
             "HTTP/1.1 401 Who\r\nWWW-Authenticate: Digest realm=\"r\", nonce=\"n\", stale=%s, "
             "qop=\"auth\"\r\nContent-Length: 4\r\n\r\nwho?",
             stale[scene.server.requests - 1]);
    say_text(peer, text);
}

TEST(a_refusal_after_a_stale_question_has_its_body)
{
    struct weft_http_fetch fetch = {.user = "me",
                                    .password = "secret",
                                    .auth = WEFT_FETCH_AUTH_DIGEST,
                                    .on_head = count_refusal};
    heads = 0;
    scene_up(&scene, content_with_nobody);
    get_and_wait(&scene, &fetch, "/");
    assert_int_equal(fetch.op.status, 0);
    assert_int_equal(fetch.status, 401);
    assert_string_equal(fetch.body, "who?");
    assert_int_equal(heads, 1);
    assert_int_equal(scene.server.requests, 3);
    weft_http_fetch_free(&fetch);
    scene_down(&scene);
}
