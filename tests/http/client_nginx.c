/* The client and nginx: TLS with every check, HTTP/2, compression, cookies, netrc.
 * ctest: timeout=120 also=WEFT_TEST_NO_DIRECT */
#include "nginx.h"

static struct scene scene;

TEST(a_plain_page_comes)
{
    struct weft_http_fetch fetch = {0};
    nginx_scene(&scene);
    nginx_open(&scene);
    for (int i = 0; i < 3; i++) {
        nginx_get(&scene, &fetch, "plain", "/small");
        nginx_got(&scene, &fetch);
        assert_int_equal(fetch.status, 200);
        assert_string_equal(fetch.body, "small");
        text_is(weft_http_fetch_get(&fetch, "Content-Type"), "text/plain");
        weft_http_fetch_free(&fetch);
    }
    assert_int_equal(scene.client.connections, 1);
    nginx_scene_down(&scene);
}

TEST(a_packed_page_is_unpacked)
{
    struct weft_http_fetch fetch = {.accept_encoding = ""};
    nginx_scene(&scene);
    nginx_open(&scene);
    nginx_get(&scene, &fetch, "plain", "/big");
    nginx_got(&scene, &fetch);
    text_is(weft_http_fetch_get(&fetch, "Content-Encoding"), "gzip");
    assert_int_equal(fetch.body_size, 200000);
    assert_int_equal(fetch.received, 200000);
    assert_true(fetch.wire_received < 10000);
    weft_http_fetch_free(&fetch);
    nginx_scene_down(&scene);
}

/* ---- TLS ------------------------------------------------------------------------------------ */

TEST(a_certificate_that_is_right_is_accepted)
{
    struct weft_http_fetch fetch = {0};
    nginx_scene(&scene);
    nginx_open(&scene);
    nginx_get(&scene, &fetch, "good", "/small");
    nginx_got(&scene, &fetch);
    assert_string_equal(fetch.body, "small");
    assert_int_equal(fetch.http_version, 20);
    assert_true(fetch.times.tls > fetch.times.connect);
    weft_http_fetch_free(&fetch);
    nginx_get(&scene, &fetch, "old", "/small");
    nginx_got(&scene, &fetch);
    assert_int_equal(fetch.http_version, 11);
    weft_http_fetch_free(&fetch);
    nginx_scene_down(&scene);
}

static void refused(const char *host, enum weft_http_fetch_detail detail, const char *words)
{
    struct weft_http_fetch fetch = {0};
    nginx_open(&scene);
    nginx_get(&scene, &fetch, host, "/small");
    await(&scene.w, &fetch.op);
    failed_with(&fetch, WEFT_ETLS, WEFT_FETCH_FAILED_TLS, detail, words);
    assert_int_equal(fetch.status, 0);
    weft_http_fetch_free(&fetch);
    nginx_scene_down(&scene);
}

TEST(a_certificate_of_another_host_is_refused)
{
    nginx_scene(&scene);
    refused("wrong", WEFT_FETCH_TLS_WRONG_HOST, "the certificate of wrong.test");
}

TEST(an_expired_certificate_is_refused)
{
    nginx_scene(&scene);
    refused("expired", WEFT_FETCH_TLS_EXPIRED, "has expired");
}

TEST(a_self_signed_certificate_is_refused)
{
    nginx_scene(&scene);
    refused("self", WEFT_FETCH_TLS_SELF_SIGNED, "signed by nobody but itself");
}

TEST(an_unknown_authority_is_refused)
{
    nginx_scene(&scene);
    scene.client.ca_file = NULL; /* whom the system trusts: not us */
    refused("good", WEFT_FETCH_TLS_UNKNOWN_ISSUER, "do not trust");
}

TEST(a_key_that_is_not_the_pinned_one_is_refused)
{
    nginx_scene(&scene);
    scene.client.pinned_key = "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    refused("good", WEFT_FETCH_TLS_WRONG_KEY, "not the one it should have");
}

TEST(files_of_our_own_that_are_missing_are_told)
{
    nginx_scene(&scene);
    scene.client.ca_file = "/nowhere/at/all";
    refused("good", WEFT_FETCH_TLS_OUR_FILES, "our own certificate files");
}

TEST(a_server_without_tls_is_told)
{
    struct weft_http_fetch fetch = {0};
    char url[URL_MAX];
    nginx_scene(&scene);
    nginx_open(&scene);
    snprintf(url, sizeof url, "https://plain.test:%u/", nginx.port);
    weft_http_fetch(scene_root(&scene), &fetch, &scene.client, url, noted);
    await(&scene.w, &fetch.op);
    failed_with(&fetch, WEFT_ETLS, WEFT_FETCH_FAILED_TLS, WEFT_FETCH_TLS_HANDSHAKE, "terms");
    weft_http_fetch_free(&fetch);
    nginx_scene_down(&scene);
}

