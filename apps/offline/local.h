/* apps/offline/local.h: links between the files of a copy, by their names: pure functions over text.
 *
 * A name is that of a file below the copy's folder, as apps/spider/name.h makes them: parts between
 * slashes, of letters, digits and - . _ = + , ~ @ % and, in a host's, a colon. As a URL it is itself but for
 * the %, which has to be escaped. */
#ifndef WEFT_OFFLINE_LOCAL_H
#define WEFT_OFFLINE_LOCAL_H

#include "trace/output.h"

/* The way from one file to another: "../b/c.html". From a file to itself it is its last part. */
void local_way(struct out *out, struct weft_text from, struct weft_text to);

/* Where a link in the file `from` leads to, if that is a file of the copy: its name into buffer, with a NUL
 * behind. false: it has a scheme or a host, begins with a slash, or leads out of the copy; or it does
 * not fit. What stands behind a '?' or '#' does not count. An empty one leads to `from`. */
bool local_name(struct weft_text from, struct weft_text link, char *buffer, size_t size);

/* A browser that opens a file has only its name to tell what it is. Does it take one of this name for a page? */
bool local_is_page(struct weft_text name);
/* The ending (".css") that a file of this name and Content-Type needs, to be taken for what it is; NULL: it
 * has it, does without, or nothing is known of its type. */
const char *local_ending(struct weft_text name, struct weft_text content_type);
/* The name with that ending: instead of a page's, or else behind its own; into buffer, which may be name.
 * false: it does not fit. */
bool local_end_with(const char *name, const char *ending, char *buffer, size_t size);
/* Where something can be put into a page for its head: behind its doctype, which has to be the first, or at its
 * beginning if it has none. */
size_t local_head(struct weft_text page);
/* Does a URL with this path probably lead to a page, although its name says nothing of it: .php, .asp? */
bool local_is_program(struct weft_text path);

#endif
