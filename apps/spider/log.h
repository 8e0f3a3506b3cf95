/* apps/spider/log.h: lines of JSON, one for each event, appended to a file.
 *
 *     log_event(log, "rest", now);
 *     log_text(log, "host", host);
 *     log_number(log, "rest_ms", ms);
 *     log_event_end(log);
 *     ... log_flush once a turn ...
 *
 * What the events are is docs/spider-log.md's, and who writes them story.c. */
#ifndef WEFT_SPIDER_LOG_H
#define WEFT_SPIDER_LOG_H

#include "trace/output.h"

enum {
    LOG_SCHEMA = 1,         /* one more when what is there changes its meaning, or goes */
    LOG_BUFFER = 256 * 1024 /* bytes that wait for log_flush at most: more are written at once */
};

/* Zeroed before its first use; all fields are its own. */
struct log {
    bool open_;
    int fd_;
    struct out lines_;
    size_t line_at_; /* where the event that is being written begins */
    uint64_t begun_ms_;
    int64_t begun_at_ms_; /* the same since 1970 */
    int64_t second_;      /* whose text this is: */
    char second_text_[32];
    uint64_t lost_; /* events for which there was no memory */
    int error_;     /* of a write that was due before log_flush */
};

/* path: "-" is standard output. What the last run has left of a line is cut off. begun_ms: the loop's
 * time that events are counted from. 0, or why it cannot be opened. UV_EEXIST: there is a file, and it is no
 * log. */
int log_open(struct log *log, const char *path, uint64_t begun_ms);
static inline bool log_is_open(const struct log *log)
{
    return log->open_;
}

/* An event begins: its name and its times. Its members follow, then its end. */
void log_event(struct log *log, const char *event, uint64_t now_ms);
void log_text(struct log *log, const char *name, struct weft_text text);
void log_number(struct log *log, const char *name, uint64_t number);
/* Microseconds, as milliseconds with what is left behind the point. */
void log_us(struct log *log, const char *name, uint64_t us);
void log_flag(struct log *log, const char *name, bool flag);
/* Two halves of a hash, as 32 digits. */
void log_hash(struct log *log, const char *name, const uint64_t hash[2]);
void log_texts(struct log *log, const char *name, char *const *texts, size_t count);
void log_event_end(struct log *log);
/* How many events are missing, because there was no memory for them. */
uint64_t log_lost(const struct log *log);

/* Write what is there. An error stays: nothing is written any more. */
int log_flush(struct log *log);
void log_close(struct log *log);

#endif
