/* Listing: everything that is taken is told, and that is all. */
#include "weft/list.h"
#include "core/op.h"
#include "walk.h"
#include <string.h>

struct list_record {
    struct block_head head;
    enum weft_file_kind kind;
    size_t size, name, below, depth;
    char path[];
};

static int found(struct explorer *explorer, const struct weft_tree_entry *entry)
{
    struct list_record *record =
        weft__block_add(&explorer->block, BLOCK_FOUND, sizeof *record + entry->size + 1);
    if (record == NULL)
        return UV_ENOMEM;
    record->kind = entry->kind;
    record->size = entry->size;
    record->name = entry->name;
    record->below = entry->below;
    record->depth = entry->depth;
    memcpy(record->path, entry->path, entry->size + 1);
    return 0;
}

static bool tell(struct weft_walk *walk, const struct block_head *head)
{
    const struct list_record *record = (const void *)head;
    struct weft_list *list = walk->owner;
    struct weft_tree_entry entry = {.path = record->path,
                                    .size = record->size,
                                    .name = record->name,
                                    .below = record->below,
                                    .kind = record->kind,
                                    .depth = record->depth};
    return list->on_found(list, &entry);
}

static bool tell_error(struct weft_walk *walk, const char *path, int status)
{
    struct weft_list *list = walk->owner;
    return list->on_error == NULL || list->on_error(list, path, status);
}

static const struct walk_kind list_kind = {.explorer_size = sizeof(struct explorer),
                                           .found = found,
                                           .tell = tell,
                                           .tell_error = tell_error};

void weft_list_begin(struct weft_op *op)
{
    struct weft_list *list = weft_owner(op, struct weft_list, op);
    int err = list->on_found == NULL
                  ? UV_EINVAL
                  : weft__walk_begin(op, &list->tree, &list_kind, list, &list->stats, &list->walk_);
    if (err != 0)
        weft_finish(op, err);
}

void weft_list_at(const struct weft_site *site, struct weft_op *parent, struct weft_list *list,
                  const char *path, weft_then_fn *then)
{
    op_check_start(parent, &list->op);
    list->tree.path = path;
    list->walk_ = NULL;
    weft_run_at(site, parent, &list->op, weft_list_begin, then);
}

void weft_list_resume(struct weft_list *list)
{
    weft__walk_resume(list->walk_);
}
