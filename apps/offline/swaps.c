/* A list of places, and what comes there: one walk over the document copies what lies between them.
 *
 * A guard (integrity, crossorigin, a policy) is no link: what it guards is another file now, or comes
 * from the disk, where browsers refuse what asks for another origin's leave. Its attribute gets another
 * name, that means nothing: the range is that of its value, and the name is looked for before it. */
#include "offline/swaps.h"
#include <ctype.h>
#include <stdint.h>
#include <string.h>

struct swap {
    uint64_t start, end;
    size_t size; /* of the text behind it */
    bool guard;
    bool bare; /* nothing, without quotes around it */
};

void swaps_begin(struct swaps *swaps, size_t document_size)
{
    swaps->list.size = 0;
    swaps->list.failed = false;
    swaps->count = 0;
    swaps->full = false;
    swaps->most = 4 * document_size + (1 << 20);
}

void swaps_free(struct swaps *swaps)
{
    out_free(&swaps->list);
    out_free(&swaps->text);
    swaps->count = 0;
}

/* ---- escaping ------------------------------------------------------------------------------- */

static bool in_style(const struct weft_link *link)
{
    return link->from == WEFT_LINK_CSS_URL || link->from == WEFT_LINK_CSS_IMPORT;
}

static bool is_special(char c)
{
    return c == '&' || c == '\'' || c == '"' || c == '(' || c == ')' || c == '\\' || c == ',';
}

/* Would c end the URL there, or mean something else, whatever stands for it in the attribute? A comma does
 * so only at either end of the URL. */
static bool is_taken(const struct weft_link *link, char c, bool at_end)
{
    if (in_style(link))
        return c == '(' || c == ')' || c == '\'' || c == '"' || c == '\\';
    if (link->from == WEFT_LINK_META_REFRESH)
        return c == '\'' || c == '"' || (c == ',' && at_end);
    return link->from == WEFT_LINK_SRCSET && c == ',' && at_end;
}

static const char *reference(char c)
{
    return c == '&' ? "&amp;" : c == '\'' ? "&#39;" : c == '"' ? "&quot;" : NULL;
}

/* Nearly always there is nothing to escape. */
static struct weft_text escaped(struct swaps *swaps, const struct weft_link *link,
                                struct weft_text text)
{
    size_t plain = 0;
    while (plain < text.size && !is_special(text.data[plain]))
        plain++;
    if (plain == text.size)
        return text;
    swaps->text.size = 0;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (is_taken(link, c, i == 0 || i + 1 == text.size))
            out_format(&swaps->text, "%%%02X", (unsigned char)c);
        else if (link->in_attribute && reference(c) != NULL)
            out_string(&swaps->text, reference(c));
        else
            out_text(&swaps->text, weft_text(&c, 1));
    }
    return weft_text(swaps->text.data, swaps->text.size);
}

/* What a refresh would take for the label in front of its URL. */
static bool is_label(const struct weft_link *link, struct weft_text text)
{
    return link->from == WEFT_LINK_META_REFRESH && text.size >= 3 &&
           weft_text_same(weft_text(text.data, 3), weft_text_of("url"));
}

bool swaps_add(struct swaps *swaps, const struct weft_link *link, struct weft_text text)
{
    bool guard = link->kind == WEFT_LINK_GUARD;
    if (link->end == 0 || (link->end == link->start && !guard) || swaps->full)
        return true;
    struct weft_text before = weft_text_of(is_label(link, text) ? "./" : "");
    text = escaped(swaps, link, text);
    struct swap swap = {link->start, link->end, before.size + text.size, guard,
                        text.size == 0 && !link->quote};
    swaps->full = swaps->list.size + sizeof swap + swap.size > swaps->most;
    if (swaps->full)
        return true;
    out_text(&swaps->list, weft_text((const char *)&swap, sizeof swap));
    out_text(&swaps->list, before);
    out_text(&swaps->list, text);
    swaps->count++;
    return !swaps->list.failed && !swaps->text.failed;
}

