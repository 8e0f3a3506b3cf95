/* The tokenizer's frame: pieces in, tokens out.
 *
 * A piece is worked through by the function of the state we are in, until it is used up; see
 * tokenizer.h. Positions are counted from the first byte of the document: offset_ is that of the
 * piece, a cursor knows how far into it we are.
 *
 * Newlines: CR LF is LF, and so is a lone CR. Where a CR counts, its state looks at the byte behind
 * it. If the piece ends there, pending_cr_ stays behind, and the next piece decides: the CR is
 * dropped before a LF, otherwise a LF takes its place. */
#include "tokenizer.h"
#include <weft/alloc.h>
#include <uv.h>

static html_state_fn *const states[HTML_STATES] = {
    [HTML_IN_TEXT] = weft__html_text,
    [HTML_TEXT_LESS] = weft__html_text_less,
    [HTML_TEXT_END_NAME] = weft__html_text_end_name,
    [HTML_CDATA_BRACKET] = weft__html_cdata_bracket,
    [HTML_CDATA_END] = weft__html_cdata_end,
    [HTML_SCRIPT_TEXT... HTML_SCRIPT_DOUBLE_END] = weft__html_script,
    [HTML_TAG_OPEN] = weft__html_tag_open,
    [HTML_END_TAG_OPEN] = weft__html_end_tag_open,
    [HTML_TAG_NAME] = weft__html_tag_name,
    [HTML_BEFORE_NAME] = weft__html_before_name,
    [HTML_NAME] = weft__html_name,
    [HTML_AFTER_NAME] = weft__html_after_name,
    [HTML_BEFORE_VALUE] = weft__html_before_value,
    [HTML_VALUE_QUOTED] = weft__html_value_quoted,
    [HTML_VALUE_UNQUOTED] = weft__html_value_unquoted,
    [HTML_AFTER_VALUE] = weft__html_after_value,
    [HTML_SELF_CLOSING] = weft__html_self_closing,
    [HTML_REFERENCE... HTML_REFERENCE_DECIMAL] = weft__html_reference,
    [HTML_MARKUP] = weft__html_markup,
    [HTML_BOGUS_COMMENT] = weft__html_bogus_comment,
    [HTML_COMMENT_START... HTML_COMMENT_END_BANG] = weft__html_comment,
    [HTML_IN_DOCTYPE... HTML_DOCTYPE_BOGUS] = weft__html_doctype,
};

void weft__html_emit(struct weft_html *html, const struct weft_html_token *token)
{
    if (html->status_ != 0)
        return;
    int status = html->on_token(html, token);
    if (status < 0)
        html->status_ = status;
}

void weft__html_emit_text(struct weft_html *html, const char *data, size_t size, uint64_t end)
{
    if (size == 0 || !html_wants_text(html))
        return;
    struct weft_html_token token = {
        .type = WEFT_HTML_TEXT, .text = weft_text(data, size), .start = end - size, .end = end};
    weft__html_emit(html, &token);
}

void weft__html_emit_held(struct weft_html *html, uint64_t end)
{
    weft__html_emit_text(html, html->held_, html->held_size_, end);
    html->held_size_ = 0;
}

static void run(struct weft_html *html, const char *data, size_t size)
{
    struct html_cursor in = {.at = data, .end = data + size, .begin = data};
    while (in.at < in.end && html->status_ == 0)
        states[html->state_](html, &in);
}

/* The CR at the end of the piece before: what is it, now that next is known? */
static void settle_cr(struct weft_html *html, char next)
{
    html->pending_cr_ = false;
    bool in_value = html->state_ == HTML_VALUE_QUOTED;
    if (next != '\n')
        run(html, "\n", 1);
    else if (in_value)
        weft__html_put_change(html, "", 0, html->offset_ - 1, html->offset_);
}

int weft_html_begin(struct weft_html *html)
{
    if (html->on_token == NULL)
        return UV_EINVAL;
    html->status_ = 0;
    html->ended_ = false;
    html->pending_cr_ = false;
    html->offset_ = 0;
    html->held_size_ = 0;
    html->end_name_size_ = 0;
    html->mode_ = WEFT_HTML_DATA;
    html->next_mode_ = WEFT_HTML_DATA;
    html->foreign_ = 0;
    html_go_text(html);
    weft__html_buffer_reset(html);
    return 0;
}

int weft_html_feed(struct weft_html *html, const char *data, size_t size)
{
    if (html->on_token == NULL || html->ended_)
        return html->status_ != 0 ? html->status_ : UV_EINVAL;
    if (size == 0 || html->status_ != 0)
        return html->status_;
    if (html->pending_cr_)
        settle_cr(html, data[0]);
    if (html->status_ == 0)
        run(html, data, size);
    html->offset_ += size;
    return html->status_;
}

static void close_open(struct weft_html *html)
{
    unsigned state = html->state_;
    if (state <= HTML_CDATA_END)
        weft__html_text_eof(html);
    else if (state <= HTML_SCRIPT_DOUBLE_END)
        weft__html_script_eof(html);
    else if (state == HTML_TAG_OPEN)
        weft__html_emit_text(html, "<", 1, html->offset_);
    else if (state == HTML_END_TAG_OPEN)
        weft__html_emit_text(html, "</", 2, html->offset_);
    else if (state >= HTML_MARKUP && state <= HTML_COMMENT_END_BANG)
        weft__html_comment_eof(html);
    else if (state >= HTML_IN_DOCTYPE)
        weft__html_doctype_eof(html);
}

int weft_html_end(struct weft_html *html)
{
    if (html->on_token == NULL || html->ended_)
        return html->status_ != 0 ? html->status_ : UV_EINVAL;
    html->ended_ = true;
    if (html->status_ == 0 && html->pending_cr_)
        settle_cr(html, '\0');
    if (html->state_ >= HTML_REFERENCE && html->state_ <= HTML_REFERENCE_DECIMAL)
        weft__html_reference_eof(html);
    if (html->status_ == 0)
        close_open(html);
    struct weft_html_token token = {
        .type = WEFT_HTML_EOF, .start = html->offset_, .end = html->offset_};
    weft__html_emit(html, &token);
    return html->status_;
}

void weft_html_free(struct weft_html *html)
{
    weft_free(html->buffer_);
    weft_free(html->attributes_);
    weft_free(html->changes_);
    html->buffer_ = NULL;
    html->buffer_room_ = html->buffer_size_ = 0;
    html->attributes_ = NULL;
    html->attribute_room_ = html->attribute_count_ = 0;
    html->changes_ = NULL;
    html->change_room_ = html->change_count_ = 0;
    html->ended_ = true;
}

int weft_html_switch(struct weft_html *html, enum weft_html_mode mode, struct weft_text name)
{
    if ((unsigned)mode > WEFT_HTML_CDATA || name.size > 32)
        return UV_EINVAL;
    html->mode_ = html->next_mode_ = mode;
    if (name.size > 0)
        memcpy(html->end_name_, name.data, name.size);
    html->end_name_size_ = (unsigned)name.size;
    html_go_text(html);
    return 0;
}
