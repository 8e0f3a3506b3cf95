/* The head of a request, read strictly (RFC 9112): what two readers could understand differently is
 * refused, for that is what request smuggling is made of.
 *
 * The bytes are searched for the first control character, tabs aside. It has to be the CR of a
 * CRLF: so a bare CR or LF, a NUL or the first byte of a TLS handshake is refused as soon as it is
 * seen, and a line that is complete has none of them. `scanned` is how far that search came; a line
 * is taken apart once, when its end is there. So the work is linear however small the pieces are,
 * and the answer depends on the bytes alone and not on how they were cut. For the same reason a
 * line is measured before it is looked at: it is too long as soon as it is certain to be.
 *
 * Behind a line there is always its CR, which is part of nothing: what is made of bytes of a kind
 * (http_span) ends there at the latest and needs no other bound.
 *
 *     START    one empty line may come first (RFC 9112, 2.2)
 *     REQUEST  it came: the request line is next
 *     FIELDS   up to the empty line
 *
 * Where the RFCs leave a choice:
 * - Host is there exactly once in HTTP/1.1, and names the host of the request unless the target
 *   does. It may be empty only if the target does, or in HTTP/1.0: a URI of http without a host is
 *   invalid (RFC 9110, 4.2.1).
 * - Content-Length comes once and is one number: equal ones are not merged.
 * - Transfer-Encoding comes once, never in HTTP/1.0, never beside a Content-Length, and is
 *   "chunked". Other codings in front of that are known to the RFC but not to us: 501. If chunked
 *   is not the last, or has parameters, or comes twice, nobody knows where the body ends: 400.
 * - A minor version above 1 is read as 1 is.
 * - An Expect that nobody waits for, in HTTP/1.0 or without a body, is passed over. */
#include "parse.h"
#include "chars.h"
#include "number.h"
#include "target.h"

enum { START, REQUEST, FIELDS };

enum { SEEN_HOST = 1, SEEN_TARGET_HOST = 2, SEEN_CLOSE = 4, SEEN_KEEP_ALIVE = 8, SEEN_EXPECT = 16 };

enum { METHOD_MAX = 32, VERSION_SIZE = 9 /* with the space in front of it */ };

/* ---- the end of a line ---------------------------------------------------------------------- */

#define EACH_BYTE(byte) (UINT64_MAX / 255 * (byte))

/* Eight bytes as a number, the first one lowest. */
static inline uint64_t load(const char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* The top bit of each byte that is below 0x20, or 0x7f. With one added these are 1 to 0x20 and
 * 0x80: no sum here is too large for its byte. */
static inline uint64_t controls(uint64_t word)
{
    uint64_t next = (word & EACH_BYTE(0x7f)) + EACH_BYTE(1);
    return (~(next + EACH_BYTE(0x5f)) | next) & ~word & EACH_BYTE(0x80);
}

/* The first control character from at on; size: there is none. */
static inline size_t find_control(const char *data, size_t at, size_t size)
{
    while (size - at >= 8) {
        uint64_t found = controls(load(data + at));
        if (found == 0) {
            at += 8;
            continue;
        }
        at += (size_t)__builtin_ctzll(found) / 8;
        if (data[at] != '\t')
            return at;
        at++;
    }
    while (at < size && http_char(data[at], HTTP_VALUE))
        at++;
    return at;
}

static int too_long(const struct http_parser *parser, const struct http_limits *limits, size_t end)
{
    if (parser->state != FIELDS && end - parser->line > limits->line)
        return -414;
    return end + 2 > limits->head ? -431 : 0;
}

/* ---- the request line ----------------------------------------------------------------------- */

/* By its exact letters; the frequent ones first. There are eight bytes behind text at least. */
static enum weft_http_method method_of(const char *text, size_t size)
{
    static const struct {
        char name[8];
        enum weft_http_method method;
    } known[] = {
        {"GET", WEFT_HTTP_GET},     {"POST", WEFT_HTTP_POST},     {"HEAD", WEFT_HTTP_HEAD},
        {"PUT", WEFT_HTTP_PUT},     {"DELETE", WEFT_HTTP_DELETE}, {"OPTIONS", WEFT_HTTP_OPTIONS},
        {"PATCH", WEFT_HTTP_PATCH}, {"TRACE", WEFT_HTTP_TRACE},   {"CONNECT", WEFT_HTTP_CONNECT},
    };
    if (size >= sizeof known[0].name)
        return WEFT_HTTP_OTHER;
    uint64_t name = load(text) & ~(UINT64_MAX << size * 8);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (name == load(known[i].name))
            return known[i].method;
    }
    return WEFT_HTTP_OTHER;
}

