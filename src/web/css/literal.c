/* Strings, and URLs without quotes. A string is read in the same way whether it is a link or not;
 * url.c knows if anybody wants it. */
#include "css.h"

void weft__css_begin_string(struct weft_css *css, char quote, uint64_t start)
{
    css->state_ = CSS_STRING;
    weft__css_url_begin(css, start, quote);
}

const char *weft__css_in_string(struct weft_css *css, const char *at, const char *end)
{
    const char *run = at;
    while (at < end && *at != css->quote_ && *at != '\\' && *at != 0 && !css_is_newline(*at))
        at++;
    weft__css_url_put(css, run, (size_t)(at - run));
    if (at == end)
        return at;
    if (*at == css->quote_) {
        weft__css_url_end(css, css_position(css, at, end));
        css->state_ = CSS_ANY;
    } else if (*at == '\\') {
        weft__css_begin_escape(css, CSS_STRING);
    } else if (*at == 0) {
        weft__css_url_put_code(css, 0);
    } else {
        css->state_ = CSS_ANY;
        return at; /* a bad string: the line's end is not part of it */
    }
    return at + 1;
}

const char *weft__css_url_start(struct weft_css *css, const char *at, const char *end)
{
    if (css_is(*at, CSS_SPACE))
        return at + 1;
    if (*at == '"' || *at == '\'') {
        weft__css_open_bracket(css);
        weft__css_begin_string(css, *at, css_position(css, at + 1, end));
        return at + 1;
    }
    css->state_ = CSS_URL;
    weft__css_url_begin(css, css_position(css, at, end), 0);
    return at;
}

const char *weft__css_in_url(struct weft_css *css, const char *at, const char *end)
{
    const char *run = at;
    while (at < end && !css_is(*at, CSS_ENDS_URL))
        at++;
    weft__css_url_put(css, run, (size_t)(at - run));
    css->end_ = css_position(css, at, end);
    if (at == end)
        return at;
    if (*at == ')') {
        weft__css_url_end(css, css->end_);
        css->state_ = CSS_ANY;
    } else if (*at == '\\') {
        weft__css_begin_escape(css, CSS_URL);
    } else if (*at == 0) {
        weft__css_url_put_code(css, 0);
    } else if (css_is(*at, CSS_SPACE)) {
        css->state_ = CSS_URL_SPACE;
    } else {
        css->state_ = CSS_BAD_URL;
    }
    return at + 1;
}

const char *weft__css_url_space(struct weft_css *css, const char *at)
{
    if (css_is(*at, CSS_SPACE))
        return at + 1;
    if (*at != ')') {
        css->state_ = CSS_BAD_URL;
        return at;
    }
    weft__css_url_end(css, css->end_);
    css->state_ = CSS_ANY;
    return at + 1;
}

const char *weft__css_bad_url(struct weft_css *css, const char *at, const char *end)
{
    while (at < end && *at != ')' && *at != '\\')
        at++;
    if (at == end)
        return at;
    css->state_ = *at == ')' ? CSS_ANY : CSS_BAD_ESCAPE;
    return at + 1;
}
