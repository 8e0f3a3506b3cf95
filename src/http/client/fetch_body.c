/* Bodies: what comes goes to the consumer or into a block, what is sent comes from memory or from
 * the caller's pull.
 *
 * Everything is counted after decoding, so a small answer that unpacks to a large one meets the
 * same limit; and who takes what comes, however large, can say how many times as large as it came it
 * may be. A consumer that says "pause" leaves its bytes with curl, which stops reading from the
 * socket: the kernel's buffers fill up and the server waits. All of this runs inside curl: whoever
 * is called may cancel or end the fetch, and then curl is told to give up.
 *
 * The answer from which a redirect is followed has a body too. A short one is read and dropped, so
 * that the connection can be used again; a long one is not worth it. That of an answer which only_ok
 * makes an error is collected, whoever would get the body otherwise. */
#include "client.h"
#include "direct.h"
#include "weft/alloc.h"
#include <stdlib.h>
#include <string.h>

enum { GUESS_MAX = 1024 * 1024, DROPPED_MAX = 64 * 1024 };

/* ---- what comes ----------------------------------------------------------------------------- */

static bool is_collected(const struct weft_http_fetch *fetch)
{
    return fetch->on_body == NULL || weft__http_is_unwanted(fetch);
}

static size_t limit_of(const struct weft_http_fetch *fetch)
{
    if (fetch->body_max != 0)
        return fetch->body_max;
    if (!is_collected(fetch))
        return SIZE_MAX;
    return fetch->client->body_max != 0 ? fetch->client->body_max : WEFT_FETCH_BODY_MAX;
}

/* How large the first block should be: what the server says, within reason. */
static size_t first_room(const struct weft_http_fetch *fetch, size_t more)
{
    struct weft_text length = weft_http_fetch_get(fetch, "Content-Length");
    size_t guess = 0;
    for (size_t i = 0; i < length.size && guess <= GUESS_MAX; i++)
        guess = guess * 10 + (size_t)(length.data[i] - '0') % 10;
    if (guess > GUESS_MAX)
        guess = GUESS_MAX;
    return (guess > more ? guess : more) + 1;
}

/* Room for more bytes and the NUL. */
static bool make_room(struct weft_http_fetch *fetch, size_t more)
{
    size_t room = fetch->body_room_;
    if (room - fetch->body_size > more)
        return true;
    room = room == 0 ? first_room(fetch, more) : room + room / 2 + more;
    char *grown = weft_realloc(fetch->body, room);
    if (grown == NULL)
        return false;
    fetch->body = grown;
    fetch->body_room_ = room;
    return true;
}

int weft__http_body_end(struct weft_http_fetch *fetch)
{
    if (!is_collected(fetch))
        return 0;
    if (!make_room(fetch, 0))
        return UV_ENOMEM;
    fetch->body[fetch->body_size] = '\0';
    return 0;
}

static void collect(struct weft_http_fetch *fetch, const char *data, size_t size)
{
    if (!make_room(fetch, size)) {
        weft__http_fetch_decide(fetch, UV_ENOMEM, WEFT_FETCH_FAILED_MEMORY, WEFT_FETCH_NO_DETAIL);
        return;
    }
    memcpy(fetch->body + fetch->body_size, data, size);
    fetch->body_size += size;
    fetch->body[fetch->body_size] = '\0'; /* also if the rest never comes */
}

/* An answer that is an error anyway is not another one for being long. */
static void too_large(struct weft_http_fetch *fetch)
{
    if (weft__http_is_unwanted(fetch))
        weft__http_fetch_decide(fetch, WEFT_ESTATUS, WEFT_FETCH_FAILED_STATUS,
                                WEFT_FETCH_NO_DETAIL);
    else
        weft__http_fetch_decide(fetch, UV_EFBIG, WEFT_FETCH_FAILED_SIZE, WEFT_FETCH_LARGE_BODY);
}

/* Bytes of the body as they came. curl counts them when it has passed them on: up to a buffer of
 * them is missing here. */
static uint64_t came(const struct weft_http_fetch *fetch)
{
    curl_off_t came = 0;
    if (fetch->direct_ != NULL)
        return fetch->direct_->body;
    if (fetch->handle_ != NULL)
        curl_easy_getinfo(fetch->handle_->easy, CURLINFO_SIZE_DOWNLOAD_T, &came);
    return (uint64_t)came;
}

/* Would it be far larger, with size bytes more, than what it was unpacked from? */
static bool is_bomb(const struct weft_http_fetch *fetch, size_t size)
{
    uint64_t times = fetch->unpack_max, now = fetch->received + size;
    if (times == 0 || now / times <= WEFT_FETCH_UNPACK_FREE)
        return false; /* most end here, and nobody needs to count */
    return now / times > WEFT_FETCH_UNPACK_FREE + came(fetch);
}

