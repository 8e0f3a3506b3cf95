/* Without memory: every allocation of ours and of curl's fails once, from opening the client to
 * closing it, and each time there is a clear error and nothing is left. No cookies here: curl 7.88
 * itself loses two small blocks when the memory for one runs out.
 * ctest: timeout=120 also=WEFT_TEST_NO_DIRECT */
#include "fault.h"
#include "outside.h"

static struct outside server;
static struct weft_http_client client;
static struct weft_http_fetch fetch;

static void moved_once(struct peer *peer)
{
    if (strstr(peer->request, "/there") != NULL)
        answer(peer, "%s", body_of(peer));
    else
        say_text(peer, "HTTP/1.1 307 Moved\r\nLocation: /there\r\n"
                       "Content-Length: 5\r\n\r\nmoved");
}

static void noted_fetch(struct weft_op *root, struct weft_op *op)
{
    (void)root;
    bool opened = client.engine_ != NULL;
    if (op->status != 0 && op->status != (opened ? UV_ENOMEM : UV_EINVAL))
        fail_msg("it ended with %s", weft_error_name(op->status));
    if (op->status == 0) {
        assert_string_equal(fetch.body, "body");
        assert_int_equal(fetch.redirects, 1);
    }
    if (op->status == UV_ENOMEM)
        assert_int_equal(fetch.failure, WEFT_FETCH_FAILED_MEMORY);
    weft_http_fetch_free(&fetch);
    weft_http_client_close(&client);
    outside_down(&server);
}

static void scenario(unsigned long n)
{
    static const char *const fields[] = {"X-One: 1", "X-Two: 2"};
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
    fetch = (struct weft_http_fetch){.keep_heads = true,
                                     .fields = fields,
                                     .fields_count = 2,
                                     .data = "body",
                                     .data_size = 4,
                                     .max_redirects = 2,
                                     .user = "me",
                                     .password = "secret",
                                     .accept_encoding = ""};
    snprintf(url, sizeof url, "%s/", server.named);
    weft_http_fetch(weft_root(&loop), &fetch, &client, url, noted_fetch);
    assert_int_equal(weft_loop_run(&loop), 0);
    assert_int_equal(weft_loop_close(&loop), 0);
    uv_run(&uv, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&uv), 0);
}

TEST(a_client_survives_running_out_of_memory)
{
    fault_ladder(scenario);
    assert_true(fault_ladder_height() > 100);
}
