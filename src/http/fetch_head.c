/* The head of the answer, line by line as curl gives it.
 *
 * There may be several heads: informational ones (1xx), and those that curl answers itself, because
 * a password is asked for (401 and digest) or the server does not want to say "100 Continue" (417).
 * Each status line begins anew; so what is left is the final one. The caller is told at its end, or,
 * while curl may still ask again, with the first byte of the body or the end of the transfer. What
 * comes after that are trailers: they are counted and dropped.
 *
 * The lines are kept in one block, each followed by LF, and the table of fields points into it. It
 * is made when the head is complete: until then the block may move. Lines that are no fields are
 * left out. */
#include "client.h"
#include "weft/alloc.h"
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

static void no_memory(struct weft_http_fetch *fetch)
{
    weft__http_fetch_decide(fetch, UV_ENOMEM, WEFT_FETCH_FAILED_MEMORY, WEFT_FETCH_NO_DETAIL);
}

/* ---- lines ---------------------------------------------------------------------------------- */

static bool digit(struct weft_text line, size_t at)
{
    return at < line.size && line.data[at] >= '0' && line.data[at] <= '9';
}

/* "HTTP/1.1 200 OK", "HTTP/2 200". */
static void begin_head(struct weft_http_fetch *fetch, struct weft_text line)
{
    size_t at = strlen("HTTP/");
    weft__http_head_reset(fetch);
    fetch->head_open_ = true;
    if (digit(line, at))
        fetch->http_version = 10 * (unsigned)(line.data[at++] - '0');
    if (at < line.size && line.data[at] == '.' && digit(line, at + 1)) {
        fetch->http_version += (unsigned)(line.data[at + 1] - '0');
        at += 2;
    }
    for (at++; digit(line, at) && fetch->status < 1000; at++)
        fetch->status = fetch->status * 10 + (line.data[at] - '0');
    if (fetch->status >= 200)
        weft__http_deadlines_phase(fetch, PHASE_ANSWER);
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

static void add_line(struct weft_http_fetch *fetch, struct weft_text line)
{
    bool folded = line.data[0] == ' ' || line.data[0] == '\t';
    if (!make_room(fetch, line.size + 1)) {
        no_memory(fetch);
        return;
    }
    if (folded && fetch->head_size_ > 0)
        fetch->head_[fetch->head_size_ - 1] = ' '; /* where the last line's end was */
    memcpy(fetch->head_ + fetch->head_size_, line.data, line.size);
    fetch->head_size_ += line.size;
    fetch->head_[fetch->head_size_++] = '\n';
}

/* ---- the table ------------------------------------------------------------------------------ */

static size_t count_lines(struct weft_text text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.size; i++)
        count += text.data[i] == '\n';
    return count;
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
        struct weft_text value = weft_text_cut(&rest, '\n');
        struct weft_text name = weft_text_cut(&value, ':');
        value = weft_text_trim(value);
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

/* ---- the end of a head ---------------------------------------------------------------------- */

/* Is this redirect followed? May decide that there were too many. */
static bool follows(struct weft_http_fetch *fetch)
{
    if (fetch->max_redirects == 0 || fetch->location == NULL || !weft__http_is_web(fetch->location))
        return false;
    if (fetch->redirects >= fetch->max_redirects) {
        weft__http_fetch_decide(fetch, UV_ELOOP, WEFT_FETCH_FAILED_REDIRECT, WEFT_FETCH_NO_DETAIL);
        return false;
    }
    return fetch->follow == NULL || fetch->follow(fetch, fetch->location);
}

bool weft__http_head_final(struct weft_http_fetch *fetch)
{
    if (fetch->told_)
        return !fetch->stopped_;
    fetch->told_ = true;
    if (weft__http_is_redirect(fetch->status) && weft__http_redirect_find(fetch) != 0)
        no_memory(fetch);
    fetch->follows_ = !fetch->stopped_ && follows(fetch);
    if (fetch->follows_ || fetch->stopped_ || fetch->on_head == NULL)
        return !fetch->stopped_;
    int status = fetch->on_head(fetch);
    if (status < 0)
        weft__http_fetch_decide(fetch, status, WEFT_FETCH_FAILED_CALLER, WEFT_FETCH_NO_DETAIL);
    return !fetch->stopped_;
}

/* May curl ask again because of this answer? */
static bool may_ask_again(const struct weft_http_fetch *fetch)
{
    return (fetch->status == 401 && fetch->auth == WEFT_FETCH_AUTH_DIGEST) ||
           (fetch->status == 417 && (fetch->data != NULL || fetch->pull != NULL));
}

static void end_head(struct weft_http_fetch *fetch)
{
    fetch->head_open_ = false;
    if (fetch->status < 200 && fetch->status != 101)
        return;
    if (!make_table(fetch))
        no_memory(fetch);
    else if (!may_ask_again(fetch))
        weft__http_head_final(fetch);
}

size_t weft__http_head_line(char *data, size_t size, size_t count, void *p)
{
    struct weft_http_handle *handle = p;
    struct weft_http_fetch *fetch = handle->fetch;
    size_t most = handle->engine->client->header_max;
    struct weft_text line = weft_text(data, size * count);
    fetch->head_total_ += line.size;
    if (fetch->head_total_ > (most != 0 ? most : WEFT_FETCH_HEADER_MAX))
        weft__http_fetch_decide(fetch, UV_EFBIG, WEFT_FETCH_FAILED_SIZE, WEFT_FETCH_LARGE_HEAD);
    while (line.size > 0 && (line.data[line.size - 1] == '\n' || line.data[line.size - 1] == '\r'))
        line.size--;
    if (fetch->stopped_)
        return 0;
    if (!fetch->told_ && weft_text_starts(line, "HTTP/"))
        begin_head(fetch, line);
    else if (fetch->head_open_ && line.size == 0)
        end_head(fetch);
    else if (fetch->head_open_)
        add_line(fetch, line);
    return fetch->stopped_ ? 0 : size * count;
}
