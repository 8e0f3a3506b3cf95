/* What we accept, http-parser accepts as well, and understands it as we do: the method, the target,
 * each field, the length of the body, and whether the connection is kept.
 * links: http_parser
 *
 * The other way round it does not hold: http-parser lets through what we are there to refuse. And
 * it differs in these, each of them its own narrowness:
 * - it knows a list of methods, and no others;
 * - a name that only begins with Transfer-Encoding is that to it, and has to end with chunked;
 * - a tab behind the value of a Connection, Content-Length or Transfer-Encoding is no blank to it;
 * - it does not find an option of Connection behind an empty one ("a,,close"), behind one that is
 *   no token, or behind the beginning of one that it knows ("keep,close");
 * - in HTTP/1.0 keep-alive wins over close; here close does;
 * - it takes Proxy-Connection for Connection. */
#define http_parser our_http_parser /* both have one */
#include "../http/readings.h"
#undef http_parser
#include <http_parser.h>
#include <stdint.h>
#include <stdio.h>

#define CHECK(holds)                                                                               \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            fprintf(stderr, "http_differential.c:%d: %s\n", __LINE__, #holds);                     \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* What http-parser told. The head comes in one piece, so each text does. */
struct peer {
    http_parser parser;
    struct weft_text target;
    struct weft_http_field fields[READING_FIELDS];
    size_t names, values;
    bool complete, keep_alive;
    uint64_t content_length;
};

static int on_url(http_parser *parser, const char *data, size_t size)
{
    struct peer *peer = parser->data;
    CHECK(peer->target.data == NULL);
    peer->target = weft_text(data, size);
    return 0;
}

static int on_name(http_parser *parser, const char *data, size_t size)
{
    struct peer *peer = parser->data;
    CHECK(peer->names == peer->values && peer->names < READING_FIELDS);
    peer->fields[peer->names++].name = weft_text(data, size);
    return 0;
}

static int on_value(http_parser *parser, const char *data, size_t size)
{
    struct peer *peer = parser->data;
    CHECK(peer->values + 1 == peer->names);
    peer->fields[peer->values++].value = weft_text(data, size);
    return 0;
}

static int on_head(http_parser *parser)
{
    struct peer *peer = parser->data;
    peer->complete = true;
    peer->keep_alive = http_should_keep_alive(parser) != 0;
    peer->content_length = parser->content_length;
    return 0;
}

static void peer_read(struct peer *peer, const char *bytes, size_t size)
{
    static const http_parser_settings settings = {.on_url = on_url,
                                                  .on_header_field = on_name,
                                                  .on_header_value = on_value,
                                                  .on_headers_complete = on_head};
    memset(peer, 0, sizeof *peer);
    peer->parser.data = peer;
    http_parser_init(&peer->parser, HTTP_REQUEST);
    size_t used = http_parser_execute(&peer->parser, &settings, bytes, size);
    peer->complete = peer->complete && used == size && HTTP_PARSER_ERRNO(&peer->parser) == HPE_OK;
}

/* ---- the differences that are known --------------------------------------------------------- */

/* Is there a tab behind the value, in the line it stands in? */
static bool tab_behind(struct weft_text value)
{
    const char *at = value.data + value.size;
    while (*at == ' ')
        at++;
    return *at == '\t';
}

static bool plain_option(struct weft_text option)
{
    static const char token[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-";
    static const char *const known[] = {"keep-alive", "close", "upgrade"};
    size_t size = 0;
    while (size < option.size && strchr(token, option.data[size]) != NULL)
        size++;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (size < strlen(known[i]) && weft_text_same(option, weft_text(known[i], size)))
            return false;
    }
    return size == option.size;
}

/* Are the Connection fields such that both see the same in them? */
static bool comparable_connection(const struct weft_http_head *head)
{
    bool keep_alive = false;
    size_t at = 0;
    const struct weft_http_field *field;
    if (weft_http_head_get(head, "Proxy-Connection").data != NULL)
        return false;
    while ((field = weft_http_head_next(head, "Connection", &at)) != NULL) {
        struct weft_text rest = field->value;
        if (memchr(rest.data, '\t', rest.size) != NULL || tab_behind(rest))
            return false;
        while (rest.data != NULL) {
            struct weft_text option = weft_text_trim(weft_text_cut(&rest, ','));
            if (!plain_option(option))
                return false;
            keep_alive |= weft_text_same(option, weft_text_of("keep-alive"));
        }
    }
    return head->minor > 0 || head->keep_alive || !keep_alive;
}

static bool longer_encoding(const struct weft_http_head *head)
{
    struct weft_text encoding = weft_text_of("Transfer-Encoding");
    for (size_t i = 0; i < head->count; i++) {
        struct weft_text name = head->fields[i].name;
        if (name.size > encoding.size &&
            weft_text_same(weft_text(name.data, encoding.size), encoding))
            return true;
    }
    return false;
}

static bool known_refusal(const struct weft_http_head *head, const http_parser *parser)
{
    struct weft_text length = weft_http_head_get(head, "Content-Length");
    struct weft_text coding = weft_http_head_get(head, "Transfer-Encoding");
    if (HTTP_PARSER_ERRNO(parser) == HPE_INVALID_METHOD)
        return head->method == WEFT_HTTP_OTHER;
    return longer_encoding(head) || (length.data != NULL && tab_behind(length)) ||
           (coding.data != NULL && tab_behind(coding));
}

/* ---- the comparison ------------------------------------------------------------------------- */

static void compare_fields(const struct weft_http_head *head, const struct peer *peer)
{
    CHECK(peer->names == head->count && peer->values == head->count);
    for (size_t i = 0; i < head->count; i++) {
        CHECK(weft_text_equal(peer->fields[i].name, head->fields[i].name));
        CHECK(weft_text_equal(weft_text_trim(peer->fields[i].value), head->fields[i].value));
    }
}

static void compare(const struct weft_http_head *head, const struct peer *peer)
{
    const http_parser *parser = &peer->parser;
    struct weft_text coding = weft_http_head_get(head, "Transfer-Encoding");
    CHECK(weft_text_is(head->method_text, http_method_str((enum http_method)parser->method)));
    CHECK(weft_text_equal(head->target, peer->target));
    CHECK(parser->http_major == 1 && parser->http_minor == head->minor);
    compare_fields(head, peer);
    CHECK(peer->content_length == (head->has_length ? head->content_length : UINT64_MAX));
    if (coding.data == NULL || !tab_behind(coding))
        CHECK(!!(parser->flags & F_CHUNKED) == head->chunked);
    if (comparable_connection(head))
        CHECK(peer->keep_alive == head->keep_alive);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct reading r;
    struct peer peer;
    reading_begin(&r);
    if (reading_go_on(&r, (const char *)data, size) == HTTP_DONE) {
        peer_read(&peer, r.block, r.parser.line);
        if (peer.complete)
            compare(&r.parser.head, &peer);
        else
            CHECK(known_refusal(&r.parser.head, &peer.parser));
    }
    reading_end(&r);
    return 0;
}
