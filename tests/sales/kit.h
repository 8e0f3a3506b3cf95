/* What the tests of a ledger have in common: a folder, a ledger in it, and ops that are waited for. */
#ifndef TESTS_SALES_KIT_H
#define TESTS_SALES_KIT_H

#include "loop.h"
#include "sales/ledger.h"
#include "scratch.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define T(string) weft_text_of(string)

static inline void kit_open(struct ledger *ledger, const char *folder, enum ledger_mode mode)
{
    const char *why = "";
    int err = ledger_open(ledger, folder, mode, &why);
    if (err != 0)
        print_error("%s\n", why);
    assert_int_equal(err, 0);
    assert_string_equal(why, "");
}

/* A new one, in a new folder. */
static inline void kit_new(struct ledger *ledger, char folder[SCRATCH_PATH])
{
    *ledger = (struct ledger){0};
    kit_open(ledger, scratch_new_path(folder, "ledger"), LEDGER_WRITE);
}

static inline void kit_close(struct ledger *ledger)
{
    assert_int_equal(ledger_close(ledger), 0);
}

/* One sale, on a loop of its own, to its end; its status. */
static inline int kit_try_add(struct ledger *ledger, const char *item, int64_t amount, uint64_t *id)
{
    struct world w;
    struct ledger_add add = {.ledger = ledger, .item = T(item), .amount = amount, .time_s = 1};
    world_up(&w);
    ledger_add(weft_root(&w.loop), &add, noted);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    *id = add.id;
    return seen.status;
}

static inline uint64_t kit_add(struct ledger *ledger, const char *item, int64_t amount)
{
    uint64_t id;
    assert_int_equal(kit_try_add(ledger, item, amount, &id), 0);
    return id;
}

/* A total, the same way; "" for all. What it found stays in *total. */
static inline int kit_try_total(struct ledger *ledger, const char *item, struct ledger_total *total)
{
    struct world w;
    *total = (struct ledger_total){.ledger = ledger, .item = T(item)};
    world_up(&w);
    ledger_total(weft_root(&w.loop), total, noted);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    return seen.status;
}

static inline int64_t kit_total(struct ledger *ledger, const char *item)
{
    struct ledger_total total;
    assert_int_equal(kit_try_total(ledger, item, &total), 0);
    return total.sum;
}

static inline uint64_t kit_count(struct ledger *ledger)
{
    struct ledger_total total;
    assert_int_equal(kit_try_total(ledger, "", &total), 0);
    assert_int_equal(total.matched, total.records_scanned);
    return total.records_scanned;
}

/* So many sales of an amount of 1, of items that are called 0 to 9. */
static inline void kit_fill(struct ledger *ledger, uint64_t count)
{
    struct ledger_bulk bulk = {.ledger = ledger};
    for (uint64_t i = 0; i < count; i++) {
        char item = (char)('0' + i % 10);
        assert_int_equal(ledger_bulk_add(&bulk, weft_text(&item, 1), 1, (int64_t)i), 0);
    }
    assert_int_equal(ledger_bulk_commit(&bulk), 0);
    assert_int_equal(bulk.count, count);
    ledger_bulk_free(&bulk);
}

static inline const char *kit_file(char path[SCRATCH_PATH], const char *folder)
{
    assert_in_range(snprintf(path, SCRATCH_PATH, "%s/sales.mdb", folder), 1, SCRATCH_PATH - 1);
    return path;
}

/* The bytes of the ledger in folder; free them. */
static inline char *kit_read(const char *folder, size_t *size)
{
    char path[SCRATCH_PATH];
    FILE *file = fopen(kit_file(path, folder), "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *data = malloc(*size + 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, *size, file), *size);
    fclose(file);
    return data;
}

/* A folder in which a ledger has these bytes. */
static inline void kit_write(const char *folder, const char *data, size_t size)
{
    char path[SCRATCH_PATH];
    FILE *file = fopen(kit_file(path, folder), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

#endif
