/* Scripts: where "</script>" ends them and where it does not.
 *
 * Old pages hide their scripts in "<!-- -->", and write "<script>...</script>" from within. So the
 * standard has two levels: ESCAPED, behind "<!--", and DOUBLE, behind "<script" within that, where
 * the next "</script" only leads back to ESCAPED. The two levels are made the same way, and "-->"
 * leads from both to plain script text.
 *
 * Everything here is text. Bytes go out in runs; only "<" and "</script" are held back, where they
 * may be an end tag. That itself is matched by text.c, which comes back to return_. */
#include "chars.h"
#include "tokenizer.h"

static const char script[] = "script";

static unsigned stops_of(const struct weft_html *html)
{
    unsigned stops = HTML_STOP_LESS;
    if (html->state_ != HTML_SCRIPT_TEXT)
        stops |= HTML_STOP_DASH;
    if (html_decodes_text(html))
        stops |= HTML_STOP_CR | HTML_STOP_NUL;
    return stops;
}

static const char *find_stop(const struct weft_html *html, const struct html_cursor *in)
{
    unsigned stops = stops_of(html);
    if (stops != HTML_STOP_LESS)
        return html_find(in->at, in->end, stops);
    const char *found = memchr(in->at, '<', (size_t)(in->end - in->at));
    return found != NULL ? found : in->end;
}

static void emit_one(struct weft_html *html, struct html_cursor *in)
{
    in->at++;
    weft__html_emit_text(html, in->at - 1, 1, html_at(html, in));
}

/* Behind a run of the three kinds of text: dash and less say where those lead. */
static void take_stop(struct weft_html *html, struct html_cursor *in, enum html_state dash,
                      enum html_state less)
{
    char c = *in->at;
    if (c == '<') {
        html->token_start_ = html_at(html, in);
        in->at++;
        html->held_[0] = '<';
        html->held_size_ = 1;
        html_go(html, less);
    } else if (c == '-') {
        emit_one(html, in);
        html_go(html, dash);
    } else if (c == '\0') {
        in->at++;
        weft__html_emit_text(html, HTML_REPLACEMENT, 3, html_at(html, in));
    } else if (++in->at == in->end) { /* a CR, see text.c */
        html->pending_cr_ = true;
    } else if (*in->at != '\n') {
        weft__html_emit_text(html, "\n", 1, html_at(html, in));
    }
}

static void run(struct weft_html *html, struct html_cursor *in, enum html_state dash,
                enum html_state less)
{
    const char *stop = find_stop(html, in);
    const char *begin = in->at;
    in->at = stop;
    weft__html_emit_text(html, begin, (size_t)(stop - begin), html_at(html, in));
    if (stop < in->end && html->status_ == 0)
        take_stop(html, in, dash, less);
}

/* Behind one or two dashes: '>' behind two ends the level, '<' and '-' are as in its text. */
static void after_dash(struct weft_html *html, struct html_cursor *in, bool two,
                       enum html_state text, enum html_state less)
{
    char c = *in->at;
    if (c == '-') {
        emit_one(html, in);
        html_go(html, text == HTML_SCRIPT_ESCAPED ? HTML_SCRIPT_ESCAPED_DASH_DASH
                                                  : HTML_SCRIPT_DOUBLE_DASH_DASH);
    } else if (c == '>' && two) {
        emit_one(html, in);
        html_go(html, HTML_SCRIPT_TEXT);
    } else {
        html_go(html, text);
        if (c == '<')
            take_stop(html, in, text, less);
    }
}

/* Behind '<': is it an end tag, or does something begin here? */
static void less(struct weft_html *html, struct html_cursor *in)
{
    bool escaped = html->state_ == HTML_SCRIPT_ESCAPED_LESS;
    char c = *in->at;
    if (c == '/') {
        html_hold(html, c);
        in->at++;
        html->matched_ = 0;
        html->return_ = escaped ? HTML_SCRIPT_ESCAPED : HTML_SCRIPT_TEXT;
        html_go(html, HTML_TEXT_END_NAME);
        return;
    }
    weft__html_emit_held(html, html_at(html, in));
    if (escaped && html_char(c, HTML_ALPHA)) {
        html->matched_ = 0;
        html_go(html, HTML_SCRIPT_DOUBLE_START);
    } else if (!escaped && c == '!') {
        emit_one(html, in);
        html_go(html, HTML_SCRIPT_ESCAPE_START);
    } else {
        html_go(html, escaped ? HTML_SCRIPT_ESCAPED : HTML_SCRIPT_TEXT);
    }
}

