/* The answer: bytes in, lines of a head and pieces of a body out, which go to the same functions
 * that curl's do (fetch_head.c, fetch_body.c).
 *
 *     HEAD ──► LENGTH, CHUNKS or TO_THE_END ──► done
 *      ▲ 1xx     │ no body: done at once
 *      └┘
 *
 * Where a body ends: nowhere for HEAD, 204 and 304; else with its last chunk, else after so many
 * bytes, else with the connection. All lengths of a head are the same number, that was checked
 * before (fetch_lines.c). What could be read in two ways is refused.
 *
 * A piece goes through two hands: what is packed is unpacked (packed, plain), and what is plain is
 * taken, or, if the caller pauses, stays where it is until it is. Nothing is moved in between: both
 * point into the buffer, or into the one who unpacks.
 *
 * If a connection that was used before ends without a byte of an answer, the server has closed it
 * while our request was on its way: it is asked once more, over a fresh one. */
#include "direct.h"
#include "weft/error.h"
#include "weft/http_message.h"
#include <string.h>

static bool bad(struct weft_http_direct *direct, enum weft_http_fetch_detail detail)
{
    weft__http_fetch_decide(direct->fetch, WEFT_EHTTP, WEFT_FETCH_FAILED_PROTOCOL, detail);
    return false;
}

/* ---- what the head says --------------------------------------------------------------------- */

/* What of a head says how to read on, gathered in one go. */
struct facts {
    bool close, keep_alive, chunks, strange; /* strange: an encoding that we do not know */
    struct weft_text length;
    enum direct_coding coding;
};

static bool same(struct weft_text text, const char *word)
{
    return weft_text_same(text, weft_text_of(word));
}

static enum direct_coding coding_named(struct weft_text name)
{
    if (same(name, "gzip") || same(name, "x-gzip"))
        return CODING_GZIP;
    if (same(name, "deflate"))
        return CODING_DEFLATE;
    return name.size == 0 || same(name, "identity") ? CODING_NONE : CODING_UNKNOWN;
}

/* One coding; several on top of each other we do not know. */
static void note_coding(struct facts *facts, struct weft_text rest)
{
    while (rest.size > 0) {
        enum direct_coding one = coding_named(weft_text_trim(weft_text_cut(&rest, ',')));
        if (one != CODING_NONE)
            facts->coding = facts->coding == CODING_NONE ? one : CODING_UNKNOWN;
    }
}

static void note_connection(struct facts *facts, struct weft_text rest)
{
    while (rest.size > 0) {
        struct weft_text word = weft_text_trim(weft_text_cut(&rest, ','));
        facts->close |= same(word, "close");
        facts->keep_alive |= same(word, "keep-alive");
    }
}

static void note_field(struct facts *facts, const struct weft_http_field *field)
{
    switch (field->name.size) { /* most are none of these, and their size tells */
    case sizeof "Connection" - 1:
        if (same(field->name, "Connection"))
            note_connection(facts, field->value);
        break;
    case sizeof "Content-Length" - 1:
        if (same(field->name, "Content-Length"))
            facts->length = field->value;
        break;
    case sizeof "Content-Encoding" - 1:
        if (same(field->name, "Content-Encoding"))
            note_coding(facts, field->value);
        break;
    case sizeof "Transfer-Encoding" - 1:
        if (!same(field->name, "Transfer-Encoding"))
            break;
        facts->chunks |= same(field->value, "chunked");
        facts->strange |= !same(field->value, "chunked") && !same(field->value, "identity");
        break;
    default:
        break;
    }
}

/* It has digits only, and fits: the head was read. */
static uint64_t number_of(struct weft_text digits)
{
    uint64_t number = 0;
    for (size_t i = 0; i < digits.size; i++)
        number = number * 10 + (uint64_t)(digits.data[i] - '0');
    return number;
}

/* Servers send all sorts of trailers, and nobody ever looked: nor do we. */
static void begin_chunks(struct http_chunked *chunks)
{
    weft__http_chunked_begin(chunks);
    chunks->loose = true;
}

/* Are all lines made of what may be in a head? A field with a control character in it is left out
 * of the table, and another reader may see in it what we do not: so there must be none. */
static bool lines_ok(const struct weft_http_direct *direct)
{
    const struct weft_http_fetch *fetch = direct->fetch;
    struct weft_text rest = weft_text(fetch->head_, fetch->head_size_);
    if (direct->lines == fetch->answer_count)
        return true;
    while (rest.size > 0) {
        if (!weft_http_value_ok(weft_text_trim(weft_text_cut(&rest, '\n'))))
            return false;
    }
    return true;
}

