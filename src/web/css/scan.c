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
 * A name is anything that could be part of one. css-syntax has numbers, units, hashes and
 * at-keywords apart; but the only names that matter are "url", "image-set", "@import" and
 * "@namespace" as a whole, and none of these comes out of a run that css would cut into several
 * tokens. So `#url(`, `1url(` and `curl(` are no links without a rule for each. An escape in a name
 * can stand for a letter of it, but not for the '@'.
 *
 * Most of a sheet is names and signs that lead to nothing. skip() runs over them and stops only
 * where something could begin: that is nearly all the time that a sheet takes. It is not used
 * inside of the three things that every token counts for: behind "@import", in an @namespace, and
 * in image-set(). Nothing looks ahead of the byte it is at, so pieces do not matter. */
#include "css.h"
#include "web/octets.h"
#include <weft/alloc.h>

enum {
    ANY,
    NAME,
    SLASH,
    COMMENT,
    COMMENT_STAR,
    LESS,
    LESS_BANG,
    LESS_BANG_DASH,
    STRING,
    STRING_CR,
    URL_START,
    URL,
    URL_SPACE,
    BAD_URL,
    BAD_ESCAPE,
    ESCAPE,
    HEX,
    HEX_CR
};

enum { HEX_DIGITS_MAX = 6 };

enum {
    IN_NAME = 1,  /* can be in a name; see above for '#' and '@' */
    BEGINS = 2,   /* begins something but a name: a string, an escape, a comment, "<!--" */
    ENDS_URL = 4, /* cannot be in a URL without quotes */
    SPACE = 8
};

static const unsigned char kinds[256] = {
    [0x01 ... 0x08] = ENDS_URL,
    ['\t'] = SPACE | ENDS_URL,
    ['\n'] = SPACE | ENDS_URL,
    [0x0b] = ENDS_URL,
    ['\f'] = SPACE | ENDS_URL,
    ['\r'] = SPACE | ENDS_URL,
    [0x0e ... 0x1f] = ENDS_URL,
    [' '] = SPACE | ENDS_URL,
    ['"'] = BEGINS | ENDS_URL,
    ['#'] = IN_NAME,
    ['\''] = BEGINS | ENDS_URL,
    ['('] = ENDS_URL,
    [')'] = ENDS_URL,
    ['-'] = IN_NAME,
    ['/'] = BEGINS,
    ['0' ... '9'] = IN_NAME,
    ['<'] = BEGINS,
    ['@'] = IN_NAME,
    ['A' ... 'Z'] = IN_NAME,
    ['\\'] = BEGINS | ENDS_URL,
    ['_'] = IN_NAME,
    ['a' ... 'z'] = IN_NAME,
    [0x7f] = ENDS_URL,
    [0x80 ... 0xff] = IN_NAME,
    [0] = IN_NAME | ENDS_URL, /* it is U+FFFD */
};

static bool is(char c, unsigned kind)
{
    return (kinds[(unsigned char)c] & kind) != 0;
}

static bool is_newline(char c)
{
    return c == '\n' || c == '\r' || c == '\f';
}

/* Where at stands in the sheet. at_ is the end of the piece while it is fed. */
static uint64_t position(const struct weft_css *css, const char *at, const char *end)
{
    return css->at_ - (uint64_t)(end - at);
}

/* ---- names ---------------------------------------------------------------------------------- */

static void name_put(struct weft_css *css, char c)
{
    if (css->name_size_ < sizeof css->name_)
        css->name_[css->name_size_] = weft_text_lower(c);
    if (css->name_size_ <= sizeof css->name_)
        css->name_size_++;
}

/* Escaped, only a letter or '-' can be part of a name that matters. */
static void name_put_code(struct weft_css *css, uint32_t code)
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
    css->state_ = NAME;
}

/* ---- what the tokens around a URL make of it ------------------------------------------------- */

static bool every_token_counts(const struct weft_css *css)
{
    return css->awaits_import_ || css->in_namespace_ || css->set_depth_ > 0;
}

static void open_bracket(struct weft_css *css)
{
    if (css->set_depth_ > 0 && css->set_depth_ < UINT32_MAX)
        css->set_depth_++;
}

