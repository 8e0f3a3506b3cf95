/* From a text to a URL: the scheme, and what may follow it.
 *
 * The standard describes a machine that looks at one character after the other. Here every part is
 * a function that takes its piece off the input and writes it in its final form behind what is
 * there, so a URL is made in one pass over its buffer, and most of it by copying runs of bytes. The
 * order of the parts is that of the standard's states:
 *
 *     scheme:   authority.c   //user@host:port    then path.c
 *               file.c        its own rules
 *               relative.c    where a base has to help
 *               here          opaque paths, queries, fragments */
#include "parser.h"
#include <weft/alloc.h>

enum { KEPT = 1024, SLACK = 32 };

/* ---- before parsing ------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return (unsigned char)c <= ' ';
}

static struct weft_text trim(struct weft_text text)
{
    while (text.size > 0 && is_blank(text.data[0])) {
        text.data++;
        text.size--;
    }
    while (text.size > 0 && is_blank(text.data[text.size - 1]))
        text.size--;
    return text;
}

static bool is_removed(char c)
{
    return c == '\t' || c == '\n' || c == '\r';
}

/* Is there a byte below ' ' among these eight? Only such a word is worth a closer look. */
static bool has_control(uint64_t word)
{
    const uint64_t ones = UINT64_MAX / 255;
    return ((word - ones * ' ') & ~word & ones * 0x80) != 0;
}

static bool has_control_at(const char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return has_control(word);
}

static bool has_no_controls(struct weft_text text)
{
    const size_t step = sizeof(uint64_t);
    if (text.size < step)
        return false; /* not worth it: look at each */
    for (size_t i = 0; i + step <= text.size; i += step) {
        if (has_control_at(text.data + i))
            return false;
    }
    return !has_control_at(text.data + text.size - step);
}

static bool has_removed(struct weft_text text)
{
    if (has_no_controls(text))
        return false;
    for (size_t i = 0; i < text.size; i++) {
        if (is_removed(text.data[i]))
            return true;
    }
    return false;
}

static size_t remove_blanks(char *to, struct weft_text from)
{
    size_t size = 0;
    for (size_t i = 0; i < from.size; i++) {
        if (!is_removed(from.data[i]))
            to[size++] = from.data[i];
    }
    return size;
}

/* ---- schemes -------------------------------------------------------------------------------- */

static enum weft_url_kind kind_of(struct weft_text scheme)
{
    static const struct {
        const char *name;
        enum weft_url_kind kind;
    } special[] = {{"https", WEFT_URL_HTTPS}, {"http", WEFT_URL_HTTP}, {"file", WEFT_URL_FILE},
                   {"ftp", WEFT_URL_FTP},     {"ws", WEFT_URL_WS},     {"wss", WEFT_URL_WSS}};
    for (size_t i = 0; i < sizeof special / sizeof *special; i++) {
        if (weft_text_is(scheme, special[i].name))
            return special[i].kind;
    }
    return WEFT_URL_OTHER;
}

/* The two that nearly all have, as nearly all write them. */
static bool take_http(struct url_parser *p)
{
    if (p->end - p->at < 6 || memcmp(p->at, "http", 4) != 0)
        return false;
    bool secure = p->at[4] == 's';
    if (p->at[4 + secure] != ':')
        return false;
    p->url->kind = secure ? WEFT_URL_HTTPS : WEFT_URL_HTTP;
    p->url->scheme_end = 4 + secure;
    url_put(p, p->at, 5 + secure);
    p->at += 5 + secure;
    return true;
}

/* "Http:" as "http:", for which there is room. false: the input does not begin with a scheme. */
static bool take_scheme(struct url_parser *p)
{
    if (take_http(p))
        return true;
    const char *at = p->at;
    if (at == p->end || !url_char(*at, URL_ALPHA))
        return false;
    while (at < p->end && url_char(*at, URL_SCHEME))
        at++;
    if (at == p->end || *at != ':')
        return false;
    url_put(p, p->at, (size_t)(at + 1 - p->at));
    p->at = at + 1;
    p->url->scheme_end = (uint32_t)p->size - 1;
    for (size_t i = 0; i < p->size; i++)
        p->out[i] = weft_text_lower(p->out[i]);
    p->url->kind = kind_of(weft_text(p->out, p->size - 1));
    return true;
}

static bool is_of_base(const struct url_parser *p)
{
    return p->base != NULL &&
           weft_text_equal(weft_text(p->out, p->url->scheme_end), weft_url_scheme(p->base));
}

/* ---- what follows the scheme ---------------------------------------------------------------- */

