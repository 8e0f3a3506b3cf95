/* The inside of the archive, shared by its files. */
#ifndef WEFT_APPS_WARC_INSIDE_H
#define WEFT_APPS_WARC_INSIDE_H

#include "warc/buffer.h"
#include "warc/warc.h"
#include <errno.h>
#include <zlib.h>

enum { WARC_DATE = 24, WARC_COPY = 256 * 1024, WARC_HEAD_MAX = 512 * 1024 };

/* Of the call that has just failed: never 0, even where the system did not say why. */
static inline int warc_error(void)
{
    int err = uv_translate_sys_error(errno);
    return err < 0 ? err : UV_EIO;
}

/* ---- record.c: what stands in a record ------------------------------------------------------ */

/* "2026-01-31T23:59:59Z" */
void warc_date_show(int64_t date, char text[WARC_DATE]);
/* An id that no other record has. */
void warc_id_make(struct warc *warc, char id[WARC_ID]);
/* "sha1:…" of the text. */
void warc_digest(struct weft_text text, char digest[SHA1_TEXT]);
/* The first fields of a record, and a further one. */
void warc_record_begin(struct warc_buffer *to, const char *type, const char *id, int64_t date);
void warc_field(struct warc_buffer *to, const char *name, struct weft_text value);
/* The last field, and the empty line; the block is to follow, and two empty lines. */
void warc_record_block(struct warc_buffer *to, uint64_t size);
extern const struct weft_text warc_record_end; /* the two empty lines */
/* The head of an answer so that it fits the body as it is kept. */
void warc_add_head(struct warc_buffer *to, struct weft_text head, uint64_t body_size, bool cut);
/* A whole warcinfo. */
void warc_add_info(struct warc *warc, struct warc_buffer *to, int64_t date, struct weft_text info);

/* ---- desk.c: what a thread needs to write ---------------------------------------------------- */

struct warc_desk {
    struct warc_desk *next;
    bool packs;                 /* z is there */
    z_stream z;                 /* between two members */
    struct warc_buffer head;    /* of the answer, so that it fits */
    struct warc_buffer request; /* the whole record */
    struct warc_buffer answer;  /* the record up to the head of the answer, with that */
    struct warc_buffer packed;  /* of both */
    struct warc_buffer line;    /* of the index */
};

/* NULL: no memory. Its buffers are empty. */
struct warc_desk *warc_desk_take(struct warc *warc);
void warc_desk_give(struct warc *warc, struct warc_desk *desk);
void warc_desks_free(struct warc *warc);
/* A piece of a gzip member, or its last one, behind what is packed. 0 or UV_ENOMEM: then the member is
 * given up. */
int warc_desk_pack(struct warc_desk *desk, struct weft_text text, bool last);

/* ---- pieces.c: what is written in one go ---------------------------------------------------- */

struct warc_piece {
    const void *data; /* NULL: it is a file's, */
    int fd;           /* from its begin */
    uint64_t size;
};

/* At *at; moves it on. */
int warc_pieces_write(int fd, const struct warc_piece *pieces, size_t count, uint64_t *at);
int warc_write_at(int fd, const void *data, size_t size, uint64_t at);
/* Up to size bytes; how many, or an error. */
ssize_t warc_read_at(int fd, void *data, size_t size, uint64_t at);

/* ---- index.c -------------------------------------------------------------------------------- */

/* The line, but for where its record is; then that. */
void warc_line_begin(struct warc_buffer *line, const struct warc_exchange *exchange,
                     const char *digest);
void warc_line_end(struct warc_buffer *line, uint64_t offset, uint64_t length, const char *name);

struct warc_line {
    uint64_t offset, length;
    unsigned char digest[SHA1_SIZE];
    bool has_body; /* it is no revisit: only then there is a digest */
    unsigned char key[SHA1_SIZE];
    bool is_good; /* there is a page: see warc_is_good */
};
/* A line with its LF. false: it is none of ours. */
bool warc_line_read(const char *text, struct warc_line *line);

/* What answers are found by: a digest of the URL as it stands in a line. 0 or UV_ENOMEM. */
int warc_key_make(struct weft_text url, unsigned char key[SHA1_SIZE]);
/* The status of an answer that another one may later say "not modified" of. */
static inline bool warc_is_good(uint64_t status)
{
    return status >= 200 && status < 300;
}

/* ---- refer.c: what a revisit refers to ------------------------------------------------------ */

/* The fields of one whose body the record at this place has, which is of this digest. false: it has
 * not, and there are none. */
bool warc_refer_to_body(struct warc *warc, uint64_t place, const char *digest,
                        struct warc_buffer *fields);
/* The fields of one that says that nothing has changed; digest becomes that of the body, or "-" if it
 * is not known. */
extern const char warc_no_digest[]; /* "-" */
void warc_refer_to_url(struct warc *warc, const struct warc_exchange *exchange,
                       const unsigned char key[SHA1_SIZE], struct warc_buffer *fields,
                       char digest[SHA1_TEXT]);

/* ---- warc.c --------------------------------------------------------------------------------- */

/* A name beside path that nobody else has: with an id, and this ending. NULL: no memory, or no path. */
char *warc_beside(struct warc *warc, const char *path, const char *ending);
/* At *at; moves it on. Nothing, if it stands there already. */
int warc_write_info(struct warc *warc, uint64_t *at);

/* ---- read.c --------------------------------------------------------------------------------- */

struct warc_reader {
    int fd;
    bool packed, ended; /* ended: the member is over */
    uint64_t at;        /* of the next byte that was not taken out of the file */
    z_stream z;
    unsigned char in[16 * 1024], out[16 * 1024];
    size_t in_at, in_end, out_at, out_end;
};

struct warc_record {
    uint64_t length; /* bytes in the file */
    uint64_t block_size;
    struct warc_buffer head, block;
};

int warc_reader_init(struct warc_reader *reader, int fd, bool packed);
void warc_reader_free(struct warc_reader *reader);
/* Only the head of the record at this place. WEFT_EDAMAGED: there is none that is whole. */
int warc_read_head(struct warc_reader *reader, uint64_t at, struct warc_record *record);
/* That, and of its block the first lines, up to an empty one: the head of what was asked or answered. */
int warc_read_heads(struct warc_reader *reader, uint64_t at, struct warc_record *record);
/* All of it: that it is whole, that its digest is right; and up to limit bytes of its block. */
int warc_read_whole(struct warc_reader *reader, uint64_t at, size_t limit,
                    struct warc_record *record);
/* A field of such lines; without data if there is none. */
struct weft_text warc_lines_get(struct weft_text lines, const char *name);
struct weft_text warc_record_get(const struct warc_record *record, const char *name);
void warc_record_free(struct warc_record *record);

/* ---- repair.c ------------------------------------------------------------------------------- */

/* From here on: what is not whole, or not in the index, is cut off both files. */
int warc_repair(struct warc *warc, const struct warc_mark *mark);

/* desk.c: zlib's memory is ours. */
voidpf warc_zip_alloc(voidpf unused, uInt count, uInt size);
void warc_zip_free(voidpf unused, voidpf block);

#endif
