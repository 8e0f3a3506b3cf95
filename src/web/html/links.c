/* A document on its way to its links: first its encoding, then the tokenizer or CSS.
 *
 * Until the encoding is known, the first bytes are held back: three for a byte order mark, or 1024
 * if nobody told the charset and the document has to be looked into. They are looked at in one
 * piece, so that how the document is cut does not matter.
 *
 * An error, also one that on_link returned, is kept in status and ends everything. */
#include "extract.h"
#include <weft/alloc.h>
#include <uv.h>

enum { BOM_MAX = 3 };

/* ---- the tokenizer's questions --------------------------------------------------------------- */

static enum weft_html_interest wants_tag(struct weft_html *html, struct weft_text name)
{
    struct weft_links_state *state = html->context;
    state->element = weft__links_element(name);
    if (name.size == 5 && weft_text_is(name, "style"))
        return WEFT_HTML_TAKE;
    return WEFT_HTML_IF_ANY;
}

/* Any element may have a style. */
static bool wants_attribute(struct weft_html *html, struct weft_text name)
{
    const struct weft_links_state *state = html->context;
    enum link_attribute attribute = weft__links_attribute(name);
    if ((attribute == LINK_INTEGRITY || attribute == LINK_CROSSORIGIN) && !state->links->guards)
        return false;
    return attribute == LINK_STYLE || (state->element->attributes >> attribute & 1) != 0;
}

/* ---- the encoding ---------------------------------------------------------------------------- */

static const struct html_encoding *find_encoding(const struct weft_links_state *state,
                                                 struct weft_text head, size_t *bom,
                                                 enum weft_links_encoding_from *from)
{
    const struct html_encoding *found = weft__html_encoding_bom(head, bom);
    *from = WEFT_LINKS_FROM_BOM;
    if (found != NULL)
        return found;
    *from = WEFT_LINKS_FROM_HEADER;
    if (state->header != NULL)
        return state->header;
    *from = WEFT_LINKS_FROM_META;
    found =
        state->type == WEFT_LINKS_CSS ? weft__html_encoding_css(head) : weft__html_prescan(head);
    if (found != NULL)
        return found;
    *from = WEFT_LINKS_FROM_DEFAULT;
    return weft__html_encoding_utf8();
}

