/* The client with a real server: commands, passwords, and a server that goes and comes back.
 * ctest: labels=valgrind */
#include "port.h"
#include "redis_kit.h"
#include <stdlib.h>

static struct scene {
    struct world w;
    struct redis_server server;
    struct weft_redis redis;
    struct weft_redis_command command, others[4];
    unsigned ups, downs;
} s;

static void went_up(struct weft_redis *redis)
{
    assert_true(redis->connected);
    s.ups++;
}

static void went_down(struct weft_redis *redis)
{
    assert_false(redis->connected);
    assert_int_not_equal(redis->status, 0);
    assert_true(strlen(redis->why) > 0);
    s.downs++;
}

/* A client that does not wait long. */
static void client_up(const char *url)
{
    s.redis.url = url;
    s.redis.backoff_ms = 5;
    s.redis.backoff_max_ms = 20;
    s.redis.on_up = went_up;
    s.redis.on_down = went_down;
    weft_redis(weft_root(&s.w.loop), &s.redis, noted);
}

static void scene_up(const char *password)
{
    memset(&s, 0, sizeof s);
    world_up(&s.w);
    redis_server_up(&s.server, password);
}

static void scene_down(void)
{
    weft_redis_close(&s.redis);
    weft_redis_command_free(&s.command);
    for (size_t i = 0; i < 4; i++)
        weft_redis_command_free(&s.others[i]);
    world_down(&s.w);
    assert_int_equal(seen.status, 0);
    redis_server_down(&s.server);
}

static int say(const char *line)
{
    weft_redis_command_free(&s.command);
    return ask_and_wait(&s.w, &s.command, &s.redis, line);
}

TEST(replies_of_every_kind_come_back)
{
    scene_up(NULL);
    client_up(s.server.url);
    until(&s.w, s.redis.connected);
    assert_int_equal(s.redis.connects, 1);
    assert_int_equal(say("SET colour blue"), 0);
    assert_int_equal(s.command.reply->type, WEFT_REDIS_STATUS);
    text_is(s.command.reply->text, "OK");
    assert_int_equal(say("GET colour"), 0);
    assert_int_equal(s.command.reply->type, WEFT_REDIS_STRING);
    text_is(s.command.reply->text, "blue");
    assert_int_equal(say("GET nothing"), 0);
    assert_int_equal(s.command.reply->type, WEFT_REDIS_NIL);
    assert_int_equal(say("INCRBY number -7"), 0);
    assert_int_equal(s.command.reply->type, WEFT_REDIS_INTEGER);
    assert_int_equal(s.command.reply->integer, -7);
    assert_int_equal(say("MGET colour nothing number"), 0);
    assert_int_equal(s.command.reply->type, WEFT_REDIS_ARRAY);
    assert_int_equal(s.command.reply->count, 3);
    text_is(s.command.reply->elements[0].text, "blue");
    assert_int_equal(s.command.reply->elements[1].type, WEFT_REDIS_NIL);
    assert_int_equal(say("KEYS no*"), 0);
    assert_int_equal(s.command.reply->count, 0);
    assert_int_equal(s.redis.commands, 6);
    assert_int_equal(s.redis.errors, 0);
    scene_down();
}

TEST(an_error_reply_is_a_status_and_a_text)
{
    scene_up(NULL);
    client_up(s.server.url);
    until(&s.w, s.redis.connected);
    assert_int_equal(say("NOSUCH thing"), WEFT_ESTATUS);
    assert_int_equal(s.command.reply->type, WEFT_REDIS_ERROR);
    assert_true(weft_text_starts(s.command.reply->text, "ERR unknown command"));
    assert_int_equal(say("PING"), 0);
    assert_int_equal(s.redis.errors, 1);
    assert_int_equal(s.redis.failures, 0);
    scene_down();
}

TEST(any_bytes_go_there_and_back)
{
    scene_up(NULL);
    client_up(s.server.url);
    until(&s.w, s.redis.connected);
    size_t size = 3 * 1024 * 1024;
    char *bytes = malloc(size);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (char)(i * 7 >> (i & 3));
    struct weft_text set[] = {WEFT_REDIS_ARG("SET"), WEFT_REDIS_ARG("a\0b\r\n"), {bytes, size}};
    weft_redis_command(weft_root(&s.w.loop), &s.command, &s.redis, set, 3, weft_ignore);
    struct weft_text get[] = {WEFT_REDIS_ARG("GET"), WEFT_REDIS_ARG("a\0b\r\n")};
    weft_redis_command(weft_root(&s.w.loop), &s.others[0], &s.redis, get, 2, weft_ignore);
    until(&s.w, is_over(&s.others[0].op));
    assert_int_equal(s.others[0].op.status, 0);
    assert_true(weft_text_equal(s.others[0].reply->text, weft_text(bytes, size)));
    free(bytes);
    scene_down();
}

