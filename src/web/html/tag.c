/* Tags: their names, their attributes, and the values of those.
 *
 *     TAG_OPEN -> TAG_NAME -> BEFORE_NAME -> NAME -> BEFORE_VALUE -> VALUE -> AFTER_VALUE -> ...
 *
 * Each step is a function that leaves html->state_ as it should be if the piece ended now, and
 * returns true if the next step in this line can go on at once: so a whole tag is one run through
 * the loop in attributes(), and any byte can be the last of a piece.
 *
 * What is wanted is asked twice: for the tag as soon as its name is known (interest_), and for each
 * attribute (keep_). Only names that have to be asked about and values that are kept are copied. */
#include "chars.h"
#include "tokenizer.h"

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && html_char(*at, HTML_SPACE))
        at++;
    return at;
}

/* Up to the end of a name, or of the piece. */
static const char *take_name(struct weft_html *html, struct html_cursor *in, bool copy,
                             unsigned stops)
{
    in->at = copy ? weft__html_put_name(html, in->at, in->end, stops)
                  : html_find(in->at, in->end, stops);
    return in->at;
}

/* ---- the whole tag --------------------------------------------------------------------------- */

void weft__html_begin_tag(struct weft_html *html, bool is_end)
{
    html->is_end_ = is_end;
    html->self_closing_ = false;
    html->next_mode_ = WEFT_HTML_DATA;
    weft__html_buffer_reset(html);
    html_go(html, HTML_TAG_NAME);
}

/* Does anybody ask for the name of this tag? */
static bool needs_name(const struct weft_html *html)
{
    return !html->is_end_ || (html->wants & WEFT_HTML_WANTS_END_TAGS) || html->foreign_ > 0;
}

static void name_tag(struct weft_html *html)
{
    html->name_size_ = html->buffer_size_;
    html->interest_ = WEFT_HTML_SKIP;
    html->report_ = (html->wants & WEFT_HTML_WANTS_END_TAGS) != 0;
    struct weft_text name = weft_text(html->buffer_, html->name_size_);
    if (!html->is_end_) {
        html->interest_ =
            html->wants_tag != NULL ? html->wants_tag(html, name) : (unsigned)WEFT_HTML_TAKE;
        html->report_ = html->interest_ != WEFT_HTML_SKIP;
    }
    if (html->elements && needs_name(html))
        weft__html_element(html, name);
}

static void report_tag(struct weft_html *html, uint64_t end)
{
    struct weft_html_token token = {
        .type = html->is_end_ ? WEFT_HTML_END_TAG : WEFT_HTML_START_TAG,
        .name = weft_text(html->buffer_, html->name_size_),
        .attributes = html->attributes_,
        .attribute_count = html->attribute_count_,
        .self_closing = html->self_closing_,
        .start = html->token_start_,
        .end = end,
    };
    const struct weft_html_change *changes = html->changes_;
    for (size_t i = 0; html->change_count_ > 0 && i < token.attribute_count; i++) {
        token.attributes[i].changes = changes;
        changes += token.attributes[i].change_count;
    }
    weft__html_emit(html, &token);
}

/* At '>'. */
static void finish_tag(struct weft_html *html, struct html_cursor *in)
{
    in->at++;
    if (html->elements && needs_name(html))
        weft__html_element_done(html);
    html->mode_ = html->next_mode_;
    html_go_text(html);
    if (html->report_ && (html->interest_ != WEFT_HTML_IF_ANY || html->attribute_count_ > 0))
        report_tag(html, html_at(html, in));
}

/* ---- attributes ------------------------------------------------------------------------------ */

static void begin_name(struct weft_html *html)
{
    html->item_at_ = html->buffer_size_;
    html->cut_ = false;
    html_go(html, HTML_NAME);
}

static bool has_attribute(const struct weft_html *html, struct weft_text name)
{
    for (size_t i = 0; i < html->attribute_count_; i++) {
        if (weft_text_equal(html->attributes_[i].name, name))
            return true;
    }
    return false;
}

static bool wants_attribute(struct weft_html *html, struct weft_text name)
{
    return !html->cut_ && html->attribute_count_ < WEFT_HTML_ATTRIBUTES_MAX &&
           (html->wants_attribute == NULL || html->wants_attribute(html, name)) &&
           !has_attribute(html, name);
}

