/* What a client of weft sales serve chooses: a sale as JSON and as a form, the name of an item.
 * Nothing crashes, what is accepted keeps its bounds, and what is shown is text. */
#include "sales/sale.h"
#include "sales/sales.h"
#include "sales/show.h"
#include <stdint.h>
#include <stdlib.h>

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void read_sale(int (*read)(struct sale *, struct weft_text, char *), struct weft_text body)
{
    struct sale sale = {0};
    char why[SALE_WHY] = "";
    int err = read(&sale, body, why);
    if (err == 0)
        require(sale.size >= 1 && sale.size <= LEDGER_ITEM_MAX && sale.amount != 0 &&
                sale.amount >= -SALES_AMOUNT_MAX && sale.amount <= SALES_AMOUNT_MAX);
    else
        require(err == UV_EINVAL && why[0] != '\0' && memchr(why, '\0', SALE_WHY) != NULL);
}

/* Harmless text has no byte that could end a line or drive a terminal. */
static void show(struct weft_text item)
{
    char buffer[SHOW_MAX];
    struct weft_text shown = show_item(item, true, buffer);
    require(shown.size <= 3 * item.size);
    for (size_t i = 0; i < shown.size; i++)
        require((unsigned char)shown.data[i] >= 0x20 && shown.data[i] != 0x7f);
    struct out out = {0};
    show_html(&out, item);
    require(out.size == 0 ||
            (memchr(out.data, '<', out.size) == NULL && memchr(out.data, '"', out.size) == NULL));
    out_free(&out);
    show_json(&out, item);
    require(out.size >= 2 && memchr(out.data, '<', out.size) == NULL);
    out_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weft_text text = weft_text((const char *)data, size);
    read_sale(sale_read_json, text);
    read_sale(sale_read_form, text);
    show(weft_text(text.data, size < LEDGER_ITEM_MAX ? size : LEDGER_ITEM_MAX));
    return 0;
}