/* From the first bytes of the document; how many of them are a byte order mark. */
static size_t decide(struct weft_links_state *state, struct weft_text head)
{
    size_t bom;
    struct weft_links *links = state->links;
    state->encoding = find_encoding(state, head, &bom, &links->encoding_from);
    state->decided = true;
    state->shift = bom;
    links->encoding = state->encoding->name;
    links->ranges = state->encoding->kind != HTML_WIDE;
    return bom;
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static void keep_status(struct weft_links_state *state, int status)
{
    if (state->status == 0 && status < 0)
        state->status = status;
}

static void read_on(struct weft_links_state *state, const char *data, size_t size)
{
    if (state->type == WEFT_LINKS_CSS)
        keep_status(state, weft_css_feed(&state->css, data, size));
    else
        keep_status(state, weft_html_feed(&state->html, data, size));
}

static void read_converted(struct weft_links_state *state, const char *data, size_t size, bool last)
{
    struct weft_text piece = weft_text(data, size), text;
    int more = 1;
    while (more == 1 && state->status == 0) {
        size_t used;
        more =
            weft__html_convert_piece(&state->converter, state->encoding, piece, last, &used, &text);
        keep_status(state, more);
        if (more >= 0 && text.size > 0)
            read_on(state, text.data, text.size);
        piece = weft_text(piece.data + used, piece.size - used);
    }
}

static void pass_on(struct weft_links_state *state, const char *data, size_t size)
{
    if (size == 0 || state->encoding->kind == HTML_NOTHING)
        return;
    if (state->encoding->kind == HTML_WIDE)
        read_converted(state, data, size, false);
    else
        read_on(state, data, size);
}

/* How many bytes have to be there for the encoding to be known. */
static size_t head_needed(const struct weft_links_state *state)
{
    return state->header != NULL ? BOM_MAX : HTML_PRESCAN_SIZE;
}

static void pass_head(struct weft_links_state *state)
{
    size_t bom = decide(state, weft_text(state->head, state->head_size));
    pass_on(state, state->head + bom, state->head_size - bom);
}

/* The first bytes of a document; how many of them were taken. */
static size_t take_head(struct weft_links_state *state, const char *data, size_t size)
{
    size_t needed = head_needed(state);
    if (state->head_size == 0 && size >= needed)
        return decide(state, weft_text(data, needed));
    size_t taken = needed - state->head_size;
    if (taken > size)
        taken = size;
    memcpy(state->head + state->head_size, data, taken);
    state->head_size += taken;
    if (state->head_size == needed)
        pass_head(state);
    return taken;
}

/* ---- public ---------------------------------------------------------------------------------- */

static struct weft_links_state *get_state(struct weft_links *links)
{
    if (links->state_ != NULL)
        return links->state_;
    struct weft_links_state *state = weft_calloc(1, sizeof *state);
    if (state == NULL)
        return NULL;
    state->html.on_token = weft__links_token;
    state->html.wants_tag = wants_tag;
    state->html.wants_attribute = wants_attribute;
    state->html.context = state;
    state->html.raw_text = true;
    state->html.elements = true;
    state->html.skip_dull = true;
    state->css.on_url = weft__links_css_url;
    state->css.context = state;
    links->state_ = state;
    return state;
}

static void reset(struct weft_links *links)
{
    struct weft_links_state *state = links->state_;
    links->nofollow = links->noindex = false;
    links->ranges = false;
    links->encoding_from = WEFT_LINKS_FROM_DEFAULT;
    links->encoding = "";
    state->links = links;
    state->status = 0;
    state->open = true;
    state->decided = state->in_style = state->has_base = false;
    state->attribute = NULL;
    state->css_start = state->shift = 0;
    state->head_size = 0;
    state->html.wants = 0;
    weft__html_converter_reset(&state->converter);
}

int weft_links_begin(struct weft_links *links, enum weft_links_type type, struct weft_text charset)
{
    if (links->on_link == NULL || (unsigned)type > WEFT_LINKS_XHTML)
        return UV_EINVAL;
    struct weft_links_state *state = get_state(links);
    if (state == NULL)
        return UV_ENOMEM;
    reset(links);
    state->type = type;
    state->html.xml = state->html.cdata = type == WEFT_LINKS_XHTML;
    state->header = weft__html_encoding(charset);
    if (type == WEFT_LINKS_CSS)
        weft_css_begin(&state->css);
    return weft_html_begin(&state->html);
}

int weft_links_feed(struct weft_links *links, const char *data, size_t size)
{
    struct weft_links_state *state = links->state_;
    if (state == NULL || !state->open)
        return state != NULL && state->status != 0 ? state->status : UV_EINVAL;
    if (state->status == 0 && !state->decided && size > 0) {
        size_t taken = take_head(state, data, size);
        data += taken;
        size -= taken;
    }
    if (state->status == 0 && state->decided)
        pass_on(state, data, size);
    return state->status;
}

static void finish(struct weft_links_state *state)
{
    if (!state->decided)
        pass_head(state);
    if (state->status == 0 && state->encoding->kind == HTML_WIDE)
        read_converted(state, "", 0, true);
    if (state->status == 0 && state->type == WEFT_LINKS_CSS)
        keep_status(state, weft_css_end(&state->css));
    else if (state->status == 0)
        keep_status(state, weft_html_end(&state->html));
}

int weft_links_end(struct weft_links *links)
{
    struct weft_links_state *state = links->state_;
    if (state == NULL || !state->open)
        return state != NULL && state->status != 0 ? state->status : UV_EINVAL;
    if (state->status == 0)
        finish(state);
    state->open = false;
    return state->status;
}

int weft_links_scan(struct weft_links *links, enum weft_links_type type, struct weft_text charset,
                    const char *data, size_t size)
{
    int err = weft_links_begin(links, type, charset);
    if (err != 0)
        return err;
    weft_links_feed(links, data, size);
    return weft_links_end(links); /* also with what feed said */
}

void weft_links_free(struct weft_links *links)
{
    struct weft_links_state *state = links->state_;
    if (state == NULL)
        return;
    weft_html_free(&state->html);
    weft_css_free(&state->css);
    weft__html_converter_free(&state->converter);
    weft_free(state);
    links->state_ = NULL;
}
