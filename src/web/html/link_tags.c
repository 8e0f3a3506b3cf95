/* From tags to links. The tokenizer asks for each tag and attribute whether it matters, so that
 * what arrives here nearly always is a link.
 *
 * The attributes of a tag are taken in their order; what one of them means may depend on another
 * (rel, type, method). A <style> is passed on to CSS as it comes in, until its end; the value of a
 * style attribute is a small sheet of its own. */
#include "chars.h"
#include "extract.h"

const struct weft_html_attribute *weft__links_get(const struct weft_html_token *token,
                                                  const char *name)
{
    for (size_t i = 0; i < token->attribute_count; i++) {
        if (weft_text_is(token->attributes[i].name, name))
            return &token->attributes[i];
    }
    return NULL;
}

bool weft__links_has_word(const struct weft_html_attribute *attribute, const char *word)
{
    if (attribute == NULL)
        return false;
    const char *at = attribute->value.data, *end = at + attribute->value.size;
    while (at < end) {
        const char *stop = html_find(at, end, HTML_SPACE);
        if (weft_text_same(weft_text(at, (size_t)(stop - at)), weft_text_of(word)))
            return true;
        at = stop < end ? stop + 1 : end;
    }
    return false;
}

/* ---- style sheets ---------------------------------------------------------------------------- */

void weft__links_css_url(struct weft_css *css, const struct weft_css_url *url, void *context)
{
    struct weft_links_state *state = context;
    struct link_found found = {
        .text = url->url,
        .from = url->import ? WEFT_LINK_CSS_IMPORT : WEFT_LINK_CSS_URL,
        .kind = WEFT_LINK_REQUISITE,
    };
    (void)css;
    if (state->attribute != NULL) {
        weft_html_source(state->attribute, (size_t)url->start, (size_t)(url->end - url->start),
                         &found.start, &found.end);
    } else {
        found.start = state->css_start + url->start;
        found.end = state->css_start + url->end;
    }
    weft__links_report(state, &found);
}

static void keep_status(struct weft_links_state *state, int status)
{
    if (state->status == 0)
        state->status = status;
}

static void read_style(struct weft_links_state *state, const struct weft_html_attribute *attribute)
{
    state->attribute = attribute;
    weft_css_begin(&state->css);
    keep_status(state, weft_css_feed(&state->css, attribute->value.data, attribute->value.size));
    keep_status(state, weft_css_end(&state->css));
    state->attribute = NULL;
}

static void begin_style(struct weft_links_state *state, const struct weft_html_token *token)
{
    if (state->html.mode_ != WEFT_HTML_RAWTEXT) /* <style/> in SVG */
        return;
    state->in_style = true;
    state->css_start = token->end;
    state->html.wants = WEFT_HTML_WANTS_TEXT | WEFT_HTML_WANTS_END_TAGS;
    weft_css_begin(&state->css);
}

static void end_style(struct weft_links_state *state)
{
    if (!state->in_style)
        return;
    state->in_style = false;
    state->html.wants = 0;
    keep_status(state, weft_css_end(&state->css));
}

/* ---- attributes ------------------------------------------------------------------------------ */

static void report_value(struct weft_links_state *state, const struct weft_html_attribute *value,
                         enum weft_link_from from, enum weft_link_kind kind, bool nofollow)
{
    struct link_found found = {
        .text = value->value, .attribute = value, .from = from, .kind = kind, .nofollow = nofollow};
    weft__links_report(state, &found);
}

static void report_guard(struct weft_links_state *state, const struct weft_html_attribute *value,
                         enum weft_link_from from)
{
    struct link_found found = {
        .text = value->value, .attribute = value, .from = from, .kind = WEFT_LINK_GUARD};
    weft__links_report_guard(state, &found);
}

static void report_srcset(struct weft_links_state *state, const struct weft_html_attribute *value)
{
    struct weft_text rest = value->value;
    struct link_found found = {
        .attribute = value, .from = WEFT_LINK_SRCSET, .kind = WEFT_LINK_REQUISITE};
    while (weft_links_srcset_next(&rest, &found.text) == 1)
        weft__links_report(state, &found);
}

