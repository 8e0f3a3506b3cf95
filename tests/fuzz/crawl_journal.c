/* Any bytes, given to everything that reads what a crawl's state has written: as a journal, as
 * changes without their checksums, as values. What comes out lies within what went in, every walk
 * comes to its end, and what was read is written as the same bytes. And as a database, before LMDB
 * is given it. */
#include "store/crawl/journal.h"
#include "store/crawl/pages.h"
#include "store/crawl/wire.h"
#include <stdint.h>
#include <stdlib.h>

static const struct weft__crawl_key key = {{1, 2}};
static const char boot[WEFT__CRAWL_BOOT_SIZE] = "boot";
enum { BOOT_AT = 8, CHECKSUM_AT = 56 };

static void require(bool condition)
{
    if (!condition)
        abort();
}

static bool inside(struct weft_text piece, struct weft_text whole)
{
    return piece.size == 0 ||
           (piece.data >= whole.data && piece.data + piece.size <= whole.data + whole.size);
}

static void walk_changes(struct weft_text text)
{
    struct weft_text rest = text;
    struct weft__crawl_change change;
    while (weft__crawl_change_read(&key, &rest, &change) == 1) {
        size_t size = weft__crawl_change_size(&change);
        const char *at = rest.data - size;
        require(at >= text.data && inside(change.key, text) && inside(change.value, text));
        char *again = malloc(size);
        if (again == NULL)
            return;
        weft__crawl_change_write(&key, &change, again);
        require(memcmp(again, at, size) == 0);
        free(again);
    }
}

static void try_journal(struct weft_text file)
{
    struct weft__crawl_reading reading;
    if (weft__crawl_journal_read(&key, file, boot, &reading) != 0)
        return;
    require(inside(reading.changes, file));
    require(!reading.old || (reading.batch == 0 && reading.changes.size == 0));
    walk_changes(reading.changes);
}

/* The same bytes with checksums that are right: what is behind them is reached that way. */
static void try_as_if_written(const uint8_t *data, size_t size)
{
    size_t total = 0, room = WEFT__CRAWL_JOURNAL_HEAD + 25 + 17 * (size + 1);
    char *file = calloc(1, room);
    struct weft__crawl_change batch = {.kind = WEFT__CRAWL_BATCH, .batch = 1};
    if (file == NULL)
        return;
    memcpy(file, "weftjrn1", 8);
    memcpy(file + BOOT_AT, boot, sizeof boot);
    wire_put(file + CHECKSUM_AT,
             weft__crawl_checksum(&key, 'j', weft_text(NULL, 0), weft_text(file, CHECKSUM_AT)), 8);
    total = WEFT__CRAWL_JOURNAL_HEAD;
    weft__crawl_change_write(&key, &batch, file + total);
    total += weft__crawl_change_size(&batch);
    while (size > 0) { /* a byte says how long the next body is */
        size_t length = *data++ % 128;
        length = length < --size ? length : size;
        memcpy(file + total + WEFT__CRAWL_CHANGE_HEAD, data, length);
        struct weft_text body = weft_text(file + total + WEFT__CRAWL_CHANGE_HEAD, length);
        wire_put(file + total, length, 4);
        wire_put(file + total + 4, ~length, 4);
        wire_put(file + total + 8, weft__crawl_checksum(&key, 0, weft_text(NULL, 0), body), 8);
        total += WEFT__CRAWL_CHANGE_HEAD + length;
        data += length;
        size -= length;
    }
    try_journal(weft_text(file, total));
    free(file);
}

static void try_values(struct weft_text text)
{
    struct weft__crawl_url url;
    struct weft_crawl_result result;
    enum weft_crawl_what what;
    uint16_t depth;
    if (weft__crawl_url_read(text, &url) == 0)
        require(inside(url.text, text));
    if (weft__crawl_mark_read(text, &what, &depth) == 0)
        require(what >= WEFT_CRAWL_WAITING && what <= WEFT_CRAWL_SKIPPED);
    if (weft__crawl_result_read(text, &result, &depth) == 0) {
        size_t size;
        require(inside(result.etag, text) && inside(result.note, text));
        require(weft__crawl_result_size(&result, &size) == 0 && size == text.size);
        char *again = malloc(size);
        if (again == NULL)
            return;
        weft__crawl_result_write(&result, depth, again);
        require(memcmp(again, text.data, size) == 0);
        free(again);
    }
}

static void try_pages(struct weft_text file)
{
    const char *trouble;
    int err = weft__crawl_pages_look(file.data, file.size, &trouble);
    require(err != WEFT_EDAMAGED || trouble != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weft_text text = weft_text((const char *)data, size);
    walk_changes(text);
    try_journal(text);
    try_values(text);
    try_as_if_written(data, size);
    try_pages(text);
    return 0;
}
