/* The origin: what two URLs have in common whose pages may look into each other. */
#include "parser.h"

static bool has_origin(const struct weft_url *url)
{
    return url->kind != WEFT_URL_OTHER && url->kind != WEFT_URL_FILE;
}

static int put(struct weft_text one, struct weft_text two, char *buffer, size_t size,
               struct weft_text *origin)
{
    if (one.size + two.size >= size)
        return UV_ENOBUFS;
    memcpy(buffer, one.data, one.size);
    memcpy(buffer + one.size, two.data, two.size);
    buffer[one.size + two.size] = '\0';
    *origin = weft_text(buffer, one.size + two.size);
    return 0;
}

static int put_origin(const struct weft_url *url, char *buffer, size_t size,
                      struct weft_text *origin)
{
    if (url == NULL || !has_origin(url))
        return put(weft_text_of("null"), weft_text_of(""), buffer, size, origin);
    struct weft_text scheme = weft_text(url->href.data, url->user_begin);
    return put(scheme, weft_url_host(url), buffer, size, origin);
}

/* Only that of a page, as the standard has it: not that of another blob. */
static int put_blob_origin(const struct weft_url *blob, char *buffer, size_t size,
                           struct weft_text *origin)
{
    struct weft_url page = {0};
    int err = weft_url_parse(&page, weft_url_pathname(blob), NULL);
    if (err == 0 || err == UV_EINVAL)
        err = put_origin(weft_url_is_http(&page) ? &page : NULL, buffer, size, origin);
    weft_url_free(&page);
    return err;
}

int weft_url_origin(const struct weft_url *url, char *buffer, size_t size, struct weft_text *origin)
{
    struct weft_text made = {buffer, 0};
    int err = weft_text_is(weft_url_scheme(url), "blob") ? put_blob_origin(url, buffer, size, &made)
                                                         : put_origin(url, buffer, size, &made);
    if (err != 0 && size > 0)
        buffer[0] = '\0';
    if (origin != NULL)
        *origin = made;
    return err;
}
