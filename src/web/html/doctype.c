/* Doctypes: a name, and perhaps a public and a system identifier, each in quotes.
 *
 *     IN_DOCTYPE -> BEFORE_NAME -> NAME -> AFTER_NAME -> KEYWORD (PUBLIC or SYSTEM)
 *         -> BEFORE_ID -> ID -> BETWEEN (behind the public one), AFTER_ID
 *
 * What does not fit forces quirks mode, and leads to BOGUS if there is no way on: up to '>' nothing
 * counts any more. The standard has all states behind the keyword twice; here has_system_ says
 * which of the two identifiers we are at. */
#include "chars.h"
#include "tokenizer.h"

static const char public_word[] = "public", system_word[] = "system";

static void begin(struct weft_html *html)
{
    weft__html_buffer_reset(html);
    html->name_size_ = 0;
    html->force_quirks_ = html->has_name_ = html->has_public_ = html->has_system_ = false;
}

static struct weft_text part(const struct weft_html *html, bool there, size_t from, size_t to)
{
    return there ? weft_text(html->buffer_ != NULL ? html->buffer_ + from : "", to - from)
                 : weft_text(NULL, 0);
}

static void finish(struct weft_html *html, uint64_t end)
{
    html_go_text(html);
    if (!(html->wants & WEFT_HTML_WANTS_DOCTYPE))
        return;
    size_t public_end = html->has_system_ ? html->system_at_ : html->buffer_size_;
    struct weft_html_token token = {
        .type = WEFT_HTML_DOCTYPE,
        .name = part(html, html->has_name_, 0, html->name_size_),
        .public_id = part(html, html->has_public_, html->public_at_, public_end),
        .system_id = part(html, html->has_system_, html->system_at_, html->buffer_size_),
        .force_quirks = html->force_quirks_,
        .start = html->token_start_,
        .end = end,
    };
    weft__html_emit(html, &token);
}

/* Take the byte, and the '>' that it is. */
static void close(struct weft_html *html, struct html_cursor *in, bool quirks)
{
    in->at++;
    html->force_quirks_ |= quirks;
    finish(html, html_at(html, in));
}

static void bogus(struct weft_html *html)
{
    html->force_quirks_ = true;
    html_go(html, HTML_DOCTYPE_BOGUS);
}

/* One byte of a name or an identifier. */
static void put(struct weft_html *html, struct html_cursor *in, bool lower)
{
    char c = *in->at++;
    if (c == '\0') {
        weft__html_put(html, HTML_REPLACEMENT, 3);
    } else if (c == '\r') {
        if (in->at == in->end)
            html->pending_cr_ = true;
        else if (*in->at != '\n')
            weft__html_put(html, "\n", 1);
    } else {
        if (lower)
            c = weft_text_lower(c);
        weft__html_put(html, &c, 1);
    }
}

static void take_name(struct weft_html *html, struct html_cursor *in)
{
    char c = *in->at;
    if (c == '>') {
        html->name_size_ = html->buffer_size_;
        close(html, in, false);
    } else if (html_char(c, HTML_SPACE)) {
        html->name_size_ = html->buffer_size_;
        html_go(html, HTML_DOCTYPE_AFTER_NAME);
    } else {
        put(html, in, true);
    }
}

static void before_name(struct weft_html *html, struct html_cursor *in)
{
    if (*in->at == '>') {
        close(html, in, true);
        return;
    }
    html->has_name_ = true;
    html_go(html, HTML_DOCTYPE_NAME);
}

static void after_name(struct weft_html *html, struct html_cursor *in)
{
    char c = weft_text_lower(*in->at);
    if (c == '>') {
        close(html, in, false);
    } else if (c == 'p' || c == 's') {
        html->held_[0] = c;
        html->matched_ = 0;
        html_go(html, HTML_DOCTYPE_KEYWORD);
    } else {
        bogus(html);
    }
}

static bool wants_system(const struct weft_html *html)
{
    return html->held_[0] == 's' || html->has_public_;
}

