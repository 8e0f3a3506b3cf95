/* Files that are sent piece by piece, and what can happen meanwhile.
 * ctest: labels=threads timeout=120 */
#include "fault.h"
#include "files_site.h"
#include <sys/resource.h>

enum { LARGE = 8 * 1024 * 1024, SMALL_BUFFER = 16 * 1024 };

static void fresh(void)
{
    static bool made;
    if (!made) {
        make_large("large", LARGE);
        make_file("small", "small");
    }
    made = true;
}

static void turns(struct site *site, int count)
{
    for (int i = 0; i < count; i++)
        site_turn(site, -1);
}

/* A client that has asked, and has not read anything. Its buffer is small, so that the server soon
 * has to wait for it. */
static int ask_only(struct site *site, const char *target)
{
    char text[256];
    int size = SMALL_BUFFER, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    assert_int_equal(connect(fd, &site->server.address.to.any, site->server.address.size), 0);
    snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", target);
    site_send(fd, text);
    return fd;
}

/* Until no more is sent because the client does not read. */
static void until_stalled(struct site *site, const struct weft_http_request *request)
{
    uint64_t sent = 0;
    int still = 0;
    while (still < 20) {
        site_turn(site, -1);
        still = request->sent == sent && sent > 0 ? still + 1 : 0;
        sent = request->sent;
    }
    assert_true(sent < LARGE);
}

static struct site_request *latest;

static void keep_latest(struct weft_op *op)
{
    latest = weft_owner(op, struct site_request, request.op);
    site_handler(op);
}

TEST(a_large_file_arrives_whole)
{
    fresh();
    for (enum way way = 0; way < WAYS; way++) {
        struct site site = {0};
        site_up(&site, scratch_dir(), way);
        struct reply reply = ask(&site, "/large");
        assert_int_equal(reply.status, 200);
        assert_true(reply.whole);
        assert_int_equal(reply.size, LARGE);
        require_pattern(reply.body, reply.size, 0);
        reply_free(&reply);
        site_down(&site);
    }
}

TEST(a_client_that_does_not_read_costs_one_piece)
{
    fresh();
    for (enum way way = 0; way < WAYS; way++) {
        struct site site = {.server = {.handler = keep_latest}};
        weft_fault_install();
        site_up(&site, scratch_dir(), way);
        int warm = ask_only(&site, "/small");
        struct reply reply = site_receive(&site, warm, false);
        reply_free(&reply);
        unsigned long before = weft_fault_live_bytes();
        int fd = ask_only(&site, "/large");
        until_stalled(&site, (turns(&site, 5), &latest->request));
        assert_in_range(weft_fault_live_bytes() - before, 1, WEFT_HTTP_FILES_PIECE + 32 * 1024);
        reply = site_receive(&site, fd, false);
        assert_true(reply.whole);
        require_pattern(reply.body, reply.size, 0);
        reply_free(&reply);
        site_down(&site);
        fault_remove();
    }
}

/* At any moment: after so many turns. */
TEST(the_file_is_closed_when_the_client_leaves)
{
    fresh();
    for (enum way way = 0; way < WAYS; way++) {
        struct site site = {0};
        site_up(&site, scratch_dir(), way);
        struct reply reply = ask(&site, "/small"); /* what libuv opens for itself is open then */
        reply_free(&reply);
        turns(&site, 3);
        size_t before = open_descriptors();
        for (int i = 0; i < 12; i++) {
            int fd = ask_only(&site, "/large");
            turns(&site, i);
            close(fd);
            while (site.server.connections > 0 || site.server.accepted < (uint64_t)i + 2)
                site_turn(&site, -1);
            assert_int_equal(site.server.running, 0);
            assert_int_equal(open_descriptors(), before);
        }
        expect_body(&site, "/small", "", 200, "small");
        site_down(&site);
    }
}

TEST(a_file_that_becomes_shorter_is_cut_off)
{
    char path[SCRATCH_PATH];
    for (enum way way = 0; way < WAYS; way++) {
        struct site site = {.server = {.handler = keep_latest}};
        make_large("shrinking", LARGE);
        site_up(&site, scratch_dir(), way);
        int fd = ask_only(&site, "/shrinking");
        until_stalled(&site, (turns(&site, 5), &latest->request));
        assert_int_equal(truncate(scratch_path(path, "shrinking"), 1000), 0);
        struct reply reply = site_receive(&site, fd, false);
        assert_false(reply.whole);
        assert_true(reply.size < LARGE);
        reply_free(&reply);
        site_down(&site);
        unlink(path);
    }
}

TEST(a_file_that_becomes_longer_is_sent_as_it_was)
{
    char path[SCRATCH_PATH];
    for (enum way way = 0; way < WAYS; way++) {
        struct site site = {.server = {.handler = keep_latest}};
        make_large("growing", LARGE);
        site_up(&site, scratch_dir(), way);
        int fd = ask_only(&site, "/growing");
        until_stalled(&site, (turns(&site, 5), &latest->request));
        assert_int_equal(truncate(scratch_path(path, "growing"), 2 * LARGE), 0);
        struct reply reply = site_receive(&site, fd, false);
        assert_true(reply.whole);
        require_pattern(reply.body, LARGE, 0);
        reply_free(&reply);
        site_down(&site);
        unlink(path);
    }
}

