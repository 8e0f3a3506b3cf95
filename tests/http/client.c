/* The client: names, addresses, handles, and when it lets go.
 * ctest: labels=valgrind-long timeout=120 also=WEFT_TEST_NO_DIRECT */
#include "outside.h"

static struct scene scene;

static void hello(struct peer *peer)
{
    answer(peer, "hello");
}

static void silence(struct peer *peer)
{
    (void)peer;
}

static void get_named(struct weft_http_fetch *fetch, const char *path)
{
    weft_http_fetch(scene_root(&scene), fetch, &scene.client, url_at(scene.server.named, path),
                    noted);
}

static void got_hello(struct weft_http_fetch *fetch)
{
    char text[WEFT_FETCH_EXPLAIN];
    await(&scene.w, &fetch->op);
    if (fetch->op.status != 0)
        fail_msg("%s", weft_http_fetch_explain(fetch, text, sizeof text));
    assert_string_equal(fetch->body, "hello");
    weft_http_fetch_free(fetch);
}

/* ---- names ---------------------------------------------------------------------------------- */

TEST(the_resolver_can_be_replaced_and_is_asked_once)
{
    struct weft_http_fetch fetch = {0};
    scene_up(&scene, hello);
    for (int i = 0; i < 3; i++) {
        get_named(&fetch, "/");
        got_hello(&fetch);
    }
    assert_int_equal(scene.client.lookups, 1);
    scene_down(&scene);
}

TEST(the_systems_resolver_is_the_default)
{
    struct weft_http_fetch fetch = {0};
    char url[URL_MAX];
    scene_up(&scene, hello);
    scene.client.resolve = NULL;
    snprintf(url, sizeof url, "http://LocalHost:%u/",
             weft_address_port(&scene.server.listen.address));
    weft_http_fetch(scene_root(&scene), &fetch, &scene.client, url, noted);
    got_hello(&fetch);
    assert_int_equal(scene.client.lookups, 1);
    scene_down(&scene);
}

TEST(addresses_are_not_looked_up)
{
    struct weft_http_fetch fetch = {0};
    scene_up(&scene, hello);
    get(&scene, &fetch, "/");
    got_hello(&fetch);
    assert_int_equal(scene.client.lookups, 0);
    scene_down(&scene);
}

/* A resolver that answers when the test says so. */
static struct weft_http_resolve *asked;
static unsigned asked_count, asked_cancelled;

static void resolve_cancel(struct weft_op *op, int reason)
{
    asked_cancelled++;
    asked = NULL;
    weft_finish(op, reason);
}

static void resolve_by_hand(struct weft_op *op)
{
    asked = weft_owner(op, struct weft_http_resolve, op);
    asked_count++;
    weft_on_cancel(op, resolve_cancel);
}

static void resolved(int status)
{
    asked->count = 1;
    assert_int_equal(weft_address_parse(&asked->addresses[0], "127.0.0.1:9"), 0);
    weft_finish(&asked->op, status);
}

static void by_hand_up(peer_fn *on_request)
{
    asked_count = asked_cancelled = 0;
    scene_up(&scene, on_request);
    scene.client.resolve = resolve_by_hand;
}

TEST(one_lookup_serves_all_who_wait)
{
    static struct weft_http_fetch fetches[5];
    memset(fetches, 0, sizeof fetches);
    by_hand_up(hello);
    for (int i = 0; i < 5; i++)
        get_named(&fetches[i], "/");
    assert_int_equal(asked_count, 1);
    assert_string_equal(asked->host, "server.test");
    weft_cancel(&fetches[0].op, UV_EINTR);
    weft_cancel(&fetches[3].op, UV_EINTR);
    look_around(&scene.w);
    assert_int_equal(asked_cancelled, 0);
    resolved(0);
    for (int i = 0; i < 5; i++) {
        await(&scene.w, &fetches[i].op);
        assert_int_equal(fetches[i].op.status, i == 0 || i == 3 ? UV_EINTR : 0);
        weft_http_fetch_free(&fetches[i]);
    }
    assert_int_equal(asked_count, 1);
    scene_down(&scene);
}