/* A sign that is a token of its own. */
static void take_sign(struct weft_css *css, char c)
{
    css->awaits_import_ = false;
    if (c == '(') {
        open_bracket(css);
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
    css->state_ = ANY;
    if (name_is(css, "url")) {
        css->state_ = URL_START;
        css->wanted_ = !css->in_namespace_;
        css->import_ = css->awaits_import_;
    } else if (set && css->set_depth_ == 0) {
        css->set_depth_ = 1;
    } else {
        open_bracket(css);
    }
    css->awaits_import_ = false;
}

/* A name with something else behind it. */
static void take_name(struct weft_css *css)
{
    css->state_ = ANY;
    css->awaits_import_ = name_is(css, "@import");
    if (name_is(css, "@namespace"))
        css->in_namespace_ = true;
}

static void begin_string(struct weft_css *css, char quote, uint64_t start)
{
    css->state_ = STRING;
    weft__css_url_begin(css, start, quote);
}

/* A string that is not in url(). */
static void take_string(struct weft_css *css, char quote, uint64_t start)
{
    css->wanted_ = css->awaits_import_ || css->set_depth_ == 1;
    css->import_ = css->awaits_import_;
    css->awaits_import_ = false;
    begin_string(css, quote, start);
}

static void begin_escape(struct weft_css *css, unsigned owner)
{
    css->owner_ = owner;
    css->state_ = ESCAPE;
}

/* ---- between tokens -------------------------------------------------------------------------- */

/* To where something could begin that matters: a name is passed over if the byte behind it is there
 * and shows that it is none of a function. */
static const char *skip(const char *at, const char *end)
{
    while (at < end) {
        if (is(*at, BEGINS))
            return at;
        if (!is(*at, IN_NAME)) {
            at++;
            continue;
        }
        const char *name = at;
        while (++at < end && is(*at, IN_NAME)) {
        }
        if (at == end || *at == '(' || *at == '\\' || *name == '@')
            return name;
    }
    return at;
}

static const char *take_any(struct weft_css *css, const char *at, const char *end)
{
    if (!every_token_counts(css))
        at = skip(at, end);
    if (at == end)
        return at;
    if (is(*at, IN_NAME)) {
        begin_name(css);
        return at;
    }
    switch (*at) {
    case '\\':
        begin_name(css);
        begin_escape(css, NAME);
        break;
    case '"':
    case '\'':
        take_string(css, *at, position(css, at + 1, end));
        break;
    case '/':
        css->state_ = SLASH;
        break;
    case '<':
        css->awaits_import_ = false;
        css->state_ = LESS;
        break;
    default:
        if (!is(*at, SPACE))
            take_sign(css, *at);
    }
    return at + 1;
}

static const char *take_in_name(struct weft_css *css, const char *at, const char *end)
{
    while (at < end && is(*at, IN_NAME))
        name_put(css, *at++);
    if (at == end)
        return at;
    if (*at == '\\') {
        begin_escape(css, NAME);
        return at + 1;
    }
    if (*at == '(') {
        take_function(css);
        return at + 1;
    }
    take_name(css);
    return at;
}

static const char *take_comment(struct weft_css *css, const char *at, const char *end)
{
    const char *star = memchr(at, '*', (size_t)(end - at));
    if (star == NULL)
        return end;
    css->state_ = COMMENT_STAR;
    return star + 1;
}

/* What may still become a comment or "<!--"; in all cases but one the sign before was a token. */
static const char *take_begun(struct weft_css *css, const char *at)
{
    switch (css->state_) {
    case SLASH:
        css->state_ = *at == '*' ? COMMENT : ANY;
        css->awaits_import_ = css->awaits_import_ && *at == '*';
        return *at == '*' ? at + 1 : at;
    case COMMENT_STAR:
        css->state_ = *at == '/' ? ANY : *at == '*' ? COMMENT_STAR : COMMENT;
        return at + 1;
    case LESS:
        css->state_ = *at == '!' ? LESS_BANG : ANY;
        return *at == '!' ? at + 1 : at;
    case LESS_BANG:
        css->state_ = *at == '-' ? LESS_BANG_DASH : ANY;
        return *at == '-' ? at + 1 : at;
    default: /* LESS_BANG_DASH */
        if (*at == '-') {
            css->state_ = ANY;
            return at + 1;
        }
        begin_name(css);
        name_put(css, '-');
        return at;
    }
}

/* ---- strings and URLs ------------------------------------------------------------------------ */

static const char *take_in_string(struct weft_css *css, const char *at, const char *end)
{
    const char *run = at;
    while (at < end && *at != css->quote_ && *at != '\\' && *at != 0 && !is_newline(*at))
        at++;
    weft__css_url_put(css, run, (size_t)(at - run));
    if (at == end)
        return at;
    if (*at == css->quote_) {
        weft__css_url_end(css, position(css, at, end));
        css->state_ = ANY;
    } else if (*at == '\\') {
        begin_escape(css, STRING);
    } else if (*at == 0) {
        weft__css_url_put_code(css, 0);
    } else {
        css->state_ = ANY;
        return at; /* a bad string: the line's end is not part of it */
    }
    return at + 1;
}

static const char *take_url_start(struct weft_css *css, const char *at, const char *end)
{
    if (is(*at, SPACE))
        return at + 1;
    if (*at == '"' || *at == '\'') {
        open_bracket(css);
        begin_string(css, *at, position(css, at + 1, end));
        return at + 1;
    }
    css->state_ = URL;
    weft__css_url_begin(css, position(css, at, end), 0);
    return at;
}

static const char *take_in_url(struct weft_css *css, const char *at, const char *end)
{
    const char *run = at;
    while (at < end && !is(*at, ENDS_URL))
        at++;
    weft__css_url_put(css, run, (size_t)(at - run));
    css->end_ = position(css, at, end);
    if (at == end)
        return at;
    if (*at == ')') {
        weft__css_url_end(css, css->end_);
        css->state_ = ANY;
    } else if (*at == '\\') {
        begin_escape(css, URL);
    } else if (*at == 0) {
        weft__css_url_put_code(css, 0);
    } else if (is(*at, SPACE)) {
        css->state_ = URL_SPACE;
    } else {
        css->state_ = BAD_URL;
    }
    return at + 1;
}

static const char *take_url_space(struct weft_css *css, const char *at)
{
    if (is(*at, SPACE))
        return at + 1;
    if (*at != ')') {
        css->state_ = BAD_URL;
        return at;
    }
    weft__css_url_end(css, css->end_);
    css->state_ = ANY;
    return at + 1;
}

static const char *take_bad_url(struct weft_css *css, const char *at, const char *end)
{
    while (at < end && *at != ')' && *at != '\\')
        at++;
    if (at == end)
        return at;
    css->state_ = *at == ')' ? ANY : BAD_ESCAPE;
    return at + 1;
}

/* ---- escapes --------------------------------------------------------------------------------- */

/* A '\' before a line's end: in a string both are nothing, in a URL both are wrong, and otherwise
 * the '\' is a sign. */
static const char *take_escaped_newline(struct weft_css *css, const char *at)
{
    if (css->owner_ == STRING) {
        css->state_ = *at == '\r' ? STRING_CR : STRING;
        return at + 1;
    }
    if (css->owner_ == URL) {
        css->state_ = BAD_URL;
        return at + 1;
    }
    take_name(css);
    take_sign(css, '\\');
    return at;
}

/* A byte from 0x80 on is the first of a letter, of which the rest follows as it is. */
static const char *take_escape(struct weft_css *css, const char *at)
{
    int hex = octets_hex(*at);
    if (is_newline(*at))
        return take_escaped_newline(css, at);
    if (hex >= 0) {
        css->code_ = (uint32_t)hex;
        css->digits_ = 1;
        css->state_ = HEX;
        return at + 1;
    }
    css->state_ = css->owner_;
    if (css->owner_ == NAME)
        name_put_code(css, (unsigned char)*at);
    else if (*at == 0)
        weft__css_url_put_code(css, 0);
    else
        weft__css_url_put(css, at, 1);
    return at + 1;
}

static void end_hex(struct weft_css *css)
{
    css->state_ = css->owner_;
    if (css->owner_ == NAME)
        name_put_code(css, css->code_);
    else
        weft__css_url_put_code(css, css->code_);
}

/* One blank behind the digits belongs to them. */
static const char *take_hex(struct weft_css *css, const char *at)
{
    int hex = octets_hex(*at);
    if (hex >= 0 && css->digits_ < HEX_DIGITS_MAX) {
        css->code_ = css->code_ << 4 | (uint32_t)hex;
        css->digits_++;
        return at + 1;
    }
    end_hex(css);
    if (*at == '\r')
        css->state_ = HEX_CR;
    return is(*at, SPACE) ? at + 1 : at;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Takes at least a byte, or goes to another state. */
static const char *take(struct weft_css *css, const char *at, const char *end)
{
    switch (css->state_) {
    case ANY:
        return take_any(css, at, end);
    case NAME:
        return take_in_name(css, at, end);
    case COMMENT:
        return take_comment(css, at, end);
    case STRING:
        return take_in_string(css, at, end);
    case URL_START:
        return take_url_start(css, at, end);
    case URL:
        return take_in_url(css, at, end);
    case URL_SPACE:
        return take_url_space(css, at);
    case BAD_URL:
        return take_bad_url(css, at, end);
    case BAD_ESCAPE:
        css->state_ = BAD_URL;
        return at + 1;
    case ESCAPE:
        return take_escape(css, at);
    case HEX:
        return take_hex(css, at);
    case HEX_CR:
    case STRING_CR:
        css->state_ = css->owner_;
        return *at == '\n' ? at + 1 : at;
    default:
        return take_begun(css, at);
    }
}

void weft_css_begin(struct weft_css *css)
{
    css->state_ = ANY;
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
    if (css->state_ == HEX)
        end_hex(css);
    if (css->state_ == HEX_CR || css->state_ == STRING_CR)
        css->state_ = css->owner_;
    if (css->state_ == ESCAPE) {
        css->state_ = css->owner_;
        if (css->owner_ == URL)
            weft__css_url_put_code(css, 0);
    }
    if (css->state_ == URL_SPACE)
        end = css->end_;
    if (css->status_ == 0 &&
        (css->state_ == STRING || css->state_ == URL || css->state_ == URL_SPACE))
        weft__css_url_end(css, end);
    css->state_ = ANY;
    return css->status_;
}

void weft_css_free(struct weft_css *css)
{
    weft_free(css->url_);
    css->url_ = NULL;
    css->url_room_ = 0;
}
