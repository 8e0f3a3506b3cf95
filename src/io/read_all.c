/* Reading to the end: read after read into a block that doubles. One byte more than max is asked
 * for, so that "exactly max" and "more than max" differ. */
#include "stream.h"
#include "weft/alloc.h"

enum { FIRST_ROOM = 4096 };

static void more(struct weft_read_all *all);

static void end(struct weft_read_all *all, int status)
{
    if (status != 0)
        weft_read_all_free(all);
    else
        all->data[all->size] = '\0';
    weft_end(&all->op, status);
}

static void piece_over(struct weft_op *op, struct weft_op *piece)
{
    struct weft_read_all *all = weft_owner(op, struct weft_read_all, op);
    all->size += all->read_.size;
    if (weft_cancelled(op))
        end(all, weft_cancelled(op));
    else if (piece->status == UV_EOF)
        end(all, 0);
    else if (piece->status != 0)
        end(all, piece->status);
    else if (all->size > all->max)
        end(all, UV_EFBIG);
    else
        more(all);
}

/* room_ is the size of the block without the place for the NUL; it ends at max + 1. */
static bool grow(struct weft_read_all *all)
{
    size_t room = all->room_ <= all->max / 2 ? all->room_ * 2 : all->max + 1;
    if (room < FIRST_ROOM)
        room = all->max < FIRST_ROOM ? all->max + 1 : FIRST_ROOM;
    char *data = room < SIZE_MAX ? weft_realloc(all->data, room + 1) : NULL;
    if (data == NULL)
        return false;
    all->data = data;
    all->room_ = room;
    return true;
}

static void more(struct weft_read_all *all)
{
    if (all->size == all->room_ && !grow(all)) {
        end(all, UV_ENOMEM);
        return;
    }
    weft_read(&all->op, &all->read_, all->stream, all->data + all->size, all->room_ - all->size,
              piece_over);
}

void weft_read_all_begin(struct weft_op *op)
{
    struct weft_read_all *all = weft_owner(op, struct weft_read_all, op);
    all->data = NULL;
    all->size = all->room_ = 0;
    int status = stream_check(all->stream, op);
    if (all->max == 0 || all->max == SIZE_MAX)
        status = UV_EINVAL;
    if (status != 0)
        weft_finish(op, status);
    else
        more(all);
}

void weft_read_all_at(const struct weft_site *site, struct weft_op *parent,
                      struct weft_read_all *all, struct weft_stream *stream, size_t max,
                      weft_then_fn *then)
{
    op_check_start(parent, &all->op);
    all->stream = stream;
    all->max = max;
    weft_run_at(site, parent, &all->op, weft_read_all_begin, then);
}

void weft_read_all_free(struct weft_read_all *all)
{
    weft_free(all->data);
    all->data = NULL;
    all->size = all->room_ = 0;
}
