/* Reading records, one at a time, from anywhere in the file: packed or not, what is read is the same
 * bytes. Nothing is believed: a length, an end that is missing, a digest that is wrong, zeros in a head
 * (what a disk has where nothing was written) make it WEFT_EDAMAGED, and so does a file that ends in
 * between. */
#include "warc/inside.h"
#include <weft/error.h>

enum { GZIP = 16 + MAX_WBITS };

int warc_reader_init(struct warc_reader *reader, int fd, bool packed)
{
    reader->fd = fd;
    reader->packed = packed;
    reader->z = (z_stream){.zalloc = warc_zip_alloc, .zfree = warc_zip_free};
    return !packed || inflateInit2(&reader->z, GZIP) == Z_OK ? 0 : UV_ENOMEM;
}

void warc_reader_free(struct warc_reader *reader)
{
    if (reader->packed)
        inflateEnd(&reader->z);
}

/* ---- bytes ---------------------------------------------------------------------------------- */

static int go_to(struct warc_reader *reader, uint64_t at)
{
    reader->at = at;
    reader->in_at = reader->in_end = reader->out_at = reader->out_end = 0;
    reader->ended = false;
    return !reader->packed || inflateReset(&reader->z) == Z_OK ? 0 : UV_ENOMEM;
}

static uint64_t position(const struct warc_reader *reader)
{
    return reader->packed ? reader->at - (reader->in_end - reader->in_at)
                          : reader->at - (reader->out_end - reader->out_at);
}

/* How much came, 0 at the end of the file. */
static int load(struct warc_reader *reader, unsigned char *to, size_t size)
{
    ssize_t got = warc_read_at(reader->fd, to, size, reader->at);
    if (got > 0)
        reader->at += (uint64_t)got;
    return (int)got;
}

static int inflate_some(struct warc_reader *reader)
{
    z_stream *z = &reader->z;
    while (reader->out_end == 0 && !reader->ended) {
        if (reader->in_at == reader->in_end) {
            int got = load(reader, reader->in, sizeof reader->in);
            if (got <= 0)
                return got;
            reader->in_at = 0;
            reader->in_end = (size_t)got;
        }
        z->next_in = reader->in + reader->in_at;
        z->avail_in = (uInt)(reader->in_end - reader->in_at);
        z->next_out = reader->out;
        z->avail_out = sizeof reader->out;
        int code = inflate(z, Z_NO_FLUSH);
        reader->in_at = reader->in_end - z->avail_in;
        reader->out_end = sizeof reader->out - z->avail_out;
        reader->ended = code == Z_STREAM_END;
        if (code == Z_MEM_ERROR)
            return UV_ENOMEM;
        if (code != Z_OK && code != Z_STREAM_END)
            return WEFT_EDAMAGED;
    }
    return (int)reader->out_end;
}

/* What is there, or comes next: 0 at the end, or an error. */
static int fill(struct warc_reader *reader, struct weft_text *text)
{
    int got = 1;
    if (reader->out_at == reader->out_end) {
        reader->out_at = reader->out_end = 0;
        got = reader->packed ? inflate_some(reader) : load(reader, reader->out, sizeof reader->out);
        if (got > 0)
            reader->out_end = (size_t)got;
    }
    *text = weft_text((const char *)reader->out + reader->out_at, reader->out_end - reader->out_at);
    return got;
}

/* ---- the head ------------------------------------------------------------------------------- */

struct weft_text warc_lines_get(struct weft_text lines, const char *name)
{
    while (lines.size > 0) {
        struct weft_text value = weft_text_cut(&lines, '\n');
        if (value.size > 0 && value.data[value.size - 1] == '\r')
            value.size--;
        if (weft_text_same(weft_text_cut(&value, ':'), weft_text_of(name)))
            return weft_text_trim(value);
    }
    return weft_text(NULL, 0);
}

struct weft_text warc_record_get(const struct warc_record *record, const char *name)
{
    return warc_lines_get(weft_text(record->head.data, record->head.used), name);
}

/* Our own lines end in CR LF. Those of a server stand there as they came, and some end in LF only. */
static bool is_empty_line(const struct warc_buffer *lines, bool servers)
{
    if (lines->starved || lines->used < 4)
        return false;
    const char *end = lines->data + lines->used;
    return memcmp(end - 4, "\r\n\r\n", 4) == 0 ||
           (servers && end[-1] == '\n' && (end[-2] == '\n' || memcmp(end - 3, "\n\r", 2) == 0));
}

