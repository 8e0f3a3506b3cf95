/* What is seen of all keywords in all spellings, for the two filters that know it: the hashes, and the
 * buckets for lanes.
 *
 * A bucket is passed by any view whose bytes have halves that its views have in those places, in
 * whatever combination; so what else passes grows with the product of their numbers. Each view goes
 * where it makes that grow the least. Upper and lower case differ in one upper half and go together. */
#include "window.h"
#include "spelling.h"

struct bucket {
    uint16_t lower[WINDOW_SIZE_MAX], upper[WINDOW_SIZE_MAX]; /* a bit a half */
};

struct making {
    struct window *window;
    struct bucket buckets[WINDOW_BUCKETS];
    bool folds;
};

/* ---- buckets --------------------------------------------------------------------------------- */

static bool is_letter(unsigned char byte)
{
    return (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
}

static struct bucket bucket_of(const struct making *making, const char *view)
{
    struct bucket bucket = {0};
    for (unsigned i = 0; i < making->window->size; i++) {
        unsigned char byte = (unsigned char)view[i];
        bucket.lower[i] = (uint16_t)(1 << (byte & 15));
        bucket.upper[i] = (uint16_t)(1 << (byte >> 4));
        if (making->folds && is_letter(byte))
            bucket.upper[i] |= (uint16_t)(1 << ((byte ^ 0x20) >> 4));
    }
    return bucket;
}

static struct bucket join(struct bucket one, struct bucket other)
{
    for (unsigned i = 0; i < WINDOW_SIZE_MAX; i++) {
        one.lower[i] |= other.lower[i];
        one.upper[i] |= other.upper[i];
    }
    return one;
}

/* How many views pass. */
static uint32_t width(const struct bucket *bucket, unsigned size)
{
    uint32_t product = 1;
    for (unsigned i = 0; i < size; i++) {
        product *= (uint32_t)__builtin_popcount(bucket->lower[i]);
        product *= (uint32_t)__builtin_popcount(bucket->upper[i]);
    }
    return product;
}

static void add_to_bucket(struct making *making, const char *view)
{
    struct bucket own = bucket_of(making, view), *best = NULL;
    uint32_t least = 0;
    for (unsigned i = 0; i < WINDOW_BUCKETS; i++) {
        struct bucket joined = join(making->buckets[i], own);
        uint32_t growth =
            width(&joined, making->window->size) - width(&making->buckets[i], making->window->size);
        if (best == NULL || growth < least) {
            best = &making->buckets[i];
            least = growth;
        }
    }
    *best = join(*best, own);
}

static void spread_bucket(struct window *window, const struct bucket *bucket, unsigned number)
{
    for (unsigned i = 0; i < WINDOW_SIZE_MAX; i++) {
        for (unsigned half = 0; half < 16; half++) {
            bool open = i >= window->size;
            unsigned lower = open || (bucket->lower[i] >> half & 1) != 0;
            unsigned upper = open || (bucket->upper[i] >> half & 1) != 0;
            window->lower[i][half] |= (unsigned char)(lower << number);
            window->upper[i][half] |= (unsigned char)(upper << number);
        }
    }
}

/* ---- views ----------------------------------------------------------------------------------- */

static void add(struct making *making, const char *view)
{
    uint32_t bytes = 0;
    for (unsigned i = 0; i < making->window->size; i++)
        bytes |= (uint32_t)(unsigned char)view[i] << 8 * i;
    uint32_t hash = window_hash(bytes);
    making->window->seen[hash >> 3] |= (unsigned char)(1 << (hash & 7));
    add_to_bucket(making, view);
}

/* Adds what begins with view, that has size bytes, and goes on with keyword. */
static void add_spellings(struct making *making, char view[WINDOW_SIZE_MAX + UNIT_SIZE_MAX],
                          unsigned size, struct weft_text keyword)
{
    if (size >= making->window->size) {
        add(making, view);
        return;
    }
    struct spellings all = weft__spellings_of(keyword.data, keyword.size, making->folds);
    struct weft_text rest = weft_text(keyword.data + all.size, keyword.size - all.size);
    for (unsigned i = 0; i < all.count; i++) {
        memcpy(view + size, all.bytes[i], all.sizes[i]);
        add_spellings(making, view, size + all.sizes[i], rest);
    }
}

void weft__window_make(struct window *window, const struct weft_text *keywords, size_t count,
                       bool folds)
{
    struct making making = {.window = window, .folds = folds};
    char view[WINDOW_SIZE_MAX + UNIT_SIZE_MAX];
    *window = (struct window){0};
    weft__window_place(window, keywords, count, folds);
    for (size_t i = 0; i < count; i++)
        add_spellings(
            &making, view, 0,
            weft_text(keywords[i].data + window->offset, keywords[i].size - window->offset));
    for (unsigned i = 0; i < WINDOW_BUCKETS; i++)
        spread_bucket(window, &making.buckets[i], i);
}
