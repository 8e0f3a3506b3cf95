/* The named character references, sorted by name; see entities.c for what an entry looks like. */
#ifndef WEFT_WEB_HTML_ENTITIES_H
#define WEFT_WEB_HTML_ENTITIES_H

#include <stdint.h>

enum { HTML_ENTITIES = 2125 };

extern const char weft__html_entities[];
extern const uint16_t weft__html_entity_at[HTML_ENTITIES + 1];

#endif
