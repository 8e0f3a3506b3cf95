/* A shared cache in trouble: Redis is killed, stopped, full of garbage; messages are lost. No get fails for
 * it, and nobody goes on with what was forgotten.
 * ctest: labels=valgrind-long */
#include "fake_redis.h"
#include "port.h"
#include "shared_kit.h"

TEST(redis_is_killed_between_gets_and_none_fails)
{
    char key[16];
    scene_up_own();
    for (unsigned i = 0; i < 60; i++) {
        if (i == 20)
            redis_server_down(&s.server);
        if (i == 40)
            redis_server_again(&s.server);
        snprintf(key, sizeof key, "key %u", i);
        get(&s.one, key);
        get(&s.other, key);
    }
    assert_true(s.one.shared.stats.remote_errors > 0);
    both_ready();
    run_for(&s.w, 20); /* what was to be stored is stored */
    assert_true(s.one.shared.redis.connects >= 2);
    unsigned loads = s.other.loads;
    uint64_t sets = s.one.shared.stats.sets;
    get(&s.one, "b");
    until(&s.w, s.one.shared.stats.sets > sets);
    get(&s.other, "b");
    assert_int_equal(s.other.loads, loads);
    scene_down();
}

TEST(redis_is_killed_while_gets_wait_for_it)
{
    char key[16];
    static struct request many[200];
    memset(many, 0, sizeof many);
    scene_up_own();
    for (size_t i = 0; i < 200; i++) {
        snprintf(key, sizeof key, "%zu", i / 2);
        request_begin(i % 2 == 0 ? &s.one : &s.other, &many[i], key);
    }
    redis_server_down(&s.server);
    for (size_t i = 0; i < 200; i++)
        request_end(&many[i]);
    assert_true(s.one.shared.stats.remote_errors > 0);
    scene_down();
}

TEST(redis_is_killed_during_a_load)
{
    scene_prepare_own();
    s.one.load_takes_ms = 50;
    scene_start();
    request_begin(&s.one, &s.more[0], "a");
    request_begin(&s.other, &s.more[1], "a");
    until(&s.w, s.one.loads + s.other.loads == 1);
    redis_server_down(&s.server);
    request_end(&s.more[0]);
    request_end(&s.more[1]);
    redis_server_again(&s.server);
    both_ready();
    assert_int_equal(forget(&s.one, "a"), 0);
    scene_down();
}

TEST(a_redis_that_hangs_costs_one_wait_and_no_more)
{
    scene_prepare_own();
    s.one.shared.redis.command_ms = 80;
    scene_start();
    kill(s.server.pid, SIGSTOP);
    uint64_t since = weft_now(&s.w.loop);
    assert_string_equal(get(&s.one, "a"), "one 1");
    assert_in_range(weft_now(&s.w.loop) - since, 70, 5000);
    assert_string_equal(get(&s.one, "b"), "one 2");
    assert_int_equal(s.one.shared.stats.remote_errors, 2);
    assert_false(s.one.shared.redis.connected);
    kill(s.server.pid, SIGCONT);
    both_ready();
    scene_down();
}

/* What it was asked before it hung it does when it wakes up, and nobody is there to hear of it. */
TEST(a_redis_that_hung_keeps_no_lease_that_nobody_has)
{
    scene_prepare_own();
    s.one.shared.redis.command_ms = 80;
    scene_start();
    kill(s.server.pid, SIGSTOP);
    assert_string_equal(get(&s.one, "a"), "one 1");
    kill(s.server.pid, SIGCONT);
    both_ready();
    uint64_t since = weft_now(&s.w.loop);
    assert_string_equal(get(&s.other, "a"), "other 1");
    assert_true(weft_now(&s.w.loop) - since < WEFT_SHARED_LEASE_MS / 2);
    scene_down();
}

TEST(a_lease_whose_load_ended_without_redis_is_given_back_later)
{
    scene_prepare_own();
    s.one.load_takes_ms = 30;
    scene_start();
    request_begin(&s.one, &s.more[0], "a");
    until(&s.w, s.one.loads == 1);
    redis_server_say(&s.server, "CONFIG SET requirepass locked");
    snprintf(s.server.password, sizeof s.server.password, "locked");
    redis_server_say(&s.server, "CLIENT KILL TYPE normal");
    assert_string_equal(request_end(&s.more[0]), "one 1");
    assert_false(s.one.shared.redis.connected);
    redis_server_say(&s.server, "CONFIG SET requirepass \"\"");
    s.server.password[0] = '\0';
    both_ready();
    uint64_t since = weft_now(&s.w.loop);
    assert_string_equal(get(&s.other, "a"), "other 1");
    assert_true(weft_now(&s.w.loop) - since < WEFT_SHARED_LEASE_MS / 2);
    scene_down();
}

