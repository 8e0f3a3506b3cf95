/* Servers that are none, in virtual time: garbage, silence, replies that are too large or cut short. None
 * of them harms more than the commands it was given, and the client comes back to the next one.
 * ctest: labels=valgrind */
#include "fake_redis.h"
#include "redis_kit.h"

static struct scene {
    struct world w;
    struct fake fake;
    struct weft_redis redis;
    struct weft_redis_command command, other;
    const char *bad; /* what is said to the command BAD, once */
    size_t bad_size;
    bool hang_up, once;
    struct fake_peer *spoilt; /* who has heard it, and hears nothing more */
} s;

static void odd(struct fake_peer *peer, const redisReply *command)
{
    if (!fake_asked(command, "BAD") || s.once) {
        if (peer != s.spoilt)
            fake_good(peer, command);
        return;
    }
    s.once = true;
    s.spoilt = peer;
    if (s.bad != NULL)
        fake_say(peer, s.bad, s.bad_size);
    if (s.hang_up)
        weft_stream_close(&peer->stream);
}

static void scene_up(void)
{
    memset(&s, 0, sizeof s);
    world_up_sim(&s.w, 0);
    fake_up(&s.w.loop, &s.fake, odd);
    s.redis.url = s.fake.url;
}

static void start(void)
{
    weft_redis(weft_root(&s.w.loop), &s.redis, noted);
}

static void scene_down(void)
{
    weft_redis_close(&s.redis);
    fake_down(&s.fake);
    weft_redis_command_free(&s.command);
    weft_redis_command_free(&s.other);
    world_down(&s.w);
}

/* BAD and a good command behind it fail with status; then all is well again. */
static void harms_once(const char *bad, size_t size, bool hang_up, int status)
{
    scene_up();
    s.redis.reply_max = 4096;
    s.bad = bad;
    s.bad_size = size;
    s.hang_up = hang_up;
    start();
    until(&s.w, s.redis.connected);
    ask(weft_root(&s.w.loop), &s.command, &s.redis, "BAD", weft_ignore);
    ask(weft_root(&s.w.loop), &s.other, &s.redis, "GOOD", weft_ignore);
    until(&s.w, is_over(&s.command.op) && is_over(&s.other.op));
    if (s.command.op.status != status)
        fail_msg("%s: %s", s.redis.why, weft_error_name(s.command.op.status));
    assert_null(s.command.reply);
    assert_int_equal(s.redis.failures, 1);
    assert_int_equal(s.redis.status, status);
    assert_true(strlen(s.redis.why) > 0);
    s.spoilt = NULL;
    until(&s.w, s.redis.connected);
    assert_int_equal(ask_and_wait(&s.w, &s.command, &s.redis, "GOOD"), 0);
    text_is(s.command.reply->text, "OK");
    scene_down();
}

#define HARMS(text, hang_up, status) harms_once(text, sizeof(text) - 1, hang_up, status)

TEST(what_is_no_reply_ends_the_connection)
{
    HARMS("HTTP/1.1 400 Bad Request\r\n\r\n", false, UV_EPROTO);
    HARMS("\0\1\2\3\377\r\n", false, UV_EPROTO);
    HARMS("$x\r\n", false, UV_EPROTO);
    HARMS("$-2\r\n", false, UV_EPROTO);
    HARMS("*-2\r\n", false, UV_EPROTO);
    HARMS(":12x4\r\n", false, UV_EPROTO);
    HARMS("*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n", false, UV_EPROTO);
    HARMS("%1\r\n+a\r\n+b\r\n", false, UV_EPROTO);
}

TEST(a_reply_that_is_too_large_ends_the_connection)
{
    static char line[8192] = "+";
    memset(line + 1, 'x', sizeof line - 2);
    HARMS("*1000000\r\n", false, UV_EFBIG);
    HARMS("*2147483647\r\n", false, UV_EFBIG);
    HARMS("*2\r\n*40\r\n", false, UV_ETIMEDOUT); /* it fits, but never comes */
    HARMS("*3\r\n*30\r\n", false, UV_ETIMEDOUT);
    harms_once(line, sizeof line, false, UV_EFBIG);
    memcpy(line, "$8000\r\n", 7);
    harms_once(line, sizeof line, false, UV_EFBIG);
    memcpy(line, "*2\r\n$3000\r\n", 11);
    memcpy(line + 11 + 3000, "\r\n$3000\r\n", 9);
    harms_once(line, sizeof line, false, UV_EFBIG);
}

TEST(half_a_reply_and_then_the_end_is_a_lost_connection)
{
    HARMS("$10\r\nabc", true, UV_ECONNRESET);
    HARMS("*2\r\n:1\r\n", true, UV_ECONNRESET);
    HARMS("", true, UV_ECONNRESET);
}

