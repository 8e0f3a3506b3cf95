/* What producers and workers leave for each other in Redis, as it is read. Everything that comes from there is
 * looked at as if a stranger had written it. All texts point into what was read. */
#ifndef WEFT_STORE_JOBS_WIRE_H
#define WEFT_STORE_JOBS_WIRE_H

#include "weft/jobs.h"

enum {
    JOBS_NAME = 16, /* hexadecimal digits of a worker's or a producer's id */
    JOBS_ENTRY = 42 /* room for the id of a stream's entry: two numbers, a '-', a NUL */
};

/* size random hexadecimal digits, a multiple of 16, and a NUL. */
void weft__jobs_name(char *name, size_t size);

/* ---- answers of the script ------------------------------------------------------------------ */

/* The word that an answer is, or begins with. */
enum jobs_word {
    JOBS_NONSENSE, /* it is no answer of ours */
    JOBS_OK,
    JOBS_LATE,
    JOBS_FULL,
    JOBS_GONE,
    JOBS_NOTHING,
    JOBS_A_TASK
};
enum jobs_word weft__jobs_read_word(const struct weft_redis_reply *reply);
/* The number at a place behind it; 0: there is none. */
uint64_t weft__jobs_read_count(const struct weft_redis_reply *reply, size_t place);

/* A part that was delivered. */
struct jobs_delivery {
    struct weft_text entry, job, checkpoint, payload;
    size_t part;
    uint64_t attempt, chunks;
};
bool weft__jobs_read_delivery(const struct weft_redis_reply *reply, struct jobs_delivery *delivery);

/* ---- results -------------------------------------------------------------------------------- */

struct jobs_result {
    struct weft_text
        entry; /* there also if the rest makes no sense; empty: it is no entry at all */
    size_t part;
    uint64_t chunk, total;
    bool is_end;
    int status;            /* of an end */
    struct weft_text data; /* a chunk; of an end, its text */
};
bool weft__jobs_read_result(const struct weft_redis_reply *reply, struct jobs_result *result);

/* ---- the rest ------------------------------------------------------------------------------- */

/* What XREADGROUP has found, one entry at most: its id, or false. */
bool weft__jobs_read_entry(const struct weft_redis_reply *reply, struct weft_text *entry);

bool weft__jobs_is_entry(struct weft_text text);
bool weft__jobs_is_job(struct weft_text text);
/* A number without sign, blanks or anything else, below 2^53. */
bool weft__jobs_read_number(struct weft_text text, uint64_t *number);

/* A message to workers: a letter and a job. */
enum jobs_news {
    JOBS_ODD, /* it is no message of ours */
    JOBS_CANCELLED,
    JOBS_ROOM
};
enum jobs_news weft__jobs_read_news(struct weft_text message, struct weft_text *job);

#endif
