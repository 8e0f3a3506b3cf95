/* Reading the head of an answer: lines in, a status and a table of fields out. Nothing here knows
 * of curl, the loop or the caller; fetch_head.c does.
 *
 * There may be several heads. Each status line begins anew, so what is left is the last one. What
 * follows an answer that was told already are trailers: they are counted and dropped. Within a head
 * nothing is a status line, whatever it looks like.
 *
 * The lines are kept in one block, each followed by LF, and the table of fields points into it. It
 * is made when the head is complete: until then the block may move. Lines that are no fields are
 * left out.
 *
 * Where the body ends must not be a matter of opinion: others on the way may read another length
 * than curl does. So all lengths of a head have to be the same number, unless chunks overrule
 * them. */
#include "client.h"
#include "weft/alloc.h"
#include "weft/error.h"
#include "weft/http_message.h"
#include <string.h>

void weft__http_head_reset(struct weft_http_fetch *fetch)
{
    fetch->head_size_ = 0;
    fetch->head_open_ = false;
    fetch->status = 0;
    fetch->http_version = 0;
    fetch->answer = NULL;
    fetch->answer_count = 0;
}

/* ---- lines ---------------------------------------------------------------------------------- */

static bool digit(struct weft_text line, size_t at)
{
    return at < line.size && line.data[at] >= '0' && line.data[at] <= '9';
}

static bool blank(struct weft_text line, size_t at)
{
    return at < line.size && line.data[at] == ' ';
}

/* "HTTP/1.1 200 OK", "HTTP/2 200". */
static int begin_head(struct weft_http_fetch *fetch, struct weft_text line)
{
    size_t at = strlen("HTTP/");
    weft__http_head_reset(fetch);
    if (digit(line, at))
        fetch->http_version = 10 * (unsigned)(line.data[at++] - '0');
    if (at < line.size && line.data[at] == '.' && digit(line, at + 1)) {
        fetch->http_version += (unsigned)(line.data[at + 1] - '0');
        at += 2;
    }
    if (fetch->http_version < 10 || !blank(line, at))
        return WEFT_EHTTP;
    while (blank(line, at))
        at++;
    for (size_t end = at + 3; at < end && digit(line, at); at++)
        fetch->status = fetch->status * 10 + (line.data[at] - '0');
    if (fetch->status < 100 || (at < line.size && !blank(line, at)))
        return WEFT_EHTTP;
    fetch->head_open_ = true;
    return HEAD_BEGUN;
}

static bool make_room(struct weft_http_fetch *fetch, size_t more)
{
    size_t room = fetch->head_room_ != 0 ? fetch->head_room_ : 512;
    while (room - fetch->head_size_ < more)
        room *= 2; /* it is bounded by header_max */
    if (room == fetch->head_room_)
        return true;
    char *grown = weft_realloc(fetch->head_, room);
    if (grown == NULL)
        return false;
    fetch->head_ = grown;
    fetch->head_room_ = room;
    return true;
}

static int add_line(struct weft_http_fetch *fetch, struct weft_text line)
{
    bool folded = line.data[0] == ' ' || line.data[0] == '\t';
    if (!make_room(fetch, line.size + 1))
        return UV_ENOMEM;
    if (folded && fetch->head_size_ > 0)
        fetch->head_[fetch->head_size_ - 1] = ' '; /* where the last line's end was */
    memcpy(fetch->head_ + fetch->head_size_, line.data, line.size);
    fetch->head_size_ += line.size;
    fetch->head_[fetch->head_size_++] = '\n';
    return HEAD_GOES_ON;
}

/* ---- the table ------------------------------------------------------------------------------ */

static size_t count_lines(struct weft_text text)
{
    size_t count = 0;
    for (; text.size > 0; count++)
        weft_text_cut(&text, '\n');
    return count;
}

/* The next line: its name, and its value, whose data is NULL if there is no colon. */
static struct weft_text cut_line(struct weft_text *rest, struct weft_text *value)
{
    *value = weft_text_cut(rest, '\n');
    struct weft_text name = weft_text_cut(value, ':');
    *value = weft_text_trim(*value);
    return name;
}

