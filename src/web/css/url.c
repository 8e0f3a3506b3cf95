/* The URL that is being read, in a buffer that grows up to the limit and is used again for the
 * next. One that nobody wants (it is in a string that is no link, or names a namespace) goes the
 * same way through the scanner and leaves nothing here. One that is too long is forgotten, but read
 * on to its end, so that what follows is seen as it should be. */
#include "css.h"
#include "web/octets.h"
#include <uv.h>
#include <weft/alloc.h>

enum { ROOM_MIN = 256 };

void weft__css_url_begin(struct weft_css *css, uint64_t start, char quote)
{
    css->url_size_ = 0;
    css->too_long_ = false;
    css->start_ = start;
    css->quote_ = quote;
}

static bool make_room(struct weft_css *css, size_t size)
{
    size_t room = css->url_room_ > 0 ? css->url_room_ : ROOM_MIN;
    if (size <= css->url_room_)
        return true;
    while (room < size)
        room *= 2;
    char *url = weft_realloc(css->url_, room);
    if (url == NULL) {
        css->status_ = UV_ENOMEM;
        return false;
    }
    css->url_ = url;
    css->url_room_ = room;
    return true;
}

void weft__css_url_put(struct weft_css *css, const char *data, size_t size)
{
    if (!css->wanted_ || css->too_long_ || size == 0)
        return;
    if (size > WEFT_CSS_URL_MAX - css->url_size_) {
        css->too_long_ = true;
        return;
    }
    if (!make_room(css, css->url_size_ + size))
        return;
    memcpy(css->url_ + css->url_size_, data, size);
    css->url_size_ += size;
}

void weft__css_url_put_code(struct weft_css *css, uint32_t code)
{
    char utf8[4];
    weft__css_url_put(css, utf8, octets_utf8(utf8, code));
}

void weft__css_url_end(struct weft_css *css, uint64_t end)
{
    if (!css->wanted_ || css->too_long_ || css->url_size_ == 0)
        return;
    struct weft_css_url url = {
        .url = weft_text(css->url_, css->url_size_),
        .import = css->import_,
        .quote = css->quote_,
        .start = css->start_,
        .end = end,
    };
    if (css->on_url != NULL)
        css->on_url(css, &url, css->context);
}
