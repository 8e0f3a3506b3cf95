/* Texts in one block of bytes, found by a table of open addressing that holds their numbers.
 *
 * A text is cleaned before it is looked for, so that two which look the same are the same. */
#include "trace/texts.h"
#include "trace/hash.h"
#include "trace/utf8.h"
#include <string.h>
#include <weft/alloc.h>

enum { FIRST_CAPACITY = 64 };

/* ---- what may be shown ---------------------------------------------------------------------- */

struct clean {
    char bytes[TEXTS_LONGEST + UTF8_MAX];
    size_t size;
};

static bool is_plain(struct weft_text text)
{
    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = (unsigned char)text.data[i];
        if (byte < 0x20 || byte >= 0x7f)
            return false;
    }
    return text.size <= TEXTS_LONGEST;
}

/* False: it is full, and what has gone in ends with "…". */
static bool clean_put(struct clean *clean, uint32_t code)
{
    if (clean->size > TEXTS_LONGEST - 2 * UTF8_MAX) {
        clean->size += utf8_write(0x2026, clean->bytes + clean->size);
        return false;
    }
    if (!utf8_is_harmless(code))
        code = UTF8_REPLACEMENT;
    clean->size += utf8_write(code, clean->bytes + clean->size);
    return true;
}

static struct weft_text clean_up(struct clean *clean, struct weft_text text)
{
    struct utf8_state state = {0};
    bool room = true;
    for (size_t i = 0; room && i < text.size; i++) {
        enum utf8_step step = utf8_step(&state, (unsigned char)text.data[i]);
        if (step == UTF8_MORE)
            continue;
        room = clean_put(clean, step == UTF8_DONE ? state.code : UTF8_REPLACEMENT);
        state = (struct utf8_state){0};
        if (step == UTF8_BROKEN_BEFORE)
            i--; /* once more, as the first byte of a character */
    }
    if (room && state.left > 0)
        clean_put(clean, UTF8_REPLACEMENT);
    return weft_text(clean->bytes, clean->size);
}

/* ---- texts ---------------------------------------------------------------------------------- */

struct weft_text texts_get(const struct texts *texts, uint32_t number)
{
    if (number >= texts->count || texts->pieces[number].size == 0)
        return weft_text("", 0);
    const struct texts_piece *piece = &texts->pieces[number];
    return weft_text(texts->bytes + piece->begin, piece->size);
}

static void slot_fill(uint32_t *slots, size_t capacity, struct weft_text text, uint32_t number)
{
    size_t at = (size_t)hash_text(text) & (capacity - 1);
    while (slots[at] != TABLE_NONE)
        at = (at + 1) & (capacity - 1);
    slots[at] = number;
}

static bool slots_grow(struct texts *texts)
{
    if (texts->count * 2 < texts->slots_capacity)
        return true;
    size_t capacity = texts->slots_capacity == 0 ? FIRST_CAPACITY : texts->slots_capacity * 2;
    uint32_t *slots = weft_alloc(capacity * sizeof *slots);
    if (slots == NULL)
        return false;
    memset(slots, 0xff, capacity * sizeof *slots);
    for (uint32_t i = 0; i < texts->count; i++)
        slot_fill(slots, capacity, texts_get(texts, i), i);
    weft_free(texts->slots);
    texts->slots = slots;
    texts->slots_capacity = capacity;
    return true;
}

static bool bytes_grow(struct texts *texts, size_t size)
{
    while (texts->bytes_capacity - texts->size < size) {
        char *bytes = grow(texts->bytes, texts->bytes_capacity, &texts->bytes_capacity, 1);
        if (bytes == NULL)
            return false;
        texts->bytes = bytes;
    }
    return true;
}

static uint32_t append(struct texts *texts, struct weft_text text)
{
    struct texts_piece *pieces =
        grow(texts->pieces, texts->count, &texts->pieces_capacity, sizeof *pieces);
    if (pieces == NULL)
        return TABLE_NONE;
    texts->pieces = pieces;
    if (texts->count >= TABLE_NONE - 1 || !bytes_grow(texts, text.size) || !slots_grow(texts))
        return TABLE_NONE;
    pieces[texts->count] = (struct texts_piece){texts->size, text.size};
    if (text.size > 0)
        memcpy(texts->bytes + texts->size, text.data, text.size);
    texts->size += text.size;
    uint32_t number = (uint32_t)texts->count++;
    slot_fill(texts->slots, texts->slots_capacity, text, number);
    return number;
}

static uint32_t find(const struct texts *texts, struct weft_text text)
{
    if (texts->slots_capacity == 0)
        return TABLE_NONE;
    size_t mask = texts->slots_capacity - 1, at = (size_t)hash_text(text) & mask;
    for (; texts->slots[at] != TABLE_NONE; at = (at + 1) & mask) {
        if (weft_text_equal(texts_get(texts, texts->slots[at]), text))
            break;
    }
    return texts->slots[at];
}

uint32_t texts_put(struct texts *texts, struct weft_text text)
{
    struct clean clean;
    if (texts->count == 0 && append(texts, weft_text("", 0)) == TABLE_NONE)
        return TABLE_NONE;
    if (!is_plain(text)) {
        clean.size = 0;
        text = clean_up(&clean, text);
    }
    uint32_t number = find(texts, text);
    return number != TABLE_NONE ? number : append(texts, text);
}

void texts_free(struct texts *texts)
{
    weft_free(texts->pieces);
    weft_free(texts->bytes);
    weft_free(texts->slots);
    *texts = (struct texts){0};
}
