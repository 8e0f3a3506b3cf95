/* Clients that others have written: curl, wrk and h2load, against a server in this process.
 * ctest: timeout=120 */
#include "client.h"
#include "scratch.h"
#include <weft/process.h>
#include <weft/timer.h>

static struct site s;

/* ---- the server ----------------------------------------------------------------------------- */

enum { PIECES = 50, PIECE = 20000 };

struct work {
    struct weft_http_request request;
    struct weft_http_read_all all;
    struct weft_http_write write;
    struct weft_sleep sleep;
    int pieces;
};

static char piece[PIECE];
static int sleep_status;

static struct work *work_of(struct weft_op *op)
{
    return weft_owner(op, struct work, request.op);
}

static void hello(struct weft_op *op)
{
    weft_http_answer(request_of(op), 200, "text/plain", "hello\n", 6);
}

/* The body is the request's own, and lives as long as it does. */
static void free_body(struct weft_http_request *request)
{
    weft_http_read_all_free(&weft_owner(request, struct work, request)->all);
}

static void echo_read(struct weft_op *op, struct weft_op *all)
{
    struct work *work = work_of(op);
    if (all->status != 0)
        weft_end(op, all->status);
    else
        weft_http_answer(&work->request, 200, NULL, work->all.data, work->all.size);
}

static void stream_on(struct weft_op *op, struct weft_op *write)
{
    struct work *work = work_of(op);
    if (write->status != 0)
        weft_end(op, write->status);
    else if (++work->pieces < PIECES)
        weft_http_write(op, &work->write, &work->request, piece, PIECE, stream_on);
    else
        weft_http_end(&work->request);
}

static void stream(struct weft_op *op)
{
    struct work *work = work_of(op);
    memset(piece, 'x', sizeof piece);
    assert_int_equal(weft_http_start(&work->request, 200, NULL, WEFT_HTTP_UNKNOWN), 0);
    weft_http_write(op, &work->write, &work->request, piece, PIECE, stream_on);
}

static void slept(struct weft_op *op, struct weft_op *sleep)
{
    sleep_status = sleep->status;
    weft_finish(op, sleep->status);
}

static void by_path(struct weft_op *op)
{
    struct work *work = work_of(op);
    if (weft_text_is(work->request.head.path, "/echo"))
        weft_http_read_all(op, &work->all, &work->request, echo_read);
    else if (weft_text_is(work->request.head.path, "/stream"))
        stream(op);
    else if (weft_text_is(work->request.head.path, "/sleep"))
        weft_sleep(op, &work->sleep, 1000000, slept);
    else
        hello(op);
}

static void up(void)
{
    site_prepare_on(&s, false, by_path);
    s.server.request_size = sizeof(struct work);
    s.server.done = free_body;
    sleep_status = 1;
    site_start(&s);
}

/* Drained, as on SIGTERM: whoever is still there has to let go. */
static void down(void)
{
    weft_http_drain(&s.server, 5000);
    while (s.status == 1)
        uv_run(&s.w.uv, UV_RUN_ONCE);
    assert_int_equal(s.status, 0);
    site_down(&s);
}

/* ---- the clients ---------------------------------------------------------------------------- */

static char output[1 << 16];

static void process_over(struct weft_op *root, struct weft_op *op)
{
    (void)root;
    (void)op;
}

/* Run a command of the shell, in which $URL is the server's, in the scratch folder; its exit code.
 * What it printed is in output. */
