/* An explorer at work, on a thread of the pool.
 *
 *             pending folder ──enter──► reading a folder ──entry──► found ──► busy ──go_on──┐
 *                  ▲     ▲                │   ▲    ▲                  │                     │
 *                  │     └──── its end ───┘   │    └──────────────────┘ ◄───────────────────┘
 *                  └── push: it is a folder ──┘
 *
 * All of it is state of the explorer's, and a step is small: so a visit can end between any two of
 * them, in the middle of a folder with a million entries or of a large file, and the next visit goes on
 * from there. It ends when the block is full, when nothing is left, when it was stopped, or when others
 * are hungry, there is something to give, and enough was done to be worth the way.
 *
 * What has vanished between being found and being opened is no error: that includes a folder in whose
 * place something else has come. */
#include "io/file.h"
#include "walk.h"
#include "weft/alloc.h"
#include <fcntl.h>
#include <string.h>

/* What a visit must have done before it comes back for the sake of others, and what a folder costs, both in
 * entries. The way to the loop and back is some twenty microseconds. */
enum { COST_WORTH = 512, COST_FOLDER = 16 };

/* ---- records -------------------------------------------------------------------------------- */

int weft__explorer_error(struct explorer *explorer, const char *path, size_t size, int status)
{
    struct block_error *record =
        weft__block_add(&explorer->block, BLOCK_ERROR, sizeof *record + size + 1);
    if (record == NULL)
        return UV_ENOMEM;
    record->status = status;
    memcpy(record->path, path, size);
    record->path[size] = '\0';
    explorer->stats.errors++;
    return 0;
}

/* ---- entries -------------------------------------------------------------------------------- */

/* Room for size bytes and a NUL in path. */
static int reserve_path(struct explorer *explorer, size_t size)
{
    if (size < explorer->path_room)
        return 0;
    size_t room = size * 2 + 256;
    char *path = weft_realloc(explorer->path, room);
    if (path == NULL)
        return UV_ENOMEM;
    explorer->path = path;
    explorer->path_room = room;
    return 0;
}

static int describe(struct explorer *explorer, const struct folder_entry *found,
                    struct weft_tree_entry *entry)
{
    size_t folder = explorer->path_size, size = folder + 1 + found->size;
    int err = reserve_path(explorer, size);
    if (err != 0)
        return err;
    explorer->path[folder] = '/';
    memcpy(explorer->path + folder + 1, found->name, found->size + 1);
    *entry = (struct weft_tree_entry){.path = explorer->path,
                                      .size = size,
                                      .name = folder + 1,
                                      .below = explorer->walk->prefix_size + 1,
                                      .kind = found->kind,
                                      .depth = explorer->depth + 1};
    return 0;
}

/* ESRCH: the folder of a process that is over. */
static bool has_vanished(int status)
{
    return status == UV_ENOENT || status == UV_ENOTDIR || status == UV_ESRCH;
}

/* A link in the place of a folder is a folder that has vanished, unless links are followed. */
static bool is_no_folder_any_more(const struct explorer *explorer, int status)
{
    return has_vanished(status) || (status == UV_ELOOP && !explorer->walk->tree.follow);
}

/* A link that leads nowhere, or in a circle of links, is a link. Any other one may lead to what should be
 * found here, whether we may look at it or not. */
static bool leads_nowhere(int status)
{
    return has_vanished(status) || status == UV_ELOOP;
}

static int ask_for_kind(const struct explorer *explorer, const char *name, bool follow,
                        enum weft_file_kind *kind)
{
    int asked = weft__folder_kind(&explorer->folder, name, follow);
    if (asked < 0)
        return asked;
    *kind = (enum weft_file_kind)asked;
    return 0;
}

/* The kind as it is to be told. A negative status: why it is not known; if that is has_vanished, the entry
 * is not there any more. */
static int settle_kind(const struct explorer *explorer, const char *name, enum weft_file_kind *kind)
{
    int err = 0;
    if (*kind == WEFT_KIND_UNKNOWN)
        err = ask_for_kind(explorer, name, false, kind);
    if (*kind != WEFT_KIND_LINK || !explorer->walk->tree.follow)
        return err;
    err = ask_for_kind(explorer, name, true, kind);
    if (err == 0 || leads_nowhere(err))
        return 0;
    *kind = WEFT_KIND_UNKNOWN;
    return err;
}

static int remember(struct explorer *explorer, const struct weft_tree_entry *entry)
{
    if (entry->size > PENDING_PATH_MOST)
        return weft__explorer_error(explorer, entry->path, entry->size, UV_ENAMETOOLONG);
    explorer->parent = true;
    struct place *place = entry->kind == WEFT_KIND_DIR ? weft__place_hold(explorer->place) : NULL;
    int err = weft__pending_push(&explorer->pending, entry, place);
    if (err != 0)
        weft__place_drop(place);
    return err;
}

