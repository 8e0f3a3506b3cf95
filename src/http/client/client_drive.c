/* When curl works, and what is put off while it does.
 *
 * curl must not be called from inside one of its callbacks, and callbacks of ours call functions of
 * the user's, who may start, cancel and end whatever they like. So everything that calls curl
 * stands between enter and leave. Whoever comes while somebody is inside only notes down what is to
 * be done; the last to leave does it, and looks which transfers are over. Nothing of this waits for
 * another turn of the loop: a cancel outside of curl takes the transfer out before it returns.
 *
 * A time-out of 0 means "call me soon": that is a tick, the next turn of the ready queue, so that
 * all fetches begun in one turn start together. Resuming goes through the tick as well: it calls
 * the consumer, who should not be called from inside weft_http_fetch_resume, nor again and again
 * without the others having their turn.
 *
 * curl forgets to ask for a time-out again if it was called too early for it, which happens when
 * the loop's clock is behind or is virtual: so it is asked after each (rearm). With no transfer
 * under way there is no timer: idle connections keep nothing alive. */
#include "client.h"

static void tick_over(struct weft_op *client, struct weft_op *tick);
static void timer_fired(struct weft_timer *timer);

void weft__http_todo(struct weft_http_fetch *fetch)
{
    if (fetch->todo_.next_ == NULL)
        links_append(&fetch->client->engine_->todo, &fetch->todo_);
}

void weft__http_tick(struct weft_http_engine *engine)
{
    if (engine->ticking || engine->closing)
        return;
    engine->ticking = true;
    weft_tick(&engine->client->op, &engine->tick, tick_over);
}

/* ---- inside --------------------------------------------------------------------------------- */

static void do_todo(struct weft_http_engine *engine)
{
    while (!links_empty(&engine->todo)) {
        struct weft_http_fetch *fetch =
            weft_owner(engine->todo.next_, struct weft_http_fetch, todo_);
        links_remove(&fetch->todo_);
        if (fetch->stopped_)
            weft__http_fetch_stop(fetch);
        else
            weft__http_fetch_start(fetch);
    }
}

static void read_messages(struct weft_http_engine *engine)
{
    CURLMsg *message;
    int left;
    if (engine->multi == NULL)
        return;
    while ((message = curl_multi_info_read(engine->multi, &left)) != NULL) {
        struct weft_http_handle *handle = NULL;
        CURLcode code = message->data.result;
        if (message->msg != CURLMSG_DONE)
            continue;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&handle);
        weft__http_fetch_done(handle->fetch, code);
    }
}

void weft__http_enter(struct weft_http_engine *engine)
{
    if (engine->inside == 0)
        weft__http_starved(); /* what was before is not of interest */
    engine->inside++;
}

void weft__http_leave(struct weft_http_engine *engine)
{
    if (engine->inside == 1 && !engine->closing) {
        do {
            do_todo(engine);
            read_messages(engine);
        } while (!links_empty(&engine->todo));
        if (engine->active == 0)
            weft_timer_stop(engine->loop, &engine->timer);
    }
    if (--engine->inside == 0 && engine->closing)
        weft__http_shut(engine);
}

/* Without memory curl may leave a socket unwatched and does not say whose: rather than have one of
 * them hang until its deadline, all transfers end. */
static void end_all(struct weft_http_engine *engine)
{
    struct weft_http_chain *at = engine->fetches.next_;
    for (; at != &engine->fetches; at = at->next_) {
        struct weft_http_fetch *fetch = weft_owner(at, struct weft_http_fetch, all_);
        if (fetch->handle_ != NULL && fetch->handle_->added)
            weft__http_fetch_decide(fetch, UV_ENOMEM, WEFT_FETCH_FAILED_MEMORY,
                                    WEFT_FETCH_NO_DETAIL);
    }
}

static void act(struct weft_http_engine *engine, curl_socket_t fd, int events)
{
    int running;
    if (curl_multi_socket_action(engine->multi, fd, events, &running) != CURLM_OK)
        end_all(engine);
}

/* ---- time ----------------------------------------------------------------------------------- */

int weft__http_timer_set(CURLM *multi, long ms, void *data)
{
    struct weft_http_engine *engine = data;
    (void)multi;
    if (engine->closing)
        return 0;
    engine->due = ms == 0;
    if (ms > 0) {
        weft_timer_start(engine->loop, &engine->timer, (uint64_t)ms, timer_fired);
        return 0;
    }
    weft_timer_stop(engine->loop, &engine->timer);
    if (ms == 0)
        weft__http_tick(engine);
    return 0;
}

static void rearm(struct weft_http_engine *engine)
{
    long ms = -1;
    if (engine->active > 0 && curl_multi_timeout(engine->multi, &ms) == CURLM_OK)
        weft__http_timer_set(engine->multi, ms, engine);
}

static void timer_fired(struct weft_timer *timer)
{
    struct weft_http_engine *engine = weft_owner(timer, struct weft_http_engine, timer);
    weft__http_enter(engine);
    act(engine, CURL_SOCKET_TIMEOUT, 0);
    rearm(engine);
    weft__http_leave(engine);
}

/* ---- events --------------------------------------------------------------------------------- */

void weft__http_acted(struct weft_http_engine *engine, int fd, int events)
{
    weft__http_enter(engine);
    act(engine, fd, events);
    weft__http_leave(engine);
}

static void do_resumes(struct weft_http_engine *engine)
{
    struct weft_http_chain now;
    links_init(&now);
    while (!links_empty(&engine->resumes)) {
        struct weft_http_chain *first = engine->resumes.next_;
        links_remove(first);
        links_append(&now, first);
    }
    while (!links_empty(&now)) {
        struct weft_http_fetch *fetch = weft_owner(now.next_, struct weft_http_fetch, resume_);
        links_remove(&fetch->resume_);
        weft__http_fetch_unpause(fetch);
    }
}

static void tick_over(struct weft_op *client, struct weft_op *tick)
{
    struct weft_http_engine *engine = weft_owner(tick, struct weft_http_engine, tick);
    (void)client;
    engine->ticking = false;
    if (engine->closing) {
        weft__http_settle(engine);
        return;
    }
    weft__http_enter(engine);
    do_resumes(engine);
    if (engine->due) {
        engine->due = false;
        act(engine, CURL_SOCKET_TIMEOUT, 0);
    }
    weft__http_leave(engine);
}