TEST(a_cancelled_command_leaves_its_answer_to_nobody)
{
    scene_up(NULL);
    client_up(s.server.url);
    until(&s.w, s.redis.connected);
    ask(weft_root(&s.w.loop), &s.others[0], &s.redis, "INCR n", weft_ignore);
    ask(weft_root(&s.w.loop), &s.others[1], &s.redis, "INCR n", weft_ignore);
    ask(weft_root(&s.w.loop), &s.others[2], &s.redis, "INCR n", weft_ignore);
    weft_cancel(&s.others[1].op, UV_ECANCELED);
    assert_int_equal(s.redis.running, 3);
    until(&s.w, is_over(&s.others[2].op));
    assert_int_equal(s.others[0].reply->integer, 1);
    assert_int_equal(s.others[1].op.status, UV_ECANCELED);
    assert_null(s.others[1].reply);
    assert_int_equal(s.others[2].reply->integer, 3);
    assert_int_equal(s.redis.running, 0);
    scene_down();
}

TEST(a_password_a_database_and_a_unix_socket)
{
    scene_up("se:cr%et");
    s.redis.password = "se:cr%et";
    s.redis.database = 3;
    client_up(s.server.path_url);
    until(&s.w, s.redis.connected);
    assert_int_equal(say("CLIENT LIST"), 0);
    assert_non_null(strstr(s.command.reply->text.data, " db=3 "));
    scene_down();
}

TEST(a_wrong_password_is_said_clearly_and_tried_again)
{
    char url[128];
    scene_up("right");
    snprintf(url, sizeof url, "redis://:wrong@127.0.0.1:%u", s.server.port);
    client_up(url);
    until(&s.w, s.redis.failures >= 3);
    assert_int_equal(s.redis.status, UV_EACCES);
    assert_non_null(strstr(s.redis.why, "WRONGPASS"));
    assert_false(s.redis.connected);
    assert_int_equal(say("PING"), UV_ENOTCONN);
    redis_server_say(&s.server, "CONFIG SET requirepass wrong");
    until(&s.w, s.redis.connected);
    assert_int_equal(s.redis.status, 0);
    assert_string_equal(s.redis.why, "");
    assert_int_equal(say("PING"), 0);
    scene_down();
}

TEST(no_password_where_one_is_wanted_is_no_connection)
{
    char url[128];
    scene_up("right");
    snprintf(url, sizeof url, "redis://127.0.0.1:%u", s.server.port);
    client_up(url);
    until(&s.w, s.redis.failures >= 1);
    assert_int_equal(s.redis.status, UV_EACCES);
    assert_non_null(strstr(s.redis.why, "NOAUTH"));
    scene_down();
}

TEST(a_database_that_is_not_there_is_no_connection)
{
    char url[160];
    scene_up(NULL);
    snprintf(url, sizeof url, "%s/999", s.server.url);
    client_up(url);
    until(&s.w, s.redis.failures >= 1);
    assert_int_equal(s.redis.status, WEFT_ESTATUS);
    assert_non_null(strstr(s.redis.why, "DB index"));
    scene_down();
}

TEST(a_server_that_is_killed_and_comes_back_is_found_again)
{
    scene_up(NULL);
    client_up(s.server.url);
    until(&s.w, s.redis.connected);
    ask(weft_root(&s.w.loop), &s.others[0], &s.redis, "BLPOP never 0", weft_ignore);
    ask(weft_root(&s.w.loop), &s.others[1], &s.redis, "PING", weft_ignore);
    run_for(&s.w, 5);
    redis_server_down(&s.server);
    until(&s.w, is_over(&s.others[1].op));
    assert_int_equal(s.others[0].op.status, UV_ECONNRESET);
    assert_int_equal(s.others[1].op.status, UV_ECONNRESET);
    assert_int_equal(s.downs, 1);
    assert_int_equal(say("PING"), UV_ENOTCONN);
    until(&s.w, s.redis.failures >= 3);
    assert_int_equal(s.redis.status, UV_ECONNREFUSED);
    /* Those that may wait do, and in their order. */
    s.others[2].wait = s.others[3].wait = true;
    ask(weft_root(&s.w.loop), &s.others[2], &s.redis, "INCR n", weft_ignore);
    ask(weft_root(&s.w.loop), &s.others[3], &s.redis, "INCR n", weft_ignore);
    s.redis.command_ms = 10000;
    redis_server_again(&s.server);
    until(&s.w, is_over(&s.others[3].op));
    assert_int_equal(s.others[2].op.status, 0);
    assert_int_equal(s.others[2].reply->integer, 1);
    assert_int_equal(s.others[3].reply->integer, 2);
    assert_int_equal(s.redis.connects, 2);
    assert_int_equal(s.ups, 2);
    scene_down();
}

