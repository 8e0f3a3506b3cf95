/* Connecting: directly, by name, and by happy eyeballs.
 * ctest: labels=valgrind */
#include "streams.h"
#include "scratch.h"
#include "fault.h"
#include "io/stream.h"
#include <dirent.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct weft_address address_of(const char *text)
{
    struct weft_address address;
    assert_int_equal(weft_address_parse(&address, text), 0);
    return address;
}

static void listen_on(struct world *w, struct weft_listen *listener, const char *text)
{
    struct weft_address address = address_of(text);
    weft_listen(root_of(w), listener, &address, noted);
}

static int open_descriptors(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int count = 0;
    assert_non_null(dir);
    while (readdir(dir) != NULL)
        count++;
    closedir(dir);
    return count;
}

/* ---- addresses that answer, refuse, or do nothing ------------------------------------------- */

/* An address of the loopback where nobody listens. The port stays taken: given back, it might be
 * another program's a moment later. */
static struct weft_address refusing(void)
{
    static int fd = -1;
    static struct weft_address address;
    if (fd >= 0)
        return address;
    address = address_of("127.0.0.1:0");
    fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, &address.to.any, address.size), 0);
    assert_int_equal(getsockname(fd, &address.to.any, &address.size), 0);
    return address;
}

/* An address to which no way leads: TCP has no broadcasts. */
static struct weft_address unreachable(void)
{
    return address_of("255.255.255.255:9");
}

/* An address that swallows connections: a listener whose backlog is full. */
struct hole {
    int fd, filling[4];
    struct weft_address address;
};

static void hole_up(struct hole *hole)
{
    hole->address = address_of("127.0.0.1:0");
    hole->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(hole->fd, &hole->address.to.any, hole->address.size), 0);
    assert_int_equal(getsockname(hole->fd, &hole->address.to.any, &hole->address.size), 0);
    assert_int_equal(listen(hole->fd, 0), 0);
    for (int i = 0; i < 4; i++) {
        hole->filling[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        (void)!connect(hole->filling[i], &hole->address.to.any, hole->address.size);
    }
}

static void hole_down(struct hole *hole)
{
    for (int i = 0; i < 4; i++)
        close(hole->filling[i]);
    close(hole->fd);
}

/* ---- one address ---------------------------------------------------------------------------- */

static void connect_to(const char *text)
{
    struct world w;
    struct weft_listen listener = {0};
    struct weft_stream client = {0}, server = {0};
    struct weft_connect connect = {0};
    struct weft_accept accept = {0};
    struct weft_write write = {0};
    struct weft_read read = {0};
    char buffer[8];
    world_up(&w);
    listen_on(&w, &listener, text);
    weft_stream_open(root_of(&w), &client, noted);
    weft_stream_open(root_of(&w), &server, noted);
    weft_connect_address(root_of(&w), &connect, &client, &listener.address, noted);
    weft_accept(root_of(&w), &accept, &listener, &server, noted);
    await(&w, &connect.op);
    await(&w, &accept.op);
    assert_int_equal(connect.op.status, 0);
    weft_write(root_of(&w), &write, &client, "hello", 5, noted);
    weft_read(root_of(&w), &read, &server, buffer, sizeof buffer, noted);
    await(&w, &read.op);
    assert_int_equal(read.size, 5);
    weft_stream_close(&client);
    weft_stream_close(&server);
    weft_listen_close(&listener);
    world_down(&w);
}

TEST(a_stream_connects_by_ip4)
{
    connect_to("127.0.0.1:0");
}

TEST(a_stream_connects_by_ip6)
{
    if (!has_ip6())
        skip();
    connect_to("[::1]:0");
}

TEST(a_stream_connects_by_a_unix_socket)
{
    char text[sizeof "unix:" + SCRATCH_PATH], path[SCRATCH_PATH];
    snprintf(text, sizeof text, "unix:%s", scratch_path(path, "socket"));
    connect_to(text);
    snprintf(text, sizeof text, "unix:@weft-connect-%d", (int)getpid());
    connect_to(text);
}

