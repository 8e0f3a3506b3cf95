/* apps/sales/serve.h: the parts of `weft sales serve`.
 *
 *     serve ──┬── serve_total    GET /           one total, as text or JSON
 *             ├── serve_page     GET /           the same address for people: a page
 *             ├── serve_sale     POST /sales
 *             └── serve_figures  GET /metrics and /stats.json */
#ifndef WEFT_SALES_SERVE_H
#define WEFT_SALES_SERVE_H

#include "benching/latency.h"
#include "sales/sale.h"
#include "sales/show.h"
#include "sales/totals.h"
#include "serving/redis.h"
#include "serving/serving.h"

/* What the usage of `weft sales` says of it. */
#define SALES_SERVE_USAGE                                                                          \
    "      --mode MODE           plain: each request scans; batch: those for the same share a\n"   \
    "                            scan; cache (the default), promise: and it is kept\n"             \
    "      --ttl TIME            for so long: 30 (the default), 0.5, 500ms\n"                      \
    "      --redis URL           with mode cache: shared with other processes\n"                   \
    "      --scan-delay MS       each scan takes that much longer\n" SERVING_USAGE_ONE

struct sales_server {
    struct serving serving;
    const char *db;
    unsigned mode;
    struct ledger ledger;
    struct totals totals;
    char prefix[80]; /* of the totals */
    struct latency latencies[TOTALS_MODES];
    struct redis_watch redis;
    bool read_only; /* nobody may write to the ledger */
    uint64_t opened_ms;
};

/* In which form a client is answered. */
enum form { FORM_TEXT, FORM_JSON, FORM_HTML, FORM_NONE };

/* A request. */
struct visit {
    struct weft_http_request request;
    enum form form; /* of the answer */
    union {
        struct {
            struct totals_ask ask;
            char item[LEDGER_ITEM_MAX + 1];
        } total;
        struct weft_cache_get overview; /* for the page and /stats.json */
        struct {
            struct weft_http_read_all body;
            struct sale sale;
            struct ledger_add add;
            struct totals_told told;
        } sale;
    } by;
};

/* serve.c */
struct sales_server *server_of(const struct visit *visit);

/* Set visit->form to what the client likes best; FORM_NONE: it takes none. */
void visit_choose_form(struct visit *visit);
/* The fields that all answers have. False: it cannot be done, and the request has ended. */
bool visit_set_fields(struct visit *visit);
/* Say what is wrong, as text or as {"error":…}. */
__attribute__((format(printf, 3, 4))) void visit_refuse(struct visit *visit, int status,
                                                        const char *format, ...);
/* The same for what has failed with err, with the status that fits. */
void visit_fail(struct visit *visit, const char *what, int err);
/* 200 with all that is in out, which is freed. */
void visit_answer(struct visit *visit, const char *type, struct out *out);

/* serve_total.c */
void serve_total(struct weft_op *op);
/* serve_page.c: begins like the others; and the page, once there is an overview. */
void serve_page(struct weft_op *op);
/* serve_sale.c */
void serve_sale(struct weft_op *op);

/* serve_figures.c */
void serve_metrics(struct weft_op *op);
void serve_stats(struct weft_op *op);
void figures_write_stats(struct out *out, const struct sales_server *server,
                         const struct totals_overview *overview);

#endif
