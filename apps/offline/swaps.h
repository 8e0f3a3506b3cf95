/* apps/offline/swaps.h: a document with other links in it.
 *
 *     swaps_add(&swaps, &link, text);          // for each link, in the order in which they come
 *     swaps_write(&swaps, document, &out);     // the document with them
 *
 * What is put there is escaped as it has to be where the link stands: in an attribute, in a style sheet, or in
 * a style sheet in an attribute. It has to be a URL as the standard writes them: ASCII, without
 * blanks, quotes and angle brackets. */
#ifndef WEFT_OFFLINE_SWAPS_H
#define WEFT_OFFLINE_SWAPS_H

#include "trace/output.h"
#include <weft/links.h>

/* Zeroed before its first use; buffers are kept from one document to the next. */
struct swaps {
    struct out list; /* records: see swaps.c */
    struct out text; /* of one that is escaped, for the time of a call */
    size_t count;
    size_t most; /* bytes of list */
    bool full;   /* read only: there were more. It is not to be written with these */
};

/* For a document of so many bytes. A short link in it may become a long one, a million times: with four times as
 * much as the document has, and a mebibyte, it is full. */
void swaps_begin(struct swaps *swaps, size_t document_size);
/* false: no memory. A link without a range is left as it is. */
bool swaps_add(struct swaps *swaps, const struct weft_link *link, struct weft_text text);
/* Where the first is; SIZE_MAX: there is none. */
size_t swaps_first(const struct swaps *swaps);
/* Would the document change? A guard does not count. */
bool swaps_differ(const struct swaps *swaps, struct weft_text document);
/* The document with them, behind what is in out. false: no memory. */
bool swaps_write(const struct swaps *swaps, struct weft_text document, struct out *out);
void swaps_free(struct swaps *swaps);

#endif