static bool begin_body(struct weft_http_direct *direct)
{
    const struct weft_http_fetch *fetch = direct->fetch;
    struct facts facts = {.coding = CODING_NONE};
    for (size_t i = 0; i < fetch->answer_count; i++)
        note_field(&facts, &fetch->answer[i]);
    bool lasts = fetch->http_version >= 11 && !direct->old;
    direct->keep = !facts.close && (lasts || facts.keep_alive);
    direct->coding = fetch->accept_encoding != NULL ? facts.coding : CODING_NONE;
    direct->left = 0;
    if (fetch->http_version >= 20 || !lines_ok(direct))
        return bad(direct, WEFT_FETCH_NO_DETAIL);
    if (direct->is_head || fetch->status == 204 || fetch->status == 304) {
        direct->frame = FRAME_LENGTH;
    } else if (facts.strange) {
        return bad(direct, WEFT_FETCH_NO_DETAIL);
    } else if (facts.chunks) {
        direct->frame = FRAME_CHUNKS;
        begin_chunks(&direct->chunks);
    } else if (facts.length.data != NULL) {
        direct->frame = FRAME_LENGTH;
        direct->left = number_of(facts.length);
    } else {
        direct->frame = FRAME_TO_THE_END;
        direct->keep = false;
    }
    return true;
}

/* ---- the head ------------------------------------------------------------------------------- */

static struct weft_text unread(const struct direct_connection *connection)
{
    return weft_text(connection->buffer->data + connection->start,
                     connection->end - connection->start);
}

static size_t head_max(const struct weft_http_fetch *fetch)
{
    return fetch->client->header_max != 0 ? fetch->client->header_max : WEFT_FETCH_HEADER_MAX;
}

/* Can this be within a head? Fields have a colon, unless they go on with the one before. */
static bool line_ok(struct weft_text line)
{
    bool is_end = line.data[0] == '\n' || (line.size == 2 && line.data[0] == '\r');
    bool folded = line.data[0] == ' ' || line.data[0] == '\t';
    return memchr(line.data, '\0', line.size) == NULL &&
           (is_end || folded || memchr(line.data, ':', line.size) != NULL);
}

/* One line. false: it is not all there yet, or it is over. */
static bool read_head(struct weft_http_direct *direct)
{
    struct direct_connection *connection = direct->connection;
    struct weft_http_fetch *fetch = direct->fetch;
    struct weft_text line = unread(connection);
    bool open = fetch->head_open_;
    if (line.size == 0)
        return false;
    if (!open && memcmp(line.data, "HTTP/", line.size < 5 ? line.size : 5) != 0)
        return bad(direct, WEFT_FETCH_NO_DETAIL);
    const char *end = memchr(line.data, '\n', line.size);
    if (end == NULL && line.size > head_max(fetch)) {
        weft__http_fetch_decide(fetch, UV_EFBIG, WEFT_FETCH_FAILED_SIZE, WEFT_FETCH_LARGE_HEAD);
        return false;
    }
    if (end == NULL)
        return false;
    line.size = (size_t)(end + 1 - line.data);
    connection->start += line.size;
    direct->wire += line.size;
    if (open && !line_ok(line))
        return bad(direct, WEFT_FETCH_NO_DETAIL);
    weft__http_head_came(fetch, line);
    if (direct_ends(direct))
        return false;
    direct->lines = open ? direct->lines + (fetch->head_open_ && line.data[0] > ' ') : 0;
    return !open || fetch->head_open_ || fetch->status < 200 || begin_body(direct);
}

/* ---- the body ------------------------------------------------------------------------------- */

enum { BODY_GOES_ON, BODY_WAITS, BODY_ENDED, BODY_BAD };

/* The next piece of what is in the buffer. */
static int read_piece(struct weft_http_direct *direct, struct weft_text *piece)
{
    struct direct_connection *connection = direct->connection;
    struct weft_text bytes = unread(connection);
    size_t used = 0;
    int said = BODY_GOES_ON;
    *piece = bytes;
    if (direct->frame == FRAME_CHUNKS) {
        int read = weft__http_chunked(&direct->chunks, bytes.data, bytes.size, &used, piece);
        said = read == HTTP_MORE ? BODY_GOES_ON : read == HTTP_DONE ? BODY_ENDED : BODY_BAD;
    } else {
        if (direct->frame == FRAME_LENGTH && direct->left < bytes.size)
            piece->size = (size_t)direct->left;
        used = piece->size;
        direct->left -= direct->frame == FRAME_LENGTH ? used : 0;
        if (direct->frame == FRAME_LENGTH && used == 0 && direct->left == 0)
            said = BODY_ENDED;
    }
    connection->start += used;
    direct->wire += piece->size;
    direct->body += piece->size;
    return said == BODY_GOES_ON && used == 0 ? BODY_WAITS : said;
}

