/* The tokenizer within the room: its states, what they share, and where each family of them lives.
 *
 * A state is a function that takes bytes from a cursor until it changes the state, an error comes
 * up, or the piece ends. It can be called again with the next piece: whatever it has to remember is
 * in struct weft_html. Each family also knows what the end of the document means in its states. */
#ifndef WEFT_WEB_HTML_TOKENIZER_H
#define WEFT_WEB_HTML_TOKENIZER_H

#include <weft/html.h>

struct html_cursor {
    const char *at, *end;
    const char *begin; /* html->offset_ is where this byte stands in the document */
};

enum html_state {
    /* text.c; which of the modes it is stands in html->mode_ */
    HTML_IN_TEXT,
    HTML_TEXT_LESS,     /* behind '<' in RCDATA and RAWTEXT */
    HTML_TEXT_END_NAME, /* behind "</" */
    HTML_CDATA_BRACKET,
    HTML_CDATA_END,
    /* script.c */
    HTML_SCRIPT_TEXT,
    HTML_SCRIPT_LESS,
    HTML_SCRIPT_ESCAPE_START,
    HTML_SCRIPT_ESCAPE_START_DASH,
    HTML_SCRIPT_ESCAPED,
    HTML_SCRIPT_ESCAPED_DASH,
    HTML_SCRIPT_ESCAPED_DASH_DASH,
    HTML_SCRIPT_ESCAPED_LESS,
    HTML_SCRIPT_DOUBLE_START,
    HTML_SCRIPT_DOUBLE,
    HTML_SCRIPT_DOUBLE_DASH,
    HTML_SCRIPT_DOUBLE_DASH_DASH,
    HTML_SCRIPT_DOUBLE_LESS,
    HTML_SCRIPT_DOUBLE_END,
    /* tag.c */
    HTML_TAG_OPEN,
    HTML_END_TAG_OPEN,
    HTML_TAG_NAME,
    HTML_BEFORE_NAME,
    HTML_NAME,
    HTML_AFTER_NAME,
    HTML_BEFORE_VALUE,
    HTML_VALUE_QUOTED,
    HTML_VALUE_UNQUOTED,
    HTML_AFTER_VALUE,
    HTML_SELF_CLOSING,
    /* reference.c */
    HTML_REFERENCE,
    HTML_REFERENCE_NAME,
    HTML_REFERENCE_NUMBER,
    HTML_REFERENCE_HEX_START,
    HTML_REFERENCE_HEX,
    HTML_REFERENCE_DECIMAL,
    /* comment.c */
    HTML_MARKUP,
    HTML_BOGUS_COMMENT,
    HTML_COMMENT_START,
    HTML_COMMENT_START_DASH,
    HTML_IN_COMMENT,
    HTML_COMMENT_END_DASH,
    HTML_COMMENT_END,
    HTML_COMMENT_END_BANG,
    /* doctype.c */
    HTML_IN_DOCTYPE,
    HTML_DOCTYPE_BEFORE_NAME,
    HTML_DOCTYPE_NAME,
    HTML_DOCTYPE_AFTER_NAME,
    HTML_DOCTYPE_KEYWORD,
    HTML_DOCTYPE_BEFORE_ID,
    HTML_DOCTYPE_ID,
    HTML_DOCTYPE_AFTER_ID,
    HTML_DOCTYPE_BETWEEN,
    HTML_DOCTYPE_BOGUS,
    HTML_STATES
};

typedef void html_state_fn(struct weft_html *html, struct html_cursor *in);

html_state_fn weft__html_text, weft__html_text_less, weft__html_text_end_name,
    weft__html_cdata_bracket, weft__html_cdata_end;
html_state_fn weft__html_script;
html_state_fn weft__html_tag_open, weft__html_end_tag_open, weft__html_tag_name,
    weft__html_before_name, weft__html_name, weft__html_after_name, weft__html_before_value,
    weft__html_value_quoted, weft__html_value_unquoted, weft__html_after_value,
    weft__html_self_closing;
