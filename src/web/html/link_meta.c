/* <meta>: what robots may do with this page, and where it leads after a while. */
#include "extract.h"

static bool is(const struct weft_html_attribute *attribute, struct weft_text text)
{
    return attribute != NULL && text.size > 0 && weft_text_same(attribute->value, text);
}

static void read_robots(struct weft_links *links, struct weft_text content)
{
    struct weft_text rest = content;
    while (rest.data != NULL) {
        struct weft_text word = weft_text_trim(weft_text_cut(&rest, ','));
        bool none = weft_text_same(word, weft_text_of("none"));
        if (none || weft_text_same(word, weft_text_of("nofollow")))
            links->nofollow = true;
        if (none || weft_text_same(word, weft_text_of("noindex")))
            links->noindex = true;
    }
}

static void read_refresh(struct weft_links_state *state, const struct weft_html_attribute *content)
{
    struct link_found found = {
        .attribute = content, .from = WEFT_LINK_META_REFRESH, .kind = WEFT_LINK_NAVIGATION};
    uint32_t seconds;
    if (weft_links_refresh(content->value, &found.text, &seconds) == 0)
        weft__links_report(state, &found);
}

void weft__links_meta(struct weft_links_state *state, const struct weft_html_token *token,
                      const struct weft_html_attribute *content)
{
    const struct weft_html_attribute *name = weft__links_get(token, "name");
    if (is(name, weft_text_of("robots")) || is(name, state->links->agent))
        read_robots(state->links, content->value);
    if (is(weft__links_get(token, "http-equiv"), weft_text_of("refresh")))
        read_refresh(state, content);
}
