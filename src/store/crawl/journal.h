/* A journal: a file that changes are appended to. See journal.c. */
#ifndef WEFT_STORE_CRAWL_JOURNAL_H
#define WEFT_STORE_CRAWL_JOURNAL_H

#include "records.h"

enum { WEFT__CRAWL_BOOT_SIZE = 40, WEFT__CRAWL_JOURNAL_HEAD = 64 };

struct weft__crawl_journal {
    int fd;        /* or -1 */
    uint64_t size; /* of what is good in it; something may lie behind, if a write failed */
    bool frayed;   /* something does */
};

/* Write a new one, with nothing but its head, into place of what there was: folder/name, durable.
 * A status. */
int weft__crawl_journal_make(int folder, const char *name, const struct weft__crawl_key *key);
/* One that is there, to be loaded, and then cleared. UV_ENOENT and others. */
int weft__crawl_journal_open(struct weft__crawl_journal *journal, int folder, const char *name);
void weft__crawl_journal_close(struct weft__crawl_journal *journal);

/* Append bytes. After an error the file is as it was, or becomes so before the next append. */
int weft__crawl_journal_append(struct weft__crawl_journal *journal, const char *data, size_t size);
/* Forget everything but the head. */
int weft__crawl_journal_clear(struct weft__crawl_journal *journal);

/* All that is in it, into *data, which is yours to free. */
int weft__crawl_journal_load(const struct weft__crawl_journal *journal, char **data, size_t *size);

/* What a file holds. */
struct weft__crawl_reading {
    uint64_t batch;           /* its number; 0: there is none, it is empty */
    struct weft_text changes; /* those after the number, each of them looked at; nothing torn */
    bool old;                 /* written before the machine was started: not to be believed */
};
/* Read the bytes of a file, whatever they are. WEFT_EDAMAGED. */
int weft__crawl_journal_read(const struct weft__crawl_key *key, struct weft_text file,
                             const char boot[WEFT__CRAWL_BOOT_SIZE],
                             struct weft__crawl_reading *reading);

/* ---- boot.c --------------------------------------------------------------------------------- */

/* What differs each time that the machine is started, padded with zeros; all zeros if there is no
 * such thing here. */
void weft__crawl_boot(char boot[WEFT__CRAWL_BOOT_SIZE]);

/* ---- sync.c --------------------------------------------------------------------------------- */

/* Make the files durable that were written on the file system of this folder. A status. */
int weft__crawl_sync(int folder);

#endif