TEST(the_pinned_key_is_accepted)
{
    struct weft_http_fetch fetch = {0};
    char pin[200];
    nginx_scene(&scene);
    snprintf(pin, sizeof pin, "sha256//%s", nginx.pin);
    scene.client.pinned_key = pin;
    nginx_open(&scene);
    nginx_get(&scene, &fetch, "good", "/small");
    nginx_got(&scene, &fetch);
    weft_http_fetch_free(&fetch);
    nginx_scene_down(&scene);
}

TEST(verification_can_be_switched_off)
{
    struct weft_http_fetch fetch = {0};
    nginx_scene(&scene);
    scene.client.tls_no_verify = true;
    nginx_open(&scene);
    nginx_get(&scene, &fetch, "self", "/small");
    nginx_got(&scene, &fetch);
    weft_http_fetch_free(&fetch);
    nginx_scene_down(&scene);
}

/* ---- HTTP/2 --------------------------------------------------------------------------------- */

TEST(many_streams_share_one_connection)
{
    static struct weft_http_fetch fetches[20];
    memset(fetches, 0, sizeof fetches);
    nginx_scene(&scene);
    nginx_open(&scene);
    for (int i = 0; i < 20; i++)
        nginx_get(&scene, &fetches[i], "good", "/big");
    for (int i = 0; i < 20; i++) {
        nginx_got(&scene, &fetches[i]);
        assert_int_equal(fetches[i].http_version, 20);
        assert_int_equal(fetches[i].body_size, 200000);
        weft_http_fetch_free(&fetches[i]);
    }
    assert_int_equal(scene.client.connections, 1);
    nginx_scene_down(&scene);
}

TEST(a_stream_that_is_cancelled_leaves_the_others_alone)
{
    static struct weft_http_fetch fetches[6];
    memset(fetches, 0, sizeof fetches);
    nginx_scene(&scene);
    nginx_open(&scene);
    for (int i = 0; i < 6; i++)
        nginx_get(&scene, &fetches[i], "good", "/big");
    await_that(&scene.w, fetches[0].received > 0);
    for (int i = 0; i < 6; i += 2)
        weft_cancel(&fetches[i].op, UV_EINTR);
    for (int i = 0; i < 6; i++) {
        await(&scene.w, &fetches[i].op);
        assert_true(i % 2 == 0 ? fetches[i].op.status == UV_EINTR || fetches[i].op.status == 0
                               : fetches[i].op.status == 0);
        weft_http_fetch_free(&fetches[i]);
    }
    struct weft_http_fetch fetch = {0};
    nginx_get(&scene, &fetch, "good", "/small");
    nginx_got(&scene, &fetch);
    assert_true(fetch.reused);
    weft_http_fetch_free(&fetch);
    assert_int_equal(scene.client.connections, 1);
    nginx_scene_down(&scene);
}

/* How the server says that it ended: how many bytes were sent, and whether that was all. */
static void wait_for_log(const char *uri, unsigned *bytes, bool *complete)
{
    char path[SCRATCH_PATH], line[256], asked[200], ended[16];
    scratch_path(path, "access.log");
    for (int i = 0; i < 200; i++) {
        FILE *log = fopen(path, "r");
        while (log != NULL && fgets(line, sizeof line, log) != NULL) {
            if (sscanf(line, "%199s %u %15s", asked, bytes, ended) == 3 &&
                strcmp(asked, uri) == 0) {
                *complete = strcmp(ended, "OK.") == 0;
                fclose(log);
                return;
            }
        }
        if (log != NULL)
            fclose(log);
        usleep(10000);
    }
    fail_msg("the server has not noticed that %s is over", uri);
}

TEST(the_server_sees_that_a_stream_is_cancelled)
{
    struct weft_http_fetch slow = {0}, other = {0};
    unsigned bytes;
    bool complete;
    nginx_scene(&scene);
    nginx_open(&scene);
    nginx_get(&scene, &slow, "good", "/slow");
    nginx_get(&scene, &other, "good", "/less/slow");
    await_that(&scene.w, slow.received > 0 && other.received > 0);
    assert_false(over(&other.op));
    weft_cancel(&slow.op, UV_EINTR);
    await(&scene.w, &slow.op);
    assert_int_equal(slow.op.status, UV_EINTR);
    assert_false(over(&other.op));
    nginx_got(&scene, &other);
    assert_int_equal(other.body_size, 200000);
    assert_int_equal(scene.client.connections, 1);
    wait_for_log("/slow", &bytes, &complete);
    assert_true(bytes < 200000 && !complete);
    wait_for_log("/less/slow", &bytes, &complete);
    assert_true(bytes == 200000 && complete);
    weft_http_fetch_free(&slow);
    weft_http_fetch_free(&other);
    nginx_scene_down(&scene);
}

