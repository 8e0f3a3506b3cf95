/* The whole body of a request in one block, which doubles as it fills: what a client announces is
 * not believed, only what comes. */
#include "server.h"
#include "weft/alloc.h"

enum { FIRST_ROOM = 4096 };

static weft_then_fn piece_read;

static struct weft_http_read_all *all_of(struct weft_op *op)
{
    return weft_owner(op, struct weft_http_read_all, op);
}

void weft_http_read_all_free(struct weft_http_read_all *all)
{
    weft_free(all->data);
    all->data = NULL;
    all->size = 0;
}

static void fail(struct weft_http_read_all *all, int status)
{
    weft_http_read_all_free(all);
    weft_finish(&all->op, status);
}

static void read_on(struct weft_http_read_all *all)
{
    if (all->room_ - all->size < 2) {
        char *data = weft_realloc(all->data, all->room_ * 2);
        if (data == NULL) {
            fail(all, UV_ENOMEM);
            return;
        }
        all->data = data;
        all->room_ *= 2;
    }
    weft_http_read(&all->op, &all->read_, all->request, all->data + all->size,
                   all->room_ - all->size - 1, piece_read);
}

static void piece_read(struct weft_op *op, struct weft_op *read)
{
    struct weft_http_read_all *all = all_of(op);
    int cancelled = weft_cancelled(op);
    if (read->status == UV_EOF && cancelled == 0) {
        all->data[all->size] = '\0';
        weft_finish(op, 0);
    } else if (read->status != 0) {
        fail(all, cancelled != 0 ? cancelled : read->status);
    } else {
        all->size += all->read_.size;
        read_on(all);
    }
}

void weft_http_read_all_begin(struct weft_op *op)
{
    struct weft_http_read_all *all = all_of(op);
    all->data = NULL;
    all->size = 0;
    if (all->request == NULL) {
        weft_finish(op, UV_EINVAL);
        return;
    }
    all->room_ = FIRST_ROOM;
    all->data = weft_alloc(all->room_);
    if (all->data == NULL)
        weft_finish(op, UV_ENOMEM);
    else
        read_on(all);
}

void weft_http_read_all_at(const struct weft_site *site, struct weft_op *parent,
                           struct weft_http_read_all *all, struct weft_http_request *request,
                           weft_then_fn *then)
{
    all->request = request;
    weft_run_at(site, parent, &all->op, weft_http_read_all_begin, then);
}
