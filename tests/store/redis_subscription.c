/* Messages: from a real server, after its connections were killed, and from one that falls silent.
 * ctest: labels=valgrind */
#include "fake_redis.h"
#include "redis_kit.h"

static struct scene {
    struct world w;
    struct redis_server server;
    struct fake fake;
    struct weft_redis_subscription subscription;
    unsigned backs, losses;
    char last[256];
} s;

static const struct weft_text channels[] = {WEFT_REDIS_ARG("news"), WEFT_REDIS_ARG("weather")};

static void came(struct weft_redis_subscription *subscription, struct weft_text channel,
                 struct weft_text message)
{
    (void)subscription;
    snprintf(s.last, sizeof s.last, "%.*s=%.*s", WEFT_TEXT_ARGS(channel), WEFT_TEXT_ARGS(message));
}

static void back(struct weft_redis_subscription *subscription)
{
    assert_true(subscription->connected);
    s.backs++;
}

static void lost(struct weft_redis_subscription *subscription)
{
    assert_false(subscription->connected);
    s.losses++;
}

static void start(const char *url)
{
    s.subscription.url = url;
    s.subscription.backoff_ms = 5;
    if (s.subscription.backoff_max_ms == 0)
        s.subscription.backoff_max_ms = 20;
    s.subscription.on_message = came;
    s.subscription.on_back = back;
    s.subscription.on_lost = lost;
    weft_redis_subscribe(weft_root(&s.w.loop), &s.subscription, channels, 2, noted);
}

