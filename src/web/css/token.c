/* Tokens: names, signs, comments, and what those around a URL make of it.
 *
 * A name is anything that could be part of one. css-syntax has numbers, units, hashes and
 * at-keywords apart; but the only names that matter are "url", "image-set", "@import" and
 * "@namespace" as a whole, and none of these comes out of a run that css would cut into several
 * tokens. So `#url(`, `1url(` and `curl(` are no links without a rule for each. An escape in a name
 * can stand for a letter of it, but not for the '@'.
 *
 * Most of a sheet is names and signs that lead to nothing. skip() runs over them and stops only
 * where something could begin: that is nearly all the time that a sheet takes. It is not used
 * inside of the three things that every token counts for: behind "@import", in an @namespace, and
 * in image-set(). */
#include "css.h"

const unsigned char weft__css_kinds[256] = {
    [0x01 ... 0x08] = CSS_ENDS_URL,
    ['\t'] = CSS_SPACE | CSS_ENDS_URL,
    ['\n'] = CSS_SPACE | CSS_ENDS_URL,
    [0x0b] = CSS_ENDS_URL,
    ['\f'] = CSS_SPACE | CSS_ENDS_URL,
    ['\r'] = CSS_SPACE | CSS_ENDS_URL,
    [0x0e ... 0x1f] = CSS_ENDS_URL,
    [' '] = CSS_SPACE | CSS_ENDS_URL,
    ['"'] = CSS_BEGINS | CSS_ENDS_URL,
    ['#'] = CSS_IN_NAME,
    ['\''] = CSS_BEGINS | CSS_ENDS_URL,
    ['('] = CSS_ENDS_URL,
    [')'] = CSS_ENDS_URL,
    ['-'] = CSS_IN_NAME,
    ['/'] = CSS_BEGINS,
    ['0' ... '9'] = CSS_IN_NAME,
    ['<'] = CSS_BEGINS,
    ['@'] = CSS_IN_NAME,
    ['A' ... 'Z'] = CSS_IN_NAME,
    ['\\'] = CSS_BEGINS | CSS_ENDS_URL,
    ['_'] = CSS_IN_NAME,
    ['a' ... 'z'] = CSS_IN_NAME,
    [0x7f] = CSS_ENDS_URL,
    [0x80 ... 0xff] = CSS_IN_NAME,
    [0] = CSS_IN_NAME | CSS_ENDS_URL, /* it is U+FFFD */
};

/* ---- names ---------------------------------------------------------------------------------- */

static void name_put(struct weft_css *css, char c)
{
    if (css->name_size_ < sizeof css->name_)
        css->name_[css->name_size_] = weft_text_lower(c);
    if (css->name_size_ <= sizeof css->name_)
        css->name_size_++;
}

/* Escaped, only a letter or '-' can be part of a name that matters. */
void weft__css_name_put_code(struct weft_css *css, uint32_t code)
{
    bool plain = (code | 0x20) >= 'a' && (code | 0x20) <= 'z';
    name_put(css, plain || code == '-' ? (char)code : '?');
}

static bool name_is(const struct weft_css *css, const char *name)
{
    return css->name_size_ <= sizeof css->name_ &&
           weft_text_is(weft_text(css->name_, css->name_size_), name);
}

static void begin_name(struct weft_css *css)
{
    css->name_size_ = 0;
    css->state_ = CSS_NAME;
}

/* ---- what the tokens around a URL make of it ------------------------------------------------ */

static bool every_token_counts(const struct weft_css *css)
{
    return css->awaits_import_ || css->in_namespace_ || css->set_depth_ > 0;
}

void weft__css_open_bracket(struct weft_css *css)
{
    if (css->set_depth_ > 0 && css->set_depth_ < UINT32_MAX)
        css->set_depth_++;
}

/* A sign that is a token of its own. */
void weft__css_take_sign(struct weft_css *css, char c)
{
    css->awaits_import_ = false;
    if (c == '(') {
        weft__css_open_bracket(css);
    } else if (c == ')') {
        css->set_depth_ -= css->set_depth_ > 0;
    } else if (c == ';' || c == '{' || c == '}') {
        css->in_namespace_ = false;
        css->set_depth_ = 0;
    }
}