TEST(an_answer_that_is_late_takes_the_connection_with_it)
{
    scene_up(NULL);
    s.redis.command_ms = 60;
    client_up(s.server.url);
    until(&s.w, s.redis.connected);
    ask(weft_root(&s.w.loop), &s.others[0], &s.redis, "BLPOP never 0", weft_ignore);
    ask(weft_root(&s.w.loop), &s.others[1], &s.redis, "INCR n", weft_ignore);
    until(&s.w, is_over(&s.others[0].op) && is_over(&s.others[1].op));
    assert_int_equal(s.others[0].op.status, UV_ETIMEDOUT);
    assert_int_equal(s.others[1].op.status, UV_ETIMEDOUT);
    until(&s.w, s.redis.connected);
    assert_int_equal(say("PING"), 0); /* not the answer to INCR */
    text_is(s.command.reply->text, "PONG");
    scene_down();
}

TEST(commands_under_way_are_limited)
{
    scene_up(NULL);
    s.redis.limit = 2;
    client_up(s.server.url);
    until(&s.w, s.redis.connected);
    for (size_t i = 0; i < 3; i++)
        ask(weft_root(&s.w.loop), &s.others[i], &s.redis, "PING", weft_ignore);
    until(&s.w, is_over(&s.others[1].op) && is_over(&s.others[2].op));
    assert_int_equal(s.others[1].op.status, 0);
    assert_int_equal(s.others[2].op.status, UV_ENOBUFS);
    assert_int_equal(say("PING"), 0);
    scene_down();
}

static void end_it(struct weft_redis *redis)
{
    weft_redis_close(redis);
}

TEST(it_may_be_ended_in_its_own_callback_and_takes_its_commands_along)
{
    scene_up(NULL);
    s.others[0].wait = true;
    client_up(s.server.url);
    s.redis.on_up = end_it;
    ask(weft_root(&s.w.loop), &s.others[0], &s.redis, "BLPOP never 0", weft_ignore);
    world_run(&s.w);
    assert_int_equal(s.others[0].op.status, UV_ECANCELED);
    assert_int_equal(say("PING"), UV_EINVAL);
    scene_down();
}

TEST(ten_thousand_commands_are_answered_in_order)
{
    static struct weft_redis_command many[10000];
    scene_up(NULL);
    s.redis.limit = 10000;
    s.redis.command_ms = 10000;
    client_up(s.server.url);
    until(&s.w, s.redis.connected);
    memset(many, 0, sizeof many);
    for (size_t i = 0; i < 10000; i++)
        ask(weft_root(&s.w.loop), &many[i], &s.redis, "INCR n", weft_ignore);
    weft_redis_command_free(&s.command);
    for (size_t i = 0; i < 10000; i++)
        until(&s.w, is_over(&many[i].op));
    for (size_t i = 0; i < 10000; i++) {
        assert_int_equal(many[i].reply->integer, i + 1);
        weft_redis_command_free(&many[i]);
    }
    scene_down();
}

TEST(a_command_may_begin_with_the_client)
{
    scene_up(NULL);
    client_up(s.server.url);
    ask(weft_root(&s.w.loop), &s.others[0], &s.redis, "INCR n", weft_ignore);
    ask(weft_root(&s.w.loop), &s.others[1], &s.redis, "INCR n", weft_ignore);
    until(&s.w, is_over(&s.others[1].op));
    assert_int_equal(s.others[0].op.status, 0);
    assert_int_equal(s.others[0].reply->integer, 1);
    assert_int_equal(s.others[1].reply->integer, 2);
    scene_down();
}

