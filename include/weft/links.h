/* weft/links.h: the links of an HTML page or of a style sheet, as the bytes come in.
 *
 *     static int on_link(struct weft_links *links, const struct weft_link *link)
 *     {
 *         struct page *page = links->context;
 *         ... link->url is valid during the call ...
 *         return 0;
 *     }
 *
 *     struct weft_links links = {.on_link = on_link, .context = page};
 *     status = weft_links_begin(&links, WEFT_LINKS_HTML, charset);
 *     status = weft_links_feed(&links, data, size);     // any number of times, pieces of any size
 *     status = weft_links_end(&links);
 *     ... links.nofollow, links.noindex ...
 *     weft_links_free(&links);                          // or begin the next document
 *
 * A document that is in memory as a whole takes one call: weft_links_scan.
 *
 * No tree is built and no text is kept: memory is bounded, whatever comes in (see weft/html.h). How
 * the document is cut into pieces changes nothing. Reported are, in the order of their ends:
 *
 *     navigation  a, area, svg a: href; link with another rel; form with method get: action;
 *                 meta refresh
 *     requisite   link with rel stylesheet, icon, apple-touch-icon, mask-icon, preload,
 *                 modulepreload, manifest: href, imagesrcset; img, source: src, srcset;
 *                 script, iframe, frame, embed, audio, track, input type=image: src;
 *                 video: src, poster; object: data; body, table, tr, td, th: background;
 *                 svg image and use: href, xlink:href; url() and @import in style sheets, in
 *                 <style> and in style=""
 *     base        the first base with a href, once
 *
 * Nothing is reported for link rel=dns-prefetch and rel=preconnect, for what is empty or, without
 * a base, only a #fragment, for javascript:, data:, mailto: and tel:, for a URL that was cut because it is longer
 * than WEFT_HTML_VALUE_MAX, and from within comments and scripts. Contents of <noscript> and
 * <template> count, as no script runs here.
 *
 * The encoding is found as browsers find it: a byte order mark, else the charset given to begin,
 * else a <meta> within the first 1024 bytes (which are held back until it is known), else it is
 * UTF-8. Browsers then take windows-1252 (or what the reader's language suggests); most of what is
 * written today is UTF-8, so that here only a link which is not valid UTF-8 is taken as
 * windows-1252. Style sheets: byte order mark, charset, @charset, UTF-8. In an encoding other than
 * UTF-8, the query of a URL is not converted: it is percent-encoded in the document's encoding, as
 * browsers send it. */
#ifndef WEFT_LINKS_H
#define WEFT_LINKS_H

#include "text.h"
#include "version.h"
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum weft_link_kind {
    WEFT_LINK_NAVIGATION, /* another document */
    WEFT_LINK_REQUISITE,  /* something that this document is shown with */
    WEFT_LINK_BASE,       /* no link: what the URLs behind it are relative to */
    WEFT_LINK_GUARD,      /* no link: see links.guards */
    WEFT_LINK_POST        /* where a form is sent to, and nothing to be fetched: see links.guards */
};

enum weft_link_from {
    WEFT_LINK_A,
    WEFT_LINK_AREA,
    WEFT_LINK_LINK,
    WEFT_LINK_BASE_HREF,
    WEFT_LINK_IMG,
    WEFT_LINK_SRCSET, /* of img, source or link (imagesrcset) */
    WEFT_LINK_SOURCE,
    WEFT_LINK_SCRIPT,
    WEFT_LINK_IFRAME,
    WEFT_LINK_FRAME,
    WEFT_LINK_EMBED,
    WEFT_LINK_OBJECT,
    WEFT_LINK_VIDEO,
    WEFT_LINK_POSTER,
    WEFT_LINK_AUDIO,
    WEFT_LINK_TRACK,
    WEFT_LINK_INPUT,
    WEFT_LINK_BACKGROUND,
    WEFT_LINK_FORM,
    WEFT_LINK_META_REFRESH,
    WEFT_LINK_SVG_IMAGE,
    WEFT_LINK_SVG_USE,
    WEFT_LINK_CSS_URL,
    WEFT_LINK_CSS_IMPORT,
    WEFT_LINK_INTEGRITY, /* only with links.guards; and so are the next */
    WEFT_LINK_CROSSORIGIN,
    WEFT_LINK_POLICY /* http-equiv=Content-Security-Policy of a meta */
};

/* "a", "srcset", "css-import": for logs. "" for what is none. Static storage. */
WEFT_API const char *weft_link_from_name(enum weft_link_from from);