TEST(a_connection_has_the_options_it_was_given)
{
    for (int nagle = 0; nagle < 2; nagle++) {
        struct world w;
        struct weft_listen listener = {0};
        struct weft_stream stream = {0};
        struct weft_connect connect = {.tcp = {.nagle = nagle, .keepalive_s = nagle ? 77 : 0}};
        int value;
        socklen_t size = sizeof value;
        world_up(&w);
        listen_on(&w, &listener, "127.0.0.1:0");
        weft_stream_open(root_of(&w), &stream, noted);
        weft_connect_address(root_of(&w), &connect, &stream, &listener.address, noted);
        await(&w, &connect.op);
        int fd = weft_stream_fd(&stream);
        assert_int_equal(getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &value, &size), 0);
        assert_int_equal(value != 0, !nagle);
        assert_int_equal(getsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &value, &size), 0);
        assert_int_equal(value != 0, nagle);
        weft_stream_close(&stream);
        weft_listen_close(&listener);
        world_down(&w);
    }
}

TEST(a_stream_that_could_not_connect_may_try_again)
{
    struct world w;
    struct weft_listen listener = {0};
    struct weft_stream stream = {0};
    struct weft_connect connect = {0};
    world_up(&w);
    listen_on(&w, &listener, "127.0.0.1:0");
    struct weft_address nobody = refusing();
    weft_stream_open(root_of(&w), &stream, noted);
    weft_connect_address(root_of(&w), &connect, &stream, &nobody, noted);
    await(&w, &connect.op);
    assert_int_equal(connect.op.status, UV_ECONNREFUSED);
    struct weft_address missing = address_of("unix:/nowhere/at/all");
    weft_connect_address(root_of(&w), &connect, &stream, &missing, noted);
    await(&w, &connect.op);
    assert_int_equal(connect.op.status, UV_ENOENT);
    weft_connect_address(root_of(&w), &connect, &stream, &listener.address, noted);
    await(&w, &connect.op);
    assert_int_equal(connect.op.status, 0);
    weft_stream_close(&stream);
    weft_listen_close(&listener);
    world_down(&w);
}

TEST(a_connect_that_makes_no_sense_fails)
{
    struct world w;
    struct weft_stream stream = {0}, closed = {0};
    struct weft_connect connect = {0}, second = {0};
    struct hole hole;
    world_up(&w);
    hole_up(&hole);
    weft_stream_open(root_of(&w), &stream, noted);
    weft_connect_address(root_of(&w), &connect, NULL, &hole.address, noted);
    await(&w, &connect.op);
    assert_int_equal(connect.op.status, UV_EINVAL);
    weft_connect_address(root_of(&w), &connect, &closed, &hole.address, noted);
    await(&w, &connect.op);
    assert_int_equal(connect.op.status, UV_EINVAL);
    weft_connect_address(root_of(&w), &connect, &stream, NULL, noted);
    await(&w, &connect.op);
    assert_int_equal(connect.op.status, UV_EINVAL);
    weft_connect(root_of(&w), &connect, &stream, NULL, "80", noted);
    await(&w, &connect.op);
    assert_int_equal(connect.op.status, UV_EINVAL);
    weft_connect(root_of(&w), &connect, &stream, "127.0.0.1", NULL, noted);
    await(&w, &connect.op);
    assert_int_equal(connect.op.status, UV_EINVAL);
    weft_connect_address(root_of(&w), &connect, &stream, &hole.address, noted);
    weft_connect_address(root_of(&w), &second, &stream, &hole.address, noted);
    await(&w, &second.op);
    assert_int_equal(second.op.status, UV_EBUSY);
    assert_int_equal(weft_stream_adopt(&stream, 0), UV_EBUSY);
    weft_cancel(&connect.op, UV_ECANCELED);
    weft_stream_close(&stream);
    world_down(&w);
    hole_down(&hole);
}

/* ---- by name -------------------------------------------------------------------------------- */