/* ---- writing -------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

/* Where the name of the attribute begins whose value begins at start; SIZE_MAX: that cannot be told. */
static size_t name_before(struct weft_text document, size_t start)
{
    size_t at = start;
    if (at > 0 && (document.data[at - 1] == '"' || document.data[at - 1] == '\''))
        at--;
    while (at > 0 && is_blank(document.data[at - 1]))
        at--;
    if (at > 0 && document.data[at - 1] == '=')
        at--;
    while (at > 0 && is_blank(document.data[at - 1]))
        at--;
    size_t end = at;
    while (at > 0 && !is_blank(document.data[at - 1]) && document.data[at - 1] != '/' &&
           document.data[at - 1] != '<' && document.data[at - 1] != '"' &&
           document.data[at - 1] != '\'')
        at--;
    struct weft_text name = weft_text(document.data + at, end - at);
    bool known = weft_text_same(name, weft_text_of("integrity")) ||
                 weft_text_same(name, weft_text_of("crossorigin")) ||
                 weft_text_same(name, weft_text_of("http-equiv"));
    return known ? at : SIZE_MAX;
}

/* Does a reference end at `at` without a semicolon? It stands for a blank or a quote before the link, and the
 * link that comes next could be taken for more of it. */
static bool is_open_reference(struct weft_text document, size_t at)
{
    size_t begin = at;
    while (begin > 0 && isalnum((unsigned char)document.data[begin - 1]))
        begin--;
    if (begin == at)
        return false;
    if (begin > 0 && document.data[begin - 1] == '#')
        begin--;
    return begin > 0 && document.data[begin - 1] == '&';
}

/* Is `at` where a value without quotes begins? If nothing stood there the next attribute would be taken for
 * it. */
static bool is_at_value(struct weft_text document, size_t at)
{
    return at > 0 && (document.data[at - 1] == '=' || is_blank(document.data[at - 1]));
}

/* Copy up to `to`; false: it was passed already. */
static bool copy_to(struct out *out, struct weft_text document, size_t *at, size_t to)
{
    if (to < *at || to > document.size)
        return false;
    if (to > *at) /* there may be no document at all */
        out_text(out, weft_text(document.data + *at, to - *at));
    *at = to;
    return true;
}

/* The record at *at, and move *at behind it. */
static struct swap next_swap(const char **at, struct weft_text *text)
{
    struct swap swap;
    memcpy(&swap, *at, sizeof swap);
    *text = weft_text(*at + sizeof swap, swap.size);
    *at += sizeof swap + swap.size;
    return swap;
}

size_t swaps_first(const struct swaps *swaps)
{
    const char *record = swaps->list.data;
    struct weft_text text;
    return swaps->count > 0 ? (size_t)next_swap(&record, &text).start : SIZE_MAX;
}

bool swaps_differ(const struct swaps *swaps, struct weft_text document)
{
    const char *record = swaps->list.data;
    for (size_t i = 0; i < swaps->count; i++) {
        struct weft_text text;
        struct swap swap = next_swap(&record, &text);
        if (swap.guard || swap.end > document.size)
            continue;
        size_t size = (size_t)(swap.end - swap.start);
        if (!weft_text_equal(weft_text(document.data + swap.start, size), text))
            return true;
    }
    return false;
}

bool swaps_write(const struct swaps *swaps, struct weft_text document, struct out *out)
{
    size_t at = 0;
    const char *record = swaps->list.data;
    for (size_t i = 0; i < swaps->count; i++) {
        struct weft_text text;
        struct swap swap = next_swap(&record, &text);
        size_t start = (size_t)swap.start;
        if (swap.guard) {
            start = name_before(document, start);
            if (start != SIZE_MAX && copy_to(out, document, &at, start))
                out_string(out, "data-");
            continue;
        }
        if (swap.end > document.size || !copy_to(out, document, &at, start))
            continue;
        if (is_open_reference(document, start))
            out_string(out, ";");
        if (swap.bare && is_at_value(document, start))
            out_string(out, "\"\"");
        out_text(out, text);
        at = (size_t)swap.end;
    }
    copy_to(out, document, &at, document.size);
    return !out->failed;
}
