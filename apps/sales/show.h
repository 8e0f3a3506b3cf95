/* apps/sales/show.h: names of items, which are any bytes, as text that can be shown. */
#ifndef WEFT_SALES_SHOW_H
#define WEFT_SALES_SHOW_H

#include "sales/ledger.h"
#include "trace/output.h"

enum { SHOW_MAX = 3 * LEDGER_ITEM_MAX };

/* As UTF-8: what is none becomes U+FFFD. With harmless also what would end a line, drive a terminal
 * or turn the direction of text does. The result is item itself, or lies in buffer. */
struct weft_text show_item(struct weft_text item, bool harmless, char buffer[SHOW_MAX]);

/* Into HTML, between tags or in quotes. */
void show_html(struct out *out, struct weft_text item);
/* Into JSON, with its quotes. */
void show_json(struct out *out, struct weft_text item);

#endif
