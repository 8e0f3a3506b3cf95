/* What one thread needs to write records: buffers, and if they are packed a quarter of a megabyte for
 * gzip, a member for each record. It is kept for the next one: there are as many as threads that write
 * at the same time. */
#include "warc/inside.h"
#include <weft/alloc.h>

enum { GZIP = 16 + MAX_WBITS, MEMORY = 8, PIECE = 16 * 1024, KEPT = 256 * 1024 };

voidpf warc_zip_alloc(voidpf unused, uInt count, uInt size)
{
    (void)unused;
    return weft_calloc(count, size);
}

void warc_zip_free(voidpf unused, voidpf block)
{
    (void)unused;
    weft_free(block);
}

static struct warc_desk *make(const struct warc *warc)
{
    struct warc_desk *desk = weft_calloc(1, sizeof *desk);
    if (desk == NULL || !warc->packed)
        return desk;
    desk->z.zalloc = warc_zip_alloc;
    desk->z.zfree = warc_zip_free;
    desk->packs =
        deflateInit2(&desk->z, warc->level, Z_DEFLATED, GZIP, MEMORY, Z_DEFAULT_STRATEGY) == Z_OK;
    if (desk->packs)
        return desk;
    weft_free(desk);
    return NULL;
}

struct warc_desk *warc_desk_take(struct warc *warc)
{
    uv_mutex_lock(&warc->lock);
    struct warc_desk *desk = warc->desks;
    if (desk != NULL)
        warc->desks = desk->next;
    uv_mutex_unlock(&warc->lock);
    return desk != NULL ? desk : make(warc);
}

static void empty(struct warc_buffer *buffer)
{
    if (buffer->room > KEPT)
        warc_buffer_free(buffer);
    buffer->used = 0;
    buffer->starved = false;
}

void warc_desk_give(struct warc *warc, struct warc_desk *desk)
{
    empty(&desk->head);
    empty(&desk->request);
    empty(&desk->answer);
    empty(&desk->packed);
    empty(&desk->line);
    if (desk->packs && desk->z.total_in > 0)
        deflateReset(&desk->z); /* a member was given up in the middle */
    uv_mutex_lock(&warc->lock);
    desk->next = warc->desks;
    warc->desks = desk;
    uv_mutex_unlock(&warc->lock);
}

void warc_desks_free(struct warc *warc)
{
    while (warc->desks != NULL) {
        struct warc_desk *desk = warc->desks;
        warc->desks = desk->next;
        if (desk->packs)
            deflateEnd(&desk->z);
        warc_buffer_free(&desk->head);
        warc_buffer_free(&desk->request);
        warc_buffer_free(&desk->answer);
        warc_buffer_free(&desk->packed);
        warc_buffer_free(&desk->line);
        weft_free(desk);
    }
}

int warc_desk_pack(struct warc_desk *desk, struct weft_text text, bool last)
{
    z_stream *z = &desk->z;
    int code;
    z->next_in = (z_const Bytef *)text.data;
    z->avail_in = (uInt)text.size;
    do {
        char *room = warc_buffer_room(&desk->packed, PIECE);
        if (room == NULL)
            return UV_ENOMEM;
        z->next_out = (Bytef *)room;
        z->avail_out = PIECE;
        code = deflate(z, last ? Z_FINISH : Z_NO_FLUSH);
        desk->packed.used += PIECE - z->avail_out;
    } while (last ? code != Z_STREAM_END : z->avail_out == 0);
    if (last)
        deflateReset(z);
    return 0;
}
