/* The fetch: one request and its answer, from begin to finish.
 *
 *     begin ─► line ─► handle ─► request set ─► resolve ─► in curl ─► done ─► finished
 *               (none free)                    (not known)    ▲          │ redirect followed
 *                                     request set ◄───────────┴──────────┘
 *
 * A request that does not need curl goes over a connection of our own between "request set" and
 * "done" (direct.c): then direct_ is set and handle_ is not, and PHASE_CURL means that it waits for
 * a connection. Redirects may change from one to the other. Either way it has a place among the
 * max_handles from the line to its end (placed_).
 *
 * Each arrow is taken in weft__http_fetch_start, called when nobody is inside curl; phase_ says how
 * far it is. However it ends, fetch_over takes it out of everything and finishes its op: the only
 * place that does.
 *
 * stopped_ means: how it ends is decided (verdict_), by a cancel, a deadline, a limit or a callback
 * of the caller's; nothing more is done for it but to stop it. Inside curl that is noted down and
 * curl's callbacks say "give up"; outside it happens at once. */
#include "client.h"
#include "direct.h"
#include "weft/alloc.h"
#include <arpa/inet.h>
#include <string.h>

/* ---- ending --------------------------------------------------------------------------------- */

static void leave_curl(struct weft_http_fetch *fetch)
{
    struct weft_http_handle *handle = fetch->handle_;
    if (!handle->added)
        return;
    curl_multi_remove_handle(handle->engine->multi, handle->easy);
    handle->added = false;
    handle->engine->active--;
}

/* curl's handle is not needed any more. */
static void give_handle(struct weft_http_fetch *fetch)
{
    struct weft_http_handle *handle = fetch->handle_;
    if (handle == NULL)
        return;
    leave_curl(fetch);
    fetch->handle_ = NULL;
    weft__http_handle_give(handle);
}

/* A place is free: the first in line is next. */
static void serve_line(struct weft_http_engine *engine)
{
    if (links_empty(&engine->line) || engine->closing)
        return;
    struct weft_http_fetch *next = weft_owner(engine->line.next_, struct weft_http_fetch, wait_);
    links_remove(&next->wait_);
    weft__http_todo(next);
}

void weft__http_fetch_over(struct weft_http_fetch *fetch, int status,
                           enum weft_http_fetch_failure failure, enum weft_http_fetch_detail detail)
{
    struct weft_http_engine *engine = fetch->engine_;
    weft__http_deadlines_end(fetch);
    weft__http_name_leave(fetch);
    links_remove(&fetch->wait_);
    links_remove(&fetch->todo_);
    links_remove(&fetch->resume_);
    links_remove(&fetch->all_);
    give_handle(fetch);
    weft__http_direct_leave(fetch);
    if (fetch->placed_) {
        fetch->placed_ = false;
        engine->placed--;
        serve_line(engine);
    }
    weft_handle_close(&fetch->parser_);
    fetch->times.total = (uv_hrtime() - fetch->begun_ns_) / 1000;
    fetch->failure = failure;
    fetch->detail = detail;
    weft_finish(&fetch->op, status);
}

void weft__http_fetch_stop(struct weft_http_fetch *fetch)
{
    weft__http_fetch_over(fetch, fetch->verdict_, fetch->verdict_failure_, fetch->verdict_detail_);
}

void weft__http_fetch_decide(struct weft_http_fetch *fetch, int status,
                             enum weft_http_fetch_failure failure,
                             enum weft_http_fetch_detail detail)
{
    if (fetch->stopped_)
        return;
    fetch->stopped_ = true;
    fetch->verdict_ = status;
    fetch->verdict_failure_ = failure;
    fetch->verdict_detail_ = detail;
    weft__http_todo(fetch);
}

/* A cancel counts more than what was decided and has not happened yet. */
static void fetch_cancel(struct weft_op *op, int reason)
{
    struct weft_http_fetch *fetch = weft_owner(op, struct weft_http_fetch, op);
    struct weft_http_engine *engine = fetch->client->engine_;
    bool late = reason == UV_ETIMEDOUT;
    fetch->stopped_ = false;
    weft__http_enter(engine);
    weft__http_fetch_decide(fetch, reason,
                            late ? WEFT_FETCH_FAILED_TIMEOUT : WEFT_FETCH_FAILED_CANCEL,
                            late ? WEFT_FETCH_LATE_TOTAL : WEFT_FETCH_NO_DETAIL);
    weft__http_leave(engine);
}

