/* A request, its answer, and the line of the index: made by any number of threads at once, written by
 * one after the other.
 *
 *     digests ──► seen before? ──► records ──► packed ──► │ lock │ both files, in one go
 *
 * The offset of a record is known only when its turn has come: so everything else is ready by then, and
 * what has to be done under the lock is two calls of the kernel's. A body that is a file is read twice,
 * for its digest and to be copied; if it is packed, into a file without a name before its turn comes.
 * While one of gigabytes is copied the others wait: they would go to the same disk.
 *
 * What fails leaves nothing behind: both files are cut to where they were. */
#include "warc/inside.h"
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>
#include <weft/alloc.h>

enum { SPOOL_TRIES = 100 };

struct draft {
    struct warc *warc;
    struct warc_exchange *exchange;
    struct warc_desk *desk;
    int spool; /* the packed answer, if its body is a file; -1: none */
    uint64_t spool_size;
    unsigned char digest[SHA1_SIZE]; /* of the body */
    unsigned char key[SHA1_SIZE];    /* of the URL, if it is good or not modified */
    char payload[SHA1_TEXT], block[SHA1_TEXT];
    struct warc_piece pieces[4];
    size_t count;
    uint64_t request_size, answer_size; /* as they are written */
};

/* ---- digests -------------------------------------------------------------------------------- */

typedef int piece_fn(struct draft *draft, struct weft_text text, void *context);

/* The body, piece by piece. */
static int each_piece(struct draft *draft, piece_fn *fn, void *context)
{
    const struct warc_exchange *it = draft->exchange;
    if (it->body != NULL)
        return fn(draft, weft_text(it->body, (size_t)it->body_size), context);
    if (it->body_size == 0)
        return 0;
    char *data = weft_alloc(WARC_COPY);
    int err = data == NULL ? UV_ENOMEM : 0;
    for (uint64_t at = 0; err == 0 && at < it->body_size;) {
        uint64_t left = it->body_size - at;
        ssize_t got =
            warc_read_at(it->body_fd, data, left < WARC_COPY ? (size_t)left : WARC_COPY, at);
        err = got > 0   ? fn(draft, weft_text(data, (size_t)got), context)
              : got < 0 ? (int)got
                        : UV_EIO;
        at += got > 0 ? (uint64_t)got : 0;
    }
    weft_free(data);
    return err;
}

struct both {
    struct sha1 payload, block;
};

static int add_to_both(struct draft *draft, struct weft_text text, void *context)
{
    struct both *both = context;
    (void)draft;
    sha1_add(&both->payload, text.data, text.size);
    sha1_add(&both->block, text.data, text.size);
    return 0;
}

static int take_digests(struct draft *draft)
{
    struct both both;
    unsigned char block[SHA1_SIZE];
    sha1_begin(&both.payload);
    sha1_begin(&both.block);
    sha1_add(&both.block, draft->desk->head.data, draft->desk->head.used);
    int err = each_piece(draft, add_to_both, &both);
    sha1_end(&both.payload, draft->digest);
    sha1_end(&both.block, block);
    sha1_show(draft->digest, draft->payload);
    sha1_show(block, draft->block);
    return err;
}

/* ---- the same as before? -------------------------------------------------------------------- */

static bool is_good(const struct warc_exchange *it)
{
    return warc_is_good((uint64_t)it->status) && !it->cut;
}

static bool look_for_body(struct draft *draft, struct warc_buffer *fields)
{
    struct warc_exchange *it = draft->exchange;
    uint64_t place = 0;
    if (it->body_size == 0 || it->cut)
        return false;
    uv_mutex_lock(&draft->warc->lock);
    bool found = seen_find(&draft->warc->seen, draft->digest, &place);
    uv_mutex_unlock(&draft->warc->lock);
    if (!found || !warc_refer_to_body(draft->warc, place, draft->payload, fields))
        return false;
    it->place = place;
    warc_digest(weft_text(draft->desk->head.data, draft->desk->head.used), draft->block);
    return true;
}

static int look_back(struct draft *draft, struct warc_buffer *fields)
{
    struct warc_exchange *it = draft->exchange;
    int err = it->not_modified || is_good(it) ? warc_key_make(it->url, draft->key) : 0;
    if (err == 0 && it->not_modified)
        warc_refer_to_url(draft->warc, it, draft->key, fields, draft->payload);
    it->revisit = it->not_modified || (err == 0 && look_for_body(draft, fields));
    return err;
}

/* ---- the records ---------------------------------------------------------------------------- */

