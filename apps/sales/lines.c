/* Lines, in a buffer of one size.
 *
 *   buffer: … [begin  text  at) [at  what was read and not looked at  end) …
 *
 * text lies in the buffer as it came; when the end is reached it moves to the front and what follows
 * is read behind it. So text can be made longer, and what was added be given back, without a copy.
 * A line that fills the whole buffer is too long: it is passed over up to its end. */
#include "sales/lines.h"
#include <uv.h>
#include <weft/alloc.h>

enum { BUFFER = 2 * LINES_MAX };

/* More behind what there is. False: nothing came; then ended_ or status says why. */
static bool read_more(struct lines *lines)
{
    if (lines->ended_)
        return false;
    if (lines->begin_ > 0) {
        memmove(lines->buffer_, lines->buffer_ + lines->begin_, lines->end_ - lines->begin_);
        lines->at_ -= lines->begin_;
        lines->end_ -= lines->begin_;
        lines->first_ -= lines->begin_;
        lines->begin_ = 0;
    }
    int got = lines->fill(lines->context, lines->buffer_ + lines->end_, BUFFER - lines->end_);
    if (got <= 0) {
        lines->ended_ = true;
        lines->status = got;
        return false;
    }
    lines->end_ += (size_t)got;
    return true;
}

/* The end of the line that begins at at_: behind its LF, or of all. False: it is not there yet, but
 * there is no room for more. */
static bool find_end(struct lines *lines, size_t *end)
{
    size_t looked = 0;
    for (;;) {
        size_t from = lines->at_ + looked, left = lines->end_ - from;
        const char *found = left > 0 ? memchr(lines->buffer_ + from, '\n', left) : NULL;
        if (found != NULL) {
            *end = (size_t)(found - lines->buffer_) + 1;
            return true;
        }
        looked += left;
        if (lines->end_ - lines->begin_ > LINES_MAX + 2)
            return false;
        if (!read_more(lines)) {
            *end = lines->end_;
            return true;
        }
    }
}

/* text is what lies between begin_ and at_, without the end of its last line. */
static void set_text(struct lines *lines)
{
    lines->text = weft_text(lines->buffer_ + lines->begin_, lines->at_ - lines->begin_);
    if (lines->text.size > 0 && lines->text.data[lines->text.size - 1] == '\n') {
        lines->text.size--;
        if (lines->text.size > 0 && lines->text.data[lines->text.size - 1] == '\r')
            lines->text.size--;
    }
}

static void skip_mark(struct lines *lines)
{
    while (lines->end_ < 3 && read_more(lines))
        ;
    if (lines->end_ >= 3 && memcmp(lines->buffer_, "\xEF\xBB\xBF", 3) == 0)
        lines->at_ = lines->begin_ = 3;
}

/* Up to the end of the line that is too long. */
static enum lines_got pass_over(struct lines *lines)
{
    size_t end;
    do {
        lines->begin_ = lines->at_ = lines->end_;
    } while (!find_end(lines, &end));
    lines->begin_ = lines->at_ = end;
    lines->text = weft_text(NULL, 0);
    return lines->status != 0 ? LINES_FAILED : LINES_LONG;
}

static bool begin(struct lines *lines)
{
    lines->buffer_ = weft_alloc(BUFFER);
    if (lines->buffer_ == NULL)
        return false;
    lines->next_ = 1;
    skip_mark(lines);
    return true;
}

enum lines_got lines_next(struct lines *lines)
{
    size_t end;
    lines->text = weft_text(NULL, 0);
    if (lines->buffer_ == NULL && !begin(lines)) {
        lines->status = UV_ENOMEM;
        return LINES_FAILED;
    }
    lines->begin_ = lines->at_;
    lines->number = lines->next_;
    bool found = find_end(lines, &end);
    if (lines->status != 0)
        return LINES_FAILED;
    if (found && end == lines->at_)
        return LINES_END;
    lines->next_++;
    if (!found)
        return pass_over(lines);
    lines->at_ = lines->first_ = end;
    set_text(lines);
    if (lines->text.size <= LINES_MAX)
        return LINES_LINE;
    lines->text = weft_text(NULL, 0);
    return LINES_LONG;
}

enum lines_got lines_more(struct lines *lines)
{
    size_t end;
    bool found = find_end(lines, &end);
    set_text(lines); /* the buffer may have moved */
    if (lines->status != 0)
        return LINES_FAILED;
    if (found && end == lines->at_)
        return LINES_END;
    if (!found || end - lines->begin_ > LINES_MAX + 2)
        return LINES_LONG;
    lines->at_ = end;
    lines->next_++;
    set_text(lines);
    return LINES_LINE;
}

void lines_back(struct lines *lines)
{
    lines->at_ = lines->first_;
    lines->next_ = lines->number + 1;
    set_text(lines);
}

void lines_free(struct lines *lines)
{
    weft_free(lines->buffer_);
    lines->buffer_ = NULL;
}
