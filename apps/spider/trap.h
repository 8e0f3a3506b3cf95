/* apps/spider/trap.h: spaces of URLs that have no end, and how to get out of them.
 *
 * Nobody can tell a calendar without an end from a large site; but large sites keep to measures that
 * traps do not. There are two kinds of them. What can be seen in a URL: it is too long, a part of its
 * path comes again and again, it has too many parameters. And what can only be counted:
 *
 *     of a host         how many URLs
 *     of a pattern      how many URLs that differ in numbers only, and how many links the farthest of
 *                       them is away from the nearest: a shelf is wide, a calendar is deep
 *     of a host's body  how many pages that are the same to the byte, but for those whose links were left
 *                       out in earlier runs
 *
 * Counts are kept in a table of a megabyte at most, under keyed hashes: nobody can make two things meet
 * there. Where it is full the smallest count is forgotten: an endless space is noticed too late
 * rather than a good one too early. A URL that is left out is not told to the state, which an endless
 * space would flood, but counted here.
 *
 *     struct trap trap = {.limits = limits, .state = &state};
 *     int err = trap_open(&trap);
 *     if (trap_ask(&trap, &url, depth) == TRAP_NONE) ... trap_seen(&trap, url.href, depth, 1) ...
 *     trap_close(&trap); */
#ifndef WEFT_SPIDER_TRAP_H
#define WEFT_SPIDER_TRAP_H

#include <weft/crawl.h>
#include <weft/url.h>

/* 0: no limit. */
struct trap_limits {
    uint64_t url;      /* bytes of a URL */
    uint64_t repeats;  /* how often the same part may be in a path */
    uint64_t params;   /* of a query */
    uint64_t hosts;    /* under way; who asks has them, and counts them */
    uint64_t per_host; /* URLs */
    uint64_t like;     /* URLs that differ in numbers only */
    uint64_t chain;    /* links from the nearest of those to the farthest */
    uint64_t same;     /* pages of a host that are the same, until their links do not count */
};

enum trap_kind {
    TRAP_NONE,
    TRAP_LONG,
    TRAP_REPEATS,
    TRAP_PARAMS,
    TRAP_HOSTS,
    TRAP_HOST,
    TRAP_LIKE,
    TRAP_CHAIN,
    TRAP_SAME,
    TRAP_KINDS
};

enum {
    TRAP_PARTS = 64,       /* of a path: more are a trap by themselves, if repeats has a limit */
    TRAP_WORD = 16,        /* letters and digits in a row that are one number: a session, a hash */
    TRAP_WAYS = 4,         /* places for a key; so many of them */
    TRAP_BUCKETS = 1 << 8, /* in the beginning, a power of two, */
    TRAP_BUCKETS_MAX = 1 << 14,
    TRAP_TEXT = 512 /* longer ones are hashed as often as they are asked for */
};

struct trap_slot {
    uint64_t key;
    uint32_t count; /* 0: it is empty */
    uint16_t depth; /* of the nearest */
    bool told;
};

/* The key that was made last: a URL that is asked for is seen next, and most are of one host. */
struct trap_key {
    uint64_t key;
    size_t size; /* 0: there is none */
    char text[TRAP_TEXT];
};

struct trap {
    struct trap_limits limits;      /* set before, */
    const struct weft_crawl *state; /* both: whose key the hashes have */
    struct trap_slot *slots;
    size_t buckets;
    struct trap_key host, pattern;
    uint64_t left_out[TRAP_KINDS]; /* links; of TRAP_SAME pages, whose links were left out */
};

/* UV_ENOMEM. */
int trap_open(struct trap *trap);
/* Safe on one that is not open. */
void trap_close(struct trap *trap);

/* What can be seen in a URL. */
enum trap_kind trap_of_url(const struct trap_limits *limits, const struct weft_url *url);
/* May a URL that is not known yet be followed at this depth? It is counted only by trap_seen. */
enum trap_kind trap_ask(struct trap *trap, const struct weft_url *url, unsigned depth);
/* How many links a URL like href may be away from a start URL; UINT64_MAX: as many as it likes. */
uint64_t trap_farthest(struct trap *trap, struct weft_text href);
/* A number for the host of href, the same for the same host. */
uint64_t trap_host(struct trap *trap, struct weft_text href);
/* So many URLs like href are known from now on: 1; or 0, if it has only come nearer. */
void trap_seen(struct trap *trap, struct weft_text href, unsigned depth, unsigned more);
/* A page with this body is there. true: there are too many that are the same, whose links are followed. */
bool trap_body(struct trap *trap, struct weft_text href, const uint64_t hash[2]);

/* It was left out. true: it is the first of its host or pattern for which that is so, or the first
 * host. */
bool trap_leave_out(struct trap *trap, const struct weft_url *url, enum trap_kind kind);

/* A few words that follow "left out: ", and the option that sets the limit. Static storage. */
const char *trap_reason(enum trap_kind kind);
const char *trap_option(enum trap_kind kind);

#endif
