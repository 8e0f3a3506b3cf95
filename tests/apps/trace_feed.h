/* tests/apps/trace_feed.h: what a reader of traces is fed with. */
#ifndef TESTS_APPS_TRACE_FEED_H
#define TESTS_APPS_TRACE_FEED_H

#include <string.h>
#include <weft/text.h>

/* A text that comes in pieces of at most `piece` bytes; behind it an end, or an error. */
struct feed {
    struct weft_text left;
    size_t piece;
    int status; /* 0: the end */
};

static inline struct feed feed_of(const char *text)
{
    struct feed feed = {weft_text_of(text), 1 << 16, 0};
    return feed;
}

static inline int feed_fill(void *context, char *buffer, size_t size)
{
    struct feed *feed = context;
    size_t count = feed->left.size < feed->piece ? feed->left.size : feed->piece;
    if (count > size)
        count = size;
    if (count == 0)
        return feed->status;
    memcpy(buffer, feed->left.data, count);
    feed->left = weft_text(feed->left.data + count, feed->left.size - count);
    return (int)count;
}

#endif
