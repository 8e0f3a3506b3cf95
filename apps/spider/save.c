/* Saving a page: all that it needs, in one hop to the pool. */
#include "spider/save_inside.h"

static int save_there(struct weft_work *work)
{
    struct save *save = weft_owner(work, struct save, work);
    struct save_temp temp;
    int status = save->before != NULL ? save->before(save) : 0;
    if (status == 0)
        status = save_temp_open(&temp, save->folder);
    if (status != 0)
        return status;
    status = save_temp_write(&temp, save->data, save->size, work);
    if (status == 0)
        return save_temp_place(&temp, save->name, save->modified, work);
    save_temp_drop(&temp);
    return status;
}

void save_begin(struct weft_op *op)
{
    struct save *save = weft_owner(op, struct save, work.op);
    bool good =
        save->folder != NULL && save_name_ok(save->name) && (save->data != NULL || save->size == 0);
    save->work.function = good ? save_there : NULL; /* NULL: UV_EINVAL */
    weft_work_begin(op);
}

void save_file_at(const struct weft_site *site, struct weft_op *parent, struct save *save,
                  struct save_folder *folder, const char *name, const void *data, size_t size,
                  int64_t modified, weft_then_fn *then)
{
    save->folder = folder;
    save->name = name;
    save->data = data;
    save->size = size;
    save->modified = modified;
    weft_run_at(site, parent, &save->work.op, save_begin, then);
}
