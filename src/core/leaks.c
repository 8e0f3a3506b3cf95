/* What was never finished or closed, by place.
 *
 * A hook counts what begins and what ends. It could be read off the tree of ops instead, but at the
 * end of a process that may be gone: a loop that nobody closed often lies in the stack frame of a
 * main that has returned. So nothing is looked at but the counts, which are the library's own, and
 * the sites, which are static. They also hold what is no op and in no tree.
 *
 * A loop that is closed leaves its counts behind: what is open then stays open for ever. Queues and
 * cargos are left out, because after the loop's end they need not be closed.
 *
 * The counts are read by the thread that calls exit while others may still count: each is one atomic
 * word. */
#include "places.h"
#include "weft/alloc.h"
#include "weft/dump.h"
#include <string.h>
#include <unistd.h>

enum { PLACES = 1024, TOLD = 100 };

struct weft_leaks {
    struct weft_hook hook;
    struct place places[PLACES];
};

static struct place *place_in(struct weft_hook *hook, const struct weft_site *site)
{
    return place_of(weft_owner(hook, struct weft_leaks, hook)->places, PLACES, site);
}

static void begun(struct weft_hook *hook, uint64_t id, const struct weft_site *site,
                  uint64_t parent, void *resource)
{
    (void)id;
    (void)parent;
    (void)resource;
    struct place *place = place_in(hook, site);
    if (place != NULL)
        place_add(place, 1);
}

static void ended(struct weft_hook *hook, uint64_t id)
{
    struct place *place = place_in(hook, SLOT_GET(slot_of(id)->site));
    if (place != NULL)
        place_add(place, (uint64_t)-1);
}

int weft_leaks_watch(struct weft_loop *loop)
{
    if (loop == NULL || loop->handles_ == NULL)
        return UV_EINVAL;
    RULE_THREAD(loop, &loop->root);
    struct weft_report *report = weft__report_of(loop);
    if (report->leaks != NULL)
        return 0;
    struct weft_leaks *leaks = weft_calloc(1, sizeof *leaks);
    if (leaks == NULL)
        return UV_ENOMEM;
    leaks->hook.init = begun;
    leaks->hook.destroy = ended;
    int err = weft_hook_enable(loop, &leaks->hook);
    if (err != 0) {
        weft_free(leaks);
        return err;
    }
    __atomic_store_n(&report->leaks, leaks, __ATOMIC_RELEASE);
    return 0;
}

/* ---- adding up ------------------------------------------------------------------------------ */

/* Of the loops that were closed, under the lock. A child that was forked begins with none. */
static struct {
    struct place places[PLACES];
    int pid;
} left;

static bool may_stay_open(const struct weft_site *site)
{
    const unsigned queue = WEFT_QUEUE | WEFT_HANDLE;
    return site == &weft__loop_site || (site->group & queue) == queue;
}

static void add_up(struct place *sum, const struct place *places, bool closed)
{
    for (int i = 0; i < PLACES; i++) {
        const struct weft_site *site = __atomic_load_n(&places[i].site, __ATOMIC_ACQUIRE);
        uint64_t count = __atomic_load_n(&places[i].count, __ATOMIC_RELAXED);
        if (site == NULL || count == 0 || (closed && may_stay_open(site)))
            continue;
        struct place *place = place_of(sum, PLACES, site);
        if (place != NULL)
            place_add(place, count);
    }
}

void weft__leaks_close(struct weft_report *report)
{
    struct weft_leaks *leaks = report->leaks;
    if (leaks == NULL)
        return;
    weft_hook_remove(&leaks->hook);
    weft__loops_lock();
    if (left.pid != report->pid) {
        memset(&left, 0, sizeof left);
        left.pid = report->pid;
    }
    add_up(left.places, leaks->places, true);
    weft__loops_unlock();
    report->leaks = NULL;
    weft_free(leaks);
}

/* ---- telling -------------------------------------------------------------------------------- */

/* Of equally many the order is that of the sources: the same in every run. */
static bool goes_first(const struct place *a, const struct place *b)
{
    if (a->count != b->count || a->count == 0)
        return a->count > b->count;
    int order = strcmp(a->site->file, b->site->file);
    if (order == 0)
        order = a->site->line - b->site->line;
    return order != 0 ? order < 0 : strcmp(a->site->type, b->site->type) < 0;
}

/* The place with the most; it is emptied. NULL: all are. */
static struct place *most(struct place *sum, struct place *taken)
{
    struct place *best = &sum[0];
    for (int i = 1; i < PLACES; i++) {
        if (goes_first(&sum[i], best))
            best = &sum[i];
    }
    *taken = *best;
    best->count = 0;
    return taken->count != 0 ? taken : NULL;
}

static void say_place(struct weft_words *words, const struct place *place)
{
    weft__say(words, "  ");
    weft__say_number(words, place->count);
    weft__say(words, " ");
    weft__say(words, place->site->type);
    weft__say_site(words, place->site);
    weft__say_end(words);
}

size_t weft_leaks(FILE *to)
{
    static struct place sum[PLACES]; /* under the lock */
    struct place place;
    char line[1024];
    struct weft_words words = WORDS_TO_FILE(line, to);
    size_t total = 0, told = 0, more = 0;
    weft__loops_lock();
    memset(sum, 0, sizeof sum);
    if (left.pid == (int)getpid())
        add_up(sum, left.places, true);
    for (struct weft_report *report = weft__loops; report != NULL; report = report->next) {
        const struct weft_leaks *leaks = __atomic_load_n(&report->leaks, __ATOMIC_ACQUIRE);
        if (leaks != NULL && report->pid == (int)getpid())
            add_up(sum, leaks->places, false);
    }
    while (most(sum, &place) != NULL) {
        total += place.count;
        if (told++ == 0)
            fputs("weft: never finished or closed:\n", to);
        if (told <= TOLD)
            say_place(&words, &place);
        else
            more += place.count;
    }
    if (more != 0)
        fprintf(to, "  %zu more at other places\n", more);
    weft__loops_unlock();
    return total;
}
