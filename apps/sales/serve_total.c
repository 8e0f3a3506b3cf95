/* GET /: a total. ?item= names the item, ?mode= another way than the server's.
 *
 * In which form it is answered the client says; people who come with a browser get the page. */
#include "sales/serve.h"
#include <weft/http_message.h>

static const char what[] = "the total cannot be found";

/* ---- the answer ----------------------------------------------------------------------------- */

/* Without printf, which took longer than finding a total that is kept. */
static char *put(char *at, struct weft_text text)
{
    if (text.size > 0)
        memcpy(at, text.data, text.size);
    return at + text.size;
}

static char *put_number(char *at, int64_t number)
{
    char digits[20];
    size_t first = sizeof digits;
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    do {
        digits[--first] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (number < 0)
        *at++ = '-';
    return put(at, weft_text(digits + first, sizeof digits - first));
}

static void answer_text(struct visit *visit, const struct totals_ask *ask)
{
    char text[SHOW_MAX + 64], buffer[SHOW_MAX];
    char *at = put(text, weft_text_of("Total sales"));
    if (ask->item.size > 0) {
        at = put(at, weft_text_of(" for item "));
        at = put(at, show_item(ask->item, true, buffer));
    }
    at = put(at, weft_text_of(" is "));
    at = put_number(at, ask->sum);
    *at++ = '\n';
    if (visit_set_fields(visit))
        weft_http_answer_copy(&visit->request, 200, "text/plain; charset=utf-8", text,
                              (size_t)(at - text));
}

static void answer_json(struct visit *visit, const struct totals_ask *ask, uint64_t took_ns)
{
    struct out out = {0};
    out_string(&out, "{\"item\":");
    if (ask->item.size == 0)
        out_string(&out, "null");
    else
        show_json(&out, ask->item);
    out_json_number(&out, "total", ask->sum);
    out_json_member(&out, "mode", weft_text_of(totals_mode_names[ask->mode]));
    out_json_member(&out, "how", weft_text_of(totals_how_names[ask->how]));
    out_json_number(&out, "took_us", (int64_t)(took_ns / 1000));
    out_string(&out, "}\n");
    visit_answer(visit, "application/json", &out);
}

static void there(struct weft_op *op, struct weft_op *asked)
{
    struct visit *visit = weft_owner(op, struct visit, request.op);
    const struct totals_ask *ask = &visit->by.total.ask;
    if (asked->status != 0) {
        visit_fail(visit, what, asked->status);
        return;
    }
    uint64_t took_ns = uv_hrtime() - visit->request.began_ns;
    latency_add(&server_of(visit)->latencies[ask->mode], took_ns);
    if (visit->form == FORM_JSON)
        answer_json(visit, ask, took_ns);
    else
        answer_text(visit, ask);
}

/* ---- the question --------------------------------------------------------------------------- */

/* Into by.total. False: it was refused. */
static bool read_item(struct visit *visit, struct weft_text value)
{
    struct totals_ask *ask = &visit->by.total.ask;
    int err =
        weft_http_form_decode(value, visit->by.total.item, sizeof visit->by.total.item, &ask->item);
    if (err == 0 || err == UV_EILSEQ) /* a byte 0 is as good as others */
        return true;
    if (err == UV_ENOBUFS)
        visit_refuse(visit, 400, "the name of an item has at most %d bytes", LEDGER_ITEM_MAX);
    else
        visit_refuse(visit, 400, "there is a %% without two hex digits");
    return false;
}

static bool read_mode(struct visit *visit, struct weft_text value)
{
    for (unsigned i = 0; i < TOTALS_MODES; i++) {
        if (weft_http_form_is(value, totals_mode_names[i])) {
            visit->by.total.ask.mode = (enum totals_mode)i;
            return true;
        }
    }
    visit_refuse(visit, 400, "the mode is plain, batch, cache or promise");
    return false;
}

/* Of several the first counts. */
static bool read_query(struct visit *visit)
{
    struct weft_text query = visit->request.head.query, name, value;
    bool item = false, mode = false, good = true;
    visit->by.total.ask.mode = (enum totals_mode)server_of(visit)->mode;
    while (good && weft_http_form_next(&query, &name, &value) == 1) {
        if (!item && weft_http_form_is(name, "item")) {
            item = true;
            good = read_item(visit, value);
        } else if (!mode && weft_http_form_is(name, "mode")) {
            mode = true;
            good = read_mode(visit, value);
        }
    }
    return good;
}

void serve_total(struct weft_op *op)
{
    struct visit *visit = weft_owner(op, struct visit, request.op);
    visit_choose_form(visit);
    if (visit->form == FORM_HTML) {
        serve_page(op);
        return;
    }
    if (visit->form == FORM_NONE) {
        visit_refuse(visit, 406, "there are text/plain, application/json and text/html");
        return;
    }
    if (!read_query(visit))
        return;
    visit->by.total.ask.totals = &server_of(visit)->totals;
    totals_ask(op, &visit->by.total.ask, there);
}