TEST(without_redis_it_works_alone_from_the_beginning)
{
    memset(&s, 0, sizeof s);
    world_up(&s.w);
    snprintf(s.server.url, sizeof s.server.url, "redis://127.0.0.1:%u", free_port());
    side_up(&s.one, "one");
    assert_string_equal(get(&s.one, "a"), "one 1");
    assert_string_equal(get(&s.one, "a"), "one 1");
    assert_int_equal(s.one.shared.cache.stats.hits, 1);
    assert_int_equal(forget(&s.one, "a"), UV_ENOTCONN);
    assert_string_equal(get(&s.one, "a"), "one 2"); /* here it is forgotten */
    weft_shared_close(&s.one.shared);
    world_down(&s.w);
}

TEST(a_close_waits_for_a_redis_that_hangs_once_and_no_longer)
{
    scene_prepare_own();
    s.one.shared.redis.command_ms = 80;
    s.one.load_takes_ms = 60000;
    scene_start();
    request_begin(&s.one, &s.more[0], "a");
    until(&s.w, s.one.loads == 1);
    kill(s.server.pid, SIGSTOP);
    uint64_t since = weft_now(&s.w.loop);
    weft_shared_close(&s.one.shared);
    until(&s.w, is_over(&s.one.shared.op));
    assert_in_range(weft_now(&s.w.loop) - since, 70, 5000);
    assert_int_equal(s.one.shared.op.status, 0);
    kill(s.server.pid, SIGCONT);
    scene_down();
}

/* ---- in virtual time: a Redis that takes its time ------------------------------------------- */

static struct slow {
    struct fake fake;
    const char *late;           /* what is answered only later */
    struct fake_peer *asked[2]; /* who has to be answered: client and channel, or one */
    size_t count;
    struct fake_peer *hangs; /* who is not answered any more: a script was called */
} slow;

static void takes_its_time(struct fake_peer *peer, const redisReply *command)
{
    if (fake_asked(command, slow.late) && slow.count < 2)
        slow.asked[slow.count++] = peer;
    else if (fake_asked(command, "EVAL") || fake_asked(command, "EVALSHA"))
        slow.hangs = peer;
    else if (peer != slow.hangs)
        fake_good(peer, command);
}

static void slow_up(const char *late)
{
    memset(&s, 0, sizeof s);
    memset(&slow, 0, sizeof slow);
    slow.late = late;
    world_up_sim(&s.w, 0);
    fake_up(&s.w.loop, &slow.fake, takes_its_time);
    snprintf(s.server.url, sizeof s.server.url, "%s", slow.fake.url);
}

static void slow_down(void)
{
    weft_shared_close(&s.one.shared);
    fake_down(&slow.fake);
    world_down(&s.w);
}

/* Ask, have the answer that is late after most of the time, and see that a get waits no longer than that. */
static void is_loaded_in_time(const char *answer)
{
    uint64_t since = weft_now(&s.w.loop);
    request_begin(&s.one, &s.more[0], "a");
    run_for(&s.w, 7 * WEFT_REDIS_COMMAND_MS / 10);
    assert_true(slow.count > 0);
    for (size_t i = 0; i < slow.count && answer != NULL; i++)
        fake_line(slow.asked[i], answer);
    assert_string_equal(request_end(&s.more[0]), "one 1");
    assert_in_range(weft_now(&s.w.loop) - since, WEFT_REDIS_COMMAND_MS, WEFT_REDIS_COMMAND_MS + 2);
}

TEST(no_get_waits_twice_for_a_redis_that_forgot_the_scripts_and_hangs)
{
    slow_up("EVALSHA");
    side_up(&s.one, "one");
    until(&s.w, side_ready(&s.one));
    is_loaded_in_time("-NOSCRIPT No matching script.\r\n");
    slow_down();
}

TEST(no_get_waits_twice_for_a_redis_that_hangs_after_it_was_late)
{
    slow_up("PING");
    side_up(&s.one, "one");
    is_loaded_in_time("+PONG\r\n");
    assert_int_equal(s.one.shared.redis.connects, 1);
    slow_down();
}

