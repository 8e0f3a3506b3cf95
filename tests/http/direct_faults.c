/* Without memory, over connections of our own: every allocation fails once, from opening the
 * client to closing it, with a redirect, a name, and what is packed.
 * ctest: timeout=120 */
#include "fault.h"
#include "outside.h"

static struct outside server;
static struct weft_http_client client;
static struct weft_http_fetch fetch;

/* "hello", as gzip packs it. */
static const unsigned char packed[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
                                       0x03, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00, 0x86,
                                       0xa6, 0x10, 0x36, 0x05, 0x00, 0x00, 0x00};

static void moved_once(struct peer *peer)
{
    if (asked_for(peer, "GET /there")) {
        say_text(peer, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 25\r\n\r\n");
        say(peer, (const char *)packed, sizeof packed);
    } else {
        say_text(peer, "HTTP/1.1 302 Moved\r\nLocation: /there\r\nContent-Length: 5\r\n\r\nmoved");
    }
}

static void noted_fetch(struct weft_op *root, struct weft_op *op)
{
    (void)root;
    bool opened = client.engine_ != NULL;
    if (op->status != 0 && op->status != (opened ? UV_ENOMEM : UV_EINVAL))
        fail_msg("it ended with %s", weft_error_name(op->status));
    if (op->status == 0) {
        assert_string_equal(fetch.body, "hello");
        assert_int_equal(fetch.redirects, 1);
        assert_true(fetch.reused);
    }
    if (op->status == UV_ENOMEM)
        assert_int_equal(fetch.failure, WEFT_FETCH_FAILED_MEMORY);
    weft_http_fetch_free(&fetch);
    weft_http_client_close(&client);
    outside_down(&server);
}

static void scenario(unsigned long n)
{
    uv_loop_t uv;
    struct weft_loop loop;
    char url[URL_MAX];
    (void)n;
    assert_int_equal(uv_loop_init(&uv), 0);
    if (weft_loop_init(&loop, &uv) != 0) {
        uv_run(&uv, UV_RUN_DEFAULT);
        uv_loop_close(&uv);
        return;
    }
    memset(&client, 0, sizeof client);
    outside_up(&loop, &server, moved_once);
    client.resolve = resolve_to_loopback;
    client.user_agent = "weft";
    weft_http_client_open(weft_root(&loop), &client, nothing);
    fetch = (struct weft_http_fetch){.max_redirects = 2, .accept_encoding = "", .keep_heads = true};
    snprintf(url, sizeof url, "%s/", server.named);
    weft_http_fetch(weft_root(&loop), &fetch, &client, url, noted_fetch);
    assert_int_equal(weft_loop_run(&loop), 0);
    assert_int_equal(weft_loop_close(&loop), 0);
    uv_run(&uv, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&uv), 0);
}

TEST(a_client_of_our_own_survives_running_out_of_memory)
{
    fault_ladder(scenario);
    assert_true(fault_ladder_height() > 18);
}