TEST(a_lookup_nobody_waits_for_is_cancelled_and_begun_again)
{
    struct weft_http_fetch first = {0}, second = {0};
    by_hand_up(hello);
    get_named(&first, "/");
    weft_cancel(&first.op, UV_EINTR);
    assert_int_equal(asked_cancelled, 1);
    get_named(&second, "/"); /* before the cancelled lookup has reported */
    await(&scene.w, &first.op);
    await_that(&scene.w, asked != NULL);
    assert_int_equal(asked_count, 2);
    resolved(0);
    got_hello(&second);
    scene_down(&scene);
}

TEST(a_name_that_is_not_found_is_told_to_all)
{
    struct weft_http_fetch first = {0}, second = {0};
    by_hand_up(hello);
    get_named(&first, "/");
    get_named(&second, "/");
    resolved(UV_EAI_NONAME);
    await(&scene.w, &first.op);
    await(&scene.w, &second.op);
    failed_with(&first, UV_EAI_NONAME, WEFT_FETCH_FAILED_RESOLVE, WEFT_FETCH_NO_DETAIL,
                "cannot find server.test");
    failed_with(&second, UV_EAI_NONAME, WEFT_FETCH_FAILED_RESOLVE, WEFT_FETCH_NO_DETAIL,
                "cannot find server.test");
    get_named(&first, "/"); /* a failure is not kept */
    assert_int_equal(asked_count, 2);
    resolved(0);
    got_hello(&first);
    scene_down(&scene);
}

TEST(a_resolver_may_find_nothing)
{
    struct weft_http_fetch fetch = {0};
    by_hand_up(hello);
    get_named(&fetch, "/");
    weft_finish(&asked->op, 0);
    await(&scene.w, &fetch.op);
    failed_with(&fetch, UV_EAI_NODATA, WEFT_FETCH_FAILED_RESOLVE, WEFT_FETCH_NO_DETAIL, "find");
    scene_down(&scene);
}

TEST(addresses_grow_old)
{
    struct weft_http_fetch fetch = {0};
    struct weft_sleep sleep = {0};
    scene_up_sim(&scene, hello);
    scene.client.dns_ttl_ms = 1000;
    get_named(&fetch, "/");
    got_hello(&fetch);
    weft_sleep(scene_root(&scene), &sleep, 999, noted);
    await(&scene.w, &sleep.op);
    get_named(&fetch, "/");
    got_hello(&fetch);
    assert_int_equal(scene.client.lookups, 1);
    weft_sleep(scene_root(&scene), &sleep, 1, noted);
    await(&scene.w, &sleep.op);
    get_named(&fetch, "/");
    got_hello(&fetch);
    assert_int_equal(scene.client.lookups, 2);
    scene_down(&scene);
}

static const char *leads_to;

static void resolve_to_what_is_set(struct weft_op *op)
{
    struct weft_http_resolve *resolve = weft_owner(op, struct weft_http_resolve, op);
    resolve->count = 1;
    assert_int_equal(weft_address_parse(&resolve->addresses[0], leads_to), 0);
    weft_finish(op, 0);
}

static void get_closing(struct weft_http_fetch *fetch)
{
    static const char *const fields[] = {"Connection: close"};
    fetch->fields = fields;
    fetch->fields_count = 1;
    get_named(fetch, "/");
}