struct weft_link {
    struct weft_text url; /* UTF-8, references decoded, trimmed, not empty, not resolved */
    enum weft_link_kind kind;
    enum weft_link_from from;
    bool nofollow; /* rel=nofollow on it, or a <meta name=robots> before it said so */
    /* The bytes of the document that hold the URL as it is written there, references and all: of a
     * srcset or a style only this URL, without quotes and blanks. Both are 0 if links->ranges is
     * false. They never overlap; those of one tag come in the order of its attributes. */
    uint64_t start, end;
    bool in_attribute; /* '&' begins a reference there; false in style sheets and <style> */
    char quote;        /* around the attribute: '"', '\'', or 0 for none */
};

/* XHTML is HTML in XML's clothes, served as application/xhtml+xml: <script/> and <title/> are closed there. */
enum weft_links_type { WEFT_LINKS_HTML, WEFT_LINKS_CSS, WEFT_LINKS_XHTML };

enum weft_links_encoding_from {
    WEFT_LINKS_FROM_DEFAULT,
    WEFT_LINKS_FROM_BOM,
    WEFT_LINKS_FROM_HEADER,
    WEFT_LINKS_FROM_META /* or @charset */
};

struct weft_links;
/* 0: go on. Negative: the feed or end that is running returns it, and nothing more is reported. */
typedef int weft_links_fn(struct weft_links *links, const struct weft_link *link);

struct weft_links_state;

struct weft_links {
    /* Set before begin; everything else begins as zero. */
    weft_links_fn *on_link;
    void *context;
    struct weft_text agent; /* <meta name="..."> with this name counts as robots too; or empty */
    /* Report, for who changes what links lead to, the attributes that would not let it pass: integrity
     * and crossorigin of link, script, img, audio and video, http-equiv of a meta that is a
     * Content-Security-Policy. url is the value, which may be empty; the
     * range is the value's, or behind the name if there is none. And the action of forms with method
     * post, which would lead elsewhere otherwise. */
    bool guards;

    /* Read only. Final after end; encoding and ranges are known when on_link is called. */
    bool nofollow, noindex; /* from <meta name=robots>: nofollow, noindex, none */
    bool ranges;            /* links have ranges: false for UTF-16 and ISO-2022-JP */
    enum weft_links_encoding_from encoding_from;
    const char *encoding; /* "UTF-8", "windows-1252": the standard's name; static storage */

    struct weft_links_state *state_;
};

/* Begin a document. charset: from its Content-Type, or empty; an unknown one is ignored. on_link,
 * context and agent are kept from one document to the next, buffers too: only the first begin
 * allocates, as long as no tag is larger than those before. UV_EINVAL: no on_link, or no such
 * type. UV_ENOMEM. */
WEFT_API int weft_links_begin(struct weft_links *links, enum weft_links_type type,
                              struct weft_text charset);

/* The next bytes. UV_ENOSYS: the document is in UTF-16 or ISO-2022-JP, or in an encoding other than
 * UTF-8 and windows-1252 with a link outside ASCII, and ICU, which is loaded by the first of them,
 * is not there. UV_ENOMEM, UV_EINVAL if there was no begin or an end since, or what on_link
 * returned; every feed and end after that returns the same. */
WEFT_API int weft_links_feed(struct weft_links *links, const char *data, size_t size);

/* There are no more bytes. Errors are those of feed. */
WEFT_API int weft_links_end(struct weft_links *links);

/* Begin, feed and end for a document that is all there. Errors are those of the three. */
WEFT_API int weft_links_scan(struct weft_links *links, enum weft_links_type type,
                             struct weft_text charset, const char *data, size_t size);

/* Give the buffers back; also in the middle of a document, but not from within on_link. The struct
 * can be begun again. Takes one that was never begun (all zero). */
WEFT_API void weft_links_free(struct weft_links *links);

/* The value of a Refresh: field or of <meta http-equiv=refresh>, as the standard reads it:
 * "5; url=/next". seconds is cut at UINT32_MAX. *url points into value and is empty for a page that
 * only loads itself again; references are not decoded here. UV_EINVAL: it begins with no number. */
WEFT_API int weft_links_refresh(struct weft_text value, struct weft_text *url, uint32_t *seconds);

/* The next URL of a srcset, "a.png 1x, b.png 2x": *rest begins as the whole and shrinks, *url
 * points into it. 1, or 0 at the end. Candidates whose descriptors are wrong count too. */
WEFT_API int weft_links_srcset_next(struct weft_text *rest, struct weft_text *url);

#ifdef __cplusplus
}
#endif
#endif
