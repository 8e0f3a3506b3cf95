/* weft/robots.h: robots.txt, the Robots Exclusion Protocol (RFC 9309).
 *
 * Parse what a host answered for /robots.txt once, then ask for each path whether it may be
 * fetched. Pure: no loop, no clock. Fed with what a stranger sent.
 *
 *     switch (weft_robots_of_status(fetch.status, fetch.op.status)) {
 *     case WEFT_ROBOTS_RULES:
 *         status = weft_robots_parse(&robots, body, weft_text_of("weft"));
 *     ... */
#ifndef WEFT_ROBOTS_H
#define WEFT_ROBOTS_H

#include "text.h"
#include "version.h"
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is beyond this many bytes of a robots.txt is ignored, from the line on that it cuts. */
enum { WEFT_ROBOTS_SIZE_MAX = 500 * 1024 };

/* A longer Crawl-delay is this one: the rules are to be read again after a day anyway. */
enum { WEFT_ROBOTS_DELAY_MAX_MS = 24 * 60 * 60 * 1000 };
#define WEFT_ROBOTS_NO_DELAY UINT32_MAX

struct weft_robots {
    uint32_t crawl_delay_ms;          /* WEFT_ROBOTS_NO_DELAY: none is asked for */
    size_t sitemap_count;             /* the Sitemap lines of all groups, in their order, as they */
    const struct weft_text *sitemaps; /* are written; owned by this struct; a NUL behind each */

    /* Private from here on. */
    bool closed_; /* there was no memory for the rules: nothing is allowed */
    size_t rule_count_;
    struct weft__robots_rule *rules_; /* the block that all the rest is in */
};

/* Read the body of a robots.txt, and keep what is meant for agent: the product token alone, as in
 * "weft" of "weft/1.0", of letters, '-' and '_' (the case does not matter). All groups that name it
 * count together; if there is none, those of '*' do; if there is none either, all is allowed.
 * Anything is taken as a robots.txt: lines that are not understood are passed over. Taken as well,
 * because they are common: a missing colon, and the usual slips in "user-agent", "disallow" and
 * "sitemap". Of several Crawl-delays the longest counts. robots was zeroed or freed before; body is
 * not needed afterwards. 0, or UV_ENOMEM, and then robots allows nothing. */
WEFT_API int weft_robots_parse(struct weft_robots *robots, struct weft_text body,
                               struct weft_text agent);

/* May this path be fetched? With its query, percent-encoded as in a URL; empty is "/". The longest
 * rule that matches counts, of equal ones an Allow. "/robots.txt" itself is always allowed.
 *
 * Escapes: %7e is as %7E, and what a URL cannot hold (an UTF-8 letter, a blank) is as its escape. A
 * Disallow also covers the path that has unreserved characters escaped otherwise, so that
 * "/%61dmin" is no way around "/admin"; an Allow has to be written as the path is.
 *
 * Time is linear in path and rules, however many '*' there are, and some milliseconds at most: where rules
 * with a '*' would have to look through more than a million bytes of path, a thousand rules for one of
 * a thousand bytes, the answer is false. A path above 512 bytes with escapes
 * needs memory for the time of the call; when there is none, the answer is false. */
WEFT_API bool weft_robots_allows(const struct weft_robots *robots, struct weft_text path);

/* Takes a struct that is zeroed, and one that is freed; both allow everything. */
WEFT_API void weft_robots_free(struct weft_robots *robots);

enum weft_robots_verdict {
    WEFT_ROBOTS_RULES,     /* parse the body */
    WEFT_ROBOTS_ALLOW_ALL, /* "unavailable": there are no rules */
    WEFT_ROBOTS_DENY_ALL   /* "unreachable": assume that nothing is allowed, try again later */
};

/* What the answer to a request for /robots.txt means. op_status: how the fetch ended; an error is
 * DENY_ALL. 2xx: RULES; 4xx: ALLOW_ALL, but 429 is DENY_ALL; 5xx and all else: DENY_ALL. Redirects
 * are the caller's to follow, at least five, also to other hosts; a 3xx that is left after those,
 * or UV_ELOOP, is ALLOW_ALL, as the RFC has it. A body that is longer than WEFT_ROBOTS_SIZE_MAX is
 * no error: parse what there is. */
WEFT_API enum weft_robots_verdict weft_robots_of_status(int http_status, int op_status);

enum { WEFT_ROBOTS_AGE_MIN_S = 5 * 60, WEFT_ROBOTS_AGE_MAX_S = 24 * 60 * 60 };

/* For how many seconds a robots.txt may be used, from its Cache-Control (or empty): max-age, at
 * most a day, and a day if nothing is said. At least five minutes, also for no-store and no-cache:
 * else there would be a request more for each page. Old rules stay good while the host cannot be
 * reached. */
WEFT_API uint32_t weft_robots_max_age_s(struct weft_text cache_control);

#ifdef __cplusplus
}
#endif
#endif