/* ---- the way into curl ---------------------------------------------------------------------- */

static void fail(struct weft_http_fetch *fetch, int status)
{
    weft__http_fetch_over(fetch, status,
                          status == UV_ENOMEM   ? WEFT_FETCH_FAILED_MEMORY
                          : status == UV_ENOSYS ? WEFT_FETCH_FAILED_LIBRARY
                                                : WEFT_FETCH_FAILED_INPUT,
                          WEFT_FETCH_NO_DETAIL);
}

static bool take_place(struct weft_http_fetch *fetch)
{
    struct weft_http_engine *engine = fetch->engine_;
    unsigned most = engine->client->max_handles;
    if (fetch->placed_)
        return true;
    if (engine->placed >= (most != 0 ? most : WEFT_FETCH_HANDLES)) {
        links_append(&engine->line, &fetch->wait_);
        return false;
    }
    engine->placed++;
    return fetch->placed_ = true;
}

/* A place, and the request for the one who will make it. 0; 1: it waits in line; or an error. */
static int prepare(struct weft_http_fetch *fetch)
{
    if (!take_place(fetch))
        return 1;
    weft_handle_close(&fetch->parser_); /* of the request before a redirect */
    weft_handle_open(&fetch->op, &fetch->parser_, 0, "http_parser", WEFT_HTTP, fetch);
    int err = weft__http_direct_set(fetch);
    if (err < 0)
        return err;
    if (fetch->direct_ != NULL) {
        give_handle(fetch);
        return 0;
    }
    err = weft__http_curl_open(fetch->engine_, fetch->text_);
    if (err != 0)
        return err;
    if (fetch->handle_ == NULL)
        fetch->handle_ = weft__http_handle_take(fetch->engine_);
    if (fetch->handle_ == NULL)
        return UV_ENOMEM;
    fetch->handle_->fetch = fetch;
    return weft__http_request_set(fetch);
}

static int enter_curl(struct weft_http_fetch *fetch)
{
    struct weft_http_handle *handle = fetch->handle_;
    weft__http_deadlines_phase(fetch, PHASE_CURL);
    CURLMcode code = curl_multi_add_handle(handle->engine->multi, handle->easy);
    if (code != CURLM_OK)
        return UV_ENOMEM;
    handle->added = true;
    handle->engine->active++;
    return 0;
}

static int start_curl(struct weft_http_fetch *fetch)
{
    int err = fetch->handle_->literal ? 0 : weft__http_name_load(fetch->handle_);
    return err == 0 ? enter_curl(fetch) : err;
}

void weft__http_fetch_start(struct weft_http_fetch *fetch)
{
    int err = 0;
    if (fetch->phase_ == PHASE_LINE) {
        err = prepare(fetch);
        if (err == 0)
            weft__http_deadlines_phase(fetch, PHASE_RESOLVE);
    }
    if (err == 0 && fetch->direct_ != NULL)
        err = weft__http_direct_start(fetch);
    else if (err == 0)
        err = start_curl(fetch);
    if (err < 0)
        fail(fetch, weft__http_starved() ? UV_ENOMEM : err);
}

/* ---- the way out ---------------------------------------------------------------------------- */

static uint64_t microseconds(CURL *easy, CURLINFO info)
{
    curl_off_t value = 0;
    curl_easy_getinfo(easy, info, &value);
    return value > 0 ? (uint64_t)value : 0;
}

static void note_peer(struct weft_http_fetch *fetch, CURL *easy)
{
    const char *ip = NULL;
    long port = 0;
    struct weft_address *peer = &fetch->peer;
    curl_easy_getinfo(easy, CURLINFO_PRIMARY_IP, &ip);
    curl_easy_getinfo(easy, CURLINFO_PRIMARY_PORT, &port);
    memset(peer, 0, sizeof *peer);
    if (ip == NULL || ip[0] == '\0')
        return;
    if (inet_pton(AF_INET, ip, &peer->to.ip4.sin_addr) == 1) {
        peer->to.ip4.sin_family = AF_INET;
        peer->to.ip4.sin_port = htons((uint16_t)port);
        peer->size = sizeof peer->to.ip4;
    } else if (inet_pton(AF_INET6, ip, &peer->to.ip6.sin6_addr) == 1) {
        peer->to.ip6.sin6_family = AF_INET6;
        peer->to.ip6.sin6_port = htons((uint16_t)port);
        peer->size = sizeof peer->to.ip6;
    }
}

