/* Deadlines: one timer a fetch, for whichever is due first.
 *
 *     begun ───────────── in line ── resolve ── waits for a connection ── connect ── sent ── answer
 *     total                                                                                   ───►
 *     connect                        ─────────                            ───────
 *     first byte                                                                     ──────
 *     rate, sending                                                                  ─────────────►
 *     rate                                                                                  ──────►
 *
 * The timer is not moved back when a deadline is met: it fires, finds nothing due, and is set for
 * the next. So a fetch costs one start and one stop. The time that curl keeps a request waiting for
 * one of its connections does not count as connecting. An upload that goes on puts off the first
 * byte: the server may well wait for its end. Who has nothing to send and waits for a server that
 * thinks is not slow: that time is the first byte's. */
#include "client.h"
#include "direct.h"

enum { RATE_S = 10 };

static uint64_t due_in(const struct weft_http_fetch *fetch, uint64_t ms)
{
    uint64_t now = weft_now(weft_loop_of(&fetch->op));
    return ms < WEFT_FETCH_NEVER - now ? now + ms : WEFT_FETCH_NEVER;
}

/* The fetch's own, the client's, or the default. */
static uint64_t choose(uint64_t own, uint64_t clients, uint64_t otherwise)
{
    return own != 0 ? own : clients != 0 ? clients : otherwise;
}

static uint64_t rate_window(const struct weft_http_fetch *fetch)
{
    return (uint64_t)(fetch->rate_s != 0 ? fetch->rate_s : RATE_S) * 1000;
}

static uint64_t bytes_sent(const struct weft_http_fetch *fetch)
{
    curl_off_t sent = 0;
    if (fetch->handle_ != NULL)
        curl_easy_getinfo(fetch->handle_->easy, CURLINFO_SIZE_UPLOAD_T, &sent);
    return (uint64_t)sent;
}

static uint64_t bytes_moved(const struct weft_http_fetch *fetch)
{
    curl_off_t received = 0;
    if (fetch->direct_ != NULL)
        return weft__http_direct_moved(fetch->direct_);
    if (fetch->handle_ != NULL)
        curl_easy_getinfo(fetch->handle_->easy, CURLINFO_SIZE_DOWNLOAD_T, &received);
    return (uint64_t)received + bytes_sent(fetch);
}

/* ---- what is due ---------------------------------------------------------------------------- */

/* The rate is looked at once a window; a pause begins a new one. */
static bool too_slow(struct weft_http_fetch *fetch)
{
    uint64_t moved = bytes_moved(fetch), window = rate_window(fetch);
    uint64_t since = moved - fetch->rate_seen_;
    bool slow = since < fetch->rate_min * (window / 1000);
    if (slow && !fetch->paused_ && !fetch->starved_ && !fetch->rested_)
        return true;
    fetch->rested_ = fetch->paused_ || fetch->starved_;
    fetch->rate_seen_ = moved;
    fetch->rate_due_ = due_in(fetch, window);
    return false;
}

static bool no_answer(struct weft_http_fetch *fetch)
{
    uint64_t sent = bytes_sent(fetch);
    if (sent == fetch->sent_seen_ && !fetch->starved_)
        return true;
    fetch->sent_seen_ = sent;
    fetch->answer_due_ = due_in(fetch, fetch->answer_ms_);
    return false;
}

static enum weft_http_fetch_detail what_is_late(struct weft_http_fetch *fetch, uint64_t now)
{
    if (fetch->total_due_ <= now)
        return WEFT_FETCH_LATE_TOTAL;
    if (fetch->connect_due_ <= now)
        return WEFT_FETCH_LATE_CONNECT;
    if (fetch->answer_due_ <= now && no_answer(fetch))
        return WEFT_FETCH_LATE_FIRST_BYTE;
    if (fetch->rate_due_ <= now && too_slow(fetch))
        return WEFT_FETCH_LATE_RATE;
    return WEFT_FETCH_NO_DETAIL;
}

static void deadline_fired(struct weft_timer *timer);