static bool others_are_hungry(const struct explorer *explorer)
{
    return atomic_load_explicit(&explorer->walk->hungry, memory_order_relaxed) > 0;
}

/* A file that takes time is put aside if others have none: also a folder without folders in it is
 * worth sharing then. */
static int take(struct explorer *explorer, const struct weft_tree_entry *entry)
{
    const struct walk_kind *kind = explorer->walk->kind;
    if (kind->looks_into_files && entry->kind == WEFT_KIND_FILE && others_are_hungry(explorer))
        return remember(explorer, entry);
    return kind->found(explorer, entry);
}

/* unknown: why its kind is not; 0: it is known. */
static int choose(struct explorer *explorer, const struct weft_tree_entry *entry, int unknown)
{
    const struct weft_tree *tree = &explorer->walk->tree;
    int err = 0;
    unsigned choice =
        tree->choose != NULL ? tree->choose(tree, entry) : WEFT_TREE_TAKE | WEFT_TREE_ENTER;
    if (unknown != 0 && choice != WEFT_TREE_SKIP)
        err = weft__explorer_error(explorer, entry->path, entry->size, unknown);
    if (entry->kind == WEFT_KIND_DIR && (choice & WEFT_TREE_ENTER) != 0 &&
        (tree->depth == 0 || entry->depth < tree->depth))
        err = remember(explorer, entry);
    if (err == 0 && (choice & WEFT_TREE_TAKE) != 0)
        err = take(explorer, entry);
    return err;
}

static int look_at(struct explorer *explorer, const struct folder_entry *found)
{
    struct weft_tree_entry entry;
    explorer->cost++;
    int err = describe(explorer, found, &entry);
    if (err != 0)
        return err;
    int unknown = settle_kind(explorer, found->name, &entry.kind);
    if (has_vanished(unknown))
        return 0;
    explorer->stats.entries++;
    return choose(explorer, &entry, unknown);
}

/* ---- folders -------------------------------------------------------------------------------- */

/* The folder has been read, or cannot be read any further. */
static void leave(struct explorer *explorer)
{
    if (explorer->parent && explorer->depth > 0)
        weft__branch_keep(&explorer->branch, explorer->folder, explorer->depth);
    else if (explorer->depth > 0)
        weft__folder_close(&explorer->folder);
    explorer->folder.open = false; /* that of depth 0 stays open as the walk's root */
    weft__place_drop(explorer->place);
    explorer->place = NULL;
}

static int read_on(struct explorer *explorer)
{
    int got = weft__folder_read(&explorer->folder, &explorer->page);
    if (got > 0)
        return 0;
    leave(explorer);
    if (got == 0 || has_vanished(got)) /* ENOENT: it was removed while we were in it */
        return 0;
    const char *path = explorer->depth == 0 ? explorer->walk->tree.path : explorer->path;
    explorer->path[explorer->path_size] = '\0';
    return weft__explorer_error(explorer, path, strlen(path), got);
}

/* From its parent if that is open, otherwise by its path from the root. */
static int open_folder(struct explorer *explorer)
{
    struct weft_walk *walk = explorer->walk;
    bool follow = walk->tree.follow;
    if (explorer->depth == 0) {
        int err = weft__folder_open_below(&walk->root, AT_FDCWD, walk->tree.path, true);
        explorer->folder = walk->root;
        return err;
    }
    const struct folder *parent = weft__branch_at(&explorer->branch, explorer->depth - 1);
    if (parent != NULL)
        return weft__folder_open(&explorer->folder, parent->fd, strrchr(explorer->path, '/') + 1,
                                 follow);
    return weft__folder_open_below(&explorer->folder, walk->root.fd,
                                   explorer->path + walk->prefix_size + 1, follow);
}

/* Descriptors may be short because our own branch holds them: true if it has let go of some. */
static bool has_made_room(struct explorer *explorer, int status)
{
    if ((status != UV_EMFILE && status != UV_ENFILE) || explorer->branch.count == 0)
        return false;
    weft__branch_close(&explorer->branch);
    return true;
}

static int open_folder_somehow(struct explorer *explorer)
{
    int err = open_folder(explorer);
    return has_made_room(explorer, err) ? open_folder(explorer) : err;
}

/* Is the folder one to be read? 1: yes; 0: no; a negative status: why not. Takes over above. */
static int may_enter(struct explorer *explorer, struct place *above)
{
    struct weft_walk *walk = explorer->walk;
    struct stat st;
    if (!walk->tree.follow && !walk->tree.one_file_system)
        return 1;
    int status = fstat(explorer->folder.fd, &st) != 0 ? sys_error() : 1;
    if (status > 0 && explorer->depth == 0)
        walk->device = st.st_dev;
    if (status > 0 && walk->tree.one_file_system && st.st_dev != walk->device)
        status = 0;
    if (status > 0 && weft__place_has(above, &st))
        status = UV_ELOOP;
    if (status > 0 && walk->tree.follow) {
        explorer->place = weft__place_below(above, &st);
        if (explorer->place != NULL)
            return status;
        status = UV_ENOMEM;
    }
    weft__place_drop(above);
    return status;
}

