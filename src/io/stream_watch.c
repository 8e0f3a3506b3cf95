/* A watched descriptor: one uv_poll_t, changed as seldom as possible.
 *
 * Each change costs two calls to the kernel (libuv takes the descriptor out of its epoll set and
 * puts it back), so nobody changes around a single read: see stream_settle.
 *
 * The handle is made once and closed once; the descriptor may be closed before it, because a
 * stopped uv_poll_t does not look at it any more. Whether it keeps the loop alive is said apart
 * from what is watched: an event is welcome as long as it costs nothing, but the loop waits for it
 * only if somebody does. */
#include "stream.h"
#include "weft/dump.h"
#include <unistd.h>

int weft__watch_open(struct weft_watch *watch, uv_loop_t *uv, int fd)
{
    int err = uv_poll_init(uv, &watch->poll_, fd);
    if (err != 0)
        return err;
    weft_dump_belongs((uv_handle_t *)&watch->poll_);
    uv_unref((uv_handle_t *)&watch->poll_);
    watch->fd_ = fd;
    watch->events_ = 0;
    watch->open_ = true;
    watch->held_ = false;
    return 0;
}

void weft__watch_change(struct weft_watch *watch, unsigned events, uv_poll_cb fn)
{
    watch->events_ = (unsigned char)events;
    if (events == 0)
        uv_poll_stop(&watch->poll_);
    else
        uv_poll_start(&watch->poll_, (int)events, fn);
}

void weft__watch_shut(struct weft_watch *watch)
{
    if (watch->fd_ < 0)
        return;
    uv_poll_stop(&watch->poll_);
    watch_hold(watch, false);
    close(watch->fd_);
    watch->events_ = 0;
    watch->fd_ = -1;
}

void weft__watch_close(struct weft_watch *watch, bool keep_fd, uv_close_cb closed)
{
    uv_close((uv_handle_t *)&watch->poll_, closed);
    if (watch->fd_ >= 0 && !keep_fd)
        close(watch->fd_);
    watch->events_ = 0;
    watch->fd_ = -1;
}