/* What is packed goes to the one who unpacks, what is not is plain. */
static bool take_piece(struct weft_http_direct *direct, struct weft_text piece)
{
    if (direct->coding == CODING_NONE || piece.size == 0 || direct->fetch->follows_) {
        direct->plain = piece;
        return true;
    }
    if (direct->coding == CODING_UNKNOWN)
        return bad(direct, WEFT_FETCH_BAD_ENCODING);
    if (direct->unpack == NULL)
        direct->unpack = weft__http_unpack_take(direct->engine, direct->coding);
    if (direct->unpack == NULL) {
        weft__http_fetch_decide(direct->fetch, UV_ENOMEM, WEFT_FETCH_FAILED_MEMORY,
                                WEFT_FETCH_NO_DETAIL);
        return false;
    }
    direct->packed = piece;
    return true;
}

static bool unpack_some(struct weft_http_direct *direct)
{
    int err = weft__http_unpack(direct->unpack, &direct->packed, &direct->plain);
    if (err == UV_ENOMEM)
        weft__http_fetch_decide(direct->fetch, err, WEFT_FETCH_FAILED_MEMORY, WEFT_FETCH_NO_DETAIL);
    else if (err != 0)
        return bad(direct, WEFT_FETCH_BAD_ENCODING);
    return err == 0;
}

static bool complete(struct weft_http_direct *direct)
{
    if (direct->unpack != NULL && !weft__http_unpack_ended(direct->unpack))
        return bad(direct, WEFT_FETCH_BAD_ENCODING);
    weft__http_direct_done(direct);
    return false;
}

/* Who takes it may pause; or wants no more, as of the long body of a redirect. */
static bool give_plain(struct weft_http_direct *direct)
{
    struct weft_http_fetch *fetch = direct->fetch;
    int said = weft__http_body_came(fetch, direct->plain.data, direct->plain.size);
    if (said == BODY_PAUSED) {
        weft__http_socket_want(direct->connection->sock, false);
        return false;
    }
    direct->plain.size = 0;
    if (said == BODY_NO_MORE && !direct_ends(direct)) {
        direct->keep = false;
        weft__http_direct_done(direct);
        return false;
    }
    return said == BODY_TAKEN && !direct_ends(direct);
}

/* One step with the body; *more: it waits for more bytes. */
static bool read_body(struct weft_http_direct *direct, bool *more)
{
    struct weft_text piece;
    if (direct->plain.size > 0)
        return give_plain(direct);
    if (direct->unpack != NULL && !weft__http_unpack_idle(direct->unpack, direct->packed))
        return unpack_some(direct);
    switch (read_piece(direct, &piece)) {
    case BODY_BAD:
        return bad(direct, WEFT_FETCH_NO_DETAIL);
    case BODY_ENDED:
        return complete(direct);
    case BODY_WAITS:
        *more = true;
        return false;
    default:
        return take_piece(direct, piece);
    }
}

bool weft__http_answer_work(struct weft_http_direct *direct)
{
    bool more = false;
    while (direct->frame == FRAME_HEAD) {
        if (!read_head(direct))
            return !direct_ends(direct);
    }
    while (read_body(direct, &more))
        ;
    return more;
}

/* ---- the end of the connection -------------------------------------------------------------- */

static void ask_again(struct weft_http_direct *direct)
{
    struct direct_connection *stale = direct->connection;
    direct->connection = NULL;
    direct->reused = direct->came = false;
    direct->fresh = true;
    direct->sent = 0;
    direct->broken = 0;
    weft__http_deadlines_phase(direct->fetch, PHASE_RESOLVE);
    weft__http_todo(direct->fetch);
    weft__http_connection_close(stale);
}

void weft__http_answer_end(struct weft_http_direct *direct, int error)
{
    if (!direct->came && direct->reused)
        ask_again(direct);
    else if (error != 0 || (!direct->came && direct->broken != 0))
        weft__http_fetch_decide(direct->fetch, error != 0 ? error : direct->broken,
                                WEFT_FETCH_FAILED_LOST, WEFT_FETCH_NO_DETAIL);
    else if (direct->frame == FRAME_TO_THE_END)
        complete(direct);
    else
        bad(direct, WEFT_FETCH_CUT_SHORT);
}
