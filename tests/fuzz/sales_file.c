/* A ledger's file that was tampered with: it is refused, or read without harm, and what is read is a
 * ledger: the sales from the first one on, each with its amount.
 *
 * The input is a list of changes to a file that is in order, four bytes each: where (three bytes) and
 * what to write there. One byte that is left cuts the file off, and
 * with any more each item is counted too. */
#include "sales/ledger.h"
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <weft/loop.h>

#define CHECK(holds)                                                                               \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            fprintf(stderr, "sales_file.c:%d: %s\n", __LINE__, #holds);                            \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

enum { SALES = 3000, CHANGES_MAX = 64, PATH_SIZE = 64 };

static char folder[PATH_SIZE], path[PATH_SIZE + 16], lock_path[PATH_SIZE + 16];
static char *whole, *changed;
static size_t whole_size;

static void clean_up(void)
{
    unlink(path);
    unlink(lock_path);
    rmdir(folder);
}

/* Blocks that were filled one by one and in bulk, free pages, a branch. */
static void make_ledger(void)
{
    struct ledger ledger = {0};
    struct ledger_bulk bulk = {.ledger = &ledger};
    struct stat st;
    CHECK(ledger_open(&ledger, folder, LEDGER_WRITE, NULL) == 0);
    for (int i = 0; i < SALES - 40; i++)
        CHECK(ledger_bulk_add(&bulk, weft_text_of(i % 2 ? "book" : "game"), 1, i) == 0);
    CHECK(ledger_bulk_commit(&bulk) == 0);
    ledger_bulk_free(&bulk);
    for (int i = 0; i < 40; i++) {
        struct ledger_add add = {.ledger = &ledger, .item = weft_text_of("app"), .amount = 1};
        CHECK(weft_go(&add.op, ledger_add_begin) == 0);
    }
    CHECK(ledger_close(&ledger) == 0);
    int fd = open(path, O_RDONLY);
    CHECK(fd >= 0 && fstat(fd, &st) == 0);
    whole_size = (size_t)st.st_size;
    whole = malloc(whole_size);
    changed = malloc(whole_size);
    CHECK(whole != NULL && changed != NULL);
    CHECK(read(fd, whole, whole_size) == (ssize_t)whole_size);
    close(fd);
}

static void begin(void)
{
    snprintf(folder, sizeof folder, "%s/weft-fuzz-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    CHECK(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/sales.mdb", folder);
    snprintf(lock_path, sizeof lock_path, "%s/sales.mdb-lock", folder);
    atexit(clean_up);
    make_ledger();
}

static void write_file(size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    CHECK(fd >= 0 && write(fd, changed, size) == (ssize_t)size);
    close(fd);
}

static void look_at(bool each_item)
{
    struct ledger ledger = {0};
    struct ledger_total total = {.ledger = &ledger, .each_item = each_item};
    const char *why;
    int err = ledger_open(&ledger, folder, LEDGER_READ, &why);
    CHECK((err == 0) == (why[0] == '\0'));
    if (err != 0)
        return;
    err = weft_go(&total.op, ledger_total_begin);
    if (err == 0) {
        CHECK(total.matched == total.records_scanned && total.matched <= SALES);
        CHECK(total.sum == (int64_t)total.matched);
    }
    ledger_total_free(&total);
    CHECK(ledger_close(&ledger) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (whole == NULL)
        begin();
    if (size > (size_t)4 * CHANGES_MAX + 2)
        return 0;
    memcpy(changed, whole, whole_size);
    for (; size >= 4; data += 4, size -= 4) {
        size_t at = (size_t)data[0] << 16 | (size_t)data[1] << 8 | data[2];
        changed[at % whole_size] = (char)data[3];
    }
    size_t left = whole_size;
    if (size > 0)
        left = left * data[0] / 256;
    write_file(left);
    look_at(size > 1);
    return 0;
}
