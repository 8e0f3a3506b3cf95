/* Comments, and what "<!" begins.
 *
 *     MARKUP   "--" -> COMMENT_START; "doctype" -> doctype.c; "[CDATA[" where it is allowed; all
 *              else -> BOGUS_COMMENT, which goes on to the next '>'
 *
 * A comment goes out in pieces. Dashes are not part of it until it is clear that they do not end
 * it, which is what the states count; so nothing is held back but their number. The standard's
 * states for "<!--" within a comment only find errors: they lead where these lead. */
#include "chars.h"
#include "tokenizer.h"

/* A piece that ends at end; the last may be empty. */
static void emit(struct weft_html *html, const char *data, size_t size, uint64_t end, bool last)
{
    if (!(html->wants & WEFT_HTML_WANTS_COMMENTS) || (size == 0 && !last))
        return;
    struct weft_html_token token = {.type = WEFT_HTML_COMMENT,
                                    .text = weft_text(data, size),
                                    .last = last,
                                    .start = html->token_start_,
                                    .end = end};
    weft__html_emit(html, &token);
}

/* At '>', or at the end of the document. */
static void finish(struct weft_html *html, uint64_t end)
{
    html_go_text(html);
    emit(html, "", 0, end, true);
}

/* What nobody wants is only searched for the one byte that may end it. */
static const char *find(const struct weft_html *html, const struct html_cursor *in, char stop,
                        unsigned stops)
{
    if (html->wants & WEFT_HTML_WANTS_COMMENTS)
        return html_find(in->at, in->end, stops | HTML_STOP_CR | HTML_STOP_NUL);
    const char *found = memchr(in->at, stop, (size_t)(in->end - in->at));
    return found != NULL ? found : in->end;
}

/* A run of the comment; true: the byte behind it is not a NUL or a CR. */
static bool take_run(struct weft_html *html, struct html_cursor *in, char stop, unsigned stops)
{
    const char *begin = in->at;
    in->at = find(html, in, stop, stops);
    emit(html, begin, (size_t)(in->at - begin), html_at(html, in), false);
    if (in->at == in->end || html->status_ != 0)
        return false;
    char c = *in->at;
    if (c == '\0') {
        in->at++;
        emit(html, HTML_REPLACEMENT, 3, html_at(html, in), false);
    } else if (c == '\r') {
        in->at++;
        if (in->at == in->end)
            html->pending_cr_ = true;
        else if (*in->at != '\n')
            emit(html, "\n", 1, html_at(html, in), false);
    }
    return c != '\0' && c != '\r';
}

static void take_comment(struct weft_html *html, struct html_cursor *in)
{
    if (!take_run(html, in, '-', HTML_STOP_DASH))
        return;
    in->at++;
    html_go(html, HTML_COMMENT_END_DASH);
}

/* The dashes were part of it: back into the comment. */
static void take_back(struct weft_html *html, struct html_cursor *in, const char *dashes)
{
    html_go(html, HTML_IN_COMMENT);
    emit(html, dashes, strlen(dashes), html_at(html, in), false);
}

static void start(struct weft_html *html, struct html_cursor *in)
{
    bool dash = html->state_ == HTML_COMMENT_START_DASH;
    if (*in->at == '-') {
        in->at++;
        html_go(html, dash ? HTML_COMMENT_END : HTML_COMMENT_START_DASH);
    } else if (*in->at == '>') {
        in->at++;
        finish(html, html_at(html, in));
    } else {
        take_back(html, in, dash ? "-" : "");
    }
}

static void end(struct weft_html *html, struct html_cursor *in)
{
    char c = *in->at;
    if (c == '>') {
        in->at++;
        finish(html, html_at(html, in));
    } else if (c == '!') {
        in->at++;
        html_go(html, HTML_COMMENT_END_BANG);
    } else if (c == '-') {
        in->at++;
        emit(html, "-", 1, html_at(html, in), false);
    } else {
        take_back(html, in, "--");
    }
}

static void end_bang(struct weft_html *html, struct html_cursor *in)
{
    char c = *in->at;
    if (c == '>') {
        in->at++;
        finish(html, html_at(html, in));
        return;
    }
    take_back(html, in, "--!");
    if (c == '-') {
        in->at++;
        html_go(html, HTML_COMMENT_END_DASH);
    }
}

static void end_dash(struct weft_html *html, struct html_cursor *in)
{
    if (*in->at != '-') {
        take_back(html, in, "-");
        return;
    }
    in->at++;
    html_go(html, HTML_COMMENT_END);
}

void weft__html_comment(struct weft_html *html, struct html_cursor *in)
{
    switch (html->state_) {
    case HTML_COMMENT_START:
    case HTML_COMMENT_START_DASH:
        start(html, in);
        break;
    case HTML_IN_COMMENT:
        take_comment(html, in);
        break;
    case HTML_COMMENT_END_DASH:
        end_dash(html, in);
        break;
    case HTML_COMMENT_END:
        end(html, in);
        break;
    default:
        end_bang(html, in);
        break;
    }
}

void weft__html_bogus_comment(struct weft_html *html, struct html_cursor *in)
{
    if (!take_run(html, in, '>', HTML_STOP_GREATER))
        return;
    in->at++;
    finish(html, html_at(html, in));
}

/* ---- behind "<!" ----------------------------------------------------------------------------- */

enum { DASHES, DOCTYPE, CDATA };

/* What is held, and c behind it: does it begin with this? */
static bool goes_on(const struct weft_html *html, const char *text, bool any_case, char c)
{
    size_t held = html->held_size_;
    if (any_case)
        c = weft_text_lower(c);
    for (size_t i = 0; i < held; i++) {
        if (text[i] != (any_case ? weft_text_lower(html->held_[i]) : html->held_[i]))
            return false;
    }
    return text[held] == c;
}

static int which(const struct weft_html *html, char c)
{
    if (goes_on(html, "--", false, c))
        return DASHES;
    if (goes_on(html, "doctype", true, c))
        return DOCTYPE;
    if ((html->cdata || html->foreign_ > 0) && goes_on(html, "[CDATA[", false, c))
        return CDATA;
    return -1;
}

static void open(struct weft_html *html, int what)
{
    html->held_size_ = 0;
    if (what == DASHES) {
        html_go(html, HTML_COMMENT_START);
    } else if (what == DOCTYPE) {
        html_go(html, HTML_IN_DOCTYPE);
    } else {
        html->mode_ = WEFT_HTML_CDATA;
        html_go(html, HTML_IN_TEXT);
    }
}

/* What was held is the beginning of a comment. */
static void make_bogus(struct weft_html *html, uint64_t end)
{
    html_go(html, HTML_BOGUS_COMMENT);
    emit(html, html->held_, html->held_size_, end, false);
    html->held_size_ = 0;
}

void weft__html_markup(struct weft_html *html, struct html_cursor *in)
{
    static const unsigned sizes[] = {[DASHES] = 2, [DOCTYPE] = 7, [CDATA] = 7};
    int what = which(html, *in->at);
    if (what < 0) {
        make_bogus(html, html_at(html, in));
        return;
    }
    html_hold(html, *in->at++);
    if (html->held_size_ == sizes[what])
        open(html, what);
}

void weft__html_comment_eof(struct weft_html *html)
{
    if (html->state_ == HTML_MARKUP)
        make_bogus(html, html->offset_);
    finish(html, html->offset_);
}
