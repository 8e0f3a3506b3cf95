/* Inside the room of CSS. css.c has the states and calls, for each, a function here that takes what
 * it can of the bytes from at to end, and returns where it got to: at least a byte further, or in
 * another state. */
#ifndef WEFT_WEB_CSS_H
#define WEFT_WEB_CSS_H

#include <weft/css.h>

/* The states; css.c says what they are. */
enum {
    CSS_ANY,
    CSS_NAME,
    CSS_SLASH,
    CSS_COMMENT,
    CSS_COMMENT_STAR,
    CSS_LESS,
    CSS_LESS_BANG,
    CSS_LESS_BANG_DASH,
    CSS_STRING,
    CSS_STRING_CR,
    CSS_URL_START,
    CSS_URL,
    CSS_URL_SPACE,
    CSS_BAD_URL,
    CSS_BAD_ESCAPE,
    CSS_ESCAPE,
    CSS_HEX,
    CSS_HEX_CR
};

/* What a byte can be. */
enum {
    CSS_IN_NAME = 1,  /* can be in a name; see token.c for '#' and '@' */
    CSS_BEGINS = 2,   /* begins something but a name: a string, an escape, a comment, "<!--" */
    CSS_ENDS_URL = 4, /* cannot be in a URL without quotes */
    CSS_SPACE = 8
};

extern const unsigned char weft__css_kinds[256];

static inline bool css_is(char c, unsigned kind)
{
    return (weft__css_kinds[(unsigned char)c] & kind) != 0;
}

static inline bool css_is_newline(char c)
{
    return c == '\n' || c == '\r' || c == '\f';
}

/* Where at stands in the sheet. at_ is the end of the piece while it is fed. */
static inline uint64_t css_position(const struct weft_css *css, const char *at, const char *end)
{
    return css->at_ - (uint64_t)(end - at);
}

/* ---- tokens --------------------------------------------------------------------------------- */

const char *weft__css_any(struct weft_css *css, const char *at, const char *end);
const char *weft__css_in_name(struct weft_css *css, const char *at, const char *end);
const char *weft__css_comment(struct weft_css *css, const char *at, const char *end);
const char *weft__css_begun(struct weft_css *css, const char *at);

/* What an escape in a name stood for. */
void weft__css_name_put_code(struct weft_css *css, uint32_t code);
/* The name that was read is a token, with something else behind it than '('. */
void weft__css_take_name(struct weft_css *css);
/* A sign that is a token of its own. */
void weft__css_take_sign(struct weft_css *css, char c);
void weft__css_open_bracket(struct weft_css *css);

/* ---- strings and URLs ----------------------------------------------------------------------- */

const char *weft__css_in_string(struct weft_css *css, const char *at, const char *end);
const char *weft__css_url_start(struct weft_css *css, const char *at, const char *end);
const char *weft__css_in_url(struct weft_css *css, const char *at, const char *end);
const char *weft__css_url_space(struct weft_css *css, const char *at);
const char *weft__css_bad_url(struct weft_css *css, const char *at, const char *end);

/* wanted_ and import_ are set. */
void weft__css_begin_string(struct weft_css *css, char quote, uint64_t start);

/* ---- escapes -------------------------------------------------------------------------------- */

const char *weft__css_escape(struct weft_css *css, const char *at);
const char *weft__css_hex(struct weft_css *css, const char *at);

void weft__css_begin_escape(struct weft_css *css, unsigned owner);
/* There are no more digits. */
void weft__css_end_hex(struct weft_css *css);

/* ---- the URL that is read ------------------------------------------------------------------- */

/* A URL may begin behind the byte before start. quote: what ends it, or 0. */
void weft__css_url_begin(struct weft_css *css, uint64_t start, char quote);

/* More of it. */
void weft__css_url_put(struct weft_css *css, const char *data, size_t size);

/* What an escape stood for, in UTF-8. 0, surrogates and what is above Unicode are U+FFFD. */
void weft__css_url_put_code(struct weft_css *css, uint32_t code);

/* It ended well, before this byte: report it if somebody wants it. */
void weft__css_url_end(struct weft_css *css, uint64_t end);

#endif
