/* Saving a page that comes in pieces: the steps of save.c, an op each.
 *
 * CLOSED or OPEN, that is all: open_ is set by the open that has succeeded and taken back by
 * whatever removes the temporary file or makes it a page. A step that fails on its thread closes
 * the stream there; one that was cancelled before a thread had it leaves it open: save_abandon. */
#include "spider/save_inside.h"

static struct save_temp temp_of(const struct save_stream *stream)
{
    return (struct save_temp){stream->folder, stream->fd_, stream->number_};
}

static struct save_stream *stream_of(struct weft_op *op)
{
    return weft_owner(op, struct save_stream, work.op);
}

/* Begin a step: refused is 0, or why there is nothing to do. */
static void step(struct weft_op *op, weft_work_fn *function, int refused)
{
    struct save_stream *stream = stream_of(op);
    stream->work.function = function;
    if (refused != 0)
        weft_finish(op, refused);
    else
        weft_work_begin(op);
}

void save_abandon(struct save_stream *stream)
{
    if (!stream->open_)
        return;
    stream->open_ = false;
    struct save_temp temp = temp_of(stream);
    save_temp_drop(&temp);
}

/* ---- open ----------------------------------------------------------------------------------- */

static int open_there(struct weft_work *work)
{
    struct save_stream *stream = weft_owner(work, struct save_stream, work);
    struct save_temp temp;
    int status = save_temp_open(&temp, stream->folder);
    if (status != 0)
        return status;
    stream->fd_ = temp.fd;
    stream->number_ = temp.number;
    stream->open_ = true;
    return 0;
}

void save_stream_begin(struct weft_op *op)
{
    struct save_stream *stream = stream_of(op);
    bool good = stream->folder != NULL && save_name_ok(stream->name);
    if (!stream->open_)
        stream->written = 0;
    step(op, open_there, stream->open_ ? UV_EBUSY : good ? 0 : UV_EINVAL);
}

void save_stream_at(const struct weft_site *site, struct weft_op *parent,
                    struct save_stream *stream, struct save_folder *folder, const char *name,
                    weft_then_fn *then)
{
    if (!stream->open_) { /* the open one still needs its own */
        stream->folder = folder;
        stream->name = name;
    }
    weft_run_at(site, parent, &stream->work.op, save_stream_begin, then);
}

/* ---- write ---------------------------------------------------------------------------------- */

static int write_there(struct weft_work *work)
{
    struct save_stream *stream = weft_owner(work, struct save_stream, work);
    struct save_temp temp = temp_of(stream);
    int status = save_temp_write(&temp, stream->data, stream->size, work);
    if (status == 0)
        stream->written += stream->size;
    else
        save_abandon(stream);
    return status;
}

void save_write_begin(struct weft_op *op)
{
    const struct save_stream *stream = stream_of(op);
    bool good = stream->data != NULL || stream->size == 0;
    step(op, write_there, !stream->open_ ? UV_EBADF : good ? 0 : UV_EINVAL);
}

void save_write_at(const struct weft_site *site, struct weft_op *parent, struct save_stream *stream,
                   const void *data, size_t size, weft_then_fn *then)
{
    stream->data = data;
    stream->size = size;
    weft_run_at(site, parent, &stream->work.op, save_write_begin, then);
}

/* ---- commit --------------------------------------------------------------------------------- */

static int commit_there(struct weft_work *work)
{
    struct save_stream *stream = weft_owner(work, struct save_stream, work);
    struct save_temp temp = temp_of(stream);
    stream->open_ = false;
    return save_temp_place(&temp, stream->name, stream->modified, work);
}

void save_commit_begin(struct weft_op *op)
{
    step(op, commit_there, stream_of(op)->open_ ? 0 : UV_EBADF);
}

void save_commit_at(const struct weft_site *site, struct weft_op *parent,
                    struct save_stream *stream, int64_t modified, weft_then_fn *then)
{
    stream->modified = modified;
    weft_run_at(site, parent, &stream->work.op, save_commit_begin, then);
}
