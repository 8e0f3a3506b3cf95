/* Commands go into one growing block, so that all that were begun in a turn leave in one write. They are
 * written here and not by hiredis, which would want arrays of its own and adds their sizes in an int. */
#include "bytes.h"
#include "weft/alloc.h"
#include "weft/redis.h"
#include <stdio.h>

enum { HEAD = 32 /* room for "*2147483647\r\n" and "$18446744073709551615\r\n" */ };

size_t weft__redis_command_size(const struct weft_text *args, size_t count)
{
    if (count > WEFT_REDIS_REQUEST_MAX / HEAD)
        return 0;
    size_t size = HEAD * (count + 1);
    for (size_t i = 0; i < count; i++) {
        if (args[i].size > WEFT_REDIS_REQUEST_MAX - size)
            return 0;
        size += args[i].size;
    }
    return size;
}

static int make_room(struct redis_bytes *bytes, size_t size)
{
    if (size > WEFT_REDIS_REQUEST_MAX - bytes->size)
        return UV_ENOBUFS;
    size_t room = bytes->room > 0 ? bytes->room : 4096;
    while (room - bytes->size < size)
        room *= 2;
    if (room == bytes->room)
        return 0;
    char *data = weft_realloc(bytes->data, room);
    if (data == NULL)
        return UV_ENOMEM;
    bytes->data = data;
    bytes->room = room;
    return 0;
}

static void put(struct redis_bytes *bytes, const void *data, size_t size)
{
    if (size > 0)
        memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}

static void put_number(struct redis_bytes *bytes, char kind, size_t value)
{
    char head[HEAD];
    int size = snprintf(head, sizeof head, "%c%zu\r\n", kind, value);
    put(bytes, head, (size_t)size);
}

int weft__redis_bytes_append(struct redis_bytes *bytes, const void *data, size_t size)
{
    int status = make_room(bytes, size);
    if (status == 0)
        put(bytes, data, size);
    return status;
}

int weft__redis_bytes_command(struct redis_bytes *bytes, const struct weft_text *args, size_t count)
{
    size_t size = weft__redis_command_size(args, count);
    int status = size > 0 ? make_room(bytes, size) : UV_E2BIG;
    if (status != 0)
        return status;
    put_number(bytes, '*', count);
    for (size_t i = 0; i < count; i++) {
        put_number(bytes, '$', args[i].size);
        put(bytes, args[i].data, args[i].size);
        put(bytes, "\r\n", 2);
    }
    return 0;
}

void weft__redis_bytes_free(struct redis_bytes *bytes)
{
    weft_free(bytes->data);
    memset(bytes, 0, sizeof *bytes);
}
