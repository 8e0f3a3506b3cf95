/* Names that strangers have chosen, made fit for a line of text, a page and JSON. Most are plain
 * letters and are not copied. A byte that is no UTF-8 becomes three, so nothing grows by more than
 * that. */
#include "sales/show.h"
#include "trace/utf8.h"

static bool is_plain(struct weft_text text)
{
    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = (unsigned char)text.data[i];
        if (byte < 0x20 || byte >= 0x7f)
            return false;
    }
    return true;
}

struct weft_text show_item(struct weft_text item, bool harmless, char buffer[SHOW_MAX])
{
    struct utf8_state state = {0};
    size_t size = 0;
    if (is_plain(item))
        return item;
    for (size_t i = 0; i < item.size && i < LEDGER_ITEM_MAX; i++) {
        enum utf8_step step = utf8_step(&state, (unsigned char)item.data[i]);
        if (step == UTF8_MORE)
            continue;
        bool good = step == UTF8_DONE && (!harmless || utf8_is_harmless(state.code));
        size += utf8_write(good ? state.code : UTF8_REPLACEMENT, buffer + size);
        state = (struct utf8_state){0};
        if (step == UTF8_BROKEN_BEFORE)
            i--; /* once more, as the first byte of a character */
    }
    if (state.left > 0)
        size += utf8_write(UTF8_REPLACEMENT, buffer + size);
    return weft_text(buffer, size);
}

static const char *html_escape(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void show_html(struct out *out, struct weft_text item)
{
    char buffer[SHOW_MAX];
    struct weft_text text = show_item(item, true, buffer);
    for (size_t i = 0; i < text.size; i++) {
        const char *escape = html_escape(text.data[i]);
        if (escape != NULL)
            out_string(out, escape);
        else
            out_text(out, weft_text(text.data + i, 1));
    }
}

void show_json(struct out *out, struct weft_text item)
{
    char buffer[SHOW_MAX];
    out_json_text(out, show_item(item, false, buffer));
}