/* ---- a cancel of the op alone --------------------------------------------------------------- */

static int told;

static void tell(struct weft_op *op, struct weft_op *file)
{
    (void)op;
    told = file->status;
}

static void keep_and_tell(struct weft_op *op)
{
    latest = weft_owner(op, struct site_request, request.op);
    weft_http_file(op, &latest->file, &the_site->files, &latest->request, latest->request.head.path,
                   tell);
}

TEST(a_cancel_after_the_answer_has_begun_cuts_it_off)
{
    fresh();
    for (enum way way = 0; way < WAYS; way++) {
        struct site site = {.server = {.handler = keep_and_tell}};
        site_up(&site, scratch_dir(), way);
        told = 1;
        int fd = ask_only(&site, "/large");
        until_stalled(&site, (turns(&site, 5), &latest->request));
        weft_cancel(&latest->file.op, UV_EINTR);
        struct reply reply = site_receive(&site, fd, false);
        assert_int_equal(told, UV_EINTR);
        assert_int_equal(reply.status, 200);
        assert_false(reply.whole);
        reply_free(&reply);
        site_down(&site);
    }
}

/* The request is told to end with what the file's op reports, before anything was sent. */
static void end_with_it(struct weft_op *op, struct weft_op *file)
{
    told = file->status;
    weft_end(op, file->status);
}

static void cancel_at_once(struct weft_op *op)
{
    latest = weft_owner(op, struct site_request, request.op);
    weft_http_file(op, &latest->file, &the_site->files, &latest->request, latest->request.head.path,
                   end_with_it);
    weft_cancel(&latest->file.op, UV_ETIMEDOUT);
}

TEST(a_cancel_before_the_answer_leaves_it_to_the_server)
{
    fresh();
    for (enum way way = READ_ON_POOL; way < WAYS; way++) {
        struct site site = {.server = {.handler = cancel_at_once}};
        site_up(&site, scratch_dir(), way);
        struct reply reply = ask(&site, "/small");
        assert_int_equal(told, UV_ETIMEDOUT);
        assert_int_equal(reply.status, 504);
        reply_free(&reply);
        site_down(&site);
    }
}

TEST(a_server_that_is_cancelled_leaves_nothing_behind)
{
    fresh();
    for (enum way way = 0; way < WAYS; way++) {
        for (int i = 0; i < 8; i++) {
            size_t before = open_descriptors();
            struct site site = {0};
            site_up(&site, scratch_dir(), way);
            int fd = ask_only(&site, "/large");
            turns(&site, i);
            site_down(&site);
            close(fd);
            assert_int_equal(open_descriptors(), before);
        }
    }
}

/* ---- running out ---------------------------------------------------------------------------- */

TEST(without_a_descriptor_the_client_may_come_again)
{
    struct rlimit all, few;
    fresh();
    for (enum way way = 0; way < WAYS; way++) {
        struct site site = {0};
        site_up(&site, scratch_dir(), way);
        expect_body(&site, "/small", "", 200, "small");
        int fd = site_connect(&site);
        while (site.server.connections == 0)
            site_turn(&site, -1);
        getrlimit(RLIMIT_NOFILE, &all);
        few = all;
        few.rlim_cur = (rlim_t)dup(0);
        close((int)few.rlim_cur);
        setrlimit(RLIMIT_NOFILE, &few);
        site_send(fd, "GET /small HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        struct reply reply = site_receive(&site, fd, false);
        setrlimit(RLIMIT_NOFILE, &all);
        assert_int_equal(reply.status, 503);
        reply_free(&reply);
        expect_body(&site, "/small", "", 200, "small");
        site_down(&site);
    }
}

static enum way ladder_way;
static const char *ladder_target;

/* Whole and right, or an error that says so, or no connection. */
static void serve_once(unsigned long n)
{
    struct site site = {.files = {.listing = true}};
    weft_fault_fail_at(0);
    site_up(&site, scratch_dir(), ladder_way);
    weft_fault_fail_at(n);
    struct reply reply = ask(&site, ladder_target);
    if (reply.status == 200 && reply.whole) {
        bool listing = strcmp(ladder_target, "/") == 0;
        assert_true(!listing || strstr(reply.body, "</html>") != NULL);
        assert_true(listing || strcmp(reply.body, "small") == 0 || reply.size == LARGE);
    } else {
        assert_true(reply.status == 0 || reply.status == 503 || reply.status == 404 ||
                    !reply.whole);
    }
    reply_free(&reply);
    site_down(&site);
}

TEST(running_out_of_memory_is_told)
{
    static const char *const targets[] = {"/small", "/large", "/", "/nope"};
    fresh();
    for (ladder_way = 0; ladder_way < WAYS; ladder_way++) {
        for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
            ladder_target = targets[i];
            fault_ladder(serve_once);
        }
    }
}
