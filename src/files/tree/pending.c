/* The stack of what waits.
 *
 * The last one found is read first: its parent is still open then, and the stack stays as short as the
 * tree is deep. Whoever has nothing to do gets the lower half: what was found first lies nearest to the
 * top of the tree, and is likely to be the largest part of it.
 *
 * The paths lie in one block, in the order of the stack, so that both ends of it are both ends of
 * that. */
#include "pending.h"
#include "weft/alloc.h"
#include <string.h>
#include <uv.h>

enum { FIRST_ITEMS = 64, FIRST_PATHS = 4096 };

/* data with room for more bytes behind the used ones; NULL: no memory, and data is as it was. */
static void *grown(void *data, size_t *room, size_t used, size_t more, size_t first)
{
    size_t wanted = *room > 0 ? *room : first;
    if (more <= *room - used)
        return data;
    while (wanted - used < more)
        wanted *= 2;
    data = weft_realloc(data, wanted);
    if (data != NULL)
        *room = wanted;
    return data;
}

static int reserve(struct pending *pending, size_t items, size_t paths)
{
    size_t each = sizeof *pending->items, room = pending->room * each;
    if (pending->count + items > PENDING_MOST)
        return UV_E2BIG;
    void *data =
        grown(pending->items, &room, pending->count * each, items * each, FIRST_ITEMS * each);
    if (data == NULL)
        return UV_ENOMEM;
    pending->items = data;
    pending->room = room / each;
    data = grown(pending->paths, &pending->paths_room, pending->paths_used, paths, FIRST_PATHS);
    if (data == NULL)
        return UV_ENOMEM;
    pending->paths = data;
    return 0;
}

int weft__pending_push(struct pending *pending, const struct weft_tree_entry *entry,
                       struct place *above)
{
    int err = reserve(pending, 1, entry->size + 1);
    if (err != 0)
        return err;
    memcpy(pending->paths + pending->paths_used, entry->path, entry->size + 1);
    pending->items[pending->count++] =
        (struct pending_item){pending->paths_used, entry->size, entry->depth, entry->kind, above};
    pending->paths_used += entry->size + 1;
    return 0;
}

struct pending_item weft__pending_pop(struct pending *pending)
{
    struct pending_item item = pending->items[--pending->count];
    pending->paths_used = item.path;
    return item;
}

int weft__pending_share(struct pending *from, struct pending *to)
{
    size_t given = from->count / 2;
    if (given == 0)
        return 0;
    size_t paths = from->items[given].path;
    int err = reserve(to, given, paths);
    if (err != 0)
        return err;
    memcpy(to->items, from->items, given * sizeof *to->items);
    memcpy(to->paths, from->paths, paths);
    to->count = given;
    to->paths_used = paths;

    from->count -= given;
    from->paths_used -= paths;
    memmove(from->items, from->items + given, from->count * sizeof *from->items);
    memmove(from->paths, from->paths + paths, from->paths_used);
    for (size_t i = 0; i < from->count; i++)
        from->items[i].path -= paths;
    return 0;
}

void weft__pending_free(struct pending *pending)
{
    for (size_t i = 0; i < pending->count; i++)
        weft__place_drop(pending->items[i].above);
    weft_free(pending->items);
    weft_free(pending->paths);
    *pending = (struct pending){0};
}