static int call_on_body(struct weft_http_fetch *fetch, const char *data, size_t size)
{
    struct weft_frame frame;
    fetch_enter(&frame, fetch, (weft_entry_fn *)fetch->on_body);
    int said = fetch->on_body(fetch, data, size);
    weft_leave(&frame);
    return said;
}

static int deliver(struct weft_http_fetch *fetch, const char *data, size_t size)
{
    int said = WEFT_FETCH_TAKEN;
    if (size > limit_of(fetch) - fetch->received) {
        too_large(fetch);
        return BODY_NO_MORE;
    }
    if (is_bomb(fetch, size)) {
        weft__http_fetch_decide(fetch, UV_EFBIG, WEFT_FETCH_FAILED_SIZE, WEFT_FETCH_LARGE_UNPACKED);
        return BODY_NO_MORE;
    }
    if (is_collected(fetch))
        collect(fetch, data, size);
    else
        said = call_on_body(fetch, data, size);
    if (said < 0)
        weft__http_fetch_decide(fetch, said, WEFT_FETCH_FAILED_CALLER, WEFT_FETCH_NO_DETAIL);
    if (fetch->stopped_)
        return BODY_NO_MORE;
    if (said == WEFT_FETCH_PAUSE) {
        fetch->paused_ = true;
        return BODY_PAUSED;
    }
    fetch->received += size;
    return BODY_TAKEN;
}

int weft__http_body_came(struct weft_http_fetch *fetch, const char *data, size_t size)
{
    if (fetch->stopped_ || !weft__http_head_final(fetch))
        return BODY_NO_MORE;
    if (fetch->follows_) {
        fetch->dropped_ += size;
        return fetch->dropped_ <= DROPPED_MAX ? BODY_TAKEN : BODY_NO_MORE;
    }
    return size > 0 ? deliver(fetch, data, size) : BODY_TAKEN;
}

size_t weft__http_body_take(char *data, size_t size, size_t count, void *p)
{
    struct weft_http_fetch *fetch = ((struct weft_http_handle *)p)->fetch;
    int said = weft__http_body_came(fetch, data, size * count);
    return said == BODY_TAKEN ? size * count : said == BODY_PAUSED ? CURL_WRITEFUNC_PAUSE : 0;
}

/* ---- what is sent --------------------------------------------------------------------------- */

static ssize_t call_pull(struct weft_http_fetch *fetch, char *buffer, size_t capacity)
{
    struct weft_frame frame;
    fetch_enter(&frame, fetch, (weft_entry_fn *)fetch->pull);
    ssize_t got = fetch->pull(fetch, buffer, capacity);
    weft_leave(&frame);
    return got;
}

size_t weft__http_body_give(char *buffer, size_t size, size_t count, void *p)
{
    struct weft_http_fetch *fetch = ((struct weft_http_handle *)p)->fetch;
    if (fetch->stopped_ || fetch->pull == NULL)
        return CURL_READFUNC_ABORT;
    ssize_t got = call_pull(fetch, buffer, size * count);
    if (fetch->stopped_)
        return CURL_READFUNC_ABORT;
    if (got == WEFT_FETCH_LATER) {
        fetch->starved_ = true;
        return CURL_READFUNC_PAUSE;
    }
    if (got > 0 && (size_t)got > size * count)
        got = UV_EINVAL;
    if (got < 0) {
        weft__http_fetch_decide(fetch, (int)got, WEFT_FETCH_FAILED_CALLER, WEFT_FETCH_NO_DETAIL);
        return CURL_READFUNC_ABORT;
    }
    return (size_t)got;
}

bool weft__http_rewound(struct weft_http_fetch *fetch)
{
    struct weft_frame frame;
    if (fetch->rewind == NULL)
        return false;
    fetch_enter(&frame, fetch, (weft_entry_fn *)fetch->rewind);
    bool done = fetch->rewind(fetch);
    weft_leave(&frame);
    return done;
}

int weft__http_body_rewind(void *p, curl_off_t offset, int origin)
{
    struct weft_http_fetch *fetch = ((struct weft_http_handle *)p)->fetch;
    if (fetch->told_)
        return CURL_SEEKFUNC_OK; /* there is an answer: nothing will be sent, see about_to_send */
    if (offset == 0 && origin == SEEK_SET && !fetch->stopped_ && weft__http_rewound(fetch) &&
        !fetch->stopped_)
        return CURL_SEEKFUNC_OK;
    weft__http_fetch_decide(fetch, UV_ESPIPE, WEFT_FETCH_FAILED_CALLER, WEFT_FETCH_NO_DETAIL);
    return CURL_SEEKFUNC_FAIL;
}
