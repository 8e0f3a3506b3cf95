/* The links of a document as lines of text, one a link, for comparing:
 *
 *     requisite img "a.png" <a.png> 12-17
 *
 * its kind, where from, "nofollow" if so, the URL, what stands in the document, and where. */
#ifndef TESTS_WEB_LINKS_RECORD_H
#define TESTS_WEB_LINKS_RECORD_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft/links.h>

struct links_record {
    const char *document;
    size_t document_size;
    bool with_ranges; /* also print what stands in the document, and where */
    bool wrong_range; /* one was outside of the document, or overlapped the one before */
    uint64_t last_end;
    char *text;
    size_t size, room;
    size_t count;
    int status;
};

static inline void links_record_put(struct links_record *record, const char *data, size_t size)
{
    if (record->size + size + 1 > record->room) {
        record->room = (record->size + size + 1) * 2;
        record->text = realloc(record->text, record->room);
        if (record->text == NULL)
            abort();
    }
    if (size > 0)
        memcpy(record->text + record->size, data, size);
    record->size += size;
    record->text[record->size] = '\0';
}

static inline void links_record_range(struct links_record *record, const struct weft_link *link)
{
    char range[64];
    if (link->end > record->document_size || link->start >= link->end ||
        link->start < record->last_end)
        record->wrong_range = true;
    record->last_end = link->end;
    if (!record->with_ranges || link->end > record->document_size || link->start > link->end)
        return;
    links_record_put(record, " <", 2);
    links_record_put(record, record->document + link->start, (size_t)(link->end - link->start));
    int size = snprintf(range, sizeof range, "> %llu-%llu", (unsigned long long)link->start,
                        (unsigned long long)link->end);
    links_record_put(record, range, (size_t)size);
}

static inline int links_record_link(struct links_record *record, const struct weft_links *links,
                                    const struct weft_link *link)
{
    static const char *const kinds[] = {"navigation", "requisite", "base", "guard", "post"};
    char head[64];
    int size = snprintf(head, sizeof head, "%s %s%s \"", kinds[link->kind],
                        weft_link_from_name(link->from), link->nofollow ? " nofollow" : "");
    links_record_put(record, head, (size_t)size);
    links_record_put(record, link->url.data, link->url.size);
    links_record_put(record, "\"", 1);
    if (links->ranges)
        links_record_range(record, link);
    else if (link->start != 0 || link->end != 0)
        record->wrong_range = true;
    links_record_put(record, "\n", 1);
    record->count++;
    return record->status;
}

static inline int links_record_on_link(struct weft_links *links, const struct weft_link *link)
{
    return links_record_link(links->context, links, link);
}

/* What stands in a document may have a NUL in it. */
static inline bool links_record_same(const struct links_record *one,
                                     const struct links_record *other)
{
    return one->size == other->size &&
           (one->size == 0 || memcmp(one->text, other->text, one->size) == 0);
}

static inline void links_record_free(struct links_record *record)
{
    free(record->text);
    record->text = NULL;
    record->size = record->room = 0;
}

#endif