static void arm(struct weft_http_fetch *fetch)
{
    struct weft_loop *loop = weft_loop_of(&fetch->op);
    uint64_t due = fetch->total_due_, now = weft_now(loop);
    if (fetch->connect_due_ < due)
        due = fetch->connect_due_;
    if (fetch->answer_due_ < due)
        due = fetch->answer_due_;
    if (fetch->rate_due_ < due)
        due = fetch->rate_due_;
    if (due >= fetch->armed_)
        return;
    fetch->armed_ = due;
    weft_timer_start(loop, &fetch->timer_, due > now ? due - now : 0, deadline_fired);
}

static void deadline_fired(struct weft_timer *timer)
{
    struct weft_http_fetch *fetch = weft_owner(timer, struct weft_http_fetch, timer_);
    struct weft_http_engine *engine = fetch->client->engine_;
    fetch->armed_ = WEFT_FETCH_NEVER;
    enum weft_http_fetch_detail late = what_is_late(fetch, weft_now(weft_loop_of(&fetch->op)));
    if (late == WEFT_FETCH_NO_DETAIL) {
        arm(fetch);
        return;
    }
    weft__http_enter(engine);
    weft__http_fetch_decide(fetch, UV_ETIMEDOUT, WEFT_FETCH_FAILED_TIMEOUT, late);
    weft__http_leave(engine);
}

/* ---- phases --------------------------------------------------------------------------------- */

void weft__http_deadlines_begin(struct weft_http_fetch *fetch)
{
    const struct weft_http_client *client = fetch->client;
    uint64_t total = choose(fetch->total_ms, client->total_ms, WEFT_FETCH_NEVER);
    fetch->connect_left_ = choose(fetch->connect_ms, client->connect_ms, WEFT_FETCH_CONNECT_MS);
    fetch->answer_ms_ =
        choose(fetch->first_byte_ms, client->first_byte_ms, WEFT_FETCH_FIRST_BYTE_MS);
    fetch->armed_ = WEFT_FETCH_NEVER;
    fetch->connect_due_ = fetch->answer_due_ = fetch->rate_due_ = WEFT_FETCH_NEVER;
    fetch->total_due_ = due_in(fetch, total);
    arm(fetch);
}

/* The clock of connecting runs, or stands still. */
static void connecting(struct weft_http_fetch *fetch, bool now)
{
    if (now == (fetch->connect_due_ != WEFT_FETCH_NEVER))
        return;
    if (now) {
        fetch->connect_due_ = due_in(fetch, fetch->connect_left_);
    } else {
        uint64_t at = weft_now(weft_loop_of(&fetch->op));
        fetch->connect_left_ = fetch->connect_due_ > at ? fetch->connect_due_ - at : 0;
        fetch->connect_due_ = WEFT_FETCH_NEVER;
    }
}

static void watch_rate(struct weft_http_fetch *fetch)
{
    if (fetch->rate_min != 0)
        fetch->rate_due_ = due_in(fetch, rate_window(fetch));
}

void weft__http_deadlines_phase(struct weft_http_fetch *fetch, unsigned phase)
{
    bool sends = fetch->data != NULL || fetch->pull != NULL;
    fetch->phase_ = phase;
    connecting(fetch, phase == PHASE_RESOLVE || phase == PHASE_CONNECT);
    fetch->answer_due_ = WEFT_FETCH_NEVER;
    if (phase == PHASE_ASKED) {
        fetch->answer_due_ = due_in(fetch, fetch->answer_ms_);
        fetch->sent_seen_ = fetch->rate_seen_ = 0;
        if (sends)
            watch_rate(fetch);
    } else if (phase == PHASE_ANSWER) {
        if (!sends)
            watch_rate(fetch);
    } else {
        fetch->rate_due_ = WEFT_FETCH_NEVER;
    }
    arm(fetch);
}

void weft__http_deadlines_end(struct weft_http_fetch *fetch)
{
    weft_timer_stop(weft_loop_of(&fetch->op), &fetch->timer_);
}