static size_t taken;
static unsigned pauses;

static int take_and_pause(struct weft_http_fetch *fetch, const char *data, size_t size)
{
    (void)data;
    if (++pauses % 2 == 0) {
        weft_http_fetch_resume(fetch);
        return WEFT_FETCH_PAUSE;
    }
    taken += size;
    return WEFT_FETCH_TAKEN;
}

TEST(a_stream_can_be_paused)
{
    struct weft_http_fetch fetch = {.on_body = take_and_pause};
    taken = pauses = 0;
    nginx_scene(&scene);
    nginx_open(&scene);
    nginx_get(&scene, &fetch, "good", "/big");
    nginx_got(&scene, &fetch);
    assert_int_equal(taken, 200000);
    assert_true(pauses > 2);
    weft_http_fetch_free(&fetch);
    nginx_scene_down(&scene);
}

TEST(http2_can_be_switched_off)
{
    struct weft_http_fetch fetch = {0};
    nginx_scene(&scene);
    scene.client.no_http2 = true;
    nginx_open(&scene);
    nginx_get(&scene, &fetch, "good", "/small");
    nginx_got(&scene, &fetch);
    assert_int_equal(fetch.http_version, 11);
    weft_http_fetch_free(&fetch);
    nginx_scene_down(&scene);
    fetch.version = WEFT_FETCH_1_1;
    nginx_scene(&scene);
    nginx_open(&scene);
    nginx_get(&scene, &fetch, "good", "/small");
    nginx_got(&scene, &fetch);
    assert_int_equal(fetch.http_version, 11);
    weft_http_fetch_free(&fetch);
    nginx_scene_down(&scene);
}

TEST(http2_can_be_spoken_without_asking)
{
    struct weft_http_fetch fetch = {.version = WEFT_FETCH_2_ALONE};
    char url[URL_MAX];
    nginx_scene(&scene);
    nginx_open(&scene);
    snprintf(url, sizeof url, "http://bare.test:%u/small", nginx.bare_port);
    weft_http_fetch(scene_root(&scene), &fetch, &scene.client, url, noted);
    nginx_got(&scene, &fetch);
    assert_int_equal(fetch.http_version, 20);
    assert_string_equal(fetch.body, "small");
    weft_http_fetch_free(&fetch);
    nginx_scene_down(&scene);
}

/* ---- cookies, netrc ------------------------------------------------------------------------- */

static void page_is(const char *host, const char *path, const char *expected)
{
    struct weft_http_fetch fetch = {0};
    nginx_get(&scene, &fetch, host, path);
    nginx_got(&scene, &fetch);
    if (strcmp(fetch.body, expected) != 0)
        fail_msg("%s is \"%s\" and not \"%s\"", path, fetch.body, expected);
    weft_http_fetch_free(&fetch);
}

TEST(cookies_are_kept_if_asked)
{
    nginx_scene(&scene);
    nginx_open(&scene);
    page_is("plain", "/cookie/set", "");
    page_is("plain", "/cookie/get", "");
    nginx_scene_down(&scene);
    nginx_scene(&scene);
    scene.client.cookies = true;
    nginx_open(&scene);
    page_is("plain", "/cookie/set", "");
    page_is("plain", "/cookie/get", "a=b");
    nginx_scene_down(&scene);
}

TEST(cookies_survive_in_a_file)
{
    char jar[SCRATCH_PATH];
    for (int i = 0; i < 2; i++) {
        nginx_scene(&scene);
        scene.client.cookie_file = scratch_path(jar, "jar");
        nginx_open(&scene);
        page_is("plain", "/cookie/get", i == 0 ? "" : "a=b");
        page_is("plain", "/cookie/set", "");
        nginx_scene_down(&scene);
    }
}

TEST(netrc_has_the_passwords)
{
    char path[SCRATCH_PATH];
    nginx_scene(&scene);
    scene.client.netrc_file =
        scratch_file(path, "netrc", "machine plain.test login me password secret\n");
    nginx_open(&scene);
    page_is("plain", "/auth", "Basic bWU6c2VjcmV0");
    nginx_scene_down(&scene);
    nginx_scene(&scene);
    nginx_open(&scene);
    page_is("plain", "/auth", "");
    nginx_scene_down(&scene);
}