TEST(a_reply_that_never_comes_ends_the_connection)
{
    harms_once(NULL, 0, false, UV_ETIMEDOUT);
    HARMS("$10\r\nabc", false, UV_ETIMEDOUT);
}

TEST(a_reply_that_nobody_asked_for_ends_the_connection)
{
    scene_up();
    s.bad = "+OK\r\n+surprise\r\n";
    s.bad_size = strlen(s.bad);
    start();
    until(&s.w, s.redis.connected);
    assert_int_equal(ask_and_wait(&s.w, &s.command, &s.redis, "BAD"), 0);
    until(&s.w, s.redis.failures == 1);
    assert_int_equal(s.redis.status, UV_EPROTO);
    s.spoilt = NULL;
    until(&s.w, s.redis.connected);
    scene_down();
}

TEST(a_server_that_greets_with_an_error_says_why)
{
    scene_up();
    s.fake.hello = "-ERR max number of clients reached\r\n";
    start();
    until(&s.w, s.redis.failures == 2);
    assert_int_equal(s.redis.status, WEFT_ESTATUS);
    assert_string_equal(s.redis.why, "ERR max number of clients reached");
    s.fake.hello = NULL;
    until(&s.w, s.redis.connected);
    scene_down();
}

/* That would say something of the answer to a command that was never sent. */
TEST(a_command_that_waited_in_vain_for_such_a_server_is_not_told_of_a_reply)
{
    scene_up();
    s.fake.hello = "-ERR max number of clients reached\r\n";
    start();
    s.command.wait = true;
    ask(weft_root(&s.w.loop), &s.other, &s.redis, "PING", weft_ignore);
    assert_int_equal(ask_and_wait(&s.w, &s.command, &s.redis, "PING"), UV_ENOTCONN);
    assert_int_equal(s.other.op.status, UV_ENOTCONN);
    assert_null(s.other.reply);
    assert_int_equal(s.redis.status, WEFT_ESTATUS);
    scene_down();
}

TEST(a_command_waits_for_the_first_connection_no_longer_than_its_time)
{
    scene_up();
    s.fake.mute = true;
    start();
    uint64_t since = weft_now(&s.w.loop);
    assert_int_equal(ask_and_wait(&s.w, &s.command, &s.redis, "PING"), UV_ETIMEDOUT);
    assert_int_equal(weft_now(&s.w.loop) - since, WEFT_REDIS_COMMAND_MS);
    assert_int_equal(s.redis.failures, 0); /* nothing is decided yet */
    scene_down();
}

TEST(a_server_that_answers_nothing_is_never_a_connection)
{
    scene_up();
    s.fake.mute = true;
    s.redis.connect_ms = 300;
    start();
    uint64_t since = weft_now(&s.w.loop);
    s.command.wait = true;
    assert_int_equal(ask_and_wait(&s.w, &s.command, &s.redis, "PING"), UV_ETIMEDOUT);
    assert_int_equal(weft_now(&s.w.loop) - since, WEFT_REDIS_COMMAND_MS);
    assert_false(s.redis.connected);
    assert_int_equal(s.redis.status, UV_ETIMEDOUT);
    assert_int_equal(s.redis.connects, 0);
    scene_down();
}

TEST(pauses_between_attempts_double_up_to_their_most)
{
    uint64_t before = 0, pause = 0, most = 0;
    scene_up();
    s.fake.hello = "-ERR no\r\n";
    start();
    for (uint64_t i = 1; i <= 12; i++) {
        until(&s.w, s.redis.failures == i);
        pause = weft_now(&s.w.loop) - before;
        before = weft_now(&s.w.loop);
        uint64_t full = i == 1 ? 0 : i < 8 ? (uint64_t)100 << (i - 2) : 5000;
        if (pause < full / 2 || pause > full + 1)
            fail_msg("pause %d is %d ms", (int)i, (int)pause);
        most = pause > most ? pause : most;
    }
    assert_true(most > 2500);
    scene_down();
}

TEST(what_is_on_its_way_when_it_ends_is_let_go)
{
    for (int steps = 0; steps < 60; steps++) {
        scene_up();
        s.command.wait = true;
        start();
        ask(weft_root(&s.w.loop), &s.command, &s.redis, "GOOD", noted);
        for (int i = 0; i < steps && !is_over(&s.command.op); i++)
            weft_sim_step(&s.w.sim);
        weft_redis_close(&s.redis);
        until(&s.w, is_over(&s.command.op) && is_over(&s.redis.op));
        assert_true(s.command.op.status == 0 || s.command.op.status == UV_ECANCELED);
        assert_int_equal(s.redis.op.status, 0);
        scene_down();
    }
}
