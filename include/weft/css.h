/* weft/css.h: the links of a style sheet or a style attribute.
 *
 * A scanner that follows the tokens of CSS (css-syntax-3), as far as a URL can be told from what
 * only looks like one: comments, strings, escapes and the rules for broken ones are CSS's own. It
 * is fed piece by piece, and any split of the input gives the same. Fed with what a stranger sent.
 *
 * Reported: url(...) with and without quotes, the string of an @import, and the strings directly in
 * image-set(). Not reported: what an @namespace names, a URL that is empty, broken (css calls it a
 * bad string or bad URL) or above WEFT_CSS_URL_MAX, and what stands in comments or other strings.
 * Where in the sheet a rule stands is not looked at: also an @import that comes too late counts.
 * Bytes from 0x80 on are passed on as they are, whatever the charset: it has to be one that has
 * ASCII as ASCII. A NUL is U+FFFD.
 *
 *     struct weft_css css = {.on_url = found, .context = page};
 *     weft_css_begin(&css);
 *     while (...)
 *         weft_css_feed(&css, data, size);
 *     weft_css_end(&css);
 *     weft_css_free(&css); */
#ifndef WEFT_CSS_H
#define WEFT_CSS_H

#include "text.h"
#include "version.h"
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The longest URL that is reported, in bytes, without its escapes. */
enum { WEFT_CSS_URL_MAX = 64 * 1024 };

struct weft_css_url {
    struct weft_text url; /* without its escapes; valid during the call, never empty */
    bool import;          /* it belongs to an @import: another style sheet */
    char quote;           /* what stands around it: '"', '\'', or 0 for nothing */
    uint64_t start, end;  /* where it stands as it is written, without quotes and brackets, in
                             bytes since weft_css_begin: [start, end) can be replaced */
};

struct weft_css;
/* May not call anything on css. */
typedef void weft_css_fn(struct weft_css *css, const struct weft_css_url *url, void *context);

enum { WEFT_CSS_NAME_SIZE_ = 24 };

struct weft_css {
    weft_css_fn *on_url; /* yours, set before weft_css_begin */
    void *context;       /* yours */

    /* Private from here on. */
    unsigned state_, owner_;            /* owner_: the state that an escape belongs to */
    int status_;                        /* UV_ENOMEM once it happened */
    uint64_t at_;                       /* where the piece that is fed ends */
    char name_[WEFT_CSS_NAME_SIZE_];    /* the name that is read, in small letters */
    size_t name_size_;                  /* more than fits: a name that nobody looks for */
    uint32_t code_, digits_;            /* an escape in hexadecimal digits */
    bool awaits_import_, in_namespace_; /* what the rule makes of the next URL */
    uint32_t set_depth_;                /* brackets that are open since image-set; 1 is its own */
    bool wanted_, import_, too_long_;   /* the URL that is read */
    char quote_;
    uint64_t start_, end_;
    char *url_;
    size_t url_size_, url_room_;
};

/* Begin a sheet. The struct was zeroed before its first use; it may be used again after
 * weft_css_end or in the midst of a sheet, and keeps its memory for that. */
WEFT_API void weft_css_begin(struct weft_css *css);

/* The next piece; on_url is called from in here. 0, or UV_ENOMEM: from then on every feed and the
 * end return that, and nothing more is reported. */
WEFT_API int weft_css_feed(struct weft_css *css, const void *data, size_t size);

/* There is no more. A URL that the end cuts off is one (css closes what is open). */
WEFT_API int weft_css_end(struct weft_css *css);

/* Free what it holds. Takes a struct that is zeroed, and one that is freed. */
WEFT_API void weft_css_free(struct weft_css *css);

#ifdef __cplusplus
}
#endif
#endif
