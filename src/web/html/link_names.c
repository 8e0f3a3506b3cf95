/* The tags and attributes that links come from. They are looked up for every tag of a page, so the
 * tables are sorted by size: most names differ there, and those that do not in their first
 * letter. */
#include "extract.h"

#define BIT(attribute) (1u << LINK_##attribute)
#define NAV WEFT_LINK_NAVIGATION
#define REQ WEFT_LINK_REQUISITE
#define GUARDS (BIT(INTEGRITY) | BIT(CROSSORIGIN))

static const struct link_element other = {"", BIT(STYLE), WEFT_LINK_A, NAV, LINK_PLAIN};

static const struct link_element elements[] = {
    {"a", BIT(HREF) | BIT(XLINK_HREF) | BIT(REL), WEFT_LINK_A, NAV, LINK_PLAIN},
    {"td", BIT(BACKGROUND), WEFT_LINK_BACKGROUND, REQ, LINK_PLAIN},
    {"th", BIT(BACKGROUND), WEFT_LINK_BACKGROUND, REQ, LINK_PLAIN},
    {"tr", BIT(BACKGROUND), WEFT_LINK_BACKGROUND, REQ, LINK_PLAIN},
    {"img", BIT(SRC) | BIT(SRCSET) | GUARDS, WEFT_LINK_IMG, REQ, LINK_PLAIN},
    {"use", BIT(HREF) | BIT(XLINK_HREF), WEFT_LINK_SVG_USE, REQ, LINK_PLAIN},
    {"area", BIT(HREF) | BIT(REL), WEFT_LINK_AREA, NAV, LINK_PLAIN},
    {"base", BIT(HREF), WEFT_LINK_BASE_HREF, WEFT_LINK_BASE, LINK_IS_BASE},
    {"body", BIT(BACKGROUND), WEFT_LINK_BACKGROUND, REQ, LINK_PLAIN},
    {"form", BIT(ACTION) | BIT(METHOD) | BIT(REL), WEFT_LINK_FORM, NAV, LINK_IS_FORM},
    {"link", BIT(HREF) | BIT(REL) | BIT(IMAGESRCSET) | GUARDS, WEFT_LINK_LINK, NAV, LINK_IS_LINK},
    {"meta", BIT(NAME) | BIT(CONTENT) | BIT(HTTP_EQUIV), WEFT_LINK_META_REFRESH, NAV, LINK_IS_META},
    {"audio", BIT(SRC) | GUARDS, WEFT_LINK_AUDIO, REQ, LINK_PLAIN},
    {"embed", BIT(SRC), WEFT_LINK_EMBED, REQ, LINK_PLAIN},
    {"frame", BIT(SRC), WEFT_LINK_FRAME, REQ, LINK_PLAIN},
    {"image", BIT(HREF) | BIT(XLINK_HREF) | BIT(SRC), WEFT_LINK_SVG_IMAGE, REQ, LINK_PLAIN},
    {"input", BIT(SRC) | BIT(TYPE) | BIT(FORMACTION), WEFT_LINK_INPUT, REQ, LINK_IS_INPUT},
    {"table", BIT(BACKGROUND), WEFT_LINK_BACKGROUND, REQ, LINK_PLAIN},
    {"track", BIT(SRC), WEFT_LINK_TRACK, REQ, LINK_PLAIN},
    {"video", BIT(SRC) | BIT(POSTER) | GUARDS, WEFT_LINK_VIDEO, REQ, LINK_PLAIN},
    {"button", BIT(FORMACTION), WEFT_LINK_FORM, NAV, LINK_PLAIN},
    {"iframe", BIT(SRC), WEFT_LINK_IFRAME, REQ, LINK_PLAIN},
    {"object", BIT(DATA), WEFT_LINK_OBJECT, REQ, LINK_PLAIN},
    {"script", BIT(SRC) | GUARDS, WEFT_LINK_SCRIPT, REQ, LINK_PLAIN},
    {"source", BIT(SRC) | BIT(SRCSET), WEFT_LINK_SOURCE, REQ, LINK_PLAIN},
};

/* Where the elements with names of this size begin; those of the next size end them. And with which
 * letters they begin, so that most other names are known at once. */
static const unsigned char element_sizes[] = {0, 0, 1, 4, 6, 12, 20, 25};
#define LETTER(c) (1u << ((c)&31))
static const unsigned element_letters[] = {
    0,
    LETTER('a'),
    LETTER('t'),
    LETTER('i') | LETTER('u'),
    LETTER('a') | LETTER('b') | LETTER('f') | LETTER('l') | LETTER('m'),
    LETTER('a') | LETTER('e') | LETTER('f') | LETTER('i') | LETTER('t') | LETTER('v'),
    LETTER('b') | LETTER('i') | LETTER('o') | LETTER('s'),
};

static const struct {
    const char *name;
    enum link_attribute attribute;
} attributes[] = {
    {"rel", LINK_REL},
    {"src", LINK_SRC},
    {"data", LINK_DATA},
    {"href", LINK_HREF},
    {"name", LINK_NAME},
    {"type", LINK_TYPE},
    {"style", LINK_STYLE},
    {"action", LINK_ACTION},
    {"method", LINK_METHOD},
    {"poster", LINK_POSTER},
    {"srcset", LINK_SRCSET},
    {"content", LINK_CONTENT},
    {"integrity", LINK_INTEGRITY},
    {"background", LINK_BACKGROUND},
    {"formaction", LINK_FORMACTION},
    {"http-equiv", LINK_HTTP_EQUIV},
    {"xlink:href", LINK_XLINK_HREF},
    {"crossorigin", LINK_CROSSORIGIN},
    {"imagesrcset", LINK_IMAGESRCSET},
};

static const unsigned char attribute_sizes[] = {0, 0, 0, 0, 2, 6, 7, 11, 12, 12, 13, 17, 19};

const struct link_element *weft__links_element(struct weft_text name)
{
    if (name.size == 0 || name.size >= sizeof element_sizes - 1 ||
        !(element_letters[name.size] & LETTER(name.data[0])))
        return &other;
    for (unsigned i = element_sizes[name.size]; i < element_sizes[name.size + 1]; i++) {
        if (elements[i].name[0] == name.data[0] &&
            memcmp(elements[i].name, name.data, name.size) == 0)
            return &elements[i];
    }
    return &other;
}

enum link_attribute weft__links_attribute(struct weft_text name)
{
    if (name.size >= sizeof attribute_sizes - 1)
        return LINK_ATTRIBUTES;
    for (unsigned i = attribute_sizes[name.size]; i < attribute_sizes[name.size + 1]; i++) {
        if (attributes[i].name[0] == name.data[0] &&
            memcmp(attributes[i].name, name.data, name.size) == 0)
            return attributes[i].attribute;
    }
    return LINK_ATTRIBUTES;
}

const char *weft_link_from_name(enum weft_link_from from)
{
    static const char *const names[] = {
        "a",         "area",         "link",      "base",    "img",     "srcset",
        "source",    "script",       "iframe",    "frame",   "embed",   "object",
        "video",     "poster",       "audio",     "track",   "input",   "background",
        "form",      "meta-refresh", "svg-image", "svg-use", "css-url", "css-import",
        "integrity", "crossorigin",  "policy",
    };
    return (unsigned)from < sizeof names / sizeof *names ? names[from] : "";
}