TEST(a_command_that_began_with_the_client_hears_why_there_is_no_connection)
{
    char url[128];
    scene_up(NULL);
    snprintf(url, sizeof url, "redis://127.0.0.1:%u", free_port());
    client_up(url);
    s.others[1].wait = true;
    ask(weft_root(&s.w.loop), &s.others[0], &s.redis, "PING", weft_ignore);
    ask(weft_root(&s.w.loop), &s.others[1], &s.redis, "PING", weft_ignore);
    until(&s.w, is_over(&s.others[0].op));
    assert_int_equal(s.others[0].op.status, UV_ECONNREFUSED);
    assert_int_equal(s.redis.failures, 1);
    assert_int_equal(say("PING"), UV_ENOTCONN); /* it is known by now */
    assert_false(is_over(&s.others[1].op));
    s.redis.command_ms = 30;
    s.others[2].wait = true;
    assert_int_equal(ask_and_wait(&s.w, &s.others[2], &s.redis, "PING"), UV_ECONNREFUSED);
    scene_down();
}

TEST(nobody_waits_for_a_password_to_become_right)
{
    char url[128];
    scene_up("right");
    snprintf(url, sizeof url, "redis://:wrong@127.0.0.1:%u", s.server.port);
    s.redis.command_ms = 10 * PATIENCE_MS;
    client_up(url);
    s.others[1].wait = s.others[2].wait = true;
    ask(weft_root(&s.w.loop), &s.others[0], &s.redis, "PING", weft_ignore);
    ask(weft_root(&s.w.loop), &s.others[1], &s.redis, "PING", weft_ignore);
    until(&s.w, is_over(&s.others[0].op) && is_over(&s.others[1].op));
    assert_int_equal(s.others[0].op.status, UV_EACCES);
    assert_int_equal(s.others[1].op.status, UV_EACCES);
    assert_int_equal(ask_and_wait(&s.w, &s.others[2], &s.redis, "PING"), UV_EACCES);
    assert_int_equal(s.redis.running, 0);
    scene_down();
}

TEST(what_would_ruin_the_connection_is_refused)
{
    static const char *const bad[] = {
        "SUBSCRIBE a", "subscribe a",      "PSUBSCRIBE a",      "SSUBSCRIBE a",
        "UNSUBSCRIBE", "PUNSUBSCRIBE",     "Monitor",           "SUNSUBSCRIBE",
        "SYNC",        "PSYNC ? -1",       "HELLO 3",           "RESET",
        "QUIT",        "CLIENT REPLY OFF", "client reply skip",
    };
    scene_up(NULL);
    client_up(s.server.url);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (say(bad[i]) != UV_EINVAL)
            fail_msg("%s is not refused", bad[i]);
    }
    assert_int_equal(say("CLIENT ID"), 0);
    assert_int_equal(say("CLIENT"), WEFT_ESTATUS);
    assert_int_equal(say("PING"), 0);
    assert_int_equal(s.redis.failures, 0);
    scene_down();
}

TEST(a_limit_that_is_too_high_is_refused_with_a_reason)
{
    scene_up(NULL);
    s.redis.limit = ((size_t)1 << 24) + 1;
    client_up(s.server.url);
    world_run(&s.w);
    assert_int_equal(s.redis.op.status, UV_EINVAL);
    assert_string_equal(s.redis.why, "the limit is above 16777216");
    seen.status = 0;
    scene_down();
}

TEST(bad_input_has_an_answer)
{
    struct weft_text hole = {NULL, 1};
    scene_up(NULL);
    client_up(s.server.url);
    until(&s.w, s.redis.connected);
    weft_redis_command(weft_root(&s.w.loop), &s.others[0], NULL, &hole, 1, weft_ignore);
    weft_redis_command(weft_root(&s.w.loop), &s.others[1], &s.redis, &hole, 1, weft_ignore);
    weft_redis_command(weft_root(&s.w.loop), &s.others[2], &s.redis, NULL, 0, weft_ignore);
    struct weft_text huge = {"", (size_t)WEFT_REDIS_REQUEST_MAX + 1};
    weft_redis_command(weft_root(&s.w.loop), &s.others[3], &s.redis, &huge, 1, weft_ignore);
    until(&s.w, is_over(&s.others[3].op));
    assert_int_equal(s.others[0].op.status, UV_EINVAL);
    assert_int_equal(s.others[1].op.status, UV_EINVAL);
    assert_int_equal(s.others[2].op.status, UV_EINVAL);
    assert_int_equal(s.others[3].op.status, UV_E2BIG);
    scene_down();
}
