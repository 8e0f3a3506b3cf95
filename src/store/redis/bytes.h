/* Bytes that wait to be sent, and commands as Redis reads them. */
#ifndef WEFT_STORE_REDIS_BYTES_H
#define WEFT_STORE_REDIS_BYTES_H

#include "weft/text.h"

struct redis_bytes {
    char *data;
    size_t size, room;
};

/* How many bytes a command is; 0: more than WEFT_REDIS_REQUEST_MAX. */
size_t weft__redis_command_size(const struct weft_text *args, size_t count);
/* Append it whole, or nothing. UV_E2BIG: it is more than WEFT_REDIS_REQUEST_MAX; UV_ENOBUFS: with what is
 * there already it is; UV_ENOMEM. */
int weft__redis_bytes_command(struct redis_bytes *bytes, const struct weft_text *args,
                              size_t count);
int weft__redis_bytes_append(struct redis_bytes *bytes, const void *data, size_t size);
void weft__redis_bytes_free(struct redis_bytes *bytes);

#endif