/* The name is complete; at: where a value would stand if there is none. */
static void name_attribute(struct weft_html *html, uint64_t at)
{
    html->keep_ = false;
    if (html->interest_ == WEFT_HTML_SKIP || html->status_ != 0)
        return;
    size_t size = html->buffer_size_ - html->item_at_;
    struct weft_text name = weft_text(html->buffer_ + html->item_at_, size);
    if (!wants_attribute(html, name)) {
        html->buffer_size_ = html->item_at_;
        return;
    }
    struct weft_html_attribute *attribute = weft__html_attribute_add(html);
    if (attribute == NULL)
        return;
    attribute->name = name;
    attribute->value = weft_text(html->buffer_ + html->buffer_size_, 0);
    attribute->start = attribute->end = at;
    html->item_at_ = html->buffer_size_;
    html->keep_ = true;
}

static void begin_value(struct weft_html *html, char quote, uint64_t at)
{
    html->quote_ = quote;
    html_go(html, quote != 0 ? HTML_VALUE_QUOTED : HTML_VALUE_UNQUOTED);
    if (!html->keep_)
        return;
    struct weft_html_attribute *attribute = &html->attributes_[html->attribute_count_ - 1];
    attribute->quote = quote;
    attribute->start = at;
    html->value_changes_ = html->change_count_;
}

static void end_value(struct weft_html *html, uint64_t at)
{
    if (!html->keep_)
        return;
    struct weft_html_attribute *attribute = &html->attributes_[html->attribute_count_ - 1];
    attribute->value.size = html->buffer_size_ - html->item_at_;
    attribute->end = at;
    attribute->cut = html->cut_;
    attribute->change_count = html->change_count_ - html->value_changes_;
}

/* ---- the steps ------------------------------------------------------------------------------- */

/* At what stands behind a name, a value or a '/', which means the same everywhere. */
static bool take_stop(struct weft_html *html, struct html_cursor *in)
{
    if (*in->at == '>') {
        finish_tag(html, in);
        return false;
    }
    if (*in->at == '/') {
        in->at++;
        html_go(html, HTML_SELF_CLOSING);
        return false;
    }
    html_go(html, HTML_BEFORE_NAME);
    return true;
}

static bool before_name(struct weft_html *html, struct html_cursor *in)
{
    in->at = skip_blanks(in->at, in->end);
    if (in->at == in->end)
        return false;
    char c = *in->at;
    if (c == '>' || c == '/')
        return take_stop(html, in);
    begin_name(html);
    if (c == '=') { /* only as the first byte is it one of a name */
        in->at++;
        if (html->interest_ != WEFT_HTML_SKIP)
            weft__html_put(html, "=", 1);
    }
    return in->at < in->end;
}

static bool name(struct weft_html *html, struct html_cursor *in)
{
    bool copy = html->interest_ != WEFT_HTML_SKIP;
    const char *stop = take_name(html, in, copy, HTML_NAME_STOP);
    if (stop == in->end)
        return false;
    if (*stop == '\0') {
        in->at++;
        if (copy)
            weft__html_put(html, HTML_REPLACEMENT, 3);
        return false;
    }
    name_attribute(html, html_at(html, in));
    if (*stop != '=') {
        html_go(html, HTML_AFTER_NAME);
        return false;
    }
    in->at++;
    html_go(html, HTML_BEFORE_VALUE);
    return in->at < in->end;
}

static bool after_name(struct weft_html *html, struct html_cursor *in)
{
    in->at = skip_blanks(in->at, in->end);
    if (in->at == in->end)
        return false;
    if (*in->at != '=')
        return take_stop(html, in);
    in->at++;
    html_go(html, HTML_BEFORE_VALUE);
    return false;
}

static bool before_value(struct weft_html *html, struct html_cursor *in)
{
    in->at = skip_blanks(in->at, in->end);
    if (in->at == in->end)
        return false;
    char c = *in->at;
    if (c == '>') {
        finish_tag(html, in);
        return false;
    }
    if (c != '"' && c != '\'') {
        begin_value(html, 0, html_at(html, in));
        return true;
    }
    in->at++;
    begin_value(html, c, html_at(html, in));
    return in->at < in->end;
}

/* At '&', CR or NUL in a value that is kept; also at an end that it does not look at. */
static void take_special(struct weft_html *html, struct html_cursor *in)
{
    uint64_t at = html_at(html, in);
    char c = *in->at;
    if (c == '&') {
        html_begin_reference(html, at);
        return;
    }
    in->at++;
    if (c == '\0')
        weft__html_put_change(html, HTML_REPLACEMENT, 3, at, at + 1);
    else if (in->at == in->end)
        html->pending_cr_ = true;
    else if (*in->at == '\n')
        weft__html_put_change(html, "", 0, at, at + 1);
    else
        weft__html_put(html, "\n", 1);
}

