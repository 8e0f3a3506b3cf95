/* Answering from a folder, through the conformance suite. Every run has a request of its own, that
 * a handler has left without an answer; the client reads nothing, but what is asked for fits into
 * the kernel's buffers.
 * ctest: labels=valgrind-long timeout=120 */
#include "files_site.h"
#include "provider.h"

enum { REQUESTS = 12, LARGE = 300000 };

static struct weft_http_server server;
static struct weft_http_files files;
static const struct weft_http_files closed_files;
static int clients[REQUESTS];
static size_t count, used;
static enum way way;
static const char *path;

/* The op of a run is not below its request's, as it should be, but where the suite puts it. So a
 * request that is cancelled first waits for the run it was given to. */
static struct parked {
    struct weft_http_request *request; /* NULL: it is over */
    bool given, cancelled;
} parked[REQUESTS];

static struct parked *parked_of(const struct weft_http_request *request)
{
    size_t i = 0;
    while (i < count && parked[i].request != request)
        i++;
    return i < count ? &parked[i] : NULL;
}

static void let_go(struct parked *its)
{
    if (its->cancelled && !its->given)
        weft_join(&its->request->op); /* the answer may be under way */
}

static void unpark(struct weft_op *op, int reason)
{
    struct parked *its = parked_of(weft_owner(op, struct weft_http_request, op));
    (void)reason;
    its->cancelled = true;
    let_go(its);
}

static void park(struct weft_op *op)
{
    parked[count++] = (struct parked){weft_owner(op, struct weft_http_request, op), false, false};
    weft_on_cancel(op, unpark);
}

static void request_over(struct weft_http_request *request)
{
    struct parked *its = parked_of(request);
    if (its != NULL)
        its->request = NULL;
}

static void release(void *storage)
{
    struct parked *its = parked_of(((struct weft_http_file *)storage)->request);
    if (its == NULL)
        return;
    its->given = false;
    let_go(its);
}

static void over(struct weft_op *root, struct weft_op *op)
{
    (void)root;
    (void)op;
}

static void up(struct weft_loop *loop)
{
    struct weft_address address;
    assert_int_equal(weft_address_parse(&address, "127.0.0.1:0"), 0);
    memset(&files, 0, sizeof files);
    files.listing = true;
    assert_int_equal(weft_http_files_open(&files, scratch_dir()), 0);
    if (way != CACHED)
        files.in_memory_ = false;
    files.slow_ = way == SLOW;
    count = used = 0;
    server = (struct weft_http_server){.handler = park,
                                       .done = request_over,
                                       .head_ms = WEFT_HTTP_NEVER,
                                       .idle_ms = WEFT_HTTP_NEVER,
                                       .write_ms = WEFT_HTTP_NEVER,
                                       .request_ms = WEFT_HTTP_NEVER};
    weft_http_serve(weft_root(loop), &server, &address, over);
    for (int i = 0; i < REQUESTS; i++) {
        clients[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        assert_int_equal(connect(clients[i], &server.address.to.any, server.address.size), 0);
        site_send(clients[i], "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    }
    while (count < REQUESTS) {
        if (loop->sim_ != NULL)
            weft_sim_step(loop->sim_);
        else
            uv_run(loop->uv, UV_RUN_NOWAIT);
    }
}

static void down(struct weft_loop *loop)
{
    (void)loop;
    weft_cancel(&server.op, UV_ECANCELED);
    for (int i = 0; i < REQUESTS; i++)
        close(clients[i]);
    weft_http_files_close(&files);
}

static void good(void *storage)
{
    struct weft_http_file *file = storage;
    assert_true(used < count);
    file->files = &files;
    parked[used].given = true;
    file->request = parked[used++].request;
    file->path = weft_text_of(path);
}

static void bad(void *storage)
{
    good(storage);
    ((struct weft_http_file *)storage)->files = &closed_files;
}

static void verify(void *storage)
{
    assert_int_equal(((struct weft_http_file *)storage)->request->answered, 200);
}

static void conforms(const char *name, enum way its_way, const char *its_path)
{
    struct weft_provider provider = {
        .name = name,
        WEFT_PROVIDER_OP(struct weft_http_file, op),
        .begin = weft_http_file_begin,
        .up = up,
        .down = down,
        .good = good,
        .bad = bad,
        .bad_status = UV_EINVAL,
        .nothing_status = UV_EINVAL,
        .verify = verify,
        .release = release,
        .flags = WEFT_PROVIDER_AWAITS,
    };
    way = its_way;
    path = its_path;
    scratch_empty();
    make_file("small", "small");
    make_large("large", LARGE);
    provider_check(&provider);
}

TEST(a_file_from_the_cache_conforms)
{
    conforms("http_file", CACHED, "/small");
}

TEST(a_file_from_the_pool_conforms)
{
    conforms("http_file on the pool", SLOW, "/small");
}

TEST(a_file_in_pieces_conforms)
{
    conforms("http_file in pieces", READ_ON_POOL, "/large");
}

TEST(a_listing_conforms)
{
    conforms("http_file as a listing", CACHED, "/");
}
