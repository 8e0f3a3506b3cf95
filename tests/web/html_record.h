/* What a tokenizer reported, as one text that can be compared: pieces of text and of comments are
 * joined, every field has its length before it. */
#ifndef TESTS_WEB_HTML_RECORD_H
#define TESTS_WEB_HTML_RECORD_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft/html.h>

struct record {
    char *data;
    size_t size, room;
    char *open; /* a text or a comment that may go on */
    size_t open_size, open_room;
    enum weft_html_type open_type;
    bool is_open;
};

static inline void record_grow(char **data, size_t *room, size_t needed)
{
    if (needed <= *room)
        return;
    *room = needed * 2;
    *data = realloc(*data, *room);
    if (*data == NULL)
        abort();
}

static inline void record_bytes(struct record *record, const char *data, size_t size)
{
    record_grow(&record->data, &record->room, record->size + size);
    if (size > 0)
        memcpy(record->data + record->size, data, size);
    record->size += size;
}

static inline void record_field(struct record *record, struct weft_text field)
{
    char head[32];
    if (field.data == NULL) {
        record_bytes(record, " -", 2);
        return;
    }
    int size = snprintf(head, sizeof head, " %zu:", field.size);
    record_bytes(record, head, (size_t)size);
    record_bytes(record, field.data, field.size);
}

static inline void record_word(struct record *record, const char *word)
{
    record_bytes(record, "\n", 1);
    record_bytes(record, word, strlen(word));
}

/* The text or comment that is open is complete. */
static inline void record_close(struct record *record)
{
    if (!record->is_open)
        return;
    record->is_open = false;
    record_word(record, record->open_type == WEFT_HTML_TEXT ? "text" : "comment");
    record_field(record, weft_text(record->open != NULL ? record->open : "", record->open_size));
    record->open_size = 0;
}

static inline void record_piece(struct record *record, enum weft_html_type type,
                                struct weft_text text)
{
    if (record->is_open && record->open_type != type)
        record_close(record);
    record->is_open = true;
    record->open_type = type;
    record_grow(&record->open, &record->open_room, record->open_size + text.size);
    if (text.size > 0)
        memcpy(record->open + record->open_size, text.data, text.size);
    record->open_size += text.size;
}

static inline void record_doctype(struct record *record, struct weft_text name,
                                  struct weft_text public_id, struct weft_text system_id,
                                  bool quirks)
{
    record_close(record);
    record_word(record, quirks ? "doctype quirks" : "doctype");
    record_field(record, name);
    record_field(record, public_id);
    record_field(record, system_id);
}

static inline void record_token(struct record *record, const struct weft_html_token *token)
{
    switch (token->type) {
    case WEFT_HTML_TEXT:
        record_piece(record, token->type, token->text);
        break;
    case WEFT_HTML_COMMENT:
        record_piece(record, token->type, token->text);
        if (token->last)
            record_close(record);
        break;
    case WEFT_HTML_DOCTYPE:
        record_doctype(record, token->name, token->public_id, token->system_id,
                       token->force_quirks);
        break;
    case WEFT_HTML_START_TAG:
    case WEFT_HTML_END_TAG:
        record_close(record);
        record_word(record, token->type == WEFT_HTML_END_TAG ? "end"
                            : token->self_closing            ? "start closed"
                                                             : "start");
        record_field(record, token->name);
        for (size_t i = 0; i < token->attribute_count; i++) {
            record_field(record, token->attributes[i].name);
            record_field(record, token->attributes[i].value);
        }
        break;
    default:
        record_close(record);
        record_word(record, "eof");
    }
}

static inline bool record_same(const struct record *one, const struct record *other)
{
    return one->size == other->size && memcmp(one->data, other->data, one->size) == 0;
}

static inline void record_clear(struct record *record)
{
    record->size = 0;
    record->open_size = 0;
    record->is_open = false;
}

static inline void record_free(struct record *record)
{
    free(record->data);
    free(record->open);
    memset(record, 0, sizeof *record);
}

#endif