static int refuse(struct explorer *explorer, int status)
{
    if (status == UV_ENOMEM || explorer->depth == 0)
        return status; /* nothing can be done without memory; and nothing below what cannot be opened */
    if (is_no_folder_any_more(explorer, status))
        return 0;
    return weft__explorer_error(explorer, explorer->path, explorer->path_size, status);
}

/* Takes over above. */
static int enter_folder(struct explorer *explorer, struct place *above)
{
    explorer->parent = false;
    explorer->page.size = explorer->page.at = 0;
    explorer->cost += COST_FOLDER;
    int err = open_folder_somehow(explorer);
    if (err != 0) {
        weft__place_drop(above);
        return refuse(explorer, err);
    }
    int may = may_enter(explorer, above);
    if (may > 0) {
        explorer->stats.folders++;
        return 0;
    }
    leave(explorer);
    return may < 0 ? refuse(explorer, may) : 0;
}

static int enter_file(struct explorer *explorer)
{
    const char *name = strrchr(explorer->path, '/') + 1;
    struct weft_tree_entry entry = {.path = explorer->path,
                                    .size = explorer->path_size,
                                    .name = (size_t)(name - explorer->path),
                                    .below = explorer->walk->prefix_size + 1,
                                    .kind = WEFT_KIND_FILE,
                                    .depth = explorer->depth};
    return explorer->walk->kind->found(explorer, &entry);
}

static int enter_next(struct explorer *explorer)
{
    struct pending *pending = &explorer->pending;
    int err = reserve_path(explorer, pending->items[pending->count - 1].size);
    if (err != 0)
        return err;
    struct pending_item next = weft__pending_pop(pending);
    memcpy(explorer->path, pending->paths + next.path, next.size + 1);
    explorer->path_size = next.size;
    explorer->depth = next.depth;
    return next.kind == WEFT_KIND_DIR ? enter_folder(explorer, next.above) : enter_file(explorer);
}

/* From its folder if that is open, otherwise by its path from the root. */
static int open_file(struct explorer *explorer, const struct weft_tree_entry *entry, int flags)
{
    struct weft_walk *walk = explorer->walk;
    bool follow = walk->tree.follow;
    const struct folder *parent = explorer->folder.open
                                      ? &explorer->folder
                                      : weft__branch_at(&explorer->branch, entry->depth - 1);
    if (parent == NULL)
        return weft__path_open(walk->root.fd, entry->path + entry->below, flags, follow);
    int fd = openat(parent->fd, entry->path + entry->name, flags | (follow ? 0 : O_NOFOLLOW));
    return fd < 0 ? sys_error() : fd;
}

int weft__explorer_open(struct explorer *explorer, const struct weft_tree_entry *entry, int flags)
{
    int fd = open_file(explorer, entry, flags);
    return has_made_room(explorer, fd) ? open_file(explorer, entry, flags) : fd;
}

/* ---- a visit -------------------------------------------------------------------------------- */

static int step(struct explorer *explorer)
{
    struct folder_entry found;
    if (explorer->busy)
        return explorer->walk->kind->go_on(explorer);
    if (!explorer->folder.open)
        return enter_next(explorer);
    if (weft__folder_next(&explorer->page, &found))
        return look_at(explorer, &found);
    return read_on(explorer);
}

static bool others_wait(const struct explorer *explorer)
{
    return explorer->cost >= COST_WORTH && explorer->pending.count >= 2 &&
           others_are_hungry(explorer);
}

static int prepare(struct explorer *explorer)
{
    if (explorer->page.data == NULL)
        explorer->page.data = weft_alloc(FOLDER_PAGE);
    return explorer->page.data != NULL ? 0 : UV_ENOMEM;
}

int weft__explore(struct weft_work *work)
{
    struct explorer *explorer = weft_owner(work, struct explorer, work);
    int err = prepare(explorer);
    explorer->cost = 0;
    while (err == 0 && !explorer_is_done(explorer) && !weft__block_full(&explorer->block) &&
           !others_wait(explorer)) {
        if (weft_work_stopped(work))
            return UV_ECANCELED;
        err = step(explorer);
    }
    return err;
}

void weft__explorer_free(struct explorer *explorer)
{
    if (explorer->walk->kind->drop != NULL)
        explorer->walk->kind->drop(explorer);
    if (explorer->folder.open && explorer->depth > 0)
        weft__folder_close(&explorer->folder);
    weft__branch_close(&explorer->branch);
    weft__place_drop(explorer->place);
    weft__pending_free(&explorer->pending);
    weft__block_free(&explorer->block);
    weft_free(explorer->page.data);
    weft_free(explorer->path);
}
