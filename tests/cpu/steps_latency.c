/* What slices are for: whoever waits for I/O does not wait for the computing.
 * ctest: shuffle=no timeout=120
 *
 * Four that compute without end, and a socket that is answered on the same loop. The client is on a
 * thread of its own, as clients are: one on the same loop would have to wait for a turn itself before
 * it sees the answer, and would measure that. A round trip takes one slice at most, and what the
 * kernel takes to wake the client. If each of the four had a slice in each iteration, that would be four.
 *
 * Machines are noisy: that a thread has to wait for a processor which somebody else has is not the
 * library's doing. The kernel counts that time (schedstat), so that it can be taken out; and the best of
 * some rounds counts: a library that makes I/O wait does so in all of them. */
#include "loop.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <weft/steps.h>
#include <weft/stream.h>

enum { COMPUTING = 4, TRIPS = 300, ROUNDS = 8, BUDGET_US = WEFT_STEPS_BUDGET_US };

static struct weft_steps works[COMPUTING];

static int compute(struct weft_steps *steps)
{
    for (unsigned i = 0; i < 100; i++)
        steps->done = steps->done * 6364136223846793005U + 1442695040888963407U;
    return WEFT_MORE;
}

/* ---- the server ----------------------------------------------------------------------------- */

static struct weft_op app;
static struct weft_stream stream;
static struct weft_read reading;
static struct weft_write writing;
static char bytes[64]; /* a read that fills it tries again at once: not what is meant here */

static void received(struct weft_op *op, struct weft_op *read);

static void sent(struct weft_op *op, struct weft_op *write)
{
    if (write->status == 0)
        weft_read(op, &reading, &stream, bytes, sizeof bytes, received);
    else
        weft_end(op, write->status);
}

static void received(struct weft_op *op, struct weft_op *read)
{
    if (read->status == 0)
        weft_write(op, &writing, &stream, bytes, reading.size, sent);
    else
        weft_end(op, read->status == UV_EOF ? 0 : read->status); /* the computing ends with it */
}

static void serve(struct weft_op *op)
{
    for (int i = 0; i < COMPUTING; i++)
        weft_steps(op, &works[i], compute, weft_ignore);
    weft_read(op, &reading, &stream, bytes, sizeof bytes, received);
}

/* ---- the client ----------------------------------------------------------------------------- */

static pid_t this_thread(void)
{
    return (pid_t)syscall(SYS_gettid);
}

struct client {
    int fd;
    pid_t loop_thread;
    unsigned failed;
    uint64_t took_ns[TRIPS];
};

static int open_schedstat(pid_t thread)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/schedstat", (int)thread);
    return open(path, O_RDONLY | O_CLOEXEC);
}

/* How long a thread has waited for a processor so far; 0 where nobody knows. */
static uint64_t waited_ns(int schedstat)
{
    char text[128];
    ssize_t size = pread(schedstat, text, sizeof text - 1, 0);
    char *rest = text;
    if (size <= 0)
        return 0;
    text[size] = '\0';
    strtoull(rest, &rest, 10); /* how long it ran */
    return strtoull(rest, NULL, 10);
}

static void ask(void *data)
{
    struct client *client = data;
    int loops = open_schedstat(client->loop_thread), own = open_schedstat(this_thread());
    for (int i = 0; i < TRIPS; i++) {
        char letter = 'x';
        uint64_t waited = waited_ns(loops) + waited_ns(own), begun = uv_hrtime();
        if (write(client->fd, &letter, 1) != 1 || read(client->fd, &letter, 1) != 1)
            client->failed++;
        uint64_t took = uv_hrtime() - begun;
        waited = waited_ns(loops) + waited_ns(own) - waited;
        client->took_ns[i] = took > waited ? took - waited : 0;
    }
    close(loops);
    close(own);
    close(client->fd);
}

static int by_time(const void *one, const void *other)
{
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return a < b ? -1 : a > b;
}

static uint64_t measure_p99_us(void)
{
    struct world w;
    static struct client client;
    uv_thread_t thread;
    int ends[2];
    world_up(&w);
    client.failed = 0;
    client.loop_thread = this_thread();
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    client.fd = ends[1];
    weft_run(weft_root(&w.loop), &app, NULL, noted);
    weft_stream_open(&app, &stream, NULL);
    assert_int_equal(weft_stream_adopt(&stream, ends[0]), 0);
    serve(&app);
    assert_int_equal(uv_thread_create(&thread, ask, &client), 0);
    assert_int_equal(world_run(&w), 0);
    uv_thread_join(&thread);
    world_close(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(client.failed, 0);
    for (int i = 0; i < COMPUTING; i++)
        assert_true(works[i].slices > 0);
    qsort(client.took_ns, TRIPS, sizeof client.took_ns[0], by_time);
    return client.took_ns[TRIPS * 99 / 100] / 1000;
}

TEST(the_99th_percentile_of_an_echo_is_below_three_budgets_while_four_compute)
{
    uint64_t best = UINT64_MAX;
    for (int round = 0; round < ROUNDS && best >= 3 * BUDGET_US; round++) {
        uint64_t p99 = measure_p99_us();
        if (p99 < best)
            best = p99;
    }
    fprintf(stderr, "p99 %u us, with a budget of %d us\n", (unsigned)best, BUDGET_US);
    assert_true(best < 3 * BUDGET_US);
}