static void connect_by_name(const char *host, const char *text, bool looks_up)
{
    struct world w;
    struct weft_listen listener = {0};
    struct weft_stream stream = {0};
    struct weft_connect connect = {0};
    struct weft_address peer;
    char port[8];
    world_up(&w);
    listen_on(&w, &listener, text);
    snprintf(port, sizeof port, "%u", weft_address_port(&listener.address));
    weft_stream_open(root_of(&w), &stream, noted);
    weft_connect(root_of(&w), &connect, &stream, host, port, noted);
    await(&w, &connect.op);
    assert_int_equal(connect.op.status, 0);
    assert_int_equal(weft_stream_peer(&stream, &peer), 0);
    assert_int_equal(weft_address_port(&peer), weft_address_port(&listener.address));
    assert_int_equal(weft_address_port(&connect.address), weft_address_port(&peer));
    assert_int_equal(connect.lookup_.op.site_ != NULL, looks_up);
    weft_stream_close(&stream);
    weft_listen_close(&listener);
    world_down(&w);
}

TEST(a_stream_connects_by_name)
{
    connect_by_name("localhost", "127.0.0.1:0", true);
}

TEST(a_numeric_host_needs_no_lookup)
{
    connect_by_name("127.0.0.1", "127.0.0.1:0", false);
    if (has_ip6())
        connect_by_name("::1", "[::1]:0", false);
}

TEST(a_name_that_does_not_exist_is_told)
{
    struct world w;
    struct weft_stream stream = {0};
    struct weft_connect connect = {0};
    world_up(&w);
    weft_stream_open(root_of(&w), &stream, noted);
    weft_connect(root_of(&w), &connect, &stream, "no such host", "80", noted);
    await(&w, &connect.op);
    assert_true(connect.op.status < 0);
    assert_false(weft_stream_connected(&stream));
    weft_connect(root_of(&w), &connect, &stream, "localhost", "no-such-service", noted);
    await(&w, &connect.op);
    assert_true(connect.op.status < 0);
    weft_stream_close(&stream);
    world_down(&w);
}

TEST(a_lookup_under_way_is_cancelled)
{
    for (int by_stream = 0; by_stream < 2; by_stream++) {
        struct world w;
        struct weft_stream stream = {0};
        struct weft_connect connect = {0};
        world_up(&w);
        weft_stream_open(root_of(&w), &stream, noted);
        weft_connect(root_of(&w), &connect, &stream, "localhost", "1", noted);
        if (by_stream)
            weft_stream_close(&stream);
        else
            weft_cancel(&connect.op, UV_ETIMEDOUT);
        await(&w, &connect.op);
        assert_int_equal(connect.op.status, by_stream ? UV_ECANCELED : UV_ETIMEDOUT);
        weft_stream_close(&stream);
        world_down(&w);
    }
}

/* ---- happy eyeballs ------------------------------------------------------------------------- */

static struct weft_address list[WEFT_CONNECT_ADDRESSES];
static size_t count;

/* What weft_connect does after its lookup, with a list of ours. */
static void connect_to_list(struct weft_op *op)
{
    struct weft_connect *connect = weft_owner(op, struct weft_connect, op);
    connect->attempts_ = NULL;
    connect->stream->connector_ = op;
    weft__connect_try(connect, list, count);
}

struct race {
    struct world w;
    struct weft_listen listener;
    struct weft_stream stream;
    struct weft_connect connect;
    struct hole hole;
};

/* Time is virtual, the kernel is not: on a busy machine its loopback needs a moment to answer, and
 * virtual time would move past an answer that is on its way. So the library's connect() is this one
 * here: while a race is on, it returns when the answer is there, unless there will be none. */
static const struct hole *racing;

static bool will_answer(const struct sockaddr *to)
{
    const struct sockaddr_in *hole = (const struct sockaddr_in *)&racing->address.to.any;
    return to->sa_family == AF_INET && ((const struct sockaddr_in *)to)->sin_port != hole->sin_port;
}

int connect(int fd, const struct sockaddr *to, socklen_t size)
{
    int result = (int)syscall(SYS_connect, fd, to, size);
    if (result != 0 && errno == EINPROGRESS && racing != NULL && will_answer(to)) {
        struct pollfd answer = {.fd = fd, .events = POLLOUT};
        assert_int_equal(poll(&answer, 1, 10000), 1);
        errno = EINPROGRESS;
    }
    return result;
}

