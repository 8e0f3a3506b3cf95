/* Link extraction within the room: what a document's tokens are made into.
 *
 *     links.c       pieces in: the encoding is found out, then on to the tokenizer or to CSS
 *     link_names.c  which tags and attributes matter
 *     link_tags.c   a tag with its attributes becomes links
 *     link_meta.c   <meta>: robots and refresh
 *     link_report.c a link is trimmed, filtered, converted and reported
 *     convert.c     other encodings into UTF-8
 *     utf8.c        UTF-8 itself */
#ifndef WEFT_WEB_HTML_EXTRACT_H
#define WEFT_WEB_HTML_EXTRACT_H

#include "../icu/icu.h"
#include "encoding.h"
#include <weft/css.h>
#include <weft/html.h>
#include <weft/links.h>

/* ---- names ----------------------------------------------------------------------------------- */

enum link_attribute {
    LINK_ACTION,
    LINK_BACKGROUND,
    LINK_CONTENT,
    LINK_CROSSORIGIN,
    LINK_DATA,
    LINK_FORMACTION,
    LINK_HREF,
    LINK_HTTP_EQUIV,
    LINK_IMAGESRCSET,
    LINK_INTEGRITY,
    LINK_METHOD,
    LINK_NAME,
    LINK_POSTER,
    LINK_REL,
    LINK_SRC,
    LINK_SRCSET,
    LINK_STYLE,
    LINK_TYPE,
    LINK_XLINK_HREF,
    LINK_ATTRIBUTES
};

enum link_role {
    LINK_PLAIN,
    LINK_IS_BASE,
    LINK_IS_LINK,
    LINK_IS_FORM,
    LINK_IS_INPUT,
    LINK_IS_META
};

struct link_element {
    const char *name;
    unsigned attributes; /* bits of enum link_attribute */
    enum weft_link_from from;
    enum weft_link_kind kind;
    enum link_role role;
};

/* Never NULL: also elements that have no links of their own may have a style. */
const struct link_element *weft__links_element(struct weft_text name);
/* LINK_ATTRIBUTES: none that matters. */
enum link_attribute weft__links_attribute(struct weft_text name);

/* ---- state ----------------------------------------------------------------------------------- */

struct html_converter {
    UConverter *icu;                      /* or NULL */
    const struct html_encoding *encoding; /* that icu is open for */
    UChar *wide;
    size_t wide_size, wide_room;
    char *text;
    size_t text_size, text_room;
    UChar lead; /* half of a pair at the end of a piece; 0: none */
};

struct weft_links_state {
    struct weft_links *links;
    struct weft_html html;
    struct weft_css css;
    enum weft_links_type type;
    int status;
    bool open;    /* between begin and end */
    bool decided; /* the encoding is known */
    bool in_style, has_base;
    const struct html_encoding *encoding, *header;
    const struct link_element *element;          /* of the tag that is read */
    const struct weft_html_attribute *attribute; /* whose value the CSS is, or NULL */
    uint64_t css_start;                          /* where in the document the CSS began */
    uint64_t shift;                              /* the size of a byte order mark */
    char head[HTML_PRESCAN_SIZE];
    size_t head_size;
    struct html_converter converter;
};

/* ---- steps ----------------------------------------------------------------------------------- */

/* A link as it was found. */
struct link_found {
    struct weft_text text;
    const struct weft_html_attribute *attribute; /* whose value it is a part of, or NULL */
    uint64_t start, end;                         /* if it is none */
    enum weft_link_from from;
    enum weft_link_kind kind;
    bool nofollow;
};

void weft__links_report(struct weft_links_state *state, const struct link_found *found);
/* The same for a guard, whose value is no URL. */
void weft__links_report_guard(struct weft_links_state *state, const struct link_found *found);

int weft__links_token(struct weft_html *html, const struct weft_html_token *token);
weft_css_fn weft__links_css_url;

/* The attribute with this name, or NULL. */
const struct weft_html_attribute *weft__links_get(const struct weft_html_token *token,
                                                  const char *name);
/* Is word one of the words in this attribute (NULL: no)? */
bool weft__links_has_word(const struct weft_html_attribute *attribute, const char *word);
void weft__links_meta(struct weft_links_state *state, const struct weft_html_token *token,
                      const struct weft_html_attribute *content);

/* ---- convert.c ------------------------------------------------------------------------------- */

/* A URL in this encoding, or already in UTF-8 where the attribute's changes say so, as a browser
 * takes it. *url is valid until the next call. 0, UV_ENOMEM, UV_ENOSYS: that needs ICU. guess: it
 * may be windows-1252 if it is not UTF-8. */
int weft__html_convert_url(struct html_converter *converter, const struct html_encoding *encoding,
                           bool guess, const struct link_found *found, struct weft_text *url);

/* The next piece of a document in UTF-8. *text is valid until the next call, and *used says how
 * much of the piece was taken. 1: call again with the rest. 0: that was all. UV_ENOMEM, UV_ENOSYS. */
int weft__html_convert_piece(struct html_converter *converter, const struct html_encoding *encoding,
                             struct weft_text piece, bool last, size_t *used,
                             struct weft_text *text);
void weft__html_converter_reset(struct html_converter *converter);
void weft__html_converter_free(struct html_converter *converter);

/* ---- utf8.c ---------------------------------------------------------------------------------- */

/* Take the next code point off rest, which is not empty. What is none is U+FFFD, and *valid becomes
 * false. */
uint32_t weft__html_utf8_next(struct weft_text *rest, bool *valid);

#endif
