/* weft/http_log.h: the access log: one line for each request that is over.
 *
 *     static struct weft_http_log log;
 *     static void done(struct weft_http_request *request)            // server.done
 *     {
 *         weft_http_log_request(&log, request);
 *     }
 *     ...
 *     weft_http_log_open(op, &log, "access.log", WEFT_HTTP_LOG_COMMON, NULL);
 *
 * A log is an op that runs until it is closed. It never makes the loop wait: lines are put into one
 * of two buffers, and the thread pool writes the other one; one write at a time, when a buffer is
 * half full or its first line has waited for flush_ms. When both are full, because the disk or the
 * reader of a pipe is too slow, lines are dropped and counted, and a line says how many are missing
 * as soon as there is room again. The same with lines that could not be written (a full disk).
 *
 * A line is never mixed with another one: a file is opened for appending and gets whole lines in
 * one write, so that several logs, on other threads or in other processes, may write to one file.
 * To pipes and terminals they go in pieces of at most PIPE_BUF, which are not mixed either. No line
 * is longer than WEFT_HTTP_LOG_LINE: texts that are too long are cut, and end in "...".
 *
 * What clients send cannot forge a line or reach a terminal: quotes, backslashes and everything
 * that is not printable are escaped.
 *
 * The time is that of the end of the request, in UTC; so CLF has +0000 whatever the zone. A request
 * whose client left before there was an answer has the status 499. Bytes are those of the
 * answer's body.
 *
 * Like every op a log belongs to one thread: with several loops each has a log of its own. */
#ifndef WEFT_HTTP_LOG_H
#define WEFT_HTTP_LOG_H

#include "http_server.h"

#ifdef __cplusplus
extern "C" {
#endif

enum weft_http_log_format {
    /* 127.0.0.1 - - [16/Nov/2026:09:30:00 +0000] "GET / HTTP/1.1" 200 512 */
    WEFT_HTTP_LOG_COMMON = 1,
    /* the same and "referer" "user agent", each "-" if there is none */
    WEFT_HTTP_LOG_COMBINED,
    /* {"time":"2026-11-16T09:30:00.250Z","remote":"127.0.0.1","method":"GET","target":"/",
     * "status":200,"bytes":512,"duration_ms":0.125,"user_agent":"…","referer":"…"} in one line;
     * the last two only if there are any. Always valid JSON in UTF-8: bytes that are not UTF-8
     * become U+FFFD. */
    WEFT_HTTP_LOG_JSON
};

enum {
    WEFT_HTTP_LOG_BUFFER = 256 * 1024, /* the default of log.buffer_size */
    WEFT_HTTP_LOG_LINE = 4096,         /* the longest line, its end included */
    WEFT_HTTP_LOG_FLUSH_MS = 250       /* the default of log.flush_ms */
};

/* For the library: what the thread that writes is given, and what it says. */
struct weft_http_log_job {
    uv_work_t request_;
    const char *path_;
    const char *data_;
    size_t size_, written_;
    int fd_, status_;
    bool open_, shut_, failed_, torn_, regular_;
    unsigned char hurry_;
};

struct weft_http_log {
    struct weft_op op;

    /* Set before weft_http_log_open; 0: the defaults above. */
    size_t buffer_size; /* of each of the two buffers; at least 2 * WEFT_HTTP_LOG_LINE */
    uint64_t flush_ms;  /* how long a line waits at most before it is written */

    /* Inputs of weft_http_log_open. */
    const char *path;
    int fd;
    enum weft_http_log_format format;

    /* Read only. */
    uint64_t lines;   /* that were taken */
    uint64_t dropped; /* lines that there was no room for, or that could not be written */
    int error;        /* of the last write or reopening; 0: it went well */

    struct weft_http_log_job job_;
    struct weft_timer timer_;
    char *front_, *back_;
    size_t filled_, room_;
    uint64_t lost_, told_;
    bool busy_, starting_, closing_, reopen_, due_, armed_;
    void *block_;
    int64_t second_;
    char date_[32];
};

/* Write the log to path, which is copied; "-" is the standard output. The file is made (0666 less
 * the umask) if it is not there, and appended to. then runs when the log is closed: 0 after
 * weft_http_log_close, the reason of a cancel, or the error of opening: those of open (UV_ENOENT,
 * UV_EACCES, …; UV_ENXIO for a pipe that nobody reads), UV_ENOMEM, and UV_EINVAL: path is NULL or
 * empty, there is no such format, buffer_size is too small. Requests may be logged from now on,
 * also while the file is being opened. */
#define weft_http_log_open(parent, log, path, format, then)                                        \
    weft_http_log_open_at(WEFT_HERE("http_log", WEFT_HTTP | WEFT_HANDLE), parent, log, path, -1,   \
                          format, then)
/* The same with a descriptor that is open: it stays yours, is not closed with the log, and has to
 * be open until then runs. UV_EINVAL: fd is not above 0; UV_EBADF: it is none. One opened without
 * O_APPEND must not be written to by anybody else. */
#define weft_http_log_open_fd(parent, log, fd, format, then)                                       \
    weft_http_log_open_at(WEFT_HERE("http_log", WEFT_HTTP | WEFT_HANDLE), parent, log, NULL, fd,   \
                          format, then)
WEFT_API void weft_http_log_open_at(const struct weft_site *site, struct weft_op *parent,
                                    struct weft_http_log *log, const char *path, int fd,
                                    enum weft_http_log_format format, weft_then_fn *then);
WEFT_API void weft_http_log_begin(struct weft_op *op);

/* Log a request that is over; meant for server.done. No effect on a log that is not open. */
WEFT_API void weft_http_log_request(struct weft_http_log *log,
                                    const struct weft_http_request *request);

/* Open path again, for those who have moved the file away (on SIGHUP, by logrotate); what is
 * buffered then goes to the new file. If that fails log->error says why, the old file is written
 * on, and with the next lines it is tried again. No effect on the standard output, on a descriptor,
 * or on a log that is not open. */
WEFT_API void weft_http_log_reopen(struct weft_http_log *log);

/* Write what is buffered, then close; lines that come after this are ignored. It may wait for the
 * reader of a pipe: set a weft_deadline on log->op if that is too long. No effect on a log that is
 * not open.
 * A cancel writes what is buffered as well, but waits for nobody: what a pipe does not take at once
 * is dropped. */
WEFT_API void weft_http_log_close(struct weft_http_log *log);

#ifdef __cplusplus
}
#endif
#endif