static void add_common(struct draft *draft, struct warc_buffer *to)
{
    const struct warc_exchange *it = draft->exchange;
    warc_field(to, "WARC-Target-URI", it->url);
    if (it->address != NULL && it->address[0] != '\0')
        warc_field(to, "WARC-IP-Address", weft_text_of(it->address));
    warc_addf(to, "WARC-Warcinfo-ID: <%s>\r\n", draft->warc->info_id);
}

static void write_request(struct draft *draft, const char *id, const char *answer_id)
{
    const struct warc_exchange *it = draft->exchange;
    struct warc_buffer *to = &draft->desk->request;
    char digest[SHA1_TEXT];
    if (it->request.size == 0)
        return;
    warc_digest(it->request, digest);
    warc_record_begin(to, "request", id, it->date);
    add_common(draft, to);
    warc_addf(to, "WARC-Concurrent-To: <%s>\r\n", answer_id);
    warc_field(to, "WARC-Block-Digest", weft_text_of(digest));
    warc_field(to, "Content-Type", weft_text_of("application/http;msgtype=request"));
    warc_record_block(to, it->request.size);
    warc_add_text(to, it->request);
    warc_add_text(to, warc_record_end);
}

static uint64_t kept_size(const struct warc_exchange *it)
{
    return it->revisit ? 0 : it->body_size;
}

static void write_answer(struct draft *draft, const char *id, const char *request_id,
                         const struct warc_buffer *refers)
{
    const struct warc_exchange *it = draft->exchange;
    struct warc_buffer *to = &draft->desk->answer;
    warc_record_begin(to, it->revisit ? "revisit" : "response", id, it->date);
    add_common(draft, to);
    if (it->request.size > 0)
        warc_addf(to, "WARC-Concurrent-To: <%s>\r\n", request_id);
    warc_add(to, refers->data, refers->used);
    if (it->cut)
        warc_field(to, "WARC-Truncated", weft_text_of("length"));
    if (strcmp(draft->payload, warc_no_digest) != 0)
        warc_field(to, "WARC-Payload-Digest", weft_text_of(draft->payload));
    warc_field(to, "WARC-Block-Digest", weft_text_of(draft->block));
    warc_field(to, "Content-Type", weft_text_of("application/http;msgtype=response"));
    warc_record_block(to, draft->desk->head.used + kept_size(it));
    warc_add(to, draft->desk->head.data, draft->desk->head.used);
}

static int write_records(struct draft *draft)
{
    const struct warc_exchange *it = draft->exchange;
    char request_id[WARC_ID], answer_id[WARC_ID];
    struct warc_buffer refers = {0};
    warc_add_head(&draft->desk->head, it->head, it->body_size, it->cut);
    int err = draft->desk->head.starved ? UV_ENOMEM : take_digests(draft);
    if (err == 0)
        err = look_back(draft, &refers);
    warc_id_make(draft->warc, request_id);
    warc_id_make(draft->warc, answer_id);
    write_request(draft, request_id, answer_id);
    write_answer(draft, answer_id, request_id, &refers);
    warc_line_begin(&draft->desk->line, it, draft->payload);
    bool starved = refers.starved || draft->desk->request.starved || draft->desk->answer.starved ||
                   draft->desk->line.starved;
    warc_buffer_free(&refers);
    return err == 0 && starved ? UV_ENOMEM : err;
}

/* ---- not packed ----------------------------------------------------------------------------- */

static void add_memory(struct draft *draft, const void *data, uint64_t size)
{
    if (size > 0)
        draft->pieces[draft->count++] = (struct warc_piece){data, -1, size};
}

static void lay_out(struct draft *draft)
{
    const struct warc_exchange *it = draft->exchange;
    uint64_t size = kept_size(it);
    add_memory(draft, draft->desk->request.data, draft->desk->request.used);
    add_memory(draft, draft->desk->answer.data, draft->desk->answer.used);
    if (it->body != NULL)
        add_memory(draft, it->body, size);
    else if (size > 0)
        draft->pieces[draft->count++] = (struct warc_piece){NULL, it->body_fd, size};
    add_memory(draft, warc_record_end.data, warc_record_end.size);
    draft->request_size = draft->desk->request.used;
    draft->answer_size = draft->desk->answer.used + size + warc_record_end.size;
}

/* ---- packed --------------------------------------------------------------------------------- */

/* Beside the archive, because it will need the room anyway. It never has a name for long; one that is
 * taken is somebody else's, or of one who was killed just then. */
