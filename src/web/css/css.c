/* A style sheet as a row of tokens, of which only those around URLs are looked at.
 *
 *     ANY      between tokens
 *     NAME     a run of letters, digits, '-', '_', also '#' and '@' -> ANY, URL_START
 *     SLASH    a '/', perhaps of a comment                          -> COMMENT, COMMENT_STAR -> ANY
 *     LESS     a '<', perhaps of "<!--": LESS_BANG, LESS_BANG_DASH  -> ANY, NAME
 *     STRING   in quotes; a line's end makes it a bad one           -> ANY
 *     URL_START  behind "url(": blanks, then                        -> STRING or URL
 *     URL      without quotes; URL_SPACE: blanks behind it          -> ANY, BAD_URL
 *     BAD_URL  passed over up to its bracket; BAD_ESCAPE in it      -> ANY
 *     ESCAPE   behind a '\'; HEX: its digits; HEX_CR, STRING_CR: a CR that a LF may belong to
 *                                                                   -> what it stood in, owner_
 *
 * Nothing looks ahead of the byte it is at, so pieces do not matter. */
#include "css.h"
#include <weft/alloc.h>

/* Takes at least a byte, or goes to another state. */
static const char *take(struct weft_css *css, const char *at, const char *end)
{
    switch (css->state_) {
    case CSS_ANY:
        return weft__css_any(css, at, end);
    case CSS_NAME:
        return weft__css_in_name(css, at, end);
    case CSS_COMMENT:
        return weft__css_comment(css, at, end);
    case CSS_STRING:
        return weft__css_in_string(css, at, end);
    case CSS_URL_START:
        return weft__css_url_start(css, at, end);
    case CSS_URL:
        return weft__css_in_url(css, at, end);
    case CSS_URL_SPACE:
        return weft__css_url_space(css, at);
    case CSS_BAD_URL:
        return weft__css_bad_url(css, at, end);
    case CSS_BAD_ESCAPE:
        css->state_ = CSS_BAD_URL;
        return at + 1;
    case CSS_ESCAPE:
        return weft__css_escape(css, at);
    case CSS_HEX:
        return weft__css_hex(css, at);
    case CSS_HEX_CR:
    case CSS_STRING_CR:
        css->state_ = css->owner_;
        return *at == '\n' ? at + 1 : at;
    default:
        return weft__css_begun(css, at);
    }
}

void weft_css_begin(struct weft_css *css)
{
    css->state_ = CSS_ANY;
    css->status_ = 0;
    css->at_ = 0;
    css->awaits_import_ = false;
    css->in_namespace_ = false;
    css->set_depth_ = 0;
}

int weft_css_feed(struct weft_css *css, const void *data, size_t size)
{
    const char *at = data;
    if (size == 0 || css->status_ != 0)
        return css->status_;
    const char *end = at + size;
    css->at_ += size;
    while (at < end && css->status_ == 0)
        at = take(css, at, end);
    return css->status_;
}

/* The end closes what is open; of an escape it makes U+FFFD, or in a string nothing. */
int weft_css_end(struct weft_css *css)
{
    uint64_t end = css->at_;
    if (css->state_ == CSS_HEX)
        weft__css_end_hex(css);
    if (css->state_ == CSS_HEX_CR || css->state_ == CSS_STRING_CR)
        css->state_ = css->owner_;
    if (css->state_ == CSS_ESCAPE) {
        css->state_ = css->owner_;
        if (css->owner_ == CSS_URL)
            weft__css_url_put_code(css, 0);
    }
    if (css->state_ == CSS_URL_SPACE)
        end = css->end_;
    if (css->status_ == 0 &&
        (css->state_ == CSS_STRING || css->state_ == CSS_URL || css->state_ == CSS_URL_SPACE))
        weft__css_url_end(css, end);
    return css->status_;
}

void weft_css_free(struct weft_css *css)
{
    weft_free(css->url_);
    css->url_ = NULL;
    css->url_room_ = 0;
}