/* What a <link> is for; false: nothing to be fetched. */
static bool link_kind(const struct weft_html_attribute *rel, enum weft_link_kind *kind)
{
    static const char *const requisites[] = {
        "stylesheet", "icon",    "apple-touch-icon", "apple-touch-icon-precomposed",
        "mask-icon",  "preload", "modulepreload",    "manifest",
    };
    for (size_t i = 0; i < sizeof requisites / sizeof *requisites; i++) {
        if (weft__links_has_word(rel, requisites[i])) {
            *kind = WEFT_LINK_REQUISITE;
            return true;
        }
    }
    *kind = WEFT_LINK_NAVIGATION;
    return !weft__links_has_word(rel, "dns-prefetch") && !weft__links_has_word(rel, "preconnect");
}

/* The attribute that this element is about: href, src, action, data. */
static void take_main(struct weft_links_state *state, const struct weft_html_token *token,
                      const struct weft_html_attribute *value)
{
    const struct link_element *element = state->element;
    enum weft_link_kind kind = element->kind;
    const struct weft_html_attribute *rel = weft__links_get(token, "rel");
    const struct weft_html_attribute *method, *type;
    switch (element->role) {
    case LINK_IS_BASE:
        if (state->has_base)
            return;
        state->has_base = true;
        break;
    case LINK_IS_LINK:
        if (!link_kind(rel, &kind))
            return;
        break;
    case LINK_IS_FORM:
        method = weft__links_get(token, "method");
        if (method != NULL && weft_text_same(method->value, weft_text_of("post")))
            kind = WEFT_LINK_POST;
        if (kind == WEFT_LINK_POST && !state->links->guards)
            return;
        if (method != NULL && weft_text_same(method->value, weft_text_of("dialog")))
            return;
        break;
    case LINK_IS_INPUT:
        type = weft__links_get(token, "type");
        if (type == NULL || !weft_text_same(type->value, weft_text_of("image")))
            return;
        break;
    default:
        break;
    }
    report_value(state, value, element->from, kind, weft__links_has_word(rel, "nofollow"));
}

static void take_attribute(struct weft_links_state *state, const struct weft_html_token *token,
                           const struct weft_html_attribute *value)
{
    switch (weft__links_attribute(value->name)) {
    case LINK_STYLE:
        read_style(state, value);
        break;
    case LINK_SRCSET:
    case LINK_IMAGESRCSET:
        report_srcset(state, value);
        break;
    case LINK_BACKGROUND:
        report_value(state, value, WEFT_LINK_BACKGROUND, WEFT_LINK_REQUISITE, false);
        break;
    case LINK_FORMACTION: /* what the form would be sent by is said elsewhere */
        if (state->links->guards)
            report_value(state, value, WEFT_LINK_FORM, WEFT_LINK_POST, false);
        break;
    case LINK_POSTER:
        report_value(state, value, WEFT_LINK_POSTER, WEFT_LINK_REQUISITE, false);
        break;
    case LINK_CONTENT:
        weft__links_meta(state, token, value);
        break;
    case LINK_INTEGRITY:
        report_guard(state, value, WEFT_LINK_INTEGRITY);
        break;
    case LINK_CROSSORIGIN:
        report_guard(state, value, WEFT_LINK_CROSSORIGIN);
        break;
    case LINK_HTTP_EQUIV:
        if (state->links->guards &&
            weft_text_same(value->value, weft_text_of("content-security-policy")))
            report_guard(state, value, WEFT_LINK_POLICY);
        break;
    case LINK_HREF:
    case LINK_XLINK_HREF:
    case LINK_SRC:
    case LINK_ACTION:
    case LINK_DATA:
        take_main(state, token, value);
        break;
    default:
        break;
    }
}

int weft__links_token(struct weft_html *html, const struct weft_html_token *token)
{
    struct weft_links_state *state = html->context;
    switch (token->type) {
    case WEFT_HTML_START_TAG:
        for (size_t i = 0; i < token->attribute_count && state->status == 0; i++)
            take_attribute(state, token, &token->attributes[i]);
        if (weft_text_is(token->name,
                         "style")) /* its attributes are done: one may be a style, too */
            begin_style(state, token);
        break;
    case WEFT_HTML_TEXT:
        keep_status(state, weft_css_feed(&state->css, token->text.data, token->text.size));
        break;
    case WEFT_HTML_END_TAG:
    case WEFT_HTML_EOF:
        end_style(state);
        break;
    default:
        break;
    }
    return state->status;
}
