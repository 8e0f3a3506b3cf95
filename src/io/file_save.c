/* Saving: the whole content is at hand, and replaces the file in one step. */
#include "file_replace.h"

struct save_hop {
    struct weft_hop hop;
    const void *data;
    size_t size;
    bool durable;
};

static int save_work(struct weft_hop *hop)
{
    const struct save_hop *its = weft_owner(hop, struct save_hop, hop);
    struct replace replace;
    int status = weft__replace_look(&replace, hop->path);
    if (status == 0)
        status = weft__replace_open(&replace, 0666, its->durable);
    if (status != 0)
        return status;
    status = weft__file_write_all(replace.fd, its->data, its->size, hop);
    return weft__replace_close(&replace, status, &hop->stop);
}

static const struct hop_kind save_kind = {
    .size = sizeof(struct save_hop), .paths = 1, .awaited = true, .work = save_work};
HOPPER(weft_file_save);

void weft_file_save_begin(struct weft_op *op)
{
    struct weft_file_save *save = weft_owner(op, struct weft_file_save, op);
    if (save->data == NULL && save->size != 0) {
        weft_finish(op, UV_EINVAL);
        return;
    }
    struct weft_hop *hop = weft__hop_make(op, &save_kind, save->path, NULL);
    if (hop == NULL)
        return;
    struct save_hop *its = weft_owner(hop, struct save_hop, hop);
    its->data = save->data;
    its->size = save->size;
    its->durable = save->durable;
    weft__hop_go(hop);
}

void weft_file_save_at(const struct weft_site *site, struct weft_op *parent,
                       struct weft_file_save *save, const char *path, const void *data, size_t size,
                       weft_then_fn *then)
{
    op_check_start(parent, &save->op);
    save->path = path;
    save->data = data;
    save->size = size;
    weft_run_at(site, parent, &save->op, weft_file_save_begin, then);
}