static void hello_and_goodbye(struct peer *peer)
{
    say_text(peer, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello");
}

TEST(new_addresses_replace_the_old_ones)
{
    struct weft_http_fetch fetch = {0};
    char peer[WEFT_ADDRESS_TEXT];
    struct weft_sleep sleep = {0};
    scene_up_sim(&scene, hello_and_goodbye);
    scene.client.dns_ttl_ms = 1000;
    scene.client.resolve = resolve_to_what_is_set;
    leads_to = "127.0.0.2:0"; /* nobody listens there */
    get_closing(&fetch);
    await(&scene.w, &fetch.op);
    failed_with(&fetch, UV_ECONNREFUSED, WEFT_FETCH_FAILED_CONNECT, WEFT_FETCH_NO_DETAIL,
                "cannot reach server.test");
    leads_to = "127.0.0.1:0";
    weft_sleep(scene_root(&scene), &sleep, 1000, noted);
    await(&scene.w, &sleep.op);
    get_closing(&fetch);
    await(&scene.w, &fetch.op);
    assert_int_equal(fetch.op.status, 0);
    assert_int_equal(weft_address_format(&fetch.peer, peer, sizeof peer), 0);
    assert_int_equal(strncmp(peer, "127.0.0.1:", 10), 0);
    weft_http_fetch_free(&fetch);
    leads_to = "127.0.0.2:0"; /* and back: curl knew the others by now */
    weft_sleep(scene_root(&scene), &sleep, 1000, noted);
    await(&scene.w, &sleep.op);
    get_closing(&fetch);
    await(&scene.w, &fetch.op);
    assert_int_equal(fetch.op.status, UV_ECONNREFUSED);
    weft_http_fetch_free(&fetch);
    scene_down(&scene);
}

TEST(the_number_of_names_that_are_kept_is_bounded)
{
    struct weft_http_fetch fetch = {0};
    char url[URL_MAX];
    scene_up(&scene, hello_and_goodbye);
    scene.client.dns_max = 3;
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 8; i++) {
            snprintf(url, sizeof url, "http://host%d.test:%u/", i,
                     weft_address_port(&scene.server.listen.address));
            weft_http_fetch(scene_root(&scene), &fetch, &scene.client, url, noted);
            got_hello(&fetch);
        }
    }
    assert_int_equal(scene.client.lookups, 16);
    weft_http_fetch(scene_root(&scene), &fetch, &scene.client, url, noted);
    got_hello(&fetch);
    assert_int_equal(scene.client.lookups, 16);
    scene_down(&scene);
}

TEST(a_name_with_a_dot_at_its_end_is_a_name)
{
    struct weft_http_fetch fetch = {0};
    char url[URL_MAX];
    scene_up(&scene, hello);
    snprintf(url, sizeof url, "http://server.test.:%u/",
             weft_address_port(&scene.server.listen.address));
    weft_http_fetch(scene_root(&scene), &fetch, &scene.client, url, noted);
    got_hello(&fetch);
    snprintf(url, sizeof url,
             "http://b\xc3\xbc"
             "cher.test:%u/",
             weft_address_port(&scene.server.listen.address));
    weft_http_fetch(scene_root(&scene), &fetch, &scene.client, url, noted);
    await(&scene.w, &fetch.op);
    assert_int_equal(fetch.op.status, UV_EINVAL); /* it has to come as below */
    snprintf(url, sizeof url, "http://xn--bcher-kva.test:%u/",
             weft_address_port(&scene.server.listen.address));
    weft_http_fetch(scene_root(&scene), &fetch, &scene.client, url, noted);
    got_hello(&fetch);
    assert_int_equal(scene.client.lookups, 2);
    scene_down(&scene);
}

/* ---- addresses ------------------------------------------------------------------------------ */

static unsigned looks;
static bool allowed;

static bool allow(struct weft_http_client *client, const struct weft_address *address)
{
    assert_ptr_equal(client, &scene.client);
    assert_int_equal(address->to.any.sa_family, AF_INET);
    assert_int_equal(weft_address_port(address), weft_address_port(&scene.server.listen.address));
    looks++;
    return allowed;
}

TEST(an_address_can_be_refused_before_anything_goes_there)
{
    struct weft_http_fetch fetch = {0};
    looks = 0;
    allowed = false;
    scene_up(&scene, hello);
    scene.client.allow_address = allow;
    get_named(&fetch, "/");
    await(&scene.w, &fetch.op);
    failed_with(&fetch, WEFT_EREFUSED, WEFT_FETCH_FAILED_REFUSED, WEFT_FETCH_NO_DETAIL,
                "not allowed");
    get(&scene, &fetch, "/"); /* also one that is written as a number */
    await(&scene.w, &fetch.op);
    assert_int_equal(fetch.op.status, WEFT_EREFUSED);
    look_around(&scene.w);
    assert_int_equal(scene.server.connections, 0);
    assert_int_equal(looks, 2);
    scene_down(&scene);
}

TEST(a_kept_connection_is_looked_at_again)
{
    struct weft_http_fetch fetch = {0};
    looks = 0;
    allowed = true;
    scene_up(&scene, hello);
    scene.client.allow_address = allow;
    get_named(&fetch, "/");
    got_hello(&fetch);
    assert_int_equal(looks, 2); /* before connecting, before sending */
    allowed = false;
    get_named(&fetch, "/");
    await(&scene.w, &fetch.op);
    failed_with(&fetch, WEFT_EREFUSED, WEFT_FETCH_FAILED_REFUSED, WEFT_FETCH_NO_DETAIL,
                "not allowed");
    assert_int_equal(scene.server.requests, 1);
    scene_down(&scene);
}

