/* weft/html.h: HTML taken apart into tokens, as the bytes come in; no tree is built.
 *
 * Follows the tokenizer of the HTML standard, with all of its states: its tokens are the
 * standard's, for whatever input. Fed in pieces of any size; how the document is cut changes
 * nothing but where texts and comments are cut. It says what it wants: what nobody wants is passed
 * over without being decoded or copied.
 *
 *     static int on_token(struct weft_html *html, const struct weft_html_token *token) { ... }
 *
 *     struct weft_html html = {.on_token = on_token, .wants = WEFT_HTML_WANTS_ALL, .elements =
 * true};
 *     weft_html_begin(&html);
 *     weft_html_feed(&html, data, size);
 *     weft_html_end(&html);
 *     weft_html_free(&html);
 *
 * Memory is bounded: texts and comments are passed on in pieces and never collected. A name or a
 * value is kept up to WEFT_HTML_VALUE_MAX bytes, a tag up to WEFT_HTML_ATTRIBUTES_MAX attributes
 * and WEFT_HTML_TAG_MAX bytes. Beyond that, values are cut (and say so), attributes with too long a
 * name and those that are too many are left out.
 *
 * Bytes from 0x80 on are passed on as they are, so the encoding has to be one that has ASCII as
 * ASCII. Character references become UTF-8; so does U+FFFD, where the standard puts it for NUL. */
#ifndef WEFT_HTML_H
#define WEFT_HTML_H

#include "text.h"
#include "version.h"
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    WEFT_HTML_VALUE_MAX = 64 * 1024,
    WEFT_HTML_TAG_MAX = 1024 * 1024,
    WEFT_HTML_ATTRIBUTES_MAX = 256
};

enum weft_html_type {
    WEFT_HTML_DOCTYPE,
    WEFT_HTML_START_TAG,
    WEFT_HTML_END_TAG,
    WEFT_HTML_COMMENT, /* a piece of one; the last piece says so, and may be empty */
    WEFT_HTML_TEXT,    /* a piece; never empty */
    WEFT_HTML_EOF
};

/* value[at, at + size) is not what stands in the document: there it is [start, end). In between,
 * byte stands for byte. A reference that was decoded, a CR that was dropped (size is 0), a NUL. */
struct weft_html_change {
    size_t at, size;
    uint64_t start, end;
};

struct weft_html_attribute {
    struct weft_text name;  /* in small letters; of several with one name only the first is there */
    struct weft_text value; /* references decoded; empty if there is none */
    uint64_t start, end;    /* the bytes of the document that hold the value, without quotes */
    char quote;             /* around the value: '"', '\'', or 0 for none */
    bool cut;               /* too long: this is only how it begins */
    const struct weft_html_change *changes;
    size_t change_count;
};

struct weft_html_token {
    enum weft_html_type type;
    struct weft_text name; /* of a tag or a doctype, in small letters; data is NULL for none */
    struct weft_html_attribute *attributes; /* of a start tag, as far as they are wanted */
    size_t attribute_count;
    bool self_closing;                     /* of a start tag */
    struct weft_text text;                 /* of a text or a comment */
    bool last;                             /* of a comment: its last piece */
    struct weft_text public_id, system_id; /* of a doctype; data is NULL if there is none */
    bool force_quirks;                     /* of a doctype */
    uint64_t start, end; /* where it stands; of a text only exact if it is raw, of EOF the end */
};

struct weft_html;

/* A token; valid during the call, with all that it points to. 0: go on. Negative: the feed or end
 * that is running returns it, and nothing more is reported. May change wants, raw_text, cdata, and
 * call weft_html_switch. */
typedef int weft_html_fn(struct weft_html *html, const struct weft_html_token *token);

enum weft_html_interest {
    WEFT_HTML_SKIP,   /* the tag is passed over */
    WEFT_HTML_IF_ANY, /* it is reported if it has an attribute that is wanted */
    WEFT_HTML_TAKE    /* it is reported */
};

/* A start tag with this name begins: of what interest is it? */
typedef enum weft_html_interest weft_html_tag_fn(struct weft_html *html, struct weft_text name);
/* It has this attribute: is it wanted? */
typedef bool weft_html_attribute_fn(struct weft_html *html, struct weft_text name);

enum {
    WEFT_HTML_WANTS_DOCTYPE = 1 << 0,
    WEFT_HTML_WANTS_END_TAGS = 1 << 1,
    WEFT_HTML_WANTS_COMMENTS = 1 << 2,
    WEFT_HTML_WANTS_TEXT = 1 << 3,
    WEFT_HTML_WANTS_ALL = (1 << 4) - 1 /* start tags and EOF come in any case */
};