static int open_spool(struct draft *draft)
{
    static unsigned number;
    struct warc_buffer name = {0};
    int err = UV_EEXIST;
    for (unsigned tries = 0; err == UV_EEXIST && tries < SPOOL_TRIES; tries++) {
        name.used = 0;
        warc_add_text(&name, weft_text_of(draft->warc->path));
        warc_addf(&name, ".%u", __atomic_add_fetch(&number, 1, __ATOMIC_RELAXED));
        warc_add(&name, "", 1);
        draft->spool =
            name.starved ? -1 : open(name.data, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        err = name.starved ? UV_ENOMEM : draft->spool >= 0 ? 0 : warc_error();
    }
    if (err == 0)
        unlink(name.data);
    warc_buffer_free(&name);
    return err;
}

/* What is packed goes to the spool, if there is one, and stays in memory otherwise. */
static int pack_piece(struct draft *draft, struct weft_text text, void *context)
{
    const bool *last = context;
    size_t before = draft->desk->packed.used;
    int err = warc_desk_pack(draft->desk, text, last != NULL && *last);
    if (err != 0 || draft->spool < 0)
        return err;
    size_t more = draft->desk->packed.used - before;
    err = warc_write_at(draft->spool, draft->desk->packed.data + before, more, draft->spool_size);
    draft->spool_size += more;
    draft->desk->packed.used = before;
    return err;
}

static int pack_answer(struct draft *draft)
{
    bool last = true;
    int err =
        draft->exchange->body == NULL && kept_size(draft->exchange) > 0 ? open_spool(draft) : 0;
    if (err == 0)
        err =
            pack_piece(draft, weft_text(draft->desk->answer.data, draft->desk->answer.used), NULL);
    if (err == 0 && !draft->exchange->revisit)
        err = each_piece(draft, pack_piece, NULL);
    return err == 0 ? pack_piece(draft, warc_record_end, &last) : err;
}

static int pack_both(struct draft *draft)
{
    struct warc_desk *desk = draft->desk;
    int err = 0;
    if (desk->request.used > 0)
        err = warc_desk_pack(desk, weft_text(desk->request.data, desk->request.used), true);
    draft->request_size = desk->packed.used;
    if (err == 0)
        err = pack_answer(draft);
    if (err != 0)
        return err;
    draft->answer_size = desk->packed.used - draft->request_size + draft->spool_size;
    add_memory(draft, desk->packed.data, desk->packed.used);
    if (draft->spool >= 0)
        draft->pieces[draft->count++] = (struct warc_piece){NULL, draft->spool, draft->spool_size};
    return 0;
}

/* ---- written -------------------------------------------------------------------------------- */

/* A cut that fails is no harm: what comes next is written over it, and a tail is cut off by repair. */
static void cut_back(struct warc *warc)
{
    if (ftruncate(warc->fd, (off_t)warc->end) != 0 ||
        ftruncate(warc->index, (off_t)warc->index_end) != 0)
        return;
}

/* It is written: from now on it counts. */
static void settle(struct draft *draft, uint64_t answer, uint64_t end)
{
    struct warc *warc = draft->warc;
    struct warc_exchange *it = draft->exchange;
    warc->end = end;
    warc->index_end += draft->desk->line.used;
    warc_buffer_free(&warc->info);
    if (is_good(it))
        seen_add(&warc->answers, draft->key, answer);
    if (it->revisit)
        return;
    it->place = answer;
    if (it->body_size > 0 && !it->cut)
        seen_add(&warc->seen, draft->digest, answer);
}

static int append(struct draft *draft)
{
    struct warc *warc = draft->warc;
    struct warc_buffer *line = &draft->desk->line;
    uv_mutex_lock(&warc->lock);
    uint64_t at = warc->end;
    int err = warc_write_info(warc, &at);
    uint64_t answer = at + draft->request_size;
    warc_line_end(line, answer, draft->answer_size, warc->name);
    if (err == 0 && line->starved)
        err = UV_ENOMEM;
    if (err == 0)
        err = warc_pieces_write(warc->fd, draft->pieces, draft->count, &at);
    if (err == 0)
        err = warc_write_at(warc->index, line->data, line->used, warc->index_end);
    if (err == 0)
        settle(draft, answer, at);
    else
        cut_back(warc);
    uv_mutex_unlock(&warc->lock);
    return err;
}

int warc_put(struct warc *warc, struct warc_exchange *exchange)
{
    struct draft draft = {.warc = warc, .exchange = exchange, .spool = -1};
    draft.desk = warc_desk_take(warc);
    if (draft.desk == NULL)
        return UV_ENOMEM;
    int err = write_records(&draft);
    if (err == 0 && warc->packed)
        err = pack_both(&draft);
    else if (err == 0)
        lay_out(&draft);
    if (err == 0)
        err = append(&draft);
    if (draft.spool >= 0)
        close(draft.spool);
    warc_desk_give(warc, draft.desk);
    return err;
}
