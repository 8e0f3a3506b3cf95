/* Lines of URLs, through the entries themselves: each knows the next one. */
#include "store.h"

bool weft_crawl_line_push(struct weft_crawl *crawl, struct weft_crawl_line *line, weft_crawl_id id)
{
    struct weft__crawl_entry *entry = weft__crawl_entry(crawl, id);
    if (entry == NULL || entry->in_line)
        return false;
    entry->in_line = true;
    entry->next = 0;
    if (line->count == 0)
        line->first_ = id;
    else
        weft__crawl_entry(crawl, line->last_)->next = id;
    line->last_ = id;
    line->count++;
    return true;
}

weft_crawl_id weft_crawl_line_pop(struct weft_crawl *crawl, struct weft_crawl_line *line)
{
    weft_crawl_id id = line->count > 0 ? line->first_ : 0;
    struct weft__crawl_entry *entry = weft__crawl_entry(crawl, id);
    if (entry == NULL)
        return 0;
    entry->in_line = false;
    line->first_ = entry->next;
    line->count--;
    return id;
}
