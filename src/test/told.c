/* What a hook is told in a scenario: the promises of weft/hook.h, for everything that is begun or
 * opened on the stage's loop, whoever does it.
 *
 * Only what is open is kept, in a table that is searched: ids are never used twice, so one that is
 * not there was never told of or is over. What cannot be told for lack of memory is not asked for
 * (at.starving). */
#include "stage.h"
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 64 };

struct seen {
    uint64_t id;
    const struct weft_site *site;
    unsigned pairs;
};

static struct told {
    struct seen *open;
    size_t count, room;
    uint64_t running[DEPTH]; /* between their pre and their post */
    unsigned depth;
} told;

static struct seen *find(uint64_t id)
{
    for (size_t i = told.count; i-- > 0;) {
        if (told.open[i].id == id)
            return &told.open[i];
    }
    return NULL;
}

static void require_of(bool holds, const struct weft_site *site, const char *what)
{
    char text[200];
    if (holds)
        return;
    snprintf(text, sizeof text, "hooks: %s, begun at %s:%d: %s", site->type, site->file, site->line,
             what);
    require(false, text);
}

static struct seen *find_open(uint64_t id, const char *otherwise)
{
    struct seen *seen = find(id);
    require(seen != NULL, otherwise);
    return seen;
}

/* One callback and no more? The scenarios begin a provider's op as they would any other. */
static bool is_request(const struct weft_site *site)
{
    return !(site->group & WEFT_HANDLE) &&
           !(at.provider->flags & WEFT_PROVIDER_HANDLE && site->group & WEFT_USER);
}

static bool is_running(uint64_t id)
{
    for (unsigned i = 0; i < told.depth; i++) {
        if (told.running[i] == id)
            return true;
    }
    return false;
}

static void init(struct weft_hook *hook, uint64_t id, const struct weft_site *site, uint64_t parent,
                 void *resource)
{
    (void)hook;
    require_of(id != 0 && find(id) == NULL, site, "its id is not a new one");
    require_of(resource != NULL, site, "it is told of without the resource");
    require_of(parent != 0 || site->group & WEFT_LOOP, site, "it has no parent");
    require_of(parent == 0 || find(parent) != NULL || at.starving, site, "its parent is not open");
    if (told.count == told.room) {
        told.room = told.room != 0 ? 2 * told.room : 64;
        told.open = realloc(told.open, told.room * sizeof *told.open);
        require(told.open != NULL, "no memory for the suite itself");
    }
    told.open[told.count++] = (struct seen){.id = id, .site = site};
}

static void pre(struct weft_hook *hook, uint64_t id, weft_entry_fn *entry)
{
    struct seen *seen = find_open(id, "hooks: pre of what is not open");
    (void)hook;
    (void)entry;
    seen->pairs++;
    require_of(seen->pairs == 1 || !is_request(seen->site), seen->site,
               "a request has a second callback");
    require_of(weft_current_id() == id, seen->site, "it is not current in its callback");
    require(told.depth < DEPTH, "hooks: callbacks nest without end");
    told.running[told.depth++] = id;
}

static void post(struct weft_hook *hook, uint64_t id, int outcome)
{
    const struct seen *seen = find_open(id, "hooks: post of what is not open");
    (void)hook;
    (void)outcome;
    require_of(told.depth > 0 && told.running[told.depth - 1] == id, seen->site,
               "pre and post are not nested");
    told.depth--;
}

static void destroy(struct weft_hook *hook, uint64_t id)
{
    struct seen *seen = find_open(id, "hooks: destroy of what is not open");
    (void)hook;
    require_of(!is_running(id), seen->site, "destroy came before its post");
    require_of(seen->pairs == 1 || !is_request(seen->site), seen->site,
               "a request is over without its callback");
    *seen = told.open[--told.count];
}

void told_open(void)
{
    told.count = 0;
    told.depth = 0;
    at.hook = (struct weft_hook){.init = init, .pre = pre, .post = post, .destroy = destroy};
    if (!at.hooked)
        return;
    int err = weft_hook_enable(&at.loop, &at.hook);
    if (err == UV_ENOTSUP)
        at.hooked = false; /* the library was built without */
    else
        require(err == 0, "no hook");
}

void told_begun(struct weft_op *op)
{
    if (at.hooked && !at.starving)
        require(find(weft_id(op)) != NULL, "hooks: its begin runs and its init was not told");
}

void told_then(void)
{
    if (at.hooked && !at.starving)
        require(told.depth > 0, "hooks: its then runs outside of any callback");
}

/* Before the loop is closed: that lets go of the hook, and would write to what is left open. */
void told_dry(void)
{
    for (size_t i = 0; i < told.count; i++)
        require_of(told.open[i].site->group & WEFT_LOOP, told.open[i].site,
                   "it was never destroyed");
}

void told_shut(void)
{
    require(told.count == 0, "hooks: the loop was not destroyed");
    free(told.open);
    told = (struct told){0};
}
