/* Any text as a URL, and, behind a first line that is one, as a link on it. It is refused and
 * leaves nothing, or its parts lie in order within its text, which parses to itself and is all
 * visible ASCII; also without its fragment, and without user and password. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>
#include <weft/url.h>

#define CHECK(holds)                                                                               \
    do {                                                                                           \
        if (!(holds))                                                                              \
            abort();                                                                               \
    } while (0)

static void check_parses_to_itself(const struct weft_url *url)
{
    struct weft_url again = {0};
    CHECK(weft_url_parse(&again, url->href, NULL) == 0);
    CHECK(weft_text_equal(again.href, url->href));
    CHECK(again.scheme_end == url->scheme_end && again.user_begin == url->user_begin);
    CHECK(again.user_end == url->user_end && again.host_begin == url->host_begin);
    CHECK(again.host_end == url->host_end && again.path_begin == url->path_begin);
    CHECK(again.query_begin == url->query_begin && again.fragment_begin == url->fragment_begin);
    CHECK(again.port == url->port && again.kind == url->kind);
    CHECK(again.has_host == url->has_host && again.opaque == url->opaque);
    weft_url_free(&again);
}

static void check_offsets(const struct weft_url *url)
{
    CHECK(0 < url->scheme_end && url->scheme_end < url->user_begin);
    CHECK(url->user_begin <= url->user_end && url->user_end <= url->host_begin);
    CHECK(url->host_begin <= url->host_end && url->host_end <= url->path_begin);
    CHECK(url->path_begin <= url->query_begin && url->query_begin <= url->fragment_begin);
    CHECK(url->fragment_begin <= url->href.size && url->href.size <= WEFT_URL_MAX);
    CHECK(url->href.data[url->scheme_end] == ':' && url->href.data[url->href.size] == '\0');
}

/* Blanks are left only in opaque paths. */
static void check_bytes(const struct weft_url *url)
{
    for (size_t i = 0; i < url->href.size; i++)
        CHECK(url->href.data[i] > ' ' && url->href.data[i] < 0x7f
                  ? true
                  : url->opaque && url->href.data[i] == ' ');
}

static void check_piece(const struct weft_url *url, struct weft_text piece)
{
    if (piece.size == 0)
        return;
    CHECK(piece.data >= url->href.data);
    CHECK(piece.data + piece.size <= url->href.data + url->href.size);
}

static void check_pieces(const struct weft_url *url)
{
    char origin[256];
    check_piece(url, weft_url_protocol(url));
    check_piece(url, weft_url_username(url));
    check_piece(url, weft_url_password(url));
    check_piece(url, weft_url_host(url));
    check_piece(url, weft_url_hostname(url));
    check_piece(url, weft_url_port(url));
    check_piece(url, weft_url_pathname(url));
    check_piece(url, weft_url_search(url));
    check_piece(url, weft_url_query(url));
    check_piece(url, weft_url_target(url));
    check_piece(url, weft_url_hash(url));
    CHECK((weft_url_port(url).size > 0) == (url->port >= 0));
    CHECK(url->kind == WEFT_URL_OTHER || url->kind == WEFT_URL_FILE ||
          weft_url_hostname(url).size > 0);
    int err = weft_url_origin(url, origin, sizeof origin, NULL);
    CHECK(err == 0 || err == UV_ENOBUFS);
}

static bool check(struct weft_url *url, struct weft_text text, const struct weft_url *base)
{
    int err = weft_url_parse(url, text, base);
    if (err != 0) {
        CHECK(err == UV_EINVAL || err == UV_E2BIG);
        CHECK(url->href.size == 0);
        return false;
    }
    check_offsets(url);
    check_bytes(url);
    check_pieces(url);
    check_parses_to_itself(url);
    return true;
}

static void check_less(const struct weft_url *url)
{
    struct weft_url less = {0};
    CHECK(weft_url_copy(&less, url) == 0);
    weft_url_drop_fragment(&less);
    check_parses_to_itself(&less);
    weft_url_drop_credentials(&less);
    check_parses_to_itself(&less);
    weft_url_free(&less);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weft_url url = {0}, base = {0};
    struct weft_text text = {(const char *)data, size};
    if (check(&url, text, NULL))
        check_less(&url);
    const char *end = size > 0 ? memchr(data, '\n', size) : NULL;
    if (end != NULL) {
        size_t first = (size_t)(end - text.data);
        if (check(&base, weft_text(text.data, first), NULL) &&
            check(&url, weft_text(end + 1, size - first - 1), &base))
            check_less(&url);
    }
    weft_url_free(&url);
    weft_url_free(&base);
    return 0;
}
