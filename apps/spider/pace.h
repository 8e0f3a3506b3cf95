/* apps/spider/pace.h: how fast a host is asked, and when it is left alone.
 *
 * No clock, no loop: what happened comes in with its time, what is allowed now stands in the
 * fields. Who asks the host begins a request only if it is not gone, now >= rest_until_ms, gap_ms
 * have passed since the last begin and fewer than connections are under way.
 *
 *     pace_init(&pace, delay_ms, 4, 3, seed);
 *     ... pace_answered / pace_pushed_back / pace_failed after each request ... */
#ifndef WEFT_SPIDER_PACE_H
#define WEFT_SPIDER_PACE_H

#include <stdbool.h>
#include <stdint.h>

enum {
    PACE_GAP_FIRST_MS = 250, /* the gap after a first push-back, if there was none */
    PACE_GAP_LEAST_MS = 50,  /* a gap that fell below it is over */
    PACE_GAP_MOST_MS = 60 * 1000,
    PACE_GAP_ANSWERS = 10,        /* good ones in a row, and the gap falls by a fifth, */
    PACE_CONNECTION_ANSWERS = 20, /* and one more connection is allowed */

    PACE_RETRY_AFTER_MOST_MS = 60 * 60 * 1000, /* who asks for more gets this */
    PACE_PUSHED_REST_MS = 1000,                /* without Retry-After; then twice as long … */
    PACE_PUSHED_REST_MOST_MS = 5 * 60 * 1000,
    PACE_PUSHED_ROUNDS = 8, /* given up after so many without any other answer */
    PACE_FAILED_REST_MS = 500,
    PACE_FAILED_REST_MOST_MS = 60 * 1000,
    PACE_FAILED_ROUNDS = 8, /* given up after so many, if it had answered before */

    PACE_SLOW_TIMES = 4,  /* this many times slower than at best, */
    PACE_SLOW_MS = 500,   /* and slower than this: the server is slow */
    PACE_SLOW_ANSWERS = 8 /* what "at best" is, is known after so many answers */
};

struct pace {
    /* What is allowed now. */
    uint64_t gap_ms;        /* between two begins */
    uint64_t rest_until_ms; /* nothing is begun before */
    unsigned connections;
    bool gone; /* given up for this run; it stays so */

    /* What happened. */
    uint64_t answers, pushed_back, failures;

    /* The rest is pace's own. */
    unsigned limit_, tries_;
    unsigned streak_;                              /* good answers in a row */
    unsigned push_rounds_, fail_rounds_;           /* in a row */
    unsigned busy_rounds_;                         /* of push-backs since the last good answer */
    uint64_t base_ms_, push_gap_ms_, slow_gap_ms_; /* gap_ms is the largest of them */
    uint64_t pushed_at_ms_, failed_at_ms_;         /* when the last round began */
    uint64_t latency_us_, best_us_;                /* smoothed */
    uint64_t random_;
};

/* base_ms: the gap that is wanted anyway. limit: connections at most, tries: rounds until a host
 * that never answered is given up; both at least 1 (0 is taken for 1). */
void pace_init(struct pace *pace, uint64_t base_ms, unsigned limit, unsigned tries, uint64_t seed);

/* Another base, for robots.txt's Crawl-delay. */
void pace_set_base(struct pace *pace, uint64_t base_ms);

/* A good answer: any that does not push back. latency_ms: until its first byte, because a large body
 * does not make a slow server. Ten in a row shrink the gap that push-backs made, twenty bring a
 * connection back; those that come in during a rest were begun before and tell nothing. If answers
 * become slow (the smoothed latency is over 500 ms and over 4 times the best one), the gap becomes
 * as long as half the connections would need: 2 * latency / connections. */
void pace_answered(struct pace *pace, uint64_t now_ms, uint64_t latency_ms);

/* took_ms is how long ago the request was begun, here and below. */

/* 429 or 503. retry_after_ms is what it asked for, up to an hour; -1: it did not say. The gap
 * doubles, one connection is left, and it rests: never shorter than Retry-After (and up to a tenth,
 * at most 5 s, longer), or 1 s, 2 s, 4 s … 5 min with jitter (half of it to all of it). Of requests
 * begun before the last push-back the answers are one with it: they only make the rest longer, if
 * they ask for that. A rest never becomes shorter. Gone after 8 rounds without a good answer. */
void pace_pushed_back(struct pace *pace, uint64_t now_ms, uint64_t took_ms, int64_t retry_after_ms);

/* No answer at all: refused, reset, timed out. Half the connections are left, and it rests: 0.5 s,
 * 1 s … 60 s with jitter (half of it to all of it). Failures that come in while it rests, or of
 * requests begun before the rest, belong to the same round. Gone after `tries` rounds without an
 * answer if it never answered, after 8 if it did. */
void pace_failed(struct pace *pace, uint64_t now_ms, uint64_t took_ms);

#endif
