/* Matches come as masks, some at a time, and leave as lines. */
#include "subsetsum/scribe.h"

int scribe_open(struct scribe *scribe, const struct subset_problem *problem, unsigned part,
                unsigned parts, uint64_t skipped)
{
    *scribe = (struct scribe){0};
    int err = subset_search_init(&scribe->search_, problem, SUBSET_AUTO, part, parts);
    if (err != 0)
        return err;
    subset_search_skip(&scribe->search_, skipped);
    subset_writer_init(&scribe->writer_, problem);
    scribe->written = skipped;
    return 0;
}

static size_t write_line(struct scribe *scribe, uint64_t mask, char *at)
{
    size_t size = sizeof SCRIBE_MATCH - 1;
    memcpy(at, SCRIBE_MATCH, size);
    size += subset_write(&scribe->writer_, mask, at + size);
    at[size++] = '\n';
    scribe->written++;
    return size;
}

size_t scribe_write(struct scribe *scribe, char *buffer, size_t room, uint64_t steps)
{
    size_t size = 0;
    bool searched = false;
    for (;;) {
        while (scribe->next_ < scribe->count_ && room - size >= SCRIBE_LINE_MAX)
            size += write_line(scribe, scribe->masks_[scribe->next_++], buffer + size);
        if (scribe->next_ < scribe->count_ || searched || scribe_done(scribe))
            return size;
        scribe->next_ = 0;
        scribe->count_ =
            (unsigned)subset_search_next(&scribe->search_, scribe->masks_, SCRIBE_MASKS, steps);
        /* As many as there is room for were found long before the steps were done. */
        searched = scribe->count_ < SCRIBE_MASKS;
    }
}

bool scribe_done(const struct scribe *scribe)
{
    return scribe->next_ == scribe->count_ && scribe->search_.state == SUBSET_DONE;
}

void scribe_close(struct scribe *scribe)
{
    subset_search_free(&scribe->search_);
}
