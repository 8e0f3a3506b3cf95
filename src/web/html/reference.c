/* Character references, in texts and in values: "&amp;", "&#38;", "&#x26;".
 *
 * Names are not known by their end: of "&notit;" the longest name that fits is "not", and the rest
 * is text. So bytes are held back as long as there are names that begin with them: those are
 * [first_, last_) of the sorted table, which gets narrower with each byte. What fitted last is in
 * found_ and found_size_ (with '&'). In a value a name without ';' does not count if a letter, a
 * digit or '=' follows: "?a=1&copy=2" is a query.
 *
 * Of a number only its value is kept, and what stood before the digits in case none come. */
#include "chars.h"
#include "entities.h"
#include "tokenizer.h"

enum { CODE_TOO_BIG = 0x110000, NOT_FOUND = HTML_ENTITIES };

/* ---- what comes out -------------------------------------------------------------------------- */

static bool in_value(const struct weft_html *html)
{
    return html->return_ == HTML_VALUE_QUOTED || html->return_ == HTML_VALUE_UNQUOTED;
}

/* Bytes that stand for themselves; end is where they end. */
static void put_plain(struct weft_html *html, const char *data, size_t size, uint64_t end)
{
    if (in_value(html))
        weft__html_put(html, data, size);
    else
        weft__html_emit_text(html, data, size, end);
}

/* What the reference stands for; it ends at end. */
static void put_decoded(struct weft_html *html, const char *data, size_t size, uint64_t end)
{
    if (in_value(html))
        weft__html_put_change(html, data, size, html->reference_start_, end);
    else
        weft__html_emit_text(html, data, size, end);
}

static void leave(struct weft_html *html)
{
    html->held_size_ = 0;
    html_go(html, html->return_);
}

