/* What the limits against spaces without an end would say about a URL that is not known.
 *
 * What they leave out is kept nowhere, or an endless space would fill the state. But what they count
 * follows from what is known, so they can be asked as a run would ask them that comes upon a link to
 * the URL now. Two things only such a run knows. How far away the link is: so it is said from where on it
 * would be too far. And which hosts are under way: those that are known, if one run has met them all. */
#include "spider/crawl.h"
#include "spider/why.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct known {
    struct crawl *crawl;
    uint64_t *hosts; /* a number for that of each URL */
    size_t count;
    unsigned deepest;
};

static int count_known(struct weft_crawl *state, weft_crawl_id id, struct weft_text url,
                       const struct weft_crawl_result *result, void *context)
{
    struct known *known = context;
    unsigned depth = weft_crawl_depth(state, id);
    known->hosts[known->count++] = trap_host(&known->crawl->trap, url);
    known->deepest = depth > known->deepest ? depth : known->deepest;
    crawl_count_again(known->crawl, url, depth, result);
    return 0;
}

static int by_number(const void *one, const void *other)
{
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return a < b ? -1 : a > b;
}

static bool is_one_host_too_many(struct known *known)
{
    struct crawl *crawl = known->crawl;
    uint64_t own = trap_host(&crawl->trap, crawl->link.href), most = crawl->trap.limits.hosts;
    uint64_t different = 0;
    qsort(known->hosts, known->count, sizeof *known->hosts, by_number);
    for (size_t i = 0; i < known->count; i++) {
        if (known->hosts[i] == own)
            return false;
        different += i == 0 || known->hosts[i] != known->hosts[i - 1];
    }
    return most > 0 && different >= most;
}

static void ask(struct known *known, char text[WHY_TRAPS])
{
    struct trap *trap = &known->crawl->trap;
    const struct weft_url *url = &known->crawl->link;
    enum trap_kind kind = is_one_host_too_many(known) ? TRAP_HOSTS : trap_ask(trap, url, 0);
    uint64_t farthest = trap_farthest(trap, url->href);
    char where[WHY_TRAPS] = "";
    if (kind == TRAP_HOSTS)
        snprintf(where, sizeof where, " by a run that has met all hosts that are known");
    if (kind == TRAP_NONE && known->deepest >= farthest) {
        kind = TRAP_CHAIN;
        snprintf(where, sizeof where,
                 " on a page that is %" PRIu64 " links away from a start URL, or more", farthest);
    }
    if (kind == TRAP_NONE)
        snprintf(text, WHY_TRAPS, "none of the limits would leave out a link to it");
    else
        snprintf(text, WHY_TRAPS, "a link to it would be left out%s: %s (%s)", where,
                 trap_reason(kind), trap_option(kind));
}

int why_traps(struct crawl *crawl, char text[WHY_TRAPS])
{
    struct known known = {.crawl = crawl};
    crawl->trap = (struct trap){.limits = crawl->settings->traps, .state = &crawl->state};
    int err = trap_open(&crawl->trap);
    if (err != 0)
        return err;
    known.hosts = weft_calloc((size_t)crawl->state.known + 1, sizeof *known.hosts);
    if (known.hosts == NULL)
        return UV_ENOMEM;
    err = weft_crawl_each(&crawl->state, count_known, &known);
    if (err == 0)
        ask(&known, text);
    weft_free(known.hosts);
    return err;
}