enum weft_html_mode {
    WEFT_HTML_DATA,
    WEFT_HTML_RCDATA,  /* references, no tags but the one that ends it: title, textarea */
    WEFT_HTML_RAWTEXT, /* not even references: style, xmp, iframe, noembed, noframes */
    WEFT_HTML_SCRIPT,
    WEFT_HTML_PLAINTEXT,
    WEFT_HTML_CDATA
};

enum { WEFT_HTML_HELD_ = 40 };

struct weft_html {
    /* Yours, set before begin. */
    weft_html_fn *on_token;
    void *context;
    weft_html_tag_fn *wants_tag;             /* NULL: take all */
    weft_html_attribute_fn *wants_attribute; /* NULL: all */
    unsigned wants;                          /* WEFT_HTML_WANTS_... */
    bool raw_text; /* texts as they are written: no references, no newlines made LF, NUL stays */
    bool cdata;    /* <![CDATA[ begins a section: the standard allows it in SVG and MathML only */
    bool xml;      /* with elements: a tag that ends in "/>" is closed, whatever its element is */
    /* Switch the mode behind <title>, <textarea>, <style>, <xmp>, <iframe>, <noembed>, <noframes>,
     * <script> and <plaintext> as the builder of a tree would, with scripting off; and allow CDATA
     * between <svg> or <math> and their end, where <script/> is closed. */
    bool elements;
    /* Start tags without attributes, and those of p, div, td and the like that have neither a style
     * nor a background, are of no interest: they may be passed over without wants_tag being asked,
     * if wants is 0. Those that elements is about are not. Faster: most tags are like that. */
    bool skip_dull;

    /* Private from here on. */
    int status_;
    unsigned state_, return_;   /* return_: where a reference stands */
    unsigned mode_, next_mode_; /* of texts; and the one behind this tag */
    unsigned foreign_;          /* how deep we are in <svg> and <math> */
    uint64_t offset_;           /* of the piece that is fed */
    uint64_t token_start_;
    bool ended_, pending_cr_;

    char held_[WEFT_HTML_HELD_]; /* what may turn out to be markup, or a reference */
    unsigned held_size_;
    char end_name_[WEFT_HTML_HELD_]; /* what ends RCDATA, RAWTEXT or a script */
    unsigned end_name_size_;
    unsigned matched_;
    uint64_t reference_start_;
    unsigned first_, last_; /* the references that begin like this one */
    unsigned found_, found_size_;
    uint32_t code_;

    bool is_end_, self_closing_, report_, keep_, cut_;
    char quote_;
    unsigned interest_, element_;
    char *buffer_; /* the names and values of a tag */
    size_t buffer_size_, buffer_room_;
    size_t name_size_, item_at_; /* of the tag; where the name or value that is read begins */
    size_t public_at_, system_at_;
    bool force_quirks_, has_name_, has_public_, has_system_;
    struct weft_html_attribute *attributes_;
    size_t attribute_count_, attribute_room_;
    struct weft_html_change *changes_;
    size_t change_count_, change_room_, value_changes_;
};

/* Begin a document. The struct was zeroed before its first use; it may be used again, and keeps its
 * memory for that. UV_EINVAL: no on_token. */
WEFT_API int weft_html_begin(struct weft_html *html);

/* The next bytes. UV_ENOMEM, UV_EINVAL after end, or what on_token returned; all that follows
 * returns the same. */
WEFT_API int weft_html_feed(struct weft_html *html, const char *data, size_t size);

/* There are no more: what is open is closed as the standard says, and EOF reported. */
WEFT_API int weft_html_end(struct weft_html *html);

/* Free what it holds. Takes a struct that is zeroed, and one that is freed. */
WEFT_API void weft_html_free(struct weft_html *html);

/* How what comes next is read; name is the tag that ends it (for RCDATA, RAWTEXT and SCRIPT). Right
 * behind begin, or from on_token at a start tag. UV_EINVAL: no such mode, or a name that is longer
 * than 32 bytes. */
WEFT_API int weft_html_switch(struct weft_html *html, enum weft_html_mode mode,
                              struct weft_text name);

/* Where in the document value[at, at + size) of this attribute stands. What is within a change
 * stands for all of it. */
WEFT_API void weft_html_source(const struct weft_html_attribute *attribute, size_t at, size_t size,
                               uint64_t *start, uint64_t *end);

#ifdef __cplusplus
}
#endif
#endif
