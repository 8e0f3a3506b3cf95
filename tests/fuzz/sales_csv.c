/* A CSV of sales: read without harm, the same in pieces of any size; and what was read, written as CSV
 * again, is read as the same sales. */
#include "sales/intake.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(holds)                                                                               \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            fprintf(stderr, "sales_csv.c:%d: %s\n", __LINE__, #holds);                             \
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

static void put_sale(FILE *to, const struct intake *intake)
{
    CHECK(intake->item.size > 0 && intake->item.size <= LEDGER_ITEM_MAX);
    fputc('"', to);
    for (size_t i = 0; i < intake->item.size; i++) {
        if (intake->item.data[i] == '"')
            fputc('"', to);
        fputc(intake->item.data[i], to);
    }
    fprintf(to, "\",%lld,%lld\n", (long long)intake->amount, (long long)intake->time_s);
}

/* The sales of text as CSV; *bad: how many were none, and where the last of them began. */
static struct weft_text rewrite(struct weft_text text, size_t piece, uint64_t bad[2])
{
    struct feed feed = {text, piece};
    struct intake intake = {.lines = {.fill = feed_piece, .context = &feed}, .now_s = 7};
    char *out = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&out, &size);
    enum intake_got got;
    CHECK(to != NULL);
    fputs("item,amount,time\n", to);
    bad[0] = bad[1] = 0;
    while ((got = csv_next(&intake)) == INTAKE_SALE || got == INTAKE_BAD) {
        if (got == INTAKE_SALE) {
            put_sale(to, &intake);
            continue;
        }
        CHECK(intake.problem != NULL && intake.line > bad[1]);
        bad[0]++;
        bad[1] = intake.line;
    }
    CHECK(got == INTAKE_END || intake.problem != NULL);
    fclose(to);
    intake_free(&intake);
    return weft_text(out, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weft_text text = weft_text((const char *)data, size);
    uint64_t bad[2], other[2];
    if (size > INPUT_MAX)
        return 0;
    struct weft_text one = rewrite(text, SIZE_MAX, bad), pieces = rewrite(text, 3, other);
    CHECK(weft_text_equal(one, pieces));
    CHECK(bad[0] == other[0] && bad[1] == other[1]);
    struct weft_text again = rewrite(one, SIZE_MAX, bad);
    CHECK(weft_text_equal(one, again) && bad[0] == 0);
    free((char *)(uintptr_t)one.data);
    free((char *)(uintptr_t)pieces.data);
    free((char *)(uintptr_t)again.data);
    return 0;
}
