/* Escapes: a '\' and one character, or up to six digits and one blank. They mean the same in names,
 * strings and URLs, but for one before a line's end. */
#include "css.h"
#include "web/octets.h"

enum { HEX_DIGITS_MAX = 6 };

void weft__css_begin_escape(struct weft_css *css, unsigned owner)
{
    css->owner_ = owner;
    css->state_ = CSS_ESCAPE;
}

/* A '\' before a line's end: in a string both are nothing, in a URL both are wrong, and otherwise
 * the '\' is a sign. */
static const char *take_escaped_newline(struct weft_css *css, const char *at)
{
    if (css->owner_ == CSS_STRING) {
        css->state_ = *at == '\r' ? CSS_STRING_CR : CSS_STRING;
        return at + 1;
    }
    if (css->owner_ == CSS_URL) {
        css->state_ = CSS_BAD_URL;
        return at + 1;
    }
    weft__css_take_name(css);
    weft__css_take_sign(css, '\\');
    return at;
}

/* A byte from 0x80 on is the first of a letter, of which the rest follows as it is. */
const char *weft__css_escape(struct weft_css *css, const char *at)
{
    int hex = octets_hex(*at);
    if (css_is_newline(*at))
        return take_escaped_newline(css, at);
    if (hex >= 0) {
        css->code_ = (uint32_t)hex;
        css->digits_ = 1;
        css->state_ = CSS_HEX;
        return at + 1;
    }
    css->state_ = css->owner_;
    if (css->owner_ == CSS_NAME)
        weft__css_name_put_code(css, (unsigned char)*at);
    else if (*at == 0)
        weft__css_url_put_code(css, 0);
    else
        weft__css_url_put(css, at, 1);
    return at + 1;
}

void weft__css_end_hex(struct weft_css *css)
{
    css->state_ = css->owner_;
    if (css->owner_ == CSS_NAME)
        weft__css_name_put_code(css, css->code_);
    else
        weft__css_url_put_code(css, css->code_);
}

/* One blank behind the digits belongs to them. */
const char *weft__css_hex(struct weft_css *css, const char *at)
{
    int hex = octets_hex(*at);
    if (hex >= 0 && css->digits_ < HEX_DIGITS_MAX) {
        css->code_ = css->code_ << 4 | (uint32_t)hex;
        css->digits_++;
        return at + 1;
    }
    weft__css_end_hex(css);
    if (*at == '\r')
        css->state_ = CSS_HEX_CR;
    return css_is(*at, CSS_SPACE) ? at + 1 : at;
}
