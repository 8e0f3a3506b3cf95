/* The encodings of the Encoding Standard, and which of them a document is in. */
#ifndef WEFT_WEB_HTML_ENCODING_H
#define WEFT_WEB_HTML_ENCODING_H

#include <weft/text.h>

enum html_encoding_kind {
    HTML_UTF8,
    HTML_LEGACY, /* ASCII is ASCII: tags can be found without converting */
    HTML_WIDE,   /* it is not: everything has to be converted first */
    HTML_NOTHING /* unsafe to read, says the standard: such a document has no content */
};

struct html_encoding {
    const char *name; /* the standard's */
    const char *icu;  /* ICU's; NULL: we know it ourselves */
    enum html_encoding_kind kind;
    const char *labels; /* in small letters, a blank before and behind each */
};

/* How much of a document may be looked at for its encoding. */
enum { HTML_PRESCAN_SIZE = 1024 };

/* Blanks around the label and its case do not count. NULL: no such encoding. */
const struct html_encoding *weft__html_encoding(struct weft_text label);
const struct html_encoding *weft__html_encoding_utf8(void);

/* What the byte order mark says; *size: how long it is. NULL: there is none. */
const struct html_encoding *weft__html_encoding_bom(struct weft_text head, size_t *size);

/* What a <meta>, or an @charset, in these first bytes of a document says. NULL: nothing. */
const struct html_encoding *weft__html_prescan(struct weft_text head);
const struct html_encoding *weft__html_encoding_css(struct weft_text head);

#endif