TEST(no_get_waits_long_for_a_redis_that_never_answers)
{
    slow_up("PING");
    side_up(&s.one, "one");
    is_loaded_in_time(NULL);
    slow_down();
}

/* ---- messages ------------------------------------------------------------------------------- */

TEST(losing_the_channel_empties_the_local_cache)
{
    scene_up();
    get(&s.one, "a");
    stored(&s.one, 1);
    assert_int_equal(s.one.shared.cache.entries, 1);
    uint64_t flushes = s.one.shared.stats.flushes;
    redis_server_say(&s.server, "CLIENT KILL TYPE pubsub");
    until(&s.w, s.one.shared.stats.flushes == flushes + 1);
    assert_false(s.one.shared.listening);
    assert_int_equal(s.one.shared.cache.entries, 0);
    assert_string_equal(get(&s.one, "a"), "one 1"); /* Redis has it */
    both_ready();
    assert_int_equal(s.one.shared.stats.flushes, flushes + 2);
    scene_down();
}

/* In virtual time: a Redis that nobody may listen to. Everybody gets the lease, and everything is stored. */
static char kept_there[16];

static void not_to_be_heard(struct fake_peer *peer, const redisReply *command)
{
    bool is_call = command->elements == 6 + 6 && fake_asked(command, "EVALSHA");
    if (fake_asked(command, "SUBSCRIBE")) {
        fake_line(peer, "-NOPERM no access to the channel\r\n");
    } else if (is_call && command->element[7]->len < 16) {
        fake_line(peer, "*3\r\n$5\r\nlease\r\n:0\r\n$16\r\n0123456789abcdef\r\n");
    } else if (is_call) {
        snprintf(kept_there, sizeof kept_there, "%s", command->element[10]->str);
        fake_line(peer, ":1\r\n");
    } else {
        fake_good(peer, command);
    }
}

TEST(while_the_channel_is_lost_nothing_is_kept_for_long)
{
    static struct fake fake;
    memset(&s, 0, sizeof s);
    world_up_sim(&s.w, 0);
    fake_up(&s.w.loop, &fake, not_to_be_heard);
    snprintf(s.server.url, sizeof s.server.url, "%s", fake.url);
    side_up(&s.one, "one");
    until(&s.w, s.one.shared.redis.connected);
    assert_string_equal(get(&s.one, "a"), "one 1");
    stored(&s.one, 1);
    assert_string_equal(kept_there, "60000");
    run_for(&s.w, WEFT_SHARED_ALONE_MS - 20);
    assert_string_equal(get(&s.one, "a"), "one 1");
    run_for(&s.w, 40);
    assert_string_equal(get(&s.one, "a"), "one 2");
    assert_false(s.one.shared.listening);
    weft_shared_close(&s.one.shared);
    fake_down(&fake);
    world_down(&s.w);
}

TEST(a_message_that_is_not_understood_empties_the_local_cache)
{
    scene_up();
    get(&s.one, "a");
    assert_int_equal(s.one.shared.cache.entries, 1);
    redis_server_say(&s.server, "PUBLISH test:m nonsense");
    until(&s.w, s.one.shared.stats.garbage == 1);
    assert_int_equal(s.one.shared.cache.entries, 0);
    scene_down();
}

/* ---- what could not be told ----------------------------------------------------------------- */

TEST(what_could_not_be_forgotten_there_is_made_up_for)
{
    scene_up_own();
    get(&s.one, "a");
    stored(&s.one, 1);
    get(&s.other, "a");
    redis_server_say(&s.server, "CONFIG SET requirepass locked");
    snprintf(s.server.password, sizeof s.server.password, "locked");
    redis_server_say(&s.server, "CLIENT KILL TYPE normal");
    until(&s.w, !s.one.shared.redis.connected && !s.other.shared.redis.connected);
    assert_int_equal(forget(&s.one, "a"), UV_ENOTCONN);
    assert_string_equal(get(&s.one, "a"), "one 2");
    redis_server_say(&s.server, "CONFIG SET requirepass \"\"");
    s.server.password[0] = '\0';
    both_ready();
    until(&s.w, s.other.shared.stats.forgets == 1);
    assert_string_equal(get(&s.other, "a"), "other 1"); /* not what was in Redis all the time */
    scene_down();
}