/* -1: that is no length. */
static int64_t length_of(struct weft_text value)
{
    int64_t length = 0;
    for (size_t i = 0; i < value.size; i++) {
        int more = digit(value, i) ? value.data[i] - '0' : -1;
        if (more < 0 || length > (INT64_MAX - more) / 10)
            return -1;
        length = length * 10 + more;
    }
    return value.size > 0 ? length : -1;
}

/* Is there no doubt about where the body ends? All lines are looked at, also those that are left
 * out of the table: curl may understand them. */
static bool length_is_clear(const struct weft_http_fetch *fetch)
{
    struct weft_text rest = weft_text(fetch->head_, fetch->head_size_), value;
    int64_t first = -1;
    bool clear = true;
    while (rest.size > 0) {
        struct weft_text name = cut_line(&rest, &value);
        if (weft_text_same(name, weft_text_of("Transfer-Encoding")) &&
            weft_text_same(value, weft_text_of("chunked")))
            return true;
        if (!weft_text_same(name, weft_text_of("Content-Length")))
            continue;
        int64_t length = length_of(value);
        clear = clear && length >= 0 && (first < 0 || first == length);
        first = length;
    }
    return clear;
}

static bool make_table(struct weft_http_fetch *fetch)
{
    struct weft_text rest = weft_text(fetch->head_, fetch->head_size_);
    size_t lines = count_lines(rest);
    fetch->answer_count = 0;
    if (lines == 0)
        return true;
    struct weft_http_field *table = weft_realloc(fetch->table_, lines * sizeof *table);
    if (table == NULL)
        return false;
    fetch->answer = fetch->table_ = table;
    while (rest.size > 0) {
        struct weft_text value;
        struct weft_text name = cut_line(&rest, &value);
        if (value.data != NULL && weft_http_name_ok(name) && weft_http_value_ok(value))
            table[fetch->answer_count++] = (struct weft_http_field){name, value};
    }
    return true;
}

struct weft_text weft_http_fetch_get(const struct weft_http_fetch *fetch, const char *name)
{
    size_t at = 0;
    const struct weft_http_field *field = weft_http_fetch_next(fetch, name, &at);
    return field != NULL ? field->value : weft_text(NULL, 0);
}

const struct weft_http_field *weft_http_fetch_next(const struct weft_http_fetch *fetch,
                                                   const char *name, size_t *at)
{
    struct weft_text wanted = weft_text_of(name);
    while (*at < fetch->answer_count) {
        const struct weft_http_field *field = &fetch->answer[(*at)++];
        if (weft_text_same(field->name, wanted))
            return field;
    }
    return NULL;
}

/* ---- line by line --------------------------------------------------------------------------- */

static int end_head(struct weft_http_fetch *fetch)
{
    fetch->head_open_ = false;
    if (fetch->status < 200 && fetch->status != 101)
        return HEAD_GOES_ON;
    if (!length_is_clear(fetch))
        return WEFT_EHTTP;
    return make_table(fetch) ? HEAD_ENDED : UV_ENOMEM;
}

int weft__http_head_read(struct weft_http_fetch *fetch, struct weft_text line, size_t most)
{
    if (line.size > most - fetch->head_total_)
        return UV_EFBIG;
    fetch->head_total_ += line.size;
    bool first = !fetch->head_open_ && !fetch->told_ && weft_text_starts(line, "HTTP/");
    if ((first || fetch->head_open_) && weft__http_heads_came(fetch, line, first) != 0)
        return UV_ENOMEM;
    while (line.size > 0 && (line.data[line.size - 1] == '\n' || line.data[line.size - 1] == '\r'))
        line.size--;
    if (fetch->head_open_)
        return line.size > 0 ? add_line(fetch, line) : end_head(fetch);
    return first ? begin_head(fetch, line) : HEAD_GOES_ON;
}
