/* Text that grows: see buffer.h. It is doubled, so that n bytes are copied twice at most. */
#include "warc/buffer.h"
#include "trace/utf8.h"
#include <stdarg.h>
#include <stdio.h>
#include <weft/alloc.h>

enum { SHORT = 512 };

char *warc_buffer_room(struct warc_buffer *buffer, size_t size)
{
    if (buffer->starved)
        return NULL;
    if (size > buffer->room - buffer->used) {
        size_t room = 2 * buffer->room + size + SHORT;
        char *data = weft_realloc(buffer->data, room);
        buffer->starved = data == NULL;
        if (data == NULL)
            return NULL;
        buffer->data = data;
        buffer->room = room;
    }
    return buffer->data + buffer->used;
}

void warc_add(struct warc_buffer *buffer, const void *data, size_t size)
{
    char *to = size > 0 ? warc_buffer_room(buffer, size) : NULL;
    if (to == NULL)
        return;
    memcpy(to, data, size);
    buffer->used += size;
}

void warc_add_text(struct warc_buffer *buffer, struct weft_text text)
{
    warc_add(buffer, text.data, text.size);
}

void warc_addf(struct warc_buffer *buffer, const char *format, ...)
{
    char *to = warc_buffer_room(buffer, SHORT);
    if (to == NULL)
        return;
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(to, SHORT, format, arguments);
    va_end(arguments);
    buffer->used += size < SHORT ? (size_t)size : SHORT - 1;
}

/* The line is always UTF-8: in what is none, each byte beyond ASCII is taken for a letter of Latin-1. */
void warc_add_json(struct warc_buffer *buffer, struct weft_text text)
{
    bool is_text = utf8_is_text(text);
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c < 0x20 || c == 0x7f || (c > 0x7f && !is_text))
            warc_addf(buffer, "\\u%04x", c);
        else if (c == '"' || c == '\\')
            warc_addf(buffer, "\\%c", c);
        else
            warc_add(buffer, &c, 1);
    }
}

void warc_buffer_free(struct warc_buffer *buffer)
{
    weft_free(buffer->data);
    *buffer = (struct warc_buffer){0};
}