/* A last blank before '?' or '#' is encoded: otherwise it would be lost with what follows it. */
static int opaque_path(struct url_parser *p)
{
    const char *end = p->at;
    while (end < p->end && *end != '?' && *end != '#')
        end++;
    bool blank = end < p->end && end > p->at && end[-1] == ' ';
    p->url->opaque = true;
    p->url->path_begin = (uint32_t)p->size;
    weft__url_put_encoded(p, p->at, end - blank, URL_IN_OPAQUE);
    if (blank)
        url_put(p, "%20", 3);
    p->url->query_begin = (uint32_t)p->size;
    p->at = end;
    return 0;
}

static int behind_other_scheme(struct url_parser *p)
{
    struct weft_url *url = p->url;
    url->user_begin = url->user_end = (uint32_t)p->size;
    url->host_begin = url->host_end = url->path_begin = (uint32_t)p->size;
    if (!url_at(p, '/'))
        return opaque_path(p);
    p->at++;
    if (url_at(p, '/')) {
        p->at++;
        return weft__url_authority(p);
    }
    weft__url_path(p);
    return 0;
}

static int behind_scheme(struct url_parser *p)
{
    if (p->url->kind == WEFT_URL_FILE)
        return weft__url_file(p);
    if (p->url->kind == WEFT_URL_OTHER)
        return behind_other_scheme(p);
    if (is_of_base(p))
        return weft__url_relative(p);
    while (url_at_slash(p))
        p->at++;
    return weft__url_authority(p);
}

static int without_scheme(struct url_parser *p)
{
    if (p->base == NULL || (p->base->opaque && !url_at(p, '#')))
        return UV_EINVAL;
    if (p->base->kind == WEFT_URL_FILE)
        return weft__url_file(p);
    return p->base->opaque ? weft__url_relative_path(p) : weft__url_relative(p);
}

/* ---- query and fragment --------------------------------------------------------------------- */

static void query_and_fragment(struct url_parser *p)
{
    if (url_at(p, '?')) {
        const char *end = memchr(p->at, '#', (size_t)(p->end - p->at));
        if (end == NULL)
            end = p->end;
        url_put_char(p, '?');
        weft__url_put_encoded(p, p->at + 1, end,
                              url_special(p) ? URL_IN_SPECIAL_QUERY : URL_IN_QUERY);
        p->at = end;
    }
    p->url->fragment_begin = (uint32_t)p->size;
    if (p->at < p->end) {
        url_put_char(p, '#');
        weft__url_put_encoded(p, p->at + 1, p->end, URL_IN_FRAGMENT);
    }
}

/* ---- all of it ------------------------------------------------------------------------------ */

/* An empty URL that keeps its memory. */
static void reset(struct weft_url *url)
{
    *url = (struct weft_url){.port = -1, .buffer_ = url->buffer_, .room_ = url->room_};
}

static int parse_parts(struct url_parser *p)
{
    int err = take_scheme(p) ? behind_scheme(p) : without_scheme(p);
    if (err == 0 && p->err == 0)
        query_and_fragment(p);
    return p->err != 0 ? p->err : err;
}

static int parse(struct weft_url *url, struct weft_text input, const struct weft_url *base)
{
    struct url_parser p = {.url = url,
                           .base = base,
                           .at = input.data,
                           .end = input.data + input.size,
                           .out = url->buffer_,
                           .room = url->room_ > 0 ? url->room_ - 1 : 0};
    size_t guess = input.size + (base != NULL ? base->href.size : 0) + SLACK;
    if (guess > WEFT_URL_MAX)
        guess = WEFT_URL_MAX;
    if (guess > p.room && !weft__url_grow(&p, guess))
        return p.err;
    int err = parse_parts(&p);
    if (err != 0) {
        reset(url);
        return err;
    }
    p.out[p.size] = '\0';
    url->href = weft_text(p.out, p.size);
    return 0;
}

int weft_url_parse(struct weft_url *url, struct weft_text input, const struct weft_url *base)
{
    char kept[KEPT];
    if (url == base)
        return UV_EINVAL;
    reset(url);
    if (input.size > WEFT_URL_MAX)
        return UV_E2BIG;
    if (input.size == 0)
        input = weft_text_of("");
    if (base != NULL && base->href.size == 0)
        base = NULL;
    input = trim(input);
    if (!has_removed(input))
        return parse(url, input, base);
    char *clean = input.size <= KEPT ? kept : weft_alloc(input.size);
    if (clean == NULL)
        return UV_ENOMEM;
    int err = parse(url, weft_text(clean, remove_blanks(clean, input)), base);
    if (clean != kept)
        weft_free(clean);
    return err;
}