TEST(messages_come_and_after_a_loss_they_come_again)
{
    memset(&s, 0, sizeof s);
    world_up(&s.w);
    redis_server_up(&s.server, "secret");
    start(s.server.url);
    until(&s.w, s.subscription.connected);
    redis_server_say(&s.server, "PUBLISH news one");
    until(&s.w, s.subscription.messages == 1);
    assert_string_equal(s.last, "news=one");
    redis_server_say(&s.server, "PUBLISH weather rain");
    until(&s.w, s.subscription.messages == 2);
    assert_string_equal(s.last, "weather=rain");
    redis_server_say(&s.server, "CLIENT KILL TYPE pubsub");
    until(&s.w, s.losses == 1);
    until(&s.w, s.backs == 2);
    redis_server_say(&s.server, "PUBLISH news two");
    until(&s.w, s.subscription.messages == 3);
    redis_server_down(&s.server);
    until(&s.w, s.losses == 2);
    redis_server_again(&s.server);
    until(&s.w, s.backs == 3);
    assert_int_equal(s.subscription.connects, 3);
    weft_redis_unsubscribe(&s.subscription);
    world_down(&s.w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(s.losses, 2);
    redis_server_down(&s.server);
}

static bool silent;

static void falls_silent(struct fake_peer *peer, const redisReply *command)
{
    if (!silent || !peer->subscribed)
        fake_good(peer, command);
}

static void fake_scene_up(fake_fn *answer)
{
    memset(&s, 0, sizeof s);
    silent = false;
    world_up_sim(&s.w, 0);
    fake_up(&s.w.loop, &s.fake, answer);
}

static void fake_scene_down(void)
{
    weft_redis_unsubscribe(&s.subscription);
    fake_down(&s.fake);
    world_down(&s.w);
}

TEST(a_server_that_says_nothing_is_asked_and_one_that_stays_silent_is_left)
{
    fake_scene_up(falls_silent);
    start(s.fake.url);
    until(&s.w, s.subscription.connected);
    unsigned commands = s.fake.commands;
    for (int i = 0; i < 6; i++)
        run_for(&s.w, 10 * 1000);
    assert_int_equal(s.losses, 0);
    assert_true(s.fake.commands >= commands + 4); /* it was asked, and has answered */
    silent = true;
    until(&s.w, s.losses == 1);
    assert_int_equal(s.subscription.status, UV_ETIMEDOUT);
    until(&s.w, s.backs == 2);
    fake_scene_down();
}

static struct fake_peer *listener(void)
{
    for (size_t i = 0; i < FAKE_PEERS; i++) {
        if (s.fake.peers[i].subscribed)
            return &s.fake.peers[i];
    }
    fail_msg("nobody has subscribed");
    return NULL;
}

TEST(the_silence_is_counted_from_the_last_message)
{
    fake_scene_up(falls_silent);
    start(s.fake.url);
    until(&s.w, s.subscription.connected);
    run_for(&s.w, 10);
    silent = true;
    fake_line(listener(), "*3\r\n$7\r\nmessage\r\n$4\r\nnews\r\n$1\r\n1\r\n");
    until(&s.w, s.subscription.messages == 1);
    uint64_t since = weft_now(&s.w.loop);
    until(&s.w, s.losses == 1);
    assert_int_equal(weft_now(&s.w.loop) - since, 2 * WEFT_REDIS_ALIVE_MS);
    fake_scene_down();
}

static void denies(struct fake_peer *peer, const redisReply *command)
{
    if (fake_asked(command, "SUBSCRIBE"))
        fake_line(peer, "-NOPERM this user has no permissions to access the channel\r\n");
    else
        fake_good(peer, command);
}

TEST(who_may_not_subscribe_does_not_try_all_the_time)
{
    fake_scene_up(denies);
    s.subscription.backoff_max_ms = 1000;
    start(s.fake.url);
    run_for(&s.w, 10 * 1000);
    assert_in_range(s.fake.connections, 10, 40);
    assert_int_equal(s.subscription.status, WEFT_ESTATUS);
    s.fake.answer = fake_good;
    until(&s.w, s.backs == 1);
    fake_scene_down();
}

TEST(channels_that_fit_into_no_command_are_refused)
{
    static char name[WEFT_REDIS_REQUEST_MAX];
    struct weft_text channel = weft_text(name, sizeof name);
    fake_scene_up(NULL);
    s.subscription.url = s.fake.url;
    weft_redis_subscribe(weft_root(&s.w.loop), &s.subscription, &channel, 1, weft_ignore);
    run_for(&s.w, 10);
    assert_true(is_over(&s.subscription.op));
    assert_int_equal(s.subscription.op.status, UV_E2BIG);
    fake_scene_down();
}

static const char *nonsense;

static void talks_nonsense(struct fake_peer *peer, const redisReply *command)
{
    fake_good(peer, command);
    if (fake_asked(command, "SUBSCRIBE") && nonsense != NULL)
        fake_line(peer, nonsense);
}

TEST(what_is_no_message_ends_the_connection)
{
    static const char *const bad[] = {"+OK\r\n",
                                      "*0\r\n",
                                      "*3\r\n$7\r\nmessage\r\n:1\r\n:2\r\n",
                                      "*2\r\n$7\r\nmessage\r\n$4\r\nnews\r\n",
                                      "*3\r\n:1\r\n$1\r\na\r\n$1\r\nb\r\n",
                                      "$-1\r\n",
                                      "-ERR no\r\n",
                                      "?\r\n"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        fake_scene_up(talks_nonsense);
        nonsense = bad[i];
        start(s.fake.url);
        until(&s.w, s.losses == 1);
        nonsense = NULL;
        until(&s.w, s.backs == 2);
        assert_int_equal(s.subscription.messages, 0);
        fake_scene_down();
    }
}

static void leave(struct weft_redis_subscription *subscription, struct weft_text channel,
                  struct weft_text message)
{
    came(subscription, channel, message);
    weft_redis_unsubscribe(subscription);
}

TEST(it_may_be_ended_by_a_message_and_hears_no_more)
{
    fake_scene_up(talks_nonsense);
    nonsense = "*3\r\n$7\r\nmessage\r\n$4\r\nnews\r\n$1\r\n1\r\n"
               "*3\r\n$7\r\nmessage\r\n$4\r\nnews\r\n$1\r\n2\r\n";
    start(s.fake.url);
    s.subscription.on_message = leave;
    until(&s.w, is_over(&s.subscription.op));
    assert_string_equal(s.last, "news=1");
    assert_int_equal(s.subscription.messages, 1);
    assert_int_equal(s.losses, 0);
    fake_scene_down();
}