html_state_fn weft__html_reference;
html_state_fn weft__html_markup, weft__html_bogus_comment, weft__html_comment;
html_state_fn weft__html_doctype;

/* Behind '<' or "</": begin a tag, whose name comes now. */
void weft__html_begin_tag(struct weft_html *html, bool is_end);

/* The document ends in one of their states. */
void weft__html_text_eof(struct weft_html *html);
void weft__html_script_eof(struct weft_html *html);
void weft__html_reference_eof(struct weft_html *html);
void weft__html_comment_eof(struct weft_html *html);
void weft__html_doctype_eof(struct weft_html *html);

/* ---- html.c: tokens out ---------------------------------------------------------------------- */

void weft__html_emit(struct weft_html *html, const struct weft_html_token *token);
/* A piece of text, if it is not empty and wanted. end: where in the document it ends. */
void weft__html_emit_text(struct weft_html *html, const char *data, size_t size, uint64_t end);
/* What was held back is text after all. */
void weft__html_emit_held(struct weft_html *html, uint64_t end);

/* ---- dull.c: tags that are of no interest --------------------------------------------------- */

/* At '<': the next one that may be of interest, or end. For data outside of SVG and MathML, of which
 * only links are wanted. */
const char *weft__html_skip_dull(const char *at, const char *end);

/* ---- element.c: what a builder of a tree would do -------------------------------------------- */

/* The name of a tag is known. */
void weft__html_element(struct weft_html *html, struct weft_text name);
/* The tag is complete: the mode that follows it, and whether we are in SVG or MathML. */
void weft__html_element_done(struct weft_html *html);

/* ---- buffer.c: the names and values of one tag or doctype ------------------------------------ */

/* Forget what is in it, and begin the first item. */
void weft__html_buffer_reset(struct weft_html *html);
/* Append to the item that began at item_at_; cut_ says if it became too long. */
void weft__html_put(struct weft_html *html, const char *data, size_t size);
/* Append the name that begins here, in small letters, up to a byte of these kinds; where it
 * stops. */
const char *weft__html_put_name(struct weft_html *html, const char *at, const char *end,
                                unsigned stops);
/* Append to a value what stands for [start, end) of the document. */
void weft__html_put_change(struct weft_html *html, const char *data, size_t size, uint64_t start,
                           uint64_t end);
/* Room for one attribute more, zeroed and counted; NULL: no memory. */
struct weft_html_attribute *weft__html_attribute_add(struct weft_html *html);

/* ---- source.c -------------------------------------------------------------------------------- */

/* How many changes end at or before this byte of the value. */
size_t weft__html_changes_before(const struct weft_html_attribute *attribute, size_t at);

/* ---- small things ---------------------------------------------------------------------------- */

#define HTML_REPLACEMENT "\xEF\xBF\xBD" /* U+FFFD */

static inline uint64_t html_at(const struct weft_html *html, const struct html_cursor *in)
{
    return html->offset_ + (uint64_t)(in->at - in->begin);
}

static inline void html_go(struct weft_html *html, enum html_state state)
{
    html->state_ = state;
}

/* The state in which text of this mode is read. */
static inline void html_go_text(struct weft_html *html)
{
    html_go(html, html->mode_ == WEFT_HTML_SCRIPT ? HTML_SCRIPT_TEXT : HTML_IN_TEXT);
}

static inline bool html_wants_text(const struct weft_html *html)
{
    return (html->wants & WEFT_HTML_WANTS_TEXT) != 0;
}

/* Are texts decoded, or passed over or on as they are? */
static inline bool html_decodes_text(const struct weft_html *html)
{
    return html_wants_text(html) && !html->raw_text;
}

/* At '&': back to the state that we are in afterwards. */
static inline void html_begin_reference(struct weft_html *html, uint64_t at)
{
    html->held_size_ = 0;
    html->reference_start_ = at;
    html->return_ = html->state_;
    html_go(html, HTML_REFERENCE);
}

static inline void html_hold(struct weft_html *html, char c)
{
    if (html->held_size_ < sizeof html->held_)
        html->held_[html->held_size_++] = c;
}

#endif