/* One address is forbidden, the other is not. */
static bool allow_not_2(struct weft_http_client *client, const struct weft_address *address)
{
    (void)client;
    return ntohl(address->to.ip4.sin_addr.s_addr) != 0x7f000002;
}

static void resolve_to_two(struct weft_op *op)
{
    struct weft_http_resolve *resolve = weft_owner(op, struct weft_http_resolve, op);
    resolve->count = 2;
    assert_int_equal(weft_address_parse(&resolve->addresses[0], "127.0.0.2:0"), 0);
    assert_int_equal(weft_address_parse(&resolve->addresses[1], "127.0.0.1:0"), 0);
    weft_finish(op, 0);
}

TEST(the_next_address_is_tried_if_one_is_refused)
{
    struct weft_http_fetch fetch = {0};
    scene_up(&scene, hello);
    scene.client.allow_address = allow_not_2;
    scene.client.resolve = resolve_to_two;
    get_named(&fetch, "/");
    got_hello(&fetch);
    scene_down(&scene);
}

TEST(the_next_address_is_tried_if_nobody_is_there)
{
    struct weft_http_fetch fetch = {0};
    scene_up(&scene, hello);
    scene.client.resolve = resolve_to_two;
    get_named(&fetch, "/");
    got_hello(&fetch);
    scene_down(&scene);
}

/* ---- handles and connections ---------------------------------------------------------------- */

TEST(no_more_requests_at_a_time_than_handles)
{
    static struct weft_http_fetch fetches[10];
    memset(fetches, 0, sizeof fetches);
    scene_up(&scene, silence);
    scene.client.max_handles = 3;
    for (int i = 0; i < 10; i++)
        get(&scene, &fetches[i], "/");
    await_that(&scene.w, scene.server.requests == 3);
    look_around(&scene.w);
    assert_int_equal(scene.server.requests, 3);
    scene.server.on_request = hello;
    for (int i = 0; i < PEERS; i++) {
        if (scene.server.peers[i].requests == 1)
            hello(&scene.server.peers[i]);
    }
    for (int i = 0; i < 10; i++)
        got_hello(&fetches[i]);
    assert_int_equal(scene.server.connections, 3);
    scene_down(&scene);
}

/* Ten requests at once, and how many connections they make. */
static void ten_make(const struct weft_http_client *settings, unsigned connections)
{
    static struct weft_http_fetch fetches[10];
    memset(fetches, 0, sizeof fetches);
    memset(&scene, 0, sizeof scene);
    world_up(&scene.w);
    outside_up(&scene.w.loop, &scene.server, hello);
    scene.client = *settings;
    weft_http_client_open(scene_root(&scene), &scene.client, noted);
    for (int i = 0; i < 10; i++)
        get(&scene, &fetches[i], "/");
    for (int i = 0; i < 10; i++)
        got_hello(&fetches[i]);
    assert_int_equal(scene.server.connections, connections);
    scene_down(&scene);
}

TEST(no_more_connections_than_allowed)
{
    struct weft_http_client to_a_host = {.max_host_connections = 2};
    struct weft_http_client in_all = {.max_connections = 3};
    ten_make(&to_a_host, 2);
    ten_make(&in_all, 3);
}

/* Three at once: none is answered before all have asked. */
static void three_at_once(void)
{
    static struct weft_http_fetch fetches[3];
    unsigned before = scene.server.requests;
    memset(fetches, 0, sizeof fetches);
    scene.server.on_request = silence;
    for (int i = 0; i < 3; i++)
        get(&scene, &fetches[i], "/");
    await_that(&scene.w, scene.server.requests == before + 3);
    for (int i = 0; i < PEERS; i++) {
        if (weft_stream_connected(&scene.server.peers[i].stream))
            hello(&scene.server.peers[i]);
    }
    for (int i = 0; i < 3; i++)
        got_hello(&fetches[i]);
    look_around(&scene.w);
}

