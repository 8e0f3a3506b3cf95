/* apps/warc/buffer.h: text that grows. After a failure all that is added is dropped, and starved says
 * so: who writes many small pieces looks once, at the end. Zeroed storage is an empty one. */
#ifndef WEFT_APPS_WARC_BUFFER_H
#define WEFT_APPS_WARC_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <weft/text.h>

struct warc_buffer {
    char *data;
    size_t used, room;
    bool starved;
};

/* Room for size bytes more, behind what is used; NULL: no memory. */
char *warc_buffer_room(struct warc_buffer *buffer, size_t size);
void warc_add(struct warc_buffer *buffer, const void *data, size_t size);
void warc_add_text(struct warc_buffer *buffer, struct weft_text text);
/* What it makes is short: up to 512 bytes. */
__attribute__((format(printf, 2, 3))) void warc_addf(struct warc_buffer *buffer, const char *format,
                                                     ...);
/* Within the quotes of a string of JSON. */
void warc_add_json(struct warc_buffer *buffer, struct weft_text text);
void warc_buffer_free(struct warc_buffer *buffer);

#endif
