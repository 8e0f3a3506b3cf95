/* The head of the answer, and who is told.
 *
 * curl gives us the lines; fetch_lines.c reads them. There may be several heads: informational ones
 * (1xx), and those that curl answers itself, because a password is asked for (401 and digest) or
 * the server does not want to say "100 Continue" (417). The caller is told at the end of the final
 * one, or, while curl may still ask again, with the first byte of the body or the end of the
 * transfer.
 *
 * A server can make curl ask again for ever, by calling each password stale. So a request is made
 * three times at most: the third answer is told as the final one, and should curl want to ask once
 * more, that ends the transfer (about_to_send in client_handle.c). */
#include "client.h"
#include "weft/error.h"

enum { ASKS_MAX = 3 };

static void no_memory(struct weft_http_fetch *fetch)
{
    weft__http_fetch_decide(fetch, UV_ENOMEM, WEFT_FETCH_FAILED_MEMORY, WEFT_FETCH_NO_DETAIL);
}

bool weft__http_is_unwanted(const struct weft_http_fetch *fetch)
{
    return fetch->only_ok && (fetch->status < 200 || fetch->status > 299);
}

static bool call_follow(struct weft_http_fetch *fetch)
{
    struct weft_frame frame;
    fetch_enter(&frame, fetch, (weft_entry_fn *)fetch->follow);
    bool yes = fetch->follow(fetch, fetch->location);
    weft_leave(&frame);
    return yes;
}

static int call_on_head(struct weft_http_fetch *fetch)
{
    struct weft_frame frame;
    fetch_enter(&frame, fetch, (weft_entry_fn *)fetch->on_head);
    int status = fetch->on_head(fetch);
    weft_leave(&frame);
    return status;
}

/* Is this redirect followed? May decide that there were too many. */
static bool follows(struct weft_http_fetch *fetch)
{
    if (fetch->max_redirects == 0 || fetch->location == NULL || !weft__http_is_web(fetch->location))
        return false;
    if (fetch->redirects >= fetch->max_redirects) {
        weft__http_fetch_decide(fetch, UV_ELOOP, WEFT_FETCH_FAILED_REDIRECT, WEFT_FETCH_NO_DETAIL);
        return false;
    }
    return fetch->follow == NULL || call_follow(fetch);
}

bool weft__http_head_final(struct weft_http_fetch *fetch)
{
    if (fetch->told_)
        return !fetch->stopped_;
    fetch->told_ = true;
    int err = weft__http_is_redirect(fetch->status) ? weft__http_redirect_find(fetch) : 0;
    if (err == UV_ENOSYS)
        weft__http_fetch_decide(fetch, err, WEFT_FETCH_FAILED_LIBRARY, WEFT_FETCH_NO_DETAIL);
    else if (err != 0)
        no_memory(fetch);
    fetch->follows_ = !fetch->stopped_ && follows(fetch);
    if (fetch->follows_ || fetch->stopped_ || fetch->on_head == NULL)
        return !fetch->stopped_;
    int status = call_on_head(fetch);
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

/* Counts the answers of which that is true. */
static bool is_put_off(struct weft_http_fetch *fetch)
{
    return may_ask_again(fetch) && ++fetch->asks_ < ASKS_MAX;
}

static bool asked_to_switch(const struct weft_http_fetch *fetch)
{
    for (size_t i = 0; i < fetch->fields_count; i++) {
        struct weft_text rest = weft_text_of(fetch->fields[i]);
        if (weft_text_same(weft_text_cut(&rest, ':'), weft_text_of("Upgrade")))
            return true;
    }
    return false;
}

static void bad_answer(struct weft_http_fetch *fetch)
{
    weft__http_fetch_decide(fetch, WEFT_EHTTP, WEFT_FETCH_FAILED_PROTOCOL, WEFT_FETCH_NO_DETAIL);
}

/* ---- line by line --------------------------------------------------------------------------- */

static void act(struct weft_http_fetch *fetch, int read)
{
    if (read == HEAD_ENDED)
        weft__http_cookies_came(fetch);
    if (read == UV_EFBIG)
        weft__http_fetch_decide(fetch, read, WEFT_FETCH_FAILED_SIZE, WEFT_FETCH_LARGE_HEAD);
    else if (read == UV_ENOMEM)
        no_memory(fetch);
    else if (read < 0 || (fetch->status == 101 && !asked_to_switch(fetch)))
        bad_answer(fetch);
    else if (read == HEAD_BEGUN && fetch->status >= 200)
        weft__http_deadlines_phase(fetch, PHASE_ANSWER);
    else if (read == HEAD_ENDED && !is_put_off(fetch))
        weft__http_head_final(fetch);
}

void weft__http_head_came(struct weft_http_fetch *fetch, struct weft_text line)
{
    size_t most = fetch->client->header_max;
    if (!fetch->stopped_)
        act(fetch, weft__http_head_read(fetch, line, most != 0 ? most : WEFT_FETCH_HEADER_MAX));
}

size_t weft__http_head_line(char *data, size_t size, size_t count, void *p)
{
    struct weft_http_fetch *fetch = ((struct weft_http_handle *)p)->fetch;
    weft__http_head_came(fetch, weft_text(data, size * count));
    return fetch->stopped_ ? 0 : size * count;
}
