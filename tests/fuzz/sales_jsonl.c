/* Sales in JSON Lines: read without harm, the same in pieces of any size; every line is a sale or is told
 * to be none, in order. */
#include "sales/intake.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(holds)                                                                               \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            fprintf(stderr, "sales_jsonl.c:%d: %s\n", __LINE__, #holds);                           \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

enum { INPUT_MAX = 256 * 1024 };

struct feed {
    struct weft_text left;
    size_t piece;
};

static int feed_piece(void *context, char *buffer, size_t size)
{
    struct feed *feed = context;
    size_t part = feed->left.size < feed->piece ? feed->left.size : feed->piece;
    part = part < size ? part : size;
    if (part > 0)
        memcpy(buffer, feed->left.data, part);
    feed->left = weft_text(feed->left.data + part, feed->left.size - part);
    return (int)part;
}

static uint64_t mixed(uint64_t hash, uint64_t number)
{
    return (hash ^ number) * UINT64_C(0x9E3779B97F4A7C15);
}

/* A number for all that was read. */
static uint64_t read_all(struct weft_text text, size_t piece)
{
    struct feed feed = {text, piece};
    struct intake intake = {.lines = {.fill = feed_piece, .context = &feed}, .now_s = 7};
    uint64_t hash = 1, last = 0;
    enum intake_got got;
    while ((got = jsonl_next(&intake)) == INTAKE_SALE || got == INTAKE_BAD) {
        CHECK(intake.line > last);
        last = intake.line;
        hash = mixed(mixed(hash, last), got);
        if (got == INTAKE_BAD) {
            CHECK(intake.problem != NULL);
            continue;
        }
        CHECK(intake.item.size > 0 && intake.item.size <= LEDGER_ITEM_MAX);
        for (size_t i = 0; i < intake.item.size; i++)
            hash = mixed(hash, (unsigned char)intake.item.data[i]);
        hash = mixed(mixed(hash, (uint64_t)intake.amount), (uint64_t)intake.time_s);
    }
    CHECK(got == INTAKE_END);
    intake_free(&intake);
    return hash;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weft_text text = weft_text((const char *)data, size);
    if (size <= INPUT_MAX)
        CHECK(read_all(text, SIZE_MAX) == read_all(text, 3));
    return 0;
}
