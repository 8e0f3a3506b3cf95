/* A byte that says how much is allowed and how the answer is taken, then lines of heads as curl
 * would give them. Whatever they are: what is read is bounded, each field is one and lies within
 * the block, an answer that was told does not change any more, and where a redirect leads to can
 * be read as a URL again, and is the same with curl and without it. */
#include "http/client/client.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <weft/alloc.h>
#include <weft/error.h>
#include <weft/http_message.h>

static void require(bool condition)
{
    if (!condition)
        abort();
}

static bool inside(struct weft_text piece, const struct weft_http_fetch *fetch)
{
    return piece.size == 0 || (piece.data >= fetch->head_ &&
                               piece.data + piece.size <= fetch->head_ + fetch->head_size_);
}

static void check_fields(const struct weft_http_fetch *fetch)
{
    for (size_t i = 0; i < fetch->answer_count; i++) {
        const struct weft_http_field *field = &fetch->answer[i];
        char name[64];
        size_t at = 0;
        require(inside(field->name, fetch) && inside(field->value, fetch));
        require(weft_http_name_ok(field->name) && weft_http_value_ok(field->value));
        if (field->name.size >= sizeof name)
            continue;
        memcpy(name, field->name.data, field->name.size);
        name[field->name.size] = '\0';
        while (weft_http_fetch_next(fetch, name, &at) != field)
            require(at < fetch->answer_count);
    }
}

/* It is absolute, has nothing in it that would end a request line, and is a URL to curl too. */
static void check_location(const char *location)
{
    CURLU *url = curl_url();
    require(strchr(location, ':') != NULL);
    for (const char *c = location; *c != '\0'; c++)
        require((unsigned char)*c > ' ' && *c != 0x7f);
    require(url != NULL && (!weft__http_is_web(location) ||
                            curl_url_set(url, CURLUPART_URL, location, 0) == CURLUE_OK));
    curl_url_cleanup(url);
}

/* What is resolved without curl is what curl makes of it. */
static void check_plain(struct weft_http_fetch *fetch, const char *base)
{
    struct weft_text value = weft_http_fetch_get(fetch, "Location");
    char *location = strndup(value.data, value.size), *absolute = NULL;
    require(location != NULL);
    if (weft__http_location(base, location, &absolute) == 1)
        require(fetch->location != NULL && strcmp(fetch->location, absolute) == 0);
    weft_free(absolute);
    free(location);
}

static void check_redirect(struct weft_http_fetch *fetch, const char *base)
{
    require(weft__http_curl_load(NULL) == 0);
    struct weft_http_handle handle = {.url = curl_url()};
    require(handle.url != NULL && curl_url_set(handle.url, CURLUPART_URL, base, 0) == CURLUE_OK);
    fetch->handle_ = &handle;
    require(weft__http_redirect_find(fetch) == 0);
    if (fetch->location != NULL)
        check_location(fetch->location);
    if (weft_http_fetch_get(fetch, "Location").size > 0)
        check_plain(fetch, base);
    fetch->handle_ = NULL;
    curl_url_cleanup(handle.url);
}

/* One line in a block of its own. */
static int read_line(struct weft_http_fetch *fetch, const uint8_t *line, size_t size, size_t most)
{
    char *block = malloc(size);
    require(block != NULL);
    memcpy(block, line, size);
    int status = fetch->status;
    size_t count = fetch->answer_count;
    int read = weft__http_head_read(fetch, weft_text(block, size), most);
    free(block);
    require(read == HEAD_GOES_ON || read == HEAD_BEGUN || read == HEAD_ENDED || read == UV_EFBIG ||
            read == WEFT_EHTTP);
    require(fetch->head_total_ <= most && fetch->head_size_ <= fetch->head_room_);
    require(fetch->head_room_ <= 512 || fetch->head_room_ < 4 * most);
    require(!fetch->told_ ||
            (read <= 0 && status == fetch->status && count == fetch->answer_count));
    return read;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weft_http_fetch fetch = {0};
    if (size < 1)
        return 0;
    size_t most = data[0] & 1 ? 200 : WEFT_FETCH_HEADER_MAX;
    bool first_counts = data[0] & 2;
    int read = 0;
    for (size_t at = 1; at < size && read >= 0;) {
        const uint8_t *end = memchr(data + at, '\n', size - at);
        size_t length = end != NULL ? (size_t)(end + 1 - (data + at)) : size - at;
        read = read_line(&fetch, data + at, length, most);
        at += length;
        require(read != HEAD_BEGUN || (fetch.status >= 100 && fetch.status <= 999));
        if (read != HEAD_ENDED)
            continue;
        require(fetch.status >= 200 || fetch.status == 101);
        check_fields(&fetch);
        check_redirect(&fetch, "http://a.test:81/b/c?d#e");
        check_redirect(&fetch, "http://a.test/b/c/d?e");
        fetch.told_ = first_counts;
    }
    weft_http_fetch_free(&fetch);
    return 0;
}
