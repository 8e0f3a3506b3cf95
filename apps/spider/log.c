/* Lines of JSON: collected in memory, written once a turn of the loop.
 *
 * A line is complete in memory before any of it is written, and one that there is no memory for is
 * left out as a whole and counted. A write is of whole lines; only the kernel, killed with the rest
 * of the process in the middle of a copy, could leave half of one. So the next run looks at how the
 * file ends, and cuts off what stands behind its last line. But only of a log: a file that does not begin
 * like one is somebody else's.
 *
 * Who reads a pipe slowly makes the crawl wait: the buffer is bounded, and nothing is dropped. */
#include "spider/log.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <weft.h>

static int last_error(void)
{
    return uv_translate_sys_error(errno);
}

/* ---- the file ------------------------------------------------------------------------------- */

/* Where the last whole line ends; *err is set if that cannot be read. */
static off_t find_end(int fd, off_t size, int *err)
{
    char block[4096];
    while (size > 0) {
        size_t part = size < (off_t)sizeof block ? (size_t)size : sizeof block;
        ssize_t got = pread(fd, block, part, size - (off_t)part);
        if (got < 0) {
            *err = last_error();
            return 0;
        }
        while (got > 0 && block[got - 1] != '\n')
            got--;
        if (got > 0)
            return size - (off_t)part + got;
        size -= (off_t)part;
    }
    return 0;
}

/* How each line begins; or as much of it as there is. */
static const char first_bytes[] = "{\"event\":\"";

static bool begins_like_a_line(int fd, off_t at, int *err)
{
    char bytes[sizeof first_bytes - 1];
    ssize_t got = pread(fd, bytes, sizeof bytes, at);
    if (got < 0)
        *err = last_error();
    return got >= 0 && memcmp(bytes, first_bytes, (size_t)got) == 0;
}

static int cut_off(int fd)
{
    struct stat info;
    int err = 0;
    if (fstat(fd, &info) != 0)
        return last_error();
    if (!S_ISREG(info.st_mode))
        return 0;
    off_t end = find_end(fd, info.st_size, &err);
    bool ours = err == 0 && begins_like_a_line(fd, 0, &err) && begins_like_a_line(fd, end, &err);
    if (err == 0 && !ours)
        return UV_EEXIST;
    if (err == 0 && end < info.st_size && ftruncate(fd, end) != 0)
        err = last_error();
    return err;
}

static int open_file(const char *path)
{
    int fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) /* a pipe or a device, that can only be written to */
        fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    return fd >= 0 ? fd : last_error();
}

int log_open(struct log *log, const char *path, uint64_t begun_ms)
{
    struct timespec now;
    bool standard = strcmp(path, "-") == 0;
    int fd = standard ? STDOUT_FILENO : open_file(path);
    int err = fd < 0 ? fd : standard ? 0 : cut_off(fd);
    if (err != 0) {
        if (fd >= 0)
            close(fd);
        return err;
    }
    clock_gettime(CLOCK_REALTIME, &now);
    *log = (struct log){.open_ = true,
                        .fd_ = fd,
                        .begun_ms_ = begun_ms,
                        .second_ = -1,
                        .begun_at_ms_ = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000};
    return 0;
}

int log_flush(struct log *log)
{
    if (log->open_ && log->error_ == 0)
        log->error_ = out_write(&log->lines_, log->fd_);
    log->lines_.size = 0;
    return log->error_;
}

void log_close(struct log *log)
{
    log_flush(log);
    if (log->open_ && log->fd_ != STDOUT_FILENO)
        close(log->fd_);
    out_free(&log->lines_);
    *log = (struct log){0};
}

/* ---- events --------------------------------------------------------------------------------- */

/* The clock of the machine may be set in the meantime; the events stay in their order. */
static void put_time(struct log *log, uint64_t ms)
{
    int64_t at = log->begun_at_ms_ + (int64_t)ms;
    time_t second = (time_t)(at / 1000);
    struct tm parts;
    if (log->second_ != second && gmtime_r(&second, &parts) != NULL) {
        strftime(log->second_text_, sizeof log->second_text_, "%Y-%m-%dT%H:%M:%S", &parts);
        log->second_ = second;
    }
    out_format(&log->lines_, "\"ms\":%" PRIu64 ",\"at\":\"%s.%03dZ\"", ms, log->second_text_,
               (int)(at % 1000));
}

void log_event(struct log *log, const char *event, uint64_t now_ms)
{
    log->line_at_ = log->lines_.size;
    out_format(&log->lines_, "{\"event\":\"%s\",", event);
    put_time(log, now_ms > log->begun_ms_ ? now_ms - log->begun_ms_ : 0);
}

static void put_name(struct log *log, const char *name)
{
    out_string(&log->lines_, ",\"");
    out_string(&log->lines_, name);
    out_string(&log->lines_, "\":");
}

void log_text(struct log *log, const char *name, struct weft_text text)
{
    put_name(log, name);
    out_json_bytes(&log->lines_, text);
}

static void put_number(struct out *out, uint64_t number)
{
    char digits[24];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    out_text(out, weft_text(digits + at, sizeof digits - at));
}

void log_number(struct log *log, const char *name, uint64_t number)
{
    put_name(log, name);
    put_number(&log->lines_, number);
}

void log_us(struct log *log, const char *name, uint64_t us)
{
    char part[4] = {'.', (char)('0' + us / 100 % 10), (char)('0' + us / 10 % 10),
                    (char)('0' + us % 10)};
    log_number(log, name, us / 1000);
    if (us % 1000 != 0)
        out_text(&log->lines_, weft_text(part, sizeof part));
}

void log_flag(struct log *log, const char *name, bool flag)
{
    put_name(log, name);
    out_string(&log->lines_, flag ? "true" : "false");
}

void log_hash(struct log *log, const char *name, const uint64_t hash[2])
{
    put_name(log, name);
    out_format(&log->lines_, "\"%016" PRIx64 "%016" PRIx64 "\"", hash[0], hash[1]);
}

void log_texts(struct log *log, const char *name, char *const *texts, size_t count)
{
    put_name(log, name);
    out_string(&log->lines_, "[");
    for (size_t i = 0; i < count; i++) {
        out_json_comma(&log->lines_);
        out_json_bytes(&log->lines_, weft_text_of(texts[i]));
    }
    out_string(&log->lines_, "]");
}

void log_event_end(struct log *log)
{
    out_string(&log->lines_, "}\n");
    if (log->lines_.failed) {
        log->lines_.failed = false;
        log->lines_.size = log->line_at_;
        log->lost_++;
    }
    if (log->lines_.size >= LOG_BUFFER)
        log_flush(log);
}

uint64_t log_lost(const struct log *log)
{
    return log->lost_;
}
