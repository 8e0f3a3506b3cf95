/* Why the loop stays alive, and the uv handles on it.
 *
 * What can make progress keeps it alive: ready ops, timers, libuv's requests, expected posts, and
 * handles of libuv's that are active and referenced. Three of the loop's own handles stand for the
 * first, the second and the fourth, so those are told by their cause and not as handles. Handles
 * that parts of the library have made for themselves are marked by their data, and those of others
 * that use the data themselves are known as the resource of an open handle (weft/hook.h); the rest is
 * the caller's and listed one by one, also those that do not keep the loop alive: one that was forgotten
 * is found here. (The data of a caller's handle may be anything, even nothing that was ever set: it
 * is compared and never followed.) */
#include "handles.h"
#include "map.h"
#include "report.h"
#include "weft/dump.h"
#include "weft/timer.h"

enum { LISTED = 100 };

char weft__uv_ours;

void weft_dump_belongs(uv_handle_t *handle)
{
    if (handle != NULL)
        handle->data = &weft__uv_ours;
}

struct survey {
    const struct weft_handles *handles;
    const struct weft_map *resources;
    struct weft_words *words; /* NULL: only count */
    uint64_t ours, yours;     /* that keep the loop alive */
    uint64_t all_of_yours, closing;
};

static bool is_the_loops(const struct weft_handles *handles, const uv_handle_t *handle)
{
    const char *first = (const char *)handles;
    return (const char *)handle >= first && (const char *)handle < first + sizeof *handles;
}

static void say_yours(struct weft_words *words, const uv_handle_t *handle)
{
    uv_os_fd_t fd;
    const char *type = uv_handle_type_name(handle->type);
    weft__say(words, "  uv_");
    weft__say(words, type != NULL ? type : "?");
    weft__say(words, uv_is_closing(handle)  ? " [closing"
                     : uv_is_active(handle) ? " [active"
                                            : " [not active");
    if (!uv_has_ref(handle))
        weft__say(words, ", unreferenced");
    if (uv_fileno(handle, &fd) == 0) {
        weft__say(words, ", fd ");
        weft__say_number(words, (uint64_t)fd);
    }
    weft__say(words, "] of yours, at ");
    weft__say_hex(words, (uintptr_t)handle);
    weft__say_end(words);
}

static void look_at(uv_handle_t *handle, void *data)
{
    struct survey *survey = data;
    bool holds = uv_is_active(handle) && uv_has_ref(handle);
    if (is_the_loops(survey->handles, handle))
        return;
    if (uv_is_closing(handle)) {
        survey->closing++;
        holds = false;
    }
    if (handle->data == &weft__uv_ours ||
        weft__map_get(survey->resources, (uintptr_t)handle) != MAP_NONE) {
        survey->ours += holds;
        return;
    }
    survey->yours += holds;
    if (survey->all_of_yours++ < LISTED && survey->words != NULL)
        say_yours(survey->words, handle);
}

/* ---- causes --------------------------------------------------------------------------------- */

static uint64_t count_list(const struct weft_op *op)
{
    uint64_t count = 0;
    for (; op != NULL; op = op->wait_)
        count++;
    return count;
}

/* The one after it in the heap, parents first. A first child's prev_ is its parent. */
static const struct weft_timer *next_timer(const struct weft_timer *timer)
{
    if (timer->child_ != NULL)
        return timer->child_;
    while (timer->next_ == NULL) {
        while (timer->prev_ != NULL && timer->prev_->child_ != timer)
            timer = timer->prev_;
        if (timer->prev_ == NULL)
            return NULL;
        timer = timer->prev_;
    }
    return timer->next_;
}

static uint64_t count_timers(const struct weft_timer *top)
{
    uint64_t count = 0;
    for (; top != NULL; top = next_timer(top))
        count++;
    return count;
}

static void say_cause(struct weft_words *words, uint64_t count, const char *one, const char *many)
{
    if (count == 0)
        return;
    weft__say(words, "  ");
    weft__say_count(words, count, one, many);
    weft__say_end(words);
}

static void say_timers(struct weft_words *words, const struct weft_loop *loop)
{
    const struct weft_timer *first = loop->timers_;
    if (first == NULL)
        return;
    uint64_t now = weft__now_ms(loop);
    weft__say(words, "  ");
    weft__say_count(words, count_timers(first), "timer, due ", "timers, the next is due ");
    if (first->due_ > now) {
        weft__say(words, "in ");
        weft__say_time(words, first->due_ - now);
    } else {
        weft__say(words, "now");
    }
    weft__say_end(words);
}

/* Without memory some that belong to a handle are listed as the caller's. */
static void find_resources(const struct weft_loop *loop, struct weft_map *resources)
{
    const struct weft_chunk *chunk = loop->observers_->chunks;
    for (; chunk != NULL; chunk = chunk->next) {
        for (int i = 0; i < CHUNK_SLOTS; i++) {
            const struct weft_slot *slot = &chunk->slots[i];
            uintptr_t resource = (uintptr_t)SLOT_GET(slot->resource);
            uint32_t *known = NULL;
            if (SLOT_GET(slot->id) != 0 && resource != 0)
                known = weft__map_put(resources, resource);
            if (known != NULL)
                *known = 0;
        }
    }
}

void weft__say_alive(struct weft_words *words, const struct weft_loop *loop)
{
    struct weft_map resources = {NULL, 0, 0};
    find_resources(loop, &resources);
    struct survey survey = {.handles = loop->handles_, .resources = &resources};
    uv_walk(loop->uv, look_at, &survey);
    uint64_t ready = count_list(loop->ready_) + count_list(loop->later_);
    uint64_t slices = count_list(loop->steps_);
    uint64_t requests = loop->uv->active_reqs.count;
    bool alive = ready != 0 || slices != 0 || loop->timers_ != NULL || requests != 0 ||
                 loop->expected_ != 0 || survey.ours != 0 || survey.yours != 0 ||
                 survey.closing != 0;
    weft__say(words, alive ? "the loop stays alive for:" : "nothing keeps the loop alive");
    weft__say_end(words);
    say_cause(words, ready, "operation that is ready", "operations that are ready");
    say_cause(words, slices, "operation that computes", "operations that compute");
    say_timers(words, loop);
    say_cause(words, requests, "request of libuv's", "requests of libuv's");
    say_cause(words, loop->detached_, "request whose op was cancelled",
              "requests whose ops were cancelled");
    say_cause(words, loop->expected_, "post that is expected", "posts that are expected");
    say_cause(words, survey.ours, "uv handle of an operation", "uv handles of operations");
    say_cause(words, survey.yours, "uv handle of yours", "uv handles of yours");
    say_cause(words, survey.closing, "uv handle that is closing", "uv handles that are closing");
    survey = (struct survey){loop->handles_, &resources, .words = words};
    uv_walk(loop->uv, look_at, &survey);
    if (survey.all_of_yours > LISTED)
        say_cause(words, survey.all_of_yours - LISTED, "more of yours", "more of yours");
    weft__map_free(&resources);
}