static void race_up(struct race *r, uint64_t seed)
{
    memset(r, 0, sizeof *r);
    world_up_sim(&r->w, seed);
    hole_up(&r->hole);
    racing = &r->hole;
    listen_on(&r->w, &r->listener, "127.0.0.1:0");
    weft_stream_open(root_of(&r->w), &r->stream, noted);
    r->connect.stream = &r->stream;
    count = 0;
}

static void race_begin(struct race *r)
{
    weft_run(root_of(&r->w), &r->connect.op, connect_to_list, noted);
}

static void race_down(struct race *r)
{
    weft_stream_close(&r->stream);
    weft_listen_close(&r->listener);
    world_down(&r->w);
    racing = NULL;
    hole_down(&r->hole);
}

static void expect_race(const char *letters, int status, uint64_t when)
{
    struct race r;
    race_up(&r, 0);
    for (; *letters != '\0'; letters++)
        list[count++] = *letters == 'g'   ? r.listener.address
                        : *letters == 'r' ? refusing()
                        : *letters == 'u' ? unreachable()
                                          : r.hole.address;
    race_begin(&r);
    int before = open_descriptors();
    await(&r.w, &r.connect.op);
    assert_int_equal(r.connect.op.status, status);
    assert_int_equal(weft_now(&r.w.loop), when);
    assert_int_equal(weft_stream_connected(&r.stream), status == 0);
    assert_true(open_descriptors() <= before + 1);
    race_down(&r);
}

/* g: good, r: refuses, u: unreachable, h: a hole that swallows it. */
TEST(the_first_address_that_answers_is_taken)
{
    expect_race("g", 0, 0);
    expect_race("gh", 0, 0);
    expect_race("rg", 0, 0);
    expect_race("urg", 0, 0);
    expect_race("hg", 0, 250);
    expect_race("hhg", 0, 500);
    expect_race("hrg", 0, 250);
    expect_race("hrhg", 0, 500);
    expect_race("rrrrrrrrrrrrrrrg", 0, 0);
}

TEST(if_nobody_answers_the_most_telling_error_is_reported)
{
    expect_race("r", UV_ECONNREFUSED, 0);
    expect_race("u", UV_ENETUNREACH, 0);
    expect_race("ru", UV_ECONNREFUSED, 0);
    expect_race("ur", UV_ECONNREFUSED, 0);
    expect_race("uu", UV_ENETUNREACH, 0);
}

TEST(a_deadline_ends_attempts_that_nobody_answers)
{
    struct race r;
    struct weft_deadline deadline = {0};
    race_up(&r, 0);
    for (int i = 0; i < 3; i++)
        list[count++] = r.hole.address;
    r.connect.stagger_ms = 100;
    race_begin(&r);
    weft_deadline(&r.connect.op, &deadline, 1000);
    weft_sim_advance(&r.w.sim, 150);
    assert_int_equal(weft_running(&r.connect.op), 2);
    weft_sim_advance(&r.w.sim, 100);
    assert_int_equal(weft_running(&r.connect.op), 3);
    await(&r.w, &r.connect.op);
    assert_int_equal(r.connect.op.status, UV_ETIMEDOUT);
    assert_int_equal(weft_now(&r.w.loop), 1000);
    race_down(&r);
}

static void stop_by_cancel(struct race *r)
{
    weft_cancel(&r->connect.op, UV_EINTR);
}

static void stop_by_close(struct race *r)
{
    weft_stream_close(&r->stream);
}

static void stop_by_root(struct race *r)
{
    weft_cancel(root_of(&r->w), UV_EINTR);
}