/* What curl knows about the transfer. */
static void note_facts(struct weft_http_fetch *fetch)
{
    CURL *easy = fetch->handle_->easy;
    long connects = 0, head = 0;
    curl_easy_getinfo(easy, CURLINFO_NUM_CONNECTS, &connects);
    curl_easy_getinfo(easy, CURLINFO_HEADER_SIZE, &head);
    note_peer(fetch, easy);
    fetch->reused = connects == 0 && fetch->peer.size != 0;
    fetch->wire_received += (uint64_t)head + microseconds(easy, CURLINFO_SIZE_DOWNLOAD_T);
    fetch->wire_sent += microseconds(easy, CURLINFO_SIZE_UPLOAD_T);
    fetch->times.resolve = fetch->resolve_ns_ / 1000;
    fetch->times.connect = fetch->reused ? 0 : microseconds(easy, CURLINFO_CONNECT_TIME_T);
    fetch->times.tls = fetch->reused ? 0 : microseconds(easy, CURLINFO_APPCONNECT_TIME_T);
    fetch->times.first_byte = microseconds(easy, CURLINFO_STARTTRANSFER_TIME_T);
}

static void follow(struct weft_http_fetch *fetch)
{
    int err = weft__http_redirect_take(fetch);
    if (fetch->stopped_)
        return; /* the rewind did that; it is on the list */
    if (err == 0 && fetch->handle_ != NULL && !weft__http_handle_renew(fetch->handle_))
        err = UV_ENOMEM;
    if (err == UV_ESPIPE) {
        weft__http_fetch_over(fetch, err, WEFT_FETCH_FAILED_CALLER, WEFT_FETCH_NO_DETAIL);
    } else if (err != 0) {
        fail(fetch, err);
    } else {
        weft__http_deadlines_phase(fetch, PHASE_LINE);
        weft__http_todo(fetch);
    }
}

void weft__http_fetch_answered(struct weft_http_fetch *fetch)
{
    if (!weft__http_head_final(fetch))
        return; /* decided: it is on the list */
    if (fetch->follows_) {
        follow(fetch);
        return;
    }
    int err = weft__http_body_end(fetch);
    if (err != 0)
        fail(fetch, err);
    else if (weft__http_is_unwanted(fetch))
        weft__http_fetch_over(fetch, WEFT_ESTATUS, WEFT_FETCH_FAILED_STATUS, WEFT_FETCH_NO_DETAIL);
    else
        weft__http_fetch_over(fetch, 0, WEFT_FETCH_NO_FAILURE, WEFT_FETCH_NO_DETAIL);
}

/* Did we stop curl after the answer was told: in the long body of a redirect, or because it would
 * ask again? */
static bool stopped_curl(const struct weft_http_fetch *fetch, CURLcode code)
{
    return (code == CURLE_WRITE_ERROR && fetch->follows_) ||
           ((code == CURLE_ABORTED_BY_CALLBACK || code == CURLE_COULDNT_CONNECT) && fetch->told_);
}

void weft__http_fetch_done(struct weft_http_fetch *fetch, CURLcode code)
{
    note_facts(fetch);
    if (fetch->stopped_)
        return;                                  /* it is on the list */
    if (code == CURLE_OK && fetch->head_open_) { /* to curl, an end is the end of a head as well */
        weft__http_fetch_over(fetch, WEFT_EHTTP, WEFT_FETCH_FAILED_PROTOCOL, WEFT_FETCH_CUT_SHORT);
        return;
    }
    if (code == CURLE_OK || stopped_curl(fetch, code)) {
        leave_curl(fetch);
        weft__http_fetch_answered(fetch);
        return;
    }
    struct http_failure why = weft__http_failure_of(fetch, code);
    weft__http_fetch_over(fetch, why.status, why.failure, why.detail);
}

/* ---- resuming ------------------------------------------------------------------------------- */

