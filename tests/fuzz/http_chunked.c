/* Two bytes that say where to cut, then a body in chunks: whole, cut there and byte by byte it is
 * the same body with the same end. What we accept, http-parser understands as we do; it only minds
 * some trailers that we do not look into (Content-Length, Transfer-Encoding).
 * links: http_parser */
#define http_parser our_http_parser /* both have one */
#include "../http/decodings.h"
#undef http_parser
#include <http_parser.h>
#include <stdint.h>
#include <stdio.h>

#define CHECK(holds)                                                                               \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            fprintf(stderr, "http_chunked.c:%d: %s\n", __LINE__, #holds);                          \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

struct peer {
    http_parser parser;
    char body[sizeof((struct decoding *)NULL)->body];
    size_t size;
    unsigned complete;
};

static int on_body(http_parser *parser, const char *data, size_t size)
{
    struct peer *peer = parser->data;
    CHECK(size <= sizeof peer->body - peer->size);
    memcpy(peer->body + peer->size, data, size);
    peer->size += size;
    return 0;
}

static int on_complete(http_parser *parser)
{
    struct peer *peer = parser->data;
    peer->complete++;
    return 0;
}

static bool peer_takes(struct peer *peer, const char *bytes, size_t size)
{
    static const http_parser_settings settings = {.on_body = on_body,
                                                  .on_message_complete = on_complete};
    return http_parser_execute(&peer->parser, &settings, bytes, size) == size;
}

/* The body ends with the last of these bytes and not before. */
static void compare(const struct decoding *ours, const char *bytes, size_t size)
{
    static struct peer peer;
    memset(&peer, 0, sizeof peer);
    peer.parser.data = &peer;
    http_parser_init(&peer.parser, HTTP_REQUEST);
    CHECK(peer_takes(&peer, BYTES("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")));
    if (!peer_takes(&peer, bytes, size - 1)) {
        CHECK(peer.parser.flags & F_TRAILING);
        return;
    }
    CHECK(peer.complete == 0);
    CHECK(peer_takes(&peer, bytes + size - 1, 1) && peer.complete == 1);
    CHECK(peer.size == ours->size && memcmp(peer.body, ours->body, ours->size) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct decoding whole;
    if (size < 2 || size > sizeof whole.body)
        return 0;
    size_t first = data[0], second = data[1];
    const char *bytes = (const char *)data + 2;
    size -= 2;
    decoding_begin(&whole);
    decoding_go_on(&whole, bytes, size);
    CHECK(whole.status == HTTP_MORE || whole.status == HTTP_DONE || whole.status == -400);
    CHECK(whole.status != HTTP_MORE || whole.used == size);
    CHECK(same_body_in_two(&whole, bytes, size, first < size ? first : size));
    CHECK(same_body_in_two(&whole, bytes, size, second < size ? size - second : size));
    CHECK(same_body_byte_by_byte(&whole, bytes, size));
    if (whole.status == HTTP_DONE)
        compare(&whole, bytes, whole.used);
    return 0;
}