TEST(no_more_connections_are_kept_than_allowed)
{
    for (unsigned idle = 1; idle <= 3; idle++) {
        memset(&scene, 0, sizeof scene);
        world_up(&scene.w);
        outside_up(&scene.w.loop, &scene.server, silence);
        scene.client.max_idle = idle;
        weft_http_client_open(scene_root(&scene), &scene.client, noted);
        three_at_once();
        three_at_once();
        assert_int_equal(scene.server.connections, 6 - idle);
        scene_down(&scene);
    }
}

/* ---- letting go ----------------------------------------------------------------------------- */

TEST(an_idle_client_keeps_nothing_alive)
{
    struct weft_http_fetch fetch = {0};
    scene_up(&scene, hello);
    scene.w.loop.stuck_to = NULL;
    get_named(&fetch, "/");
    got_hello(&fetch);
    weft_end(&scene.server.op, 0);
    assert_int_equal(weft_loop_run(&scene.w.loop), WEFT_ESTUCK);
    assert_false(over(&scene.client.op));
    scene_down(&scene);
}

TEST(a_server_that_leaves_is_noticed_without_harm)
{
    struct weft_http_fetch fetch = {0};
    scene_up(&scene, hello);
    get_named(&fetch, "/");
    got_hello(&fetch);
    for (int i = 0; i < PEERS; i++)
        hang_up(&scene.server.peers[i]);
    look_around(&scene.w);
    assert_int_equal(scene.server.connections, 1);
    peer_wait(&scene.server);
    get_named(&fetch, "/");
    got_hello(&fetch);
    assert_int_equal(scene.server.connections, 2);
    scene_down(&scene);
}

TEST(a_client_can_be_opened_again)
{
    struct weft_http_fetch fetch = {0};
    scene_up(&scene, hello);
    for (int i = 0; i < 3; i++) {
        get_named(&fetch, "/");
        got_hello(&fetch);
        weft_http_client_close(&scene.client);
        await(&scene.w, &scene.client.op);
        assert_int_equal(scene.client.op.status, 0);
        weft_http_client_open(scene_root(&scene), &scene.client, noted);
    }
    scene_down(&scene);
}

TEST(a_fetch_may_be_a_child_of_its_client)
{
    struct weft_http_fetch fetch = {0};
    scene_up(&scene, silence);
    weft_http_fetch(&scene.client.op, &fetch, &scene.client, url_at(scene.server.named, "/"),
                    noted);
    await_that(&scene.w, scene.server.requests == 1);
    weft_cancel(&scene.client.op, UV_EINTR);
    await(&scene.w, &fetch.op);
    assert_int_equal(fetch.op.status, UV_EINTR);
    await(&scene.w, &scene.client.op);
    assert_int_equal(scene.client.op.status, UV_EINTR);
    weft_http_fetch_free(&fetch);
    scene_down(&scene);
}

TEST(a_client_with_bad_settings_does_not_open)
{
    static const char *const proxies[] = {
        "", "127.0.0.1:80", "ftp://h:1", "socks5://h:1", "http://h:1\r\nX: y", "http://"};
    struct weft_http_client client = {.user_agent = "a\r\nb"};
    scene_up(&scene, hello);
    weft_http_client_open(scene_root(&scene), &client, noted);
    await(&scene.w, &client.op);
    assert_int_equal(client.op.status, UV_EINVAL);
    for (size_t i = 0; i < sizeof proxies / sizeof *proxies; i++) {
        client = (struct weft_http_client){.proxy = proxies[i]};
        weft_http_client_open(scene_root(&scene), &client, noted);
        await(&scene.w, &client.op);
        assert_int_equal(client.op.status, UV_EINVAL);
        weft_http_client_close(&client);
    }
    scene_down(&scene);
}

TEST(what_waits_can_be_seen)
{
    struct weft_http_fetch fetch = {0};
    by_hand_up(hello);
    get_named(&fetch, "/");
    FILE *file = tmpfile();
    weft_dump(&scene.w.loop, file);
    char *text = text_of(file);
    fclose(file);
    assert_non_null(strstr(text, "fetch"));
    assert_non_null(strstr(text, "http_resolve"));
    free(text);
    weft_cancel(&fetch.op, UV_ECANCELED);
    await(&scene.w, &fetch.op);
    scene_down(&scene);
}