/* Up to the empty line; as much of it as stands in what has come. */
static bool take_some(struct warc_reader *reader, struct warc_buffer *lines, struct weft_text text,
                      bool servers)
{
    for (size_t i = 0; i < text.size; i++) {
        warc_add(lines, text.data + i, 1);
        reader->out_at++;
        if (is_empty_line(lines, servers))
            return true;
    }
    return false;
}

static int take_lines(struct warc_reader *reader, struct warc_buffer *lines, bool servers)
{
    bool whole = false;
    while (!whole && lines->used < WARC_HEAD_MAX) {
        struct weft_text text;
        int got = fill(reader, &text);
        if (got <= 0)
            return got < 0 ? got : WEFT_EDAMAGED;
        whole = take_some(reader, lines, text, servers);
        if (lines->starved)
            return UV_ENOMEM;
    }
    return whole ? 0 : WEFT_EDAMAGED;
}

static bool take_length(struct warc_record *record)
{
    struct weft_text digits = warc_record_get(record, "Content-Length");
    uint64_t size = 0;
    for (size_t i = 0; i < digits.size; i++) {
        if (digits.data[i] < '0' || digits.data[i] > '9' || size > INT64_MAX / 10 - 1)
            return false;
        size = size * 10 + (uint64_t)(digits.data[i] - '0');
    }
    record->block_size = size;
    return digits.size > 0;
}

int warc_read_head(struct warc_reader *reader, uint64_t at, struct warc_record *record)
{
    record->head.used = record->block.used = 0;
    int err = go_to(reader, at);
    if (err == 0)
        err = take_lines(reader, &record->head, false);
    if (err != 0)
        return err;
    struct weft_text head = weft_text(record->head.data, record->head.used);
    bool good = weft_text_starts(head, "WARC/1.") && memchr(head.data, '\0', head.size) == NULL;
    return good && take_length(record) ? 0 : WEFT_EDAMAGED;
}

int warc_read_heads(struct warc_reader *reader, uint64_t at, struct warc_record *record)
{
    int err = warc_read_head(reader, at, record);
    if (err == 0)
        err = take_lines(reader, &record->block, true);
    return err == 0 && record->block.used > record->block_size ? WEFT_EDAMAGED : err;
}

/* ---- the block ------------------------------------------------------------------------------ */

static int take_block(struct warc_reader *reader, size_t limit, struct warc_record *record,
                      unsigned char digest[SHA1_SIZE])
{
    struct sha1 sha1;
    sha1_begin(&sha1);
    for (uint64_t left = record->block_size; left > 0;) {
        struct weft_text text;
        int got = fill(reader, &text);
        if (got <= 0)
            return got < 0 ? got : WEFT_EDAMAGED;
        if (text.size > left)
            text.size = (size_t)left;
        sha1_add(&sha1, text.data, text.size);
        size_t room = limit - record->block.used;
        warc_add(&record->block, text.data, text.size < room ? text.size : room);
        reader->out_at += text.size;
        left -= text.size;
    }
    sha1_end(&sha1, digest);
    return record->block.starved ? UV_ENOMEM : 0;
}

/* Two empty lines; and of a member its own end. */
static int take_end(struct warc_reader *reader)
{
    struct weft_text text;
    int got = 1;
    for (size_t i = 0; i < warc_record_end.size; i++) {
        got = fill(reader, &text);
        if (got <= 0 || text.data[0] != warc_record_end.data[i])
            return got < 0 ? got : WEFT_EDAMAGED;
        reader->out_at++;
    }
    if (!reader->packed)
        return 0;
    got = fill(reader, &text);
    return got == 0 && reader->ended ? 0 : got < 0 ? got : WEFT_EDAMAGED;
}

int warc_read_whole(struct warc_reader *reader, uint64_t at, size_t limit,
                    struct warc_record *record)
{
    unsigned char digest[SHA1_SIZE], wanted[SHA1_SIZE];
    int err = warc_read_head(reader, at, record);
    if (err == 0)
        err = take_block(reader, limit, record, digest);
    if (err == 0)
        err = take_end(reader);
    if (err != 0)
        return err;
    struct weft_text text = warc_record_get(record, "WARC-Block-Digest");
    if (sha1_read(text.data, text.size, wanted) && memcmp(wanted, digest, SHA1_SIZE) != 0)
        return WEFT_EDAMAGED;
    record->length = position(reader) - at;
    return 0;
}

void warc_record_free(struct warc_record *record)
{
    warc_buffer_free(&record->head);
    warc_buffer_free(&record->block);
}
