/* apps/warc/surt.h: the key under which an index of an archive has a URL.
 *
 *     http://www.example.org:8080/A/?z=1&b=2  ──►  org,example:8080)/a?b=2&z=1
 *
 * The host from its end to its begin, so that a domain and all below it stand together; what is the
 * same page to nearly everybody is the same key: no scheme, no "www.", no port that is the scheme's
 * own, lower case, the parts of the query in their order, no '/' at the end of a path, no fragment. As
 * other tools make it, but for session ids, which stay. */
#ifndef WEFT_APPS_WARC_SURT_H
#define WEFT_APPS_WARC_SURT_H

#include "warc/buffer.h"

/* Of an absolute URL; what is none is its own key, in lower case. Blanks and controls are left out:
 * they would end the key. */
void warc_add_surt(struct warc_buffer *buffer, struct weft_text url);

#endif
