/* Text between tags: the data, RCDATA, RAWTEXT, PLAINTEXT and CDATA states. Scripts are in
 * script.c.
 *
 * A run of plain text goes out as a slice of the piece; what needs a closer look ends the run. If
 * nobody wants the text, or wants it raw, only what may be markup is looked for, and memchr does
 * that.
 *
 *     IN_TEXT      '<' in data -> tag.c; in RCDATA and RAWTEXT -> TEXT_LESS; '&' -> reference.c
 *     TEXT_LESS    '/' -> TEXT_END_NAME, anything else was text
 *     TEXT_END_NAME  as long as it is the name that ends this element, bytes are held back; behind
 *                  it, a blank, '/' or '>' makes it a tag, and anything else makes all of it
 * text */
#include "chars.h"
#include "tokenizer.h"

struct kind {
    unsigned markup; /* stops that are always looked for */
    unsigned decode; /* those that matter only when the text is decoded */
    char single;     /* the one byte of markup, for memchr */
};

static const struct kind kinds[] = {
    [WEFT_HTML_DATA] = {HTML_STOP_LESS, HTML_STOP_AMP | HTML_STOP_CR, '<'},
    [WEFT_HTML_RCDATA] = {HTML_STOP_LESS, HTML_STOP_AMP | HTML_STOP_CR | HTML_STOP_NUL, '<'},
    [WEFT_HTML_RAWTEXT] = {HTML_STOP_LESS, HTML_STOP_CR | HTML_STOP_NUL, '<'},
    [WEFT_HTML_SCRIPT] = {HTML_STOP_LESS, HTML_STOP_CR | HTML_STOP_NUL, '<'},
    [WEFT_HTML_PLAINTEXT] = {0, HTML_STOP_CR | HTML_STOP_NUL, '\0'},
    [WEFT_HTML_CDATA] = {HTML_STOP_BRACKET, HTML_STOP_CR, ']'},
};

static const char *find_stop(const struct weft_html *html, const struct html_cursor *in)
{
    const struct kind *kind = &kinds[html->mode_];
    if (html_decodes_text(html))
        return html_find(in->at, in->end, kind->markup | kind->decode);
    if (kind->markup == 0)
        return in->end;
    const char *found = memchr(in->at, kind->single, (size_t)(in->end - in->at));
    return found != NULL ? found : in->end;
}

/* A CR behind which the piece ends is settled by the next; one before LF is dropped. */
static void take_cr(struct weft_html *html, struct html_cursor *in)
{
    in->at++;
    if (in->at == in->end)
        html->pending_cr_ = true;
    else if (*in->at != '\n')
        weft__html_emit_text(html, "\n", 1, html_at(html, in));
}

static void take_markup(struct weft_html *html, struct html_cursor *in)
{
    html->token_start_ = html_at(html, in);
    in->at++;
    if (html->mode_ == WEFT_HTML_DATA) {
        html_go(html, HTML_TAG_OPEN);
        return;
    }
    html->held_[0] = in->at[-1];
    html->held_size_ = 1;
    html_go(html, html->mode_ == WEFT_HTML_CDATA ? HTML_CDATA_BRACKET : HTML_TEXT_LESS);
}

static void take_stop(struct weft_html *html, struct html_cursor *in)
{
    char c = *in->at;
    if (c == '<' || c == ']') {
        take_markup(html, in);
    } else if (c == '\r') {
        take_cr(html, in);
    } else if (c == '&') {
        html_begin_reference(html, html_at(html, in));
    } else {
        in->at++;
        weft__html_emit_text(html, HTML_REPLACEMENT, 3, html_at(html, in));
    }
}

/* Most tags of a page are neither links nor of any other interest: they need not be taken apart. */
static const char *skip_dull_tags(const struct weft_html *html, struct html_cursor *in,
                                  const char *stop)
{
    bool dull =
        html->skip_dull && html->wants == 0 && html->mode_ == WEFT_HTML_DATA && html->foreign_ == 0;
    if (dull)
        in->at = stop = weft__html_skip_dull(stop, in->end);
    return stop;
}

void weft__html_text(struct weft_html *html, struct html_cursor *in)
{
    const char *stop = skip_dull_tags(html, in, find_stop(html, in));
    const char *begin = in->at;
    in->at = stop;
    weft__html_emit_text(html, begin, (size_t)(stop - begin), html_at(html, in));
    if (stop == in->end || html->status_ != 0)
        return;
    take_stop(html, in);
    if (html->state_ == HTML_TAG_OPEN && in->at < in->end)
        weft__html_tag_open(html, in);
}

void weft__html_text_less(struct weft_html *html, struct html_cursor *in)
{
    if (*in->at == '/') {
        html_hold(html, *in->at++);
        html->matched_ = 0;
        html_go(html, HTML_TEXT_END_NAME);
        return;
    }
    weft__html_emit_held(html, html_at(html, in));
    html_go(html, HTML_IN_TEXT);
}

/* Also for scripts, which go back to return_. */
void weft__html_text_end_name(struct weft_html *html, struct html_cursor *in)
{
    while (in->at < in->end && html->matched_ < html->end_name_size_ &&
           weft_text_lower(*in->at) == html->end_name_[html->matched_]) {
        html_hold(html, *in->at++);
        html->matched_++;
    }
    if (in->at == in->end)
        return;
    bool complete = html->matched_ == html->end_name_size_ && html->matched_ > 0;
    if (complete && html_char(*in->at, HTML_SPACE | HTML_TAG_STOP) && *in->at != '\0') {
        html->held_size_ = 0;
        weft__html_begin_tag(html, true);
        weft__html_put(html, html->end_name_, html->end_name_size_);
        return;
    }
    weft__html_emit_held(html, html_at(html, in));
    if (html->mode_ == WEFT_HTML_SCRIPT)
        html_go(html, html->return_);
    else
        html_go(html, HTML_IN_TEXT);
}

void weft__html_cdata_bracket(struct weft_html *html, struct html_cursor *in)
{
    if (*in->at == ']') {
        html_hold(html, *in->at++);
        html_go(html, HTML_CDATA_END);
        return;
    }
    weft__html_emit_held(html, html_at(html, in));
    html_go(html, HTML_IN_TEXT);
}

/* Behind "]]": of more brackets only the last two may be the end. */
void weft__html_cdata_end(struct weft_html *html, struct html_cursor *in)
{
    if (*in->at == ']') {
        weft__html_emit_text(html, "]", 1, html_at(html, in) - 1);
        in->at++;
        return;
    }
    if (*in->at == '>') {
        in->at++;
        html->held_size_ = 0;
        html->mode_ = WEFT_HTML_DATA;
    } else {
        weft__html_emit_held(html, html_at(html, in));
    }
    html_go(html, HTML_IN_TEXT);
}

void weft__html_text_eof(struct weft_html *html)
{
    weft__html_emit_held(html, html->offset_);
}