void weft__http_fetch_unpause(struct weft_http_fetch *fetch)
{
    if ((!fetch->paused_ && !fetch->starved_) || fetch->stopped_)
        return;
    fetch->paused_ = fetch->starved_ = false;
    fetch->rested_ = true;
    if (fetch->direct_ != NULL) {
        weft__http_direct_resume(fetch);
        return;
    }
    CURLcode code = curl_easy_pause(fetch->handle_->easy, CURLPAUSE_CONT);
    if (code != CURLE_OK && !fetch->stopped_)
        weft__http_fetch_done(fetch, code);
}

void weft_http_fetch_resume(struct weft_http_fetch *fetch)
{
    if ((fetch->handle_ == NULL && fetch->direct_ == NULL) || fetch->resume_.next_ != NULL)
        return;
    links_append(&fetch->engine_->resumes, &fetch->resume_);
    weft__http_tick(fetch->engine_);
}

/* ---- begin ---------------------------------------------------------------------------------- */

static void forget_last_time(struct weft_http_fetch *fetch)
{
    weft__http_head_reset(fetch);
    fetch->sent_ = fetch->came_ = (struct weft_http_kept){0};
    weft__http_heads_begin(fetch);
    fetch->body = fetch->head_ = fetch->target_ = fetch->moved_ = NULL;
    fetch->table_ = NULL;
    fetch->body_size = fetch->body_room_ = fetch->head_room_ = 0;
    fetch->head_total_ = fetch->dropped_ = 0;
    fetch->received = fetch->wire_received = fetch->wire_sent = 0;
    fetch->effective_url = fetch->url;
    fetch->location = NULL;
    fetch->redirects = fetch->asks_ = 0;
    memset(&fetch->peer, 0, sizeof fetch->peer);
    memset(&fetch->times, 0, sizeof fetch->times);
    fetch->failure = WEFT_FETCH_NO_FAILURE;
    fetch->detail = WEFT_FETCH_NO_DETAIL;
    fetch->handle_ = NULL;
    fetch->direct_ = NULL;
    fetch->name_ = NULL;
    memset(&fetch->parser_, 0, sizeof fetch->parser_);
    fetch->placed_ = false;
    fetch->resolve_ns_ = 0;
    fetch->verdict_ = 0;
    fetch->phase_ = PHASE_LINE;
    fetch->reused = fetch->stopped_ = fetch->rested_ = fetch->paused_ = fetch->starved_ = false;
    fetch->told_ = fetch->follows_ = fetch->stranger_ = fetch->as_get_ = fetch->refused_ = false;
    fetch->text_[0] = '\0';
    fetch->begun_ns_ = uv_hrtime();
}

void weft_http_fetch_begin(struct weft_op *op)
{
    struct weft_http_fetch *fetch = weft_owner(op, struct weft_http_fetch, op);
    struct weft_http_client *client = fetch->client;
    forget_last_time(fetch);
    if (client == NULL || client->engine_ == NULL || client->engine_->closing ||
        client->engine_->loop != weft_loop_of(op)) {
        fetch->failure = WEFT_FETCH_FAILED_INPUT;
        weft_finish(op, UV_EINVAL);
        return;
    }
    fetch->engine_ = client->engine_;
    links_append(&client->engine_->fetches, &fetch->all_);
    client->fetches++;
    weft__http_deadlines_begin(fetch);
    weft__http_enter(client->engine_);
    weft__http_todo(fetch);
    weft_on_cancel(op, fetch_cancel);
    weft__http_leave(client->engine_);
}

void weft_http_fetch_at(const struct weft_site *site, struct weft_op *parent,
                        struct weft_http_fetch *fetch, struct weft_http_client *client,
                        const char *url, weft_then_fn *then)
{
    fetch->client = client;
    fetch->url = url;
    weft_run_at(site, parent, &fetch->op, weft_http_fetch_begin, then);
}

void weft_http_fetch_free(struct weft_http_fetch *fetch)
{
    weft_free(fetch->body);
    weft_free(fetch->head_);
    weft_free(fetch->table_);
    weft_free(fetch->target_);
    weft_free(fetch->moved_);
    weft__http_heads_free(fetch);
    fetch->body = fetch->head_ = fetch->target_ = fetch->moved_ = NULL;
    fetch->table_ = NULL;
    fetch->answer = NULL;
    fetch->answer_count = fetch->body_size = 0;
    fetch->effective_url = fetch->location = NULL;
}

char *weft_http_fetch_take_body(struct weft_http_fetch *fetch)
{
    char *body = fetch->body;
    fetch->body = NULL;
    fetch->body_size = 0;
    return body;
}
