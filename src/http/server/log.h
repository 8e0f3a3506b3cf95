/* The inside of the access log: lines (log_line.c), and the thread that writes them (log_write.c).
 * log.c is the op. */
#ifndef WEFT_HTTP_LOG_INSIDE_H
#define WEFT_HTTP_LOG_INSIDE_H

#include "weft/http_log.h"

enum {
    LOG_DATE_SIZE = 32, /* room for the date of any format */
    LOG_LOST_SIZE = 160 /* the longest line that tells of lost ones */
};

/* ---- log_line.c: pure functions
 * --------------------------------------------------------------- */

struct http_log_entry {
    const struct weft_http_head *head;
    const char *remote;   /* printable, without blanks */
    const char *date;     /* of weft__http_log_date */
    unsigned millisecond; /* of that second */
    int status;
    uint64_t bytes, duration_ns;
};

/* The date of a line of this format, up to the second; computed once a second. */
void weft__http_log_date(enum weft_http_log_format format, int64_t seconds,
                         char date[LOG_DATE_SIZE]);

/* Write a line, its end included, into line, which has room for WEFT_HTTP_LOG_LINE bytes; how many
 * they are. */
size_t weft__http_log_line(enum weft_http_log_format format, const struct http_log_entry *entry,
                           char *line);

/* The same for one that says that count lines are missing: at most LOG_LOST_SIZE bytes. */
size_t weft__http_log_lost(enum weft_http_log_format format, const char *date, unsigned millisecond,
                           uint64_t count, char *line);

/* ---- log_write.c
 * ------------------------------------------------------------------------------ */

/* On a thread of the pool: open, write, close, as job says. */
void weft__http_log_work(uv_work_t *request);

#endif