static int outside(const char *command)
{
    char url[100], path[SCRATCH_PATH], line[2000];
    struct weft_process process = {0};
    assert_int_equal(weft_http_url(&s.server, url, sizeof url), 0);
    snprintf(line, sizeof line, "URL=%s; %s", url, command);
    const char *const args[] = {"sh", "-c", line, NULL};
    int out = open(scratch_path(path, "output"), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(out >= 0);
    process.out = process.err = (struct weft_stdio){.kind = WEFT_STDIO_FD, .fd = out};
    process.cwd = scratch_dir();
    weft_process(weft_root(&s.w.loop), &process, args, process_over);
    while (process.op.state_ != OP_IDLE)
        uv_run(&s.w.uv, UV_RUN_ONCE);
    ssize_t size = pread(out, output, sizeof output - 1, 0);
    assert_true(size >= 0);
    output[size] = '\0';
    close(out);
    return process.exit_code;
}

/* It succeeds and prints exactly this. */
static void prints(const char *command, const char *expected)
{
    assert_int_equal(outside(command), 0);
    assert_string_equal(output, expected);
}

static void needs(const char *program)
{
    char line[100];
    snprintf(line, sizeof line, "command -v %s", program);
    up();
    bool has = outside(line) == 0;
    down();
    if (!has) {
        print_message("no %s here\n", program);
        skip();
    }
    up();
}

TEST(curl_gets_what_it_asks_for)
{
    needs("curl");
    prints("curl -sS $URL", "hello\n");
    prints("curl -sS --http1.0 $URL", "hello\n");
    prints("curl -sS -o /dev/null -w '%{http_code} %{size_download}' -I $URL", "200 0");
    prints("curl -sS -X OPTIONS $URL", "hello\n");
    prints("curl -sS ${URL}stream | wc -c", "1000000\n");
    prints("curl -sS --http1.0 ${URL}stream | wc -c", "1000000\n");
    prints("curl -sS -I ${URL}stream -o /dev/null -w '%{http_code}'", "200");
    down();
}

TEST(curl_uses_a_connection_again)
{
    needs("curl");
    uint64_t before = s.server.accepted;
    prints(
        "curl -sS $URL $URL ${URL}stream ${URL}echo -d body $URL -w '%{num_connects} ' -o one -o "
        "two -o three -o four -o five",
        "1 0 0 0 0 ");
    assert_int_equal(s.server.accepted, before + 1);
    down();
}

TEST(curl_sends_what_it_has)
{
    needs("curl");
    assert_int_equal(outside("head -c 900000 /dev/urandom >big; printf x >one; : >empty"), 0);
    prints(
        "for file in big one empty; do curl -sS --data-binary @$file ${URL}echo | cmp - $file || "
        "exit 1; done",
        "");
    prints("for file in big one empty; do curl -sS -T - ${URL}echo <$file | cmp - $file || exit 1; "
           "done",
           ""); /* in chunks */
    prints("curl -sS -H 'Expect: 100-continue' --data-binary @big ${URL}echo | cmp - big", "");
    prints("curl -sSv -H 'Expect: 100-continue' --data-binary @one ${URL}echo 2>&1 | grep -c '100 "
           "Continue'",
           "1\n");
    down();
}

TEST(curl_is_told_that_it_has_too_much)
{
    needs("curl");
    assert_int_equal(outside("head -c 3000000 /dev/zero >huge"), 0);
    prints("curl -sS -o /dev/null -w '%{http_code}' --data-binary @huge ${URL}echo", "413");
    prints("curl -sS -o /dev/null -w '%{http_code}' -H Expect: --data-binary @huge ${URL}echo",
           "413");
    prints("curl -sS -o /dev/null -w '%{http_code}' -H Expect: -T - ${URL}echo <huge", "413");
    prints("curl -sS -o /dev/null -w '%{http_code}' -H Expect: --data-binary @huge $URL", "200");
    down();
}

TEST(curl_that_is_killed_stops_the_work)
{
    needs("curl");
    assert_int_equal(outside("timeout 0.3 curl -sS ${URL}sleep"), 124);
    until(&s, s.server.connections == 0);
    assert_int_equal(sleep_status, UV_ECONNRESET);
    down();
}

TEST(wrk_meets_no_error)
{
    needs("wrk");
    assert_int_equal(outside("wrk -t1 -c64 -d1s $URL"), 0);
    assert_null(strstr(output, "Socket errors"));
    assert_null(strstr(output, "Non-2xx"));
    assert_true(s.server.requests > 100);
    down();
}

TEST(h2load_meets_no_error_when_it_pipelines)
{
    needs("h2load");
    assert_int_equal(outside("h2load --h1 -c16 -m8 -n8000 $URL"), 0);
    assert_non_null(strstr(output, "8000 succeeded, 0 failed, 0 errored"));
    assert_non_null(strstr(output, "8000 2xx"));
    assert_int_equal(outside("h2load --h1 -c4 -m2 -n40 ${URL}stream"), 0);
    assert_non_null(strstr(output, "40 succeeded, 0 failed, 0 errored"));
    down();
}