/* The one that forgets does nothing else: it loads nothing, and its connection is never lost. */
TEST(what_redis_has_refused_to_forget_is_made_up_for)
{
    scene_up_own();
    get(&s.one, "a");
    stored(&s.one, 1);
    get(&s.other, "a");
    redis_server_say(&s.server, "ACL SETUSER default -publish");
    assert_int_equal(forget(&s.one, "b"), WEFT_ESTATUS);
    redis_server_say(&s.server, "ACL SETUSER default +publish");
    until(&s.w, s.other.shared.stats.forgets == 1);
    assert_string_equal(get(&s.other, "a"), "other 1");
    assert_int_equal(s.one.shared.redis.connects, 1);
    scene_down();
}

TEST(all_can_be_forgotten_without_memory)
{
    scene_up();
    get(&s.one, "a");
    stored(&s.one, 1);
    get(&s.other, "a");
    weft_shared_forget_soon(&s.one.shared);
    assert_int_equal(s.one.shared.cache.entries, 0);
    assert_string_equal(get(&s.one, "a"), "one 2"); /* not what Redis had */
    until(&s.w, s.other.shared.stats.forgets == 1);
    assert_string_not_equal(get(&s.other, "a"), "one 1");
    scene_down();
    weft_shared_forget_soon(&s.one.shared);
}

TEST(a_redis_without_room_still_forgets)
{
    scene_up_own();
    get(&s.one, "a");
    stored(&s.one, 1);
    get(&s.other, "a");
    redis_server_say(&s.server, "CONFIG SET maxmemory 1");
    assert_string_equal(get(&s.one, "b"), "one 2"); /* no get fails for it */
    assert_true(s.one.shared.stats.remote_errors > 0);
    weft_shared_forget_all(weft_root(&s.w.loop), &s.forget, &s.one.shared, weft_ignore);
    until(&s.w, is_over(&s.forget.op));
    assert_int_equal(s.forget.op.status, 0);
    until(&s.w, s.other.shared.stats.forgets == 1);
    assert_string_equal(get(&s.other, "a"), "other 1");
    redis_server_say(&s.server, "CONFIG SET maxmemory 0");
    scene_down();
}

/* ---- garbage -------------------------------------------------------------------------------- */

static void is_no_value(const char *set)
{
    scene_up();
    redis_server_say(&s.server, "%s", set);
    assert_string_equal(get(&s.one, "a"), "one 1");
    assert_int_equal(s.one.shared.stats.garbage, 1);
    stored(&s.one, 1);
    assert_string_equal(get(&s.other, "a"), "one 1"); /* it was replaced */
    scene_down();
}

TEST(garbage_among_the_values_is_a_miss_and_replaced)
{
    is_no_value("SET test:v:a junk");
    is_no_value("SET test:v:a \"\"");
    is_no_value("SET test:v:a W2123456789abcdef00000000000000junk");
    is_no_value("RPUSH test:v:a 1 2 3");
}

/* Right in its form, but not what this side would store. */
static bool is_of_the_other(const struct weft_shared *shared, struct weft_text key,
                            struct weft_text value)
{
    assert_ptr_equal(shared, &s.other.shared);
    assert_true(weft_text_is(key, "a"));
    return weft_text_starts(value, "other ");
}

TEST(what_the_caller_says_is_no_value_is_a_miss_and_removed)
{
    scene_prepare();
    s.other.shared.valid = is_of_the_other;
    scene_start();
    get(&s.one, "a");
    stored(&s.one, 1);
    assert_string_equal(get(&s.other, "a"), "other 1");
    assert_int_equal(s.other.shared.stats.garbage, 1);
    until(&s.w, s.one.shared.stats.forgets == 1);
    assert_string_equal(redis_server_say(&s.server, "EXISTS test:v:a"), ":0\r\n");
    scene_down();
}

TEST(garbage_among_the_leases_and_generations_does_no_harm)
{
    scene_up();
    redis_server_say(&s.server, "RPUSH test:g 1 2 3");
    get(&s.one, "a");
    stored(&s.one, 1);
    redis_server_say(&s.server, "SET test:g short");
    assert_string_equal(get(&s.other, "a"), "other 1");
    redis_server_say(&s.server, "RPUSH test:l:b 1");
    redis_server_say(&s.server, "PEXPIRE test:l:b 60");
    assert_string_equal(get(&s.one, "b"), "one 2");
    scene_down();
}