/* Stop it after so many steps. false: it was over by then. */
static bool stop_at_step(unsigned steps, uint64_t seed, void (*stop)(struct race *r))
{
    struct race r;
    weft_fault_install();
    race_up(&r, seed);
    list[count++] = r.hole.address;
    list[count++] = refusing();
    list[count++] = r.hole.address;
    list[count++] = r.listener.address;
    int before = open_descriptors();
    race_begin(&r);
    for (unsigned i = 0; i < steps && !over(&r.connect.op); i++)
        assert_true(weft_sim_step(&r.w.sim));
    bool stopped = !over(&r.connect.op);
    bool ready = r.connect.op.state_ == OP_READY;
    if (stopped) {
        stop(&r);
        await(&r.w, &r.connect.op);
        assert_true(ready || r.connect.op.status < 0);
        assert_int_equal(ready && stop != stop_by_close && stop != stop_by_root,
                         weft_stream_connected(&r.stream));
        if (!weft_stream_connected(&r.stream))
            assert_true(open_descriptors() <= before);
    }
    race_down(&r);
    fault_remove();
    return stopped;
}

TEST(attempts_can_be_stopped_at_every_step)
{
    static void (*const ways[])(struct race * r) = {stop_by_cancel, stop_by_close, stop_by_root};
    for (size_t way = 0; way < 3; way++) {
        for (uint64_t seed = 0; seed < 4; seed++) {
            unsigned steps = 0;
            while (stop_at_step(steps, seed, ways[way]))
                steps++;
            assert_true(steps > 4);
        }
    }
}

/* Time passes before the loop looks at the first attempt, so that a second one is begun: both have
 * succeeded when it looks. */
TEST(an_attempt_that_succeeds_too_late_is_closed)
{
    struct world w;
    struct weft_listen listener = {0};
    struct weft_stream stream = {0}, servers[2] = {0};
    struct weft_accept accepts[2] = {0};
    struct weft_connect connect = {.stagger_ms = 1, .stream = &stream};
    struct weft_stream_wait gone[2] = {0};
    world_up(&w);
    listen_on(&w, &listener, "127.0.0.1:0");
    weft_stream_open(root_of(&w), &stream, noted);
    for (int i = 0; i < 2; i++) {
        weft_stream_open(root_of(&w), &servers[i], noted);
        weft_accept(root_of(&w), &accepts[i], &listener, &servers[i], noted);
    }
    list[0] = list[1] = listener.address;
    count = 2;
    look_around(&w);
    weft_run(root_of(&w), &connect.op, connect_to_list, noted);
    for (uint64_t begun = uv_hrtime(); uv_hrtime() - begun < 3000000;)
        continue;
    await(&w, &connect.op);
    assert_int_equal(connect.op.status, 0);
    await(&w, &accepts[0].op);
    await(&w, &accepts[1].op);
    for (int i = 0; i < 2; i++)
        weft_stream_gone(root_of(&w), &gone[i], &servers[i], noted);
    look_around(&w);
    assert_int_equal(over(&gone[0].op) + over(&gone[1].op), 1);
    weft_stream_close(&stream);
    await(&w, &gone[0].op);
    await(&w, &gone[1].op);
    for (int i = 0; i < 2; i++)
        weft_stream_close(&servers[i]);
    weft_listen_close(&listener);
    world_down(&w);
}

/* ---- without memory ------------------------------------------------------------------------- */

static void connect_with_little_memory(unsigned long n)
{
    struct world w;
    struct weft_listen listener = {0};
    struct weft_stream stream = {0};
    struct weft_connect connect = {0};
    char port[8];
    weft_fault_fail_at(0);
    world_up(&w);
    listen_on(&w, &listener, "127.0.0.1:0");
    snprintf(port, sizeof port, "%u", weft_address_port(&listener.address));
    weft_stream_open(root_of(&w), &stream, noted);
    weft_fault_fail_at(n);
    weft_connect(root_of(&w), &connect, &stream, "localhost", port, noted);
    await(&w, &connect.op);
    assert_int_equal(connect.op.status, weft_fault_hit() ? UV_ENOMEM : 0);
    weft_stream_close(&stream);
    weft_listen_close(&listener);
    world_down(&w);
}

TEST(connecting_survives_running_out_of_memory)
{
    fault_ladder(connect_with_little_memory);
    assert_true(fault_ladder_height() >= 2);
}
