/* A walk, on the loop: it sends explorers out, tells what they bring back, and shares the work among
 * them.
 *
 *              push ──► thread ──► visited ──► tell all of its block ──► share ──► push, or idle
 *                                     │              │
 *                                     │ paused       │ the user has had enough for now
 *                                     └──► unread ◄──┘ ──resume──► tell …
 *
 * The walk is an op of its own, a child of the user's and in a block of its own, so that it can be freed
 * before the user is told, whoever has ended what. Its children are the visits, and the pause while
 * there is one; it is joined from its beginning on, and so ends when nobody is out any more.
 *
 * Invariants: an explorer is out (its work runs or is queued), idle (nothing to do), or unread (its
 * block waits). hungry is the number of those that are idle. Somebody is out, or the walk is paused, or it
 * is over. */
#include "walk.h"
#include "core/op.h"
#include "weft/alloc.h"
#include <string.h>
#include <sys/resource.h>

/* ---- explorers ------------------------------------------------------------------------------ */

static void visited(struct weft_op *parent, struct weft_op *op);

static void send_out(struct explorer *explorer)
{
    struct weft_walk *walk = explorer->walk;
    explorer->work.function = weft__explore;
    weft_lane_push_at(WEFT_HERE("tree_visit", WEFT_FS), &walk->queue->main, &walk->op,
                      &explorer->work.op, weft_work_begin, visited);
}

/* What it has open is of no use for the folders that it may get from somebody else. */
static void rest(struct explorer *explorer)
{
    struct weft_walk *walk = explorer->walk;
    weft__branch_close(&explorer->branch);
    explorer->next = walk->idle;
    walk->idle = explorer;
    atomic_fetch_add_explicit(&walk->hungry, 1, memory_order_relaxed);
}

/* As long as there is somebody who has nothing to do, and something to give. */
static int share(struct explorer *explorer)
{
    struct weft_walk *walk = explorer->walk;
    while (walk->idle != NULL && explorer->pending.count >= 2) {
        struct explorer *other = walk->idle;
        int err = weft__pending_share(&explorer->pending, &other->pending);
        if (err != 0)
            return err;
        walk->idle = other->next;
        atomic_fetch_sub_explicit(&walk->hungry, 1, memory_order_relaxed);
        send_out(other);
    }
    return 0;
}

static void go_on(struct explorer *explorer)
{
    int err = share(explorer);
    if (err != 0)
        weft_end(&explorer->walk->op, err);
    else if (explorer_is_done(explorer))
        rest(explorer);
    else
        send_out(explorer);
}

/* ---- telling -------------------------------------------------------------------------------- */

static void resumed(struct weft_op *parent, struct weft_op *pause);

static void pause_walk(struct weft_walk *walk)
{
    walk->paused = true;
    weft_run_at(WEFT_HERE("tree_pause", WEFT_FS), &walk->op, &walk->pause, NULL, resumed);
    weft_on_cancel(&walk->pause, weft_finish);
}

static bool tell(struct weft_walk *walk, const struct block_head *record)
{
    if (record->type == BLOCK_FOUND)
        return walk->kind->tell(walk, record);
    const struct block_error *error = (const void *)record;
    return walk->kind->tell_error(walk, error->path, error->status);
}

/* false: not all of it, because the walk is paused or over. */
static bool tell_all(struct explorer *explorer)
{
    struct weft_walk *walk = explorer->walk;
    const struct block_head *record;
    while ((record = weft__block_next(&explorer->block)) != NULL) {
        bool enough = !tell(walk, record);
        if (weft_cancelled(&walk->op) != 0)
            return false;
        if (enough) {
            pause_walk(walk);
            return false;
        }
    }
    return true;
}

static void count(struct explorer *explorer)
{
    struct weft_walk *walk = explorer->walk;
    walk->stats->folders += explorer->stats.folders;
    walk->stats->entries += explorer->stats.entries;
    walk->stats->errors += explorer->stats.errors;
    explorer->stats = (struct weft_tree_stats){0};
    if (walk->kind->count != NULL)
        walk->kind->count(walk, explorer);
}

static void append_unread(struct explorer *explorer)
{
    struct weft_walk *walk = explorer->walk;
    explorer->next = NULL;
    *walk->unread_tail = explorer;
    walk->unread_tail = &explorer->next;
}

static void visited(struct weft_op *parent, struct weft_op *op)
{
    struct explorer *explorer = weft_owner(op, struct explorer, work.op);
    struct weft_walk *walk = explorer->walk;
    count(explorer);
    if (op->status != 0)
        weft_end(parent, op->status);
    if (weft_cancelled(parent) != 0 || op->status != 0)
        return;
    if (walk->paused || !tell_all(explorer))
        append_unread(explorer);
    else
        go_on(explorer);
}

/* Who waited longest is told first; the first of them may have been told in part. */
static void resumed(struct weft_op *parent, struct weft_op *pause)
{
    struct weft_walk *walk = weft_owner(parent, struct weft_walk, op);
    if (pause->status != 0 || weft_cancelled(parent) != 0)
        return;
    walk->paused = false;
    while (walk->unread != NULL && tell_all(walk->unread)) {
        struct explorer *explorer = walk->unread;
        walk->unread = explorer->next;
        if (walk->unread == NULL)
            walk->unread_tail = &walk->unread;
        go_on(explorer);
    }
}

