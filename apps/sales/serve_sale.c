/* POST /sales: one more sale. 201 and its id when it is on the disk and everybody has forgotten
 * what was true before it.
 *
 * Who leaves before that takes it out of the line, if it is not being written; if it is, all has to
 * be forgotten although nobody waits: so that is not below the request (totals_forget).
 *
 * There is no password. A browser that is on a page of somebody else must not add sales here behind
 * its user's back, so a request that says it comes from another origin is refused. So is one from a
 * name that somebody has made to mean this machine, where only this machine is served: its own names
 * are localhost and addresses. */
#include "sales/serve.h"
#include <stdio.h>
#include <time.h>
#include <weft/http_message.h>

static struct visit *visit_of(struct weft_op *op)
{
    return weft_owner(op, struct visit, request.op);
}

static void told(struct weft_op *op, struct weft_op *message)
{
    (void)message;
    struct visit *visit = visit_of(op);
    if (visit_set_fields(visit))
        weft_http_answerf(&visit->request, 201, "application/json", "{\"id\":%llu}\n",
                          (unsigned long long)visit->by.sale.add.id);
}

static void added(struct weft_op *op, struct weft_op *add)
{
    struct visit *visit = visit_of(op);
    struct totals_told *others = &visit->by.sale.told;
    if (add->status == UV_ENOSPC) {
        visit_refuse(visit, 507, "the sale cannot be added: %s", weft_strerror(add->status));
        return;
    }
    if (add->status != 0) {
        visit_fail(visit, "the sale cannot be added", add->status);
        return;
    }
    others->message = totals_forget(&server_of(visit)->totals, visit->by.sale.add.item);
    totals_told(op, others, told);
}

static void add_sale(struct visit *visit)
{
    struct sale *sale = &visit->by.sale.sale;
    struct ledger_add *add = &visit->by.sale.add;
    add->ledger = &server_of(visit)->ledger;
    add->item = weft_text(sale->item, sale->size);
    add->amount = sale->amount;
    add->time_s = (int64_t)time(NULL);
    ledger_add(&visit->request.op, add, added);
}

/* ---- what was sent -------------------------------------------------------------------------- */

enum body { BODY_JSON, BODY_FORM, BODY_OTHER };

static enum body body_type(const struct visit *visit)
{
    struct weft_http_content_type type;
    weft_http_content_type_parse(weft_http_head_get(&visit->request.head, "Content-Type"), &type);
    if (weft_http_content_type_is(&type, "application/json"))
        return BODY_JSON;
    if (weft_http_content_type_is(&type, "application/x-www-form-urlencoded"))
        return BODY_FORM;
    return BODY_OTHER;
}

static void body_there(struct weft_op *op, struct weft_op *read)
{
    struct visit *visit = visit_of(op);
    struct weft_http_read_all *body = &visit->by.sale.body;
    char why[SALE_WHY];
    if (read->status == UV_EFBIG) {
        visit_refuse(visit, 413, "a sale is shorter than that");
        return;
    }
    if (read->status != 0) {
        weft_end(op, read->status);
        return;
    }
    struct weft_text text = weft_text(body->data, body->size);
    int err = body_type(visit) == BODY_JSON ? sale_read_json(&visit->by.sale.sale, text, why)
                                            : sale_read_form(&visit->by.sale.sale, text, why);
    weft_http_read_all_free(body);
    if (err == UV_EINVAL)
        visit_refuse(visit, 400, "%s", why);
    else if (err != 0)
        visit_fail(visit, "the sale cannot be read", err);
    else
        add_sale(visit);
}

static bool is_local_name(struct weft_text authority)
{
    char text[WEFT_ADDRESS_TEXT];
    struct weft_address address;
    struct weft_text host;
    int port;
    if (weft_http_host_split(authority, &host, &port) != 0 || host.size >= sizeof text - 8)
        return false;
    bool ip6 = memchr(host.data, ':', host.size) != NULL;
    snprintf(text, sizeof text, ip6 ? "[%.*s]:80" : "%.*s:80", WEFT_TEXT_ARGS(host));
    return weft_text_same(host, weft_text_of("localhost")) ||
           weft_address_parse(&address, text) == 0;
}

/* "http://host:port", and the part behind the slashes is what the request itself was sent to. */
static bool comes_from_here(const struct visit *visit)
{
    const struct weft_http_head *head = &visit->request.head;
    struct weft_text rest = weft_http_head_get(head, "Origin");
    if (rest.data == NULL)
        return true;
    weft_text_cut(&rest, '/');
    weft_text_cut(&rest, '/');
    return rest.size > 0 && weft_text_same(rest, head->host) &&
           (is_local_name(rest) || !serving_is_loopback(&server_of(visit)->serving.address));
}

void serve_sale(struct weft_op *op)
{
    struct visit *visit = visit_of(op);
    visit_choose_form(visit);
    if (!comes_from_here(visit))
        visit_refuse(visit, 403, "sales are not taken from pages of other origins");
    else if (server_of(visit)->read_only)
        visit_refuse(visit, 403, "this server may only read its ledger: no sales are taken");
    else if (body_type(visit) == BODY_OTHER)
        visit_refuse(visit, 415, "a sale is application/json or application/x-www-form-urlencoded");
    else
        weft_http_read_all(op, &visit->by.sale.body, &visit->request, body_there);
}
