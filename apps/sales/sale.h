/* apps/sales/sale.h: a sale as a client sends it. */
#ifndef WEFT_SALES_SALE_H
#define WEFT_SALES_SALE_H

#include "sales/ledger.h"

enum { SALE_WHY = 128 };

struct sale {
    size_t size;
    int64_t amount;
    char item[LEDGER_ITEM_MAX + 1];
};

/* {"item":"book","amount":1250}: both, each once, nothing else. 0, UV_EINVAL and in why a sentence
 * that says what is wrong, or UV_ENOMEM. */
int sale_read_json(struct sale *sale, struct weft_text body, char why[SALE_WHY]);
/* item=book&amount=1250, with the same rules. */
int sale_read_form(struct sale *sale, struct weft_text body, char why[SALE_WHY]);

#endif