/* " HTTP/1.x" */
static inline int version(struct weft_http_head *head, const char *text)
{
    if (memcmp(text, " HTTP/", 6) != 0 || !http_char(text[6], HTTP_DIGIT) || text[7] != '.' ||
        !http_char(text[8], HTTP_DIGIT))
        return -400;
    head->minor = (unsigned)(text[8] - '0');
    return text[6] == '1' ? 0 : -505;
}

static int request_line(struct http_parser *parser, const char *line, size_t size)
{
    struct weft_http_head *head = &parser->head;
    size_t method = http_span(line, HTTP_TOKEN);
    if (method == 0 || method > METHOD_MAX || size < method + 2 + VERSION_SIZE ||
        line[method] != ' ')
        return -400;
    int status = version(head, line + size - VERSION_SIZE);
    if (status != 0)
        return status;
    head->method = method_of(line, method);
    head->method_text = weft_text(line, method);
    head->target = weft_text(line + method + 1, size - method - 1 - VERSION_SIZE);
    if (!weft__http_target(head))
        return -400;
    if (head->host.size > 0)
        parser->seen |= SEEN_TARGET_HOST;
    return 0;
}

/* ---- the fields that mean something here ---------------------------------------------------- */

static int host_field(struct http_parser *parser, struct weft_text value)
{
    if (parser->seen & SEEN_HOST || (value.size > 0 && !weft__http_host(value)))
        return -400;
    parser->seen |= SEEN_HOST;
    if (!(parser->seen & SEEN_TARGET_HOST))
        parser->head.host = value;
    return 0;
}

static int length_field(struct weft_http_head *head, struct weft_text value)
{
    if (head->has_length || number_parse(value, INT64_MAX, &head->content_length) != 0)
        return -400;
    head->has_length = true;
    return 0;
}

/* Why this is not just "chunked": 501 if it is codings we do not know and chunked behind them. */
static int other_codings(struct weft_text value)
{
    struct weft_text rest = value, chunked = weft_text_of("chunked");
    while (rest.data != NULL) {
        struct weft_text coding = weft_text_trim(weft_text_cut(&rest, ','));
        struct weft_text parameters = coding;
        struct weft_text name = weft_text_trim(weft_text_cut(&parameters, ';'));
        if (name.size == 0)
            return -400;
        for (size_t i = 0; i < name.size; i++) {
            if (!http_char(name.data[i], HTTP_TOKEN))
                return -400;
        }
        bool last = rest.data == NULL;
        if (last != weft_text_same(name, chunked) || (last && coding.size != chunked.size))
            return -400;
    }
    return -501;
}

static int encoding_field(struct weft_http_head *head, struct weft_text value)
{
    if (head->chunked || head->minor == 0)
        return -400;
    if (!weft_text_same(value, weft_text_of("chunked")))
        return other_codings(value);
    head->chunked = true;
    return 0;
}

static int connection_field(struct http_parser *parser, struct weft_text value)
{
    struct weft_text rest = value;
    while (rest.data != NULL) {
        struct weft_text option = weft_text_trim(weft_text_cut(&rest, ','));
        if (weft_text_same(option, weft_text_of("close")))
            parser->seen |= SEEN_CLOSE;
        else if (weft_text_same(option, weft_text_of("keep-alive")))
            parser->seen |= SEEN_KEEP_ALIVE;
    }
    return 0;
}

static int expect_field(struct http_parser *parser, struct weft_text value)
{
    parser->seen |= SEEN_EXPECT;
    return weft_text_same(value, weft_text_of("100-continue")) ? 0 : -417;
}

/* ---- all fields ----------------------------------------------------------------------------- */

/* Is the name this one? wanted is in lower case and as long as the name. A byte of a name that
 * differs from a letter or '-' in the bit 0x20 alone is the same letter. */