/* Up to the quote that ends the value, or to what cannot be taken as it is. */
static const char *find_quoted_stop(const struct weft_html *html, const struct html_cursor *in)
{
    if (html->keep_) {
        unsigned quote = html->quote_ == '"' ? HTML_STOP_DOUBLE : HTML_STOP_SINGLE;
        return html_find(in->at, in->end, quote | HTML_STOP_AMP | HTML_STOP_CR | HTML_STOP_NUL);
    }
    const char *found = memchr(in->at, html->quote_, (size_t)(in->end - in->at));
    return found != NULL ? found : in->end;
}

static bool value_quoted(struct weft_html *html, struct html_cursor *in)
{
    const char *stop = find_quoted_stop(html, in);
    if (html->keep_)
        weft__html_put(html, in->at, (size_t)(stop - in->at));
    in->at = stop;
    if (stop == in->end)
        return false;
    if (*stop != html->quote_) {
        take_special(html, in);
        return false;
    }
    end_value(html, html_at(html, in));
    in->at++;
    html_go(html, HTML_AFTER_VALUE);
    return in->at < in->end;
}

/* Here a CR is a blank, and so ends it. */
static bool value_unquoted(struct weft_html *html, struct html_cursor *in)
{
    const char *stop = html_find(in->at, in->end, HTML_VALUE_STOP);
    if (html->keep_)
        weft__html_put(html, in->at, (size_t)(stop - in->at));
    in->at = stop;
    if (stop == in->end)
        return false;
    bool ends = *stop == '>' || html_char(*stop, HTML_SPACE);
    if (!ends && html->keep_) {
        take_special(html, in);
        return false;
    }
    if (!ends) {
        in->at++;
        return false;
    }
    end_value(html, html_at(html, in));
    return take_stop(html, in);
}

static bool value(struct weft_html *html, struct html_cursor *in)
{
    if (html->state_ == HTML_VALUE_QUOTED)
        return value_quoted(html, in) && take_stop(html, in);
    return value_unquoted(html, in);
}

static void attributes(struct weft_html *html, struct html_cursor *in)
{
    while (before_name(html, in) && name(html, in) && before_value(html, in) && value(html, in))
        ;
}

/* ---- the states ------------------------------------------------------------------------------ */

void weft__html_tag_open(struct weft_html *html, struct html_cursor *in)
{
    char c = *in->at;
    if (html_char(c, HTML_ALPHA)) {
        weft__html_begin_tag(html, false);
        weft__html_tag_name(html, in);
    } else if (c == '/') {
        in->at++;
        html_go(html, HTML_END_TAG_OPEN);
        if (in->at < in->end)
            weft__html_end_tag_open(html, in);
    } else if (c == '!') {
        in->at++;
        html->held_size_ = 0;
        html_go(html, HTML_MARKUP);
    } else if (c == '?') {
        html_go(html, HTML_BOGUS_COMMENT);
    } else {
        html_go_text(html);
        weft__html_emit_text(html, "<", 1, html_at(html, in));
    }
}

void weft__html_end_tag_open(struct weft_html *html, struct html_cursor *in)
{
    if (html_char(*in->at, HTML_ALPHA)) {
        weft__html_begin_tag(html, true);
        weft__html_tag_name(html, in);
    } else if (*in->at == '>') {
        in->at++;
        html_go_text(html);
    } else {
        html_go(html, HTML_BOGUS_COMMENT);
    }
}

void weft__html_tag_name(struct weft_html *html, struct html_cursor *in)
{
    bool copy = needs_name(html);
    const char *stop = take_name(html, in, copy, HTML_TAG_STOP);
    if (stop == in->end)
        return;
    if (*stop == '\0') {
        in->at++;
        if (copy)
            weft__html_put(html, HTML_REPLACEMENT, 3);
        return;
    }
    if (html->status_ != 0)
        return;
    name_tag(html);
    if (take_stop(html, in))
        attributes(html, in);
}

void weft__html_before_name(struct weft_html *html, struct html_cursor *in)
{
    attributes(html, in);
}

void weft__html_name(struct weft_html *html, struct html_cursor *in)
{
    name(html, in);
}

void weft__html_after_name(struct weft_html *html, struct html_cursor *in)
{
    after_name(html, in);
}

void weft__html_before_value(struct weft_html *html, struct html_cursor *in)
{
    before_value(html, in);
}

void weft__html_value_quoted(struct weft_html *html, struct html_cursor *in)
{
    value_quoted(html, in);
}

void weft__html_value_unquoted(struct weft_html *html, struct html_cursor *in)
{
    value_unquoted(html, in);
}

void weft__html_after_value(struct weft_html *html, struct html_cursor *in)
{
    take_stop(html, in);
}

void weft__html_self_closing(struct weft_html *html, struct html_cursor *in)
{
    if (*in->at == '>') {
        html->self_closing_ = true;
        finish_tag(html, in);
        return;
    }
    html_go(html, HTML_BEFORE_NAME);
}
