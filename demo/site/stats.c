/* GET /_stats: what was asked for since the start, for tests. Asking does not change it. */
#include "site.h"

void serve_stats(struct weft_op *op)
{
    struct visit *visit = visit_of(op);
    const struct site *site = site_of(visit);
    struct page *page = &visit->page;
    unsigned long long connections = site->connections + site->server.accepted;
    page_addf(page, "max %llu total %llu connections %llu\n",
              (unsigned long long)site->most_running, (unsigned long long)site->total, connections);
    for (size_t i = 0; i < site->counts.count; i++)
        page_addf(page, "%llu %s\n", (unsigned long long)site->counts.urls[i].count,
                  site->counts.urls[i].url);
    if (site->counts.others > 0)
        page_addf(page, "%llu (others)\n", (unsigned long long)site->counts.others);
    weft_http_set(&visit->request, "Cache-Control", "no-store");
    visit_answer(visit, 200, "text/plain");
}
