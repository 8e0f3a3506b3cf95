/* gzip and deflate, unpacked as they come, a bounded piece at a time.
 *
 * What says "deflate" comes in two kinds: as the standard wants it, in zlib's frame, and without
 * any frame. The first byte tells: that of the frame ends in 8, and what begins so without a frame
 * would be a block that nobody writes.
 *
 * What says "gzip" may be several members one behind the other, and then it is what they hold, one
 * behind the other (RFC 1952): a byte behind an end that begins another one does. Nothing else may
 * follow, and the end has to come: a packed body says itself how long it is, so one that stops before
 * is not the whole. The 40 KB that all this needs are kept for the next one. */
#include "direct.h"
#include "weft/alloc.h"
#include "weft/error.h"
#include <zlib.h>

enum { MEMBER = 0x1f }; /* what a member of a gzip file begins with */
enum { OUT = 16 * 1024, GZIP = 16 + MAX_WBITS, FRAMED = MAX_WBITS, BARE = -MAX_WBITS };

struct direct_unpack {
    struct direct_unpack *next;
    z_stream z;
    bool members, undecided, ended, full;
    unsigned char out[OUT];
};

static voidpf zip_alloc(voidpf unused, uInt count, uInt size)
{
    (void)unused;
    return weft_calloc(count, size);
}

static void zip_free(voidpf unused, voidpf block)
{
    (void)unused;
    weft_free(block);
}

static struct direct_unpack *make(void)
{
    struct direct_unpack *unpack = weft_calloc(1, sizeof *unpack);
    if (unpack == NULL)
        return NULL;
    unpack->z.zalloc = zip_alloc;
    unpack->z.zfree = zip_free;
    if (inflateInit2(&unpack->z, GZIP) == Z_OK)
        return unpack;
    weft_free(unpack);
    return NULL;
}

struct direct_unpack *weft__http_unpack_take(struct weft_http_engine *engine,
                                             enum direct_coding coding)
{
    struct direct_unpack *unpack = engine->free_unpacks;
    if (unpack != NULL)
        engine->free_unpacks = unpack->next;
    else
        unpack = make();
    if (unpack == NULL)
        return NULL;
    inflateReset2(&unpack->z, GZIP);
    unpack->members = coding == CODING_GZIP;
    unpack->undecided = coding == CODING_DEFLATE;
    unpack->ended = unpack->full = false;
    return unpack;
}

void weft__http_unpack_give(struct weft_http_engine *engine, struct direct_unpack *unpack)
{
    if (unpack == NULL)
        return;
    unpack->next = engine->free_unpacks;
    engine->free_unpacks = unpack;
}

void weft__http_unpacks_free(struct weft_http_engine *engine)
{
    while (engine->free_unpacks != NULL) {
        struct direct_unpack *unpack = engine->free_unpacks;
        engine->free_unpacks = unpack->next;
        inflateEnd(&unpack->z);
        weft_free(unpack);
    }
}

/* Behind an end: does another member begin? */
static bool begin_member(struct direct_unpack *unpack, struct weft_text packed)
{
    if (!unpack->members || (unsigned char)packed.data[0] != MEMBER)
        return false;
    inflateReset(&unpack->z);
    unpack->ended = false;
    return true;
}

int weft__http_unpack(struct direct_unpack *unpack, struct weft_text *packed,
                      struct weft_text *plain)
{
    z_stream *z = &unpack->z;
    *plain = weft_text(NULL, 0);
    if (unpack->ended && packed->size == 0)
        return 0;
    if (unpack->ended && !begin_member(unpack, *packed))
        return WEFT_EHTTP;
    if (unpack->undecided && packed->size > 0) {
        inflateReset2(z, (packed->data[0] & 0x0f) == 8 ? FRAMED : BARE);
        unpack->undecided = false;
    }
    z->next_in = (z_const Bytef *)packed->data;
    z->avail_in = (uInt)packed->size;
    z->next_out = unpack->out;
    z->avail_out = OUT;
    int code = inflate(z, Z_NO_FLUSH);
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
        return code == Z_MEM_ERROR ? UV_ENOMEM : WEFT_EHTTP;
    unpack->ended = code == Z_STREAM_END;
    unpack->full = z->avail_out == 0 && !unpack->ended;
    *packed = weft_text((const char *)z->next_in, z->avail_in);
    *plain = weft_text((const char *)unpack->out, OUT - z->avail_out);
    return 0;
}

bool weft__http_unpack_idle(const struct direct_unpack *unpack, struct weft_text packed)
{
    return packed.size == 0 && !unpack->full;
}

bool weft__http_unpack_ended(const struct direct_unpack *unpack)
{
    return unpack->ended;
}