/* Behind "<!" and "<!-": two dashes begin the escaped level. */
static void escape_start(struct weft_html *html, struct html_cursor *in)
{
    bool first = html->state_ == HTML_SCRIPT_ESCAPE_START;
    if (*in->at != '-') {
        html_go(html, HTML_SCRIPT_TEXT);
        return;
    }
    emit_one(html, in);
    html_go(html, first ? HTML_SCRIPT_ESCAPE_START_DASH : HTML_SCRIPT_ESCAPED_DASH_DASH);
}

/* A name behind '<' or "</": if it is "script", the level changes from here to there. */
static void level_name(struct weft_html *html, struct html_cursor *in, enum html_state here,
                       enum html_state there)
{
    char c = *in->at;
    if (html_char(c, HTML_SPACE) || c == '/' || c == '>') {
        emit_one(html, in);
        html_go(html, html->matched_ == sizeof script - 1 ? there : here);
    } else if (!html_char(c, HTML_ALPHA)) {
        html_go(html, here);
    } else {
        bool fits =
            html->matched_ < sizeof script - 1 && weft_text_lower(c) == script[html->matched_];
        html->matched_ = fits ? html->matched_ + 1 : sizeof script; /* never fits again */
        emit_one(html, in);
    }
}

static void double_less(struct weft_html *html, struct html_cursor *in)
{
    weft__html_emit_held(html, html_at(html, in));
    if (*in->at != '/') {
        html_go(html, HTML_SCRIPT_DOUBLE);
        return;
    }
    emit_one(html, in);
    html->matched_ = 0;
    html_go(html, HTML_SCRIPT_DOUBLE_END);
}

void weft__html_script(struct weft_html *html, struct html_cursor *in)
{
    switch (html->state_) {
    case HTML_SCRIPT_TEXT:
        run(html, in, HTML_SCRIPT_TEXT, HTML_SCRIPT_LESS);
        break;
    case HTML_SCRIPT_ESCAPED:
        run(html, in, HTML_SCRIPT_ESCAPED_DASH, HTML_SCRIPT_ESCAPED_LESS);
        break;
    case HTML_SCRIPT_DOUBLE:
        run(html, in, HTML_SCRIPT_DOUBLE_DASH, HTML_SCRIPT_DOUBLE_LESS);
        break;
    case HTML_SCRIPT_LESS:
    case HTML_SCRIPT_ESCAPED_LESS:
        less(html, in);
        break;
    case HTML_SCRIPT_ESCAPE_START:
    case HTML_SCRIPT_ESCAPE_START_DASH:
        escape_start(html, in);
        break;
    case HTML_SCRIPT_ESCAPED_DASH:
    case HTML_SCRIPT_ESCAPED_DASH_DASH:
        after_dash(html, in, html->state_ == HTML_SCRIPT_ESCAPED_DASH_DASH, HTML_SCRIPT_ESCAPED,
                   HTML_SCRIPT_ESCAPED_LESS);
        break;
    case HTML_SCRIPT_DOUBLE_DASH:
    case HTML_SCRIPT_DOUBLE_DASH_DASH:
        after_dash(html, in, html->state_ == HTML_SCRIPT_DOUBLE_DASH_DASH, HTML_SCRIPT_DOUBLE,
                   HTML_SCRIPT_DOUBLE_LESS);
        break;
    case HTML_SCRIPT_DOUBLE_START:
        level_name(html, in, HTML_SCRIPT_ESCAPED, HTML_SCRIPT_DOUBLE);
        break;
    case HTML_SCRIPT_DOUBLE_LESS:
        double_less(html, in);
        break;
    default:
        level_name(html, in, HTML_SCRIPT_DOUBLE, HTML_SCRIPT_ESCAPED);
        break;
    }
}

void weft__html_script_eof(struct weft_html *html)
{
    weft__html_emit_held(html, html->offset_);
}