/* A wrong byte in here is still looked at: it may be the '>'. */
static void keyword(struct weft_html *html, struct html_cursor *in)
{
    const char *word = html->held_[0] == 'p' ? public_word : system_word;
    if (weft_text_lower(*in->at) != word[html->matched_]) {
        bogus(html);
        return;
    }
    in->at++;
    if (++html->matched_ == sizeof public_word - 1)
        html_go(html, HTML_DOCTYPE_BEFORE_ID);
}

static void begin_id(struct weft_html *html, struct html_cursor *in)
{
    html->quote_ = *in->at++;
    html->item_at_ = html->buffer_size_;
    html->cut_ = false;
    if (wants_system(html)) {
        html->has_system_ = true;
        html->system_at_ = html->buffer_size_;
    } else {
        html->has_public_ = true;
        html->public_at_ = html->buffer_size_;
    }
    html_go(html, HTML_DOCTYPE_ID);
}

/* Behind a keyword an identifier has to come, behind a public one it may. */
static void before_id(struct weft_html *html, struct html_cursor *in)
{
    char c = *in->at;
    if (c == '"' || c == '\'')
        begin_id(html, in);
    else if (c == '>')
        close(html, in, html->state_ == HTML_DOCTYPE_BEFORE_ID);
    else
        bogus(html);
}

static void take_id(struct weft_html *html, struct html_cursor *in)
{
    char c = *in->at;
    if (c == html->quote_) {
        in->at++;
        html_go(html, html->has_system_ ? HTML_DOCTYPE_AFTER_ID : HTML_DOCTYPE_BETWEEN);
    } else if (c == '>') {
        close(html, in, true);
    } else {
        put(html, in, false);
    }
}

static void after_id(struct weft_html *html, struct html_cursor *in)
{
    if (*in->at == '>')
        close(html, in, false);
    else
        html_go(html, HTML_DOCTYPE_BOGUS); /* the one place where that is no reason for quirks */
}

/* The states in which blanks mean nothing. */
static bool ignores_blanks(unsigned state)
{
    return state != HTML_DOCTYPE_NAME && state != HTML_DOCTYPE_KEYWORD && state != HTML_DOCTYPE_ID;
}

void weft__html_doctype(struct weft_html *html, struct html_cursor *in)
{
    static html_state_fn *const steps[] = {
        [HTML_DOCTYPE_BEFORE_NAME - HTML_IN_DOCTYPE] = before_name,
        [HTML_DOCTYPE_NAME - HTML_IN_DOCTYPE] = take_name,
        [HTML_DOCTYPE_AFTER_NAME - HTML_IN_DOCTYPE] = after_name,
        [HTML_DOCTYPE_KEYWORD - HTML_IN_DOCTYPE] = keyword,
        [HTML_DOCTYPE_BEFORE_ID - HTML_IN_DOCTYPE] = before_id,
        [HTML_DOCTYPE_ID - HTML_IN_DOCTYPE] = take_id,
        [HTML_DOCTYPE_BETWEEN - HTML_IN_DOCTYPE] = before_id,
        [HTML_DOCTYPE_AFTER_ID - HTML_IN_DOCTYPE] = after_id,
        [HTML_DOCTYPE_BOGUS - HTML_IN_DOCTYPE] = after_id,
    };
    if (html->state_ == HTML_IN_DOCTYPE) {
        begin(html);
        html_go(html, HTML_DOCTYPE_BEFORE_NAME);
    }
    bool blank = ignores_blanks(html->state_) && html_char(*in->at, HTML_SPACE);
    if (blank || (html->state_ == HTML_DOCTYPE_BOGUS && *in->at != '>'))
        in->at++;
    else
        steps[html->state_ - HTML_IN_DOCTYPE](html, in);
}

void weft__html_doctype_eof(struct weft_html *html)
{
    if (html->state_ == HTML_IN_DOCTYPE)
        begin(html);
    if (html->state_ == HTML_DOCTYPE_NAME)
        html->name_size_ = html->buffer_size_;
    if (html->state_ != HTML_DOCTYPE_BOGUS)
        html->force_quirks_ = true;
    finish(html, html->offset_);
}