/* name( */
static void take_function(struct weft_css *css)
{
    bool set = name_is(css, "image-set") || name_is(css, "-webkit-image-set");
    css->state_ = CSS_ANY;
    if (name_is(css, "url")) {
        css->state_ = CSS_URL_START;
        css->wanted_ = !css->in_namespace_;
        css->import_ = css->awaits_import_;
    } else if (set && css->set_depth_ == 0) {
        css->set_depth_ = 1;
    } else {
        weft__css_open_bracket(css);
    }
    css->awaits_import_ = false;
}

/* A name with something else behind it. */
void weft__css_take_name(struct weft_css *css)
{
    css->state_ = CSS_ANY;
    css->awaits_import_ = name_is(css, "@import");
    if (name_is(css, "@namespace"))
        css->in_namespace_ = true;
}

/* A string that is not in url(). */
static void take_string(struct weft_css *css, char quote, uint64_t start)
{
    css->wanted_ = css->awaits_import_ || css->set_depth_ == 1;
    css->import_ = css->awaits_import_;
    css->awaits_import_ = false;
    weft__css_begin_string(css, quote, start);
}

/* ---- between tokens -------------------------------------------------------------------------- */

/* To where something could begin that matters: a name is passed over if the byte behind it is there
 * and shows that it is none of a function. */
static const char *skip(const char *at, const char *end)
{
    while (at < end) {
        if (css_is(*at, CSS_BEGINS))
            return at;
        if (!css_is(*at, CSS_IN_NAME)) {
            at++;
            continue;
        }
        const char *name = at;
        while (++at < end && css_is(*at, CSS_IN_NAME)) {
        }
        if (at == end || *at == '(' || *at == '\\' || *name == '@')
            return name;
    }
    return at;
}

const char *weft__css_any(struct weft_css *css, const char *at, const char *end)
{
    if (!every_token_counts(css))
        at = skip(at, end);
    if (at == end)
        return at;
    if (css_is(*at, CSS_IN_NAME)) {
        begin_name(css);
        return at;
    }
    switch (*at) {
    case '\\':
        begin_name(css);
        weft__css_begin_escape(css, CSS_NAME);
        break;
    case '"':
    case '\'':
        take_string(css, *at, css_position(css, at + 1, end));
        break;
    case '/':
        css->state_ = CSS_SLASH;
        break;
    case '<':
        css->awaits_import_ = false;
        css->state_ = CSS_LESS;
        break;
    default:
        if (!css_is(*at, CSS_SPACE))
            weft__css_take_sign(css, *at);
    }
    return at + 1;
}

const char *weft__css_in_name(struct weft_css *css, const char *at, const char *end)
{
    while (at < end && css_is(*at, CSS_IN_NAME))
        name_put(css, *at++);
    if (at == end)
        return at;
    if (*at == '\\') {
        weft__css_begin_escape(css, CSS_NAME);
        return at + 1;
    }
    if (*at == '(') {
        take_function(css);
        return at + 1;
    }
    weft__css_take_name(css);
    return at;
}

const char *weft__css_comment(struct weft_css *css, const char *at, const char *end)
{
    const char *star = memchr(at, '*', (size_t)(end - at));
    if (star == NULL)
        return end;
    css->state_ = CSS_COMMENT_STAR;
    return star + 1;
}

/* What may still become a comment or "<!--"; in all cases but one the sign before was a token. */
const char *weft__css_begun(struct weft_css *css, const char *at)
{
    switch (css->state_) {
    case CSS_SLASH:
        css->state_ = *at == '*' ? CSS_COMMENT : CSS_ANY;
        css->awaits_import_ = css->awaits_import_ && *at == '*';
        return *at == '*' ? at + 1 : at;
    case CSS_COMMENT_STAR:
        css->state_ = *at == '/' ? CSS_ANY : *at == '*' ? CSS_COMMENT_STAR : CSS_COMMENT;
        return at + 1;
    case CSS_LESS:
        css->state_ = *at == '!' ? CSS_LESS_BANG : CSS_ANY;
        return *at == '!' ? at + 1 : at;
    case CSS_LESS_BANG:
        css->state_ = *at == '-' ? CSS_LESS_BANG_DASH : CSS_ANY;
        return *at == '-' ? at + 1 : at;
    default: /* CSS_LESS_BANG_DASH */
        if (*at == '-') {
            css->state_ = CSS_ANY;
            return at + 1;
        }
        begin_name(css);
        name_put(css, '-');
        return at;
    }
}
