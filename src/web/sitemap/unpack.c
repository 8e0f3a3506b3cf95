/* gzip, or not.
 *
 *     FIRST   nothing seen yet                             -> SECOND, PLAIN
 *     SECOND  a 1f, perhaps of a gzip                      -> PACKED, PLAIN
 *     PLAIN   not packed: passed on
 *     PACKED  in a member                                  -> BETWEEN
 *     BETWEEN behind a member; BETWEEN_SECOND: a 1f there  -> PACKED, REST
 *     REST    something else behind the last member: ignored, as gzip does
 *
 * What comes out goes on in pieces of a fixed size, so a small file that unpacks into terabytes
 * needs no more memory than any, and ends at the limit. */
#include "sitemap.h"
#include <uv.h>
#include <weft/alloc.h>

enum { FIRST, SECOND, PLAIN, PACKED, BETWEEN, BETWEEN_SECOND, REST };

static const char magic[2] = {0x1f, (char)0x8b};

/* 15: any window; and 16: gzip only. */
enum { GZIP_WINDOW = 15 + 16 };

static void *zlib_alloc(void *context, unsigned count, unsigned size)
{
    (void)context;
    return weft_calloc(count, size);
}

static void zlib_free(void *context, void *block)
{
    (void)context;
    weft_free(block);
}

static int status_of(int zlib)
{
    switch (zlib) {
    case Z_OK:
    case Z_STREAM_END:
    case Z_BUF_ERROR: /* it wants more */
        return 0;
    case Z_MEM_ERROR:
        return UV_ENOMEM;
    default:
        return UV_EINVAL;
    }
}

static void open_member(struct weft__sitemap *reader)
{
    struct sitemap_unpack *unpack = &reader->unpack;
    int zlib;
    if (unpack->open) {
        zlib = inflateReset(&unpack->zlib);
    } else {
        unpack->zlib = (z_stream){.zalloc = zlib_alloc, .zfree = zlib_free};
        zlib = inflateInit2(&unpack->zlib, GZIP_WINDOW);
        unpack->open = zlib == Z_OK;
    }
    unpack->state = PACKED;
    reader->sitemap->status_ = status_of(zlib);
}

/* As much of a member as there is; how many bytes of data were not needed. At most UINT_MAX. */
static size_t inflate_some(struct weft__sitemap *reader, const char *data, size_t size)
{
    struct sitemap_unpack *unpack = &reader->unpack;
    z_stream *zlib = &unpack->zlib;
    zlib->next_in = (Bytef *)(uintptr_t)data;
    zlib->avail_in = (uInt)size;
    do {
        zlib->next_out = unpack->out;
        zlib->avail_out = sizeof unpack->out;
        int done = inflate(zlib, Z_NO_FLUSH);
        weft__sitemap_content(reader, (const char *)unpack->out,
                              sizeof unpack->out - zlib->avail_out);
        if (reader->sitemap->status_ == 0)
            reader->sitemap->status_ = status_of(done);
        if (done == Z_STREAM_END)
            unpack->state = BETWEEN;
    } while (reader->sitemap->status_ == 0 && unpack->state == PACKED && zlib->avail_out == 0);
    return zlib->avail_in;
}

static size_t take_packed(struct weft__sitemap *reader, const char *data, size_t size)
{
    size_t most = size < UINT32_MAX / 2 ? size : UINT32_MAX / 2;
    return most - inflate_some(reader, data, most);
}

static void begin_member(struct weft__sitemap *reader)
{
    open_member(reader);
    if (reader->sitemap->status_ == 0)
        inflate_some(reader, magic, sizeof magic);
}

/* Some of data; how much of it is done. */
static size_t take(struct weft__sitemap *reader, const char *data, size_t size)
{
    struct sitemap_unpack *unpack = &reader->unpack;
    switch (unpack->state) {
    case FIRST:
        unpack->state = data[0] == magic[0] ? SECOND : PLAIN;
        return unpack->state == SECOND ? 1 : 0;
    case SECOND:
        if (data[0] == magic[1]) {
            begin_member(reader);
            return 1;
        }
        unpack->state = PLAIN;
        weft__sitemap_content(reader, magic, 1);
        return 0;
    case PACKED:
        return take_packed(reader, data, size);
    case BETWEEN:
        unpack->state = data[0] == magic[0] ? BETWEEN_SECOND : REST;
        return 1;
    case BETWEEN_SECOND:
        unpack->state = REST;
        if (data[0] == magic[1])
            begin_member(reader);
        return 1;
    case PLAIN:
        weft__sitemap_content(reader, data, size);
        return size;
    default:
        return size;
    }
}

void weft__sitemap_unpack(struct weft__sitemap *reader, const char *data, size_t size)
{
    while (size > 0 && reader->sitemap->status_ == 0) {
        size_t used = take(reader, data, size);
        data += used;
        size -= used;
    }
}

int weft__sitemap_unpack_end(struct weft__sitemap *reader)
{
    if (reader->unpack.state == SECOND)
        weft__sitemap_content(reader, magic, 1);
    return reader->unpack.state == PACKED ? UV_EOF : 0;
}

void weft__sitemap_unpack_free(struct weft__sitemap *reader)
{
    if (reader->unpack.open)
        inflateEnd(&reader->unpack.zlib);
}
