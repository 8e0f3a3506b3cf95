/* Inside the room of CSS: the URL that is being read. */
#ifndef WEFT_WEB_CSS_H
#define WEFT_WEB_CSS_H

#include <weft/css.h>

/* A URL may begin behind the byte before start. quote: what ends it, or 0. */
void weft__css_url_begin(struct weft_css *css, uint64_t start, char quote);

/* More of it. */
void weft__css_url_put(struct weft_css *css, const char *data, size_t size);

/* What an escape stood for, in UTF-8. 0, surrogates and what is above Unicode are U+FFFD. */
void weft__css_url_put_code(struct weft_css *css, uint32_t code);

/* It ended well, before this byte: report it if somebody wants it. */
void weft__css_url_end(struct weft_css *css, uint64_t end);

#endif
