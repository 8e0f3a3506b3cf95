/* Finding: the op. Makes the plan, sends a walk whose explorers look into files, and tells what they
 * found. */
#include "find.h"
#include "core/op.h"
#include "weft/alloc.h"

_Static_assert((int)WEFT_FIND_KEYWORDS == (int)MATCHER_KEYWORDS_MAX &&
                   (int)WEFT_FIND_KEYWORD_SIZE == (int)MATCHER_KEYWORD_SIZE_MAX &&
                   (int)WEFT_FIND_KEYWORDS_SIZE == (int)MATCHER_SIZE_MAX,
               "the header says what the matcher takes");

/* ---- the plan ------------------------------------------------------------------------------- */

static void free_plan(struct weft_find_plan *plan)
{
    if (plan == NULL)
        return;
    for (size_t i = 0; i < plan->count; i++)
        weft__matcher_free(plan->each[i].matcher);
    weft__matcher_free(plan->any);
    weft_free(plan);
}

static int make_plan(struct weft_find *find)
{
    size_t count = find->keyword_count;
    if (find->on_found == NULL || find->keywords == NULL || count == 0 ||
        (unsigned)find->what > WEFT_FIND_COUNTS)
        return UV_EINVAL;
    if (count > WEFT_FIND_KEYWORDS)
        return UV_E2BIG;
    bool all = find->all && count > 1;
    struct weft_find_plan *plan =
        weft_calloc(1, sizeof *plan + (all ? count * sizeof plan->each[0] : 0));
    find->plan_ = plan;
    if (plan == NULL)
        return UV_ENOMEM;
    plan->what = find->what;
    plan->all = all;
    plan->except_dev = find->except_dev;
    plan->except_ino = find->except_ino;
    plan->count = all ? count : 0;
    int err = weft__matcher_make(&plan->any, find->keywords, count, find->ignore_case);
    for (size_t i = 0; i < plan->count && err == 0; i++)
        err = weft__matcher_make(&plan->each[i].matcher, &find->keywords[i], 1, find->ignore_case);
    if (err == 0)
        plan->reach = weft__matcher_reach(plan->any);
    return err;
}

/* ---- the kind of walk ----------------------------------------------------------------------- */

static bool tell(struct weft_walk *walk, const struct block_head *head)
{
    const struct find_record *record = (const void *)head;
    struct weft_find *find = walk->owner;
    struct weft_find_match match = {
        .path = record->path,
        .size = record->size,
        .line = record->line,
        .offset = record->offset,
        .text = weft_text(record->path + record->size + 1, record->text_size),
        .at = record->at,
        .cut = record->cut};
    return find->on_found(find, &match);
}

static bool tell_error(struct weft_walk *walk, const char *path, int status)
{
    struct weft_find *find = walk->owner;
    return find->on_error == NULL || find->on_error(find, path, status);
}

static void count(struct weft_walk *walk, struct explorer *explorer)
{
    struct weft_find *find = walk->owner;
    struct finder *finder = weft_owner(explorer, struct finder, explorer);
    find->files += finder->files;
    find->bytes += finder->bytes;
    find->binary += finder->binary;
    finder->files = finder->bytes = finder->binary = 0;
}

static void over(struct weft_walk *walk)
{
    struct weft_find *find = walk->owner;
    free_plan(find->plan_);
    find->plan_ = NULL;
}

static const struct walk_kind find_kind = {.explorer_size = sizeof(struct finder),
                                           .looks_into_files = true,
                                           .found = weft__search_begin,
                                           .go_on = weft__search_on,
                                           .tell = tell,
                                           .tell_error = tell_error,
                                           .count = count,
                                           .drop = weft__search_drop,
                                           .over = over};

/* ---- the op --------------------------------------------------------------------------------- */

void weft_find_begin(struct weft_op *op)
{
    struct weft_find *find = weft_owner(op, struct weft_find, op);
    find->files = find->bytes = find->binary = 0;
    find->plan_ = NULL;
    int err = make_plan(find);
    if (err == 0)
        err = weft__walk_begin(op, &find->tree, &find_kind, find, &find->stats, &find->walk_);
    if (err == 0)
        return;
    free_plan(find->plan_);
    find->plan_ = NULL;
    weft_finish(op, err);
}

void weft_find_at(const struct weft_site *site, struct weft_op *parent, struct weft_find *find,
                  const char *path, const struct weft_text *keywords, size_t count_,
                  weft_then_fn *then)
{
    op_check_start(parent, &find->op);
    find->tree.path = path;
    find->keywords = keywords;
    find->keyword_count = count_;
    find->walk_ = NULL;
    weft_run_at(site, parent, &find->op, weft_find_begin, then);
}

void weft_find_resume(struct weft_find *find)
{
    weft__walk_resume(find->walk_);
}
