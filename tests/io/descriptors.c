/* No descriptor is left, or the kernel watches no more of them: whoever needs one is told, and
 * nothing else breaks. Not for valgrind, which closes what the kernel gives beyond the limit. */
#include "streams.h"
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/syscall.h>

static struct rlimit before;
static int spare[64], spares;

/* From here on there are no more. */
static void use_up(void)
{
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    int highest = dup(0);
    close(highest);
    struct rlimit low = before;
    low.rlim_cur = (rlim_t)highest + 4;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    for (spares = 0; spares < 64 && (spare[spares] = dup(0)) >= 0; spares++)
        continue;
    assert_true(spares < 64);
}

static void give_back(void)
{
    while (spares > 0)
        close(spare[--spares]);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

static void listen_on_loopback(struct world *w, struct weft_listen *listener)
{
    struct weft_address address;
    assert_int_equal(weft_address_parse(&address, "127.0.0.1:0"), 0);
    weft_listen(root_of(w), listener, &address, noted);
}

static int client_of(const struct weft_listen *listener)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(fd, &listener->address.to.any, listener->address.size), 0);
    return fd;
}

TEST(an_accept_without_a_descriptor_fails_and_the_listener_goes_on)
{
    struct world w;
    struct weft_listen listener = {0};
    struct weft_stream streams[2] = {0};
    struct weft_accept accepts[2] = {0};
    world_up(&w);
    listen_on_loopback(&w, &listener);
    for (int i = 0; i < 2; i++)
        weft_stream_open(root_of(&w), &streams[i], noted);
    int first = client_of(&listener), second = client_of(&listener);
    look_around(&w);
    use_up();
    weft_accept(root_of(&w), &accepts[0], &listener, &streams[0], noted);
    await(&w, &accepts[0].op);
    give_back();
    assert_int_equal(accepts[0].op.status, UV_EMFILE);
    /* Both are still in the backlog. */
    for (int i = 0; i < 2; i++)
        weft_accept(root_of(&w), &accepts[i], &listener, &streams[i], noted);
    await(&w, &accepts[0].op);
    await(&w, &accepts[1].op);
    assert_int_equal(accepts[0].op.status, 0);
    assert_int_equal(accepts[1].op.status, 0);
    close(first);
    close(second);
    for (int i = 0; i < 2; i++)
        weft_stream_close(&streams[i]);
    weft_listen_close(&listener);
    world_down(&w);
}

/* One error is for one who waits; the others are asked again, and are lucky. */
TEST(only_one_of_those_who_wait_is_told)
{
    struct world w;
    struct weft_listen listener = {0};
    struct weft_stream streams[2] = {0};
    struct weft_accept accepts[2] = {0};
    world_up(&w);
    listen_on_loopback(&w, &listener);
    for (int i = 0; i < 2; i++)
        weft_stream_open(root_of(&w), &streams[i], noted);
    look_around(&w);
    for (int i = 0; i < 2; i++)
        weft_accept(root_of(&w), &accepts[i], &listener, &streams[i], noted);
    int client = client_of(&listener);
    use_up();
    await(&w, &accepts[0].op);
    give_back();
    assert_int_equal(accepts[0].op.status, UV_EMFILE);
    await(&w, &accepts[1].op);
    assert_int_equal(accepts[1].op.status, 0);
    close(client);
    for (int i = 0; i < 2; i++)
        weft_stream_close(&streams[i]);
    weft_listen_close(&listener);
    world_down(&w);
}

TEST(what_else_needs_a_descriptor_is_told_too)
{
    struct world w;
    struct weft_listen listener = {0}, other = {0};
    struct weft_stream one = {0}, two = {0};
    struct weft_connect connect_op = {0};
    world_up(&w);
    listen_on_loopback(&w, &listener);
    weft_stream_open(root_of(&w), &one, noted);
    weft_stream_open(root_of(&w), &two, noted);
    look_around(&w);
    use_up();
    listen_on_loopback(&w, &other);
    weft_connect_address(root_of(&w), &connect_op, &one, &listener.address, noted);
    assert_int_equal(weft_stream_pair(&one, &two), UV_EBUSY);
    await(&w, &connect_op.op);
    await(&w, &other.op);
    int pair = weft_stream_pair(&one, &two);
    give_back();
    assert_int_equal(connect_op.op.status, UV_EMFILE);
    assert_int_equal(other.op.status, UV_EMFILE);
    assert_int_equal(pair, UV_EMFILE);
    assert_int_equal(weft_stream_pair(&one, &two), 0);
    weft_stream_close(&one);
    weft_stream_close(&two);
    weft_listen_close(&listener);
    world_down(&w);
}