void weft__walk_resume(struct weft_walk *walk)
{
    if (walk != NULL && walk->paused && walk->pause.state_ == OP_RUNNING)
        weft_finish(&walk->pause, 0);
}

/* ---- beginning and end ---------------------------------------------------------------------- */

static struct explorer *explorer_at(struct weft_walk *walk, size_t index)
{
    return (void *)(walk->explorers + index * walk->kind->explorer_size);
}

static void free_walk(struct weft_walk *walk)
{
    for (size_t i = 0; i < walk->count; i++)
        weft__explorer_free(explorer_at(walk, i));
    weft__folder_close(&walk->root);
    if (walk->kind->over != NULL)
        walk->kind->over(walk);
    if (walk->queue == &walk->own_queue)
        weft_queue_close(&walk->own_queue);
    weft_free(walk);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Half of those that a process may have are for a walk. */
static size_t count_descriptors(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? (size_t)limit.rlim_cur / 2 : 0;
}

/* An explorer needs two descriptors: for the folder that it reads, and for a file in it. */
enum { EXPLORER_NEEDS = 2 };

static size_t count_explorers(const struct weft_tree *tree, size_t descriptors)
{
    size_t limit = tree->limit != 0 ? tree->limit : WEFT_TREE_LIMIT;
    if (tree->queue != NULL && tree->limit == 0)
        limit = tree->queue->limit;
    limit = least(limit, least(WEFT_TREE_LIMIT_MOST, descriptors / EXPLORER_NEEDS));
    return limit > 0 ? limit : 1;
}

/* How many folders each of so many explorers may hold open besides. */
static size_t branch_most(size_t explorers, size_t descriptors)
{
    size_t each = descriptors / explorers;
    return each < EXPLORER_NEEDS ? 0 : least(each - EXPLORER_NEEDS, BRANCH_MOST);
}

static struct weft_walk *make_walk(const struct weft_tree *tree, const struct walk_kind *kind)
{
    size_t descriptors = count_descriptors(), count = count_explorers(tree, descriptors);
    size_t size = strlen(tree->path);
    struct weft_walk *walk =
        weft_calloc(1, sizeof *walk + count * kind->explorer_size + 2 * (size + 1));
    if (walk == NULL)
        return NULL;
    char *path = walk->explorers + count * kind->explorer_size;
    walk->tree = *tree;
    walk->tree.path = memcpy(path, tree->path, size + 1);
    walk->prefix = memcpy(path + size + 1, tree->path, size + 1);
    while (size > 0 && path[size - 1] == '/')
        size--;
    walk->prefix[size] = '\0';
    walk->prefix_size = size;
    walk->kind = kind;
    walk->count = count;
    walk->unread_tail = &walk->unread;
    size_t most = branch_most(count, descriptors);
    for (size_t i = 0; i < count; i++) {
        explorer_at(walk, i)->walk = walk; /* also for free_walk, if the walk never begins */
        explorer_at(walk, i)->branch.most = most;
    }
    return walk;
}

/* The first one gets the folder itself, the others are hungry. */
static int send_first(struct weft_walk *walk)
{
    for (size_t i = walk->count; i-- > 1;)
        rest(explorer_at(walk, i));
    struct weft_tree_entry folder = {
        .path = walk->prefix, .size = walk->prefix_size, .kind = WEFT_KIND_DIR};
    struct explorer *first = explorer_at(walk, 0);
    int err = weft__pending_push(&first->pending, &folder, NULL);
    if (err == 0)
        send_out(first);
    return err;
}

static void walk_begin(struct weft_op *op)
{
    struct weft_walk *walk = weft_owner(op, struct weft_walk, op);
    int err = 0;
    walk->queue = walk->tree.queue;
    if (walk->queue == NULL) {
        walk->queue = &walk->own_queue;
        err = weft_queue_init(walk->queue, weft_loop_of(op), (unsigned)walk->count);
    }
    if (err == 0)
        err = send_first(walk);
    if (err != 0)
        weft_finish(op, err);
    else
        weft_join(op);
}

static void walk_over(struct weft_op *parent, struct weft_op *op)
{
    int status = op->status;
    struct weft_walk *walk = weft_owner(op, struct weft_walk, op);
    *walk->slot = NULL;
    free_walk(walk);
    weft_end(parent, status);
}

int weft__walk_begin(struct weft_op *op, const struct weft_tree *tree, const struct walk_kind *kind,
                     void *owner, struct weft_tree_stats *stats, struct weft_walk **slot)
{
    *slot = NULL;
    *stats = (struct weft_tree_stats){0};
    if (tree->path == NULL || tree->path[0] == '\0')
        return UV_EINVAL;
    struct weft_walk *walk = make_walk(tree, kind);
    if (walk == NULL)
        return UV_ENOMEM;
    walk->owner = owner;
    walk->stats = stats;
    walk->slot = slot;
    *slot = walk;
    weft_run_at(WEFT_HERE("tree_walk", WEFT_FS), op, &walk->op, walk_begin, walk_over);
    return 0;
}
