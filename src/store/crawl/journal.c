/* A journal: what changed since the last commit, with the kernel as soon as it happened.
 *
 *     magic 8, boot 40, zeros 8, checksum 8 | batch | change | change | ...
 *
 * The head is on the disk, durable, before the file has its name, so a file without a good head is
 * damaged. What follows is never synced: as long as the machine runs the kernel has it, and when
 * the machine went down it is worth nothing, because the files it speaks of may be missing. The
 * boot in the head tells one from the other.
 *
 * `size` is what is good. An append that failed may have left some bytes behind it; they are cut
 * off at once, or, if that fails too, before anything else is appended. */
#include "journal.h"
#include "wire.h"
#include "weft/alloc.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[8] = {'w', 'e', 'f', 't', 'j', 'r', 'n', '1'};

enum { AT_BOOT = 8, AT_CHECKSUM = 56, SUMMED = AT_CHECKSUM, NAME_ROOM = 32 };

static int last_error(void)
{
    return uv_translate_sys_error(errno);
}

static int write_all(int fd, const char *data, size_t size, uint64_t at)
{
    while (size > 0) {
        ssize_t written = pwrite(fd, data, size, (off_t)at);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return written < 0 ? last_error() : UV_EIO;
        data += written;
        at += (uint64_t)written;
        size -= (size_t)written;
    }
    return 0;
}

static uint64_t head_checksum(const struct weft__crawl_key *key, const char *head)
{
    return weft__crawl_checksum(key, 'j', weft_text(NULL, 0), weft_text(head, SUMMED));
}

int weft__crawl_journal_make(int folder, const char *name, const struct weft__crawl_key *key)
{
    char head[WEFT__CRAWL_JOURNAL_HEAD] = {0}, fresh[NAME_ROOM];
    memcpy(head, magic, sizeof magic);
    weft__crawl_boot(head + AT_BOOT);
    wire_put(head + AT_CHECKSUM, head_checksum(key, head), 8);
    snprintf(fresh, sizeof fresh, "%s.new", name);
    int fd = openat(folder, fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0)
        return last_error();
    int err = write_all(fd, head, sizeof head, 0);
    if (err == 0 && fsync(fd) != 0)
        err = last_error();
    close(fd);
    if (err == 0 && renameat(folder, fresh, folder, name) != 0)
        err = last_error();
    if (err == 0 && fsync(folder) != 0)
        err = last_error();
    return err;
}

int weft__crawl_journal_open(struct weft__crawl_journal *journal, int folder, const char *name)
{
    journal->fd = openat(folder, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    journal->size = WEFT__CRAWL_JOURNAL_HEAD;
    journal->frayed = true; /* until it is cleared */
    return journal->fd < 0 ? last_error() : 0;
}

void weft__crawl_journal_close(struct weft__crawl_journal *journal)
{
    if (journal->fd >= 0)
        close(journal->fd);
    journal->fd = -1;
}

static int cut(struct weft__crawl_journal *journal)
{
    journal->frayed = ftruncate(journal->fd, (off_t)journal->size) != 0;
    return journal->frayed ? last_error() : 0;
}

int weft__crawl_journal_append(struct weft__crawl_journal *journal, const char *data, size_t size)
{
    int err = journal->frayed ? cut(journal) : 0;
    if (err != 0)
        return err;
    err = write_all(journal->fd, data, size, journal->size);
    if (err == 0)
        journal->size += size;
    else
        cut(journal);
    return err;
}

int weft__crawl_journal_clear(struct weft__crawl_journal *journal)
{
    bool clear = journal->size == WEFT__CRAWL_JOURNAL_HEAD && !journal->frayed;
    journal->size = WEFT__CRAWL_JOURNAL_HEAD;
    return clear ? 0 : cut(journal);
}

int weft__crawl_journal_load(const struct weft__crawl_journal *journal, char **data, size_t *size)
{
    struct stat st;
    if (fstat(journal->fd, &st) != 0)
        return last_error();
    if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size > SIZE_MAX / 2)
        return WEFT_EDAMAGED;
    *size = 0;
    *data = weft_alloc((size_t)st.st_size + 1);
    if (*data == NULL)
        return UV_ENOMEM;
    while (*size < (size_t)st.st_size) {
        ssize_t got = pread(journal->fd, *data + *size, (size_t)st.st_size - *size, (off_t)*size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            int err = last_error();
            weft_free(*data);
            *data = NULL;
            return err;
        }
        if (got == 0)
            break;
        *size += (size_t)got;
    }
    return 0;
}

/* The changes to their end: changes becomes those that are whole. */
static int read_changes(const struct weft__crawl_key *key, struct weft_text *changes)
{
    struct weft__crawl_change change;
    struct weft_text rest = *changes;
    int found;
    do
        found = weft__crawl_change_read(key, &rest, &change);
    while (found == 1 && change.kind != WEFT__CRAWL_BATCH);
    changes->size -= rest.size;
    return found == 1 ? WEFT_EDAMAGED : found; /* a second batch never begins in the same file */
}

int weft__crawl_journal_read(const struct weft__crawl_key *key, struct weft_text file,
                             const char boot[WEFT__CRAWL_BOOT_SIZE],
                             struct weft__crawl_reading *reading)
{
    static const char nothing[WEFT__CRAWL_BOOT_SIZE];
    struct weft__crawl_change first;
    *reading = (struct weft__crawl_reading){0};
    if (file.size < WEFT__CRAWL_JOURNAL_HEAD || memcmp(file.data, magic, sizeof magic) != 0 ||
        head_checksum(key, file.data) != wire_get64(file.data + AT_CHECKSUM))
        return WEFT_EDAMAGED;
    reading->old = memcmp(file.data + AT_BOOT, boot, WEFT__CRAWL_BOOT_SIZE) != 0 ||
                   memcmp(boot, nothing, sizeof nothing) == 0;
    if (reading->old)
        return 0;
    struct weft_text rest =
        weft_text(file.data + WEFT__CRAWL_JOURNAL_HEAD, file.size - WEFT__CRAWL_JOURNAL_HEAD);
    int found = weft__crawl_change_read(key, &rest, &first);
    if (found != 1)
        return found;
    if (first.kind != WEFT__CRAWL_BATCH || first.batch == 0)
        return WEFT_EDAMAGED;
    reading->batch = first.batch;
    reading->changes = rest;
    return read_changes(key, &reading->changes);
}