/* ---- the kernel watches no more ------------------------------------------------------------- */

/* libuv's own calls come here, since the program's names go first. */
static int watches_left = -1; /* -1: no limit */

int epoll_ctl(int epfd, int op, int fd, struct epoll_event *event)
{
    if (op == EPOLL_CTL_ADD && watches_left == 0) {
        errno = ENOSPC;
        return -1;
    }
    if (op == EPOLL_CTL_ADD && watches_left > 0)
        watches_left--;
    return (int)syscall(SYS_epoll_ctl, epfd, op, fd, event);
}

static bool is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

TEST(a_descriptor_that_cannot_be_watched_stays_the_callers)
{
    struct world w;
    struct weft_stream stream = {0};
    int fds[2];
    world_up(&w);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    weft_stream_open(root_of(&w), &stream, noted);
    look_around(&w);
    watches_left = 0;
    assert_int_equal(weft_stream_adopt(&stream, fds[0]), UV_ENOSPC);
    watches_left = -1;
    assert_true(is_open(fds[0]));
    assert_int_equal(weft_stream_adopt(&stream, fds[0]), 0);
    weft_stream_close(&stream);
    close(fds[1]);
    world_down(&w);
}

TEST(a_pair_of_which_one_cannot_be_watched_is_none)
{
    for (int left = 0; left < 2; left++) {
        struct world w;
        struct ends ends = {0};
        world_up(&w);
        weft_stream_open(root_of(&w), &ends.a, noted);
        weft_stream_open(root_of(&w), &ends.b, noted);
        look_around(&w);
        int next = dup(0);
        close(next);
        watches_left = left;
        assert_int_equal(weft_stream_pair(&ends.a, &ends.b), UV_ENOSPC);
        watches_left = -1;
        assert_false(weft_stream_connected(&ends.a));
        assert_false(weft_stream_connected(&ends.b));
        assert_false(is_open(next));
        ends_down(&w, &ends);
    }
}

TEST(a_connection_that_cannot_be_watched_fails)
{
    struct world w;
    struct weft_listen listener = {0}, other = {0};
    struct weft_stream server = {0}, client = {0};
    struct weft_accept accept_op = {0};
    struct weft_connect connect_op = {0};
    world_up(&w);
    listen_on_loopback(&w, &listener);
    weft_stream_open(root_of(&w), &server, noted);
    weft_stream_open(root_of(&w), &client, noted);
    weft_accept(root_of(&w), &accept_op, &listener, &server, noted);
    look_around(&w);
    watches_left = 0;
    weft_connect_address(root_of(&w), &connect_op, &client, &listener.address, noted);
    listen_on_loopback(&w, &other);
    await(&w, &connect_op.op);
    await(&w, &other.op);
    await(&w, &accept_op.op);
    watches_left = -1;
    assert_int_equal(connect_op.op.status, UV_ENOSPC);
    assert_int_equal(other.op.status, UV_ENOSPC);
    assert_int_equal(accept_op.op.status, UV_ENOSPC);
    /* Both streams are as idle as before. */
    weft_accept(root_of(&w), &accept_op, &listener, &server, noted);
    weft_connect_address(root_of(&w), &connect_op, &client, &listener.address, noted);
    await(&w, &connect_op.op);
    await(&w, &accept_op.op);
    assert_int_equal(connect_op.op.status, 0);
    assert_int_equal(accept_op.op.status, 0);
    weft_stream_close(&server);
    weft_stream_close(&client);
    weft_listen_close(&listener);
    world_down(&w);
}
