/* The listener: a bound socket, and the accepts that wait for a connection.
 *
 * Its file, if it is a Unix socket, is handled with care in both directions. In the way: only a
 * socket that refuses a connection is taken for a left-over and removed. At the end: only the very
 * file that was made here (device and number) is removed, since somebody may have put another one
 * in its place meanwhile. */
#include "listen.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* An address that was put together by hand may be anything; a path has to end in it. */
static bool is_valid(const struct weft_address *address)
{
    if (address->size < sizeof address->to.any.sa_family || address->size > sizeof address->to)
        return false;
    const struct sockaddr_un *local = &address->to.local;
    return local->sun_family != AF_UNIX || local->sun_path[0] == '\0' ||
           memchr(local->sun_path, '\0', sizeof local->sun_path) != NULL;
}

/* ---- Unix sockets in the file system -------------------------------------------------------- */

static bool is_file(const struct weft_address *address)
{
    return address->to.any.sa_family == AF_UNIX &&
           address->size > offsetof(struct sockaddr_un, sun_path) &&
           address->to.local.sun_path[0] != '\0';
}

/* Does a socket lie there on which nobody listens? */
static bool is_left_over(const struct weft_address *address)
{
    struct stat file;
    if (lstat(address->to.local.sun_path, &file) != 0 || !S_ISSOCK(file.st_mode))
        return false;
    int fd = weft__socket(AF_UNIX);
    if (fd < 0)
        return false;
    bool refused = connect(fd, &address->to.any, address->size) != 0 && errno == ECONNREFUSED;
    close(fd);
    return refused;
}

static void remember_file(struct weft_listen *listener)
{
    struct stat file;
    if (lstat(listener->address.to.local.sun_path, &file) != 0)
        return;
    listener->file_device_ = (uint64_t)file.st_dev;
    listener->file_number_ = (uint64_t)file.st_ino;
    listener->made_file_ = true;
}

static void remove_file(const struct weft_listen *listener)
{
    const char *path = listener->address.to.local.sun_path;
    struct stat file;
    if (listener->made_file_ && lstat(path, &file) == 0 &&
        (uint64_t)file.st_dev == listener->file_device_ &&
        (uint64_t)file.st_ino == listener->file_number_)
        unlink(path);
}

/* ---- binding -------------------------------------------------------------------------------- */

static int set_flag(int fd, int level, int option, int value)
{
    return setsockopt(fd, level, option, &value, sizeof value) == 0 ? 0
                                                                    : uv_translate_sys_error(errno);
}

static int reuse_port(int fd)
{
#ifdef SO_REUSEPORT
    return set_flag(fd, SOL_SOCKET, SO_REUSEPORT, 1);
#else
    (void)fd;
    return UV_ENOTSUP;
#endif
}

static int set_options(const struct weft_listen *listener, int fd)
{
    int family = listener->address.to.any.sa_family, err = 0;
    if (family == AF_UNIX)
        return 0;
    err = set_flag(fd, SOL_SOCKET, SO_REUSEADDR, 1);
    if (err == 0 && listener->reuse_port)
        err = reuse_port(fd);
    if (err == 0 && family == AF_INET6)
        err = set_flag(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0);
    return err != 0 ? err : weft__socket_options(fd, &listener->tcp);
}

static int bind_to(const struct weft_address *address, int fd)
{
    if (bind(fd, &address->to.any, address->size) == 0)
        return 0;
    int error = errno;
    if (error != EADDRINUSE || !is_file(address) || !is_left_over(address))
        return uv_translate_sys_error(error);
    unlink(address->to.local.sun_path);
    return bind(fd, &address->to.any, address->size) == 0 ? 0 : uv_translate_sys_error(errno);
}

/* Bind and listen; fd is closed by the caller if it fails. */
static int set_up(struct weft_listen *listener, int fd)
{
    int err = set_options(listener, fd);
    if (err == 0)
        err = bind_to(&listener->address, fd);
    if (err != 0)
        return err;
    if (is_file(&listener->address))
        remember_file(listener);
    if (listen(fd, listener->backlog > 0 ? listener->backlog : WEFT_LISTEN_BACKLOG) != 0)
        return uv_translate_sys_error(errno);
    if (listener->address.to.any.sa_family != AF_UNIX) {
        socklen_t size = sizeof listener->address.to;
        if (getsockname(fd, &listener->address.to.any, &size) != 0)
            return uv_translate_sys_error(errno);
    }
    return weft__watch_open(&listener->watch_, listener->op.loop_->uv, fd);
}

/* ---- the op --------------------------------------------------------------------------------- */

static void listen_closed(uv_handle_t *handle)
{
    struct weft_listen *listener =
        weft_owner((uv_poll_t *)handle, struct weft_listen, watch_.poll_);
    listener->watch_.open_ = false;
    weft_join(&listener->op);
}

static void listen_cancel(struct weft_op *op, int reason)
{
    struct weft_listen *listener = weft_owner(op, struct weft_listen, op);
    while (listener->accepts_ != NULL)
        weft__accept_over(weft_owner(listener->accepts_, struct weft_accept, op), reason);
    remove_file(listener);
    weft__watch_close(&listener->watch_, false, listen_closed);
}

void weft_listen_begin(struct weft_op *op)
{
    struct weft_listen *listener = weft_owner(op, struct weft_listen, op);
    listener->accepts_ = NULL;
    listener->accepts_tail_ = &listener->accepts_;
    listener->pending_ = listener->skipped_ = listener->made_file_ = false;
    listener->stalled_ = true;
    listener->watch_.fd_ = -1;
    listener->watch_.open_ = false;
    if (!is_valid(&listener->address) || listener->backlog < 0) {
        weft_finish(op, UV_EINVAL);
        return;
    }
    int fd = weft__socket(listener->address.to.any.sa_family);
    if (fd < 0) {
        weft_finish(op, fd);
        return;
    }
    int err = set_up(listener, fd);
    if (err != 0) {
        remove_file(listener);
        close(fd);
        weft_finish(op, err);
        return;
    }
    weft_on_cancel(op, listen_cancel);
}

void weft_listen_at(const struct weft_site *site, struct weft_op *parent,
                    struct weft_listen *listener, const struct weft_address *address,
                    weft_then_fn *then)
{
    op_check_start(parent, &listener->op);
    if (address != NULL)
        listener->address = *address;
    else
        listener->address.size = 0;
    weft_run_now_at(site, parent, &listener->op, weft_listen_begin, then);
}

void weft_listen_close(struct weft_listen *listener)
{
    if (listener->op.state_ != OP_IDLE)
        weft_end(&listener->op, 0);
}