/* It was none. */
static void give_up(struct weft_html *html, uint64_t end)
{
    put_plain(html, html->held_, html->held_size_, end);
    leave(html);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* The byte at this place of a name; 0 behind its end. */
static char name_at(unsigned entity, unsigned place)
{
    const char *at = weft__html_entities + weft__html_entity_at[entity] + place;
    return *at == ' ' || *at == '=' ? '\0' : *at;
}

/* The first in [first_, last_) whose byte at place is not below c. */
static unsigned lower_bound(const struct weft_html *html, unsigned place, char c)
{
    unsigned low = html->first_, high = html->last_;
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        if (name_at(middle, place) < c)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void note_match(struct weft_html *html, unsigned size)
{
    html->found_ = html->first_;
    html->found_size_ = size;
}

/* One byte more of the name; false: no name goes on like this. */
static bool narrow(struct weft_html *html, char c)
{
    unsigned place = html->held_size_ - 1; /* without '&' */
    bool complete = place > 0 && name_at(html->first_, place) == '\0';
    if (c == ';') {
        if (complete)
            note_match(html, html->held_size_ + 1);
        return complete;
    }
    if (!html_char(c, HTML_ALPHA | HTML_DIGIT))
        return false;
    unsigned first = lower_bound(html, place, c);
    unsigned last = lower_bound(html, place, (char)(c + 1));
    if (first == last)
        return false;
    html->first_ = first;
    html->last_ = last;
    const char *behind = weft__html_entities + weft__html_entity_at[first] + place + 1;
    if (*behind == ' ')
        note_match(html, html->held_size_ + 1);
    return true;
}

static void put_entity(struct weft_html *html, uint64_t end)
{
    const char *at = weft__html_entities + weft__html_entity_at[html->found_];
    const char *entity_end = weft__html_entities + weft__html_entity_at[html->found_ + 1];
    while (*at != ' ' && *at != '=')
        at++;
    at++;
    put_decoded(html, at, (size_t)(entity_end - at), end);
}

/* No byte more belongs to it; next follows what is held, 0 at the end of the document. */
static void finish_name(struct weft_html *html, char next, uint64_t end)
{
    unsigned size = html->found_size_, held = html->held_size_;
    if (html->found_ == NOT_FOUND) {
        give_up(html, end);
        return;
    }
    if (size < held)
        next = html->held_[size];
    bool closed = html->held_[size - 1] == ';';
    if (in_value(html) && !closed && (next == '=' || html_char(next, HTML_ALPHA | HTML_DIGIT))) {
        give_up(html, end);
        return;
    }
    put_entity(html, end - (held - size));
    put_plain(html, html->held_ + size, held - size, end);
    leave(html);
}

static void take_name(struct weft_html *html, struct html_cursor *in)
{
    while (in->at < in->end) {
        char c = *in->at;
        if (!narrow(html, c)) {
            finish_name(html, c, html_at(html, in));
            return;
        }
        html_hold(html, c);
        in->at++;
        if (c == ';') {
            finish_name(html, '\0', html_at(html, in));
            return;
        }
    }
}

/* ---- numbers --------------------------------------------------------------------------------- */

static uint32_t repair(uint32_t code)
{
    if (code == 0 || code >= CODE_TOO_BIG || (code >= 0xD800 && code <= 0xDFFF))
        return 0xFFFD;
    return html_windows_1252(code);
}

static size_t utf8(char to[4], uint32_t code)
{
    if (code < 0x80) {
        to[0] = (char)code;
        return 1;
    }
    size_t size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = size; i-- > 1; code >>= 6)
        to[i] = (char)(0x80 | (code & 0x3F));
    to[0] = (char)(leads[size] | code);
    return size;
}

static void finish_number(struct weft_html *html, uint64_t end)
{
    char bytes[4];
    size_t size = utf8(bytes, repair(html->code_));
    put_decoded(html, bytes, size, end);
    leave(html);
}

static uint32_t digit_value(char c)
{
    return (uint32_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
}

static void take_digits(struct weft_html *html, struct html_cursor *in, unsigned kind,
                        uint32_t base)
{
    for (; in->at < in->end && html_char(*in->at, kind); in->at++) {
        html->code_ = html->code_ * base + digit_value(*in->at);
        if (html->code_ > CODE_TOO_BIG)
            html->code_ = CODE_TOO_BIG;
    }
    if (in->at == in->end)
        return;
    if (*in->at == ';')
        in->at++;
    finish_number(html, html_at(html, in));
}

/* Behind "&#" or "&#x": digits, or it was nothing. */
static void begin_digits(struct weft_html *html, struct html_cursor *in, unsigned kind,
                         enum html_state state)
{
    html->code_ = 0;
    if (html_char(*in->at, kind))
        html_go(html, state);
    else
        give_up(html, html_at(html, in));
}

/* ---- states ---------------------------------------------------------------------------------- */

static void begin(struct weft_html *html, struct html_cursor *in)
{
    if (html->held_size_ == 0) {
        html_hold(html, *in->at++); /* the '&' */
        return;
    }
    char c = *in->at;
    if (c == '#') {
        html_hold(html, c);
        in->at++;
        html_go(html, HTML_REFERENCE_NUMBER);
    } else if (html_char(c, HTML_ALPHA | HTML_DIGIT)) {
        html->first_ = 0;
        html->last_ = HTML_ENTITIES;
        html->found_ = NOT_FOUND;
        html_go(html, HTML_REFERENCE_NAME);
    } else {
        give_up(html, html_at(html, in));
    }
}

static void take_number_sign(struct weft_html *html, struct html_cursor *in)
{
    if ((*in->at | 0x20) == 'x') {
        html_hold(html, *in->at++);
        html_go(html, HTML_REFERENCE_HEX_START);
    } else {
        begin_digits(html, in, HTML_DIGIT, HTML_REFERENCE_DECIMAL);
    }
}

void weft__html_reference(struct weft_html *html, struct html_cursor *in)
{
    switch (html->state_) {
    case HTML_REFERENCE:
        begin(html, in);
        break;
    case HTML_REFERENCE_NAME:
        take_name(html, in);
        break;
    case HTML_REFERENCE_NUMBER:
        take_number_sign(html, in);
        break;
    case HTML_REFERENCE_HEX_START:
        begin_digits(html, in, HTML_HEX, HTML_REFERENCE_HEX);
        break;
    case HTML_REFERENCE_HEX:
        take_digits(html, in, HTML_HEX, 16);
        break;
    default:
        take_digits(html, in, HTML_DIGIT, 10);
        break;
    }
}

void weft__html_reference_eof(struct weft_html *html)
{
    if (html->state_ == HTML_REFERENCE_NAME)
        finish_name(html, '\0', html->offset_);
    else if (html->state_ == HTML_REFERENCE_HEX || html->state_ == HTML_REFERENCE_DECIMAL)
        finish_number(html, html->offset_);
    else
        give_up(html, html->offset_);
}