static inline bool named(const char *name, const char *wanted, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if ((name[i] | 0x20) != wanted[i])
            return false;
    }
    return true;
}

static int meaning(struct http_parser *parser, const struct weft_http_field *field)
{
    const char *name = field->name.data;
    switch (field->name.size) {
    case 4:
        return named(name, "host", 4) ? host_field(parser, field->value) : 0;
    case 6:
        return named(name, "expect", 6) ? expect_field(parser, field->value) : 0;
    case 10:
        return named(name, "connection", 10) ? connection_field(parser, field->value) : 0;
    case 14:
        return named(name, "content-length", 14) ? length_field(&parser->head, field->value) : 0;
    case 17:
        return named(name, "transfer-encoding", 17) ? encoding_field(&parser->head, field->value)
                                                    : 0;
    default:
        return 0;
    }
}

/* A line that begins with a blank (obs-fold), and a blank before the colon, are no names. */
static int field_line(struct http_parser *parser, const char *line, size_t size)
{
    if (parser->head.count == parser->capacity)
        return -431;
    size_t name = http_span(line, HTTP_TOKEN);
    if (name == 0 || line[name] != ':')
        return -400;
    struct weft_http_field *field = &parser->fields[parser->head.count++];
    field->name = weft_text(line, name);
    field->value = weft_text_trim(weft_text(line + name + 1, size - name - 1));
    return meaning(parser, field);
}

/* ---- the whole ------------------------------------------------------------------------------ */

/* The empty line is there: do the fields agree with each other? */
static int finish(struct http_parser *parser)
{
    struct weft_http_head *head = &parser->head;
    bool body = head->chunked || head->content_length > 0;
    if (head->minor > 0 && (!(parser->seen & SEEN_HOST) || head->host.size == 0))
        return -400;
    if (head->chunked && head->has_length)
        return -400;
    head->fields = parser->fields;
    head->keep_alive =
        !(parser->seen & SEEN_CLOSE) && (head->minor > 0 || parser->seen & SEEN_KEEP_ALIVE);
    head->expects_continue = parser->seen & SEEN_EXPECT && head->minor > 0 && body;
    return HTTP_DONE;
}

/* The line from parser->line to end is complete. */
static int take_line(struct http_parser *parser, const char *data, size_t end)
{
    const char *line = data + parser->line;
    size_t size = end - parser->line;
    unsigned state = parser->state;
    parser->line = parser->scanned = end + 2;
    if (state == FIELDS)
        return size == 0 ? finish(parser) : field_line(parser, line, size);
    if (state == START && size == 0) {
        parser->state = REQUEST;
        return HTTP_MORE;
    }
    parser->state = FIELDS;
    return request_line(parser, line, size);
}

void weft__http_parse_begin(struct http_parser *parser)
{
    memset(&parser->head, 0, sizeof parser->head);
    parser->line = parser->scanned = 0;
    parser->state = START;
    parser->seen = 0;
}

int weft__http_parse(struct http_parser *parser, const struct http_limits *limits, const char *data,
                     size_t size)
{
    int status;
    do {
        size_t end = find_control(data, parser->scanned, size);
        parser->scanned = end;
        status = too_long(parser, limits, end);
        if (status != 0 || end == size)
            return status;
        if (data[end] != '\r')
            return -400;
        if (end + 1 == size)
            return HTTP_MORE;
        if (data[end + 1] != '\n')
            return -400;
        status = take_line(parser, data, end);
    } while (status == HTTP_MORE);
    return status;
}

static void move(struct weft_text *text, const char *from, const char *to)
{
    if (text->data != NULL && text->data != weft__http_root)
        text->data = to + (text->data - from);
}

void weft__http_parse_moved(struct http_parser *parser, const char *from, const char *to)
{
    struct weft_http_head *head = &parser->head;
    move(&head->method_text, from, to);
    move(&head->target, from, to);
    move(&head->path, from, to);
    move(&head->query, from, to);
    move(&head->host, from, to);
    for (size_t i = 0; i < head->count; i++) {
        move(&parser->fields[i].name, from, to);
        move(&parser->fields[i].value, from, to);
    }
}
